/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The planner at work. Its passes, in order, each a file that reads from top to
 * bottom:
 *
 *   order    the graph as a list, inputs before consumers
 *   preplan  what each node's value is (its own, an alias, a reference), and from
 *            which values it reads: frozen where it stands in the list
 *   region   which element-wise steps become one
 *   emit     the steps, and what lies between the parts of one
 *   rows     which steps run together, a block of rows or columns after the other
 *   assign   lifetimes, in place, reuse: the five ways to produce an output
 *
 * All state is flat arrays; nodes, values and steps are their indices. */
#pragma once

#include <candela/plan/alias-private.h>
#include <candela/plan/plan-private.h>
#include <candela/value/dtype-private.h>

G_BEGIN_DECLS

/* A node of the list, with what the passes ask of it most: those of a large graph lie
 * anywhere in memory. */
typedef struct
{
  CandelaNode *node;
  guint32 first_edge; /* in edges; CANDELA_PLAN_NONE: a cache that was filled */
  guint32 first_value;
  guint32 n_inputs; /* 0 for a cache that was filled */
  guint8 kind;      /* CandelaNodeKind */
  guint8 n_outputs; /* 0 for a projection: its value is that of the node that it projects */
  guint8 told;      /* an op that its inputs' layouts may tell */
} CandelaPlannerNode;

/* A node of the list that does something. */
typedef struct
{
  guint32 node;      /* its place in the list */
  guint8 kind;       /* CandelaStepKind; FUSED also for a single element-wise op */
  guint8 results;    /* of a member of a region that is not its last: the outputs that others read too, as bits */
  guint8 fuses;      /* it may be a member of a region */
  guint8 same_index; /* element-wise: whatever it reads it may write over, index by index */
  guint32 region;    /* the last step of its region; itself if alone */
  guint32 first;     /* of the last step of a region: the region's first */
  guint32 next;      /* in its region; CANDELA_PLAN_NONE after the last */
} CandelaPreStep;

/* Why a value must outlive the run. */
typedef enum {
  CANDELA_PIN_NONE,
  CANDELA_PIN_ROOT,
  CANDELA_PIN_CACHE
} CandelaPin;

typedef struct
{
  CandelaPlan *plan; /* being made */
  CandelaPlanFlags flags;
  CandelaArena arena; /* of all arrays here, which go when the plan is made */

  /* order: */
  CandelaPlannerNode *nodes;
  guint32 n_nodes;
  guint32 *edges; /* input nodes; from preplan on, the values they resolve to */
  guint32 *root_nodes;
  guint64 n_values;
  guint32 n_leaves, n_caches, n_told;
  guint depth; /* of plans within the plan */

  /* preplan: */
  guint32 *base; /* of each value: the one whose buffer it lies in */
  guint32
    *names; /* of each value: the one that it is merely a name of; CANDELA_PLAN_NONE if it is no name; NULL: none */
  guint8 *exact; /* of each node: an op that its layout may tell reads it; NULL: no node has such a reader */
  guint8 *pins;  /* of each base: CandelaPin */
  CandelaAliasMap aliases;
  CandelaPreStep *presteps;
  guint32 n_presteps;
  gboolean too_large; /* more bytes than can be counted */
} CandelaPlanner;

gboolean candela_planner_order (CandelaPlanner *planner, GError **error);
gboolean candela_planner_preplan (CandelaPlanner *planner, GError **error);
void candela_planner_form_regions (CandelaPlanner *planner);
void candela_planner_emit_steps (CandelaPlanner *planner);
void candela_planner_group_rows (CandelaPlanner *planner);
void candela_planner_assign (CandelaPlanner *planner);

/* The values that a node reads; the nodes, before preplan. */
static inline guint32 *
candela_planner_inputs (const CandelaPlanner *planner, const CandelaPlannerNode *node)
{
  return planner->edges + node->first_edge;
}

/* Whether a value is merely another's name. */
static inline gboolean
candela_planner_is_name (const CandelaPlanner *planner, guint32 value)
{
  return planner->names != NULL && planner->names[value] != CANDELA_PLAN_NONE;
}

static inline const CandelaOpFacts *
candela_planner_facts (const CandelaPlanner *planner, guint32 node)
{
  return planner->nodes[node].node->u.op.facts;
}

/* How far ahead of where a pass is, and how many of what is read there. */
#define CANDELA_PLANNER_AHEAD 16
#define CANDELA_PLANNER_FETCHED 4

/* Has the caches fetch a node that is looked at soon: those of a large graph lie
 * anywhere in memory. */
static inline void
candela_planner_fetch (const CandelaPlanner *planner, guint32 place)
{
  if (place < planner->n_nodes)
    {
      __builtin_prefetch (planner->nodes[place].node);
      __builtin_prefetch ((const guint8 *) planner->nodes[place].node + 64);
    }
}

/* Bytes of a value with a packed buffer of its own. */
static inline gsize
candela_plan_value_bytes (const CandelaPlanValue *value)
{
  return (gsize) value->layout->n_elements * candela_dtype_size (value->dtype);
}

G_END_DECLS
