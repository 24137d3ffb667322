/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The pool of threads by itself: each chunk once, whatever their number and that of
 * threads, from within a chunk too, and in the child of a fork. */
#include <candela/exec/executor-private.h>

#include <sys/wait.h>
#include <unistd.h>

#define MAX_CHUNKS 40
#define ROUNDS 400
#define ASLEEP_US 500 /* more than workers look out */

typedef struct
{
  int times[MAX_CHUNKS]; /* atomic */
  guint64 n_inner;       /* chunks of the job within each */
  int inner;             /* atomic */
} Counts;

static void
count_inner (guint64 chunk, gpointer data)
{
  Counts *counts = data;

  g_atomic_int_add (&counts->inner, (int) chunk + 1);
}

static void
count (guint64 chunk, gpointer data)
{
  Counts *counts = data;

  if (counts->n_inner > 0)
    candela_parallel_for (counts->n_inner, count_inner, counts);
  g_atomic_int_inc (&counts->times[chunk]);
}

static gboolean
is_each_done_once (guint64 n, guint64 n_inner)
{
  Counts counts = { .n_inner = n_inner };

  candela_parallel_for (n, count, &counts);
  for (guint64 chunk = 0; chunk < MAX_CHUNKS; chunk++)
    if (counts.times[chunk] != (chunk < n))
      return FALSE;
  return (guint64) counts.inner == n * n_inner * (n_inner + 1) / 2;
}

static gboolean
are_all_done_once (void)
{
  for (guint threads = 1; threads <= 4; threads++)
    {
      candela_set_num_threads (threads);
      for (guint64 i = 0; i < ROUNDS; i++)
        {
          if (!is_each_done_once (i % (MAX_CHUNKS + 1), i % 3))
            return FALSE;
          if (i % 50 == 0)
            g_usleep (ASLEEP_US);
        }
    }
  return TRUE;
}

static void
test_once (void)
{
  g_assert_true (are_all_done_once ());
}

static void
test_fork (void)
{
  pid_t child;
  int status;

#ifdef __SANITIZE_THREAD__
  g_test_skip ("ThreadSanitizer starts no threads in a child");
  return;
#endif
  g_assert_true (is_each_done_once (MAX_CHUNKS, 0));
  child = fork ();
  if (child == 0)
    {
      alarm (120);
      _exit (!are_all_done_once ());
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_cmpint (status, ==, 0);
}

typedef struct
{
  guint64 chunks[3];
  gsize n;
} Order;

static void
note (guint64 chunk, gpointer data)
{
  Order *order = data;

  order->chunks[order->n++] = chunk;
}

/* A job begins where the one before it ended; one of a single chunk goes neither way. */
static void
test_turns (void)
{
  Order first = { .n = 0 }, single = { .n = 0 }, second = { .n = 0 };

  candela_set_num_threads (1);
  candela_parallel_for (3, note, &first);
  candela_parallel_for (1, note, &single);
  candela_parallel_for (3, note, &second);
  for (gsize i = 0; i < 3; i++)
    g_assert_cmpuint (second.chunks[i], ==, first.chunks[2 - i]);
  g_assert_cmpuint (first.chunks[1], ==, 1);
  g_assert_cmpuint (first.chunks[0] + first.chunks[2], ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/exec/parallel/once", test_once);
  g_test_add_func ("/exec/parallel/fork", test_fork);
  g_test_add_func ("/exec/parallel/turns", test_turns);
  return g_test_run ();
}
