/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A fused step made ready to run: what its inputs are to the loops, which results are stored
 * past the caches, how large tiles and chunks are. */
#include <candela/exec/stage-private.h>
#include <candela/value/stream-private.h>

/* Elements of a tile. Calling a loop for fewer costs more than reading some tiles
 * from the second-level cache, so a tile is smaller only where that would be full; of
 * elements of one or two bytes, which loops are done with sooner, it has more. */
#define TILE 1024
#define MIN_TILE 256
#define TILE_BYTES 4096
#define CACHE_BYTES (1024 * 1024)

/* Rows of so many elements are taken one by one: what is one number for a row, or the
 * same row each time, need not be packed then. Stages can be run for many rows at once:
 * they take shorter ones too. */
#define MIN_ROW 256
#define MIN_STAGED_ROW 32
/* … and of a step alone, where tiles are longer than rows. */
#define MIN_ROW_ALONE 1000

/* Elements of a chunk, which one thread takes at a time: so many that there is little to
 * do between chunks, but of smaller work some for each thread. */
#define MIN_CHUNK (16 * 1024)
#define MAX_CHUNK (64 * 1024)
#define ENOUGH_CHUNKS 8
/* … at least and at most, if an input is packed for a whole chunk: the more, the longer
 * the runs in which it is read. */
#define MIN_ACROSS (256 * 1024)
#define MAX_ACROSS (1024 * 1024)

/* What is written over an input has its lines in the cache already. */
static gboolean
is_streamed (const CandelaPlan *plan, const CandelaPlanOutput *output)
{
  const CandelaPlanValue *value = &plan->values[output->value];
  gboolean result;
  gsize from;

  if (!candela_can_stream () || value->storage != CANDELA_STORAGE_SLOT
      || (output->kind != CANDELA_OUTPUT_ALLOCATE && output->kind != CANDELA_OUTPUT_REUSE))
    return FALSE;
  result = plan->slots[value->source].end == CANDELA_PLAN_NONE;
  from = result ? CANDELA_STREAM_RESULTS_FROM : CANDELA_STREAM_FROM;
  return (guint64) value->layout->n_elements >= from / candela_dtype_get_size (value->dtype);
}

/* FALSE: rows are not even in periods. */
static gboolean
find_row_strides (const CandelaLayout *layout, guint n_axes, CandelaRowStrides *strides)
{
  const gint64 *all[] = { layout->strides };
  gint64 shape[CANDELA_MAX_RANK], merged[1][CANDELA_MAX_RANK];
  guint rank;

  candela_layout_coalesce (layout->dims, n_axes, 1, all, shape, &rank, merged);
  if (rank > 2)
    return FALSE;
  *strides = candela_row_strides_even (merged[0][rank - 1]);
  if (rank == 2)
    {
      strides->period = shape[1];
      strides->outer = merged[0][0];
    }
  return TRUE;
}

/* Whether it is one element, or packed, along the axes that are no rows; and its rows are
 * as far apart everywhere, or in periods. */
static gboolean
goes_by_rows (CandelaPassInput *input, guint n_axes)
{
  const CandelaLayout *layout = input->layout;
  gint64 packed = 1;
  gboolean scalar = TRUE, whole = TRUE;

  for (guint axis = layout->rank; axis-- > n_axes;)
    {
      scalar = scalar && (layout->strides[axis] == 0 || layout->dims[axis] == 1);
      whole = whole && (layout->strides[axis] == packed || layout->dims[axis] == 1);
      packed *= layout->dims[axis];
    }
  if ((!scalar && !whole) || !find_row_strides (layout, n_axes, &input->rows))
    return FALSE;
  input->kind = scalar ? CANDELA_TILE_ROW_SCALAR : CANDELA_TILE_ROW_PACKED;
  return TRUE;
}

