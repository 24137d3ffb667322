/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The executor: walks the steps of a plan, gives each output the buffer that
 * the plan says, calls the kernel, and frees what the plan lists after the step.
 * It decides nothing. */
#include <candela/exec/feed-private.h>
#include <candela/exec/follow-private.h>
#include <candela/value/copy-private.h>
#include <candela/value/debug-private.h>
#include <candela/value/stream-private.h>
#include <string.h>
#include <time.h>

#define FEW_INPUTS 16
/* For what a step of a few parts has to be made ready with. */
#define ROOM_BYTES (8 * 1024)

/* Held by kernels of which only one may run; they may run plans themselves. */
static GRecMutex one_at_a_time;

/* ---- Memory ---- */

CandelaBuffer *
candela_run_get_buffer (const CandelaRun *run, const CandelaPlanValue *value)
{
  switch ((CandelaStorage) value->storage)
    {
    case CANDELA_STORAGE_SLOT:
      return run->slots[value->source];
    case CANDELA_STORAGE_TENSOR:
      return run->tensors[value->source];
    case CANDELA_STORAGE_BINDING:
      return candela_tensor_get_buffer (run->bindings[value->source]);
    case CANDELA_STORAGE_LITERAL:
    case CANDELA_STORAGE_LOCAL:
      return NULL;
    }
  return NULL;
}

gpointer
candela_run_get_data (const CandelaRun *run, guint32 v)
{
  const CandelaPlanValue *value = &run->plan->values[v];
  CandelaBuffer *buffer = candela_run_get_buffer (run, value);

  if (value->storage == CANDELA_STORAGE_LOCAL)
    return NULL;
  return buffer != NULL ? buffer->data : (gpointer) candela_plan_scalar (run->plan, value);
}

void
candela_run_advance (CandelaRun *run, guint64 elements)
{
  if (elements == 0)
    return;
  run->done += elements;
  if (run->progress != NULL)
    run->progress (MIN (run->done, run->total), run->total, run->progress_data);
}

static gboolean
allocate_slot (CandelaRun *run, guint32 slot, GError **error)
{
  gsize bytes = run->plan->slots[slot].bytes;

  if (run->slots[slot] != NULL)
    return TRUE;
  run->slots[slot] = candela_buffer_new (bytes, error);
  if (run->slots[slot] == NULL)
    return FALSE;
  run->held += bytes;
  run->stats.allocations++;
  run->stats.allocated_bytes += bytes;
  run->stats.peak_bytes = MAX (run->stats.peak_bytes, run->held);
  return TRUE;
}

/* Sees to the buffers of a step's outputs. What is not written over an input
 * holds nothing that anybody may read. */
static gboolean
prepare_outputs (CandelaRun *run, const CandelaPlanStep *step, GError **error)
{
  gboolean poison = (candela_debug_flags () & CANDELA_DEBUG_POISON) != 0;

  for (guint32 o = 0; o < step->n_outputs; o++)
    {
      const CandelaPlanOutput *output = &run->plan->outputs[step->first_output + o];
      const CandelaPlanValue *value = &run->plan->values[output->value];

      if (output->kind != CANDELA_OUTPUT_ALLOCATE && output->kind != CANDELA_OUTPUT_REUSE)
        continue;
      if (!allocate_slot (run, value->source, error))
        return FALSE;
      if (poison)
        candela_buffer_poison (run->slots[value->source], value->dtype == CANDELA_DTYPE_BOOL);
    }
  return TRUE;
}

static void
free_after (CandelaRun *run, const CandelaPlanStep *step)
{
  for (guint32 f = 0; f < step->n_free; f++)
    {
      guint32 slot = run->plan->frees[step->first_free + f];

      if (run->slots[slot] != NULL)
        run->held -= run->plan->slots[slot].bytes;
      g_clear_pointer (&run->slots[slot], candela_buffer_unref);
    }
}

/* ---- The kinds of steps ---- */

static guint64
step_elements (const CandelaPlan *plan, const CandelaPlanStep *step)
{
  guint64 n = 0;

  if (candela_plan_step_is_group (step))
    {
      const CandelaPlanGroup *group = &plan->groups[step->group];

      for (guint32 k = 0; k < group->n_subs; k++)
        n += step_elements (plan, &plan->subs[group->first_sub + k]);
      return n;
    }
  if (step->kind != CANDELA_STEP_REFERENCE)
    for (guint32 o = 0; o < step->n_outputs; o++)
      n += plan->values[plan->outputs[step->first_output + o].value].layout->n_elements;
  return n;
}

