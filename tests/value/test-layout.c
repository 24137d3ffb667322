/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Layouts, by hand: what each function gives, and each way in which it refuses.
 * (Over random layouts they are compared with a map of every index in
 * test-layout-random.c.) */
#include <candela/value/layout-private.h>

#include <string.h>

#define NONE CANDELA_SLICE_NONE

/* A list of numbers in parentheses, and its length. */
#define LIST(...) ((const gint64[]){ __VA_ARGS__ }), (G_N_ELEMENTS (((const gint64[]){ __VA_ARGS__ })))

static CandelaLayout *
layout (const gint64 *shape, gsize n_dims)
{
  g_autoptr (GError) error = NULL;
  CandelaLayout *made = candela_layout_new (shape, n_dims, &error);

  g_assert_no_error (error);
  return made;
}

static CandelaLayout *
strided (const gint64 *shape, gsize n_dims, const gint64 *strides, gsize n_strides, gint64 offset)
{
  g_autoptr (GError) error = NULL;
  CandelaLayout *made = candela_layout_new_strided (shape, n_dims, strides, n_strides, offset, &error);

  g_assert_no_error (error);
  return made;
}

/* Takes the layout, which is to be as the text says. */
static void
assert_layout (CandelaLayout *made, const char *expected)
{
  g_autoptr (CandelaLayout) owned = made;
  g_autofree char *text = NULL;

  g_assert_nonnull (made);
  text = candela_layout_to_string (made);
  g_assert_cmpstr (text, ==, expected);
}

static void
assert_fails (CandelaLayout *made, GError **error, CandelaError code, const char *part, const char *other_part)
{
  g_assert_null (made);
  g_assert_error (*error, CANDELA_ERROR, (int) code);
  if (strstr ((*error)->message, part) == NULL || strstr ((*error)->message, other_part) == NULL)
    g_error ("the message lacks “%s” or “%s”: %s", part, other_part, (*error)->message);
  g_clear_error (error);
}

static void
assert_adj_strides (CandelaLayout *made, const gint64 *expected, gsize n)
{
  g_autoptr (CandelaLayout) owned = made;
  gsize n_dims;
  g_autofree gint64 *adjusted = candela_layout_get_adj_strides (made, &n_dims);

  g_assert_cmpmem (adjusted, n_dims * sizeof *adjusted, expected, n * sizeof *expected);
}

static void
test_new (void)
{
  gsize n_dims = 7;
  g_autoptr (CandelaLayout) scalar = layout (NULL, 0);
  g_autoptr (CandelaLayout) cube = layout (LIST (2, 3, 4));

  g_assert_cmpuint (candela_layout_get_rank (scalar), ==, 0);
  g_assert_cmpint (candela_layout_get_n_elements (scalar), ==, 1);
  g_assert_true (candela_layout_is_contiguous (scalar));
  g_assert_nonnull (candela_layout_get_shape (scalar, &n_dims));
  g_assert_cmpuint (n_dims, ==, 0);

  g_assert_cmpint (candela_layout_get_n_elements (cube), ==, 24);
  assert_layout (candela_layout_ref (cube), "shape [2, 3, 4], strides [12, 4, 1], offset 0");
  assert_layout (layout (LIST (2, 1, 3)), "shape [2, 1, 3], strides [3, 3, 1], offset 0");
  assert_layout (layout (LIST (3, 0, 2)), "shape [3, 0, 2], strides [2, 2, 1], offset 0");
  g_assert_nonnull (candela_layout_get_strides (cube, NULL));
}

