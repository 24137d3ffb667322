/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes, while Candela is built, what is made from the plugins that it ships:
 * the key file beside each module, and the header with a typed call for each op.
 * Both are taken from what a module registers, so that neither can say something
 * else. Not installed. */
#include "plugin-info.h"

static GPtrArray *
load_plugins (char **filenames, GError **error)
{
  g_autoptr (CandelaRegistry) registry = candela_registry_new ("");
  g_autoptr (GPtrArray) plugins = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; filenames[i] != NULL; i++)
    {
      CandelaPlugin *plugin = candela_registry_load_file (registry, filenames[i], error);

      if (plugin == NULL)
        return NULL;
      g_ptr_array_add (plugins, plugin);
    }
  return g_steal_pointer (&plugins);
}

int
main (int argc, char **argv)
{
  gboolean key_file = FALSE, ops_header = FALSE;
  g_auto (GStrv) filenames = NULL;
  const GOptionEntry entries[] = {
    { "key-file", 0, 0, G_OPTION_ARG_NONE, &key_file, "Write the key file of the module", NULL },
    { "ops-header", 0, 0, G_OPTION_ARG_NONE, &ops_header, "Write the header with the ops of the modules", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &filenames, NULL, "MODULE.so…" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GPtrArray) plugins = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  /* A build leaves nothing behind, and its own modules are what it is about. */
  g_setenv ("CANDELA_REGISTRY", "", TRUE);
  g_setenv ("CANDELA_PLUGIN_SCAN", "no", TRUE);

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      g_printerr ("plugin-info: %s\n", error->message);
      return 2;
    }
  if (key_file == ops_header || filenames == NULL || (key_file && filenames[1] != NULL))
    {
      g_printerr ("usage: plugin-info --key-file MODULE.so | --ops-header MODULE.so…\n");
      return 2;
    }

  plugins = load_plugins (filenames, &error);
  if (plugins == NULL)
    {
      g_printerr ("plugin-info: %s\n", error->message);
      return 1;
    }
  text = key_file ? candela_plugin_to_key_file (plugins->pdata[0]) : plugin_info_ops_header (plugins);
  g_print ("%s", text);
  return 0;
}
