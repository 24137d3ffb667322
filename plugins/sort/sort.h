/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the ops that go line by line share. A line is what lies along the axis. Lines
 * are shared among threads, never the elements of one. */
#pragma once

#include "keys.h"

typedef struct _SortCall SortCall;

/* Does one line: reads it with sort_get_line(), and writes its result for each output,
 * n_out elements one after the other. The memory is the call's work_size bytes. */
typedef gboolean (*SortLineFunc) (const SortCall *call, gint64 line, guint8 *memory, gpointer const *out,
                                  GError **error);

struct _SortCall
{
  CandelaKernel *kernel;
  guint n_outputs;
  gint64 axis; /* of x, not negative */
  gboolean descending;
  SortLineFunc run;
  gsize work_size; /* bytes of memory that run needs */

  /* What sort_call_run() finds out. */
  CandelaDType dtype;
  gsize size;          /* of an element */
  gint64 n, n_out;     /* elements of a line, and of its results */
  gint64 inner;        /* lines under one index of the axes before */
  CandelaLayout *last; /* x with the axis last */
};

/* lines.c */
gboolean sort_call_run (SortCall *call, GError **error);

/* Elements of a line, packed: where they are, or copied to memory. */
gconstpointer sort_get_line (const SortCall *call, gint64 line, gpointer memory);

/* The error of a sort that was cancelled; FALSE, to be returned. */
gboolean sort_fail_cancelled (GError **error);

/* The axis of an op on x, checked; or -1. */
gint64 sort_check_axis (const CandelaInference *inference, guint param, GError **error);
gint64 sort_get_axis (const CandelaParams *params, guint param, guint rank);

extern const CandelaInputInfo sort_inputs[];

#define SORT_PARAM_AXIS                                                                                                \
  {                                                                                                                    \
    .name = "axis", .type = CANDELA_PARAM_INT, .default_value = "-1",                                                  \
    .summary = "the axis to go along, counted from the end if negative"                                                \
  }

extern const CandelaOpInfo sort_sort_op, sort_argsort_op, sort_topk_op, sort_searchsorted_op;
