/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What floats are made of: their class, their sign, their neighbours. */
#include "complex.h"

#define IS_FINITE(T, W, a) (isfinite (a) != 0)
#define IS_INF(T, W, a) (isinf (a) != 0)
#define IS_NAN(T, W, a) (a != a)
#define COPYSIGN(T, W, a, b) _Generic(a, float : copysignf, double : copysign) (a, b)
/* Of vectors too, unlike signbit(). */
#define SIGN_BIT(T, W, a) (COPYSIGN (T, W, (T) 1, a) < 0)

#define CLASS(op, E, op_summary)                                                                                       \
  ELEMENTWISE_FLOATS (ELEMENTWISE_TEST, op, E)                                                                         \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_FLOATS (ELEMENTWISE_TEST_ROW, op, E))                                             \
  ELEMENTWISE_OP (op, elementwise_x, op_summary, .infer = elementwise_infer_floating)

/* Of complex numbers by their parts. */
#define IS_FINITE_COMPLEX(T, W, a) (isfinite (RE (a)) != 0 && isfinite (IM (a)) != 0)
#define IS_INF_COMPLEX(T, W, a) (isinf (RE (a)) != 0 || isinf (IM (a)) != 0)
#define IS_NAN_COMPLEX(T, W, a) (RE (a) != RE (a) || IM (a) != IM (a))

#define CLASS_OF_ANY(op, E, op_summary)                                                                                \
  ELEMENTWISE_FLOATS (ELEMENTWISE_TEST, op, E)                                                                         \
  ELEMENTWISE_COMPLEX (ELEMENTWISE_TEST, op, E##_COMPLEX)                                                              \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_FLOATS (ELEMENTWISE_TEST_ROW, op, E)                                              \
                           ELEMENTWISE_COMPLEX (ELEMENTWISE_TEST_ROW, op, E))                                          \
  ELEMENTWISE_OP (op, elementwise_x_any, op_summary, .infer = elementwise_infer_floating)

CLASS_OF_ANY (isfinite, IS_FINITE, "Whether x is neither infinite nor NaN; of complex x, whether both parts are so")
CLASS_OF_ANY (isinf, IS_INF, "Whether x is infinite; of complex x, whether a part is")
CLASS_OF_ANY (isnan, IS_NAN, "Whether x is NaN; of complex x, whether a part is")
CLASS (signbit, SIGN_BIT, "Whether x has its sign bit set: negative numbers, and -0.0")

#define NEXTAFTER(T, W, a, b) _Generic(a, float : nextafterf, double : nextafter) (a, b)

ELEMENTWISE_FLOAT_BINARY (copysign, COPYSIGN, "The magnitude of x1 with the sign of x2",
                          .gradients = { "grad * sign(x1) * copysign(1, x2)", "zeros(x2.shape, dtype=x2.dtype)" })
/* Of float16 and bfloat16 by their bits: as sign and magnitude these count the numbers.
 * From zero the next one has the sign of where it goes. */
#define NEXTAFTER_HALF(infinity, a, b)                                                                                 \
  ((a & 0x7fff) > infinity                                  ? a                                                        \
   : (b & 0x7fff) > infinity                                ? b                                                        \
   : a == b || ((a | b) & 0x7fff) == 0                      ? b                                                        \
   : (a & 0x7fff) == 0                                      ? (b & 0x8000) | 1                                         \
   : ((a ^ b) & 0x8000) != 0 || (a & 0x7fff) > (b & 0x7fff) ? a - 1                                                    \
                                                            : a + 1)
#define NEXTAFTER_FLOAT16(T, W, a, b) NEXTAFTER_HALF (0x7c00, a, b)
#define NEXTAFTER_BFLOAT16(T, W, a, b) NEXTAFTER_HALF (0x7f80, a, b)

ELEMENTWISE_FLOATS (ELEMENTWISE_BINARY, nextafter, NEXTAFTER)
ELEMENTWISE_BINARY (nextafter, FLOAT16, guint16, guint16, NEXTAFTER_FLOAT16)
ELEMENTWISE_BINARY (nextafter, BFLOAT16, guint16, guint16, NEXTAFTER_BFLOAT16)
ELEMENTWISE_TABLE (nextafter, ELEMENTWISE_FLOATS (ELEMENTWISE_BINARY_ROW, nextafter, )
                                ELEMENTWISE_HALVES (ELEMENTWISE_BINARY_ROW, nextafter, ))
ELEMENTWISE_OP (nextafter, elementwise_x1_x2, "The next float after x1 towards x2", .infer = elementwise_infer_floating)

const CandelaOpInfo *const ELEMENTWISE_OPS (float)[] = {
  &isfinite_info, &isinf_info, &isnan_info, &signbit_info, &copysign_info, &nextafter_info, NULL,
};
