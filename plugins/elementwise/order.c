/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The larger, the smaller, both as limits, and zero as one. NaN in any operand gives NaN: the
 * comparisons are written so that a NaN that was met first is kept, and one that
 * comes second is taken. */
#include "stage.h"

/* a != a only of NaN; of integers the compiler drops it. */
#define MAXIMUM(T, W, a, b) (a >= b || a != a ? a : b)
#define MINIMUM(T, W, a, b) (a <= b || a != a ? a : b)

ELEMENTWISE_ALL (ELEMENTWISE_BINARY, maximum, MAXIMUM)
ELEMENTWISE_ALL (ELEMENTWISE_BINARY, minimum, MINIMUM)

#define STAGE_MAXIMUM(T, W, a, b) STAGE_SELECT ((a >= b) | (a != a), a, b)
#define STAGE_MINIMUM(T, W, a, b) STAGE_SELECT ((a <= b) | (a != a), a, b)

ELEMENTWISE_NUMBERS (STAGE_BINARY, maximum, STAGE_MAXIMUM)
ELEMENTWISE_NUMBERS (STAGE_BINARY, minimum, STAGE_MINIMUM)

/* float16 and bfloat16 by their bits, which are a sign and a magnitude: both zeros are equal,
 * and NaN is beyond infinity. */
#define HALF_IS_NAN(infinity, a) ((a & 0x7fff) > infinity)
#define HALF_NUMBER(a) ((gint16) ((a & 0x8000) != 0 ? -(a & 0x7fff) : a))
#define HALF_SELECT(infinity, a, comparison, b)                                                                        \
  (HALF_IS_NAN (infinity, a) | (!HALF_IS_NAN (infinity, b) & (HALF_NUMBER (a) comparison HALF_NUMBER (b))) ? a : b)
#define MAXIMUM_FLOAT16(T, W, a, b) HALF_SELECT (0x7c00, a, >=, b)
#define MAXIMUM_BFLOAT16(T, W, a, b) HALF_SELECT (0x7f80, a, >=, b)
#define MINIMUM_FLOAT16(T, W, a, b) HALF_SELECT (0x7c00, a, <=, b)
#define MINIMUM_BFLOAT16(T, W, a, b) HALF_SELECT (0x7f80, a, <=, b)

ELEMENTWISE_BINARY (maximum, FLOAT16, guint16, guint16, MAXIMUM_FLOAT16)
ELEMENTWISE_BINARY (maximum, BFLOAT16, guint16, guint16, MAXIMUM_BFLOAT16)
ELEMENTWISE_BINARY (minimum, FLOAT16, guint16, guint16, MINIMUM_FLOAT16)
ELEMENTWISE_BINARY (minimum, BFLOAT16, guint16, guint16, MINIMUM_BFLOAT16)

ELEMENTWISE_TABLE (maximum, ELEMENTWISE_BOOL (ELEMENTWISE_BINARY_ROW, maximum, )
                              ELEMENTWISE_NUMBERS (STAGE_BINARY_ROW, maximum, )
                                ELEMENTWISE_HALVES (ELEMENTWISE_BINARY_ROW, maximum, ))
ELEMENTWISE_TABLE (minimum, ELEMENTWISE_BOOL (ELEMENTWISE_BINARY_ROW, minimum, )
                              ELEMENTWISE_NUMBERS (STAGE_BINARY_ROW, minimum, )
                                ELEMENTWISE_HALVES (ELEMENTWISE_BINARY_ROW, minimum, ))

ELEMENTWISE_OP (maximum, elementwise_x1_x2, "The larger of x1 and x2; NaN if one is",
                .gradients = { "where(x1 >= x2, grad, 0)", "where(x1 < x2, grad, 0)" })
ELEMENTWISE_OP (minimum, elementwise_x1_x2, "The smaller of x1 and x2; NaN if one is",
                .gradients = { "where(x1 <= x2, grad, 0)", "where(x1 > x2, grad, 0)" })

/* A limit may be missing, so clip has rows of one, two and three inputs. Below the
 * lower limit the result is that, and above the upper limit that. */
#define SAME(T, W, a) (a)

