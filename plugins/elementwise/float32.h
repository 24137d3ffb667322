/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * exp, tanh, the logistic function and the normal distribution of float32 over vectors,
 * inline: a call of a library takes up to twice as long, and leaves numbers out of its
 * fast way to the C library, one by one. Here every number takes the same way. exp and
 * what is made of it has the same bits with AVX2 and AVX-512.
 *
 * e^a is 2^n e^r with n in quarters and |r| at most ln 2 / 8, so that a polynomial of
 * degree 4 does. 2^n is one of a few numbers in a register, which an instruction takes
 * by the last bits of n, times a power of two (P. T. P. Tang, Table-driven implementation
 * of the exponential function, ACM TOMS 15, 1989). The coefficients are minimax fits, as
 * exact as float32 can tell. Short sums are nested in pairs (Estrin), which rounds less
 * often where the powers are large. */
#pragma once

typedef VECTOR (float) Float32s;
typedef MASK (float) Int32s;
typedef guint32 Bits32s __attribute__ ((vector_size (sizeof (Float32s))));

#define ALL32(x) (VECTOR_ONES_float * (x))
#define FMA32(a, b, c) VECTOR_FMA_float (a, b, c)
#define SIGNS32(a) ((Int32s) (a) & (Int32s) ALL32 (-0.0f))

/* Roots of the root of 2. */
#define ROOT_1 0x1.306fep+0f
#define ROOT_2 0x1.6a09e6p+0f
#define ROOT_3 0x1.ae89fap+0f

#ifdef __AVX512F__
/* Lanes: those where a is not below b, a NaN too; and a where they are, else zero. */
typedef __mmask16 Lanes32;
#define NOT_BELOW32(a, b) _mm512_cmp_ps_mask (a, b, _CMP_NLT_UQ)
#define ONLY32(lanes, a) _mm512_maskz_mov_ps (lanes, a)
/* yes where the sign of a is minus. */
#define BY_SIGN32(a, yes, no) _mm512_mask_mov_ps (no, _mm512_movepi32_mask ((__m512i) (a)), yes)
/* a times the root of which the last bits of quarters tell. */
#define ROOTS32(a, quarters)                                                                                           \
  _mm512_permutevar_ps (_mm512_broadcast_f32x4 (_mm_setr_ps ((a), (a) *ROOT_1, (a) *ROOT_2, (a) *ROOT_3)),             \
                        (__m512i) (quarters))
#else
typedef Int32s Lanes32;
#define NOT_BELOW32(a, b) (~((a) < (b)))
#define ONLY32(lanes, a) ((Float32s) ((lanes) & (Int32s) (a)))
#define BY_SIGN32(a, yes, no) _mm256_blendv_ps (no, yes, a)
#define ROOTS32(a, quarters)                                                                                           \
  _mm256_permutevar8x32_ps (_mm256_setr_ps ((a), (a) *ROOT_1, (a) *ROOT_2, (a) *ROOT_3, 2 * (a), 2 * (a) *ROOT_1,      \
                                            2 * (a) *ROOT_2, 2 * (a) *ROOT_3),                                         \
                            (__m256i) (quarters))
#endif

/* Added to a small number, leaves it rounded in the last bits, to a whole one or to quarters. */
#define TO_WHOLE 0x1.8p23f
#define TO_QUARTERS 0x1.8p21f

/* ln 2 as the sum of two, of which the first is exact times 10 bits; as the sum of two
 * that are as near as can be; and what 1 / ln 2 is. */
#define LN2_SHORT 0x1.62ep-1f
#define LN2_REST 0x1.0bfbe8p-15f
#define LN2_HIGH 0x1.62e43p-1f
#define LN2_LOW -0x1.05c61p-29f
#define LOG2_E 0x1.715476p+0f

/* a e^r for |r| <= ln 2 / 8. */
static inline Float32s
float32_times_exp (Float32s a, Float32s r)
{
  const Float32s sum = FMA32 (r, FMA32 (r, ALL32 (0x1.54e368p-5f), ALL32 (0x1.5571dap-3f)), ALL32 (0x1.00000ep-1f));

  return FMA32 (a, FMA32 (r * r, sum, r), a);
}

/* power times that power of two, rounded once. With AVX2 the roots are of two octaves, so
 * that it is a square, of which the root is in range where the square is not. */
