/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops by name. The first time that an op is asked for, the modules of the search
 * path are searched for it, under a lock (search.c). What was found goes into a
 * table that only grows and is read without one: buckets of linked entries, each
 * complete before it is linked. A plugin's op lives for ever. One that was added by
 * hand may be replaced, and then goes with its last node; so it is taken under the
 * lock, and counted. */
#include <candela/op/registry-private.h>

#include <candela/op/module-private.h>
#include <candela/op/search-private.h>
#include <string.h>

#ifndef CANDELA_PLUGIN_DIR
#define CANDELA_PLUGIN_DIR "/usr/local/lib/candela-1.0/plugins"
#endif

typedef struct _Entry Entry;

struct _Entry
{
  Entry *next;
  guint hash;
  char *key;
  CandelaOp *op; /* atomic: a module loaded by hand takes names over */
  gint may_go;   /* atomic, set before such an op is: not to be read without the lock */
};

#define N_BUCKETS 512

typedef Entry *Table[N_BUCKETS];

struct _CandelaRegistry
{
  GObject parent_instance;

  CandelaSearch *search; /* under candela_plugin_lock */
  Table ops;
  Table operators;
  GPtrArray *added; /* CandelaOp of no plugin; under the lock */
};

G_DEFINE_TYPE (CandelaRegistry, candela_registry, G_TYPE_OBJECT)

/* The table of what was found. */

static Entry *
table_find (Table table, const char *key)
{
  guint hash = g_str_hash (key);
  Entry *entry = g_atomic_pointer_get (&table[hash % N_BUCKETS]);

  while (entry != NULL && (entry->hash != hash || strcmp (entry->key, key) != 0))
    entry = entry->next;
  return entry;
}

/* Under the lock. */
static CandelaOp *
table_get (Table table, const char *key)
{
  Entry *entry = table_find (table, key);

  return entry != NULL ? entry->op : NULL;
}

/* Under the lock. */
static void
table_set (Table table, const char *key, CandelaOp *op)
{
  gboolean may_go = op != NULL && !candela_op_get_facts (op)->resident;
  Entry *entry = table_find (table, key);
  guint hash = g_str_hash (key);

  if (entry != NULL)
    {
      if (may_go)
        g_atomic_int_set (&entry->may_go, TRUE);
      g_atomic_pointer_set (&entry->op, op);
      return;
    }
  entry = g_new0 (Entry, 1);
  entry->hash = hash;
  entry->key = g_strdup (key);
  entry->op = op;
  entry->may_go = may_go;
  entry->next = table[hash % N_BUCKETS];
  g_atomic_pointer_set (&table[hash % N_BUCKETS], entry);
}

static void
table_clear (Table table)
{
  for (guint k = 0; k < N_BUCKETS; k++)
    while (table[k] != NULL)
      {
        Entry *entry = table[k];
        table[k] = entry->next;
        g_free (entry->key);
        g_free (entry);
      }
}

/* What was found is to be found anew. Under the lock. */
static void
table_forget (Table table)
{
  for (guint k = 0; k < N_BUCKETS; k++)
    for (Entry *entry = table[k]; entry != NULL; entry = entry->next)
      g_atomic_pointer_set (&entry->op, NULL);
}

/* By name or operator, in the table or else in the search path; NULL if there is none.
 * Under the lock. */
static CandelaOp *
find (CandelaRegistry *registry, const char *key, gboolean is_operator)
{
  Entry **table = is_operator ? registry->operators : registry->ops;
  CandelaOp *op = table_get (table, key);

  if (op != NULL)
    return op;
  op = candela_search_find_op (registry->search, key, is_operator);
  if (op != NULL)
    table_set (table, key, op);
  return op;
}

