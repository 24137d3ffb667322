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
 * A reduction for which there is no group, over all axes or over very long rows, may
 * be fed by an element-wise step before it.
 *
 * References compute nothing. One that stands among the steps goes before the
 * group, or after it if it refers to one of its results. */
#include <candela/plan/rows-private.h>
#include <string.h>

/* What a row may hold between steps, in bytes: a part of a second-level cache. */
#define MAX_ROW_BYTES (256 * 1024)
/* What is smaller may as well be there as a whole, in bytes. */
#define MIN_FED_BYTES (128 * 1024)

static const CandelaNode *
step_node (const CandelaGrouping *grouping, const CandelaPlanStep *step)
{
  return grouping->plan->parts[step->first_part].node;
}

/* Or an op on whole rows, which is to the planner as one over the last axis. */
static gboolean
is_reduction (const CandelaGrouping *grouping, const CandelaPlanStep *step)
{
  const CandelaNode *node = step_node (grouping, step);

  return step->kind == CANDELA_STEP_KERNEL && step->n_inputs == 1
         && (node->u.op.facts->info->reduced_axes != NULL || node->u.op.facts->info->axes == CANDELA_AXES_ROWWISE);
}

static const CandelaLayout *
input_layout (const CandelaGrouping *grouping, const CandelaPlanStep *step, guint32 i)
{
  return grouping->plan->values[grouping->plan->inputs[step->first_input + i]].layout;
}

static void
find_lives (CandelaGrouping *grouping)
{
  const CandelaPlanner *planner = grouping->planner;
  const CandelaPlan *plan = grouping->plan;

  for (guint32 v = 0; v < plan->n_values; v++)
    grouping->lives[v] =
      (CandelaRowLife){ .made = CANDELA_PLAN_NONE, .local = CANDELA_PLAN_NONE, .near = CANDELA_PLAN_NONE };
  for (guint32 s = 0; s < plan->n_steps; s++)
    {
      const CandelaPlanStep *step = &plan->steps[s];

      for (guint32 i = 0; i < step->n_inputs; i++)
        grouping->lives[planner->base[plan->inputs[step->first_input + i]]].last = s;
      for (guint32 o = 0; o < step->n_outputs; o++)
        {
          guint32 v = plan->outputs[step->first_output + o].value;

          if (planner->base[v] == v)
            grouping->lives[v] =
              (CandelaRowLife){ .made = s, .last = s, .local = CANDELA_PLAN_NONE, .near = CANDELA_PLAN_NONE };
        }
    }
  for (guint32 v = 0; v < plan->n_values; v++)
    if (planner->base[v] == v && planner->pins[v] != CANDELA_PIN_NONE)
      grouping->lives[v].last = CANDELA_PLAN_NONE;
}

/* ---- What may be in a group ---- */

static gboolean
has_rows (const CandelaRowGroup *group, const CandelaLayout *layout)
{
  return layout->rank >= group->n_axes && layout->n_elements > 0
         && memcmp (layout->dims, group->dims, group->n_axes * sizeof *group->dims) == 0;
}

/* A value that the group computes: does each row of it lie in that row of its buffer? */
static gboolean
keeps_to_rows (const CandelaRowGroup *group, const CandelaLayout *layout, const CandelaLayout *base)
{
  gint64 row = base->n_elements / group->n_rows;
  gint64 first = layout->offset, last = layout->offset;
  gint64 stride;

  if (layout == base)
    return TRUE;
  if (!has_rows (group, layout) || !candela_layout_find_row_stride (layout, group->n_axes, &stride)
      || (group->n_rows > 1 && stride != row))
    return FALSE;
  for (guint axis = group->n_axes; axis < layout->rank; axis++)
    if (layout->strides[axis] < 0)
      first += (layout->dims[axis] - 1) * layout->strides[axis];
    else
      last += (layout->dims[axis] - 1) * layout->strides[axis];
  return first >= 0 && last < row;
}

