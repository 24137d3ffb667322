/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The reduce plugin. Right values are NumPy's, where it accumulates float32 in
 * binary64 as this plugin does. What is then tested is that nothing but values
 * decides the bits; how near they are is test-reduce-accuracy's. */
#include "views.h"

#define QUARTERS                                                                                                       \
  "float64", "2 3 4",                                                                                                  \
    "-7 -5.75 -4.5 -3.25 -2 -0.75 0.5 1.75 3 4.25 5.5 6.75 8 9.25 10.5 11.75 13 14.25 15.5 16.75 18 19.25 20.5 21.75"

#define COMPLEX "2 3", "1 2 -3 0.5 0.25 -4 2 -1 0 0.5 -1.5 0"

static const OpCase cases[] = {
  { "sum", NULL, "int32", "2 3", "-2 -1 0 1 2 3", "int64", "", "3" },
  { "sum", "{'axis': <[int64 0]>}", "int32", "2 3", "-2 -1 0 1 2 3", "int64", "3", "-1 1 3" },
  { "sum", "{'axis': <[int64 -1]>}", "int32", "2 3", "-2 -1 0 1 2 3", "int64", "2", "-3 6" },
  { "sum", "{'axis': <[int64 1]>, 'keepdims': <true>}", "int32", "2 3", "-2 -1 0 1 2 3", "int64", "2 1", "-3 6" },
  { "sum", "{'keepdims': <true>}", "int32", "2 3", "-2 -1 0 1 2 3", "int64", "1 1", "3" },
  { "sum", "{'axis': <int64 1>}", "int32", "2 3", "-2 -1 0 1 2 3", "int64", "2", "-3 6" },
  { "sum", "{'axis': <@ax []>}", "int32", "2 3", "-2 -1 0 1 2 3", "int64", "2 3", "-2 -1 0 1 2 3" },
  { "sum", "{'axis': <[int64 0, 2]>}", QUARTERS, "float64", "3", "19 59 99" },
  { "sum", "{'axis': <[int64 2, 0]>}", QUARTERS, "float64", "3", "19 59 99" },
  { "sum", "{'axis': <[int64 -2]>}", QUARTERS, "float64", "2 4", "-6 -2.25 1.5 5.25 39 42.75 46.5 50.25" },
  { "sum", "{'axis': <[int64 1, 2]>}", QUARTERS, "float64", "2", "-1.5 178.5" },
  { "sum", NULL, "bool", "3", "1 0 1", "int64", "", "2" },
  { "sum", NULL, "int8", "3", "3 0 1", "int64", "", "4" },
  { "sum", NULL, "int16", "3", "3 0 1", "int64", "", "4" },
  { "sum", NULL, "int64", "3", "3 0 1", "int64", "", "4" },
  { "sum", NULL, "uint8", "3", "3 0 1", "uint64", "", "4" },
  { "sum", NULL, "uint16", "3", "3 0 1", "uint64", "", "4" },
  { "sum", NULL, "uint32", "3", "3 0 1", "uint64", "", "4" },
  { "sum", NULL, "uint64", "3", "3 0 1", "uint64", "", "4" },
  { "sum", NULL, "float32", "3", "3 0 1", "float32", "", "4" },
  { "sum", NULL, "int8", "2", "100 100", "int64", "", "200" },
  { "sum", "{'dtype': <'int8'>}", "int8", "2", "100 100", "int8", "", "-56" },
  { "sum", "{'dtype': <'float32'>}", "int32", "2", "16777217 1", "float32", "", "16777216" },
  { "sum", "{'dtype': <'int32'>}", "float64", "2 2", "0.5 0.7 0.2 1.5", "int32", "", "1" },
  { "sum", "{'dtype': <'int32'>, 'axis': <[int64 0]>}", "float64", "2 2", "0.5 2.7 0.2 1.5", "int32", "2", "0 3" },
  { "sum", "{'dtype': <'float64'>}", "uint8", "2", "1 2", "float64", "", "3" },
  { "sum", NULL, "int64", "2", "9223372036854775807 1", "int64", "", "-9223372036854775808" },
  { "prod", NULL, "int32", "2 3", "-3 -2 -1 0 1 2", "int64", "", "0" },
  { "prod", "{'axis': <[int64 0]>}", QUARTERS, "float64", "3 4",
    "-56 -53.1875 -47.25 -38.1875 -26 -10.6875 7.75 29.3125 54 81.8125 112.75 146.8125" },
  { "prod", NULL, "float32", "2 3", "1.5 -2 8 0.10000000149011612 3 -0.699999988079071", "float32", "",
    "5.039999961853027" },
  { "mean", NULL, "int32", "2 3", "-2 -1 0 1 2 3", "float64", "", "0.5" },
  { "mean", "{'axis': <[int64 0]>}", QUARTERS, "float64", "3 4",
    "0.5 1.75 3 4.25 5.5 6.75 8 9.25 10.5 11.75 13 14.25" },
  { "mean", "{'axis': <[int64 2]>, 'keepdims': <true>}", QUARTERS, "float64", "2 3 1",
    "-5.125 -0.125 4.875 9.875 14.875 19.875" },
  { "mean", NULL, "bool", "4", "1 0 1 1", "float64", "", "0.75" },
  { "mean", "{'axis': <[int64 1]>}", "float32", "2 3", "1.5 -2 8 0.10000000149011612 3 -0.699999988079071", "float32",
    "2", "2.5 0.800000011920929" },
  { "var", NULL, "int32", "2 3", "-2 -1 0 1 2 3", "float64", "", "2.9166666666666665" },
  { "var", "{'correction': <1.0>}", "int32", "2 3", "-2 -1 0 1 2 3", "float64", "", "3.5" },
  { "var", "{'axis': <[int64 0]>}", QUARTERS, "float64", "3 4",
    "56.25 56.25 56.25 56.25 56.25 56.25 56.25 56.25 56.25 56.25 56.25 56.25" },
  { "std", "{'axis': <[int64 1]>}", "float64", "2 3", "1 2.5 4 7 0 -1", "float64", "2",
    "1.224744871391589 3.559026084010437" },
  { "std", "{'axis': <[int64 0]>, 'correction': <1>, 'keepdims': <true>}", "float64", "2 3", "1 2.5 4 7 0 -1",
    "float64", "1 3", "4.242640687119285 1.7677669529663689 3.5355339059327378" },
  { "var", NULL, "float64", "4", "1000000004 1000000007 1000000013 1000000016", "float64", "", "22.5" },
  { "var", "{'correction': <1.0>}", "float64", "4", "1000000004 1000000007 1000000013 1000000016", "float64", "",
    "30" },
  { "var", NULL, "float32", "2", "1000000064 1000000128", "float32", "", "1024" },
  { "var", "{'correction': <1.0>}", "float64", "1", "3", "float64", "", "nan" },
  { "var", "{'correction': <2.0>}", "float64", "2", "3 4", "float64", "", "inf" },
  { "max", NULL, "float64", "2 3", "1.5 -2 inf 0.25 3 -0", "float64", "", "inf" },
  { "max", "{'axis': <[int64 0]>}", "float64", "2 3", "1.5 -2 inf 0.25 3 -0", "float64", "3", "1.5 3 inf" },
  { "min", "{'axis': <[int64 1]>}", "float64", "2 3", "1.5 -2 inf 0.25 3 -0", "float64", "2", "-2 -0" },
  { "min", "{'axis': <[int64 0]>}", "int32", "2 3", "-2 -1 0 1 2 3", "int32", "3", "-2 -1 0" },
  { "max", "{'keepdims': <true>}", "int32", "2 3", "-2 -1 0 1 2 3", "int32", "1 1", "3" },
  { "max", NULL, "float64", "2 3", "1 nan 3 4 5 -inf", "float64", "", "nan" },
  { "min", "{'axis': <[int64 1]>}", "float64", "2 3", "1 nan 3 4 5 -inf", "float64", "2", "nan -inf" },
  { "max", "{'axis': <[int64 0]>}", "float64", "2 3", "1 nan 3 4 5 -inf", "float64", "3", "4 nan 3" },
  { "max", "{'axis': <[int64 0]>}", "bool", "2 3", "1 0 1 1 1 0", "bool", "3", "1 1 1" },
  { "min", "{'axis': <[int64 0]>}", "bool", "2 3", "1 0 1 1 1 0", "bool", "3", "1 0 0" },
  { "max", "{'axis': <[int64 0]>}", "int8", "2 3", "1 0 1 1 1 0", "int8", "3", "1 1 1" },
  { "min", "{'axis': <[int64 0]>}", "int8", "2 3", "1 0 1 1 1 0", "int8", "3", "1 0 0" },
  { "max", "{'axis': <[int64 0]>}", "uint64", "2 3", "1 0 1 1 1 0", "uint64", "3", "1 1 1" },
  { "min", "{'axis': <[int64 0]>}", "uint64", "2 3", "1 0 1 1 1 0", "uint64", "3", "1 0 0" },
  { "max", "{'axis': <[int64 0]>}", "float32", "2 3", "1 0 1 1 1 0", "float32", "3", "1 1 1" },
  { "min", "{'axis': <[int64 0]>}", "float32", "2 3", "1 0 1 1 1 0", "float32", "3", "1 0 0" },
  { "min", NULL, "uint64", "2", "18446744073709551615 9223372036854775808", "uint64", "", "9223372036854775808" },
  { "max", NULL, "int64", "2", "-9223372036854775808 -9223372036854775808", "int64", "", "-9223372036854775808" },
  { "max", NULL, "float64", "2", "-inf -inf", "float64", "", "-inf" },
  { "max", NULL, "float32", "3", "-1 -0 0", "float32", "", "-0" },
  { "max", "{'axis': <[int64 0]>}", "float64", "3 2", "-1 -1 -0 0 0 -0", "float64", "2", "-0 0" },
  { "min", NULL, "float64", "20", "1 1 1 1 1 1 1 1 1 1 1 1 0 1 1 1 1 -0 1 1", "float64", "", "0" },
  { "min", NULL, "float32", "36", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 -0 1 1 1 1 1 1 1 1 1 0 1 1 1 1 1 1 1 0", "float32",
    "", "-0" },
  { "max", NULL, "float32", "20", "1 1 1 1 1 1 1 1 1 1 1 1 0 1 1 1 1 2 1 nan", "float32", "", "nan" },
  { "min", NULL, "float32", "1", "inf", "float32", "", "inf" },
  { "any", NULL, "float64", "3", "0 0 nan", "bool", "", "1" },
  { "any", "{'axis': <[int64 1]>}", "int32", "2 2", "0 0 0 256", "bool", "2", "0 1" },
  { "all", NULL, "float64", "2", "1 -0", "bool", "", "0" },
  { "all", "{'axis': <[int64 0]>}", "int16", "2 2", "1 2 0 256", "bool", "2", "0 1" },
  { "all", "{'keepdims': <true>}", "float32", "2", "nan 1.401298464324817e-45", "bool", "1", "1" },
  { "any", NULL, "bool", "", "0", "bool", "", "0" },
  { "count_nonzero", NULL, "float64", "5", "0 -0 nan 1e-310 -2", "int64", "", "3" },
  { "count_nonzero", "{'axis': <[int64 1]>}", "int16", "2 3", "0 256 0 1 2 3", "int64", "2", "1 3" },
  { "count_nonzero", "{'axis': <[int64 0, 1]>, 'keepdims': <true>}", "bool", "2 2", "1 0 1 1", "int64", "1 1", "3" },
  { "count_nonzero", NULL, "int8", "", "-1", "int64", "", "1" },
  { "count_nonzero", "{'axis': <[int64 0]>}", "float32", "0 2", "", "int64", "2", "0 0" },
  { "argmax", NULL, "int64", "3 3", "3 7 7 7 0 7 -1 -1 -2", "int64", "", "1" },
  { "argmax", "{'axis': <0>}", "int64", "3 3", "3 7 7 7 0 7 -1 -1 -2", "int64", "3", "1 0 0" },
  { "argmax", "{'axis': <1>}", "int64", "3 3", "3 7 7 7 0 7 -1 -1 -2", "int64", "3", "1 0 0" },
  { "argmin", "{'axis': <-1>}", "int64", "3 3", "3 7 7 7 0 7 -1 -1 -2", "int64", "3", "0 1 2" },
  { "argmin", "{'keepdims': <true>}", "int64", "3 3", "3 7 7 7 0 7 -1 -1 -2", "int64", "1 1", "8" },
  { "argmax", "{'axis': <1>, 'keepdims': <true>}", "int64", "3 3", "3 7 7 7 0 7 -1 -1 -2", "int64", "3 1", "1 0 0" },
  { "argmax", NULL, "float64", "2 3", "1 nan 3 4 5 -inf", "int64", "", "1" },
  { "argmin", "{'axis': <0>}", "float64", "2 3", "1 nan 3 4 5 -inf", "int64", "3", "0 0 1" },
  { "argmin", "{'axis': <1>}", "float64", "2 3", "1 nan 3 4 5 -inf", "int64", "2", "1 2" },
  { "argmax", NULL, "float64", "2", "-inf -inf", "int64", "", "0" },
  { "argmin", NULL, "float64", "3", "nan nan 1", "int64", "", "0" },
  { "argmax", NULL, "uint8", "3", "0 0 0", "int64", "", "0" },
  { "argmax", NULL, "bool", "3", "0 1 1", "int64", "", "1" },
  { "argmax", NULL, "int8", "2", "-128 -128", "int64", "", "0" },
  { "argmax", NULL, "float64", "", "5", "int64", "", "0" },
  { "argmax", NULL, "float64", "2", "0 -0", "int64", "", "0" },
  { "argmin", NULL, "float32", "2", "0 -0", "int64", "", "0" },
  { "sum", NULL, "float64", "0", "", "float64", "", "0" },
  { "prod", NULL, "float64", "0", "", "float64", "", "1" },
  { "any", NULL, "float64", "0", "", "bool", "", "0" },
  { "all", NULL, "float64", "0", "", "bool", "", "1" },
  { "mean", NULL, "float64", "0", "", "float64", "", "nan" },
  { "var", NULL, "float64", "0", "", "float64", "", "nan" },
  { "std", "{'correction': <-1.0>}", "float64", "0", "", "float64", "", "nan" },
  { "sum", NULL, "int32", "2 0", "", "int64", "", "0" },
  { "sum", "{'axis': <[int64 1]>}", "float32", "2 0", "", "float32", "2", "0 0" },
  { "prod", "{'axis': <[int64 0]>}", "uint8", "0 3", "", "uint64", "3", "1 1 1" },
  { "all", "{'axis': <[int64 0]>}", "bool", "0 2", "", "bool", "2", "1 1" },
  { "sum", "{'axis': <[int64 0]>}", "int32", "2 0", "", "int64", "0", "" },
  { "max", "{'axis': <[int64 0]>}", "int32", "2 0", "", "int32", "0", "" },
  { "max", "{'axis': <[int64 1]>}", "float64", "0 0 3", "", "float64", "0 3", "" },
  { "mean", "{'axis': <[int64 0]>, 'keepdims': <true>}", "float32", "0 2", "", "float32", "1 2", "nan nan" },
  { "sum", NULL, "float64", "2", "-0 -0", "float64", "", "-0" },
  { "sum", NULL, "float64", "2", "-0 0", "float64", "", "0" },
  { "sum", NULL, "float64", "", "3.5", "float64", "", "3.5" },
  { "sum", NULL, "float64", "2", "inf -inf", "float64", "", "nan" },
  { "sum", NULL, "float32", "3", "3.0000000054977558e+38 3.0000000054977558e+38 -3.0000000054977558e+38", "float32", "",
    "3.0000000054977558e+38" },
  { "sum", NULL, "complex128", COMPLEX, "complex128", "", "-1.25 -2" },
  { "sum", "{'axis': <[int64 0]>}", "complex64", COMPLEX, "complex64", "3", "3 1 -3 1 -1.25 -4" },
  { "sum", "{'axis': <[int64 1]>, 'keepdims': <true>}", "complex128", COMPLEX, "complex128", "2 1",
    "-1.75 -1.5 0.5 -0.5" },
  { "sum", "{'dtype': <'complex128'>}", "complex64", "2", "16777216 1 1 0", "complex128", "", "16777217 1" },
  { "sum", "{'dtype': <'complex64'>}", "complex128", "2", "16777217 1 1 0", "complex64", "", "16777216 1" },
  { "sum", "{'dtype': <'complex64'>}", "int8", "3", "1 2 -7", "complex64", "", "-4 0" },
  { "sum", NULL, "complex64", "2", "-0 0 -0 -0", "complex64", "", "-0 0" },
  { "prod", NULL, "complex128", COMPLEX, "complex128", "", "39.1875 23.53125" },
  { "prod", "{'axis': <[int64 0]>}", "complex64", COMPLEX, "complex64", "3", "4 3 -0.25 -1.5 -0.375 6" },
  { "prod", "{'axis': <[int64 1]>}", "complex128", COMPLEX, "complex128", "2", "-23 14.625 -0.75 -1.5" },
  { "prod", NULL, "complex128", "1", "inf 0", "complex128", "", "inf 0" },
  { "prod", NULL, "complex64", "0", "", "complex64", "", "1 0" },
  { "mean", "{'axis': <[int64 0]>}", "complex64", COMPLEX, "complex64", "3", "1.5 0.5 -1.5 0.5 -0.625 -2" },
  { "mean", NULL, "complex128", "0", "", "complex128", "", "nan nan" },
  { "any", "{'axis': <[int64 1]>}", "complex64", "2 2", "0 0 -0 0 0 0 0 1", "bool", "2", "0 1" },
  { "all", "{'axis': <[int64 1]>}", "complex128", "2 2", "1 0 0 nan 0 0 0 1", "bool", "2", "1 0" },
};

