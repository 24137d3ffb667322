/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a step had to do at least, worked out from the plan when the run is over: the
 * bytes that no way of computing it could do without (each input that it reads once, a
 * broadcast one as the elements that it really has, and each output once), and the
 * arithmetic that its op declares. */
#include <candela/exec/profile-private.h>
#include <candela/plan/print-private.h>
#include <candela/value/half-private.h>

/* An axis of stride 0 stands for one element, however often it is read. */
static guint64
distinct_bytes (const CandelaPlanValue *value)
{
  guint64 n = candela_dtype_get_size (value->dtype);

  for (guint axis = 0; value->layout != NULL && axis < value->layout->rank; axis++)
    if (value->layout->dims[axis] == 0)
      return 0;
    else if (value->layout->strides[axis] != 0)
      n *= value->layout->dims[axis];
  return n;
}

static guint64
count_flops (const CandelaNode *node)
{
  g_autofree const CandelaLayout **layouts = NULL;
  g_autofree CandelaDType *dtypes = NULL;
  const CandelaOpFacts *facts;
  CandelaInference inference;
  guint64 flops;

  if (candela_node_get_kind ((CandelaNode *) node) != CANDELA_NODE_OP || node->u.op.facts->info->flops == NULL
      || candela_dtype_get_kind (node->dtype) != CANDELA_DTYPE_KIND_FLOAT)
    return 0;
  facts = node->u.op.facts;
  layouts = g_new (const CandelaLayout *, MAX (node->n_inputs, 1));
  dtypes = g_new (CandelaDType, MAX (node->n_inputs, 1));
  for (guint32 i = 0; i < node->n_inputs; i++)
    {
      layouts[i] = node->inputs[i]->layout;
      dtypes[i] = node->inputs[i]->dtype;
    }
  candela_inference_init (&inference, node->u.op.op, node->u.op.params, node->n_inputs, layouts, dtypes,
                          candela_node_promote (facts, node->inputs, node->n_inputs, NULL));
  flops = facts->info->flops (&inference);
  candela_inference_clear (&inference);
  return flops;
}

/* seen: of each value, one more than the last step that read it. */
static CandelaStepWork
measure_step (const CandelaPlan *plan, guint32 s, guint32 *seen)
{
  const CandelaPlanStep *step = &plan->steps[s];
  CandelaStepWork work = { 0 };

  if (step->kind == CANDELA_STEP_REFERENCE)
    return work;
  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      guint32 v = plan->inputs[step->first_input + i];

      if (seen[v] == s + 1)
        continue;
      seen[v] = s + 1;
      work.read += distinct_bytes (&plan->values[v]);
    }
  for (guint32 o = 0; o < step->n_outputs; o++)
    {
      const CandelaPlanOutput *output = candela_plan_step_output (plan, step, o);
      guint64 bytes = candela_plan_output_bytes (plan, output);

      work.written += bytes;
      work.elements += bytes / candela_dtype_get_size (plan->values[output->value].dtype);
    }
  for (guint32 p = 0; p < step->n_parts; p++)
    {
      const CandelaNode *node = plan->parts[step->first_part + p].node;
      guint64 flops = count_flops (node);

      if (flops > 0)
        work.dtype = candela_dtype_arithmetic (node->dtype);
      work.flops += flops;
    }
  return work;
}

CandelaStepWork *
candela_measure_steps (const CandelaPlan *plan)
{
  g_autofree guint32 *seen = g_new0 (guint32, plan->n_values);
  CandelaStepWork *work = g_new (CandelaStepWork, plan->n_steps);

  for (guint32 s = 0; s < plan->n_steps; s++)
    work[s] = measure_step (plan, s, seen);
  return work;
}

guint64
candela_part_bytes (const CandelaPlanPart *part)
{
  const CandelaNode *node = part->node;
  guint64 bytes = 0;

  for (guint32 i = 0; i < node->n_inputs; i++)
    bytes += distinct_bytes (
      &(CandelaPlanValue){ .layout = node->inputs[i]->layout, .dtype = (guint8) node->inputs[i]->dtype });
  for (guint o = 0; o < node->n_outputs; o++)
    bytes += (guint64) candela_node_output_layout (node, o)->n_elements
             * candela_dtype_get_size (candela_node_output_dtype (node, o));
  return bytes;
}

/* ---- What is possible ---- */

CandelaRoofs
candela_measure_roofs (const CandelaRunProfile *profile)
{
  CandelaRoofs roofs = { .copy = candela_measure_copy_bandwidth () };

  for (guint32 s = 0; s < profile->plan->n_steps; s++)
    {
      CandelaDType dtype = profile->work[s].dtype;

      if (profile->work[s].flops > 0 && roofs.flops[dtype] == 0)
        roofs.flops[dtype] = candela_measure_arithmetic (dtype);
    }
  return roofs;
}

double
candela_step_share (const CandelaRunProfile *profile, guint step, const CandelaRoofs *roofs)
{
  const CandelaStepWork *work = &profile->work[step];
  double nanoseconds = 0.0;

  if (roofs->copy > 0)
    nanoseconds = (double) (work->read + work->written) * 1e9 / (double) roofs->copy;
  if (work->flops > 0 && roofs->flops[work->dtype] > 0)
    nanoseconds = MAX (nanoseconds, (double) work->flops * 1e9 / (double) roofs->flops[work->dtype]);
  return nanoseconds / (double) MAX (profile->times[step].duration, 1);
}
