/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Short rows that are made of every row of one array with every row of another, as for
 * distances between points: so short that a vector, let alone a pass over it, is more than one
 * of them. Such a step runs turned: vectors go along the last of the axes that its rows have, here
 * its columns, and what is reduced becomes pieces, one for each index of the axes behind, each as
 * long as a block has columns. A piece is one row of stages, in which what is the same for
 * all columns is a number; what is not is copied for a block, once for all rows before the columns,
 * and so is little.
 *
 * Reductions are given the pieces as an array that lies in memory with its axes in another
 * order, which changes no bit of what they make of it. */
#include <candela/exec/turned-private.h>

/* Rows of as many elements go through vectors as they are. */
#define MAX_PIECES 63
/* Fewer columns, or rows to copy for, are not worth it. */
#define MIN_COLUMNS 96
#define MIN_ROWS 8
/* What a block holds in bytes, unless that is fewer columns, and more columns than a
 * reduction is to have at a time. */
#define BLOCK_BYTES (32 * 1024)
#define GOOD_COLUMNS 256
#define MAX_COLUMNS 1024
/* … which are a multiple of this, so that pieces begin where lines do. */
#define MIN_UNIT CANDELA_ALIGNMENT
/* Elements below which no thread is woken, and pieces of work if there are threads. */
#define PARALLEL_ELEMENTS (128 * 1024)
#define ENOUGH_SHARES 8
/* Elements between two looks at whether anybody wants to know how far it is. */
#define MAX_SHARE (4 * 1024 * 1024)

/* ---- Shares: some rows of a block's columns ---- */

static gboolean
run_share_of (const CandelaTurned *turned, gint64 row, gint64 column, GError **error)
{
  guint32 n_subs = turned->group->n_subs;
  gint64 end = MIN (row + turned->share, turned->n_rows);
  g_autoptr (CandelaBuffer) scratch = candela_buffer_new (turned->scratch_bytes, error);
  CandelaTurnedBlock block = { .row = row, .column = column, .width = MIN (turned->width, turned->n_columns - column) };
  gboolean ok;

  if (scratch == NULL)
    return FALSE;
  block.scratch = scratch->data;
  /* Columns are computed though there are none. */
  if (block.width < turned->width)
    memset (block.scratch, 0, turned->lane_bytes * (gsize) turned->width);
  block.layouts = g_malloc0 (n_subs * sizeof *block.layouts);
  ok = candela_turned_run_rows (turned, &block, end, error);
  for (guint32 k = 0; k < n_subs; k++)
    for (guint n = 0; n <= CANDELA_MAX_OUTPUTS; n++)
      g_clear_pointer (&block.layouts[k][n], candela_layout_unref);
  g_free (block.layouts);
  return ok;
}

static gint64
count_row_shares (const CandelaTurned *turned)
{
  return (turned->n_rows + turned->share - 1) / turned->share;
}

static void
run_share (guint64 index, gpointer data)
{
  CandelaTurned *turned = data;
  gint64 row = (gint64) index % count_row_shares (turned) * turned->share;
  gint64 column = (gint64) index / count_row_shares (turned) * turned->width;
  GError *error = NULL;

  if (candela_shares_have_failed (&turned->shares))
    return;
  if (!run_share_of (turned, row, column, &error))
    candela_shares_fail (&turned->shares, error);
  else
    candela_shares_tell (&turned->shares, (guint64) (MIN (turned->share, turned->n_rows - row)
                                                     * MIN (turned->width, turned->n_columns - column))
                                            * turned->lane_results);
}

/* ---- Getting ready ---- */

/* Where an input of a step by pieces comes from. FALSE: not from where it could. */
static gboolean
find_source (CandelaTurned *turned, CandelaTurnedMember *member, guint32 i, gboolean *number, GError **error)
{
  const CandelaPlan *plan = turned->run->plan;
  guint32 v = candela_turned_input (turned, member, i);
  const CandelaLayout *shape = plan->values[candela_turned_output (turned, member, 0)].layout;
  guint n_axes = turned->group->n_axes;
  CandelaTurnedSource *source = &member->sources[i];
  g_autoptr (CandelaLayout) layout = candela_layout_broadcast (plan->values[v].layout, shape->dims, shape->rank, error);

  *number = FALSE;
  if (layout == NULL || !candela_layout_find_stride (layout, n_axes, shape->rank, &source->piece_stride))
    return FALSE;
  if (candela_turned_is_local (turned, v) || layout->n_elements == 1 || plan->values[v].layout->n_elements == 1)
    return TRUE;
  if (!candela_layout_find_stride (layout, 0, n_axes - 1, &source->row_stride))
    return FALSE;
  source->data =
    (const guint8 *) candela_run_get_data (turned->run, v) + layout->offset * (gint64) candela_turned_size (turned, v);
  source->column_stride = layout->strides[n_axes - 1];
  *number = source->column_stride == 0;
  if (*number)
    return TRUE;
  source->copied = TRUE;
  source->at = turned->lane_bytes;
  turned->lane_bytes += (gsize) (source->piece_stride != 0 ? member->n_pieces : 1) * candela_turned_size (turned, v);
  return source->row_stride == 0;
}