static void
test_values (void)
{
  assert_op_cases (cases, G_N_ELEMENTS (cases));
}

static void
test_moments (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x = make_value ("float32", "2 3", "1 2 6 -1 -1 -1");
  g_autoptr (CandelaNode) moments =
    make_op ("moments", "{'axis': <[int64 1]>, 'keepdims': <true>, 'correction': <1.0>}", x, NULL, &error);
  g_autoptr (CandelaNode) mean = NULL, variance = NULL;
  g_autoptr (CandelaTensor) mean_value = NULL, variance_value = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (candela_node_get_n_outputs (moments), ==, 2);
  mean = candela_node_get_output (moments, 0, &error);
  g_assert_no_error (error);
  variance = candela_node_get_output (moments, 1, &error);
  g_assert_no_error (error);
  mean_value = compute (mean);
  variance_value = compute (variance);
  assert_elements (mean_value, "float32", "2 1", "3 -1", "the mean");
  assert_elements (variance_value, "float32", "2 1", "7 0", "the variance");
}

static const OpRefusal refusals[] = {
  { "sum", "{'axis': <[int64 2]>}", "float64", "2 3", CANDELA_ERROR_AXIS,
    "sum: axis 2 is out of range: x has shape [2, 3]" },
  { "mean", "{'axis': <[int64 -3]>}", "float64", "2 3", CANDELA_ERROR_AXIS,
    "mean: axis -3 is out of range: x has shape [2, 3]" },
  { "any", "{'axis': <[int64 0]>}", "bool", "", CANDELA_ERROR_AXIS, "any: axis 0 is out of range: x has shape []" },
  { "std", "{'axis': <[int64 0, -2]>}", "float64", "2 3", CANDELA_ERROR_AXIS, "std: axis 0 is named twice" },
  { "sum", "{'axis': <[int64 1, 1]>}", "float64", "2 3", CANDELA_ERROR_AXIS, "sum: axis 1 is named twice" },
  { "argmax", "{'axis': <int64 9223372036854775807>}", "float64", "2 3", CANDELA_ERROR_AXIS, NULL },
  { "argmin", "{'axis': <int64 -9223372036854775808>}", "float64", "2 3", CANDELA_ERROR_AXIS, NULL },
  { "argmax", "{'axis': <[int64 0, 1]>}", "float64", "2 3", CANDELA_ERROR_PARAMETER, NULL },
  { "max", NULL, "float32", "0 3", CANDELA_ERROR_SHAPE,
    "max: x has shape [0, 3]: there is no element to choose along an axis of extent 0" },
  { "min", "{'axis': <[int64 1]>}", "int8", "2 0", CANDELA_ERROR_SHAPE, NULL },
  { "argmax", "{'axis': <0>}", "int8", "0 3", CANDELA_ERROR_SHAPE, NULL },
  { "argmin", NULL, "int8", "0", CANDELA_ERROR_SHAPE, NULL },
  { "var", NULL, "complex64", "0", CANDELA_ERROR_DTYPE, NULL },
  { "sum", "{'dtype': <'float64'>}", "complex64", "0", CANDELA_ERROR_DTYPE,
    "sum: x has dtype complex64: the result cannot have dtype float64, a complex one is needed" },
  { "max", NULL, "complex128", "0", CANDELA_ERROR_DTYPE, NULL },
  { "sum", "{'dtype': <'bool'>}", "float32", "0", CANDELA_ERROR_DTYPE, NULL },
  { "sum", "{'keepdims': <'yes'>}", "float32", "0", CANDELA_ERROR_PARAMETER, NULL },
  { "var", "{'axes': <[int64 0]>}", "float32", "0", CANDELA_ERROR_PARAMETER, NULL },
};

