/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Files of the safetensors format: eight bytes with the length of a header, the header,
 * an object of JSON that gives each array's dtype, shape and place, and then the
 * elements, packed, little-endian. An array is mapped, not read. Files come from
 * anywhere: what a header says is checked against the file before it is believed. */
#include <candela/io/npy-private.h>
#include <candela/io/safetensors.h>

#include <json-glib/json-glib.h>
#include <string.h>

/* That of the format's own reader. */
#define MAX_HEADER_LENGTH (100 * 1000 * 1000)
#define METADATA "__metadata__"
#define ALIGNMENT 8

static const struct
{
  const char *name;
  CandelaDType dtype;
} dtypes[] = {
  { "BOOL", CANDELA_DTYPE_BOOL },   { "I8", CANDELA_DTYPE_INT8 },       { "I16", CANDELA_DTYPE_INT16 },
  { "I32", CANDELA_DTYPE_INT32 },   { "I64", CANDELA_DTYPE_INT64 },     { "U8", CANDELA_DTYPE_UINT8 },
  { "U16", CANDELA_DTYPE_UINT16 },  { "U32", CANDELA_DTYPE_UINT32 },    { "U64", CANDELA_DTYPE_UINT64 },
  { "F32", CANDELA_DTYPE_FLOAT32 }, { "F64", CANDELA_DTYPE_FLOAT64 },   { "C64", CANDELA_DTYPE_COMPLEX64 },
  { "F16", CANDELA_DTYPE_FLOAT16 }, { "BF16", CANDELA_DTYPE_BFLOAT16 },
};

static gboolean fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (GError **error, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT, message);
  return FALSE;
}

static void
propagate_for_file (GError **error, GError *inner, GFile *file)
{
  g_autofree char *name = g_file_get_parse_name (file);

  g_propagate_prefixed_error (error, inner, "%s: ", name);
}

/* ---- Reading ---- */

typedef struct
{
  JsonParser *parser;
  JsonObject *arrays;
  guint64 start; /* of the elements, in the file */
  guint64 size;  /* of all elements */
} Header;

static void
header_clear (Header *header)
{
  g_clear_object (&header->parser);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Header, header_clear)

static gboolean
read_text (GFileInputStream *stream, Header *header, char **text, gsize *length, GError **error)
{
  guint64 counted, total;
  gsize n_read;
  g_autoptr (GFileInfo) info = g_file_input_stream_query_info (stream, G_FILE_ATTRIBUTE_STANDARD_SIZE, NULL, error);

  if (info == NULL
      || !g_input_stream_read_all (G_INPUT_STREAM (stream), &counted, sizeof counted, &n_read, NULL, error))
    return FALSE;
  total = (guint64) g_file_info_get_size (info);
  if (n_read < sizeof counted)
    return fail (error, "truncated: there is no length of a header");
  counted = GUINT64_FROM_LE (counted);
  if (counted > MAX_HEADER_LENGTH)
    return fail (error, "a header of %" G_GUINT64_FORMAT " bytes is too long: at most %d are read", counted,
                 MAX_HEADER_LENGTH);
  if (total < sizeof counted || counted > total - sizeof counted)
    return fail (error, "truncated: the header has %" G_GUINT64_FORMAT " bytes, and the file only %" G_GUINT64_FORMAT,
                 counted, total);
  header->start = sizeof counted + counted;
  header->size = total - header->start;
  *length = (gsize) counted;
  *text = g_malloc (*length + 1);
  if (!g_input_stream_read_all (G_INPUT_STREAM (stream), *text, *length, &n_read, NULL, error))
    return FALSE;
  return n_read == *length || fail (error, "truncated: the header ends too early");
}

