/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Fourth pass, second half: which slot each buffer gets, and when a slot is
 * freed.
 *
 * Freeing every buffer after its last reader and sharing none would hold some
 * bytes at each step; the most of them is the peak that no plan over these
 * buffers can go below. A slot that is given to a later buffer, instead of being
 * freed, is held in between, and may be larger than the buffer needs. Both are
 * allowed only where the sum stays within that peak, so sharing saves
 * allocations and never costs memory. The smallest free slot that is large
 * enough is taken (best fit), and among equals the one freed last. */
#include <candela/plan/buffers-private.h>
#include <candela/plan/profile-private.h>

/* How many free slots are looked at for one buffer. */
#define MAX_CANDIDATES 4

typedef struct
{
  gsize bytes;
  guint32 end;  /* of its last buffer */
  guint32 next; /* of that size; CANDELA_PLAN_NONE after the last */
} FreeSlot;

/* The free slots of a size: those freed last first, and of these in their order. */
typedef struct
{
  gsize bytes;
  guint32 first; /* CANDELA_PLAN_NONE: there is none now */
} FreeSize;

typedef struct
{
  CandelaBuffers *buffers;
  CandelaPlan *plan;
  GTree *sizes;           /* FreeSizes, which are keys and values of themselves; NULL before the first */
  FreeSize *size;         /* of the last slot that was freed: most are of one size */
  FreeSlot *free_slots;   /* of each slot */
  guint64 *held;          /* at each step, if every buffer is freed at once and none shared; then the profile's */
  guint64 bound;          /* the most of them */
  CandelaProfile profile; /* made when first asked */
} Assignment;

static int
compare_sizes (gconstpointer a, gconstpointer b)
{
  const FreeSize *one = a, *other = b;

  return (one->bytes > other->bytes) - (one->bytes < other->bytes);
}

static guint32
last_step (const Assignment *assignment, const CandelaPlanBuffer *buffer)
{
  return buffer->end == CANDELA_PLAN_NONE ? assignment->plan->n_steps - 1 : buffer->end;
}

/* A plan within the plan holds its own peak while it runs, and packed copies of
 * those of its inputs that are not packed. */
static guint64
baked_bytes (const CandelaPlan *plan, const CandelaPlanStep *step)
{
  guint64 bytes = ((const CandelaPlan *) plan->parts[step->first_part].node->u.baked.plan)->peak_bytes;

  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      const CandelaPlanValue *value = &plan->values[plan->inputs[step->first_input + i]];

      if (!value->layout->contiguous || value->layout->offset != 0)
        bytes += candela_plan_value_bytes (value);
    }
  return bytes;
}

static void
count_held (Assignment *assignment)
{
  CandelaPlan *plan = assignment->plan;
  guint64 *held = candela_arena_new0 (&assignment->buffers->planner->arena, guint64, (gsize) plan->n_steps + 1);

  for (guint32 b = 0; b < assignment->buffers->n; b++)
    {
      const CandelaPlanBuffer *buffer = &assignment->buffers->buffers[b];

      held[buffer->start] += buffer->bytes;
      held[last_step (assignment, buffer) + 1] -= buffer->bytes;
    }
  for (guint32 s = 1; s <= plan->n_steps; s++)
    held[s] += held[s - 1];
  for (guint32 s = 0; plan->depth > 0 && s < plan->n_steps; s++)
    if (plan->steps[s].kind == CANDELA_STEP_BAKED)
      held[s] += baked_bytes (plan, &plan->steps[s]);
  for (guint32 s = 0; s < plan->n_steps; s++)
    assignment->bound = MAX (assignment->bound, held[s]);
  assignment->held = held;
}

/* Holds the slot from its last buffer to this one, and beyond the buffer's size;
 * FALSE if that would raise the peak. */
static gboolean
hold (Assignment *assignment, const FreeSlot *free_slot, const CandelaPlanBuffer *buffer)
{
  CandelaProfile *profile = &assignment->profile;
  guint32 gap = free_slot->end + 1;
  guint32 last = last_step (assignment, buffer);
  gsize excess = free_slot->bytes - buffer->bytes;

  /* What outlives the run is of just its size. */
  if (excess != 0 && buffer->end == CANDELA_PLAN_NONE)
    return FALSE;
  if (excess == 0 && gap == buffer->start)
    return TRUE;
  /* No less is held than if nothing were shared. */
  if (gap < buffer->start
      && (assignment->held[gap] + free_slot->bytes > assignment->bound
          || assignment->held[buffer->start - 1] + free_slot->bytes > assignment->bound))
    return FALSE;
  if (excess != 0 && assignment->held[buffer->start] + excess > assignment->bound)
    return FALSE;
  if (profile->n_levels == 0)
    candela_profile_init (profile, assignment->held, assignment->plan->n_steps);
  if (gap < buffer->start
      && candela_profile_get_max (profile, gap, buffer->start - 1) + free_slot->bytes > assignment->bound)
    return FALSE;
  if (excess != 0 && candela_profile_get_max (profile, buffer->start, last) + excess > assignment->bound)
    return FALSE;
  if (gap < buffer->start)
    candela_profile_add (profile, gap, buffer->start - 1, free_slot->bytes);
  candela_profile_add (profile, buffer->start, last, excess);
  return TRUE;
}

