/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lapack plugin: numbers from NumPy or by hand, and what is an error. */
#include "op-testing.h"

/* ---- Values ---- */

/* Of NumPy 1.24, or by hand; the parts of complex results in turn. */
static const struct
{
  const char *op, *params, *dtype, *shape, *elements;
  guint output;
  const char *result_dtype, *result_shape;
  double expected[12];
} values[] = {
  { "cholesky", NULL, "float64", "2 2", "4 2 2 5", 0, "float64", "2 2", { 2, 0, 1, 2 } },
  { "cholesky", "{'upper': <true>}", "float32", "2 2", "4 2 2 5", 0, "float32", "2 2", { 2, 1, 0, 2 } },
  /* The other triangle is not looked at. */
  { "cholesky", NULL, "float64", "2 2", "4 nan 2 5", 0, "float64", "2 2", { 2, 0, 1, 2 } },
  { "cholesky", "{'upper': <true>}", "float64", "2 2", "4 2 nan 5", 0, "float64", "2 2", { 2, 1, 0, 2 } },
  { "cholesky", NULL, "complex128", "2 2", "4 0 0 2 0 -2 5 0", 0, "complex128", "2 2", { 2, 0, 0, 0, 0, -1, 2, 0 } },
  { "cholesky",
    "{'upper': <true>}",
    "complex64",
    "2 2",
    "4 0 0 2 0 -2 5 0",
    0,
    "complex64",
    "2 2",
    { 2, 0, 0, 1, 0, 0, 2, 0 } },
  { "cholesky", NULL, "float64", "2 1 1", "4 9", 0, "float64", "2 1 1", { 2, 3 } },
  { "cholesky", NULL, "float64", "0 3 3", "", 0, "float64", "0 3 3", { 0 } },
  { "cholesky", NULL, "float64", "2 0 0", "", 0, "float64", "2 0 0", { 0 } },

  { "inv", NULL, "float64", "2 2", "1 2 3 4", 0, "float64", "2 2", { -2, 1, 1.5, -0.5 } },
  { "inv", NULL, "float32", "2 2", "1 2 3 4", 0, "float32", "2 2", { -2, 1, 1.5, -0.5 } },
  { "inv", NULL, "complex128", "1 1", "0 2", 0, "complex128", "1 1", { 0, -0.5 } },
  { "inv", NULL, "complex64", "2 2", "0 1 0 0 1 0 2 0", 0, "complex64", "2 2", { 0, -1, 0, 0, 0, 0.5, 0.5, 0 } },
  { "inv", NULL, "float64", "1 2 1 1", "4 -2", 0, "float64", "1 2 1 1", { 0.25, -0.5 } },
  { "inv",
    NULL,
    "float64",
    "2 2 2",
    "1 nan 0 1 2 0 0 4",
    0,
    "float64",
    "2 2 2",
    { NAN, NAN, NAN, NAN, 0.5, 0, 0, 0.25 } },

  { "det", NULL, "float64", "2 2", "1 2 3 4", 0, "float64", "", { -2 } },
  { "det", NULL, "float64", "3 3", "1 2 3 4 5 6 7 8 10", 0, "float64", "", { -3 } },
  { "det", NULL, "float32", "2 2 2", "1 2 3 4 1 2 2 4", 0, "float32", "2", { -2, 0 } },
  { "det", NULL, "complex128", "2 2", "0 1 1 0 1 0 0 1", 0, "complex128", "", { -2, 0 } },
  { "det", NULL, "float64", "0 0", "", 0, "float64", "", { 1 } },
  { "det", NULL, "float64", "0 2 2", "", 0, "float64", "0", { 0 } },
  { "det", NULL, "float64", "2 2", "1e200 0 0 1e200", 0, "float64", "", { INFINITY } },
  /* No product on the way goes too far. */
  { "det", NULL, "float64", "3 3", "1e200 0 0 0 1e200 0 0 0 1e-300", 0, "float64", "", { 1e100 } },
  { "det", NULL, "float64", "2 2", "inf 0 0 1", 0, "float64", "", { NAN } },

  { "slogdet", NULL, "float64", "2 2", "1 2 3 4", 0, "float64", "", { -1 } },
  { "slogdet", NULL, "float64", "2 2", "1 2 3 4", 1, "float64", "", { 0.6931471805599453 } },
  { "slogdet", NULL, "float64", "2 2", "1 2 2 4", 0, "float64", "", { 0 } },
  { "slogdet", NULL, "float64", "2 2", "1 2 2 4", 1, "float64", "", { -INFINITY } },
  { "slogdet", NULL, "complex64", "1 1", "0 2", 0, "complex64", "", { 0, 1 } },
  { "slogdet", NULL, "complex64", "1 1", "0 2", 1, "float32", "", { 0.6931471805599453 } },
  { "slogdet", NULL, "float64", "2 2", "1e300 0 0 1e300", 1, "float64", "", { 1381.5510557964274 } },
  { "slogdet", NULL, "float64", "0 0", "", 0, "float64", "", { 1 } },
  { "slogdet", NULL, "float64", "0 0", "", 1, "float64", "", { 0 } },

  { "qr", NULL, "float64", "2 2", "3 1 4 2", 0, "float64", "2 2", { -0.6, -0.8, -0.8, 0.6 } },
  { "qr", NULL, "float64", "2 2", "3 1 4 2", 1, "float64", "2 2", { -5, -2.2, 0, 0.4 } },
  { "qr", "{'mode': <'complete'>}", "float64", "2 1", "3 4", 0, "float64", "2 2", { -0.6, -0.8, -0.8, 0.6 } },
  { "qr", "{'mode': <'complete'>}", "float64", "2 1", "3 4", 1, "float64", "2 1", { -5, 0 } },
  { "qr", NULL, "complex128", "2 1", "3 0 0 4", 0, "complex128", "2 1", { -0.6, 0, 0, -0.8 } },
  { "qr", "{'mode': <'complete'>}", "float32", "2 0", "", 0, "float32", "2 2", { 1, 0, 0, 1 } },
  { "qr", NULL, "float32", "2 0", "", 0, "float32", "2 0", { 0 } },
  { "qr", NULL, "float64", "2 2", "1 2 3 inf", 1, "float64", "2 2", { NAN, NAN, 0, NAN } },

  { "eigvalsh", NULL, "float64", "2 2", "2 nan 1 2", 0, "float64", "2", { 1, 3 } },
  { "eigvalsh", NULL, "complex64", "2 2", "2 0 0 -1 0 1 2 0", 0, "float32", "2", { 1, 3 } },
  { "eigvalsh", NULL, "float64", "2 1 1", "5 -1", 0, "float64", "2 1", { 5, -1 } },
  { "eigvalsh", NULL, "float64", "2 2", "2 1 inf 2", 0, "float64", "2", { NAN, NAN } },
  { "eigvalsh", NULL, "float64", "2 0 0", "", 0, "float64", "2 0", { 0 } },

  { "svdvals", NULL, "float64", "2 2", "3 0 4 5", 0, "float64", "2", { 6.708203932499369, 2.23606797749979 } },
  { "svdvals", NULL, "complex128", "1 2", "0 3 4 0", 0, "float64", "1", { 5 } },
  { "svdvals", NULL, "float32", "2 3", "3 0 0 0 -4 0", 0, "float32", "2", { 4, 3 } },
  { "svdvals", NULL, "float64", "2 2", "nan 0 0 1", 0, "float64", "2", { NAN, NAN } },
  { "svd", NULL, "float64", "0 2", "", 2, "float64", "2 2", { 1, 0, 0, 1 } },
  { "svd", "{'full_matrices': <false>}", "float64", "0 2", "", 2, "float64", "0 2", { 0 } },
  { "svd", NULL, "float64", "0 2", "", 1, "float64", "0", { 0 } },

  { "matrix_rank", NULL, "float64", "2 2 2", "1 2 2 4 1 0 0 1", 0, "int64", "2", { 1, 2 } },
  { "matrix_rank", NULL, "float64", "3 2", "0 0 0 0 0 0", 0, "int64", "", { 0 } },
  { "matrix_rank", NULL, "float32", "0 2", "", 0, "int64", "", { 0 } },
  { "pinv", NULL, "float64", "1 2", "3 4", 0, "float64", "2 1", { 0.12, 0.16 } },
  { "pinv", NULL, "complex128", "2 1", "0 3 4 0", 0, "complex128", "1 2", { 0, -0.12, 0.16, 0 } },
  { "pinv", NULL, "float64", "2 2", "1 2 2 4", 0, "float64", "2 2", { 0.04, 0.08, 0.08, 0.16 } },
  { "pinv", NULL, "float64", "2 2", "0 0 0 0", 0, "float64", "2 2", { 0 } },
  { "pinv", NULL, "float32", "3 0", "", 0, "float32", "0 3", { 0 } },

  { "matrix_power", "{'n': <int64 3>}", "float64", "2 2", "1 2 3 4", 0, "float64", "2 2", { 37, 54, 81, 118 } },
  { "matrix_power", "{'n': <int64 10>}", "float32", "2 2", "1 1 1 0", 0, "float32", "2 2", { 89, 55, 55, 34 } },
  { "matrix_power", "{'n': <int64 1>}", "float64", "2 1 1", "3 4", 0, "float64", "2 1 1", { 3, 4 } },
  { "matrix_power", "{'n': <int64 0>}", "complex64", "1 1", "3 4", 0, "complex64", "1 1", { 1, 0 } },
  { "matrix_power", "{'n': <int64 -2>}", "float64", "2 2", "2 0 0 4", 0, "float64", "2 2", { 0.25, 0, 0, 0.0625 } },
  { "matrix_power", "{'n': <int64 -9223372036854775808>}", "float64", "1 1", "-1", 0, "float64", "1 1", { 1 } },
  { "matrix_power", "{'n': <int64 2>}", "complex128", "1 1", "0 1", 0, "complex128", "1 1", { -1, 0 } },
  { "matrix_power", "{'n': <int64 7>}", "float64", "0 0", "", 0, "float64", "0 0", { 0 } },

  { "matrix_norm", NULL, "float64", "2 2", "1 -2 3 4", 0, "float64", "", { 5.477225575051661 } },
  { "matrix_norm", "{'ord': <'1'>}", "float64", "2 2", "1 -2 3 4", 0, "float64", "", { 6 } },
  { "matrix_norm", "{'ord': <'-1'>}", "float64", "2 2", "1 -2 3 4", 0, "float64", "", { 4 } },
  { "matrix_norm", "{'ord': <'inf'>}", "float64", "2 2", "1 -2 3 4", 0, "float64", "", { 7 } },
  { "matrix_norm", "{'ord': <'-inf'>}", "float64", "2 2", "1 -2 3 4", 0, "float64", "", { 3 } },
  { "matrix_norm", "{'ord': <'2'>}", "float64", "2 2", "3 0 4 5", 0, "float64", "", { 6.708203932499369 } },
  { "matrix_norm", "{'ord': <'-2'>}", "float64", "2 2", "3 0 4 5", 0, "float64", "", { 2.23606797749979 } },
  { "matrix_norm", "{'ord': <'nuc'>}", "float64", "2 2", "3 0 4 5", 0, "float64", "", { 8.94427190999916 } },
  { "matrix_norm", "{'keepdims': <true>}", "complex64", "2 1 1", "3 4 0 2", 0, "float32", "2 1 1", { 5, 2 } },
  { "matrix_norm", "{'ord': <'inf'>}", "float64", "2 2", "1 nan 3 4", 0, "float64", "", { NAN } },
  { "matrix_norm", "{'ord': <'1'>}", "float64", "2 0", "", 0, "float64", "", { 0 } },
  { "matrix_norm", NULL, "float64", "1 2", "3e300 4e300", 0, "float64", "", { 5e300 } },

  { "vector_norm", NULL, "float64", "2", "3 -4", 0, "float64", "", { 5 } },
  { "vector_norm", "{'ord': <1.0>}", "float32", "2", "3 -4", 0, "float32", "", { 7 } },
  { "vector_norm", "{'ord': <0.0>}", "float32", "3", "3 0 -4", 0, "float32", "", { 2 } },
  { "vector_norm", "{'ord': <3.0>}", "float64", "2", "3 -4", 0, "float64", "", { 4.497941445275415 } },
  { "vector_norm", "{'ord': <-1.0>}", "float64", "2", "4 -4", 0, "float64", "", { 2 } },
  { "vector_norm", "{'ord': <-1.0>}", "float64", "2", "4 0", 0, "float64", "", { 0 } },
  { "vector_norm", "{'axis': <@ax [0]>, 'ord': <inf>}", "float64", "2 2", "3 -4 5 1", 0, "float64", "2", { 5, 4 } },
  { "vector_norm",
    "{'axis': <@ax [0]>, 'ord': <-inf>, 'keepdims': <true>}",
    "float64",
    "2 2",
    "3 -4 5 1",
    0,
    "float64",
    "1 2",
    { 3, 1 } },
  { "vector_norm", NULL, "complex64", "2", "3 4 0 0", 0, "float32", "", { 5 } },
  { "vector_norm", "{'ord': <inf>}", "complex128", "2", "3 4 0 1", 0, "float64", "", { 5 } },
  { "vector_norm", NULL, "float64", "2", "3e200 4e200", 0, "float64", "", { 5e200 } },
  { "vector_norm", NULL, "float64", "2", "3e-300 4e-300", 0, "float64", "", { 5e-300 } },
  { "vector_norm", "{'ord': <100.0>}", "float64", "1", "1e10", 0, "float64", "", { 1e10 } },
  { "vector_norm", "{'ord': <inf>}", "float64", "2", "nan 1", 0, "float64", "", { NAN } },
  { "vector_norm", "{'ord': <-inf>}", "float64", "2", "1 nan", 0, "float64", "", { NAN } },
  { "vector_norm", NULL, "float64", "2", "1 inf", 0, "float64", "", { INFINITY } },
  { "vector_norm", "{'axis': <@ax [1]>}", "float64", "2 0", "", 0, "float64", "2", { 0, 0 } },
};

