/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the owner of an aliased value guarantees. */
typedef enum {
  CANDELA_TAG_OWN,              /* not aliased */
  CANDELA_TAG_ANYTHING,         /* the same data, whatever the layout */
  CANDELA_TAG_CONTIGUOUS,       /* … packed */
  CANDELA_TAG_CONTIGUOUS_CACHE, /* … packed, and kept for later runs */
} CandelaAliasTag;

typedef struct
{
  guint32 *parent; /* union-find; a value alone is its own parent; NULL: all are alone */
  guint32 *owner;  /* of the set, at its top: the value that stands for all */
  guint8 *tag;     /* of the set, at its top */
  guint8 *rank;
  guint32 n;
} CandelaAliasMap;

void candela_alias_map_init (CandelaAliasMap *map, guint32 n_values);
void candela_alias_map_clear (CandelaAliasMap *map);

guint32 candela_alias_map_find_owner (CandelaAliasMap *map, guint32 value);

/* The value that really has the buffer. */
static inline guint32
candela_alias_map_resolve (CandelaAliasMap *map, guint32 value)
{
  return map->parent != NULL ? candela_alias_map_find_owner (map, value) : value;
}

CandelaAliasTag candela_alias_map_get_tag (CandelaAliasMap *map, guint32 value);

/* From here on, value is target's owner. */
void candela_alias_map_alias (CandelaAliasMap *map, guint32 value, guint32 target, CandelaAliasTag tag);

/* From here on, value stands for claimed and for all that claimed stood for. */
void candela_alias_map_takeover (CandelaAliasMap *map, guint32 value, guint32 claimed, CandelaAliasTag tag);

G_END_DECLS
