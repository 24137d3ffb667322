/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The process in which an op runs, and the one that watches it. */
#include <candela/check/check-private.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* How often a case is tried before the op is taken not to like any. */
#define ATTEMPTS 24
/* Between two looks at the child, in milliseconds. */
#define TICK 50
#define EXIT_TOLD 97

/* ---- In the child ---- */

static CandelaCheckShared *telling;

void
candela_check_fail (const CandelaCheck *check, CandelaCheckFact fact, const char *format, ...)
{
  CandelaCheckShared *shared = check != NULL ? check->shared : telling;
  va_list args;

  if (!shared->failed)
    {
      shared->failed = TRUE;
      shared->fact = fact;
      va_start (args, format);
      vsnprintf (shared->message, sizeof shared->message, format, args);
      va_end (args);
    }
  _exit (EXIT_TOLD);
}

void
candela_check_begin (const CandelaCheck *check, CandelaCheckFact fact, const char *format, ...)
{
  va_list args;

  check->shared->beat++;
  check->shared->fact = fact;
  check->shared->runs[fact]++;
  va_start (args, format);
  vsnprintf (check->shared->doing, sizeof check->shared->doing, format, args);
  va_end (args);
}

static void
on_message (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  if ((level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING)) != 0)
    candela_check_fail (NULL, CANDELA_CHECK_SURVIVAL, "it made %s say: %s", domain != NULL ? domain : "the library",
                        message);
}

static void
run_cases (CandelaOp *op, const CandelaCheckCase *only, guint64 seed, guint first, guint n, CandelaCheckShared *shared)
{
  if (only != NULL)
    {
      candela_check_run_case (op, only, shared);
      return;
    }
  for (guint index = first; index < n; index++)
    for (guint attempt = 0; attempt < ATTEMPTS; attempt++)
      {
        CandelaCheckCase test;
        gboolean taken;

        shared->index = index;
        shared->attempt = attempt;
        candela_check_case_init (&test, op, seed, index, attempt);
        taken = candela_check_run_case (op, &test, shared);
        candela_check_case_clear (&test);
        shared->n_cases += taken;
        shared->n_refused += !taken;
        if (taken)
          break;
      }
}

static void G_GNUC_NORETURN
be_child (CandelaOp *op, const CandelaCheckCase *only, guint64 seed, guint first, guint n, CandelaCheckShared *shared)
{
  telling = shared;
  g_log_set_default_handler (on_message, NULL);
  candela_check_memory_watch (NULL);
  candela_set_num_threads (1);
  run_cases (op, only, seed, first, n, shared);
  shared->finished = TRUE;
  _exit (0);
}

/* ---- In the process that watches ---- */

/* Waits until the child is gone; FALSE: it was told to go. */
static gboolean
wait_for_child (pid_t child, int pipe, guint limit, const CandelaCheckShared *shared, GCancellable *cancellable,
                int *status)
{
  guint32 beat = shared->beat;
  gint64 since = g_get_monotonic_time ();
  gboolean in_time = TRUE;

  while (TRUE)
    {
      struct pollfd end = { .fd = pipe, .events = POLLIN };

      if (poll (&end, 1, TICK) > 0)
        break;
      if (shared->beat != beat)
        {
          beat = shared->beat;
          since = g_get_monotonic_time ();
        }
      if (g_get_monotonic_time () - since < limit * (gint64) G_USEC_PER_SEC
          && !g_cancellable_is_cancelled (cancellable))
        continue;
      in_time = FALSE;
      kill (child, SIGKILL);
      break;
    }
  while (waitpid (child, status, 0) < 0 && errno == EINTR)
    ;
  return in_time;
}

/* Why it did not come back, if it has not said so itself. */
static void
tell_end (CandelaCheckShared *shared, gboolean in_time, guint limit, int status)
{
  if (shared->finished || shared->failed)
    return;
  shared->failed = TRUE;
  shared->fact = CANDELA_CHECK_SURVIVAL;
  if (!in_time)
    snprintf (shared->message, sizeof shared->message, "it does not come back: nothing for %u s", limit);
  else if (WIFSIGNALED (status))
    snprintf (shared->message, sizeof shared->message, "it crashed: signal %d (%s)", WTERMSIG (status),
              g_strsignal (WTERMSIG (status)));
  else
    snprintf (shared->message, sizeof shared->message, "it ended the process, with exit status %d",
              WEXITSTATUS (status));
}

gboolean
candela_check_watch (CandelaOp *op, const CandelaCheckCase *only, guint64 seed, guint first, guint n, guint limit,
                     CandelaCheckShared *shared, GCancellable *cancellable)
{
  int ends[2], status = 0;
  gboolean in_time;
  pid_t child;

  shared->finished = shared->failed = FALSE;
  shared->doing[0] = shared->message[0] = '\0';
  fflush (NULL);
  child = pipe (ends) == 0 ? fork () : -1;
  if (child < 0)
    {
      shared->failed = TRUE;
      shared->fact = CANDELA_CHECK_SURVIVAL;
      snprintf (shared->message, sizeof shared->message, "there is no process to run it in: %s", g_strerror (errno));
      return FALSE;
    }
  if (child == 0)
    {
      close (ends[0]);
      be_child (op, only, seed, first, n, shared);
    }
  close (ends[1]);
  in_time = wait_for_child (child, ends[0], limit, shared, cancellable, &status);
  close (ends[0]);
  if (!g_cancellable_is_cancelled (cancellable))
    tell_end (shared, in_time, limit, status);
  return !shared->failed;
}
