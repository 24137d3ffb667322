/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * NumPy's .npz archives: ZIP files with a member NAME.npy for each array, stored
 * or deflated. Sizes that an archive claims are checked before memory is asked
 * for: those of a stored member against its own bytes, those of a deflated one
 * against the most that deflate can make of them. */
#include <candela/io/npy-private.h>

#include <string.h>
#include <zip.h>

#define SUFFIX ".npy"

/* The first of January 1980, as numpy.savez() has it: the same arrays give the
 * same bytes. */
#define FIRST_DATE (1 << 5 | 1)

/* Deflate codes at most 258 bytes in two bits. */
#define MAX_DEFLATE_RATIO 1032

G_DEFINE_AUTOPTR_CLEANUP_FUNC (zip_t, zip_discard)

/* Errors of the system are GIO's, all others are the archive's own. */
static void
set_zip_error (GError **error, zip_error_t *zip_error)
{
  const char *message = zip_error_strerror (zip_error);

  if (zip_error_code_zip (zip_error) == ZIP_ER_MEMORY)
    g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, message);
  else if (zip_error_code_zip (zip_error) == ZIP_ER_NOENT)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, message);
  else if (zip_error_system_type (zip_error) == ZIP_ET_SYS && zip_error_code_system (zip_error) != 0)
    g_set_error_literal (error, G_IO_ERROR, (int) g_io_error_from_errno (zip_error_code_system (zip_error)), message);
  else
    g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT, message);
}

static gboolean fail (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT, message);
  return FALSE;
}

/* What is no ordinary file of this machine is read as a whole. */
static zip_source_t *
open_source (GFile *file, zip_error_t *zip_error, GError **error)
{
  gsize length;
  char *contents;

  if (g_file_peek_path (file) != NULL
      && g_file_query_file_type (file, G_FILE_QUERY_INFO_NONE, NULL) == G_FILE_TYPE_REGULAR)
    return zip_source_file_create (g_file_peek_path (file), 0, -1, zip_error);
  if (!g_file_load_contents (file, NULL, &contents, &length, NULL, error))
    return NULL;
  /* libzip frees it with free(), as GLib does. */
  zip_source_t *source = zip_source_buffer_create (contents, length, 1, zip_error);
  if (source == NULL)
    g_free (contents);
  return source;
}

static zip_t *
archive_open (GFile *file, GError **error)
{
  zip_error_t zip_error;
  g_autoptr (GError) read_error = NULL;
  zip_t *zip = NULL;

  zip_error_init (&zip_error);
  zip_source_t *source = open_source (file, &zip_error, &read_error);
  if (source != NULL)
    {
      zip = zip_open_from_source (source, ZIP_RDONLY, &zip_error);
      if (zip == NULL)
        zip_source_free (source);
    }
  if (read_error != NULL)
    g_propagate_error (error, g_steal_pointer (&read_error));
  else if (zip == NULL)
    set_zip_error (error, &zip_error);
  zip_error_fini (&zip_error);
  return zip;
}

/* A member by its whole name; index is -1 if there is none. */
static gboolean
archive_find (zip_t *zip, const char *member, gint64 *index, GError **error)
{
  zip_int64_t n = zip_get_num_entries (zip, 0);

  *index = -1;
  for (zip_int64_t i = 0; i < n; i++)
    {
      const char *name = zip_get_name (zip, (zip_uint64_t) i, 0);
      if (name == NULL || strcmp (name, member) != 0)
        continue;
      if (*index >= 0)
        return fail (error, "there are two members '%s'", member);
      *index = i;
    }
  return TRUE;
}

/* Messages begin with the file. */
static void
propagate_for_file (GError **error, GError *inner, GFile *file)
{
  g_autofree char *name = g_file_get_parse_name (file);

  g_propagate_prefixed_error (error, inner, "%s: ", name);
}

/**
 * candela_npz_list:
 * @file: an archive
 * @error: return location for an error
 *
 * The names of the arrays in an archive in NumPy's .npz format, in the order in
 * which they are there, without the suffix `.npy` of their members.
 *
 * Errors: %CANDELA_ERROR_FORMAT for a file that is not a ZIP archive; those of GIO.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names, or %NULL on error
 *
 * Since: 1.0
 */
