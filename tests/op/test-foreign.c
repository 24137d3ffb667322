/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops of foreign functions over elements: those of the C library, which the compiler
 * can call as well, and those of foreign/functions.c. */
#include "../testing.h"
#include "foreign/foreign-testing.h"

/* ---- Values ---- */

#ifdef HAVE_LIBFFI

#define X_F64                                                                                                          \
  {                                                                                                                    \
    "x", "float64", "2 3", "0 0.5 -1 2 -3 1.5"                                                                         \
  }

/* By their signatures: those that have thunks, and others. */
static const ForeignCase element_ops[] = {
  { "one", "double (double)", "add_one", NULL },
  { "times", "float (float x, int n)", "scale", NULL },
  { "times_n", "float (float x, int n)", "scale",
    "{'Parameters': <'n'>, 'Default.n': <2>, 'Range.n': <'0;5'>, 'Summary.n': <'how often'>}" },
  { "digits", "double (double a, float b, int8_t c, uint16_t d, int64_t e, unsigned f)", "six", NULL },
  { "digits_of", "double (double a, float b, int8_t c, uint16_t d, int64_t e, unsigned f)", "six",
    "{'Parameters': <['e', 'c', 'f']>, 'Default.f': <'0'>}" },
  { "low", "int8_t (int16_t x)", "low_byte", NULL },
  { "odd", "bool (uint64_t x)", "is_odd", NULL },
  { "short_of", "uint16_t (unsigned x, bool up)", "shorten", "{'Parameters': <'up'>, 'Default.up': <false>}" },
  { "letters_more", "double (double x, const char *text)", "letters",
    "{'Parameters': <'text'>, 'Default.text': <'abc'>}" },
  { "one_alone", "double (double)", "alone", "{'Threads': <false>}" },
  { "one_ordered", "double (double)", "alone", "{'Pure': <false>}" },
  { "one_not_over", "double (double)", "add_one", "{'InPlace': <''>}" },
};

static const ValueCase cases[] = {
  { "one(x)", "float64", "2 3", "1 1.5 0 3 -2 2.5" },
  { "one(x.T)", "float64", "3 2", "1 3 1.5 -2 0 2.5" },
  { "one(x[:, ::-2])", "float64", "2 2", "0 1 2.5 3" },
  { "one(x[0:0])", "float64", "0 3", "" },
  { "one(i)", "float64", "3", "2 3 4" },
  { "one(f)", "float64", "3", "1.25 3 -3" },
  { "one(one(x) * 2) + x", "float64", "2 3", "3 4.5 0 9 -6 7.5" },
  /* The float has the shape of a row, the int that of a column. */
  { "times(f, c)", "float32", "2 3", "0.5 4 -8 0.75 6 -12" },
  { "times(f, 3)", "float32", "3", "0.75 6 -12" },
  { "times(0.5, c)", "float32", "2 1", "1 1.5" },
  { "times(f[0:0], 3)", "float32", "0", "" },
  { "times_n(f)", "float32", "3", "0.5 4 -8" },
  { "times_n(f, none)", "float32", "3", "0.5 4 -8" },
  { "times_n(f, n=4)", "float32", "3", "1 8 -16" },
  { "times_n(f, 0) + 1", "float32", "3", "1 1 1" },
  { "digits(x, f, 3, 4, 5, 6)", "float64", "2 3", "6504302.5 6504320.5 6504259 6504304.5 6504317 6504261.5" },
  { "digits_of(x, f, astype(c, uint16), e=5, c=3)", "float64", "2 3",
    "502302.5 502320.5 502259 503304.5 503317 503261.5" },
  { "digits_of(1, 2, 3, e=-1, c=-1, f=4294967295)", "float64", "", "4294967294902921" },
  { "low(astype([1, 127, 128, -129], int16))", "int8", "4", "1 127 -128 127" },
  { "odd(astype([1, 2, 3], uint64))", "bool", "3", "1 0 1" },
  { "where(odd(astype([1, 2, 3], uint64)), 5, 6)", "int64", "3", "5 6 5" },
  { "short_of(astype([1, 65535, 65536], uint32))", "uint16", "3", "1 65535 0" },
  { "short_of(astype([1, 65535], uint32), up=true)", "uint16", "2", "2 0" },
  { "letters_more(x[0])", "float64", "3", "3 3.5 2" },
  { "letters_more(x[0], text='')", "float64", "3", "0 0.5 -1" },
  { "one_alone(x)", "float64", "2 3", "0 0.5 -1 2 -3 1.5" },
  { "one_ordered(x)", "float64", "2 3", "0 0.5 -1 2 -3 1.5" },
  { "one_not_over(x * 2)", "float64", "2 3", "1 2 -1 5 -5 4" },
};

