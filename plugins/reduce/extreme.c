/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * max, min, argmax and argmin. A NaN is beyond every number, as in NumPy, and the
 * first of equals counts. */
/* Unrolled before it is looked at, a loop of comparisons does not become vector
 * code. */
#define REDUCE_LANE_LOOP _Pragma ("GCC unroll 1")

#include "fold.h"

#define AS_IS(x) (x)

/* No short circuit, so that loops over these become vector code. Once a is NaN
 * it stays. */
#define MAX_OF(a, b) ((((b) > (a)) | ((b) != (b))) ? (b) : (a))
#define MIN_OF(a, b) ((((b) < (a)) | ((b) != (b))) ? (b) : (a))
#define INTEGER_MAX_OF(a, b) ((b) > (a) ? (b) : (a))
#define INTEGER_MIN_OF(a, b) ((b) < (a) ? (b) : (a))

/* A value and the number of the first element that has it. */
#define LOCATED(name, type)                                                                                            \
  typedef struct                                                                                                       \
  {                                                                                                                    \
    type value;                                                                                                        \
    gint64 index;                                                                                                      \
  } Located_##name;

/* b after a: is it further out, or as far and earlier? */
#define SAME(a, b) ((a) == (b) || ((a) != (a) && (b) != (b)))
#define LOCATED_OP(OP, a, b)                                                                                           \
  (SAME ((a).value, (b).value) ? ((b).index < (a).index ? (b) : (a))                                                   \
                               : (SAME (OP ((a).value, (b).value), (b).value) ? (b) : (a)))

