/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lifetimes, what is freed when, reuse of freed buffers and the peak; several
 * roots in one plan, and ops with several outputs. Sizes in bytes are by hand: a is
 * 48, s 72, l 8,000, m 800,000. */
#include "outline.h"

#define UNFUSED CANDELA_PLAN_NO_FUSION

typedef struct
{
  const char *path;
  const char *text;
  CandelaPlanFlags flags;
  const char *outline;
  guint64 peak;
} Case;

static const Case cases[] = {
  /* Freed with the last reader, whoever that is. */
  { "free/after-the-last-reader", "sum(a + 1)", UNFUSED, "add(a,1.0):allocate@0; sum(add):allocate@1-0", 48 + 8 },
  { "free/two-at-once", "(s + 1) @ (s + 2)", UNFUSED,
    "add(s,1.0):allocate@0; add(s,2.0):allocate@1; matmul(add,add):allocate@2-0,1", 3 * 72 },
  { "free/unread-output", "m, v = moments(a); m", UNFUSED, "moments(a):allocate@0,allocate@1-1", 16 },
  { "free/other-unread-output", "m, v = moments(a); v", UNFUSED, "moments(a):allocate@0,allocate@1-0", 16 },
  { "free/nothing-of-the-results", "moments(a)", UNFUSED, "moments(a):allocate@0,allocate@1", 16 },

  /* Reuse. */
  { "reuse/of-the-size", "x = l + 1; y = sum(x); z = l * y; w = sum(z); l - w", UNFUSED,
    "add(l,1.0):allocate@0; sum(add):allocate@1; multiply(l,sum):reuse@0; sum(multiply):reuse@1; "
    "subtract(l,sum):reuse@0-1",
    8000 + 8 },
  { "reuse/off", "x = l + 1; y = sum(x); z = l * y; w = sum(z); l - w", UNFUSED | CANDELA_PLAN_NO_REUSE,
    "add(l,1.0):allocate@0; sum(add):allocate@1-0; multiply(l,sum):allocate@2-1; sum(multiply):allocate@3-2; "
    "subtract(l,sum):allocate@4-3",
    8000 + 8 },
  { "reuse/of-a-larger-one", "sum(l + sum(m + 1))", UNFUSED,
    "add(m,1.0):allocate@0; sum(add):allocate@1; add(l,sum):reuse@0; sum(add):reuse@1-0", 800000 + 8 },
  /* s + 1, k + 2 and r + 3 are free at once: 72, 8 and 24 bytes. Of 16 bytes the
   * next needs, the 24 are the least that do. */
  { "reuse/best-fit", "sum(clip(s + 1, k[0, 0] + 2, r + 3)) + sum(k + 1)", UNFUSED | CANDELA_PLAN_NO_IN_PLACE,
    "add(s,1.0):allocate@0; index(k):reference-eternal; add(index,2.0):allocate@1; add(r,3.0):allocate@2; "
    "clip(add,add,add):allocate@3-0; sum(clip):reuse@1; add(k,1.0):reuse@2; sum(add):reuse@3-2; "
    "add(sum,sum):allocate@4-1,3",
    72 + 8 + 24 + 72 },
  /* A result outlives the run, and is of just its size. */
  { "reuse/no-larger-one-for-a-result", "l + sum(m + 1)", UNFUSED,
    "add(m,1.0):allocate@0; sum(add):allocate@1-0; add(l,sum):allocate@2-1", 800000 + 8 },
  /* Held while m's sum is made, l's first buffer would be on top of the peak. */
  { "reuse/not-above-the-peak", "l + sum(m + sum(l + 1))", UNFUSED,
    "add(l,1.0):allocate@0; sum(add):allocate@1-0; add(m,sum):allocate@2; sum(add):reuse@1-2; add(l,sum):allocate@3-1",
    800000 + 8 },
  { "reuse/below-the-peak", "l + sum(u + sum(l + 1))", UNFUSED,
    "add(l,1.0):allocate@0; sum(add):allocate@1; add(u,sum):reuse@0; sum(add):reuse@1; add(l,sum):reuse@0-1",
    8000 + 8 },
  { "reuse/not-of-what-is-read", "sum(exp(a)) + sum(exp(b))", UNFUSED,
    "exp(a):allocate@0; sum(exp):allocate@1; exp(b):reuse@0; sum(exp):allocate@2-0; add(sum,sum):in-place@1-2",
    48 + 8 + 8 },

  /* The example: one allocation, with fusion and without. */
  { "example", "(a + b) * 2.0", UNFUSED, "add(a,b):allocate@0; multiply(add,2.0):in-place@0", 48 },
  { "example-fused", "(a + b) * 2.0", CANDELA_PLAN_DEFAULT, "add+multiply(a,b,2.0):allocate@0", 48 },

  /* Several roots: what they share is computed once; one that feeds another is not
   * written over, whichever is named first; one named twice is one. */
  { "roots/share", "t = a @ s; sum(t), exp(t).T", UNFUSED,
    "matmul(a,s):allocate@0; sum(matmul):allocate@1; exp(matmul):in-place@0; transpose(exp):reference-slot@0", 48 + 8 },
  { "roots/feeding-first", "t = a + 1; t, exp(t)", UNFUSED, "add(a,1.0):allocate@0; exp(add):allocate@1", 96 },
  { "roots/feeding-last", "t = a + 1; exp(t), t", UNFUSED, "add(a,1.0):allocate@0; exp(add):allocate@1", 96 },
  { "roots/twice", "t = a + 1; t, t, exp(t)", UNFUSED, "add(a,1.0):allocate@0; exp(add):allocate@1", 96 },
  { "roots/view-of-a-root", "t = a + 1; t, t.T, t[0]", UNFUSED,
    "add(a,1.0):allocate@0; transpose(add):reference-slot@0; index(add):reference-slot@0", 48 },
  { "roots/alias-of-a-root", "t = a + 1; i = identity(t); i, t * 2", UNFUSED,
    "add(a,1.0):allocate@0; multiply(add,2.0):allocate@1", 96 },
  { "roots/leaf", "a, a + 1", UNFUSED, "add(a,1.0):allocate@0", 48 },
  { "roots/of-a-region", "t = a + 1; e = exp(t) * 2; t, e", CANDELA_PLAN_DEFAULT,
    "add+exp+multiply(a,1.0,2.0):allocate@0,allocate@1", 96 },

  /* Outputs are values of their own. */
  { "outputs/own-lifetimes", "m, v = moments(a, axis=0); v - m", UNFUSED,
    "moments(a):allocate@0,allocate@1; subtract(moments,moments):in-place@1-0", 48 },
  { "outputs/one-used-twice", "q, r = divmod(a + 0, b); q * q", UNFUSED,
    "add(a,0.0):allocate@0; divmod(add,b):in-place@0,allocate@1-1; multiply(divmod):in-place@0", 96 },
  { "outputs/both-read-by-one", "q, r = divmod(a, b); q + r", UNFUSED,
    "divmod(a,b):allocate@0,allocate@1; add(divmod,divmod):in-place@0-1", 96 },
};

