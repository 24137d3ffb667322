/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A block of neighbouring sums of float32 that is in the cache, some vectors of columns at
 * a time: each lane goes down its rows in registers. Lanes are taken in the order in which
 * they are joined, so that what waits to be joined is four of them at most. Lanes side by
 * side in memory, as other folds have them, take longer to read and to write than the
 * elements; but from memory, rows are read faster one after the other. */
#pragma once

#include "group.h"

#define COLUMN_LINES 4

/* Adds lane number lane of columns from x on, LINE times n_lines of them. */
static inline __attribute__ ((always_inline)) void
add_column_lane (ReduceWide (*sums)[2], const float *x, gint64 stride, gsize n, guint lane, guint n_lanes,
                 guint n_lines)
{
  const gint64 step = (gint64) n_lanes * stride;
  const gsize in_groups = n / (4 * n_lanes) * (4 * n_lanes);
  const float *row = x + (gint64) lane * stride;
  gsize r = lane;

  for (; r < in_groups; r += 4 * n_lanes, row += 4 * step)
    _Pragma ("GCC unroll 4") for (guint k = 0; k < n_lines; k++)
    {
      const ReduceLine first = load_line (row + k * LINE) + load_line (row + step + k * LINE);
      const ReduceLine second = load_line (row + 2 * step + k * LINE) + load_line (row + 3 * step + k * LINE);

      widen_line (sums[k], first + second);
    }
  for (; r < n; r += n_lanes, row += step)
    _Pragma ("GCC unroll 4") for (guint k = 0; k < n_lines; k++) widen_line (sums[k], load_line (row + k * LINE));
}

/* The sums of n rows; n_lanes and n_lines are known when it is compiled. */
static inline __attribute__ ((always_inline)) void
sum_some_columns (double *out, const float *x, gint64 stride, gsize n, guint n_lanes, guint n_lines)
{
  static const guint8 order[REDUCE_LANES] = { 0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15 };
  ReduceWide waiting[5][COLUMN_LINES][2];
  guint n_waiting = 0;

  _Pragma ("GCC unroll 16") for (guint l = 0; l < n_lanes; l++)
  {
    ReduceWide (*sums)[2] = waiting[n_waiting++];

    _Pragma ("GCC unroll 4") for (guint k = 0; k < n_lines; k++) sums[k][0] = sums[k][1] = -(ReduceWide){ 0 };
    add_column_lane (sums, x, stride, n, order[l] * n_lanes / REDUCE_LANES, n_lanes, n_lines);
    _Pragma ("GCC unroll 4") for (guint bits = l; (bits & 1) != 0; bits >>= 1, n_waiting--)
      _Pragma ("GCC unroll 4") for (guint k = 0; k < n_lines; k++)
    {
      waiting[n_waiting - 2][k][0] += waiting[n_waiting - 1][k][0];
      waiting[n_waiting - 2][k][1] += waiting[n_waiting - 1][k][1];
    }
  }
  memcpy (out, waiting[0], n_lines * sizeof waiting[0][0]);
}

/* As ReduceFold has block (): FALSE if columns or rows are too few, or a sum is not finite. */
static gboolean
sum_columns (gpointer sums, const ReduceRows *rows)
{
  double *out = sums;
  const float *x = rows->elements;
  const gsize n = rows->n_rows, width = rows->width;
  gsize c = 0;

  if (width < LINE || n < REDUCE_GROUP)
    return FALSE;
  for (; c + COLUMN_LINES * LINE <= width; c += COLUMN_LINES * LINE)
    sum_some_columns (out + c, x + c, rows->stride, n, REDUCE_LANES, COLUMN_LINES);
  for (; c < width; c += LINE)
    {
      c = MIN (c, width - LINE);
      sum_some_columns (out + c, x + c, rows->stride, n, REDUCE_LANES, 1);
    }
  return !is_to_be_summed_again (out, width);
}
