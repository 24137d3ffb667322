/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * candela new-plugin: a small project that builds a plugin with nothing but an installed
 * Candela. The files are made from templates (tools/templates), a piece for each op. */
#include "common.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

static const ToolCommand command = {
  "new-plugin", "NAME",
  "Writes a project in the folder NAME: a plugin with one element-wise op, one with a parameter and one\n"
  "reduction, their tests, what builds them, and a README.",
  "Ops are named by --op, in that order, any more are element-wise; what is not named is called after the\n"
  "plugin. Nothing that is there already is written over.\n"
  "\n"
  "Examples:\n"
  "  candela new-plugin mine\n"
  "  candela new-plugin activations --op softsign --op leaky_relu --op norm --build autotools\n"
};

typedef enum {
  ELEMENTWISE,
  PARAMETER,
  REDUCTION,
  N_KINDS
} Kind;

static const char *const kind_names[N_KINDS] = { "elementwise", "parameter", "reduction" };

typedef struct
{
  char *name;
  char *id; /* the name as a part of C identifiers */
  char *folder;
  char *license;
  char *build;
  GPtrArray *ops; /* names; the first N_KINDS are one of each kind */
} Project;

/* Text with the @words@ of pairs, which end with NULL, replaced. */
static char *
fill (const char *template_name, const char *const *pairs)
{
  g_autofree char *path = g_strconcat ("/candela/templates/", template_name, NULL);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
  GString *text = g_string_new_len (g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));

  for (; *pairs != NULL; pairs += 2)
    g_string_replace (text, pairs[0], pairs[1], 0);
  return g_string_free (text, FALSE);
}

static const char *
kind_of (guint op)
{
  return kind_names[op < N_KINDS ? op : ELEMENTWISE];
}

static char *
upper (const char *name)
{
  return g_ascii_strup (name, -1);
}

/* The pieces of all ops, PREFIXkind.c, one after the other. */
static char *
fill_ops (const Project *project, const char *prefix)
{
  GString *text = g_string_new (NULL);

  for (guint k = 0; k < project->ops->len; k++)
    {
      const char *op = project->ops->pdata[k];
      g_autofree char *name = g_strconcat (prefix, kind_of (k), ".c", NULL);
      g_autofree char *capital = upper (op);
      const char *const pairs[] = { "@op@", op, "@OP@", capital, NULL };
      g_autofree char *piece = fill (name, pairs);

      g_string_append (text, piece);
    }
  return g_string_free (text, FALSE);
}

/* One after the other, each as the format has it. */
static char *
join_ops (const Project *project, const char *before, const char *after, const char *between)
{
  GString *text = g_string_new (NULL);

  for (guint k = 0; k < project->ops->len; k++)
    g_string_append_printf (text, "%s%s%s%s", k > 0 ? between : "", before, (char *) project->ops->pdata[k], after);
  return g_string_free (text, FALSE);
}

static char *
list_tests (const Project *project)
{
  GString *text = g_string_new (NULL);

  for (guint k = 0; k < project->ops->len; k++)
    {
      const char *op = project->ops->pdata[k];

      g_string_append_printf (text, "  g_test_add_func (\"/%s/%s\", test_%s);\n", project->name, op, op);
    }
  return g_string_free (text, FALSE);
}

static gboolean
write_file (const Project *project, const char *name, const char *text, GError **error)
{
  g_autofree char *path = g_build_filename (project->folder, name, NULL);

  return g_file_set_contents (path, text, -1, error);
}

/* A file made of templates, which end with NULL; "*prefix" stands for the pieces of ops. */
static gboolean
write_filled (const Project *project, const char *name, const char *const *templates, GError **error)
{
  g_autofree char *ops = join_ops (project, "", "", ", ");
  g_autofree char *infos = join_ops (project, "&", "_op", ", ");
  g_autofree char *adds = list_tests (project);
  const char *const pairs[] = {
    "@plugin@", project->name, "@id@",   project->id, "@license@", project->license,       "@ops@", ops,
    "@infos@",  infos,         "@adds@", adds,        "@op@",      project->ops->pdata[0], NULL
  };
  g_autoptr (GString) text = g_string_new (NULL);

  for (; *templates != NULL; templates++)
    {
      g_autofree char *piece = **templates == '*' ? fill_ops (project, *templates + 1) : fill (*templates, pairs);

      g_string_append (text, piece);
    }
  return write_file (project, name, text->str, error);
}

static gboolean
write_project (const Project *project, GError **error)
{
  gboolean meson = strcmp (project->build, "meson") == 0;
  g_autofree char *source = g_strconcat (project->name, ".c", NULL);
  g_autofree char *test = g_strconcat ("test-", source, NULL);
  const char *const source_pieces[] = { "head.c", "*", "tail.c", NULL };
  const char *const test_pieces[] = { "test-head.c", "*test-", "test-tail.c", NULL };
  const char *const readme_pieces[] = { "README-head.md", meson ? "README-meson.md" : "README-autotools.md",
                                        "README-tail.md", NULL };
  const char *const meson_pieces[] = { "meson.build", NULL };
  const char *const configure_pieces[] = { "configure.ac", NULL };
  const char *const makefile_pieces[] = { "Makefile.am", NULL };

  if (!write_filled (project, source, source_pieces, error) || !write_filled (project, test, test_pieces, error)
      || !write_filled (project, "README.md", readme_pieces, error))
    return FALSE;
  if (meson)
    return write_filled (project, "meson.build", meson_pieces, error);
  return write_filled (project, "configure.ac", configure_pieces, error)
         && write_filled (project, "Makefile.am", makefile_pieces, error);
}