#define CLIP_LOOP(op, DT, T, W, E)                                                                                     \
  static void op##_##DT (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)           \
  {                                                                                                                    \
    const T *x = in[0], *lower = in[1], *upper = in[2];                                                                \
    T *y = out[0];                                                                                                     \
                                                                                                                       \
    _Pragma ("GCC ivdep") for (gsize k = 0; k < n; k++)                                                                \
    {                                                                                                                  \
      const T a = x[k], b = lower[k], c = upper[k];                                                                    \
      const T raised = MAXIMUM (T, W, a, b);                                                                           \
      y[k] = MINIMUM (T, W, raised, c);                                                                                \
    }                                                                                                                  \
  }

#define UNCLIPPED_ROW(op, DT, T, W, E)                                                                                 \
  { .in = { CANDELA_DTYPE_##DT }, .out = { CANDELA_DTYPE_##DT }, .loop = op##_##DT, .n_inputs = 1 },
#define RAISED_ROW(op, DT, T, W, E)                                                                                    \
  { .in = { CANDELA_DTYPE_##DT, CANDELA_DTYPE_##DT }, .out = { CANDELA_DTYPE_##DT }, .loop = op##_##DT, .n_inputs = 2 },
#define CLIP_ROW(op, DT, T, W, E)                                                                                      \
  { .in = { CANDELA_DTYPE_##DT, CANDELA_DTYPE_##DT, CANDELA_DTYPE_##DT },                                              \
    .out = { CANDELA_DTYPE_##DT },                                                                                     \
    .loop = op##_##DT,                                                                                                 \
    .n_inputs = 3 },

ELEMENTWISE_ALL (ELEMENTWISE_UNARY, unclipped, SAME)
ELEMENTWISE_ALL (CLIP_LOOP, clip, )

/* x; x and min; x, min and max. */
ELEMENTWISE_TABLE (clip, ELEMENTWISE_ALL (UNCLIPPED_ROW, unclipped, ) ELEMENTWISE_ALL (RAISED_ROW, maximum, )
                           ELEMENTWISE_ALL (CLIP_ROW, clip, ))

static const CandelaInputInfo clip_inputs[] = {
  { "x", ELEMENTWISE_KIND_REAL, .summary = "the operand" },
  /* Nothing is below itself. */
  { "min", ELEMENTWISE_KIND_REAL, CANDELA_INPUT_OPTIONAL, .summary = "the lower limit; no limit if missing",
    .stand_in = 1 },
  { "max", ELEMENTWISE_KIND_REAL, CANDELA_INPUT_OPTIONAL, .summary = "the upper limit; no limit if missing" },
  { NULL },
};

ELEMENTWISE_OP (clip, clip_inputs, "x held between min and max; where min is above max, max",
                .gradients = { "where(out == x, grad, 0)", "where((out == min) & (out != x), grad, 0)",
                               "where((out == max) & (out != x), grad, 0)" })

/* NaN is not below zero: it stays. */
#define RELU(T, W, a) (a < 0 ? (T) 0 : a)

ELEMENTWISE_BOOL (ELEMENTWISE_UNARY, relu, SAME)
ELEMENTWISE_UNSIGNED (ELEMENTWISE_UNARY, relu, SAME)
ELEMENTWISE_SIGNED (ELEMENTWISE_UNARY, relu, RELU)
ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY, relu, RELU)

#define STAGE_RELU(T, W, a) ((__typeof__ (a < 0)) a & ~(a < 0))

ELEMENTWISE_UNSIGNED (STAGE_UNARY, relu, SAME)
ELEMENTWISE_SIGNED (STAGE_UNARY, relu, STAGE_RELU)
ELEMENTWISE_FLOATS (STAGE_UNARY, relu, STAGE_RELU)

ELEMENTWISE_TABLE (relu, ELEMENTWISE_BOOL (ELEMENTWISE_UNARY_ROW, relu, RELU)
                           ELEMENTWISE_NUMBERS (STAGE_UNARY_ROW, relu, RELU))

ELEMENTWISE_OP (relu, elementwise_x, "x, or 0 where x is negative", .gradients = { "where(x > 0, grad, 0)" })

const CandelaOpInfo *const ELEMENTWISE_OPS (order)[] = {
  &maximum_info, &minimum_info, &clip_info, &relu_info, NULL,
};
