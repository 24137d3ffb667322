/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is known of a module before it is opened. The cache answers, if neither the
 * module nor its key file has changed since; then the key file, which whoever built
 * the module has made from it; and of a module without one a child process. What was
 * learnt goes into the cache. */
#include <candela/op/module-private.h>

#include <candela/op/foreign-private.h>
#include <candela/value/debug-private.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

/* Of a text or of the cache. */
#define MOST_BYTES (64 << 20)

void
candela_plugin_debug (const char *format, ...)
{
  if (!(candela_debug_flags () & CANDELA_DEBUG_PLUGINS))
    return;

  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_printerr ("candela: %s\n", text);
}

gboolean
candela_plugin_is_privileged (void)
{
#ifdef __linux__
  return getauxval (AT_SECURE) != 0;
#else
  return geteuid () != getuid () || getegid () != getgid ();
#endif
}

const char *
candela_plugin_getenv (const char *name)
{
  return candela_plugin_is_privileged () ? NULL : g_getenv (name);
}

gboolean
candela_plugin_check_file (const char *filename, GError **error)
{
  GStatBuf info;

  if (g_stat (filename, &info) != 0)
    {
      int code = errno;

      g_set_error (error, G_FILE_ERROR, (gint) g_file_error_from_errno (code), "it cannot be looked at: %s",
                   g_strerror (code));
      return FALSE;
    }
  if (!S_ISREG (info.st_mode))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "it is not a regular file");
      return FALSE;
    }
  if (info.st_size > MOST_BYTES)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "it has %" G_GINT64_FORMAT " bytes; at most %d are read",
                   (gint64) info.st_size, MOST_BYTES);
      return FALSE;
    }
  return TRUE;
}

CandelaModule *
candela_module_new (char *filename)
{
  CandelaModule *module = g_new0 (CandelaModule, 1);
  module->filename = filename;
  module->name = candela_plugin_name_from_filename (filename);
  return module;
}

void
candela_module_facts_clear (CandelaModuleFacts *facts)
{
  g_clear_pointer (&facts->reason, g_free);
  g_clear_pointer (&facts->listed, g_hash_table_unref);
  facts->known = facts->cached = FALSE;
}

void
candela_module_free (gpointer data)
{
  CandelaModule *module = data;

  g_free (module->filename);
  g_free (module->name);
  g_free (module->reason);
  candela_module_facts_clear (&module->facts);
  g_free (module);
}

GHashTable *
candela_module_listed_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_strfreev);
}

char *
candela_module_key_filename (const CandelaModule *module)
{
  g_autofree char *folder = g_path_get_dirname (module->filename);

  return g_strdup_printf ("%s/%s.plugin", folder, module->name);
}

static void
stamp (const char *filename, gint64 stamps[2])
{
  GStatBuf info;

  stamps[0] = stamps[1] = 0;
  if (g_stat (filename, &info) != 0)
    return;
  stamps[0] = info.st_size;
#ifdef __linux__
  stamps[1] = info.st_mtim.tv_sec * G_USEC_PER_SEC + info.st_mtim.tv_nsec / 1000;
#else
  stamps[1] = (gint64) info.st_mtime * G_USEC_PER_SEC;
#endif
}

static void
read_key_file (CandelaModule *module, const char *filename)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) local = NULL;
  g_auto (GStrv) ops = NULL;

  if (candela_plugin_check_file (filename, &local)
      && g_key_file_load_from_file (file, filename, G_KEY_FILE_NONE, &local))
    ops = g_key_file_get_keys (file, "Ops", NULL, &local);
  if (ops == NULL)
    {
      if (!g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        candela_plugin_debug ("%s: %s", filename, local->message);
      return;
    }

  module->facts.known = TRUE;
  module->facts.listed = candela_module_listed_new ();
  for (guint k = 0; ops[k] != NULL; k++)
    {
      GStrv operators = g_key_file_get_string_list (file, "Ops", ops[k], NULL, NULL);
      g_hash_table_insert (module->facts.listed, g_strdup (ops[k]), operators != NULL ? operators : g_new0 (char *, 1));
    }
}

/* A .ops file lists its ops itself. */
static void
read_foreign_file (CandelaModule *module)
{
  module->facts.listed = candela_foreign_file_list (module->filename);
  module->facts.known = module->facts.listed != NULL;
}

