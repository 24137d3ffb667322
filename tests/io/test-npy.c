/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Arrays in .npy files: what NumPy wrote is read and written again byte for byte,
 * and no file, however made, does more than give an error. */
#include <candela/candela.h>

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct
{
  char *folder;
  GFile *file;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("candela-npy-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->file = g_file_new_build_filename (fixture->folder, "array.npy", NULL);
}

/* How many files there are in the folder: saving leaves none behind. */
static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (fixture->folder, name, NULL);
      g_assert_cmpint (g_unlink (path), ==, 0);
    }
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->folder);
  g_object_unref (fixture->file);
}

/* A .npy file with the dictionary as its header, of any version. */
static GByteArray *
build (guint8 version, const char *dictionary, gconstpointer elements, gsize n_bytes)
{
  GByteArray *bytes = g_byte_array_new ();
  gsize length = strlen (dictionary);
  guint8 start[12] = { 0x93, 'N', 'U', 'M', 'P', 'Y', version, 0 };

  for (gsize i = 0; i < 4; i++)
    start[8 + i] = (guint8) (length >> (8 * i));
  g_byte_array_append (bytes, start, version == 1 ? 10 : 12);
  g_byte_array_append (bytes, (const guint8 *) dictionary, (guint) length);
  g_byte_array_append (bytes, elements, (guint) n_bytes);
  return bytes;
}

static void
put (Fixture *fixture, gconstpointer data, gsize length)
{
  g_autoptr (GError) error = NULL;

  g_file_set_contents (g_file_peek_path (fixture->file), data, (gssize) length, &error);
  g_assert_no_error (error);
}

static CandelaTensor *
load_built (Fixture *fixture, guint8 version, const char *dictionary, gconstpointer elements, gsize n_bytes,
            GError **error)
{
  g_autoptr (GByteArray) bytes = build (version, dictionary, elements, n_bytes);

  put (fixture, bytes->data, bytes->len);
  return candela_npy_load (fixture->file, error);
}

static void
assert_text (CandelaTensor *tensor, const char *expected)
{
  g_autofree char *text = candela_tensor_to_string (tensor);

  g_assert_cmpstr (text, ==, expected);
}

/* What numpy.save() wrote: the dictionary, the spaces up to the line's end, and
 * the elements. */
typedef struct
{
  const char *name;
  const char *dictionary;
  gsize n_elements_bytes;
  const char *elements;
  CandelaDType dtype;
  const char *text;
} Saved;

static const Saved saved[] = {
  { "float32", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", 24,
    "\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40\x00\x00\x80\x40\x00\x00\xa0\x40\x00\x00\xd0\x40",
    CANDELA_DTYPE_FLOAT32, "[[1.  2.  3. ]\n [4.  5.  6.5]]" },
  { "fortran", "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }", 24,
    "\x00\x00\x80\x3f\x00\x00\x80\x40\x00\x00\x00\x40\x00\x00\xa0\x40\x00\x00\x40\x40\x00\x00\xd0\x40",
    CANDELA_DTYPE_FLOAT32, "[[1.  2.  3. ]\n [4.  5.  6.5]]" },
  { "scalar", "{'descr': '|b1', 'fortran_order': False, 'shape': (), }", 1, "\x01", CANDELA_DTYPE_BOOL, "True" },
  { "complex", "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", 8, "\x00\x00\x80\x3f\x00\x00\x00\x40",
    CANDELA_DTYPE_COMPLEX64, "[1.+2.j]" },
  { "float16", "{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }", 6, "\x00\x3c\x66\xae\x00\x7c",
    CANDELA_DTYPE_FLOAT16, "[ 1.  -0.1  inf]" },
  { "bfloat16", "{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }", 4, "\x80\x3f\x00\xc0",
    CANDELA_DTYPE_BFLOAT16, "[ 1. -2.]" },
  { "empty", "{'descr': '<i8', 'fortran_order': False, 'shape': (0, 3), }", 0, "", CANDELA_DTYPE_INT64, "[]" },
};

