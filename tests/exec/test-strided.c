/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fused steps and packed copies over inputs that are transposed, sliced, reversed and
 * broadcast, larger than a tile and than what one thread takes at a time: each element
 * is what arithmetic by its index gives. */
#include "../testing.h"

/* The index of an element of a result of three axes. */
typedef gint64 (*ValueFunc) (gint64 i, gint64 j, gint64 k, const gint64 *shape);

/* x is arange (p * q * r) in shape [p, q, r], and shape is that: element (i, j, k) of x. */
#define X(i, j, k) (((i) *shape[1] + (j)) * shape[2] + (k))

static gint64
swapped (gint64 i, gint64 j, gint64 k, const gint64 *shape)
{
  return X (i, k, j) * 2 + 1;
}

static gint64
swapped_and_not (gint64 i, gint64 j, gint64 k, const gint64 *shape)
{
  return X (i, k, j) - (i * shape[2] + j) * shape[1] - k;
}

static gint64
reversed_axes (gint64 i, gint64 j, gint64 k, const gint64 *shape)
{
  return X (k, j, i) + 1;
}

static gint64
swapped_reversed (gint64 i, gint64 j, gint64 k, const gint64 *shape)
{
  return X (i, shape[1] - 1 - k, shape[2] - 1 - j) + 1;
}

static gint64
sliced (gint64 i, gint64 j, gint64 k, const gint64 *shape)
{
  return X (i, j, 2 * k) * 2 + 1;
}

static gint64
differences (gint64 i, gint64 j, gint64 k, const gint64 *shape)
{
  return X (0, i, k) - X (0, j, k);
}

static gint64
by_rows (gint64 i, gint64 j, gint64 k, const gint64 *shape)
{
  return X (i, j, k) - X (i, j, 0);
}

static gint64
by_columns (gint64 i, gint64 j, gint64 k, const gint64 *shape)
{
  return X (i, j, k) - X (0, 0, k);
}

static gint64
by_rows_and_columns (gint64 i, gint64 j, gint64 k, const gint64 *shape)
{
  return (X (i, j, k) - X (0, 0, k)) * 2 + X (i, j, shape[2] - 1);
}

static gint64
by_matrices (gint64 i, gint64 j, gint64 k, const gint64 *shape)
{
  return X (i, j, k) - X (i, 0, 0);
}

static gint64
over_first (gint64 i, gint64 j, gint64 k, const gint64 *shape)
{
  return X (i, j, k) - X (0, j, k);
}

static gint64
copied (gint64 i, gint64 j, gint64 k, const gint64 *shape)
{
  return X (i, k, j);
}

static gint64
copied_last_first (gint64 i, gint64 j, gint64 k, const gint64 *shape)
{
  return X (j, k, i);
}

static const struct
{
  const char *text;
  ValueFunc value;
} cases[] = {
  { "permute_dims(x, [0, 2, 1]) * 2 + 1", swapped },
  { "permute_dims(x, [0, 2, 1]) - z", swapped_and_not },
  { "x.T + 1", reversed_axes },
  { "y = x.T + 1; where(x.T >= 0, y, astype(x.T > 5, \"int8\"))", reversed_axes },
  { "permute_dims(x[:, ::-1, ::-1], [0, 2, 1]) + 1", swapped_reversed },
  { "x[:, :, ::2] * 2 + 1", sliced },
  { "y = x[0, :70]; y[:, None] - y", differences },
  { "y = x[0, :300]; y[:20, None] - y", differences },
  { "x - x[:, :, :1]", by_rows },
  { "x - x[:1, :1]", by_columns },
  { "(x - x[:1, :1]) * 2 + x[:, :, -1:]", by_rows_and_columns },
  { "x - x[:, :1, :1]", by_matrices },
  { "x - x[:1]", over_first },
  { "contiguous(permute_dims(x, [0, 2, 1]))", copied },
  { "contiguous(permute_dims(x, [2, 0, 1]))", copied_last_first },
};

static CandelaNode *
make_range (CandelaDType dtype, const gint64 *shape)
{
  CandelaTensor *tensor = candela_tensor_new (dtype, shape, 3, NULL);
  gpointer data = candela_tensor_get_writable_data (tensor);
  CandelaNode *node;

  for (gint64 i = 0; i < shape[0] * shape[1] * shape[2]; i++)
    if (dtype == CANDELA_DTYPE_FLOAT32)
      ((float *) data)[i] = i;
    else
      ((gint64 *) data)[i] = i;
  node = candela_node_new_tensor (tensor);
  g_object_unref (tensor);
  return node;
}

static void
check_elements (CandelaTensor *tensor, guint c, const gint64 *shape)
{
  gsize rank;
  const gint64 *dims = candela_tensor_get_shape (tensor, &rank);
  gconstpointer data = candela_tensor_get_data (tensor);
  gboolean is_float = candela_tensor_get_dtype (tensor) == CANDELA_DTYPE_FLOAT32;
  gint64 at = 0;

  g_assert_cmpuint (rank, ==, 3);
  for (gint64 i = 0; i < dims[0]; i++)
    for (gint64 j = 0; j < dims[1]; j++)
      for (gint64 k = 0; k < dims[2]; k++, at++)
        {
          gint64 got = is_float ? (gint64) ((const float *) data)[at] : ((const gint64 *) data)[at];

          if (got != cases[c].value (i, j, k, shape))
            g_error ("%s: %" G_GINT64_FORMAT " at %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT,
                     cases[c].text, got, i, j, k);
        }
}

static void
test_strided (void)
{
  static const gint64 shapes[][3] = {
    { 1, 301, 517 }, { 1, 1024, 128 },  { 3, 128, 256 },  { 2, 1500, 70 },
    { 40, 70, 33 },  { 1, 1456, 1500 }, { 64, 176, 200 },                 /* results past the caches */
    { 1, 300, 16 },  { 2, 333, 8 },     { 1, 290, 9 },                    /* rows many times over in a tile */
    { 5, 3, 1000 },  { 2, 2, 70003 },   { 2, 1, 65664 },  { 3, 7, 2560 }, /* longer than a tile, or a chunk */
  };
  static const CandelaDType dtypes[] = { CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_INT64 };

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
      for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
        {
          g_autoptr (GHashTable) names = names_new ();
          g_autoptr (CandelaNode) node = NULL;
          g_autoptr (CandelaPlan) plan = NULL;

          put_name (names, "x", make_range (dtypes[d], shapes[s]));
          put_name (names, "z", make_range (dtypes[d], (gint64[]){ shapes[s][0], shapes[s][2], shapes[s][1] }));
          node = build (cases[c].text, names);
          plan = plan_node (node, CANDELA_PLAN_DEFAULT);
          for (guint threads = 1; threads <= 3; threads += 2)
            {
              CandelaTensor **got;

              candela_set_num_threads (threads);
              got = run_plan (plan, NULL);
              check_elements (got[0], c, shapes[s]);
              free_tensors (got, 1);
            }
        }
  candela_set_num_threads (0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/strided/by-index", test_strided);
  return g_test_run ();
}
