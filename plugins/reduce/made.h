/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums of float32 in groups, as reduce.h defines them, of rows that stages make: from the accumulator, which is a
 * group or two, into the lanes, and at the end of a block of elements from there into its tree. */
#pragma once

#include "group.h"

#if defined __AVX512F__ && CANDELA_HAVE_VECTORS && CANDELA_STAGED_avx512
#define REDUCE_MADE_SET avx512
#elif defined __AVX2__ && !defined __AVX512F__ && CANDELA_HAVE_VECTORS && CANDELA_STAGED_avx2
#define REDUCE_MADE_SET avx2
#endif

#ifdef REDUCE_MADE_SET

/* A tree of so many blocks is as many elements as memory holds. */
#define MADE_HEIGHT 40
#define MADE_BLOCK (REDUCE_BLOCK * sizeof (float))

typedef struct
{
  ReduceWide lanes[REDUCE_N_WIDE];
  gsize stop, end; /* the offsets where a block of elements ends, and its row */
  gsize n_blocks;
  double subtrees[MADE_HEIGHT]; /* of one bit of n_blocks each, the largest first */
} MadeSum;

G_STATIC_ASSERT (sizeof (MadeSum) <= sizeof (((CandelaMadeRows *) NULL)->own));

static inline void
begin_made_row (MadeSum *sum, gsize begin, gsize size)
{
  sum->end = begin + size;
  sum->stop = begin + MIN (size, MADE_BLOCK);
  sum->n_blocks = 0;
}

static void
begin_made (CandelaMadeRows *rows)
{
  MadeSum *sum = (MadeSum *) rows->own;

  REDUCE_EACH_WIDE (j) sum->lanes[j] = -(ReduceWide){ 0 };
  begin_made_row (sum, 0, rows->size);
}

/* As soon as two trees of the same height stand side by side they become one. */
static __attribute__ ((noinline)) void
push_made (MadeSum *sum, double value)
{
  guint top = (guint) __builtin_popcountll (sum->n_blocks);

  for (gsize n = sum->n_blocks++; (n & 1) != 0; n >>= 1)
    value = sum->subtrees[--top] + value;
  sum->subtrees[top] = value;
}

static __attribute__ ((noinline)) double
join_made (const MadeSum *sum, double value)
{
  for (guint top = (guint) __builtin_popcountll (sum->n_blocks); top > 0; top--)
    value = sum->subtrees[top - 1] + value;
  return value;
}

/* The sum of a row, if one ends at this offset. */
static inline gboolean
end_made (CandelaMadeRows *rows, MadeSum *sum, gsize offset, double *value)
{
  *value = sum_join (sum->lanes);
  if (G_UNLIKELY (!isfinite (*value)))
    rows->again = TRUE;
  REDUCE_EACH_WIDE (j) sum->lanes[j] = -(ReduceWide){ 0 };
  if (offset != sum->end)
    {
      push_made (sum, *value);
      sum->stop += MIN (sum->end - offset, MADE_BLOCK);
      return FALSE;
    }
  if (sum->n_blocks != 0)
    *value = join_made (sum, *value);
  begin_made_row (sum, offset, rows->size);
  return TRUE;
}

#define MADE_LINE(i) ((ReduceLine) candela_a##i)
#if REDUCE_VECTOR == 64
#define MADE_ADD(lanes)                                                                                                \
  widen_line (lanes, (MADE_LINE (0) + MADE_LINE (1)) + (MADE_LINE (2) + MADE_LINE (3)));                               \
  widen_line (lanes, (MADE_LINE (4) + MADE_LINE (5)) + (MADE_LINE (6) + MADE_LINE (7)));
#else
#define MADE_ADD(lanes)                                                                                                \
  widen_line (lanes, (MADE_LINE (0) + MADE_LINE (2)) + (MADE_LINE (4) + MADE_LINE (6)));                               \
  widen_line (lanes + 2, (MADE_LINE (1) + MADE_LINE (3)) + (MADE_LINE (5) + MADE_LINE (7)));
#endif

#define MADE_END(op, VALUE, set)                                                                                       \
  static void op##_end (CANDELA_STAGE_ARGUMENTS (set))                                                                 \
  {                                                                                                                    \
    CandelaMadeRows *rows = (gpointer) candela_stage->data;                                                            \
    const gsize offset = candela_offset + 8 * REDUCE_VECTOR;                                                           \
    MadeSum *sum = (MadeSum *) rows->own;                                                                              \
    double value;                                                                                                      \
                                                                                                                       \
    MADE_ADD (sum->lanes)                                                                                              \
    if (offset == sum->stop && end_made (rows, sum, offset, &value))                                                   \
      {                                                                                                                \
        *(float *) rows->out = VALUE (value, rows->n);                                                                 \
        rows->out = (float *) rows->out + 1;                                                                           \
      }                                                                                                                \
  }

/* op_rows_ends: float32 whose sum a VALUE () is made of, as REDUCE_ROWS has it. */
#define REDUCE_MADE(op, VALUE) REDUCE_MADE_FOR (op, VALUE, REDUCE_MADE_SET)
#define REDUCE_MADE_FOR(op, VALUE, set) REDUCE_MADE_OF (op, VALUE, set)
#define REDUCE_MADE_OF(op, VALUE, set)                                                                                 \
  MADE_END (op, VALUE, set)                                                                                            \
  static const CandelaRowsEnd op##_rows_ends[] = {                                                                     \
    { .family = &candela_stage_family_##set,                                                                           \
      .in = CANDELA_DTYPE_FLOAT32,                                                                                     \
      .out = CANDELA_DTYPE_FLOAT32,                                                                                    \
      .begin = begin_made,                                                                                             \
      .end = (CandelaStageFunc) op##_end },                                                                            \
    { .family = NULL },                                                                                                \
  };
#else
#define REDUCE_MADE(op, VALUE) static const CandelaRowsEnd op##_rows_ends[] = { { .family = NULL } };
#endif
