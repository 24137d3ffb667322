/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops from outside that use the interface in rare ways, and some that misuse it.
 * What they declare is honoured whatever the planner may do, and a wrong answer is
 * an error and nothing worse. */
#include "../plan/verify.h"
#include "../testing.h"

#define MANY 300000

typedef struct
{
  const char *path;
  const char *text;
  Given given[2];
  const char *dtype, *shape, *elements;
} Case;

#define SIX                                                                                                            \
  {                                                                                                                    \
    "x", "float64", "6", "1 2 3 4 5 6"                                                                                 \
  }

static const Case cases[] = {
  /* A view beside a computed output: used both, one or the other, as result and not. */
  { "split/both", "h, t = odd_split(x + 1); h * t", { SIX }, "float64", "3", "54 81 108" },
  { "split/view", "h, t = odd_split(x + 1); h", { SIX }, "float64", "3", "2 3 4" },
  { "split/view-of-edge", "h, t = odd_split(x[::-1]); h + 0", { SIX }, "float64", "3", "6 5 4" },
  { "split/computed", "h, t = odd_split(x + 1); t + 1", { SIX }, "float64", "", "28" },
  { "split/kept", "y = x + 1; h, t = odd_split(y); h[0] + t + sum(exp(y) * 0)", { SIX }, "float64", "", "29" },

  { "pack/strided", "y = x[::2]; a = odd_pack(y); b = odd_pack(y); a + b * y", { SIX }, "float64", "3", "2 12 30" },
  { "pack/packed", "odd_pack(x) + odd_pack(x + 1)", { SIX }, "float64", "6", "3 5 7 9 11 13" },
  { "pack/of-pack", "odd_pack(contiguous(x[::-1])) + x[::-1]", { SIX }, "float64", "6", "12 10 8 6 4 2" },
  { "pack/from-start",
    "odd_pack_from_start((x + 1)[2:]) + odd_pack_from_start(x + 1)[2:]",
    { SIX },
    "float64",
    "4",
    "8 10 12 14" },

  { "scale",
    "odd_scale(x, y) + 1",
    { { "x", "float32", "3", "0.5 -1 3" }, { "y", "int32", "3", "0 1 10" } },
    "float64",
    "3",
    "1.5 -1 3073" },
  { "scale/broadcast",
    "odd_scale(x, y)",
    { { "x", "float32", "2 1", "0.5 3" }, { "y", "int32", "2", "1 2" } },
    "float64",
    "2 2",
    "1 2 6 12" },
  { "scale/cast", "odd_scale(x + 0, 3)", { { "x", "float32", "2", "0.5 3" } }, "float64", "2", "4 24" },

  { "count/none", "odd_count() + odd_nothing()", { { NULL } }, "float64", "", "0" },
  { "count/many",
    "odd_count(x, x, x + 1, 2, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x)",
    { SIX },
    "float64",
    "",
    "19" },
  { "same/array", "odd_same(x) + odd_same(x[::-1] * 1)", { SIX }, "float64", "6", "7 7 7 7 7 7" },
  { "same/scalar", "odd_same(2.5) + 1.0", { { NULL } }, "float64", "", "3.5" },

  { "class", "r, e = odd_reversed(x + 1); r * 2", { SIX }, "float64", "6", "14 12 10 8 6 4" },
  { "class/empty", "r, e = odd_reversed(x + 1); e + 1", { SIX }, "float64", "0", "" },

  /* Scalars of which a view is made. */
  { "scalar/broadcast", "broadcast_to(2.5, [2, 2])", { { NULL } }, "float64", "2 2", "2.5 2.5 2.5 2.5" },
  { "scalar/view-of-view",
    "contiguous(broadcast_to(expand_dims(7, 0), [2, 1]).T) + 1",
    { { NULL } },
    "int64",
    "1 2",
    "8 8" },
  { "scalar/view", "expand_dims(true, 0)", { { NULL } }, "bool", "1", "1" },
};

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  gsize n = 0;

  while (n < G_N_ELEMENTS (c->given) && c->given[n].name != NULL)
    n++;
  check_value (c->text, c->given, n, c->dtype, c->shape, c->elements);
}

/* ---- Kernels that tell what is done ---- */

static CandelaNode *
count_up (gint64 n)
{
  g_autoptr (CandelaTensor) x = candela_tensor_new (CANDELA_DTYPE_FLOAT64, &n, 1, NULL);

  for (gint64 i = 0; i < n; i++)
    ((double *) candela_tensor_get_writable_data (x))[i] = i;
  return candela_node_new_tensor (x);
}

