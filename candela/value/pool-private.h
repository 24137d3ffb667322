/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks of memory under buffers, kept when freed. */
#pragma once

#include <candela/value/pool.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

G_BEGIN_DECLS

/* Smaller sizes are the heap's, which is as quick for them. */
#define CANDELA_POOL_FROM ((gsize) 4096)

typedef struct _CandelaBlock CandelaBlock;

struct _CandelaBlock
{
  guint8 *data;
  gsize capacity;
  gboolean mapped; /* from mmap, else from the heap */
  gboolean zero;   /* fresh from the system, so nothing but zeros */
  guint pool_class;
  CandelaBlock *next, *previous; /* in the pool: of the class, the newest first */
  CandelaBlock *older, *newer;   /* in the pool: of all blocks */
};

/* A block of at least size bytes (of CANDELA_POOL_FROM or more), aligned to
 * CANDELA_ALIGNMENT: a kept one, if there is one that is at most a quarter
 * larger, else a fresh one; NULL if the system has no memory. */
CandelaBlock *candela_pool_take (gsize size);

/* AddressSanitizer is to see use of what is kept, and of what lies around the
 * memory of a buffer. */
static inline void
candela_memory_forbid (gpointer data, gsize size)
{
#ifdef __SANITIZE_ADDRESS__
  __asan_poison_memory_region (data, size);
#endif
}

static inline void
candela_memory_allow (gpointer data, gsize size)
{
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region (data, size);
#endif
}

/* Gives a block back; it is kept, or goes back to the system. */
void candela_pool_give (CandelaBlock *block);

G_END_DECLS
