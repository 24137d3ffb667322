/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * candela inspect: what there is. Everything that is told of an op comes from
 * candela_op_describe(), whatever keys it has, so that a new fact shows without
 * a change here. */
#include "common.h"
#include "facts.h"

#include <json-glib/json-glib.h>
#include <string.h>

static const ToolCommand command = {
  "inspect", "[PLUGIN | OP | MODULE.so | FILE.ops]", "Lists plugins and ops, or tells all that one of them declares.",
  "An op is given by its name or its operator. A plugin is given by its name, or by the path of its module or .ops "
  "file.\n"
  "Without an argument everything is listed, and at the end what was found but could not be used, with the\n"
  "reason. Where two plugins have an op of one name, the first in the search path gives it.\n"
  "\n"
  "Examples:\n"
  "  candela inspect\n"
  "  candela inspect reduce\n"
  "  candela inspect sum --json\n"
  "  candela inspect '@'\n"
  "  candela inspect --exists softmax && echo yes\n"
  "  candela inspect --atleast-version 1.2 mine\n"
  "  candela inspect --key-file ./mine.so > mine.plugin\n"
};

static void
add_text (GVariantBuilder *builder, const char *key, const char *text)
{
  g_variant_builder_add (builder, "{sv}", key, g_variant_new_string (text != NULL ? text : ""));
}

static GVariant *
describe_ops (CandelaRegistry *registry, GListModel *ops)
{
  GVariantBuilder list;

  g_variant_builder_init (&list, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < g_list_model_get_n_items (ops); i++)
    {
      g_autoptr (CandelaOp) op = g_list_model_get_item (ops, i);
      g_auto (GStrv) operators = candela_op_list_operators (op);
      g_autoptr (CandelaOp) used = candela_registry_lookup_op (registry, candela_op_get_name (op), NULL);
      GVariantBuilder item;

      g_variant_builder_init (&item, G_VARIANT_TYPE_VARDICT);
      add_text (&item, "name", candela_op_get_name (op));
      add_text (&item, "summary", candela_op_get_summary (op));
      g_variant_builder_add (&item, "{sv}", "operators", g_variant_new_strv ((const char *const *) operators, -1));
      if (used != op)
        add_text (&item, "hidden-by", used != NULL ? candela_op_get_plugin_name (used) : "");
      g_variant_builder_add_value (&list, g_variant_builder_end (&item));
    }
  return g_variant_builder_end (&list);
}

static GVariant *
describe_plugin (CandelaRegistry *registry, CandelaPlugin *plugin)
{
  g_autoptr (GListModel) ops = candela_plugin_list_ops (plugin);
  g_autofree char *filename = g_filename_display_name (candela_plugin_get_filename (plugin));
  g_autoptr (GVariant) served_by = candela_plugin_describe (plugin);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  add_text (&builder, "name", candela_plugin_get_name (plugin));
  add_text (&builder, "version", candela_plugin_get_version (plugin));
  add_text (&builder, "license", candela_plugin_get_license (plugin));
  add_text (&builder, "description", candela_plugin_get_description (plugin));
  add_text (&builder, "filename", filename);
  g_variant_builder_add (&builder, "{sv}", "served-by", served_by);
  g_variant_builder_add (&builder, "{sv}", "ops", describe_ops (registry, ops));
  return g_variant_builder_end (&builder);
}

static GVariant *
describe_all (CandelaRegistry *registry)
{
  g_autoptr (GListModel) plugins = candela_registry_list_plugins (registry);
  g_auto (GStrv) refused = candela_registry_list_refused (registry);
  GVariantBuilder builder, list;

  g_variant_builder_init (&list, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < g_list_model_get_n_items (plugins); i++)
    {
      g_autoptr (CandelaPlugin) plugin = g_list_model_get_item (plugins, i);

      g_variant_builder_add_value (&list, describe_plugin (registry, plugin));
    }
  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "plugins", g_variant_builder_end (&list));
  g_variant_builder_add (&builder, "{sv}", "refused", g_variant_new_strv ((const char *const *) refused, -1));
  return g_variant_builder_end (&builder);
}

