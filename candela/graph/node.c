/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Nodes that stand for values from outside, or are made from one other node. */
#include <candela/graph/node-private.h>
#include <candela/value/dtype-private.h>
#include <string.h>

G_DEFINE_BOXED_TYPE (CandelaNode, candela_node, candela_node_ref, candela_node_unref)

G_DEFINE_ENUM_TYPE (CandelaNodeKind, candela_node_kind, G_DEFINE_ENUM_VALUE (CANDELA_NODE_EDGE, "edge"),
                    G_DEFINE_ENUM_VALUE (CANDELA_NODE_OP, "op"), G_DEFINE_ENUM_VALUE (CANDELA_NODE_OUTPUT, "output"),
                    G_DEFINE_ENUM_VALUE (CANDELA_NODE_CACHE, "cache"), G_DEFINE_ENUM_VALUE (CANDELA_NODE_SLOT, "slot"),
                    G_DEFINE_ENUM_VALUE (CANDELA_NODE_BAKED, "baked"))

/* ---- Values from outside ---- */

/**
 * candela_node_new_tensor:
 * @tensor: a tensor
 *
 * A node that stands for a tensor. The engine never writes into it.
 *
 * Returns: (transfer full): a node of the tensor's dtype and layout
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_new_tensor (CandelaTensor *tensor)
{
  CandelaNode *node;

  g_return_val_if_fail (CANDELA_IS_TENSOR (tensor), NULL);

  node = candela_node_alloc (CANDELA_NODE_EDGE, candela_tensor_get_dtype (tensor),
                             candela_layout_ref (candela_tensor_get_layout (tensor)), NULL, 0);
  node->u.tensor = g_object_ref (tensor);
  return node;
}

CandelaNode *
candela_node_new_computed (CandelaTensor **tensors, guint n)
{
  CandelaNode *node = candela_node_new_tensor (tensors[0]);

  g_object_unref (tensors[0]);
  if (n > 1)
    {
      node->u.edge.others = g_new0 (CandelaTensor *, n);
      memcpy (node->u.edge.others, tensors + 1, (n - 1) * sizeof *tensors);
    }
  return node;
}

CandelaNode *
candela_node_new_literal (CandelaDType dtype, gconstpointer value, gboolean weak)
{
  /* What candela_layout_new() makes for rank 0. */
  static CandelaLayout scalar = {
    .ref_count = CANDELA_LAYOUT_ETERNAL, .contiguous = TRUE, .n_elements = 1, .strides = scalar.dims
  };
  CandelaNode *node = candela_node_alloc (CANDELA_NODE_EDGE, dtype, &scalar, NULL, 0);

  node->literal = TRUE;
  node->weak = weak;
  memcpy (node->u.scalar, value, candela_dtype_size (dtype));
  return node;
}

/**
 * candela_node_new_bool:
 * @value: a truth value
 *
 * A Python-like scalar: rank 0, and it takes the dtype of the array that it
 * meets, as the array API standard says of Python's own. On its own it is bool.
 *
 * Returns: (transfer full): a weak scalar
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_new_bool (gboolean value)
{
  guint8 byte = value != FALSE;

  return candela_node_new_literal (CANDELA_DTYPE_BOOL, &byte, TRUE);
}

/**
 * candela_node_new_int:
 * @value: an integer
 *
 * A Python-like scalar: rank 0, and it takes the dtype of the array that it
 * meets; outside that dtype's range is an error. On its own it is int64.
 *
 * Returns: (transfer full): a weak scalar
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_new_int (gint64 value)
{
  return candela_node_new_literal (CANDELA_DTYPE_INT64, &value, TRUE);
}

/**
 * candela_node_new_float:
 * @value: a number
 *
 * A Python-like scalar: rank 0, and it takes the dtype of the floating-point
 * array that it meets; an array of integers becomes float64. On its own it is
 * float64.
 *
 * Returns: (transfer full): a weak scalar
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_new_float (double value)
{
  return candela_node_new_literal (CANDELA_DTYPE_FLOAT64, &value, TRUE);
}

/**
 * candela_node_new_uint:
 * @value: an integer
 *
 * As candela_node_new_int(), for integers up to 2^64 - 1. One that an int64 cannot
 * hold is uint64 on its own, and out of the range of every other integer dtype.
 *
 * Returns: (transfer full): a weak scalar
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_new_uint (guint64 value)
{
  return candela_node_new_literal (value > G_MAXINT64 ? CANDELA_DTYPE_UINT64 : CANDELA_DTYPE_INT64, &value, TRUE);
}

/**
 * candela_node_new_complex:
 * @real: the real part
 * @imaginary: the imaginary part
 *
 * A Python-like scalar: rank 0, and it takes the dtype of the complex array that it
 * meets; a float32 array becomes complex64, other real ones complex128. On its own
 * it is complex128.
 *
 * Returns: (transfer full): a weak scalar
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_new_complex (double real, double imaginary)
{
  const double parts[2] = { real, imaginary };

  return candela_node_new_literal (CANDELA_DTYPE_COMPLEX128, parts, TRUE);
}

/**
 * candela_node_new_slot:
 * @name: (nullable): what to call it
 * @dtype: its dtype
 * @shape: (array length=n_dims): its shape
 * @n_dims: the number of its axes
 * @error: return location for an error
 *
 * A placeholder: a graph over slots can be planned without data; tensors are
 * bound to the slots when the plan runs.
 *
 * Returns: (transfer full): a node, or %NULL on %CANDELA_ERROR_DTYPE or
 *   %CANDELA_ERROR_SHAPE
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_new_slot (const char *name, CandelaDType dtype, const gint64 *shape, gsize n_dims, GError **error)
{
  g_autoptr (CandelaLayout) layout = NULL;
  CandelaNode *node;

  if (candela_dtype_get_size (dtype) == 0)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE, "slot %s: %d is not a dtype", name != NULL ? name : "",
                   (int) dtype);
      return NULL;
    }
  layout = candela_layout_new (shape, n_dims, error);
  if (layout == NULL)
    return NULL;
  node = candela_node_alloc (CANDELA_NODE_SLOT, dtype, g_steal_pointer (&layout), NULL, 0);
  node->u.slot_name = g_strdup (name != NULL ? name : "");
  return node;
}

/* ---- Values from nodes ---- */

