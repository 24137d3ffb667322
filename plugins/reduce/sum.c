/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sum and prod. Floats of either size are accumulated in binary64, float32 that is
 * added in groups, and rounded once, at the end; integers modulo 2^64, of which a
 * narrower result is the low bits. */
#include "columns.h"
#include "made.h"

#define AS_INTEGER(x) ((guint64) (x))
#define MULTIPLY(a, b) ((a) * (b))

/* The sum that leaves every other one as it is, signed zeros too, is -0; that of
 * no elements is 0. */
static const double one = 1.0;
static const guint64 integer_one = 1;

REDUCE_JOIN (prod_join, MULTIPLY)

#define INTEGER_BLOCKS(DTYPE, name, type)                                                                              \
  REDUCE_BLOCK_OF_INTEGERS (sum_##name, sum_float64, type)                                                             \
  REDUCE_BLOCK_OF_INTEGERS (prod_##name, prod_float64, type)
#define FLOAT_FOLDS(DTYPE, name, type)                                                                                 \
  REDUCE_ORDERED (sum_##name, type, -0.0, NULL, ADD, NULL)                                                             \
  REDUCE_ORDERED (prod_##name, type, 1.0, &one, MULTIPLY, NULL)

REDUCE_BLOCK_FUNCTION (sum_float64, float64, double, sum_join, -0.0, ADD)
REDUCE_BLOCK_FUNCTION (prod_float32, float32, float, prod_join, 1.0, MULTIPLY)
REDUCE_BLOCK_FUNCTION (prod_float64, float64, double, prod_join, 1.0, MULTIPLY)
REDUCE_INTEGERS (INTEGER_BLOCKS)
REDUCE_INTEGERS (FLOAT_FOLDS)
REDUCE_COLUMNS_BLOCK (sum_float32, float32, float, -0.0, ADD)
REDUCE_COLUMNS_BLOCK (sum_float64, float64, double, -0.0, ADD)
REDUCE_COLUMNS_BLOCK (prod_float32, float32, float, 1.0, MULTIPLY)
REDUCE_COLUMNS_BLOCK (prod_float64, float64, double, 1.0, MULTIPLY)
REDUCE_ORDERED_FOLD (sum_float32, float, NULL, ADD, sum_float32_block)
REDUCE_ORDERED (sum_float64, double, -0.0, NULL, ADD, sum_float64_block)
REDUCE_ORDERED (prod_float32, float, 1.0, &one, MULTIPLY, prod_float32_block)
REDUCE_ORDERED (prod_float64, double, 1.0, &one, MULTIPLY, prod_float64_block)

/* ---- float32 in groups ---- */

REDUCE_EACH_OF_BLOCKS (grouped, float)

static inline void
packed_each (double *out, const float *x, gint64 step, gsize n_blocks, gsize n)
{
  if (n < REDUCE_GROUP)
    short_each (out, x, step, n_blocks, n);
  else
    grouped_each (out, x, step, n_blocks, n);
}

REDUCE_OF_PACKED (packed, float, ADD)

/* Behind the lanes: whether the block is summed again, in the second pass. */
static gboolean *
again_of (gpointer lanes, gsize width)
{
  return (gboolean *) ((double *) lanes + REDUCE_LANES * width);
}

static void
grouped_sum_rows (const ReduceRows *rows)
{
  if (rows->pass == 0)
    grouped_rows (rows);
  else if (*again_of (rows->lanes, rows->width))
    all_rows_again (rows);
}

static void
grouped_sum_join (gpointer partials, gpointer lanes, gsize width, gsize n_rows, guint pass)
{
  gboolean *again = again_of (lanes, width);

  if (pass == 1 && !*again)
    return;
  reduce_join_lanes (lanes, pass == 0 ? lanes_of (n_rows) : REDUCE_LANES, width, n_rows, sum_merge);
  if (pass == 1)
    {
      take_sums_again (partials, lanes, width);
      return;
    }
  memcpy (partials, lanes, width * sizeof (double));
  *again = is_to_be_summed_again (partials, width);
}

static const ReduceFold grouped_sum = {
  .partial_size = sizeof (double),
  .scratch_size = (REDUCE_LANES + 1) * sizeof (double),
  .tile = REDUCE_TILE,
  .passes = 2,
  .group = REDUCE_GROUP,
  .results = packed_results,
  .piece = packed_piece,
  .rows = grouped_sum_rows,
  .join = grouped_sum_join,
  .block = sum_columns,
  .merge = sum_merge,
};

/* ---- Integers ---- */

#define INTEGERS_OF(NAME, type, IDENTITY, OP)                                                                          \
  static guint64 NAME##_of (const type *x, gsize n)                                                                    \
  {                                                                                                                    \
    guint64 result = IDENTITY;                                                                                         \
                                                                                                                       \
    for (gsize i = 0; i < n; i++)                                                                                      \
      result = OP (result, AS_INTEGER (x[i]));                                                                         \
    return result;                                                                                                     \
  }

#define INTEGER_FOLDS(DTYPE, name, type)                                                                               \
  INTEGERS_OF (integer_sum_##name, type, 0, ADD)                                                                       \
  INTEGERS_OF (integer_prod_##name, type, 1, MULTIPLY)                                                                 \
  REDUCE_FOLD (integer_sum_##name, type, guint64, 0, NULL, AS_INTEGER, ADD)                                            \
  REDUCE_FOLD (integer_prod_##name, type, guint64, 1, &integer_one, AS_INTEGER, MULTIPLY)

REDUCE_INTEGERS (INTEGER_FOLDS)

#define COMPLEX_ROWS(op)                                                                                               \
  [CANDELA_DTYPE_COMPLEX64] = &REDUCE_NAME (op##_complex64), [CANDELA_DTYPE_COMPLEX128] = &REDUCE_NAME (op##_complex128)
#define SUM_ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = &sum_##name,
#define PROD_ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = &prod_##name,
#define INTEGER_SUM_ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = &integer_sum_##name,
#define INTEGER_PROD_ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = &integer_prod_##name,

const ReduceFold *const REDUCE_NAME (sum_folds)[CANDELA_N_DTYPES] = {
  REDUCE_INTEGERS (SUM_ROW)[CANDELA_DTYPE_FLOAT32] = &grouped_sum, [CANDELA_DTYPE_FLOAT64] = &sum_float64,
  COMPLEX_ROWS (sum)
};
/* … of which all is binary64. */
static const ReduceFold *const wide_sum_folds[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (SUM_ROW) REDUCE_FLOATS (SUM_ROW) };
static const ReduceFold *const prod_folds[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (PROD_ROW) REDUCE_FLOATS (PROD_ROW)
                                                                  COMPLEX_ROWS (prod) };
static const ReduceFold *const integer_sum_folds[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (INTEGER_SUM_ROW) };
static const ReduceFold *const integer_prod_folds[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (INTEGER_PROD_ROW) };

enum {
  PARAM_AXIS,
  PARAM_DTYPE,
  PARAM_KEEPDIMS
};

#define NUMBERS                                                                                                        \
  (CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED | CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX)

/* Of elements of that one, as the parameter has it. */
static gboolean
infer_dtype (const CandelaInference *inference, CandelaDType in, CandelaDType *out, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  gboolean complex_in = candela_dtype_get_kind (in) == CANDELA_DTYPE_KIND_COMPLEX;

  *out = candela_params_get_dtype (params, PARAM_DTYPE);
  if ((candela_dtype_get_kind (*out) & NUMBERS) == 0)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE,
                                   "the result cannot have dtype %s: one of numbers is needed",
                                   candela_dtype_get_name (*out));
  if (complex_in && candela_dtype_get_kind (*out) != CANDELA_DTYPE_KIND_COMPLEX)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE,
                                   "x has dtype %s: the result cannot have dtype %s, a complex one is needed",
                                   candela_dtype_get_name (in), candela_dtype_get_name (*out));
  return TRUE;
}

static gboolean
infer (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  CandelaDType in = candela_inference_get_input_dtype (inference, 0), dtype = in;
  CandelaDTypeKind kind = candela_dtype_get_kind (in);

  if (candela_params_is_set (params, PARAM_DTYPE))
    {
      if (!infer_dtype (inference, in, &dtype, error))
        return FALSE;
    }
  else if (kind == CANDELA_DTYPE_KIND_UNSIGNED)
    dtype = CANDELA_DTYPE_UINT64;
  else if ((kind & (CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX)) == 0)
    dtype = CANDELA_DTYPE_INT64;
  return reduce_infer (inference, candela_params_get_bool (params, PARAM_KEEPDIMS), FALSE, 1, dtype, error);
}

#define STORE_ROW(DTYPE, name, type)                                                                                   \
  case CANDELA_DTYPE_##DTYPE:                                                                                          \
    for (gsize t = 0; t < width; t++)                                                                                  \
      ((type *) out)[output + (gint64) t] = (type) values[t];                                                          \
    break;

static void
store_integers (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  gpointer out = candela_kernel_get_output (call->kernel, 0);
  const guint64 *values = partials;

  switch ((int) candela_kernel_get_output_dtype (call->kernel, 0))
    {
      REDUCE_INTEGERS (STORE_ROW)
    default:
      break;
    }
}

static void
store_doubles (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  reduce_store_double (call, 0, output, partials, width);
}

/* Elements are converted to the result's dtype before they are taken: what of
 * that the accumulator does by itself needs no conversion. */
static CandelaDType
element_dtype (CandelaDType in, CandelaDType out)
{
  gboolean float_in = candela_dtype_get_kind (in) == CANDELA_DTYPE_KIND_FLOAT;
  gboolean float_out = candela_dtype_get_kind (out) == CANDELA_DTYPE_KIND_FLOAT;

  if (candela_dtype_get_kind (out) == CANDELA_DTYPE_KIND_COMPLEX)
    return out;
  if (!float_out)
    return float_in ? out : in;
  return out == CANDELA_DTYPE_FLOAT64 || candela_dtype_get_size (in) <= 2 ? in : out;
}

static gboolean
compute_over (CandelaKernel *kernel, CandelaReducedAxesFunc get_axes, const ReduceFold *const *folds,
              const ReduceFold *const *integer_folds, GError **error)
{
  CandelaDType out = candela_kernel_get_output_dtype (kernel, 0);
  CandelaDType dtype = element_dtype (candela_kernel_get_input_dtype (kernel, 0), out);
  guint rank = candela_layout_get_rank (candela_kernel_get_input_layout (kernel, 0));
  gboolean integer = (candela_dtype_get_kind (out) & (CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX)) == 0;
  ReduceCall call = {
    .kernel = kernel,
    .fold = integer ? integer_folds[dtype] : folds[dtype],
    .dtype = dtype,
    .axes = get_axes (candela_kernel_get_params (kernel), rank),
    .finish = integer ? store_integers : store_doubles,
  };

  return reduce_run (&call, error);
}

static const ReduceFold *const *
sum_folds_for (const CandelaKernel *kernel)
{
  return candela_kernel_get_output_dtype (kernel, 0) == CANDELA_DTYPE_FLOAT64 ? wide_sum_folds
                                                                              : REDUCE_NAME (sum_folds);
}

static gboolean
compute_sum (CandelaKernel *kernel, GError **error)
{
  return compute_over (kernel, reduce_get_axes, sum_folds_for (kernel), integer_sum_folds, error);
}

static gboolean
compute_prod (CandelaKernel *kernel, GError **error)
{
  return compute_over (kernel, reduce_get_axes, prod_folds, integer_prod_folds, error);
}

static const CandelaParamInfo params[] = {
  REDUCE_PARAM_AXIS,
  { .name = "dtype",
    .type = CANDELA_PARAM_DTYPE,
    .summary = "of the result, and of the elements before they are taken; none: of floats and complex "
               "numbers their own, else int64 or uint64" },
  REDUCE_PARAM_KEEPDIMS,
  { NULL },
};

#define SUM_OF(partial, n) (partial)

REDUCE_ROWS (sum_rows_float32, float, double, float, grouped_sum, SUM_OF)
REDUCE_ROWS (sum_rows_float64, double, double, double, sum_float64, SUM_OF)

REDUCE_KERNELS_WITH_ROWS (sum)
REDUCE_MADE (sum, SUM_OF)
static const CandelaKernelInfo prod_kernels[] = { { .compute = compute_prod }, { .compute = NULL } };

const CandelaOpInfo REDUCE_NAME (sum) = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "sum",
  .summary = "The sum along axes, pairwise, in binary64 but for integers and of float32 by fours; 0 of no elements",
  .formula = "out[j] = Σᵢ x[i, j]\n"
             "where i runs over the axes in axis, j over the others",
  .example = "x = [[1, 2, 3], [4, 5, 6]]; sum(x), sum(x, axis=0), sum(x, axis=1, keepdims=true)",
  .since = "1.0",
  .inputs = reduce_inputs_of_all,
  .params = params,
  .axes = CANDELA_AXES_REDUCTION,
  .reduced_axes = reduce_get_axes,
  .takes_fed = TRUE,
  .infer = infer,
  .kernels = sum_kernels,
  .gradients = { "broadcast_to(reshape(grad, sum(x, axis=axis, keepdims=true).shape), x.shape)" },
  .rows_ends = sum_rows_ends,
};

const CandelaOpInfo REDUCE_NAME (prod) = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "prod",
  .summary = "The product along axes, in binary64 but for integers; 1 of no elements",
  .formula = "out[j] = Πᵢ x[i, j]\n"
             "where i runs over the axes in axis, j over the others",
  .example = "x = [[1, 2, 3], [4, 5, 6]]; prod(x), prod(x, axis=0)",
  .since = "1.0",
  .inputs = reduce_inputs_of_all,
  .params = params,
  .axes = CANDELA_AXES_REDUCTION,
  .reduced_axes = reduce_get_axes,
  .takes_fed = TRUE,
  .infer = infer,
  .kernels = prod_kernels,
};

/* ---- sum_to: what takes broadcasting back ---- */

static const CandelaParamInfo sum_to_params[] = {
  { .name = "shape",
    .type = CANDELA_PARAM_INT_LIST,
    .flags = CANDELA_PARAM_REQUIRED,
    .summary = "of the result: one that can be broadcast to that of x" },
  { NULL },
};

/* The axes that broadcasting to x added or repeated; an axis of 1 that was 1 before is summed
 * as well, alone. */
static guint32
get_broadcast_axes (const CandelaParams *params, guint rank)
{
  gsize n;
  const gint64 *shape = candela_params_get_int_list (params, 0, &n);
  guint32 axes = 0;

  for (guint axis = 0; axis < rank; axis++)
    if (axis + n < rank || shape[axis + n - rank] == 1)
      axes |= 1u << axis;
  return axes;
}

static gboolean
infer_sum_to (CandelaInference *inference, GError **error)
{
  CandelaDType in = candela_inference_get_input_dtype (inference, 0);
  CandelaDTypeKind kind = candela_dtype_get_kind (in);
  gsize n, rank;
  const gint64 *shape = candela_params_get_int_list (candela_inference_get_params (inference), 0, &n);
  const gint64 *from = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);

  for (gsize k = 0; k < n; k++)
    if (n > rank || (shape[k] != 1 && shape[k] != from[rank - n + k]))
      {
        g_autofree char *text = candela_shape_to_string (shape, n), *other = candela_shape_to_string (from, rank);

        return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                       "x has shape %s; none of shape %s can be broadcast to it", other, text);
      }
  return candela_inference_set_output (inference, 0,
                                       kind == CANDELA_DTYPE_KIND_UNSIGNED ? CANDELA_DTYPE_UINT64
                                       : (kind & (CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX)) != 0
                                         ? in
                                         : CANDELA_DTYPE_INT64,
                                       shape, n, error);
}

static gboolean
compute_sum_to (CandelaKernel *kernel, GError **error)
{
  return compute_over (kernel, get_broadcast_axes, sum_folds_for (kernel), integer_sum_folds, error);
}

static const CandelaKernelInfo sum_to_kernels[] = { { .compute = compute_sum_to }, { .compute = NULL } };

const CandelaOpInfo REDUCE_NAME (sum_to) = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "sum_to",
  .summary = "The sum along the axes that broadcasting a value of a shape to x adds or repeats",
  .formula = "out[j] = Σᵢ x[i, j]\n"
             "where i runs over the axes that broadcasting from shape adds or repeats, j over the others",
  .example = "x = [[1, 2, 3], [4, 5, 6]]; sum_to(x, [3]), sum_to(x, [2, 1])",
  .since = "1.0",
  .inputs = reduce_inputs_of_all,
  .params = sum_to_params,
  .operators = "adjoint:broadcast",
  .axes = CANDELA_AXES_REDUCTION,
  .reduced_axes = get_broadcast_axes,
  .takes_fed = TRUE,
  .infer = infer_sum_to,
  .kernels = sum_to_kernels,
  .gradients = { "broadcast_to(grad, x.shape)" },
};
