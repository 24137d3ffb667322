/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stores past the caches. A plain store to memory that is in no cache reads the
 * line first, and throws something else out of the cache for what nobody will
 * read soon. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What has fewer bytes is stored plainly: whoever reads it next may still find it
 * in a cache. The next step will do so for sure, whoever gets a result, perhaps. */
#define CANDELA_STREAM_RESULTS_FROM ((gsize) 8 << 20)
#define CANDELA_STREAM_FROM ((gsize) 32 << 20)

/* Whether there are such stores on this machine. */
gboolean candela_can_stream (void);

/* Something that is read next: so many bytes for each line of CANDELA_STREAM_LINE
 * that is stored. */
#define CANDELA_STREAM_LINE 64
#define CANDELA_STREAM_MAX_AHEAD 4

typedef struct
{
  const guint8 *data;
  gsize step;
} CandelaStreamAhead;

/* Copies, and meanwhile fetches what is read next: while lines are stored past the
 * caches, memory would have nothing else to do. The two do not overlap. */
void candela_stream (gpointer to, gconstpointer from, gsize size, const CandelaStreamAhead *ahead, guint n_ahead);

/* After the last of a row of copies: what follows comes after them, for other
 * threads too. */
void candela_stream_end (void);

G_END_DECLS
