/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Short rows of every row of one array with every row of another, which run turned: the
 * values of running the steps one by one, bit for bit; and distances by hand. */
#include "../testing.h"
#include <math.h>

/* x: [n, d]; y: [m, d]; z: [d, m]; w: [d]; b: [2, n, d]; all of the same dtype. */
static const char *const expressions[] = {
  "sum((x[:, None] - y) ** 2, axis=2)",
  "sqrt(sum((x[:, None] - y) ** 2, axis=-1))",
  "d = x[:, None] - y; sum(d * d, axis=2, keepdims=true) * 2",
  "mean(abs(x[:, None] - y), axis=2), sum(x[:, None] - y, axis=2, dtype=\"float64\")",
  "max(abs(x[:, None] - y), axis=2), min(x[:, None] * y, axis=2)",
  "t = x[:, None] + y; argmax(t, axis=2), argmin(t, axis=2) + 1, prod(t, axis=2)",
  "var(x[:, None] - y, axis=2, correction=1), std(x[:, None] - y, axis=2)",
  "a, b = moments(x[:, None] * y, axis=2); a + b, a",
  "t = x[:, None] - y; u = t - mean(t, axis=2, keepdims=true); sum(u * u, axis=2) / 3",
  "t = x[:, None] - y; m = max(t, axis=2, keepdims=true); log(sum(exp(t - m), axis=2)) + m[:, :, 0]",
  "t = x[:, None] + y; s = sum(t, axis=2); exp(-s) / 2, max(t * s[:, :, None], axis=2)",
  "sum((x[:, None] - z.T) ** 2, axis=2), sum(z.T * x[:, None], axis=2)",
  "sum((x[::-1, None, ::-1] - y[::-1]) ** 2, axis=2)",
  "sum(x[:, None] * y * w, axis=2) + sum(x, axis=1)[:, None]",
  "sum((x[:, None] - y[:, 0:1]) * w, axis=2), sum(abs(x[:, 0:1, None] - y), axis=2)",
  "t = x[:, None] * y; sum(t[:, :, ::-1], axis=2), max(t[:, :, 1:], axis=2)",
  "t = x[:, None] * y; sum(t, axis=2), t",
  "any(x[:, None] > y, axis=2), sum(x[:, None] * 2 > y, axis=2)",
  "sum((b[:, :, None] - y) ** 2, axis=3), sum(b[:, :, None] * b[:, None], axis=3)",
  "sum(x[:, None, :, None] * y[:, :, None], axis=(2, 3)), sum(x[:, None, None] - y[:, None], axis=(2, 3))",
};

static double
next (guint32 *seed)
{
  return ((*seed = *seed * 1664525 + 1013904223) >> 8) / (double) (1 << 22) - 2;
}

/* Numbers, of which a few are no ordinary ones where it is to be so. */
static CandelaTensor *
make_data (CandelaDType dtype, const gint64 *shape, guint rank, guint32 seed, gboolean odd)
{
  static const double odd_ones[] = { NAN, INFINITY, -INFINITY, -0.0, 0.0, 3e38, -3e38, 1e-42 };
  CandelaTensor *tensor = candela_tensor_new (dtype, shape, rank, NULL);
  gpointer data = candela_tensor_get_writable_data (tensor);

  for (gint64 k = 0; k < candela_tensor_get_n_elements (tensor); k++)
    {
      double value = next (&seed);

      if (odd && seed % 37 < G_N_ELEMENTS (odd_ones))
        value = odd_ones[seed % 37];
      switch ((int) dtype)
        {
        case CANDELA_DTYPE_FLOAT32:
          ((float *) data)[k] = (float) value;
          break;
        case CANDELA_DTYPE_FLOAT64:
          ((double *) data)[k] = value;
          break;
        default:
          ((gint32 *) data)[k] = (gint32) (next (&seed) * 100);
        }
    }
  return tensor;
}

static void
put_data (GHashTable *names, const char *name, CandelaDType dtype, const gint64 *shape, guint rank, gboolean odd)
{
  g_autoptr (CandelaTensor) tensor = make_data (dtype, shape, rank, (guint32) (name[0] + shape[rank - 1]), odd);

  put_name (names, name, candela_node_new_tensor (tensor));
}

static void
check (const char *text, CandelaDType dtype, gint64 n, gint64 m, gint64 d, gboolean odd)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaExpression) expression = NULL;
  g_autoptr (GPtrArray) roots = g_ptr_array_new ();
  g_autoptr (CandelaPlan) one_by_one = NULL, plan = NULL;
  g_autofree char *what = g_strdup_printf ("%s with %d, %d and %d", text, (int) n, (int) m, (int) d);
  CandelaTensor **wanted;

  put_data (names, "x", dtype, (gint64[]){ n, d }, 2, odd);
  put_data (names, "y", dtype, (gint64[]){ m, d }, 2, odd);
  put_data (names, "z", dtype, (gint64[]){ d, m }, 2, odd);
  put_data (names, "w", dtype, (gint64[]){ d }, 1, FALSE);
  put_data (names, "b", dtype, (gint64[]){ 2, n, d }, 3, odd);
  expression = parse (text, names);
  for (guint v = 0; v < candela_expression_get_n_values (expression); v++)
    g_ptr_array_add (roots, candela_expression_get_nth_value (expression, v));
  one_by_one = plan_roots ((CandelaNode **) roots->pdata, roots->len, NO_OPTIMIZATION);
  plan = plan_roots ((CandelaNode **) roots->pdata, roots->len, CANDELA_PLAN_DEFAULT);
  candela_set_num_threads (1);
  wanted = run_plan (one_by_one, NULL);
  for (guint threads = 1; threads <= 3; threads += 2)
    {
      CandelaTensor **got;

      candela_set_num_threads (threads);
      got = run_plan (plan, NULL);
      for (gsize k = 0; k < roots->len; k++)
        assert_tensors_same (got[k], wanted[k], what);
      free_tensors (got, roots->len);
    }
  if (d == 16)
    check_roots ((CandelaNode **) roots->pdata, wanted, roots->len, what);
  free_tensors (wanted, roots->len);
  candela_set_num_threads (0);
}

