/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The buffer pool: freed blocks of memory, kept for the next run, since the first
 * touch of fresh pages takes longer than computing what is written there.
 *
 * Sizes are rounded up to classes, sixteen to each doubling, so that all blocks of
 * a class serve a request of it: the newest is taken, which is the likeliest to
 * be in a cache. If the class is empty, those above it are looked at, up to a
 * quarter more than was asked for. Of what is kept beyond the limit the oldest
 * goes first.
 *
 * One lock guards it all. It is held for a few pointers' changes only; memory is
 * asked for and given back outside of it. Around a fork it is held, so that the
 * child finds the pool whole and unlocked. */
#include <candela/value/buffer-private.h>
#include <candela/value/control-group-private.h>
#include <candela/value/pool-private.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define MAP_FROM ((gsize) 1 << 20)
#define HUGE_PAGES_FROM ((gsize) 4 << 20)
#define HUGE_PAGE ((gsize) 2 << 20)

#define STEP_BITS 4 /* classes to each doubling: 16 */
#define N_CLASSES (64 << STEP_BITS)

#define MOST_KEPT ((guint64) 1 << 30)

static struct
{
  pthread_mutex_t lock; /* one that ThreadSanitizer knows */
  CandelaBlock *classes[N_CLASSES];
  CandelaBlock *oldest, *newest;
  guint64 bytes;
  guint64 limit;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- Classes ---- */

/* The largest class that a size reaches. */
static guint
class_of (gsize size)
{
  guint bits = g_bit_storage (size) - 1;

  return (bits << STEP_BITS) + ((size >> (bits - STEP_BITS)) & ((1 << STEP_BITS) - 1));
}

static gsize
class_size (guint class)
{
  guint bits = class >> STEP_BITS;

  return ((gsize) ((1 << STEP_BITS) + (class & ((1 << STEP_BITS) - 1)))) << (bits - STEP_BITS);
}

/* The smallest class that holds a size; sizes go up to G_MAXSSIZE. */
static guint
class_for (gsize size)
{
  guint class = class_of (size);

  return class + (class_size (class) < size);
}

/* ---- The limit ---- */

static guint64
parse_limit (const char *text)
{
  guint shift = 0;
  guint64 limit;
  char *end;

  if (text == NULL || !g_ascii_isdigit (text[0]))
    return G_MAXUINT64;
  limit = g_ascii_strtoull (text, &end, 10);
  switch (g_ascii_toupper (*end))
    {
    case 'K':
      shift = 10;
      break;
    case 'M':
      shift = 20;
      break;
    case 'G':
      shift = 30;
      break;
    default:
      break;
    }
  end += shift > 0;
  if (*end != '\0')
    return G_MAXUINT64;
  return limit <= (guint64) G_MAXINT64 >> shift ? limit << shift : G_MAXINT64;
}

static guint64
default_limit (void)
{
  gint64 pages = sysconf (_SC_PHYS_PAGES);
  gint64 page = sysconf (_SC_PAGESIZE);
  guint64 memory = pages > 0 && page > 0 ? (guint64) pages * (guint64) page : MOST_KEPT;

  return MIN (MIN (memory, candela_control_group_get_memory ("")) / 4, MOST_KEPT);
}

static void
before_fork (void)
{
  pthread_mutex_lock (&pool.lock);
}

static void
after_fork (void)
{
  pthread_mutex_unlock (&pool.lock);
}

static void
pool_init_once (void)
{
  guint64 limit = parse_limit (g_getenv ("CANDELA_POOL_LIMIT"));

  pool.limit = limit != G_MAXUINT64 ? limit : default_limit ();
  pthread_atfork (before_fork, after_fork, after_fork);
}

static void
pool_init (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, pool_init_once);
}

/* ---- Memory of the system ---- */

/* Huge pages begin at multiples of their size: what lies before the first and
 * after the block is given back. */
