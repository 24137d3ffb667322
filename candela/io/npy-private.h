/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The .npy format, apart from where its bytes come from and go to: a file, or a
 * member of an .npz archive. */
#pragma once

#include <candela/io/npy.h>

G_BEGIN_DECLS

/* What an array of .npy says of itself before its elements. */
typedef struct
{
  CandelaDType dtype;
  gboolean swapped; /* of the other byte order */
  CandelaLayout *layout;
  gsize n_bytes; /* of all elements */
  gsize offset;  /* of the first element, from the beginning */
} CandelaNpyHeader;

/* npy-header.c. The text between the header's length and the first element:
 * fills all but offset. */
gboolean candela_npy_header_parse (CandelaNpyHeader *header, const char *text, gsize length, GError **error);

void candela_npy_header_clear (CandelaNpyHeader *header);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CandelaNpyHeader, candela_npy_header_clear)

/* All that comes before the elements, magic string and padding too. */
GString *candela_npy_header_write (CandelaDType dtype, const CandelaLayout *layout, gboolean fortran_order);

/* Reads n bytes; fewer only at the end. */
typedef gboolean (*CandelaNpyReadFunc) (gpointer source, gpointer out, gsize n, gsize *n_read, GError **error);

gboolean candela_npy_read_header (CandelaNpyHeader *header, CandelaNpyReadFunc read, gpointer source, GError **error);

/* FALSE if the elements do not fit in what is there after the header. */
gboolean candela_npy_check_size (const CandelaNpyHeader *header, guint64 total, GError **error);

/* Reads the elements into memory of their own. */
CandelaTensor *candela_npy_read_elements (const CandelaNpyHeader *header, CandelaNpyReadFunc read, gpointer source,
                                          GError **error);

/* The bytes of a tensor's .npy in order, piece by piece: the elements from where
 * they are if they lie one after another, else packed a little at a time. */
typedef struct _CandelaNpyEncoder CandelaNpyEncoder;

CandelaNpyEncoder *candela_npy_encoder_new (CandelaTensor *tensor);

void candela_npy_encoder_free (CandelaNpyEncoder *encoder);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CandelaNpyEncoder, candela_npy_encoder_free)

void candela_npy_encoder_rewind (CandelaNpyEncoder *encoder);

guint64 candela_npy_encoder_get_size (const CandelaNpyEncoder *encoder);

/* FALSE at the end. The piece is good until the next call. */
gboolean candela_npy_encoder_next (CandelaNpyEncoder *encoder, const guint8 **piece, gsize *length);

/* save.c. Makes a file beside the place where it is to be (links followed), of
 * which only the whole takes that place: fill is given the file to write, and
 * is called with a special file, as a pipe, where there is one. */
typedef gboolean (*CandelaSaveFunc) (GFile *file, gpointer data, GError **error);

gboolean candela_save_beside (GFile *file, CandelaSaveFunc fill, gpointer data, GError **error);

G_END_DECLS
