/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops that are made from one expression (candela/op/elementwise.h) have the bits of the same
 * formulas in shipped ops, alone and between these, at every length around a vector and a
 * block, in each way in which they can have their operands, with each instruction set; their
 * module is compiled with a flag that allows contraction. What is said of them holds. */
#include <candela/candela.h>
#include <math.h>
#include <string.h>

typedef struct
{
  const char *name, *formula; /* of x and y, in shipped ops */
  guint n_inputs;
} Pair;

static const Pair pairs[] = {
  { "square", "square(x)", 1 },
  { "magnitude", "abs(x)", 1 },
  { "reciprocal", "reciprocal(x)", 1 },
  { "relu", "relu(x)", 1 },
  { "softsign", "x / (1 + abs(x))", 1 },
  { "quadratic", "(0.1 * x + 0.2) * x + 1", 1 },
  { "maximum", "maximum(x, y)", 2 },
  { "subtract", "x - y", 2 },
  { "divide", "x / y", 2 },
  { "squares", "x * x + y * y", 2 },
};

/* The op is t. */
static const char *const contexts[][2] = {
  { "x = a; y = b", "t" },
  { "x = a + b; y = c", "t * 2 - c" },
  { "x = c; y = a * b", "0.5 - t" },
  { "x = a; y = 0.75", "t + b" },
  { "x = a * 0.75; y = 1.5", "t" },
  { "x = a - b; y = 2.5 * x", "(t + c) * t" },
  /* Two values are kept in registers on the way. */
  { "u = a + b; v = u * c; w = v - u; x = w; y = u", "(t * u + v) * t" },
  { "u = a + b; v = u * c; w = v - u; x = u; y = w", "(t - v) * u + v" },
  { "x = a[::2]; y = b[::2]", "t - 1" },
};

static const gint64 lengths[] = { 1, 2, 3, 15, 16, 17, 31, 66, 1000, 4096, 5003, 70001 };

static char *
module_filename (const char *file)
{
  return g_test_build_filename (G_TEST_BUILT, "plugins", "outside", ".libs", file, NULL);
}

static void
load (const char *file)
{
  g_autofree char *path = module_filename (file);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (candela_registry_load_file (candela_registry_get_default (), path, &error));
  g_assert_no_error (error);
}

static double
value_at (guint32 *state)
{
  static const double specials[] = { 0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 1e-40, 3e38, 1e300, 5e-324, -0.1 };
  guint32 word = *state = *state * 1664525u + 1013904223u;

  if (word >> 27 == 0)
    return specials[(word >> 8) % G_N_ELEMENTS (specials)];
  return ((double) (word >> 4) / (1 << 27) - 1) * 8;
}

static CandelaNode *
new_operand (CandelaDType dtype, gint64 n, guint32 seed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (dtype, &n, 1, &error);
  gpointer data = candela_tensor_get_writable_data (tensor);

  for (gint64 i = 0; i < n; i++)
    if (dtype == CANDELA_DTYPE_FLOAT32)
      ((float *) data)[i] = (float) value_at (&seed);
    else
      ((double *) data)[i] = value_at (&seed);
  return candela_node_new_tensor (tensor);
}

static GHashTable *
new_names (CandelaDType dtype, gint64 n)
{
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) candela_node_unref);

  g_hash_table_insert (names, (gpointer) "a", new_operand (dtype, n, 1));
  g_hash_table_insert (names, (gpointer) "b", new_operand (dtype, n, 2));
  g_hash_table_insert (names, (gpointer) "c", new_operand (dtype, n, 3));
  return names;
}

static CandelaTensor *
evaluate (GHashTable *names, const char *before, const char *formula, const char *after)
{
  g_autofree char *text = g_strdup_printf ("%s; t = %s; %s", before, formula, after);
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = candela_expression_build_with_names (text, names, &error);
  CandelaTensor *result;

  g_assert_no_error (error);
  result = candela_node_materialize (node, &error);
  g_assert_no_error (error);
  return result;
}

#define SAME_BITS(x, y) (memcmp (&(x), &(y), sizeof (x)) == 0 || (isnan (x) && isnan (y)))

