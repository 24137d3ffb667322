/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * candela run: one plan over all values that are asked for, run once. Nothing
 * is written before all of it has been computed, and an output file takes its
 * place by a rename, so that it may bear the name of an input. */
#include "common.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const ToolCommand command = {
  "run", "EXPRESSION [NAME=FILE…]", "Computes an expression and prints its value, or writes it into a file.",
  "The expression is the argument that is no NAME=FILE; longer ones come from a file (-f). FILE is a .npy file,\n"
  "a .npz file with one array, or FILE.npz:ARRAY. Files are mapped, not read. -o FILE writes the value of the\n"
  "last statement, -o NAME=FILE that of a name; several values go into a .npz file, under their names or as\n"
  "arr_0, arr_1…\n"
  "\n"
  "Examples:\n"
  "  candela run 'x * 2 + 1' x=data.npy\n"
  "  candela run 'm, v = moments(x, axis=0); (x - m) / sqrt(v)' x=data.npy -o normal.npy -o m=mean.npy\n"
  "  candela run -f model.txt x=inputs.npz:images --stats\n"
  "  candela run 'sum(exp(x), axis=0)' x=data.npy --profile=trace.json\n"
  "  candela run '-x + 1' x=data.npy\n"
};

typedef struct
{
  gboolean no_fusion, no_reuse, no_in_place, stats, profile;
  int threads;
  char *file, *trace;
  char **outputs;
} RunOptions;

/* A file to be written: some of the plan's roots. */
typedef struct
{
  char *path;
  char *temporary; /* from its writing to its renaming */
  guint first, n;
} Output;

typedef struct
{
  GPtrArray *roots; /* CandelaNode */
  GPtrArray *names; /* of the roots, as members of a .npz file */
  GArray *outputs;  /* Output */
  guint n_values;   /* of the last statement: the first roots, if they are asked for */
} Job;

static void
clear_output (gpointer data)
{
  Output *output = data;

  if (output->temporary != NULL)
    g_unlink (output->temporary);
  g_free (output->temporary);
  g_free (output->path);
}

/* Waits for Ctrl-C on a thread of its own: the main one is in the run. A second
 * one ends the program at once. */
static gpointer
wait_for_interrupt (gpointer cancellable)
{
  sigset_t set;
  int number;

  sigemptyset (&set);
  sigaddset (&set, SIGINT);
  sigaddset (&set, SIGTERM);
  if (sigwait (&set, &number) == 0)
    {
      g_cancellable_cancel (cancellable);
      sigwait (&set, &number);
      _exit (TOOL_EXIT_INTERRUPTED);
    }
  return NULL;
}

static GCancellable *
watch_interrupts (void)
{
  GCancellable *cancellable = g_cancellable_new ();
  sigset_t set;

  sigemptyset (&set);
  sigaddset (&set, SIGINT);
  sigaddset (&set, SIGTERM);
  pthread_sigmask (SIG_BLOCK, &set, NULL);
  g_thread_unref (g_thread_new ("interrupt", wait_for_interrupt, g_object_ref (cancellable)));
  return cancellable;
}

typedef struct
{
  gint64 start, drawn; /* microseconds */
} Progress;

static void
show_progress (guint64 done, guint64 total, gpointer user_data)
{
  Progress *progress = user_data;
  gint64 now = g_get_monotonic_time ();
  double share = total > 0 ? CLAMP ((double) done / (double) total, 0, 1) : 0;
  char bar[41];

  if (now - progress->start < G_USEC_PER_SEC || now - progress->drawn < G_USEC_PER_SEC / 10)
    return;
  progress->drawn = now;
  for (guint i = 0; i < 40; i++)
    bar[i] = i < share * 40 ? '#' : '.';
  bar[40] = '\0';
  fprintf (stderr, "\r[%s] %3.0f%%", bar, share * 100);
  fflush (stderr);
}

/* The node that an output's name stands for: bound by a statement, or an input. */
static CandelaNode *
find_named (CandelaExpression *expression, const ToolProgram *program, const char *name)
{
  CandelaNode *node = candela_expression_lookup (expression, name);

  return node != NULL ? node : g_hash_table_lookup (program->names, name);
}

/* The name that the expression gives to one of its values, or arr_0, arr_1…;
 * a name is used once. */
