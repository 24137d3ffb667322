/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Modules that nobody knows are first opened by a child process, candela-plugin-scan. It
 * writes a record for each, in their order. If it ends before the last, crashes, or
 * takes too long, the module that it was at is set aside, and another child goes on
 * after that one. */
#include <candela/op/module-private.h>

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CANDELA_SCANNER
#define CANDELA_SCANNER "/usr/local/libexec/candela-1.0/candela-plugin-scan"
#endif

/* Of one module. */
#define SECONDS 10
/* On a command line. */
#define MOST_MODULES 256
/* Where the child writes: its standard output belongs to the modules. */
#define RECORDS_FD 3

/* A record is its size and a GVariant of this type: whether the module has registered
 * its ops, and these with their operators. The first is of nothing: the child is ready. */
#define RECORD_TYPE "(ba(sas))"
#define MAX_RECORD (16 << 20)

typedef struct
{
  GPid pid;
  int fd;
  gint64 deadline;
  gboolean late;
  GByteArray *bytes; /* read, and not taken yet */
} Child;

static int
scan_seconds (void)
{
  const char *text = candela_plugin_getenv ("CANDELA_PLUGIN_SCAN_SECONDS");
  guint64 seconds = text != NULL ? g_ascii_strtoull (text, NULL, 10) : 0;

  return seconds > 0 && seconds < 3600 ? (int) seconds : SECONDS;
}

static gboolean
child_start (Child *child, CandelaModule *const *modules, gsize n)
{
  const char *given = candela_plugin_getenv ("CANDELA_PLUGIN_SCANNER");
  const char *scanner = given != NULL ? given : CANDELA_SCANNER;
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), "CANDELA_PLUGIN_SCAN", "no", TRUE);
  g_autoptr (GError) local = NULL;
  int pipe[2], target = RECORDS_FD;
  gboolean ok;

  if (!g_unix_open_pipe (pipe, FD_CLOEXEC, &local))
    {
      candela_plugin_debug ("no plugin is scanned: %s", local->message);
      return FALSE;
    }
  g_ptr_array_add (arguments, (gpointer) scanner);
  for (gsize k = 0; k < n; k++)
    g_ptr_array_add (arguments, modules[k]->filename);
  g_ptr_array_add (arguments, NULL);
  ok = g_spawn_async_with_pipes_and_fds (
    NULL, (const char *const *) arguments->pdata, (const char *const *) environment,
    G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, -1, -1, -1,
    &pipe[1], &target, 1, &child->pid, NULL, NULL, NULL, &local);
  close (pipe[1]);
  if (!ok)
    {
      candela_plugin_debug ("no plugin is scanned: %s", local->message);
      close (pipe[0]);
      return FALSE;
    }
  child->fd = pipe[0];
  child->deadline = g_get_monotonic_time () + scan_seconds () * G_USEC_PER_SEC;
  child->late = FALSE;
  child->bytes = g_byte_array_new ();
  return TRUE;
}

/* FALSE: there is no more, or it takes too long. */
static gboolean
read_some (Child *child)
{
  guint8 buffer[4096];

  for (;;)
    {
      gint64 left = (child->deadline - g_get_monotonic_time () + 999) / 1000;
      struct pollfd poller = { .fd = child->fd, .events = POLLIN };
      gssize n;

      child->late = left <= 0;
      if (child->late)
        return FALSE;
      if (poll (&poller, 1, (int) left) <= 0)
        continue;
      n = read (child->fd, buffer, sizeof buffer);
      if (n < 0 && errno == EINTR)
        continue;
      if (n > 0)
        g_byte_array_append (child->bytes, buffer, (guint) n);
      return n > 0;
    }
}

/* The next record; NULL if none comes. */
static GVariant *
take_record (Child *child)
{
  guint32 size;
  g_autoptr (GBytes) bytes = NULL;

  for (;;)
    {
      if (child->bytes->len >= sizeof size)
        {
          memcpy (&size, child->bytes->data, sizeof size);
          if (size > MAX_RECORD)
            return NULL;
          if (child->bytes->len >= sizeof size + size)
            break;
        }
      if (!read_some (child))
        return NULL;
    }
  bytes = g_bytes_new (child->bytes->data + sizeof size, size);
  g_byte_array_remove_range (child->bytes, 0, (guint) sizeof size + size);
  child->deadline = g_get_monotonic_time () + scan_seconds () * G_USEC_PER_SEC;
  return g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (RECORD_TYPE), bytes, FALSE));
}

static void
take_facts (CandelaModule *module, GVariant *record)
{
  g_autoptr (GVariantIter) ops = NULL;
  gboolean registered;
  char *name;
  char **operators;

  g_variant_get (record, "(ba(sas))", &registered, &ops);
  module->facts.known = TRUE;
  if (!registered)
    return;
  module->facts.listed = candela_module_listed_new ();
  while (g_variant_iter_next (ops, "(s^as)", &name, &operators))
    g_hash_table_insert (module->facts.listed, name, operators);
}

/* Ends it, if it has not ended; how it did. */
static int
child_end (Child *child)
{
  int status = 0;

  if (child->late)
    kill (child->pid, SIGKILL);
  close (child->fd);
  while (waitpid (child->pid, &status, 0) < 0 && errno == EINTR)
    ;
  g_spawn_close_pid (child->pid);
  g_byte_array_unref (child->bytes);
  return status;
}

static void
set_aside (CandelaModule *module, const Child *child, int status)
{
  g_autofree char *how = NULL;

  if (child->late)
    how = g_strdup_printf ("it has not registered its ops within %d s", scan_seconds ());
  else if (WIFSIGNALED (status))
    how = g_strdup_printf ("it crashed as its ops were to be registered: %s", g_strsignal (WTERMSIG (status)));
  else
    how = g_strdup_printf ("it ended the process as its ops were to be registered, with the status %d",
                           WIFEXITED (status) ? WEXITSTATUS (status) : -1);
  module->facts.known = TRUE;
  module->facts.reason = g_strdup_printf ("%s: %s", module->filename, how);
}

/* How many are done, the one that ended the child included; 0: nothing can be scanned. */
static gsize
scan_some (CandelaModule *const *modules, gsize n)
{
  g_autoptr (GVariant) ready = NULL;
  Child child;
  gsize done = 0;
  int status;

  if (!child_start (&child, modules, n))
    return 0;
  ready = take_record (&child);
  while (ready != NULL && done < n)
    {
      g_autoptr (GVariant) record = take_record (&child);

      if (record == NULL)
        break;
      take_facts (modules[done++], record);
    }
  status = child_end (&child);
  if (ready == NULL)
    candela_plugin_debug ("no plugin is scanned: candela-plugin-scan does not start");
  else if (done < n)
    set_aside (modules[done++], &child, status);
  return done;
}

void
candela_scan_modules (CandelaModule *const *modules, gsize n)
{
  for (gsize done = 0, some; done < n; done += some)
    {
      some = scan_some (modules + done, MIN (n - done, MOST_MODULES));
      if (some == 0)
        return;
    }
}
