/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Building nodes: what is wrong is told where the node is built, with the op, the
 * argument and both shapes; weak scalars; placeholders and what is bound to them;
 * plans as nodes. */
#include "../testing.h"

/* x: [2, 3], y: [4, 3], u8: uint8 [3], truth: bool [3], z: complex64 [3]. */
static GHashTable *
typed_slots (void)
{
  GHashTable *names = names_new ();

  add_slot (names, "x", "float64", "2 3");
  add_slot (names, "y", "float64", "4 3");
  add_slot (names, "f", "float32", "3");
  add_slot (names, "u8", "uint8", "3");
  add_slot (names, "truth", "bool", "3");
  add_slot (names, "z", "complex64", "3");
  return names;
}

typedef struct
{
  const char *op;
  const char *inputs; /* names */
  const char *params;
  CandelaError code;
  const char *words[4]; /* that the message has */
} Refusal;

static const Refusal refusals[] = {
  { "add", "x y", NULL, CANDELA_ERROR_SHAPE, { "add: ", "x1", "[2, 3]", "[4, 3]" } },
  { "matmul", "x y", NULL, CANDELA_ERROR_SHAPE, { "matmul: ", "[2, 3]", "[4, 3]", "3 and 4" } },
  { "reshape", "x", "{'shape': <[int64 4]>}", CANDELA_ERROR_SHAPE, { "reshape: ", "[2, 3]", "[4]" } },
  { "broadcast_to", "x", "{'shape': <[int64 2]>}", CANDELA_ERROR_SHAPE, { "broadcast_to: ", "[2, 3]", "[2]" } },
  { "reshape", "x", "{'shape': <[int64 4611686018427387904, 4]>}", CANDELA_ERROR_SHAPE, { "reshape: " } },
  { "squeeze", "x", "{'axis': <[int64 0]>}", CANDELA_ERROR_SHAPE, { "squeeze: ", "axis 0", "[2, 3]" } },
  { "sum", "x", "{'axis': <int64 2>}", CANDELA_ERROR_AXIS, { "sum: ", "axis 2", "[2, 3]" } },
  { "sum", "x", "{'axis': <int64 -3>}", CANDELA_ERROR_AXIS, { "sum: ", "axis -3", "[2, 3]" } },
  { "sum", "x", "{'axis': <[int64 0, 0]>}", CANDELA_ERROR_AXIS, { "sum: ", "twice" } },
  { "permute_dims", "x", "{'axes': <[int64 0]>}", CANDELA_ERROR_AXIS, { "permute_dims: " } },
  { "less", "z u8", NULL, CANDELA_ERROR_DTYPE, { "less: ", "x1", "complex64" } },
  { "negative", "truth", NULL, CANDELA_ERROR_DTYPE, { "negative: ", "x", "bool" } },
  { "subtract", "truth truth", NULL, CANDELA_ERROR_DTYPE, { "subtract: ", "x1", "x2", "bool" } },
  { "bitwise_and", "u8 x", NULL, CANDELA_ERROR_DTYPE, { "bitwise_and: ", "x2", "float64" } },
  { "astype", "x", "{'dtype': <'float31'>}", CANDELA_ERROR_DTYPE, { "astype: ", "dtype", "float31" } },
  { "sum", "x", "{'axes': <int64 1>}", CANDELA_ERROR_PARAMETER, { "sum: ", "axes" } },
  { "sum", "x", "{'keepdims': <int64 3>}", CANDELA_ERROR_PARAMETER, { "sum: ", "keepdims", "bool" } },
  { "reshape", "x", NULL, CANDELA_ERROR_PARAMETER, { "reshape: ", "shape" } },
  { "add", "x", NULL, CANDELA_ERROR_ARITY, { "add: ", "2 inputs", "x1, x2", "1 given" } },
  { "add", "x x x", NULL, CANDELA_ERROR_ARITY, { "add: ", "2 inputs", "3 given" } },
  { "relu", "", NULL, CANDELA_ERROR_ARITY, { "relu: ", "1 input", "0 given" } },
  { "arange", "x", "{'start': <int64 3>}", CANDELA_ERROR_ARITY, { "arange: ", "0 inputs", "1 given" } },
  { "relo", "x", NULL, CANDELA_ERROR_UNKNOWN_OP, { "relo" } },
  { "", "x", NULL, CANDELA_ERROR_UNKNOWN_OP, { NULL } },
};

