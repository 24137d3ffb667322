/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * mean, var, std, and moments, which gives mean and variance of one pass over
 * memory. Every block's squares are taken about the block's own mean while it is
 * in the cache; two parts are joined by the formula of Chan, Golub and LeVeque
 * (Updating Formulae and a Pairwise Algorithm for Computing Sample Variances,
 * 1979), so nothing cancels that a second pass would have kept. The sum goes the
 * way of the op sum, and so the mean has the same bits from each of these ops. All
 * in binary64. */
#include "columns.h"
#include "made.h"

/* Results side by side: a block of theirs is read twice, and is to be in the cache
 * still. */
#define TILE 256

/* A partial: the sums of all results, then the squares of the distances from the
 * means. */
static void
moments_merge (gpointer a, gconstpointer b, gsize width, gint64 a_count, gint64 b_count)
{
  double *sums = a, *squares = sums + width;
  const double *b_sums = b, *b_squares = b_sums + width;
  const double na = (double) a_count, nb = (double) b_count;
  const double weight = na * (nb / (na + nb));

  _Pragma ("GCC ivdep") for (gsize t = 0; t < width; t++)
  {
    const double distance = b_sums[t] / nb - sums[t] / na;

    squares[t] = squares[t] + b_squares[t] + distance * distance * weight;
    sums[t] = sums[t] + b_sums[t];
  }
}

/* Behind the lanes the means, again for each lane where rows are taken as many at a
 * time; and behind them whether the block is summed again. */
static double *
means_of (gpointer lanes, gsize width)
{
  return (double *) lanes + REDUCE_LANES * width;
}

static gboolean *
again_of (gpointer lanes, gsize width)
{
  return (gboolean *) (means_of (lanes, width) + REDUCE_LANES * width);
}

enum {
  PASS_SUMS,
  PASS_AGAIN,
  PASS_SQUARES,
  N_PASSES
};

static void
find_means (double *means, const double *sums, gsize width, gsize n_rows)
{
  for (gsize t = 0; t < width; t++)
    means[t] = sums[t] / (double) n_rows;
  for (guint l = 1; l < REDUCE_LANES; l++)
    memcpy (means + l * width, means, width * sizeof (double));
}

static void
join_pass (double *sums, double *lanes, guint n_lanes, gsize width, gsize n_rows, guint pass)
{
  double *squares = sums + width;
  gboolean *again = again_of (lanes, width);

  if (pass != PASS_AGAIN || *again)
    reduce_join_lanes (lanes, n_lanes, width, n_rows, sum_merge);
  switch (pass)
    {
    case PASS_SUMS:
      memcpy (sums, lanes, width * sizeof (double));
      *again = is_to_be_summed_again (sums, width);
      break;
    case PASS_AGAIN:
      if (*again)
        take_sums_again (sums, lanes, width);
      find_means (means_of (lanes, width), sums, width, n_rows);
      break;
    default:
      memcpy (squares, lanes, width * sizeof (double));
    }
}

static void
moments_join (gpointer partials, gpointer lanes, gsize width, gsize n_rows, guint pass)
{
  join_pass (partials, lanes, REDUCE_LANES, width, n_rows, pass);
}

static void
moments_join_grouped (gpointer partials, gpointer lanes, gsize width, gsize n_rows, guint pass)
{
  join_pass (partials, lanes, pass == PASS_SUMS ? lanes_of (n_rows) : REDUCE_LANES, width, n_rows, pass);
}

/* The squares of the distances of blocks' elements from their means. What follows the
 * blocks is fetched half by the sums, half by the squares. */
