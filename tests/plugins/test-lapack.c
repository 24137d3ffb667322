/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The lapack plugin: numbers from NumPy or by hand, products of what a matrix was
 * decomposed into, and the same bits from any layout, place in a stack and number of
 * threads. */
#include "op-testing.h"

static double
part_of (CandelaTensor *tensor, gint64 i)
{
  CandelaDType dtype = candela_tensor_get_dtype (tensor);
  gconstpointer data = candela_tensor_get_data (tensor);

  if (dtype == CANDELA_DTYPE_INT64)
    return (double) ((const gint64 *) data)[i];
  return dtype == CANDELA_DTYPE_COMPLEX64 || dtype == CANDELA_DTYPE_FLOAT32 ? (double) ((const float *) data)[i]
                                                                            : ((const double *) data)[i];
}

/* A value of any dtype from numbers as text; of complex ones both parts in turn. */
static CandelaNode *
make_any (const char *dtype, const char *shape, const char *elements)
{
  g_autoptr (CandelaTensor) parts = NULL, tensor = NULL;
  g_autofree char *doubled = NULL;
  gint64 extents[CANDELA_MAX_RANK];
  gsize rank = read_shape (shape, extents);
  gboolean single = g_str_equal (dtype, "complex64");

  if (!is_complex (read_dtype (dtype)))
    return make_value (dtype, shape, elements);
  doubled = g_strdup_printf ("%s 2", shape);
  parts = make_tensor (single ? "float32" : "float64", doubled, elements);
  tensor = candela_tensor_new (read_dtype (dtype), extents, rank, NULL);
  memcpy (candela_tensor_get_writable_data (tensor), candela_tensor_get_data (parts),
          (gsize) candela_tensor_get_n_elements (tensor) * (single ? 8 : 16));
  return candela_node_new_tensor (tensor);
}

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
      g_autoptr (CandelaNode) x = make_any (values[i].dtype, values[i].shape, values[i].elements);
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
      g_autoptr (CandelaNode) a = make_any (systems[i].a_dtype, systems[i].a_shape, systems[i].a);
      g_autoptr (CandelaNode) b = make_any (systems[i].b_dtype, systems[i].b_shape, systems[i].b);
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

/* ---- Decompositions ---- */

static CandelaNode *
make_random (CandelaDType dtype, gint64 stack, gint64 rows, gint64 cols)
{
  gint64 shape[3] = { stack, rows, cols }, n = stack * rows * cols * (is_complex (dtype) ? 2 : 1);
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (dtype, shape, 3, NULL);
  gpointer data = candela_tensor_get_writable_data (tensor);

  for (gint64 i = 0; i < n; i++)
    if (dtype == CANDELA_DTYPE_FLOAT32 || dtype == CANDELA_DTYPE_COMPLEX64)
      ((float *) data)[i] = (float) sin (1.7 * (double) i + 0.3 * (double) (i * i % 101));
    else
      ((double *) data)[i] = sin (1.7 * (double) i + 0.3 * (double) (i * i % 101));
  return candela_node_new_tensor (tensor);
}

typedef struct
{
  double re, im;
} Complex;

/* Element of a matrix of a stack, conjugate transposed if that is asked for. */
static Complex
element (CandelaTensor *stack, gint64 matrix, gint64 row, gint64 col, gboolean adjoint)
{
  gsize rank;
  const gint64 *shape = candela_tensor_get_shape (stack, &rank);
  gint64 rows = shape[rank - 2], cols = shape[rank - 1];
  gint64 at = matrix * rows * cols + (adjoint ? col * cols + row : row * cols + col);
  gboolean complex = is_complex (candela_tensor_get_dtype (stack));

  if (!complex)
    return (Complex){ part_of (stack, at), 0 };
  return (Complex){ part_of (stack, 2 * at), part_of (stack, 2 * at + 1) * (adjoint ? -1 : 1) };
}

/* max | A diag (d) B - C |, where d may be NULL, and C too: the identity. Of the result
 * that many rows and columns are looked at, and of A and B so much within. */
