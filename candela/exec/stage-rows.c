/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of a step that is one group of stages. Rows are short: what is different from one
 * to the next, where they lie and the numbers that are the same for all of one, is found
 * out once, so that between two runs of the stages there is a pointer to move for each. */
#include <candela/exec/stage-private.h>
#include <string.h>

gboolean
candela_stage_rows_can_run (const CandelaPass *pass, guint64 row)
{
  return pass->program != NULL && pass->program->whole && row != 0 && row % pass->program->block == 0
         && pass->program->n_stages <= CANDELA_MAX_ROW_STAGES;
}

/* Whether the operand is there for one block of rows at a time. */
static gboolean
is_held (const CandelaPass *pass, guint32 operand)
{
  const CandelaPlan *plan = pass->run->plan;
  guint32 v;

  if ((operand & CANDELA_PART_OUTPUT) != 0)
    v = plan->outputs[pass->step->first_output + (operand & ~(CANDELA_PART_OUTPUT | CANDELA_STAGE_STREAMED))].value;
  else
    v = plan->inputs[pass->step->first_input + operand];
  return plan->values[v].storage == CANDELA_STORAGE_LOCAL;
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
    return pass->streamed[o] && (operand & CANDELA_STAGE_STREAMED) == 0 ? 0 : (gint64) (row * pass->output_sizes[o]);
  if (operand >= pass->step->n_inputs)
    return 0;
  input = &pass->inputs[operand];
  if (input->kind == CANDELA_TILE_ROW_PACKED)
    return input->row_stride * (gint64) input->size;
  return (gint64) (row * input->size) * (input->alternate ? 2 : 1);
}

static void
find_numbers (CandelaStageRows *rows, guint64 start)
{
  const CandelaStageProgram *program = rows->pass->program;

  for (guint32 k = 0; k < program->n_scalars; k++)
    {
      const CandelaStageScalar *scalar = &program->scalars[k];
      const CandelaPassInput *input = &rows->pass->inputs[scalar->input];
      const guint8 *data;

      if (input->kind != CANDELA_TILE_ROW_SCALAR)
        continue;
      data = candela_pass_scalar (rows->pass, scalar->input, start);
      rows->numbers[rows->n_numbers++] = (CandelaRowOperand){ .stage = scalar->stage,
                                                              .step = input->row_stride * (gint64) input->size,
                                                              .data = data,
                                                              .held = is_held (rows->pass, scalar->input) ? data : NULL,
                                                              .size = scalar->size,
                                                              .convert = scalar->convert };
    }
}

void
candela_stage_rows_begin (CandelaStageRows *rows, const CandelaPass *pass, guint64 row, CandelaStage *stages,
                          const guint8 *const *inputs, guint8 *scratch, guint64 start)
{
  const CandelaStageProgram *program = pass->program;

  rows->pass = pass;
  rows->stages = stages;
  rows->row_bytes = row * program->groups[0].size;
  rows->n_moving = rows->n_numbers = 0;
  candela_stage_program_set_scalars (pass, stages, start);
  candela_stage_group_point (pass, &program->groups[0], stages, inputs, scratch, start);
  for (guint32 s = 0; s < program->n_stages; s++)
    {
      gint64 step = find_step (pass, row, program->operands[s]);

      if (step != 0)
        rows->moving[rows->n_moving++] = (CandelaRowOperand){
          .stage = s, .step = step, .held = is_held (pass, program->operands[s]) ? stages[s].data : NULL
        };
    }
  find_numbers (rows, start);
}

static inline void
set_number (CandelaStage *stage, const CandelaRowOperand *number)
{
  if (number->convert != NULL)
    number->convert (&stage->scalar, number->data, 1);
  else if (number->size == sizeof (guint32))
    memcpy (&stage->scalar, number->data, sizeof (guint32));
  else if (number->size == sizeof (guint64))
    memcpy (&stage->scalar, number->data, sizeof (guint64));
  else
    memcpy (&stage->scalar, number->data, number->size);
}

void
candela_stage_rows_run (CandelaStageRows *rows, guint64 n)
{
  const CandelaStageFamily *family = rows->pass->program->groups[0].family;
  CandelaStage *stages = rows->stages;
  gint64 began = candela_run_begin_parts (rows->pass->run);

  for (; n > 0; n--)
    {
      for (guint32 k = 0; k < rows->n_numbers; k++)
        {
          set_number (&stages[rows->numbers[k].stage], &rows->numbers[k]);
          rows->numbers[k].data += rows->numbers[k].step;
        }
      family->run (stages, rows->row_bytes);
      for (guint32 k = 0; k < rows->n_moving; k++)
        stages[rows->moving[k].stage].data = (const guint8 *) stages[rows->moving[k].stage].data + rows->moving[k].step;
    }
  candela_run_end_parts (rows->pass->run, rows->pass->step->first_part, rows->pass->step->n_parts, began);
}

void
candela_stage_rows_rewind (CandelaStageRows *rows)
{
  for (guint32 k = 0; k < rows->n_moving; k++)
    if (rows->moving[k].held != NULL)
      rows->stages[rows->moving[k].stage].data = rows->moving[k].held;
  for (guint32 k = 0; k < rows->n_numbers; k++)
    if (rows->numbers[k].held != NULL)
      rows->numbers[k].data = rows->numbers[k].held;
}
