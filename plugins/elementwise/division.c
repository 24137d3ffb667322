/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Floor division and its remainder, whose sign is the divisor's: Python's // and %.
 *
 * Integers: a division by zero gives 0 and a remainder of 0, and the smallest
 * integer by -1 itself and 0, as NumPy has it; C leaves both undefined and the
 * processor traps. Floats: the remainder is fmod's, moved to the divisor's sign, and
 * the quotient is made from it, so that the two fit each other; this is Python's
 * float division (Objects/floatobject.c, float_divmod), which NumPy follows. Where an
 * operand is infinite the quotient is that of the array API standard: x1 / x2. */
#include "elementwise.h"

/* Elements that are looked at together. In place, each is read before it is written. */
#define BLOCK 64

/* Integers of 32 bits are divided as float64, in vectors, those of 16 and 8 as float32: a
 * quotient a / b that is not whole is at least 1 / b away from what is, and that more than
 * half a unit in its last place, so rounding leaves what is cut off as it is. A divisor that
 * is one of the exceptions is replaced. */
#define QUOTIENT(T, a, b) ((T) ((WIDE_##T) (a) / (WIDE_##T) (b)))
#define WIDE_gint8 float
#define WIDE_guint8 float
#define WIDE_gint16 float
#define WIDE_guint16 float
#define WIDE_gint32 double
#define WIDE_guint32 double
#define WIDE_gint64 gint64
#define WIDE_guint64 guint64

#define DIVMOD_SIGNED(T, W)                                                                                            \
  static inline T divmod_##T (T a, T b, T *remainder)                                                                  \
  {                                                                                                                    \
    const gboolean opposite = b == -1, zero = b == 0;                                                                  \
    const T divisor = opposite | zero ? 1 : b, quotient = QUOTIENT (T, a, divisor);                                    \
    const T rest = (T) ((W) a - (W) quotient * (W) divisor);                                                           \
    const gboolean lower = (rest != 0) & ((rest ^ divisor) < 0);                                                       \
                                                                                                                       \
    *remainder = lower ? (T) (rest + divisor) : rest;                                                                  \
    return (T) ((W) (quotient - lower) * (W) (opposite ? -1 : zero ? 0 : 1));                                          \
  }

#define DIVMOD_UNSIGNED(T, W)                                                                                          \
  static inline T divmod_##T (T a, T b, T *remainder)                                                                  \
  {                                                                                                                    \
    const T divisor = b == 0 ? 1 : b, quotient = QUOTIENT (T, a, divisor);                                             \
                                                                                                                       \
    *remainder = (T) ((W) a - (W) quotient * (W) divisor);                                                             \
    return b == 0 ? 0 : quotient;                                                                                      \
  }

DIVMOD_SIGNED (gint8, guint32)
DIVMOD_SIGNED (gint16, guint32)
DIVMOD_SIGNED (gint32, guint32)
DIVMOD_SIGNED (gint64, guint64)
DIVMOD_UNSIGNED (guint8, guint32)
DIVMOD_UNSIGNED (guint16, guint32)
DIVMOD_UNSIGNED (guint32, guint32)
DIVMOD_UNSIGNED (guint64, guint64)

/* Of floats: from what fmod leaves, of finite ones and a divisor that is not zero; of any.
 * What is not zero has the divisor's sign if it is the same with that sign. */
#define DIVMOD_FLOAT(T, FMOD, FLOOR, COPYSIGN)                                                                         \
  static inline T divmod_from_##T (T a, T b, T mod, T *remainder)                                                      \
  {                                                                                                                    \
    const gboolean lower = COPYSIGN (mod, b) != mod;                                                                   \
    const T quotient = (a - mod) / b - (lower ? (T) 1 : (T) 0), whole = FLOOR (quotient);                              \
                                                                                                                       \
    *remainder = lower ? mod + b : COPYSIGN (mod, b);                                                                  \
    /* Nearly whole already: the division may have rounded it to just below. */                                        \
    return quotient == 0 ? COPYSIGN ((T) 0, a / b) : quotient - whole > (T) 0.5 ? whole + 1 : whole;                   \
  }                                                                                                                    \
                                                                                                                       \
  static inline T divmod_##T (T a, T b, T *remainder)                                                                  \
  {                                                                                                                    \
    const T mod = FMOD (a, b), quotient = divmod_from_##T (a, b, mod, remainder);                                      \
                                                                                                                       \
    if (b == 0)                                                                                                        \
      *remainder = mod;                                                                                                \
    return b == 0 || isinf (a) || isinf (b) ? a / b : quotient;                                                        \
  }

