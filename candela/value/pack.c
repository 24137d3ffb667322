/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packing. Axes are made as few as can be, once. A range is then cut at the steps of
 * the outermost axis that it crosses: what lies before the first whole step and
 * after the last one is a range over the axes within, and the whole steps are a
 * block, gone over as planes of two axes, which move.c has loops for. One axis of a
 * plane is the last, the other the one along which the source steps least, so
 * that each cache line that is fetched is used up. */
#include <candela/value/pack-private.h>

#include <string.h>

#define CACHE_LINE 64
/* A plane of fewer elements costs less than getting to it. */
#define SMALL_PLANE 64
/* Columns so few that each is a loop down the rows. */
#define FEW_COLUMNS 8
/* Columns that go together where rows share cache lines. */
#define BLOCK_COLUMNS 64

void
candela_pack_walk_init (CandelaPackWalk *walk, const CandelaLayout *layout, gsize size)
{
  const gint64 *strides = layout->strides;
  gint64 below = 1;

  walk->size = size;
  walk->moves = candela_moves_get (size);
  candela_layout_coalesce (layout->dims, layout->rank, 1, &strides, walk->shape, &walk->rank, &walk->strides);
  for (guint i = walk->rank; i-- > 0;)
    {
      walk->below[i] = below;
      below *= walk->shape[i];
    }
  walk->n_elements = below;
}

static void
pack_row (const CandelaPackWalk *walk, const guint8 *in, gsize n, guint8 *out)
{
  gint64 stride = walk->strides[walk->rank - 1];

  if (stride == 1)
    memmove (out, in, n * walk->size); /* a kernel in place packs a row onto itself */
  else if (stride == 0)
    walk->moves->spread (out, in, 0, 1, n);
  else
    walk->moves->gather (out, in, stride, n);
}

static void
pack_rows (const CandelaPackWalk *walk, const CandelaPlane *plane, const guint8 *in, guint8 *out, gint64 out_stride)
{
  const gint64 size = walk->size;
  gboolean across = ABS (plane->row_stride) < ABS (plane->column_stride);
  gsize block = across ? BLOCK_COLUMNS : plane->columns;

  for (gsize j = 0; j < plane->columns; j += block)
    for (gsize i = 0; i < plane->rows; i++)
      pack_row (walk, in + ((gint64) i * plane->row_stride + (gint64) j * plane->column_stride) * size,
                MIN (block, plane->columns - j), out + ((gint64) i * out_stride + (gint64) j) * size);
}

/* Rows so few that columns of so many elements, one after the other, are dealt out to them. */
static gboolean
is_dealt (gsize rows, gsize size)
{
  return rows == 3 ? size <= 2 : (rows == 2 || rows == 4) && size <= 8;
}

void
candela_pack_plane (const CandelaPackWalk *walk, const CandelaPlane *plane, const guint8 *in, guint8 *out,
                    gint64 out_stride)
{
  const CandelaMoves *moves = walk->moves;
  const gint64 size = walk->size;
  gsize rows = plane->rows, columns = plane->columns;
  gsize lanes = 16 / size;
  gboolean dense = out_stride == (gint64) columns;

  if (plane->row_stride == 0 && dense)
    {
      pack_row (walk, in, columns, out);
      candela_move_repeat (out, columns * size, rows);
    }
  else if (plane->column_stride == 1)
    candela_move_rows (out, out_stride * size, in, plane->row_stride * size, rows, columns * size);
  else if (plane->column_stride == 0 && dense)
    moves->spread (out, in, plane->row_stride, rows, columns);
  else if (plane->row_stride == 1 && plane->column_stride == (gint64) rows && columns >= FEW_COLUMNS
           && is_dealt (rows, size))
    moves->deal (out, out_stride, in, rows, columns);
  else if (plane->row_stride == 1 && rows >= lanes && columns >= lanes)
    moves->transpose (out, out_stride, in, plane->column_stride, rows, columns);
  else if (plane->row_stride == -1 && rows >= lanes && columns >= lanes)
    moves->transpose (out + (gint64) (rows - 1) * out_stride * size, -out_stride, in - (gint64) (rows - 1) * size,
                      plane->column_stride, rows, columns);
  else if (columns <= FEW_COLUMNS)
    moves->weave (out, out_stride, in, plane->row_stride, plane->column_stride, rows, columns);
  else
    pack_rows (walk, plane, in, out, out_stride);
}

/* Which axis from the first on makes a plane with the last one; that one has only so
 * many steps. */
static guint
choose_axis (const CandelaPackWalk *walk, guint first, gint64 steps)
{
  guint last = walk->rank - 1;
  guint near = last - 1, longest = last - 1;
  gint64 near_length = near == first ? steps : walk->shape[near];
  gint64 longest_length = near_length;

  for (guint i = last - 1; i-- > first;)
    {
      gint64 length = i == first ? steps : walk->shape[i];

      if (walk->strides[i] != 0 && length >= FEW_COLUMNS
          && (walk->strides[near] == 0 || ABS (walk->strides[i]) < ABS (walk->strides[near])))
        {
          near = i;
          near_length = length;
        }
      if (length > longest_length)
        {
          longest = i;
          longest_length = length;
        }
    }
  if (ABS (walk->strides[near]) >= ABS (walk->strides[last]) || ABS (walk->strides[last]) <= 1)
    {
      near = last - 1;
      near_length = near == first ? steps : walk->shape[near];
    }
  return near_length * walk->shape[last] < SMALL_PLANE ? longest : near;
}

