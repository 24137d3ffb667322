
/* @op@: element-wise. The engine sees to broadcasting, strides, fusion with other ops,
 * vectors and threads; the loop gets packed elements of one dtype. An element must get
 * the same bits wherever in the loop it stands. */

#define @OP@(T)                                                                          \
  static void @op@_##T (gpointer const *out, gconstpointer const *in, gsize n,           \
                        const CandelaParams *params)                                     \
  {                                                                                      \
    const T *x = in[0];                                                                  \
    T *y = out[0];                                                                       \
                                                                                         \
    for (gsize i = 0; i < n; i++)                                                        \
      y[i] = x[i] / (1 + (x[i] < 0 ? -x[i] : x[i]));                                     \
  }

@OP@ (float)
@OP@ (double)

static const CandelaInputInfo @op@_inputs[] = {
  { .name = "x", .kinds = CANDELA_DTYPE_KIND_FLOAT, .summary = "the operand" },
  { NULL },
};

static const CandelaKernelInfo @op@_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT32 }, .out = { CANDELA_DTYPE_FLOAT32 }, .loop = @op@_float },
  { .in = { CANDELA_DTYPE_FLOAT64 }, .out = { CANDELA_DTYPE_FLOAT64 }, .loop = @op@_double },
  { .loop = NULL },
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
