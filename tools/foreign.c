/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * --foreign: ops of functions of shared libraries, in one line or from a .ops file. */
#include "common.h"

#include <string.h>

#define FORM "NAME=SIGNATURE LIBRARY[:SYMBOL][; KEY=VALUE]…"

static gboolean
fail (const char *text, const char *reason, GError **error)
{
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SYNTAX, "--foreign \"%s\": %s; it must be " FORM " or FILE.ops",
               text, reason);
  return FALSE;
}

static gboolean
read_options (const char *text, char **parts, GVariantDict *options, GError **error)
{
  for (guint k = 0; parts[k] != NULL; k++)
    {
      char *equals = strchr (parts[k], '=');

      if (equals == NULL)
        return fail (text, "an option has no \"=\"", error);
      *equals = '\0';
      g_variant_dict_insert (options, g_strstrip (parts[k]), "s", g_strstrip (equals + 1));
    }
  return TRUE;
}

static gboolean
add_op (const char *text, GPtrArray *ops, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ";", -1);
  g_auto (GVariantDict) options = G_VARIANT_DICT_INIT (NULL);
  char *name, *signature, *library, *symbol, *end;
  g_autoptr (CandelaOp) op = NULL;

  if (parts[0] == NULL || (signature = strchr (parts[0], '=')) == NULL)
    return fail (text, "it has no name", error);
  *signature++ = '\0';
  name = g_strstrip (parts[0]);
  end = strrchr (signature, ')');
  if (end == NULL || *g_strstrip (end + 1) == '\0')
    return fail (text, "it has no library after the signature", error);
  library = g_strdup (g_strstrip (end + 1));
  end[1] = '\0';
  symbol = strrchr (library, ':');
  if (symbol != NULL)
    *symbol++ = '\0';
  op = read_options (text, parts + 1, &options, error)
         ? candela_op_new_foreign (name, library, symbol, g_strstrip (signature), g_variant_dict_end (&options), error)
         : NULL;
  g_free (library);
  if (op == NULL || !candela_registry_add_op (candela_registry_get_default (), op, error))
    return FALSE;
  if (ops != NULL)
    g_ptr_array_add (ops, g_steal_pointer (&op));
  return TRUE;
}

static gboolean
add_file (const char *filename, GPtrArray *ops, GError **error)
{
  CandelaPlugin *plugin = candela_registry_load_file (candela_registry_get_default (), filename, error);
  g_autoptr (GListModel) list = NULL;

  if (plugin == NULL)
    return FALSE;
  list = candela_plugin_list_ops (plugin);
  for (guint k = 0; ops != NULL && k < g_list_model_get_n_items (list); k++)
    g_ptr_array_add (ops, g_list_model_get_item (list, k));
  return TRUE;
}

gboolean
tool_add_foreign (char **texts, GPtrArray *ops, GError **error)
{
  for (guint k = 0; texts != NULL && texts[k] != NULL; k++)
    if (!(g_str_has_suffix (texts[k], ".ops") ? add_file : add_op) (texts[k], ops, error))
      return FALSE;
  return TRUE;
}
