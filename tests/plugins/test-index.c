/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The index plugin, by expressions. Right values are NumPy's. */
#include "op-testing.h"

#define X34 "x = reshape(arange(12), [3, 4]); "

static const TextCase cases[] = {
  { "take([10, 20, 30], [2, 0, 0, -1])", "int64", "4", "30 10 10 30" },
  { "take([10, 20, 30][::-1], [2, 0])", "int64", "2", "10 30" },
  { X34 "take(x, [1, -1], axis=0)", "int64", "2 4", "4 5 6 7 8 9 10 11" },
  { X34 "take(x, [1, -1], axis=1)", "int64", "3 2", "1 3 5 7 9 11" },
  { X34 "take(x.T, [2, 0], axis=0)", "int64", "2 3", "2 6 10 0 4 8" },
  { X34 "take(x.T, [2, 0], axis=-1)", "int64", "4 2", "8 0 9 1 10 2 11 3" },
  { X34 "take(x[:, ::2], [[0, 1], [1, 1]], axis=1)", "int64", "3 2 2", "0 2 2 2 4 6 6 6 8 10 10 10" },
  { X34 "take(x, 1, axis=0)", "int64", "4", "4 5 6 7" },
  { "take([1.5, 2.5], astype([1, 0], uint8))", "float64", "2", "2.5 1.5" },
  { "take([1.5, 2.5], astype([1, -2], int8))", "float64", "2", "2.5 1.5" },
  { "take(astype([1, 0], bool), astype([1, 0, 0], uint64))", "bool", "3", "0 1 1" },
  { "take([1, 2], zeros([0], int64))", "int64", "0", "" },
  { "take(zeros([0, 2]), zeros([0], int64), axis=0)", "float64", "0 2", "" },
  { "take(zeros([3, 0]), [2, 2], axis=0)", "float64", "2 0", "" },
  { "take(reshape(arange(24), [2, 3, 4]), [2, 0], axis=1)", "int64", "2 2 4",
    "8 9 10 11 0 1 2 3 20 21 22 23 12 13 14 15" },
  { "take(permute_dims(reshape(arange(24), [2, 3, 4]), [2, 0, 1]), [3, 0], axis=0)", "int64", "2 2 3",
    "3 7 11 15 19 23 0 4 8 12 16 20" },
  { "take_along_axis([10, 20, 30], [2, 0, -1])", "int64", "3", "30 10 30" },
  { X34 "take_along_axis(x, [[0, -1], [1, 1], [2, 3]])", "int64", "3 2", "0 3 5 5 10 11" },
  { X34 "take_along_axis(x, [[0, 2, 1, -3]], axis=0)", "int64", "1 4", "0 9 6 3" },
  { X34 "take_along_axis(x.T, [[0, 2, 1], [1, 1, 0]], axis=0)", "int64", "2 3", "0 6 9 1 5 8" },
  { X34 "take_along_axis(x, [[1, 2]], axis=1)", "int64", "3 2", "1 2 5 6 9 10" },
  { "take_along_axis([[5, 6]], [[0], [1], [0]], axis=1)", "int64", "3 1", "5 6 5" },
  { X34 "take_along_axis(x, expand_dims(argmax(x[:, ::-1], axis=1), 1), axis=1)", "int64", "3 1", "0 4 8" },
  { "take_along_axis(zeros([2, 0]), zeros([2, 0], int32), axis=1)", "float64", "2 0", "" },

  { "nonzero([3, 0, 0, 2])", "int64", "1 2", "0 3" },
  { "nonzero([[3, 0, 0], [0, 4, 0], [5, 6, 0]])", "int64", "2 4", "0 1 2 2 0 1 0 1" },
  { "nonzero([[3, 0, 0], [0, 4, 0], [5, 6, 0]].T)", "int64", "2 4", "0 0 1 1 0 2 1 2" },
  { "nonzero(reshape(arange(8) % 3, [2, 2, 2]))", "int64", "3 5", "0 0 1 1 1 0 1 0 0 1 1 0 0 1 1" },
  { "nonzero(astype([1, 0, 1], bool)[::-1])", "int64", "1 2", "0 2" },
  { "nonzero([0.0, -0.0, 1.0] / [0.0, 1.0, 1.0])", "int64", "1 2", "0 2" },
  { "nonzero(full([2], 1e-300))", "int64", "1 2", "0 1" },
  { "nonzero(astype([0, 256], int16))", "int64", "1 1", "1" },
  { "nonzero(zeros([4]))", "int64", "1 0", "" },
  { "nonzero(zeros([2, 0, 3]))", "int64", "3 0", "" },
  { "boolean_mask([1, 2, 3], astype([1, 0, 1], bool))", "int64", "2", "1 3" },
  { "boolean_mask([1, 2, 3], [1, 2, 3] > 3)", "int64", "0", "" },
  { X34 "boolean_mask(x, x % 5 == 1)", "int64", "3", "1 6 11" },
  { X34 "boolean_mask(x.T, x.T % 5 < 2)", "int64", "6", "0 1 5 6 10 11" },
  { X34 "boolean_mask(x, [4, 0, 9] > 3)", "int64", "2 4", "0 1 2 3 8 9 10 11" },
  { X34 "boolean_mask(x.T, [4, 0, 9, 5][::-1] > 4)", "int64", "2 3", "0 4 8 1 5 9" },
  { X34 "boolean_mask(x, true)", "int64", "1 3 4", "0 1 2 3 4 5 6 7 8 9 10 11" },
  { X34 "boolean_mask(x, false)", "int64", "0 3 4", "" },
  { "boolean_mask(sum([5]), true)", "int64", "1", "5" },
  { "boolean_mask(zeros([3, 0]), [1, 0, 1] > 0)", "float64", "2 0", "" },
  { "boolean_mask(zeros([0, 2]), ones([0, 2], bool))", "float64", "0", "" },
};