static void
test_refusals (void)
{
  assert_op_refusals (refusals, G_N_ELEMENTS (refusals));
}

/* ---- Bits ---- */

static const char *const axes[] = {
  NULL, "[int64 0]", "[int64 1]", "[int64 2]", "[int64 0, 1]", "[int64 1, 2]", "[int64 0, 2]", "[int64 2, 1, 0]",
};

/* The first of them of complex numbers too. */
#define N_OF_COMPLEX 6

static const char *const ops[] = { "sum", "prod", "mean", "any", "all", "count_nonzero", "var", "std", "max", "min" };

static void
check_view (CandelaNode *view, CandelaNode *packed, const char *what)
{
  const gboolean complex_numbers = is_complex (candela_node_get_dtype (view));

  for (gsize k = 0; k < G_N_ELEMENTS (axes); k++)
    for (gsize o = 0; o < (complex_numbers ? N_OF_COMPLEX : G_N_ELEMENTS (ops)); o++)
      {
        g_autofree char *params = axes[k] != NULL ? g_strdup_printf ("{'axis': <%s>}", axes[k]) : NULL;
        g_autofree char *text = g_strdup_printf ("%s of %s, axes %s", ops[o], what, axes[k] != NULL ? axes[k] : "all");
        g_autoptr (CandelaTensor) a = compute_op (ops[o], params, view, NULL);
        g_autoptr (CandelaTensor) b = compute_op (ops[o], params, packed, NULL);

        assert_same (a, b, text);
      }
  for (int axis = -1; axis < 3 && !complex_numbers; axis++)
    {
      g_autofree char *params = axis >= 0 ? g_strdup_printf ("{'axis': <%d>}", axis) : NULL;
      g_autofree char *text = g_strdup_printf ("argmax of %s, axis %d", what, axis);
      g_autoptr (CandelaTensor) a = compute_op ("argmax", params, view, NULL);
      g_autoptr (CandelaTensor) b = compute_op ("argmax", params, packed, NULL);

      assert_same (a, b, text);
    }
}

