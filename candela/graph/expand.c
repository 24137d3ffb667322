/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops that are expressions: a node of one is made of the nodes that the expression
 * stands for, over its inputs and parameters by their names. What plans and runs sees
 * these alone. */
#include <candela/graph/expression-private.h>
#include <candela/op/params-private.h>

/* Expressions within each other; an op that is made of itself ends there. */
#define MAX_DEPTH 16

static GPrivate depth;

GString *
candela_params_to_statements (const CandelaOpFacts *facts, const CandelaParams *params)
{
  GString *text = g_string_new (NULL);

  for (guint k = 0; k < facts->n_params; k++)
    {
      /* The name of a dtype is no value; as a string it is. */
      const char *quote =
        facts->info->params[k].type == CANDELA_PARAM_DTYPE && candela_params_is_set (params, k) ? "'" : "";

      g_string_append_printf (text, "%s = %s", facts->info->params[k].name, quote);
      candela_params_append_value (params, k, text);
      g_string_append_printf (text, "%s; ", quote);
    }
  return text;
}

CandelaNode *
candela_node_expand (const CandelaOpFacts *facts, CandelaNode *const *inputs, guint n_inputs,
                     const CandelaParams *params, GError **error)
{
  gsize above = GPOINTER_TO_SIZE (g_private_get (&depth));
  CandelaNamedNode named[CANDELA_MAX_EXPRESSION_INPUTS];
  g_autoptr (GString) text = NULL;
  CandelaNode *node;

  if (above >= MAX_DEPTH)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "its expression is made of itself");
      return NULL;
    }
  for (guint i = 0; i < n_inputs; i++)
    named[i] = (CandelaNamedNode){ facts->info->inputs[i].name, inputs[i] };
  text = g_string_append (candela_params_to_statements (facts, params), facts->info->expression);

  g_private_set (&depth, GSIZE_TO_POINTER (above + 1));
  node = candela_expression_build_part (text->str, named, n_inputs, error);
  g_private_set (&depth, GSIZE_TO_POINTER (above));
  if (node == NULL && above == 0)
    g_prefix_error (error, "%s: ", facts->info->name);
  return node;
}
