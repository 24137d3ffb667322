/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gather, scatter, put and place, under every flag and number of threads: right values
 * are NumPy's, of x[i, j] and of what an assignment to it, or to x[mask], leaves in a copy
 * of x; for large arrays, those of a loop. What x was stays as it was. */
#include "../testing.h"

static const Given given[] = {
  { "x", "int64", "6", "0 1 2 3 4 5" },
  { "m", "int32", "3 4", "0 1 2 3 4 5 6 7 8 9 10 11" },
  { "c", "int64", "2 3 4", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23" },
  { "r", "float32", "2", "0.5 1.5" },
  { "b", "bool", "3", "0 1 1" },
  { "e", "float64", "0 3", "" },
};

static const struct
{
  const char *text, *dtype, *shape, *elements;
} values[] = {
  { "gather(x, [4, -1, 0])", "int64", "3", "4 5 0" },
  { "gather(m, [2, 0], [1, -1])", "int32", "2", "9 3" },
  { "gather(m, expand_dims([2, 0], 1), [1, 3, 1])", "int32", "2 3", "9 11 9 1 3 1" },
  { "gather(m.T, expand_dims([2, 0], 1), [1, 2], axes=[0, 1])", "int32", "2 2", "6 10 4 8" },
  { "gather(m, [1, 0], [2, 2], axes=[1, 0])", "int32", "2", "9 8" },
  { "gather(c, [1, 0], axes=[1])", "int64", "2 2 4", "4 5 6 7 0 1 2 3 16 17 18 19 12 13 14 15" },
  { "gather(c, [1, 0], [3, 2], axes=[1, 2])", "int64", "2 2", "7 2 19 14" },
  { "gather(c, [1, 0], [3, 2], axes=[0, -1])", "int64", "2 3", "15 19 23 2 6 10" },
  { "gather(c[:, ::-1, ::2], [1, 0], [1, 0], axes=[0, 2])", "int64", "2 3", "22 18 14 8 4 0" },
  { "gather(c, [1, 0], [2])", "int64", "2 4", "20 21 22 23 8 9 10 11" },
  { "gather(c[:, :, ::-2], [1], [0, 2])", "int64", "2 2", "15 13 23 21" },
  { "gather(b, astype([2, 0], uint8))", "bool", "2", "1 0" },
  { "gather(x, zeros([0, 2], int64))", "int64", "0 2", "" },
  { "gather(e, zeros([0], int64), [2])", "float64", "0", "" },
  { "scatter(x, 9, [4, -1])", "int64", "6", "0 1 2 3 9 9" },
  { "scatter(x, [7, 8, 9], [1, 1, 1])", "int64", "6", "0 9 2 3 4 5" },
  { "scatter(x, [7, 8], [1, -5])", "int64", "6", "0 8 2 3 4 5" },
  { "scatter(x, [[7, 8], [9, 10]], reshape([0, 1, 2, 0], [2, 2]))", "int64", "6", "10 8 9 3 4 5" },
  { "scatter(m, [50, 60], [2, 0], [1, -1])", "int32", "3 4", "0 1 2 60 4 5 6 7 8 50 10 11" },
  { "scatter(m, [[50], [60]], expand_dims([2, 0], 1), [1, 3])", "int32", "3 4", "0 60 2 60 4 5 6 7 8 50 10 50" },
  { "scatter(m, [50, 60], [1, -1], axes=[1])", "int32", "3 4", "0 50 2 60 4 50 6 60 8 50 10 60" },
  { "scatter(m, m[1], [2, 2], axes=[0])", "int32", "3 4", "0 1 2 3 4 5 6 7 4 5 6 7" },
  { "scatter(c, [[50, 60]], [1, 0], [3, 2], axes=[1, 2])", "int64", "2 3 4",
    "0 1 60 3 4 5 6 50 8 9 10 11 12 13 60 15 16 17 18 50 20 21 22 23" },
  { "scatter(c, [50, 60, 70], [1, 0], [3, 2], axes=[0, 2])", "int64", "2 3 4",
    "0 1 50 3 4 5 60 7 8 9 70 11 12 13 14 50 16 17 18 60 20 21 22 70" },
  { "scatter(c, x[:4], [1], [2])", "int64", "2 3 4", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 0 1 2 3" },
  { "scatter(c, reshape(x, [2, 3, 1]), [0, 2, 1], axes=[1])", "int64", "2 3 4",
    "0 0 0 0 2 2 2 2 1 1 1 1 3 3 3 3 5 5 5 5 4 4 4 4" },
  { "scatter(m.T, -1, [0, 3], [2, 1])", "int32", "4 3", "0 4 -1 1 5 9 2 6 10 3 -1 11" },
  { "scatter(m[::-1, ::2], [50, 60], [1, 0], axes=[1])", "int32", "3 2", "60 50 60 50 60 50" },
  { "scatter(r, x[5], [0])", "float32", "2", "5 1.5" },
  { "scatter(r, 2.5, [0])", "float32", "2", "2.5 1.5" },
  { "scatter(b, true, [0])", "bool", "3", "1 1 1" },
  { "scatter(x, 1, zeros([0], int64))", "int64", "6", "0 1 2 3 4 5" },
  { "scatter(e, 1, [2], axes=[1])", "float64", "0 3", "" },
  { "scatter(x, x[::-1], x)", "int64", "6", "5 4 3 2 1 0" },
  { "t = x + 0; scatter(t, t[::-1], t)", "int64", "6", "5 4 3 2 1 0" },
  { "t = x + 0; u = scatter(t, 0, [0, 1]); u * 10 + t", "int64", "6", "0 1 22 33 44 55" },
  { "t = x + 0; u = scatter(t, 9, [0]); scatter(u, 8, [1])", "int64", "6", "9 8 2 3 4 5" },
  { "put(x, [4, -1, 4], [7, 8, 9])", "int64", "6", "0 1 2 3 9 8" },
  { "put(m, [1, -1], [50, 60], axis=1)", "int32", "3 4", "0 50 2 60 4 50 6 60 8 50 10 60" },
  { "put(m, [[0, 2]], 5, axis=-2)", "int32", "3 4", "5 5 5 5 4 5 6 7 5 5 5 5" },
  { "put(c, 1, x[:4], axis=1)", "int64", "2 3 4", "0 1 2 3 0 1 2 3 8 9 10 11 12 13 14 15 0 1 2 3 20 21 22 23" },
  { "place(x, x % 2 == 0, [7, 8, 9])", "int64", "6", "7 1 8 3 9 5" },
  { "place(x, x > 2, 5)", "int64", "6", "0 1 2 5 5 5" },
  { "place(x, x > 9, 5)", "int64", "6", "0 1 2 3 4 5" },
  { "place(x, x > 9, x[:0])", "int64", "6", "0 1 2 3 4 5" },
  { "place(m, m % 5 == 1, [50, 60, 70])", "int32", "3 4", "0 50 2 3 4 5 60 7 8 9 10 70" },
  { "place(m.T, m.T % 5 == 1, [50, 60, 70])", "int32", "4 3", "0 4 8 50 5 9 2 60 10 3 7 70" },
  { "place(m, b, [50, 60, 70, 80])", "int32", "3 4", "0 1 2 3 50 60 70 80 50 60 70 80" },
  { "place(m, b, [[50], [60]])", "int32", "3 4", "0 1 2 3 50 50 50 50 60 60 60 60" },
  { "place(m, b, [[50, 60, 70, 80]])", "int32", "3 4", "0 1 2 3 50 60 70 80 50 60 70 80" },
  { "place(m, b[0], 5)", "int32", "3 4", "0 1 2 3 4 5 6 7 8 9 10 11" },
  { "place(m, b[1], m[::-1])", "int32", "3 4", "8 9 10 11 4 5 6 7 0 1 2 3" },
  { "place(x[0], b[1], 5)", "int64", "", "5" },
  { "place(e, zeros([0], bool), 5)", "float64", "0 3", "" },
  { "t = x + 0; place(t, t > 2, t[:3])", "int64", "6", "0 1 2 0 1 2" },
};

static void
test_value (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);

  check_value (values[i].text, given, G_N_ELEMENTS (given), values[i].dtype, values[i].shape, values[i].elements);
}

/* ---- Large ---- */

static const CandelaDType sizes[] = { CANDELA_DTYPE_UINT8, CANDELA_DTYPE_INT16, CANDELA_DTYPE_FLOAT32,
                                      CANDELA_DTYPE_INT64, CANDELA_DTYPE_COMPLEX128 };

static CandelaTensor *
new_tensor (CandelaDType dtype, gint64 n_rows, gint64 n_columns)
{
  const gint64 shape[] = { n_rows, n_columns };
  g_autoptr (GError) error = NULL;
  CandelaTensor *tensor = candela_tensor_new (dtype, shape, 2, &error);

  g_assert_no_error (error);
  return tensor;
}

/* Bytes that repeat nowhere soon. */
static CandelaTensor *
new_noise (CandelaDType dtype, gint64 n_rows, gint64 n_columns, guint32 seed)
{
  CandelaTensor *tensor = new_tensor (dtype, n_rows, n_columns);
  guint8 *data = candela_tensor_get_writable_data (tensor);
  gint64 size = n_rows * n_columns * (gint64) candela_dtype_get_size (dtype);

  for (gint64 i = 0; i < size; i++)
    {
      seed = seed * 1664525 + 1013904223;
      data[i] = seed >> 24;
    }
  return tensor;
}

/* The rows of values, one after the other, to rows (or, turned, columns) of x: a loop over
 * NumPy's x[indices] = values. */
static void
check_large (CandelaDType dtype, gint64 n_rows, gint64 n_columns, gint64 n_indices, gboolean turned)
{
  const gint64 size = candela_dtype_get_size (dtype);
  g_autoptr (CandelaTensor) x = new_noise (dtype, n_rows, n_columns, 1);
  g_autoptr (CandelaTensor) value_rows = new_noise (dtype, n_indices, n_columns, 2);
  g_autoptr (CandelaTensor) indices = new_tensor (CANDELA_DTYPE_INT32, n_indices, 1);
  g_autoptr (CandelaTensor) wanted = new_noise (dtype, n_rows, n_columns, 1);
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) node = NULL;
  gint32 *index = candela_tensor_get_writable_data (indices);
  guint32 seed = 3;

  for (gint64 i = 0; i < n_indices; i++)
    {
      seed = seed * 1664525 + 1013904223;
      index[i] = (gint32) ((seed >> 4) % (2 * n_rows)) - (gint32) n_rows;
      memcpy ((guint8 *) candela_tensor_get_writable_data (wanted)
                + (index[i] < 0 ? index[i] + n_rows : index[i]) * n_columns * size,
              (const guint8 *) candela_tensor_get_data (value_rows) + i * n_columns * size, n_columns * size);
    }
  put_name (names, "x", candela_node_new_tensor (x));
  put_name (names, "values", candela_node_new_tensor (value_rows));
  put_name (names, "i", candela_node_new_tensor (indices));
  node = build (
    turned ? "put(contiguous(x.T), i[:, 0], contiguous(values.T), axis=1).T" : "scatter(x, values, i[:, 0])", names);
  check_roots (&node, &wanted, 1, candela_dtype_get_name (dtype));
}

