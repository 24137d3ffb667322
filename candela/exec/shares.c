/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What threads that compute shares of a step have to say: how much they have written, which only the caller's
 * thread passes on, as it is the one that is listened to; and the first error. */
#include <candela/exec/executor-private.h>

void
candela_run_tell (CandelaRun *run, GThread *caller, gsize *done, gsize n)
{
  /* Nobody asks, and the threads need not change one line in turn; or the run was
   * cancelled, and nobody knows what is done. */
  if (run->progress == NULL || g_cancellable_is_cancelled (run->cancellable))
    return;
  g_atomic_pointer_add (done, (gssize) n);
  if (g_thread_self () == caller)
    {
      gsize told = (gsize) g_atomic_pointer_add (done, 0);

      g_atomic_pointer_add (done, -(gssize) told);
      candela_run_advance (run, told);
    }
}

void
candela_shares_init (CandelaShares *shares, CandelaRun *run)
{
  *shares = (CandelaShares){ .run = run, .caller = g_thread_self () };
  pthread_mutex_init (&shares->lock, NULL);
}

void
candela_shares_fail (CandelaShares *shares, GError *error)
{
  g_atomic_int_set (&shares->failed, TRUE);
  pthread_mutex_lock (&shares->lock);
  if (shares->error == NULL)
    shares->error = g_steal_pointer (&error);
  pthread_mutex_unlock (&shares->lock);
  g_clear_error (&error);
}

gboolean
candela_shares_have_failed (const CandelaShares *shares)
{
  return g_atomic_int_get (&shares->failed);
}

void
candela_shares_tell (CandelaShares *shares, gsize n)
{
  candela_run_tell (shares->run, shares->caller, &shares->done, n);
}

gboolean
candela_shares_end (CandelaShares *shares, GError **error)
{
  pthread_mutex_destroy (&shares->lock);
  if (shares->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&shares->error));
  return FALSE;
}
