/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the subcommands of the tool share: arguments, inputs, and how an error
 * is told. */
#pragma once

#include <candela/candela.h>

enum {
  TOOL_EXIT_FINE = 0,
  TOOL_EXIT_ERROR = 1,
  TOOL_EXIT_USAGE = 2,
  TOOL_EXIT_INTERRUPTED = 130
};

/* An option that is a number and was not given. */
#define TOOL_NOT_GIVEN G_MININT

int tool_run (int argc, char **argv);
int tool_plan (int argc, char **argv);
int tool_bench (int argc, char **argv);
int tool_inspect (int argc, char **argv);
int tool_new_plugin (int argc, char **argv);
int tool_check (int argc, char **argv);
int tool_reference (int argc, char **argv);

/* "candela: message" in one line; frees the error. Returns the exit status. */
int tool_fail (GError *error);

/* As tool_fail(), but the lines with the place in an expression stay. */
int tool_fail_expression (GError *error);

/* A message and where help is; returns TOOL_EXIT_USAGE. */
int tool_fail_usage (const char *command, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* What a subcommand's help says. */
typedef struct
{
  const char *name;
  const char *arguments;
  const char *summary;
  const char *description;
} ToolCommand;

/* Reads options wherever they stand; what is none of them ("-x + 1" too) goes to
 * positionals. FALSE: the exit status is to be returned. */
gboolean tool_parse_options (const ToolCommand *command, const GOptionEntry *entries, int argc, char **argv,
                             char ***positionals, int *status);

/* --foreign: makes ops of functions of shared libraries, so that the expression finds them. */
#define TOOL_FOREIGN_HELP "An op of a foreign function, or a file of them; may be given again"
/* ops gets those that are added, with a reference each; or it is NULL. */
gboolean tool_add_foreign (char **texts, GPtrArray *ops, GError **error);

/* An expression and what its names stand for. */
typedef struct
{
  char *text;
  gsize length;
  GHashTable *names; /* to CandelaNode */
} ToolProgram;

/* Tells the expression from NAME=FILE and loads both. With slots, NAME=DTYPE[…]
 * makes a placeholder. FALSE: the exit status is to be returned. */
gboolean tool_program_load (ToolProgram *program, const ToolCommand *command, char **positionals, const char *file,
                            gboolean slots, int *status);
void tool_program_clear (ToolProgram *program);

/* Whether a word is NAME=…; value is what follows. */
gboolean tool_is_assignment (const char *word, const char **value);

/* Text to standard output, whole or not at all as far as one can tell. */
gboolean tool_print (const char *text, GError **error);

/* Into a file: whole, or it stays as it was. */
gboolean tool_write_text (const char *path, const char *text, GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolProgram, tool_program_clear)
