/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/plan/planner-private.h>

G_BEGIN_DECLS

/* Memory for one value, or for several of which each is written over the last. */
typedef struct
{
  gsize bytes;
  guint32 start;
  guint32 end;        /* the last step that reads it; CANDELA_PLAN_NONE: it outlives the run */
  guint32 written_at; /* the last step that writes it */
  guint32 slot;       /* assign: which one it got */
} CandelaPlanBuffer;

/* In the order of their start. */
typedef struct
{
  CandelaPlanner *planner;
  CandelaPlanBuffer *buffers;
  guint32 n;
  guint32 *of_base;   /* of each base: its buffer; CANDELA_PLAN_NONE: it is within a step, or from outside */
  guint32 *last_read; /* of each base */
} CandelaBuffers;

void candela_buffers_init (CandelaBuffers *buffers, CandelaPlanner *planner);

G_END_DECLS
