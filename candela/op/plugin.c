/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin is one module, which exports a descriptor. Before anything in it is
 * called the descriptor is read with suspicion: is there as much of it as it
 * says, was it made for this ABI, does it name itself as its file does? Only
 * then is the module made resident and asked to register its ops. What fails
 * says why, beginning with the file's name, and the caller goes on.
 *
 * A module is never closed again once it has registered anything: ops are const
 * structs and code in it. So plugins live for ever, and are kept by module: two
 * registries that find the same file share one plugin. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr1 () */
#endif
#include <candela/op/plugin-private.h>

#include <candela/op/foreign-private.h>
#include <candela/value/debug-private.h>
#include <gmodule.h>
#include <string.h>
#ifdef __GLIBC__
#include <dlfcn.h>
#include <link.h>
#endif

struct _CandelaPlugin
{
  GObject parent_instance;

  char *filename;
  const CandelaPluginDescriptor *descriptor; /* in the module */
  GPtrArray *ops;                            /* CandelaOp, owned */
  GHashTable *by_name;                       /* the same by name */
  gboolean registering;
  GError *failure; /* the first op that was refused */
};

G_DEFINE_TYPE (CandelaPlugin, candela_plugin, G_TYPE_OBJECT)

GRecMutex candela_plugin_lock;

/* GModule to CandelaPlugin, and the same by the name of a .ops file; under the lock. */
static GHashTable *open_modules;
static GHashTable *open_texts;

static void
candela_plugin_finalize (GObject *object)
{
  CandelaPlugin *plugin = CANDELA_PLUGIN (object);

  g_free (plugin->filename);
  g_hash_table_unref (plugin->by_name);
  g_ptr_array_unref (plugin->ops);
  g_clear_error (&plugin->failure);
  G_OBJECT_CLASS (candela_plugin_parent_class)->finalize (object);
}

static void
candela_plugin_class_init (CandelaPluginClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = candela_plugin_finalize;
}

static void
candela_plugin_init (CandelaPlugin *plugin)
{
  /* Of a plugin that a script makes and no loader: there is no module behind it. */
  static const CandelaPluginDescriptor none = { .name = "", .version = "", .license = "", .description = "" };

  plugin->filename = g_strdup ("");
  plugin->descriptor = &none;
  plugin->ops = g_ptr_array_new_with_free_func (g_object_unref);
  plugin->by_name = g_hash_table_new (g_str_hash, g_str_equal);
}

char *
candela_plugin_name_from_filename (const char *filename)
{
  char *name = g_path_get_basename (filename);
  if (g_str_has_suffix (name, "." G_MODULE_SUFFIX))
    name[strlen (name) - strlen ("." G_MODULE_SUFFIX)] = '\0';
  else if (g_str_has_suffix (name, "." CANDELA_FOREIGN_SUFFIX))
    name[strlen (name) - strlen ("." CANDELA_FOREIGN_SUFFIX)] = '\0';
  return name;
}

/* The bytes behind a symbol as the module's symbol table has them; 0 if it is not
 * data. Where the system does not say, all that this version could read. */
