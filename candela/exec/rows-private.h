/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps that run together, made ready: by rows, and what is different by columns. */
#pragma once

#include <candela/exec/stage-private.h>

G_BEGIN_DECLS

/* Of an element-wise step by columns: how it comes by an operand, of which there is a piece
 * for each index of the axes between rows and columns. */
typedef enum {
  CANDELA_PIECES_NUMBER,   /* one element, for all */
  CANDELA_PIECES_ONE,      /* the same piece for all */
  CANDELA_PIECES_TOGETHER, /* in scratch memory, one after the other */
  CANDELA_PIECES_APART     /* anywhere */
} CandelaPiecesKind;

typedef struct
{
  CandelaPiecesKind kind;
  CandelaLayout *layout; /* broadcast to the outputs' shape; owned */
  gsize size;            /* of an element */
  gboolean held;         /* in scratch memory: strides are in pieces */
  gsize chunk_at;        /* where its chunk goes, in the memory for chunks */
  gboolean streamed;     /* an output: past the caches */
} CandelaOperand;

/* Inputs first, then outputs, and the axes, as few as can be. Strides are in elements, of what
 * is held in scratch memory in pieces. */
typedef struct
{
  CandelaOperand *operands;
  guint rank;
  gint64 shape[CANDELA_MAX_RANK];
  gint64 n_pieces;
  gint64 (*strides)[CANDELA_MAX_RANK];
} CandelaPieces;

/* An input from outside that several steps of a group read: its columns are packed once. */
typedef struct
{
  guint32 value, first, last; /* and the members that read it first and last */
  CandelaLayout *layout;      /* packed; owned */
  CandelaOperand operand;     /* as it lies */
  CandelaPieces pieces;
  gsize at; /* in scratch memory */
} CandelaPackedInput;

/* How a step goes from block to block. */
typedef enum {
  CANDELA_MEMBER_ANEW,   /* set up for each */
  CANDELA_MEMBER_STAGED, /* one group of stages, set up once */
  CANDELA_MEMBER_FEW,    /* few elements of each row, set up once */
  CANDELA_MEMBER_ROWS,   /* a reduction that takes rows as they lie */
  CANDELA_MEMBER_MADE    /* … as the stages of the member before it make them */
} CandelaMemberWay;

typedef struct
{
  const CandelaPlanStep *step;
  CandelaPass pass;         /* of an element-wise step */
  CandelaPassInput *inputs; /* its inputs */
  guint64 row_elements;     /* of its outputs */
  CandelaMemberWay way;
  gsize kept_at;                  /* in scratch memory: what is kept from block to block */
  CandelaPieces pieces;           /* … by columns */
  gint64 row_stride;              /* of a reduction's input, in elements */
  gsize row_length;               /* elements of one, which ROWS and MADE take */
  const CandelaRowsEnd *rows_end; /* MADE */
  CandelaStageProgram *made;      /* STAGED: the program that ends with the next member; or NULL */
  CandelaLayout *in;              /* of a reduction: the layouts for a block */
  CandelaLayout *out[CANDELA_MAX_OUTPUTS];
} CandelaMember;

/* What a thread keeps of a member from block to block, before the memory of its pass. */
typedef struct
{
  union
  {
    CandelaMadeRows made;  /* MADE: at the front, as it is aligned */
    CandelaStageRows rows; /* STAGED */
    CandelaFewRows *few;   /* FEW: behind the inputs */
    struct
    {
      CandelaRowsFunc take;
      const CandelaParams *params;
      const guint8 *in;
      gpointer out[CANDELA_MAX_OUTPUTS];
      gsize in_step, out_steps[CANDELA_MAX_OUTPUTS]; /* from a row to the next, in bytes; 0: held */
    } reduction;                                     /* ROWS */
  };
  CandelaPass pass;
  CandelaPassInput inputs[];
} CandelaKeptMember;

typedef struct
{
  CandelaRun *run;
  const CandelaPlanGroup *group;
  CandelaMember *members;
  gboolean parallel; /* there is enough for several threads */
  gsize lane_bytes;  /* that a row, or one column of it, reads, writes and holds */
  gint64 block;      /* rows */
  gint64 share;      /* rows that a thread takes at a time, block by block */
  gint64 width;      /* columns */
  gsize *local_at;   /* of each local, in the scratch memory */
  CandelaPackedInput *packed;
  guint32 n_packed;
  gsize scratch_bytes;    /* locals and what is packed, chunks, then tiles */
  CandelaBuffer *scratch; /* of all shares, where there is one for each thread at most; or NULL */
  gsize chunks_at, tiles_at;
  CandelaShares shares;
  guint64 lane_results;
} CandelaRows;

