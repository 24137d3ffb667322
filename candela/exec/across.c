/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Element-wise steps that read an array transposed. A range of the result's logical index
 * would be a range down the columns of that array, an element or a few of each cache line. So the
 * step goes over rectangles instead: long enough along the axis that is the array's last to
 * use up what it reads, wide enough along the result's last axis for whole lines of that.
 * Each operand's rectangle is packed, the step runs over it as over a tile, and what it
 * computes goes where it belongs. */
#include <candela/exec/stage-private.h>
#include <candela/value/stream-private.h>
#include <string.h>

/* Bytes of a row of a rectangle, and elements of all. Rows that are stored past the caches
 * are as short as two lines, so that the columns are long; but if lines of the result are to
 * stay in the cache until they are full, rows are long. Where an input lies in rows, too,
 * much is read at a time of either. */
#define ROW_BYTES 128
#define LONG_ROW_BYTES 1024
#define RECTANGLE (4 * 1024)
#define LARGE_RECTANGLE (32 * 1024)
/* Elements of a chunk, which one thread takes at a time. */
#define CHUNK (64 * 1024)
/* Of fewer elements chunks are packed as fast. */
#define MIN_ELEMENTS (128 * 1024)
/* Rows so few that they are no axis to go along. */
#define FEW_ROWS 8

typedef struct
{
  CandelaShares shares;
  CandelaPass pass;
  CandelaPass before;     /* as it is before the first chunk: what is done changes while chunks begin */
  CandelaPackWalk *walks; /* of each input: of one axis, the last one */
  guint32 n;              /* inputs and outputs */
  guint rank, axis;       /* … that goes with the last one */
  gint64 shape[CANDELA_MAX_RANK];
  gint64 (*strides)[CANDELA_MAX_RANK];
  gint64 rows, columns;             /* of a rectangle */
  gint64 row_blocks, column_blocks; /* rectangles along the two axes */
  gboolean down;                    /* the next rectangle is the one below */
  gint64 n_rectangles, per_chunk;
  gint64 span;           /* elements of rectangles, large and small, as bits */
  gsize rectangle_bytes; /* of the widest elements */
} Across;

static guint8 *
find_operand (const Across *across, guint32 k)
{
  guint32 n_inputs = across->pass.step->n_inputs;

  return k < n_inputs ? (guint8 *) across->pass.inputs[k].data : across->pass.outputs[k - n_inputs];
}

static gsize
find_size (const Across *across, guint32 k)
{
  guint32 n_inputs = across->pass.step->n_inputs;

  return k < n_inputs ? across->pass.inputs[k].size : across->pass.output_sizes[k - n_inputs];
}

/* ---- One rectangle ---- */

static void
put_rows (guint8 *to, gint64 step, const guint8 *from, gint64 n, gsize bytes, gboolean streamed)
{
  if (!streamed || (((gsize) to | (gsize) step | bytes) & (CANDELA_STREAM_LINE - 1)) != 0)
    {
      candela_move_rows (to, step, from, (gint64) bytes, (gsize) n, bytes);
      return;
    }
  for (; n > 0; n--, to += step)
    for (gsize k = 0; k < bytes; k += CANDELA_STREAM_LINE, from += CANDELA_STREAM_LINE)
      candela_stream_line (to + k, from);
}

/* From an element of each operand on; the pass's operands are rectangles. */
static void
run_rectangle (const Across *across, CandelaPass *pass, const gint64 *first, gint64 rows, gint64 columns,
               const guint8 **inputs, guint8 *tiles, CandelaStage *stages)
{
  const CandelaPlanStep *step = pass->step;
  guint last = across->rank - 1;

  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      const CandelaPlane plane = { across->strides[i][across->axis], across->strides[i][last], (gsize) rows,
                                   (gsize) columns };

      if (pass->inputs[i].kind == CANDELA_TILE_PACKED)
        candela_pack_plane (&across->walks[i], &plane,
                            find_operand (across, i) + first[i] * (gint64) find_size (across, i),
                            (guint8 *) pass->inputs[i].data, columns);
    }
  candela_pass_run_span (pass, 0, (guint64) (rows * columns), inputs, tiles, stages);
  for (guint32 o = 0; o < step->n_outputs; o++)
    {
      guint32 k = step->n_inputs + o;
      gint64 size = (gint64) find_size (across, k);

      put_rows (find_operand (across, k) + first[k] * size, across->strides[k][across->axis] * size, pass->outputs[o],
                rows, (gsize) (columns * size), (pass->pieces_streamed >> o & 1) != 0);
    }
}

/* ---- Chunks ---- */

