/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversion of packed elements between any two real dtypes, to complex ones, and
 * between these: one loop per pair, made from two lists of dtypes, one within the
 * other. Of a complex number only whether it is zero can be told as a real one, so to
 * real dtypes but bool there is no conversion. What C leaves undefined (a
 * float outside the integer's range) is decided here, by selecting before the
 * cast rather than by branching around it, so that loops stay straight.
 *
 * There is a table for each instruction set, for which this file is compiled as
 * CONVERT_SET. All give the same bits. */
#include <candela/value/convert-private.h>

#ifndef CONVERT_SET
#define CONVERT_SET baseline
#endif

/* Loops of vector code, whatever the rest is compiled with. */
#ifndef __clang__
#pragma GCC optimize("O3")
#endif

/* The smallest gint64 for NaN and whatever has no place in a gint64; that is
 * also what the processors' own conversion gives. */
static inline gint64
double_to_int64 (double x)
{
  return (gint64) (x >= -0x1p63 && x < 0x1p63 ? x : -0x1p63);
}

static inline guint64
double_to_uint64 (double x)
{
  /* Half the range is taken away first, exactly: it is a multiple of the spacing there. */
  gboolean upper = x >= 0x1p63 && x < 0x1p64;
  gint64 low = double_to_int64 (upper ? x - 0x1p63 : x);

  return (guint64) low + ((guint64) upper << 63);
}

/* Floats to integers of at most 32 bits go by blocks: where a whole block fits a
 * gint32, which is nearly always, a conversion that the vector units have does;
 * the result is the same. */
#define BLOCK 256

static inline gboolean
float_fits_int32 (const float *in, gsize n)
{
  guint misfits = 0;

  for (gsize i = 0; i < n; i++)
    misfits |= !(in[i] >= -0x1p31f) | !(in[i] < 0x1p31f);
  return !misfits;
}

static inline gboolean
double_fits_int32 (const double *in, gsize n)
{
  guint64 misfits = 0; /* as wide as what is compared, for vector code */

  for (gsize i = 0; i < n; i++)
    misfits |= (guint64) (!(in[i] >= -0x1p31) | !(in[i] < 0x1p31));
  return !misfits;
}

#define DEFINE_CONVERT(from, from_type, to, to_type, expression)                                                       \
  static void convert_##from##_to_##to (gpointer out, gconstpointer in, gsize n)                                       \
  {                                                                                                                    \
    to_type *restrict o = out;                                                                                         \
    const from_type *restrict a = in;                                                                                  \
                                                                                                                       \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        from_type x = a[i];                                                                                            \
        o[i] = (to_type) (expression);                                                                                 \
      }                                                                                                                \
  }

