/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The functions that a vector library computes: how far they are off, against the C
 * library's in long double, for numbers of every magnitude; and that an element's bits
 * depend on nothing but itself, wherever it stands and whatever stands beside it. */
#include <candela/candela.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define N_POINTS 32768
#define N_VALUES 160

typedef long double Wide;

static Wide
wide_sigmoid (Wide x)
{
  return 1 / (1 + expl (-x));
}

static Wide
wide_softplus (Wide x)
{
  return log1pl (expl (-fabsl (x))) + (x > 0 ? x : 0);
}

static Wide
wide_gelu (Wide x)
{
  return x == -(Wide) INFINITY ? -0.0L : 0.5L * x * erfcl (x * -0.707106781186547524400844362104849039L);
}

static Wide
wide_logaddexp (Wide a, Wide b)
{
  return a == b ? a + logl (2) : fmaxl (a, b) + log1pl (expl (-fabsl (a - b)));
}

typedef struct
{
  const char *op;
  Wide (*one) (Wide);
  Wide (*two) (Wide, Wide);
  double ulp;
  /* Of float32, where it is stated apart. */
  double single;
} Function;

/* The bounds are those that docs/execution.md states. */
static const Function functions[] = {
  { "exp", expl, NULL, 1 },
  { "expm1", expm1l, NULL, 3 },
  { "log", logl, NULL, 4 },
  { "log1p", log1pl, NULL, 2 },
  { "log2", log2l, NULL, 3 },
  { "log10", log10l, NULL, 4 },
  { "sin", sinl, NULL, 4 },
  { "cos", cosl, NULL, 4 },
  { "tan", tanl, NULL, 4 },
  { "asin", asinl, NULL, 4 },
  { "acos", acosl, NULL, 3 },
  { "atan", atanl, NULL, 3 },
  { "sinh", sinhl, NULL, 3 },
  { "cosh", coshl, NULL, 3 },
  { "tanh", tanhl, NULL, 3.5, 3 },
  { "asinh", asinhl, NULL, 3 },
  { "acosh", acoshl, NULL, 3 },
  { "atanh", atanhl, NULL, 3 },
  { "atan2", NULL, atan2l, 4 },
  { "hypot", NULL, hypotl, 2 },
  { "pow", NULL, powl, 2, 1 },
  { "logaddexp", NULL, wide_logaddexp, 4 },
  { "sigmoid", wide_sigmoid, NULL, 4, 3 },
  { "softplus", wide_softplus, NULL, 4 },
  { "gelu", wide_gelu, NULL, 4, 4 },
};

static const double specials[] = { 0,       -0.0,    1,     -1,     INFINITY, -INFINITY, NAN,   1e-40,   -1e-45, 5e-324,
                                   -1e-310, 1e30,    -1e38, 3.4e38, 1e300,    -1.7e308,  88.5,  89.2,    -89.4,  103.5,
                                   -103.9,  709.5,   710.4, -710.4, -745,     -708.5,    125,   126,     1000,   39001,
                                   1e5,     1e15,    1e22,  0.5,    -0.5,     2,         -2,    3,       8,      10,
                                   1e-5,    0.99999, 1e18,  1e19,   1e150,    1e155,     -1e19, 1.5e154, 20,     -20 };

/* Where searches found functions farthest off. */
static const struct
{
  const char *op;
  double x1, x2;
} hard[] = {
  { "softplus", -3.4599865809843777 },
  { "softplus", -5.595614401180757 },
  { "exp", -0.0037261552801552966 },
  { "asin", 0.501179814 },
  { "log10", 0.749942422 },
  { "log", 0.882568002 },
  { "pow", 1.000412610300735, 1609464.2190044073 },
  { "pow", 1.000427135977811, -1545260.832328191 },
};

static guint64 state = 88172645463325252u;

static guint64
next_word (void)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* Of any bits, of the whole range of a function, or of where it bends. */
static double
next_value (CandelaDType dtype)
{
  const guint64 word = next_word ();
  const double unit = (double) (next_word () >> 11) / (1ull << 53) * 2 - 1;
  float single;
  double value;

  switch (word % 6)
    {
    case 0:
      if (dtype == CANDELA_DTYPE_FLOAT64)
        {
          memcpy (&value, &state, sizeof value);
          return value;
        }
      memcpy (&single, &state, sizeof single);
      return single;
    case 1:
      return unit * (dtype == CANDELA_DTYPE_FLOAT64 ? 750 : 106);
    case 2:
      return unit * 20;
    case 3:
      return unit;
    case 4:
      return 1 + unit * exp2 (-(double) (word >> 60));
    default:
      return word % 36 == 5 ? specials[(word >> 32) % G_N_ELEMENTS (specials)] : unit * 1e5;
    }
}

