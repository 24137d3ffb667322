/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversion to and from float16 (IEEE 754 binary16) and bfloat16 (the upper half of a
 * binary32). From either to float32 no value changes. Back, and from all other dtypes,
 * a value is rounded once, to nearest, ties to even; what is beyond the largest
 * becomes infinite, and a NaN quiet.
 *
 * What float32 cannot hold goes there rounded to odd: cut off, and where anything was
 * cut off, the last bit set. That bit is so far behind the last one of the result that
 * rounding a second time is the same as rounding once (S. Boldo and G. Melquiond,
 * "Emulation of FMA and correctly rounded sums", 2008).
 *
 * The processors' own instructions give the bits that the arithmetic here gives. */
#include <candela/value/half-private.h>

#include <math.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Loops of vector code, whatever the rest is compiled with. */
#ifndef __clang__
#pragma GCC optimize("O3")
#endif

#define INLINE static inline __attribute__ ((always_inline))

/* ---- One element ---- */

#define FLOAT_INFINITY 0x7f800000u
#define FLOAT_QUIET 0x00400000u

INLINE guint32
bits_of (float x)
{
  guint32 bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

INLINE float
float_of (guint32 bits)
{
  float x;

  memcpy (&x, &bits, sizeof x);
  return x;
}

/* The exponent is 112 less than float32's for the same power of two; 0 and 31 stand for
 * what 0 and 255 do there. A subnormal number is a whole one times 2^-24. */
INLINE guint32
widen_float16 (guint16 x)
{
  guint32 magnitude = x & 0x7fffu;
  guint32 normal = (magnitude << 13) + (112u << 23);
  guint32 subnormal = bits_of ((float) (gint32) magnitude * 0x1p-24f);
  guint32 special = (magnitude << 13) | FLOAT_INFINITY | (magnitude > 0x7c00 ? FLOAT_QUIET : 0);

  return (guint32) (x & 0x8000u) << 16 | (magnitude < 0x400 ? subnormal : magnitude < 0x7c00 ? normal : special);
}

/* 65520, half way between the largest and what would be the next, is infinite. The
 * last place of a subnormal is 2^-24: so is that of 0.5, to which it is added. */
INLINE guint16
narrow_float16 (guint32 x)
{
  guint32 magnitude = x & 0x7fffffff;
  guint32 normal = (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  guint32 subnormal = bits_of (float_of (MIN (magnitude, 0x38800000)) + 0.5f) - 0x3f000000;
  guint32 special = magnitude > FLOAT_INFINITY ? 0x7e00 | (magnitude >> 13 & 0x1ff) : 0x7c00;

  return (guint16) (x >> 16 & 0x8000)
         | (guint16) (magnitude < 0x38800000   ? subnormal
                      : magnitude < 0x477ff000 ? normal
                                               : special);
}

INLINE guint32
widen_bfloat16 (guint16 x)
{
  return (guint32) x << 16;
}

INLINE guint16
narrow_bfloat16 (guint32 x)
{
  guint32 rounded = (x + 0x7fff + (x >> 16 & 1)) >> 16;

  return (guint16) ((x & 0x7fffffff) > FLOAT_INFINITY ? (x >> 16) | (FLOAT_QUIET >> 16) : rounded);
}

/* To odd, as float32's bits. */
INLINE guint32
double_to_odd (double x)
{
  float nearest = (float) x;
  double back = nearest;

  return (bits_of (nearest) - (fabs (back) > fabs (x))) | (back != x);
}

/* An integer that binary64 cannot hold loses its last eleven bits in the same way first. */
INLINE guint32
signed_to_odd (gint64 x)
{
  gint64 cut = (x & ~(gint64) 0x7ff) | ((x & 0x7ff) != 0 ? 0x800 : 0);

  return double_to_odd ((double) (x > -(G_GINT64_CONSTANT (1) << 53) && x < G_GINT64_CONSTANT (1) << 53 ? x : cut));
}

INLINE guint32
unsigned_to_odd (guint64 x)
{
  guint64 cut = (x & ~(guint64) 0x7ff) | ((x & 0x7ff) != 0 ? 0x800 : 0);

  return double_to_odd ((double) (x < G_GUINT64_CONSTANT (1) << 53 ? x : cut));
}

/* ---- Loops ---- */

#define LOOP(name, to, from, expression, ...)                                                                          \
  __VA_ARGS__ static void name (gpointer out, gconstpointer in, gsize n)                                               \
  {                                                                                                                    \
    to *restrict o = out;                                                                                              \
    const from *restrict a = in;                                                                                       \
                                                                                                                       \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        from x = a[i];                                                                                                 \
        o[i] = (to) (expression);                                                                                      \
      }                                                                                                                \
  }

LOOP (widen_float16_baseline, guint32, guint16, widen_float16 (x))
LOOP (narrow_float16_baseline, guint16, guint32, narrow_float16 (x))
LOOP (widen_bfloat16_baseline, guint32, guint16, widen_bfloat16 (x))
LOOP (narrow_bfloat16_baseline, guint16, guint32, narrow_bfloat16 (x))

static const CandelaHalfLoops baseline = {
  { widen_float16_baseline, widen_bfloat16_baseline },
  { narrow_float16_baseline, narrow_bfloat16_baseline },
};

#ifdef __x86_64__

#define AVX2 __attribute__ ((target ("avx2,f16c")))
#define AVX512 __attribute__ ((target ("avx512f,avx512bw,avx512vl,f16c")))

LOOP (widen_bfloat16_avx2, guint32, guint16, widen_bfloat16 (x), AVX2)
LOOP (narrow_bfloat16_avx2, guint16, guint32, narrow_bfloat16 (x), AVX2)
LOOP (widen_bfloat16_avx512, guint32, guint16, widen_bfloat16 (x), AVX512)
LOOP (narrow_bfloat16_avx512, guint16, guint32, narrow_bfloat16 (x), AVX512)

/* Vectors of elements; what is over is a vector too, filled up with zeros. */
#define VECTOR_LOOP(name, to, from, vector_to, vector_from, load, convert, store, ...)                                 \
  __VA_ARGS__ static void name (gpointer out, gconstpointer in, gsize n)                                               \
  {                                                                                                                    \
    const gsize lanes = MIN (sizeof (vector_to) / sizeof (to), sizeof (vector_from) / sizeof (from));                  \
    to *restrict o = out, last[sizeof (vector_to) / sizeof (to)];                                                      \
    const from *restrict a = in;                                                                                       \
    from rest[sizeof (vector_from) / sizeof (from)] = { 0 };                                                           \
                                                                                                                       \
    for (; n >= lanes; o += lanes, a += lanes, n -= lanes)                                                             \
      store ((gpointer) o, convert (load ((gconstpointer) a)));                                                        \
    if (n == 0)                                                                                                        \
      return;                                                                                                          \
    memcpy (rest, a, n * sizeof *a);                                                                                   \
    store ((gpointer) last, convert (load ((gconstpointer) rest)));                                                    \
    memcpy (o, last, n * sizeof *o);                                                                                   \
  }

#define NARROW_256(x) _mm256_cvtps_ph (x, _MM_FROUND_TO_NEAREST_INT)
#define NARROW_512(x) _mm512_cvtps_ph (x, _MM_FROUND_TO_NEAREST_INT)

VECTOR_LOOP (widen_float16_avx2, float, guint16, __m256, __m128i, _mm_loadu_si128, _mm256_cvtph_ps, _mm256_storeu_ps,
             AVX2)
VECTOR_LOOP (narrow_float16_avx2, guint16, float, __m128i, __m256, _mm256_loadu_ps, NARROW_256, _mm_storeu_si128, AVX2)
VECTOR_LOOP (widen_float16_avx512, float, guint16, __m512, __m256i, _mm256_loadu_si256, _mm512_cvtph_ps,
             _mm512_storeu_ps, AVX512)
VECTOR_LOOP (narrow_float16_avx512, guint16, float, __m256i, __m512, _mm512_loadu_ps, NARROW_512, _mm256_storeu_si256,
             AVX512)

static const CandelaHalfLoops avx2 = {
  { widen_float16_avx2, widen_bfloat16_avx2 },
  { narrow_float16_avx2, narrow_bfloat16_avx2 },
};
static const CandelaHalfLoops avx512 = {
  { widen_float16_avx512, widen_bfloat16_avx512 },
  { narrow_float16_avx512, narrow_bfloat16_avx512 },
};

static guint
count_sets (void)
{
  /* There is no processor with AVX2 that lacks F16C. */
  if (!__builtin_cpu_supports ("avx2"))
    return 1;
  return __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
             && __builtin_cpu_supports ("avx512vl")
           ? 3
           : 2;
}

const CandelaHalfLoops *
candela_half_get_loops (guint set)
{
  static const CandelaHalfLoops *const sets[] = { &baseline, &avx2, &avx512 };

  return set < count_sets () ? sets[set] : NULL;
}

static inline const CandelaHalfLoops *
best_loops (void)
{
  return candela_half_get_loops (count_sets () - 1);
}

#else

const CandelaHalfLoops *
candela_half_get_loops (guint set)
{
  return set == 0 ? &baseline : NULL;
}

static inline const CandelaHalfLoops *
best_loops (void)
{
  return &baseline;
}

#endif

/* ---- From and to the other dtypes ---- */

LOOP (bool_as_float32, guint32, guint8, x != 0 ? 0x3f800000 : 0)
LOOP (int8_as_float32, float, gint8, x)
LOOP (int16_as_float32, float, gint16, x)
LOOP (int32_as_float32, guint32, gint32, double_to_odd (x))
LOOP (int64_as_float32, guint32, gint64, signed_to_odd (x))
LOOP (uint8_as_float32, float, guint8, x)
LOOP (uint16_as_float32, float, guint16, x)
LOOP (uint32_as_float32, guint32, guint32, double_to_odd (x))
LOOP (uint64_as_float32, guint32, guint64, unsigned_to_odd (x))
LOOP (float64_as_float32, guint32, double, double_to_odd (x))
LOOP (copy_halves, guint16, guint16, x)

/* Elements that go through float32 at a time. */
#define BLOCK 512

static void
convert_through (gpointer out, gsize out_size, CandelaConvertFunc second, gconstpointer in, gsize in_size,
                 CandelaConvertFunc first, gsize n)
{
  float block[BLOCK];

  for (gsize done = 0, part; done < n; done += part)
    {
      part = MIN (n - done, BLOCK);
      first (block, (const guint8 *) in + done * in_size, part);
      second ((guint8 *) out + done * out_size, block, part);
    }
}

/* half: the name; number: where it is in CandelaHalfLoops. */
#define DEFINE_FROM_AND_TO(half, number, DTYPE, name, type)                                                            \
  static void half##_to_##name (gpointer out, gconstpointer in, gsize n)                                               \
  {                                                                                                                    \
    convert_through (out, sizeof (type),                                                                               \
                     candela_dtype_get_convert_func (CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_##DTYPE), in,                \
                     sizeof (guint16), best_loops ()->widen[number], n);                                               \
  }                                                                                                                    \
                                                                                                                       \
  static void name##_to_##half (gpointer out, gconstpointer in, gsize n)                                               \
  {                                                                                                                    \
    convert_through (out, sizeof (guint16), best_loops ()->narrow[number], in, sizeof (type), name##_as_float32, n);   \
  }

#define DEFINE_TO_COMPLEX(half, number, DTYPE, name, type)                                                             \
  static void half##_to_##name (gpointer out, gconstpointer in, gsize n)                                               \
  {                                                                                                                    \
    convert_through (out, 2 * sizeof (type),                                                                           \
                     candela_dtype_get_convert_func (CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_##DTYPE), in,                \
                     sizeof (guint16), best_loops ()->widen[number], n);                                               \
  }

#define DEFINE_DIRECT(half, number)                                                                                    \
  static void half##_to_float32 (gpointer out, gconstpointer in, gsize n)                                              \
  {                                                                                                                    \
    best_loops ()->widen[number](out, in, n);                                                                          \
  }                                                                                                                    \
                                                                                                                       \
  static void float32_to_##half (gpointer out, gconstpointer in, gsize n)                                              \
  {                                                                                                                    \
    best_loops ()->narrow[number](out, in, n);                                                                         \
  }                                                                                                                    \
                                                                                                                       \
  static void half##_to_other (gpointer out, gconstpointer in, gsize n)                                                \
  {                                                                                                                    \
    convert_through (out, sizeof (guint16), best_loops ()->narrow[1 - number], in, sizeof (guint16),                   \
                     best_loops ()->widen[number], n);                                                                 \
  }

#define THROUGH_FLOAT32(X) CANDELA_INTEGER_DTYPES (X) X (FLOAT64, float64, double)
#define EACH_OF_FLOAT16(DTYPE, name, type) DEFINE_FROM_AND_TO (float16, 0, DTYPE, name, type)
#define EACH_OF_BFLOAT16(DTYPE, name, type) DEFINE_FROM_AND_TO (bfloat16, 1, DTYPE, name, type)

THROUGH_FLOAT32 (EACH_OF_FLOAT16)
THROUGH_FLOAT32 (EACH_OF_BFLOAT16)
DEFINE_TO_COMPLEX (float16, 0, COMPLEX64, complex64, float)
DEFINE_TO_COMPLEX (float16, 0, COMPLEX128, complex128, double)
DEFINE_TO_COMPLEX (bfloat16, 1, COMPLEX64, complex64, float)
DEFINE_TO_COMPLEX (bfloat16, 1, COMPLEX128, complex128, double)
DEFINE_DIRECT (float16, 0)
DEFINE_DIRECT (bfloat16, 1)

#define FROM_FLOAT16(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = float16_to_##name,
#define FROM_BFLOAT16(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = bfloat16_to_##name,
#define TO_FLOAT16(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = name##_to_float16,
#define TO_BFLOAT16(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = name##_to_bfloat16,

static const CandelaConvertFunc from_half[2][CANDELA_N_DTYPES] = {
  { CANDELA_REAL_DTYPES (FROM_FLOAT16)[CANDELA_DTYPE_COMPLEX64] = float16_to_complex64,
    [CANDELA_DTYPE_COMPLEX128] = float16_to_complex128, [CANDELA_DTYPE_FLOAT16] = copy_halves,
    [CANDELA_DTYPE_BFLOAT16] = float16_to_other },
  { CANDELA_REAL_DTYPES (FROM_BFLOAT16)[CANDELA_DTYPE_COMPLEX64] = bfloat16_to_complex64,
    [CANDELA_DTYPE_COMPLEX128] = bfloat16_to_complex128, [CANDELA_DTYPE_FLOAT16] = bfloat16_to_other,
    [CANDELA_DTYPE_BFLOAT16] = copy_halves },
};

static const CandelaConvertFunc to_half[2][CANDELA_N_DTYPES] = { { CANDELA_REAL_DTYPES (TO_FLOAT16) },
                                                                 { CANDELA_REAL_DTYPES (TO_BFLOAT16) } };

CandelaConvertFunc
candela_half_get_convert_func (CandelaDType from, CandelaDType to)
{
  if (candela_dtype_is_half (from))
    return from_half[from == CANDELA_DTYPE_BFLOAT16][to];
  return to_half[to == CANDELA_DTYPE_BFLOAT16][from];
}
