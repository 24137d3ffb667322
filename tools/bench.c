/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * candela bench: how long an expression takes to build, to plan and to run. Each
 * of the three is done again and again on its own, after a round that does not
 * count, and the median is what is told: it is not moved by a few rounds that the
 * system disturbed. */
#include "common.h"

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* How many runs, if nothing is said: as many as fit into this time, within limits. */
#define RUN_NANOSECONDS (G_GINT64_CONSTANT (1000000000) / 2)
#define FEWEST_RUNS 5
#define MOST_RUNS 1000

static const ToolCommand command = {
  "bench", "EXPRESSION [NAME=DTYPE[SHAPE] | NAME=FILE…]",
  "Tells how long an expression takes to build, to plan and to run: medians over several runs.",
  "NAME=DTYPE[SHAPE] is an array of random values, the same each time: floats from 0 to 1 (1 excluded),\n"
  "integers from 1 to 9, true as often as false. A run includes the buffers of its results; a first one, which\n"
  "does not count, warms caches. The bytes are those of the inputs that are read and of the results.\n"
  "\n"
  "Examples:\n"
  "  candela bench '(a + b) * 2' 'a=float32[1000,64]' 'b=float32[64]'\n"
  "  candela bench 'x @ x.T' 'x=float32[512,512]' --threads 1 --runs 20 --json\n"
};

typedef struct
{
  gboolean no_fusion, no_reuse, no_in_place, json;
  int threads, runs;
  char *file;
} BenchOptions;

/* One of the three times: of each run, and then in order. */
typedef struct
{
  gint64 *times;
  guint n;
} Series;

typedef struct
{
  Series build, plan, run;
  guint64 bytes;
} Bench;

static void
bench_clear (Bench *bench)
{
  g_free (bench->build.times);
  g_free (bench->plan.times);
  g_free (bench->run.times);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Bench, bench_clear)

static gint64
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return x < y ? -1 : x > y;
}

static void
sort_series (Series *series)
{
  qsort (series->times, series->n, sizeof *series->times, compare_times);
}

static gint64
median (const Series *series)
{
  guint middle = series->n / 2;

  return series->n % 2 == 1 ? series->times[middle] : (series->times[middle - 1] + series->times[middle]) / 2;
}

/* ---- Random inputs ---- */

/* SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
 * 2014). */
static guint64
next_random (guint64 *state)
{
  guint64 z = (*state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15));

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static guint16
to_half (float value, CandelaDType dtype)
{
  guint16 half = 0;

  candela_dtype_convert (CANDELA_DTYPE_FLOAT32, &value, dtype, &half, 1);
  return half;
}

#define FILL(type, expression)                                                                                         \
  for (gint64 i = 0; i < n; i++)                                                                                       \
    {                                                                                                                  \
      guint64 r = next_random (&state);                                                                                \
      ((type *) data)[i] = expression;                                                                                 \
    }                                                                                                                  \
  break

#define DIGIT (1 + (r >> 32) % 9)

/* No integer is 0, for the sake of what divides by it. A complex element is two
 * floats. */
static void
fill (gpointer data, CandelaDType dtype, gint64 n, guint64 state)
{
  switch (dtype)
    {
    case CANDELA_DTYPE_BOOL:
      FILL (guint8, r >> 63);
    case CANDELA_DTYPE_INT8:
    case CANDELA_DTYPE_UINT8:
      FILL (guint8, DIGIT);
    case CANDELA_DTYPE_INT16:
    case CANDELA_DTYPE_UINT16:
      FILL (guint16, DIGIT);
    case CANDELA_DTYPE_INT32:
    case CANDELA_DTYPE_UINT32:
      FILL (guint32, DIGIT);
    case CANDELA_DTYPE_INT64:
    case CANDELA_DTYPE_UINT64:
      FILL (guint64, DIGIT);
    case CANDELA_DTYPE_COMPLEX64:
      n *= 2;
      G_GNUC_FALLTHROUGH;
    case CANDELA_DTYPE_FLOAT32:
      FILL (float, (r >> 40) * 0x1p-24f);
    case CANDELA_DTYPE_FLOAT16:
    case CANDELA_DTYPE_BFLOAT16:
      FILL (guint16, to_half ((r >> 40) * 0x1p-24f, dtype));
    case CANDELA_DTYPE_COMPLEX128:
      n *= 2;
      G_GNUC_FALLTHROUGH;
    case CANDELA_DTYPE_FLOAT64:
      FILL (double, (r >> 11) * 0x1p-53);
    default:
      break;
    }
}

/* A name's values are its own, and the same in every run. */
static CandelaNode *
new_random (const char *name, CandelaNode *slot, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_node_get_shape (slot, &rank);
  CandelaDType dtype = candela_node_get_dtype (slot);
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (dtype, shape, rank, error);

  if (tensor == NULL)
    return NULL;
  fill (candela_tensor_get_writable_data (tensor), dtype, candela_tensor_get_n_elements (tensor), g_str_hash (name));
  return candela_node_new_tensor (tensor);
}

