/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The arrange plugin, by expressions. Right values are NumPy's. */
#include "op-testing.h"

static CandelaNode *
build (const char *text, GError **error)
{
  return candela_expression_build (text, error, NULL);
}

#define X23 "x = reshape(arange(6), [2, 3]); "
#define Y23 X23 "y = x + 10; "

static const TextCase cases[] = {
  { "concat([1, 2], [3])", "int64", "3", "1 2 3" },
  { Y23 "concat(x, y)", "int64", "4 3", "0 1 2 3 4 5 10 11 12 13 14 15" },
  { Y23 "concat(x, y, axis=1)", "int64", "2 6", "0 1 2 10 11 12 3 4 5 13 14 15" },
  { Y23 "concat(x, y[:, :1], x[:, ::-2], axis=-1)", "int64", "2 6", "0 1 2 10 2 0 3 4 5 13 5 3" },
  { Y23 "concat(x, y[:0], x[1:])", "int64", "3 3", "0 1 2 3 4 5 3 4 5" },
  { Y23 "concat(x.T, y.T, axis=1)", "int64", "3 4", "0 3 10 13 1 4 11 14 2 5 12 15" },
  { "concat(astype([1, 0], bool), astype([5], int8), astype([300], uint16))", "int32", "4", "1 0 5 300" },
  { "concat(astype([1], uint8), astype([0.5], float32))", "float32", "2", "1 0.5" },
  { "concat(astype([1, 0], bool), astype([1], bool))", "bool", "3", "1 0 1" },
  { "concat(zeros([0, 2]), zeros([0, 2]), axis=1)", "float64", "0 4", "" },
  { X23 "concat(x)", "int64", "2 3", "0 1 2 3 4 5" },
  { "concat(broadcast_to([7], [3]), [8])", "int64", "4", "7 7 7 8" },
  { Y23 "stack(x, y)", "int64", "2 2 3", "0 1 2 3 4 5 10 11 12 13 14 15" },
  { Y23 "stack(x, y, axis=1)", "int64", "2 2 3", "0 1 2 10 11 12 3 4 5 13 14 15" },
  { Y23 "stack(x, y, axis=-1)", "int64", "2 3 2", "0 10 1 11 2 12 3 13 4 14 5 15" },
  { Y23 "stack(x[0], y[0], x[1], y[1], x[0], axis=1)", "int64", "3 5", "0 10 3 13 0 1 11 4 14 1 2 12 5 15 2" },
  { "stack(sum([1]), sum([2.5]))", "float64", "2", "1 2.5" },
  { "stack([1, 2])", "int64", "1 2", "1 2" },
  { Y23 "concat([x, y], axis=1)", "int64", "2 6", "0 1 2 10 11 12 3 4 5 13 14 15" },
  { "stack(zeros([0]), zeros([0]), axis=1)", "float64", "0 2", "" },
  { "stack(astype([1, 2], int16), astype([3, 4], int8)[::-1], axis=1)", "int16", "2 2", "1 4 2 3" },
  { X23 "tile(x, 2)", "int64", "2 6", "0 1 2 0 1 2 3 4 5 3 4 5" },
  { X23 "tile(x, [2, 1])", "int64", "4 3", "0 1 2 3 4 5 0 1 2 3 4 5" },
  { X23 "tile(x[:, ::2].T, [2, 2])", "int64", "4 4", "0 3 0 3 2 5 2 5 0 3 0 3 2 5 2 5" },
  { "tile([1, 2], [2, 1, 2])", "int64", "2 1 4", "1 2 1 2 1 2 1 2" },
  { X23 "tile(x, [])", "int64", "2 3", "0 1 2 3 4 5" },
  { X23 "tile(x, [0, 2])", "int64", "0 6", "" },
  { "contiguous(tile(sum([1.5]), [3]))", "float64", "3", "1.5 1.5 1.5" },
  { "repeat([1, 2, 3], 2)", "int64", "6", "1 1 2 2 3 3" },
  { X23 "repeat(x, 2)", "int64", "12", "0 0 1 1 2 2 3 3 4 4 5 5" },
  { X23 "repeat(x.T, 2)", "int64", "12", "0 0 3 3 1 1 4 4 2 2 5 5" },
  { X23 "repeat(x, 2, axis=0)", "int64", "4 3", "0 1 2 0 1 2 3 4 5 3 4 5" },
  { X23 "repeat(x, [1, 0, 3], axis=-1)", "int64", "2 4", "0 2 2 2 3 5 5 5" },
  { X23 "repeat(x[:, ::-1], [2, 1], axis=0)", "int64", "3 3", "2 1 0 2 1 0 5 4 3" },
  { "repeat(astype([1, 0], bool), [3, 2])", "bool", "5", "1 1 1 0 0" },
  { "repeat(astype([1, 2], int16), [1, 2])", "int16", "3", "1 2 2" },
  { "repeat([1, 2], 0)", "int64", "0", "" },
  { "repeat(sum([4]), 2)", "int64", "2", "4 4" },
  { X23 "repeat(x, 1, axis=0)", "int64", "2 3", "0 1 2 3 4 5" },
  { X23 "repeat(x, 1)", "int64", "6", "0 1 2 3 4 5" },
  { "roll(arange(5), 2)", "int64", "5", "3 4 0 1 2" },
  { "roll(arange(5), -1)", "int64", "5", "1 2 3 4 0" },
  { "roll(arange(5)[::-1], 12)", "int64", "5", "1 0 4 3 2" },
  { X23 "roll(x, 1)", "int64", "2 3", "5 0 1 2 3 4" },
  { X23 "roll(x, 1, axis=0)", "int64", "2 3", "3 4 5 0 1 2" },
  { X23 "roll(x, 1, axis=1)", "int64", "2 3", "2 0 1 5 3 4" },
  { X23 "roll(x, [1, -1], axis=[0, 1])", "int64", "2 3", "4 5 3 1 2 0" },
  { X23 "roll(x, 1, axis=[0, 1])", "int64", "2 3", "5 3 4 2 0 1" },
  { X23 "roll(x, [1, 1], axis=[1, -1])", "int64", "2 3", "1 2 0 4 5 3" },
  { X23 "roll(x, 3, axis=1)", "int64", "2 3", "0 1 2 3 4 5" },
  { "roll(arange(3), -9223372036854775808)", "int64", "3", "2 0 1" },
  { "roll(1.5, 1, axis=[])", "float64", "", "1.5" },
  { "roll(zeros([0, 2]), 1, axis=0)", "float64", "0 2", "" },
  { "tril(reshape(arange(9), [3, 3]))", "int64", "3 3", "0 0 0 3 4 0 6 7 8" },
  { "triu(reshape(arange(9), [3, 3]))", "int64", "3 3", "0 1 2 0 4 5 0 0 8" },
  { "tril(reshape(arange(9), [3, 3]), 1)", "int64", "3 3", "0 1 0 3 4 5 6 7 8" },
  { "triu(reshape(arange(9), [3, 3]), -1)", "int64", "3 3", "0 1 2 3 4 5 0 7 8" },
  { "tril(reshape(arange(8), [2, 2, 2]), -1)", "int64", "2 2 2", "0 0 2 0 0 0 6 0" },
  { X23 "triu(x.T)", "int64", "3 2", "0 3 0 4 0 0" },
  { "tril(ones([2, 2]) * (0 - 0.0) / 0)", "float64", "2 2", "nan 0 nan nan" },
  { "triu(ones([2, 3], int8), 9223372036854775807)", "int8", "2 3", "0 0 0 0 0 0" },
  { "triu(ones([2, 3], bool), -9223372036854775808)", "bool", "2 3", "1 1 1 1 1 1" },
  { "tril(ones([0, 3]))", "float64", "0 3", "" },
  { "diff([1, 4, 9, 16])", "int64", "3", "3 5 7" },
  { "diff([1, 4, 9, 16], n=2)", "int64", "2", "2 2" },
  { "diff([1, 4, 9, 16], n=4)", "int64", "0", "" },
  { "diff([1, 4, 9, 16], n=9223372036854775807)", "int64", "0", "" },
  { "diff([1, 4], n=0)", "int64", "2", "1 4" },
  { "diff([1, 4], [0], n=0)", "int64", "3", "0 1 4" },
  { "diff([1, 4, 9], [0], [10])", "int64", "4", "1 3 5 1" },
  { "diff([1.5, 4.0], [0, -1], n=2)", "float64", "2", "3.5 0" },
  { "diff([1, 4, 9], zeros([0], int64), [10, 12])", "int64", "4", "3 5 1 2" },
  { X23 "diff(x * x)", "int64", "2 2", "1 3 7 9" },
  { X23 "diff(x * x, axis=0)", "int64", "1 3", "9 15 21" },
  { X23 "diff((x * x)[::-1, ::-1])", "int64", "2 2", "-9 -7 -3 -1" },
  { X23 "diff((x * x).T, axis=0)", "int64", "2 2", "1 7 3 9" },
  { X23 "diff(x, [[9, 9, 9]], axis=0)", "int64", "2 3", "-9 -8 -7 3 3 3" },
  { "diff(astype([250, 4], uint8))", "uint8", "1", "10" },
  { "diff(astype([-100, 100], int8))", "int8", "1", "-56" },
  { "diff(astype([0.1, 0.3], float32))", "float32", "1", "0.20000001788139343" },
  { "diff([0.1, 0.3])", "float64", "1", "0.19999999999999998" },
  { "diff(zeros([3, 0]), axis=0)", "float64", "2 0", "" },
};