static void
test_values (void)
{
  const Given given[] = {
    X_F64,
    { "f", "float32", "3", "0.25 2 -4" },
    { "c", "int32", "2 1", "2 3" },
    { "i", "int64", "3", "1 2 3" },
  };

  check_values (element_ops, G_N_ELEMENTS (element_ops), cases, G_N_ELEMENTS (cases), given, G_N_ELEMENTS (given));
}

#else

static void
test_without_libffi (void)
{
  assert_foreign_refused ("odd", FUNCTIONS, "is_odd", "bool (uint64_t x)", NULL,
                          "foreign op \"odd\": its signature is not one of the common ones (such as double (double)), "
                          "and this build of Candela has no libffi, which serves all others");
}

#endif

/* Each function of the C library against what the compiler makes of a call of it, over
 * more elements than a tile has, on all ways to run. */
#define N_MANY 10007

typedef struct
{
  const char *name, *signature;
  double (*unary) (double);
  double (*binary) (double, double);
} LibmCase;

static double
one_of_jn (double n, double x)
{
  return jn ((int) n, x);
}

static double
one_of_ldexp (double x, double n)
{
  return ldexp (x, (int) n);
}

static double
one_of_ilogb (double x)
{
  return ilogb (x);
}

static void
test_libm (void)
{
  static const LibmCase libm[] = {
    { "erf", "double (double)", erf, NULL },
    { "lgamma", "double (double x)", lgamma, NULL },
    { "ilogb", "int (double)", one_of_ilogb, NULL },
    { "fmod", "double (double, double)", NULL, fmod },
    { "jn", "double (int n, double x)", NULL, one_of_jn },
    { "ldexp", "double (double x, int n)", NULL, one_of_ldexp },
  };
  const gint64 shape[] = { N_MANY };

  for (guint k = 0; k < G_N_ELEMENTS (libm); k++)
    {
      g_autofree char *name = g_strconcat ("c_", libm[k].name, NULL);
      g_autofree char *text =
        g_strdup_printf (libm[k].unary != NULL ? "astype(c_%s(x), float64)" : "c_%s(%s)", libm[k].name,
                         strcmp (libm[k].name, "jn") == 0      ? "n, x"
                         : strcmp (libm[k].name, "ldexp") == 0 ? "x, n"
                                                               : "x, y");
      g_autoptr (CandelaTensor) x = candela_tensor_new (CANDELA_DTYPE_FLOAT64, shape, 1, NULL);
      g_autoptr (CandelaTensor) y = candela_tensor_new (CANDELA_DTYPE_FLOAT64, shape, 1, NULL);
      g_autoptr (CandelaTensor) n = candela_tensor_new (CANDELA_DTYPE_INT32, shape, 1, NULL);
      g_autoptr (CandelaTensor) wanted = candela_tensor_new (CANDELA_DTYPE_FLOAT64, shape, 1, NULL);
      g_autoptr (GHashTable) names = names_new ();
      g_autoptr (CandelaNode) node = NULL;
      double *xs = candela_tensor_get_writable_data (x), *ys = candela_tensor_get_writable_data (y);
      double *out = candela_tensor_get_writable_data (wanted);
      gint32 *ns = candela_tensor_get_writable_data (n);

      for (gsize i = 0; i < N_MANY; i++)
        {
          gboolean first = strcmp (libm[k].name, "jn") == 0;

          xs[i] = 0.001 + (double) i / 321;
          ys[i] = 1 + (double) (i % 17) / 7;
          ns[i] = i % 11;
          out[i] = libm[k].unary != NULL                 ? libm[k].unary (xs[i])
                   : first                               ? libm[k].binary (ns[i], xs[i])
                   : strcmp (libm[k].name, "ldexp") == 0 ? libm[k].binary (xs[i], ns[i])
                                                         : libm[k].binary (xs[i], ys[i]);
        }
      put_name (names, "x", candela_node_new_tensor (x));
      put_name (names, "y", candela_node_new_tensor (y));
      put_name (names, "n", candela_node_new_tensor (n));
      add_foreign (name, "libm.so.6", libm[k].name, libm[k].signature, NULL);
      node = build (text, names);
      check_roots (&node, &wanted, 1, text);
    }
}

