/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element-wise engine. A fused step runs over tiles, ranges of the output's
 * logical index so small that a few fit in the first-level cache: each tile goes
 * through all parts before the next one begins, so what lies between parts stays
 * in cache.
 *
 * Loops see packed elements of their kernel's dtypes only. An input that is
 * packed and of the output's shape is read where it lies, and so are the rows of any
 * other that hold a whole tile; a scalar is spread over a tile once; anything else
 * (strided, reversed, broadcast) is packed tile by tile, or, where a tile would use
 * little of each cache line that it reads (transposed), for many tiles at once; and what
 * has another dtype is converted on the way. Where a step goes row by
 * row, what is one number for a row is spread as a scalar is, and what is packed
 * within each row is read where it lies.
 *
 * A loop gives an element the same bits wherever it stands, so neither the
 * tile's size, nor the cut into chunks, nor the number of threads is to be seen
 * in the result.
 *
 * Parts that declare stages as well go from one to the next in vector registers
 * instead (see stage.c); loops then serve for what fills no block.
 *
 * A large result that is not written over an input is computed into a tile that
 * stays in cache, and goes from there to memory past the caches. */
#include <candela/exec/stage-private.h>
#include <candela/value/stream-private.h>
#include <candela/value/dtype-private.h>
#include <string.h>

/* Work (elements times parts) below which no thread is woken. */
#define PARALLEL_WORK (64 * 1024)
/* Scratch memory on the stack, enough for small arrays. */
#define STACK_BYTES (8 * 1024)
#define FEW_INPUTS 16

/* ---- One tile ---- */

/* The pointers of one tile. Scratch memory: registers first, then a tile for
 * each input that is not read where it lies, then one for each operand of a part
 * that may be converted, then one for each output that is stored past the caches. */
static guint8 *
input_scratch (const CandelaPass *pass, guint8 *scratch, guint32 input)
{
  return scratch + (pass->step->n_registers + input) * pass->tile_bytes;
}

static guint8 *
convert_scratch (const CandelaPass *pass, guint8 *scratch, guint32 operand)
{
  return scratch + (pass->step->n_registers + pass->step->n_inputs + operand) * pass->tile_bytes;
}

static guint8 *
stream_scratch (const CandelaPass *pass, guint8 *scratch, guint32 output)
{
  return convert_scratch (pass, scratch, pass->n_converted + output);
}

/* A thread's own copy of the stages comes last. */
static gpointer
stage_scratch (const CandelaPass *pass, guint8 *scratch)
{
  return stream_scratch (pass, scratch, pass->n_streamed);
}

static void
prepare_scalars (const CandelaPass *pass, guint8 *scratch, gsize n)
{
  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    if (pass->inputs[i].kind == CANDELA_TILE_SCALAR)
      candela_spread (pass->inputs[i].data, pass->inputs[i].size, input_scratch (pass, scratch, i), n);
}

/* Where the row of an element begins. */
static const guint8 *
row_data (const CandelaPass *pass, guint32 i, guint64 start)
{
  const CandelaPassInput *input = &pass->inputs[i];

  return input->data + candela_row_strides_find (&input->rows, (gint64) (start / pass->row)) * (gint64) input->size;
}

const guint8 *
candela_pass_scalar (const CandelaPass *pass, guint32 input, guint64 start)
{
  return pass->inputs[input].kind == CANDELA_TILE_ROW_SCALAR ? row_data (pass, input, start) : pass->inputs[input].data;
}

static void
prepare_row_scalars (const CandelaPass *pass, guint8 *scratch, guint64 start, gsize n)
{
  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    if (pass->inputs[i].kind == CANDELA_TILE_ROW_SCALAR)
      candela_spread (row_data (pass, i, start), pass->inputs[i].size, input_scratch (pass, scratch, i), n);
}

/* Whether a tile that is packed has the elements of the one before it, of so many: where rows
 * are repeated, and both are whole ones of the same. */
static gboolean
is_repeated (const CandelaPassInput *input, guint64 start, gsize n, gsize before)
{
  return input->kind == CANDELA_TILE_STRIDED && input->period > 0 && n <= before && before % (gsize) input->period == 0
         && (start - before) % (guint64) input->range + before + n <= (guint64) input->range;
}