static void
check_layouts (const char *dtype, const char *shape)
{
  g_autoptr (CandelaTensor) base = random_tensor (dtype, shape);

  check_views (base, check_view);
}

/* Reduced axes of more and of fewer than one block and one piece, outputs of more
 * and of fewer than one tile. */
static void
test_layouts (void)
{
  check_layouts ("float32", "3 1100 5");
  check_layouts ("float64", "2 40 150");
  check_layouts ("int16", "40 7 33");
  check_layouts ("float32", "2500 6 2");
  check_layouts ("float32", "2503 30 2");
  check_layouts ("float64", "33 1025 2");
  check_layouts ("float32", "20 9 530");
  check_layouts ("float64", "9000 7 3");
  check_layouts ("int16", "50 7 3");
  /* Reduced axes of which the inner one is, and is not, made of groups of 64. */
  check_layouts ("float32", "9 64 70");
  check_layouts ("float32", "70 9 130");
  check_layouts ("complex64", "3 1100 5");
  check_layouts ("complex128", "40 7 33");
  check_layouts ("complex64", "9000 7 3");
  check_layouts ("complex64", "9 64 70");
}

/* The parts of a sum, and of a mean, have the bits of those of the parts, along one more axis. */
static void
test_parts (void)
{
  static const char *const dtypes[][2] = { { "complex64", "float32" }, { "complex128", "float64" } };

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (CandelaTensor) numbers = random_tensor (dtypes[i][0], "9 1100 4");
      g_autoptr (CandelaTensor) parts = random_tensor (dtypes[i][1], "9 1100 4 2");
      g_autoptr (CandelaNode) x = candela_node_new_tensor (numbers), y = candela_node_new_tensor (parts);

      for (guint mean = 0; mean < 2; mean++)
        for (gsize k = 1; k < G_N_ELEMENTS (axes); k++)
          {
            g_autofree char *params = g_strdup_printf ("{'axis': <%s>}", axes[k]);
            g_autoptr (CandelaTensor) a = compute_op (mean ? "mean" : "sum", params, x, NULL);
            g_autoptr (CandelaTensor) b = compute_op (mean ? "mean" : "sum", params, y, NULL);
            gsize n = (gsize) candela_tensor_get_n_elements (b) * candela_dtype_get_size (candela_tensor_get_dtype (b));

            g_assert_cmpmem (candela_tensor_get_data (a), n, candela_tensor_get_data (b), n);
          }
    }
}

