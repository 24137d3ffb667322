/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops of foreign functions over arrays, row by row and over all elements, and the .ops
 * files that describe foreign ops. */
#include "foreign/foreign-testing.h"
#include <glib/gstdio.h>

/* What has no thunk needs it. */
static gboolean
has_libffi (void)
{
#ifdef HAVE_LIBFFI
  return TRUE;
#else
  g_test_skip ("built without libffi");
  return FALSE;
#endif
}

#define RUNNING "void (const double *x, double *out, size_t n)"
#define WEIGH                                                                                                          \
  "void (int n, double alpha, const float *x, int step_x, const float *y, int step_y, float *out, int step_out)"
#define SPREAD "int (const double *x, size_t n, double *out, size_t m, double *largest)"

static const ForeignCase array_ops[] = {
  { "running", RUNNING, "running_sum", NULL },
  { "running_over", RUNNING, "running_sum", "{'InPlace': <'x'>}" },
  { "running_all", RUNNING, "running_sum", "{'Axes': <'whole'>}" },
  { "weigh", WEIGH, "weigh",
    "{'Parameters': <'alpha'>, 'Default.alpha': <2.0>, 'Length': <'n'>,"
    " 'Strides': <'step_x:x; step_y:y; step_out:out'>}" },
  { "weigh_alone", WEIGH, "weigh",
    "{'Parameters': <'alpha'>, 'Default.alpha': <2.0>, 'Length': <'n'>, 'Threads': <'no'>,"
    " 'Strides': <'step_x:x; step_y:y; step_out:out'>, 'InPlace': <'x;y'>}" },
  { "total", "double (const double x[], size_t stride, size_t n)", "total", "{'Strides': <'stride'>}" },
  { "total_all", "double (const double x[], size_t stride, size_t n)", "total",
    "{'Strides': <'stride'>, 'Axes': <'whole'>}" },
  { "sorted", "void (int32_t *x, size_t n)", "sort_ints", "{'Inputs': <'x'>, 'Output': <'x'>}" },
  { "spread", SPREAD, "spread_out",
    "{'Length': <'n:x; m:out; m:largest'>, 'Parameters': <'m'>, 'Returns': <'status'>}" },
  { "dotted", "float (const float *x, const float *y, size_t n)", "dot", NULL },
  { "steps", "long long (const uint8_t *x, long n)", "count_steps", NULL },
};

static const ValueCase cases[] = {
  { "running(x)", "float64", "2 3", "1 3 6 4 9 15" },
  { "running(x.T)", "float64", "3 2", "1 5 2 7 3 9" },
  { "running(x[:, ::-1])", "float64", "2 3", "3 5 6 6 11 15" },
  { "running(i)", "float64", "3", "1 3 6" },
  { "running(x * 2) + 1", "float64", "2 3", "3 7 13 9 19 31" },
  { "running_over(x * 2) + 1", "float64", "2 3", "3 7 13 9 19 31" },
  { "t = x * 2; running_over(t) + t", "float64", "2 3", "4 10 18 16 28 42" },
  { "running_all(x)", "float64", "2 3", "1 3 6 10 15 21" },
  { "running_all(x.T)", "float64", "3 2", "1 5 7 12 15 21" },
  { "running(x[:, 0:0])", "float64", "2 0", "" },
  { "running(x[0:0])", "float64", "0 3", "" },
  { "weigh(f, f)", "float32", "4", "3 6 9 12" },
  { "weigh(f[::2], f[::-2], alpha=10)", "float32", "2", "14 32" },
  { "weigh_alone(f + 1, f)", "float32", "4", "5 8 11 14" },
  { "total(x)", "float64", "2", "6 15" },
  { "total(x.T)", "float64", "3", "5 7 9" },
  { "total(x[:, ::2])", "float64", "2", "4 10" },
  { "total(x + 1) * 2", "float64", "2", "18 36" },
  { "total(x[:, 0:0])", "float64", "2", "0 0" },
  { "total(x[0:0])", "float64", "0", "" },
  { "total_all(x)", "float64", "", "21" },
  { "total_all(x[0, ::2])", "float64", "", "4" },
  { "total_all(x.T) + x", "float64", "2 3", "22 23 24 25 26 27" },
  { "sorted(s)", "int32", "2 4", "-1 1 3 4 0 2 8 9" },
  { "sorted(s * 2)", "int32", "2 4", "-2 2 6 8 0 4 16 18" },
  { "t = s * 2; sorted(t) + t", "int32", "2 4", "4 0 14 10 18 8 16 34" },
  { "sorted(s[:, ::-1].T)", "int32", "4 2", "1 8 0 4 -1 2 3 9" },
  { "p, q = spread(x, 2); p + q", "float64", "2 2", "11 33 44 66" },
  { "p, q = spread(x[1], m=0); p", "float64", "0", "" },
  { "dotted(f, f)", "float32", "", "30" },
  { "dotted(c * f, f)", "float32", "2", "30 60" },
  { "steps(astype([1, 1, 2, 1, 1], uint8))", "int64", "", "2" },
};