/* The least size from so many bytes on of which there are free slots. Larger ones of which
 * there are none are forgotten on the way. */
static FreeSize *
find_size (Assignment *assignment, gsize bytes)
{
  const FreeSize least = { .bytes = bytes };
  GTreeNode *node;

  if (assignment->size != NULL && assignment->size->bytes == bytes && assignment->size->first != CANDELA_PLAN_NONE)
    return assignment->size;
  while ((node = g_tree_lower_bound (assignment->sizes, &least)) != NULL)
    {
      FreeSize *size = g_tree_node_value (node);

      if (size->first != CANDELA_PLAN_NONE)
        return size;
      if (assignment->size == size)
        assignment->size = NULL;
      g_tree_remove (assignment->sizes, size);
    }
  return NULL;
}

/* The free slot for a buffer, taken from the free ones; or none. */
static guint32
find_slot (Assignment *assignment, const CandelaPlanBuffer *buffer)
{
  guint n = 0;

  if (assignment->sizes == NULL || buffer->bytes == 0)
    return CANDELA_PLAN_NONE;
  for (gsize bytes = buffer->bytes; n < MAX_CANDIDATES; bytes++)
    {
      FreeSize *size = find_size (assignment, bytes);

      if (size == NULL)
        break;
      for (guint32 *at = &size->first; *at != CANDELA_PLAN_NONE && n < MAX_CANDIDATES; n++)
        {
          guint32 slot = *at;

          if (hold (assignment, &assignment->free_slots[slot], buffer))
            {
              *at = assignment->free_slots[slot].next;
              return slot;
            }
          at = &assignment->free_slots[slot].next;
        }
      bytes = size->bytes;
    }
  return CANDELA_PLAN_NONE;
}

static FreeSize *
add_size (Assignment *assignment, gsize bytes)
{
  FreeSize *size = assignment->size;

  if (size != NULL && size->bytes == bytes)
    return size;
  if (assignment->sizes == NULL)
    assignment->sizes = g_tree_new (compare_sizes);
  size = g_tree_lookup (assignment->sizes, &(FreeSize){ .bytes = bytes });
  if (size == NULL)
    {
      size = candela_arena_new (&assignment->buffers->planner->arena, FreeSize, 1);
      *size = (FreeSize){ bytes, CANDELA_PLAN_NONE };
      g_tree_insert (assignment->sizes, size, size);
    }
  return assignment->size = size;
}

/* It is among those freed last. */
static void
add_free_slot (Assignment *assignment, guint32 slot, gsize bytes, guint32 end)
{
  guint32 *at = &add_size (assignment, bytes)->first;

  while (*at < slot && assignment->free_slots[*at].end == end)
    at = &assignment->free_slots[*at].next;
  assignment->free_slots[slot] = (FreeSlot){ bytes, end, *at };
  *at = slot;
}

/* Gives the buffers that start at this step their slots. */
static guint32
assign_step (Assignment *assignment, guint32 s, guint32 next)
{
  CandelaPlan *plan = assignment->plan;
  const CandelaPlanStep *step = &plan->steps[s];

  for (guint32 o = 0; o < step->n_outputs; o++)
    {
      CandelaPlanOutput *output = &plan->outputs[step->first_output + o];
      CandelaPlanBuffer *buffer;

      if (output->kind != CANDELA_OUTPUT_ALLOCATE)
        continue;
      buffer = &assignment->buffers->buffers[next++];
      buffer->slot = find_slot (assignment, buffer);
      if (buffer->slot != CANDELA_PLAN_NONE)
        output->kind = CANDELA_OUTPUT_REUSE;
      else
        {
          buffer->slot = plan->n_slots++;
          plan->slots[buffer->slot] = (CandelaPlanSlot){ .bytes = buffer->bytes, .start = s };
        }
      plan->slots[buffer->slot].end = buffer->end;
    }
  return next;
}

/* The slots of the buffers that nobody reads after this step are free. */
static void
release_step (Assignment *assignment, guint32 buffer, const guint32 *next_ending)
{
  for (; buffer != CANDELA_PLAN_NONE; buffer = next_ending[buffer])
    {
      const CandelaPlanBuffer *ended = &assignment->buffers->buffers[buffer];
      gsize bytes = assignment->plan->slots[ended->slot].bytes;

      if (bytes > 0)
        add_free_slot (assignment, ended->slot, bytes, ended->end);
    }
}

