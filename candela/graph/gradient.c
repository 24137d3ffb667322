/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The gradient of one op: the graph of what its declaration says, over the inputs, the
 * outputs and the cotangents. Where an input was broadcast, the op that declares the
 * operator ADJOINT takes that back. */
#include <candela/graph/expression-private.h>
#include <candela/op/params-private.h>
#include <candela/value/dtype-private.h>

#define ADJOINT "adjoint:broadcast"
#define MAX_NAMES (CANDELA_MAX_GRADIENTS + 2 * CANDELA_MAX_OUTPUTS)

static const char *
get_output_name (const CandelaOpFacts *facts, guint output)
{
  return facts->info->outputs != NULL ? facts->info->outputs[output] : "out";
}

/* ---- The names in the text ---- */

typedef struct
{
  CandelaNamedNode named[MAX_NAMES];
  guint n;
  CandelaNode *cotangents[CANDELA_MAX_OUTPUTS];
  CandelaNode *outputs[CANDELA_MAX_OUTPUTS];
  char *owned[CANDELA_MAX_OUTPUTS]; /* what cotangents are called, if there are several */
} Names;

static void
clear_names (Names *names)
{
  for (guint o = 0; o < CANDELA_MAX_OUTPUTS; o++)
    {
      g_free (names->owned[o]);
      g_clear_pointer (&names->outputs[o], candela_node_unref);
      g_clear_pointer (&names->cotangents[o], candela_node_unref);
    }
}

static void
add_name (Names *names, const char *name, CandelaNode *node)
{
  names->named[names->n++] = (CandelaNamedNode){ name, node };
}

/* A number takes the dtype of what it is the cotangent of. */
static CandelaNode *
settle_cotangent (CandelaNode *cotangent, CandelaDType dtype)
{
  CandelaConvertFunc convert = candela_dtype_get_convert_func (cotangent->dtype, dtype);
  guint8 value[16];

  if (!cotangent->literal || !cotangent->weak || cotangent->dtype == dtype || convert == NULL)
    return candela_node_ref (cotangent);
  convert (value, cotangent->u.scalar, 1);
  return candela_node_new_literal (dtype, value, FALSE);
}

static gboolean
add_outputs (Names *names, const CandelaOpFacts *facts, CandelaNode *node, CandelaNode *const *cotangents,
             GError **error)
{
  for (guint o = 0; o < facts->n_outputs; o++)
    {
      gboolean single = facts->n_outputs == 1;

      names->outputs[o] = single ? candela_node_ref (node) : candela_node_get_output (node, o, error);
      if (names->outputs[o] == NULL)
        return FALSE;
      names->owned[o] = single ? NULL : g_strconcat ("grad_", get_output_name (facts, o), NULL);
      names->cotangents[o] = settle_cotangent (cotangents[o], names->outputs[o]->dtype);
      add_name (names, get_output_name (facts, o), names->outputs[o]);
      add_name (names, single ? "grad" : names->owned[o], names->cotangents[o]);
    }
  return TRUE;
}

/* ---- Shapes ---- */

static gboolean
fail_shapes (const CandelaLayout *found, const char *what, const CandelaLayout *wanted, const char *of, GError **error)
{
  g_autofree char *text = candela_shape_to_string (found->dims, found->rank);
  g_autofree char *other = candela_shape_to_string (wanted->dims, wanted->rank);

  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE, "%s has shape %s, %s has shape %s", what, text, of, other);
  return FALSE;
}

/* A cotangent is as the output that it is of. */
static gboolean
check_cotangents (const CandelaOpFacts *facts, const CandelaNode *node, CandelaNode *const *cotangents, GError **error)
{
  for (guint o = 0; o < facts->n_outputs; o++)
    {
      const CandelaLayout *layout = candela_node_output_layout (node, o);

      if (!candela_layout_same_shape (cotangents[o]->layout, layout))
        return fail_shapes (cotangents[o]->layout, "the cotangent", layout, get_output_name (facts, o), error);
    }
  return TRUE;
}

/* Sums over the axes along which the input was broadcast. */
static CandelaNode *
take_back_broadcast (CandelaNode *gradient, const CandelaLayout *wanted, const char *input, GError **error)
{
  g_autoptr (CandelaLayout) broadcast =
    candela_layout_broadcast (wanted, gradient->layout->dims, gradient->layout->rank, NULL);
  GVariantBuilder params;
  CandelaOp *op;

  if (broadcast == NULL)
    {
      fail_shapes (gradient->layout, "it", wanted, input, error);
      return NULL;
    }
  op = candela_registry_lookup_operator (candela_registry_get_default (), ADJOINT, error);
  if (op == NULL)
    return NULL;
  g_variant_builder_init (&params, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&params, "{sv}", "shape",
                         g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, wanted->dims, wanted->rank, sizeof (gint64)));
  return candela_node_new_for_op (op, &gradient, 1, g_variant_builder_end (&params), error);
}