static void
put (gpointer data, CandelaDType dtype, gsize i, double value)
{
  if (dtype == CANDELA_DTYPE_FLOAT32)
    ((float *) data)[i] = (float) value;
  else
    ((double *) data)[i] = value;
}

static double
get (gconstpointer data, CandelaDType dtype, gsize i)
{
  return dtype == CANDELA_DTYPE_FLOAT32 ? (double) ((const float *) data)[i] : ((const double *) data)[i];
}

static CandelaTensor *
compute (const Function *function, CandelaDType dtype, gconstpointer x1, gconstpointer x2, gint64 n)
{
  g_autoptr (GError) error = NULL;
  const gsize size = n * candela_dtype_get_size (dtype);
  g_autoptr (CandelaTensor) t1 = candela_tensor_new_from_data (dtype, &n, 1, x1, size, &error);
  g_autoptr (CandelaTensor) t2 = candela_tensor_new_from_data (dtype, &n, 1, x2, size, &error);
  g_autoptr (CandelaNode) n1 = candela_node_new_tensor (t1);
  g_autoptr (CandelaNode) n2 = candela_node_new_tensor (t2);
  CandelaNode *inputs[] = { n1, n2 };
  g_autoptr (CandelaNode) node =
    candela_node_new_opv (function->op, inputs, function->two != NULL ? 2 : 1, NULL, &error);
  CandelaTensor *result = candela_node_materialize (node, &error);

  g_assert_no_error (error);
  return result;
}

/* How many units in the last place of a result of that magnitude lie between. */
static double
distance (Wide got, Wide wanted, Wide magnitude, CandelaDType dtype)
{
  const Wide largest = dtype == CANDELA_DTYPE_FLOAT32 ? FLT_MAX : DBL_MAX;
  const int digits = dtype == CANDELA_DTYPE_FLOAT32 ? FLT_MANT_DIG : DBL_MANT_DIG;
  const int least = dtype == CANDELA_DTYPE_FLOAT32 ? FLT_MIN_EXP : DBL_MIN_EXP;
  int exponent;

  if (isnan (got) || isnan (wanted))
    return isnan (got) && isnan (wanted) ? 0 : INFINITY;
  if (got == wanted)
    return signbit (got) == signbit (wanted) ? 0 : INFINITY;
  /* As if there were a number above the largest, and it were what infinity is. */
  if (isinf (got))
    got = copysignl (largest * (1 + ldexpl (1, -digits)), got);
  if (isinf (wanted))
    return fabsl (got) > largest && signbit (got) == signbit (wanted) ? 0 : INFINITY;
  if (fabsl (got) > largest && fabsl (wanted) > fabsl (got))
    return signbit (got) == signbit (wanted) ? 0 : INFINITY;
  frexpl (fmaxl (fabsl (wanted), magnitude), &exponent);

  return (double) (fabsl (got - wanted) / ldexpl (1, MAX (exponent, least) - digits));
}

static void
check_values (const Function *function, CandelaDType dtype, gconstpointer x1, gconstpointer x2, gsize n)
{
  const double bound = dtype == CANDELA_DTYPE_FLOAT32 && function->single > 0 ? function->single : function->ulp;
  g_autoptr (CandelaTensor) result = compute (function, dtype, x1, x2, n);
  double worst = 0, at1 = 0, at2 = 0;

  for (gsize i = 0; i < n; i++)
    {
      const double a = get (x1, dtype, i), b = get (x2, dtype, i);
      const Wide wanted = function->two != NULL ? function->two (a, b) : function->one (a);
      double off, magnitude = 0;

      /* Where its terms cancel, logaddexp is as exact as they are. */
      if (g_str_equal (function->op, "logaddexp") && isfinite (a) && isfinite (b))
        magnitude = fmax (fabs (a), fabs (b));
      /* The last factor of gelu is subnormal before gelu is. */
      if (g_str_equal (function->op, "gelu") && isfinite (a))
        magnitude = fabs (a) * (dtype == CANDELA_DTYPE_FLOAT32 ? FLT_MIN : DBL_MIN);
      off = distance (get (candela_tensor_get_data (result), dtype, i), wanted, magnitude, dtype);
      if (off > worst)
        {
          worst = off;
          at1 = a;
          at2 = b;
        }
    }
  g_test_message ("%s of %s: off by %.2f at %.17g, %.17g", function->op, candela_dtype_get_name (dtype), worst, at1,
                  at2);
  if (!(worst <= bound))
    g_test_fail ();
}

