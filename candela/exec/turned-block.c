/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Some columns of one row after the other, of steps that run turned: what is the same for all of
 * these rows is copied and set up once. */
#include <candela/exec/turned-private.h>

/* What a thread keeps of a member that goes by pieces, before the memory of its pass. */
typedef struct
{
  CandelaStageRows rows;
  guint32 n_numbers;                           /* the last operands of these */
  gint64 number_steps[CANDELA_MAX_ROW_STAGES]; /* from the first piece of a row to that of the next, in bytes */
  CandelaPass pass;
  CandelaPassInput inputs[];
} Kept;

gsize
candela_turned_kept_bytes (guint32 n_inputs)
{
  return candela_turned_round_up (sizeof (Kept) + n_inputs * sizeof (CandelaPassInput));
}

static guint8 *
find_local (const CandelaTurned *turned, const CandelaTurnedBlock *block, guint32 v)
{
  return block->scratch + turned->local_at[turned->run->plan->values[v].source] * (gsize) turned->width;
}

/* ---- One block ---- */

static void
run_by_pieces (const CandelaTurnedMember *member, const CandelaTurnedBlock *block)
{
  Kept *kept = (gpointer) (block->scratch + member->kept_at);
  CandelaStageRows *rows = &kept->rows;
  CandelaRowOperand *numbers = rows->operands + rows->n_operands - kept->n_numbers;

  candela_stage_rows_run (rows, (guint64) member->n_pieces);
  for (guint32 k = 0; k < kept->n_numbers; k++)
    numbers[k].data += kept->number_steps[k];
}

static void
run_by_column (const CandelaTurned *turned, const CandelaTurnedMember *member, const CandelaTurnedBlock *block)
{
  const CandelaPlanStep *step = member->step;
  guint64 start = (guint64) (block->row * turned->n_columns + block->column);
  g_autofree CandelaPassInput *inputs = g_memdup2 (member->inputs, MAX (step->n_inputs, 1) * sizeof *inputs);
  CandelaPass pass = member->pass;

  pass.inputs = inputs;
  for (guint32 i = 0; i < step->n_inputs; i++)
    if (candela_turned_is_local (turned, candela_turned_input (turned, member, i)))
      inputs[i].data = find_local (turned, block, candela_turned_input (turned, member, i)) - start * inputs[i].size;
  for (guint32 o = 0; o < step->n_outputs; o++)
    if (candela_turned_is_local (turned, candela_turned_output (turned, member, o)))
      pass.outputs[o] =
        find_local (turned, block, candela_turned_output (turned, member, o)) - start * pass.output_sizes[o];
  candela_pass_run (&pass, start, start + (guint64) block->width, block->scratch + turned->tiles_at);
}

static gboolean
run_reduction (const CandelaTurned *turned, guint32 k, const CandelaTurnedBlock *block, GError **error)
{
  const CandelaTurnedMember *member = &turned->members[k];
  const CandelaPlan *plan = turned->run->plan;
  guint32 v = candela_turned_input (turned, member, 0);
  gconstpointer in = find_local (turned, block, v)
                     + plan->values[v].layout->offset * turned->width * (gint64) candela_turned_size (turned, v);
  gpointer out[CANDELA_MAX_OUTPUTS];

  for (guint32 o = 0; o < member->step->n_outputs; o++)
    {
      guint32 output = candela_turned_output (turned, member, o);

      out[o] = candela_turned_is_local (turned, output)
                 ? find_local (turned, block, output)
                 : (guint8 *) candela_run_get_data (turned->run, output)
                     + (block->row * turned->n_columns + block->column) * (gint64) candela_turned_size (turned, output);
    }
  return candela_run_compute_some (turned->run, member->step, in, block->layouts[k][0], out, &block->layouts[k][1],
                                   error);
}

static gboolean
run_block (const CandelaTurned *turned, const CandelaTurnedBlock *block, GError **error)
{
  for (guint32 k = 0; k < turned->group->n_subs; k++)
    {
      const CandelaTurnedMember *member = &turned->members[k];

      if (member->way == CANDELA_TURNED_REDUCED && !run_reduction (turned, k, block, error))
        return FALSE;
      else if (member->way == CANDELA_TURNED_BY_PIECES)
        run_by_pieces (member, block);
      else if (member->way == CANDELA_TURNED_BY_COLUMN)
        run_by_column (turned, member, block);
    }
  return !g_cancellable_set_error_if_cancelled (turned->run->cancellable, error);
}

/* ---- What is the same for some columns of all rows ---- */

/* A whole value's layout as that of a block. */
static CandelaLayout *
make_layout (const CandelaTurned *turned, guint32 v, gint64 width, gint64 unit, GError **error)
{
  const CandelaLayout *whole = turned->run->plan->values[v].layout;
  CandelaLayout *layout = candela_layout_alloc (whole->rank);
  guint columns = turned->group->n_axes - 1;

  for (guint axis = 0; axis < whole->rank; axis++)
    {
      layout->dims[axis] = axis > columns ? whole->dims[axis] : axis == columns ? width : 1;
      layout->strides[axis] = axis > columns ? whole->strides[axis] * unit : 1;
    }
  return candela_layout_complete (layout, error);
}