CandelaOp *
candela_registry_hold_op (CandelaRegistry *registry, const char *key, gboolean is_operator, GError **error)
{
  Entry *entry = table_find (is_operator ? registry->operators : registry->ops, key);
  CandelaOp *op = entry != NULL ? g_atomic_pointer_get (&entry->op) : NULL;

  if (op != NULL && !g_atomic_int_get (&entry->may_go))
    return op;
  g_rec_mutex_lock (&candela_plugin_lock);
  op = find (registry, key, is_operator);
  if (op == NULL && candela_search_learn_anew (registry->search))
    op = find (registry, key, is_operator);
  if (op != NULL)
    candela_op_hold (op);
  else
    candela_search_set_unknown (registry->search, registry->added, key, is_operator, error);
  g_rec_mutex_unlock (&candela_plugin_lock);
  return op;
}

/* What candela_registry_hold_op() gives, with a reference in any case. */
static CandelaOp *
to_counted (CandelaOp *op)
{
  return op != NULL && candela_op_get_facts (op)->resident ? g_object_ref (op) : op;
}

/* The object. */

static void
candela_registry_finalize (GObject *object)
{
  CandelaRegistry *registry = CANDELA_REGISTRY (object);

  g_clear_pointer (&registry->search, candela_search_free);
  table_clear (registry->ops);
  table_clear (registry->operators);
  g_ptr_array_unref (registry->added);
  G_OBJECT_CLASS (candela_registry_parent_class)->finalize (object);
}

static void
candela_registry_class_init (CandelaRegistryClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = candela_registry_finalize;
}

static void
candela_registry_init (CandelaRegistry *registry)
{
  const char *first = candela_plugin_getenv ("CANDELA_PLUGIN_PATH");
  const char *then = candela_plugin_getenv ("CANDELA_PLUGIN_SYSTEM_PATH");
  g_autofree char *path =
    g_strconcat (first != NULL ? first : "", G_SEARCHPATH_SEPARATOR_S, then != NULL ? then : CANDELA_PLUGIN_DIR, NULL);

  registry->search = candela_search_new (path);
  registry->added = g_ptr_array_new_with_free_func (g_object_unref);
}

/**
 * candela_registry_new:
 * @search_path: (nullable): folders, separated by colons; %NULL for those of
 *   `CANDELA_PLUGIN_PATH`, and then those of `CANDELA_PLUGIN_SYSTEM_PATH` or the
 *   installed one
 *
 * Makes a registry of its own. Nothing is looked at before an op is asked for;
 * then the folders are listed, once.
 *
 * Returns: (transfer full): the registry
 *
 * Since: 1.0
 */
CandelaRegistry *
candela_registry_new (const char *search_path)
{
  CandelaRegistry *registry = g_object_new (CANDELA_TYPE_REGISTRY, NULL);

  if (search_path != NULL)
    {
      candela_search_free (registry->search);
      registry->search = candela_search_new (search_path);
    }
  return registry;
}

/**
 * candela_registry_get_default:
 *
 * The registry by which nodes find their ops.
 *
 * Returns: (transfer none): the registry, which lives as long as the program
 *
 * Since: 1.0
 */
CandelaRegistry *
candela_registry_get_default (void)
{
  static CandelaRegistry *registry;

  if (g_once_init_enter (&registry))
    g_once_init_leave (&registry, candela_registry_new (NULL));
  return registry;
}

/**
 * candela_registry_lookup_op:
 * @registry: a registry
 * @name: the name of an op
 * @error: return location for an error
 *
 * Finds an op, opening plugins until one has it: the first in path order. Once an
 * op was found, finding it again takes no lock, unless it was added by hand.
 *
 * Errors: %CANDELA_ERROR_UNKNOWN_OP if no plugin has it; the message names one
 * that is written alike, and what was refused on the way.
 *
 * Returns: (transfer full): the op; that of a plugin is never destroyed
 *
 * Since: 1.0
 */
CandelaOp *
candela_registry_lookup_op (CandelaRegistry *registry, const char *name, GError **error)
{
  g_return_val_if_fail (registry != NULL, NULL);
  g_return_val_if_fail (name != NULL, NULL);

  return to_counted (candela_registry_hold_op (registry, name, FALSE, error));
}