char **
candela_npz_list (GFile *file, GError **error)
{
  g_autoptr (GError) open_error = NULL;

  g_return_val_if_fail (G_IS_FILE (file), NULL);

  g_autoptr (zip_t) zip = archive_open (file, &open_error);
  if (zip == NULL)
    {
      propagate_for_file (error, g_steal_pointer (&open_error), file);
      return NULL;
    }

  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  zip_int64_t n = zip_get_num_entries (zip, 0);
  for (zip_int64_t i = 0; i < n; i++)
    {
      const char *member = zip_get_name (zip, (zip_uint64_t) i, 0);
      if (member == NULL || !g_str_has_suffix (member, SUFFIX) || !g_utf8_validate (member, -1, NULL))
        continue;
      g_autofree char *name = g_strndup (member, strlen (member) - strlen (SUFFIX));
      g_strv_builder_add (names, name);
    }
  return g_strv_builder_end (names);
}

static gboolean
read_member (gpointer source, gpointer out, gsize n, gsize *n_read, GError **error)
{
  zip_file_t *stream = source;

  *n_read = 0;
  while (*n_read < n)
    {
      zip_int64_t got = zip_fread (stream, (guint8 *) out + *n_read, n - *n_read);
      if (got < 0)
        {
          set_zip_error (error, zip_file_get_error (stream));
          return FALSE;
        }
      if (got == 0)
        break;
      *n_read += (gsize) got;
    }
  return TRUE;
}

/* What the archive says of a member, if it can be true. */
static gboolean
check_member (zip_t *zip, zip_uint64_t index, guint64 *size, GError **error)
{
  const zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  zip_stat_t stat;

  zip_stat_init (&stat);
  if (zip_stat_index (zip, index, 0, &stat) != 0)
    {
      set_zip_error (error, zip_get_error (zip));
      return FALSE;
    }
  if ((stat.valid & needed) != needed)
    return fail (error, "the archive does not say how large it is");
  if (stat.encryption_method != ZIP_EM_NONE)
    return fail (error, "it is encrypted");
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    return fail (error, "compression method %d is not supported", stat.comp_method);

  guint64 most = stat.comp_size;
  if (stat.comp_method == ZIP_CM_DEFLATE && !g_uint64_checked_mul (&most, stat.comp_size, MAX_DEFLATE_RATIO))
    most = G_MAXUINT64;
  if (stat.size > most)
    return fail (error,
                 "its %" G_GUINT64_FORMAT " bytes in the archive cannot hold the %" G_GUINT64_FORMAT
                 " that it is said to have",
                 (guint64) stat.comp_size, (guint64) stat.size);
  *size = stat.size;
  return TRUE;
}

static CandelaTensor *
read_array (zip_file_t *stream, guint64 size, GError **error)
{
  g_auto (CandelaNpyHeader) header = { 0 };

  if (!candela_npy_read_header (&header, read_member, stream, error) || !candela_npy_check_size (&header, size, error))
    return NULL;
  g_autoptr (CandelaTensor) tensor = candela_npy_read_elements (&header, read_member, stream, error);
  if (tensor == NULL)
    return NULL;

  /* The check sum is looked at when the end is met. */
  guint8 more;
  gsize n_more;
  return read_member (stream, &more, 1, &n_more, error) ? g_steal_pointer (&tensor) : NULL;
}

static CandelaTensor *
load_member (zip_t *zip, gint64 index, GError **error)
{
  guint64 size = 0;

  if (!check_member (zip, (zip_uint64_t) index, &size, error))
    return NULL;
  zip_file_t *stream = zip_fopen_index (zip, (zip_uint64_t) index, 0);
  if (stream == NULL)
    {
      set_zip_error (error, zip_get_error (zip));
      return NULL;
    }
  CandelaTensor *tensor = read_array (stream, size, error);
  zip_fclose (stream);
  return tensor;
}

static CandelaTensor *
load_by_name (GFile *file, const char *name, GError **error)
{
  g_autofree char *member = g_strconcat (name, SUFFIX, NULL);
  g_autoptr (GError) member_error = NULL;
  const char *found = name;
  gint64 index;

  g_autoptr (zip_t) zip = archive_open (file, error);
  if (zip == NULL || !archive_find (zip, found, &index, error))
    return NULL;
  if (index < 0)
    {
      found = member;
      if (!archive_find (zip, found, &index, error))
        return NULL;
    }
  if (index < 0)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER, "there is no array '%s' in it", name);
      return NULL;
    }
  CandelaTensor *tensor = load_member (zip, index, &member_error);
  if (tensor == NULL)
    g_propagate_prefixed_error (error, g_steal_pointer (&member_error), "%s: ", found);
  return tensor;
}

