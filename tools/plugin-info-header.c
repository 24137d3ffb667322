/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * candela-ops.h: for each op a static inline function whose arguments are the
 * op's inputs and then its parameters, each as the C type that fits. It reads
 * what candela_op_describe() says and nothing else, so that an op needs no word
 * here. */
#include "plugin-info.h"

#include <gmodule.h>
#include <string.h>

/* One argument, an input or a parameter. */
typedef struct
{
  char *name;       /* as the op says it */
  char *c_name;     /* as it stands in C */
  char *summary;    /* or NULL */
  char *by_default; /* or NULL */
  const char *type;
  gboolean required;
  gboolean variadic;
} Argument;

/* Words that C or C++ keeps for itself, and names that the functions use. */
static const char *const reserved[] = {
  "and",     "auto",     "bool",   "break",    "case",      "catch",     "char",   "class",  "const",    "continue",
  "default", "delete",   "do",     "double",   "else",      "enum",      "error",  "extern", "false",    "float",
  "for",     "friend",   "goto",   "if",       "inline",    "int",       "long",   "new",    "not",      "operator",
  "or",      "private",  "public", "register", "return",    "short",     "signed", "sizeof", "static",   "struct",
  "switch",  "template", "this",   "throw",    "true",      "try",       "typeof", "union",  "unsigned", "using",
  "virtual", "void",     "while",  "xor",      "op_inputs", "op_params", NULL
};

static void
argument_free (gpointer data)
{
  Argument *argument = data;

  g_free (argument->name);
  g_free (argument->c_name);
  g_free (argument->summary);
  g_free (argument->by_default);
  g_free (argument);
}

/* As text that outlives the description. */
static const char *
param_type (const char *name)
{
  static const char *const types[] = { "bool", "int", "float", "string", "dtype", "list of int", "scalar" };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_strcmp0 (types[i], name) == 0)
      return types[i];
  return "scalar";
}

static GPtrArray *
read_arguments (GVariant *description, const char *key)
{
  g_autoptr (GVariant) rows = g_variant_lookup_value (description, key, G_VARIANT_TYPE ("aa{sv}"));
  GPtrArray *arguments = g_ptr_array_new_with_free_func (argument_free);

  for (gsize i = 0; rows != NULL && i < g_variant_n_children (rows); i++)
    {
      g_autoptr (GVariant) row = g_variant_get_child_value (rows, i);
      Argument *argument = g_new0 (Argument, 1);
      const char *word = NULL;

      g_variant_lookup (row, "name", "s", &argument->name);
      g_variant_lookup (row, "summary", "s", &argument->summary);
      g_variant_lookup (row, "default", "s", &argument->by_default);
      argument->c_name = g_strconcat (argument->name, g_strv_contains (reserved, argument->name) ? "_" : NULL, NULL);
      if (g_variant_lookup (row, "need", "&s", &word))
        {
          argument->type = "input";
          argument->required = g_str_equal (word, "required");
          argument->variadic = g_str_equal (word, "variadic");
        }
      else
        {
          if (!g_variant_lookup (row, "type", "&s", &word))
            word = NULL;
          argument->type = param_type (word);
          g_variant_lookup (row, "required", "b", &argument->required);
        }
      g_ptr_array_add (arguments, argument);
    }
  return arguments;
}

static gboolean
is_type (const Argument *argument, const char *type)
{
  return g_str_equal (argument->type, type);
}

/* Numbers that may be none are given by address. */
static gboolean
is_by_address (const Argument *argument)
{
  return !argument->required && argument->by_default == NULL
         && (is_type (argument, "bool") || is_type (argument, "int") || is_type (argument, "float"));
}

static char *
declare_argument (const Argument *argument)
{
  const char *name = argument->c_name;
  const char *type = is_type (argument, "bool") ? "gboolean" : is_type (argument, "int") ? "gint64" : "double";

  if (argument->variadic)
    return g_strdup_printf ("CandelaNode *const *%s, gsize n_%s", name, name);
  if (is_type (argument, "input"))
    return g_strdup_printf ("CandelaNode *%s", name);
  if (is_type (argument, "string"))
    return g_strdup_printf ("const char *%s", name);
  if (is_type (argument, "dtype"))
    return g_strdup_printf ("CandelaDType %s", name);
  if (is_type (argument, "list of int"))
    return g_strdup_printf ("const gint64 *%s, gsize n_%s", name, name);
  if (is_type (argument, "scalar"))
    return g_strdup_printf ("GVariant *%s", name);
  return is_by_address (argument) ? g_strdup_printf ("const %s *%s", type, name)
                                  : g_strdup_printf ("%s %s", type, name);
}

static char *
without_stop (const char *text)
{
  gsize length = strlen (text);

  return g_strndup (text, length > 0 && text[length - 1] == '.' ? length - 1 : length);
}

