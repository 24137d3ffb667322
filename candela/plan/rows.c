/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which steps run together, a block of rows or of columns after the other. A row is
 * what lies under one index of the first axes. Where a reduction is over later axes
 * only, its results for some rows need just those rows of its input; and so does
 * whatever is element-wise before and after it. Such steps, one after the other
 * in the list, become a group: a block of rows goes through all of them before
 * the next block, and what only they read (the exponentials of a softmax, say) is
 * held for one block at a time, in cache, and never as a whole.
 *
 * Where rows are too long, or the first axes are reduced as well, the group goes by
 * columns: what lies under one index of the last axes, those that the reduction
 * leaves, in each row for itself if there are rows.
 *
 * A group grows from a reduction, backwards and then forwards, step by step, as
 * long as all that it computes for a row or column depends on that alone, it fits in
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
/* By columns: either what it reads lies so near the processor that it may be read several
 * times, and written, as it lies: many columns at a time of all that, for shorter pieces are
 * fetched too slowly, fit in a second-level cache; or in a third-level one, where all the
 * blocks would not. Fewer columns are not worth their overhead. */
#define MIN_COLUMNS 256
#define GOOD_COLUMNS 1024
#define MAX_BLOCK_BYTES (9 * 256 * 1024)
#define MAX_FAR_BLOCK_BYTES (9 * 1024 * 1024)
#define MANY_BLOCKS 4
/* Or there is so much of it that it is worth packing: a few columns at a time, of which
 * that is what one may read and hold, and whole lines of the cache of what is written. */
#define MIN_PACKED_BYTES (8 * 1024 * 1024)
#define MAX_COLUMN_BYTES (128 * 1024)
#define LINE_BYTES 64
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

/* A lane is what lies under one index of the rows and columns. */
static gboolean
has_lanes (const CandelaRowGroup *group, const CandelaLayout *layout)
{
  return layout->rank >= group->n_axes + group->n_last && layout->n_elements > 0
         && memcmp (layout->dims, group->dims, group->n_axes * sizeof *group->dims) == 0
         && memcmp (layout->dims + layout->rank - group->n_last, group->last_dims,
                    group->n_last * sizeof *group->last_dims)
              == 0;
}

static gboolean
keeps_to_columns (const CandelaRowGroup *group, const CandelaLayout *layout)
{
  guint first = layout->rank - group->n_last;
  gint64 stride;

  if (!candela_layout_find_stride (layout, first, layout->rank, &stride) || stride != 1
      || layout->offset % group->n_columns != 0)
    return FALSE;
  for (guint axis = group->n_axes; axis < first; axis++)
    if (layout->dims[axis] > 1 && layout->strides[axis] % group->n_columns != 0)
      return FALSE;
  return TRUE;
}

/* An input from outside: are its columns, to which it may be broadcast, side by side? */
static gboolean
has_packed_columns (const CandelaRowGroup *group, const CandelaLayout *layout)
{
  gint64 next = 1;

  if (layout->n_elements == 1)
    return TRUE;
  for (guint k = 1; k <= group->n_last; k++)
    {
      gint64 extent = group->last_dims[group->n_last - k];

      if (extent == 1)
        continue;
      if (k > layout->rank || layout->dims[layout->rank - k] != extent || layout->strides[layout->rank - k] != next)
        return FALSE;
      next *= extent;
    }
  return TRUE;
}

