/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of safetensors: what the format's own library wrote is read, what is written is
 * laid out as the format says, and no file, however made, does more than give an error. */
#include "../plugins/op-testing.h"

#include <glib/gstdio.h>

/* safetensors.numpy.save(), 0.6: table [[0, 0.5, 1], [1.5, 2, 2.5]] of float32, labels
 * [3, 1] of uint8, nothing of shape [0, 2], scalar -7 of int16, half of float16; with
 * metadata. */
static const char *written =
  "UAEAAAAAAAB7Il9fbWV0YWRhdGFfXyI6eyJtYWRlIjoiYnkgaGFuZCJ9LCJub3RoaW5nIjp7ImR0eXBlIjoiSTY0Iiwic2hhcGUi"
  "OlswLDJdLCJkYXRhX29mZnNldHMiOlswLDBdfSwidGFibGUiOnsiZHR5cGUiOiJGMzIiLCJzaGFwZSI6WzIsM10sImRhdGFfb2Zm"
  "c2V0cyI6WzAsMjRdfSwiaGFsZiI6eyJkdHlwZSI6IkYxNiIsInNoYXBlIjpbMV0sImRhdGFfb2Zmc2V0cyI6WzI0LDI2XX0sInNj"
  "YWxhciI6eyJkdHlwZSI6IkkxNiIsInNoYXBlIjpbXSwiZGF0YV9vZmZzZXRzIjpbMjYsMjhdfSwibGFiZWxzIjp7ImR0eXBlIjoi"
  "VTgiLCJzaGFwZSI6WzJdLCJkYXRhX29mZnNldHMiOlsyOCwzMF19fSAgICAAAAAAAAAAPwAAgD8AAMA/AAAAQAAAIEAAPPn/AwE=";

typedef struct
{
  char *folder;
  GFile *file;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;

  fixture->folder = g_dir_make_tmp ("candela-XXXXXX", &error);
  g_assert_no_error (error);
  path = g_build_filename (fixture->folder, "a.safetensors", NULL);
  fixture->file = g_file_new_for_path (path);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_file_delete (fixture->file, NULL, NULL);
  g_rmdir (fixture->folder);
  g_object_unref (fixture->file);
  g_free (fixture->folder);
}

static void
put (const Fixture *fixture, gconstpointer bytes, gsize n)
{
  g_autoptr (GError) error = NULL;

  g_file_set_contents (g_file_peek_path (fixture->file), bytes, (gssize) n, &error);
  g_assert_no_error (error);
}

static void
check_array (const Fixture *fixture, const char *name, const char *dtype, const char *shape, const char *elements)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) got = candela_safetensors_load (fixture->file, name, &error);
  g_autoptr (CandelaTensor) wanted = make_tensor (dtype, shape, elements);

  g_assert_no_error (error);
  assert_same (got, wanted, name);
}

static void
check_half (const Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) got = candela_safetensors_load (fixture->file, "half", &error);

  g_assert_no_error (error);
  g_assert_cmpint (candela_tensor_get_dtype (got), ==, CANDELA_DTYPE_FLOAT16);
  g_assert_cmphex (*(const guint16 *) candela_tensor_get_data (got), ==, 0x3c00);
}

