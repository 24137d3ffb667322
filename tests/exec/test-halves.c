/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * float16 and bfloat16 through the engine. What an op makes of them is what it makes of
 * their values as float32, rounded: both sides are written out, and the second is run op
 * by op, with casts between. Both must have the same bits, however the first is planned
 * and run. The bits of some results are NumPy's. */
#include "../testing.h"

/* Once rounded; and read again. */
#define R(e) "astype(" e ", half)"
#define W(e) "astype(" e ", float32)"

typedef struct
{
  const char *got, *wanted; /* over x, y, z, a, b of a half dtype; over wx, wy … of float32 */
} Pair;

static const Pair vectors[] = {
  { "x + y", R ("wx + wy") },
  { "x - y", R ("wx - wy") },
  { "x * y", R ("wx * wy") },
  { "x / y", R ("wx / wy") },
  { "x // y", R ("wx // wy") },
  { "x % y", R ("wx % wy") },
  { "-x", R ("-wx") },
  { "abs(x)", R ("abs(wx)") },
  { "sign(x)", R ("sign(wx)") },
  { "floor(x)", R ("floor(wx)") },
  { "exp(x)", R ("exp(wx)") },
  { "tanh(x)", R ("tanh(wx)") },
  { "pow(x, y)", R ("pow(wx, wy)") },
  { "maximum(x, y)", R ("maximum(wx, wy)") },
  { "minimum(x, y)", R ("minimum(wx, wy)") },
  { "clip(x, y, z)", R ("clip(wx, wy, wz)") },
  { "relu(x)", R ("relu(wx)") },
  { "x < y", "wx < wy" },
  { "x == y", "wx == wy" },
  { "isnan(x)", "isnan(wx)" },
  { "isfinite(x)", "isfinite(wx)" },
  { "logical_not(x)", "logical_not(wx)" },
  { "where(x < y, x, y)", R ("where(wx < wy, wx, wy)") },
  { "x + 0.1", R ("wx + " W (R ("[0.1]"))) },
  { "2 * x", R ("2 * wx") },
  { "x + wy", "wx + wy" },
  { "sqrt(abs(x))", R ("sqrt(" W (R ("abs(wx)")) ")") },
  { "(x + y) * z - x", R (W (R (W (R ("wx + wy")) " * wz")) " - wx") },
  { "t = x * y; t + t", R (W (R ("wx * wy")) " + " W (R ("wx * wy"))) },
  { "relu(x * y + z) * wx", W (R ("relu(" W (R (W (R ("wx * wy")) " + wz")) ")")) " * wx" },
  { "x[::-1] + y", R ("wx[::-1] + wy") },
  { "x[::2] + y[::2]", R ("wx[::2] + wy[::2]") },
  { "x + y[0]", R ("wx + wy[0]") },
  { "sum(x)", R ("sum(wx)") },
  { "sum(x[::-1])", R ("sum(wx[::-1])") },
  { "sum(x * y)", R ("sum(" W (R ("wx * wy")) ")") },
  { "sum(x, dtype=float32)", "sum(wx)" },
  { "mean(x)", R ("mean(wx)") },
  { "max(x)", R ("max(wx)") },
  { "argmax(x)", "argmax(wx)" },
  { "var(y)", R ("var(wy)") },
  { "any(x)", "any(wx)" },
  { "prod(y[:4])", R ("prod(wy[:4])") },
  { "cumulative_sum(y)", R ("cumulative_sum(wy)") },
  { "sort(x)", R ("sort(wx)") },
  { "sort(x + y)", R ("sort(" W (R ("wx + wy")) ")") },
  { "argsort(x)", "argsort(wx)" },
  { "searchsorted(sort(y), z)", "searchsorted(sort(wy), wz)" },
  { "diff(x)", R ("diff(wx)") },
  { "concat(x, y)", R ("concat(wx, wy)") },
  { "stack(x, y)", R ("stack(wx, wy)") },
  { "roll(x, 3)", R ("roll(wx, 3)") },
  { "repeat(x, 2)", R ("repeat(wx, 2)") },
  { "take(x, [0, 2, 1])", R ("take(wx, [0, 2, 1])") },
  { "boolean_mask(x, x > y)", R ("boolean_mask(wx, wx > wy)") },
  { "nonzero(x)", "nonzero(wx)" },
  { "unique_values(y)", R ("unique_values(wy)") },
  { "isin(x, y)", "isin(wx, wy)" },
  { "vecdot(y, z)", R ("vecdot(wy, wz)") },
  { "e = exp(y - max(y)); e / sum(e)",
    "e = " W (R ("exp(" W (R ("wy - " W (R ("max(wy)")))) ")")) "; " R ("e / " W (R ("sum(e)"))) },
};

