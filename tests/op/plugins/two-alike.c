/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two ops of one name, and an author who does not look at results. */
#include "module.h"

TEST_OP (one, "twin", NULL);
TEST_OP (other, "twin", NULL);

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  candela_plugin_add_op (plugin, &one, NULL);
  candela_plugin_add_op (plugin, &other, NULL);
  return TRUE;
}

CANDELA_PLUGIN_DEFINE ("two-alike", "1.0", "MIT", "For tests", register_ops)
