/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Third pass: which element-wise steps run as one pass over tiles. A region has
 * one last step, whose outputs are the region's; every other member is read by
 * members alone, so what it computes need never be stored.
 *
 * Such a region is convex: a path that leaves it can only start at its last
 * step, and so cannot come back.
 *
 * The list is walked backwards, and a region takes only what stands directly
 * before it (references aside, which compute nothing). It then costs no memory:
 * when its first member ran alone, all that the region reads was there already,
 * and beside it stood that member's own result. So fusing needs no more than
 * running one by one, as long as the region's results are no larger than the
 * first member's; or the member reads nothing that the plan could free.
 *
 * The inputs were frozen before, each at its own place in the list. A region
 * runs at the place of its last member, and what its members froze is still
 * right there: a value that has been taken over in between exists as before, and
 * lifetimes are counted by regions. */
#include <candela/plan/planner-private.h>

#define READ_BY_SEVERAL (CANDELA_PLAN_NONE - 1)

/* A tile runs through all parts before anything can be cancelled. */
#define MAX_PARTS 256

typedef struct
{
  guint32 last; /* prestep; CANDELA_PLAN_NONE: no region is open */
  guint32 n_parts;
  gsize bytes; /* of its outputs */
} OpenRegion;

static gsize
output_bytes (const CandelaPlanner *planner, guint32 step)
{
  guint32 place = planner->presteps[step].node;
  gsize bytes = 0;

  for (guint o = 0; o < planner->nodes[place]->n_outputs; o++)
    bytes += candela_plan_value_bytes (&planner->plan->values[planner->first_value[place] + o]);
  return bytes;
}

static gboolean
reads_slots (const CandelaPlanner *planner, guint32 place)
{
  const guint32 *inputs = planner->edges + planner->first_edge[place];

  for (guint32 i = 0; i < planner->nodes[place]->n_inputs; i++)
    if (planner->plan->values[inputs[i]].storage == CANDELA_STORAGE_SLOT)
      return TRUE;
  return FALSE;
}

static gboolean
joins (const CandelaPlanner *planner, const OpenRegion *region, guint32 step, const guint32 *readers)
{
  guint32 place = planner->presteps[step].node;
  guint32 first = planner->first_value[place];
  gboolean read = FALSE;

  if (region->last == CANDELA_PLAN_NONE || region->n_parts == MAX_PARTS)
    return FALSE;
  for (guint o = 0; o < planner->nodes[place]->n_outputs; o++)
    {
      if (planner->pins[first + o] != CANDELA_PIN_NONE)
        return FALSE;
      if (readers[first + o] != CANDELA_PLAN_NONE && readers[first + o] != region->last)
        return FALSE;
      read = read || readers[first + o] == region->last;
    }
  return read
         && candela_layout_same_shape (planner->nodes[place]->layout,
                                       planner->nodes[planner->presteps[region->last].node]->layout)
         && (region->bytes <= output_bytes (planner, step) || !reads_slots (planner, place));
}

static void
read_inputs (const CandelaPlanner *planner, guint32 step, guint32 *readers)
{
  guint32 place = planner->presteps[step].node;
  const guint32 *inputs = planner->edges + planner->first_edge[place];
  guint32 reader =
    planner->presteps[step].kind == CANDELA_STEP_FUSED ? planner->presteps[step].region : READ_BY_SEVERAL;

  for (guint32 i = 0; i < planner->nodes[place]->n_inputs; i++)
    readers[inputs[i]] =
      readers[inputs[i]] == CANDELA_PLAN_NONE || readers[inputs[i]] == reader ? reader : READ_BY_SEVERAL;
}

/* What has state runs whole, so that two such steps do not take turns. */
static gboolean
may_fuse (const CandelaPlanner *planner, guint32 step)
{
  return planner->presteps[step].kind == CANDELA_STEP_FUSED
         && candela_planner_facts (planner, planner->presteps[step].node)->info->effect == CANDELA_EFFECT_PURE;
}

void
candela_planner_form_regions (CandelaPlanner *planner)
{
  g_autofree guint32 *readers = NULL; /* of each value: the one region that reads it */
  OpenRegion region = { .last = CANDELA_PLAN_NONE };

  if ((planner->flags & CANDELA_PLAN_NO_FUSION) != 0)
    return;

  readers = g_new (guint32, planner->plan->n_values);
  for (guint32 v = 0; v < planner->plan->n_values; v++)
    readers[v] = CANDELA_PLAN_NONE;
  for (guint32 step = planner->n_presteps; step-- > 0;)
    {
      CandelaPreStep *prestep = &planner->presteps[step];

      if (may_fuse (planner, step) && joins (planner, &region, step, readers))
        {
          prestep->region = region.last;
          prestep->next = planner->presteps[region.last].first;
          planner->presteps[region.last].first = step;
          region.n_parts++;
        }
      else if (may_fuse (planner, step))
        region = (OpenRegion){ .last = step, .n_parts = 1, .bytes = output_bytes (planner, step) };
      else if (prestep->kind != CANDELA_STEP_REFERENCE)
        region.last = CANDELA_PLAN_NONE;
      read_inputs (planner, step, readers);
    }
}