/* Where a rectangle begins in each operand, and how large it is. */
static void
find_first (const Across *across, gint64 index, gint64 *first, gint64 *rows, gint64 *columns)
{
  guint last = across->rank - 1;
  gint64 row, column, in_plane = across->row_blocks * across->column_blocks;

  row = (across->down ? index % across->row_blocks : index / across->column_blocks % across->row_blocks) * across->rows;
  column = (across->down ? index / across->row_blocks % across->column_blocks : index % across->column_blocks)
           * across->columns;
  *rows = MIN (across->rows, across->shape[across->axis] - row);
  *columns = MIN (across->columns, across->shape[last] - column);
  for (guint32 k = 0; k < across->n; k++)
    first[k] = row * across->strides[k][across->axis] + column * across->strides[k][last];
  index /= in_plane;
  for (guint axis = last; axis-- > 0;)
    if (axis != across->axis)
      {
        for (guint32 k = 0; k < across->n; k++)
          first[k] += index % across->shape[axis] * across->strides[k][axis];
        index /= across->shape[axis];
      }
}

static void
run_rectangles (Across *across, gint64 index, gint64 end, CandelaPass *pass, gint64 *first, const guint8 **inputs,
                guint8 *memory)
{
  gint64 rows, columns, done = 0;
  guint8 *tiles = memory + across->n * across->rectangle_bytes;
  CandelaStage *stages;

  for (guint32 k = 0; k < across->n; k++, memory += across->rectangle_bytes)
    if (k >= pass->step->n_inputs)
      pass->outputs[k - pass->step->n_inputs] = memory;
    else if (pass->inputs[k].kind == CANDELA_TILE_PACKED)
      pass->inputs[k].data = memory;
  stages = candela_pass_begin (pass, tiles, (guint64) across->span);
  for (; index < end; index++, done += rows * columns)
    {
      find_first (across, index, first, &rows, &columns);
      run_rectangle (across, pass, first, rows, columns, inputs, tiles, stages);
    }
  if (pass->pieces_streamed != 0)
    candela_stream_end ();
  candela_pass_tell (&across->pass, (gsize) done);
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  Across *across = data;
  CandelaPass pass = across->before;
  GError *error = NULL;
  g_autoptr (CandelaBuffer) memory =
    candela_buffer_new (across->n * across->rectangle_bytes + pass.scratch_bytes, &error);
  g_autofree CandelaPassInput *inputs = g_memdup2 (pass.inputs, MAX (pass.step->n_inputs, 1) * sizeof *inputs);
  g_autofree const guint8 **data_of = g_new (const guint8 *, MAX (pass.step->n_inputs, 1));
  g_autofree gint64 *first = g_new (gint64, across->n);

  if (memory == NULL)
    {
      candela_shares_fail (&across->shares, error);
      return;
    }
  pass.inputs = inputs;
  run_rectangles (across, (gint64) chunk * across->per_chunk,
                  MIN (across->n_rectangles, (gint64) (chunk + 1) * across->per_chunk), &pass, first, data_of,
                  memory->data);
}

/* ---- Getting ready ---- */

/* The axis along which an input that is read across steps least, less than along the last. */
static gboolean
choose_axis (Across *across, const CandelaPass *pass)
{
  guint last = across->rank - 1;

  across->axis = last;
  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    for (guint axis = 0; axis < last && pass->inputs[i].kind == CANDELA_TILE_ACROSS; axis++)
      if (across->shape[axis] >= FEW_ROWS && across->strides[i][axis] != 0
          && ABS (across->strides[i][axis]) < ABS (across->strides[i][across->axis]))
        across->axis = axis;
  return across->axis != last;
}

/* The axes of all operands, as few as can be. */
static gboolean
lay_out (Across *across, const CandelaPass *pass, GError **error)
{
  const CandelaPlan *plan = pass->run->plan;
  const CandelaPlanStep *step = pass->step;
  const CandelaLayout *shape = plan->values[plan->outputs[step->first_output].value].layout;
  const gint64 **strides = candela_arena_new (&pass->run->arena, const gint64 *, across->n);
  g_autoptr (GPtrArray) layouts = g_ptr_array_new_with_free_func ((GDestroyNotify) candela_layout_unref);

  for (guint32 k = 0; k < across->n; k++)
    {
      guint32 v = k < step->n_inputs ? plan->inputs[step->first_input + k]
                                     : plan->outputs[step->first_output + k - step->n_inputs].value;
      CandelaLayout *layout = candela_layout_broadcast (plan->values[v].layout, shape->dims, shape->rank, error);

      if (layout == NULL)
        return FALSE;
      g_ptr_array_add (layouts, layout);
      strides[k] = layout->strides;
    }
  across->strides = candela_arena_alloc (&pass->run->arena, across->n, sizeof *across->strides);
  candela_layout_coalesce (shape->dims, shape->rank, across->n, strides, across->shape, &across->rank, across->strides);
  return TRUE;
}

