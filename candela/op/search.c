/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which module has an op. The folders of the search path are listed once; that
 * gives the modules in path order: folder by folder, by name within one. A module
 * whose ops are known (module.c) is opened only for one of them; any other whenever a
 * search comes to it. So the first module in path order that has an op gives it, and
 * a module is hidden by an earlier one of the same name. What cannot be opened, or is
 * blocked, hides nothing, is remembered with its reason, and the search goes on. */
#include <candela/op/search-private.h>

#include <candela/op/foreign-private.h>
#include <candela/op/module-private.h>
#include <candela/op/params-private.h>
#include <glib/gstdio.h>
#include <gmodule.h>
#include <string.h>
#include <sys/stat.h>

#define UNSAFE_FOLDER ": anybody may write into this folder, and the process has raised privileges"

struct _CandelaSearch
{
  char *path;
  gboolean scanned;
  GPtrArray *modules; /* CandelaModule, in the order of search: first those loaded by hand */
  guint n_by_hand;
  GPtrArray *refused; /* messages */
  GStrv blocked;      /* names of plugins; or NULL */
  CandelaPluginFilterFunc filter;
  gpointer filter_data;
  GDestroyNotify filter_destroy;
};

static void
refuse (CandelaSearch *search, const char *message)
{
  candela_plugin_debug ("refused %s", message);
  g_ptr_array_add (search->refused, g_strdup (message));
}

/* Listing the search path. */

/* What anybody may put there must not run with privileges that not everybody has. */
static gboolean
is_safe_folder (const char *folder)
{
  GStatBuf info;

  return !candela_plugin_is_privileged () || g_stat (folder, &info) != 0 || (info.st_mode & S_IWOTH) == 0;
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
      candela_plugin_debug ("%s", local->message);
      return;
    }
  if (!is_safe_folder (folder))
    {
      g_autofree char *message = g_strconcat (folder, UNSAFE_FOLDER, NULL);
      refuse (search, message);
      return;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, "." G_MODULE_SUFFIX) || candela_foreign_is_file (name))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);

  for (guint k = 0; k < names->len; k++)
    g_ptr_array_add (search->modules, candela_module_new (g_build_filename (folder, names->pdata[k], NULL)));
}

/* If that is known to be necessary. */
static void
set_aside (CandelaSearch *search, CandelaModule *module)
{
  if (module->facts.reason == NULL)
    return;
  module->state = CANDELA_MODULE_REFUSED;
  module->reason = g_strdup (module->facts.reason);
  refuse (search, module->reason);
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
  candela_modules_learn ((CandelaModule *const *) search->modules->pdata, search->modules->len);
  for (guint k = 0; k < search->modules->len; k++)
    set_aside (search, search->modules->pdata[k]);
}

/* Modules. */

/* By name, or by the application. */
static char *
find_block (const CandelaSearch *search, const CandelaModule *module)
{
  if (search->blocked != NULL && g_strv_contains ((const char *const *) search->blocked, module->name))
    return g_strdup_printf ("%s: it is blocked by CANDELA_PLUGIN_BLOCK", module->filename);
  if (search->filter != NULL && !search->filter (module->name, module->filename, search->filter_data))
    return g_strdup_printf ("%s: it is blocked by the application", module->filename);
  return NULL;
}

static gboolean
is_blocked (CandelaSearch *search, CandelaModule *module)
{
  if (!module->asked && module->state != CANDELA_MODULE_REFUSED)
    {
      g_autofree char *message = find_block (search, module);

      module->asked = TRUE;
      if (message != NULL)
        {
          refuse (search, message);
          module->why_blocked = search->refused->pdata[search->refused->len - 1];
        }
    }
  return module->why_blocked != NULL;
}

static void
module_open (CandelaSearch *search, CandelaModule *module)
{
  g_autoptr (GError) local = NULL;

  module->state = CANDELA_MODULE_OPENING;
  module->plugin = candela_plugin_open (module->filename, &local);
  module->state = module->plugin != NULL ? CANDELA_MODULE_OPEN : CANDELA_MODULE_REFUSED;
  if (module->plugin != NULL)
    return;
  module->reason = g_strdup (local->message);
  refuse (search, local->message);
}

