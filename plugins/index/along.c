/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * take_along_axis: every element of the result has an index of its own. x, but for the
 * axis, and the indices are broadcast together; then the result is gone through row by
 * row: all that its index leaves open of where in x an element is steps evenly. */
#include "index.h"

enum {
  AXIS
};

static const CandelaParamInfo along_params[] = {
  { "axis", CANDELA_PARAM_INT, .default_value = "-1", .summary = "the axis that is chosen along" },
  { NULL },
};

static gboolean
fail_shapes (CandelaInference *inference, int axis, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);
  g_autofree char *x = candela_shape_to_string (shape, rank);
  const gint64 *its = candela_layout_get_shape (candela_inference_get_input_layout (inference, 1), &rank);
  g_autofree char *indices = candela_shape_to_string (its, rank);

  return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                 "x has shape %s and indices has shape %s: but for axis %d they must be of as many "
                                 "axes and go together",
                                 x, indices, axis);
}

static gboolean
infer_along (CandelaInference *inference, GError **error)
{
  gsize rank, its_rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);
  const gint64 *its = candela_layout_get_shape (candela_inference_get_input_layout (inference, 1), &its_rank);
  int axis =
    index_check_axis (inference, candela_params_get_int (candela_inference_get_params (inference), AXIS), error);
  gint64 result[CANDELA_MAX_RANK];

  if (axis < 0)
    return FALSE;
  if (rank != its_rank)
    return fail_shapes (inference, axis, error);
  for (int k = 0; k < (int) rank; k++)
    {
      if (k != axis && shape[k] != its[k] && shape[k] != 1 && its[k] != 1)
        return fail_shapes (inference, axis, error);
      result[k] = k == axis || shape[k] == 1 ? its[k] : shape[k];
    }
  return candela_inference_set_output (inference, 0, candela_inference_get_input_dtype (inference, 0), result, rank,
                                       error);
}

typedef struct
{
  IndexCheck check;
  gsize size;
  guint8 *out;
  const guint8 *data;
  CandelaLayout *layout; /* of the indices, broadcast to the result */
  guint rank;
  const gint64 *shape;            /* of the result */
  gint64 steps[CANDELA_MAX_RANK]; /* of x for a step in the result; none along the axis */
  gint64 stride;                  /* of x along the axis */
  gint64 n;
} Along;

/* n elements from a logical index of the result on, whose indices are read. */
static void
gather_rows (const Along *along, gint64 start, const gint64 *indices, gint64 n)
{
  const guint last = along->rank - 1;
  const gint64 size = along->size;
  gint64 index[CANDELA_MAX_RANK], address = 0, rest = start;

  for (guint k = along->rank; k-- > 0;)
    {
      index[k] = rest % along->shape[k];
      rest /= along->shape[k];
      address += index[k] * along->steps[k];
    }
  for (gint64 done = 0, part; done < n; done += part)
    {
      part = MIN (n - done, along->shape[last] - index[last]);
      index_gather (along->out + (start + done) * size, along->data + address * size, indices + done, along->stride,
                    along->steps[last], part, size);
      address -= index[last] * along->steps[last];
      index[last] = 0;
      for (guint k = last; k-- > 0;)
        {
          address += along->steps[k];
          if (++index[k] < along->shape[k])
            break;
          address -= along->shape[k] * along->steps[k];
          index[k] = 0;
        }
    }
}

static void
run_along (guint64 piece, gpointer data)
{
  Along *along = data;
  gint64 start = (gint64) piece * INDEX_PIECE;
  gint64 end = MIN (start + INDEX_PIECE, along->n);
  gint64 indices[INDEX_BLOCK];

  for (gint64 n; start < end; start += n)
    {
      n = MIN (end - start, INDEX_BLOCK);
      if (index_stopped (&along->check) || !index_read (&along->check, along->layout, start, n, indices))
        return;
      gather_rows (along, start, indices, n);
    }
}

static gboolean
compute_along (CandelaKernel *kernel, GError **error)
{
  gint64 axis = candela_params_get_int (candela_kernel_get_params (kernel), AXIS);
  const CandelaLayout *x = candela_kernel_get_input_layout (kernel, INDEX_INPUT_X);
  const CandelaLayout *result = candela_kernel_get_output_layout (kernel, 0);
  const gint64 *shape = candela_layout_get_shape (x, NULL), *strides = candela_layout_get_strides (x, NULL);
  g_autoptr (CandelaLayout) layout = NULL;
  Along along = { .size = candela_dtype_get_size (candela_kernel_get_output_dtype (kernel, 0)),
                  .out = candela_kernel_get_output (kernel, 0),
                  .data = candela_kernel_get_input (kernel, INDEX_INPUT_X),
                  .n = candela_layout_get_n_elements (result) };

  if (along.n == 0)
    return TRUE;
  along.rank = candela_layout_get_rank (result);
  along.shape = candela_layout_get_shape (result, NULL);
  axis = axis < 0 ? axis + (gint64) along.rank : axis;
  layout = candela_layout_broadcast (candela_kernel_get_input_layout (kernel, INDEX_INPUT_INDICES), along.shape,
                                     along.rank, error);
  if (layout == NULL)
    return FALSE;
  along.layout = layout;
  along.stride = strides[axis];
  for (guint k = 0; k < along.rank; k++)
    along.steps[k] = k == axis || shape[k] == 1 ? 0 : strides[k];
  index_check_init (&along.check, kernel, "take_along_axis", axis, shape[axis]);
  candela_kernel_parallel_for (kernel, (along.n + INDEX_PIECE - 1) / INDEX_PIECE, run_along, &along);
  return index_check_end (&along.check, layout, error);
}

static const CandelaKernelInfo along_kernels[] = { { .compute = compute_along }, { .compute = NULL } };

const CandelaOpInfo index_take_along_axis_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "take_along_axis",
  .summary = "The elements of x along an axis, each by an index of its own",
  .formula = "out[i, j] = x[i, indices[i, j]], where axis is 1",
  .example = "take_along_axis([[10, 20, 30], [40, 50, 60]], [[2, 0], [1, 1]])",
  .since = "1.0",
  .inputs = index_inputs,
  .params = along_params,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_along,
  .kernels = along_kernels,
  .takes_halves = TRUE,
};
