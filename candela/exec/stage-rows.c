/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of a step that is one group of stages. Rows are short: what is different from one
 * to the next, where they lie and the numbers that are the same for all of one, is found
 * out once. Most operands lie row after row, as the offset goes, so that between two rows
 * there is a number to read. Where an operand's rows lie in periods, all are run up to the end
 * of one, and from there anew. */
#include <candela/exec/stage-private.h>

/* Whether all numbers that rows have of their own are of the dtype that stages take. */
static gboolean
are_numbers_ready (const CandelaPass *pass)
{
  for (guint32 k = 0; k < pass->program->n_scalars; k++)
    if (pass->program->scalars[k].convert != NULL
        && pass->inputs[pass->program->scalars[k].input].kind == CANDELA_TILE_ROW_SCALAR)
      return FALSE;
  return TRUE;
}

gboolean
candela_stage_rows_can_run (const CandelaPass *pass, guint64 row)
{
  return pass->program != NULL && pass->program->whole && pass->program->groups[0].family->run_rows != NULL && row != 0
         && row % pass->program->block == 0 && pass->program->n_stages <= CANDELA_MAX_ROW_STAGES
         && are_numbers_ready (pass);
}

/* How many bytes on an operand is in the next row. */
static gint64
find_step (const CandelaPass *pass, guint64 row, guint32 operand)
{
  const CandelaPassInput *input;
  guint32 o = operand & ~(CANDELA_PART_OUTPUT | CANDELA_STAGE_STREAMED);

  if (operand == CANDELA_PLAN_NONE)
    return 0;
  if ((operand & CANDELA_PART_OUTPUT) != 0)
    {
      if (pass->streamed[o] && (operand & CANDELA_STAGE_STREAMED) == 0)
        return 0;
      return pass->output_steps[o] != 0 ? pass->output_steps[o] : (gint64) (row * pass->output_sizes[o]);
    }
  if (operand >= pass->step->n_inputs)
    return 0;
  input = &pass->inputs[operand];
  if (input->kind == CANDELA_TILE_ROW_PACKED)
    return input->rows.inner * (gint64) input->size;
  return (gint64) (row * input->size) * (input->alternate ? 2 : 1);
}

/* How many bytes on it is by the offset alone. */
static gint64
find_offset (const CandelaStageRows *rows, guint32 s)
{
  guint32 operand = rows->pass->program->operands[s];
  gboolean alternate = operand < rows->pass->step->n_inputs && rows->pass->inputs[operand].alternate;

  return rows->stages[s].mask == 0 ? 0 : (gint64) rows->row_bytes * (alternate ? 2 : 1);
}

/* From the first row on, which may be one within a period. */
static void
add_operand (CandelaStageRows *rows, gconstpointer *place, guint32 operand, gint64 step, gint64 first)
{
  CandelaRowOperand *added = &rows->operands[rows->n_operands++];
  const CandelaPassInput *input;

  *added = (CandelaRowOperand){
    .place = place, .data = *place, .step = step, .left = G_MAXINT64, .held = candela_pass_is_held (rows->pass, operand)
  };
  if (operand >= rows->pass->step->n_inputs)
    return;
  input = &rows->pass->inputs[operand];
  if ((input->kind != CANDELA_TILE_ROW_PACKED && input->kind != CANDELA_TILE_ROW_SCALAR)
      || input->rows.period == G_MAXINT64)
    return;
  added->period = input->rows.period;
  added->left = added->period - first % added->period;
  added->jump = (input->rows.outer - added->period * input->rows.inner) * (gint64) input->size;
}

static void
find_operands (CandelaStageRows *rows, guint64 row, gint64 first)
{
  for (guint32 s = 0; s < rows->pass->program->n_stages; s++)
    {
      guint32 operand = rows->pass->program->operands[s];
      gint64 step = find_step (rows->pass, row, operand), offset = find_offset (rows, s);
      CandelaStageMove *move = &rows->moves[rows->n_moves];

      if (operand == CANDELA_PLAN_NONE || (step == 0 && offset == 0))
        continue;
      *move = (CandelaStageMove){ .stage = &rows->stages[s], .data = rows->stages[s].data, .step = step - offset };
      if (step != offset)
        rows->n_moves++;
      add_operand (rows, step != offset ? &move->data : &rows->stages[s].data, operand, step, first);
    }
}

static void
find_numbers (CandelaStageRows *rows, guint64 start, gint64 first)
{
  const CandelaStageProgram *program = rows->pass->program;

  for (guint32 k = 0; k < program->n_scalars; k++)
    {
      const CandelaStageScalar *scalar = &program->scalars[k];
      const CandelaPassInput *input = &rows->pass->inputs[scalar->input];
      CandelaStageMove *move = &rows->moves[rows->n_moves];

      if (input->kind != CANDELA_TILE_ROW_SCALAR)
        continue;
      *move = (CandelaStageMove){ .stage = &rows->stages[scalar->stage],
                                  .data = candela_pass_scalar (rows->pass, scalar->input, start),
                                  .step = input->rows.inner * (gint64) input->size,
                                  .size = scalar->size };
      rows->n_moves++;
      add_operand (rows, &move->data, scalar->input, move->step, first);
    }
}

void
candela_stage_rows_begin (CandelaStageRows *rows, const CandelaPass *pass, guint64 row, CandelaStage *stages,
                          const guint8 *const *inputs, guint8 *scratch, guint64 start)
{
  const CandelaStageProgram *program = pass->program;

  rows->pass = pass;
  rows->stages = stages;
  rows->end = NULL;
  rows->row_bytes = row * program->groups[0].size;
  rows->n_moves = rows->n_operands = 0;
  candela_stage_program_set_scalars (pass, stages, start);
  candela_stage_group_point (pass, &program->groups[0], stages, inputs, scratch, start);
  find_operands (rows, row, (gint64) (start / row));
  find_numbers (rows, start, (gint64) (start / row));
}

/* What is held is there in the same place for the rows of the next block. */
static void
take_back_held (CandelaStageRows *rows, gint64 n)
{
  for (guint32 k = 0; k < rows->n_operands; k++)
    if (rows->operands[k].held)
      rows->operands[k].data -= n * rows->operands[k].step;
}

void
candela_stage_rows_run (CandelaStageRows *rows, guint64 n)
{
  const CandelaStageFamily *family = rows->pass->program->groups[0].family;
  gint64 began = candela_run_begin_parts (rows->pass->run), left = (gint64) n;

  for (gint64 some; left > 0; left -= some)
    {
      some = candela_row_operands_count (rows->operands, rows->n_operands, left);
      candela_row_operands_move (rows->operands, rows->n_operands, some);
      if (rows->end != NULL)
        rows->end->begin (rows->made);
      family->run_rows (rows->stages, rows->row_bytes, (gsize) some, rows->moves, rows->n_moves);
    }
  take_back_held (rows, (gint64) n);
  candela_run_end_parts (rows->pass->run, rows->pass->step->first_part, rows->pass->step->n_parts, began);
}
