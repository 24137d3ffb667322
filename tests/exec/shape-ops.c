/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A module for test-now: ops of which data say the shape of the result, some of which
 * say it wrongly. */
#include <candela/candela-plugin.h>

#define F64 CANDELA_DTYPE_FLOAT64

static const CandelaInputInfo one_input[] = { { .name = "x" }, { .name = NULL } };

#define OP(op_name, ...)                                                                                               \
  static const CandelaOpInfo op_name = {                                                                               \
    .struct_size = sizeof (CandelaOpInfo), .name = "shape_" #op_name, .summary = "For tests", __VA_ARGS__              \
  };

/* The elements above 0, and where they are; and kernels that say it wrongly. */
static gboolean
infer_above (CandelaInference *inference, GError **error)
{
  const gint64 none = 0;

  return candela_inference_set_output (inference, 0, F64, &none, 1, error)
         && candela_inference_set_output (inference, 1, CANDELA_DTYPE_INT64, &none, 1, error);
}

static gboolean
compute_above (CandelaKernel *kernel, GError **error)
{
  gint64 n = candela_layout_get_n_elements (candela_kernel_get_input_layout (kernel, 0)), found = 0;
  g_autofree double *x = g_new (double, n);
  double *values;
  gint64 *places;

  candela_kernel_pack_input (kernel, 0, F64, 0, n, x);
  for (gint64 i = 0; i < n; i++)
    found += x[i] > 0;
  g_assert_null (candela_kernel_get_output (kernel, 0));
  g_assert_null (candela_kernel_get_output_layout (kernel, 0));
  if (!candela_kernel_set_output_shape (kernel, 0, &found, 1, error)
      || !candela_kernel_set_output_shape (kernel, 1, &found, 1, error))
    return FALSE;
  g_assert_cmpint (candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 1)), ==, found);
  values = candela_kernel_get_output (kernel, 0);
  places = candela_kernel_get_output (kernel, 1);
  for (gint64 i = 0; i < n; i++)
    if (x[i] > 0)
      {
        *values++ = x[i];
        *places++ = i;
      }
  return TRUE;
}

static gboolean
compute_left_out (CandelaKernel *kernel, GError **error)
{
  const gint64 one = 1;

  return candela_kernel_set_output_shape (kernel, 0, &one, 1, error);
}

static gboolean
compute_twice (CandelaKernel *kernel, GError **error)
{
  return compute_left_out (kernel, error) && compute_left_out (kernel, error);
}

static gboolean
compute_other_rank (CandelaKernel *kernel, GError **error)
{
  return candela_kernel_set_output_shape (kernel, 0, NULL, 0, error);
}

static gboolean
compute_huge (CandelaKernel *kernel, GError **error)
{
  const gint64 length = G_MAXINT64;

  return candela_kernel_set_output_shape (kernel, 0, &length, 1, error);
}

static const char *const above_outputs[] = { "values", "places", NULL };

#define DATA_OP(op_name)                                                                                               \
  static const CandelaKernelInfo op_name##_kernels[] = { { .compute = compute_##op_name }, { .compute = NULL } };      \
  OP (op_name, .inputs = one_input, .outputs = above_outputs, .output_shape = CANDELA_OUTPUT_SHAPE_DATA,               \
      .infer = infer_above, .kernels = op_name##_kernels)

DATA_OP (above)
DATA_OP (left_out)
DATA_OP (twice)
DATA_OP (other_rank)
DATA_OP (huge)

/* An op of a shape that is known, whose kernel says one. */
static gboolean
infer_like_x (CandelaInference *inference, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);

  return candela_inference_set_output (inference, 0, F64, shape, rank, error);
}

static const CandelaKernelInfo says_kernels[] = { { .compute = compute_left_out }, { .compute = NULL } };

OP (says, .inputs = one_input, .infer = infer_like_x, .kernels = says_kernels)

static gboolean
compute_fails (CandelaKernel *kernel, GError **error)
{
  return FALSE;
}

static const CandelaKernelInfo fails_kernels[] = { { .compute = compute_fails }, { .compute = NULL } };

OP (fails, .inputs = one_input, .infer = infer_like_x, .kernels = fails_kernels)

static const CandelaOpInfo *const ops[] = { &above, &left_out, &twice, &other_rank, &huge, &says, &fails, NULL };

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, ops, error);
}

CANDELA_PLUGIN_DEFINE ("shape-ops", "1.0", "LGPL-2.1-or-later", "For tests", register_ops)