static void
test_values (void)
{
  const Given given[] = {
    { "x", "float64", "2 3", "1 2 3 4 5 6" },    { "i", "int32", "3", "1 2 3" },
    { "f", "float32", "4", "1 2 3 4" },          { "c", "float32", "2 1", "1 2" },
    { "s", "int32", "2 4", "3 -1 4 1 9 2 0 8" },
  };

  if (!has_libffi ())
    return;
  check_values (array_ops, G_N_ELEMENTS (array_ops), cases, G_N_ELEMENTS (cases), given, G_N_ELEMENTS (given));
}

static void
test_complex (void)
{
  const Given z = { "z", "complex128", "2", "1 2 3 -4" };

  add_foreign ("turn", FUNCTIONS, "turn", "void (const double complex *x, double complex *out, size_t n)", NULL);
  check_value ("turn(z)", &z, 1, "complex128", "2", "-2 1 4 3");
  check_value ("turn(turn(z)) + z", &z, 1, "complex128", "2", "0 0 0 0");
}

/* More rows than one chunk has, on several threads, in every layout. */
static void
test_many_rows (void)
{
  const gint64 shape[] = { 3000, 17 };
  g_autoptr (CandelaTensor) x = candela_tensor_new (CANDELA_DTYPE_FLOAT64, shape, 2, NULL);
  g_autoptr (CandelaTensor) wanted = candela_tensor_new (CANDELA_DTYPE_FLOAT64, shape, 2, NULL);
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) node = NULL, other = NULL;
  double *xs = candela_tensor_get_writable_data (x), *out = candela_tensor_get_writable_data (wanted);

  for (gint64 i = 0; i < 3000 * 17; i++)
    {
      xs[i] = (double) (i % 101) / 3;
      out[i] = i % 17 == 0 ? xs[i] + 1 : out[i - 1] + (xs[i] + 1);
    }
  put_name (names, "x", candela_node_new_tensor (x));
  add_foreign ("summed", FUNCTIONS, "running_sum", RUNNING, "{'InPlace': <'x'>}");
  node = build ("summed(x + 1)", names);
  check_roots (&node, &wanted, 1, "summed(x + 1)");
  other = build ("summed(contiguous(x.T).T + 1)", names);
  check_roots (&other, &wanted, 1, "summed of columns");
}

static void
test_in_place (void)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) node = NULL, sorted = NULL, apart = NULL;
  g_autoptr (CandelaPlan) plan = NULL, plan_sorted = NULL, plan_apart = NULL;
  g_autofree char *text = NULL, *text_sorted = NULL, *text_apart = NULL;

  add_foreign ("sums", FUNCTIONS, "running_sum", RUNNING, "{'InPlace': <'0'>}");
  add_foreign ("sums_apart", FUNCTIONS, "running_sum", RUNNING, NULL);
  add_foreign ("in_order", FUNCTIONS, "sort_ints", "void (int32_t *x, size_t n)", "{'Inputs': <'x'>}");
  add_slot (names, "x", "float64", "10 10");
  add_slot (names, "s", "int32", "10 10");
  node = build ("sums(x * 2)", names);
  plan = plan_node (node, CANDELA_PLAN_NO_FUSION);
  text = candela_plan_to_string (plan);
  g_assert_nonnull (strstr (text, "in place over"));
  sorted = build ("in_order(s * 2)", names);
  plan_sorted = plan_node (sorted, CANDELA_PLAN_NO_FUSION);
  text_sorted = candela_plan_to_string (plan_sorted);
  g_assert_nonnull (strstr (text_sorted, "in place over"));
  apart = build ("sums_apart(x * 2)", names);
  plan_apart = plan_node (apart, CANDELA_PLAN_NO_FUSION);
  text_apart = candela_plan_to_string (plan_apart);
  g_assert_null (strstr (text_apart, "in place over"));
}

