/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cache nodes, which are filled by the first run and are leaves from then on; and
 * several threads at work on one graph. */
#include "../testing.h"

/* x: [2, 2]; kept: a cache over the text. */
static GHashTable *
names_with_cache (const char *text)
{
  const Given given = { "x", "float64", "2 2", "1 2 3 4" };
  GHashTable *names = bind_names (&given, 1);
  g_autoptr (CandelaNode) inner = build (text, names);

  put_name (names, "kept", candela_node_new_cache (inner));
  return names;
}

static CandelaNode *
kept (GHashTable *names)
{
  return g_hash_table_lookup (names, "kept");
}

/* The second plan has no step for what is below the cache. */
static void
test_second_plan (void)
{
  g_autoptr (GHashTable) names = names_with_cache ("exp(x * 0) + x");
  g_autoptr (CandelaNode) root = build ("kept * 10", names);
  g_autoptr (CandelaTensor) wanted = make_tensor ("float64", "2 2", "20 30 40 50");
  g_autoptr (CandelaPlan) first = plan_node (root, CANDELA_PLAN_NO_FUSION);
  g_autoptr (CandelaPlan) second = NULL;
  g_autoptr (CandelaTensor) value = NULL;
  CandelaTensor **got;

  g_assert_cmpuint (candela_plan_get_n_steps (first), ==, 4);
  g_assert_null (candela_node_get_tensor (kept (names)));
  got = run_plan (first, NULL);
  assert_tensors_same (got[0], wanted, "first");
  free_tensors (got, 1);
  value = candela_node_get_tensor (kept (names));
  g_assert_nonnull (value);
  assert_elements (value, "float64", "2 2", "2 3 4 5", "kept");

  second = plan_node (root, CANDELA_PLAN_NO_FUSION);
  g_assert_cmpuint (candela_plan_get_n_steps (second), ==, 1);
  got = run_plan (second, NULL);
  assert_tensors_same (got[0], wanted, "second");
  free_tensors (got, 1);

  /* The cache as a root: the tensor itself, and nothing to do. */
  {
    g_autoptr (CandelaPlan) only = plan_node (kept (names), CANDELA_PLAN_DEFAULT);

    g_assert_cmpuint (candela_plan_get_n_steps (only), ==, 0);
    got = run_plan (only, NULL);
    g_assert_true (got[0] == value);
    free_tensors (got, 1);
  }
}

/* Made before the cache was filled, run after: right, and the value stays the one
 * that was first. */
static void
test_plan_made_before (void)
{
  for (guint flags = 0; flags < N_FLAGS; flags++)
    {
      g_autoptr (GHashTable) names = names_with_cache ("x.T + 1");
      g_autoptr (CandelaNode) root = build ("kept * kept[0]", names);
      g_autoptr (CandelaTensor) wanted = make_tensor ("float64", "2 2", "4 16 6 20");
      g_autoptr (CandelaPlan) early = plan_node (root, flags);
      g_autoptr (CandelaPlan) other = plan_node (root, flags);
      g_autoptr (CandelaTensor) value = NULL;
      g_autoptr (CandelaTensor) still = NULL;

      for (guint i = 0; i < 4; i++)
        {
          CandelaTensor **got = run_plan (i < 2 ? early : other, NULL);

          assert_tensors_same (got[0], wanted, "a plan made before the cache was filled");
          free_tensors (got, 1);
          if (i == 0)
            value = candela_node_get_tensor (kept (names));
        }
      still = candela_node_get_tensor (kept (names));
      g_assert_true (still == value);
    }
}

/* A plan over a filled cache holds its tensor. */
static void
test_plan_holds_tensor (void)
{
  g_autoptr (CandelaPlan) plan = NULL;
  g_autoptr (CandelaTensor) wanted = make_tensor ("float64", "2 2", "3 4 5 6");
  CandelaTensor **got;

  {
    g_autoptr (GHashTable) names = names_with_cache ("x + 1");
    g_autoptr (CandelaNode) root = build ("kept + 1", names);

    g_object_unref (compute (root));
    plan = plan_node (root, CANDELA_PLAN_DEFAULT);
  }
  got = run_plan (plan, NULL);
  assert_tensors_same (got[0], wanted, "the graph is gone");
  free_tensors (got, 1);
}