/* ---- What the planner makes of it ---- */

static void
test_fusion (void)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) node = NULL, over = NULL, not_over = NULL;
  g_autoptr (CandelaPlan) plan = NULL, plan_over = NULL, plan_not_over = NULL;
  g_autofree char *text_over = NULL, *text_not_over = NULL;

  add_foreign ("next", FUNCTIONS, "add_one", "double (double)", NULL);
  add_foreign ("next_apart", FUNCTIONS, "add_one", "double (double)", "{'InPlace': <''>}");
  add_slot (names, "x", "float64", "1000");
  node = build ("next(x * 2) + next(x)", names);
  plan = plan_node (node, 0);
  g_assert_cmpuint (candela_plan_get_n_steps (plan), ==, 1);
  over = build ("next(x * 2)", names);
  plan_over = plan_node (over, CANDELA_PLAN_NO_FUSION);
  text_over = candela_plan_to_string (plan_over);
  g_assert_nonnull (strstr (text_over, "in place over"));
  not_over = build ("next_apart(x * 2)", names);
  plan_not_over = plan_node (not_over, CANDELA_PLAN_NO_FUSION);
  text_not_over = candela_plan_to_string (plan_not_over);
  g_assert_null (strstr (text_not_over, "in place over"));
}

/* One that says so is never called twice at once; the function itself would tell. */
static void
test_threads (void)
{
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaTensor) result = NULL;
  const double *elements;

  add_foreign ("is_alone", FUNCTIONS, "alone", "double (double)", "{'Threads': <'no'>}");
  candela_set_num_threads (4);
  node = build ("is_alone(zeros([100000])) + 1", NULL);
  result = compute (node);
  candela_set_num_threads (0);
  elements = candela_tensor_get_data (result);
  for (gsize i = 0; i < 100000; i++)
    g_assert_cmpfloat (elements[i], ==, 1);
}

/* ---- What is wrong ---- */

