/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the subcommands of the tool share. GOption reads the options, but not
 * the rest of the line: an expression may begin with a minus sign, and so look
 * like an option to it. */
#include "common.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
tool_fail_expression (GError *error)
{
  fprintf (stderr, "candela: %s\n", error->message);
  g_error_free (error);
  return TOOL_EXIT_ERROR;
}

int
tool_fail (GError *error)
{
  g_strdelimit (error->message, "\r\n", ' ');
  return tool_fail_expression (error);
}

int
tool_fail_usage (const char *command, const char *format, ...)
{
  va_list args;
  g_autofree char *message = NULL;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_strdelimit (message, "\r\n", ' ');
  fprintf (stderr, "candela%s%s: %s; see candela%s%s --help\n", command != NULL ? " " : "",
           command != NULL ? command : "", message, command != NULL ? " " : "", command != NULL ? command : "");
  return TOOL_EXIT_USAGE;
}

gboolean
tool_print (const char *text, GError **error)
{
  if (fputs (text, stdout) >= 0 && fflush (stdout) == 0)
    return TRUE;
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "standard output: %s", g_strerror (errno));
  return FALSE;
}

/* What is no regular file (a pipe, a device) is written to and stays what it is, and so is
 * where a link leads. */
gboolean
tool_write_text (const char *path, const char *text, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  gboolean special = g_file_query_file_type (file, G_FILE_QUERY_INFO_NONE, NULL) == G_FILE_TYPE_SPECIAL;
  char *real = special ? NULL : realpath (path, NULL);
  FILE *stream = special ? fopen (path, "w") : NULL;
  gboolean ok;

  if (!special)
    {
      ok = g_file_set_contents (real != NULL ? real : path, text, -1, error);
      free (real);
      return ok;
    }
  ok = stream != NULL && fputs (text, stream) >= 0 && fflush (stream) == 0;
  if (!ok)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "%s: %s", path, g_strerror (errno));
  if (stream != NULL)
    fclose (stream);
  return ok;
}

/* Whether a word is an option of the table, and whether its value is the next. */
static gboolean
is_option (const GOptionEntry *entries, const char *word, gboolean *takes_next)
{
  const char *equals = strchr (word, '=');
  gsize length = equals != NULL ? (gsize) (equals - word) : strlen (word);

  *takes_next = FALSE;
  if (strcmp (word, "-h") == 0 || strcmp (word, "-?") == 0 || strcmp (word, "--help") == 0)
    return TRUE;
  for (const GOptionEntry *entry = entries; entry->long_name != NULL; entry++)
    {
      gboolean is_short = word[0] == '-' && word[1] == entry->short_name && word[1] != '\0' && word[2] == '\0';
      gboolean is_long = strncmp (word, "--", 2) == 0 && length - 2 == strlen (entry->long_name)
                         && strncmp (word + 2, entry->long_name, length - 2) == 0;

      if (!is_short && !is_long)
        continue;
      *takes_next = entry->arg != G_OPTION_ARG_NONE && (entry->flags & G_OPTION_FLAG_OPTIONAL_ARG) == 0
                    && (is_short || equals == NULL);
      return TRUE;
    }
  return FALSE;
}

/* "--thread": no expression looks so, but for a minus sign twice before a short name. */
static gboolean
is_mistaken_option (const char *word)
{
  gsize letters = strncmp (word, "--", 2) == 0 ? strspn (word + 2, G_CSET_a_2_z "-") : 0;

  return letters > 2 && (word[2 + letters] == '\0' || word[2 + letters] == '=');
}

gboolean
tool_parse_options (const ToolCommand *command, const GOptionEntry *entries, int argc, char **argv, char ***positionals,
                    int *status)
{
  g_autoptr (GOptionContext) context = g_option_context_new (command->arguments);
  g_autoptr (GStrvBuilder) options = g_strv_builder_new (), rest = g_strv_builder_new ();
  g_autofree char *program = g_strconcat ("candela ", command->name, NULL);
  g_auto (GStrv) words = NULL;
  g_autoptr (GError) error = NULL;
  gboolean all = TRUE;

  g_strv_builder_add (options, program);
  for (int i = 1; i < argc; i++)
    {
      gboolean takes_next;

      if (all && strcmp (argv[i], "--") == 0)
        all = FALSE;
      else if (all && is_option (entries, argv[i], &takes_next))
        {
          g_strv_builder_add (options, argv[i]);
          if (takes_next && i + 1 < argc)
            g_strv_builder_add (options, argv[++i]);
        }
      else if (all && is_mistaken_option (argv[i]))
        {
          *status = tool_fail_usage (command->name, "unknown option %s", argv[i]);
          return FALSE;
        }
      else
        g_strv_builder_add (rest, argv[i]);
    }

  g_set_prgname (program);
  g_option_context_set_summary (context, command->summary);
  g_option_context_set_description (context, command->description);
  g_option_context_add_main_entries (context, entries, NULL);
  words = g_strv_builder_end (options);
  if (!g_option_context_parse_strv (context, &words, &error))
    {
      *status = tool_fail_usage (command->name, "%s", error->message);
      return FALSE;
    }
  *positionals = g_strv_builder_end (rest);
  return TRUE;
}

