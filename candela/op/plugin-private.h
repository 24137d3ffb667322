/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loading a module, for the registry. */
#pragma once

#include <candela/op/plugin-module.h>

G_BEGIN_DECLS

/* Held while a module is opened and registers its ops, and by registries while
 * they look for one: one lock for all, so that an op may be looked up while a
 * module registers, in whatever registry. */
extern GRecMutex candela_plugin_lock;

/* Opens a module and lets it register its ops; the lock must be held. A module
 * that is open already gives the plugin that there is. Every error begins with
 * the file's name. The plugin and its ops are never destroyed. */
CandelaPlugin *candela_plugin_open (const char *filename, GError **error);

/* The plugin's op of that name, or NULL. */
CandelaOp *candela_plugin_peek_op (CandelaPlugin *plugin, const char *name);

/* Its ops, CandelaOp, in the order in which they were registered. */
GPtrArray *candela_plugin_peek_ops (CandelaPlugin *plugin);

/* "elementwise" for "/usr/lib/candela/elementwise.so". */
char *candela_plugin_name_from_filename (const char *filename);

G_END_DECLS
