/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * candela plan: the plan of an expression, from the shapes and dtypes of its
 * inputs. No data is needed. */
#include "common.h"

#include <string.h>

static const ToolCommand command = {
  "plan", "EXPRESSION [NAME=FILE | NAME=DTYPE[SHAPE]…]",
  "Shows how an expression would be computed: what runs, in what order, into which buffer, and why.",
  "An input is a .npy or .npz file, as for candela run, or only a dtype and a shape.\n"
  "\n"
  "Examples:\n"
  "  candela plan '(a + b) * 2' 'a=float32[1000,64]' 'b=float32[64]'\n"
  "  candela plan 'x @ x.T' x=data.npy --format=json\n"
  "  candela plan -f model.txt 'x=float32[8,8]' --format=svg -o model.svg\n"
};

typedef struct
{
  gboolean no_fusion, no_reuse, no_in_place;
  char *format, *file, *output;
} PlanOptions;

static const char *const formats[] = { "text", "json", "dot", "svg", NULL };

static char *
format_plan (CandelaPlan *plan, const char *format, GError **error)
{
  if (strcmp (format, "json") == 0)
    return candela_plan_to_json (plan);
  if (strcmp (format, "dot") == 0)
    return candela_plan_to_dot (plan);
  if (strcmp (format, "svg") == 0)
    return candela_plan_to_svg (plan, error);
  return candela_plan_to_string (plan);
}

static char *
make_plan (const PlanOptions *options, CandelaExpression *expression, GError **error)
{
  CandelaPlanFlags flags = (options->no_fusion ? CANDELA_PLAN_NO_FUSION : 0)
                           | (options->no_reuse ? CANDELA_PLAN_NO_REUSE : 0)
                           | (options->no_in_place ? CANDELA_PLAN_NO_IN_PLACE : 0);
  g_autoptr (GPtrArray) roots = g_ptr_array_new ();
  g_autoptr (CandelaPlan) plan = NULL;

  for (guint i = 0; i < candela_expression_get_n_values (expression); i++)
    g_ptr_array_add (roots, candela_expression_get_nth_value (expression, i));
  plan = candela_plan_new ((CandelaNode *const *) roots->pdata, roots->len, flags, error);
  return plan != NULL ? format_plan (plan, options->format != NULL ? options->format : "text", error) : NULL;
}

static gboolean
write_text (const char *text, const char *path, GError **error)
{
  if (path != NULL)
    return tool_write_text (path, text, error);
  return tool_print (text, error) && (g_str_has_suffix (text, "\n") || tool_print ("\n", error));
}

int
tool_plan (int argc, char **argv)
{
  PlanOptions options = { 0 };
  g_auto (GStrv) positionals = NULL, foreign = NULL;
  g_auto (ToolProgram) program = { 0 };
  g_autoptr (CandelaExpression) expression = NULL;
  g_autofree char *file = NULL, *format = NULL, *output = NULL, *text = NULL;
  GError *error = NULL;
  int status = TOOL_EXIT_FINE;
  const GOptionEntry entries[] = {
    { "file", 'f', 0, G_OPTION_ARG_FILENAME, &file, "Read the expression from FILE; - is standard input", "FILE" },
    { "foreign", 0, 0, G_OPTION_ARG_STRING_ARRAY, &foreign, TOOL_FOREIGN_HELP, "OP" },
    { "format", 0, 0, G_OPTION_ARG_STRING, &format, "text (the default), json, dot or svg", "FORMAT" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "Write into FILE instead of printing", "FILE" },
    { "no-fusion", 0, 0, G_OPTION_ARG_NONE, &options.no_fusion, "Make every op a step of its own", NULL },
    { "no-reuse", 0, 0, G_OPTION_ARG_NONE, &options.no_reuse, "Give freed buffers to no later result", NULL },
    { "no-inplace", 0, 0, G_OPTION_ARG_NONE, &options.no_in_place, "Write no result over an input", NULL },
    G_OPTION_ENTRY_NULL,
  };

  if (!tool_parse_options (&command, entries, argc, argv, &positionals, &status))
    return status;
  if (format != NULL && !g_strv_contains (formats, format))
    return tool_fail_usage (command.name, "unknown format '%s'; it is text, json, dot or svg", format);
  if (!tool_add_foreign (foreign, NULL, &error))
    return tool_fail (error);
  if (!tool_program_load (&program, &command, positionals, file, TRUE, &status))
    return status;

  expression = candela_expression_parse (program.text, program.length, program.names, &error);
  if (expression == NULL)
    return tool_fail_expression (error);
  options.format = format;
  text = make_plan (&options, expression, &error);
  if (text == NULL || !write_text (text, output, &error))
    return tool_fail (error);
  return TOOL_EXIT_FINE;
}
