/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Complex numbers through the element-wise ops. Values from mpmath at 40 digits; what
 * is said of infinities, NaN and signed zeros from the special cases of the array API
 * standard 2024.12; dtypes from its promotion rules. */
#include "op-testing.h"

#define N 4

static const double z[2 * N] = { 3, -4, -0.5, 2, 1e-3, 1e-3, -2, -0.25 };
static const double w[2 * N] = { 1, 1, -2, 0.5, 0.25, -3, 2, 0 };

typedef struct
{
  const char *op;
  double expected[2 * N];
} Value;

static const Value unary[] = {
  { "exp",
    { -13.128783081462158, 15.200784463067954, -0.25240581530826373, 0.55151676816758077, 1.0009999996665,
      0.0010010003333332999, 0.13112803702368242, -0.033482484899570245 } },
  { "expm1",
    { -14.128783081462158, 15.200784463067954, -1.2524058153082638, 0.55151676816758077, 0.00099999966649996666,
      0.0010010003333332999, -0.86887196297631752, -0.033482484899570245 } },
  { "log",
    { 1.6094379124341003, -0.92729521800161219, 0.72345949146816269, 1.8157749899217608, -6.5611816887021641,
      0.78539816339744828, 0.70089927382792794, -3.0172376590430319 } },
  { "log1p",
    { 1.7328679513998633, -0.78539816339744828, 0.72345949146816269, 1.3258176636680326, 0.00099999933433253334,
      0.00099900066666586801, 0.03031231090821742, -2.8966139904629289 } },
  { "log2",
    { 2.3219280948873622, -1.3378042124509761, 1.0437314206251698, 2.6196095733303317, -9.465784284662087,
      1.1330900354567985, 1.0111839065142272, -4.3529538078848073 } },
  { "log10",
    { 0.69897000433601886, -0.40271919627337316, 0.31419446502515574, 0.78858105850095339, -2.8494850021680094,
      0.34109408846046035, 0.30439668699346539, -1.3103696659130739 } },
  { "sin",
    { 3.8537380379193773, 27.016813258003936, -1.8036926955321817, 3.1828694483371489, 0.0010000003333333,
      0.00099999966666663325, -0.93786127771479577, 0.10512381651256376 } },
  { "cos",
    { -27.034945603074224, 3.8511533348117775, 3.3016373329140944, 1.7388095044743164, 0.99999999999983336,
      -9.9999999999998894e-07, -0.42921929868816616, -0.22969972965814134 } },
  { "tan",
    { -0.00018734620462947842, -0.99935598738147313, -0.030215987322877575, 0.97994084996173803, 0.00099999933333280006,
      0.0010000006666661333, 1.5966892107707558, -1.099398135211779 } },
  { "asin",
    { 0.63398386563917675, -2.3055090312434769, -0.22101863562288385, 1.4657153519472905, 0.00099999966666636676,
      0.0010000003333330333, -1.427924144520526, -1.3287633703408075 } },
  { "acos",
    { 0.93681246115571992, 2.3055090312434769, 1.7918149624177804, -1.4657153519472905, 1.5697963271282303,
      -0.0010000003333330333, 2.9987204713154223, 1.3287633703408075 } },
  { "atan",
    { 1.4483069952314644, -0.15899719167999918, -1.4215468610018069, 0.50037000005253107, 0.0010000006666658666,
      0.00099999933333253335, -1.1121113339878292, -0.04954423214593718 } },
  { "sinh",
    { -6.5481200409110016, 7.6192317203214106, 0.21685216292078971, 1.0253473885839877, 0.00099999966666663325,
      0.0010000003333333, -3.5141101009735118, -0.93078210946439655 } },
  { "cosh",
    { -6.5806630405511566, 7.5815527427465446, -0.46925797822905341, -0.473830620416407, 0.99999999999983336,
      9.9999999999998894e-07, 3.6452381379971941, 0.89729962456482626 } },
  { "tanh",
    { 1.0007095360672329, -0.0049082580674960604, -1.3212865837711918, -0.85087812114493766, 0.0010000006666661333,
      0.00099999933333280006, -0.96821457218350904, -0.017009461384601497 } },
  { "asinh",
    { 2.2999140408792695, -0.91761685335147869, -1.3618009008578458, 1.2930420702371828, 0.0010000003333330333,
      0.00099999966666636676, -1.449208152255119, -0.11147792536848175 } },
  { "acosh",
    { 2.3055090312434769, -0.93681246115571992, 1.4657153519472905, 1.7918149624177804, 0.0010000003333330333,
      1.5697963271282303, 1.3287633703408075, -2.9987204713154223 } },
  { "atanh",
    { 0.11750090731143389, -1.4099210495965755, -0.096415620202996169, 1.1265564408348223, 0.00099999933333253335,
      0.0010000006666658666, -0.53588009959108962, -1.4898776111756851 } },
  { "sqrt",
    { 2, -1, 0.88361553087551326, 1.1317139242778693, 0.03474344227601156, 0.014391204994250744, 0.088216883516244821,
      -1.4169623207895539 } },
  { "square", { -7, -24, -3.75, -2, 0, 1.9999999999999999e-06, 3.9375, 1 } },
  { "reciprocal",
    { 0.12, 0.16, -0.11764705882352941, -0.47058823529411764, 500, -500, -0.49230769230769234, 0.061538461538461542 } },
  { "negative", { -3, 4, 0.5, -2, -0.001, -0.001, 2, 0.25 } },
  { "conj", { 3, 4, -0.5, -2, 0.001, -0.001, -2, 0.25 } },
  { "sign",
    { 0.59999999999999998, -0.80000000000000004, -0.24253562503633297, 0.97014250014533188, 0.70710678118654757,
      0.70710678118654757, -0.99227787671366763, -0.12403473458920845 } },
};