typedef struct
{
  gint64 first, end;         /* rows; one only, by columns */
  gint64 column, end_column; /* of the columns, of which there is one by rows */
  guint8 *scratch;           /* of a share: NULL if it is to see to that itself */
} CandelaRowsBlock;

static inline gboolean
candela_rows_is_local (const CandelaRows *rows, guint32 v)
{
  return rows->run->plan->values[v].storage == CANDELA_STORAGE_LOCAL;
}

/* Inputs of a step for which there is room anyway. */
#define CANDELA_ROWS_FEW_INPUTS 16

static inline gsize
candela_round_up (gsize bytes)
{
  return (bytes + CANDELA_ALIGNMENT - 1) & ~(gsize) (CANDELA_ALIGNMENT - 1);
}

/* rows-block.c: bytes that are kept of a member, without the memory of its pass. */
gsize candela_rows_kept_bytes (const CandelaMember *member);

/* rows-block.c: a whole value's layout as that of a block. */
CandelaLayout *candela_rows_make_layout (const CandelaRows *rows, guint32 v, const CandelaRowsBlock *block,
                                         GError **error);

/* rows-block.c: the blocks that are a share. */
gboolean candela_rows_run_blocks (const CandelaRows *rows, const CandelaRowsBlock *share, GError **error);

/* … where what a reduction reads, or a member computes, of the block begins; a member's pass over it. */
gconstpointer candela_rows_find_input (const CandelaRows *rows, const CandelaMember *member,
                                       const CandelaRowsBlock *block);
gpointer candela_rows_find_output (const CandelaRows *rows, guint32 v, const CandelaRowsBlock *block);
void candela_rows_place_operands (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block,
                                  CandelaPass *pass, CandelaPassInput *inputs);
CandelaKeptMember *candela_rows_find_kept (const CandelaMember *member, const CandelaRowsBlock *block);

/* rows.c: whether a reduction makes one element of each row, whose elements are packed, and both are what its
 * kernel's function that takes rows is declared for. */
gboolean candela_rows_can_take (const CandelaRows *rows, const CandelaPlanStep *step);

/* rows-made.c: finds reductions that end the stages of the members before them; one of them for a share, of which
 * this is the first block; what is to be done after each block. */
void candela_rows_find_made (CandelaRows *rows);
void candela_rows_begin_made (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block);
void candela_rows_end_made (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block);

/* columns-memory.c: what is packed, how many columns are taken at a time, and where in the
 * scratch memory of a block what it holds is. */
gboolean candela_columns_place (CandelaRows *rows, GError **error);
void candela_columns_clear_packed (CandelaRows *rows);

/* columns-memory.c: the input if it is one that is packed; NULL: it is not. */
CandelaPackedInput *candela_columns_find_packed (const CandelaRows *rows, guint32 v);

/* columns-memory.c: from a piece in scratch memory to the next one, in elements. */
gint64 candela_columns_pitch (const CandelaRows *rows, const CandelaRowsBlock *block);

/* columns-memory.c: where a value, under its layout or what that is broadcast to, begins in a
 * block of columns; its layout there, from offset 0 on, in which the columns are the last axis. */
gpointer candela_columns_find (const CandelaRows *rows, guint32 v, const CandelaLayout *layout,
                               const CandelaRowsBlock *block);
gpointer candela_columns_find_outside (const CandelaRows *rows, guint32 v, const CandelaLayout *layout,
                                       const CandelaRowsBlock *block);
CandelaLayout *candela_columns_make_layout (const CandelaRows *rows, guint32 v, const CandelaRowsBlock *block,
                                            GError **error);

/* columns.c: packs what a member is the first to read. */
void candela_columns_pack (const CandelaRows *rows, guint32 member, const CandelaRowsBlock *block);

/* columns.c: an element-wise step by columns. */
void candela_columns_prepare_packed (CandelaRows *rows);
gboolean candela_columns_prepare (CandelaRows *rows, CandelaMember *member, GError **error);
void candela_columns_run (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block);
void candela_columns_clear (CandelaMember *member);

G_END_DECLS