static const Pair matrices[] = {
  { "a @ b", R ("wa @ wb") },
  { "a.T @ b.T", R ("contiguous(wa.T) @ contiguous(wb.T)") },
  { "a @ wb", "wa @ wb" },
  { "relu(a @ b + 1)", R ("relu(" W (R (W (R ("wa @ wb")) " + 1")) ")") },
  { "a + b.T", R ("wa + wb.T") },
  { "a + a[0]", R ("wa + wa[0]") },
  { "sum(a, axis=0)", R ("sum(wa, axis=0)") },
  { "sum(a, axis=1)", R ("sum(wa, axis=1)") },
  { "sum(a.T, axis=0)", R ("sum(wa.T, axis=0)") },
  { "max(a, axis=-1, keepdims=true)", R ("max(wa, axis=-1, keepdims=true)") },
  { "a / sum(a, axis=1, keepdims=true)", R ("wa / " W (R ("sum(wa, axis=1, keepdims=true)"))) },
  { "(a * 2) / sum(a * 2, axis=0)", R (W (R ("wa * 2")) " / " W (R ("sum(" W (R ("wa * 2")) ", axis=0)"))) },
  { "e = exp(a - max(a, axis=-1, keepdims=true)); e / sum(e, axis=-1, keepdims=true)",
    "e = " W (R ("exp(" W (R ("wa - " W (R ("max(wa, axis=-1, keepdims=true)")))) ")")) "; " R (
      "e / " W (R ("sum(e, axis=-1, keepdims=true)"))) },
  { "cumulative_sum(a, axis=0)", R ("cumulative_sum(wa, axis=0)") },
  { "sort(a, axis=0)", R ("sort(wa, axis=0)") },
  { "tril(a)", R ("tril(wa)") },
  { "contiguous(a.T)", R ("contiguous(wa.T)") },
  { "reshape(a.T, [-1]) * 2", R ("reshape(wa.T, [-1]) * 2") },
};

static const char *const halves[] = { "float16", "bfloat16" };

static char *
with_dtype (const char *text, const char *dtype)
{
  g_auto (GStrv) parts = g_strsplit (text, ", half)", -1);
  g_autofree char *between = g_strdup_printf (", %s)", dtype);

  return g_strjoinv (between, parts);
}

/* Numbers of every size, some of them special, or only moderate ones. */
static CandelaTensor *
random_tensor (CandelaDType dtype, const gint64 *shape, gsize rank, gboolean special)
{
  static const float specials[] = { 0.0f, -0.0f, 1e-7f, 6e4f, -1e38f, INFINITY, -INFINITY, NAN };
  g_autoptr (GError) error = NULL;
  CandelaTensor *tensor = candela_tensor_new (dtype, shape, rank, &error);
  guint16 *data = candela_tensor_get_writable_data (tensor);

  g_assert_no_error (error);
  for (gint64 i = 0; i < candela_tensor_get_n_elements (tensor); i++)
    {
      float value = (float) g_test_rand_double_range (0.125, 2);

      if (special)
        value = g_test_rand_int_range (0, 10) == 0 ? specials[g_test_rand_int_range (0, G_N_ELEMENTS (specials))]
                                                   : (float) g_test_rand_double_range (-8, 8);
      g_assert_true (candela_dtype_convert (CANDELA_DTYPE_FLOAT32, &value, dtype, &data[i], 1));
    }
  return tensor;
}

