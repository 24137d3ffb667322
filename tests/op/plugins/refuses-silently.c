/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fails, and does not say why. */
#include "module.h"

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return FALSE;
}

CANDELA_PLUGIN_DEFINE ("refuses-silently", "1.0", "MIT", "For tests", register_ops)
