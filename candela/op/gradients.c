/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The gradients that an op declares. Their text is read in the layer above, where it is
 * first used: it may call ops of plugins that are not loaded yet. */
#include <candela/op/op-private.h>
#include <string.h>

static gboolean
is_output (const CandelaOpInfo *info, const char *name)
{
  return info->outputs != NULL ? g_strv_contains (info->outputs, name) : strcmp (name, "out") == 0;
}

/* Words with a meaning in gradients. */
static gboolean
names_clash (const CandelaOpFacts *facts)
{
  const CandelaOpInfo *info = facts->info;

  for (guint i = 0; i < facts->n_inputs + facts->n_params; i++)
    {
      const char *name = i < facts->n_inputs ? info->inputs[i].name : info->params[i - facts->n_inputs].name;

      if (strcmp (name, "grad") == 0 || g_str_has_prefix (name, "grad_") || is_output (info, name))
        return TRUE;
    }
  return FALSE;
}

const char *
candela_op_facts_check_gradients (const CandelaOpFacts *facts)
{
  const CandelaOpInfo *info = facts->info;
  gboolean any = FALSE;

  for (guint i = 0; i < CANDELA_MAX_GRADIENTS; i++)
    {
      if (info->gradients[i] == NULL)
        continue;
      any = TRUE;
      if (i >= facts->n_inputs || (info->inputs[i].flags & CANDELA_INPUT_VARIADIC) != 0)
        return "it has a gradient for an input that there is not, or for one that may be any number";
      if (info->gradients[i][0] == '\0')
        return "a gradient of it is an empty text";
    }
  if (!any)
    return NULL;
  if (info->expression != NULL || info->output_shape == CANDELA_OUTPUT_SHAPE_DATA)
    return "it has a gradient, and no node has it: it is an expression, or its shape depends on data";
  if (info->effect != CANDELA_EFFECT_PURE || info->determinism == CANDELA_DETERMINISM_NONE)
    return "it has a gradient, and is not a function of its inputs";
  return names_clash (facts) ? "it has a gradient, and an input or a parameter is called as an output or a cotangent"
                             : NULL;
}

/**
 * candela_op_get_gradient:
 * @op: an op
 * @input: which of its inputs
 *
 * The gradient that the op declares for an input: its vector-Jacobian product, as an
 * expression over the op's inputs, parameters and outputs by their names and the
 * cotangent `grad`. candela_node_new_gradient() makes nodes of it.
 *
 * Returns: (transfer none) (nullable): the expression; %NULL if the input has none
 *
 * Since: 1.0
 */
const char *
candela_op_get_gradient (CandelaOp *op, guint input)
{
  g_return_val_if_fail (CANDELA_IS_OP (op), NULL);

  return input < CANDELA_MAX_GRADIENTS ? candela_op_get_facts (op)->info->gradients[input] : NULL;
}
