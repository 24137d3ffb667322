/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * identity, which is its input, and contiguous, which is its input too where that is
 * packed, and else a packed copy that stands for it from then on. */
#include "layout.h"

static gboolean
infer_identity (CandelaInference *inference, GError **error)
{
  candela_inference_set_alias (inference, 0, 0);
  return TRUE;
}

LAYOUT_OP (identity, "x itself", .formula = "out = x", .example = "identity([1, 2, 3])",
           .aliasing = CANDELA_ALIASING_ALIAS, .infer = infer_identity, .gradients = { "grad" })

static gboolean
infer_contiguous (CandelaInference *inference, GError **error)
{
  if (!candela_layout_is_contiguous (candela_inference_get_input_layout (inference, 0)))
    return candela_inference_set_takeover (inference, 0, 0, error);

  candela_inference_set_alias (inference, 0, 0);
  return TRUE;
}

LAYOUT_OP (contiguous, "x with its elements packed in row-major order; x itself if they are",
           .formula = "out[i, j, …] = x[i, j, …]", .example = "contiguous([[1, 2, 3], [4, 5, 6]].T)",
           .aliasing = CANDELA_ALIASING_TAKEOVER, .infer = infer_contiguous, .kernels = layout_copy_kernels,
           .gradients = { "grad" })

const CandelaOpInfo *const layout_copy_ops[] = { &identity_info, &contiguous_info, NULL };
