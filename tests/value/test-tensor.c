/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tensors over each kind of memory, the buffers under them, and what is refused. */
#include <candela/value/dtype-private.h>
#include <candela/value/layout-private.h>
#include <candela/value/tensor-object.h>
#include <candela/value/tensor-private.h>

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define LIST(...) ((const gint64[]){ __VA_ARGS__ }), (G_N_ELEMENTS (((const gint64[]){ __VA_ARGS__ })))

#define assert_fails(made, error_code, part)                                                                           \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    GError *error_ = NULL;                                                                                             \
    GError **failure = &error_;                                                                                        \
                                                                                                                       \
    g_assert_null (made);                                                                                              \
    g_assert_error (error_, CANDELA_ERROR, error_code);                                                                \
    g_assert_nonnull (strstr (error_->message, part));                                                                 \
    g_error_free (error_);                                                                                             \
  }                                                                                                                    \
  G_STMT_END

static double
get (CandelaTensor *tensor, const gint64 *index, gsize n)
{
  g_autoptr (GError) error = NULL;
  double value = candela_tensor_get_double (tensor, index, n, &error);

  g_assert_no_error (error);
  return value;
}

static void
count_call (gpointer owner)
{
  ++*(guint *) owner;
}

static void
test_buffer (void)
{
  static const gsize sizes[] = { 0, 1, 63, 64, 65, 100000, (1 << 20) - 1, 1 << 20, (4 << 20) + 3, 9 << 20 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autoptr (GError) error = NULL;
      CandelaBuffer *buffer = candela_buffer_new (sizes[i], &error);

      g_assert_no_error (error);
      g_assert_nonnull (buffer->data);
      g_assert_cmpuint ((guintptr) buffer->data % CANDELA_ALIGNMENT, ==, 0);
      g_assert_cmpuint (buffer->size, ==, sizes[i]);
      g_assert_false (buffer->read_only);
      memset (buffer->data, 0x5a, sizes[i]);

      candela_buffer_poison (buffer, TRUE);
      for (gsize j = 0; j < sizes[i]; j += 1 + j / 7)
        g_assert_cmpint (buffer->data[j], <=, 1);
      candela_buffer_poison (buffer, FALSE);
      if (sizes[i] >= sizeof (float))
        {
          float poison;

          memcpy (&poison, buffer->data + (sizes[i] / 8) * 4, sizeof poison);
          g_assert_true (isnan (poison));
        }

      g_assert_true (candela_buffer_ref (buffer) == buffer);
      candela_buffer_unref (buffer);
      candela_buffer_unref (buffer);
    }
}

/* What the system does not have is an error, not the end. */
static void
test_no_memory (void)
{
  static const gsize sizes[] = { (gsize) 1 << 62, G_MAXSSIZE, (gsize) G_MAXSSIZE + 1, G_MAXSIZE };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *bytes = g_strdup_printf ("%" G_GSIZE_FORMAT " bytes", sizes[i]);

      assert_fails (candela_buffer_new (sizes[i], failure), CANDELA_ERROR_NO_MEMORY, bytes);
    }
  assert_fails (candela_tensor_new (CANDELA_DTYPE_UINT8, LIST ((gint64) 1 << 61), failure), CANDELA_ERROR_NO_MEMORY,
                "2305843009213693952");
  assert_fails (candela_tensor_new (CANDELA_DTYPE_FLOAT64, LIST ((gint64) 1 << 61), failure), CANDELA_ERROR_SHAPE,
                "2305843009213693952");
  assert_fails (candela_tensor_new (CANDELA_DTYPE_FLOAT64, LIST (G_MAXINT64, 2), failure), CANDELA_ERROR_SHAPE,
                "9223372036854775807");
}

static void
test_foreign_buffer (void)
{
  guint calls = 0;
  guint8 byte = 3;
  CandelaBuffer *owned = candela_buffer_new_foreign (&byte, 1, TRUE, count_call, &calls);
  CandelaBuffer *unowned = candela_buffer_new_foreign (&byte, 1, FALSE, NULL, NULL);
  CandelaBuffer *empty = candela_buffer_new_foreign (NULL, 0, FALSE, count_call, &calls);

  g_assert_true (owned->data == &byte);
  g_assert_true (owned->read_only);
  g_assert_false (unowned->read_only);
  g_assert_nonnull (empty->data);
  candela_buffer_ref (owned);
  candela_buffer_unref (owned);
  g_assert_cmpuint (calls, ==, 0);
  candela_buffer_unref (owned);
  g_assert_cmpuint (calls, ==, 1);
  candela_buffer_unref (empty);
  g_assert_cmpuint (calls, ==, 2);
  candela_buffer_unref (unowned);
  g_assert_cmpint (byte, ==, 3);
}

