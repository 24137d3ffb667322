/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Exponentials, logarithms, and circular and hyperbolic functions: the C library's,
 * an element at a time, so that no element's bits depend on its neighbours. */
#include "elementwise.h"

#define LIBM(name, a) _Generic(a, float : name##f, double : name) (a)

#define EXP(T, W, a) LIBM (exp, a)
#define EXPM1(T, W, a) LIBM (expm1, a)
#define LOG(T, W, a) LIBM (log, a)
#define LOG1P(T, W, a) LIBM (log1p, a)
#define LOG2(T, W, a) LIBM (log2, a)
#define LOG10(T, W, a) LIBM (log10, a)
#define SIN(T, W, a) LIBM (sin, a)
#define COS(T, W, a) LIBM (cos, a)
#define TAN(T, W, a) LIBM (tan, a)
#define ASIN(T, W, a) LIBM (asin, a)
#define ACOS(T, W, a) LIBM (acos, a)
#define ATAN(T, W, a) LIBM (atan, a)
#define SINH(T, W, a) LIBM (sinh, a)
#define COSH(T, W, a) LIBM (cosh, a)
#define TANH(T, W, a) LIBM (tanh, a)
#define ASINH(T, W, a) LIBM (asinh, a)
#define ACOSH(T, W, a) LIBM (acosh, a)
#define ATANH(T, W, a) LIBM (atanh, a)
#define ATAN2(T, W, a, b) _Generic(a, float : atan2f, double : atan2) (a, b)

ELEMENTWISE_FLOAT_UNARY (exp, EXP, "e to the power x")
ELEMENTWISE_FLOAT_UNARY (expm1, EXPM1, "e to the power x, less 1; exact near zero")
ELEMENTWISE_FLOAT_UNARY (log, LOG, "The natural logarithm of x")
ELEMENTWISE_FLOAT_UNARY (log1p, LOG1P, "The natural logarithm of 1 + x; exact near zero")
ELEMENTWISE_FLOAT_UNARY (log2, LOG2, "The logarithm of x to base 2")
ELEMENTWISE_FLOAT_UNARY (log10, LOG10, "The logarithm of x to base 10")
ELEMENTWISE_FLOAT_UNARY (sin, SIN, "The sine of x radians")
ELEMENTWISE_FLOAT_UNARY (cos, COS, "The cosine of x radians")
ELEMENTWISE_FLOAT_UNARY (tan, TAN, "The tangent of x radians")
ELEMENTWISE_FLOAT_UNARY (asin, ASIN, "The angle, from -pi/2 to pi/2, whose sine is x")
ELEMENTWISE_FLOAT_UNARY (acos, ACOS, "The angle, from 0 to pi, whose cosine is x")
ELEMENTWISE_FLOAT_UNARY (atan, ATAN, "The angle, from -pi/2 to pi/2, whose tangent is x")
ELEMENTWISE_FLOAT_UNARY (sinh, SINH, "The hyperbolic sine of x")
ELEMENTWISE_FLOAT_UNARY (cosh, COSH, "The hyperbolic cosine of x")
ELEMENTWISE_FLOAT_UNARY (tanh, TANH, "The hyperbolic tangent of x")
ELEMENTWISE_FLOAT_UNARY (asinh, ASINH, "The number whose hyperbolic sine is x")
ELEMENTWISE_FLOAT_UNARY (acosh, ACOSH, "The number from 0 up whose hyperbolic cosine is x")
ELEMENTWISE_FLOAT_UNARY (atanh, ATANH, "The number whose hyperbolic tangent is x")
ELEMENTWISE_FLOAT_BINARY (atan2, ATAN2, "The angle, from -pi to pi, of the point with ordinate x1 and abscissa x2")

/* log (exp (a) + exp (b)), of which neither may overflow: the larger is taken out.
 * Equal operands are apart, for infinities of the same sign have no difference; what
 * is neither equal, above nor below is NaN. */
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

#define LOGADDEXP(T, W, a, b) logaddexp_##T (a, b)

ELEMENTWISE_FLOAT_BINARY (logaddexp, LOGADDEXP, "The logarithm of exp(x1) + exp(x2), without overflow on the way")

const CandelaOpInfo *const ELEMENTWISE_OPS (math)[] = {
  &exp_info,  &expm1_info, &log_info,   &log1p_info, &log2_info,  &log10_info,     &sin_info,
  &cos_info,  &tan_info,   &asin_info,  &acos_info,  &atan_info,  &sinh_info,      &cosh_info,
  &tanh_info, &asinh_info, &acosh_info, &atanh_info, &atan2_info, &logaddexp_info, NULL,
};
