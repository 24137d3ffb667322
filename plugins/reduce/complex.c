/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums and products of complex numbers, in the order of reduce.h, in binary64. The
 * parts of a number lie side by side, and a sum of numbers is a sum of each part: so
 * to the folds of the parts it is two neighbouring results, and has their bits. */
#include "../rounded.h"
#include "fold.h"

typedef float _Complex Complex64;
typedef double _Complex Complex128;

/* What a fold needs besides name_rows (), JOIN () and MERGE (). A
 * partial is a number; a block of one result goes the way of rows, one result wide. */
#define COMPLEX_FOLD(NAME, ELEMENT, JOIN, MERGE, PASSES, GROUP, EMPTY)                                                 \
  static void NAME##_block (double *out, const ELEMENT *x, gsize n)                                                    \
  {                                                                                                                    \
    double lanes[2 * (REDUCE_LANES + 1)];                                                                              \
                                                                                                                       \
    for (guint pass = 0; pass < PASSES; pass++)                                                                        \
      {                                                                                                                \
        NAME##_rows (                                                                                                  \
          &(ReduceRows){ .lanes = lanes, .elements = x, .stride = 1, .n_rows = n, .width = 1, .pass = pass });         \
        JOIN (out, lanes, 1, n, pass);                                                                                 \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_results (gpointer partials, gconstpointer elements, gint64 step, gsize n_results, gsize n)        \
  {                                                                                                                    \
    const ELEMENT *x = elements;                                                                                       \
                                                                                                                       \
    for (gsize t = 0; t < n_results; t++, x += step)                                                                   \
      NAME##_block ((double *) partials + 2 * t, x, n);                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_piece (gpointer partial, gconstpointer elements, gsize n, gint64 index)                           \
  {                                                                                                                    \
    const gsize n_blocks = (n + REDUCE_BLOCK - 1) / REDUCE_BLOCK;                                                      \
    const ELEMENT *x = elements;                                                                                       \
    double blocks[REDUCE_PIECE / REDUCE_BLOCK][2];                                                                     \
                                                                                                                       \
    for (gsize k = 0; k < n_blocks; k++)                                                                               \
      NAME##_block (blocks[k], x + k * REDUCE_BLOCK, MIN (n - k * REDUCE_BLOCK, REDUCE_BLOCK));                        \
    REDUCE_EACH_SUBTREE (n_blocks, half, k) MERGE (blocks[k], blocks[k + half], 1, 0, 0);                              \
    memcpy (partial, blocks[0], sizeof blocks[0]);                                                                     \
  }                                                                                                                    \
                                                                                                                       \
  const ReduceFold REDUCE_NAME (NAME) = {                                                                              \
    .partial_size = 2 * sizeof (double),                                                                               \
    .scratch_size = 2 * (REDUCE_LANES + 1) * sizeof (double),                                                          \
    .tile = REDUCE_TILE / 2,                                                                                           \
    .passes = PASSES,                                                                                                  \
    .group = GROUP,                                                                                                    \
    .empty = EMPTY,                                                                                                    \
    .results = NAME##_results,                                                                                         \
    .piece = NAME##_piece,                                                                                             \
    .rows = NAME##_rows,                                                                                               \
    .join = JOIN,                                                                                                      \
    .merge = MERGE,                                                                                                    \
  };

/* ---- Sums ---- */

#define SUM_OF_PARTS(NAME, ELEMENT, PART, PASSES, GROUP)                                                               \
  static void NAME##_rows (const ReduceRows *rows)                                                                     \
  {                                                                                                                    \
    ReduceRows parts = *rows;                                                                                          \
                                                                                                                       \
    parts.stride *= 2;                                                                                                 \
    parts.width *= 2;                                                                                                  \
    REDUCE_NAME (sum_folds)[PART]->rows (&parts);                                                                      \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_join (gpointer partials, gpointer lanes, gsize width, gsize n_rows, guint pass)                   \
  {                                                                                                                    \
    REDUCE_NAME (sum_folds)[PART]->join (partials, lanes, 2 * width, n_rows, pass);                                    \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_merge (gpointer a, gconstpointer b, gsize width, gint64 a_count, gint64 b_count)                  \
  {                                                                                                                    \
    REDUCE_NAME (sum_folds)[PART]->merge (a, b, 2 * width, a_count, b_count);                                          \
  }                                                                                                                    \
                                                                                                                       \
  COMPLEX_FOLD (NAME, ELEMENT, NAME##_join, NAME##_merge, PASSES, GROUP, NULL)

SUM_OF_PARTS (sum_complex64, Complex64, CANDELA_DTYPE_FLOAT32, 2, REDUCE_GROUP)
SUM_OF_PARTS (sum_complex128, Complex128, CANDELA_DTYPE_FLOAT64, 1, 0)

/* ---- Products ---- */

/* The plain one of the parts. No number leaves every other one as it is, infinities
 * too: so a lane begins with its first element. */
static inline Complex128
times (Complex128 a, Complex128 b)
{
  Complex128 product;

  __real__ product = ROUNDED_PRODUCT (__real__ a, __real__ b) - ROUNDED_PRODUCT (__imag__ a, __imag__ b);
  __imag__ product = ROUNDED_PRODUCT (__real__ a, __imag__ b) + ROUNDED_PRODUCT (__imag__ a, __real__ b);
  return product;
}

static const double one[2] = { 1.0, 0.0 };

static void
product_merge (gpointer a, gconstpointer b, gsize width, gint64 a_count, gint64 b_count)
{
  Complex128 *into = a;
  const Complex128 *from = b;

  _Pragma ("GCC ivdep") for (gsize t = 0; t < width; t++) into[t] = times (into[t], from[t]);
}

/* Of so many parts, as reduce_join_lanes () counts. */
static void
product_merge_parts (gpointer a, gconstpointer b, gsize n_parts, gint64 a_count, gint64 b_count)
{
  product_merge (a, b, n_parts / 2, a_count, b_count);
}

static void
product_join (gpointer partials, gpointer lanes, gsize width, gsize n_rows, guint pass)
{
  reduce_join_lanes (lanes, REDUCE_LANES, 2 * width, n_rows, product_merge_parts);
  memcpy (partials, lanes, width * sizeof (Complex128));
}

#define PRODUCT(NAME, ELEMENT)                                                                                         \
  static void NAME##_stack (Complex128 *acc, const ELEMENT *x, gint64 stride, gsize n, gsize width, gboolean fresh)    \
  {                                                                                                                    \
    if (fresh && n > 0)                                                                                                \
      {                                                                                                                \
        for (gsize t = 0; t < width; t++)                                                                              \
          acc[t] = x[t];                                                                                               \
        x += stride;                                                                                                   \
        n--;                                                                                                           \
      }                                                                                                                \
    for (; n > 0; n--, x += stride)                                                                                    \
      _Pragma ("GCC ivdep") for (gsize t = 0; t < width; t++) acc[t] = times (acc[t], x[t]);                           \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_rows (const ReduceRows *rows)                                                                     \
  {                                                                                                                    \
    REDUCE_ROWS_IN_LANES_OF (REDUCE_LANES, Complex128, rows, ELEMENT, NAME##_stack);                                   \
  }                                                                                                                    \
                                                                                                                       \
  COMPLEX_FOLD (NAME, ELEMENT, product_join, product_merge, 1, 0, one)

PRODUCT (prod_complex64, Complex64)
PRODUCT (prod_complex128, Complex128)
