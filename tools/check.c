/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * candela check: proves what ops declare. What of it is about an op is
 * candela_op_check()'s; here are the choice of ops, and a failure as an expression. */
#include "common.h"

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const ToolCommand command = {
  "check", "[MODULE.so | FILE.ops | PLUGIN | OP…]",
  "Proves what ops declare, by running them in every way that they allow.",
  "Each op is run over generated dtypes, shapes, layouts, values and parameters, in a process of its own, and its\n"
  "results are compared bit for bit. What does not hold is told with the smallest expression that shows it, and the\n"
  "exit status is 1. Without an argument the foreign ops that are given are checked, or all ops of all plugins.\n"
  "\n"
  "Examples:\n"
  "  candela check ./mine.so\n"
  "  candela check softsign --cases 500 --seed 7\n"
  "  candela check --foreign 'c_j0 = double (double) libm.so.6:j0'\n"
  "  candela check --list\n"
};

typedef struct
{
  int cases, limit;
  gint64 seed;
  gboolean json, list, quiet, verbose;
} CheckOptions;

static const char *
find_text (GVariant *dictionary, const char *key)
{
  const char *text = "";

  g_variant_lookup (dictionary, key, "&s", &text);
  return text;
}

/* ---- A failure as an expression ---- */

static void
append_dims (GString *text, GVariant *dims)
{
  gsize rank;
  const gint64 *items = g_variant_get_fixed_array (dims, &rank, sizeof *items);

  g_string_append_c (text, '[');
  for (gsize axis = 0; axis < rank; axis++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, axis == 0 ? "" : ", ", items[axis]);
  g_string_append_c (text, ']');
}

static gint64
count_elements (GVariant *dims)
{
  gsize rank;
  const gint64 *items = g_variant_get_fixed_array (dims, &rank, sizeof *items);
  gint64 n = 1;

  for (gsize axis = 0; axis < rank; axis++)
    n *= items[axis];
  return n;
}

/* The values that are a formula. */
static void
append_formula (GString *text, const char *dtype, gint64 n)
{
  g_autofree char *row = g_strdup_printf ("arange(%" G_GINT64_FORMAT ")", n);

  if (strcmp (dtype, "bool") == 0)
    g_string_append_printf (text, "(%s %% 3 == 1)", row);
  else if (strstr (dtype, "int") != NULL)
    g_string_append_printf (text, "astype(%s %% 3, %s)", row, dtype);
  else if (g_str_has_prefix (dtype, "complex"))
    g_string_append_printf (text, "astype(%s * 5 %% 7 + 1 + ((%s + 1) * 5 %% 7 + 1) * 1j, %s)", row, row, dtype);
  else
    g_string_append_printf (text, "astype(%s * 5 %% 7 + 1, %s)", row, dtype);
}

/* "x = astype([1.0, 6.0], float32)"; FALSE: there are too many elements, of no formula. */
static gboolean
append_array (GString *text, GVariant *input)
{
  g_autoptr (GVariant) shape = g_variant_lookup_value (input, "shape", G_VARIANT_TYPE ("ax"));
  gsize rank = g_variant_n_children (shape);
  gint64 n = count_elements (shape);
  const char *dtype = find_text (input, "dtype"), *elements = find_text (input, "elements");
  GString *array = g_string_new (NULL);
  gboolean known = TRUE;

  if (n == 0)
    {
      g_string_append (array, "zeros(");
      append_dims (array, shape);
      g_string_append_printf (array, ", %s)", dtype);
      rank = 1;
    }
  else if (*elements != '\0')
    g_string_append_printf (array, rank == 0 ? "astype(%s, %s)" : "astype([%s], %s)", elements, dtype);
  else if (strcmp (find_text (input, "values"), "plain") == 0)
    append_formula (array, dtype, n);
  else
    known = FALSE;
  if (known && rank > 1)
    {
      g_string_prepend (array, "reshape(");
      g_string_append (array, ", ");
      append_dims (array, shape);
      g_string_append_c (array, ')');
    }
  g_string_append_printf (text, "%s = %s; ", find_text (input, "name"), array->str);
  g_string_free (array, TRUE);
  return known;
}

