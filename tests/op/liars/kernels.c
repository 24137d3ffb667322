/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels over whole values that lie. */
#include "liars.h"

#include <string.h>

#define KERNEL_FUNC(op) static gboolean op (CandelaKernel *kernel, GError **error)

/* ---- Layouts ---- */

KERNEL_FUNC (kernel_ignores_strides)
{
  const volatile double *x = candela_kernel_get_input (kernel, 0);
  double *y = candela_kernel_get_output (kernel, 0);

  for (gint64 i = 0; i < count_input (kernel); i++)
    y[i] = x[i];
  return TRUE;
}

static gboolean
infer_float64 (CandelaInference *inference, GError **error)
{
  if (candela_inference_get_input_dtype (inference, 0) != CANDELA_DTYPE_FLOAT64)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE, "only float64");
  return infer_same (inference, error);
}
KERNEL (kernel_ignores_strides, .infer = infer_float64);

/* An array of no elements is not one of one. */
KERNEL_FUNC (kernel_needs_an_element)
{
  g_autofree double *x = pack_all (kernel);
  volatile double *y = candela_kernel_get_output (kernel, 0);
  gint64 i = 0;

  do
    y[i] = x[i];
  while (++i < count_input (kernel));
  return TRUE;
}
KERNEL (kernel_needs_an_element, .infer = infer_same);

/* ---- In place ---- */

static const CandelaInPlace within_row[] = {
  { .output = 0, .input = 0, .mode = CANDELA_IN_PLACE_WITHIN_ROW },
  { .mode = CANDELA_IN_PLACE_NEVER },
};
static const CandelaInPlace read_first[] = {
  { .output = 0, .input = 0, .mode = CANDELA_IN_PLACE_READ_FIRST },
  { .mode = CANDELA_IN_PLACE_NEVER },
};

/* Each row is packed and written before the next, which reads it again. */
KERNEL_FUNC (kernel_reads_another_row)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_input_layout (kernel, 0), &rank);
  gint64 n = count_input (kernel), row = rank > 0 ? shape[rank - 1] : 1;
  double *y = candela_kernel_get_output (kernel, 0);
  g_autofree double *here = g_new (double, row + 1), *before = g_new0 (double, row + 1);

  for (gint64 start = 0; start < n; start += row)
    {
      candela_kernel_pack_input (kernel, 0, CANDELA_DTYPE_FLOAT64, start, (gsize) row, here);
      if (start > 0)
        candela_kernel_pack_input (kernel, 0, CANDELA_DTYPE_FLOAT64, start - row, (gsize) row, before);
      for (gint64 i = 0; i < row; i++)
        y[start + i] = here[i] + before[i];
    }
  return TRUE;
}
KERNEL (kernel_reads_another_row, .infer = infer_same, .in_place = within_row);

/* The first is written before the last is read. */
KERNEL_FUNC (kernel_turns_round)
{
  double *y = candela_kernel_get_output (kernel, 0);
  gint64 n = count_input (kernel);

  for (gint64 i = 0; i < n; i++)
    {
      double x;

      candela_kernel_pack_input (kernel, 0, CANDELA_DTYPE_FLOAT64, n - 1 - i, 1, &x);
      y[i] = x;
    }
  return TRUE;
}
KERNEL (kernel_turns_round, .infer = infer_same, .in_place = read_first);

/* ---- Rows ---- */

KERNEL_FUNC (rows_are_mixed)
{
  g_autofree double *x = pack_all (kernel);
  double *y = candela_kernel_get_output (kernel, 0), sum = 0;

  for (gint64 i = 0; i < count_input (kernel); i++)
    sum += x[i];
  for (gint64 i = 0; i < count_input (kernel); i++)
    y[i] = x[i] - sum;
  return TRUE;
}
KERNEL (rows_are_mixed, .infer = infer_same, .axes = CANDELA_AXES_ROWWISE);

static gboolean
infer_columns (CandelaInference *inference, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);

  if (rank != 2)
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE, "two axes");
  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_FLOAT64, shape + 1, 1, error);
}

static guint32
reduce_last (const CandelaParams *params, guint rank)
{
  return 1u << (rank - 1);
}

/* It sums over the first axis, and says the last one. */
KERNEL_FUNC (reduces_another_axis)
{
  g_autofree double *x = pack_all (kernel);
  gint64 n = count_input (kernel),
         columns = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0));
  double *y = candela_kernel_get_output (kernel, 0);

  for (gint64 k = 0; k < columns; k++)
    y[k] = 0;
  for (gint64 i = 0; i < n; i++)
    y[i % columns] += x[i];
  return TRUE;
}
KERNEL (reduces_another_axis, .infer = infer_columns, .axes = CANDELA_AXES_REDUCTION, .reduced_axes = reduce_last);

static gboolean
infer_scalar (CandelaInference *inference, GError **error)
{
  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_FLOAT64, NULL, 0, error);
}

