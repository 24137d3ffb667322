/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What modules have, kept from one process to the next: one GVariant in a file of the
 * user's cache folder, or in the one that CANDELA_REGISTRY names. A file that is
 * damaged, or of another version, is as none; it is replaced as a whole, so that
 * whoever reads it sees the old one or the new one. */
#include <candela/op/module-private.h>

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

/* The version of the file, that of the library; for each module its name, stamps,
 * why it is set aside or "", whether its ops are known, and the ops with their operators. */
#define FORMAT "candela-registry-1"
#define TYPE "(ssa(s(xxxx)sba(sas)))"

/* NULL: none is to be kept. */
static char *
get_filename (void)
{
  const char *given = g_getenv ("CANDELA_REGISTRY");

  if (candela_plugin_is_privileged () || (given != NULL && *given == '\0'))
    return NULL;
  if (given != NULL)
    return g_strdup (given);
  return g_build_filename (g_get_user_cache_dir (), "candela-1.0", "registry-" CANDELA_HOST_CPU ".cache", NULL);
}

static void
facts_free (gpointer data)
{
  candela_module_facts_clear (data);
  g_free (data);
}

static CandelaModuleFacts *
read_facts (GVariant *entry, const char **filename)
{
  CandelaModuleFacts *facts = g_new0 (CandelaModuleFacts, 1);
  gint64 *stamps = facts->stamps;
  g_autoptr (GVariantIter) ops = NULL;
  const char *reason;
  gboolean listed;
  char *name;
  char **operators;

  g_variant_get (entry, "(&s(xxxx)&sba(sas))", filename, &stamps[0], &stamps[1], &stamps[2], &stamps[3], &reason,
                 &listed, &ops);
  facts->known = TRUE;
  facts->reason = *reason != '\0' ? g_strdup (reason) : NULL;
  facts->listed = listed ? candela_module_listed_new () : NULL;
  while (listed && g_variant_iter_next (ops, "(s^as)", &name, &operators))
    g_hash_table_insert (facts->listed, name, operators);
  return facts;
}

static GVariant *
read_file (const char *filename)
{
  g_autoptr (GMappedFile) file =
    candela_plugin_check_file (filename, NULL) ? g_mapped_file_new (filename, FALSE, NULL) : NULL;
  g_autoptr (GBytes) bytes = file != NULL ? g_mapped_file_get_bytes (file) : NULL;
  g_autoptr (GVariant) variant = NULL;
  const char *format, *version;

  if (bytes == NULL)
    return NULL;
  variant = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (TYPE), bytes, FALSE));
  if (!g_variant_is_normal_form (variant))
    return NULL;
  g_variant_get (variant, "(&s&s@*)", &format, &version, NULL);
  if (strcmp (format, FORMAT) != 0 || strcmp (version, CANDELA_VERSION_S) != 0)
    return NULL;
  return g_variant_get_child_value (variant, 2);
}

GHashTable *
candela_cache_load (void)
{
  GHashTable *cache = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, facts_free);
  g_autofree char *filename = get_filename ();
  g_autoptr (GVariant) entries = filename != NULL ? read_file (filename) : NULL;
  gsize n = entries != NULL ? g_variant_n_children (entries) : 0;

  for (gsize k = 0; k < n; k++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (entries, k);
      const char *module;
      CandelaModuleFacts *facts = read_facts (entry, &module);

      g_hash_table_replace (cache, g_strdup (module), facts);
    }
  return cache;
}

static void
add_entry (GVariantBuilder *entries, const char *filename, const CandelaModuleFacts *facts)
{
  const gint64 *stamps = facts->stamps;
  GVariantBuilder ops;
  GHashTableIter iter;
  gpointer name, operators;

  g_variant_builder_init (&ops, G_VARIANT_TYPE ("a(sas)"));
  if (facts->listed != NULL)
    {
      g_hash_table_iter_init (&iter, facts->listed);
      while (g_hash_table_iter_next (&iter, &name, &operators))
        g_variant_builder_add (&ops, "(s^as)", name, operators);
    }
  g_variant_builder_add (entries, "(s(xxxx)sba(sas))", filename, stamps[0], stamps[1], stamps[2], stamps[3],
                         facts->reason != NULL ? facts->reason : "", facts->listed != NULL, &ops);
}

static void
write_file (const char *filename, GVariant *variant)
{
  g_autofree char *folder = g_path_get_dirname (filename);
  g_autoptr (GError) local = NULL;

  /* A device or a pipe of that name would be replaced by a file. */
  if (g_file_test (filename, G_FILE_TEST_EXISTS) && !g_file_test (filename, G_FILE_TEST_IS_REGULAR))
    candela_plugin_debug ("%s: it is not a regular file", filename);
  else if (g_mkdir_with_parents (folder, 0700) != 0)
    candela_plugin_debug ("%s: %s", folder, g_strerror (errno));
  else if (!g_file_set_contents_full (filename, g_variant_get_data (variant), (gssize) g_variant_get_size (variant),
                                      G_FILE_SET_CONTENTS_CONSISTENT, 0600, &local))
    candela_plugin_debug ("%s", local->message);
}

/* What others have written meanwhile stays, but for modules that are there no more. */
void
candela_cache_save (CandelaModule *const *modules, gsize n)
{
  g_autoptr (GHashTable) cache = NULL;
  g_autoptr (GVariant) variant = NULL;
  g_autofree char *filename = get_filename ();
  GVariantBuilder entries;
  GHashTableIter iter;
  gpointer module, facts;

  if (filename == NULL)
    return;
  cache = candela_cache_load ();
  g_variant_builder_init (&entries, G_VARIANT_TYPE ("a(s(xxxx)sba(sas))"));
  for (gsize k = 0; k < n; k++)
    {
      add_entry (&entries, modules[k]->filename, &modules[k]->facts);
      g_hash_table_remove (cache, modules[k]->filename);
    }
  g_hash_table_iter_init (&iter, cache);
  while (g_hash_table_iter_next (&iter, &module, &facts))
    if (g_file_test (module, G_FILE_TEST_EXISTS))
      add_entry (&entries, module, facts);
  variant = g_variant_ref_sink (g_variant_new (TYPE, FORMAT, CANDELA_VERSION_S, &entries));
  write_file (filename, variant);
}
