/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops that were added by hand and then again under the same name: nodes made afterwards
 * have the new one, those from before keep theirs, and an op goes with its last node. */
#include "../testing.h"

/* What an op multiplies by; counted by those that are there. */
typedef struct
{
  double factor;
} Factor;

static gint n_factors;

static Factor *
factor_new (double factor)
{
  Factor *self = g_new0 (Factor, 1);

  self->factor = factor;
  g_atomic_int_inc (&n_factors);
  return self;
}

static void
factor_free (gpointer data)
{
  g_atomic_int_add (&n_factors, -1);
  g_free (data);
}

static gboolean
multiply (CandelaScriptCall *call, gpointer data, GError **error)
{
  const Factor *factor = data;
  CandelaTensor *x = candela_script_call_get_input (call, 0);
  g_autoptr (GBytes) bytes = candela_script_call_get_input_bytes (call, 0, error);
  double *out = (double *) (gsize) candela_script_call_get_output_address (call, 0);
  gsize n = candela_layout_get_n_elements (candela_tensor_get_layout (x));
  const double *in = g_bytes_get_data (bytes, NULL);

  for (gsize i = 0; i < n; i++)
    out[i] = factor->factor * in[i];
  return TRUE;
}

static gboolean
define_with (const char *name, const char *facts, double factor, CandelaScriptComputeFunc compute, GError **error)
{
  g_autoptr (CandelaOp) op = candela_op_new_script (name, g_variant_new_parsed (facts), NULL, NULL, NULL, compute,
                                                    factor_new (factor), factor_free, error);

  return op != NULL && candela_registry_add_op (candela_registry_get_default (), op, error);
}

static void
define (const char *name, const char *facts, double factor)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (define_with (name, facts, factor, multiply, &error));
  g_assert_no_error (error);
}

static CandelaNode *
build_over_one (const char *text)
{
  g_autoptr (GHashTable) names = names_new ();

  put_name (names, "x", make_value ("float64", "1", "1"));
  return build (text, names);
}

static double
value_of (CandelaNode *node)
{
  g_autoptr (CandelaTensor) tensor = compute (node);

  return *(const double *) candela_tensor_get_data (tensor);
}

static double
value_of_text (const char *text)
{
  g_autoptr (CandelaNode) node = build_over_one (text);

  return value_of (node);
}

