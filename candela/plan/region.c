/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Third pass: which element-wise steps run as one pass over tiles. A region runs
 * at the place of its last member. What its other members compute is read by
 * members, and stored only if somebody else wants it as well.
 *
 * The list is walked backwards. A step joins the region behind it if members
 * read it, or read an array of their shape that it reads too, and whoever else reads
 * it stands behind the region. Such a region is convex: a path that leaves it ends
 * behind it, and so cannot come back. What stands between members and is none itself (a
 * product, say, whose result a later member reads) then runs before the region.
 *
 * Fusing never costs memory. Let a region's weight be the bytes of its results
 * and of those inputs that could be freed after it: more than that, and than what
 * others need anyway, is not held while it runs. A step may join
 *
 *   - if what it adds to the inputs is no more than what it takes from them,
 *     namely its own result: the weight does not grow, and of the two what is
 *     held between the step's place and the region's is the smaller;
 *   - or, when nothing that computes stands between it and the region, if its own
 *     result is as large as all results of the region: when the step ran alone,
 *     all inputs of the region were there already, and beside them that result.
 *
 * The inputs were frozen before, each at its own place in the list. A region
 * runs at the place of its last member, and what its members froze is still
 * right there: a value that has been taken over in between exists as before, and
 * lifetimes are counted by regions. */
#include <candela/plan/planner-private.h>

/* A tile runs through all parts before anything can be cancelled. */
#define MAX_PARTS 256

typedef struct
{
  guint32 last; /* prestep; CANDELA_PLAN_NONE: no region is open */
  guint32 n_parts, n_results;
  gsize result_bytes;
  gboolean adjacent; /* nothing that computes stands between its members */
} OpenRegion;

/* Who reads a value, as far as the list has been walked. */
typedef struct
{
  guint32 region;  /* whose member reads it */
  guint32 nearest; /* step that is no member and reads it; CANDELA_PLAN_NONE: there is none */
  guint32 last;    /* of a base: the last place where it is read; CANDELA_PLAN_NONE: nowhere */
  guint32 counted; /* of a base: the region that counts it among the inputs that can be freed after it */
  gsize bytes;     /* of a base; 0: it is not to be freed before the run ends */
} Reads;

/* What changes if a step joins. */
typedef struct
{
  gsize added, removed; /* bytes of inputs that can be freed after the region */
  gsize bytes;          /* of all the step's outputs */
  gsize result_bytes;
  guint n_results;
  guint8 results; /* outputs that somebody else wants too */
} Change;

static Reads *
make_reads (CandelaPlanner *planner)
{
  const CandelaPlan *plan = planner->plan;
  Reads *reads = candela_arena_new (&planner->arena, Reads, plan->n_values);

  for (guint32 v = 0; v < plan->n_values; v++)
    {
      gboolean freed = plan->values[v].storage == CANDELA_STORAGE_SLOT && planner->base[v] == v
                       && planner->pins[v] == CANDELA_PIN_NONE;

      reads[v] = (Reads){ CANDELA_PLAN_NONE, CANDELA_PLAN_NONE, CANDELA_PLAN_NONE, CANDELA_PLAN_NONE,
                          freed ? candela_plan_value_bytes (&plan->values[v]) : 0 };
    }
  return reads;
}

/* Has the caches fetch what a step that comes soon looks at: it reads values from
 * anywhere. */
static void
fetch (const CandelaPlanner *planner, guint32 step, const Reads *reads)
{
  const CandelaPlannerNode *node;

  if (step < CANDELA_PLANNER_AHEAD)
    return;
  node = &planner->nodes[planner->presteps[step - CANDELA_PLANNER_AHEAD].node];
  for (guint32 i = 0; i < MIN (node->n_inputs, CANDELA_PLANNER_FETCHED); i++)
    __builtin_prefetch (&reads[candela_planner_inputs (planner, node)[i]], 1);
}

static gsize
count_inputs (const CandelaPlanner *planner, guint32 step, guint32 last, Reads *reads)
{
  const CandelaPlannerNode *node = &planner->nodes[planner->presteps[step].node];
  const guint32 *inputs = candela_planner_inputs (planner, node);
  gsize bytes = 0;

  for (guint32 i = 0; i < node->n_inputs; i++)
    {
      Reads *base = &reads[planner->base[inputs[i]]];

      if (base->bytes == 0 || base->counted == last || (base->last != CANDELA_PLAN_NONE && base->last > last))
        continue;
      base->counted = last;
      bytes += base->bytes;
    }
  return bytes;
}

/* What several members read comes from memory once. */
static gboolean
shares_input (const CandelaPlanner *planner, const CandelaPlannerNode *node, guint32 last, const Reads *reads)
{
  const guint32 *inputs = candela_planner_inputs (planner, node);
  const CandelaPlanValue *values = planner->plan->values;

  for (guint32 i = 0; i < node->n_inputs; i++)
    if (reads[inputs[i]].region == last
        && candela_layout_same_shape (values[inputs[i]].layout, values[node->first_value].layout))
      return TRUE;
  return FALSE;
}