/* What is kept is packed, whatever it was. */
static void
test_packed (void)
{
  static const struct
  {
    const char *inner, *shape, *elements;
  } cases[] = { { "x.T", "2 2", "1 3 2 4" },
                { "x[::-1]", "2 2", "3 4 1 2" },
                { "x[:, 1]", "2", "2 4" },
                { "broadcast_to(x[0], [3, 2])", "3 2", "1 2 1 2 1 2" },
                { "(x + 1).T", "2 2", "2 4 3 5" },
                { "x[1]", "2", "3 4" },
                { "x", "2 2", "1 2 3 4" },
                { "(x * 2)[1:]", "1 2", "6 8" },
                { "contiguous(x.T)", "2 2", "1 3 2 4" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GHashTable) names = names_with_cache (cases[i].inner);
      g_autoptr (CandelaNode) root = build ("reshape(kept, [-1]) + 0", names);
      g_autoptr (CandelaTensor) value = NULL;

      for (guint run = 0; run < 2; run++)
        {
          g_autoptr (CandelaTensor) got = compute (root);
          g_autofree char *shape = g_strdup_printf ("%" G_GINT64_FORMAT, candela_tensor_get_n_elements (got));

          assert_elements (got, "float64", shape, cases[i].elements, cases[i].inner);
        }
      value = candela_node_get_tensor (kept (names));
      assert_elements (value, "float64", cases[i].shape, cases[i].elements, cases[i].inner);
    }
}

/* A cache of a cache, of one output of several, of a scalar, of a root. */
static void
test_everything_kept (void)
{
  static const struct
  {
    const char *inner, *outer, *shape, *elements;
  } cases[] = { { "q, r = divmod(x, 3); r", "kept + 0", "2 2", "1 2 0 1" },
                { "m, v = moments(x); v", "kept * 4", "", "5" },
                { "2.5", "kept * x", "2 2", "2.5 5 7.5 10" },
                { "identity(x)", "kept", "2 2", "1 2 3 4" },
                { "sum(x, axis=0)", "kept + contiguous(kept)", "2", "8 12" } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GHashTable) names = names_with_cache (cases[i].inner);
      g_autoptr (CandelaNode) outer = build (cases[i].outer, names);
      g_autoptr (CandelaNode) twice = candela_node_new_cache (outer);
      g_autoptr (CandelaTensor) wanted = make_tensor ("float64", cases[i].shape, cases[i].elements);

      check_roots (&twice, &wanted, 1, cases[i].inner);
    }
}

/* A run that does not come to its end keeps nothing. */
static void
test_not_filled_by_half (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) names = names_with_cache ("x + 1");
  g_autoptr (CandelaNode) root = build ("broadcast_to(kept[0, 0], [576460752303423488]) + 1", names);
  g_autoptr (CandelaTensor) value = NULL;

  g_assert_null (candela_node_materialize (root, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY);
  g_assert_null (candela_node_get_tensor (kept (names)));
  value = compute (kept (names));
  assert_elements (value, "float64", "2 2", "2 3 4 5", "after a run that failed");
}

/* ---- Threads ---- */

#define N_THREADS 6

typedef struct
{
  CandelaNode *root;
  CandelaNode *cache;
  CandelaPlan *plan;
  CandelaTensor *wanted;
  CandelaTensor *seen[N_THREADS];
  gint next;
  gint ready;
} Shared;