static gboolean
read_header (Header *header, GFile *file, GError **error)
{
  g_autoptr (GFileInputStream) stream = g_file_read (file, NULL, error);
  g_autoptr (GError) parse_error = NULL;
  g_autofree char *text = NULL;
  gsize length = 0;
  JsonNode *root;

  if (stream == NULL || !read_text (stream, header, &text, &length, error))
    return FALSE;
  if (!g_utf8_validate (text, (gssize) length, NULL))
    return fail (error, "the header is not UTF-8");
  header->parser = json_parser_new_immutable ();
  if (!json_parser_load_from_data (header->parser, text, (gssize) length, &parse_error))
    return fail (error, "the header is no JSON: %s", parse_error->message);
  root = json_parser_get_root (header->parser);
  if (root == NULL || !JSON_NODE_HOLDS_OBJECT (root))
    return fail (error, "the header is no object of JSON");
  header->arrays = json_node_get_object (root);
  return TRUE;
}

static gboolean
read_dtype (JsonObject *array, const char *name, CandelaDType *dtype, GError **error)
{
  JsonNode *node = json_object_get_member (array, "dtype");

  if (node == NULL || json_node_get_value_type (node) != G_TYPE_STRING)
    return fail (error, "array '%s' has no dtype", name);
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (g_str_equal (dtypes[i].name, json_node_get_string (node)))
      {
        *dtype = dtypes[i].dtype;
        return TRUE;
      }
  return fail (error, "array '%s' has dtype %.20s, which is none of Candela's", name, json_node_get_string (node));
}

/* A list of integers that are not negative. */
static gboolean
read_integers (JsonObject *array, const char *name, const char *key, gint64 *values, guint most, guint *n,
               GError **error)
{
  JsonNode *node = json_object_get_member (array, key);
  JsonArray *list = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  if (list == NULL || json_array_get_length (list) > most)
    return fail (error, "array '%s' has no %s, or one of more than %u numbers", name, key, most);
  *n = json_array_get_length (list);
  for (guint i = 0; i < *n; i++)
    {
      JsonNode *item = json_array_get_element (list, i);

      if (!JSON_NODE_HOLDS_VALUE (item) || json_node_get_value_type (item) != G_TYPE_INT64
          || json_node_get_int (item) < 0)
        return fail (error, "array '%s': its %s is no list of integers from 0 up", name, key);
      values[i] = json_node_get_int (item);
    }
  return TRUE;
}

static CandelaTensor *
load (GFile *file, const char *name, GError **error)
{
  g_auto (Header) header = { NULL };
  g_autoptr (CandelaLayout) layout = NULL;
  gint64 shape[CANDELA_MAX_RANK], offsets[2];
  JsonObject *array;
  CandelaDType dtype = CANDELA_DTYPE_INVALID;
  guint rank, n_offsets;
  guint64 bytes;

  if (!read_header (&header, file, error))
    return NULL;
  if (g_str_equal (name, METADATA) || !json_object_has_member (header.arrays, name))
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER, "there is no array '%s'", name);
      return NULL;
    }
  if (!JSON_NODE_HOLDS_OBJECT (json_object_get_member (header.arrays, name)))
    {
      fail (error, "what is said of array '%s' is no object of JSON", name);
      return NULL;
    }
  array = json_object_get_object_member (header.arrays, name);
  if (!read_dtype (array, name, &dtype, error)
      || !read_integers (array, name, "shape", shape, CANDELA_MAX_RANK, &rank, error)
      || !read_integers (array, name, "data_offsets", offsets, 2, &n_offsets, error))
    return NULL;
  layout = candela_layout_new (shape, rank, error);
  if (layout == NULL)
    return NULL;
  bytes = (guint64) candela_layout_get_n_elements (layout);
  if (!g_uint64_checked_mul (&bytes, bytes, candela_dtype_get_size (dtype)) || n_offsets != 2 || offsets[1] < offsets[0]
      || (guint64) (offsets[1] - offsets[0]) != bytes || (guint64) offsets[1] > header.size)
    {
      fail (error, "array '%s' is not where it is said to be, or not as large", name);
      return NULL;
    }
  if (G_BYTE_ORDER != G_LITTLE_ENDIAN && candela_dtype_get_size (dtype) > 1)
    {
      fail (error, "array '%s' is little-endian, which this machine is not", name);
      return NULL;
    }
  return candela_tensor_new_mapped (dtype, layout, file, header.start + (guint64) offsets[0], error);
}