static char *
name_value (CandelaExpression *expression, char **names, guint n)
{
  CandelaNode *node = candela_expression_get_nth_value (expression, n);

  for (guint i = g_strv_length (names); i > 0; i--)
    {
      gboolean taken = FALSE;

      for (guint k = 0; k < n; k++)
        taken = taken || candela_expression_get_nth_value (expression, k) == node;
      if (!taken && candela_expression_lookup (expression, names[i - 1]) == node)
        return g_strdup (names[i - 1]);
    }
  return g_strdup_printf ("arr_%u", n);
}

static void
add_values (Job *job, CandelaExpression *expression)
{
  g_auto (GStrv) names = candela_expression_list_names (expression);

  job->n_values = candela_expression_get_n_values (expression);
  for (guint i = 0; i < job->n_values; i++)
    {
      g_ptr_array_add (job->roots, candela_expression_get_nth_value (expression, i));
      g_ptr_array_add (job->names, name_value (expression, names, i));
    }
}

static gboolean
add_output (Job *job, const char *word, CandelaExpression *expression, const ToolProgram *program, int *status)
{
  Output output = { 0 };
  const char *path = word;
  gboolean named = tool_is_assignment (word, &path);
  g_autofree char *name = named ? g_strndup (word, path - 1 - word) : NULL;

  output.first = named ? job->roots->len : 0;
  output.n = named ? 1 : job->n_values;
  if (named)
    {
      CandelaNode *node = find_named (expression, program, name);

      if (node == NULL)
        {
          *status = tool_fail (g_error_new (CANDELA_ERROR, CANDELA_ERROR_SYNTAX,
                                            "nothing is bound to '%s', which is to be written into %s", name, path));
          return FALSE;
        }
      g_ptr_array_add (job->roots, node);
      g_ptr_array_add (job->names, g_steal_pointer (&name));
    }

  if (!g_str_has_suffix (path, ".npy") && !g_str_has_suffix (path, ".npz"))
    {
      *status = tool_fail_usage (command.name, "'%s': an output file ends with .npy or .npz", path);
      return FALSE;
    }
  if (output.n > 1 && g_str_has_suffix (path, ".npy"))
    {
      *status = tool_fail_usage (command.name, "'%s': %u values need a .npz file", path, output.n);
      return FALSE;
    }
  for (guint i = 0; i < job->outputs->len; i++)
    if (strcmp (g_array_index (job->outputs, Output, i).path, path) == 0)
      {
        *status = tool_fail_usage (command.name, "'%s' is written twice", path);
        return FALSE;
      }
  output.path = g_strdup (path);
  g_array_append_val (job->outputs, output);
  return TRUE;
}

/* Which values are needed, and which of them go into which file. */
static gboolean
make_job (Job *job, const RunOptions *options, CandelaExpression *expression, const ToolProgram *program, int *status)
{
  gboolean values = options->outputs == NULL;
  const char *path;

  for (char **word = options->outputs; word != NULL && *word != NULL; word++)
    values = values || !tool_is_assignment (*word, &path);
  if (values)
    add_values (job, expression);
  for (char **word = options->outputs; word != NULL && *word != NULL; word++)
    if (!add_output (job, *word, expression, program, status))
      return FALSE;
  return TRUE;
}

static gboolean
save (const Output *output, const char *path, const Job *job, CandelaTensor **tensors, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  const char *const *names = (const char *const *) job->names->pdata;

  return g_str_has_suffix (output->path, ".npz")
           ? candela_npz_save (file, names + output->first, tensors + output->first, output->n, error)
           : candela_npy_save (tensors[output->first], file, error);
}

/* Saving renames a file to its place when it is complete. Of several, all are
 * complete, beside their places, before the first is renamed. */
static gboolean
write_outputs (Job *job, CandelaTensor **tensors, GError **error)
{
  Output *outputs = (Output *) job->outputs->data;
  guint n = job->outputs->len;

  if (n == 1)
    return save (&outputs[0], outputs[0].path, job, tensors, error);
  for (guint i = 0; i < n; i++)
    {
      outputs[i].temporary = g_strdup_printf ("%s.%d.tmp", outputs[i].path, (int) getpid ());
      if (!save (&outputs[i], outputs[i].temporary, job, tensors, error))
        return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      if (g_rename (outputs[i].temporary, outputs[i].path) != 0)
        {
          g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno), "%s: %s", outputs[i].path, g_strerror (errno));
          return FALSE;
        }
      g_clear_pointer (&outputs[i].temporary, g_free);
    }
  return TRUE;
}