static void
test_new (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (CANDELA_DTYPE_FLOAT32, LIST (2, 3), &error);
  g_autoptr (CandelaTensor) large = candela_tensor_new (CANDELA_DTYPE_INT64, LIST (1 << 18), &error);
  g_autoptr (CandelaTensor) scalar = candela_tensor_new (CANDELA_DTYPE_BOOL, NULL, 0, &error);
  g_autoptr (CandelaTensor) empty = candela_tensor_new (CANDELA_DTYPE_FLOAT64, LIST (3, 0), &error);
  const gint64 *shape;
  gsize n_dims;
  float *data;

  g_assert_no_error (error);
  shape = candela_tensor_get_shape (tensor, &n_dims);
  g_assert_cmpmem (shape, n_dims * sizeof *shape, ((gint64[]){ 2, 3 }), 2 * sizeof *shape);
  g_assert_cmpint (candela_tensor_get_dtype (tensor), ==, CANDELA_DTYPE_FLOAT32);
  g_assert_cmpint (candela_tensor_get_n_elements (tensor), ==, 6);
  g_assert_cmpfloat (get (tensor, LIST (1, 2)), ==, 0);
  data = candela_tensor_get_writable_data (tensor);
  data[5] = 2.5f;
  g_assert_cmpfloat (get (tensor, LIST (-1, -1)), ==, 2.5);
  g_assert_cmpint (candela_tensor_get_int64 (tensor, LIST (1, 2), &error), ==, 2);

  g_assert_cmpfloat (get (large, LIST ((1 << 18) - 1)), ==, 0);
  g_assert_cmpfloat (get (scalar, NULL, 0), ==, 0);
  g_assert_nonnull (candela_tensor_get_data (empty));

  assert_fails (candela_tensor_new (CANDELA_DTYPE_INVALID, LIST (1), failure), CANDELA_ERROR_DTYPE, "dtype");
  assert_fails (candela_tensor_new (77, LIST (1), failure), CANDELA_ERROR_DTYPE, "77");
  assert_fails (candela_tensor_new (CANDELA_DTYPE_BOOL, LIST (-4), failure), CANDELA_ERROR_SHAPE, "[-4]");
}