static void
test_case (gconstpointer data)
{
  const Case *of = data;
  g_autoptr (CandelaPlan) plan = plan_text (of->text, of->flags);
  g_autoptr (CandelaPlan) eager = plan_text (of->text, NO_OPTIMIZATION);

  assert_outline (plan, of->outline);
  g_assert_cmpuint (candela_plan_get_peak_bytes (plan), ==, of->peak);
  g_assert_cmpuint (candela_plan_get_peak_bytes (plan), <=, candela_plan_get_peak_bytes (eager));
  verify_plan (eager);
}

/* What the plan says is what the run does. */
static void
test_stats (void)
{
  static const char *const texts[] = { "(x + 1) * 2",
                                       "sum(exp(x) + sum(x), axis=0)",
                                       "t = x + 1; t.T @ exp(t)",
                                       "q, r = divmod(x + 1, 2); q - r",
                                       "x.T",
                                       "x" };
  const Given given = { "x", "float64", "2 3", "1 2 3 4 5 6" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint flags = 0; flags < N_FLAGS; flags++)
      {
        g_autoptr (CandelaNode) node = build_given (texts[i], &given, 1);
        g_autoptr (CandelaPlan) plan = plan_node (node, flags);
        guint64 bytes = 0;
        CandelaRunStats stats;

        free_tensors (run_plan (plan, &stats), 1);
        for (guint32 slot = 0; slot < plan->n_slots; slot++)
          bytes += plan->slots[slot].bytes;
        g_assert_cmpuint (stats.steps, ==, candela_plan_get_n_steps (plan));
        g_assert_cmpuint (stats.allocations, ==, candela_plan_get_n_allocations (plan));
        g_assert_cmpuint (stats.allocated_bytes, ==, bytes);
        g_assert_cmpuint (stats.peak_bytes, ==, candela_plan_get_peak_bytes (plan));
        if (flags == NO_OPTIMIZATION)
          g_assert_cmpuint (bytes, ==, candela_plan_get_intermediate_bytes (plan));
      }
}

