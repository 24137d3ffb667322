/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Crashes as it registers. */
#include "../plugins/module.h"
#include <stdlib.h>

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  abort (); /* sanitizers leave it alone */
}

CANDELA_PLUGIN_DEFINE ("crashes", "1.0", "MIT", "For tests", register_ops)
