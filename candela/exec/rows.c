/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps that run together: a block of rows, or of columns, goes through all of them
 * before the next one. A row is what lies under one index of the first axes; those of packed
 * values are one after the other, so that a block of any value is a range of its
 * elements. What only the group's steps read lies in scratch memory, sized for one
 * block, and is addressed as if all of it were there.
 *
 * Element-wise steps go over their range in tiles, as they do alone, or row by row in
 * stages. Reductions take the block's rows, or are given it as a whole value of fewer rows;
 * their results do not depend on the other rows, so neither the size of the blocks nor the
 * number of threads is to be seen in them. */
#include <candela/exec/rows-private.h>
#include <unistd.h>

/* What the rows that a thread takes at a time read, write and hold is a quarter of the
 * second-level cache, as far as that is known, within these bytes; less if there would be none
 * for some threads. */
#define MIN_SHARE_BYTES (128 * 1024)
#define MAX_SHARE_BYTES (512 * 1024)
/* And a block is two thirds of the first-level cache, within these bytes, and of a number of rows
 * of which reductions take some at once. */
#define MIN_BLOCK_BYTES (16 * 1024)
#define MAX_BLOCK_BYTES (64 * 1024)
#define ROWS_AT_ONCE 4
/* Of a share, to which some more can be added for that. */
#define MANY_ROWS 64
/* Bytes below which no thread is woken. */
#define PARALLEL_BYTES (512 * 1024)
/* Of a row: so few that a block of them is one tile. */
#define FEW_ELEMENTS 16

static gint64
count_shares (gint64 n, gint64 share)
{
  return (n + share - 1) / share;
}

static void
run_share (guint64 index, gpointer data)
{
  CandelaRows *rows = data;
  guint64 across = (guint64) count_shares (rows->group->n_columns, rows->width);
  CandelaRowsBlock share = { .first = (gint64) (index / across) * rows->share,
                             .column = (gint64) (index % across) * rows->width };
  GError *error = NULL;

  if (candela_shares_have_failed (&rows->shares))
    return;
  if (rows->scratch != NULL)
    share.scratch = (guint8 *) rows->scratch->data + index * candela_round_up (rows->scratch_bytes);
  share.end = MIN (share.first + rows->share, rows->group->n_rows);
  share.end_column = MIN (share.column + rows->width, rows->group->n_columns);
  if (!candela_rows_run_blocks (rows, &share, &error))
    candela_shares_fail (&rows->shares, error);
  else
    candela_shares_tell (&rows->shares, (guint64) ((share.end - share.first) * (share.end_column - share.column))
                                          * rows->lane_results);
}

/* ---- Getting ready ---- */

/* A result that later members read is wanted in the cache. */
static gboolean
is_read_again (const CandelaRows *rows, guint32 after, guint32 v)
{
  const CandelaPlan *plan = rows->run->plan;

  for (guint32 k = after + 1; k < rows->group->n_subs; k++)
    for (guint32 i = 0; i < rows->members[k].step->n_inputs; i++)
      if (plan->inputs[rows->members[k].step->first_input + i] == v)
        return TRUE;
  return FALSE;
}

static CandelaMemberWay
choose_way (const CandelaRows *rows, const CandelaMember *member)
{
  if (rows->group->n_last > 0 || member->step->n_inputs > CANDELA_ROWS_FEW_INPUTS)
    return CANDELA_MEMBER_ANEW;
  if (candela_stage_rows_can_run (&member->pass, member->row_elements))
    return CANDELA_MEMBER_STAGED;
  return member->row_elements <= FEW_ELEMENTS && candela_few_rows_can_run (&member->pass, member->row_elements)
           ? CANDELA_MEMBER_FEW
           : CANDELA_MEMBER_ANEW;
}

static gboolean
prepare_elementwise (CandelaRows *rows, guint32 k, GError **error)
{
  const CandelaPlan *plan = rows->run->plan;
  CandelaMember *member = &rows->members[k];
  CandelaPassRows pass_rows = { .n_axes = rows->group->n_axes, .n_rows = rows->group->n_rows };

  if (rows->group->n_last > 0)
    {
      pass_rows.n_columns = rows->group->n_columns;
      pass_rows.packs = rows->group->packs;
    }

  for (guint32 o = 0; o < member->step->n_outputs; o++)
    if (is_read_again (rows, k, plan->outputs[member->step->first_output + o].value))
      pass_rows.read_again |= 1u << o;
  member->inputs = candela_arena_new (&rows->run->arena, CandelaPassInput, MAX (member->step->n_inputs, 1));
  if (!candela_pass_init (&member->pass, rows->run, member->step, member->inputs, &pass_rows, error))
    return FALSE;
  member->row_elements = member->pass.n / rows->group->n_rows;
  member->way = choose_way (rows, member);
  if (member->way == CANDELA_MEMBER_ANEW)
    rows->scratch_bytes = MAX (rows->scratch_bytes, member->pass.scratch_bytes);
  return rows->group->n_last == 0 || candela_columns_prepare (rows, member, error);
}

