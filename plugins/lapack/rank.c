/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ranks and pseudo-inverses: which singular values are more than nothing is a question of
 * how they stand to the largest. */
#include "lapack.h"

#include <float.h>

static gboolean
check_rtol (CandelaInference *inference, const gint64 *shape, gsize n_axes, GError **error)
{
  g_autofree char *wanted = NULL, *given = NULL;
  const gint64 *rtol;
  gsize rank;
  gboolean fits;

  if (candela_inference_get_n_inputs (inference) < 2)
    return TRUE;
  rtol = candela_layout_get_shape (candela_inference_get_input_layout (inference, 1), &rank);
  fits = rank <= n_axes;
  for (gsize k = 1; fits && k <= rank; k++)
    fits = rtol[rank - k] == 1 || rtol[rank - k] == shape[n_axes - k];
  if (fits)
    return TRUE;
  wanted = candela_shape_to_string (shape, n_axes);
  given = candela_shape_to_string (rtol, rank);
  return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                 "rtol has shape %s, which cannot be broadcast to that of the stack, %s", given,
                                 wanted);
}

static gboolean
infer_rank (CandelaInference *inference, GError **error)
{
  const gint64 *shape;
  gsize rank;

  return lapack_infer_matrices (inference, FALSE, &shape, &rank, error)
         && check_rtol (inference, shape, rank - 2, error)
         && candela_inference_set_output (inference, 0, CANDELA_DTYPE_INT64, shape, rank - 2, error);
}

static gboolean
infer_pinv (CandelaInference *inference, GError **error)
{
  const gint64 *shape;
  gsize rank;

  return lapack_infer_matrices (inference, FALSE, &shape, &rank, error)
         && check_rtol (inference, shape, rank - 2, error)
         && lapack_set_output (inference, 0, candela_inference_get_input_dtype (inference, 0), 2, shape[rank - 1],
                               shape[rank - 2], error);
}

typedef struct
{
  LapackSingular singular;
  double *rtol; /* one for each matrix, or for all of them */
  gboolean same;
} Data;

static double
get_value (CandelaDType dtype, gconstpointer values, gint64 k)
{
  return lapack_is_single (dtype) ? ((const float *) values)[k] : ((const double *) values)[k];
}

/* How many, the largest first, are more than rtol times the largest. */
static gint64
count_values (const LapackStack *stack, const Data *data, gint64 i, gconstpointer values)
{
  double rtol = data->rtol[data->same ? 0 : i];
  gint64 n = 0;

  while (n < stack->extent && get_value (stack->dtype, values, n) > rtol * get_value (stack->dtype, values, 0))
    n++;
  return n;
}

static LapackStatus
find_rank (const LapackStack *stack, gint64 i, gpointer a, gpointer work)
{
  const Data *data = stack->data;
  gint64 *out = lapack_stack_output (stack, 0, 1, i);
  gpointer values;
  LapackStatus status = lapack_singular_run (stack, &data->singular, a, &values, NULL, NULL, &work);

  *out = status == LAPACK_OK ? count_values (stack, data, i, values) : 0;
  return status;
}

/* n rows of so many elements, each divided by a number. */
static void
divide_columns (const LapackStack *stack, gpointer a, gconstpointer values, gint64 n, gint64 length)
{
  gint64 parts = lapack_is_complex (stack->dtype) ? 2 : 1;

  for (gint64 k = 0; k < n; k++)
    for (gint64 j = 0; j < length * parts; j++)
      if (lapack_is_single (stack->dtype))
        ((float *) a)[k * length * parts + j] /= ((const float *) values)[k];
      else
        ((double *) a)[k * length * parts + j] /= ((const double *) values)[k];
}

/* V diag (1 / S) U^H, which LAPACK sees transposed, conj (U) diag (1 / S) V^T: of what it
 * gave, right^H diag (1 / S) left^H. */
