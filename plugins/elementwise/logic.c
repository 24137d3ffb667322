/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Truth values. The operands may be of any dtype and are read as bool, by the
 * engine's conversion: zero is false, all else (NaN too) is true. So there is one
 * loop each. */
#include "elementwise.h"

#define LOGICAL_AND(T, W, a, b) (a & b)
#define LOGICAL_OR(T, W, a, b) (a | b)
#define LOGICAL_XOR(T, W, a, b) (a ^ b)
#define LOGICAL_NOT(T, W, a) (!a)

static const CandelaInputInfo x_truth[] = {
  { "x", ELEMENTWISE_KIND_REAL, .fixed = CANDELA_DTYPE_BOOL, .summary = "the operand, read as bool" },
  { NULL },
};

static const CandelaInputInfo x1_x2_truth[] = {
  { "x1", ELEMENTWISE_KIND_REAL, .fixed = CANDELA_DTYPE_BOOL, .summary = "the first operand, read as bool" },
  { "x2", ELEMENTWISE_KIND_REAL, .fixed = CANDELA_DTYPE_BOOL, .summary = "the second operand, read as bool" },
  { NULL },
};

#define LOGICAL(op, E, op_summary)                                                                                     \
  ELEMENTWISE_BOOL (ELEMENTWISE_BINARY, op, E)                                                                         \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_BOOL (ELEMENTWISE_BINARY_ROW, op, E))                                             \
  ELEMENTWISE_OP (op, x1_x2_truth, op_summary, .fold = NULL)

LOGICAL (logical_and, LOGICAL_AND, "Whether both x1 and x2 are true")
LOGICAL (logical_or, LOGICAL_OR, "Whether x1 or x2 or both are true")
LOGICAL (logical_xor, LOGICAL_XOR, "Whether one of x1 and x2 is true and the other is not")

ELEMENTWISE_BOOL (ELEMENTWISE_UNARY, logical_not, LOGICAL_NOT)

ELEMENTWISE_TABLE (logical_not, ELEMENTWISE_BOOL (ELEMENTWISE_UNARY_ROW, logical_not, LOGICAL_NOT))

ELEMENTWISE_OP (logical_not, x_truth, "Whether x is false")

const CandelaOpInfo *const ELEMENTWISE_OPS (logic)[] = {
  &logical_and_info, &logical_or_info, &logical_xor_info, &logical_not_info, NULL,
};