/* Of every dtype, along short rows and long ones, and columns, also as it is computed. */
static void
test_count (void)
{
  static const char *const dtypes[] = { "bool",   "int8",   "int16",   "int32",   "int64",     "uint8",     "uint16",
                                        "uint32", "uint64", "float32", "float64", "complex64", "complex128" };
  static const char *const shapes[] = { "[200000]", "[2, 100000]", "[100000, 2]", "[300, 7, 90]" };

  for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
      for (int axis = 0; axis < (s == 0 ? 1 : 2); axis++)
        {
          g_autofree char *text =
            g_strdup_printf ("n = reshape(arange(%s), %s) * 7919 %% 3 - 1; x = astype(n %% 3, %s); "
                             "all(count_nonzero(x, axis=%d) == sum(astype(n != 0, int64), axis=%d)) & "
                             "all(count_nonzero(x) == sum(astype(n != 0, int64))) & "
                             "all(count_nonzero(x[::-1]) == count_nonzero(x))",
                             s == 3 ? "189000" : "200000", shapes[s], dtypes[d], axis, axis);

          assert_holds (text);
        }
}

/* Which of n values is the first of the largest, or of the smallest. A NaN is beyond all. */
static gint64
find_extreme (const double *x, gint64 n, gboolean smallest)
{
  gint64 at = 0;

  for (gint64 k = 1; k < n && !isnan (x[at]); k++)
    if (isnan (x[k]) || (smallest ? x[k] < x[at] : x[k] > x[at]))
      at = k;
  return at;
}

