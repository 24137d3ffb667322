/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory under tensors. Small buffers come from the heap, larger ones from the
 * pool, to which they return when their last user drops them. */
#include <candela/value/buffer-private.h>
#include <candela/value/debug-private.h>
#include <candela/value/pool-private.h>

#include <stdlib.h>
#include <string.h>

/* A signalling NaN as float32; as float64 (about 2^1019) and as an integer, a
 * number that nobody expects. */
#define POISON_WORD 0x7fa00001u

/* What the data of a foreign buffer without memory points to, so that it is
 * never NULL. */
static guint8 no_data[CANDELA_ALIGNMENT] __attribute__ ((aligned (CANDELA_ALIGNMENT)));

/* For foreign memory that nobody wants back: a NULL destroy is memory of our own. */
static void
buffer_keep_foreign (gpointer owner)
{
}

static void
buffer_fill_poison (CandelaBuffer *buffer)
{
  const guint32 word = POISON_WORD;
  gsize i;

  for (i = 0; i + sizeof word <= buffer->size; i += sizeof word)
    memcpy (buffer->data + i, &word, sizeof word);
  memcpy (buffer->data + i, &word, buffer->size - i);
}

/* One allocation, for the buffer and its memory after it. */
static CandelaBuffer *
buffer_new_small (gsize size)
{
  const gsize room = CANDELA_ALIGNMENT - 1 + size;
  CandelaBuffer *buffer = malloc (sizeof *buffer + room);
  guint8 *start;
  gsize before;

  if (buffer == NULL)
    return NULL;
  memset (buffer, 0, sizeof *buffer);
  start = (guint8 *) (buffer + 1);
  before = -(guintptr) start & (CANDELA_ALIGNMENT - 1);
  buffer->data = start + before;
  candela_memory_forbid (start, room);
  candela_memory_allow (buffer->data, size);
  return buffer;
}

static void
buffer_free_small (CandelaBuffer *buffer)
{
  candela_memory_allow (buffer + 1, CANDELA_ALIGNMENT - 1 + buffer->size);
  free (buffer);
}

static CandelaBuffer *
buffer_new_pooled (gsize size)
{
  CandelaBlock *block = candela_pool_take (size);
  CandelaBuffer *buffer;

  if (block == NULL)
    return NULL;
  buffer = g_new0 (CandelaBuffer, 1);
  buffer->block = block;
  buffer->data = block->data;
  return buffer;
}

/* Uninitialised memory, aligned to CANDELA_ALIGNMENT. A size of 0 gives memory
 * too, so that data is never NULL. */
CandelaBuffer *
candela_buffer_new (gsize size, GError **error)
{
  CandelaBuffer *buffer = NULL;

  if (size < CANDELA_POOL_FROM)
    buffer = buffer_new_small (size);
  else if (size <= G_MAXSSIZE - 2 * CANDELA_ALIGNMENT)
    buffer = buffer_new_pooled (size);
  if (buffer == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY,
                   "the system does not give %" G_GSIZE_FORMAT " bytes of memory", size);
      return NULL;
    }

  g_atomic_ref_count_init (&buffer->ref_count);
  buffer->size = size;
  if (G_UNLIKELY (candela_debug_flags () & CANDELA_DEBUG_POISON))
    buffer_fill_poison (buffer);
  return buffer;
}

/* Fresh pages are zero already, unless they were poisoned. */
CandelaBuffer *
candela_buffer_new_zeroed (gsize size, GError **error)
{
  CandelaBuffer *buffer = candela_buffer_new (size, error);
  gboolean zero = buffer != NULL && buffer->block != NULL && buffer->block->zero;

  if (buffer != NULL && (!zero || (candela_debug_flags () & CANDELA_DEBUG_POISON)))
    memset (buffer->data, 0, size);
  return buffer;
}

CandelaBuffer *
candela_buffer_new_foreign (gpointer data, gsize size, gboolean read_only, GDestroyNotify destroy, gpointer owner)
{
  CandelaBuffer *buffer = g_new0 (CandelaBuffer, 1);

  g_atomic_ref_count_init (&buffer->ref_count);
  buffer->read_only = !!read_only;
  buffer->data = data != NULL ? data : no_data;
  buffer->size = data != NULL ? size : 0;
  buffer->destroy = destroy != NULL ? destroy : buffer_keep_foreign;
  buffer->owner = owner;
  return buffer;
}

CandelaBuffer *
candela_buffer_ref (CandelaBuffer *buffer)
{
  g_atomic_ref_count_inc (&buffer->ref_count);
  return buffer;
}

void
candela_buffer_unref (CandelaBuffer *buffer)
{
  if (!g_atomic_ref_count_dec (&buffer->ref_count))
    return;

  if (buffer->destroy != NULL)
    {
      buffer->destroy (buffer->owner);
      g_free (buffer);
    }
  else
    {
      /* Whoever still reads it is to see that it was freed. */
      if (G_UNLIKELY (candela_debug_flags () & CANDELA_DEBUG_POISON))
        buffer_fill_poison (buffer);
      if (buffer->block != NULL)
        {
          candela_pool_give (buffer->block);
          g_free (buffer);
        }
      else
        buffer_free_small (buffer);
    }
}

void
candela_buffer_poison (CandelaBuffer *buffer, gboolean as_bool)
{
  if (as_bool)
    memset (buffer->data, 1, buffer->size);
  else
    buffer_fill_poison (buffer);
}