#define FETCHED_BY_SUM 0xaaaau
#define SQUARE(x) ((x) * (x))
#define SQUARES_OF_BLOCKS(name, type)                                                                                  \
  static inline __attribute__ ((always_inline)) void squares_##name##_blocks (                                         \
    double *squares, const double *sums, const type *x, gint64 step, gsize n, guint n_blocks, guint fetched)           \
  {                                                                                                                    \
    ReduceWide means[REDUCE_AT_ONCE], lanes[REDUCE_AT_ONCE][REDUCE_N_WIDE], rest[REDUCE_N_WIDE];                       \
    gsize i = 0;                                                                                                       \
                                                                                                                       \
    REDUCE_EACH_BLOCK (b, n_blocks)                                                                                    \
    {                                                                                                                  \
      means[b] = sums[b] / (double) n - (ReduceWide){ 0 };                                                             \
      REDUCE_EACH_WIDE (j) lanes[b][j] = -(ReduceWide){ 0 };                                                           \
    }                                                                                                                  \
    for (; i + REDUCE_LANES <= n; i += REDUCE_LANES)                                                                   \
      REDUCE_EACH_BLOCK (b, n_blocks)                                                                                  \
      {                                                                                                                \
        if ((fetched >> b & 1) != 0)                                                                                   \
          reduce_fetch (x + (b + n_blocks) * step + i, REDUCE_LANES * sizeof (type));                                  \
        REDUCE_EACH_WIDE (j)                                                                                           \
        {                                                                                                              \
          const ReduceWide distances = reduce_widen_##name (x + b * step + i + j * REDUCE_WIDE) - means[b];            \
                                                                                                                       \
          lanes[b][j] += distances * distances;                                                                        \
        }                                                                                                              \
      }                                                                                                                \
    if (i < n)                                                                                                         \
      REDUCE_EACH_BLOCK (b, n_blocks)                                                                                  \
      {                                                                                                                \
        reduce_widen_some_##name (rest, x + b * step + i, n - i, 0.0);                                                 \
        REDUCE_EACH_WIDE (j) rest[j] -= means[b];                                                                      \
        reduce_clear_lanes (rest, n - i);                                                                              \
        REDUCE_EACH_WIDE (j) lanes[b][j] += rest[j] * rest[j];                                                         \
      }                                                                                                                \
    REDUCE_EACH_BLOCK (b, n_blocks) squares[b] = sum_join (lanes[b]);                                                  \
  }

#define MOMENTS_OF_BLOCKS(name, type, SUM)                                                                             \
  SQUARES_OF_BLOCKS (name, type)                                                                                       \
                                                                                                                       \
  static void moments_##name##_each (double *sums, double *squares, const type *x, gint64 step, gsize n_blocks,        \
                                     gsize n)                                                                          \
  {                                                                                                                    \
    gsize b = 0;                                                                                                       \
                                                                                                                       \
    for (; b + REDUCE_AT_ONCE <= n_blocks; b += REDUCE_AT_ONCE, x += REDUCE_AT_ONCE * step)                            \
      {                                                                                                                \
        SUM##_blocks (sums + b, x, step, n, REDUCE_AT_ONCE, FETCHED_BY_SUM);                                           \
        squares_##name##_blocks (squares + b, sums + b, x, step, n, REDUCE_AT_ONCE, ~FETCHED_BY_SUM);                  \
      }                                                                                                                \
    for (; b < n_blocks; b++, x += step)                                                                               \
      {                                                                                                                \
        SUM##_blocks (sums + b, x, step, n, 1, FETCHED_BY_SUM);                                                        \
        squares_##name##_blocks (squares + b, sums + b, x, step, n, 1, REDUCE_FETCH_ALL);                              \
      }                                                                                                                \
  }

#define INTEGER_BLOCKS(DTYPE, name, type)                                                                              \
  static void moments_##name##_each (double *sums, double *squares, const type *x, gint64 step, gsize n_blocks,        \
                                     gsize n)                                                                          \
  {                                                                                                                    \
    double wide[REDUCE_BLOCK];                                                                                         \
                                                                                                                       \
    for (gsize b = 0; b < n_blocks; b++, x += step)                                                                    \
      {                                                                                                                \
        for (gsize i = 0; i < n; i++)                                                                                  \
          wide[i] = (double) x[i];                                                                                     \
        moments_float64_each (sums + b, squares + b, wide, 0, 1, n);                                                   \
      }                                                                                                                \
  }

REDUCE_BLOCK_FUNCTION (sum_float64, float64, double, sum_join, -0.0, ADD)
MOMENTS_OF_BLOCKS (float32, float, grouped)
MOMENTS_OF_BLOCKS (float64, double, sum_float64)
REDUCE_INTEGERS (INTEGER_BLOCKS)

#define BLOCKS (REDUCE_PIECE / REDUCE_BLOCK)