static void
test_refusal (gconstpointer data)
{
  const Refusal *refusal = data;
  g_autoptr (GHashTable) names = typed_slots ();
  g_auto (GStrv) words = g_strsplit (refusal->inputs, " ", -1);
  g_autoptr (GVariant) params = read_params (refusal->params);
  g_autoptr (GError) error = NULL;
  CandelaNode *inputs[4];
  gsize n = 0;

  for (; words[n] != NULL && words[n][0] != '\0'; n++)
    inputs[n] = g_hash_table_lookup (names, words[n]);
  g_assert_null (candela_node_new_opv (refusal->op, inputs, n, params, &error));
  g_assert_error (error, CANDELA_ERROR, (int) refusal->code);
  for (guint i = 0; i < G_N_ELEMENTS (refusal->words) && refusal->words[i] != NULL; i++)
    if (strstr (error->message, refusal->words[i]) == NULL)
      g_error ("\"%s\" does not say \"%s\"", error->message, refusal->words[i]);
}

/* ---- Missing inputs ---- */

/* A chain is checked once, at its end: the first error stays. */
static void
test_null_keeps_error (void)
{
  g_autoptr (GHashTable) names = typed_slots ();
  CandelaNode *x = g_hash_table_lookup (names, "x"), *y = g_hash_table_lookup (names, "y");
  g_autoptr (GError) error = NULL;
  CandelaNode *wrong = candela_node_new_op ("add", &error, x, y, NULL, NULL);
  CandelaNode *after = candela_node_new_op ("exp", &error, wrong, NULL, NULL);
  CandelaNode *both = candela_node_new_op ("add", &error, x, after, NULL, NULL);
  CandelaNode *inputs[] = { x, both };

  g_assert_null (wrong);
  g_assert_null (after);
  g_assert_null (both);
  g_assert_null (candela_node_new_opv ("add", inputs, 2, NULL, &error));
  g_assert_null (candela_node_get_output (both, 0, &error));
  g_assert_null (candela_node_new_cache (both));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE);
  g_assert_true (g_str_has_prefix (error->message, "add: "));
}

