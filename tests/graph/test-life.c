/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Graphs that are deep: built, planned, run and freed on a thread with a small
 * stack. A million nodes; ten million with -m slow. */
#include "../testing.h"

#include <pthread.h>

#ifdef __SANITIZE_ADDRESS__
#define STACK_BYTES (1024 * 1024)
#else
#define STACK_BYTES (64 * 1024)
#endif

static void
run_on_small_stack (void *(*body) (void *) )
{
  pthread_attr_t attributes;
  pthread_t thread;

  pthread_attr_init (&attributes);
  g_assert_cmpint (pthread_attr_setstacksize (&attributes, STACK_BYTES), ==, 0);
  g_assert_cmpint (pthread_create (&thread, &attributes, body, NULL), ==, 0);
  pthread_join (thread, NULL);
  pthread_attr_destroy (&attributes);
}

static guint
chain_length (void)
{
  return g_test_slow () ? 10000000 : 1000000;
}

/* op over op over … x; takes x over. */
static CandelaNode *
make_chain (const char *op_name, CandelaNode *x, guint n)
{
  g_autoptr (GError) error = NULL;
  CandelaOp *op = candela_registry_lookup_op (candela_registry_get_default (), op_name, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    {
      CandelaNode *next = candela_node_new_for_op (op, &x, 1, NULL, &error);

      g_assert_no_error (error);
      candela_node_unref (x);
      x = next;
    }
  return x;
}

static void
assert_first (CandelaTensor *tensor, double wanted)
{
  g_assert_cmpfloat (*(const double *) element_at (tensor, 0), ==, wanted);
}

static void
plan_and_run (CandelaNode *node, CandelaPlanFlags flags, double wanted)
{
  g_autoptr (CandelaPlan) plan = plan_node (node, flags);
  CandelaTensor **got = run_plan (plan, NULL);

  assert_first (got[0], wanted);
  free_tensors (got, 1);
}

static void *
chain_of_steps (void *unused)
{
  guint n = chain_length () + 1;
  g_autoptr (CandelaNode) chain = make_chain ("negative", make_value ("float64", "2", "3 4"), n);

  plan_and_run (chain, CANDELA_PLAN_DEFAULT, n % 2 == 0 ? 3 : -3);
  return NULL;
}

static void *
chain_unfused (void *unused)
{
  g_autoptr (CandelaNode) chain = make_chain ("negative", make_value ("float64", "2", "3 4"), 1000000);

  plan_and_run (chain, CANDELA_PLAN_NO_FUSION, 3);
  plan_and_run (chain, NO_OPTIMIZATION, 3);
  return NULL;
}

static void *
chain_of_aliases (void *unused)
{
  g_autoptr (CandelaNode) chain = make_chain ("identity", make_value ("float64", "2", "3 4"), chain_length ());
  g_autoptr (CandelaPlan) plan = plan_node (chain, CANDELA_PLAN_DEFAULT);

  g_assert_cmpuint (candela_plan_get_n_steps (plan), ==, 0);
  plan_and_run (chain, CANDELA_PLAN_DEFAULT, 3);
  return NULL;
}

static void *
chain_of_references (void *unused)
{
  g_autoptr (CandelaNode) x = make_value ("float64", "2 2", "1 2 3 4");
  g_autoptr (CandelaNode) chain = make_chain ("transpose", make_chain ("negative", candela_node_ref (x), 1), 300001);
  g_autoptr (CandelaTensor) value = compute (chain);

  g_assert_cmpfloat (*(const double *) element_at (value, 1), ==, -3);
  return NULL;
}

static void *
chain_of_caches (void *unused)
{
  CandelaNode *chain = make_value ("float64", "2", "3 4");
  g_autoptr (CandelaNode) last = NULL;

  for (guint i = 0; i < 100000; i++)
    {
      CandelaNode *negative = make_chain ("negative", chain, 1);

      chain = candela_node_new_cache (negative);
      candela_node_unref (negative);
    }
  last = chain;
  plan_and_run (last, CANDELA_PLAN_DEFAULT, 3);
  plan_and_run (last, CANDELA_PLAN_DEFAULT, 3);
  return NULL;
}

/* Each node reads the one before twice: 2^n paths, and n nodes. */
static void *
chain_of_diamonds (void *unused)
{
  g_autoptr (GError) error = NULL;
  CandelaOp *op = candela_registry_lookup_op (candela_registry_get_default (), "maximum", &error);
  CandelaNode *chain = make_value ("float64", "2", "3 4");
  g_autoptr (CandelaNode) last = NULL;

  g_assert_no_error (error);
  for (guint i = 0; i < 100000; i++)
    {
      CandelaNode *inputs[] = { chain, chain };
      CandelaNode *next = candela_node_new_for_op (op, inputs, 2, NULL, &error);

      g_assert_no_error (error);
      candela_node_unref (chain);
      chain = next;
    }
  last = chain;
  plan_and_run (last, CANDELA_PLAN_DEFAULT, 3);
  plan_and_run (last, NO_OPTIMIZATION, 3);
  return NULL;
}

/* The memory at the end of each chain belongs to the next one. */
static void *
chain_of_owners (void *unused)
{
  static double memory[2] = { 3, 4 };
  const gint64 shape = 2;
  g_autoptr (CandelaLayout) layout = candela_layout_new (&shape, 1, NULL);
  CandelaNode *owner = make_value ("float64", "", "0");

  for (guint i = 0; i < 20000; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaTensor) tensor =
        candela_tensor_new_foreign (CANDELA_DTYPE_FLOAT64, layout, memory, sizeof memory, CANDELA_MEMORY_READ_ONLY,
                                    (GDestroyNotify) candela_node_unref, owner, &error);

      g_assert_no_error (error);
      owner = make_chain ("negative", candela_node_new_tensor (tensor), 10);
    }
  plan_and_run (owner, CANDELA_PLAN_DEFAULT, 3);
  candela_node_unref (owner);
  return NULL;
}

