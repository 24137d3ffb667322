/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Computing beside a main loop: the run is on another thread, and its end comes as
 * a callback in this one. Given a number of milliseconds, cancels the run after
 * them. */
#include <candela/candela.h>
#include <stdlib.h>

typedef struct
{
  GMainLoop *loop;
  CandelaNode *node;
  int status;
} Job;

static void
finished (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Job *job = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) value = candela_node_materialize_finish (job->node, result, &error);
  g_autofree char *text = value != NULL ? candela_tensor_to_string (value) : NULL;

  if (value != NULL)
    g_print ("%s\n", text);
  else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    g_print ("cancelled\n");
  else
    g_printerr ("%s\n", error->message);
  job->status = value == NULL;
  g_main_loop_quit (job->loop);
}

static gboolean
cancel (gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
  return G_SOURCE_REMOVE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node
    = candela_expression_build ("sum(arange(1000000, dtype=float64))", &error, NULL);
  g_autoptr (GMainLoop) loop = g_main_loop_new (NULL, FALSE);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Job job = { loop, node, 1 };

  if (node == NULL)
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }
  candela_node_materialize_async (node, cancellable, finished, &job);
  if (argc > 1)
    g_timeout_add (atoi (argv[1]), cancel, cancellable);
  g_main_loop_run (loop);
  return job.status;
}
