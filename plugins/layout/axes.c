/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The axes in another order, walked backwards, or two of them at once. */
#include "layout.h"

#include <string.h>

enum {
  AXES
};
enum {
  OFFSET
};
enum {
  SOURCE,
  DESTINATION
};

static gboolean
answer_permuted (CandelaInference *inference, const gint64 *axes, gsize n_axes, GError **error)
{
  return layout_answer (
    inference, candela_layout_permute (candela_inference_get_input_layout (inference, 0), axes, n_axes, error));
}

/* permute_dims */

static const CandelaParamInfo permute_dims_params[] = {
  { "axes", CANDELA_PARAM_INT_LIST, CANDELA_PARAM_REQUIRED,
    .summary = "for each axis of the result, which axis of x it is" },
  { NULL },
};

static gboolean
infer_permute_dims (CandelaInference *inference, GError **error)
{
  gsize n_axes;
  const gint64 *axes = candela_params_get_int_list (candela_inference_get_params (inference), AXES, &n_axes);

  return answer_permuted (inference, axes, n_axes, error);
}

/* Every axis where it was: the node is its input. */
static int
fold_permute_dims (const CandelaInference *inference)
{
  guint rank = candela_layout_get_rank (candela_inference_get_input_layout (inference, 0));
  gsize n_axes;
  const gint64 *axes = candela_params_get_int_list (candela_inference_get_params (inference), AXES, &n_axes);

  for (gsize i = 0; i < n_axes; i++)
    if (axes[i] != (gint64) i && axes[i] != (gint64) i - rank)
      return -1;

  return 0;
}

LAYOUT_OP (permute_dims, "x with its axes in another order",
           .formula = "out[i, j, …] = x[…], of which axes[0] is i, axes[1] is j, …",
           .example = "permute_dims([[[1, 2], [3, 4]]], axes=[2, 0, 1])", .params = permute_dims_params,
           .aliasing = CANDELA_ALIASING_REFERENCE, .infer = infer_permute_dims, .fold = fold_permute_dims,
           .gradients = { "moveaxis(grad, destination=axes)" })

/* transpose */

static gboolean
infer_transpose (CandelaInference *inference, GError **error)
{
  guint rank = candela_layout_get_rank (candela_inference_get_input_layout (inference, 0));
  gint64 axes[CANDELA_MAX_RANK];

  for (guint i = 0; i < rank; i++)
    axes[i] = rank - 1 - i;

  return answer_permuted (inference, axes, rank, error);
}

static int
fold_transpose (const CandelaInference *inference)
{
  return candela_layout_get_rank (candela_inference_get_input_layout (inference, 0)) <= 1 ? 0 : -1;
}

LAYOUT_OP (transpose, "x with its axes in reverse order", .formula = "out[i, j, …, k] = x[k, …, j, i]",
           .example = "[[1, 2, 3], [4, 5, 6]].T", .operators = "attribute:.T", .aliasing = CANDELA_ALIASING_REFERENCE,
           .infer = infer_transpose, .fold = fold_transpose, .gradients = { "grad.T" })

/* matrix_transpose */

static gboolean
check_matrices (const CandelaInference *inference, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);
  g_autofree char *text = NULL;

  if (rank >= 2)
    return TRUE;
  text = candela_shape_to_string (shape, rank);
  return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                 "x has shape %s; a matrix has at least two axes", text);
}

static gboolean
infer_matrix_transpose (CandelaInference *inference, GError **error)
{
  guint rank = candela_layout_get_rank (candela_inference_get_input_layout (inference, 0));
  gint64 axes[CANDELA_MAX_RANK];

  if (!check_matrices (inference, error))
    return FALSE;
  for (guint i = 0; i < rank; i++)
    axes[i] = i;
  axes[rank - 2] = rank - 1;
  axes[rank - 1] = rank - 2;

  return answer_permuted (inference, axes, rank, error);
}

LAYOUT_OP (matrix_transpose, "x, or each matrix of a stack, with its last two axes swapped",
           .formula = "out[…, i, j] = x[…, j, i]", .example = "matrix_transpose([[[1, 2, 3], [4, 5, 6]]])",
           .operators = "attribute:.mT", .aliasing = CANDELA_ALIASING_REFERENCE, .infer = infer_matrix_transpose,
           .gradients = { "grad.mT" })

/* diagonal */

static const CandelaParamInfo diagonal_params[] = {
  { "offset", CANDELA_PARAM_INT, .default_value = "0",
    .summary = "how far it is above the main diagonal, or below it if that is negative" },
  { NULL },
};

static gboolean
infer_diagonal (CandelaInference *inference, GError **error)
{
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  gint64 distance = candela_params_get_int (candela_inference_get_params (inference), OFFSET);
  gint64 shape[CANDELA_MAX_RANK], strides[CANDELA_MAX_RANK], start = candela_layout_get_offset (layout);
  gint64 rows, cols, row_stride, col_stride;
  gsize rank;

  if (!check_matrices (inference, error))
    return FALSE;
  memcpy (shape, candela_layout_get_shape (layout, &rank), candela_layout_get_rank (layout) * sizeof *shape);
  memcpy (strides, candela_layout_get_strides (layout, NULL), rank * sizeof *strides);
  rows = shape[rank - 2];
  cols = shape[rank - 1];
  row_stride = strides[rank - 2];
  col_stride = strides[rank - 1];
  distance = CLAMP (distance, -rows, cols);
  shape[rank - 2] = distance < 0 ? MIN (rows + distance, cols) : MIN (rows, cols - distance);
  strides[rank - 2] = row_stride + col_stride;
  /* There may be no element to start at. */
  if (candela_layout_get_n_elements (layout) > 0 && shape[rank - 2] > 0)
    start += distance < 0 ? -distance * row_stride : distance * col_stride;
  return layout_answer (inference, candela_layout_new_strided (shape, rank - 1, strides, rank - 1, start, error));
}

