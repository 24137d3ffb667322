/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Running plans: cancelling, progress, runs in the background, CANDELA_DEBUG. */
#include "../testing.h"

static CandelaNode *
large_value (gint64 n)
{
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (CANDELA_DTYPE_FLOAT64, &n, 1, NULL);
  double *data = candela_tensor_get_writable_data (tensor);

  for (gint64 i = 0; i < n; i++)
    data[i] = i % 1000;
  return candela_node_new_tensor (tensor);
}

static CandelaNode *
build_over_large (const char *text, gint64 n)
{
  g_autoptr (GHashTable) names = names_new ();

  put_name (names, "x", large_value (n));
  return build (text, names);
}

/* ---- Cancelling ---- */

static void
test_cancelled_before (void)
{
  const Given given = { "x", "float64", "2", "1 2" };
  static const char *const texts[] = { "x + 1", "sum(x)", "t = x * 2; t @ exp(t)" };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  g_cancellable_cancel (cancellable);
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint flags = 0; flags < N_FLAGS; flags++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (CandelaNode) node = build_given (texts[i], &given, 1);
        g_autoptr (CandelaPlan) plan = plan_node (node, flags);
        CandelaRunStats stats;
        gsize n = 9;

        g_assert_null (candela_plan_run (plan, NULL, 0, cancellable, NULL, NULL, &stats, &n, &error));
        g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
        g_assert_cmpuint (n, ==, 0);
        g_assert_cmpuint (stats.allocations, ==, 0);
      }
}

typedef struct
{
  GCancellable *cancellable;
  guint calls;
  guint64 done, total;
} Watch;

static void
cancel_at_once (guint64 done, guint64 total, gpointer data)
{
  Watch *watch = data;

  watch->calls++;
  watch->done = done;
  watch->total = total;
  g_cancellable_cancel (watch->cancellable);
}

/* In a row of steps, and in the middle of one. */
static void
test_cancelled_meanwhile (void)
{
  static const char *const texts[] = { "y = x; y = exp(-y); y = sin(y); y = exp(-y); y = cos(y); y",
                                       "sum(exp(-x)) + x" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (CandelaNode) node = build_over_large (texts[i], 1000000);

      for (guint flags = 0; flags < N_FLAGS; flags++)
        for (guint threads = 1; threads <= 3; threads += 2)
          {
            g_autoptr (GError) error = NULL;
            g_autoptr (GCancellable) cancellable = g_cancellable_new ();
            g_autoptr (CandelaPlan) plan = plan_node (node, flags);
            Watch watch = { .cancellable = cancellable };

            candela_set_num_threads (threads);
            g_assert_null (candela_plan_run (plan, NULL, 0, cancellable, cancel_at_once, &watch, NULL, NULL, &error));
            g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
            g_assert_cmpuint (watch.calls, >=, 1);
            /* Where this thread is kept waiting in its first piece, others may have done all the rest. */
            if (threads == 1)
              g_assert_cmpuint (watch.done, <, watch.total);
            else
              g_assert_cmpuint (watch.done, <=, watch.total);
          }
    }
  candela_set_num_threads (0);
}

