/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arrays in NumPy's .npy format. A file of this machine's byte order is mapped:
 * its elements are read when they are used, by whoever uses them. Others are
 * read and turned round. Files come from anywhere, so nothing is believed before
 * it has been checked against what is there. */
#include <candela/io/npy-private.h>

#include <candela/value/layout-private.h>
#include <candela/value/tensor-private.h>

#include <string.h>

/* Far above any header of a dtype that is supported. */
#define MAX_HEADER_LENGTH (1u << 20)

/* Magic string and version. */
#define MAGIC_LENGTH 8

/* Elements are packed this many bytes at a time. */
#define PIECE_LENGTH (256 * 1024)

static gboolean
fail (GError **error, const char *message)
{
  g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT, message);
  return FALSE;
}

static gboolean
read_exactly (CandelaNpyReadFunc read, gpointer source, gpointer out, gsize n, const char *what, GError **error)
{
  gsize n_read = 0;

  if (!read (source, out, n, &n_read, error))
    return FALSE;
  if (n_read == n)
    return TRUE;
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT,
               "truncated: ends after %" G_GSIZE_FORMAT " of the %" G_GSIZE_FORMAT " bytes of its %s", n_read, n, what);
  return FALSE;
}

gboolean
candela_npy_read_header (CandelaNpyHeader *header, CandelaNpyReadFunc read, gpointer source, GError **error)
{
  guint8 magic[MAGIC_LENGTH], counted[4];

  if (!read_exactly (read, source, magic, sizeof magic, "magic string", error))
    return FALSE;
  if (memcmp (magic, "\x93NUMPY", 6) != 0)
    return fail (error, "not a .npy array: the magic string is missing");
  if (magic[6] < 1 || magic[6] > 3 || magic[7] != 0)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT, "version %d.%d of the .npy format is not known",
                   magic[6], magic[7]);
      return FALSE;
    }

  gsize n_counted = magic[6] == 1 ? 2 : 4;
  if (!read_exactly (read, source, counted, n_counted, "header length", error))
    return FALSE;
  gsize length = 0;
  for (gsize i = n_counted; i-- > 0;)
    length = length << 8 | counted[i];
  if (length > MAX_HEADER_LENGTH)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT,
                   "a header of %" G_GSIZE_FORMAT " bytes is too long: at most %u are read", length, MAX_HEADER_LENGTH);
      return FALSE;
    }

  g_autofree char *text = g_malloc (length + 1);
  if (!read_exactly (read, source, text, length, "header", error)
      || !candela_npy_header_parse (header, text, length, error))
    return FALSE;
  header->offset = MAGIC_LENGTH + n_counted + length;
  return TRUE;
}

gboolean
candela_npy_check_size (const CandelaNpyHeader *header, guint64 total, GError **error)
{
  guint64 there = total > header->offset ? total - header->offset : 0;

  if (there >= header->n_bytes)
    return TRUE;

  gsize rank;
  const gint64 *shape = candela_layout_get_shape (header->layout, &rank);
  g_autofree char *shown = candela_shape_to_string (shape, rank);
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT,
               "truncated: %s of shape %s takes %" G_GSIZE_FORMAT " bytes, of which %" G_GUINT64_FORMAT " are there",
               candela_dtype_get_name (header->dtype), shown, header->n_bytes, there);
  return FALSE;
}

static void
swap_elements (gpointer data, gsize n_bytes, gsize size)
{
  guint16 *data_16 = data;
  guint32 *data_32 = data;
  guint64 *data_64 = data;

  for (gsize i = 0; i < n_bytes / size; i++)
    switch (size)
      {
      case 2:
        data_16[i] = GUINT16_SWAP_LE_BE (data_16[i]);
        break;
      case 4:
        data_32[i] = GUINT32_SWAP_LE_BE (data_32[i]);
        break;
      default:
        data_64[i] = GUINT64_SWAP_LE_BE (data_64[i]);
        break;
      }
}

/* The engine relies on bools being 0 or 1. */
static gboolean
bools_are_clean (const guint8 *data, gsize n)
{
  guint8 seen = 0;

  for (gsize i = 0; i < n; i++)
    seen |= data[i];
  return seen <= 1;
}

static void
copy_bools (guint8 *out, const guint8 *in, gsize n)
{
  for (gsize i = 0; i < n; i++)
    out[i] = in[i] != 0;
}

CandelaTensor *
candela_npy_read_elements (const CandelaNpyHeader *header, CandelaNpyReadFunc read, gpointer source, GError **error)
{
  g_autoptr (CandelaBuffer) buffer = candela_buffer_new (header->n_bytes, error);

  if (buffer == NULL || !read_exactly (read, source, buffer->data, header->n_bytes, "elements", error))
    return NULL;

  if (header->swapped)
    {
      gsize size = candela_dtype_get_size (header->dtype);
      gboolean is_complex = candela_dtype_get_kind (header->dtype) == CANDELA_DTYPE_KIND_COMPLEX;
      swap_elements (buffer->data, header->n_bytes, is_complex ? size / 2 : size);
    }
  if (header->dtype == CANDELA_DTYPE_BOOL)
    copy_bools (buffer->data, buffer->data, header->n_bytes);
  return candela_tensor_new_for_buffer (header->dtype, header->layout, buffer);
}

