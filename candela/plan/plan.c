/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plan: made by the planner's passes, asked by whoever wants to know, run by
 * the executor. It reads no data and never changes. */
#include <candela/plan/planner-private.h>
#include <candela/value/debug-private.h>
#include <string.h>

G_DEFINE_BOXED_TYPE (CandelaPlan, candela_plan, candela_plan_ref, candela_plan_unref)

G_DEFINE_FLAGS_TYPE (CandelaPlanFlags, candela_plan_flags, G_DEFINE_ENUM_VALUE (CANDELA_PLAN_DEFAULT, "default"),
                     G_DEFINE_ENUM_VALUE (CANDELA_PLAN_NO_FUSION, "no-fusion"),
                     G_DEFINE_ENUM_VALUE (CANDELA_PLAN_NO_REUSE, "no-reuse"),
                     G_DEFINE_ENUM_VALUE (CANDELA_PLAN_NO_IN_PLACE, "no-in-place"))

G_DEFINE_ENUM_TYPE (CandelaOutputKind, candela_output_kind, G_DEFINE_ENUM_VALUE (CANDELA_OUTPUT_ALLOCATE, "allocate"),
                    G_DEFINE_ENUM_VALUE (CANDELA_OUTPUT_REUSE, "reuse"),
                    G_DEFINE_ENUM_VALUE (CANDELA_OUTPUT_IN_PLACE, "in-place"),
                    G_DEFINE_ENUM_VALUE (CANDELA_OUTPUT_REFERENCE_SLOT, "reference-slot"),
                    G_DEFINE_ENUM_VALUE (CANDELA_OUTPUT_REFERENCE_ETERNAL, "reference-eternal"))

/* In line, so that a few nodes need no other memory. Together with the struct,
 * a plan is then small enough for the heap's quickest lists. */
#define PLAN_BYTES (1024 - sizeof (CandelaPlan))
#define PLANNER_BYTES 4096

static CandelaPlanFlags
debug_plan_flags (void)
{
  CandelaDebugFlags debug = candela_debug_flags ();

  return ((debug & CANDELA_DEBUG_NO_FUSION) != 0 ? CANDELA_PLAN_NO_FUSION : 0)
         | ((debug & CANDELA_DEBUG_NO_REUSE) != 0 ? CANDELA_PLAN_NO_REUSE : 0)
         | ((debug & CANDELA_DEBUG_NO_IN_PLACE) != 0 ? CANDELA_PLAN_NO_IN_PLACE : 0);
}

/**
 * candela_plan_new:
 * @roots: (array length=n_roots): the nodes to be computed
 * @n_roots: their number
 * @flags: what the planner may not do
 * @error: return location for an error
 *
 * Plans the computation of several nodes at once; what they share is computed
 * once. The method is that of `docs/planner.md`. Takes O(n log n) for n nodes, and
 * touches no data.
 *
 * Returns: (transfer full): a plan, or %NULL on %CANDELA_ERROR_ARITY
 *   (no root, or one that is %NULL) or %CANDELA_ERROR_NO_MEMORY
 *
 * Since: 1.0
 */
CandelaPlan *
candela_plan_new (CandelaNode *const *roots, gsize n_roots, CandelaPlanFlags flags, GError **error)
{
  g_autoptr (CandelaPlan) plan = NULL;
  CandelaPlanner planner = { 0 };
  guint8 first[PLANNER_BYTES] __attribute__ ((aligned (16)));
  gboolean ok;

  for (gsize r = 0; r < n_roots; r++)
    if (roots[r] == NULL)
      {
        if (error == NULL || *error == NULL)
          g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY, "plan: root %" G_GSIZE_FORMAT " is missing (NULL)",
                       r);
        return NULL;
      }
  if (n_roots == 0 || n_roots > G_MAXUINT16)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY, "plan: %" G_GSIZE_FORMAT " roots; there must be 1 to %u",
                   n_roots, (guint) G_MAXUINT16);
      return NULL;
    }

  plan = g_malloc (sizeof (CandelaPlan) + PLAN_BYTES);
  memset (plan, 0, sizeof (CandelaPlan));
  g_atomic_ref_count_init (&plan->ref_count);
  candela_arena_init (&plan->arena, plan + 1, PLAN_BYTES);
  plan->flags = flags | debug_plan_flags ();
  plan->n_roots = n_roots;
  plan->roots = candela_arena_new (&plan->arena, CandelaNode *, n_roots);
  for (gsize r = 0; r < n_roots; r++)
    plan->roots[r] = candela_node_ref (roots[r]);

  planner.plan = plan;
  planner.flags = plan->flags;
  candela_arena_init (&planner.arena, first, sizeof first);
  ok = candela_planner_order (&planner, error) && candela_planner_preplan (&planner, error);
  if (ok)
    {
      plan->depth = planner.depth;
      candela_planner_form_regions (&planner);
      candela_planner_emit_steps (&planner);
      candela_planner_group_rows (&planner);
      candela_planner_assign (&planner);
    }
  candela_alias_map_clear (&planner.aliases);
  candela_arena_clear (&planner.arena);
  return ok ? g_steal_pointer (&plan) : NULL;
}