static double
distance (CandelaTensor *a, gboolean a_adjoint, CandelaTensor *d, CandelaTensor *b, gboolean b_adjoint,
          CandelaTensor *c, gint64 stack, gint64 rows, gint64 inner, gint64 cols)
{
  double most = 0;

  for (gint64 m = 0; m < stack; m++)
    for (gint64 i = 0; i < rows; i++)
      for (gint64 j = 0; j < cols; j++)
        {
          Complex sum = c != NULL ? element (c, m, i, j, FALSE) : (Complex){ i == j, 0 };

          for (gint64 k = 0; k < inner; k++)
            {
              Complex x = element (a, m, i, k, a_adjoint), y = element (b, m, k, j, b_adjoint);
              double scale = d != NULL ? part_of (d, m * inner + k) : 1;

              sum.re -= (x.re * y.re - x.im * y.im) * scale;
              sum.im -= (x.re * y.im + x.im * y.re) * scale;
            }
          most = fmax (most, hypot (sum.re, sum.im));
        }
  return most;
}

static CandelaTensor *
compute_output (CandelaNode *node, guint output)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) part = candela_node_get_output (node, output, &error);

  g_assert_no_error (error);
  return compute (part);
}

static const CandelaDType dtypes[] = { CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_FLOAT64, CANDELA_DTYPE_COMPLEX64,
                                       CANDELA_DTYPE_COMPLEX128 };
static const gint64 sides[][2] = { { 1, 1 }, { 3, 2 }, { 2, 3 }, { 7, 7 }, { 40, 33 }, { 33, 40 } };

static double
tolerance_of (CandelaDType dtype)
{
  return dtype == CANDELA_DTYPE_FLOAT32 || dtype == CANDELA_DTYPE_COMPLEX64 ? 1e-4 : 1e-12;
}

static void
test_qr (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++)
    for (guint s = 0; s < G_N_ELEMENTS (sides); s++)
      for (guint complete = 0; complete < 2; complete++)
        {
          gint64 m = sides[s][0], n = sides[s][1], inner = complete ? m : MIN (m, n);
          g_autoptr (GError) error = NULL;
          g_autoptr (CandelaNode) x = make_random (dtypes[t], 2, m, n);
          g_autoptr (CandelaNode) node = make_op ("qr", complete ? "{'mode': <'complete'>}" : NULL, x, NULL, &error);
          g_autoptr (CandelaTensor) a = candela_node_get_tensor (x), q = NULL, r = NULL;

          g_assert_no_error (error);
          q = compute_output (node, 0);
          r = compute_output (node, 1);
          g_assert_cmpfloat (distance (q, FALSE, NULL, r, FALSE, a, 2, m, inner, n), <=, tolerance_of (dtypes[t]));
          g_assert_cmpfloat (distance (q, TRUE, NULL, q, FALSE, NULL, 2, inner, m, inner), <=,
                             tolerance_of (dtypes[t]));
          for (gint64 matrix = 0; matrix < 2; matrix++)
            for (gint64 i = 0; i < inner; i++)
              for (gint64 j = 0; j < MIN (i, n); j++)
                g_assert_true (element (r, matrix, i, j, FALSE).re == 0 && element (r, matrix, i, j, FALSE).im == 0);
        }
}

static void
test_svd (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++)
    for (guint s = 0; s < G_N_ELEMENTS (sides); s++)
      for (guint full = 0; full < 2; full++)
        {
          gint64 m = sides[s][0], n = sides[s][1], k = MIN (m, n);
          g_autoptr (GError) error = NULL;
          g_autoptr (CandelaNode) x = make_random (dtypes[t], 2, m, n);
          g_autoptr (CandelaNode) node = make_op ("svd", full ? NULL : "{'full_matrices': <false>}", x, NULL, &error);
          g_autoptr (CandelaTensor) a = candela_node_get_tensor (x), u = NULL, values = NULL, vh = NULL;
          double allowed = tolerance_of (dtypes[t]);

          g_assert_no_error (error);
          u = compute_output (node, 0);
          values = compute_output (node, 1);
          vh = compute_output (node, 2);
          g_assert_cmpfloat (distance (u, FALSE, values, vh, FALSE, a, 2, m, k, n), <=, allowed);
          g_assert_cmpfloat (distance (u, TRUE, NULL, u, FALSE, NULL, 2, full ? m : k, m, full ? m : k), <=, allowed);
          g_assert_cmpfloat (distance (vh, FALSE, NULL, vh, TRUE, NULL, 2, full ? n : k, n, full ? n : k), <=, allowed);
          for (gint64 i = 0; i + 1 < 2 * k; i++)
            if ((i + 1) % k != 0)
              g_assert_cmpfloat (part_of (values, i), >=, part_of (values, i + 1));
        }
}

