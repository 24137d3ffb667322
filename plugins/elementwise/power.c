/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Powers and roots. Integers to the power of integers stay integers, modulo 2^n, by
 * repeated squaring. A negative exponent has no integer result, and a loop cannot
 * fail: it gives what the exact result rounds to towards zero, which is 1 for base
 * 1, 1 or -1 for base -1, and 0 for all others (0 itself among them). */
#include "elementwise.h"

static inline guint64
power_modulo (guint64 base, guint64 exponent)
{
  guint64 result = 1;

  for (; exponent != 0; exponent >>= 1)
    {
      if (exponent & 1)
        result *= base;
      base *= base;
    }

  return result;
}

static inline gint64
power_to_negative (gint64 base, gint64 exponent)
{
  if (base == 1)
    return 1;
  if (base == -1)
    return exponent & 1 ? -1 : 1;

  return 0;
}

/* The low bits of a product depend on the low bits of its factors alone, so 64 bits
 * serve every width. */
#define POW_UNSIGNED(T, W, a, b) power_modulo (a, b)
#define POW_SIGNED(T, W, a, b)                                                                                         \
  (b < 0 ? (guint64) power_to_negative (a, b) : power_modulo ((guint64) (gint64) a, (guint64) b))
#define POW_FLOAT32(T, W, a, b) powf (a, b)
#define POW_FLOAT64(T, W, a, b) pow (a, b)

ELEMENTWISE_UNSIGNED (ELEMENTWISE_BINARY, pow, POW_UNSIGNED)
ELEMENTWISE_SIGNED (ELEMENTWISE_BINARY, pow, POW_SIGNED)
ELEMENTWISE_FLOAT32 (ELEMENTWISE_BINARY, pow, POW_FLOAT32)
ELEMENTWISE_FLOAT64 (ELEMENTWISE_BINARY, pow, POW_FLOAT64)

ELEMENTWISE_TABLE (pow, ELEMENTWISE_NUMBERS (ELEMENTWISE_BINARY_ROW, pow, POW_FLOAT64))

ELEMENTWISE_OP (pow, elementwise_x1_x2, "x1 to the power x2; of an integer to a negative power: 0, 1 or -1",
                .operators = "infix:**")

#define SQUARE(T, W, a) ((W) a * (W) a)

ELEMENTWISE_NUMBERS (ELEMENTWISE_UNARY, square, SQUARE)

ELEMENTWISE_TABLE (square, ELEMENTWISE_NUMBERS (ELEMENTWISE_UNARY_ROW, square, SQUARE))

ELEMENTWISE_OP (square, elementwise_x, "x * x")

/* The overload by type, for the functions of one float argument. */
#define SQRT(T, W, a) _Generic(a, float : sqrtf, double : sqrt) (a)
#define HYPOT(T, W, a, b) _Generic(a, float : hypotf, double : hypot) (a, b)

ELEMENTWISE_FLOAT_UNARY (sqrt, SQRT, "The square root of x; NaN below zero")
ELEMENTWISE_FLOAT_BINARY (hypot, HYPOT, "The square root of x1 * x1 + x2 * x2, without overflow on the way")

const CandelaOpInfo *const ELEMENTWISE_OPS (power)[] = {
  &pow_info, &square_info, &sqrt_info, &hypot_info, NULL,
};