/* ---- What is wrong ---- */

static const struct
{
  const char *signature, *options, *message;
} refused[] = {
  { "void (const double *x, double *out, size_t n, int m)", NULL,
    "it has several integers: Length must name the one that is the length of its arrays, Strides and Parameters the "
    "others" },
  { "void (const double *x, double *out)", NULL, "it has no integer that could be the length of its arrays" },
  { "void (const double *x, double *out, size_t n, double a)", NULL,
    "nothing says what its argument \"a\" is: Parameters, Length or Strides must name it" },
  { "void (const double *x, const double *y, size_t n)", NULL,
    "it has no output: it returns nothing, and all its pointers are const" },
  { "void (double *x, size_t n)", NULL,
    "it has no input: all its pointers are outputs (Inputs names those that are read, too)" },
  { "int (const double *x, double *out, size_t n)", NULL,
    "it returns a value beside what it writes: Returns must say value, status or ignored" },
  { "void (const double *x, double *out, size_t n)", "{'Returns': <'status'>}",
    "Returns is given, and the function returns void" },
  { "void (const double *x, double *out, size_t n)", "{'Length': <'x'>}",
    "Length names \"x\", which is not an integer" },
  { "void (const double *x, double *out, size_t n)", "{'Output': <'x'>}",
    "Output names \"x\", which is not a pointer that can be written to" },
  { "void (const double *x, double *out, size_t n, size_t m)", "{'Length': <'n:x; m:out'>}",
    "\"m\" is the length of no input: Parameters must name it, too" },
  { "void (const double *x, double *out, size_t n, int s)", "{'Length': <'n'>, 'Strides': <'s'>}",
    "Strides names \"s\" and not its array: write s:ARRAY" },
  { "void (const double *x, double *out, size_t n)", "{'Axes': <'columns'>}",
    "Axes is \"columns\"; it must be rows or whole" },
  { "void (const double *x, double *out, size_t n)", "{'Parameters': <'x'>}",
    "Parameters names \"x\", which is a pointer: a parameter is a number or text" },
};

static void
assert_run_refused (const char *text, int code, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaExpression) expression = candela_expression_parse (text, -1, NULL, &error);
  g_autoptr (CandelaTensor) tensor =
    expression != NULL ? candela_node_materialize (candela_expression_get_value (expression), &error) : NULL;

  g_assert_null (tensor);
  g_assert_error (error, CANDELA_ERROR, code);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_refused (void)
{
  if (!has_libffi ())
    return;

  for (guint k = 0; k < G_N_ELEMENTS (refused); k++)
    {
      g_autofree char *message = g_strconcat ("foreign op \"wrong\": ", refused[k].message, NULL);

      assert_foreign_refused ("wrong", FUNCTIONS, "total", refused[k].signature, refused[k].options, message);
    }
  add_foreign ("dots", FUNCTIONS, "dot", "float (const float *x, const float *y, size_t n)", NULL);
  add_foreign ("spreads", FUNCTIONS, "spread_out", SPREAD,
               "{'Length': <'n:x; m:out; m:largest'>, 'Parameters': <'m'>, 'Returns': <'status'>}");
  add_foreign ("run", FUNCTIONS, "running_sum", RUNNING, NULL);
  assert_run_refused ("run(1.0)", CANDELA_ERROR_SHAPE, "run: x has no axis for rows");
  assert_run_refused ("run([1j])", CANDELA_ERROR_DTYPE, "run: x has dtype complex128; it must be");
  assert_run_refused ("dots(zeros([3], float32), zeros([4], float32))", CANDELA_ERROR_SHAPE,
                      "dots: x has 3 elements in a row and y 4; they must be as many");
  assert_run_refused ("dots(zeros([2, 3], float32), zeros([4, 3], float32))", CANDELA_ERROR_SHAPE,
                      "cannot be broadcast together");
  assert_run_refused ("spreads([1.0], m=-1)", CANDELA_ERROR_PARAMETER, "spreads: m is -1; it must be between 0 and");
  assert_run_refused ("p, q = spreads([[1.0], [-1.0], [-2.0]], m=1); p", CANDELA_ERROR_VALUE,
                      "spreads: spread_out returned 7 for row 1");
}

