/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * exp, tanh and the normal distribution of float32 over vectors, inline and without
 * a table: a call of a library takes up to twice as long, and leaves numbers out of
 * its fast way to the C library, one by one. Here every number takes the same way,
 * so that AVX2 and AVX-512 give the same bits.
 *
 * All three rest on e^a = 2^n e^r, n whole and |r| at most ln 2 / 2 (W. J. Cody and
 * W. Waite, Software Manual for the Elementary Functions, 1980). The coefficients are
 * minimax fits for the relative error, as exact as float32 can tell. Short sums are
 * nested in pairs (Estrin), which rounds less often where the powers are large. */
#pragma once

typedef VECTOR (float) Float32s;
typedef MASK (float) Int32s;
typedef guint32 Bits32s __attribute__ ((vector_size (sizeof (Float32s))));

#define ALL32(x) (VECTOR_ONES_float * (x))
#define FMA32(a, b, c) VECTOR_FMA_float (a, b, c)
#define SIGNS32(a) ((Int32s) (a) & (Int32s) ALL32 (-0.0f))

/* Lanes: those where a is not below b, a NaN too; and a where they are, else zero. */
#ifdef __AVX512F__
typedef __mmask16 Lanes32;
#define NOT_BELOW32(a, b) _mm512_cmp_ps_mask (a, b, _CMP_NLT_UQ)
#define ONLY32(lanes, a) _mm512_maskz_mov_ps (lanes, a)
#else
typedef Int32s Lanes32;
#define NOT_BELOW32(a, b) (~((a) < (b)))
#define ONLY32(lanes, a) ((Float32s) ((lanes) & (Int32s) (a)))
#endif

/* Added to a small number, leaves it rounded to a whole one in the last bits. */
#define TO_WHOLE 0x1.8p23f

/* ln 2 as the sum of two, and what 1 / ln 2 is. */
#define LN2_HIGH 0x1.62e43p-1f
#define LN2_LOW -0x1.05c61p-29f
#define LOG2_E 0x1.715476p+0f

/* a 2^n, rounded once; whole is n + TO_WHOLE. */
static inline Float32s
float32_scale (Float32s a, Float32s whole)
{
#ifdef __AVX512F__
  return _mm512_scalef_ps (a, whole - TO_WHOLE);
#else
  /* In two steps, for 2^n may be out of range where the result is not. */
  const Int32s n = (Int32s) whole - (Int32s) ALL32 (TO_WHOLE), half = n >> 1;

  return a * (Float32s) ((half + 127) << 23) * (Float32s) ((n - half + 127) << 23);
#endif
}

/* e^r - 1 for |r| <= ln 2 / 2, as exact as is of use beside 1. */
static inline Float32s
float32_exp_less_1 (Float32s r)
{
  const Float32s r2 = r * r;
  const Float32s high = FMA32 (r2, ALL32 (0x1.6a2422p-10f), FMA32 (r, ALL32 (0x1.1239e8p-7f), ALL32 (0x1.5558f2p-5f)));
  const Float32s sum = FMA32 (r2, high, FMA32 (r, ALL32 (0x1.555492p-3f), ALL32 (0x1.fffffcp-2f)));

  return FMA32 (r2, sum, r);
}

static inline Float32s
float32_exp (Float32s a)
{
  /* Out of these limits the result is infinity or zero anyway; the way to zero would go
   * through denormals, which take a processor twenty times as long. NaN stays. */
  const Lanes32 some = NOT_BELOW32 (a, ALL32 (-104));
  const Float32s x = VECTOR_MIN_float (ALL32 (89), ONLY32 (some, a));
  const Float32s whole = FMA32 (x, ALL32 (LOG2_E), ALL32 (TO_WHOLE)), n = whole - TO_WHOLE;
  const Float32s r = FMA32 (n, ALL32 (-LN2_LOW), FMA32 (n, ALL32 (-LN2_HIGH), x));

  return ONLY32 (some, float32_scale (1 + float32_exp_less_1 (r), whole));
}

/* With h = e^2x - 1, tanh is h / (h + 2), and h is 2^n - 1 + 2^n (e^2r - 1): exact for
 * small x, where n is 0. From 9.02 on tanh is 1 to the last bit. */
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

/* a times the probability that a standard normal number is below a. With t = |a| and
 * that probability for -t, e^(-t^2 / 2) m (t), it is a or 0, less t e^(-t^2 / 2) m (t):
 * nothing cancels. m is Mills' ratio over the root of 2 pi; it falls from 1/2 as 1 / t
 * does, and is p / (c t p + q) here, c near the root of 2 pi, so that the roundings of p
 * do not count where t is large. From 14.4 on all of it rounds to zero, and from 5.5 on it
 * is too little beside a; t = 0 has the same result there, and needs no denormals, which
 * take long. */
static inline Float32s
float32_gelu (Float32s a)
{
  const Lanes32 near = NOT_BELOW32 (ALL32 (14.5f), VECTOR_ABS (float, a)) & NOT_BELOW32 (ALL32 (6), a);
  const Float32s t = ONLY32 (near, VECTOR_ABS (float, a)), t2 = t * t;
  /* What t2 lacks is put back, for e^x would be off by as much. */
  const Float32s x = t2 * -0.5f, lack = FMA32 (t, t, -t2) * -0.5f;
  const Float32s whole = FMA32 (x, ALL32 (LOG2_E), ALL32 (TO_WHOLE)), n = whole - TO_WHOLE;
  const Float32s r = FMA32 (n, ALL32 (-LN2_LOW), FMA32 (n, ALL32 (-LN2_HIGH), x)) + lack;
  const Float32s p_high = FMA32 (t2, ALL32 (0x1.b06b7p-8f), FMA32 (t, ALL32 (0x1.0aa08cp-4f), ALL32 (0x1.2c7574p-2f)));
  const Float32s p = FMA32 (t2, p_high, FMA32 (t, ALL32 (0x1.6737a6p-1f), ALL32 (0x1.99999ep-1f)));
  const Float32s q_high =
    FMA32 (t2, ALL32 (0x1.94f5f8p-17f), FMA32 (t, ALL32 (0x1.0b382ep-6f), ALL32 (0x1.54c0a8p-3f)));
  const Float32s q = FMA32 (t2, q_high, FMA32 (t, ALL32 (0x1.595bdcp-1f), ALL32 (0x1.99999ep+0f)));
  const Float32s m = p / FMA32 (t * 0x1.40d842p+1f, p, q);
  const Float32s scaled = float32_scale (-t, whole);

  /* Of two zeros the second is taken, so that zeros keep their sign. */
  return FMA32 (FMA32 (scaled, float32_exp_less_1 (r), scaled), m, VECTOR_MAX_float (ALL32 (-0.0f), a));
}

#undef ALL32
#undef FMA32
#undef SIGNS32
#undef NOT_BELOW32
#undef ONLY32
#undef TO_WHOLE
#undef LN2_HIGH
#undef LN2_LOW
#undef LOG2_E
