/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sharing work out. One pool per process, its threads made when first needed. A
 * job is a row of chunks. Each thread has a range of them for its own, the same
 * whenever there are as many chunks and threads, so that it finds in its cache
 * what it had there for the step before, or for the run before; once done, it takes
 * from the ranges of others. Jobs go through their ranges forwards and backwards by
 * turns: of arrays larger than a cache the next job begins with what this one left there,
 * where it would otherwise find nothing. How work is cut into chunks depends on its size
 * alone, never on the number of threads.
 *
 * One job has the pool at a time; a job that comes meanwhile, or from within a
 * chunk, is done by its caller alone, who then has a thread of its own anyway. The
 * caller takes chunks too, and closes the job when none is left: workers that
 * come later stay out, so that nobody waits for a thread to wake up. A worker that
 * is done looks out for the next job for some microseconds before it sleeps, and is
 * woken on another processor than the caller's where it can be. */
#ifdef __linux__
#define _GNU_SOURCE /* for sched_getcpu() */
#endif
#include <candela/exec/executor-private.h>
#include <candela/value/control-group-private.h>
#include <pthread.h>
#include <sched.h>

#define MAX_THREADS 256
/* How long to look out before sleeping, in µs: longer than from a run of a plan to the
 * next, or than another's last chunk takes; about as long as it takes to be woken. */
#define LOOK_OUT 50
/* In a job's state: beside this bit the number of workers within. */
#define CLOSED 0x40000000

#if defined(__x86_64__) || defined(__i386__)
#define PAUSE() __builtin_ia32_pause ()
#else
#define PAUSE() __asm__ volatile("" ::: "memory")
#endif

/* What is left of one thread's chunks; a cache line each. */
typedef struct
{
  gsize next; /* atomic */
  gsize start, end;
} __attribute__ ((aligned (64))) Range;

static Range ranges[MAX_THREADS]; /* of the job: the caller's, then those of workers */

/* The job, in a cache line of its own: what idle workers look at, and all that one
 * needs to know to begin. To move a line to another processor takes as long as the rest. */
static struct
{
  int generation; /* of jobs; atomic */
  int state;      /* atomic */
  int wanted;     /* workers */
  int cpu;        /* where its caller runs; atomic */
  gboolean from_end;
  CandelaKernelChunkFunc func;
  gpointer data;
} __attribute__ ((aligned (64))) job = { .state = CLOSED };

static struct
{
  pthread_mutex_t user; /* held by whoever has a job under way */
  pthread_mutex_t lock; /* for sleeping and waking */
  pthread_cond_t work, idle;
  guint n_workers;
  int sleepers; /* changed under the lock; atomic */
} pool = {
  .user = PTHREAD_MUTEX_INITIALIZER,
  .lock = PTHREAD_MUTEX_INITIALIZER,
  .work = PTHREAD_COND_INITIALIZER,
  .idle = PTHREAD_COND_INITIALIZER,
};

static int n_threads; /* 0: not known yet */

/* The most threads that one of this thread's jobs was open to, since it was last
 * asked. */
static __thread guint width;

/* Which way this thread's last job went. */
static __thread gboolean backwards;

/* The child of a fork has no workers: it starts anew. */
static void
after_fork (void)
{
  pthread_mutex_init (&pool.user, NULL);
  pthread_mutex_init (&pool.lock, NULL);
  pthread_cond_init (&pool.work, NULL);
  pthread_cond_init (&pool.idle, NULL);
  pool.n_workers = 0;
  pool.sleepers = 0;
  job.state = CLOSED;
}

/* Those of a thread's own, then those of the threads after it; of these, what is left is
 * looked at before it is taken, so that no line is moved for nothing. */
static void
take_chunks (int own)
{
  CandelaKernelChunkFunc func = job.func;
  gpointer data = job.data;
  gboolean from_end = job.from_end;
  int n_ranges = job.wanted + 1;

  for (int i = 0; i < n_ranges; i++)
    {
      Range *range = &ranges[(own + i) % n_ranges];

      for (gboolean first = i == 0; first || g_atomic_pointer_get (&range->next) < range->end; first = FALSE)
        {
          gsize k = g_atomic_pointer_add (&range->next, 1);

          if (k >= range->end)
            break;
          func (from_end ? range->start + range->end - 1 - k : k, data);
        }
    }
}