static void
assign_slots (Assignment *assignment)
{
  CandelaPlan *plan = assignment->plan;
  CandelaArena *arena = &assignment->buffers->planner->arena;
  guint32 n_buffers = assignment->buffers->n;
  guint32 *first_ending = candela_arena_new (arena, guint32, plan->n_steps);
  guint32 *next_ending = candela_arena_new (arena, guint32, n_buffers);
  guint32 next = 0;

  for (guint32 s = 0; s < plan->n_steps; s++)
    first_ending[s] = CANDELA_PLAN_NONE;
  for (guint32 b = 0; b < n_buffers; b++)
    if (assignment->buffers->buffers[b].end != CANDELA_PLAN_NONE)
      {
        next_ending[b] = first_ending[assignment->buffers->buffers[b].end];
        first_ending[assignment->buffers->buffers[b].end] = b;
      }
  for (guint32 s = 0; s < plan->n_steps; s++)
    {
      next = assign_step (assignment, s, next);
      /* What the last step frees nobody can take. */
      if ((plan->flags & CANDELA_PLAN_NO_REUSE) == 0 && s + 1 < plan->n_steps)
        release_step (assignment, first_ending[s], next_ending);
    }
}

/* An element-wise step that is written over what the step before it computes may
 * run on each part of that as soon as it is there: all else that it reads is. */
static gboolean
may_follow (const CandelaPlan *plan, const CandelaPlanStep *before, const CandelaPlanStep *step)
{
  const CandelaPlanOutput *output = &plan->outputs[step->first_output];

  if (step->kind != CANDELA_STEP_FUSED || step->n_outputs != 1 || output->kind != CANDELA_OUTPUT_IN_PLACE
      || before->kind != CANDELA_STEP_KERNEL || before->n_outputs != 1
      || plan->inputs[step->first_input + output->input] != plan->outputs[before->first_output].value)
    return FALSE;
  for (guint32 p = 0; p < step->n_parts; p++)
    if (plan->parts[step->first_part + p].node->u.op.facts->info->threads != CANDELA_THREADS_ANY
        || plan->parts[step->first_part + p].node->u.op.facts->info->effect != CANDELA_EFFECT_PURE)
      return FALSE;
  return TRUE;
}

/* The fixup: what is freed after which step; and which step may run with the one before it. */
static void
list_frees (CandelaPlan *plan)
{
  const CandelaPlanStep *before = NULL;
  guint32 n = 0;

  plan->frees = candela_arena_new (&plan->arena, guint32, plan->n_slots);
  for (guint32 slot = 0; slot < plan->n_slots; slot++)
    if (plan->slots[slot].end != CANDELA_PLAN_NONE)
      plan->steps[plan->slots[slot].end].n_free++;
  for (guint32 s = 0; s < plan->n_steps; s++)
    {
      CandelaPlanStep *step = &plan->steps[s];

      step->first_free = n;
      n += step->n_free;
      step->n_free = 0;
      if ((plan->flags & CANDELA_PLAN_NO_FUSION) != 0 || step->kind == CANDELA_STEP_REFERENCE)
        continue;
      step->follows = before != NULL && may_follow (plan, before, step);
      before = step;
    }
  for (guint32 slot = 0; slot < plan->n_slots; slot++)
    if (plan->slots[slot].end != CANDELA_PLAN_NONE)
      {
        CandelaPlanStep *step = &plan->steps[plan->slots[slot].end];

        plan->frees[step->first_free + step->n_free++] = slot;
      }
}

/* The steps of a group are told what becomes of their outputs. */
static void
tell_groups (CandelaPlan *plan)
{
  for (guint32 s = 0; plan->n_groups > 0 && s < plan->n_steps; s++)
    {
      const CandelaPlanStep *step = &plan->steps[s];
      guint32 next = step->first_output;

      if (!candela_plan_step_is_group (step))
        continue;
      for (guint32 k = 0; k < plan->groups[step->group].n_subs; k++)
        {
          const CandelaPlanStep *sub = &plan->subs[plan->groups[step->group].first_sub + k];

          for (guint32 o = 0; o < sub->n_outputs; o++)
            if (plan->values[plan->outputs[sub->first_output + o].value].storage != CANDELA_STORAGE_LOCAL)
              plan->outputs[sub->first_output + o].kind = plan->outputs[next++].kind;
        }
    }
}

void
candela_planner_assign (CandelaPlanner *planner)
{
  CandelaPlan *plan = planner->plan;
  CandelaBuffers buffers;
  Assignment assignment = { .buffers = &buffers, .plan = plan };

  candela_buffers_init (&buffers, planner);
  plan->slots = candela_arena_new (&plan->arena, CandelaPlanSlot, buffers.n);
  if (plan->n_steps > 0)
    {
      assignment.free_slots = candela_arena_new (&planner->arena, FreeSlot, buffers.n);
      count_held (&assignment);
      assign_slots (&assignment);
      plan->lower_bound_bytes = plan->peak_bytes = assignment.bound;
      if (assignment.profile.n_levels > 0)
        plan->peak_bytes = candela_profile_get_max (&assignment.profile, 0, plan->n_steps - 1);
      g_clear_pointer (&assignment.sizes, g_tree_unref);
      candela_profile_clear (&assignment.profile);
    }
  list_frees (plan);
  tell_groups (plan);
  for (guint32 v = 0; v < plan->n_values; v++)
    if (plan->values[v].storage == CANDELA_STORAGE_SLOT)
      {
        guint32 buffer = buffers.of_base[planner->base[v]];

        /* What lies between the parts of a fused step has none. */
        if (buffer != CANDELA_PLAN_NONE)
          plan->values[v].source = buffers.buffers[buffer].slot;
      }
}