void
candela_run_begin_exclusive (void)
{
  g_rec_mutex_lock (&one_at_a_time);
}

void
candela_run_end_exclusive (void)
{
  g_rec_mutex_unlock (&one_at_a_time);
}

gboolean
candela_run_compute (CandelaKernel *kernel, GError **error)
{
  gboolean exclusive = candela_op_get_facts (kernel->op)->info->threads == CANDELA_THREADS_ONE_AT_A_TIME;
  GError *local = NULL;
  gboolean ok;

  if (exclusive)
    candela_run_begin_exclusive ();
  ok = candela_kernel_has_halves (kernel) ? candela_kernel_compute_widened (kernel, &local)
                                          : CANDELA_OP_GET_CLASS (kernel->op)->compute (kernel->op, kernel, &local);
  if (exclusive)
    candela_run_end_exclusive ();
  if (!ok && local == NULL)
    g_set_error (&local, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "%s: the kernel failed and gave no reason",
                 candela_op_get_name (kernel->op));
  if (ok)
    g_clear_error (&local);
  else
    g_propagate_error (error, local);
  return ok;
}

gboolean
candela_run_compute_some (const CandelaRun *run, const CandelaPlanStep *step, gconstpointer in,
                          const CandelaLayout *in_layout, gpointer *out, CandelaLayout **out_layouts, GError **error)
{
  const CandelaNode *node = run->plan->parts[step->first_part].node;
  CandelaDType dtype = run->plan->values[run->plan->inputs[step->first_input]].dtype, out_dtypes[CANDELA_MAX_OUTPUTS];
  CandelaKernel kernel = { .op = node->u.op.op,
                           .info = node->u.op.kernel,
                           .params = node->u.op.params,
                           .n_inputs = 1,
                           .n_outputs = node->n_outputs,
                           .inputs = &in,
                           .in_layouts = &in_layout,
                           .in_dtypes = &dtype,
                           .outputs = out,
                           .out_layouts = out_layouts,
                           .out_dtypes = out_dtypes,
                           .cancellable = run->cancellable };
  gint64 began = candela_run_begin_parts (run);
  gboolean ok;

  for (guint o = 0; o < node->n_outputs; o++)
    out_dtypes[o] = run->plan->values[run->plan->outputs[step->first_output + o].value].dtype;
  ok = candela_run_compute (&kernel, error);
  candela_run_end_parts (run, step->first_part, 1, began);
  return ok;
}

static gboolean
run_followed (CandelaRun *run, const CandelaPlanStep *step, CandelaKernel *kernel, GError **error)
{
  CandelaFollower follower;
  gboolean ok = candela_follower_init (&follower, run, step, kernel, error) && candela_run_compute (kernel, error)
                && candela_follower_finish (&follower, run, kernel, error);

  candela_follower_clear (&follower);
  return ok;
}

/* A value as a tensor, to be handed to another plan or to a script; it shares the buffer. */
static CandelaTensor *
value_to_tensor (CandelaRun *run, guint32 v, GError **error)
{
  const CandelaPlanValue *value = &run->plan->values[v];
  CandelaBuffer *buffer = candela_run_get_buffer (run, value);
  g_autoptr (CandelaBuffer) copy = NULL;

  if (buffer == NULL)
    {
      copy = candela_buffer_new (candela_dtype_get_size (value->dtype), error);
      if (copy == NULL)
        return NULL;
      memcpy (copy->data, candela_plan_scalar (run->plan, value), candela_dtype_get_size (value->dtype));
      buffer = copy;
    }
  return candela_tensor_new_for_buffer (value->dtype, value->layout, buffer);
}

typedef struct
{
  CandelaRun *run;
  const CandelaPlanStep *step;
} Operands;

static CandelaTensor *
share_operand (gpointer data, guint index, gboolean output, GError **error)
{
  const Operands *operands = data;
  const CandelaPlan *plan = operands->run->plan;
  const CandelaPlanStep *step = operands->step;

  if (!output)
    return value_to_tensor (operands->run, plan->inputs[step->first_input + index], error);
  for (guint32 o = 0; o < step->n_outputs; o++)
    {
      guint32 v = plan->outputs[step->first_output + o].value;

      if (plan->values[v].output == index)
        return value_to_tensor (operands->run, v, error);
    }
  g_return_val_if_reached (NULL);
}

/* With a feed, which computes its input as it is read; or without, in which case
 * another step may follow it. */
