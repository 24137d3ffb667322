
/* @op@: element-wise, with a parameter. The table says what may be given; the core checks
 * it before the loop runs. */

enum
{
  @OP@_SLOPE /* the index in the table below */
};

static const CandelaParamInfo @op@_params[] = {
  { "slope", CANDELA_PARAM_FLOAT, .default_value = "0.01", .minimum = 0, .maximum = 1,
    .summary = "what negative x is multiplied by" },
  { NULL },
};

#define @OP@(T)                                                                          \
  static void @op@_##T (gpointer const *out, gconstpointer const *in, gsize n,           \
                        const CandelaParams *params)                                     \
  {                                                                                      \
    const T slope = (T) candela_params_get_float (params, @OP@_SLOPE);                   \
    const T *x = in[0];                                                                  \
    T *y = out[0];                                                                       \
                                                                                         \
    for (gsize i = 0; i < n; i++)                                                        \
      y[i] = x[i] < 0 ? x[i] * slope : x[i];                                             \
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
  .summary = "x, or slope * x where x is negative",
  .formula = "out = x where x ≥ 0, else slope · x",
  .example = "@op@([-2.0, 1.0], slope=0.5)",
  .since = "0.1",
  .inputs = @op@_inputs,
  .params = @op@_params,
  .axes = CANDELA_AXES_ELEMENTWISE,
  .kernels = @op@_kernels,
};
