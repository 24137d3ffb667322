/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of running sums and products. */
#include "scan.h"

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, scan_ops, error);
}

CANDELA_PLUGIN_DEFINE ("scan", CANDELA_VERSION_S, "LGPL-2.1-or-later", "Running sums and products", register_ops)
