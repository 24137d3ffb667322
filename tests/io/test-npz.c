/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Archives of arrays: what numpy.savez() and numpy.savez_compressed() wrote is
 * read, and no archive, however made, does more than give an error. */
#include <candela/candela.h>

#include <glib/gstdio.h>
#include <string.h>

/* numpy.savez_compressed (f, table=numpy.arange (40.0).reshape (5, 8), labels=numpy.array ([3, 1], "uint8")) */
static const char *deflated =
  "UEsDBBQAAAAIAAAAIQBiX3UOpAAAAMABAAAJABQAdGFibGUubnB5AQAQAMABAAAAAAAApAAAAAAAAACdyL0OwVAYh/FjE5PBYDCciDgljfgq"
  "VR8tTWzEYjBJo20MotKKRSTuwY26BJU+i9W7/N7n/1pvV5tdTtzEXflBcoiVJdUkNJUuVRjF19g776PYD7770jslQbonR+8SpK0ZujQbunzI"
  "v68gfu5t8zgZeSxiCctYQYlVrGEdNWyiji1sYwe72MM+GjjAIZo4QgvHOMEpztBGJ/OJYk6jWNAoXNp1PlBLAwQUAAAACAAAACEAWjFa9EYA"
  "AACCAAAACgAUAGxhYmVscy5ucHkBABAAggAAAAAAAABGAAAAAAAAAJvsF+obEMnIUMZQrZ6SWpxcpG6loF5Taqiuo6Cell9UUpSYF59flJIK"
  "EndLzClOBYoXZyQWpAL5GkY6mjoKtQoUAC5mRgBQSwECFAMUAAAACAAAACEAYl91DqQAAADAAQAACQAAAAAAAAAAAAAAgAEAAAAAdGFibGUu"
  "bnB5UEsBAhQDFAAAAAgAAAAhAFoxWvRGAAAAggAAAAoAAAAAAAAAAAAAAIAB3wAAAGxhYmVscy5ucHlQSwUGAAAAAAIAAgBvAAAAYQEAAAAA";

/* numpy.savez (f, table=[[0, 1], [8, 9]] in Fortran order, **{"a/b": numpy.array ([3, 1], "uint8")}) */
static const char *stored =
  "UEsDBBQAAAAAAAAAIQALkFEvoAAAAKAAAAAJABQAdGFibGUubnB5AQAQAKAAAAAAAAAAoAAAAAAAAACTTlVNUFkBAHYAeydkZXNjcic6ICc8"
  "ZjgnLCAnZm9ydHJhbl9vcmRlcic6IFRydWUsICdzaGFwZSc6ICgyLCAyKSwgfSAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg"
  "ICAgICAgICAgICAgICAgICAgICAgICAgCgAAAAAAAAAAAAAAAAAAIEAAAAAAAADwPwAAAAAAACJAUEsDBBQAAAAAAAAAIQBaMVr0ggAAAIIA"
  "AAAHABQAYS9iLm5weQEAEACCAAAAAAAAAIIAAAAAAAAAk05VTVBZAQB2AHsnZGVzY3InOiAnfHUxJywgJ2ZvcnRyYW5fb3JkZXInOiBGYWxz"
  "ZSwgJ3NoYXBlJzogKDIsKSwgfSAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIAoD"
  "AVBLAQIUAxQAAAAAAAAAIQALkFEvoAAAAKAAAAAJAAAAAAAAAAAAAACAAQAAAAB0YWJsZS5ucHlQSwECFAMUAAAAAAAAACEAWjFa9IIAAACC"
  "AAAABwAAAAAAAAAAAAAAgAHbAAAAYS9iLm5weVBLBQYAAAAAAgACAGwAAACWAQAAAAA=";

