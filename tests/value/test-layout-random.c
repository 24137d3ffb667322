/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Layouts over random chains of operations, against a map: the address of every
 * index in a list, in row-major order, on which each operation is done by
 * looking indices up. What a layout says of itself is then read off the list. */
#include <candela/value/layout-private.h>

#include <string.h>

#define MAX_RANK 6
#define MAX_ELEMENTS 4000
#define ROUNDS 3000

typedef struct
{
  guint rank;
  gint64 shape[MAX_RANK];
  gint64 n;
  gint64 address[MAX_ELEMENTS];
} Map;

static gint64
count (const gint64 *shape, guint rank)
{
  gint64 n = 1;

  for (guint i = 0; i < rank; i++)
    n *= shape[i];
  return n;
}

static void
unravel (gint64 flat, const gint64 *shape, guint rank, gint64 *index)
{
  for (guint i = rank; i-- > 0;)
    {
      index[i] = flat % shape[i];
      flat /= shape[i];
    }
}

static gint64
look_up (const Map *map, const gint64 *index)
{
  gint64 flat = 0;

  for (guint i = 0; i < map->rank; i++)
    {
      g_assert_cmpint (index[i], <, map->shape[i]);
      flat = flat * map->shape[i] + index[i];
    }
  return map->address[flat];
}

static gint64
layout_address (const CandelaLayout *layout, const gint64 *index)
{
  gint64 address = layout->offset;

  for (guint i = 0; i < layout->rank; i++)
    address += index[i] * layout->strides[i];
  return address;
}

static int
random_int (int below)
{
  return g_test_rand_int_range (0, below);
}

/* Each operation: a new map, and the layout that is to be the same. */

static CandelaLayout *
do_slice (const Map *map, const CandelaLayout *layout, Map *out, GError **error)
{
  guint axis = random_int (map->rank);
  gint64 length = map->shape[axis];
  gint64 step = random_int (4) + 1;
  gint64 start = random_int (2) ? CANDELA_SLICE_NONE : random_int (2 * length + 5) - length - 2;
  gint64 stop = random_int (2) ? CANDELA_SLICE_NONE : random_int (2 * length + 5) - length - 2;
  gint64 wanted[MAX_ELEMENTS];
  gint64 first, last;

  /* Python's rules in words: count from the end, then clamp, then walk. */
  if (random_int (2))
    {
      first = start == CANDELA_SLICE_NONE ? 0 : start < 0 ? MAX (start + length, 0) : start;
      last = stop == CANDELA_SLICE_NONE || stop > length ? length : stop < 0 ? stop + length : stop;
      out->shape[axis] = 0;
      for (gint64 i = first; i < last; i += step)
        wanted[out->shape[axis]++] = i;
    }
  else
    {
      first = start == CANDELA_SLICE_NONE || start >= length ? length - 1 : start < 0 ? start + length : start;
      last = stop == CANDELA_SLICE_NONE ? -1 : stop < 0 ? MAX (stop + length, -1) : stop;
      out->shape[axis] = 0;
      for (gint64 i = first; i > last && i >= 0; i -= step)
        wanted[out->shape[axis]++] = i;
      step = -step;
    }

  out->n = count (out->shape, out->rank);
  for (gint64 flat = 0; flat < out->n; flat++)
    {
      gint64 index[MAX_RANK];

      unravel (flat, out->shape, out->rank, index);
      index[axis] = wanted[index[axis]];
      out->address[flat] = look_up (map, index);
    }
  return candela_layout_slice (layout, random_int (2) ? axis : (gint64) axis - map->rank, start, stop, step, error);
}

