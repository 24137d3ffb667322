/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an element-wise op makes of one element, in the plainest way: in long double or
 * in whole numbers of 128 bits, with no regard to speed. */
#pragma once

#include "../testing.h"
#include <float.h>

#define REFERENCE_MAX_INPUTS 3

/* How far off a curve may be, in units in its last place: as docs/execution.md says at most. */
#define CURVE_UNITS 4

typedef long double Wide;
__extension__ typedef __int128 Whole;

/* A packed value. */
typedef struct
{
  CandelaDType dtype;
  gsize rank;
  const gint64 *shape;
  gint64 n;
  const guint8 *data;
} Packed;

static inline Packed
packed (CandelaTensor *tensor)
{
  Packed p = { .dtype = candela_tensor_get_dtype (tensor), .n = candela_tensor_get_n_elements (tensor) };

  g_assert_true (candela_layout_is_contiguous (candela_tensor_get_layout (tensor)));
  p.shape = candela_tensor_get_shape (tensor, &p.rank);
  p.data = (const guint8 *) candela_tensor_get_data (tensor)
           + candela_layout_get_offset (candela_tensor_get_layout (tensor)) * (gint64) candela_dtype_get_size (p.dtype);
  return p;
}

static inline gboolean
is_float (CandelaDType dtype)
{
  return candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_FLOAT;
}

/* Every number of every dtype is one of long double's. */
static inline Wide
wide_at (const Packed *p, gint64 i)
{
  switch ((int) p->dtype)
    {
#define GET(DTYPE, type)                                                                                               \
  case CANDELA_DTYPE_##DTYPE:                                                                                          \
    return ((const type *) p->data)[i];
      OP_TESTING_DTYPES (GET)
#undef GET
    case CANDELA_DTYPE_FLOAT32:
      return ((const float *) p->data)[i];
    default:
      return ((const double *) p->data)[i];
    }
}

/* Of a dtype, a whole number modulo 2 to the power of its bits. */
static inline Wide
wrap_whole (CandelaDType dtype, Whole value)
{
  switch ((int) dtype)
    {
#define WRAP(DTYPE, type)                                                                                              \
  case CANDELA_DTYPE_##DTYPE:                                                                                          \
    return (type) value;
      OP_TESTING_DTYPES (WRAP)
#undef WRAP
    default:
      g_assert_not_reached ();
    }
}

static inline double
unit_in_last_place (CandelaDType dtype, Wide value)
{
  int exponent;

  frexpl (value, &exponent);
  return dtype == CANDELA_DTYPE_FLOAT32 ? ldexp (1, MAX (exponent - 24, -149)) : ldexp (1, MAX (exponent - 53, -1074));
}

static inline double
epsilon (CandelaDType dtype)
{
  return dtype == CANDELA_DTYPE_FLOAT32 ? FLT_EPSILON : DBL_EPSILON;
}

/* ---- Element-wise ---- */

typedef enum {
  ADD,
  SUBTRACT,
  MULTIPLY,
  DIVIDE,
  MAXIMUM,
  MINIMUM,
  FLOOR_DIVIDE,
  REMAINDER,
  LESS,
  LESS_EQUAL,
  GREATER,
  EQUAL,
  NOT_EQUAL,
  AND,
  OR,
  XOR,
  BIT_AND,
  BIT_OR,
  BIT_XOR,
  NEGATIVE,
  ABS,
  SQUARE,
  SQRT,
  RELU,
  FLOOR,
  ROUND,
  SIGN,
  RECIPROCAL,
  IS_NAN,
  IS_FINITE,
  NOT,
  WHERE,
  CLIP,
  CAST,
  CURVE
} Code;

typedef enum {
  OF_BOOL = 1,
  OF_INT = 2,
  OF_FLOAT = 4,
  OF_NUMBER = OF_INT | OF_FLOAT,
  OF_ANY = 7
} Kinds;

typedef struct
{
  const char *name;
  Code code;
  guint n_inputs;
  Kinds kinds;        /* of inputs that it suits */
  Wide (*f) (Wide x); /* of a CURVE */
} Elementwise;

static inline Wide
wide_sigmoid (Wide x)
{
  return 1 / (1 + expl (-x));
}

static inline Wide
wide_softplus (Wide x)
{
  return log1pl (expl (-fabsl (x))) + (x > 0 ? x : 0);
}

static inline Wide
wide_gelu (Wide x)
{
  return x == -(Wide) INFINITY ? -0.0L : 0.5L * x * erfcl (x * -0.707106781186547524400844362104849039L);
}

