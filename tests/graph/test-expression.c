/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The expression language: what is read, and what an error says. Values of
 * arithmetic are those that Python gives to the same text; they are seen without
 * running anything, because arithmetic of literals is done at once. */
#include <candela/candela.h>

#include <string.h>

/* x: float32 [4, 6], w: float64 [6, 3], k: int64 [4], as placeholders. */
static GHashTable *
make_names (void)
{
  static const struct
  {
    const char *name;
    CandelaDType dtype;
    gint64 shape[2];
    gsize rank;
  } slots[] = {
    { "x", CANDELA_DTYPE_FLOAT32, { 4, 6 }, 2 },
    { "w", CANDELA_DTYPE_FLOAT64, { 6, 3 }, 2 },
    { "k", CANDELA_DTYPE_INT64, { 4 }, 1 },
  };
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) candela_node_unref);

  for (guint i = 0; i < G_N_ELEMENTS (slots); i++)
    g_hash_table_insert (names, (char *) slots[i].name,
                         candela_node_new_slot (slots[i].name, slots[i].dtype, slots[i].shape, slots[i].rank, NULL));
  return names;
}

static CandelaExpression *
parse (const char *text)
{
  g_autoptr (GHashTable) names = make_names ();
  g_autoptr (GError) error = NULL;
  CandelaExpression *expression = candela_expression_parse (text, -1, names, &error);

  g_assert_no_error (error);
  g_assert_nonnull (expression);
  return expression;
}

/* "add(x, sum(w))" */
static void
append_form (GString *form, CandelaNode *node)
{
  CandelaOp *op = candela_node_get_op (node);
  g_autofree char *line = candela_node_to_string (node);
  guint n = candela_node_get_n_inputs (node);

  if (op == NULL)
    *strchr (line, ':') = '\0';
  g_string_append (form, op != NULL ? candela_op_get_name (op) : line);
  for (guint i = 0; i < n; i++)
    {
      g_string_append (form, i == 0 ? "(" : ", ");
      append_form (form, candela_node_get_input (node, i));
    }
  g_string_append (form, n > 0 ? ")" : "");
}

static void
check_form (const char *text, const char *expected)
{
  g_autoptr (CandelaExpression) expression = parse (text);
  g_autoptr (GString) form = g_string_new (NULL);

  append_form (form, candela_expression_get_value (expression));
  g_assert_cmpstr (form->str, ==, expected);
}

static void
check_shape (const char *text, const char *expected)
{
  g_autoptr (CandelaExpression) expression = parse (text);
  gsize n;
  const gint64 *shape = candela_node_get_shape (candela_expression_get_value (expression), &n);
  g_autofree char *found = candela_shape_to_string (shape, n);

  if (strcmp (found, expected) != 0)
    g_test_fail_printf ("%s has shape %s, not %s", text, found, expected);
}

static void
check_scalar (const char *text, const char *expected)
{
  g_autoptr (CandelaExpression) expression = parse (text);
  g_autoptr (GVariant) value = candela_node_get_scalar (candela_expression_get_value (expression));
  g_autofree char *found = value != NULL ? g_variant_print (value, FALSE) : g_strdup ("none");

  if (strcmp (found, expected) != 0)
    g_test_fail_printf ("%s is %s, not %s", text, found, expected);
}

/* Line and column, counted from 1; the message has the words; the caret is below
 * the column. */
static void
check_error (const char *text, CandelaError code, guint line, guint column, const char *words)
{
  g_autoptr (GHashTable) names = make_names ();
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaExpression) expression = candela_expression_parse (text, -1, names, &error);
  g_autofree char *place = g_strdup_printf ("line %u, column %u: ", line, column);
  g_auto (GStrv) lines = NULL, source = g_strsplit (text, "\n", -1);

  g_assert_null (expression);
  g_test_message ("%s", error->message);
  g_assert_error (error, CANDELA_ERROR, (int) code);
  lines = g_strsplit (error->message, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 3);
  g_assert_true (g_str_has_prefix (lines[0], place));
  if (strstr (lines[0], words) == NULL)
    g_test_fail_printf ("'%s' is not in '%s'", words, lines[0]);
  g_assert_cmpstr (lines[1], ==, *text != '\0' ? source[line - 1] : "");
  g_assert_cmpuint (strlen (lines[2]), ==, column);
  g_assert_cmpint (lines[2][column - 1], ==, '^');
}