/**
 * candela_registry_lookup_operator:
 * @registry: a registry
 * @symbol: an operator: `infix:+`, `prefix:-`, `index:[]`, `attribute:.T` …
 * @error: return location for an error
 *
 * Finds the op that an operator of the expression language stands for, as
 * candela_registry_lookup_op() finds one by name.
 *
 * Errors: %CANDELA_ERROR_UNKNOWN_OP if no plugin has it.
 *
 * Returns: (transfer full): the op; that of a plugin is never destroyed
 *
 * Since: 1.0
 */
CandelaOp *
candela_registry_lookup_operator (CandelaRegistry *registry, const char *symbol, GError **error)
{
  g_return_val_if_fail (registry != NULL, NULL);
  g_return_val_if_fail (symbol != NULL, NULL);

  return to_counted (candela_registry_hold_op (registry, symbol, TRUE, error));
}

/**
 * candela_registry_lookup_plugin:
 * @registry: a registry
 * @name: the name of a plugin
 * @error: return location for an error
 *
 * Finds a plugin and opens it, if it is not open: the first of that name in path
 * order that can be opened.
 *
 * Errors: %CANDELA_ERROR_PLUGIN if there is none, or if none can be opened; the
 * message says why.
 *
 * Returns: (transfer none): the plugin, which is never destroyed
 *
 * Since: 1.0
 */
CandelaPlugin *
candela_registry_lookup_plugin (CandelaRegistry *registry, const char *name, GError **error)
{
  g_return_val_if_fail (CANDELA_IS_REGISTRY (registry), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  g_rec_mutex_lock (&candela_plugin_lock);
  CandelaPlugin *plugin = candela_search_find_plugin (registry->search, name, error);
  g_rec_mutex_unlock (&candela_plugin_lock);
  return plugin;
}

/* Under the lock. */
static gboolean
is_added (CandelaRegistry *registry, CandelaOp *op)
{
  return g_ptr_array_find (registry->added, op, NULL);
}

/* Under the lock. */
static void
set_found (CandelaRegistry *registry, CandelaOp *op)
{
  g_auto (GStrv) operators = candela_op_list_operators (op);

  table_set (registry->ops, candela_op_get_name (op), op);
  for (guint i = 0; operators[i] != NULL; i++)
    table_set (registry->operators, operators[i], op);
}

/* Whether the op of that name may be replaced, if there is one. Under the lock. */
static gboolean
check_name (CandelaRegistry *registry, CandelaOp *op, CandelaOp *old, GError **error)
{
  const char *name = candela_op_get_name (op);

  if (old == NULL || old == op || is_added (registry, old))
    return TRUE;
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN,
               "op \"%s\" cannot be added: plugin %s has an op \"%s\", and only one that was added by hand is replaced",
               name, candela_op_get_plugin_name (old), name);
  return FALSE;
}

/* Whether its operators are free, or those of the op that it replaces. Under the lock. */
static gboolean
check_operators (CandelaRegistry *registry, CandelaOp *op, char **operators, CandelaOp *old, GError **error)
{
  for (guint i = 0; operators[i] != NULL; i++)
    {
      CandelaOp *other = find (registry, operators[i], TRUE);

      if (other == NULL || other == op || other == old)
        continue;
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN,
                   "op \"%s\" cannot be added: op \"%s\" has the operator \"%s\" already", candela_op_get_name (op),
                   candela_op_get_name (other), operators[i]);
      return FALSE;
    }
  return TRUE;
}

/* What stays found of it is what others have. The caller drops the reference, when it
 * has left the lock: who knows what a script does then. */
static CandelaOp *
take_out (CandelaRegistry *registry, CandelaOp *op)
{
  g_auto (GStrv) operators = candela_op_list_operators (op);
  guint place;

  table_set (registry->ops, candela_op_get_name (op), NULL);
  for (guint i = 0; operators[i] != NULL; i++)
    if (table_get (registry->operators, operators[i]) == op)
      table_set (registry->operators, operators[i], NULL);
  g_ptr_array_find (registry->added, op, &place);
  return g_ptr_array_steal_index (registry->added, place);
}

