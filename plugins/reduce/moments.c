/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * mean, var, std, and moments, which gives mean and variance of one pass over
 * memory. Every block's squares are taken about the block's own mean while it is
 * in the cache; two parts are joined by the formula of Chan, Golub and LeVeque
 * (Updating Formulae and a Pairwise Algorithm for Computing Sample Variances,
 * 1979), so nothing cancels that a second pass would have kept. The sum goes the
 * way of the op sum, and so the mean has the same bits from each of these ops. All
 * in binary64. */
#include "reduce.h"

/* In sum.c: sums of elements of any dtype in binary64. */
extern const ReduceFold *const reduce_sum_folds[CANDELA_N_DTYPES];

typedef struct
{
  double sum;
  double squares; /* of the distances from the mean */
} Moments;

static void
moments_fill (gpointer lanes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    ((double *) lanes)[i] = -0.0;
}

static void
moments_merge (gpointer a, gconstpointer b, gsize width, gint64 a_count, gint64 b_count)
{
  Moments *into = a;
  const Moments *from = b;
  double na = (double) a_count, nb = (double) b_count;
  double weight = na * (nb / (na + nb));

  for (gsize t = 0; t < width; t++)
    {
      double distance = from[t].sum / nb - into[t].sum / na;

      into[t].squares = into[t].squares + from[t].squares + distance * distance * weight;
      into[t].sum = into[t].sum + from[t].sum;
    }
}

static void
add_lanes (double *lanes, gsize width, gsize n_lanes)
{
  for (gsize half = n_lanes / 2; half > 0; half /= 2)
    for (gsize i = 0; i < half * width; i++)
      lanes[i] += lanes[i + half * width];
}

/* After the first pass the means go into the row after the last lane. */
static void
moments_join (gpointer partials, gpointer lanes, gsize width, gsize n_lanes, gsize n_rows, guint pass)
{
  Moments *out = partials;
  double *lane = lanes, *means = lane + REDUCE_LANES * width;

  add_lanes (lane, width, n_lanes);
  for (gsize t = 0; t < width; t++)
    if (pass == 0)
      {
        out[t].sum = lane[t];
        means[t] = lane[t] / (double) n_rows;
      }
    else
      out[t].squares = lane[t];
}

