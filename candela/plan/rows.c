/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which steps run together, a block of rows after the other. A row is what lies
 * under one index of the first axes. Where a reduction is over later axes only,
 * its results for some rows need just those rows of its input; and so does
 * whatever is element-wise before and after it. Such steps, one after the other
 * in the list, become a group: a block of rows goes through all of them before
 * the next block, and what only they read (the exponentials of a softmax, say) is
 * held for one block at a time, in cache, and never as a whole.
 *
 * A group grows from a reduction, backwards and then forwards, step by step, as
 * long as all that it computes for a row depends on that row alone, a row fits in
 * cache, and it holds no more at once than its steps did one by one. All inputs
 * and results of a group are held while it runs; one by one, each from its first
 * step to its last, and what lies between as well.
 *
 * References compute nothing. One that stands among the steps goes before the
 * group, or after it if it refers to one of its results. */
#include <candela/plan/planner-private.h>
#include <string.h>

/* Steps of a group; its growth is checked as a whole each time. */
#define MAX_STEPS 32
/* What a row may hold between steps, in bytes: a part of a second-level cache. */
#define MAX_ROW_BYTES (256 * 1024)

/* Of a value with a buffer of its own: the steps between which it exists. */
typedef struct
{
  guint32 made;  /* CANDELA_PLAN_NONE: by no step */
  guint32 last;  /* the last that reads it; CANDELA_PLAN_NONE: it outlives the run */
  guint32 local; /* its number among those of its group; CANDELA_PLAN_NONE: it is none */
  guint32 stamp; /* of whoever counted it last */
} Life;

/* Steps first to last, for which the first n_axes axes are rows. */
typedef struct
{
  guint32 first, last;
  guint n_axes;
  gint64 n_rows;
  const gint64 *dims;
} Group;

typedef struct
{
  CandelaPlanner *planner;
  CandelaPlan *plan;
  Life *lives;
  guint32 stamp;
  GArray *groups;              /* of Group, in the order of their steps */
  guint32 n_inputs, n_outputs; /* of the plan, written so far */
} Grouping;

static const CandelaNode *
step_node (const Grouping *grouping, const CandelaPlanStep *step)
{
  return grouping->plan->parts[step->first_part].node;
}

/* Or an op on whole rows, which is to the planner as one over the last axis. */
static gboolean
is_reduction (const Grouping *grouping, const CandelaPlanStep *step)
{
  const CandelaNode *node = step_node (grouping, step);

  return step->kind == CANDELA_STEP_KERNEL && step->n_inputs == 1
         && (node->u.op.facts->info->reduced_axes != NULL || node->u.op.facts->info->axes == CANDELA_AXES_ROWWISE);
}

static const CandelaLayout *
input_layout (const Grouping *grouping, const CandelaPlanStep *step, guint32 i)
{
  return grouping->plan->values[grouping->plan->inputs[step->first_input + i]].layout;
}

static gboolean
is_made_within (const Grouping *grouping, const Group *group, guint32 base)
{
  guint32 made = grouping->lives[base].made;

  return made != CANDELA_PLAN_NONE && made >= group->first && made <= group->last;
}

static void
find_lives (Grouping *grouping)
{
  const CandelaPlanner *planner = grouping->planner;
  const CandelaPlan *plan = grouping->plan;

  for (guint32 v = 0; v < plan->n_values; v++)
    grouping->lives[v] = (Life){ .made = CANDELA_PLAN_NONE, .local = CANDELA_PLAN_NONE };
  for (guint32 s = 0; s < plan->n_steps; s++)
    {
      const CandelaPlanStep *step = &plan->steps[s];

      for (guint32 i = 0; i < step->n_inputs; i++)
        grouping->lives[planner->base[plan->inputs[step->first_input + i]]].last = s;
      for (guint32 o = 0; o < step->n_outputs; o++)
        {
          guint32 v = plan->outputs[step->first_output + o].value;

          if (planner->base[v] == v)
            grouping->lives[v] = (Life){ .made = s, .last = s, .local = CANDELA_PLAN_NONE };
        }
    }
  for (guint32 v = 0; v < plan->n_values; v++)
    if (planner->base[v] == v && planner->pins[v] != CANDELA_PIN_NONE)
      grouping->lives[v].last = CANDELA_PLAN_NONE;
}

/* ---- What may be in a group ---- */

static gboolean
has_rows (const Group *group, const CandelaLayout *layout)
{
  return layout->rank >= group->n_axes && layout->n_elements > 0
         && memcmp (layout->dims, group->dims, group->n_axes * sizeof *group->dims) == 0;
}