static void
test_new_fails (void)
{
  gint64 many[33] = { 0 };
  g_autoptr (CandelaLayout) highest = NULL;
  GError *error = NULL;

  assert_fails (candela_layout_new (LIST (2, -1), &error), &error, CANDELA_ERROR_SHAPE, "[2, -1]", "negative");
  assert_fails (candela_layout_new (many, 33, &error), &error, CANDELA_ERROR_SHAPE, "33", "32");
  assert_fails (candela_layout_new (LIST (G_MAXINT64, 2), &error), &error, CANDELA_ERROR_SHAPE, "9223372036854775807",
                "too many");
  assert_fails (candela_layout_new (LIST (0, G_MAXINT64, 2), &error), &error, CANDELA_ERROR_SHAPE, "[0, ", "too many");
  assert_fails (candela_layout_new (LIST ((gint64) 1 << 32, (gint64) 1 << 31), &error), &error, CANDELA_ERROR_SHAPE,
                "[4294967296, 2147483648]", "too many");

  for (guint i = 0; i < 32; i++)
    many[i] = 1;
  assert_fails (candela_layout_new_strided (many, 2, many, 3, 0, &error), &error, CANDELA_ERROR_SHAPE, "3 strides",
                "[1, 1]");
  assert_fails (candela_layout_new_strided (LIST (2), LIST (-2), 1, &error), &error, CANDELA_ERROR_SHAPE, "[-2]",
                "before the start");
  assert_fails (candela_layout_new_strided (LIST (2), LIST (1), -1, &error), &error, CANDELA_ERROR_SHAPE, "offset -1",
                "before the start");
  assert_fails (candela_layout_new_strided (LIST (3), LIST (G_MAXINT64), 0, &error), &error, CANDELA_ERROR_SHAPE, "[3]",
                "too large");
  assert_fails (candela_layout_new_strided (LIST (2), LIST (1), G_MAXINT64 - 1, &error), &error, CANDELA_ERROR_SHAPE,
                "[2]", "too large");
  assert_fails (candela_layout_new_strided (LIST (2, 2), LIST (G_MAXINT64 / 2 + 1, G_MAXINT64 / 2 + 1), 0, &error),
                &error, CANDELA_ERROR_SHAPE, "[2, 2]", "too large");
  assert_fails (candela_layout_new_strided (LIST (3), LIST (G_MININT64), G_MAXINT64, &error), &error,
                CANDELA_ERROR_SHAPE, "[3]", "addresses");

  highest = candela_layout_new (many, 32, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (candela_layout_get_rank (highest), ==, 32);
  g_assert_cmpint (candela_layout_get_n_elements (highest), ==, 1);
}

/* Strides that mean nothing are canonical, so that what maps alike is equal. */
static void
test_strided (void)
{
  g_autoptr (CandelaLayout) row = strided (LIST (1, 4), LIST (99, 1), 3);
  g_autoptr (CandelaLayout) plain = strided (LIST (1, 4), LIST (4, 1), 3);
  g_autoptr (CandelaLayout) other = strided (LIST (1, 4), LIST (4, 1), 2);
  g_autoptr (CandelaLayout) column = strided (LIST (4, 1), LIST (1, 99), 3);

  g_assert_true (candela_layout_is_contiguous (row));
  g_assert_true (candela_layout_equal (row, plain));
  g_assert_true (candela_layout_same_shape (row, other));
  g_assert_false (candela_layout_equal (row, other));
  g_assert_false (candela_layout_equal (row, column));
  g_assert_false (candela_layout_same_shape (row, column));
  g_assert_true (candela_layout_is_contiguous (column));

  assert_layout (strided (LIST (2, 0), LIST (G_MININT64, G_MAXINT64), 12), "shape [2, 0], strides [1, 1], offset 0");
  assert_layout (strided (LIST (1), LIST (G_MININT64), 5), "shape [1], strides [1], offset 5");
  assert_layout (strided (LIST (2, 1, 3), LIST (-3, G_MININT64, 2), 3),
                 "shape [2, 1, 3], strides [-3, 6, 2], offset 3");
}

static void
test_extent (void)
{
  struct
  {
    CandelaLayout *layout;
    gint64 first, end;
    gboolean contiguous, injective;
  } cases[] = {
    { layout (LIST (2, 3)), 0, 6, TRUE, TRUE },
    { strided (LIST (2, 3), LIST (4, 1), 0), 0, 7, FALSE, TRUE },  /* rows padded to 4 */
    { strided (LIST (3, 2), LIST (1, 3), 5), 5, 11, FALSE, TRUE }, /* transposed */
    { strided (LIST (4), LIST (-2), 6), 0, 7, FALSE, TRUE },       /* reversed */
    { strided (LIST (3, 4), LIST (0, 1), 2), 2, 6, FALSE, FALSE }, /* broadcast */
    { strided (LIST (3, 3), LIST (1, 1), 0), 0, 5, FALSE, FALSE }, /* sliding windows */
    { strided (LIST (2, 2), LIST (1, 2), 0), 0, 4, FALSE, TRUE },
    { strided (LIST (2, 3), LIST (-10, 3), 10), 0, 17, FALSE, TRUE },
    { strided (LIST (5, 0), LIST (1, 1), 100), 0, 0, TRUE, TRUE },
    { strided (LIST (1, 1), LIST (7, 7), 9), 9, 10, TRUE, TRUE },
    { layout (NULL, 0), 0, 1, TRUE, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gint64 first, end;

      g_test_message ("case %u", i);
      candela_layout_get_extent (cases[i].layout, &first, &end);
      g_assert_cmpint (first, ==, cases[i].first);
      g_assert_cmpint (end, ==, cases[i].end);
      g_assert_cmpint (candela_layout_is_contiguous (cases[i].layout), ==, cases[i].contiguous);
      g_assert_cmpint (candela_layout_is_injective (cases[i].layout), ==, cases[i].injective);
      candela_layout_unref (cases[i].layout);
    }
}

/* How the planner's specification walks: [3,1] and [1,4] over [3,4]. */
static void
test_adj_strides (void)
{
  g_autoptr (CandelaLayout) column = layout (LIST (3, 1));
  g_autoptr (CandelaLayout) row = layout (LIST (1, 4));
  g_autoptr (CandelaLayout) middle = layout (LIST (2, 1, 4));
  g_autoptr (CandelaLayout) matrix = layout (LIST (3, 4));

  assert_adj_strides (layout (LIST (2, 3, 4)), LIST (1, 1, 1));
  assert_adj_strides (candela_layout_broadcast (column, LIST (3, 4), NULL), LIST (1, 0));
  assert_adj_strides (candela_layout_broadcast (row, LIST (3, 4), NULL), LIST (-3, 1));
  assert_adj_strides (candela_layout_broadcast (middle, LIST (2, 3, 4), NULL), LIST (1, -3, 1));
  assert_adj_strides (candela_layout_permute (matrix, LIST (1, 0), NULL), LIST (-7, 4));
  assert_adj_strides (strided (LIST (2, 3), LIST (8, 2), 0), LIST (4, 2));
  assert_adj_strides (layout (NULL, 0), NULL, 0);
}

static void
test_view (void)
{
  g_autoptr (CandelaLayout) cube = layout (LIST (2, 3, 4));
  g_autoptr (CandelaLayout) padded = strided (LIST (2, 3), LIST (4, 1), 5);
  g_autoptr (CandelaLayout) swapped = strided (LIST (3, 4, 2), LIST (4, 1, 12), 0);
  g_autoptr (CandelaLayout) repeated = strided (LIST (3, 4), LIST (0, 0), 2);
  g_autoptr (CandelaLayout) reversed = strided (LIST (6), LIST (-1), 5);
  g_autoptr (CandelaLayout) scalar = layout (NULL, 0);
  g_autoptr (CandelaLayout) empty = strided (LIST (0, 3), LIST (7, 5), 0);

  assert_layout (candela_layout_view (cube, LIST (6, -1), NULL), "shape [6, 4], strides [4, 1], offset 0");
  assert_layout (candela_layout_view (cube, LIST (4, 1, 6), NULL), "shape [4, 1, 6], strides [6, 6, 1], offset 0");
  assert_layout (candela_layout_view (padded, LIST (2, 1, 3), NULL), "shape [2, 1, 3], strides [4, 3, 1], offset 5");
  /* The first two axes are one of 12, of which 6 x 2 can be made. */
  assert_layout (candela_layout_view (swapped, LIST (6, 2, 2), NULL), "shape [6, 2, 2], strides [2, 1, 12], offset 0");
  assert_layout (candela_layout_view (swapped, LIST (12, -1), NULL), "shape [12, 2], strides [1, 12], offset 0");
  assert_layout (candela_layout_view (repeated, LIST (2, 6), NULL), "shape [2, 6], strides [0, 0], offset 2");
  assert_layout (candela_layout_view (reversed, LIST (2, 3), NULL), "shape [2, 3], strides [-3, -1], offset 5");
  assert_layout (candela_layout_view (scalar, LIST (1, 1), NULL), "shape [1, 1], strides [1, 1], offset 0");
  assert_layout (candela_layout_view (scalar, LIST (-1), NULL), "shape [1], strides [1], offset 0");
  assert_layout (candela_layout_view (empty, LIST (5, 0, 2), NULL), "shape [5, 0, 2], strides [2, 2, 1], offset 0");
  assert_layout (candela_layout_view (empty, LIST (-1, 3), NULL), "shape [0, 3], strides [3, 1], offset 0");
}

static void
test_view_fails (void)
{
  g_autoptr (CandelaLayout) matrix = layout (LIST (2, 3));
  g_autoptr (CandelaLayout) padded = strided (LIST (2, 3), LIST (4, 1), 0);
  g_autoptr (CandelaLayout) transposed = strided (LIST (3, 2), LIST (1, 3), 0);
  g_autoptr (CandelaLayout) empty = layout (LIST (0, 3));
  gint64 many[33] = { 0 };
  GError *error = NULL;

  assert_fails (candela_layout_view (matrix, LIST (4, 2), &error), &error, CANDELA_ERROR_SHAPE, "[2, 3]", "[4, 2]");
  assert_fails (candela_layout_view (matrix, LIST (4, -1), &error), &error, CANDELA_ERROR_SHAPE, "[2, 3]", "[4, -1]");
  assert_fails (candela_layout_view (matrix, LIST (-1, -1), &error), &error, CANDELA_ERROR_SHAPE, "[-1, -1]", "two");
  assert_fails (candela_layout_view (matrix, LIST (-2, -3), &error), &error, CANDELA_ERROR_SHAPE, "[-2, -3]",
                "negative");
  assert_fails (candela_layout_view (matrix, NULL, 0, &error), &error, CANDELA_ERROR_SHAPE, "[2, 3]", "[]");
  assert_fails (candela_layout_view (matrix, LIST (G_MAXINT64, G_MAXINT64, -1), &error), &error, CANDELA_ERROR_SHAPE,
                "[2, 3]", "9223372036854775807");
  /* 2^32 * 2^32 wraps to 0, which is not 6 either; 2^63 + 6 elements would wrap to 6. */
  assert_fails (candela_layout_view (empty, LIST ((gint64) 1 << 32, (gint64) 1 << 32), &error), &error,
                CANDELA_ERROR_SHAPE, "[0, 3]", "4294967296");
  assert_fails (candela_layout_view (empty, LIST (0, -1), &error), &error, CANDELA_ERROR_SHAPE, "[0, 3]", "[0, -1]");
  assert_fails (candela_layout_view (matrix, many, 33, &error), &error, CANDELA_ERROR_SHAPE, "33", "32");
  assert_fails (candela_layout_view (padded, LIST (6), &error), &error, CANDELA_ERROR_SHAPE, "[2, 3]",
                "without a copy");
  assert_fails (candela_layout_view (transposed, LIST (2, 3), &error), &error, CANDELA_ERROR_SHAPE, "[2, 3]",
                "without a copy");
}

/* What Python's range(*slice(start, stop, step).indices(length)) gives. */
static const struct
{
  gint64 length, start, stop, step;
  gsize n;
  gint64 indices[5];
} slices[] = {
  { 5, NONE, NONE, 1, 5, { 0, 1, 2, 3, 4 } },
  { 5, NONE, NONE, -1, 5, { 4, 3, 2, 1, 0 } },
  { 5, 1, 4, 1, 3, { 1, 2, 3 } },
  { 5, -4, -1, 1, 3, { 1, 2, 3 } },
  { 5, 4, 1, -1, 3, { 4, 3, 2 } },
  { 5, 4, NONE, -2, 3, { 4, 2, 0 } },
  { 5, NONE, NONE, 2, 3, { 0, 2, 4 } },
  { 6, NONE, NONE, -2, 3, { 5, 3, 1 } },
  { 5, 10, 20, 1, 0, { 0 } },
  { 5, -20, -10, 1, 0, { 0 } },
  { 5, -20, 20, 3, 2, { 0, 3 } },
  { 5, 20, -20, -3, 2, { 4, 1 } },
  { 5, 3, 3, 1, 0, { 0 } },
  { 5, 2, 3, G_MAXINT64, 1, { 2 } },
  { 5, NONE, NONE, G_MAXINT64, 1, { 0 } },
  { 5, NONE, NONE, G_MININT64, 1, { 4 } },
  { 5, G_MAXINT64, NONE, -1, 5, { 4, 3, 2, 1, 0 } },
  { 5, G_MININT64 + 1, G_MAXINT64, 1, 5, { 0, 1, 2, 3, 4 } },
  { 5, NONE, 0, -1, 4, { 4, 3, 2, 1 } },
  { 5, -1, NONE, -1, 5, { 4, 3, 2, 1, 0 } },
  { 5, 0, NONE, -1, 1, { 0 } },
  { 0, NONE, NONE, 1, 0, { 0 } },
  { 0, NONE, NONE, -1, 0, { 0 } },
  { 1, NONE, NONE, -1, 1, { 0 } },
  { 1, 0, 5, 7, 1, { 0 } },
  { 5, 4, -6, -1, 5, { 4, 3, 2, 1, 0 } },
  { 5, G_MAXINT64, G_MININT64 + 1, G_MININT64 + 1, 1, { 4 } },
  { 7, 1, -1, 4, 2, { 1, 5 } },
  { 7, -2, 1, -3, 2, { 5, 2 } },
};

static void
test_slice (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (slices); i++)
    {
      g_autoptr (CandelaLayout) vector = strided (LIST (slices[i].length), LIST (3), 7);
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaLayout) slice =
        candela_layout_slice (vector, -1, slices[i].start, slices[i].stop, slices[i].step, &error);

      g_test_message ("case %u", i);
      g_assert_no_error (error);
      g_assert_cmpint (candela_layout_get_n_elements (slice), ==, slices[i].n);
      for (gsize j = 0; j < slices[i].n; j++)
        g_assert_cmpint (slice->offset + (gint64) j * slice->strides[0], ==, 7 + 3 * slices[i].indices[j]);
    }
}

