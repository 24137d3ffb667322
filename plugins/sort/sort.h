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

/* order.c */

typedef struct
{
  const gint64 *keys; /* by the number of an element */
  gint64 *packed;     /* for as many as are ordered */
  gint64 *scratch;    /* the same */
  GCancellable *cancellable;
} SortOrderer;

/* Puts numbers of elements into the order of their keys; those whose keys are equal stay
 * as they lie. FALSE: cancelled. */
gboolean sort_order_numbers (const SortOrderer *orderer, gint64 *numbers, gint64 *packed, gsize n);

/* wide.c */

/* Whether there are wide keys of a dtype, and whether each is two. */
gboolean sort_has_wide_keys (CandelaDType dtype);
gboolean sort_wide_has_minor (CandelaDType dtype);

/* Keys of n elements of an input, from a logical index on, read as a dtype; minor is
 * NULL where each is one. */
void sort_pack_wide_keys (const CandelaKernel *kernel, guint input, CandelaDType dtype, gint64 start, gsize n,
                          gint64 *keys, gint64 *minor);

/* The numbers of elements in the order of such keys; minor is NULL where each is one. */
gboolean sort_order_wide (const gint64 *keys, const gint64 *minor, gint64 *numbers, gint64 *packed, gint64 *scratch,
                          gsize n, GCancellable *cancellable);

/* The key of a NaN, which is equal to nothing; FALSE if the dtype has none. */
gboolean sort_get_nan_key (CandelaDType dtype, gint64 *key);

extern const CandelaInputInfo sort_inputs[];

#define SORT_PARAM_AXIS                                                                                                \
  {                                                                                                                    \
    .name = "axis", .type = CANDELA_PARAM_INT, .default_value = "-1",                                                  \
    .summary = "the axis to go along, counted from the end if negative"                                                \
  }

extern const CandelaOpInfo sort_sort_op, sort_argsort_op, sort_topk_op, sort_searchsorted_op;
extern const CandelaOpInfo sort_unique_all_op, sort_unique_counts_op, sort_unique_inverse_op, sort_unique_values_op;
extern const CandelaOpInfo sort_isin_op;
