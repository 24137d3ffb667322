/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Powers and roots. Integers to the power of integers stay integers, modulo 2^n, by
 * repeated squaring. A negative exponent has no integer result, and a loop cannot
 * fail: it gives what the exact result rounds to towards zero, which is 1 for base
 * 1, 1 or -1 for base -1, and 0 for all others (0 itself among them). */
#include "complex.h"
#include "stage.h"
#include "vector.h"

static inline guint64
power_modulo (guint64 base, guint64 exponent)
{
  guint64 result = 1;

  for (; exponent != 0; exponent >>= 1)
    {
      if (exponent & 1)
        result *= base;
      base *= base;
    }

  return result;
}

static inline gint64
power_to_negative (gint64 base, gint64 exponent)
{
  if (base == 1)
    return 1;
  if (base == -1)
    return exponent & 1 ? -1 : 1;

  return 0;
}

/* The low bits of a product depend on the low bits of its factors alone, so 64 bits
 * serve every width. */
#define POW_UNSIGNED(T, W, a, b) power_modulo (a, b)
#define POW_SIGNED(T, W, a, b)                                                                                         \
  (b < 0 ? (guint64) power_to_negative (a, b) : power_modulo ((guint64) (gint64) a, (guint64) b))

/* Squares and cubes of all are products, for vector code. Whether all exponents are equal is
 * looked at before anything is written: either input may be written over. */