/* Rows of squares onto a row of lanes, as sum_name_stack () does it with elements. */
#define SQUARES_STACK(name, type)                                                                                      \
  static inline __attribute__ ((always_inline)) void squares_##name##_stack_some (                                     \
    double *acc, const type *x, gint64 stride, guint n, gsize width, gboolean fresh, const double *means)              \
  {                                                                                                                    \
    _Pragma ("GCC ivdep") for (gsize t = 0; t < width; t++)                                                            \
    {                                                                                                                  \
      const double mean = means[t];                                                                                    \
      double a = fresh ? -0.0 : acc[t];                                                                                \
                                                                                                                       \
      _Pragma ("GCC unroll 4") for (guint r = 0; r < n; r++)                                                           \
      {                                                                                                                \
        const double distance = (double) x[(gint64) r * stride + (gint64) t] - mean;                                   \
                                                                                                                       \
        a += distance * distance;                                                                                      \
      }                                                                                                                \
      acc[t] = a;                                                                                                      \
    }                                                                                                                  \
  }                                                                                                                    \
                                                                                                                       \
  static void squares_##name##_stack (double *acc, const type *x, gint64 stride, gsize n, gsize width, gboolean fresh, \
                                      const double *means)                                                             \
  {                                                                                                                    \
    if (fresh && n > 0)                                                                                                \
      {                                                                                                                \
        squares_##name##_stack_some (acc, x, stride, 1, width, TRUE, means);                                           \
        x += stride;                                                                                                   \
        n--;                                                                                                           \
      }                                                                                                                \
    for (; n >= 4; n -= 4, x += 4 * stride)                                                                            \
      squares_##name##_stack_some (acc, x, stride, 4, width, FALSE, means);                                            \
    for (; n > 0; n--, x += stride)                                                                                    \
      squares_##name##_stack_some (acc, x, stride, 1, width, FALSE, means);                                            \
  }

/* … or both sums in registers, if a block is in the cache: rows of SUMS, which may have to be
 * summed again. */