/* Is there an earlier module of the same name that can be opened? */
static gboolean
is_hidden (CandelaSearch *search, const CandelaModule *module)
{
  for (guint k = 0; k < search->modules->len && search->modules->pdata[k] != module; k++)
    {
      CandelaModule *earlier = search->modules->pdata[k];

      if (strcmp (earlier->name, module->name) != 0 || is_blocked (search, earlier))
        continue;
      if (earlier->state == CANDELA_MODULE_UNOPENED)
        module_open (search, earlier);
      if (earlier->state != CANDELA_MODULE_REFUSED)
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
lists (const CandelaModule *module, const char *key, gboolean is_operator)
{
  GHashTableIter iter;
  gpointer operators;

  if (!is_operator)
    return g_hash_table_contains (module->facts.listed, key);
  g_hash_table_iter_init (&iter, module->facts.listed);
  while (g_hash_table_iter_next (&iter, NULL, &operators))
    if (g_strv_contains (operators, key))
      return TRUE;
  return FALSE;
}

/* It is open, and has not what was said of it. If it was the cache that said so, who
 * knows better is asked, and only what then says so is told of. */
static void
doubt_list (CandelaSearch *search, CandelaModule *module, const char *key, gboolean is_operator)
{
  g_autofree char *file = NULL, *message = NULL;

  if (module->facts.cached)
    candela_modules_learn_anew (&module, 1);
  if (module->facts.listed == NULL || !lists (module, key, is_operator))
    return;
  file = candela_module_key_filename (module);
  message =
    g_strdup_printf ("%s: its key file %s lists \"%s\", which it does not register", module->filename, file, key);
  refuse (search, message);
}

/* While a module is opened the array may grow at its front, if its register_ops
 * loads a file; so the place is found again. */
CandelaOp *
candela_search_find_op (CandelaSearch *search, const char *key, gboolean is_operator)
{
  scan (search);
  for (guint k = 0; k < search->modules->len; k++)
    {
      CandelaModule *module = search->modules->pdata[k];
      gboolean unopened = module->state == CANDELA_MODULE_UNOPENED;
      CandelaOp *op;

      if ((unopened && module->facts.listed != NULL && !lists (module, key, is_operator)) || is_blocked (search, module)
          || is_hidden (search, module))
        continue;
      if (module->state == CANDELA_MODULE_UNOPENED)
        module_open (search, module);
      g_ptr_array_find (search->modules, module, &k);
      if (module->state != CANDELA_MODULE_OPEN)
        continue;
      op = is_operator ? peek_operator (module->plugin, key) : candela_plugin_peek_op (module->plugin, key);
      if (op != NULL)
        return op;
      if (unopened && module->facts.listed != NULL)
        doubt_list (search, module, key, is_operator);
    }
  return NULL;
}

/* What is known of those that are not open may be out of date: it is learnt again, what the
 * cache says once. */
gboolean
candela_search_learn_anew (CandelaSearch *search)
{
  g_autoptr (GPtrArray) modules = g_ptr_array_new ();

  for (guint k = 0; k < search->modules->len; k++)
    if (((CandelaModule *) search->modules->pdata[k])->state == CANDELA_MODULE_UNOPENED)
      g_ptr_array_add (modules, search->modules->pdata[k]);
  if (!candela_modules_learn_anew ((CandelaModule *const *) modules->pdata, modules->len))
    return FALSE;
  for (guint k = 0; k < modules->len; k++)
    set_aside (search, modules->pdata[k]);
  return TRUE;
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
nearest_name (CandelaSearch *search, const GPtrArray *added, const char *wanted)
{
  guint distance = MAX (1, MIN (strlen (wanted), 64) / 3) + 1;
  const char *best = NULL;

  for (guint k = 0; k < added->len; k++)
    suggest (wanted, candela_op_get_name (added->pdata[k]), &best, &distance);
  for (guint k = 0; k < search->modules->len; k++)
    {
      const CandelaModule *module = search->modules->pdata[k];
      GHashTableIter iter;
      gpointer name;

      if (module->why_blocked != NULL)
        continue;
      if (module->state == CANDELA_MODULE_OPEN)
        {
          GPtrArray *ops = candela_plugin_peek_ops (module->plugin);
          for (guint i = 0; i < ops->len; i++)
            suggest (wanted, candela_op_get_name (ops->pdata[i]), &best, &distance);
        }
      else if (module->state == CANDELA_MODULE_UNOPENED && module->facts.listed != NULL)
        {
          g_hash_table_iter_init (&iter, module->facts.listed);
          while (g_hash_table_iter_next (&iter, &name, NULL))
            suggest (wanted, name, &best, &distance);
        }
    }
  return best;
}

void
candela_search_set_unknown (CandelaSearch *search, const GPtrArray *added, const char *key, gboolean is_operator,
                            GError **error)
{
  g_autofree char *quoted = candela_quote_for_message (key);
  g_autoptr (GString) text = g_string_new (NULL);
  const char *nearest = is_operator ? NULL : nearest_name (search, added, key);

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
      CandelaModule *module = search->modules->pdata[k];

      if (strcmp (module->name, name) != 0)
        continue;
      if (is_blocked (search, module))
        {
          reason = module->why_blocked;
          continue;
        }
      if (module->state == CANDELA_MODULE_UNOPENED)
        module_open (search, module);
      if (module->state == CANDELA_MODULE_OPEN)
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

/* What is neither known nor has a key file is opened by a child process first. */
static CandelaPlugin *
open_by_hand (CandelaModule *module, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (module->filename);

  if (!is_safe_folder (folder))
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "%s" UNSAFE_FOLDER, folder);
      return NULL;
    }
  candela_modules_learn (&module, 1);
  if (module->facts.reason == NULL)
    return candela_plugin_open (module->filename, error);
  g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, module->facts.reason);
  return NULL;
}

CandelaPlugin *
candela_search_load_file (CandelaSearch *search, const char *filename, GError **error)
{
  CandelaModule *module = candela_module_new (g_canonicalize_filename (filename, NULL));
  g_autofree char *block = find_block (search, module);
  gboolean same;

  if (block != NULL)
    {
      g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, block);
      candela_module_free (module);
      return NULL;
    }
  scan (search);
  for (guint k = 0; k < search->modules->len; k++)
    {
      const CandelaModule *known = search->modules->pdata[k];

      if (known->state != CANDELA_MODULE_OPEN || strcmp (known->name, module->name) != 0)
        continue;
      same = strcmp (known->filename, module->filename) == 0;
      if (!same)
        g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "%s: a plugin \"%s\" has been loaded from %s",
                     module->filename, module->name, known->filename);
      candela_module_free (module);
      return same ? known->plugin : NULL;
    }

  module->plugin = open_by_hand (module, error);
  if (module->plugin == NULL)
    {
      candela_module_free (module);
      return NULL;
    }
  module->state = CANDELA_MODULE_OPEN;
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
      CandelaModule *module = search->modules->pdata[k];

      if (is_blocked (search, module) || is_hidden (search, module))
        continue;
      if (module->state == CANDELA_MODULE_UNOPENED)
        module_open (search, module);
      g_ptr_array_find (search->modules, module, &k);
      if (module->state == CANDELA_MODULE_OPEN)
        g_ptr_array_add (plugins, module->plugin);
    }
  return plugins;
}