static const struct
{
  const char *signature, *options, *message;
} refused[] = {
  { "double (double", NULL, "signature \"double (double\", column 15: its end where \",\" or \")\" should be" },
  { "double (double x,)", NULL, "signature \"double (double x,)\", column 18: \")\" where a type should be" },
  { "double(foo x)", NULL,
    "signature \"double(foo x)\", column 8: \"foo\" is not a type that can be served; those are bool, char, short, "
    "int, long, float, double, size_t, int64_t and their like" },
  { "double (long double)", NULL, "signature \"double (long double)\", column 20: there is no dtype for long double" },
  { "double (double, ...)", NULL,
    "signature \"double (double, ...)\", column 17: a function of any number of arguments cannot be served" },
  { "double ()", NULL,
    "signature \"double ()\", column 9: a function without arguments computes nothing from its inputs" },
  { "double erf (double)", NULL,
    "signature \"double erf (double)\", column 8: a signature has no name of the function: \"(\" should be here" },
  { "double (double x, double x)", NULL,
    "signature \"double (double x, double x)\", column 26: two arguments have the name \"x\"" },
  { "double *(double x)", NULL,
    "signature \"double *(double x)\", column 9: a function that returns a pointer cannot be served" },
  { "double (double) x", NULL, "signature \"double (double) x\", column 17: \"x\" where its end should be" },
  { "double (double **x)", NULL,
    "signature \"double (double **x)\", column 17: an argument cannot be a pointer to pointers" },
  { "double (double (*f)(double))", NULL,
    "signature \"double (double (*f)(double))\", column 16: an argument cannot be a pointer to a function" },
  { "double (void *x)", NULL,
    "signature \"double (void *x)\", column 16: what a void * points at is not known: write its type" },
  { "double (short long x)", NULL,
    "signature \"double (short long x)\", column 20: these words are no type that can be served; those are bool, char, "
    "short, int, long, float, double, size_t, int64_t and their like" },
  { "void (double)", NULL, "its signature returns void, and no argument is a pointer: there is no result" },
  { "double (int, int, int, int, int, int, int)", NULL,
    "its signature has 7 arguments; a function over elements has one to 6" },
  { "double (double)", "{'Inplace': <'0'>}",
    "key \"Inplace\" is unknown; there are Axes, Example, Formula, InPlace, Inputs, Length, Operators, Output, "
    "Parameters, Pure, Returns, Since, Strides, Summary, Threads, and Default.ARGUMENT, Range.ARGUMENT, "
    "Summary.ARGUMENT" },
  { "double (double)", "{'Threads': <'maybe'>}", "Threads is \"maybe\"; it must be yes or no or caller" },
  { "double (double)", "{'Parameters': <'n'>}", "Parameters names the argument \"n\"; it has x" },
  { "double (double)", "{'Parameters': <'x'>}", "all its arguments are parameters: one at least must be an input" },
  { "double (double)", "{'Length': <'x'>}",
    "key \"Length\" is for functions over arrays; no argument of this one is a pointer" },
  { "double (double)", "{'Default.x': <1.0>}", "Default.x is given, and \"x\" is not one of Parameters" },
  { "double (double)", "{'InPlace': <'1'>}", "InPlace names the argument \"1\"; it has x" },
  { "double (double x, const char *t)", NULL,
    "its argument \"t\" is text, which can only be a parameter: Parameters must name it" },
  { "double (double x, int n)", "{'Parameters': <'n'>, 'Range.n': <'5'>}",
    "Range.n must be two numbers, MINIMUM;MAXIMUM, of which one may be missing" },
};

static void
test_refused (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (refused); k++)
    {
      g_autofree char *message = g_strconcat ("foreign op \"wrong\": ", refused[k].message, NULL);

      assert_foreign_refused ("wrong", "libm.so.6", "erf", refused[k].signature, refused[k].options, message);
    }
  assert_foreign_refused ("wrong", "libm.so.6", "erg", "double (double)", NULL,
                          "foreign op \"wrong\": its library \"libm.so.6\" has no function \"erg\"");
  assert_foreign_refused ("wrong", "libm.so.6", "signgam", "double (double)", NULL,
                          "foreign op \"wrong\": its symbol \"signgam\" is no function, but data");
  assert_foreign_refused ("wrong", NULL, "no_such_function", "double (double)", NULL,
                          "foreign op \"wrong\": the program, and no library is named, has no function "
                          "\"no_such_function\"");
  assert_foreign_refused ("wrong", "libnothing.so.3", "erf", "double (double)", NULL,
                          "foreign op \"wrong\": its library \"libnothing.so.3\" cannot be opened: libnothing.so.3: "
                          "cannot open shared object file: No such file or directory");
  assert_foreign_refused ("Wrong", "libm.so.6", "erf", "double (double)", NULL,
                          "op \"Wrong\" cannot be registered: its name is not of lower-case letters, digits and "
                          "underscores");
  assert_foreign_refused ("wrong", "libm.so.6", "ldexp", "double (double x, int n)",
                          "{'Parameters': <'n'>, 'Default.n': <3>, 'Range.n': <'5;7'>}",
                          "wrong: n is 3; it must be between 5 and 7");
  assert_foreign_refused (
    "wrong", "libm.so.6", "erf", "double (double)", "{'Threads': <(1, 2)>}",
    "foreign op \"wrong\": Threads is of type (ii); it must be text, a list of texts, a number or "
    "a bool");
}

