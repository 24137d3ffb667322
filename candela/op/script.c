/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops whose functions are a script's. The planner knows of them what they declare, as of
 * any other op. They run on the thread that runs the plan; or, where the language can run
 * on one thread alone, on the one that made the op, whose main context is asked. */
#include <candela/op/script-private.h>

#include <candela/op/op-class.h>
#include <string.h>

/* For a main context that is asked: how often to look whether the run is cancelled. */
#define LOOK_US (50 * 1000)

#define CANDELA_TYPE_SCRIPT_OP (candela_script_op_get_type ())
G_DECLARE_FINAL_TYPE (CandelaScriptOp, candela_script_op, CANDELA, SCRIPT_OP, CandelaOp)

struct _CandelaScriptOp
{
  CandelaOp parent_instance;

  CandelaScriptFacts *facts;
  CandelaScriptInferFunc infer; /* NULL: as an element-wise op */
  gpointer infer_data;
  GDestroyNotify infer_destroy;
  CandelaScriptComputeFunc compute;
  gpointer compute_data;
  GDestroyNotify compute_destroy;
  GThread *owner;        /* which runs the functions; NULL: any does */
  GMainContext *context; /* the owner's */
};

G_DEFINE_FINAL_TYPE (CandelaScriptOp, candela_script_op, CANDELA_TYPE_OP)

/* ---- On the owner's thread ---- */

typedef struct
{
  gatomicrefcount ref_count;
  CandelaScriptOp *op;
  GVariant *inputs, *params, *answer; /* of an inference */
  CandelaScriptCall *call;            /* of a computation */
  gboolean ok;
  GError *error;
  GMutex lock;
  GCond done_cond;
  gboolean done, given_up;
} Task;

static void
task_unref (gpointer data)
{
  Task *task = data;

  if (!g_atomic_ref_count_dec (&task->ref_count))
    return;
  g_clear_pointer (&task->inputs, g_variant_unref);
  g_clear_pointer (&task->params, g_variant_unref);
  g_clear_pointer (&task->answer, g_variant_unref);
  g_clear_object (&task->call);
  g_clear_error (&task->error);
  g_mutex_clear (&task->lock);
  g_cond_clear (&task->done_cond);
  g_free (task);
}

static Task *
task_new (CandelaScriptOp *op)
{
  Task *task = g_new0 (Task, 1);

  g_atomic_ref_count_init (&task->ref_count);
  task->op = op;
  g_mutex_init (&task->lock);
  g_cond_init (&task->done_cond);
  return task;
}

static void
task_run (Task *task)
{
  CandelaScriptOp *op = task->op;

  if (task->call != NULL)
    task->ok = op->compute (task->call, op->compute_data, &task->error);
  else
    {
      task->answer = op->infer (task->inputs, task->params, op->infer_data, &task->error);
      task->ok = task->answer != NULL;
    }
}

static gboolean
run_there (gpointer data)
{
  Task *task = data;

  g_mutex_lock (&task->lock);
  if (!task->given_up)
    task_run (task);
  task->done = TRUE;
  g_cond_signal (&task->done_cond);
  g_mutex_unlock (&task->lock);
  return G_SOURCE_REMOVE;
}

static void
ask_owner (Task *task, GCancellable *cancellable)
{
  /* Not g_main_context_invoke(), which runs it here if the owner is not in its loop. */
  g_autoptr (GSource) source = g_idle_source_new ();

  g_atomic_ref_count_inc (&task->ref_count);
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, run_there, task, task_unref);
  g_source_attach (source, task->op->context);
  g_mutex_lock (&task->lock);
  while (!task->done && !g_cancellable_is_cancelled (cancellable))
    g_cond_wait_until (&task->done_cond, &task->lock, g_get_monotonic_time () + LOOK_US);
  task->given_up = !task->done;
  if (task->given_up)
    {
      g_cancellable_set_error_if_cancelled (cancellable, &task->error);
      task->ok = FALSE;
    }
  g_mutex_unlock (&task->lock);
}

/* What the script says is wrong begins with the op's name, as all errors do. A function
 * that fails and says nothing is an error all the same. */