static void
test_from_data (void)
{
  const gint16 numbers[] = { 1, -2, 300 };
  const guint8 bools[] = { 0, 1, 2, 0, 255, 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor =
    candela_tensor_new_from_data (CANDELA_DTYPE_INT16, LIST (3), (const guint8 *) numbers, sizeof numbers, &error);
  g_autoptr (CandelaTensor) flags =
    candela_tensor_new_from_data (CANDELA_DTYPE_BOOL, LIST (2, 3), bools, sizeof bools, &error);
  g_autoptr (CandelaTensor) empty = candela_tensor_new_from_data (CANDELA_DTYPE_INT16, LIST (0), NULL, 0, &error);
  g_autoptr (GBytes) flag_bytes = NULL;

  g_assert_no_error (error);
  g_assert_cmpfloat (get (tensor, LIST (1)), ==, -2);
  g_assert_cmpint (candela_tensor_get_int64 (tensor, LIST (2), NULL), ==, 300);
  flag_bytes = candela_tensor_get_bytes (flags, NULL);
  g_assert_cmpmem (g_bytes_get_data (flag_bytes, NULL), g_bytes_get_size (flag_bytes), ((guint8[]){ 0, 1, 1, 0, 1, 1 }),
                   6);
  g_assert_cmpint (candela_tensor_get_n_elements (empty), ==, 0);

  assert_fails (candela_tensor_new_from_data (CANDELA_DTYPE_INT16, LIST (3), (const guint8 *) numbers, 5, failure),
                CANDELA_ERROR_SHAPE, "6 bytes, but there are 5");
  assert_fails (candela_tensor_new_from_data (CANDELA_DTYPE_INT16, LIST (2), (const guint8 *) numbers, 6, failure),
                CANDELA_ERROR_SHAPE, "4 bytes, but there are 6");
}

/* A layout's extent counts, not its elements: rows padded to 4 need 7, and a
 * bool takes a byte. */
static void
test_extent (void)
{
  const guint8 bytes[8] = { 0, 1, 1, 0, 1, 1, 0, 1 };
  g_autoptr (CandelaLayout) padded = candela_layout_new_strided (LIST (2, 3), LIST (4, 1), 0, NULL);
  g_autoptr (CandelaLayout) reversed = candela_layout_new_strided (LIST (7), LIST (-1), 6, NULL);
  g_autoptr (CandelaLayout) repeated = candela_layout_new_strided (LIST (1000, 2), LIST (0, 1), 0, NULL);
  g_autoptr (CandelaLayout) six = candela_layout_new (LIST (6), NULL);
  g_autoptr (GBytes) enough = g_bytes_new_static (bytes, 7);
  g_autoptr (GBytes) short_by_one = g_bytes_new_static (bytes, 6);
  g_autoptr (CandelaTensor) rows = candela_tensor_new_for_bytes (CANDELA_DTYPE_BOOL, padded, enough, NULL);
  g_autoptr (CandelaTensor) backwards = candela_tensor_new_for_bytes (CANDELA_DTYPE_BOOL, reversed, enough, NULL);
  g_autoptr (CandelaTensor) many = candela_tensor_new_for_bytes (CANDELA_DTYPE_BOOL, repeated, enough, NULL);
  g_autoptr (CandelaTensor) flags = candela_tensor_new_for_bytes (CANDELA_DTYPE_BOOL, six, short_by_one, NULL);
  g_autoptr (GBytes) packed = candela_tensor_get_bytes (rows, NULL);
  g_autoptr (GBytes) backwards_packed = candela_tensor_get_bytes (backwards, NULL);
  g_autoptr (GBytes) many_packed = candela_tensor_get_bytes (many, NULL);

  g_assert_cmpmem (g_bytes_get_data (packed, NULL), g_bytes_get_size (packed), ((guint8[]){ 0, 1, 1, 1, 1, 0 }), 6);
  g_assert_cmpmem (g_bytes_get_data (backwards_packed, NULL), g_bytes_get_size (backwards_packed),
                   ((guint8[]){ 0, 1, 1, 0, 1, 1, 0 }), 7);
  g_assert_cmpuint (g_bytes_get_size (many_packed), ==, 2000);
  g_assert_true (candela_tensor_get_data (backwards) == (gconstpointer) (bytes + 6));
  g_assert_cmpint (candela_tensor_get_int64 (flags, LIST (5), NULL), ==, 1);

  assert_fails (candela_tensor_new_for_bytes (CANDELA_DTYPE_BOOL, padded, short_by_one, failure), CANDELA_ERROR_SHAPE,
                "7 bytes, but there are 6");
  assert_fails (candela_tensor_new_for_bytes (CANDELA_DTYPE_INT64, six, enough, failure), CANDELA_ERROR_SHAPE,
                "48 bytes, but there are 7");
  assert_fails (candela_tensor_new_for_bytes (CANDELA_DTYPE_INVALID, six, enough, failure), CANDELA_ERROR_DTYPE, "0");
}

/* The bytes of a contiguous tensor are its memory, and outlive it. */
static void
test_bytes (void)
{
  const double numbers[] = { 1, 2, 3, 4, 5, 6 };
  GBytes *source = g_bytes_new (numbers, sizeof numbers);
  gconstpointer memory = g_bytes_get_data (source, NULL);
  g_autoptr (CandelaLayout) layout = candela_layout_new_strided (LIST (2, 2), LIST (2, 1), 1, NULL);
  g_autoptr (CandelaLayout) transposed = candela_layout_permute (layout, LIST (1, 0), NULL);
  CandelaTensor *tensor = candela_tensor_new_for_bytes (CANDELA_DTYPE_FLOAT64, layout, source, NULL);
  g_autoptr (CandelaTensor) other = candela_tensor_new_for_bytes (CANDELA_DTYPE_FLOAT64, transposed, source, NULL);
  g_autoptr (GBytes) bytes = candela_tensor_get_bytes (tensor, NULL);
  g_autoptr (GBytes) copied = candela_tensor_get_bytes (other, NULL);

  g_bytes_unref (source);
  g_object_unref (tensor);
  g_assert_true (g_bytes_get_data (bytes, NULL) == (gconstpointer) ((const double *) memory + 1));
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), numbers + 1, 4 * sizeof *numbers);
  g_assert_cmpmem (g_bytes_get_data (copied, NULL), g_bytes_get_size (copied), ((double[]){ 2, 4, 3, 5 }),
                   4 * sizeof *numbers);
  g_assert_null (candela_tensor_get_writable_data (other));
}

