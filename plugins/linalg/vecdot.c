/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vecdot and outer. Dot products are summed pairwise: blocks of BLOCK products in
 * LANES lanes, the lanes joined by halves and the blocks by a binary tree, by
 * logical index alone; floats in binary64, where a product of two binary32 is
 * exact. */
#include "linalg.h"

#define LANES 16
#define BLOCK 1024
#define MAX_LEVELS 64
#define CANCEL_OUTPUTS 64

/* ---- vecdot ---- */

enum {
  PARAM_AXIS
};

#define DOT(name, type, zero)                                                                                          \
  static type dot_block_##name (const type *x, const type *y, gsize n)                                                 \
  {                                                                                                                    \
    type lanes[LANES];                                                                                                 \
    gsize i = 0;                                                                                                       \
                                                                                                                       \
    for (guint l = 0; l < LANES; l++)                                                                                  \
      lanes[l] = zero;                                                                                                 \
    for (; i + LANES <= n; i += LANES)                                                                                 \
      for (guint l = 0; l < LANES; l++)                                                                                \
        lanes[l] += x[i + l] * y[i + l];                                                                               \
    for (guint l = 0; i < n; i++, l++)                                                                                 \
      lanes[l] += x[i] * y[i];                                                                                         \
    for (guint half = LANES / 2; half > 0; half /= 2)                                                                  \
      for (guint l = 0; l < half; l++)                                                                                 \
        lanes[l] += lanes[l + half];                                                                                   \
    return lanes[0];                                                                                                   \
  }                                                                                                                    \
                                                                                                                       \
  /* Of rows that start at these logical indices of the two layouts. */                                                \
  static type dot_##name (CandelaKernel *kernel, CandelaLayout *const *layouts, const gint64 *starts, gint64 n,        \
                          CandelaDType dtype)                                                                          \
  {                                                                                                                    \
    type x[BLOCK], y[BLOCK], levels[MAX_LEVELS];                                                                       \
    guint depth = 0;                                                                                                   \
                                                                                                                       \
    for (gint64 done = 0, blocks = 1; done < n; done += BLOCK, blocks++)                                               \
      {                                                                                                                \
        gsize part = MIN (n - done, BLOCK);                                                                            \
                                                                                                                       \
        candela_kernel_pack_layout (kernel, 0, layouts[0], dtype, starts[0] + done, part, x);                          \
        candela_kernel_pack_layout (kernel, 1, layouts[1], dtype, starts[1] + done, part, y);                          \
        levels[depth++] = dot_block_##name (x, y, part);                                                               \
        for (gint64 m = blocks; m % 2 == 0; m /= 2, depth--)                                                           \
          levels[depth - 2] += levels[depth - 1];                                                                      \
      }                                                                                                                \
    for (; depth > 1; depth--)                                                                                         \
      levels[depth - 2] += levels[depth - 1];                                                                          \
    return depth == 0 ? 0 : levels[0];                                                                                 \
  }

DOT (float, double, -0.0)
DOT (integer, guint64, 0)

/* The shape without the axis, which counts from the end. */
static gsize
drop_axis (const gint64 *shape, gsize rank, gint64 axis, gint64 *out)
{
  gsize n = 0;

  for (gsize k = 0; k < rank; k++)
    if (k != (gsize) ((gint64) rank + axis))
      out[n++] = shape[k];
  return n;
}

static gboolean
infer_vecdot (CandelaInference *inference, GError **error)
{
  CandelaDType dtype = candela_inference_get_promoted_dtype (inference);
  gint64 axis = candela_params_get_int (candela_inference_get_params (inference), PARAM_AXIS);
  gint64 rest[2][CANDELA_MAX_RANK], out[CANDELA_MAX_RANK], extents[2];
  gsize ranks[2], rank;

  if (dtype == CANDELA_DTYPE_INVALID)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE, "x1 and x2 have no common dtype");
  for (guint i = 0; i < 2; i++)
    {
      const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, i), &rank);

      if (axis >= 0 || axis < -(gint64) rank)
        return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                                       "axis %" G_GINT64_FORMAT " is out of range: it counts from the end, from -1 to "
                                       "-%" G_GSIZE_FORMAT " for x%u",
                                       axis, rank, i + 1);
      extents[i] = shape[(gint64) rank + axis];
      ranks[i] = drop_axis (shape, rank, axis, rest[i]);
    }
  if (extents[0] != extents[1])
    {
      g_autofree char *reason =
        g_strdup_printf ("%" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " must be equal", extents[0], extents[1]);

      return linalg_fail_shapes (inference, reason, error);
    }
  if (!linalg_broadcast (rest[0], ranks[0], rest[1], ranks[1], out, &rank))
    return linalg_fail_shapes (inference, "the axes that are not summed over cannot be broadcast together", error);
  return candela_inference_set_output (inference, 0, dtype, out, rank, error);
}

