/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * take: x along an axis at the indices. What is after the axis moves together: a unit.
 * A block of indices is read once for all that is before the axis. */
#include "index.h"

enum {
  AXIS
};

static const CandelaParamInfo take_params[] = {
  { "axis", CANDELA_PARAM_INT, .summary = "the axis that is chosen along; none: the only one" },
  { NULL },
};

static gboolean
infer_take (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  gsize rank, n_indices;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);
  const gint64 *its = candela_layout_get_shape (candela_inference_get_input_layout (inference, 1), &n_indices);
  gint64 result[2 * CANDELA_MAX_RANK];
  int axis = 0;

  if (rank != 1 && !candela_params_is_set (params, AXIS))
    {
      g_autofree char *text = candela_shape_to_string (shape, rank);

      return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                                     "x has shape %s: axis must be given unless x has one axis", text);
    }
  if (candela_params_is_set (params, AXIS))
    axis = index_check_axis (inference, candela_params_get_int (params, AXIS), error);
  if (axis < 0)
    return FALSE;
  memcpy (result, shape, axis * sizeof *result);
  if (n_indices > 0)
    memcpy (result + axis, its, n_indices * sizeof *result);
  memcpy (result + axis + n_indices, shape + axis + 1, (rank - axis - 1) * sizeof *result);
  return candela_inference_set_output (inference, 0, candela_inference_get_input_dtype (inference, 0), result,
                                       rank - 1 + n_indices, error);
}

typedef struct
{
  IndexCheck check;
  CandelaKernel *kernel;
  CandelaDType dtype;
  gsize size;
  guint8 *out;
  const CandelaLayout *layout;   /* of the indices */
  gint64 outer, n_indices, unit; /* before the axis, along it, after it */
  const guint8 *data;            /* where units lie packed, or, of one element, anywhere */
  gint64 outer_step, step;       /* elements from one to the next, of what is before the axis and of units */
  gint64 index_pieces, indices_of_piece, outer_of_piece;
} Take;

static void
take_units (const Take *take, gint64 outer, gint64 start, const gint64 *indices, gint64 n)
{
  const gint64 size = take->size, unit = take->unit, bytes = unit * size;
  guint8 *out = take->out + (outer * take->n_indices + start) * bytes;
  const guint8 *data = take->data != NULL ? take->data + outer * take->outer_step * size : NULL;

  if (data == NULL)
    for (gint64 i = 0; i < n; i++)
      candela_kernel_pack_input (take->kernel, INDEX_INPUT_X, take->dtype,
                                 (outer * take->check.length + indices[i]) * unit, unit, out + i * bytes);
  else
    index_gather_units (out, data, indices, take->step, n, unit, take->size);
}

static void
run_take (guint64 piece, gpointer data)
{
  Take *take = data;
  gint64 first = (gint64) (piece % take->index_pieces) * take->indices_of_piece;
  gint64 end = MIN (first + take->indices_of_piece, take->n_indices);
  gint64 outer = (gint64) (piece / take->index_pieces) * take->outer_of_piece;
  gint64 outer_end = MIN (outer + take->outer_of_piece, take->outer);
  gint64 indices[INDEX_BLOCK];

  for (gint64 n; first < end; first += n)
    {
      n = MIN (end - first, INDEX_BLOCK);
      if (index_stopped (&take->check) || !index_read (&take->check, take->layout, first, n, indices))
        return;
      for (gint64 i = outer; i < outer_end; i++)
        take_units (take, i, first, indices, n);
    }
}

/* Where units lie, if each lies packed and all of what is before the axis steps alike. */
static void
find_units (Take *take)
{
  gint64 shape[3] = { take->outer, take->check.length, take->unit };
  const CandelaLayout *layout = candela_kernel_get_input_layout (take->kernel, INDEX_INPUT_X);
  g_autoptr (CandelaLayout) view = candela_layout_view (layout, shape, 3, NULL);
  const gint64 *strides;

  if (view == NULL)
    return;
  strides = candela_layout_get_strides (view, NULL);
  if (strides[2] != 1 && take->unit != 1)
    return;
  take->data = candela_kernel_get_input (take->kernel, INDEX_INPUT_X);
  take->outer_step = strides[0];
  take->step = strides[1];
}

static gboolean
compute_take (CandelaKernel *kernel, GError **error)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  const CandelaLayout *indices = candela_kernel_get_input_layout (kernel, INDEX_INPUT_INDICES);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_input_layout (kernel, INDEX_INPUT_X), &rank);
  gint64 axis = candela_params_is_set (params, AXIS) ? candela_params_get_int (params, AXIS) : 0;
  Take take = { .kernel = kernel,
                .dtype = candela_kernel_get_output_dtype (kernel, 0),
                .out = candela_kernel_get_output (kernel, 0),
                .layout = indices,
                .outer = 1,
                .n_indices = candela_layout_get_n_elements (indices),
                .unit = 1 };
  guint64 outer_pieces;

  axis = axis < 0 ? axis + (gint64) rank : axis;
  take.size = candela_dtype_get_size (take.dtype);
  if (candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0)) == 0)
    return TRUE;
  for (gint64 k = 0; k < axis; k++)
    take.outer *= shape[k];
  for (gsize k = axis + 1; k < rank; k++)
    take.unit *= shape[k];
  index_check_init (&take.check, kernel, "take", axis, shape[axis]);
  if (shape[axis] > 0)
    find_units (&take);
  take.indices_of_piece = CLAMP (INDEX_PIECE / take.unit, 1, take.n_indices);
  take.outer_of_piece = CLAMP (INDEX_PIECE / take.unit / take.n_indices, 1, take.outer);
  take.index_pieces = (take.n_indices + take.indices_of_piece - 1) / take.indices_of_piece;
  outer_pieces = (take.outer + take.outer_of_piece - 1) / take.outer_of_piece;
  candela_kernel_parallel_for (kernel, outer_pieces * take.index_pieces, run_take, &take);
  return index_check_end (&take.check, indices, error);
}

static const CandelaKernelInfo take_kernels[] = { { .compute = compute_take }, { .compute = NULL } };

const CandelaOpInfo index_take_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "take",
  .summary = "The elements of x along an axis that the indices name",
  .formula = "out[…, i, …] = x[…, indices[i], …], at axis",
  .example = "take([10, 20, 30], [2, 0, -1]), take([[1, 2, 3], [4, 5, 6]], [2, 0], axis=1)",
  .since = "1.0",
  .inputs = index_inputs,
  .params = take_params,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_take,
  .kernels = take_kernels,
  .takes_halves = TRUE,
};
