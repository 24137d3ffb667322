/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps that run turned, made ready, and what a block of them is. */
#pragma once

#include <candela/exec/stage-private.h>

G_BEGIN_DECLS

/* Where an input of an element-wise step by pieces comes from. */
typedef struct
{
  gboolean copied;
  const guint8 *data; /* of what comes from outside */
  gint64 row_stride, piece_stride, column_stride;
  gsize at; /* in scratch memory, in bytes for each column */
} CandelaTurnedSource;

typedef enum {
  CANDELA_TURNED_BY_PIECES, /* element-wise */
  CANDELA_TURNED_BY_COLUMN, /* element-wise, one element for each column */
  CANDELA_TURNED_REDUCED
} CandelaTurnedWay;

typedef struct
{
  const CandelaPlanStep *step;
  CandelaTurnedWay way;
  gint64 n_pieces;
  CandelaPass pass; /* of an element-wise step */
  CandelaPassInput *inputs;
  CandelaTurnedSource *sources;
  gsize kept_at; /* CANDELA_TURNED_BY_PIECES: in scratch memory */
} CandelaTurnedMember;

typedef struct
{
  CandelaRun *run;
  const CandelaPlanGroup *group;
  CandelaTurnedMember *members;
  gsize *local_at; /* of each local, in scratch memory, in bytes for each column */
  gint64 n_rows, n_columns;
  gint64 n_pieces; /* at most */
  gint64 width;    /* columns of a block: whole blocks of stages, if need be beyond the last one */
  gint64 share;    /* rows */
  gboolean parallel;
  gsize lane_bytes, tiles_at, scratch_bytes;
  CandelaShares shares;
  guint64 lane_results;
} CandelaTurned;

/* Some columns of one row; and the layouts of reductions' inputs and outputs there. */
typedef struct
{
  gint64 row, column, width;
  guint8 *scratch;
  CandelaLayout *(*layouts)[1 + CANDELA_MAX_OUTPUTS];
} CandelaTurnedBlock;

static inline gboolean
candela_turned_is_local (const CandelaTurned *turned, guint32 v)
{
  return turned->run->plan->values[v].storage == CANDELA_STORAGE_LOCAL;
}

static inline guint32
candela_turned_input (const CandelaTurned *turned, const CandelaTurnedMember *member, guint32 i)
{
  return turned->run->plan->inputs[member->step->first_input + i];
}

static inline guint32
candela_turned_output (const CandelaTurned *turned, const CandelaTurnedMember *member, guint32 o)
{
  return turned->run->plan->outputs[member->step->first_output + o].value;
}

static inline gsize
candela_turned_size (const CandelaTurned *turned, guint32 v)
{
  return candela_dtype_get_size (turned->run->plan->values[v].dtype);
}

static inline gsize
candela_turned_round_up (gsize bytes)
{
  return (bytes + CANDELA_ALIGNMENT - 1) & ~(gsize) (CANDELA_ALIGNMENT - 1);
}

/* turned-block.c: bytes that a thread keeps of a member that goes by pieces, without the memory of its pass. */
gsize candela_turned_kept_bytes (guint32 n_inputs);

/* turned-block.c: a block's columns of all rows from its one up to another. */
gboolean candela_turned_run_rows (const CandelaTurned *turned, CandelaTurnedBlock *block, gint64 end, GError **error);

G_END_DECLS
