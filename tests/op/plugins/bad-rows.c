/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A reduction of which a kernel takes rows of any dtype. */
#include "module.h"

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  return TRUE;
}

static void
take_rows (gpointer const *out, gconstpointer in, gint64 stride, gsize n_rows, gsize n, const CandelaParams *params)
{
}

static guint32
reduce_all (const CandelaParams *params, guint rank)
{
  return (1u << rank) - 1;
}

static gboolean
infer (CandelaInference *inference, GError **error)
{
  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_FLOAT64, NULL, 0, error);
}

static const CandelaInputInfo inputs[] = { { .name = "x" }, { .name = NULL } };

static const CandelaKernelInfo its_kernels[] = { { .compute = compute, .rows = take_rows }, { .compute = NULL } };

static const CandelaOpInfo op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "rowed",
  .summary = "One",
  .inputs = inputs,
  .axes = CANDELA_AXES_REDUCTION,
  .reduced_axes = reduce_all,
  .infer = infer,
  .kernels = its_kernels,
};

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_op (plugin, &op, error);
}

CANDELA_PLUGIN_DEFINE ("bad-rows", "1.0", "MIT", "For tests", register_ops)
