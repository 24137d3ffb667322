/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A profile as a table to be read in a terminal, and as a trace in the format of
 * Chrome's trace viewer ("Trace Event Format"), which other viewers read too. */
#include <candela/exec/profile-private.h>
#include <candela/plan/print-private.h>
#include <json-glib/json-glib.h>

/* ---- As a table ---- */

enum {
  COLUMN_STEP,
  COLUMN_OP,
  COLUMN_TYPE,
  COLUMN_TIME,
  COLUMN_SHARE,
  COLUMN_THREADS,
  COLUMN_READ,
  COLUMN_WRITTEN,
  COLUMN_RATE,
  COLUMN_FLOPS,
  COLUMN_ROOF,
  N_COLUMNS
};

/* Of a step; what has more is told by the step alone. */
#define MAX_PARTS 64

typedef struct
{
  char *cells[N_COLUMNS];
} Row;

static void
row_clear (gpointer data)
{
  Row *row = data;

  for (guint c = 0; c < N_COLUMNS; c++)
    g_free (row->cells[c]);
}

static char *
format_time (guint64 nanoseconds)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (nanoseconds < 1000)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " ns", nanoseconds);
  if (nanoseconds < 1000000)
    return g_strdup_printf ("%s µs", g_ascii_formatd (number, sizeof number, "%.1f", nanoseconds / 1e3));
  return g_strdup_printf ("%s ms", g_ascii_formatd (number, sizeof number, "%.2f", nanoseconds / 1e6));
}

static char *
format_number (const char *format, double value, const char *unit)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strconcat (g_ascii_formatd (number, sizeof number, format, value), unit, NULL);
}

/* The name of the step, its first value's type, and what it had to read and write;
 * nothing stands in a cell about which there is nothing to say. */
static Row
describe_step (const CandelaRunProfile *profile, guint s, guint64 total, const CandelaRoofs *roofs)
{
  const CandelaPlan *plan = profile->plan;
  const CandelaPlanStep *step = &plan->steps[s];
  const CandelaStepWork *work = &profile->work[s];
  guint64 duration = profile->times[s].duration;
  Row row = { { NULL } };

  row.cells[COLUMN_STEP] = g_strdup_printf ("%u", s);
  row.cells[COLUMN_OP] = candela_plan_step_short_name (plan, step);
  if (step->n_outputs > 0)
    row.cells[COLUMN_TYPE] = candela_plan_value_type (plan, candela_plan_step_output (plan, step, 0)->value);
  row.cells[COLUMN_TIME] = format_time (duration);
  row.cells[COLUMN_SHARE] = format_number ("%.1f", 100.0 * duration / MAX (total, 1), " %");
  if (work->read + work->written == 0)
    return row;
  row.cells[COLUMN_THREADS] = g_strdup_printf ("%u", profile->times[s].n_threads);
  row.cells[COLUMN_READ] = candela_plan_bytes_to_string (work->read);
  row.cells[COLUMN_WRITTEN] = candela_plan_bytes_to_string (work->written);
  row.cells[COLUMN_RATE] = format_number ("%.2f", candela_step_rate (profile, s), "");
  if (work->flops > 0)
    row.cells[COLUMN_FLOPS] = format_number ("%.2f", (double) work->flops / (double) MAX (duration, 1), "");
  if (roofs->copy > 0)
    row.cells[COLUMN_ROOF] = format_number ("%.0f", 100.0 * candela_step_share (profile, s, roofs), " %");
  return row;
}

