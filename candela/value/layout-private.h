/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The struct behind a layout, and walking over two or more of them at once. */
#pragma once

#include <candela/value/layout.h>

G_BEGIN_DECLS

/* The count of a layout that is never freed: what all threads share is not counted, so
 * that they do not wait for each other. */
#define CANDELA_LAYOUT_ETERNAL G_MININT

struct _CandelaLayout
{
  gint ref_count;
  guint8 rank;
  guint8 contiguous; /* row-major and without gaps; the offset may be anything */
  gint64 offset;
  gint64 n_elements;
  gint64 *strides; /* dims + rank */
  gint64 dims[];   /* shape, then strides */
};

/* For making layouts: an uninitialised one of a rank up to CANDELA_MAX_RANK, whose
 * shape, strides and offset are then filled in, and what completes it (or frees
 * it, if its shape is negative or has too many elements). */
CandelaLayout *candela_layout_alloc (guint rank);
CandelaLayout *candela_layout_complete (CandelaLayout *layout, GError **error);

/* FALSE, with CANDELA_ERROR_SHAPE, for more axes than CANDELA_MAX_RANK. */
gboolean candela_layout_check_rank (gsize rank, GError **error);

/* The shape that NumPy's broadcasting gives n shapes, into out (room for
 * CANDELA_MAX_RANK); FALSE if two of them do not go together. */
gboolean candela_shape_broadcast (const CandelaLayout *const *layouts, guint n, gint64 *out, guint *out_rank);

/* Walks several operands over one shape: axes of extent 1 are dropped, and
 * neighbours that step alike in every operand are made one. strides[k] has
 * *rank entries for operand k. Rank 0 is made rank 1 of extent 1. */
void candela_layout_coalesce (const gint64 *shape, guint rank, guint n_operands, const gint64 *const *strides_in,
                              gint64 *shape_out, guint *rank_out, gint64 (*strides_out)[CANDELA_MAX_RANK]);

/* copy.c: copies every element, in logical order, to packed ones; size is that of an
 * element in bytes: 1, 2, 4, 8 or 16. The pointers are the buffers', to which the
 * layouts' offsets are added. */
void candela_layout_copy_elements (gpointer dest, const CandelaLayout *dest_layout, gconstpointer src,
                                   const CandelaLayout *src_layout, gsize size);

/* pack.c: packs the n elements from the logical index start on into out. */
void candela_layout_pack (const CandelaLayout *layout, gconstpointer buffer, gsize size, gint64 start, gsize n,
                          gpointer out);

/* Whether the axes from first to end - 1 can be walked as one, and its stride in
 * elements; 0 if they have one index only. */
gboolean candela_layout_find_stride (const CandelaLayout *layout, guint first, guint end, gint64 *stride);

G_END_DECLS
