/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reads what to do from standard input, and times it. A reading is of so many
 * runs in a row that the clock tells it well; readings go on until there are
 * enough of them and the time given for them is over. */
#include "serve.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

#define READING_NS 20000
#define MAX_READINGS 5000

static gint64
now_ns (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

/* A copy: pages of a mapped file are slower than those that a program gets. */
static CandelaTensor *
load_input (const char *path, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (CandelaTensor) mapped = candela_npy_load (file, error);
  g_autoptr (GBytes) bytes = NULL;
  const gint64 *shape;
  gsize n_dims;

  if (mapped == NULL)
    return NULL;
  bytes = candela_tensor_get_bytes (mapped, error);
  if (bytes == NULL)
    return NULL;
  shape = candela_tensor_get_shape (mapped, &n_dims);
  return candela_tensor_new_from_data (candela_tensor_get_dtype (mapped), shape, n_dims, g_bytes_get_data (bytes, NULL),
                                       g_bytes_get_size (bytes), error);
}

static void
clear_cell (ServeCell *cell)
{
  for (guint i = 0; i < cell->n_inputs; i++)
    {
      g_clear_pointer (&cell->names[i], g_free);
      g_clear_object (&cell->inputs[i]);
    }
  cell->n_inputs = 0;
}

static gboolean
setup (const ServeFunctions *functions, ServeCell *cell, char **words, GError **error)
{
  clear_cell (cell);
  cell->workload = words[1];
  cell->flags = words[2];
  cell->expression = words[3];
  for (char **word = words + 4; *word != NULL; word++)
    {
      char *equals = strchr (*word, '=');
      CandelaTensor *tensor;

      if (equals == NULL || cell->n_inputs == SERVE_MAX_INPUTS)
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "bad input %s", *word);
          return FALSE;
        }
      tensor = load_input (equals + 1, error);
      if (tensor == NULL)
        return FALSE;
      cell->names[cell->n_inputs] = g_strndup (*word, equals - *word);
      cell->inputs[cell->n_inputs++] = tensor;
    }
  return functions->setup (cell, error);
}

static void
measure (const ServeFunctions *functions, const char *kind, double seconds, guint least)
{
  g_autofree char *report = NULL;
  gint64 start = now_ns (), end, once;
  guint inner, readings = 0;

  functions->run (kind);
  once = MAX (1, now_ns () - start);
  inner = CLAMP (READING_NS / once, 1, 10000);
  end = now_ns () + (gint64) (seconds * 1e9);
  fputs ("ok", stdout);
  while (readings < least || (now_ns () < end && readings < MAX_READINGS))
    {
      start = now_ns ();
      for (guint i = 0; i < inner; i++)
        functions->run (kind);
      printf ("\t%.1f", (double) (now_ns () - start) / inner);
      readings++;
    }
  report = functions->report != NULL ? functions->report (kind) : NULL;
  if (report != NULL)
    printf ("\t%s", report);
  putchar ('\n');
}

static gboolean
save (const ServeFunctions *functions, const char *path, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  return candela_npy_save (functions->get_result (), file, error);
}

static gboolean
obey (const ServeFunctions *functions, ServeCell *cell, char **words, GError **error)
{
  guint n = g_strv_length (words);

  if (n >= 4 && g_str_equal (words[0], "setup"))
    return setup (functions, cell, words, error);
  if (n == 4 && g_str_equal (words[0], "run") && cell->n_inputs > 0)
    {
      measure (functions, words[1], g_ascii_strtod (words[2], NULL), (guint) g_ascii_strtoull (words[3], NULL, 10));
      return TRUE;
    }
  if (n == 2 && g_str_equal (words[0], "save") && cell->n_inputs > 0)
    return save (functions, words[1], error);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "not understood: %s", words[0]);
  return FALSE;
}

int
serve (const ServeFunctions *functions)
{
  ServeCell cell = { 0 };
  char *line = NULL;
  size_t size = 0;

  /* Nobody is woken to read while something is timed. */
  setvbuf (stdout, NULL, _IOFBF, MAX_READINGS * 16);
  puts ("ok\t" CANDELA_VERSION_S);
  fflush (stdout);
  while (getline (&line, &size, stdin) > 0)
    {
      g_auto (GStrv) words = g_strsplit (g_strchomp (line), "\t", -1);
      g_autoptr (GError) error = NULL;

      if (!obey (functions, &cell, words, &error))
        {
          g_strdelimit (error->message, "\n\t", ' ');
          printf ("no\t%s\n", error->message);
        }
      else if (!g_str_equal (words[0], "run"))
        puts ("ok");
      fflush (stdout);
    }
  clear_cell (&cell);
  free (line);
  return 0;
}
