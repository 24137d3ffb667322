/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plugins and the registry, on small modules (op/plugins/) that are copied into
 * folders made for each test: what is refused and with which words, what is found
 * where, and what is not even opened. */
#include "registry-testing.h"

#include <string.h>

static void
test_load (Fixture *fixture, gconstpointer data)
{
  g_autofree char *file = install (fixture, "a", "first");
  g_autoptr (CandelaRegistry) registry = candela_registry_new ("");
  g_autoptr (GError) error = NULL;
  CandelaPlugin *plugin = candela_registry_load_file (registry, file, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (candela_plugin_get_name (plugin), ==, "first");
  g_assert_cmpstr (candela_plugin_get_version (plugin), ==, "1.2");
  g_assert_cmpstr (candela_plugin_get_license (plugin), ==, "LGPL-2.1-or-later");
  g_assert_cmpstr (candela_plugin_get_description (plugin), ==, "For tests; the first");
  g_assert_cmpstr (candela_plugin_get_filename (plugin), ==, file);
  g_autoptr (GVariant) facts = candela_plugin_describe (plugin);
  g_autofree char *text = g_variant_print (facts, FALSE);
  g_assert_cmpstr (text, ==, "{'colour': 'green', 'height': '7 cm'}");
  g_assert_true (candela_registry_load_file (registry, file, &error) == plugin);
  g_assert_true (candela_registry_lookup_plugin (registry, "first", &error) == plugin);

  g_autoptr (GListModel) ops = candela_plugin_list_ops (plugin);
  g_assert_cmpuint (g_list_model_get_n_items (ops), ==, 3);
  g_autoptr (CandelaOp) op = g_list_model_get_item (ops, 1);
  g_assert_cmpstr (candela_op_get_name (op), ==, "shared");
  g_assert_true (candela_registry_lookup_op (registry, "shared", &error) == op);
  g_assert_true (candela_registry_lookup_operator (registry, "prefix:;", &error) == op);
  g_assert_no_error (error);

  g_assert_null (candela_registry_lookup_operator (registry, "infix:+", &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_UNKNOWN_OP);
  g_assert_cmpstr (error->message, ==, "no op has the operator \"infix:+\"");
}

static void
test_key_file (Fixture *fixture, gconstpointer data)
{
  g_autofree char *file = install (fixture, "a", "first");
  g_autoptr (CandelaRegistry) registry = candela_registry_new ("");
  CandelaPlugin *plugin = candela_registry_load_file (registry, file, NULL);
  g_autofree char *text = candela_plugin_to_key_file (plugin);

  g_assert_cmpstr (text, ==,
                   "[Plugin]\n"
                   "Name=first\n"
                   "Version=1.2\n"
                   "License=LGPL-2.1-or-later\n"
                   "Description=For tests; the first\n"
                   "\n"
                   "[Ops]\n"
                   "only_first=\n"
                   "shared=infix:<=>;prefix:\\;;\n"
                   "subscript=index:[];\n");

  /* And read back: an operator with the list's separator in it. */
  g_autofree char *key = write_text (fixture, "a", "first.plugin", text);
  g_autoptr (CandelaRegistry) other = registry_for (fixture, "a");
  g_autoptr (GError) error = NULL;
  g_assert_nonnull (candela_registry_lookup_operator (other, "prefix:;", &error));
  g_assert_no_error (error);
}

static void
test_refused (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *module, *reason;
  } cases[] = {
    { "newer-major", "it was made for the plugin ABI 2.0; this library's is 1.0" },
    { "newer-minor", "it needs the plugin ABI 1.1 or newer; this library's is 1.0" },
    { "short-struct", "its descriptor says that it has 24 bytes; it must have 96" },
    { "tiny-descriptor", "its symbol \"candela_plugin_descriptor\" is not a plugin's descriptor" },
    { "no-descriptor", "it has no symbol \"candela_plugin_descriptor\": it is not a plugin" },
    { "misnamed", "its descriptor names it \"something\"; the name of its file says \"misnamed\"" },
    { "no-licence", "its descriptor has no licence" },
    { "no-register", "its descriptor has no register_ops function" },
    { "refuses", "the device is not there" },
    { "refuses-silently", "its register_ops function failed and did not say why" },
    { "two-alike", "it registers two ops with the name \"twin\"" },
    { "bad-default", "counted: count is 11; it must be between 1 and 10" },
    { "bad-expression", "op \"expressed\" cannot be registered: it is an expression and has kernels, an infer function "
                        "or several outputs" },
    { "bad-gradient", "op \"steep\" cannot be registered: it has a gradient for an input that there is not, or for one "
                      "that may be any number" },
    { "bad-formula", "op \"told\" cannot be registered: its summary, formula or example is empty or not UTF-8" },
    { "bad-shape", "op \"shaped\" cannot be registered: the shape of its output depends on data, and it is not opaque "
                   "and pure, with buffers of its own" },
    { "bad-stages", "op \"staged\" cannot be registered: a kernel has stages that do not fit its operands" },
    { "bad-rows",
      "op \"rowed\" cannot be registered: a kernel takes rows and does not say of which dtypes, or its op is "
      "no reduction of one input" },
    { "bad-ends",
      "op \"ended\" cannot be registered: what ends rows that stages make has no kernel that takes rows of the same "
      "dtypes, or lacks a function" },
  };

  g_autofree char *good = install (fixture, "all", "second");
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *file = install (fixture, "all", cases[k].module);
      g_autofree char *message = g_strdup_printf ("%s: %s", file, cases[k].reason);
      g_autoptr (CandelaRegistry) registry = candela_registry_new ("");
      g_autoptr (GError) error = NULL;

      g_assert_null (candela_registry_load_file (registry, file, &error));
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);
      g_assert_cmpstr (error->message, ==, message);
      g_assert_null (candela_registry_lookup_op (registry, "leftover", NULL));
    }

  /* All of them in the path of one: it goes on. */
  g_autoptr (CandelaRegistry) registry = registry_for (fixture, "all");
  assert_op_of (registry, "only_second", "second");
  g_autoptr (GListModel) plugins = candela_registry_list_plugins (registry);
  g_auto (GStrv) refused = candela_registry_list_refused (registry);
  g_assert_cmpuint (g_list_model_get_n_items (plugins), ==, 1);
  g_assert_cmpuint (g_strv_length (refused), ==, G_N_ELEMENTS (cases));
}