static void
test_values (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) x = make_value (values[i].dtype, values[i].shape, values[i].elements);
      g_autoptr (CandelaNode) node = make_op (values[i].op, values[i].params, x, NULL, &error), output = NULL;
      g_autoptr (CandelaTensor) got = NULL;
      g_autofree char *shape = NULL;
      double tolerance =
        g_str_has_suffix (values[i].dtype, "32") || g_str_has_suffix (values[i].dtype, "x64") ? 2e-6 : 4e-15;
      gint64 n;

      g_assert_no_error (error);
      output = candela_node_get_output (node, values[i].output, &error);
      got = compute (output);
      shape = shape_text (got);
      n = candela_tensor_get_n_elements (got) * (is_complex (candela_tensor_get_dtype (got)) ? 2 : 1);
      g_assert_cmpstr (shape, ==, values[i].result_shape);
      g_assert_cmpstr (candela_dtype_get_name (candela_tensor_get_dtype (got)), ==, values[i].result_dtype);
      for (gint64 k = 0; k < n; k++)
        {
          double value = part_of (got, k), wanted = values[i].expected[k];

          if (isnan (wanted) ? isnan (value)
                             : value == wanted || fabs (value - wanted) <= tolerance * fmax (1, fabs (wanted))
                                 || (wanted != 0 && fabs (value / wanted - 1) <= tolerance))
            continue;
          g_test_message ("row %u, %s, part %" G_GINT64_FORMAT ": %.17g and not %.17g", i, values[i].op, k, value,
                          wanted);
          g_test_fail ();
        }
    }
}