/* Of every length that is short, and some beyond; of columns one block and several, that
 * vectors fill and do not. */
static void
test_expression (gconstpointer data)
{
  static const gint64 shapes[][2] = { { 9, 97 }, { 40, 300 }, { 8, 1100 }, { 13, 96 }, { 70, 128 } };
  static const gint64 long_ones[] = { 32, 33, 48, 62, 63, 64, 65 };

  for (gint64 d = 2; d < 21 + (gint64) G_N_ELEMENTS (long_ones); d++)
    {
      const gint64 *shape = shapes[(gsize) d % G_N_ELEMENTS (shapes)];
      gint64 length = d < 21 ? d : long_ones[d - 21];

      check (data, CANDELA_DTYPE_FLOAT32, shape[0], shape[1], length, d % 2 == 0);
      if (d % 3 == 1)
        check (data, CANDELA_DTYPE_FLOAT64, shape[0], shape[1], length, d % 2 == 1);
      if (d % 6 == 4)
        check (data, CANDELA_DTYPE_INT32, shape[0], shape[1], length, FALSE);
    }
}

/* Of whole numbers, which each order of addition gives exactly. */
static void
test_distances (void)
{
  enum {
    N = 20,
    M = 333
  };

  for (gint64 d = 1; d <= 40; d++)
    {
      g_autoptr (CandelaTensor) x = candela_tensor_new (CANDELA_DTYPE_FLOAT32, (gint64[]){ N, d }, 2, NULL);
      g_autoptr (CandelaTensor) y = candela_tensor_new (CANDELA_DTYPE_FLOAT32, (gint64[]){ M, d }, 2, NULL);
      g_autoptr (CandelaTensor) wanted = candela_tensor_new (CANDELA_DTYPE_FLOAT32, (gint64[]){ N, M }, 2, NULL);
      g_autoptr (GHashTable) names = names_new ();
      g_autoptr (CandelaNode) node = NULL;
      float *a = candela_tensor_get_writable_data (x), *b = candela_tensor_get_writable_data (y);
      float *distances = candela_tensor_get_writable_data (wanted);

      for (gint64 k = 0; k < N * d; k++)
        a[k] = (float) (k * 7 % 23 - 11);
      for (gint64 k = 0; k < M * d; k++)
        b[k] = (float) (k * 5 % 31 - 15);
      for (gint64 i = 0; i < N; i++)
        for (gint64 j = 0; j < M; j++)
          {
            float *sum = &distances[i * M + j];

            *sum = 0;
            for (gint64 k = 0; k < d; k++)
              *sum += (a[i * d + k] - b[j * d + k]) * (a[i * d + k] - b[j * d + k]);
          }
      put_name (names, "x", candela_node_new_tensor (x));
      put_name (names, "y", candela_node_new_tensor (y));
      node = build ("sum((x[:, None] - y) ** 2, axis=2)", names);
      check_roots (&node, &wanted, 1, "squared distances");
    }
}

static void
stop (guint64 done, guint64 total, gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
}

/* It ends with the next row, and tells all that it has done if it does not. */
static void
count (guint64 done, guint64 total, gpointer last)
{
  g_assert_cmpuint (done, >=, *(guint64 *) last);
  g_assert_cmpuint (done, <=, total);
  *(guint64 *) last = done;
}

static void
test_progress (void)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  CandelaTensor **got;
  guint64 last = 0;
  gsize n = 0;

  put_data (names, "x", CANDELA_DTYPE_FLOAT32, (gint64[]){ 1000, 16 }, 2, FALSE);
  put_data (names, "y", CANDELA_DTYPE_FLOAT32, (gint64[]){ 1500, 16 }, 2, FALSE);
  node = build ("sum((x[:, None] - y) ** 2, axis=2)", names);
  plan = plan_node (node, CANDELA_PLAN_DEFAULT);
  got = candela_plan_run (plan, NULL, 0, NULL, count, &last, NULL, &n, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (last, ==, 1000 * 1500 * 17);
  free_tensors (got, n);
  candela_set_num_threads (1);
  got = candela_plan_run (plan, NULL, 0, cancellable, stop, cancellable, NULL, &n, &error);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_null (got);
  candela_set_num_threads (0);
}

/* ThreadSanitizer looks at threads, which do the same for all of them, and takes its time. */
#ifdef __SANITIZE_THREAD__
#define EACH 8
#else
#define EACH 1
#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (expressions); i += EACH)
    {
      g_autofree char *path = g_strdup_printf ("/turned/expression/%u", i);

      g_test_add_data_func (path, expressions[i], test_expression);
    }
  g_test_add_func ("/turned/distances", test_distances);
  g_test_add_func ("/turned/progress", test_progress);
  g_test_add_func ("/turned/instruction-sets", run_with_instruction_sets);
  return g_test_run ();
}
