/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The candela command: finds the subcommand and leaves the rest to it. */
#include "common.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

static const struct
{
  const char *name;
  int (*run) (int argc, char **argv);
  const char *summary;
} commands[] = {
  { "run", tool_run, "compute an expression over .npy files" },
  { "plan", tool_plan, "show how an expression would be computed" },
  { "bench", tool_bench, "time an expression over random arrays" },
  { "inspect", tool_inspect, "show plugins and ops" },
  { "new-plugin", tool_new_plugin, "write a project that builds a plugin" },
  { "check", tool_check, "prove what ops declare" },
  { "reference", tool_reference, "write a page for each op" },
};

static void
print_help (FILE *out)
{
  fprintf (out, "Usage:\n  candela COMMAND [ARGUMENT…]\n\nCommands:\n");
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    fprintf (out, "  %-12s%s\n", commands[i].name, commands[i].summary);
  fprintf (out, "\nOptions:\n"
                "  --help      show this help; candela COMMAND --help shows that of a command\n"
                "  --version   show the version\n"
                "\nExamples:\n"
                "  candela run 'sqrt(mean((x - mean(x))**2))' x=data.npy\n"
                "  candela run 'x @ w + b' x=x.npy w=w.npy b=b.npy -o y.npy\n"
                "  candela plan 'relu(a + 1) * 2' a=float32[1000,64]\n"
                "  candela bench 'x @ x.T' x=float32[512,512]\n"
                "  candela inspect sum\n"
                "  candela new-plugin mine --op softsign\n");
}

int
main (int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : NULL;

  setlocale (LC_ALL, "");
  /* Numbers are written and read with a point everywhere. */
  setlocale (LC_NUMERIC, "C");
  g_set_prgname ("candela");

  if (name == NULL)
    {
      print_help (stderr);
      return TOOL_EXIT_USAGE;
    }
  if (strcmp (name, "--help") == 0 || strcmp (name, "-h") == 0 || strcmp (name, "help") == 0)
    {
      print_help (stdout);
      return TOOL_EXIT_FINE;
    }
  if (strcmp (name, "--version") == 0)
    {
      printf ("candela %s\n", candela_version_string ());
      return TOOL_EXIT_FINE;
    }
  for (guint i = 0; i < G_N_ELEMENTS (commands); i++)
    if (strcmp (name, commands[i].name) == 0)
      return commands[i].run (argc - 1, argv + 1);
  return tool_fail_usage (NULL, "unknown command '%s'", name);
}
