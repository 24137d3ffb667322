/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sharing work out. A job is a row of chunks and a counter: whoever is free
 * takes the next one. The caller takes chunks too and waits only for those that
 * others have begun, so a job gets done even if no thread of the pool ever comes
 * (after a fork, for example, when there are none). How the work is cut into
 * chunks depends on its size alone, never on the number of threads. */
#include <candela/exec/executor-private.h>
#include <pthread.h>

#define MAX_THREADS 1024

typedef struct
{
  gatomicrefcount ref_count;
  CandelaChunkFunc func;
  gpointer data;
  guint64 n;
  guint64 next;   /* under the lock */
  guint64 active; /* chunks that others have begun, under the lock */
  GMutex lock;
  GCond idle;
} Job;

static int n_threads; /* 0: not known yet */
static int forked;

static void
after_fork (void)
{
  g_atomic_int_set (&forked, 1);
}

static void
job_unref (Job *job)
{
  if (!g_atomic_ref_count_dec (&job->ref_count))
    return;
  g_mutex_clear (&job->lock);
  g_cond_clear (&job->idle);
  g_free (job);
}

static void
help (gpointer data, gpointer unused)
{
  Job *job = data;

  g_mutex_lock (&job->lock);
  while (job->next < job->n)
    {
      guint64 chunk = job->next++;

      job->active++;
      g_mutex_unlock (&job->lock);
      job->func (chunk, job->data);
      g_mutex_lock (&job->lock);
      if (--job->active == 0)
        g_cond_signal (&job->idle);
    }
  g_mutex_unlock (&job->lock);
  job_unref (job);
}

static GThreadPool *
get_pool (void)
{
  static gsize once;

  if (g_once_init_enter (&once))
    {
      GThreadPool *pool = g_thread_pool_new (help, NULL, MAX_THREADS, FALSE, NULL);

      pthread_atfork (NULL, NULL, after_fork);
      g_once_init_leave (&once, (gsize) pool);
    }
  return (GThreadPool *) once;
}

void
candela_parallel_for (guint64 n, CandelaChunkFunc func, gpointer data)
{
  guint helpers = MIN (candela_get_num_threads (), n) - (n > 0);
  Job *job;

  if (helpers == 0 || g_atomic_int_get (&forked))
    {
      for (guint64 chunk = 0; chunk < n; chunk++)
        func (chunk, data);
      return;
    }

  job = g_new0 (Job, 1);
  g_atomic_ref_count_init (&job->ref_count);
  g_mutex_init (&job->lock);
  g_cond_init (&job->idle);
  job->func = func;
  job->data = data;
  job->n = n;
  job->next = 1;
  for (guint i = 0; i < helpers; i++)
    {
      g_atomic_ref_count_inc (&job->ref_count);
      if (!g_thread_pool_push (get_pool (), job, NULL))
        g_debug ("no further thread could be started");
    }
  func (0, data);
  g_mutex_lock (&job->lock);
  while (job->next < job->n)
    {
      guint64 chunk = job->next++;

      g_mutex_unlock (&job->lock);
      func (chunk, data);
      g_mutex_lock (&job->lock);
    }
  while (job->active > 0)
    g_cond_wait (&job->idle, &job->lock);
  g_mutex_unlock (&job->lock);
  job_unref (job);
}

/**
 * candela_set_num_threads:
 * @n: how many threads a run may use; 0: as many as there are processors
 *   for this process
 *
 * Sets how many threads share the work of a run, for the whole process. The
 * number changes no bit of any result.
 *
 * Since: 1.0
 */
void
candela_set_num_threads (guint n)
{
  g_atomic_int_set (&n_threads, n == 0 ? (int) g_get_num_processors () : (int) MIN (n, MAX_THREADS));
}

/**
 * candela_get_num_threads:
 *
 * How many threads share the work of a run: what candela_set_num_threads() has
 * set, else the environment variable `CANDELA_NUM_THREADS`, else as many as there
 * are processors for this process.
 *
 * Returns: the number of threads, at least 1
 *
 * Since: 1.0
 */
guint
candela_get_num_threads (void)
{
  int n = g_atomic_int_get (&n_threads);

  if (n == 0)
    {
      const char *text = g_getenv ("CANDELA_NUM_THREADS");
      guint64 wanted = text != NULL ? g_ascii_strtoull (text, NULL, 10) : 0;

      candela_set_num_threads (MIN (wanted, MAX_THREADS));
      n = g_atomic_int_get (&n_threads);
    }
  return n;
}
