/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What went wrong in other engines, as graphs: a buffer written while somebody
 * still reads it, or read through another layout, or taken for another's. Each
 * has its value by hand, and must have it whatever the planner may do and on
 * however many threads. */
#include "../plan/verify.h"
#include "../testing.h"

typedef struct
{
  const char *path;
  const char *text;
  Given given[3];
  const char *dtype, *shape, *elements;
} Story;

static const Story stories[] = {
  /* Stories from other engines. */
  { "write-over-too-early",
    "t = a + 1; u = relu(t); v = t * 2; u + v",
    { { "a", "float64", "2", "-3 1" } },
    "float64",
    "2",
    "-4 6" },
  { "view-outlives-its-maker",
    "t = x + 1; v = transpose(t); b = exp(z); c = b * 2; v + transpose(c)",
    { { "x", "float64", "1 2", "1 2" }, { "z", "float64", "1 2", "0 0" } },
    "float64",
    "2 1",
    "4 5" },
  { "two-layouts-of-one-buffer", "t = arange(8) + 0; t + t[::-1]", { { NULL } }, "int64", "8", "7 7 7 7 7 7 7 7" },
  { "broadcast-over-smaller",
    "t = x * 1; broadcast_to(t, [2, 2]) + w",
    { { "x", "float64", "2", "1 2" }, { "w", "float64", "2 2", "1 2 3 4" } },
    "float64",
    "2 2",
    "2 4 4 6" },
  { "broadcast-by-the-op",
    "t = x * 1; t + w",
    { { "x", "float64", "2", "1 2" }, { "w", "float64", "2 2", "1 2 3 4" } },
    "float64",
    "2 2",
    "2 4 4 6" },
  { "shape-is-the-outputs",
    "t = x + 0; t + w",
    { { "x", "float64", "4", "1 2 3 4" }, { "w", "float64", "1 1 4", "10 20 30 40" } },
    "float64",
    "1 1 4",
    "11 22 33 44" },
  { "bool-of-padded-rows",
    "t = x[:, 0:3]; u = t > 2; logical_not(logical_not(u))",
    { { "x", "float64", "2 4", "1 2 3 99 4 5 6 99" } },
    "bool",
    "2 3",
    "0 0 1 1 1 1" },
  { "bools-then-wider",
    "u = x > 2; v = x * 2; w = where(u, v, x); w + 1",
    { { "x", "float64", "6", "1 2 3 4 5 6" } },
    "float64",
    "6",
    "2 3 7 9 11 13" },
  { "empty-product",
    "s = sum((x + 1) * 2) * 0; s + matmul(a, b)",
    { { "x", "float64", "6", "1 2 3 4 5 6" }, { "a", "float64", "2 0", "" }, { "b", "float64", "0 3", "" } },
    "float64",
    "2 3",
    "0 0 0 0 0 0" },
  { "empty-sum", "sum(x)", { { "x", "float64", "0", "" } }, "float64", "", "0" },
  { "empty-sum-of-rows", "sum(x + 1, axis=1)", { { "x", "float64", "3 0", "" } }, "float64", "3", "0 0 0" },
  { "product-without-rows",
    "matmul(a, b)",
    { { "a", "float64", "0 4", "" }, { "b", "float64", "4 3", "1 2 3 4 5 6 7 8 9 10 11 12" } },
    "float64",
    "0 3",
    "" },

  /* Traps in engines like this one. */
  { "index-maps-differ",
    "relu((x + 0.0).T - 2.0)",
    { { "x", "float64", "2 3", "0 1 2 3 4 5" } },
    "float64",
    "3 2",
    "0 1 0 2 0 3" },
  { "region-of-two-layouts",
    "t = x + 0.0; t * 2.0 + t[::-1]",
    { { "x", "float64", "4", "0 1 2 3" } },
    "float64",
    "4",
    "3 4 5 6" },
  { "region-not-convex",
    "a = x + 1.0; a + a @ a",
    { { "x", "float64", "2 2", "0 1 2 3" } },
    "float64",
    "2 2",
    "8 12 18 26" },
  { "takeover-changes-a-sum",
    "t = x.T; s = sum(t); s - sum(contiguous(t))",
    { { "x", "float32", "2 2", "1e8 1 -1e8 1" } },
    "float32",
    "",
    "0" },
  { "two-outputs-in-place",
    "q, r = divmod(a + 0.0, b + 0.0); q * 10.0 + r",
    { { "a", "float64", "2", "7 -7" }, { "b", "float64", "2", "2 2" } },
    "float64",
    "2",
    "31 -39" },
  { "integer-quotient",
    "x // y",
    { { "x", "int32", "3", "-2147483648 7 -7" }, { "y", "int32", "3", "-1 0 2" } },
    "int32",
    "3",
    "-2147483648 0 -4" },
  { "integer-remainder",
    "x % y",
    { { "x", "int32", "3", "-2147483648 7 -7" }, { "y", "int32", "3", "-1 0 2" } },
    "int32",
    "3",
    "0 0 1" },
  { "contraction",
    "a * a + c",
    { { "a", "float32", "1", "1.000244140625" }, { "c", "float32", "1", "-1.00048828125" } },
    "float32",
    "1",
    "0" },
  { "contraction-of-tiles",
    "sum(a * a + c)",
    { { "a", "float32", "9",
        "1.000244140625 1.000244140625 1.000244140625 1.000244140625 1.000244140625 "
        "1.000244140625 1.000244140625 1.000244140625 1.000244140625" },
      { "c", "float32", "1", "-1.00048828125" } },
    "float32",
    "",
    "0" },

  /* What made the planner what it is: `a - b` computed as `b - a`. */
  { "second-operand-overwritten",
    "b = y * 1; a - b",
    { { "a", "float64", "3", "10 20 30" }, { "y", "float64", "3", "1 2 3" } },
    "float64",
    "3",
    "9 18 27" },
  { "second-operand-of-quotient",
    "b = y * 1; a / b",
    { { "a", "float64", "3", "10 20 30" }, { "y", "float64", "3", "1 2 4" } },
    "float64",
    "3",
    "10 10 7.5" },
  { "first-operand-overwritten",
    "b = a * 1; b - y",
    { { "a", "float64", "3", "10 20 30" }, { "y", "float64", "3", "1 2 3" } },
    "float64",
    "3",
    "9 18 27" },
  { "both-operands-of-one-buffer",
    "b = a * 1; b - b * 2",
    { { "a", "float64", "3", "10 20 30" } },
    "float64",
    "3",
    "-10 -20 -30" },
  { "operand-twice", "b = a * 2; c = b + b; c * c", { { "a", "int32", "3", "1 2 3" } }, "int32", "3", "16 64 144" },
  { "different-dtype-of-same-size",
    "b = astype(a + 1, \"int64\"); c = b * 2; astype(c, \"float64\") / 4",
    { { "a", "float64", "3", "1.5 2.5 -3.5" } },
    "float64",
    "3",
    "1 1.5 -1" },
  { "takeover-then-original",
    "t = (x + 1).T; s = t * 2; c = contiguous(t); s + c + t",
    { { "x", "float64", "2 2", "0 1 2 3" } },
    "float64",
    "2 2",
    "4 12 8 16" },
  { "view-of-a-view-of-freed",
    "t = x + 1; v = t[1:][::-1]; w = exp(x * 0) * 3; v * w[1:]",
    { { "x", "float64", "3", "1 2 3" } },
    "float64",
    "2",
    "12 9" },
};

