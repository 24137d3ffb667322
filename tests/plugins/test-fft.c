/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The fft plugin, against sums in long double; which half of a spectrum is kept, what
 * lengths do and what each norm divides by are those of the array API standard. With
 * TEST_FFTW, which names its folder, the same of the plugin fftw. */
#include "op-testing.h"

#ifdef TEST_FFTW
#define PLUGIN "fftw"
#define LICENCE "GPL-2.0-or-later"
#else
#define PLUGIN "fft"
#define LICENCE "LGPL-2.1-or-later"
#endif

/* Small factors, primes beyond which there is a convolution, and both. */
static const gint64 lengths[] = { 1, 2, 3, 4, 5, 8, 12, 30, 61, 64, 67, 97, 100, 127, 134, 201, 256, 331 };

static void
fill (double *parts, gint64 n)
{
  for (gint64 i = 0; i < 2 * n; i++)
    parts[i] = sin (1.7 * (double) i) + 0.25 * cos (0.3 * (double) (i * i % 1000));
}

/* Σ x[j] exp (∓2πi jk / n) */
static void
sum_line (const double *x, gint64 n, gboolean inverse, gint64 k, long double *re, long double *im)
{
  *re = *im = 0;
  for (gint64 j = 0; j < n; j++)
    {
      long double angle = 2 * acosl (-1) * (long double) (j * k % n) / (long double) n * (inverse ? 1 : -1);

      *re += x[2 * j] * cosl (angle) - x[2 * j + 1] * sinl (angle);
      *im += x[2 * j] * sinl (angle) + x[2 * j + 1] * cosl (angle);
    }
}

static CandelaNode *
make_line (CandelaDType dtype, const double *parts, gint64 n)
{
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (dtype, &n, 1, NULL);
  gpointer data = candela_tensor_get_writable_data (tensor);

  for (gint64 i = 0; i < n; i++)
    if (dtype == CANDELA_DTYPE_COMPLEX128)
      memcpy ((double *) data + 2 * i, parts + 2 * i, 2 * sizeof (double));
    else if (dtype == CANDELA_DTYPE_COMPLEX64)
      {
        ((float *) data)[2 * i] = (float) parts[2 * i];
        ((float *) data)[2 * i + 1] = (float) parts[2 * i + 1];
      }
    else
      ((double *) data)[i] = parts[2 * i];
  return candela_node_new_tensor (tensor);
}

static void
test_complex (void)
{
  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
    for (guint way = 0; way < 4; way++)
      {
        gint64 n = lengths[l];
        gboolean inverse = way % 2;
        CandelaDType dtype = way < 2 ? CANDELA_DTYPE_COMPLEX128 : CANDELA_DTYPE_COMPLEX64;
        g_autofree double *parts = g_new (double, 2 * n);
        g_autoptr (CandelaNode) x = NULL;
        g_autoptr (CandelaTensor) got = NULL;

        fill (parts, n);
        x = make_line (dtype, parts, n);
        got = compute_op (inverse ? "ifft" : "fft", "{'norm': <'ortho'>}", x, NULL);
        g_assert_cmpint (candela_tensor_get_dtype (got), ==, dtype);
        for (gint64 k = 0; k < n; k++)
          {
            long double re, im, root = sqrtl ((long double) n);

            sum_line (parts, n, inverse, k, &re, &im);
            if (hypot (part_of (got, 2 * k) - (double) (re / root), part_of (got, 2 * k + 1) - (double) (im / root))
                <= (way < 2 ? 1e-14 : 1e-6) * sqrt ((double) n))
              continue;
            g_test_message ("length %" G_GINT64_FORMAT ", inverse %d, %" G_GINT64_FORMAT ": %g %g and not %g %g", n,
                            inverse, k, part_of (got, 2 * k), part_of (got, 2 * k + 1), (double) (re / root),
                            (double) (im / root));
            g_test_fail ();
            return;
          }
      }
}