static void
test_precedence (void)
{
  check_scalar ("2 + 3 * 4", "14");
  check_scalar ("(2 + 3) * 4", "20");
  check_scalar ("2 ** 3 ** 2", "512");
  check_scalar ("-2 ** 2", "-4");
  check_scalar ("(-2) ** 2", "4");
  check_scalar ("2.0 ** -1", "0.5");
  check_scalar ("-7 // 2", "-4");
  check_scalar ("-7 % 3", "2");
  check_scalar ("7 // 2 * 3", "9");
  check_scalar ("1 - 2 - 3", "-4");
  check_scalar ("- -3", "3");
  check_scalar ("2 * -3 + 1", "-5");
  check_scalar ("1 + 2 << 3", "24");
  check_scalar ("1 << 2 + 1", "8");
  check_scalar ("5 & 3 | 4 ^ 1", "5");
  check_scalar ("12 & 10 == 10", "false");
  check_scalar ("~5 + 1", "-5");
  check_scalar ("3 < 2 + 2", "true");
  check_scalar ("6 / 3 * 2", "4.0");
  check_scalar ("1 | 6 & 3", "3");
  check_form ("x @ w * w[:4].T[:, :4].T[0]", "multiply(matmul(x, w), index(transpose(index(transpose(index(w))))))");
  check_form ("-x.T ** 2", "negative(pow(transpose(x), scalar))");
}

static void
test_numbers (void)
{
  check_scalar ("9223372036854775807", "9223372036854775807");
  check_scalar ("-9223372036854775808", "-9223372036854775808");
  check_scalar ("0", "0");
  check_scalar ("007", "7");
  check_scalar (".5", "0.5");
  check_scalar ("5.", "5.0");
  check_scalar ("1e3", "1000.0");
  check_scalar ("1.5E-2", "0.014999999999999999");
  check_scalar (".5e1+1", "6.0");
  check_scalar ("1e-400", "0.0");
  check_scalar ("true", "true");
  check_scalar ("False", "false");

  /* What no int64 holds is uint64, and an imaginary number complex. */
  check_scalar ("9223372036854775808", "9223372036854775808");
  check_scalar ("18446744073709551615", "18446744073709551615");
  check_scalar ("18446744073709551615 - 1", "18446744073709551614");
  check_scalar ("18446744073709551615 // 2", "9223372036854775807");
  check_scalar ("18446744073709551615 * 0.5", "9.2233720368547758e+18");
  check_scalar ("2j", "(0.0, 2.0)");
  check_scalar ("1.5e1j", "(0.0, 15.0)");
  check_scalar ("2+3j", "(2.0, 3.0)");
  check_scalar ("1 - 0.5j", "(1.0, -0.5)");
  check_scalar ("2j * 2j", "(-4.0, 0.0)");
  check_scalar ("2j ** 2 == -4", "true");

  check_error ("18446744073709551616", CANDELA_ERROR_SYNTAX, 1, 1, "does not fit");
  check_error ("-18446744073709551615", CANDELA_ERROR_SYNTAX, 1, 2, "does not fit");
  check_error ("[-1, 18446744073709551615]", CANDELA_ERROR_SYNTAX, 1, 1, "no integer dtype holds both -1 and");
  check_error ("18446744073709551615 + -1", CANDELA_ERROR_DTYPE, 1, 22,
               "x2 is -1, which is outside the range of uint64");
  check_error ("2jx", CANDELA_ERROR_SYNTAX, 1, 1, "'2jx' is not a number");
  check_error ("1 + 99999999999999999999999", CANDELA_ERROR_SYNTAX, 1, 5, "does not fit");
  check_error ("-9223372036854775809", CANDELA_ERROR_SYNTAX, 1, 2, "does not fit");
  check_error ("-9223372036854775808 ** 2", CANDELA_ERROR_SYNTAX, 1, 2, "does not fit");
  check_error ("1e400", CANDELA_ERROR_SYNTAX, 1, 1, "too large");
  check_error ("1_000", CANDELA_ERROR_SYNTAX, 1, 1, "'1_000' is not a number");
  check_error ("0x10", CANDELA_ERROR_SYNTAX, 1, 1, "'0x10' is not a number");
  check_error ("2x", CANDELA_ERROR_SYNTAX, 1, 1, "'2x' is not a number");
  check_error ("1.2.3", CANDELA_ERROR_SYNTAX, 1, 1, "'1.2.3' is not a number");
  check_error ("1e", CANDELA_ERROR_SYNTAX, 1, 1, "'1e' is not a number");
}

