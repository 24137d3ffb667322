/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What plans hold in memory: the peak, the bound that no plan over the same
 * values can go below, the peak of freeing eagerly without sharing anything
 * (every op on its own, into a fresh buffer), and all values together. The first
 * is never above the third. */
#include <candela/candela.h>

typedef struct
{
  const char *name;
  const char *inputs; /* names and dtypes with shapes, as the tool takes them */
  const char *expression;
} Workload;

static const Workload workloads[] = {
  { "(a + b) * 2.0", "a=float32[1024,1024] b=float32[1024,1024]", "(a + b) * 2.0" },
  { "polynomial", "x=float32[1048576]", "((((x * 2 + 1) * x - 3) * x + 4) * x - 5) * x + 6" },
  { "softmax", "x=float32[4096,1024]",
    "e = exp(x - max(x, axis=-1, keepdims=true)); e / sum(e, axis=-1, keepdims=true)" },
  { "layer norm", "x=float32[4096,1024] g=float32[1024] b=float32[1024]",
    "m, v = moments(x, axis=-1, keepdims=true); (x - m) / sqrt(v + 1e-5) * g + b" },
  { "two-layer network", "x=float32[512,784] w1=float32[784,1024] b1=float32[1024] w2=float32[1024,10] b2=float32[10]",
    "relu(x @ w1 + b1) @ w2 + b2" },
  { "attention, 12 heads", "q=float32[12,128,64] k=float32[12,128,64] v=float32[12,128,64]",
    "s = q @ matrix_transpose(k) * 0.125; e = exp(s - max(s, axis=-1, keepdims=true)); "
    "e / sum(e, axis=-1, keepdims=true) @ v" },
  { "squared distances", "x=float64[797,64] c=float64[10,64]",
    "d = expand_dims(x, axis=1) - expand_dims(c, axis=0); argmin(sum(d * d, axis=-1), axis=-1)" },
  { "residual blocks", "x=float32[256,256] w=float32[256,256]",
    "a = x + relu(x @ w); b = a + relu(a @ w); c = b + relu(b @ w); c + relu(c @ w) + x" },
};

static CandelaNode *
parse_input (const char *text, char **name, GError **error)
{
  g_auto (GStrv) sides = g_strsplit (text, "=", 2);
  g_auto (GStrv) type = g_strsplit_set (sides[1], "[]", -1);
  g_auto (GStrv) extents = g_strsplit (type[1], ",", -1);
  gint64 shape[CANDELA_MAX_RANK];
  gsize rank = 0;

  for (; extents[rank] != NULL; rank++)
    shape[rank] = g_ascii_strtoll (extents[rank], NULL, 10);
  *name = g_strdup (sides[0]);
  return candela_node_new_slot (sides[0], candela_dtype_from_name (type[0], error), shape, rank, error);
}

static CandelaNode *
build (const Workload *workload, GError **error)
{
  g_autoptr (GHashTable) names =
    g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) candela_node_unref);
  g_auto (GStrv) inputs = g_strsplit (workload->inputs, " ", -1);

  for (guint i = 0; inputs[i] != NULL; i++)
    {
      char *name = NULL;
      CandelaNode *node = parse_input (inputs[i], &name, error);

      if (node == NULL)
        return NULL;
      g_hash_table_insert (names, name, node);
    }
  return candela_expression_build_with_names (workload->expression, names, error);
}

static int
report (const char *name, CandelaNode *node, GError **error)
{
  const CandelaPlanFlags eager_flags = CANDELA_PLAN_NO_FUSION | CANDELA_PLAN_NO_REUSE | CANDELA_PLAN_NO_IN_PLACE;
  g_autoptr (CandelaPlan) plan = candela_node_plan (node, CANDELA_PLAN_DEFAULT, error);
  g_autoptr (CandelaPlan) eager = plan != NULL ? candela_node_plan (node, eager_flags, error) : NULL;

  if (eager == NULL)
    return 1;

  guint64 peak = candela_plan_get_peak_bytes (plan);
  guint64 eager_peak = candela_plan_get_peak_bytes (eager);

  g_print ("%-20s %6u %6u %12" G_GUINT64_FORMAT " %12" G_GUINT64_FORMAT " %12" G_GUINT64_FORMAT " %12" G_GUINT64_FORMAT
           " %6.2f\n",
           name, candela_plan_get_n_steps (plan), candela_plan_get_n_allocations (plan), peak,
           candela_plan_get_lower_bound_bytes (plan), eager_peak, candela_plan_get_intermediate_bytes (plan),
           (double) peak / MAX (eager_peak, 1));
  if (peak > eager_peak)
    g_printerr ("memory: %s: the peak is above that of freeing eagerly\n", name);
  return peak > eager_peak;
}

/* Ops over values of many sizes: slices, products with a smaller value, sums. */
static CandelaNode *
build_random (guint32 seed, GError **error)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autoptr (GPtrArray) nodes = g_ptr_array_new_with_free_func ((GDestroyNotify) candela_node_unref);
  static const char *const forms[] = { "a * b + 1",
                                       "sum(a, axis=0, keepdims=true) * b",
                                       "exp(a[::2]) + b[0:1]",
                                       "a.T @ b[0:1] + 1",
                                       "sqrt(abs(a)) - mean(b)",
                                       "a @ b.T" };

  for (guint i = 0; i < 2; i++)
    {
      const gint64 shape[] = { 64, 64 };

      g_ptr_array_add (nodes, candela_node_new_slot (i == 0 ? "x" : "y", CANDELA_DTYPE_FLOAT32, shape, 2, error));
    }
  for (guint i = 0; i < 60; i++)
    {
      CandelaNode *a = g_ptr_array_index (nodes, g_rand_int_range (random, 0, nodes->len));
      CandelaNode *b = g_ptr_array_index (nodes, g_rand_int_range (random, 0, nodes->len));
      CandelaNode *node = candela_expression_build (forms[g_rand_int_range (random, 0, G_N_ELEMENTS (forms))], NULL,
                                                    "a", a, "b", b, NULL);

      if (node != NULL) /* shapes that do not go together are another try */
        g_ptr_array_add (nodes, node);
    }

  CandelaNode *all = candela_node_ref (g_ptr_array_index (nodes, 0));

  for (guint i = nodes->len; i-- > nodes->len - MIN (nodes->len, 8);)
    {
      CandelaNode *sum = candela_expression_build ("sum(a) + sum(b)", error, "a", all, "b", nodes->pdata[i], NULL);

      candela_node_unref (all);
      all = sum;
    }
  return all;
}

int
main (void)
{
  g_autoptr (GError) error = NULL;
  int failed = 0;

  g_print ("%-20s %6s %6s %12s %12s %12s %12s %6s\n", "workload", "steps", "alloc.", "peak", "bound", "eager",
           "all values", "ratio");
  for (guint w = 0; w < G_N_ELEMENTS (workloads) && error == NULL; w++)
    {
      g_autoptr (CandelaNode) node = build (&workloads[w], &error);

      if (node != NULL)
        failed += report (workloads[w].name, node, &error);
    }
  for (guint32 seed = 1; seed <= 10 && error == NULL; seed++)
    {
      g_autoptr (CandelaNode) node = build_random (seed, &error);
      g_autofree char *name = g_strdup_printf ("random graph %u", seed);

      if (node != NULL)
        failed += report (name, node, &error);
    }
  if (error != NULL)
    g_printerr ("memory: %s\n", error->message);
  return failed > 0 || error != NULL;
}
