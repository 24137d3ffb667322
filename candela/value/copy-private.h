/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packed copies in pieces, which may be made in any order and at once. */
#pragma once

#include <candela/value/pack-private.h>

G_BEGIN_DECLS

typedef struct
{
  CandelaPackWalk walk;
  const guint8 *in;
  guint8 *out;
  gboolean streamed;
  /* Pieces are blocks of a plane of an axis and the last one, where the source is
   * transposed, and else ranges of elements. */
  gboolean blocks;
  guint axis;
  gsize rows, columns;             /* of a piece */
  gsize row_pieces, column_pieces; /* of a plane */
} CandelaCopy;

/* Readies a copy of every element, in logical order, to packed ones. The pointers are
 * the buffers', to which the layouts' offsets are added. From so many bytes on it is
 * stored past the caches. Returns the number of pieces. */
guint64 candela_copy_init (CandelaCopy *copy, gpointer dest, const CandelaLayout *dest_layout, gconstpointer src,
                           const CandelaLayout *src_layout, gsize size, gsize stream_from);

/* Makes one piece of a CandelaCopy. */
void candela_copy_piece (guint64 piece, gpointer copy);

G_END_DECLS