/**
 * candela_npz_load:
 * @file: an archive
 * @name: the name of an array in it, with or without the suffix `.npy`
 * @error: return location for an error
 *
 * Reads one array of an archive in NumPy's .npz format, as numpy.savez() and
 * numpy.savez_compressed() write them; candela_npy_load() says what an array may be.
 * A member that has exactly @name goes before one that has it with the suffix.
 *
 * Errors: %CANDELA_ERROR_FORMAT, naming the file and the member, for what
 * candela_npy_load() does not take, a file that is not a ZIP archive, a member
 * that is encrypted, damaged, compressed otherwise than by deflate or not of the
 * size that is said; %CANDELA_ERROR_PARAMETER if there is no array of that name;
 * %CANDELA_ERROR_NO_MEMORY; those of GIO.
 *
 * Returns: (transfer full): the array, or %NULL on error
 *
 * Since: 1.0
 */
CandelaTensor *
candela_npz_load (GFile *file, const char *name, GError **error)
{
  g_autoptr (GError) load_error = NULL;

  g_return_val_if_fail (G_IS_FILE (file), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  CandelaTensor *tensor = load_by_name (file, name, &load_error);
  if (tensor == NULL)
    propagate_for_file (error, g_steal_pointer (&load_error), file);
  return tensor;
}

/* A member to be written, as libzip asks for it. */
typedef struct
{
  CandelaNpyEncoder *encoder;
  const guint8 *piece;
  gsize length;
  zip_error_t error;
} MemberWriter;

static zip_int64_t
member_writer_read (MemberWriter *self, guint8 *out, zip_uint64_t length)
{
  zip_uint64_t n_read = 0;

  while (n_read < length)
    {
      if (self->length == 0 && !candela_npy_encoder_next (self->encoder, &self->piece, &self->length))
        break;
      gsize n = MIN (self->length, length - n_read);
      memcpy (out + n_read, self->piece, n);
      self->piece += n;
      self->length -= n;
      n_read += n;
    }
  return (zip_int64_t) n_read;
}

static zip_int64_t
member_writer_stat (MemberWriter *self, gpointer out, zip_uint64_t length)
{
  if (length < sizeof (zip_stat_t))
    {
      zip_error_set (&self->error, ZIP_ER_INVAL, 0);
      return -1;
    }

  zip_stat_t *stat = out;
  zip_stat_init (stat);
  stat->size = candela_npy_encoder_get_size (self->encoder);
  stat->valid = ZIP_STAT_SIZE;
  return sizeof *stat;
}

static zip_int64_t
member_writer_call (void *data, void *out, zip_uint64_t length, zip_source_cmd_t command)
{
  MemberWriter *self = data;

  switch (command)
    {
    case ZIP_SOURCE_OPEN:
      candela_npy_encoder_rewind (self->encoder);
      self->length = 0;
      return 0;
    case ZIP_SOURCE_READ:
      return member_writer_read (self, out, length);
    case ZIP_SOURCE_CLOSE:
      return 0;
    case ZIP_SOURCE_STAT:
      return member_writer_stat (self, out, length);
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data (&self->error, out, length);
    case ZIP_SOURCE_FREE:
      candela_npy_encoder_free (self->encoder);
      zip_error_fini (&self->error);
      g_free (self);
      return 0;
    case ZIP_SOURCE_SUPPORTS:
      return ZIP_SOURCE_SUPPORTS_READABLE;
    default:
      zip_error_set (&self->error, ZIP_ER_OPNOTSUPP, 0);
      return -1;
    }
}

static zip_source_t *
member_source (CandelaTensor *tensor, zip_error_t *zip_error)
{
  MemberWriter *writer = g_new0 (MemberWriter, 1);

  writer->encoder = candela_npy_encoder_new (tensor);
  zip_error_init (&writer->error);
  zip_source_t *source = zip_source_function_create (member_writer_call, writer, zip_error);
  if (source == NULL)
    member_writer_call (writer, NULL, 0, ZIP_SOURCE_FREE);
  return source;
}

typedef struct
{
  const char *const *names;
  CandelaTensor *const *tensors;
  gsize n;
} Save;

static gboolean
add_member (zip_t *zip, const Save *save, gsize i, GError **error)
{
  g_autofree char *member = g_strconcat (save->names[i], SUFFIX, NULL);
  zip_source_t *source = member_source (save->tensors[i], zip_get_error (zip));
  zip_int64_t index = -1;

  if (source != NULL)
    {
      index = zip_file_add (zip, member, source, ZIP_FL_ENC_UTF_8);
      if (index < 0)
        zip_source_free (source);
    }
  if (index >= 0 && zip_set_file_compression (zip, (zip_uint64_t) index, ZIP_CM_STORE, 0) == 0
      && zip_file_set_dostime (zip, (zip_uint64_t) index, 0, FIRST_DATE, 0) == 0)
    return TRUE;
  set_zip_error (error, zip_get_error (zip));
  g_prefix_error (error, "%s: ", member);
  return FALSE;
}

/* libzip removes an archive of nothing: this is one. */
static gboolean
fill_empty (GFile *file, GError **error)
{
  static const char end[22] = "PK\x05\x06";

  return g_file_replace_contents (file, end, sizeof end, NULL, FALSE, G_FILE_CREATE_NONE, NULL, NULL, error);
}

static gboolean
fill_archive (GFile *file, gpointer data, GError **error)
{
  const Save *save = data;
  const char *path = g_file_peek_path (file);
  zip_error_t zip_error;

  if (path == NULL || g_file_query_file_type (file, G_FILE_QUERY_INFO_NONE, NULL) == G_FILE_TYPE_SPECIAL)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "an archive is written into local files only");
      return FALSE;
    }
  if (save->n == 0)
    return fill_empty (file, error);

  int code = 0;
  g_autoptr (zip_t) zip = zip_open (path, ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (zip == NULL)
    {
      zip_error_init_with_code (&zip_error, code);
      set_zip_error (error, &zip_error);
      zip_error_fini (&zip_error);
      return FALSE;
    }
  for (gsize i = 0; i < save->n; i++)
    if (!add_member (zip, save, i, error))
      return FALSE;
  if (zip_close (zip) != 0)
    {
      set_zip_error (error, zip_get_error (zip));
      return FALSE;
    }
  zip = NULL; /* zip_close() freed it */
  return TRUE;
}