static void
test_large (void)
{
  for (guint d = 0; d < G_N_ELEMENTS (sizes); d++)
    {
      check_large (sizes[d], 50000, 1, 70000, FALSE);
      check_large (sizes[d], 300, 333, 1000, FALSE);
      check_large (sizes[d], 300, 333, 1000, TRUE);
      check_large (sizes[d], 2000, 3, 3000, FALSE);
    }
}

/* x[i, j] = x[i, j] for all i and j in any order is x, and so is gathering them. */
static const char *const same[] = {
  "x = reshape(arange(210000), [300, 700]); i = arange(300)[::-1]; j = expand_dims(arange(700), 1); "
  "all(gather(x, i, j) == x[::-1].T)",
  "x = reshape(arange(210000), [300, 700]); i = arange(300)[::-1]; j = expand_dims(arange(700), 1); "
  "all(scatter(x * 0, x.T, i, j) == x[::-1])",
  "x = reshape(arange(210000), [70, 30, 100]); all(gather(x, arange(70), arange(70), axes=[0, 2])[3] == x[3, :, 3])",
  "x = reshape(arange(210000), [7, 300, 100]); i = arange(300)[::-1]; all(gather(x, i, axes=[1]) == x[:, ::-1])",
  "x = reshape(arange(210000), [7, 300, 100]); i = arange(300)[::-1]; all(scatter(x, x, i, axes=[1]) == x[:, ::-1])",
  "x = astype(arange(200001), float32); all(place(x, x % 3 == 1, x[1::3] * 2) == where(x % 3 == 1, x * 2, x))",
  "x = astype(arange(200001), float32); all(place(x, x > -1, x[::-1]) == x[::-1])",
  "x = reshape(arange(210000), [300, 700]); all(place(x, x[:, 0] >= 0, x[::-1]) == x[::-1])",
  "x = reshape(arange(210000), [300, 700]); all(place(x, x % 2 == 0, reshape(astype(x[:, ::2], int8), -1)) == where(x "
  "% 2 == 0, "
  "astype(x, int8), x))",
  /* What only moves keeps its bits, and a value is rounded once. */
  "x = astype(arange(6), float16); all(scatter(x, 0.1, [1]) == where(x == 1, astype(0.1, float16), x))",
  "x = astype(arange(6), bfloat16); all(place(x, x > 4, 0.1) == where(x > 4, astype(0.1, bfloat16), x))",
  "x = astype(arange(6) * 0.1, float16); all(gather(put(x, [0], x[5]), [0, 5]) == x[5])",
};