/* One op of several: what it reads and writes, in a cache or not, is told together. */
static Row
describe_part (const CandelaRunProfile *profile, guint s, guint p, guint64 total, guint64 roof)
{
  guint32 part = profile->plan->steps[s].first_part + p;
  guint64 duration = profile->part_times[part];
  double rate = candela_part_bytes (&profile->plan->parts[part]) / (double) MAX (duration, 1);
  Row row = { { NULL } };

  row.cells[COLUMN_OP] = g_strconcat ("· ", candela_plan_part_name (&profile->plan->parts[part]), NULL);
  row.cells[COLUMN_TIME] = format_time (duration);
  row.cells[COLUMN_SHARE] = format_number ("%.1f", 100.0 * duration / MAX (total, 1), " %");
  row.cells[COLUMN_RATE] = format_number ("%.2f", rate, "");
  if (roof > 0)
    row.cells[COLUMN_ROOF] = format_number ("%.0f", rate * 1e11 / roof, " %");
  return row;
}

/* What is not in any step: binding slots, results, freeing. */
static Row
describe_rest (guint64 duration, guint64 total)
{
  Row row = { { NULL } };

  row.cells[COLUMN_OP] = g_strdup ("outside steps");
  row.cells[COLUMN_TIME] = format_time (duration);
  row.cells[COLUMN_SHARE] = format_number ("%.1f", 100.0 * duration / MAX (total, 1), " %");
  return row;
}

static Row
describe_columns (void)
{
  static const char *const titles[] = { "step", "op",      "result", "time",    "share",  "threads",
                                        "read", "written", "GB/s",   "GFLOP/s", "of roof" };
  Row row;

  for (guint c = 0; c < N_COLUMNS; c++)
    row.cells[c] = g_strdup (titles[c]);
  return row;
}

/* Text to the left, numbers to the right; nothing at the end of a line. */
static void
append_rows (GString *text, GArray *rows)
{
  glong widths[N_COLUMNS] = { 0 };

  for (guint r = 0; r < rows->len; r++)
    for (guint c = 0; c < N_COLUMNS; c++)
      {
        const char *cell = g_array_index (rows, Row, r).cells[c];

        widths[c] = MAX (widths[c], cell != NULL ? g_utf8_strlen (cell, -1) : 0);
      }
  for (guint r = 0; r < rows->len; r++)
    {
      for (guint c = 0; c < N_COLUMNS; c++)
        {
          const char *cell = g_array_index (rows, Row, r).cells[c];
          int padding = widths[c] - (cell != NULL ? g_utf8_strlen (cell, -1) : 0);
          gboolean left = c == COLUMN_OP || c == COLUMN_TYPE;

          g_string_append_printf (text, "%s%*s%s%*s", c > 0 ? "  " : "", left ? 0 : padding, "",
                                  cell != NULL ? cell : "", left ? padding : 0, "");
        }
      while (text->len > 0 && text->str[text->len - 1] == ' ')
        g_string_truncate (text, text->len - 1);
      g_string_append_c (text, '\n');
    }
}

/* "a copy of memory runs at 35.79 GB/s, float64 arithmetic at 170.20 GFLOP/s" */
static void
append_roofs (GString *text, const CandelaRoofs *roofs)
{
  g_autofree char *rate = format_number ("%.2f", (double) roofs->copy / 1e9, " GB/s");

  if (roofs->copy > 0)
    g_string_append_printf (text, "a copy of memory runs at %s", rate);
  else
    g_string_append (text, "there is no memory to measure a copy");
  for (guint dtype = 0; dtype < CANDELA_N_DTYPES; dtype++)
    if (roofs->flops[dtype] > 0)
      {
        g_autofree char *flops = format_number ("%.2f", (double) roofs->flops[dtype] / 1e9, " GFLOP/s");

        g_string_append_printf (text, ", %s arithmetic at %s", candela_dtype_get_name ((CandelaDType) dtype), flops);
      }
  g_string_append_c (text, '\n');
}

/**
 * candela_run_profile_to_string:
 * @profile: a profile
 *
 * The profile as a table: for each step its ops, its first result, how long it took
 * and which share of the run that is (and below, of several ops, the same of each), among how many threads it was shared out,
 * what it had to read and write, the bytes of both per nanosecond, if its op declares them the
 * floating-point operations per nanosecond, and which share of the roofline that is (see
 * candela_run_profile_get_step_share()); of the ops of a step, of copying memory.
 *
 * Returns: (transfer full): the text, ended by a newline
 *
 * Since: 1.0
 */
