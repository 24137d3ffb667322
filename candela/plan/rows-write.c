/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What rows.c has found, written into the plan: one step for each group, whose
 * members are the plan's subs, and values that exist for a block at a time. */
#include <candela/plan/rows-private.h>
#include <string.h>

/* Numbers the values that exist for a block at a time. */
static void
make_locals (CandelaGrouping *grouping, const CandelaRowGroup *group, CandelaPlanGroup *to)
{
  CandelaPlan *plan = grouping->plan;

  to->first_local = plan->n_locals;
  for (guint32 k = 0; k < to->n_subs; k++)
    {
      const CandelaPlanStep *sub = &plan->subs[to->first_sub + k];

      for (guint32 o = 0; o < sub->n_outputs; o++)
        {
          guint32 v = plan->outputs[sub->first_output + o].value;

          if (grouping->lives[v].last > group->last)
            continue;
          grouping->lives[v].local = to->n_locals++;
          plan->local_bytes[plan->n_locals++] =
            candela_plan_value_bytes (&plan->values[v]) / (gsize) (group->n_rows * group->n_columns);
        }
    }
}

/* The step that stands for the group: what its members read from outside, and
 * what is there after it. */
static void
make_step (CandelaGrouping *grouping, const CandelaRowGroup *group, const CandelaPlanGroup *to, CandelaPlanStep *step)
{
  CandelaPlan *plan = grouping->plan;

  grouping->stamp++;
  for (guint32 k = 0; k < to->n_subs; k++)
    {
      const CandelaPlanStep *sub = &plan->subs[to->first_sub + k];

      for (guint32 i = 0; i < sub->n_inputs; i++)
        {
          guint32 v = plan->inputs[sub->first_input + i];
          guint32 base = grouping->planner->base[v];

          if (candela_rows_is_made_within (grouping, group, base) || !candela_rows_is_new (grouping, v))
            continue;
          plan->inputs[step->first_input + step->n_inputs++] = v;
        }
      for (guint32 o = 0; o < sub->n_outputs; o++)
        {
          CandelaPlanOutput output = plan->outputs[sub->first_output + o];

          if (grouping->lives[output.value].local != CANDELA_PLAN_NONE)
            continue;
          output.part += sub->first_part - step->first_part;
          plan->outputs[step->first_output + step->n_outputs++] = output;
        }
    }
}

/* Where a step of the range goes: before the group, into it, or after it. */
typedef enum {
  BEFORE,
  WITHIN,
  AFTER
} Side;

static Side
find_side (const CandelaGrouping *grouping, const CandelaRowGroup *group, const CandelaPlanStep *step)
{
  guint32 v = grouping->plan->outputs[step->first_output].value;

  if (step->kind != CANDELA_STEP_REFERENCE)
    return WITHIN;
  return candela_rows_is_made_within (grouping, group, grouping->planner->base[v]) ? AFTER : BEFORE;
}

static CandelaStepKind
find_kind (const CandelaRowGroup *group)
{
  if (group->n_last > 0)
    return CANDELA_STEP_COLUMNS;
  return group->n_axes > 0 ? CANDELA_STEP_ROWS : CANDELA_STEP_FED;
}

/* Writes the range's steps, of which there are fewer then, from step `to` on;
 * their parts stay together in their order. */
