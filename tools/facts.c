/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What candela_op_describe() says, for the subcommands that tell it, and what a word of
 * the command line means. */
#include "facts.h"

#include <string.h>

const char *
tool_facts_get_text (GVariant *facts, const char *key)
{
  const char *text = "";

  g_variant_lookup (facts, key, "&s", &text);
  return text;
}

void
tool_facts_append_signature (GString *out, GVariant *facts)
{
  static const char *const tables[] = { "inputs", "params" };
  const char *separator = "";

  g_string_append_printf (out, "%s (", tool_facts_get_text (facts, "name"));
  for (guint t = 0; t < G_N_ELEMENTS (tables); t++)
    {
      g_autoptr (GVariant) rows = g_variant_lookup_value (facts, tables[t], G_VARIANT_TYPE ("aa{sv}"));

      for (gsize i = 0; rows != NULL && i < g_variant_n_children (rows); i++)
        {
          g_autoptr (GVariant) row = g_variant_get_child_value (rows, i);
          const char *need = tool_facts_get_text (row, "need");
          const char *by_default = tool_facts_get_text (row, "default");
          gboolean required = FALSE;

          g_variant_lookup (row, "required", "b", &required);
          g_string_append_printf (out, "%s%s", separator, tool_facts_get_text (row, "name"));
          if (t == 0)
            g_string_append (out, strcmp (need, "variadic") == 0 ? "…" : strcmp (need, "optional") == 0 ? "=none" : "");
          else if (!required)
            g_string_append_printf (out, "=%s", *by_default != '\0' ? by_default : "none");
          separator = ", ";
        }
    }
  g_string_append_c (out, ')');
}

gboolean
tool_is_plugin_file (const char *name)
{
  return strchr (name, '/') != NULL || g_str_has_suffix (name, ".so") || g_str_has_suffix (name, ".ops");
}

CandelaOp *
tool_find_op (CandelaRegistry *registry, const char *name, GError **error)
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