static guint32
reduce_all (const CandelaParams *params, guint rank)
{
  return (1u << rank) - 1;
}

static gboolean
infer_scalar_of_float64 (CandelaInference *inference, GError **error)
{
  if (candela_inference_get_input_dtype (inference, 0) != CANDELA_DTYPE_FLOAT64)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE, "only float64");
  return infer_scalar (inference, error);
}

/* What it is fed it reads from memory, in which it is not. */
KERNEL_FUNC (reduction_is_not_fed)
{
  const CandelaLayout *layout = candela_kernel_get_input_layout (kernel, 0);
  const double *x = candela_kernel_get_input (kernel, 0);
  g_autofree double *packed = NULL;
  double sum = 0;

  if (!candela_layout_is_contiguous (layout))
    x = packed = pack_all (kernel);
  for (gint64 i = 0; i < count_input (kernel); i++)
    sum += x[i];
  *(double *) candela_kernel_get_output (kernel, 0) = sum;
  return TRUE;
}
KERNEL (reduction_is_not_fed, .infer = infer_scalar_of_float64, .axes = CANDELA_AXES_REDUCTION,
        .reduced_axes = reduce_all, .takes_fed = TRUE);

/* Sums with other weights than those of the function that takes rows. */
KERNEL_FUNC (reduction_or_rows)
{
  g_autofree double *x = pack_all (kernel);
  gint64 n_rows = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0));
  gint64 n = count_input (kernel) / MAX (n_rows, 1);
  double *y = candela_kernel_get_output (kernel, 0);

  for (gint64 k = 0; k < n_rows; k++)
    {
      y[k] = 0;
      for (gint64 i = 0; i < n; i++)
        y[k] += x[k * n + i] * (double) (i + 1);
    }
  return TRUE;
}

static void
rows_of_it (gpointer const *out, gconstpointer in, gint64 stride, gsize n_rows, gsize n, const CandelaParams *params)
{
  for (gsize k = 0; k < n_rows; k++)
    {
      const double *x = (const double *) in + (gint64) k * stride;
      double sum = 0;

      for (gsize i = 0; i < n; i++)
        sum += x[i] * (double) (i + 2);
      ((double *) out[0])[k] = sum;
    }
}

static gboolean
infer_rows (CandelaInference *inference, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);

  if (rank == 0 || candela_inference_get_input_dtype (inference, 0) != CANDELA_DTYPE_FLOAT64)
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE, "float64 of one axis at least");
  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_FLOAT64, shape, rank - 1, error);
}
static const CandelaKernelInfo rows_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT64 },
    .out = { CANDELA_DTYPE_FLOAT64 },
    .compute = reduction_or_rows,
    .rows = rows_of_it },
  { .compute = NULL },
};
OP (reduction_or_rows, rows_kernels, .infer = infer_rows, .axes = CANDELA_AXES_REDUCTION, .reduced_axes = reduce_last);

#ifdef __x86_64__
/* What takes rows, and what takes those that stages make and forgets all blocks but the last. */
KERNEL_FUNC (reduction_or_end)
{
  g_autofree double *x = pack_all (kernel);
  gint64 n_rows = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0));
  gint64 n = count_input (kernel) / MAX (n_rows, 1);

  for (gint64 k = 0; k < n_rows; k++)
    ((double *) candela_kernel_get_output (kernel, 0))[k] = n > 0 ? x[k * n] : 0;
  return TRUE;
}

static void
firsts (gpointer const *out, gconstpointer in, gint64 stride, gsize n_rows, gsize n, const CandelaParams *params)
{
  for (gsize k = 0; k < n_rows; k++)
    ((double *) out[0])[k] = ((const double *) in)[(gint64) k * stride];
}

static void
begin_rows (CandelaMadeRows *rows)
{
}

static void
end_of_block (CANDELA_STAGE_ARGUMENTS (baseline))
{
  CandelaMadeRows *rows = (CandelaMadeRows *) candela_stage->data;

  if ((candela_offset + 8 * sizeof candela_a0) % rows->size != 0)
    return;
  *(double *) rows->out = ((CandelaVector_baseline_double) candela_a0)[0];
  rows->out = (double *) rows->out + 1;
}

static const CandelaRowsEnd ends[] = {
  { .family = &candela_stage_family_baseline,
    .in = CANDELA_DTYPE_FLOAT64,
    .out = CANDELA_DTYPE_FLOAT64,
    .begin = begin_rows,
    .end = (CandelaStageFunc) end_of_block },
  { .family = NULL },
};
static const CandelaKernelInfo end_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT64 }, .out = { CANDELA_DTYPE_FLOAT64 }, .compute = reduction_or_end, .rows = firsts },
  { .compute = NULL },
};
OP (reduction_or_end, end_kernels, .infer = infer_rows, .axes = CANDELA_AXES_REDUCTION, .reduced_axes = reduce_last,
    .rows_ends = ends);
