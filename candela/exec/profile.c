/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A run that is timed step by step. The executor notes when each step began and
 * how long it took, if it is given where to; all else (what a step had to read, write
 * and compute) follows from the plan and is worked out when the run is over. */
#include <candela/exec/profile-private.h>
#include <candela/plan/print-private.h>

G_DEFINE_BOXED_TYPE (CandelaRunProfile, candela_run_profile, candela_run_profile_ref, candela_run_profile_unref)

/* Parts were timed tile by tile, on all threads: what they took of the step's time is
 * in proportion to that. A kernel that was fed took what the others did not. */
static void
share_out (CandelaRunProfile *profile)
{
  for (guint32 s = 0; s < profile->plan->n_steps; s++)
    {
      const CandelaPlanStep *step = &profile->plan->steps[s];
      guint64 *parts = profile->part_times + step->first_part, sum = 0;
      guint64 duration = profile->times[s].duration, all = duration * MAX (profile->times[s].n_threads, 1);

      for (guint32 p = 0; p < step->n_parts; p++)
        sum += parts[p];
      if (step->kind == CANDELA_STEP_FED && sum < all)
        {
          parts[step->n_parts - 1] = all - sum;
          sum = all;
        }
      for (guint32 p = 0; p < step->n_parts; p++)
        parts[p] = sum > 0 ? (guint64) ((double) parts[p] / sum * duration) : step->n_parts == 1 ? duration : 0;
    }
}

/* ---- Running ---- */

/**
 * candela_plan_run_profiled:
 * @plan: a plan
 * @slots: (array length=n_slots) (nullable): a tensor for each slot node, in the
 *   order in which the plan names them
 * @n_slots: their number
 * @cancellable: (nullable): what cancels the run
 * @progress: (nullable) (scope call) (closure user_data): told how far the run is
 * @user_data: data for @progress
 * @profile: (out) (transfer full): how long each step took
 * @n_tensors: (out) (optional): the number of results
 * @error: return location for an error
 *
 * As candela_plan_run(), and times each step, and each of its ops. That costs two looks
 * at the clock a step, and two for each tile of each op. The results are the same.
 *
 * Returns: (transfer full) (array length=n_tensors): the results, in
 *   the order of the roots; %NULL on an error of candela_plan_run(), and then there
 *   is no profile either
 *
 * Since: 1.0
 */
CandelaTensor **
candela_plan_run_profiled (CandelaPlan *plan, CandelaTensor *const *slots, gsize n_slots, GCancellable *cancellable,
                           CandelaProgressFunc progress, gpointer user_data, CandelaRunProfile **profile,
                           gsize *n_tensors, GError **error)
{
  g_autofree CandelaStepTime *times = NULL;
  g_autofree guint64 *part_times = NULL;
  CandelaRunStats stats = { 0 };
  CandelaTensor **tensors;
  gint64 start;

  if (profile != NULL)
    *profile = NULL;
  if (n_tensors != NULL)
    *n_tensors = 0;
  g_return_val_if_fail (plan != NULL, NULL);
  g_return_val_if_fail (profile != NULL, NULL);

  /* At least one: NULL is for runs that are not timed. */
  times = g_new0 (CandelaStepTime, MAX (plan->n_steps, 1));
  part_times = g_new0 (guint64, MAX (plan->n_parts, 1));
  start = candela_clock_nanoseconds ();
  tensors = candela_run_plan (plan, slots, n_slots, cancellable, progress, user_data,
                              &(CandelaRunTimes){ times, part_times }, &stats, n_tensors, error);
  if (tensors == NULL)
    return NULL;

  *profile = g_new0 (CandelaRunProfile, 1);
  g_atomic_ref_count_init (&(*profile)->ref_count);
  (*profile)->plan = candela_plan_ref (plan);
  (*profile)->stats = stats;
  (*profile)->n_threads = candela_get_num_threads ();
  for (guint32 s = 0; s < plan->n_steps; s++)
    times[s].start -= start;
  (*profile)->times = g_steal_pointer (&times);
  (*profile)->work = candela_measure_steps (plan);
  (*profile)->part_times = g_steal_pointer (&part_times);
  share_out (*profile);
  return tensors;
}

/**
 * candela_plan_run_profiled_array: (rename-to candela_plan_run_profiled)
 * @plan: a plan
 * @slots: (array length=n_slots) (nullable): a tensor for each slot node, in the
 *   order in which the plan names them
 * @n_slots: their number
 * @cancellable: (nullable): what cancels the run
 * @progress: (nullable) (scope call) (closure user_data): told how far the run is
 * @user_data: data for @progress
 * @profile: (out) (transfer full): how long each step took
 * @error: return location for an error
 *
 * As candela_plan_run_profiled(); this is what bindings call.
 *
 * Returns: (transfer container) (element-type Candela.Tensor): the
 *   results, in the order of the roots, which the array owns; %NULL on an error of
 *   candela_plan_run()
 *
 * Since: 1.0
 */
