/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packing: elements of any layout, in logical order, into memory without gaps. A
 * layout is made ready once, and then packed from anywhere. */
#pragma once

#include <candela/value/layout-private.h>
#include <candela/value/move-private.h>

G_BEGIN_DECLS

typedef struct
{
  gsize size; /* of an element, in bytes */
  const CandelaMoves *moves;
  gint64 n_elements;
  guint rank; /* at least 1 */
  gint64 shape[CANDELA_MAX_RANK];
  gint64 strides[CANDELA_MAX_RANK];
  gint64 below[CANDELA_MAX_RANK]; /* elements for one step of an axis */
} CandelaPackWalk;

/* Makes a layout ready; an element has 1, 2, 4, 8 or 16 bytes. */
void candela_pack_walk_init (CandelaPackWalk *walk, const CandelaLayout *layout, gsize size);

/* Packs the n elements from the logical index start on. data is where the first of all
 * is: the layout's offset is added already. */
void candela_pack_walk_run (const CandelaPackWalk *walk, gconstpointer data, gint64 start, gsize n, gpointer out);

/* Where those n elements lie packed: in place if they do so already, else in scratch,
 * which has room for them. */
gconstpointer candela_pack_walk_read (const CandelaPackWalk *walk, gconstpointer data, gint64 start, gsize n,
                                      gpointer scratch);

/* How many elements, at most so many, are repeated throughout each range of so many; 0: none
 * are. */
gint64 candela_pack_walk_find_repeat (const CandelaPackWalk *walk, gint64 most, gint64 *range);

/* Whether packing n elements at a time reads the same cache lines several times, and
 * packing more at a time does so less often. */
gboolean candela_pack_walk_gains (const CandelaPackWalk *walk, gsize n, gsize more);

/* Two axes: where they step, and how often. */
typedef struct
{
  gint64 row_stride, column_stride;
  gsize rows, columns;
} CandelaPlane;

/* The axis along which the source steps less than along the last one, so that both
 * are to be gone along together; G_MAXUINT if there is none. */
guint candela_pack_near_axis (const CandelaPackWalk *walk);

/* Packs a plane from in on; its rows go to steps of out_stride elements. */
void candela_pack_plane (const CandelaPackWalk *walk, const CandelaPlane *plane, const guint8 *in, guint8 *out,
                         gint64 out_stride);

G_END_DECLS
