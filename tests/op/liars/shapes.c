/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Lies about shapes, dtypes and whose memory a result is. */
#include "liars.h"

#define KERNEL_FUNC(op) static gboolean op (CandelaKernel *kernel, GError **error)

/* ---- What infer says, and what is computed ---- */

static gboolean
copy_elements (CandelaKernel *kernel, GError **error)
{
  candela_kernel_pack_input (kernel, 0, CANDELA_DTYPE_FLOAT64, 0, (gsize) count_input (kernel),
                             candela_kernel_get_output (kernel, 0));
  return TRUE;
}

static gboolean
infer_fewer (CandelaInference *inference, GError **error)
{
  if (candela_layout_get_n_elements (candela_inference_get_input_layout (inference, 0)) == 0)
    return infer_list (inference, 0, error);
  return infer_list (inference, -1, error);
}

KERNEL_FUNC (infer_says_fewer)
{
  return copy_elements (kernel, error);
}
KERNEL (infer_says_fewer, .infer = infer_fewer);

static gboolean
infer_more (CandelaInference *inference, GError **error)
{
  return infer_list (inference, 1, error);
}

KERNEL_FUNC (infer_says_more)
{
  return copy_elements (kernel, error);
}
KERNEL (infer_says_more, .infer = infer_more);

KERNEL_FUNC (infer_says_wider)
{
  candela_kernel_pack_input (kernel, 0, CANDELA_DTYPE_FLOAT32, 0, (gsize) count_input (kernel),
                             candela_kernel_get_output (kernel, 0));
  return TRUE;
}
KERNEL (infer_says_wider, .infer = infer_same);

static gboolean
infer_by_turns (CandelaInference *inference, GError **error)
{
  static guint calls;

  return infer_list (inference, calls++ % 2, error);
}

KERNEL_FUNC (infer_changes_its_mind)
{
  return copy_elements (kernel, error);
}
KERNEL (infer_changes_its_mind, .infer = infer_by_turns);

static gboolean
infer_by_strides (CandelaInference *inference, GError **error)
{
  gboolean contiguous = candela_layout_is_contiguous (candela_inference_get_input_layout (inference, 0));

  return infer_list (inference, contiguous ? 0 : 1, error);
}

KERNEL_FUNC (infer_looks_at_strides)
{
  return copy_elements (kernel, error);
}
KERNEL (infer_looks_at_strides, .infer = infer_by_strides);

/* ---- Whose memory ---- */

KERNEL_FUNC (alias_computes)
{
  double *y = candela_kernel_get_output (kernel, 0);

  copy_elements (kernel, error);
  for (gint64 i = 0; i < count_input (kernel); i++)
    y[i] = y[i] * 2 + 1;
  return TRUE;
}

static const CandelaKernelInfo alias_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT64 }, .compute = alias_computes },
  { .compute = NULL },
};
OP (alias_computes, alias_kernels, .aliasing = CANDELA_ALIASING_ALIAS);
OP (takeover_computes, alias_kernels, .aliasing = CANDELA_ALIASING_TAKEOVER);

/* What is packed it says is the result; of the rest it makes another one. */
static gboolean
infer_alias_of_packed (CandelaInference *inference, GError **error)
{
  if (!candela_layout_is_contiguous (candela_inference_get_input_layout (inference, 0)))
    return infer_same (inference, error);
  candela_inference_set_alias (inference, 0, 0);
  return TRUE;
}

static gboolean
infer_alias_of_float64 (CandelaInference *inference, GError **error)
{
  if (candela_inference_get_input_dtype (inference, 0) != CANDELA_DTYPE_FLOAT64)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE, "only float64");
  return infer_alias_of_packed (inference, error);
}
OP (alias_by_layout, alias_kernels, .infer = infer_alias_of_float64);