/* What an op, or with dashes a plugin, may be called. */
static gboolean
is_name (const char *name, gboolean dashes)
{
  if (!g_ascii_islower (*name))
    return FALSE;
  for (; *name != '\0'; name++)
    if (!g_ascii_islower (*name) && !g_ascii_isdigit (*name) && *name != '_' && !(dashes && *name == '-'))
      return FALSE;
  return TRUE;
}

/* The names of the ops, and what is wrong with one; "" if nothing is. */
static char *
name_ops (Project *project, char **given)
{
  static const char *const endings[N_KINDS] = { "", "_leaky", "_norm" };

  for (guint k = 0; given != NULL && given[k] != NULL; k++)
    {
      if (!is_name (given[k], FALSE))
        return g_strdup_printf ("--op %s: an op's name begins with a lower-case letter and has only these, digits and "
                                "underscores",
                                given[k]);
      if (g_ptr_array_find_with_equal_func (project->ops, given[k], g_str_equal, NULL))
        return g_strdup_printf ("--op %s: it is named twice", given[k]);
      g_ptr_array_add (project->ops, g_strdup (given[k]));
    }
  for (guint k = project->ops->len; k < N_KINDS; k++)
    {
      g_autofree char *name = g_strconcat (project->id, endings[k], NULL);

      if (g_ptr_array_find_with_equal_func (project->ops, name, g_str_equal, NULL))
        return g_strdup_printf ("there would be two ops \"%s\"; name the others by --op", name);
      g_ptr_array_add (project->ops, g_steal_pointer (&name));
    }
  return NULL;
}

/* An empty folder will do. */
static gboolean
make_folder (const char *folder, GError **error)
{
  g_autoptr (GDir) dir = NULL;

  if (g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "%s: %s", folder, g_strerror (errno));
      return FALSE;
    }
  dir = g_dir_open (folder, 0, error);
  if (dir == NULL)
    return FALSE;
  if (g_dir_read_name (dir) == NULL)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS, "%s: there is something in this folder already", folder);
  return FALSE;
}

/* Ops of these names that others have: the first in the search path is used. */
static void
tell_taken (const Project *project)
{
  for (guint k = 0; k < project->ops->len; k++)
    {
      g_autoptr (CandelaOp) op =
        candela_registry_lookup_op (candela_registry_get_default (), project->ops->pdata[k], NULL);

      if (op != NULL)
        g_printerr ("candela: the plugin %s has an op %s too; the first in the search path is used\n",
                    candela_op_get_plugin_name (op), (char *) project->ops->pdata[k]);
    }
}

static int
new_plugin (Project *project, char **ops)
{
  g_autofree char *fault = NULL;
  GError *error = NULL;
  gboolean meson = strcmp (project->build, "meson") == 0;

  if (!is_name (project->name, TRUE))
    return tool_fail_usage (command.name,
                            "%s: a plugin's name begins with a lower-case letter and has only these, digits, "
                            "underscores and dashes",
                            project->name);
  if (!meson && strcmp (project->build, "autotools") != 0)
    return tool_fail_usage (command.name, "--build %s: it is meson or autotools", project->build);
  if (strpbrk (project->license, "\"'\\\n") != NULL)
    return tool_fail_usage (command.name, "--license %s: an SPDX expression has no quotes", project->license);
  fault = name_ops (project, ops);
  if (fault != NULL)
    return tool_fail_usage (command.name, "%s", fault);
  if (!make_folder (project->folder, &error) || !write_project (project, &error))
    return tool_fail (error);
  tell_taken (project);
  g_print ("%s: a plugin of %u ops; its README.md tells how to build it:\n  cd %s && %s\n", project->folder,
           project->ops->len, project->folder,
           meson ? "meson setup _build && meson test -C _build" : "autoreconf -fi && ./configure && make check");
  return TOOL_EXIT_FINE;
}

int
tool_new_plugin (int argc, char **argv)
{
  g_auto (GStrv) names = NULL, ops = NULL;
  Project project = { 0 };
  int status = TOOL_EXIT_FINE;
  const GOptionEntry entries[] = {
    { "op", 0, 0, G_OPTION_ARG_STRING_ARRAY, &ops, "The name of an op; may be given several times", "OP" },
    { "build", 0, 0, G_OPTION_ARG_STRING, &project.build, "meson (by default) or autotools", "SYSTEM" },
    { "license", 0, 0, G_OPTION_ARG_STRING, &project.license, "An SPDX expression, LGPL-2.1-or-later by default",
      "LICENSE" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &project.folder, "The folder, NAME by default", "FOLDER" },
    G_OPTION_ENTRY_NULL,
  };

  if (!tool_parse_options (&command, entries, argc, argv, &names, &status))
    return status;
  if (names == NULL || g_strv_length (names) != 1)
    status = tool_fail_usage (command.name, "one name, that of the plugin");
  else
    {
      project.name = names[0];
      project.id = g_strdelimit (g_strdup (names[0]), "-", '_');
      project.folder = project.folder != NULL ? project.folder : g_strdup (names[0]);
      project.build = project.build != NULL ? project.build : g_strdup ("meson");
      project.license = project.license != NULL ? project.license : g_strdup ("LGPL-2.1-or-later");
      project.ops = g_ptr_array_new_with_free_func (g_free);
      status = new_plugin (&project, ops);
      g_ptr_array_unref (project.ops);
    }
  g_free (project.id);
  g_free (project.folder);
  g_free (project.build);
  g_free (project.license);
  return status;
}
