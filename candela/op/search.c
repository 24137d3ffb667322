/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which module has an op. The folders of the search path are listed once; that
 * gives the modules in path order: folder by folder, by name within one. A module
 * with a key file beside it is opened only for an op that the key file lists; one
 * without is opened whenever a search comes to it. So the first module in path
 * order that has an op gives it, and a module is hidden by an earlier one of the
 * same name. What cannot be opened hides nothing, is remembered with its reason,
 * and the search goes on. */
#include <candela/op/search-private.h>

#include <candela/op/params-private.h>
#include <candela/value/debug-private.h>
#include <gmodule.h>
#include <string.h>

typedef enum {
  MODULE_UNOPENED,
  MODULE_OPENING, /* its register_ops is running, and has come back to us */
  MODULE_OPEN,
  MODULE_REFUSED
} ModuleState;

typedef struct
{
  char *filename;
  char *name;
  ModuleState state;
  CandelaPlugin *plugin; /* once open; never destroyed */
  char *reason;          /* why it was refused */
  GHashTable *listed;    /* op to NULL-terminated operators, from the key file; or NULL */
} Module;

struct _CandelaSearch
{
  char *path;
  gboolean scanned;
  GPtrArray *modules; /* Module, in the order of search: first those loaded by hand */
  guint n_by_hand;
  GPtrArray *refused; /* messages */
};

G_GNUC_PRINTF (1, 2)
static void
debug (const char *format, ...)
{
  if (!(candela_debug_flags () & CANDELA_DEBUG_PLUGINS))
    return;

  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_printerr ("candela: %s\n", text);
}

static Module *
module_new (char *filename)
{
  Module *module = g_new0 (Module, 1);
  module->filename = filename;
  module->name = candela_plugin_name_from_filename (filename);
  return module;
}

static void
module_free (gpointer data)
{
  Module *module = data;

  g_free (module->filename);
  g_free (module->name);
  g_free (module->reason);
  g_clear_pointer (&module->listed, g_hash_table_unref);
  g_free (module);
}

/* Listing the search path. */

/* What the key file beside the module says; NULL if there is none that can be
 * read, and the module must be opened to know. */
static GHashTable *
read_key_file (const char *filename, const char *name)
{
  g_autofree char *folder = g_path_get_dirname (filename);
  g_autofree char *key_filename = g_strdup_printf ("%s/%s.plugin", folder, name);
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) local = NULL;
  g_auto (GStrv) ops = NULL;

  if (g_key_file_load_from_file (file, key_filename, G_KEY_FILE_NONE, &local))
    ops = g_key_file_get_keys (file, "Ops", NULL, &local);
  if (ops == NULL)
    {
      if (!g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOENT))
        debug ("%s: %s", key_filename, local->message);
      return NULL;
    }

  GHashTable *listed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_strfreev);
  for (guint k = 0; ops[k] != NULL; k++)
    {
      GStrv operators = g_key_file_get_string_list (file, "Ops", ops[k], NULL, NULL);
      g_hash_table_insert (listed, g_strdup (ops[k]), operators != NULL ? operators : g_new0 (char *, 1));
    }
  return listed;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

static void
scan_folder (CandelaSearch *search, const char *path)
{
  g_autofree char *folder = g_canonicalize_filename (path, NULL);
  g_autoptr (GError) local = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &local);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  if (dir == NULL)
    {
      debug ("%s", local->message);
      return;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, "." G_MODULE_SUFFIX))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);

  for (guint k = 0; k < names->len; k++)
    {
      Module *module = module_new (g_build_filename (folder, names->pdata[k], NULL));
      module->listed = read_key_file (module->filename, module->name);
      g_ptr_array_add (search->modules, module);
    }
}

static void
scan (CandelaSearch *search)
{
  if (search->scanned)
    return;
  search->scanned = TRUE;

  g_auto (GStrv) folders = g_strsplit (search->path, G_SEARCHPATH_SEPARATOR_S, -1);
  for (guint k = 0; folders[k] != NULL; k++)
    if (folders[k][0] != '\0')
      scan_folder (search, folders[k]);
}

/* Modules. */

static void
refuse (CandelaSearch *search, const char *message)
{
  debug ("refused %s", message);
  g_ptr_array_add (search->refused, g_strdup (message));
}