#endif

/* ---- Threads ---- */

typedef struct
{
  const double *x;
  double sum;
} Sum;

static void
add_up (guint64 chunk, gpointer data)
{
  Sum *sum = data;

  sum->sum = sum->sum * 0.5 + sum->x[chunk];
}

/* What comes of it is another number for each order. */
KERNEL_FUNC (kernel_by_order)
{
  g_autofree double *x = pack_all (kernel);
  Sum sum = { x, 0 };

  candela_kernel_parallel_for (kernel, (guint64) count_input (kernel), add_up, &sum);
  *(double *) candela_kernel_get_output (kernel, 0) = sum.sum;
  return TRUE;
}
KERNEL (kernel_by_order, .infer = infer_scalar);

KERNEL_FUNC (kernel_by_threads)
{
  *(double *) candela_kernel_get_output (kernel, 0) = candela_get_num_threads ();
  return TRUE;
}
KERNEL (kernel_by_threads, .infer = infer_scalar);

/* ---- What it says while it runs ---- */

KERNEL_FUNC (kernel_is_done_early)
{
  gint64 n = count_input (kernel);
  double *y = candela_kernel_get_output (kernel, 0);

  memset (y, 0, (gsize) n * sizeof *y);
  candela_kernel_output_done (kernel, 0, (guint64) n);
  candela_kernel_pack_input (kernel, 0, CANDELA_DTYPE_FLOAT64, 0, (gsize) n, y);
  return TRUE;
}
KERNEL (kernel_is_done_early, .infer = infer_same);

KERNEL_FUNC (kernel_gives_no_reason)
{
  return FALSE;
}
KERNEL (kernel_gives_no_reason, .infer = infer_same);

KERNEL_FUNC (kernel_is_nameless)
{
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER, "something went wrong");
  return FALSE;
}
KERNEL (kernel_is_nameless, .infer = infer_same);

/* ---- Inputs ---- */

static gboolean
infer_same_dtype (CandelaInference *inference, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);

  return candela_inference_set_output (inference, 0, candela_inference_get_input_dtype (inference, 0), shape, rank,
                                       error);
}

/* It says that it takes float16, and takes it for float32. */
KERNEL_FUNC (kernel_mistakes_halves)
{
  CandelaDType dtype = candela_kernel_get_output_dtype (kernel, 0);
  gsize size = dtype == CANDELA_DTYPE_FLOAT64 ? 8 : 4;

  memset (candela_kernel_get_output (kernel, 0), 0, (gsize) count_input (kernel) * size);
  return TRUE;
}
KERNEL (kernel_mistakes_halves, .infer = infer_same_dtype, .takes_halves = TRUE);

static const CandelaInputInfo two_inputs[] = {
  { .name = "x", .kinds = CANDELA_DTYPE_KIND_FLOAT, .summary = "the operand" },
  { .name = "y", .kinds = CANDELA_DTYPE_KIND_FLOAT, .flags = CANDELA_INPUT_OPTIONAL, .summary = "may be missing" },
  { NULL },
};

KERNEL_FUNC (kernel_needs_what_is_optional)
{
  gint64 n = candela_layout_get_n_elements (candela_kernel_get_input_layout (kernel, 1));

  *(double *) candela_kernel_get_output (kernel, 0) = (double) n;
  return TRUE;
}

static const CandelaKernelInfo optional_kernels[] = { { .compute = kernel_needs_what_is_optional },
                                                      { .compute = NULL } };
static const CandelaOpInfo kernel_needs_what_is_optional_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "kernel_needs_what_is_optional",
  .summary = "A lie",
  .since = "1.0",
  .inputs = two_inputs,
  .infer = infer_scalar,
  .kernels = optional_kernels,
};

static guint64
count_by_turns (const CandelaInference *inference)
{
  static guint64 calls;

  return calls++;
}

KERNEL_FUNC (flops_change)
{
  *(double *) candela_kernel_get_output (kernel, 0) = 1;
  return TRUE;
}
KERNEL (flops_change, .infer = infer_scalar, .flops = count_by_turns);

const CandelaOpInfo *const lying_kernels[] = {
  &kernel_ignores_strides_info,
  &kernel_needs_an_element_info,
  &kernel_reads_another_row_info,
  &kernel_turns_round_info,
  &rows_are_mixed_info,
  &reduces_another_axis_info,
  &reduction_is_not_fed_info,
  &reduction_or_rows_info,
#ifdef __x86_64__
  &reduction_or_end_info,
#endif
  &kernel_by_order_info,
  &kernel_by_threads_info,
  &kernel_is_done_early_info,
  &kernel_gives_no_reason_info,
  &kernel_is_nameless_info,
  &kernel_mistakes_halves_info,
  &kernel_needs_what_is_optional_info,
  &flops_change_info,
  NULL,
};