/* A value that the group computes: does each lane of it lie in that lane of its buffer? */
static gboolean
keeps_to_lanes (const CandelaRowGroup *group, const CandelaLayout *layout, const CandelaLayout *base)
{
  gint64 row = base->n_elements / group->n_rows;
  gint64 first = layout->offset, last = layout->offset;
  gint64 stride;

  if (layout == base)
    return TRUE;
  if (!has_lanes (group, layout) || !candela_layout_find_stride (layout, 0, group->n_axes, &stride)
      || (group->n_rows > 1 && stride != row) || (group->n_last > 0 && !keeps_to_columns (group, layout)))
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

/* How many of the first and of the last axes of its input a reduction leaves. */
static void
count_kept_axes (const CandelaGrouping *grouping, const CandelaPlanStep *step, guint *first, guint *last)
{
  const CandelaNode *node = step_node (grouping, step);
  guint rank = input_layout (grouping, step, 0)->rank;
  guint32 reduced;

  *first = *last = 0;
  if (node->u.op.facts->info->axes == CANDELA_AXES_ROWWISE)
    reduced = rank > 0 ? 1u << (rank - 1) : 0;
  else
    reduced = node->u.op.facts->info->reduced_axes (node->u.op.params, rank);
  while (*first < rank && (reduced >> *first & 1) == 0)
    ++*first;
  while (*last < rank && (reduced >> (rank - 1 - *last) & 1) == 0)
    ++*last;
}

/* Does it give one result for each lane, or, by rows, any that a row has? Of columns that
 * are read where they lie the next one is always as far. */
static gboolean
reduces_lanes (const CandelaGrouping *grouping, const CandelaRowGroup *group, const CandelaPlanStep *step)
{
  const CandelaPlan *plan = grouping->plan;
  const CandelaLayout *layout = input_layout (grouping, step, 0);
  guint first, last;
  gint64 stride;

  count_kept_axes (grouping, step, &first, &last);
  if (!has_lanes (group, layout) || first < group->n_axes || last < group->n_last
      || !candela_layout_find_stride (layout, 0, group->n_axes, &stride))
    return FALSE;
  return group->n_last == 0
         || (plan->values[plan->outputs[step->first_output].value].layout->n_elements
               == group->n_rows * group->n_columns
             && candela_layout_find_stride (layout, layout->rank - group->n_last, layout->rank, &stride));
}

static gboolean
fits (const CandelaGrouping *grouping, const CandelaRowGroup *group, const CandelaPlanStep *step)
{
  const CandelaPlan *plan = grouping->plan;
  gboolean reduction = is_reduction (grouping, step);
  const CandelaLayout *shape = plan->values[plan->outputs[step->first_output].value].layout;

  if (step->kind == CANDELA_STEP_REFERENCE)
    return step->n_outputs == 1;
  if ((step->kind != CANDELA_STEP_FUSED && !reduction) || !is_pure (grouping, step))
    return FALSE;
  for (guint32 o = 0; o < step->n_outputs; o++)
    if (plan->outputs[step->first_output + o].value
          != grouping->planner->base[plan->outputs[step->first_output + o].value]
        || !has_lanes (group, plan->values[plan->outputs[step->first_output + o].value].layout))
      return FALSE;
  if (reduction && !reduces_lanes (grouping, group, step))
    return FALSE;
  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      const CandelaLayout *layout = input_layout (grouping, step, i);
      guint32 base = grouping->planner->base[plan->inputs[step->first_input + i]];

      if (!reduction && !has_packed_columns (group, layout))
        return FALSE;
      /* What is broadcast along a row must have the rows where the step has them. */
      if (candela_rows_is_made_within (grouping, group, base)
          && (!keeps_to_lanes (group, layout, plan->values[base].layout)
              || (!reduction && group->n_axes > 0 && layout->rank != shape->rank)))
        return FALSE;
    }
  return TRUE;
}

/* ---- What a group holds ---- */

/* What a step makes: bytes of values that are there after the group, and of one
 * lane of the others. */