static guint32
write_group (CandelaGrouping *grouping, const CandelaRowGroup *group, CandelaPlanGroup *written, guint32 to)
{
  CandelaPlan *plan = grouping->plan;
  CandelaPlanStep range[CANDELA_ROWS_MAX_STEPS + 1];
  guint32 n = group->last - group->first + 1, n_parts = 0, part = plan->steps[group->first].first_part;
  g_autofree CandelaPlanPart *parts = NULL;

  memcpy (range, &plan->steps[group->first], n * sizeof *range);
  for (guint32 k = 0; k < n; k++)
    n_parts += range[k].n_parts;
  parts = g_memdup2 (&plan->parts[part], n_parts * sizeof *parts);
  for (Side side = BEFORE; side <= AFTER; side++)
    {
      guint32 first = part;

      for (guint32 k = 0; k < n; k++)
        {
          CandelaPlanStep step = range[k];
          guint32 base = grouping->planner->base[plan->outputs[step.first_output].value];

          if (find_side (grouping, group, &step) != side)
            continue;
          step.first_part = part;
          memcpy (&plan->parts[part], &parts[range[k].first_part - range[0].first_part], step.n_parts * sizeof *parts);
          part += step.n_parts;
          if (side == WITHIN)
            plan->subs[written->first_sub + written->n_subs++] = step;
          else if (grouping->lives[base].local == CANDELA_PLAN_NONE)
            plan->steps[to++] = step;
        }
      if (side == WITHIN)
        {
          plan->steps[to] = (CandelaPlanStep){ .kind = find_kind (group),
                                               .group = written - plan->groups,
                                               .first_input = grouping->n_inputs,
                                               .first_output = grouping->n_outputs,
                                               .first_part = first,
                                               .n_parts = part - first };
          make_locals (grouping, group, written);
          make_step (grouping, group, written, &plan->steps[to]);
          grouping->n_inputs += plan->steps[to].n_inputs;
          grouping->n_outputs += plan->steps[to++].n_outputs;
        }
    }
  return to;
}

void
candela_rows_write (CandelaGrouping *grouping)
{
  CandelaPlan *plan = grouping->plan;
  const CandelaRowGroup *groups = (const CandelaRowGroup *) grouping->groups->data;
  const guint32 *inputs = plan->inputs;
  const CandelaPlanOutput *outputs = plan->outputs;
  guint32 n_steps = 0, n_subs = 0;

  for (guint32 s = 0; s < plan->n_steps; s++)
    {
      grouping->n_inputs += plan->steps[s].n_inputs;
      grouping->n_outputs += plan->steps[s].n_outputs;
    }
  plan->n_groups = grouping->groups->len;
  plan->groups = candela_arena_new0 (&plan->arena, CandelaPlanGroup, plan->n_groups);
  plan->subs = candela_arena_new (&plan->arena, CandelaPlanStep, plan->n_steps);
  plan->local_bytes = candela_arena_new (&plan->arena, gsize, grouping->n_outputs);
  plan->inputs = candela_arena_new (&plan->arena, guint32, 2 * (gsize) grouping->n_inputs);
  plan->outputs = candela_arena_new (&plan->arena, CandelaPlanOutput, 2 * (gsize) grouping->n_outputs);
  memcpy (plan->inputs, inputs, grouping->n_inputs * sizeof *inputs);
  memcpy (plan->outputs, outputs, grouping->n_outputs * sizeof *outputs);
  for (guint32 s = 0, g = 0; s < plan->n_steps; s++)
    {
      if (g == plan->n_groups || s != groups[g].first)
        {
          plan->steps[n_steps++] = plan->steps[s];
          continue;
        }
      plan->groups[g] = (CandelaPlanGroup){ .first_sub = n_subs,
                                            .n_rows = groups[g].n_rows,
                                            .n_columns = groups[g].n_columns,
                                            .n_axes = groups[g].n_axes,
                                            .n_last = groups[g].n_last,
                                            .packs = groups[g].packs };
      n_steps = write_group (grouping, &groups[g], &plan->groups[g], n_steps);
      n_subs += plan->groups[g].n_subs;
      s = groups[g++].last;
    }
  plan->n_steps = n_steps;
  for (guint32 v = 0; v < plan->n_values; v++)
    {
      guint32 local = grouping->lives[grouping->planner->base[v]].local;

      if (local == CANDELA_PLAN_NONE)
        continue;
      plan->values[v].storage = CANDELA_STORAGE_LOCAL;
      plan->values[v].source = local;
    }
}
