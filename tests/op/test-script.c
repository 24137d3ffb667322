/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops that are made of functions, as bindings do it: what they declare, what they are
 * given, who runs them, and what becomes of their errors. */
#include "../testing.h"

static CandelaOp *
make_script (const char *name, const char *facts, CandelaScriptInferFunc infer, CandelaScriptComputeFunc compute,
             gpointer data, GError **error)
{
  GVariant *variant = g_variant_new_parsed (facts);

  return candela_op_new_script (name, variant, infer, data, NULL, compute, data, NULL, error);
}

static void
add_op (const char *name, const char *facts, CandelaScriptInferFunc infer, CandelaScriptComputeFunc compute,
        gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaOp) op = make_script (name, facts, infer, compute, data, &error);

  g_assert_no_error (error);
  g_assert_true (candela_registry_add_op (candela_registry_get_default (), op, &error));
  g_assert_no_error (error);
}

static char *
value_of (const char *text, const char *x)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaTensor) got = NULL;

  put_name (names, "x", make_value ("float64", "2 3", x));
  node = build (text, names);
  got = compute (node);
  return candela_tensor_to_string (got);
}

static void
assert_value (const char *text, const char *x, const char *expected)
{
  g_autofree char *got = value_of (text, x);

  g_assert_cmpstr (got, ==, expected);
}

/* Twice the input, and the thread that did it. */
static gboolean
double_it (CandelaScriptCall *call, gpointer data, GError **error)
{
  CandelaTensor *x = candela_script_call_get_input (call, 0);
  g_autoptr (GBytes) bytes = candela_script_call_get_input_bytes (call, 0, error);
  double *out = (double *) (gsize) candela_script_call_get_output_address (call, 0);
  gsize n = candela_layout_get_n_elements (candela_tensor_get_layout (x));
  const double *in = g_bytes_get_data (bytes, NULL);

  for (gsize i = 0; i < n; i++)
    out[i] = 2 * in[i];
  if (data != NULL)
    *(GThread **) data = g_thread_self ();
  return TRUE;
}

static void
test_value (void)
{
  GThread *thread = NULL;
  g_autoptr (CandelaOp) op = NULL;

  add_op ("script_double", "{'inputs': <['x']>, 'in-place': <[0]>, 'summary': <'Twice x'>}", NULL, double_it, &thread);
  assert_value ("script_double(x)", "1 2 3 4 5 6", "[[ 2.  4.  6.]\n [ 8. 10. 12.]]");
  assert_value ("script_double(x.T) + 1", "1 2 3 4 5 6", "[[ 3.  9.]\n [ 5. 11.]\n [ 7. 13.]]");
  assert_value ("script_double(x * 2)", "1 2 3 4 5 6", "[[ 4.  8. 12.]\n [16. 20. 24.]]");
  assert_value ("script_double(x[:0])", "1 2 3 4 5 6", "[]");
  g_assert_true (thread == g_thread_self ());

  op = candela_registry_lookup_op (candela_registry_get_default (), "script_double", NULL);
  g_assert_cmpstr (candela_op_get_summary (op), ==, "Twice x");
  g_assert_cmpstr (candela_op_get_plugin_name (op), ==, "script");
}

/* The planner treats it like any other: it may be written over what is not read again. */
static void
test_in_place (void)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaPlan) plan = NULL;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  add_slot (names, "x", "float64", "100");
  node = build ("script_double(x * 2)", names);
  plan = candela_node_plan (node, CANDELA_PLAN_DEFAULT, &error);
  g_assert_no_error (error);
  text = candela_plan_to_string (plan);
  g_assert_nonnull (strstr (text, "in place over %2"));
}

static GVariant *
infer_pair (GVariant *inputs, GVariant *params, gpointer data, GError **error)
{
  g_autoptr (GVariant) shape = NULL;
  const char *dtype;
  gboolean wrong = FALSE;

  g_variant_get_child (inputs, 0, "(&s@ax)", &dtype, &shape);
  if (g_variant_n_children (shape) == 0)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE, "there is no axis");
      return NULL;
    }
  g_variant_lookup (params, "wrong", "b", &wrong);
  if (wrong)
    return g_variant_ref_sink (g_variant_new_string ("nonsense"));
  return g_variant_ref_sink (g_variant_new_parsed ("[('float64', @ax []), ('int64', [@x 2])]"));
}