static void
test_slice_fails (void)
{
  g_autoptr (CandelaLayout) matrix = layout (LIST (2, 3));
  g_autoptr (CandelaLayout) scalar = layout (NULL, 0);
  GError *error = NULL;

  assert_fails (candela_layout_slice (matrix, 0, 0, 1, 0, &error), &error, CANDELA_ERROR_PARAMETER, "step", "0");
  assert_fails (candela_layout_slice (matrix, 2, 0, 1, 1, &error), &error, CANDELA_ERROR_AXIS, "axis 2", "rank 2");
  assert_fails (candela_layout_slice (matrix, G_MININT64, 0, 1, 1, &error), &error, CANDELA_ERROR_AXIS, "axis -",
                "rank 2");
  assert_fails (candela_layout_slice (scalar, 0, 0, 1, 1, &error), &error, CANDELA_ERROR_AXIS, "axis 0", "rank 0");
  assert_fails (candela_layout_select (matrix, 1, 3, &error), &error, CANDELA_ERROR_AXIS, "index 3", "axis 1");
  assert_fails (candela_layout_select (matrix, 1, -4, &error), &error, CANDELA_ERROR_AXIS, "index -4", "length 3");
  assert_fails (candela_layout_select (matrix, -3, 0, &error), &error, CANDELA_ERROR_AXIS, "axis -3", "rank 2");
}

