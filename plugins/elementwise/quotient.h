/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Quotients of many float32 by one number, without a division each and with the bits
 * of one. P. Markstein (Computation of Elementary Functions on the IBM RISC System/6000
 * Processor, 1990): where y is 1 / b, rounded, and q one of the two numbers next to a / b,
 * q + y (a - b q) is a / b, rounded, if both products are fused with their sums and
 * a - b q is exact, which it is where nothing is nearly out of range. The others are
 * divided.
 *
 * q is a y and what y lacks: so near that it is next to a / b. */
#pragma once

#include "stage.h"

#if defined STAGES && (defined __AVX512F__ || (defined __AVX2__ && defined __FMA__))

/* Divisors, and magnitudes of quotients, as twice their bits: from 2^-80 on to below
 * 2^80. Then an a is 2^-100 or more, and a unit in the last place of b q 2^-146. */
#define QUOTIENT_LEAST_DIVISOR 0x1p-20f
#define QUOTIENT_MOST_DIVISOR 0x1p20f
#define QUOTIENT_LEAST ((127u - 80u) << 24)
#define QUOTIENT_SPAN ((gint32) (160u << 24))

static inline gboolean
quotient_is_any_beyond (StageOf_UINT32 bits)
{
#ifdef __AVX512F__
  return _mm512_cmpge_epu32_mask ((__m512i) bits, _mm512_set1_epi32 (QUOTIENT_SPAN)) != 0;
#else
  const __m256i span = _mm256_set1_epi32 (QUOTIENT_SPAN);

  return _mm256_movemask_epi8 (_mm256_cmpeq_epi32 (_mm256_max_epu32 ((__m256i) bits, span), (__m256i) bits)) != 0;
#endif
}

/* Of eight vectors at once a coarser test: a number whose bit 30 is set once this is added to its bits is
 * from 2^-63 on and below 2^65, so that its quotient is within the bounds above. */
#define QUOTIENT_WITHIN 0x20000000u
#define QUOTIENT_WITHIN_EACH(i, ...) within &= (StageOf_UINT32) a##i + QUOTIENT_WITHIN;

static inline gboolean
quotient_are_all_within (StageOf_UINT32 within)
{
#ifdef __AVX512F__
  return _mm512_testn_epi32_mask ((__m512i) within, _mm512_set1_epi32 (1 << 30)) == 0;
#else
  return _mm256_testc_si256 ((__m256i) within, _mm256_set1_epi32 (1 << 30));
#endif
}

static inline __attribute__ ((always_inline)) StageVector
quotient_within (StageVector a, StageVector b, StageVector y, StageVector q)
{
  return STAGE_INTRINSIC (fmadd_ps) (y, STAGE_INTRINSIC (fnmadd_ps) (b, q, a), q);
}

static inline __attribute__ ((always_inline)) StageVector
quotient (StageVector a, StageVector b, StageVector y, StageVector y_lack)
{
  const StageVector q = STAGE_INTRINSIC (fmadd_ps) (a, y, a * y_lack);

  if (G_UNLIKELY (quotient_is_any_beyond (((StageOf_UINT32) q << 1) - QUOTIENT_LEAST)))
    return a / b;
  return quotient_within (a, b, y, q);
}

#define QUOTIENT_EACH(i, ...) a##i = quotient (a##i, scalar, y, y_lack);
#define QUOTIENT_WITHIN_BOUNDS_EACH(i, ...)                                                                            \
  a##i = quotient_within (a##i, scalar, y, STAGE_INTRINSIC (fmadd_ps) (a##i, y, a##i * y_lack));

/* As STAGE_SCALAR_FUNCTION is. */
#define QUOTIENT_FUNCTION(op, DT, T, E, EACH)                                                                          \
  static void op (STAGE_ARGUMENTS)                                                                                     \
  {                                                                                                                    \
    StageVector scalar;                                                                                                \
    float element;                                                                                                     \
                                                                                                                       \
    memcpy (&element, &stage->scalar, sizeof element);                                                                 \
    scalar = element - (StageVector){ 0 };                                                                             \
    if (fabsf (element) >= QUOTIENT_LEAST_DIVISOR && fabsf (element) <= QUOTIENT_MOST_DIVISOR)                         \
      {                                                                                                                \
        const float inverse = 1 / element;                                                                             \
        const StageVector y = inverse - (StageVector){ 0 };                                                            \
        const StageVector y_lack = STAGE_INTRINSIC (fnmadd_ps) (scalar, y, 1 - (StageVector){ 0 }) * y;                \
        StageOf_UINT32 within = ~(StageOf_UINT32){ 0 };                                                                \
                                                                                                                       \
        STAGE_EACH (QUOTIENT_WITHIN_EACH, )                                                                            \
        if (quotient_are_all_within (within))                                                                          \
          {                                                                                                            \
            STAGE_EACH (QUOTIENT_WITHIN_BOUNDS_EACH, )                                                                 \
          }                                                                                                            \
        else                                                                                                           \
          {                                                                                                            \
            STAGE_EACH (QUOTIENT_EACH, )                                                                               \
          }                                                                                                            \
      }                                                                                                                \
    else                                                                                                               \
      {                                                                                                                \
        STAGE_EACH (EACH, DT, T, E)                                                                                    \
      }                                                                                                                \
    STAGE_NEXT;                                                                                                        \
  }
#elif defined STAGES
#define QUOTIENT_FUNCTION STAGE_SCALAR_FUNCTION
#endif

#ifdef STAGES
#define STAGE_QUOTIENT(op, DT, T, W, E) STAGE_BINARY_BY (op, DT, T, E, QUOTIENT_FUNCTION)
#else
#define STAGE_QUOTIENT(op, DT, T, W, E)
#endif
