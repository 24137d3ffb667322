/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plan as a graph in the DOT language: a box for each step, with its parts if it
 * is fused, coloured by how its result is produced; an oval for each value from
 * outside. A dashed edge goes to a step that refers to the buffer of its input, a
 * bold one to a step that writes over it. Results have a thick border. */
#include <candela/plan/print-private.h>

#include <string.h>

/* How many parts of a fused step are named in its box. */
#define MAX_PARTS 12

const char *
candela_plan_kind_color (guint kind)
{
  static const char *const colors[] = { "#f6b48f", "#f9e0a2", "#a8d5a2", "#b9d7ea", "#dcdcdc" };
  return kind < G_N_ELEMENTS (colors) ? colors[kind] : "#ffffff";
}

/* Within the quotes of a record's label; names of slots may hold anything. */
static void
append_escaped (GString *dot, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  for (const char *c = valid; *c != '\0'; c++)
    {
      if (strchr ("{}|<>\\\" ", *c) != NULL)
        g_string_append_printf (dot, "\\%c", *c);
      else if (*c == '&')
        g_string_append (dot, "&amp;");
      else if ((guchar) *c < 0x20)
        g_string_append (dot, "\\ ");
      else
        g_string_append_c (dot, *c);
    }
}

static void
append_field (GString *dot, const char *separator, char *text)
{
  g_autofree char *owned = text;

  g_string_append (dot, separator);
  append_escaped (dot, owned);
}

static gboolean *
find_roots (const CandelaPlan *plan)
{
  gboolean *roots = g_new0 (gboolean, MAX (plan->n_values, 1));

  for (guint r = 0; r < plan->n_roots; r++)
    roots[plan->root_values[r]] = TRUE;
  return roots;
}

static void
append_leaf (GString *dot, const CandelaPlan *plan, guint32 leaf, gboolean is_root)
{
  g_autofree char *type = candela_plan_value_type (plan, leaf);

  g_string_append_printf (dot, "  v%u [shape=Mrecord, fillcolor=\"#ffffff\"%s, label=\"{", leaf,
                          is_root ? ", penwidth=2.5" : "");
  append_field (dot, "", candela_plan_value_label (plan, leaf));
  append_field (dot, "|", g_strdup_printf ("%s %s", candela_plan_leaf_kind (plan, leaf), type));
  g_string_append (dot, "}\"];\n");
}

static char *
output_text (const CandelaPlan *plan, const CandelaPlanOutput *output)
{
  g_autofree char *bytes = candela_plan_bytes_to_string (candela_plan_output_bytes (plan, output));
  guint32 slot = candela_plan_output_slot (plan, output);

  if (slot == CANDELA_PLAN_NONE)
    return g_strdup ("reference");
  if (output->kind == CANDELA_OUTPUT_REFERENCE_SLOT)
    return g_strdup_printf ("slot %u (reference)", slot);
  return g_strdup_printf ("slot %u (%s, %s)", slot, candela_plan_kind_name (output->kind), bytes);
}

static void
append_step (GString *dot, const CandelaPlan *plan, guint32 index, const gboolean *roots)
{
  const CandelaPlanStep *step = &plan->steps[index];
  guint kind = step->n_outputs > 0 ? candela_plan_step_output (plan, step, 0)->kind : G_MAXUINT;
  gboolean is_root = FALSE;

  for (guint32 o = 0; o < step->n_outputs; o++)
    is_root = is_root || roots[candela_plan_step_output (plan, step, o)->value];
  g_string_append_printf (dot, "  s%u [shape=record, fillcolor=\"%s\"%s, label=\"{", index,
                          candela_plan_kind_color (kind), is_root ? ", penwidth=2.5" : "");

  if (step->n_parts > 1)
    {
      append_field (dot, "", g_strdup_printf ("step %u: %u ops as one", index, step->n_parts));
      for (guint32 p = 0; p < MIN (step->n_parts, MAX_PARTS); p++)
        append_field (dot, p == 0 ? "|" : "\\n",
                      g_strdup (candela_plan_part_name (&plan->parts[step->first_part + p])));
      if (step->n_parts > MAX_PARTS)
        append_field (dot, "\\n", g_strdup_printf ("and %u more", step->n_parts - MAX_PARTS));
    }
  else
    {
      g_autofree char *name = candela_plan_step_short_name (plan, step);
      append_field (dot, "", g_strdup_printf ("step %u: %s", index, name));
    }
  for (guint32 o = 0; o < step->n_outputs; o++)
    {
      const CandelaPlanOutput *output = candela_plan_step_output (plan, step, o);

      append_field (dot, "|", candela_plan_value_type (plan, output->value));
      append_field (dot, "\\n", output_text (plan, output));
    }
  g_string_append (dot, "}\"];\n");
}

