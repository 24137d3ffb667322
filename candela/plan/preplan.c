/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Second pass, one walk over the list. For every node: from which values it
 * reads (resolved now, and never again), and what its own value is: somebody
 * else's, another layout over somebody else's buffer, or one that a step
 * computes.
 *
 * Why the answer is frozen here. A takeover (the first packed copy of x, say)
 * stands for x from its place on. A consumer of x that is listed before it has
 * to read x: the copy does not exist yet when that consumer runs. One that is
 * listed after it should read the copy. Asking the alias map at each node's own
 * place gives both the right answer, and the takeover itself, which asks before
 * it claims, never reads itself.
 *
 * Some ops give the same bits only for operands of the same layout (products by
 * an outside library). What such an op reads must not depend on what else is in
 * the graph, or which caches are filled: it, and the views between it and what
 * it reads, get what the graph names, not what has taken that over. */
#include <candela/plan/planner-private.h>

#include <string.h>

/* Inputs for which no memory is asked. */
#define FEW_INPUTS 16

static CandelaPlanValue *
value_of (CandelaPlanner *planner, guint32 value)
{
  return &planner->plan->values[value];
}

static void
set_leaf (CandelaPlanner *planner, guint32 v, CandelaNode *node, CandelaLayout *layout, CandelaStorage storage,
          guint32 source)
{
  *value_of (planner, v) =
    (CandelaPlanValue){ .node = node, .layout = layout, .dtype = node->dtype, .storage = storage, .source = source };
  planner->base[v] = v;
}

static void
set_computed (CandelaPlanner *planner, guint32 v, CandelaNode *node, guint output, CandelaLayout *layout)
{
  gint64 bytes;

  *value_of (planner, v) = (CandelaPlanValue){ .node = node,
                                               .output = output,
                                               .layout = layout,
                                               .dtype = candela_node_output_dtype (node, output),
                                               .storage = CANDELA_STORAGE_SLOT,
                                               .source = CANDELA_PLAN_NONE };
  planner->base[v] = v;
  if (__builtin_mul_overflow (layout->n_elements, (gint64) candela_dtype_size (value_of (planner, v)->dtype), &bytes)
      || __builtin_add_overflow (planner->plan->intermediate_bytes, (guint64) bytes, &planner->plan->intermediate_bytes)
      || planner->plan->intermediate_bytes > G_MAXINT64)
    planner->too_large = TRUE;
}

/* Most graphs have no names. */
static void
set_name (CandelaPlanner *planner, guint32 v, guint32 target)
{
  if (planner->names == NULL)
    {
      planner->names = candela_arena_new (&planner->arena, guint32, planner->plan->n_values);
      memset (planner->names, 0xff, sizeof *planner->names * planner->plan->n_values);
    }
  planner->names[v] = target;
}

/* The same value as target's: it keeps an entry, for those who print. */
static void
set_alias (CandelaPlanner *planner, guint32 v, CandelaNode *node, guint output, guint32 target, CandelaAliasTag tag)
{
  *value_of (planner, v) = *value_of (planner, target);
  set_name (planner, v, target);
  value_of (planner, v)->node = node;
  value_of (planner, v)->output = output;
  planner->base[v] = planner->base[target];
  candela_alias_map_alias (&planner->aliases, v, target, tag);
}

static void
set_reference (CandelaPlanner *planner, guint32 v, CandelaNode *node, guint output, guint32 target,
               CandelaLayout *layout)
{
  *value_of (planner, v) = *value_of (planner, target);
  value_of (planner, v)->layout = layout;
  value_of (planner, v)->node = node;
  value_of (planner, v)->output = output;
  planner->base[v] = planner->base[target];
}

static CandelaPreStep *
add_prestep (CandelaPlanner *planner, guint32 node, CandelaStepKind kind)
{
  guint32 step = planner->n_presteps++;

  planner->presteps[step] =
    (CandelaPreStep){ .node = node, .kind = kind, .region = step, .first = step, .next = CANDELA_PLAN_NONE };
  return &planner->presteps[step];
}

/* What has state runs whole, so that two such steps do not take turns. */
static void
add_elementwise (CandelaPlanner *planner, guint32 node, const CandelaOpInfo *info)
{
  CandelaPreStep *prestep = add_prestep (planner, node, CANDELA_STEP_FUSED);

  prestep->fuses = info->effect == CANDELA_EFFECT_PURE;
  prestep->same_index = info->in_place == NULL;
}

static CandelaAliasTag
tag_for (const CandelaLayout *layout)
{
  return layout->contiguous ? CANDELA_TAG_CONTIGUOUS : CANDELA_TAG_ANYTHING;
}

/* ---- The kinds of nodes ---- */

