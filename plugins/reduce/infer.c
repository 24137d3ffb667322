/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The axes that a reduction is over, and the shape that it leaves. */
#include "reduce.h"

const CandelaInputInfo reduce_inputs[] = {
  { .name = "x",
    .kinds =
      CANDELA_DTYPE_KIND_BOOL | CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED | CANDELA_DTYPE_KIND_FLOAT,
    .summary = "what is reduced" },
  { NULL },
};

const CandelaInputInfo reduce_inputs_of_all[] = {
  { .name = "x", .summary = "what is reduced" },
  { NULL },
};

enum {
  PARAM_AXIS,
  PARAM_KEEPDIMS
};

const CandelaParamInfo reduce_params[] = { REDUCE_PARAM_AXIS, REDUCE_PARAM_KEEPDIMS, { NULL } };

static guint32
all_axes (guint rank)
{
  return rank == 32 ? G_MAXUINT32 : (1u << rank) - 1;
}

/* Of parameters that infer has passed. */
guint32
reduce_get_axes (const CandelaParams *params, guint rank)
{
  guint32 axes = 0;
  const gint64 *list;
  gsize n;

  if (!candela_params_is_set (params, PARAM_AXIS))
    return all_axes (rank);
  list = candela_params_get_int_list (params, PARAM_AXIS, &n);
  for (gsize i = 0; i < n; i++)
    axes |= 1u << (list[i] < 0 ? list[i] + rank : list[i]);
  return axes;
}

guint32
reduce_get_axis (const CandelaParams *params, guint rank)
{
  gint64 axis;

  if (!candela_params_is_set (params, PARAM_AXIS))
    return all_axes (rank);
  axis = candela_params_get_int (params, PARAM_AXIS);
  return 1u << (axis < 0 ? axis + rank : axis);
}

/* The number of an axis, or -1. */
static int
check_axis (const CandelaInference *inference, gint64 axis, GError **error)
{
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);

  if (axis < -(gint64) rank || axis >= (gint64) rank)
    {
      g_autofree char *text = candela_shape_to_string (shape, rank);

      candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                              "axis %" G_GINT64_FORMAT " is out of range: x has shape %s", axis, text);
      return -1;
    }
  return (int) (axis < 0 ? axis + (gint64) rank : axis);
}

static gboolean
check_axes (const CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  guint32 seen = 0;
  const gint64 *list;
  gsize n;

  if (!candela_params_is_set (params, PARAM_AXIS))
    return TRUE;
  list = candela_params_get_int_list (params, PARAM_AXIS, &n);
  for (gsize i = 0; i < n; i++)
    {
      int axis = check_axis (inference, list[i], error);

      if (axis < 0)
        return FALSE;
      if ((seen >> axis & 1) != 0)
        return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS, "axis %d is named twice", axis);
      seen |= 1u << axis;
    }
  return TRUE;
}

static gboolean
set_outputs (CandelaInference *inference, guint32 axes, gboolean keepdims, gboolean needs_elements, guint n_outputs,
             CandelaDType dtype, GError **error)
{
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  gsize rank, n = 0;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  gint64 out[CANDELA_MAX_RANK];
  gboolean empty = FALSE, no_results = FALSE;

  for (gsize axis = 0; axis < rank; axis++)
    {
      gboolean reduced = (axes >> axis & 1) != 0;

      if (reduced)
        empty = empty || shape[axis] == 0;
      else
        no_results = no_results || shape[axis] == 0;
      if (!reduced || keepdims)
        out[n++] = reduced ? 1 : shape[axis];
    }
  if (needs_elements && empty && !no_results)
    {
      g_autofree char *text = candela_shape_to_string (shape, rank);

      return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                     "x has shape %s: there is no element to choose along an axis of extent 0", text);
    }
  for (guint output = 0; output < n_outputs; output++)
    if (!candela_inference_set_output (inference, output, dtype, out, n, error))
      return FALSE;
  return TRUE;
}

gboolean
reduce_infer (CandelaInference *inference, gboolean keepdims, gboolean needs_elements, guint n_outputs,
              CandelaDType dtype, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  guint rank = candela_layout_get_rank (candela_inference_get_input_layout (inference, 0));

  return check_axes (inference, error)
         && set_outputs (inference, reduce_get_axes (params, rank), keepdims, needs_elements, n_outputs, dtype, error);
}

gboolean
reduce_infer_one (CandelaInference *inference, gboolean needs_elements, CandelaDType dtype, GError **error)
{
  gboolean keepdims = candela_params_get_bool (candela_inference_get_params (inference), PARAM_KEEPDIMS);

  return reduce_infer (inference, keepdims, needs_elements, 1, dtype, error);
}

gboolean
reduce_infer_single_axis (CandelaInference *inference, gboolean keepdims, CandelaDType dtype, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  guint rank = candela_layout_get_rank (candela_inference_get_input_layout (inference, 0));

  if (candela_params_is_set (params, PARAM_AXIS)
      && check_axis (inference, candela_params_get_int (params, PARAM_AXIS), error) < 0)
    return FALSE;
  return set_outputs (inference, reduce_get_axis (params, rank), keepdims, TRUE, 1, dtype, error);
}