/* The elements from a row to the next, if that is the same everywhere. */
static gboolean
find_row_stride (const Group *group, const CandelaLayout *layout, gint64 *stride)
{
  gint64 step = 0;
  gboolean found = FALSE;

  *stride = 0;
  for (guint axis = group->n_axes; axis-- > 0;)
    {
      if (layout->dims[axis] == 1)
        continue;
      if (!found)
        *stride = step = layout->strides[axis];
      else if (layout->strides[axis] != step)
        return FALSE;
      found = TRUE;
      step *= layout->dims[axis];
    }
  return TRUE;
}

/* A value that the group computes: does each row of it lie in that row of its buffer? */
static gboolean
keeps_to_rows (const Group *group, const CandelaLayout *layout, const CandelaLayout *base)
{
  gint64 row = base->n_elements / group->n_rows;
  gint64 first = layout->offset, last = layout->offset;
  gint64 stride;

  if (layout == base)
    return TRUE;
  if (!has_rows (group, layout) || !find_row_stride (group, layout, &stride) || (group->n_rows > 1 && stride != row))
    return FALSE;
  for (guint axis = group->n_axes; axis < layout->rank; axis++)
    if (layout->strides[axis] < 0)
      first += (layout->dims[axis] - 1) * layout->strides[axis];
    else
      last += (layout->dims[axis] - 1) * layout->strides[axis];
  return first >= 0 && last < row;
}

static gboolean
is_pure (const Grouping *grouping, const CandelaPlanStep *step)
{
  for (guint32 p = 0; p < step->n_parts; p++)
    {
      const CandelaOpInfo *info = grouping->plan->parts[step->first_part + p].node->u.op.facts->info;

      if (info->effect != CANDELA_EFFECT_PURE || info->threads != CANDELA_THREADS_ANY
          || info->determinism != CANDELA_DETERMINISM_BITWISE)
        return FALSE;
    }
  return TRUE;
}

/* How many of the first axes of its input a reduction leaves. */
static guint
count_kept_axes (const Grouping *grouping, const CandelaPlanStep *step)
{
  const CandelaNode *node = step_node (grouping, step);
  guint rank = input_layout (grouping, step, 0)->rank;
  guint32 reduced;
  guint n = 0;

  if (node->u.op.facts->info->axes == CANDELA_AXES_ROWWISE)
    return MAX (rank, 1) - 1;
  reduced = node->u.op.facts->info->reduced_axes (node->u.op.params, rank);

  while (n < rank && (reduced >> n & 1) == 0)
    n++;
  return n;
}

static gboolean
fits (const Grouping *grouping, const Group *group, const CandelaPlanStep *step)
{
  const CandelaPlan *plan = grouping->plan;
  gboolean reduction = is_reduction (grouping, step);
  const CandelaLayout *shape = plan->values[plan->outputs[step->first_output].value].layout;
  gint64 stride;

  if (step->kind == CANDELA_STEP_REFERENCE)
    return step->n_outputs == 1;
  if ((step->kind != CANDELA_STEP_FUSED && !reduction) || !is_pure (grouping, step))
    return FALSE;
  for (guint32 o = 0; o < step->n_outputs; o++)
    if (plan->outputs[step->first_output + o].value
          != grouping->planner->base[plan->outputs[step->first_output + o].value]
        || !has_rows (group, plan->values[plan->outputs[step->first_output + o].value].layout))
      return FALSE;
  if (reduction
      && (!has_rows (group, input_layout (grouping, step, 0)) || count_kept_axes (grouping, step) < group->n_axes
          || !find_row_stride (group, input_layout (grouping, step, 0), &stride)))
    return FALSE;
  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      const CandelaLayout *layout = input_layout (grouping, step, i);
      guint32 base = grouping->planner->base[plan->inputs[step->first_input + i]];

      /* What is broadcast along a row must have the rows where the step has them. */
      if (is_made_within (grouping, group, base)
          && (!keeps_to_rows (group, layout, plan->values[base].layout) || (!reduction && layout->rank != shape->rank)))
        return FALSE;
    }
  return TRUE;
}

/* ---- What a group holds ---- */

static gboolean
is_new (Grouping *grouping, guint32 base)
{
  if (grouping->lives[base].stamp == grouping->stamp)
    return FALSE;
  grouping->lives[base].stamp = grouping->stamp;
  return TRUE;
}

/* What a step makes: bytes of values that are there after the group, and of one
 * row of the others. */
static void
weigh_outputs (const Grouping *grouping, const Group *group, const CandelaPlanStep *step, guint64 *kept, gsize *row)
{
  const CandelaPlan *plan = grouping->plan;

  for (guint32 o = 0; o < step->n_outputs && step->kind != CANDELA_STEP_REFERENCE; o++)
    {
      guint32 v = plan->outputs[step->first_output + o].value;

      if (grouping->lives[v].last > group->last)
        *kept += candela_plan_value_bytes (&plan->values[v]);
      else
        *row += candela_plan_value_bytes (&plan->values[v]) / group->n_rows;
    }
}