static void
test_statements (void)
{
  g_autoptr (CandelaExpression) shared = parse ("t = x + 1; t * t");
  CandelaNode *product = candela_expression_get_value (shared);
  g_auto (GStrv) names = NULL;

  g_assert_true (candela_node_get_input (product, 0) == candela_node_get_input (product, 1));
  g_assert_true (candela_expression_lookup (shared, "t") == candela_node_get_input (product, 0));
  g_assert_null (candela_expression_lookup (shared, "x"));

  check_form ("x = x + 1; x = x * 2; x", "multiply(add(x, scalar), scalar)");
  check_form ("t = relu(x)", "relu(x)");
  check_form ("\n\n t = x\n\nt + t;\n", "add(x, x)");
  check_form ("(x +\n x)", "add(x, x)");
  check_form ("where(x > 0,\n\n x,\n x)", "where(greater(x, scalar), x, x)");
  check_form ("sum = sum(x); sum(sum)", "sum(sum(x))");

  g_autoptr (CandelaExpression) several = parse ("b = 1; a, b = b, 2; c = a; b, a");

  g_assert_cmpuint (candela_expression_get_n_values (several), ==, 2);
  g_assert_null (candela_expression_get_nth_value (several, 2));
  g_assert_true (candela_expression_get_nth_value (several, 1) == candela_expression_lookup (several, "c"));
  names = candela_expression_list_names (several);
  g_assert_cmpstrv (names, ((const char *[]){ "b", "a", "c", NULL }));
}

static void
test_outputs (void)
{
  g_autoptr (CandelaExpression) named = parse ("m, v = moments(x, axis=0)");
  g_autoptr (CandelaExpression) alone = parse ("moments(x, axis=0)");
  CandelaNode *mean = candela_expression_lookup (named, "m"), *variance = candela_expression_lookup (named, "v");

  g_assert_cmpuint (candela_expression_get_n_values (named), ==, 2);
  g_assert_cmpuint (candela_expression_get_n_values (alone), ==, 2);
  g_assert_true (candela_expression_get_nth_value (named, 0) == mean);
  g_assert_true (candela_expression_get_nth_value (named, 1) == variance);
  g_assert_true (mean != variance);

  check_error ("m = moments(x)", CANDELA_ERROR_SYNTAX, 1, 1, "1 name for 2 values");
  check_error ("a, b, c = moments(x)", CANDELA_ERROR_SYNTAX, 1, 1, "3 names for 2 values");
  check_error ("1 + moments(x)", CANDELA_ERROR_SYNTAX, 1, 5, "2 values where one is needed");
  check_error ("a, b = 1", CANDELA_ERROR_SYNTAX, 1, 1, "2 names for 1 value");
}

static void
test_calls (void)
{
  check_shape ("sum(x, axis=0)", "[6]");
  check_shape ("sum(x, 0)", "[6]");
  check_shape ("sum(x, axis=-1, keepdims=true)", "[4, 1]");
  check_shape ("sum(x, [0, 1], keepdims=True)", "[1, 1]");
  check_shape ("sum(x, axis=(0, 1))", "[]");
  check_shape ("sum(x, axis=none)", "[]");
  check_shape ("sum(x=x, axis=1)", "[4]");
  check_shape ("reshape(x, [3, -1])", "[3, 8]");
  check_shape ("n = 2; reshape(x, (n * 3, 24 // (n * 3)))", "[6, 4]");
  check_shape ("s = [8, 3]; reshape(x, s)", "[8, 3]");
  check_shape ("permute_dims(x, axes=[1, 0])", "[6, 4]");
  check_shape ("full([], 1.5)", "[]");
  check_form ("subtract(x2=x, x1=k[:, None])", "subtract(index(k), x)");
  check_form ("clip(x, min=0)", "clip(x, scalar)");

  check_shape ("astype(x,\"\\int8\")[1:].T", "[6, 3]");

  g_autoptr (CandelaExpression) cast = parse ("astype(x, int8), astype(x, 'int8'), astype(x, dtype=\"int8\")");

  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (candela_node_get_dtype (candela_expression_get_nth_value (cast, i)), ==, CANDELA_DTYPE_INT8);
}

