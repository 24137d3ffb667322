/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A block of neighbouring results that is in the cache, some vectors of columns at
 * a time: each lane goes down its rows in registers. Lanes are taken in the order in which
 * they are joined, so that what waits to be joined is four of them at most. Lanes side by
 * side in memory, as other folds have them, take longer to read and to write than the
 * elements; but from memory, rows are read faster one after the other. */
#pragma once

#include "group.h"

#define COLUMN_LINES 4

/* Lanes in the order in which they are joined. */
static const guint8 column_order[REDUCE_LANES] = { 0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15 };

/* ---- In binary64 ---- */

#ifdef __AVX512F__
#define COLUMN_WIDES 4
#else
#define COLUMN_WIDES 2
#endif
#define EACH_COLUMN(k, n) _Pragma ("GCC unroll 4") for (guint k = 0; k < n; k++)

/* NAME_columns (out, means, x, stride, n, width): of n rows of at least REDUCE_WIDE columns each, as
 * REDUCE_ORDERED has them, of TERM (element, mean). A lane that there is no row for holds what
 * changes no bit. */
#define REDUCE_COLUMNS(NAME, name, ELEMENT, IDENTITY, OP, TERM)                                                        \
  static inline __attribute__ ((always_inline)) void NAME##_some_columns (                                             \
    double *out, const double *means, const ELEMENT *x, gint64 stride, gsize n, guint n_lanes, guint n_wides)          \
  {                                                                                                                    \
    ReduceWide waiting[5][COLUMN_WIDES], mean[COLUMN_WIDES];                                                           \
    guint n_waiting = 0;                                                                                               \
                                                                                                                       \
    memcpy (mean, means, n_wides * sizeof *mean);                                                                      \
    _Pragma ("GCC unroll 16") for (guint l = 0; l < n_lanes; l++)                                                      \
    {                                                                                                                  \
      const guint lane = column_order[l] * n_lanes / REDUCE_LANES;                                                     \
      const ELEMENT *row = x + lane * stride;                                                                          \
      ReduceWide *acc = waiting[n_waiting++];                                                                          \
                                                                                                                       \
      EACH_COLUMN (k, n_wides) acc[k] = IDENTITY - (ReduceWide){ 0 };                                                  \
      if (lane < n)                                                                                                    \
        EACH_COLUMN (k, n_wides) acc[k] = TERM (reduce_widen_##name (row + k * REDUCE_WIDE), mean[k]);                 \
      for (gsize r = lane + n_lanes; r < n; r += n_lanes)                                                              \
        {                                                                                                              \
          row += n_lanes * stride;                                                                                     \
          EACH_COLUMN (k, n_wides)                                                                                     \
          {                                                                                                            \
            const ReduceWide term = TERM (reduce_widen_##name (row + k * REDUCE_WIDE), mean[k]);                       \
                                                                                                                       \
            acc[k] = OP (acc[k], term);                                                                                \
          }                                                                                                            \
        }                                                                                                              \
      _Pragma ("GCC unroll 4") for (guint bits = l; (bits & 1) != 0; bits >>= 1, n_waiting--) EACH_COLUMN (k, n_wides) \
        waiting[n_waiting - 2][k] = OP (waiting[n_waiting - 2][k], waiting[n_waiting - 1][k]);                         \
    }                                                                                                                  \
    memcpy (out, waiting[0], n_wides * sizeof waiting[0][0]);                                                          \
  }                                                                                                                    \
                                                                                                                       \
  static inline __attribute__ ((always_inline)) void NAME##_all_columns (                                              \
    double *out, const double *means, const ELEMENT *x, gint64 stride, gsize n, gsize width, guint n_lanes)            \
  {                                                                                                                    \
    const gsize step = COLUMN_WIDES * REDUCE_WIDE;                                                                     \
    gsize c = 0;                                                                                                       \
                                                                                                                       \
    for (; c + step <= width; c += step)                                                                               \
      NAME##_some_columns (out + c, means + c, x + c, stride, n, n_lanes, COLUMN_WIDES);                               \
    for (; c < width; c += REDUCE_WIDE)                                                                                \
      {                                                                                                                \
        c = MIN (c, width - REDUCE_WIDE);                                                                              \
        NAME##_some_columns (out + c, means + c, x + c, stride, n, n_lanes, 1);                                        \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_columns (double *out, const double *means, const ELEMENT *x, gint64 stride, gsize n, gsize width) \
  {                                                                                                                    \
    if (n <= REDUCE_FEW)                                                                                               \
      NAME##_all_columns (out, means, x, stride, n, width, REDUCE_FEW);                                                \
    else                                                                                                               \
      NAME##_all_columns (out, means, x, stride, n, width, REDUCE_LANES);                                              \
  }

#define COLUMN_ELEMENT(x, mean) (x)
#define REDUCE_COLUMNS_BLOCK(NAME, name, ELEMENT, IDENTITY, OP)                                                        \
  REDUCE_COLUMNS (NAME, name, ELEMENT, IDENTITY, OP, COLUMN_ELEMENT)                                                   \
                                                                                                                       \
  static gboolean NAME##_block (gpointer partials, const ReduceRows *rows)                                             \
  {                                                                                                                    \
    if (rows->width < REDUCE_WIDE)                                                                                     \
      return FALSE;                                                                                                    \
    NAME##_columns (partials, partials, rows->elements, rows->stride, rows->n_rows, rows->width);                      \
    return TRUE;                                                                                                       \
  }

/* ---- float32 in groups ---- */

/* The lane's elements of a group. */
static inline ReduceLine
add_column_group (const float *x, gint64 step)
{
  const ReduceLine first = load_line (x) + load_line (x + step);
  const ReduceLine second = load_line (x + 2 * step) + load_line (x + 3 * step);

  return first + second;
}

/* Lane number lane of columns from x on, LINE times n_lines of them. The first group or element
 * is taken as it is, which nothing that changes no sum would do differently. */
static inline __attribute__ ((always_inline)) void
add_column_lane (ReduceWide (*sums)[2], const float *x, gint64 stride, gsize n, guint lane, guint n_lanes,
                 guint n_lines)
{
  const gint64 step = (gint64) n_lanes * stride;
  const gsize in_groups = n / (4 * n_lanes) * (4 * n_lanes);
  const float *row = x + (gint64) lane * stride;
  gsize r = lane;

  _Pragma ("GCC unroll 4") for (guint k = 0; k < n_lines; k++) sums[k][0] = sums[k][1] = -(ReduceWide){ 0 };
  if (n_lanes < REDUCE_LANES && in_groups > 0)
    {
      _Pragma ("GCC unroll 4") for (guint k = 0; k < n_lines; k++)
        widen_line (sums[k], add_column_group (row + k * LINE, step));
      r += 4 * n_lanes;
      row += 4 * step;
    }
  for (; r < in_groups; r += 4 * n_lanes, row += 4 * step)
    _Pragma ("GCC unroll 4") for (guint k = 0; k < n_lines; k++)
      widen_line (sums[k], add_column_group (row + k * LINE, step));
  for (; r < n; r += n_lanes, row += step)
    _Pragma ("GCC unroll 4") for (guint k = 0; k < n_lines; k++)
    {
      sums[k][0] += reduce_widen_float32 (row + k * LINE);
      sums[k][1] += reduce_widen_float32 (row + k * LINE + REDUCE_WIDE);
    }
}

/* The sums of n rows; n_lanes and n_lines are known when it is compiled. Zeros stay zeros unless
 * a sum is not finite. */
static inline __attribute__ ((always_inline)) void
sum_some_columns (double *out, const float *x, gint64 stride, gsize n, guint n_lanes, guint n_lines, ReduceWide *zeros)
{
  ReduceWide waiting[5][COLUMN_LINES][2];
  guint n_waiting = 0;

  _Pragma ("GCC unroll 16") for (guint l = 0; l < n_lanes; l++)
  {
    ReduceWide (*sums)[2] = waiting[n_waiting++];

    _Pragma ("GCC unroll 4") for (guint k = 0; k < n_lines; k++) sums[k][0] = sums[k][1] = -(ReduceWide){ 0 };
    add_column_lane (sums, x, stride, n, column_order[l] * n_lanes / REDUCE_LANES, n_lanes, n_lines);
    _Pragma ("GCC unroll 4") for (guint bits = l; (bits & 1) != 0; bits >>= 1, n_waiting--)
      _Pragma ("GCC unroll 4") for (guint k = 0; k < n_lines; k++)
    {
      waiting[n_waiting - 2][k][0] += waiting[n_waiting - 1][k][0];
      waiting[n_waiting - 2][k][1] += waiting[n_waiting - 1][k][1];
    }
  }
  memcpy (out, waiting[0], n_lines * sizeof waiting[0][0]);
  _Pragma ("GCC unroll 4") for (guint k = 0; k < n_lines; k++) *zeros +=
    (waiting[0][k][0] - waiting[0][k][0]) + (waiting[0][k][1] - waiting[0][k][1]);
}

/* … of all columns, at least as many as a vector has; n_lanes is known when it is compiled. FALSE if one is not
 * finite. */
static inline __attribute__ ((always_inline)) gboolean
sum_all_columns (double *out, const ReduceRows *rows, guint n_lanes)
{
  const float *x = rows->elements;
  const gsize width = rows->width;
  ReduceWide zeros = { 0 };
  gboolean finite = TRUE;
  gsize c = 0;

  for (; c + COLUMN_LINES * LINE <= width; c += COLUMN_LINES * LINE)
    sum_some_columns (out + c, x + c, rows->stride, rows->n_rows, n_lanes, COLUMN_LINES, &zeros);
  for (; c + COLUMN_LINES / 2 * LINE <= width; c += COLUMN_LINES / 2 * LINE)
    sum_some_columns (out + c, x + c, rows->stride, rows->n_rows, n_lanes, COLUMN_LINES / 2, &zeros);
  for (; c < width; c += LINE)
    {
      c = MIN (c, width - LINE);
      sum_some_columns (out + c, x + c, rows->stride, rows->n_rows, n_lanes, 1, &zeros);
    }
  for (guint l = 0; l < REDUCE_WIDE; l++)
    finite = finite && zeros[l] == 0;
  return finite;
}

/* As ReduceFold has block (): FALSE if columns are too few, or a sum is not finite. */
static gboolean
sum_columns (gpointer sums, const ReduceRows *rows)
{
  if (rows->width < LINE)
    return FALSE;
  return rows->n_rows < REDUCE_GROUP ? sum_all_columns (sums, rows, REDUCE_SHORT_LANES)
                                     : sum_all_columns (sums, rows, REDUCE_LANES);
}
