/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * cumulative_sum and cumulative_prod: what they take and what comes out. */
#include "scan.h"

#define NUMERIC                                                                                                        \
  (CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED | CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX)

guint
scan_get_axis (const CandelaParams *params, guint rank)
{
  gint64 axis = candela_params_is_set (params, SCAN_PARAM_AXIS) ? candela_params_get_int (params, SCAN_PARAM_AXIS) : 0;

  return (guint) (axis < 0 ? axis + rank : axis);
}

static guint32
opaque_axes (const CandelaParams *params, guint rank)
{
  return 1u << scan_get_axis (params, rank);
}

static gboolean
check_axis (const CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);
  g_autofree char *text = candela_shape_to_string (shape, rank);
  gint64 axis;

  if (rank == 0)
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE, "x has shape []; an axis is needed");
  if (!candela_params_is_set (params, SCAN_PARAM_AXIS))
    return rank == 1
           || candela_inference_fail (inference, error, CANDELA_ERROR_AXIS, "x has shape %s; say along which axis",
                                      text);
  axis = candela_params_get_int (params, SCAN_PARAM_AXIS);
  if (axis < -(gint64) rank || axis >= (gint64) rank)
    return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                                   "axis %" G_GINT64_FORMAT " is out of range: x has shape %s", axis, text);
  return TRUE;
}

static gboolean
choose_dtype (const CandelaInference *inference, CandelaDType *dtype, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  CandelaDType in = candela_inference_get_input_dtype (inference, 0);
  CandelaDTypeKind kind = candela_dtype_get_kind (in);

  if (!candela_params_is_set (params, SCAN_PARAM_DTYPE))
    {
      *dtype = kind == CANDELA_DTYPE_KIND_UNSIGNED                                   ? CANDELA_DTYPE_UINT64
               : (kind & (CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_BOOL)) != 0 ? CANDELA_DTYPE_INT64
                                                                                     : in;
      return TRUE;
    }
  *dtype = candela_params_get_dtype (params, SCAN_PARAM_DTYPE);
  if ((candela_dtype_get_kind (*dtype) & NUMERIC) == 0)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE,
                                   "the result cannot have dtype %s: a numeric one is needed",
                                   candela_dtype_get_name (*dtype));
  if (kind == CANDELA_DTYPE_KIND_COMPLEX && candela_dtype_get_kind (*dtype) != CANDELA_DTYPE_KIND_COMPLEX)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE,
                                   "x has dtype %s; the result cannot have dtype %s: a complex one is needed",
                                   candela_dtype_get_name (in), candela_dtype_get_name (*dtype));
  return TRUE;
}

static gboolean
infer (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  gint64 out[CANDELA_MAX_RANK];
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);
  CandelaDType dtype;

  if (!check_axis (inference, error) || !choose_dtype (inference, &dtype, error))
    return FALSE;
  memcpy (out, shape, rank * sizeof *out);
  if (candela_params_get_bool (params, SCAN_PARAM_INCLUDE_INITIAL)
      && __builtin_add_overflow (out[scan_get_axis (params, (guint) rank)], 1,
                                 &out[scan_get_axis (params, (guint) rank)]))
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE, "there is no room for an initial element");
  return candela_inference_set_output (inference, 0, dtype, out, rank, error);
}

static gboolean
compute_sum (CandelaKernel *kernel, GError **error)
{
  return scan_run (kernel, scan_sums, error);
}

static gboolean
compute_prod (CandelaKernel *kernel, GError **error)
{
  return scan_run (kernel, scan_products, error);
}

static const CandelaInputInfo inputs[] = {
  { "x", .summary = "the elements" },
  { NULL },
};

static const CandelaParamInfo params[] = {
  { "axis", CANDELA_PARAM_INT,
    .summary = "the axis to go along, counted from the end if negative; may be left out if there is one only" },
  { "dtype", CANDELA_PARAM_DTYPE,
    .summary = "of the result, and of the elements before they are taken; none: of integers int64 or uint64, else "
               "their own" },
  { "include_initial", CANDELA_PARAM_BOOL, .default_value = "false",
    .summary = "begin with the result of no elements" },
  { NULL },
};

/* Index by index, where the result is as large as x. */
static const CandelaInPlace in_place[] = {
  { .output = 0, .input = 0, .mode = CANDELA_IN_PLACE_SAME_INDEX },
  { .mode = CANDELA_IN_PLACE_NEVER },
};

static const CandelaKernelInfo sum_kernels[] = { { .compute = compute_sum }, { .compute = NULL } };
static const CandelaKernelInfo prod_kernels[] = { { .compute = compute_prod }, { .compute = NULL } };

/* The axis stays, but each of its results may need all of it: to the engine it is
 * one that is reduced, and the others are on their own. */
#define SCAN_OP(op, op_summary, op_formula, op_example, op_kernels)                                                    \
  static const CandelaOpInfo op##_info = { .struct_size = sizeof (CandelaOpInfo),                                      \
                                           .name = #op,                                                                \
                                           .summary = op_summary,                                                      \
                                           .formula = op_formula,                                                      \
                                           .example = op_example,                                                      \
                                           .since = "1.0",                                                             \
                                           .inputs = inputs,                                                           \
                                           .params = params,                                                           \
                                           .axes = CANDELA_AXES_REDUCTION,                                             \
                                           .reduced_axes = opaque_axes,                                                \
                                           .in_place = in_place,                                                       \
                                           .infer = infer,                                                             \
                                           .kernels = op_kernels };

SCAN_OP (cumulative_sum, "The sums of the elements so far along an axis, in binary64 for floats",
         "out[i] = x[0] + x[1] + … + x[i], i along axis",
         "x = [1, 2, 3, 4]; cumulative_sum(x), cumulative_sum(x, include_initial=true)", sum_kernels)
SCAN_OP (cumulative_prod, "The products of the elements so far along an axis, in binary64 for floats",
         "out[i] = x[0] · x[1] · … · x[i], i along axis",
         "x = [1, 2, 3, 4]; cumulative_prod(x), cumulative_prod(x, include_initial=true)", prod_kernels)

const CandelaOpInfo *const scan_ops[] = { &cumulative_sum_info, &cumulative_prod_info, NULL };