static void
test_real (void)
{
  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
    {
      gint64 n = lengths[l];
      g_autofree double *parts = g_new (double, 2 * n);
      g_autofree char *back = g_strdup_printf ("{'n': <int64 %" G_GINT64_FORMAT ">}", n);
      g_autoptr (CandelaNode) x = NULL, half_node = NULL, backwards_node = NULL;
      g_autoptr (CandelaTensor) half = NULL, again = NULL, backwards = NULL, spectrum = NULL;

      fill (parts, n);
      for (gint64 i = 0; i < n; i++)
        parts[2 * i + 1] = 0;
      x = make_line (CANDELA_DTYPE_FLOAT64, parts, n);
      half = compute_op ("rfft", NULL, x, NULL);
      backwards = compute_op ("ihfft", NULL, x, NULL);
      g_assert_cmpint (candela_tensor_get_n_elements (half), ==, n / 2 + 1);
      g_assert_cmpint (candela_tensor_get_dtype (half), ==, CANDELA_DTYPE_COMPLEX128);
      for (gint64 k = 0; k <= n / 2; k++)
        {
          long double re, im;

          sum_line (parts, n, FALSE, k, &re, &im);
          g_assert_cmpfloat_with_epsilon (part_of (half, 2 * k), (double) re, 1e-13 * (double) n);
          g_assert_cmpfloat_with_epsilon (part_of (half, 2 * k + 1), (double) im, 1e-13 * (double) n);
          /* The conjugate, divided by n. */
          g_assert_cmpfloat_with_epsilon (part_of (backwards, 2 * k), (double) re / (double) n, 1e-13);
          g_assert_cmpfloat_with_epsilon (part_of (backwards, 2 * k + 1), -(double) im / (double) n, 1e-13);
        }
      half_node = candela_node_new_tensor (half);
      backwards_node = candela_node_new_tensor (backwards);
      again = compute_op ("irfft", back, half_node, NULL);
      spectrum = compute_op ("hfft", back, backwards_node, NULL);
      g_assert_cmpint (candela_tensor_get_dtype (again), ==, CANDELA_DTYPE_FLOAT64);
      for (gint64 i = 0; i < n; i++)
        {
          g_assert_cmpfloat_with_epsilon (part_of (again, i), parts[2 * i], 1e-13);
          g_assert_cmpfloat_with_epsilon (part_of (spectrum, i), parts[2 * i], 1e-13);
        }
    }
}

/* By hand: of 1 2 3 4 the transform is 10, -2+2i, -2, -2-2i. */
static const struct
{
  const char *op, *params, *dtype, *shape, *elements, *result_dtype, *result_shape;
  double expected[16]; /* parts of complex results */
} values[] = {
  { "fft", NULL, "int32", "4", "1 2 3 4", "complex128", "4", { 10, 0, -2, 2, -2, 0, -2, -2 } },
  { "fft", NULL, "float32", "4", "1 2 3 4", "complex64", "4", { 10, 0, -2, 2, -2, 0, -2, -2 } },
  { "fft",
    "{'norm': <'forward'>}",
    "int8",
    "4",
    "1 2 3 4",
    "complex128",
    "4",
    { 2.5, 0, -0.5, 0.5, -0.5, 0, -0.5, -0.5 } },
  { "ifft", NULL, "bool", "2", "1 1", "complex128", "2", { 1, 0, 0, 0 } },
  { "ifft", "{'norm': <'forward'>}", "float64", "2", "1 3", "complex128", "2", { 4, 0, -2, 0 } },
  { "fft", "{'n': <int64 2>}", "float64", "4", "1 2 3 4", "complex128", "2", { 3, 0, -1, 0 } },
  { "fft", "{'n': <int64 4>}", "float64", "1", "5", "complex128", "4", { 5, 0, 5, 0, 5, 0, 5, 0 } },
  { "rfft", NULL, "float64", "4", "1 2 3 4", "complex128", "3", { 10, 0, -2, 2, -2, 0 } },
  { "rfft", "{'n': <int64 3>}", "float64", "2", "1 1", "complex128", "2", { 2, 0, 0.5, -0.8660254037844386 } },
  { "fft", "{'axis': <int64 0>}", "float64", "2 2", "1 2 3 4", "complex128", "2 2", { 4, 0, 6, 0, -2, 0, -2, 0 } },
  { "fft", "{'axis': <int64 -1>}", "float64", "2 2", "1 2 3 4", "complex128", "2 2", { 3, 0, -1, 0, 7, 0, -1, 0 } },
  { "irfft", NULL, "float64", "2", "3 1", "float64", "2", { 2, 1 } },
  { "irfft", NULL, "float32", "3", "4 0 0", "float32", "4", { 1, 1, 1, 1 } },
  { "hfft", "{'n': <int64 1>}", "float64", "2", "3 1", "float64", "1", { 3 } },
  { "fft", NULL, "float64", "0 3", "", "complex128", "0 3", { 0 } },
};