static const char *
edge_style (const CandelaPlan *plan, const CandelaPlanStep *step, guint32 input)
{
  for (guint32 o = 0; o < step->n_outputs; o++)
    {
      const CandelaPlanOutput *output = candela_plan_step_output (plan, step, o);

      if (output->input != input)
        continue;
      return output->kind == CANDELA_OUTPUT_IN_PLACE ? "bold" : "dashed";
    }
  return "solid";
}

/* Which output of its step the value is. */
static guint32
output_index (const CandelaPlan *plan, const CandelaPlanStep *step, guint32 value)
{
  guint32 o = 0;
  while (o + 1 < step->n_outputs && candela_plan_step_output (plan, step, o)->value != value)
    o++;
  return o;
}

static void
append_edges (GString *dot, const CandelaPlan *plan, guint32 index, const guint32 *producers)
{
  const CandelaPlanStep *step = &plan->steps[index];

  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      guint32 value = plan->inputs[step->first_input + i];
      guint32 producer = producers[value];

      if (producer == CANDELA_PLAN_NONE)
        g_string_append_printf (dot, "  v%u", value);
      else
        g_string_append_printf (dot, "  s%u", producer);
      g_string_append_printf (dot, " -> s%u [style=%s", index, edge_style (plan, step, i));
      if (producer != CANDELA_PLAN_NONE && plan->steps[producer].n_outputs > 1)
        g_string_append_printf (dot, ", label=\"%u\"", output_index (plan, &plan->steps[producer], value));
      g_string_append (dot, "];\n");
    }
}

/**
 * candela_plan_to_dot:
 * @plan: a plan
 *
 * The plan as a graph in Graphviz's DOT language.
 *
 * Returns: (transfer full): the text
 *
 * Since: 1.0
 */
char *
candela_plan_to_dot (CandelaPlan *plan)
{
  g_return_val_if_fail (plan != NULL, NULL);

  g_autofree guint32 *producers = candela_plan_find_producers (plan);
  g_autofree gboolean *roots = find_roots (plan);
  guint32 n_leaves;
  g_autofree guint32 *leaves = candela_plan_find_leaves (plan, producers, &n_leaves);
  g_autoptr (GString) dot = g_string_new (NULL);

  g_string_append (dot, "digraph plan {\n"
                        "  graph [rankdir=TB, nodesep=0.3, ranksep=0.35, bgcolor=\"transparent\"];\n"
                        "  node [style=filled, fontname=\"Helvetica\", fontsize=11, color=\"#555555\", height=0.3];\n"
                        "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#555555\", arrowsize=0.7];\n");
  for (guint32 k = 0; k < n_leaves; k++)
    append_leaf (dot, plan, leaves[k], roots[leaves[k]]);
  for (guint32 s = 0; s < plan->n_steps; s++)
    append_step (dot, plan, s, roots);
  for (guint32 s = 0; s < plan->n_steps; s++)
    append_edges (dot, plan, s, producers);
  g_string_append (dot, "}\n");
  return g_string_free (g_steal_pointer (&dot), FALSE);
}