static void
test_story (gconstpointer data)
{
  const Story *story = data;
  g_autoptr (GHashTable) names = NULL;
  g_autoptr (CandelaNode) node = NULL;
  gsize n = 0;

  while (n < G_N_ELEMENTS (story->given) && story->given[n].name != NULL)
    n++;
  check_value (story->text, story->given, n, story->dtype, story->shape, story->elements);

  names = bind_names (story->given, n);
  node = build (story->text, names);
  for (guint flags = 0; flags < N_FLAGS; flags++)
    {
      g_autoptr (CandelaPlan) plan = plan_node (node, flags);

      verify_plan (plan);
    }
}

/* The same traps where one tile or one thread's share is not all there is. Each is a
 * value that is the same everywhere. */
static void
test_many_tiles (void)
{
  static const struct
  {
    const char *text;
    double offset; /* the value: n plus this */
  } cases[] = {
    { "t = x + 0; t + t[::-1]", -1 },
    { "t = x + 0; t * 2.0 + t[::-1] * 2.0 - (x + x[::-1])", -1 },
    { "t = (x + 1) * 1; u = relu(t - n); v = t * 2; u + v - x * 2 + (n - 2)", 0 },
    { "t = reshape(x + 0, [2, -1]); u = t.T; v = u + 0; reshape(v.T, [-1]) - x + n", 0 },
    { "q, r = divmod(x + 0, 7.0 * (x * 0 + 1)); q * 7 + r - x + n", 0 },
    { "b = x * 1; n - b + b", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gint64 n = 2; n < 400000; n *= 43)
      {
        g_autoptr (GHashTable) names = names_new ();
        g_autoptr (CandelaTensor) x = candela_tensor_new (CANDELA_DTYPE_FLOAT64, &n, 1, NULL);
        g_autoptr (CandelaTensor) wanted = candela_tensor_new (CANDELA_DTYPE_FLOAT64, &n, 1, NULL);
        g_autoptr (CandelaNode) node = NULL;

        for (gint64 k = 0; k < n; k++)
          {
            ((double *) candela_tensor_get_writable_data (x))[k] = k;
            ((double *) candela_tensor_get_writable_data (wanted))[k] = n + cases[i].offset;
          }
        put_name (names, "x", candela_node_new_tensor (x));
        put_name (names, "n", candela_node_new_float (n));
        node = build (cases[i].text, names);
        check_roots (&node, &wanted, 1, cases[i].text);
      }
}

/* A view that is a result pins its buffer, though its maker is read for the last
 * time long before the end. */
static void
test_view_as_root (void)
{
  const Given given = { "x", "float64", "2 3", "0 0.25 0.5 0 -0.25 -0.5" };
  g_autoptr (GHashTable) names = bind_names (&given, 1);
  g_autoptr (CandelaExpression) expression = parse ("t = x + 0; v = reshape(t, [6]); w = exp(exp(t * 2))", names);
  CandelaNode *roots[] = { get_named (expression, "v"), get_named (expression, "w") };
  CandelaTensor *wanted[2];

  wanted[0] = make_tensor ("float64", "6", given.elements);
  wanted[1] = make_tensor ("float64", "2 3", given.elements);
  for (gsize i = 0; i < 6; i++)
    {
      double *w = candela_tensor_get_writable_data (wanted[1]);
      g_autofree char *element = g_strdup_printf ("%.17g", w[i] * 2);
      g_autoptr (CandelaTensor) once = NULL;
      g_autoptr (CandelaTensor) twice = NULL;
      g_autoptr (CandelaNode) one = make_value ("float64", "", element);
      g_autoptr (CandelaNode) other = NULL;

      once = compute_op ("exp", NULL, one, NULL);
      other = candela_node_new_tensor (once);
      twice = compute_op ("exp", NULL, other, NULL);
      w[i] = *(const double *) candela_tensor_get_data (twice);
      /* exp is right to a few units in the last place. */
      g_assert_cmpfloat_with_epsilon (w[i], exp (exp (((const double[]){ 0, 0.25, 0.5, 0, -0.25, -0.5 })[i] * 2)),
                                      1e-14);
    }
  check_roots (roots, wanted, 2, "view as root");
  g_object_unref (wanted[0]);
  g_object_unref (wanted[1]);
}

/* A large element may not change what its neighbour in a vector gets. */
static void
test_neighbours_lane (void)
{
  const Given given = { "x", "float32", "2", "30.0004959 1000" };
  g_autoptr (GHashTable) names = bind_names (&given, 1);
  static const char *const functions[] = { "sin", "cos", "tan", "exp", "log", "tanh", "sigmoid", "gelu" };

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autofree char *whole = g_strdup_printf ("%s(x)[0:1]", functions[i]);
      g_autofree char *part = g_strdup_printf ("%s(x[0:1])", functions[i]);
      g_autoptr (CandelaNode) a = build (whole, names);
      g_autoptr (CandelaNode) b = build (part, names);
      g_autoptr (CandelaTensor) wanted = compute (b);

      check_roots (&a, &wanted, 1, whole);
      check_roots (&b, &wanted, 1, part);
    }
}