gboolean
candela_rows_can_take (const CandelaRows *rows, const CandelaPlanStep *step)
{
  const CandelaPlan *plan = rows->run->plan;
  const CandelaPlanValue *in = &plan->values[plan->inputs[step->first_input]];
  const CandelaKernelInfo *kernel = plan->parts[step->first_part].node->u.op.kernel;
  gint64 stride;

  if (rows->group->n_last > 0 || kernel == NULL || kernel->compute == NULL || kernel->rows == NULL
      || in->dtype != kernel->in[0]
      || !candela_layout_find_stride (in->layout, rows->group->n_axes, in->layout->rank, &stride)
      || (stride != 1 && in->layout->n_elements != rows->group->n_rows))
    return FALSE;
  for (guint32 o = 0; o < step->n_outputs; o++)
    {
      const CandelaPlanValue *out = &plan->values[plan->outputs[step->first_output + o].value];

      if (out->layout->n_elements != rows->group->n_rows || out->dtype != kernel->out[o])
        return FALSE;
    }
  return TRUE;
}

static gboolean
prepare_reduction (CandelaRows *rows, CandelaMember *member, GError **error)
{
  const CandelaPlan *plan = rows->run->plan;
  guint32 v = plan->inputs[member->step->first_input];
  const CandelaLayout *in = plan->values[v].layout;
  const CandelaRowsBlock block = { .end = rows->block, .end_column = rows->width };

  candela_layout_find_stride (in, 0, rows->group->n_axes, &member->row_stride);
  if (candela_rows_can_take (rows, member->step))
    {
      member->way = member->rows_end != NULL ? CANDELA_MEMBER_MADE : CANDELA_MEMBER_ROWS;
      member->row_length = (gsize) (in->n_elements / rows->group->n_rows);
      return TRUE;
    }
  member->in = candela_rows_make_layout (rows, v, &block, error);
  if (member->in == NULL)
    return FALSE;
  for (guint32 o = 0; o < member->step->n_outputs; o++)
    {
      member->out[o] =
        candela_rows_make_layout (rows, plan->outputs[member->step->first_output + o].value, &block, error);
      if (member->out[o] == NULL)
        return FALSE;
    }
  return TRUE;
}

static gsize
lane_bytes (const CandelaRows *rows, guint32 v)
{
  const CandelaPlanValue *value = &rows->run->plan->values[v];

  return (gsize) (value->layout->n_elements / (rows->group->n_rows * rows->group->n_columns))
         * candela_dtype_get_size (value->dtype);
}

static void
weigh_lanes (CandelaRows *rows, const CandelaPlanStep *step)
{
  const CandelaPlan *plan = rows->run->plan;

  for (guint32 i = 0; i < step->n_inputs; i++)
    rows->lane_bytes += lane_bytes (rows, plan->inputs[step->first_input + i]);
  for (guint32 o = 0; o < step->n_outputs; o++)
    rows->lane_bytes += lane_bytes (rows, plan->outputs[step->first_output + o].value);
  for (guint32 l = 0; l < rows->group->n_locals; l++)
    rows->lane_bytes += plan->local_bytes[rows->group->first_local + l];
}

static gint64
choose_share (const CandelaRows *rows)
{
  gsize row = MAX (rows->lane_bytes, 1);
  gsize bytes = CLAMP (sysconf (_SC_LEVEL2_CACHE_SIZE) / 4, MIN_SHARE_BYTES, MAX_SHARE_BYTES);
  gint64 share;

  if (rows->parallel && candela_get_num_threads () > 1)
    bytes = CLAMP (row * (guint64) rows->group->n_rows / candela_get_num_threads (), MIN_SHARE_BYTES, bytes);
  share = CLAMP ((gint64) (bytes / row), 1, rows->group->n_rows);
  return share < MANY_ROWS ? share : MIN (share + (-share & (ROWS_AT_ONCE - 1)), rows->group->n_rows);
}

/* To set a member up for each block would take longer than what is gained: then it is all of a share. Few elements
 * of each row are one tile for the block. */
static gint64
choose_block (const CandelaRows *rows)
{
  gsize bytes = CLAMP (sysconf (_SC_LEVEL1_DCACHE_SIZE) / 3 * 2, MIN_BLOCK_BYTES, MAX_BLOCK_BYTES);
  gint64 block = (gint64) (bytes / MAX (rows->lane_bytes, 1)), most = rows->share;

  if (block > ROWS_AT_ONCE)
    block -= block % ROWS_AT_ONCE;
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    {
      const CandelaMember *member = &rows->members[k];

      if (member->step->kind == CANDELA_STEP_FUSED && member->way == CANDELA_MEMBER_ANEW)
        block = rows->share;
      else if (member->way == CANDELA_MEMBER_FEW)
        most = MIN (most, (gint64) (member->pass.tile / member->row_elements));
    }
  return CLAMP (block, 1, most);
}

