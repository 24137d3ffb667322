/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps that run together, made ready: by rows, and what is different by columns. */
#pragma once

#include <candela/exec/tile-private.h>
#include <pthread.h>

G_BEGIN_DECLS

/* Of an element-wise step by columns: what it reads and writes, inputs first, then outputs,
 * each with a layout of the shape of these; and the axes between rows and columns, as few
 * as can be. Strides of locals are in pieces, which follow each other; else in elements. */
typedef struct
{
  CandelaLayout **layouts; /* owned */
  guint rank;
  gint64 shape[CANDELA_MAX_RANK];
  gint64 (*strides)[CANDELA_MAX_RANK];
} CandelaPieces;

typedef struct
{
  const CandelaPlanStep *step;
  CandelaPass pass;         /* of an element-wise step */
  CandelaPassInput *inputs; /* its inputs */
  guint64 row_elements;     /* of its outputs */
  CandelaPieces pieces;     /* … by columns */
  gint64 row_stride;        /* of a reduction's input, in elements */
  CandelaLayout *in;        /* of a reduction: the layouts for a block */
  CandelaLayout *out[CANDELA_MAX_OUTPUTS];
} CandelaMember;

typedef struct
{
  CandelaRun *run;
  const CandelaPlanGroup *group;
  CandelaMember *members;
  gboolean parallel;   /* there is enough for several threads */
  gsize lane_bytes;    /* that a row, or one column of it, reads, writes and holds */
  gint64 block;        /* rows */
  gint64 width;        /* columns */
  gsize *local_at;     /* of each local, in the scratch memory */
  gsize scratch_bytes; /* locals, what is packed, then tiles */
  gsize tiles_at;
  GThread *caller;
  pthread_mutex_t lock;
  GError *error; /* the first, under the lock */
  gint failed;   /* atomic */
  guint64 done;  /* elements written and not yet told of (atomic) */
  guint64 lane_results;
} CandelaRows;

typedef struct
{
  gint64 first, end;         /* rows; one only, by columns */
  gint64 column, end_column; /* of the columns, of which there is one by rows */
  guint8 *scratch;
} CandelaRowsBlock;

static inline gboolean
candela_rows_is_local (const CandelaRows *rows, guint32 v)
{
  return rows->run->plan->values[v].storage == CANDELA_STORAGE_LOCAL;
}

/* columns.c: how many columns to take at a time. */
gint64 candela_columns_choose_width (const CandelaRows *rows);

/* columns.c: where a value begins in a block of columns, and its layout there, from
 * offset 0 on; its columns become the last axis. */
gpointer candela_columns_find (const CandelaRows *rows, guint32 v, const CandelaRowsBlock *block);
CandelaLayout *candela_columns_make_layout (const CandelaRows *rows, guint32 v, gint64 width, GError **error);

/* columns.c: an element-wise step by columns. */
gboolean candela_columns_prepare (const CandelaRows *rows, CandelaMember *member, GError **error);
void candela_columns_run (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block);
void candela_columns_clear (CandelaMember *member);

G_END_DECLS
