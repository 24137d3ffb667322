/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The functions of a fold whose partial result is one accumulator.
 *
 * REDUCE_FOLD is for those that the order of elements changes no bit of:
 * REDUCE_FOLD (name, element type, accumulator type, identity, the partial of no
 * elements, LOAD, OP). LOAD (x) makes an accumulator of an element, OP (a, b) joins
 * two; name_of (x, n), which is there before, is the accumulator of n elements.
 *
 * REDUCE_ORDERED is for sums and products in binary64, in the order that reduce.h
 * defines: results () and piece () must give the same bits as rows () with join (), and as
 * BLOCK, the fold's block (), or NULL. */
#pragma once

#include "vector.h"

/* Values that were computed in binary64 into an output of floats, or the parts of them
 * into one of complex numbers. */
static inline void
reduce_store_double (const ReduceCall *call, guint n, gint64 output, const double *values, gsize width)
{
  gpointer out = candela_kernel_get_output (call->kernel, n);
  CandelaDType dtype = candela_kernel_get_output_dtype (call->kernel, n);

  if (candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_COMPLEX)
    {
      output *= 2;
      width *= 2;
    }
  if (dtype == CANDELA_DTYPE_FLOAT64 || dtype == CANDELA_DTYPE_COMPLEX128)
    memcpy ((double *) out + output, values, width * sizeof *values);
  else
    for (gsize t = 0; t < width; t++)
      ((float *) out)[output + (gint64) t] = (float) values[t];
}

/* Results side by side: as many as fit in the cache with the rows that they are
 * made of. */
#define REDUCE_TILE 1024

/* name_stack (acc, x, stride, n, width, fresh): n rows onto a row of accumulators,
 * which hold nothing yet if it is fresh. A few rows at a time, so that accumulators
 * are seldom read and written. */
