/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is learnt of modules without opening them: by a child process, which modules may
 * crash, hang or end; from the cache; and what is blocked. */
#include "registry-testing.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct
{
  Fixture fixture;
  char *cache;
} Kept;

static char *scanner;       /* that of the build */
static const char *program; /* this one */

/* Each test has a cache of its own. */
static void
set_up_kept (Kept *kept, gconstpointer data)
{
  set_up (&kept->fixture, data);
  kept->cache = g_build_filename (kept->fixture.root, "cache", "registry", NULL);
  g_setenv ("CANDELA_REGISTRY", kept->cache, TRUE);
  g_setenv ("CANDELA_PLUGIN_SCANNER", scanner, TRUE);
  g_setenv ("CANDELA_PLUGIN_SCAN_SECONDS", "20", TRUE);
  g_unsetenv ("CANDELA_PLUGIN_SCAN");
  g_unsetenv ("CANDELA_PLUGIN_BLOCK");
}

static void
tear_down_kept (Kept *kept, gconstpointer data)
{
  tear_down (&kept->fixture, data);
  g_free (kept->cache);
}

static void
assert_refused (CandelaRegistry *registry, guint index, const char *file, const char *reason)
{
  g_auto (GStrv) refused = candela_registry_list_refused (registry);
  g_autofree char *message = g_strdup_printf ("%s: %s", file, reason);

  g_assert_cmpuint (g_strv_length (refused), >, index);
  g_assert_cmpstr (refused[index], ==, message);
}

#define CRASHED "it crashed as its ops were to be registered: Aborted"
#define ENDED "it ended the process as its ops were to be registered, with the status 3"
#define HUNG "it has not registered its ops within 1 s"

static void
test_unruly (Kept *kept, gconstpointer data)
{
  Fixture *fixture = &kept->fixture;
  g_autofree char *crashes = install_from (fixture, "unruly", "a", "crashes");
  g_autofree char *exits = install_from (fixture, "unruly", "a", "exits");
  g_autofree char *hangs = install_from (fixture, "unruly", "a", "hangs");
  g_autofree char *good = install (fixture, "a", "second");
  g_autofree char *talks = install_from (fixture, "unruly", "a", "talks");
  g_autofree char *message = NULL;
  g_autoptr (GError) error = NULL;
  gint64 start;

  /* The second time the cache knows. */
  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");

      g_setenv ("CANDELA_PLUGIN_SCAN_SECONDS", "1", TRUE);
      start = g_get_monotonic_time ();
      assert_op_of (registry, "only_second", "second");
      if (round == 1)
        g_assert_cmpint (g_get_monotonic_time () - start, <, G_USEC_PER_SEC);
      assert_refused (registry, 0, crashes, CRASHED);
      assert_refused (registry, 1, exits, ENDED);
      assert_refused (registry, 2, hangs, HUNG);
      assert_op_of (registry, "talk", "talks");
      g_assert_null (candela_registry_lookup_plugin (registry, "crashes", NULL));
    }

  /* By hand as well. */
  g_autoptr (CandelaRegistry) registry = candela_registry_new ("");
  message = g_strdup_printf ("%s: %s", exits, ENDED);
  g_assert_null (candela_registry_load_file (registry, exits, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);
  g_assert_cmpstr (error->message, ==, message);
}

/* A module that has changed is looked at again. */
static void
test_changed (Kept *kept, gconstpointer data)
{
  Fixture *fixture = &kept->fixture;
  g_autofree char *file = install_from (fixture, "unruly", "a", "crashes");
  g_autofree char *source = module_filename ("plugins", "second");
  g_autofree char *contents = NULL;
  g_autoptr (CandelaRegistry) before = registry_for (fixture, "a");
  g_autoptr (CandelaRegistry) after = registry_for (fixture, "a");
  gsize length;

  g_assert_null (candela_registry_lookup_op (before, "only_second", NULL));
  assert_refused (before, 0, file, CRASHED);

  g_assert_true (g_file_get_contents (source, &contents, &length, NULL));
  g_assert_true (g_file_set_contents (file, contents, (gssize) length, NULL));
  g_assert_null (candela_registry_lookup_op (after, "only_second", NULL));
  assert_refused (after, 0, file, "its descriptor names it \"second\"; the name of its file says \"crashes\"");
}

