/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A run of a plan: what its values are in memory. */
#pragma once

#include <candela/exec/materialize.h>
#include <candela/plan/arena-private.h>
#include <candela/plan/plan-private.h>
#include <pthread.h>
#include <string.h>

G_BEGIN_DECLS

/* When a step began and how long it took, in nanoseconds, and among how many threads
 * it was shared out. */
typedef struct
{
  gint64 start, duration;
  guint n_threads;
} CandelaStepTime;

/* Where a profiled run notes what takes how long. */
typedef struct
{
  CandelaStepTime *steps;
  guint64 *parts; /* of each part, in nanoseconds, summed over threads (atomic) */
} CandelaRunTimes;

typedef struct
{
  CandelaPlan *plan;
  CandelaBuffer **slots;    /* of each slot; NULL before its first step and after its last */
  CandelaBuffer **tensors;  /* memory of each tensor of the plan; a guarded copy when poisoning */
  CandelaTensor **bindings; /* packed, of each binding */
  GCancellable *cancellable;
  CandelaProgressFunc progress;
  gpointer progress_data;
  CandelaArena arena;              /* what is made ready for the step that runs, on its thread */
  const CandelaPlanStep *followed; /* a step that ran with the one before it; NULL if none did */
  guint64 *part_times;             /* of each part, to be added to; NULL if nobody asks */
  CandelaStepTime *times;          /* of each step, to be filled in; NULL if nobody asks */
  guint64 done, total;             /* elements written */
  guint64 held;                    /* bytes */
  CandelaRunStats stats;
} CandelaRun;

/* shares.c: that n elements are written, of which the caller's thread tells; *done: those that it has yet to
 * tell of. */
void candela_run_tell (CandelaRun *run, GThread *caller, gsize *done, gsize n);

/* Shares of a step that several threads compute, of which each may fail. */
typedef struct
{
  CandelaRun *run;
  GThread *caller;
  pthread_mutex_t lock;
  GError *error; /* the first, under the lock */
  gint failed;   /* atomic */
  gsize done;    /* atomic */
} CandelaShares;

void candela_shares_init (CandelaShares *shares, CandelaRun *run);
/* error: (transfer full). Those that have not begun need not. */
void candela_shares_fail (CandelaShares *shares, GError *error);
gboolean candela_shares_have_failed (const CandelaShares *shares);
void candela_shares_tell (CandelaShares *shares, gsize n);
/* FALSE: one has failed. */
gboolean candela_shares_end (CandelaShares *shares, GError **error);

/* materialize.c: candela_plan_run(), which notes the time of each step unless times
 * is NULL. */
CandelaTensor **candela_run_plan (CandelaPlan *plan, CandelaTensor *const *slots, gsize n_slots,
                                  GCancellable *cancellable, CandelaProgressFunc progress, gpointer user_data,
                                  const CandelaRunTimes *times, CandelaRunStats *stats, gsize *n_tensors,
                                  GError **error);

/* materialize.c: an array that owns them. */
GPtrArray *candela_take_tensors (CandelaTensor **tensors, gsize n);

/* A clock that only goes forward. */
gint64 candela_clock_nanoseconds (void);

/* When parts begin; 0 if nobody asks. And what they took, evenly, from then on. */
static inline gint64
candela_run_begin_parts (const CandelaRun *run)
{
  return run->part_times != NULL ? candela_clock_nanoseconds () : 0;
}

static inline void
candela_run_end_parts (const CandelaRun *run, guint32 first, guint32 n, gint64 began)
{
  gint64 took;

  if (run->part_times == NULL)
    return;
  took = candela_clock_nanoseconds () - began;
  for (guint32 p = 0; p < n; p++)
    g_atomic_pointer_add (&run->part_times[first + p], (gssize) (took / n));
}

/* One element n times over: a cache line element by element, and then as the C library copies, which knows the
 * processor's widest stores. */
static inline void
candela_spread (const guint8 *data, gsize size, guint8 *out, gsize n)
{
  gsize bytes = n * size, done = MIN (bytes, CANDELA_ALIGNMENT);

  if (size == 4)
    for (gsize i = 0; i < done; i += 4)
      memcpy (out + i, data, 4);
  else
    for (gsize i = 0; i < done; i += size)
      memcpy (out + i, data, size);
  for (gsize part; done < bytes; done += part)
    {
      part = MIN (done, bytes - done);
      memcpy (out + done, out, part);
    }
}

/* Runs every step; slots that results need are still there afterwards. */
gboolean candela_run_steps (CandelaRun *run, GError **error);

/* The buffer in which a value lies. */
CandelaBuffer *candela_run_get_buffer (const CandelaRun *run, const CandelaPlanValue *value);

/* The memory from which a value's layout counts. */
gpointer candela_run_get_data (const CandelaRun *run, guint32 value);

/* Tells the caller that so many more elements are written; the thread that runs
 * the plan only. */
void candela_run_advance (CandelaRun *run, guint64 elements);

/* Around kernels of which one runs at a time. */
void candela_run_begin_exclusive (void);
void candela_run_end_exclusive (void);

/* small.c: a fused step over few elements; FALSE, with nothing done, if it is not
 * one that is that simple. */
gboolean candela_run_small (CandelaRun *run, const CandelaPlanStep *step);

/* Calls an op's compute function, which may have to wait for another's. */
gboolean candela_run_compute (CandelaKernel *kernel, GError **error);

/* executor.c: a step that is a kernel of one input, over some of it. */
gboolean candela_run_compute_some (const CandelaRun *run, const CandelaPlanStep *step, gconstpointer in,
                                   const CandelaLayout *in_layout, gpointer *out, CandelaLayout **out_layouts,
                                   GError **error);

/* halves.c: whether a kernel is to be called as on float32, and that call. */
gboolean candela_kernel_has_halves (const CandelaKernel *kernel);
gboolean candela_kernel_compute_widened (const CandelaKernel *kernel, GError **error);

/* rows.c: steps that run together, block by block of their rows. */
gboolean candela_run_rows (CandelaRun *run, const CandelaPlanStep *step, GError **error);

/* turned.c: steps that run together by rows, if these are short ones of what is repeated; *ran:
 * FALSE, with nothing done, if they are not. */
gboolean candela_run_turned (CandelaRun *run, const CandelaPlanStep *step, gboolean *ran, GError **error);

/* tile.c: a fused step. */
gboolean candela_run_tiles (CandelaRun *run, const CandelaPlanStep *step, GError **error);

/* poison.c: a copy in pages that cannot be written to. */
CandelaBuffer *candela_buffer_new_guarded (const CandelaBuffer *original, GError **error);

/* threads.c: calls func for 0 to n - 1, on several threads, in any order; the
 * caller's is one of them, and index 0 is always its own. */
void candela_parallel_for (guint64 n, CandelaKernelChunkFunc func, gpointer data);

/* threads.c: the most threads among which this thread has shared out work since it
 * was last asked; at least 1. */
guint candela_parallel_take_width (void);

G_END_DECLS