/**
 * candela_registry_add_op:
 * @registry: a registry
 * @op: an op that comes from no plugin
 * @error: return location for an error
 *
 * Lets an op be found by its name and operators, like those of plugins. Adding it again
 * changes nothing. It comes before those of modules that are loaded later. If another of
 * its name was added before, it takes that one's place, from the next node on: nodes and
 * plans that there are keep the op that they were made with, which goes with the last of
 * them.
 *
 * Errors: %CANDELA_ERROR_PLUGIN if a plugin has an op of that name, or if another op has
 * one of its operators.
 *
 * Returns: %TRUE if the op is found by its name now
 *
 * Since: 1.0
 */
gboolean
candela_registry_add_op (CandelaRegistry *registry, CandelaOp *op, GError **error)
{
  g_return_val_if_fail (CANDELA_IS_REGISTRY (registry), FALSE);
  g_return_val_if_fail (CANDELA_IS_OP (op), FALSE);

  g_auto (GStrv) operators = candela_op_list_operators (op);
  g_autoptr (CandelaOp) replaced = NULL;
  CandelaOp *old;
  gboolean ok;

  g_rec_mutex_lock (&candela_plugin_lock);
  old = find (registry, candela_op_get_name (op), FALSE);
  ok = check_name (registry, op, old, error) && check_operators (registry, op, operators, old, error);
  if (ok && old != op)
    {
      if (old != NULL)
        replaced = take_out (registry, old);
      g_ptr_array_add (registry->added, g_object_ref (op));
      set_found (registry, op);
    }
  g_rec_mutex_unlock (&candela_plugin_lock);
  return ok;
}

/**
 * candela_registry_load_file:
 * @registry: a registry
 * @filename: (type filename): a module, or a `.ops` file of foreign ops
 * @error: return location for an error
 *
 * Opens a module, in whatever folder it is. From then on its ops come before
 * those of the search path; of two modules loaded so, the first comes first.
 *
 * Errors: %CANDELA_ERROR_PLUGIN if it cannot be opened, or is no plugin that fits
 * this library, or refuses, or if another file's plugin of the same name is open.
 *
 * Returns: (transfer none): the plugin, which is never destroyed
 *
 * Since: 1.0
 */
CandelaPlugin *
candela_registry_load_file (CandelaRegistry *registry, const char *filename, GError **error)
{
  g_return_val_if_fail (CANDELA_IS_REGISTRY (registry), NULL);
  g_return_val_if_fail (filename != NULL, NULL);

  g_rec_mutex_lock (&candela_plugin_lock);
  CandelaPlugin *plugin = candela_search_load_file (registry->search, filename, error);
  GPtrArray *ops = plugin != NULL ? candela_plugin_peek_ops (plugin) : NULL;

  /* The table may have other ops by these names. */
  for (guint k = 0; ops != NULL && k < ops->len; k++)
    {
      const char *name = candela_op_get_name (ops->pdata[k]);
      g_auto (GStrv) operators = candela_op_list_operators (ops->pdata[k]);

      if (is_added (registry, table_get (registry->ops, name)))
        continue;
      table_set (registry->ops, name, candela_search_find_op (registry->search, name, FALSE));
      for (guint i = 0; operators[i] != NULL; i++)
        table_set (registry->operators, operators[i], candela_search_find_op (registry->search, operators[i], TRUE));
    }
  g_rec_mutex_unlock (&candela_plugin_lock);
  return plugin;
}

/**
 * candela_registry_list_plugins:
 * @registry: a registry
 *
 * Opens every plugin of the search path. What cannot be opened is told by
 * candela_registry_list_refused().
 *
 * Returns: (transfer full): a list of #CandelaPlugin, in the order of search, as
 *   it is now
 *
 * Since: 1.0
 */