static gboolean
is_pure (const CandelaGrouping *grouping, const CandelaPlanStep *step)
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
count_kept_axes (const CandelaGrouping *grouping, const CandelaPlanStep *step)
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
fits (const CandelaGrouping *grouping, const CandelaRowGroup *group, const CandelaPlanStep *step)
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
          || !candela_layout_find_row_stride (input_layout (grouping, step, 0), group->n_axes, &stride)))
    return FALSE;
  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      const CandelaLayout *layout = input_layout (grouping, step, i);
      guint32 base = grouping->planner->base[plan->inputs[step->first_input + i]];

      /* What is broadcast along a row must have the rows where the step has them. */
      if (candela_rows_is_made_within (grouping, group, base)
          && (!keeps_to_rows (group, layout, plan->values[base].layout) || (!reduction && layout->rank != shape->rank)))
        return FALSE;
    }
  return TRUE;
}

/* ---- What a group holds ---- */

/* What a step makes: bytes of values that are there after the group, and of one
 * row of the others. */
static void
weigh_outputs (const CandelaGrouping *grouping, const CandelaRowGroup *group, const CandelaPlanStep *step,
               guint64 *kept, gsize *row)
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
weigh_inputs (CandelaGrouping *grouping, const CandelaRowGroup *group, const CandelaPlanStep *step, gboolean outside)
{
  const CandelaPlan *plan = grouping->plan;
  guint64 bytes = 0;

  for (guint32 i = 0; i < step->n_inputs && step->kind != CANDELA_STEP_REFERENCE; i++)
    {
      guint32 base = grouping->planner->base[plan->inputs[step->first_input + i]];

      if (plan->values[base].storage == CANDELA_STORAGE_SLOT && grouping->lives[base].last <= group->last
          && !(outside && candela_rows_is_made_within (grouping, group, base)) && candela_rows_is_new (grouping, base))
        bytes += candela_plan_value_bytes (&plan->values[base]);
    }
  return bytes;
}

/* Is what the group holds, all its inputs and results, no more than the most that
 * its steps hold one by one? And does a row of the rest fit in cache? */
static gboolean
is_light (CandelaGrouping *grouping, const CandelaRowGroup *group)
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
          if (candela_rows_is_new (grouping, v))
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
is_group (CandelaGrouping *grouping, const CandelaRowGroup *group)
{
  for (guint32 s = group->first; s <= group->last; s++)
    if (!fits (grouping, group, &grouping->plan->steps[s]))
      return FALSE;
  return is_light (grouping, group);
}

/* Marks what a member reads and makes. */
static void
add_member (CandelaGrouping *grouping, const CandelaPlanStep *step, guint32 seed)
{
  const CandelaPlan *plan = grouping->plan;

  for (guint32 i = 0; i < step->n_inputs; i++)
    grouping->lives[grouping->planner->base[plan->inputs[step->first_input + i]]].near = seed;
  for (guint32 o = 0; o < step->n_outputs; o++)
    grouping->lives[plan->outputs[step->first_output + o].value].near = seed;
}

/* Does it read what the group reads or makes, or make what it reads? */
static gboolean
is_connected (const CandelaGrouping *grouping, const CandelaPlanStep *step, guint32 seed)
{
  const CandelaPlan *plan = grouping->plan;

  if (step->kind == CANDELA_STEP_REFERENCE)
    return TRUE;
  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      guint32 base = grouping->planner->base[plan->inputs[step->first_input + i]];

      if (grouping->lives[base].near == seed && plan->values[base].storage != CANDELA_STORAGE_LITERAL)
        return TRUE;
    }
  for (guint32 o = 0; o < step->n_outputs; o++)
    if (grouping->lives[plan->outputs[step->first_output + o].value].near == seed)
      return TRUE;
  return FALSE;
}

