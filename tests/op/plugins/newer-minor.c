/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Made for a later library: needs what this one may not have. */
#include "module.h"

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return TRUE;
}

TEST_DESCRIPTOR (CANDELA_PLUGIN_ABI_MAJOR, CANDELA_PLUGIN_ABI_MINOR + 1, sizeof (CandelaPluginDescriptor),
                 "newer-minor", "1.0", "MIT", "For tests", register_ops);
