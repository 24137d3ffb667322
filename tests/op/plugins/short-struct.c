/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Says that its descriptor is shorter than any. */
#include "module.h"

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return TRUE;
}

TEST_DESCRIPTOR (CANDELA_PLUGIN_ABI_MAJOR, CANDELA_PLUGIN_ABI_MINOR, 24, "short-struct", "1.0", "MIT", "For tests",
                 register_ops);