/**
 * candela_safetensors_list:
 * @file: a file
 * @error: return location for an error
 *
 * The names of the arrays in a file of the safetensors format, in the order of its
 * header.
 *
 * Errors: %CANDELA_ERROR_FORMAT for a file that is none; those of GIO.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names, or %NULL on error
 *
 * Since: 1.0
 */
char **
candela_safetensors_list (GFile *file, GError **error)
{
  g_auto (Header) header = { NULL };
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_autoptr (GError) read_error = NULL;
  g_autoptr (GList) members = NULL;

  g_return_val_if_fail (G_IS_FILE (file), NULL);

  if (!read_header (&header, file, &read_error))
    {
      propagate_for_file (error, g_steal_pointer (&read_error), file);
      return NULL;
    }
  members = json_object_get_members (header.arrays);
  for (GList *member = members; member != NULL; member = member->next)
    if (!g_str_equal (member->data, METADATA))
      g_strv_builder_add (names, member->data);
  return g_strv_builder_end (names);
}

/**
 * candela_safetensors_load:
 * @file: a file
 * @name: the name of an array in it
 * @error: return location for an error
 *
 * One array of a file of the safetensors format, mapped as candela_tensor_new_mapped()
 * does it.
 *
 * Errors: %CANDELA_ERROR_FORMAT, naming the file and the array, for a file that is
 * none, a header that does not fit it, and a dtype that Candela has not (`F16`,
 * `BF16`, `F8_E4M3` …); %CANDELA_ERROR_PARAMETER if there is no array of that name;
 * %CANDELA_ERROR_SHAPE for a shape that can be none; those of GIO.
 *
 * Returns: (transfer full): the array, or %NULL on error
 *
 * Since: 1.0
 */
CandelaTensor *
candela_safetensors_load (GFile *file, const char *name, GError **error)
{
  g_autoptr (GError) load_error = NULL;
  CandelaTensor *tensor;

  g_return_val_if_fail (G_IS_FILE (file), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  tensor = load (file, name, &load_error);
  if (tensor == NULL)
    propagate_for_file (error, g_steal_pointer (&load_error), file);
  return tensor;
}

/* ---- Writing ---- */

typedef struct
{
  const char *const *names;
  CandelaTensor *const *tensors;
  gsize n;
} Save;

static const char *
find_name (CandelaDType dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (dtypes[i].dtype == dtype)
      return dtypes[i].name;
  return NULL;
}

static gboolean
check (const Save *save, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (gsize i = 0; i < save->n; i++)
    {
      CandelaDType dtype = candela_tensor_get_dtype (save->tensors[i]);
      const char *wrong = save->names[i] == NULL || save->names[i][0] == '\0'   ? "is empty"
                          : !g_utf8_validate (save->names[i], -1, NULL)         ? "is not UTF-8"
                          : g_str_equal (save->names[i], METADATA)              ? "means something else"
                          : !g_hash_table_add (seen, (gpointer) save->names[i]) ? "is there twice"
                                                                                : NULL;

      if (wrong != NULL)
        {
          g_autofree char *shown = g_utf8_make_valid (save->names[i] != NULL ? save->names[i] : "", -1);

          g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER,
                       "the name '%.60s' of array %" G_GSIZE_FORMAT " %s", shown, i, wrong);
          return FALSE;
        }
      if (find_name (dtype) == NULL)
        {
          g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE, "array '%s' has dtype %s, which the format has not",
                       save->names[i], candela_dtype_get_name (dtype));
          return FALSE;
        }
    }
  return TRUE;
}

static guint64
count_bytes (CandelaTensor *tensor)
{
  return (guint64) candela_tensor_get_n_elements (tensor) * candela_dtype_get_size (candela_tensor_get_dtype (tensor));
}