/**
 * candela_node_new_cache:
 * @node: (nullable): a node
 *
 * The same value, kept in memory once a run has computed it: runs after that
 * start from there. The value is kept contiguous. What depends on slots has
 * another value in each run and is not kept.
 *
 * Returns: (transfer full) (nullable): a node; %NULL if @node is
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_new_cache (CandelaNode *node)
{
  CandelaLayout *packed;
  CandelaNode *cache;

  if (node == NULL)
    return NULL;
  if (node->layout->contiguous && node->layout->offset == 0)
    packed = candela_layout_ref (node->layout);
  else
    packed = candela_layout_new (node->layout->dims, node->layout->rank, NULL);
  candela_node_ref (node);
  cache = candela_node_alloc (CANDELA_NODE_CACHE, node->dtype, packed, &node, 1);
  cache->weak = node->weak;
  return cache;
}

CandelaNode *
candela_node_new_for_plan (gpointer plan, GDestroyNotify plan_unref, CandelaDType dtype, CandelaLayout *layout,
                           CandelaNode *const *inputs, gsize n_inputs)
{
  CandelaNode *node;

  for (gsize i = 0; i < n_inputs; i++)
    candela_node_ref (inputs[i]);
  node = candela_node_alloc (CANDELA_NODE_BAKED, dtype, candela_layout_ref (layout), inputs, n_inputs);
  node->u.baked.plan = plan;
  node->u.baked.plan_unref = plan_unref;
  return node;
}

/**
 * candela_node_get_output:
 * @node: (nullable): a node
 * @output: which output
 * @error: return location for an error
 *
 * One of the outputs of an op with several. The node itself stands for its
 * first.
 *
 * Returns: (transfer full): a node, or %NULL on
 *   %CANDELA_ERROR_ARITY, or if @node is %NULL (the error is left as it is)
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_get_output (CandelaNode *node, guint output, GError **error)
{
  CandelaNode *projection;

  if (node == NULL || (error != NULL && *error != NULL))
    return NULL;
  if (output >= candela_node_get_n_outputs (node))
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY, "%s: has %u output%s; there is no output %u",
                   node->kind == CANDELA_NODE_OP ? node->u.op.facts->info->name : "node",
                   candela_node_get_n_outputs (node), candela_node_get_n_outputs (node) == 1 ? "" : "s", output);
      return NULL;
    }
  if (candela_node_get_n_outputs (node) == 1)
    return candela_node_ref (node);
  if (node->kind == CANDELA_NODE_EDGE)
    return candela_node_new_tensor (output == 0 ? node->u.edge.tensor : node->u.edge.others[output - 1]);
  if (node->weak && node->aliasing == CANDELA_ALIASING_NONE)
    {
      projection = candela_node_fold_literals (node->u.op.facts, node->u.op.kernel, node->inputs, node->n_inputs,
                                               node->u.op.params, output, TRUE);
      if (projection != NULL)
        return projection;
    }
  candela_node_ref (node);
  projection = candela_node_alloc (CANDELA_NODE_OUTPUT, candela_node_output_dtype (node, output),
                                   candela_layout_ref (candela_node_output_layout (node, output)), &node, 1);
  projection->weak = node->weak;
  projection->n_outputs = 0;
  projection->u.output = output;
  return projection;
}

CandelaTensor *
candela_node_peek_cached (CandelaNode *node)
{
  return g_atomic_pointer_get (&node->u.tensor);
}

void
candela_node_fill_cache (CandelaNode *node, CandelaTensor *tensor)
{
  g_object_ref (tensor);
  if (!g_atomic_pointer_compare_and_exchange (&node->u.tensor, NULL, tensor))
    g_object_unref (tensor);
}