static gpointer
materialize_shared (gpointer data)
{
  Shared *shared = data;
  gint which = g_atomic_int_add (&shared->next, 1);

  g_atomic_int_inc (&shared->ready);
  while (g_atomic_int_get (&shared->ready) < N_THREADS)
    g_thread_yield ();
  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (CandelaTensor) tensor = compute (shared->root);
      CandelaTensor **got = run_plan (shared->plan, NULL);

      assert_tensors_same (tensor, shared->wanted, "several threads");
      assert_tensors_same (got[0], shared->wanted, "several threads, one plan");
      free_tensors (got, 1);
      if (i == 0)
        shared->seen[which] = candela_node_get_tensor (shared->cache);
    }
  return NULL;
}

/* One graph, several threads: one value, and one tensor kept. */
static void
test_threads (void)
{
  for (guint round = 0; round < 10; round++)
    {
      g_autoptr (GHashTable) names = names_with_cache ("broadcast_to(x, [300, 2, 2]) * 2 + 1");
      g_autoptr (CandelaNode) root = build ("sum(kept.T * exp(kept * 0).T, axis=2)", names);
      g_autoptr (CandelaPlan) plan = plan_node (root, round % N_FLAGS);
      g_autoptr (CandelaTensor) wanted = make_tensor ("float64", "2 2", "900 2100 1500 2700");
      Shared shared = { .root = root, .cache = kept (names), .plan = plan, .wanted = wanted };
      GThread *threads[N_THREADS];

      for (guint i = 0; i < N_THREADS; i++)
        threads[i] = g_thread_new ("materialize", materialize_shared, &shared);
      for (guint i = 0; i < N_THREADS; i++)
        g_thread_join (threads[i]);
      for (guint i = 0; i < N_THREADS; i++)
        {
          g_assert_true (shared.seen[i] == shared.seen[0]);
          g_object_unref (shared.seen[i]);
        }
    }
}

/* Ops of which only one may run at a time, threads of the pool and of the caller: a
 * large graph on several threads at once gives what it gives on one. */
static gpointer
compute_large (gpointer data)
{
  return compute (data);
}

static void
test_threads_large (void)
{
  const Given given = { "x", "float32", "2 2", "0.25 0.5 0.75 1.5" };
  g_autoptr (CandelaNode) root = build_given (
    "t = broadcast_to(x, [50000, 2, 2]); u = exp(t) * sin(t); v = u.T + tanh(t).T; sum(v, axis=2) - mean(u)", &given,
    1);
  g_autoptr (CandelaTensor) alone = NULL;
  GThread *threads[N_THREADS];

  candela_set_num_threads (1);
  alone = compute (root);
  candela_set_num_threads (3);
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("compute", compute_large, root);
  for (guint i = 0; i < N_THREADS; i++)
    {
      g_autoptr (CandelaTensor) tensor = g_thread_join (threads[i]);

      assert_tensors_same (tensor, alone, "several threads at once");
    }
  candela_set_num_threads (0);
}

static void
test_num_threads (void)
{
  candela_set_num_threads (5);
  g_assert_cmpuint (candela_get_num_threads (), ==, 5);
  candela_set_num_threads (0);
  g_assert_cmpuint (candela_get_num_threads (), ==, g_get_num_processors ());
  candela_set_num_threads (G_MAXUINT);
  g_assert_cmpuint (candela_get_num_threads (), >=, 1);
  g_assert_cmpuint (candela_get_num_threads (), <=, 4096);
  candela_set_num_threads (0);
}

static void
test_poison (void)
{
  run_again ("poison", NULL, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cache/second-plan", test_second_plan);
  g_test_add_func ("/cache/plan-made-before", test_plan_made_before);
  g_test_add_func ("/cache/plan-holds-tensor", test_plan_holds_tensor);
  g_test_add_func ("/cache/packed", test_packed);
  g_test_add_func ("/cache/everything", test_everything_kept);
  g_test_add_func ("/cache/not-by-half", test_not_filled_by_half);
  g_test_add_func ("/cache/threads", test_threads);
  g_test_add_func ("/threads/large", test_threads_large);
  g_test_add_func ("/threads/number", test_num_threads);
  g_test_add_func ("/cache/poison", test_poison);
  return g_test_run ();
}
