/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Bits of integers, and of bool as a single one. A shift by as many bits as there
 * are, or more, or by a negative count, leaves no bit of the operand: 0, or -1 where
 * a negative number is shifted right. C leaves these undefined. */
#include "elementwise.h"

#define AND(T, W, a, b) (a & b)
#define OR(T, W, a, b) (a | b)
#define XOR(T, W, a, b) (a ^ b)
#define INVERT(T, W, a) (~a)
#define NOT(T, W, a) (!a)

#define BITWISE(op, E, op_summary, op_operators)                                                                       \
  ELEMENTWISE_BOOL (ELEMENTWISE_BINARY, op, E)                                                                         \
  ELEMENTWISE_INTEGERS (ELEMENTWISE_BINARY, op, E)                                                                     \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_BOOL (ELEMENTWISE_BINARY_ROW, op, E)                                              \
                           ELEMENTWISE_INTEGERS (ELEMENTWISE_BINARY_ROW, op, E))                                       \
  ELEMENTWISE_OP (op, elementwise_x1_x2_bits, op_summary, .operators = op_operators)

BITWISE (bitwise_and, AND, "The bits that x1 and x2 both have", "infix:&")
BITWISE (bitwise_or, OR, "The bits that x1 or x2 has", "infix:|")
BITWISE (bitwise_xor, XOR, "The bits that one of x1 and x2 has and the other has not", "infix:^")

ELEMENTWISE_BOOL (ELEMENTWISE_UNARY, bitwise_invert, NOT)
ELEMENTWISE_INTEGERS (ELEMENTWISE_UNARY, bitwise_invert, INVERT)

ELEMENTWISE_TABLE (bitwise_invert, ELEMENTWISE_BOOL (ELEMENTWISE_UNARY_ROW, bitwise_invert, NOT)
                                     ELEMENTWISE_INTEGERS (ELEMENTWISE_UNARY_ROW, bitwise_invert, INVERT))

ELEMENTWISE_OP (bitwise_invert, elementwise_x_bits, "Every bit of x turned; of bool: not x", .operators = "prefix:~")

/* The count is compared without a sign, so that a negative one is a large one, and as wide
 * as what is shifted, for vector code. */
#define N_BITS(T) (sizeof (T) * 8)
#define LEFT_SHIFT(T, W, a, b) ((W) b < N_BITS (T) ? (W) a << b : (W) 0)
#define RIGHT_SHIFT(T, W, a, b) ((W) b < N_BITS (T) ? a >> b : 0)
#define RIGHT_SHIFT_SIGNED(T, W, a, b) (a >> ((W) b < N_BITS (T) ? b : (T) (N_BITS (T) - 1)))

#define SHIFT(op, op_summary, op_operators)                                                                            \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_INTEGERS (ELEMENTWISE_BINARY_ROW, op, ))                                          \
  ELEMENTWISE_OP (op, elementwise_x1_x2_bits, op_summary, .operators = op_operators)

ELEMENTWISE_INTEGERS (ELEMENTWISE_BINARY, bitwise_left_shift, LEFT_SHIFT)
ELEMENTWISE_UNSIGNED (ELEMENTWISE_BINARY, bitwise_right_shift, RIGHT_SHIFT)
ELEMENTWISE_SIGNED (ELEMENTWISE_BINARY, bitwise_right_shift, RIGHT_SHIFT_SIGNED)

SHIFT (bitwise_left_shift, "The bits of x1, x2 places up", "infix:<<")
SHIFT (bitwise_right_shift, "The bits of x1, x2 places down, keeping the sign", "infix:>>")

const CandelaOpInfo *const ELEMENTWISE_OPS (bits)[] = {
  &bitwise_and_info,
  &bitwise_or_info,
  &bitwise_xor_info,
  &bitwise_invert_info,
  &bitwise_left_shift_info,
  &bitwise_right_shift_info,
  NULL,
};