static const Value binary[] = {
  { "add", { 4, -3, -2.5, 2.5, 0.251, -2.9990000000000001, 0, -0.25 } },
  { "subtract", { 2, -5, 1.5, 1.5, -0.249, 3.0009999999999999, -4, -0.25 } },
  { "multiply", { 7, -1, 0, -4.25, 0.0032500000000000003, -0.0027499999999999998, -4, -0.5 } },
  { "divide",
    { -0.5, -3.5, 0.47058823529411764, -0.88235294117647056, -0.00030344827586206897, 0.00035862068965517241, -1,
      -0.125 } },
  { "pow",
    { 9.8101592289381312, 7.9679232132053563, -0.094132655530328388, 0.012136995789335166, 1.0527382851486928,
      1.75441213060865, 3.9375, 1 } },
};

static CandelaNode *
make_complex (CandelaDType dtype, const double *parts, gint64 n)
{
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (dtype, &n, 1, NULL);
  gpointer data = candela_tensor_get_writable_data (tensor);

  for (gint64 i = 0; i < 2 * n; i++)
    if (dtype == CANDELA_DTYPE_COMPLEX64)
      ((float *) data)[i] = (float) parts[i];
    else
      ((double *) data)[i] = parts[i];
  return candela_node_new_tensor (tensor);
}

/* Relative to the magnitude of each number: a part may be small beside the other. */
static void
check_near (const Value *value, CandelaDType dtype, CandelaTensor *got)
{
  double tolerance = dtype == CANDELA_DTYPE_COMPLEX64 ? 2e-6 : 4e-15;

  g_assert_cmpint (candela_tensor_get_dtype (got), ==, dtype);
  for (guint k = 0; k < N; k++)
    {
      const double *expected = value->expected + 2 * k;
      double distance = hypot (part_of (got, 2 * k) - expected[0], part_of (got, 2 * k + 1) - expected[1]);

      if (distance <= tolerance * hypot (expected[0], expected[1]))
        continue;
      g_test_message ("%s of element %u: %.17g %.17g and not %.17g %.17g", value->op, k, part_of (got, 2 * k),
                      part_of (got, 2 * k + 1), expected[0], expected[1]);
      g_test_fail ();
    }
}

static void
test_values (void)
{
  for (CandelaDType dtype = CANDELA_DTYPE_COMPLEX64; dtype <= CANDELA_DTYPE_COMPLEX128; dtype++)
    {
      g_autoptr (CandelaNode) a = make_complex (dtype, z, N);
      g_autoptr (CandelaNode) b = make_complex (dtype, w, N);

      for (guint i = 0; i < G_N_ELEMENTS (unary); i++)
        {
          g_autoptr (CandelaTensor) got = compute_op (unary[i].op, NULL, a, NULL);

          check_near (&unary[i], dtype, got);
        }
      for (guint i = 0; i < G_N_ELEMENTS (binary); i++)
        {
          g_autoptr (CandelaTensor) got = compute_op (binary[i].op, NULL, a, b);

          check_near (&binary[i], dtype, got);
        }
    }
}

