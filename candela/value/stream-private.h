/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stores past the caches. A plain store to memory that is in no cache reads the
 * line first, and throws something else out of the cache for what nobody will
 * read soon. */
#pragma once

#include <glib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

G_BEGIN_DECLS

/* What has fewer bytes is stored plainly: whoever reads it next may still find it
 * in a cache. The next step will do so for sure, whoever gets a result, perhaps. */
#define CANDELA_STREAM_RESULTS_FROM ((gsize) 8 << 20)
#define CANDELA_STREAM_FROM ((gsize) 32 << 20)

/* Whether there are such stores on this machine. */
gboolean candela_can_stream (void);

#define CANDELA_STREAM_LINE 64
#define CANDELA_STREAM_MAX_AHEAD 4

/* One line, to where one begins. */
static inline void
candela_stream_line (guint8 *to, const guint8 *from)
{
#ifdef __SSE2__
  for (guint i = 0; i < CANDELA_STREAM_LINE; i += 16)
    _mm_stream_si128 ((__m128i *) (to + i), _mm_loadu_si128 ((const __m128i *) (from + i)));
#else
  memcpy (to, from, CANDELA_STREAM_LINE);
#endif
}

/* Something that is read next: so many bytes for each line that is stored. */
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
