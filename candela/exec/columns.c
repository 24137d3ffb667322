/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is different where a group goes by columns. A block is some columns of one row. Of
 * a value as large as the input of the reductions it has as many pieces as there are
 * indices of the axes that these are over: each as long as the block is wide. In memory
 * they lie apart; in scratch memory one after the other (see columns-memory.c).
 *
 * An element-wise step goes from piece to piece where they lie, or over all at once where
 * they follow each other in all that it reads and writes.
 *
 * Where the group packs, pieces are short, and it goes over chunks of some that follow each
 * other instead: what it reads from outside, and only it, is packed chunk by chunk, what it
 * writes there goes there chunk by chunk, and of what is the same for all pieces there is a
 * chunk of copies. Nobody looks at what becomes of the columns that a block lacks to a whole
 * number of vectors. */
#include <candela/exec/rows-private.h>
#include <candela/value/move-private.h>
#include <candela/value/stream-private.h>
#include <string.h>

/* Elements of a chunk: so many that its overhead is little; and in the first-level cache. */
#define CHUNK 2048
/* So that a chunk is whole blocks of stages, where there are pieces enough. */
#define EVEN_PIECES 8
#define FEW_OPERANDS 20

/* ---- Pieces that lie apart ---- */

static gint64
find_piece (const CandelaPieces *pieces, guint32 k, gint64 piece)
{
  gint64 offset = 0;

  if (pieces->rank == 1)
    return piece * pieces->strides[k][0];
  for (guint axis = pieces->rank; axis-- > 0; piece /= pieces->shape[axis])
    offset += piece % pieces->shape[axis] * pieces->strides[k][axis];
  return offset;
}

/* How many there are from one on, up to n, that are as far apart as those of the last axis. */
static gint64
count_even (const CandelaPieces *pieces, gint64 piece, gint64 n)
{
  gint64 run = pieces->shape[pieces->rank - 1];

  return MIN (n, run - piece % run);
}

/* So many, each of so many bytes, to steps of what a piece of scratch memory takes. */
static void
get_pieces (const CandelaPieces *pieces, guint32 k, const guint8 *data, gint64 unit, gint64 first, gint64 n,
            gsize bytes, gsize pitch, guint8 *out)
{
  gint64 step = pieces->strides[k][pieces->rank - 1] * unit;

  if (bytes < pitch)
    memset (out, 0, (gsize) n * pitch);
  for (gint64 some; n > 0; n -= some, first += some, out += (gsize) some * pitch)
    {
      some = count_even (pieces, first, n);
      candela_move_rows (out, (gint64) pitch, data + find_piece (pieces, k, first) * unit, step, (gsize) some, bytes);
    }
}

/* Whole lines, to where lines begin. */
static void
stream_piece (guint8 *out, const guint8 *in, gsize bytes)
{
  for (gsize k = 0; k < bytes; k += CANDELA_STREAM_LINE)
    candela_stream_line (out + k, in + k);
}

/* The other way round. */
static void
put_pieces (const CandelaPieces *pieces, guint32 k, guint8 *data, gint64 unit, gint64 first, gint64 n, gsize bytes,
            gsize pitch, const guint8 *in)
{
  gint64 step = pieces->strides[k][pieces->rank - 1] * unit;
  gboolean streamed =
    pieces->operands[k].streamed && (((gsize) data | (gsize) step | bytes) & (CANDELA_STREAM_LINE - 1)) == 0;

  for (gint64 some; n > 0; n -= some, first += some)
    {
      guint8 *out = data + find_piece (pieces, k, first) * unit;

      some = count_even (pieces, first, n);
      for (gint64 piece = 0; piece < some; piece++, out += step, in += pitch)
        if (streamed)
          stream_piece (out, in, bytes);
        else
          memcpy (out, in, bytes);
    }
}

void
candela_columns_pack (const CandelaRows *rows, guint32 member, const CandelaRowsBlock *block)
{
  for (guint32 k = 0; k < rows->n_packed; k++)
    {
      const CandelaPackedInput *packed = &rows->packed[k];
      gsize size = packed->operand.size;

      if (packed->first == member)
        get_pieces (&packed->pieces, 0,
                    candela_columns_find_outside (rows, packed->value, packed->operand.layout, block), (gint64) size, 0,
                    packed->pieces.n_pieces, (gsize) (block->end_column - block->column) * size,
                    (gsize) candela_columns_pitch (rows, block) * size, block->scratch + packed->at);
    }
}

/* ---- Getting ready ---- */

static guint32
find_value (const CandelaRows *rows, const CandelaPlanStep *step, guint32 k)
{
  const CandelaPlan *plan = rows->run->plan;

  return k < step->n_inputs ? plan->inputs[step->first_input + k]
                            : plan->outputs[step->first_output + k - step->n_inputs].value;
}

