/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The create plugin. Right values are NumPy's, those of the random ops come from a
 * generator written in Python after the paper, and checked with the known answers
 * that its authors give. */
#include "op-testing.h"

#include "plugins/create/philox.h"

typedef struct
{
  const char *op, *params;
  const char *dtype, *shape, *elements;
} Case;

static const Case cases[] = {
  { "full", "{'shape': <[int64 2, 2]>, 'fill_value': <7>}", "int64", "2 2", "7 7 7 7" },
  { "full", "{'shape': <[int64 2]>, 'fill_value': <1.5>}", "float64", "2", "1.5 1.5" },
  { "full", "{'shape': <@ax []>, 'fill_value': <true>}", "bool", "", "1" },
  { "full", "{'shape': <int64 2>, 'fill_value': <-1>, 'dtype': <'int8'>}", "int8", "2", "-1 -1" },
  { "full", "{'shape': <[int64 2]>, 'fill_value': <3.0>, 'dtype': <'uint16'>}", "uint16", "2", "3 3" },
  { "full", "{'shape': <[int64 2]>, 'fill_value': <0.1>, 'dtype': <'float32'>}", "float32", "2",
    "0.10000000149011612 0.10000000149011612" },
  { "full", "{'shape': <[int64 1]>, 'fill_value': <2>, 'dtype': <'bool'>}", "bool", "1", "1" },
  { "full", "{'shape': <[int64 0, 3]>, 'fill_value': <2>}", "int64", "0 3", "" },
  { "full", "{'shape': <[int64 2]>, 'fill_value': <uint64 18446744073709551615>}", "uint64", "2",
    "18446744073709551615 18446744073709551615" },
  { "full", "{'shape': <[int64 1]>, 'fill_value': <uint64 18446744073709551615>, 'dtype': <'float64'>}", "float64", "1",
    "18446744073709551616" },
  { "full", "{'shape': <[int64 1]>, 'fill_value': <(0.0, 1.0)>, 'dtype': <'bool'>}", "bool", "1", "1" },
  { "full", "{'shape': <[int64 2]>, 'fill_value': <int64 9223372036854775807>}", "int64", "2",
    "9223372036854775807 9223372036854775807" },
  { "zeros", "{'shape': <[int64 2, 1]>}", "float64", "2 1", "0 0" },
  { "ones", "{'shape': <[int64 3]>, 'dtype': <'int32'>}", "int32", "3", "1 1 1" },
  { "ones", "{'shape': <[int64 2]>, 'dtype': <'bool'>}", "bool", "2", "1 1" },
  { "ones", "{'shape': <@ax []>, 'dtype': <'float32'>}", "float32", "", "1" },
  { "eye", "{'n_rows': <2>}", "float64", "2 2", "1 0 0 1" },
  { "eye", "{'n_rows': <2>, 'n_cols': <3>, 'k': <1>, 'dtype': <'int8'>}", "int8", "2 3", "0 1 0 0 0 1" },
  { "eye", "{'n_rows': <3>, 'n_cols': <2>, 'k': <-1>}", "float64", "3 2", "0 0 1 0 0 1" },
  { "eye", "{'n_rows': <2>, 'k': <int64 9223372036854775807>, 'dtype': <'bool'>}", "bool", "2 2", "0 0 0 0" },
  { "eye", "{'n_rows': <2>, 'k': <int64 -9223372036854775808>}", "float64", "2 2", "0 0 0 0" },
  { "eye", "{'n_rows': <0>, 'n_cols': <2>}", "float64", "0 2", "" },
  { "eye", "{'n_rows': <2>, 'n_cols': <4>, 'k': <3>}", "float64", "2 4", "0 0 0 1 0 0 0 0" },
  { "eye", "{'n_rows': <4>, 'n_cols': <2>, 'k': <-3>}", "float64", "4 2", "0 0 0 0 0 0 1 0" },
  { "arange", "{'start': <5>}", "int64", "5", "0 1 2 3 4" },
  { "arange", "{'start': <2>, 'stop': <7>}", "int64", "5", "2 3 4 5 6" },
  { "arange", "{'start': <7>, 'stop': <0>, 'step': <-3>}", "int64", "3", "7 4 1" },
  { "arange", "{'start': <3>, 'stop': <3>}", "int64", "0", "" },
  { "arange", "{'start': <3>, 'stop': <1>}", "int64", "0", "" },
  { "arange", "{'start': <-4>}", "int64", "0", "" },
  { "arange", "{'start': <2.5>}", "float64", "3", "0 1 2" },
  { "arange", "{'start': <0>, 'stop': <1>, 'step': <0.1>}", "float64", "10",
    "0 0.1 0.2 0.30000000000000004 0.4 0.5 0.6000000000000001 0.7000000000000001 0.8 0.9" },
  { "arange", "{'start': <1.0>, 'stop': <1.3>, 'step': <0.1>}", "float64", "4",
    "1 1.1 1.2000000000000002 1.3000000000000003" },
  { "arange", "{'start': <0.1>, 'stop': <1.0>, 'step': <0.3>, 'dtype': <'float32'>}", "float32", "3",
    "0.10000000149011612 0.4000000059604645 0.7000000476837158" },
  { "arange", "{'start': <3>, 'dtype': <'uint8'>}", "uint8", "3", "0 1 2" },
  { "arange", "{'start': <4>, 'dtype': <'float32'>}", "float32", "4", "0 1 2 3" },
  { "arange",
    "{'start': <int64 -9223372036854775808>, 'stop': <int64 9223372036854775807>, 'step': <int64 9223372036854775807>}",
    "int64", "3", "-9223372036854775808 -1 9223372036854775806" },
  { "arange", "{'start': <0>, 'stop': <-10>, 'step': <-4>, 'dtype': <'int16'>}", "int16", "3", "0 -4 -8" },
  { "linspace", "{'start': <0.0>, 'stop': <1.0>, 'num': <4>}", "float64", "4",
    "0 0.3333333333333333 0.6666666666666666 1" },
  { "linspace", "{'start': <0>, 'stop': <1>, 'num': <4>, 'endpoint': <false>}", "float64", "4", "0 0.25 0.5 0.75" },
  { "linspace", "{'start': <0.1>, 'stop': <-0.7>, 'num': <5>}", "float64", "5",
    "0.1 -0.09999999999999998 -0.29999999999999993 -0.5 -0.7" },
  { "linspace", "{'start': <3>, 'stop': <9>, 'num': <1>}", "float64", "1", "3" },
  { "linspace", "{'start': <3>, 'stop': <9>, 'num': <0>}", "float64", "0", "" },
  { "linspace", "{'start': <2>, 'stop': <2>, 'num': <3>}", "float64", "3", "2 2 2" },
  { "linspace", "{'start': <0.1>, 'stop': <1.0>, 'num': <4>, 'dtype': <'float32'>}", "float32", "4",
    "0.10000000149011612 0.4000000059604645 0.699999988079071 1" },
  { "linspace", "{'start': <3>, 'stop': <9>, 'num': <1>, 'endpoint': <false>}", "float64", "1", "3" },
  { "random_uniform", "{'shape': <[int64 3]>}", "float64", "3",
    "0.8805201978886142 0.6054818538799213 0.36209111566940344" },
  { "random_uniform", "{'shape': <[int64 2, 2]>, 'seed': <int64 -3>, 'low': <-1.0>, 'high': <3.0>}", "float64", "2 2",
    "1.1241220700308396 -0.09477079330572424 -0.4627147272757144 2.983961744962497" },
  { "random_uniform", "{'shape': <[int64 5]>, 'dtype': <'float32'>}", "float32", "5",
    "0.3990464210510254 0.8805201649665833 0.7357127666473389 0.6054818034172058 0.9722411632537842" },
  { "random_normal", "{'shape': <[int64 3]>, 'seed': <42>, 'mean': <2.0>, 'stddev': <0.5>, 'dtype': <'float32'>}",
    "float32", "3", "1.7570230960845947 1.0122205018997192 2.0099480152130127" },
};

