/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Looks up ops, its own too, while it registers. */
#include "module.h"

TEST_OP (nested, "nested", NULL);

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  CandelaRegistry *registry = candela_registry_get_default ();

  candela_registry_lookup_op (registry, "nested", NULL);
  return candela_registry_lookup_op (registry, "shared", error) != NULL
         && candela_plugin_add_op (plugin, &nested, error);
}

CANDELA_PLUGIN_DEFINE ("nested", "1.0", "MIT", "For tests", register_ops)