static void
test_saved (Fixture *fixture, gconstpointer data)
{
  const Saved *test = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *header = g_strdup_printf ("%-117s\n", test->dictionary);
  g_autofree char *contents = NULL;
  gsize length;

  /* 10 bytes before the header: 128 in all, for each of these. */
  g_autoptr (GByteArray) bytes = build (1, header, test->elements, test->n_elements_bytes);
  put (fixture, bytes->data, bytes->len);
  g_autoptr (CandelaTensor) tensor = candela_npy_load (fixture->file, &error);
  g_assert_no_error (error);
  g_assert_cmpint (candela_tensor_get_dtype (tensor), ==, test->dtype);
  assert_text (tensor, test->text);

  /* Over the file that it is mapped from. */
  g_assert_true (candela_npy_save (tensor, fixture->file, &error));
  g_assert_no_error (error);
  assert_text (tensor, test->text);
  g_file_get_contents (g_file_peek_path (fixture->file), &contents, &length, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (contents, length, bytes->data, bytes->len);
  g_assert_cmpuint (count_files (fixture->folder), ==, 1);
}

/* Other ways to write the same array: [[1, 2], [3, 260]] as int16. */
static void
test_other_headers (Fixture *fixture, gconstpointer data)
{
  static const guint8 little[] = { 1, 0, 2, 0, 3, 0, 4, 1 }, big[] = { 0, 1, 0, 2, 0, 3, 1, 4 };
  static const struct
  {
    guint8 version;
    const char *dictionary;
    const guint8 *elements;
  } tests[] = {
    { 1, "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2)}", little },
    { 1, "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2)} ", little }, /* not aligned */
    { 1, "{\"shape\":(2,2,),\"fortran_order\":False,\"descr\":\"<i2\"}\n", little },
    { 1, " { 'shape' : ( 2 , 2 ) ,\t'fortran_order' : False , 'descr' : '<i2' , } ", little },
    { 1, "{'descr': '<i2', 'fortran_order': False, 'shape': (2L, 2L), }", little },
    { 1, "{'descr': '>i2', 'fortran_order': False, 'shape': (2, 2), }", big },
    { 2, "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }", little },
    { 3, "{'descr': '>i2', 'fortran_order': False, 'shape': (2, 2), }", big },
    { 3, "{'descr': '=i2', 'fortran_order': False, 'shape': (2, 2), }", G_BYTE_ORDER == G_BIG_ENDIAN ? big : little },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaTensor) tensor =
        load_built (fixture, tests[i].version, tests[i].dictionary, tests[i].elements, 8, &error);
      g_assert_no_error (error);
      g_assert_cmpint (candela_tensor_get_dtype (tensor), ==, CANDELA_DTYPE_INT16);
      assert_text (tensor, "[[  1   2]\n [  3 260]]");
    }
}

static void
test_big_endian_complex (Fixture *fixture, gconstpointer data)
{
  static const guint8 elements[] = { 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = load_built (fixture, 1, "{'descr': '>c16', 'fortran_order': False, 'shape': (), }",
                                                 elements, sizeof elements, &error);

  g_assert_no_error (error);
  assert_text (tensor, "(1-2j)");
}

/* The engine computes with bools as numbers. */
static void
test_bools_become_0_or_1 (Fixture *fixture, gconstpointer data)
{
  static const guint8 elements[] = { 0, 2, 1, 255 };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = load_built (
    fixture, 1, "{'descr': '|b1', 'fortran_order': True, 'shape': (2, 2), }", elements, sizeof elements, &error);

  g_assert_no_error (error);
  assert_text (tensor, "[[False  True]\n [ True  True]]");
  g_autoptr (GBytes) bytes = candela_tensor_get_bytes (tensor, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), ((guint8[]){ 0, 1, 1, 1 }), 4);
}

