/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fourth pass, first half: lifetimes, and which results are written over an
 * input. What comes out is buffers: values that follow each other in the same
 * memory, from the step that makes the first to the one that reads the last.
 *
 * A result may be written over an input when the op says so, nobody reads that
 * input's buffer after this step, nothing from outside the plan lies there, and
 * each index of the result is at the address that the same index of the input
 * has. The buffer must be read in this step through that one layout only, and be
 * of just the result's size: a larger one would hold memory that the result
 * does not need. */
#include <candela/plan/buffers-private.h>

#include <string.h>

/* The last step that reads each base, through whatever layout; results and what
 * caches keep are read for ever. */
static void
find_last_reads (CandelaBuffers *buffers)
{
  const CandelaPlanner *planner = buffers->planner;
  const CandelaPlan *plan = planner->plan;

  for (guint32 s = 0; s < plan->n_steps; s++)
    {
      for (guint32 i = 0; i < plan->steps[s].n_inputs; i++)
        buffers->last_read[planner->base[plan->inputs[plan->steps[s].first_input + i]]] = s;
      for (guint32 o = 0; o < plan->steps[s].n_outputs; o++)
        {
          guint32 v = plan->outputs[plan->steps[s].first_output + o].value;

          if (planner->base[v] == v)
            buffers->last_read[v] = s;
        }
    }
  for (guint r = 0; r < plan->n_roots; r++)
    buffers->last_read[planner->base[plan->root_values[r]]] = CANDELA_PLAN_NONE;
  for (guint32 c = 0; c < plan->n_caches; c++)
    buffers->last_read[planner->base[plan->caches[c]]] = CANDELA_PLAN_NONE;
}

/* Does each index lie at the same address under both? */
static gboolean
same_addresses (const CandelaLayout *a, const CandelaLayout *b)
{
  guint i = 0, k = 0;

  if (a == b)
    return TRUE;
  if (a->n_elements != b->n_elements || a->offset != b->offset)
    return FALSE;
  while (TRUE)
    {
      while (i < a->rank && a->dims[i] == 1)
        i++;
      while (k < b->rank && b->dims[k] == 1)
        k++;
      if (i == a->rank || k == b->rank)
        return i == a->rank && k == b->rank;
      if (a->dims[i] != b->dims[k] || a->strides[i] != b->strides[k])
        return FALSE;
      i++;
      k++;
    }
}

static gboolean is_declared (const CandelaPlan *plan, const CandelaPlanStep *step, const CandelaPlanOutput *output,
                             guint32 input);

/* The steps of a group are done with a row, or column, before a later one writes it,
 * but not where they read it for another one. */
static gboolean
is_declared_in_rows (const CandelaPlan *plan, const CandelaPlanStep *step, const CandelaPlanOutput *output,
                     guint32 value)
{
  const CandelaPlanGroup *group = &plan->groups[step->group];
  gboolean written = FALSE;

  for (guint32 k = 0; k < group->n_subs; k++)
    {
      const CandelaPlanStep *sub = &plan->subs[group->first_sub + k];
      const CandelaPlanOutput *outputs = plan->outputs + sub->first_output;
      guint32 o = 0;

      while (o < sub->n_outputs && outputs[o].value != output->value)
        o++;
      for (guint32 i = 0; i < sub->n_inputs; i++)
        if (plan->inputs[sub->first_input + i] == value
            && (written || (o < sub->n_outputs && !is_declared (plan, sub, &outputs[o], i))
                || (sub->kind == CANDELA_STEP_FUSED
                    && !candela_layout_same_shape (plan->values[value].layout, plan->values[outputs[0].value].layout))))
          return FALSE;
      written = written || o < sub->n_outputs;
    }
  return TRUE;
}

static gboolean
is_read_within (const CandelaPlan *plan, const CandelaPlanStep *step, const CandelaPlanOutput *output, guint32 input)
{
  const CandelaPlanPart *end = plan->parts + step->first_part + step->n_parts;

  for (const CandelaPlanPart *part = plan->parts + step->first_part + output->part + 1; part < end; part++)
    {
      const guint32 *operands = candela_plan_part_operands (plan, part);

      for (guint32 i = 0; i < part->n_inputs; i++)
        if (operands[i] == input)
          return TRUE;
    }
  return FALSE;
}

