/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A fused step made ready to run over ranges of its output's logical index. */
#pragma once

#include <candela/exec/executor-private.h>
#include <candela/value/pack-private.h>

G_BEGIN_DECLS

typedef enum {
  CANDELA_TILE_PACKED,
  CANDELA_TILE_SCALAR,
  CANDELA_TILE_STRIDED,
  CANDELA_TILE_ACROSS,     /* strided, and packed for a whole range at once */
  CANDELA_TILE_ROW_SCALAR, /* one element for each row */
  CANDELA_TILE_ROW_PACKED  /* packed within each row */
} CandelaPassInputKind;

/* Where rows begin, in elements from the first one: as far apart everywhere, or in periods of so many rows, as
 * where they are repeated, or gone through again and again. */
typedef struct
{
  gint64 inner;  /* from a row to the next of its period */
  gint64 period; /* rows; G_MAXINT64: there is one period */
  gint64 outer;  /* from a period to the next */
} CandelaRowStrides;

static inline CandelaRowStrides
candela_row_strides_even (gint64 stride)
{
  return (CandelaRowStrides){ .inner = stride, .period = G_MAXINT64 };
}

static inline gint64
candela_row_strides_find (const CandelaRowStrides *strides, gint64 row)
{
  if (row < strides->period)
    return row * strides->inner;
  return row / strides->period * strides->outer + row % strides->period * strides->inner;
}

typedef struct
{
  CandelaPassInputKind kind;
  const guint8 *data;     /* the first element */
  gsize size;             /* of an element */
  CandelaLayout *layout;  /* STRIDED: broadcast to the output's shape; owned */
  CandelaPackWalk *walk;  /* STRIDED, ACROSS: of that layout; the run's */
  gboolean alternate;     /* STRIDED: every other element, which stages load as they are */
  gint64 period, range;   /* STRIDED: so many elements are repeated throughout so many; or 0 */
  CandelaRowStrides rows; /* ROW_SCALAR, ROW_PACKED */
} CandelaPassInput;

/* Of a step that runs over whole rows of its output, or over pieces of them. */
typedef struct
{
  guint n_axes;      /* the first ones, which are the rows */
  gboolean any_axes; /* … or as many as suit its inputs; any range of a step alone is run */
  gint64 n_rows;
  gint64 n_columns;   /* of which pieces have some; 0: it runs over whole rows */
  gboolean packs;     /* … and the outputs for them lie elsewhere at first */
  guint32 read_again; /* outputs that are read afterwards, as bits: they are wanted in the cache */
  guint32 numbers;    /* of pieces: inputs of which there is one element for each, as bits */
} CandelaPassRows;

#define CANDELA_PASS_MAX_NUMBERS 32

typedef struct _CandelaStageProgram CandelaStageProgram;

typedef struct
{
  CandelaRun *run;
  const CandelaPlanStep *step;
  CandelaPassInput *inputs;
  guint8 *outputs[CANDELA_MAX_OUTPUTS];
  gsize output_sizes[CANDELA_MAX_OUTPUTS];
  gint64 output_steps[CANDELA_MAX_OUTPUTS]; /* from a row to the next, in bytes; 0: they follow each other */
  gboolean streamed[CANDELA_MAX_OUTPUTS];   /* computed into a tile, and stored past the caches */
  guint32 n_streamed;                       /* tiles for it: up to the last one, or none */
  guint32 pieces_streamed;                  /* outputs whose pieces are to be stored so by who has it run, as bits */
  guint32 n_converted;                      /* tiles for operands that are not of a loop's dtypes */
  guint64 n;                                /* elements */
  guint64 row;                              /* elements of a row, if it goes row by row; 0: it does not */
  gsize tile;                               /* elements */
  gsize chunk;                              /* that one thread takes at a time */
  gsize tile_bytes;                         /* of a register */
  gsize scratch_bytes;
  CandelaStageProgram *program; /* what of it runs in vector registers, or NULL; the run's */
  GThread *caller;
  gsize done; /* elements written and not yet told of (atomic) */
} CandelaPass;

/* inputs: room for those of the step; rows: NULL if any range is to be run. To be
 * cleared though it fails. */
gboolean candela_pass_init (CandelaPass *pass, CandelaRun *run, const CandelaPlanStep *step, CandelaPassInput *inputs,
                            const CandelaPassRows *rows, GError **error);
void candela_pass_clear (CandelaPass *pass);