/* ---- Solving ---- */

static const struct
{
  const char *a_dtype, *a_shape, *a, *b_dtype, *b_shape, *b, *result_dtype, *result_shape;
  double expected[12];
} systems[] = {
  { "float64", "2 2", "2 1 1 3", "float64", "2", "3 5", "float64", "2", { 0.8, 1.4 } },
  { "float64", "2 2", "2 1 1 3", "float64", "2 1", "3 5", "float64", "2 1", { 0.8, 1.4 } },
  { "float64", "2 2", "0 2 4 0", "float32", "2 3", "2 4 6 4 8 12", "float64", "2 3", { 1, 2, 3, 1, 2, 3 } },
  { "float32", "2 2 2", "1 0 0 1 2 0 0 4", "float32", "2", "4 8", "float32", "2 2", { 4, 8, 2, 2 } },
  /* Two axes are a matrix, whatever there are of stacks. */
  { "float64",
    "2 2 2",
    "1 0 0 1 2 0 0 4",
    "float64",
    "2 2",
    "4 8 4 8",
    "float64",
    "2 2 2",
    { 4, 8, 4, 8, 2, 4, 1, 2 } },
  { "float64", "1 1", "2", "float64", "3 1 1", "2 4 6", "float64", "3 1 1", { 1, 2, 3 } },
  { "float64", "2 1 1 1", "2 4", "float64", "2 1 1", "4 8", "float64", "2 2 1 1", { 2, 4, 1, 2 } },
  { "complex128", "1 1", "0 2", "float64", "1", "2", "complex128", "1", { 0, -1 } },
  { "complex64",
    "2 2",
    "0 0 0 1 1 0 0 0",
    "complex64",
    "2 2",
    "1 0 2 0 3 0 4 0",
    "complex64",
    "2 2",
    { 3, 0, 4, 0, 0, -1, 0, -2 } },
  { "float64", "2 2", "2 1 1 3", "float64", "2 0", "", "float64", "2 0", { 0 } },
  { "float64", "0 0", "", "float64", "0", "", "float64", "0", { 0 } },
  { "float64", "1 1", "nan", "float64", "1", "2", "float64", "1", { NAN } },
};

