/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plans in print. The JSON is held against itself: whatever the plan, what is
 * allocated, read, kept and freed has to add up. The texts of small plans are
 * written in, and pictures have to be XML. */
#include <candela/candela.h>
#include <json-glib/json-glib.h>
#include <string.h>

static CandelaNode *
slot (const char *name, CandelaDType dtype, gint64 rows, gint64 columns)
{
  gint64 shape[] = { rows, columns };
  g_autoptr (GError) error = NULL;
  CandelaNode *node = candela_node_new_slot (name, dtype, shape, 2, &error);

  g_assert_no_error (error);
  return node;
}

static GHashTable *
new_names (void)
{
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) candela_node_unref);
  g_hash_table_insert (names, g_strdup ("a"), slot ("a", CANDELA_DTYPE_FLOAT64, 4, 4));
  g_hash_table_insert (names, g_strdup ("b"), slot ("b", CANDELA_DTYPE_FLOAT64, 4, 4));
  g_hash_table_insert (names, g_strdup ("i"), slot ("i", CANDELA_DTYPE_INT32, 4, 4));
  return names;
}

/* All values of the last statement are roots. */
static CandelaPlan *
plan_for (const char *text, CandelaPlanFlags flags)
{
  g_autoptr (GHashTable) names = new_names ();
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaExpression) expression = candela_expression_parse (text, -1, names, &error);
  g_autoptr (GPtrArray) roots = g_ptr_array_new ();

  g_assert_no_error (error);
  for (guint k = 0; k < candela_expression_get_n_values (expression); k++)
    g_ptr_array_add (roots, candela_expression_get_nth_value (expression, k));
  CandelaPlan *plan = candela_plan_new ((CandelaNode **) roots->pdata, roots->len, flags, &error);
  g_assert_no_error (error);
  return plan;
}

static const char *const expressions[] = {
  "a",
  "a.T",
  "(a + b) * 2.0",
  "relu (a + 1.0).T @ b",
  "t = a + 1.0; u = relu (t); v = t * 2.0; u + v",
  "t = a + 1.0; t * 2.0 + t[::-1]",
  "m, s = moments (a * b, axis=0); (a - m) / (s + 1e-5)",
  "q, r = divmod (a + 0.0, b + 1.0); q * 10.0 + r",
  "t = a @ b; u = t @ b; v = u @ t; w = v @ u; sum (w, axis=1) + w[0]",
  "contiguous (a.T) + contiguous (a.T) * 3.0",
  "i + 1; ",
  "m, s = moments (exp (a) @ b); m",
};

