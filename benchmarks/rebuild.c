/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The nodes of a graph in an order in which they can be built, each with the
 * numbers of its inputs. Tensors are there already; scalars and ops are made anew. */
#include "rebuild.h"
#include <candela/graph/node-private.h>
#include <string.h>

struct _Recipe
{
  GPtrArray *nodes; /* of the graph that it was made of */
  GArray *inputs;   /* guint: of all nodes, one after the other */
  CandelaNode **made;
};

static gboolean
is_known (const CandelaNode *node)
{
  if (node->kind == CANDELA_NODE_OP)
    return node->n_outputs == 1 && node->n_inputs <= CANDELA_MAX_LOOP_INPUTS;
  return node->kind == CANDELA_NODE_EDGE
         && (!node->literal || node->dtype == CANDELA_DTYPE_INT32 || node->dtype == CANDELA_DTYPE_INT64
             || node->dtype == CANDELA_DTYPE_FLOAT32 || node->dtype == CANDELA_DTYPE_FLOAT64);
}

/* Depth first, without recursion: chains are long. */
static gboolean
list_nodes (Recipe *recipe, CandelaNode *root)
{
  g_autoptr (GHashTable) places = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) open = g_ptr_array_new ();

  g_ptr_array_add (open, root);
  while (open->len > 0)
    {
      CandelaNode *node = open->pdata[open->len - 1];
      guint n_open = open->len;

      if (!is_known (node))
        return FALSE;
      for (guint i = 0; i < node->n_inputs; i++)
        if (!g_hash_table_contains (places, node->inputs[i]))
          g_ptr_array_add (open, node->inputs[i]);
      if (open->len > n_open)
        continue;
      g_ptr_array_set_size (open, n_open - 1);
      if (g_hash_table_contains (places, node))
        continue;
      for (guint i = 0; i < node->n_inputs; i++)
        {
          guint place = GPOINTER_TO_UINT (g_hash_table_lookup (places, node->inputs[i]));

          g_array_append_val (recipe->inputs, place);
        }
      g_hash_table_insert (places, node, GUINT_TO_POINTER (recipe->nodes->len));
      g_ptr_array_add (recipe->nodes, candela_node_ref (node));
    }
  return TRUE;
}

Recipe *
recipe_new (CandelaNode *root)
{
  Recipe *recipe = g_new0 (Recipe, 1);

  recipe->nodes = g_ptr_array_new_with_free_func ((GDestroyNotify) candela_node_unref);
  recipe->inputs = g_array_new (FALSE, FALSE, sizeof (guint));
  if (!list_nodes (recipe, root))
    {
      recipe_free (recipe);
      return NULL;
    }
  recipe->made = g_new (CandelaNode *, recipe->nodes->len);
  return recipe;
}

/* A parameter as a program gives it: a format and its argument, which is a word. */
static void
get_param (const CandelaParams *params, guint index, gpointer *words)
{
  gint64 number = 0;
  gsize n = 1;

  words[0] = "x";
  switch (params->info[index].type)
    {
    case CANDELA_PARAM_BOOL:
      words[0] = "b";
      number = candela_params_get_bool (params, index);
      break;
    case CANDELA_PARAM_INT:
      number = candela_params_get_int (params, index);
      break;
    case CANDELA_PARAM_INT_LIST:
      number = *candela_params_get_int_list (params, index, &n);
      break;
    case CANDELA_PARAM_STRING:
      words[0] = "s";
      words[1] = (gpointer) candela_params_get_string (params, index);
      return;
    case CANDELA_PARAM_DTYPE:
      words[0] = "s";
      words[1] = (gpointer) candela_dtype_get_name (candela_params_get_dtype (params, index));
      return;
    case CANDELA_PARAM_FLOAT:
    case CANDELA_PARAM_SCALAR:
      words[0] = "@*";
      words[1] = g_variant_new_double (candela_params_get_float (params, index));
      return;
    }
  words[1] = (gpointer) (gintptr) number;
  if (n == 1)
    return;
  words[0] = "@*";
  words[1] = g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, candela_params_get_int_list (params, index, &n), n,
                                        sizeof (gint64));
}

/* As a program calls it, with the parameters that it gives. NULL: with more than there is
 * room for. */
static CandelaNode *
build_op (const CandelaNode *node, CandelaNode **inputs)
{
  const CandelaParams *params = node->u.op.params;
  gpointer words[18] = { NULL };
  guint n = node->n_inputs + 1;

  for (guint i = 0; i < node->n_inputs; i++)
    words[i] = inputs[i];
  for (guint index = 0; params != NULL && index < params->n; index++)
    if (params->values[index].given && candela_params_is_set (params, index))
      {
        if (n + 4 > G_N_ELEMENTS (words))
          return NULL;
        words[n++] = (gpointer) params->info[index].name;
        get_param (params, index, words + n);
        n += 2;
      }
  if (n <= 3)
    return candela_node_new_op (candela_op_get_name (node->u.op.op), NULL, words[0], words[1], words[2], words[3]);
  /* What is behind the NULL of the parameters is not looked at. */
  return candela_node_new_op (candela_op_get_name (node->u.op.op), NULL, words[0], words[1], words[2], words[3],
                              words[4], words[5], words[6], words[7], words[8], words[9], words[10], words[11],
                              words[12], words[13], words[14], words[15], words[16], words[17]);
}

/* As a program gives it: in the graph it has the dtype of what it met. */
static CandelaNode *
build_scalar (const CandelaNode *node)
{
  union
  {
    gint32 i32;
    gint64 i64;
    float f32;
    double f64;
  } value;

  memcpy (&value, node->u.scalar, sizeof value);
  switch (node->dtype)
    {
    case CANDELA_DTYPE_INT32:
      return candela_node_new_int (value.i32);
    case CANDELA_DTYPE_INT64:
      return candela_node_new_int (value.i64);
    case CANDELA_DTYPE_FLOAT32:
      return candela_node_new_float (value.f32);
    default:
      return candela_node_new_float (value.f64);
    }
}

CandelaNode *
recipe_build (const Recipe *recipe)
{
  const guint *input = (const guint *) recipe->inputs->data;
  guint n = recipe->nodes->len;

  for (guint k = 0; k < n; k++)
    {
      CandelaNode *node = recipe->nodes->pdata[k];
      CandelaNode *inputs[CANDELA_MAX_LOOP_INPUTS];

      for (guint i = 0; i < node->n_inputs; i++)
        inputs[i] = recipe->made[*input++];
      if (node->kind == CANDELA_NODE_OP)
        recipe->made[k] = build_op (node, inputs);
      else
        recipe->made[k] = node->literal ? build_scalar (node) : candela_node_ref (node);
    }
  for (guint k = 0; k + 1 < n; k++)
    candela_node_unref (recipe->made[k]);
  return recipe->made[n - 1];
}

void
recipe_free (Recipe *recipe)
{
  g_ptr_array_unref (recipe->nodes);
  g_array_unref (recipe->inputs);
  g_free (recipe->made);
  g_free (recipe);
}