static const guint8 *
prepare_input (const CandelaPass *pass, guint8 *scratch, guint32 i, guint64 start, gsize n)
{
  const CandelaPassInput *input = &pass->inputs[i];

  if (input->kind == CANDELA_TILE_PACKED)
    return input->data + start * input->size;
  if (input->kind == CANDELA_TILE_ROW_PACKED)
    return row_data (pass, i, start) + start % pass->row * input->size;
  if (input->alternate && pass->program != NULL && n >= pass->program->block)
    return input->data + start * 2 * input->size;
  if (input->kind == CANDELA_TILE_STRIDED)
    return candela_pack_walk_read (input->walk, input->data, start, n, input_scratch (pass, scratch, i));
  return input_scratch (pass, scratch, i);
}

static gsize
count_across (const CandelaPass *pass, gsize n)
{
  gsize bytes = 0;

  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    if (pass->inputs[i].kind == CANDELA_TILE_ACROSS)
      bytes += n * pass->inputs[i].size;
  return bytes;
}

/* Packs those inputs that are packed for a whole range. Returns their memory, which
 * comes from the pool; NULL: there is none. */
static CandelaBuffer *
pack_across (const CandelaPass *pass, guint64 start, guint64 end, const guint8 **packed)
{
  const CandelaPassInput *inputs = pass->inputs;
  gsize n = end - start, bytes = 0;
  CandelaBuffer *memory = candela_buffer_new (count_across (pass, n), NULL);

  if (memory == NULL)
    return NULL;
  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    if (inputs[i].kind == CANDELA_TILE_ACROSS)
      {
        packed[i] = (guint8 *) memory->data + bytes;
        candela_pack_walk_run (inputs[i].walk, inputs[i].data, start, n, (guint8 *) memory->data + bytes);
        bytes += n * inputs[i].size;
      }
  return memory;
}

guint8 *
candela_pass_operand (const CandelaPass *pass, const guint8 *const *inputs, guint8 *scratch, guint32 operand,
                      guint64 start)
{
  guint32 output = operand & ~CANDELA_PART_OUTPUT;

  if ((operand & CANDELA_PART_OUTPUT) == 0)
    return operand < pass->step->n_inputs ? (guint8 *) inputs[operand]
                                          : scratch + (operand - pass->step->n_inputs) * pass->tile_bytes;
  return pass->streamed[output] ? stream_scratch (pass, scratch, output)
                                : pass->outputs[output] + start * pass->output_sizes[output];
}

gboolean
candela_pass_is_held (const CandelaPass *pass, guint32 operand)
{
  const CandelaPlan *plan = pass->run->plan;
  guint32 v;

  if ((operand & CANDELA_PART_OUTPUT) != 0)
    v = plan->outputs[pass->step->first_output + (operand & ~(CANDELA_PART_OUTPUT | CANDELA_STAGE_STREAMED))].value;
  else
    v = plan->inputs[pass->step->first_input + operand];
  return plan->values[v].storage == CANDELA_STORAGE_LOCAL;
}

static void
run_part (const CandelaPass *pass, const CandelaPlanPart *part, const guint8 *const *inputs, guint8 *scratch,
          guint64 start, gsize n)
{
  const CandelaNode *node = part->node;
  const CandelaKernelInfo *kernel = node->u.op.kernel;
  const guint32 *operands = candela_plan_part_operands (pass->run->plan, part);
  gconstpointer in[CANDELA_MAX_LOOP_INPUTS];
  gpointer out[CANDELA_MAX_OUTPUTS], results[CANDELA_MAX_OUTPUTS];

  for (guint32 i = 0; i < node->n_inputs; i++)
    {
      const guint8 *data = candela_pass_operand (pass, inputs, scratch, operands[i], start);

      if (node->inputs[i]->dtype != kernel->in[i])
        {
          guint8 *converted = convert_scratch (pass, scratch, i);

          candela_dtype_get_convert_func (node->inputs[i]->dtype, kernel->in[i]) (converted, data, n);
          data = converted;
        }
      in[i] = data;
    }
  operands += node->n_inputs;
  for (guint o = 0; o < node->n_outputs; o++)
    {
      results[o] = candela_pass_operand (pass, inputs, scratch, operands[o], start);
      out[o] = candela_node_output_dtype (node, o) == kernel->out[o]
                 ? results[o]
                 : convert_scratch (pass, scratch, node->n_inputs + o);
    }
  kernel->loop (out, in, n, node->u.op.params);
  for (guint o = 0; o < node->n_outputs; o++)
    if (out[o] != results[o])
      candela_dtype_get_convert_func (kernel->out[o], candela_node_output_dtype (node, o)) (results[o], out[o], n);
}