/* A deep plan of many shapes and of values that live for long. */
static char *
long_expression (guint n)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  g_autoptr (GString) text = g_string_new ("t0 = a + b");

  for (guint k = 1; k < n; k++)
    {
      guint x = k - 1 - g_rand_int_range (rand, 0, MIN (k, 6));
      const char *format = g_rand_boolean (rand) ? "; t%u = t%u @ t%u" : "; t%u = sum (t%u, axis=0) + t%u";

      g_string_append_printf (text, format, k, x, k - 1);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
test_text (void)
{
  g_autoptr (CandelaPlan) apart = plan_for ("(a + b) * 2.0", CANDELA_PLAN_NO_FUSION);
  g_autoptr (CandelaPlan) fused = plan_for ("(a + b) * 2.0", CANDELA_PLAN_DEFAULT);
  g_autofree char *apart_text = candela_plan_to_string (apart);
  g_autofree char *fused_text = candela_plan_to_string (fused);

  g_assert_cmpstr (apart_text, ==,
                   "2 steps, 1 allocation, peak 128 B (lower bound 128 B), all values 256 B\n"
                   "slot    %0 = a                   float64 [4, 4]\n"
                   "slot    %1 = b                   float64 [4, 4]\n"
                   "scalar  %3 = 2.0                 float64 []\n"
                   "step 0  %2 = add (a, b)          float64 [4, 4]  → slot 0 (allocate, 128 B)          "
                   "not in place: input 0 comes from outside\n"
                   "step 1  %4 = multiply (%2, 2.0)  float64 [4, 4]  → slot 0 (in place over %2, 128 B)  "
                   "in place: input 0 is not read after this step\n"
                   "result  %4                       float64 [4, 4]\n");
  g_assert_nonnull (strstr (fused_text, "%4 = multiply (add (a, b), 2.0)"));
  g_assert_nonnull (strstr (fused_text, "1 step, 1 allocation, peak 128 B"));
}

/* The reason of the first output of a step. */
static void
test_reasons (void)
{
  static const struct
  {
    const char *text;
    CandelaPlanFlags flags;
    guint step;
    const char *kind, *reason;
  } cases[] = {
    { "a + b", 0, 0, "allocate", "not in place: input 0 comes from outside" },
    { "(a + b) * 2.0", CANDELA_PLAN_NO_FUSION, 1, "in-place", "in place: input 0 is not read after this step" },
    { "(a + b) * 2.0", CANDELA_PLAN_NO_FUSION | CANDELA_PLAN_NO_IN_PLACE, 1, "allocate",
      "not in place: switched off by a flag" },
    { "(a + b) @ b", 0, 1, "allocate", "not in place: the op does not declare it" },
    { "t = a + b; u = t * 2.0; t, u", CANDELA_PLAN_NO_FUSION, 1, "allocate", "not in place: input 0 is a result" },
    { "t = a + b; relu (t) @ t", CANDELA_PLAN_NO_FUSION, 1, "allocate",
      "not in place: input 0 is read again, by step 2" },
    { "ones = full ([4, 4], 1.0)", 0, 0, "allocate", "not in place: there is no input" },
    { "a.T", 0, 0, "reference-eternal", "another layout over the buffer of input 0" },
    { "(a @ b).T", 0, 1, "reference-slot", "another layout over the buffer of input 0" },
    { "t = a @ b; t + t[::-1]", 0, 2, "allocate", "not in place: the buffer of input 0 is read through two layouts" },
    { "(a @ b).T + b", 0, 2, "allocate", "not in place: input 0 has the same indices at other addresses" },
    { "(i + 1) * 0.5", CANDELA_PLAN_NO_FUSION, 1, "allocate", "not in place: the buffer of input 0 has another size" },
  };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (CandelaPlan) plan = plan_for (cases[k].text, cases[k].flags);
      g_autofree char *json = candela_plan_to_json (plan);
      g_autoptr (JsonParser) parser = json_parser_new ();

      g_test_message ("%s", cases[k].text);
      g_assert_true (json_parser_load_from_data (parser, json, -1, NULL));
      JsonArray *steps = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "steps");
      JsonObject *step = json_array_get_object_element (steps, cases[k].step);
      JsonObject *output = json_object_get_object_member (step, "output");
      g_assert_cmpstr (json_object_get_string_member (output, "kind"), ==, cases[k].kind);
      g_assert_cmpstr (json_object_get_string_member (step, "reason"), ==, cases[k].reason);
    }
}

static gint64
member_or (JsonObject *object, const char *name, gint64 otherwise)
{
  g_assert_true (json_object_has_member (object, name));
  return json_object_get_null_member (object, name) ? otherwise : json_object_get_int_member (object, name);
}

/* Every input is a leaf or what an earlier step computed; returns what the step
 * computes to known. */
static void
check_values (JsonObject *step, GHashTable *known)
{
  JsonArray *inputs = json_object_get_array_member (step, "inputs");

  for (guint k = 0; k < json_array_get_length (inputs); k++)
    {
      gint64 id = json_array_get_int_element (inputs, k);
      g_assert_true (g_hash_table_contains (known, GINT_TO_POINTER (id)));
    }
  g_hash_table_add (known, GINT_TO_POINTER (json_object_get_int_member (step, "node")));
  if (!json_object_has_member (step, "outputs"))
    return;
  JsonArray *outputs = json_object_get_array_member (step, "outputs");
  for (guint k = 0; k < json_array_get_length (outputs); k++)
    {
      JsonObject *output = json_array_get_object_element (outputs, k);
      g_hash_table_add (known, GINT_TO_POINTER (json_object_get_int_member (output, "node")));
    }
}