static gboolean
print_values (const Job *job, CandelaTensor **tensors, GError **error)
{
  for (guint i = 0; i < job->n_values; i++)
    {
      g_autofree char *text = candela_tensor_to_string (tensors[i]);

      if (!tool_print (text, error) || !tool_print ("\n", error))
        return FALSE;
    }
  return TRUE;
}

static void
print_stats (CandelaPlan *plan, const CandelaRunStats *stats)
{
  fprintf (stderr,
           "steps:          %" G_GUINT64_FORMAT "\n"
           "allocations:    %" G_GUINT64_FORMAT "\n"
           "allocated:      %" G_GUINT64_FORMAT " bytes\n"
           "peak:           %" G_GUINT64_FORMAT " bytes\n"
           "planned peak:   %" G_GUINT64_FORMAT " bytes\n"
           "lower bound:    %" G_GUINT64_FORMAT " bytes\n"
           "intermediates:  %" G_GUINT64_FORMAT " bytes in all\n"
           "pooled:         %" G_GUINT64_FORMAT " bytes\n"
           "threads:        %u\n"
           "time:           %.3f ms\n",
           stats->steps, stats->allocations, stats->allocated_bytes, stats->peak_bytes,
           candela_plan_get_peak_bytes (plan), candela_plan_get_lower_bound_bytes (plan),
           candela_plan_get_intermediate_bytes (plan), stats->pooled_bytes, candela_get_num_threads (),
           (double) stats->nanoseconds / 1e6);
}

/* Told when the results are where they belong; the table on standard error. */
static gboolean
tell_profile (CandelaRunProfile *profile, const char *trace_path, GError **error)
{
  g_autofree char *table = candela_run_profile_to_string (profile);
  g_autofree char *trace = trace_path != NULL ? candela_run_profile_to_chrome_trace (profile) : NULL;

  fputs (table, stderr);
  return trace == NULL || tool_write_text (trace_path, trace, error);
}

/* Runs the plan, with a profile if there is a place for one; the progress bar is
 * gone again at the end. */
static CandelaTensor **
run_plan (CandelaPlan *plan, GCancellable *cancellable, CandelaRunStats *stats, CandelaRunProfile **profile,
          gsize *n_tensors, GError **error)
{
  Progress progress = { g_get_monotonic_time (), 0 };
  CandelaProgressFunc show = isatty (STDERR_FILENO) ? show_progress : NULL;
  CandelaTensor **tensors;

  if (profile != NULL)
    tensors = candela_plan_run_profiled (plan, NULL, 0, cancellable, show, &progress, profile, n_tensors, error);
  else
    tensors = candela_plan_run (plan, NULL, 0, cancellable, show, &progress, stats, n_tensors, error);
  if (tensors != NULL && profile != NULL)
    candela_run_profile_get_stats (*profile, stats);

  if (progress.drawn != 0)
    fprintf (stderr, "\r\033[K");
  return tensors;
}

static gboolean
execute (Job *job, const RunOptions *options, GCancellable *cancellable, GError **error)
{
  CandelaPlanFlags flags = (options->no_fusion ? CANDELA_PLAN_NO_FUSION : 0)
                           | (options->no_reuse ? CANDELA_PLAN_NO_REUSE : 0)
                           | (options->no_in_place ? CANDELA_PLAN_NO_IN_PLACE : 0);
  g_autoptr (CandelaPlan) plan = NULL;
  g_autoptr (CandelaRunProfile) profile = NULL;
  CandelaRunStats stats = { 0 };
  CandelaTensor **tensors;
  gsize n_tensors = 0;
  gboolean fine;

  plan = candela_plan_new ((CandelaNode *const *) job->roots->pdata, job->roots->len, flags, error);
  if (plan == NULL)
    return FALSE;
  tensors = run_plan (plan, cancellable, &stats, options->profile ? &profile : NULL, &n_tensors, error);
  if (tensors == NULL)
    return FALSE;

  fine = job->outputs->len > 0 ? write_outputs (job, tensors, error) : print_values (job, tensors, error);
  if (fine && options->stats)
    print_stats (plan, &stats);
  if (fine && options->profile)
    fine = tell_profile (profile, options->trace, error);
  for (gsize i = 0; i < n_tensors; i++)
    g_object_unref (tensors[i]);
  g_free (tensors);
  return fine;
}

