/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the small modules of the registry's tests share: an op that gives one
 * float64. */
#pragma once

#include <candela/candela-plugin.h>

G_GNUC_UNUSED static gboolean
infer_scalar (CandelaInference *inference, GError **error)
{
  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_FLOAT64, NULL, 0, error);
}

G_GNUC_UNUSED static gboolean
compute_one (CandelaKernel *kernel, GError **error)
{
  *(double *) candela_kernel_get_output (kernel, 0) = 1;
  return TRUE;
}

G_GNUC_UNUSED static const CandelaKernelInfo kernels[] = { { .compute = compute_one }, { .compute = NULL } };

#define TEST_OP(c_name, op_name, op_operators)                                                                         \
  static const CandelaOpInfo c_name = {                                                                                \
    .struct_size = sizeof (CandelaOpInfo),                                                                             \
    .name = op_name,                                                                                                   \
    .summary = "One",                                                                                                  \
    .operators = op_operators,                                                                                         \
    .infer = infer_scalar,                                                                                             \
    .kernels = kernels,                                                                                                \
  }

/* A descriptor with every field as the test wants it. */
#define TEST_DESCRIPTOR(...)                                                                                           \
  __attribute__ ((visibility ("default"))) extern const CandelaPluginDescriptor candela_plugin_descriptor;             \
  const CandelaPluginDescriptor candela_plugin_descriptor = { __VA_ARGS__ }