static CandelaLayout *
do_select (const Map *map, const CandelaLayout *layout, Map *out, GError **error)
{
  guint axis = random_int (map->rank);
  gint64 at;

  if (map->shape[axis] == 0)
    return NULL;
  at = random_int (map->shape[axis]);
  out->rank = map->rank - 1;
  for (guint i = axis; i < out->rank; i++)
    out->shape[i] = map->shape[i + 1];
  out->n = count (out->shape, out->rank);
  for (gint64 flat = 0; flat < out->n; flat++)
    {
      gint64 index[MAX_RANK];

      unravel (flat, out->shape, out->rank, index);
      memmove (index + axis + 1, index + axis, (out->rank - axis) * sizeof *index);
      index[axis] = at;
      out->address[flat] = look_up (map, index);
    }
  return candela_layout_select (layout, axis, random_int (2) ? at : at - map->shape[axis], error);
}

static CandelaLayout *
do_permute (const Map *map, const CandelaLayout *layout, Map *out, GError **error)
{
  gint64 axes[MAX_RANK];

  for (guint i = 0; i < map->rank; i++)
    {
      guint j = random_int (i + 1);

      axes[i] = axes[j];
      axes[j] = i;
    }
  for (guint i = 0; i < map->rank; i++)
    out->shape[i] = map->shape[axes[i]];
  for (gint64 flat = 0; flat < out->n; flat++)
    {
      gint64 index[MAX_RANK];
      gint64 from[MAX_RANK];

      unravel (flat, out->shape, out->rank, index);
      for (guint i = 0; i < map->rank; i++)
        from[axes[i]] = index[i];
      out->address[flat] = look_up (map, from);
    }
  return candela_layout_permute (layout, axes, map->rank, error);
}

static CandelaLayout *
do_broadcast (const Map *map, const CandelaLayout *layout, Map *out, GError **error)
{
  guint lead = random_int (MAX_RANK - map->rank + 1);

  out->rank = map->rank + lead;
  for (guint i = 0; i < out->rank; i++)
    {
      gint64 length = i < lead ? 1 : map->shape[i - lead];

      out->shape[i] = length == 1 ? random_int (4) : length;
    }
  out->n = count (out->shape, out->rank);
  if (out->n > MAX_ELEMENTS)
    return NULL;
  for (gint64 flat = 0; flat < out->n; flat++)
    {
      gint64 index[MAX_RANK];

      unravel (flat, out->shape, out->rank, index);
      for (guint i = 0; i < map->rank; i++)
        if (map->shape[i] == 1)
          index[lead + i] = 0;
      out->address[flat] = look_up (map, index + lead);
    }
  return candela_layout_broadcast (layout, out->shape, out->rank, error);
}

static CandelaLayout *
do_expand (const Map *map, const CandelaLayout *layout, Map *out, GError **error)
{
  guint axis = random_int (map->rank + 1);

  if (map->rank == MAX_RANK)
    return NULL;
  out->rank = map->rank + 1;
  for (guint i = out->rank; i-- > axis + 1;)
    out->shape[i] = map->shape[i - 1];
  out->shape[axis] = 1;
  return candela_layout_expand (layout, random_int (2) ? axis : (gint64) axis - map->rank - 1, error);
}

static CandelaLayout *
do_squeeze (const Map *map, const CandelaLayout *layout, Map *out, GError **error)
{
  out->rank = 0;
  for (guint i = 0; i < map->rank; i++)
    if (map->shape[i] != 1)
      out->shape[out->rank++] = map->shape[i];
  return candela_layout_squeeze (layout, NULL, 0, error);
}

static CandelaLayout *
do_flip (const Map *map, const CandelaLayout *layout, Map *out, GError **error)
{
  gint64 axes[MAX_RANK];
  gsize n_axes = 0;
  gboolean flipped[MAX_RANK];

  for (guint i = 0; i < map->rank; i++)
    {
      flipped[i] = random_int (2);
      if (flipped[i])
        axes[n_axes++] = i;
    }
  for (gint64 flat = 0; flat < out->n; flat++)
    {
      gint64 index[MAX_RANK];

      unravel (flat, out->shape, out->rank, index);
      for (guint i = 0; i < map->rank; i++)
        if (n_axes == 0 || flipped[i])
          index[i] = map->shape[i] - 1 - index[i];
      out->address[flat] = look_up (map, index);
    }
  return candela_layout_flip (layout, axes, n_axes, error);
}

