/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Vectors of an instruction set, where plain loops do not become what the processor
 * can do: elements widened to binary64 in lanes, extremes of floats, and whether a
 * value is among elements. All give the bits that the plain loops would. */
#pragma once

#include "reduce.h"

#if defined __AVX2__ || defined __SSE2__
#include <immintrin.h>
#endif

#ifdef __AVX512F__
#define REDUCE_VECTOR 64
#elif defined __AVX2__
#define REDUCE_VECTOR 32
#else
#define REDUCE_VECTOR 16
#endif

/* ---- Lanes of binary64 ---- */

#define REDUCE_WIDE (REDUCE_VECTOR / 8)
#define REDUCE_N_WIDE (REDUCE_LANES / REDUCE_WIDE)

typedef double ReduceWide __attribute__ ((vector_size (REDUCE_VECTOR)));

#define REDUCE_EACH_WIDE(j) _Pragma ("GCC unroll 8") for (guint j = 0; j < REDUCE_N_WIDE; j++)

static inline ReduceWide
reduce_widen_float64 (const double *x)
{
  ReduceWide wide;

  memcpy (&wide, x, sizeof wide);
  return wide;
}

static inline ReduceWide
reduce_widen_float32 (const float *x)
{
#ifdef __AVX512F__
  return (ReduceWide) _mm512_cvtps_pd (_mm256_loadu_ps (x));
#elif defined __AVX2__
  return (ReduceWide) _mm256_cvtps_pd (_mm_loadu_ps (x));
#else
  return (ReduceWide){ (double) x[0], (double) x[1] };
#endif
}

/* n elements, fewer than there are lanes; what they do not reach is filled. */
#ifdef __AVX512F__
static inline void
reduce_widen_some_float64 (ReduceWide *lanes, const double *x, gsize n, double fill)
{
  const guint mask = (1u << n) - 1;

  lanes[0] = (ReduceWide) _mm512_mask_loadu_pd (_mm512_set1_pd (fill), (__mmask8) mask, x);
  lanes[1] = (ReduceWide) _mm512_mask_loadu_pd (_mm512_set1_pd (fill), (__mmask8) (mask >> 8), x + 8);
}

static inline void
reduce_widen_some_float32 (ReduceWide *lanes, const float *x, gsize n, double fill)
{
  const guint mask = (1u << n) - 1;
  const __m512 some = _mm512_maskz_loadu_ps ((__mmask16) mask, x);

  lanes[0] = (ReduceWide) _mm512_mask_cvtps_pd (_mm512_set1_pd (fill), (__mmask8) mask, _mm512_castps512_ps256 (some));
  lanes[1] =
    (ReduceWide) _mm512_mask_cvtps_pd (_mm512_set1_pd (fill), (__mmask8) (mask >> 8), _mm512_extractf32x8_ps (some, 1));
}
#elif defined __AVX2__
/* From element 16 - n on: n lanes that are there, and others. */
static const gint64 reduce_lanes_there[2 * REDUCE_LANES] = { -1, -1, -1, -1, -1, -1, -1, -1,
                                                             -1, -1, -1, -1, -1, -1, -1, -1 };

static inline void
reduce_widen_some_float64 (ReduceWide *lanes, const double *x, gsize n, double fill)
{
  REDUCE_EACH_WIDE (j)
  {
    const __m256i mask = _mm256_loadu_si256 ((const __m256i *) (reduce_lanes_there + REDUCE_LANES - n + 4 * j));

    lanes[j] =
      (ReduceWide) _mm256_blendv_pd (_mm256_set1_pd (fill), _mm256_maskload_pd (x + 4 * j, mask), (__m256d) mask);
  }
}

static inline void
reduce_widen_some_float32 (ReduceWide *lanes, const float *x, gsize n, double fill)
{
  REDUCE_EACH_WIDE (j)
  {
    const __m256i mask = _mm256_loadu_si256 ((const __m256i *) (reduce_lanes_there + REDUCE_LANES - n + 4 * j));
    const __m128i narrow = (__m128i) _mm_shuffle_ps ((__m128) _mm256_castsi256_si128 (mask),
                                                     (__m128) _mm256_extracti128_si256 (mask, 1), 0x88);

    lanes[j] = (ReduceWide) _mm256_blendv_pd (_mm256_set1_pd (fill),
                                              _mm256_cvtps_pd (_mm_maskload_ps (x + 4 * j, narrow)), (__m256d) mask);
  }
}
#else
#define REDUCE_WIDEN_SOME(name, type)                                                                                  \
  static inline void reduce_widen_some_##name (ReduceWide *lanes, const type *x, gsize n, double fill)                 \
  {                                                                                                                    \
    double values[REDUCE_LANES];                                                                                       \
                                                                                                                       \
    for (guint l = 0; l < REDUCE_LANES; l++)                                                                           \
      values[l] = fill;                                                                                                \
    for (gsize i = 0; i < n; i++)                                                                                      \
      values[i] = (double) x[i];                                                                                       \
    memcpy (lanes, values, sizeof values);                                                                             \
  }