static void
test_same (gconstpointer data)
{
  check_value (data, NULL, 0, "bool", "", "1");
}

/* x is overwritten where nobody else has it. */
static void
test_in_place (void)
{
  static const char *const texts[] = { "scatter(x + 1, 9, [1])", "put(x + 1, [1], 9)", "place(x + 1, x > 2, 9)" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (CandelaNode) node = build_given (texts[i], given, G_N_ELEMENTS (given));
      g_autoptr (CandelaPlan) plan = plan_node (node, CANDELA_PLAN_DEFAULT);
      g_autofree char *text = candela_plan_to_string (plan);

      g_assert_nonnull (strstr (text, "in place over"));
    }
}

/* ---- What is wrong ---- */

static const struct
{
  const char *text;
  CandelaError code;
  const char *message;
} refusals[] = {
  { "gather(x)", CANDELA_ERROR_ARITY, "gather: there are no indices" },
  { "gather(x, [0], [0])", CANDELA_ERROR_AXIS, "gather: there are 2 arrays of indices for 1 axes of x" },
  { "gather(x, [0.5])", CANDELA_ERROR_DTYPE, "gather: indices has dtype float64; it must be signed integer" },
  { "gather(m, [0, 1], [0, 1, 2])", CANDELA_ERROR_SHAPE,
    "gather: indices of shapes [2] and [3] cannot be broadcast together" },
  { "gather(m, [0], axes=[2])", CANDELA_ERROR_AXIS, "gather: axis 2 is out of range: x has shape [3, 4]" },
  { "gather(m, [0], [0], axes=[1, -1])", CANDELA_ERROR_AXIS, "gather: axis 1 is named twice" },
  { "gather(m, [0], axes=[0, 1])", CANDELA_ERROR_PARAMETER, "gather: axes has 2 items, for 1 arrays of indices" },
  { "scatter(x, [1, 2], [0, 1, 2])", CANDELA_ERROR_SHAPE, "scatter: shape [2] cannot be broadcast to shape [3]" },
  { "scatter(x, 1.5, [0])", CANDELA_ERROR_DTYPE,
    "scatter: values has dtype float64; it cannot be put into x, of dtype int64" },
  { "put(b, [0], 1)", CANDELA_ERROR_DTYPE, "put: values has dtype int64; it cannot be put into x, of dtype bool" },
  { "put(m, [0], 1)", CANDELA_ERROR_AXIS, "put: x has 2 axes: axis must be given unless it has one" },
  { "place(x, b, 1)", CANDELA_ERROR_SHAPE,
    "place: mask has shape [3]; it must be that of the first axes of x, of shape [6]" },
  { "place(x, x, 1)", CANDELA_ERROR_DTYPE, "place: mask has dtype int64; it must be bool" },
  { "place(m, b, [1, 2])", CANDELA_ERROR_SHAPE, "place: shape [2] cannot be broadcast to shape [1, 4]" },
};

