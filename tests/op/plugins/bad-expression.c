/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An op that is an expression and has an infer function. */
#include "module.h"

static gboolean
infer (CandelaInference *inference, GError **error)
{
  return TRUE;
}

static const CandelaInputInfo inputs[] = { { .name = "x" }, { .name = NULL } };

static const CandelaOpInfo op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "expressed",
  .summary = "One",
  .inputs = inputs,
  .expression = "x + 1",
  .infer = infer,
};

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_op (plugin, &op, error);
}

CANDELA_PLUGIN_DEFINE ("bad-expression", "1.0", "MIT", "For tests", register_ops)