/* What the cache says is believed, so nothing is opened but what is needed. */
static void
test_cached (Kept *kept, gconstpointer data)
{
  Fixture *fixture = &kept->fixture;
  g_autofree char *first = install (fixture, "a", "first");
  g_autofree char *second = install (fixture, "a", "second");
  g_autoptr (CandelaRegistry) before = registry_for (fixture, "a");
  g_autoptr (CandelaRegistry) after = registry_for (fixture, "a");
  g_autofree char *cached = NULL;
  gsize length;

  assert_op_of (before, "only_second", "second");
  g_assert_true (g_file_get_contents (kept->cache, &cached, &length, NULL));
  g_setenv ("CANDELA_PLUGIN_SCANNER", "/bin/false", TRUE);
  assert_op_of (after, "shared", "first");
}

/* A cache that is damaged, of another version, not there or not to be written does no
 * harm. */
static void
test_bad_cache (Kept *kept, gconstpointer data)
{
  Fixture *fixture = &kept->fixture;
  g_autofree char *good = install (fixture, "a", "second");
  g_autofree char *folder = g_path_get_dirname (kept->cache);
  g_autofree char *contents = NULL;
  gsize length;

  {
    g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");
    assert_op_of (registry, "only_second", "second");
  }
  g_assert_true (g_file_get_contents (kept->cache, &contents, &length, NULL));
  g_assert_cmpuint (length, >, 0);
  for (gsize at = 0; at < length; at += 7)
    {
      g_autofree char *damaged = g_memdup2 (contents, length);
      g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");

      damaged[at] ^= 0x55;
      g_assert_true (g_file_set_contents (kept->cache, damaged, (gssize) (at % 2 == 0 ? length : at), NULL));
      candela_registry_lookup_op (registry, "only_second", NULL);
    }
  g_setenv ("CANDELA_REGISTRY", folder, TRUE);
  {
    g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");
    assert_op_of (registry, "only_second", "second");
  }
  g_setenv ("CANDELA_REGISTRY", "", TRUE);
  {
    g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");
    assert_op_of (registry, "only_second", "second");
  }
}

/* The cache as it is, but that a module has another list of ops. */
static void
list_in_cache (Kept *kept, const char *file, const char *ops)
{
  g_autofree char *contents = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (kept->cache, &contents, &length, NULL));
  g_autoptr (GVariant) old = g_variant_ref_sink (
    g_variant_new_from_data (G_VARIANT_TYPE ("(ssa(s(xxxx)sba(sas)))"), contents, length, FALSE, NULL, NULL));
  g_autoptr (GVariant) entries = g_variant_get_child_value (old, 2);
  const char *format, *version;
  GVariantBuilder builder;
  guint n_changed = 0;

  g_variant_get (old, "(&s&s@*)", &format, &version, NULL);
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(s(xxxx)sba(sas))"));
  for (gsize k = 0; k < g_variant_n_children (entries); k++)
    {
      g_autoptr (GVariant) stamps = NULL, listed = NULL;
      const char *name;

      g_variant_get_child (entries, k, "(&s@(xxxx)&sb@a(sas))", &name, &stamps, NULL, NULL, &listed);
      if (strcmp (name, file) == 0)
        {
          g_variant_unref (listed);
          listed = g_variant_ref_sink (g_variant_new_parsed (ops));
          n_changed++;
        }
      g_variant_builder_add (&builder, "(s@(xxxx)sb@a(sas))", name, stamps, "", TRUE, listed);
    }
  g_assert_cmpuint (n_changed, ==, 1);
  g_autoptr (GVariant) changed =
    g_variant_ref_sink (g_variant_new ("(ssa(s(xxxx)sba(sas)))", format, version, &builder));
  g_assert_true (
    g_file_set_contents (kept->cache, g_variant_get_data (changed), (gssize) g_variant_get_size (changed), NULL));
}