static void
check_accuracy (const Function *function, CandelaDType dtype)
{
  g_autofree guint8 *x1 = g_malloc (N_POINTS * sizeof (double));
  g_autofree guint8 *x2 = g_malloc (N_POINTS * sizeof (double));

  for (gsize i = 0; i < N_POINTS; i++)
    {
      put (x1, dtype, i, i < G_N_ELEMENTS (specials) ? specials[i] : next_value (dtype));
      put (x2, dtype, i, i < G_N_ELEMENTS (specials) ? specials[i * 7 % G_N_ELEMENTS (specials)] : next_value (dtype));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (hard); i++)
    if (g_str_equal (hard[i].op, function->op))
      {
        put (x1, dtype, G_N_ELEMENTS (specials) + i, hard[i].x1);
        put (x2, dtype, G_N_ELEMENTS (specials) + i, hard[i].x2);
      }
  check_values (function, dtype, x1, x2, N_POINTS);
}

/* Of all floats each STEP-th, a prime, NaN and infinities among them. */
static void
check_sweep (const Function *function)
{
  enum {
    STEP = 8191,
    N = (gsize) ((1ull << 32) / STEP)
  };
  g_autofree guint32 *bits = g_new (guint32, N);

  for (gsize i = 0; i < N; i++)
    bits[i] = (guint32) i * STEP;
  check_values (function, CANDELA_DTYPE_FLOAT32, bits, bits, N);
}

static gboolean
same_bits (gconstpointer a, gconstpointer b, CandelaDType dtype)
{
  return memcmp (a, b, candela_dtype_get_size (dtype)) == 0 || (isnan (get (a, dtype, 0)) && isnan (get (b, dtype, 0)));
}

/* Each special value in each lane of the widest vector: what the others have does not
 * change, and it has the same bits in every lane. */
static void
check_lanes (const Function *function, CandelaDType dtype)
{
  enum {
    LANES = 16
  };
  const gsize size = candela_dtype_get_size (dtype);
  guint8 x1[LANES * 8], x2[LANES * 8];

  for (gsize s = 0; s < G_N_ELEMENTS (specials); s++)
    {
      g_autoptr (CandelaTensor) usual = NULL;
      guint8 first[8];

      for (gsize i = 0; i < LANES; i++)
        {
          put (x1, dtype, i, 0.25 + i / 32.0);
          put (x2, dtype, i, 0.75);
        }
      usual = compute (function, dtype, x1, x2, LANES);

      for (gsize lane = 0; lane < LANES; lane++)
        {
          g_autoptr (CandelaTensor) result = NULL;
          const guint8 *got, *wanted = candela_tensor_get_data (usual);

          put (x1, dtype, lane, specials[s]);
          result = compute (function, dtype, x1, x2, LANES);
          put (x1, dtype, lane, 0.25 + lane / 32.0);
          got = candela_tensor_get_data (result);
          if (lane == 0)
            memcpy (first, got, size);
          for (gsize i = 0; i < LANES; i++)
            if (!same_bits (got + i * size, i == lane ? first : wanted + i * size, dtype))
              {
                g_test_message ("%s of %s: %g in lane %" G_GSIZE_FORMAT " changes lane %" G_GSIZE_FORMAT, function->op,
                                candela_dtype_get_name (dtype), specials[s], lane, i);
                g_test_fail ();
                return;
              }
        }
    }
}

/* Each value alone, then in arrays of every length at every place, among others. */
static void
check_neighbours (const Function *function, CandelaDType dtype)
{
  const gsize size = candela_dtype_get_size (dtype);
  guint8 v1[N_VALUES * 8], v2[N_VALUES * 8], alone[N_VALUES * 8], x1[80 * 8], x2[80 * 8];

  for (gsize i = 0; i < N_VALUES; i++)
    {
      g_autoptr (CandelaTensor) single = NULL;

      put (v1, dtype, i, next_value (dtype));
      put (v2, dtype, i, next_value (dtype));
      single = compute (function, dtype, v1 + i * size, v2 + i * size, 1);
      memcpy (alone + i * size, candela_tensor_get_data (single), size);
    }

  for (guint round = 0; round < 160; round++)
    {
      const gsize n = 1 + round % 80;
      gint which[80];
      g_autoptr (CandelaTensor) result = NULL;

      for (gsize i = 0; i < n; i++)
        {
          which[i] = next_word () % 3 == 0 ? -1 : (gint) (next_word () % N_VALUES);
          if (which[i] >= 0)
            {
              memcpy (x1 + i * size, v1 + which[i] * size, size);
              memcpy (x2 + i * size, v2 + which[i] * size, size);
              continue;
            }
          put (x1, dtype, i, specials[next_word () % G_N_ELEMENTS (specials)]);
          put (x2, dtype, i, specials[next_word () % G_N_ELEMENTS (specials)]);
        }
      result = compute (function, dtype, x1, x2, n);

      for (gsize i = 0; i < n; i++)
        if (which[i] >= 0)
          {
            const guint8 *got = (const guint8 *) candela_tensor_get_data (result) + i * size;
            const guint8 *wanted = alone + which[i] * size;

            if (!same_bits (got, wanted, dtype))
              {
                g_test_message ("%s of %s: %.17g at %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " is %.17g, alone %.17g",
                                function->op, candela_dtype_get_name (dtype), get (x1, dtype, i), i, n,
                                get (got, dtype, 0), get (wanted, dtype, 0));
                g_test_fail ();
                return;
              }
          }
    }
}

