/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Exponentials, logarithms, and circular and hyperbolic functions: a vector
 * library's (see vector.h), else the C library's, an element at a time. */
#include "complex.h"
#include "stage.h"
#include "vector.h"

/* MATH_1 and MATH_2 make the loops of a function over floats and declare its op. */
#ifdef ELEMENTWISE_VECTORS

#define MATH_1(op, op_summary, ...)                                                                                    \
  VECTOR_LOOP_1 (op, FLOAT32, float, V_##op)                                                                           \
  VECTOR_LOOP_1 (op, FLOAT64, double, V_##op)                                                                          \
  MATH_1_OP (op, op_summary, __VA_ARGS__)

#define MATH_2(op, op_summary, ...)                                                                                    \
  VECTOR_LOOP_2 (op, FLOAT32, float, V_##op)                                                                           \
  VECTOR_LOOP_2 (op, FLOAT64, double, V_##op)                                                                          \
  MATH_2_OP (op, op_summary, __VA_ARGS__)

#else

#define MATH_1(op, op_summary, ...)                                                                                    \
  ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY, op, LIBM_##op)                                                                \
  MATH_1_OP (op, op_summary, __VA_ARGS__)

#define MATH_2(op, op_summary, ...)                                                                                    \
  ELEMENTWISE_FLOATS (ELEMENTWISE_BINARY, op, LIBM_##op)                                                               \
  MATH_2_OP (op, op_summary, __VA_ARGS__)

#define LIBM(name, a) _Generic(a, float : name##f, double : name) (a)
#define LIBM_exp(T, W, a) LIBM (exp, a)
#define LIBM_expm1(T, W, a) LIBM (expm1, a)
#define LIBM_log(T, W, a) LIBM (log, a)
#define LIBM_log1p(T, W, a) LIBM (log1p, a)
#define LIBM_log2(T, W, a) LIBM (log2, a)
#define LIBM_log10(T, W, a) LIBM (log10, a)
#define LIBM_sin(T, W, a) LIBM (sin, a)
#define LIBM_cos(T, W, a) LIBM (cos, a)
#define LIBM_tan(T, W, a) LIBM (tan, a)
#define LIBM_asin(T, W, a) LIBM (asin, a)
#define LIBM_acos(T, W, a) LIBM (acos, a)
#define LIBM_atan(T, W, a) LIBM (atan, a)
#define LIBM_sinh(T, W, a) LIBM (sinh, a)
#define LIBM_cosh(T, W, a) LIBM (cosh, a)
#define LIBM_tanh(T, W, a) LIBM (tanh, a)
#define LIBM_asinh(T, W, a) LIBM (asinh, a)
#define LIBM_acosh(T, W, a) LIBM (acosh, a)
#define LIBM_atanh(T, W, a) LIBM (atanh, a)
#define LIBM_atan2(T, W, a, b) _Generic(a, float : atan2f, double : atan2) (a, b)

#endif

#define MATH_1_OP(op, op_summary, ...)                                                                                 \
  ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY, op, COMPLEX_##op)                                                            \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY_ROW, op, )                                              \
                           ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY_ROW, op, ))                                          \
  ELEMENTWISE_OP (op, elementwise_x_any, op_summary, .infer = elementwise_infer_floating, __VA_ARGS__)

/* Of float32 a stage too. */
#define MATH_1_STAGED(op, op_summary, ...)                                                                             \
  VECTOR_LOOP_1 (op, FLOAT32, float, V_##op)                                                                           \
  VECTOR_LOOP_1 (op, FLOAT64, double, V_##op)                                                                          \
  ELEMENTWISE_FLOAT32 (STAGE_UNARY, op, STAGE_##op)                                                                    \
  ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY, op, COMPLEX_##op)                                                            \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_FLOAT32 (STAGE_UNARY_ROW, op, ) ELEMENTWISE_FLOAT64 (ELEMENTWISE_UNARY_ROW, op, ) \
                           ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY_ROW, op, ))                                          \
  ELEMENTWISE_OP (op, elementwise_x_any, op_summary, .infer = elementwise_infer_floating, __VA_ARGS__)

#define STAGE_exp(T, W, a) float32_exp ((VECTOR (float)) (a))
#define STAGE_tanh(T, W, a) float32_tanh ((VECTOR (float)) (a))

#define MATH_2_OP(op, op_summary, ...)                                                                                 \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_FLOATS (ELEMENTWISE_BINARY_ROW, op, ))                                            \
  ELEMENTWISE_OP (op, elementwise_x1_x2, op_summary, .infer = elementwise_infer_floating, __VA_ARGS__)

/* Of complex numbers: the C library's; what it has not is made of what it has. */
#define COMPLEX_CALL(name, z)                                                                                          \
  _Generic(z, float _Complex : complex_##name##_float, double _Complex : complex_##name##_double) (z)
#define COMPLEX_exp(T, W, a) COMPLEX_LIBM (exp, a)
#define COMPLEX_expm1(T, W, a) COMPLEX_CALL (expm1, a)
#define COMPLEX_log(T, W, a) COMPLEX_LIBM (log, a)
#define COMPLEX_log1p(T, W, a) COMPLEX_CALL (log1p, a)
#define COMPLEX_log2(T, W, a) COMPLEX (T, RE (COMPLEX_LIBM (log, a)) / G_LN2, IM (COMPLEX_LIBM (log, a)) / G_LN2)
#define COMPLEX_log10(T, W, a) COMPLEX (T, RE (COMPLEX_LIBM (log, a)) / G_LN10, IM (COMPLEX_LIBM (log, a)) / G_LN10)
#define COMPLEX_sin(T, W, a) COMPLEX_LIBM (sin, a)
#define COMPLEX_cos(T, W, a) COMPLEX_LIBM (cos, a)
#define COMPLEX_tan(T, W, a) COMPLEX_CALL (tan, a)
#define COMPLEX_asin(T, W, a) COMPLEX_LIBM (asin, a)
#define COMPLEX_acos(T, W, a) COMPLEX_LIBM (acos, a)
#define COMPLEX_atan(T, W, a) COMPLEX_LIBM (atan, a)
#define COMPLEX_sinh(T, W, a) COMPLEX_LIBM (sinh, a)
#define COMPLEX_cosh(T, W, a) COMPLEX_LIBM (cosh, a)
#define COMPLEX_tanh(T, W, a) COMPLEX_CALL (tanh, a)
#define COMPLEX_asinh(T, W, a) COMPLEX_LIBM (asinh, a)
#define COMPLEX_acosh(T, W, a) COMPLEX_LIBM (acosh, a)
#define COMPLEX_atanh(T, W, a) COMPLEX_LIBM (atanh, a)

/* exp (x + iy) - 1, of which the real part is expm1 (x) cos (y) - (1 - cos (y)), and
 * 1 - cos (y) twice the square of sin (y / 2). log (1 + z), of which the real part is half
 * of log1p (x (2 + x) + y y), which near minus one is as inexact as what it is made of.
 * tanh at infinity has a zero of the sign of y, not of sin (2 y) as in C, and so has tan,
 * of the sign of x; expm1 of a zero has a real part of 0, whatever the sign. */
#define COMPLEX_MADE(R, S)                                                                                             \
  static inline R _Complex complex_expm1_##R (R _Complex z)                                                            \
  {                                                                                                                    \
    const R x = RE (z), y = IM (z), half = sin##S (y / 2);                                                             \
    R _Complex result = cexp##S (z);                                                                                   \
                                                                                                                       \
    if (!isfinite (x) || !isfinite (y) || y == 0)                                                                      \
      return complex_of_##R (y == 0 ? expm1##S (x) + 0 : RE (result) - 1, IM (result));                                \
    return complex_of_##R (expm1##S (x) * cos##S (y) - 2 * half * half, IM (result));                                  \
  }                                                                                                                    \
                                                                                                                       \
  static inline R _Complex complex_log1p_##R (R _Complex z)                                                            \
  {                                                                                                                    \
    const R x = RE (z), y = IM (z);                                                                                    \
    R _Complex result = clog##S (complex_of_##R (1 + x, y));                                                           \
                                                                                                                       \
    if (fabs##S (x) > (R) 0.5 || fabs##S (y) > (R) 0.5 || isnan (x) || isnan (y))                                      \
      return result;                                                                                                   \
    return complex_of_##R (log1p##S (x * (2 + x) + y * y) / 2, IM (result));                                           \
  }                                                                                                                    \
                                                                                                                       \
  static inline R _Complex complex_tanh_##R (R _Complex z)                                                             \
  {                                                                                                                    \
    if (isinf (RE (z)) && isfinite (IM (z)))                                                                           \
      return complex_of_##R (copysign##S (1, RE (z)), copysign##S (0, IM (z)));                                        \
    return ctanh##S (z);                                                                                               \
  }                                                                                                                    \
                                                                                                                       \
  static inline R _Complex complex_tan_##R (R _Complex z)                                                              \
  {                                                                                                                    \
    if (isfinite (RE (z)) && isinf (IM (z)))                                                                           \
      return complex_of_##R (copysign##S (0, RE (z)), copysign##S (1, IM (z)));                                        \
    return ctan##S (z);                                                                                                \
  }

COMPLEX_MADE (float, f)
COMPLEX_MADE (double, )

#ifdef ELEMENTWISE_VECTORS
MATH_1_STAGED (exp, "e to the power x", .gradients = { "grad * out" })
MATH_1_STAGED (tanh, "The hyperbolic tangent of x", .gradients = { "grad * (1 - out * out)" })
#else
MATH_1 (exp, "e to the power x", .gradients = { "grad * out" })
MATH_1 (tanh, "The hyperbolic tangent of x", .gradients = { "grad * (1 - out * out)" })
#endif
MATH_1 (expm1, "e to the power x, less 1; exact near zero", .gradients = { "grad * (out + 1)" })
MATH_1 (log, "The natural logarithm of x", .gradients = { "grad / x" })
MATH_1 (log1p, "The natural logarithm of 1 + x; exact near zero", .gradients = { "grad / (1 + x)" })
MATH_1 (log2, "The logarithm of x to base 2", .gradients = { "grad / (x * 0.6931471805599453)" })
MATH_1 (log10, "The logarithm of x to base 10", .gradients = { "grad / (x * 2.302585092994046)" })
MATH_1 (sin, "The sine of x radians", .gradients = { "grad * cos(x)" })
MATH_1 (cos, "The cosine of x radians", .gradients = { "-grad * sin(x)" })
MATH_1 (tan, "The tangent of x radians", .gradients = { "grad * (1 + out * out)" })
MATH_1 (asin, "The angle, from -pi/2 to pi/2, whose sine is x", .gradients = { "grad / sqrt(1 - x * x)" })
MATH_1 (acos, "The angle, from 0 to pi, whose cosine is x", .gradients = { "-grad / sqrt(1 - x * x)" })
MATH_1 (atan, "The angle, from -pi/2 to pi/2, whose tangent is x", .gradients = { "grad / (1 + x * x)" })
MATH_1 (sinh, "The hyperbolic sine of x", .gradients = { "grad * cosh(x)" })
MATH_1 (cosh, "The hyperbolic cosine of x", .gradients = { "grad * sinh(x)" })
MATH_1 (asinh, "The number whose hyperbolic sine is x", .gradients = { "grad / hypot(x, 1)" })
MATH_1 (acosh, "The number from 0 up whose hyperbolic cosine is x", .gradients = { "grad / sqrt(x * x - 1)" })
MATH_1 (atanh, "The number whose hyperbolic tangent is x", .gradients = { "grad / (1 - x * x)" })
MATH_2 (atan2, "The angle, from -pi to pi, of the point with ordinate x1 and abscissa x2",
        .gradients = { "grad * x2 / (x1 * x1 + x2 * x2)", "-grad * x1 / (x1 * x1 + x2 * x2)" })

/* log (exp (a) + exp (b)), of which neither may overflow: the larger is taken out.
 * Equal operands are apart, for infinities of the same sign have no difference; what
 * is neither equal, above nor below is NaN. */
#ifdef ELEMENTWISE_VECTORS
#define LOGADDEXP_FUNCTION(T)                                                                                          \
  static inline VECTOR (T) logaddexp_##T (VECTOR (T) a, VECTOR (T) b)                                                  \
  {                                                                                                                    \
    const VECTOR (T) difference = a - b;                                                                               \
    const VECTOR (T) larger = VECTOR_SELECT (T, difference > 0, a, b);                                                 \
    const VECTOR (T) more = V_log1p (T, V_exp (T, -VECTOR_ABS (T, difference)));                                       \
                                                                                                                       \
    return VECTOR_SELECT (T, a == b, a + (T) G_LN2, larger + more);                                                    \
  }

LOGADDEXP_FUNCTION (float)
LOGADDEXP_FUNCTION (double)

#define V_logaddexp(T, a, b) logaddexp_##T (a, b)
#else
#define LOGADDEXP_FUNCTION(T, LOG1P, EXP)                                                                              \
  static inline T logaddexp_##T (T a, T b)                                                                             \
  {                                                                                                                    \
    const T difference = a - b;                                                                                        \
                                                                                                                       \
    if (a == b)                                                                                                        \
      return a + (T) G_LN2;                                                                                            \
    if (difference > 0)                                                                                                \
      return a + LOG1P (EXP (-difference));                                                                            \
    if (difference <= 0)                                                                                               \
      return b + LOG1P (EXP (difference));                                                                             \
    return difference;                                                                                                 \
  }

LOGADDEXP_FUNCTION (float, log1pf, expf)
LOGADDEXP_FUNCTION (double, log1p, exp)

#define LIBM_logaddexp(T, W, a, b) logaddexp_##T (a, b)
#endif

MATH_2 (logaddexp, "The logarithm of exp(x1) + exp(x2), without overflow on the way",
        .gradients = { "grad * exp(x1 - out)", "grad * exp(x2 - out)" })

const CandelaOpInfo *const ELEMENTWISE_OPS (math)[] = {
  &exp_info,  &expm1_info, &log_info,   &log1p_info, &log2_info,  &log10_info,     &sin_info,
  &cos_info,  &tan_info,   &asin_info,  &acos_info,  &atan_info,  &sinh_info,      &cosh_info,
  &tanh_info, &asinh_info, &acosh_info, &atanh_info, &atan2_info, &logaddexp_info, NULL,
};