static void
assert_nothing_refused (CandelaRegistry *registry)
{
  g_auto (GStrv) refused = candela_registry_list_refused (registry);

  g_assert_null (refused[0]);
}

/* A cache that lists ops that a module does not have, or not those that it has, is found
 * out, and put right. */
static void
test_wrong_cache (Kept *kept, gconstpointer data)
{
  Fixture *fixture = &kept->fixture;
  g_autofree char *first = install (fixture, "a", "first");
  g_autofree char *second = install (fixture, "a", "second");
  g_autoptr (CandelaRegistry) before = registry_for (fixture, "a");

  assert_op_of (before, "only_second", "second");
  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");
      g_autoptr (CandelaRegistry) after = registry_for (fixture, "a");
      g_autofree char *wrong = NULL, *right = NULL;
      gsize length;

      list_in_cache (kept, round == 0 ? first : second,
                     round == 0 ? "[('only_second', @as ['infix:<=>'])]" : "[('another', @as [])]");
      g_assert_true (g_file_get_contents (kept->cache, &wrong, &length, NULL));
      assert_op_of (registry, "only_second", "second");
      assert_op_of (registry, "only_first", "first");
      assert_nothing_refused (registry);
      g_setenv ("CANDELA_PLUGIN_SCANNER", "/bin/false", TRUE);
      assert_op_of (after, "only_first", "first");
      assert_op_of (after, "only_second", "second");
      g_setenv ("CANDELA_PLUGIN_SCANNER", scanner, TRUE);
    }
}

/* A module that changes after the search path was looked at, and before it is opened. */
static void
test_changed_meanwhile (Kept *kept, gconstpointer data)
{
  Fixture *fixture = &kept->fixture;
  g_autofree char *old = g_strdup ("[Op old_one]\nLibrary=libm.so.6\nSymbol=sin\nSignature=double (double)\n");
  g_autofree char *new =
    g_strdup_printf ("%s[Op new_one]\nLibrary=libm.so.6\nSymbol=cos\nSignature=double (double)\n", old);
  g_autofree char *file = write_text (fixture, "a", "some.ops", old);
  g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");

  g_assert_null (candela_registry_lookup_op (registry, "new_one", NULL));
  g_free (write_text (fixture, "a", "some.ops", new));
  assert_op_of (registry, "new_one", "some");
  assert_op_of (registry, "old_one", "some");
  assert_nothing_refused (registry);
}

/* What is no file is not read: a pipe to which nobody writes, a device without an end, a
 * file of more bytes than there is memory, links and folders that lead to themselves. */
