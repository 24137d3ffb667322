/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plugins that are text: a .ops file is a key file with a group for each op, and its
 * plugin has the foreign ops that it describes. What ops there are is read without
 * opening a library. */
#include <candela/op/foreign-private.h>

#include <candela/op/module-private.h>
#include <string.h>

#define GROUP_PREFIX "Op "

/* ---- The file ---- */

static const char *
group_to_op (const char *group)
{
  return g_str_has_prefix (group, GROUP_PREFIX) ? group + strlen (GROUP_PREFIX) : NULL;
}

static gboolean
check_group (GKeyFile *file, const char *group, GError **error)
{
  static const char *const known[] = { "Name", "Version", "License", "Description", "Library", NULL };
  g_autofree char *quoted = candela_quote_for_message (group);
  g_auto (GStrv) keys = NULL;

  if (group_to_op (group) != NULL)
    return TRUE;
  if (strcmp (group, "Plugin") != 0)
    return candela_foreign_fail (error, "group %s is unknown; there are [Plugin] and [Op NAME]", quoted);
  keys = g_key_file_get_keys (file, group, NULL, NULL);
  for (guint k = 0; keys[k] != NULL; k++)
    if (!g_strv_contains (known, keys[k]))
      {
        g_autofree char *key = candela_quote_for_message (keys[k]);
        g_autofree char *all = g_strjoinv (", ", (char **) known);

        return candela_foreign_fail (error, "key %s of [Plugin] is unknown; there are %s", key, all);
      }
  return TRUE;
}

static GKeyFile *
load_file (const char *filename, GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_auto (GStrv) groups = NULL;

  if (!candela_plugin_check_file (filename, error)
      || !g_key_file_load_from_file (file, filename, G_KEY_FILE_NONE, error))
    return NULL;
  groups = g_key_file_get_groups (file, NULL);
  for (guint k = 0; groups[k] != NULL; k++)
    if (!check_group (file, groups[k], error))
      return NULL;
  return g_steal_pointer (&file);
}

GHashTable *
candela_foreign_file_list (const char *filename)
{
  g_autoptr (GKeyFile) file = load_file (filename, NULL);
  g_auto (GStrv) groups = NULL;
  GHashTable *listed;

  if (file == NULL)
    return NULL;
  listed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_strfreev);
  groups = g_key_file_get_groups (file, NULL);
  for (guint k = 0; groups[k] != NULL; k++)
    if (group_to_op (groups[k]) != NULL)
      {
        g_autofree char *operators = g_key_file_get_string (file, groups[k], "Operators", NULL);

        g_hash_table_insert (listed, g_strdup (group_to_op (groups[k])),
                             g_strsplit (operators != NULL ? operators : "", " ", -1));
      }
  return listed;
}

/* ---- Its ops ---- */

/* A key with a value of its own, taken from the others. */
static char *
take (GHashTable *options, const char *key)
{
  char *value = NULL;

  g_hash_table_steal_extended (options, key, NULL, (gpointer *) &value);
  return value;
}

static CandelaForeign *
make_op (GKeyFile *file, const char *group, const char *folder, GError **error)
{
  g_autoptr (GHashTable) options = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  g_auto (GStrv) keys = g_key_file_get_keys (file, group, NULL, NULL);
  g_autofree char *library = NULL, *symbol = NULL, *signature = NULL;
  const char *name = group_to_op (group);

  for (guint k = 0; keys[k] != NULL; k++)
    {
      char *value = g_key_file_get_string (file, group, keys[k], error);

      if (value == NULL)
        return NULL;
      g_hash_table_insert (options, keys[k], value);
    }
  library = take (options, "Library");
  symbol = take (options, "Symbol");
  signature = take (options, "Signature");
  if (library == NULL)
    library = g_key_file_get_string (file, "Plugin", "Library", NULL);
  if (library == NULL || signature == NULL)
    {
      candela_foreign_fail (error, "foreign op \"%s\": there is no key \"%s\"", name,
                            library == NULL ? "Library" : "Signature");
      return NULL;
    }
  return candela_foreign_new (name, library, symbol != NULL ? symbol : name, signature, options, folder, error);
}

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  const char *filename = candela_plugin_get_filename (plugin);
  g_autofree char *folder = g_path_get_dirname (filename);
  g_autoptr (GKeyFile) file = load_file (filename, error);
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func ((GDestroyNotify) candela_foreign_free);
  g_auto (GStrv) groups = NULL;

  if (file == NULL)
    return FALSE;
  groups = g_key_file_get_groups (file, NULL);
  for (guint k = 0; groups[k] != NULL; k++)
    {
      CandelaForeign *foreign;

      if (group_to_op (groups[k]) == NULL)
        continue;
      foreign = make_op (file, groups[k], folder, error);
      if (foreign == NULL)
        return FALSE;
      g_ptr_array_add (made, foreign);
      if (!candela_plugin_add_op (plugin, &foreign->info, error))
        return FALSE;
    }
  if (made->len == 0)
    return candela_foreign_fail (error, "it has no group [Op NAME]");
  /* They live as long as the plugin: for ever. */
  g_ptr_array_set_free_func (made, NULL);
  return TRUE;
}

static const char *
get_fact (GKeyFile *file, const char *key, const char *otherwise)
{
  g_autofree char *value = g_key_file_get_string (file, "Plugin", key, NULL);

  return g_intern_string (value != NULL && *value != '\0' ? value : otherwise);
}

const CandelaPluginDescriptor *
candela_foreign_file_read (const char *filename, GError **error)
{
  /* By file, under candela_plugin_lock: one that is refused may be tried again. */
  static GHashTable *descriptors;
  g_autoptr (GKeyFile) file = load_file (filename, error);
  g_autofree char *name = candela_plugin_name_from_filename (filename);
  CandelaPluginDescriptor *descriptor;

  if (file == NULL)
    return NULL;
  if (descriptors == NULL)
    descriptors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  descriptor = g_hash_table_lookup (descriptors, filename);
  if (descriptor == NULL)
    {
      descriptor = g_new0 (CandelaPluginDescriptor, 1);
      g_hash_table_insert (descriptors, g_strdup (filename), descriptor);
    }
  descriptor->name = get_fact (file, "Name", name);
  descriptor->version = get_fact (file, "Version", "0");
  descriptor->license = get_fact (file, "License", "NOASSERTION");
  descriptor->description = get_fact (file, "Description", "Functions of shared libraries");
  descriptor->register_ops = register_ops;
  if (strcmp (descriptor->name, name) == 0)
    return descriptor;
  candela_foreign_fail (error, "its Name is \"%s\"; the name of the file says \"%s\"", descriptor->name, name);
  return NULL;
}