static gboolean
reads_rows (const Across *across)
{
  const CandelaPass *pass = &across->pass;

  for (guint32 i = 0; i < pass->step->n_inputs; i++)
    if (pass->inputs[i].kind == CANDELA_TILE_PACKED && across->strides[i][across->rank - 1] == 1
        && across->strides[i][across->axis] != 0)
      return TRUE;
  return FALSE;
}

static void
size_rectangles (Across *across)
{
  gint64 rows = across->shape[across->axis], columns = across->shape[across->rank - 1];
  gint64 widest = 1, narrowest = ROW_BYTES, rectangle;

  for (guint32 k = 0; k < across->n; k++)
    {
      widest = MAX (widest, (gint64) find_size (across, k));
      if (k >= across->pass.step->n_inputs)
        narrowest = MIN (narrowest, (gint64) find_size (across, k));
    }
  across->down = across->pass.pieces_streamed != 0;
  across->columns = MAX ((across->down ? ROW_BYTES : LONG_ROW_BYTES) / widest, CANDELA_STREAM_LINE / narrowest);
  across->columns = MIN (across->columns, columns);
  rectangle = across->down && reads_rows (across) ? LARGE_RECTANGLE : RECTANGLE;
  across->rows = MIN (rectangle / across->columns, rows);
  across->row_blocks = (rows + across->rows - 1) / across->rows;
  across->column_blocks = (columns + across->columns - 1) / across->columns;
  /* Blocks of stages are powers of two: this is whole ones if all rectangles are. */
  across->span = across->rows * across->columns | rows % across->rows * across->columns
                 | across->rows * (columns % across->columns) | rows % across->rows * (columns % across->columns);
  across->rectangle_bytes =
    (gsize) (across->rows * across->columns * widest + CANDELA_ALIGNMENT - 1) & ~(gsize) (CANDELA_ALIGNMENT - 1);
  across->n_rectangles = across->row_blocks * across->column_blocks;
  for (guint axis = 0; axis + 1 < across->rank; axis++)
    if (axis != across->axis)
      across->n_rectangles *= across->shape[axis];
  across->per_chunk = MAX (CHUNK / (across->rows * across->columns), 1);
}

/* Outputs lie packed in rows. Those that are no whole lines, and too large for the caches to
 * hold lines until they are full, are better written one after the other. */
static gboolean
has_rows (const Across *across, const CandelaPass *pass)
{
  gint64 columns = across->shape[across->rank - 1];

  for (guint32 k = pass->step->n_inputs; k < across->n; k++)
    {
      gsize size = pass->output_sizes[k - pass->step->n_inputs];

      if (across->strides[k][across->rank - 1] != 1
          || (pass->n * size >= CANDELA_STREAM_RESULTS_FROM
              && (!pass->streamed[k - pass->step->n_inputs] || (gsize) columns * size % CANDELA_STREAM_LINE != 0)))
        return FALSE;
    }
  return TRUE;
}

static void
make_walks (Across *across)
{
  guint32 n_inputs = across->pass.step->n_inputs;

  across->walks = candela_arena_new0 (&across->pass.run->arena, CandelaPackWalk, n_inputs);
  for (guint32 i = 0; i < n_inputs; i++)
    {
      across->walks[i].size = across->pass.inputs[i].size;
      across->walks[i].moves = candela_moves_get (across->pass.inputs[i].size);
      across->walks[i].rank = 1;
      across->walks[i].strides[0] = across->strides[i][across->rank - 1];
    }
}

gboolean
candela_run_across (const CandelaPass *pass, gboolean *ran, GError **error)
{
  const CandelaPlanStep *step = pass->step;
  Across across = { .n = step->n_inputs + step->n_outputs };
  CandelaPassInput *inputs = candela_arena_new0 (&pass->run->arena, CandelaPassInput, step->n_inputs);
  CandelaPassRows rows = { .n_rows = 1, .packs = TRUE };
  gboolean ok = pass->n < MIN_ELEMENTS || lay_out (&across, pass, error);

  *ran = FALSE;
  if (ok && across.strides != NULL && choose_axis (&across, pass) && has_rows (&across, pass))
    {
      rows.n_columns = across.shape[across.rank - 1];
      ok = candela_pass_init (&across.pass, pass->run, step, inputs, &rows, error);
      if (ok)
        {
          size_rectangles (&across);
          make_walks (&across);
          across.before = across.pass;
          candela_shares_init (&across.shares, pass->run);
          candela_pass_run_chunks (&across.pass,
                                   (guint64) ((across.n_rectangles + across.per_chunk - 1) / across.per_chunk),
                                   run_chunk, &across);
          candela_run_advance (pass->run, across.pass.done);
          ok = candela_shares_end (&across.shares, error)
               && !g_cancellable_set_error_if_cancelled (pass->run->cancellable, error);
          *ran = TRUE;
        }
      candela_pass_clear (&across.pass);
    }
  return ok;
}
