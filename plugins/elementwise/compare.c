/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Comparisons: bool of any two dtypes that promote. NaN is unequal to all, itself
 * too, and neither less nor greater. */
#include "complex.h"

#define LESS(T, W, a, b) (a < b)
#define LESS_EQUAL(T, W, a, b) (a <= b)
#define GREATER(T, W, a, b) (a > b)
#define GREATER_EQUAL(T, W, a, b) (a >= b)
#define EQUAL(T, W, a, b) (a == b)
#define NOT_EQUAL(T, W, a, b) (a != b)

/* Complex numbers have no order. */
#define EQUALITY(op, E, op_summary, op_operators)                                                                      \
  ELEMENTWISE_ALL (ELEMENTWISE_COMPARISON, op, E)                                                                      \
  ELEMENTWISE_COMPLEX (ELEMENTWISE_COMPARISON, op, E)                                                                  \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_ALL (ELEMENTWISE_COMPARISON_ROW, op, E)                                           \
                           ELEMENTWISE_COMPLEX (ELEMENTWISE_COMPARISON_ROW, op, E))                                    \
  ELEMENTWISE_OP (op, elementwise_x1_x2_any, op_summary, .operators = op_operators)

#define COMPARISON(op, E, op_summary, op_operators)                                                                    \
  ELEMENTWISE_ALL (ELEMENTWISE_COMPARISON, op, E)                                                                      \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_ALL (ELEMENTWISE_COMPARISON_ROW, op, E))                                          \
  ELEMENTWISE_OP (op, elementwise_x1_x2, op_summary, .operators = op_operators)

COMPARISON (less, LESS, "Whether x1 < x2", "infix:<")
COMPARISON (less_equal, LESS_EQUAL, "Whether x1 <= x2", "infix:<=")
COMPARISON (greater, GREATER, "Whether x1 > x2", "infix:>")
COMPARISON (greater_equal, GREATER_EQUAL, "Whether x1 >= x2", "infix:>=")
EQUALITY (equal, EQUAL, "Whether x1 == x2", "infix:==")
EQUALITY (not_equal, NOT_EQUAL, "Whether x1 != x2", "infix:!=")

const CandelaOpInfo *const ELEMENTWISE_OPS (compare)[] = {
  &less_info, &less_equal_info, &greater_info, &greater_equal_info, &equal_info, &not_equal_info, NULL,
};
