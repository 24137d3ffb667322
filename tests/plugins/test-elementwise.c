/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element-wise plugin: the table of values, and what a table does not hold: which
 * dtype comes of which, several inputs and outputs, parameters, errors. */
#include "elementwise-cases.h"
#include <candela/candela.h>
#include <math.h>
#include <string.h>

#define MAX_ELEMENTS 32

static CandelaDType
dtype_of (const char *name)
{
  g_autoptr (GError) error = NULL;
  CandelaDType dtype = candela_dtype_from_name (name, &error);

  g_assert_no_error (error);
  return dtype;
}

#define STORE(T, value)                                                                                                \
  do                                                                                                                   \
    ((T *) data)[i] = (value);                                                                                         \
  while (0)

static void
store (gpointer data, CandelaDType dtype, gsize i, const char *text, char **end)
{
  switch (dtype)
    {
    case CANDELA_DTYPE_FLOAT32:
      STORE (float, g_ascii_strtod (text, end));
      break;
    case CANDELA_DTYPE_FLOAT64:
      STORE (double, g_ascii_strtod (text, end));
      break;
    case CANDELA_DTYPE_UINT64:
      STORE (guint64, g_ascii_strtoull (text, end, 10));
      break;
    default:
      {
        gint64 value = g_ascii_strtoll (text, end, 10);

        /* Little or big end: the low bytes, by size. */
        switch (candela_dtype_get_size (dtype))
          {
          case 1:
            STORE (guint8, (guint8) value);
            break;
          case 2:
            STORE (guint16, (guint16) value);
            break;
          case 4:
            STORE (guint32, (guint32) value);
            break;
          default:
            STORE (gint64, value);
          }
      }
    }
}

/* A tensor of one axis from numbers parted by blanks. */
static CandelaTensor *
new_tensor (const char *dtype_name, const char *values)
{
  g_autoptr (GError) error = NULL;
  CandelaDType dtype = dtype_of (dtype_name);
  guint64 data[MAX_ELEMENTS];
  gint64 n = 0;
  CandelaTensor *tensor;

  for (char *end = NULL; *values != '\0'; values = end)
    {
      g_assert_cmpint (n, <, MAX_ELEMENTS);
      store (data, dtype, n++, values, &end);
      g_assert_true (end != values);
    }
  tensor =
    candela_tensor_new_from_data (dtype, &n, 1, (const guint8 *) data, n * candela_dtype_get_size (dtype), &error);
  g_assert_no_error (error);

  return tensor;
}

static CandelaNode *
new_node (const char *dtype_name, const char *values)
{
  g_autoptr (CandelaTensor) tensor = new_tensor (dtype_name, values);

  return candela_node_new_tensor (tensor);
}

static double
ulp_of (double value, CandelaDType dtype)
{
  return dtype == CANDELA_DTYPE_FLOAT32 ? (double) nextafterf (fabsf ((float) value), INFINITY) - fabs (value)
                                        : nextafter (fabs (value), INFINITY) - fabs (value);
}

/* Equal elements: bits, but for the payload of NaN and for ulp units in the last place. */
static void
assert_equal (CandelaTensor *got, const char *dtype_name, const char *values, guint ulp)
{
  g_autoptr (CandelaTensor) want = new_tensor (dtype_name, values);
  CandelaDType dtype = candela_tensor_get_dtype (want);
  gint64 n = candela_tensor_get_n_elements (want);

  g_assert_cmpstr (candela_dtype_get_name (candela_tensor_get_dtype (got)), ==, dtype_name);
  g_assert_cmpint (candela_tensor_get_n_elements (got), ==, n);
  for (gint64 i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;

      if (candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_FLOAT)
        {
          double g = candela_tensor_get_double (got, &i, 1, &error);
          double w = candela_tensor_get_double (want, &i, 1, &error);

          g_assert_no_error (error);
          if (!(isnan (g) && isnan (w)) && !(g == w && signbit (g) == signbit (w))
              && !(fabs (g - w) <= ulp * ulp_of (w, dtype)))
            g_error ("element %" G_GINT64_FORMAT " is %.17g, not %.17g", i, g, w);
        }
      else
        {
          gint64 g = candela_tensor_get_int64 (got, &i, 1, &error);
          gint64 w = candela_tensor_get_int64 (want, &i, 1, &error);

          g_assert_no_error (error);
          g_assert_cmpint (g, ==, w);
        }
    }
}