static gboolean
is_name_character (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

gboolean
tool_is_assignment (const char *word, const char **value)
{
  gsize length = 0;

  while (is_name_character (word[length]))
    length++;
  if (length == 0 || g_ascii_isdigit (*word) || word[length] != '=' || word[length + 1] == '=')
    return FALSE;
  *value = word + length + 1;
  return TRUE;
}

/* "float32[2,3]": the dtype, or INVALID. */
static CandelaDType
find_spec_dtype (const char *value)
{
  gsize length = strcspn (value, "[");
  g_autofree char *name = g_strndup (value, length);

  if (value[length] != '\0' && value[strlen (value) - 1] != ']')
    return CANDELA_DTYPE_INVALID;
  return candela_dtype_from_name (name, NULL);
}

/* Whether NAME=… can be nothing but an input. */
static gboolean
is_input (const char *value)
{
  return g_str_has_suffix (value, ".npy") || g_str_has_suffix (value, ".npz") || strstr (value, ".npz:") != NULL
         || g_file_test (value, G_FILE_TEST_EXISTS) || find_spec_dtype (value) != CANDELA_DTYPE_INVALID;
}

/* Which of the words is the expression: the one that is no NAME=…, or, if there
 * is none, the NAME=… that is no input ("t=a+1"). -1: there is none. */
static gboolean
find_expression (const ToolCommand *command, char **words, int *found, int *status)
{
  int first[2] = { -1, -1 }, second[2] = { -1, -1 }; /* of those that are no NAME=…, and of those that are */
  gboolean kind;

  for (int i = 0; words[i] != NULL; i++)
    {
      const char *value;
      gboolean assignment = tool_is_assignment (words[i], &value);

      if (assignment && is_input (value))
        continue;
      *(first[assignment] < 0 ? &first[assignment] : &second[assignment]) = i;
    }

  kind = first[FALSE] < 0;
  *found = first[kind];
  if (second[kind] < 0)
    return TRUE;
  *status = tool_fail_usage (command->name, "two expressions, '%s' and '%s'", words[*found], words[second[kind]]);
  return FALSE;
}

static CandelaNode *
load_slot (const char *name, const char *value, GError **error)
{
  CandelaDType dtype = find_spec_dtype (value);
  const char *list = strchr (value, '[');
  g_autofree char *inner = list != NULL ? g_strndup (list + 1, strlen (list) - 2) : g_strdup ("");
  g_auto (GStrv) items = g_strsplit (g_strstrip (inner), ",", -1);
  gint64 shape[CANDELA_MAX_RANK];
  guint rank = 0;

  for (char **item = items; *item != NULL; item++)
    {
      if (*g_strstrip (*item) == '\0' && item[1] == NULL)
        break;
      if (rank == CANDELA_MAX_RANK)
        {
          g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE, "%s: more than %d axes in '%s'", name,
                       CANDELA_MAX_RANK, value);
          return NULL;
        }
      if (!g_ascii_string_to_signed (*item, 10, 0, G_MAXINT64, &shape[rank++], NULL))
        {
          g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE, "%s: '%s' is no extent of an axis", name, *item);
          return NULL;
        }
    }
  return candela_node_new_slot (name, dtype, shape, rank, error);
}

/* FILE.npz:member, or the only member of FILE.npz. */
static CandelaTensor *
load_npz (const char *path, const char *member, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_auto (GStrv) members = NULL;
  g_autofree char *names = NULL;

  if (member != NULL)
    return candela_npz_load (file, member, error);
  members = candela_npz_list (file, error);
  if (members == NULL)
    return NULL;
  if (g_strv_length (members) == 1)
    return candela_npz_load (file, members[0], error);
  names = g_strjoinv (", ", members);
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT, "%s has %u arrays (%s): say which, as %s:NAME", path,
               g_strv_length (members), names, path);
  return NULL;
}

static CandelaTensor *
load_file (const char *path, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  const char *colon = strstr (path, ".npz:");

  if (colon != NULL && !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_autofree char *archive = g_strndup (path, colon + 4 - path);

      return load_npz (archive, colon + 5, error);
    }
  return g_str_has_suffix (path, ".npz") ? load_npz (path, NULL, error) : candela_npy_load (file, error);
}

