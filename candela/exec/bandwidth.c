/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How fast this machine copies memory: the roof under which a step stands that
 * does little with what it reads. Measured, not looked up, with the threads that
 * a run would have. */
#include <candela/exec/profile-private.h>
#include <string.h>

#define COPY_BYTES ((gsize) 32 << 20) /* beyond the second-level cache */
#define CHUNK_BYTES ((gsize) 1 << 20)
#define BUDGET (15 * G_USEC_PER_SEC / 1000)
#define MIN_COPIES 3

typedef struct
{
  guint8 *to;
  const guint8 *from;
} Copy;

static void
copy_chunk (guint64 chunk, gpointer data)
{
  const Copy *copy = data;

  memcpy (copy->to + chunk * CHUNK_BYTES, copy->from + chunk * CHUNK_BYTES, CHUNK_BYTES);
}

/* The best of several copies: a slower one was disturbed. */
static guint64
measure (void)
{
  g_autoptr (CandelaBuffer) to = candela_buffer_new (COPY_BYTES, NULL);
  g_autoptr (CandelaBuffer) from = candela_buffer_new (COPY_BYTES, NULL);
  gint64 deadline, best = G_MAXINT64;
  Copy copy;

  if (to == NULL || from == NULL)
    return 0;
  copy = (Copy){ to->data, from->data };
  memset (from->data, 1, COPY_BYTES);
  memset (to->data, 2, COPY_BYTES);
  deadline = g_get_monotonic_time () + BUDGET;
  for (guint n = 0; n < MIN_COPIES || g_get_monotonic_time () < deadline; n++)
    {
      gint64 start = candela_clock_nanoseconds ();

      candela_parallel_for (COPY_BYTES / CHUNK_BYTES, copy_chunk, &copy);
      best = MIN (best, MAX (candela_clock_nanoseconds () - start, 1));
    }
  return 2 * COPY_BYTES * 1e9 / best;
}

/**
 * candela_measure_copy_bandwidth:
 *
 * How many bytes a second a copy of memory moves, those that it reads and those
 * that it writes together, with as many threads as a run may use. Measured when
 * first asked (that takes some 20 ms and 64 MiB), and again when the number of
 * threads has changed; else as it was.
 *
 * Returns: bytes a second; 0 if there is no memory to copy
 *
 * Since: 1.0
 */
guint64
candela_measure_copy_bandwidth (void)
{
  static GMutex lock;
  static guint64 measured;
  static guint threads;
  guint n = candela_get_num_threads ();
  guint64 result;

  g_mutex_lock (&lock);
  if (measured == 0 || threads != n)
    {
      measured = measure ();
      threads = n;
    }
  result = measured;
  g_mutex_unlock (&lock);
  return result;
}