DIVMOD_FLOAT (float, fmodf, floorf, copysignf)
DIVMOD_FLOAT (double, fmod, floor, copysign)

/* fmod without its loop, where a / b is below 2^22, or 2^51: cut off, that is the right
 * whole number or, rounded up to it, the next one. What that many b leave of a is a float, so
 * a fused product, or one of float64, makes it exactly; if it has the other sign, it was one
 * b too many. */
static inline float
near_float (float a, float b)
{
  const float mod = (float) ((double) a - (double) (float) (gint32) (a / b) * (double) b);

  return copysignf (mod, a) != mod ? mod + copysignf (b, a) : mod;
}

#ifdef __FMA__
static inline double
near_double (double a, double b)
{
  const double mod = fma (-trunc (a / b), b, a);

  return copysign (mod, a) != mod ? mod + copysign (b, a) : mod;
}
#else
#define near_double fmod
#endif

/* Either output, or both; what is far apart in a block is left to fmod. */
#define DIVMOD_FLOATS(T, BITS, FABS, MOST, LIMIT)                                                                      \
  static inline gboolean are_near_##T (const T *x1, const T *x2, gsize n)                                              \
  {                                                                                                                    \
    BITS far = 0;                                                                                                      \
                                                                                                                       \
    for (gsize k = 0; k < n; k++)                                                                                      \
      far |= (BITS) (!(FABS (x1[k]) < LIMIT * FABS (x2[k])) | !(FABS (x2[k]) <= MOST));                                \
    return far == 0;                                                                                                   \
  }                                                                                                                    \
                                                                                                                       \
  static inline                                                                                                        \
    __attribute__ ((always_inline)) void divmod_all_##T (const T *x1, const T *x2, T *quotient, T *remainder, gsize n) \
  {                                                                                                                    \
    for (gsize k = 0, end; k < n; k = end)                                                                             \
      {                                                                                                                \
        end = MIN (k + BLOCK, n);                                                                                      \
        if (are_near_##T (x1 + k, x2 + k, end - k))                                                                    \
          _Pragma ("GCC ivdep") for (gsize i = k; i < end; i++)                                                        \
          {                                                                                                            \
            T r, q = divmod_from_##T (x1[i], x2[i], near_##T (x1[i], x2[i]), &r);                                      \
                                                                                                                       \
            if (quotient != NULL)                                                                                      \
              quotient[i] = q;                                                                                         \
            if (remainder != NULL)                                                                                     \
              remainder[i] = r;                                                                                        \
          }                                                                                                            \
        else                                                                                                           \
          for (gsize i = k; i < end; i++)                                                                              \
            {                                                                                                          \
              T r, q = divmod_##T (x1[i], x2[i], &r);                                                                  \
                                                                                                                       \
              if (quotient != NULL)                                                                                    \
                quotient[i] = q;                                                                                       \
              if (remainder != NULL)                                                                                   \
                remainder[i] = r;                                                                                      \
            }                                                                                                          \
      }                                                                                                                \
  }

DIVMOD_FLOATS (float, guint32, fabsf, G_MAXFLOAT, 0x1p22f)
DIVMOD_FLOATS (double, guint64, fabs, G_MAXDOUBLE, 0x1p51)

#define FLOOR_DIVIDE_FLOATS(op, DT, T, W, E)                                                                           \
  static void op##_##DT (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)           \
  {                                                                                                                    \
    divmod_all_##T (in[0], in[1], out[0], NULL, n);                                                                    \
  }
#define REMAINDER_FLOATS(op, DT, T, W, E)                                                                              \
  static void op##_##DT (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)           \
  {                                                                                                                    \
    divmod_all_##T (in[0], in[1], NULL, out[0], n);                                                                    \
  }
#define DIVMOD_BOTH_FLOATS(op, DT, T, W, E)                                                                            \
  static void op##_##DT (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)           \
  {                                                                                                                    \
    divmod_all_##T (in[0], in[1], out[0], out[1], n);                                                                  \
  }

#define ONE_OF_DIVMOD(op, DT, T, W, E)                                                                                 \
  static inline T floor_divide_##T (T a, T b)                                                                          \
  {                                                                                                                    \
    T remainder;                                                                                                       \
                                                                                                                       \
    return divmod_##T (a, b, &remainder);                                                                              \
  }                                                                                                                    \
                                                                                                                       \
  static inline T remainder_##T (T a, T b)                                                                             \
  {                                                                                                                    \
    T remainder;                                                                                                       \
                                                                                                                       \
    divmod_##T (a, b, &remainder);                                                                                     \
    return remainder;                                                                                                  \
  }

ELEMENTWISE_INTEGERS (ONE_OF_DIVMOD, , )

#define FLOOR_DIVIDE(T, W, a, b) floor_divide_##T (a, b)
#define REMAINDER(T, W, a, b) remainder_##T (a, b)

ELEMENTWISE_INTEGERS (ELEMENTWISE_BINARY, floor_divide, FLOOR_DIVIDE)
ELEMENTWISE_FLOATS (FLOOR_DIVIDE_FLOATS, floor_divide, )

ELEMENTWISE_TABLE (floor_divide, ELEMENTWISE_NUMBERS (ELEMENTWISE_BINARY_ROW, floor_divide, ))

ELEMENTWISE_OP (floor_divide, elementwise_x1_x2, "x1 / x2 rounded down; of integers by zero: 0",
                .operators = "infix://",
                .gradients = { "zeros(x1.shape, dtype=x1.dtype)", "zeros(x2.shape, dtype=x2.dtype)" })

ELEMENTWISE_INTEGERS (ELEMENTWISE_BINARY, remainder, REMAINDER)
ELEMENTWISE_FLOATS (REMAINDER_FLOATS, remainder, )

ELEMENTWISE_TABLE (remainder, ELEMENTWISE_NUMBERS (ELEMENTWISE_BINARY_ROW, remainder, ))

ELEMENTWISE_OP (remainder, elementwise_x1_x2, "What x1 // x2 leaves, of x2's sign; of integers by zero: 0",
                .operators = "infix:%", .gradients = { "grad", "-grad * (x1 // x2)" })

/* Both at once. Either output may lie over either input: both inputs are read
 * before anything is written. */
#define DIVMOD_LOOP(op, DT, T, W, E)                                                                                   \
  static void op##_##DT (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)           \
  {                                                                                                                    \
    const T *x1 = in[0], *x2 = in[1];                                                                                  \
    T *quotient = out[0], *remainder = out[1];                                                                         \
                                                                                                                       \
    _Pragma ("GCC ivdep") for (gsize k = 0; k < n; k++)                                                                \
    {                                                                                                                  \
      const T a = x1[k], b = x2[k];                                                                                    \
      T r, q = divmod_##T (a, b, &r);                                                                                  \
                                                                                                                       \
      quotient[k] = q;                                                                                                 \
      remainder[k] = r;                                                                                                \
    }                                                                                                                  \
  }

#define DIVMOD_ROW(op, DT, T, W, E)                                                                                    \
  { .in = { CANDELA_DTYPE_##DT, CANDELA_DTYPE_##DT },                                                                  \
    .out = { CANDELA_DTYPE_##DT, CANDELA_DTYPE_##DT },                                                                 \
    .loop = op##_##DT },

ELEMENTWISE_INTEGERS (DIVMOD_LOOP, divmod, )
ELEMENTWISE_FLOATS (DIVMOD_BOTH_FLOATS, divmod, )

ELEMENTWISE_TABLE (divmod, ELEMENTWISE_NUMBERS (DIVMOD_ROW, divmod, ))

static const char *const divmod_outputs[] = { "quotient", "remainder", NULL };

ELEMENTWISE_OP (divmod, elementwise_x1_x2, "Both x1 // x2 and x1 % x2", .outputs = divmod_outputs,
                .gradients = { "grad_remainder", "-grad_remainder * quotient" })

const CandelaOpInfo *const ELEMENTWISE_OPS (division)[] = {
  &floor_divide_info,
  &remainder_info,
  &divmod_info,
  NULL,
};
