/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages of a fused step, made ready to run. */
#pragma once

#include <candela/exec/tile-private.h>
#include <candela/value/dtype-private.h>

G_BEGIN_DECLS

/* With an operand that is an output: memory itself, not the tile that stands for it. */
#define CANDELA_STAGE_STREAMED 0x40000000u

/* Parts that follow each other, run as a row of stages. */
typedef struct
{
  guint32 first_part, n_parts;   /* of the step */
  guint32 first_stage, n_stages; /* of the program */
  const CandelaStageFamily *family;
  gsize size; /* of an element, in bytes */
} CandelaStageGroup;

/* An operand that is the same for all elements, or for all of a row, which a stage gets
 * when it is run. */
typedef struct
{
  guint32 stage, input;       /* of the program; of the step */
  gsize size;                 /* in bytes */
  CandelaConvertFunc convert; /* or NULL */
} CandelaStageScalar;

struct _CandelaStageProgram
{
  gboolean whole; /* one group is all there is: nothing needs a tile */
  gsize block;    /* elements of the largest block: groups run multiples of it */
  guint32 n_groups, n_stages, n_scalars;
  CandelaStageGroup *groups;
  CandelaStage *stages;
  CandelaStageScalar *scalars;
  guint32 *operands; /* of each stage: what its data is, or CANDELA_PLAN_NONE */
};

/* Of a pass of which it is known what kinds its inputs are and which outputs are stored
 * past the caches; in the run's memory for the step. NULL: loops alone serve better. Looks at
 * no data, which may not be there yet. */
CandelaStageProgram *candela_stage_program_new (const CandelaPass *pass);

/* A copy, in the run's arena, of the program of a pass that is a group, whose last part computes a result that
 * goes through the caches: that is not stored, and the copy ends otherwise. */
CandelaStageProgram *candela_stage_program_end_with (const CandelaPass *pass, CandelaStageFunc end);

/* A copy to run, for one thread, once it has the scalars of the row that element start is in. */
void candela_stage_program_copy (const CandelaPass *pass, CandelaStage *stages);
void candela_stage_program_set_scalars (const CandelaPass *pass, CandelaStage *stages, guint64 start);

/* Of a copy's stages from the group's first on: what they read and write for elements from one on. */
void candela_stage_group_point (const CandelaPass *pass, const CandelaStageGroup *group, CandelaStage *stages,
                                const guint8 *const *inputs, guint8 *scratch, guint64 start);

/* Runs a group over n elements from start on, a multiple of the block. */
void candela_stage_group_run (const CandelaPass *pass, const CandelaStageGroup *group, CandelaStage *stages,
                              const guint8 *const *inputs, guint8 *scratch, guint64 start, gsize n);

/* ---- stage-rows.c ---- */

/* Of a step that goes through more stages each row is set up for itself. */
#define CANDELA_MAX_ROW_STAGES 64

/* Rows of a step that is one group, a row whole blocks: set up once, for one thread. */
typedef struct
{
  const CandelaPass *pass;
  CandelaStage *stages;
  const CandelaRowsEnd *end; /* the reduction that takes them, if there is one */
  CandelaMadeRows *made;     /* … and they for it */
  gsize row_bytes;
  guint32 n_moves, n_operands;
  CandelaStageMove moves[CANDELA_MAX_ROW_STAGES];
  CandelaRowOperand
    operands[CANDELA_MAX_ROW_STAGES]; /* the last ones are the numbers of rows, in the order of scalars */
} CandelaStageRows;

/* Whether rows of so many elements can be run so. */
gboolean candela_stage_rows_can_run (const CandelaPass *pass, guint64 row);

/* From the row of element start on; stages: a copy that is for this alone, as the memory is; inputs: of that element. */
void candela_stage_rows_begin (CandelaStageRows *rows, const CandelaPass *pass, guint64 row, CandelaStage *stages,
                               const guint8 *const *inputs, guint8 *scratch, guint64 start);

/* The next n rows; of what is held, which is there for one block of rows at a time, the first ones again. */
void candela_stage_rows_run (CandelaStageRows *rows, guint64 n);

/* tile.c: the same of a pass with the memory for one, of whose inputs those of that element are found. */
void candela_pass_begin_rows (const CandelaPass *pass, CandelaStageRows *rows, guint64 row, guint64 start,
                              const guint8 **inputs, guint8 *scratch);

G_END_DECLS