static void
test_more_after_it (Fixture *fixture, gconstpointer data)
{
  static const guint8 elements[] = { 5, 6, 7 };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = load_built (
    fixture, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", elements, sizeof elements, &error);

  g_assert_no_error (error);
  assert_text (tensor, "[5 6]");
}

#define ORDER_AND_SHAPE "'fortran_order': False, 'shape': (2,), "

static void
test_bad_headers (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *dictionary;
    const char *message; /* a part of it */
  } tests[] = {
    { "", "byte 0: '{' expected" },
    { "{", "a string expected" },
    { "{}", "'descr' is missing" },
    { "[1, 2]", "'{' expected" },
    { "{'descr': '<f4', 'fortran_order': False, }", "'shape' is missing" },
    { "{'descr': '<f4', 'shape': (2,), }", "'fortran_order' is missing" },
    { "{'descr': '<f4', 'descr': '<f4', " ORDER_AND_SHAPE "}", "'descr' a second time" },
    { "{'descr': '<f4', " ORDER_AND_SHAPE "'more': 1}", "the key 'more' is not one of" },
    { "{'descr': '<f4', " ORDER_AND_SHAPE "} + 1", "something follows" },
    { "{'descr': '<f4', " ORDER_AND_SHAPE "}}", "something follows" },
    { "{'descr': '<f4', " ORDER_AND_SHAPE, "a string expected" },
    { "{'descr': '<f4', 'fortran_order': False 'shape': (2,)}", "'}' expected" },
    { "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}", "True or False expected" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", "',' expected" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': [2]}", "'(' expected" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': 2}", "'(' expected" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,,)}", "a whole number expected" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "a whole number expected" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (2.0,)}", "',' expected" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (02,)}", "begins with 0" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "byte 51: a negative extent" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}", "too large" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "4294967296" },
    { "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,)}", "4611686018427387904" },
    { "{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846975,)}", "truncated" },
    { "{'descr': '<f4', 'fortran_order': True, 'shape': (3000000000, 3000000000, 3000000000)}", "3000000000" },
    { "{'descr': '<f4', 'fortran_order': False, 'shape': ("
      "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
      "more than 32 axes" },
    { "{'descr': '|V2', " ORDER_AND_SHAPE "}", "'|V2' (raw bytes) is not supported" },
    { "{'descr': '|O', " ORDER_AND_SHAPE "}", "'|O' (Python objects) is not supported" },
    { "{'descr': '<U5', " ORDER_AND_SHAPE "}", "'<U5' (text) is not supported" },
    { "{'descr': '<M8[ns]', " ORDER_AND_SHAPE "}", "'<M8[ns]' (dates) is not supported" },
    { "{'descr': '<f16', " ORDER_AND_SHAPE "}", "'<f16' (extended precision) is not supported" },
    { "{'descr': '<i3', " ORDER_AND_SHAPE "}", "'<i3' is not known" },
    { "{'descr': '', " ORDER_AND_SHAPE "}", "'' is not known" },
    { "{'descr': '<', " ORDER_AND_SHAPE "}", "'<' is not known" },
    { "{'descr': 'f04', " ORDER_AND_SHAPE "}", "'f04' is not known" },
    { "{'descr': '\\x3cf4', " ORDER_AND_SHAPE "}", "an escape" },
    { "{'descr': [('x', '<f4'), ('y', '<f4')], " ORDER_AND_SHAPE "}",
      "structured dtype [('x', '<f4'), ('y', '<f4')] is not supported" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaTensor) tensor = load_built (fixture, 1, tests[i].dictionary, "12345678", 8, &error);

      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT);
      g_assert_null (tensor);
      g_assert_true (g_str_has_prefix (error->message, g_file_peek_path (fixture->file)));
      if (strstr (error->message, tests[i].message) == NULL)
        g_test_fail_printf ("%s: '%s' is not in '%s'", tests[i].dictionary, tests[i].message, error->message);
    }
}

/* The first bytes of a file that goes no further, all of them. */
static void
test_truncated (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GByteArray) bytes = build (1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "12345678", 8);

  for (guint length = 0; length < bytes->len; length++)
    {
      g_autoptr (GError) error = NULL;
      put (fixture, bytes->data, length);
      g_autoptr (CandelaTensor) tensor = candela_npy_load (fixture->file, &error);
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT);
      g_assert_nonnull (strstr (error->message, "truncated"));
    }
}