static void
module_open (CandelaSearch *search, Module *module)
{
  g_autoptr (GError) local = NULL;

  module->state = MODULE_OPENING;
  module->plugin = candela_plugin_open (module->filename, &local);
  module->state = module->plugin != NULL ? MODULE_OPEN : MODULE_REFUSED;
  if (module->plugin != NULL)
    return;
  module->reason = g_strdup (local->message);
  refuse (search, local->message);
}

/* Is there an earlier module of the same name that can be opened? */
static gboolean
is_hidden (CandelaSearch *search, const Module *module)
{
  for (guint k = 0; k < search->modules->len && search->modules->pdata[k] != module; k++)
    {
      Module *earlier = search->modules->pdata[k];

      if (strcmp (earlier->name, module->name) != 0)
        continue;
      if (earlier->state == MODULE_UNOPENED)
        module_open (search, earlier);
      if (earlier->state != MODULE_REFUSED)
        return TRUE;
    }
  return FALSE;
}

static CandelaOp *
peek_operator (CandelaPlugin *plugin, const char *symbol)
{
  GPtrArray *ops = candela_plugin_peek_ops (plugin);

  for (guint k = 0; k < ops->len; k++)
    {
      g_auto (GStrv) operators = candela_op_list_operators (ops->pdata[k]);
      if (g_strv_contains ((const char *const *) operators, symbol))
        return ops->pdata[k];
    }
  return NULL;
}

static gboolean
lists (const Module *module, const char *key, gboolean is_operator)
{
  GHashTableIter iter;
  gpointer operators;

  if (!is_operator)
    return g_hash_table_contains (module->listed, key);
  g_hash_table_iter_init (&iter, module->listed);
  while (g_hash_table_iter_next (&iter, NULL, &operators))
    if (g_strv_contains (operators, key))
      return TRUE;
  return FALSE;
}

/* While a module is opened the array may grow at its front, if its register_ops
 * loads a file; so the place is found again. */
CandelaOp *
candela_search_find_op (CandelaSearch *search, const char *key, gboolean is_operator)
{
  scan (search);
  for (guint k = 0; k < search->modules->len; k++)
    {
      Module *module = search->modules->pdata[k];
      gboolean unopened = module->state == MODULE_UNOPENED;
      CandelaOp *op;

      if ((unopened && module->listed != NULL && !lists (module, key, is_operator)) || is_hidden (search, module))
        continue;
      if (module->state == MODULE_UNOPENED)
        module_open (search, module);
      g_ptr_array_find (search->modules, module, &k);
      if (module->state != MODULE_OPEN)
        continue;
      op = is_operator ? peek_operator (module->plugin, key) : candela_plugin_peek_op (module->plugin, key);
      if (op != NULL)
        return op;
      if (unopened && module->listed != NULL)
        {
          g_autofree char *message =
            g_strdup_printf ("%s: its key file lists \"%s\", which it does not register", module->filename, key);
          refuse (search, message);
        }
    }
  return NULL;
}

/* What is wrong when an op is not found. */

/* How many letters must be changed, dropped, added or swapped with a neighbour to
 * make a of b, or more than the limit. The rows of the usual table, three of them
 * at a time. */
