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

/* Uninitialised memory, aligned to CANDELA_ALIGNMENT. A size of 0 gives memory
 * too, so that data is never NULL. */
CandelaBuffer *
candela_buffer_new (gsize size, GError **error)
{
  CandelaBlock *block = NULL;
  gpointer data = NULL;
  CandelaBuffer *buffer;

  if (size < CANDELA_POOL_FROM)
    {
      if (posix_memalign (&data, CANDELA_ALIGNMENT, MAX (size, CANDELA_ALIGNMENT)) != 0)
        data = NULL;
    }
  else if (size <= G_MAXSSIZE - 2 * CANDELA_ALIGNMENT)
    {
      block = candela_pool_take (size);
      data = block != NULL ? block->data : NULL;
    }
  if (data == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "the system does not give %" G_GSIZE_FORMAT
                   " bytes of memory", size);
      return NULL;
    }

  buffer = g_new0 (CandelaBuffer, 1);
  g_atomic_ref_count_init (&buffer->ref_count);
  buffer->block = block;
  buffer->data = data;
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
    buffer->destroy (buffer->owner);
  else
    {
      /* Whoever still reads it is to see that it was freed. */
      if (G_UNLIKELY (candela_debug_flags () & CANDELA_DEBUG_POISON))
        buffer_fill_poison (buffer);
      if (buffer->block != NULL)
        candela_pool_give (buffer->block);
      else
        free (buffer->data);
    }
  g_free (buffer);
}

void
candela_buffer_poison (CandelaBuffer *buffer, gboolean as_bool)
{
  if (as_bool)
    memset (buffer->data, 1, buffer->size);
  else
    buffer_fill_poison (buffer);
}
