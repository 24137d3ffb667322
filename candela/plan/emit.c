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

/* A member of the step being emitted. */
typedef struct
{
  const CandelaPreStep *prestep;
  const CandelaPlannerNode *node;
  const guint32 *inputs;
  guint32 number;
  gboolean last;
} Member;

static inline Member
get_member (const Emitter *emitter, guint32 prestep, guint32 number)
{
  const CandelaPlanner *planner = emitter->planner;
  const CandelaPlannerNode *node = &planner->nodes[planner->presteps[prestep].node];

  return (Member){ .prestep = &planner->presteps[prestep],
                   .node = node,
                   .inputs = candela_planner_inputs (planner, node),
                   .number = number,
                   .last = planner->presteps[prestep].next == CANDELA_PLAN_NONE };
}

/* The step's inputs: what its parts read and none of them produces. Also when
 * each value between them is read last. */
static void
collect_inputs (Emitter *emitter, CandelaPlanStep *step, const Member *member, guint32 mark)
{
  Local *locals = emitter->locals;

  for (guint32 i = 0; i < member->node->n_inputs; i++)
    {
      Local *local = &locals[member->inputs[i]];

      if (local->step != mark)
        {
          local->step = mark;
          local->operand = step->n_inputs++;
          emitter->plan->inputs[emitter->n_inputs++] = member->inputs[i];
        }
      local->last_use = member->number;
    }
  for (guint o = 0; !member->last && o < member->node->n_outputs; o++)
    locals[member->node->first_value + o] =
      (Local){ .step = mark, .operand = CANDELA_PLAN_NONE, .last_use = member->number };
}

static inline gboolean
is_register (const CandelaPlanStep *step, guint32 operand)
{
  return operand >= step->n_inputs && operand < CANDELA_PART_OUTPUT;
}

/* A part may write its result over a tile that it is the last to read. */
static gboolean
may_overwrite (const Emitter *emitter, const CandelaPlanStep *step, const Member *member, guint32 input)
{
  const Local *local = &emitter->locals[input];
  const CandelaPlanValue *values = emitter->plan->values, *output = &values[member->node->first_value];

  if (!is_register (step, local->operand) || local->last_use != member->number
      || candela_dtype_size (values[input].dtype) != candela_dtype_size (output->dtype))
    return FALSE;
  for (guint32 i = 0; !member->prestep->same_index && i < member->node->n_inputs; i++)
    if (member->inputs[i] == input
        && candela_op_facts_in_place (member->node->node->u.op.facts, output->output, i) != CANDELA_IN_PLACE_SAME_INDEX)
      return FALSE;
  return TRUE;
}

static inline gboolean
is_result (const Member *member, guint output)
{
  return (member->prestep->results >> output & 1) != 0;
}

/* Those outputs of the node that are not merely another value's name, or of a
 * member that is not the last those that others read. */
static void
emit_outputs (Emitter *emitter, CandelaPlanStep *step, const Member *member)
{
  for (guint o = 0; o < MAX (member->node->n_outputs, 1); o++)
    {
      guint32 v = member->node->first_value + o;

      if (member->last ? candela_planner_is_name (emitter->planner, v) : !is_result (member, o))
        continue;
      if (!member->last)
        emitter->locals[v].operand = CANDELA_PART_OUTPUT | step->n_outputs;
      emitter->plan->outputs[emitter->n_outputs++] = (CandelaPlanOutput){
        .value = v, .input = CANDELA_PLAN_NONE, .reason_at = CANDELA_PLAN_NONE, .part = member->number
      };
      step->n_outputs++;
    }
}

static guint32
new_register (Emitter *emitter, CandelaPlanStep *step)
{
  return emitter->n_free > 0 ? emitter->free_registers[--emitter->n_free] : step->n_inputs + step->n_registers++;
}

/* Registers read for the last time here, and outputs that nobody reads. */
static void
free_registers (Emitter *emitter, const CandelaPlanStep *step, const Member *member, guint32 taken)
{
  for (guint32 i = 0; i < member->node->n_inputs; i++)
    {
      Local *local = &emitter->locals[member->inputs[i]];

      if (is_register (step, local->operand) && local->last_use == member->number && local->operand != taken)
        {
          emitter->free_registers[emitter->n_free++] = local->operand;
          local->last_use = CANDELA_PLAN_NONE; /* once, though read twice */
        }
    }
  for (guint o = 0; !member->last && o < member->node->n_outputs; o++)
    {
      const Local *local = &emitter->locals[member->node->first_value + o];

      if (local->last_use == member->number && is_register (step, local->operand))
        emitter->free_registers[emitter->n_free++] = local->operand;
    }
}