static void
place_rows (CandelaRows *rows)
{
  rows->share = choose_share (rows);
  rows->block = choose_block (rows);
  for (guint32 l = 0; l < rows->group->n_locals; l++)
    {
      rows->local_at[l] = rows->chunks_at;
      rows->chunks_at +=
        candela_round_up (rows->run->plan->local_bytes[rows->group->first_local + l] * (gsize) rows->block);
    }
  rows->tiles_at = rows->chunks_at;
}

/* Behind all that is made anew for each block. */
static void
place_kept (CandelaRows *rows)
{
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    {
      CandelaMember *member = &rows->members[k];

      if (member->way == CANDELA_MEMBER_ANEW)
        continue;
      member->kept_at = rows->scratch_bytes = candela_round_up (rows->scratch_bytes);
      rows->scratch_bytes += candela_rows_kept_bytes (member) + member->pass.scratch_bytes;
    }
}

static void
count_results (CandelaRows *rows)
{
  const CandelaPlan *plan = rows->run->plan;

  for (guint32 k = 0; k < rows->group->n_subs; k++)
    for (guint32 o = 0; o < rows->members[k].step->n_outputs; o++)
      rows->lane_results +=
        plan->values[plan->outputs[rows->members[k].step->first_output + o].value].layout->n_elements
        / (rows->group->n_rows * rows->group->n_columns);
}

static gboolean
prepare_members (CandelaRows *rows, CandelaStepKind kind, GError **error)
{
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    if (rows->members[k].step->kind == kind
        && !(kind == CANDELA_STEP_FUSED ? prepare_elementwise (rows, k, error)
                                        : prepare_reduction (rows, &rows->members[k], error)))
      return FALSE;
  return TRUE;
}

static gboolean
prepare (CandelaRows *rows, const CandelaPlanStep *step, GError **error)
{
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    rows->members[k].step = &rows->run->plan->subs[rows->group->first_sub + k];
  weigh_lanes (rows, step);
  count_results (rows);
  rows->parallel = rows->lane_bytes * (guint64) (rows->group->n_rows * rows->group->n_columns) >= PARALLEL_BYTES;
  rows->share = rows->block = rows->width = 1;
  if (rows->group->n_last > 0)
    {
      if (!candela_columns_place (rows, error))
        return FALSE;
      rows->tiles_at = rows->chunks_at;
      candela_columns_prepare_packed (rows);
    }
  if (!prepare_members (rows, CANDELA_STEP_FUSED, error))
    return FALSE;
  if (rows->group->n_last == 0)
    {
      candela_rows_find_made (rows);
      place_rows (rows);
    }
  rows->scratch_bytes += rows->tiles_at;
  if (!prepare_members (rows, CANDELA_STEP_KERNEL, error))
    return FALSE;
  place_kept (rows);
  return TRUE;
}

static void
clear (CandelaRows *rows)
{
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    {
      CandelaMember *member = &rows->members[k];

      if (member->inputs != NULL)
        candela_pass_clear (&member->pass);
      candela_columns_clear (member);
      g_clear_pointer (&member->in, candela_layout_unref);
      for (guint o = 0; o < CANDELA_MAX_OUTPUTS; o++)
        g_clear_pointer (&member->out[o], candela_layout_unref);
    }
  candela_columns_clear_packed (rows);
}

/* A thread has the same share from run to run, if there is one for each: then each has memory of its own, so that what
 * one has written there is not in the way of another. Without, each share sees to it. */
static void
take_scratch (CandelaRows *rows, guint64 n_shares)
{
  if (n_shares <= candela_get_num_threads ())
    rows->scratch = candela_buffer_new (n_shares * candela_round_up (rows->scratch_bytes), NULL);
}

gboolean
candela_run_rows (CandelaRun *run, const CandelaPlanStep *step, GError **error)
{
  const CandelaPlanGroup *group = &run->plan->groups[step->group];
  GError *prepare_error = NULL;
  CandelaRows rows = { .run = run,
                       .group = group,
                       .members = candela_arena_new0 (&run->arena, CandelaMember, group->n_subs),
                       .local_at = candela_arena_new (&run->arena, gsize, group->n_locals) };
  guint64 n_shares;

  candela_shares_init (&rows.shares, run);
  if (prepare (&rows, step, &prepare_error))
    {
      n_shares = (guint64) (count_shares (group->n_rows, rows.share) * count_shares (group->n_columns, rows.width));
      if (!rows.parallel)
        for (guint64 share = 0; share < n_shares; share++)
          run_share (share, &rows);
      else
        {
          take_scratch (&rows, n_shares);
          candela_parallel_for (n_shares, run_share, &rows);
          g_clear_pointer (&rows.scratch, candela_buffer_unref);
        }
    }
  else
    candela_shares_fail (&rows.shares, prepare_error);
  clear (&rows);
  return candela_shares_end (&rows.shares, error);
}
