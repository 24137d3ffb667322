/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fused steps over few elements, where calling the loops takes less time than
 * getting ready to. Where every loop takes its operands as they lie (packed, of its
 * own dtypes) or one number for all, one tile holds the whole step: no chunks, no
 * threads, and scratch memory on the stack only. What is not so simple is tile.c's. */
#include <candela/exec/executor-private.h>
#include <string.h>

#define MAX_ELEMENTS 256
#define MAX_INPUTS 8
#define STACK_BYTES (16 * 1024)
#define ELEMENT_BYTES 16 /* the widest */

typedef struct
{
  const CandelaPlanStep *step;
  gsize n;
  gsize tile_bytes; /* of a register, or of a number that is spread over a tile */
  guint8 *scratch;  /* registers first */
  const guint8 *inputs[MAX_INPUTS];
  guint8 *outputs[CANDELA_MAX_OUTPUTS];
} Small;

static inline guint8 *
value_data (CandelaRun *run, guint32 v)
{
  const CandelaPlanValue *value = &run->plan->values[v];

  return (guint8 *) candela_run_get_data (run, v)
         + value->layout->offset * (gint64) candela_dtype_get_size (value->dtype);
}

static inline guint8 *
operand_data (const Small *small, guint32 operand)
{
  if ((operand & CANDELA_PART_OUTPUT) != 0)
    return small->outputs[operand & ~CANDELA_PART_OUTPUT];
  if (operand < small->step->n_inputs)
    return (guint8 *) small->inputs[operand];
  return small->scratch + (operand - small->step->n_inputs) * small->tile_bytes;
}

static void
run_parts (const CandelaRun *run, const Small *small)
{
  const CandelaPlan *plan = run->plan;
  const CandelaPlanPart *parts = plan->parts + small->step->first_part;

  for (guint32 p = 0; p < small->step->n_parts; p++)
    {
      const CandelaNode *node = parts[p].node;
      const guint32 *operands = candela_plan_part_operands (plan, &parts[p]);
      gconstpointer in[CANDELA_MAX_LOOP_INPUTS];
      gpointer out[CANDELA_MAX_OUTPUTS];
      gint64 began = candela_run_begin_parts (run);

      for (guint32 i = 0; i < node->n_inputs; i++)
        in[i] = operand_data (small, *operands++);
      for (guint o = 0; o < node->n_outputs; o++)
        out[o] = operand_data (small, *operands++);
      node->u.op.kernel->loop (out, in, small->n, node->u.op.params);
      candela_run_end_parts (run, small->step->first_part + p, 1, began);
    }
}

static void
spread (guint8 *out, const guint8 *number, gsize size, gsize n)
{
  if (size == 4)
    for (gsize i = 0; i < n; i++)
      memcpy (out + 4 * i, number, 4);
  else if (size == 8)
    for (gsize i = 0; i < n; i++)
      memcpy (out + 8 * i, number, 8);
  else
    for (gsize i = 0; i < n; i++)
      memcpy (out + size * i, number, size);
}

/* Whether each input is read as it lies, or is one number. */
static gboolean
find_inputs (CandelaRun *run, Small *small, guint32 *n_numbers)
{
  const guint32 *inputs = run->plan->inputs + small->step->first_input;

  for (guint32 i = 0; i < small->step->n_inputs; i++)
    {
      const CandelaLayout *layout = run->plan->values[inputs[i]].layout;

      if ((gsize) layout->n_elements == small->n ? !layout->contiguous : layout->n_elements != 1)
        return FALSE;
      *n_numbers += (gsize) layout->n_elements != small->n;
      small->inputs[i] = value_data (run, inputs[i]);
    }
  return TRUE;
}

static void
spread_numbers (CandelaRun *run, Small *small)
{
  guint8 *next = small->scratch + small->step->n_registers * small->tile_bytes;

  for (guint32 i = 0; i < small->step->n_inputs; i++)
    {
      const CandelaPlanValue *value = &run->plan->values[run->plan->inputs[small->step->first_input + i]];

      if ((gsize) value->layout->n_elements == small->n)
        continue;
      spread (next, small->inputs[i], candela_dtype_get_size (value->dtype), small->n);
      small->inputs[i] = next;
      next += small->tile_bytes;
    }
}

static void
run_in_scratch (CandelaRun *run, Small *small)
{
  guint8 scratch[STACK_BYTES] __attribute__ ((aligned (CANDELA_ALIGNMENT)));

  small->scratch = scratch;
  spread_numbers (run, small);
  run_parts (run, small);
}

gboolean
candela_run_small (CandelaRun *run, const CandelaPlanStep *step)
{
  const CandelaPlan *plan = run->plan;
  const CandelaPlanOutput *outputs = plan->outputs + step->first_output;
  const CandelaPlanPart *parts = plan->parts + step->first_part;
  gint64 n = plan->values[outputs[0].value].layout->n_elements;
  guint32 n_numbers = 0;
  Small small;

  if (n > MAX_ELEMENTS || step->n_inputs > MAX_INPUTS)
    return FALSE;
  for (guint32 p = 0; p < step->n_parts; p++)
    if (!parts[p].node->direct)
      return FALSE;
  small.step = step;
  small.n = n;
  small.tile_bytes = (n * ELEMENT_BYTES + CANDELA_ALIGNMENT - 1) & ~(gsize) (CANDELA_ALIGNMENT - 1);
  if (!find_inputs (run, &small, &n_numbers) || (step->n_registers + n_numbers) * small.tile_bytes > STACK_BYTES)
    return FALSE;
  for (guint32 o = 0; o < step->n_outputs; o++)
    small.outputs[o] = value_data (run, outputs[o].value);
  if (n == 0)
    return TRUE;
  if (step->n_registers + n_numbers > 0)
    run_in_scratch (run, &small);
  else
    run_parts (run, &small);
  return TRUE;
}
