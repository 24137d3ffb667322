/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorting anywhere: by the bytes of the keys, the last one first. A byte that is the
 * same in all keys is passed over. */
#include "keys.h"

/* Up to which keys are inserted one by one. */
#define FEW 48

#define SORT_KEYS(bits)                                                                                                \
  static void insert##bits (gint##bits *keys, gsize n)                                                                 \
  {                                                                                                                    \
    for (gsize i = 1; i < n; i++)                                                                                      \
      {                                                                                                                \
        const gint##bits key = keys[i];                                                                                \
        gsize k = i;                                                                                                   \
                                                                                                                       \
        for (; k > 0 && keys[k - 1] > key; k--)                                                                        \
          keys[k] = keys[k - 1];                                                                                       \
        keys[k] = key;                                                                                                 \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  gboolean SORT_NAME (keys##bits) (gint##bits * keys, gsize n, gsize wanted G_GNUC_UNUSED, gpointer scratch,           \
                                   GCancellable * cancellable)                                                         \
  {                                                                                                                    \
    const guint##bits turn = (guint##bits) 1 << (bits - 1);                                                            \
    gsize counts[bits / 8][256] = { { 0 } };                                                                           \
    guint##bits *from = (guint##bits *) keys, *to = scratch, *other;                                                   \
                                                                                                                       \
    if (n <= FEW)                                                                                                      \
      {                                                                                                                \
        insert##bits (keys, n);                                                                                        \
        return TRUE;                                                                                                   \
      }                                                                                                                \
    for (gsize i = 0; i < n; i++)                                                                                      \
      for (guint digit = 0; digit < bits / 8; digit++)                                                                 \
        counts[digit][((from[i] ^ turn) >> (8 * digit)) & 255]++;                                                      \
    for (guint digit = 0; digit < bits / 8; digit++)                                                                   \
      {                                                                                                                \
        gsize place = 0;                                                                                               \
                                                                                                                       \
        if (g_cancellable_is_cancelled (cancellable))                                                                  \
          return FALSE;                                                                                                \
        if (counts[digit][((from[0] ^ turn) >> (8 * digit)) & 255] == n)                                               \
          continue;                                                                                                    \
        for (guint value = 0; value < 256; value++)                                                                    \
          {                                                                                                            \
            const gsize count = counts[digit][value];                                                                  \
                                                                                                                       \
            counts[digit][value] = place;                                                                              \
            place += count;                                                                                            \
          }                                                                                                            \
        for (gsize i = 0; i < n; i++)                                                                                  \
          to[counts[digit][((from[i] ^ turn) >> (8 * digit)) & 255]++] = from[i];                                      \
        other = from;                                                                                                  \
        from = to;                                                                                                     \
        to = other;                                                                                                    \
      }                                                                                                                \
    if (from != (guint##bits *) keys)                                                                                  \
      memcpy (keys, from, n * sizeof *keys);                                                                           \
    return TRUE;                                                                                                       \
  }

SORT_KEYS (32)
SORT_KEYS (64)
