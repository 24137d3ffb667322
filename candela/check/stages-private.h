/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows of stages, made up and run. */
#pragma once

#include <candela/check/check-private.h>

G_BEGIN_DECLS

/* How many the arrays have. */
#define CANDELA_CHECK_BLOCKS 4

typedef struct
{
  CandelaCheck *check;
  const CandelaStages *stages;
  const CandelaStageFamily *family;
  gsize size, n, bytes; /* of an element, how many, of all */
  CandelaCheckMemory in[2], out;
  guint8 *expected;
  CandelaStage row[8];
  guint n_row;
  gsize n_rows; /* in so many rows of the arrays, with these moves; 0: all at once */
  CandelaStageMove moves[2];
  guint n_moves;
} CandelaStageCheck;

/* stages.c: one more stage; the scalar may be NULL. */
CandelaStage *candela_check_stages_emit (CandelaStageCheck *stage, CandelaStageFunc func, gconstpointer data,
                                         const guint8 *scalar);
/* What has been emitted, and then a store, run and held against what is expected. */
void candela_check_stages_compare (CandelaStageCheck *stage, CandelaStageFunc store, const char *what);
/* What the loop makes of these is expected. */
void candela_check_stages_expect (CandelaStageCheck *stage, gconstpointer first, gconstpointer second);

/* stage-family.c: what else the family has, around these stages. */
void candela_check_stage_family (CandelaStageCheck *stage);

G_END_DECLS