gboolean
candela_plan_may_overwrite (const CandelaPlan *plan, const CandelaPlanStep *step, const CandelaPlanOutput *output,
                            guint32 input)
{
  const CandelaPlanPart *writer = &plan->parts[step->first_part + output->part];
  const guint32 *operands = candela_plan_part_operands (plan, writer);

  for (guint32 i = 0; !writer->same_index && i < writer->n_inputs; i++)
    if (operands[i] == input
        && candela_op_facts_in_place (writer->node->u.op.facts, plan->values[output->value].output, i)
             == CANDELA_IN_PLACE_NEVER)
      return FALSE;
  return !is_read_within (plan, step, output, input);
}

/* What the op that writes the output says of reading this input of the step. */
static gboolean
is_declared (const CandelaPlan *plan, const CandelaPlanStep *step, const CandelaPlanOutput *output, guint32 input)
{
  const CandelaPlanPart *part = &plan->parts[step->first_part];

  switch ((CandelaStepKind) step->kind)
    {
    case CANDELA_STEP_FUSED:
      return candela_plan_may_overwrite (plan, step, output, input);
    case CANDELA_STEP_ROWS:
    case CANDELA_STEP_COLUMNS:
      return is_declared_in_rows (plan, step, output, plan->inputs[step->first_input + input]);
    case CANDELA_STEP_KERNEL:
    case CANDELA_STEP_REFERENCE:
      return part->node->kind == CANDELA_NODE_OP
             && candela_op_facts_in_place (part->node->u.op.facts, plan->values[output->value].output, input)
                  != CANDELA_IN_PLACE_NEVER;
    case CANDELA_STEP_FED:
    case CANDELA_STEP_PACK:
    case CANDELA_STEP_BAKED:
      break;
    }
  return FALSE;
}

/* Another input of the step that reads the same buffer in another way. */
static gboolean
is_read_twice (const CandelaBuffers *buffers, const CandelaPlanStep *step, const CandelaPlanOutput *output,
               guint32 input)
{
  const CandelaPlan *plan = buffers->planner->plan;
  const guint32 *inputs = plan->inputs + step->first_input;
  guint32 buffer = buffers->of_base[buffers->planner->base[inputs[input]]];

  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      const CandelaPlanValue *other = &plan->values[inputs[i]];

      if (i != input && other->storage == CANDELA_STORAGE_SLOT
          && buffers->of_base[buffers->planner->base[inputs[i]]] == buffer
          && !(same_addresses (other->layout, plan->values[inputs[input]].layout)
               && other->dtype == plan->values[inputs[input]].dtype && is_declared (plan, step, output, i)))
        return TRUE;
    }
  return FALSE;
}

static CandelaReason
why_not (CandelaBuffers *buffers, guint32 s, CandelaPlanOutput *output, guint32 input)
{
  const CandelaPlanner *planner = buffers->planner;
  const CandelaPlan *plan = planner->plan;
  const CandelaPlanStep *step = &plan->steps[s];
  guint32 v = plan->inputs[step->first_input + input];
  guint32 base = planner->base[v];
  const CandelaPlanValue *value = &plan->values[v];
  const CandelaPlanValue *result = &plan->values[output->value];
  const gboolean declared = is_declared (plan, step, output, input);
  const CandelaPlanBuffer *buffer;

  if (!declared && !(step->kind == CANDELA_STEP_FUSED && is_read_within (plan, step, output, input)))
    return CANDELA_REASON_NOT_DECLARED;
  if (value->storage != CANDELA_STORAGE_SLOT)
    return CANDELA_REASON_ETERNAL;
  if (planner->pins[base] == CANDELA_PIN_ROOT)
    return CANDELA_REASON_IS_ROOT;
  if (planner->pins[base] == CANDELA_PIN_CACHE)
    return CANDELA_REASON_IS_CACHED;
  buffer = &buffers->buffers[buffers->of_base[base]];
  if (buffer->written_at == s)
    return CANDELA_REASON_TAKEN;
  if (buffers->last_read[base] != s)
    {
      output->reason_at = buffers->last_read[base];
      return CANDELA_REASON_READ_LATER;
    }
  if (!declared)
    return CANDELA_REASON_READ_WITHIN;
  if (buffer->bytes != candela_plan_value_bytes (result)
      || candela_dtype_size (value->dtype) != candela_dtype_size (result->dtype))
    return CANDELA_REASON_BYTES;
  if (!same_addresses (value->layout, result->layout))
    return CANDELA_REASON_LAYOUT;
  if (is_read_twice (buffers, step, output, input))
    return CANDELA_REASON_TWO_LAYOUTS;
  return CANDELA_REASON_IN_PLACE;
}