static void
test_nodes (void)
{
  gint before = n_factors;
  CandelaNode *old;
  g_autoptr (CandelaPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  CandelaTensor **results;

  define ("redefined", "{'inputs': <['x']>}", 2);
  old = build_over_one ("redefined(x) + redefined(x * 1.0)");
  plan = candela_node_plan (old, CANDELA_PLAN_DEFAULT, &error);
  g_assert_no_error (error);

  define ("redefined", "{'inputs': <['x']>, 'summary': <'Another'>}", 3);
  g_assert_cmpint (n_factors - before, ==, 2);
  g_assert_cmpfloat (value_of_text ("redefined(x)"), ==, 3);
  g_assert_cmpfloat (value_of (old), ==, 4);
  candela_node_unref (old);

  /* The plan alone holds the old one now. */
  g_assert_cmpint (n_factors - before, ==, 2);
  results = candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (*(const double *) candela_tensor_get_data (results[0]), ==, 4);
  g_object_unref (results[0]);
  g_free (results);
  g_clear_pointer (&plan, candela_plan_unref);
  g_assert_cmpint (n_factors - before, ==, 1);
}

/* One that is not used goes at once; so does one that nobody added, with its node. */
static void
test_count (void)
{
  gint before = n_factors;
  g_autoptr (GError) error = NULL;
  CandelaOp *op = candela_op_new_script ("unadded", g_variant_new_parsed ("{'inputs': <['x']>}"), NULL, NULL, NULL,
                                         multiply, factor_new (5), factor_free, &error);
  g_autoptr (CandelaNode) x = build_over_one ("x * 1.0");
  CandelaNode *node = candela_node_new_for_op (op, &x, 1, NULL, &error);

  g_assert_no_error (error);
  g_object_unref (op);
  g_assert_cmpfloat (value_of (node), ==, 5);
  g_assert_cmpint (n_factors - before, ==, 1);
  candela_node_unref (node);
  g_assert_cmpint (n_factors - before, ==, 0);

  for (guint k = 0; k < 100; k++)
    define ("counted", "{'inputs': <['x']>}", k);
  g_assert_cmpint (n_factors - before, ==, 1);
  op = candela_registry_lookup_op (candela_registry_get_default (), "counted", &error);
  define ("counted", "{'inputs': <['x', 'y']>}", 1);
  g_assert_cmpstr (candela_op_get_name (op), ==, "counted");
  g_assert_cmpuint (candela_op_get_n_required_inputs (op), ==, 1);
  g_object_unref (op);
  g_assert_cmpint (n_factors - before, ==, 1);
}

static void
test_operators (void)
{
  g_autoptr (GError) error = NULL;

  define ("with_operator", "{'inputs': <['x']>, 'operators': <'attribute:.Scaled attribute:.Left'>}", 2);
  g_assert_cmpfloat (value_of_text ("x.Scaled + x.Left"), ==, 4);
  define ("with_operator", "{'inputs': <['x']>, 'operators': <'attribute:.Scaled'>}", 3);
  g_assert_cmpfloat (value_of_text ("x.Scaled"), ==, 3);
  g_assert_null (candela_registry_lookup_operator (candela_registry_get_default (), "attribute:.Left", NULL));
  define ("other_operator", "{'inputs': <['x']>, 'operators': <'attribute:.Left'>}", 7);
  g_assert_cmpfloat (value_of_text ("x.Left + x.Scaled"), ==, 10);

  /* An operator of another op is not taken from it, and all stays as it was. */
  g_assert_false (
    define_with ("with_operator", "{'inputs': <['x']>, 'operators': <'attribute:.Left'>}", 4, multiply, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);
  g_assert_cmpstr (error->message, ==,
                   "op \"with_operator\" cannot be added: op \"other_operator\" has the operator \"attribute:.Left\" "
                   "already");
  g_assert_cmpfloat (value_of_text ("x.Left + x.Scaled"), ==, 10);
}

static void
test_of_plugins (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (define_with ("add", "{'inputs': <['x', 'y']>}", 2, multiply, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN);
  g_assert_cmpstr (error->message, ==,
                   "op \"add\" cannot be added: plugin elementwise has an op \"add\", and only one that was added by "
                   "hand is replaced");
  g_clear_error (&error);
  g_assert_false (define_with ("plus", "{'inputs': <['x', 'y']>, 'operators': <'infix:+'>}", 2, multiply, &error));
  g_assert_cmpstr (error->message, ==, "op \"plus\" cannot be added: op \"add\" has the operator \"infix:+\" already");
}

static void
test_foreign (void)
{
  static const char *const symbols[] = { "j0", "j1" };
  g_autoptr (CandelaNode) old = NULL;

  for (guint k = 0; k < 2; k++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaOp) op =
        candela_op_new_foreign ("bessel", "libm.so.6", symbols[k], "double (double)", NULL, &error);

      g_assert_no_error (error);
      g_assert_true (candela_registry_add_op (candela_registry_get_default (), op, &error));
      if (k == 0)
        old = build_over_one ("bessel(x)");
    }
  /* Abramowitz and Stegun, table 9.1. */
  g_assert_cmpfloat_with_epsilon (value_of (old), 0.765197686557966552, 1e-15);
  g_assert_cmpfloat_with_epsilon (value_of_text ("bessel(x)"), 0.4400505857, 1e-10);
}

static void
test_suggestion (void)
{
  g_autoptr (GError) error = NULL;

  define ("zygomorphic", "{'inputs': <['x']>}", 2);
  g_assert_null (candela_registry_lookup_op (candela_registry_get_default (), "zygomorfic", &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_UNKNOWN_OP);
  g_assert_cmpstr (error->message, ==, "no plugin has an op \"zygomorfic\"; did you mean \"zygomorphic\"?");
}

/* Replaced by its own function, as it runs. */
static gboolean
replace_itself (CandelaScriptCall *call, gpointer data, GError **error)
{
  define ("replaces", "{'inputs': <['x']>}", 6);
  return multiply (call, data, error);
}

static void
test_itself (void)
{
  g_autoptr (GError) error = NULL;
  gint before = n_factors;

  g_assert_true (define_with ("replaces", "{'inputs': <['x']>}", 5, replace_itself, &error));
  g_assert_cmpfloat (value_of_text ("replaces(x)"), ==, 5);
  g_assert_cmpfloat (value_of_text ("replaces(x)"), ==, 6);
  g_assert_cmpint (n_factors - before, ==, 1);
}

/* Some build and run what another goes on replacing. */
static gpointer
use_it (gpointer stop)
{
  guint n = 0;

  do
    {
      double value = value_of_text ("replaced_often(x) * 0.0 + replaced_often(x).Often");

      g_assert_cmpfloat (value, >=, 0);
    }
  while (++n < 50 || !g_atomic_int_get ((gint *) stop));
  return NULL;
}

static void
test_threads (void)
{
  static const char facts[] = "{'inputs': <['x']>, 'operators': <'attribute:.Often'>}";
  gint before = n_factors, stop = 0;
  GThread *threads[2];

  define ("replaced_often", facts, 1);
  for (guint k = 0; k < 2; k++)
    threads[k] = g_thread_new ("user", use_it, &stop);
  for (guint k = 0; k < 2000; k++)
    define ("replaced_often", facts, k);
  g_atomic_int_set (&stop, 1);
  for (guint k = 0; k < 2; k++)
    g_thread_join (threads[k]);
  g_assert_cmpint (n_factors - before, ==, 1);
}

/* Where functions run on one thread alone, they are freed there, as it makes its next op. */
static gpointer
drop_it (gpointer node)
{
  candela_node_unref (node);
  return NULL;
}

static void
test_owner (void)
{
  static const char facts[] = "{'inputs': <['x']>, 'owner-thread': <true>}";
  gint before = n_factors;

  define ("owned", facts, 2);
  CandelaNode *node = build_over_one ("owned(x)");
  define ("owned", facts, 3);
  g_thread_join (g_thread_new ("dropper", drop_it, node));
  g_assert_cmpint (n_factors - before, ==, 2);
  for (guint k = 0; k < 10; k++)
    define ("owned", facts, 4);
  g_assert_cmpint (n_factors - before, ==, 2);
  g_assert_cmpfloat (value_of_text ("owned(x)"), ==, 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/redefine/nodes", test_nodes);
  g_test_add_func ("/redefine/count", test_count);
  g_test_add_func ("/redefine/operators", test_operators);
  g_test_add_func ("/redefine/of-plugins", test_of_plugins);
  g_test_add_func ("/redefine/foreign", test_foreign);
  g_test_add_func ("/redefine/suggestion", test_suggestion);
  g_test_add_func ("/redefine/itself", test_itself);
  g_test_add_func ("/redefine/threads", test_threads);
  g_test_add_func ("/redefine/owner", test_owner);
  return g_test_run ();
}
