/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How near sums of floats come, and in which order they are added. The order is the one
 * that plugins/reduce/reduce.h defines, written out element by element; right values are
 * worked out in long double or by hand. */
#include "views.h"

/* A sum of float32 as plugins/reduce/reduce.h defines it, element by element. */
static double
sum_block (const float *x, gsize n)
{
  const gsize n_lanes = n < 64 ? 4 : 16;
  double lanes[16] = { -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0, -0.0 };
  gsize i = 0;

  for (; i + 4 * n_lanes <= n; i += 4 * n_lanes)
    for (gsize l = 0; l < n_lanes; l++)
      {
        const volatile float first = x[i + l] + x[i + n_lanes + l];
        const volatile float second = x[i + 2 * n_lanes + l] + x[i + 3 * n_lanes + l], sum = first + second;

        lanes[l] += (double) sum;
      }
  for (; i < n; i++)
    lanes[i % n_lanes] += (double) x[i];
  for (gsize half = n_lanes / 2; half > 0; half /= 2)
    for (gsize l = 0; l < half; l++)
      lanes[l] += lanes[l + half];
  return lanes[0];
}

static double
sum_in_order (const float *x, gsize n)
{
  gsize half = 1024;

  if (n <= 1024)
    return sum_block (x, n);
  while (2 * half < n)
    half *= 2;
  return sum_in_order (x, half) + sum_in_order (x + half, n - half);
}

/* Of numbers that nearly cancel, so that another order has other bits; rows, columns and
 * rows of every other element, from lengths of a few to several blocks. */
static void
check_order (gsize n, gsize n_rows)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor =
    candela_tensor_new (CANDELA_DTYPE_FLOAT32, (gint64[]){ (gint64) n_rows, (gint64) n }, 2, &error);
  g_autoptr (CandelaNode) x = NULL;
  g_autofree float *expected = g_new (float, n_rows);
  static const char *const texts[] = {
    "sum(x, axis=1)",
    "sum(contiguous(x.T), axis=0)",
    "sum(repeat(x, 2, axis=1)[:, ::2], axis=1)",
    "sum(repeat(contiguous(x.T), 2, axis=1)[:, ::2], axis=0)",
    "sum(x * 1, axis=1)",
    "contiguous(sum(stack([x, x, x], axis=1), axis=2)[:, 1])",
  };
  float *data;

  g_assert_no_error (error);
  data = candela_tensor_get_writable_data (tensor);
  for (gsize r = 0; r < n_rows; r++)
    {
      for (gsize i = 0; i < n; i++)
        data[r * n + i] = (float) ldexp (g_random_double_range (-1, 1), g_random_int_range (-12, 12));
      data[r * n + n - 1] = 0;
      data[r * n + n - 1] = (float) -sum_in_order (data + r * n, n);
      expected[r] = (float) sum_in_order (data + r * n, n);
    }
  x = candela_node_new_tensor (tensor);
  for (gsize k = 0; k < G_N_ELEMENTS (texts); k++)
    {
      g_autoptr (CandelaNode) node = candela_expression_build (texts[k], &error, "x", x, NULL);
      g_autoptr (CandelaTensor) sums = NULL;

      g_assert_no_error (error);
      sums = compute (node);
      g_test_message ("%s, rows of %" G_GSIZE_FORMAT, texts[k], n);
      g_assert_cmpmem (candela_tensor_get_data (sums), n_rows * sizeof (float), expected, n_rows * sizeof (float));
    }
}

static void
test_order (void)
{
  static const gsize lengths[] = { 96, 127, 128, 130, 191, 1000, 1023, 1024, 1025, 1039, 1040, 1088, 2060, 9001 };

  for (gsize n = 1; n <= 80; n++)
    check_order (n, 1 + n % 7 * 8);
  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    check_order (lengths[i], 37 + i * 16);
}

static CandelaNode *
constant (CandelaDType dtype, gint64 n, double value)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (dtype, &n, 1, &error);
  gpointer data;

  g_assert_no_error (error);
  data = candela_tensor_get_writable_data (tensor);
  for (gint64 i = 0; i < n; i++)
    if (dtype == CANDELA_DTYPE_FLOAT32)
      ((float *) data)[i] = (float) value;
    else
      ((double *) data)[i] = value;
  return candela_node_new_tensor (tensor);
}

/* 10^7 times the binary32 nearest 0.1, which is 0.100000001490116…: 1000000.0149…;
 * one after the other in binary32 they come to 1087937. And 10^6 times the binary64
 * nearest 0.1: 100000.0000000000055…; one after the other, 100000.00000133288. */
