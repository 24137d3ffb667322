/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An op with a parameter whose default is out of its own range. */
#include "module.h"

static const CandelaParamInfo params[] = {
  { .name = "count", .type = CANDELA_PARAM_INT, .default_value = "11", .minimum = 1, .maximum = 10 }, { .name = NULL }
};

static const CandelaOpInfo op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "counted",
  .summary = "One",
  .params = params,
  .infer = infer_scalar,
  .kernels = kernels,
};

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_op (plugin, &op, error);
}

CANDELA_PLUGIN_DEFINE ("bad-default", "1.0", "MIT", "For tests", register_ops)