static gboolean
task_finish (Task *task, GCancellable *cancellable, GError **error)
{
  const char *name = candela_op_get_name (CANDELA_OP (task->op));
  g_autofree char *beginning = g_strconcat (name, ":", NULL);

  if (task->op->owner == NULL || task->op->owner == g_thread_self ())
    task_run (task);
  else
    ask_owner (task, cancellable);
  if (task->ok)
    return TRUE;
  if (task->error == NULL)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SCRIPT, "%s: its function failed and did not say why", name);
  else if (g_str_has_prefix (task->error->message, beginning)
           || g_error_matches (task->error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_propagate_error (error, g_steal_pointer (&task->error));
  else
    g_set_error (error, task->error->domain, task->error->code, "%s: %s", name, task->error->message);
  return FALSE;
}

/* ---- Functions of ops that are gone ---- */

/* A language that runs on one thread alone frees its functions there, too, and not while
 * it collects what is not used any more, as it does when it drops the last node of an op.
 * So they wait until that thread makes its next op. */
typedef struct
{
  GThread *owner;
  gpointer data;
  GDestroyNotify destroy;
} Remains;

static GMutex remains_lock;
static GArray *all_remains; /* Remains */

static void
leave_remains (GThread *owner, gpointer data, GDestroyNotify destroy)
{
  Remains remains = { .owner = owner, .data = data, .destroy = destroy };

  if (destroy == NULL)
    return;
  if (owner == NULL)
    {
      destroy (data);
      return;
    }
  g_thread_ref (owner);
  g_mutex_lock (&remains_lock);
  if (all_remains == NULL)
    all_remains = g_array_new (FALSE, FALSE, sizeof (Remains));
  g_array_append_val (all_remains, remains);
  g_mutex_unlock (&remains_lock);
}

static gboolean
take_remains (GThread *owner, Remains *remains)
{
  gboolean found = FALSE;

  g_mutex_lock (&remains_lock);
  for (guint k = 0; !found && all_remains != NULL && k < all_remains->len; k++)
    {
      *remains = g_array_index (all_remains, Remains, k);
      found = remains->owner == owner;
      if (found)
        g_array_remove_index_fast (all_remains, k);
    }
  g_mutex_unlock (&remains_lock);
  return found;
}

static void
clear_remains (GThread *owner)
{
  Remains remains;

  while (take_remains (owner, &remains))
    {
      remains.destroy (remains.data);
      g_thread_unref (remains.owner);
    }
}

/* ---- The functions of the class ---- */

static gboolean
candela_script_op_infer (CandelaOp *op, CandelaInference *inference, GError **error)
{
  CandelaScriptOp *self = CANDELA_SCRIPT_OP (op);
  Task *task;
  gboolean ok;

  if (self->infer == NULL)
    return candela_script_infer_by_facts (inference, error);
  task = task_new (self);
  task->inputs = g_variant_ref_sink (candela_script_describe_inputs (inference));
  task->params = g_variant_ref_sink (candela_script_params_to_variant (inference->params));
  ok = task_finish (task, NULL, error) && candela_script_set_outputs (inference, task->answer, error);
  task_unref (task);
  return ok;
}

static gboolean
candela_script_op_compute (CandelaOp *op, CandelaKernel *kernel, GError **error)
{
  CandelaScriptCall *call = candela_script_call_new (kernel, error);
  Task *task;
  gboolean ok;

  if (call == NULL)
    return FALSE;
  task = task_new (CANDELA_SCRIPT_OP (op));
  task->call = call;
  ok = task_finish (task, kernel->cancellable, error);
  if (!task->given_up)
    candela_script_call_end (call);
  task_unref (task);
  return ok;
}

static void
candela_script_op_finalize (GObject *object)
{
  CandelaScriptOp *self = CANDELA_SCRIPT_OP (object);

  leave_remains (self->owner, self->infer_data, self->infer_destroy);
  leave_remains (self->owner, self->compute_data, self->compute_destroy);
  g_clear_pointer (&self->context, g_main_context_unref);
  g_clear_pointer (&self->owner, g_thread_unref);
  G_OBJECT_CLASS (candela_script_op_parent_class)->finalize (object);
  g_clear_pointer (&self->facts, candela_script_facts_free);
}

static void
candela_script_op_class_init (CandelaScriptOpClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = candela_script_op_finalize;
  CANDELA_OP_CLASS (klass)->infer = candela_script_op_infer;
  CANDELA_OP_CLASS (klass)->compute = candela_script_op_compute;
}

static void
candela_script_op_init (CandelaScriptOp *self)
{
}

/**
 * candela_op_new_script:
 * @name: the op's name: lower-case letters, digits and underscores
 * @facts: (nullable): what the op declares, `a{sv}`, sunk if it is floating; below
 * @infer: (nullable) (scope notified) (closure infer_data) (destroy infer_destroy): says
 *   what comes out; %NULL: inputs are broadcast and their dtypes promoted, as for an
 *   element-wise op
 * @infer_data: what @infer is given
 * @infer_destroy: (nullable): frees @infer_data
 * @compute: (scope notified) (closure compute_data) (destroy compute_destroy): writes the
 *   outputs
 * @compute_data: what @compute is given
 * @compute_destroy: (nullable): frees @compute_data
 * @error: return location for an error
 *
 * Makes an op of functions, for bindings. With candela_registry_add_op() it is found by its
 * name, in expressions too. The facts, all of which may be missing: `summary`, `since`,
 * `formula`, `example` and `operators` (texts), `inputs` and `outputs` (names), `variadic` (whether the last input
 * stands for several), `kinds` (of the inputs: `bool`, `int`, `uint`, `float`, `complex`),
 * `params` (an `a{sv}` for each, with `name`, `type`, `default`, `minimum`, `maximum`,
 * `required` and `summary`), `aliasing` (`none`; `alias`: the output is input 0; `reference`:
 * it is a view of that, and @compute is not called; `takeover`: @compute copies input 0, and
 * the copy stands for it), `in-place` (which inputs output 0 may be written over, where an
 * element is read before it is written and not after) and `in-place-modes` (`a(uus)`: output,
 * input, and one of `same-index`, `within-row` and `read-first`), `effect` (`pure`,
 * `ordered`), `determinism` (`bitwise`, `per-layout`, `none`), `output-shape` (`static`;
 * `data`: @compute says the shapes with candela_script_call_set_output_shape()) and `owner-thread`: the functions run on
 * the thread that calls this one, whose main context must then run while other threads
 * compute. An op that nothing refers to any more frees its data at once, on whatever
 * thread; with `owner-thread` when its thread next makes an op.
 *
 * Errors: %CANDELA_ERROR_PLUGIN if something in the facts is wrong.
 *
 * Returns: (transfer full): the op
 *
 * Since: 1.0
 */
CandelaOp *
candela_op_new_script (const char *name, GVariant *facts, CandelaScriptInferFunc infer, gpointer infer_data,
                       GDestroyNotify infer_destroy, CandelaScriptComputeFunc compute, gpointer compute_data,
                       GDestroyNotify compute_destroy, GError **error)
{
  g_autoptr (CandelaScriptFacts) read = NULL;
  CandelaOp *op = NULL;
  CandelaScriptOp *self;

  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (compute != NULL, NULL);

  read = candela_script_facts_new (name, facts, error);
  if (read != NULL && read->info.aliasing == CANDELA_ALIASING_REFERENCE && infer == NULL)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN,
                 "op \"%s\": it is a view, and has no infer function that says which", name);
  else if (read != NULL)
    op = candela_op_new (CANDELA_TYPE_SCRIPT_OP, &read->info, "script", error);
  if (op == NULL)
    {
      if (infer_destroy != NULL)
        infer_destroy (infer_data);
      if (compute_destroy != NULL)
        compute_destroy (compute_data);
      return NULL;
    }
  self = CANDELA_SCRIPT_OP (op);
  self->facts = g_steal_pointer (&read);
  self->infer = infer;
  self->infer_data = infer_data;
  self->infer_destroy = infer_destroy;
  self->compute = compute;
  self->compute_data = compute_data;
  self->compute_destroy = compute_destroy;
  if (self->facts->owner_thread)
    {
      self->owner = g_thread_ref (g_thread_self ());
      self->context = g_main_context_ref_thread_default ();
      clear_remains (self->owner);
    }
  return op;
}