/* Of so many rows of n elements, out of n + gap: what they are, and the values and the numbers of their extremes. */
typedef struct
{
  gint64 n_rows, n, gap;
  GString *elements, *values[2], *numbers[2];
} ShortRows;

static void
make_short_rows (ShortRows *rows, const char *const *tokens, GRand *rand)
{
  const gint32 n_tokens = (gint32) g_strv_length ((char **) tokens);
  double x[64];
  const char *of[64];

  for (gint64 r = 0; r < rows->n_rows; r++)
    {
      /* One row in four has those at the end, which are NaN for floats. */
      const gint32 n_of_row = r % 4 == 3 ? n_tokens : n_tokens - 1;

      for (gint64 k = 0; k < rows->n + rows->gap; k++)
        {
          of[k] = tokens[g_rand_int_range (rand, 0, k < rows->n ? n_of_row : n_tokens)];
          x[k] = g_ascii_strtod (of[k], NULL);
          g_string_append_printf (rows->elements, "%s ", of[k]);
        }
      for (guint smallest = 0; smallest < 2; smallest++)
        {
          gint64 at = find_extreme (x, rows->n, smallest != 0);

          g_string_append_printf (rows->values[smallest], "%s ", of[at]);
          g_string_append_printf (rows->numbers[smallest], "%" G_GINT64_FORMAT " ", at);
        }
    }
}

