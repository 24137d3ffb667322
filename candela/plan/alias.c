/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The alias map: which value really has a value's buffer. Some values are
 * another's (an identity); some are computed and from then on stand for their
 * input (a packed copy), and for everything that had stood for it.
 *
 * The second would rewrite every entry that points at the claimed value. So the
 * map is a union-find forest: values that are one another form a set, and the
 * set knows its owner. A takeover changes one word, and an answer is still the
 * owner itself, never a chain. (R. E. Tarjan, "Efficiency of a Good But Not
 * Linear Set Union Algorithm", 1975; path halving by Tarjan and van Leeuwen,
 * 1984.)
 *
 * The map is built while the planner walks the list, and asked only there: what
 * a step reads is frozen at its place, so a later takeover cannot send it to a
 * buffer that does not exist yet. */
#include <candela/plan/alias-private.h>

void
candela_alias_map_init (CandelaAliasMap *map, guint32 n_values)
{
  *map = (CandelaAliasMap){ .n = n_values };
}

/* Most graphs have no alias at all, and need no map. */
static void
make_sets (CandelaAliasMap *map)
{
  if (map->parent != NULL)
    return;
  map->parent = g_new (guint32, map->n);
  map->owner = g_new (guint32, map->n);
  map->tag = g_new0 (guint8, map->n);
  map->rank = g_new0 (guint8, map->n);
  for (guint32 v = 0; v < map->n; v++)
    map->parent[v] = map->owner[v] = v;
}

void
candela_alias_map_clear (CandelaAliasMap *map)
{
  g_free (map->parent);
  g_free (map->owner);
  g_free (map->tag);
  g_free (map->rank);
}

static guint32
find (CandelaAliasMap *map, guint32 value)
{
  while (map->parent[value] != value)
    {
      map->parent[value] = map->parent[map->parent[value]];
      value = map->parent[value];
    }
  return value;
}

guint32
candela_alias_map_find_owner (CandelaAliasMap *map, guint32 value)
{
  return map->owner[find (map, value)];
}

CandelaAliasTag
candela_alias_map_get_tag (CandelaAliasMap *map, guint32 value)
{
  return map->parent != NULL ? map->tag[find (map, value)] : CANDELA_TAG_OWN;
}

/* Joins two sets; the owner of the whole is given. */
static void
unite (CandelaAliasMap *map, guint32 a, guint32 b, guint32 owner, CandelaAliasTag tag)
{
  guint32 top, other;

  make_sets (map);
  top = find (map, a);
  other = find (map, b);

  if (map->rank[top] < map->rank[other])
    {
      guint32 swap = top;

      top = other;
      other = swap;
    }
  else if (top != other && map->rank[top] == map->rank[other])
    map->rank[top]++;
  map->parent[other] = top;
  map->owner[top] = owner;
  map->tag[top] = tag;
}

void
candela_alias_map_alias (CandelaAliasMap *map, guint32 value, guint32 target, CandelaAliasTag tag)
{
  guint32 owner = candela_alias_map_resolve (map, target);

  /* What the set already guarantees stays true. */
  unite (map, value, target, owner, MAX (tag, candela_alias_map_get_tag (map, target)));
}

void
candela_alias_map_takeover (CandelaAliasMap *map, guint32 value, guint32 claimed, CandelaAliasTag tag)
{
  unite (map, value, claimed, value, tag);
}
