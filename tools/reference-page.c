/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The page of an op: what candela_op_describe() says, in words, with the example run. A
 * fact that has no words here is told as it is, so that a new one shows. */
#include "facts.h"

#include <string.h>

/* What the words of a fact mean. */
static const struct
{
  const char *key, *word, *meaning;
} meanings[] = {
  { "axes", "element-wise", "the inputs are broadcast together; element-wise ops one after the other are one step" },
  { "axes", "row-wise", "each row, along the last axis, is computed on its own" },
  { "axes", "reduction", "some axes are reduced; along the others each result is computed on its own" },
  { "axes", "opaque", "it is computed as a whole" },
  { "aliasing", "none", "the result has memory of its own, or that of an input where it is in place" },
  { "aliasing", "alias", "the result is the input: nothing is computed" },
  { "aliasing", "reference", "the result is the input's memory under another layout, wherever that is possible" },
  { "aliasing", "takeover", "computed once, the result stands for the input from then on" },
  { "effect", "pure", "the result follows from inputs and parameters" },
  { "effect", "ordered", "it has state: it runs in the order of the plan, on one thread" },
  { "determinism", "bitwise", "the same values give the same bits" },
  { "determinism", "per-layout", "the same values in the same layout give the same bits" },
  { "determinism", "none", "the same values may give other bits" },
  { "threads", "any", "several threads may run it at once" },
  { "threads", "one-at-a-time", "only one thread at a time may run it" },
  { "threads", "caller", "only the thread that runs the plan may run it" },
  { "output-shape", "static", "it is known when the expression is built" },
  { "output-shape", "data", "it depends on the values: the op is computed when the expression is built" },
  { "mode", "same-index", "element by element" },
  { "mode", "within-row", "row by row" },
  { "mode", "read-first", "when all has been read" },
};

static const char *
find_meaning (const char *key, const char *word)
{
  for (guint k = 0; k < G_N_ELEMENTS (meanings); k++)
    if (strcmp (meanings[k].key, key) == 0 && strcmp (meanings[k].word, word) == 0)
      return meanings[k].meaning;
  return NULL;
}

void
tool_reference_append_escaped (GString *out, const char *text)
{
  for (const char *c = text; *c != '\0'; c++)
    if (*c == '<')
      g_string_append (out, "&lt;");
    else if (*c == '|')
      g_string_append (out, "&#124;");
    else
      g_string_append_printf (out, strchr ("\\`*_[]", *c) != NULL ? "\\%c" : "%c", *c);
}

/* As it is, in another type; a bar would end the cell of a table. */
static void
append_code (GString *out, const char *text)
{
  if (strchr (text, '|') == NULL)
    {
      g_string_append_printf (out, "`%s`", text);
      return;
    }
  g_string_append (out, "<code>");
  tool_reference_append_escaped (out, text);
  g_string_append (out, "</code>");
}

static void
append_block (GString *out, const char *language, const char *text)
{
  g_string_append_printf (out, "\n```%s\n%s%s```\n", language, text, g_str_has_suffix (text, "\n") ? "" : "\n");
}

static void
append_codes (GString *out, GVariant *words)
{
  g_autofree const char **texts = g_variant_get_strv (words, NULL);

  for (guint k = 0; texts[k] != NULL; k++)
    {
      g_string_append (out, k > 0 ? ", " : "");
      append_code (out, texts[k]);
    }
}

static gboolean
append_example (GString *out, const char *name, const char *text, GError **error)
{
  g_autoptr (CandelaExpression) expression = candela_expression_parse (text, -1, NULL, error);
  guint n = expression != NULL ? candela_expression_get_n_values (expression) : 0;
  g_autoptr (GString) printed = g_string_new (NULL);

  for (guint k = 0; k < n; k++)
    {
      CandelaNode *node = candela_expression_get_nth_value (expression, k);
      g_autoptr (CandelaTensor) value = candela_node_materialize (node, error);
      g_autofree char *shown = value != NULL ? candela_tensor_to_string (value) : NULL;

      if (shown == NULL)
        break;
      g_string_append_printf (printed, "%s\n", shown);
    }
  if (printed->len == 0)
    {
      g_prefix_error (error, "%s: its example: ", name);
      return FALSE;
    }
  append_block (out, "expr", text);
  g_string_append (out, "\nprints\n");
  append_block (out, "text", printed->str);
  return TRUE;
}