static gsize
symbol_size (gconstpointer address)
{
#ifdef __GLIBC__
  Dl_info info;
  const ElfW (Sym) *symbol = NULL;

  if (dladdr1 (address, &info, (void **) &symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL)
    return ELF64_ST_TYPE (symbol->st_info) == STT_OBJECT ? symbol->st_size : 0;
#endif
  return sizeof (CandelaPluginDescriptor);
}

static gboolean
is_text (const char *text)
{
  return text != NULL && *text != '\0' && g_utf8_validate (text, -1, NULL);
}

/* Why the descriptor does not do, or NULL. The order matters: what comes later
 * may be read only if what came before was right. */
static char *
check_descriptor (const CandelaPluginDescriptor *descriptor, const char *filename)
{
  g_autofree char *name = candela_plugin_name_from_filename (filename);
  gsize size = symbol_size (descriptor);

  if (size < G_STRUCT_OFFSET (CandelaPluginDescriptor, name))
    return g_strdup ("its symbol \"" CANDELA_PLUGIN_SYMBOL "\" is not a plugin's descriptor");
  if (descriptor->abi_major != CANDELA_PLUGIN_ABI_MAJOR)
    return g_strdup_printf ("it was made for the plugin ABI %u.%u; this library's is %u.%u", descriptor->abi_major,
                            descriptor->abi_minor, CANDELA_PLUGIN_ABI_MAJOR, CANDELA_PLUGIN_ABI_MINOR);
  if (descriptor->abi_minor > CANDELA_PLUGIN_ABI_MINOR)
    return g_strdup_printf ("it needs the plugin ABI %u.%u or newer; this library's is %u.%u", descriptor->abi_major,
                            descriptor->abi_minor, CANDELA_PLUGIN_ABI_MAJOR, CANDELA_PLUGIN_ABI_MINOR);
  if (descriptor->struct_size < sizeof (CandelaPluginDescriptor) || size < sizeof (CandelaPluginDescriptor)
      || descriptor->struct_size > MAX (size, 4096))
    return g_strdup_printf ("its descriptor says that it has %" G_GSIZE_FORMAT " bytes; it must have %" G_GSIZE_FORMAT,
                            descriptor->struct_size, sizeof (CandelaPluginDescriptor));
  if (!is_text (descriptor->name))
    return g_strdup ("its descriptor has no name");
  if (strcmp (descriptor->name, name) != 0)
    {
      g_autofree char *said = candela_quote_for_message (descriptor->name);
      return g_strdup_printf ("its descriptor names it %s; the name of its file says \"%s\"", said, name);
    }
  if (!is_text (descriptor->version))
    return g_strdup ("its descriptor has no version");
  if (!is_text (descriptor->license))
    return g_strdup ("its descriptor has no licence");
  if (!is_text (descriptor->description))
    return g_strdup ("its descriptor has no description");
  if (descriptor->register_ops == NULL)
    return g_strdup ("its descriptor has no register_ops function");
  return NULL;
}

static void
refuse (GError **error, const char *filename, const char *reason)
{
  /* The dynamic linker begins its messages with the file's name. */
  gsize length = strlen (filename);
  if (strncmp (reason, filename, length) == 0 && reason[length] == ':')
    reason += length + 1;
  while (*reason == ' ')
    reason++;
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "%s: %s", filename, reason);
}

/* Asks the module for its ops; the reason why not is put into error. */
static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  g_autoptr (GError) local = NULL;
  gboolean ok;

  plugin->registering = TRUE;
  ok = plugin->descriptor->register_ops (plugin, &local);
  plugin->registering = FALSE;

  if (plugin->failure != NULL)
    refuse (error, plugin->filename, plugin->failure->message);
  else if (!ok)
    refuse (error, plugin->filename,
            local != NULL ? local->message : "its register_ops function failed and did not say why");
  return ok && plugin->failure == NULL;
}

static CandelaPlugin *
plugin_new (const CandelaPluginDescriptor *descriptor, const char *filename)
{
  CandelaPlugin *plugin = g_object_new (CANDELA_TYPE_PLUGIN, NULL);

  g_free (plugin->filename);
  plugin->filename = g_strdup (filename);
  plugin->descriptor = descriptor;
  return plugin;
}

static CandelaPlugin *
open_descriptor (GModule *module, const char *filename, GError **error)
{
  g_autofree char *reason = NULL;
  gpointer symbol = NULL;

  if (!g_module_symbol (module, CANDELA_PLUGIN_SYMBOL, &symbol) || symbol == NULL)
    reason = g_strdup ("it has no symbol \"" CANDELA_PLUGIN_SYMBOL "\": it is not a plugin");
  else
    reason = check_descriptor (symbol, filename);
  if (reason != NULL)
    {
      refuse (error, filename, reason);
      return NULL;
    }

  return plugin_new (symbol, filename);
}

/* Asks it for its ops; of a table of those that are open. */
static CandelaPlugin *
finish_open (GHashTable *table, gpointer key, CandelaPlugin *plugin, GError **error)
{
  g_hash_table_insert (table, key, g_object_ref (plugin));
  if (!register_ops (plugin, error))
    {
      g_hash_table_remove (table, key);
      return NULL;
    }
  if (candela_debug_flags () & CANDELA_DEBUG_PLUGINS)
    g_printerr ("candela: opened %s (%u ops)\n", plugin->filename, plugin->ops->len);
  return plugin;
}

static CandelaPlugin *
open_text (const char *filename, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (CandelaPlugin) plugin = NULL;
  const CandelaPluginDescriptor *descriptor;
  CandelaPlugin *known;

  if (open_texts == NULL)
    open_texts = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_object_unref);
  known = g_hash_table_lookup (open_texts, filename);
  if (known != NULL)
    return known;
  descriptor = candela_foreign_file_read (filename, &local);
  if (descriptor == NULL)
    {
      refuse (error, filename, local->message);
      return NULL;
    }
  plugin = plugin_new (descriptor, filename);
  return finish_open (open_texts, plugin->filename, plugin, error);
}