static void
weigh_outputs (const CandelaGrouping *grouping, const CandelaRowGroup *group, const CandelaPlanStep *step,
               guint64 *kept, gsize *lane)
{
  const CandelaPlan *plan = grouping->plan;

  for (guint32 o = 0; o < step->n_outputs && step->kind != CANDELA_STEP_REFERENCE; o++)
    {
      guint32 v = plan->outputs[step->first_output + o].value;

      if (grouping->lives[v].last > group->last)
        *kept += candela_plan_value_bytes (&plan->values[v]);
      else
        *lane += candela_plan_value_bytes (&plan->values[v]) / (gsize) (group->n_rows * group->n_columns);
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

/* Whether results, but for one number of each column, are whole lines of the cache in each
 * row, so that what is written of them never is a part of one. */
static gboolean
fills_lines (const CandelaGrouping *grouping, const CandelaRowGroup *group)
{
  const CandelaPlan *plan = grouping->plan;

  for (guint32 s = group->first; s <= group->last; s++)
    for (guint32 o = 0; o < plan->steps[s].n_outputs && plan->steps[s].kind != CANDELA_STEP_REFERENCE; o++)
      {
        guint32 v = plan->outputs[plan->steps[s].first_output + o].value;

        if (grouping->lives[v].last > group->last
            && plan->values[v].layout->n_elements > group->n_rows * group->n_columns
            && (gsize) group->n_columns * candela_dtype_get_size (plan->values[v].dtype) % LINE_BYTES != 0)
          return FALSE;
      }
  return TRUE;
}

/* Does a row of what the group makes for itself fit in cache, or some columns of that and
 * what it reads? */
static gboolean
fits_in_cache (CandelaGrouping *grouping, CandelaRowGroup *group, gsize lane)
{
  const CandelaPlan *plan = grouping->plan;
  guint64 n_lanes = (guint64) (group->n_rows * group->n_columns), most = 0;
  guint64 width = (guint64) MIN (group->n_columns, GOOD_COLUMNS), bytes = lane;

  if (group->n_last == 0)
    return lane <= MAX_ROW_BYTES;
  grouping->stamp++;
  for (guint32 s = group->first; s <= group->last; s++)
    for (guint32 i = 0; i < plan->steps[s].n_inputs && plan->steps[s].kind != CANDELA_STEP_REFERENCE; i++)
      {
        guint32 base = grouping->planner->base[plan->inputs[plan->steps[s].first_input + i]];

        if (candela_rows_is_made_within (grouping, group, base) || !candela_rows_is_new (grouping, base))
          continue;
        most = MAX (most, candela_plan_value_bytes (&plan->values[base]));
        bytes += candela_plan_value_bytes (&plan->values[base]) / n_lanes;
      }
  group->packs = most >= MIN_PACKED_BYTES && bytes <= MAX_COLUMN_BYTES && fills_lines (grouping, group);
  bytes *= width;
  return group->packs || bytes <= MAX_BLOCK_BYTES || (bytes <= MAX_FAR_BLOCK_BYTES && n_lanes >= MANY_BLOCKS * width);
}

/* Is what the group holds, all its inputs and results, no more than the most that
 * its steps hold one by one? And does what it has at a time fit in cache? */
static gboolean
is_light (CandelaGrouping *grouping, CandelaRowGroup *group)
{
  const CandelaPlan *plan = grouping->plan;
  guint64 kept = 0, inputs = 0, there = 0;
  gsize lane = 0, none = 0;

  grouping->stamp++;
  for (guint32 s = group->first; s <= group->last; s++)
    {
      weigh_outputs (grouping, group, &plan->steps[s], &kept, &lane);
      inputs += weigh_inputs (grouping, group, &plan->steps[s], TRUE);
    }
  if (!fits_in_cache (grouping, group, lane))
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
is_group (CandelaGrouping *grouping, CandelaRowGroup *group)
{
  for (guint32 s = group->first; s <= group->last; s++)
    if (!fits (grouping, group, &grouping->plan->steps[s]))
      return FALSE;
  return is_light (grouping, group);
}

/* Marks what a member reads and makes. */
static void
add_member (CandelaGrouping *grouping, const CandelaPlanStep *step, guint32 mark)
{
  const CandelaPlan *plan = grouping->plan;

  for (guint32 i = 0; i < step->n_inputs; i++)
    grouping->lives[grouping->planner->base[plan->inputs[step->first_input + i]]].near = mark;
  for (guint32 o = 0; o < step->n_outputs; o++)
    grouping->lives[plan->outputs[step->first_output + o].value].near = mark;
}

/* Does it read what the group reads or makes, or make what it reads? */
static gboolean
is_connected (const CandelaGrouping *grouping, const CandelaPlanStep *step, guint32 mark)
{
  const CandelaPlan *plan = grouping->plan;

  if (step->kind == CANDELA_STEP_REFERENCE)
    return TRUE;
  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      guint32 base = grouping->planner->base[plan->inputs[step->first_input + i]];

      if (grouping->lives[base].near == mark && plan->values[base].storage != CANDELA_STORAGE_LITERAL)
        return TRUE;
    }
  for (guint32 o = 0; o < step->n_outputs; o++)
    if (grouping->lives[plan->outputs[step->first_output + o].value].near == mark)
      return TRUE;
  return FALSE;
}

/* The rows that a reduction leaves, or the columns of them. */
static gboolean
begin_group (CandelaGrouping *grouping, guint32 seed, gboolean columns, CandelaRowGroup *group)
{
  const CandelaPlanStep *step = &grouping->plan->steps[seed];
  const CandelaLayout *layout = input_layout (grouping, step, 0);

  *group = (CandelaRowGroup){ .first = seed, .last = seed, .n_rows = 1, .n_columns = 1, .dims = layout->dims };
  count_kept_axes (grouping, step, &group->n_axes, &group->n_last);
  if (!columns)
    group->n_last = 0;
  if (group->n_axes + group->n_last > layout->rank)
    return FALSE;
  group->last_dims = layout->dims + layout->rank - group->n_last;
  for (guint axis = 0; axis < group->n_axes; axis++)
    group->n_rows *= group->dims[axis];
  for (guint axis = 0; axis < group->n_last; axis++)
    group->n_columns *= group->last_dims[axis];
  return (columns ? group->n_columns >= MIN_COLUMNS : group->n_rows > 1) && is_group (grouping, group);
}

/* Grows a group from a reduction; from is the first step that is free. Returns how many
 * steps it has that compute something. */
static guint
grow (CandelaGrouping *grouping, guint32 seed, guint32 from, gboolean columns, CandelaRowGroup *group)
{
  const CandelaPlanStep *steps = grouping->plan->steps;
  guint32 mark = 2 * seed + (columns ? 1 : 0);
  guint n_members = 0;

  if (!begin_group (grouping, seed, columns, group))
    return 0;
  add_member (grouping, &steps[seed], mark);
  for (CandelaRowGroup wider = *group; wider.first > from && wider.last - wider.first < CANDELA_ROWS_MAX_STEPS;)
    {
      if (!is_connected (grouping, &steps[--wider.first], mark) || !is_group (grouping, &wider))
        break;
      add_member (grouping, &steps[wider.first], mark);
      *group = wider;
    }
  for (CandelaRowGroup wider = *group;
       wider.last + 1 < grouping->plan->n_steps && wider.last - wider.first < CANDELA_ROWS_MAX_STEPS;)
    {
      /* To those before it nothing changes. */
      if (!is_connected (grouping, &steps[++wider.last], mark) || !fits (grouping, &wider, &steps[wider.last])
          || !is_light (grouping, &wider))
        break;
      add_member (grouping, &steps[wider.last], mark);
      *group = wider;
    }
  while (steps[group->first].kind == CANDELA_STEP_REFERENCE)
    group->first++;
  while (steps[group->last].kind == CANDELA_STEP_REFERENCE)
    group->last--;
  for (guint32 s = group->first; s <= group->last; s++)
    n_members += steps[s].kind != CANDELA_STEP_REFERENCE;
  return n_members;
}

/* By rows or by columns, whichever takes in more. */
static gboolean
find_group (CandelaGrouping *grouping, guint32 seed, guint32 from, CandelaRowGroup *group)
{
  CandelaRowGroup columns;
  guint n_by_rows = grow (grouping, seed, from, FALSE, group);
  guint n_by_columns = grow (grouping, seed, from, TRUE, &columns);

  if (n_by_columns > n_by_rows)
    *group = columns;
  return MAX (n_by_rows, n_by_columns) > 1;
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
  guint rank = input_layout (grouping, step, 0)->rank, kept, last;

  if (s == from || !info->takes_fed || before->kind != CANDELA_STEP_FUSED || before->n_outputs != 1
      || plan->outputs[before->first_output].value != v || grouping->lives[v].last != s
      || candela_plan_value_bytes (&plan->values[v]) < MIN_FED_BYTES || !is_pure (grouping, before)
      || !is_pure (grouping, step))
    return FALSE;
  count_kept_axes (grouping, step, &kept, &last);
  for (guint axis = kept; axis < rank; axis++)
    if ((info->reduced_axes (step_node (grouping, step)->u.op.params, rank) >> axis & 1) == 0)
      return FALSE;
  *group = (CandelaRowGroup){ .first = s - 1, .last = s, .n_rows = 1, .n_columns = 1 };
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
      if (!find_group (&grouping, s, from, &group) && !is_fed (&grouping, s, from, &group))
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