#define SQUARE_ABOUT(x, mean) (((x) - (mean)) * ((x) - (mean)))
#define MOMENTS_BLOCK(name, type, SUMS)                                                                                \
  REDUCE_COLUMNS (squares_##name, name, type, -0.0, ADD, SQUARE_ABOUT)                                                 \
                                                                                                                       \
  static gboolean moments_##name##_block (gpointer partials, const ReduceRows *rows)                                   \
  {                                                                                                                    \
    double *sums = partials, means[TILE];                                                                              \
                                                                                                                       \
    if (!SUMS (partials, rows))                                                                                        \
      return FALSE;                                                                                                    \
    for (gsize t = 0; t < rows->width; t++)                                                                            \
      means[t] = sums[t] / (double) rows->n_rows;                                                                      \
    squares_##name##_columns (sums + rows->width, means, rows->elements, rows->stride, rows->n_rows, rows->width);     \
    return TRUE;                                                                                                       \
  }

REDUCE_COLUMNS_BLOCK (sum_float64, float64, double, -0.0, ADD)
MOMENTS_BLOCK (float32, float, sum_columns)
MOMENTS_BLOCK (float64, double, sum_float64_block)

#define SQUARE_OF(k) SQUARE ((double) x[k] - mean)

#define STACK_AND_FOLD(name, type, BLOCK)                                                                              \
  REDUCE_STACK (sum_##name, type, double, -0.0, REDUCE_AS_DOUBLE, ADD)                                                 \
                                                                                                                       \
  static void sum_##name##_rows (const ReduceRows *rows)                                                               \
  {                                                                                                                    \
    REDUCE_ROWS_IN_LANES (rows, type, sum_##name##_stack);                                                             \
  }                                                                                                                    \
                                                                                                                       \
  FOLD (name, type, sum_##name##_rows, sum_##name##_rows, moments_join, 0, BLOCK)

/* SUM_ROWS and SUM_AGAIN take rows into lanes, the first as blocks are summed. */
#define FOLD(name, type, SUM_ROWS, SUM_AGAIN, JOIN, GROUP, BLOCK)                                                      \
  SQUARES_STACK (name, type)                                                                                           \
                                                                                                                       \
  static void moments_##name##_results (gpointer partials, gconstpointer elements, gint64 step, gsize n_results,       \
                                        gsize n)                                                                       \
  {                                                                                                                    \
    double *sums = partials, *squares = sums + n_results;                                                              \
    const type *x = elements;                                                                                          \
                                                                                                                       \
    if (n > REDUCE_FEW)                                                                                                \
      {                                                                                                                \
        moments_##name##_each (sums, squares, x, step, n_results, n);                                                  \
        return;                                                                                                        \
      }                                                                                                                \
    for (gsize t = 0; t < n_results; t++, x += step)                                                                   \
      {                                                                                                                \
        const double sum = REDUCE_OF_FEW (n, REDUCE_ELEMENT, ADD), mean = sum / (double) n;                            \
                                                                                                                       \
        sums[t] = sum;                                                                                                 \
        squares[t] = REDUCE_OF_FEW (n, SQUARE_OF, ADD);                                                                \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void moments_##name##_piece (gpointer partial, gconstpointer elements, gsize n, gint64 index)                 \
  {                                                                                                                    \
    const gsize n_blocks = (n + REDUCE_BLOCK - 1) / REDUCE_BLOCK, whole = n / REDUCE_BLOCK;                            \
    const type *x = elements;                                                                                          \
    double sums[BLOCKS], squares[BLOCKS], blocks[BLOCKS][2];                                                           \
                                                                                                                       \
    moments_##name##_each (sums, squares, x, REDUCE_BLOCK, whole, REDUCE_BLOCK);                                       \
    moments_##name##_each (sums + whole, squares + whole, x + whole * REDUCE_BLOCK, 0, n_blocks - whole,               \
                           n % REDUCE_BLOCK);                                                                          \
    for (gsize b = 0; b < n_blocks; b++)                                                                               \
      {                                                                                                                \
        blocks[b][0] = sums[b];                                                                                        \
        blocks[b][1] = squares[b];                                                                                     \
      }                                                                                                                \
    REDUCE_EACH_SUBTREE (n_blocks, half, k)                                                                            \
    moments_merge (blocks[k], blocks[k + half], 1, (gint64) (half * REDUCE_BLOCK),                                     \
                   (gint64) MIN (half *REDUCE_BLOCK, n - (k + half) * REDUCE_BLOCK));                                  \
    memcpy (partial, blocks[0], sizeof blocks[0]);                                                                     \
  }                                                                                                                    \
                                                                                                                       \
  static void moments_##name##_squares (const ReduceRows *rows)                                                        \
  {                                                                                                                    \
    const double *means = means_of (rows->lanes, rows->width);                                                         \
                                                                                                                       \
    REDUCE_ROWS_IN_LANES (rows, type, squares_##name##_stack, means);                                                  \
  }                                                                                                                    \
                                                                                                                       \
  static void moments_##name##_rows (const ReduceRows *rows)                                                           \
  {                                                                                                                    \
    if (rows->pass == PASS_SUMS)                                                                                       \
      SUM_ROWS (rows);                                                                                                 \
    else if (rows->pass == PASS_SQUARES)                                                                               \
      moments_##name##_squares (rows);                                                                                 \
    else if (*again_of (rows->lanes, rows->width))                                                                     \
      SUM_AGAIN (rows);                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static const ReduceFold moments_##name = {                                                                           \
    .partial_size = 2 * sizeof (double),                                                                               \
    .scratch_size = (2 * REDUCE_LANES + 1) * sizeof (double),                                                          \
    .tile = TILE,                                                                                                      \
    .passes = N_PASSES,                                                                                                \
    .slow = TRUE,                                                                                                      \
    .group = GROUP,                                                                                                    \
    .results = moments_##name##_results,                                                                               \
    .piece = moments_##name##_piece,                                                                                   \
    .rows = moments_##name##_rows,                                                                                     \
    .join = JOIN,                                                                                                      \
    .block = BLOCK,                                                                                                    \
    .merge = moments_merge,                                                                                            \
  };

#define INTEGER_FOLD(DTYPE, name, type) STACK_AND_FOLD (name, type, NULL)

REDUCE_INTEGERS (INTEGER_FOLD)
STACK_AND_FOLD (float64, double, moments_float64_block)
FOLD (float32, float, grouped_rows, all_rows_again, moments_join_grouped, REDUCE_GROUP, moments_float32_block)

#define ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = &moments_##name,

static const ReduceFold *const moments_folds[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (ROW) REDUCE_FLOATS (ROW) };

/* ---- Finishing ---- */

static double
get_divisor (const ReduceCall *call)
{
  /* As NumPy: a correction that leaves nothing to divide by gives inf or NaN. */
  return call->count == 0 ? NAN : MAX ((double) call->count - call->correction, 0.0);
}

/* Results are finished a few at a time. */
#define FINISH_PART 64
#define FINISH(call, output, number, width, t, VALUE)                                                                  \
  for (gsize start = 0; start < width; start += FINISH_PART)                                                           \
    {                                                                                                                  \
      const gsize n = MIN (width - start, FINISH_PART);                                                                \
      double values[FINISH_PART];                                                                                      \
                                                                                                                       \
      for (gsize i = 0, t = start; i < n; i++, t++)                                                                    \
        values[i] = VALUE;                                                                                             \
      reduce_store_double (call, output, number + (gint64) start, values, n);                                          \
    }

static void
finish_complex_mean (const ReduceCall *call, const double *sums, gint64 output, gsize width)
{
  for (gsize t = 0; t < width; t++)
    {
      const double mean[2] = { sums[2 * t] / (double) call->count, sums[2 * t + 1] / (double) call->count };

      reduce_store_double (call, 0, output + (gint64) t, mean, 1);
    }
}

static void
finish_mean (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  const double *sums = partials, count = (double) call->count;

  if (candela_dtype_get_kind (call->dtype) == CANDELA_DTYPE_KIND_COMPLEX)
    finish_complex_mean (call, sums, output, width);
  else
    FINISH (call, 0, output, width, t, sums[t] / count)
}

static void
finish_var (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  const double *squares = (const double *) partials + width, divisor = get_divisor (call);

  FINISH (call, 0, output, width, t, squares[t] / divisor)
}

static void
finish_std (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  const double *squares = (const double *) partials + width, divisor = get_divisor (call);

  FINISH (call, 0, output, width, t, sqrt (squares[t] / divisor))
}

static void
finish_moments (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  const double *squares = (const double *) partials + width, divisor = get_divisor (call);

  finish_mean (call, partials, output, width);
  FINISH (call, 1, output, width, t, squares[t] / divisor)
}

/* ---- The ops ---- */

/* axis is the first parameter of each. */
enum {
  MEAN_PARAM_KEEPDIMS = 1,
  VAR_PARAM_CORRECTION = 1,
  VAR_PARAM_KEEPDIMS = 2,
  MOMENTS_PARAM_KEEPDIMS = 1,
  MOMENTS_PARAM_CORRECTION = 2
};

static gboolean
infer (CandelaInference *inference, guint keepdims_param, guint n_outputs, GError **error)
{
  CandelaDType dtype = candela_inference_get_input_dtype (inference, 0);
  gboolean keepdims = candela_params_get_bool (candela_inference_get_params (inference), keepdims_param);

  if ((candela_dtype_get_kind (dtype) & (CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX)) == 0)
    dtype = CANDELA_DTYPE_FLOAT64;
  return reduce_infer (inference, keepdims, FALSE, n_outputs, dtype, error);
}

static gboolean
infer_mean (CandelaInference *inference, GError **error)
{
  return infer (inference, MEAN_PARAM_KEEPDIMS, 1, error);
}

static gboolean
infer_var (CandelaInference *inference, GError **error)
{
  return infer (inference, VAR_PARAM_KEEPDIMS, 1, error);
}

static gboolean
infer_moments (CandelaInference *inference, GError **error)
{
  return infer (inference, MOMENTS_PARAM_KEEPDIMS, 2, error);
}

static gboolean
compute (CandelaKernel *kernel, const ReduceFold *const *folds, ReduceFinish finish, int correction_param,
         GError **error)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  CandelaDType dtype = candela_kernel_get_input_dtype (kernel, 0);
  guint rank = candela_layout_get_rank (candela_kernel_get_input_layout (kernel, 0));
  ReduceCall call = {
    .kernel = kernel,
    .fold = folds[dtype],
    .dtype = dtype,
    .axes = reduce_get_axes (params, rank),
    .finish = finish,
    .correction = correction_param < 0 ? 0.0 : candela_params_get_float (params, (guint) correction_param),
  };

  return reduce_run (&call, error);
}

static gboolean
compute_mean (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, REDUCE_NAME (sum_folds), finish_mean, -1, error);
}

static gboolean
compute_var (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, moments_folds, finish_var, VAR_PARAM_CORRECTION, error);
}

static gboolean
compute_std (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, moments_folds, finish_std, VAR_PARAM_CORRECTION, error);
}

static gboolean
compute_moments (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, moments_folds, finish_moments, MOMENTS_PARAM_CORRECTION, error);
}