static void
test_values (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Case *c = &cases[i];
      g_autoptr (CandelaTensor) result = compute_op (c->op, c->params, NULL, NULL);
      g_autofree char *what = g_strdup_printf ("%s %s", c->op, c->params);

      assert_elements (result, c->dtype, c->shape, c->elements, what);
    }
}

typedef struct
{
  const char *op, *params;
  CandelaError code;
  const char *message;
} Refusal;

#define HUGE_SHAPE "'shape': <[int64 4611686018427387904, 4]>"

static const Refusal refusals[] = {
  { "full", "{'shape': <[int64 2]>}", CANDELA_ERROR_PARAMETER, NULL },
  { "full", "{'fill_value': <2>}", CANDELA_ERROR_PARAMETER, NULL },
  { "full", "{'shape': <[int64 -1]>, 'fill_value': <2>}", CANDELA_ERROR_PARAMETER, NULL },
  { "full", "{" HUGE_SHAPE ", 'fill_value': <2>}", CANDELA_ERROR_SHAPE, NULL },
  { "full", "{'shape': <[int64 2]>, 'fill_value': <300>, 'dtype': <'uint8'>}", CANDELA_ERROR_PARAMETER,
    "full: fill_value 300 is not a value of dtype uint8" },
  { "full", "{'shape': <[int64 2]>, 'fill_value': <-1>, 'dtype': <'uint64'>}", CANDELA_ERROR_PARAMETER, NULL },
  { "full", "{'shape': <[int64 2]>, 'fill_value': <uint64 18446744073709551615>, 'dtype': <'int64'>}",
    CANDELA_ERROR_PARAMETER, "full: fill_value 18446744073709551615 is not a value of dtype int64" },
  { "full", "{'shape': <[int64 2]>, 'fill_value': <(1.0, 2.0)>, 'dtype': <'float64'>}", CANDELA_ERROR_PARAMETER,
    "full: fill_value 1+2j is not a value of dtype float64" },
  { "full", "{'shape': <[int64 2]>, 'fill_value': <0.5>, 'dtype': <'int32'>}", CANDELA_ERROR_PARAMETER,
    "full: fill_value 0.5 is not a value of dtype int32" },
  { "full", "{'shape': <[int64 2]>, 'fill_value': <1e300>, 'dtype': <'int64'>}", CANDELA_ERROR_PARAMETER, NULL },
  { "zeros", "{'shape': <[int64 2]>, 'dtype': <'float31'>}", CANDELA_ERROR_DTYPE, NULL },
  { "ones", "{" HUGE_SHAPE "}", CANDELA_ERROR_SHAPE, NULL },
  { "eye", "{'n_rows': <-1>}", CANDELA_ERROR_PARAMETER, NULL },
  { "eye", "{'n_rows': <int64 4611686018427387904>}", CANDELA_ERROR_SHAPE, NULL },
  { "arange", "{'start': <0>, 'stop': <5>, 'step': <0>}", CANDELA_ERROR_PARAMETER, "arange: step is 0" },
  { "arange", "{'start': <0.0>, 'stop': <5.0>, 'step': <0.0>}", CANDELA_ERROR_PARAMETER, NULL },
  { "arange", "{'start': <0>, 'stop': <300>, 'dtype': <'int8'>}", CANDELA_ERROR_PARAMETER,
    "arange: 0 to 299 are not all values of dtype int8" },
  { "arange", "{'start': <0.5>, 'dtype': <'int8'>}", CANDELA_ERROR_PARAMETER, NULL },
  { "arange", "{'start': <3>, 'dtype': <'bool'>}", CANDELA_ERROR_DTYPE, NULL },
  { "arange", "{'start': <0.0>, 'stop': <1e300>}", CANDELA_ERROR_SHAPE, NULL },
  { "arange", "{'start': <int64 -9223372036854775808>, 'stop': <int64 9223372036854775807>}", CANDELA_ERROR_SHAPE,
    NULL },
  { "linspace", "{'start': <0>, 'stop': <1>, 'num': <-1>}", CANDELA_ERROR_PARAMETER, NULL },
  { "linspace", "{'start': <0>, 'stop': <1>, 'num': <3>, 'dtype': <'int32'>}", CANDELA_ERROR_DTYPE, NULL },
  { "random_uniform", "{'shape': <[int64 2]>, 'low': <1.0>, 'high': <1.0>}", CANDELA_ERROR_PARAMETER, NULL },
  { "random_uniform", "{'shape': <[int64 2]>, 'low': <-1e308>, 'high': <1e308>}", CANDELA_ERROR_PARAMETER, NULL },
  { "random_uniform", "{'shape': <[int64 2]>, 'dtype': <'int8'>}", CANDELA_ERROR_DTYPE, NULL },
  { "random_normal", "{'shape': <[int64 2]>, 'stddev': <-1.0>}", CANDELA_ERROR_PARAMETER, NULL },
  { "random_normal", "{" HUGE_SHAPE "}", CANDELA_ERROR_SHAPE, NULL },
};

