/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The frequencies that the numbers of a transform belong to. */
#include "fft.h"

enum {
  PARAM_N,
  PARAM_D,
  PARAM_DTYPE
};

static gboolean
infer (CandelaInference *inference, gboolean half, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  CandelaDType dtype = candela_params_get_dtype (params, PARAM_DTYPE);
  gint64 n = candela_params_get_int (params, PARAM_N);

  if (candela_dtype_get_kind (dtype) != CANDELA_DTYPE_KIND_FLOAT)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE,
                                   "dtype is %s; it must be a floating-point one", candela_dtype_get_name (dtype));
  if (half)
    n = n / 2 + 1;
  return candela_inference_set_output (inference, 0, dtype, &n, 1, error);
}

static gboolean
compute (CandelaKernel *kernel, gboolean half, GError **error)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  gint64 n = candela_params_get_int (params, PARAM_N);
  gint64 length = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0));
  gint64 positive = half ? length : (n + 1) / 2;
  double step = 1 / ((double) n * candela_params_get_float (params, PARAM_D));
  gpointer out = candela_kernel_get_output (kernel, 0);

  for (gint64 i = 0; i < length; i++)
    {
      double value = (double) (i < positive ? i : i - n) * step;

      if (candela_kernel_get_output_dtype (kernel, 0) == CANDELA_DTYPE_FLOAT32)
        ((float *) out)[i] = (float) value;
      else
        ((double *) out)[i] = value;
    }
  return TRUE;
}

static const CandelaParamInfo params_table[] = {
  { "n", CANDELA_PARAM_INT, CANDELA_PARAM_REQUIRED, .minimum = 1, .maximum = 0x1p53,
    .summary = "the length of the transform" },
  { "d", CANDELA_PARAM_FLOAT, .default_value = "1.0", .summary = "the time from one number to the next" },
  { "dtype", CANDELA_PARAM_DTYPE, .default_value = "float64", .summary = "of the result" },
  { NULL },
};

#define FREQUENCY_OP(op, half, op_summary, op_formula, op_example)                                                     \
  static gboolean infer_##op (CandelaInference *inference, GError **error)                                             \
  {                                                                                                                    \
    return infer (inference, half, error);                                                                             \
  }                                                                                                                    \
                                                                                                                       \
  static gboolean compute_##op (CandelaKernel *kernel, GError **error)                                                 \
  {                                                                                                                    \
    return compute (kernel, half, error);                                                                              \
  }                                                                                                                    \
                                                                                                                       \
  static const CandelaKernelInfo op##_kernels[] = { { .compute = compute_##op }, { .compute = NULL } };                \
  static const CandelaOpInfo op##_info = { .struct_size = sizeof (CandelaOpInfo),                                      \
                                           .name = #op,                                                                \
                                           .summary = op_summary,                                                      \
                                           .formula = op_formula,                                                      \
                                           .example = op_example,                                                      \
                                           .since = "1.0",                                                             \
                                           .params = params_table,                                                     \
                                           .axes = CANDELA_AXES_OPAQUE,                                                \
                                           .infer = infer_##op,                                                        \
                                           .kernels = op##_kernels };

FREQUENCY_OP (fftfreq, FALSE, "The frequencies of the numbers that fft gives",
              "out[k] = k / (n · d) where k < n / 2, else (k - n) / (n · d)", "fftfreq(4), fftfreq(5, d=0.1)")
FREQUENCY_OP (rfftfreq, TRUE, "The frequencies of the numbers that rfft gives", "out[k] = k / (n · d), k ≤ n / 2",
              "rfftfreq(4), rfftfreq(5, d=0.1)")

const CandelaOpInfo *const fft_frequency_ops[] = { &fftfreq_info, &rfftfreq_info, NULL };
