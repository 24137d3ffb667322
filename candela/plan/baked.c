/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Baked nodes: a plan over slots, made once, as one node of another graph. */
#include <candela/plan/plan-private.h>

/* Running a plan within a plan within … needs some stack for each. */
#define MAX_DEPTH 64

/**
 * candela_node_new_baked:
 * @plan: a plan with one root
 * @inputs: (array length=n_inputs) (nullable): what to bind to its slots, in the
 *   order in which the plan names them
 * @n_inputs: their number
 * @error: return location for an error
 *
 * A plan as one node: it is not planned again, and its value is that of the
 * plan's root with the inputs bound to its slots. Each input must have its
 * slot's dtype and shape.
 *
 * Returns: (transfer full): a node, or %NULL on
 *   %CANDELA_ERROR_ARITY, %CANDELA_ERROR_SHAPE, %CANDELA_ERROR_DTYPE or
 *   %CANDELA_ERROR_PARAMETER (nested too deep)
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_new_baked (CandelaPlan *plan, CandelaNode *const *inputs, gsize n_inputs, GError **error)
{
  g_autoptr (CandelaLayout) layout = NULL;
  const CandelaPlanValue *root;

  g_return_val_if_fail (plan != NULL, NULL);

  if (plan->n_roots != 1 || n_inputs != plan->n_bindings)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY,
                   "baked: the plan has %u roots and %u slots; there must be 1 root, and %" G_GSIZE_FORMAT
                   " inputs are given",
                   plan->n_roots, plan->n_bindings, n_inputs);
      return NULL;
    }
  if (plan->depth >= MAX_DEPTH)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER, "baked: plans are nested more than %d deep",
                   MAX_DEPTH);
      return NULL;
    }
  for (gsize i = 0; i < n_inputs; i++)
    {
      const CandelaNode *slot = plan->bindings[i];

      if (inputs[i] == NULL)
        {
          if (error == NULL || *error == NULL)
            g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY,
                         "baked: input %" G_GSIZE_FORMAT " is missing (NULL)", i);
          return NULL;
        }
      if (inputs[i]->dtype != slot->dtype || !candela_layout_same_shape (inputs[i]->layout, slot->layout))
        {
          g_autofree char *given = candela_node_to_string (inputs[i]);
          g_autofree char *wanted = candela_node_to_string ((CandelaNode *) slot);

          g_set_error (error, CANDELA_ERROR,
                       inputs[i]->dtype != slot->dtype ? CANDELA_ERROR_DTYPE : CANDELA_ERROR_SHAPE,
                       "baked: input %" G_GSIZE_FORMAT " is %s; the slot is %s", i, given, wanted);
          return NULL;
        }
    }

  root = &plan->values[plan->root_values[0]];
  layout = candela_layout_new (root->layout->dims, root->layout->rank, error);
  if (layout == NULL)
    return NULL;
  return candela_node_new_for_plan (candela_plan_ref (plan), (GDestroyNotify) candela_plan_unref, root->dtype, layout,
                                    inputs, n_inputs);
}