static void
test_solve (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (systems); i++)
    {
      g_autoptr (CandelaNode) a = make_value (systems[i].a_dtype, systems[i].a_shape, systems[i].a);
      g_autoptr (CandelaNode) b = make_value (systems[i].b_dtype, systems[i].b_shape, systems[i].b);
      g_autoptr (CandelaTensor) got = compute_op ("solve", NULL, a, b);
      g_autofree char *shape = shape_text (got);
      gint64 n = candela_tensor_get_n_elements (got) * (is_complex (candela_tensor_get_dtype (got)) ? 2 : 1);

      g_assert_cmpstr (shape, ==, systems[i].result_shape);
      g_assert_cmpstr (candela_dtype_get_name (candela_tensor_get_dtype (got)), ==, systems[i].result_dtype);
      for (gint64 k = 0; k < n; k++)
        if (isnan (systems[i].expected[k]) ? !isnan (part_of (got, k))
                                           : fabs (part_of (got, k) - systems[i].expected[k]) > 1e-6)
          {
            g_test_message ("system %u, part %" G_GINT64_FORMAT ": %g", i, k, part_of (got, k));
            g_test_fail ();
          }
    }
}

/* rtol: one for all, and one for each. */
static void
test_rtol (void)
{
  g_autoptr (CandelaNode) x = make_value ("float64", "2 2 2", "4 0 0 1 4 0 0 1");
  g_autoptr (CandelaNode) one = make_value ("float64", "", "0.5"), each = make_value ("float32", "2", "0.5 0.125");
  g_autoptr (CandelaTensor) all = compute_op ("matrix_rank", NULL, x, one);
  g_autoptr (CandelaTensor) apart = compute_op ("matrix_rank", NULL, x, each);
  g_autoptr (CandelaTensor) inverse = compute_op ("pinv", NULL, x, each);

  assert_elements (all, "int64", "2", "1 1", "rtol for all");
  assert_elements (apart, "int64", "2", "1 2", "rtol for each");
  assert_elements (inverse, "float64", "2 2 2", "0.25 0 0 0 0.25 0 0 1", "pinv");
}