/* A name, and the same values as float32. */
static void
add_value (GHashTable *names, const char *name, const char *wide_name, CandelaTensor *tensor)
{
  g_autoptr (GError) error = NULL;
  gsize rank;
  const gint64 *shape = candela_tensor_get_shape (tensor, &rank);
  CandelaTensor *wide = candela_tensor_new (CANDELA_DTYPE_FLOAT32, shape, rank, &error);

  g_assert_no_error (error);
  candela_dtype_convert (candela_tensor_get_dtype (tensor), candela_tensor_get_data (tensor), CANDELA_DTYPE_FLOAT32,
                         candela_tensor_get_writable_data (wide), (gsize) candela_tensor_get_n_elements (tensor));
  put_name (names, name, candela_node_new_tensor (tensor));
  put_name (names, wide_name, candela_node_new_tensor (wide));
  g_object_unref (tensor);
  g_object_unref (wide);
}

/* NaNs have any payload. */
static void
assert_same_halves (CandelaTensor *got, CandelaTensor *wanted, const char *what)
{
  CandelaDType dtype = candela_tensor_get_dtype (wanted);
  guint16 infinity = dtype == CANDELA_DTYPE_FLOAT16 ? 0x7c00 : 0x7f80;

  if (dtype != CANDELA_DTYPE_FLOAT16 && dtype != CANDELA_DTYPE_BFLOAT16)
    {
      assert_tensors_same (got, wanted, what);
      return;
    }
  g_assert_cmpstr (candela_dtype_get_name (candela_tensor_get_dtype (got)), ==, candela_dtype_get_name (dtype));
  g_assert_true (candela_layout_same_shape (candela_tensor_get_layout (got), candela_tensor_get_layout (wanted)));
  for (gint64 i = 0; i < candela_tensor_get_n_elements (got); i++)
    {
      guint16 g = *(const guint16 *) element_at (got, i), w = *(const guint16 *) element_at (wanted, i);

      if (g != w && ((g & 0x7fff) <= infinity || (w & 0x7fff) <= infinity))
        g_error ("%s: element %" G_GINT64_FORMAT " is 0x%04x and not 0x%04x", what, i, g, w);
    }
}

static void
check_pair (const Pair *pair, const char *dtype, GHashTable *names)
{
  g_autofree char *wanted_text = with_dtype (pair->wanted, dtype);
  g_autoptr (CandelaNode) got = build (pair->got, names), wanted = build (wanted_text, names);
  g_autoptr (CandelaPlan) plain = plan_node (wanted, NO_OPTIMIZATION);
  CandelaTensor **expected = run_plan (plain, NULL);

  g_test_message ("%s: %s", dtype, pair->got);
  for (guint flags = 0; flags < N_FLAGS; flags++)
    {
      g_autoptr (CandelaPlan) plan = plan_node (got, flags);
      CandelaTensor **tensors = run_plan (plan, NULL);

      assert_same_halves (tensors[0], expected[0], pair->got);
      free_tensors (tensors, 1);
    }
  free_tensors (expected, 1);
}

static void
test_vectors (void)
{
  static const gint64 sizes[] = { 7, 1000, 5000, 70001 };

  for (guint d = 0; d < G_N_ELEMENTS (halves); d++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        g_autoptr (GHashTable) names = names_new ();
        CandelaDType dtype = read_dtype (halves[d]);

        add_value (names, "x", "wx", random_tensor (dtype, &sizes[s], 1, TRUE));
        add_value (names, "y", "wy", random_tensor (dtype, &sizes[s], 1, FALSE));
        add_value (names, "z", "wz", random_tensor (dtype, &sizes[s], 1, FALSE));
        for (guint i = 0; i < G_N_ELEMENTS (vectors); i++)
          check_pair (&vectors[i], halves[d], names);
      }
}