/* Whether some strides give the list's addresses for a shape: those that the
 * addresses of the unit indices would need are tried. */
static gboolean
map_has_strides (const Map *map)
{
  gint64 strides[MAX_RANK] = { 0 };
  gint64 unit = 1;

  for (guint i = map->rank; i-- > 0;)
    {
      if (map->shape[i] > 1)
        strides[i] = map->address[unit] - map->address[0];
      unit *= map->shape[i];
    }
  for (gint64 flat = 0; flat < map->n; flat++)
    {
      gint64 index[MAX_RANK];
      gint64 address = map->address[0];

      unravel (flat, map->shape, map->rank, index);
      for (guint i = 0; i < map->rank; i++)
        address += index[i] * strides[i];
      if (address != map->address[flat])
        return FALSE;
    }
  return TRUE;
}

/* A shape with as many elements: axes are split and joined at random. */
static CandelaLayout *
do_view (const Map *map, const CandelaLayout *layout, Map *out, GError **error)
{
  gint64 left = map->n;
  CandelaLayout *view;

  out->rank = 0;
  while (out->rank < MAX_RANK - 1 && random_int (5) > 0)
    {
      gint64 length = random_int (7) + 1;

      if (left == 0 || left % length != 0)
        continue;
      out->shape[out->rank++] = length;
      left /= length;
    }
  out->shape[out->rank++] = left;
  for (guint i = out->rank - 1; i > 0; i--)
    {
      guint j = random_int (i + 1);
      gint64 length = out->shape[i];

      out->shape[i] = out->shape[j];
      out->shape[j] = length;
    }

  view = candela_layout_view (layout, out->shape, out->rank, error);
  if (map_has_strides (out))
    return view;
  g_assert_null (view);
  g_assert_error (*error, CANDELA_ERROR, CANDELA_ERROR_SHAPE);
  g_assert_nonnull (strstr ((*error)->message, "without a copy"));
  g_clear_error (error);
  return NULL;
}

static void
check_layout (const Map *map, const CandelaLayout *layout)
{
  gint64 lowest = G_MAXINT64, highest = -1;
  gint64 first, end, walked;
  gboolean dense = TRUE;
  gboolean distinct = TRUE;
  g_autofree gint64 *adjusted = candela_layout_get_adj_strides (layout, NULL);
  g_autofree guint8 *seen = g_malloc0 (MAX_ELEMENTS);

  g_assert_cmpuint (layout->rank, ==, map->rank);
  g_assert_cmpmem (layout->dims, layout->rank * sizeof (gint64), map->shape, map->rank * sizeof (gint64));
  g_assert_cmpint (layout->n_elements, ==, map->n);

  walked = layout->offset;
  for (gint64 flat = 0; flat < map->n; flat++)
    {
      gint64 index[MAX_RANK];
      gint64 address = map->address[flat];

      unravel (flat, map->shape, map->rank, index);
      g_assert_cmpint (layout_address (layout, index), ==, address);

      /* An odometer: one addition a step, at the axis into which it carries. */
      g_assert_cmpint (walked, ==, address);
      for (guint i = map->rank; i-- > 0;)
        if (index[i] + 1 < map->shape[i])
          {
            walked += adjusted[i];
            break;
          }

      lowest = MIN (lowest, address);
      highest = MAX (highest, address);
      dense = dense && address == map->address[0] + flat;
      distinct = distinct && !seen[address];
      seen[address] = TRUE;
    }

  candela_layout_get_extent (layout, &first, &end);
  g_assert_cmpint (first, ==, map->n > 0 ? lowest : 0);
  g_assert_cmpint (end, ==, map->n > 0 ? highest + 1 : 0);
  g_assert_cmpint (candela_layout_is_contiguous (layout), ==, dense);
  g_assert_cmpint (candela_layout_is_injective (layout), ==, distinct);
}