/* Two members x.npy, notes.txt, and text.npy, which is not an array. Made by Python's zipfile. */
static const char *twice =
  "UEsDBBQAAAAAAHcDfl1aMVr0ggAAAIIAAAAFAAAAeC5ucHmTTlVNUFkBAHYAeydkZXNjcic6ICd8dTEnLCAnZm9ydHJhbl9vcmRlcic6IEZh"
  "bHNlLCAnc2hhcGUnOiAoMiwpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg"
  "CgMBUEsDBBQAAAAAAHcDfl1aMVr0ggAAAIIAAAAFAAAAeC5ucHmTTlVNUFkBAHYAeydkZXNjcic6ICd8dTEnLCAnZm9ydHJhbl9vcmRlcic6"
  "IEZhbHNlLCAnc2hhcGUnOiAoMiwpLCB9ICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg"
  "ICAgCgMBUEsDBBQAAAAAAHcDfl1wTT+9CAAAAAgAAAAJAAAAbm90ZXMudHh0bm8gYXJyYXlQSwMEFAAAAAAAdwN+XXBNP70IAAAACAAAAAgA"
  "AAB0ZXh0Lm5weW5vIGFycmF5UEsBAhQDFAAAAAAAdwN+XVoxWvSCAAAAggAAAAUAAAAAAAAAAAAAAIABAAAAAHgubnB5UEsBAhQDFAAAAAAA"
  "dwN+XVoxWvSCAAAAggAAAAUAAAAAAAAAAAAAAIABpQAAAHgubnB5UEsBAhQDFAAAAAAAdwN+XXBNP70IAAAACAAAAAkAAAAAAAAAAAAAAIAB"
  "SgEAAG5vdGVzLnR4dFBLAQIUAxQAAAAAAHcDfl1wTT+9CAAAAAgAAAAIAAAAAAAAAAAAAACAAXkBAAB0ZXh0Lm5weVBLBQYAAAAABAAEANMA"
  "AACnAQAAAAA=";

/* Where in the first of these things are: the data of table.npy, and what the
 * directory says of it. */
#define DEFLATED_DATA 59
#define DIRECTORY 353
#define DIRECTORY_FLAGS (DIRECTORY + 8)
#define DIRECTORY_METHOD (DIRECTORY + 10)
#define DIRECTORY_CRC (DIRECTORY + 16)
#define DIRECTORY_COMPRESSED_SIZE (DIRECTORY + 20)
#define DIRECTORY_SIZE (DIRECTORY + 24)

typedef struct
{
  char *folder;
  GFile *file;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("candela-npz-XXXXXX", &error);
  g_assert_no_error (error);
  fixture->file = g_file_new_build_filename (fixture->folder, "arrays.npz", NULL);
}

/* Saving leaves nothing behind beside the file itself. */
static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_unlink (g_file_peek_path (fixture->file));
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->folder);
  g_object_unref (fixture->file);
}

static void
put (Fixture *fixture, const guint8 *bytes, gsize length)
{
  g_autoptr (GError) error = NULL;

  g_file_set_contents (g_file_peek_path (fixture->file), (const char *) bytes, (gssize) length, &error);
  g_assert_no_error (error);
}

static void
put_text (Fixture *fixture, const char *text)
{
  gsize length;
  g_autofree guint8 *bytes = g_base64_decode (text, &length);

  put (fixture, bytes, length);
}

static void
assert_member (Fixture *fixture, const char *name, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_npz_load (fixture->file, name, &error);
  g_assert_no_error (error);
  g_autofree char *text = candela_tensor_to_string (tensor);
  g_assert_cmpstr (text, ==, expected);
}

static void
assert_list (Fixture *fixture, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) names = candela_npz_list (fixture->file, &error);
  g_assert_no_error (error);
  g_autofree char *joined = g_strjoinv (", ", names);
  g_assert_cmpstr (joined, ==, expected);
}

static void
assert_bad (Fixture *fixture, const char *name, int code, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_npz_load (fixture->file, name, &error);

  g_assert_null (tensor);
  g_assert_error (error, CANDELA_ERROR, code);
  g_assert_true (g_str_has_prefix (error->message, g_file_peek_path (fixture->file)));
  if (strstr (error->message, message) == NULL)
    g_test_fail_printf ("'%s' is not in '%s'", message, error->message);
}

