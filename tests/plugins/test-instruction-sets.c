/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loops of each instruction set: the tests of the element-wise ops, of what is
 * computed over vectors and of reductions run with each of them, and what is exact (arithmetic, comparisons, roots, rounding, choices)
 * or of a fixed order (reductions) has the same bits with all of them, at every length around a vector's.
 *
 * Which loops serve is settled when the plugin is loaded, so each set has a process of
 * its own: this program started again, which writes its results to its output. */
#include <candela/candela.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define N_MAX 131

static const char *const sets[] = { "baseline", "avx2", "avx512", "unknown" };

static const char *const unary[] = {
  "abs",        "ceil", "floor", "isfinite", "isinf",   "isnan", "logical_not", "negative", "positive",
  "reciprocal", "relu", "round", "sign",     "signbit", "sqrt",  "square",      "trunc",
};

static const char *const binary[] = {
  "add",           "copysign",    "divide",     "equal",       "floor_divide",       "greater",
  "greater_equal", "less",        "less_equal", "logical_and", "logical_or",         "logical_xor",
  "maximum",       "minimum",     "multiply",   "nextafter",   "not_equal",          "remainder",
  "subtract",      "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift",
};

/* First those of complex numbers. */
static const char *const reductions[] = {
  "sum", "prod", "mean", "any", "all", "var", "std", "max", "min", "argmax", "argmin",
};
#define N_COMPLEX_REDUCTIONS 5

static const double specials[] = { 0,     -0.0,   1,      -1,    INFINITY, -INFINITY, NAN,     0.5,
                                   -2.5,  1.5,    3.5e38, 1e-40, -1e-45,   5e-324,    1.7e308, 255,
                                   65536, -32769, 0.1,    1e10,  3,        7,         -7,      2147483647.0 };

static double
value_at (guint32 *state)
{
  guint32 word = *state = *state * 1664525u + 1013904223u;

  if (word >> 30 == 0)
    return specials[(word >> 8) % G_N_ELEMENTS (specials)];

  return ((double) (word >> 4) / (1 << 27) - 1.0) * (word & 1024 ? 100.0 : 1e6);
}

static gboolean
is_complex (CandelaDType dtype)
{
  return candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_COMPLEX;
}

static CandelaNode *
new_operand (CandelaDType dtype, gint64 n, guint32 seed)
{
  g_autoptr (GError) error = NULL;
  const gint64 parts = is_complex (dtype) ? 2 : 1;
  double values[2 * 3 * N_MAX];
  g_autoptr (CandelaTensor) tensor = NULL;
  g_autoptr (CandelaNode) node = NULL;

  for (gint64 i = 0; i < parts * n; i++)
    {
      values[i] = value_at (&seed);
      /* What is out of an integer's range has no integer. */
      if (candela_dtype_get_kind (dtype) != CANDELA_DTYPE_KIND_FLOAT && !is_complex (dtype))
        values[i] = isfinite (values[i]) ? fmod (trunc (values[i]), 101) : 0;
    }
  tensor = candela_tensor_new_from_data (parts == 2 ? CANDELA_DTYPE_COMPLEX128 : CANDELA_DTYPE_FLOAT64, &n, 1,
                                         (const guint8 *) values, parts * n * sizeof (double), &error);
  g_assert_no_error (error);
  node = candela_node_new_tensor (tensor);

  return candela_node_new_op ("astype", &error, node, NULL, "dtype", "s", candela_dtype_get_name (dtype), NULL);
}

/* The bits, every NaN as the same; of complex numbers those of each part. */
static void
write_result (CandelaNode *node)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_node_materialize (node, &error);
  const CandelaDType dtype = candela_tensor_get_dtype (tensor);
  const gboolean is_float = is_complex (dtype) || candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_FLOAT;
  const gsize parts = is_complex (dtype) ? 2 : 1, size = candela_dtype_get_size (dtype) / parts;

  g_assert_no_error (error);
  for (gint64 i = 0; i < candela_tensor_get_n_elements (tensor) * (gint64) parts; i++)
    {
      const guint8 *element = (const guint8 *) candela_tensor_get_data (tensor) + i * (gint64) size;

      if (is_float && (size == sizeof (float) ? isnan (*(const float *) element) : isnan (*(const double *) element)))
        fputs ("nan", stdout);
      else
        for (gsize k = 0; k < size; k++)
          printf ("%02x", element[k]);
      putchar (' ');
    }
  putchar ('\n');
}

static CandelaNode *
new_with (const char *op, CandelaNode *x, const char *params)
{
  g_autoptr (GError) error = NULL;
  GVariant *variant = params != NULL ? g_variant_parse (NULL, params, NULL, NULL, &error) : NULL;
  CandelaNode *node;

  g_assert_no_error (error);
  node = candela_node_new_opv (op, &x, 1, variant, &error);
  g_assert_no_error (error);
  g_clear_pointer (&variant, g_variant_unref);

  return node;
}