/* FALSE if the step has nothing to do with the region, or its outputs are for somebody before it too. */
static gboolean
weigh_outputs (const CandelaPlanner *planner, guint32 step, guint32 last, const Reads *reads, Change *change)
{
  const CandelaPlannerNode *node = &planner->nodes[planner->presteps[step].node];
  gboolean read = FALSE;

  for (guint o = 0; o < node->n_outputs; o++)
    {
      guint32 v = node->first_value + o;
      gsize bytes = candela_plan_value_bytes (&planner->plan->values[v]);
      gboolean elsewhere = reads[v].region != last && reads[v].region != CANDELA_PLAN_NONE;

      if (reads[v].nearest < last)
        return FALSE;
      read = read || reads[v].region == last;
      change->bytes += bytes;
      if (reads[v].counted == last)
        change->removed += bytes;
      if (elsewhere || reads[v].nearest != CANDELA_PLAN_NONE || planner->pins[v] != CANDELA_PIN_NONE)
        {
          change->results |= 1u << o;
          change->result_bytes += bytes;
          change->n_results++;
        }
    }
  return read || shares_input (planner, node, last, reads);
}

static gboolean
is_of_shape (const CandelaPlanner *planner, guint32 step, guint32 other)
{
  guint32 a = planner->nodes[planner->presteps[step].node].first_value;
  guint32 b = planner->nodes[planner->presteps[other].node].first_value;
  const CandelaPlanValue *values = planner->plan->values;

  return values[a].layout == values[b].layout || candela_layout_same_shape (values[a].layout, values[b].layout);
}

static gboolean
joins (const CandelaPlanner *planner, const OpenRegion *region, guint32 step, Reads *reads, Change *change)
{
  if (region->last == CANDELA_PLAN_NONE || region->n_parts == MAX_PARTS || !is_of_shape (planner, step, region->last)
      || !weigh_outputs (planner, step, region->last, reads, change)
      || region->n_results + change->n_results > CANDELA_MAX_OUTPUTS)
    return FALSE;
  change->added = count_inputs (planner, step, region->last, reads);
  return change->added <= change->removed
         || (region->adjacent && region->result_bytes + change->result_bytes <= change->bytes);
}

static void
open_region (const CandelaPlanner *planner, OpenRegion *region, guint32 step, Reads *reads)
{
  const CandelaPlannerNode *node = &planner->nodes[planner->presteps[step].node];

  *region = (OpenRegion){ .last = step, .n_parts = 1, .n_results = node->n_outputs, .adjacent = TRUE };
  for (guint o = 0; o < node->n_outputs; o++)
    region->result_bytes += candela_plan_value_bytes (&planner->plan->values[node->first_value + o]);
  count_inputs (planner, step, step, reads);
}

static void
join (CandelaPlanner *planner, OpenRegion *region, guint32 step, const Change *change)
{
  CandelaPreStep *prestep = &planner->presteps[step];

  prestep->results = change->results;
  prestep->region = region->last;
  prestep->next = planner->presteps[region->last].first;
  planner->presteps[region->last].first = step;
  region->n_parts++;
  region->n_results += change->n_results;
  region->result_bytes += change->result_bytes;
}

static void
read_inputs (const CandelaPlanner *planner, guint32 step, gboolean member, Reads *reads)
{
  const CandelaPlannerNode *node = &planner->nodes[planner->presteps[step].node];
  const guint32 *inputs = candela_planner_inputs (planner, node);
  guint32 at = planner->presteps[step].region;

  for (guint32 i = 0; i < node->n_inputs; i++)
    {
      Reads *value = &reads[inputs[i]], *base = &reads[planner->base[inputs[i]]];

      /* The members of an earlier region, behind this one, are anybody. */
      if (member && value->region != at && value->region != CANDELA_PLAN_NONE)
        value->nearest = MIN (value->nearest, value->region);
      if (member)
        value->region = at;
      else
        value->nearest = step;
      if (base->last == CANDELA_PLAN_NONE || base->last < at)
        base->last = at;
    }
}

void
candela_planner_form_regions (CandelaPlanner *planner)
{
  Reads *reads;
  OpenRegion region = { .last = CANDELA_PLAN_NONE };

  if ((planner->flags & CANDELA_PLAN_NO_FUSION) != 0)
    return;

  reads = make_reads (planner);
  for (guint32 step = planner->n_presteps; step-- > 0;)
    {
      gboolean member = planner->presteps[step].fuses;
      Change change = { 0 };

      fetch (planner, step, reads);
      if (member && joins (planner, &region, step, reads, &change))
        join (planner, &region, step, &change);
      else if (member)
        open_region (planner, &region, step, reads);
      else if (planner->presteps[step].kind == CANDELA_STEP_FUSED)
        region.last = CANDELA_PLAN_NONE;
      else if (planner->presteps[step].kind != CANDELA_STEP_REFERENCE)
        region.adjacent = FALSE;
      read_inputs (planner, step, member, reads);
    }
}
