/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The words in which a plan is printed, in whatever format: names of values and
 * steps, and the reason of each decision. */
#include <candela/plan/print-private.h>

#include <string.h>

/* The longest name of a step within a line, in characters. */
#define MAX_NAME 40

const char *
candela_plan_kind_name (guint kind)
{
  static const char *const names[] = { "allocate", "reuse", "in-place", "reference-slot", "reference-eternal" };
  return kind < G_N_ELEMENTS (names) ? names[kind] : "unknown";
}

const char *
candela_plan_step_kind_name (const CandelaPlanStep *step)
{
  static const char *const names[] = {
    "kernel", "element-wise", "reference", "pack", "baked", "rows", "columns", "fed"
  };

  if (step->kind == CANDELA_STEP_FUSED && step->n_parts > 1)
    return "fused";
  return step->kind < G_N_ELEMENTS (names) ? names[step->kind] : "unknown";
}

guint32 *
candela_plan_find_producers (const CandelaPlan *plan)
{
  guint32 *producers = g_new (guint32, MAX (plan->n_values, 1));

  for (guint32 v = 0; v < plan->n_values; v++)
    producers[v] = CANDELA_PLAN_NONE;
  for (guint32 s = 0; s < plan->n_steps; s++)
    for (guint32 o = 0; o < plan->steps[s].n_outputs; o++)
      producers[candela_plan_step_output (plan, &plan->steps[s], o)->value] = s;
  return producers;
}

guint32 *
candela_plan_find_leaves (const CandelaPlan *plan, const guint32 *producers, guint32 *n)
{
  g_autofree guint8 *used = g_new0 (guint8, MAX (plan->n_values, 1));
  guint32 *leaves = g_new (guint32, MAX (plan->n_values, 1));

  for (guint32 s = 0; s < plan->n_steps; s++)
    for (guint32 i = 0; i < plan->steps[s].n_inputs; i++)
      used[plan->inputs[plan->steps[s].first_input + i]] = TRUE;
  for (guint r = 0; r < plan->n_roots; r++)
    used[plan->root_values[r]] = TRUE;

  *n = 0;
  for (guint32 v = 0; v < plan->n_values; v++)
    if (used[v] && producers[v] == CANDELA_PLAN_NONE)
      leaves[(*n)++] = v;
  return leaves;
}

const char *
candela_plan_leaf_kind (const CandelaPlan *plan, guint32 value)
{
  const CandelaPlanValue *leaf = &plan->values[value];

  switch (leaf->storage)
    {
    case CANDELA_STORAGE_LITERAL:
      return "scalar";
    case CANDELA_STORAGE_BINDING:
      return "slot";
    default:
      return leaf->node->kind == CANDELA_NODE_CACHE ? "cache" : "edge";
    }
}

const char *
candela_plan_leaf_name (const CandelaPlan *plan, guint32 value)
{
  const CandelaNode *node = plan->values[value].node;
  return node->kind == CANDELA_NODE_SLOT && node->u.slot_name[0] != '\0' ? node->u.slot_name : NULL;
}

char *
candela_plan_value_label (const CandelaPlan *plan, guint32 value)
{
  const CandelaPlanValue *leaf = &plan->values[value];
  const char *name = candela_plan_leaf_name (plan, value);

  if (name != NULL)
    return g_utf8_make_valid (name, -1);
  if (leaf->storage == CANDELA_STORAGE_LITERAL && leaf->node->kind == CANDELA_NODE_EDGE)
    return candela_format_elements (leaf->dtype, leaf->layout, candela_plan_scalar (plan, leaf));
  return g_strdup_printf ("%%%u", value);
}

char *
candela_plan_value_type (const CandelaPlan *plan, guint32 value)
{
  const CandelaPlanValue *of = &plan->values[value];

  if (of->layout == NULL)
    return g_strdup (candela_dtype_get_name (of->dtype));
  g_autofree char *shape = candela_shape_to_string (of->layout->dims, of->layout->rank);
  return g_strdup_printf ("%s %s", candela_dtype_get_name (of->dtype), shape);
}

const char *
candela_plan_part_name (const CandelaPlanPart *part)
{
  switch ((CandelaNodeKind) part->node->kind)
    {
    case CANDELA_NODE_OP:
      return part->node->u.op.facts->info->name;
    case CANDELA_NODE_BAKED:
      return "baked";
    default:
      return "pack";
    }
}

/* The text is never longer than max, unless that is 0; what is left out is told
 * by the number of parts. */
static char *
step_name (const CandelaPlan *plan, const CandelaPlanStep *step, gsize max)
{
  g_autoptr (GString) name = g_string_new (NULL);

  if (step->kind == CANDELA_STEP_PACK || step->kind == CANDELA_STEP_BAKED || step->n_parts == 0)
    return g_strdup (step->kind == CANDELA_STEP_BAKED ? "baked" : "pack");
  for (guint32 p = 0; p < step->n_parts; p++)
    {
      const char *part = candela_plan_part_name (&plan->parts[step->first_part + p]);

      if (max != 0 && p > 0 && name->len + strlen (part) > max)
        {
          g_string_append_printf (name, "+… (%u ops)", step->n_parts);
          break;
        }
      if (p > 0)
        g_string_append_c (name, '+');
      g_string_append (name, part);
    }
  return g_string_free (g_steal_pointer (&name), FALSE);
}

