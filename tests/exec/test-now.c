/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops whose result's shape depends on data: computed when they are built, whatever
 * they are built of, into edges. */
#include "../testing.h"

static const Given six = { "x", "float64", "6", "1 -2 3 -4 5 -6" };

static void
test_values (void)
{
  static const struct
  {
    const char *text, *dtype, *shape, *elements;
  } cases[] = {
    { "v, p = shape_above(x); v * 1", "float64", "3", "1 3 5" },
    { "v, p = shape_above(x); v", "float64", "3", "1 3 5" },
    { "v, p = shape_above(x); p", "int64", "3", "0 2 4" },
    { "v, p = shape_above(x * -1); w, q = shape_above(v - 3); q + p[1:]", "int64", "2", "4 7" },
    { "v, p = shape_above(x[::-1]); take(x[::-1], p) - v", "float64", "3", "0 0 0" },
    { "v, p = shape_above(x - 9); v", "float64", "0", "" },
    { "v, p = shape_above(2.5); sum(v) + sum(p)", "float64", "", "2.5" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    check_value (cases[i].text, &six, 1, cases[i].dtype, cases[i].shape, cases[i].elements);
}

/* One node stands for the first output, and has all of them. */
static void
test_node (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x = make_value (six.dtype, six.shape, six.elements);
  g_autoptr (CandelaNode) node = make_op ("shape_above", NULL, x, NULL, &error);
  g_autoptr (CandelaNode) first = NULL, second = NULL, third = NULL;
  g_autoptr (CandelaTensor) tensor = NULL, value = NULL;

  g_assert_no_error (error);
  g_assert_cmpint (candela_node_get_kind (node), ==, CANDELA_NODE_EDGE);
  g_assert_cmpuint (candela_node_get_n_outputs (node), ==, 2);
  g_assert_cmpuint (candela_node_get_n_inputs (node), ==, 0);
  g_assert_cmpint (candela_node_get_dtype (node), ==, CANDELA_DTYPE_FLOAT64);
  tensor = candela_node_get_tensor (node);
  value = compute (node);
  assert_elements (value, "float64", "3", "1 3 5", "the node");
  g_assert_true (tensor == value);
  first = candela_node_get_output (node, 0, &error);
  second = candela_node_get_output (node, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (candela_node_get_n_outputs (first), ==, 1);
  g_assert_cmpuint (candela_node_get_n_outputs (second), ==, 1);
  g_assert_cmpint (candela_node_get_dtype (second), ==, CANDELA_DTYPE_INT64);
  third = candela_node_get_output (node, 2, &error);
  g_assert_null (third);
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
}

/* A cache below is filled, and what stands for it elsewhere starts from there. */
static void
test_cache (void)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) inner = build_given ("x * 2", &six, 1);
  g_autoptr (CandelaNode) cache = candela_node_new_cache (inner);
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaTensor) kept = NULL;

  put_name (names, "kept", candela_node_ref (cache));
  node = build ("v, p = shape_above(kept); v", names);
  kept = candela_node_get_tensor (cache);
  g_assert_nonnull (kept);
  assert_elements (kept, "float64", "6", "2 -4 6 -8 10 -12", "the cache");
}

static void
assert_fails (const char *text, CandelaNode *x, GQuark domain, int code, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = candela_expression_build (text, &error, "x", x, NULL);

  g_assert_null (node);
  g_assert_error (error, domain, code);
  if (message != NULL && strstr (error->message, message) == NULL)
    g_assert_cmpstr (error->message, ==, message);
}

static void
test_slots (void)
{
  const gint64 shape = 3;
  g_autoptr (CandelaNode) slot = candela_node_new_slot ("x", CANDELA_DTYPE_FLOAT64, &shape, 1, NULL);

  assert_fails ("shape_above(x + 1)", slot, CANDELA_ERROR, CANDELA_ERROR_SHAPE,
                "shape_above: the shape of the result depends on the elements of x, and these on a slot: they are not "
                "there until the plan runs");
}

/* What materializing the inputs says is what building says. */
static void
test_errors (void)
{
  g_autoptr (CandelaNode) x = make_value (six.dtype, six.shape, six.elements);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();

  assert_fails ("shape_above(shape_fails(x))", x, CANDELA_ERROR, CANDELA_ERROR_PLUGIN,
                "shape_fails: the kernel failed");
  assert_fails ("shape_above(take(x, [9]))", x, CANDELA_ERROR, CANDELA_ERROR_AXIS, "take: index 9");
  assert_fails ("shape_left_out(x)", x, CANDELA_ERROR, CANDELA_ERROR_PLUGIN,
                "shape_left_out: the kernel left output 1 out");
  assert_fails ("shape_twice(x)", x, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "it has been said");
  assert_fails ("shape_other_rank(x)", x, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "infer gave it another number of axes");
  assert_fails ("shape_huge(x)", x, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, NULL);

  g_cancellable_cancel (cancellable);
  g_cancellable_push_current (cancellable);
  assert_fails ("shape_above(x)", x, G_IO_ERROR, G_IO_ERROR_CANCELLED, NULL);
  assert_fails ("shape_above(x + 1)", x, G_IO_ERROR, G_IO_ERROR_CANCELLED, NULL);
  g_cancellable_pop_current (cancellable);
}

static void
test_static (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = build_given ("shape_says(x)", &six, 1);

  g_assert_null (candela_node_materialize (node, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);
}

static void
test_described (void)
{
  CandelaOp *op = candela_registry_lookup_op (candela_registry_get_default (), "shape_above", NULL);
  g_autoptr (GVariant) facts = candela_op_describe (op);
  const char *shape = NULL;

  g_assert_true (g_variant_lookup (facts, "output-shape", "&s", &shape));
  g_assert_cmpstr (shape, ==, "data");
}

static void
test_poison (void)
{
  run_again ("poison", "/now/values", NULL);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *module = NULL;

  g_test_init (&argc, &argv, NULL);
  module = g_test_build_filename (G_TEST_BUILT, "exec", ".libs", "shape-ops.so", NULL);
  candela_registry_load_file (candela_registry_get_default (), module, &error);
  g_assert_no_error (error);
  g_test_add_func ("/now/values", test_values);
  g_test_add_func ("/now/node", test_node);
  g_test_add_func ("/now/cache", test_cache);
  g_test_add_func ("/now/slots", test_slots);
  g_test_add_func ("/now/errors", test_errors);
  g_test_add_func ("/now/static", test_static);
  g_test_add_func ("/now/described", test_described);
  g_test_add_func ("/now/poison", test_poison);
  return g_test_run ();
}