static char *
to_json (GVariant *variant)
{
  g_autoptr (JsonNode) root = json_gvariant_serialize (variant);

  return json_to_string (root, TRUE);
}

/* From here on: the same variants as text. */

static void
print_op_lines (GString *out, GVariant *ops)
{
  g_autoptr (GVariant) op = NULL;
  GVariantIter iter;

  g_variant_iter_init (&iter, ops);
  while ((op = g_variant_iter_next_value (&iter)) != NULL)
    {
      const char *hidden_by = tool_facts_get_text (op, "hidden-by");

      g_string_append_printf (out, "  %-20s %s", tool_facts_get_text (op, "name"), tool_facts_get_text (op, "summary"));
      if (*hidden_by != '\0')
        g_string_append_printf (out, " (that of %s is used)", hidden_by);
      g_string_append_c (out, '\n');
      g_clear_pointer (&op, g_variant_unref);
    }
}

/* What serves it on this machine, as it says itself. */
static void
print_served_by (GString *out, GVariant *plugin)
{
  g_autoptr (GVariant) facts = g_variant_lookup_value (plugin, "served-by", G_VARIANT_TYPE ("a{ss}"));
  const char *name, *text;
  GVariantIter iter;

  g_variant_iter_init (&iter, facts);
  while (g_variant_iter_next (&iter, "{&s&s}", &name, &text))
    g_string_append_printf (out, "%s:%*s%s\n", name, (int) MAX (1, 8 - (int) strlen (name)), "", text);
}

static void
print_plugin (GString *out, GVariant *plugin, gboolean details)
{
  g_autoptr (GVariant) ops = g_variant_lookup_value (plugin, "ops", G_VARIANT_TYPE ("aa{sv}"));

  g_string_append_printf (out, "%s %s: %s\n", tool_facts_get_text (plugin, "name"),
                          tool_facts_get_text (plugin, "version"), tool_facts_get_text (plugin, "description"));
  if (details)
    g_string_append_printf (out, "licence: %s\nmodule:  %s\nops:     %" G_GSIZE_FORMAT "\n",
                            tool_facts_get_text (plugin, "license"), tool_facts_get_text (plugin, "filename"),
                            g_variant_n_children (ops));
  print_served_by (out, plugin);
  if (details)
    g_string_append_c (out, '\n');
  print_op_lines (out, ops);
}

static void
print_all (GString *out, GVariant *all)
{
  g_autoptr (GVariant) plugins = g_variant_lookup_value (all, "plugins", G_VARIANT_TYPE ("aa{sv}"));
  g_autofree const char **refused = NULL;

  for (gsize i = 0; i < g_variant_n_children (plugins); i++)
    {
      g_autoptr (GVariant) plugin = g_variant_get_child_value (plugins, i);

      print_plugin (out, plugin, FALSE);
      g_string_append_c (out, '\n');
    }
  if (g_variant_n_children (plugins) == 0)
    g_string_append (out, "no plugin found\n");
  g_variant_lookup (all, "refused", "^a&s", &refused);
  if (refused != NULL && refused[0] != NULL)
    g_string_append (out, "refused:\n");
  for (gsize i = 0; refused != NULL && refused[i] != NULL; i++)
    g_string_append_printf (out, "  %s\n", refused[i]);
}

/* A value in a line. */
static void
print_value (GString *out, GVariant *value)
{
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    g_string_append (out, g_variant_get_string (value, NULL));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    g_string_append (out, g_variant_get_boolean (value) ? "yes" : "no");
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_DOUBLE))
    g_string_append_printf (out, "%.15g", g_variant_get_double (value));
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING_ARRAY))
    {
      g_autofree const char **words = g_variant_get_strv (value, NULL);
      g_autofree char *joined = g_strjoinv (", ", (char **) words);

      g_string_append (out, joined);
    }
  else
    {
      g_autofree char *text = g_variant_print (value, FALSE);

      g_string_append (out, text);
    }
}