/* Puts an array in the place of each placeholder. */
static gboolean
fill_slots (ToolProgram *program, GError **error)
{
  GHashTableIter iter;
  gpointer name, node;

  g_hash_table_iter_init (&iter, program->names);
  while (g_hash_table_iter_next (&iter, &name, &node))
    {
      CandelaNode *array;

      if (candela_node_get_kind (node) != CANDELA_NODE_SLOT)
        continue;
      array = new_random (name, node, error);
      if (array == NULL)
        return FALSE;
      g_hash_table_iter_replace (&iter, array);
    }
  return TRUE;
}

/* ---- The three times ---- */

static CandelaExpression *
build (const ToolProgram *program, gint64 *took, GError **error)
{
  gint64 start = now ();
  CandelaExpression *expression = candela_expression_parse (program->text, program->length, program->names, error);

  *took = now () - start;
  return expression;
}

static CandelaPlan *
plan_values (const BenchOptions *options, const GPtrArray *roots, gint64 *took, GError **error)
{
  CandelaPlanFlags flags = (options->no_fusion ? CANDELA_PLAN_NO_FUSION : 0)
                           | (options->no_reuse ? CANDELA_PLAN_NO_REUSE : 0)
                           | (options->no_in_place ? CANDELA_PLAN_NO_IN_PLACE : 0);
  gint64 start = now ();
  CandelaPlan *plan = candela_plan_new ((CandelaNode *const *) roots->pdata, roots->len, flags, error);

  *took = now () - start;
  return plan;
}

static guint64
tensor_bytes (CandelaTensor *tensor)
{
  return candela_tensor_get_n_elements (tensor) * candela_dtype_get_size (candela_tensor_get_dtype (tensor));
}

/* The results go back when the clock is stopped. */
static gboolean
run_once (CandelaPlan *plan, gint64 *took, guint64 *bytes, GError **error)
{
  gint64 start = now ();
  gsize n;
  g_autofree CandelaTensor **tensors = candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, NULL, &n, error);

  *took = now () - start;
  *bytes = 0;
  if (tensors == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    {
      *bytes += tensor_bytes (tensors[i]);
      g_object_unref (tensors[i]);
    }
  return TRUE;
}

/* The arrays that the graph reads, each counted once. */
static guint64
input_bytes (const GPtrArray *roots)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) pending = g_ptr_array_new ();
  guint64 bytes = 0;

  for (guint r = 0; r < roots->len; r++)
    g_ptr_array_add (pending, roots->pdata[r]);
  while (pending->len > 0)
    {
      CandelaNode *node = g_ptr_array_steal_index_fast (pending, pending->len - 1);
      CandelaTensor *tensor = NULL;

      if (!g_hash_table_add (seen, node))
        continue;
      if (candela_node_get_kind (node) == CANDELA_NODE_EDGE)
        tensor = candela_node_get_tensor (node);
      if (tensor != NULL && g_hash_table_add (seen, tensor))
        bytes += tensor_bytes (tensor);
      for (guint i = 0; i < candela_node_get_n_inputs (node); i++)
        g_ptr_array_add (pending, candela_node_get_input (node, i));
    }
  return bytes;
}

static guint
count_runs (const BenchOptions *options, gint64 first)
{
  if (options->runs != TOOL_NOT_GIVEN)
    return options->runs;
  return CLAMP (RUN_NANOSECONDS / MAX (first, 1), FEWEST_RUNS, MOST_RUNS);
}

static void
series_init (Series *series, guint n)
{
  series->times = g_new0 (gint64, n);
  series->n = n;
}

/* What is built first is kept: it is what the plans are for, and the last of them is
 * what runs. */
static gboolean
measure (Bench *bench, const BenchOptions *options, CandelaExpression *expression, const ToolProgram *program,
         GError **error)
{
  g_autoptr (GPtrArray) roots = g_ptr_array_new ();
  g_autoptr (CandelaPlan) plan = NULL;
  gint64 took;
  guint n;

  for (guint i = 0; i < candela_expression_get_n_values (expression); i++)
    g_ptr_array_add (roots, candela_expression_get_nth_value (expression, i));
  plan = plan_values (options, roots, &took, error);
  if (plan == NULL || !run_once (plan, &took, &bench->bytes, error) || !run_once (plan, &took, &bench->bytes, error))
    return FALSE;
  bench->bytes += input_bytes (roots);

  n = count_runs (options, took);
  series_init (&bench->build, n);
  series_init (&bench->plan, n);
  series_init (&bench->run, n);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (CandelaExpression) again = build (program, &bench->build.times[i], error);

      if (again == NULL)
        return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      g_clear_pointer (&plan, candela_plan_unref);
      plan = plan_values (options, roots, &bench->plan.times[i], error);
      if (plan == NULL)
        return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      guint64 bytes;

      if (!run_once (plan, &bench->run.times[i], &bytes, error))
        return FALSE;
    }
  sort_series (&bench->build);
  sort_series (&bench->plan);
  sort_series (&bench->run);
  return TRUE;
}

/* ---- Telling ---- */