/* Real results. */
static void
test_parts (void)
{
  static const struct
  {
    const char *op;
    double expected[N];
  } parts[] = { { "real", { 3, -0.5, 1e-3, -2 } },
                { "imag", { -4, 2, 1e-3, -0.25 } },
                { "abs", { 5, 2.0615528128088303, 0.0014142135623730951, 2.0155644370746373 } } };

  for (CandelaDType dtype = CANDELA_DTYPE_COMPLEX64; dtype <= CANDELA_DTYPE_COMPLEX128; dtype++)
    for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
      {
        g_autoptr (CandelaNode) a = make_complex (dtype, z, N);
        g_autoptr (CandelaTensor) got = compute_op (parts[i].op, NULL, a, NULL);

        g_assert_cmpint (candela_tensor_get_dtype (got), ==,
                         dtype == CANDELA_DTYPE_COMPLEX64 ? CANDELA_DTYPE_FLOAT32 : CANDELA_DTYPE_FLOAT64);
        for (guint k = 0; k < N; k++)
          g_assert_cmpfloat_with_epsilon (part_of (got, k), parts[i].expected[k], 1e-6);
      }
}

#define ZERO (-1e300)     /* of either sign */
#define INFINITE (-2e300) /* of either sign */
#define PI_2 G_PI_2
#define PI_4 G_PI_4

/* From what to what, by the standard's lists. */
static const struct
{
  const char *op;
  double re, im, expected_re, expected_im;
} specials[] = {
  { "exp", INFINITY, 0, INFINITY, 0 },
  { "exp", -INFINITY, INFINITY, ZERO, ZERO },
  { "exp", INFINITY, INFINITY, INFINITE, NAN },
  { "exp", -INFINITY, NAN, ZERO, ZERO },
  { "exp", NAN, 0, NAN, 0 },
  { "exp", 1, INFINITY, NAN, NAN },
  { "expm1", 0, 0, 0, 0 },
  { "expm1", -0.0, 0, 0, 0 },
  { "expm1", INFINITY, 0, INFINITY, 0 },
  { "expm1", -INFINITY, INFINITY, -1, ZERO },
  { "expm1", INFINITY, NAN, INFINITE, NAN },
  { "expm1", NAN, 0, NAN, 0 },
  { "log", -0.0, 0, -INFINITY, G_PI },
  { "log", 0, 0, -INFINITY, 0 },
  { "log", 1, INFINITY, INFINITY, PI_2 },
  { "log", -INFINITY, INFINITY, INFINITY, 3 * PI_4 },
  { "log", NAN, INFINITY, INFINITY, NAN },
  { "log1p", -1, 0, -INFINITY, 0 },
  { "log1p", 1, INFINITY, INFINITY, PI_2 },
  { "log1p", INFINITY, NAN, INFINITY, NAN },
  { "sqrt", 0, 0, 0, 0 },
  { "sqrt", 1, INFINITY, INFINITY, INFINITY },
  { "sqrt", -INFINITY, 1, 0, INFINITY },
  { "sqrt", INFINITY, NAN, INFINITY, NAN },
  { "cosh", 0, 0, 1, 0 },
  { "cosh", INFINITY, INFINITY, INFINITE, NAN },
  { "sinh", 0, INFINITY, ZERO, NAN },
  { "sinh", INFINITY, 0, INFINITY, 0 },
  { "tanh", INFINITY, 1, 1, 0 },
  { "tanh", INFINITY, 5, 1, 0 },
  { "tanh", -INFINITY, 2, -1, 0 },
  { "tanh", INFINITY, NAN, 1, ZERO },
  { "tanh", 1, INFINITY, NAN, NAN },
  { "acos", -INFINITY, INFINITY, 3 * PI_4, -INFINITY },
  { "acos", INFINITY, 1, 0, -INFINITY },
  { "acosh", -INFINITY, 1, INFINITY, G_PI },
  { "asinh", INFINITY, INFINITY, INFINITY, PI_4 },
  { "atanh", 1, 0, INFINITY, 0 },
  { "atanh", INFINITY, NAN, 0, NAN },
  { "sign", 0, 0, 0, 0 },
  { "round", 1.5, -2.5, 2, -2 },
  { "round", 0.5, INFINITY, 0, INFINITY },
  { "round", NAN, 3.5, NAN, 4 },
};

static gboolean
is_special (double value, double expected)
{
  if (isnan (expected))
    return isnan (value);
  if (expected == ZERO)
    return value == 0;
  if (expected == INFINITE)
    return isinf (value);
  if (expected == 0 || isinf (expected))
    return value == expected && !signbit (value) == !signbit (expected);
  return fabs (value - expected) <= 1e-6;
}

static void
test_specials (void)
{
  for (CandelaDType dtype = CANDELA_DTYPE_COMPLEX64; dtype <= CANDELA_DTYPE_COMPLEX128; dtype++)
    for (guint i = 0; i < G_N_ELEMENTS (specials); i++)
      {
        const double parts[] = { specials[i].re, specials[i].im };
        g_autoptr (CandelaNode) a = make_complex (dtype, parts, 1);
        g_autoptr (CandelaTensor) got = compute_op (specials[i].op, NULL, a, NULL);

        if (is_special (part_of (got, 0), specials[i].expected_re)
            && is_special (part_of (got, 1), specials[i].expected_im))
          continue;
        g_test_message ("%s of %g %g: %g %g and not %g %g", specials[i].op, specials[i].re, specials[i].im,
                        part_of (got, 0), part_of (got, 1), specials[i].expected_re, specials[i].expected_im);
        g_test_fail ();
      }
}