/**
 * candela_node_plan:
 * @node: a node
 * @flags: what the planner may not do
 * @error: return location for an error
 *
 * Plans the computation of one node.
 *
 * Returns: (transfer full): a plan, or %NULL as candela_plan_new()
 *
 * Since: 1.0
 */
CandelaPlan *
candela_node_plan (CandelaNode *node, CandelaPlanFlags flags, GError **error)
{
  return candela_plan_new (&node, 1, flags, error);
}

/**
 * candela_plan_ref:
 * @plan: a plan
 *
 * Adds a reference.
 *
 * Returns: (transfer full): the plan
 *
 * Since: 1.0
 */
CandelaPlan *
candela_plan_ref (CandelaPlan *plan)
{
  g_return_val_if_fail (plan != NULL, NULL);

  g_atomic_ref_count_inc (&plan->ref_count);
  return plan;
}

/**
 * candela_plan_unref:
 * @plan: (transfer full): a plan
 *
 * Drops a reference.
 *
 * Since: 1.0
 */
void
candela_plan_unref (CandelaPlan *plan)
{
  g_return_if_fail (plan != NULL);

  if (!g_atomic_ref_count_dec (&plan->ref_count))
    return;
  g_clear_pointer (&plan->layouts, g_ptr_array_unref);
  for (guint r = 0; r < plan->n_roots; r++)
    candela_node_unref (plan->roots[r]);
  candela_arena_clear (&plan->arena);
  g_free (plan);
}

/* ---- Comparing ---- */

static gboolean
values_equal (CandelaPlan *plan, CandelaPlan *other, guint32 v)
{
  const CandelaPlanValue *a = &plan->values[v], *b = &other->values[v];

  if (a->layout == NULL || b->layout == NULL)
    return a->layout == b->layout;
  if (a->storage != b->storage || a->dtype != b->dtype || a->output != b->output || a->source != b->source
      || a->node->kind != b->node->kind || !candela_layout_equal (a->layout, b->layout))
    return FALSE;
  /* Scalars are part of what is computed; tensors are data. */
  if (a->storage == CANDELA_STORAGE_LITERAL)
    return memcmp (candela_plan_scalar (plan, a), candela_plan_scalar (other, b), candela_dtype_get_size (a->dtype))
           == 0;
  if (a->node->kind == CANDELA_NODE_BAKED)
    return candela_plan_equal (a->node->u.baked.plan, b->node->u.baked.plan);
  return a->node->kind != CANDELA_NODE_OP
         || (a->node->u.op.op == b->node->u.op.op && candela_params_equal (a->node->u.op.params, b->node->u.op.params));
}

static gboolean
steps_equal (const CandelaPlan *a, const CandelaPlanStep *x, const CandelaPlan *b, const CandelaPlanStep *y)
{
  if (x->kind != y->kind || x->n_inputs != y->n_inputs || x->n_outputs != y->n_outputs || x->n_parts != y->n_parts
      || x->n_free != y->n_free || x->n_registers != y->n_registers)
    return FALSE;
  for (guint32 i = 0; i < x->n_inputs; i++)
    if (a->inputs[x->first_input + i] != b->inputs[y->first_input + i])
      return FALSE;
  for (guint32 o = 0; o < x->n_outputs; o++)
    if (a->outputs[x->first_output + o].value != b->outputs[y->first_output + o].value
        || a->outputs[x->first_output + o].kind != b->outputs[y->first_output + o].kind
        || a->outputs[x->first_output + o].input != b->outputs[y->first_output + o].input)
      return FALSE;
  for (guint32 f = 0; f < x->n_free; f++)
    if (a->frees[x->first_free + f] != b->frees[y->first_free + f])
      return FALSE;
  for (guint32 p = 0; x->kind == CANDELA_STEP_FUSED && p < x->n_parts; p++)
    {
      const CandelaPlanPart *part = &a->parts[x->first_part + p], *other = &b->parts[y->first_part + p];

      if (part->node->u.op.op != other->node->u.op.op || part->node->n_inputs != other->node->n_inputs
          || memcmp (candela_plan_part_operands (a, part), candela_plan_part_operands (b, other),
                     sizeof (guint32) * (part->node->n_inputs + part->node->n_outputs))
               != 0)
        return FALSE;
    }
  if (candela_plan_step_is_group (x))
    {
      const CandelaPlanGroup *group = &a->groups[x->group], *other = &b->groups[y->group];

      if (group->n_rows != other->n_rows || group->n_columns != other->n_columns || group->n_subs != other->n_subs
          || group->n_locals != other->n_locals)
        return FALSE;
      for (guint32 k = 0; k < group->n_subs; k++)
        if (!steps_equal (a, &a->subs[group->first_sub + k], b, &b->subs[other->first_sub + k]))
          return FALSE;
    }
  return TRUE;
}

/**
 * candela_plan_equal:
 * @a: a plan
 * @b: another one
 *
 * Whether two plans do the same: the same steps over values of the same dtypes
 * and layouts, in the same slots. Two graphs of one structure have equal plans;
 * what their tensors hold plays no part.
 *
 * Returns: %TRUE if they are equal
 *
 * Since: 1.0
 */