static void
test_values (void)
{
  assert_text_cases (cases, G_N_ELEMENTS (cases));
}

/* What is large enough to be cut: views of the result are the parts again. */
static const char *const large[] = {
  "x = reshape(arange(210000), [300, 700]); y = concat(x, x[::-1] + 1); all(y[:300] == x) & all(y[300:] == x[::-1] + "
  "1)",
  "x = reshape(arange(210000), [300, 700]); y = concat(x, x[:, ::-1] + 1, axis=1); "
  "all(y[:, :700] == x) & all(y[:, 700:] == x[:, ::-1] + 1)",
  "x = reshape(arange(210000), [70000, 3]); y = concat(x, x[:, :2] + 1, axis=1); "
  "all(y[:, :3] == x) & all(y[:, 3:] == x[:, :2] + 1)",
  "x = astype(arange(100000), float32); y = stack(x, x + 1, x + 2, x + 3, x + 4, axis=1); "
  "all(y == expand_dims(x, 1) + arange(5))",
  "x = astype(arange(100000), uint8); y = stack(x, x + 1, x + 2, axis=1); "
  "all(y == astype(expand_dims(x, 1) + arange(3), uint8))",
  "x = astype(arange(100000), int16); y = stack(x, x + 1, axis=1); all(y[:, 0] == x) & all(y[:, 1] == x + 1)",
  "x = arange(300000); y = concat(x[:200000], x[200000:]); all(y == x)",
  "x = reshape(arange(150000), [3, 50000]); y = roll(x, [1, -7], axis=[0, 1]); "
  "all(y[0, :49993] == x[2, 7:]) & all(y[1, 49993:] == x[0, :7]) & all(y[2, 1:49993] == x[1, 8:])",
  "x = reshape(arange(150000), [50000, 3]); y = roll(x, 1, axis=[0, 1]); "
  "all(y[1:, 1:] == x[:-1, :2]) & all(y[1:, 0] == x[:-1, 2]) & all(y[0] == roll(x[-1], 1))",
  "x = arange(150000); y = roll(x, 100); all(y[100:] == x[:-100]) & all(y[:100] == x[-100:])",
  "x = reshape(arange(240000), [400, 600]) + 1; y = tril(x, 3) + triu(x, 4); all(y == x)",
  "x = reshape(arange(240000), [400, 600]) + 1; i = expand_dims(arange(400), 1); all(tril(x) == x * (arange(600) <= "
  "i))",
  "x = reshape(arange(240000), [400, 600]).T; i = expand_dims(arange(600), 1); all(triu(x) == x * (arange(400) >= i))",
  "x = arange(1000); y = tile(x, [200, 1]); all(y == x)",
  "x = arange(100000); y = repeat(x, 3); all(reshape(y, [100000, 3]) == expand_dims(x, 1))",
  "x = arange(30000); y = repeat(reshape(x, [3, 10000]), [2, 0, 1], axis=0); "
  "all(y[:2] == x[:10000]) & all(y[2] == x[20000:])",
  "x = astype(arange(200000), float64) * 0.1; all(diff(x) == x[1:] - x[:-1])",
  "x = astype(arange(200000), float64) * 0.1; y = x[1:] - x[:-1]; all(diff(x, n=2) == y[1:] - y[:-1])",
  "x = astype(arange(200000), float64) * 0.1; y = x[::-2]; all(diff(y) == y[1:] - y[:-1])",
  "x = sin(reshape(arange(240000), [4, 60000])); all(diff(x, axis=0) == x[1:] - x[:-1])",
  "x = sin(reshape(arange(240000), [4, 60000])); y = x[1:] - x[:-1]; all(diff(x, axis=0, n=2) == y[1:] - y[:-1])",
  "x = sin(reshape(arange(240000), [60000, 4])); y = concat(x[:, :1] + 1, x, axis=1); "
  "all(diff(x, x[:, :1] + 1) == y[:, 1:] - y[:, :-1])",
  "x = arange(140000); y = concat(x[::2], astype(x[1::2], float32)); "
  "all(y[:70000] == x[::2]) & all(y[70000:] == x[1::2])",
};