static void
emit_part (Emitter *emitter, CandelaPlanStep *step, const Member *member)
{
  const CandelaPlannerNode *node = member->node;
  guint32 *operands = emitter->plan->operands + emitter->n_operands;
  gboolean registers = step->n_registers > 0;
  gboolean takes = registers && !member->last && node->n_outputs == 1 && member->prestep->results == 0;
  guint32 taken = CANDELA_PLAN_NONE; /* the register that output 0 takes over */

  emitter->plan->parts[emitter->plan->n_parts++] = (CandelaPlanPart){ .node = node->node,
                                                                      .first_operand = emitter->n_operands,
                                                                      .n_inputs = node->n_inputs,
                                                                      .n_outputs = node->n_outputs,
                                                                      .same_index = member->prestep->same_index };
  emitter->n_operands += node->n_inputs + node->n_outputs;
  for (guint32 i = 0; i < node->n_inputs; i++)
    {
      *operands++ = emitter->locals[member->inputs[i]].operand;
      if (takes && taken == CANDELA_PLAN_NONE && may_overwrite (emitter, step, member, member->inputs[i]))
        taken = emitter->locals[member->inputs[i]].operand;
    }
  for (guint o = 0; o < node->n_outputs; o++)
    {
      Local *local = &emitter->locals[node->first_value + o];

      if (!member->last && !is_result (member, o))
        local->operand = o == 0 && taken != CANDELA_PLAN_NONE ? taken : new_register (emitter, step);
      *operands++ = member->last ? CANDELA_PART_OUTPUT | o : local->operand;
    }
  if (registers || !member->last)
    free_registers (emitter, step, member, taken);
}

/* An op on its own, which has nothing between its parts. */
static void
emit_one (Emitter *emitter, CandelaPlanStep *step, const Member *member)
{
  guint32 mark = emitter->plan->n_steps;

  collect_inputs (emitter, step, member, mark);
  step->n_parts = 1;
  emit_outputs (emitter, step, member);
  emit_part (emitter, step, member);
}

static void
emit_region (Emitter *emitter, CandelaPlanStep *step, const Member *last)
{
  const CandelaPreStep *presteps = emitter->planner->presteps;
  guint32 first = last->prestep->first, number = 0;
  Member member = *last;

  for (guint32 p = first; p != CANDELA_PLAN_NONE; p = presteps[p].next)
    {
      member = get_member (emitter, p, step->n_parts++);
      collect_inputs (emitter, step, &member, emitter->plan->n_steps);
    }
  emit_outputs (emitter, step, &member);
  for (guint32 p = first; presteps[p].next != CANDELA_PLAN_NONE; p = presteps[p].next)
    if (presteps[p].results != 0)
      {
        member = get_member (emitter, p, number++);
        emit_outputs (emitter, step, &member);
      }
    else
      number++;
  emitter->n_free = 0;
  number = 0;
  for (guint32 p = first; p != CANDELA_PLAN_NONE; p = presteps[p].next)
    {
      member = get_member (emitter, p, number++);
      emit_part (emitter, step, &member);
    }
}

static void
emit_whole (Emitter *emitter, CandelaPlanStep *step, const Member *member)
{
  step->n_inputs = member->node->n_inputs;
  for (guint32 i = 0; i < step->n_inputs; i++)
    emitter->plan->inputs[emitter->n_inputs++] = member->inputs[i];
  step->n_parts = 1;
  emitter->plan->parts[emitter->plan->n_parts++] = (CandelaPlanPart){ .node = member->node->node };
  emit_outputs (emitter, step, member);
}

void
candela_planner_emit_steps (CandelaPlanner *planner)
{
  CandelaPlan *plan = planner->plan;
  Emitter emitter = { .planner = planner, .plan = plan };
  gsize n_edges = 0;
  guint32 n_steps = 0;

  for (guint32 p = 0; p < planner->n_presteps; p++)
    {
      n_edges += planner->nodes[planner->presteps[p].node].n_inputs;
      n_steps += planner->presteps[p].region == p;
    }
  plan->steps = candela_arena_new (&plan->arena, CandelaPlanStep, n_steps);
  plan->parts = candela_arena_new (&plan->arena, CandelaPlanPart, planner->n_presteps);
  plan->inputs = candela_arena_new (&plan->arena, guint32, n_edges);
  plan->outputs = candela_arena_new (&plan->arena, CandelaPlanOutput, plan->n_values);
  plan->operands = candela_arena_new (&plan->arena, guint32, n_edges + plan->n_values);
  emitter.locals = candela_arena_new0 (&planner->arena, Local, plan->n_values);
  emitter.free_registers = candela_arena_new (&planner->arena, guint32, plan->n_values);
  for (guint32 p = 0; p < planner->n_presteps; p++)
    {
      CandelaPlanStep *step;
      Member member;

      if (planner->presteps[p].region != p)
        continue;
      member = get_member (&emitter, p, 0);
      step = &plan->steps[plan->n_steps++];
      *step = (CandelaPlanStep){ .kind = planner->presteps[p].kind,
                                 .first_input = emitter.n_inputs,
                                 .first_part = plan->n_parts,
                                 .first_output = emitter.n_outputs };
      if (step->kind != CANDELA_STEP_FUSED)
        emit_whole (&emitter, step, &member);
      else if (planner->presteps[p].first == p)
        emit_one (&emitter, step, &member);
      else
        emit_region (&emitter, step, &member);
    }
}
