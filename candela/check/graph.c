/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The op as everybody meets it: a node, a plan, a run. All outputs are asked for, in
 * packed inputs and in the case's layouts, with all that the planner may do and without,
 * on one thread and on several. */
#include <candela/check/check-private.h>

static const struct
{
  gboolean views;
  CandelaPlanFlags flags;
  guint n_threads;
  const char *what;
} runs[] = {
  { FALSE, CANDELA_PLAN_NO_FUSION | CANDELA_PLAN_NO_REUSE | CANDELA_PLAN_NO_IN_PLACE, 1, "alone, on packed inputs" },
  { FALSE, CANDELA_PLAN_DEFAULT, 3, "on packed inputs, on 3 threads" },
  { TRUE, CANDELA_PLAN_DEFAULT, 1, "on strided, reversed, broadcast or shifted inputs" },
  { TRUE, CANDELA_PLAN_NO_FUSION, 3, "on strided, reversed, broadcast or shifted inputs, alone, on 3 threads" },
};

static CandelaNode *
make_input (const CandelaCheck *check, guint i, gboolean views)
{
  g_autoptr (CandelaTensor) tensor = NULL;

  if (views)
    tensor =
      candela_tensor_new_for_buffer (check->dtypes[i], check->views[i], candela_tensor_get_buffer (check->bases[i]));
  else
    tensor = candela_tensor_new_from_data (
      check->dtypes[i], check->packed[i]->dims, check->packed[i]->rank, check->values[i],
      (gsize) check->packed[i]->n_elements * candela_dtype_get_size (check->dtypes[i]), NULL);
  return candela_node_new_tensor (tensor);
}

static CandelaTensor **
materialize (const CandelaCheck *check, guint run, guint *n, GError **error)
{
  CandelaNode *inputs[CANDELA_CHECK_MAX_INPUTS], *roots[CANDELA_MAX_OUTPUTS];
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaPlan) plan = NULL;
  CandelaTensor **tensors;

  for (guint i = 0; i < check->n_inputs; i++)
    inputs[i] = make_input (check, i, runs[run].views);
  node = candela_node_construct (check->op, inputs, check->n_inputs, check->params, error);
  for (guint i = 0; i < check->n_inputs; i++)
    candela_node_unref (inputs[i]);
  if (node == NULL)
    return NULL;
  *n = MAX (candela_node_get_n_outputs (node), 1);
  for (guint o = 0; o < *n; o++)
    roots[o] = *n == 1 ? candela_node_ref (node) : candela_node_get_output (node, o, NULL);
  plan = candela_plan_new (roots, *n, runs[run].flags, error);
  for (guint o = 0; o < *n; o++)
    candela_node_unref (roots[o]);
  if (plan == NULL)
    return NULL;
  candela_set_num_threads (runs[run].n_threads);
  tensors = candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, NULL, NULL, error);
  candela_set_num_threads (1);
  return tensors;
}

/* A result's elements in order. */
static guint8 *
pack (CandelaTensor *tensor)
{
  const CandelaLayout *layout = candela_tensor_get_layout (tensor);
  gsize size = candela_dtype_get_size (candela_tensor_get_dtype (tensor));
  guint8 *out = g_malloc ((gsize) layout->n_elements * size + 1);

  candela_layout_pack (layout, candela_tensor_get_buffer (tensor)->data, size, 0, (gsize) layout->n_elements, out);
  return out;
}

/* What a loop has written is stored as another dtype if that is float16, say. */
static void
store_expected (CandelaCheck *check)
{
  const CandelaInference *inference = &check->inference;

  for (guint o = 0; check->elementwise && o < check->facts->n_outputs; o++)
    {
      gsize n = (gsize) inference->out_layouts[o]->n_elements;
      guint8 *stored;

      if (check->expected[o] == NULL || inference->kernel->out[o] == inference->out_dtypes[o])
        continue;
      stored = g_malloc (n * candela_dtype_get_size (inference->out_dtypes[o]) + 1);
      candela_dtype_convert (inference->kernel->out[o], check->expected[o], inference->out_dtypes[o], stored, n);
      g_free (check->expected[o]);
      check->expected[o] = stored;
    }
}

static void
compare (CandelaCheck *check, guint run, CandelaTensor **tensors, guint n)
{
  gboolean inferred = check->facts->info->expression == NULL;

  for (guint o = 0; o < n; o++)
    {
      const CandelaLayout *layout = candela_tensor_get_layout (tensors[o]);
      CandelaDType dtype = candela_tensor_get_dtype (tensors[o]);
      guint8 *got = pack (tensors[o]);

      if (inferred
          && (!candela_layout_same_shape (layout, check->inference.out_layouts[o])
              || dtype != check->inference.out_dtypes[o]))
        candela_check_fail (check, CANDELA_CHECK_PLAN, "%s has another dtype or shape than infer says",
                            candela_check_output_name (check->facts, o));
      if (check->expected[o] == NULL)
        check->expected[o] = g_steal_pointer (&got);
      else if (check->exact || !runs[run].views)
        candela_check_compare (check, runs[run].views ? CANDELA_CHECK_LAYOUT : CANDELA_CHECK_PLAN, o, layout, dtype,
                               check->expected[o], got, layout->n_elements);
      g_free (got);
    }
}

void
candela_check_graph (CandelaCheck *check)
{
  const CandelaOpInfo *info = check->facts->info;
  gboolean same = info->effect == CANDELA_EFFECT_PURE && info->determinism != CANDELA_DETERMINISM_NONE;

  store_expected (check);
  for (guint run = 0; run < G_N_ELEMENTS (runs); run++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree CandelaTensor **tensors = NULL;
      guint n = 0;

      candela_check_begin (check, runs[run].views ? CANDELA_CHECK_LAYOUT : CANDELA_CHECK_PLAN, "through a plan, %s",
                           runs[run].what);
      tensors = materialize (check, run, &n, &error);
      if (tensors == NULL)
        candela_check_fail (check, CANDELA_CHECK_PLAN, "it fails: %s", error->message);
      if (same)
        compare (check, run, tensors, n);
      for (guint o = 0; o < n; o++)
        g_object_unref (tensors[o]);
    }
}
