/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Blocks of fewer float32 than a group has, as reduce.h defines them: rows of ten, of
 * sixteen, of three dozen. Four lanes are a quarter of a vector with AVX-512, so four
 * such blocks, which lie next to each other more often than not, go through one
 * vector's lanes together. */
#pragma once

#include "vector.h"

#define REDUCE_SHORT_LANES 4
#define REDUCE_SHORT_GROUP (4 * REDUCE_SHORT_LANES)

typedef float ReduceQuad __attribute__ ((vector_size (16)));
typedef double ReduceWideQuad __attribute__ ((vector_size (32)));

static inline ReduceQuad
reduce_load_quad (const float *x)
{
  ReduceQuad quad;

  memcpy (&quad, x, sizeof quad);
  return quad;
}

/* n elements, fewer than four, and what changes no sum. */
static inline ReduceQuad
reduce_load_some (const float *x, gsize n)
{
  return (ReduceQuad){ x[0], n > 1 ? x[1] : -0.0f, n > 2 ? x[2] : -0.0f, -0.0f };
}

static inline double
reduce_short_sum (const float *x, gsize n)
{
  ReduceWideQuad lanes = -(ReduceWideQuad){ 0 };
  gsize i = 0;

  for (; i + REDUCE_SHORT_GROUP <= n; i += REDUCE_SHORT_GROUP)
    {
      const ReduceQuad first = reduce_load_quad (x + i) + reduce_load_quad (x + i + 4);
      const ReduceQuad second = reduce_load_quad (x + i + 8) + reduce_load_quad (x + i + 12);

      lanes += __builtin_convertvector(first + second, ReduceWideQuad);
    }
  for (; i + REDUCE_SHORT_LANES <= n; i += REDUCE_SHORT_LANES)
    lanes += __builtin_convertvector(reduce_load_quad (x + i), ReduceWideQuad);
  if (i < n)
    lanes += __builtin_convertvector(reduce_load_some (x + i, n - i), ReduceWideQuad);
  return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

#ifdef __AVX512F__
#define REDUCE_SHORT_AT_ONCE 4
#define REDUCE_SHORT_GROUPS_AT_ONCE 16
/* NaN of either kind, infinities. */
#define REDUCE_NOT_FINITE (0x81 | 0x18)

/* Of the quarters of a and of b: the first and the second, the third and the fourth. */
static inline __m512
reduce_add_quarters (__m512 a, __m512 b)
{
  return _mm512_add_ps (_mm512_shuffle_f32x4 (a, b, 0x88), _mm512_shuffle_f32x4 (a, b, 0xdd));
}

static inline void
reduce_widen_quarters (__m512d *lanes, __m512 quarters)
{
  lanes[0] = _mm512_add_pd (lanes[0], _mm512_cvtps_pd (_mm512_castps512_ps256 (quarters)));
  lanes[1] = _mm512_add_pd (lanes[1], _mm512_cvtps_pd (_mm512_extractf32x8_ps (quarters, 1)));
}

/* Four sums of n elements each, the first of which are a step of elements apart; FALSE if one
 * is not finite. */
static inline __attribute__ ((always_inline)) gboolean
reduce_short_sums (double *out, const float *x, gint64 step, gsize n)
{
  __m512d lanes[2] = { _mm512_set1_pd (-0.0), _mm512_set1_pd (-0.0) }, pairs;
  gsize i = 0;

  for (; i + REDUCE_SHORT_GROUP <= n; i += REDUCE_SHORT_GROUP)
    {
      const __m512 a = reduce_add_quarters (_mm512_loadu_ps (x + i), _mm512_loadu_ps (x + step + i));
      const __m512 b = reduce_add_quarters (_mm512_loadu_ps (x + 2 * step + i), _mm512_loadu_ps (x + 3 * step + i));

      reduce_widen_quarters (lanes, reduce_add_quarters (a, b));
    }
  for (; i < n; i += REDUCE_SHORT_LANES)
    {
      const __mmask8 mask = (__mmask8) (n - i >= REDUCE_SHORT_LANES ? 0xf : (1u << (n - i)) - 1);
      const __m128 none = _mm_set1_ps (-0.0f);
      __m512 quarters = _mm512_castps128_ps512 (_mm_mask_loadu_ps (none, mask, x + i));

      quarters = _mm512_insertf32x4 (quarters, _mm_mask_loadu_ps (none, mask, x + step + i), 1);
      quarters = _mm512_insertf32x4 (quarters, _mm_mask_loadu_ps (none, mask, x + 2 * step + i), 2);
      quarters = _mm512_insertf32x4 (quarters, _mm_mask_loadu_ps (none, mask, x + 3 * step + i), 3);
      reduce_widen_quarters (lanes, quarters);
    }
  pairs =
    _mm512_add_pd (_mm512_shuffle_f64x2 (lanes[0], lanes[1], 0x88), _mm512_shuffle_f64x2 (lanes[0], lanes[1], 0xdd));
  pairs = _mm512_add_pd (pairs, _mm512_permute_pd (pairs, 0x55));
  _mm256_storeu_pd (out,
                    _mm512_castpd512_pd256 (_mm512_permutexvar_pd (_mm512_setr_epi64 (0, 2, 4, 6, 0, 2, 4, 6), pairs)));
  return _mm512_fpclass_pd_mask (pairs, REDUCE_NOT_FINITE) == 0;
}

/* Four of four rows, each in a vector of its own: lane after lane of all, in four vectors, row
 * 4 g + r at 4 r + g. */
static inline void
reduce_turn_quarters (float *lanes, const __m512 *quarters)
{
  const __m512 a = _mm512_unpacklo_ps (quarters[0], quarters[1]), b = _mm512_unpackhi_ps (quarters[0], quarters[1]);
  const __m512 c = _mm512_unpacklo_ps (quarters[2], quarters[3]), d = _mm512_unpackhi_ps (quarters[2], quarters[3]);

  _mm512_storeu_ps (lanes, _mm512_shuffle_ps (a, c, 0x44));
  _mm512_storeu_ps (lanes + 16, _mm512_shuffle_ps (a, c, 0xee));
  _mm512_storeu_ps (lanes + 32, _mm512_shuffle_ps (b, d, 0x44));
  _mm512_storeu_ps (lanes + 48, _mm512_shuffle_ps (b, d, 0xee));
}

/* Sixteen sums of n elements each, which are whole groups. What is widened comes from
 * memory, as that leaves the unit that shuffles alone. */
static inline __attribute__ ((always_inline)) gboolean
reduce_short_groups (double *out, const float *x, gint64 step, gsize n)
{
  const __m512i order = _mm512_setr_epi64 (0, 4, 8, 12, 1, 5, 9, 13);
  const __m512i next = _mm512_setr_epi64 (2, 6, 10, 14, 3, 7, 11, 15);
  __m512d sums[4][2], low, high;
  __m512 quarters[4];
  float lanes[4 * REDUCE_SHORT_GROUP];

  _Pragma ("GCC unroll 8") for (guint k = 0; k < 8; k++) sums[k / 2][k % 2] = _mm512_set1_pd (-0.0);
  for (gsize i = 0; i < n; i += REDUCE_SHORT_GROUP)
    {
      _Pragma ("GCC unroll 4") for (guint g = 0; g < 4; g++)
      {
        const float *row = x + 4 * g * step + i;
        const __m512 a = reduce_add_quarters (_mm512_loadu_ps (row), _mm512_loadu_ps (row + step));
        const __m512 b = reduce_add_quarters (_mm512_loadu_ps (row + 2 * step), _mm512_loadu_ps (row + 3 * step));

        quarters[g] = reduce_add_quarters (a, b);
      }
      reduce_turn_quarters (lanes, quarters);
      /* So that the compiler does not take them from registers. */
      __asm__("" : "+m"(lanes));
      _Pragma ("GCC unroll 8") for (guint k = 0; k < 8; k++)
      {
        const __m512d wide = _mm512_cvtps_pd (_mm256_loadu_ps (lanes + 8 * k));

        sums[k / 2][k % 2] = _mm512_add_pd (sums[k / 2][k % 2], wide);
      }
    }
  low = _mm512_add_pd (_mm512_add_pd (sums[0][0], sums[2][0]), _mm512_add_pd (sums[1][0], sums[3][0]));
  high = _mm512_add_pd (_mm512_add_pd (sums[0][1], sums[2][1]), _mm512_add_pd (sums[1][1], sums[3][1]));
  _mm512_storeu_pd (out, _mm512_permutex2var_pd (low, order, high));
  _mm512_storeu_pd (out + 8, _mm512_permutex2var_pd (low, next, high));
  return (_mm512_fpclass_pd_mask (low, REDUCE_NOT_FINITE) | _mm512_fpclass_pd_mask (high, REDUCE_NOT_FINITE)) == 0;
}
#endif