static CandelaNode *
new_op (const char *op, CandelaNode *x1, CandelaNode *x2)
{
  g_autoptr (GError) error = NULL;
  CandelaNode *inputs[] = { x1, x2 };
  CandelaNode *node = candela_node_new_opv (op, inputs, x2 != NULL ? 2 : 1, NULL, &error);

  g_assert_no_error (error);
  return node;
}

/* f (-x) + x in one step, and f of what is in memory: the same bits at every length. */
static void
check_chain (const Function *function, CandelaDType dtype)
{
  enum {
    N_MAX = 2100
  };
  const gint64 lengths[] = { 1, 7, 16, 127, 128, 129, 300, 1023, 1025, N_MAX };
  const gsize size = candela_dtype_get_size (dtype);
  g_autofree guint8 *x = g_malloc (N_MAX * size);
  g_autofree guint8 *minus_x = g_malloc (N_MAX * size);

  for (gsize i = 0; i < N_MAX; i++)
    {
      put (x, dtype, i, next_value (dtype));
      put (minus_x, dtype, i, -get (x, dtype, i));
    }

  for (gsize k = 0; k < G_N_ELEMENTS (lengths); k++)
    {
      const gint64 n = lengths[k];
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaTensor) alone = compute (function, dtype, minus_x, minus_x, n);
      g_autoptr (CandelaTensor) tensor = candela_tensor_new_from_data (dtype, &n, 1, x, n * size, &error);
      g_autoptr (CandelaNode) input = candela_node_new_tensor (tensor);
      g_autoptr (CandelaNode) negative = new_op ("negative", input, NULL);
      g_autoptr (CandelaNode) of_negative = new_op (function->op, negative, NULL);
      g_autoptr (CandelaNode) of_alone = candela_node_new_tensor (alone);
      g_autoptr (CandelaNode) node = new_op ("add", of_negative, input);
      g_autoptr (CandelaNode) wanted_node = new_op ("add", of_alone, input);
      g_autoptr (CandelaTensor) got = candela_node_materialize (node, &error);
      g_autoptr (CandelaTensor) wanted = candela_node_materialize (wanted_node, &error);

      g_assert_no_error (error);
      for (gint64 i = 0; i < n; i++)
        g_assert_true (same_bits ((const guint8 *) candela_tensor_get_data (got) + i * (gint64) size,
                                  (const guint8 *) candela_tensor_get_data (wanted) + i * (gint64) size, dtype));
    }
}

static void
test_accuracy (gconstpointer data)
{
  check_accuracy (data, CANDELA_DTYPE_FLOAT32);
  check_accuracy (data, CANDELA_DTYPE_FLOAT64);
  if (((const Function *) data)->single > 0)
    check_sweep (data);
}

static void
test_neighbours (gconstpointer data)
{
  const Function *function = data;

  if (function->one != NULL)
    {
      check_chain (function, CANDELA_DTYPE_FLOAT32);
      check_chain (function, CANDELA_DTYPE_FLOAT64);
    }
  check_lanes (data, CANDELA_DTYPE_FLOAT32);
  check_lanes (data, CANDELA_DTYPE_FLOAT64);
  check_neighbours (data, CANDELA_DTYPE_FLOAT32);
  check_neighbours (data, CANDELA_DTYPE_FLOAT64);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      g_autofree char *accuracy = g_strconcat ("/plugins/transcendental/accuracy/", functions[i].op, NULL);
      g_autofree char *neighbours = g_strconcat ("/plugins/transcendental/neighbours/", functions[i].op, NULL);

      g_test_add_data_func (accuracy, &functions[i], test_accuracy);
      g_test_add_data_func (neighbours, &functions[i], test_neighbours);
    }

  return g_test_run ();
}