static inline Float32s
float32_scale (Float32s power, Float32s quarters, Float32s n)
{
#ifdef __AVX512F__
  return _mm512_scalef_ps (power, n);
#else
  const Float32s scale = (Float32s) (((Bits32s) quarters >> 3 << 23) + (Bits32s) VECTOR_ONES_float);

  return power * scale * scale;
#endif
}

/* e^a of which a is no more than 89, or NaN. */
static inline Float32s
float32_exp_of_small (Float32s a)
{
  /* Far below zero the way to a result of zero would go through denormals, which take a
   * processor a hundred times as long. */
#ifdef __AVX512F__
  const Lanes32 some = NOT_BELOW32 (a, ALL32 (-104));
#else
  a = VECTOR_MAX_float (ALL32 (-120), a);
#endif
  const Float32s quarters = FMA32 (a, ALL32 (LOG2_E), ALL32 (TO_QUARTERS)), n = quarters - TO_QUARTERS;
  const Float32s r = FMA32 (n, ALL32 (-LN2_LOW), FMA32 (n, ALL32 (-LN2_HIGH), a));
  const Float32s power = float32_times_exp (ROOTS32 (1.0f, quarters), r);

#ifdef __AVX512F__
  return _mm512_maskz_scalef_ps (some, power, n);
#else
  return float32_scale (power, quarters, n);
#endif
}

/* Beyond 89 the result is infinity anyway. NaN stays. */
static inline Float32s
float32_exp (Float32s a)
{
  return float32_exp_of_small (VECTOR_MIN_float (ALL32 (89), a));
}

/* e^a / (1 + e^a) below zero, 1 / (1 + e^-a) above. */
static inline Float32s
float32_sigmoid (Float32s a)
{
  const Float32s e = float32_exp_of_small ((Float32s) ((Int32s) a | (Int32s) ALL32 (-0.0f)));

  return BY_SIGN32 (a, e, VECTOR_ONES_float) / (1 + e);
}

#ifdef __AVX512F__
#include "pieces.h"

/* From 9.02 on tanh is 1 to the last bit. */
static inline Float32s
float32_tanh (Float32s a)
{
  const Float32s t = VECTOR_MIN_float (ALL32 (9.125f), VECTOR_ABS (float, a));
  const __m512i piece = _mm512_srli_epi32 ((__m512i) (t + 0.75f), 20);
  const Float32s r = t - PIECES32 (tanh32_middle, piece);
  const Float32s high =
    FMA32 (r, FMA32 (r, PIECES32 (tanh32_4, piece), PIECES32 (tanh32_3, piece)), PIECES32 (tanh32_2, piece));
  const Float32s result = FMA32 (r, FMA32 (r, high, PIECES32 (tanh32_1, piece)), PIECES32 (tanh32_0, piece));

  return (Float32s) ((Int32s) result | SIGNS32 (a));
}
#else
/* With h = e^2x - 1, tanh is h / (h + 2), and h is 2^n - 1 + 2^n (e^2r - 1), n whole and
 * |2r| <= ln 2 / 2: exact for small x, where n is 0. From 9.02 on tanh is 1 to the last
 * bit. */
static inline Float32s
float32_tanh (Float32s a)
{
  const Float32s x = VECTOR_MIN_float (ALL32 (10), VECTOR_ABS (float, a));
  const Float32s whole = FMA32 (x, ALL32 (2 * LOG2_E), ALL32 (TO_WHOLE));
  const Float32s power = (Float32s) (((Bits32s) whole << 23) + (Bits32s) VECTOR_ONES_float);
  const Float32s r = FMA32 (whole - TO_WHOLE, ALL32 (-LN2_HIGH / 2), x), r2 = r * r;
  const Float32s high = FMA32 (r2, ALL32 (0x1.6bebfcp-4f), FMA32 (r, ALL32 (0x1.12277cp-2f), ALL32 (0x1.555674p-1f)));
  const Float32s sum = FMA32 (r2, high, FMA32 (r, ALL32 (0x1.5554bp+0f), ALL32 (0x1.fffffep+0f)));
  const Float32s h = FMA32 (power, FMA32 (r2, sum, r + r), power - 1);

  return (Float32s) ((Int32s) (h / (h + 2)) | SIGNS32 (a));
}
#endif