/* What follows runs piece by piece, once on each element, or after the kernel. */
static void
test_telling (void)
{
  static const struct
  {
    const char *text;
    double factor, offset;
    gboolean follows;
  } cases[] = {
    { "(odd_telling(x) + 1) * 2", 2, 2, TRUE },
    { "t = odd_telling(x); t * t - t * (t - 3)", 3, 0, TRUE },
    { "y = x * 2; odd_telling(x) + y", 3, 0, TRUE },
    { "odd_telling(x)[::-1][::-1] + x", 2, 0, FALSE },
    { "t = odd_telling(x); (t + 1) + odd_telling(t)", 2, 1, FALSE },
  };
  static const gint64 lengths[] = { 1, 999, 1000, 1001, 300001 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint k = 0; k < G_N_ELEMENTS (lengths); k++)
      {
        g_autoptr (GHashTable) names = names_new ();
        g_autoptr (CandelaNode) node = NULL;
        g_autoptr (CandelaTensor) wanted = candela_tensor_new (CANDELA_DTYPE_FLOAT64, &lengths[k], 1, NULL);
        g_autoptr (CandelaPlan) plan = NULL;
        gboolean follows = FALSE;

        for (gint64 e = 0; e < lengths[k]; e++)
          ((double *) candela_tensor_get_writable_data (wanted))[e] = e * cases[i].factor + cases[i].offset;
        put_name (names, "x", count_up (lengths[k]));
        node = build (cases[i].text, names);
        plan = plan_node (node, CANDELA_PLAN_DEFAULT);
        for (guint32 s = 0; s < plan->n_steps; s++)
          follows = follows || plan->steps[s].follows;
        g_assert_cmpint (follows, ==, cases[i].follows);
        check_roots (&node, &wanted, 1, cases[i].text);
      }
}

static void
test_half_telling (void)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaTensor) tensor = NULL;
  g_autoptr (GError) error = NULL;

  put_name (names, "x", count_up (1500));
  node = build ("odd_half_telling(x) + 1", names);
  tensor = candela_node_materialize (node, &error);
  g_assert_null (tensor);
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);
  g_assert_cmpstr (error->message, ==,
                   "odd_half_telling: the kernel told of 500 of its 1500 elements that they are done");
}

/* ---- Threads and state ---- */

static CandelaNode *
many_zeros (void)
{
  const gint64 shape = MANY;
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (CANDELA_DTYPE_FLOAT64, &shape, 1, NULL);

  memset (candela_tensor_get_writable_data (tensor), 0, MANY * sizeof (double));
  return candela_node_new_tensor (tensor);
}

/* Each element has one of the next MANY numbers, in their order; and so has the
 * second, after all of the first. */
static void
test_ordered (void)
{
  g_autoptr (GHashTable) names = names_new ();
  double next = 0;

  put_name (names, "x", many_zeros ());
  candela_set_num_threads (3);
  for (guint flags = 0; flags < N_FLAGS; flags++)
    {
      g_autoptr (CandelaNode) node = build ("a = odd_ticket(x * 2) + 0; odd_ticket(a) - a", names);
      g_autoptr (CandelaPlan) plan = plan_node (node, flags);
      CandelaTensor **got = run_plan (plan, NULL);
      const double *elements = candela_tensor_get_data (got[0]);

      for (gint64 i = 0; i < MANY; i++)
        g_assert_cmpfloat (elements[i], ==, next + MANY + i);
      next += 2 * MANY;
      free_tensors (got, 1);
    }
  candela_set_num_threads (0);
}

static void
test_threads (gconstpointer text)
{
  g_autoptr (GHashTable) names = names_new ();

  put_name (names, "x", many_zeros ());
  candela_set_num_threads (4);
  for (guint flags = 0; flags < N_FLAGS; flags++)
    {
      g_autoptr (CandelaNode) node = build (text, names);
      g_autoptr (CandelaPlan) plan = plan_node (node, flags);
      CandelaTensor **got = run_plan (plan, NULL);
      const double *elements = candela_tensor_get_data (got[0]);

      for (gint64 i = 0; i < MANY; i++)
        g_assert_cmpfloat (elements[i], ==, 0);
      free_tensors (got, 1);
    }
  candela_set_num_threads (0);
}

/* ---- Wrong answers ---- */

