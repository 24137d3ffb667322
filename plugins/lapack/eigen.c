/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Eigenvalues and eigenvectors of Hermitian matrices, by their lower triangles. What
 * LAPACK sees of A is its conjugate, of which the eigenvalues are the same and the
 * eigenvectors conjugate. */
#include "lapack.h"

enum {
  OUTPUT_VALUES,
  OUTPUT_VECTORS
};

static gboolean
infer_values (CandelaInference *inference, GError **error)
{
  const gint64 *shape;
  gsize rank;

  return lapack_infer_matrices (inference, TRUE, &shape, &rank, error)
         && lapack_set_output (inference, OUTPUT_VALUES,
                               lapack_real_dtype (candela_inference_get_input_dtype (inference, 0)), 1, shape[rank - 1],
                               0, error);
}

static gboolean
infer_both (CandelaInference *inference, GError **error)
{
  const gint64 *shape;
  gsize rank;

  return infer_values (inference, error) && lapack_infer_matrices (inference, TRUE, &shape, &rank, error)
         && candela_inference_set_output (inference, OUTPUT_VECTORS, candela_inference_get_input_dtype (inference, 0),
                                          shape, rank, error);
}

typedef struct
{
  gboolean vectors;
  int lwork, lrwork, liwork;
} Eigen;

static int
call (const LapackStack *stack, const Eigen *eigen, gpointer a, gpointer values, gpointer work, gpointer rwork,
      int *iwork)
{
  int n = (int) stack->rows, info;
  const char *job = eigen->vectors ? "V" : "N";

  /* The lower triangle by rows is the upper one by columns. */
  if (lapack_is_complex (stack->dtype))
    stack->lapack->heevd.complex (job, "U", &n, a, &n, values, work, &eigen->lwork, rwork, &eigen->lrwork, iwork,
                                  &eigen->liwork, &info, 1, 1);
  else
    stack->lapack->heevd.real (job, "U", &n, a, &n, values, work, &eigen->lwork, iwork, &eigen->liwork, &info, 1, 1);
  return info;
}

static LapackStatus
decompose (const LapackStack *stack, gint64 i, gpointer a, gpointer work)
{
  const Eigen *eigen = stack->data;
  CandelaDType real = lapack_real_dtype (stack->dtype);
  gint64 n = stack->rows;
  gsize real_size = candela_dtype_get_size (real);
  gpointer values_out = lapack_stack_output (stack, OUTPUT_VALUES, n, i);
  gpointer vectors_out = eigen->vectors ? lapack_stack_output (stack, OUTPUT_VECTORS, n * n, i) : NULL;
  gpointer values = lapack_take (&work, (gsize) n * real_size);
  gpointer rwork = lapack_take (&work, (gsize) eigen->lrwork * real_size);
  int *iwork = lapack_take (&work, (gsize) eigen->liwork * sizeof *iwork);

  if (n == 0)
    return LAPACK_OK;
  if (!lapack_triangle_is_finite (stack->dtype, a, n, FALSE))
    {
      lapack_fill_nan (real, values_out, n);
      if (eigen->vectors)
        lapack_fill_nan (stack->dtype, vectors_out, n * n);
      return LAPACK_OK;
    }
  if (call (stack, eigen, a, values, work, rwork, iwork) != 0)
    return LAPACK_NOT_CONVERGED;
  memcpy (values_out, values, (gsize) n * real_size);
  if (eigen->vectors)
    {
      lapack_turn (stack->dtype, a, n, vectors_out, n, n);
      lapack_conjugate (stack->dtype, vectors_out, n * n);
    }
  return LAPACK_OK;
}

/* FALSE if LAPACK cannot count what it needs. */
static gboolean
ask_sizes (const LapackStack *stack, Eigen *eigen)
{
  double a[2], values[2], work[2], rwork[2] = { 1, 1 };
  int iwork = 1;

  eigen->lwork = eigen->lrwork = eigen->liwork = -1;
  if (stack->rows > 0)
    call (stack, eigen, a, values, work, rwork, &iwork);
  else
    work[0] = work[1] = 0;
  eigen->lwork = stack->rows > 0 ? lapack_read_size (stack->dtype, work) : 1;
  eigen->lrwork = lapack_is_complex (stack->dtype) && stack->rows > 0
                    ? lapack_read_size (lapack_real_dtype (stack->dtype), rwork)
                    : 1;
  eigen->liwork = iwork;
  return eigen->lwork > 0 && eigen->lrwork > 0 && eigen->liwork > 0;
}

static gboolean
compute (CandelaKernel *kernel, const char *op, gboolean vectors, GError **error)
{
  LapackStack stack;
  Eigen eigen = { .vectors = vectors };
  CandelaDType dtype = candela_kernel_get_input_dtype (kernel, 0);
  gsize real_size = candela_dtype_get_size (lapack_real_dtype (dtype));

  if (!lapack_stack_init (&stack, op, kernel, dtype, candela_kernel_get_input_layout (kernel, 0), error))
    return FALSE;
  if (!ask_sizes (&stack, &eigen))
    return lapack_fail_size (&stack, error);
  stack.data = &eigen;
  stack.work_bytes = lapack_align ((gsize) stack.rows * real_size) + lapack_align ((gsize) eigen.lrwork * real_size)
                     + lapack_align ((gsize) eigen.liwork * sizeof (int)) + (gsize) eigen.lwork * stack.size;
  stack.cost *= vectors ? 9 : 4;
  return lapack_stack_run (&stack, decompose, error);
}

static gboolean
compute_values (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, "eigvalsh", FALSE, error);
}

static gboolean
compute_both (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, "eigh", TRUE, error);
}

static const char *const outputs[] = { "eigenvalues", "eigenvectors", NULL };

LAPACK_KERNELS (values_kernels, compute_values)
LAPACK_KERNELS (both_kernels, compute_both)

static const CandelaOpInfo eigvalsh_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "eigvalsh",
  .summary = "The eigenvalues of a Hermitian matrix, from the smallest to the largest",
  .formula = "out = the λ with x · v = λ · v, from the smallest to the largest",
  .example = "eigvalsh([[2.0, 1.0], [1.0, 2.0]])",
  .since = "1.0",
  .inputs = lapack_inputs,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_values,
  .kernels = values_kernels,
};

static const CandelaOpInfo eigh_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "eigh",
  .summary =
    "The eigenvalues of a Hermitian matrix, from the smallest to the largest, and its eigenvectors, as columns",
  .formula = "x · eigenvectors[:, k] = eigenvalues[k] · eigenvectors[:, k]\n"
             "eigenvectorsᴴ · eigenvectors = 1",
  .example = "eigh([[2.0, 1.0], [1.0, 2.0]])",
  .since = "1.0",
  .inputs = lapack_inputs,
  .outputs = outputs,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_both,
  .kernels = both_kernels,
};

const CandelaOpInfo *const lapack_eigen_ops[] = { &eigvalsh_info, &eigh_info, NULL };