/* a times the probability that a standard normal number is below a. With t = |a| and
 * that probability for -t, e^(-t^2 / 2) m (t), it is a or 0, less t e^(-t^2 / 2) m (t):
 * nothing cancels. m is Mills' ratio over the root of 2 pi; it falls from 1/2 as 1 / t
 * does, and is p / (c t p + q) here, c near the root of 2 pi, so that the roundings of p
 * do not count where t is large. p begins with 1, so that of t p the small part alone is
 * rounded; and as all of it is doubled at t = 0, c and q have a factor of 7/8, which leaves
 * them more room below a power of two. From 14.4 on all of it rounds to zero, and from 5.5 on
 * it is too little beside a; t = 0 has the same result there, and needs no denormals, which
 * take long. */
static inline Float32s
float32_gelu_by_exp (Float32s a)
{
  const Lanes32 near = NOT_BELOW32 (a, ALL32 (-14.5f)) & NOT_BELOW32 (ALL32 (6), a);
  const Float32s t = VECTOR_ABS (float, ONLY32 (near, a)), t2 = t * t;
  const Float32s quarters = FMA32 (t2, ALL32 (-0.5f * LOG2_E), ALL32 (TO_QUARTERS)), n = quarters - TO_QUARTERS;
  /* Of t2, which is rounded, r would be off by as much as t2 is. */
  const Float32s r = FMA32 (n, ALL32 (-LN2_REST), FMA32 (t, t * -0.5f, n * -LN2_SHORT));
  const Float32s scaled = float32_scale (float32_times_exp (ROOTS32 (0.875f, quarters), r), quarters, n);
  const Float32s p_high = FMA32 (t2, FMA32 (t, ALL32 (0x1.0e4324p-7f), ALL32 (0x1.4d48acp-4f)),
                                 FMA32 (t, ALL32 (0x1.7792ccp-2f), ALL32 (0x1.c1058ap-1f)));
  const Float32s tp = FMA32 (t2, p_high, t);
  const Float32s q_high = FMA32 (t2, ALL32 (0x1.baed02p-17f), FMA32 (t, ALL32 (0x1.24457p-6f), ALL32 (0x1.74b2b4p-3f)));
  const Float32s q = FMA32 (t, FMA32 (t, q_high, ALL32 (0x1.79bc74p-1f)), ALL32 (0x1.cp+0f));

  /* Of two zeros the second is taken, so that zeros keep their sign. */
  return FMA32 (-scaled, tp / FMA32 (tp, ALL32 (0x1.18bd3ap+1f), q), VECTOR_MAX_float (ALL32 (-0.0f), a));
}

#ifdef __AVX512F__
static G_GNUC_NO_INLINE G_GNUC_UNUSED Float32s
float32_gelu_far (Float32s a)
{
  return float32_gelu_by_exp (a);
}

/* In pieces, which is faster and rounds less often, but for what is below -5.5. */
static inline Float32s
float32_gelu (Float32s a)
{
  const Float32s t = VECTOR_MIN_float (ALL32 (5.5f), VECTOR_ABS (float, a));
  const Float32s steps = FMA32 (t, ALL32 (NORMAL32_STEPS), ALL32 (3 * NORMAL32_STEPS));
  const __m512i piece = (__m512i) FMA32 (t, steps, ALL32 (TO_WHOLE));
  const Float32s r = t - PIECES32 (normal32_middle, piece);
  const Float32s high =
    FMA32 (r, FMA32 (r, PIECES32 (normal32_5, piece), PIECES32 (normal32_4, piece)), PIECES32 (normal32_3, piece));
  const Float32s low = FMA32 (r, FMA32 (r, high, PIECES32 (normal32_2, piece)), PIECES32 (normal32_1, piece));
  const Float32s probability = FMA32 (r, low, PIECES32 (normal32_0, piece));
  const Float32s result = FMA32 (-t, probability, VECTOR_MAX_float (ALL32 (-0.0f), a));
  const Lanes32 far = _mm512_cmp_ps_mask (a, ALL32 (-5.5f), _CMP_LT_OQ);

  return G_LIKELY (far == 0) ? result : _mm512_mask_mov_ps (result, far, float32_gelu_far (a));
}
#else
#define float32_gelu float32_gelu_by_exp
#endif

#undef ALL32
#undef FMA32
#undef SIGNS32
#undef ROOT_1
#undef ROOT_2
#undef ROOT_3
#undef NOT_BELOW32
#undef ONLY32
#undef BY_SIGN32
#undef ROOTS32
#undef PIECES32
#undef NORMAL32_STEPS
#undef TO_WHOLE
#undef TO_QUARTERS
#undef LN2_SHORT
#undef LN2_REST
#undef LN2_HIGH
#undef LN2_LOW
#undef LOG2_E