static void
preplan_tensor (CandelaPlanner *planner, guint32 v, CandelaNode *node, CandelaTensor *tensor, CandelaLayout *layout)
{
  CandelaPlan *plan = planner->plan;

  plan->tensors[plan->n_tensors] = tensor;
  set_leaf (planner, v, node, layout, CANDELA_STORAGE_TENSOR, plan->n_tensors++);
}

/* A cache that is not filled yet: its input, packed if it is not, and kept. */
static void
preplan_cache (CandelaPlanner *planner, guint32 place, guint32 v, CandelaNode *node)
{
  CandelaPlan *plan = planner->plan;
  guint32 inner = *candela_planner_inputs (planner, &planner->nodes[place]);

  const CandelaPlanValue *whole = value_of (planner, planner->base[inner]);
  gboolean part =
    whole->storage == CANDELA_STORAGE_SLOT && value_of (planner, inner)->layout->n_elements < whole->layout->n_elements;

  /* A part of a larger value would keep all of it. */
  if (value_of (planner, inner)->layout->contiguous && !part)
    set_alias (planner, v, node, 0, inner, CANDELA_TAG_CONTIGUOUS_CACHE);
  else
    {
      set_computed (planner, v, node, 0, node->layout);
      add_prestep (planner, place, CANDELA_STEP_PACK);
      candela_alias_map_takeover (&planner->aliases, v, inner, CANDELA_TAG_CONTIGUOUS_CACHE);
    }
  if (node->unbound)
    return;
  if (planner->pins[planner->base[v]] == CANDELA_PIN_NONE)
    planner->pins[planner->base[v]] = CANDELA_PIN_CACHE;
  plan->caches[plan->n_caches] = v;
  plan->cache_nodes[plan->n_caches++] = node;
}

/* What the op says of its outputs over the buffers that its inputs really have;
 * the node holds what it said of those that the graph names. */
typedef struct
{
  CandelaLayout *layouts[CANDELA_MAX_OUTPUTS]; /* the node's, or the plan's */
  guint8 aliasing[CANDELA_MAX_OUTPUTS];
  guint32 aliased_input[CANDELA_MAX_OUTPUTS];
} Answer;

static void
answer_from_node (const CandelaNode *node, Answer *answer)
{
  answer->layouts[0] = node->layout;
  answer->aliasing[0] = node->aliasing;
  answer->aliased_input[0] = node->aliased_input;
  for (guint o = 0; node->u.op.outputs != NULL && o < node->n_outputs; o++)
    {
      if (o > 0)
        answer->layouts[o] = node->u.op.outputs[o].layout;
      answer->aliasing[o] = node->u.op.outputs[o].aliasing;
      answer->aliased_input[o] = node->u.op.outputs[o].aliased_input;
    }
}

/* The layouts of the inputs may change what is a reference and what is computed;
 * shapes, dtypes and the kernel are settled. */
static gboolean
is_same_answer (const CandelaInference *inference, const CandelaNode *node, GError **error)
{
  gboolean same = inference->kernel == node->u.op.kernel;

  for (guint o = 0; same && o < node->n_outputs; o++)
    same = inference->out_dtypes[o] == candela_node_output_dtype (node, o)
           && candela_layout_same_shape (inference->out_layouts[o], candela_node_output_layout (node, o));
  return same
         || candela_inference_fail (inference, error, CANDELA_ERROR_PLUGIN,
                                    "its infer function gives another shape, dtype or kernel where an input of the "
                                    "same shape has another layout");
}

static gboolean
answer_from_op (CandelaPlanner *planner, const CandelaNode *node, const guint32 *inputs, Answer *answer, GError **error)
{
  const CandelaLayout *few_layouts[FEW_INPUTS];
  CandelaDType few_dtypes[FEW_INPUTS];
  gboolean many = node->n_inputs > FEW_INPUTS;
  g_autofree const CandelaLayout **many_layouts = many ? g_new (const CandelaLayout *, node->n_inputs) : NULL;
  g_autofree CandelaDType *many_dtypes = many ? g_new (CandelaDType, node->n_inputs) : NULL;
  const CandelaLayout **layouts = many ? many_layouts : few_layouts;
  CandelaDType *dtypes = many ? many_dtypes : few_dtypes;
  CandelaInference inference;
  gboolean ok;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      layouts[i] = value_of (planner, inputs[i])->layout;
      dtypes[i] = node->inputs[i]->dtype;
    }
  candela_inference_init (&inference, node->u.op.op, node->u.op.params, node->n_inputs, layouts, dtypes,
                          candela_node_promote (node->u.op.facts, node->inputs, node->n_inputs, NULL));
  ok = candela_inference_run (&inference, error) && is_same_answer (&inference, node, error);
  for (guint o = 0; ok && o < node->n_outputs; o++)
    {
      answer->layouts[o] = g_steal_pointer (&inference.out_layouts[o]);
      if (planner->plan->layouts == NULL)
        planner->plan->layouts = g_ptr_array_new_with_free_func ((GDestroyNotify) candela_layout_unref);
      g_ptr_array_add (planner->plan->layouts, answer->layouts[o]);
      answer->aliasing[o] = inference.aliasing[o];
      answer->aliased_input[o] = inference.aliased_input[o];
    }
  candela_inference_clear (&inference);
  return ok;
}

