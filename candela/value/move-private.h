/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops that move elements of one size to packed memory. They know no layout:
 * pack.c sees to it that one call does a row, or a plane of two axes. Strides count
 * elements, and memory need not be aligned. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A cache line that is stored when it is full, and what is over. */
typedef struct
{
  guint8 bytes[128];
} CandelaHalfLine;

typedef struct
{
  /* A row: element i of out is the one at i * stride. */
  void (*gather) (gpointer out, gconstpointer in, gint64 stride, gsize n);
  /* A few columns: element (i, j) at i * out_stride + j is the one at i * row_stride + j * column_stride. */
  void (*weave) (gpointer out, gint64 out_stride, gconstpointer in, gint64 row_stride, gint64 column_stride, gsize rows,
                 gsize columns);
  /* Element i * stride n times over, for each of the rows, one after the other. */
  void (*spread) (gpointer out, gconstpointer in, gint64 stride, gsize rows, gsize n);
  /* Element (i, j) at i * out_stride + j is the one at i + j * stride. */
  void (*transpose) (gpointer out, gint64 out_stride, gconstpointer in, gint64 stride, gsize rows, gsize columns);
  /* Element (i, j) at i * out_stride + j is the one at i + j * rows: two rows, three or four. */
  void (*deal) (gpointer out, gint64 out_stride, gconstpointer in, gsize rows, gsize columns);
  /* As transpose, stored past the caches, to be followed by candela_stream_end(); halves are
   * scratch memory, one for each row. */
  void (*transpose_past) (gpointer out, gint64 out_stride, gconstpointer in, gint64 stride, gsize rows, gsize columns,
                          CandelaHalfLine *halves);
} CandelaMoves;

/* The loops for elements of so many bytes: 1, 2, 4, 8 or 16. */
const CandelaMoves *candela_moves_get (gsize size);

/* Rows that lie packed within: so many bytes each, from and to steps of so many. */
void candela_move_rows (guint8 *out, gint64 out_step, const guint8 *in, gint64 in_step, gsize rows, gsize bytes);

/* What the first so many bytes of out are, so many times in all. */
void candela_move_repeat (guint8 *out, gsize bytes, gsize times);

G_END_DECLS