GPtrArray *
candela_plan_run_profiled_array (CandelaPlan *plan, CandelaTensor *const *slots, gsize n_slots,
                                 GCancellable *cancellable, CandelaProgressFunc progress, gpointer user_data,
                                 CandelaRunProfile **profile, GError **error)
{
  gsize n;
  CandelaTensor **tensors =
    candela_plan_run_profiled (plan, slots, n_slots, cancellable, progress, user_data, profile, &n, error);

  return tensors != NULL ? candela_take_tensors (tensors, n) : NULL;
}

/* ---- The object ---- */

/**
 * candela_run_profile_ref:
 * @profile: a profile
 *
 * Adds a reference.
 *
 * Returns: (transfer full): the profile
 *
 * Since: 1.0
 */
CandelaRunProfile *
candela_run_profile_ref (CandelaRunProfile *profile)
{
  g_return_val_if_fail (profile != NULL, NULL);

  g_atomic_ref_count_inc (&profile->ref_count);
  return profile;
}

/**
 * candela_run_profile_unref:
 * @profile: (transfer full): a profile
 *
 * Drops a reference.
 *
 * Since: 1.0
 */
void
candela_run_profile_unref (CandelaRunProfile *profile)
{
  g_return_if_fail (profile != NULL);

  if (!g_atomic_ref_count_dec (&profile->ref_count))
    return;
  candela_plan_unref (profile->plan);
  g_free (profile->times);
  g_free (profile->work);
  g_free (profile->part_times);
  g_free (profile);
}

/**
 * candela_run_profile_get_plan:
 * @profile: a profile
 *
 * The plan that was run; candela_plan_get_step_op() names its steps.
 *
 * Returns: (transfer none): the plan
 *
 * Since: 1.0
 */
CandelaPlan *
candela_run_profile_get_plan (CandelaRunProfile *profile)
{
  g_return_val_if_fail (profile != NULL, NULL);

  return profile->plan;
}

/**
 * candela_run_profile_get_stats:
 * @profile: a profile
 * @stats: (out caller-allocates): what the run did
 *
 * What candela_plan_run() tells of a run: steps, allocations, memory and time.
 *
 * Since: 1.0
 */
void
candela_run_profile_get_stats (CandelaRunProfile *profile, CandelaRunStats *stats)
{
  g_return_if_fail (profile != NULL);
  g_return_if_fail (stats != NULL);

  *stats = profile->stats;
}

/**
 * candela_run_profile_get_n_threads:
 * @profile: a profile
 *
 * How many threads the run might use. A step with little to do uses one.
 *
 * Returns: the number of threads
 *
 * Since: 1.0
 */
guint
candela_run_profile_get_n_threads (CandelaRunProfile *profile)
{
  g_return_val_if_fail (profile != NULL, 0);

  return profile->n_threads;
}

/**
 * candela_run_profile_get_n_steps:
 * @profile: a profile
 *
 * Those of the plan.
 *
 * Returns: the number of steps
 *
 * Since: 1.0
 */
guint
candela_run_profile_get_n_steps (CandelaRunProfile *profile)
{
  g_return_val_if_fail (profile != NULL, 0);

  return profile->plan->n_steps;
}

/**
 * candela_run_profile_get_step_start:
 * @profile: a profile
 * @step: a step, from 0
 *
 * When a step began.
 *
 * Returns: nanoseconds since the run began; 0 if there is no such step
 *
 * Since: 1.0
 */
guint64
candela_run_profile_get_step_start (CandelaRunProfile *profile, guint step)
{
  g_return_val_if_fail (profile != NULL, 0);

  return step < profile->plan->n_steps ? profile->times[step].start : 0;
}

/**
 * candela_run_profile_get_step_duration:
 * @profile: a profile
 * @step: a step, from 0
 *
 * How long a step took, its buffers included.
 *
 * Returns: nanoseconds; 0 if there is no such step
 *
 * Since: 1.0
 */
guint64
candela_run_profile_get_step_duration (CandelaRunProfile *profile, guint step)
{
  g_return_val_if_fail (profile != NULL, 0);

  return step < profile->plan->n_steps ? profile->times[step].duration : 0;
}

/**
 * candela_run_profile_get_step_bytes_read:
 * @profile: a profile
 * @step: a step, from 0
 *
 * What a step has to read: each of its inputs once, of a broadcast one only the
 * elements that there are. A reference to another value reads nothing.
 *
 * Returns: bytes; 0 if there is no such step
 *
 * Since: 1.0
 */
guint64
candela_run_profile_get_step_bytes_read (CandelaRunProfile *profile, guint step)
{
  g_return_val_if_fail (profile != NULL, 0);

  return step < profile->plan->n_steps ? profile->work[step].read : 0;
}

/**
 * candela_run_profile_get_step_bytes_written:
 * @profile: a profile
 * @step: a step, from 0
 *
 * What a step has to write: each of its outputs once.
 *
 * Returns: bytes; 0 if there is no such step
 *
 * Since: 1.0
 */
guint64
candela_run_profile_get_step_bytes_written (CandelaRunProfile *profile, guint step)
{
  g_return_val_if_fail (profile != NULL, 0);

  return step < profile->plan->n_steps ? profile->work[step].written : 0;
}