char *
candela_run_profile_to_string (CandelaRunProfile *profile)
{
  g_autoptr (GString) text = NULL;
  g_autoptr (GArray) rows = NULL;
  g_autofree char *time = NULL;
  guint64 total, inside = 0;
  CandelaRoofs roofs;
  Row row;

  g_return_val_if_fail (profile != NULL, NULL);

  total = profile->stats.nanoseconds;
  roofs = candela_measure_roofs (profile);
  rows = g_array_new (FALSE, FALSE, sizeof (Row));
  g_array_set_clear_func (rows, row_clear);
  row = describe_columns ();
  g_array_append_val (rows, row);
  for (guint s = 0; s < profile->plan->n_steps; s++)
    {
      row = describe_step (profile, s, total, &roofs);
      g_array_append_val (rows, row);
      inside += profile->times[s].duration;
      for (guint p = 0; profile->plan->steps[s].n_parts > 1 && p < MIN (profile->plan->steps[s].n_parts, MAX_PARTS);
           p++)
        {
          row = describe_part (profile, s, p, total, roofs.copy);
          g_array_append_val (rows, row);
        }
    }
  row = describe_rest (total - MIN (inside, total), total);
  g_array_append_val (rows, row);

  time = format_time (total);
  text = g_string_new (NULL);
  g_string_append_printf (text, "%u %s in %s, %u %s; ", profile->plan->n_steps,
                          profile->plan->n_steps == 1 ? "step" : "steps", time, profile->n_threads,
                          profile->n_threads == 1 ? "thread" : "threads");
  append_roofs (text, &roofs);
  append_rows (text, rows);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* ---- As a trace ---- */

static void
add_string (JsonBuilder *builder, const char *name, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, valid);
}

static void
add_int (JsonBuilder *builder, const char *name, guint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, (gint64) MIN (value, G_MAXINT64));
}

static void
add_double (JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_double_value (builder, value);
}

static void
add_result (JsonBuilder *builder, const CandelaPlanValue *value)
{
  add_string (builder, "dtype", candela_dtype_get_name (value->dtype));
  json_builder_set_member_name (builder, "shape");
  json_builder_begin_array (builder);
  for (guint axis = 0; value->layout != NULL && axis < value->layout->rank; axis++)
    json_builder_add_int_value (builder, value->layout->dims[axis]);
  json_builder_end_array (builder);
}

static void
add_args (JsonBuilder *builder, CandelaRunProfile *profile, guint s, const CandelaRoofs *roofs)
{
  const CandelaPlan *plan = profile->plan;
  const CandelaPlanStep *step = &plan->steps[s];
  const CandelaStepWork *work = &profile->work[s];
  g_autofree char *name = candela_plan_step_name (plan, step);
  g_auto (GStrv) parts = candela_run_profile_get_step_parts (profile, s);

  json_builder_begin_object (builder);
  add_int (builder, "step", s);
  add_string (builder, "op", name);
  json_builder_set_member_name (builder, "parts");
  json_builder_begin_array (builder);
  for (guint32 p = 0; parts[p] != NULL; p++)
    json_builder_add_string_value (builder, parts[p]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "part_nanoseconds");
  json_builder_begin_array (builder);
  for (guint32 p = 0; p < step->n_parts; p++)
    json_builder_add_int_value (builder, (gint64) profile->part_times[step->first_part + p]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "part_bytes");
  json_builder_begin_array (builder);
  for (guint32 p = 0; p < step->n_parts; p++)
    json_builder_add_int_value (builder, (gint64) candela_part_bytes (&plan->parts[step->first_part + p]));
  json_builder_end_array (builder);
  if (step->n_outputs > 0)
    add_result (builder, &plan->values[candela_plan_step_output (plan, step, 0)->value]);
  add_int (builder, "threads", profile->times[s].n_threads);
  add_int (builder, "elements", work->elements);
  add_int (builder, "bytes_read", work->read);
  add_int (builder, "bytes_written", work->written);
  add_int (builder, "bytes", work->read + work->written);
  add_double (builder, "GB/s", candela_step_rate (profile, s));
  if (work->flops > 0)
    {
      add_int (builder, "flops", work->flops);
      add_double (builder, "GFLOP/s", (double) work->flops / (double) MAX (profile->times[s].duration, 1));
    }
  if (roofs->copy > 0)
    add_double (builder, "share_of_roof", candela_step_share (profile, s, roofs));
  json_builder_end_object (builder);
}

