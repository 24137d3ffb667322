/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The functions of a fold whose partial result is one accumulator: REDUCE_FOLD
 * (name, element type, accumulator type, identity, LOAD, OP) defines them and the
 * fold itself. LOAD (x) makes an accumulator of an element, OP (a, b) joins two.
 * This is the order of reading itself: block() and rows() with join() must give
 * the same bits. */
#pragma once

#include "reduce.h"

/* What stands before the loop over the lanes: a hint to the compiler, or nothing. */
#ifndef REDUCE_LANE_LOOP
#define REDUCE_LANE_LOOP
#endif

#define REDUCE_FOLD(NAME, ELEMENT, ACCUMULATOR, IDENTITY, EMPTY, LOAD, OP)                                             \
  static void NAME##_block (gpointer partial, gconstpointer elements, gsize n, gint64 index)                           \
  {                                                                                                                    \
    const ELEMENT *x = elements;                                                                                       \
    ACCUMULATOR lanes[REDUCE_LANES];                                                                                   \
    gsize i = 0;                                                                                                       \
                                                                                                                       \
    for (guint l = 0; l < REDUCE_LANES; l++)                                                                           \
      lanes[l] = IDENTITY;                                                                                             \
    for (; i + REDUCE_LANES <= n; i += REDUCE_LANES)                                                                   \
      REDUCE_LANE_LOOP for (guint l = 0; l < REDUCE_LANES; l++)                                                        \
        {                                                                                                              \
          ACCUMULATOR value = LOAD (x[i + l]);                                                                         \
                                                                                                                       \
          lanes[l] = OP (lanes[l], value);                                                                             \
        }                                                                                                              \
    for (guint l = 0; i < n; i++, l++)                                                                                 \
      {                                                                                                                \
        ACCUMULATOR value = LOAD (x[i]);                                                                               \
                                                                                                                       \
        lanes[l] = OP (lanes[l], value);                                                                               \
      }                                                                                                                \
    for (guint half = REDUCE_LANES / 2; half > 0; half /= 2)                                                           \
      for (guint l = 0; l < half; l++)                                                                                 \
        lanes[l] = OP (lanes[l], lanes[l + half]);                                                                     \
    *(ACCUMULATOR *) partial = lanes[0];                                                                               \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_fill (gpointer lanes, gsize n)                                                                    \
  {                                                                                                                    \
    for (gsize i = 0; i < n; i++)                                                                                      \
      ((ACCUMULATOR *) lanes)[i] = IDENTITY;                                                                           \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_merge (gpointer a, gconstpointer b, gsize width, gint64 a_count, gint64 b_count)                  \
  {                                                                                                                    \
    ACCUMULATOR *into = a;                                                                                             \
    const ACCUMULATOR *from = b;                                                                                       \
                                                                                                                       \
    _Pragma ("GCC ivdep") for (gsize t = 0; t < width; t++) into[t] = OP (into[t], from[t]);                           \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_rows (const ReduceRows *rows)                                                                     \
  {                                                                                                                    \
    for (gsize r = 0; r < rows->n_rows; r++)                                                                           \
      {                                                                                                                \
        const ELEMENT *x = (const ELEMENT *) rows->elements + (gint64) r * rows->stride;                               \
        ACCUMULATOR *lane = (ACCUMULATOR *) rows->lanes + (rows->first + r) % REDUCE_LANES * rows->width;              \
                                                                                                                       \
        _Pragma ("GCC ivdep") for (gsize t = 0; t < rows->width; t++)                                                  \
        {                                                                                                              \
          ACCUMULATOR value = LOAD (x[t]);                                                                             \
                                                                                                                       \
          lane[t] = OP (lane[t], value);                                                                               \
        }                                                                                                              \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_join (gpointer partials, gpointer lanes, gsize width, gsize n_lanes, gsize n_rows, guint pass)    \
  {                                                                                                                    \
    ACCUMULATOR *lane = lanes;                                                                                         \
                                                                                                                       \
    for (gsize half = n_lanes / 2; half > 0; half /= 2)                                                                \
      NAME##_merge (lane, lane + half * width, half * width, 0, 0);                                                    \
    memcpy (partials, lane, width * sizeof (ACCUMULATOR));                                                             \
  }                                                                                                                    \
                                                                                                                       \
  static const ReduceFold NAME = { sizeof (ACCUMULATOR), sizeof (ACCUMULATOR), 1,           EMPTY,       NAME##_block, \
                                   NAME##_fill,          NAME##_rows,          NAME##_join, NAME##_merge };
