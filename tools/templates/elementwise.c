
/* @op@: element-wise, from one expression over vectors of T, float or double. The engine
 * sees to broadcasting, strides, fusion with other ops, vectors and threads. There are
 * operators, CANDELA_ABS (x) and CANDELA_SELECT (x < 0, yes, no); a constant is cast:
 * (T) 0.1. */

#define @OP@(T, x) ((x) / (1 + CANDELA_ABS (x)))

CANDELA_ELEMENTWISE_UNARY (@op@, @OP@)

static const CandelaInputInfo @op@_inputs[] = {
  { .name = "x", .kinds = CANDELA_DTYPE_KIND_FLOAT, .summary = "the operand" },
  { NULL },
};

static const CandelaOpInfo @op@_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "@op@",
  .summary = "x / (1 + |x|)",
  .formula = "out = x / (1 + |x|)",
  .example = "@op@([-1.0, 0.0, 3.0])",
  .since = "0.1",
  .inputs = @op@_inputs,
  .axes = CANDELA_AXES_ELEMENTWISE,
  .kernels = @op@_kernels,
};