static void
test_matrices (void)
{
  static const gint64 sizes[] = { 3, 40, 300 };

  for (guint d = 0; d < G_N_ELEMENTS (halves); d++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        g_autoptr (GHashTable) names = names_new ();
        CandelaDType dtype = read_dtype (halves[d]);
        const gint64 a[] = { sizes[s], sizes[s] + 5 }, b[] = { sizes[s] + 5, sizes[s] };

        add_value (names, "a", "wa", random_tensor (dtype, a, 2, FALSE));
        add_value (names, "b", "wb", random_tensor (dtype, b, 2, FALSE));
        for (guint i = 0; i < G_N_ELEMENTS (matrices); i++)
          check_pair (&matrices[i], halves[d], names);
      }
}

static void
assert_bits (const char *text, const char *dtype, const guint16 *x, const guint16 *y, gint64 n, const guint16 *wanted)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tx =
    candela_tensor_new_from_data (read_dtype (dtype), &n, 1, (const guint8 *) x, (gsize) n * sizeof *x, &error);
  g_autoptr (CandelaTensor) ty =
    candela_tensor_new_from_data (read_dtype (dtype), &n, 1, (const guint8 *) y, (gsize) n * sizeof *y, &error);
  g_autoptr (CandelaTensor) tw = candela_tensor_new_from_data (read_dtype (dtype), &n, 1, (const guint8 *) wanted,
                                                               (gsize) n * sizeof *wanted, &error);
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaTensor) got = NULL;

  put_name (names, "x", candela_node_new_tensor (tx));
  put_name (names, "y", candela_node_new_tensor (ty));
  node = build (text, names);
  got = candela_node_materialize (node, &error);
  g_assert_no_error (error);
  assert_same_halves (got, tw, text);
}

/* numpy.float16 1.24: x = [1, 0.1, -2.5, 65504, 6e-8, 1e-5, inf, 1000.5], y = [0.1, 0.2, 3, 1, 6e-8, 0.3, -1, 0.3333] */
static void
test_numpy (void)
{
  static const guint16 x[] = { 0x3c00, 0x2e66, 0xc100, 0x7bff, 0x0001, 0x00a8, 0x7c00, 0x63d1 };
  static const guint16 y[] = { 0x2e66, 0x3266, 0x4200, 0x3c00, 0x0001, 0x34cd, 0xbc00, 0x3555 };
  static const guint16 sum[] = { 0x3c66, 0x34cc, 0x3800, 0x7bff, 0x0002, 0x34cd, 0x7c00, 0x63d2 };
  static const guint16 difference[] = { 0x3b33, 0xae66, 0xc580, 0x7bff, 0x0000, 0xb4cd, 0x7c00, 0x63d0 };
  static const guint16 product[] = { 0x2e66, 0x251e, 0xc780, 0x7bff, 0x0000, 0x0032, 0xfc00, 0x5d36 };
  static const guint16 quotient[] = { 0x4900, 0x3800, 0xbaab, 0x7bff, 0x3c00, 0x0230, 0xfc00, 0x69dd };
  static const guint16 root[] = { 0x3c00, 0x350f, 0x3e53, 0x5bff, 0x0c00, 0x1a7b, 0x7c00, 0x4fe8 };

  assert_bits ("x + y", "float16", x, y, 8, sum);
  assert_bits ("x - y", "float16", x, y, 8, difference);
  assert_bits ("x * y", "float16", x, y, 8, product);
  assert_bits ("x / y", "float16", x, y, 8, quotient);
  assert_bits ("sqrt(abs(x))", "float16", x, y, 8, root);
}