static void
test_bad_start (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *bytes;
    gsize length;
    const char *message;
  } tests[] = {
    { "\x93NUMPX\x01\x00\x02\x00{}", 12, "magic string is missing" },
    { "\x93NUMPY\x04\x00\x02\x00{}", 12, "version 4.0" },
    { "\x93NUMPY\x00\x00\x02\x00{}", 12, "version 0.0" },
    { "\x93NUMPY\x01\x01\x02\x00{}", 12, "version 1.1" },
    { "\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14, "4294967295 bytes is too long" },
    { "\x93NUMPY\x02\x00\x00\x00\x10\x00{}", 14, "truncated: ends after 2 of the 1048576" },
    { "\x93NUMPY\x01\x00\xff\xff{}", 12, "truncated: ends after 2 of the 65535" },
    { "\x93NUMPY\x01\x00\x05\x00{'\x00'}", 15, "is not one of" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autoptr (GError) error = NULL;
      put (fixture, tests[i].bytes, tests[i].length);
      g_autoptr (CandelaTensor) tensor = candela_npy_load (fixture->file, &error);
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT);
      g_assert_nonnull (strstr (error->message, tests[i].message));
    }
}

/* Bytes changed, left out and put in: an array or an error, nothing else. */
static void
test_mutated (Fixture *fixture, gconstpointer data)
{
  static const char *dictionary = "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }\n";
  static const char *likely = "0123456789(),'\"{}[]:<>=|-LTFbiufcOSV \n\\";
  guint n_arrays = 0;

  for (int round = 0; round < 3000; round++)
    {
      g_autoptr (GByteArray) bytes = build (1, dictionary, "abcdefghijkl", 12);
      int n = g_test_rand_int_range (1, 4);
      for (int i = 0; i < n; i++)
        {
          guint at = (guint) g_test_rand_int_range (0, (gint32) bytes->len);
          guint8 byte = g_test_rand_bit () ? (guint8) likely[g_test_rand_int_range (0, (gint32) strlen (likely))]
                                           : (guint8) g_test_rand_int ();
          switch (g_test_rand_int_range (0, 3))
            {
            case 0:
              bytes->data[at] = byte;
              break;
            case 1:
              g_byte_array_remove_index (bytes, at);
              break;
            default:
              g_byte_array_append (bytes, &byte, 1);
              memmove (bytes->data + at + 1, bytes->data + at, bytes->len - 1 - at);
              bytes->data[at] = byte;
              break;
            }
        }

      g_autoptr (GError) error = NULL;
      put (fixture, bytes->data, bytes->len);
      g_autoptr (CandelaTensor) tensor = candela_npy_load (fixture->file, &error);
      g_assert_true ((tensor != NULL) == (error == NULL));
      if (tensor != NULL)
        {
          g_autofree char *text = candela_tensor_to_string (tensor);
          g_assert_nonnull (text);
          n_arrays++;
        }
      else
        g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT);
    }
  g_assert_cmpuint (n_arrays, >, 0);
}

static CandelaTensor *
new_counting (gint64 n)
{
  g_autoptr (GError) error = NULL;
  CandelaTensor *tensor = candela_tensor_new (CANDELA_DTYPE_INT32, &n, 1, &error);

  g_assert_no_error (error);
  gint32 *values = candela_tensor_get_writable_data (tensor);
  for (gint32 i = 0; i < n; i++)
    values[i] = i;
  return tensor;
}

/* More than one piece, of every other element backwards. */
static void
test_save_strided (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) all = new_counting (400000);
  g_autoptr (GBytes) bytes = candela_tensor_get_bytes (all, NULL);
  g_autoptr (CandelaLayout) layout =
    candela_layout_slice (candela_tensor_get_layout (all), 0, CANDELA_SLICE_NONE, CANDELA_SLICE_NONE, -2, NULL);
  g_autoptr (CandelaTensor) some = candela_tensor_new_for_bytes (CANDELA_DTYPE_INT32, layout, bytes, &error);
  g_assert_no_error (error);

  g_assert_true (candela_npy_save (some, fixture->file, &error));
  g_assert_no_error (error);
  g_autoptr (CandelaTensor) loaded = candela_npy_load (fixture->file, &error);
  g_assert_no_error (error);
  g_assert_cmpint (candela_tensor_get_n_elements (loaded), ==, 200000);
  const gint32 *values = candela_tensor_get_data (loaded);
  for (gint32 i = 0; i < 200000; i++)
    g_assert_cmpint (values[i], ==, 399999 - 2 * i);
}

