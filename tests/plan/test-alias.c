/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The alias map by itself, against one that is kept the slow way: a takeover
 * rewrites every entry that points at what it claims. And the profile of memory,
 * against plain sums. */
#include <candela/plan/alias-private.h>
#include <candela/plan/profile-private.h>

static void
assert_resolves (CandelaAliasMap *map, guint32 value, guint32 owner, CandelaAliasTag tag)
{
  g_assert_cmpuint (candela_alias_map_resolve (map, value), ==, owner);
  g_assert_cmpint (candela_alias_map_get_tag (map, value), ==, tag);
}

/* A value that is in no entry is its own. */
static void
test_own (void)
{
  CandelaAliasMap map;

  candela_alias_map_init (&map, 3);
  for (guint32 v = 0; v < 3; v++)
    assert_resolves (&map, v, v, CANDELA_TAG_OWN);
  candela_alias_map_clear (&map);
}

/* identity (x), twice: both are x, and x makes no promise about its layout. */
static void
test_alias (void)
{
  enum {
    X,
    FIRST,
    SECOND,
    N
  };
  CandelaAliasMap map;

  candela_alias_map_init (&map, N);
  candela_alias_map_alias (&map, FIRST, X, CANDELA_TAG_ANYTHING);
  candela_alias_map_alias (&map, SECOND, FIRST, CANDELA_TAG_ANYTHING);
  assert_resolves (&map, FIRST, X, CANDELA_TAG_ANYTHING);
  assert_resolves (&map, SECOND, X, CANDELA_TAG_ANYTHING);
  candela_alias_map_clear (&map);
}

/* What aliased the claimed value before aliases the claimer after, in one hop; and
 * so on for the next claimer. */
static void
test_takeover (void)
{
  enum {
    X,
    BEFORE,
    PACKED,
    AFTER,
    AGAIN,
    OTHER,
    N
  };
  CandelaAliasMap map;

  candela_alias_map_init (&map, N);
  candela_alias_map_alias (&map, BEFORE, X, CANDELA_TAG_ANYTHING);
  candela_alias_map_takeover (&map, PACKED, X, CANDELA_TAG_CONTIGUOUS);
  assert_resolves (&map, X, PACKED, CANDELA_TAG_CONTIGUOUS);
  assert_resolves (&map, BEFORE, PACKED, CANDELA_TAG_CONTIGUOUS);
  assert_resolves (&map, PACKED, PACKED, CANDELA_TAG_CONTIGUOUS);
  assert_resolves (&map, OTHER, OTHER, CANDELA_TAG_OWN);

  candela_alias_map_alias (&map, AFTER, BEFORE, CANDELA_TAG_CONTIGUOUS);
  candela_alias_map_takeover (&map, AGAIN, PACKED, CANDELA_TAG_CONTIGUOUS_CACHE);
  for (guint32 v = X; v <= AGAIN; v++)
    assert_resolves (&map, v, AGAIN, CANDELA_TAG_CONTIGUOUS_CACHE);
  candela_alias_map_clear (&map);
}

/* An alias with a weaker promise takes nothing from what the owner guarantees. */
static void
test_tags (void)
{
  CandelaAliasMap map;

  candela_alias_map_init (&map, 4);
  candela_alias_map_takeover (&map, 1, 0, CANDELA_TAG_CONTIGUOUS);
  candela_alias_map_alias (&map, 2, 0, CANDELA_TAG_ANYTHING);
  assert_resolves (&map, 2, 1, CANDELA_TAG_CONTIGUOUS);
  candela_alias_map_alias (&map, 3, 2, CANDELA_TAG_CONTIGUOUS_CACHE);
  assert_resolves (&map, 0, 1, CANDELA_TAG_CONTIGUOUS_CACHE);
  candela_alias_map_clear (&map);
}

#define N_VALUES 200
#define N_MAPS 50

/* The map as the planner's description has it: an entry each, rewritten. */
typedef struct
{
  guint32 owner[N_VALUES];
  CandelaAliasTag tag[N_VALUES];
} SlowMap;

