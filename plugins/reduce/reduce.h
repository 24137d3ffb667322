/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the reductions share: one order in which the elements of a result are
 * taken, and the walks that keep to it.
 *
 * The elements that are reduced into one result are numbered in logical
 * (row-major) order over the reduced axes. They are cut into blocks of
 * REDUCE_BLOCK. Within a block element i goes to lane i % REDUCE_LANES; the lanes
 * are joined by halves. The blocks are joined by a binary tree: as soon as two
 * trees of the same height stand side by side they become one. Strides, tiles,
 * instruction sets and threads have no part in this, so a view and a packed copy of
 * it give the same bits; and the error of a sum grows with the logarithm of its
 * length.
 *
 * A sum of float32, unless it is wanted in binary64, has groups besides: of every
 * REDUCE_GROUP elements of a block those that go to the same lane, which are four, are
 * added in binary32, the first two, the last two and both sums, before the lane gets
 * them; what is left of a block does without. A block of fewer elements than a group
 * has four lanes, and groups of sixteen. A block whose sum is then not finite is
 * summed again without groups, in all lanes.
 *
 * So it is for floats that are added or multiplied. Where the order of elements
 * changes no bit of the result (integers, extremes, truth) a fold takes them as it
 * likes within the pieces that it is given.
 *
 * The folds are compiled once for each instruction set, the walks once. */
#pragma once

#include <candela/candela-plugin.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define REDUCE_LANES 16
#define REDUCE_GROUP (4 * REDUCE_LANES)
#define REDUCE_BLOCK 1024
/* The elements of one result that a fold gets at a time: a whole tree of blocks. */
#define REDUCE_PIECE (8 * REDUCE_BLOCK)

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
  gpointer lanes;         /* the fold's scratch memory; the partials, if it needs none */
  gconstpointer elements; /* of the first row */
  gint64 stride;          /* from a row to the next, in elements */
  gsize n_rows;
  gsize width;
  gsize first;  /* the first row's number in its block */
  gint64 index; /* the first row's number in the whole sequence */
  guint pass;
} ReduceRows;

/* How elements of one dtype become partial results, and those the result. The
 * partials of neighbouring results lie together: where one consists of two numbers,
 * all the first ones and then all the second ones. */