/* "required", "list of int, by default none", "from 0 to 1" … */
static void
append_about (GString *out, GVariant *row)
{
  const char *need = tool_facts_get_text (row, "need"), *type = tool_facts_get_text (row, "type");
  const char *by_default = tool_facts_get_text (row, "default"), *dtype = tool_facts_get_text (row, "dtype");
  g_autoptr (GVariant) kinds = g_variant_lookup_value (row, "kinds", G_VARIANT_TYPE_STRING_ARRAY);
  g_autoptr (GVariant) choices = g_variant_lookup_value (row, "choices", G_VARIANT_TYPE_STRING_ARRAY);
  gboolean required = FALSE;
  double minimum, maximum;

  g_variant_lookup (row, "required", "b", &required);
  g_string_append_printf (out, "%s%s", need, type);
  if (*dtype != '\0')
    g_string_append_printf (out, ", read as %s", dtype);
  else if (kinds != NULL)
    {
      g_autofree const char **words = g_variant_get_strv (kinds, NULL);
      g_autofree char *joined = g_strjoinv (", ", (char **) words);

      g_string_append_printf (out, ": %s", joined);
    }
  if (*type != '\0')
    g_string_append (out, required ? ", required" : ", by default ");
  if (*type != '\0' && !required)
    append_code (out, *by_default != '\0' ? by_default : "none");
  if (g_variant_lookup (row, "minimum", "d", &minimum) && g_variant_lookup (row, "maximum", "d", &maximum))
    g_string_append_printf (out, ", from %.15g to %.15g", minimum, maximum);
  if (choices != NULL)
    {
      g_string_append (out, ", one of ");
      append_codes (out, choices);
    }
}

/* Inputs, or parameters. */
static void
append_rows (GString *out, GVariant *facts, const char *key, const char *title, const char *what)
{
  g_autoptr (GVariant) rows = g_variant_lookup_value (facts, key, G_VARIANT_TYPE ("aa{sv}"));

  if (rows == NULL || g_variant_n_children (rows) == 0)
    return;
  g_string_append_printf (out, "\n## %s\n\n| %s | | |\n|---|---|---|\n", title, what);
  for (gsize k = 0; k < g_variant_n_children (rows); k++)
    {
      g_autoptr (GVariant) row = g_variant_get_child_value (rows, k);

      g_string_append_printf (out, "| `%s` | ", tool_facts_get_text (row, "name"));
      append_about (out, row);
      g_string_append (out, " | ");
      tool_reference_append_escaped (out, tool_facts_get_text (row, "summary"));
      g_string_append (out, " |\n");
    }
}

static void
append_dtypes (GString *out, CandelaOp *op, GVariant *facts)
{
  g_autoptr (GString) rows = g_string_new (NULL);
  g_auto (GStrv) outputs = candela_op_list_outputs (op);
  g_autofree char *head = g_strjoinv ("`, `", outputs);

  tool_reference_append_dtypes (rows, op, facts);
  if (rows->len > 0)
    g_string_append_printf (out, "\n## Dtypes\n\n| inputs | `%s` |\n|---|---|\n%s", head, rows->str);
}

static void
append_gradients (GString *out, GVariant *facts)
{
  g_autoptr (GVariant) inputs = g_variant_lookup_value (facts, "inputs", G_VARIANT_TYPE ("aa{sv}"));
  gboolean any = FALSE;

  for (gsize k = 0; k < g_variant_n_children (inputs); k++)
    {
      g_autoptr (GVariant) input = g_variant_get_child_value (inputs, k);
      const char *gradient = tool_facts_get_text (input, "gradient");

      if (*gradient == '\0')
        continue;
      if (!any)
        g_string_append (out, "\n## Gradient\n\n| input | from that of the output, `grad` |\n|---|---|\n");
      any = TRUE;
      g_string_append_printf (out, "| `%s` | ", tool_facts_get_text (input, "name"));
      append_code (out, gradient);
      g_string_append (out, " |\n");
    }
}