static void
assert_reduced (const char *op, guint axis, CandelaNode *x, const char *dtype, gint64 n_rows, GString *wanted)
{
  g_autofree char *shape = g_strdup_printf ("%" G_GINT64_FORMAT, n_rows);
  g_autofree char *params = g_strdup_printf ("{'axis': <int64 %u>}", axis);
  g_autoptr (CandelaTensor) result = compute_op (op, params, x, NULL);

  assert_elements (result, dtype, shape, g_strchomp (wanted->str), op);
}

static void
check_short_rows (const char *dtype, const char *const *tokens, gint64 n, gint64 gap)
{
  static const char *const ops[] = { "max", "min" }, *const arg_ops[] = { "argmax", "argmin" };
  ShortRows rows = { .n_rows = 4 + 67 % n, .n = n, .gap = gap, .elements = g_string_new (NULL) };
  g_autofree char *shape = g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT, rows.n_rows, n + gap);
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) (n * 8 + gap));
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) base = NULL;
  g_autoptr (CandelaNode) x = NULL, turned = NULL, columns = NULL;
  g_autoptr (CandelaLayout) layout = NULL;

  for (guint k = 0; k < 2; k++)
    {
      rows.values[k] = g_string_new (NULL);
      rows.numbers[k] = g_string_new (NULL);
    }
  make_short_rows (&rows, tokens, rand);
  base = make_tensor (dtype, shape, g_strchomp (rows.elements->str));
  layout = candela_layout_slice (candela_tensor_get_layout (base), 1, 0, n, 1, &error);
  g_assert_no_error (error);
  x = make_view (base, candela_layout_ref (layout));
  turned = make_view (base, candela_layout_permute (layout, (gint64[]){ 1, 0 }, 2, &error));
  g_assert_no_error (error);
  columns = pack (turned);
  for (guint k = 0; k < 2; k++)
    {
      assert_reduced (ops[k], 1, x, dtype, rows.n_rows, rows.values[k]);
      assert_reduced (ops[k], 0, columns, dtype, rows.n_rows, rows.values[k]);
      assert_reduced (arg_ops[k], 1, x, "int64", rows.n_rows, rows.numbers[k]);
      assert_reduced (arg_ops[k], 0, columns, "int64", rows.n_rows, rows.numbers[k]);
      g_string_free (rows.values[k], TRUE);
      g_string_free (rows.numbers[k], TRUE);
    }
  g_string_free (rows.elements, TRUE);
}

