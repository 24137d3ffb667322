/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The memory that a plan holds at each step, as a segment tree: asking for the
 * most over a range of steps, and adding bytes to a range, take O(log n) each.
 * With it the planner asks of every reuse whether the peak allows it. */
#include <candela/plan/profile-private.h>

void
candela_profile_init (CandelaProfile *profile, const guint64 *held, guint32 n)
{
  profile->n = n;
  profile->leaves = 1;
  while (profile->leaves < n)
    profile->leaves *= 2;
  profile->max = g_new0 (guint64, 2 * (gsize) profile->leaves);
  profile->added = g_new0 (gint64, 2 * (gsize) profile->leaves);
  for (guint32 s = 0; s < n; s++)
    profile->max[profile->leaves + s] = held[s];
  for (guint32 t = profile->leaves; t-- > 1;)
    profile->max[t] = MAX (profile->max[2 * t], profile->max[2 * t + 1]);
}

void
candela_profile_clear (CandelaProfile *profile)
{
  g_clear_pointer (&profile->max, g_free);
  g_clear_pointer (&profile->added, g_free);
}

static guint64
get_max (const CandelaProfile *profile, guint32 tree, guint32 from, guint32 to, guint32 first, guint32 last)
{
  guint32 middle = from + (to - from) / 2;
  guint64 left = 0, right = 0;

  if (first <= from && to <= last)
    return profile->max[tree];
  if (first <= middle)
    left = get_max (profile, 2 * tree, from, middle, first, last);
  if (last > middle)
    right = get_max (profile, 2 * tree + 1, middle + 1, to, first, last);
  return MAX (left, right) + profile->added[tree];
}

static void
add (CandelaProfile *profile, guint32 tree, guint32 from, guint32 to, guint32 first, guint32 last, gint64 bytes)
{
  guint32 middle = from + (to - from) / 2;

  if (first <= from && to <= last)
    {
      profile->max[tree] += bytes;
      profile->added[tree] += bytes;
      return;
    }
  if (first <= middle)
    add (profile, 2 * tree, from, middle, first, last, bytes);
  if (last > middle)
    add (profile, 2 * tree + 1, middle + 1, to, first, last, bytes);
  profile->max[tree] = MAX (profile->max[2 * tree], profile->max[2 * tree + 1]) + profile->added[tree];
}

guint64
candela_profile_get_max (const CandelaProfile *profile, guint32 first, guint32 last)
{
  return first > last ? 0 : get_max (profile, 1, 0, profile->leaves - 1, first, last);
}

void
candela_profile_add (CandelaProfile *profile, guint32 first, guint32 last, gint64 bytes)
{
  if (first <= last && bytes != 0)
    add (profile, 1, 0, profile->leaves - 1, first, last, bytes);
}
