/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An element-wise step that is written over the result of the kernel before it:
 * where the kernel tells which elements are final, the step runs on them at once,
 * on the thread that computed them, while they are in its cache. It is the same
 * step on the same elements, so no bit depends on when it runs. */
#include <candela/exec/follow-private.h>

static void
output_done (gpointer data, guint64 start, guint64 n)
{
  CandelaFollower *follower = data;

  if (start > follower->pass.n || n > follower->pass.n - start)
    return;
  candela_pass_run (&follower->pass, start, start + n, NULL);
  g_atomic_pointer_add (&follower->n_told, (gssize) n);
}

gboolean
candela_follower_init (CandelaFollower *follower, CandelaRun *run, const CandelaPlanStep *step, CandelaKernel *kernel,
                       GError **error)
{
  const CandelaPlanStep *next = step + 1, *end = run->plan->steps + run->plan->n_steps;

  *follower = (CandelaFollower){ .step = NULL };
  while (next < end && next->kind == CANDELA_STEP_REFERENCE)
    next++;
  if (next == end || !next->follows)
    return TRUE;
  follower->step = next;
  follower->inputs = candela_arena_new (&run->arena, CandelaPassInput, next->n_inputs);
  kernel->output_done = output_done;
  kernel->output_done_data = follower;
  return candela_pass_init (&follower->pass, run, next, follower->inputs, NULL, error);
}

gboolean
candela_follower_finish (CandelaFollower *follower, CandelaRun *run, const CandelaKernel *kernel, GError **error)
{
  if (follower->step == NULL || follower->n_told == 0)
    return TRUE;
  if (follower->n_told != follower->pass.n)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN,
                   "%s: the kernel told of %" G_GSIZE_FORMAT " of its %" G_GUINT64_FORMAT
                   " elements that they are done",
                   candela_op_get_name (kernel->op), follower->n_told, follower->pass.n);
      return FALSE;
    }
  run->followed = follower->step;
  return TRUE;
}

void
candela_follower_clear (CandelaFollower *follower)
{
  if (follower->step != NULL)
    candela_pass_clear (&follower->pass);
}