static void
test_permute (void)
{
  g_autoptr (CandelaLayout) cube = layout (LIST (2, 3, 4));
  GError *error = NULL;

  assert_layout (candela_layout_permute (cube, LIST (2, 0, 1), NULL), "shape [4, 2, 3], strides [1, 12, 4], offset 0");
  assert_layout (candela_layout_permute (cube, LIST (-1, -2, -3), NULL),
                 "shape [4, 3, 2], strides [1, 4, 12], offset 0");
  assert_fails (candela_layout_permute (cube, LIST (0, 1, 1), &error), &error, CANDELA_ERROR_AXIS, "axis 1", "twice");
  assert_fails (candela_layout_permute (cube, LIST (0, 1, -2), &error), &error, CANDELA_ERROR_AXIS, "axis 1", "twice");
  assert_fails (candela_layout_permute (cube, LIST (0, 1), &error), &error, CANDELA_ERROR_AXIS, "2 axes", "rank 3");
  assert_fails (candela_layout_permute (cube, LIST (0, 1, 3), &error), &error, CANDELA_ERROR_AXIS, "axis 3", "rank 3");
  assert_fails (candela_layout_permute (cube, NULL, 0, &error), &error, CANDELA_ERROR_AXIS, "0 axes", "rank 3");
}

static void
test_broadcast (void)
{
  g_autoptr (CandelaLayout) row = layout (LIST (1, 3));
  g_autoptr (CandelaLayout) scalar = layout (NULL, 0);
  gint64 many[33] = { 0 };
  GError *error = NULL;

  assert_layout (candela_layout_broadcast (row, LIST (2, 4, 3), NULL), "shape [2, 4, 3], strides [0, 0, 1], offset 0");
  assert_layout (candela_layout_broadcast (row, LIST (0, 3), NULL), "shape [0, 3], strides [3, 1], offset 0");
  assert_layout (candela_layout_broadcast (scalar, LIST (2, 2), NULL), "shape [2, 2], strides [0, 0], offset 0");
  assert_fails (candela_layout_broadcast (row, LIST (2, 4), &error), &error, CANDELA_ERROR_SHAPE, "[1, 3]", "[2, 4]");
  assert_fails (candela_layout_broadcast (row, LIST (3), &error), &error, CANDELA_ERROR_SHAPE, "[1, 3]", "[3]");
  assert_fails (candela_layout_broadcast (row, LIST (-1, 3), &error), &error, CANDELA_ERROR_SHAPE, "[-1, 3]",
                "negative");
  assert_fails (candela_layout_broadcast (scalar, LIST (G_MAXINT64, 3), &error), &error, CANDELA_ERROR_SHAPE, "3]",
                "too many");
  assert_fails (candela_layout_broadcast (scalar, many, 33, &error), &error, CANDELA_ERROR_SHAPE, "33", "32");
}

