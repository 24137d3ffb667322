/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps that run together, block of rows by block of rows or with a reduction that is
 * fed: the values of running them one by one, bit for bit; and values by hand. */
#include "../plan/verify.h"
#include "../testing.h"

static const char *const expressions[] = {
  /* x: [n, m]; r: [m]; c: [n, 1]; all of the same dtype. */
  "e = exp(x - max(x, axis=-1, keepdims=true)); e / sum(e, axis=-1, keepdims=true)",
  "m = max(x, axis=1, keepdims=true); m + log(sum(exp(x - m), axis=1, keepdims=true))",
  "(x - mean(x, axis=-1, keepdims=true)) / sqrt(var(x, axis=-1, keepdims=true) + 1e-5) * r + r",
  "d = x - mean(x, axis=-1, keepdims=true); d / sqrt(mean(d * d, axis=-1, keepdims=true) + 0.00001) * r + r",
  "m = max(x, axis=-1, keepdims=true); log(sum(exp(x - m), axis=-1)) + m[:, 0]",
  "s = min(x * 2, axis=1, keepdims=true); t = sqrt(abs(s)) + c; x[::-1] * t - r, s, sum(x + t, axis=1) / c[:, 0]",
  "s = sum(x, axis=1); x * s[:, None]",
  "s = sum(x, axis=1); x * reshape(s, [-1, 1])",
  "s = sum(x * x, axis=1); t = sqrt(s); x / expand_dims(t, axis=1)",
  "sum((x - r) * (x - r), axis=1)",
  "i = argmax(x, axis=1, keepdims=true); x * astype(i, \"float32\") + c",
  "where(x > mean(x, axis=1, keepdims=true), x, 0.0)",
  "t = x + c; t - min(t, axis=1, keepdims=true) + t[:, ::-1]",
  "t = x * 2; u = t[:, 0:1]; (t - u) / (max(t, axis=1, keepdims=true) - u + 1)",
  "t = x * 2; sum(t[:, ::-1], axis=1, keepdims=true) + t",
  "t = x + 1; v = t.T; sum(v, axis=1) + sum(t, axis=0)",
  "t = x + 1; s = sum(t, axis=1); s + sum(t) ",
  "any(x > r, axis=1, keepdims=true) * x + std(x, axis=1, keepdims=true)",
  "x[::-1] - mean(x[::-1], axis=1, keepdims=true)",
  "t = x.T; t - mean(t, axis=1, keepdims=true)",
  "x - x[0] - mean(x - x[0], axis=1, keepdims=true)",
  "t = x + c; s = sum(t, axis=1, keepdims=true); t / s, s, t",
  "t = exp(x); p = t / sum(t, axis=-1, keepdims=true); sum(p * x, axis=1), t * 2",
  "s = sum(x, axis=1, keepdims=true); s - x, s / x, (x - s) / s * r",
  "s = max(x, axis=1, keepdims=true); y = astype(x, \"float64\"); (y - s) / s * 2, s / (s - y + 1)",
  /* Rows of two axes, and of one of three. */
  "y = reshape(x, [2, -1, 4]); y - mean(y, axis=2, keepdims=true)",
  "y = reshape(x, [2, -1, 4]); y - mean(y, axis=(1, 2), keepdims=true)",
  "y = reshape(x, [2, -1, 4]); y - mean(y, axis=1, keepdims=true)",
  "y = reshape(x, [2, -1, 4]); sum(exp(y - max(y, axis=2, keepdims=true)), axis=2)",
  "d = x[:, None, 0:3] - x[None, 0:5, 0:3]; sum(d * d, axis=-1)",
  /* By columns. */
  "e = exp(x - max(x, axis=0, keepdims=true)); e / sum(e, axis=0, keepdims=true)",
  "e = exp(x - max(x, axis=0)); e / sum(e, axis=0)",
  "m = max(x, axis=0); m + log(sum(exp(x - m), axis=0))",
  "(x - mean(x, axis=0)) / std(x, axis=0) * r + r",
  "(x - mean(x, axis=0)) / sqrt(var(x, axis=0, keepdims=true) + 1e-5)",
  "sum((x - r) * (x - r), axis=0)",
  "d = x - c; s = sum(d * d, axis=0); sqrt(s), d",
  "i = argmax(x, axis=0); x * astype(i, \"float32\") + c",
  "where(x > mean(x, axis=0), x, 0.0)",
  "any(x > c, axis=0, keepdims=true) * x + std(x, axis=0, keepdims=true)",
  "t = x + c; t - min(t, axis=0, keepdims=true) + t[:, ::-1]",
  "t = x * 2; sum(t[::-1], axis=0, keepdims=true) + t + t[::-1]",
  "t = x * 2; u = t[1:]; u - max(t, axis=0) + t[0]",
  "t = x + 1; s = sum(t, axis=0); t / s[None, :], s, t",
  "t = x + 1; u = t[:, 0:3]; u - sum(u, axis=0)",
  "x[::-1] - mean(x[::-1], axis=0)",
  "x[:, ::-1] - mean(x[:, ::-1], axis=0)",
  "t = x.T; t - mean(t, axis=0)",
  "t = x.T; e = exp(t - max(t, axis=0)); e / sum(e, axis=0) + t[0]",
  "x - mean(x, axis=0) + c.T[:, 0:1]",
  "astype(x * 8, \"int32\") - max(astype(x * 8, \"int32\"), axis=0)",
  "t = astype(x * 8, \"int32\"); sum(t, axis=0), t // (1 + max(abs(t), axis=0)), argmin(t, axis=0)",
  "t = where(x > 1.9, 0.0 / (x * 0), x); t - max(t, axis=0)",
  "a, b = moments(x, axis=0); (x - a) / sqrt(b + 1)",
  "t = x * 2; u = x.T; sum(t, axis=0) + u[:, 0] + sum(u - c[0], axis=0)[0]",
  /* … of several axes, and in each row. */
  "y = x * c[0:2, 0][:, None, None]; e = exp(y - max(y, axis=1, keepdims=true)); e / sum(e, axis=1, keepdims=true)",
  "y = x * c[0:2, 0][:, None, None]; s = sum(y * y, axis=1); y / expand_dims(sqrt(s), axis=1) + s[:, None]",
  "y = x * c[0:2, 0][:, None, None]; t = y * 3; t - max(t, axis=1, keepdims=true) + t[:, 1:2]",
  "y = x * c[0:2, 0][:, None, None]; y - mean(y, axis=(0, 1))",
  "y = x * c[0:2, 0][:, None, None]; y - mean(y, axis=0)",
  "y = x * c[0:2, 0][:, None, None]; t = y * 3; t - max(t, axis=(0, 1)) + t[1]",
  "y = x * c[0:2, 0][:, None, None]; t = y + r; permute_dims(t, [1, 0, 2]) - sum(t, axis=(0, 1))",
  "y = x * c[0:2, 0][:, None, None]; t = y + 1; t[::-1] - sum(t, axis=0) * t",
  "y = x * c[0:2, 0][:, None, None]; z = y[:, None] + y; e = exp(z / 8); e / sum(e, axis=2, keepdims=true)",
  "y = reshape(x, [2, -1, 2, 2]); e = exp(y - max(y, axis=1, keepdims=true)); e / sum(e, axis=1, keepdims=true)",
  /* Over all axes, fed. */
  "d = x - r; mean(d * d)",
  "sum(x * 2 + c)",
  "max(abs(x - c)) - min(exp(x))",
  "argmax(-x) + argmin(x * 2)",
  "var(x * x) + std(x + 1)",
  "any(x > 1.9) & all(x < r + 100)",
  "sum(astype(x > r, \"int32\"))",
  "sum(where(x > 0, x, c), axis=(0, 1), keepdims=true) + x",
  "prod(x / 2 + 1)",
  "sum(x.T * 3)",
  "t = x * 2; sum(t) + t",
  "y = reshape(x, [2, -1]); sum(y * 2, axis=1)",
  "d = x[:, None] - x[None, 0:5]; sqrt(sum(d * d, axis=-1)) + c",
};

