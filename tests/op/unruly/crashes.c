/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Crashes as it registers. */
#include "../plugins/module.h"
#include <signal.h>

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  raise (SIGSEGV);
  return TRUE;
}

CANDELA_PLUGIN_DEFINE ("crashes", "1.0", "MIT", "For tests", register_ops)