/* Stores n elements past the caches, while the next elements of inputs that are
 * read where they lie are fetched. */
static void
store_outputs (const CandelaPass *pass, guint8 *scratch, guint64 start, gsize n, guint64 end)
{
  for (guint32 o = 0; o < pass->n_streamed; o++)
    {
      gsize size = pass->output_sizes[o];
      CandelaStreamAhead ahead[CANDELA_STREAM_MAX_AHEAD];
      guint n_ahead = 0;

      if (!pass->streamed[o])
        continue;
      for (guint32 i = 0; i < pass->step->n_inputs && n_ahead < CANDELA_STREAM_MAX_AHEAD; i++)
        if (pass->inputs[i].kind == CANDELA_TILE_PACKED && end - start >= 2 * n)
          ahead[n_ahead++] = (CandelaStreamAhead){ pass->inputs[i].data + (start + n) * pass->inputs[i].size,
                                                   pass->inputs[i].size * CANDELA_STREAM_LINE / size };
      candela_stream (pass->outputs[o] + start * size, stream_scratch (pass, scratch, o), n * size, ahead, n_ahead);
    }
}

/* All parts over one tile; with stages, where it is whole blocks. */
static void
run_parts (const CandelaPass *pass, CandelaStage *stages, const guint8 *const *inputs, guint8 *scratch, guint64 start,
           gsize n)
{
  const CandelaPlanPart *parts = pass->run->plan->parts + pass->step->first_part;
  const CandelaStageGroup *group = stages != NULL ? pass->program->groups : NULL;
  const CandelaStageGroup *end = stages != NULL ? group + pass->program->n_groups : NULL;

  for (guint32 p = 0, n_parts; p < pass->step->n_parts; p += n_parts)
    {
      gint64 began = candela_run_begin_parts (pass->run);

      n_parts = 1;
      if (group != end && group->first_part == p)
        {
          candela_stage_group_run (pass, group, stages, inputs, scratch, start, n);
          n_parts = group++->n_parts;
        }
      else
        run_part (pass, &parts[p], inputs, scratch, start, n);
      candela_run_end_parts (pass->run, pass->step->first_part + p, n_parts, began);
    }
}

void
candela_pass_run_span (const CandelaPass *pass, guint64 start, guint64 end, const guint8 **inputs, guint8 *scratch,
                       CandelaStage *stages)
{
  const CandelaStageProgram *program = pass->program;
  gboolean whole = program != NULL && program->whole;
  gsize block = program != NULL ? program->block : G_MAXSIZE, n, before = 0;

  for (; start < end; start += n, before = n)
    {
      n = whole ? end - start : MIN (pass->tile, end - start);
      if (n >= block)
        n -= n % block;

      if (g_cancellable_is_cancelled (pass->run->cancellable))
        return;
      for (guint32 i = 0; i < pass->step->n_inputs; i++)
        if (pass->inputs[i].kind != CANDELA_TILE_ACROSS && !is_repeated (&pass->inputs[i], start, n, before))
          inputs[i] = prepare_input (pass, scratch, i, start, n);
      run_parts (pass, n >= block ? stages : NULL, inputs, scratch, start, n);
      if (pass->n_streamed > 0 && (!whole || n < block))
        store_outputs (pass, scratch, start, n, end);
      for (guint32 i = 0; i < pass->step->n_inputs; i++)
        if (pass->inputs[i].kind == CANDELA_TILE_ACROSS)
          inputs[i] += n * pass->inputs[i].size;
    }
}