static gboolean
preplan_op (CandelaPlanner *planner, guint32 place, guint32 first, CandelaNode *node, GError **error)
{
  const guint32 *inputs = candela_planner_inputs (planner, &planner->nodes[place]);
  const CandelaOpInfo *info = node->u.op.facts->info;
  gboolean elementwise = info->axes == CANDELA_AXES_ELEMENTWISE;
  gboolean as_in_graph = TRUE;
  gboolean computes = FALSE, refers = FALSE;
  Answer answer;

  /* Where a loop computes, the answer depends on shapes alone. */
  if (elementwise && node->aliasing == CANDELA_ALIASING_NONE)
    {
      for (guint o = 0; o < node->n_outputs; o++)
        set_computed (planner, first + o, node, o, candela_node_output_layout (node, o));
      add_elementwise (planner, place, info);
      return TRUE;
    }
  for (guint i = 0; as_in_graph && i < node->n_inputs; i++)
    {
      const CandelaLayout *real = value_of (planner, inputs[i])->layout;

      as_in_graph = real == node->inputs[i]->layout || candela_layout_equal (real, node->inputs[i]->layout);
    }
  if (as_in_graph)
    answer_from_node (node, &answer);
  else if (!answer_from_op (planner, node, inputs, &answer, error))
    return FALSE;

  for (guint o = 0; o < node->n_outputs; o++)
    {
      guint32 target = node->n_inputs > 0 ? inputs[answer.aliased_input[o]] : 0;

      /* What is packed, perhaps by another takeover, need not be packed again. */
      if (answer.aliasing[o] == CANDELA_ALIASING_TAKEOVER && value_of (planner, target)->layout->contiguous)
        answer.aliasing[o] = CANDELA_ALIASING_ALIAS;
      switch ((CandelaAliasing) answer.aliasing[o])
        {
        case CANDELA_ALIASING_ALIAS:
          set_alias (planner, first + o, node, o, target, tag_for (value_of (planner, target)->layout));
          break;
        case CANDELA_ALIASING_REFERENCE:
          set_reference (planner, first + o, node, o, target, answer.layouts[o]);
          refers = TRUE;
          break;
        case CANDELA_ALIASING_TAKEOVER:
        case CANDELA_ALIASING_NONE:
          set_computed (planner, first + o, node, o, answer.layouts[o]);
          computes = TRUE;
          break;
        }
    }
  if (computes && elementwise)
    add_elementwise (planner, place, info);
  else if (computes || refers)
    add_prestep (planner, place, computes ? CANDELA_STEP_KERNEL : CANDELA_STEP_REFERENCE);
  for (guint o = 0; o < node->n_outputs; o++)
    if (answer.aliasing[o] == CANDELA_ALIASING_TAKEOVER)
      candela_alias_map_takeover (&planner->aliases, first + o, inputs[answer.aliased_input[o]],
                                  CANDELA_TAG_CONTIGUOUS);
  return TRUE;
}

static gboolean
preplan_node (CandelaPlanner *planner, guint32 place, GError **error)
{
  CandelaNode *node = planner->nodes[place].node;
  CandelaPlan *plan = planner->plan;
  CandelaTensor *cached;
  guint32 v = planner->nodes[place].first_value;

  switch ((CandelaNodeKind) node->kind)
    {
    case CANDELA_NODE_EDGE:
      if (node->literal)
        set_leaf (planner, v, node, node->layout, CANDELA_STORAGE_LITERAL, v);
      else
        preplan_tensor (planner, v, node, node->u.tensor, node->layout);
      return TRUE;
    case CANDELA_NODE_SLOT:
      plan->bindings[plan->n_bindings] = node;
      set_leaf (planner, v, node, node->layout, CANDELA_STORAGE_BINDING, plan->n_bindings++);
      return TRUE;
    case CANDELA_NODE_CACHE:
      cached = planner->nodes[place].first_edge == CANDELA_PLAN_NONE ? candela_node_peek_cached (node) : NULL;
      if (cached != NULL)
        preplan_tensor (planner, v, node, cached, candela_tensor_get_layout (cached));
      else
        preplan_cache (planner, place, v, node);
      return TRUE;
    case CANDELA_NODE_BAKED:
      set_computed (planner, v, node, 0, node->layout);
      add_prestep (planner, place, CANDELA_STEP_BAKED);
      return TRUE;
    case CANDELA_NODE_OP:
      return preplan_op (planner, place, v, node, error);
    case CANDELA_NODE_OUTPUT:
      return TRUE;
    }
  return TRUE;
}