static int
run_program (const RunOptions *options, char **positionals)
{
  g_auto (ToolProgram) program = { 0 };
  g_autoptr (CandelaExpression) expression = NULL;
  g_autoptr (GPtrArray) roots = g_ptr_array_new (), names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) outputs = g_array_new (FALSE, FALSE, sizeof (Output));
  g_autoptr (GCancellable) cancellable = watch_interrupts ();
  Job job = { roots, names, outputs, 0 };
  GError *error = NULL;
  int status = TOOL_EXIT_FINE;

  g_array_set_clear_func (outputs, clear_output);
  if (!tool_program_load (&program, &command, positionals, options->file, FALSE, &status))
    return status;
  expression = candela_expression_parse (program.text, program.length, program.names, &error);
  if (expression == NULL)
    return tool_fail_expression (error);
  if (!make_job (&job, options, expression, &program, &status))
    return status;
  if (execute (&job, options, cancellable, &error))
    return TOOL_EXIT_FINE;
  status = g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) ? TOOL_EXIT_INTERRUPTED : TOOL_EXIT_ERROR;
  tool_fail (error);
  return status;
}

/* What --profile or --profile=FILE says. GOption hands no data to a callback. */
static struct
{
  gboolean wanted;
  char *path;
} profile_option;

static gboolean
parse_profile (const char *name, const char *value, gpointer unused, GError **error)
{
  profile_option.wanted = TRUE;
  if (value == NULL)
    return TRUE;
  if (*value == '\0')
    {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s= needs a file", name);
      return FALSE;
    }
  g_free (profile_option.path);
  profile_option.path = g_strdup (value);
  return TRUE;
}

int
tool_run (int argc, char **argv)
{
  RunOptions options = { 0 };
  g_auto (GStrv) positionals = NULL;
  g_auto (GStrv) outputs = NULL, foreign = NULL;
  g_autofree char *file = NULL;
  GError *error = NULL;
  int status = TOOL_EXIT_FINE;
  const GOptionEntry entries[] = {
    { "file", 'f', 0, G_OPTION_ARG_FILENAME, &file, "Read the expression from FILE; - is standard input", "FILE" },
    { "foreign", 0, 0, G_OPTION_ARG_STRING_ARRAY, &foreign, TOOL_FOREIGN_HELP, "OP" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &outputs, "Write instead of printing; may be given again",
      "[NAME=]FILE" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options.threads, "Use N threads", "N" },
    { "no-fusion", 0, 0, G_OPTION_ARG_NONE, &options.no_fusion, "Make every op a step of its own", NULL },
    { "no-reuse", 0, 0, G_OPTION_ARG_NONE, &options.no_reuse, "Give freed buffers to no later result", NULL },
    { "no-inplace", 0, 0, G_OPTION_ARG_NONE, &options.no_in_place, "Write no result over an input", NULL },
    { "stats", 0, 0, G_OPTION_ARG_NONE, &options.stats, "Tell steps, memory and time on standard error", NULL },
    { "profile", 0, G_OPTION_FLAG_OPTIONAL_ARG | G_OPTION_FLAG_FILENAME, G_OPTION_ARG_CALLBACK, parse_profile,
      "Tell the time of each step on standard error; write a trace into FILE", "FILE" },
    G_OPTION_ENTRY_NULL,
  };

  options.threads = TOOL_NOT_GIVEN;
  if (!tool_parse_options (&command, entries, argc, argv, &positionals, &status))
    return status;
  if (options.threads != TOOL_NOT_GIVEN && (options.threads < 1 || options.threads > 256))
    return tool_fail_usage (command.name, "--threads is a number from 1 to 256");
  if (options.threads != TOOL_NOT_GIVEN)
    candela_set_num_threads (options.threads);
  if (!tool_add_foreign (foreign, NULL, &error))
    return tool_fail (error);
  options.file = file;
  options.outputs = outputs;
  options.profile = profile_option.wanted;
  options.trace = profile_option.path;
  return run_program (&options, positionals);
}