static gboolean
compute_pair (CandelaScriptCall *call, gpointer data, GError **error)
{
  g_autoptr (GBytes) first = candela_script_call_get_output_bytes (call, 0);
  g_autoptr (GBytes) second = candela_script_call_get_output_bytes (call, 1);
  GVariant *params = candela_script_call_get_params (call);
  g_autoptr (GVariant) list = g_variant_lookup_value (params, "list", G_VARIANT_TYPE ("ax"));
  gint64 count;
  gsize n;
  const gint64 *items = g_variant_get_fixed_array (list, &n, sizeof *items);

  g_assert_cmpuint (candela_script_call_get_n_outputs (call), ==, 2);
  g_assert_cmpuint (g_bytes_get_size (second), ==, 16);
  g_assert_true (g_variant_lookup (params, "count", "x", &count));
  g_assert_false (g_variant_lookup (params, "absent", "d", NULL));
  *(double *) g_bytes_get_data (first, NULL) = count;
  memcpy ((gpointer) g_bytes_get_data (second, NULL), items, 16);
  return TRUE;
}

static void
fails (const char *text, int code, const char *message)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaTensor) tensor = NULL;

  put_name (names, "x", make_value ("float64", "2 3", "1 2 3 4 5 6"));
  node = candela_expression_build_with_names (text, names, &error);
  tensor = candela_node_materialize (node, node != NULL ? &error : NULL);
  g_assert_error (error, CANDELA_ERROR, code);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_outputs_and_params (void)
{
  add_op ("script_pair",
          "{'inputs': <['x']>, 'outputs': <['a', 'b']>, 'params': <[{'name': <'count'>, 'type': <'int'>, 'default': "
          "<'7'>, 'minimum': <1.0>, 'maximum': <9.0>}, {'name': <'list'>, 'type': <'list of int'>, 'default': <'[3, "
          "4]'>}, {'name': <'absent'>, 'type': <'float'>}, {'name': <'wrong'>, 'type': <'bool'>, 'default': "
          "<'false'>}]>}",
          infer_pair, compute_pair, NULL);
  assert_value ("a, b = script_pair(x); a + b", "1 2 3 4 5 6", "[10. 11.]");
  assert_value ("a, b = script_pair(x, count=2, list=[5, 6]); b * 1.0 + a", "1 2 3 4 5 6", "[7. 8.]");
  /* One of them is used. */
  assert_value ("a, b = script_pair(x); b", "1 2 3 4 5 6", "[3 4]");
  fails ("script_pair(x, count=10)", CANDELA_ERROR_PARAMETER, "count is 10");
  fails ("script_pair(1.0)", CANDELA_ERROR_SHAPE, "script_pair: there is no axis");
  fails ("script_pair(x, wrong=true)", CANDELA_ERROR_SCRIPT, "a(sax)");
}

static gboolean
fail_silently (CandelaScriptCall *call, gpointer data, GError **error)
{
  return FALSE;
}

static gboolean
fail_loudly (CandelaScriptCall *call, gpointer data, GError **error)
{
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SCRIPT, "no luck");
  return FALSE;
}

static void
test_errors (void)
{
  add_op ("script_silent", "{'inputs': <['x']>}", NULL, fail_silently, NULL);
  add_op ("script_loud", "{'inputs': <['x']>}", NULL, fail_loudly, NULL);
  fails ("script_silent(x)", CANDELA_ERROR_SCRIPT, "script_silent: its function failed and did not say why");
  fails ("script_loud(x)", CANDELA_ERROR_SCRIPT, "script_loud: no luck");
}

static void
test_facts (void)
{
  static const struct
  {
    const char *name, *facts, *message;
  } cases[] = {
    { "s1", "@a{sv} {'colour': <1>}", "there is no fact \"colour\"" },
    { "s1", "@a{sv} {'inputs': <1>}", "the fact \"inputs\" has the type i; it must be as" },
    { "s1", "@a{sv} {'in-place': <[0]>}", "in-place names the input 0" },
    { "s1", "@a{sv} {'aliasing': <'some'>}",
      "aliasing is \"some\"; it must be one of none, alias, reference, takeover" },
    { "s1", "@a{sv} {'effect': <'loud'>}", "it must be one of pure, ordered" },
    { "s1", "@a{sv} {'variadic': <true>}", "variadic goes with inputs" },
    { "s1", "@a{sv} {'params': <[{'name': <'p'>}]>}", "a parameter needs a name and a type" },
    { "s1", "@a{sv} {'params': <[{'name': <'p'>, 'type': <'number'>}]>}", "the type of a parameter is \"number\"" },
    { "S1", "@a{sv} {}", "its name is not of lower-case letters" },
    { "s1", "'text'", "its facts have the type s; it must be a{sv}" },
    { "s1", "@a{sv} {'inputs': <['a b']>}", "the name of an input" },
    { "s1", "@a{sv} {'outputs': <['a b']>}", "the name of output 0" },
    { "s1", "@a{sv} {'outputs': <['a', 'b', 'a']>}", "two outputs have the name \"a\"" },
    { "s1", "@a{sv} {'inputs': <['x']>, 'in-place-modes': <[(uint32 1, uint32 0, 'read-first')]>}", "the output 1" },
    { "s1", "@a{sv} {'inputs': <['x']>, 'in-place-modes': <[(uint32 0, uint32 0, 'never')]>}", "must be one of same" },
    { "s1", "@a{sv} {'inputs': <['x']>, 'aliasing': <'reference'>}", "no infer function that says which" },
    { "s1", "@a{sv} {'inputs': <['x']>, 'output-shape': <'data'>, 'in-place': <[0]>}", "depends on data" },
  };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (make_script (cases[k].name, cases[k].facts, NULL, double_it, NULL, &error));
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);
      g_assert_nonnull (strstr (error->message, cases[k].message));
    }
}

