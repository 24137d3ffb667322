/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the reductions share: one order in which the elements of a result are
 * taken, and the two walks that keep to it.
 *
 * The elements that are reduced into one result are numbered in logical
 * (row-major) order over the reduced axes. They are cut into blocks of
 * REDUCE_BLOCK. Within a block element i goes to lane i % REDUCE_LANES; the lanes
 * are joined by halves. The blocks are joined by a binary tree: as soon as two
 * trees of the same height stand side by side they become one. Strides, tiles and
 * threads have no part in this, so a view and a packed copy of it give the same
 * bits; and the error of a sum grows with the logarithm of its length. */
#pragma once

#include <candela/candela-plugin.h>
#include <math.h>
#include <string.h>

#define REDUCE_LANES 16
#define REDUCE_BLOCK 1024

/* Every dtype that is reduced. X (DTYPE, name, C type) */
#define REDUCE_INTEGERS(X)                                                                                             \
  X (BOOL, bool, guint8)                                                                                               \
  X (INT8, int8, gint8)                                                                                                \
  X (INT16, int16, gint16)                                                                                             \
  X (INT32, int32, gint32)                                                                                             \
  X (INT64, int64, gint64)                                                                                             \
  X (UINT8, uint8, guint8)                                                                                             \
  X (UINT16, uint16, guint16)                                                                                          \
  X (UINT32, uint32, guint32)                                                                                          \
  X (UINT64, uint64, guint64)

#define REDUCE_FLOATS(X)                                                                                               \
  X (FLOAT32, float32, float)                                                                                          \
  X (FLOAT64, float64, double)

/* Rows of a block, each an element of `width` neighbouring results. */
typedef struct
{
  gpointer lanes;         /* REDUCE_LANES + 1 rows of width accumulators; the last is the fold's own */
  gconstpointer elements; /* of the first row */
  gint64 stride;          /* from a row to the next, in elements */
  gsize n_rows;
  gsize width;
  gsize first;  /* the first row's number in its block */
  gint64 index; /* the first row's number in the whole sequence */
  guint pass;
} ReduceRows;

/* How elements of one dtype become partial results, and those the result.
 * Lanes with no element hold the identity, which changes no bit of another. */
typedef struct
{
  gsize partial_size;
  gsize lane_size;
  guint passes;        /* over each block */
  gconstpointer empty; /* the partial of no elements; NULL: zeros */

  /* The partial of a block of n packed elements, the first of which is number
   * index. */
  void (*block) (gpointer partial, gconstpointer elements, gsize n, gint64 index);

  /* The same for neighbouring results at once, in steps. */
  void (*fill) (gpointer lanes, gsize n);
  void (*rows) (const ReduceRows *rows);
  void (*join) (gpointer partials, gpointer lanes, gsize width, gsize n_lanes, gsize n_rows, guint pass);

  /* Of width results each: a becomes a and after it b, of so many elements. */
  void (*merge) (gpointer a, gconstpointer b, gsize width, gint64 a_count, gint64 b_count);
} ReduceFold;

typedef struct _ReduceCall ReduceCall;

/* Writes `width` results, from number `output` on. */
typedef void (*ReduceFinish) (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width);

struct _ReduceCall
{
  CandelaKernel *kernel;
  const ReduceFold *fold;
  CandelaDType dtype; /* elements are read as: the fold's */
  guint32 axes;       /* those that are reduced, as bits */
  ReduceFinish finish;
  gint64 count; /* elements of a result */
  double correction;
};

/* run.c */
gboolean reduce_run (ReduceCall *call, GError **error);
void reduce_store_double (const ReduceCall *call, guint n, gint64 output, const double *values, gsize width);

/* infer.c: the parameter axis is the first of every table; a missing one stands
 * for all axes. */
guint32 reduce_get_axes (const CandelaParams *params, guint rank);
guint32 reduce_get_axis (const CandelaParams *params, guint rank);
gboolean reduce_infer (CandelaInference *inference, gboolean keepdims, gboolean needs_elements, guint n_outputs,
                       CandelaDType dtype, GError **error);
gboolean reduce_infer_single_axis (CandelaInference *inference, gboolean keepdims, CandelaDType dtype, GError **error);

extern const CandelaInputInfo reduce_inputs[];

#define REDUCE_PARAM_AXIS                                                                                              \
  {                                                                                                                    \
    .name = "axis", .type = CANDELA_PARAM_INT_LIST,                                                                    \
    .summary = "the axes to reduce, counted from the end if negative; none: all of them"                               \
  }
#define REDUCE_PARAM_KEEPDIMS                                                                                          \
  {                                                                                                                    \
    .name = "keepdims", .type = CANDELA_PARAM_BOOL, .default_value = "false",                                          \
    .summary = "keep the reduced axes, with extent 1"                                                                  \
  }
#define REDUCE_PARAM_CORRECTION                                                                                        \
  {                                                                                                                    \
    .name = "correction", .type = CANDELA_PARAM_FLOAT, .default_value = "0.0",                                         \
    .summary = "is taken off the number of elements that the squares are divided by: 1 for a sample's variance"        \
  }

/* The ops. */
extern const CandelaOpInfo reduce_sum_op, reduce_prod_op;
extern const CandelaOpInfo reduce_max_op, reduce_min_op;
extern const CandelaOpInfo reduce_any_op, reduce_all_op;
extern const CandelaOpInfo reduce_argmax_op, reduce_argmin_op;
extern const CandelaOpInfo reduce_mean_op, reduce_var_op, reduce_std_op, reduce_moments_op;
