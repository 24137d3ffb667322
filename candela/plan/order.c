/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * First pass: the graph as a list, every node after its inputs. A depth-first
 * walk in post-order with a stack of its own, so that depth costs heap and not
 * stack. A node that several read stands in the list once; a cache that is
 * filled is a leaf, whatever is below it.
 *
 * Whether a node is listed already is asked for every edge. One planner at a
 * time, the one that got the lock, notes each node's place in the node itself and
 * believes a note if the list agrees: what older plans left there cannot
 * mislead it. Planners that come meanwhile do not wait but use a hash table. */
#include <candela/plan/planner-private.h>

#include <pthread.h>

/* What there is room for to begin with. */
#define FEW 32

typedef struct
{
  CandelaNode *node;
  guint32 first_edge;
  guint32 n_inputs; /* settled here: a cache may be filled meanwhile */
  guint32 next_input;
} Frame;

typedef struct
{
  CandelaPlanner *planner;
  GHashTable *places; /* node to its place in the list, plus one; NULL: the nodes know */
  Frame *stack;
  gsize n_stack, stack_size;
  gsize n_edges, edges_size;
  gsize nodes_size;
} Walk;

static guint32
find_place (const Walk *walk, CandelaNode *node)
{
  guint32 place = walk->places == NULL ? node->place : GPOINTER_TO_UINT (g_hash_table_lookup (walk->places, node)) - 1;

  return place < walk->planner->n_nodes && walk->planner->nodes[place].node == node ? place : CANDELA_PLAN_NONE;
}

static void
push (Walk *walk, CandelaNode *node)
{
  gboolean filled = node->kind == CANDELA_NODE_CACHE && candela_node_peek_cached (node) != NULL;
  guint32 n_inputs = filled ? 0 : node->n_inputs;
  CandelaArena *arena = &walk->planner->arena;

  if (walk->n_stack == walk->stack_size)
    {
      walk->stack_size *= 2;
      walk->stack = candela_arena_grow (arena, walk->stack, walk->n_stack, walk->stack_size, sizeof (Frame));
    }
  if (walk->n_edges + n_inputs > walk->edges_size)
    {
      walk->edges_size = 2 * (walk->n_edges + n_inputs);
      walk->planner->edges =
        candela_arena_grow (arena, walk->planner->edges, walk->n_edges, walk->edges_size, sizeof (guint32));
    }
  walk->stack[walk->n_stack++] = (Frame){ node, filled ? CANDELA_PLAN_NONE : walk->n_edges, n_inputs, 0 };
  walk->n_edges += n_inputs;
  /* They are looked at one after the other, each when all below the last is listed; and
   * what they read is not where they begin. */
  for (guint32 i = 0; i < n_inputs; i++)
    {
      __builtin_prefetch (node->inputs[i]);
      __builtin_prefetch (node->inputs[i]->inputs);
    }
}

static gboolean
is_told_by_layout (const CandelaNode *node)
{
  return node->kind == CANDELA_NODE_OP && node->u.op.facts->info->determinism == CANDELA_DETERMINISM_PER_LAYOUT;
}

/* The node is in the caches now: what the other passes ask is noted. */
static void
note (CandelaPlanner *planner, guint32 place, const Frame *frame)
{
  CandelaNode *node = frame->node;
  CandelaPlannerNode *noted = &planner->nodes[place];

  *noted = (CandelaPlannerNode){ .node = node,
                                 .first_edge = frame->first_edge,
                                 .first_value = planner->n_values,
                                 .n_inputs = frame->n_inputs,
                                 .kind = node->kind,
                                 .n_outputs = node->n_outputs,
                                 .told = is_told_by_layout (node) };
  planner->n_values += node->n_outputs;
  planner->n_leaves += node->kind != CANDELA_NODE_OP;
  planner->n_caches += node->kind == CANDELA_NODE_CACHE;
  planner->n_told += noted->told;
  if (node->kind == CANDELA_NODE_OUTPUT)
    noted->first_value = planner->nodes[planner->edges[frame->first_edge]].first_value + node->u.output;
  else if (node->kind == CANDELA_NODE_BAKED)
    planner->depth = MAX (planner->depth, 1 + ((const CandelaPlan *) node->u.baked.plan)->depth);
}

/* The node's inputs are all listed: so is the node. */
static guint32
list (Walk *walk, const Frame *frame)
{
  CandelaPlanner *planner = walk->planner;
  guint32 place = planner->n_nodes++;

  if (place == walk->nodes_size)
    {
      walk->nodes_size *= 2;
      planner->nodes =
        candela_arena_grow (&planner->arena, planner->nodes, place, walk->nodes_size, sizeof (CandelaPlannerNode));
    }
  note (planner, place, frame);
  if (walk->places == NULL)
    frame->node->place = place;
  else
    g_hash_table_insert (walk->places, frame->node, GUINT_TO_POINTER (place + 1));
  return place;
}

static guint32
walk_from (Walk *walk, CandelaNode *root)
{
  guint32 place = find_place (walk, root);
  gsize bottom = walk->n_stack;

  if (place != CANDELA_PLAN_NONE)
    return place;
  push (walk, root);
  while (walk->n_stack > bottom)
    {
      Frame *frame = &walk->stack[walk->n_stack - 1];
      CandelaNode *input = NULL;

      for (; frame->next_input < frame->n_inputs; frame->next_input++)
        {
          input = frame->node->inputs[frame->next_input];
          place = find_place (walk, input);
          if (place == CANDELA_PLAN_NONE && input->n_inputs > 0)
            break;
          if (place == CANDELA_PLAN_NONE)
            place = list (walk, &(Frame){ .node = input, .first_edge = walk->n_edges });
          walk->planner->edges[frame->first_edge + frame->next_input] = place;
        }
      if (frame->next_input < frame->n_inputs)
        {
          push (walk, input);
          continue;
        }
      place = list (walk, frame);
      walk->n_stack--;
      if (walk->n_stack > bottom)
        {
          Frame *parent = &walk->stack[walk->n_stack - 1];

          walk->planner->edges[parent->first_edge + parent->next_input++] = place;
        }
    }
  return place;
}

gboolean
candela_planner_order (CandelaPlanner *planner, GError **error)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one that ThreadSanitizer knows */
  gboolean locked = pthread_mutex_trylock (&lock) == 0;
  Walk walk = { .planner = planner, .places = locked ? NULL : g_hash_table_new (NULL, NULL) };

  walk.stack_size = walk.edges_size = walk.nodes_size = FEW;
  walk.stack = candela_arena_new (&planner->arena, Frame, FEW);
  planner->edges = candela_arena_new (&planner->arena, guint32, FEW);
  planner->nodes = candela_arena_new (&planner->arena, CandelaPlannerNode, FEW);
  planner->root_nodes = candela_arena_new (&planner->arena, guint32, planner->plan->n_roots);
  for (guint r = 0; r < planner->plan->n_roots; r++)
    planner->root_nodes[r] = walk_from (&walk, planner->plan->roots[r]);
  if (locked)
    pthread_mutex_unlock (&lock);
  g_clear_pointer (&walk.places, g_hash_table_unref);
  if (walk.n_edges >= G_MAXUINT32 / 4)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY,
                   "a plan has room for %u edges; the graph has %" G_GSIZE_FORMAT, G_MAXUINT32 / 4, walk.n_edges);
      return FALSE;
    }
  return TRUE;
}