static gboolean
prepare_by_pieces (CandelaTurned *turned, CandelaTurnedMember *member, GError **error)
{
  const CandelaPlanStep *step = member->step;
  CandelaPassRows rows = {
    .n_axes = turned->group->n_axes, .n_rows = turned->group->n_rows, .n_columns = turned->n_columns, .packs = TRUE
  };

  if (step->n_inputs > CANDELA_PASS_MAX_NUMBERS)
    return FALSE;
  member->sources = candela_arena_new0 (&turned->run->arena, CandelaTurnedSource, MAX (step->n_inputs, 1));
  for (guint32 o = 0; o < step->n_outputs; o++)
    if (!candela_turned_is_local (turned, candela_turned_output (turned, member, o)))
      return FALSE;
  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      gboolean number;

      if (!find_source (turned, member, i, &number, error))
        return FALSE;
      if (number)
        rows.numbers |= 1u << i;
    }
  if (!candela_pass_init (&member->pass, turned->run, step, member->inputs, &rows, error))
    return FALSE;
  for (guint32 i = 0; i < step->n_inputs; i++)
    if (member->inputs[i].kind == CANDELA_TILE_PACKED)
      member->inputs[i].kind = CANDELA_TILE_ROW_PACKED;
  return member->pass.program != NULL && candela_stage_rows_can_run (&member->pass, member->pass.program->block);
}

static gboolean
prepare_by_column (CandelaTurned *turned, CandelaTurnedMember *member, GError **error)
{
  const CandelaPassRows rows = { .n_axes = turned->group->n_axes,
                                 .n_rows = turned->group->n_rows,
                                 .read_again = G_MAXUINT32 };

  if (!candela_pass_init (&member->pass, turned->run, member->step, member->inputs, &rows, error))
    return FALSE;
  for (guint32 i = 0; i < member->step->n_inputs; i++)
    if (candela_turned_is_local (turned, candela_turned_input (turned, member, i))
        && member->inputs[i].kind != CANDELA_TILE_PACKED)
      return FALSE;
  turned->scratch_bytes = MAX (turned->scratch_bytes, member->pass.scratch_bytes);
  return TRUE;
}

static gint64
count_pieces (const CandelaTurned *turned, guint32 v)
{
  return turned->run->plan->values[v].layout->n_elements / turned->group->n_rows;
}

/* FALSE, with or without an error: it is not to be run so. */
static gboolean
prepare_member (CandelaTurned *turned, CandelaTurnedMember *member, GError **error)
{
  const CandelaPlanStep *step = member->step;

  member->n_pieces = count_pieces (turned, candela_turned_output (turned, member, 0));
  for (guint32 o = 0; o < step->n_outputs; o++)
    turned->lane_results += (guint64) count_pieces (turned, candela_turned_output (turned, member, o));
  if (step->kind == CANDELA_STEP_KERNEL)
    {
      member->way = CANDELA_TURNED_REDUCED;
      for (guint32 o = 0; o < step->n_outputs; o++)
        if (count_pieces (turned, candela_turned_output (turned, member, o)) != 1)
          return FALSE;
      return candela_turned_is_local (turned, candela_turned_input (turned, member, 0));
    }
  member->inputs = candela_arena_new0 (&turned->run->arena, CandelaPassInput, MAX (step->n_inputs, 1));
  member->way = member->n_pieces == 1 ? CANDELA_TURNED_BY_COLUMN : CANDELA_TURNED_BY_PIECES;
  return member->way == CANDELA_TURNED_BY_COLUMN ? prepare_by_column (turned, member, error)
                                                 : prepare_by_pieces (turned, member, error);
}