static void
test_text_file (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = write_text (fixture, "a", "aaa.so", "this is not a module\n");
  g_autofree char *good = install (fixture, "a", "second");
  g_autoptr (CandelaRegistry) registry = registry_for (fixture, "missing:a");
  g_autofree char *prefix = g_strconcat (text, ": ", NULL);
  g_autoptr (GError) error = NULL;

  assert_op_of (registry, "only_second", "second");
  g_auto (GStrv) refused = candela_registry_list_refused (registry);
  g_assert_cmpuint (g_strv_length (refused), ==, 1);
  g_assert_true (g_str_has_prefix (refused[0], prefix));
  g_assert_false (g_str_has_prefix (refused[0] + strlen (prefix), text));

  g_assert_null (candela_registry_lookup_op (registry, "only_secund", &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_UNKNOWN_OP);
  g_autofree char *message =
    g_strdup_printf ("no plugin has an op \"only_secund\"; did you mean \"only_second\"? (refused: %s)", refused[0]);
  g_assert_cmpstr (error->message, ==, message);
  g_clear_error (&error);

  g_assert_null (candela_registry_lookup_plugin (registry, "aaa", &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);
  g_assert_cmpstr (error->message, ==, refused[0]);
}

static void
test_missing (Fixture *fixture, gconstpointer data)
{
  g_autoptr (CandelaRegistry) registry = registry_for (fixture, "nowhere");
  g_autofree char *file = g_build_filename (fixture->root, "absent.so", NULL);
  g_autofree char *no_file = g_strconcat (file, ": there is no such file", NULL);
  g_autofree char *no_plugin =
    g_strdup_printf ("no plugin has an op \"add\"; there is no plugin in %s/nowhere", fixture->root);
  g_autoptr (GError) error = NULL;

  g_assert_null (candela_registry_lookup_op (registry, "add", &error));
  g_assert_cmpstr (error->message, ==, no_plugin);
  g_clear_error (&error);
  g_assert_null (candela_registry_load_file (registry, file, &error));
  g_assert_cmpstr (error->message, ==, no_file);
  g_clear_error (&error);
  g_assert_null (candela_registry_lookup_plugin (registry, "absent", &error));
  g_assert_cmpstr (error->message, ==, "there is no plugin \"absent\"");
  g_clear_error (&error);

  /* A name as long as a program is quoted in part, and what is no UTF-8 is made so. */
  g_autofree char *name = g_strnfill (1000000, 'x');
  g_assert_null (candela_registry_lookup_op (registry, name, &error));
  g_assert_cmpuint (strlen (error->message), <, 300);
  g_clear_error (&error);
  g_assert_null (candela_registry_lookup_op (registry, "\xff\xfe", &error));
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

/* What has a key file is opened only for what the key file lists. */
static void
test_listed (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = write_text (fixture, "a", "aaa.so", "this is not a module\n");
  g_autofree char *key = write_text (fixture, "a", "aaa.plugin", "[Ops]\nshared=infix:<=>;\n");
  g_autofree char *good = install (fixture, "a", "second");
  g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");

  assert_op_of (registry, "only_second", "second");
  g_auto (GStrv) before = candela_registry_list_refused (registry);
  g_assert_cmpuint (g_strv_length (before), ==, 0);

  assert_op_of (registry, "shared", "second");
  g_auto (GStrv) after = candela_registry_list_refused (registry);
  g_assert_cmpuint (g_strv_length (after), ==, 1);
}

/* A key file that lists what its module does not register is found out, and the
 * search goes on; one that cannot be read is as none. */
static void
test_lying_key_file (Fixture *fixture, gconstpointer data)
{
  g_autofree char *liar = install (fixture, "a", "first");
  g_autofree char *key = write_text (fixture, "a", "first.plugin", "[Ops]\nonly_second=infix:<=>;\n");
  g_autofree char *honest = install (fixture, "b", "second");
  g_autofree char *garbage = write_text (fixture, "b", "second.plugin", "Ops=only_second");
  g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a:b");
  g_autofree char *message =
    g_strdup_printf ("%s: its key file %s lists \"only_second\", which it does not register", liar, key);

  assert_op_of (registry, "only_second", "second");
  g_auto (GStrv) refused = candela_registry_list_refused (registry);
  g_assert_cmpuint (g_strv_length (refused), ==, 1);
  g_assert_cmpstr (refused[0], ==, message);
}

static void
test_path_order (Fixture *fixture, gconstpointer data)
{
  g_autofree char *in_a = install (fixture, "a", "second");
  g_autofree char *in_b = install (fixture, "b", "first");
  g_autofree char *hidden = install (fixture, "b", "second");
  g_autofree char *broken = write_text (fixture, "broken", "second.so", "no\n");
  g_autofree char *broken_key = write_text (fixture, "broken", "second.plugin", "[Ops]\nwhatever=\n");
  g_autoptr (CandelaRegistry) ab = registry_for (fixture, "a:b");
  g_autoptr (CandelaRegistry) ba = registry_for (fixture, "b:a");
  g_autoptr (CandelaRegistry) past_broken = registry_for (fixture, "broken:a");

  assert_op_of (ab, "shared", "second");
  assert_op_of (ab, "only_first", "first");
  g_assert_cmpstr (candela_op_get_plugin_name (candela_registry_lookup_operator (ab, "infix:<=>", NULL)), ==, "second");
  assert_op_of (ba, "shared", "first");
  g_assert_cmpstr (candela_op_get_plugin_name (candela_registry_lookup_operator (ba, "infix:<=>", NULL)), ==, "first");

  /* The second of a name is hidden, and so are ops whose names are taken. */
  g_autoptr (GListModel) plugins = candela_registry_list_plugins (ab);
  g_autoptr (GListModel) ops = candela_registry_list_ops (ab);
  g_assert_cmpuint (g_list_model_get_n_items (plugins), ==, 2);
  g_assert_cmpuint (g_list_model_get_n_items (ops), ==, 4);
  g_assert_cmpstr (candela_plugin_get_filename (candela_registry_lookup_plugin (ab, "second", NULL)), ==, in_a);

  /* What cannot be opened hides nothing, though its key file does not list the op. */
  assert_op_of (past_broken, "only_second", "second");
}

static void
test_load_file_comes_first (Fixture *fixture, gconstpointer data)
{
  g_autofree char *in_path = install (fixture, "a", "second");
  g_autofree char *by_hand = install (fixture, "hand", "first");
  g_autofree char *same_name = install (fixture, "hand", "second");
  g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");
  g_autoptr (GError) error = NULL;

  assert_op_of (registry, "shared", "second");
  g_assert_nonnull (candela_registry_lookup_operator (registry, "infix:<=>", &error));
  g_assert_nonnull (candela_registry_load_file (registry, by_hand, &error));
  g_assert_no_error (error);
  assert_op_of (registry, "shared", "first");
  g_assert_cmpstr (candela_op_get_plugin_name (candela_registry_lookup_operator (registry, "infix:<=>", NULL)), ==,
                   "first");

  g_autofree char *message = g_strdup_printf ("%s: a plugin \"second\" has been loaded from %s", same_name, in_path);
  g_assert_null (candela_registry_load_file (registry, same_name, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);
  g_assert_cmpstr (error->message, ==, message);
}

static gpointer
look_up_all (gpointer data)
{
  static const char *const names[] = { "only_first", "only_second", "shared", "subscript", "absent" };
  gpointer *ops = g_new0 (gpointer, 2000);

  for (guint k = 0; k < 2000; k++)
    ops[k] = candela_registry_lookup_op (data, names[k % G_N_ELEMENTS (names)], NULL);
  return ops;
}

static void
test_threads (Fixture *fixture, gconstpointer data)
{
  g_autofree char *a = install (fixture, "a", "first");
  g_autofree char *b = install (fixture, "a", "second");
  g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");
  GThread *threads[8];

  for (guint k = 0; k < G_N_ELEMENTS (threads); k++)
    threads[k] = g_thread_new ("look-up", look_up_all, registry);
  g_autofree gpointer *expected = look_up_all (registry);
  for (guint k = 0; k < G_N_ELEMENTS (threads); k++)
    {
      g_autofree gpointer *ops = g_thread_join (threads[k]);
      g_assert_cmpmem (ops, 2000 * sizeof (gpointer), expected, 2000 * sizeof (gpointer));
    }
  g_assert_nonnull (expected[0]);
  g_assert_null (expected[4]);
}

/* A module that looks up ops while it registers, in the registry that is opening
 * it and in another. */
static void
test_nested (Fixture *fixture, gconstpointer data)
{
  g_autoptr (CandelaRegistry) registry = registry_for (fixture, "a");
  g_autofree char *file = install (fixture, "a", "nested");

  assert_op_of (candela_registry_get_default (), "nested", "nested");
  assert_op_of (registry, "nested", "nested");
}

/* What ships with the library is listed as it is. */
static void
test_shipped_key_files (Fixture *fixture, gconstpointer data)
{
  const char *build = g_getenv ("CANDELA_BUILD_DIR");
  g_autofree char *folder = g_build_filename (build != NULL ? build : ".", "plugins", ".libs", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (CandelaRegistry) registry = candela_registry_new ("");
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *file = g_build_filename (folder, name, NULL);
      g_autofree char *key_file = NULL, *text = NULL, *expected = NULL;
      g_autoptr (GError) error = NULL;

      if (!g_str_has_suffix (name, ".so"))
        continue;
      key_file = g_strdup_printf ("%.*s.plugin", (int) strlen (file) - 3, file);
      g_file_get_contents (key_file, &text, NULL, &error);
      g_assert_no_error (error);
      CandelaPlugin *plugin = candela_registry_load_file (registry, file, &error);
      g_assert_no_error (error);
      expected = candela_plugin_to_key_file (plugin);
      g_assert_cmpstr (text, ==, expected);
      n++;
    }
  if (n == 0)
    g_test_skip ("no built plugins");
}

/* The default registry reads the environment when it is made. */
static void
prepare_default_registry (void)
{
  g_autofree char *nested = module_filename ("plugins", "nested");
  g_autofree char *folder = g_path_get_dirname (nested);
  g_setenv ("CANDELA_PLUGIN_PATH", folder, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  prepare_default_registry ();

#define ADD(path, function) g_test_add ("/registry/" path, Fixture, NULL, set_up, function, tear_down)
  ADD ("load", test_load);
  ADD ("key-file", test_key_file);
  ADD ("refused", test_refused);
  ADD ("text-file", test_text_file);
  ADD ("missing", test_missing);
  ADD ("listed", test_listed);
  ADD ("lying-key-file", test_lying_key_file);
  ADD ("path-order", test_path_order);
  ADD ("load-file-comes-first", test_load_file_comes_first);
  ADD ("threads", test_threads);
  ADD ("nested", test_nested);
  ADD ("shipped-key-files", test_shipped_key_files);
  return g_test_run ();
}
