/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A = U S V^H. Of A by rows LAPACK sees the transpose, conj (V) S U^T: its left vectors
 * are, transposed, V^H, and its right ones U. */
#include "lapack.h"

enum {
  PARAM_FULL_MATRICES
};
enum {
  OUTPUT_U,
  OUTPUT_S,
  OUTPUT_VH
};

/* ---- The decomposition ---- */

static int
call (const LapackStack *stack, const LapackSingular *singular, gpointer a, gpointer s, gpointer left, gpointer right,
      gpointer work, gpointer rwork, int *iwork)
{
  int m = (int) stack->cols, n = (int) stack->rows, k = (int) stack->extent;
  int lda = MAX (m, 1), ldv = MAX (singular->job == 'A' ? n : k, 1), info;

  if (lapack_is_complex (stack->dtype))
    stack->lapack->gesdd.complex (&singular->job, &m, &n, a, &lda, s, left, &lda, right, &ldv, work, &singular->lwork,
                                  rwork, iwork, &info, 1);
  else
    stack->lapack->gesdd.real (&singular->job, &m, &n, a, &lda, s, left, &lda, right, &ldv, work, &singular->lwork,
                               iwork, &info, 1);
  return info;
}

gboolean
lapack_singular_prepare (LapackStack *stack, LapackSingular *singular, char job, GError **error)
{
  gsize k = (gsize) stack->extent, longest = (gsize) MAX (stack->rows, stack->cols);
  gsize real_size = candela_dtype_get_size (lapack_real_dtype (stack->dtype));
  gsize rwork = job == 'N' ? 7 * k : MAX (5 * k * k + 5 * k, 2 * longest * k + 2 * k * k + k);
  double work[2], rest[2];
  int iwork;

  singular->job = job;
  singular->lwork = -1;
  if (k > 0)
    {
      call (stack, singular, work, rest, rest, rest, work, rest, &iwork);
      singular->lwork = lapack_read_size (stack->dtype, work);
      if (singular->lwork == 0)
        return lapack_fail_size (stack, error);
    }
  else
    singular->lwork = 1;
  singular->values_bytes = lapack_align (k * real_size);
  singular->rwork_bytes = lapack_is_complex (stack->dtype) ? lapack_align (rwork * real_size) : 0;
  singular->iwork_bytes = lapack_align (8 * k * sizeof (int));
  singular->bytes = singular->values_bytes + singular->rwork_bytes + singular->iwork_bytes
                    + lapack_align ((gsize) singular->lwork * stack->size);
  stack->work_bytes = singular->bytes;
  stack->cost *= job == 'N' ? 4 : 20;
  return TRUE;
}

LapackStatus
lapack_singular_run (const LapackStack *stack, const LapackSingular *singular, gpointer a, gpointer *values,
                     gpointer left, gpointer right, gpointer *work)
{
  gpointer rwork;
  int *iwork;

  *values = lapack_take (work, singular->values_bytes);
  rwork = lapack_take (work, singular->rwork_bytes);
  iwork = lapack_take (work, singular->iwork_bytes);
  if (stack->extent == 0)
    return LAPACK_OK;
  if (!lapack_is_finite (stack->dtype, a, stack->rows * stack->cols))
    return LAPACK_NOT_FINITE;
  return call (stack, singular, a, *values, left, right, lapack_take (work, (gsize) singular->lwork * stack->size),
               rwork, iwork)
             == 0
           ? LAPACK_OK
           : LAPACK_NOT_CONVERGED;
}

/* ---- svd, svdvals ---- */

static gboolean
infer_svd (CandelaInference *inference, GError **error)
{
  gboolean full = candela_params_get_bool (candela_inference_get_params (inference), PARAM_FULL_MATRICES);
  CandelaDType dtype = candela_inference_get_input_dtype (inference, 0);
  const gint64 *shape;
  gsize rank;
  gint64 m, n, k;

  if (!lapack_infer_matrices (inference, FALSE, &shape, &rank, error))
    return FALSE;
  m = shape[rank - 2];
  n = shape[rank - 1];
  k = MIN (m, n);
  return lapack_set_output (inference, OUTPUT_U, dtype, 2, m, full ? m : k, error)
         && lapack_set_output (inference, OUTPUT_S, lapack_real_dtype (dtype), 1, k, 0, error)
         && lapack_set_output (inference, OUTPUT_VH, dtype, 2, full ? n : k, n, error);
}

static gboolean
infer_svdvals (CandelaInference *inference, GError **error)
{
  CandelaDType dtype = candela_inference_get_input_dtype (inference, 0);
  const gint64 *shape;
  gsize rank;

  return lapack_infer_matrices (inference, FALSE, &shape, &rank, error)
         && lapack_set_output (inference, 0, lapack_real_dtype (dtype), 1, MIN (shape[rank - 2], shape[rank - 1]), 0,
                               error);
}

/* Row-major and column-major both: U has this many columns, and V^H this many rows. */
static gint64
count_columns (const LapackStack *stack, const LapackSingular *singular)
{
  return singular->job == 'A' ? stack->rows : stack->extent;
}

static gint64
count_rows (const LapackStack *stack, const LapackSingular *singular)
{
  return singular->job == 'A' ? stack->cols : stack->extent;
}