/* An output, and whether it allocates. */
static gboolean
check_output (JsonObject *output, gint64 index, JsonObject *step, JsonArray *slots)
{
  const char *kind = json_object_get_string_member (output, "kind");
  gint64 slot_id = member_or (output, "slot", -1);
  gint64 input = member_or (output, "input", -1);
  gint64 bytes = json_object_get_int_member (output, "bytes");
  gboolean refers = g_str_has_prefix (kind, "reference");

  g_assert_cmpint (slot_id == -1, ==, strcmp (kind, "reference-eternal") == 0);
  g_assert_cmpint (input != -1, ==, refers || strcmp (kind, "in-place") == 0);
  g_assert_cmpint (input, <, json_array_get_length (json_object_get_array_member (step, "inputs")));
  if (refers)
    g_assert_cmpint (bytes, ==, 0);
  if (slot_id == -1)
    return FALSE;

  JsonObject *in = json_array_get_object_element (slots, slot_id);
  g_assert_cmpint (bytes, <=, json_object_get_int_member (in, "bytes"));
  g_assert_cmpint (json_object_get_int_member (in, "start"), <=, index);
  g_assert_cmpint (member_or (in, "end", G_MAXINT64), >=, index);
  if (strcmp (kind, "allocate") != 0)
    return FALSE;
  g_assert_cmpint (json_object_get_int_member (in, "start"), ==, index);
  g_assert_cmpint (bytes, ==, json_object_get_int_member (in, "bytes"));
  return TRUE;
}

static guint
check_outputs (JsonObject *step, JsonArray *slots)
{
  gint64 index = json_object_get_int_member (step, "index");
  guint allocations = 0;

  if (!json_object_has_member (step, "outputs"))
    return check_output (json_object_get_object_member (step, "output"), index, step, slots);
  JsonArray *outputs = json_object_get_array_member (step, "outputs");
  for (guint k = 0; k < json_array_get_length (outputs); k++)
    allocations += check_output (json_array_get_object_element (outputs, k), index, step, slots);
  return allocations;
}

/* The most that the slots hold at once; that each is freed where it ends. */
static gint64
check_slots (JsonArray *slots, JsonArray *steps)
{
  guint n_steps = json_array_get_length (steps);
  g_autofree gint64 *change = g_new0 (gint64, n_steps + 2);
  gint64 held = 0, peak = 0;
  guint n_freed = 0;

  for (guint k = 0; k < json_array_get_length (slots); k++)
    {
      JsonObject *of = json_array_get_object_element (slots, k);
      gint64 bytes = json_object_get_int_member (of, "bytes");

      g_assert_cmpint (json_object_get_int_member (of, "id"), ==, k);
      change[json_object_get_int_member (of, "start")] += bytes;
      change[MIN (member_or (of, "end", n_steps), n_steps) + 1] -= bytes;
    }
  for (guint s = 0; s < n_steps; s++)
    {
      JsonArray *frees = json_object_get_array_member (json_array_get_object_element (steps, s), "free_after");

      held += change[s];
      peak = MAX (peak, held);
      for (guint k = 0; k < json_array_get_length (frees); k++, n_freed++)
        {
          JsonObject *of = json_array_get_object_element (slots, json_array_get_int_element (frees, k));
          g_assert_cmpint (member_or (of, "end", -1), ==, s);
        }
    }
  for (guint k = 0; k < json_array_get_length (slots); k++)
    if (json_object_get_null_member (json_array_get_object_element (slots, k), "end"))
      n_freed++;
  g_assert_cmpuint (n_freed, ==, json_array_get_length (slots));
  return peak;
}

static void
check_json (CandelaPlan *plan)
{
  g_autofree char *json = candela_plan_to_json (plan);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  guint allocations = 0;

  json_parser_load_from_data (parser, json, -1, &error);
  g_assert_no_error (error);
  JsonObject *root = json_node_get_object (json_parser_get_root (parser));
  JsonArray *leaves = json_object_get_array_member (root, "leaves");
  JsonArray *steps = json_object_get_array_member (root, "steps");
  JsonArray *slots = json_object_get_array_member (root, "slots");
  JsonArray *roots = json_object_get_array_member (root, "roots");

  for (guint k = 0; k < json_array_get_length (leaves); k++)
    g_hash_table_add (known,
                      GINT_TO_POINTER (json_object_get_int_member (json_array_get_object_element (leaves, k), "id")));
  for (guint s = 0; s < json_array_get_length (steps); s++)
    {
      JsonObject *step = json_array_get_object_element (steps, s);

      g_assert_cmpint (json_object_get_int_member (step, "index"), ==, s);
      check_values (step, known);
      allocations += check_outputs (step, slots);
    }
  for (guint k = 0; k < json_array_get_length (roots); k++)
    g_assert_true (g_hash_table_contains (known, GINT_TO_POINTER (json_array_get_int_element (roots, k))));

  g_assert_cmpuint (json_array_get_length (steps), ==, candela_plan_get_n_steps (plan));
  g_assert_cmpuint (json_array_get_length (roots), ==, candela_plan_get_n_roots (plan));
  g_assert_cmpint (json_object_get_int_member (root, "root"), ==, json_array_get_int_element (roots, 0));
  g_assert_cmpint (json_object_get_int_member (root, "allocations"), ==, json_array_get_length (slots));
  g_assert_cmpint (json_object_get_int_member (root, "allocations"), ==, allocations);
  g_assert_cmpint (json_object_get_int_member (root, "peak_bytes"), ==, check_slots (slots, steps));
  g_assert_cmpint (json_object_get_int_member (root, "lower_bound_bytes"), <=,
                   json_object_get_int_member (root, "peak_bytes"));
}