char *
candela_plan_step_name (const CandelaPlan *plan, const CandelaPlanStep *step)
{
  return step_name (plan, step, 0);
}

char *
candela_plan_step_short_name (const CandelaPlan *plan, const CandelaPlanStep *step)
{
  return step_name (plan, step, MAX_NAME);
}

char *
candela_plan_output_reason (const CandelaPlan *plan, const CandelaPlanStep *step, guint output)
{
  const CandelaPlanOutput *of = candela_plan_step_output (plan, step, output);
  guint32 arg = of->reason_arg;

  switch ((CandelaReason) of->reason)
    {
    case CANDELA_REASON_IN_PLACE:
      return g_strdup_printf ("in place: input %u is not read after this step", arg);
    case CANDELA_REASON_REFERENCE:
      return g_strdup_printf ("another layout over the buffer of input %u", arg);
    case CANDELA_REASON_FLAG:
      return g_strdup ("not in place: switched off by a flag");
    case CANDELA_REASON_NO_INPUT:
      return g_strdup ("not in place: there is no input");
    case CANDELA_REASON_NOT_DECLARED:
      return g_strdup ("not in place: the op does not declare it");
    case CANDELA_REASON_ETERNAL:
      return g_strdup_printf ("not in place: input %u comes from outside", arg);
    case CANDELA_REASON_READ_LATER:
      if (of->reason_at == CANDELA_PLAN_NONE)
        return g_strdup_printf ("not in place: input %u is read again later", arg);
      return g_strdup_printf ("not in place: input %u is read again, by step %u", arg, of->reason_at);
    case CANDELA_REASON_IS_ROOT:
      return g_strdup_printf ("not in place: input %u is a result", arg);
    case CANDELA_REASON_IS_CACHED:
      return g_strdup_printf ("not in place: input %u is kept by a cache", arg);
    case CANDELA_REASON_READ_WITHIN:
      return g_strdup_printf ("not in place: input %u is read by a later op of the step", arg);
    case CANDELA_REASON_BYTES:
      return g_strdup_printf ("not in place: the buffer of input %u has another size", arg);
    case CANDELA_REASON_LAYOUT:
      return g_strdup_printf ("not in place: input %u has the same indices at other addresses", arg);
    case CANDELA_REASON_TWO_LAYOUTS:
      return g_strdup_printf ("not in place: the buffer of input %u is read through two layouts", arg);
    case CANDELA_REASON_TAKEN:
      return g_strdup_printf ("not in place: input %u is overwritten by another output", arg);
    case CANDELA_REASON_BAKED:
      return g_strdup ("not in place: the inner plan brings its own buffer");
    case CANDELA_REASON_NONE:
      break;
    }
  return g_strdup ("");
}

guint64
candela_plan_output_bytes (const CandelaPlan *plan, const CandelaPlanOutput *output)
{
  const CandelaPlanValue *value = &plan->values[output->value];

  if (output->kind == CANDELA_OUTPUT_REFERENCE_SLOT || output->kind == CANDELA_OUTPUT_REFERENCE_ETERNAL
      || value->layout == NULL)
    return 0;
  return (guint64) value->layout->n_elements * candela_dtype_get_size (value->dtype);
}

guint64 *
candela_plan_find_held_bytes (const CandelaPlan *plan)
{
  guint64 *held = g_new0 (guint64, (gsize) plan->n_steps + 1);

  /* First what is added and taken away at each step, then the running sum. */
  for (guint32 k = 0; k < plan->n_slots; k++)
    {
      const CandelaPlanSlot *slot = &plan->slots[k];

      held[slot->start] += slot->bytes;
      if (slot->end < plan->n_steps)
        held[slot->end + 1] -= slot->bytes;
    }
  for (guint32 s = 1; s <= plan->n_steps; s++)
    held[s] += held[s - 1];
  for (guint32 s = 0; s < plan->n_steps; s++)
    if (plan->steps[s].kind == CANDELA_STEP_BAKED)
      held[s] += ((CandelaPlan *) plan->parts[plan->steps[s].first_part].node->u.baked.plan)->peak_bytes;
  return held;
}

char *
candela_plan_bytes_to_string (guint64 bytes)
{
  static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
  double value = bytes;
  gint unit = -1;

  while (value >= 1024 && unit < (gint) G_N_ELEMENTS (units) - 1)
    {
      value /= 1024;
      unit++;
    }
  if (unit < 0)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " B", bytes);

  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd (number, sizeof number, value == (guint64) value ? "%.0f" : value < 10 ? "%.2f" : "%.1f", value);
  return g_strdup_printf ("%s %s", number, units[unit]);
}