static void
test_deflated (Fixture *fixture, gconstpointer data)
{
  put_text (fixture, deflated);
  assert_list (fixture, "table, labels");
  assert_member (fixture, "labels", "[3 1]");
  assert_member (fixture, "table.npy",
                 "[[ 0.  1.  2.  3.  4.  5.  6.  7.]\n"
                 " [ 8.  9. 10. 11. 12. 13. 14. 15.]\n"
                 " [16. 17. 18. 19. 20. 21. 22. 23.]\n"
                 " [24. 25. 26. 27. 28. 29. 30. 31.]\n"
                 " [32. 33. 34. 35. 36. 37. 38. 39.]]");
  assert_bad (fixture, "nothing", CANDELA_ERROR_PARAMETER, "there is no array 'nothing'");
  assert_bad (fixture, "", CANDELA_ERROR_PARAMETER, "there is no array ''");
}

static void
test_stored (Fixture *fixture, gconstpointer data)
{
  put_text (fixture, stored);
  assert_list (fixture, "table, a/b");
  assert_member (fixture, "table", "[[0. 1.]\n [8. 9.]]");
  assert_member (fixture, "a/b", "[3 1]");
}

static void
test_no_arrays (Fixture *fixture, gconstpointer data)
{
  put_text (fixture, twice);
  assert_list (fixture, "x, x, text");
  assert_bad (fixture, "x", CANDELA_ERROR_FORMAT, "two members 'x.npy'");
  assert_bad (fixture, "text", CANDELA_ERROR_FORMAT, "text.npy: not a .npy array");
  assert_bad (fixture, "notes.txt", CANDELA_ERROR_FORMAT, "notes.txt: not a .npy array");
}

/* What the directory claims, and what is there. */
static void
test_lies (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    gsize at;
    guint32 value;
    const char *message;
  } tests[] = {
    { DIRECTORY_FLAGS, 0x00080001, "encrypted" },
    { DIRECTORY_METHOD, 12, "compression method 12 is not supported" },
    { DIRECTORY_METHOD, 0, "cannot hold" },
    { DIRECTORY_CRC, 1, "CRC" },
    { DIRECTORY_SIZE, 0x7fffffff, "cannot hold" },
    { DIRECTORY_SIZE, 447, "truncated: float64 of shape" },
    { DIRECTORY_SIZE, 0, "truncated" },
    { DIRECTORY_COMPRESSED_SIZE, 10, "table.npy: " },
    { DEFLATED_DATA, 0xffffffff, "table.npy: " },
    { DEFLATED_DATA + 100, 0, "table.npy: " },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      gsize length;
      g_autofree guint8 *bytes = g_base64_decode (deflated, &length);
      gsize width = tests[i].at == DIRECTORY_METHOD ? 2 : 4;
      for (gsize j = 0; j < width; j++)
        bytes[tests[i].at + j] = (guint8) (tests[i].value >> (8 * j));
      put (fixture, bytes, length);
      assert_bad (fixture, "table", CANDELA_ERROR_FORMAT, tests[i].message);
      assert_member (fixture, "labels", "[3 1]");
    }
}

static void
test_truncated (Fixture *fixture, gconstpointer data)
{
  gsize length;
  g_autofree guint8 *bytes = g_base64_decode (deflated, &length);

  for (gsize n = 0; n < length; n++)
    {
      g_autoptr (GError) error = NULL;
      put (fixture, bytes, n);
      g_assert_null (candela_npz_load (fixture->file, "labels", &error));
      g_assert_nonnull (error);
    }
}

