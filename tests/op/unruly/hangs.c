/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Never comes back from registering. */
#include "../plugins/module.h"
#include <unistd.h>

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  for (;;)
    pause ();
  return TRUE;
}

CANDELA_PLUGIN_DEFINE ("hangs", "1.0", "MIT", "For tests", register_ops)