REDUCE_WIDEN_SOME (float64, double)
REDUCE_WIDEN_SOME (float32, float)
#endif

typedef gint64 ReduceWideBits __attribute__ ((vector_size (REDUCE_VECTOR)));

/* Zeros in all lanes but the first n. */
static inline void
reduce_clear_lanes (ReduceWide *lanes, gsize n)
{
  static const gint64 there[2 * REDUCE_LANES] = { -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1 };
  ReduceWideBits bits;

  REDUCE_EACH_WIDE (j)
  {
    memcpy (&bits, there + REDUCE_LANES - n + j * REDUCE_WIDE, sizeof bits);
    lanes[j] = (ReduceWide) ((ReduceWideBits) lanes[j] & bits);
  }
}

/* NAME (lanes): all lanes into one, by halves. */
#ifdef __AVX2__
#define REDUCE_JOIN_QUARTER(whole, OP)                                                                                 \
  const __m128d pair = OP (_mm256_castpd256_pd128 (whole), _mm256_extractf128_pd (whole, 1));                          \
                                                                                                                       \
  return OP (pair[0], pair[1]);
#endif
#ifdef __AVX512F__
#define REDUCE_JOIN_LAST(lanes, OP)                                                                                    \
  const __m512d all = (__m512d) lanes[0];                                                                              \
  const __m256d half = OP (_mm512_castpd512_pd256 (all), _mm512_extractf64x4_pd (all, 1));                             \
                                                                                                                       \
  REDUCE_JOIN_QUARTER (half, OP)
#elif defined __AVX2__
#define REDUCE_JOIN_LAST(lanes, OP)                                                                                    \
  const __m256d half = (__m256d) lanes[0];                                                                             \
                                                                                                                       \
  REDUCE_JOIN_QUARTER (half, OP)
#else
#define REDUCE_JOIN_LAST(lanes, OP) return OP (lanes[0][0], lanes[0][1]);
#endif

#define REDUCE_JOIN(NAME, OP)                                                                                          \
  static inline double NAME (ReduceWide *lanes)                                                                        \
  {                                                                                                                    \
    _Pragma ("GCC unroll 4") for (guint n = REDUCE_N_WIDE / 2; n > 0; n /= 2)                                          \
      _Pragma ("GCC unroll 4") for (guint j = 0; j < n; j++) lanes[j] = OP (lanes[j], lanes[j + n]);                   \
    REDUCE_JOIN_LAST (lanes, OP)                                                                                       \
  }                                                                                                                    \
                                                                                                                       \
  REDUCE_JOIN_EACH (NAME, OP)

/* name_each (out, lanes, n): the same for some blocks, in AVX-512 for four together, whose
 * halves go side by side. */
#ifdef __AVX512F__
#define REDUCE_JOIN_EACH(NAME, OP)                                                                                     \
  static inline                                                                                                        \
    __attribute__ ((always_inline)) void NAME##_each (double *out, ReduceWide (*lanes)[REDUCE_N_WIDE], guint n)        \
  {                                                                                                                    \
    __m512d a, b;                                                                                                      \
                                                                                                                       \
    if (n != 4)                                                                                                        \
      {                                                                                                                \
        for (guint k = 0; k < n; k++)                                                                                  \
          out[k] = NAME (lanes[k]);                                                                                    \
        return;                                                                                                        \
      }                                                                                                                \
    _Pragma ("GCC unroll 4") for (guint k = 0; k < 4; k++) lanes[k][0] = OP (lanes[k][0], lanes[k][1]);                \
    a = OP (REDUCE_PAIR (lanes[0][0], lanes[1][0], 0x44), REDUCE_PAIR (lanes[0][0], lanes[1][0], 0xee));               \
    b = OP (REDUCE_PAIR (lanes[2][0], lanes[3][0], 0x44), REDUCE_PAIR (lanes[2][0], lanes[3][0], 0xee));               \
    a = OP (REDUCE_PAIR (a, b, 0x88), REDUCE_PAIR (a, b, 0xdd));                                                       \
    a = OP (a, _mm512_permute_pd (a, 0x55));                                                                           \
    _mm256_storeu_pd (out,                                                                                             \
                      _mm512_castpd512_pd256 (_mm512_permutexvar_pd (_mm512_setr_epi64 (0, 2, 4, 6, 0, 2, 4, 6), a))); \
  }
#define REDUCE_PAIR(a, b, which) _mm512_shuffle_f64x2 ((__m512d) (a), (__m512d) (b), which)
#else
#define REDUCE_JOIN_EACH(NAME, OP)                                                                                     \
  static inline                                                                                                        \
    __attribute__ ((always_inline)) void NAME##_each (double *out, ReduceWide (*lanes)[REDUCE_N_WIDE], guint n)        \
  {                                                                                                                    \
    _Pragma ("GCC unroll 8") for (guint k = 0; k < n; k++) out[k] = NAME (lanes[k]);                                   \
  }