CandelaStage *
candela_pass_begin (const CandelaPass *pass, guint8 *scratch, guint64 span)
{
  gboolean loops = pass->program == NULL || !pass->program->whole || span % pass->program->block != 0 || span == 0;
  CandelaStage *stages = NULL;

  if (pass->program != NULL)
    candela_stage_program_copy (pass, stages = stage_scratch (pass, scratch));
  if (pass->program != NULL && pass->row == 0)
    candela_stage_program_set_scalars (pass, stages, 0);
  if (loops)
    prepare_scalars (pass, scratch, span != 0 ? MIN (pass->tile, span) : pass->tile);
  return stages;
}

void
candela_pass_find_inputs (const CandelaPass *pass, guint64 start, gsize n, const guint8 **inputs, guint8 *scratch)
{
  prepare_scalars (pass, scratch, n);
  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    inputs[i] = prepare_input (pass, scratch, i, start, n);
}

void
candela_pass_begin_rows (const CandelaPass *pass, CandelaStageRows *rows, guint64 row, guint64 start,
                         const guint8 **inputs, guint8 *scratch)
{
  CandelaStage *stages = candela_pass_begin (pass, scratch, row);

  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    inputs[i] = prepare_input (pass, scratch, i, start, row);
  candela_stage_rows_begin (rows, pass, row, stages, inputs, scratch, start);
}

/* Row by row, of which the first and the last need not be whole. */
static void
run_by_rows (const CandelaPass *pass, guint64 start, guint64 end, const guint8 **inputs, guint8 *scratch)
{
  gboolean whole = start % pass->row == 0 && end % pass->row == 0;
  gboolean loops = !whole || pass->program == NULL || !pass->program->whole || pass->row % pass->program->block != 0;
  CandelaStage *stages;
  CandelaStageRows rows;
  guint64 n;

  if (whole && candela_stage_rows_can_run (pass, pass->row))
    {
      candela_pass_begin_rows (pass, &rows, pass->row, start, inputs, scratch);
      candela_stage_rows_run (&rows, (end - start) / pass->row);
      return;
    }
  stages = candela_pass_begin (pass, scratch, whole ? pass->row : 0);
  for (; start < end; start += n)
    {
      n = MIN (pass->row - start % pass->row, end - start);
      if (loops)
        prepare_row_scalars (pass, scratch, start, MIN (pass->tile, n));
      if (stages != NULL)
        candela_stage_program_set_scalars (pass, stages, start);
      candela_pass_run_span (pass, start, start + n, inputs, scratch, stages);
    }
}

static void
run_packed (const CandelaPass *pass, guint64 start, guint64 end, const guint8 **inputs, guint8 *scratch)
{
  CandelaStage *stages;

  if (start < end && pass->row != 0)
    run_by_rows (pass, start, end, inputs, scratch);
  else if (start < end)
    {
      stages = candela_pass_begin (pass, scratch, end - start);
      candela_pass_run_span (pass, start, end, inputs, scratch, stages);
    }
}

/* Without memory for many tiles at once, what lies across is packed tile by tile. */
static void
run_strided (const CandelaPass *pass, guint64 start, guint64 end, const guint8 **inputs, guint8 *scratch)
{
  g_autofree CandelaPassInput *strided = g_memdup2 (pass->inputs, pass->step->n_inputs * sizeof *strided);
  CandelaPass without = *pass;

  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    if (strided[i].kind == CANDELA_TILE_ACROSS)
      strided[i].kind = CANDELA_TILE_STRIDED;
  without.inputs = strided;
  run_packed (&without, start, end, inputs, scratch);
}

static void
run_range (const CandelaPass *pass, guint64 start, guint64 end, const guint8 **inputs, guint8 *scratch)
{
  gboolean packs = count_across (pass, end - start) > 0;
  g_autoptr (CandelaBuffer) across = packs ? pack_across (pass, start, end, inputs) : NULL;

  if (packs && across == NULL)
    run_strided (pass, start, end, inputs, scratch);
  else
    run_packed (pass, start, end, inputs, scratch);
}