/* Bytes that the step is the first to count, of what it reads and is gone after
 * the group. */
static guint64
weigh_inputs (Grouping *grouping, const Group *group, const CandelaPlanStep *step, gboolean outside)
{
  const CandelaPlan *plan = grouping->plan;
  guint64 bytes = 0;

  for (guint32 i = 0; i < step->n_inputs && step->kind != CANDELA_STEP_REFERENCE; i++)
    {
      guint32 base = grouping->planner->base[plan->inputs[step->first_input + i]];

      if (plan->values[base].storage == CANDELA_STORAGE_SLOT && grouping->lives[base].last <= group->last
          && !(outside && is_made_within (grouping, group, base)) && is_new (grouping, base))
        bytes += candela_plan_value_bytes (&plan->values[base]);
    }
  return bytes;
}

/* Is what the group holds, all its inputs and results, no more than the most that
 * its steps hold one by one? And does a row of the rest fit in cache? */
static gboolean
is_light (Grouping *grouping, const Group *group)
{
  const CandelaPlan *plan = grouping->plan;
  guint64 kept = 0, inputs = 0, there = 0;
  gsize row = 0, none = 0;

  grouping->stamp++;
  for (guint32 s = group->first; s <= group->last; s++)
    {
      weigh_outputs (grouping, group, &plan->steps[s], &kept, &row);
      inputs += weigh_inputs (grouping, group, &plan->steps[s], TRUE);
    }
  if (row > MAX_ROW_BYTES)
    return FALSE;
  if (inputs == 0)
    return TRUE;

  /* Backwards: what ends within the group is there from its maker to the last that reads it. */
  inputs += kept;
  grouping->stamp++;
  for (guint32 s = group->last + 1; s-- > group->first;)
    {
      const CandelaPlanStep *step = &plan->steps[s];
      guint64 own = 0, unread = 0, made = 0;

      there += weigh_inputs (grouping, group, step, FALSE);
      for (guint32 o = 0; o < step->n_outputs && step->kind != CANDELA_STEP_REFERENCE; o++)
        {
          guint32 v = plan->outputs[step->first_output + o].value;

          if (grouping->lives[v].last > group->last)
            continue;
          if (is_new (grouping, v))
            unread += candela_plan_value_bytes (&plan->values[v]);
          else
            made += candela_plan_value_bytes (&plan->values[v]);
        }
      if (there + kept + unread >= inputs)
        return TRUE;
      weigh_outputs (grouping, group, step, &own, &none);
      there -= made;
      kept -= own;
    }
  return FALSE;
}

/* ---- Growing ---- */

static gboolean
is_group (Grouping *grouping, const Group *group)
{
  for (guint32 s = group->first; s <= group->last; s++)
    if (!fits (grouping, group, &grouping->plan->steps[s]))
      return FALSE;
  return is_light (grouping, group);
}

/* Does it read what the group reads or makes, or make what it reads? */
static gboolean
is_connected (Grouping *grouping, const Group *group, const CandelaPlanStep *step)
{
  const CandelaPlan *plan = grouping->plan;

  if (step->kind == CANDELA_STEP_REFERENCE)
    return TRUE;
  grouping->stamp++;
  for (guint32 s = group->first; s <= group->last; s++)
    {
      const CandelaPlanStep *member = &plan->steps[s];

      for (guint32 i = 0; i < member->n_inputs; i++)
        grouping->lives[grouping->planner->base[plan->inputs[member->first_input + i]]].stamp = grouping->stamp;
      for (guint32 o = 0; o < member->n_outputs; o++)
        grouping->lives[plan->outputs[member->first_output + o].value].stamp = grouping->stamp;
    }
  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      guint32 base = grouping->planner->base[plan->inputs[step->first_input + i]];

      if (grouping->lives[base].stamp == grouping->stamp && plan->values[base].storage != CANDELA_STORAGE_LITERAL)
        return TRUE;
    }
  for (guint32 o = 0; o < step->n_outputs; o++)
    if (grouping->lives[plan->outputs[step->first_output + o].value].stamp == grouping->stamp)
      return TRUE;
  return FALSE;
}