typedef struct
{
  const char *op;
  CandelaError code;
  const char *message;
} Wrong;

static const Wrong wrong[] = {
  { "odd_narrow", CANDELA_ERROR_PLUGIN,
    "odd_narrow: its infer function gives output 0 a dtype, a shape or a buffer that its kernel does not" },
  { "odd_half_alias", CANDELA_ERROR_PLUGIN,
    "odd_half_alias: its infer function gives output 0 a dtype, a shape or a buffer that its kernel does not" },
  { "odd_no_kernel", CANDELA_ERROR_PLUGIN, "odd_no_kernel: it has no kernel" },
  { "odd_true_with_error", CANDELA_ERROR_AXIS, "odd_true_with_error: there is a reason" },
  { "odd_false_without", CANDELA_ERROR_PARAMETER, "odd_false_without: the op refused its inputs and gave no reason" },
  { "odd_no_answer", CANDELA_ERROR_PLUGIN, "odd_no_answer: its infer function left output 0 out" },
  { "odd_outside", CANDELA_ERROR_PLUGIN, "odd_outside: output 0 refers to elements outside its input" },
  { "odd_negative", CANDELA_ERROR_SHAPE, "odd_negative: shape [-1] has a negative length" },
  { "odd_no_dtype", CANDELA_ERROR_PLUGIN, "odd_no_dtype: its infer function left output 0 out" },
};

static void
test_wrong (gconstpointer data)
{
  const Wrong *w = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x = make_value ("float64", "3", "1 2 3");
  g_autoptr (CandelaNode) node = make_op (w->op, NULL, x, NULL, &error);

  g_assert_null (node);
  g_assert_error (error, CANDELA_ERROR, (int) w->code);
  g_assert_cmpstr (error->message, ==, w->message);
}

/* The planner asks again where a layout is another one, and must get the same. */
static void
test_fickle (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaPlan) plan = NULL;

  put_name (names, "x", make_value ("float64", "3 2", "1 2 3 4 5 6"));
  node = build ("t = x.T; contiguous(t) + odd_fickle(t)", names);
  plan = candela_node_plan (node, CANDELA_PLAN_DEFAULT, &error);
  g_assert_null (plan);
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);
  g_assert_true (g_str_has_prefix (error->message, "odd_fickle: its infer function gives another shape"));
}

static void
test_fails (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) node = NULL;

  put_name (names, "x", make_value ("float64", "3", "1 2 3"));
  node = build ("odd_fails(x + 1) * 2", names);
  g_assert_null (candela_node_materialize (node, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);
  g_assert_cmpstr (error->message, ==, "odd_fails: the kernel failed and gave no reason");
}

/* ---- Caches over what is unusual ---- */

static void
check_cached (const char *inner, const char *text, const char *dtype, const char *shape, const char *elements)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) kept = NULL;
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaTensor) wanted = make_tensor (dtype, shape, elements);

  put_name (names, "x", make_value ("float64", "6", "1 2 3 4 5 6"));
  kept = build (inner, names);
  put_name (names, "kept", candela_node_new_cache (kept));
  node = build (text, names);
  check_roots (&node, &wanted, 1, text);
}

static void
test_caches (void)
{
  check_cached ("2.5", "kept * x", "float64", "6", "2.5 5 7.5 10 12.5 15");
  check_cached ("2.5", "kept", "float64", "", "2.5");
  check_cached ("broadcast_to(2.5, [2])", "kept + kept", "float64", "2", "5 5");
  check_cached ("(x + 1)[2:]", "odd_pack_from_start(kept) + 1", "float64", "4", "5 6 7 8");
  check_cached ("x[::-2]", "kept + odd_pack(kept)", "float64", "3", "12 8 4");
  check_cached ("h, t = odd_split(x + 1); h", "kept * 2", "float64", "3", "4 6 8");
}

/* A cache, and an output of an op with several, are as weak as what they are of. */
static void
test_weak (void)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) two = candela_node_new_float (2.5);
  g_autoptr (CandelaNode) product = NULL, quotient = NULL;

  put_name (names, "x", make_value ("float32", "2", "1 2"));
  put_name (names, "kept", candela_node_new_cache (two));
  product = build ("x * kept", names);
  g_assert_cmpint (candela_node_get_dtype (product), ==, CANDELA_DTYPE_FLOAT32);
  quotient = build ("q, r = divmod(7.0, 2.0); x * r", names);
  g_assert_cmpint (candela_node_get_dtype (quotient), ==, CANDELA_DTYPE_FLOAT32);
}