static void
test_values (void)
{
  assert_text_cases (cases, G_N_ELEMENTS (cases));
}

/* Every size of elements and units, against slices, and what is large enough to be cut. */
static const char *const large[] = {
  "x = arange(200000); all(take(x, x[::-1]) == x[::-1])",
  "x = reshape(arange(210000), [300, 700]); all(take(x, arange(300)[::-1], axis=0) == x[::-1])",
  "x = reshape(arange(210000), [300, 700]); all(take(x, arange(700)[::-1], axis=1) == x[:, ::-1])",
  "x = reshape(arange(210000), [300, 700]); all(take(x.T, arange(700)[::2], axis=0) == x.T[::2])",
  "x = reshape(arange(210000), [300, 7, 100]); all(take(x, arange(7)[::-1], axis=1) == x[:, ::-1])",
  "x = reshape(arange(210000), [300, 7, 100])[:, :, ::3]; all(take(x, arange(7)[::-1], axis=1) == x[:, ::-1])",
  "x = astype(reshape(arange(30000), [10000, 3]), uint8); all(take(x, arange(10000)[::-1], axis=0) == x[::-1])",
  "x = astype(reshape(arange(70000), [10000, 7]), int16); all(take(x, arange(10000)[::-1], axis=0) == x[::-1])",
  "x = astype(reshape(arange(50000), [10000, 5]), float32); all(take(x, arange(10000)[::-1], axis=0) == x[::-1])",
  "x = reshape(arange(210000), [300, 700]); i = broadcast_to(arange(700)[::-1], [300, 700]); "
  "all(take_along_axis(x, i) == x[:, ::-1])",
  "x = reshape(arange(210000), [300, 700]); i = expand_dims(arange(300)[::-1], 1); "
  "all(take_along_axis(x, i, axis=0) == x[::-1])",
  "all(nonzero(arange(300000) % 7 == 3)[0] == 3 + 7 * arange(42857))",
  "all(nonzero((arange(600000) % 14 == 6)[::2])[0] == 3 + 7 * arange(42857))",
  "i = nonzero(reshape(arange(300000), [300, 10, 100]) % 7 == 3); "
  "all(i[0] * 1000 + i[1] * 100 + i[2] == 3 + 7 * arange(42857))",
  "x = permute_dims(reshape(arange(300000), [300, 10, 100]), [2, 0, 1]); m = x % 7 == 3; i = nonzero(m); "
  "all(i[1] * 1000 + i[2] * 100 + i[0] == boolean_mask(x, m))",
  "all(nonzero(ones([100, 1000]))[1] == arange(100000) % 1000)",
  "x = arange(300000); all(boolean_mask(x, x % 7 == 3) == x[3::7])",
  "x = arange(300000)[::-1]; all(boolean_mask(x, x % 7 == 3) == 299995 - 7 * arange(42857))",
  "x = astype(arange(100000) % 251, uint8); all(boolean_mask(x, arange(100000) % 7 == 3) == x[3::7])",
  "x = astype(arange(300000), int16); all(boolean_mask(x, arange(300000) % 7 == 3) == x[3::7])",
  "x = astype(arange(300000), float32); all(boolean_mask(x, arange(300000) % 7 == 3) == x[3::7])",
  "x = reshape(arange(210000), [30000, 7]); all(boolean_mask(x, arange(30000) % 7 == 3) == x[3::7])",
  "x = reshape(arange(210000), [30000, 7])[:, ::2]; all(boolean_mask(x, arange(30000) % 7 == 3) == x[3::7])",
  "x = reshape(arange(210000), [300, 700]); all(boolean_mask(x, arange(300) % 7 == 3) == x[3::7])",
  "x = reshape(arange(210000), [700, 300]).T; all(boolean_mask(x, arange(300) % 7 == 3) == x[3::7])",
  "x = astype(reshape(arange(90000), [30000, 3]), int8); all(boolean_mask(x, arange(30000) % 7 == 3) == x[3::7])",
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
  { "take([1, 2], [0.5])", CANDELA_ERROR_DTYPE, NULL },
  { "take([1, 2], astype([1], bool))", CANDELA_ERROR_DTYPE, NULL },
  { "take([[1, 2]], [0])", CANDELA_ERROR_AXIS, "take: x has shape [1, 2]: axis must be given unless x has one axis" },
  { "take(sum([1]), [0])", CANDELA_ERROR_AXIS, NULL },
  { "take([1, 2], [0], axis=1)", CANDELA_ERROR_AXIS, "take: axis 1 is out of range: x has shape [2]" },
  { "take_along_axis([1, 2], [[0]])", CANDELA_ERROR_SHAPE,
    "take_along_axis: x has shape [2] and indices has shape [1, 1]: but for axis 0 they must be of as many axes and go "
    "together" },
  { "take_along_axis(ones([2, 3]), zeros([3, 1], int64), axis=1)", CANDELA_ERROR_SHAPE, NULL },
  { "take_along_axis([1, 2], [0], axis=-2)", CANDELA_ERROR_AXIS, NULL },
  { "nonzero(sum([1]))", CANDELA_ERROR_SHAPE, "nonzero: x has shape []; it must have an axis" },
  { "nonzero(3)", CANDELA_ERROR_SHAPE, NULL },
  { "boolean_mask([1, 2], [1, 0])", CANDELA_ERROR_DTYPE, "boolean_mask: mask has dtype int64; it must be bool" },
  { "boolean_mask([1, 2], [1, 2, 3] > 1)", CANDELA_ERROR_SHAPE,
    "boolean_mask: x has shape [2] and mask has shape [3]; it must be that of x's first axes" },
  { "boolean_mask([1, 2], [[1, 2]] > 1)", CANDELA_ERROR_SHAPE, NULL },
  { "boolean_mask([1, 2], take([1, 2], [0, 3]) > 0)", CANDELA_ERROR_AXIS, "take: index 3" },
};