/* Runs all parts over elements start to end - 1, on this thread, in scratch_bytes of
 * memory aligned to CANDELA_ALIGNMENT; NULL: in memory of its own. */
void candela_pass_run (const CandelaPass *pass, guint64 start, guint64 end, guint8 *scratch);

/* The same, span by span, each of so many elements (0: not all of as many): what they run with, and one of them,
 * which may have its inputs and outputs elsewhere. inputs: room for those of the step.
 * After the last comes candela_stream_end(). */
CandelaStage *candela_pass_begin (const CandelaPass *pass, guint8 *scratch, guint64 span);
void candela_pass_run_span (const CandelaPass *pass, guint64 start, guint64 end, const guint8 **inputs, guint8 *scratch,
                            CandelaStage *stages);

/* Runs chunks of the step on as many threads as it may have, and notes that elements are
 * written, which the caller's thread tells. */
void candela_pass_run_chunks (const CandelaPass *pass, guint64 n_chunks, CandelaKernelChunkFunc func, gpointer data);
void candela_pass_tell (CandelaPass *pass, gsize n);

/* across.c: runs a step that is made ready, and reads an input across, rectangle by rectangle;
 * *ran: FALSE if it does not go along two axes. */
gboolean candela_run_across (const CandelaPass *pass, gboolean *ran, GError **error);

/* Where the tile of an operand of a part is: an input, a register, or an output
 * of the step, which later parts may read as well. */
guint8 *candela_pass_operand (const CandelaPass *pass, const guint8 *const *inputs, guint8 *scratch, guint32 operand,
                              guint64 start);

/* Whether it is there for one block of rows at a time: where they are one after the other, in the place of the first. */
gboolean candela_pass_is_held (const CandelaPass *pass, guint32 operand);

/* What is elsewhere in the next rows. */
typedef struct
{
  gconstpointer *place;
  const guint8 *data; /* in the next row */
  gint64 step;        /* from a row to the next, in bytes */
  gint64 left;        /* rows of this period; G_MAXINT64: there is one for all */
  gint64 period;      /* rows of the next ones */
  gint64 jump;        /* from one to the next, in bytes beside the step */
  gboolean held;      /* each block of rows is in the place of the one before */
} CandelaRowOperand;

/* Of the next n rows, those before the end of any operand's period. */
static inline gint64
candela_row_operands_count (const CandelaRowOperand *operands, guint32 n_operands, gint64 n)
{
  for (guint32 k = 0; k < n_operands; k++)
    n = MIN (n, operands[k].left);
  return n;
}

/* As many rows on, from where the operands are now. */
static inline void
candela_row_operands_move (CandelaRowOperand *operands, guint32 n_operands, gint64 n)
{
  for (guint32 k = 0; k < n_operands; k++)
    {
      *operands[k].place = operands[k].data;
      operands[k].data += n * operands[k].step;
      operands[k].left -= n;
      if (operands[k].left > 0)
        continue;
      operands[k].data += operands[k].jump;
      operands[k].left = operands[k].period;
    }
}

/* Where an input is that is the same for all elements, or all of the row of one. */
const guint8 *candela_pass_scalar (const CandelaPass *pass, guint32 input, guint64 start);

/* ---- few-rows.c: rows of few elements, a block of them one tile; set up once, for one thread ---- */

typedef struct
{
  CandelaLoopFunc loop;
  const CandelaParams *params;
  gconstpointer in[CANDELA_MAX_LOOP_INPUTS];
  gpointer out[CANDELA_MAX_OUTPUTS];
} CandelaFewCall;

typedef struct
{
  const CandelaPass *pass;
  guint64 row; /* elements */
  guint32 n_operands;
  CandelaRowOperand *operands;
  CandelaFewCall calls[]; /* of each part */
} CandelaFewRows;

gboolean candela_few_rows_can_run (const CandelaPass *pass, guint64 row);
gsize candela_few_rows_bytes (const CandelaPass *pass);

/* From row `first` on, in blocks of so many rows; scratch: the pass's. */
void candela_few_rows_begin (CandelaFewRows *few, const CandelaPass *pass, guint64 row, guint64 first, guint64 block,
                             guint8 *scratch);

/* The next n rows; of what is held the first ones again. */
void candela_few_rows_run (CandelaFewRows *few, guint64 n);

/* tile.c: what tiles of n elements from start on read of inputs that are numbers or packed. */
void candela_pass_find_inputs (const CandelaPass *pass, guint64 start, gsize n, const guint8 **inputs, guint8 *scratch);

G_END_DECLS
