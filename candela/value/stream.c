/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Non-temporal stores, where the compiler's target has them (x86 with SSE2); the
 * cache takes whole lines of 64 bytes, so only such are stored in that way. */
#include <candela/value/stream-private.h>

#define LINE CANDELA_STREAM_LINE

#ifdef __SSE2__
static inline void
fetch_ahead (const CandelaStreamAhead *ahead, guint n_ahead, gsize line)
{
  for (guint i = 0; i < n_ahead; i++)
    for (gsize k = 0; k < ahead[i].step; k += LINE)
      _mm_prefetch ((const char *) ahead[i].data + line * ahead[i].step + k, _MM_HINT_T0);
}
#endif

gboolean
candela_can_stream (void)
{
#ifdef __SSE2__
  return TRUE;
#else
  return FALSE;
#endif
}

void
candela_stream (gpointer to, gconstpointer from, gsize size, const CandelaStreamAhead *ahead, guint n_ahead)
{
  guint8 *out = to;
  const guint8 *in = from;

#ifdef __SSE2__
  gsize head = MIN (-(guintptr) out & (LINE - 1), size);

  memcpy (out, in, head);
  out += head;
  in += head;
  size -= head;
  for (gsize line = 0; size >= LINE; line++, size -= LINE, out += LINE, in += LINE)
    {
      fetch_ahead (ahead, n_ahead, line);
      candela_stream_line (out, in);
    }
#endif
  memcpy (out, in, size);
}

void
candela_stream_end (void)
{
#ifdef __SSE2__
  _mm_sfence ();
#endif
}
