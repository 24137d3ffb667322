/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sets: unique_* and isin, by expressions. Right values are NumPy's, or follow from how
 * the elements were made. */
#include "op-testing.h"

#define ALL "v, i, k, c = unique_all([[3, 1, 3], [2, 1, 1]]); "
#define FLOATS "x = [2.0, 0.0, 1.0, 0.0, -1.0] / [1.0, 0.0, 1.0, -1.0, 0.0]; v, i, k, c = unique_all(x); "

static const TextCase cases[] = {
  { ALL "v", "int64", "3", "1 2 3" },
  { ALL "i", "int64", "3", "1 3 0" },
  { ALL "k", "int64", "2 3", "2 0 2 1 0 0" },
  { ALL "c", "int64", "3", "3 1 2" },
  { "v, c = unique_counts([[3, 1, 3], [2, 1, 1]].T); v * 10 + c", "int64", "3", "13 21 32" },
  { "v, k = unique_inverse([[3, 1, 3], [2, 1, 1]].T); k", "int64", "3 2", "2 1 0 0 2 0" },
  { "v, k = unique_inverse([[3, 1, 3], [2, 1, 1]][:, ::-2]); v", "int64", "3", "1 2 3" },
  { "unique_values([[3, 1, 3], [2, 1, 1]])", "int64", "3", "1 2 3" },
  { "unique_values(sum([7]))", "int64", "1", "7" },
  { "v, k = unique_inverse(sum([7])); k", "int64", "", "0" },
  { "unique_values(zeros([0, 3], float32))", "float32", "0", "" },
  { "v, i, k, c = unique_all(zeros([0, 3])); k", "int64", "0 3", "" },
  { "v, i, k, c = unique_all(zeros([0, 3])); c", "int64", "0", "" },
  { "unique_values(astype([1, 0, 1], bool))", "bool", "2", "0 1" },
  { "unique_values(astype([-1, 127, -128, -1], int8))", "int8", "3", "-128 -1 127" },
  { "unique_values(astype([-1, 0, 1], uint64))", "uint64", "3", "0 1 18446744073709551615" },
  { "unique_values(astype([-1, 0, -1], uint32))", "uint32", "2", "0 4294967295" },
  { "v, c = unique_counts([9223372036854775807, 1, 9223372036854775807]); c", "int64", "2", "1 2" },
  { "v, c = unique_counts(astype([2147483647, 1, 2147483647], int32)); c", "int64", "2", "1 2" },

  /* 2, NaN, 1, -0, -inf; each NaN is one of its own, both zeros are one: the first. */
  { FLOATS "v", "float64", "5", "-inf -0 1 2 nan" },
  { FLOATS "i", "int64", "5", "4 3 2 0 1" },
  { FLOATS "k", "int64", "5", "3 4 2 1 0" },
  { "unique_values([0.0, 0.0] / [-1.0, 1.0])", "float64", "1", "-0" },
  { "unique_values([0.0, 0.0] / [1.0, -1.0])", "float64", "1", "0" },
  { "v, c = unique_counts([0.0, 0.0, 0.0, 1.0] / [1.0, -1.0, 0.0, 0.0]); c", "int64", "3", "2 1 1" },
  { "v, c = unique_counts([0.0, 0.0, 0.0, 0.0, 1.0] / [0.0, 0.0, 0.0, 1.0, 1.0]); c", "int64", "5", "1 1 1 1 1" },
  { "v, c = unique_counts(astype([0.0, 0.0, 1.0] / [0.0, 0.0, 1.0], float32)); v", "float32", "3", "1 nan nan" },
  { "v, i, k, c = unique_all(astype([0.0, 1.0, 0.0] / [0.0, 1.0, 0.0], float32)); k", "int64", "3", "1 0 2" },

  { "isin([1, 2, 3, 4], [4, 2, 9])", "bool", "4", "0 1 0 1" },
  { "isin([1, 2, 3, 4], [4, 2, 9], invert=true)", "bool", "4", "1 0 1 0" },
  { "isin([[1, 2], [3, 4]].T, [[3], [2]])", "bool", "2 2", "0 1 1 0" },
  { "isin([1, 2], zeros([0]))", "bool", "2", "0 0" },
  { "isin([1, 2], zeros([0]), invert=true)", "bool", "2", "1 1" },
  { "isin(zeros([0]), [1])", "bool", "0", "" },
  { "isin(5, [5, 6])", "bool", "", "1" },
  { "isin([5, 6], 5)", "bool", "2", "1 0" },
  { "isin([1.5, 2.0, 1e300], [1, 2, 3])", "bool", "3", "0 1 0" },
  { "isin([0.0, 1.0] / [0.0, 1.0], [0.0, 1.0] / [0.0, 1.0])", "bool", "2", "0 1" },
  { "isin([0.0], [0.0] / [-1.0])", "bool", "1", "1" },
  { "isin([-9223372036854775808, 9223372036854775807, 0], [9223372036854775807, -9223372036854775808])", "bool", "3",
    "1 1 0" },
  { "isin(astype([1, 0], bool), astype([1], bool))", "bool", "2", "1 0" },
  { "isin(astype([1, 2, 3], uint8), astype([2, -1], int8))", "bool", "3", "0 1 0" },
};

