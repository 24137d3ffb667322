/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What can be asked of a node. */
#include <candela/graph/node-private.h>

#include <candela/op/script-private.h>
#include <string.h>

/**
 * candela_node_get_kind:
 * @node: a node
 *
 * What kind of node it is.
 *
 * Returns: the kind
 *
 * Since: 1.0
 */
CandelaNodeKind
candela_node_get_kind (CandelaNode *node)
{
  g_return_val_if_fail (node != NULL, CANDELA_NODE_EDGE);

  return node->kind;
}

/**
 * candela_node_get_dtype:
 * @node: a node
 *
 * The dtype of the node's value; of the first, if it has several.
 *
 * Returns: the dtype
 *
 * Since: 1.0
 */
CandelaDType
candela_node_get_dtype (CandelaNode *node)
{
  g_return_val_if_fail (node != NULL, CANDELA_DTYPE_INVALID);

  return node->dtype;
}

/**
 * candela_node_get_layout:
 * @node: a node
 *
 * The layout of the node's value as the graph says; a plan may find a packed one
 * in its place.
 *
 * Returns: (transfer none): the layout
 *
 * Since: 1.0
 */
CandelaLayout *
candela_node_get_layout (CandelaNode *node)
{
  g_return_val_if_fail (node != NULL, NULL);

  return node->layout;
}

/**
 * candela_node_get_shape:
 * @node: a node
 * @n_dims: (out) (optional): the number of axes
 *
 * The shape of the node's value; of the first, if it has several.
 *
 * Returns: (transfer none) (array length=n_dims): the shape
 *
 * Since: 1.0
 */
const gint64 *
candela_node_get_shape (CandelaNode *node, gsize *n_dims)
{
  g_return_val_if_fail (node != NULL, NULL);

  return candela_layout_get_shape (node->layout, n_dims);
}

/**
 * candela_node_is_weak:
 * @node: a node
 *
 * Whether the value is a Python-like scalar, which takes the dtype of the array
 * that it meets.
 *
 * Returns: %TRUE if it is
 *
 * Since: 1.0
 */
gboolean
candela_node_is_weak (CandelaNode *node)
{
  g_return_val_if_fail (node != NULL, FALSE);

  return node->weak;
}

/**
 * candela_node_get_op:
 * @node: a node
 *
 * The op of an op node.
 *
 * Returns: (transfer none) (nullable): the op; %NULL for other kinds
 *
 * Since: 1.0
 */
CandelaOp *
candela_node_get_op (CandelaNode *node)
{
  g_return_val_if_fail (node != NULL, NULL);

  return node->kind == CANDELA_NODE_OP ? node->u.op.op : NULL;
}

/**
 * candela_node_get_params:
 * @node: a node
 *
 * The parameters of an op node by their names, as candela_node_new_for_op() takes them;
 * those that have defaults too. What is not given and has none is left out.
 *
 * Returns: (transfer full): a dictionary of type `a{sv}`; empty for other kinds
 *
 * Since: 1.0
 */
GVariant *
candela_node_get_params (CandelaNode *node)
{
  g_return_val_if_fail (node != NULL, NULL);

  if (node->kind != CANDELA_NODE_OP || node->u.op.params == NULL)
    return g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE ("{sv}"), NULL, 0));
  return g_variant_ref_sink (candela_script_params_to_variant (node->u.op.params));
}

/**
 * candela_node_get_n_outputs:
 * @node: a node
 *
 * How many values the node has: one, but for ops with several outputs.
 *
 * Returns: their number
 *
 * Since: 1.0
 */
guint
candela_node_get_n_outputs (CandelaNode *node)
{
  guint n = 1;

  g_return_val_if_fail (node != NULL, 0);

  if (node->kind == CANDELA_NODE_EDGE && !node->literal && node->u.edge.others != NULL)
    while (node->u.edge.others[n - 1] != NULL)
      n++;
  return MAX (node->n_outputs, n);
}

