/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The typed calls of candela-ops.h: one of each way in which an input or a
 * parameter can be given or left out. */
#include <candela/candela-ops.h>

static void
assert_value (CandelaNode *node, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_node_materialize (node, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = candela_tensor_to_string (tensor);
  g_assert_cmpstr (text, ==, expected);
}

static CandelaNode *
new_values (const gint32 *values, gint64 n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_tensor_new_from_data (CANDELA_DTYPE_INT32, &n, 1, (const guint8 *) values,
                                                                   (gsize) n * sizeof (gint32), &error);

  g_assert_no_error (error);
  return candela_node_new_tensor (tensor);
}

static void
test_required_inputs (void)
{
  g_autoptr (GError) error = NULL;
  const gint32 a[] = { 1, 2, 3 }, b[] = { 10, 20, 30 };
  g_autoptr (CandelaNode) x = new_values (a, 3);
  g_autoptr (CandelaNode) y = new_values (b, 3);
  g_autoptr (CandelaNode) sum = candela_add (x, y, &error);

  g_assert_no_error (error);
  assert_value (sum, "[11 22 33]");
}

static void
test_optional_inputs (void)
{
  g_autoptr (GError) error = NULL;
  const gint32 a[] = { -5, 2, 9 };
  g_autoptr (CandelaNode) x = new_values (a, 3);
  g_autoptr (CandelaNode) low = candela_node_new_int (0);
  g_autoptr (CandelaNode) high = candela_node_new_int (4);
  g_autoptr (CandelaNode) neither = candela_clip (x, NULL, NULL, &error);
  g_autoptr (CandelaNode) lower = candela_clip (x, low, NULL, &error);
  g_autoptr (CandelaNode) upper = candela_clip (x, NULL, high, &error);
  g_autoptr (CandelaNode) both = candela_clip (x, low, high, &error);

  g_assert_no_error (error);
  assert_value (neither, "[-5  2  9]");
  assert_value (lower, "[0 2 9]");
  assert_value (upper, "[-5  2  4]");
  assert_value (both, "[0 2 4]");
}

static void
test_lists_and_none (void)
{
  g_autoptr (GError) error = NULL;
  const gint32 a[] = { 1, 2, 3, 4, 5, 6 };
  const gint64 shape[] = { 2, 3 };
  const gint64 axis = 0;
  g_autoptr (CandelaNode) x = new_values (a, 6);
  g_autoptr (CandelaNode) matrix = candela_reshape (x, shape, 2, &error);
  g_autoptr (CandelaNode) all = candela_sum (matrix, NULL, 0, CANDELA_DTYPE_INVALID, FALSE, &error);
  g_autoptr (CandelaNode) rows = candela_sum (matrix, &axis, 1, CANDELA_DTYPE_FLOAT64, FALSE, &error);
  g_autoptr (CandelaNode) none = candela_sum (matrix, &axis, 0, CANDELA_DTYPE_INVALID, FALSE, &error);
  g_autoptr (CandelaNode) largest = candela_argmax (matrix, NULL, FALSE, &error);
  g_autoptr (CandelaNode) largest_of_rows = candela_argmax (matrix, &axis, FALSE, &error);

  g_assert_no_error (error);
  assert_value (all, "21");
  assert_value (rows, "[5. 7. 9.]");
  g_assert_cmpint (candela_node_get_dtype (rows), ==, CANDELA_DTYPE_FLOAT64);
  /* An empty list of axes reduces nothing, unlike none. */
  assert_value (none, "[[1 2 3]\n [4 5 6]]");
  assert_value (largest, "5");
  assert_value (largest_of_rows, "[1 1 1]");
}

static void
test_scalars (void)
{
  g_autoptr (GError) error = NULL;
  const gint64 shape = 2;
  g_autoptr (CandelaNode) ints = candela_full (&shape, 1, g_variant_new_int64 (7), CANDELA_DTYPE_INVALID, &error);
  g_autoptr (CandelaNode) floats = candela_full (&shape, 1, g_variant_new_double (0.5), CANDELA_DTYPE_INVALID, &error);

  g_assert_no_error (error);
  assert_value (ints, "[7 7]");
  assert_value (floats, "[0.5 0.5]");
}

/* A chain is checked once, at its end, and the first error is the one that is seen. */
static void
test_chain (void)
{
  g_autoptr (GError) error = NULL;
  const gint32 a[] = { 1, 2, 3 };
  g_autoptr (CandelaNode) x = new_values (a, 3);
  g_autoptr (CandelaNode) two = new_values (a, 2);
  g_autoptr (CandelaNode) wrong = candela_add (x, two, &error);
  g_autoptr (CandelaNode) after = candela_clip (wrong, NULL, x, &error);
  g_autoptr (CandelaNode) last = candela_sum (after, NULL, 0, CANDELA_DTYPE_INVALID, FALSE, &error);

  g_assert_null (last);
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE);
  g_assert_true (g_str_has_prefix (error->message, "add"));
}

/* Without an error that says why, a missing input is one. */
static void
test_missing (void)
{
  g_autoptr (GError) error = NULL;
  const gint32 a[] = { 1 };
  g_autoptr (CandelaNode) x = new_values (a, 1);
  g_autoptr (CandelaNode) wrong = candela_add (x, NULL, &error);

  g_assert_null (wrong);
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ops-header/required-inputs", test_required_inputs);
  g_test_add_func ("/ops-header/optional-inputs", test_optional_inputs);
  g_test_add_func ("/ops-header/lists-and-none", test_lists_and_none);
  g_test_add_func ("/ops-header/scalars", test_scalars);
  g_test_add_func ("/ops-header/chain", test_chain);
  g_test_add_func ("/ops-header/missing", test_missing);
  return g_test_run ();
}