/* What is written is what is read. */
static void
test_halves (Fixture *fixture, gconstpointer data)
{
  static const char header[] = "{\"a\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4]},"
                               "\"b\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[4,8]}}";
  static const guint16 elements[] = { 0x3c00, 0xfc00, 0x3f80, 0xff80 };
  static const gint64 n = 2;
  const char *const names[] = { "a", "b", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) a =
    candela_tensor_new_from_data (CANDELA_DTYPE_FLOAT16, &n, 1, (const guint8 *) elements, 4, &error);
  g_autoptr (CandelaTensor) b =
    candela_tensor_new_from_data (CANDELA_DTYPE_BFLOAT16, &n, 1, (const guint8 *) (elements + 2), 4, &error);
  g_autoptr (CandelaTensor) got = NULL;
  g_autofree char *contents = NULL;
  gsize length;

  g_assert_true (candela_safetensors_save (fixture->file, names, (CandelaTensor *[]){ a, b }, 2, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (g_file_peek_path (fixture->file), &contents, &length, &error));
  g_assert_cmpmem (contents + 8, strlen (header), header, strlen (header));
  got = candela_safetensors_load (fixture->file, "b", &error);
  g_assert_no_error (error);
  g_assert_cmpint (candela_tensor_get_dtype (got), ==, CANDELA_DTYPE_BFLOAT16);
  g_assert_cmpmem (candela_tensor_get_data (got), 4, elements + 2, 4);
}

static void
test_read (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  gsize n;
  g_autofree guchar *bytes = g_base64_decode (written, &n);
  g_auto (GStrv) names = NULL;
  g_autofree char *joined = NULL;

  put (fixture, bytes, n);
  names = candela_safetensors_list (fixture->file, &error);
  g_assert_no_error (error);
  joined = g_strjoinv (" ", names);
  g_assert_cmpstr (joined, ==, "nothing table half scalar labels");
  check_array (fixture, "table", "float32", "2 3", "0 0.5 1 1.5 2 2.5");
  check_array (fixture, "labels", "uint8", "2", "3 1");
  check_array (fixture, "nothing", "int64", "0 2", "");
  check_array (fixture, "scalar", "int16", "", "-7");
  check_half (fixture);
  g_assert_null (candela_safetensors_load (fixture->file, "__metadata__", &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
  g_clear_error (&error);
  g_assert_null (candela_safetensors_load (fixture->file, "none", &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
}

/* A strided array is packed; what is written is what the format says. */
static void
test_write (Fixture *fixture, gconstpointer data)
{
  static const char header[] = "{\"a\":{\"dtype\":\"I16\",\"shape\":[2,2],\"data_offsets\":[0,8]},"
                               "\"\xc3\xa9 \\\"b\\\"\":{\"dtype\":\"BOOL\",\"shape\":[],\"data_offsets\":[8,9]}}";
  static const gint16 elements[] = { 1, 3, 2, 4 };
  const char *const names[] = { "a", "\xc3\xa9 \"b\"", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = make_value ("int16", "2 2", "1 2 3 4");
  g_autoptr (CandelaTensor) turned = compute_op ("transpose", NULL, node, NULL);
  g_autoptr (CandelaTensor) truth = make_tensor ("bool", "", "1");
  CandelaTensor *tensors[] = { turned, truth };
  g_autofree char *contents = NULL;
  gsize length, padded = (strlen (header) + 7) / 8 * 8;
  guint64 counted;

  g_assert_true (candela_safetensors_save (fixture->file, names, tensors, 2, &error));
  g_assert_no_error (error);
  check_array (fixture, "a", "int16", "2 2", "1 3 2 4");
  check_array (fixture, "\xc3\xa9 \"b\"", "bool", "", "1");
  g_assert_true (g_file_get_contents (g_file_peek_path (fixture->file), &contents, &length, &error));
  memcpy (&counted, contents, sizeof counted);
  g_assert_cmpuint (GUINT64_FROM_LE (counted), ==, padded);
  g_assert_cmpuint (length, ==, 8 + padded + 9);
  g_assert_cmpmem (contents + 8, strlen (header), header, strlen (header));
  if (G_BYTE_ORDER == G_LITTLE_ENDIAN)
    g_assert_cmpmem (contents + 8 + padded, 8, elements, 8);

  /* An error leaves the file as it was. */
  {
    const char *const same[] = { "a", "a", NULL };
    g_autofree char *again = NULL;

    g_assert_false (candela_safetensors_save (fixture->file, same, tensors, 2, &error));
    g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
    g_clear_error (&error);
    g_assert_true (g_file_get_contents (g_file_peek_path (fixture->file), &again, &length, &error));
    g_assert_cmpmem (again, length, contents, 8 + padded + 9);
  }
}

static void
test_names (Fixture *fixture, gconstpointer data)
{
  static const char *const wrong[] = { "", "__metadata__", "\xff", NULL };
  g_autoptr (CandelaTensor) tensor = make_tensor ("int8", "1", "1");
  g_autoptr (CandelaTensor) wide = candela_tensor_new (CANDELA_DTYPE_COMPLEX128, NULL, 0, NULL);
  CandelaTensor *tensors[] = { tensor }, *wides[] = { wide }, *missing[] = { NULL };
  g_autoptr (GError) error = NULL;
  const char *const fine[] = { "a", NULL };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      const char *const names[] = { wrong[i], NULL };

      g_assert_false (candela_safetensors_save (fixture->file, names, tensors, 1, &error));
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
      g_clear_error (&error);
    }
  g_assert_false (candela_safetensors_save (fixture->file, fine, wides, 1, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE);
  g_clear_error (&error);
  g_assert_false (candela_safetensors_save (fixture->file, fine, missing, 1, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
  g_assert_false (g_file_query_exists (fixture->file, NULL));
}

/* A header of that text, and four bytes after it. */
static const struct
{
  const char *header, *message;
} headers[] = {
  { "", "no object" },
  { "[]", "no object" },
  { "{", "no JSON" },
  { "{\"a\":1}", "no object of JSON" },
  { "{\"a\":null}", "no object of JSON" },
  { "{\"a\":{}}", "has no dtype" },
  { "{\"a\":{\"dtype\":1}}", "has no dtype" },
  { "{\"a\":{\"dtype\":\"F8_E4M3\",\"shape\":[4],\"data_offsets\":[0,4]}}", "F8_E4M3" },
  { "{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,4]}}", "no shape" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":4,\"data_offsets\":[0,4]}}", "no shape" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[-4],\"data_offsets\":[0,4]}}", "integers from 0" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[4.5],\"data_offsets\":[0,4]}}", "integers from 0" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[\"4\"],\"data_offsets\":[0,4]}}", "integers from 0" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[4]}}", "no data_offsets" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0]}}", "not where" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4,8]}}", "no data_offsets" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[1,5]}}", "not where" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,0]}}", "not where" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[5],\"data_offsets\":[0,4]}}", "not where" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[9223372036854775807,0,9],\"data_offsets\":[0,4]}}", "" },
  { "{\"a\":{\"dtype\":\"F64\",\"shape\":[2305843009213693952],\"data_offsets\":[0,0]}}", "" },
  { "{\"a\":{\"dtype\":\"U8\",\"shape\":[9223372036854775807,9],\"data_offsets\":[0,4]}}", "" },
  { "{\"a\xff\":1}", "not UTF-8" },
};

static void
test_damaged (Fixture *fixture, gconstpointer data)
{
  for (gsize i = 0; i < G_N_ELEMENTS (headers); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      guint64 length = GUINT64_TO_LE ((guint64) strlen (headers[i].header));
      g_autoptr (GError) error = NULL;

      g_string_append_len (text, (const char *) &length, sizeof length);
      g_string_append (text, headers[i].header);
      g_string_append (text, "abcd");
      put (fixture, text->str, text->len);
      g_assert_null (candela_safetensors_load (fixture->file, "a", &error));
      g_assert_nonnull (error);
      g_assert_cmpint (error->domain, ==, CANDELA_ERROR);
      if (strstr (error->message, headers[i].message) == NULL)
        g_error ("row %zu: %s", (size_t) i, error->message);
    }
}

/* Cut after each byte, and each byte of the header as another one. */
static void
test_cut (Fixture *fixture, gconstpointer data)
{
  gsize n;
  g_autofree guchar *bytes = g_base64_decode (written, &n);

  for (gsize k = 0; k < n; k++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaTensor) tensor = NULL;

      put (fixture, bytes, k);
      tensor = candela_safetensors_load (fixture->file, "labels", &error);
      g_assert_null (tensor);
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT);
    }
  for (gsize k = 0; k < 344; k++)
    for (guint value = 0; value < 256; value += 51)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (CandelaTensor) tensor = NULL;
        guchar kept = bytes[k];

        bytes[k] = (guchar) value;
        put (fixture, bytes, n);
        bytes[k] = kept;
        tensor = candela_safetensors_load (fixture->file, "table", &error);
        g_assert_true ((tensor == NULL) == (error != NULL));
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/io/safetensors/read", Fixture, NULL, set_up, test_read, tear_down);
  g_test_add ("/io/safetensors/write", Fixture, NULL, set_up, test_write, tear_down);
  g_test_add ("/io/safetensors/halves", Fixture, NULL, set_up, test_halves, tear_down);
  g_test_add ("/io/safetensors/names", Fixture, NULL, set_up, test_names, tear_down);
  g_test_add ("/io/safetensors/damaged", Fixture, NULL, set_up, test_damaged, tear_down);
  g_test_add ("/io/safetensors/cut", Fixture, NULL, set_up, test_cut, tear_down);
  return g_test_run ();
}
