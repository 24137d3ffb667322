/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps, from the regions: each with the values that it reads and those that it
 * produces, those of its last member first. Within a fused step the values
 * between its parts get registers, tiles that are given back when the last part
 * has read them. */
#include <candela/plan/planner-private.h>

/* What a value is within the step being emitted. */
typedef struct
{
  guint32 step;     /* that the rest is about, plus one */
  guint32 operand;  /* an input of the step, or a register */
  guint32 last_use; /* of a register: the part that reads it last */
} Local;

typedef struct
{
  CandelaPlanner *planner;
  CandelaPlan *plan;
  Local *locals;           /* of each value */
  guint32 *free_registers; /* a stack */
  guint32 n_free;
  guint32 n_inputs, n_outputs, n_operands; /* written so far */
} Emitter;

static guint32
part_input (const Emitter *emitter, guint32 prestep, guint32 i)
{
  return emitter->planner->edges[emitter->planner->first_edge[emitter->planner->presteps[prestep].node] + i];
}

static CandelaNode *
part_node (const Emitter *emitter, guint32 prestep)
{
  return emitter->planner->nodes[emitter->planner->presteps[prestep].node];
}

/* The step's inputs: what its parts read and none of them produces. Also when
 * each value between them is read last. */
static void
collect_inputs (Emitter *emitter, CandelaPlanStep *step, guint32 mark, guint32 first)
{
  guint32 part = 0;

  for (guint32 p = first; p != CANDELA_PLAN_NONE; p = emitter->planner->presteps[p].next, part++)
    {
      CandelaNode *node = part_node (emitter, p);
      guint32 output = emitter->planner->first_value[emitter->planner->presteps[p].node];

      for (guint32 i = 0; i < node->n_inputs; i++)
        {
          Local *local = &emitter->locals[part_input (emitter, p, i)];

          if (local->step != mark)
            {
              *local = (Local){ .step = mark, .operand = step->n_inputs++ };
              emitter->plan->inputs[emitter->n_inputs++] = part_input (emitter, p, i);
            }
          local->last_use = part;
        }
      if (emitter->planner->presteps[p].next != CANDELA_PLAN_NONE)
        for (guint o = 0; o < node->n_outputs; o++)
          emitter->locals[output + o] = (Local){ .step = mark, .operand = CANDELA_PLAN_NONE, .last_use = part };
    }
}

/* A part may write its result over a tile that it is the last to read. */
static gboolean
may_overwrite (const Emitter *emitter, guint32 prestep, guint32 part, guint32 input, guint32 output, guint32 n_inputs)
{
  CandelaNode *node = part_node (emitter, prestep);
  const Local *local = &emitter->locals[input];

  if (local->operand < n_inputs || (local->operand & CANDELA_PART_OUTPUT) != 0 || local->last_use != part
      || candela_dtype_get_size (emitter->plan->values[input].dtype)
           != candela_dtype_get_size (emitter->plan->values[output].dtype))
    return FALSE;
  for (guint32 i = 0; i < node->n_inputs; i++)
    if (part_input (emitter, prestep, i) == input
        && candela_op_facts_in_place (node->u.op.facts, emitter->plan->values[output].output, i)
             != CANDELA_IN_PLACE_SAME_INDEX)
      return FALSE;
  return TRUE;
}

/* Those outputs of the node that are not merely another value's name, or of a
 * member that is not the last those that others read. */
static void
emit_outputs (Emitter *emitter, CandelaPlanStep *step, guint32 prestep, guint32 part)
{
  guint32 place = emitter->planner->presteps[prestep].node;
  CandelaNode *node = emitter->planner->nodes[place];
  gboolean last = emitter->planner->presteps[prestep].next == CANDELA_PLAN_NONE;

  for (guint o = 0; o < MAX (node->n_outputs, 1); o++)
    {
      guint32 v = emitter->planner->first_value[place] + o;

      if (last ? emitter->planner->names[v] != CANDELA_PLAN_NONE
               : (emitter->planner->presteps[prestep].results >> o & 1) == 0)
        continue;
      if (!last)
        emitter->locals[v].operand = CANDELA_PART_OUTPUT | step->n_outputs;
      emitter->plan->outputs[emitter->n_outputs++] =
        (CandelaPlanOutput){ .value = v, .input = CANDELA_PLAN_NONE, .reason_at = CANDELA_PLAN_NONE, .part = part };
      step->n_outputs++;
    }
}

static guint32
new_register (Emitter *emitter, CandelaPlanStep *step)
{
  return emitter->n_free > 0 ? emitter->free_registers[--emitter->n_free] : step->n_inputs + step->n_registers++;
}

static gboolean
is_register (const CandelaPlanStep *step, guint32 operand)
{
  return operand >= step->n_inputs && operand < CANDELA_PART_OUTPUT;
}