static gboolean
read_stream (gpointer source, gpointer out, gsize n, gsize *n_read, GError **error)
{
  return g_input_stream_read_all (G_INPUT_STREAM (source), out, n, n_read, NULL, error);
}

/* Whether the elements may be used where they are in the file. */
static gboolean
can_map (const CandelaNpyHeader *header, GFile *file)
{
  gsize size = candela_dtype_get_size (header->dtype);

  return !header->swapped && header->n_bytes > 0 && header->offset % size == 0 && g_file_peek_path (file) != NULL;
}

static CandelaTensor *
load_mapped (const CandelaNpyHeader *header, GFile *file, GError **error)
{
  g_autoptr (CandelaTensor) tensor =
    candela_tensor_new_mapped (header->dtype, header->layout, file, header->offset, error);

  if (tensor == NULL || header->dtype != CANDELA_DTYPE_BOOL)
    return g_steal_pointer (&tensor);

  const guint8 *data = candela_tensor_get_buffer (tensor)->data;
  if (bools_are_clean (data, header->n_bytes))
    return g_steal_pointer (&tensor);
  g_autoptr (CandelaBuffer) copy = candela_buffer_new (header->n_bytes, error);
  if (copy == NULL)
    return NULL;
  copy_bools (copy->data, data, header->n_bytes);
  return candela_tensor_new_for_buffer (header->dtype, header->layout, copy);
}

static CandelaTensor *
load_stream (GFile *file, GFileInputStream *stream, GError **error)
{
  g_auto (CandelaNpyHeader) header = { 0 };
  g_autoptr (GFileInfo) info = NULL;

  if (!candela_npy_read_header (&header, read_stream, stream, error))
    return NULL;

  info = g_file_input_stream_query_info (stream, G_FILE_ATTRIBUTE_STANDARD_SIZE "," G_FILE_ATTRIBUTE_STANDARD_TYPE,
                                         NULL, NULL);
  gboolean is_regular = info != NULL && g_file_info_get_file_type (info) == G_FILE_TYPE_REGULAR;
  if (is_regular && !candela_npy_check_size (&header, (guint64) g_file_info_get_size (info), error))
    return NULL;
  if (is_regular && can_map (&header, file))
    {
      g_autoptr (GError) map_error = NULL;
      CandelaTensor *tensor = load_mapped (&header, file, &map_error);
      /* Not every file system can map. */
      if (tensor != NULL)
        return tensor;
    }
  return candela_npy_read_elements (&header, read_stream, stream, error);
}

/**
 * candela_npy_load:
 * @file: the file, or anything else that can be read, as a pipe
 * @error: return location for an error
 *
 * Reads one array in NumPy's .npy format, version 1.0, 2.0 or 3.0, of either byte
 * order, in C or Fortran order. The shape is that of the array; in Fortran order
 * the strides are those of the file, nothing is moved. A local file of this
 * machine's byte order whose elements are aligned is mapped, not read: it must not
 * be made shorter as long as the tensor is there. Bytes of a bool array that are
 * neither 0 nor 1 are taken for 1. What follows the array in the file is not
 * looked at.
 *
 * Errors: %CANDELA_ERROR_FORMAT, naming the file, for a header that is not one, a
 * shape that overflows, a file that is too short, a version or dtype that is not
 * supported (float16, structured, Python objects); %CANDELA_ERROR_NO_MEMORY; those
 * of GIO for a file that cannot be read.
 *
 * Returns: (transfer full): the array, or %NULL on error
 *
 * Since: 1.0
 */
CandelaTensor *
candela_npy_load (GFile *file, GError **error)
{
  g_autoptr (GError) load_error = NULL;

  g_return_val_if_fail (G_IS_FILE (file), NULL);

  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, error);
  if (stream == NULL)
    return NULL;
  CandelaTensor *tensor = load_stream (file, stream, &load_error);
  if (tensor == NULL)
    {
      g_autofree char *name = g_file_get_parse_name (file);
      g_propagate_prefixed_error (error, g_steal_pointer (&load_error), "%s: ", name);
    }
  return tensor;
}

struct _CandelaNpyEncoder
{
  CandelaTensor *tensor;
  GString *header;
  gsize size; /* of an element */
  guint64 n_elements;
  const guint8 *in_order; /* all elements as they are to be written; NULL if they are to be packed */
  guint8 *packed;

  gboolean header_done;
  guint64 n_done; /* elements */
};

