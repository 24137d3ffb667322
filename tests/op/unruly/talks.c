/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes to standard output, and registers an op. */
#include "../plugins/module.h"
#include <stdio.h>

TEST_OP (talk, "talk", NULL);

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  for (int i = 0; i < 100; i++)
    puts ("talk");
  fflush (stdout);
  return candela_plugin_add_op (plugin, &talk, error);
}

CANDELA_PLUGIN_DEFINE ("talks", "1.0", "MIT", "For tests", register_ops)