/* The axes between rows and columns, and what their strides are in elements or pieces. */
static void
lay_out (const CandelaRows *rows, const CandelaLayout *shape, guint32 n, CandelaPieces *pieces)
{
  const CandelaPlanGroup *group = rows->group;
  guint rank = shape->rank - group->n_axes - group->n_last;
  CandelaArena *arena = &rows->run->arena;
  gint64 (*strides)[CANDELA_MAX_RANK] = candela_arena_alloc (arena, n, sizeof *strides);
  const gint64 **strides_of = candela_arena_new (arena, const gint64 *, n);

  for (guint32 k = 0; k < n; k++)
    {
      gint64 unit = pieces->operands[k].held ? group->n_columns : 1;

      for (guint axis = 0; axis < rank; axis++)
        strides[k][axis] = pieces->operands[k].layout->strides[group->n_axes + axis] / unit;
      strides_of[k] = strides[k];
    }
  pieces->strides = candela_arena_alloc (arena, n, sizeof *pieces->strides);
  candela_layout_coalesce (shape->dims + group->n_axes, rank, n, strides_of, pieces->shape, &pieces->rank,
                           pieces->strides);
  pieces->n_pieces = 1;
  for (guint axis = 0; axis < pieces->rank; axis++)
    pieces->n_pieces *= pieces->shape[axis];
}

static CandelaPiecesKind
find_kind (const CandelaRows *rows, const CandelaPieces *pieces, guint32 k, guint32 v)
{
  gint64 next = 1;
  gboolean one = TRUE, together = pieces->operands[k].held;

  if (rows->run->plan->values[v].layout->n_elements == 1)
    return CANDELA_PIECES_NUMBER;
  for (guint axis = pieces->rank; axis-- > 0; next *= pieces->shape[axis])
    {
      if (pieces->shape[axis] == 1)
        continue;
      one = one && pieces->strides[k][axis] == 0;
      together = together && pieces->strides[k][axis] == next;
    }
  if (together)
    return CANDELA_PIECES_TOGETHER;
  return one ? CANDELA_PIECES_ONE : CANDELA_PIECES_APART;
}

gboolean
candela_columns_prepare (CandelaRows *rows, CandelaMember *member, GError **error)
{
  const CandelaPlan *plan = rows->run->plan;
  const CandelaPlanStep *step = member->step;
  const CandelaLayout *shape = plan->values[find_value (rows, step, step->n_inputs)].layout;
  CandelaPieces *pieces = &member->pieces;
  guint32 n = step->n_inputs + step->n_outputs;
  guint32 *values = candela_arena_new (&rows->run->arena, guint32, n);
  gsize chunks = 0;

  pieces->operands = candela_arena_new0 (&rows->run->arena, CandelaOperand, n);
  for (guint32 k = 0; k < n; k++)
    {
      CandelaOperand *operand = &pieces->operands[k];
      const CandelaPackedInput *packed = candela_columns_find_packed (rows, values[k] = find_value (rows, step, k));
      const CandelaLayout *layout = packed != NULL ? packed->layout : plan->values[values[k]].layout;

      operand->held = packed != NULL || candela_rows_is_local (rows, values[k]);
      operand->size = candela_dtype_get_size (plan->values[values[k]].dtype);
      operand->layout = candela_layout_broadcast (layout, shape->dims, shape->rank, error);
      if (operand->layout == NULL)
        return FALSE;
    }
  lay_out (rows, shape, n, pieces);
  for (guint32 k = 0; k < n; k++)
    {
      CandelaOperand *operand = &pieces->operands[k];

      operand->kind = find_kind (rows, pieces, k, values[k]);
      operand->streamed = k >= step->n_inputs && (member->pass.pieces_streamed >> (k - step->n_inputs) & 1) != 0;
      if (!rows->group->packs || operand->kind == CANDELA_PIECES_NUMBER || operand->kind == CANDELA_PIECES_TOGETHER)
        continue;
      operand->chunk_at = chunks;
      chunks += CHUNK * operand->size;
    }
  rows->tiles_at = MAX (rows->tiles_at, rows->chunks_at + chunks);
  return TRUE;
}

void
candela_columns_prepare_packed (CandelaRows *rows)
{
  for (guint32 k = 0; k < rows->n_packed; k++)
    {
      CandelaPackedInput *packed = &rows->packed[k];
      const CandelaPlanValue *value = &rows->run->plan->values[packed->value];

      packed->operand = (CandelaOperand){ .layout = value->layout, .size = candela_dtype_get_size (value->dtype) };
      packed->pieces.operands = &packed->operand;
      lay_out (rows, value->layout, 1, &packed->pieces);
    }
}