/* Eigenvectors and Cholesky factors of x x^H + 1. */
static void
test_hermitian (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (dtypes); t++)
    for (gint64 n = 1; n < 60; n = 2 * n + 1)
      {
        gint64 shape[3] = { 2, n, n };
        g_autoptr (GError) error = NULL;
        g_autoptr (CandelaNode) x = make_random (dtypes[t], 2, n, n), h_node = NULL, node = NULL;
        g_autoptr (CandelaTensor) a = candela_node_get_tensor (x), h = candela_tensor_new (dtypes[t], shape, 3, NULL);
        g_autoptr (CandelaTensor) values = NULL, vectors = NULL, l = NULL, u = NULL;
        gboolean complex = is_complex (dtypes[t]), single = tolerance_of (dtypes[t]) > 1e-6;
        double allowed = tolerance_of (dtypes[t]) * (double) n;

        for (gint64 at = 0; at < 2 * n * n; at++)
          {
            gint64 m = at / (n * n), i = at / n % n, j = at % n;
            double part[2] = { i == j, 0 };

            for (gint64 k = 0; k < n; k++)
              {
                Complex p = element (a, m, i, k, FALSE), q = element (a, m, k, j, TRUE);

                part[0] += p.re * q.re - p.im * q.im;
                part[1] += p.re * q.im + p.im * q.re;
              }
            for (gint64 c = 0; c < (complex ? 2 : 1); c++)
              if (single)
                ((float *) candela_tensor_get_writable_data (h))[at * (complex ? 2 : 1) + c] = (float) part[c];
              else
                ((double *) candela_tensor_get_writable_data (h))[at * (complex ? 2 : 1) + c] = part[c];
          }
        h_node = candela_node_new_tensor (h);
        node = make_op ("eigh", NULL, h_node, NULL, &error);
        g_assert_no_error (error);
        values = compute_output (node, 0);
        vectors = compute_output (node, 1);
        g_assert_cmpfloat (distance (vectors, TRUE, NULL, vectors, FALSE, NULL, 2, n, n, n), <=, allowed);
        for (gint64 m = 0; m < 2; m++)
          for (gint64 j = 0; j < n; j++)
            for (gint64 i = 0; i < n; i++)
              {
                Complex v = element (vectors, m, i, j, FALSE), sum = { 0, 0 };
                double value = part_of (values, m * n + j);

                for (gint64 k = 0; k < n; k++)
                  {
                    Complex p = element (h, m, i, k, FALSE), q = element (vectors, m, k, j, FALSE);

                    sum.re += p.re * q.re - p.im * q.im;
                    sum.im += p.re * q.im + p.im * q.re;
                  }
                g_assert_cmpfloat (hypot (sum.re - value * v.re, sum.im - value * v.im), <=, 10 * allowed);
              }
        l = compute_op ("cholesky", NULL, h_node, NULL);
        u = compute_op ("cholesky", "{'upper': <true>}", h_node, NULL);
        g_assert_cmpfloat (distance (l, FALSE, NULL, l, TRUE, h, 2, n, n, n), <=, allowed);
        g_assert_cmpfloat (distance (u, TRUE, NULL, u, FALSE, h, 2, n, n, n), <=, allowed);
      }
}

/* ---- Bits ---- */

static const char *const texts[] = {
  "inv(x)",
  "pinv(x)",
  "matrix_power(x, 5)",
  "solve(x, x[..., :3])",
  "solve(x, x[..., 0:1])",
  "q, r = qr(x[..., :20]); q + 0.0",
  "u, s, v = svd(x[..., :20]); u + 0.0",
  "l, v = eigh(x); v + 0.0",
  "cholesky(x + x.mT + 100 * eye(33))",
  "sign, size = slogdet(x); size + 0.0",
  "matrix_norm(x, ord=\"1\")",
  "vector_norm(x, axis=-1)",
  "vector_norm(x, axis=[0, 2])",
  "vector_norm(x, axis=[1, 2], ord=3.0)",
};

static CandelaTensor *
compute_text (const char *text, CandelaNode *x)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) names =
    g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) candela_node_unref);
  g_autoptr (CandelaNode) node = NULL;

  g_hash_table_insert (names, "x", candela_node_ref (x));
  node = candela_expression_build_with_names (text, names, &error);
  g_assert_no_error (error);
  return compute (node);
}