static void
assert_value (CandelaNode *node, const char *dtype_name, const char *values, guint ulp)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = NULL;

  g_assert_nonnull (node);
  tensor = candela_node_materialize (node, &error);
  g_assert_no_error (error);
  assert_equal (tensor, dtype_name, values, ulp);
}

static void
test_values (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Case *c = &cases[i];
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) x1 = new_node (c->dtype1, c->x1);
      g_autoptr (CandelaNode) x2 = c->dtype2 != NULL ? new_node (c->dtype2, c->x2) : NULL;
      CandelaNode *inputs[] = { x1, x2 };
      g_autoptr (CandelaNode) node = candela_node_new_opv (c->op, inputs, x2 != NULL ? 2 : 1, NULL, &error);

      g_test_message ("%s of %s", c->op, c->dtype1);
      g_assert_no_error (error);
      g_assert_cmpint (candela_node_get_dtype (node), ==, dtype_of (c->result_dtype));
      assert_value (node, c->result_dtype, c->result, c->ulp);
    }
}

/* Which dtype comes of which, by the standard's categories, and which is refused. */
static const struct
{
  const char *op, *dtype1, *dtype2, *result; /* NULL: refused */
} promotions[] = {
  { "add", "int8", "uint8", "int16" },
  { "add", "int32", "float32", "float64" },
  { "add", "bool", "int8", "int8" },
  { "add", "float32", "float64", "float64" },
  { "subtract", "bool", "bool", NULL },
  { "subtract", "bool", "uint8", "uint8" },
  { "negative", "bool", NULL, NULL },
  { "sign", "bool", NULL, NULL },
  { "divide", "int8", "int8", "float64" },
  { "divide", "float32", "float32", "float32" },
  { "divide", "int16", "float32", "float32" },
  { "exp", "int64", NULL, "float64" },
  { "exp", "uint8", NULL, "float64" },
  { "exp", "float32", NULL, "float32" },
  { "exp", "complex64", NULL, "complex64" },
  { "add", "complex64", "float32", "complex64" },
  { "multiply", "complex64", "float64", "complex128" },
  { "abs", "complex128", NULL, "float64" },
  { "conj", "complex64", NULL, "complex64" },
  { "equal", "complex64", "int8", "bool" },
  { "less", "complex64", "float32", NULL },
  { "floor_divide", "complex64", "float32", NULL },
  { "floor", "complex64", NULL, NULL },
  { "signbit", "complex64", NULL, NULL },
  { "square", "bool", NULL, "int8" },
  { "bitwise_and", "float32", "float32", NULL },
  { "bitwise_and", "int8", "float32", NULL },
  { "bitwise_left_shift", "int16", "uint8", "int16" },
  { "bitwise_invert", "float64", NULL, NULL },
  { "less", "float32", "int8", "bool" },
  { "logical_and", "float32", "bool", "bool" },
  { "floor", "int16", NULL, "int16" },
  { "isnan", "int16", NULL, "bool" },
  { "maximum", "bool", "bool", "bool" },
  { "relu", "uint16", NULL, "uint16" },
  { "sigmoid", "int32", NULL, "float64" },
};