/* The more of the way an input got, the more its reason tells. */
static void
choose_input (CandelaBuffers *buffers, guint32 s, CandelaPlanOutput *output)
{
  const CandelaPlanner *planner = buffers->planner;
  const CandelaPlanStep *step = &planner->plan->steps[s];

  output->reason = CANDELA_REASON_NO_INPUT;
  if (step->kind == CANDELA_STEP_BAKED || step->kind == CANDELA_STEP_PACK)
    {
      output->reason = step->kind == CANDELA_STEP_BAKED ? CANDELA_REASON_BAKED : CANDELA_REASON_NOT_DECLARED;
      return;
    }
  if ((planner->flags & CANDELA_PLAN_NO_IN_PLACE) != 0)
    {
      output->reason = CANDELA_REASON_FLAG;
      return;
    }
  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      guint32 at = output->reason_at;
      CandelaReason reason = why_not (buffers, s, output, i);

      if (reason == CANDELA_REASON_IN_PLACE)
        {
          output->input = i;
          output->reason_at = CANDELA_PLAN_NONE;
        }
      if (reason == CANDELA_REASON_IN_PLACE || reason > output->reason)
        {
          output->reason = reason;
          output->reason_arg = i;
        }
      else
        output->reason_at = at;
      if (reason == CANDELA_REASON_IN_PLACE)
        return;
    }
}

static void
place_output (CandelaBuffers *buffers, guint32 s, CandelaPlanOutput *output)
{
  const CandelaPlanner *planner = buffers->planner;
  CandelaPlan *plan = planner->plan;
  CandelaPlanValue *value = &plan->values[output->value];
  guint32 buffer;

  choose_input (buffers, s, output);
  if (output->input != CANDELA_PLAN_NONE)
    {
      guint32 v = plan->inputs[plan->steps[s].first_input + output->input];

      output->kind = CANDELA_OUTPUT_IN_PLACE;
      buffer = buffers->of_base[planner->base[v]];
    }
  else
    {
      output->kind = CANDELA_OUTPUT_ALLOCATE;
      buffer = buffers->n++;
      buffers->buffers[buffer] = (CandelaPlanBuffer){ .bytes = candela_plan_value_bytes (value), .start = s };
    }
  buffers->buffers[buffer].end = buffers->last_read[output->value];
  buffers->buffers[buffer].written_at = s;
  buffers->of_base[output->value] = buffer;
}

static void
place_reference (CandelaBuffers *buffers, guint32 s, CandelaPlanOutput *output)
{
  const CandelaPlanner *planner = buffers->planner;
  CandelaPlan *plan = planner->plan;
  const CandelaPlanStep *step = &plan->steps[s];

  output->kind = plan->values[output->value].storage == CANDELA_STORAGE_SLOT ? CANDELA_OUTPUT_REFERENCE_SLOT
                                                                             : CANDELA_OUTPUT_REFERENCE_ETERNAL;
  output->reason = CANDELA_REASON_REFERENCE;
  for (guint32 i = 0; i < step->n_inputs; i++)
    if (planner->base[plan->inputs[step->first_input + i]] == planner->base[output->value])
      {
        output->input = output->reason_arg = i;
        break;
      }
}

void
candela_buffers_init (CandelaBuffers *buffers, CandelaPlanner *planner)
{
  CandelaPlan *plan = planner->plan;

  *buffers = (CandelaBuffers){ .planner = planner };
  buffers->last_read = candela_arena_new0 (&planner->arena, guint32, plan->n_values);
  buffers->of_base = candela_arena_new (&planner->arena, guint32, plan->n_values);
  memset (buffers->of_base, 0xff, sizeof *buffers->of_base * plan->n_values);
  buffers->buffers = candela_arena_new (&planner->arena, CandelaPlanBuffer, plan->n_values);
  find_last_reads (buffers);
  for (guint32 s = 0; s < plan->n_steps; s++)
    for (guint32 o = 0; o < plan->steps[s].n_outputs; o++)
      {
        CandelaPlanOutput *output = &plan->outputs[plan->steps[s].first_output + o];

        if (planner->base[output->value] == output->value)
          place_output (buffers, s, output);
        else
          place_reference (buffers, s, output);
      }
}
