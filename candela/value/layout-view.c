/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The layout algebra: each function gives another layout over the same buffer.
 * What it can reach lies within what it was made from, so addresses need no
 * check; only shapes, axes and indices, which are the caller's, do. */
#include <candela/value/layout-private.h>

#include <string.h>

/**
 * candela_axis_normalize:
 * @axis: (inout): an axis; negative ones count from the end
 * @rank: the number of axes
 * @error: return location for an error
 *
 * Makes @axis one of 0 to @rank - 1. What is out of range gives
 * %CANDELA_ERROR_AXIS.
 *
 * Returns: whether @axis is in range
 *
 * Since: 1.0
 */
gboolean
candela_axis_normalize (gint64 *axis, guint rank, GError **error)
{
  g_return_val_if_fail (axis != NULL, FALSE);

  if (*axis >= rank || *axis < -(gint64) rank)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_AXIS, "axis %" G_GINT64_FORMAT " is out of range for rank %u",
                   *axis, rank);
      return FALSE;
    }
  if (*axis < 0)
    *axis += rank;
  return TRUE;
}

/* Which of the axes are named, as bits; each once. All of them for no names. */
static gboolean
layout_collect_axes (const CandelaLayout *layout, const gint64 *axes, gsize n_axes, guint32 *named, GError **error)
{
  *named = 0;
  for (gsize i = 0; i < n_axes; i++)
    {
      gint64 axis = axes[i];

      if (!candela_axis_normalize (&axis, layout->rank, error))
        return FALSE;
      if (*named & (1u << axis))
        {
          g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_AXIS, "axis %" G_GINT64_FORMAT " is named twice", axis);
          return FALSE;
        }
      *named |= 1u << axis;
    }
  return TRUE;
}

/* A layout of another rank with the same offset, its shape and strides to be filled in. */
static CandelaLayout *
layout_begin (const CandelaLayout *layout, guint rank)
{
  CandelaLayout *made = candela_layout_alloc (rank);

  made->offset = layout->offset;
  return made;
}

static CandelaLayout *
layout_copy (const CandelaLayout *layout)
{
  CandelaLayout *made = layout_begin (layout, layout->rank);

  memcpy (made->dims, layout->dims, 2 * layout->rank * sizeof (gint64));
  return made;
}

static gboolean
layout_fail_count (const CandelaLayout *layout, const gint64 *shape, gsize n_dims, GError **error)
{
  g_autofree char *from = candela_shape_to_string (layout->dims, layout->rank);
  g_autofree char *to = candela_shape_to_string (shape, n_dims);

  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE,
               "shape %s with %" G_GINT64_FORMAT " elements cannot be viewed as shape %s", from, layout->n_elements,
               to);
  return FALSE;
}

/* Copies the wanted shape, with the length that is -1 worked out. */
static gboolean
layout_infer_shape (const CandelaLayout *layout, const gint64 *shape, gsize n_dims, gint64 *out, GError **error)
{
  gint64 product = 1;
  gssize inferred = -1;
  gboolean fits = TRUE;

  for (gsize i = 0; i < n_dims; i++)
    {
      out[i] = shape[i];
      if (shape[i] == -1 && inferred < 0)
        inferred = i;
      else if (shape[i] < 0)
        {
          g_autofree char *text = candela_shape_to_string (shape, n_dims);

          g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE, "shape %s has %s", text,
                       shape[i] == -1 ? "two lengths to be inferred" : "a negative length");
          return FALSE;
        }
      else if (shape[i] == 0)
        product = 0;
      else if (__builtin_mul_overflow (product, shape[i], &product))
        {
          /* A zero further on would undo it, but such a shape is refused everywhere. */
          fits = FALSE;
          product = 1;
        }
    }

  if (inferred >= 0 && fits && product > 0 && layout->n_elements % product == 0)
    out[inferred] = layout->n_elements / product;
  else if (inferred >= 0 || !fits || product != layout->n_elements)
    return layout_fail_count (layout, shape, n_dims, error);
  return TRUE;
}

/* Lays the wanted axes, innermost first, over the runs that the elements form:
 * axes that cannot be made one. None of the wanted may reach from one run into
 * the next. FALSE if one does. */