static void
test_mutated (Fixture *fixture, gconstpointer data)
{
  for (int round = 0; round < 2000; round++)
    {
      gsize length;
      g_autofree guint8 *bytes = g_base64_decode (round % 2 == 0 ? deflated : stored, &length);
      int n = g_test_rand_int_range (1, 4);
      for (int i = 0; i < n; i++)
        bytes[g_test_rand_int_range (0, (gint32) length)] = (guint8) g_test_rand_int ();
      put (fixture, bytes, length);

      g_autoptr (GError) error = NULL;
      g_autoptr (GError) list_error = NULL;
      g_auto (GStrv) names = candela_npz_list (fixture->file, &list_error);
      g_assert_true ((names != NULL) == (list_error == NULL));
      g_autoptr (CandelaTensor) tensor = candela_npz_load (fixture->file, "table", &error);
      g_assert_true ((tensor != NULL) == (error == NULL));
    }
}

static void
test_no_archive (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (candela_npz_list (fixture->file, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
  g_clear_error (&error);
  put (fixture, (const guint8 *) "\x93NUMPY\x01", 7);
  assert_bad (fixture, "x", CANDELA_ERROR_FORMAT, "zip");
  put (fixture, (const guint8 *) "", 0);
  assert_bad (fixture, "x", CANDELA_ERROR_FORMAT, "zip");
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

static void
test_save (Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = { "few", "many", "zw\xc3\xb6lf" };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) few = new_counting (3);
  g_autoptr (CandelaTensor) many = new_counting (300000);
  g_autoptr (GBytes) bytes = candela_tensor_get_bytes (many, NULL);
  g_autoptr (CandelaLayout) layout =
    candela_layout_slice (candela_tensor_get_layout (many), 0, CANDELA_SLICE_NONE, CANDELA_SLICE_NONE, -1, NULL);
  g_autoptr (CandelaTensor) reversed = candela_tensor_new_for_bytes (CANDELA_DTYPE_INT32, layout, bytes, &error);
  g_assert_no_error (error);
  CandelaTensor *const tensors[] = { few, reversed, few };

  put (fixture, (const guint8 *) "old", 3);
  g_assert_true (candela_npz_save (fixture->file, names, tensors, 3, &error));
  g_assert_no_error (error);
  assert_list (fixture, "few, many, zw\xc3\xb6lf");
  assert_member (fixture, "few", "[0 1 2]");
  assert_member (fixture, "zw\xc3\xb6lf", "[0 1 2]");
  assert_member (fixture, "many", "[299999 299998 299997 ...      2      1      0]");

  g_assert_true (candela_npz_save (fixture->file, NULL, NULL, 0, &error));
  g_assert_no_error (error);
  assert_list (fixture, "");
}

static void
test_save_fails (Fixture *fixture, gconstpointer data)
{
  static const char *const bad[][2] = { { "a", "a" }, { "a", "" }, { "a", "b/c" }, { "..\\a", "b" }, { "a", "\xff" } };
  static const char *const good[] = { "a", "b" };
  g_autoptr (CandelaTensor) tensor = new_counting (3);
  CandelaTensor *const tensors[] = { tensor, tensor };
  g_autoptr (GError) error = NULL;

  put_text (fixture, stored);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_assert_false (candela_npz_save (fixture->file, bad[i], tensors, 2, &error));
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
      g_clear_error (&error);
    }
  g_autoptr (GFile) nowhere = g_file_get_child (fixture->file, "below-a-file.npz");
  g_assert_false (candela_npz_save (nowhere, good, tensors, 2, &error));
  g_assert_true (error != NULL && error->domain == G_IO_ERROR);
  assert_member (fixture, "table", "[[0. 1.]\n [8. 9.]]");
}

#define ADD(path, function) g_test_add ("/npz/" path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  ADD ("deflated", test_deflated);
  ADD ("stored", test_stored);
  ADD ("no-arrays", test_no_arrays);
  ADD ("lies", test_lies);
  ADD ("truncated", test_truncated);
  ADD ("mutated", test_mutated);
  ADD ("no-archive", test_no_archive);
  ADD ("save", test_save);
  ADD ("save-fails", test_save_fails);
  return g_test_run ();
}