/* ---- Errors ---- */

static const struct
{
  const char *op, *params, *dtype, *shape, *elements, *message;
} failures[] = {
  { "inv", NULL, "float64", "2 2", "1 2 2 4", "inv: x is singular" },
  { "inv", NULL, "complex64", "1 2 1 1", "1 0 0 0", "inv: matrix [0, 1] of x is singular" },
  { "matrix_power", "{'n': <int64 -1>}", "float64", "1 1", "0", "matrix_power: x is singular" },
  { "cholesky", NULL, "float64", "2 1 1", "1 -1", "cholesky: matrix [1] of x is not positive definite" },
  { "cholesky", NULL, "float32", "2 2", "1 2 2 1", "cholesky: x is not positive definite" },
  { "matrix_rank", NULL, "float64", "1 1", "nan", "matrix_rank: x has an element that is not finite" },
};

static void
test_failures (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (failures); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) x = make_value (failures[i].dtype, failures[i].shape, failures[i].elements);
      g_autoptr (CandelaNode) node = make_op (failures[i].op, failures[i].params, x, NULL, &error);
      g_autoptr (CandelaTensor) tensor = NULL;

      g_assert_no_error (error);
      tensor = candela_node_materialize (node, &error);
      g_assert_null (tensor);
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_VALUE);
      g_assert_cmpstr (error->message, ==, failures[i].message);
    }
}

/* Of many threads the first matrix is told. */
static void
test_first_failure (void)
{
  for (guint threads = 1; threads <= 3; threads++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) node = candela_expression_build_with_names (
        "inv(eye(20) * astype((arange(900) != 517) & (arange(900) != 899), float64)[:, None, None])", NULL, &error);
      g_autoptr (CandelaTensor) tensor = NULL;

      g_assert_no_error (error);
      candela_set_num_threads (threads);
      tensor = candela_node_materialize (node, &error);
      g_assert_null (tensor);
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_VALUE);
      g_assert_cmpstr (error->message, ==, "inv: matrix [517] of x is singular");
    }
  candela_set_num_threads (0);
}

