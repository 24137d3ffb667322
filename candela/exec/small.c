/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fused steps over few elements, where calling the loops takes less time than
 * getting ready to. Where every loop takes its operands as they lie (packed, of its
 * own dtypes) or one number for all, there are a few tiles at most: no chunks, no
 * threads, no stages, and scratch memory on the stack only. What is not so simple is
 * tile.c's. */
#include <candela/exec/executor-private.h>

/* Beyond so many elements, stages are worth being made ready; one loop alone is called
 * for as many as go to one thread. */
#define MAX_ELEMENTS 4096
#define MAX_ELEMENTS_OF_ONE (16 * 1024)
#define MAX_INPUTS 8
#define STACK_BYTES (16 * 1024)
#define MIN_TILE 256
#define MAX_TILE 1024

typedef struct
{
  const CandelaPlanStep *step;
  gsize n;
  gsize tile;       /* elements that go through all parts at a time */
  gsize tile_bytes; /* of a register, or of a number that is spread over a tile */
  guint8 *scratch;  /* registers first */
  const guint8 *inputs[MAX_INPUTS];
  guint8 *outputs[CANDELA_MAX_OUTPUTS];
  gsize input_sizes[MAX_INPUTS]; /* of an element; 0 of what is spread */
  gsize output_sizes[CANDELA_MAX_OUTPUTS];
} Small;

static inline guint8 *
value_data (CandelaRun *run, guint32 v)
{
  const CandelaPlanValue *value = &run->plan->values[v];

  return (guint8 *) candela_run_get_data (run, v)
         + value->layout->offset * (gint64) candela_dtype_get_size (value->dtype);
}

static inline guint8 *
operand_data (const Small *small, guint32 operand, gsize start)
{
  guint32 output = operand & ~CANDELA_PART_OUTPUT;

  if ((operand & CANDELA_PART_OUTPUT) != 0)
    return small->outputs[output] + start * small->output_sizes[output];
  if (operand < small->step->n_inputs)
    return (guint8 *) small->inputs[operand] + start * small->input_sizes[operand];
  return small->scratch + (operand - small->step->n_inputs) * small->tile_bytes;
}

static void
run_parts (const CandelaRun *run, const Small *small, gsize start, gsize n)
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
        in[i] = operand_data (small, *operands++, start);
      for (guint o = 0; o < node->n_outputs; o++)
        out[o] = operand_data (small, *operands++, start);
      node->u.op.kernel->loop (out, in, n, node->u.op.params);
      candela_run_end_parts (run, small->step->first_part + p, 1, began);
    }
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
      small->input_sizes[i] = candela_dtype_get_size (run->plan->values[inputs[i]].dtype);
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
      candela_spread (small->inputs[i], small->input_sizes[i], next, small->tile);
      small->inputs[i] = next;
      small->input_sizes[i] = 0;
      next += small->tile_bytes;
    }
}

static void
run_in_scratch (CandelaRun *run, Small *small)
{
  guint8 scratch[STACK_BYTES] __attribute__ ((aligned (CANDELA_ALIGNMENT)));

  small->scratch = scratch;
  spread_numbers (run, small);
  for (gsize start = 0; start < small->n; start += small->tile)
    run_parts (run, small, start, MIN (small->tile, small->n - start));
}

/* Of an element of the widest value. */
static gsize
find_widest (const Small *small, const CandelaPlanPart *parts)
{
  gsize widest = 1;

  for (guint32 i = 0; i < small->step->n_inputs; i++)
    widest = MAX (widest, small->input_sizes[i]);
  for (guint32 p = 0; p < small->step->n_parts; p++)
    for (guint o = 0; o < parts[p].node->n_outputs; o++)
      widest = MAX (widest, candela_dtype_get_size (candela_node_output_dtype (parts[p].node, o)));
  return widest;
}

/* FALSE if the stack has no room for a tile that is worth calling loops for. */
static gboolean
size_tile (Small *small, const CandelaPlanPart *parts, guint32 n_tiles)
{
  gsize size;

  small->tile = small->n;
  if (n_tiles == 0)
    return TRUE;
  size = find_widest (small, parts);
  small->tile = MIN (MIN (small->n, MAX_TILE), (STACK_BYTES / n_tiles - CANDELA_ALIGNMENT) / size & ~(gsize) 63);
  small->tile_bytes = (small->tile * size + CANDELA_ALIGNMENT - 1) & ~(gsize) (CANDELA_ALIGNMENT - 1);
  return small->tile >= MIN (small->n, MIN_TILE);
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

  if (n > (step->n_parts == 1 ? MAX_ELEMENTS_OF_ONE : MAX_ELEMENTS) || step->n_inputs > MAX_INPUTS)
    return FALSE;
  for (guint32 p = 0; p < step->n_parts; p++)
    if (!parts[p].node->direct)
      return FALSE;
  small.step = step;
  small.n = n;
  if (!find_inputs (run, &small, &n_numbers) || !size_tile (&small, parts, step->n_registers + n_numbers))
    return FALSE;
  if (n == 0)
    return TRUE;
  for (guint32 o = 0; o < step->n_outputs; o++)
    {
      small.outputs[o] = value_data (run, outputs[o].value);
      small.output_sizes[o] = candela_dtype_get_size (plan->values[outputs[o].value].dtype);
    }
  if (step->n_registers + n_numbers > 0)
    run_in_scratch (run, &small);
  else
    run_parts (run, &small, 0, n);
  return TRUE;
}
