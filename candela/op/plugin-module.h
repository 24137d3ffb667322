/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For writers of plugins: the descriptor that a module exports. */
#pragma once

#include <candela/op/op-class.h>
#include <candela/op/plugin.h>

G_BEGIN_DECLS

/* A module fits if its major number is the library's and its minor number is not
 * above the library's. */
#define CANDELA_PLUGIN_ABI_MAJOR 1
#define CANDELA_PLUGIN_ABI_MINOR 0

typedef struct
{
  guint32 abi_major;
  guint32 abi_minor;
  gsize struct_size; /* sizeof (CandelaPluginDescriptor) */
  const char *name;  /* a word; the module's file name without its suffix */
  const char *version;
  const char *license; /* an SPDX expression */
  const char *description;
  gboolean (*register_ops) (CandelaPlugin *plugin, GError **error);
  /* What serves it on this machine, as names and texts: an a{ss}, floating or not.
   * May be NULL, and may return NULL. */
  GVariant *(*describe) (void);
  gpointer padding[4];
} CandelaPluginDescriptor;

/* The symbol by which the loader finds the descriptor. */
#define CANDELA_PLUGIN_SYMBOL "candela_plugin_descriptor"

/* Defines and exports the descriptor. */
#define CANDELA_PLUGIN_DEFINE(plugin_name, plugin_version, plugin_license, plugin_description, register_func)          \
  CANDELA_PLUGIN_DEFINE_DESCRIBED (plugin_name, plugin_version, plugin_license, plugin_description, register_func, NULL)

/* … with a function that says what serves it on this machine. */
#define CANDELA_PLUGIN_DEFINE_DESCRIBED(plugin_name, plugin_version, plugin_license, plugin_description,               \
                                        register_func, describe_func)                                                  \
  __attribute__ ((visibility ("default"))) extern const CandelaPluginDescriptor candela_plugin_descriptor;             \
  const CandelaPluginDescriptor candela_plugin_descriptor = { CANDELA_PLUGIN_ABI_MAJOR,                                \
                                                              CANDELA_PLUGIN_ABI_MINOR,                                \
                                                              sizeof (CandelaPluginDescriptor),                        \
                                                              plugin_name,                                             \
                                                              plugin_version,                                          \
                                                              plugin_license,                                          \
                                                              plugin_description,                                      \
                                                              register_func,                                           \
                                                              describe_func,                                           \
                                                              { NULL } };

/* The same of a plugin that registers these ops and does nothing else:
 * CANDELA_PLUGIN_DEFINE_OPS ("mine", "1.0", "MIT", "My ops", &first, &second) */
#define CANDELA_PLUGIN_DEFINE_OPS(plugin_name, plugin_version, plugin_license, plugin_description, ...)                \
  static gboolean candela_plugin_register_ops (CandelaPlugin *plugin, GError **error)                                  \
  {                                                                                                                    \
    static const CandelaOpInfo *const ops[] = { __VA_ARGS__, NULL };                                                   \
                                                                                                                       \
    return candela_plugin_add_ops (plugin, ops, error);                                                                \
  }                                                                                                                    \
  CANDELA_PLUGIN_DEFINE (plugin_name, plugin_version, plugin_license, plugin_description, candela_plugin_register_ops)

/* The declaration must live as long as the module: a const struct in it. */
CANDELA_AVAILABLE_IN_1_0
gboolean candela_plugin_add_op (CandelaPlugin *plugin, const CandelaOpInfo *info, GError **error);

/* Several, up to a NULL. */
CANDELA_AVAILABLE_IN_1_0
gboolean candela_plugin_add_ops (CandelaPlugin *plugin, const CandelaOpInfo *const *infos, GError **error);

/* An op with a class of its own, derived from CandelaOp. */
CANDELA_AVAILABLE_IN_1_0
gboolean candela_plugin_add_op_type (CandelaPlugin *plugin, GType type, const CandelaOpInfo *info, GError **error);

G_END_DECLS
