/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An arena. Small arrays follow each other in a chunk, so that planning a few
 * nodes asks the heap for next to nothing. A large array has a chunk of its own,
 * and that is a block of the buffer pool: planning millions of nodes would
 * otherwise spend most of its time on the first touch of fresh pages. */
#include <candela/plan/arena-private.h>
#include <string.h>

struct _CandelaArenaChunk
{
  CandelaArenaChunk *next;
  CandelaBlock *block; /* of the pool; NULL: of the heap */
  gboolean large;      /* one array's */
};

#define HEADER 32
/* With its header, still among the sizes that the heap is quickest with. */
#define SMALL_CHUNK ((gsize) 1024 - HEADER)
/* What is larger has a chunk of its own; under AddressSanitizer, everything, so
 * that it sees where an array ends. */
#ifdef __SANITIZE_ADDRESS__
#define LARGE_ARRAY ((gsize) 0)
#else
#define LARGE_ARRAY ((gsize) 512)
#endif

G_STATIC_ASSERT (sizeof (CandelaArenaChunk) <= HEADER);

void
candela_arena_init (CandelaArena *arena, gpointer first, gsize size)
{
  gsize before = -(guintptr) first & (CANDELA_ARENA_ALIGN - 1);

  *arena = (CandelaArena){ 0 };
  if (LARGE_ARRAY == 0 || size < before)
    return;
  arena->next = (guint8 *) first + before;
  arena->left = (size - before) & ~(CANDELA_ARENA_ALIGN - 1);
}

static void
free_chunk (CandelaArenaChunk *chunk)
{
  if (chunk->block != NULL)
    candela_pool_give (chunk->block);
  else
    g_free (chunk);
}

void
candela_arena_clear (CandelaArena *arena)
{
  while (arena->chunks != NULL)
    {
      CandelaArenaChunk *chunk = arena->chunks;

      arena->chunks = chunk->next;
      free_chunk (chunk);
    }
}

/* As from g_malloc(), there is always memory. */
static guint8 *
add_chunk (CandelaArena *arena, gsize size, gboolean large)
{
  CandelaBlock *block = size >= CANDELA_POOL_FROM && LARGE_ARRAY > 0 ? candela_pool_take (HEADER + size) : NULL;
  CandelaArenaChunk *chunk = block != NULL ? (gpointer) block->data : g_malloc (HEADER + size);

  chunk->block = block;
  chunk->large = large;
  chunk->next = arena->chunks;
  arena->chunks = chunk;
  return (guint8 *) chunk + HEADER;
}

gpointer
candela_arena_extend (CandelaArena *arena, gsize n, gsize size)
{
  gsize bytes;

  if (__builtin_mul_overflow (n, size, &bytes) || bytes > G_MAXSSIZE - 2 * HEADER)
    return g_malloc_n (n, size); /* which says that there is no such memory */
  if (bytes >= LARGE_ARRAY)
    return add_chunk (arena, bytes, TRUE);
  arena->next = add_chunk (arena, SMALL_CHUNK, FALSE);
  arena->left = SMALL_CHUNK;
  return candela_arena_alloc (arena, n, size);
}

gpointer
candela_arena_alloc0 (CandelaArena *arena, gsize n, gsize size)
{
  return memset (candela_arena_alloc (arena, n, size), 0, n * size);
}

gpointer
candela_arena_grow (CandelaArena *arena, gpointer old, gsize n_old, gsize n, gsize size)
{
  gpointer array = candela_arena_alloc (arena, n, size);

  if (n_old > 0)
    memcpy (array, old, n_old * size);
  for (CandelaArenaChunk **at = &arena->chunks; *at != NULL; at = &(*at)->next)
    if ((*at)->large && (guint8 *) *at + HEADER == old)
      {
        CandelaArenaChunk *chunk = *at;

        *at = chunk->next;
        free_chunk (chunk);
        break;
      }
  return array;
}