static void
test_dtypes (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (promotions); i++)
    {
      g_autoptr (GError) error = NULL;
      const gint64 shape[] = { 2 };
      g_autoptr (CandelaNode) x1 = candela_node_new_slot ("x1", dtype_of (promotions[i].dtype1), shape, 1, &error);
      g_autoptr (CandelaNode) x2 = NULL;
      g_autoptr (CandelaNode) node = NULL;

      g_test_message ("%s of %s and %s", promotions[i].op, promotions[i].dtype1,
                      promotions[i].dtype2 != NULL ? promotions[i].dtype2 : "none");
      if (promotions[i].dtype2 != NULL)
        x2 = candela_node_new_slot ("x2", dtype_of (promotions[i].dtype2), shape, 1, &error);
      g_assert_no_error (error);

      CandelaNode *inputs[] = { x1, x2 };
      node = candela_node_new_opv (promotions[i].op, inputs, x2 != NULL ? 2 : 1, NULL, &error);
      if (promotions[i].result == NULL)
        {
          g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE);
          g_assert_true (g_str_has_prefix (error->message, promotions[i].op));
          continue;
        }
      g_assert_no_error (error);
      g_assert_cmpstr (candela_dtype_get_name (candela_node_get_dtype (node)), ==, promotions[i].result);
    }
}

/* Every element-wise function of the standard is there, with a summary. */
static void
test_complete (void)
{
  static const char names[] =
    "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or "
    "bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide "
    "greater greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp logical_and "
    "logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real "
    "reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc where astype relu sigmoid "
    "gelu softplus divmod";
  static const char *const operators[][2] = {
    { "infix:+", "add" },
    { "infix:-", "subtract" },
    { "infix:*", "multiply" },
    { "infix:/", "divide" },
    { "infix://", "floor_divide" },
    { "infix:%", "remainder" },
    { "infix:**", "pow" },
    { "infix:<", "less" },
    { "infix:<=", "less_equal" },
    { "infix:>", "greater" },
    { "infix:>=", "greater_equal" },
    { "infix:==", "equal" },
    { "infix:!=", "not_equal" },
    { "infix:&", "bitwise_and" },
    { "infix:|", "bitwise_or" },
    { "infix:^", "bitwise_xor" },
    { "infix:<<", "bitwise_left_shift" },
    { "infix:>>", "bitwise_right_shift" },
    { "prefix:-", "negative" },
    { "prefix:+", "positive" },
    { "prefix:~", "bitwise_invert" },
  };
  CandelaRegistry *registry = candela_registry_get_default ();
  g_auto (GStrv) list = g_strsplit (names, " ", -1);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; list[i] != NULL; i++)
    {
      CandelaOp *op = candela_registry_lookup_op (registry, list[i], &error);

      g_assert_no_error (error);
      g_assert_cmpstr (candela_op_get_name (op), ==, list[i]);
      g_assert_cmpstr (candela_op_get_plugin_name (op), ==, "elementwise");
      g_assert_nonnull (candela_op_get_summary (op));
    }
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    {
      CandelaOp *op = candela_registry_lookup_operator (registry, operators[i][0], &error);

      g_assert_no_error (error);
      g_assert_cmpstr (candela_op_get_name (op), ==, operators[i][1]);
    }
}

static void
test_clip (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x = new_node ("float64", "-5 0 5 nan 1 1");
  g_autoptr (CandelaNode) lower = new_node ("float64", "-1 -1 -1 -1 nan 4");
  g_autoptr (CandelaNode) upper = new_node ("float64", "2 2 2 2 2 3");
  g_autoptr (CandelaNode) none = candela_node_new_op ("clip", &error, x, NULL, NULL);
  g_autoptr (CandelaNode) below = candela_node_new_op ("clip", &error, x, lower, NULL, NULL);
  g_autoptr (CandelaNode) both = candela_node_new_op ("clip", &error, x, lower, upper, NULL, NULL);
  g_autoptr (CandelaNode) bytes = new_node ("uint8", "0 100 255");
  g_autoptr (CandelaNode) ten = candela_node_new_int (10);
  g_autoptr (CandelaNode) twenty = candela_node_new_int (20);
  g_autoptr (CandelaNode) scalars = candela_node_new_op ("clip", &error, bytes, ten, twenty, NULL, NULL);

  g_assert_no_error (error);
  assert_value (none, "float64", "-5 0 5 nan 1 1", 0);
  assert_value (below, "float64", "-1 0 5 nan nan 4", 0);
  assert_value (both, "float64", "-1 0 2 nan nan 3", 0);
  assert_value (scalars, "uint8", "10 20 20", 0);
}