static void
test_refusals (void)
{
  g_autoptr (GHashTable) names = bind_names (given, G_N_ELEMENTS (given));

  for (gsize i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) node = candela_expression_build_with_names (refusals[i].text, names, &error);

      g_assert_null (node);
      g_assert_error (error, CANDELA_ERROR, (int) refusals[i].code);
      if (strstr (error->message, refusals[i].message) == NULL)
        g_assert_cmpstr (error->message, ==, refusals[i].message);
    }
}

/* Only the run knows of these. The first one is told, whoever finds it. */
static const struct
{
  const char *text;
  CandelaError code;
  const char *message;
} failures[] = {
  { "gather(m, [0, 3], [9, 0])", CANDELA_ERROR_AXIS,
    "gather: index 9, at [0] of indices, is out of range for axis 1 of x, of length 4" },
  { "gather(e, [1], [2])", CANDELA_ERROR_AXIS,
    "gather: index 1, at [0] of indices, is out of range for axis 0 of x, of length 0" },
  { "gather(e, [3], axes=[1])", CANDELA_ERROR_AXIS,
    "gather: index 3, at [0] of indices, is out of range for axis 1 of x, of length 3" },
  { "scatter(x, 1, [0, -7])", CANDELA_ERROR_AXIS,
    "scatter: index -7, at [1] of indices, is out of range for axis 0 of x, of length 6" },
  { "scatter(m, 1, expand_dims([0, 2], 1), [0, 4], axes=[0, 1])", CANDELA_ERROR_AXIS,
    "scatter: index 4, at [0, 1] of indices, is out of range for axis 1 of x, of length 4" },
  { "put(m, [4], 1, axis=1)", CANDELA_ERROR_AXIS,
    "put: index 4, at [0] of indices, is out of range for axis 1 of x, of length 4" },
  { "place(x, x > 2, [1, 2])", CANDELA_ERROR_SHAPE, "place: there are 2 values, and 3 places where mask is true" },
  { "place(x, x > 9, [1, 2])", CANDELA_ERROR_SHAPE, "place: there are 2 values, and 0 places where mask is true" },
};

static void
test_failures (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (failures); i++)
    {
      g_autoptr (CandelaNode) node = build_given (failures[i].text, given, G_N_ELEMENTS (given));
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaTensor) tensor = candela_node_materialize (node, &error);

      g_assert_null (tensor);
      g_assert_error (error, CANDELA_ERROR, (int) failures[i].code);
      g_assert_cmpstr (error->message, ==, failures[i].message);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *path = g_strdup_printf ("/scatter/value/%zu", (size_t) i);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_value);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (same); i++)
    {
      g_autofree char *path = g_strdup_printf ("/scatter/same/%zu", (size_t) i);

      g_test_add_data_func (path, same[i], test_same);
    }
  g_test_add_func ("/scatter/large", test_large);
  g_test_add_func ("/scatter/in-place", test_in_place);
  g_test_add_func ("/scatter/refusals", test_refusals);
  g_test_add_func ("/scatter/failures", test_failures);
  return g_test_run ();
}
