/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * arange and linspace. Element i is computed from i, never from the element before
 * it, so nothing accumulates; the roundings are NumPy's. */
#include "create.h"

#define NUMBERS (CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED | CANDELA_DTYPE_KIND_FLOAT)

enum {
  ARANGE_PARAM_START,
  ARANGE_PARAM_STOP,
  ARANGE_PARAM_STEP,
  ARANGE_PARAM_DTYPE,
  LINSPACE_PARAM_START = 0,
  LINSPACE_PARAM_STOP = 1,
  LINSPACE_PARAM_NUM = 2,
  LINSPACE_PARAM_DTYPE = 3,
  LINSPACE_PARAM_ENDPOINT = 4
};

/* ---- arange ---- */

static gboolean
arange_is_integer (const CandelaParams *params)
{
  for (guint i = ARANGE_PARAM_START; i <= ARANGE_PARAM_STEP; i++)
    if (candela_params_is_set (params, i) && candela_params_get_scalar_kind (params, i) == CANDELA_DTYPE_FLOAT64)
      return FALSE;
  return TRUE;
}

/* A single bound is where it stops. */
static void
arange_integers (const CandelaParams *params, gint64 *start, gint64 *stop, gint64 *step)
{
  gboolean both = candela_params_is_set (params, ARANGE_PARAM_STOP);

  *start = both ? candela_params_get_int (params, ARANGE_PARAM_START) : 0;
  *stop = candela_params_get_int (params, both ? ARANGE_PARAM_STOP : ARANGE_PARAM_START);
  *step = candela_params_is_set (params, ARANGE_PARAM_STEP) ? candela_params_get_int (params, ARANGE_PARAM_STEP) : 1;
}

static void
arange_floats (const CandelaParams *params, double *start, double *stop, double *step)
{
  gboolean both = candela_params_is_set (params, ARANGE_PARAM_STOP);

  *start = both ? candela_params_get_float (params, ARANGE_PARAM_START) : 0.0;
  *stop = candela_params_get_float (params, both ? ARANGE_PARAM_STOP : ARANGE_PARAM_START);
  *step =
    candela_params_is_set (params, ARANGE_PARAM_STEP) ? candela_params_get_float (params, ARANGE_PARAM_STEP) : 1.0;
}

static gboolean
arange_count_integers (CandelaInference *inference, CandelaDType dtype, gint64 *n, GError **error)
{
  gint64 start, stop, step;

  arange_integers (candela_inference_get_params (inference), &start, &stop, &step);
  *n = 0;
  if (step == 0)
    return candela_inference_fail (inference, error, CANDELA_ERROR_PARAMETER, "step is 0");
  if (step > 0 ? start >= stop : start <= stop)
    return TRUE;

  /* Distances fit unsigned numbers, whatever the signs. */
  guint64 distance = step > 0 ? (guint64) stop - (guint64) start : (guint64) start - (guint64) stop;
  guint64 stride = step > 0 ? (guint64) step : -(guint64) step;
  guint64 count = (distance - 1) / stride + 1;

  if (count > G_MAXINT64)
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                   "from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " are more elements than can be "
                                   "counted",
                                   start, stop);
  *n = (gint64) count;
  gint64 last = (gint64) ((guint64) start + (count - 1) * (guint64) step);

  if (!create_fits (dtype, start) || !create_fits (dtype, last))
    return candela_inference_fail (inference, error, CANDELA_ERROR_PARAMETER,
                                   "%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " are not all values of dtype %s", start,
                                   last, candela_dtype_get_name (dtype));
  return TRUE;
}

static gboolean
arange_count_floats (CandelaInference *inference, gint64 *n, GError **error)
{
  double start, stop, step, count;

  arange_floats (candela_inference_get_params (inference), &start, &stop, &step);
  if (!(step != 0.0) || !isfinite (start) || !isfinite (stop) || isnan (step))
    return candela_inference_fail (inference, error, CANDELA_ERROR_PARAMETER,
                                   "start and stop must be finite and step another number than 0");
  count = ceil ((stop - start) / step);
  if (!(count < 0x1p63))
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                   "from %g to %g by steps of %g are more elements than can be counted", start, stop,
                                   step);
  *n = count > 0.0 ? (gint64) count : 0;
  return TRUE;
}

