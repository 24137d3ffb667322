/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Registers an op, then finds that it cannot work here. */
#include "module.h"

TEST_OP (leftover, "leftover", NULL);

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  candela_plugin_add_op (plugin, &leftover, NULL);
  g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "the device is not there");
  return FALSE;
}

CANDELA_PLUGIN_DEFINE ("refuses", "1.0", "MIT", "For tests", register_ops)