#define DEFINE_CONVERT_BLOCKS(from, from_type, to, to_type)                                                            \
  static void convert_##from##_to_##to (gpointer out, gconstpointer in, gsize n)                                       \
  {                                                                                                                    \
    to_type *restrict o = out;                                                                                         \
    const from_type *restrict a = in;                                                                                  \
                                                                                                                       \
    while (n > 0)                                                                                                      \
      {                                                                                                                \
        gsize m = MIN (n, BLOCK);                                                                                      \
                                                                                                                       \
        if (from_type##_fits_int32 (a, m))                                                                             \
          for (gsize i = 0; i < m; i++)                                                                                \
            o[i] = (to_type) (gint32) a[i];                                                                            \
        else                                                                                                           \
          for (gsize i = 0; i < m; i++)                                                                                \
            o[i] = (to_type) double_to_int64 (a[i]);                                                                   \
        o += m;                                                                                                        \
        a += m;                                                                                                        \
        n -= m;                                                                                                        \
      }                                                                                                                \
  }

#define DEFINE_FROM_INTEGER(from, from_type, value)                                                                    \
  DEFINE_CONVERT (from, from_type, bool, guint8, x != 0)                                                               \
  DEFINE_CONVERT (from, from_type, int8, gint8, value)                                                                 \
  DEFINE_CONVERT (from, from_type, int16, gint16, value)                                                               \
  DEFINE_CONVERT (from, from_type, int32, gint32, value)                                                               \
  DEFINE_CONVERT (from, from_type, int64, gint64, value)                                                               \
  DEFINE_CONVERT (from, from_type, uint8, guint8, value)                                                               \
  DEFINE_CONVERT (from, from_type, uint16, guint16, value)                                                             \
  DEFINE_CONVERT (from, from_type, uint32, guint32, value)                                                             \
  DEFINE_CONVERT (from, from_type, uint64, guint64, value)                                                             \
  DEFINE_CONVERT (from, from_type, float32, float, value)                                                              \
  DEFINE_CONVERT (from, from_type, float64, double, value)

#define DEFINE_FROM_FLOAT(from, from_type)                                                                             \
  DEFINE_CONVERT (from, from_type, bool, guint8, x != 0)                                                               \
  DEFINE_CONVERT_BLOCKS (from, from_type, int8, gint8)                                                                 \
  DEFINE_CONVERT_BLOCKS (from, from_type, int16, gint16)                                                               \
  DEFINE_CONVERT_BLOCKS (from, from_type, int32, gint32)                                                               \
  DEFINE_CONVERT (from, from_type, int64, gint64, double_to_int64 (x))                                                 \
  DEFINE_CONVERT_BLOCKS (from, from_type, uint8, guint8)                                                               \
  DEFINE_CONVERT_BLOCKS (from, from_type, uint16, guint16)                                                             \
  DEFINE_CONVERT (from, from_type, uint32, guint32, double_to_int64 (x))                                               \
  DEFINE_CONVERT (from, from_type, uint64, guint64, double_to_uint64 (x))                                              \
  DEFINE_CONVERT (from, from_type, float32, float, x)                                                                  \
  DEFINE_CONVERT (from, from_type, float64, double, x)

/* A bool from outside that is neither 0 nor 1 counts as TRUE. */
DEFINE_FROM_INTEGER (bool, guint8, x != 0)
DEFINE_FROM_INTEGER (int8, gint8, x)
DEFINE_FROM_INTEGER (int16, gint16, x)
DEFINE_FROM_INTEGER (int32, gint32, x)
DEFINE_FROM_INTEGER (int64, gint64, x)
DEFINE_FROM_INTEGER (uint8, guint8, x)
DEFINE_FROM_INTEGER (uint16, guint16, x)
DEFINE_FROM_INTEGER (uint32, guint32, x)
DEFINE_FROM_INTEGER (uint64, guint64, x)
DEFINE_FROM_FLOAT (float32, float)
DEFINE_FROM_FLOAT (float64, double)

/* Two parts an element; the imaginary one of a real number is zero. */
#define DEFINE_TO_COMPLEX(name, from, from_type, part)                                                                 \
  static void convert_##from##_to_##name (gpointer out, gconstpointer in, gsize n)                                     \
  {                                                                                                                    \
    part *restrict o = out;                                                                                            \
    const from_type *restrict a = in;                                                                                  \
                                                                                                                       \
    for (gsize i = 0; i < n; i++)                                                                                      \
      {                                                                                                                \
        o[2 * i] = (part) a[i];                                                                                        \
        o[2 * i + 1] = 0;                                                                                              \
      }                                                                                                                \
  }

#define DEFINE_TO_BOTH(DTYPE, from, type)                                                                              \
  DEFINE_TO_COMPLEX (complex64, from, type, float)                                                                     \
  DEFINE_TO_COMPLEX (complex128, from, type, double)

CANDELA_REAL_DTYPES (DEFINE_TO_BOTH)

#define DEFINE_FROM_COMPLEX(from, type)                                                                                \
  static void convert_##from##_to_complex64 (gpointer out, gconstpointer in, gsize n)                                  \
  {                                                                                                                    \
    float *restrict o = out;                                                                                           \
    const type *restrict a = in;                                                                                       \
                                                                                                                       \
    for (gsize i = 0; i < 2 * n; i++)                                                                                  \
      o[i] = (float) a[i];                                                                                             \
  }                                                                                                                    \
                                                                                                                       \
  static void convert_##from##_to_complex128 (gpointer out, gconstpointer in, gsize n)                                 \
  {                                                                                                                    \
    double *restrict o = out;                                                                                          \
    const type *restrict a = in;                                                                                       \
                                                                                                                       \
    for (gsize i = 0; i < 2 * n; i++)                                                                                  \
      o[i] = a[i];                                                                                                     \
  }                                                                                                                    \
                                                                                                                       \
  static void convert_##from##_to_bool (gpointer out, gconstpointer in, gsize n)                                       \
  {                                                                                                                    \
    guint8 *restrict o = out;                                                                                          \
    const type *restrict a = in;                                                                                       \
                                                                                                                       \
    for (gsize i = 0; i < n; i++)                                                                                      \
      o[i] = (a[2 * i] != 0) | (a[2 * i + 1] != 0);                                                                    \
  }

DEFINE_FROM_COMPLEX (complex64, float)
DEFINE_FROM_COMPLEX (complex128, double)

#define ROW(DTYPE, from, type)                                                                                         \
  [CANDELA_DTYPE_##DTYPE] = {                                                                                          \
    [CANDELA_DTYPE_BOOL] = convert_##from##_to_bool,       [CANDELA_DTYPE_INT8] = convert_##from##_to_int8,            \
    [CANDELA_DTYPE_INT16] = convert_##from##_to_int16,     [CANDELA_DTYPE_INT32] = convert_##from##_to_int32,          \
    [CANDELA_DTYPE_INT64] = convert_##from##_to_int64,     [CANDELA_DTYPE_UINT8] = convert_##from##_to_uint8,          \
    [CANDELA_DTYPE_UINT16] = convert_##from##_to_uint16,   [CANDELA_DTYPE_UINT32] = convert_##from##_to_uint32,        \
    [CANDELA_DTYPE_UINT64] = convert_##from##_to_uint64,   [CANDELA_DTYPE_FLOAT32] = convert_##from##_to_float32,      \
    [CANDELA_DTYPE_FLOAT64] = convert_##from##_to_float64, COMPLEX_COLUMNS (from)                                      \
  },
#define COMPLEX_COLUMNS(from)                                                                                          \
  [CANDELA_DTYPE_COMPLEX64] = convert_##from##_to_complex64, [CANDELA_DTYPE_COMPLEX128] = convert_##from##_to_complex128
#define COMPLEX_ROW(DTYPE, from)                                                                                       \
  [CANDELA_DTYPE_##DTYPE] = { [CANDELA_DTYPE_BOOL] = convert_##from##_to_bool, COMPLEX_COLUMNS (from) },

/* float16 and bfloat16 are half.c's. */
#define TABLE(set) TABLE_OF (set)
#define TABLE_OF(set) candela_convert_funcs_##set

const CandelaConvertFunc TABLE (CONVERT_SET)[CANDELA_N_DTYPES][CANDELA_N_DTYPES] = {
  CANDELA_REAL_DTYPES (ROW) COMPLEX_ROW (COMPLEX64, complex64) COMPLEX_ROW (COMPLEX128, complex128)
};
