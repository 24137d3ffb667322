/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Runs that are timed: the same results, times that follow one another within the
 * run, bytes that follow from the shapes, and a trace that is JSON as the format
 * has it. */
#include "../testing.h"

#include <json-glib/json-glib.h>

static CandelaTensor **
run_profiled (CandelaPlan *plan, CandelaRunProfile **profile, gsize *n)
{
  g_autoptr (GError) error = NULL;
  CandelaTensor **tensors = candela_plan_run_profiled (plan, NULL, 0, NULL, NULL, NULL, profile, n, &error);

  g_assert_no_error (error);
  g_assert_nonnull (*profile);
  return tensors;
}

static CandelaRunProfile *
profile_given (const char *text, const Given *given, gsize n, CandelaPlanFlags flags)
{
  g_autoptr (CandelaNode) node = build_given (text, given, n);
  g_autoptr (CandelaPlan) plan = plan_node (node, flags);
  CandelaRunProfile *profile;
  gsize n_tensors;
  g_autofree CandelaTensor **tensors = run_profiled (plan, &profile, &n_tensors);

  g_assert_cmpuint (n_tensors, ==, 1);
  g_object_unref (tensors[0]);
  return profile;
}

static const Given matrices[] = { { "a", "float32", "2 3", "1 2 3 4 5 6" },
                                  { "b", "float32", "3", "10 20 30" },
                                  { "k", "int8", "2 1", "1 2" } };

static void
check_step (CandelaRunProfile *profile, guint step, const char *parts, guint64 read, guint64 written, guint64 elements)
{
  g_auto (GStrv) found = candela_run_profile_get_step_parts (profile, step);
  g_autofree char *joined = g_strjoinv ("+", found);

  g_assert_cmpstr (joined, ==, parts);
  g_assert_cmpuint (candela_run_profile_get_step_bytes_read (profile, step), ==, read);
  g_assert_cmpuint (candela_run_profile_get_step_bytes_written (profile, step), ==, written);
  g_assert_cmpuint (candela_run_profile_get_step_elements (profile, step), ==, elements);
}

/* Six float32 are 24 bytes; an input that is read twice counts once, a broadcast
 * one as it is; a literal counts too, as its array's dtype. */
static void
test_bytes (void)
{
  g_autoptr (CandelaRunProfile) fused = profile_given ("(a + b) * a", matrices, 3, 0);
  g_autoptr (CandelaRunProfile) apart = profile_given ("(a + b) * a", matrices, 3, NO_OPTIMIZATION);
  g_autoptr (CandelaRunProfile) square = profile_given ("a * a", matrices, 3, 0);
  g_autoptr (CandelaRunProfile) literal = profile_given ("a * 2", matrices, 3, 0);

  g_assert_cmpuint (candela_run_profile_get_n_steps (fused), ==, 1);
  check_step (fused, 0, "add+multiply", 24 + 12, 24, 6);
  g_assert_cmpuint (candela_run_profile_get_n_steps (apart), ==, 2);
  check_step (apart, 0, "add", 24 + 12, 24, 6);
  check_step (apart, 1, "multiply", 24 + 24, 24, 6);
  check_step (square, 0, "multiply", 24, 24, 6);
  check_step (literal, 0, "multiply", 24 + 4, 24, 6);
}

static void
test_bytes_of_other_steps (void)
{
  g_autoptr (CandelaRunProfile) product = profile_given ("a.T @ a", matrices, 3, 0);
  g_autoptr (CandelaRunProfile) wide = profile_given ("broadcast_to(k, [2, 1000]) + k", matrices, 3, 0);
  g_autoptr (CandelaRunProfile) nothing = profile_given ("a[0:0] + 1", matrices, 3, 0);

  /* The transposed matrix is the same memory under another layout: two values. */
  g_assert_cmpuint (candela_run_profile_get_n_steps (product), ==, 2);
  check_step (product, 0, "transpose", 0, 0, 0);
  check_step (product, 1, "matmul", 24 + 24, 9 * 4, 9);
  check_step (wide, 1, "add", 2 + 2, 2000, 2000);
  g_assert_cmpuint (candela_run_profile_get_step_bytes_written (nothing, 1), ==, 0);
}

/* By hand: twice the inner extent for each element of a product; nothing of what is
 * not declared, or not floating-point. */
static const struct
{
  const char *text;
  guint64 flops;
} costs[] = {
  { "a.T @ a", 2 * 2 * 3 * 3 },
  { "a @ a.T", 2 * 3 * 2 * 2 },
  { "a @ b", 2 * 3 * 2 },
  { "b @ b", 2 * 3 },
  { "ones([5, 1, 2, 3], 'float64') @ ones([7, 3, 4], 'float64')", 2 * 3 * 5 * 7 * 2 * 4 },
  { "ones([2, 0]) @ ones([0, 3])", 0 },
  { "vecdot(a, b)", 2 * 3 * 2 },
  { "vecdot(a, a, axis=-2)", 2 * 2 * 3 },
  { "outer(b, b)", 9 },
  { "k @ k.T", 0 },
  { "a + b", 0 },
  { "sum(a)", 0 },
  { "a.T", 0 },
};