static void
test_no_files (Kept *kept, gconstpointer data)
{
  Fixture *fixture = &kept->fixture;
  g_autofree char *good = install (fixture, "a", "second");
  g_autofree char *folder = g_path_get_dirname (good);
  g_autofree char *pipe = g_build_filename (folder, "pipe.ops", NULL);
  g_autofree char *module = g_build_filename (folder, "pipe.so", NULL);
  g_autofree char *key = g_build_filename (folder, "second.plugin", NULL);
  g_autofree char *endless = g_build_filename (folder, "endless.ops", NULL);
  g_autofree char *circle = g_build_filename (folder, "circle.ops", NULL);
  g_autofree char *self = g_build_filename (folder, "self.so", NULL);
  g_autofree char *vast = write_text (fixture, "a", "vast.ops", "");
  g_autofree char *cache = g_build_filename (fixture->root, "pipe", NULL);
  g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");
  g_autoptr (GListModel) plugins = NULL;

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  g_assert_cmpint (mkfifo (module, 0600), ==, 0);
  g_assert_cmpint (mkfifo (key, 0600), ==, 0);
  g_assert_cmpint (mkfifo (cache, 0600), ==, 0);
  g_assert_cmpint (symlink ("/dev/zero", endless), ==, 0);
  g_assert_cmpint (symlink ("circle.ops", circle), ==, 0);
  g_assert_cmpint (symlink (".", self), ==, 0);
  g_assert_cmpint (truncate (vast, (off_t) 1 << 40), ==, 0);
  g_setenv ("CANDELA_REGISTRY", cache, TRUE);
  assert_op_of (registry, "only_second", "second");
  plugins = candela_registry_list_plugins (registry);
  g_assert_cmpuint (g_list_model_get_n_items (plugins), ==, 1);
  g_assert_false (g_file_test (cache, G_FILE_TEST_IS_REGULAR));
  assert_refused (registry, 0, circle, "it cannot be looked at: Too many levels of symbolic links");
  assert_refused (registry, 1, endless, "it is not a regular file");
  assert_refused (registry, 2, pipe, "it is not a regular file");
  assert_refused (registry, 5, vast, "it has 1099511627776 bytes; at most 67108864 are read");
}

/* Many processes write the cache, and each finds what it looks for. */
static void
test_concurrent (Kept *kept, gconstpointer data)
{
  static const char *const names[] = { "first", "second", "refuses", "misnamed" };
  Fixture *fixture = &kept->fixture;
  GSubprocess *processes[8];

  for (guint k = 0; k < G_N_ELEMENTS (names); k++)
    g_free (install (fixture, "a", names[k]));
  for (guint k = 0; k < G_N_ELEMENTS (processes); k++)
    {
      g_autofree char *folder = g_build_filename (fixture->root, "a", NULL);
      g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);

      g_subprocess_launcher_setenv (launcher, "CANDELA_SCAN_FOLDER", folder, TRUE);
      processes[k] = g_subprocess_launcher_spawn (launcher, NULL, program, "--child", NULL);
      g_assert_nonnull (processes[k]);
    }
  for (guint k = 0; k < G_N_ELEMENTS (processes); k++)
    {
      g_assert_true (g_subprocess_wait_check (processes[k], NULL, NULL));
      g_object_unref (processes[k]);
    }
}

static int
be_child (void)
{
  g_autoptr (CandelaRegistry) registry = candela_registry_new (g_getenv ("CANDELA_SCAN_FOLDER"));

  return candela_registry_lookup_op (registry, "only_first", NULL) != NULL
             && candela_registry_lookup_op (registry, "only_second", NULL) != NULL
           ? 0
           : 1;
}

static void
test_no_scan (Kept *kept, gconstpointer data)
{
  Fixture *fixture = &kept->fixture;
  g_autofree char *good = install (fixture, "a", "second");

  g_setenv ("CANDELA_PLUGIN_SCAN", "no", TRUE);
  {
    g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");
    assert_op_of (registry, "only_second", "second");
    g_assert_false (g_file_test (kept->cache, G_FILE_TEST_EXISTS));
  }
  /* Nor where there is nothing to do it. */
  g_unsetenv ("CANDELA_PLUGIN_SCAN");
  g_setenv ("CANDELA_PLUGIN_SCANNER", "/bin/false", TRUE);
  {
    g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");
    assert_op_of (registry, "only_second", "second");
    g_assert_false (g_file_test (kept->cache, G_FILE_TEST_EXISTS));
  }
}

static gboolean
is_not (const char *name, const char *filename, gpointer data)
{
  g_assert_true (g_path_is_absolute (filename));
  return strcmp (name, data) != 0;
}

static void
count_destroyed (gpointer data)
{
  static guint n;

  g_assert_cmpuint (++n, <=, 2);
  g_free (data);
}