static void
test_where (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) condition = new_node ("bool", "1 0 1");
  g_autoptr (CandelaNode) numbers = new_node ("float64", "0 nan -0");
  g_autoptr (CandelaNode) x1 = new_node ("int8", "1 2 3");
  g_autoptr (CandelaNode) x2 = new_node ("float32", "-0 0.5 nan");
  g_autoptr (CandelaNode) zero = candela_node_new_int (0);
  g_autoptr (CandelaNode) mixed = candela_node_new_op ("where", &error, condition, x1, x2, NULL, NULL);
  g_autoptr (CandelaNode) truth = candela_node_new_op ("where", &error, numbers, x1, zero, NULL, NULL);

  g_assert_no_error (error);
  assert_value (mixed, "float32", "1 0.5 3", 0);
  assert_value (truth, "int8", "0 2 0", 0);
}

static void
test_astype (void)
{
  static const Case rows[] = {
    { NULL, "float64", "2.9 -2.9 0 300", NULL, NULL, "int8", "2 -2 0 44", 0 },
    { NULL, "float64", "0 -0 nan 0.1", NULL, NULL, "bool", "0 0 1 1", 0 },
    { NULL, "int64", "-1 256 65537", NULL, NULL, "uint16", "65535 256 1", 0 },
    { NULL, "bool", "0 1", NULL, NULL, "float32", "0 1", 0 },
    { NULL, "float64", "0.1 1e300 nan", NULL, NULL, "float32", "0.1 inf nan", 0 },
    { NULL, "uint64", "18446744073709551615 3", NULL, NULL, "float64", "18446744073709551616 3", 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) x = new_node (rows[i].dtype1, rows[i].x1);
      g_autoptr (CandelaNode) node =
        candela_node_new_op ("astype", &error, x, NULL, "dtype", "s", rows[i].result_dtype, NULL);
      g_autoptr (CandelaNode) same =
        candela_node_new_op ("astype", &error, x, NULL, "dtype", "s", rows[i].dtype1, NULL);

      g_test_message ("%s to %s", rows[i].dtype1, rows[i].result_dtype);
      g_assert_no_error (error);
      assert_value (node, rows[i].result_dtype, rows[i].result, 0);
      g_assert_true (same == x);
    }
}

static void
test_gelu_tanh (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x = new_node ("float64", "0 1 -1 3.5 inf -inf nan");
  g_autoptr (CandelaNode) node = candela_node_new_op ("gelu", &error, x, NULL, "approximate", "s", "tanh", NULL);

  g_assert_no_error (error);
  assert_value (node, "float64", "0 0.8411919906082768 -0.15880800939172324 3.499383802344626 inf -0 nan", 8);
  g_assert_null (candela_node_new_op ("gelu", &error, x, NULL, "approximate", "s", "fast", NULL));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
}

/* Both results at once, over both inputs where they are not needed any more. */
static void
test_divmod (void)
{
  static const char *const dtypes[] = { "float64", "float32", "int8", "int32", "int64" };

  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaNode) x1 = new_node (dtypes[i], "7 -7");
      g_autoptr (CandelaNode) x2 = new_node (dtypes[i], "2 2");
      g_autoptr (CandelaNode) zero = candela_node_new_int (0);
      g_autoptr (CandelaNode) ten = candela_node_new_int (10);
      g_autoptr (CandelaNode) a = candela_node_new_op ("add", &error, x1, zero, NULL, NULL);
      g_autoptr (CandelaNode) b = candela_node_new_op ("add", &error, x2, zero, NULL, NULL);
      g_autoptr (CandelaNode) both = candela_node_new_op ("divmod", &error, a, b, NULL, NULL);
      g_autoptr (CandelaNode) quotient = candela_node_get_output (both, 0, &error);
      g_autoptr (CandelaNode) remainder = candela_node_get_output (both, 1, &error);
      g_autoptr (CandelaNode) tens = candela_node_new_op ("multiply", &error, quotient, ten, NULL, NULL);
      g_autoptr (CandelaNode) sum = candela_node_new_op ("add", &error, tens, remainder, NULL, NULL);

      g_assert_no_error (error);
      assert_value (quotient, dtypes[i], "3 -4", 0);
      assert_value (remainder, dtypes[i], "1 1", 0);
      assert_value (sum, dtypes[i], "31 -39", 0);
    }
}