static void
test_flops (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (costs); i++)
    {
      g_autoptr (CandelaRunProfile) profile = profile_given (costs[i].text, matrices, 3, 0);
      guint last = candela_run_profile_get_n_steps (profile) - 1;

      g_test_message ("%s", costs[i].text);
      g_assert_cmpuint (candela_run_profile_get_step_flops (profile, last), ==, costs[i].flops);
      g_assert_cmpuint (candela_run_profile_get_step_flops (profile, last + 1), ==, 0);
    }
}

/* The share is that of the lower roof: for a sum that of copying, for a product the
 * one of the two under which it needs longer. */
static void
test_share (void)
{
  g_autoptr (CandelaRunProfile) product = profile_given ("ones([300, 400]) @ ones([400, 200])", matrices, 3, 0);
  g_autoptr (CandelaRunProfile) sum = profile_given ("sum(a)", matrices, 3, 0);
  guint last = candela_run_profile_get_n_steps (product) - 1;
  double copy = (double) candela_measure_copy_bandwidth ();
  double peak = (double) candela_measure_arithmetic (CANDELA_DTYPE_FLOAT64);
  double product_time = (double) candela_run_profile_get_step_duration (product, last) / 1e9;
  double sum_time = (double) candela_run_profile_get_step_duration (sum, 0) / 1e9;
  double bytes = (double) (candela_run_profile_get_step_bytes_read (product, last) + 60000 * 8);

  g_assert_cmpfloat_with_epsilon (candela_run_profile_get_step_share (product, last),
                                  MAX (48e6 / peak, bytes / copy) / product_time, 1e-6);
  g_assert_cmpfloat_with_epsilon (candela_run_profile_get_step_share (sum, 0), (24 + 4) / copy / sum_time, 1e-6);
}

static void
test_times (void)
{
  g_autoptr (CandelaRunProfile) profile =
    profile_given ("t = sum(exp(a) @ a.T, axis=0); t / sum(t)", matrices, 3, CANDELA_PLAN_NO_FUSION);
  guint n = candela_run_profile_get_n_steps (profile);
  guint64 before = 0, inside = 0;
  CandelaRunStats stats;

  candela_run_profile_get_stats (profile, &stats);
  g_assert_cmpuint (n, ==, candela_plan_get_n_steps (candela_run_profile_get_plan (profile)));
  g_assert_cmpuint (n, >=, 5);
  g_assert_cmpuint (stats.steps, ==, n);
  g_assert_cmpuint (candela_run_profile_get_n_threads (profile), ==, candela_get_num_threads ());
  for (guint s = 0; s < n; s++)
    {
      guint64 start = candela_run_profile_get_step_start (profile, s);

      g_assert_cmpuint (start, >=, before);
      inside += candela_run_profile_get_step_duration (profile, s);
      before = start + candela_run_profile_get_step_duration (profile, s);
      g_assert_cmpfloat (candela_run_profile_get_step_share (profile, s), >=, 0);
    }
  g_assert_cmpuint (inside, <=, stats.nanoseconds);
  g_assert_cmpuint (inside, >, 0);
  g_assert_cmpuint (candela_run_profile_get_step_start (profile, n), ==, 0);
  g_assert_cmpuint (candela_run_profile_get_step_duration (profile, n), ==, 0);
  g_assert_cmpuint (candela_run_profile_get_step_elements (profile, G_MAXUINT), ==, 0);
  g_assert_null (candela_run_profile_get_step_parts (profile, n));
  g_assert_cmpfloat (candela_run_profile_get_step_share (profile, n), ==, 0);
}

/* Small work stays on the thread of the caller; so does all if there is but one. */
static void
test_threads (void)
{
  for (guint n = 1; n <= 2; n++)
    {
      candela_set_num_threads (n);
      g_autoptr (CandelaRunProfile) large =
        profile_given ("exp(ones([3000000], dtype='float32') * k[0, 0])", matrices, 3, 0);
      g_autoptr (CandelaRunProfile) small = profile_given ("a + b", matrices, 3, 0);
      guint last = candela_run_profile_get_n_steps (large) - 1;

      g_assert_cmpuint (candela_run_profile_get_n_threads (large), ==, n);
      g_assert_cmpuint (candela_run_profile_get_step_n_threads (large, last), ==, n);
      g_assert_cmpuint (candela_run_profile_get_step_n_threads (large, last + 1), ==, 0);
      g_assert_cmpuint (candela_run_profile_get_step_n_threads (small, 0), ==, 1);
    }
  candela_set_num_threads (0);
}