static void
describe (JsonBuilder *builder, CandelaTensor *tensor, guint64 start)
{
  gsize rank;
  const gint64 *shape = candela_tensor_get_shape (tensor, &rank);

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "dtype");
  json_builder_add_string_value (builder, find_name (candela_tensor_get_dtype (tensor)));
  json_builder_set_member_name (builder, "shape");
  json_builder_begin_array (builder);
  for (gsize axis = 0; axis < rank; axis++)
    json_builder_add_int_value (builder, shape[axis]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "data_offsets");
  json_builder_begin_array (builder);
  json_builder_add_int_value (builder, (gint64) start);
  json_builder_add_int_value (builder, (gint64) (start + count_bytes (tensor)));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

/* Length and header, which ends where elements may begin. */
static GString *
write_header (const Save *save)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *text = NULL;
  GString *header = g_string_new (NULL);
  guint64 start = 0, length;

  json_builder_begin_object (builder);
  for (gsize i = 0; i < save->n; i++)
    {
      json_builder_set_member_name (builder, save->names[i]);
      describe (builder, save->tensors[i], start);
      start += count_bytes (save->tensors[i]);
    }
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  json_generator_set_root (generator, root);
  text = json_generator_to_data (generator, NULL);
  length = (strlen (text) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  length = GUINT64_TO_LE (length);
  g_string_append_len (header, (const char *) &length, sizeof length);
  g_string_append (header, text);
  while (header->len % ALIGNMENT != 0)
    g_string_append_c (header, ' ');
  return header;
}

static gboolean
fill (GFile *file, gpointer data, GError **error)
{
  const Save *save = data;
  g_autoptr (GFileOutputStream) stream = g_file_replace (file, NULL, FALSE, G_FILE_CREATE_NONE, NULL, error);
  g_autoptr (GString) header = write_header (save);
  GOutputStream *output = G_OUTPUT_STREAM (stream);

  if (stream == NULL || !g_output_stream_write_all (output, header->str, header->len, NULL, NULL, error))
    return FALSE;
  for (gsize i = 0; i < save->n; i++)
    {
      g_autoptr (GBytes) bytes = candela_tensor_get_bytes (save->tensors[i], error);
      gsize size;
      gconstpointer elements = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

      if (bytes == NULL || !g_output_stream_write_all (output, elements, size, NULL, NULL, error))
        return FALSE;
    }
  return g_output_stream_close (output, NULL, error);
}

/**
 * candela_safetensors_save:
 * @file: the file, which need not exist
 * @names: (array zero-terminated=1): a name for each array
 * @tensors: (array length=n_tensors): the arrays
 * @n_tensors: how many arrays there are
 * @error: return location for an error
 *
 * Writes a file of the safetensors format. As with candela_npy_save(), the new file
 * takes the old one's place only once it is whole. Names are not empty, not the same,
 * and not `__metadata__`. A list of names may end early with %NULL, which is an error
 * like an empty name.
 *
 * Errors: %CANDELA_ERROR_PARAMETER for such names, %CANDELA_ERROR_ARITY for a tensor
 * that is %NULL, %CANDELA_ERROR_DTYPE for complex128, which the format has not; those
 * of GIO.
 *
 * Returns: %TRUE, or %FALSE on error
 *
 * Since: 1.0
 */
gboolean
candela_safetensors_save (GFile *file, const char *const *names, CandelaTensor *const *tensors, gsize n_tensors,
                          GError **error)
{
  Save save = { names, tensors, n_tensors };
  g_autoptr (GError) save_error = NULL;

  g_return_val_if_fail (G_IS_FILE (file), FALSE);
  g_return_val_if_fail (n_tensors == 0 || (names != NULL && tensors != NULL), FALSE);
  for (gsize i = 0; i < n_tensors; i++)
    if (tensors[i] == NULL)
      {
        g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY, "array %" G_GSIZE_FORMAT " is missing (NULL)", i);
        return FALSE;
      }

  if (check (&save, &save_error) && candela_save_beside (file, fill, &save, &save_error))
    return TRUE;
  propagate_for_file (error, g_steal_pointer (&save_error), file);
  return FALSE;
}