static LapackStatus
find_pinv (const LapackStack *stack, gint64 i, gpointer a, gpointer work)
{
  const Data *data = stack->data;
  int m = (int) stack->rows, n = (int) stack->cols, k = (int) stack->extent, kept;
  gint64 elements = stack->rows * stack->cols;
  gpointer out = lapack_stack_output (stack, 0, elements, i), values;
  gpointer left = lapack_take (&work, (gsize) (stack->cols * stack->extent) * stack->size);
  gpointer right = lapack_take (&work, (gsize) (stack->rows * stack->extent) * stack->size);
  LapackStatus status;

  if (elements == 0)
    return LAPACK_OK;
  status = lapack_singular_run (stack, &data->singular, a, &values, left, right, &work);
  if (status == LAPACK_NOT_FINITE)
    lapack_fill_nan (stack->dtype, out, elements);
  if (status != LAPACK_OK)
    return status == LAPACK_NOT_FINITE ? LAPACK_OK : status;
  kept = (int) count_values (stack, data, i, values);
  divide_columns (stack, left, values, kept, stack->cols);
  if (kept == 0)
    memset (a, 0, (gsize) elements * stack->size);
  else
    stack->lapack->gemm ("C", "C", &m, &n, &kept, lapack_one (stack->dtype), right, &k, left, &n,
                         lapack_zero (stack->dtype), a, &m, 1, 1);
  memcpy (out, a, (gsize) elements * stack->size);
  return LAPACK_OK;
}

/* Of input 1, or what rounding may make of a zero. */
static gboolean
read_rtol (LapackStack *stack, Data *data, GError **error)
{
  g_autoptr (CandelaLayout) layout = NULL;
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (stack->layout, &rank);

  data->same = candela_kernel_get_n_inputs (stack->kernel) < 2;
  data->rtol = g_try_new (double, data->same ? 1 : MAX (stack->n, 1));
  if (data->rtol == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "%s: there is no memory for rtol", stack->op);
      return FALSE;
    }
  if (data->same)
    {
      *data->rtol = (double) MAX (stack->rows, stack->cols)
                    * (lapack_is_single (stack->dtype) ? (double) FLT_EPSILON : DBL_EPSILON);
      return TRUE;
    }
  layout = candela_layout_broadcast (candela_kernel_get_input_layout (stack->kernel, 1), shape, rank - 2, error);
  if (layout == NULL)
    return FALSE;
  candela_kernel_pack_layout (stack->kernel, 1, layout, CANDELA_DTYPE_FLOAT64, 0, (gsize) stack->n, data->rtol);
  return TRUE;
}

static gboolean
compute (CandelaKernel *kernel, const char *op, char job, LapackFunc func, GError **error)
{
  LapackStack stack;
  Data data = { .rtol = NULL };
  gboolean done;

  if (!lapack_stack_init (&stack, op, kernel, candela_kernel_get_input_dtype (kernel, 0),
                          candela_kernel_get_input_layout (kernel, 0), error)
      || !lapack_singular_prepare (&stack, &data.singular, job, error))
    return FALSE;
  stack.data = &data;
  if (job != 'N')
    stack.work_bytes += lapack_align ((gsize) (stack.cols * stack.extent) * stack.size)
                        + lapack_align ((gsize) (stack.rows * stack.extent) * stack.size);
  done = read_rtol (&stack, &data, error) && lapack_stack_run (&stack, func, error);
  g_free (data.rtol);
  return done;
}

static gboolean
compute_rank (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, "matrix_rank", 'N', find_rank, error);
}

static gboolean
compute_pinv (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, "pinv", 'S', find_pinv, error);
}

static const CandelaInputInfo inputs[] = {
  { .name = "x",
    .kinds = CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX,
    .summary = "a matrix, or a stack of them: its last two axes" },
  { .name = "rtol",
    .kinds = CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED,
    .flags = CANDELA_INPUT_OPTIONAL,
    .fixed = CANDELA_DTYPE_FLOAT64,
    .summary = "a singular value counts if it is more than this times the largest, one for each matrix or for all; "
               "none: the longer side times the dtype's epsilon" },
  { NULL },
};

LAPACK_KERNELS (rank_kernels, compute_rank)
LAPACK_KERNELS (pinv_kernels, compute_pinv)

static const CandelaOpInfo matrix_rank_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "matrix_rank",
  .summary = "How many singular values of a matrix are not zero",
  .formula = "out = the number of singular values that are above rtol times the largest",
  .example = "matrix_rank([[1.0, 2.0], [2.0, 4.0]])",
  .since = "1.0",
  .inputs = inputs,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_rank,
  .kernels = rank_kernels,
};

static const CandelaOpInfo pinv_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "pinv",
  .summary = "The pseudo-inverse of a matrix, after Moore and Penrose",
  .formula = "x · out · x = x, out · x · out = out\n"
             "(x · out)ᴴ = x · out, (out · x)ᴴ = out · x",
  .example = "pinv([[1.0], [1.0]])",
  .since = "1.0",
  .inputs = inputs,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_pinv,
  .kernels = pinv_kernels,
};

const CandelaOpInfo *const lapack_rank_ops[] = { &matrix_rank_info, &pinv_info, NULL };
