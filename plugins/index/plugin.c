/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of elements chosen by index. */
#include "choice.h"

static const CandelaOpInfo *const ops[] = { &index_take_op,         &index_take_along_axis_op, &index_nonzero_op,
                                            &index_boolean_mask_op, &index_gather_op,          &index_scatter_op,
                                            &index_put_op,          &index_place_op,           NULL };

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, ops, error);
}

CANDELA_PLUGIN_DEFINE ("index", CANDELA_VERSION_S, "LGPL-2.1-or-later", "Elements chosen by index", register_ops)