static const Elementwise elementwise[] = {
  { "add", ADD, 2, OF_ANY, NULL },
  { "subtract", SUBTRACT, 2, OF_NUMBER, NULL },
  { "multiply", MULTIPLY, 2, OF_ANY, NULL },
  { "divide", DIVIDE, 2, OF_FLOAT, NULL },
  { "maximum", MAXIMUM, 2, OF_NUMBER, NULL },
  { "minimum", MINIMUM, 2, OF_NUMBER, NULL },
  { "floor_divide", FLOOR_DIVIDE, 2, OF_INT, NULL },
  { "remainder", REMAINDER, 2, OF_INT, NULL },
  { "less", LESS, 2, OF_ANY, NULL },
  { "less_equal", LESS_EQUAL, 2, OF_ANY, NULL },
  { "greater", GREATER, 2, OF_ANY, NULL },
  { "equal", EQUAL, 2, OF_ANY, NULL },
  { "not_equal", NOT_EQUAL, 2, OF_ANY, NULL },
  { "logical_and", AND, 2, OF_ANY, NULL },
  { "logical_or", OR, 2, OF_ANY, NULL },
  { "logical_xor", XOR, 2, OF_ANY, NULL },
  { "bitwise_and", BIT_AND, 2, OF_BOOL | OF_INT, NULL },
  { "bitwise_or", BIT_OR, 2, OF_BOOL | OF_INT, NULL },
  { "bitwise_xor", BIT_XOR, 2, OF_BOOL | OF_INT, NULL },
  { "negative", NEGATIVE, 1, OF_NUMBER, NULL },
  { "abs", ABS, 1, OF_NUMBER, NULL },
  { "square", SQUARE, 1, OF_NUMBER, NULL },
  { "sqrt", SQRT, 1, OF_FLOAT, NULL },
  { "relu", RELU, 1, OF_NUMBER, NULL },
  { "floor", FLOOR, 1, OF_NUMBER, NULL },
  { "round", ROUND, 1, OF_NUMBER, NULL },
  { "sign", SIGN, 1, OF_NUMBER, NULL },
  { "reciprocal", RECIPROCAL, 1, OF_FLOAT, NULL },
  { "isnan", IS_NAN, 1, OF_ANY, NULL },
  { "isfinite", IS_FINITE, 1, OF_ANY, NULL },
  { "logical_not", NOT, 1, OF_ANY, NULL },
  { "where", WHERE, 3, OF_ANY, NULL },
  { "clip", CLIP, 3, OF_NUMBER, NULL },
  { "astype", CAST, 1, OF_ANY, NULL },
  { "exp", CURVE, 1, OF_FLOAT, expl },
  { "expm1", CURVE, 1, OF_FLOAT, expm1l },
  { "log", CURVE, 1, OF_FLOAT, logl },
  { "log1p", CURVE, 1, OF_FLOAT, log1pl },
  { "sin", CURVE, 1, OF_FLOAT, sinl },
  { "atan", CURVE, 1, OF_FLOAT, atanl },
  { "tanh", CURVE, 1, OF_FLOAT, tanhl },
  { "sigmoid", CURVE, 1, OF_FLOAT, wide_sigmoid },
  { "softplus", CURVE, 1, OF_FLOAT, wide_softplus },
  { "gelu", CURVE, 1, OF_FLOAT, wide_gelu },
};

static inline const Elementwise *
find_elementwise (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (elementwise); i++)
    if (strcmp (elementwise[i].name, name) == 0)
      return &elementwise[i];
  return NULL;
}

/* What IEEE 754 rounds rightly: binary64 is right for binary64, and then rounded for
 * binary32, whose significand is less than half as long. */
static inline Wide
float_value (Code code, double a, double b)
{
  switch ((int) code)
    {
    case ADD:
      return (double) (a + b);
    case SUBTRACT:
      return (double) (a - b);
    case MULTIPLY:
      return (double) (a * b);
    case SQUARE:
      return (double) (a * a);
    case DIVIDE:
      return (double) (a / b);
    case RECIPROCAL:
      return (double) (1 / a);
    case SQRT:
      return sqrt (a);
    case MAXIMUM:
      return isnan (a) || isnan (b) ? NAN : MAX (a, b);
    case MINIMUM:
      return isnan (a) || isnan (b) ? NAN : MIN (a, b);
    case NEGATIVE:
      return -a;
    case ABS:
      return fabs (a);
    case RELU:
      return isnan (a) ? a : MAX (a, 0);
    case FLOOR:
      return floor (a);
    case ROUND:
      return rint (a);
    case SIGN:
      return isnan (a) ? a : (a > 0) - (a < 0);
    default:
      g_assert_not_reached ();
    }
}

