/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A module of the search path, and what is known of it before it is opened: from the
 * cache, from the key file beside it, or from a child process that has opened it.
 * Everything here is called with candela_plugin_lock held. */
#pragma once

#include <candela/op/plugin-private.h>

G_BEGIN_DECLS

typedef enum {
  CANDELA_MODULE_UNOPENED,
  CANDELA_MODULE_OPENING, /* its register_ops is running, and has come back to us */
  CANDELA_MODULE_OPEN,
  CANDELA_MODULE_REFUSED
} CandelaModuleState;

/* What a cache keeps of a module. */
typedef struct
{
  /* Whether they still are as they were: bytes and time of change, in µs, of the module
   * and of its key file; 0 if there is none. */
  gint64 stamps[4];
  gboolean known;     /* or else whoever needs its ops opens it and sees */
  gboolean cached;    /* the cache says so, and not what is there now */
  char *reason;       /* why it is set aside, beginning with its file's name; or NULL */
  GHashTable *listed; /* op to NULL-terminated operators; NULL: it must be opened to know */
} CandelaModuleFacts;

typedef struct
{
  char *filename;
  char *name;
  CandelaModuleState state;
  CandelaPlugin *plugin; /* once open; never destroyed */
  char *reason;          /* why it was refused */
  CandelaModuleFacts facts;
  gboolean asked;          /* whether it is blocked, … */
  const char *why_blocked; /* … if so a message among the refused */
} CandelaModule;

/* Takes the file's name over. */
CandelaModule *candela_module_new (char *filename);
void candela_module_free (gpointer module);

/* Learns what there is to know without opening anything in this process. */
void candela_modules_learn (CandelaModule *const *modules, gsize n);

/* Learns again, without the cache, of modules that are known from it and have ops, and of
 * those that have changed; TRUE if one of them has other ops now. */
gboolean candela_modules_learn_anew (CandelaModule *const *modules, gsize n);

/* The file that lists its ops. */
char *candela_module_key_filename (const CandelaModule *module);

void candela_module_facts_clear (CandelaModuleFacts *facts);

/* Ops to operators, as facts have them. */
GHashTable *candela_module_listed_new (void);

/* Has a child process open the modules, which must be unknown; it may crash, hang or
 * end meanwhile. Where no such process can be started, they stay unknown. */
void candela_scan_modules (CandelaModule *const *modules, gsize n);

/* The cache, one file for all folders: file name to CandelaModuleFacts. */

GHashTable *candela_cache_load (void);
/* What it had before and these; other processes may write at the same time. */
void candela_cache_save (CandelaModule *const *modules, gsize n);

/* What else may lie in a folder (a pipe, a device, a folder, a file without end) is not to
 * be read. FALSE, with G_FILE_ERROR, if it is not a file, or larger than what is read here. */
gboolean candela_plugin_check_file (const char *filename, GError **error);

/* An environment variable; NULL where the process has privileges that its caller has not. */
const char *candela_plugin_getenv (const char *name);
gboolean candela_plugin_is_privileged (void);

/* To standard error, if CANDELA_DEBUG has the word for it. */
void candela_plugin_debug (const char *format, ...) G_GNUC_PRINTF (1, 2);

G_END_DECLS
