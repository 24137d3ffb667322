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

#define FLOOR_DIVIDE_SIGNED(T, W, a, b)                                                                                \
  (b == 0 ? (W) 0 : b == -1 ? (W) 0 - (W) a : (W) (a / b) - (W) (a % b != 0 && (a < 0) != (b < 0)))
#define REMAINDER_SIGNED(T, W, a, b) (b == 0 || b == -1 ? 0 : a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : (T) 0))
#define FLOOR_DIVIDE_UNSIGNED(T, W, a, b) (b == 0 ? 0 : a / b)
#define REMAINDER_UNSIGNED(T, W, a, b) (b == 0 ? 0 : a % b)

/* Quotient and remainder of floats; FMOD, FLOOR and COPYSIGN are those of T. */
#define DIVMOD_FLOAT(T, FMOD, FLOOR, COPYSIGN)                                                                         \
  static inline T divmod_##T (T a, T b, T *remainder)                                                                  \
  {                                                                                                                    \
    T mod = FMOD (a, b);                                                                                               \
    T quotient, whole;                                                                                                 \
                                                                                                                       \
    *remainder = mod;                                                                                                  \
    if (b == 0)                                                                                                        \
      return a / b;                                                                                                    \
                                                                                                                       \
    quotient = (a - mod) / b;                                                                                          \
    if (mod == 0)                                                                                                      \
      mod = COPYSIGN ((T) 0, b);                                                                                       \
    else if ((b < 0) != (mod < 0))                                                                                     \
      {                                                                                                                \
        mod += b;                                                                                                      \
        quotient -= 1;                                                                                                 \
      }                                                                                                                \
    *remainder = mod;                                                                                                  \
    if (isinf (a) || isinf (b))                                                                                        \
      return a / b;                                                                                                    \
    if (quotient == 0)                                                                                                 \
      return COPYSIGN ((T) 0, a / b);                                                                                  \
                                                                                                                       \
    /* Nearly whole already: the division may have rounded it to just below. */                                        \
    whole = FLOOR (quotient);                                                                                          \
    return quotient - whole > (T) 0.5 ? whole + 1 : whole;                                                             \
  }

DIVMOD_FLOAT (float, fmodf, floorf, copysignf)
DIVMOD_FLOAT (double, fmod, floor, copysign)

#define FLOOR_DIVIDE_FLOAT(T, W, a, b) floor_divide_##T (a, b)
#define REMAINDER_FLOAT(T, W, a, b) remainder_##T (a, b)

#define ONE_OF_DIVMOD(T)                                                                                               \
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

ONE_OF_DIVMOD (float)
ONE_OF_DIVMOD (double)

ELEMENTWISE_SIGNED (ELEMENTWISE_BINARY, floor_divide, FLOOR_DIVIDE_SIGNED)
ELEMENTWISE_UNSIGNED (ELEMENTWISE_BINARY, floor_divide, FLOOR_DIVIDE_UNSIGNED)
ELEMENTWISE_FLOATS (ELEMENTWISE_BINARY, floor_divide, FLOOR_DIVIDE_FLOAT)

ELEMENTWISE_TABLE (floor_divide, ELEMENTWISE_NUMBERS (ELEMENTWISE_BINARY_ROW, floor_divide, FLOOR_DIVIDE_FLOAT))

ELEMENTWISE_OP (floor_divide, elementwise_x1_x2, "x1 / x2 rounded down; of integers by zero: 0",
                .operators = "infix://",
                .gradients = { "zeros(x1.shape, dtype=x1.dtype)", "zeros(x2.shape, dtype=x2.dtype)" })

ELEMENTWISE_SIGNED (ELEMENTWISE_BINARY, remainder, REMAINDER_SIGNED)
ELEMENTWISE_UNSIGNED (ELEMENTWISE_BINARY, remainder, REMAINDER_UNSIGNED)
ELEMENTWISE_FLOATS (ELEMENTWISE_BINARY, remainder, REMAINDER_FLOAT)

ELEMENTWISE_TABLE (remainder, ELEMENTWISE_NUMBERS (ELEMENTWISE_BINARY_ROW, remainder, REMAINDER_FLOAT))

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
      const T q = (T) FLOOR_DIVIDE_##E (T, W, a, b), r = (T) REMAINDER_##E (T, W, a, b);                               \
      quotient[k] = q;                                                                                                 \
      remainder[k] = r;                                                                                                \
    }                                                                                                                  \
  }

#define DIVMOD_ROW(op, DT, T, W, E)                                                                                    \
  { .in = { CANDELA_DTYPE_##DT, CANDELA_DTYPE_##DT },                                                                  \
    .out = { CANDELA_DTYPE_##DT, CANDELA_DTYPE_##DT },                                                                 \
    .loop = op##_##DT },

ELEMENTWISE_SIGNED (DIVMOD_LOOP, divmod, SIGNED)
ELEMENTWISE_UNSIGNED (DIVMOD_LOOP, divmod, UNSIGNED)
ELEMENTWISE_FLOATS (DIVMOD_LOOP, divmod, FLOAT)

ELEMENTWISE_TABLE (divmod, ELEMENTWISE_NUMBERS (DIVMOD_ROW, divmod, FLOAT))

static const char *const divmod_outputs[] = { "quotient", "remainder", NULL };

ELEMENTWISE_OP (divmod, elementwise_x1_x2, "Both x1 // x2 and x1 % x2", .outputs = divmod_outputs,
                .gradients = { "grad_remainder", "-grad_remainder * quotient" })

const CandelaOpInfo *const ELEMENTWISE_OPS (division)[] = {
  &floor_divide_info,
  &remainder_info,
  &divmod_info,
  NULL,
};
