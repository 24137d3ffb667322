/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Functions of glibc's libmvec, by the names of the x86-64 vector ABI: e stands for
 * AVX-512 and d for AVX2, N for a function without a mask, a v for each operand. They
 * promise 4 units in the last place. Lanes that their fast way does not serve are
 * given to the C library one by one, and change no other lane.
 *
 * configure.ac has the same names. */
#pragma once

#ifdef __AVX512F__
#define LIBMVEC_float(operands, name) _ZGVeN16##operands##_##name##f
#define LIBMVEC_double(operands, name) _ZGVeN8##operands##_##name
#else
#define LIBMVEC_float(operands, name) _ZGVdN8##operands##_##name##f
#define LIBMVEC_double(operands, name) _ZGVdN4##operands##_##name
#endif

#define LIBMVEC_1(name)                                                                                                \
  VECTOR (float) LIBMVEC_float (v, name) (VECTOR (float)) G_GNUC_CONST;                                                \
  VECTOR (double) LIBMVEC_double (v, name) (VECTOR (double)) G_GNUC_CONST;
#define LIBMVEC_2(name)                                                                                                \
  VECTOR (float) LIBMVEC_float (vv, name) (VECTOR (float), VECTOR (float)) G_GNUC_CONST;                               \
  VECTOR (double) LIBMVEC_double (vv, name) (VECTOR (double), VECTOR (double)) G_GNUC_CONST;

LIBMVEC_1 (expm1)
LIBMVEC_1 (log)
LIBMVEC_1 (log1p)
LIBMVEC_1 (log2)
LIBMVEC_1 (log10)
LIBMVEC_1 (sin)
LIBMVEC_1 (cos)
LIBMVEC_1 (tan)
LIBMVEC_1 (asin)
LIBMVEC_1 (acos)
LIBMVEC_1 (atan)
LIBMVEC_1 (sinh)
LIBMVEC_1 (cosh)
LIBMVEC_1 (tanh)
LIBMVEC_1 (asinh)
LIBMVEC_1 (acosh)
LIBMVEC_1 (atanh)
LIBMVEC_1 (erfc)
LIBMVEC_2 (atan2)
LIBMVEC_2 (hypot)
LIBMVEC_2 (pow)

#define V_expm1(T, a) LIBMVEC_##T (v, expm1) (a)
#define V_log(T, a) LIBMVEC_##T (v, log) (a)
#define V_log1p(T, a) LIBMVEC_##T (v, log1p) (a)
#define V_log2(T, a) LIBMVEC_##T (v, log2) (a)
#define V_log10(T, a) LIBMVEC_##T (v, log10) (a)
#define V_sin(T, a) LIBMVEC_##T (v, sin) (a)
#define V_cos(T, a) LIBMVEC_##T (v, cos) (a)
#define V_tan(T, a) LIBMVEC_##T (v, tan) (a)
#define V_asin(T, a) LIBMVEC_##T (v, asin) (a)
#define V_acos(T, a) LIBMVEC_##T (v, acos) (a)
#define V_atan(T, a) LIBMVEC_##T (v, atan) (a)
#define V_sinh(T, a) LIBMVEC_##T (v, sinh) (a)
#define V_cosh(T, a) LIBMVEC_##T (v, cosh) (a)
#define TANH_double(a) LIBMVEC_double (v, tanh) (a)
#define V_asinh(T, a) LIBMVEC_##T (v, asinh) (a)
#define V_acosh(T, a) LIBMVEC_##T (v, acosh) (a)
#define V_atanh(T, a) LIBMVEC_##T (v, atanh) (a)
#define V_erfc(T, a) LIBMVEC_##T (v, erfc) (a)
#define V_atan2(T, a, b) LIBMVEC_##T (vv, atan2) (a, b)
#define V_hypot(T, a, b) LIBMVEC_##T (vv, hypot) (a, b)
#define V_pow(T, a, b) LIBMVEC_##T (vv, pow) (a, b)
