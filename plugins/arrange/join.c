/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * concat and stack: several arrays side by side along an axis that they have, or a
 * new one. */
#include "arrange.h"

enum {
  AXIS
};

static const CandelaInputInfo arrays[] = {
  { "arrays", .flags = CANDELA_INPUT_VARIADIC, .summary = "what is joined: one array or more" },
  { NULL },
};

static gboolean
check_some (const CandelaInference *inference, GError **error)
{
  return candela_inference_get_n_inputs (inference) > 0
         || candela_inference_fail (inference, error, CANDELA_ERROR_ARITY, "takes at least 1 array; none given");
}

/* concat */

static const CandelaParamInfo concat_params[] = {
  { "axis", CANDELA_PARAM_INT, .default_value = "0", .summary = "which one grows" },
  { NULL },
};

static gboolean
infer_concat (CandelaInference *inference, GError **error)
{
  const CandelaLayout *first = candela_inference_get_input_layout (inference, 0);
  gint64 shape[CANDELA_MAX_RANK], length = 0;
  const gint64 *own;
  gsize rank;
  int axis;

  if (!check_some (inference, error))
    return FALSE;
  own = candela_layout_get_shape (first, &rank);
  if (rank == 0)
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                   "input 0 has shape []: there is no axis to join along");
  axis = arrange_check_axis (inference, "input 0", first,
                             candela_params_get_int (candela_inference_get_params (inference), AXIS), error);
  if (axis < 0 || !arrange_check_shapes (inference, axis, error))
    return FALSE;
  for (guint i = 0; i < candela_inference_get_n_inputs (inference); i++)
    if (__builtin_add_overflow (
          length, candela_layout_get_shape (candela_inference_get_input_layout (inference, i), NULL)[axis], &length))
      return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                     "the result has more elements than can be counted");
  memcpy (shape, own, rank * sizeof *shape);
  shape[axis] = length;
  return candela_inference_set_output (inference, 0, candela_inference_get_promoted_dtype (inference), shape, rank,
                                       error);
}

static gboolean
compute_concat (CandelaKernel *kernel, GError **error)
{
  gint64 axis = candela_params_get_int (candela_kernel_get_params (kernel), AXIS);
  guint n_inputs = candela_kernel_get_n_inputs (kernel);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_output_layout (kernel, 0), &rank);
  g_auto (ArrangeRows) rows = { NULL };

  if (axis < 0)
    axis += (gint64) rank;
  if (candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0)) == 0)
    return TRUE;
  arrange_rows_init (&rows, kernel, arrange_count (shape, 0, axis), n_inputs);
  for (guint i = 0; i < n_inputs; i++)
    {
      const CandelaLayout *layout = candela_kernel_get_input_layout (kernel, i);

      arrange_rows_add (&rows, i, candela_layout_ref ((CandelaLayout *) layout), 0,
                        candela_layout_get_n_elements (layout) / rows.rows);
    }
  return arrange_rows_run (&rows, error);
}

/* Of one array, it is that array. */
static int
fold_concat (const CandelaInference *inference)
{
  return candela_inference_get_n_inputs (inference) == 1 ? 0 : -1;
}

static const CandelaKernelInfo concat_kernels[] = { { .compute = compute_concat }, { .compute = NULL } };

ARRANGE_OP (concat, "Arrays of one shape, but for one axis, joined along that axis",
            .formula = "out = arrays[0], arrays[1], …, one after the other along axis",
            .example = "x = ones([1, 2]); y = zeros([1, 2]); concat(x, y), concat(x, y, axis=1)", .inputs = arrays,
            .params = concat_params, .infer = infer_concat, .kernels = concat_kernels, .fold = fold_concat,
            .takes_halves = TRUE)

/* stack */

static const CandelaParamInfo stack_params[] = {
  { "axis", CANDELA_PARAM_INT, .default_value = "0", .summary = "where in the result the new axis is" },
  { NULL },
};

static gboolean
infer_stack (CandelaInference *inference, GError **error)
{
  gint64 axis = candela_params_get_int (candela_inference_get_params (inference), AXIS);
  guint n_inputs = candela_inference_get_n_inputs (inference);
  gint64 shape[CANDELA_MAX_RANK + 1];
  const gint64 *own;
  gsize rank;

  if (!check_some (inference, error) || !arrange_check_shapes (inference, -1, error))
    return FALSE;
  own = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);
  if (axis < -(gint64) rank - 1 || axis > (gint64) rank)
    return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                                   "axis %" G_GINT64_FORMAT " is out of range: the result has %" G_GSIZE_FORMAT " axes",
                                   axis, rank + 1);
  if (axis < 0)
    axis += (gint64) rank + 1;
  for (gsize k = 0; k <= rank; k++)
    shape[k] = (gint64) k < axis ? own[k] : (gint64) k == axis ? n_inputs : own[k - 1];
  return candela_inference_set_output (inference, 0, candela_inference_get_promoted_dtype (inference), shape, rank + 1,
                                       error);
}

static gboolean
compute_stack (CandelaKernel *kernel, GError **error)
{
  gint64 axis = candela_params_get_int (candela_kernel_get_params (kernel), AXIS);
  guint n_inputs = candela_kernel_get_n_inputs (kernel);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_output_layout (kernel, 0), &rank);
  gint64 n = candela_layout_get_n_elements (candela_kernel_get_input_layout (kernel, 0));
  g_auto (ArrangeRows) rows = { NULL };

  if (axis < 0)
    axis += (gint64) rank;
  if (n == 0)
    return TRUE;
  arrange_rows_init (&rows, kernel, arrange_count (shape, 0, axis), n_inputs);
  for (guint i = 0; i < n_inputs; i++)
    arrange_rows_add (&rows, i, candela_layout_ref ((CandelaLayout *) candela_kernel_get_input_layout (kernel, i)), 0,
                      n / rows.rows);
  return arrange_rows_run (&rows, error);
}

static const CandelaKernelInfo stack_kernels[] = { { .compute = compute_stack }, { .compute = NULL } };

ARRANGE_OP (stack, "Arrays of one shape joined along a new axis",
            .formula = "out[…, k, …] = arrays[k][…], the k at axis",
            .example = "x = [1, 2]; y = [3, 4]; stack(x, y), stack(x, y, axis=1)", .inputs = arrays,
            .params = stack_params, .infer = infer_stack, .kernels = stack_kernels, .takes_halves = TRUE)
