/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writing a result over an input: where it is done, and every reason for which it
 * is not, each with the words in which the plan says so. The ops of the module
 * overwriting give a wrong result where more is allowed them than they declare. */
#include "outline.h"

#define UNFUSED CANDELA_PLAN_NO_FUSION

typedef struct
{
  const char *path;
  const char *text;
  CandelaPlanFlags flags;
  const char *outline;
  const char *op; /* of which the reason is asked */
  guint output;
  CandelaReason reason;
  const char *words;
} Case;

static const Case cases[] = {
  { "done/chain", "t = a + 1; u = exp(t); u * 2 + b", UNFUSED,
    "add(a,1.0):allocate@0; exp(add):in-place@0; multiply(exp,2.0):in-place@0; add(multiply,b):in-place@0", "exp", 0,
    CANDELA_REASON_IN_PLACE, "in place: input 0 is not read after this step" },
  { "done/second-input", "b = b * 1; a - b", UNFUSED, "multiply(b,1.0):allocate@0; subtract(a,multiply):in-place@0",
    "subtract", 0, CANDELA_REASON_IN_PLACE, "in place: input 1 is not read after this step" },
  { "done/last-of-several-readers", "t = a + 1; u = relu(t); v = t * 2; u + v", UNFUSED,
    "add(a,1.0):allocate@0; relu(add):allocate@1; multiply(add,2.0):in-place@0; add(relu,multiply):in-place@1-0",
    "multiply", 0, CANDELA_REASON_IN_PLACE, "in place: input 0 is not read after this step" },
  { "done/same-input-twice", "t = a + 1; t * t", UNFUSED, "add(a,1.0):allocate@0; multiply(add):in-place@0", "multiply",
    0, CANDELA_REASON_IN_PLACE, "in place: input 0 is not read after this step" },
  { "done/another-dtype-of-the-size", "astype(a + 0, \"int64\")", UNFUSED,
    "add(a,0.0):allocate@0; astype(add):in-place@0", "astype", 0, CANDELA_REASON_IN_PLACE,
    "in place: input 0 is not read after this step" },
  { "done/bool-over-int8", "(i + 1) > 2", UNFUSED, "add(i,1):allocate@0; greater(add,2):in-place@0", "greater", 0,
    CANDELA_REASON_IN_PLACE, "in place: input 0 is not read after this step" },
  { "done/axes-of-one-more", "(u + 1) + w", UNFUSED, "add(u,1.0):allocate@0; add(add,w):in-place@0", NULL, 0, 0, NULL },
  { "done/over-a-reference", "reshape(a + 1, [6]) * 2", UNFUSED,
    "add(a,1.0):allocate@0; reshape(add):reference-slot@0; multiply(reshape,2.0):in-place@0", "multiply", 0,
    CANDELA_REASON_IN_PLACE, "in place: input 0 is not read after this step" },
  { "done/two-outputs", "divmod(a + 0, b + 0)", UNFUSED,
    "add(a,0.0):allocate@0; add(b,0.0):allocate@1; divmod(add,add):in-place@0,in-place@1", "divmod", 1,
    CANDELA_REASON_IN_PLACE, "in place: input 1 is not read after this step" },
  { "done/all-read-first", "test_reversed(u + 1)", UNFUSED, "add(u,1.0):allocate@0; test_reversed(add):in-place@0",
    "test_reversed", 0, CANDELA_REASON_IN_PLACE, "in place: input 0 is not read after this step" },
  { "done/within-rows", "test_rows(a + 1)", UNFUSED, "add(a,1.0):allocate@0; test_rows(add):in-place@0", "test_rows", 0,
    CANDELA_REASON_IN_PLACE, "in place: input 0 is not read after this step" },
  { "done/second-output-only", "test_pair(a + 1, b + 1)", UNFUSED,
    "add(a,1.0):allocate@0; add(b,1.0):allocate@1; test_pair(add,add):allocate@2,in-place@1-0", "test_pair", 1,
    CANDELA_REASON_IN_PLACE, "in place: input 1 is not read after this step" },
  { "done/by-the-last-part", "x = s @ s; test_over_y(x + 1, x)", CANDELA_PLAN_DEFAULT,
    "matmul(s,s):allocate@0; add+test_over_y(matmul,1.0):in-place@0", NULL, 0, 0, NULL },

  { "not/no-input", "arange(4)", UNFUSED, "arange():allocate@0", "arange", 0, CANDELA_REASON_NO_INPUT,
    "not in place: there is no input" },
  { "not/declared-by-a-reduction", "sum(a + 1)", UNFUSED, "add(a,1.0):allocate@0; sum(add):allocate@1-0", "sum", 0,
    CANDELA_REASON_NOT_DECLARED, "not in place: the op does not declare it" },
  { "not/declared-by-a-product", "(s + 1) @ (s + 2)", UNFUSED,
    "add(s,1.0):allocate@0; add(s,2.0):allocate@1; matmul(add,add):allocate@2-0,1", "matmul", 0,
    CANDELA_REASON_NOT_DECLARED, "not in place: the op does not declare it" },
  { "not/declared-by-a-loop", "test_careless(a + 1, b + 1)", UNFUSED,
    "add(a,1.0):allocate@0; add(b,1.0):allocate@1; test_careless(add,add):allocate@2-0,1", "test_careless", 0,
    CANDELA_REASON_NOT_DECLARED, "not in place: the op does not declare it" },
  { "not/declared-for-this-input", "test_over_y(a + 1, b)", UNFUSED,
    "add(a,1.0):allocate@0; test_over_y(add,b):allocate@1-0", "test_over_y", 0, CANDELA_REASON_ETERNAL,
    "not in place: input 1 comes from outside" },
  { "not/declared-for-the-other-read", "x = s @ s; test_over_y(x, x + 1)", CANDELA_PLAN_DEFAULT,
    "matmul(s,s):allocate@0; add+test_over_y(matmul,1.0):allocate@1-0", NULL, 0, 0, NULL },
  { "not/eternal", "a + b", UNFUSED, "add(a,b):allocate@0", "add", 0, CANDELA_REASON_ETERNAL,
    "not in place: input 0 comes from outside" },
  { "not/read-later", "t = a + 1; u = relu(t); v = t * 2; u + v", UNFUSED,
    "add(a,1.0):allocate@0; relu(add):allocate@1; multiply(add,2.0):in-place@0; add(relu,multiply):in-place@1-0",
    "relu", 0, CANDELA_REASON_READ_LATER, "not in place: input 0 is read again, by step 2" },
  { "not/view-read-later", "t = u + 1; v = t[::-1]; e = exp(t); e - v", UNFUSED,
    "add(u,1.0):allocate@0; exp(add):allocate@1; index(add):reference-slot@0; subtract(exp,index):in-place@1-0", "exp",
    0, CANDELA_REASON_READ_LATER, "not in place: input 0 is read again, by step 3" },
  { "not/root", "t = a + 1; exp(t), t", UNFUSED, "add(a,1.0):allocate@0; exp(add):allocate@1", "exp", 0,
    CANDELA_REASON_IS_ROOT, "not in place: input 0 is a result" },
  { "not/view-is-root", "t = a + 1; exp(t), t.T", UNFUSED,
    "add(a,1.0):allocate@0; exp(add):allocate@1; transpose(add):reference-slot@0", "exp", 0, CANDELA_REASON_IS_ROOT,
    "not in place: input 0 is a result" },
  { "not/bytes-of-a-wider-dtype", "astype(f + 0, \"float64\")", UNFUSED,
    "add(f,0.0):allocate@0; astype(add):allocate@1-0", "astype", 0, CANDELA_REASON_BYTES,
    "not in place: the buffer of input 0 has another size" },
  { "not/bytes-of-a-broadcast", "exp(k) + a", UNFUSED, "exp(k):allocate@0; add(exp,a):allocate@1-0", "add", 0,
    CANDELA_REASON_BYTES, "not in place: the buffer of input 0 has another size" },
  { "not/bytes-of-a-part", "exp((u + 1)[1:])", UNFUSED,
    "add(u,1.0):allocate@0; index(add):reference-slot@0; exp(index):allocate@1-0", "exp", 0, CANDELA_REASON_BYTES,
    "not in place: the buffer of input 0 has another size" },
  { "not/layout", "relu((s + 0).T)", UNFUSED,
    "add(s,0.0):allocate@0; transpose(add):reference-slot@0; relu(transpose):allocate@1-0", "relu", 0,
    CANDELA_REASON_LAYOUT, "not in place: input 0 has the same indices at other addresses" },
  { "not/layout-reversed", "relu((u + 0)[::-1])", UNFUSED,
    "add(u,0.0):allocate@0; index(add):reference-slot@0; relu(index):allocate@1-0", "relu", 0, CANDELA_REASON_LAYOUT,
    "not in place: input 0 has the same indices at other addresses" },
  { "not/two-layouts", "t = u + 0; t + t[::-1]", UNFUSED,
    "add(u,0.0):allocate@0; index(add):reference-slot@0; add(add,index):allocate@1-0", NULL, 0, 0, NULL },
  { "not/two-layouts-of-a-region", "t = exp(u); t * 2.0 + t[::-1]", CANDELA_PLAN_DEFAULT,
    "exp(u):allocate@0; index(exp):reference-slot@0; multiply+add(exp,2.0,index):allocate@1-0", "multiply+add", 0,
    CANDELA_REASON_TWO_LAYOUTS, "not in place: the buffer of input 0 is read through two layouts" },
  { "not/two-reads-of-which-one-is-declared", "t = a + 1; test_pair(t, t)", UNFUSED,
    "add(a,1.0):allocate@0; test_pair(add,add):allocate@1,allocate@2-0", "test_pair", 1, CANDELA_REASON_TWO_LAYOUTS,
    "not in place: the buffer of input 1 is read through two layouts" },
  { "not/taken", "t = a + 1; divmod(t, t)", UNFUSED, "add(a,1.0):allocate@0; divmod(add):in-place@0,allocate@1",
    "divmod", 1, CANDELA_REASON_TAKEN, "not in place: input 0 is overwritten by another output" },
  { "not/taken-of-an-eternal", "divmod(a + 1, b)", UNFUSED,
    "add(a,1.0):allocate@0; divmod(add,b):in-place@0,allocate@1", "divmod", 1, CANDELA_REASON_TAKEN,
    "not in place: input 0 is overwritten by another output" },
  { "not/taken-by-a-later-op-of-the-step", "x = s @ s; x + 1, x * 2", CANDELA_PLAN_DEFAULT,
    "matmul(s,s):allocate@0; add+multiply(matmul,1.0,2.0):in-place@0,allocate@1", "add+multiply", 1,
    CANDELA_REASON_TAKEN, "not in place: input 0 is overwritten by another output" },
  { "not/read-by-a-later-op-of-the-step", "x = s @ s; x + 1, astype(x, \"float32\")", CANDELA_PLAN_DEFAULT,
    "matmul(s,s):allocate@0; add+astype(matmul,1.0):allocate@1,allocate@2-0", "add+astype", 1,
    CANDELA_REASON_READ_WITHIN, "not in place: input 0 is read by a later op of the step" },
  { "not/flag", "exp(a + 1)", UNFUSED | CANDELA_PLAN_NO_IN_PLACE, "add(a,1.0):allocate@0; exp(add):allocate@1-0", "exp",
    0, CANDELA_REASON_FLAG, "not in place: switched off by a flag" },
};