CandelaPlugin *
candela_plugin_open (const char *filename, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (CandelaPlugin) plugin = NULL;
  CandelaPlugin *known;
  GModule *module = NULL;

  if (candela_foreign_is_file (filename))
    return open_text (filename, error);
  if (g_file_test (filename, G_FILE_TEST_IS_REGULAR))
    module = g_module_open_full (filename, G_MODULE_BIND_LOCAL | G_MODULE_BIND_LAZY, &local);
  if (module == NULL)
    {
      refuse (error, filename, local != NULL ? local->message : "there is no such file");
      return NULL;
    }

  if (open_modules == NULL)
    open_modules = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
  known = g_hash_table_lookup (open_modules, module);
  if (known != NULL)
    {
      g_module_close (module);
      if (!known->registering)
        return known;
      refuse (error, filename, "it is registering its ops");
      return NULL;
    }

  plugin = open_descriptor (module, filename, error);
  if (plugin == NULL)
    {
      g_module_close (module);
      return NULL;
    }
  g_module_make_resident (module);
  return finish_open (open_modules, module, plugin, error);
}

CandelaOp *
candela_plugin_peek_op (CandelaPlugin *plugin, const char *name)
{
  return g_hash_table_lookup (plugin->by_name, name);
}

GPtrArray *
candela_plugin_peek_ops (CandelaPlugin *plugin)
{
  return plugin->ops;
}

/* For modules. */

static gboolean
add_op (CandelaPlugin *plugin, GType type, const CandelaOpInfo *info, GError **error)
{
  g_autoptr (CandelaOp) op = candela_op_new (type, info, plugin->descriptor->name, error);
  const char *name;

  if (op == NULL)
    return FALSE;
  name = candela_op_get_name (op);
  if (!candela_param_info_check (name, candela_op_get_facts (op)->info->params, error))
    return FALSE;
  if (g_hash_table_contains (plugin->by_name, name))
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "it registers two ops with the name \"%s\"", name);
      return FALSE;
    }
  candela_op_set_resident (op);
  g_hash_table_insert (plugin->by_name, (gpointer) name, op);
  g_ptr_array_add (plugin->ops, g_steal_pointer (&op));
  return TRUE;
}

/**
 * candela_plugin_add_op_type:
 * @plugin: the plugin that is registering its ops
 * @type: a type derived from #CandelaOp that has no properties to be set
 * @info: the op's declaration, which lives as long as the module
 * @error: return location for an error
 *
 * Registers an op with a class of its own. Only from within the descriptor's
 * `register_ops`. One op that is refused is enough for the plugin to be refused,
 * whatever `register_ops` makes of it.
 *
 * Errors: %CANDELA_ERROR_PLUGIN or %CANDELA_ERROR_PARAMETER if the declaration is
 * wrong, or if the plugin has an op of that name already.
 *
 * Returns: %TRUE if the op was registered
 *
 * Since: 1.0
 */
gboolean
candela_plugin_add_op_type (CandelaPlugin *plugin, GType type, const CandelaOpInfo *info, GError **error)
{
  g_autoptr (GError) local = NULL;

  g_return_val_if_fail (CANDELA_IS_PLUGIN (plugin), FALSE);

  if (!plugin->registering)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN,
                   "%s: ops can be added only while its register_ops function runs", plugin->filename);
      return FALSE;
    }
  if (add_op (plugin, type, info, &local))
    return TRUE;
  if (plugin->failure == NULL)
    plugin->failure = g_error_copy (local);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/**
 * candela_plugin_add_op:
 * @plugin: the plugin that is registering its ops
 * @info: the op's declaration, which lives as long as the module
 * @error: return location for an error
 *
 * Registers an op, as candela_plugin_add_op_type() does, that needs no more than
 * its declaration.
 *
 * Returns: %TRUE if the op was registered
 *
 * Since: 1.0
 */
gboolean
candela_plugin_add_op (CandelaPlugin *plugin, const CandelaOpInfo *info, GError **error)
{
  return candela_plugin_add_op_type (plugin, CANDELA_TYPE_OP, info, error);
}

/**
 * candela_plugin_add_ops:
 * @plugin: the plugin that is registering its ops
 * @infos: (array zero-terminated=1): the ops' declarations
 * @error: return location for an error
 *
 * Registers several ops, up to the first that is refused.
 *
 * Returns: %TRUE if all were registered
 *
 * Since: 1.0
 */
gboolean
candela_plugin_add_ops (CandelaPlugin *plugin, const CandelaOpInfo *const *infos, GError **error)
{
  for (; *infos != NULL; infos++)
    if (!candela_plugin_add_op (plugin, *infos, error))
      return FALSE;
  return TRUE;
}

/* For users. */

/**
 * candela_plugin_get_name:
 * @plugin: a plugin
 *
 * The plugin's name: that of its file, without the suffix.
 *
 * Returns: (transfer none): the name
 *
 * Since: 1.0
 */
