/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops that compute what they should, and declare another gradient: one mistake in each. */
#include "liars.h"

#include <math.h>

#define LOOP_FUNC(op)                                                                                                  \
  static void op (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)

/* x * x + x, so that no simple mistake is right by chance. */
LOOP_FUNC (loop_polynomial)
{
  const double *x = in[0];
  double *y = out[0];

  for (gsize i = 0; i < n; i++)
    y[i] = x[i] * x[i] + x[i];
}

static const CandelaKernelInfo polynomial_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT64 }, .out = { CANDELA_DTYPE_FLOAT64 }, .loop = loop_polynomial },
  { .loop = NULL },
};

#define POLYNOMIAL(op, text) OP (op, polynomial_kernels, .axes = CANDELA_AXES_ELEMENTWISE, .gradients = { text })

POLYNOMIAL (gradient_of_another_factor, "grad * (x + 1)");
POLYNOMIAL (gradient_of_another_sign, "-grad * (2 * x + 1)");
POLYNOMIAL (gradient_without_cotangent, "2 * x + 1");
POLYNOMIAL (gradient_right_above_zero, "where(x > 0, grad * (2 * x + 1), 0)");
POLYNOMIAL (gradient_is_rounded, "grad * astype(astype(2 * x + 1, float32), float64)");
POLYNOMIAL (gradient_is_no_number, "grad * (2 * x + 1) / (x - x) * (x - x)");
POLYNOMIAL (gradient_of_another_dtype, "astype(grad * (2 * x + 1), float32)");
POLYNOMIAL (gradient_of_another_shape, "reshape(grad * (2 * x + 1), [1, -1, 1])");
POLYNOMIAL (gradient_of_unknown_name, "grad * (2 * y + 1)");
POLYNOMIAL (gradient_of_unknown_op, "grad * twice(x) + grad");
POLYNOMIAL (gradient_is_no_expression, "grad * (2 * x + 1");

/* x1 * x2 * x2 */
LOOP_FUNC (loop_product)
{
  const double *x1 = in[0], *x2 = in[1];
  double *y = out[0];

  for (gsize i = 0; i < n; i++)
    y[i] = x1[i] * x2[i] * x2[i];
}

static const CandelaKernelInfo product_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT64, CANDELA_DTYPE_FLOAT64 }, .out = { CANDELA_DTYPE_FLOAT64 }, .loop = loop_product },
  { .loop = NULL },
};

static const CandelaInputInfo two_inputs[] = {
  { .name = "x1", .kinds = CANDELA_DTYPE_KIND_FLOAT, .summary = "one operand" },
  { .name = "x2", .kinds = CANDELA_DTYPE_KIND_FLOAT, .summary = "the other" },
  { NULL },
};

static const CandelaOpInfo gradients_in_turn_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "gradients_in_turn",
  .summary = "A lie",
  .inputs = two_inputs,
  .axes = CANDELA_AXES_ELEMENTWISE,
  .kernels = product_kernels,
  .gradients = { "2 * grad * x1 * x2", "grad * x2 * x2" },
};

static const CandelaOpInfo gradient_of_one_is_wrong_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "gradient_of_one_is_wrong",
  .summary = "A lie",
  .inputs = two_inputs,
  .axes = CANDELA_AXES_ELEMENTWISE,
  .kernels = product_kernels,
  .gradients = { "grad * x2 * x2", "grad * x1 * x2" },
};

/* ---- A parameter, two outputs, an order ---- */

static const CandelaParamInfo by[] = {
  { "by", CANDELA_PARAM_FLOAT, .default_value = "1.0", .minimum = 0.5, .maximum = 4, .summary = "a factor" },
  { NULL },
};

LOOP_FUNC (loop_scaled)
{
  const double factor = candela_params_get_float (params, 0);

  for (gsize i = 0; i < n; i++)
    ((double *) out[0])[i] = factor * ((const double *) in[0])[i];
}

static const CandelaKernelInfo scaled_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT64 }, .out = { CANDELA_DTYPE_FLOAT64 }, .loop = loop_scaled },
  { .loop = NULL },
};
OP (gradient_without_parameter, scaled_kernels, .axes = CANDELA_AXES_ELEMENTWISE, .params = by,
    .gradients = { "grad" });

LOOP_FUNC (loop_both)
{
  const double *x = in[0];

  for (gsize i = 0; i < n; i++)
    {
      const double value = x[i];

      ((double *) out[0])[i] = 2 * value;
      ((double *) out[1])[i] = 3 * value;
    }
}