/* Plans over other inner plans are other plans. */
static void
test_baked_equal (void)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) x = make_value ("float64", "2", "1 2");
  CandelaPlan *plans[3];

  add_slot (names, "a", "float64", "2");
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) inner = build (i < 2 ? "a + 1" : "a + 2", names);
      g_autoptr (CandelaPlan) inner_plan = plan_node (inner, 0);
      g_autoptr (CandelaNode) baked = candela_node_new_baked (inner_plan, &x, 1, &error);

      g_assert_no_error (error);
      plans[i] = plan_node (baked, 0);
    }
  g_assert_true (candela_plan_equal (plans[0], plans[1]));
  g_assert_false (candela_plan_equal (plans[0], plans[2]));
  for (guint i = 0; i < 3; i++)
    candela_plan_unref (plans[i]);
}

/* Ops that are expressions: parameters of every type, given and by default, and
 * expressions that are none. */
static void
test_expressions (void)
{
  g_autoptr (GHashTable) names = names_new ();
  static const struct
  {
    const char *text, *equal;
  } right[] = {
    { "odd_expressed(a)", "var(a - 3, axis=[0, 1], correction=-0.5, keepdims=true) * 2.5" },
    { "odd_expressed(a, axis=1, keepdims=false, correction=1, shift=4, factor=7, direction=\"down\", unused=1)",
      "var(a + 4, axis=1, correction=1) * 7" },
  };
  static const struct
  {
    const char *text, *message;
    CandelaError code;
  } bad[] = {
    { "odd_endless(a)", "line 1, column 1: odd_endless: its expression is made of itself\n*", CANDELA_ERROR_PLUGIN },
    { "odd_misspelt(a)", "*odd_misspelt: line 1, column 4: *", CANDELA_ERROR_SYNTAX },
    { "odd_unheard_of(a)", "*odd_unheard_of: line 1, column 5: *odd_nowhere*", CANDELA_ERROR_UNKNOWN_OP },
    { "odd_expressed(a, axis=7)", "line 1, column 1: odd_expressed: var: axis 7 is out of range*", CANDELA_ERROR_AXIS },
  };

  add_slot (names, "a", "float32", "2 3");
  for (guint i = 0; i < G_N_ELEMENTS (right); i++)
    {
      g_autoptr (CandelaNode) got = build (right[i].text, names);
      g_autoptr (CandelaNode) wanted = build (right[i].equal, names);
      g_autofree char *got_text = candela_node_to_string (got), *wanted_text = candela_node_to_string (wanted);

      g_assert_cmpstr (got_text, ==, wanted_text);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) node = candela_expression_build_with_names (bad[i].text, names, &error);

      g_assert_null (node);
      g_assert_error (error, CANDELA_ERROR, (int) bad[i].code);
      if (!g_pattern_match_simple (bad[i].message, error->message))
        g_test_message ("%s", error->message);
      g_assert_true (g_pattern_match_simple (bad[i].message, error->message));
    }
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *module = NULL;

  g_test_init (&argc, &argv, NULL);
  module = g_test_build_filename (G_TEST_BUILT, "exec", ".libs", "odd-ops.so", NULL);
  candela_registry_load_file (candela_registry_get_default (), module, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/odd-ops/", cases[i].path, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *path = g_strconcat ("/odd-ops/wrong/", wrong[i].op, NULL);

      g_test_add_data_func (path, &wrong[i], test_wrong);
    }
  g_test_add_func ("/odd-ops/wrong/fickle", test_fickle);
  g_test_add_func ("/odd-ops/wrong/fails", test_fails);
  g_test_add_func ("/odd-ops/ordered", test_ordered);
  g_test_add_data_func ("/odd-ops/threads/alone", "odd_alone(x * 2) + 0", test_threads);
  g_test_add_data_func ("/odd-ops/threads/caller", "odd_caller(x * 2) + 0", test_threads);
  g_test_add_func ("/odd-ops/telling", test_telling);
  g_test_add_func ("/odd-ops/half-telling", test_half_telling);
  g_test_add_func ("/odd-ops/caches", test_caches);
  g_test_add_func ("/odd-ops/weak", test_weak);
  g_test_add_func ("/odd-ops/baked-equal", test_baked_equal);
  g_test_add_func ("/odd-ops/expressions", test_expressions);
  return g_test_run ();
}