static void
test_large (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (large); i++)
    {
      g_autoptr (CandelaTensor) result = evaluate (large[i]);

      assert_elements (result, "bool", "", "1", large[i]);
    }
}

typedef struct
{
  const char *text;
  CandelaError code;
  const char *message;
} Refusal;

static const Refusal refusals[] = {
  { "concat()", CANDELA_ERROR_ARITY, "concat: takes at least 1 array; none given" },
  { "concat(sum([1]), sum([2]))", CANDELA_ERROR_SHAPE, "concat: input 0 has shape []: there is no axis to join along" },
  { "concat(ones([1, 2]), ones([1, 3]))", CANDELA_ERROR_SHAPE,
    "concat: input 0 has shape [1, 2] and input 1 has shape [1, 3]: they must be the same, but for axis 0" },
  { "concat(ones([1]), ones([1]), ones([1, 1]))", CANDELA_ERROR_SHAPE,
    "concat: input 0 has shape [1] and input 2 has shape [1, 1]: they must be the same, but for axis 0" },
  { "concat([1], [2], axis=1)", CANDELA_ERROR_AXIS, "concat: axis 1 is out of range: input 0 has shape [1]" },
  { "concat([1], [2], axis=-2)", CANDELA_ERROR_AXIS, NULL },
  { "x = broadcast_to(1, [4611686018427387904]); concat(x, x, x)", CANDELA_ERROR_SHAPE,
    "concat: the result has more elements than can be counted" },
  { "stack()", CANDELA_ERROR_ARITY, "stack: takes at least 1 array; none given" },
  { "stack([1, 2], [3])", CANDELA_ERROR_SHAPE,
    "stack: input 0 has shape [2] and input 1 has shape [1]: they must be the same" },
  { "stack([1], [2], axis=2)", CANDELA_ERROR_AXIS, "stack: axis 2 is out of range: the result has 2 axes" },
  { "stack([1], [2], axis=-3)", CANDELA_ERROR_AXIS, NULL },
  { "tile([1], -1)", CANDELA_ERROR_PARAMETER, NULL },
  { "tile([1, 2], 9223372036854775807)", CANDELA_ERROR_SHAPE,
    "tile: the result has more elements than can be counted" },
  { "repeat([1, 2, 3], [1, 2])", CANDELA_ERROR_PARAMETER, "repeat: repeats has 2 numbers; it must have 1 or 3" },
  { "repeat([1, 2], 9223372036854775807)", CANDELA_ERROR_SHAPE,
    "repeat: the result has more elements than can be counted" },
  { "repeat([1, 2], [9223372036854775807, 1])", CANDELA_ERROR_SHAPE, NULL },
  { "repeat([1, 2], [1, -1])", CANDELA_ERROR_PARAMETER, NULL },
  { "repeat([1, 2], 2, axis=1)", CANDELA_ERROR_AXIS, "repeat: axis 1 is out of range: x has shape [2]" },
  { "roll([1, 2], [1, 2])", CANDELA_ERROR_PARAMETER, "roll: shift has 2 numbers; it must have 1, as x is flattened" },
  { "roll([[1, 2]], [1, 2, 3], axis=[0, 1])", CANDELA_ERROR_PARAMETER,
    "roll: shift has 3 numbers; it must have 1 or 2, as axis has" },
  { "roll([1, 2], 1, axis=1)", CANDELA_ERROR_AXIS, "roll: axis 1 is out of range: x has shape [2]" },
  { "diff(sum([1]))", CANDELA_ERROR_AXIS, "diff: axis -1 is out of range: x has shape []" },
  { "diff(astype([1], bool))", CANDELA_ERROR_DTYPE, NULL },
  { "diff([1, 2], n=-1)", CANDELA_ERROR_PARAMETER, NULL },
  { "diff([[1, 2]], [1])", CANDELA_ERROR_SHAPE,
    "diff: input 0 has shape [1, 2] and input 1 has shape [1]: they must be the same, but for axis 1" },
  { "tril([1, 2])", CANDELA_ERROR_SHAPE, "tril: x has shape [2]; it must be a matrix, or several: two axes at least" },
  { "stack(reshape([1], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
    "1]))",
    CANDELA_ERROR_SHAPE, NULL },
};