static void
test_filter (Kept *kept, gconstpointer data)
{
  Fixture *fixture = &kept->fixture;
  g_autofree char *first = install (fixture, "a", "first");
  g_autofree char *second = install (fixture, "a", "second");
  g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");
  g_autoptr (GError) error = NULL;
  g_autofree char *message = NULL;

  assert_op_of (registry, "shared", "first");
  candela_registry_set_filter (registry, is_not, g_strdup ("first"), count_destroyed);
  assert_op_of (registry, "shared", "second");
  assert_refused (registry, 0, first, "it is blocked by the application");
  g_assert_null (candela_registry_lookup_op (registry, "only_first", &error));
  message =
    g_strdup_printf ("no plugin has an op \"only_first\" (refused: %s: it is blocked by the application)", first);
  g_assert_cmpstr (error->message, ==, message);
  g_clear_error (&error);
  g_assert_null (candela_registry_lookup_plugin (registry, "first", &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);
  g_clear_error (&error);
  g_assert_null (candela_registry_load_file (registry, first, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);

  candela_registry_set_filter (registry, is_not, g_strdup ("second"), count_destroyed);
  assert_op_of (registry, "shared", "first");
  g_assert_null (candela_registry_lookup_op (registry, "only_second", NULL));
  candela_registry_set_filter (registry, NULL, NULL, NULL);
  assert_op_of (registry, "only_second", "second");
  assert_op_of (registry, "shared", "first");
  g_auto (GStrv) refused = candela_registry_list_refused (registry);
  g_assert_cmpuint (g_strv_length (refused), ==, 0);
}

static void
test_block (Kept *kept, gconstpointer data)
{
  Fixture *fixture = &kept->fixture;
  g_autofree char *first = install (fixture, "a", "first");
  g_autofree char *second = install (fixture, "a", "second");

  g_setenv ("CANDELA_PLUGIN_BLOCK", "none,first", TRUE);
  g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");
  assert_op_of (registry, "shared", "second");
  assert_refused (registry, 0, first, "it is blocked by CANDELA_PLUGIN_BLOCK");
}

static void
test_system_path (Kept *kept, gconstpointer data)
{
  Fixture *fixture = &kept->fixture;
  g_autofree char *first = install (fixture, "a", "first");
  g_autofree char *second = install (fixture, "b", "second");
  g_autofree char *a = g_path_get_dirname (first), *b = g_path_get_dirname (second);

  g_setenv ("CANDELA_PLUGIN_PATH", b, TRUE);
  g_setenv ("CANDELA_PLUGIN_SYSTEM_PATH", a, TRUE);
  g_autoptr (CandelaRegistry) registry = candela_registry_new (NULL);
  assert_op_of (registry, "shared", "second");
  assert_op_of (registry, "only_first", "first");
  g_assert_null (candela_registry_lookup_op (registry, "add", NULL));
  g_unsetenv ("CANDELA_PLUGIN_SYSTEM_PATH");
}

int
main (int argc, char **argv)
{
  if (argc == 2 && strcmp (argv[1], "--child") == 0)
    return be_child ();
  program = argv[0];
  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("CANDELA_PLUGIN_SCANNER") == NULL)
    g_error ("CANDELA_PLUGIN_SCANNER is not set; use ./run");
  scanner = g_strdup (g_getenv ("CANDELA_PLUGIN_SCANNER"));

#define ADD(path, function) g_test_add ("/scan/" path, Kept, NULL, set_up_kept, function, tear_down_kept)
  ADD ("unruly", test_unruly);
  ADD ("changed", test_changed);
  ADD ("cached", test_cached);
  ADD ("bad-cache", test_bad_cache);
  ADD ("wrong-cache", test_wrong_cache);
  ADD ("changed-meanwhile", test_changed_meanwhile);
  ADD ("no-files", test_no_files);
  ADD ("concurrent", test_concurrent);
  ADD ("no-scan", test_no_scan);
  ADD ("filter", test_filter);
  ADD ("block", test_block);
  ADD ("system-path", test_system_path);
  int status = g_test_run ();
  g_free (scanner);
  return status;
}
