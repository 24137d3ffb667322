/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plan as a table to be read in a terminal: what comes from outside, then a
 * line per step: what it computes, of which type, where to, what is freed after
 * it, and why it is so. */
#include <candela/plan/print-private.h>

#include <string.h>

/* A fused step is written as an expression up to this length. */
#define MAX_EXPRESSION 72

/* A column is made wide enough for its cells up to this width. */
#define MAX_WIDTH 80

enum {
  COLUMN_STEP,
  COLUMN_WHAT,
  COLUMN_TYPE,
  COLUMN_WHERE,
  COLUMN_FREES,
  COLUMN_REASON,
  N_COLUMNS
};

typedef struct
{
  char *cells[N_COLUMNS];
} Row;

static void
row_clear (gpointer data)
{
  Row *row = data;
  for (guint c = 0; c < N_COLUMNS; c++)
    g_free (row->cells[c]);
}

static void
append_inputs (GString *text, char *const *labels, guint32 n)
{
  g_string_append (text, " (");
  for (guint32 i = 0; i < n && text->len < 4 * MAX_WIDTH; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", labels[i]);
  g_string_append (text, text->len < 4 * MAX_WIDTH ? ")" : ", …)");
}

/* "multiply (add (x, y), 2.0)": each register is the text of the part that wrote
 * it. NULL if that gets long, or if a part has several outputs. */
static char *
fused_expression (const CandelaPlan *plan, const CandelaPlanStep *step, char *const *inputs)
{
  guint32 n_operands = step->n_inputs + step->n_registers;
  g_auto (GStrv) texts = NULL;
  char *result = NULL;

  if (step->n_parts > MAX_EXPRESSION / 4 || n_operands > MAX_EXPRESSION)
    return NULL;
  texts = g_new0 (char *, n_operands + 1);
  for (guint32 k = 0; k < n_operands; k++)
    texts[k] = g_strdup (k < step->n_inputs ? inputs[k] : "");

  for (guint32 p = 0; p < step->n_parts; p++)
    {
      const CandelaPlanPart *part = &plan->parts[step->first_part + p];
      const guint32 *operands = candela_plan_part_operands (plan, part);
      g_autoptr (GString) text = g_string_new (candela_plan_part_name (part));
      guint32 target = operands[part->node->n_inputs];

      g_string_append (text, " (");
      for (guint32 i = 0; i < part->node->n_inputs; i++)
        g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", texts[operands[i]]);
      g_string_append_c (text, ')');
      if (part->node->n_outputs != 1 || g_utf8_strlen (text->str, -1) > MAX_EXPRESSION
          || (p + 1 == step->n_parts) != ((target & CANDELA_PART_OUTPUT) != 0))
        return NULL;
      if (p + 1 == step->n_parts)
        result = g_strdup (text->str);
      else
        {
          g_free (texts[target]);
          texts[target] = g_strdup (text->str);
        }
    }
  return result;
}

/* "add (x, %3, axis=[0])". */
static char *
step_computation (const CandelaPlan *plan, const CandelaPlanStep *step)
{
  guint32 n = step->n_inputs;
  g_auto (GStrv) labels = g_new0 (char *, n + 1);
  g_autofree char *name = candela_plan_step_short_name (plan, step);
  g_autoptr (GString) text = g_string_new (name);
  const CandelaNode *node = step->n_parts > 0 ? plan->parts[step->first_part].node : NULL;

  for (guint32 i = 0; i < n; i++)
    labels[i] = candela_plan_value_label (plan, plan->inputs[step->first_input + i]);
  if (step->kind == CANDELA_STEP_FUSED && step->n_parts > 1)
    {
      char *expression = fused_expression (plan, step, labels);
      if (expression != NULL)
        return expression;
    }
  if (step->kind == CANDELA_STEP_FUSED && step->n_parts == 1)
    {
      /* A value that the op reads twice is one input of the step. */
      const guint32 *operands = candela_plan_part_operands (plan, &plan->parts[step->first_part]);
      char *read[CANDELA_MAX_LOOP_INPUTS];

      for (guint32 i = 0; i < node->n_inputs; i++)
        read[i] = labels[operands[i]];
      append_inputs (text, read, node->n_inputs);
    }
  else
    append_inputs (text, labels, n);
  if (step->n_parts == 1 && node->kind == CANDELA_NODE_OP)
    {
      g_autofree char *params = candela_params_to_string (node->u.op.params);

      if (params != NULL && text->str[text->len - 1] == ')')
        {
          g_string_truncate (text, text->len - 1);
          g_string_append_printf (text, "%s%s)", n > 0 ? ", " : "", params);
        }
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
output_place (const CandelaPlan *plan, const CandelaPlanStep *step, const CandelaPlanOutput *output)
{
  guint32 slot = candela_plan_output_slot (plan, output);
  g_autofree char *bytes = candela_plan_bytes_to_string (candela_plan_output_bytes (plan, output));
  g_autofree char *input = output->input < step->n_inputs
                             ? candela_plan_value_label (plan, plan->inputs[step->first_input + output->input])
                             : g_strdup ("?");

  switch ((CandelaOutputKind) output->kind)
    {
    case CANDELA_OUTPUT_IN_PLACE:
      return g_strdup_printf ("→ slot %u (in place over %s%s, %s)", slot, input,
                              step->follows ? " as it is computed" : "", bytes);
    case CANDELA_OUTPUT_REFERENCE_SLOT:
      return g_strdup_printf ("→ slot %u (reference to %s)", slot, input);
    case CANDELA_OUTPUT_REFERENCE_ETERNAL:
      return g_strdup_printf ("→ reference to %s", input);
    default:
      return g_strdup_printf ("→ slot %u (%s, %s)", slot, candela_plan_kind_name (output->kind), bytes);
    }
}

static char *
step_frees (const CandelaPlan *plan, const CandelaPlanStep *step)
{
  g_autoptr (GString) text = g_string_new (step->n_free > 0 ? "frees slot " : "");

  for (guint32 k = 0; k < step->n_free; k++)
    g_string_append_printf (text, "%s%u", k > 0 ? ", " : "", plan->frees[step->first_free + k]);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* A row for each output; what is the step's alone stands in the first. */
static void
append_step (const CandelaPlan *plan, guint32 index, GArray *rows)
{
  const CandelaPlanStep *step = &plan->steps[index];

  for (guint32 o = 0; o < MAX (step->n_outputs, 1); o++)
    {
      g_autofree char *what = o == 0 ? step_computation (plan, step) : NULL;
      Row row = { 0 };

      row.cells[COLUMN_STEP] = o == 0 ? g_strdup_printf ("step %u", index) : g_strdup ("");
      row.cells[COLUMN_FREES] = o == 0 ? step_frees (plan, step) : g_strdup ("");
      if (step->n_outputs == 0)
        row.cells[COLUMN_WHAT] = g_steal_pointer (&what);
      else
        {
          const CandelaPlanOutput *output = candela_plan_step_output (plan, step, o);

          row.cells[COLUMN_WHAT] =
            what != NULL ? g_strdup_printf ("%%%u = %s", output->value, what) : g_strdup_printf ("%%%u", output->value);
          row.cells[COLUMN_TYPE] = candela_plan_value_type (plan, output->value);
          row.cells[COLUMN_WHERE] = output_place (plan, step, output);
          row.cells[COLUMN_REASON] = candela_plan_output_reason (plan, step, o);
        }
      g_array_append_val (rows, row);
    }
}

static void
append_leaf (const CandelaPlan *plan, guint32 leaf, GArray *rows)
{
  g_autofree char *label = candela_plan_value_label (plan, leaf);
  Row row = { 0 };

  row.cells[COLUMN_STEP] = g_strdup (candela_plan_leaf_kind (plan, leaf));
  row.cells[COLUMN_WHAT] = label[0] == '%' ? g_steal_pointer (&label) : g_strdup_printf ("%%%u = %s", leaf, label);
  row.cells[COLUMN_TYPE] = candela_plan_value_type (plan, leaf);
  g_array_append_val (rows, row);
}

static void
append_table (GString *text, const GArray *rows)
{
  glong widths[N_COLUMNS] = { 0 };

  for (guint r = 0; r < rows->len; r++)
    for (guint c = 0; c < N_COLUMNS; c++)
      {
        const char *cell = g_array_index (rows, Row, r).cells[c];
        glong width = cell != NULL ? g_utf8_strlen (cell, -1) : 0;

        if (width <= MAX_WIDTH)
          widths[c] = MAX (widths[c], width);
      }
  for (guint r = 0; r < rows->len; r++)
    {
      gsize start = text->len;

      for (guint c = 0; c < N_COLUMNS; c++)
        {
          const char *cell = g_array_index (rows, Row, r).cells[c];
          glong width = cell != NULL ? g_utf8_strlen (cell, -1) : 0;

          if (widths[c] == 0)
            continue;
          if (cell != NULL)
            g_string_append (text, cell);
          for (; width < widths[c] + 2; width++)
            g_string_append_c (text, ' ');
        }
      while (text->len > start && text->str[text->len - 1] == ' ')
        g_string_truncate (text, text->len - 1);
      g_string_append_c (text, '\n');
    }
}

static void
append_summary (const CandelaPlan *plan, GString *text)
{
  g_autofree char *peak = candela_plan_bytes_to_string (plan->peak_bytes);
  g_autofree char *bound = candela_plan_bytes_to_string (plan->lower_bound_bytes);
  g_autofree char *intermediate = candela_plan_bytes_to_string (plan->intermediate_bytes);

  g_string_append_printf (text, "%u step%s, %u allocation%s, peak %s (lower bound %s), all values %s\n", plan->n_steps,
                          plan->n_steps == 1 ? "" : "s", plan->n_slots, plan->n_slots == 1 ? "" : "s", peak, bound,
                          intermediate);
}

/**
 * candela_plan_to_string:
 * @plan: a plan
 *
 * The plan as a table: a line for each value from outside and for each step, with
 * what it computes, the dtype and shape, the buffer that it goes to, the buffers
 * freed after it, and the reason why it is or is not in place.
 *
 * Returns: (transfer full): the table, each line ended by a newline
 *
 * Since: 1.0
 */
char *
candela_plan_to_string (CandelaPlan *plan)
{
  g_return_val_if_fail (plan != NULL, NULL);

  g_autofree guint32 *producers = candela_plan_find_producers (plan);
  guint32 n_leaves;
  g_autofree guint32 *leaves = candela_plan_find_leaves (plan, producers, &n_leaves);
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_autoptr (GString) text = g_string_new (NULL);

  g_array_set_clear_func (rows, row_clear);
  append_summary (plan, text);
  for (guint32 k = 0; k < n_leaves; k++)
    append_leaf (plan, leaves[k], rows);
  for (guint32 s = 0; s < plan->n_steps; s++)
    append_step (plan, s, rows);
  for (guint r = 0; r < plan->n_roots; r++)
    {
      Row row = { 0 };

      row.cells[COLUMN_STEP] = g_strdup ("result");
      row.cells[COLUMN_WHAT] = g_strdup_printf ("%%%u", plan->root_values[r]);
      row.cells[COLUMN_TYPE] = candela_plan_value_type (plan, plan->root_values[r]);
      g_array_append_val (rows, row);
    }
  append_table (text, rows);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
