/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Running plans, from outside: binding slots, collecting results, filling
 * caches; and materializing nodes at once or in the background. */
#include <candela/exec/executor-private.h>
#include <candela/value/debug-private.h>
#include <string.h>

/* Slots, tensors and bindings for which no memory is asked. */
#define FEW_VALUES 32

/* ---- Binding ---- */

static gboolean
is_guarding (void)
{
  return (candela_debug_flags () & CANDELA_DEBUG_POISON) != 0;
}

/* A tensor packed from the start of its buffer, as the plan takes its slots to
 * be: itself, or a copy, which counts as memory of the run. */
static CandelaTensor *
pack_binding (CandelaRun *run, CandelaTensor *tensor, GError **error)
{
  CandelaLayout *layout = candela_tensor_get_layout (tensor);
  gsize size = candela_dtype_get_size (candela_tensor_get_dtype (tensor));
  g_autoptr (CandelaLayout) packed = NULL;
  g_autoptr (CandelaBuffer) buffer = NULL;

  if (layout->contiguous && layout->offset == 0)
    {
      if (!is_guarding ())
        return g_object_ref (tensor);
      buffer = candela_buffer_new_guarded (candela_tensor_get_buffer (tensor), error);
      return buffer != NULL ? candela_tensor_new_for_buffer (candela_tensor_get_dtype (tensor), layout, buffer) : NULL;
    }
  packed = candela_layout_new (layout->dims, layout->rank, error);
  buffer = packed != NULL ? candela_buffer_new (packed->n_elements * size, error) : NULL;
  if (buffer == NULL)
    return NULL;
  run->held += buffer->size;
  run->stats.allocations++;
  run->stats.allocated_bytes += buffer->size;
  run->stats.peak_bytes = MAX (run->stats.peak_bytes, run->held);
  candela_layout_copy_elements (buffer->data, packed, candela_tensor_get_buffer (tensor)->data, layout, size);
  return candela_tensor_new_for_buffer (candela_tensor_get_dtype (tensor), packed, buffer);
}

