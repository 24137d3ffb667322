/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rounding to whole numbers. What is whole already (integers and bool) keeps its
 * dtype and is its own result: the node folds to its input. */
#include "complex.h"

static int
fold_whole (const CandelaInference *inference)
{
  CandelaDTypeKind kind = candela_dtype_get_kind (candela_inference_get_input_dtype (inference, 0));

  return kind & (ELEMENTWISE_KIND_INTEGER | CANDELA_DTYPE_KIND_BOOL) ? 0 : -1;
}

#define SAME(T, W, a) (a)
#define CEIL(T, W, a) _Generic(a, float : ceilf, double : ceil) (a)
#define FLOOR(T, W, a) _Generic(a, float : floorf, double : floor) (a)
#define TRUNC(T, W, a) _Generic(a, float : truncf, double : trunc) (a)
/* To nearest, ties to even, which is the mode that floats are in. */
#define ROUND(T, W, a) _Generic(a, float : rintf, double : rint) (a)

ELEMENTWISE_BOOL (ELEMENTWISE_UNARY, whole, SAME)
ELEMENTWISE_INTEGERS (ELEMENTWISE_UNARY, whole, SAME)

#define ROUNDING(op, E, op_summary)                                                                                    \
  ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY, op, E)                                                                        \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_BOOL (ELEMENTWISE_UNARY_ROW, whole, SAME) ELEMENTWISE_INTEGERS (                  \
                           ELEMENTWISE_UNARY_ROW, whole, SAME) ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY_ROW, op, E))      \
  ELEMENTWISE_OP (op, elementwise_x, op_summary, .fold = fold_whole, .gradients = { "zeros(x.shape, dtype=x.dtype)" })

ROUNDING (ceil, CEIL, "The smallest whole number not below x")
ROUNDING (floor, FLOOR, "The largest whole number not above x")
ROUNDING (trunc, TRUNC, "The whole number nearest to x towards zero")
/* Of complex numbers, each part by itself. */
#define ROUND_PARTS(T, W, a) COMPLEX (T, ROUND (T, W, RE (a)), ROUND (T, W, IM (a)))

ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY, round, ROUND)
ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY, round, ROUND_PARTS)
ELEMENTWISE_TABLE (round, ELEMENTWISE_BOOL (ELEMENTWISE_UNARY_ROW, whole, SAME)
                            ELEMENTWISE_INTEGERS (ELEMENTWISE_UNARY_ROW, whole, SAME)
                              ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY_ROW, round, ROUND)
                                ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY_ROW, round, ROUND_PARTS))
ELEMENTWISE_OP (round, elementwise_x_any, "The whole number nearest to x; of two, the even one", .fold = fold_whole,
                .gradients = { "zeros(x.shape, dtype=x.dtype)" })

const CandelaOpInfo *const ELEMENTWISE_OPS (rounding)[] = {
  &ceil_info, &floor_info, &trunc_info, &round_info, NULL,
};