static void
test_values (void)
{
  assert_text_cases (cases, G_N_ELEMENTS (cases));
}

/* What is long enough to be cut, or for each way of finding it. */
static const char *const large[] = {
  "v, i, k, c = unique_all(arange(200000) * 7919 % 1000); all(v == arange(1000)) & all(c == 200) & "
  "all(take(v, k) == arange(200000) * 7919 % 1000) & all(i * 7919 % 1000 == v) & all(i < 1000)",
  "v, c = unique_counts(astype(arange(200000) * 7919 % 1000, float32)); all(v == arange(1000)) & all(c == 200)",
  "all(unique_values(astype(arange(200000) * 7919 % 200, uint8)) == arange(200))",
  "all(unique_values(reshape(arange(200000)[::-1], [200, 1000]).T) == arange(200000))",
  "x = arange(100000); all(isin(x, x[::3] + 0) == (x % 3 == 0))",
  "x = arange(100000) * 1000000007; all(isin(x, x[::3]) == (x % 3 == 0))",
  "x = arange(100000) * 0.1; all(isin(x, x[::3]) == (arange(100000) % 3 == 0))",
  "x = astype(arange(100000) * 0.5, float32); all(isin(x, x[::3], invert=true) == (arange(100000) % 3 != 0))",
  "x = arange(100000) * 1000000007; all(isin(x, [0, 2000000014, 5]) == (x == 0) | (x == 2000000014))",
};

static void
test_large (void)
{
  for (guint threads = 1; threads <= 3; threads += 2)
    {
      candela_set_num_threads (threads);
      for (gsize i = 0; i < G_N_ELEMENTS (large); i++)
        {
          g_autoptr (CandelaTensor) result = evaluate (large[i]);

          assert_elements (result, "bool", "", "1", large[i]);
        }
    }
  candela_set_num_threads (0);
}

/* ---- Complex numbers ---- */

static CandelaNode *
make_complex (CandelaDType dtype, const double *parts, gint64 n)
{
  g_autoptr (CandelaTensor) x = candela_tensor_new (dtype, &n, 1, NULL);
  gpointer data = candela_tensor_get_writable_data (x);

  for (gint64 i = 0; i < 2 * n; i++)
    if (dtype == CANDELA_DTYPE_COMPLEX64)
      ((float *) data)[i] = (float) parts[i];
    else
      ((double *) data)[i] = parts[i];
  return candela_node_new_tensor (x);
}

static CandelaTensor *
get_value (CandelaNode *node, guint output)
{
  g_autoptr (CandelaNode) one = candela_node_get_output (node, output, NULL);

  return compute (one);
}