/* Of so much data that blocks of few columns are packed. */
static const char *const packed[] = {
  "e = exp(x - max(x, axis=0, keepdims=true)); e / sum(e, axis=0, keepdims=true)",
  "m = max(x, axis=0); m + log(sum(exp(x - m), axis=0))",
  "(x - mean(x, axis=0)) / sqrt(var(x, axis=0, keepdims=true) + 1e-5) * r + r",
  "d = x - r; s = sum(d * d, axis=0); sqrt(s), d",
  "i = argmax(x, axis=0); x * astype(i, \"float32\") + r, astype(x * 8, \"int16\") - max(x, axis=0)",
  "t = x * 2; sum(t[::-1], axis=0, keepdims=true) + t + t[::-1]",
  "t = x * 2; u = t[1:]; u - max(t, axis=0) + t[0]",
  "t = x + 1; s = sum(t, axis=0); t / s[None, :], s, t",
  "t = x + 1; s = sum(t, axis=0); u = where(t > s, t, x[::-1]); u - max(u, axis=0), mean(t * u, axis=0)",
  "y = astype(x, \"float64\"); t = y * 3; a = t - max(t, axis=0); a * a + mean(a, axis=0) * x",
  "a, b = moments(x, axis=0); (x - a) / sqrt(b + 1)",
  "y = x * c[0:2, 0][:, None, None]; e = exp(y - max(y, axis=1, keepdims=true)); e / sum(e, axis=1, keepdims=true)",
  "y = x * c[0:2, 0][:, None, None]; t = y * 3; t - max(t, axis=(0, 1)) + t[1]",
  "y = x * c[0:2, 0][:, None, None]; t = y + r; permute_dims(t, [1, 0, 2]) - sum(t, axis=(0, 1))",
  "y = reshape(x, [2, -1, 1032]); e = exp(y - max(y, axis=1, keepdims=true)); e / sum(e, axis=1, keepdims=true)",
};

