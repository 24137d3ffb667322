/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Has another name than its file. */
#include "module.h"

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return TRUE;
}

CANDELA_PLUGIN_DEFINE ("something", "1.0", "MIT", "For tests", register_ops)
