/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An element-wise op of which a kernel has stages of no family. */
#include "module.h"

static void
copy (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)
{
}

static const CandelaInputInfo inputs[] = { { .name = "x" }, { .name = NULL } };

static const CandelaStages stages = { .unary = NULL };

static const CandelaKernelInfo loops[] = {
  { .in = { CANDELA_DTYPE_INT8 }, .out = { CANDELA_DTYPE_INT8 }, .loop = copy, .stages = &stages },
  { .loop = NULL },
};

static const CandelaOpInfo op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "staged",
  .summary = "One",
  .inputs = inputs,
  .axes = CANDELA_AXES_ELEMENTWISE,
  .kernels = loops,
};

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_op (plugin, &op, error);
}

CANDELA_PLUGIN_DEFINE ("bad-stages", "1.0", "MIT", "For tests", register_ops)