static void
assert_build_refused (const char *text, CandelaError code, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaExpression) expression = candela_expression_parse (text, -1, NULL, &error);

  g_assert_null (expression);
  g_assert_error (error, CANDELA_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_refused_nodes (void)
{
  add_foreign ("by_n", FUNCTIONS, "scale", "float (float x, int n)",
               "{'Parameters': <'n'>, 'Default.n': <1>, 'Range.n': <';9'>}");
  add_foreign ("by_each", FUNCTIONS, "scale", "float (float x, int n)", NULL);
  add_foreign ("by_any", FUNCTIONS, "scale", "float (float x, int n)", "{'Parameters': <'n'>}");
  assert_build_refused ("by_n(zeros([2]))", CANDELA_ERROR_DTYPE, "by_n: x has dtype float64; scale takes float32");
  assert_build_refused ("by_n(zeros([2], float32), 10)", CANDELA_ERROR_PARAMETER,
                        "by_n: n is 10; it must be between -2147483648 and 9");
  assert_build_refused ("by_any(zeros([2], float32))", CANDELA_ERROR_PARAMETER, "by_any: parameter \"n\" is required");
  assert_build_refused ("by_any(zeros([2], float32), 2147483648)", CANDELA_ERROR_PARAMETER,
                        "by_any: n is 2147483648; it must be between -2147483648 and 2147483647");
  assert_build_refused ("by_each(zeros([2], float32), arange(2))", CANDELA_ERROR_DTYPE,
                        "by_each: n has dtype int64; scale takes int32");
  assert_build_refused ("by_each(zeros([2], float32), 1.5)", CANDELA_ERROR_DTYPE,
                        "by_each: n has dtype float64; it must be");
  assert_build_refused ("by_each(zeros([2], float32), 3000000000)", CANDELA_ERROR_DTYPE,
                        "by_each: n is 3000000000, which is outside the range of int32");
}

/* Names, each in its registry. */
static void
test_names (void)
{
  g_autoptr (CandelaRegistry) other = candela_registry_new ("");
  CandelaRegistry *registry = candela_registry_get_default ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GListModel) ops = NULL;
  g_autoptr (CandelaOp) op = candela_op_new_foreign ("thing", "libm.so.6", "erf", "double (double)", NULL, &error);
  g_autoptr (CandelaOp) again = candela_op_new_foreign ("thing", "libm.so.6", "erfc", "double (double)",
                                                        g_variant_new_parsed ("{'Operators': <'prefix:?'>}"), &error);
  g_autoptr (CandelaOp) taken = candela_op_new_foreign ("exp", "libm.so.6", NULL, "double (double)", NULL, &error);

  g_assert_no_error (error);
  g_assert_true (candela_registry_add_op (other, op, &error));
  g_assert_true (candela_registry_add_op (other, op, &error));
  g_assert_true (candela_registry_add_op (other, again, &error));
  g_assert_true (candela_registry_add_op (other, op, &error));
  g_assert_no_error (error);
  g_assert_null (candela_registry_lookup_op (registry, "thing", NULL));
  g_assert_true (candela_registry_add_op (registry, again, &error));
  g_assert_no_error (error);
  g_assert_true (candela_registry_lookup_op (registry, "thing", NULL) == again);
  g_assert_true (candela_registry_lookup_operator (registry, "prefix:?", NULL) == again);
  g_assert_true (candela_registry_lookup_op (other, "thing", NULL) == op);
  g_assert_false (candela_registry_add_op (registry, taken, &error));
  g_assert_cmpstr (
    error->message, ==,
    "op \"exp\" cannot be added: plugin elementwise has an op \"exp\", and only one that was added by hand is "
    "replaced");
  ops = candela_registry_list_ops (other);
  g_assert_cmpuint (g_list_model_get_n_items (ops), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#ifdef HAVE_LIBFFI
  g_test_add_func ("/foreign/values", test_values);
#else
  g_test_add_func ("/foreign/without-libffi", test_without_libffi);
#endif
  g_test_add_func ("/foreign/libm", test_libm);
  g_test_add_func ("/foreign/fusion", test_fusion);
  g_test_add_func ("/foreign/threads", test_threads);
  g_test_add_func ("/foreign/refused", test_refused);
  g_test_add_func ("/foreign/refused-nodes", test_refused_nodes);
  g_test_add_func ("/foreign/names", test_names);
  return g_test_run ();
}