/* a * a + c with a = 1 + 2^-12 and c = -(1 + 2^-11): the product is rounded before
 * the sum, so that nothing is left; a contraction would leave 2^-24. */
static void
test_no_contraction (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) a = new_node ("float32", "1.000244140625 1.000244140625");
  g_autoptr (CandelaNode) c = new_node ("float32", "-1.00048828125 -1.00048828125");
  g_autoptr (CandelaNode) square = candela_node_new_op ("multiply", &error, a, a, NULL, NULL);
  g_autoptr (CandelaNode) sum = candela_node_new_op ("add", &error, square, c, NULL, NULL);

  g_assert_no_error (error);
  assert_value (sum, "float32", "0 0", 0);
}

/* An element has the same bits whatever stands beside it, and wherever it stands. */
static void
test_neighbours (void)
{
  static const char *const ops[] = { "sin", "cos", "tan", "exp", "log", "tanh", "sigmoid", "gelu", "sqrt" };
  enum {
    N = 67
  };
  float values[N];
  gint64 n = N, one = 1;

  for (guint i = 0; i < N; i++)
    values[i] = i % 5 == 3 ? 1e30f : 30.0004959f + 0.37f * i;

  for (gsize k = 0; k < G_N_ELEMENTS (ops); k++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaTensor) tensor =
        candela_tensor_new_from_data (CANDELA_DTYPE_FLOAT32, &n, 1, (const guint8 *) values, sizeof values, &error);
      g_autoptr (CandelaNode) x = candela_node_new_tensor (tensor);
      g_autoptr (CandelaNode) node = candela_node_new_op (ops[k], &error, x, NULL, NULL);
      g_autoptr (CandelaTensor) all = candela_node_materialize (node, &error);

      g_assert_no_error (error);
      for (guint i = 0; i < N; i++)
        {
          g_autoptr (CandelaTensor) single = candela_tensor_new_from_data (
            CANDELA_DTYPE_FLOAT32, &one, 1, (const guint8 *) &values[i], sizeof (float), &error);
          g_autoptr (CandelaNode) y = candela_node_new_tensor (single);
          g_autoptr (CandelaNode) alone = candela_node_new_op (ops[k], &error, y, NULL, NULL);
          g_autoptr (CandelaTensor) result = candela_node_materialize (alone, &error);

          g_assert_no_error (error);
          g_assert_cmpmem ((const float *) candela_tensor_get_data (all) + i, sizeof (float),
                           candela_tensor_get_data (result), sizeof (float));
        }
    }
}

static void
test_errors (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x1 = new_node ("float32", "1 2 3");
  g_autoptr (CandelaNode) x2 = new_node ("float32", "1 2");

  g_assert_null (candela_node_new_op ("add", &error, x1, x2, NULL, NULL));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE);
  g_assert_nonnull (strstr (error->message, "add:"));
  g_assert_nonnull (strstr (error->message, "[3]"));
  g_assert_nonnull (strstr (error->message, "[2]"));
  g_clear_error (&error);

  g_assert_null (candela_node_new_op ("add", &error, x1, NULL, NULL));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY);
  g_clear_error (&error);

  g_assert_null (candela_node_new_op ("astype", &error, x1, NULL, NULL));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
  g_clear_error (&error);

  g_assert_null (candela_node_new_op ("astype", &error, x1, NULL, "dtype", "s", "complex32", NULL));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE);
}

/* A float of any bits; or what a number of 24 bits, or one halfway to the next, makes of the
 * divisor; or one of those that are divided many at once, from 2^-63 to 2^65. */