/* "axis   list of int; default: none: the axes to sum over" */
static void
print_row (GString *out, GVariant *row)
{
  GVariantIter iter;
  const char *key, *separator = "";
  GVariant *value;

  g_string_append_printf (out, "  %-14s ", tool_facts_get_text (row, "name"));
  g_variant_iter_init (&iter, row);
  while (g_variant_iter_next (&iter, "{&sv}", &key, &value))
    {
      gboolean plain = strcmp (key, "need") == 0 || strcmp (key, "type") == 0;
      gboolean no = g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN) && !g_variant_get_boolean (value);
      gboolean apart = strcmp (key, "name") == 0 || strcmp (key, "summary") == 0 || strcmp (key, "gradient") == 0;

      if (!apart && !no)
        {
          g_string_append_printf (out, "%s%s%s", separator, plain ? "" : key,
                                  plain || g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN) ? "" : ": ");
          if (!g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
            print_value (out, value);
          separator = "; ";
        }
      g_variant_unref (value);
    }
  g_string_append_c (out, '\n');
  if (*tool_facts_get_text (row, "summary") != '\0')
    g_string_append_printf (out, "  %-14s %s\n", "", tool_facts_get_text (row, "summary"));
  if (*tool_facts_get_text (row, "gradient") != '\0')
    g_string_append_printf (out, "  %-14s gradient: %s\n", "", tool_facts_get_text (row, "gradient"));
}

static void
print_fact (GString *out, const char *key, GVariant *value)
{
  if (g_variant_is_container (value) && g_variant_n_children (value) == 0)
    return;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE ("aa{sv}")))
    {
      g_string_append_printf (out, "%s:\n", key);
      for (gsize i = 0; i < g_variant_n_children (value); i++)
        {
          g_autoptr (GVariant) row = g_variant_get_child_value (value, i);

          print_row (out, row);
        }
    }
  else if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING_ARRAY) && g_variant_n_children (value) > 4)
    {
      g_autofree const char **words = g_variant_get_strv (value, NULL);

      g_string_append_printf (out, "%s:\n", key);
      for (gsize i = 0; words[i] != NULL; i++)
        g_string_append_printf (out, "  %s\n", words[i]);
    }
  else
    {
      g_string_append_printf (out, "%s:%*s", key, (int) MAX (1, 16 - (int) strlen (key)), "");
      print_value (out, value);
      g_string_append_c (out, '\n');
    }
}

/* Under the signature. */
static const char *const in_head[] = { "name", "summary", "formula", NULL };

static void
print_head (GString *out, GVariant *facts)
{
  tool_facts_append_signature (out, facts);
  for (guint k = 1; in_head[k] != NULL; k++)
    {
      g_auto (GStrv) lines = g_strsplit (tool_facts_get_text (facts, in_head[k]), "\n", -1);

      for (guint i = 0; lines[i] != NULL; i++)
        g_string_append_printf (out, "%s  %s", i == 0 && k > 1 ? "\n\n" : "\n", lines[i]);
    }
  g_string_append (out, "\n\n");
}

static void
print_op (GString *out, GVariant *facts)
{
  GVariantIter iter;
  const char *key;
  GVariant *value;

  print_head (out, facts);
  g_variant_iter_init (&iter, facts);
  while (g_variant_iter_next (&iter, "{&sv}", &key, &value))
    {
      if (!g_strv_contains (in_head, key))
        print_fact (out, key, value);
      g_variant_unref (value);
    }
}

/* The names of the plugins that have an op of that name too, and do not give it. */
static GVariant *
list_hidden (CandelaRegistry *registry, CandelaOp *op)
{
  g_autoptr (GListModel) plugins = candela_registry_list_plugins (registry);
  GVariantBuilder names;

  g_variant_builder_init (&names, G_VARIANT_TYPE_STRING_ARRAY);
  for (guint i = 0; i < g_list_model_get_n_items (plugins); i++)
    {
      g_autoptr (CandelaPlugin) plugin = g_list_model_get_item (plugins, i);
      g_autoptr (GListModel) ops = candela_plugin_list_ops (plugin);

      for (guint k = 0; k < g_list_model_get_n_items (ops); k++)
        {
          g_autoptr (CandelaOp) other = g_list_model_get_item (ops, k);

          if (other != op && strcmp (candela_op_get_name (other), candela_op_get_name (op)) == 0)
            g_variant_builder_add (&names, "s", candela_plugin_get_name (plugin));
        }
    }
  return g_variant_builder_end (&names);
}