/* The axis from which on an input is one element, or packed. */
static guint
find_row_axis (const CandelaLayout *layout)
{
  guint scalar = layout->rank, whole = layout->rank;
  gint64 packed = 1;

  while (scalar > 0 && (layout->strides[scalar - 1] == 0 || layout->dims[scalar - 1] == 1))
    scalar--;
  while (whole > 0 && (layout->strides[whole - 1] == packed || layout->dims[whole - 1] == 1))
    packed *= layout->dims[--whole];
  return MIN (scalar, whole);
}

/* The longest rows that suit all that is strided, of which there is something; FALSE: none do. */
static gboolean
find_rows (const CandelaPass *pass, CandelaPassRows *rows)
{
  const CandelaLayout *layout = NULL;

  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    if (pass->inputs[i].kind == CANDELA_TILE_STRIDED)
      {
        layout = pass->inputs[i].layout;
        rows->n_axes = MAX (rows->n_axes, find_row_axis (layout));
      }
  rows->n_rows = 1;
  for (guint axis = 0; layout != NULL && axis < rows->n_axes; axis++)
    rows->n_rows *= layout->dims[axis];
  for (guint32 i = 0; layout != NULL && i < pass->step->n_inputs; i++)
    {
      CandelaPassInput input = pass->inputs[i];

      if (input.kind == CANDELA_TILE_STRIDED && !goes_by_rows (&input, rows->n_axes))
        return FALSE;
    }
  return layout != NULL;
}

/* Whether rows are whole blocks of all parts' stages, without which these cannot run them. */
static gboolean
fills_blocks (const CandelaPass *pass, guint64 row)
{
  const CandelaPlanPart *parts = pass->run->plan->parts + pass->step->first_part;

  for (guint32 p = 0; p < pass->step->n_parts; p++)
    {
      const CandelaKernelInfo *kernel = parts[p].node->u.op.kernel;

      if (kernel->stages == NULL
          || row % (kernel->stages->family->block / candela_dtype_get_size (kernel->out[0])) != 0)
        return FALSE;
    }
  return TRUE;
}

static void
prepare_rows (CandelaPass *pass, const CandelaPassRows *rows)
{
  guint64 row = pass->n / (guint64) rows->n_rows, least = rows->any_axes ? MIN_ROW_ALONE : MIN_ROW;

  for (guint32 o = 0; o < pass->step->n_outputs; o++)
    {
      if ((rows->read_again >> o & 1) != 0
          || (gsize) rows->n_columns * pass->output_sizes[o] % CANDELA_STREAM_LINE != 0)
        pass->streamed[o] = FALSE;
      if (rows->packs && pass->streamed[o])
        pass->pieces_streamed |= 1u << o;
      pass->streamed[o] = pass->streamed[o] && !rows->packs;
    }
  if (row < MIN_STAGED_ROW || (row < least && !fills_blocks (pass, row)))
    return;
  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    {
      CandelaPassInput *input = &pass->inputs[i];

      if (input->kind != CANDELA_TILE_STRIDED || !goes_by_rows (input, rows->n_axes))
        continue;
      pass->row = row;
    }
}

/* A step alone runs over rows if that suits it. Past the caches go whole lines. */
static void
prepare_any_rows (CandelaPass *pass)
{
  CandelaPassRows rows = { .any_axes = TRUE };

  if (pass->n == 0 || !find_rows (pass, &rows))
    return;
  for (guint32 o = 0; o < pass->step->n_outputs; o++)
    if (pass->streamed[o] && pass->n / (guint64) rows.n_rows * pass->output_sizes[o] % CANDELA_STREAM_LINE != 0)
      return;
  prepare_rows (pass, &rows);
}

static gboolean
has_periods (const CandelaPass *pass)
{
  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    if ((pass->inputs[i].kind == CANDELA_TILE_ROW_PACKED || pass->inputs[i].kind == CANDELA_TILE_ROW_SCALAR)
        && pass->inputs[i].rows.period != G_MAXINT64)
      return TRUE;
  return FALSE;
}

/* Rows so short, or in periods, that it pays for stages alone, which cannot run them: what they read is packed
 * after all. */
