/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The modules of a search path, and which of them has an op. Everything here is
 * called with candela_plugin_lock held. */
#pragma once

#include <candela/op/plugin-private.h>
#include <candela/op/registry.h>

G_BEGIN_DECLS

typedef struct _CandelaSearch CandelaSearch;

CandelaSearch *candela_search_new (const char *search_path);
void candela_search_free (CandelaSearch *search);

/* The op of a name, or of an operator; NULL if no module that can be opened has
 * it. */
CandelaOp *candela_search_find_op (CandelaSearch *search, const char *key, gboolean is_operator);

/* Before it is told that there is none: what the cache says of modules that are not open,
 * or what was there before they were changed, is learnt again; what the cache says once.
 * TRUE if that is something else. */
gboolean candela_search_learn_anew (CandelaSearch *search);

/* Says that there is none, what is written alike, also among ops of no plugin, and what
 * was refused. */
void candela_search_set_unknown (CandelaSearch *search, const GPtrArray *added, const char *key, gboolean is_operator,
                                 GError **error);

CandelaPlugin *candela_search_find_plugin (CandelaSearch *search, const char *name, GError **error);

/* Opens a module that need not be in the path; from then on it is searched before
 * all that are, and after those loaded so before it. */
CandelaPlugin *candela_search_load_file (CandelaSearch *search, const char *filename, GError **error);

/* Opens all that can be opened and are not hidden by one of the same name:
 * CandelaPlugin, in the order of search (transfer container). */
GPtrArray *candela_search_load_all (CandelaSearch *search);

/* Whom to ask before a module is used; from now on. */
void candela_search_set_filter (CandelaSearch *search, CandelaPluginFilterFunc filter, gpointer data,
                                GDestroyNotify destroy);

/* "file: reason", in the order in which they were met. */
GPtrArray *candela_search_peek_refused (CandelaSearch *search);

G_END_DECLS