static void
test_refusals (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) node = build (refusals[i].text, &error);

      g_assert_null (node);
      g_assert_error (error, CANDELA_ERROR, (int) refusals[i].code);
      if (refusals[i].message != NULL && strstr (error->message, refusals[i].message) == NULL)
        g_assert_cmpstr (error->message, ==, refusals[i].message);
    }
}

static CandelaTensor *
complex_tensor (CandelaDType dtype, double start)
{
  g_autoptr (GError) error = NULL;
  const gint64 shape[] = { 2, 2 };
  CandelaTensor *tensor = candela_tensor_new (dtype, shape, 2, &error);
  gpointer data = candela_tensor_get_writable_data (tensor);

  g_assert_no_error (error);
  for (guint i = 0; i < 8; i++)
    if (dtype == CANDELA_DTYPE_COMPLEX64)
      ((float *) data)[i] = (float) (start + i);
    else
      ((double *) data)[i] = start + i;
  return tensor;
}

/* Real and imaginary parts of the result of an op over complex [[0+1i, 2+3i], [4+5i, 6+7i]]
 * and the same with 10 more. */
static void
assert_complex (const char *op, const char *params_text, const double *wanted, guint n)
{
  const CandelaDType dtypes[] = { CANDELA_DTYPE_COMPLEX64, CANDELA_DTYPE_COMPLEX128 };

  for (guint d = 0; d < 2; d++)
    {
      g_autoptr (CandelaTensor) x = complex_tensor (dtypes[d], 0.0);
      g_autoptr (CandelaTensor) y = complex_tensor (dtypes[d], 10.0);
      g_autoptr (CandelaNode) a = candela_node_new_tensor (x);
      g_autoptr (CandelaNode) b = candela_node_new_tensor (y);
      g_autoptr (CandelaTensor) result = NULL;

      result = compute_op (op, params_text, a, g_str_equal (op, "concat") || g_str_equal (op, "stack") ? b : NULL);
      g_assert_cmpint (candela_tensor_get_dtype (result), ==, dtypes[d]);
      g_assert_cmpint (candela_tensor_get_n_elements (result), ==, n / 2);
      for (guint i = 0; i < n; i++)
        g_assert_cmpfloat (part_of (result, i), ==, wanted[i]);
    }
}

