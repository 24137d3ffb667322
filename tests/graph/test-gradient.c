/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Gradients of ops, one after the other by hand as a backward pass does it. What is right
 * comes from the formulas of calculus, in loops of their own. */
#include "../testing.h"

#include <math.h>

static CandelaNode *
take_gradient (CandelaNode *node, guint input, CandelaNode *cotangent)
{
  g_autoptr (GError) error = NULL;
  CandelaNode *gradient = candela_node_new_gradient (node, input, &cotangent, 1, &error);

  g_assert_no_error (error);
  return gradient;
}

static void
assert_values (CandelaNode *node, const char *shape, const double *wanted, gsize n)
{
  g_autoptr (CandelaTensor) tensor = compute (node);
  g_autofree char *text = shape_text (tensor);

  g_assert_cmpstr (text, ==, shape);
  for (gsize i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (part_of (tensor, (gint64) i), wanted[i], 1e-14);
}

/* sum (tanh (x @ w + b)), from the sum to each of the three. */
static void
test_chain (void)
{
  const double x[3][2] = { { 0.25, -0.5 }, { 1, 0.125 }, { -0.75, 0.5 } }, w[2][2] = { { 0.5, -1 }, { 0.25, 0.75 } };
  const double b[2] = { 0.125, -0.25 };
  double slopes[3][2], for_x[3][2] = { 0 }, for_w[2][2] = { 0 }, for_b[2] = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x_node = make_value ("float64", "3 2", "0.25 -0.5 1 0.125 -0.75 0.5");
  g_autoptr (CandelaNode) w_node = make_value ("float64", "2 2", "0.5 -1 0.25 0.75");
  g_autoptr (CandelaNode) b_node = make_value ("float64", "2", "0.125 -0.25");
  g_autoptr (CandelaNode) product = candela_node_new_op ("matmul", &error, x_node, w_node, NULL, NULL);
  g_autoptr (CandelaNode) moved = candela_node_new_op ("add", &error, product, b_node, NULL, NULL);
  g_autoptr (CandelaNode) bent = candela_node_new_op ("tanh", &error, moved, NULL, NULL);
  g_autoptr (CandelaNode) loss = candela_node_new_op ("sum", &error, bent, NULL, NULL);
  g_autoptr (CandelaNode) one = make_value ("float64", "", "1");
  g_autoptr (CandelaNode) of_bent = take_gradient (loss, 0, one);
  g_autoptr (CandelaNode) of_moved = take_gradient (bent, 0, of_bent);
  g_autoptr (CandelaNode) of_product = take_gradient (moved, 0, of_moved);
  g_autoptr (CandelaNode) of_b = take_gradient (moved, 1, of_moved);
  g_autoptr (CandelaNode) of_x = take_gradient (product, 0, of_product);
  g_autoptr (CandelaNode) of_w = take_gradient (product, 1, of_product);

  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    for (guint j = 0; j < 2; j++)
      {
        double t = tanh (x[i][0] * w[0][j] + x[i][1] * w[1][j] + b[j]);

        slopes[i][j] = 1 - t * t;
        for_b[j] += slopes[i][j];
        for (guint k = 0; k < 2; k++)
          for_w[k][j] += x[i][k] * slopes[i][j];
      }
  for (guint i = 0; i < 3; i++)
    for (guint k = 0; k < 2; k++)
      for_x[i][k] = slopes[i][0] * w[k][0] + slopes[i][1] * w[k][1];
  assert_values (of_moved, "3 2", slopes[0], 6);
  assert_values (of_b, "2", for_b, 2);
  assert_values (of_x, "3 2", for_x[0], 6);
  assert_values (of_w, "2 2", for_w[0], 4);
}

/* Whatever was broadcast is summed, a number too. */
static void
test_broadcast (void)
{
  static const struct
  {
    const char *shape, *elements;
    double wanted[3];
    gsize n;
  } cases[] = {
    { "3", "1 1 1", { 5, 7, 9 }, 3 }, { "1 3", "1 1 1", { 5, 7, 9 }, 3 }, { "2 1", "1 1", { 6, 15 }, 2 },
    { "", "1", { 21 }, 1 },           { "1 1", "1", { 21 }, 1 },
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x = make_value ("float64", "2 3", "1 2 3 4 5 6");
  g_autoptr (CandelaNode) ones = make_value ("float64", "2 3", "1 1 1 1 1 1");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (CandelaNode) y = make_value ("float64", cases[i].shape, cases[i].elements);
      g_autoptr (CandelaNode) product = candela_node_new_op ("multiply", &error, y, x, NULL, NULL);
      g_autoptr (CandelaNode) gradient = take_gradient (product, 0, ones);

      g_assert_no_error (error);
      assert_values (gradient, cases[i].shape, cases[i].wanted, cases[i].n);
    }

  g_autoptr (CandelaNode) two = candela_node_new_float (2);
  g_autoptr (CandelaNode) doubled = candela_node_new_op ("multiply", &error, x, two, NULL, NULL);
  g_autoptr (CandelaNode) of_two = take_gradient (doubled, 1, ones);
  const double sum = 21;

  assert_values (of_two, "", &sum, 1);
}

/* A number is of the output's dtype, and so is what comes of it. */
static void
test_dtype (void)
{
  const double wanted[] = { 4, 6 };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x = make_value ("float32", "2", "2 3");
  g_autoptr (CandelaNode) squares = candela_node_new_op ("square", &error, x, NULL, NULL);
  g_autoptr (CandelaNode) sum = candela_node_new_op ("sum", &error, squares, NULL, NULL);
  g_autoptr (CandelaNode) one = candela_node_new_int (1);
  g_autoptr (CandelaNode) of_squares = take_gradient (sum, 0, one);
  g_autoptr (CandelaNode) of_x = take_gradient (squares, 0, of_squares);

  g_assert_no_error (error);
  g_assert_cmpint (candela_node_get_dtype (of_x), ==, CANDELA_DTYPE_FLOAT32);
  assert_values (of_x, "2", wanted, 2);
}

/* Vectors and stacks of matrices: what has no axis for it has been given one. */
static void
test_products (void)
{
  static const struct
  {
    const char *x, *y, *out;
  } shapes[] = {
    { "3", "3", "" },        { "3", "3 2", "2" },     { "2 3", "3", "2" },         { "2 3", "3 4", "2 4" },
    { "5 2 3", "3", "5 2" }, { "3", "5 3 2", "5 2" }, { "5 2 3", "3 4", "5 2 4" }, { "5 1 2 3", "4 3 2", "5 4 2 2" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GHashTable) names = names_new ();
      g_autoptr (CandelaNode) out = NULL;
      g_autoptr (CandelaNode) cotangent = NULL;

      add_slot (names, "x", "float32", shapes[i].x);
      add_slot (names, "y", "float32", shapes[i].y);
      add_slot (names, "g", "float32", shapes[i].out);
      out = build ("x @ y", names);
      cotangent = build ("g", names);
      for (guint input = 0; input < 2; input++)
        {
          g_autoptr (CandelaNode) gradient = take_gradient (out, input, cotangent);
          gsize rank, own_rank;
          const gint64 *shape = candela_node_get_shape (gradient, &rank);
          const gint64 *own = candela_node_get_shape (candela_node_get_input (out, input), &own_rank);

          g_assert_cmpmem (shape, rank * sizeof *shape, own, own_rank * sizeof *own);
          g_assert_cmpint (candela_node_get_dtype (gradient), ==, CANDELA_DTYPE_FLOAT32);
        }
    }
}

/* A cotangent for each output; the node of one of them stands for its op. */
static void
test_outputs (void)
{
  const double wanted[] = { 0.5 - 2.0 * 1.5 / 2, 0.5 + 2.0 * 1.5 / 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x = make_value ("float64", "2", "1 4");
  g_autoptr (CandelaNode) node = candela_node_new_op ("moments", &error, x, NULL, NULL);
  g_autoptr (CandelaNode) variance = candela_node_get_output (node, 1, &error);
  g_autoptr (CandelaNode) one = make_value ("float64", "", "1");
  CandelaNode *cotangents[] = { one, one };
  g_autoptr (CandelaNode) gradient = candela_node_new_gradient (variance, 0, cotangents, 2, &error);

  g_assert_no_error (error);
  assert_values (gradient, "2", wanted, 2);
}

static void
assert_fails (CandelaNode *node, guint input, CandelaNode **cotangents, gsize n, CandelaError code, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (candela_node_new_gradient (node, input, cotangents, n, &error));
  g_assert_error (error, CANDELA_ERROR, (gint) code);
  g_assert_cmpstr (error->message, ==, message);
}

static void
test_errors (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x = make_value ("float64", "2", "1 4");
  g_autoptr (CandelaNode) y = make_value ("float64", "3", "1 4 5");
  g_autoptr (CandelaNode) exponential = candela_node_new_op ("exp", &error, x, NULL, NULL);
  g_autoptr (CandelaNode) sorted = candela_node_new_op ("sort", &error, x, NULL, NULL);
  CandelaNode *cotangents[] = { x, x, NULL }, *other = y;
  GError *set = g_error_new (CANDELA_ERROR, CANDELA_ERROR_AXIS, "before");

  g_assert_no_error (error);
  assert_fails (x, 0, cotangents, 1, CANDELA_ERROR_PARAMETER, "a node of no op has no gradient");
  assert_fails (sorted, 0, cotangents, 1, CANDELA_ERROR_PARAMETER, "sort: it declares no gradient for x");
  assert_fails (exponential, 1, cotangents, 1, CANDELA_ERROR_PARAMETER,
                "exp: it declares no gradient for an input that it does not have");
  assert_fails (exponential, 0, cotangents, 2, CANDELA_ERROR_ARITY,
                "exp: a cotangent is needed for each output, of which it has 1; 2 given");
  assert_fails (exponential, 0, cotangents + 2, 1, CANDELA_ERROR_ARITY,
                "exp: a cotangent is needed for each output, of which it has 1; 1 given, some of them NULL");
  assert_fails (exponential, 0, &other, 1, CANDELA_ERROR_SHAPE,
                "exp: the gradient for x: the cotangent has shape [3], out has shape [2]");
  g_assert_null (candela_node_new_gradient (exponential, 0, cotangents, 1, &set));
  g_assert_cmpstr (set->message, ==, "before");
  g_error_free (set);
}

static void
test_text (void)
{
  CandelaRegistry *registry = candela_registry_get_default ();
  CandelaOp *where = candela_registry_lookup_op (registry, "where", NULL);
  CandelaOp *exponential = candela_registry_lookup_op (registry, "exp", NULL);

  g_assert_cmpstr (candela_op_get_gradient (exponential, 0), ==, "grad * out");
  g_assert_null (candela_op_get_gradient (exponential, 1));
  g_assert_null (candela_op_get_gradient (exponential, 1000));
  g_assert_null (candela_op_get_gradient (where, 0));
  g_assert_cmpstr (candela_op_get_gradient (where, 2), ==, "where(condition, 0, grad)");
}

/* At 0, where differences say nothing, or where a formula could divide by it. */
static void
test_corners (void)
{
  static const struct
  {
    const char *text;
    guint input;
    double wanted;
  } cases[] = {
    { "abs(x)", 0, 0 },
    { "relu(x)", 0, 0 },
    { "x ** 2", 0, 0 },
    { "x ** 1", 0, 1 },
    { "2.0 ** x", 1, G_LN2 },
    { "maximum(x, 0.0)", 0, 1 },
    { "minimum(x, 0.0)", 0, 1 },
    { "clip(x, -1.0, 1.0)", 0, 1 },
    { "max(x, axis=0, keepdims=true)", 0, 1 },
    { "std(x, axis=0, keepdims=true)", 0, 0 },
    { "sign(x)", 0, 0 },
    { "floor(x)", 0, 0 },
  };
  const Given given[] = { { "x", "float64", "1", "0" } };
  g_autoptr (CandelaNode) one = make_value ("float64", "1", "1");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (CandelaNode) node = build_given (cases[i].text, given, 1);
      g_autoptr (CandelaNode) gradient = take_gradient (node, cases[i].input, one);

      assert_values (gradient, "1", &cases[i].wanted, 1);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gradient/chain", test_chain);
  g_test_add_func ("/gradient/broadcast", test_broadcast);
  g_test_add_func ("/gradient/dtype", test_dtype);
  g_test_add_func ("/gradient/products", test_products);
  g_test_add_func ("/gradient/outputs", test_outputs);
  g_test_add_func ("/gradient/errors", test_errors);
  g_test_add_func ("/gradient/text", test_text);
  g_test_add_func ("/gradient/corners", test_corners);
  return g_test_run ();
}