/* Ops with inputs that may be missing or many; see arguments.c. */
static void
test_optional_inputs (void)
{
  g_autofree char *module = g_test_build_filename (G_TEST_BUILT, "graph", ".libs", "arguments.so", NULL);
  g_autoptr (GError) error = NULL;

  candela_registry_load_file (candela_registry_get_default (), module, &error);
  g_assert_no_error (error);

  check_shape ("span(x)", "[1, 0]");
  check_shape ("span(x, 1)", "[2, 0]");
  check_shape ("span(x, 1, 2)", "[3, 0]");
  check_shape ("span(x, 1, 2, 3)", "[3, 3]");
  check_shape ("span(x, 1, count=4)", "[2, 4]");
  check_shape ("span(x, high=2, low=k)", "[3, 0]");
  check_shape ("span(x, high=none)", "[1, 0]");
  check_shape ("span(x, 1, 2, 3, word)", "[3, 3]");
  check_error ("span(x, high=2)", CANDELA_ERROR_ARITY, 1, 1, "'low' is missing");
  check_error ("span(x, 1, low=2)", CANDELA_ERROR_ARITY, 1, 16, "given twice");
  check_error ("span(x, 1, 2, 3, word, 5)", CANDELA_ERROR_ARITY, 1, 24, "3 inputs and 2 parameters");

  check_shape ("pile(x)", "[1, 0]");
  check_shape ("pile(x, x, x, x)", "[4, 0]");
  check_shape ("pile(x, [x, x])", "[3, 0]");
  check_shape ("pile(x, [x, 1], 5)", "[3, 5]");
  check_shape ("pile(x, [x, k[0]], count=5)", "[3, 5]");
  check_shape ("pile(x, x, 5)", "[2, 5]");
  check_shape ("pile(x, [1, 2], [3, 4])", "[3, 0]");
  check_shape ("pile(x, rest=[x, x])", "[3, 0]");
  check_shape ("pile_all()", "[0, 0]");
  check_shape ("pile_all([x, x, x])", "[3, 0]");
  check_shape ("pile_all((x, x), 2, 'a')", "[2, 2]");
  check_shape ("pile_all([[1, 2], [3, 4]])", "[2, 0]");
}

static void
test_call_errors (void)
{
  check_error ("foo(x)", CANDELA_ERROR_UNKNOWN_OP, 1, 1, "foo");
  check_error ("x + summ(x)", CANDELA_ERROR_UNKNOWN_OP, 1, 5, "did you mean \"sum\"");
  check_error ("sum(x, axsi=1)", CANDELA_ERROR_PARAMETER, 1, 8, "did you mean 'axis'");
  check_error ("sum(x, 0, axis=1)", CANDELA_ERROR_PARAMETER, 1, 16, "given twice");
  check_error ("sum(x, x=x)", CANDELA_ERROR_ARITY, 1, 10, "given twice");
  check_error ("sum(axis=1, x)", CANDELA_ERROR_SYNTAX, 1, 13, "without a name");
  check_error ("sum(x, axis=x)", CANDELA_ERROR_PARAMETER, 1, 13, "must be known");
  check_error ("sum(x, axis=[x])", CANDELA_ERROR_PARAMETER, 1, 14, "list");
  check_error ("sum(x, axis=nothing)", CANDELA_ERROR_SYNTAX, 1, 13, "unknown name 'nothing'");
  check_error ("sum(x, axis='a')", CANDELA_ERROR_PARAMETER, 1, 1, "axis");
  check_error ("sum(x, 7)", CANDELA_ERROR_AXIS, 1, 1, "[4, 6]");
  check_error ("add(x)", CANDELA_ERROR_ARITY, 1, 1, "add");
  check_error ("add(x, x, x)", CANDELA_ERROR_ARITY, 1, 11, "too many");
  check_error ("add(x2=x)", CANDELA_ERROR_ARITY, 1, 1, "'x1' is missing");
  check_error ("x @ x", CANDELA_ERROR_SHAPE, 1, 3, "[4, 6]");
  check_error ("x + k", CANDELA_ERROR_SHAPE, 1, 3, "[4, 6]");
  check_error ("x.sum()", CANDELA_ERROR_UNKNOWN_OP, 1, 2, "sum(x)");
  check_error ("x.T()", CANDELA_ERROR_SYNTAX, 1, 4, "only an op can be called");
  check_error ("sum(x", CANDELA_ERROR_SYNTAX, 1, 6, "expected");
  check_error ("sum(x y)", CANDELA_ERROR_SYNTAX, 1, 7, "found 'y'");
  check_error ("'a' + 1", CANDELA_ERROR_SYNTAX, 1, 1, "a string where");
  check_error ("none", CANDELA_ERROR_SYNTAX, 1, 1, "none where");
  check_error ("astype(x, int9)", CANDELA_ERROR_DTYPE, 1, 1, "int9");
}