/* "out over x: same-index", of which the last word has a meaning. */
static void
append_in_place (GString *out, GVariant *pairs)
{
  for (gsize k = 0; k < g_variant_n_children (pairs); k++)
    {
      g_autoptr (GVariant) pair = g_variant_get_child_value (pairs, k);
      g_auto (GStrv) words = g_strsplit (g_variant_get_string (pair, NULL), ": ", 2);
      const char *meaning = words[1] != NULL ? find_meaning ("mode", words[1]) : NULL;

      g_string_append (out, k > 0 ? "; " : "");
      tool_reference_append_escaped (out, words[0]);
      if (words[1] != NULL)
        g_string_append_printf (out, ", %s", meaning != NULL ? meaning : words[1]);
    }
}

static void
append_fact (GString *out, const char *key, GVariant *value)
{
  gboolean text = g_variant_is_of_type (value, G_VARIANT_TYPE_STRING);
  const char *meaning = text ? find_meaning (key, g_variant_get_string (value, NULL)) : NULL;

  g_string_append_printf (out, "| %s | ", key);
  if (text)
    tool_reference_append_escaped (out, g_variant_get_string (value, NULL));
  if (meaning != NULL)
    g_string_append_printf (out, ": %s", meaning);
  if (strcmp (key, "in-place") == 0)
    append_in_place (out, value);
  else if (!text)
    append_codes (out, value);
  g_string_append (out, " |\n");
}

/* Texts, and lists of texts that are not empty. A kernel for any dtype says nothing; of an
 * expression the planner asks those that it is made of. */
static gboolean
is_shown (const char *key, GVariant *value, gboolean is_expression)
{
  static const char *const elsewhere[] = { "name",  "summary", "formula", "example",    "plugin",
                                           "since", "inputs",  "params",  "expression", NULL };
  const char *first = "";

  if (g_strv_contains (elsewhere, key) || (is_expression && strcmp (key, "outputs") != 0))
    return FALSE;
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return TRUE;
  if (!g_variant_is_of_type (value, G_VARIANT_TYPE_STRING_ARRAY) || g_variant_n_children (value) == 0)
    return FALSE;
  g_variant_get_child (value, 0, "&s", &first);
  return strcmp (key, "kernels") != 0 || !g_str_has_prefix (first, "any");
}

static void
append_facts (GString *out, GVariant *facts, CandelaPlugin *plugin)
{
  const char *key, *expression = tool_facts_get_text (facts, "expression");
  GVariantIter iter;
  GVariant *value;

  g_string_append (out, "\n## Facts\n\n");
  if (*expression != '\0')
    {
      g_string_append (out, "It is this expression, planned and run as if that were written:\n");
      append_block (out, "expr", expression);
      g_string_append_c (out, '\n');
    }
  g_string_append_printf (out, "| fact | |\n|---|---|\n| plugin | [%s](ops.md#%s) %s", candela_plugin_get_name (plugin),
                          candela_plugin_get_name (plugin), candela_plugin_get_version (plugin));
  if (*tool_facts_get_text (facts, "since") != '\0')
    g_string_append_printf (out, ", since %s", tool_facts_get_text (facts, "since"));
  g_string_append (out, " |\n");
  g_variant_iter_init (&iter, facts);
  while (g_variant_iter_next (&iter, "{&sv}", &key, &value))
    {
      if (is_shown (key, value, *expression != '\0'))
        append_fact (out, key, value);
      g_variant_unref (value);
    }
}

char *
tool_reference_page (CandelaOp *op, CandelaPlugin *plugin, GError **error)
{
  g_autoptr (GVariant) facts = candela_op_describe (op);
  g_autoptr (GString) out = g_string_new (NULL), signature = g_string_new (NULL);
  const char *formula = tool_facts_get_text (facts, "formula"), *example = tool_facts_get_text (facts, "example");

  g_string_append_printf (out, "# %s\n\n", candela_op_get_name (op));
  tool_reference_append_escaped (out, candela_op_get_summary (op));
  g_string_append (out, ".\n");
  tool_facts_append_signature (signature, facts);
  append_block (out, "text", signature->str);
  if (*formula != '\0')
    append_block (out, "text", formula);
  if (*example != '\0')
    {
      g_string_append (out, "\n## Example\n");
      if (!append_example (out, candela_op_get_name (op), example, error))
        return NULL;
    }
  append_rows (out, facts, "inputs", "Inputs", "input");
  append_rows (out, facts, "params", "Parameters", "parameter");
  append_dtypes (out, op, facts);
  append_gradients (out, facts);
  append_facts (out, facts, plugin);
  return g_string_free (g_steal_pointer (&out), FALSE);
}