static void
emit_part (Emitter *emitter, CandelaPlanStep *step, guint32 prestep, guint32 part)
{
  CandelaNode *node = part_node (emitter, prestep);
  guint32 first_value = emitter->planner->first_value[emitter->planner->presteps[prestep].node];
  gboolean last = emitter->planner->presteps[prestep].next == CANDELA_PLAN_NONE;
  guint32 taken = CANDELA_PLAN_NONE; /* the register that output 0 takes over */

  emitter->plan->parts[emitter->plan->n_parts++] =
    (CandelaPlanPart){ .node = node, .first_operand = emitter->n_operands };
  for (guint32 i = 0; i < node->n_inputs; i++)
    {
      guint32 input = part_input (emitter, prestep, i);

      emitter->plan->operands[emitter->n_operands++] = emitter->locals[input].operand;
      if (!last && node->n_outputs == 1 && emitter->planner->presteps[prestep].results == 0
          && taken == CANDELA_PLAN_NONE && may_overwrite (emitter, prestep, part, input, first_value, step->n_inputs))
        taken = emitter->locals[input].operand;
    }
  for (guint o = 0; o < node->n_outputs; o++)
    {
      Local *local = &emitter->locals[first_value + o];

      if (last)
        {
          emitter->plan->operands[emitter->n_operands++] = CANDELA_PART_OUTPUT | o;
          continue;
        }
      if ((emitter->planner->presteps[prestep].results >> o & 1) == 0)
        local->operand = o == 0 && taken != CANDELA_PLAN_NONE ? taken : new_register (emitter, step);
      emitter->plan->operands[emitter->n_operands++] = local->operand;
    }

  /* Registers read for the last time here, and outputs that nobody reads. */
  for (guint32 i = 0; i < node->n_inputs; i++)
    {
      Local *local = &emitter->locals[part_input (emitter, prestep, i)];

      if (is_register (step, local->operand) && local->last_use == part && local->operand != taken)
        {
          emitter->free_registers[emitter->n_free++] = local->operand;
          local->last_use = CANDELA_PLAN_NONE; /* once, though read twice */
        }
    }
  for (guint o = 0; !last && o < node->n_outputs; o++)
    if (emitter->locals[first_value + o].last_use == part
        && is_register (step, emitter->locals[first_value + o].operand))
      emitter->free_registers[emitter->n_free++] = emitter->locals[first_value + o].operand;
}

static void
emit_fused (Emitter *emitter, CandelaPlanStep *step, guint32 prestep)
{
  guint32 first = emitter->planner->presteps[prestep].first;
  guint32 part = 0;

  step->first_input = emitter->n_inputs;
  collect_inputs (emitter, step, emitter->plan->n_steps, first);
  step->first_part = emitter->plan->n_parts;
  for (guint32 p = first; p != CANDELA_PLAN_NONE; p = emitter->planner->presteps[p].next)
    step->n_parts++;
  step->first_output = emitter->n_outputs;
  emit_outputs (emitter, step, prestep, step->n_parts - 1);
  for (guint32 p = first; p != prestep; p = emitter->planner->presteps[p].next)
    emit_outputs (emitter, step, p, part++);
  emitter->n_free = 0;
  part = 0;
  for (guint32 p = first; p != CANDELA_PLAN_NONE; p = emitter->planner->presteps[p].next)
    emit_part (emitter, step, p, part++);
}

static void
emit_whole (Emitter *emitter, CandelaPlanStep *step, guint32 prestep)
{
  CandelaNode *node = part_node (emitter, prestep);

  step->first_input = emitter->n_inputs;
  step->n_inputs = node->n_inputs;
  for (guint32 i = 0; i < node->n_inputs; i++)
    emitter->plan->inputs[emitter->n_inputs++] = part_input (emitter, prestep, i);
  step->first_part = emitter->plan->n_parts;
  step->n_parts = 1;
  emitter->plan->parts[emitter->plan->n_parts++] = (CandelaPlanPart){ .node = node };
  step->first_output = emitter->n_outputs;
  emit_outputs (emitter, step, prestep, 0);
}

void
candela_planner_emit_steps (CandelaPlanner *planner)
{
  CandelaPlan *plan = planner->plan;
  Emitter emitter = { .planner = planner, .plan = plan };
  gsize n_edges = 0;

  for (guint32 p = 0; p < planner->n_presteps; p++)
    n_edges += planner->nodes[planner->presteps[p].node]->n_inputs;
  plan->steps = candela_arena_new0 (&plan->arena, CandelaPlanStep, planner->n_presteps);
  plan->parts = candela_arena_new (&plan->arena, CandelaPlanPart, planner->n_presteps);
  plan->inputs = candela_arena_new (&plan->arena, guint32, n_edges);
  plan->outputs = candela_arena_new (&plan->arena, CandelaPlanOutput, plan->n_values);
  plan->operands = candela_arena_new (&plan->arena, guint32, n_edges + plan->n_values);
  emitter.locals = candela_arena_new0 (&planner->arena, Local, plan->n_values);
  emitter.free_registers = candela_arena_new (&planner->arena, guint32, plan->n_values);
  for (guint32 p = 0; p < planner->n_presteps; p++)
    {
      CandelaPlanStep *step;

      if (p + CANDELA_PLANNER_AHEAD < planner->n_presteps)
        candela_planner_fetch (planner, planner->presteps[p + CANDELA_PLANNER_AHEAD].node);
      if (planner->presteps[p].region != p)
        continue;
      step = &plan->steps[plan->n_steps++];
      step->kind = planner->presteps[p].kind;
      if (step->kind == CANDELA_STEP_FUSED)
        emit_fused (&emitter, step, p);
      else
        emit_whole (&emitter, step, p);
    }
}
