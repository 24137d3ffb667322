/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Does not say under which licence it is. */
#include "module.h"

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return TRUE;
}

CANDELA_PLUGIN_DEFINE ("no-licence", "1.0", NULL, "For tests", register_ops)