guint
candela_pack_near_axis (const CandelaPackWalk *walk)
{
  guint last = walk->rank - 1;
  guint axis;

  if (walk->rank == 1 || ABS (walk->strides[last]) <= 1)
    return G_MAXUINT;
  axis = choose_axis (walk, 0, walk->shape[0]);
  if (walk->strides[axis] == 0 || ABS (walk->strides[axis]) >= ABS (walk->strides[last]))
    return G_MAXUINT;
  return axis;
}

gboolean
candela_pack_walk_gains (const CandelaPackWalk *walk, gsize n, gsize more)
{
  guint axis = candela_pack_near_axis (walk);

  return axis != G_MAXUINT && (gsize) walk->below[axis] * (CACHE_LINE / walk->size) > n
         && (gsize) walk->below[axis] * 2 <= more;
}

/* An axis around the planes. */
typedef struct
{
  gint64 length, index;
  gint64 in_step, out_step; /* bytes */
} Outer;

/* To the next plane in row-major order; FALSE after the last one. */
static gboolean
next_plane (Outer *outer, guint n_outer, const guint8 **in, guint8 **out)
{
  for (guint i = n_outer; i-- > 0;)
    {
      *in += outer[i].in_step;
      *out += outer[i].out_step;
      if (++outer[i].index < outer[i].length)
        return TRUE;
      *in -= outer[i].length * outer[i].in_step;
      *out -= outer[i].length * outer[i].out_step;
      outer[i].index = 0;
    }
  return FALSE;
}

/* So many whole steps of an axis, with all that lies within. */
static void
pack_block (const CandelaPackWalk *walk, guint first, gint64 steps, const guint8 *in, guint8 *out)
{
  const gint64 size = walk->size;
  guint last = walk->rank - 1;
  guint axis = choose_axis (walk, first, steps);
  Outer outer[CANDELA_MAX_RANK];
  guint n_outer = 0;
  CandelaPlane plane = { walk->strides[axis], walk->strides[last], axis == first ? steps : walk->shape[axis],
                         walk->shape[last] };

  for (guint i = first; i < last; i++)
    if (i != axis)
      outer[n_outer++] = (Outer){ .length = i == first ? steps : walk->shape[i],
                                  .in_step = walk->strides[i] * size,
                                  .out_step = walk->below[i] * size };
  do
    candela_pack_plane (walk, &plane, in, out, walk->below[axis]);
  while (next_plane (outer, n_outer, &in, &out));
}

static void
pack_range (const CandelaPackWalk *walk, guint axis, const guint8 *in, guint64 start, gsize n, guint8 *out)
{
  const gint64 size = walk->size;

  for (; axis + 1 < walk->rank; axis++)
    {
      gsize below = walk->below[axis];
      gint64 step = walk->strides[axis] * size;
      gsize part, whole;

      in += (gint64) (start / below) * step;
      start %= below;
      if (start + n < below)
        continue;
      if (start > 0)
        {
          part = below - start;
          pack_range (walk, axis + 1, in, start, part, out);
          in += step;
          out += part * size;
          n -= part;
        }
      whole = n / below;
      if (whole > 0)
        pack_block (walk, axis, whole, in, out);
      in += (gint64) whole * step;
      out += whole * below * size;
      n -= whole * below;
      if (n == 0)
        return;
      start = 0;
    }
  pack_row (walk, in + (gint64) start * walk->strides[axis] * size, n, out);
}

void
candela_pack_walk_run (const CandelaPackWalk *walk, gconstpointer data, gint64 start, gsize n, gpointer out)
{
  if (n > 0)
    pack_range (walk, 0, data, start, n, out);
}

gconstpointer
candela_pack_walk_read (const CandelaPackWalk *walk, gconstpointer data, gint64 start, gsize n, gpointer scratch)
{
  guint last = walk->rank - 1;
  gint64 address = 0;
  gint64 left = start;

  if (walk->strides[last] == 1)
    {
      for (guint i = 0; i < last; i++)
        {
          gint64 steps = left / walk->below[i];

          address += steps * walk->strides[i];
          left -= steps * walk->below[i];
        }
      if (left + (gint64) n <= walk->shape[last])
        return (const guint8 *) data + (address + left) * (gint64) walk->size;
    }
  candela_pack_walk_run (walk, data, start, n, scratch);
  return scratch;
}

gint64
candela_pack_walk_find_repeat (const CandelaPackWalk *walk, gint64 most, gint64 *range)
{
  for (guint i = 0; i + 1 < walk->rank; i++)
    if (walk->strides[i] == 0 && walk->below[i] <= most)
      {
        *range = walk->below[i] * walk->shape[i];
        return walk->below[i];
      }
  return 0;
}

void
candela_layout_pack (const CandelaLayout *layout, gconstpointer buffer, gsize size, gint64 start, gsize n, gpointer out)
{
  const guint8 *data = (const guint8 *) buffer + layout->offset * (gint64) size;
  CandelaPackWalk walk;

  if (layout->contiguous)
    {
      memmove (out, data + start * (gint64) size, n * size);
      return;
    }
  candela_pack_walk_init (&walk, layout, size);
  candela_pack_walk_run (&walk, data, start, n, out);
}