static void
append_operand (GString *text, GVariant *input)
{
  g_autoptr (GVariant) broadcast = g_variant_lookup_value (input, "broadcast", G_VARIANT_TYPE ("ax"));

  if (broadcast != NULL)
    g_string_append (text, "broadcast_to(");
  g_string_append_printf (text, "%s%s", find_text (input, "name"), find_text (input, "view"));
  if (broadcast == NULL)
    return;
  g_string_append (text, ", ");
  append_dims (text, broadcast);
  g_string_append_c (text, ')');
}

/* "softsign(x[::2])"; before it, if they can be told, what its names are. */
static char *
make_expression (GVariant *report, gboolean whole, gboolean *known)
{
  g_autoptr (GVariant) test = g_variant_lookup_value (report, "case", G_VARIANT_TYPE_VARDICT);
  g_autoptr (GVariant) inputs = g_variant_lookup_value (test, "inputs", G_VARIANT_TYPE ("aa{sv}"));
  const char *params = find_text (test, "params");
  GString *text = g_string_new (NULL);
  gsize n = g_variant_n_children (inputs);

  *known = TRUE;
  for (gsize i = 0; whole && i < n; i++)
    {
      g_autoptr (GVariant) input = g_variant_get_child_value (inputs, i);

      *known = append_array (text, input) && *known;
    }
  g_string_append_printf (text, "%s(", find_text (report, "op"));
  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GVariant) input = g_variant_get_child_value (inputs, i);

      g_string_append (text, i == 0 ? "" : ", ");
      append_operand (text, input);
    }
  g_string_append_printf (text, "%s%s)", n > 0 && *params != '\0' ? ", " : "", params);
  return g_string_free (text, FALSE);
}

/* "x=float32[3]" */
static char *
make_specs (GVariant *report)
{
  g_autoptr (GVariant) test = g_variant_lookup_value (report, "case", G_VARIANT_TYPE_VARDICT);
  g_autoptr (GVariant) inputs = g_variant_lookup_value (test, "inputs", G_VARIANT_TYPE ("aa{sv}"));
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < g_variant_n_children (inputs); i++)
    {
      g_autoptr (GVariant) input = g_variant_get_child_value (inputs, i);
      g_autoptr (GVariant) shape = g_variant_lookup_value (input, "shape", G_VARIANT_TYPE ("ax"));

      g_string_append_printf (text, " '%s=%s", find_text (input, "name"), find_text (input, "dtype"));
      append_dims (text, shape);
      g_string_append_c (text, '\'');
    }
  return g_string_free (text, FALSE);
}

/* ---- What is told ---- */

static gboolean
is_failure (GVariant *report)
{
  return *find_text (report, "fact") != '\0';
}

static guint64
count_runs (GVariant *report)
{
  g_autoptr (GVariant) runs = g_variant_lookup_value (report, "runs", G_VARIANT_TYPE_VARDICT);
  guint64 all = 0;

  for (gsize k = 0; k < g_variant_n_children (runs); k++)
    {
      g_autoptr (GVariant) count = NULL;

      g_variant_get_child (runs, k, "{&sv}", NULL, &count);
      all += g_variant_get_uint64 (count);
    }
  return all;
}

static void
print_failure (GVariant *report)
{
  gboolean known;
  g_autofree char *short_text = make_expression (report, FALSE, &known);
  g_autofree char *text = make_expression (report, TRUE, &known);
  g_autofree char *specs = make_specs (report);

  printf ("%-20s FAILED: %s, %s\n  %s\n", find_text (report, "op"), find_text (report, "fact"),
          find_text (report, "when"), find_text (report, "message"));
  printf ("  candela plan '%s'%s\n", short_text, specs);
  if (known)
    printf ("  candela run '%s'\n", text);
}

static void
print_runs (GVariant *report)
{
  g_autoptr (GVariant) runs = g_variant_lookup_value (report, "runs", G_VARIANT_TYPE_VARDICT);

  for (gsize k = 0; k < g_variant_n_children (runs); k++)
    {
      g_autoptr (GVariant) count = NULL;
      const char *fact;

      g_variant_get_child (runs, k, "{&sv}", &fact, &count);
      printf ("  %-14s %" G_GUINT64_FORMAT "\n", fact, g_variant_get_uint64 (count));
    }
}

