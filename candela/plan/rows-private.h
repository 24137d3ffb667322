/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Groups of steps in the making. */
#pragma once

#include <candela/plan/planner-private.h>

G_BEGIN_DECLS

/* Steps of a group; its growth is checked as a whole each time. */
#define CANDELA_ROWS_MAX_STEPS 32
/* Of a value with a buffer of its own: the steps between which it exists. */
typedef struct
{
  guint32 made;  /* CANDELA_PLAN_NONE: by no step */
  guint32 last;  /* the last that reads it; CANDELA_PLAN_NONE: it outlives the run */
  guint32 local; /* its number among those of its group; CANDELA_PLAN_NONE: it is none */
  guint32 near;  /* the mark of the last group that reads or makes it */
  guint32 stamp; /* of whoever counted it last */
} CandelaRowLife;

/* Steps first to last, for which the first n_axes axes are rows, and the last n_last
 * axes columns of them; none of these where the group goes by rows. */
typedef struct
{
  guint32 first, last;
  guint n_axes, n_last;
  gint64 n_rows, n_columns;
  gboolean packs; /* a few columns at a time */
  const gint64 *dims, *last_dims;
} CandelaRowGroup;

typedef struct
{
  CandelaPlanner *planner;
  CandelaPlan *plan;
  CandelaRowLife *lives;
  guint32 stamp;
  GArray *groups;              /* of CandelaRowGroup, in the order of their steps */
  guint32 n_inputs, n_outputs; /* of the plan, written so far */
} CandelaGrouping;

static inline gboolean
candela_rows_is_made_within (const CandelaGrouping *grouping, const CandelaRowGroup *group, guint32 base)
{
  guint32 made = grouping->lives[base].made;

  return made != CANDELA_PLAN_NONE && made >= group->first && made <= group->last;
}

/* Counts a value; FALSE if that was done since the stamp changed. */
static inline gboolean
candela_rows_is_new (CandelaGrouping *grouping, guint32 base)
{
  if (grouping->lives[base].stamp == grouping->stamp)
    return FALSE;
  grouping->lives[base].stamp = grouping->stamp;
  return TRUE;
}

/* rows-write.c: puts a step in the place of each group. */
void candela_rows_write (CandelaGrouping *grouping);

G_END_DECLS