typedef struct
{
  gsize partial_size;  /* of a result */
  gsize scratch_size;  /* what rows () and join () need for a result; 0: they work on the partials */
  gsize tile;          /* results side by side, at most */
  guint passes;        /* of rows () and join () over each block */
  gboolean slow;       /* an element takes several times as long as to read it */
  gsize group;         /* rows () gets multiples of so many rows, but at the end */
  gconstpointer empty; /* the partial of no elements; NULL: zeros */

  /* The partials of results of n (1 to REDUCE_BLOCK) packed elements each, the
   * first elements of which are a step of elements apart. */
  void (*results) (gpointer partials, gconstpointer elements, gint64 step, gsize n_results, gsize n);

  /* The partial of n (1 to REDUCE_PIECE) packed elements of one result, the first of
   * which is number index. */
  void (*piece) (gpointer partial, gconstpointer elements, gsize n, gint64 index);

  /* The same for neighbouring results at once, a block at a time. */
  void (*rows) (const ReduceRows *rows);
  void (*join) (gpointer partials, gpointer lanes, gsize width, gsize n_rows, guint pass);

  /* … or, if the rows of a block are one run and in the cache or nearly, all of it at once, without
   * lanes; NULL, or FALSE, with nothing done that counts: to be done as above. */
  gboolean (*block) (gpointer partials, const ReduceRows *rows);

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

/* walk.c: the partials of n_rows results of n packed elements each, from first to first a
 * step of elements, a size of bytes each. */
void reduce_rows (const ReduceFold *fold, gpointer partials, gconstpointer elements, gsize size, gint64 step,
                  gsize n_rows, gsize n);

/* NAME () takes rows, as a kernel may, of ELEMENT into OUT: of FOLD, whose partials are of
 * type PARTIAL. VALUE (partial, n) is the result. */
#define REDUCE_ROWS_AT_ONCE 64
#define REDUCE_ROWS(NAME, ELEMENT, PARTIAL, OUT, FOLD, VALUE)                                                          \
  static void NAME (gpointer const *out, gconstpointer in, gint64 stride, gsize n_rows, gsize n,                       \
                    const CandelaParams *params)                                                                       \
  {                                                                                                                    \
    PARTIAL partials[REDUCE_ROWS_AT_ONCE];                                                                             \
    const ELEMENT *x = in;                                                                                             \
    OUT *results = out[0];                                                                                             \
                                                                                                                       \
    for (gsize width; n_rows > 0; n_rows -= width, results += width, x += (gint64) width * stride)                     \
      {                                                                                                                \
        width = MIN (n_rows, REDUCE_ROWS_AT_ONCE);                                                                     \
        reduce_rows (&(FOLD), partials, x, sizeof (ELEMENT), stride, width, n);                                        \
        for (gsize t = 0; t < width; t++)                                                                              \
          results[t] = VALUE (partials[t], n);                                                                         \
      }                                                                                                                \
  }

/* op_kernels: compute_op for any dtype, and beside it op_rows_float32 and op_rows_float64. */
#define REDUCE_KERNELS_WITH_ROWS(op)                                                                                   \
  static const CandelaKernelInfo op##_kernels[] = {                                                                    \
    { .in = { CANDELA_DTYPE_FLOAT32 },                                                                                 \
      .out = { CANDELA_DTYPE_FLOAT32 },                                                                                \
      .compute = compute_##op,                                                                                         \
      .rows = op##_rows_float32 },                                                                                     \
    { .in = { CANDELA_DTYPE_FLOAT64 },                                                                                 \
      .out = { CANDELA_DTYPE_FLOAT64 },                                                                                \
      .compute = compute_##op,                                                                                         \
      .rows = op##_rows_float64 },                                                                                     \
    { .compute = compute_##op },                                                                                       \
    { .compute = NULL },                                                                                               \
  };

/* infer.c: the parameter axis is the first of every table; a missing one stands
 * for all axes. */
guint32 reduce_get_axes (const CandelaParams *params, guint rank);
guint32 reduce_get_axis (const CandelaParams *params, guint rank);
gboolean reduce_infer (CandelaInference *inference, gboolean keepdims, gboolean needs_elements, guint n_outputs,
                       CandelaDType dtype, GError **error);
/* The same for one output, of an op that has the parameters of reduce_params. */
gboolean reduce_infer_one (CandelaInference *inference, gboolean needs_elements, CandelaDType dtype, GError **error);
gboolean reduce_infer_single_axis (CandelaInference *inference, gboolean keepdims, CandelaDType dtype, GError **error);

/* Of real dtypes, and of all. */
extern const CandelaInputInfo reduce_inputs[], reduce_inputs_of_all[];

/* axis and keepdims */
extern const CandelaParamInfo reduce_params[];

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

/* The ops of each instruction set, whose name the build gives as REDUCE_SET where
 * it compiles the folds: a list up to a NULL. */
extern const CandelaOpInfo *const reduce_ops_baseline[];
#ifdef REDUCE_HAVE_X86_SETS
extern const CandelaOpInfo *const reduce_ops_avx2[];
extern const CandelaOpInfo *const reduce_ops_avx512[];
#endif

#ifdef REDUCE_SET
#define REDUCE_NAME(name) REDUCE_NAME_OF (name, REDUCE_SET)
#define REDUCE_NAME_OF(name, set) REDUCE_NAME_PASTE (name, set)
#define REDUCE_NAME_PASTE(name, set) reduce_##name##_##set

extern const CandelaOpInfo REDUCE_NAME (sum), REDUCE_NAME (sum_to), REDUCE_NAME (prod);
extern const CandelaOpInfo REDUCE_NAME (mean), REDUCE_NAME (var), REDUCE_NAME (std), REDUCE_NAME (moments);
extern const CandelaOpInfo REDUCE_NAME (max), REDUCE_NAME (min);
extern const CandelaOpInfo REDUCE_NAME (argmax), REDUCE_NAME (argmin);
extern const CandelaOpInfo REDUCE_NAME (any), REDUCE_NAME (all);
extern const CandelaOpInfo REDUCE_NAME (count_nonzero);

/* In sum.c: sums of elements of any dtype in binary64. */
extern const ReduceFold *const REDUCE_NAME (sum_folds)[CANDELA_N_DTYPES];

/* complex.c */
extern const ReduceFold REDUCE_NAME (sum_complex64), REDUCE_NAME (sum_complex128);
extern const ReduceFold REDUCE_NAME (prod_complex64), REDUCE_NAME (prod_complex128);
#endif
