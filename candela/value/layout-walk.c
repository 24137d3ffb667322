/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Walking over elements: how an odometer carries, shapes brought together, axes
 * made as few as can be, and copies between layouts. A copy ends in a loop over
 * one axis with constant element size; what lies outside of it is an odometer.
 * Where source and destination disagree about which axis is near, the loop goes
 * over square blocks of two axes, so that each cache line that is fetched is used
 * up. */
#include <candela/value/layout-private.h>

#include <string.h>

/**
 * candela_layout_get_adj_strides:
 * @layout: a layout
 * @n_dims: (out) (optional): return location for the number of axes
 *
 * By how many elements one moves when a walk in row-major order carries into
 * each axis: its stride, less what the axes within it have moved. All ones for a
 * contiguous layout; `[1, 0]` for shape `[3, 1]` broadcast to `[3, 4]`, and
 * `[-3, 1]` for `[1, 4]`.
 *
 * Returns: (array length=n_dims) (transfer full): the adjusted strides
 *
 * Since: 1.0
 */
gint64 *
candela_layout_get_adj_strides (const CandelaLayout *layout, gsize *n_dims)
{
  guint64 moved = 0;
  gint64 *adjusted;

  g_return_val_if_fail (layout != NULL, NULL);

  adjusted = g_new (gint64, MAX (layout->rank, 1));
  /* Unsigned: beyond an axis of length 1 or 0 numbers may be out of range, and mean nothing. */
  for (guint i = layout->rank; i-- > 0;)
    {
      adjusted[i] = (gint64) ((guint64) layout->strides[i] - moved);
      moved += (guint64) (MAX (layout->dims[i], 1) - 1) * (guint64) layout->strides[i];
    }
  if (n_dims != NULL)
    *n_dims = layout->rank;
  return adjusted;
}

gboolean
candela_shape_broadcast (const CandelaLayout *const *layouts, guint n, gint64 *out, guint *out_rank)
{
  guint rank = 0;

  for (guint k = 0; k < n; k++)
    rank = MAX (rank, layouts[k]->rank);
  for (guint i = 0; i < rank; i++)
    out[i] = 1;
  for (guint k = 0; k < n; k++)
    {
      gint64 *last = out + (rank - layouts[k]->rank);

      for (guint i = 0; i < layouts[k]->rank; i++)
        {
          gint64 length = layouts[k]->dims[i];

          if (length == 1 || length == last[i])
            continue;
          if (last[i] != 1)
            return FALSE;
          last[i] = length;
        }
    }
  *out_rank = rank;
  return TRUE;
}

void
candela_layout_coalesce (const gint64 *shape, guint rank, guint n_operands, const gint64 *const *strides_in,
                         gint64 *shape_out, guint *rank_out, gint64 (*strides_out)[CANDELA_MAX_RANK])
{
  guint n = 0;

  for (guint i = 0; i < rank; i++)
    {
      gboolean joins = n > 0;

      if (shape[i] == 1)
        continue;
      /* The axis before is the outer one: made longer by this, its step is this one's. */
      for (guint k = 0; k < n_operands && joins; k++)
        {
          gint64 past;

          joins = !__builtin_mul_overflow (shape[i], strides_in[k][i], &past) && past == strides_out[k][n - 1];
        }
      if (joins)
        shape_out[n - 1] *= shape[i];
      else
        shape_out[n++] = shape[i];
      for (guint k = 0; k < n_operands; k++)
        strides_out[k][n - 1] = strides_in[k][i];
    }

  if (n == 0)
    {
      shape_out[n++] = 1;
      for (guint k = 0; k < n_operands; k++)
        strides_out[k][0] = 1;
    }
  *rank_out = n;
}

/* Loops over one axis with a constant element size. memcpy() of a constant size
 * is one load and one store, whatever the type. */
#define DEFINE_COPY_RUN(SIZE)                                                                                          \
  static inline void copy_run_##SIZE (guint8 *restrict dest, gint64 dest_stride, const guint8 *restrict src,           \
                                      gint64 src_stride, gint64 n)                                                     \
  {                                                                                                                    \
    if (dest_stride == 1 && src_stride == 0)                                                                           \
      {                                                                                                                \
        guint8 element[SIZE];                                                                                          \
                                                                                                                       \
        memcpy (element, src, SIZE);                                                                                   \
        for (gint64 i = 0; i < n; i++)                                                                                 \
          memcpy (dest + i * SIZE, element, SIZE);                                                                     \
      }                                                                                                                \
    else if (dest_stride == 1)                                                                                         \
      for (gint64 i = 0; i < n; i++)                                                                                   \
        memcpy (dest + i * SIZE, src + i * src_stride * SIZE, SIZE);                                                   \
    else                                                                                                               \
      for (gint64 i = 0; i < n; i++)                                                                                   \
        memcpy (dest + i * dest_stride * SIZE, src + i * src_stride * SIZE, SIZE);                                     \
  }