/* 33² elements are no whole number of cache lines: every matrix stands differently. */
static void
test_bits (void)
{
  g_autoptr (CandelaNode) x = make_random (CANDELA_DTYPE_FLOAT64, 40, 33, 33);
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) turned_node = make_op ("matrix_transpose", NULL, x, NULL, &error), packed = NULL,
                          turned = NULL;
  g_autoptr (CandelaTensor) packed_tensor = NULL;

  g_assert_no_error (error);
  packed_tensor = compute_text ("contiguous(x)", turned_node);
  packed = candela_node_new_tensor (packed_tensor);
  turned = make_op ("matrix_transpose", NULL, packed, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (CandelaTensor) first = NULL, other = NULL, strided = NULL;

      candela_set_num_threads (1);
      first = compute_text (texts[i], x);
      candela_set_num_threads (3);
      other = compute_text (texts[i], x);
      strided = compute_text (texts[i], turned);
      assert_same (other, first, texts[i]);
      assert_same (strided, first, texts[i]);
      if (g_str_has_prefix (texts[i], "vector_norm(x, axis=[0"))
        continue;
      for (gint64 matrix = 0; matrix < 40; matrix += 13)
        {
          g_autofree char *part = g_strdup_printf ("x[%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT "]", matrix, matrix + 1);
          g_autofree char *packed = g_strdup_printf ("contiguous(%s)", part);
          g_autoptr (CandelaTensor) part_of_x = compute_text (part, x), alone = NULL, wanted = NULL;
          g_autoptr (CandelaNode) alone_node = candela_node_new_tensor (part_of_x);
          g_autoptr (CandelaNode) first_node = candela_node_new_tensor (first);

          alone = compute_text (texts[i], alone_node);
          wanted = compute_text (packed, first_node);
          assert_same (alone, wanted, texts[i]);
        }
    }
  candela_set_num_threads (0);
}

/* A vector of many parts, as others add it up; and one whose squares are too large. */
static void
test_long_vector (void)
{
  gint64 n = 300000;
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (CANDELA_DTYPE_FLOAT64, &n, 1, NULL);
  g_autoptr (CandelaNode) x = candela_node_new_tensor (tensor);
  long double sum = 0;

  for (gint64 i = 0; i < n; i++)
    {
      double value = sin ((double) i);

      ((double *) candela_tensor_get_writable_data (tensor))[i] = value;
      sum += (long double) value * value;
    }
  for (guint threads = 1; threads <= 3; threads += 2)
    {
      g_autoptr (CandelaTensor) got = NULL, large = NULL;

      candela_set_num_threads (threads);
      got = compute_text ("vector_norm(x)", x);
      large = compute_text ("vector_norm(x * 1e300) / 1e300", x);
      g_assert_cmpfloat_with_epsilon (part_of (got, 0), (double) sqrtl (sum), 1e-11);
      g_assert_cmpfloat_with_epsilon (part_of (large, 0), (double) sqrtl (sum), 1e-11);
    }
  candela_set_num_threads (0);
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
      g_autoptr (CandelaNode) x = make_any (failures[i].dtype, failures[i].shape, failures[i].elements);
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
  g_autoptr (CandelaNode) x = make_random (CANDELA_DTYPE_FLOAT64, 1, 300, 300), many = NULL, node = NULL;
  g_autoptr (CandelaPlan) plan = NULL;
  GThread *thread;
  CandelaTensor **tensors;
  gsize n;

  many = make_op ("broadcast_to", "{'shape': <@ax [3000, 300, 300]>}", x, NULL, &error);
  g_assert_no_error (error);
  node = make_op ("svdvals", NULL, many, NULL, &error);
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
  g_test_add_func ("/lapack/qr", test_qr);
  g_test_add_func ("/lapack/svd", test_svd);
  g_test_add_func ("/lapack/hermitian", test_hermitian);
  g_test_add_func ("/lapack/bits", test_bits);
  g_test_add_func ("/lapack/long-vector", test_long_vector);
  g_test_add_func ("/lapack/failures", test_failures);
  g_test_add_func ("/lapack/first-failure", test_first_failure);
  g_test_add_func ("/lapack/wrong", test_wrong);
  g_test_add_func ("/lapack/cancelled", test_cancelled);
  return g_test_run ();
}