static void
check_complex (CandelaDType dtype)
{
  /* Negative imaginary parts first among those of one real part; a NaN in either part is equal to nothing. */
  static const double parts[] = { 1, 2, 1, -2, NAN, 1, 1, 2, -0.0, 0, 0, -0.0, 1, NAN, NAN, 1, -3, 5 };
  static const double few[] = { 1, 2, NAN, 1, 0, 0, 1, 5 };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x = make_complex (dtype, parts, 9);
  g_autoptr (CandelaNode) among = make_complex (dtype, few, 4);
  g_autoptr (CandelaNode) node = make_op ("unique_all", NULL, x, NULL, &error);
  g_autoptr (CandelaNode) counted = make_op ("unique_counts", NULL, x, NULL, &error);
  g_autoptr (CandelaTensor) values = NULL, indices = NULL, inverse = NULL, counts = NULL, again = NULL, found = NULL;
  gsize size = candela_dtype_get_size (dtype);

  g_assert_no_error (error);
  values = get_value (node, 0);
  indices = get_value (node, 1);
  inverse = get_value (node, 2);
  counts = get_value (node, 3);
  again = get_value (counted, 1);
  assert_elements (indices, "int64", "7", "8 4 1 0 2 6 7", "indices");
  assert_elements (inverse, "int64", "9", "3 2 4 3 1 1 5 6 0", "inverse");
  assert_elements (counts, "int64", "7", "1 2 1 2 1 1 1", "counts");
  assert_elements (again, "int64", "7", "1 2 1 2 1 1 1", "counts");
  for (gint64 i = 0; i < 7; i++)
    {
      g_autoptr (CandelaTensor) given = compute (x);
      gint64 index = ((const gint64 *) candela_tensor_get_data (indices))[i];

      g_assert_cmpmem ((const guint8 *) candela_tensor_get_data (values) + i * (gint64) size, size,
                       (const guint8 *) candela_tensor_get_data (given) + index * (gint64) size, size);
    }
  found = compute_op ("isin", NULL, x, among);
  assert_elements (found, "bool", "9", "1 0 0 1 1 1 0 0 0", "isin");
}

static void
test_complex (void)
{
  check_complex (CANDELA_DTYPE_COMPLEX64);
  check_complex (CANDELA_DTYPE_COMPLEX128);
}

/* 300 of each, a product of real and imaginary parts. */
static void
test_many_complex (void)
{
  for (guint d = 0; d < 2; d++)
    {
      const gint64 n = 90000;
      g_autofree double *parts = g_new (double, 2 * n);
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) x = NULL, node = NULL, among = NULL;
      g_autoptr (CandelaTensor) counts = NULL, found = NULL;
      const guint8 *bools;

      for (gint64 i = 0; i < n; i++)
        {
          parts[2 * i] = (double) (i * 7919 % 30) - 15;
          parts[2 * i + 1] = (double) (i / 30 % 10) - 5;
        }
      x = make_complex (d == 0 ? CANDELA_DTYPE_COMPLEX64 : CANDELA_DTYPE_COMPLEX128, parts, n);
      among = make_complex (d == 0 ? CANDELA_DTYPE_COMPLEX64 : CANDELA_DTYPE_COMPLEX128, parts, 30);
      node = make_op ("unique_all", NULL, x, NULL, &error);
      g_assert_no_error (error);
      counts = get_value (node, 3);
      g_assert_cmpint (candela_tensor_get_n_elements (counts), ==, 300);
      for (guint i = 0; i < 300; i++)
        g_assert_cmpint (((const gint64 *) candela_tensor_get_data (counts))[i], ==, 300);
      found = compute_op ("isin", NULL, x, among);
      bools = candela_tensor_get_data (found);
      for (gint64 i = 0; i < n; i++)
        g_assert_cmpint (bools[i], ==, i / 30 % 10 == 0);
    }
}

static void
test_cancelled (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (CandelaNode) node = NULL;

  g_cancellable_cancel (cancellable);
  g_cancellable_push_current (cancellable);
  node = candela_expression_build ("unique_values(arange(100000))", &error, NULL);
  g_cancellable_pop_current (cancellable);
  g_assert_null (node);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sets/values", test_values);
  g_test_add_func ("/sets/large", test_large);
  g_test_add_func ("/sets/complex", test_complex);
  g_test_add_func ("/sets/many-complex", test_many_complex);
  g_test_add_func ("/sets/cancelled", test_cancelled);
  return g_test_run ();
}
