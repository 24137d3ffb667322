/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory that a plan holds at each step, as a tree: asking for the most over a
 * range of steps, and adding bytes to a range, take O(log n) each. With it the planner
 * asks of every reuse whether the peak allows it.
 *
 * Most ranges are short. So a node of the tree has 64 below it: a range of few steps
 * is a walk over neighbours in memory, and up a level or two. */
#include <candela/plan/profile-private.h>

#define BITS 6
#define MASK ((1u << BITS) - 1)

G_STATIC_ASSERT (BITS *(CANDELA_PROFILE_LEVELS - 1) >= 32);

static guint64
find_max (const guint64 *values, guint32 first, guint32 last)
{
  guint64 max = values[first];

  for (guint32 i = first + 1; i <= last; i++)
    max = MAX (max, values[i]);
  return max;
}

void
candela_profile_init (CandelaProfile *profile, guint64 *held, guint32 n)
{
  *profile = (CandelaProfile){ .n_levels = 1, .levels = { { .n = n, .max = held } } };
  for (CandelaProfileLevel *below = profile->levels; below->n > 1; below++)
    {
      CandelaProfileLevel *level = below + 1;

      level->n = ((below->n - 1) >> BITS) + 1;
      level->max = g_new (guint64, level->n);
      level->added = g_new0 (guint64, level->n);
      for (guint32 i = 0; i < level->n; i++)
        level->max[i] = find_max (below->max, i << BITS, MIN (i << BITS | MASK, below->n - 1));
      profile->n_levels++;
    }
}

void
candela_profile_clear (CandelaProfile *profile)
{
  for (guint l = 1; l < profile->n_levels; l++)
    {
      g_free (profile->levels[l].max);
      g_free (profile->levels[l].added);
    }
  profile->n_levels = 0;
}

/* What is added above to all of a level's node. */
static guint64
find_added (const CandelaProfile *profile, guint level, guint32 node)
{
  guint64 added = 0;

  while (++level < profile->n_levels)
    added += profile->levels[level].added[node >>= BITS];
  return added;
}

/* Of nodes below the same one. */
static guint64
get_max_below (const CandelaProfile *profile, guint level, guint32 first, guint32 last)
{
  return find_max (profile->levels[level].max, first, last) + find_added (profile, level, first);
}

static void
add_below (CandelaProfile *profile, guint level, guint32 first, guint32 last, guint64 bytes)
{
  CandelaProfileLevel *at = &profile->levels[level];
  guint64 max = 0;
  guint32 node = first;

  for (guint32 i = first; i <= last; i++)
    {
      if (level > 0)
        at->added[i] += bytes;
      at->max[i] += bytes;
      max = MAX (max, at->max[i]);
    }
  while (++level < profile->n_levels)
    {
      at = &profile->levels[level];
      node >>= BITS;
      max += at->added[node];
      if (max <= at->max[node])
        return;
      at->max[node] = max;
    }
}

/* Takes from a range what is at its ends below nodes that it does not fill, and leaves
 * what does as a range of the level above; one below a single node it takes as a whole.
 * Returns how many pieces it took. */
static guint
take_ends (guint32 *first, guint32 *last, guint32 (*pieces)[2])
{
  guint n = 0;

  if (*first >> BITS == *last >> BITS)
    {
      pieces[n][0] = *first;
      pieces[n++][1] = *last;
      *first = 1;
      *last = 0;
      return n;
    }
  if ((*first & MASK) != 0)
    {
      pieces[n][0] = *first;
      pieces[n++][1] = *first | MASK;
      *first = (*first | MASK) + 1;
    }
  if ((*last & MASK) != MASK)
    {
      pieces[n][0] = *last & ~MASK;
      pieces[n++][1] = *last;
      *last = (*last & ~MASK) - 1;
    }
  *first >>= BITS;
  *last >>= BITS;
  return n;
}

guint64
candela_profile_get_max (const CandelaProfile *profile, guint32 first, guint32 last)
{
  guint32 pieces[2][2];
  guint64 max = 0;

  for (guint level = 0; first <= last; level++)
    for (guint n = take_ends (&first, &last, pieces); n-- > 0;)
      max = MAX (max, get_max_below (profile, level, pieces[n][0], pieces[n][1]));
  return max;
}

void
candela_profile_add (CandelaProfile *profile, guint32 first, guint32 last, guint64 bytes)
{
  guint32 pieces[2][2];

  if (bytes == 0)
    return;
  for (guint level = 0; first <= last; level++)
    for (guint n = take_ends (&first, &last, pieces); n-- > 0;)
      add_below (profile, level, pieces[n][0], pieces[n][1], bytes);
}