static void
test_case (gconstpointer data)
{
  const Case *of = data;
  g_autoptr (CandelaPlan) plan = plan_text (of->text, of->flags);

  assert_outline (plan, of->outline);
  if (of->op != NULL)
    assert_reason (plan, of->op, of->output, of->reason, of->words);
}

static void
test_cached (void)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) inner = NULL;
  g_autoptr (CandelaNode) root = NULL;
  g_autoptr (CandelaPlan) plan = NULL;

  put_name (names, "x", make_value ("float64", "2", "1 2"));
  inner = build ("x + 1", names);
  put_name (names, "kept", candela_node_new_cache (inner));
  root = build ("exp(kept)", names);
  plan = plan_node (root, CANDELA_PLAN_NO_FUSION);
  assert_outline (plan, "add(edge,1.0):allocate@0; exp(add):allocate@1");
  assert_reason (plan, "exp", 0, CANDELA_REASON_IS_CACHED, "not in place: input 0 is kept by a cache");
}

/* A plan within the plan has memory of its own. */
static void
test_baked (void)
{
  g_autoptr (GHashTable) names = slot_names ();
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaPlan) inner = plan_text ("exp(a) * 2", CANDELA_PLAN_DEFAULT);
  g_autoptr (CandelaNode) input = build ("b + 1", names);
  g_autoptr (CandelaNode) baked = candela_node_new_baked (inner, &input, 1, &error);
  g_autoptr (CandelaPlan) plan = NULL;

  g_assert_no_error (error);
  plan = plan_node (baked, CANDELA_PLAN_NO_FUSION);
  assert_outline (plan, "add(b,1.0):allocate@0; baked(add):allocate@1-0");
  assert_reason (plan, "baked", 0, CANDELA_REASON_BAKED, "not in place: the inner plan brings its own buffer");
  /* Its input, its result, and what the inner plan holds meanwhile. */
  g_assert_cmpuint (candela_plan_get_peak_bytes (plan), ==, 48 + 48 + 48);
}

