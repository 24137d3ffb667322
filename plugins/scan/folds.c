/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loops over elements: a result waits for the one before it, so that several
 * lines go side by side where there are several. */
#include "scan.h"

#define ADD(a, b) ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
#define MULTIPLY_COMPLEX(a, b) complex_multiply (a, b)

typedef _Complex double Complex128;
typedef _Complex float Complex64;

/* By its definition, with no special treatment of infinities. */
static inline Complex128
complex_multiply (Complex128 a, Complex128 b)
{
  Complex128 result;

  __real__ result = __real__ a * __real__ b - __imag__ a * __imag__ b;
  __imag__ result = __real__ a * __imag__ b + __imag__ a * __real__ b;
  return result;
}

/* Lines in memory one after the other, so many of them that the processor is not
 * waiting for one alone. */
#define ABREAST 4

/* The result may lie where the elements do: index by index they are read first. */
#define SCAN_PART(name, type, Acc, OP)                                                                                 \
  static inline void name##_lines (const ScanPart *part, const gsize width)                                            \
  {                                                                                                                    \
    const gint64 in_step = part->in_step, in_next = part->in_next, out_step = part->out_step,                          \
                 out_next = part->out_next;                                                                            \
    const gsize n = part->n;                                                                                           \
    Acc acc[ABREAST], *last = part->acc;                                                                               \
    const type *in = part->in;                                                                                         \
    type *out = part->out;                                                                                             \
                                                                                                                       \
    _Pragma ("GCC unroll 4") for (gsize w = 0; w < width; w++) acc[w] = last[w];                                       \
    for (gsize i = 0; i < n; i++, in += in_step, out += out_step)                                                      \
      _Pragma ("GCC unroll 4") for (gsize w = 0; w < width; w++)                                                       \
      {                                                                                                                \
        acc[w] = OP (acc[w], (Acc) in[(gint64) w * in_next]);                                                          \
        out[(gint64) w * out_next] = (type) acc[w];                                                                    \
      }                                                                                                                \
    _Pragma ("GCC unroll 4") for (gsize w = 0; w < width; w++) last[w] = acc[w];                                       \
  }                                                                                                                    \
                                                                                                                       \
  static void name##_part (const ScanPart *part)                                                                       \
  {                                                                                                                    \
    Acc *acc = part->acc;                                                                                              \
                                                                                                                       \
    if (part->width == 1)                                                                                              \
      name##_lines (part, 1);                                                                                          \
    else if (part->width == ABREAST)                                                                                   \
      name##_lines (part, ABREAST);                                                                                    \
    else                                                                                                               \
      for (gsize i = 0; i < part->n; i++)                                                                              \
        {                                                                                                              \
          const type *in = (const type *) part->in + (gint64) i * part->in_step;                                       \
          type *out = (type *) part->out + (gint64) i * part->out_step;                                                \
                                                                                                                       \
          if (part->in_next == 1 && part->out_next == 1)                                                               \
            _Pragma ("GCC ivdep") for (gsize w = 0; w < part->width; w++)                                              \
            {                                                                                                          \
              acc[w] = OP (acc[w], (Acc) in[w]);                                                                       \
              out[w] = (type) acc[w];                                                                                  \
            }                                                                                                          \
          else                                                                                                         \
            for (gsize w = 0; w < part->width; w++)                                                                    \
              {                                                                                                        \
                acc[w] = OP (acc[w], (Acc) in[(gint64) w * part->in_next]);                                            \
                out[(gint64) w * part->out_next] = (type) acc[w];                                                      \
              }                                                                                                        \
        }                                                                                                              \
  }

/* The first result is the first element, whatever the signs of its zeros. */
#define SCAN_FOLDS(name, type, Acc, TIMES)                                                                             \
  static void name##_begin (const ScanPart *part)                                                                      \
  {                                                                                                                    \
    for (gsize w = 0; w < part->width; w++)                                                                            \
      {                                                                                                                \
        const type first = ((const type *) part->in)[(gint64) w * part->in_next];                                      \
                                                                                                                       \
        ((Acc *) part->acc)[w] = (Acc) first;                                                                          \
        ((type *) part->out)[(gint64) w * part->out_next] = first;                                                     \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  SCAN_PART (sum_##name, type, Acc, ADD)                                                                               \
  SCAN_PART (product_##name, type, Acc, TIMES)                                                                         \
  static const type sum_##name##_initial = 0, product_##name##_initial = 1;                                            \
  static const ScanFold sum_##name = { name##_begin, sum_##name##_part, &sum_##name##_initial };                       \
  static const ScanFold product_##name = { name##_begin, product_##name##_part, &product_##name##_initial };

/* Modulo 2^n the sign does not matter. */
SCAN_FOLDS (integer8, guint8, guint64, MULTIPLY)
SCAN_FOLDS (integer16, guint16, guint64, MULTIPLY)
SCAN_FOLDS (integer32, guint32, guint64, MULTIPLY)
SCAN_FOLDS (integer64, guint64, guint64, MULTIPLY)
SCAN_FOLDS (float32, float, double, MULTIPLY)
SCAN_FOLDS (float64, double, double, MULTIPLY)
SCAN_FOLDS (complex64, Complex64, Complex128, MULTIPLY_COMPLEX)
SCAN_FOLDS (complex128, Complex128, Complex128, MULTIPLY_COMPLEX)

#define SCAN_TABLE(kind)                                                                                               \
  const ScanFold *const scan_##kind##s[CANDELA_N_DTYPES] = {                                                           \
    [CANDELA_DTYPE_INT8] = &kind##_integer8,       [CANDELA_DTYPE_UINT8] = &kind##_integer8,                           \
    [CANDELA_DTYPE_INT16] = &kind##_integer16,     [CANDELA_DTYPE_UINT16] = &kind##_integer16,                         \
    [CANDELA_DTYPE_INT32] = &kind##_integer32,     [CANDELA_DTYPE_UINT32] = &kind##_integer32,                         \
    [CANDELA_DTYPE_INT64] = &kind##_integer64,     [CANDELA_DTYPE_UINT64] = &kind##_integer64,                         \
    [CANDELA_DTYPE_FLOAT32] = &kind##_float32,     [CANDELA_DTYPE_FLOAT64] = &kind##_float64,                          \
    [CANDELA_DTYPE_COMPLEX64] = &kind##_complex64, [CANDELA_DTYPE_COMPLEX128] = &kind##_complex128,                    \
  };

SCAN_TABLE (sum)
SCAN_TABLE (product)