/* "float99[3]", "float32[2": no file, but meant as a dtype and a shape. */
static gboolean
is_misspelt_spec (const char *value, GError **error)
{
  gsize length = strspn (value, "abcdefghijklmnopqrstuvwxyz0123456789");
  g_autofree char *name = g_strndup (value, length);

  if (length == 0 || value[length] != '[' || g_file_test (value, G_FILE_TEST_EXISTS))
    return FALSE;
  if (candela_dtype_from_name (name, error) != CANDELA_DTYPE_INVALID)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE, "'%s' is no shape: write %s[2, 3]", value + length, name);
  return TRUE;
}

static gboolean
load_input (ToolProgram *program, const char *word, const char *value, gboolean slots, GError **error)
{
  g_autofree char *name = g_strndup (word, value - 1 - word);
  CandelaNode *node = NULL;

  if (g_hash_table_contains (program->names, name))
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY, "the input '%s' is given twice", name);
      return FALSE;
    }
  if (find_spec_dtype (value) != CANDELA_DTYPE_INVALID && !g_file_test (value, G_FILE_TEST_EXISTS))
    {
      if (!slots)
        g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY,
                     "the input '%s' has a shape but no data; only candela plan and candela bench take that", name);
      else
        node = load_slot (name, value, error);
    }
  else if (is_misspelt_spec (value, error))
    g_prefix_error (error, "%s: ", name);
  else
    {
      g_autoptr (CandelaTensor) tensor = load_file (value, error);

      node = tensor != NULL ? candela_node_new_tensor (tensor) : NULL;
    }
  if (node != NULL)
    g_hash_table_insert (program->names, g_steal_pointer (&name), node);
  return node != NULL;
}

/* An expression from a file, or from standard input ("-"). */
static gboolean
read_text (ToolProgram *program, const char *file, GError **error)
{
  g_autoptr (GString) text = NULL;
  char block[16384];
  gsize n;

  if (strcmp (file, "-") != 0)
    return g_file_get_contents (file, &program->text, &program->length, error);

  text = g_string_new (NULL);
  while ((n = fread (block, 1, sizeof block, stdin)) > 0)
    g_string_append_len (text, block, n);
  if (ferror (stdin))
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "standard input: %s", g_strerror (errno));
      return FALSE;
    }
  program->length = text->len;
  program->text = g_string_free (g_steal_pointer (&text), FALSE);
  return TRUE;
}

/* Whether the text has the name as a word of its own. */
static gboolean
has_word (const ToolProgram *program, const char *name)
{
  gsize length = strlen (name), end;

  for (gsize start = 0; start < program->length; start = end + 1)
    {
      for (end = start; end < program->length && is_name_character (program->text[end]); end++)
        ;
      if (end - start == length && memcmp (program->text + start, name, length) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Most likely a slip in a name. */
static void
tell_unnamed_inputs (const ToolProgram *program, char **positionals)
{
  for (int i = 0; positionals[i] != NULL; i++)
    {
      const char *value;
      g_autofree char *name =
        tool_is_assignment (positionals[i], &value) ? g_strndup (positionals[i], value - 1 - positionals[i]) : NULL;

      if (name != NULL && g_hash_table_contains (program->names, name) && !has_word (program, name))
        fprintf (stderr, "candela: the expression does not name the input '%s'\n", name);
    }
}

gboolean
tool_program_load (ToolProgram *program, const ToolCommand *command, char **positionals, const char *file,
                   gboolean slots, int *status)
{
  GError *error = NULL;
  int expression = -1;

  if (file == NULL && !find_expression (command, positionals, &expression, status))
    return FALSE;
  if (file == NULL && expression < 0)
    {
      *status = tool_fail_usage (command->name, "no expression");
      return FALSE;
    }

  program->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) candela_node_unref);
  for (int i = 0; positionals[i] != NULL; i++)
    {
      const char *value;

      if (i == expression)
        continue;
      if (!tool_is_assignment (positionals[i], &value))
        {
          *status = tool_fail_usage (command->name, "an expression by -f and another, '%s'", positionals[i]);
          return FALSE;
        }
      if (!load_input (program, positionals[i], value, slots, &error))
        {
          *status = tool_fail (error);
          return FALSE;
        }
    }
  if (file == NULL)
    {
      program->text = g_strdup (positionals[expression]);
      program->length = strlen (program->text);
    }
  else if (!read_text (program, file, &error))
    {
      *status = tool_fail (error);
      return FALSE;
    }
  tell_unnamed_inputs (program, positionals);
  return TRUE;
}

void
tool_program_clear (ToolProgram *program)
{
  g_clear_pointer (&program->text, g_free);
  g_clear_pointer (&program->names, g_hash_table_unref);
}