static void
test_complex (void)
{
  const double joined[] = { 0, 1, 2, 3, 10, 11, 12, 13, 4, 5, 6, 7, 14, 15, 16, 17 };
  const double woven[] = { 0, 1, 10, 11, 2, 3, 12, 13, 4, 5, 14, 15, 6, 7, 16, 17 };
  const double rolled[] = { 2, 3, 0, 1, 6, 7, 4, 5 };
  const double upper[] = { 0, 1, 2, 3, 0, 0, 6, 7 };
  const double differences[] = { 4, 4, 4, 4 };
  const double repeated[] = { 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7 };

  assert_complex ("concat", "{'axis': <1>}", joined, 16);
  assert_complex ("stack", "{'axis': <-1>}", woven, 16);
  assert_complex ("roll", "{'shift': <[int64 1]>, 'axis': <[int64 1]>}", rolled, 8);
  assert_complex ("triu", NULL, upper, 8);
  assert_complex ("diff", "{'axis': <0>}", differences, 4);
  assert_complex ("repeat", "{'repeats': <[int64 1, 2]>, 'axis': <0>}", repeated, 12);
}

static void
test_complex_and_real (void)
{
  const double wanted[] = { 0, 1, 2, 3, 4, 5, 6, 7, 1, 0, 2, 0, 3, 0, 4, 0 };
  g_autoptr (CandelaTensor) x = complex_tensor (CANDELA_DTYPE_COMPLEX64, 0.0);
  g_autoptr (CandelaNode) a = candela_node_new_tensor (x);
  g_autoptr (CandelaNode) b = make_value ("int16", "2 2", "1 2 3 4");
  g_autoptr (CandelaTensor) result = compute_op ("concat", NULL, a, b);

  g_assert_cmpint (candela_tensor_get_dtype (result), ==, CANDELA_DTYPE_COMPLEX64);
  for (guint i = 0; i < 16; i++)
    g_assert_cmpfloat (part_of (result, i), ==, wanted[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/arrange/values", test_values);
  g_test_add_func ("/arrange/large", test_large);
  g_test_add_func ("/arrange/refusals", test_refusals);
  g_test_add_func ("/arrange/complex", test_complex);
  g_test_add_func ("/arrange/complex-and-real", test_complex_and_real);
  return g_test_run ();
}