/* The same bits as of a run that nobody times, however it is planned. */
static void
test_results (void)
{
  g_autoptr (CandelaNode) node = build_given ("m, v = moments(exp(a * b), axis=1); (m + v) * k[:, 0]", matrices, 3);

  for (guint flags = 0; flags < N_FLAGS; flags++)
    {
      g_autoptr (CandelaPlan) plan = plan_node (node, flags);
      g_autoptr (CandelaRunProfile) profile = NULL;
      g_autoptr (GError) error = NULL;
      gsize n;
      g_autofree CandelaTensor **plain = candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, NULL, NULL, &error);
      g_autofree CandelaTensor **timed = run_profiled (plan, &profile, &n);

      g_assert_no_error (error);
      g_assert_cmpuint (n, ==, 1);
      assert_tensors_same (timed[0], plain[0], "timed");
      g_object_unref (plain[0]);
      g_object_unref (timed[0]);
    }
}

static void
test_failing (void)
{
  g_autoptr (CandelaNode) node = build_given ("a + b", matrices, 3);
  g_autoptr (CandelaPlan) plan = plan_node (node, 0);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  CandelaRunProfile *profile = (CandelaRunProfile *) &error;
  gsize n = 7;

  g_cancellable_cancel (cancellable);
  g_assert_null (candela_plan_run_profiled (plan, NULL, 0, cancellable, NULL, NULL, &profile, &n, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_null (profile);
  g_assert_cmpuint (n, ==, 0);
}

/* Nothing to run is a profile too. */
static void
test_no_steps (void)
{
  g_autoptr (CandelaRunProfile) profile = profile_given ("a", matrices, 3, 0);
  g_autofree char *text = candela_run_profile_to_string (profile);
  g_autofree char *trace = candela_run_profile_to_chrome_trace (profile);

  g_assert_cmpuint (candela_run_profile_get_n_steps (profile), ==, 0);
  g_assert_true (g_str_has_prefix (text, "0 steps in "));
  g_assert_nonnull (strstr (trace, "\"traceEvents\" : []"));
}

static void
test_table (void)
{
  g_autoptr (CandelaRunProfile) profile = profile_given ("sum(exp(a + b), axis=0).T", matrices, 3, 0);
  g_autofree char *text = candela_run_profile_to_string (profile);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = candela_run_profile_get_n_steps (profile);

  /* A line for each of the two ops of the first step. */
  g_assert_cmpuint (g_strv_length (lines), ==, n + 6);
  g_assert_true (g_str_has_prefix (lines[1], "step  op"));
  g_assert_nonnull (strstr (lines[2], "add+exp"));
  g_assert_nonnull (strstr (lines[2], "float32 [2, 3]"));
  g_assert_nonnull (strstr (lines[2], "36 B"));
  g_assert_nonnull (strstr (lines[2], "24 B"));
  g_assert_nonnull (strstr (lines[3], "· add"));
  g_assert_nonnull (strstr (lines[4], "· exp"));
  g_assert_nonnull (strstr (lines[n + 4], "outside steps"));
  for (char **line = lines; *line != NULL; line++)
    g_assert_false (g_str_has_suffix (*line, " "));
}

static void
check_event (JsonObject *event, CandelaRunProfile *profile, guint step)
{
  JsonObject *args = json_object_get_object_member (event, "args");
  double end = json_object_get_double_member (event, "ts") + json_object_get_double_member (event, "dur");

  g_assert_cmpstr (json_object_get_string_member (event, "ph"), ==, "X");
  g_assert_true (json_object_has_member (event, "pid") && json_object_has_member (event, "tid"));
  g_assert_cmpfloat_with_epsilon (
    1000 * end,
    candela_run_profile_get_step_start (profile, step) + candela_run_profile_get_step_duration (profile, step), 1);
  g_assert_cmpint (json_object_get_int_member (args, "step"), ==, step);
  g_assert_cmpint (json_object_get_int_member (args, "bytes"), ==,
                   candela_run_profile_get_step_bytes_read (profile, step)
                     + candela_run_profile_get_step_bytes_written (profile, step));
}

static void
test_trace (void)
{
  g_autoptr (CandelaRunProfile) profile = profile_given ("sum(exp(a + b), axis=0)", matrices, 3, 0);
  g_autofree char *text = candela_run_profile_to_chrome_trace (profile);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = json_from_string (text, &error);
  JsonObject *args;
  JsonArray *events, *list;

  g_assert_no_error (error);
  events = json_object_get_array_member (json_node_get_object (root), "traceEvents");
  g_assert_cmpuint (json_array_get_length (events), ==, 2);
  for (guint s = 0; s < 2; s++)
    check_event (json_array_get_object_element (events, s), profile, s);
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (events, 0), "cat"), ==, "fused");
  args = json_object_get_object_member (json_array_get_object_element (events, 0), "args");
  g_assert_cmpstr (json_object_get_string_member (args, "op"), ==, "add+exp");
  g_assert_cmpstr (json_object_get_string_member (args, "dtype"), ==, "float32");
  list = json_object_get_array_member (args, "parts");
  g_assert_cmpuint (json_array_get_length (list), ==, 2);
  g_assert_cmpstr (json_array_get_string_element (list, 1), ==, "exp");
  list = json_object_get_array_member (args, "part_nanoseconds");
  g_assert_cmpuint (json_array_get_length (list), ==, 2);
  list = json_object_get_array_member (args, "part_bytes");
  g_assert_cmpuint (json_array_get_length (list), ==, 2);
  list = json_object_get_array_member (args, "shape");
  g_assert_cmpuint (json_array_get_length (list), ==, 2);
  g_assert_cmpint (json_array_get_int_element (list, 1), ==, 3);
}