static void
test_index (void)
{
  check_shape ("x[0]", "[6]");
  check_shape ("x[-1]", "[6]");
  check_shape ("x[1:3]", "[2, 6]");
  check_shape ("x[::2, ::-1]", "[2, 6]");
  check_shape ("x[5:1:-2]", "[1, 6]");
  check_shape ("x[:, 2:]", "[4, 4]");
  check_shape ("x[:, 2:,]", "[4, 4]");
  check_shape ("x[..., 0]", "[4]");
  check_shape ("x[None, ..., none, 1]", "[1, 4, 1]");
  check_shape ("x[1, 2]", "[]");
  check_shape ("x[none:2:none]", "[2, 6]");
  check_shape ("n = 1; x[n + 1:n * 4, -n]", "[2]");
  check_shape ("x[1:][1:].T[0]", "[2]");

  check_error ("x[]", CANDELA_ERROR_SYNTAX, 1, 3, "nothing in it");
  check_error ("x[1.5]", CANDELA_ERROR_SYNTAX, 1, 3, "integers");
  check_error ("x[x]", CANDELA_ERROR_SYNTAX, 1, 3, "integers");
  check_error ("x[true]", CANDELA_ERROR_SYNTAX, 1, 3, "integers");
  check_error ("x[1:2:3:4]", CANDELA_ERROR_SYNTAX, 1, 9, "start:stop:step");
  check_error ("x[1 2]", CANDELA_ERROR_SYNTAX, 1, 5, "expected");
  check_error ("x[0, 0, 0]", CANDELA_ERROR_SHAPE, 1, 2, "[4, 6]");
}

static void
check_list (const char *text, CandelaDType dtype, const char *shape, const char *data, gsize n_bytes)
{
  g_autoptr (CandelaExpression) expression = parse (text);
  CandelaNode *node = candela_expression_get_value (expression);
  g_autoptr (CandelaTensor) tensor = candela_node_get_tensor (node);
  gsize n;
  const gint64 *dims = candela_node_get_shape (node, &n);
  g_autofree char *found = candela_shape_to_string (dims, n);

  g_assert_nonnull (tensor);
  g_assert_cmpint (candela_tensor_get_dtype (tensor), ==, dtype);
  g_assert_cmpstr (found, ==, shape);
  if (n_bytes > 0)
    g_assert_cmpmem (candela_tensor_get_data (tensor), n_bytes, data, n_bytes);
}

/* dtypes and shapes are those of numpy.array() over the same list. */
static void
test_lists (void)
{
  const gint64 integers[] = { 1, -2, 3, 1 };
  const double numbers[] = { 1, 2.5, 1 };

  check_list ("[[1, -2], [3, true]]", CANDELA_DTYPE_INT64, "[2, 2]", (const char *) integers, sizeof integers);
  check_list ("[1, 2.5, true]", CANDELA_DTYPE_FLOAT64, "[3]", (const char *) numbers, sizeof numbers);
  check_list ("[true, false,]", CANDELA_DTYPE_BOOL, "[2]", "\1\0", 2);
  check_list ("(1, -2, 3, 1)", CANDELA_DTYPE_INT64, "[4]", (const char *) integers, sizeof integers);
  check_list ("[]", CANDELA_DTYPE_FLOAT64, "[0]", NULL, 0);
  check_list ("[[], []]", CANDELA_DTYPE_FLOAT64, "[2, 0]", NULL, 0);
  check_shape ("x * [1, 2, 3, 4, 5, 6]", "[4, 6]");

  check_error ("[[1, 2], [3]]", CANDELA_ERROR_SHAPE, 1, 10, "1 items where one before it has 2");
  check_error ("[[1], 2]", CANDELA_ERROR_SHAPE, 1, 7, "numbers and lists");
  check_error ("[1, 'a']", CANDELA_ERROR_SYNTAX, 1, 5, "numbers only");
  check_error ("[1, q]", CANDELA_ERROR_SYNTAX, 1, 5, "unknown name 'q'");
  check_error ("[1", CANDELA_ERROR_SYNTAX, 1, 3, "expected ',' or ']'");
  check_error ("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", CANDELA_ERROR_SYNTAX, 1, 33,
               "more than 32");
}