static void
test_refusals (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    assert_refused (refusals[i].op, refusals[i].params, NULL, NULL, refusals[i].code, refusals[i].message);
}

/* A size that can be counted but that no memory holds: an error of the run. */
static void
test_no_memory (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = make_op ("zeros", "{'shape': <[int64 1000000000000000]>}", NULL, NULL, &error);
  g_autoptr (CandelaTensor) tensor = NULL;

  g_assert_no_error (error);
  tensor = candela_node_materialize (node, &error);
  g_assert_null (tensor);
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY);
}

/* Of the file kat_vectors of Random123, by the authors of the generator. */
static void
test_philox (void)
{
  const struct
  {
    guint32 counter[4], key[2], out[4];
  } known[] = {
    { { 0, 0, 0, 0 }, { 0, 0 }, { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
    { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff },
      { 0xffffffff, 0xffffffff },
      { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
    { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 },
      { 0xa4093822, 0x299f31d0 },
      { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    {
      guint32 out[4];

      philox_4x32 (known[i].counter, known[i].key, out);
      g_assert_cmpmem (out, sizeof out, known[i].out, sizeof out);
    }
}

/* An element depends on the seed and its number only: not on the shape, nor on
 * where a piece of the work begins. */
static void
test_random_elements (void)
{
  const char *const ops[] = { "random_uniform", "random_normal" };
  const char *const dtypes[] = { "float32", "float64" };

  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *large =
        g_strdup_printf ("{'shape': <[int64 3, 70001]>, 'seed': <5>, 'dtype': <'%s'>}", dtypes[i % 2]);
      g_autofree char *small =
        g_strdup_printf ("{'shape': <[int64 65539]>, 'seed': <5>, 'dtype': <'%s'>}", dtypes[i % 2]);
      g_autofree char *other =
        g_strdup_printf ("{'shape': <[int64 65539]>, 'seed': <6>, 'dtype': <'%s'>}", dtypes[i % 2]);
      g_autoptr (CandelaTensor) a = compute_op (ops[i / 2], large, NULL, NULL);
      g_autoptr (CandelaTensor) b = compute_op (ops[i / 2], small, NULL, NULL);
      g_autoptr (CandelaTensor) c = compute_op (ops[i / 2], other, NULL, NULL);
      gsize bytes = 65539 * candela_dtype_get_size (candela_tensor_get_dtype (b));

      g_assert_cmpmem (candela_tensor_get_data (a), bytes, candela_tensor_get_data (b), bytes);
      g_assert_cmpint (memcmp (candela_tensor_get_data (b), candela_tensor_get_data (c), bytes), !=, 0);
    }
}

static void
test_normal (void)
{
  const double wanted[] = { -0.48595370776513486, -1.9755590917286678, 0.01989626263219382 };
  g_autoptr (CandelaTensor) first = compute_op ("random_normal", "{'shape': <[int64 3]>, 'seed': <42>}", NULL, NULL);
  g_autoptr (CandelaTensor) many = compute_op ("random_normal", "{'shape': <[int64 200000]>}", NULL, NULL);
  const double *values = candela_tensor_get_data (first), *x = candela_tensor_get_data (many);
  double sum = 0.0, squares = 0.0;
  guint within = 0;

  /* To the last bits: those are the C library's. */
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat_with_epsilon (values[i], wanted[i], 1e-14);
  for (guint i = 0; i < 200000; i++)
    {
      sum += x[i];
      squares += x[i] * x[i];
      within += fabs (x[i]) < 1.0;
    }

  /* 0, 1 and 68.27% give or take five standard errors. */
  g_assert_cmpfloat (fabs (sum / 200000), <, 0.0112);
  g_assert_cmpfloat (fabs (squares / 200000 - 1.0), <, 0.0158);
  g_assert_cmpfloat (fabs (within / 200000.0 - 0.6827), <, 0.0052);
}

/* A step that is too small for a number: NumPy divides first then. */
static void
test_tiny_linspace (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaTensor) tensor = NULL;
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "start", "d", 0.0);
  g_variant_dict_insert (&dict, "stop", "d", 1e-323);
  g_variant_dict_insert (&dict, "num", "x", G_GINT64_CONSTANT (6));
  node = candela_node_new_opv ("linspace", NULL, 0, g_variant_dict_end (&dict), &error);
  g_assert_no_error (error);
  tensor = compute (node);
  assert_elements (tensor, "float64", "6", "0 0 5e-324 5e-324 1e-323 1e-323", "linspace");
}

static void
test_uniform_bounds (void)
{
  /* 1 and the next number: every value is 1, never the bound. */
  g_autoptr (CandelaTensor) narrow =
    compute_op ("random_uniform", "{'shape': <[int64 1000]>, 'low': <1.0>, 'high': <1.0000000000000002>}", NULL, NULL);
  g_autoptr (CandelaTensor) wide =
    compute_op ("random_uniform", "{'shape': <[int64 100000]>, 'dtype': <'float32'>}", NULL, NULL);
  double sum = 0.0;

  for (guint i = 0; i < 1000; i++)
    g_assert_cmpfloat (((const double *) candela_tensor_get_data (narrow))[i], ==, 1.0);
  for (guint i = 0; i < 100000; i++)
    {
      float value = ((const float *) candela_tensor_get_data (wide))[i];

      g_assert_true (value >= 0.0f && value < 1.0f);
      sum += value;
    }
  g_assert_cmpfloat (fabs (sum / 100000 - 0.5), <, 0.0046);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/create/values", test_values);
  g_test_add_func ("/create/refusals", test_refusals);
  g_test_add_func ("/create/no-memory", test_no_memory);
  g_test_add_func ("/create/philox", test_philox);
  g_test_add_func ("/create/random-elements", test_random_elements);
  g_test_add_func ("/create/normal", test_normal);
  g_test_add_func ("/create/tiny-linspace", test_tiny_linspace);
  g_test_add_func ("/create/uniform-bounds", test_uniform_bounds);
  return g_test_run ();
}
