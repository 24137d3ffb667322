/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin as it was built with the first release: an element-wise op with a parameter,
 * a reduction, and an op whose declaration ends where that of a still older library did. */
#include "first-release.h"

static void
scale_float (gpointer const *out, gconstpointer const *in, gsize n, gconstpointer params)
{
  const float by = (float) candela_params_get_float (params, 0);
  const float *x = in[0];
  float *y = out[0];

  for (gsize i = 0; i < n; i++)
    y[i] = x[i] * by;
}

static void
scale_double (gpointer const *out, gconstpointer const *in, gsize n, gconstpointer params)
{
  const double by = candela_params_get_float (params, 0);
  const double *x = in[0];
  double *y = out[0];

  for (gsize i = 0; i < n; i++)
    y[i] = x[i] * by;
}

static gboolean
total_infer (gpointer inference, GError **error)
{
  gsize n_dims;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &n_dims);

  if (n_dims == 0)
    return candela_inference_fail (inference, error, BASE_ERROR_SHAPE, "x has no axis");
  candela_inference_set_compute_dtype (inference, BASE_DTYPE_FLOAT64);
  return candela_inference_set_output (inference, 0, BASE_DTYPE_FLOAT64, shape, n_dims - 1, error);
}

static gboolean
total_compute (gpointer kernel, GError **error)
{
  gsize n_dims;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_input_layout (kernel, 0), &n_dims);
  gint64 n = shape[n_dims - 1];
  gint64 n_rows = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0));
  g_autofree double *row = g_new (double, n + 1);
  double *out = candela_kernel_get_output (kernel, 0);

  for (gint64 r = 0; r < n_rows; r++)
    {
      candela_kernel_pack_input (kernel, 0, BASE_DTYPE_FLOAT64, r * n, n, row);
      out[r] = 0;
      for (gint64 i = 0; i < n; i++)
        out[r] += row[i];
    }
  return TRUE;
}

static guint32
total_reduced_axes (gconstpointer params, guint rank)
{
  return 1u << (rank - 1);
}

static const BaseInput inputs[] = {
  { .name = "x", .kinds = BASE_KIND_FLOAT, .summary = "the operand" },
  { NULL },
};

static const BaseParam scale_params[] = {
  { .name = "by",
    .type = BASE_PARAM_FLOAT,
    .default_value = "2.0",
    .minimum = -10,
    .maximum = 10,
    .summary = "the factor" },
  { NULL },
};

static const BaseKernel scale_kernels[] = {
  { .in = { BASE_DTYPE_FLOAT32 }, .out = { BASE_DTYPE_FLOAT32 }, .loop = scale_float },
  { .in = { BASE_DTYPE_FLOAT64 }, .out = { BASE_DTYPE_FLOAT64 }, .loop = scale_double },
  { .loop = NULL },
};

static const BaseKernel total_kernels[] = {
  { .compute = total_compute },
  { .compute = NULL },
};

static const BaseOp scale = {
  .struct_size = sizeof (BaseOp),
  .name = "base_scale",
  .summary = "x * by",
  .since = "1.0",
  .inputs = inputs,
  .params = scale_params,
  .axes = BASE_AXES_ELEMENTWISE,
  .kernels = scale_kernels,
};

static const BaseOp total = {
  .struct_size = sizeof (BaseOp),
  .name = "base_total",
  .summary = "The sum along the last axis",
  .inputs = inputs,
  .axes = BASE_AXES_REDUCTION,
  .infer = total_infer,
  .kernels = total_kernels,
  .reduced_axes = total_reduced_axes,
};

static const BaseOp shorter = {
  .struct_size = G_STRUCT_OFFSET (BaseOp, reduced_axes),
  .name = "base_shorter",
  .summary = "x * by",
  .inputs = inputs,
  .params = scale_params,
  .axes = BASE_AXES_ELEMENTWISE,
  .kernels = scale_kernels,
};

static gboolean
register_ops (gpointer plugin, GError **error)
{
  return candela_plugin_add_op (plugin, &scale, error) && candela_plugin_add_op (plugin, &total, error)
         && candela_plugin_add_op (plugin, &shorter, error);
}

__attribute__ ((visibility ("default"))) extern const BaseDescriptor candela_plugin_descriptor;
const BaseDescriptor candela_plugin_descriptor = {
  .abi_major = 1,
  .abi_minor = 0,
  .struct_size = sizeof (BaseDescriptor),
  .name = "baseline",
  .version = "1.0",
  .license = "LGPL-2.1-or-later",
  .description = "Built with the first release",
  .register_ops = register_ops,
};