static gboolean
enter (void)
{
  for (;;)
    {
      int state = g_atomic_int_get (&job.state);

      if ((state & CLOSED) != 0)
        return FALSE;
      if (g_atomic_int_compare_and_exchange (&job.state, state, state + 1))
        return TRUE;
    }
}

/* The last one out of a closed job tells its caller. */
static void
leave (void)
{
  if (g_atomic_int_add (&job.state, -1) != (CLOSED | 1))
    return;
  pthread_mutex_lock (&pool.lock);
  pthread_cond_signal (&pool.idle);
  pthread_mutex_unlock (&pool.lock);
}

/* Until the number is that, or no longer is; not for long. A pause takes from 10 ns
 * to 100, as the processor has it, hence the clock; to read it takes longer. */
static gboolean
look_out (const int *number, int value, gboolean equal)
{
  gint64 now = 0, end = 0;

  do
    {
      for (guint i = 0; i < 20; i++)
        {
          if ((g_atomic_int_get (number) == value) == equal)
            return TRUE;
          PAUSE ();
        }
      now = g_get_monotonic_time ();
      end = end == 0 ? now + LOOK_OUT : end;
    }
  while (now < end);
  return FALSE;
}

/* A system may wake a thread on the processor of the one that wakes it although others
 * have nothing to do; virtual ones, when idle, look to it as if they were taken away. Then
 * either runs only while the other waits. So a worker sleeps where the last job's caller
 * was not, and is free again once awake. */
#ifdef __linux__
typedef struct
{
  cpu_set_t all, others;
  gboolean apart;
} Place;

static void
keep_apart (Place *place, int cpu)
{
  place->apart = FALSE;
  if (sched_getaffinity (0, sizeof place->all, &place->all) != 0)
    return;
  place->others = place->all;
  CPU_CLR (cpu, &place->others);
  place->apart = CPU_COUNT (&place->others) > 0 && sched_setaffinity (0, sizeof place->others, &place->others) == 0;
}

/* Unless somebody else has said meanwhile where it may run. */
static void
let_free (const Place *place)
{
  cpu_set_t now;

  if (place->apart && sched_getaffinity (0, sizeof now, &now) == 0 && CPU_EQUAL (&now, &place->others))
    sched_setaffinity (0, sizeof place->all, &place->all);
}
#else
typedef int Place;

#define sched_getcpu() 0
#define keep_apart(place, cpu) ((void) (place), (void) (cpu))
#define let_free(place) ((void) (place))
#endif

static void
wait_for_generation (int seen)
{
  Place place;

  if (look_out (&job.generation, seen, FALSE))
    return;
  keep_apart (&place, g_atomic_int_get (&job.cpu));
  pthread_mutex_lock (&pool.lock);
  g_atomic_int_inc (&pool.sleepers);
  while (g_atomic_int_get (&job.generation) == seen)
    pthread_cond_wait (&pool.work, &pool.lock);
  g_atomic_int_add (&pool.sleepers, -1);
  pthread_mutex_unlock (&pool.lock);
  let_free (&place);
}

static gpointer
work (gpointer data)
{
  int index = GPOINTER_TO_INT (data);
  int seen = 0;

  for (;;)
    {
      wait_for_generation (seen);
      seen = g_atomic_int_get (&job.generation);
      if (!enter ())
        continue;
      if (index < job.wanted)
        take_chunks (index + 1);
      leave ();
    }
  return NULL;
}

/* As many workers as that, or as the system gives. */
static void
need_workers (guint n)
{
  static gsize once;

  if (g_once_init_enter (&once))
    {
      pthread_atfork (NULL, NULL, after_fork);
      g_once_init_leave (&once, 1);
    }
  while (pool.n_workers < n)
    {
      GThread *thread = g_thread_try_new ("candela", work, GINT_TO_POINTER (pool.n_workers), NULL);

      if (thread == NULL)
        return;
      g_thread_unref (thread);
      pool.n_workers++;
    }
}