static gboolean
check_names (const char *const *names, gsize n, GError **error)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (gsize i = 0; i < n; i++)
    {
      const char *wrong = NULL;
      if (names[i] == NULL || *names[i] == '\0')
        wrong = "is empty";
      else if (!g_utf8_validate (names[i], -1, NULL))
        wrong = "is not UTF-8";
      else if (strpbrk (names[i], "/\\") != NULL)
        wrong = "has a path separator in it";
      else if (strlen (names[i]) > G_MAXUINT16 - strlen (SUFFIX))
        wrong = "is too long";
      else if (!g_hash_table_add (seen, (gpointer) names[i]))
        wrong = "is there twice";
      if (wrong == NULL)
        continue;
      g_autofree char *shown = names[i] != NULL ? g_utf8_make_valid (names[i], (gssize) strnlen (names[i], 60)) : NULL;
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER, "the name '%s' of array %" G_GSIZE_FORMAT " %s",
                   shown != NULL ? shown : "", i, wrong);
      return FALSE;
    }
  return TRUE;
}

/**
 * candela_npz_save:
 * @file: the file, which need not exist
 * @names: (array zero-terminated=1): a name for each array
 * @tensors: (array length=n_tensors): the arrays
 * @n_tensors: how many arrays there are
 * @error: return location for an error
 *
 * Writes an archive in NumPy's .npz format, as numpy.savez() does: each array stored,
 * not compressed, as the member `NAME.npy`. As with candela_npy_save(), the new
 * file takes the old one's place only once it is whole. Names are not empty, not
 * the same, and have no `/` or `\` in them. A list of names may end early with
 * %NULL, which is an error like an empty name.
 *
 * Errors: %CANDELA_ERROR_PARAMETER for such names, %CANDELA_ERROR_ARITY for a
 * tensor that is %NULL; those of GIO.
 *
 * Returns: %TRUE, or %FALSE on error
 *
 * Since: 1.0
 */
gboolean
candela_npz_save (GFile *file, const char *const *names, CandelaTensor *const *tensors, gsize n_tensors, GError **error)
{
  g_autoptr (GError) save_error = NULL;

  g_return_val_if_fail (G_IS_FILE (file), FALSE);
  g_return_val_if_fail (n_tensors == 0 || (names != NULL && tensors != NULL), FALSE);
  for (gsize i = 0; i < n_tensors; i++)
    if (tensors[i] == NULL)
      {
        g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY, "array %" G_GSIZE_FORMAT " is missing (NULL)", i);
        return FALSE;
      }

  Save save = { .names = names, .tensors = tensors, .n = n_tensors };
  if (check_names (names, n_tensors, &save_error) && candela_save_beside (file, fill_archive, &save, &save_error))
    return TRUE;
  propagate_for_file (error, g_steal_pointer (&save_error), file);
  return FALSE;
}