static gboolean
run_kernel (CandelaRun *run, const CandelaPlanStep *step, CandelaFeed *feed, GError **error)
{
  const CandelaPlan *plan = run->plan;
  const CandelaNode *node = plan->parts[step->first_part].node;
  gboolean many = step->n_inputs > FEW_INPUTS;
  gconstpointer few_data[FEW_INPUTS];
  const CandelaLayout *few_layouts[FEW_INPUTS];
  CandelaDType few_dtypes[FEW_INPUTS];
  g_autofree gconstpointer *many_data = many ? g_new (gconstpointer, step->n_inputs) : NULL;
  g_autofree const CandelaLayout **many_layouts = many ? g_new (const CandelaLayout *, step->n_inputs) : NULL;
  g_autofree CandelaDType *many_dtypes = many ? g_new (CandelaDType, step->n_inputs) : NULL;
  gconstpointer *in = many ? many_data : few_data;
  const CandelaLayout **in_layouts = many ? many_layouts : few_layouts;
  CandelaDType *in_dtypes = many ? many_dtypes : few_dtypes;
  gpointer out[CANDELA_MAX_OUTPUTS] = { NULL };
  CandelaLayout *out_layouts[CANDELA_MAX_OUTPUTS];
  CandelaDType out_dtypes[CANDELA_MAX_OUTPUTS];
  Operands operands = { run, step };

  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      const CandelaPlanValue *value = &plan->values[plan->inputs[step->first_input + i]];

      in[i] = candela_run_get_data (run, plan->inputs[step->first_input + i]);
      in_layouts[i] = value->layout;
      in_dtypes[i] = value->dtype;
    }
  for (guint o = 0; o < node->n_outputs; o++)
    {
      out_layouts[o] = candela_node_output_layout (node, o);
      out_dtypes[o] = candela_node_output_dtype (node, o);
    }
  for (guint32 o = 0; o < step->n_outputs; o++)
    {
      const CandelaPlanOutput *output = &plan->outputs[step->first_output + o];
      const CandelaPlanValue *value = &plan->values[output->value];

      /* What a reference refers to is not the kernel's to write. */
      if (output->kind != CANDELA_OUTPUT_REFERENCE_SLOT && output->kind != CANDELA_OUTPUT_REFERENCE_ETERNAL)
        out[value->output] = candela_run_get_data (run, output->value);
      out_layouts[value->output] = value->layout;
    }

  CandelaKernel kernel = { .op = node->u.op.op,
                           .info = node->u.op.kernel,
                           .params = node->u.op.params,
                           .n_inputs = step->n_inputs,
                           .n_outputs = node->n_outputs,
                           .inputs = in,
                           .in_layouts = in_layouts,
                           .in_dtypes = in_dtypes,
                           .outputs = out,
                           .out_layouts = out_layouts,
                           .out_dtypes = out_dtypes,
                           .cancellable = run->cancellable,
                           .parallel_for =
                             node->u.op.facts->info->threads == CANDELA_THREADS_ANY ? candela_parallel_for : NULL,
                           .share = share_operand,
                           .share_data = &operands };

  if (feed == NULL)
    return run_followed (run, step, &kernel, error);
  candela_feed_attach (feed, &kernel);
  return candela_run_compute (&kernel, error);
}

static gboolean
run_fed (CandelaRun *run, const CandelaPlanStep *step, GError **error)
{
  const CandelaPlanStep *subs = run->plan->subs + run->plan->groups[step->group].first_sub;
  CandelaFeed feed;
  gboolean ok = candela_feed_init (&feed, run, &subs[0], error) && run_kernel (run, &subs[1], &feed, error)
                && !g_cancellable_set_error_if_cancelled (run->cancellable, error);

  candela_feed_clear (&feed);
  return ok;
}

static void
run_pack (CandelaRun *run, const CandelaPlanStep *step)
{
  const CandelaPlan *plan = run->plan;
  guint32 in = plan->inputs[step->first_input];
  guint32 out = plan->outputs[step->first_output].value;
  gboolean result = plan->slots[plan->values[out].source].end == CANDELA_PLAN_NONE;
  CandelaCopy copy;
  guint64 n_pieces =
    candela_copy_init (&copy, candela_run_get_data (run, out), plan->values[out].layout, candela_run_get_data (run, in),
                       plan->values[in].layout, candela_dtype_get_size (plan->values[in].dtype),
                       result ? CANDELA_STREAM_RESULTS_FROM : CANDELA_STREAM_FROM);

  candela_parallel_for (n_pieces, candela_copy_piece, &copy);
}