static void
test_classes (void)
{
  static const double parts[] = { 1, 2, NAN, 0, 0, INFINITY, NAN, -INFINITY };
  static const struct
  {
    const char *op;
    const char *expected;
  } classes[] = { { "isfinite", "1 0 0 0" }, { "isinf", "0 0 1 1" }, { "isnan", "0 1 0 1" } };
  g_autoptr (CandelaNode) a = make_complex (CANDELA_DTYPE_COMPLEX64, parts, N);
  g_autoptr (CandelaNode) b = make_complex (CANDELA_DTYPE_COMPLEX128, parts, N);
  g_autoptr (CandelaTensor) equal = compute_op ("equal", NULL, a, b);
  g_autoptr (CandelaTensor) not_equal = compute_op ("not_equal", NULL, a, b);
  g_autoptr (CandelaTensor) same = make_tensor ("bool", "4", "1 0 1 0");
  g_autoptr (CandelaTensor) others = make_tensor ("bool", "4", "0 1 0 1");

  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    {
      g_autoptr (CandelaTensor) got = compute_op (classes[i].op, NULL, a, NULL);
      g_autoptr (CandelaTensor) wanted = make_tensor ("bool", "4", classes[i].expected);

      assert_same (got, wanted, classes[i].op);
    }
  assert_same (equal, same, "equal");
  assert_same (not_equal, others, "not_equal");
}

/* A step of several parts, over strided and broadcast operands, is what its parts are
 * one by one. */
static void
test_fused (void)
{
  g_autoptr (GHashTable) names =
    g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) candela_node_unref);
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = NULL;
  gint64 n = 3000;
  g_autofree double *parts = g_new (double, 2 * n);

  for (gint64 i = 0; i < 2 * n; i++)
    parts[i] = sin ((double) i);
  g_hash_table_insert (names, "a", make_complex (CANDELA_DTYPE_COMPLEX64, parts, n));
  g_hash_table_insert (names, "b", make_complex (CANDELA_DTYPE_COMPLEX128, parts, n));
  node = candela_expression_build_with_names (
    "c = conj(a[::-1]) * b + a[5] * 2; where(real(c) > imag(c), c, -c) / (abs(b) + 1)", names, &error);
  g_assert_no_error (error);
  {
    g_autoptr (CandelaTensor) got = compute (node);
    g_autoptr (CandelaPlan) plan = candela_node_plan (node, CANDELA_PLAN_NO_FUSION, &error);
    g_autofree CandelaTensor **plain = candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, NULL, NULL, &error);

    g_assert_no_error (error);
    assert_same (got, plain[0], "fused");
    g_assert_cmpint (candela_tensor_get_dtype (got), ==, CANDELA_DTYPE_COMPLEX128);
    g_object_unref (plain[0]);
  }
}

static void
test_casts (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) a = make_complex (CANDELA_DTYPE_COMPLEX128, z, N);
  g_autoptr (CandelaNode) x = make_value ("int8", "2", "-3 0");
  g_autoptr (CandelaTensor) narrow = compute_op ("astype", "{'dtype': <'complex64'>}", a, NULL);
  g_autoptr (CandelaTensor) widened = compute_op ("astype", "{'dtype': <'complex64'>}", x, NULL);
  g_autoptr (CandelaTensor) truth = compute_op ("astype", "{'dtype': <'bool'>}", a, NULL);
  g_autoptr (CandelaTensor) all = make_tensor ("bool", "4", "1 1 1 1");

  g_assert_cmpfloat (part_of (narrow, 4), ==, 1e-3f);
  g_assert_cmpfloat (part_of (widened, 0), ==, -3);
  g_assert_cmpfloat (part_of (widened, 1), ==, 0);
  assert_same (truth, all, "bool");
  g_assert_null (make_op ("astype", "{'dtype': <'float64'>}", a, NULL, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE);
  g_assert_nonnull (strstr (error->message, "complex128"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/complex/values", test_values);
  g_test_add_func ("/complex/parts", test_parts);
  g_test_add_func ("/complex/specials", test_specials);
  g_test_add_func ("/complex/classes", test_classes);
  g_test_add_func ("/complex/fused", test_fused);
  g_test_add_func ("/complex/casts", test_casts);
  return g_test_run ();
}
