/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * candela inspect: what there is. Everything that is told of an op comes from
 * candela_op_describe(), whatever keys it has, so that a new fact shows without
 * a change here. */
#include "common.h"

#include <json-glib/json-glib.h>
#include <string.h>

static const ToolCommand command = {
  "inspect", "[PLUGIN | OP | MODULE.so]", "Lists plugins and ops, or tells all that one of them declares.",
  "An op is given by its name or its operator. A plugin is given by its name, or by the path of its module.\n"
  "Without an argument everything is listed, and at the end what was found but could not be used, with the\n"
  "reason.\n"
  "\n"
  "Examples:\n"
  "  candela inspect\n"
  "  candela inspect reduce\n"
  "  candela inspect sum --json\n"
  "  candela inspect '@'\n"
  "  candela inspect --key-file ./mine.so > mine.plugin\n"
};

static void
add_text (GVariantBuilder *builder, const char *key, const char *text)
{
  g_variant_builder_add (builder, "{sv}", key, g_variant_new_string (text != NULL ? text : ""));
}

static GVariant *
describe_ops (GListModel *ops)
{
  GVariantBuilder list;

  g_variant_builder_init (&list, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < g_list_model_get_n_items (ops); i++)
    {
      g_autoptr (CandelaOp) op = g_list_model_get_item (ops, i);
      g_auto (GStrv) operators = candela_op_list_operators (op);
      GVariantBuilder item;

      g_variant_builder_init (&item, G_VARIANT_TYPE_VARDICT);
      add_text (&item, "name", candela_op_get_name (op));
      add_text (&item, "summary", candela_op_get_summary (op));
      g_variant_builder_add (&item, "{sv}", "operators", g_variant_new_strv ((const char *const *) operators, -1));
      g_variant_builder_add_value (&list, g_variant_builder_end (&item));
    }
  return g_variant_builder_end (&list);
}

static GVariant *
describe_plugin (CandelaPlugin *plugin)
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
  g_variant_builder_add (&builder, "{sv}", "ops", describe_ops (ops));
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

      g_variant_builder_add_value (&list, describe_plugin (plugin));
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

static const char *
find_text (GVariant *dictionary, const char *key)
{
  const char *text = "";

  g_variant_lookup (dictionary, key, "&s", &text);
  return text;
}