static inline Whole
whole_quotient (Whole a, Whole b)
{
  return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static inline Whole
whole_value (Code code, Whole a, Whole b)
{
  switch ((int) code)
    {
    case ADD:
      return a + b;
    case SUBTRACT:
      return a - b;
    case MULTIPLY:
      return (Whole) ((unsigned __int128) a * (unsigned __int128) b);
    case SQUARE:
      return (Whole) ((unsigned __int128) a * (unsigned __int128) a);
    case FLOOR_DIVIDE:
      return whole_quotient (a, b);
    case REMAINDER:
      return b == 0 ? 0 : a - whole_quotient (a, b) * b;
    case MAXIMUM:
      return MAX (a, b);
    case MINIMUM:
      return MIN (a, b);
    case BIT_AND:
      return a & b;
    case BIT_OR:
      return a | b;
    case BIT_XOR:
      return a ^ b;
    case NEGATIVE:
      return -a;
    case ABS:
      return a < 0 ? -a : a;
    case RELU:
      return MAX (a, 0);
    case FLOOR:
    case ROUND:
      return a;
    case SIGN:
      return (a > 0) - (a < 0);
    default:
      g_assert_not_reached ();
    }
}

/* What is a matter of order or truth; NaN is true, and in no order. */
static inline gboolean
truth (Code code, Wide a, Wide b)
{
  switch ((int) code)
    {
    case LESS:
      return a < b;
    case LESS_EQUAL:
      return a <= b;
    case GREATER:
      return a > b;
    case EQUAL:
      return a == b;
    case NOT_EQUAL:
      return a != b;
    case AND:
      return a != 0 && b != 0;
    case OR:
      return a != 0 || b != 0;
    case XOR:
      return (a != 0) != (b != 0);
    case NOT:
      return a == 0;
    case IS_NAN:
      return isnan (a);
    case IS_FINITE:
      return isfinite (a);
    default:
      g_assert_not_reached ();
    }
}

/* A value in the output's dtype. */
static inline Wide
round_to (CandelaDType dtype, Wide value)
{
  return dtype == CANDELA_DTYPE_FLOAT32 ? (float) value : dtype == CANDELA_DTYPE_FLOAT64 ? (double) value : value;
}

/* What the op makes of x, in the dtype of its output, and how far off it may be; a
 * negative tolerance: nothing is known. */
static inline Wide
elementwise_value (const Elementwise *op, CandelaDType dtype, const Wide *x, double *tolerance)
{
  Wide value;

  *tolerance = 0;
  switch ((int) op->code)
    {
    case LESS ... XOR:
    case IS_NAN ... NOT:
      return truth (op->code, x[0], x[1]);
    case WHERE:
      return round_to (dtype, x[0] != 0 ? x[1] : x[2]);
    case CLIP:
      if (isnan (x[0]) || isnan (x[1]) || isnan (x[2]))
        return NAN;
      return round_to (dtype, MIN (MAX (x[0], x[1]), x[2]));
    case CAST:
      if (dtype == CANDELA_DTYPE_BOOL)
        return x[0] != 0;
      return is_float (dtype) ? round_to (dtype, x[0]) : wrap_whole (dtype, (Whole) truncl (x[0]));
    case CURVE:
      value = op->f (x[0]);
      *tolerance = CURVE_UNITS * unit_in_last_place (dtype, value);
      if (op->f == wide_gelu && x[0] < -13)
        *tolerance = (double) fabsl (value) * 1e-3 + 1e-37;
      return value;
    default:
      break;
    }
  if (is_float (dtype) && (op->code == FLOOR_DIVIDE || op->code == REMAINDER))
    *tolerance = -1;
  else if (is_float (dtype))
    return round_to (dtype, float_value (op->code, (double) round_to (dtype, x[0]), (double) round_to (dtype, x[1])));
  if (*tolerance < 0)
    return 0;
  if (dtype == CANDELA_DTYPE_BOOL)
    return op->code == ADD || op->code == BIT_OR ? x[0] != 0 || x[1] != 0
           : op->code == BIT_XOR                 ? (x[0] != 0) != (x[1] != 0)
                                                 : x[0] != 0 && x[1] != 0;
  return wrap_whole (dtype, whole_value (op->code, (Whole) x[0], (Whole) x[1]));
}