static void
test_values (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autoptr (CandelaNode) x = make_value (values[i].dtype, values[i].shape, values[i].elements);
      g_autoptr (CandelaTensor) got = compute_op (values[i].op, values[i].params, x, NULL);
      g_autofree char *shape = shape_text (got);
      gint64 n = candela_tensor_get_n_elements (got);

      g_assert_cmpstr (shape, ==, values[i].result_shape);
      g_assert_cmpstr (candela_dtype_get_name (candela_tensor_get_dtype (got)), ==, values[i].result_dtype);
      if (g_str_has_prefix (values[i].result_dtype, "complex"))
        n *= 2;
      for (gint64 k = 0; k < n; k++)
        if (fabs (part_of (got, k) - values[i].expected[k]) > 1e-6)
          {
            g_test_message ("row %u, part %" G_GINT64_FORMAT ": %g and not %g", i, k, part_of (got, k),
                            values[i].expected[k]);
            g_test_fail ();
          }
    }
}

/* Lines that are strided, reversed or among threads have the bits of packed ones. */
static void
test_layouts (void)
{
  static const char *const texts[] = { "fft(x.T, axis=0)", "fft(x[::-1], axis=1)[::-1]", "fft(x, axis=1)",
                                       "fft(contiguous(x.T), axis=0).T" };
  gint64 shape[2] = { 300, 200 };
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (CANDELA_DTYPE_FLOAT64, shape, 2, NULL);
  g_autoptr (GHashTable) names =
    g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) candela_node_unref);
  g_autoptr (CandelaTensor) first = NULL;

  for (gint64 i = 0; i < 300 * 200; i++)
    ((double *) candela_tensor_get_writable_data (tensor))[i] = sin ((double) i);
  g_hash_table_insert (names, "x", candela_node_new_tensor (tensor));
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint threads = 1; threads <= 3; threads += 2)
      {
        g_autoptr (GError) error = NULL;
        g_autofree char *text = g_strdup_printf (i == 0 ? "contiguous((%s).T)" : "contiguous(%s)", texts[i]);
        g_autoptr (CandelaNode) node = candela_expression_build_with_names (text, names, &error);
        g_autoptr (CandelaTensor) got = NULL;

        g_assert_no_error (error);
        candela_set_num_threads (threads);
        got = compute (node);
        if (first == NULL)
          first = g_object_ref (got);
        g_assert_cmpmem (candela_tensor_get_data (got), 300 * 200 * 16, candela_tensor_get_data (first),
                         300 * 200 * 16);
      }
  candela_set_num_threads (0);
}