static void
compare (CandelaTensor *got, CandelaTensor *wanted, const char *what)
{
  gconstpointer x = candela_tensor_get_data (got), y = candela_tensor_get_data (wanted);
  gint64 n = candela_tensor_get_n_elements (wanted);
  gint64 i = 0;

  g_assert_cmpint (candela_tensor_get_n_elements (got), ==, n);
  g_assert_cmpint (candela_tensor_get_dtype (got), ==, candela_tensor_get_dtype (wanted));
  if (candela_tensor_get_dtype (got) == CANDELA_DTYPE_FLOAT32)
    while (i < n && SAME_BITS (((const float *) x)[i], ((const float *) y)[i]))
      i++;
  else
    while (i < n && SAME_BITS (((const double *) x)[i], ((const double *) y)[i]))
      i++;
  if (i < n)
    g_error ("%s: element %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " is another", what, i, n);
}

static void
compare_pair (const Pair *pair, const char *prefix, GHashTable *names)
{
  g_autofree char *call = g_strdup_printf ("%s%s(%s)", prefix, pair->name, pair->n_inputs == 1 ? "x" : "x, y");

  for (guint k = 0; k < G_N_ELEMENTS (contexts); k++)
    {
      g_autoptr (CandelaTensor) wanted = evaluate (names, contexts[k][0], pair->formula, contexts[k][1]);
      g_autoptr (CandelaTensor) got = evaluate (names, contexts[k][0], call, contexts[k][1]);
      g_autofree char *what = g_strdup_printf ("%s; t = %s; %s", contexts[k][0], call, contexts[k][1]);

      compare (got, wanted, what);
    }
}

static void
test_bits (void)
{
  static const CandelaDType dtypes[] = { CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_FLOAT64 };

  load ("outside.so");
  load ("outside-plain.so");
  for (guint d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
      {
        g_autoptr (GHashTable) names = new_names (dtypes[d], lengths[l]);

        for (guint p = 0; p < G_N_ELEMENTS (pairs); p++)
          {
            compare_pair (&pairs[p], "outside_", names);
            compare_pair (&pairs[p], "plain_", names);
          }
      }
}

/* Step by step, each rounded: a product that is contracted with the sum has other bits. */
static void
test_rounded (void)
{
  g_autoptr (GHashTable) names = new_names (CANDELA_DTYPE_FLOAT32, 5000);
  g_autoptr (CandelaTensor) x = NULL, got = NULL;
  const float *in, *out;

  load ("outside.so");
  x = evaluate (names, "x = a", "x", "t");
  got = evaluate (names, "x = a", "outside_quadratic(x)", "t");
  in = candela_tensor_get_data (x);
  out = candela_tensor_get_data (got);
  for (guint i = 0; i < 5000; i++)
    {
      volatile float step = 0.1f * in[i];
      float wanted;

      step = step + 0.2f;
      step = step * in[i];
      wanted = step + 1;
      g_assert_true (SAME_BITS (wanted, out[i]));
    }
}

static void
test_holds (void)
{
  load ("outside.so");
  for (guint p = 0; p < G_N_ELEMENTS (pairs); p++)
    {
      g_autofree char *name = g_strconcat ("outside_", pairs[p].name, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaOp) op = candela_registry_lookup_op (candela_registry_get_default (), name, &error);
      g_autoptr (GVariant) report = NULL;
      gboolean holds = FALSE;

      g_assert_no_error (error);
      report = candela_op_check (op, 1, 10, 0, NULL, &error);
      g_assert_no_error (error);
      g_assert_true (g_variant_lookup (report, "proven", "b", &holds));
      g_assert_true (holds);
    }
}

/* Which rows serve is settled when the ops are registered. */
static void
test_instruction_sets (void)
{
  static const char *const sets[] = { "baseline", "avx2", "avx512" };

  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    {
      g_setenv ("CANDELA_CPU", sets[i], TRUE);
      g_test_trap_subprocess ("/outside/bits", 0, 0);
      g_test_trap_assert_passed ();
      g_test_trap_subprocess ("/outside/holds", 0, 0);
      g_test_trap_assert_passed ();
    }
  g_unsetenv ("CANDELA_CPU");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/outside/rounded", test_rounded);
  g_test_add_func ("/outside/bits", test_bits);
  g_test_add_func ("/outside/holds", test_holds);
  g_test_add_func ("/outside/instruction-sets", test_instruction_sets);
  return g_test_run ();
}