/* Elements of the buffer that are not the input's. */
static gboolean
infer_outside (CandelaInference *inference, GError **error)
{
  const CandelaLayout *x = candela_inference_get_input_layout (inference, 0);
  const gint64 n = candela_layout_get_n_elements (x), stride = 2;
  CandelaLayout *layout = candela_layout_new_strided (&n, 1, &stride, 1, candela_layout_get_offset (x), error);

  if (layout == NULL)
    return FALSE;
  candela_inference_set_reference (inference, 0, 0, layout);
  return TRUE;
}

static const CandelaOpInfo reference_outside_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "reference_outside",
  .summary = "A lie",
  .since = "1.0",
  .inputs = one_input,
  .infer = infer_outside,
};

/* The shape of the input, as if it were packed. */
static gboolean
infer_packed (CandelaInference *inference, GError **error)
{
  gsize rank;
  const CandelaLayout *x = candela_inference_get_input_layout (inference, 0);
  const gint64 *shape = candela_layout_get_shape (x, &rank);
  gint64 first, end;
  CandelaLayout *layout = candela_layout_new (shape, rank, error);

  candela_layout_get_extent (x, &first, &end);
  if (layout == NULL)
    return FALSE;
  if (end < candela_layout_get_n_elements (layout) || first > 0)
    {
      candela_layout_unref (layout);
      candela_inference_set_alias (inference, 0, 0);
      return TRUE;
    }
  candela_inference_set_reference (inference, 0, 0, layout);
  return TRUE;
}

static const CandelaOpInfo reference_forgets_strides_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "reference_forgets_strides",
  .summary = "A lie",
  .since = "1.0",
  .inputs = one_input,
  .infer = infer_packed,
};

/* ---- Shapes that depend on data ---- */

static gboolean
infer_unknown (CandelaInference *inference, GError **error)
{
  const gint64 unknown = 0;

  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_FLOAT64, &unknown, 1, error);
}

/* Says so many, and writes so many. */
static gboolean
compute_shape (CandelaKernel *kernel, gint64 said, gint64 written, GError **error)
{
  volatile double *y;

  if (!candela_kernel_set_output_shape (kernel, 0, &said, 1, error))
    return FALSE;
  y = candela_kernel_get_output (kernel, 0);
  for (gint64 i = 0; i < written; i++)
    y[i] = 1;
  return TRUE;
}

KERNEL_FUNC (shape_is_too_large)
{
  return compute_shape (kernel, count_input (kernel) + 1, count_input (kernel), error);
}
KERNEL (shape_is_too_large, .infer = infer_unknown, .output_shape = CANDELA_OUTPUT_SHAPE_DATA);

KERNEL_FUNC (shape_is_too_small)
{
  return compute_shape (kernel, count_input (kernel), count_input (kernel) + 1, error);
}
KERNEL (shape_is_too_small, .infer = infer_unknown, .output_shape = CANDELA_OUTPUT_SHAPE_DATA);

KERNEL_FUNC (shape_changes)
{
  static gint64 calls;
  gint64 n = calls++ % 2;

  return compute_shape (kernel, n, n, error);
}
KERNEL (shape_changes, .infer = infer_unknown, .output_shape = CANDELA_OUTPUT_SHAPE_DATA);

KERNEL_FUNC (shape_is_not_said)
{
  return TRUE;
}
KERNEL (shape_is_not_said, .infer = infer_unknown, .output_shape = CANDELA_OUTPUT_SHAPE_DATA);

const CandelaOpInfo *const lying_shapes[] = {
  &infer_says_fewer_info,
  &infer_says_more_info,
  &infer_says_wider_info,
  &infer_changes_its_mind_info,
  &infer_looks_at_strides_info,
  &alias_computes_info,
  &takeover_computes_info,
  &alias_by_layout_info,
  &reference_outside_info,
  &reference_forgets_strides_info,
  &shape_is_too_large_info,
  &shape_is_too_small_info,
  &shape_changes_info,
  &shape_is_not_said_info,
  NULL,
};
