/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The same elements in another shape: reshape, broadcast_to, expand_dims, squeeze.
 * All are references but one: a reshape across strides that no layout can express
 * copies. Whether it does depends on the input's layout alone, so the planner may
 * find a reference where the graph had a copy. */
#include "layout.h"
#include <string.h>

enum {
  SHAPE
};
enum {
  AXIS
};

static const CandelaParamInfo shape_params[] = {
  { "shape", CANDELA_PARAM_INT_LIST, CANDELA_PARAM_REQUIRED, .summary = "the lengths of the result's axes" },
  { NULL },
};

/* reshape */

static gboolean
infer_reshape (CandelaInference *inference, GError **error)
{
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  g_autoptr (CandelaLayout) view = NULL;
  g_autoptr (CandelaLayout) packed = NULL;
  gsize n_dims, rank;
  const gint64 *shape = candela_params_get_int_list (candela_inference_get_params (inference), SHAPE, &n_dims);
  const gint64 *own = candela_layout_get_shape (layout, &rank);

  view = candela_layout_view (layout, shape, n_dims, NULL);
  if (view != NULL)
    return layout_answer (inference, g_steal_pointer (&view));

  /* Packed, any layout can be viewed, unless the shape is wrong: then this says why. */
  packed = candela_layout_new (own, rank, error);
  if (packed != NULL)
    view = candela_layout_view (packed, shape, n_dims, error);
  if (view == NULL)
    return FALSE;

  shape = candela_layout_get_shape (view, &n_dims);
  return candela_inference_set_output (inference, 0, candela_inference_get_input_dtype (inference, 0), shape, n_dims,
                                       error);
}

/* To its own shape, also by way of a -1: the node is its input. */
static int
fold_reshape (const CandelaInference *inference)
{
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  gsize n_dims;
  const gint64 *shape = candela_params_get_int_list (candela_inference_get_params (inference), SHAPE, &n_dims);
  g_autoptr (CandelaLayout) view = candela_layout_view (layout, shape, n_dims, NULL);

  return view != NULL && candela_layout_same_shape (view, layout) ? 0 : -1;
}

LAYOUT_OP (reshape, "The elements of x, in row-major order, in another shape; one length may be -1",
           .formula = "out = the elements of x in row-major order, read into shape",
           .example = "reshape(arange(6), [2, -1])", .params = shape_params, .aliasing = CANDELA_ALIASING_REFERENCE,
           .infer = infer_reshape, .kernels = layout_copy_kernels, .fold = fold_reshape,
           .gradients = { "reshape(grad, x.shape)" })

/* broadcast_to */

static gboolean
infer_broadcast_to (CandelaInference *inference, GError **error)
{
  gsize n_dims;
  const gint64 *shape = candela_params_get_int_list (candela_inference_get_params (inference), SHAPE, &n_dims);

  return layout_answer (
    inference, candela_layout_broadcast (candela_inference_get_input_layout (inference, 0), shape, n_dims, error));
}

static int
fold_broadcast_to (const CandelaInference *inference)
{
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  gsize n_dims, rank;
  const gint64 *shape = candela_params_get_int_list (candela_inference_get_params (inference), SHAPE, &n_dims);
  const gint64 *own = candela_layout_get_shape (layout, &rank);

  return n_dims == rank && (rank == 0 || memcmp (shape, own, rank * sizeof (gint64)) == 0) ? 0 : -1;
}

LAYOUT_OP (broadcast_to, "x with axes of length 1, and new ones in front, repeated up to a shape",
           .formula = "out[…, i, j] = x[i, j], with 0 for i or j along an axis of length 1 of x",
           .example = "broadcast_to([[1], [2]], [2, 3])", .params = shape_params,
           .aliasing = CANDELA_ALIASING_REFERENCE, .infer = infer_broadcast_to, .fold = fold_broadcast_to,
           .gradients = { "grad" })

/* expand_dims */

static const CandelaParamInfo expand_dims_params[] = {
  { "axis", CANDELA_PARAM_INT, .default_value = "0", .summary = "where in the result the new axis is" },
  { NULL },
};

static gboolean
infer_expand_dims (CandelaInference *inference, GError **error)
{
  gint64 axis = candela_params_get_int (candela_inference_get_params (inference), AXIS);

  return layout_answer (inference,
                        candela_layout_expand (candela_inference_get_input_layout (inference, 0), axis, error));
}

LAYOUT_OP (expand_dims, "x with a new axis of length 1", .formula = "out[…, 0, …] = x[…], the 0 at axis",
           .example = "expand_dims([1, 2, 3], axis=1)", .params = expand_dims_params,
           .aliasing = CANDELA_ALIASING_REFERENCE, .infer = infer_expand_dims,
           .gradients = { "reshape(grad, x.shape)" })

/* squeeze */

static const CandelaParamInfo squeeze_params[] = {
  { "axis", CANDELA_PARAM_INT_LIST, CANDELA_PARAM_REQUIRED, .summary = "the axes, of length 1, to leave out" },
  { NULL },
};

static gboolean
infer_squeeze (CandelaInference *inference, GError **error)
{
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  gsize n_axes;
  const gint64 *axes = candela_params_get_int_list (candela_inference_get_params (inference), AXIS, &n_axes);

  return layout_answer (inference, n_axes == 0 ? candela_layout_ref ((CandelaLayout *) layout)
                                               : candela_layout_squeeze (layout, axes, n_axes, error));
}

LAYOUT_OP (squeeze, "x without some axes of length 1", .formula = "out[…] = x[…, 0, …], a 0 at each of axis",
           .example = "squeeze([[[1], [2]]], axis=[0, 2])", .params = squeeze_params,
           .aliasing = CANDELA_ALIASING_REFERENCE, .infer = infer_squeeze, .gradients = { "reshape(grad, x.shape)" })

const CandelaOpInfo *const layout_shape_ops[] = {
  &reshape_info, &broadcast_to_info, &expand_dims_info, &squeeze_info, NULL,
};