/* The extremes of rows of few elements, which go side by side, and of few rows: by their definition. */
static void
test_short_rows (void)
{
  static const char *const floats[] = { "0", "-0", "1", "-1", "2.5", "-2.5", "inf", "-inf", "nan", NULL };
  static const char *const low_floats[] = { "0", "-0", "-1", "-2.5", "-inf", "nan", NULL };
  static const char *const integers[] = { "0", "1", "-1", "100", "-128", "127", "5", NULL };
  static const char *const naturals[] = { "0", "1", "200", "255", "5", NULL };
  static const char *const bools[] = { "0", "0", "0", "1", NULL };
  const struct
  {
    const char *dtype;
    const char *const *tokens;
  } kinds[] = {
    { "float32", floats }, { "float32", low_floats }, { "float64", floats },  { "float64", low_floats },
    { "int8", integers },  { "int16", integers },     { "int32", integers },  { "int64", integers },
    { "uint8", naturals }, { "uint16", naturals },    { "uint32", naturals }, { "uint64", naturals },
    { "bool", bools },
  };

  for (gsize d = 0; d < G_N_ELEMENTS (kinds); d++)
    for (gint64 n = 1; n <= 40; n++)
      for (gint64 gap = 0; gap < 3; gap++)
        check_short_rows (kinds[d].dtype, kinds[d].tokens, n, gap);
}

/* sum (x, dtype) casts each element first: the same as over a cast copy. */
static void
test_cast (void)
{
  g_autoptr (CandelaTensor) base = random_tensor ("float64", "30 70");
  g_autoptr (CandelaTensor) narrow = NULL, a = NULL, b = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x = NULL, y = NULL;

  narrow = candela_tensor_new (CANDELA_DTYPE_FLOAT32, (gint64[]){ 70, 30 }, 2, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < 70; i++)
    for (gint64 k = 0; k < 30; k++)
      ((float *) candela_tensor_get_writable_data (narrow))[i * 30 + k] =
        (float) ((const double *) candela_tensor_get_data (base))[k * 70 + i];
  x = make_view (base, candela_layout_permute (candela_tensor_get_layout (base), (gint64[]){ 1, 0 }, 2, &error));
  y = candela_node_new_tensor (narrow);
  a = compute_op ("sum", "{'dtype': <'float32'>, 'axis': <[int64 0]>}", x, NULL);
  b = compute_op ("sum", "{'axis': <[int64 0]>}", y, NULL);
  assert_same (a, b, "sum with dtype");
}

/* t = x.T; sum (t) - sum (contiguous (t)) is 0 even where the order matters. */
static void
test_sum_of_a_transposed_view (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) x = make_tensor ("float32", "2 2", "1e8 1 -1e8 1");
  g_autoptr (CandelaNode) view =
    make_view (x, candela_layout_permute (candela_tensor_get_layout (x), (gint64[]){ 1, 0 }, 2, &error));
  g_autoptr (CandelaNode) packed = pack (view);
  g_autoptr (CandelaTensor) a = compute_op ("sum", NULL, view, NULL), b = compute_op ("sum", NULL, packed, NULL);

  assert_same (a, b, "sum of a transposed view");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reduce/values", test_values);
  g_test_add_func ("/reduce/moments", test_moments);
  g_test_add_func ("/reduce/refusals", test_refusals);
  g_test_add_func ("/reduce/layouts", test_layouts);
  g_test_add_func ("/reduce/count", test_count);
  g_test_add_func ("/reduce/parts", test_parts);
  g_test_add_func ("/reduce/short-rows", test_short_rows);
  g_test_add_func ("/reduce/cast", test_cast);
  g_test_add_func ("/reduce/sum-of-a-transposed-view", test_sum_of_a_transposed_view);
  return g_test_run ();
}