static LapackStatus
find_svd (const LapackStack *stack, gint64 i, gpointer a, gpointer work)
{
  const LapackSingular *singular = stack->data;
  CandelaDType real = lapack_real_dtype (stack->dtype);
  gint64 u_elements = stack->rows * count_columns (stack, singular);
  gint64 vh_elements = count_rows (stack, singular) * stack->cols;
  gpointer u_out = lapack_stack_output (stack, OUTPUT_U, u_elements, i);
  gpointer s_out = lapack_stack_output (stack, OUTPUT_S, stack->extent, i);
  gpointer vh_out = lapack_stack_output (stack, OUTPUT_VH, vh_elements, i);
  gpointer u = lapack_take (&work, (gsize) u_elements * stack->size);
  gpointer vh = lapack_take (&work, (gsize) vh_elements * stack->size);
  gpointer s;
  LapackStatus status = lapack_singular_run (stack, singular, a, &s, vh, u, &work);

  if (stack->extent == 0)
    {
      lapack_fill_identity (stack->dtype, u_out, count_columns (stack, singular) == stack->rows ? stack->rows : 0);
      lapack_fill_identity (stack->dtype, vh_out, count_rows (stack, singular) == stack->cols ? stack->cols : 0);
    }
  else if (status == LAPACK_NOT_FINITE)
    {
      lapack_fill_nan (stack->dtype, u_out, u_elements);
      lapack_fill_nan (real, s_out, stack->extent);
      lapack_fill_nan (stack->dtype, vh_out, vh_elements);
      return LAPACK_OK;
    }
  else if (status == LAPACK_OK)
    {
      memcpy (u_out, u, (gsize) u_elements * stack->size);
      memcpy (s_out, s, (gsize) stack->extent * candela_dtype_get_size (real));
      memcpy (vh_out, vh, (gsize) vh_elements * stack->size);
    }
  return status;
}

static LapackStatus
find_svdvals (const LapackStack *stack, gint64 i, gpointer a, gpointer work)
{
  CandelaDType real = lapack_real_dtype (stack->dtype);
  gpointer out = lapack_stack_output (stack, 0, stack->extent, i), s;
  LapackStatus status = lapack_singular_run (stack, stack->data, a, &s, NULL, NULL, &work);

  if (status == LAPACK_NOT_FINITE)
    {
      lapack_fill_nan (real, out, stack->extent);
      return LAPACK_OK;
    }
  memcpy (out, s, (gsize) stack->extent * candela_dtype_get_size (real));
  return status;
}

static gboolean
compute_svd (CandelaKernel *kernel, GError **error)
{
  gboolean full = candela_params_get_bool (candela_kernel_get_params (kernel), PARAM_FULL_MATRICES);
  LapackStack stack;
  LapackSingular singular;

  if (!lapack_stack_init (&stack, "svd", kernel, candela_kernel_get_input_dtype (kernel, 0),
                          candela_kernel_get_input_layout (kernel, 0), error)
      || !lapack_singular_prepare (&stack, &singular, full ? 'A' : 'S', error))
    return FALSE;
  stack.data = &singular;
  stack.work_bytes += lapack_align ((gsize) (stack.rows * count_columns (&stack, &singular)) * stack.size)
                      + lapack_align ((gsize) (stack.cols * count_rows (&stack, &singular)) * stack.size);
  return lapack_stack_run (&stack, find_svd, error);
}

static gboolean
compute_svdvals (CandelaKernel *kernel, GError **error)
{
  LapackStack stack;
  LapackSingular singular;

  if (!lapack_stack_init (&stack, "svdvals", kernel, candela_kernel_get_input_dtype (kernel, 0),
                          candela_kernel_get_input_layout (kernel, 0), error)
      || !lapack_singular_prepare (&stack, &singular, 'N', error))
    return FALSE;
  stack.data = &singular;
  return lapack_stack_run (&stack, find_svdvals, error);
}

/* ---- Declarations ---- */

static const char *const svd_outputs[] = { "u", "s", "vh", NULL };

static const CandelaParamInfo svd_params[] = {
  { "full_matrices", CANDELA_PARAM_BOOL, .default_value = "true",
    .summary = "square U and V^H, and not only as many columns, and rows, as there are singular values" },
  { NULL },
};

LAPACK_KERNELS (svd_kernels, compute_svd)
LAPACK_KERNELS (svdvals_kernels, compute_svdvals)

static const CandelaOpInfo svd_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "svd",
  .summary = "x = U diag (S) V^H, with unitary U and V, and S from the largest to the smallest",
  .formula = "x = u · diag(s) · vh, uᴴ · u = 1, vh · vhᴴ = 1, s[i] ≥ s[i + 1] ≥ 0",
  .example = "svd([[3.0, 0.0], [0.0, -4.0]])",
  .since = "1.0",
  .inputs = lapack_inputs,
  .outputs = svd_outputs,
  .params = svd_params,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_svd,
  .kernels = svd_kernels,
};

static const CandelaOpInfo svdvals_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "svdvals",
  .summary = "The singular values of a matrix, from the largest to the smallest",
  .formula = "out = s with x = u · diag(s) · vh, uᴴ · u = 1, vh · vhᴴ = 1",
  .example = "svdvals([[3.0, 0.0], [0.0, -4.0]])",
  .since = "1.0",
  .inputs = lapack_inputs,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_svdvals,
  .kernels = svdvals_kernels,
};

const CandelaOpInfo *const lapack_singular_ops[] = { &svd_info, &svdvals_info, NULL };