static void
slow_rewrite (SlowMap *slow, guint32 from, guint32 to, CandelaAliasTag tag)
{
  for (guint32 v = 0; v < N_VALUES; v++)
    if (slow->owner[v] == from)
      {
        slow->owner[v] = to;
        slow->tag[v] = tag;
      }
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (20240611);

  for (guint m = 0; m < N_MAPS; m++)
    {
      CandelaAliasMap map;
      SlowMap slow;

      candela_alias_map_init (&map, N_VALUES);
      for (guint32 v = 0; v < N_VALUES; v++)
        {
          slow.owner[v] = v;
          slow.tag[v] = CANDELA_TAG_OWN;
        }
      for (guint32 v = 1; v < N_VALUES; v++)
        {
          guint32 target = slow.owner[g_rand_int_range (rand, 0, v)];
          CandelaAliasTag tag = g_rand_int_range (rand, CANDELA_TAG_ANYTHING, CANDELA_TAG_CONTIGUOUS_CACHE + 1);

          switch (g_rand_int_range (rand, 0, 3))
            {
            case 0:
              candela_alias_map_alias (&map, v, target, tag);
              tag = MAX (tag, slow.tag[target]);
              slow.owner[v] = target;
              slow_rewrite (&slow, target, target, tag);
              break;
            case 1:
              candela_alias_map_takeover (&map, v, target, tag);
              slow_rewrite (&slow, target, v, tag);
              slow.tag[v] = tag;
              break;
            default:
              break;
            }
          for (guint32 u = 0; u < N_VALUES; u++)
            assert_resolves (&map, u, slow.owner[u], slow.tag[u]);
        }
      candela_alias_map_clear (&map);
    }
}

/* A chain of a million takeovers: each costs next to nothing, however many entries
 * came before. */
static void
test_long_chain (void)
{
  const guint32 n = 1000000;
  CandelaAliasMap map;

  candela_alias_map_init (&map, n);
  for (guint32 v = 1; v < n; v++)
    candela_alias_map_takeover (&map, v, v - 1, CANDELA_TAG_CONTIGUOUS);
  for (guint32 v = 0; v < n; v++)
    g_assert_cmpuint (candela_alias_map_resolve (&map, v), ==, n - 1);
  candela_alias_map_clear (&map);
}

static void
test_profile (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  /* One level of the tree to four of them. */
  for (guint32 n = 1; n < 300000; n = n < 70 ? n + 1 : n * 8)
    {
      g_autofree guint64 *held = g_new (guint64, n), *own = NULL;
      CandelaProfile profile;

      for (guint32 s = 0; s < n; s++)
        held[s] = g_rand_int_range (rand, 0, 1000);
      own = g_memdup2 (held, n * sizeof *held);
      candela_profile_init (&profile, own, n);
      for (guint i = 0; i < 100; i++)
        {
          guint32 first = g_rand_int_range (rand, 0, n), last = g_rand_int_range (rand, first, n);
          gint64 bytes = g_rand_int_range (rand, 0, 500);
          guint64 most = 0;

          candela_profile_add (&profile, first, last, bytes);
          for (guint32 s = first; s <= last; s++)
            held[s] += bytes;
          first = g_rand_int_range (rand, 0, n);
          last = g_rand_int_range (rand, first, n);
          for (guint32 s = first; s <= last; s++)
            most = MAX (most, held[s]);
          g_assert_cmpuint (candela_profile_get_max (&profile, first, last), ==, most);
        }
      candela_profile_clear (&profile);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/alias/own", test_own);
  g_test_add_func ("/alias/alias", test_alias);
  g_test_add_func ("/alias/takeover", test_takeover);
  g_test_add_func ("/alias/tags", test_tags);
  g_test_add_func ("/alias/random", test_random);
  g_test_add_func ("/alias/long-chain", test_long_chain);
  g_test_add_func ("/alias/profile", test_profile);
  return g_test_run ();
}