static gboolean
make_layouts (const CandelaTurned *turned, const CandelaTurnedBlock *block, GError **error)
{
  for (guint32 k = 0; k < turned->group->n_subs; k++)
    {
      const CandelaTurnedMember *member = &turned->members[k];

      if (member->way != CANDELA_TURNED_REDUCED)
        continue;
      for (guint32 n = 0; n <= member->step->n_outputs; n++)
        {
          guint32 v = n == 0 ? candela_turned_input (turned, member, 0) : candela_turned_output (turned, member, n - 1);

          block->layouts[k][n] = make_layout (turned, v, block->width, n == 0 ? turned->width : 1, error);
          if (block->layouts[k][n] == NULL)
            return FALSE;
        }
    }
  return TRUE;
}

static void
copy_input (const CandelaTurned *turned, const CandelaTurnedMember *member, guint32 i, const CandelaTurnedBlock *block)
{
  const CandelaTurnedSource *source = &member->sources[i];
  gsize size = member->inputs[i].size;
  const CandelaPackWalk walk = {
    .size = size, .moves = candela_moves_get (size), .rank = 1, .strides = { source->column_stride }
  };
  const CandelaPlane plane = { .row_stride = source->piece_stride,
                               .column_stride = source->column_stride,
                               .rows = source->piece_stride != 0 ? (gsize) member->n_pieces : 1,
                               .columns = (gsize) block->width };

  candela_pack_plane (&walk, &plane, source->data + block->column * source->column_stride * (gint64) size,
                      block->scratch + source->at * (gsize) turned->width, turned->width);
}

/* From the first of a share's rows on. */
static void
begin_by_pieces (const CandelaTurned *turned, const CandelaTurnedMember *member, const CandelaTurnedBlock *block)
{
  const CandelaPlan *plan = turned->run->plan;
  guint32 n_inputs = member->step->n_inputs;
  Kept *kept = (gpointer) (block->scratch + member->kept_at);
  g_autofree const guint8 **inputs = g_new (const guint8 *, MAX (n_inputs, 1));

  kept->pass = member->pass;
  kept->pass.inputs = kept->inputs;
  kept->pass.row = (guint64) turned->width;
  memcpy (kept->inputs, member->inputs, n_inputs * sizeof *kept->inputs);
  for (guint32 i = 0; i < n_inputs; i++)
    {
      CandelaPassInput *input = &kept->inputs[i];
      const CandelaTurnedSource *source = &member->sources[i];
      guint32 v = candela_turned_input (turned, member, i);

      if (input->kind == CANDELA_TILE_ROW_SCALAR)
        {
          input->data = source->data + block->row * source->row_stride * (gint64) input->size;
          input->rows = candela_row_strides_even (source->piece_stride);
        }
      else if (input->kind == CANDELA_TILE_ROW_PACKED)
        {
          input->rows = candela_row_strides_even (source->piece_stride != 0 ? turned->width : 0);
          input->data = block->scratch + source->at * (gsize) turned->width;
          if (source->copied)
            continue;
          input->rows = candela_row_strides_even (source->piece_stride * turned->width);
          input->data =
            find_local (turned, block, v) + plan->values[v].layout->offset * turned->width * (gint64) input->size;
        }
    }
  for (guint32 o = 0; o < member->step->n_outputs; o++)
    kept->pass.outputs[o] = find_local (turned, block, candela_turned_output (turned, member, o));
  candela_pass_begin_rows (&kept->pass, &kept->rows, kept->pass.row, 0, inputs,
                           (guint8 *) kept + candela_turned_kept_bytes (n_inputs));
  /* All that is memory is there again for each row. */
  for (guint32 k = 0; k < kept->rows.n_operands; k++)
    kept->rows.operands[k].held = TRUE;
  kept->n_numbers = 0;
  for (guint32 k = 0; k < member->pass.program->n_scalars; k++)
    {
      guint32 i = member->pass.program->scalars[k].input;
      const CandelaTurnedSource *source = &member->sources[i];

      if (member->inputs[i].kind == CANDELA_TILE_ROW_SCALAR)
        kept->number_steps[kept->n_numbers++] = source->row_stride * (gint64) member->inputs[i].size;
    }
}

gboolean
candela_turned_run_rows (const CandelaTurned *turned, CandelaTurnedBlock *block, gint64 end, GError **error)
{
  if (!make_layouts (turned, block, error))
    return FALSE;
  for (guint32 k = 0; k < turned->group->n_subs; k++)
    {
      const CandelaTurnedMember *member = &turned->members[k];

      for (guint32 i = 0; member->way == CANDELA_TURNED_BY_PIECES && i < member->step->n_inputs; i++)
        if (member->sources[i].copied)
          copy_input (turned, member, i, block);
      if (member->way == CANDELA_TURNED_BY_PIECES)
        begin_by_pieces (turned, member, block);
    }
  for (; block->row < end; block->row++)
    if (!run_block (turned, block, error))
      return FALSE;
  return TRUE;
}