/* Every element under its address, of each size. */
static void
check_pack (const Map *map, const CandelaLayout *layout)
{
  static const gsize sizes[] = { 1, 2, 4, 8, 16 };
  gsize size = sizes[random_int (G_N_ELEMENTS (sizes))];
  g_autofree guint8 *buffer = g_malloc (MAX_ELEMENTS * size);
  gint64 start = random_int (map->n + 1);
  gsize n = random_int (map->n - start + 1);
  g_autofree guint8 *out = g_malloc (n * size + 1);

  for (gsize i = 0; i < MAX_ELEMENTS * size; i++)
    buffer[i] = i * 7 + i / 251;
  out[n * size] = 0x55;
  candela_layout_pack (layout, buffer, size, start, n, out);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpmem (out + i * size, size, buffer + map->address[start + i] * size, size);
  g_assert_cmpint (out[n * size], ==, 0x55);
}

/* To packed elements of another shape, somewhere in a buffer. */
static void
check_copy (const Map *map, const CandelaLayout *layout)
{
  static const gsize sizes[] = { 1, 2, 4, 8, 16 };
  gsize size = sizes[random_int (G_N_ELEMENTS (sizes))];
  gint64 stride = 1;
  g_autoptr (CandelaLayout) dest = candela_layout_new_strided (&map->n, 1, &stride, 1, 3, NULL);
  g_autofree guint8 *from = g_malloc (MAX_ELEMENTS * size);
  g_autofree guint8 *to = g_malloc0 ((map->n + 4) * size);

  for (gsize i = 0; i < MAX_ELEMENTS * size; i++)
    from[i] = i * 5 + i / 255;

  candela_layout_copy_elements (to, dest, from, layout, size);
  for (gint64 flat = 0; flat < map->n; flat++)
    g_assert_cmpmem (to + (3 + flat) * size, size, from + map->address[flat] * size, size);
  for (gsize i = 0; i < size; i++)
    g_assert_cmpint (to[(3 + map->n) * size + i], ==, 0);
}

static CandelaLayout *
start_map (Map *map)
{
  g_autoptr (GError) error = NULL;
  CandelaLayout *layout;

  do
    {
      map->rank = random_int (5);
      for (guint i = 0; i < map->rank; i++)
        map->shape[i] = random_int (12) == 0 ? 0 : random_int (i > 2 ? 4 : 9) + 1;
      map->n = count (map->shape, map->rank);
    }
  while (map->n > MAX_ELEMENTS);
  for (gint64 i = 0; i < map->n; i++)
    map->address[i] = i;
  layout = candela_layout_new (map->shape, map->rank, &error);
  g_assert_no_error (error);
  return layout;
}

static void
test_random (void)
{
  static CandelaLayout *(*const ops[]) (const Map *, const CandelaLayout *, Map *,
                                        GError **) = { do_slice,   do_select, do_permute, do_broadcast, do_expand,
                                                       do_squeeze, do_flip,   do_view,    do_view };
  g_autofree Map *map = g_new0 (Map, 1);
  g_autofree Map *next = g_new0 (Map, 1);

  for (guint round = 0; round < ROUNDS; round++)
    {
      g_autoptr (CandelaLayout) layout = start_map (map);

      for (guint step = random_int (6); step > 0; step--)
        {
          guint op = random_int (G_N_ELEMENTS (ops));
          g_autoptr (CandelaLayout) made = NULL;
          g_autoptr (GError) error = NULL;

          if (map->rank == 0 && op < 2)
            continue;
          *next = *map;
          made = ops[op](map, layout, next, &error);
          g_assert_no_error (error);
          if (made == NULL)
            continue;
          check_layout (next, made);
          *map = *next;
          candela_layout_unref (layout);
          layout = g_steal_pointer (&made);
        }
      check_layout (map, layout);
      check_pack (map, layout);
      check_copy (map, layout);
    }
}