#define FOLD(DTYPE, name, type)                                                                                        \
  static void moments_rows_##name (const ReduceRows *rows)                                                             \
  {                                                                                                                    \
    const double *means = (const double *) rows->lanes + REDUCE_LANES * rows->width;                                   \
                                                                                                                       \
    for (gsize r = 0; r < rows->n_rows; r++)                                                                           \
      {                                                                                                                \
        const type *x = (const type *) rows->elements + (gint64) r * rows->stride;                                     \
        double *lane = (double *) rows->lanes + (rows->first + r) % REDUCE_LANES * rows->width;                        \
                                                                                                                       \
        if (rows->pass == 0)                                                                                           \
          _Pragma ("GCC ivdep") for (gsize t = 0; t < rows->width; t++) lane[t] += (double) x[t];                      \
        else                                                                                                           \
          _Pragma ("GCC ivdep") for (gsize t = 0; t < rows->width; t++)                                                \
          {                                                                                                            \
            double distance = (double) x[t] - means[t];                                                                \
                                                                                                                       \
            lane[t] += distance * distance;                                                                            \
          }                                                                                                            \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void moments_block_##name (gpointer partial, gconstpointer elements, gsize n, gint64 index)                   \
  {                                                                                                                    \
    const type *x = elements;                                                                                          \
    Moments *out = partial;                                                                                            \
    double lanes[REDUCE_LANES], mean;                                                                                  \
    gsize i = 0;                                                                                                       \
                                                                                                                       \
    reduce_sum_folds[CANDELA_DTYPE_##DTYPE]->block (&out->sum, elements, n, index);                                    \
    mean = out->sum / (double) n;                                                                                      \
    moments_fill (lanes, REDUCE_LANES);                                                                                \
    for (; i + REDUCE_LANES <= n; i += REDUCE_LANES)                                                                   \
      for (guint l = 0; l < REDUCE_LANES; l++)                                                                         \
        {                                                                                                              \
          double distance = (double) x[i + l] - mean;                                                                  \
                                                                                                                       \
          lanes[l] += distance * distance;                                                                             \
        }                                                                                                              \
    for (guint l = 0; i < n; i++, l++)                                                                                 \
      {                                                                                                                \
        double distance = (double) x[i] - mean;                                                                        \
                                                                                                                       \
        lanes[l] += distance * distance;                                                                               \
      }                                                                                                                \
    add_lanes (lanes, 1, REDUCE_LANES);                                                                                \
    out->squares = lanes[0];                                                                                           \
  }                                                                                                                    \
                                                                                                                       \
  static const ReduceFold moments_##name = {                                                                           \
    sizeof (Moments), sizeof (double), 2, NULL, moments_block_##name, moments_fill, moments_rows_##name,               \
    moments_join,     moments_merge                                                                                    \
  };

REDUCE_INTEGERS (FOLD)
REDUCE_FLOATS (FOLD)

#define ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = &moments_##name,

static const ReduceFold *const moments_folds[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (ROW) REDUCE_FLOATS (ROW) };

/* ---- Finishing ---- */

static double
variance (const ReduceCall *call, const Moments *moments)
{
  /* As NumPy: a correction that leaves nothing to divide by gives inf or NaN. */
  double divisor = MAX ((double) call->count - call->correction, 0.0);

  return call->count == 0 ? NAN : moments->squares / divisor;
}

static void
finish_mean (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  for (gsize t = 0; t < width; t++)
    {
      double mean = ((const double *) partials)[t] / (double) call->count;

      reduce_store_double (call, 0, output + (gint64) t, &mean, 1);
    }
}

static void
finish_var (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  for (gsize t = 0; t < width; t++)
    {
      double value = variance (call, (const Moments *) partials + t);

      reduce_store_double (call, 0, output + (gint64) t, &value, 1);
    }
}

static void
finish_std (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  for (gsize t = 0; t < width; t++)
    {
      double value = sqrt (variance (call, (const Moments *) partials + t));

      reduce_store_double (call, 0, output + (gint64) t, &value, 1);
    }
}

static void
finish_moments (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  for (gsize t = 0; t < width; t++)
    {
      const Moments *moments = (const Moments *) partials + t;
      double mean = moments->sum / (double) call->count;
      double value = variance (call, moments);

      reduce_store_double (call, 0, output + (gint64) t, &mean, 1);
      reduce_store_double (call, 1, output + (gint64) t, &value, 1);
    }
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

  if (candela_dtype_get_kind (dtype) != CANDELA_DTYPE_KIND_FLOAT)
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
  return compute (kernel, reduce_sum_folds, finish_mean, -1, error);
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

static const CandelaParamInfo mean_params[] = { REDUCE_PARAM_AXIS, REDUCE_PARAM_KEEPDIMS, { NULL } };
static const CandelaParamInfo var_params[] = {
  REDUCE_PARAM_AXIS, REDUCE_PARAM_CORRECTION, REDUCE_PARAM_KEEPDIMS, { NULL }
};
static const CandelaParamInfo moments_params[] = {
  REDUCE_PARAM_AXIS, REDUCE_PARAM_KEEPDIMS, REDUCE_PARAM_CORRECTION, { NULL }
};

static const char *const moments_outputs[] = { "mean", "variance", NULL };

#define OP(NAME, INFER, OUTPUTS, PARAMS, SUMMARY)                                                                      \
  static const CandelaKernelInfo NAME##_kernels[] = { { .compute = compute_##NAME }, { .compute = NULL } };            \
                                                                                                                       \
  const CandelaOpInfo reduce_##NAME##_op = {                                                                           \
    .struct_size = sizeof (CandelaOpInfo),                                                                             \
    .name = #NAME,                                                                                                     \
    .summary = SUMMARY,                                                                                                \
    .since = "1.0",                                                                                                    \
    .inputs = reduce_inputs,                                                                                           \
    .outputs = OUTPUTS,                                                                                                \
    .params = PARAMS,                                                                                                  \
    .axes = CANDELA_AXES_REDUCTION,                                                                                    \
    .reduced_axes = reduce_get_axes,                                                                                   \
    .infer = INFER,                                                                                                    \
    .kernels = NAME##_kernels,                                                                                         \
  };

OP (mean, infer_mean, NULL, mean_params, "The mean along axes; NaN of no elements")
OP (var, infer_var, NULL, var_params, "The variance along axes; NaN of no elements")
OP (std, infer_var, NULL, var_params, "The standard deviation along axes; NaN of no elements")
OP (moments, infer_moments, moments_outputs, moments_params, "Mean and variance along axes, in one pass")
