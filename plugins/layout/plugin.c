/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of layout ops: other shapes, orders of axes and parts of a value, over
 * the buffer that is there; and parts replaced. */
#include "layout.h"

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, layout_copy_ops, error)
         && candela_plugin_add_ops (plugin, layout_shape_ops, error)
         && candela_plugin_add_ops (plugin, layout_axes_ops, error)
         && candela_plugin_add_ops (plugin, layout_index_ops, error)
         && candela_plugin_add_ops (plugin, layout_update_ops, error);
}

CANDELA_PLUGIN_DEFINE ("layout", CANDELA_VERSION_S, "LGPL-2.1-or-later",
                       "Views of values: reshaping, transposing, broadcasting, slicing, indexing", register_ops)
