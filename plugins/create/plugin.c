/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of the arrays that are made from parameters alone. */
#include "create.h"

static const CandelaOpInfo *const ops[] = {
  &create_full_op,     &create_zeros_op,          &create_ones_op,          &create_eye_op, &create_arange_op,
  &create_linspace_op, &create_random_uniform_op, &create_random_normal_op, NULL,
};

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, ops, error);
}

CANDELA_PLUGIN_DEFINE ("create", "1.0.0", "LGPL-2.1-or-later", "Arrays made from parameters", register_ops)
