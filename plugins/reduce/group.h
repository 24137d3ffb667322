/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums of float32 in groups of four, as reduce.h defines them. To widen an element
 * costs more than to add it; so the elements of a group are added as they are, and what
 * comes of them is widened. An element is rounded twice at most on its way into a
 * lane, where NumPy's pairwise sum rounds it twenty times and more.
 *
 * Three of four may overflow where the sum does not: a block whose sum is not finite is
 * summed again, element by element in binary64. */
#pragma once

#include "fold.h"
#include "short.h"

#define ADD(a, b) ((a) + (b))

REDUCE_JOIN (sum_join, ADD)
REDUCE_MERGE (sum, double, ADD)
REDUCE_BLOCK_FUNCTION (sum_float32, float32, float, sum_join, -0.0, ADD)
REDUCE_STACK (sum_float32, float, double, -0.0, REDUCE_AS_DOUBLE, ADD)

/* ---- Packed elements ---- */

#define LINE (REDUCE_VECTOR / sizeof (float))

typedef float ReduceLine __attribute__ ((vector_size (REDUCE_VECTOR)));

static inline ReduceLine
load_line (const float *x)
{
  ReduceLine line;

  memcpy (&line, x, sizeof line);
  return line;
}

static inline void
widen_line (ReduceWide *lanes, ReduceLine line)
{
#ifdef __AVX512F__
  lanes[0] += (ReduceWide) _mm512_cvtps_pd (_mm512_castps512_ps256 ((__m512) line));
  lanes[1] += (ReduceWide) _mm512_cvtps_pd (_mm512_extractf32x8_ps ((__m512) line, 1));
#elif defined __AVX2__
  lanes[0] += (ReduceWide) _mm256_cvtps_pd (_mm256_castps256_ps128 ((__m256) line));
  lanes[1] += (ReduceWide) _mm256_cvtps_pd (_mm256_extractf128_ps ((__m256) line, 1));
#else
  lanes[0] += (ReduceWide){ (double) line[0], (double) line[1] };
  lanes[1] += (ReduceWide){ (double) line[2], (double) line[3] };
#endif
}

static inline void
add_group (ReduceWide *lanes, const float *x)
{
  _Pragma ("GCC unroll 4") for (guint k = 0; k < REDUCE_LANES; k += LINE)
  {
    const ReduceLine first = load_line (x + k) + load_line (x + k + REDUCE_LANES);
    const ReduceLine second = load_line (x + k + 2 * REDUCE_LANES) + load_line (x + k + 3 * REDUCE_LANES);

    widen_line (lanes + k / REDUCE_WIDE, first + second);
  }
}

static __attribute__ ((noinline, cold)) void
sum_again (double *out, const float *x, gint64 step, gsize n, guint n_blocks)
{
  for (guint b = 0; b < n_blocks; b++)
    if (!isfinite (out[b]))
      sum_float32_each (out + b, x + b * step, 0, 1, n);
}

static inline __attribute__ ((always_inline)) void
short_each_of (double *out, const float *x, gint64 step, gsize n_blocks, gsize n)
{
  gsize b = 0;

#ifdef REDUCE_SHORT_AT_ONCE
  if (n % REDUCE_SHORT_GROUP == 0)
    for (; b + REDUCE_SHORT_GROUPS_AT_ONCE <= n_blocks; b += REDUCE_SHORT_GROUPS_AT_ONCE)
      if (G_UNLIKELY (!reduce_short_groups (out + b, x + (gint64) b * step, step, n)))
        sum_again (out + b, x + (gint64) b * step, step, n, REDUCE_SHORT_GROUPS_AT_ONCE);
  for (; b + REDUCE_SHORT_AT_ONCE <= n_blocks; b += REDUCE_SHORT_AT_ONCE)
    if (G_UNLIKELY (!reduce_short_sums (out + b, x + (gint64) b * step, step, n)))
      sum_again (out + b, x + (gint64) b * step, step, n, REDUCE_SHORT_AT_ONCE);
#endif
  for (; b < n_blocks; b++)
    {
      out[b] = reduce_short_sum (x + (gint64) b * step, n);
      if (G_UNLIKELY (!isfinite (out[b])))
        sum_again (out + b, x + (gint64) b * step, step, n, 1);
    }
}

static __attribute__ ((noinline)) void
short_each (double *out, const float *x, gint64 step, gsize n_blocks, gsize n)
{
  if (n == REDUCE_SHORT_GROUP)
    short_each_of (out, x, step, n_blocks, REDUCE_SHORT_GROUP);
  else
    short_each_of (out, x, step, n_blocks, n);
}