void
candela_columns_clear (CandelaMember *member)
{
  CandelaPieces *pieces = &member->pieces;

  for (guint32 k = 0; pieces->operands != NULL && k < member->step->n_inputs + member->step->n_outputs; k++)
    g_clear_pointer (&pieces->operands[k].layout, candela_layout_unref);
}

/* ---- One block ---- */

/* A step's operands: where the first piece of each is. */
typedef struct
{
  const CandelaRows *rows;
  const CandelaMember *member;
  guint8 *chunks;
  gsize width, pitch; /* elements of a piece, and to the next one in scratch memory */
  guint8 *data[FEW_OPERANDS];
  guint8 **first;
} Operands;

/* Where a piece of an operand is that is not in a chunk. */
static guint8 *
find_data (const Operands *operands, guint32 k, gint64 piece)
{
  const CandelaPieces *pieces = &operands->member->pieces;
  const CandelaOperand *operand = &pieces->operands[k];

  if (operand->kind == CANDELA_PIECES_TOGETHER)
    return operands->first[k] + piece * (gint64) (operands->pitch * operand->size);
  return operands->first[k]
         + find_piece (pieces, k, piece) * (gint64) (operand->held ? operands->pitch * operand->size : operand->size);
}

static void
get_chunk (const Operands *operands, CandelaPass *pass, gint64 piece, gint64 n)
{
  const CandelaPieces *pieces = &operands->member->pieces;
  const CandelaPlanStep *step = operands->member->step;
  gboolean packs = operands->rows->group->packs;

  for (guint32 k = 0; k < step->n_inputs + step->n_outputs; k++)
    {
      const CandelaOperand *operand = &pieces->operands[k];
      gboolean chunk = packs && operand->kind != CANDELA_PIECES_TOGETHER;
      guint8 *data;

      if (operand->kind == CANDELA_PIECES_NUMBER)
        continue;
      data = chunk ? operands->chunks + operand->chunk_at : find_data (operands, k, piece);
      if (k >= step->n_inputs)
        {
          pass->outputs[k - step->n_inputs] = data;
          continue;
        }
      pass->inputs[k].data = data;
      if (chunk && operand->kind == CANDELA_PIECES_APART)
        get_pieces (pieces, k, operands->first[k],
                    (gint64) (operand->held ? operands->pitch * operand->size : operand->size), piece, n,
                    operands->width * operand->size, operands->pitch * operand->size, data);
    }
}

static void
put_chunk (const Operands *operands, const CandelaPass *pass, gint64 piece, gint64 n)
{
  for (guint32 o = 0; o < operands->member->step->n_outputs; o++)
    {
      guint32 k = operands->member->step->n_inputs + o;
      const CandelaOperand *operand = &operands->member->pieces.operands[k];

      if (operand->kind != CANDELA_PIECES_TOGETHER)
        put_pieces (&operands->member->pieces, k, operands->first[k], (gint64) operand->size, piece, n,
                    operands->width * operand->size, operands->pitch * operand->size, pass->outputs[o]);
    }
}

/* What is the same for all chunks. */
static void
find_operands (Operands *operands, const CandelaRowsBlock *block, gint64 per_chunk)
{
  const CandelaMember *member = operands->member;

  for (guint32 k = 0; k < member->step->n_inputs + member->step->n_outputs; k++)
    {
      const CandelaOperand *operand = &member->pieces.operands[k];
      guint8 *chunk = operands->chunks + operand->chunk_at;
      gsize pitch = operands->pitch * operand->size;

      if (operand->kind == CANDELA_PIECES_NUMBER)
        continue;
      operands->first[k] =
        candela_columns_find (operands->rows, find_value (operands->rows, member->step, k), operand->layout, block);
      if (operand->kind != CANDELA_PIECES_ONE || k >= member->step->n_inputs || !operands->rows->group->packs)
        continue;
      memset (chunk, 0, pitch);
      memcpy (chunk, operands->first[k], operands->width * operand->size);
      candela_move_repeat (chunk, pitch, (gsize) per_chunk);
    }
}

/* Whether the pieces of each operand follow each other where they lie. */
static gboolean
are_together (const CandelaPieces *pieces, guint32 n, gsize width)
{
  for (guint32 k = 0; k < n; k++)
    if (pieces->operands[k].kind == CANDELA_PIECES_ONE
        || (pieces->operands[k].kind == CANDELA_PIECES_APART
            && (pieces->operands[k].held || pieces->rank != 1 || pieces->strides[k][0] != (gint64) width)))
      return FALSE;
  return TRUE;
}