static void
test_null_without_error (void)
{
  g_autoptr (GHashTable) names = typed_slots ();
  CandelaNode *x = g_hash_table_lookup (names, "x");
  CandelaNode *inputs[] = { x, NULL };
  g_autoptr (GError) error = NULL;

  g_assert_null (candela_node_new_opv ("add", inputs, 2, NULL, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
  g_assert_nonnull (strstr (error->message, "add: input 'x2' is missing"));
  g_clear_error (&error);
  g_assert_null (candela_node_new_op ("add", &error, NULL, NULL));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
  g_clear_error (&error);
  g_assert_null (candela_node_materialize (NULL, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
}

/* Nobody wants the errors: still no more than NULL. */
static void
test_null_unasked (void)
{
  g_autoptr (GHashTable) names = typed_slots ();
  CandelaNode *x = g_hash_table_lookup (names, "x"), *y = g_hash_table_lookup (names, "y");
  CandelaNode *inputs[] = { NULL, x };

  g_assert_null (candela_node_new_op ("add", NULL, x, y, NULL, NULL));
  g_assert_null (candela_node_new_opv ("add", inputs, 2, NULL, NULL));
  /* The list of inputs ends at the first one; what follows is no list of parameters. */
  g_assert_null (candela_node_new_op ("add", NULL, NULL, x, NULL, NULL));
  g_assert_null (candela_node_materialize (NULL, NULL));
}

/* ---- Arguments ---- */

static void
assert_made (CandelaNode *node, const char *params)
{
  g_autoptr (CandelaNode) made = node;
  g_autoptr (GVariant) expected = g_variant_parse (G_VARIANT_TYPE_VARDICT, params, NULL, NULL, NULL);
  g_autoptr (GVariant) dict = candela_node_get_params (made);

  g_assert_nonnull (made);
  g_assert_cmpvariant (dict, expected);
}

/* What needs no variant is as it would be with one, its errors too. */
static void
test_arguments (void)
{
  g_autoptr (GHashTable) names = typed_slots ();
  CandelaNode *x = g_hash_table_lookup (names, "x");
  g_autoptr (GError) plain = NULL, boxed = NULL;

  assert_made (candela_node_new_op ("sum", NULL, x, NULL, "axis", "x", (gint64) -1, "keepdims", "b", TRUE, NULL),
               "{'axis': <[int64 -1]>, 'keepdims': <true>}");
  assert_made (
    candela_node_new_op ("sum", NULL, x, NULL, "axis", "i", 1, "keepdims", "@b", g_variant_new_boolean (FALSE), NULL),
    "{'axis': <[int64 1]>, 'keepdims': <false>}");
  assert_made (candela_node_new_op ("full", NULL, NULL, "shape", "i", 3, "fill_value", "d", 0.5, NULL),
               "{'shape': <[int64 3]>, 'fill_value': <0.5>}");

  g_assert_null (candela_node_new_op ("sum", &plain, x, NULL, "keepdims", "x", (gint64) 7, NULL));
  g_assert_null (candela_node_new_op ("sum", &boxed, x, NULL, "keepdims", "@x", g_variant_new_int64 (7), NULL));
  g_assert_error (plain, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
  g_assert_cmpstr (plain->message, ==, boxed->message);
  g_clear_error (&plain);
  /* What floats is gone, also where nobody wants it. */
  g_assert_null (candela_node_new_op ("sum", &plain, x, NULL, "axes", "@x", g_variant_new_int64 (7), NULL));
  g_assert_error (plain, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
}

static void
test_many_arguments (void)
{
  g_autoptr (GHashTable) names = typed_slots ();
  CandelaNode *x = g_hash_table_lookup (names, "x");
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = candela_node_new_op ("concat", &error, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x,
                                                      x, x, x, NULL, "axis", "x", (gint64) 1, NULL);
  gsize rank;

  g_assert_no_error (error);
  g_assert_cmpuint (candela_node_get_n_inputs (node), ==, 19);
  g_assert_cmpint (candela_node_get_shape (node, &rank)[1], ==, 19 * 3);
}

/* ---- Weak scalars ---- */

static void
assert_weak (const char *text, const char *dtype, gboolean weak)
{
  g_autoptr (GHashTable) names = typed_slots ();
  g_autoptr (CandelaNode) node = build (text, names);

  g_assert_cmpstr (candela_dtype_get_name (candela_node_get_dtype (node)), ==, dtype);
  g_assert_cmpint (candela_node_is_weak (node), ==, weak);
}

static void
test_weak_dtypes (void)
{
  assert_weak ("u8 + 1", "uint8", FALSE);
  assert_weak ("u8 + 255", "uint8", FALSE);
  assert_weak ("u8 + true", "uint8", FALSE);
  assert_weak ("u8 + 1.5", "float64", FALSE);
  assert_weak ("f + 1.5", "float32", FALSE);
  assert_weak ("f * 3", "float32", FALSE);
  assert_weak ("truth + 1", "int64", FALSE);
  assert_weak ("truth + 1.5", "float64", FALSE);
  /* Scalars that meet scalars stay weak, and are known. */
  assert_weak ("1 + 2", "int64", TRUE);
  assert_weak ("1 / 2", "float64", TRUE);
  assert_weak ("1 < 2", "bool", TRUE);
  assert_weak ("(1 + 2) * f", "float32", FALSE);
  assert_weak ("(100 + 100) + u8", "uint8", FALSE);
  assert_weak ("exp(1.0) * f", "float32", FALSE);
  assert_weak ("2 * 0.5 + f", "float32", FALSE);
  assert_weak ("f + 2j", "complex64", FALSE);
  assert_weak ("u8 + 1j", "complex128", FALSE);
  assert_weak ("truth * 1j", "complex128", FALSE);
  assert_weak ("2 + 3j", "complex128", TRUE);
  assert_weak ("(2 + 3j) * f", "complex64", FALSE);
  assert_weak ("f * 18446744073709551615", "float32", FALSE);
  assert_weak ("18446744073709551615", "uint64", TRUE);
}

static void
test_weak_range (void)
{
  static const char *const texts[] = { "u8 + 300",         "u8 + 256", "u8 * -1",
                                       "(200 + 100) + u8", "300 + u8", "u8 + 18446744073709551300" };
  g_autoptr (GHashTable) names = typed_slots ();

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (candela_expression_parse (texts[i], -1, names, &error));
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE);
      g_assert_nonnull (strstr (error->message, "uint8"));
      g_assert_nonnull (strstr (error->message, i == 2 ? "x2 is -1" : i == 1 ? "256" : "300"));
    }
}

static void
test_weak_roots (void)
{
  check_value ("1 + 2", NULL, 0, "int64", "", "3");
  check_value ("7", NULL, 0, "int64", "", "7");
  check_value ("0.5", NULL, 0, "float64", "", "0.5");
  check_value ("true", NULL, 0, "bool", "", "1");
  check_value ("1 / 4", NULL, 0, "float64", "", "0.25");
  check_value ("2 ** 10 < 1000", NULL, 0, "bool", "", "0");
  check_value ("q, r = divmod(-7, 2); q * 10 + r", NULL, 0, "int64", "", "-39");
  check_value ("sum(3)", NULL, 0, "int64", "", "3");
  check_value ("18446744073709551615", NULL, 0, "uint64", "", "18446744073709551615");
  check_value ("real((2+3j) * (1-1j))", NULL, 0, "float64", "", "5");
}

static void
test_weak_values (void)
{
  const Given given[] = { { "u8", "uint8", "3", "1 2 255" },
                          { "f", "float32", "2", "0.5 16777216" },
                          { "u64", "uint64", "2", "1 9223372036854775808" } };

  check_value ("u8 + 1", given, 2, "uint8", "3", "2 3 0");
  check_value ("u8 / 2", given, 2, "float64", "3", "0.5 1 127.5");
  check_value ("f + 1", given, 2, "float32", "2", "1.5 16777216");
  check_value ("f + 18446744073709551615", given, 2, "float32", "2", "18446744073709551616 18446744073709551616");
  check_value ("u64 + 18446744073709551615", given, 3, "uint64", "2", "0 9223372036854775807");
  check_value ("maximum(u64, 9223372036854775807)", given, 3, "uint64", "2", "9223372036854775807 9223372036854775808");
  check_value ("where(u64 == 1, u64, 18446744073709551615)", given, 3, "uint64", "2", "1 18446744073709551615");
  check_value ("imag(f * 2j)", given, 2, "float32", "2", "1 33554432");
  check_value ("real((f + 1j) * (0 - 1j))", given, 2, "float32", "2", "1 1");
}

/* ---- Placeholders ---- */

static void
assert_binding_refused (CandelaPlan *plan, CandelaTensor *const *tensors, gsize n, CandelaError code, const char *words)
{
  g_autoptr (GError) error = NULL;
  gsize n_tensors = 7;

  g_assert_null (candela_plan_run (plan, tensors, n, NULL, NULL, NULL, NULL, &n_tensors, &error));
  g_assert_error (error, CANDELA_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_cmpuint (n_tensors, ==, 0);
}

static void
test_slot_errors (void)
{
  g_autoptr (GHashTable) names = typed_slots ();
  g_autoptr (CandelaNode) node = build ("x + f", names);
  g_autoptr (CandelaPlan) plan = plan_node (node, CANDELA_PLAN_DEFAULT);
  g_autoptr (CandelaTensor) x = make_tensor ("float64", "2 3", "1 2 3 4 5 6");
  g_autoptr (CandelaTensor) f = make_tensor ("float32", "3", "1 2 3");
  g_autoptr (CandelaTensor) wide = make_tensor ("float64", "3", "1 2 3");
  g_autoptr (CandelaTensor) longer = make_tensor ("float32", "4", "1 2 3 4");
  CandelaTensor *few[] = { x }, *wrong_dtype[] = { x, wide }, *wrong_shape[] = { x, longer }, *none[] = { x, NULL };

  assert_binding_refused (plan, NULL, 0, CANDELA_ERROR_ARITY, "2 slots");
  assert_binding_refused (plan, few, 1, CANDELA_ERROR_ARITY, "2 slots");
  assert_binding_refused (plan, wrong_dtype, 2, CANDELA_ERROR_DTYPE, "f: float32 [3]");
  assert_binding_refused (plan, wrong_shape, 2, CANDELA_ERROR_SHAPE, "[4]");
  assert_binding_refused (plan, none, 2, CANDELA_ERROR_SHAPE, "nothing");
}

/* A tensor of any layout can be bound; the same plan gives each its own value. */
static void
test_slot_layouts (void)
{
  const Given given = { "t", "float64", "3 2", "1 4 2 5 3 6" };
  static const char *const texts[] = { "t.T", "t.T[::-1, :]", "broadcast_to(t[0:1, 0], [2, 3])", "t.T[:, ::-1] + 0" };
  static const char *const wanted[] = { "2 3 4 5 6 7", "5 6 7 2 3 4", "2 2 2 2 2 2", "4 3 2 7 6 5" };
  g_autoptr (GHashTable) names = typed_slots ();
  g_autoptr (CandelaNode) node = build ("x + 1", names);

  for (guint flags = 0; flags < N_FLAGS; flags++)
    {
      g_autoptr (CandelaPlan) plan = plan_node (node, flags);

      for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (CandelaNode) view = build_given (texts[i], &given, 1);
          g_autoptr (CandelaTensor) bound = compute (view);
          g_autoptr (CandelaTensor) value = make_tensor ("float64", "2 3", wanted[i]);
          CandelaTensor **got = candela_plan_run (plan, &bound, 1, NULL, NULL, NULL, NULL, NULL, &error);

          g_assert_no_error (error);
          assert_tensors_same (got[0], value, texts[i]);
          free_tensors (got, 1);
        }
    }
}

static void
test_slot_wrong (void)
{
  g_autoptr (GError) error = NULL;
  const gint64 negative = -1, large[] = { G_MAXINT64, 2 };

  g_assert_null (candela_node_new_slot ("s", CANDELA_DTYPE_INVALID, NULL, 0, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE);
  g_clear_error (&error);
  g_assert_null (candela_node_new_slot ("s", CANDELA_DTYPE_FLOAT64, &negative, 1, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE);
  g_clear_error (&error);
  g_assert_null (candela_node_new_slot ("s", CANDELA_DTYPE_FLOAT64, large, 2, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE);
}

/* Not bound to anything: an error, and not a crash. */
static void
test_slot_unbound (void)
{
  g_autoptr (GHashTable) names = typed_slots ();
  g_autoptr (CandelaNode) node = build ("x + 1", names);
  g_autoptr (GError) error = NULL;

  g_assert_null (candela_node_materialize (node, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
  g_assert_nonnull (strstr (error->message, "x"));
}

/* ---- Plans as nodes ---- */

static CandelaPlan *
plan_of_slots (const char *text, CandelaPlanFlags flags)
{
  g_autoptr (GHashTable) names = typed_slots ();
  g_autoptr (CandelaNode) node = build (text, names);

  return plan_node (node, flags);
}

static void
test_baked_value (void)
{
  const Given given[] = { { "a", "float64", "2 3", "1 2 3 4 5 6" }, { "b", "float32", "3", "10 20 30" } };

  for (guint flags = 0; flags < N_FLAGS; flags++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GHashTable) names = bind_names (given, 2);
      g_autoptr (CandelaPlan) inner = plan_of_slots ("contiguous((x + f).T)", flags);
      g_autoptr (CandelaNode) a = build ("a * 1", names);
      CandelaNode *inputs[] = { a, g_hash_table_lookup (names, "b") };
      g_autoptr (CandelaNode) baked = candela_node_new_baked (inner, inputs, 2, &error);
      g_autoptr (CandelaNode) root = NULL;
      g_autoptr (CandelaTensor) wanted = make_tensor ("float64", "3 2", "23 29 45 51 67 73");

      g_assert_no_error (error);
      g_assert_cmpint (candela_node_get_kind (baked), ==, CANDELA_NODE_BAKED);
      put_name (names, "baked", candela_node_ref (baked));
      root = build ("baked * 2 + 1", names);
      check_roots (&root, &wanted, 1, "baked");
    }
}

static void
test_baked_nested (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) names = typed_slots ();
  CandelaNode *x = g_hash_table_lookup (names, "x");
  g_autoptr (CandelaPlan) plan = plan_of_slots ("x + 1", CANDELA_PLAN_DEFAULT);
  guint depth = 0;

  /* Each adds one to what it is over; there is a limit, and it is an error. */
  while (TRUE)
    {
      g_autoptr (CandelaNode) baked = candela_node_new_baked (plan, &x, 1, &error);
      g_autoptr (CandelaNode) one = candela_node_new_int (1);
      g_autoptr (CandelaNode) more = NULL;

      if (baked == NULL)
        break;
      depth++;
      more = candela_node_new_op ("add", &error, baked, one, NULL, NULL);
      g_assert_no_error (error);
      candela_plan_unref (plan);
      plan = plan_node (more, CANDELA_PLAN_DEFAULT);
      if (depth % 20 == 1)
        {
          g_autoptr (CandelaTensor) zeros = make_tensor ("float64", "2 3", "0 0 0 0 0 0");
          CandelaTensor **got = candela_plan_run (plan, &zeros, 1, NULL, NULL, NULL, NULL, NULL, &error);

          g_assert_no_error (error);
          g_assert_cmpfloat (*(const double *) element_at (got[0], 5), ==, depth + 1);
          free_tensors (got, 1);
        }
    }
  g_assert_cmpuint (depth, >=, 10);
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
}

static void
test_baked_errors (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) names = typed_slots ();
  g_autoptr (CandelaPlan) inner = plan_of_slots ("x + f", CANDELA_PLAN_DEFAULT);
  CandelaNode *x = g_hash_table_lookup (names, "x"), *y = g_hash_table_lookup (names, "y");
  CandelaNode *u8 = g_hash_table_lookup (names, "u8"), *f = g_hash_table_lookup (names, "f");
  CandelaNode *wrong_shape[] = { y, f }, *wrong_dtype[] = { x, u8 }, *missing[] = { x, NULL }, *roots[] = { x, f };
  g_autoptr (CandelaPlan) two = plan_roots (roots, 2, CANDELA_PLAN_DEFAULT);

  g_assert_null (candela_node_new_baked (inner, &x, 1, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
  g_clear_error (&error);
  g_assert_null (candela_node_new_baked (inner, wrong_shape, 2, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "[4, 3]"));
  g_assert_nonnull (strstr (error->message, "[2, 3]"));
  g_clear_error (&error);
  g_assert_null (candela_node_new_baked (inner, wrong_dtype, 2, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE);
  g_clear_error (&error);
  g_assert_null (candela_node_new_baked (inner, missing, 2, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
  g_clear_error (&error);
  g_assert_null (candela_node_new_baked (two, roots, 2, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
}

/* ---- Asking ---- */

static void
assert_params (const char *text, const char *expected)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) node = build (text, names);
  g_autoptr (GVariant) params = candela_node_get_params (node);
  g_autoptr (CandelaNode) same = NULL;
  g_autoptr (GError) error = NULL;
  CandelaNode *inputs[2];
  g_autofree char *found = g_variant_print (params, TRUE);

  g_assert_cmpstr (found, ==, expected);
  for (guint i = 0; i < candela_node_get_n_inputs (node); i++)
    inputs[i] = candela_node_get_input (node, i);
  same = candela_node_new_for_op (candela_node_get_op (node), inputs, candela_node_get_n_inputs (node), params, &error);
  g_assert_no_error (error);
  g_assert_nonnull (same);
}

static void
test_asking (void)
{
  const Given given = { "x", "int64", "2 3", "1 2 3 4 5 6" };
  g_autoptr (GHashTable) names = bind_names (&given, 1);
  g_autoptr (GError) error = NULL;
  CandelaNode *x = g_hash_table_lookup (names, "x");
  g_autoptr (CandelaNode) pair = candela_node_new_op ("divmod", &error, x, x, NULL, NULL);
  g_autoptr (CandelaNode) second = candela_node_get_output (pair, 1, &error);
  g_autoptr (CandelaNode) cache = candela_node_new_cache (x);
  g_autoptr (CandelaNode) one = candela_node_new_int (1);
  g_autoptr (GVariant) value = candela_node_get_scalar (one);
  gsize rank;

  g_assert_no_error (error);
  g_assert_cmpint (candela_node_get_kind (x), ==, CANDELA_NODE_EDGE);
  g_assert_cmpint (candela_node_get_kind (pair), ==, CANDELA_NODE_OP);
  g_assert_cmpint (candela_node_get_kind (second), ==, CANDELA_NODE_OUTPUT);
  g_assert_cmpint (candela_node_get_kind (cache), ==, CANDELA_NODE_CACHE);
  assert_params ("sum([[1, 2]], axis=1)", "{'axis': <[int64 1]>, 'keepdims': <false>}");
  assert_params ("full([2], 18446744073709551615)",
                 "{'shape': <[int64 2]>, 'fill_value': <uint64 18446744073709551615>}");
  assert_params ("full([2], 1+2j, dtype=complex64)",
                 "{'shape': <[int64 2]>, 'fill_value': <(1.0, 2.0)>, 'dtype': <'complex64'>}");
  assert_params ("[1.0] + [2.0]", "@a{sv} {}");
  g_assert_cmpstr (candela_op_get_name (candela_node_get_op (pair)), ==, "divmod");
  g_assert_null (candela_node_get_op (x));
  g_assert_cmpuint (candela_node_get_n_outputs (pair), ==, 2);
  g_assert_cmpuint (candela_node_get_n_inputs (pair), ==, 2);
  g_assert_true (candela_node_get_input (pair, 1) == x);
  g_assert_null (candela_node_get_input (pair, 2));
  g_assert_cmpint (candela_node_get_shape (second, &rank)[1], ==, 3);
  g_assert_cmpuint (rank, ==, 2);
  g_assert_cmpint (g_variant_get_int64 (value), ==, 1);
  g_clear_pointer (&value, g_variant_unref);
  g_clear_pointer (&one, candela_node_unref);
  one = candela_node_new_uint (G_MAXUINT64);
  value = candela_node_get_scalar (one);
  g_assert_cmpuint (g_variant_get_uint64 (value), ==, G_MAXUINT64);
  g_clear_pointer (&value, g_variant_unref);
  g_clear_pointer (&one, candela_node_unref);
  one = candela_node_new_complex (1.5, -2);
  value = candela_node_get_scalar (one);
  g_assert_cmpstr (g_variant_get_type_string (value), ==, "(dd)");
  g_assert_null (candela_node_get_scalar (x));
  g_assert_null (candela_node_get_tensor (cache));
  g_assert_null (candela_node_get_output (pair, 2, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
  g_assert_nonnull (strstr (error->message, "divmod: has 2 outputs"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autofree char *path = g_strdup_printf ("/node/refused/%u-%s", i, refusals[i].op);

      g_test_add_data_func (path, &refusals[i], test_refusal);
    }
  g_test_add_func ("/node/null/keeps-error", test_null_keeps_error);
  g_test_add_func ("/node/null/without-error", test_null_without_error);
  g_test_add_func ("/node/null/unasked", test_null_unasked);
  g_test_add_func ("/node/arguments/formats", test_arguments);
  g_test_add_func ("/node/arguments/many", test_many_arguments);
  g_test_add_func ("/node/weak/dtypes", test_weak_dtypes);
  g_test_add_func ("/node/weak/range", test_weak_range);
  g_test_add_func ("/node/weak/roots", test_weak_roots);
  g_test_add_func ("/node/weak/values", test_weak_values);
  g_test_add_func ("/node/slot/errors", test_slot_errors);
  g_test_add_func ("/node/slot/layouts", test_slot_layouts);
  g_test_add_func ("/node/slot/wrong", test_slot_wrong);
  g_test_add_func ("/node/slot/unbound", test_slot_unbound);
  g_test_add_func ("/node/baked/value", test_baked_value);
  g_test_add_func ("/node/baked/nested", test_baked_nested);
  g_test_add_func ("/node/baked/errors", test_baked_errors);
  g_test_add_func ("/node/asking", test_asking);
  return g_test_run ();
}