static const struct
{
  const char *op, *params, *dtype, *shape, *elements, *message;
  CandelaError code;
} wrongs[] = {
  { "inv", NULL, "float64", "2 3", "1 2 3 4 5 6",
    "inv: x has shape [2, 3]; its last two axes must be of one length: [..., M, M]", CANDELA_ERROR_SHAPE },
  { "svd", NULL, "float64", "2", "1 2", "svd: x has shape [2]; it must have two axes at least: [..., M, N]",
    CANDELA_ERROR_SHAPE },
  { "det", NULL, "int64", "1 1", "1", "det: x has dtype int64; it must be floating-point, complex",
    CANDELA_ERROR_DTYPE },
  { "qr", "{'mode': <'raw'>}", "float64", "1 1", "1", NULL, CANDELA_ERROR_PARAMETER },
  { "matrix_norm", "{'ord': <'-2'>}", "float64", "0 2", "", NULL, CANDELA_ERROR_SHAPE },
  { "vector_norm", "{'ord': <-inf>}", "float64", "0", "", NULL, CANDELA_ERROR_SHAPE },
  { "vector_norm", "{'axis': <@ax [1]>}", "float64", "2", "1 2", NULL, CANDELA_ERROR_AXIS },
  { "vector_norm", "{'axis': <@ax [0, -1]>}", "float64", "2", "1 2", "vector_norm: axis 0 is named twice",
    CANDELA_ERROR_AXIS },
};

static void
test_wrong (void)
{
  g_autoptr (CandelaNode) a = make_value ("float64", "3 2 2", "1 2 3 4 1 2 3 4 1 2 3 4");
  g_autoptr (CandelaNode) b = make_value ("float64", "2 2 1", "1 2 3 4"), c = make_value ("float64", "3", "1 2 3");
  g_autoptr (CandelaNode) two = make_value ("float64", "2", "1 2");

  for (guint i = 0; i < G_N_ELEMENTS (wrongs); i++)
    {
      g_autoptr (CandelaNode) x = make_value (wrongs[i].dtype, wrongs[i].shape, wrongs[i].elements);

      assert_refused (wrongs[i].op, wrongs[i].params, x, NULL, wrongs[i].code, wrongs[i].message);
    }
  assert_refused ("solve", NULL, a, b, CANDELA_ERROR_SHAPE,
                  "solve: x1 has shape [3, 2, 2] and x2 [2, 2, 1]: their stacks cannot be broadcast together");
  assert_refused ("solve", NULL, a, c, CANDELA_ERROR_SHAPE,
                  "solve: x1 has shape [3, 2, 2] and x2 [3]: x2 must be [M] or [..., M, K], with the M of x1");
  assert_refused ("pinv", NULL, a, two, CANDELA_ERROR_SHAPE,
                  "pinv: rtol has shape [2], which cannot be broadcast to that of the stack, [3]");
}

static gpointer
cancel (gpointer cancellable)
{
  g_usleep (20000);
  g_cancellable_cancel (cancellable);
  return NULL;
}

/* Between one matrix and the next: all of them would take minutes. */
static void
test_cancelled (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (CandelaNode) node = candela_expression_build (
    "svdvals(broadcast_to(reshape(sin(1.7 * arange(90000)), [300, 300]), [3000, 300, 300]))", &error, NULL);
  g_autoptr (CandelaPlan) plan = NULL;
  GThread *thread;
  CandelaTensor **tensors;
  gsize n;

  g_assert_no_error (error);
  plan = candela_plan_new (&node, 1, CANDELA_PLAN_DEFAULT, &error);
  g_assert_no_error (error);
  thread = g_thread_new ("cancel", cancel, cancellable);
  tensors = candela_plan_run (plan, NULL, 0, cancellable, NULL, NULL, NULL, &n, &error);
  g_thread_join (thread);
  g_assert_null (tensors);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lapack/values", test_values);
  g_test_add_func ("/lapack/solve", test_solve);
  g_test_add_func ("/lapack/rtol", test_rtol);
  g_test_add_func ("/lapack/failures", test_failures);
  g_test_add_func ("/lapack/first-failure", test_first_failure);
  g_test_add_func ("/lapack/wrong", test_wrong);
  g_test_add_func ("/lapack/cancelled", test_cancelled);
  return g_test_run ();
}