static void
print_op_lines (GString *out, GVariant *ops)
{
  g_autoptr (GVariant) op = NULL;
  GVariantIter iter;

  g_variant_iter_init (&iter, ops);
  while ((op = g_variant_iter_next_value (&iter)) != NULL)
    {
      g_string_append_printf (out, "  %-20s %s\n", find_text (op, "name"), find_text (op, "summary"));
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

  g_string_append_printf (out, "%s %s: %s\n", find_text (plugin, "name"), find_text (plugin, "version"),
                          find_text (plugin, "description"));
  if (details)
    g_string_append_printf (out, "licence: %s\nmodule:  %s\nops:     %" G_GSIZE_FORMAT "\n",
                            find_text (plugin, "license"), find_text (plugin, "filename"), g_variant_n_children (ops));
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

/* "sum (x, axis=none, keepdims=false)" */
static void
print_signature (GString *out, GVariant *facts)
{
  static const char *const tables[] = { "inputs", "params" };
  const char *separator = "";

  g_string_append_printf (out, "%s (", find_text (facts, "name"));
  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    {
      g_autoptr (GVariant) rows = g_variant_lookup_value (facts, tables[t], G_VARIANT_TYPE ("aa{sv}"));

      for (gsize i = 0; rows != NULL && i < g_variant_n_children (rows); i++)
        {
          g_autoptr (GVariant) row = g_variant_get_child_value (rows, i);
          const char *need = find_text (row, "need");
          const char *by_default = *find_text (row, "default") != '\0' ? find_text (row, "default") : "none";
          gboolean required = FALSE;

          g_variant_lookup (row, "required", "b", &required);
          g_string_append_printf (out, "%s%s", separator, find_text (row, "name"));
          if (t == 0)
            g_string_append (out, strcmp (need, "variadic") == 0 ? "…" : strcmp (need, "optional") == 0 ? "=none" : "");
          else if (!required)
            g_string_append_printf (out, "=%s", by_default);
          separator = ", ";
        }
    }
  g_string_append_printf (out, ")\n  %s\n\n", find_text (facts, "summary"));
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

  g_string_append_printf (out, "  %-14s ", find_text (row, "name"));
  g_variant_iter_init (&iter, row);
  while (g_variant_iter_next (&iter, "{&sv}", &key, &value))
    {
      gboolean plain = strcmp (key, "need") == 0 || strcmp (key, "type") == 0;
      gboolean no = g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN) && !g_variant_get_boolean (value);

      if (strcmp (key, "name") != 0 && strcmp (key, "summary") != 0 && !no)
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
  if (*find_text (row, "summary") != '\0')
    g_string_append_printf (out, "  %-14s %s\n", "", find_text (row, "summary"));
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

static void
print_op (GString *out, GVariant *facts)
{
  GVariantIter iter;
  const char *key;
  GVariant *value;

  print_signature (out, facts);
  g_variant_iter_init (&iter, facts);
  while (g_variant_iter_next (&iter, "{&sv}", &key, &value))
    {
      if (strcmp (key, "name") != 0 && strcmp (key, "summary") != 0)
        print_fact (out, key, value);
      g_variant_unref (value);
    }
}

/* An op by name or by operator, or NULL with the error of the name. */
static CandelaOp *
find_op (CandelaRegistry *registry, const char *name, GError **error)
{
  static const char *const positions[] = { "infix:", "prefix:", "index:", "attribute:" };
  CandelaOp *op = NULL;

  if (g_ascii_isalnum (*name) || *name == '_')
    return candela_registry_lookup_op (registry, name, error);
  for (guint i = 0; i < G_N_ELEMENTS (positions) && op == NULL; i++)
    {
      g_autofree char *symbol = g_strconcat (positions[i], name, NULL);

      g_clear_error (error);
      op = candela_registry_lookup_operator (registry, symbol, error);
    }
  return op;
}

/* What the argument names, described; is_op says what it is. */
static GVariant *
describe_named (CandelaRegistry *registry, const char *name, gboolean *is_op, GError **error)
{
  CandelaPlugin *plugin;
  CandelaOp *op;

  *is_op = FALSE;
  if (strchr (name, '/') != NULL || g_str_has_suffix (name, ".so"))
    {
      plugin = candela_registry_load_file (registry, name, error);
      return plugin != NULL ? g_variant_ref_sink (describe_plugin (plugin)) : NULL;
    }

  plugin = candela_registry_lookup_plugin (registry, name, NULL);
  op = find_op (registry, name, error);
  if (op != NULL)
    {
      *is_op = TRUE;
      return candela_op_describe (op);
    }
  if (plugin == NULL)
    return NULL;
  g_clear_error (error);
  return g_variant_ref_sink (describe_plugin (plugin));
}

/* The file that is to stand beside a plugin's module. */
static int
print_key_file (CandelaRegistry *registry, const char *name)
{
  gboolean path = strchr (name, '/') != NULL || g_str_has_suffix (name, ".so");
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

int
tool_inspect (int argc, char **argv)
{
  CandelaRegistry *registry = candela_registry_get_default ();
  g_auto (GStrv) names = NULL;
  g_autoptr (GVariant) facts = NULL;
  g_autofree char *text = NULL;
  GError *error = NULL;
  gboolean json = FALSE, key_file = FALSE, op = FALSE;
  int status = TOOL_EXIT_FINE;
  const GOptionEntry entries[] = {
    { "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print JSON", NULL },
    { "key-file", 0, 0, G_OPTION_ARG_NONE, &key_file, "Print the key file of a plugin", NULL },
    G_OPTION_ENTRY_NULL,
  };

  if (!tool_parse_options (&command, entries, argc, argv, &names, &status))
    return status;
  if (g_strv_length (names) > 1)
    return tool_fail_usage (command.name, "one plugin or op at a time");
  if (key_file && (json || names[0] == NULL))
    return tool_fail_usage (command.name, "--key-file needs a plugin, and is text");
  if (key_file)
    return print_key_file (registry, names[0]);

  facts =
    names[0] == NULL ? g_variant_ref_sink (describe_all (registry)) : describe_named (registry, names[0], &op, &error);
  if (facts == NULL)
    return tool_fail (error);
  text = json ? to_json (facts) : format_facts (facts, names[0] == NULL, op);
  if (!tool_print (text, &error) || (json && !tool_print ("\n", &error)))
    return tool_fail (error);
  return TOOL_EXIT_FINE;
}
