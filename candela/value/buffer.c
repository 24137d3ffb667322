/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Memory under tensors. Small buffers come from the heap, large ones straight
 * from the system: those are zero when fresh, go back at once when freed, and
 * can be had in huge pages, without which the first touch of a large result
 * takes longer than computing it. */
#include <candela/value/buffer-private.h>
#include <candela/value/debug-private.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MAP_FROM ((gsize) 1 << 20)
#define HUGE_PAGES_FROM ((gsize) 4 << 20)

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

static gpointer
buffer_map (gsize size)
{
  gpointer data = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (data == MAP_FAILED)
    return NULL;
#ifdef MADV_HUGEPAGE
  /* Advice: a kernel without huge pages refuses, and the memory is as good. */
  if (size >= HUGE_PAGES_FROM)
    madvise (data, size, MADV_HUGEPAGE);
#endif
  return data;
}

/* Uninitialised memory, aligned to CANDELA_ALIGNMENT. A size of 0 gives memory
 * too, so that data is never NULL. */
CandelaBuffer *
candela_buffer_new (gsize size, GError **error)
{
  gboolean mapped = size >= MAP_FROM;
  gpointer data = NULL;
  CandelaBuffer *buffer;

  if (size <= G_MAXSSIZE - 2 * CANDELA_ALIGNMENT)
    {
      if (mapped)
        data = buffer_map (size);
      else if (posix_memalign (&data, CANDELA_ALIGNMENT, MAX (size, CANDELA_ALIGNMENT)) != 0)
        data = NULL;
    }
  if (data == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "the system does not give %" G_GSIZE_FORMAT
                   " bytes of memory", size);
      return NULL;
    }

  buffer = g_new0 (CandelaBuffer, 1);
  g_atomic_ref_count_init (&buffer->ref_count);
  buffer->mapped = mapped;
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

  if (buffer != NULL && (!buffer->mapped || (candela_debug_flags () & CANDELA_DEBUG_POISON)))
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
      /* Whoever still reads it is to see that it was freed; mapped memory faults by itself. */
      if (G_UNLIKELY (candela_debug_flags () & CANDELA_DEBUG_POISON) && !buffer->mapped && !buffer->read_only)
        buffer_fill_poison (buffer);
      if (buffer->mapped)
        munmap (buffer->data, buffer->size);
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