static guint64
count_vecdot_flops (const CandelaInference *inference)
{
  gint64 axis = candela_params_get_int (candela_inference_get_params (inference), PARAM_AXIS);
  gint64 rest[2][CANDELA_MAX_RANK], out[CANDELA_MAX_RANK];
  gsize ranks[2], rank;
  guint64 n = 2;

  for (guint i = 0; i < 2; i++)
    {
      const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, i), &rank);

      ranks[i] = drop_axis (shape, rank, axis, rest[i]);
      if (i == 0)
        n *= (guint64) shape[(gint64) rank + axis];
    }
  linalg_broadcast (rest[0], ranks[0], rest[1], ranks[1], out, &rank);
  for (gsize k = 0; k < rank; k++)
    n *= (guint64) out[k];
  return n;
}

/* An input with the axis last, and how many rows lie between neighbours along each
 * axis of the result. */
static CandelaLayout *
put_axis_last (CandelaKernel *kernel, guint input, gint64 axis, gsize out_rank, gint64 *numbers, GError **error)
{
  const CandelaLayout *layout = candela_kernel_get_input_layout (kernel, input);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  gint64 order[CANDELA_MAX_RANK], number = 1;
  gsize n = 0;

  axis += (gint64) rank;
  for (gsize k = 0; k < rank; k++)
    if ((gint64) k != axis)
      order[n++] = (gint64) k;
  order[n] = axis;
  for (gsize k = 1; k <= out_rank; k++)
    {
      gint64 extent = k <= n ? shape[order[n - k]] : 1;

      numbers[out_rank - k] = extent == 1 ? 0 : number;
      number *= extent;
    }
  return candela_layout_permute (layout, order, rank, error);
}

static void
store (CandelaDType dtype, gpointer out, gint64 i, CandelaKernel *kernel, CandelaLayout *const *layouts,
       const gint64 *starts, gint64 n)
{
  guint64 bits = 0;

  if (dtype == CANDELA_DTYPE_FLOAT64)
    ((double *) out)[i] = dot_float (kernel, layouts, starts, n, CANDELA_DTYPE_FLOAT64);
  else if (dtype == CANDELA_DTYPE_FLOAT32)
    ((float *) out)[i] = (float) dot_float (kernel, layouts, starts, n, CANDELA_DTYPE_FLOAT64);
  else
    bits = dot_integer (kernel, layouts, starts, n,
                        dtype == CANDELA_DTYPE_UINT64 ? CANDELA_DTYPE_UINT64 : CANDELA_DTYPE_INT64);
  if (candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_FLOAT)
    return;
  switch (candela_dtype_get_size (dtype))
    {
    case 1:
      ((guint8 *) out)[i] = (guint8) bits;
      break;
    case 2:
      ((guint16 *) out)[i] = (guint16) bits;
      break;
    case 4:
      ((guint32 *) out)[i] = (guint32) bits;
      break;
    default:
      ((guint64 *) out)[i] = bits;
    }
}

static gboolean
compute_vecdot (CandelaKernel *kernel, GError **error)
{
  gint64 axis = candela_params_get_int (candela_kernel_get_params (kernel), PARAM_AXIS);
  const CandelaLayout *out_layout = candela_kernel_get_output_layout (kernel, 0);
  const CandelaLayout *layout = candela_kernel_get_input_layout (kernel, 0);
  gsize rank, in_rank;
  const gint64 *shape = candela_layout_get_shape (out_layout, &rank);
  gint64 n = candela_layout_get_shape (layout, &in_rank)[(gint64) candela_layout_get_rank (layout) + axis];
  gint64 numbers[2][CANDELA_MAX_RANK], n_outputs = candela_layout_get_n_elements (out_layout);
  g_autoptr (CandelaLayout) left = put_axis_last (kernel, 0, axis, rank, numbers[0], error);
  g_autoptr (CandelaLayout) right = left != NULL ? put_axis_last (kernel, 1, axis, rank, numbers[1], error) : NULL;
  CandelaLayout *layouts[2] = { left, right };

  if (left == NULL || right == NULL)
    return FALSE;
  for (gint64 i = 0; i < n_outputs; i++)
    {
      gint64 starts[2] = { 0, 0 }, rest = i;

      if (i % CANCEL_OUTPUTS == 0
          && g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error))
        return FALSE;
      for (gsize k = rank; k-- > 0; rest /= shape[k])
        for (guint input = 0; input < 2; input++)
          starts[input] += rest % shape[k] * numbers[input][k] * n;
      store (candela_kernel_get_output_dtype (kernel, 0), candela_kernel_get_output (kernel, 0), i, kernel, layouts,
             starts, n);
    }
  return TRUE;
}