static gint64
choose_chunk (const Operands *operands)
{
  const CandelaPlanStep *step = operands->member->step;
  const CandelaPieces *pieces = &operands->member->pieces;
  gint64 n = MIN (CHUNK / (gint64) operands->pitch, pieces->n_pieces);

  if (operands->rows->group->packs)
    return n > EVEN_PIECES ? n - n % EVEN_PIECES : n;
  return are_together (pieces, step->n_inputs + step->n_outputs, operands->width) ? pieces->n_pieces : 1;
}

static void
run_block (Operands *operands, CandelaPass *pass, const CandelaRowsBlock *block, const guint8 **inputs)
{
  guint8 *tiles = block->scratch + operands->rows->tiles_at;
  gint64 n_pieces = operands->member->pieces.n_pieces, per_chunk = choose_chunk (operands);
  CandelaStage *stages;

  find_operands (operands, block, per_chunk);
  /* Blocks of stages are powers of two: this is whole ones if all chunks are. */
  stages = candela_pass_begin (
    pass, tiles, (guint64) per_chunk * operands->pitch | (guint64) (n_pieces % per_chunk) * operands->pitch);
  for (gint64 piece = 0, n; piece < n_pieces; piece += n)
    {
      n = MIN (per_chunk, n_pieces - piece);
      get_chunk (operands, pass, piece, n);
      candela_pass_run_span (pass, 0, (guint64) n * operands->pitch, inputs, tiles, stages);
      if (operands->rows->group->packs)
        put_chunk (operands, pass, piece, n);
    }
  if (pass->n_streamed > 0 || pass->pieces_streamed != 0)
    candela_stream_end ();
}

/* Whether pieces are rows of stages, which are set up once for all of them. */
static gboolean
can_run_rows (const Operands *operands)
{
  return !operands->rows->group->packs && operands->member->pieces.rank == 1
         && candela_stage_rows_can_run (&operands->member->pass, operands->width);
}

static void
run_rows (Operands *operands, CandelaPass *pass, const CandelaRowsBlock *block, const guint8 **inputs)
{
  const CandelaPieces *pieces = &operands->member->pieces;
  const CandelaPlanStep *step = operands->member->step;
  CandelaStageRows rows;

  find_operands (operands, block, 1);
  pass->row = operands->width;
  for (guint32 k = 0; k < step->n_inputs + step->n_outputs; k++)
    {
      const CandelaOperand *operand = &pieces->operands[k];
      CandelaPassInput *input = &pass->inputs[k];

      if (operand->kind == CANDELA_PIECES_NUMBER)
        continue;
      if (k >= step->n_inputs)
        {
          pass->outputs[k - step->n_inputs] = operands->first[k];
          pass->output_steps[k - step->n_inputs] = find_data (operands, k, 1) - operands->first[k];
          continue;
        }
      input->kind = CANDELA_TILE_ROW_PACKED;
      input->data = operands->first[k];
      input->rows = candela_row_strides_even (pieces->strides[k][0] * (operand->held ? (gint64) operands->pitch : 1));
    }
  candela_pass_begin_rows (pass, &rows, pass->row, 0, inputs, block->scratch + operands->rows->tiles_at);
  candela_stage_rows_run (&rows, (guint64) pieces->n_pieces);
  if (pass->n_streamed > 0)
    candela_stream_end ();
}

void
candela_columns_run (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block)
{
  const guint32 n = member->step->n_inputs + member->step->n_outputs;
  gboolean few = n <= FEW_OPERANDS;
  CandelaPass pass = member->pass;
  Operands operands = { .rows = rows,
                        .member = member,
                        .chunks = block->scratch + rows->chunks_at,
                        .width = (gsize) (block->end_column - block->column),
                        .pitch = (gsize) candela_columns_pitch (rows, block) };
  CandelaPassInput few_inputs[FEW_OPERANDS];
  const guint8 *few_data[FEW_OPERANDS];
  g_autofree CandelaPassInput *many_inputs = few ? NULL : g_new (CandelaPassInput, n);
  g_autofree const guint8 **many_data = few ? NULL : g_new (const guint8 *, n);
  g_autofree guint8 **many_first = few ? NULL : g_new (guint8 *, n);

  pass.inputs = few ? few_inputs : many_inputs;
  operands.first = few ? operands.data : many_first;
  memcpy (pass.inputs, member->inputs, member->step->n_inputs * sizeof *pass.inputs);
  if (can_run_rows (&operands))
    run_rows (&operands, &pass, block, few ? few_data : many_data);
  else
    run_block (&operands, &pass, block, few ? few_data : many_data);
}
