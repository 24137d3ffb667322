/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tensors made from shapes, bytes, files and foreign memory. Whatever memory one
 * is made over, every element is made sure to lie within it, aligned as its type
 * wants, so that whoever reads a tensor has nothing to check. */
#include <candela/value/dtype-private.h>
#include <candela/value/layout-private.h>
#include <candela/value/tensor-object.h>
#include <candela/value/tensor-private.h>

#include <string.h>

static gboolean
tensor_check_dtype (CandelaDType dtype, GError **error)
{
  if (candela_dtype_get_size (dtype) > 0)
    return TRUE;
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE, "%d is no dtype of a value", (int) dtype);
  return FALSE;
}

/* A dtype, and a layout that lies within n_bytes of memory. What is too little is
 * an error of the code given, prefixed by the name of where it comes from. */
static gboolean
tensor_check (CandelaDType dtype, const CandelaLayout *layout, gsize n_bytes, CandelaError code, const char *where,
              GError **error)
{
  gsize needed;
  g_autofree char *text = NULL;

  if (!tensor_check_dtype (dtype, error))
    return FALSE;
  if (candela_tensor_count_bytes (dtype, layout, &needed))
    {
      if (needed <= n_bytes)
        return TRUE;
      text = candela_layout_to_string (layout);
      g_set_error (error, CANDELA_ERROR, code,
                   "%s%s of %s needs %" G_GSIZE_FORMAT " bytes, but there are %" G_GSIZE_FORMAT, where,
                   candela_dtype_get_name (dtype), text, needed, n_bytes);
      return FALSE;
    }
  text = candela_layout_to_string (layout);
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE, "%s%s of %s needs more bytes than can be counted", where,
               candela_dtype_get_name (dtype), text);
  return FALSE;
}

/* Elements that a processor may not read in place, or that are no bools, are to be copied. */
static gboolean
memory_needs_copy (CandelaDType dtype, const guint8 *data, gsize n_bytes)
{
  guint8 bits = 0;

  if ((guintptr) data % candela_dtype_get_size (dtype) != 0)
    return TRUE;
  if (dtype == CANDELA_DTYPE_BOOL)
    for (gsize i = 0; i < n_bytes; i++)
      bits |= data[i];
  return bits > 1;
}

/* Memory of our own with the same bytes; bools are made 0 and 1. */
static CandelaBuffer *
buffer_new_copy (CandelaDType dtype, gconstpointer data, gsize n_bytes, GError **error)
{
  CandelaBuffer *buffer = candela_buffer_new (n_bytes, error);

  if (buffer == NULL || n_bytes == 0)
    return buffer;
  if (dtype == CANDELA_DTYPE_BOOL)
    candela_dtype_get_convert_func (CANDELA_DTYPE_BOOL, CANDELA_DTYPE_BOOL) (buffer->data, data, n_bytes);
  else
    memcpy (buffer->data, data, n_bytes);
  return buffer;
}