static const CandelaParamInfo var_params[] = {
  REDUCE_PARAM_AXIS, REDUCE_PARAM_CORRECTION, REDUCE_PARAM_KEEPDIMS, { NULL }
};
static const CandelaParamInfo moments_params[] = {
  REDUCE_PARAM_AXIS, REDUCE_PARAM_KEEPDIMS, REDUCE_PARAM_CORRECTION, { NULL }
};

static const char *const moments_outputs[] = { "mean", "variance", NULL };

#define MEAN_OF(sum, n) ((sum) / (double) (n))

REDUCE_ROWS (mean_rows_float32, float, double, float, *REDUCE_NAME (sum_folds)[CANDELA_DTYPE_FLOAT32], MEAN_OF)
REDUCE_ROWS (mean_rows_float64, double, double, double, *REDUCE_NAME (sum_folds)[CANDELA_DTYPE_FLOAT64], MEAN_OF)

REDUCE_KERNELS_WITH_ROWS (mean)
REDUCE_MADE (mean, MEAN_OF)
static const CandelaKernelInfo var_kernels[] = { { .compute = compute_var }, { .compute = NULL } };
static const CandelaKernelInfo std_kernels[] = { { .compute = compute_std }, { .compute = NULL } };
static const CandelaKernelInfo moments_kernels[] = { { .compute = compute_moments }, { .compute = NULL } };