/* ---- The graph ---- */

static CandelaNode *
build (const CandelaOpFacts *facts, CandelaNode *const *inputs, guint n_inputs, const CandelaParams *params,
       CandelaNode *node, guint input, CandelaNode *const *cotangents, GError **error)
{
  g_autoptr (GString) text = candela_params_to_statements (facts, params);
  g_autoptr (CandelaNode) gradient = NULL;
  Names names = { .n = 0 };

  for (guint i = 0; i < MIN (facts->n_inputs - facts->variadic, CANDELA_MAX_GRADIENTS); i++)
    if (i < n_inputs)
      add_name (&names, facts->info->inputs[i].name, inputs[i]);
    else
      g_string_append_printf (text, "%s = none; ", facts->info->inputs[i].name);
  g_string_append (text, facts->info->gradients[input]);
  if (add_outputs (&names, facts, node, cotangents, error))
    gradient = candela_expression_build_part (text->str, names.named, names.n, error);
  clear_names (&names);

  if (gradient == NULL || candela_layout_same_shape (gradient->layout, inputs[input]->layout))
    return g_steal_pointer (&gradient);
  return take_back_broadcast (gradient, inputs[input]->layout, facts->info->inputs[input].name, error);
}

CandelaNode *
candela_node_build_gradient (CandelaOp *op, CandelaNode *const *inputs, guint n_inputs, const CandelaParams *params,
                             CandelaNode *node, guint input, CandelaNode *const *cotangents, GError **error)
{
  const CandelaOpFacts *facts = candela_op_get_facts (op);
  CandelaNode *gradient;

  if (input >= n_inputs || candela_op_get_gradient (op, input) == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER, "%s: it declares no gradient for %s%s",
                   facts->info->name, input < n_inputs ? "" : "an input that it does not have",
                   input < n_inputs ? candela_op_facts_input (facts, input)->name : "");
      return NULL;
    }
  gradient = check_cotangents (facts, node, cotangents, error)
               ? build (facts, inputs, n_inputs, params, node, input, cotangents, error)
               : NULL;
  if (gradient == NULL)
    g_prefix_error (error, "%s: the gradient for %s: ", facts->info->name, facts->info->inputs[input].name);
  return gradient;
}

/**
 * candela_node_new_gradient:
 * @node: a node of an op
 * @input: which of its inputs
 * @cotangents: (array length=n_cotangents): for each output of the op, the gradient of
 *   whatever is differentiated with respect to it, of the output's shape and dtype; a
 *   number takes that dtype
 * @n_cotangents: their number
 * @error: return location for an error
 *
 * The gradient of an op with respect to one of its inputs: the product of the cotangents
 * and its Jacobian (a vector-Jacobian product), of the input's shape, as the op declares
 * it (candela_op_get_gradient()). Going from a result to its inputs, with a cotangent of
 * ones first and the sum of what comes for each node then, gives the gradients of whole
 * graphs. Of one of the outputs of an op with several it is that of the op. Where the
 * dtypes of the inputs are not all the same, it has the one that the declaration gives.
 *
 * Errors: %CANDELA_ERROR_PARAMETER if the node is of no op, or the op declares no gradient
 * for that input; %CANDELA_ERROR_ARITY if there are more or fewer cotangents than outputs,
 * or one is %NULL; %CANDELA_ERROR_SHAPE for one of another shape; what building the nodes
 * says of a declaration that is wrong. An error that is already set stays as it is.
 *
 * Returns: (transfer full): a node, or %NULL on error
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_new_gradient (CandelaNode *node, guint input, CandelaNode *const *cotangents, gsize n_cotangents,
                           GError **error)
{
  gboolean missing = FALSE;

  g_return_val_if_fail (node != NULL, NULL);

  if (error != NULL && *error != NULL)
    return NULL;
  if (node->kind == CANDELA_NODE_OUTPUT)
    node = node->inputs[0];
  if (node->kind != CANDELA_NODE_OP)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER, "a node of no op has no gradient");
      return NULL;
    }
  for (gsize i = 0; i < n_cotangents; i++)
    missing = missing || cotangents[i] == NULL;
  if (missing || n_cotangents != node->u.op.facts->n_outputs)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY,
                   "%s: a cotangent is needed for each output, of which it has %u; %" G_GSIZE_FORMAT " given%s",
                   node->u.op.facts->info->name, node->u.op.facts->n_outputs, n_cotangents,
                   missing ? ", some of them NULL" : "");
      return NULL;
    }
  return candela_node_build_gradient (node->u.op.op, node->inputs, node->n_inputs, node->u.op.params, node, input,
                                      cotangents, error);
}
