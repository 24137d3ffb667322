/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The short way to the commonest node: an element-wise op over packed arrays of one
 * dtype and shape, and numbers that take that dtype. What such an op makes of them its table
 * of kernels says, which has been looked up for each dtype (op/choose.c); what an infer
 * function says is to be the same. So nothing else is asked, and nothing can be wrong. All
 * else goes the long way, by construct.c, which finds the same for these. */
#include <candela/graph/node-private.h>
#include <candela/value/dtype-private.h>

/* The dtype of the arrays, and a layout that serves the result; FALSE if they are not all
 * alike. */
static gboolean
find_common (CandelaNode *const *inputs, guint n_inputs, CandelaDType *dtype, CandelaLayout **layout)
{
  *dtype = CANDELA_DTYPE_INVALID;
  *layout = NULL;
  for (guint i = 0; i < n_inputs; i++)
    {
      const CandelaNode *input = inputs[i];

      if (input->weak && input->literal)
        continue;
      if (input->weak || (*dtype != CANDELA_DTYPE_INVALID && *dtype != input->dtype))
        return FALSE;
      *dtype = input->dtype;
      if (*layout == NULL && input->layout->rank > 0)
        *layout = input->layout;
      else if (input->layout != *layout && input->layout->rank > 0
               && !candela_layout_same_shape (input->layout, *layout))
        return FALSE;
    }
  return *layout != NULL && (*layout)->contiguous && (*layout)->offset == 0;
}

static void
drop_inputs (CandelaNode **inputs, guint n_inputs)
{
  for (guint i = 0; i < n_inputs; i++)
    candela_node_unref (inputs[i]);
}

/* Scalars as that dtype, and references to the others; FALSE, and none of either, if one
 * takes another. */
static gboolean
take_inputs (const CandelaOpFacts *facts, CandelaNode *const *given, guint n_inputs, CandelaDType dtype,
             CandelaNode **inputs)
{
  for (guint i = 0; i < n_inputs; i++)
    {
      if (!given[i]->weak || given[i]->dtype == dtype)
        inputs[i] = candela_node_ref (given[i]);
      else if (candela_dtype_promote_weak (dtype, given[i]->dtype) == dtype)
        inputs[i] = candela_node_convert_literal (facts, i, given[i], dtype, FALSE, NULL);
      else
        inputs[i] = NULL;
      if (inputs[i] != NULL)
        continue;
      drop_inputs (inputs, i);
      return FALSE;
    }
  return TRUE;
}

/* Whether the op's own function comes to the same. */
static gboolean
infers_the_same (CandelaOp *op, CandelaNode *const *inputs, guint n_inputs, const CandelaParams *params,
                 const CandelaKernelInfo *row, CandelaLayout *layout)
{
  const CandelaLayout *layouts[CANDELA_MAX_LOOP_INPUTS];
  CandelaDType dtypes[CANDELA_MAX_LOOP_INPUTS];
  CandelaInference inference;
  gboolean same;

  for (guint i = 0; i < n_inputs; i++)
    {
      layouts[i] = inputs[i]->layout;
      dtypes[i] = inputs[i]->dtype;
    }
  candela_inference_init (&inference, op, params, n_inputs, layouts, dtypes, row->in[0]);
  same = inference.facts->info->infer (&inference, NULL) && inference.kernel == row
         && inference.out_layouts[0] == layout && inference.out_dtypes[0] == row->out[0]
         && inference.aliasing[0] == CANDELA_ALIASING_NONE;
  candela_inference_clear (&inference);
  return same;
}

CandelaNode *
candela_node_new_plain (CandelaOp *op, CandelaNode *const *given, guint n_inputs, CandelaParams *params)
{
  const CandelaOpFacts *facts = candela_op_get_facts (op);
  CandelaNode *inputs[CANDELA_MAX_LOOP_INPUTS], *node;
  const CandelaKernelInfo *row;
  CandelaLayout *layout;
  CandelaDType dtype;
  gint64 bytes;

  if (!facts->plain || !find_common (given, n_inputs, &dtype, &layout))
    return NULL;
  row = facts->plain_row[dtype];
  if (row == NULL || __builtin_mul_overflow (layout->n_elements, (gint64) candela_dtype_size (row->out[0]), &bytes)
      || !take_inputs (facts, given, n_inputs, dtype, inputs))
    return NULL;
  if (facts->infers && !infers_the_same (op, inputs, n_inputs, params, row, layout))
    {
      drop_inputs (inputs, n_inputs);
      return NULL;
    }
  node = candela_node_alloc (CANDELA_NODE_OP, row->out[0], layout, inputs, n_inputs);
  node->lent = TRUE;
  node->direct = TRUE;
  node->u.op.op = candela_op_hold (op);
  node->u.op.facts = facts;
  node->u.op.kernel = row;
  node->u.op.params = candela_params_ref (params);
  return node;
}
