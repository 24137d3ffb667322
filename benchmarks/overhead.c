/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the engine costs beside its kernels: building a node, planning it,
 * running it (one element, so that the kernel is next to nothing) and freeing
 * it, per node, for chains and for random graphs of growing size. The best of
 * several runs, and the ratio to the smallest size: at most 0.5 µs a node
 * together up to 10^5 nodes, and at most four times the cost at 10^3 for 10^6,
 * is what the engine is held to. */
#include <candela/candela.h>
#include <stdlib.h>

typedef struct
{
  double build, plan, run, free;
} Cost;

typedef struct
{
  CandelaOp *unary[2];
  CandelaOp *binary[2];
  CandelaNode *input;
} Ops;

static CandelaNode *
build_chain (const Ops *ops, guint n)
{
  CandelaNode *node = candela_node_ref (ops->input);

  for (guint i = 0; i < n; i++)
    {
      CandelaNode *next = candela_node_new_for_op (ops->unary[i % 2], &node, 1, NULL, NULL);

      candela_node_unref (node);
      node = next;
    }
  return node;
}

/* Every node reads two of the last 64; what is left over at the end is summed. */
static CandelaNode *
build_random (const Ops *ops, guint n)
{
  enum {
    WINDOW = 64
  };
  g_autoptr (GRand) random = g_rand_new_with_seed (42);
  CandelaNode *window[WINDOW];
  CandelaNode *node;

  for (guint i = 0; i < WINDOW; i++)
    window[i] = candela_node_ref (ops->input);
  for (guint i = 0; i + WINDOW < n; i++)
    {
      CandelaNode *inputs[2] = { window[g_rand_int_range (random, 0, WINDOW)], window[i % WINDOW] };
      CandelaNode *next = candela_node_new_for_op (ops->binary[i % 2], inputs, 2, NULL, NULL);

      candela_node_unref (window[i % WINDOW]);
      window[i % WINDOW] = next;
    }
  node = window[0];
  for (guint i = 1; i < WINDOW; i++)
    {
      CandelaNode *inputs[2] = { node, window[i] };
      CandelaNode *next = candela_node_new_for_op (ops->binary[0], inputs, 2, NULL, NULL);

      candela_node_unref (node);
      candela_node_unref (window[i]);
      node = next;
    }
  return node;
}

static double
lap (gint64 *since)
{
  gint64 now = g_get_monotonic_time ();
  double elapsed = (now - *since) * 1000.0;

  *since = now;
  return elapsed;
}

static void
keep_best (double *best, double now)
{
  if (*best == 0 || now < *best)
    *best = now;
}

static Cost
measure (CandelaNode *(*build) (const Ops *, guint), const Ops *ops, guint n, CandelaPlanFlags flags)
{
  guint repeats = CLAMP (1000000 / n, 3, 200);
  Cost best = { 0 };

  for (guint r = 0; r < repeats; r++)
    {
      gint64 since = g_get_monotonic_time ();
      CandelaNode *node = build (ops, n);
      CandelaTensor **tensors;
      CandelaPlan *plan;

      keep_best (&best.build, lap (&since) / n);
      plan = candela_node_plan (node, flags, NULL);
      keep_best (&best.plan, lap (&since) / n);
      tensors = candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL);
      keep_best (&best.run, lap (&since) / n);
      g_object_unref (tensors[0]);
      g_free (tensors);
      candela_plan_unref (plan);
      candela_node_unref (node);
      keep_best (&best.free, lap (&since) / n);
    }
  return best;
}

int
main (int argc, char **argv)
{
  guint64 largest = argc > 1 ? g_ascii_strtoull (argv[1], NULL, 10) : 1000000;
  const struct
  {
    const char *name;
    CandelaNode *(*build) (const Ops *, guint);
    CandelaPlanFlags flags;
  } kinds[] = {
    { "chain", build_chain, CANDELA_PLAN_DEFAULT },
    { "chain, unfused", build_chain, CANDELA_PLAN_NO_FUSION },
    { "random", build_random, CANDELA_PLAN_DEFAULT },
    { "random, unfused", build_random, CANDELA_PLAN_NO_FUSION },
  };
  static const char *const names[] = { "negative", "abs", "add", "multiply" };
  CandelaOp *found[G_N_ELEMENTS (names)];
  const gint64 shape[] = { 1 };
  const float value = 1;
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor =
    candela_tensor_new_from_data (CANDELA_DTYPE_FLOAT32, shape, 1, (const guint8 *) &value, sizeof value, NULL);
  g_autoptr (CandelaNode) input = candela_node_new_tensor (tensor);
  Ops ops = { .input = input };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      found[i] = candela_registry_lookup_op (candela_registry_get_default (), names[i], &error);
      if (found[i] == NULL)
        {
          g_printerr ("overhead: %s\n", error->message);
          return 1;
        }
    }
  ops.unary[0] = found[0];
  ops.unary[1] = found[1];
  ops.binary[0] = found[2];
  ops.binary[1] = found[3];

  g_print ("%-16s %9s %9s %9s %9s %9s %9s %7s\n", "graph", "nodes", "build", "plan", "run", "free", "all but f.",
           "ratio");
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      double first = 0;

      for (guint64 n = 1000; n <= largest; n *= 10)
        {
          Cost cost = measure (kinds[k].build, &ops, n, kinds[k].flags);
          double sum = cost.build + cost.plan + cost.run;

          first = first == 0 ? sum : first;
          g_print ("%-16s %9" G_GUINT64_FORMAT " %6.0f ns %6.0f ns %6.0f ns %6.0f ns %7.0f ns %6.2fx\n", kinds[k].name,
                   n, cost.build, cost.plan, cost.run, cost.free, sum, sum / first);
        }
    }
  return 0;
}