/* What an op declares, and which plugins have one of its name that it hides. */
static GVariant *
describe_op (CandelaRegistry *registry, CandelaOp *op)
{
  g_autoptr (GVariant) facts = candela_op_describe (op);
  GVariantBuilder all;

  g_variant_builder_init (&all, G_VARIANT_TYPE_VARDICT);
  for (gsize i = 0; i < g_variant_n_children (facts); i++)
    {
      g_autoptr (GVariant) fact = g_variant_get_child_value (facts, i);

      g_variant_builder_add_value (&all, fact);
    }
  g_variant_builder_add (&all, "{sv}", "hides-those-of", list_hidden (registry, op));
  return g_variant_ref_sink (g_variant_builder_end (&all));
}

/* What the argument names, described; is_op says what it is. */
static GVariant *
describe_named (CandelaRegistry *registry, const char *name, gboolean *is_op, GError **error)
{
  g_autoptr (CandelaOp) op = NULL;
  CandelaPlugin *plugin;

  *is_op = FALSE;
  if (tool_is_plugin_file (name))
    {
      plugin = candela_registry_load_file (registry, name, error);
      return plugin != NULL ? g_variant_ref_sink (describe_plugin (registry, plugin)) : NULL;
    }

  plugin = candela_registry_lookup_plugin (registry, name, NULL);
  op = tool_find_op (registry, name, error);
  if (op != NULL)
    {
      *is_op = TRUE;
      return describe_op (registry, op);
    }
  if (plugin == NULL)
    return NULL;
  g_clear_error (error);
  return g_variant_ref_sink (describe_plugin (registry, plugin));
}

/* Only what was found and is not used. */
static char *
format_refused (GVariant *all, gboolean json)
{
  g_autoptr (GVariant) refused = g_variant_lookup_value (all, "refused", G_VARIANT_TYPE_STRING_ARRAY);
  GString *out;

  if (json)
    return to_json (refused);
  out = g_string_new (NULL);
  for (gsize i = 0; i < g_variant_n_children (refused); i++)
    {
      g_autoptr (GVariant) message = g_variant_get_child_value (refused, i);

      g_string_append_printf (out, "%s\n", g_variant_get_string (message, NULL));
    }
  return g_string_free (out, FALSE);
}

/* Negative, 0 or positive: numbers as numbers, what is missing as 0. */
static int
compare_versions (const char *a, const char *b)
{
  g_auto (GStrv) left = g_strsplit (a, ".", -1);
  g_auto (GStrv) right = g_strsplit (b, ".", -1);
  guint n_left = g_strv_length (left), n_right = g_strv_length (right);

  for (guint k = 0; k < MAX (n_left, n_right); k++)
    {
      const char *x = k < n_left ? left[k] : "0", *y = k < n_right ? right[k] : "0";
      char *x_rest, *y_rest;
      guint64 x_number = g_ascii_strtoull (x, &x_rest, 10), y_number = g_ascii_strtoull (y, &y_rest, 10);
      int order = x_number != y_number ? (x_number > y_number ? 1 : -1) : strcmp (x_rest, y_rest);

      if (order != 0)
        return order;
    }
  return 0;
}

/* Silent: 0 if there is such a plugin or op, of that version or a later one; else 1. */
static int
exists (CandelaRegistry *registry, const char *name, const char *version)
{
  gboolean is_file = tool_is_plugin_file (name);
  CandelaPlugin *plugin =
    is_file ? candela_registry_load_file (registry, name, NULL) : candela_registry_lookup_plugin (registry, name, NULL);
  g_autoptr (CandelaOp) op = plugin == NULL && !is_file ? tool_find_op (registry, name, NULL) : NULL;

  if (op != NULL)
    plugin = candela_registry_lookup_plugin (registry, candela_op_get_plugin_name (op), NULL);
  if (plugin == NULL && op == NULL)
    return TOOL_EXIT_ERROR;
  return version == NULL || (plugin != NULL && compare_versions (candela_plugin_get_version (plugin), version) >= 0)
           ? TOOL_EXIT_FINE
           : TOOL_EXIT_ERROR;
}