static CandelaTensor *
make_data (CandelaDType dtype, gint64 n, gint64 m, guint32 seed)
{
  const gint64 shape[] = { n, m };
  CandelaTensor *tensor = candela_tensor_new (dtype, shape, 2, NULL);
  gpointer data = candela_tensor_get_writable_data (tensor);

  for (gint64 k = 0; k < n * m; k++)
    {
      double value = ((seed = seed * 1664525 + 1013904223) >> 8) / (double) (1 << 22) - 2;

      if (dtype == CANDELA_DTYPE_FLOAT32)
        ((float *) data)[k] = (float) value;
      else
        ((double *) data)[k] = value;
    }
  return tensor;
}

static void
put_data (GHashTable *names, const char *name, CandelaDType dtype, gint64 n, gint64 m, gboolean flat)
{
  g_autoptr (CandelaTensor) tensor = make_data (dtype, n, m, n * 31 + m + name[0]);
  g_autoptr (CandelaTensor) row = NULL;
  const gint64 shape[] = { m };

  if (flat)
    {
      row = candela_tensor_new (dtype, shape, 1, NULL);
      memcpy (candela_tensor_get_writable_data (row), candela_tensor_get_data (tensor),
              m * candela_dtype_get_size (dtype));
    }
  put_name (names, name, candela_node_new_tensor (flat ? row : tensor));
}

/* The values of an expression's statements: the same with any flags as one by one. */
static void
check_one_by_one (GHashTable *names, const char *text)
{
  g_autoptr (CandelaExpression) expression = parse (text, names);
  g_autoptr (GPtrArray) roots = g_ptr_array_new ();
  g_autoptr (CandelaPlan) one_by_one = NULL;
  CandelaTensor **wanted;

  for (guint v = 0; v < candela_expression_get_n_values (expression); v++)
    g_ptr_array_add (roots, candela_expression_get_nth_value (expression, v));
  one_by_one = plan_roots ((CandelaNode **) roots->pdata, roots->len, NO_OPTIMIZATION);
  wanted = run_plan (one_by_one, NULL);
  check_roots ((CandelaNode **) roots->pdata, wanted, roots->len, text);
  free_tensors (wanted, roots->len);
}