#define OP(NAME, INPUTS, INFER, OUTPUTS, PARAMS, SUMMARY, FORMULA, EXAMPLE, ...)                                       \
  const CandelaOpInfo REDUCE_NAME (NAME) = { .struct_size = sizeof (CandelaOpInfo),                                    \
                                             .name = #NAME,                                                            \
                                             .summary = SUMMARY,                                                       \
                                             .formula = FORMULA,                                                       \
                                             .example = EXAMPLE,                                                       \
                                             .since = "1.0",                                                           \
                                             .inputs = INPUTS,                                                         \
                                             .outputs = OUTPUTS,                                                       \
                                             .params = PARAMS,                                                         \
                                             .axes = CANDELA_AXES_REDUCTION,                                           \
                                             .reduced_axes = reduce_get_axes,                                          \
                                             .takes_fed = TRUE,                                                        \
                                             .infer = INFER,                                                           \
                                             .kernels = NAME##_kernels,                                                \
                                             __VA_ARGS__ };

OP (mean, reduce_inputs_of_all, infer_mean, NULL, reduce_params, "The mean along axes; NaN of no elements",
    "out[j] = Σᵢ x[i, j] / n\n"
    "where i runs over the n elements along the axes in axis, j over the others",
    "x = [[1, 2, 3], [4, 5, 9]]; mean(x), mean(x, axis=1)", .rows_ends = mean_rows_ends,
    .gradients = {
      "broadcast_to(reshape(grad, mean(x, axis=axis, keepdims=true).shape), x.shape) / (x.size / out.size)" })
OP (var, reduce_inputs, infer_var, NULL, var_params, "The variance along axes; NaN of no elements",
    "out[j] = Σᵢ (x[i, j] - m[j])² / (n - correction), m[j] = Σᵢ x[i, j] / n\n"
    "where i runs over the n elements along the axes in axis, j over the others",
    "x = [1.0, 2.0, 3.0, 6.0]; var(x), var(x, correction=1)",
    .gradients = { "m = mean(x, axis=axis, keepdims=true); "
                   "reshape(grad, m.shape) * (x - m) * (2 / (x.size / out.size - correction))" })
OP (std, reduce_inputs, infer_var, NULL, var_params, "The standard deviation along axes; NaN of no elements",
    "out[j] = √(Σᵢ (x[i, j] - m[j])² / (n - correction)), m[j] = Σᵢ x[i, j] / n\n"
    "where i runs over the n elements along the axes in axis, j over the others",
    "x = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]; std(x), std(x, correction=1)",
    .gradients = { "m = mean(x, axis=axis, keepdims=true); "
                   "g = where(out == 0, 0, grad / out); "
                   "reshape(g, m.shape) * (x - m) / (x.size / out.size - correction)" })
OP (moments, reduce_inputs, infer_moments, moments_outputs, moments_params, "Mean and variance along axes, in one pass",
    "mean[j] = Σᵢ x[i, j] / n\n"
    "variance[j] = Σᵢ (x[i, j] - mean[j])² / (n - correction)\n"
    "where i runs over the n elements along the axes in axis, j over the others",
    "moments([[1.0, 2.0, 3.0, 6.0], [0.0, 0.0, 2.0, 2.0]], axis=1)",
    .gradients = {
      "m = mean(x, axis=axis, keepdims=true); "
      "n = x.size / m.size; "
      "reshape(grad_mean, m.shape) / n + reshape(grad_variance, m.shape) * (x - m) * (2 / (n - correction))" })
