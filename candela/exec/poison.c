/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CANDELA_DEBUG=poison: kernels get inputs from outside as copies in pages that
 * cannot be written to, so that one that writes into an input is caught in the
 * act. Copies, because the pages around the original are other people's. */
#include <candela/exec/executor-private.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct
{
  gpointer pages;
  gsize size;
} Guard;

static void
guard_free (gpointer data)
{
  Guard *guard = data;

  munmap (guard->pages, guard->size);
  g_free (guard);
}

CandelaBuffer *
candela_buffer_new_guarded (const CandelaBuffer *original, GError **error)
{
  gsize page = sysconf (_SC_PAGESIZE);
  gsize size = (MAX (original->size, 1) + page - 1) / page * page;
  gpointer pages = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Guard *guard;

  if (pages == MAP_FAILED)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "no memory for %" G_GSIZE_FORMAT " bytes", size);
      return NULL;
    }
  if (original->size > 0)
    memcpy (pages, original->data, original->size);
  mprotect (pages, size, PROT_READ);
  guard = g_new (Guard, 1);
  *guard = (Guard){ pages, size };
  return candela_buffer_new_foreign (pages, original->size, TRUE, guard_free, guard);
}