/* The same values by hand, for several roots and outputs. */
static void
test_values (void)
{
  const Given given[] = { { "a", "float64", "2 2", "1 2 3 4" }, { "b", "float64", "2 2", "4 3 2 1" } };
  g_autoptr (GHashTable) names = bind_names (given, 2);
  g_autoptr (CandelaExpression) expression =
    parse ("t = a + b * 2; u = t * t; v = t.T; m, w = moments(t, axis=1); q, r = divmod(t, 4)", names);
  static const Given wanted[] = {
    { "t", "float64", "2 2", "9 8 7 6" }, { "u", "float64", "2 2", "81 64 49 36" },
    { "v", "float64", "2 2", "9 7 8 6" }, { "m", "float64", "2", "8.5 6.5" },
    { "w", "float64", "2", "0.25 0.25" }, { "q", "float64", "2 2", "2 2 1 1" },
    { "r", "float64", "2 2", "1 0 3 2" }, { "a", "float64", "2 2", "1 2 3 4" },
    { "t", "float64", "2 2", "9 8 7 6" },
  };
  CandelaNode *roots[G_N_ELEMENTS (wanted)];
  CandelaTensor *values[G_N_ELEMENTS (wanted)];

  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      roots[i] = candela_expression_lookup (expression, wanted[i].name);
      if (roots[i] == NULL)
        roots[i] = g_hash_table_lookup (names, wanted[i].name);
      values[i] = make_tensor (wanted[i].dtype, wanted[i].shape, wanted[i].elements);
    }
  check_roots (roots, values, G_N_ELEMENTS (wanted), "several roots");
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    g_object_unref (values[i]);
}

/* Each output its own buffer: one can go while the other stays. */
static void
test_outputs_apart (void)
{
  const Given given = { "a", "float64", "2 2", "1 2 3 4" };
  g_autoptr (GHashTable) names = bind_names (&given, 1);
  g_autoptr (CandelaExpression) expression = parse ("moments(a, axis=0)", names);
  CandelaNode *roots[] = { candela_expression_get_nth_value (expression, 0),
                           candela_expression_get_nth_value (expression, 1) };
  g_autoptr (CandelaPlan) plan = plan_roots (roots, 2, CANDELA_PLAN_DEFAULT);
  g_autoptr (CandelaTensor) mean = make_tensor ("float64", "2", "2 3");
  CandelaTensor **got = run_plan (plan, NULL);

  g_object_unref (got[1]);
  assert_tensors_same (got[0], mean, "mean");
  g_object_unref (got[0]);
  g_free (got);
}

/* The order of the roots is the order of the results; wrong ones are errors. */
static void
test_no_roots (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) one = candela_node_new_int (1);
  CandelaNode *roots[] = { one, NULL };

  g_assert_null (candela_plan_new (NULL, 0, CANDELA_PLAN_DEFAULT, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
  g_clear_error (&error);
  g_assert_null (candela_plan_new (roots, 2, CANDELA_PLAN_DEFAULT, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
  g_assert_nonnull (strstr (error->message, "root 1"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/buffers/", cases[i].path, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/buffers/stats", test_stats);
  g_test_add_func ("/buffers/values", test_values);
  g_test_add_func ("/buffers/outputs/apart", test_outputs_apart);
  g_test_add_func ("/buffers/roots/none", test_no_roots);
  return g_test_run ();
}
