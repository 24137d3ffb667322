/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops over whole vectors, for functions that a vector library computes: those of
 * AVX2 and AVX-512, where glibc's libmvec is there, or else SLEEF; elsewhere the C
 * library's functions serve, an element at a time.
 *
 * An element's bits must not depend on its place or on its neighbours. The libraries'
 * functions that are taken give a lane the same bits whatever the others hold, but not
 * those that the function for a single number gives. So the rest of a loop, less than a
 * vector, is a vector too, filled up with ones. */
#pragma once

#include "elementwise.h"
#include <string.h>

#if (defined ELEMENTWISE_HAVE_LIBMVEC || defined ELEMENTWISE_HAVE_SLEEF) && defined __AVX2__ && defined __FMA__
#define ELEMENTWISE_VECTORS 1

#include <immintrin.h>

#ifdef __AVX512F__
typedef __m512 VectorOf_float;
typedef __m512d VectorOf_double;
typedef gint32 MaskOf_float __attribute__ ((vector_size (64)));
typedef gint64 MaskOf_double __attribute__ ((vector_size (64)));

#define VECTOR_ONES_float _mm512_set1_ps (1)
#define VECTOR_ONES_double _mm512_set1_pd (1)
#define VECTOR_FMA_float _mm512_fmadd_ps
#define VECTOR_FMA_double _mm512_fmadd_pd
#define VECTOR_MIN_float _mm512_min_ps
#define VECTOR_MAX_float _mm512_max_ps
#define VECTOR_MIN_double _mm512_min_pd
#define VECTOR_MAX_double _mm512_max_pd
#define VECTOR_SQRT_float _mm512_sqrt_ps
#define VECTOR_SQRT_double _mm512_sqrt_pd
#define VECTOR_ALL_float(mask) (_mm512_movepi32_mask ((__m512i) (mask)) == 0xffff)
#define VECTOR_ALL_double(mask) (_mm512_movepi64_mask ((__m512i) (mask)) == 0xff)
#else
typedef __m256 VectorOf_float;
typedef __m256d VectorOf_double;
typedef gint32 MaskOf_float __attribute__ ((vector_size (32)));
typedef gint64 MaskOf_double __attribute__ ((vector_size (32)));

#define VECTOR_ONES_float _mm256_set1_ps (1)
#define VECTOR_ONES_double _mm256_set1_pd (1)
#define VECTOR_FMA_float _mm256_fmadd_ps
#define VECTOR_FMA_double _mm256_fmadd_pd
#define VECTOR_MIN_float _mm256_min_ps
#define VECTOR_MAX_float _mm256_max_ps
#define VECTOR_MIN_double _mm256_min_pd
#define VECTOR_MAX_double _mm256_max_pd
#define VECTOR_SQRT_float _mm256_sqrt_ps
#define VECTOR_SQRT_double _mm256_sqrt_pd
#define VECTOR_ALL_float(mask) (_mm256_movemask_ps ((__m256) (mask)) == 0xff)
#define VECTOR_ALL_double(mask) (_mm256_movemask_pd ((__m256d) (mask)) == 0xf)
#endif

#define VECTOR(T) VectorOf_##T
#define MASK(T) MaskOf_##T
#define LANES(T) (sizeof (VECTOR (T)) / sizeof (T))

/* The smaller and the larger are the second where one is NaN, or both are zeros. */

/* Comparisons of vectors give masks: each lane all ones or all zeros. */
#define VECTOR_SELECT(T, mask, yes, no)                                                                                \
  ((VECTOR (T)) (((MASK (T)) (mask) & (MASK (T)) (yes)) | (~(MASK (T)) (mask) & (MASK (T)) (no))))
#define VECTOR_ABS(T, a) ((VECTOR (T)) ((MASK (T)) (a) & ~(MASK (T)) (VECTOR_ONES_##T * (T) -0.0)))

#define VECTOR_FUNCTIONS(T)                                                                                            \
  static inline VECTOR (T) vector_load_##T (const T *x)                                                                \
  {                                                                                                                    \
    VECTOR (T) a;                                                                                                      \
                                                                                                                       \
    memcpy (&a, x, sizeof a);                                                                                          \
    return a;                                                                                                          \
  }                                                                                                                    \
                                                                                                                       \
  static inline VECTOR (T) vector_load_some_##T (const T *x, gsize n)                                                  \
  {                                                                                                                    \
    VECTOR (T) a = VECTOR_ONES_##T;                                                                                    \
                                                                                                                       \
    memcpy (&a, x, n * sizeof (T));                                                                                    \
    return a;                                                                                                          \
  }

VECTOR_FUNCTIONS (float)
VECTOR_FUNCTIONS (double)

/* Loops of F, from vectors to a vector. */
#define VECTOR_LOOP_1(op, DT, T, F)                                                                                    \
  static void op##_##DT (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)           \
  {                                                                                                                    \
    const T *x = in[0];                                                                                                \
    T *y = out[0];                                                                                                     \
    VECTOR (T) result;                                                                                                 \
                                                                                                                       \
    for (; n >= LANES (T); x += LANES (T), y += LANES (T), n -= LANES (T))                                             \
      {                                                                                                                \
        result = F (T, vector_load_##T (x));                                                                           \
        memcpy (y, &result, sizeof result);                                                                            \
      }                                                                                                                \
    if (n > 0)                                                                                                         \
      {                                                                                                                \
        result = F (T, vector_load_some_##T (x, n));                                                                   \
        memcpy (y, &result, n * sizeof (T));                                                                           \
      }                                                                                                                \
  }

#define VECTOR_LOOP_2(op, DT, T, F)                                                                                    \
  static void op##_##DT (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)           \
  {                                                                                                                    \
    const T *x1 = in[0], *x2 = in[1];                                                                                  \
    T *y = out[0];                                                                                                     \
    VECTOR (T) result;                                                                                                 \
                                                                                                                       \
    for (; n >= LANES (T); x1 += LANES (T), x2 += LANES (T), y += LANES (T), n -= LANES (T))                           \
      {                                                                                                                \
        result = F (T, vector_load_##T (x1), vector_load_##T (x2));                                                    \
        memcpy (y, &result, sizeof result);                                                                            \
      }                                                                                                                \
    if (n > 0)                                                                                                         \
      {                                                                                                                \
        result = F (T, vector_load_some_##T (x1, n), vector_load_some_##T (x2, n));                                    \
        memcpy (y, &result, n * sizeof (T));                                                                           \
      }                                                                                                                \
  }

/* V_name (T, a): what the library has for each function. */
#ifdef ELEMENTWISE_HAVE_LIBMVEC
#include "libmvec.h"
#else
#include "sleef.h"
#endif
#include "float32.h"
#include "float64.h"

/* These are our own. */
#define V_exp(T, a) EXP_##T (a)
#define V_tanh(T, a) TANH_##T (a)
#define EXP_float(a) float32_exp (a)
#define EXP_double(a) float64_exp (a)
#define TANH_float(a) float32_tanh (a)

#endif