/* Few rows and many, short and long, a whole number of blocks and not. */
static void
test_expression (gconstpointer data)
{
  static const gint64 shapes[][2] = { { 2, 4 },      { 8, 8 },     { 6, 12 },    { 1002, 4 },
                                      { 302, 256 },  { 402, 128 }, { 500, 64 },  { 64, 1028 },
                                      { 32, 20003 }, { 600, 260 }, { 70, 1024 }, { 6, 20480 } };
  const char *text = data;

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (CandelaDType dtype = CANDELA_DTYPE_FLOAT32; dtype <= CANDELA_DTYPE_FLOAT64; dtype++)
      {
        g_autoptr (GHashTable) names = names_new ();

        if (s >= 6 && dtype == CANDELA_DTYPE_FLOAT64)
          continue;
        put_data (names, "x", dtype, shapes[s][0], shapes[s][1], FALSE);
        put_data (names, "r", dtype, 1, shapes[s][1], TRUE);
        put_data (names, "c", dtype, shapes[s][0], 1, FALSE);
        check_one_by_one (names, text);
      }
}

static void
test_packed (gconstpointer data)
{
  const gint64 n = 1030, m = 2064;
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaExpression) expression = NULL;
  g_autoptr (GPtrArray) roots = g_ptr_array_new ();
  g_autoptr (CandelaPlan) one_by_one = NULL, plan = NULL;
  CandelaTensor **wanted;

  put_data (names, "x", CANDELA_DTYPE_FLOAT32, n, m, FALSE);
  put_data (names, "r", CANDELA_DTYPE_FLOAT32, 1, m, TRUE);
  put_data (names, "c", CANDELA_DTYPE_FLOAT32, n, 1, FALSE);
  expression = parse (data, names);
  for (guint v = 0; v < candela_expression_get_n_values (expression); v++)
    g_ptr_array_add (roots, candela_expression_get_nth_value (expression, v));
  one_by_one = plan_roots ((CandelaNode **) roots->pdata, roots->len, NO_OPTIMIZATION);
  plan = plan_roots ((CandelaNode **) roots->pdata, roots->len, CANDELA_PLAN_DEFAULT);
  wanted = run_plan (one_by_one, NULL);
  for (guint threads = 1; threads <= 3; threads += 2)
    {
      CandelaTensor **got;

      candela_set_num_threads (threads);
      got = run_plan (plan, NULL);
      for (gsize k = 0; k < roots->len; k++)
        assert_tensors_same (got[k], wanted[k], data);
      free_tensors (got, roots->len);
    }
  free_tensors (wanted, roots->len);
  candela_set_num_threads (0);
}

/* By hand: equal elements share a softmax equally; rows that are multiples of one
 * another are the same when standardised; distances in a 3-4-5 triangle. */
static void
test_values (void)
{
  static const Given x = { "x", "float64", "3 4", "1 1 1 1 7 7 7 7 -2 -2 -2 -2" };
  static const Given y = { "y", "float64", "2 4", "1 2 3 6 10 20 30 60" };
  static const Given z = { "z", "float64", "3 2", "0 0 3 0 0 4" };

  check_value ("e = exp(x - max(x, axis=-1, keepdims=true)); e / sum(e, axis=-1, keepdims=true)", &x, 1, "float64",
               "3 4", "0.25 0.25 0.25 0.25 0.25 0.25 0.25 0.25 0.25 0.25 0.25 0.25");
  check_value ("m = mean(y, axis=1, keepdims=true); d = y - m; d / mean(abs(d), axis=1, keepdims=true)", &y, 1,
               "float64", "2 4",
               "-1.3333333333333333 -0.66666666666666663 0 2 "
               "-1.3333333333333333 -0.66666666666666663 0 2");
  check_value ("d = z[:, None] - z; sqrt(sum(d * d, axis=-1))", &z, 1, "float64", "3 3", "0 3 4 3 0 5 4 5 0");
}

/* Rows that go into a reduction as stages make them: of whole blocks of each family, and of more elements than
 * are summed at once, some of them such that a sum overflows on its way, infinite or no numbers. */