static void
test_json_adds_up (void)
{
  g_autofree char *deep = long_expression (400);

  for (guint flags = 0; flags < 8; flags++)
    {
      for (guint k = 0; k < G_N_ELEMENTS (expressions); k++)
        {
          g_autoptr (CandelaPlan) plan = plan_for (expressions[k], flags);
          check_json (plan);
        }
      g_autoptr (CandelaPlan) plan = plan_for (deep, flags);
      check_json (plan);
    }
}

static void
test_json_members (void)
{
  g_autoptr (CandelaPlan) plan = plan_for ("(a + b) * 2.0", CANDELA_PLAN_DEFAULT);
  g_autofree char *json = candela_plan_to_json (plan);
  g_autoptr (JsonNode) expected = json_from_string (
    "{'leaves': [{'id': 0, 'kind': 'slot', 'name': 'a', 'dtype': 'float64', 'shape': [4, 4]},"
    "            {'id': 1, 'kind': 'slot', 'name': 'b', 'dtype': 'float64', 'shape': [4, 4]},"
    "            {'id': 3, 'kind': 'scalar', 'name': null, 'dtype': 'float64', 'shape': [], 'value': '2.0'}],"
    " 'steps': [{'index': 0, 'node': 4, 'kind': 'fused', 'op': 'multiply', 'parts': ['add', 'multiply'],"
    "            'dtype': 'float64', 'shape': [4, 4], 'inputs': [0, 1, 3],"
    "            'output': {'kind': 'allocate', 'input': null, 'slot': 0, 'bytes': 128},"
    "            'free_after': [], 'reason': 'not in place: input 0 comes from outside'}],"
    " 'slots': [{'id': 0, 'bytes': 128, 'start': 0, 'end': null}],"
    " 'root': 4, 'roots': [4], 'allocations': 1, 'peak_bytes': 128, 'lower_bound_bytes': 128,"
    " 'intermediate_bytes': 256}",
    NULL);
  g_autoptr (JsonNode) given = json_from_string (json, NULL);

  g_assert_true (json_node_equal (given, expected));
}

static void
test_cache_and_baked (void)
{
  g_autoptr (CandelaNode) a = slot ("a", CANDELA_DTYPE_FLOAT64, 4, 4);
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) turned = candela_expression_build ("a.T", &error, "a", a, NULL);
  g_assert_no_error (error);
  g_autoptr (CandelaNode) cache = candela_node_new_cache (turned);
  g_autoptr (CandelaNode) sum = candela_expression_build ("sum (c)", &error, "c", cache, NULL);
  g_assert_no_error (error);
  g_autoptr (CandelaPlan) packing = candela_node_plan (sum, CANDELA_PLAN_DEFAULT, &error);
  g_assert_no_error (error);
  g_autofree char *text = candela_plan_to_string (packing);

  g_assert_nonnull (strstr (text, "= pack ("));
  check_json (packing);

  g_autoptr (CandelaPlan) inner = plan_for ("(a @ b) @ b", CANDELA_PLAN_DEFAULT);
  g_autoptr (CandelaNode) b = slot ("b", CANDELA_DTYPE_FLOAT64, 4, 4);
  CandelaNode *inputs[] = { a, b };
  g_autoptr (CandelaNode) baked = candela_node_new_baked (inner, inputs, 2, &error);
  g_assert_no_error (error);
  g_autoptr (CandelaPlan) outer = candela_node_plan (baked, CANDELA_PLAN_DEFAULT, &error);
  g_assert_no_error (error);
  g_autofree char *outer_text = candela_plan_to_string (outer);
  g_autofree char *dot = candela_plan_to_dot (outer);

  g_assert_nonnull (strstr (outer_text, "= baked (a, b)"));
  g_assert_nonnull (strstr (outer_text, "the inner plan brings its own buffer"));
  g_assert_nonnull (strstr (dot, "step\\ 0:\\ baked"));
}