/* ---- Files ---- */

typedef struct
{
  char *folder, *filename, *library;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("candela-foreign-XXXXXX", NULL);
  fixture->filename = g_build_filename (fixture->folder, "mine.ops", NULL);
  fixture->library = g_build_filename (fixture->folder, FUNCTIONS, NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_remove (fixture->filename);
  g_remove (fixture->library);
  g_rmdir (fixture->folder);
  g_free (fixture->filename);
  g_free (fixture->library);
  g_free (fixture->folder);
}

static void
write_file (Fixture *fixture, const char *text)
{
  g_autoptr (GError) error = NULL;

  g_file_set_contents (fixture->filename, text, -1, &error);
  g_assert_no_error (error);
}

static void
test_file (Fixture *fixture, gconstpointer data)
{
  g_autofree char *built = library_filename (FUNCTIONS), *contents = NULL, *key_file = NULL;
  g_autoptr (CandelaRegistry) registry = candela_registry_new (fixture->folder);
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) plugins = NULL;
  g_autoptr (GVariant) facts = NULL;
  CandelaPlugin *plugin;
  const char *text;
  CandelaOp *op;
  gsize length;

  if (!has_libffi ())
    return;
  /* The library lies beside it, and is found by a path from there. */
  g_assert_true (g_file_get_contents (built, &contents, &length, NULL));
  g_assert_true (g_file_set_contents (fixture->library, contents, length, NULL));
  write_file (fixture, "[Plugin]\nVersion=1.2\nLicense=MIT\nDescription=Mine\nLibrary=./" FUNCTIONS "\n"
                       "[Op add_one]\nSignature=double (double)\nSummary=One more\nInPlace=0\n"
                       "Formula=xᵢ + 1\nExample=add_one([1.0, 2.0])\n"
                       "[Op erf_of]\nLibrary=libm.so.6\nSymbol=erf\nSignature=double (double x)\n"
                       "Operators=prefix:? infix:??\n"
                       "[Op spread_three]\nSymbol=spread_out\nSignature=" SPREAD "\nParameters=m\nDefault.m=3\n"
                       "Length=n:x; m:out; m:largest\nReturns=status\n");
  op = candela_registry_lookup_op (registry, "add_one", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (candela_op_get_summary (op), ==, "One more");
  g_assert_cmpstr (candela_op_get_plugin_name (op), ==, "mine");
  facts = candela_op_describe (op);
  g_assert_true (g_variant_lookup (facts, "formula", "&s", &text));
  g_assert_cmpstr (text, ==, "xᵢ + 1");
  g_assert_true (g_variant_lookup (facts, "example", "&s", &text));
  g_assert_cmpstr (text, ==, "add_one([1.0, 2.0])");
  plugin = candela_registry_lookup_plugin (registry, "mine", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (candela_plugin_get_version (plugin), ==, "1.2");
  g_assert_cmpstr (candela_plugin_get_license (plugin), ==, "MIT");
  g_assert_cmpstr (candela_plugin_get_description (plugin), ==, "Mine");
  g_assert_cmpstr (candela_plugin_get_filename (plugin), ==, fixture->filename);
  op = candela_registry_lookup_operator (registry, "infix:??", &error);
  g_assert_cmpstr (candela_op_get_name (op), ==, "erf_of");
  key_file = candela_plugin_to_key_file (plugin);
  g_assert_nonnull (strstr (key_file, "erf_of=prefix:?;infix:??;"));
  /* Two registries share it. */
  g_assert_true (candela_registry_load_file (candela_registry_get_default (), fixture->filename, &error) == plugin);
  check_value ("p, q = spread_three(x); add_one(p + q)", &(Given){ "x", "float64", "5", "1 2 3 4 5" }, 1, "float64",
               "3", "12 34 56");
  plugins = candela_registry_list_plugins (registry);
  g_assert_cmpuint (g_list_model_get_n_items (plugins), ==, 1);
}

/* Nothing is opened for an op that the file does not have. */
static void
test_file_lazily (Fixture *fixture, gconstpointer data)
{
  g_autoptr (CandelaRegistry) registry = candela_registry_new (fixture->folder);
  g_auto (GStrv) refused_now = NULL, refused_then = NULL;

  write_file (fixture, "[Op a]\nLibrary=libnothing.so\nSignature=double (double)\n");
  g_assert_null (candela_registry_lookup_op (registry, "b", NULL));
  refused_now = candela_registry_list_refused (registry);
  g_assert_cmpuint (g_strv_length (refused_now), ==, 0);
  g_assert_null (candela_registry_lookup_op (registry, "a", NULL));
  refused_then = candela_registry_list_refused (registry);
  g_assert_cmpuint (g_strv_length (refused_then), ==, 1);
}

static const struct
{
  const char *text, *message;
} wrong_files[] = {
  { "", "it has no group [Op NAME]" },
  { "nonsense", "Key file contains line" },
  { "[Ops]\n", "group \"Ops\" is unknown; there are [Plugin] and [Op NAME]" },
  { "[Plugin]\nAuthor=I\n",
    "key \"Author\" of [Plugin] is unknown; there are Name, Version, License, Description, Library" },
  { "[Plugin]\nName=yours\n", "its Name is \"yours\"; the name of the file says \"mine\"" },
  { "[Op a]\nSignature=double (double)\n", "foreign op \"a\": there is no key \"Library\"" },
  { "[Op a]\nLibrary=libm.so.6\n", "foreign op \"a\": there is no key \"Signature\"" },
  { "[Op a]\nLibrary=libm.so.6\nSymbol=erf\nSignature=double (double)\nThread=no\n",
    "foreign op \"a\": key \"Thread\" is unknown; there are Axes," },
  { "[Op erf]\nLibrary=libm.so.6\nSignature=double (double)\n[Op a]\nLibrary=libm.so.6\nSignature=double (double)\n",
    "foreign op \"a\": its library \"libm.so.6\" has no function \"a\"" },
  { "[Op a b]\nLibrary=libm.so.6\nSymbol=erf\nSignature=double (double)\n",
    "op \"a b\" cannot be registered: its name is not of lower-case letters" },
};

static void
test_wrong_files (Fixture *fixture, gconstpointer data)
{
  for (guint k = 0; k < G_N_ELEMENTS (wrong_files); k++)
    {
      g_autoptr (CandelaRegistry) registry = candela_registry_new ("");
      g_autoptr (GError) error = NULL;

      write_file (fixture, wrong_files[k].text);
      g_assert_null (candela_registry_load_file (registry, fixture->filename, &error));
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);
      g_assert_true (g_str_has_prefix (error->message, fixture->filename));
      if (strstr (error->message, wrong_files[k].message) == NULL)
        g_error ("%s\nand not %s", error->message, wrong_files[k].message);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/foreign-arrays/values", test_values);
  g_test_add_func ("/foreign-arrays/refused", test_refused);
  g_test_add ("/foreign-arrays/file", Fixture, NULL, set_up, test_file, tear_down);
  g_test_add_func ("/foreign-arrays/complex", test_complex);
  g_test_add_func ("/foreign-arrays/many-rows", test_many_rows);
  g_test_add_func ("/foreign-arrays/in-place", test_in_place);
  g_test_add ("/foreign-arrays/file-lazily", Fixture, NULL, set_up, test_file_lazily, tear_down);
  g_test_add ("/foreign-arrays/wrong-files", Fixture, NULL, set_up, test_wrong_files, tear_down);
  return g_test_run ();
}