static void
test_made (void)
{
  static const char *const made[] = {
    "d = x - mean(x, axis=-1, keepdims=true); d / sqrt(mean(d * d, axis=-1, keepdims=true) + 0.00001) * r + r",
    "m = max(x, axis=1, keepdims=true); m + log(sum(exp(x - m), axis=1, keepdims=true))",
    "t = x * 2; sum(t, axis=1) + c[:, 0]",
    "t = x * 2; s = sum(t, axis=1, keepdims=true); u = x + s; mean(u * t, axis=1)",
    "t = x * c; s = mean(t, axis=1, keepdims=true); x - s, s",
    "m = max(x, axis=1, keepdims=true); x - sum(x - m, axis=1, keepdims=true) * mean(x + m, axis=1, keepdims=true)",
    "sum(x[:, None] * x[0:3], axis=-1), mean(x[0:3, None] - x, axis=-1)",
  };
  static const gint64 shapes[][2] = { { 9, 64 },   { 30, 128 },  { 21, 320 },     { 40, 1024 },
                                      { 7, 1152 }, { 11, 3200 }, { 3, 7 * 1024 }, { 5, 11 * 1024 + 128 } };

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (guint e = 0; e < G_N_ELEMENTS (made); e++)
      {
        const gint64 n = shapes[s][0], m = shapes[s][1];
        g_autoptr (GHashTable) names = names_new ();
        g_autoptr (CandelaTensor) x = make_data (CANDELA_DTYPE_FLOAT32, n, m, (guint32) (n * m));
        float *data = candela_tensor_get_writable_data (x);

        for (guint k = 0; k < 4 && s % 2 == 1; k++)
          data[(n - 1) * m + 16 * k] = k < 2 ? 1.5e38f : -1.5e38f;
        data[m + 5] = s % 2 == 1 ? INFINITY : 1;
        data[2 * m + 40] = s % 2 == 1 ? NAN : 1;
        put_name (names, "x", candela_node_new_tensor (x));
        put_data (names, "r", CANDELA_DTYPE_FLOAT32, 1, m, TRUE);
        put_data (names, "c", CANDELA_DTYPE_FLOAT32, n, 1, FALSE);
        check_one_by_one (names, made[e]);
      }
}

/* In binary64 the large elements of a row are nothing together, and its others count; added by fours in float32
 * they are infinite. */
static void
test_made_values (void)
{
  g_autoptr (CandelaTensor) x = make_data (CANDELA_DTYPE_FLOAT32, 20, 256, 1), got = NULL;
  float *data = candela_tensor_get_writable_data (x);
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) node = NULL;
  const float *sums;

  for (guint i = 0; i < 20 * 256; i++)
    data[i] = (float) (i / 256);
  for (guint k = 0; k < 4; k++)
    data[7 * 256 + 16 * k] = k < 2 ? 1.5e38f : -1.5e38f;
  data[11 * 256 + 3] = INFINITY;
  put_name (names, "x", candela_node_new_tensor (x));
  node = build ("sum(x * 2, axis=1)", names);
  got = compute (node);
  sums = candela_tensor_get_data (got);
  for (guint row = 0; row < 20; row++)
    g_assert_cmpfloat (sums[row], ==, row == 11 ? INFINITY : (float) (2 * row * (row == 7 ? 252 : 256)));
}

/* ThreadSanitizer looks at threads, which do the same for all of them, and takes its time. */
#ifdef __SANITIZE_THREAD__
#define EACH 12
#else
#define EACH 1
#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (expressions); i += EACH)
    {
      g_autofree char *path = g_strdup_printf ("/rows/expression/%u", i);

      g_test_add_data_func (path, expressions[i], test_expression);
    }
  for (guint i = 0; i < G_N_ELEMENTS (packed); i += EACH)
    {
      g_autofree char *path = g_strdup_printf ("/rows/packed/%u", i);

      g_test_add_data_func (path, packed[i], test_packed);
    }
  g_test_add_func ("/rows/values", test_values);
  g_test_add_func ("/rows/made", test_made);
  g_test_add_func ("/rows/made-values", test_made_values);
  return g_test_run ();
}