static guint
edit_distance (const char *a, const char *b, guint limit)
{
  gsize n = strlen (a), m = strlen (b);
  guint rows[3][64];

  if (n >= 64 || m >= 64 || (n > m ? n - m : m - n) > limit)
    return limit + 1;
  for (gsize j = 0; j <= m; j++)
    rows[0][j] = j;
  for (gsize i = 1; i <= n; i++)
    {
      guint *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];

      row[0] = i;
      for (gsize j = 1; j <= m; j++)
        {
          row[j] = MIN (MIN (last[j], row[j - 1]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
          if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            row[j] = MIN (row[j], before[j - 2] + 1);
        }
    }
  return rows[n % 3][m];
}

static void
suggest (const char *wanted, const char *name, const char **best, guint *best_distance)
{
  guint distance = edit_distance (wanted, name, *best_distance);

  if (distance < *best_distance || (distance == *best_distance && *best != NULL && strcmp (name, *best) < 0))
    {
      *best = name;
      *best_distance = distance;
    }
}

static const char *
nearest_name (CandelaSearch *search, const char *wanted)
{
  guint distance = MAX (1, MIN (strlen (wanted), 64) / 3) + 1;
  const char *best = NULL;

  for (guint k = 0; k < search->modules->len; k++)
    {
      const Module *module = search->modules->pdata[k];
      GHashTableIter iter;
      gpointer name;

      if (module->state == MODULE_OPEN)
        {
          GPtrArray *ops = candela_plugin_peek_ops (module->plugin);
          for (guint i = 0; i < ops->len; i++)
            suggest (wanted, candela_op_get_name (ops->pdata[i]), &best, &distance);
        }
      else if (module->state == MODULE_UNOPENED && module->listed != NULL)
        {
          g_hash_table_iter_init (&iter, module->listed);
          while (g_hash_table_iter_next (&iter, &name, NULL))
            suggest (wanted, name, &best, &distance);
        }
    }
  return best;
}

void
candela_search_set_unknown (CandelaSearch *search, const char *key, gboolean is_operator, GError **error)
{
  g_autofree char *quoted = candela_quote_for_message (key);
  g_autoptr (GString) text = g_string_new (NULL);
  const char *nearest = is_operator ? NULL : nearest_name (search, key);

  g_string_append_printf (text, is_operator ? "no op has the operator %s" : "no plugin has an op %s", quoted);
  if (nearest != NULL)
    g_string_append_printf (text, "; did you mean \"%s\"?", nearest);
  else if (search->modules->len == 0)
    g_string_append_printf (text, "; there is no plugin in %s",
                            search->path[0] != '\0' ? search->path : "an empty search path");
  if (search->refused->len == 1)
    g_string_append_printf (text, " (refused: %s)", (char *) search->refused->pdata[0]);
  else if (search->refused->len > 1)
    g_string_append_printf (text, " (%u refused, the first: %s)", search->refused->len,
                            (char *) search->refused->pdata[0]);
  g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_UNKNOWN_OP, text->str);
}

CandelaPlugin *
candela_search_find_plugin (CandelaSearch *search, const char *name, GError **error)
{
  const char *reason = NULL;

  scan (search);
  for (guint k = 0; k < search->modules->len; k++)
    {
      Module *module = search->modules->pdata[k];

      if (strcmp (module->name, name) != 0)
        continue;
      if (module->state == MODULE_UNOPENED)
        module_open (search, module);
      if (module->state == MODULE_OPEN)
        return module->plugin;
      if (reason == NULL)
        reason = module->reason;
    }

  if (reason != NULL)
    g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, reason);
  else
    {
      g_autofree char *quoted = candela_quote_for_message (name);
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "there is no plugin %s", quoted);
    }
  return NULL;
}

CandelaPlugin *
candela_search_load_file (CandelaSearch *search, const char *filename, GError **error)
{
  Module *module = module_new (g_canonicalize_filename (filename, NULL));
  gboolean same;

  scan (search);
  for (guint k = 0; k < search->modules->len; k++)
    {
      const Module *known = search->modules->pdata[k];

      if (known->state != MODULE_OPEN || strcmp (known->name, module->name) != 0)
        continue;
      same = strcmp (known->filename, module->filename) == 0;
      if (!same)
        g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "%s: a plugin \"%s\" has been loaded from %s",
                     module->filename, module->name, known->filename);
      module_free (module);
      return same ? known->plugin : NULL;
    }

  module->plugin = candela_plugin_open (module->filename, error);
  if (module->plugin == NULL)
    {
      module_free (module);
      return NULL;
    }
  module->state = MODULE_OPEN;
  g_ptr_array_insert (search->modules, search->n_by_hand++, module);
  return module->plugin;
}

GPtrArray *
candela_search_load_all (CandelaSearch *search)
{
  GPtrArray *plugins = g_ptr_array_new ();

  scan (search);
  for (guint k = 0; k < search->modules->len; k++)
    {
      Module *module = search->modules->pdata[k];

      if (is_hidden (search, module))
        continue;
      if (module->state == MODULE_UNOPENED)
        module_open (search, module);
      g_ptr_array_find (search->modules, module, &k);
      if (module->state == MODULE_OPEN)
        g_ptr_array_add (plugins, module->plugin);
    }
  return plugins;
}

GPtrArray *
candela_search_peek_refused (CandelaSearch *search)
{
  return search->refused;
}

CandelaSearch *
candela_search_new (const char *search_path)
{
  CandelaSearch *search = g_new0 (CandelaSearch, 1);

  search->path = g_strdup (search_path);
  search->modules = g_ptr_array_new_with_free_func (module_free);
  search->refused = g_ptr_array_new_with_free_func (g_free);
  return search;
}

void
candela_search_free (CandelaSearch *search)
{
  g_free (search->path);
  g_ptr_array_unref (search->modules);
  g_ptr_array_unref (search->refused);
  g_free (search);
}