/* Memory that lies askew is copied, and what is no bool is made one. */
static void
test_unaligned (void)
{
  guint8 memory[64] = { 0 };
  guint8 *askew = memory + 1 + (8 - (guintptr) memory % 8) % 8;
  const double number = 0.625;
  g_autoptr (CandelaLayout) one = candela_layout_new (LIST (1), NULL);
  g_autoptr (CandelaLayout) two = candela_layout_new (LIST (2), NULL);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GBytes) bools = g_bytes_new_static ("\x00\x07", 2);
  g_autoptr (CandelaTensor) tensor = NULL;
  g_autoptr (CandelaTensor) foreign = NULL;
  g_autoptr (CandelaTensor) flags = NULL;
  guint calls = 0;

  memcpy (askew, &number, sizeof number);
  bytes = g_bytes_new_static (askew, sizeof number);
  tensor = candela_tensor_new_for_bytes (CANDELA_DTYPE_FLOAT64, one, bytes, NULL);
  g_assert_cmpuint ((guintptr) candela_tensor_get_data (tensor) % sizeof number, ==, 0);
  g_assert_cmpfloat (get (tensor, LIST (0)), ==, number);

  foreign = candela_tensor_new_foreign (CANDELA_DTYPE_FLOAT64, one, askew, sizeof number, CANDELA_MEMORY_READ_ONLY,
                                        count_call, &calls, NULL);
  g_assert_cmpuint (calls, ==, 1);
  g_assert_cmpfloat (get (foreign, LIST (0)), ==, number);
  assert_fails (candela_tensor_new_foreign (CANDELA_DTYPE_FLOAT64, one, askew, sizeof number, CANDELA_MEMORY_WRITABLE,
                                            count_call, &calls, failure),
                CANDELA_ERROR_PARAMETER, "aligned to 8 bytes");
  g_assert_cmpuint (calls, ==, 2);

  flags = candela_tensor_new_for_bytes (CANDELA_DTYPE_BOOL, two, bools, NULL);
  g_assert_cmpint (((const guint8 *) candela_tensor_get_data (flags))[1], ==, 1);
}

static void
test_object (void)
{
  float numbers[] = { 1, 2 };
  GObject *owner = g_object_new (G_TYPE_OBJECT, NULL);
  g_autoptr (CandelaLayout) two = candela_layout_new (LIST (2), NULL);
  g_autoptr (CandelaLayout) five = candela_layout_new (LIST (5), NULL);
  CandelaTensor *tensor;

  g_object_add_weak_pointer (owner, (gpointer *) &owner);
  assert_fails (candela_tensor_new_for_object (CANDELA_DTYPE_FLOAT32, five, numbers, sizeof numbers,
                                               CANDELA_MEMORY_READ_ONLY, owner, failure),
                CANDELA_ERROR_SHAPE, "20 bytes, but there are 8");
  tensor = candela_tensor_new_for_object (CANDELA_DTYPE_FLOAT32, two, numbers, sizeof numbers, CANDELA_MEMORY_READ_ONLY,
                                          owner, NULL);
  g_object_unref (owner);
  g_assert_true (candela_tensor_get_data (tensor) == numbers);
  g_assert_nonnull (owner);
  g_object_unref (tensor);
  g_assert_null (owner);
}