static void
test_refusals (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) node = candela_expression_build (refusals[i].text, &error, NULL);

      g_assert_null (node);
      g_assert_error (error, CANDELA_ERROR, (int) refusals[i].code);
      if (refusals[i].message != NULL && strstr (error->message, refusals[i].message) == NULL)
        g_assert_cmpstr (error->message, ==, refusals[i].message);
    }
}

/* Only the run knows of these. The first one is told, whoever finds it. */
static const struct
{
  const char *text, *message;
} out_of_range[] = {
  { "take([1, 2, 3], [0, 3])", "take: index 3, at [1] of indices, is out of range for axis 0 of x, of length 3" },
  { "take([1, 2, 3], [[0, 1], [-4, 9]])",
    "take: index -4, at [1, 0] of indices, is out of range for axis 0 of x, of length 3" },
  { "take(ones([2, 5]), [0, 5], axis=1)",
    "take: index 5, at [1] of indices, is out of range for axis 1 of x, of length 5" },
  { "take(ones([0, 2]), [0], axis=0)",
    "take: index 0, at [0] of indices, is out of range for axis 0 of x, of length 0" },
  { "take([1, 2], astype([-1], uint64))",
    "take: index 18446744073709551615, at [0] of indices, is out of range for axis 0 of x, of length 2" },
  { "take([1, 2], [-9223372036854775808])",
    "take: index -9223372036854775808, at [0] of indices, is out of range for axis 0 of x, of length 2" },
  { "i = arange(300000); take([1, 2], where(i < 100001, 0, i))",
    "take: index 100001, at [100001] of indices, is out of range for axis 0 of x, of length 2" },
  { "take_along_axis([[1, 2], [3, 4]], [[0, 1], [2, 0]])",
    "take_along_axis: index 2, at [1, 0] of indices, is out of range for axis 1 of x, of length 2" },
};

