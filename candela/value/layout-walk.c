/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Walking over elements: how an odometer carries, shapes brought together, and axes
 * made as few as can be. */
#include <candela/value/layout-private.h>

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

gboolean
candela_layout_find_stride (const CandelaLayout *layout, guint first, guint end, gint64 *stride)
{
  gint64 next = 0;
  gboolean found = FALSE;

  *stride = 0;
  for (guint axis = end; axis-- > first;)
    {
      if (layout->dims[axis] == 1)
        continue;
      if (!found)
        *stride = next = layout->strides[axis];
      else if (layout->strides[axis] != next)
        return FALSE;
      found = TRUE;
      next *= layout->dims[axis];
    }
  return TRUE;
}