static void
test_axes_of_length_1 (void)
{
  g_autoptr (CandelaLayout) matrix = layout (LIST (2, 3));
  g_autoptr (CandelaLayout) ones = layout (LIST (1, 2, 1));
  g_autoptr (CandelaLayout) transposed = candela_layout_permute (matrix, LIST (1, 0), NULL);
  gint64 full[32];
  g_autoptr (CandelaLayout) highest = NULL;
  GError *error = NULL;

  for (guint i = 0; i < 32; i++)
    full[i] = 1;
  highest = layout (full, 32);

  assert_layout (candela_layout_expand (matrix, 0, NULL), "shape [1, 2, 3], strides [6, 3, 1], offset 0");
  assert_layout (candela_layout_expand (matrix, 2, NULL), "shape [2, 3, 1], strides [3, 1, 1], offset 0");
  assert_layout (candela_layout_expand (matrix, -1, NULL), "shape [2, 3, 1], strides [3, 1, 1], offset 0");
  assert_layout (candela_layout_expand (transposed, -3, NULL), "shape [1, 3, 2], strides [3, 1, 3], offset 0");
  assert_fails (candela_layout_expand (matrix, 3, &error), &error, CANDELA_ERROR_AXIS, "axis 3", "rank 3");
  assert_fails (candela_layout_expand (matrix, -4, &error), &error, CANDELA_ERROR_AXIS, "axis -4", "rank 3");
  assert_fails (candela_layout_expand (highest, 0, &error), &error, CANDELA_ERROR_SHAPE, "33", "32");

  assert_layout (candela_layout_squeeze (ones, NULL, 0, NULL), "shape [2], strides [1], offset 0");
  assert_layout (candela_layout_squeeze (ones, LIST (-1), NULL), "shape [1, 2], strides [2, 1], offset 0");
  assert_layout (candela_layout_squeeze (highest, NULL, 0, NULL), "shape [], strides [], offset 0");
  assert_fails (candela_layout_squeeze (ones, LIST (1), &error), &error, CANDELA_ERROR_SHAPE, "axis 1", "[1, 2, 1]");
  assert_fails (candela_layout_squeeze (ones, LIST (0, -3), &error), &error, CANDELA_ERROR_AXIS, "axis 0", "twice");
  assert_fails (candela_layout_squeeze (ones, LIST (3), &error), &error, CANDELA_ERROR_AXIS, "axis 3", "rank 3");
}

