/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * candela reference: a page for each op, made of what the registry has, and one that
 * lists them. */
#include "common.h"
#include "facts.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

static const ToolCommand command = {
  "reference", "[PLUGIN | OP | MODULE.so | FILE.ops…]",
  "Writes a page of Markdown for each op: formula, example, parameters, dtypes and facts.",
  "The example is run: what the page shows is what it printed. Without an argument all ops have a page. They\n"
  "are printed one after the other, or written into a folder, as op-NAME.md, with ops.md, which lists them.\n"
  "\n"
  "Examples:\n"
  "  candela reference softmax\n"
  "  candela reference ./mine.so --output docs\n"
};

/* An op and the plugin that has it. */
typedef struct
{
  CandelaOp *op;
  CandelaPlugin *plugin;
} Entry;

static void
clear_entry (gpointer data)
{
  Entry *entry = data;

  g_object_unref (entry->op);
  g_object_unref (entry->plugin);
}

/* Its ops; of those that another plugin has too, only what is used if all are not wanted. */
static void
add_plugin (GArray *entries, CandelaRegistry *registry, CandelaPlugin *plugin, gboolean hidden_too)
{
  g_autoptr (GListModel) ops = candela_plugin_list_ops (plugin);

  for (guint k = 0; k < g_list_model_get_n_items (ops); k++)
    {
      Entry entry = { g_list_model_get_item (ops, k), g_object_ref (plugin) };
      g_autoptr (CandelaOp) used = candela_registry_lookup_op (registry, candela_op_get_name (entry.op), NULL);

      if (hidden_too || used == entry.op)
        g_array_append_val (entries, entry);
      else
        clear_entry (&entry);
    }
}

static gboolean
add_named (GArray *entries, CandelaRegistry *registry, const char *name, GError **error)
{
  gboolean file = tool_is_plugin_file (name);
  CandelaPlugin *plugin =
    file ? candela_registry_load_file (registry, name, error) : candela_registry_lookup_plugin (registry, name, NULL);
  g_autoptr (CandelaOp) op = file ? NULL : tool_find_op (registry, name, plugin == NULL ? error : NULL);
  const char *plugin_name = op != NULL ? candela_op_get_plugin_name (op) : NULL;

  if (op == NULL && plugin != NULL)
    add_plugin (entries, registry, plugin, TRUE);
  else if (plugin_name != NULL)
    {
      plugin = candela_registry_lookup_plugin (registry, plugin_name, error);
      if (plugin != NULL)
        g_array_append_val (entries, ((Entry){ g_object_ref (op), g_object_ref (plugin) }));
    }
  return plugin != NULL;
}

static gboolean
add_all (GArray *entries, CandelaRegistry *registry, char **names, GError **error)
{
  g_autoptr (GListModel) plugins = NULL;

  for (guint k = 0; names != NULL && names[k] != NULL; k++)
    if (!add_named (entries, registry, names[k], error))
      return FALSE;
  if (names != NULL && names[0] != NULL)
    return TRUE;
  plugins = candela_registry_list_plugins (registry);
  for (guint k = 0; k < g_list_model_get_n_items (plugins); k++)
    {
      g_autoptr (CandelaPlugin) plugin = g_list_model_get_item (plugins, k);

      add_plugin (entries, registry, plugin, FALSE);
    }
  return TRUE;
}

/* "`+`" behind the name of an op that has operators. */
static void
append_operators (GString *out, CandelaOp *op)
{
  g_auto (GStrv) operators = candela_op_list_operators (op);

  for (guint k = 0; operators[k] != NULL; k++)
    {
      const char *symbol = strchr (operators[k], ':');

      g_string_append (out, " <code>");
      tool_reference_append_escaped (out, symbol != NULL ? symbol + 1 : operators[k]);
      g_string_append (out, "</code>");
    }
}

static char *
make_index (const GArray *entries)
{
  GString *out = g_string_new ("# The ops\n\nBy the plugins that have them.\n");
  CandelaPlugin *last = NULL;

  for (guint k = 0; k < entries->len; k++)
    {
      const Entry *entry = &g_array_index (entries, Entry, k);
      const char *name = candela_op_get_name (entry->op);

      if (entry->plugin != last)
        {
          g_string_append_printf (out, "\n## %s\n\n", candela_plugin_get_name (entry->plugin));
          tool_reference_append_escaped (out, candela_plugin_get_description (entry->plugin));
          g_string_append (out, ".\n\n| | |\n|---|---|\n");
        }
      last = entry->plugin;
      g_string_append_printf (out, "| [%s](op-%s.md)", name, name);
      append_operators (out, entry->op);
      g_string_append (out, " | ");
      tool_reference_append_escaped (out, candela_op_get_summary (entry->op));
      g_string_append (out, " |\n");
    }
  return g_string_free (out, FALSE);
}

static gboolean
write_page (const char *folder, const char *name, const char *text, GError **error)
{
  g_autofree char *path = g_strdup_printf ("%s/%s.md", folder, name);

  return tool_write_text (path, text, error);
}

static gboolean
make_pages (const GArray *entries, const char *folder, GError **error)
{
  g_autofree char *index = folder != NULL ? make_index (entries) : NULL;

  if (folder != NULL && g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "%s: %s", folder, g_strerror (errno));
      return FALSE;
    }
  for (guint k = 0; k < entries->len; k++)
    {
      const Entry *entry = &g_array_index (entries, Entry, k);
      g_autofree char *name = g_strconcat ("op-", candela_op_get_name (entry->op), NULL);
      g_autofree char *page = tool_reference_page (entry->op, entry->plugin, error);

      if (page == NULL
          || (folder != NULL ? !write_page (folder, name, page, error)
                             : (k > 0 && !tool_print ("\n", error)) || !tool_print (page, error)))
        return FALSE;
    }
  return folder == NULL || write_page (folder, "ops", index, error);
}

int
tool_reference (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  g_auto (GStrv) names = NULL;
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  GError *error = NULL;
  int status = TOOL_EXIT_FINE;
  const GOptionEntry options[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &folder, "Write the pages into FOLDER", "FOLDER" },
    G_OPTION_ENTRY_NULL,
  };

  g_array_set_clear_func (entries, clear_entry);
  if (!tool_parse_options (&command, options, argc, argv, &names, &status))
    return status;
  if (!add_all (entries, candela_registry_get_default (), names, &error) || !make_pages (entries, folder, &error))
    return tool_fail (error);
  return TOOL_EXIT_FINE;
}