gboolean
candela_plan_equal (CandelaPlan *a, CandelaPlan *b)
{
  g_return_val_if_fail (a != NULL && b != NULL, FALSE);

  if (a == b)
    return TRUE;
  if (a->n_values != b->n_values || a->n_slots != b->n_slots || a->n_steps != b->n_steps || a->n_parts != b->n_parts
      || a->n_roots != b->n_roots || a->n_caches != b->n_caches || a->n_bindings != b->n_bindings)
    return FALSE;
  for (guint r = 0; r < a->n_roots; r++)
    if (a->root_values[r] != b->root_values[r])
      return FALSE;
  for (guint32 c = 0; c < a->n_caches; c++)
    if (a->caches[c] != b->caches[c])
      return FALSE;
  for (guint32 v = 0; v < a->n_values; v++)
    if (!values_equal (a, b, v))
      return FALSE;
  for (guint32 slot = 0; slot < a->n_slots; slot++)
    if (a->slots[slot].bytes != b->slots[slot].bytes)
      return FALSE;
  for (guint32 s = 0; s < a->n_steps; s++)
    if (!steps_equal (a, &a->steps[s], b, &b->steps[s]))
      return FALSE;
  return TRUE;
}

/* ---- Asking ---- */

/**
 * candela_plan_get_n_steps:
 * @plan: a plan
 *
 * How many steps there are.
 *
 * Returns: their number
 *
 * Since: 1.0
 */
guint
candela_plan_get_n_steps (CandelaPlan *plan)
{
  g_return_val_if_fail (plan != NULL, 0);

  return plan->n_steps;
}

/**
 * candela_plan_get_n_roots:
 * @plan: a plan
 *
 * How many results there are.
 *
 * Returns: their number
 *
 * Since: 1.0
 */
guint
candela_plan_get_n_roots (CandelaPlan *plan)
{
  g_return_val_if_fail (plan != NULL, 0);

  return plan->n_roots;
}

/**
 * candela_plan_get_n_allocations:
 * @plan: a plan
 *
 * How many buffers a run allocates.
 *
 * Returns: their number
 *
 * Since: 1.0
 */
guint
candela_plan_get_n_allocations (CandelaPlan *plan)
{
  g_return_val_if_fail (plan != NULL, 0);

  return plan->n_slots;
}

/**
 * candela_plan_get_peak_bytes:
 * @plan: a plan
 *
 * The most memory that a run holds at once, in bytes; inputs are not counted.
 *
 * Returns: bytes
 *
 * Since: 1.0
 */
guint64
candela_plan_get_peak_bytes (CandelaPlan *plan)
{
  g_return_val_if_fail (plan != NULL, 0);

  return plan->peak_bytes;
}

/**
 * candela_plan_get_lower_bound_bytes:
 * @plan: a plan
 *
 * The bytes of the values that must be held at once, whatever buffers they are
 * in: no plan of these steps can have a lower peak.
 *
 * Returns: bytes
 *
 * Since: 1.0
 */
guint64
candela_plan_get_lower_bound_bytes (CandelaPlan *plan)
{
  g_return_val_if_fail (plan != NULL, 0);

  return plan->lower_bound_bytes;
}

/**
 * candela_plan_get_intermediate_bytes:
 * @plan: a plan
 *
 * The bytes of everything that is computed on the way, results included: what
 * would be allocated in all if every op had a buffer of its own.
 *
 * Returns: bytes
 *
 * Since: 1.0
 */
guint64
candela_plan_get_intermediate_bytes (CandelaPlan *plan)
{
  g_return_val_if_fail (plan != NULL, 0);

  return plan->intermediate_bytes;
}

/**
 * candela_plan_get_step_op:
 * @plan: a plan
 * @step: which step
 *
 * What a step runs: the name of an op, or those of a fused step joined by `+`.
 *
 * Returns: (transfer full) (nullable): the name; %NULL if there is no such step
 *
 * Since: 1.0
 */
char *
candela_plan_get_step_op (CandelaPlan *plan, guint step)
{
  g_return_val_if_fail (plan != NULL, NULL);

  return step < plan->n_steps ? candela_plan_step_name (plan, &plan->steps[step]) : NULL;
}

/**
 * candela_plan_get_step_output_kind:
 * @plan: a plan
 * @step: which step
 * @output: which of its outputs
 *
 * How an output of a step is produced.
 *
 * Returns: the kind; %CANDELA_OUTPUT_ALLOCATE if there is no such output
 *
 * Since: 1.0
 */
CandelaOutputKind
candela_plan_get_step_output_kind (CandelaPlan *plan, guint step, guint output)
{
  g_return_val_if_fail (plan != NULL, CANDELA_OUTPUT_ALLOCATE);

  if (step >= plan->n_steps || output >= plan->steps[step].n_outputs)
    return CANDELA_OUTPUT_ALLOCATE;
  return plan->outputs[plan->steps[step].first_output + output].kind;
}