LAYOUT_OP (diagonal, "A diagonal of x, or of each matrix of a stack, as its last axis",
           .formula = "out[…, i] = x[…, i, i + offset], or x[…, i - offset, i] where offset < 0",
           .example = "x = [[1, 2, 3], [4, 5, 6]]; diagonal(x), diagonal(x, offset=1)", .params = diagonal_params,
           .aliasing = CANDELA_ALIASING_REFERENCE, .infer = infer_diagonal,
           .gradients = { "i = diagonal(reshape(arange(x.size), x.shape), offset=offset); " LAYOUT_PUT_BACK })

/* moveaxis */

static const CandelaParamInfo moveaxis_params[] = {
  { "source", CANDELA_PARAM_INT_LIST, .summary = "the axes to move; none: all, in their order" },
  { "destination", CANDELA_PARAM_INT_LIST,
    .summary = "where in the result each of them is; the others keep their order; none: all places in order" },
  { NULL },
};

/* Marks in a set, as bits, the axes of a list, made non-negative; no axis twice. */
static gboolean
take_axes (const CandelaInference *inference, guint param, gint64 taken[CANDELA_MAX_RANK], guint32 *set, GError **error)
{
  guint rank = candela_layout_get_rank (candela_inference_get_input_layout (inference, 0));
  const CandelaParams *params = candela_inference_get_params (inference);
  const gint64 *axes = NULL;
  gsize n = rank;

  *set = 0;
  if (candela_params_is_set (params, param))
    axes = candela_params_get_int_list (params, param, &n);
  for (gsize i = 0; i < n; i++)
    {
      gint64 axis = axes != NULL ? axes[i] : (gint64) i;

      if (!candela_axis_normalize (&axis, rank, error))
        return FALSE;
      if (*set & 1u << axis)
        return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                                       "axis %" G_GINT64_FORMAT " appears more than once in %s", axes[i],
                                       moveaxis_params[param].name);
      *set |= 1u << axis;
      taken[i] = axis;
    }

  return TRUE;
}

static gboolean
infer_moveaxis (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  guint rank = candela_layout_get_rank (candela_inference_get_input_layout (inference, 0));
  gint64 source[CANDELA_MAX_RANK], destination[CANDELA_MAX_RANK], axes[CANDELA_MAX_RANK];
  guint32 from, to;
  gsize n_source, n_destination;

  n_source = n_destination = rank;
  if (candela_params_is_set (params, SOURCE))
    candela_params_get_int_list (params, SOURCE, &n_source);
  if (candela_params_is_set (params, DESTINATION))
    candela_params_get_int_list (params, DESTINATION, &n_destination);
  if (n_source != n_destination)
    return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                                   "source has %" G_GSIZE_FORMAT " axes and destination has %" G_GSIZE_FORMAT, n_source,
                                   n_destination);
  if (!take_axes (inference, SOURCE, source, &from, error)
      || !take_axes (inference, DESTINATION, destination, &to, error))
    return FALSE;

  /* Those that stay fill, in their order, the places that nothing moves to. */
  for (guint place = 0, staying = 0; place < rank; place++)
    {
      if (to & 1u << place)
        continue;
      while (from & 1u << staying)
        staying++;
      axes[place] = staying++;
    }
  for (gsize i = 0; i < n_source; i++)
    axes[destination[i]] = source[i];

  return answer_permuted (inference, axes, rank, error);
}

LAYOUT_OP (moveaxis, "x with some axes moved to other places",
           .formula = "out = x with its axis source[k] at destination[k], the others in their order",
           .example = "moveaxis([[[1, 2], [3, 4]]], source=[0], destination=[-1])", .params = moveaxis_params,
           .aliasing = CANDELA_ALIASING_REFERENCE, .infer = infer_moveaxis,
           .gradients = { "moveaxis(grad, destination, source)" })

/* flip */

static const CandelaParamInfo flip_params[] = {
  { "axis", CANDELA_PARAM_INT_LIST, .summary = "the axes to walk backwards; none: all" },
  { NULL },
};

static gboolean
infer_flip (CandelaInference *inference, GError **error)
{
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  const CandelaParams *params = candela_inference_get_params (inference);
  gsize n_axes = candela_layout_get_rank (layout);
  gint64 all[CANDELA_MAX_RANK];
  const gint64 *axes = all;

  if (candela_params_is_set (params, AXES))
    axes = candela_params_get_int_list (params, AXES, &n_axes);
  else
    for (gsize i = 0; i < n_axes; i++)
      all[i] = i;

  /* An empty list is not none. */
  return layout_answer (inference, n_axes == 0 ? candela_layout_ref ((CandelaLayout *) layout)
                                               : candela_layout_flip (layout, axes, n_axes, error));
}

LAYOUT_OP (flip, "x with the order of its elements reversed along some axes",
           .formula = "out[i] = x[n - 1 - i], i along each of axis",
           .example = "x = [[1, 2, 3], [4, 5, 6]]; flip(x), flip(x, axis=[1])", .params = flip_params,
           .aliasing = CANDELA_ALIASING_REFERENCE, .infer = infer_flip, .gradients = { "flip(grad, axis=axis)" })

const CandelaOpInfo *const layout_axes_ops[] = {
  &permute_dims_info, &transpose_info, &matrix_transpose_info, &diagonal_info, &moveaxis_info, &flip_info, NULL,
};