DEFINE_COPY_RUN (1)
DEFINE_COPY_RUN (2)
DEFINE_COPY_RUN (4)
DEFINE_COPY_RUN (8)
DEFINE_COPY_RUN (16)

static void
copy_run (guint8 *dest, gint64 dest_stride, const guint8 *src, gint64 src_stride, gint64 n, gsize size)
{
  if (dest_stride == 1 && src_stride == 1)
    {
      memcpy (dest, src, n * size);
      return;
    }
  switch (size)
    {
    case 1:
      copy_run_1 (dest, dest_stride, src, src_stride, n);
      break;
    case 2:
      copy_run_2 (dest, dest_stride, src, src_stride, n);
      break;
    case 4:
      copy_run_4 (dest, dest_stride, src, src_stride, n);
      break;
    case 8:
      copy_run_8 (dest, dest_stride, src, src_stride, n);
      break;
    case 16:
      copy_run_16 (dest, dest_stride, src, src_stride, n);
      break;
    default:
      for (gint64 i = 0; i < n; i++)
        memcpy (dest + i * dest_stride * (gint64) size, src + i * src_stride * (gint64) size, size);
    }
}

/* Blocks of 32 x 32 elements: at 16 bytes an element, 2 x 16 KiB, within a first-level cache. */
#define BLOCK 32

/* Two axes; blocked when the source's step along the inner one is the longer. */
static void
copy_plane (guint8 *dest, const gint64 *dest_strides, const guint8 *src, const gint64 *src_strides, const gint64 *shape,
            gsize size)
{
  const gint64 bytes = size;
  gint64 rows = shape[0], columns = shape[1];

  if (ABS (src_strides[1]) <= ABS (src_strides[0]) || rows < 4 || columns < 4)
    {
      for (gint64 i = 0; i < rows; i++)
        copy_run (dest + i * dest_strides[0] * bytes, dest_strides[1], src + i * src_strides[0] * bytes, src_strides[1],
                  columns, size);
      return;
    }
  for (gint64 j = 0; j < columns; j += BLOCK)
    for (gint64 i = 0; i < rows; i += BLOCK)
      {
        gint64 end = MIN (rows, i + BLOCK);

        for (gint64 row = i; row < end; row++)
          copy_run (dest + (row * dest_strides[0] + j * dest_strides[1]) * bytes, dest_strides[1],
                    src + (row * src_strides[0] + j * src_strides[1]) * bytes, src_strides[1], MIN (BLOCK, columns - j),
                    size);
      }
}

/* A place in a walk over a shape: where it is, and the address there. */
typedef struct
{
  guint rank;
  const gint64 *shape;
  const gint64 *strides;
  gint64 index[CANDELA_MAX_RANK];
  gint64 address;
} Walk;

/* One step in row-major order. */
static inline void
walk_next (Walk *walk)
{
  for (guint i = walk->rank; i-- > 0;)
    {
      walk->address += walk->strides[i];
      if (++walk->index[i] < walk->shape[i])
        return;
      walk->address -= walk->shape[i] * walk->strides[i];
      walk->index[i] = 0;
    }
}

static void
copy_same_shape (guint8 *dest, const guint8 *src, const gint64 *dims, guint n_dims, const gint64 *dest_strides,
                 const gint64 *src_strides, gsize size)
{
  const gint64 *strides_in[2] = { dest_strides, src_strides };
  gint64 shape[CANDELA_MAX_RANK];
  gint64 strides[2][CANDELA_MAX_RANK];
  guint rank, near;
  gint64 n_planes = 1;
  Walk to = { 0 }, from = { 0 };

  candela_layout_coalesce (dims, n_dims, 2, strides_in, shape, &rank, strides);
  if (rank == 1)
    {
      copy_run (dest, strides[0][0], src, strides[1][0], shape[0], size);
      return;
    }

  /* The axis along which the source steps least goes beside the last one; elements may be copied in any order. */
  near = rank - 2;
  for (guint i = 0; i < rank - 2; i++)
    if (strides[1][i] != 0 && ABS (strides[1][i]) < ABS (strides[1][near]))
      near = i;
  for (guint k = 0; k < 3; k++)
    {
      gint64 *numbers = k < 2 ? strides[k] : shape;
      gint64 number = numbers[near];

      numbers[near] = numbers[rank - 2];
      numbers[rank - 2] = number;
    }

  for (guint i = 0; i < rank - 2; i++)
    n_planes *= shape[i];
  to.rank = from.rank = rank - 2;
  to.shape = from.shape = shape;
  to.strides = strides[0];
  from.strides = strides[1];
  {
    const gint64 plane_dest[2] = { strides[0][rank - 2], strides[0][rank - 1] };
    const gint64 plane_src[2] = { strides[1][rank - 2], strides[1][rank - 1] };

    for (gint64 i = 0; i < n_planes; i++)
      {
        copy_plane (dest + to.address * (gint64) size, plane_dest, src + from.address * (gint64) size, plane_src,
                    shape + rank - 2, size);
        walk_next (&to);
        walk_next (&from);
      }
  }
}

