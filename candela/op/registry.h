/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/op/plugin.h>

G_BEGIN_DECLS

#define CANDELA_TYPE_REGISTRY (candela_registry_get_type ())

/**
 * CandelaRegistry:
 *
 * Finds ops by name in the plugins of the search path: the folders of
 * `CANDELA_PLUGIN_PATH` (separated by colons), then the installed ones.
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
GListModel *candela_registry_list_plugins (CandelaRegistry *registry);

CANDELA_AVAILABLE_IN_1_0
GListModel *candela_registry_list_ops (CandelaRegistry *registry);

CANDELA_AVAILABLE_IN_1_0
char **candela_registry_list_refused (CandelaRegistry *registry);

G_END_DECLS