static guint8 *
map_huge (gsize size)
{
  guint8 *data = mmap (NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  gsize before;

  if (data == MAP_FAILED)
    return NULL;
  before = -(guintptr) data & (HUGE_PAGE - 1);
  if (before > 0)
    munmap (data, before);
  if (before < HUGE_PAGE)
    munmap (data + before + size, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
  /* Advice: a kernel without huge pages refuses, and the memory is as good. */
  madvise (data + before, size, MADV_HUGEPAGE);
#endif
  return data + before;
}

static guint8 *
map (gsize size)
{
  gpointer data = size >= HUGE_PAGES_FROM ? map_huge (size) : NULL;

  if (data == NULL)
    data = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return data != MAP_FAILED ? data : NULL;
}

static CandelaBlock *
block_new (gsize capacity)
{
  gboolean mapped = capacity >= MAP_FROM;
  gpointer data = NULL;
  CandelaBlock *block;

  if (mapped)
    {
      gsize page = sysconf (_SC_PAGESIZE);

      capacity = (capacity + page - 1) & ~(page - 1);
      data = map (capacity);
    }
  else if (posix_memalign (&data, CANDELA_ALIGNMENT, capacity) != 0)
    data = NULL;
  if (data == NULL)
    return NULL;

  block = g_new0 (CandelaBlock, 1);
  block->data = data;
  block->capacity = capacity;
  block->mapped = mapped;
  block->zero = mapped;
  block->pool_class = class_of (capacity);
  return block;
}

static void
block_free (CandelaBlock *block)
{
  candela_memory_allow (block->data, block->capacity);
  if (block->mapped)
    munmap (block->data, block->capacity);
  else
    free (block->data);
  g_free (block);
}

/* A list of blocks that have left the pool. */
static void
free_blocks (CandelaBlock *blocks)
{
  while (blocks != NULL)
    {
      CandelaBlock *next = blocks->next;

      block_free (blocks);
      blocks = next;
    }
}

/* ---- The pool, under its lock ---- */

static void
pool_insert (CandelaBlock *block)
{
  CandelaBlock **head = &pool.classes[block->pool_class];

  block->previous = NULL;
  block->next = *head;
  if (*head != NULL)
    (*head)->previous = block;
  *head = block;

  block->newer = NULL;
  block->older = pool.newest;
  if (pool.newest != NULL)
    pool.newest->newer = block;
  else
    pool.oldest = block;
  pool.newest = block;
  pool.bytes += block->capacity;
}

static void
pool_remove (CandelaBlock *block)
{
  if (block->previous != NULL)
    block->previous->next = block->next;
  else
    pool.classes[block->pool_class] = block->next;
  if (block->next != NULL)
    block->next->previous = block->previous;

  if (block->newer != NULL)
    block->newer->older = block->older;
  else
    pool.newest = block->older;
  if (block->older != NULL)
    block->older->newer = block->newer;
  else
    pool.oldest = block->newer;
  pool.bytes -= block->capacity;
}

/* The newest block of the smallest class from this one on that has any, if it is
 * not too large. */
static CandelaBlock *
pool_find (guint class, gsize most)
{
  guint last = class_of (most);

  for (; class <= last; class ++)
    if (pool.classes[class] != NULL)
      return pool.classes[class]->capacity <= most ? pool.classes[class] : NULL;
  return NULL;
}

/* Takes the oldest out, until no more than limit is kept. */
static CandelaBlock *
pool_shrink (guint64 limit)
{
  CandelaBlock *out = NULL;

  while (pool.bytes > limit)
    {
      CandelaBlock *block = pool.oldest;

      pool_remove (block);
      block->next = out;
      out = block;
    }
  return out;
}

/* ---- For buffers ---- */

CandelaBlock *
candela_pool_take (gsize size)
{
  guint class = class_for (size);
  CandelaBlock *block;
  gsize capacity;

  pool_init ();
  pthread_mutex_lock (&pool.lock);
  block = pool_find (class, size + size / 4);
  if (block != NULL)
    pool_remove (block);
  /* What will not be kept need not be of a class's size. */
  capacity = class_size (class) <= pool.limit ? class_size (class) : size;
  pthread_mutex_unlock (&pool.lock);

  if (block == NULL)
    block = block_new (capacity);
  if (block == NULL)
    {
      candela_trim ();
      block = block_new (size);
    }
  if (block != NULL)
    {
      candela_memory_allow (block->data, size);
      candela_memory_forbid (block->data + size, block->capacity - size);
    }
  return block;
}

void
candela_pool_give (CandelaBlock *block)
{
  CandelaBlock *out;

  block->zero = FALSE;
  pthread_mutex_lock (&pool.lock);
  if (block->capacity > pool.limit)
    {
      block->next = NULL;
      out = block;
    }
  else
    {
      candela_memory_forbid (block->data, block->capacity);
      pool_insert (block);
      out = pool_shrink (pool.limit);
    }
  pthread_mutex_unlock (&pool.lock);
  free_blocks (out);
}

/* ---- For everyone ---- */

/**
 * candela_trim:
 *
 * Gives all memory that was freed and kept for later runs back to the system.
 *
 * Since: 1.0
 */
void
candela_trim (void)
{
  CandelaBlock *out;

  pool_init ();
  pthread_mutex_lock (&pool.lock);
  out = pool_shrink (0);
  pthread_mutex_unlock (&pool.lock);
  free_blocks (out);
#ifdef __GLIBC__
  /* What came from the heap goes no further by itself. */
  malloc_trim (0);
#endif
}

/**
 * candela_set_pool_limit:
 * @bytes: how much freed memory may be kept; 0: none
 *
 * Sets how much memory that is no longer used the process keeps for later runs,
 * instead of giving it back to the system. If more is kept at the moment, the
 * oldest goes back at once.
 *
 * Since: 1.0
 */
void
candela_set_pool_limit (guint64 bytes)
{
  CandelaBlock *out;

  pool_init ();
  pthread_mutex_lock (&pool.lock);
  pool.limit = bytes;
  out = pool_shrink (bytes);
  pthread_mutex_unlock (&pool.lock);
  free_blocks (out);
}

/**
 * candela_get_pool_limit:
 *
 * How much freed memory may be kept: what candela_set_pool_limit() has set, else
 * the environment variable `CANDELA_POOL_LIMIT` (bytes, or with the suffix K, M or
 * G), else 1 GiB, or a quarter of the memory that there is if that is less.
 *
 * Returns: the limit, in bytes
 *
 * Since: 1.0
 */
guint64
candela_get_pool_limit (void)
{
  guint64 limit;

  pool_init ();
  pthread_mutex_lock (&pool.lock);
  limit = pool.limit;
  pthread_mutex_unlock (&pool.lock);
  return limit;
}

/**
 * candela_get_pooled_bytes:
 *
 * How much memory that nothing uses is kept for later runs at the moment.
 *
 * Returns: the number of bytes, at most candela_get_pool_limit()
 *
 * Since: 1.0
 */
guint64
candela_get_pooled_bytes (void)
{
  guint64 bytes;

  pool_init ();
  pthread_mutex_lock (&pool.lock);
  bytes = pool.bytes;
  pthread_mutex_unlock (&pool.lock);
  return bytes;
}
