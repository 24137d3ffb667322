/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of arrays put together, repeated and moved. */
#include "arrange.h"

static const CandelaOpInfo *const ops[] = {
  &arrange_concat_op, &arrange_stack_op, &arrange_tile_op,
  &arrange_repeat_op, &arrange_roll_op,  &arrange_tril_op,
  &arrange_triu_op,   &arrange_diff_op,  NULL,
};

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, ops, error);
}

CANDELA_PLUGIN_DEFINE ("arrange", CANDELA_VERSION_S, "LGPL-2.1-or-later", "Arrays put together, repeated, moved",
                       register_ops)