static gboolean
layout_view_strides (const CandelaLayout *layout, CandelaLayout *view)
{
  gint64 runs[CANDELA_MAX_RANK];
  gint64 strides[1][CANDELA_MAX_RANK];
  const gint64 *strides_in = layout->strides;
  guint n_runs;
  guint run;
  gint64 left, step;

  candela_layout_coalesce (layout->dims, layout->rank, 1, &strides_in, runs, &n_runs, strides);
  run = n_runs - 1;
  left = runs[run];
  step = strides[0][run];

  for (guint i = view->rank; i-- > 0;)
    {
      gint64 length = view->dims[i];

      if (length > 1 && left == 1)
        {
          run--;
          left = runs[run];
          step = strides[0][run];
        }
      view->strides[i] = step;
      if (left % length != 0)
        return FALSE;
      left /= length;
      /* Overflows only outside of the outermost axis, where no axis of more than one element is left. */
      if (__builtin_mul_overflow (step, length, &step))
        step = 0;
    }
  return TRUE;
}

/**
 * candela_layout_view:
 * @layout: a layout
 * @shape: (array length=n_dims) (nullable): the lengths of the axes; one may be -1, to be inferred
 * @n_dims: how many there are
 * @error: return location for an error
 *
 * The same elements in the same row-major order under another shape, where that
 * needs no copy: always for contiguous layouts, and for others if no new axis
 * joins what strides do not. Another number of elements gives
 * %CANDELA_ERROR_SHAPE with both shapes, as does a layout that would have to be
 * copied first, which the message says.
 *
 * Returns: (transfer full): the layout, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaLayout *
candela_layout_view (const CandelaLayout *layout, const gint64 *shape, gsize n_dims, GError **error)
{
  CandelaLayout *view;

  g_return_val_if_fail (layout != NULL, NULL);
  g_return_val_if_fail (shape != NULL || n_dims == 0, NULL);

  if (!candela_layout_check_rank (n_dims, error))
    return NULL;
  view = layout_begin (layout, n_dims);
  if (!layout_infer_shape (layout, shape, n_dims, view->dims, error))
    {
      g_free (view);
      return NULL;
    }

  if (layout->n_elements == 0)
    memset (view->strides, 0, n_dims * sizeof (gint64)); /* to be made row-major */
  else if (!layout_view_strides (layout, view))
    {
      g_autofree char *from = candela_layout_to_string (layout);
      g_autofree char *to = candela_shape_to_string (view->dims, n_dims);

      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE,
                   "a layout of %s cannot be viewed as shape %s without a copy", from, to);
      g_free (view);
      return NULL;
    }
  return candela_layout_complete (view, error);
}

/* How Python's slice.indices() reads start, stop and step over an axis; returns
 * the number of elements, and the first one in *first. */
static gint64
slice_resolve (gint64 length, gint64 start, gint64 stop, gint64 step, gint64 *first)
{
  gint64 lowest = step > 0 ? 0 : -1;
  gint64 highest = step > 0 ? length : length - 1;
  guint64 distance, stride;

  if (start == CANDELA_SLICE_NONE)
    start = step > 0 ? lowest : highest;
  else
    start = CLAMP (start < 0 ? start + length : start, lowest, highest);
  if (stop == CANDELA_SLICE_NONE)
    stop = step > 0 ? highest : lowest;
  else
    stop = CLAMP (stop < 0 ? stop + length : stop, lowest, highest);

  *first = start;
  if (step > 0 ? start >= stop : start <= stop)
    return 0;
  distance = step > 0 ? stop - start : start - stop;
  stride = step > 0 ? (guint64) step : -(guint64) step;
  return (distance - 1) / stride + 1;
}

/**
 * candela_layout_slice:
 * @layout: a layout
 * @axis: the axis; negative ones count from the end
 * @start: the first index, or %CANDELA_SLICE_NONE
 * @stop: the index to stop before, or %CANDELA_SLICE_NONE
 * @step: the step, not 0
 * @error: return location for an error
 *
 * Every @step'th element of one axis, by the rules of Python's slices: negative
 * indices count from the end, what lies outside is clamped, and a negative step
 * walks backwards. A step of 0 gives %CANDELA_ERROR_PARAMETER, an axis out of
 * range %CANDELA_ERROR_AXIS.
 *
 * Returns: (transfer full): the layout, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaLayout *
candela_layout_slice (const CandelaLayout *layout, gint64 axis, gint64 start, gint64 stop, gint64 step, GError **error)
{
  CandelaLayout *slice;
  gint64 first;

  g_return_val_if_fail (layout != NULL, NULL);

  if (!candela_axis_normalize (&axis, layout->rank, error))
    return NULL;
  if (step == 0)
    {
      g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER, "the step of a slice cannot be 0");
      return NULL;
    }

  slice = layout_copy (layout);
  slice->dims[axis] = slice_resolve (layout->dims[axis], start, stop, step, &first);
  /* With fewer elements neither is of use, and the products might not fit. */
  if (slice->dims[axis] > 0 && layout->n_elements > 0)
    slice->offset += first * layout->strides[axis];
  if (slice->dims[axis] > 1 && layout->n_elements > 0)
    slice->strides[axis] *= step;
  return candela_layout_complete (slice, error);
}

