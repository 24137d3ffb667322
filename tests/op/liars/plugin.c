/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "liars.h"

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, lying_loops, error) && candela_plugin_add_ops (plugin, lying_stages, error)
         && candela_plugin_add_ops (plugin, lying_kernels, error)
         && candela_plugin_add_ops (plugin, lying_shapes, error)
         && candela_plugin_add_ops (plugin, lying_gradients, error);
}

CANDELA_PLUGIN_DEFINE ("liars", "1.0", "LGPL-2.1-or-later", "Ops that do not do what they declare", register_ops)
