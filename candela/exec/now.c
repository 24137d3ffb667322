/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops whose result's shape depends on data. There is no node of such a shape, and so
 * no plan over one: the op runs when its node is built. Its inputs are planned and
 * materialized together; its kernel then says shapes and writes, and the node is an
 * edge over what has come of it. */
#include <candela/exec/executor-private.h>
#include <candela/graph/node-private.h>
#include <string.h>

/* Inputs for which no memory is asked. */
#define FEW_INPUTS 8

typedef struct
{
  CandelaTensor *const *inputs, *const *made;
} Operands;

static CandelaTensor *
share_operand (gpointer data, guint index, gboolean output, GError **error)
{
  const Operands *operands = data;

  return g_object_ref (output ? operands->made[index] : operands->inputs[index]);
}

static gboolean
run_kernel (const CandelaInference *inference, CandelaTensor *const *inputs, GCancellable *cancellable,
            CandelaTensor **made, GError **error)
{
  guint n = inference->n_inputs;
  gboolean many = n > FEW_INPUTS;
  gconstpointer few_data[FEW_INPUTS];
  const CandelaLayout *few_layouts[FEW_INPUTS];
  g_autofree gconstpointer *many_data = many ? g_new (gconstpointer, n) : NULL;
  g_autofree const CandelaLayout **many_layouts = many ? g_new (const CandelaLayout *, n) : NULL;
  gconstpointer *data = many ? many_data : few_data;
  const CandelaLayout **layouts = many ? many_layouts : few_layouts;
  gpointer outputs[CANDELA_MAX_OUTPUTS] = { NULL };
  CandelaLayout *out_layouts[CANDELA_MAX_OUTPUTS] = { NULL };
  Operands operands = { inputs, made };
  CandelaKernel kernel = { .op = inference->op,
                           .info = inference->kernel,
                           .params = inference->params,
                           .n_inputs = n,
                           .n_outputs = inference->facts->n_outputs,
                           .inputs = data,
                           .in_layouts = layouts,
                           .in_dtypes = inference->dtypes,
                           .outputs = outputs,
                           .out_layouts = out_layouts,
                           .out_dtypes = inference->out_dtypes,
                           .cancellable = cancellable,
                           .parallel_for =
                             inference->facts->info->threads == CANDELA_THREADS_ANY ? candela_parallel_for : NULL,
                           .share = share_operand,
                           .share_data = &operands,
                           .made = made,
                           .inferred = (const CandelaLayout *const *) inference->out_layouts };

  for (guint i = 0; i < n; i++)
    {
      data[i] = candela_tensor_get_buffer (inputs[i])->data;
      layouts[i] = candela_tensor_get_layout (inputs[i]);
    }
  if (!candela_run_compute (&kernel, error))
    return FALSE;
  for (guint o = 0; o < kernel.n_outputs; o++)
    if (made[o] == NULL)
      return candela_inference_fail (inference, error, CANDELA_ERROR_PLUGIN, "the kernel left output %u out", o);
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

static gboolean
materialize_inputs (CandelaNode *const *inputs, guint n, GCancellable *cancellable, GPtrArray *tensors, GError **error)
{
  g_autoptr (CandelaPlan) plan = n > 0 ? candela_plan_new (inputs, n, CANDELA_PLAN_DEFAULT, error) : NULL;
  g_autofree CandelaTensor **results = NULL;

  if (n == 0)
    return TRUE;
  if (plan != NULL)
    results = candela_plan_run (plan, NULL, 0, cancellable, NULL, NULL, NULL, NULL, error);
  for (guint i = 0; results != NULL && i < n; i++)
    g_ptr_array_add (tensors, results[i]);
  return results != NULL;
}

CandelaNode *
candela_node_compute_now (const CandelaInference *inference, CandelaNode *const *inputs, GError **error)
{
  GCancellable *cancellable = g_cancellable_get_current ();
  g_autoptr (GPtrArray) tensors = g_ptr_array_new_with_free_func (g_object_unref);
  CandelaTensor *made[CANDELA_MAX_OUTPUTS] = { NULL };

  if (materialize_inputs (inputs, inference->n_inputs, cancellable, tensors, error)
      && run_kernel (inference, (CandelaTensor *const *) tensors->pdata, cancellable, made, error))
    return candela_node_new_computed (made, inference->facts->n_outputs);
  for (guint o = 0; o < inference->facts->n_outputs; o++)
    g_clear_object (&made[o]);
  return NULL;
}