/* Every module is asked about again. */
void
candela_search_set_filter (CandelaSearch *search, CandelaPluginFilterFunc filter, gpointer data, GDestroyNotify destroy)
{
  gpointer old = search->filter_data;
  GDestroyNotify old_destroy = search->filter_destroy;

  search->filter = filter;
  search->filter_data = data;
  search->filter_destroy = destroy;
  for (guint k = 0; k < search->modules->len; k++)
    {
      CandelaModule *module = search->modules->pdata[k];

      g_ptr_array_remove (search->refused, (gpointer) module->why_blocked);
      module->why_blocked = NULL;
      module->asked = FALSE;
    }
  if (old_destroy != NULL)
    old_destroy (old);
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
  if (candela_plugin_getenv ("CANDELA_PLUGIN_BLOCK") != NULL)
    search->blocked = g_strsplit_set (candela_plugin_getenv ("CANDELA_PLUGIN_BLOCK"), ",: ", -1);
  search->modules = g_ptr_array_new_with_free_func (candela_module_free);
  search->refused = g_ptr_array_new_with_free_func (g_free);
  return search;
}

void
candela_search_free (CandelaSearch *search)
{
  if (search->filter_destroy != NULL)
    search->filter_destroy (search->filter_data);
  g_free (search->path);
  g_strfreev (search->blocked);
  g_ptr_array_unref (search->modules);
  g_ptr_array_unref (search->refused);
  g_free (search);
}