#define POW_INTEGER(op, DT, T, W, E)                                                                                   \
  ELEMENTWISE_LOOP_2 (op##_any, DT, T, W, T, E)                                                                        \
                                                                                                                       \
  static void op##_##DT (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)           \
  {                                                                                                                    \
    const T *x1 = in[0], *x2 = in[1];                                                                                  \
    const T exponent = n > 0 ? x2[0] : 0;                                                                              \
    T *y = out[0], others = 0;                                                                                         \
                                                                                                                       \
    for (gsize k = 0; (exponent == 2 || exponent == 3) && k < n; k++)                                                  \
      others |= x2[k] ^ exponent;                                                                                      \
    if (others != 0 || (exponent != 2 && exponent != 3))                                                               \
      op##_any_##DT (out, in, n, params);                                                                              \
    else if (exponent == 2)                                                                                            \
      _Pragma ("GCC ivdep") for (gsize k = 0; k < n; k++) y[k] = (T) ((W) x1[k] * (W) x1[k]);                          \
    else                                                                                                               \
      _Pragma ("GCC ivdep") for (gsize k = 0; k < n; k++) y[k] = (T) ((W) x1[k] * (W) x1[k] * (W) x1[k]);              \
  }

ELEMENTWISE_UNSIGNED (POW_INTEGER, pow, POW_UNSIGNED)
ELEMENTWISE_SIGNED (POW_INTEGER, pow, POW_SIGNED)

/* Squares, and roots of what is above zero, are rounded correctly, and are what most
 * powers are. */
#ifdef ELEMENTWISE_VECTORS
#define POWER_LOOP(op, DT, T, W, E) VECTOR_LOOP_2 (op, DT, T, E)
#define POW(T, a, b) power_##T (a, b)
#define HYPOT V_hypot

#define POWER_FUNCTION(T)                                                                                              \
  static inline VECTOR (T) power_##T (VECTOR (T) a, VECTOR (T) b)                                                      \
  {                                                                                                                    \
    MASK (T) square = b == VECTOR_ONES_##T * 2, root = (b == VECTOR_ONES_##T / 2) & (a > VECTOR_ONES_##T * 0);         \
    VECTOR (T) result;                                                                                                 \
                                                                                                                       \
    if (VECTOR_ALL_##T (square))                                                                                       \
      return a * a;                                                                                                    \
    if (VECTOR_ALL_##T (root))                                                                                         \
      return VECTOR_SQRT_##T (a);                                                                                      \
    result = VECTOR_SELECT (T, square, a * a, V_pow (T, a, b));                                                        \
    return VECTOR_SELECT (T, root, VECTOR_SQRT_##T (a), result);                                                       \
  }

POWER_FUNCTION (float)
POWER_FUNCTION (double)
#else
#define POWER(T, a, b) _Generic(a, float : powf, double : pow) (a, b)
#define ROOT(a) _Generic(a, float : sqrtf, double : sqrt) (a)
#define POW(T, W, a, b) (b == 2 ? a * a : b == (T) 0.5 && a > 0 ? ROOT (a) : POWER (T, a, b))
#define HYPOT(T, W, a, b) _Generic(a, float : hypotf, double : hypot) (a, b)
#define POWER_LOOP ELEMENTWISE_BINARY
#endif

ELEMENTWISE_FLOATS (POWER_LOOP, pow, POW)
ELEMENTWISE_FLOATS (POWER_LOOP, hypot, HYPOT)

/* The vectors of stages are those of the loops. */
#if defined ELEMENTWISE_VECTORS && defined STAGES
#define STAGE_POW(T, W, a, b) power_##T ((VECTOR (T)) (a), (VECTOR (T)) (b))
#define POWER_ROW STAGE_BINARY_ROW

/* A square is done before the function that knows other powers has saved its registers. */
#define STAGE_SQUARE_EACH(i, DT, T, E) a##i = (StageVector) (STAGE_ACC (i, DT) * STAGE_ACC (i, DT));
#define STAGE_BY_POWER(op, DT, T, E, EACH)                                                                             \
  static void any_##op (STAGE_ARGUMENTS) __attribute__ ((noinline));                                                   \
                                                                                                                       \
  STAGE_SCALAR_FUNCTION (any_##op, DT, T, E, EACH)                                                                     \
                                                                                                                       \
  static void op (STAGE_ARGUMENTS)                                                                                     \
  {                                                                                                                    \
    T power;                                                                                                           \
                                                                                                                       \
    memcpy (&power, &stage->scalar, sizeof power);                                                                     \
    if (power != 2)                                                                                                    \
      {                                                                                                                \
        any_##op (stage, offset, a0, a1, a2, a3, a4, a5, a6, a7);                                                      \
        return;                                                                                                        \
      }                                                                                                                \
    STAGE_EACH (STAGE_SQUARE_EACH, DT, T, E)                                                                           \
    STAGE_NEXT;                                                                                                        \
  }
/* A library's function may use any register. */
#define STAGE_POWERS(op, DT, T, W, E) STAGE_BINARY_OF (op, DT, T, E, STAGE_BY_POWER, FALSE, )

ELEMENTWISE_FLOATS (STAGE_POWERS, pow, STAGE_POW)
#else
#define POWER_ROW ELEMENTWISE_BINARY_ROW
#endif

/* Squares as products here too. */
#define COMPLEX_POWER(T, W, a, b)                                                                                      \
  (b == 2 ? COMPLEX_MULTIPLY (T, W, a, a) : _Generic(a, float _Complex : cpowf, double _Complex : cpow) (a, b))

ELEMENTWISE_COMPLEX (ELEMENTWISE_BINARY, pow, COMPLEX_POWER)

ELEMENTWISE_TABLE (pow, ELEMENTWISE_UNSIGNED (ELEMENTWISE_BINARY_ROW, pow, )
                          ELEMENTWISE_SIGNED (ELEMENTWISE_BINARY_ROW, pow, ) ELEMENTWISE_FLOATS (POWER_ROW, pow, )
                            ELEMENTWISE_COMPLEX (ELEMENTWISE_BINARY_ROW, pow, ))

ELEMENTWISE_OP (pow, elementwise_x1_x2_any, "x1 to the power x2; of an integer to a negative power: 0, 1 or -1",
                .operators = "infix:**",
                .gradients = { "grad * x2 * x1 ** (x2 - 1)", "grad * where(x1 == 0, 0, out * log(x1))" })

#define SQUARE(T, W, a) ((W) a * (W) a)

ELEMENTWISE_NUMBERS (ELEMENTWISE_UNARY, square, SQUARE)
ELEMENTWISE_NUMBERS (STAGE_UNARY, square, SQUARE)

#define COMPLEX_SQUARE(T, W, a) COMPLEX_MULTIPLY (T, W, a, a)

ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY, square, COMPLEX_SQUARE)

ELEMENTWISE_TABLE (square, ELEMENTWISE_NUMBERS (STAGE_UNARY_ROW, square, SQUARE)
                             ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY_ROW, square, ))

ELEMENTWISE_OP (square, elementwise_x_any, "x * x", .gradients = { "2 * grad * x" })

/* The overload by type, for the functions of one float argument. */
#define SQRT(T, W, a) _Generic(a, float : sqrtf, double : sqrt) (a)

#define STAGE_SQRT(T, W, a) STAGE_SQRT_##T (a)
#define STAGE_SQRT_float(a) STAGE_INTRINSIC (sqrt_ps) (a)
#define STAGE_SQRT_double(a) STAGE_INTRINSIC (sqrt_pd) (a)

#define COMPLEX_SQRT(T, W, a) COMPLEX_LIBM (sqrt, a)

ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY, sqrt, COMPLEX_SQRT)

STAGE_FLOAT_UNARY (sqrt, SQRT, STAGE_SQRT, ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY_ROW, sqrt, ),
                   "The square root of x; of real x NaN below zero", .gradients = { "0.5 * grad / out" })

ELEMENTWISE_TABLE (hypot, ELEMENTWISE_FLOATS (ELEMENTWISE_BINARY_ROW, hypot, ))

ELEMENTWISE_OP (hypot, elementwise_x1_x2, "The square root of x1 * x1 + x2 * x2, without overflow on the way",
                .infer = elementwise_infer_floating, .gradients = { "grad * x1 / out", "grad * x2 / out" })

const CandelaOpInfo *const ELEMENTWISE_OPS (power)[] = {
  &pow_info, &square_info, &sqrt_info, &hypot_info, NULL,
};