/* ---- A whole step ---- */

void
candela_pass_run (const CandelaPass *pass, guint64 start, guint64 end, guint8 *scratch)
{
  guint8 small[STACK_BYTES] __attribute__ ((aligned (CANDELA_ALIGNMENT)));
  const guint8 *few[FEW_INPUTS];
  g_autofree const guint8 **many = NULL;
  g_autofree guint8 *large = NULL;

  if (scratch == NULL)
    scratch = small;
  if (scratch == small && pass->scratch_bytes > STACK_BYTES)
    {
      large = g_malloc (pass->scratch_bytes + CANDELA_ALIGNMENT);
      scratch = (guint8 *) (((gsize) large + CANDELA_ALIGNMENT - 1) & ~(gsize) (CANDELA_ALIGNMENT - 1));
    }
  if (pass->step->n_inputs > FEW_INPUTS)
    many = g_new (const guint8 *, pass->step->n_inputs);
  run_range (pass, start, end, many != NULL ? many : few, scratch);
  if (pass->n_streamed > 0)
    candela_stream_end ();
}

void
candela_pass_tell (CandelaPass *pass, gsize n)
{
  candela_run_tell (pass->run, pass->caller, &pass->done, n);
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  CandelaPass *pass = data;
  guint64 start = chunk * pass->chunk;
  guint64 end = MIN (pass->n, start + pass->chunk);

  candela_pass_run (pass, start, end, NULL);
  candela_pass_tell (pass, end - start);
}

void
candela_pass_run_chunks (const CandelaPass *pass, guint64 n_chunks, CandelaKernelChunkFunc func, gpointer data)
{
  const CandelaPlanPart *parts = pass->run->plan->parts + pass->step->first_part;
  gboolean alone = n_chunks == 1 || pass->n * pass->step->n_parts < PARALLEL_WORK;
  gboolean exclusive = FALSE;

  for (guint32 p = 0; p < pass->step->n_parts; p++)
    {
      const CandelaOpInfo *info = parts[p].node->u.op.facts->info;

      alone = alone || info->threads != CANDELA_THREADS_ANY || info->effect != CANDELA_EFFECT_PURE;
      exclusive = exclusive || info->threads == CANDELA_THREADS_ONE_AT_A_TIME;
    }
  if (exclusive)
    candela_run_begin_exclusive ();
  if (alone)
    for (guint64 chunk = 0; chunk < n_chunks; chunk++)
      func (chunk, data);
  else
    candela_parallel_for (n_chunks, func, data);
  if (exclusive)
    candela_run_end_exclusive ();
}

/* An op with effects gets its elements in their order. */
static gboolean
is_read_across (const CandelaPass *pass)
{
  gboolean across = FALSE;

  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    across = across || pass->inputs[i].kind == CANDELA_TILE_ACROSS;
  for (guint32 p = 0; across && p < pass->step->n_parts; p++)
    across = pass->run->plan->parts[pass->step->first_part + p].node->u.op.facts->info->effect == CANDELA_EFFECT_PURE;
  return across;
}

gboolean
candela_run_tiles (CandelaRun *run, const CandelaPlanStep *step, GError **error)
{
  CandelaPassInput *inputs = candela_arena_new (&run->arena, CandelaPassInput, step->n_inputs);
  const CandelaPassRows rows = { .any_axes = TRUE };
  CandelaPass pass;
  gboolean ok = candela_pass_init (&pass, run, step, inputs, &rows, error), ran = FALSE;

  if (ok && pass.n > 0 && is_read_across (&pass))
    ok = candela_run_across (&pass, &ran, error);
  if (ok && pass.n > 0 && !ran)
    {
      candela_pass_run_chunks (&pass, (pass.n + pass.chunk - 1) / pass.chunk, run_chunk, &pass);
      candela_run_advance (run, pass.done);
      ok = !g_cancellable_set_error_if_cancelled (run->cancellable, error);
    }
  candela_pass_clear (&pass);
  return ok;
}
