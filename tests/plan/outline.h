/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plan as one line, to be compared with what is right:
 *
 *   add(a,1):allocate@0; transpose(add):reference-slot@0; sum(transpose):allocate@1-0
 *
 * Each step with the nodes that it really reads (a placeholder by its name, a
 * scalar by its value, else the op), how and in which slot each output is
 * produced, and after a minus the slots that are freed. */
#pragma once

#include "../testing.h"
#include "verify.h"

/* a, b, c: [2, 3]; s: [3, 3]; u, v: [6]; w: [1, 1, 6]; f: float32 [2, 3]; i: int8 [2, 3];
 * l: a long one, m: a longer one. */
static inline GHashTable *
slot_names (void)
{
  static const struct
  {
    const char *name, *dtype, *shape;
  } slots[] = {
    { "a", "float64", "2 3" }, { "b", "float64", "2 3" },  { "c", "float64", "2 3" },    { "s", "float64", "3 3" },
    { "u", "float64", "6" },   { "v", "float64", "6" },    { "w", "float64", "1 1 6" },  { "f", "float32", "2 3" },
    { "i", "int8", "2 3" },    { "l", "float64", "1000" }, { "m", "float64", "100000" }, { "r", "float64", "3" },
    { "k", "float64", "2 1" },
  };
  GHashTable *names = names_new ();

  for (guint i = 0; i < G_N_ELEMENTS (slots); i++)
    add_slot (names, slots[i].name, slots[i].dtype, slots[i].shape);
  return names;
}

static inline void
outline_value (GString *line, const CandelaPlan *plan, guint32 v)
{
  CandelaNode *node = plan->values[v].node;
  CandelaOp *op = candela_node_get_op (node);

  if (op != NULL)
    g_string_append (line, candela_op_get_name (op));
  else if (node->kind == CANDELA_NODE_SLOT)
    g_string_append (line, node->u.slot_name);
  else if (node->kind == CANDELA_NODE_EDGE && node->literal)
    {
      g_autoptr (CandelaTensor) tensor = candela_node_materialize (node, NULL);
      g_autofree char *text = candela_tensor_to_string (tensor);

      g_string_append (line, text);
    }
  else
    g_string_append (line, node->kind == CANDELA_NODE_CACHE   ? "cache"
                           : node->kind == CANDELA_NODE_BAKED ? "baked"
                                                              : "edge");
}

static inline char *
outline (CandelaPlan *plan)
{
  static const char *const kinds[] = { "allocate", "reuse", "in-place", "reference-slot", "reference-eternal" };
  GString *line = g_string_new (NULL);

  for (guint32 s = 0; s < plan->n_steps; s++)
    {
      const CandelaPlanStep *step = &plan->steps[s];
      g_autofree char *name = candela_plan_get_step_op (plan, s);

      g_string_append_printf (line, "%s%s(", s > 0 ? "; " : "", name);
      for (guint32 i = 0; i < step->n_inputs; i++)
        {
          g_string_append (line, i > 0 ? "," : "");
          outline_value (line, plan, plan->inputs[step->first_input + i]);
        }
      g_string_append (line, "):");
      for (guint32 o = 0; o < step->n_outputs; o++)
        {
          const CandelaPlanOutput *output = &plan->outputs[step->first_output + o];

          g_assert_cmpint (candela_plan_get_step_output_kind (plan, s, o), ==, output->kind);
          g_string_append_printf (line, "%s%s", o > 0 ? "," : "", kinds[output->kind]);
          if (output->kind != CANDELA_OUTPUT_REFERENCE_ETERNAL)
            g_string_append_printf (line, "@%u", plan->values[output->value].source);
        }
      for (guint32 f = 0; f < step->n_free; f++)
        g_string_append_printf (line, "%s%u", f == 0 ? "-" : ",", plan->frees[step->first_free + f]);
    }
  return g_string_free (line, FALSE);
}

/* Several statements whose last has several values give several roots. */
static inline CandelaPlan *
plan_text (const char *text, CandelaPlanFlags flags)
{
  g_autoptr (GHashTable) names = slot_names ();
  g_autoptr (CandelaExpression) expression = parse (text, names);
  g_autoptr (GPtrArray) roots = g_ptr_array_new ();

  for (guint i = 0; i < candela_expression_get_n_values (expression); i++)
    g_ptr_array_add (roots, candela_expression_get_nth_value (expression, i));
  return plan_roots ((CandelaNode **) roots->pdata, roots->len, flags);
}

static inline void
assert_outline (CandelaPlan *plan, const char *wanted)
{
  g_autofree char *line = outline (plan);

  verify_plan (plan);
  g_assert_cmpstr (line, ==, wanted);
}

/* Beside the outline: what the plan says of the first output of the step that runs
 * that op. */
static inline void
assert_reason (CandelaPlan *plan, const char *op, guint output, CandelaReason reason, const char *wanted)
{
  g_autofree char *text = candela_plan_to_string (plan);

  g_assert_nonnull (strstr (text, wanted));
  for (guint32 s = 0; s < plan->n_steps; s++)
    {
      g_autofree char *name = candela_plan_get_step_op (plan, s);

      if (strcmp (name, op) == 0)
        {
          g_assert_cmpint (plan->outputs[plan->steps[s].first_output + output].reason, ==, reason);
          return;
        }
    }
  g_error ("no step runs %s", op);
}