static gboolean
run_baked (CandelaRun *run, const CandelaPlanStep *step, GError **error)
{
  const CandelaPlan *plan = run->plan;
  CandelaPlan *inner = plan->parts[step->first_part].node->u.baked.plan;
  guint32 out = plan->outputs[step->first_output].value;
  g_autoptr (GPtrArray) slots = g_ptr_array_new_with_free_func (g_object_unref);
  CandelaTensor **results;
  CandelaRunStats stats = { 0 };
  gsize n_results;

  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      CandelaTensor *tensor = value_to_tensor (run, plan->inputs[step->first_input + i], error);

      if (tensor == NULL)
        return FALSE;
      g_ptr_array_add (slots, tensor);
    }
  results = candela_plan_run (inner, (CandelaTensor *const *) slots->pdata, slots->len, run->cancellable, NULL, NULL,
                              &stats, &n_results, error);
  if (results == NULL)
    return FALSE;
  run->stats.allocations += stats.allocations;
  run->stats.allocated_bytes += stats.allocated_bytes;
  run->stats.peak_bytes = MAX (run->stats.peak_bytes, run->held + stats.peak_bytes);
  candela_layout_copy_elements (candela_run_get_data (run, out), plan->values[out].layout,
                                candela_tensor_get_buffer (results[0])->data, candela_tensor_get_layout (results[0]),
                                candela_dtype_get_size (plan->values[out].dtype));
  g_object_unref (results[0]);
  g_free (results);
  return TRUE;
}

static gboolean
run_step (CandelaRun *run, const CandelaPlanStep *step, GError **error)
{
  guint64 before = run->done;
  gboolean ran;

  if (run->cancellable != NULL && g_cancellable_set_error_if_cancelled (run->cancellable, error))
    return FALSE;
  if (!prepare_outputs (run, step, error))
    return FALSE;
  switch ((CandelaStepKind) step->kind)
    {
    case CANDELA_STEP_FUSED:
      if (run->followed != step && !candela_run_small (run, step) && !candela_run_tiles (run, step, error))
        return FALSE;
      break;
    case CANDELA_STEP_FED:
      if (!run_fed (run, step, error))
        return FALSE;
      break;
    case CANDELA_STEP_ROWS:
      if (!candela_run_turned (run, step, &ran, error) || (!ran && !candela_run_rows (run, step, error)))
        return FALSE;
      break;
    case CANDELA_STEP_COLUMNS:
      if (!candela_run_rows (run, step, error))
        return FALSE;
      break;
    case CANDELA_STEP_KERNEL:
      if (!run_kernel (run, step, NULL, error))
        return FALSE;
      break;
    case CANDELA_STEP_BAKED:
      if (!run_baked (run, step, error))
        return FALSE;
      break;
    case CANDELA_STEP_PACK:
      run_pack (run, step);
      break;
    case CANDELA_STEP_REFERENCE:
      break;
    }
  if (run->progress != NULL)
    {
      guint64 after = before + step_elements (run->plan, step);

      candela_run_advance (run, after - MIN (run->done, after));
    }
  return TRUE;
}

gint64
candela_clock_nanoseconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

static gboolean
run_step_timed (CandelaRun *run, const CandelaPlanStep *step, GError **error)
{
  CandelaStepTime *took = &run->times[step - run->plan->steps];
  gboolean ok;

  candela_parallel_take_width ();
  took->start = candela_clock_nanoseconds ();
  ok = run_step (run, step, error);
  took->duration = candela_clock_nanoseconds () - took->start;
  took->n_threads = candela_parallel_take_width ();
  return ok;
}

gboolean
candela_run_steps (CandelaRun *run, GError **error)
{
  const CandelaPlan *plan = run->plan;
  guint8 room[ROOM_BYTES];
  gboolean ok = TRUE;

  for (guint32 s = 0; run->progress != NULL && s < plan->n_steps; s++)
    run->total += step_elements (plan, &plan->steps[s]);
  for (guint32 s = 0; ok && s < plan->n_steps; s++)
    {
      const CandelaPlanStep *step = &plan->steps[s];

      candela_arena_init (&run->arena, room, sizeof room);
      ok = run->times != NULL ? run_step_timed (run, step, error) : run_step (run, step, error);
      candela_arena_clear (&run->arena);
      if (ok)
        free_after (run, step);
    }
  run->stats.steps = plan->n_steps;
  return ok;
}
