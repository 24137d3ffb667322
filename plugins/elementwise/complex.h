/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Complex numbers: two lists of dtypes as those of elementwise.h, and what is said of
 * one number. Products are the plain ones of the parts, without the repair of
 * infinities that C's operator makes; functions are the C library's, whose values at
 * infinities, NaN and signed zeros are those of the array API standard (both have them
 * from C99, Annex G). */
#pragma once

#include "../rounded.h"
#include "elementwise.h"
#include <complex.h>

/* complex.h calls the unit so. */
#undef I

#define ELEMENTWISE_COMPLEX(X, op, E)                                                                                  \
  X (op, COMPLEX64, float _Complex, float _Complex, E)                                                                 \
  X (op, COMPLEX128, double _Complex, double _Complex, E)

/* Real results of complex numbers: X (op, DT, RDT, T, R, E). */
#define ELEMENTWISE_COMPLEX_TO_REAL(X, op, E)                                                                          \
  X (op, COMPLEX64, FLOAT32, float _Complex, float, E)                                                                 \
  X (op, COMPLEX128, FLOAT64, double _Complex, double, E)

#define ELEMENTWISE_PART(op, DT, RDT, T, R, E) ELEMENTWISE_LOOP_1 (op, DT, T, T, R, E)
#define ELEMENTWISE_PART_ROW(op, DT, RDT, T, R, E)                                                                     \
  { .in = { CANDELA_DTYPE_##DT }, .out = { CANDELA_DTYPE_##RDT }, .loop = op##_##DT },

#define RE(z) (__real__(z))
#define IM(z) (__imag__(z))
#define COMPLEX(T, re, im)                                                                                             \
  _Generic((T) 0, float _Complex : complex_of_float, double _Complex : complex_of_double) (re, im)

/* Those of the C library by their name for real numbers. */
#define COMPLEX_LIBM(name, z) _Generic(z, float _Complex : c##name##f, double _Complex : c##name) (z)

#define COMPLEX_MULTIPLY(T, W, a, b)                                                                                   \
  COMPLEX (T, ROUNDED_PRODUCT (RE (a), RE (b)) - ROUNDED_PRODUCT (IM (a), IM (b)),                                     \
           ROUNDED_PRODUCT (RE (a), IM (b)) + ROUNDED_PRODUCT (IM (a), RE (b)))
#define COMPLEX_DIVIDE(T, W, a, b)                                                                                     \
  _Generic((T) 0, float _Complex : complex_divide_float, double _Complex : complex_divide_double) (a, b)

#define COMPLEX_FUNCTIONS(R, SUFFIX)                                                                                   \
  static inline R _Complex complex_of_##R (R re, R im)                                                                 \
  {                                                                                                                    \
    R _Complex z;                                                                                                      \
                                                                                                                       \
    __real__ z = re;                                                                                                   \
    __imag__ z = im;                                                                                                   \
    return z;                                                                                                          \
  }                                                                                                                    \
                                                                                                                       \
  /* Smith's: by the larger part of the divisor, so that nothing on the way is beyond what the result is. */           \
  static inline R _Complex complex_divide_##R (R _Complex a, R _Complex b)                                             \
  {                                                                                                                    \
    if (fabs##SUFFIX (RE (b)) >= fabs##SUFFIX (IM (b)))                                                                \
      {                                                                                                                \
        const R ratio = RE (b) == 0 && IM (b) == 0 ? 0 : IM (b) / RE (b);                                              \
        const R scale = RE (b) + IM (b) * ratio;                                                                       \
                                                                                                                       \
        return complex_of_##R ((RE (a) + IM (a) * ratio) / scale, (IM (a) - RE (a) * ratio) / scale);                  \
      }                                                                                                                \
    {                                                                                                                  \
      const R ratio = RE (b) / IM (b), scale = IM (b) + RE (b) * ratio;                                                \
                                                                                                                       \
      return complex_of_##R ((RE (a) * ratio + IM (a)) / scale, (IM (a) * ratio - RE (a)) / scale);                    \
    }                                                                                                                  \
  }

COMPLEX_FUNCTIONS (float, f)
COMPLEX_FUNCTIONS (double, )