static void
test_save_fails (Fixture *fixture, gconstpointer data)
{
  g_autoptr (CandelaTensor) tensor = new_counting (3);
  g_autoptr (GFile) nowhere = g_file_get_child (fixture->file, "below-a-file.npy");
  g_autoptr (GFile) folder = g_file_new_for_path (fixture->folder);
  g_autoptr (GFile) full = g_file_new_for_path ("/dev/full");
  g_autoptr (GError) error = NULL;

  put (fixture, "kept", 4);
  g_assert_false (candela_npy_save (tensor, nowhere, &error));
  g_assert_true (error != NULL && error->domain == G_IO_ERROR);
  g_clear_error (&error);
  g_assert_false (candela_npy_save (tensor, folder, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY);
  g_clear_error (&error);
  if (g_file_query_exists (full, NULL))
    {
      g_assert_false (candela_npy_save (tensor, full, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE);
      g_clear_error (&error);
    }
  g_assert_cmpuint (count_files (fixture->folder), ==, 1);
}

static void
test_save_into_read_only_folder (Fixture *fixture, gconstpointer data)
{
  g_autoptr (CandelaTensor) tensor = new_counting (3);
  g_autoptr (GError) error = NULL;

  if (geteuid () == 0)
    {
      g_test_skip ("nothing is read-only for root");
      return;
    }
  g_assert_cmpint (g_chmod (fixture->folder, 0500), ==, 0);
  g_assert_false (candela_npy_save (tensor, fixture->file, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED);
  g_assert_cmpint (g_chmod (fixture->folder, 0700), ==, 0);
  g_assert_cmpuint (count_files (fixture->folder), ==, 0);
}

static void
test_save_keeps_mode_and_link (Fixture *fixture, gconstpointer data)
{
  g_autoptr (CandelaTensor) tensor = new_counting (3);
  g_autoptr (GFile) link = g_file_new_build_filename (fixture->folder, "link.npy", NULL);
  g_autoptr (GError) error = NULL;
  GStatBuf status;

  put (fixture, "old", 3);
  g_assert_cmpint (g_chmod (g_file_peek_path (fixture->file), 0640), ==, 0);
  g_assert_true (g_file_make_symbolic_link (link, "array.npy", NULL, &error));
  g_assert_true (candela_npy_save (tensor, link, &error));
  g_assert_no_error (error);
  g_assert_cmpint (g_lstat (g_file_peek_path (link), &status), ==, 0);
  g_assert_true (S_ISLNK (status.st_mode));
  g_assert_cmpint (g_stat (g_file_peek_path (fixture->file), &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0640);
  g_autoptr (CandelaTensor) loaded = candela_npy_load (fixture->file, &error);
  g_assert_no_error (error);
  assert_text (loaded, "[0 1 2]");
}

static void
test_load_no_file (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (candela_npy_load (fixture->file, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
}

#define ADD(path, data, function) g_test_add ("/npy/" path, Fixture, data, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (saved); i++)
    {
      g_autofree char *path = g_strconcat ("/npy/saved/", saved[i].name, NULL);
      g_test_add (path, Fixture, &saved[i], set_up, test_saved, tear_down);
    }
  ADD ("other-headers", NULL, test_other_headers);
  ADD ("big-endian-complex", NULL, test_big_endian_complex);
  ADD ("bools-become-0-or-1", NULL, test_bools_become_0_or_1);
  ADD ("more-after-it", NULL, test_more_after_it);
  ADD ("bad-headers", NULL, test_bad_headers);
  ADD ("truncated", NULL, test_truncated);
  ADD ("bad-start", NULL, test_bad_start);
  ADD ("mutated", NULL, test_mutated);
  ADD ("save-strided", NULL, test_save_strided);
  ADD ("save-fails", NULL, test_save_fails);
  ADD ("save-into-read-only-folder", NULL, test_save_into_read_only_folder);
  ADD ("save-keeps-mode-and-link", NULL, test_save_keeps_mode_and_link);
  ADD ("load-no-file", NULL, test_load_no_file);
  return g_test_run ();
}