/* One graph over slots, run with shapes in turn; and what is bound stays as it is. */
static void
test_shapes_in_turn (void)
{
  static const char *const shapes[] = { "1 32 8", "1 1 8", "1 32 8" };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GHashTable) names = names_new ();
      g_autoptr (CandelaNode) node = NULL;
      g_autoptr (CandelaPlan) plan = NULL;
      gint64 shape[3];
      gsize rank = read_shape (shapes[i], shape);
      g_autoptr (CandelaTensor) x = candela_tensor_new (CANDELA_DTYPE_FLOAT64, shape, rank, NULL);
      double *data = candela_tensor_get_writable_data (x);
      CandelaTensor **got;

      for (gint64 k = 0; k < candela_tensor_get_n_elements (x); k++)
        data[k] = k;
      add_slot (names, "x", "float64", shapes[i]);
      node = build ("t = x + 1; (t * 2 + x).mT", names);
      plan = plan_node (node, CANDELA_PLAN_DEFAULT);
      got = candela_plan_run (plan, &x, 1, NULL, NULL, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      for (gint64 row = 0; row < shape[1]; row++)
        for (gint64 column = 0; column < 8; column++)
          g_assert_cmpfloat (*(const double *) element_at (got[0], column * shape[1] + row), ==,
                             3 * (row * 8 + column) + 2);
      for (gint64 k = 0; k < candela_tensor_get_n_elements (x); k++)
        g_assert_cmpfloat (data[k], ==, k);
      free_tensors (got, 1);
    }
}