static void
choose_sizes (CandelaTurned *turned)
{
  gint64 unit = MIN_UNIT, n_blocks;

  for (guint32 k = 0; k < turned->group->n_subs; k++)
    if (turned->members[k].way == CANDELA_TURNED_BY_PIECES)
      unit = MAX (unit, (gint64) turned->members[k].pass.program->block);
  turned->width = CLAMP ((gint64) (BLOCK_BYTES / MAX (turned->lane_bytes, 1)), GOOD_COLUMNS, MAX_COLUMNS);
  n_blocks = (turned->n_columns + turned->width - 1) / turned->width;
  turned->width = ((turned->n_columns + n_blocks - 1) / n_blocks + unit - 1) / unit * unit;
  turned->share = turned->n_rows;
  if (turned->parallel && candela_get_num_threads () > 1)
    turned->share = turned->n_rows * n_blocks / ENOUGH_SHARES;
  turned->share = CLAMP (MIN (turned->share, MAX_SHARE / (turned->width * turned->n_pieces)), MIN_ROWS, turned->n_rows);
}

static void
place (CandelaTurned *turned)
{
  turned->tiles_at = turned->lane_bytes * (gsize) turned->width;
  turned->scratch_bytes = candela_turned_round_up (turned->tiles_at + turned->scratch_bytes);
  for (guint32 k = 0; k < turned->group->n_subs; k++)
    {
      CandelaTurnedMember *member = &turned->members[k];

      if (member->way != CANDELA_TURNED_BY_PIECES)
        continue;
      member->kept_at = turned->scratch_bytes;
      turned->scratch_bytes +=
        candela_turned_kept_bytes (member->step->n_inputs) + candela_turned_round_up (member->pass.scratch_bytes);
    }
}

/* Whether rows are short and columns many; and how many. */
static gboolean
measure (CandelaTurned *turned)
{
  const CandelaPlan *plan = turned->run->plan;
  const CandelaPlanGroup *group = turned->group;
  const CandelaPlanStep *sub = &plan->subs[group->first_sub];

  if (group->n_last > 0 || group->n_axes < 2)
    return FALSE;
  turned->n_columns = plan->values[plan->outputs[sub->first_output].value].layout->dims[group->n_axes - 1];
  turned->n_rows = group->n_rows / MAX (turned->n_columns, 1);
  if (turned->n_columns < MIN_COLUMNS || turned->n_rows < MIN_ROWS)
    return FALSE;
  for (guint32 k = 0; k < group->n_subs; k++, sub++)
    for (guint32 o = 0; o < sub->n_outputs; o++)
      turned->n_pieces = MAX (turned->n_pieces, count_pieces (turned, plan->outputs[sub->first_output + o].value));
  return turned->n_pieces > 1 && turned->n_pieces <= MAX_PIECES;
}

static gboolean
prepare (CandelaTurned *turned, GError **error)
{
  const CandelaPlan *plan = turned->run->plan;

  for (guint32 l = 0; l < turned->group->n_locals; l++)
    {
      turned->local_at[l] = turned->lane_bytes;
      turned->lane_bytes += plan->local_bytes[turned->group->first_local + l];
    }
  for (guint32 k = 0; k < turned->group->n_subs; k++)
    {
      turned->members[k].step = &plan->subs[turned->group->first_sub + k];
      if (!prepare_member (turned, &turned->members[k], error))
        return FALSE;
    }
  turned->parallel = turned->group->n_rows * turned->n_pieces >= PARALLEL_ELEMENTS;
  choose_sizes (turned);
  place (turned);
  return TRUE;
}

static void
clear (CandelaTurned *turned)
{
  for (guint32 k = 0; k < turned->group->n_subs; k++)
    if (turned->members[k].pass.step != NULL)
      candela_pass_clear (&turned->members[k].pass);
}

gboolean
candela_run_turned (CandelaRun *run, const CandelaPlanStep *step, gboolean *ran, GError **error)
{
  const CandelaPlanGroup *group = &run->plan->groups[step->group];
  CandelaTurned turned = { .run = run, .group = group };
  GError *prepare_error = NULL;
  guint64 n_shares;

  *ran = FALSE;
  if (!measure (&turned))
    return TRUE;
  turned.members = candela_arena_new0 (&run->arena, CandelaTurnedMember, group->n_subs);
  turned.local_at = candela_arena_new (&run->arena, gsize, group->n_locals);
  candela_shares_init (&turned.shares, run);
  *ran = prepare (&turned, &prepare_error);
  if (*ran)
    {
      n_shares = (guint64) (count_row_shares (&turned) * ((turned.n_columns + turned.width - 1) / turned.width));
      if (turned.parallel)
        candela_parallel_for (n_shares, run_share, &turned);
      else
        for (guint64 share = 0; share < n_shares; share++)
          run_share (share, &turned);
    }
  else if (prepare_error != NULL)
    candela_shares_fail (&turned.shares, prepare_error);
  clear (&turned);
  return candela_shares_end (&turned.shares, error);
}