const char *
candela_plugin_get_name (CandelaPlugin *plugin)
{
  g_return_val_if_fail (CANDELA_IS_PLUGIN (plugin), NULL);

  return plugin->descriptor->name;
}

/**
 * candela_plugin_get_version:
 * @plugin: a plugin
 *
 * The plugin's own version.
 *
 * Returns: (transfer none): the version
 *
 * Since: 1.0
 */
const char *
candela_plugin_get_version (CandelaPlugin *plugin)
{
  g_return_val_if_fail (CANDELA_IS_PLUGIN (plugin), NULL);

  return plugin->descriptor->version;
}

/**
 * candela_plugin_get_license:
 * @plugin: a plugin
 *
 * Under which licence the plugin may be used, as an SPDX expression.
 *
 * Returns: (transfer none): the licence
 *
 * Since: 1.0
 */
const char *
candela_plugin_get_license (CandelaPlugin *plugin)
{
  g_return_val_if_fail (CANDELA_IS_PLUGIN (plugin), NULL);

  return plugin->descriptor->license;
}

/**
 * candela_plugin_get_description:
 * @plugin: a plugin
 *
 * What the plugin is for, in a sentence.
 *
 * Returns: (transfer none): the description
 *
 * Since: 1.0
 */
const char *
candela_plugin_get_description (CandelaPlugin *plugin)
{
  g_return_val_if_fail (CANDELA_IS_PLUGIN (plugin), NULL);

  return plugin->descriptor->description;
}

/**
 * candela_plugin_get_filename:
 * @plugin: a plugin
 *
 * The file of the plugin's module.
 *
 * Returns: (transfer none) (type filename): the file's absolute path
 *
 * Since: 1.0
 */
const char *
candela_plugin_get_filename (CandelaPlugin *plugin)
{
  g_return_val_if_fail (CANDELA_IS_PLUGIN (plugin), NULL);

  return plugin->filename;
}

/**
 * candela_plugin_describe:
 * @plugin: a plugin
 *
 * What serves the plugin on this machine, as it says itself: which library, which
 * instruction set. Names and texts for people to read; empty if it says nothing.
 *
 * Returns: (transfer full): a variant of type `a{ss}`
 *
 * Since: 1.0
 */
GVariant *
candela_plugin_describe (CandelaPlugin *plugin)
{
  g_return_val_if_fail (CANDELA_IS_PLUGIN (plugin), NULL);

  GVariant *facts = plugin->descriptor->describe != NULL ? plugin->descriptor->describe () : NULL;

  if (facts != NULL && g_variant_is_of_type (facts, G_VARIANT_TYPE ("a{ss}")))
    return g_variant_take_ref (facts);
  g_clear_pointer (&facts, g_variant_unref);
  return g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("{ss}"), NULL, 0));
}

/**
 * candela_plugin_list_ops:
 * @plugin: a plugin
 *
 * The ops that the plugin has registered, in its order.
 *
 * Returns: (transfer full): a list of #CandelaOp
 *
 * Since: 1.0
 */
GListModel *
candela_plugin_list_ops (CandelaPlugin *plugin)
{
  g_return_val_if_fail (CANDELA_IS_PLUGIN (plugin), NULL);

  GListStore *store = g_list_store_new (CANDELA_TYPE_OP);
  g_list_store_splice (store, 0, 0, plugin->ops->pdata, plugin->ops->len);
  return G_LIST_MODEL (store);
}

/**
 * candela_plugin_to_key_file:
 * @plugin: a plugin
 *
 * What the key file beside the plugin's module should say, so that its ops are
 * known without opening it: a group `Plugin` with `Name`, `Version`, `License`
 * and `Description`, and a group `Ops` with a key per op, whose value is the list
 * of the op's operators, often empty.
 *
 * Returns: (transfer full): the text of the key file
 *
 * Since: 1.0
 */
char *
candela_plugin_to_key_file (CandelaPlugin *plugin)
{
  g_return_val_if_fail (CANDELA_IS_PLUGIN (plugin), NULL);

  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_key_file_set_string (file, "Plugin", "Name", plugin->descriptor->name);
  g_key_file_set_string (file, "Plugin", "Version", plugin->descriptor->version);
  g_key_file_set_string (file, "Plugin", "License", plugin->descriptor->license);
  g_key_file_set_string (file, "Plugin", "Description", plugin->descriptor->description);
  for (guint k = 0; k < plugin->ops->len; k++)
    {
      CandelaOp *op = plugin->ops->pdata[k];
      g_auto (GStrv) operators = candela_op_list_operators (op);

      g_key_file_set_string_list (file, "Ops", candela_op_get_name (op), (const char *const *) operators,
                                  g_strv_length (operators));
    }
  return g_key_file_to_data (file, NULL, NULL);
}