static const char *const both_outputs[] = { "double", "triple", NULL };
static const CandelaKernelInfo both_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT64 }, .out = { CANDELA_DTYPE_FLOAT64, CANDELA_DTYPE_FLOAT64 }, .loop = loop_both },
  { .loop = NULL },
};
OP (gradient_of_the_other_output, both_kernels, .axes = CANDELA_AXES_ELEMENTWISE, .outputs = both_outputs,
    .gradients = { "3 * grad_double + 2 * grad_triple" });

static gboolean
compute_backwards (CandelaKernel *kernel, GError **error)
{
  gint64 n = count_input (kernel);
  g_autofree double *x = pack_all (kernel);

  for (gint64 i = 0; i < n; i++)
    ((double *) candela_kernel_get_output (kernel, 0))[i] = x[n - 1 - i];
  return TRUE;
}

static const CandelaKernelInfo backwards_kernels[] = { { .compute = compute_backwards }, { .compute = NULL } };
OP (gradient_in_another_order, backwards_kernels, .infer = infer_same, .gradients = { "grad" });

/* The sum of all elements: the gradient of each is the cotangent, once for each. */
static gboolean
infer_scalar (CandelaInference *inference, GError **error)
{
  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_FLOAT64, NULL, 0, error);
}

static gboolean
compute_sum (CandelaKernel *kernel, GError **error)
{
  gint64 n = count_input (kernel);
  g_autofree double *x = pack_all (kernel);
  double sum = 0;

  for (gint64 i = 0; i < n; i++)
    sum += x[i];
  *(double *) candela_kernel_get_output (kernel, 0) = sum;
  return TRUE;
}

static const CandelaKernelInfo sum_kernels[] = { { .compute = compute_sum }, { .compute = NULL } };
OP (gradient_is_not_broadcast, sum_kernels, .infer = infer_scalar, .gradients = { "grad" });
OP (gradient_is_shared, sum_kernels, .infer = infer_scalar, .gradients = { "broadcast_to(grad / x.size, x.shape)" });

/* x in every row of a matrix of three rows: the author's own broadcasting. */
static gboolean
infer_rows (CandelaInference *inference, GError **error)
{
  const gint64 shape[] = { 3, candela_layout_get_n_elements (candela_inference_get_input_layout (inference, 0)) };

  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_FLOAT64, shape, 2, error);
}

static gboolean
compute_rows (CandelaKernel *kernel, GError **error)
{
  gint64 n = count_input (kernel);
  g_autofree double *x = pack_all (kernel);

  for (gint64 i = 0; i < 3 * n; i++)
    ((double *) candela_kernel_get_output (kernel, 0))[i] = x[i % n];
  return TRUE;
}

static const CandelaKernelInfo rows_kernels[] = { { .compute = compute_rows }, { .compute = NULL } };
OP (gradient_of_one_copy, rows_kernels, .infer = infer_rows, .gradients = { "reshape(grad[0], x.shape)" });

/* ---- Nowhere to be had ---- */

/* Not a number anywhere: nothing can be said of it. */
LOOP_FUNC (loop_nowhere)
{
  for (gsize i = 0; i < n; i++)
    ((double *) out[0])[i] = 0 * ((const double *) in[0])[i] + NAN;
}

static const CandelaKernelInfo nowhere_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT64 }, .out = { CANDELA_DTYPE_FLOAT64 }, .loop = loop_nowhere },
  { .loop = NULL },
};
OP (gradient_of_nothing, nowhere_kernels, .axes = CANDELA_AXES_ELEMENTWISE, .gradients = { "grad" });

const CandelaOpInfo *const lying_gradients[] = {
  &gradient_of_another_factor_info, &gradient_of_another_sign_info,   &gradient_without_cotangent_info,
  &gradient_right_above_zero_info,  &gradient_is_rounded_info,        &gradient_is_no_number_info,
  &gradient_of_another_dtype_info,  &gradient_of_another_shape_info,  &gradient_of_unknown_name_info,
  &gradient_of_unknown_op_info,     &gradient_is_no_expression_info,  &gradients_in_turn_info,
  &gradient_of_one_is_wrong_info,   &gradient_without_parameter_info, &gradient_of_the_other_output_info,
  &gradient_in_another_order_info,  &gradient_is_not_broadcast_info,  &gradient_is_shared_info,
  &gradient_of_one_copy_info,       &gradient_of_nothing_info,        NULL,
};