/* Grows a group from a reduction; from is the first step that is free. */
static gboolean
grow (CandelaGrouping *grouping, guint32 seed, guint32 from, CandelaRowGroup *group)
{
  const CandelaPlanStep *steps = grouping->plan->steps;
  const CandelaLayout *layout = input_layout (grouping, &steps[seed], 0);
  guint n_members = 0;

  *group =
    (CandelaRowGroup){ .first = seed, .last = seed, .n_axes = count_kept_axes (grouping, &steps[seed]), .n_rows = 1 };
  group->dims = layout->dims;
  for (guint axis = 0; axis < group->n_axes; axis++)
    group->n_rows *= layout->dims[axis];
  if (group->n_rows < 2 || !is_group (grouping, group))
    return FALSE;

  add_member (grouping, &steps[seed], seed);
  for (CandelaRowGroup wider = *group; wider.first > from && wider.last - wider.first < CANDELA_ROWS_MAX_STEPS;)
    {
      if (!is_connected (grouping, &steps[--wider.first], seed) || !is_group (grouping, &wider))
        break;
      add_member (grouping, &steps[wider.first], seed);
      *group = wider;
    }
  for (CandelaRowGroup wider = *group;
       wider.last + 1 < grouping->plan->n_steps && wider.last - wider.first < CANDELA_ROWS_MAX_STEPS;)
    {
      /* To those before it nothing changes. */
      if (!is_connected (grouping, &steps[++wider.last], seed) || !fits (grouping, &wider, &steps[wider.last])
          || !is_light (grouping, &wider))
        break;
      add_member (grouping, &steps[wider.last], seed);
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

/* ---- Feeding ---- */

/* What only a reduction over the last axes reads is computed a piece at a time, when
 * that asks for it, though the pieces are no rows. */
static gboolean
is_fed (CandelaGrouping *grouping, guint32 s, guint32 from, CandelaRowGroup *group)
{
  const CandelaPlan *plan = grouping->plan;
  const CandelaPlanStep *step = &plan->steps[s], *before = step - 1;
  const CandelaOpInfo *info = step_node (grouping, step)->u.op.facts->info;
  guint32 v = plan->inputs[step->first_input];
  guint rank = input_layout (grouping, step, 0)->rank, kept;

  if (s == from || !info->takes_fed || before->kind != CANDELA_STEP_FUSED || before->n_outputs != 1
      || plan->outputs[before->first_output].value != v || grouping->lives[v].last != s
      || candela_plan_value_bytes (&plan->values[v]) < MIN_FED_BYTES || !is_pure (grouping, before)
      || !is_pure (grouping, step))
    return FALSE;
  kept = count_kept_axes (grouping, step);
  for (guint axis = kept; axis < rank; axis++)
    if ((info->reduced_axes (step_node (grouping, step)->u.op.params, rank) >> axis & 1) == 0)
      return FALSE;
  *group = (CandelaRowGroup){ .first = s - 1, .last = s, .n_rows = 1 };
  return TRUE;
}

void
candela_planner_group_rows (CandelaPlanner *planner)
{
  CandelaGrouping grouping = { .planner = planner, .plan = planner->plan };
  guint32 from = 0;

  if ((planner->flags & CANDELA_PLAN_NO_FUSION) != 0)
    return;
  for (guint32 s = 0; s < grouping.plan->n_steps; s++)
    {
      CandelaRowGroup group;

      if (s < from || !is_reduction (&grouping, &grouping.plan->steps[s]))
        continue;
      if (grouping.lives == NULL)
        {
          grouping.lives = candela_arena_new (&planner->arena, CandelaRowLife, grouping.plan->n_values);
          grouping.groups = g_array_new (FALSE, FALSE, sizeof (CandelaRowGroup));
          find_lives (&grouping);
        }
      if (!grow (&grouping, s, from, &group) && !is_fed (&grouping, s, from, &group))
        continue;
      g_array_append_val (grouping.groups, group);
      from = group.last + 1;
    }
  if (grouping.lives == NULL)
    return;
  if (grouping.groups->len > 0)
    candela_rows_write (&grouping);
  g_array_unref (grouping.groups);
}
