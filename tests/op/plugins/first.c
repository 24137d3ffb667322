/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nothing wrong with it. "shared" is also an op of second. */
#include "module.h"

TEST_OP (only_first, "only_first", NULL);
TEST_OP (shared, "shared", "infix:<=> prefix:;");
TEST_OP (subscript, "subscript", "index:[]");

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  static const CandelaOpInfo *const ops[] = { &only_first, &shared, &subscript, NULL };
  return candela_plugin_add_ops (plugin, ops, error);
}

static GVariant *
describe (void)
{
  return g_variant_new_parsed ("{'colour': 'green', 'height': '7 cm'}");
}

CANDELA_PLUGIN_DEFINE_DESCRIBED ("first", "1.2", "LGPL-2.1-or-later", "For tests; the first", register_ops, describe)
