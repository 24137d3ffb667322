/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Norms of matrices: of all elements, of the sums of rows or columns, or of singular
 * values. */
#include "norm.h"

#include <math.h>

enum {
  PARAM_ORD,
  PARAM_KEEPDIMS
};

typedef enum {
  FROM_ELEMENTS,
  FROM_COLUMNS,
  FROM_ROWS,
  FROM_SINGULAR_VALUES
} Source;

/* The norm of a vector of what. */
static const struct
{
  const char *ord;
  Source source;
  double order;
} orders[] = {
  { "fro", FROM_ELEMENTS, 2 },       { "nuc", FROM_SINGULAR_VALUES, 1 },      { "1", FROM_COLUMNS, INFINITY },
  { "-1", FROM_COLUMNS, -INFINITY }, { "2", FROM_SINGULAR_VALUES, INFINITY }, { "-2", FROM_SINGULAR_VALUES, -INFINITY },
  { "inf", FROM_ROWS, INFINITY },    { "-inf", FROM_ROWS, -INFINITY },
};

static const char *const choices[] = { "fro", "nuc", "1", "-1", "2", "-2", "inf", "-inf", NULL };

static guint
find_order (const CandelaParams *params)
{
  const char *ord = candela_params_get_string (params, PARAM_ORD);
  guint i = 0;

  while (i + 1 < G_N_ELEMENTS (orders) && !g_str_equal (orders[i].ord, ord))
    i++;
  return i;
}

static gboolean
infer (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  guint order = find_order (params);
  CandelaDType real = lapack_real_dtype (candela_inference_get_input_dtype (inference, 0));
  const gint64 *shape;
  gsize rank;
  gint64 m, n, values;

  if (!lapack_infer_matrices (inference, FALSE, &shape, &rank, error))
    return FALSE;
  m = shape[rank - 2];
  n = shape[rank - 1];
  values = orders[order].source == FROM_ROWS ? m : orders[order].source == FROM_COLUMNS ? n : MIN (m, n);
  if (orders[order].order == -INFINITY && values == 0)
    {
      g_autofree char *text = candela_shape_to_string (shape, rank);

      return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                     "x has shape %s: without elements there is no smallest one", text);
    }
  if (candela_params_get_bool (params, PARAM_KEEPDIMS))
    return lapack_set_output (inference, 0, real, 2, 1, 1, error);
  return lapack_set_output (inference, 0, real, 0, 0, 0, error);
}

typedef struct
{
  guint order;
  LapackSingular singular;
} Data;

static double
fold_columns (const LapackStack *stack, const Norm *norm, gconstpointer a, double *sums)
{
  memset (sums, 0, (gsize) stack->cols * sizeof *sums);
  for (gint64 i = 0; i < stack->rows; i++)
    norm_add_row (stack->dtype, a, i * stack->cols, stack->cols, sums);
  return norm_find (norm, CANDELA_DTYPE_FLOAT64, sums, stack->cols);
}

static double
fold_rows (const LapackStack *stack, const Norm *norm, gconstpointer a)
{
  const Norm sum = norm_of_order (1);
  double total = norm_begin (norm);

  for (gint64 i = 0; i < stack->rows; i++)
    total = norm_add (
      norm, total,
      norm_find (&sum, stack->dtype, (const guint8 *) a + (gsize) (i * stack->cols) * stack->size, stack->cols));
  return total;
}

static LapackStatus
find_norm (const LapackStack *stack, gint64 i, gpointer a, gpointer work)
{
  const Data *data = stack->data;
  Norm norm = norm_of_order (orders[data->order].order);
  gpointer out = lapack_stack_output (stack, 0, 1, i), values;
  LapackStatus status = LAPACK_OK;
  double value = NAN;

  switch (orders[data->order].source)
    {
    case FROM_ELEMENTS:
      value = norm_find (&norm, stack->dtype, a, stack->rows * stack->cols);
      break;
    case FROM_COLUMNS:
      value = fold_columns (stack, &norm, a, work);
      break;
    case FROM_ROWS:
      value = fold_rows (stack, &norm, a);
      break;
    case FROM_SINGULAR_VALUES:
      status = lapack_singular_run (stack, &data->singular, a, &values, NULL, NULL, &work);
      if (status == LAPACK_OK)
        value = norm_find (&norm, lapack_real_dtype (stack->dtype), values, stack->extent);
      break;
    }
  if (lapack_is_single (stack->dtype))
    *(float *) out = (float) value;
  else
    *(double *) out = value;
  return status == LAPACK_NOT_FINITE ? LAPACK_OK : status;
}

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  LapackStack stack;
  Data data = { .order = find_order (candela_kernel_get_params (kernel)) };

  if (!lapack_stack_init (&stack, "matrix_norm", kernel, candela_kernel_get_input_dtype (kernel, 0),
                          candela_kernel_get_input_layout (kernel, 0), error))
    return FALSE;
  stack.data = &data;
  if (orders[data.order].source != FROM_SINGULAR_VALUES)
    {
      stack.anywhere = TRUE;
      stack.cost = (double) stack.rows * (double) stack.cols;
      stack.work_bytes = (gsize) stack.cols * sizeof (double);
    }
  else if (!lapack_singular_prepare (&stack, &data.singular, 'N', error))
    return FALSE;
  return lapack_stack_run (&stack, find_norm, error);
}

static const CandelaParamInfo params_table[] = {
  { "ord", CANDELA_PARAM_STRING, .default_value = "fro", .choices = choices,
    .summary = "fro: of all elements; 1, inf: the largest sum of a column, or row; 2: the largest singular value; -1, "
               "-inf, -2: the smallest; nuc: the sum of singular values" },
  { "keepdims", CANDELA_PARAM_BOOL, .default_value = "false", .summary = "both axes stay, with a length of 1" },
  { NULL },
};

LAPACK_KERNELS (kernels, compute)

static const CandelaOpInfo matrix_norm_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "matrix_norm",
  .summary = "A norm of matrices",
  .formula = "fro: out = √(Σᵢⱼ |x[i, j]|²)\n"
             "1: out = maxⱼ Σᵢ |x[i, j]|\n"
             "inf: out = maxᵢ Σⱼ |x[i, j]|\n"
             "2: out = the largest singular value",
  .example = "x = [[1.0, -2.0], [3.0, 4.0]]; matrix_norm(x), matrix_norm(x, ord=\"1\"), matrix_norm(x, ord=\"inf\")",
  .since = "1.0",
  .inputs = lapack_inputs,
  .params = params_table,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer,
  .kernels = kernels,
};

const CandelaOpInfo *const lapack_matrix_norm_ops[] = { &matrix_norm_info, NULL };
