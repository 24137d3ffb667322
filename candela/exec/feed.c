/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A kernel fed by an element-wise step: whenever the kernel packs elements of its
 * input, they are computed into the memory that it packs them into, on its thread.
 * The input as a whole is never there. */
#include <candela/exec/feed-private.h>

static void
feed_elements (gpointer data, gint64 start, gsize n, gpointer out)
{
  CandelaFeed *feed = data;
  CandelaPass pass = feed->pass;
  gsize done;

  /* As if the whole output were there. */
  pass.outputs[0] = (guint8 *) ((gsize) out - (gsize) start * pass.output_sizes[0]);
  candela_pass_run (&pass, (guint64) start, (guint64) start + n, NULL);
  done = g_atomic_pointer_add (&feed->done, (gssize) n) + n;
  if (g_thread_self () != pass.caller)
    return;
  g_atomic_pointer_add (&feed->done, -(gssize) done);
  candela_run_advance (pass.run, done);
}

gboolean
candela_feed_init (CandelaFeed *feed, CandelaRun *run, const CandelaPlanStep *step, GError **error)
{
  feed->done = 0;
  feed->inputs = candela_arena_new (&run->arena, CandelaPassInput, step->n_inputs);
  return candela_pass_init (&feed->pass, run, step, feed->inputs, NULL, error);
}

void
candela_feed_attach (CandelaFeed *feed, CandelaKernel *kernel)
{
  kernel->feed = feed_elements;
  kernel->feed_data = feed;
}

void
candela_feed_clear (CandelaFeed *feed)
{
  candela_pass_clear (&feed->pass);
}