static void
test_next_after (void)
{
  static const guint16 x[] = { 0x0000, 0x3c00, 0xbc00, 0x7bff, 0x8000, 0x7c00, 0x0000, 0x0001, 0x7e00, 0x3c00, 0x3c00 };
  static const guint16 y[] = { 0xbc00, 0x4000, 0x0000, 0x7c00, 0x3c00, 0x0000, 0x8000, 0xbc00, 0x3c00, 0x7e00, 0x3c00 };
  static const guint16 next[] = {
    0x8001, 0x3c01, 0xbbff, 0x7c00, 0x0001, 0x7bff, 0x8000, 0x0000, 0x7e00, 0x7e00, 0x3c00
  };
  static const guint16 one[] = { 0x3f80, 0x7f7f, 0x7f80 }, to[] = { 0x4000, 0x7f80, 0x0000 };
  static const guint16 after[] = { 0x3f81, 0x7f80, 0x7f7f };

  assert_bits ("nextafter(x, y)", "float16", x, y, 11, next);
  assert_bits ("nextafter(x, y)", "bfloat16", one, to, 3, after);
}

/* A dtype that is asked for, of values that are made. */
static void
test_created (void)
{
  static const Pair pairs[] = {
    { "zeros([3], dtype=float16)", "astype([0.0, 0.0, 0.0], float16)" },
    { "ones([2, 2], dtype=bfloat16)", "astype([[1.0, 1.0], [1.0, 1.0]], bfloat16)" },
    { "full([2], 0.1, dtype=float16)", "astype([0.1, 0.1], float16)" },
    { "full([2], 3, dtype=bfloat16)", "astype([3, 3], bfloat16)" },
    { "arange(5, dtype=float16)", "astype([0, 1, 2, 3, 4], float16)" },
    { "linspace(0, 1, 5, dtype=bfloat16)", "astype([0, 0.25, 0.5, 0.75, 1], bfloat16)" },
    { "eye(2, dtype=float16)", "astype([[1, 0], [0, 1]], float16)" },
    { "sum([1.5, 2.0], dtype=float16)", "astype(3.5, float16)" },
    { "sum([[1.5, 2.0], [1.0, 2.0]] * 2.0, axis=1, dtype=float16)", "astype([7.0, 6.0], float16)" },
    { "sum(astype([1.5, 2.0], float16) * 2, dtype=float64)", "7.0 + zeros([])" },
    { "sum(astype([[1.5, 2.0]], float16), axis=0, dtype=bfloat16)", "astype([1.5, 2.0], bfloat16)" },
    { "mean(zeros([0], dtype=float16)) > 0", "zeros([], dtype=bool)" },
    { "sum(zeros([0, 3], dtype=float16), axis=0)", "zeros([3], dtype=float16)" },
    { "sum(ones([], dtype=float16))", "ones([], dtype=float16)" },
    { "astype([300, 1, 0], bfloat16)", "astype([300.0, 1.0, 0.0], bfloat16)" },
    { "astype(astype([1.5, 2.5, -1.5], float16), int8)", "astype([1, 2, -1], int8)" },
    { "astype([1, 2], int8) + astype([0.5, 0.25], float16)", "astype([1.5, 2.25], float16)" },
    { "astype([1, 2], int16) + astype([0.5, 0.25], float16)", "astype([1.5, 2.25], float32)" },
    { "astype([1, 2], bfloat16) + astype([0.5, 0.25], float16)", "astype([1.5, 2.25], float32)" },
    { "astype([1, 2], float16) + astype([0.5, 0.25], float64)", "[1.5, 2.25]" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autoptr (GHashTable) names = names_new ();

      check_pair (&pairs[i], "", names);
    }
}

static void
test_refused (void)
{
  static const char *const texts[] = {
    "random_uniform([3], dtype=float16)",
    "random_uniform([3], dtype=bfloat16)",
    "bitwise_and(astype([1], float16), astype([1], float16))",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaExpression) expression = candela_expression_parse (texts[i], -1, NULL, &error);

      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE);
      g_assert_nonnull (strstr (error->message, "float16"));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/halves/vectors", test_vectors);
  g_test_add_func ("/halves/matrices", test_matrices);
  g_test_add_func ("/halves/numpy", test_numpy);
  g_test_add_func ("/halves/next-after", test_next_after);
  g_test_add_func ("/halves/created", test_created);
  g_test_add_func ("/halves/refused", test_refused);

  return g_test_run ();
}