/* Two views of one buffer that map alike are equal, however they came about. */
static void
test_equal (void)
{
  g_autofree Map *map = g_new0 (Map, 1);

  for (guint round = 0; round < 200; round++)
    {
      g_autoptr (CandelaLayout) layout = start_map (map);
      g_autoptr (CandelaLayout) flipped = candela_layout_flip (layout, NULL, 0, NULL);
      g_autoptr (CandelaLayout) back = candela_layout_flip (flipped, NULL, 0, NULL);
      g_autoptr (CandelaLayout) expanded = candela_layout_expand (layout, 0, NULL);
      g_autoptr (CandelaLayout) selected = candela_layout_select (expanded, 0, 0, NULL);

      g_assert_true (candela_layout_equal (layout, back));
      g_assert_true (candela_layout_equal (layout, selected));
    }
}

static void
test_shape_broadcast (void)
{
  const gint64 a[] = { 3, 1 }, b[] = { 2, 1, 4 }, c[] = { 0, 1, 1 }, d[] = { 3 };
  g_autoptr (CandelaLayout) la = candela_layout_new (a, 2, NULL);
  g_autoptr (CandelaLayout) lb = candela_layout_new (b, 3, NULL);
  g_autoptr (CandelaLayout) lc = candela_layout_new (c, 3, NULL);
  g_autoptr (CandelaLayout) ld = candela_layout_new (d, 1, NULL);
  const CandelaLayout *good[] = { la, lb };
  const CandelaLayout *empty[] = { la, lc };
  const CandelaLayout *bad[] = { la, lb, ld };
  gint64 shape[CANDELA_MAX_RANK];
  guint rank;

  g_assert_true (candela_shape_broadcast (good, 2, shape, &rank));
  g_assert_cmpmem (shape, rank * sizeof *shape, ((gint64[]){ 2, 3, 4 }), 3 * sizeof *shape);
  g_assert_true (candela_shape_broadcast (empty, 2, shape, &rank));
  g_assert_cmpmem (shape, rank * sizeof *shape, ((gint64[]){ 0, 3, 1 }), 3 * sizeof *shape);
  g_assert_false (candela_shape_broadcast (bad, 3, shape, &rank));
  g_assert_true (candela_shape_broadcast (NULL, 0, shape, &rank));
  g_assert_cmpuint (rank, ==, 0);
}

static void
test_coalesce (void)
{
  const gint64 shape[] = { 2, 1, 3, 4, 5 };
  const gint64 packed[] = { 60, 60, 20, 5, 1 };
  const gint64 padded[] = { 72, 9, 24, 6, 1 };
  const gint64 repeated[] = { 0, 7, 0, 0, 1 };
  const gint64 *const all[] = { packed, padded, repeated };
  gint64 out[CANDELA_MAX_RANK];
  gint64 strides[3][CANDELA_MAX_RANK];
  guint rank;

  candela_layout_coalesce (shape, 5, 1, all, out, &rank, strides);
  g_assert_cmpuint (rank, ==, 1);
  g_assert_cmpint (out[0], ==, 120);
  g_assert_cmpint (strides[0][0], ==, 1);

  candela_layout_coalesce (shape, 5, 3, all, out, &rank, strides);
  g_assert_cmpmem (out, rank * sizeof *out, ((gint64[]){ 24, 5 }), 2 * sizeof *out);
  g_assert_cmpint (strides[0][0], ==, 5);
  g_assert_cmpint (strides[1][0], ==, 6);
  g_assert_cmpint (strides[2][0], ==, 0);
  g_assert_cmpint (strides[2][1], ==, 1);

  candela_layout_coalesce (NULL, 0, 3, all, out, &rank, strides);
  g_assert_cmpuint (rank, ==, 1);
  g_assert_cmpint (out[0], ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/layout-random/chains", test_random);
  g_test_add_func ("/layout-random/equal", test_equal);
  g_test_add_func ("/layout-random/shape-broadcast", test_shape_broadcast);
  g_test_add_func ("/layout-random/coalesce", test_coalesce);

  return g_test_run ();
}