/* TRUE if the cache has it as it is now. */
static gboolean
recall (CandelaModule *module, GHashTable *cache)
{
  const CandelaModuleFacts *facts = g_hash_table_lookup (cache, module->filename);

  if (facts == NULL || memcmp (facts->stamps, module->facts.stamps, sizeof facts->stamps) != 0)
    return FALSE;
  module->facts.known = module->facts.cached = TRUE;
  module->facts.reason = g_strdup (facts->reason);
  module->facts.listed = facts->listed != NULL ? g_hash_table_ref (facts->listed) : NULL;
  return TRUE;
}

static void
stamp_module (const CandelaModule *module, gint64 stamps[4])
{
  g_autofree char *key = candela_module_key_filename (module);

  stamp (module->filename, stamps);
  stamp (key, stamps + 2);
}

/* What comes of it goes into learnt, but for what the cache knew. */
static void
learn (CandelaModule *const *modules, gsize n, GHashTable *cache, GPtrArray *learnt)
{
  g_autoptr (GPtrArray) unknown = g_ptr_array_new ();

  for (gsize k = 0; k < n; k++)
    {
      CandelaModule *module = modules[k];
      g_autofree char *key = candela_module_key_filename (module);

      stamp_module (module, module->facts.stamps);
      if (module->facts.stamps[1] == 0 || (cache != NULL && recall (module, cache)))
        continue;
      if (candela_foreign_is_file (module->filename))
        read_foreign_file (module);
      else if (module->facts.stamps[3] != 0)
        read_key_file (module, key);
      g_ptr_array_add (module->facts.known ? learnt : unknown, module);
    }
  if (unknown->len > 0 && g_strcmp0 (candela_plugin_getenv ("CANDELA_PLUGIN_SCAN"), "no") != 0)
    candela_scan_modules ((CandelaModule *const *) unknown->pdata, unknown->len);
  for (guint k = 0; k < unknown->len; k++)
    if (((CandelaModule *) unknown->pdata[k])->facts.known)
      g_ptr_array_add (learnt, unknown->pdata[k]);
}

static void
save (const GPtrArray *learnt)
{
  if (learnt->len > 0)
    candela_cache_save ((CandelaModule *const *) learnt->pdata, learnt->len);
}

void
candela_modules_learn (CandelaModule *const *modules, gsize n)
{
  g_autoptr (GHashTable) cache = n > 0 ? candela_cache_load () : NULL;
  g_autoptr (GPtrArray) learnt = g_ptr_array_new ();

  learn (modules, n, cache, learnt);
  save (learnt);
}

static void
unref_list (gpointer listed)
{
  if (listed != NULL)
    g_hash_table_unref (listed);
}

static gboolean
same_operators (const char *const *a, const char *const *b)
{
  guint k = 0;

  while (a[k] != NULL && b[k] != NULL && strcmp (a[k], b[k]) == 0)
    k++;
  return a[k] == NULL && b[k] == NULL;
}

static gboolean
same_ops (GHashTable *a, GHashTable *b)
{
  GHashTableIter iter;
  gpointer name, operators;

  if (a == NULL || b == NULL || g_hash_table_size (a) != g_hash_table_size (b))
    return a == b;
  g_hash_table_iter_init (&iter, a);
  while (g_hash_table_iter_next (&iter, &name, &operators))
    {
      const char *const *others = g_hash_table_lookup (b, name);

      if (others == NULL || !same_operators (operators, others))
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_doubtful (const CandelaModule *module)
{
  gint64 stamps[4];

  if (module->facts.cached && module->facts.listed != NULL)
    return TRUE;
  stamp_module (module, stamps);
  return memcmp (stamps, module->facts.stamps, sizeof stamps) != 0;
}

gboolean
candela_modules_learn_anew (CandelaModule *const *modules, gsize n)
{
  g_autoptr (GPtrArray) doubtful = g_ptr_array_new ();
  g_autoptr (GPtrArray) learnt = g_ptr_array_new ();
  g_autoptr (GPtrArray) lists = g_ptr_array_new_with_free_func (unref_list);
  gboolean changed = FALSE;

  for (gsize k = 0; k < n; k++)
    if (is_doubtful (modules[k]))
      {
        g_ptr_array_add (doubtful, modules[k]);
        g_ptr_array_add (lists, g_steal_pointer (&modules[k]->facts.listed));
        candela_module_facts_clear (&modules[k]->facts);
      }
  learn ((CandelaModule *const *) doubtful->pdata, doubtful->len, NULL, learnt);
  for (guint k = 0; k < doubtful->len; k++)
    changed = changed || !same_ops (lists->pdata[k], ((CandelaModule *) doubtful->pdata[k])->facts.listed);
  if (changed)
    save (learnt);
  return changed;
}
