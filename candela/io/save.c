/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Saving so that nothing is lost: the new file is made beside the old one and
 * takes its place by a rename once it is whole. The old file's bytes stay as
 * they are for whoever has it mapped, so that an output may bear the name of an
 * input. g_file_replace() does the same only for a file that exists, is not a
 * link and whose permissions can be kept. */
#include <candela/io/npy-private.h>

#include <stdlib.h>

#define MAX_TRIES 100

/* Where a link leads, and the file itself otherwise. */
static GFile *
follow_links (GFile *file)
{
  const char *path = g_file_peek_path (file);
  char *real = path != NULL ? realpath (path, NULL) : NULL;
  GFile *target = real != NULL ? g_file_new_for_path (real) : g_object_ref (file);

  free (real);
  return target;
}

/* A file of a new name in the folder of target. */
static GFile *
create_beside (GFile *target, GError **error)
{
  g_autoptr (GFile) folder = g_file_get_parent (target);
  g_autofree char *name = g_file_get_basename (target);

  if (folder == NULL)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY, "this is a folder");
      return NULL;
    }
  for (int i = 0; i < MAX_TRIES; i++)
    {
      g_autofree char *new_name = g_strdup_printf (".%.200s.%08x", name, g_random_int ());
      g_autoptr (GFile) beside = g_file_get_child (folder, new_name);
      g_autoptr (GError) create_error = NULL;
      g_autoptr (GFileOutputStream) stream = g_file_create (beside, G_FILE_CREATE_NONE, NULL, &create_error);
      if (stream != NULL)
        {
          g_output_stream_close (G_OUTPUT_STREAM (stream), NULL, NULL);
          return g_steal_pointer (&beside);
        }
      if (!g_error_matches (create_error, G_IO_ERROR, G_IO_ERROR_EXISTS) || i == MAX_TRIES - 1)
        {
          g_propagate_error (error, g_steal_pointer (&create_error));
          return NULL;
        }
    }
  return NULL;
}

/* Who may read the old file may read the new one. */
static void
keep_mode (GFile *target, GFile *beside)
{
  g_autoptr (GFileInfo) info =
    g_file_query_info (target, G_FILE_ATTRIBUTE_UNIX_MODE, G_FILE_QUERY_INFO_NONE, NULL, NULL);

  if (info != NULL && g_file_info_has_attribute (info, G_FILE_ATTRIBUTE_UNIX_MODE))
    g_file_set_attribute_uint32 (beside, G_FILE_ATTRIBUTE_UNIX_MODE,
                                 g_file_info_get_attribute_uint32 (info, G_FILE_ATTRIBUTE_UNIX_MODE),
                                 G_FILE_QUERY_INFO_NONE, NULL, NULL);
}

gboolean
candela_save_beside (GFile *file, CandelaSaveFunc fill, gpointer data, GError **error)
{
  GFileType type = g_file_query_file_type (file, G_FILE_QUERY_INFO_NONE, NULL);

  if (type == G_FILE_TYPE_SPECIAL)
    return fill (file, data, error);
  if (type == G_FILE_TYPE_DIRECTORY)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY, "this is a folder");
      return FALSE;
    }

  g_autoptr (GFile) target = follow_links (file);
  g_autoptr (GFile) beside = create_beside (target, error);
  if (beside == NULL)
    return FALSE;

  gboolean saved = fill (beside, data, error);
  if (saved)
    {
      keep_mode (target, beside);
      saved =
        g_file_move (beside, target, G_FILE_COPY_OVERWRITE | G_FILE_COPY_NO_FALLBACK_FOR_MOVE, NULL, NULL, NULL, error);
    }
  if (!saved)
    g_file_delete (beside, NULL, NULL);
  return saved;
}