/* A plan, too, is the owner of a graph. */
static void *
chain_in_a_plan (void *unused)
{
  g_autoptr (GError) error = NULL;
  const gint64 shape = 2;
  g_autoptr (CandelaNode) x = make_value ("float64", "2", "3 4");
  g_autoptr (CandelaNode) baked = NULL;

  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (CandelaNode) inner =
        make_chain ("negative", candela_node_new_slot ("s", CANDELA_DTYPE_FLOAT64, &shape, 1, NULL), 10001);
      g_autoptr (CandelaPlan) plan = plan_node (inner, CANDELA_PLAN_DEFAULT);
      CandelaNode *input = baked != NULL ? baked : x;
      CandelaNode *next = candela_node_new_baked (plan, &input, 1, &error);

      g_assert_no_error (error);
      if (baked != NULL)
        candela_node_unref (baked);
      baked = next;
    }
  plan_and_run (baked, CANDELA_PLAN_DEFAULT, 3);
  return NULL;
}

static const struct
{
  const char *path;
  void *(*body) (void *);
} bodies[] = {
  { "/life/chain/steps", chain_of_steps },     { "/life/chain/unfused", chain_unfused },
  { "/life/chain/aliases", chain_of_aliases }, { "/life/chain/references", chain_of_references },
  { "/life/chain/caches", chain_of_caches },   { "/life/chain/diamonds", chain_of_diamonds },
  { "/life/chain/owners", chain_of_owners },   { "/life/chain/in-a-plan", chain_in_a_plan },
};

static void
test_small_stack (gconstpointer data)
{
  const guint *which = data;

  run_on_small_stack (bodies[*which].body);
}

/* ---- Who is told ---- */

static void
count (gpointer data)
{
  g_atomic_int_inc ((gint *) data);
}

/* The memory is let go with the last node, plan and tensor over it, and not before. */
static void
test_owner_is_told (void)
{
  g_autoptr (GError) error = NULL;
  double memory[2] = { 1, 2 };
  gint told = 0;
  const gint64 shape = 2;
  g_autoptr (CandelaLayout) layout = candela_layout_new (&shape, 1, NULL);
  CandelaTensor *tensor = candela_tensor_new_foreign (CANDELA_DTYPE_FLOAT64, layout, memory, sizeof memory,
                                                      CANDELA_MEMORY_READ_ONLY, count, &told, &error);
  CandelaNode *edge = candela_node_new_tensor (tensor);
  CandelaNode *flipped = candela_node_new_op ("flip", &error, edge, NULL, NULL);
  CandelaPlan *plan = plan_node (flipped, CANDELA_PLAN_DEFAULT);
  CandelaTensor **got;

  g_object_unref (tensor);
  candela_node_unref (edge);
  candela_node_unref (flipped);
  g_assert_cmpint (told, ==, 0);
  got = run_plan (plan, NULL);
  candela_plan_unref (plan);
  g_assert_cmpint (told, ==, 0);
  assert_first (got[0], 2);
  free_tensors (got, 1);
  g_assert_cmpint (told, ==, 1);
}

#define N_THREADS 4

static gpointer
build_plan_and_drop (gpointer data)
{
  CandelaNode *shared = data;

  for (guint i = 0; i < 200; i++)
    {
      g_autoptr (CandelaNode) chain = make_chain ("negative", candela_node_ref (shared), 20);
      g_autoptr (CandelaNode) copy = candela_node_ref (chain);

      plan_and_run (copy, i % N_FLAGS, 3);
    }
  candela_node_unref (shared);
  return NULL;
}

/* Nodes are shared by threads, and the last one to let go frees. */
static void
test_shared_by_threads (void)
{
  CandelaNode *shared = make_chain ("negative", make_value ("float64", "2", "3 4"), 1000);
  GThread *threads[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("build", build_plan_and_drop, candela_node_ref (shared));
  candela_node_unref (shared);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
}

int
main (int argc, char **argv)
{
  static guint which[G_N_ELEMENTS (bodies)];

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      which[i] = i;
      g_test_add_data_func (bodies[i].path, &which[i], test_small_stack);
    }
  g_test_add_func ("/life/owner-is-told", test_owner_is_told);
  g_test_add_func ("/life/shared-by-threads", test_shared_by_threads);
  return g_test_run ();
}