static void
test_foreign (void)
{
  float numbers[] = { 1, 2, 3, 4 };
  guint calls = 0;
  g_autoptr (CandelaLayout) layout = candela_layout_new (LIST (4), NULL);
  g_autoptr (CandelaLayout) five = candela_layout_new (LIST (5), NULL);
  g_autoptr (CandelaLayout) none = candela_layout_new (LIST (0), NULL);
  CandelaTensor *reading = candela_tensor_new_foreign (CANDELA_DTYPE_FLOAT32, layout, numbers, sizeof numbers,
                                                       CANDELA_MEMORY_READ_ONLY, count_call, &calls, NULL);
  CandelaTensor *writing = candela_tensor_new_foreign (CANDELA_DTYPE_FLOAT32, layout, numbers, sizeof numbers,
                                                       CANDELA_MEMORY_WRITABLE, NULL, NULL, NULL);
  CandelaTensor *empty = candela_tensor_new_foreign (CANDELA_DTYPE_FLOAT32, none, NULL, 0, CANDELA_MEMORY_READ_ONLY,
                                                     count_call, &calls, NULL);
  GBytes *bytes = candela_tensor_get_bytes (reading, NULL);

  g_assert_true (candela_tensor_get_data (reading) == numbers);
  g_assert_null (candela_tensor_get_writable_data (reading));
  g_assert_true (candela_tensor_get_writable_data (writing) == numbers);
  numbers[3] = 9;
  g_assert_cmpfloat (get (writing, LIST (3)), ==, 9);

  /* The bytes still need the memory. */
  g_object_unref (reading);
  g_assert_cmpuint (calls, ==, 0);
  g_bytes_unref (bytes);
  g_assert_cmpuint (calls, ==, 1);
  g_object_unref (writing);
  g_object_unref (empty);
  g_assert_cmpuint (calls, ==, 2);

  /* An error tells the owner too. */
  assert_fails (candela_tensor_new_foreign (CANDELA_DTYPE_FLOAT32, five, numbers, sizeof numbers,
                                            CANDELA_MEMORY_READ_ONLY, count_call, &calls, failure),
                CANDELA_ERROR_SHAPE, "20 bytes, but there are 16");
  assert_fails (candela_tensor_new_foreign (CANDELA_DTYPE_INVALID, layout, numbers, sizeof numbers,
                                            CANDELA_MEMORY_READ_ONLY, count_call, &calls, failure),
                CANDELA_ERROR_DTYPE, "0");
  assert_fails (candela_tensor_new_foreign (CANDELA_DTYPE_FLOAT32, layout, NULL, sizeof numbers,
                                            CANDELA_MEMORY_READ_ONLY, count_call, &calls, failure),
                CANDELA_ERROR_SHAPE, "16 bytes, but there are 0");
  g_assert_cmpuint (calls, ==, 5);
}