/**
 * candela_tensor_new:
 * @dtype: the type of the elements
 * @shape: (array length=n_dims) (nullable): the lengths of the axes
 * @n_dims: how many there are
 * @error: return location for an error
 *
 * A contiguous tensor of zeros, in writable memory of its own. An invalid @dtype
 * gives %CANDELA_ERROR_DTYPE, an invalid or overflowing shape
 * %CANDELA_ERROR_SHAPE, and memory that there is not %CANDELA_ERROR_NO_MEMORY.
 *
 * Returns: (transfer full): the tensor, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaTensor *
candela_tensor_new (CandelaDType dtype, const gint64 *shape, gsize n_dims, GError **error)
{
  g_autoptr (CandelaLayout) layout = NULL;
  g_autoptr (CandelaBuffer) buffer = NULL;
  gsize bytes;

  layout = candela_layout_new (shape, n_dims, error);
  if (layout == NULL || !tensor_check (dtype, layout, G_MAXSIZE, CANDELA_ERROR_SHAPE, "", error)
      || !candela_tensor_count_bytes (dtype, layout, &bytes))
    return NULL;
  buffer = candela_buffer_new_zeroed (bytes, error);
  if (buffer == NULL)
    return NULL;
  return candela_tensor_new_for_buffer (dtype, layout, buffer);
}

/**
 * candela_tensor_new_from_data:
 * @dtype: the type of the elements
 * @shape: (array length=n_dims) (nullable): the lengths of the axes
 * @n_dims: how many there are
 * @data: (array length=n_bytes) (nullable): the elements in row-major order, in the machine's byte order
 * @n_bytes: the number of bytes: that of the elements times their size
 * @error: return location for an error
 *
 * A contiguous tensor with a copy of @data; for %CANDELA_DTYPE_BOOL, bytes other
 * than 0 become 1. Errors are those of candela_tensor_new(), and
 * %CANDELA_ERROR_SHAPE for another number of bytes.
 *
 * Returns: (transfer full): the tensor, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaTensor *
candela_tensor_new_from_data (CandelaDType dtype, const gint64 *shape, gsize n_dims, const guint8 *data, gsize n_bytes,
                              GError **error)
{
  g_autoptr (CandelaLayout) layout = NULL;
  g_autoptr (CandelaBuffer) buffer = NULL;
  gsize bytes;

  g_return_val_if_fail (data != NULL || n_bytes == 0, NULL);

  layout = candela_layout_new (shape, n_dims, error);
  if (layout == NULL || !tensor_check (dtype, layout, n_bytes, CANDELA_ERROR_SHAPE, "", error)
      || !candela_tensor_count_bytes (dtype, layout, &bytes))
    return NULL;
  if (bytes != n_bytes)
    {
      g_autofree char *text = candela_shape_to_string (shape, n_dims);

      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE,
                   "%s of shape %s needs %" G_GSIZE_FORMAT " bytes, but there are %" G_GSIZE_FORMAT,
                   candela_dtype_get_name (dtype), text, bytes, n_bytes);
      return NULL;
    }
  buffer = buffer_new_copy (dtype, data, bytes, error);
  if (buffer == NULL)
    return NULL;
  return candela_tensor_new_for_buffer (dtype, layout, buffer);
}

/* Over the part of bytes that starts at offset, which has been checked. */
static CandelaTensor *
tensor_new_within_bytes (CandelaDType dtype, CandelaLayout *layout, GBytes *bytes, gsize offset, GError **error)
{
  g_autoptr (CandelaBuffer) buffer = NULL;
  gsize needed = 0;
  guint8 *data = (guint8 *) g_bytes_get_data (bytes, NULL);

  candela_tensor_count_bytes (dtype, layout, &needed);
  if (data != NULL)
    data += offset;
  if (needed == 0 || memory_needs_copy (dtype, data, needed))
    buffer = buffer_new_copy (dtype, data, needed, error);
  else
    buffer = candela_buffer_new_foreign (data, g_bytes_get_size (bytes) - offset, TRUE, (GDestroyNotify) g_bytes_unref,
                                         g_bytes_ref (bytes));
  if (buffer == NULL)
    return NULL;
  return candela_tensor_new_for_buffer (dtype, layout, buffer);
}