GListModel *
candela_registry_list_plugins (CandelaRegistry *registry)
{
  g_return_val_if_fail (CANDELA_IS_REGISTRY (registry), NULL);

  g_rec_mutex_lock (&candela_plugin_lock);
  g_autoptr (GPtrArray) plugins = candela_search_load_all (registry->search);
  g_rec_mutex_unlock (&candela_plugin_lock);

  GListStore *store = g_list_store_new (CANDELA_TYPE_PLUGIN);
  g_list_store_splice (store, 0, 0, plugins->pdata, plugins->len);
  return G_LIST_MODEL (store);
}

/**
 * candela_registry_list_ops:
 * @registry: a registry
 *
 * Opens every plugin of the search path and lists the ops that
 * candela_registry_lookup_op() finds.
 *
 * Returns: (transfer full): a list of #CandelaOp, plugin by plugin in the order of
 *   search, then those that were added, as it is now
 *
 * Since: 1.0
 */
GListModel *
candela_registry_list_ops (CandelaRegistry *registry)
{
  g_return_val_if_fail (CANDELA_IS_REGISTRY (registry), NULL);

  GListStore *store = g_list_store_new (CANDELA_TYPE_OP);

  g_rec_mutex_lock (&candela_plugin_lock);
  g_autoptr (GPtrArray) plugins = candela_search_load_all (registry->search);
  for (guint k = 0; k < plugins->len; k++)
    {
      GPtrArray *ops = candela_plugin_peek_ops (plugins->pdata[k]);

      for (guint i = 0; i < ops->len; i++)
        if (find (registry, candela_op_get_name (ops->pdata[i]), FALSE) == ops->pdata[i])
          g_list_store_append (store, ops->pdata[i]);
    }
  for (guint k = 0; k < registry->added->len; k++)
    g_list_store_append (store, registry->added->pdata[k]);
  g_rec_mutex_unlock (&candela_plugin_lock);
  return G_LIST_MODEL (store);
}

/**
 * candela_registry_set_filter:
 * @registry: a registry
 * @filter: (nullable) (scope notified) (closure user_data) (destroy destroy): is asked
 *   once for each plugin, before it is opened, whether it may be used; %NULL: all may
 * @user_data: what @filter is given
 * @destroy: (nullable): frees @user_data
 *
 * Blocks plugins from now on, in this registry. Ops of a blocked plugin that are in
 * graphs already stay; candela_registry_list_refused() tells what was blocked.
 *
 * Since: 1.0
 */
void
candela_registry_set_filter (CandelaRegistry *registry, CandelaPluginFilterFunc filter, gpointer user_data,
                             GDestroyNotify destroy)
{
  g_return_if_fail (CANDELA_IS_REGISTRY (registry));

  g_rec_mutex_lock (&candela_plugin_lock);
  candela_search_set_filter (registry->search, filter, user_data, destroy);
  table_forget (registry->ops);
  table_forget (registry->operators);
  for (guint k = 0; k < registry->added->len; k++)
    set_found (registry, registry->added->pdata[k]);
  g_rec_mutex_unlock (&candela_plugin_lock);
}

/**
 * candela_registry_list_refused:
 * @registry: a registry
 *
 * What was found in the search path and could not be used, each as
 * `file: reason`. Only what has been tried: candela_registry_list_plugins() tries
 * everything.
 *
 * Returns: (transfer full) (array zero-terminated=1): the reasons
 *
 * Since: 1.0
 */
char **
candela_registry_list_refused (CandelaRegistry *registry)
{
  g_return_val_if_fail (CANDELA_IS_REGISTRY (registry), NULL);

  g_rec_mutex_lock (&candela_plugin_lock);
  GPtrArray *refused = candela_search_peek_refused (registry->search);
  char **messages = g_new0 (char *, refused->len + 1);
  for (guint k = 0; k < refused->len; k++)
    messages[k] = g_strdup (refused->pdata[k]);
  g_rec_mutex_unlock (&candela_plugin_lock);
  return messages;
}
