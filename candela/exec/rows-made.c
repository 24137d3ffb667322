/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A reduction whose rows the member before it makes in stages takes them from the accumulator, block by block
 * of the stages, if it declares how and nobody else reads them: they are neither stored nor read again.
 *
 * What it has of a row may not do (a sum that overflows on the way, say): then that member runs once more over the
 * block of rows, so as to store them, and the reduction takes them from there. */
#include <candela/exec/rows-private.h>

/* Whether any other member reads the local. */
static gboolean
is_read_elsewhere (const CandelaRows *rows, const CandelaMember *reader, guint32 v)
{
  const CandelaPlan *plan = rows->run->plan;

  for (guint32 k = 0; k < rows->group->n_subs; k++)
    for (guint32 i = 0; rows->members[k].step != reader->step && i < rows->members[k].step->n_inputs; i++)
      {
        guint32 input = plan->inputs[rows->members[k].step->first_input + i];

        if (candela_rows_is_local (rows, input) && plan->values[input].source == plan->values[v].source)
          return TRUE;
      }
  return FALSE;
}

/* So that it can run again. */
static gboolean
keeps_inputs (const CandelaRows *rows, const CandelaPlanStep *step)
{
  for (guint32 o = 0; o < step->n_outputs; o++)
    if (rows->run->plan->outputs[step->first_output + o].kind == CANDELA_OUTPUT_IN_PLACE)
      return FALSE;
  return TRUE;
}

/* What the last part of a fused step computes is what the reduction reads, and nobody else. */
static gboolean
makes_rows (const CandelaRows *rows, const CandelaPlanStep *step, const CandelaMember *taker)
{
  const CandelaPlan *plan = rows->run->plan;
  const CandelaPlanPart *part = &plan->parts[step->first_part + step->n_parts - 1];
  guint32 output = candela_plan_part_operands (plan, part)[part->node->n_inputs];
  guint32 v = plan->inputs[taker->step->first_input];

  return (output & CANDELA_PART_OUTPUT) != 0
         && plan->outputs[step->first_output + (output & ~CANDELA_PART_OUTPUT)].value == v
         && candela_rows_is_local (rows, v) && !is_read_elsewhere (rows, taker, v) && keeps_inputs (rows, step);
}

static const CandelaRowsEnd *
find_end (const CandelaRows *rows, const CandelaMember *maker, const CandelaMember *taker)
{
  const CandelaNode *node = rows->run->plan->parts[taker->step->first_part].node;
  const CandelaRowsEnd *end;

  if (maker->way != CANDELA_MEMBER_STAGED || taker->step->kind != CANDELA_STEP_KERNEL
      || !candela_rows_can_take (rows, taker->step) || !makes_rows (rows, maker->step, taker))
    return NULL;
  for (end = node->u.op.facts->info->rows_ends; end != NULL && end->family != NULL; end++)
    if (end->family == maker->pass.program->groups[0].family && end->in == node->u.op.kernel->in[0]
        && end->out == node->u.op.kernel->out[0])
      return end;
  return NULL;
}

void
candela_rows_find_made (CandelaRows *rows)
{
  const CandelaPlan *plan = rows->run->plan;

  for (guint32 k = 0; k + 1 < rows->group->n_subs; k++)
    {
      CandelaMember *maker = &rows->members[k], *taker = &rows->members[k + 1];
      guint32 v = plan->inputs[taker->step->first_input];

      taker->rows_end = find_end (rows, maker, taker);
      if (taker->rows_end == NULL)
        continue;
      maker->made = candela_stage_program_end_with (&maker->pass, taker->rows_end->end);
      rows->lane_bytes -= plan->local_bytes[rows->group->first_local + plan->values[v].source];
    }
}

void
candela_rows_begin_made (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block)
{
  const CandelaPlan *plan = rows->run->plan;
  const CandelaMember *maker = member - 1;
  CandelaMadeRows *made = &candela_rows_find_kept (member, block)->made;
  CandelaStageRows *stage_rows = &candela_rows_find_kept (maker, block)->rows;
  const CandelaNode *node = plan->parts[member->step->first_part].node;

  made->out = candela_rows_find_output (rows, plan->outputs[member->step->first_output].value, block);
  made->n = member->row_length;
  made->size = member->row_length * candela_dtype_get_size (node->u.op.kernel->in[0]);
  made->params = node->u.op.params;
  made->again = FALSE;
  stage_rows->end = member->rows_end;
  stage_rows->made = made;
  stage_rows->stages[maker->made->n_stages - 1].data = made;
}

static void
take_again (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block)
{
  const CandelaPlan *plan = rows->run->plan;
  const CandelaMember *maker = member - 1;
  const CandelaNode *node = plan->parts[member->step->first_part].node;
  gpointer out = candela_rows_find_output (rows, plan->outputs[member->step->first_output].value, block);
  CandelaPassInput inputs[CANDELA_ROWS_FEW_INPUTS];
  CandelaPass pass;

  candela_rows_place_operands (rows, maker, block, &pass, inputs);
  candela_pass_run (&pass, (guint64) block->first * maker->row_elements, (guint64) block->end * maker->row_elements,
                    NULL);
  node->u.op.kernel->rows (&out, candela_rows_find_input (rows, member, block), member->row_stride,
                           (gsize) (block->end - block->first), member->row_length, node->u.op.params);
}

void
candela_rows_end_made (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block)
{
  CandelaMadeRows *made = &candela_rows_find_kept (member, block)->made;
  guint32 v = rows->run->plan->outputs[member->step->first_output].value;
  gint64 began = candela_run_begin_parts (rows->run);

  if (G_UNLIKELY (made->again))
    take_again (rows, member, block);
  made->again = FALSE;
  if (candela_rows_is_local (rows, v))
    made->out = candela_rows_find_output (rows, v, block);
  candela_run_end_parts (rows->run, member->step->first_part, 1, began);
}