/**
 * candela_node_get_n_inputs:
 * @node: a node
 *
 * How many inputs the node has.
 *
 * Returns: their number
 *
 * Since: 1.0
 */
guint
candela_node_get_n_inputs (CandelaNode *node)
{
  g_return_val_if_fail (node != NULL, 0);

  return node->n_inputs;
}

/**
 * candela_node_get_input:
 * @node: a node
 * @input: which input
 *
 * One of the node's inputs.
 *
 * Returns: (transfer none) (nullable): the input; %NULL if there is none of that
 *   number
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_get_input (CandelaNode *node, guint input)
{
  g_return_val_if_fail (node != NULL, NULL);

  return input < node->n_inputs ? node->inputs[input] : NULL;
}

/**
 * candela_node_get_tensor:
 * @node: a node
 *
 * The tensor that an edge node stands for, or that a cache node has been filled
 * with.
 *
 * Returns: (transfer full) (nullable): the tensor, if there is one
 *
 * Since: 1.0
 */
CandelaTensor *
candela_node_get_tensor (CandelaNode *node)
{
  CandelaTensor *tensor = NULL;

  g_return_val_if_fail (node != NULL, NULL);

  if (node->kind == CANDELA_NODE_EDGE && !node->literal)
    tensor = node->u.tensor;
  else if (node->kind == CANDELA_NODE_CACHE)
    tensor = candela_node_peek_cached (node);
  return tensor != NULL ? g_object_ref (tensor) : NULL;
}

/**
 * candela_node_get_scalar:
 * @node: a node
 *
 * The value of a weak scalar that is known without computing.
 *
 * Returns: (transfer full) (nullable): a variant of type `b`, `x`, `t` (if it is too
 *   large for `x`), `d` or `(dd)` (the parts of a complex number); %NULL for all
 *   other nodes
 *
 * Since: 1.0
 */
GVariant *
candela_node_get_scalar (CandelaNode *node)
{
  union
  {
    gint64 i;
    double d[2];
  } value;

  g_return_val_if_fail (node != NULL, NULL);

  if (node->kind != CANDELA_NODE_EDGE || !node->literal || !node->weak)
    return NULL;
  memcpy (&value, node->u.scalar, sizeof value);
  switch (node->dtype)
    {
    case CANDELA_DTYPE_BOOL:
      return g_variant_ref_sink (g_variant_new_boolean (node->u.scalar[0]));
    case CANDELA_DTYPE_INT64:
      return g_variant_ref_sink (g_variant_new_int64 (value.i));
    case CANDELA_DTYPE_UINT64:
      return g_variant_ref_sink (g_variant_new_uint64 ((guint64) value.i));
    case CANDELA_DTYPE_FLOAT64:
      return g_variant_ref_sink (g_variant_new_double (value.d[0]));
    default:
      return g_variant_ref_sink (g_variant_new ("(dd)", value.d[0], value.d[1]));
    }
}

/**
 * candela_node_to_string:
 * @node: a node
 *
 * What the node is, in a line: `add: float32 [2, 3]`.
 *
 * Returns: (transfer full): the line
 *
 * Since: 1.0
 */
char *
candela_node_to_string (CandelaNode *node)
{
  static const char *const kinds[] = { "tensor", "op", "output", "cache", "slot", "baked" };
  g_autofree char *shape = NULL;
  const char *name;

  g_return_val_if_fail (node != NULL, NULL);

  shape = candela_shape_to_string (node->layout->dims, node->layout->rank);
  name = node->kind == CANDELA_NODE_OP                                  ? node->u.op.facts->info->name
         : node->kind == CANDELA_NODE_SLOT && node->u.slot_name[0] != 0 ? node->u.slot_name
         : node->literal                                                ? "scalar"
                                                                        : kinds[node->kind];
  return g_strdup_printf ("%s: %s %s", name, candela_dtype_get_name (node->dtype), shape);
}