/**
 * candela_tensor_new_for_bytes:
 * @dtype: the type of the elements
 * @layout: where in @bytes they are
 * @bytes: the memory, in the machine's byte order
 * @error: return location for an error
 *
 * A read-only tensor over @bytes, to which it holds a reference. Nothing is
 * copied unless the memory is not aligned to the size of an element, or bools
 * are other than 0 and 1. A layout that goes beyond @bytes gives
 * %CANDELA_ERROR_SHAPE, an invalid @dtype %CANDELA_ERROR_DTYPE.
 *
 * Returns: (transfer full): the tensor, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaTensor *
candela_tensor_new_for_bytes (CandelaDType dtype, CandelaLayout *layout, GBytes *bytes, GError **error)
{
  g_return_val_if_fail (layout != NULL, NULL);
  g_return_val_if_fail (bytes != NULL, NULL);

  if (!tensor_check (dtype, layout, g_bytes_get_size (bytes), CANDELA_ERROR_SHAPE, "", error))
    return NULL;
  return tensor_new_within_bytes (dtype, layout, bytes, 0, error);
}

/* The contents of a file: mapped if it is an ordinary one on this machine, else read. */
static GBytes *
file_get_bytes (GFile *file, GError **error)
{
  g_autofree char *path = g_file_get_path (file);
  g_autoptr (GMappedFile) mapped = NULL;

  if (path == NULL || !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return g_file_load_bytes (file, NULL, NULL, error);
  mapped = g_mapped_file_new (path, FALSE, error);
  return mapped != NULL ? g_mapped_file_get_bytes (mapped) : NULL;
}

/**
 * candela_tensor_new_mapped:
 * @dtype: the type of the elements
 * @layout: where they are, counted from @offset
 * @file: the file, in the machine's byte order
 * @offset: where in the file the memory of @layout starts, in bytes
 * @error: return location for an error
 *
 * A read-only tensor over a file, which is mapped into memory and read only where
 * it is looked at; a file that is not an ordinary local one is read. The file
 * must not be made shorter while the tensor lives. A file that ends too early
 * gives %CANDELA_ERROR_FORMAT, an invalid @dtype %CANDELA_ERROR_DTYPE; GIO's and
 * GLib's errors of opening and reading pass through.
 *
 * Returns: (transfer full): the tensor, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaTensor *
candela_tensor_new_mapped (CandelaDType dtype, CandelaLayout *layout, GFile *file, guint64 offset, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *name = NULL;
  g_autofree char *where = NULL;

  g_return_val_if_fail (layout != NULL, NULL);
  g_return_val_if_fail (G_IS_FILE (file), NULL);

  if (!tensor_check_dtype (dtype, error))
    return NULL;
  bytes = file_get_bytes (file, error);
  if (bytes == NULL)
    return NULL;

  name = g_file_get_parse_name (file);
  if (offset > g_bytes_get_size (bytes))
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT,
                   "%s: ends after %" G_GSIZE_FORMAT " bytes, before its data at %" G_GUINT64_FORMAT, name,
                   g_bytes_get_size (bytes), offset);
      return NULL;
    }
  where = g_strconcat (name, ": ", NULL);
  if (!tensor_check (dtype, layout, g_bytes_get_size (bytes) - offset, CANDELA_ERROR_FORMAT, where, error))
    return NULL;
  return tensor_new_within_bytes (dtype, layout, bytes, offset, error);
}

/* Tells the owner, once, whatever becomes of the rest. */
typedef struct
{
  GDestroyNotify destroy;
  gpointer owner;
} Owner;

static void
owner_clear (Owner *owner)
{
  if (owner->destroy != NULL)
    owner->destroy (owner->owner);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Owner, owner_clear)

/**
 * candela_tensor_new_foreign:
 * @dtype: the type of the elements
 * @layout: where in the memory they are
 * @data: (nullable): the memory; may be %NULL only if there are no elements
 * @n_bytes: how many bytes there are
 * @flags: whether they may be written
 * @destroy: (nullable) (scope async): called with @owner when the memory is no longer needed
 * @owner: (nullable): the data for @destroy
 * @error: return location for an error
 *
 * A tensor over someone else's memory, which must stay as it is until @destroy is
 * called. That happens exactly once, on any thread: when the last reference is
 * gone, or at once if there is an error or the memory had to be copied. Memory
 * that is not aligned to the size of an element is copied if it is read-only, and
 * gives %CANDELA_ERROR_PARAMETER if not. A layout that goes beyond it gives
 * %CANDELA_ERROR_SHAPE, an invalid @dtype %CANDELA_ERROR_DTYPE. Bools must be 0
 * or 1.
 *
 * Returns: (transfer full): the tensor, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaTensor *
candela_tensor_new_foreign (CandelaDType dtype, CandelaLayout *layout, gpointer data, gsize n_bytes,
                            CandelaMemoryFlags flags, GDestroyNotify destroy, gpointer owner, GError **error)
{
  g_auto (Owner) pending = { destroy, owner };
  g_autoptr (CandelaBuffer) buffer = NULL;
  gboolean writable = (flags & CANDELA_MEMORY_WRITABLE) != 0;

  g_return_val_if_fail (layout != NULL, NULL);

  if (!tensor_check (dtype, layout, data != NULL ? n_bytes : 0, CANDELA_ERROR_SHAPE, "", error))
    return NULL;

  if ((guintptr) data % candela_dtype_get_size (dtype) == 0)
    {
      buffer = candela_buffer_new_foreign (data, n_bytes, !writable, destroy, owner);
      pending.destroy = NULL;
    }
  else if (writable)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER,
                 "memory for writing %s must be aligned to %" G_GSIZE_FORMAT " bytes", candela_dtype_get_name (dtype),
                 candela_dtype_get_size (dtype));
  else
    buffer = buffer_new_copy (dtype, data, n_bytes, error);
  if (buffer == NULL)
    return NULL;
  return candela_tensor_new_for_buffer (dtype, layout, buffer);
}

/**
 * candela_tensor_new_for_object:
 * @dtype: the type of the elements
 * @layout: where in the memory they are
 * @data: (nullable): the memory; may be %NULL only if there are no elements
 * @n_bytes: how many bytes there are
 * @flags: whether they may be written
 * @owner: what the memory belongs to
 * @error: return location for an error
 *
 * As candela_tensor_new_foreign(), with a reference to an object instead of a function
 * to call, for as long as the memory is needed. A language may drop what holds a tensor
 * where none of its functions can be called, as while it handles an error; it can
 * always drop an object.
 *
 * Errors: those of candela_tensor_new_foreign().
 *
 * Returns: (transfer full): the tensor, or %NULL with @error set
 *
 * Since: 1.0
 */
CandelaTensor *
candela_tensor_new_for_object (CandelaDType dtype, CandelaLayout *layout, gpointer data, gsize n_bytes,
                               CandelaMemoryFlags flags, GObject *owner, GError **error)
{
  g_return_val_if_fail (G_IS_OBJECT (owner), NULL);

  return candela_tensor_new_foreign (dtype, layout, data, n_bytes, flags, g_object_unref, g_object_ref (owner), error);
}