static void
test_out_of_range (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (out_of_range); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) node = candela_expression_build (out_of_range[i].text, &error, NULL);
      g_autoptr (CandelaTensor) tensor = NULL;

      g_assert_no_error (error);
      tensor = candela_node_materialize (node, &error);
      g_assert_null (tensor);
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_AXIS);
      g_assert_cmpstr (error->message, ==, out_of_range[i].message);
    }
}

static void
test_complex (void)
{
  g_autoptr (GError) error = NULL;
  const gint64 shape[] = { 3 };
  g_autoptr (CandelaNode) indices = make_value ("int8", "2", "-1 0");
  g_autoptr (CandelaNode) mask = make_value ("bool", "3", "0 1 1");

  for (guint d = 0; d < 2; d++)
    {
      CandelaDType dtype = d == 0 ? CANDELA_DTYPE_COMPLEX64 : CANDELA_DTYPE_COMPLEX128;
      gsize size = candela_dtype_get_size (dtype);
      g_autoptr (CandelaTensor) x = candela_tensor_new (dtype, shape, 1, &error);
      g_autoptr (CandelaNode) node = NULL;
      g_autoptr (CandelaTensor) chosen = NULL;
      guint8 *data = candela_tensor_get_writable_data (x);
      const char *const ops[] = { "take", "take_along_axis" };

      for (gsize i = 0; i < 3 * size; i++)
        data[i] = i;
      node = candela_node_new_tensor (x);
      for (guint k = 0; k < 2; k++)
        {
          g_autoptr (CandelaTensor) result = compute_op (ops[k], NULL, node, indices);
          const guint8 *got = candela_tensor_get_data (result);

          g_assert_cmpint (candela_tensor_get_dtype (result), ==, dtype);
          g_assert_cmpmem (got, size, data + 2 * size, size);
          g_assert_cmpmem (got + size, size, data, size);
        }
      chosen = compute_op ("boolean_mask", NULL, node, mask);
      g_assert_cmpmem (candela_tensor_get_data (chosen), 2 * size, data + size, 2 * size);
    }
}

/* Imaginary parts count. */
static void
test_nonzero_complex (void)
{
  const gint64 shape = 4;
  g_autoptr (CandelaTensor) x = candela_tensor_new (CANDELA_DTYPE_COMPLEX64, &shape, 1, NULL);
  g_autoptr (CandelaNode) node = candela_node_new_tensor (x);
  g_autoptr (CandelaTensor) places = NULL;
  float *parts = candela_tensor_get_writable_data (x);

  parts[2] = 1;
  parts[7] = -1;
  places = compute_op ("nonzero", NULL, node, NULL);
  assert_elements (places, "int64", "1 2", "1 3", "nonzero of complex numbers");
}

/* The elements are where they are, however many threads look for them. */
static void
test_threads (void)
{
  for (guint threads = 1; threads <= 4; threads += 3)
    {
      candela_set_num_threads (threads);
      test_large ();
    }
  candela_set_num_threads (0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/index/values", test_values);
  g_test_add_func ("/index/large", test_large);
  g_test_add_func ("/index/refusals", test_refusals);
  g_test_add_func ("/index/out-of-range", test_out_of_range);
  g_test_add_func ("/index/complex", test_complex);
  g_test_add_func ("/index/nonzero-complex", test_nonzero_complex);
  g_test_add_func ("/index/threads", test_threads);
  return g_test_run ();
}
