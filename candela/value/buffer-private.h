/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Buffers: the memory under tensors. A buffer has an owner (itself, a GBytes, a
 * mapped file, or someone who wants to be told when it is no longer needed),
 * and is told apart from what is laid over it. */
#pragma once

#include <candela/value/error.h>
#include <candela/value/pool-private.h>

G_BEGIN_DECLS

/* Alignment of memory of our own, in bytes: a cache line, and the widest vector. */
#define CANDELA_ALIGNMENT 64

typedef struct _CandelaBuffer CandelaBuffer;

struct _CandelaBuffer
{
  gatomicrefcount ref_count;
  guint8 read_only;
  guint8 *data;
  gsize size;
  GDestroyNotify destroy; /* the owner's; NULL for memory of our own */
  gpointer owner;
  CandelaBlock *block; /* of the pool; NULL for memory of the heap or of someone else */
};

/* Uninitialised, aligned memory; CANDELA_ERROR_NO_MEMORY if there is none. */
CandelaBuffer *candela_buffer_new (gsize size, GError **error);

CandelaBuffer *candela_buffer_new_zeroed (gsize size, GError **error);

/* Over memory of someone else, who is told by destroy (owner). */
CandelaBuffer *candela_buffer_new_foreign (gpointer data, gsize size, gboolean read_only, GDestroyNotify destroy,
                                           gpointer owner);

CandelaBuffer *candela_buffer_ref (CandelaBuffer *buffer);
void candela_buffer_unref (CandelaBuffer *buffer);

/* Fills the memory with what no result looks like: signalling NaNs; as_bool, with
 * ones, since a bool is 0 or 1. CANDELA_DEBUG=poison does the former to memory of
 * our own when it is allocated and before it is freed. */
void candela_buffer_poison (CandelaBuffer *buffer, gboolean as_bool);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CandelaBuffer, candela_buffer_unref)

G_END_DECLS
