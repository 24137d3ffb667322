/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The input that all ops of this plugin have, and the two ways in which they answer:
 * a layout over it, or a copy. */
#include "layout.h"

const CandelaInputInfo layout_x[] = {
  { "x", .summary = "the operand" },
  { NULL },
};

gboolean
layout_answer (CandelaInference *inference, CandelaLayout *layout)
{
  if (layout == NULL)
    return FALSE;

  candela_inference_set_reference (inference, 0, 0, layout);
  return TRUE;
}

static gboolean
compute_copy (CandelaKernel *kernel, GError **error)
{
  candela_kernel_copy_input (kernel, 0, 0);
  return TRUE;
}

const CandelaKernelInfo layout_copy_kernels[] = {
  { .compute = compute_copy },
  { .compute = NULL },
};
