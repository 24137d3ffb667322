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
  const guint8 *data; /* the first element */
  gsize size;         /* of an element, in bytes */
  const CandelaMoves *moves;
  gint64 n_elements;
  guint rank; /* at least 1 */
  gint64 shape[CANDELA_MAX_RANK];
  gint64 strides[CANDELA_MAX_RANK];
  gint64 below[CANDELA_MAX_RANK]; /* elements for one step of an axis */
} CandelaPackWalk;

/* Makes a layout over a buffer ready; an element has 1, 2, 4, 8 or 16 bytes. */
void candela_pack_walk_init (CandelaPackWalk *walk, const CandelaLayout *layout, gconstpointer buffer, gsize size);

/* The same for a layout that is broadcast to a shape, to which it must fit. */
void candela_pack_walk_init_broadcast (CandelaPackWalk *walk, const CandelaLayout *layout, gconstpointer buffer,
                                       gsize size, const gint64 *shape, guint rank);

/* Packs the n elements from the logical index start on. */
void candela_pack_walk_run (const CandelaPackWalk *walk, gint64 start, gsize n, gpointer out);

/* Where those n elements lie packed: in place if they do so already, else in scratch,
 * which has room for them. */
gconstpointer candela_pack_walk_read (const CandelaPackWalk *walk, gint64 start, gsize n, gpointer scratch);

/* Two axes: where they step, and how often. */
typedef struct
{
  gint64 row_stride, column_stride;
  gsize rows, columns;
} CandelaPlane;

/* Which axis from the first on makes a plane with the last one; that one has only so
 * many steps. The rank is at least 2. */
guint candela_pack_choose_axis (const CandelaPackWalk *walk, guint first, gint64 steps);

/* Packs a plane from in on; its rows go to steps of out_stride elements. */
void candela_pack_plane (const CandelaPackWalk *walk, const CandelaPlane *plane, const guint8 *in, guint8 *out,
                         gint64 out_stride);

G_END_DECLS