/* The values by hand. */
static void
test_values (void)
{
  const Given given[] = { { "a", "float64", "2 3", "1 2 3 4 5 6" }, { "b", "float64", "2 3", "10 20 30 40 50 60" } };

  check_value ("test_reversed(a + 1)", given, 2, "float64", "2 3", "7 6 5 4 3 2");
  check_value ("test_reversed((a + 1).T)", given, 2, "float64", "3 2", "7 4 6 3 5 2");
  check_value ("test_rows(a + 1)", given, 2, "float64", "2 3", "-7 -6 -5 -13 -12 -11");
  check_value ("test_rows((a + 1).T)", given, 2, "float64", "3 2", "-5 -2 -6 -3 -7 -4");
  check_value ("f, s = test_pair(a + 1, b + 1); s + f", given, 2, "float64", "2 3", "31 42 53 64 75 86");
  check_value ("t = a + 1; f, s = test_pair(t, t); s", given, 2, "float64", "2 3", "-5 -3 -1 1 3 5");
  check_value ("test_careless(a + 1, b + 1)", given, 2, "float64", "2 3", "-20 -39 -58 -77 -96 -115");
  check_value ("test_careless(test_careless(a, b), b)", given, 2, "float64", "2 3", "-39 -78 -117 -156 -195 -234");
  check_value ("t = a + 1; test_over_y(t, t)", given, 2, "float64", "2 3", "-2 -3 -4 -5 -6 -7");
  check_value ("test_over_y(a + 1, b + 1)", given, 2, "float64", "2 3", "-20 -39 -58 -77 -96 -115");
  check_value ("t = contiguous(a.T); test_over_y(t, t + 1)", given, 2, "float64", "3 2", "-3 -6 -4 -7 -5 -8");
  check_value ("t = contiguous(a.T); test_over_y(t + 1, t)", given, 2, "float64", "3 2", "0 -3 -1 -4 -2 -5");
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *module = NULL;

  g_test_init (&argc, &argv, NULL);
  module = g_test_build_filename (G_TEST_BUILT, "plan", ".libs", "overwriting.so", NULL);
  candela_registry_load_file (candela_registry_get_default (), module, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/in-place/", cases[i].path, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/in-place/not/cached", test_cached);
  g_test_add_func ("/in-place/not/baked", test_baked);
  g_test_add_func ("/in-place/values", test_values);
  return g_test_run ();
}