static char *
format_time (gint64 nanoseconds)
{
  if (nanoseconds < 1000)
    return g_strdup_printf ("%" G_GINT64_FORMAT " ns", nanoseconds);
  if (nanoseconds < 1000000)
    return g_strdup_printf ("%.2f µs", nanoseconds / 1e3);
  return g_strdup_printf ("%.3f ms", nanoseconds / 1e6);
}

static void
append_series (GString *text, const char *name, const Series *series)
{
  g_autofree char *middle = format_time (median (series));
  g_autofree char *best = format_time (series->times[0]);
  g_autofree char *worst = format_time (series->times[series->n - 1]);

  g_string_append_printf (text, "%-10s %s (%s to %s)\n", name, middle, best, worst);
}

static char *
format_text (const Bench *bench)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint threads = candela_get_num_threads ();

  append_series (text, "build:", &bench->build);
  append_series (text, "plan:", &bench->plan);
  append_series (text, "run:", &bench->run);
  g_string_append_printf (text,
                          "bytes:     %" G_GUINT64_FORMAT "\n"
                          "bandwidth: %.2f GB/s\n"
                          "runs:      %u\n"
                          "threads:   %u\n",
                          bench->bytes, bench->bytes / (double) MAX (median (&bench->run), 1), bench->run.n, threads);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
add_int (JsonBuilder *builder, const char *name, gint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

static char *
format_json (const Bench *bench, const ToolProgram *program)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *valid = g_utf8_make_valid (program->text, program->length);
  g_autofree char *text = NULL;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "expr");
  json_builder_add_string_value (builder, valid);
  add_int (builder, "threads", candela_get_num_threads ());
  add_int (builder, "runs", bench->run.n);
  add_int (builder, "build_ns", median (&bench->build));
  add_int (builder, "plan_ns", median (&bench->plan));
  add_int (builder, "run_ns", median (&bench->run));
  add_int (builder, "run_min_ns", bench->run.times[0]);
  add_int (builder, "run_max_ns", bench->run.times[bench->run.n - 1]);
  add_int (builder, "bytes", bench->bytes);
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  text = json_to_string (root, TRUE);
  return g_strconcat (text, "\n", NULL);
}

static int
bench_program (const BenchOptions *options, char **positionals)
{
  g_auto (ToolProgram) program = { 0 };
  g_auto (Bench) bench = { 0 };
  g_autoptr (CandelaExpression) expression = NULL;
  g_autofree char *text = NULL;
  GError *error = NULL;
  int status = TOOL_EXIT_FINE;
  gint64 took;

  if (!tool_program_load (&program, &command, positionals, options->file, TRUE, &status))
    return status;
  if (!fill_slots (&program, &error))
    return tool_fail (error);
  expression = build (&program, &took, &error);
  if (expression == NULL)
    return tool_fail_expression (error);
  if (!measure (&bench, options, expression, &program, &error))
    return tool_fail (error);
  text = options->json ? format_json (&bench, &program) : format_text (&bench);
  return tool_print (text, &error) ? TOOL_EXIT_FINE : tool_fail (error);
}

int
tool_bench (int argc, char **argv)
{
  BenchOptions options = { .threads = TOOL_NOT_GIVEN, .runs = TOOL_NOT_GIVEN };
  g_auto (GStrv) positionals = NULL, foreign = NULL;
  g_autofree char *file = NULL;
  GError *error = NULL;
  int status = TOOL_EXIT_FINE;
  const GOptionEntry entries[] = {
    { "file", 'f', 0, G_OPTION_ARG_FILENAME, &file, "Read the expression from FILE; - is standard input", "FILE" },
    { "foreign", 0, 0, G_OPTION_ARG_STRING_ARRAY, &foreign, TOOL_FOREIGN_HELP, "OP" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options.threads, "Use N threads", "N" },
    { "runs", 0, 0, G_OPTION_ARG_INT, &options.runs, "Run N times; else for about half a second", "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print JSON", NULL },
    { "no-fusion", 0, 0, G_OPTION_ARG_NONE, &options.no_fusion, "Make every op a step of its own", NULL },
    { "no-reuse", 0, 0, G_OPTION_ARG_NONE, &options.no_reuse, "Give freed buffers to no later result", NULL },
    { "no-inplace", 0, 0, G_OPTION_ARG_NONE, &options.no_in_place, "Write no result over an input", NULL },
    G_OPTION_ENTRY_NULL,
  };

  if (!tool_parse_options (&command, entries, argc, argv, &positionals, &status))
    return status;
  if (options.threads != TOOL_NOT_GIVEN && (options.threads < 1 || options.threads > 256))
    return tool_fail_usage (command.name, "--threads is a number from 1 to 256");
  if (options.runs != TOOL_NOT_GIVEN && (options.runs < 1 || options.runs > 10000000))
    return tool_fail_usage (command.name, "--runs is a number from 1 to 10000000");
  if (options.threads != TOOL_NOT_GIVEN)
    candela_set_num_threads (options.threads);
  if (!tool_add_foreign (foreign, NULL, &error))
    return tool_fail (error);
  options.file = file;
  return bench_program (&options, positionals);
}