static void
test_frequencies (void)
{
  g_autoptr (CandelaTensor) even = compute_op ("fftfreq", "{'n': <int64 4>, 'd': <0.5>}", NULL, NULL);
  g_autoptr (CandelaTensor) odd = compute_op ("fftfreq", "{'n': <int64 5>, 'dtype': <'float32'>}", NULL, NULL);
  g_autoptr (CandelaTensor) half = compute_op ("rfftfreq", "{'n': <int64 4>}", NULL, NULL);
  static const double evens[] = { 0, 0.5, -1, -0.5 }, odds[] = { 0, 0.2, 0.4, -0.4, -0.2 }, halves[] = { 0, 0.25, 0.5 };

  for (guint i = 0; i < 4; i++)
    g_assert_cmpfloat (part_of (even, i), ==, evens[i]);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpfloat_with_epsilon (part_of (odd, i), odds[i], 1e-7);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat (part_of (half, i), ==, halves[i]);
  g_assert_cmpint (candela_tensor_get_n_elements (half), ==, 3);
}

static const struct
{
  const char *op, *params, *dtype, *shape, *message;
  CandelaError code;
} wrongs[] = {
  { "fft", "{'axis': <int64 1>}", "float64", "3", "fft: axis 1 is out of range", CANDELA_ERROR_AXIS },
  { "fft", NULL, "float64", "", "fft: axis -1 is out of range", CANDELA_ERROR_AXIS },
  { "fft", NULL, "float64", "3 0", "fft: a transform of length 0", CANDELA_ERROR_PARAMETER },
  { "irfft", NULL, "float64", "1", "irfft: a transform of length 0", CANDELA_ERROR_PARAMETER },
  { "fft", "{'n': <int64 0>}", "float64", "3", "fft: n is 0", CANDELA_ERROR_PARAMETER },
  { "fft", "{'norm': <'half'>}", "float64", "3", "fft: norm is", CANDELA_ERROR_PARAMETER },
  { "rfft", NULL, "complex64", "3", "rfft: x has dtype complex64", CANDELA_ERROR_DTYPE },
  { "fft", "{'n': <int64 9223372036854775807>}", "float64", "3", "fft: ", CANDELA_ERROR_SHAPE },
};

static void
test_wrong (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (wrongs); i++)
    {
      gint64 shape[CANDELA_MAX_RANK];
      gsize rank = read_shape (wrongs[i].shape, shape);
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) x = candela_node_new_slot ("x", read_dtype (wrongs[i].dtype), shape, rank, NULL);
      g_autoptr (CandelaNode) node = make_op (wrongs[i].op, wrongs[i].params, x, NULL, &error);

      g_assert_null (node);
      g_assert_error (error, CANDELA_ERROR, (gint) wrongs[i].code);
      g_assert_true (g_str_has_prefix (error->message, wrongs[i].message));
    }
}

/* Which plugin is tested. */
static void
test_plugin (void)
{
  g_autoptr (GError) error = NULL;
  CandelaRegistry *registry = candela_registry_get_default ();
  CandelaOp *op = candela_registry_lookup_op (registry, "irfft", &error);
  CandelaPlugin *plugin;

  g_assert_no_error (error);
  g_assert_cmpstr (candela_op_get_plugin_name (op), ==, PLUGIN);
  plugin = candela_registry_lookup_plugin (registry, PLUGIN, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (candela_plugin_get_license (plugin), ==, LICENCE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#ifdef TEST_FFTW
  g_autofree char *path = g_strdup_printf (TEST_FFTW ":%s", g_getenv ("CANDELA_PLUGIN_PATH"));

  g_setenv ("CANDELA_PLUGIN_PATH", path, TRUE);
#endif
  g_test_add_func ("/fft/plugin", test_plugin);
  g_test_add_func ("/fft/complex", test_complex);
  g_test_add_func ("/fft/real", test_real);
  g_test_add_func ("/fft/values", test_values);
  g_test_add_func ("/fft/layouts", test_layouts);
  g_test_add_func ("/fft/frequencies", test_frequencies);
  g_test_add_func ("/fft/wrong", test_wrong);
  return g_test_run ();
}
