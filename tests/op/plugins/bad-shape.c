/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An op of which data say the shape, and which is a view of its input all the same. */
#include "module.h"

static const CandelaInputInfo inputs[] = { { .name = "x" }, { .name = NULL } };

static const CandelaOpInfo op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "shaped",
  .summary = "One",
  .inputs = inputs,
  .aliasing = CANDELA_ALIASING_ALIAS,
  .output_shape = CANDELA_OUTPUT_SHAPE_DATA,
};

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_op (plugin, &op, error);
}

CANDELA_PLUGIN_DEFINE ("bad-shape", "1.0", "MIT", "For tests", register_ops)