/**
 * candela_layout_select:
 * @layout: a layout
 * @axis: the axis; negative ones count from the end
 * @index: the index on it; negative ones count from the end
 * @error: return location for an error
 *
 * What is at one index of an axis; that axis is gone. An axis or index out of
 * range gives %CANDELA_ERROR_AXIS.
 *
 * Returns: (transfer full): the layout, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaLayout *
candela_layout_select (const CandelaLayout *layout, gint64 axis, gint64 index, GError **error)
{
  CandelaLayout *selected;
  gint64 length;

  g_return_val_if_fail (layout != NULL, NULL);

  if (!candela_axis_normalize (&axis, layout->rank, error))
    return NULL;
  length = layout->dims[axis];
  if (index < -length || index >= length)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_AXIS,
                   "index %" G_GINT64_FORMAT " is out of range for axis %" G_GINT64_FORMAT
                   " of length %" G_GINT64_FORMAT,
                   index, axis, length);
      return NULL;
    }
  if (index < 0)
    index += length;

  selected = layout_begin (layout, layout->rank - 1);
  for (guint i = 0, j = 0; i < layout->rank; i++)
    if (i != axis)
      {
        selected->dims[j] = layout->dims[i];
        selected->strides[j++] = layout->strides[i];
      }
  if (layout->n_elements > 0)
    selected->offset += index * layout->strides[axis];
  return candela_layout_complete (selected, error);
}

/**
 * candela_layout_permute:
 * @layout: a layout
 * @axes: (array length=n_axes) (nullable): which axis of @layout comes at each place; each once,
 *   negative ones count from the end
 * @n_axes: how many there are: the rank
 * @error: return location for an error
 *
 * The axes in another order. Axes that are missing, out of range or named twice
 * give %CANDELA_ERROR_AXIS.
 *
 * Returns: (transfer full): the layout, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaLayout *
candela_layout_permute (const CandelaLayout *layout, const gint64 *axes, gsize n_axes, GError **error)
{
  CandelaLayout *permuted;
  guint32 named;

  g_return_val_if_fail (layout != NULL, NULL);
  g_return_val_if_fail (axes != NULL || n_axes == 0, NULL);

  if (n_axes != layout->rank)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_AXIS, "%" G_GSIZE_FORMAT " axes do not order those of rank %u",
                   n_axes, layout->rank);
      return NULL;
    }
  if (!layout_collect_axes (layout, axes, n_axes, &named, error))
    return NULL;

  permuted = layout_begin (layout, layout->rank);
  for (gsize i = 0; i < n_axes; i++)
    {
      gint64 from = axes[i] < 0 ? axes[i] + layout->rank : axes[i];

      permuted->dims[i] = layout->dims[from];
      permuted->strides[i] = layout->strides[from];
    }
  return candela_layout_complete (permuted, error);
}

/**
 * candela_layout_broadcast:
 * @layout: a layout
 * @shape: (array length=n_dims) (nullable): the lengths of the axes
 * @n_dims: how many there are, at least as many as @layout has
 * @error: return location for an error
 *
 * @layout under a larger shape: axes of length 1, and those that are missing in
 * front, repeat without taking memory (their stride is 0). These are the rules
 * of the array API standard and of NumPy. Shapes that do not go together give
 * %CANDELA_ERROR_SHAPE with both.
 *
 * Returns: (transfer full): the layout, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaLayout *
candela_layout_broadcast (const CandelaLayout *layout, const gint64 *shape, gsize n_dims, GError **error)
{
  CandelaLayout *broadcast;
  gboolean fits;
  gsize lead;

  g_return_val_if_fail (layout != NULL, NULL);
  g_return_val_if_fail (shape != NULL || n_dims == 0, NULL);

  if (!candela_layout_check_rank (n_dims, error))
    return NULL;
  fits = n_dims >= layout->rank;
  lead = n_dims - layout->rank;
  for (guint i = 0; fits && i < layout->rank; i++)
    fits = layout->dims[i] == shape[lead + i] || layout->dims[i] == 1;
  if (!fits)
    {
      g_autofree char *from = candela_shape_to_string (layout->dims, layout->rank);
      g_autofree char *to = candela_shape_to_string (shape, n_dims);

      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE, "shape %s cannot be broadcast to shape %s", from, to);
      return NULL;
    }

  broadcast = layout_begin (layout, n_dims);
  for (gsize i = 0; i < n_dims; i++)
    {
      gboolean repeats = i < lead || layout->dims[i - lead] != shape[i];

      broadcast->dims[i] = shape[i];
      broadcast->strides[i] = repeats ? 0 : layout->strides[i - lead];
    }
  return candela_layout_complete (broadcast, error);
}

/**
 * candela_layout_expand:
 * @layout: a layout
 * @axis: where the new axis is to be, from -rank - 1 to rank
 * @error: return location for an error
 *
 * Inserts an axis of length 1. A place out of range gives %CANDELA_ERROR_AXIS,
 * and one axis too many %CANDELA_ERROR_SHAPE.
 *
 * Returns: (transfer full): the layout, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaLayout *
candela_layout_expand (const CandelaLayout *layout, gint64 axis, GError **error)
{
  CandelaLayout *expanded;

  g_return_val_if_fail (layout != NULL, NULL);

  if (!candela_layout_check_rank (layout->rank + 1u, error)
      || !candela_axis_normalize (&axis, layout->rank + 1u, error))
    return NULL;

  expanded = layout_begin (layout, layout->rank + 1u);
  for (guint i = 0, j = 0; i < expanded->rank; i++)
    {
      expanded->dims[i] = i == axis ? 1 : layout->dims[j];
      expanded->strides[i] = i == axis ? 0 : layout->strides[j++];
    }
  return candela_layout_complete (expanded, error);
}

/**
 * candela_layout_squeeze:
 * @layout: a layout
 * @axes: (array length=n_axes) (nullable): axes of length 1; negative ones count from the end
 * @n_axes: how many there are; 0 for all of length 1
 * @error: return location for an error
 *
 * Drops axes of length 1. An axis of another length gives %CANDELA_ERROR_SHAPE,
 * one out of range or named twice %CANDELA_ERROR_AXIS.
 *
 * Returns: (transfer full): the layout, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaLayout *
candela_layout_squeeze (const CandelaLayout *layout, const gint64 *axes, gsize n_axes, GError **error)
{
  CandelaLayout *squeezed;
  guint32 named;
  guint rank = 0;

  g_return_val_if_fail (layout != NULL, NULL);
  g_return_val_if_fail (axes != NULL || n_axes == 0, NULL);

  if (!layout_collect_axes (layout, axes, n_axes, &named, error))
    return NULL;
  for (guint i = 0; i < layout->rank; i++)
    {
      if (n_axes == 0 && layout->dims[i] == 1)
        named |= 1u << i;
      if ((named & (1u << i)) && layout->dims[i] != 1)
        {
          g_autofree char *shape = candela_shape_to_string (layout->dims, layout->rank);

          g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE,
                       "axis %u of shape %s cannot be dropped: its length is not 1", i, shape);
          return NULL;
        }
      rank += !(named & (1u << i));
    }

  squeezed = layout_begin (layout, rank);
  for (guint i = 0, j = 0; i < layout->rank; i++)
    if (!(named & (1u << i)))
      {
        squeezed->dims[j] = layout->dims[i];
        squeezed->strides[j++] = layout->strides[i];
      }
  return candela_layout_complete (squeezed, error);
}

/**
 * candela_layout_flip:
 * @layout: a layout
 * @axes: (array length=n_axes) (nullable): axes; negative ones count from the end
 * @n_axes: how many there are; 0 for all
 * @error: return location for an error
 *
 * Reverses axes. One out of range or named twice gives %CANDELA_ERROR_AXIS.
 *
 * Returns: (transfer full): the layout, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaLayout *
candela_layout_flip (const CandelaLayout *layout, const gint64 *axes, gsize n_axes, GError **error)
{
  CandelaLayout *flipped;
  guint32 named;

  g_return_val_if_fail (layout != NULL, NULL);
  g_return_val_if_fail (axes != NULL || n_axes == 0, NULL);

  if (!layout_collect_axes (layout, axes, n_axes, &named, error))
    return NULL;

  flipped = layout_copy (layout);
  for (guint i = 0; layout->n_elements > 0 && i < layout->rank; i++)
    if ((n_axes == 0 || (named & (1u << i))) && layout->dims[i] > 1)
      {
        flipped->offset += (layout->dims[i] - 1) * layout->strides[i];
        flipped->strides[i] = -layout->strides[i];
      }
  return candela_layout_complete (flipped, error);
}