/* As REDUCE_BLOCK_FUNCTION has it. */
static inline __attribute__ ((always_inline)) void
grouped_blocks (double *out, const float *x, gint64 step, gsize n, guint n_blocks, guint fetched)
{
  ReduceWide lanes[REDUCE_AT_ONCE][REDUCE_N_WIDE], rest[REDUCE_N_WIDE];
  const gsize in_groups = n / REDUCE_GROUP * REDUCE_GROUP;
  gsize i = 0;

  if (n < REDUCE_GROUP)
    {
      short_each (out, x, step, n_blocks, n);
      return;
    }
  REDUCE_EACH_BLOCK (b, n_blocks)
  REDUCE_EACH_WIDE (j) lanes[b][j] = -(ReduceWide){ 0 };
  for (; i < in_groups; i += REDUCE_GROUP)
    REDUCE_EACH_BLOCK (b, n_blocks)
    {
      if ((fetched >> b & 1) != 0)
        reduce_fetch (x + (b + n_blocks) * step + i, REDUCE_GROUP * sizeof (float));
      add_group (lanes[b], x + b * step + i);
    }
  for (; i + REDUCE_LANES <= n; i += REDUCE_LANES)
    REDUCE_EACH_BLOCK (b, n_blocks)
  REDUCE_EACH_WIDE (j) lanes[b][j] += reduce_widen_float32 (x + b * step + i + j * REDUCE_WIDE);
  if (i < n)
    REDUCE_EACH_BLOCK (b, n_blocks)
    {
      reduce_widen_some_float32 (rest, x + b * step + i, n - i, -0.0);
      REDUCE_EACH_WIDE (j) lanes[b][j] += rest[j];
    }
  sum_join_each (out, lanes, n_blocks);
  REDUCE_EACH_BLOCK (b, n_blocks)
  if (G_UNLIKELY (!isfinite (out[b])))
    sum_again (out + b, x + b * step, step, n, 1);
}

/* ---- Rows ---- */

/* As REDUCE_STACK has it, of whole groups. */
static void
grouped_stack (double *acc, const float *x, gint64 stride, gsize n, gsize width, gboolean fresh)
{
  for (; n > 0; n -= 4, x += 4 * stride, fresh = FALSE)
    _Pragma ("GCC ivdep") for (gsize t = 0; t < width; t++)
    {
      const float *element = x + t;
      const float first = element[0] + element[stride], second = element[2 * stride] + element[3 * stride];

      acc[t] = (fresh ? -0.0 : acc[t]) + (double) (first + second);
    }
}

static void
groups_in_lanes (const ReduceRows *rows, guint n_lanes)
{
  REDUCE_ROWS_IN_LANES_OF (n_lanes, double, rows, float, grouped_stack);
}

static void
singles_in_lanes (const ReduceRows *rows, guint n_lanes)
{
  REDUCE_ROWS_IN_LANES_OF (n_lanes, double, rows, float, sum_float32_stack);
}

/* Of a block that has so many rows. */
static guint
lanes_of (gsize n_rows)
{
  return n_rows < REDUCE_GROUP ? REDUCE_SHORT_LANES : REDUCE_LANES;
}

/* Begins with a whole group, or is a short block. */
static void
grouped_rows (const ReduceRows *rows)
{
  const guint n_lanes = rows->first == 0 ? lanes_of (rows->n_rows) : REDUCE_LANES;
  const gsize in_groups = rows->n_rows / (4 * n_lanes) * (4 * n_lanes);
  ReduceRows part = *rows;

  part.n_rows = in_groups;
  groups_in_lanes (&part, n_lanes);
  part.elements = (const float *) rows->elements + (gint64) in_groups * rows->stride;
  part.first += in_groups;
  part.n_rows = rows->n_rows - in_groups;
  singles_in_lanes (&part, n_lanes);
}

static void
all_rows_again (const ReduceRows *rows)
{
  singles_in_lanes (rows, REDUCE_LANES);
}

/* Whether one of the sums of a block is not finite. */
static gboolean
is_to_be_summed_again (const double *sums, gsize width)
{
  gboolean again = FALSE;

  for (gsize t = 0; t < width; t++)
    again |= !(fabs (sums[t]) <= DBL_MAX);
  return again;
}

static void
take_sums_again (double *sums, const double *again, gsize width)
{
  for (gsize t = 0; t < width; t++)
    if (!isfinite (sums[t]))
      sums[t] = again[t];
}
