/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the engine costs beside its kernels: building a node, planning it,
 * running it (one element, so that the kernel is next to nothing) and freeing
 * it, per node, for chains and for random graphs of growing size. The best of
 * several runs, and the ratio to the smallest size: at most 0.5 µs a node
 * together up to 10^5 nodes, and at most four times the cost at 10^3 for 10^6,
 * is what the engine is held to.
 *
 * Before that, what small arrays cost: whole expressions over 64 elements, each
 * phase on its own (many at once) and one after the other; and running a planned
 * chain of 1,000 nodes that are not fused, beside calling its loops and nothing
 * else. */
#include <candela/candela.h>
#include <candela/graph/node-private.h>
#include <stdlib.h>

typedef struct
{
  double build, plan, run, free;
} Cost;

typedef struct
{
  CandelaOp *unary[2];
  CandelaOp *binary[3];
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

/* ---- Small arrays ---- */

#define SMALL 64
#define CHAIN 1000

typedef struct
{
  Ops ops;
  CandelaNode *inputs[4];
} Small;

static CandelaNode *
apply (CandelaOp *op, CandelaNode *a, CandelaNode *b)
{
  CandelaNode *inputs[2] = { a, b };

  return candela_node_new_for_op (op, inputs, 2, NULL, NULL);
}

static CandelaNode *
build_sum (const Small *small)
{
  return apply (small->ops.binary[0], small->inputs[0], small->inputs[1]);
}

static CandelaNode *
build_sum_from_text (const Small *small)
{
  return candela_expression_build ("a + b", NULL, "a", small->inputs[0], "b", small->inputs[1], NULL);
}

static CandelaNode *
build_four (const Small *small)
{
  g_autoptr (CandelaNode) two = candela_node_new_int (2);
  g_autoptr (CandelaNode) product = apply (small->ops.binary[1], small->inputs[0], small->inputs[1]);
  g_autoptr (CandelaNode) sum = apply (small->ops.binary[0], product, small->inputs[2]);
  g_autoptr (CandelaNode) doubled = apply (small->ops.binary[1], sum, two);

  return apply (small->ops.binary[2], doubled, small->inputs[3]);
}

static CandelaNode *
build_four_from_text (const Small *small)
{
  return candela_expression_build ("(a * b + c) * 2 - d", NULL, "a", small->inputs[0], "b", small->inputs[1], "c",
                                   small->inputs[2], "d", small->inputs[3], NULL);
}

static CandelaTensor *
run_one (CandelaPlan *plan)
{
  g_autofree CandelaTensor **tensors = candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL);

  return tensors[0];
}

/* So many of each phase, after each other. */
static void
measure_phases (const Small *small, CandelaNode *(*build) (const Small *), Cost *best)
{
  enum {
    N = 256
  };
  CandelaNode *nodes[N];
  CandelaPlan *plans[N];
  CandelaTensor *tensors[N];
  gint64 since = g_get_monotonic_time ();

  for (guint i = 0; i < N; i++)
    nodes[i] = build (small);
  keep_best (&best->build, lap (&since) / N);
  for (guint i = 0; i < N; i++)
    plans[i] = candela_node_plan (nodes[i], CANDELA_PLAN_DEFAULT, NULL);
  keep_best (&best->plan, lap (&since) / N);
  for (guint i = 0; i < N; i++)
    tensors[i] = run_one (plans[i]);
  keep_best (&best->run, lap (&since) / N);
  for (guint i = 0; i < N; i++)
    {
      g_object_unref (tensors[i]);
      candela_plan_unref (plans[i]);
      candela_node_unref (nodes[i]);
    }
  keep_best (&best->free, lap (&since) / N);
}

/* As a program does that computes one after the other. */
static double
measure_whole (const Small *small, CandelaNode *(*build) (const Small *) )
{
  const guint n = 1000;
  gint64 since = g_get_monotonic_time ();

  for (guint i = 0; i < n; i++)
    {
      CandelaNode *node = build (small);

      g_object_unref (candela_node_materialize (node, NULL));
      candela_node_unref (node);
    }
  return lap (&since) / n;
}

static void
measure_expression (const Small *small, const char *name, CandelaNode *(*build) (const Small *) )
{
  Cost best = { 0 };
  double whole = 0;

  for (guint r = 0; r < 200; r++)
    {
      measure_phases (small, build, &best);
      keep_best (&whole, measure_whole (small, build));
    }
  g_print ("%-30s %6.0f ns %6.0f ns %6.0f ns %6.0f ns %7.0f ns\n", name, best.build, best.plan, best.run, best.free,
           whole);
}

/* Each node's loop, from one buffer into the same one. */
static void
call_loops (CandelaNode *const *nodes, float *data)
{
  gconstpointer in[1] = { data };
  gpointer out[1] = { data };

  for (guint i = 0; i < CHAIN; i++)
    nodes[i]->u.op.kernel->loop (out, in, SMALL, nodes[i]->u.op.params);
}

static void
measure_chain (const Small *small)
{
  Ops ops = small->ops;
  CandelaNode *nodes[CHAIN];
  float data[SMALL] = { 0 };
  double run = 0, loops = 0;
  CandelaPlan *plan;

  ops.input = small->inputs[0];
  nodes[CHAIN - 1] = build_chain (&ops, CHAIN);
  for (guint i = CHAIN - 1; i-- > 0;)
    nodes[i] = candela_node_get_input (nodes[i + 1], 0);
  plan = candela_node_plan (nodes[CHAIN - 1], CANDELA_PLAN_NO_FUSION, NULL);
  for (guint r = 0; r < 2000; r++)
    {
      gint64 since = g_get_monotonic_time ();

      call_loops (nodes, data);
      keep_best (&loops, lap (&since) / CHAIN);
      g_object_unref (run_one (plan));
      keep_best (&run, lap (&since) / CHAIN);
    }
  g_print ("chain of %u, unfused, planned: %.1f ns a node, its loops alone %.1f ns, so %.1f ns over them\n\n", CHAIN,
           run, loops, run - loops);
  candela_plan_unref (plan);
  candela_node_unref (nodes[CHAIN - 1]);
}

static void
measure_small (const Ops *ops)
{
  const gint64 shape[] = { SMALL };
  float values[SMALL];
  Small small = { .ops = *ops };

  for (guint i = 0; i < SMALL; i++)
    values[i] = i - SMALL / 2;
  for (guint i = 0; i < G_N_ELEMENTS (small.inputs); i++)
    {
      g_autoptr (CandelaTensor) tensor =
        candela_tensor_new_from_data (CANDELA_DTYPE_FLOAT32, shape, 1, (const guint8 *) values, sizeof values, NULL);

      small.inputs[i] = candela_node_new_tensor (tensor);
    }
  g_print ("%-30s %9s %9s %9s %9s %10s\n", "64 elements", "build", "plan", "run", "free", "whole");
  measure_expression (&small, "a + b", build_sum);
  measure_expression (&small, "a + b, text", build_sum_from_text);
  measure_expression (&small, "(a * b + c) * 2 - d", build_four);
  measure_expression (&small, "(a * b + c) * 2 - d, text", build_four_from_text);
  measure_chain (&small);
  for (guint i = 0; i < G_N_ELEMENTS (small.inputs); i++)
    candela_node_unref (small.inputs[i]);
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
  static const char *const names[] = { "negative", "abs", "add", "multiply", "subtract" };
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
  ops.binary[2] = found[4];
  measure_small (&ops);

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