/* A column for what is declared, and the roof above it. */
static void
test_trace_of_product (void)
{
  g_autoptr (CandelaRunProfile) profile = profile_given ("a @ b", matrices, 3, 0);
  g_autofree char *text = candela_run_profile_to_chrome_trace (profile);
  g_autofree char *table = candela_run_profile_to_string (profile);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = json_from_string (text, &error);
  JsonObject *object, *args;

  g_assert_no_error (error);
  object = json_node_get_object (root);
  args = json_object_get_object_member (
    json_array_get_object_element (json_object_get_array_member (object, "traceEvents"), 0), "args");
  g_assert_cmpint (json_object_get_int_member (args, "flops"), ==, 12);
  g_assert_cmpfloat (json_object_get_double_member (args, "GFLOP/s"), >, 0);
  g_assert_cmpfloat (json_object_get_double_member (args, "share_of_roof"), >, 0);
  g_assert_cmpfloat_with_epsilon (
    json_object_get_double_member (json_object_get_object_member (object, "otherData"), "float32_GFLOP/s"),
    (double) candela_measure_arithmetic (CANDELA_DTYPE_FLOAT32) / 1e9, 1e-6);
  g_assert_nonnull (strstr (table, ", float32 arithmetic at "));
  g_assert_nonnull (strstr (table, "  GFLOP/s  of roof\n"));
}

/* The same for arithmetic: no processor does less than 10 million operations a second,
 * or more than a thousand million million; of float32 as many as of float64 at least,
 * but for what disturbs one of the measurements. */
static void
test_arithmetic (void)
{
  guint64 single = candela_measure_arithmetic (CANDELA_DTYPE_FLOAT32);
  guint64 twice = candela_measure_arithmetic (CANDELA_DTYPE_FLOAT64);

  g_assert_cmpuint (twice, >, 10000000);
  g_assert_cmpuint (single, >, twice / 2);
  g_assert_cmpuint (single, <, 1000000000000000);
  g_assert_cmpuint (candela_measure_arithmetic (CANDELA_DTYPE_FLOAT32), ==, single);
  g_assert_cmpuint (candela_measure_arithmetic (CANDELA_DTYPE_INT32), ==, 0);
}

/* Measured once: asked again, it is the same number. */
static void
test_bandwidth (void)
{
  guint64 first = candela_measure_copy_bandwidth ();

  /* No machine copies less than 10 MB/s or more than 100 TB/s. */
  g_assert_cmpuint (first, >, 10000000);
  g_assert_cmpuint (first, <, 100000000000000);
  g_assert_cmpuint (candela_measure_copy_bandwidth (), ==, first);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profile/bytes", test_bytes);
  g_test_add_func ("/profile/bytes-of-other-steps", test_bytes_of_other_steps);
  g_test_add_func ("/profile/flops", test_flops);
  g_test_add_func ("/profile/share", test_share);
  g_test_add_func ("/profile/times", test_times);
  g_test_add_func ("/profile/threads", test_threads);
  g_test_add_func ("/profile/results", test_results);
  g_test_add_func ("/profile/failing", test_failing);
  g_test_add_func ("/profile/no-steps", test_no_steps);
  g_test_add_func ("/profile/table", test_table);
  g_test_add_func ("/profile/trace", test_trace);
  g_test_add_func ("/profile/trace-of-product", test_trace_of_product);
  g_test_add_func ("/profile/bandwidth", test_bandwidth);
  g_test_add_func ("/profile/arithmetic", test_arithmetic);
  return g_test_run ();
}