static void
append_argument_comment (GString *out, const Argument *argument)
{
  const char *none = is_type (argument, "dtype") ? "%CANDELA_DTYPE_INVALID" : "%NULL";
  g_autofree char *text = without_stop (argument->summary != NULL ? argument->summary : argument->type);

  g_string_append_printf (out, " * @%s: %s%s", argument->c_name, argument->variadic ? "(array) " : "", text);
  if (is_type (argument, "scalar"))
    g_string_append (out, "; a variant of type b, x or d, sunk if floating");
  if (is_type (argument, "input") && !argument->required && !argument->variadic)
    g_string_append (out, "; %NULL if not given");
  if (argument->by_default != NULL)
    g_string_append_printf (out, "; default %s", argument->by_default);
  if (!is_type (argument, "input") && !argument->required
      && (argument->by_default == NULL || is_type (argument, "dtype") || is_type (argument, "string")
          || is_type (argument, "list of int") || is_type (argument, "scalar")))
    g_string_append_printf (out, "; %s if not given", none);
  g_string_append_c (out, '\n');
  if (argument->variadic || is_type (argument, "list of int"))
    g_string_append_printf (out, " * @n_%s: how many\n", argument->c_name);
}

static void
append_comment (GString *out, const char *function, GVariant *description, GPtrArray *inputs, GPtrArray *params)
{
  g_auto (GStrv) outputs = NULL;
  g_autofree char *summary = NULL, *formula = NULL;

  g_string_append_printf (out, "/**\n * %s:\n", function);
  for (guint i = 0; i < inputs->len; i++)
    append_argument_comment (out, inputs->pdata[i]);
  for (guint i = 0; i < params->len; i++)
    append_argument_comment (out, params->pdata[i]);
  g_string_append (out, " * @error: where to say what is wrong, or %NULL\n *\n");
  if (g_variant_lookup (description, "summary", "s", &summary))
    {
      g_autofree char *text = without_stop (summary);

      g_string_append_printf (out, " * %s.\n *\n", text);
    }
  if (g_variant_lookup (description, "formula", "s", &formula))
    {
      g_auto (GStrv) lines = g_strsplit (formula, "\n", -1);

      for (guint k = 0; lines[k] != NULL; k++)
        g_string_append_printf (out, " *     %s\n", lines[k]);
      g_string_append (out, " *\n");
    }
  g_variant_lookup (description, "outputs", "^as", &outputs);
  g_string_append (out, " * Returns: (transfer full) (nullable): ");
  if (outputs != NULL && outputs[0] != NULL && outputs[1] != NULL)
    {
      g_autofree char *names = g_strjoinv (", ", outputs);

      g_string_append_printf (out, "the node of %s, which\n *   candela_node_get_output() tells apart", names);
    }
  else
    g_string_append (out, "the node");
  g_string_append (out, "; %NULL with @error set,\n *   or with it as it is if a node given is %NULL\n */\n");
}

static void
append_signature (GString *out, const char *function, GPtrArray *inputs, GPtrArray *params)
{
  const guint indent = strlen (function) + 2;
  GPtrArray *lists[] = { inputs, params };
  guint column = indent;

  g_string_append_printf (out, "static inline CandelaNode *\n%s (", function);
  for (guint l = 0; l < G_N_ELEMENTS (lists); l++)
    for (guint i = 0; i < lists[l]->len; i++)
      {
        g_autofree char *text = declare_argument (lists[l]->pdata[i]);

        if (column > indent && column + strlen (text) > 108)
          {
            g_string_truncate (out, out->len - 1);
            g_string_append_printf (out, "\n%*s", (int) indent, "");
            column = indent;
          }
        g_string_append_printf (out, "%s, ", text);
        column += strlen (text) + 2;
      }
  g_string_append (out, "GError **error)\n{\n");
}

/* The array of inputs and their count, as two expressions of C. */
static void
append_inputs (GString *out, GPtrArray *inputs, char **array, char **n)
{
  const Argument *last = inputs->len > 0 ? inputs->pdata[inputs->len - 1] : NULL;
  const guint n_single = last != NULL && last->variadic ? inputs->len - 1 : inputs->len;

  if (last == NULL || (last->variadic && n_single == 0))
    {
      *array = g_strdup (last != NULL ? last->c_name : "NULL");
      *n = last != NULL ? g_strdup_printf ("n_%s", last->c_name) : g_strdup ("0");
      return;
    }
  if (last->variadic)
    {
      g_string_append_printf (out, "  g_autofree CandelaNode **op_inputs = g_new (CandelaNode *, %u + n_%s);\n\n",
                              n_single, last->c_name);
      for (guint i = 0; i < n_single; i++)
        g_string_append_printf (out, "  op_inputs[%u] = %s;\n", i, ((Argument *) inputs->pdata[i])->c_name);
      g_string_append_printf (out, "  for (gsize i = 0; i < n_%s; i++)\n    op_inputs[%u + i] = %s[i];\n", last->c_name,
                              n_single, last->c_name);
      *array = g_strdup ("op_inputs");
      *n = g_strdup_printf ("%u + n_%s", n_single, last->c_name);
      return;
    }

  g_string_append (out, "  CandelaNode *const op_inputs[] = { ");
  for (guint i = 0; i < n_single; i++)
    g_string_append_printf (out, "%s%s", i > 0 ? ", " : "", ((Argument *) inputs->pdata[i])->c_name);
  g_string_append (out, " };\n");
  *array = g_strdup ("op_inputs");
  *n = g_strdup_printf ("%u", n_single);
}

