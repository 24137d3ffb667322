/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For tests of the registry: small modules, copied into folders that are made for
 * each test. */
#pragma once

#include "../folders.h"
#include <candela/candela.h>

static inline char *
module_filename (const char *group, const char *name)
{
  g_autofree char *file = g_strconcat (name, ".so", NULL);
  return g_test_build_filename (G_TEST_BUILT, "op", group, ".libs", file, NULL);
}

typedef struct
{
  char *root;
} Fixture;

static inline void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  fixture->root = g_dir_make_tmp ("candela-registry-XXXXXX", &error);
  g_assert_no_error (error);
}

static inline void
tear_down (Fixture *fixture, gconstpointer data)
{
  remove_all (fixture->root);
  g_free (fixture->root);
}

/* A copy of a module of op/GROUP under a folder of the fixture; the copy's name is the
 * module's. */
static inline char *
install_from (Fixture *fixture, const char *group, const char *folder, const char *name)
{
  g_autofree char *source = module_filename (group, name);
  g_autofree char *path = g_build_filename (fixture->root, folder, NULL);
  g_autofree char *contents = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
  g_file_get_contents (source, &contents, &length, &error);
  g_assert_no_error (error);
  char *target = g_strdup_printf ("%s/%s.so", path, name);
  g_file_set_contents (target, contents, length, &error);
  g_assert_no_error (error);
  return target;
}

static inline char *
install (Fixture *fixture, const char *folder, const char *name)
{
  return install_from (fixture, "plugins", folder, name);
}

static inline char *
write_text (Fixture *fixture, const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (fixture->root, folder, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
  char *target = g_build_filename (path, name, NULL);
  g_file_set_contents (target, text, -1, &error);
  g_assert_no_error (error);
  return target;
}

/* For "a:b", the folders a and b of the fixture. */
static inline CandelaRegistry *
registry_for (Fixture *fixture, const char *folders)
{
  g_auto (GStrv) names = g_strsplit (folders, ":", -1);

  for (guint k = 0; names[k] != NULL; k++)
    {
      char *path = g_build_filename (fixture->root, names[k], NULL);
      g_free (names[k]);
      names[k] = path;
    }
  g_autofree char *path = g_strjoinv (":", names);
  return candela_registry_new (path);
}

static inline void
assert_op_of (CandelaRegistry *registry, const char *name, const char *plugin)
{
  g_autoptr (GError) error = NULL;
  CandelaOp *op = candela_registry_lookup_op (registry, name, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (candela_op_get_name (op), ==, name);
  g_assert_cmpstr (candela_op_get_plugin_name (op), ==, plugin);
  g_assert_true (candela_registry_lookup_op (registry, name, NULL) == op);
}