/* The block function takes the extreme first, then looks for it. */
#define ARG_FOLD(NAME, EXTREME, name, type, IDENTITY, OP)                                                              \
  static void NAME##_block (gpointer partial, gconstpointer elements, gsize n, gint64 index)                           \
  {                                                                                                                    \
    const type *x = elements;                                                                                          \
    Located_##name *out = partial;                                                                                     \
    gsize i = 0;                                                                                                       \
                                                                                                                       \
    EXTREME##_block (&out->value, elements, n, index);                                                                 \
    while (i < n - 1 && !SAME (x[i], out->value))                                                                      \
      i++;                                                                                                             \
    out->index = index + (gint64) i;                                                                                   \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_fill (gpointer lanes, gsize n)                                                                    \
  {                                                                                                                    \
    for (gsize i = 0; i < n; i++)                                                                                      \
      ((Located_##name *) lanes)[i] = (Located_##name){ IDENTITY, G_MAXINT64 };                                        \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_merge (gpointer a, gconstpointer b, gsize width, gint64 a_count, gint64 b_count)                  \
  {                                                                                                                    \
    Located_##name *into = a;                                                                                          \
    const Located_##name *from = b;                                                                                    \
                                                                                                                       \
    for (gsize t = 0; t < width; t++)                                                                                  \
      into[t] = LOCATED_OP (OP, into[t], from[t]);                                                                     \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_rows (const ReduceRows *rows)                                                                     \
  {                                                                                                                    \
    for (gsize r = 0; r < rows->n_rows; r++)                                                                           \
      {                                                                                                                \
        const type *x = (const type *) rows->elements + (gint64) r * rows->stride;                                     \
        Located_##name *lane = (Located_##name *) rows->lanes + (rows->first + r) % REDUCE_LANES * rows->width;        \
                                                                                                                       \
        for (gsize t = 0; t < rows->width; t++)                                                                        \
          {                                                                                                            \
            Located_##name next = { x[t], rows->index + (gint64) r };                                                  \
                                                                                                                       \
            lane[t] = LOCATED_OP (OP, lane[t], next);                                                                  \
          }                                                                                                            \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_join (gpointer partials, gpointer lanes, gsize width, gsize n_lanes, gsize n_rows, guint pass)    \
  {                                                                                                                    \
    Located_##name *lane = lanes;                                                                                      \
                                                                                                                       \
    for (gsize half = n_lanes / 2; half > 0; half /= 2)                                                                \
      NAME##_merge (lane, lane + half * width, half * width, 0, 0);                                                    \
    memcpy (partials, lane, width * sizeof *lane);                                                                     \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_finish (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)               \
  {                                                                                                                    \
    gint64 *out = candela_kernel_get_output (call->kernel, 0);                                                         \
                                                                                                                       \
    for (gsize t = 0; t < width; t++)                                                                                  \
      out[output + (gint64) t] = ((const Located_##name *) partials)[t].index;                                         \
  }                                                                                                                    \
                                                                                                                       \
  static const ReduceFold NAME = { sizeof (Located_##name),                                                            \
                                   sizeof (Located_##name),                                                            \
                                   1,                                                                                  \
                                   NULL,                                                                               \
                                   NAME##_block,                                                                       \
                                   NAME##_fill,                                                                        \
                                   NAME##_rows,                                                                        \
                                   NAME##_join,                                                                        \
                                   NAME##_merge };

#define FOLDS(name, type, LEAST, MOST, MAX_OP, MIN_OP)                                                                 \
  LOCATED (name, type)                                                                                                 \
  REDUCE_FOLD (max_##name, type, type, LEAST, NULL, AS_IS, MAX_OP)                                                     \
  REDUCE_FOLD (min_##name, type, type, MOST, NULL, AS_IS, MIN_OP)                                                      \
  ARG_FOLD (argmax_##name, max_##name, name, type, LEAST, MAX_OP)                                                      \
  ARG_FOLD (argmin_##name, min_##name, name, type, MOST, MIN_OP)

#define INTEGER_FOLDS(name, type, LEAST, MOST) FOLDS (name, type, LEAST, MOST, INTEGER_MAX_OF, INTEGER_MIN_OF)

INTEGER_FOLDS (bool, guint8, 0, 1)
INTEGER_FOLDS (int8, gint8, G_MININT8, G_MAXINT8)
INTEGER_FOLDS (int16, gint16, G_MININT16, G_MAXINT16)
INTEGER_FOLDS (int32, gint32, G_MININT32, G_MAXINT32)
INTEGER_FOLDS (int64, gint64, G_MININT64, G_MAXINT64)
INTEGER_FOLDS (uint8, guint8, 0, G_MAXUINT8)
INTEGER_FOLDS (uint16, guint16, 0, G_MAXUINT16)
INTEGER_FOLDS (uint32, guint32, 0, G_MAXUINT32)
INTEGER_FOLDS (uint64, guint64, 0, G_MAXUINT64)
FOLDS (float32, float, -INFINITY, INFINITY, MAX_OF, MIN_OF)
FOLDS (float64, double, -INFINITY, INFINITY, MAX_OF, MIN_OF)

/* What an op has for a dtype. */
typedef struct
{
  const ReduceFold *fold;
  ReduceFinish finish;
} Row;

static void
finish_value (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  gsize size = call->fold->partial_size;

  memcpy ((guint8 *) candela_kernel_get_output (call->kernel, 0) + output * (gint64) size, partials, width * size);
}

#define MAX_ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = { &max_##name, finish_value },
#define MIN_ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = { &min_##name, finish_value },
#define ARGMAX_ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = { &argmax_##name, argmax_##name##_finish },
#define ARGMIN_ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = { &argmin_##name, argmin_##name##_finish },

static const Row max_rows[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (MAX_ROW) REDUCE_FLOATS (MAX_ROW) };
static const Row min_rows[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (MIN_ROW) REDUCE_FLOATS (MIN_ROW) };
static const Row argmax_rows[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (ARGMAX_ROW) REDUCE_FLOATS (ARGMAX_ROW) };
static const Row argmin_rows[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (ARGMIN_ROW) REDUCE_FLOATS (ARGMIN_ROW) };

enum {
  PARAM_AXIS,
  PARAM_KEEPDIMS
};

static gboolean
infer_value (CandelaInference *inference, GError **error)
{
  gboolean keepdims = candela_params_get_bool (candela_inference_get_params (inference), PARAM_KEEPDIMS);

  return reduce_infer (inference, keepdims, TRUE, 1, candela_inference_get_input_dtype (inference, 0), error);
}

static gboolean
infer_index (CandelaInference *inference, GError **error)
{
  gboolean keepdims = candela_params_get_bool (candela_inference_get_params (inference), PARAM_KEEPDIMS);

  return reduce_infer_single_axis (inference, keepdims, CANDELA_DTYPE_INT64, error);
}

static gboolean
compute (CandelaKernel *kernel, const Row *rows, guint32 (*get_axes) (const CandelaParams *params, guint rank),
         GError **error)
{
  CandelaDType dtype = candela_kernel_get_input_dtype (kernel, 0);
  guint rank = candela_layout_get_rank (candela_kernel_get_input_layout (kernel, 0));
  ReduceCall call = {
    .kernel = kernel,
    .fold = rows[dtype].fold,
    .dtype = dtype,
    .axes = get_axes (candela_kernel_get_params (kernel), rank),
    .finish = rows[dtype].finish,
  };

  return reduce_run (&call, error);
}

static gboolean
compute_max (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, max_rows, reduce_get_axes, error);
}

static gboolean
compute_min (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, min_rows, reduce_get_axes, error);
}

static gboolean
compute_argmax (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, argmax_rows, reduce_get_axis, error);
}

static gboolean
compute_argmin (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, argmin_rows, reduce_get_axis, error);
}

static const CandelaParamInfo value_params[] = {
  REDUCE_PARAM_AXIS,
  REDUCE_PARAM_KEEPDIMS,
  { NULL },
};

static const CandelaParamInfo index_params[] = {
  { .name = "axis",
    .type = CANDELA_PARAM_INT,
    .summary = "the axis to search, counted from the end if negative; none: all elements in row-major order" },
  REDUCE_PARAM_KEEPDIMS,
  { NULL },
};

#define OP(NAME, INFER, AXES, PARAMS, SUMMARY)                                                                         \
  static const CandelaKernelInfo NAME##_kernels[] = { { .compute = compute_##NAME }, { .compute = NULL } };            \
                                                                                                                       \
  const CandelaOpInfo reduce_##NAME##_op = {                                                                           \
    .struct_size = sizeof (CandelaOpInfo),                                                                             \
    .name = #NAME,                                                                                                     \
    .summary = SUMMARY,                                                                                                \
    .since = "1.0",                                                                                                    \
    .inputs = reduce_inputs,                                                                                           \
    .params = PARAMS,                                                                                                  \
    .axes = CANDELA_AXES_REDUCTION,                                                                                    \
    .reduced_axes = AXES,                                                                                              \
    .infer = INFER,                                                                                                    \
    .kernels = NAME##_kernels,                                                                                         \
  };

OP (max, infer_value, reduce_get_axes, value_params, "The largest element along axes; NaN if there is one")
OP (min, infer_value, reduce_get_axes, value_params, "The smallest element along axes; NaN if there is one")
OP (argmax, infer_index, reduce_get_axis, index_params, "Where the first of the largest elements along an axis is")
OP (argmin, infer_index, reduce_get_axis, index_params, "Where the first of the smallest elements along an axis is")