static void
append_param (GString *out, const Argument *argument)
{
  const char *name = argument->c_name;
  g_autofree char *value = NULL;
  const char *star = is_by_address (argument) ? "*" : "";
  const char *test = NULL;

  if (is_type (argument, "bool"))
    value = g_strdup_printf ("g_variant_new_boolean (%s%s)", star, name);
  else if (is_type (argument, "int"))
    value = g_strdup_printf ("g_variant_new_int64 (%s%s)", star, name);
  else if (is_type (argument, "float"))
    value = g_strdup_printf ("g_variant_new_double (%s%s)", star, name);
  else if (is_type (argument, "string"))
    value = g_strdup_printf ("g_variant_new_string (%s)", name);
  else if (is_type (argument, "dtype"))
    value = g_strdup_printf ("g_variant_new_string (candela_dtype_get_name (%s))", name);
  else if (is_type (argument, "list of int"))
    value = g_strdup_printf ("g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, %s, n_%s, sizeof (gint64))", name, name);
  else
    value = g_strdup (name);

  if (is_type (argument, "dtype"))
    test = " != CANDELA_DTYPE_INVALID";
  else if (*star != '\0' || is_type (argument, "string") || is_type (argument, "scalar")
           || (is_type (argument, "list of int") && !argument->required))
    test = " != NULL";
  if (test != NULL)
    g_string_append_printf (out, "  if (%s%s)\n  ", name, test);
  g_string_append_printf (out, "  g_variant_builder_add (&op_params, \"{sv}\", \"%s\",", argument->name);
  if (strlen (value) + strlen (argument->name) > 70)
    g_string_append_printf (out, "\n%*s", test != NULL ? 27 : 25, "");
  else
    g_string_append_c (out, ' ');
  g_string_append_printf (out, "%s);\n", value);
}

static char *
function_name (const char *op)
{
  g_autofree char *name = g_strconcat ("candela_", op, NULL);
  GModule *self = g_module_open (NULL, 0);
  gpointer symbol;
  gboolean taken = self != NULL && g_module_symbol (self, name, &symbol);

  if (self != NULL)
    g_module_close (self);
  return taken ? g_strconcat ("candela_op_", op, NULL) : g_steal_pointer (&name);
}

static void
append_op (GString *out, CandelaOp *op)
{
  g_autoptr (GVariant) description = candela_op_describe (op);
  g_autoptr (GPtrArray) inputs = read_arguments (description, "inputs");
  g_autoptr (GPtrArray) params = read_arguments (description, "params");
  g_autofree char *function = function_name (candela_op_get_name (op));
  g_autofree char *array = NULL;
  g_autofree char *n = NULL;

  append_comment (out, function, description, inputs, params);
  append_signature (out, function, inputs, params);
  append_inputs (out, inputs, &array, &n);
  if (params->len > 0)
    g_string_append (out, "  GVariantBuilder op_params;\n");
  g_string_append_c (out, '\n');
  if (params->len > 0)
    {
      g_string_append (out, "  g_variant_builder_init (&op_params, G_VARIANT_TYPE_VARDICT);\n");
      for (guint i = 0; i < params->len; i++)
        append_param (out, params->pdata[i]);
    }
  g_string_append_printf (out, "  return candela_node_new_opv (\"%s\", %s, %s, %s, error);\n}\n\n",
                          candela_op_get_name (op), array, n,
                          params->len > 0 ? "g_variant_builder_end (&op_params)" : "NULL");
}

char *
plugin_info_ops_header (GPtrArray *plugins)
{
  GString *out = g_string_new (NULL);

  g_string_append (out, "/* SPDX-License-Identifier: LGPL-2.1-or-later\n"
                        " *\n"
                        " * A typed call for each op of the plugins that come with Candela. Made from what\n"
                        " * the plugins register; the op is looked up when the function is called. */\n"
                        "#pragma once\n\n"
                        "#include <candela/candela.h>\n\n"
                        "G_BEGIN_DECLS\n\n");
  for (guint i = 0; i < plugins->len; i++)
    {
      g_autoptr (GListModel) ops = candela_plugin_list_ops (plugins->pdata[i]);

      g_string_append_printf (out, "/* Plugin %s. */\n\n", candela_plugin_get_name (plugins->pdata[i]));
      for (guint k = 0; k < g_list_model_get_n_items (ops); k++)
        {
          g_autoptr (CandelaOp) op = g_list_model_get_item (ops, k);

          append_op (out, op);
        }
    }
  g_string_append (out, "G_END_DECLS\n");
  return g_string_free (out, FALSE);
}