static void
test_mapped (void)
{
  const gint32 numbers[] = { 10, 20, 30, 40, 50 };
  g_autoptr (GError) error = NULL;
  g_autofree char *dir = g_dir_make_tmp ("candela-XXXXXX", &error);
  g_autofree char *path = g_build_filename (dir, "numbers", NULL);
  g_autofree char *empty_path = g_build_filename (dir, "empty", NULL);
  g_autofree char *absent_path = g_build_filename (dir, "absent", NULL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFile) empty = g_file_new_for_path (empty_path);
  g_autoptr (GFile) absent = g_file_new_for_path (absent_path);
  g_autoptr (GFile) folder = g_file_new_for_path (dir);
  g_autoptr (CandelaLayout) two = candela_layout_new (LIST (2), NULL);
  g_autoptr (CandelaLayout) none = candela_layout_new (LIST (0), NULL);
  CandelaTensor *tensor;

  g_assert_no_error (error);
  g_file_set_contents (path, (const char *) numbers, sizeof numbers, &error);
  g_file_set_contents (empty_path, "", 0, &error);
  g_assert_no_error (error);

  tensor = candela_tensor_new_mapped (CANDELA_DTYPE_INT32, two, file, 8, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (get (tensor, LIST (1)), ==, 40);
  g_assert_null (candela_tensor_get_writable_data (tensor));
  g_object_unref (tensor);

  /* Askew in the file: from byte 2 on, 0 and the low half of 20 are one number (little end first). */
  tensor = candela_tensor_new_mapped (CANDELA_DTYPE_INT32, two, file, 2, &error);
  g_assert_no_error (error);
  g_assert_cmpint (candela_tensor_get_int64 (tensor, LIST (0), NULL), ==,
                   G_BYTE_ORDER == G_LITTLE_ENDIAN ? 20 << 16 : 10 << 16);
  g_object_unref (tensor);

  tensor = candela_tensor_new_mapped (CANDELA_DTYPE_INT32, none, empty, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpint (candela_tensor_get_n_elements (tensor), ==, 0);
  g_object_unref (tensor);
  tensor = candela_tensor_new_mapped (CANDELA_DTYPE_INT32, none, file, 20, &error);
  g_assert_no_error (error);
  g_object_unref (tensor);

  assert_fails (candela_tensor_new_mapped (CANDELA_DTYPE_INT32, two, file, 16, failure), CANDELA_ERROR_FORMAT, path);
  assert_fails (candela_tensor_new_mapped (CANDELA_DTYPE_INT32, two, file, 16, failure), CANDELA_ERROR_FORMAT,
                "8 bytes, but there are 4");
  assert_fails (candela_tensor_new_mapped (CANDELA_DTYPE_INT32, two, file, G_MAXUINT64, failure), CANDELA_ERROR_FORMAT,
                "18446744073709551615");
  assert_fails (candela_tensor_new_mapped (CANDELA_DTYPE_INT32, two, empty, 0, failure), CANDELA_ERROR_FORMAT,
                empty_path);
  assert_fails (candela_tensor_new_mapped (CANDELA_DTYPE_INVALID, two, file, 0, failure), CANDELA_ERROR_DTYPE, "0");
  g_assert_null (candela_tensor_new_mapped (CANDELA_DTYPE_INT32, two, absent, 0, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_clear_error (&error);
  g_assert_null (candela_tensor_new_mapped (CANDELA_DTYPE_INT32, two, folder, 0, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY);

  g_remove (path);
  g_remove (empty_path);
  g_rmdir (dir);
}

static void
assert_no_element (CandelaTensor *tensor, const gint64 *index, gsize n, int code)
{
  GError *error = NULL;

  g_assert_true (isnan (candela_tensor_get_double (tensor, index, n, &error)));
  g_assert_error (error, CANDELA_ERROR, code);
  g_clear_error (&error);
  g_assert_cmpint (candela_tensor_get_int64 (tensor, index, n, &error), ==, 0);
  g_assert_error (error, CANDELA_ERROR, code);
  g_clear_error (&error);
}

static void
test_elements (void)
{
  g_autoptr (CandelaTensor) matrix = candela_tensor_new (CANDELA_DTYPE_INT8, LIST (2, 3), NULL);
  g_autoptr (CandelaTensor) complex = candela_tensor_new (CANDELA_DTYPE_COMPLEX64, LIST (1), NULL);
  g_autoptr (CandelaTensor) empty = candela_tensor_new (CANDELA_DTYPE_INT8, LIST (0), NULL);

  assert_no_element (matrix, LIST (2, 0), CANDELA_ERROR_AXIS);
  assert_no_element (matrix, LIST (0, -4), CANDELA_ERROR_AXIS);
  assert_no_element (matrix, LIST (G_MININT64, 0), CANDELA_ERROR_AXIS);
  assert_no_element (matrix, LIST (0), CANDELA_ERROR_AXIS);
  assert_no_element (matrix, NULL, 0, CANDELA_ERROR_AXIS);
  assert_no_element (complex, LIST (0), CANDELA_ERROR_DTYPE);
  assert_no_element (empty, LIST (0), CANDELA_ERROR_AXIS);
}

/* What g_object_new() makes has no memory given to it, and is whole all the same. */
static void
test_construct (void)
{
  g_autoptr (CandelaLayout) layout = candela_layout_new (LIST (2, 2), NULL);
  g_autoptr (CandelaLayout) huge = candela_layout_new (LIST ((gint64) 1 << 60), NULL);
  g_autoptr (CandelaTensor) zeros =
    g_object_new (CANDELA_TYPE_TENSOR, "dtype", CANDELA_DTYPE_FLOAT32, "layout", layout, NULL);
  g_autoptr (CandelaLayout) read_back = NULL;
  CandelaDType dtype;
  CandelaTensor *odd[] = {
    g_object_new (CANDELA_TYPE_TENSOR, NULL),
    g_object_new (CANDELA_TYPE_TENSOR, "dtype", CANDELA_DTYPE_INT8, NULL),
    g_object_new (CANDELA_TYPE_TENSOR, "layout", layout, NULL),
    g_object_new (CANDELA_TYPE_TENSOR, "dtype", CANDELA_DTYPE_INT8, "layout", huge, NULL),
    g_object_new (CANDELA_TYPE_TENSOR, "dtype", CANDELA_DTYPE_COMPLEX128, "layout", huge, NULL),
  };

  g_object_get (zeros, "dtype", &dtype, "layout", &read_back, NULL);
  g_assert_cmpint (dtype, ==, CANDELA_DTYPE_FLOAT32);
  g_assert_true (candela_layout_equal (layout, read_back));
  g_assert_cmpfloat (get (zeros, LIST (1, 1)), ==, 0);

  for (guint i = 0; i < G_N_ELEMENTS (odd); i++)
    {
      g_autoptr (CandelaTensor) tensor = odd[i];
      g_autoptr (GBytes) bytes = candela_tensor_get_bytes (tensor, NULL);
      g_autofree char *text = candela_tensor_to_string (tensor);
      gint64 zero = 0;

      g_assert_cmpuint (g_bytes_get_size (bytes), ==, 0);
      g_assert_cmpint (candela_tensor_get_n_elements (tensor), ==, 0);
      g_assert_nonnull (candela_tensor_get_layout (tensor));
      g_assert_nonnull (candela_tensor_get_data (tensor));
      g_assert_nonnull (candela_tensor_get_buffer (tensor));
      g_assert_null (candela_tensor_get_writable_data (tensor));
      g_assert_cmpstr (text, ==, "[]");
      candela_tensor_get_double (tensor, &zero, 1, NULL);
    }
}

static void
count_closure (gpointer calls, GClosure *closure)
{
  count_call (calls);
}

static void
count_object (gpointer calls, GObject *where_the_object_was)
{
  count_call (calls);
}

/* What a language binding hangs on an object is told when it goes, and when it is disposed of. */
static void
test_watchers (void)
{
  for (guint disposed = 0; disposed < 2; disposed++)
    {
      CandelaTensor *tensor = candela_tensor_new (CANDELA_DTYPE_INT8, LIST (3), NULL);
      guint handlers = 0, references = 0, data = 0;
      gpointer pointer = tensor;
      GWeakRef weak;

      g_weak_ref_init (&weak, tensor);
      g_object_add_weak_pointer (G_OBJECT (tensor), &pointer);
      g_object_weak_ref (G_OBJECT (tensor), count_object, &references);
      g_object_set_data_full (G_OBJECT (tensor), "data", &data, count_call);
      g_signal_connect_data (tensor, "notify", G_CALLBACK (count_object), &handlers, count_closure, 0);
      if (disposed)
        {
          g_object_run_dispose (G_OBJECT (tensor));
          g_assert_null (pointer);
          g_assert_cmpuint (references, ==, 1);
          g_assert_cmpuint (handlers, ==, 1);
          g_assert_cmpuint (data, ==, 0);
          g_assert_cmpint (candela_tensor_get_dtype (tensor), ==, CANDELA_DTYPE_INT8);
        }
      g_object_unref (tensor);
      g_assert_null (pointer);
      g_assert_null (g_weak_ref_get (&weak));
      g_assert_cmpuint (references, ==, 1);
      g_assert_cmpuint (handlers, ==, 1);
      g_assert_cmpuint (data, ==, 1);
      g_weak_ref_clear (&weak);
    }
}

static void
test_enums (void)
{
  g_autoptr (GEnumClass) errors = g_type_class_ref (CANDELA_TYPE_ERROR);
  g_autoptr (GFlagsClass) flags = g_type_class_ref (CANDELA_TYPE_MEMORY_FLAGS);

  g_assert_cmpstr (g_quark_to_string (CANDELA_ERROR), ==, "candela-error-quark");
  g_assert_cmpuint (errors->n_values, ==, CANDELA_ERROR_SCRIPT + 1);
  g_assert_cmpstr (g_enum_get_value (errors, CANDELA_ERROR_UNKNOWN_OP)->value_nick, ==, "unknown-op");
  g_assert_cmpuint (flags->mask, ==, CANDELA_MEMORY_WRITABLE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/tensor/buffer", test_buffer);
  g_test_add_func ("/tensor/buffer/no-memory", test_no_memory);
  g_test_add_func ("/tensor/buffer/foreign", test_foreign_buffer);
  g_test_add_func ("/tensor/new", test_new);
  g_test_add_func ("/tensor/from-data", test_from_data);
  g_test_add_func ("/tensor/extent", test_extent);
  g_test_add_func ("/tensor/bytes", test_bytes);
  g_test_add_func ("/tensor/unaligned", test_unaligned);
  g_test_add_func ("/tensor/foreign", test_foreign);
  g_test_add_func ("/tensor/object", test_object);
  g_test_add_func ("/tensor/mapped", test_mapped);
  g_test_add_func ("/tensor/elements", test_elements);
  g_test_add_func ("/tensor/construct", test_construct);
  g_test_add_func ("/tensor/watchers", test_watchers);
  g_test_add_func ("/tensor/enums", test_enums);

  return g_test_run ();
}