/* A complete event; the format counts in microseconds. */
static void
add_event (JsonBuilder *builder, CandelaRunProfile *profile, guint s, const CandelaRoofs *roofs)
{
  const CandelaPlanStep *step = &profile->plan->steps[s];
  g_autofree char *name = candela_plan_step_short_name (profile->plan, step);

  json_builder_begin_object (builder);
  add_string (builder, "name", name);
  add_string (builder, "cat", candela_plan_step_kind_name (step));
  add_string (builder, "ph", "X");
  add_double (builder, "ts", profile->times[s].start / 1e3);
  add_double (builder, "dur", profile->times[s].duration / 1e3);
  add_int (builder, "pid", 1);
  add_int (builder, "tid", 1);
  json_builder_set_member_name (builder, "args");
  add_args (builder, profile, s, roofs);
  json_builder_end_object (builder);
}

static void
add_run (JsonBuilder *builder, const CandelaRunProfile *profile, const CandelaRoofs *roofs)
{
  json_builder_set_member_name (builder, "otherData");
  json_builder_begin_object (builder);
  add_int (builder, "steps", profile->plan->n_steps);
  add_int (builder, "threads", profile->n_threads);
  add_int (builder, "nanoseconds", profile->stats.nanoseconds);
  add_int (builder, "allocations", profile->stats.allocations);
  add_int (builder, "peak_bytes", profile->stats.peak_bytes);
  add_double (builder, "copy_GB/s", (double) roofs->copy / 1e9);
  for (guint dtype = 0; dtype < CANDELA_N_DTYPES; dtype++)
    if (roofs->flops[dtype] > 0)
      {
        g_autofree char *name = g_strconcat (candela_dtype_get_name ((CandelaDType) dtype), "_GFLOP/s", NULL);

        add_double (builder, name, (double) roofs->flops[dtype] / 1e9);
      }
  json_builder_end_object (builder);
}

/**
 * candela_run_profile_to_chrome_trace:
 * @profile: a profile
 *
 * The profile in the JSON object format of Chrome's trace viewer, which
 * Perfetto reads too: `traceEvents` has one complete event (`ph` is `X`) a step, in order,
 * with `name`, `cat` (the kind of the step), `ts` and `dur` in microseconds, and in
 * `args` `step`, `op`, `parts`, `part_nanoseconds`, `part_bytes`, `dtype`, `shape`, `threads`, `elements`, `bytes_read`,
 * `bytes_written`, `bytes`, `GB/s`, `share_of_roof` and, where they are declared, `flops` and
 * `GFLOP/s`; `otherData` tells of the whole run.
 *
 * Returns: (transfer full): the JSON text, ended by a newline
 *
 * Since: 1.0
 */
char *
candela_run_profile_to_chrome_trace (CandelaRunProfile *profile)
{
  CandelaRoofs roofs;

  g_return_val_if_fail (profile != NULL, NULL);

  roofs = candela_measure_roofs (profile);
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "traceEvents");
  json_builder_begin_array (builder);
  for (guint s = 0; s < profile->plan->n_steps; s++)
    add_event (builder, profile, s, &roofs);
  json_builder_end_array (builder);
  add_string (builder, "displayTimeUnit", "ns");
  add_run (builder, profile, &roofs);
  json_builder_end_object (builder);

  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *text = json_to_string (root, TRUE);
  return g_strconcat (text, "\n", NULL);
}
