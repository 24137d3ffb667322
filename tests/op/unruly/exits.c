/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ends the process as it is opened, before anybody calls it. */
#include "../plugins/module.h"
#include <unistd.h>

__attribute__ ((constructor)) static void
begin (void)
{
  _exit (3);
}

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return TRUE;
}

CANDELA_PLUGIN_DEFINE ("exits", "1.0", "MIT", "For tests", register_ops)