CandelaNpyEncoder *
candela_npy_encoder_new (CandelaTensor *tensor)
{
  CandelaNpyEncoder *self = g_new0 (CandelaNpyEncoder, 1);
  CandelaLayout *layout = candela_tensor_get_layout (tensor);
  CandelaDType dtype = candela_tensor_get_dtype (tensor);
  gint64 axes[CANDELA_MAX_RANK];
  gboolean contiguous = candela_layout_is_contiguous (layout);
  gboolean fortran_order = FALSE;

  if (!contiguous)
    {
      guint rank = candela_layout_get_rank (layout);
      for (guint i = 0; i < rank; i++)
        axes[i] = rank - 1 - i;
      g_autoptr (CandelaLayout) reversed = candela_layout_permute (layout, axes, rank, NULL);
      fortran_order = reversed != NULL && candela_layout_is_contiguous (reversed);
    }

  self->tensor = g_object_ref (tensor);
  self->header = candela_npy_header_write (dtype, layout, fortran_order);
  self->size = candela_dtype_get_size (dtype);
  self->n_elements = (guint64) candela_layout_get_n_elements (layout);
  if (contiguous || fortran_order)
    self->in_order = candela_tensor_get_buffer (tensor)->data + (gsize) layout->offset * self->size;
  else
    self->packed = g_malloc (PIECE_LENGTH);
  return self;
}

void
candela_npy_encoder_free (CandelaNpyEncoder *self)
{
  g_object_unref (self->tensor);
  g_string_free (self->header, TRUE);
  g_free (self->packed);
  g_free (self);
}

void
candela_npy_encoder_rewind (CandelaNpyEncoder *self)
{
  self->header_done = FALSE;
  self->n_done = 0;
}

guint64
candela_npy_encoder_get_size (const CandelaNpyEncoder *self)
{
  return self->header->len + self->n_elements * self->size;
}

gboolean
candela_npy_encoder_next (CandelaNpyEncoder *self, const guint8 **piece, gsize *length)
{
  if (!self->header_done)
    {
      self->header_done = TRUE;
      *piece = (const guint8 *) self->header->str;
      *length = self->header->len;
      return TRUE;
    }

  guint64 n = self->n_elements - self->n_done;
  if (n == 0)
    return FALSE;
  if (self->in_order != NULL)
    *piece = self->in_order + self->n_done * self->size;
  else
    {
      n = MIN (n, PIECE_LENGTH / self->size);
      candela_layout_pack (candela_tensor_get_layout (self->tensor), candela_tensor_get_buffer (self->tensor)->data,
                           self->size, (gint64) self->n_done, n, self->packed);
      *piece = self->packed;
    }
  *length = n * self->size;
  self->n_done += n;
  return TRUE;
}

static gboolean
write_stream (GOutputStream *stream, CandelaTensor *tensor, GError **error)
{
  g_autoptr (CandelaNpyEncoder) encoder = candela_npy_encoder_new (tensor);
  const guint8 *piece;
  gsize length;

  while (candela_npy_encoder_next (encoder, &piece, &length))
    if (!g_output_stream_write_all (stream, piece, length, NULL, NULL, error))
      return FALSE;
  return g_output_stream_close (stream, NULL, error);
}

static gboolean
fill_file (GFile *file, gpointer data, GError **error)
{
  g_autoptr (GFileOutputStream) stream = g_file_append_to (file, G_FILE_CREATE_NONE, NULL, error);

  return stream != NULL && write_stream (G_OUTPUT_STREAM (stream), CANDELA_TENSOR (data), error);
}

/**
 * candela_npy_save:
 * @tensor: the array
 * @file: the file, which need not exist
 * @error: return location for an error
 *
 * Writes an array in NumPy's .npy format, version 1.0, byte for byte as numpy.save()
 * does: in Fortran order if the elements lie so, else in C order. The new file is
 * made beside its place, and takes it once it is whole: if that fails, what was
 * there is there still, and nothing else. So @file may be one that @tensor, or
 * what it was computed from, is mapped from. A link is followed; into a special
 * file, as a pipe, is written directly.
 *
 * Errors: those of GIO.
 *
 * Returns: %TRUE, or %FALSE on error
 *
 * Since: 1.0
 */
gboolean
candela_npy_save (CandelaTensor *tensor, GFile *file, GError **error)
{
  g_autoptr (GError) save_error = NULL;

  g_return_val_if_fail (CANDELA_IS_TENSOR (tensor), FALSE);
  g_return_val_if_fail (G_IS_FILE (file), FALSE);

  if (candela_save_beside (file, fill_file, tensor, &save_error))
    return TRUE;
  g_autofree char *name = g_file_get_parse_name (file);
  g_propagate_prefixed_error (error, g_steal_pointer (&save_error), "%s: ", name);
  return FALSE;
}
