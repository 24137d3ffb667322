/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of SLEEF: those named finz, which give a lane the same bits whatever the
 * others hold, and the same ones with AVX2 and AVX-512. Where a function is not what it
 * promises for every number (an infinity where the result is still finite), the numbers
 * apart are settled by their own value alone, and given to the C library one by one. */
#pragma once

#include <sleef.h>

#ifdef __AVX512F__
#define SLEEF_float(name, precision) Sleef_finz_##name##f16_##precision##avx512f
#define SLEEF_double(name, precision) Sleef_finz_##name##d8_##precision##avx512f
#else
#define SLEEF_float(name, precision) Sleef_finz_##name##f8_##precision##avx2
#define SLEEF_double(name, precision) Sleef_finz_##name##d4_##precision##avx2
#endif

#define SLEEF(T, name, precision) SLEEF_##T (name, precision)

/* patched_name_T (a): SLEEF's function for the lanes that are USUAL, and the C library's
 * for the others, which SLEEF is given as ones. */
#define SLEEF_PATCHED(T, name, precision, USUAL, LIBM)                                                                 \
  G_GNUC_UNUSED G_NO_INLINE static VECTOR (T) name##_apart_##T (VECTOR (T) a, MASK (T) usual)                          \
  {                                                                                                                    \
    VECTOR (T) result = SLEEF (T, name, precision) (VECTOR_SELECT (T, usual, a, VECTOR_ONES_##T));                     \
                                                                                                                       \
    for (gsize lane = 0; lane < LANES (T); lane++)                                                                     \
      if (!usual[lane])                                                                                                \
        result[lane] = LIBM (a[lane]);                                                                                 \
    return result;                                                                                                     \
  }                                                                                                                    \
                                                                                                                       \
  static inline VECTOR (T) patched_##name##_##T (VECTOR (T) a)                                                         \
  {                                                                                                                    \
    const MASK (T) usual = (MASK (T)) USUAL (T, a);                                                                    \
                                                                                                                       \
    if (G_LIKELY (VECTOR_ALL_##T (usual)))                                                                             \
      return SLEEF (T, name, precision) (a);                                                                           \
    return name##_apart_##T (a, usual);                                                                                \
  }

/* SLEEF gives infinities where the result is finite still: log1p near the largest
 * numbers, sinh and cosh before they overflow, and asinh and acosh of what has no
 * square. A NaN is not usual either. */
#define BELOW(T, a, limit32, limit64) ((a) < (T) (sizeof (T) == sizeof (float) ? (limit32) : (limit64)))
#define USUAL_LOG1P(T, a) BELOW (T, a, 1e38, 1e307)
#define USUAL_SINH(T, a) BELOW (T, VECTOR_ABS (T, a), 88, 709)
#define USUAL_ASINH(T, a) BELOW (T, VECTOR_ABS (T, a), 1e18, 1e150)
#define USUAL_ACOSH(T, a) BELOW (T, a, 1e18, 1e150)

SLEEF_PATCHED (float, log1p, u10, USUAL_LOG1P, log1pf)
SLEEF_PATCHED (double, log1p, u10, USUAL_LOG1P, log1p)
SLEEF_PATCHED (float, sinh, u10, USUAL_SINH, sinhf)
SLEEF_PATCHED (double, sinh, u10, USUAL_SINH, sinh)
SLEEF_PATCHED (float, cosh, u10, USUAL_SINH, coshf)
SLEEF_PATCHED (double, cosh, u10, USUAL_SINH, cosh)
SLEEF_PATCHED (float, asinh, u10, USUAL_ASINH, asinhf)
SLEEF_PATCHED (double, asinh, u10, USUAL_ASINH, asinh)
SLEEF_PATCHED (float, acosh, u10, USUAL_ACOSH, acoshf)
SLEEF_PATCHED (double, acosh, u10, USUAL_ACOSH, acosh)

#define V_expm1(T, a) SLEEF (T, expm1, u10) (a)
#define V_log(T, a) SLEEF (T, log, u10) (a)
#define V_log1p(T, a) patched_log1p_##T (a)
#define V_log2(T, a) SLEEF (T, log2, u10) (a)
#define V_log10(T, a) SLEEF (T, log10, u10) (a)
#define V_sin(T, a) SLEEF (T, sin, u10) (a)
#define V_cos(T, a) SLEEF (T, cos, u10) (a)
#define V_tan(T, a) SLEEF (T, tan, u10) (a)
#define V_asin(T, a) SLEEF (T, asin, u10) (a)
#define V_acos(T, a) SLEEF (T, acos, u10) (a)
#define V_atan(T, a) SLEEF (T, atan, u10) (a)
#define V_sinh(T, a) patched_sinh_##T (a)
#define V_cosh(T, a) patched_cosh_##T (a)
/* u10 would take three times as long. */
#define TANH_double(a) SLEEF (double, tanh, u35) (a)
#define V_asinh(T, a) patched_asinh_##T (a)
#define V_acosh(T, a) patched_acosh_##T (a)
#define V_atanh(T, a) SLEEF (T, atanh, u10) (a)
#define V_erfc(T, a) SLEEF (T, erfc, u15) (a)
#define V_atan2(T, a, b) SLEEF (T, atan2, u10) (a, b)
#define V_hypot(T, a, b) SLEEF (T, hypot, u05) (a, b)
#define V_pow(T, a, b) SLEEF (T, pow, u10) (a, b)
