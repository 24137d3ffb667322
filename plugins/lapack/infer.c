/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the ops take, and the shapes that they give. */
#include "lapack.h"

const CandelaInputInfo lapack_inputs[] = {
  { .name = "x",
    .kinds = CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX,
    .summary = "a matrix, or a stack of them: its last two axes" },
  { NULL },
};

const CandelaInPlace lapack_in_place[] = {
  { .output = 0, .input = 0, .mode = CANDELA_IN_PLACE_SAME_INDEX },
  { .mode = CANDELA_IN_PLACE_NEVER },
};

gboolean
lapack_infer_matrices (CandelaInference *inference, gboolean square, const gint64 **shape, gsize *rank, GError **error)
{
  g_autofree char *text = NULL;

  *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), rank);
  text = candela_shape_to_string (*shape, *rank);
  if (*rank < 2)
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                   "x has shape %s; it must have two axes at least: [..., M, %c]", text,
                                   square ? 'M' : 'N');
  if (square && (*shape)[*rank - 1] != (*shape)[*rank - 2])
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                   "x has shape %s; its last two axes must be of one length: [..., M, M]", text);
  if (MAX ((*shape)[*rank - 1], (*shape)[*rank - 2]) > G_MAXINT)
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                   "x has shape %s; LAPACK counts no further than %d", text, G_MAXINT);
  return TRUE;
}

gboolean
lapack_set_output (CandelaInference *inference, guint output, CandelaDType dtype, gsize n_axes, gint64 rows,
                   gint64 cols, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);
  gint64 out[CANDELA_MAX_RANK];

  memcpy (out, shape, rank * sizeof *out);
  out[rank - 2] = rows;
  out[n_axes == 2 ? rank - 1 : rank - 2] = n_axes == 2 ? cols : rows;
  return candela_inference_set_output (inference, output, dtype, out, rank - 2 + n_axes, error);
}

gboolean
lapack_infer_same (CandelaInference *inference, GError **error)
{
  const gint64 *shape;
  gsize rank;

  return lapack_infer_matrices (inference, TRUE, &shape, &rank, error)
         && candela_inference_set_output (inference, 0, candela_inference_get_input_dtype (inference, 0), shape, rank,
                                          error);
}