static void
test_syntax_errors (void)
{
  check_error ("", CANDELA_ERROR_SYNTAX, 1, 1, "nothing in it");
  check_error ("\n ; ", CANDELA_ERROR_SYNTAX, 2, 4, "nothing in it");
  check_error ("x +", CANDELA_ERROR_SYNTAX, 1, 4, "the end of the expression");
  check_error ("x +\nx", CANDELA_ERROR_SYNTAX, 1, 4, "the end of the line");
  check_error ("x\nx + yy\nx", CANDELA_ERROR_SYNTAX, 2, 5, "unknown name 'yy'");
  check_error ("x x", CANDELA_ERROR_SYNTAX, 1, 3, "found 'x'");
  check_error ("x)", CANDELA_ERROR_SYNTAX, 1, 2, "found ')'");
  check_error ("t = 1 = 2", CANDELA_ERROR_SYNTAX, 1, 7, "found '='");
  check_error ("x + 1 = 2", CANDELA_ERROR_SYNTAX, 1, 1, "only names");
  check_error ("true = 2", CANDELA_ERROR_SYNTAX, 1, 1, "only names");
  check_error ("long_name = 1; long_nome + 1", CANDELA_ERROR_SYNTAX, 1, 16, "did you mean 'long_name'");
  check_error ("t = t", CANDELA_ERROR_SYNTAX, 1, 5, "unknown name 't'");
  check_error ("x < 1 < 2", CANDELA_ERROR_SYNTAX, 1, 7, "chained");
  check_error ("x == 1 != 2", CANDELA_ERROR_SYNTAX, 1, 8, "chained");
  check_error ("x and x", CANDELA_ERROR_SYNTAX, 1, 3, "'&'");
  check_error ("not x", CANDELA_ERROR_SYNTAX, 1, 1, "'~'");
  check_error ("x # it", CANDELA_ERROR_SYNTAX, 1, 3, "no comments");
  check_error ("x /* it */", CANDELA_ERROR_SYNTAX, 1, 4, "expected a value");
  check_error ("!x", CANDELA_ERROR_SYNTAX, 1, 1, "'~'");
  check_error ("x . T", CANDELA_ERROR_SYNTAX, 1, 3, "'.'");
  check_error ("$x", CANDELA_ERROR_SYNTAX, 1, 1, "'$'");
  check_error ("'abc", CANDELA_ERROR_SYNTAX, 1, 1, "does not end");
  check_error ("\"a\\0\"", CANDELA_ERROR_SYNTAX, 1, 3, "not an escape");
  check_error ("sum", CANDELA_ERROR_SYNTAX, 1, 1, "sum(…)");
  check_error ("(x x)", CANDELA_ERROR_SYNTAX, 1, 4, "expected ',' or ')', found 'x'");
  check_error ("(x and x)", CANDELA_ERROR_SYNTAX, 1, 4, "'&'");
  check_error ("[x or x]", CANDELA_ERROR_SYNTAX, 1, 4, "'|'");
  check_error ("astype(x,'int8)", CANDELA_ERROR_SYNTAX, 1, 10, "does not end");
}

/* Columns are counted in characters; a tab stays one in the caret's line. */
static void
test_places (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (candela_expression_parse ("\t'ää' + \xc3\xbc", -1, NULL, &error));
  g_assert_cmpstr (error->message, ==, "line 1, column 9: unexpected character 'ü'\n\t'ää' + ü\n\t       ^");
}