/* Row-major strides, for a contiguous side that is walked in the other's shape. */
static void
set_row_major (const CandelaLayout *layout, gint64 *strides)
{
  gint64 stride = 1;

  for (guint i = layout->rank; i-- > 0;)
    {
      strides[i] = stride;
      stride *= layout->dims[i];
    }
}

void
candela_layout_copy_elements (gpointer dest, const CandelaLayout *dest_layout, gconstpointer src,
                              const CandelaLayout *src_layout, gsize size)
{
  guint8 *to = (guint8 *) dest + dest_layout->offset * (gint64) size;
  const guint8 *from = (const guint8 *) src + src_layout->offset * (gint64) size;
  gint64 row_major[CANDELA_MAX_RANK];

  if (dest_layout->n_elements == 0)
    return;
  if (dest_layout->contiguous && src_layout->contiguous)
    memcpy (to, from, src_layout->n_elements * size);
  else if (candela_layout_same_shape (dest_layout, src_layout))
    copy_same_shape (to, from, src_layout->dims, src_layout->rank, dest_layout->strides, src_layout->strides, size);
  else if (dest_layout->contiguous)
    {
      set_row_major (src_layout, row_major);
      copy_same_shape (to, from, src_layout->dims, src_layout->rank, row_major, src_layout->strides, size);
    }
  else if (src_layout->contiguous)
    {
      set_row_major (dest_layout, row_major);
      copy_same_shape (to, from, dest_layout->dims, dest_layout->rank, dest_layout->strides, row_major, size);
    }
  else
    {
      Walk write = { dest_layout->rank, dest_layout->dims, dest_layout->strides, { 0 }, 0 };
      Walk read = { src_layout->rank, src_layout->dims, src_layout->strides, { 0 }, 0 };

      for (gint64 i = 0; i < src_layout->n_elements; i++)
        {
          memcpy (to + write.address * (gint64) size, from + read.address * (gint64) size, size);
          walk_next (&write);
          walk_next (&read);
        }
    }
}

void
candela_layout_pack (const CandelaLayout *layout, gconstpointer buffer, gsize size, gint64 start, gsize n, gpointer out)
{
  const guint8 *from = (const guint8 *) buffer + layout->offset * (gint64) size;
  const gint64 *strides_in = layout->strides;
  gint64 shape[CANDELA_MAX_RANK];
  gint64 strides[1][CANDELA_MAX_RANK];
  guint rank, last;
  guint8 *to = out;
  Walk walk;
  gint64 left = start;
  gint64 skipped;

  if (n == 0)
    return;
  if (layout->contiguous)
    {
      /* A kernel in place packs a row onto itself. */
      memmove (to, from + start * (gint64) size, n * size);
      return;
    }

  candela_layout_coalesce (layout->dims, layout->rank, 1, &strides_in, shape, &rank, strides);
  last = rank - 1;
  skipped = left % shape[last];
  left /= shape[last];

  walk.rank = last;
  walk.shape = shape;
  walk.strides = strides[0];
  walk.address = 0;
  for (guint i = last; i-- > 0;)
    {
      walk.index[i] = left % shape[i];
      left /= shape[i];
      walk.address += walk.index[i] * strides[0][i];
    }

  for (;;)
    {
      gsize run = MIN ((gsize) (shape[last] - skipped), n);
      gsize rows = skipped == 0 && last > 0 ? MIN (n / run, (gsize) (shape[last - 1] - walk.index[last - 1])) : 1;

      /* Whole rows together, as a plane, which is copied by tiles. */
      if (rows > 1)
        copy_plane (to, (gint64[]){ (gint64) run, 1 }, from + walk.address * (gint64) size, &strides[0][last - 1],
                    (gint64[]){ (gint64) rows, (gint64) run }, size);
      else
        copy_run (to, 1, from + (walk.address + skipped * strides[0][last]) * (gint64) size, strides[0][last], run,
                  size);
      run *= rows;
      to += run * size;
      n -= run;
      if (n == 0)
        return;
      skipped = 0;
      if (rows > 1)
        {
          walk.index[last - 1] += rows - 1;
          walk.address += (gint64) (rows - 1) * strides[0][last - 1];
        }
      walk_next (&walk);
    }
}
