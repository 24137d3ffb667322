/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/op/op.h>

G_BEGIN_DECLS

#define CANDELA_TYPE_PLUGIN (candela_plugin_get_type ())

/**
 * CandelaPlugin:
 *
 * A module with ops. Loaded when one of its ops is first asked for, and never
 * unloaded.
 *
 * Since: 1.0
 */
CANDELA_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (CandelaPlugin, candela_plugin, CANDELA, PLUGIN, GObject)

CANDELA_AVAILABLE_IN_1_0
const char *candela_plugin_get_name (CandelaPlugin *plugin);

CANDELA_AVAILABLE_IN_1_0
const char *candela_plugin_get_version (CandelaPlugin *plugin);

CANDELA_AVAILABLE_IN_1_0
const char *candela_plugin_get_license (CandelaPlugin *plugin);

CANDELA_AVAILABLE_IN_1_0
const char *candela_plugin_get_description (CandelaPlugin *plugin);

CANDELA_AVAILABLE_IN_1_0
const char *candela_plugin_get_filename (CandelaPlugin *plugin);

CANDELA_AVAILABLE_IN_1_0
GVariant *candela_plugin_describe (CandelaPlugin *plugin);

CANDELA_AVAILABLE_IN_1_0
GListModel *candela_plugin_list_ops (CandelaPlugin *plugin);

CANDELA_AVAILABLE_IN_1_0
char *candela_plugin_to_key_file (CandelaPlugin *plugin);

G_END_DECLS