#endif

/* ---- Extremes of floats, and where a number is ---- */

/* REDUCE_MAX (a, b) of vectors is b where they are equal or one is NaN. Of several
 * lanes: whether one of a or b is NaN, whether one is equal, as bits. */
#ifdef __AVX512F__
#define REDUCE_EXTREMES 1
#define REDUCE_X86(function, suffix) _mm512_##function##_##suffix
#define REDUCE_UNORDERED(a, b, suffix) ((guint) REDUCE_X86 (cmp, suffix##_mask) (a, b, _CMP_UNORD_Q))
#define REDUCE_EQUAL(a, b, suffix) ((guint) REDUCE_X86 (cmp, suffix##_mask) (a, b, _CMP_EQ_OQ))
typedef __m512 ReduceVector_ps;
typedef __m512d ReduceVector_pd;
#elif defined __AVX2__
#define REDUCE_EXTREMES 1
#define REDUCE_X86(function, suffix) _mm256_##function##_##suffix
#define REDUCE_BITS(mask, suffix) ((guint) REDUCE_X86 (movemask, suffix) (mask))
#define REDUCE_UNORDERED(a, b, suffix) REDUCE_BITS (REDUCE_X86 (cmp, suffix) (a, b, _CMP_UNORD_Q), suffix)
#define REDUCE_EQUAL(a, b, suffix) REDUCE_BITS (REDUCE_X86 (cmp, suffix) (a, b, _CMP_EQ_OQ), suffix)
typedef __m256 ReduceVector_ps;
typedef __m256d ReduceVector_pd;
#elif defined __SSE2__
#define REDUCE_EXTREMES 1
#define REDUCE_X86(function, suffix) _mm_##function##_##suffix
#define REDUCE_BITS(mask, suffix) ((guint) REDUCE_X86 (movemask, suffix) (mask))
#define REDUCE_UNORDERED(a, b, suffix) REDUCE_BITS (REDUCE_X86 (cmpunord, suffix) (a, b), suffix)
#define REDUCE_EQUAL(a, b, suffix) REDUCE_BITS (REDUCE_X86 (cmpeq, suffix) (a, b), suffix)
typedef __m128 ReduceVector_ps;
typedef __m128d ReduceVector_pd;
#endif

/* reduce_end_max_ps (vector) and its like: all of a vector into one. */
#ifdef REDUCE_EXTREMES
#ifdef __AVX512F__
#define REDUCE_HALVES_ps(function, v)                                                                                  \
  const __m256 half = _mm256_##function##_ps (_mm512_castps512_ps256 (v), _mm512_extractf32x8_ps (v, 1));              \
  const __m128 quarter = _mm_##function##_ps (_mm256_castps256_ps128 (half), _mm256_extractf128_ps (half, 1));
#define REDUCE_HALVES_pd(function, v)                                                                                  \
  const __m256d half = _mm256_##function##_pd (_mm512_castpd512_pd256 (v), _mm512_extractf64x4_pd (v, 1));             \
  const __m128d quarter = _mm_##function##_pd (_mm256_castpd256_pd128 (half), _mm256_extractf128_pd (half, 1));
#elif defined __AVX2__
#define REDUCE_HALVES_ps(function, v)                                                                                  \
  const __m128 quarter = _mm_##function##_ps (_mm256_castps256_ps128 (v), _mm256_extractf128_ps (v, 1));
#define REDUCE_HALVES_pd(function, v)                                                                                  \
  const __m128d quarter = _mm_##function##_pd (_mm256_castpd256_pd128 (v), _mm256_extractf128_pd (v, 1));
#else
#define REDUCE_HALVES_ps(function, v) const __m128 quarter = v;
#define REDUCE_HALVES_pd(function, v) const __m128d quarter = v;
#endif

#define REDUCE_END(function)                                                                                           \
  static inline float reduce_end_##function##_ps (ReduceVector_ps v)                                                   \
  {                                                                                                                    \
    REDUCE_HALVES_ps (function, v) const __m128 pair =                                                                 \
      _mm_##function##_ps (quarter, _mm_movehl_ps (quarter, quarter));                                                 \
                                                                                                                       \
    return _mm_cvtss_f32 (_mm_##function##_ss (pair, _mm_shuffle_ps (pair, pair, 1)));                                 \
  }                                                                                                                    \
                                                                                                                       \
  static inline double reduce_end_##function##_pd (ReduceVector_pd v)                                                  \
  {                                                                                                                    \
    REDUCE_HALVES_pd (function, v)                                                                                     \
                                                                                                                       \
      return _mm_cvtsd_f64 (_mm_##function##_sd (quarter, _mm_unpackhi_pd (quarter, quarter)));                        \
  }

REDUCE_END (max)
REDUCE_END (min)
#endif
