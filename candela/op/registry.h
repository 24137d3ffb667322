/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/op/plugin.h>

G_BEGIN_DECLS

#define CANDELA_TYPE_REGISTRY (candela_registry_get_type ())

/**
 * CandelaRegistry:
 *
 * Finds ops by name in the plugins of the search path: the folders of
 * `CANDELA_PLUGIN_PATH` (separated by colons), then those of
 * `CANDELA_PLUGIN_SYSTEM_PATH`, or the one where Candela's own are installed.
 *
 * What modules have is kept in a file of the user's cache folder, or the one that
 * `CANDELA_REGISTRY` names (empty: none is kept). A module that it does not know, and that has no key file
 * beside it, is first opened by a child process: if that crashes, ends or takes longer
 * than `CANDELA_PLUGIN_SCAN_SECONDS` (10), the module is set aside.
 * `CANDELA_PLUGIN_SCAN=no` leaves that out. `CANDELA_PLUGIN_BLOCK` names plugins,
 * separated by commas, that are not to be used.
 *
 * Since: 1.0
 */
CANDELA_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (CandelaRegistry, candela_registry, CANDELA, REGISTRY, GObject)

CANDELA_AVAILABLE_IN_1_0
CandelaRegistry *candela_registry_get_default (void);

CANDELA_AVAILABLE_IN_1_0
CandelaRegistry *candela_registry_new (const char *search_path);

CANDELA_AVAILABLE_IN_1_0
CandelaOp *candela_registry_lookup_op (CandelaRegistry *registry, const char *name, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaOp *candela_registry_lookup_operator (CandelaRegistry *registry, const char *symbol, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaPlugin *candela_registry_lookup_plugin (CandelaRegistry *registry, const char *name, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaPlugin *candela_registry_load_file (CandelaRegistry *registry, const char *filename, GError **error);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_registry_add_op (CandelaRegistry *registry, CandelaOp *op, GError **error);

CANDELA_AVAILABLE_IN_1_0
GListModel *candela_registry_list_plugins (CandelaRegistry *registry);

CANDELA_AVAILABLE_IN_1_0
GListModel *candela_registry_list_ops (CandelaRegistry *registry);

/**
 * CandelaPluginFilterFunc:
 * @name: the name of a plugin
 * @filename: (type filename): the file of its module
 * @user_data: what candela_registry_set_filter() was given
 *
 * Says whether a plugin may be used. The module is not open yet.
 *
 * Returns: %TRUE if the plugin may be used
 *
 * Since: 1.0
 */
typedef gboolean (*CandelaPluginFilterFunc) (const char *name, const char *filename, gpointer user_data);

CANDELA_AVAILABLE_IN_1_0
void candela_registry_set_filter (CandelaRegistry *registry, CandelaPluginFilterFunc filter, gpointer user_data,
                                  GDestroyNotify destroy);

CANDELA_AVAILABLE_IN_1_0
char **candela_registry_list_refused (CandelaRegistry *registry);

G_END_DECLS