static void
print_report (GVariant *report, const CheckOptions *options)
{
  g_autoptr (GVariant) unproven = g_variant_lookup_value (report, "unproven-gradients", G_VARIANT_TYPE_STRING_ARRAY);
  guint32 cases = 0;

  g_variant_lookup (report, "cases", "u", &cases);
  if (is_failure (report))
    print_failure (report);
  else if (cases == 0 && !options->quiet)
    printf ("%-20s not proven: it takes none of the inputs that were made up\n", find_text (report, "op"));
  else if (unproven != NULL && !options->quiet)
    {
      g_autofree const char **names = g_variant_get_strv (unproven, NULL);
      g_autofree char *joined = g_strjoinv (", ", (char **) names);

      printf ("%-20s not proven: no point was found at which to look at the gradient for %s\n",
              find_text (report, "op"), joined);
    }
  else if (!options->quiet)
    printf ("%-20s holds: %u cases, %" G_GUINT64_FORMAT " runs\n", find_text (report, "op"), cases,
            count_runs (report));
  if (options->verbose)
    print_runs (report);
  fflush (stdout);
}

/* With the expression, which is the tool's. */
static GVariant *
add_expression (GVariant *report)
{
  GVariantDict dict;
  gboolean known;

  if (!is_failure (report))
    return g_variant_ref (report);
  g_autofree char *text = make_expression (report, TRUE, &known);

  g_variant_dict_init (&dict, report);
  if (known)
    g_variant_dict_insert (&dict, "expression", "s", text);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

static int
list_facts (const CheckOptions *options)
{
  g_autoptr (GVariant) facts = candela_list_checked_facts ();

  if (options->json)
    {
      g_autoptr (JsonNode) root = json_gvariant_serialize (facts);
      g_autofree char *text = json_to_string (root, TRUE);

      puts (text);
      return TOOL_EXIT_FINE;
    }
  for (gsize k = 0; k < g_variant_n_children (facts); k++)
    {
      g_autoptr (GVariant) fact = g_variant_get_child_value (facts, k);

      printf ("%-14s %s\n", find_text (fact, "name"), find_text (fact, "says"));
    }
  return TOOL_EXIT_FINE;
}

/* ---- Which ops ---- */

static void
add_ops (GPtrArray *ops, GListModel *model)
{
  for (guint k = 0; k < g_list_model_get_n_items (model); k++)
    g_ptr_array_add (ops, g_list_model_get_item (model, k));
}

static gboolean
add_named (GPtrArray *ops, const char *name, GError **error)
{
  CandelaRegistry *registry = candela_registry_get_default ();
  gboolean path = strchr (name, '/') != NULL || g_str_has_suffix (name, ".so") || g_str_has_suffix (name, ".ops");
  g_autoptr (GListModel) model = NULL;
  g_autoptr (GError) local = NULL;
  CandelaPlugin *plugin = NULL;
  CandelaOp *op = path ? NULL : candela_registry_lookup_op (registry, name, &local);

  if (op != NULL)
    {
      g_ptr_array_add (ops, op);
      return TRUE;
    }
  plugin =
    path ? candela_registry_load_file (registry, name, error) : candela_registry_lookup_plugin (registry, name, NULL);
  if (plugin == NULL && !path)
    g_propagate_error (error, g_steal_pointer (&local));
  if (plugin == NULL)
    return FALSE;
  model = candela_plugin_list_ops (plugin);
  add_ops (ops, model);
  return TRUE;
}

static gboolean
find_ops (GPtrArray *ops, char **names, GError **error)
{
  g_autoptr (GListModel) all = NULL;

  if (names[0] == NULL && ops->len == 0)
    {
      all = candela_registry_list_ops (candela_registry_get_default ());
      add_ops (ops, all);
    }
  for (guint k = 0; names[k] != NULL; k++)
    if (!add_named (ops, names[k], error))
      return FALSE;
  return TRUE;
}

/* ---- The whole of it ---- */

/* On a terminal: what is under way, until there is something to tell of it. */
static void
show_progress (CandelaOp *op, guint k, guint n, const CheckOptions *options)
{
  if (options->json || options->quiet || !isatty (STDERR_FILENO))
    return;
  if (op != NULL)
    fprintf (stderr, "\r\033[K%u/%u %s", k + 1, n, candela_op_get_name (op));
  else
    fprintf (stderr, "\r\033[K");
  fflush (stderr);
}

static void
print_sum (GPtrArray *ops, guint failed, guint idle, const CheckOptions *options)
{
  if (options->json)
    return;
  printf ("%u op%s: %u hold%s, %u fail%s", ops->len, ops->len == 1 ? "" : "s", ops->len - failed - idle,
          ops->len - failed - idle == 1 ? "s" : "", failed, failed == 1 ? "s" : "");
  if (idle > 0)
    printf (", %u not proven", idle);
  printf (" (seed %" G_GINT64_FORMAT ", %d cases each)\n", options->seed, options->cases);
}

static int
check_all (GPtrArray *ops, const CheckOptions *options)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  guint failed = 0, idle = 0;
  GError *error = NULL;

  json_builder_begin_array (builder);
  for (guint k = 0; k < ops->len; k++)
    {
      g_autoptr (GVariant) report = NULL, whole = NULL;
      gboolean proven = FALSE;

      show_progress (ops->pdata[k], k, ops->len, options);
      report = candela_op_check (ops->pdata[k], (guint64) options->seed, (guint) options->cases, (guint) options->limit,
                                 NULL, &error);
      show_progress (NULL, k, ops->len, options);
      if (report == NULL)
        return tool_fail (error);
      g_variant_lookup (report, "proven", "b", &proven);
      failed += is_failure (report);
      idle += !proven && !is_failure (report);
      whole = add_expression (report);
      if (options->json)
        json_builder_add_value (builder, json_gvariant_serialize (whole));
      else
        print_report (report, options);
    }
  json_builder_end_array (builder);
  if (options->json)
    {
      g_autoptr (JsonNode) root = json_builder_get_root (builder);
      g_autofree char *text = json_to_string (root, TRUE);

      puts (text);
    }
  print_sum (ops, failed, idle, options);
  return failed > 0 ? TOOL_EXIT_ERROR : TOOL_EXIT_FINE;
}

