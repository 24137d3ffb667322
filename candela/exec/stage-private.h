/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The stages of a fused step, made ready to run. */
#pragma once

#include <candela/exec/tile-private.h>
#include <candela/value/dtype-private.h>

G_BEGIN_DECLS

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
 * past the caches, to be freed with g_free(). NULL: loops alone serve better. Looks at
 * no data, which may not be there yet. */
CandelaStageProgram *candela_stage_program_new (const CandelaPass *pass);

/* A copy to run, for one thread, once it has the scalars of the row that element start is in. */
void candela_stage_program_copy (const CandelaPass *pass, CandelaStage *stages);
void candela_stage_program_set_scalars (const CandelaPass *pass, CandelaStage *stages, guint64 start);

/* Runs a group over n elements from start on, a multiple of the block. */
void candela_stage_group_run (const CandelaPass *pass, const CandelaStageGroup *group, CandelaStage *stages,
                              const guint8 *const *inputs, guint8 *scratch, guint64 start, gsize n);

/* A step that goes row by row and is one group, a row whole blocks: rows from that of element
 * start on, whose inputs are given, without being set up for each. */
gboolean candela_stage_rows_can_run (const CandelaPass *pass);
void candela_stage_rows_run (const CandelaPass *pass, CandelaStage *stages, const guint8 *const *inputs,
                             guint8 *scratch, guint64 start, guint64 end);

G_END_DECLS