#define REDUCE_STACK(NAME, ELEMENT, ACCUMULATOR, IDENTITY, LOAD, OP)                                                   \
  static inline __attribute__ ((always_inline)) void NAME##_stack_some (                                               \
    ACCUMULATOR *acc, const ELEMENT *x, gint64 stride, guint n, gsize width, gboolean fresh)                           \
  {                                                                                                                    \
    _Pragma ("GCC ivdep") for (gsize t = 0; t < width; t++)                                                            \
    {                                                                                                                  \
      ACCUMULATOR a = fresh ? IDENTITY : acc[t];                                                                       \
                                                                                                                       \
      _Pragma ("GCC unroll 4") for (guint r = 0; r < n; r++)                                                           \
      {                                                                                                                \
        const ACCUMULATOR value = LOAD (x[(gint64) r * stride + (gint64) t]);                                          \
                                                                                                                       \
        a = OP (a, value);                                                                                             \
      }                                                                                                                \
      acc[t] = a;                                                                                                      \
    }                                                                                                                  \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_stack (ACCUMULATOR *acc, const ELEMENT *x, gint64 stride, gsize n, gsize width, gboolean fresh)   \
  {                                                                                                                    \
    if (fresh && n >= 4)                                                                                               \
      {                                                                                                                \
        NAME##_stack_some (acc, x, stride, 4, width, TRUE);                                                            \
        x += 4 * stride;                                                                                               \
        n -= 4;                                                                                                        \
      }                                                                                                                \
    else if (fresh && n > 0)                                                                                           \
      {                                                                                                                \
        NAME##_stack_some (acc, x, stride, 1, width, TRUE);                                                            \
        x += stride;                                                                                                   \
        n--;                                                                                                           \
      }                                                                                                                \
    for (; n >= 4; n -= 4, x += 4 * stride)                                                                            \
      NAME##_stack_some (acc, x, stride, 4, width, FALSE);                                                             \
    for (; n > 0; n--, x += stride)                                                                                    \
      NAME##_stack_some (acc, x, stride, 1, width, FALSE);                                                             \
  }

#define REDUCE_MERGE(NAME, ACCUMULATOR, OP)                                                                            \
  static void NAME##_merge (gpointer a, gconstpointer b, gsize width, gint64 a_count, gint64 b_count)                  \
  {                                                                                                                    \
    ACCUMULATOR *into = a;                                                                                             \
    const ACCUMULATOR *from = b;                                                                                       \
                                                                                                                       \
    _Pragma ("GCC ivdep") for (gsize t = 0; t < width; t++) into[t] = OP (into[t], from[t]);                           \
  }

/* name_results (), of name_of (). */
#define REDUCE_RESULTS(NAME, ELEMENT, ACCUMULATOR)                                                                     \
  static void NAME##_results (gpointer partials, gconstpointer elements, gint64 step, gsize n_results, gsize n)        \
  {                                                                                                                    \
    const ELEMENT *x = elements;                                                                                       \
                                                                                                                       \
    for (gsize t = 0; t < n_results; t++, x += step)                                                                   \
      ((ACCUMULATOR *) partials)[t] = NAME##_of (x, n);                                                                \
  }

#define REDUCE_FOLD(NAME, ELEMENT, ACCUMULATOR, IDENTITY, EMPTY, LOAD, OP)                                             \
  REDUCE_RESULTS (NAME, ELEMENT, ACCUMULATOR)                                                                          \
  REDUCE_FOLD_OF (NAME, ELEMENT, ACCUMULATOR, IDENTITY, EMPTY, LOAD, OP)

/* … whose name_results () is there before, too. */
#define REDUCE_FOLD_OF(NAME, ELEMENT, ACCUMULATOR, IDENTITY, EMPTY, LOAD, OP)                                          \
  REDUCE_STACK (NAME, ELEMENT, ACCUMULATOR, IDENTITY, LOAD, OP)                                                        \
  REDUCE_MERGE (NAME, ACCUMULATOR, OP)                                                                                 \
                                                                                                                       \
  static void NAME##_piece (gpointer partial, gconstpointer elements, gsize n, gint64 index)                           \
  {                                                                                                                    \
    *(ACCUMULATOR *) partial = NAME##_of (elements, n);                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_rows (const ReduceRows *rows)                                                                     \
  {                                                                                                                    \
    NAME##_stack (rows->lanes, rows->elements, rows->stride, rows->n_rows, rows->width, rows->first == 0);             \
  }                                                                                                                    \
                                                                                                                       \
  static const ReduceFold NAME = {                                                                                     \
    .partial_size = sizeof (ACCUMULATOR),                                                                              \
    .tile = REDUCE_TILE,                                                                                               \
    .passes = 1,                                                                                                       \
    .empty = EMPTY,                                                                                                    \
    .results = NAME##_results,                                                                                         \
    .piece = NAME##_piece,                                                                                             \
    .rows = NAME##_rows,                                                                                               \
    .merge = NAME##_merge,                                                                                             \
  };

/* Up to so many neighbouring results that are neighbours in memory, rows are taken
 * as many at a time as there are lanes, like one long row. */
#define REDUCE_NARROW 256

/* Rows of a block into their lanes, by a function as name_stack () is and what
 * else it wants: lane after lane, so that only its own accumulators need the cache. */
#define REDUCE_ROWS_IN_LANES(rows, ELEMENT, STACK, ...)                                                                \
  REDUCE_ROWS_IN_LANES_OF (REDUCE_LANES, double, rows, ELEMENT, STACK, ##__VA_ARGS__)
#define REDUCE_ROWS_IN_LANES_OF(N_LANES, ACCUMULATOR, rows, ELEMENT, STACK, ...)                                       \
  const ELEMENT *x = (rows)->elements;                                                                                 \
  ACCUMULATOR *lanes = (rows)->lanes;                                                                                  \
  const gsize width = (rows)->width, n = (rows)->n_rows, first = (rows)->first;                                        \
  const gint64 stride = (rows)->stride;                                                                                \
                                                                                                                       \
  if (stride == (gint64) width && width <= REDUCE_NARROW && first % N_LANES == 0)                                      \
    {                                                                                                                  \
      const gsize whole = n / N_LANES, rest = n % N_LANES * width;                                                     \
                                                                                                                       \
      STACK (lanes, x, N_LANES *stride, whole, N_LANES *width, first == 0, ##__VA_ARGS__);                             \
      x += (gint64) (whole * N_LANES) * stride;                                                                        \
      STACK (lanes, x, 0, rest > 0, rest, first + whole == 0, ##__VA_ARGS__);                                          \
      return;                                                                                                          \
    }                                                                                                                  \
  for (gsize r = 0; r < MIN (n, N_LANES); r++, x += stride)                                                            \
  STACK (lanes + (first + r) % N_LANES * width, x, N_LANES * stride, (n - r + N_LANES - 1) / N_LANES, width,           \
         first + r < N_LANES, ##__VA_ARGS__)

/* Lanes of neighbouring results into one, by halves; those of rows that there were
 * none of hold nothing. */
static inline void
reduce_join_lanes (double *lanes, guint n_lanes, gsize width, gsize n_rows,
                   void (*merge) (gpointer a, gconstpointer b, gsize width, gint64 a_count, gint64 b_count))
{
  gsize n = MIN (n_rows, n_lanes);

  for (gsize half = n_lanes / 2; half > 0; half /= 2)
    if (n > half)
      {
        merge (lanes, lanes + half * width, (n - half) * width, 0, 0);
        n = half;
      }
}

/* A result of so few elements is worked out at once, in the same order: VALUE (k)
 * is the accumulator of element k. */
#define REDUCE_FEW 4
#define REDUCE_OF_FEW(n, VALUE, OP)                                                                                    \
  ((n) == 1   ? VALUE (0)                                                                                              \
   : (n) == 2 ? OP (VALUE (0), VALUE (1))                                                                              \
   : (n) == 3 ? OP (OP (VALUE (0), VALUE (2)), VALUE (1))                                                              \
              : OP (OP (VALUE (0), VALUE (2)), OP (VALUE (1), VALUE (3))))

/* So many bytes into the cache, which need not be there. */
static inline void
reduce_fetch (gconstpointer data, gsize size)
{
  for (gsize k = 0; k < size; k += 64)
    __builtin_prefetch ((const guint8 *) data + k);
}

/* name_each (out, x, step, n_blocks, n): blocks of n packed elements each, a step apart.
 * Some at once: the adds of one, each of which waits for the last, leave a processor
 * time for others, and a queue of adds that wait keeps it from reading ahead. What
 * follows is fetched meanwhile: that of the blocks that are set in fetched. JOIN is a
 * function by REDUCE_JOIN. */
#define REDUCE_FETCH_ALL G_MAXUINT
#define REDUCE_AT_ONCE MAX (8 / REDUCE_N_WIDE, 1)
#define REDUCE_EACH_BLOCK(b, n) _Pragma ("GCC unroll 8") for (guint b = 0; b < n; b++)
#define REDUCE_BLOCK_FUNCTION(NAME, name, ELEMENT, JOIN, IDENTITY, OP)                                                 \
  static inline __attribute__ ((always_inline)) void NAME##_blocks (double *out, const ELEMENT *x, gint64 step,        \
                                                                    gsize n, guint n_blocks, guint fetched)            \
  {                                                                                                                    \
    ReduceWide lanes[REDUCE_AT_ONCE][REDUCE_N_WIDE], rest[REDUCE_N_WIDE];                                              \
    gsize i = REDUCE_LANES;                                                                                            \
                                                                                                                       \
    if (n < REDUCE_LANES)                                                                                              \
      {                                                                                                                \
        for (guint b = 0; b < n_blocks; b++)                                                                           \
          {                                                                                                            \
            reduce_widen_some_##name (lanes[b], x + b * step, n, IDENTITY);                                            \
            out[b] = JOIN (lanes[b]);                                                                                  \
          }                                                                                                            \
        return;                                                                                                        \
      }                                                                                                                \
    REDUCE_EACH_BLOCK (b, n_blocks)                                                                                    \
    REDUCE_EACH_WIDE (j) lanes[b][j] = reduce_widen_##name (x + b * step + j * REDUCE_WIDE);                           \
    for (; i + REDUCE_LANES <= n; i += REDUCE_LANES)                                                                   \
      REDUCE_EACH_BLOCK (b, n_blocks)                                                                                  \
      {                                                                                                                \
        if ((fetched >> b & 1) != 0)                                                                                   \
          reduce_fetch (x + (b + n_blocks) * step + i, REDUCE_LANES * sizeof (ELEMENT));                               \
        REDUCE_EACH_WIDE (j) lanes[b][j] = OP (lanes[b][j], reduce_widen_##name (x + b * step + i + j * REDUCE_WIDE)); \
      }                                                                                                                \
    if (i < n)                                                                                                         \
      REDUCE_EACH_BLOCK (b, n_blocks)                                                                                  \
      {                                                                                                                \
        reduce_widen_some_##name (rest, x + b * step + i, n - i, IDENTITY);                                            \
        REDUCE_EACH_WIDE (j) lanes[b][j] = OP (lanes[b][j], rest[j]);                                                  \
      }                                                                                                                \
    JOIN##_each (out, lanes, n_blocks);                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  REDUCE_EACH_OF_BLOCKS (NAME, ELEMENT)

#define REDUCE_EACH_OF_BLOCKS(NAME, ELEMENT)                                                                           \
  static inline void NAME##_each (double *out, const ELEMENT *x, gint64 step, gsize n_blocks, gsize n)                 \
  {                                                                                                                    \
    gsize b = 0;                                                                                                       \
                                                                                                                       \
    for (; b + REDUCE_AT_ONCE <= n_blocks; b += REDUCE_AT_ONCE)                                                        \
      NAME##_blocks (out + b, x + (gint64) b * step, step, n, REDUCE_AT_ONCE, REDUCE_FETCH_ALL);                       \
    for (; b < n_blocks; b++)                                                                                          \
      NAME##_blocks (out + b, x + (gint64) b * step, step, n, 1, REDUCE_FETCH_ALL);                                    \
  }

/* The same of integers, which are widened first. */
#define REDUCE_BLOCK_OF_INTEGERS(NAME, OF, ELEMENT)                                                                    \
  static void NAME##_each (double *out, const ELEMENT *x, gint64 step, gsize n_blocks, gsize n)                        \
  {                                                                                                                    \
    double wide[REDUCE_BLOCK];                                                                                         \
                                                                                                                       \
    for (gsize b = 0; b < n_blocks; b++, x += step)                                                                    \
      {                                                                                                                \
        for (gsize i = 0; i < n; i++)                                                                                  \
          wide[i] = (double) x[i];                                                                                     \
        OF##_each (out + b, wide, 0, 1, n);                                                                            \
      }                                                                                                                \
  }

/* Blocks by a binary tree: MERGE (a, b) of the first of two subtrees of so many
 * blocks and the first of the other. */
#define REDUCE_EACH_SUBTREE(n_blocks, half, k)                                                                         \
  for (gsize half = 1; half < n_blocks; half *= 2)                                                                     \
    for (gsize k = 0; k + half < n_blocks; k += 2 * half)

#define REDUCE_AS_DOUBLE(x) ((double) (x))
#define REDUCE_ELEMENT(k) ((double) x[k])

/* results () and piece () of a fold in binary64, of name_each (). */
#define REDUCE_OF_PACKED(NAME, ELEMENT, OP)                                                                            \
  static void NAME##_results (gpointer partials, gconstpointer elements, gint64 step, gsize n_results, gsize n)        \
  {                                                                                                                    \
    const ELEMENT *x = elements;                                                                                       \
    double *out = partials;                                                                                            \
                                                                                                                       \
    if (n <= REDUCE_FEW)                                                                                               \
      for (gsize t = 0; t < n_results; t++, x += step)                                                                 \
        out[t] = REDUCE_OF_FEW (n, REDUCE_ELEMENT, OP);                                                                \
    else                                                                                                               \
      NAME##_each (out, x, step, n_results, n);                                                                        \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_piece (gpointer partial, gconstpointer elements, gsize n, gint64 index)                           \
  {                                                                                                                    \
    const gsize n_blocks = (n + REDUCE_BLOCK - 1) / REDUCE_BLOCK, whole = n / REDUCE_BLOCK;                            \
    const ELEMENT *x = elements;                                                                                       \
    double blocks[REDUCE_PIECE / REDUCE_BLOCK];                                                                        \
                                                                                                                       \
    NAME##_each (blocks, x, REDUCE_BLOCK, whole, REDUCE_BLOCK);                                                        \
    NAME##_each (blocks + whole, x + whole * REDUCE_BLOCK, 0, n_blocks - whole, n % REDUCE_BLOCK);                     \
    REDUCE_EACH_SUBTREE (n_blocks, half, k) blocks[k] = OP (blocks[k], blocks[k + half]);                              \
    *(double *) partial = blocks[0];                                                                                   \
  }

#define REDUCE_ORDERED(NAME, ELEMENT, IDENTITY, EMPTY, OP, BLOCK)                                                      \
  REDUCE_STACK (NAME, ELEMENT, double, IDENTITY, REDUCE_AS_DOUBLE, OP)                                                 \
  REDUCE_ORDERED_FOLD (NAME, ELEMENT, EMPTY, OP, BLOCK)

#define REDUCE_ORDERED_FOLD(NAME, ELEMENT, EMPTY, OP, BLOCK)                                                           \
  REDUCE_MERGE (NAME, double, OP)                                                                                      \
  REDUCE_OF_PACKED (NAME, ELEMENT, OP)                                                                                 \
                                                                                                                       \
  static void NAME##_rows (const ReduceRows *rows)                                                                     \
  {                                                                                                                    \
    REDUCE_ROWS_IN_LANES (rows, ELEMENT, NAME##_stack);                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_join (gpointer partials, gpointer lanes, gsize width, gsize n_rows, guint pass)                   \
  {                                                                                                                    \
    reduce_join_lanes (lanes, REDUCE_LANES, width, n_rows, NAME##_merge);                                              \
    memcpy (partials, lanes, width * sizeof (double));                                                                 \
  }                                                                                                                    \
                                                                                                                       \
  static const ReduceFold NAME = {                                                                                     \
    .partial_size = sizeof (double),                                                                                   \
    .scratch_size = REDUCE_LANES * sizeof (double),                                                                    \
    .tile = REDUCE_TILE,                                                                                               \
    .passes = 1,                                                                                                       \
    .empty = EMPTY,                                                                                                    \
    .results = NAME##_results,                                                                                         \
    .piece = NAME##_piece,                                                                                             \
    .rows = NAME##_rows,                                                                                               \
    .join = NAME##_join,                                                                                               \
    .block = BLOCK,                                                                                                    \
    .merge = NAME##_merge,                                                                                             \
  };