/* ---- outer ---- */

static gboolean
infer_outer (CandelaInference *inference, GError **error)
{
  CandelaDType dtype = candela_inference_get_promoted_dtype (inference);
  gint64 shape[2];

  if (dtype == CANDELA_DTYPE_INVALID)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE, "x1 and x2 have no common dtype");
  for (guint i = 0; i < 2; i++)
    {
      gsize rank;
      const gint64 *extents = candela_layout_get_shape (candela_inference_get_input_layout (inference, i), &rank);

      if (rank != 1)
        return linalg_fail_shapes (inference, "both need one axis exactly", error);
      shape[i] = extents[0];
    }
  return candela_inference_set_output (inference, 0, dtype, shape, 2, error);
}

static guint64
count_outer_flops (const CandelaInference *inference)
{
  guint64 n = 1;

  for (guint i = 0; i < 2; i++)
    n *= (guint64) candela_layout_get_n_elements (candela_inference_get_input_layout (inference, i));
  return n;
}

#define OUTER(name, type, wide)                                                                                        \
  static void outer_##name (gconstpointer x, gconstpointer y, gint64 i, gint64 n, gpointer out)                        \
  {                                                                                                                    \
    wide factor = ((const type *) x)[i];                                                                               \
    const type *right = y;                                                                                             \
    type *row = (type *) out + i * n;                                                                                  \
                                                                                                                       \
    _Pragma ("GCC ivdep") for (gint64 j = 0; j < n; j++) row[j] = (type) (factor * right[j]);                          \
  }

OUTER (8, guint8, guint32)
OUTER (16, guint16, guint32)
OUTER (32, guint32, guint32)
OUTER (64, guint64, guint64)
OUTER (float, float, float)
OUTER (double, double, double)

static gboolean
compute_outer (CandelaKernel *kernel, GError **error)
{
  CandelaDType dtype = candela_kernel_get_output_dtype (kernel, 0);
  gsize size = candela_dtype_get_size (dtype);
  gint64 m = candela_layout_get_n_elements (candela_kernel_get_input_layout (kernel, 0));
  gint64 n = candela_layout_get_n_elements (candela_kernel_get_input_layout (kernel, 1));
  g_autofree gpointer x = NULL, y = NULL;
  void (*row) (gconstpointer x, gconstpointer y, gint64 i, gint64 n, gpointer out) =
    dtype == CANDELA_DTYPE_FLOAT32   ? outer_float
    : dtype == CANDELA_DTYPE_FLOAT64 ? outer_double
    : size == 1                      ? outer_8
    : size == 2                      ? outer_16
    : size == 4                      ? outer_32
                                     : outer_64;

  x = linalg_alloc (m, dtype, error);
  y = x != NULL ? linalg_alloc (n, dtype, error) : NULL;
  if (x == NULL || y == NULL)
    return FALSE;
  candela_kernel_pack_input (kernel, 0, dtype, 0, (gsize) m, x);
  candela_kernel_pack_input (kernel, 1, dtype, 0, (gsize) n, y);
  for (gint64 i = 0; i < m; i++)
    {
      if (i % CANCEL_OUTPUTS == 0
          && g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error))
        return FALSE;
      row (x, y, i, n, candela_kernel_get_output (kernel, 0));
    }
  return TRUE;
}

static const CandelaParamInfo vecdot_params[] = {
  { .name = "axis",
    .type = CANDELA_PARAM_INT,
    .default_value = "-1",
    .summary = "the axis to sum over, counted from the end: -1 is the last" },
  { NULL },
};

static const CandelaKernelInfo vecdot_kernels[] = { { .compute = compute_vecdot }, { .compute = NULL } };
static const CandelaKernelInfo outer_kernels[] = { { .compute = compute_outer }, { .compute = NULL } };

const CandelaOpInfo linalg_vecdot_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "vecdot",
  .summary = "Dot products of vectors along an axis, the others broadcast",
  .since = "1.0",
  .inputs = linalg_inputs,
  .params = vecdot_params,
  .axes = CANDELA_AXES_REDUCTION,
  .infer = infer_vecdot,
  .kernels = vecdot_kernels,
  .flops = count_vecdot_flops,
};

const CandelaOpInfo linalg_outer_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "outer",
  .summary = "Every product of an element of one vector and one of another",
  .since = "1.0",
  .inputs = linalg_inputs,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_outer,
  .kernels = outer_kernels,
  .flops = count_outer_flops,
};
