/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nothing wrong with it. "shared" is also an op of first. */
#include "module.h"

TEST_OP (only_second, "only_second", NULL);
TEST_OP (shared, "shared", "infix:<=>");

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_op (plugin, &only_second, error) && candela_plugin_add_op (plugin, &shared, error);
}

CANDELA_PLUGIN_DEFINE ("second", "1.0", "LGPL-2.1-or-later", "For tests; the second", register_ops)