static gboolean
infer_arange (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  gboolean integer = arange_is_integer (params);
  CandelaDType dtype = integer ? CANDELA_DTYPE_INT64 : CANDELA_DTYPE_FLOAT64;
  gint64 n;

  if (candela_params_is_set (params, ARANGE_PARAM_DTYPE))
    dtype = candela_params_get_dtype (params, ARANGE_PARAM_DTYPE);
  if (!create_check_dtype (inference, dtype, NUMBERS, error))
    return FALSE;
  if (!integer && candela_dtype_get_kind (dtype) != CANDELA_DTYPE_KIND_FLOAT)
    return candela_inference_fail (inference, error, CANDELA_ERROR_PARAMETER,
                                   "start, stop and step must be integers for dtype %s",
                                   candela_dtype_get_name (dtype));
  if (!(integer ? arange_count_integers (inference, dtype, &n, error) : arange_count_floats (inference, &n, error)))
    return FALSE;
  return candela_inference_set_output (inference, 0, dtype, &n, 1, error);
}

#define ARANGE_ROW(DTYPE, type, smallest, largest)                                                                     \
  case CANDELA_DTYPE_##DTYPE:                                                                                          \
    for (gint64 i = first; i < first + n; i++)                                                                         \
      ((type *) out)[i] = (type) ((guint64) start + (guint64) i * (guint64) step);                                     \
    break;

static void
fill_arange_integers (CandelaKernel *kernel, gconstpointer data, gpointer out, gint64 first, gint64 n)
{
  gint64 start, stop, step;

  arange_integers (candela_kernel_get_params (kernel), &start, &stop, &step);
  switch ((int) candela_kernel_get_output_dtype (kernel, 0))
    {
      CREATE_INTEGERS (ARANGE_ROW)
    default:
      break;
    }
}

/* NumPy's way: the step is the difference of the first two elements as they were
 * rounded, and all is computed in the result's dtype. */
static void
fill_arange_floats (CandelaKernel *kernel, gconstpointer data, gpointer out, gint64 first, gint64 n)
{
  double start, stop, step;

  arange_floats (candela_kernel_get_params (kernel), &start, &stop, &step);
  if (candela_kernel_get_output_dtype (kernel, 0) == CANDELA_DTYPE_FLOAT64)
    {
      double delta = (start + step) - start;

      for (gint64 i = first; i < first + n; i++)
        ((double *) out)[i] = i == 0 ? start : i == 1 ? start + step : start + (double) i * delta;
    }
  else
    {
      float start32 = (float) start, second = (float) (start + step), delta = second - start32;

      for (gint64 i = first; i < first + n; i++)
        ((float *) out)[i] = i == 0 ? start32 : i == 1 ? second : start32 + (float) i * delta;
    }
}

static gboolean
compute_arange (CandelaKernel *kernel, GError **error)
{
  gboolean floats = candela_dtype_get_kind (candela_kernel_get_output_dtype (kernel, 0)) == CANDELA_DTYPE_KIND_FLOAT;

  return create_run (kernel, floats ? fill_arange_floats : fill_arange_integers, NULL, error);
}

/* ---- linspace ---- */

static gboolean
infer_linspace (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  CandelaDType dtype = candela_params_get_dtype (params, LINSPACE_PARAM_DTYPE);
  gint64 n = candela_params_get_int (params, LINSPACE_PARAM_NUM);

  return create_check_dtype (inference, dtype, CANDELA_DTYPE_KIND_FLOAT, error)
         && candela_inference_set_output (inference, 0, dtype, &n, 1, error);
}