/* A node whose layout is made from that of its input; a takeover's is packed,
 * whatever it is made from. */
static gboolean
passes_layout_on (const CandelaNode *node)
{
  return node->kind == CANDELA_NODE_OUTPUT
         || (node->kind == CANDELA_NODE_OP && node->u.op.facts->info->axes != CANDELA_AXES_ELEMENTWISE
             && (node->aliasing == CANDELA_ALIASING_ALIAS || node->aliasing == CANDELA_ALIASING_REFERENCE
                 || node->u.op.outputs != NULL));
}

/* Whether a node gets what the graph names. */
static inline gboolean
is_exact (const CandelaPlanner *planner, guint32 place)
{
  return planner->exact != NULL
         && (planner->nodes[place].told || (planner->exact[place] && passes_layout_on (planner->nodes[place].node)));
}

/* Walks the list backwards from the ops that their operands' layouts may tell. */
static void
mark_exact (CandelaPlanner *planner)
{
  if (planner->n_told == 0)
    return;
  planner->exact = candela_arena_new0 (&planner->arena, guint8, planner->n_nodes);
  for (guint32 place = planner->n_nodes; place-- > 0;)
    {
      const CandelaPlannerNode *node = &planner->nodes[place];

      if (is_exact (planner, place))
        for (guint32 i = 0; i < node->n_inputs; i++)
          planner->exact[candela_planner_inputs (planner, node)[i]] = TRUE;
    }
}

/* Room for as much as there can be of everything. */
static gboolean
allocate (CandelaPlanner *planner)
{
  CandelaPlan *plan = planner->plan;
  guint32 n_values = planner->n_values;

  if (planner->n_values > G_MAXUINT32 / 4)
    return FALSE;
  plan->n_values = n_values;
  plan->values = candela_arena_new (&plan->arena, CandelaPlanValue, n_values);
  plan->tensors = candela_arena_new (&plan->arena, CandelaTensor *, planner->n_leaves);
  plan->bindings = candela_arena_new (&plan->arena, CandelaNode *, planner->n_leaves);
  plan->caches = candela_arena_new (&plan->arena, guint32, planner->n_caches);
  plan->cache_nodes = candela_arena_new (&plan->arena, CandelaNode *, planner->n_caches);
  planner->base = candela_arena_new (&planner->arena, guint32, n_values);
  planner->pins = candela_arena_new0 (&planner->arena, guint8, n_values);
  planner->presteps = candela_arena_new (&planner->arena, CandelaPreStep, planner->n_nodes);
  candela_alias_map_init (&planner->aliases, n_values);
  return TRUE;
}

/* The snapshot: the values that a node reads, in the place of the nodes. */
static void
resolve_inputs (CandelaPlanner *planner, guint32 place)
{
  const CandelaPlannerNode *node = &planner->nodes[place];
  gboolean exact = is_exact (planner, place);
  guint32 *inputs = candela_planner_inputs (planner, node);

  for (guint32 i = 0; i < node->n_inputs; i++)
    {
      guint32 value = planner->nodes[inputs[i]].first_value;

      if (!exact)
        inputs[i] = candela_alias_map_resolve (&planner->aliases, value);
      else
        inputs[i] = candela_planner_is_name (planner, value) ? planner->names[value] : value;
    }
}

gboolean
candela_planner_preplan (CandelaPlanner *planner, GError **error)
{
  CandelaPlan *plan = planner->plan;

  if (!allocate (planner))
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "a plan has room for %u values", G_MAXUINT32 / 4);
      return FALSE;
    }
  mark_exact (planner);
  for (guint32 place = 0; place < planner->n_nodes; place++)
    {
      candela_planner_fetch (planner, place + CANDELA_PLANNER_AHEAD);
      resolve_inputs (planner, place);
      if (!preplan_node (planner, place, error))
        return FALSE;
    }

  if (planner->too_large)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY,
                   "plan: the values have more than %" G_GINT64_FORMAT " bytes together", G_MAXINT64);
      return FALSE;
    }

  /* A root may be an alias, or feed another root: it is its owner that must last. */
  plan->root_values = candela_arena_new (&plan->arena, guint32, plan->n_roots);
  for (guint r = 0; r < plan->n_roots; r++)
    {
      plan->root_values[r] =
        candela_alias_map_resolve (&planner->aliases, planner->nodes[planner->root_nodes[r]].first_value);
      planner->pins[planner->base[plan->root_values[r]]] = CANDELA_PIN_ROOT;
    }
  return TRUE;
}