static gboolean
take_back_rows (CandelaPass *pass, guint64 least)
{
  if (pass->row == 0 || candela_stage_rows_can_run (pass, pass->row) || (pass->row >= least && !has_periods (pass)))
    return FALSE;
  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    if (pass->inputs[i].layout != NULL)
      pass->inputs[i].kind = CANDELA_TILE_STRIDED;
  pass->row = 0;
  return TRUE;
}

static gboolean
prepare (CandelaPass *pass, gboolean pieces, guint32 numbers, GError **error)
{
  const CandelaPlan *plan = pass->run->plan;
  const CandelaPlanStep *step = pass->step;
  const CandelaLayout *shape = plan->values[plan->outputs[step->first_output].value].layout;

  for (guint32 o = 0; o < step->n_outputs; o++)
    {
      guint32 v = plan->outputs[step->first_output + o].value;

      pass->output_sizes[o] = candela_dtype_get_size (plan->values[v].dtype);
      pass->outputs[o] = (guint8 *) candela_run_get_data (pass->run, v)
                         + plan->values[v].layout->offset * (gint64) pass->output_sizes[o];
      pass->streamed[o] = is_streamed (plan, &plan->outputs[step->first_output + o]);
      if (pass->streamed[o])
        pass->n_streamed = o + 1;
    }
  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      guint32 v = plan->inputs[step->first_input + i];
      const CandelaLayout *layout = plan->values[v].layout;
      CandelaPassInput *input = &pass->inputs[i];

      input->layout = NULL;
      input->walk = NULL;
      input->size = candela_dtype_get_size (plan->values[v].dtype);
      input->data = (const guint8 *) candela_run_get_data (pass->run, v) + layout->offset * (gint64) input->size;
      if (layout->n_elements == 1 || pieces || (layout->contiguous && layout->n_elements == shape->n_elements))
        {
          input->kind = layout->n_elements == 1 && shape->n_elements != 1 ? CANDELA_TILE_SCALAR : CANDELA_TILE_PACKED;
          if (i < CANDELA_PASS_MAX_NUMBERS && (numbers >> i & 1) != 0)
            input->kind = CANDELA_TILE_ROW_SCALAR;
          continue;
        }
      input->kind = CANDELA_TILE_STRIDED;
      input->layout = candela_layout_broadcast (layout, shape->dims, shape->rank, error);
      if (input->layout == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Of those inputs that are to be packed. */
static void
prepare_walks (CandelaPass *pass)
{
  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    {
      CandelaPassInput *input = &pass->inputs[i];

      if (input->kind != CANDELA_TILE_STRIDED || input->walk != NULL)
        continue;
      input->walk = candela_arena_new (&pass->run->arena, CandelaPackWalk, 1);
      candela_pack_walk_init (input->walk, input->layout, input->size);
    }
}

/* Of all that a tile is of: what parts read and write, and what their loops do. */
static gsize
widest_element (const CandelaPass *pass)
{
  const CandelaPlanPart *parts = pass->run->plan->parts + pass->step->first_part;
  gsize size = 1;

  for (guint32 p = 0; p < pass->step->n_parts; p++)
    {
      const CandelaNode *node = parts[p].node;
      const CandelaKernelInfo *kernel = node->u.op.kernel;

      for (guint32 i = 0; i < node->n_inputs; i++)
        size = MAX (size, MAX (candela_dtype_size (node->inputs[i]->dtype), candela_dtype_size (kernel->in[i])));
      for (guint32 o = 0; o < node->n_outputs; o++)
        size = MAX (
          size, MAX (candela_dtype_size (candela_node_output_dtype (node, o)), candela_dtype_size (kernel->out[o])));
    }
  return size;
}

/* Tiles for the operands of the part that has the most among those whose loops may not
 * take them as they are. */
static guint32
count_converted (const CandelaPass *pass)
{
  const CandelaPlanPart *parts = pass->run->plan->parts + pass->step->first_part;
  guint32 n_converted = 0;

  for (guint32 p = 0; p < pass->step->n_parts; p++)
    if (!parts[p].node->direct)
      n_converted = MAX (n_converted, parts[p].node->n_inputs + parts[p].node->n_outputs);
  return n_converted;
}

static void
size_tiles (CandelaPass *pass, gboolean ranges)
{
  const CandelaPlanStep *step = pass->step;
  const CandelaStageProgram *program = pass->program;
  gsize n_tiles = step->n_registers + step->n_inputs;
  gsize n_scratch = n_tiles + (pass->n_converted = count_converted (pass)) + pass->n_streamed;
  gsize widest = widest_element (pass), fitting = CACHE_BYTES / (widest * MAX (n_tiles, 1));

  pass->tile = CLAMP (fitting & ~(gsize) 63, MIN_TILE, MAX (TILE, TILE_BYTES / widest));
  if (program != NULL)
    pass->tile = program->whole ? program->block : MAX (pass->tile, program->block);
  if (pass->n < pass->tile)
    pass->tile = (pass->n + 15) & ~(gsize) 15;
  pass->tile_bytes = (pass->tile * widest + CANDELA_ALIGNMENT - 1) & ~(gsize) (CANDELA_ALIGNMENT - 1);
  pass->scratch_bytes = n_scratch * pass->tile_bytes;
  if (program != NULL)
    pass->scratch_bytes += program->n_stages * sizeof (CandelaStage);
  for (guint32 i = 0; i < step->n_inputs; i++)
    if (pass->inputs[i].kind == CANDELA_TILE_STRIDED
        && candela_pack_walk_gains (pass->inputs[i].walk, pass->tile, ranges ? MAX_CHUNK : G_MAXSIZE))
      {
        pass->inputs[i].kind = CANDELA_TILE_ACROSS;
        pass->chunk = CLAMP (pass->n / 8, MIN_ACROSS, MAX_ACROSS);
      }
    else if (pass->inputs[i].kind == CANDELA_TILE_STRIDED)
      pass->inputs[i].period =
        candela_pack_walk_find_repeat (pass->inputs[i].walk, (gint64) pass->tile, &pass->inputs[i].range);
}

gboolean
candela_pass_init (CandelaPass *pass, CandelaRun *run, const CandelaPlanStep *step, CandelaPassInput *inputs,
                   const CandelaPassRows *rows, GError **error)
{
  gboolean any_axes = rows != NULL && rows->any_axes;

  *pass = (CandelaPass){ .run = run, .step = step, .inputs = inputs, .caller = g_thread_self () };
  pass->n = run->plan->values[run->plan->outputs[step->first_output].value].layout->n_elements;
  pass->chunk = candela_get_num_threads () == 1
                  ? MAX_CHUNK
                  : CLAMP (pass->n / ENOUGH_CHUNKS, MIN_CHUNK, MAX_CHUNK) & ~(gsize) (TILE_BYTES - 1);
  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      inputs[i].layout = NULL;
      inputs[i].walk = NULL;
      inputs[i].alternate = FALSE;
      inputs[i].period = 0;
    }
  if (!prepare (pass, rows != NULL && rows->n_columns > 0, rows != NULL ? rows->numbers : 0, error))
    return FALSE;
  if (any_axes)
    prepare_any_rows (pass);
  else if (rows != NULL)
    prepare_rows (pass, rows);
  prepare_walks (pass);
  pass->program = candela_stage_program_new (pass);
  if (take_back_rows (pass, any_axes ? MIN_ROW_ALONE : MIN_ROW))
    {
      prepare_walks (pass);
      pass->program = candela_stage_program_new (pass);
    }
  if (any_axes && pass->row > 0 && pass->row < pass->chunk)
    pass->chunk -= pass->chunk % pass->row;
  size_tiles (pass, rows != NULL && !any_axes);
  return TRUE;
}

void
candela_pass_clear (CandelaPass *pass)
{
  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    g_clear_pointer (&pass->inputs[i].layout, candela_layout_unref);
}