/* Of three rows of n elements: all of them, the rows and the columns. */
static void
write_reduction (const char *op, CandelaDType dtype, gint64 n)
{
  static const char *const params[] = { NULL, "{'axis': <int64 1>}", "{'axis': <int64 0>}" };
  g_autofree char *shape = g_strdup_printf ("{'shape': <[int64 3, %" G_GINT64_FORMAT "]>}", n);
  g_autoptr (CandelaNode) packed = new_operand (dtype, 3 * n, 3);
  g_autoptr (CandelaNode) x = new_with ("reshape", packed, shape);

  for (gsize i = 0; i < G_N_ELEMENTS (params); i++)
    {
      g_autoptr (CandelaNode) node = new_with (op, x, params[i]);

      printf ("%s %s %" G_GINT64_FORMAT ": ", op, candela_dtype_get_name (dtype), n);
      write_result (node);
    }
}

static void
write_op (const char *op, CandelaDType dtype, gint64 n, guint n_inputs)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x1 = new_operand (dtype, n, 1);
  g_autoptr (CandelaNode) x2 = new_operand (dtype, n, 2);
  CandelaNode *inputs[] = { x1, x2 };
  g_autoptr (CandelaNode) node = candela_node_new_opv (op, inputs, n_inputs, NULL, &error);

  if (node == NULL)
    return;
  printf ("%s %s %" G_GINT64_FORMAT ": ", op, candela_dtype_get_name (dtype), n);
  write_result (node);
}

static int
write_results (void)
{
  static const CandelaDType dtypes[] = { CANDELA_DTYPE_FLOAT32,   CANDELA_DTYPE_FLOAT64,   CANDELA_DTYPE_INT8,
                                         CANDELA_DTYPE_INT16,     CANDELA_DTYPE_INT32,     CANDELA_DTYPE_INT64,
                                         CANDELA_DTYPE_UINT8,     CANDELA_DTYPE_UINT64,    CANDELA_DTYPE_BOOL,
                                         CANDELA_DTYPE_COMPLEX64, CANDELA_DTYPE_COMPLEX128 };
  static const gint64 lengths[] = { 1, 7, 17, 66, N_MAX };

  for (gsize d = 0; d < G_N_ELEMENTS (dtypes); d++)
    for (gsize l = 0; l < G_N_ELEMENTS (lengths); l++)
      {
        for (gsize i = 0; i < G_N_ELEMENTS (unary); i++)
          write_op (unary[i], dtypes[d], lengths[l], 1);
        for (gsize i = 0; i < G_N_ELEMENTS (binary); i++)
          write_op (binary[i], dtypes[d], lengths[l], 2);
        for (gsize i = 0; i < (is_complex (dtypes[d]) ? N_COMPLEX_REDUCTIONS : G_N_ELEMENTS (reductions)); i++)
          write_reduction (reductions[i], dtypes[d], lengths[l]);
      }
  return 0;
}

static char *
run_with (const char *set, const char *program, const char *argument)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = NULL;
  char *output = NULL;

  g_subprocess_launcher_setenv (launcher, "CANDELA_CPU", set, TRUE);
  process = g_subprocess_launcher_spawn (launcher, &error, program, argument, NULL);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, &output, NULL, &error);
  g_assert_no_error (error);
  if (!g_subprocess_get_successful (process))
    g_test_message ("%s", output);
  g_assert_true (g_subprocess_get_successful (process));

  return output;
}

static char *self;

static void
test_same_bits (void)
{
  g_autofree char *wanted = run_with (sets[0], self, "--write");
  g_auto (GStrv) wanted_lines = g_strsplit (wanted, "\n", -1);

  g_assert_cmpuint (g_strv_length (wanted_lines), >, 1000);
  for (gsize i = 1; i < G_N_ELEMENTS (sets); i++)
    {
      g_autofree char *got = run_with (sets[i], self, "--write");
      g_auto (GStrv) got_lines = g_strsplit (got, "\n", -1);

      g_assert_cmpuint (g_strv_length (got_lines), ==, g_strv_length (wanted_lines));
      for (guint k = 0; wanted_lines[k] != NULL; k++)
        g_assert_cmpstr (got_lines[k], ==, wanted_lines[k]);
    }
}

static void
test_all_values (gconstpointer name)
{
  g_autofree char *program = g_test_build_filename (G_TEST_BUILT, "plugins", name, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (sets); i++)
    {
      g_autofree char *output = NULL;

      g_test_message ("%s", sets[i]);
      output = run_with (sets[i], program, "--tap");
      g_assert_nonnull (strstr (output, "ok 1 "));
    }
}

int
main (int argc, char **argv)
{
  if (argc > 1 && g_str_equal (argv[1], "--write"))
    return write_results ();

  self = argv[0];
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/plugins/instruction-sets/same-bits", test_same_bits);
  g_test_add_data_func ("/plugins/instruction-sets/values", "test-elementwise", test_all_values);
  g_test_add_data_func ("/plugins/instruction-sets/division", "test-division", test_all_values);
  g_test_add_data_func ("/plugins/instruction-sets/transcendental", "test-transcendental", test_all_values);
  g_test_add_data_func ("/plugins/instruction-sets/reductions", "test-reduce", test_all_values);

  return g_test_run ();
}
