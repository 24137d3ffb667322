/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * exp of float64 over vectors, inline, every number on the same way, with the same bits with
 * AVX2 and AVX-512. e^a is 2^n e^r with |r| at most ln 2 / 2 and e^r a polynomial, of which
 * the coefficients are a Chebyshev fit with an error of 2^-60. What r leaves when it is rounded
 * is added, too, so that two roundings count: the result is within one unit. */
#pragma once

typedef VECTOR (double) Float64s;
typedef guint64 Bits64s __attribute__ ((vector_size (sizeof (Float64s))));

#define ALL64(x) (VECTOR_ONES_double * (x))
#define FMA64(a, b, c) VECTOR_FMA_double (a, b, c)

/* Added to a small number, leaves it rounded to a whole one, which the last bits are. */
#define TO_WHOLE64 0x1.8p52

/* ln 2 as the sum of two, of which the first is exact times 11 bits. */
#define LN2_SHORT64 0x1.62e42fefa38p-1
#define LN2_REST64 0x1.ef35793c7673p-45
#define LOG2_E64 0x1.71547652b82fep+0

/* power times 2^n, rounded once. */
static inline Float64s
float64_scale (Float64s power, Float64s n)
{
#ifdef __AVX512F__
  return _mm512_scalef_pd (power, n);
#else
  /* By halves, which are in range where 2^n is not. */
  const Bits64s zero = (Bits64s) ALL64 (TO_WHOLE64);
  const Bits64s whole = (Bits64s) (n + ALL64 (TO_WHOLE64)) - zero;
  const Bits64s half = (Bits64s) FMA64 (n, ALL64 (0.5), ALL64 (TO_WHOLE64)) - zero;

  return power * (Float64s) ((half << 52) + (Bits64s) VECTOR_ONES_double)
         * (Float64s) (((whole - half) << 52) + (Bits64s) VECTOR_ONES_double);
#endif
}

static inline Float64s
float64_exp (Float64s a)
{
  const Float64s held = VECTOR_MAX_double (ALL64 (-746), VECTOR_MIN_double (ALL64 (710), a));
  const Float64s n = FMA64 (held, ALL64 (LOG2_E64), ALL64 (TO_WHOLE64)) - ALL64 (TO_WHOLE64);
  const Float64s high = FMA64 (n, ALL64 (-LN2_SHORT64), held), low = n * ALL64 (LN2_REST64);
  const Float64s r = high - low, rest = high - r - low, square = r * r;
  Float64s sum = FMA64 (r, ALL64 (0x1.af4de97ca4194p-26), ALL64 (0x1.27e4db646b17ep-22));

  sum = FMA64 (square, ALL64 (0x1.1f730349868cep-29), sum);
  sum = FMA64 (square, sum, FMA64 (r, ALL64 (0x1.71de0231960ebp-19), ALL64 (0x1.a01a01a6d889cp-16)));
  sum = FMA64 (square, sum, FMA64 (r, ALL64 (0x1.a01a01abe7fe1p-13), ALL64 (0x1.6c16c16c162d4p-10)));
  sum = FMA64 (square, sum, FMA64 (r, ALL64 (0x1.11111111100dcp-7), ALL64 (0x1.5555555555556p-5)));
  sum = FMA64 (square, sum, FMA64 (r, ALL64 (0x1.5555555555557p-3), ALL64 (0.5)));
  return float64_scale (VECTOR_ONES_double + (r + FMA64 (square, sum, rest)), n);
}