/* A plan that was cancelled once runs as ever. */
static void
test_cancelled_then_run (void)
{
  const Given given = { "x", "float64", "2", "1 2" };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = build_given ("exp(x * 0) + x", &given, 1);
  g_autoptr (CandelaPlan) plan = plan_node (node, CANDELA_PLAN_NO_FUSION);
  g_autoptr (CandelaTensor) wanted = make_tensor ("float64", "2", "2 3");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Watch watch = { .cancellable = cancellable };
  CandelaTensor **got;

  g_assert_null (candela_plan_run (plan, NULL, 0, cancellable, cancel_at_once, &watch, NULL, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  got = run_plan (plan, NULL);
  assert_tensors_same (got[0], wanted, "after a cancelled run");
  free_tensors (got, 1);
}

/* ---- Progress ---- */

static void
check_progress (guint64 done, guint64 total, gpointer data)
{
  Watch *watch = data;

  g_assert_cmpuint (done, <=, total);
  g_assert_cmpuint (done, >=, watch->done);
  if (watch->calls++ > 0)
    g_assert_cmpuint (total, ==, watch->total);
  watch->done = done;
  watch->total = total;
}

static void
test_progress (void)
{
  static const char *const texts[] = { "x + 1", "sum(exp(x)) * x", "t = contiguous(reshape(x, [-1, 2]).T); t * t + 1",
                                       "m, v = moments(x); x - m", "q, r = divmod(x, 3); q + r[::-1]" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (gint64 n = 10; n <= 400000; n *= 200)
      {
        g_autoptr (CandelaNode) node = build_over_large (texts[i], n);

        for (guint flags = 0; flags < N_FLAGS; flags++)
          for (guint threads = 1; threads <= 3; threads += 2)
            {
              g_autoptr (GError) error = NULL;
              g_autoptr (CandelaPlan) plan = plan_node (node, flags);
              Watch watch = { 0 };
              CandelaTensor **got;

              candela_set_num_threads (threads);
              got = candela_plan_run (plan, NULL, 0, NULL, check_progress, &watch, NULL, NULL, &error);
              g_assert_no_error (error);
              free_tensors (got, 1);
              g_assert_cmpuint (watch.calls, >=, 1);
              g_assert_cmpuint (watch.done, ==, watch.total);
              g_assert_cmpuint (watch.total, >=, (guint64) n / 2);
            }
      }
  candela_set_num_threads (0);
}

/* ---- In the background ---- */

typedef struct
{
  GMainLoop *loop;
  GThread *thread;
  CandelaTensor *tensor;
  GError *error;
  guint ticks;
  GCancellable *cancellable;
  CandelaNode *node;
} Background;

static void
finished (GObject *source, GAsyncResult *result, gpointer data)
{
  Background *background = data;

  g_assert_null (source);
  g_assert_true (g_thread_self () == background->thread);
  background->tensor = candela_node_materialize_finish (background->node, result, &background->error);
  g_main_loop_quit (background->loop);
}

static gboolean
tick (gpointer data)
{
  Background *background = data;

  background->ticks++;
  if (background->cancellable != NULL && background->ticks == 2)
    g_cancellable_cancel (background->cancellable);
  return G_SOURCE_CONTINUE;
}

static void
run_in_background (Background *background, GMainContext *context)
{
  GSource *source = g_timeout_source_new (1);

  background->loop = g_main_loop_new (context, FALSE);
  background->thread = g_thread_self ();
  g_source_set_callback (source, tick, background, NULL);
  g_source_attach (source, context);
  candela_node_materialize_async (background->node, background->cancellable, finished, background);
  g_main_loop_run (background->loop);
  g_source_destroy (source);
  g_source_unref (source);
  g_main_loop_unref (background->loop);
}

/* x, repeated a hundred thousand times, through a costly function: some seconds of
 * work, were it not cancelled. */
static CandelaNode *
long_work (guint n)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autofree char *text = g_strdup_printf ("sum(tanh(sin(broadcast_to(x, [%u, 1000]))), axis=1)", n);

  put_name (names, "x", large_value (1000));
  return build (text, names);
}

static void
test_async (void)
{
  g_autoptr (CandelaNode) node = long_work (30000);
  Background background = { .node = node };
  g_autoptr (CandelaTensor) wanted = compute (node);

  run_in_background (&background, NULL);
  g_assert_no_error (background.error);
  assert_tensors_same (background.tensor, wanted, "in the background");
  /* The loop went on meanwhile. */
  g_assert_cmpuint (background.ticks, >=, 3);
  g_object_unref (background.tensor);
}

static void
test_async_cancelled (void)
{
  g_autoptr (CandelaNode) node = long_work (200000);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Background background = { .node = node, .cancellable = cancellable };
  gint64 started = g_get_monotonic_time ();

  if (g_getenv ("CANDELA_DEBUG") != NULL)
    {
      g_test_skip ("it holds 1.6 GB for a moment");
      return;
    }
  run_in_background (&background, NULL);
  g_assert_null (background.tensor);
  g_assert_error (background.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_test_message ("cancelled after %.3f s", (g_get_monotonic_time () - started) / 1e6);
  g_error_free (background.error);
}

static void
test_async_error (void)
{
  const gint64 shape = 2;
  g_autoptr (CandelaNode) node = candela_node_new_slot ("free", CANDELA_DTYPE_FLOAT64, &shape, 1, NULL);
  Background background = { .node = node };

  run_in_background (&background, NULL);
  g_assert_null (background.tensor);
  g_assert_error (background.error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
  g_error_free (background.error);
}

static gpointer
async_in_own_context (gpointer data)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  const Given given = { "x", "float64", "2", "1 2" };
  g_autoptr (CandelaNode) node = build_given ("x * 2", &given, 1);
  g_autoptr (CandelaTensor) wanted = make_tensor ("float64", "2", "2 4");
  Background background = { .node = node };

  g_main_context_push_thread_default (context);
  run_in_background (&background, context);
  g_main_context_pop_thread_default (context);
  g_assert_no_error (background.error);
  assert_tensors_same (background.tensor, wanted, "in a context of its own");
  g_object_unref (background.tensor);
  return NULL;
}

/* The callback comes in the caller's thread-default context. */
static void
test_async_context (void)
{
  g_thread_join (g_thread_new ("context", async_in_own_context, NULL));
}

/* ---- CANDELA_DEBUG ---- */

static void
test_debug_child (void)
{
  const char *debug = g_getenv ("CANDELA_DEBUG");
  const Given given = { "x", "float64", "2", "1 2" };
  g_autoptr (CandelaNode) node = build_given ("(x + 1) * 2", &given, 1);
  g_autoptr (CandelaPlan) plan = plan_node (node, CANDELA_PLAN_DEFAULT);

  if (debug != NULL && strstr (debug, "no-fusion") != NULL)
    {
      g_assert_cmpuint (candela_plan_get_n_steps (plan), ==, 2);
      g_assert_cmpuint (candela_plan_get_n_allocations (plan), ==, strstr (debug, "no-inplace") != NULL ? 2 : 1);
    }
  else
    g_assert_cmpuint (candela_plan_get_n_steps (plan), ==, 1);
  check_value ("(x + 1) * 2", &given, 1, "float64", "2", "4 6");
}

static void
test_debug (void)
{
  g_autofree char *text = NULL;

  if (!run_again ("no-fusion,no-reuse,no-inplace", "/exec/debug/child", NULL))
    return;
  run_again ("no-fusion", "/exec/debug/child", NULL);
  run_again ("poison", "/exec/size", NULL);
  run_again ("poison", "/exec/memory", NULL);
  run_again ("plan", "/exec/debug/child", &text);
  g_assert_nonnull (strstr (text, "step 0"));
  g_assert_nonnull (strstr (text, "multiply (add ("));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/exec/cancel/before", test_cancelled_before);
  g_test_add_func ("/exec/cancel/meanwhile", test_cancelled_meanwhile);
  g_test_add_func ("/exec/cancel/then-run", test_cancelled_then_run);
  g_test_add_func ("/exec/progress", test_progress);
  g_test_add_func ("/exec/async/value", test_async);
  g_test_add_func ("/exec/async/cancelled", test_async_cancelled);
  g_test_add_func ("/exec/async/error", test_async_error);
  g_test_add_func ("/exec/async/context", test_async_context);
  g_test_add_func ("/exec/debug/child", test_debug_child);
  g_test_add_func ("/exec/debug/settings", test_debug);
  return g_test_run ();
}
