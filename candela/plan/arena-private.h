/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory for arrays that live and go together: those of the planner while it
 * works, and those of a plan. */
#pragma once

#include <candela/value/pool-private.h>

G_BEGIN_DECLS

typedef struct _CandelaArenaChunk CandelaArenaChunk;

typedef struct
{
  guint8 *next; /* what the newest small chunk has left; aligned, as all arrays */
  gsize left;
  CandelaArenaChunk *chunks;
} CandelaArena;

#define CANDELA_ARENA_ALIGN ((gsize) 16)

/* Takes the first arrays from memory of someone else, which must outlive the
 * arena. */
void candela_arena_init (CandelaArena *arena, gpointer first, gsize size);
void candela_arena_clear (CandelaArena *arena);

/* Uninitialised, or zeroed; aligned to 16 bytes; never NULL. */
static inline gpointer candela_arena_alloc (CandelaArena *arena, gsize n, gsize size);
gpointer candela_arena_alloc0 (CandelaArena *arena, gsize n, gsize size);

/* Where there is no room left. */
gpointer candela_arena_extend (CandelaArena *arena, gsize n, gsize size);

/* An array of n items with the items of an older one, which is gone then. */
gpointer candela_arena_grow (CandelaArena *arena, gpointer old, gsize n_old, gsize n, gsize size);

#define candela_arena_new(arena, type, n) ((type *) candela_arena_alloc ((arena), (n), sizeof (type)))
#define candela_arena_new0(arena, type, n) ((type *) candela_arena_alloc0 ((arena), (n), sizeof (type)))

static inline gpointer
candela_arena_alloc (CandelaArena *arena, gsize n, gsize size)
{
  guint8 *array = arena->next;
  gsize bytes;

  if (__builtin_mul_overflow (n, size, &bytes) || bytes >= arena->left)
    return candela_arena_extend (arena, n, size);
  bytes = (bytes + CANDELA_ARENA_ALIGN - 1) & ~(CANDELA_ARENA_ALIGN - 1);
  arena->next += bytes;
  arena->left -= bytes;
  return array;
}

G_END_DECLS