static float
random_dividend (float divisor, gboolean ordinary)
{
  const guint32 bits = g_random_int ();
  const double quotient = ldexp ((double) (g_random_int () >> 7 | 1u << 24), (int) (bits % 60) - 54);
  float any;

  memcpy (&any, &bits, sizeof any);
  if (ordinary)
    return (float) ldexp ((double) (bits >> 8 | 1u << 23), g_random_int_range (-63, 65) - 23)
           * (bits % 2 == 0 ? 1.0f : -1.0f);
  return g_random_int () % 4 == 0 ? any : (float) (quotient * (double) divisor);
}

/* Many numbers by one: each quotient is rounded once. In binary64 a quotient of two of
 * float32 is rounded so finely that rounding it again does no harm (S. Figueroa, When is
 * double rounding innocuous?, 1995). */
static void
test_quotients (void)
{
  static const float divisors[] = { 0,       -0.0f,         1,        -1,           3,
                                    0.1f,    0x1.fffffep0f, 0x1p-20f, 0x1p20f,      1e-20f,
                                    1e20f,   0x1p-149f,     INFINITY, NAN,          7e-6f,
                                    1048577, -1e6f,         4096,     0x1.000002p0f };
  enum {
    N = 2083,
    RANDOM = 200
  };
  const gint64 n = N;

  for (guint k = 0; k < G_N_ELEMENTS (divisors) + RANDOM; k++)
    {
      g_autoptr (GError) error = NULL;
      const float divisor = k < G_N_ELEMENTS (divisors) ? divisors[k] : (float) exp (g_random_double_range (-12, 12));
      g_autoptr (CandelaTensor) dividends = candela_tensor_new (CANDELA_DTYPE_FLOAT32, &n, 1, &error);
      g_autoptr (CandelaTensor) scalar = candela_tensor_new (CANDELA_DTYPE_FLOAT32, NULL, 0, &error);
      g_autoptr (CandelaTensor) result = NULL;
      g_autoptr (CandelaNode) x = NULL, y = NULL, node = NULL;
      float *a = candela_tensor_get_writable_data (dividends);
      const float *got;

      for (guint i = 0; i < N; i++)
        a[i] = random_dividend (divisor, i < N / 2);
      memcpy (candela_tensor_get_writable_data (scalar), &divisor, sizeof divisor);
      x = candela_node_new_tensor (dividends);
      y = candela_node_new_tensor (scalar);
      node = candela_node_new_op ("divide", &error, x, y, NULL, NULL);
      g_assert_no_error (error);
      result = candela_node_materialize (node, &error);
      g_assert_no_error (error);
      got = candela_tensor_get_data (result);
      for (guint i = 0; i < N; i++)
        {
          const float wanted = (float) ((double) a[i] / (double) divisor);

          if (memcmp (&got[i], &wanted, sizeof wanted) != 0 && !(isnan (got[i]) && isnan (wanted)))
            g_error ("%a / %a is %a, and not %a", (double) a[i], (double) divisor, (double) got[i], (double) wanted);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/plugins/elementwise/values", test_values);
  g_test_add_func ("/plugins/elementwise/dtypes", test_dtypes);
  g_test_add_func ("/plugins/elementwise/complete", test_complete);
  g_test_add_func ("/plugins/elementwise/clip", test_clip);
  g_test_add_func ("/plugins/elementwise/where", test_where);
  g_test_add_func ("/plugins/elementwise/astype", test_astype);
  g_test_add_func ("/plugins/elementwise/gelu-tanh", test_gelu_tanh);
  g_test_add_func ("/plugins/elementwise/divmod", test_divmod);
  g_test_add_func ("/plugins/elementwise/no-contraction", test_no_contraction);
  g_test_add_func ("/plugins/elementwise/neighbours", test_neighbours);
  g_test_add_func ("/plugins/elementwise/quotients", test_quotients);
  g_test_add_func ("/plugins/elementwise/errors", test_errors);

  return g_test_run ();
}
