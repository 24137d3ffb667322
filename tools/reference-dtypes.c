/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which dtypes an op takes, and what it gives for them: asked of the op itself, with the
 * inputs and parameters that it has in its example, in each dtype. */
#include "facts.h"

#include <string.h>

#define MAX_INPUTS 16

/* What the op is asked with: shapes, and parameters. */
typedef struct
{
  CandelaNode *inputs[MAX_INPUTS]; /* NULL: any */
  guint n_inputs;
  GVariant *params;
} Call;

/* A node of the op in the graph: the first that is found from the roots on. */
static CandelaNode *
find_node (CandelaNode *node, CandelaOp *op, GHashTable *seen)
{
  if (!g_hash_table_add (seen, node))
    return NULL;
  if (candela_node_get_op (node) == op)
    return node;
  for (guint k = 0; k < candela_node_get_n_inputs (node); k++)
    {
      CandelaNode *found = find_node (candela_node_get_input (node, k), op, seen);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* From the example, if a node of the op is in its graph; else the inputs that must be,
 * all matrices, and no parameters. */
static void
prepare (Call *call, CandelaOp *op, CandelaExpression *example)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  guint n = example != NULL ? candela_expression_get_n_values (example) : 0;
  CandelaNode *node = NULL;

  for (guint k = 0; k < n && node == NULL; k++)
    node = find_node (candela_expression_get_nth_value (example, k), op, seen);
  call->n_inputs = node != NULL ? candela_node_get_n_inputs (node) : candela_op_get_n_required_inputs (op);
  for (guint k = 0; k < call->n_inputs && k < MAX_INPUTS; k++)
    call->inputs[k] = node != NULL ? candela_node_get_input (node, k) : NULL;
  call->params = node != NULL ? candela_node_get_params (node) : NULL;
}

/* Whether an input takes the dtype as it is. */
static gboolean
takes (GVariant *input, CandelaDType dtype)
{
  const char *kind;
  g_autofree const char **kinds = NULL;

  switch (candela_dtype_get_kind (dtype))
    {
    case CANDELA_DTYPE_KIND_BOOL:
      kind = "bool";
      break;
    case CANDELA_DTYPE_KIND_SIGNED:
      kind = "int";
      break;
    case CANDELA_DTYPE_KIND_UNSIGNED:
      kind = "uint";
      break;
    case CANDELA_DTYPE_KIND_FLOAT:
      kind = "float";
      break;
    default:
      kind = "complex";
    }
  if (*tool_facts_get_text (input, "dtype") != '\0')
    return FALSE;
  return !g_variant_lookup (input, "kinds", "^a&s", &kinds) || g_strv_contains (kinds, kind);
}

/* An array of the dtype, of the shape that the input has in the example; the input as it is
 * there if it cannot be of the dtype. */
static CandelaNode *
make_input (const Call *call, guint k, GVariant *input, CandelaDType dtype)
{
  static const gint64 square[] = { 2, 2 };
  const gint64 *shape = square;
  const char *fixed = tool_facts_get_text (input, "dtype");
  gsize rank = G_N_ELEMENTS (square);
  g_autoptr (CandelaTensor) tensor = NULL;

  if (call->inputs[k] != NULL && !takes (input, dtype))
    return candela_node_ref (call->inputs[k]);
  if (call->inputs[k] != NULL)
    shape = candela_node_get_shape (call->inputs[k], &rank);
  tensor = candela_tensor_new (*fixed != '\0' ? candela_dtype_from_name (fixed, NULL) : dtype, shape, rank, NULL);
  return candela_node_new_tensor (tensor);
}

/* What comes out, "int64" or "float32, int64"; NULL if the op does not take the dtype, or
 * all inputs are read as one that is fixed, for which INVALID stands. */
static char *
ask (const Call *call, CandelaOp *op, GVariant *inputs, CandelaDType dtype)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new_with_free_func ((GDestroyNotify) candela_node_unref);
  g_autoptr (CandelaNode) node = NULL;
  gboolean varied = FALSE;
  GString *text;

  for (guint k = 0; k < call->n_inputs; k++)
    {
      g_autoptr (GVariant) input = g_variant_get_child_value (inputs, MIN (k, g_variant_n_children (inputs) - 1));

      g_ptr_array_add (nodes, make_input (call, k, input, dtype));
      varied = varied || takes (input, dtype);
    }
  if (varied || dtype == CANDELA_DTYPE_INVALID)
    node = candela_node_new_for_op (op, (CandelaNode *const *) nodes->pdata, nodes->len, call->params, NULL);
  if (node == NULL)
    return NULL;
  text = g_string_new (NULL);
  for (guint o = 0; o < candela_node_get_n_outputs (node); o++)
    {
      g_autoptr (CandelaNode) output = candela_node_get_output (node, o, NULL);
      CandelaDType found = candela_node_get_dtype (output);

      g_string_append (text, o > 0 ? ", " : "");
      if (found == dtype)
        g_string_append (text, "the same");
      else
        g_string_append_printf (text, "`%s`", candela_dtype_get_name (found));
    }
  return g_string_free (text, FALSE);
}

static void
free_row (gpointer row)
{
  g_string_free (row, TRUE);
}

/* The row of an answer, which is made where there is none yet. */
static GString *
get_row (GPtrArray *answers, GPtrArray *rows, const char *answer)
{
  for (guint k = 0; k < answers->len; k++)
    if (strcmp (g_ptr_array_index (answers, k), answer) == 0)
      return g_ptr_array_index (rows, k);
  g_ptr_array_add (answers, g_strdup (answer));
  g_ptr_array_add (rows, g_string_new (NULL));
  return g_ptr_array_index (rows, rows->len - 1);
}

void
tool_reference_append_dtypes (GString *out, CandelaOp *op, GVariant *facts)
{
  g_autoptr (GVariant) inputs = g_variant_lookup_value (facts, "inputs", G_VARIANT_TYPE ("aa{sv}"));
  const char *example = tool_facts_get_text (facts, "example");
  g_autoptr (CandelaExpression) expression =
    *example != '\0' ? candela_expression_parse (example, -1, NULL, NULL) : NULL;
  g_autoptr (GPtrArray) answers = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (free_row);
  g_autoptr (GVariant) params = NULL;
  Call call = { 0 };

  prepare (&call, op, expression);
  params = call.params;
  if (call.n_inputs == 0 || call.n_inputs > MAX_INPUTS)
    return;
  for (guint dtype = CANDELA_DTYPE_INVALID + 1; dtype < CANDELA_N_DTYPES; dtype++)
    {
      g_autofree char *answer = ask (&call, op, inputs, dtype);
      GString *row = answer != NULL ? get_row (answers, rows, answer) : NULL;

      if (row != NULL)
        g_string_append_printf (row, "%s`%s`", row->len > 0 ? ", " : "", candela_dtype_get_name (dtype));
    }
  if (rows->len == 0)
    {
      g_autofree char *answer = ask (&call, op, inputs, CANDELA_DTYPE_INVALID);

      if (answer != NULL)
        g_string_append_printf (out, "| as said above | %s |\n", answer);
    }
  for (guint k = 0; k < rows->len; k++)
    g_string_append_printf (out, "| %s | %s |\n", ((GString *) g_ptr_array_index (rows, k))->str,
                            (char *) g_ptr_array_index (answers, k));
}