static void
test_flip (void)
{
  g_autoptr (CandelaLayout) matrix = layout (LIST (2, 3));
  g_autoptr (CandelaLayout) empty = layout (LIST (2, 0));
  GError *error = NULL;

  assert_layout (candela_layout_flip (matrix, NULL, 0, NULL), "shape [2, 3], strides [-3, -1], offset 5");
  assert_layout (candela_layout_flip (matrix, LIST (-1), NULL), "shape [2, 3], strides [3, -1], offset 2");
  assert_layout (candela_layout_flip (empty, NULL, 0, NULL), "shape [2, 0], strides [1, 1], offset 0");
  assert_fails (candela_layout_flip (matrix, LIST (1, 1), &error), &error, CANDELA_ERROR_AXIS, "axis 1", "twice");
  assert_fails (candela_layout_flip (matrix, LIST (2), &error), &error, CANDELA_ERROR_AXIS, "axis 2", "rank 2");
}

/* Numbers beyond 32 bits, and up to the last that 64 bits hold. */
static void
test_huge (void)
{
  const gint64 side = (gint64) 1 << 31;
  g_autoptr (CandelaLayout) square = layout (LIST (side, side - 1));
  g_autoptr (CandelaLayout) last = strided (LIST (2), LIST (G_MAXINT64 - 1), 0);
  g_autoptr (CandelaLayout) back = strided (LIST (2), LIST (-(G_MAXINT64 - 1)), G_MAXINT64 - 1);
  g_autoptr (CandelaLayout) flipped = NULL;
  gint64 first, end;

  g_assert_cmpint (candela_layout_get_n_elements (square), ==, G_GINT64_CONSTANT (4611686016279904256));
  candela_layout_get_extent (square, &first, &end);
  g_assert_cmpint (end, ==, G_GINT64_CONSTANT (4611686016279904256));
  assert_layout (candela_layout_permute (square, LIST (1, 0), NULL),
                 "shape [2147483647, 2147483648], strides [1, 2147483647], offset 0");
  assert_layout (candela_layout_slice (square, 0, NONE, NONE, -1, NULL),
                 "shape [2147483648, 2147483647], strides [-2147483647, 1], offset 4611686014132420609");
  assert_layout (candela_layout_select (square, 0, -1, NULL),
                 "shape [2147483647], strides [1], offset 4611686014132420609");
  assert_layout (candela_layout_view (square, LIST (-1, 2), NULL),
                 "shape [2305843008139952128, 2], strides [2, 1], offset 0");

  candela_layout_get_extent (last, &first, &end);
  g_assert_cmpint (first, ==, 0);
  g_assert_cmpint (end, ==, G_MAXINT64);
  flipped = candela_layout_flip (last, NULL, 0, NULL);
  g_assert_true (candela_layout_equal (flipped, back));
  g_assert_true (candela_layout_is_injective (back));
  assert_layout (candela_layout_slice (last, 0, 1, 2, G_MAXINT64, NULL),
                 "shape [1], strides [1], offset 9223372036854775806");
  assert_layout (candela_layout_expand (last, 0, NULL), "shape [1, 2], strides [0, 9223372036854775806], offset 0");
}