static void
test_not_text (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (candela_expression_parse ("1 + \xff", -1, NULL, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_SYNTAX);
  g_assert_nonnull (strstr (error->message, "byte 4"));
  g_clear_error (&error);
  g_assert_null (candela_expression_parse ("1 +\0 1", 6, NULL, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_SYNTAX);
  g_clear_error (&error);

  g_autoptr (CandelaExpression) part = candela_expression_parse ("1 + 1 nonsense", 5, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (part);
}

/* before, n times; middle; after, n times */
static char *
repeat (const char *before, const char *middle, const char *after, guint n)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n; i++)
    g_string_append (text, before);
  g_string_append (text, middle);
  for (guint i = 0; i < n; i++)
    g_string_append (text, after);
  return g_string_free (text, FALSE);
}

static void
test_nesting (void)
{
  static const struct
  {
    const char *before, *middle, *after;
  } cases[] = {
    { "(", "1", ")" }, { "-", "1", "" },   { "", "1", "**1" },    { "abs(", "1", ")" },
    { "[", "1", "]" }, { "x[", "0", "]" }, { "~(-(", "1", "))" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *deep = repeat (cases[i].before, cases[i].middle, cases[i].after, 100000);
      g_autoptr (GHashTable) names = make_names ();
      g_autoptr (GError) error = NULL;

      g_assert_null (candela_expression_parse (deep, -1, names, &error));
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_SYNTAX);
      g_assert_nonnull (strstr (error->message, "nested more than 1000 deep"));
      g_assert_cmpuint (strlen (error->message), <, 1000);
    }

  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *allowed = repeat (cases[i].before, cases[i].middle, cases[i].after, 1000);
      g_autofree char *one_more = repeat (cases[i].before, cases[i].middle, cases[i].after, 1001);
      g_autoptr (CandelaExpression) fine = parse (allowed);

      g_assert_null (candela_expression_parse (one_more, -1, NULL, NULL));
    }
}

/* What is long without being deep has no limit. */
static void
test_long (void)
{
  g_autofree char *sums = repeat ("", "x", " + 1", 1000000);
  g_autofree char *views = repeat ("", "x", ".T", 100000);
  g_autofree char *statements = repeat ("x = x * 2; ", "x", "", 100000);
  g_autoptr (CandelaExpression) a = parse (sums), b = parse (views), c = parse (statements);
  guint depth = 0;

  for (CandelaNode *node = candela_expression_get_value (a); candela_node_get_n_inputs (node) > 0;
       node = candela_node_get_input (node, 0))
    depth++;
  g_assert_cmpuint (depth, ==, 1000000);
}

static void
test_build (void)
{
  g_autoptr (GHashTable) names = make_names ();
  CandelaNode *x = g_hash_table_lookup (names, "x"), *w = g_hash_table_lookup (names, "w");
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) product = candela_expression_build ("left @ right", &error, "left", x, "right", w, NULL);

  g_assert_no_error (error);
  g_assert_true (candela_node_get_input (product, 0) == x);
  g_assert_true (candela_node_get_input (product, 1) == w);

  g_assert_null (candela_expression_build ("a + b", &error, "a", x, "b", NULL, NULL));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
  g_assert_nonnull (strstr (error->message, "'b'"));

  /* The first error stays. */
  g_assert_null (candela_expression_build ("a +", &error, "a", x, NULL));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
  g_clear_error (&error);

  g_assert_null (candela_expression_build ("a, a", &error, "a", x, NULL));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/expression/precedence", test_precedence);
  g_test_add_func ("/expression/numbers", test_numbers);
  g_test_add_func ("/expression/statements", test_statements);
  g_test_add_func ("/expression/outputs", test_outputs);
  g_test_add_func ("/expression/calls", test_calls);
  g_test_add_func ("/expression/optional-inputs", test_optional_inputs);
  g_test_add_func ("/expression/call-errors", test_call_errors);
  g_test_add_func ("/expression/index", test_index);
  g_test_add_func ("/expression/lists", test_lists);
  g_test_add_func ("/expression/syntax-errors", test_syntax_errors);
  g_test_add_func ("/expression/places", test_places);
  g_test_add_func ("/expression/not-text", test_not_text);
  g_test_add_func ("/expression/nesting", test_nesting);
  g_test_add_func ("/expression/long", test_long);
  g_test_add_func ("/expression/build", test_build);
  return g_test_run ();
}
