/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops as an author outside the tree makes them, each from one expression; most are those that
 * some shipped op has. Compiled once as it is, and once as for a compiler without vectors. */
#include <candela/candela-plugin.h>

#ifdef CANDELA_PLAIN_LOOPS
#define PREFIX "plain_"
#define MODULE "outside-plain"
#else
#define PREFIX "outside_"
#define MODULE "outside"
#endif

#define SQUARE(T, x) ((x) * (x))
#define MAGNITUDE(T, x) CANDELA_ABS (x)
#define RECIPROCAL(T, x) (1 / (x))
#define RELU(T, x) CANDELA_SELECT ((x) < 0, 0, x)
#define SOFTSIGN(T, x) ((x) / (1 + CANDELA_ABS (x)))
/* Of which every step could be contracted. */
#define QUADRATIC(T, x) (((T) 0.1 * (x) + (T) 0.2) * (x) + 1)
#define MAXIMUM(T, x, y) CANDELA_SELECT (((x) >= (y)) | ((x) != (x)), x, y)
#define SUBTRACT(T, x, y) ((x) - (y))
#define DIVIDE(T, x, y) ((x) / (y))
#define SQUARES(T, x, y) ((x) * (x) + (y) * (y))

CANDELA_ELEMENTWISE_UNARY (square, SQUARE)
CANDELA_ELEMENTWISE_UNARY (magnitude, MAGNITUDE)
CANDELA_ELEMENTWISE_UNARY (reciprocal, RECIPROCAL)
CANDELA_ELEMENTWISE_UNARY (relu, RELU)
CANDELA_ELEMENTWISE_UNARY (softsign, SOFTSIGN)
CANDELA_ELEMENTWISE_UNARY (quadratic, QUADRATIC)
CANDELA_ELEMENTWISE_BINARY (maximum, MAXIMUM)
CANDELA_ELEMENTWISE_BINARY (subtract, SUBTRACT)
CANDELA_ELEMENTWISE_BINARY (divide, DIVIDE)
CANDELA_ELEMENTWISE_BINARY (squares, SQUARES)

static const CandelaInputInfo x[] = {
  { .name = "x", .kinds = CANDELA_DTYPE_KIND_FLOAT, .summary = "the operand" },
  { .name = NULL },
};
static const CandelaInputInfo x_y[] = {
  { .name = "x", .kinds = CANDELA_DTYPE_KIND_FLOAT, .summary = "the first operand" },
  { .name = "y", .kinds = CANDELA_DTYPE_KIND_FLOAT, .summary = "the second operand" },
  { .name = NULL },
};

#define OP(op, its_inputs)                                                                                             \
  static const CandelaOpInfo op##_op = {                                                                               \
    .struct_size = sizeof (CandelaOpInfo),                                                                             \
    .name = PREFIX #op,                                                                                                \
    .summary = "For tests",                                                                                            \
    .since = "1.0",                                                                                                    \
    .inputs = its_inputs,                                                                                              \
    .axes = CANDELA_AXES_ELEMENTWISE,                                                                                  \
    .kernels = op##_kernels,                                                                                           \
  };

OP (square, x)
OP (magnitude, x)
OP (reciprocal, x)
OP (relu, x)
OP (softsign, x)
OP (quadratic, x)
OP (maximum, x_y)
OP (subtract, x_y)
OP (divide, x_y)
OP (squares, x_y)

CANDELA_PLUGIN_DEFINE_OPS (MODULE, "1.0", "LGPL-2.1-or-later", "Ops made from expressions", &square_op, &magnitude_op,
                           &reciprocal_op, &relu_op, &softsign_op, &quadratic_op, &maximum_op, &subtract_op, &divide_op,
                           &squares_op)