/**
 * candela_run_profile_get_step_elements:
 * @profile: a profile
 * @step: a step, from 0
 *
 * How many elements a step writes.
 *
 * Returns: the elements of its outputs; 0 if there is no such step
 *
 * Since: 1.0
 */
guint64
candela_run_profile_get_step_elements (CandelaRunProfile *profile, guint step)
{
  g_return_val_if_fail (profile != NULL, 0);

  return step < profile->plan->n_steps ? profile->work[step].elements : 0;
}

/**
 * candela_run_profile_get_step_n_threads:
 * @profile: a profile
 * @step: a step, from 0
 *
 * Among how many threads the work of a step was shared out; that of small steps is
 * not. A library that makes threads of its own is not counted.
 *
 * Returns: the number of threads; 0 if there is no such step
 *
 * Since: 1.0
 */
guint
candela_run_profile_get_step_n_threads (CandelaRunProfile *profile, guint step)
{
  g_return_val_if_fail (profile != NULL, 0);

  return step < profile->plan->n_steps ? profile->times[step].n_threads : 0;
}

/**
 * candela_run_profile_get_step_parts:
 * @profile: a profile
 * @step: a step, from 0
 *
 * The ops that a step runs, in order: several if they are fused.
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): their names; %NULL
 *   if there is no such step
 *
 * Since: 1.0
 */
char **
candela_run_profile_get_step_parts (CandelaRunProfile *profile, guint step)
{
  const CandelaPlanStep *of;
  char **parts;

  g_return_val_if_fail (profile != NULL, NULL);

  if (step >= profile->plan->n_steps)
    return NULL;
  of = &profile->plan->steps[step];
  parts = g_new0 (char *, of->n_parts + 1);
  for (guint32 p = 0; p < of->n_parts; p++)
    parts[p] = g_strdup (candela_plan_part_name (&profile->plan->parts[of->first_part + p]));
  return parts;
}

/**
 * candela_run_profile_get_part_duration:
 * @profile: a profile
 * @step: a step, from 0
 * @part: one of its parts, from 0
 *
 * How much of a step's time went into one of its ops, in nanoseconds. Parts take turns
 * tile by tile and are timed so, which costs the small tiles some of their speed; those
 * that hand on their values in vector registers share their time evenly.
 *
 * Returns: nanoseconds; 0 if there is no such part
 *
 * Since: 1.0
 */
guint64
candela_run_profile_get_part_duration (CandelaRunProfile *profile, guint step, guint part)
{
  g_return_val_if_fail (profile != NULL, 0);

  if (step >= profile->plan->n_steps || part >= profile->plan->steps[step].n_parts)
    return 0;
  return profile->part_times[profile->plan->steps[step].first_part + part];
}

/**
 * candela_run_profile_get_part_bytes:
 * @profile: a profile
 * @step: a step, from 0
 * @part: one of its parts, from 0
 *
 * What one of a step's ops reads and writes, in bytes, be it in memory, in a cache or
 * in registers: all its inputs once, and its outputs.
 *
 * Returns: bytes; 0 if there is no such part
 *
 * Since: 1.0
 */
guint64
candela_run_profile_get_part_bytes (CandelaRunProfile *profile, guint step, guint part)
{
  g_return_val_if_fail (profile != NULL, 0);

  if (step >= profile->plan->n_steps || part >= profile->plan->steps[step].n_parts)
    return 0;
  return candela_part_bytes (&profile->plan->parts[profile->plan->steps[step].first_part + part]);
}

/**
 * candela_run_profile_get_step_flops:
 * @profile: a profile
 * @step: a step, from 0
 *
 * How many floating-point operations a step does, as its op declares: 2 m n k for
 * the product of an m by k and a k by n matrix.
 *
 * Returns: the operations; 0 if the op does not declare them, or if there is no such
 *   step
 *
 * Since: 1.0
 */
guint64
candela_run_profile_get_step_flops (CandelaRunProfile *profile, guint step)
{
  g_return_val_if_fail (profile != NULL, 0);

  return step < profile->plan->n_steps ? profile->work[step].flops : 0;
}

/**
 * candela_run_profile_get_step_share:
 * @profile: a profile
 * @step: a step, from 0
 *
 * How close a step comes to the roofline of this machine: the least time in which
 * the bytes that it has to read and write could be moved at the speed of a copy, which is
 * that of candela_measure_copy_bandwidth(), or, if its op declares them and that is
 * longer, its floating-point operations be done at the speed of
 * candela_measure_arithmetic(), over the time that it took. Above 1 if its data were in a
 * cache already; far below 1 if it computes more than it moves and does not declare
 * it.
 *
 * Returns: the share; 0 if there is no such step
 *
 * Since: 1.0
 */
double
candela_run_profile_get_step_share (CandelaRunProfile *profile, guint step)
{
  CandelaRoofs roofs;

  g_return_val_if_fail (profile != NULL, 0);

  if (step >= profile->plan->n_steps)
    return 0;
  roofs = candela_measure_roofs (profile);
  return candela_step_share (profile, step, &roofs);
}
