/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of a step that have few elements each, such as what reductions before it made of longer ones: a block of
 * rows is one tile. All that the loops are called with is found out once, so that of a block there is little to do
 * but to call them. */
#include <candela/exec/tile-private.h>

/* Of a step of more, or with more inputs, each block is set up for itself. */
#define MAX_INPUTS 16

static guint32
count_operands (const CandelaPass *pass)
{
  const CandelaPlanPart *parts = pass->run->plan->parts + pass->step->first_part;
  guint32 n = 0;

  for (guint32 p = 0; p < pass->step->n_parts; p++)
    n += parts[p].node->n_inputs + parts[p].node->n_outputs;
  return n;
}

gboolean
candela_few_rows_can_run (const CandelaPass *pass, guint64 row)
{
  if (row > pass->tile || pass->row != 0 || pass->n_streamed > 0 || pass->n_converted > 0
      || pass->step->n_inputs > MAX_INPUTS)
    return FALSE;
  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    if (pass->inputs[i].kind != CANDELA_TILE_PACKED && pass->inputs[i].kind != CANDELA_TILE_SCALAR)
      return FALSE;
  return TRUE;
}

gsize
candela_few_rows_bytes (const CandelaPass *pass)
{
  return sizeof (CandelaFewRows) + pass->step->n_parts * sizeof (CandelaFewCall)
         + count_operands (pass) * sizeof (CandelaRowOperand);
}

static gpointer
find_operand (CandelaFewRows *few, const guint8 *const *inputs, guint8 *scratch, guint64 start, guint32 operand,
              gconstpointer *place)
{
  const CandelaPass *pass = few->pass;
  guint32 output = operand & ~CANDELA_PART_OUTPUT;
  gboolean input = operand < pass->step->n_inputs && pass->inputs[operand].kind == CANDELA_TILE_PACKED;
  guint8 *data = candela_pass_operand (pass, inputs, scratch, operand, start);
  gsize size = 0;

  if (input || (operand & CANDELA_PART_OUTPUT) != 0)
    size = input ? pass->inputs[operand].size : pass->output_sizes[output];
  if (size != 0 && !candela_pass_is_held (pass, operand))
    few->operands[few->n_operands++] =
      (CandelaRowOperand){ .place = place, .data = data, .step = (gint64) (few->row * size), .left = G_MAXINT64 };
  return data;
}

void
candela_few_rows_begin (CandelaFewRows *few, const CandelaPass *pass, guint64 row, guint64 first, guint64 block,
                        guint8 *scratch)
{
  const CandelaPlanPart *parts = pass->run->plan->parts + pass->step->first_part;
  const guint8 *inputs[MAX_INPUTS];

  few->pass = pass;
  few->row = row;
  few->n_operands = 0;
  few->operands = (CandelaRowOperand *) (few->calls + pass->step->n_parts);
  candela_pass_find_inputs (pass, first * row, block * row, inputs, scratch);
  for (guint32 p = 0; p < pass->step->n_parts; p++)
    {
      const CandelaNode *node = parts[p].node;
      const guint32 *operands = candela_plan_part_operands (pass->run->plan, &parts[p]);
      CandelaFewCall *call = &few->calls[p];

      call->loop = node->u.op.kernel->loop;
      call->params = node->u.op.params;
      for (guint32 i = 0; i < node->n_inputs; i++)
        call->in[i] = find_operand (few, inputs, scratch, first * row, operands[i], &call->in[i]);
      for (guint o = 0; o < node->n_outputs; o++)
        call->out[o] = find_operand (few, inputs, scratch, first * row, operands[node->n_inputs + o],
                                     (gconstpointer *) &call->out[o]);
    }
}

void
candela_few_rows_run (CandelaFewRows *few, guint64 n)
{
  const CandelaPass *pass = few->pass;

  candela_row_operands_move (few->operands, few->n_operands, (gint64) n);
  for (guint32 p = 0; p < pass->step->n_parts; p++)
    {
      gint64 began = candela_run_begin_parts (pass->run);

      few->calls[p].loop (few->calls[p].out, few->calls[p].in, n * few->row, few->calls[p].params);
      candela_run_end_parts (pass->run, pass->step->first_part + p, 1, began);
    }
}