int
tool_check (int argc, char **argv)
{
  CheckOptions options = { .cases = 40, .limit = 5, .seed = 1 };
  g_autoptr (GPtrArray) ops = g_ptr_array_new_with_free_func (g_object_unref);
  g_auto (GStrv) names = NULL, foreign = NULL;
  GError *error = NULL;
  int status = TOOL_EXIT_FINE;
  const GOptionEntry entries[] = {
    { "foreign", 0, 0, G_OPTION_ARG_STRING_ARRAY, &foreign, TOOL_FOREIGN_HELP, "OP" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "Make cases from another seed (1)", "N" },
    { "cases", 0, 0, G_OPTION_ARG_INT, &options.cases, "Cases for each op (40)", "N" },
    { "time", 0, 0, G_OPTION_ARG_INT, &options.limit, "Give up a run after so long (5)", "SECONDS" },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "Tell only what does not hold", NULL },
    { "verbose", 'v', 0, G_OPTION_ARG_NONE, &options.verbose, "Tell the number of runs for each fact", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print JSON", NULL },
    { "list", 0, 0, G_OPTION_ARG_NONE, &options.list, "List the facts that are proven", NULL },
    G_OPTION_ENTRY_NULL,
  };

  if (!tool_parse_options (&command, entries, argc, argv, &names, &status))
    return status;
  if (options.cases < 1 || options.cases > 100000)
    return tool_fail_usage (command.name, "--cases is %d; it must be from 1 to 100000", options.cases);
  if (options.limit < 1 || options.limit > 3600)
    return tool_fail_usage (command.name, "--time is %d; it must be from 1 to 3600", options.limit);
  if (options.list)
    return list_facts (&options);
  if (!tool_add_foreign (foreign, names[0] == NULL ? ops : NULL, &error) || !find_ops (ops, names, &error))
    return tool_fail (error);
  return check_all (ops, &options);
}