/* The file that is to stand beside a plugin's module. */
static int
print_key_file (CandelaRegistry *registry, const char *name)
{
  gboolean path = tool_is_plugin_file (name);
  GError *error = NULL;
  CandelaPlugin *plugin = path ? candela_registry_load_file (registry, name, &error)
                               : candela_registry_lookup_plugin (registry, name, &error);
  g_autofree char *text = plugin != NULL ? candela_plugin_to_key_file (plugin) : NULL;

  return text != NULL && tool_print (text, &error) ? TOOL_EXIT_FINE : tool_fail (error);
}

static char *
format_facts (GVariant *facts, gboolean all, gboolean op)
{
  GString *out = g_string_new (NULL);

  if (all)
    print_all (out, facts);
  else if (op)
    print_op (out, facts);
  else
    print_plugin (out, facts, TRUE);
  return g_string_free (out, FALSE);
}

/* What the options ask for, and whether they go together. */
typedef struct
{
  gboolean json, key_file, blacklist, exists;
  char *version;
  GStrv names;
} Request;

static const char *
find_fault (const Request *request)
{
  guint n = request->names != NULL ? g_strv_length (request->names) : 0;
  gboolean asks = request->exists || request->version != NULL;

  if (n > 1)
    return "one plugin or op at a time";
  if (request->key_file && (request->json || n == 0))
    return "--key-file needs a plugin, and is text";
  if (asks && n == 0)
    return "--exists and --atleast-version need the name of a plugin or op";
  if (request->blacklist && n > 0)
    return "--blacklist goes without a name";
  if (request->key_file + request->blacklist + asks > 1 || (asks && request->json))
    return "--key-file, --blacklist, and --exists or --atleast-version are asked for one at a time";
  return NULL;
}

static char *
answer (CandelaRegistry *registry, const Request *request, GError **error)
{
  const char *name = request->names != NULL ? request->names[0] : NULL;
  g_autoptr (GVariant) facts = NULL;
  gboolean op = FALSE;

  if (name != NULL)
    facts = describe_named (registry, name, &op, error);
  else
    facts = g_variant_ref_sink (describe_all (registry));
  if (facts == NULL)
    return NULL;
  if (request->blacklist)
    return format_refused (facts, request->json);
  return request->json ? to_json (facts) : format_facts (facts, name == NULL, op);
}

static int
inspect (const Request *request)
{
  CandelaRegistry *registry = candela_registry_get_default ();
  const char *fault = find_fault (request);
  g_autofree char *text = NULL;
  GError *error = NULL;

  if (fault != NULL)
    return tool_fail_usage (command.name, "%s", fault);
  if (request->key_file)
    return print_key_file (registry, request->names[0]);
  if (request->exists || request->version != NULL)
    return exists (registry, request->names[0], request->version);
  text = answer (registry, request, &error);
  if (text == NULL || !tool_print (text, &error) || (request->json && !tool_print ("\n", &error)))
    return tool_fail (error);
  return TOOL_EXIT_FINE;
}

int
tool_inspect (int argc, char **argv)
{
  Request request = { 0 };
  int status = TOOL_EXIT_FINE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &request.json, "Print JSON", NULL },
    { "key-file", 0, 0, G_OPTION_ARG_NONE, &request.key_file, "Print the key file of a plugin", NULL },
    { "blacklist", 0, 0, G_OPTION_ARG_NONE, &request.blacklist, "List what was found and is not used, and why", NULL },
    { "exists", 0, 0, G_OPTION_ARG_NONE, &request.exists,
      "Tell only by the exit status whether there is such a plugin or op", NULL },
    { "atleast-version", 0, 0, G_OPTION_ARG_STRING, &request.version,
      "As --exists, and the plugin is of VERSION or a later one", "VERSION" },
    G_OPTION_ENTRY_NULL,
  };

  if (tool_parse_options (&command, entries, argc, argv, &request.names, &status))
    status = inspect (&request);
  g_strfreev (request.names);
  g_free (request.version);
  return status;
}