static void
fill_linspace (CandelaKernel *kernel, gconstpointer data, gpointer out, gint64 first, gint64 n)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  double start = candela_params_get_float (params, LINSPACE_PARAM_START);
  double stop = candela_params_get_float (params, LINSPACE_PARAM_STOP);
  gint64 num = candela_params_get_int (params, LINSPACE_PARAM_NUM);
  gboolean endpoint = candela_params_get_bool (params, LINSPACE_PARAM_ENDPOINT);
  gint64 intervals = endpoint ? num - 1 : num;
  double delta = stop - start;
  double step = intervals > 0 ? delta / (double) intervals : 0.0;
  gboolean wide = candela_kernel_get_output_dtype (kernel, 0) == CANDELA_DTYPE_FLOAT64;

  for (gint64 i = first; i < first + n; i++)
    {
      double value;

      if (endpoint && i == num - 1 && num > 1)
        value = stop;
      else if (step != 0.0)
        value = (double) i * step + start;
      else /* the step is below the smallest number, or there is one element */
        value = (intervals > 0 ? (double) i / (double) intervals : (double) i) * delta + start;
      if (wide)
        ((double *) out)[i] = value;
      else
        ((float *) out)[i] = (float) value;
    }
}

static gboolean
compute_linspace (CandelaKernel *kernel, GError **error)
{
  return create_run (kernel, fill_linspace, NULL, error);
}

/* ---- Declarations ---- */

static const CandelaParamInfo arange_params[] = {
  { .name = "start",
    .type = CANDELA_PARAM_SCALAR,
    .flags = CANDELA_PARAM_REQUIRED,
    .summary = "the first value; without stop, where it ends, from 0" },
  { .name = "stop", .type = CANDELA_PARAM_SCALAR, .summary = "where it ends; not among the values" },
  { .name = "step",
    .type = CANDELA_PARAM_SCALAR,
    .default_value = "1",
    .summary = "from one value to the next; not 0" },
  { .name = "dtype",
    .type = CANDELA_PARAM_DTYPE,
    .summary = "of the result; none: int64 if all are integers, else float64" },
  { NULL },
};

static const CandelaParamInfo linspace_params[] = {
  { .name = "start", .type = CANDELA_PARAM_FLOAT, .flags = CANDELA_PARAM_REQUIRED, .summary = "the first value" },
  { .name = "stop", .type = CANDELA_PARAM_FLOAT, .flags = CANDELA_PARAM_REQUIRED, .summary = "the last value" },
  { .name = "num",
    .type = CANDELA_PARAM_INT,
    .flags = CANDELA_PARAM_REQUIRED,
    .maximum = (double) G_MAXINT64,
    .summary = "how many values" },
  CREATE_PARAM_DTYPE,
  { .name = "endpoint",
    .type = CANDELA_PARAM_BOOL,
    .default_value = "true",
    .summary = "stop is the last value; else it is the one after the last" },
  { NULL },
};

static const CandelaKernelInfo arange_kernels[] = { { .compute = compute_arange }, { .compute = NULL } };
static const CandelaKernelInfo linspace_kernels[] = { { .compute = compute_linspace }, { .compute = NULL } };

const CandelaOpInfo create_arange_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "arange",
  .summary = "Evenly spaced values, from start up to but without stop",
  .formula = "out[i] = start + i · step, as long as that is before stop",
  .example = "arange(5), arange(2, 3, 0.25)",
  .since = "1.0",
  .params = arange_params,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_arange,
  .kernels = arange_kernels,
};

const CandelaOpInfo create_linspace_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "linspace",
  .summary = "A number of evenly spaced values, from start to stop",
  .formula = "out[i] = start + i · (stop - start) / m\n"
             "where m is num - 1, or num without the endpoint",
  .example = "linspace(0, 1, 5), linspace(0, 1, 4, endpoint=false)",
  .since = "1.0",
  .params = linspace_params,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_linspace,
  .kernels = linspace_kernels,
};
