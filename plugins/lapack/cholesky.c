/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The Cholesky decomposition. Of A by rows LAPACK sees the transpose, conj (A) = U^H U;
 * transposed, U is the L of A = L L^H. */
#include "lapack.h"

enum {
  PARAM_UPPER
};

static LapackStatus
decompose (const LapackStack *stack, gint64 i, gpointer a, gpointer work)
{
  gboolean upper = *(const gboolean *) stack->data;
  int n = (int) stack->rows, lda = MAX (n, 1), info;

  if (n == 0)
    return LAPACK_OK;
  if (!lapack_triangle_is_finite (stack->dtype, a, n, upper))
    lapack_fill_nan (stack->dtype, a, stack->rows * stack->rows);
  else
    {
      stack->lapack->potrf (upper ? "L" : "U", &n, a, &lda, &info, 1);
      if (info != 0)
        return LAPACK_NOT_POSITIVE_DEFINITE;
    }
  for (gint64 row = 0; row < n; row++)
    {
      guint8 *start = (guint8 *) a + (gsize) (row * n + (upper ? 0 : row + 1)) * stack->size;

      memset (start, 0, (gsize) (upper ? row : n - row - 1) * stack->size);
    }
  return LAPACK_OK;
}

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  gboolean upper = candela_params_get_bool (candela_kernel_get_params (kernel), PARAM_UPPER);
  LapackStack stack;

  if (!lapack_stack_init (&stack, "cholesky", kernel, candela_kernel_get_output_dtype (kernel, 0),
                          candela_kernel_get_input_layout (kernel, 0), error))
    return FALSE;
  stack.data = &upper;
  stack.replaces = TRUE;
  stack.cost /= 6;
  return lapack_stack_run (&stack, decompose, error);
}

static guint64
count_flops (const CandelaInference *inference)
{
  gsize rank;
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  const gint64 *shape = candela_layout_get_shape (layout, &rank);

  return (guint64) (candela_layout_get_n_elements (layout) * shape[rank - 1] / 3);
}

static const CandelaParamInfo params[] = {
  { "upper", CANDELA_PARAM_BOOL, .default_value = "false",
    .summary = "x = U^H U, by the upper triangle of x, and not x = L L^H by its lower one" },
  { NULL },
};

LAPACK_KERNELS (kernels, compute)

static const CandelaOpInfo cholesky_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "cholesky",
  .summary = "The triangular matrix L with x = L L^H, of a Hermitian positive-definite x",
  .formula = "x = out · outᴴ, out[i, j] = 0 where j > i\n"
             "upper: x = outᴴ · out, out[i, j] = 0 where i > j",
  .example = "x = [[4.0, 2.0], [2.0, 5.0]]; cholesky(x), cholesky(x, upper=true)",
  .since = "1.0",
  .inputs = lapack_inputs,
  .params = params,
  .axes = CANDELA_AXES_OPAQUE,
  .in_place = lapack_in_place,
  .infer = lapack_infer_same,
  .kernels = kernels,
  .flops = count_flops,
};

const CandelaOpInfo *const lapack_cholesky_ops[] = { &cholesky_info, NULL };