static void
test_name_is_taken (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaOp) op = make_script ("add", "{'inputs': <['x']>}", NULL, double_it, NULL, &error);

  g_assert_no_error (error);
  g_assert_false (candela_registry_add_op (candela_registry_get_default (), op, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);
}

/* A call, and its tensors, that are held too long keep their memory. */
static gboolean
hold_it (CandelaScriptCall *call, gpointer data, GError **error)
{
  gpointer *held = data;

  held[0] = g_object_ref (call);
  held[1] = candela_script_call_get_output_bytes (call, 0);
  return double_it (call, NULL, error);
}

static void
test_held (void)
{
  gpointer held[2] = { NULL };
  const double *kept;

  add_op ("script_held", "{'inputs': <['x']>}", NULL, hold_it, held);
  assert_value ("sum(script_held(x * 1.0))", "1 2 3 4 5 6", "42.0");
  g_assert_cmpuint (candela_script_call_get_n_inputs (held[0]), ==, 0);
  g_assert_null (candela_script_call_get_output (held[0], 0));
  g_assert_null (candela_script_call_get_input (held[0], 0));
  g_assert_cmpuint (candela_script_call_get_output_address (held[0], 0), ==, 0);
  kept = g_bytes_get_data (held[1], NULL);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpfloat (kept[i], ==, 2 * (i + 1));
  g_object_unref (held[0]);
  g_bytes_unref (held[1]);
}

/* What an owner's thread alone may run is asked of its main context. */
static gpointer
run_elsewhere (gpointer node)
{
  g_autoptr (GError) error = NULL;
  CandelaTensor *tensor = candela_node_materialize (node, &error);

  g_assert_no_error (error);
  return tensor;
}

static gpointer
run_cancelled (gpointer data)
{
  gpointer *both = data;
  GError *error = NULL;
  g_autoptr (CandelaPlan) plan = candela_node_plan (both[0], CANDELA_PLAN_DEFAULT, &error);

  g_assert_no_error (error);
  g_assert_null (candela_plan_run (plan, NULL, 0, both[1], NULL, NULL, NULL, NULL, &error));
  return error;
}

static void
test_owner (void)
{
  GThread *ran = NULL, *thread;
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (CandelaTensor) tensor = NULL;
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  gpointer both[2];
  GError *error;

  add_op ("script_owned", "{'inputs': <['x']>, 'owner-thread': <true>}", NULL, double_it, &ran);
  put_name (names, "x", make_value ("float64", "2 3", "1 2 3 4 5 6"));
  node = build ("sum(script_owned(x))", names);
  thread = g_thread_new ("elsewhere", run_elsewhere, node);
  while (ran == NULL)
    g_main_context_iteration (NULL, TRUE);
  tensor = g_thread_join (thread);
  g_assert_true (ran == g_thread_self ());
  assert_value ("sum(script_owned(x))", "1 2 3 4 5 6", "42.0");

  /* Nobody runs the context, and the run is cancelled. */
  both[0] = node;
  both[1] = cancellable;
  thread = g_thread_new ("cancelled", run_cancelled, both);
  g_usleep (20000);
  g_cancellable_cancel (cancellable);
  error = g_thread_join (thread);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_error_free (error);
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/script/value", test_value);
  g_test_add_func ("/script/in-place", test_in_place);
  g_test_add_func ("/script/outputs-and-params", test_outputs_and_params);
  g_test_add_func ("/script/errors", test_errors);
  g_test_add_func ("/script/facts", test_facts);
  g_test_add_func ("/script/name-is-taken", test_name_is_taken);
  g_test_add_func ("/script/held", test_held);
  g_test_add_func ("/script/owner", test_owner);
  return g_test_run ();
}