static gboolean
bind_slots (CandelaRun *run, CandelaTensor *const *slots, gsize n_slots, GError **error)
{
  const CandelaPlan *plan = run->plan;

  if (n_slots != plan->n_bindings)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY,
                   "run: the plan has %u slots to bind; %" G_GSIZE_FORMAT " tensors are given%s%s", plan->n_bindings,
                   n_slots, plan->n_bindings > 0 ? "; the first slot is " : "",
                   plan->n_bindings > 0 ? plan->bindings[0]->u.slot_name : "");
      return FALSE;
    }
  for (gsize i = 0; i < n_slots; i++)
    {
      const CandelaNode *slot = plan->bindings[i];
      gboolean right_dtype = slots[i] != NULL && candela_tensor_get_dtype (slots[i]) == slot->dtype;

      if (!right_dtype || !candela_layout_same_shape (candela_tensor_get_layout (slots[i]), slot->layout))
        {
          g_autofree char *wanted = candela_node_to_string ((CandelaNode *) slot);
          g_autoptr (CandelaNode) edge = slots[i] != NULL ? candela_node_new_tensor (slots[i]) : NULL;
          g_autofree char *given = edge != NULL ? candela_node_to_string (edge) : g_strdup ("nothing");

          g_set_error (error, CANDELA_ERROR,
                       slots[i] != NULL && !right_dtype ? CANDELA_ERROR_DTYPE : CANDELA_ERROR_SHAPE,
                       "run: slot %" G_GSIZE_FORMAT " is %s; %s is given", i, wanted, given);
          return FALSE;
        }
      run->bindings[i] = pack_binding (run, slots[i], error);
      if (run->bindings[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
prepare_tensors (CandelaRun *run, GError **error)
{
  for (guint32 t = 0; t < run->plan->n_tensors; t++)
    {
      CandelaBuffer *buffer = candela_tensor_get_buffer (run->plan->tensors[t]);

      /* The plan holds the tensor, and so its buffer, longer than the run. */
      run->tensors[t] = is_guarding () ? candela_buffer_new_guarded (buffer, error) : buffer;
      if (run->tensors[t] == NULL)
        return FALSE;
    }
  return TRUE;
}

/* ---- Results ---- */

static CandelaTensor *
make_result (CandelaRun *run, guint32 v, GError **error)
{
  const CandelaPlanValue *value = &run->plan->values[v];
  g_autoptr (CandelaBuffer) literal = NULL;
  CandelaBuffer *buffer = NULL;

  if (value->storage == CANDELA_STORAGE_TENSOR)
    {
      CandelaTensor *tensor = run->plan->tensors[value->source];

      if (candela_layout_equal (candela_tensor_get_layout (tensor), value->layout))
        return g_object_ref (tensor);
      buffer = candela_tensor_get_buffer (tensor);
    }
  else if (value->storage == CANDELA_STORAGE_LITERAL)
    {
      literal = candela_buffer_new (candela_dtype_get_size (value->dtype), error);
      if (literal == NULL)
        return NULL;
      memcpy (literal->data, candela_plan_scalar (run->plan, value), candela_dtype_get_size (value->dtype));
      buffer = literal;
    }
  else
    buffer = candela_run_get_buffer (run, value);
  return candela_tensor_new_for_buffer (value->dtype, value->layout, buffer);
}

static CandelaTensor **
collect_results (CandelaRun *run, GError **error)
{
  const CandelaPlan *plan = run->plan;
  CandelaTensor **tensors = g_new0 (CandelaTensor *, plan->n_roots + 1);

  for (guint32 c = 0; c < plan->n_caches; c++)
    {
      g_autoptr (CandelaTensor) tensor = make_result (run, plan->caches[c], NULL);

      /* One that stays empty is computed again: no reason to lose the results. */
      if (tensor != NULL)
        candela_node_fill_cache (plan->cache_nodes[c], tensor);
    }
  for (guint r = 0; r < plan->n_roots; r++)
    {
      tensors[r] = make_result (run, plan->root_values[r], error);
      if (tensors[r] == NULL)
        {
          while (r-- > 0)
            g_object_unref (tensors[r]);
          g_free (tensors);
          return NULL;
        }
    }
  return tensors;
}

/* Room for what the plan's values are in memory. */
static void
init_run (CandelaRun *run, gpointer *few)
{
  const CandelaPlan *plan = run->plan;
  gsize n = (gsize) plan->n_slots + plan->n_tensors + plan->n_bindings;
  gpointer *all = n <= FEW_VALUES ? memset (few, 0, n * sizeof *few) : g_new0 (gpointer, n);

  run->slots = (CandelaBuffer **) all;
  run->tensors = run->slots + plan->n_slots;
  run->bindings = (CandelaTensor **) (run->tensors + plan->n_tensors);
}

static void
clear_run (CandelaRun *run, gpointer *few)
{
  for (guint32 s = 0; s < run->plan->n_slots; s++)
    g_clear_pointer (&run->slots[s], candela_buffer_unref);
  for (guint32 t = 0; is_guarding () && t < run->plan->n_tensors; t++)
    g_clear_pointer (&run->tensors[t], candela_buffer_unref);
  for (guint32 b = 0; b < run->plan->n_bindings; b++)
    g_clear_object (&run->bindings[b]);
  if ((gpointer *) run->slots != few)
    g_free (run->slots);
}

CandelaTensor **
candela_run_plan (CandelaPlan *plan, CandelaTensor *const *slots, gsize n_slots, GCancellable *cancellable,
                  CandelaProgressFunc progress, gpointer user_data, const CandelaRunTimes *times,
                  CandelaRunStats *stats, gsize *n_tensors, GError **error)
{
  CandelaRun run = { .plan = plan, .cancellable = cancellable, .progress = progress, .progress_data = user_data };
  CandelaTensor **tensors = NULL;
  gint64 started = stats != NULL ? candela_clock_nanoseconds () : 0;
  gpointer few[FEW_VALUES];

  if ((candela_debug_flags () & CANDELA_DEBUG_PLAN) != 0)
    {
      g_autofree char *text = candela_plan_to_string (plan);

      g_printerr ("%s\n", text);
    }
  if (times != NULL)
    {
      run.times = times->steps;
      run.part_times = times->parts;
    }
  init_run (&run, few);
  if (bind_slots (&run, slots, n_slots, error) && prepare_tensors (&run, error) && candela_run_steps (&run, error))
    tensors = collect_results (&run, error);
  clear_run (&run, few);
  if (stats != NULL)
    {
      run.stats.nanoseconds = candela_clock_nanoseconds () - started;
      run.stats.pooled_bytes = candela_get_pooled_bytes ();
      *stats = run.stats;
    }
  if (n_tensors != NULL && tensors != NULL)
    *n_tensors = plan->n_roots;
  return tensors;
}

/**
 * candela_plan_run:
 * @plan: a plan
 * @slots: (array length=n_slots) (nullable): a tensor for each slot node, in the
 *   order in which the plan names them
 * @n_slots: their number
 * @cancellable: (nullable): what cancels the run
 * @progress: (nullable) (scope call) (closure user_data): told how far the run is
 * @user_data: data for @progress
 * @stats: (out caller-allocates) (optional): what the run did
 * @n_tensors: (out) (optional): the number of results
 * @error: return location for an error
 *
 * Runs a plan. A plan may be run any number of times, and by several threads at
 * once.
 *
 * Returns: (transfer full) (array length=n_tensors): the results, in
 *   the order of the roots; %NULL on %CANDELA_ERROR_ARITY,
 *   %CANDELA_ERROR_DTYPE or %CANDELA_ERROR_SHAPE (of the slots' tensors),
 *   %CANDELA_ERROR_NO_MEMORY, %G_IO_ERROR_CANCELLED, or what a kernel sets
 *
 * Since: 1.0
 */
CandelaTensor **
candela_plan_run (CandelaPlan *plan, CandelaTensor *const *slots, gsize n_slots, GCancellable *cancellable,
                  CandelaProgressFunc progress, gpointer user_data, CandelaRunStats *stats, gsize *n_tensors,
                  GError **error)
{
  if (n_tensors != NULL)
    *n_tensors = 0;
  g_return_val_if_fail (plan != NULL, NULL);

  return candela_run_plan (plan, slots, n_slots, cancellable, progress, user_data, NULL, stats, n_tensors, error);
}

GPtrArray *
candela_take_tensors (CandelaTensor **tensors, gsize n)
{
  GPtrArray *array = g_ptr_array_new_full (n, g_object_unref);

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (array, tensors[i]);
  g_free (tensors);
  return array;
}

/**
 * candela_plan_run_array: (rename-to candela_plan_run)
 * @plan: a plan
 * @slots: (array length=n_slots) (nullable): a tensor for each slot node, in the
 *   order in which the plan names them
 * @n_slots: their number
 * @cancellable: (nullable): what cancels the run
 * @progress: (nullable) (scope call) (closure user_data): told how far the run is
 * @user_data: data for @progress
 * @stats: (out caller-allocates) (optional): what the run did
 * @error: return location for an error
 *
 * As candela_plan_run(); this is what bindings call. (gjs loses what is in a C array
 * of objects, and frees one with a length beside it even if an argument was of the
 * wrong type and so nothing was called.)
 *
 * Returns: (transfer container) (element-type Candela.Tensor): the
 *   results, in the order of the roots, which the array owns; %NULL on an error of
 *   candela_plan_run()
 *
 * Since: 1.0
 */
GPtrArray *
candela_plan_run_array (CandelaPlan *plan, CandelaTensor *const *slots, gsize n_slots, GCancellable *cancellable,
                        CandelaProgressFunc progress, gpointer user_data, CandelaRunStats *stats, GError **error)
{
  gsize n;
  CandelaTensor **tensors = candela_plan_run (plan, slots, n_slots, cancellable, progress, user_data, stats, &n, error);

  return tensors != NULL ? candela_take_tensors (tensors, n) : NULL;
}

/* ---- Nodes ---- */

static CandelaTensor *
materialize_one (CandelaNode *node, GCancellable *cancellable, GError **error)
{
  g_autoptr (CandelaPlan) plan = candela_node_plan (node, CANDELA_PLAN_DEFAULT, error);
  g_autofree CandelaTensor **tensors = NULL;

  if (plan == NULL)
    return NULL;
  tensors = candela_plan_run (plan, NULL, 0, cancellable, NULL, NULL, NULL, NULL, error);
  return tensors != NULL ? tensors[0] : NULL;
}

/**
 * candela_node_materialize:
 * @node: (nullable): a node
 * @error: return location for an error
 *
 * Plans and computes a node.
 *
 * Returns: (transfer full): the node's value; %NULL on an error of
 *   candela_plan_new() or candela_plan_run(), or if @node is %NULL (an error that
 *   is already set is left as it is)
 *
 * Since: 1.0
 */
CandelaTensor *
candela_node_materialize (CandelaNode *node, GError **error)
{
  return materialize_one (node, NULL, error);
}

/**
 * candela_materialize:
 * @nodes: (array length=n_nodes): nodes
 * @n_nodes: their number
 * @n_tensors: (out) (optional): the number of results
 * @error: return location for an error
 *
 * Plans and computes several nodes at once; what they share is computed once.
 *
 * Returns: (transfer full) (array length=n_tensors): their values, in
 *   order; %NULL on an error of candela_plan_new() or candela_plan_run()
 *
 * Since: 1.0
 */
CandelaTensor **
candela_materialize (CandelaNode *const *nodes, gsize n_nodes, gsize *n_tensors, GError **error)
{
  g_autoptr (CandelaPlan) plan = candela_plan_new (nodes, n_nodes, CANDELA_PLAN_DEFAULT, error);

  if (n_tensors != NULL)
    *n_tensors = 0;
  return plan != NULL ? candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, NULL, n_tensors, error) : NULL;
}

/**
 * candela_materialize_array: (rename-to candela_materialize)
 * @nodes: (array length=n_nodes): nodes
 * @n_nodes: their number
 * @error: return location for an error
 *
 * As candela_materialize(); this is what bindings call.
 *
 * Returns: (transfer container) (element-type Candela.Tensor): their
 *   values, in order, which the array owns; %NULL on an error of
 *   candela_materialize()
 *
 * Since: 1.0
 */
GPtrArray *
candela_materialize_array (CandelaNode *const *nodes, gsize n_nodes, GError **error)
{
  gsize n;
  CandelaTensor **tensors = candela_materialize (nodes, n_nodes, &n, error);

  return tensors != NULL ? candela_take_tensors (tensors, n) : NULL;
}

static void
materialize_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GError *error = NULL;
  CandelaTensor *tensor = materialize_one (data, cancellable, &error);

  if (tensor != NULL)
    g_task_return_pointer (task, tensor, g_object_unref);
  else
    g_task_return_error (task, error);
}

/**
 * candela_node_materialize_async:
 * @node: a node
 * @cancellable: (nullable): what cancels the run
 * @callback: (scope async) (closure user_data): called when it is done, in the
 *   thread-default main context of the caller
 * @user_data: data for @callback
 *
 * Plans and computes a node on another thread, so that a main loop goes on.
 *
 * Since: 1.0
 */
void
candela_node_materialize_async (CandelaNode *node, GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data)
{
  g_autoptr (GTask) task = NULL;

  g_return_if_fail (node != NULL);

  task = g_task_new (NULL, cancellable, callback, user_data);
  g_task_set_source_tag (task, candela_node_materialize_async);
  g_task_set_task_data (task, candela_node_ref (node), (GDestroyNotify) candela_node_unref);
  g_task_run_in_thread (task, materialize_in_thread);
}

/**
 * candela_node_materialize_finish:
 * @node: the node
 * @result: what the callback was given
 * @error: return location for an error
 *
 * The end of candela_node_materialize_async(). Nothing of the run goes on after
 * it.
 *
 * Returns: (transfer full): the node's value; %NULL on an error of
 *   candela_node_materialize(), or %G_IO_ERROR_CANCELLED
 *
 * Since: 1.0
 */
CandelaTensor *
candela_node_materialize_finish (CandelaNode *node, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);
  g_return_val_if_fail (g_async_result_is_tagged (result, candela_node_materialize_async), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