/* Grows a group from a reduction; from is the first step that is free. */
static gboolean
grow (Grouping *grouping, guint32 seed, guint32 from, Group *group)
{
  const CandelaPlanStep *steps = grouping->plan->steps;
  const CandelaLayout *layout = input_layout (grouping, &steps[seed], 0);
  guint n_members = 0;

  *group = (Group){ .first = seed, .last = seed, .n_axes = count_kept_axes (grouping, &steps[seed]), .n_rows = 1 };
  group->dims = layout->dims;
  for (guint axis = 0; axis < group->n_axes; axis++)
    group->n_rows *= layout->dims[axis];
  if (group->n_rows < 2 || !is_group (grouping, group))
    return FALSE;

  for (Group wider = *group; wider.first > from && wider.last - wider.first < MAX_STEPS;)
    {
      if (!is_connected (grouping, group, &steps[--wider.first]) || !is_group (grouping, &wider))
        break;
      *group = wider;
    }
  for (Group wider = *group; wider.last + 1 < grouping->plan->n_steps && wider.last - wider.first < MAX_STEPS;)
    {
      if (!is_connected (grouping, group, &steps[++wider.last]) || !is_group (grouping, &wider))
        break;
      *group = wider;
    }
  while (steps[group->first].kind == CANDELA_STEP_REFERENCE)
    group->first++;
  while (steps[group->last].kind == CANDELA_STEP_REFERENCE)
    group->last--;
  for (guint32 s = group->first; s <= group->last; s++)
    n_members += steps[s].kind != CANDELA_STEP_REFERENCE;
  return n_members > 1;
}

/* ---- Writing it down ---- */

/* Numbers the values that exist for a block at a time. */
static void
make_locals (Grouping *grouping, const Group *group, CandelaPlanGroup *to)
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
          plan->local_bytes[plan->n_locals++] = candela_plan_value_bytes (&plan->values[v]) / group->n_rows;
        }
    }
}

/* The step that stands for the group: what its members read from outside, and
 * what is there after it. */
static void
make_step (Grouping *grouping, const Group *group, const CandelaPlanGroup *to, CandelaPlanStep *step)
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

          if (is_made_within (grouping, group, base) || !is_new (grouping, v))
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
find_side (const Grouping *grouping, const Group *group, const CandelaPlanStep *step)
{
  guint32 v = grouping->plan->outputs[step->first_output].value;

  if (step->kind != CANDELA_STEP_REFERENCE)
    return WITHIN;
  return is_made_within (grouping, group, grouping->planner->base[v]) ? AFTER : BEFORE;
}

/* Writes the range's steps, of which there are fewer then, from step `to` on;
 * their parts stay together in their order. */
static guint32
write_group (Grouping *grouping, const Group *group, CandelaPlanGroup *written, guint32 to)
{
  CandelaPlan *plan = grouping->plan;
  CandelaPlanStep range[MAX_STEPS + 1];
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
          plan->steps[to] = (CandelaPlanStep){ .kind = CANDELA_STEP_ROWS,
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

static void
write_groups (Grouping *grouping)
{
  CandelaPlan *plan = grouping->plan;
  const Group *groups = (const Group *) grouping->groups->data;
  guint32 n_steps = 0, n_subs = 0;

  for (guint32 s = 0; s < plan->n_steps; s++)
    {
      grouping->n_inputs += plan->steps[s].n_inputs;
      grouping->n_outputs += plan->steps[s].n_outputs;
    }
  plan->n_groups = grouping->groups->len;
  plan->groups = g_new0 (CandelaPlanGroup, plan->n_groups);
  plan->subs = g_new (CandelaPlanStep, plan->n_steps);
  plan->local_bytes = g_new (gsize, grouping->n_outputs);
  plan->inputs = g_renew (guint32, plan->inputs, 2 * (gsize) grouping->n_inputs);
  plan->outputs = g_renew (CandelaPlanOutput, plan->outputs, 2 * (gsize) grouping->n_outputs);
  for (guint32 s = 0, g = 0; s < plan->n_steps; s++)
    {
      if (g == plan->n_groups || s != groups[g].first)
        {
          plan->steps[n_steps++] = plan->steps[s];
          continue;
        }
      plan->groups[g] =
        (CandelaPlanGroup){ .first_sub = n_subs, .n_rows = groups[g].n_rows, .n_axes = groups[g].n_axes };
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

void
candela_planner_group_rows (CandelaPlanner *planner)
{
  Grouping grouping = { .planner = planner, .plan = planner->plan };
  guint32 from = 0;

  if ((planner->flags & CANDELA_PLAN_NO_FUSION) != 0)
    return;
  for (guint32 s = 0; s < grouping.plan->n_steps; s++)
    {
      Group group;

      if (s < from || !is_reduction (&grouping, &grouping.plan->steps[s]))
        continue;
      if (grouping.lives == NULL)
        {
          grouping.lives = g_new (Life, grouping.plan->n_values);
          grouping.groups = g_array_new (FALSE, FALSE, sizeof (Group));
          find_lives (&grouping);
        }
      if (!grow (&grouping, s, from, &group))
        continue;
      g_array_append_val (grouping.groups, group);
      from = group.last + 1;
    }
  if (grouping.lives == NULL)
    return;
  if (grouping.groups->len > 0)
    write_groups (&grouping);
  g_array_unref (grouping.groups);
  g_free (grouping.lives);
}