static void
test_strings (void)
{
  gint64 many[1000] = { 0 };
  g_autofree char *none = candela_shape_to_string (NULL, 0);
  g_autofree char *two = candela_shape_to_string (LIST (-2, G_MININT64));
  g_autofree char *long_one = candela_shape_to_string (many, G_N_ELEMENTS (many));

  g_assert_cmpstr (none, ==, "[]");
  g_assert_cmpstr (two, ==, "[-2, -9223372036854775808]");
  g_assert_cmpuint (strlen (long_one), <, 300);
  g_assert_true (g_str_has_suffix (long_one, ", …]"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/layout/new", test_new);
  g_test_add_func ("/layout/new-fails", test_new_fails);
  g_test_add_func ("/layout/strided", test_strided);
  g_test_add_func ("/layout/extent", test_extent);
  g_test_add_func ("/layout/adj-strides", test_adj_strides);
  g_test_add_func ("/layout/view", test_view);
  g_test_add_func ("/layout/view-fails", test_view_fails);
  g_test_add_func ("/layout/slice", test_slice);
  g_test_add_func ("/layout/slice-fails", test_slice_fails);
  g_test_add_func ("/layout/permute", test_permute);
  g_test_add_func ("/layout/broadcast", test_broadcast);
  g_test_add_func ("/layout/axes-of-length-1", test_axes_of_length_1);
  g_test_add_func ("/layout/flip", test_flip);
  g_test_add_func ("/layout/huge", test_huge);
  g_test_add_func ("/layout/strings", test_strings);

  return g_test_run ();
}
