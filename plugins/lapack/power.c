/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Powers of matrices, by squaring. Powers of the transpose that LAPACK sees are the powers
 * transposed. */
#include "lapack.h"

enum {
  PARAM_N
};

typedef struct
{
  guint64 n;
  gboolean inverse;
  LapackInverse how;
} Power;

/* *a becomes *a times b, which may be *a; its memory and *room change places. */
static void
multiply (const LapackStack *stack, gpointer *a, gconstpointer b, gpointer *room)
{
  int n = (int) stack->rows;
  gpointer product = *room;

  stack->lapack->gemm ("N", "N", &n, &n, &n, lapack_one (stack->dtype), *a, &n, b, &n, lapack_zero (stack->dtype),
                       product, &n, 1, 1);
  *room = *a;
  *a = product;
}

static LapackStatus
raise_matrix (const LapackStack *stack, gint64 i, gpointer a, gpointer work)
{
  const Power *power = stack->data;
  gint64 n = stack->rows;
  gsize bytes = (gsize) (n * n) * stack->size;
  gpointer square = a, result = lapack_take (&work, bytes), room = lapack_take (&work, bytes);
  gboolean started = FALSE;

  if (n == 0)
    return LAPACK_OK;
  if (power->n == 0)
    {
      lapack_fill_identity (stack->dtype, a, n);
      return LAPACK_OK;
    }
  if (power->inverse)
    {
      LapackStatus status = lapack_invert (stack, &power->how, a, work);

      if (status != LAPACK_OK)
        return status;
    }
  for (guint64 rest = power->n; rest > 0; rest >>= 1)
    {
      if ((rest & 1) != 0 && started)
        multiply (stack, &result, square, &room);
      else if ((rest & 1) != 0)
        memcpy (result, square, bytes);
      started = started || (rest & 1) != 0;
      if (rest > 1)
        multiply (stack, &square, square, &room);
    }
  if (result != a)
    memcpy (a, result, bytes);
  return LAPACK_OK;
}

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  gint64 n = candela_params_get_int (candela_kernel_get_params (kernel), PARAM_N);
  LapackStack stack;
  Power power = { n < 0 ? -(guint64) n : (guint64) n, n < 0, { 1 } };

  if (!lapack_stack_init (&stack, "matrix_power", kernel, candela_kernel_get_output_dtype (kernel, 0),
                          candela_kernel_get_input_layout (kernel, 0), error))
    return FALSE;
  if (power.inverse && !lapack_invert_prepare (&stack, &power.how, error))
    return FALSE;
  stack.data = &power;
  stack.replaces = TRUE;
  stack.work_bytes += 2 * lapack_align ((gsize) (stack.rows * stack.rows) * stack.size);
  stack.cost *= 2 * g_bit_storage ((gulong) power.n);
  return lapack_stack_run (&stack, raise_matrix, error);
}

static const CandelaParamInfo params[] = {
  { "n", CANDELA_PARAM_INT, CANDELA_PARAM_REQUIRED, .summary = "the power; of the inverse if it is negative" },
  { NULL },
};

LAPACK_KERNELS (kernels, compute)

static const CandelaOpInfo matrix_power_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "matrix_power",
  .summary = "A square matrix to an integer power",
  .formula = "out = x · x · … · x, n of them; of n < 0: of the inverse of x",
  .example = "x = [[1.0, 1.0], [1.0, 0.0]]; matrix_power(x, 5), matrix_power(x, -1)",
  .since = "1.0",
  .inputs = lapack_inputs,
  .params = params,
  .axes = CANDELA_AXES_OPAQUE,
  .in_place = lapack_in_place,
  .infer = lapack_infer_same,
  .kernels = kernels,
};

const CandelaOpInfo *const lapack_power_ops[] = { &matrix_power_info, NULL };