static void
open_job (gsize n, CandelaKernelChunkFunc func, gpointer data, guint helpers, gboolean from_end)
{
  gsize start = 0;

  for (gsize k = 0; k <= helpers; k++)
    {
      gsize end = n / (helpers + 1) * (k + 1) + n % (helpers + 1) * (k + 1) / (helpers + 1);

      ranges[k].start = start;
      ranges[k].end = end;
      __atomic_store_n (&ranges[k].next, start, __ATOMIC_RELAXED);
      start = end;
    }
  job.func = func;
  job.data = data;
  job.from_end = from_end;
  job.wanted = (int) helpers;
  __atomic_store_n (&job.cpu, sched_getcpu (), __ATOMIC_RELAXED);
  /* Whoever finds it open sees all of the above. */
  __atomic_store_n (&job.state, 0, __ATOMIC_RELEASE);
  /* Either this sees one that is about to sleep, or that one the new job. */
  g_atomic_int_inc (&job.generation);
  if (g_atomic_int_get (&pool.sleepers) == 0)
    return;
  pthread_mutex_lock (&pool.lock);
  pthread_cond_broadcast (&pool.work);
  pthread_mutex_unlock (&pool.lock);
}

static void
close_job (void)
{
  g_atomic_int_or ((guint *) &job.state, CLOSED);
  if (look_out (&job.state, CLOSED, TRUE))
    return;
  pthread_mutex_lock (&pool.lock);
  while (g_atomic_int_get (&job.state) != CLOSED)
    pthread_cond_wait (&pool.idle, &pool.lock);
  pthread_mutex_unlock (&pool.lock);
}

void
candela_parallel_for (guint64 n, CandelaKernelChunkFunc func, gpointer data)
{
  guint helpers = MIN (candela_get_num_threads (), n) - (n > 0);
  gboolean from_end = FALSE;

  if (n > 1)
    from_end = backwards = !backwards;
  if (helpers == 0 || pthread_mutex_trylock (&pool.user) != 0)
    {
      for (guint64 chunk = 0; chunk < n; chunk++)
        func (from_end ? n - 1 - chunk : chunk, data);
      return;
    }
  need_workers (helpers);
  width = MAX (width, MIN (helpers, pool.n_workers) + 1);
  open_job (n, func, data, helpers, from_end);
  take_chunks (0);
  close_job ();
  pthread_mutex_unlock (&pool.user);
}

guint
candela_parallel_take_width (void)
{
  guint most = MAX (width, 1);

  width = 0;
  return most;
}

/* Processors that this thread may run on; GLib may count all that the machine has. */
static guint
count_allowed (void)
{
#ifdef __linux__
  cpu_set_t allowed;

  if (sched_getaffinity (0, sizeof allowed, &allowed) == 0)
    return (guint) CPU_COUNT (&allowed);
#endif
  return g_get_num_processors ();
}

static guint
count_processors (void)
{
  return MIN (count_allowed (), candela_control_group_get_processors (""));
}

/* A whole number above 0, else 0: as many as there are processors. */
static guint
parse_number (const char *text)
{
  guint64 n;

  if (text == NULL || !g_ascii_string_to_unsigned (text, 10, 1, G_MAXUINT64, &n, NULL))
    return 0;
  return (guint) MIN (n, MAX_THREADS);
}

/**
 * candela_set_num_threads:
 * @n: how many threads a run may use; 0: as many as there are processors for
 *   this process
 *
 * Sets how many threads share the work of a run, for the whole process: at most
 * 256, more are taken for that. The number changes no bit of any result.
 *
 * Since: 1.0
 */
void
candela_set_num_threads (guint n)
{
  g_atomic_int_set (&n_threads, n == 0 ? (int) count_processors () : (int) MIN (n, MAX_THREADS));
}

/**
 * candela_get_num_threads:
 *
 * How many threads share the work of a run: what candela_set_num_threads() has
 * set, else the environment variable `CANDELA_NUM_THREADS` if that is a whole number
 * above 0, else as many as there are processors for this process: its affinity mask
 * and the quotas of its control groups are heeded.
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
      candela_set_num_threads (parse_number (g_getenv ("CANDELA_NUM_THREADS")));
      n = g_atomic_int_get (&n_threads);
    }
  return n;
}