/* NULL if the library was built without Graphviz. */
static char *
svg_for (CandelaPlan *plan)
{
  g_autoptr (GError) error = NULL;
  char *svg = candela_plan_to_svg (plan, &error);
  static const GMarkupParser parser = { NULL };

  if (svg == NULL)
    {
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED);
      return NULL;
    }
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, NULL, NULL);
  g_markup_parse_context_parse (context, svg, -1, &error);
  g_assert_no_error (error);
  g_markup_parse_context_end_parse (context, &error);
  g_assert_no_error (error);
  return svg;
}

static void
test_pictures (void)
{
  for (guint k = 0; k < G_N_ELEMENTS (expressions); k++)
    {
      g_autoptr (CandelaPlan) plan = plan_for (expressions[k], CANDELA_PLAN_DEFAULT);
      g_autofree char *dot = candela_plan_to_dot (plan);
      g_autofree char *svg = svg_for (plan);

      g_assert_true (g_str_has_prefix (dot, "digraph plan {\n"));
      g_assert_true (g_str_has_suffix (dot, "}\n"));
      if (svg == NULL)
        {
          g_test_skip ("built without Graphviz");
          return;
        }
      g_assert_nonnull (strstr (svg, "viewBox"));
    }

  /* Too many steps for a graph, not for the chart. */
  g_autofree char *deep = long_expression (3000);
  g_autoptr (CandelaPlan) plan = plan_for (deep, CANDELA_PLAN_DEFAULT);
  g_autofree char *svg = svg_for (plan);
  g_assert_nonnull (strstr (svg, "too many steps"));
  g_assert_cmpuint (strlen (svg), <, 2000000);
}

/* A name is text, whatever DOT, XML and JSON make of its characters. */
static void
test_hostile_names (void)
{
  static const char *const names[] = {
    "we\"ird{}|<x>&amp;\\n\\", "two\nlines\ttab", "\xff\xfe", "größe", "%s%n", "]]>"
  };

  for (guint k = 0; k < G_N_ELEMENTS (names); k++)
    {
      g_autoptr (CandelaNode) node = candela_node_new_slot (names[k], CANDELA_DTYPE_INT8, NULL, 0, NULL);
      g_autoptr (GError) error = NULL;

      /* A name may be refused where the node is made; then there is nothing to print. */
      if (node == NULL)
        continue;
      g_autoptr (CandelaNode) sum = candela_expression_build ("x + x", &error, "x", node, NULL);
      g_assert_no_error (error);
      g_autoptr (CandelaPlan) plan = candela_node_plan (sum, CANDELA_PLAN_DEFAULT, &error);
      g_assert_no_error (error);
      g_autofree char *text = candela_plan_to_string (plan);
      g_autofree char *svg = svg_for (plan);

      g_assert_true (g_utf8_validate (text, -1, NULL));
      g_assert_true (svg == NULL || g_utf8_validate (svg, -1, NULL));
      check_json (plan);
    }
}

static gpointer
draw (gpointer plan)
{
  return svg_for (plan);
}

static void
test_threads (void)
{
  g_autoptr (CandelaPlan) plan = plan_for (expressions[8], CANDELA_PLAN_DEFAULT);
  g_autofree char *expected = svg_for (plan);
  GThread *threads[4];

  for (guint k = 0; k < G_N_ELEMENTS (threads); k++)
    threads[k] = g_thread_new ("draw", draw, plan);
  for (guint k = 0; k < G_N_ELEMENTS (threads); k++)
    {
      g_autofree char *svg = g_thread_join (threads[k]);
      g_assert_cmpstr (svg, ==, expected);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/print/text", test_text);
  g_test_add_func ("/print/reasons", test_reasons);
  g_test_add_func ("/print/json-adds-up", test_json_adds_up);
  g_test_add_func ("/print/json-members", test_json_members);
  g_test_add_func ("/print/cache-and-baked", test_cache_and_baked);
  g_test_add_func ("/print/pictures", test_pictures);
  g_test_add_func ("/print/hostile-names", test_hostile_names);
  g_test_add_func ("/print/threads", test_threads);
  return g_test_run ();
}
