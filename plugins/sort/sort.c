/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * sort: the elements become keys in the result itself where these are of one size. */
#include "sort.h"

enum {
  PARAM_AXIS,
  PARAM_DESCENDING,
  PARAM_STABLE
};

/* ---- Zeros ---- */

/* Writes the zeros of the elements, in their order, over those of the sorted ones. */
#define PUT_ZEROS(type)                                                                                                \
  {                                                                                                                    \
    const type *from = elements;                                                                                       \
    type *to = sorted;                                                                                                 \
                                                                                                                       \
    for (gint64 i = 0; i < n; i++)                                                                                     \
      if (to[i] == 0)                                                                                                  \
        {                                                                                                              \
          while (*from != 0)                                                                                           \
            from++;                                                                                                    \
          to[i] = *from++;                                                                                             \
        }                                                                                                              \
  }

static gboolean
put_zeros (const SortCall *call, gint64 line, gpointer sorted, GError **error)
{
  const gint64 n = call->n;
  g_autofree gpointer memory = g_try_malloc ((gsize) n * call->size);
  gconstpointer elements;

  if (memory == NULL)
    {
      g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "there is no memory to sort in");
      return FALSE;
    }
  elements = sort_get_line (call, line, memory);
  if (call->dtype == CANDELA_DTYPE_FLOAT32)
    PUT_ZEROS (float)
  else
    PUT_ZEROS (double)
  return TRUE;
}

/* ---- Lines ---- */

static gboolean
sort_line (const SortCall *call, gint64 line, guint8 *memory, gpointer const *out, GError **error)
{
  const gsize n = (gsize) call->n, key_size = call->size > 4 ? 8 : 4;
  GCancellable *cancellable = candela_kernel_get_cancellable (call->kernel);
  gboolean narrow = call->size < key_size, negative_zeros;
  guint8 *scratch = memory + (narrow ? n * key_size : 0);
  gpointer keys = narrow ? (gpointer) memory : out[0];
  gconstpointer elements = sort_get_line (call, line, narrow ? scratch : keys);

  negative_zeros = sort_set->to_keys[call->dtype](keys, elements, n, call->descending);
  if (!(key_size == 4 ? sort_set->sort32 (keys, n, n, scratch, cancellable)
                      : sort_set->sort64 (keys, n, n, scratch, cancellable)))
    return sort_fail_cancelled (error);
  sort_set->from_keys[call->dtype](out[0], keys, n, call->descending);
  return !negative_zeros || put_zeros (call, line, out[0], error);
}

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  const CandelaLayout *layout = candela_kernel_get_input_layout (kernel, 0);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  SortCall call = { .kernel = kernel, .n_outputs = 1, .run = sort_line };

  call.axis = sort_get_axis (params, PARAM_AXIS, (guint) rank);
  call.descending = candela_params_get_bool (params, PARAM_DESCENDING);
  call.dtype = candela_kernel_get_input_dtype (kernel, 0);
  call.size = candela_dtype_get_size (call.dtype);
  call.n = shape[call.axis];
  call.work_size = (gsize) call.n * MAX (call.size, 8);
  return sort_call_run (&call, error);
}

/* ---- The op ---- */

static guint32
opaque_axes (const CandelaParams *params, guint rank)
{
  return 1u << sort_get_axis (params, PARAM_AXIS, rank);
}

static gboolean
infer (CandelaInference *inference, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);

  return sort_check_axis (inference, PARAM_AXIS, error) >= 0
         && candela_inference_set_output (inference, 0, candela_inference_get_input_dtype (inference, 0), shape, rank,
                                          error);
}

static const CandelaParamInfo params[] = {
  SORT_PARAM_AXIS,
  { "descending", CANDELA_PARAM_BOOL, .default_value = "false",
    .summary = "the largest first; NaN is last all the same" },
  { "stable", CANDELA_PARAM_BOOL, .default_value = "true",
    .summary = "keep the order of equal elements; it always is" },
  { NULL },
};

static const CandelaKernelInfo kernels[] = { { .compute = compute }, { .compute = NULL } };

/* The axis stays, but each element of the result may come from anywhere in it: to the
 * engine it is one that is reduced, and the others are on their own. */
const CandelaOpInfo sort_sort_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "sort",
  .summary = "The elements along an axis in order; NaN last",
  .formula = "out[i] ≤ out[i + 1], i along axis; ≥ with descending",
  .example = "x = [3, 1, 2]; sort(x), sort(x, descending=true)",
  .since = "1.0",
  .inputs = sort_inputs,
  .params = params,
  .axes = CANDELA_AXES_REDUCTION,
  .reduced_axes = opaque_axes,
  .infer = infer,
  .kernels = kernels,
};