/* Memory of somebody else's is read, and never written. */
static void
test_host_memory (void)
{
  for (guint flags = 0; flags < N_FLAGS; flags++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GHashTable) names = names_new ();
      double host[3] = { 1, 2, 3 };
      const gint64 shape = 3;
      g_autoptr (CandelaLayout) layout = candela_layout_new (&shape, 1, NULL);
      g_autoptr (CandelaTensor) x = candela_tensor_new_foreign (CANDELA_DTYPE_FLOAT64, layout, host, sizeof host,
                                                                CANDELA_MEMORY_WRITABLE, NULL, NULL, &error);
      g_autoptr (CandelaNode) node = NULL;
      g_autoptr (CandelaPlan) plan = NULL;
      g_autoptr (CandelaTensor) wanted = make_tensor ("float64", "3", "5 8 11");
      CandelaTensor **got;

      g_assert_no_error (error);
      put_name (names, "x", candela_node_new_tensor (x));
      node = build ("y = x + 1; z = identity(x) * 2; y + z + 1", names);
      plan = plan_node (node, flags);
      got = run_plan (plan, NULL);
      assert_tensors_same (got[0], wanted, "host memory");
      free_tensors (got, 1);
      g_assert_cmpfloat (host[0], ==, 1);
      g_assert_cmpfloat (host[1], ==, 2);
      g_assert_cmpfloat (host[2], ==, 3);
    }
}

/* Two graphs with as many nodes and the same sizes are not the same plan. */
static void
test_topology (void)
{
  const Given given[] = { { "x", "float64", "2", "2 3" }, { "y", "float64", "2", "5 7" } };
  const Given others[] = { { "x", "float64", "2", "1 1" }, { "y", "float64", "2", "2 2" } };
  g_autoptr (CandelaNode) a = build_given ("(x + y) * x", given, 2);
  g_autoptr (CandelaNode) b = build_given ("(x * y) + y", given, 2);
  g_autoptr (CandelaNode) c = build_given ("(x + y) * x", others, 2);
  g_autoptr (CandelaNode) d = build_given ("(x + y) * y", given, 2);

  for (guint flags = 0; flags < N_FLAGS; flags++)
    {
      g_autoptr (CandelaPlan) plan_a = plan_node (a, flags);
      g_autoptr (CandelaPlan) plan_b = plan_node (b, flags);
      g_autoptr (CandelaPlan) plan_c = plan_node (c, flags);
      g_autoptr (CandelaPlan) plan_d = plan_node (d, flags);

      g_assert_true (candela_plan_equal (plan_a, plan_a));
      g_assert_true (candela_plan_equal (plan_a, plan_c));
      g_assert_false (candela_plan_equal (plan_a, plan_b));
      g_assert_false (candela_plan_equal (plan_a, plan_d));
    }
  check_value ("(x + y) * x", given, 2, "float64", "2", "14 30");
  check_value ("(x * y) + y", given, 2, "float64", "2", "15 28");
}

/* Everything above once more, with every buffer full of rubbish before it is
 * written and after it is freed, and inputs that cannot be written to. */
static void
test_poison (void)
{
  run_again ("poison", NULL, NULL);
}

static void
test_switched_off (void)
{
  run_again ("no-fusion,no-reuse,no-inplace", NULL, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (stories); i++)
    {
      g_autofree char *path = g_strconcat ("/traps/", stories[i].path, NULL);

      g_test_add_data_func (path, &stories[i], test_story);
    }
  g_test_add_func ("/traps/many-tiles", test_many_tiles);
  g_test_add_func ("/traps/view-as-root", test_view_as_root);
  g_test_add_func ("/traps/neighbours-lane", test_neighbours_lane);
  g_test_add_func ("/traps/shapes-in-turn", test_shapes_in_turn);
  g_test_add_func ("/traps/host-memory", test_host_memory);
  g_test_add_func ("/traps/topology", test_topology);
  g_test_add_func ("/traps/poison", test_poison);
  g_test_add_func ("/traps/switched-off", test_switched_off);
  return g_test_run ();
}