static void
test_accuracy (void)
{
  g_autoptr (CandelaNode) narrow = constant (CANDELA_DTYPE_FLOAT32, 10000000, 0.1);
  g_autoptr (CandelaNode) wide = constant (CANDELA_DTYPE_FLOAT64, 1000000, 0.1);
  g_autoptr (CandelaTensor) a = compute_op ("sum", NULL, narrow, NULL), b = compute_op ("sum", NULL, wide, NULL);
  g_autoptr (CandelaTensor) c = compute_op ("mean", NULL, narrow, NULL), d = compute_op ("var", NULL, narrow, NULL);

  assert_elements (a, "float32", "", "1000000", "sum of 10^7 times 0.1");
  g_assert_cmpfloat_with_epsilon (*(const double *) candela_tensor_get_data (b), 100000.0, 1e-9);
  assert_elements (c, "float32", "", "0.1", "mean of 10^7 times 0.1");
  g_assert_cmpfloat (*(const float *) candela_tensor_get_data (d), <, 1e-20f);
}

/* Sums of four that overflow in binary32, and sums that do not: 0 and 0, 3e38 and nothing
 * else; along either axis, of columns with and without. And what is not finite. */
static void
test_sums_beyond_float32 (void)
{
  enum {
    N = 256,
    WIDTH = 5
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (CANDELA_DTYPE_FLOAT32, (gint64[]){ N, WIDTH }, 2, &error);
  g_autoptr (CandelaNode) x = NULL, view = NULL;
  float *data;

  g_assert_no_error (error);
  data = candela_tensor_get_writable_data (tensor);
  for (gint64 i = 0; i < N; i++)
    {
      data[i * WIDTH] = i < N / 2 ? 3e38f : -3e38f;
      data[i * WIDTH + 1] = (float) i;
      data[i * WIDTH + 2] = i == 7 ? INFINITY : 3e38f;
      data[i * WIDTH + 3] = i == 100 ? NAN : 1;
      data[i * WIDTH + 4] = 3e38f;
    }
  x = candela_node_new_tensor (tensor);
  view = make_view (tensor, candela_layout_permute (candela_tensor_get_layout (tensor), (gint64[]){ 1, 0 }, 2, &error));
  for (guint packed = 0; packed < 2; packed++)
    {
      g_autoptr (CandelaNode) rows = packed ? pack (view) : candela_node_ref (view);
      g_autoptr (CandelaTensor) sums = compute_op ("sum", "{'axis': <[int64 1]>}", rows, NULL);
      g_autoptr (CandelaTensor) wide = compute_op ("sum", "{'axis': <[int64 1]>, 'dtype': <'float64'>}", rows, NULL);
      g_autoptr (CandelaTensor) means = compute_op ("mean", "{'axis': <[int64 1]>}", rows, NULL);
      g_autoptr (CandelaTensor) variances = compute_op ("var", "{'axis': <[int64 1]>}", rows, NULL);
      const double *w = candela_tensor_get_data (wide);

      assert_elements (sums, "float32", "5", "0 32640 inf nan inf", "sums beyond float32");
      assert_elements (means, "float32", "5", "0 127.5 inf nan 3e38", "means of sums beyond float32");
      assert_elements (variances, "float32", "5", "inf 5461.25 nan nan 0", "variances of sums beyond float32");
      g_assert_cmpfloat (w[4], ==, 256.0 * (double) 3e38f);
    }
}

/* The same with as many columns as vectors have lanes, and of short rows: what cancels is 0,
 * one column or row that does not is infinite. */
static void
test_short_sums_beyond_float32 (void)
{
  static const gint64 lengths[] = { 16, 24, 40, 64, 128, 200 };

  for (gsize i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      gint64 n = lengths[i];
      g_autofree char *text =
        g_strdup_printf ("s = where(arange(%d) < %d, 3e38, -3e38); t = s[:, None] * ones([1, 45]);"
                         "x = contiguous(astype(where(arange(45) == 7, abs(t), t), float32)); y = contiguous(x.T);"
                         "wrong = where(arange(45) == 7, exp(1000.0), 0);"
                         "all(sum(x, axis=0) == wrong) & all(sum(y, axis=1) == wrong) & all(mean(x, axis=0) == where("
                         "arange(45) == 7, astype(3e38, float32), 0)) & all(mean(y, axis=1) == mean(x, axis=0))",
                         (int) n, (int) n / 2);

      assert_holds (text);
    }
}

/* Down the middle axis, of few rows and many, wide and narrow, in cache and not, some results go side by side in
 * registers; along rows that are packed, none do. */
static void
test_columns (void)
{
  static const char *const ops[] = { "sum(%s, axis=%d)", "mean(%s, axis=%d)", "var(%s, axis=%d)", "prod(%s, axis=%d)",
                                     "sum(%s, axis=%d, dtype=float64)" };
  static const gint64 shapes[][3] = { { 3, 2, 70 },   { 3, 5, 16 },    { 3, 16, 33 },    { 70, 40, 128 },
                                      { 2, 63, 300 }, { 40, 64, 128 }, { 30, 100, 128 }, { 9, 256, 129 },
                                      { 4, 600, 17 }, { 2, 1030, 40 } };

  for (gsize k = 0; k < G_N_ELEMENTS (shapes) * G_N_ELEMENTS (ops) * 2; k++)
    {
      const gint64 *shape = shapes[k / 2 % G_N_ELEMENTS (shapes)];
      const char *op = ops[k / 2 / G_N_ELEMENTS (shapes)], *dtype = k % 2 == 0 ? "float32" : "float64";
      g_autofree char *down = g_strdup_printf (op, "x", 1), *along = g_strdup_printf (op, "y", 2);
      g_autofree char *text = g_strdup_printf (
        "x = astype(sin(reshape(arange(%d), [%d, %d, %d]) * 1.7) * 3, %s); y = contiguous(permute_dims(x, [0, 2, 1]));"
        "all(%s == %s)",
        (int) (shape[0] * shape[1] * shape[2]), (int) shape[0], (int) shape[1], (int) shape[2], dtype, down, along);

      assert_holds (text);
    }
}

/* What NumPy's pairwise sum does to float32, blocks of 128 in eight lanes and halves
 * above that, is off by more than this sum, of numbers of both signs and of one. */
static float
pairwise (const float *x, gsize n)
{
  if (n <= 128)
    {
      float lanes[8];

      for (guint l = 0; l < 8; l++)
        lanes[l] = x[l];
      for (gsize i = 8; i < n; i++)
        lanes[i % 8] += x[i];
      return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    }
  return pairwise (x, n / 2) + pairwise (x + n / 2, n / 2);
}

static void
test_no_worse_than_pairwise (void)
{
  enum {
    N = 1 << 16,
    TRIALS = 40
  };
  g_autoptr (GError) error = NULL;
  double ours = 0, theirs = 0;

  for (guint trial = 0; trial < TRIALS; trial++)
    {
      g_autoptr (CandelaTensor) tensor = candela_tensor_new (CANDELA_DTYPE_FLOAT32, (gint64[]){ N }, 1, &error);
      g_autoptr (CandelaNode) x = NULL;
      g_autoptr (CandelaTensor) sum = NULL;
      float *data = candela_tensor_get_writable_data (tensor);
      long double exact = 0;

      for (gsize i = 0; i < N; i++)
        {
          data[i] = (float) g_random_double_range (trial % 2 == 0 ? 0 : -1, 1);
          exact += data[i];
        }
      x = candela_node_new_tensor (tensor);
      sum = compute_op ("sum", NULL, x, NULL);
      ours += fabs ((double) (*(const float *) candela_tensor_get_data (sum) - exact));
      theirs += fabs ((double) (pairwise (data, N) - exact));
    }
  g_test_message ("on average off by %g; pairwise in float32, by %g", ours / TRIALS, theirs / TRIALS);
  g_assert_cmpfloat (ours, <, theirs);
}

/* 1 to 5000 upon 10^9: the variance is (n^2 - 1) / 12. */
static void
test_variance_of_large_numbers (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (CANDELA_DTYPE_FLOAT64, (gint64[]){ 5000, 2 }, 2, &error);
  g_autoptr (CandelaNode) x = NULL;
  g_autoptr (CandelaTensor) variance = NULL;
  const double *values;

  g_assert_no_error (error);
  for (gint64 i = 0; i < 10000; i++)
    ((double *) candela_tensor_get_writable_data (tensor))[i] = 1e9 + (double) (i / 2);
  x = candela_node_new_tensor (tensor);
  variance = compute_op ("var", "{'axis': <[int64 0]>}", x, NULL);
  values = candela_tensor_get_data (variance);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpfloat_with_epsilon (values[i], (5000.0 * 5000.0 - 1.0) / 12.0, 1e-6);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reduce/order", test_order);
  g_test_add_func ("/reduce/accuracy", test_accuracy);
  g_test_add_func ("/reduce/sums-beyond-float32", test_sums_beyond_float32);
  g_test_add_func ("/reduce/short-sums-beyond-float32", test_short_sums_beyond_float32);
  g_test_add_func ("/reduce/columns", test_columns);
  g_test_add_func ("/reduce/no-worse-than-pairwise", test_no_worse_than_pairwise);
  g_test_add_func ("/reduce/variance-of-large-numbers", test_variance_of_large_numbers);
  return g_test_run ();
}
