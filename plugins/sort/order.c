/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * argsort and topk. A key and its element's number become one integer, the key in
 * the high bits, so that sorting these is stable and is done when they are in order.
 * Keys that are too far apart for that leave low bits out; the elements whose high
 * bits are the same are then ordered among themselves in the same way. */
#include "sort.h"

/* Of the integers, that none is negative. */
#define BITS 63

/* Those whose keys are the same as far as they were compared. */
static gboolean
order_runs (const SortOrderer *orderer, gint64 *numbers, gint64 *packed, gsize n, guint index_bits)
{
  for (gsize first = 0, end; first < n; first = end)
    {
      for (end = first + 1; end < n && packed[end] >> index_bits == packed[first] >> index_bits; end++)
        ;
      if (end - first > 1 && !sort_order_numbers (orderer, numbers + first, packed + first, end - first))
        return FALSE;
    }
  return TRUE;
}

gboolean
sort_order_numbers (const SortOrderer *orderer, gint64 *numbers, gint64 *packed, gsize n)
{
  const gint64 *keys = orderer->keys;
  guint index_bits = n > 1 ? g_bit_storage (n - 1) : 1, key_bits, shift;
  gint64 least = G_MAXINT64, largest = G_MININT64, mask = ((gint64) 1 << index_bits) - 1;

  for (gsize i = 0; i < n; i++)
    {
      least = MIN (least, keys[numbers[i]]);
      largest = MAX (largest, keys[numbers[i]]);
    }
  if (least == largest)
    return TRUE;
  key_bits = g_bit_storage ((guint64) largest - (guint64) least);
  shift = key_bits + index_bits > BITS ? key_bits + index_bits - BITS : 0;
  for (gsize i = 0; i < n; i++)
    packed[i] = (gint64) (((guint64) keys[numbers[i]] - (guint64) least) >> shift << index_bits) | (gint64) i;
  if (!sort_set->sort64 (packed, n, n, orderer->scratch, orderer->cancellable))
    return FALSE;
  memcpy (orderer->scratch, numbers, n * sizeof *numbers);
  for (gsize i = 0; i < n; i++)
    numbers[i] = orderer->scratch[packed[i] & mask];
  return shift == 0 || order_runs (orderer, numbers, packed, n, index_bits);
}

/* The keys of a line; those of 32 bits are widened. Memory for as many integers
 * of 64. */
static void
get_keys (const SortCall *call, gconstpointer elements, gint64 *keys)
{
  gint32 *narrow = (gint32 *) keys;

  if (call->size > 4)
    {
      sort_set->to_keys[call->dtype](keys, elements, (gsize) call->n, call->descending);
      return;
    }
  sort_set->to_keys[call->dtype](narrow, elements, (gsize) call->n, call->descending);
  for (gint64 i = call->n; i-- > 0;)
    {
      gint32 key;

      memcpy (&key, narrow + i, sizeof key);
      keys[i] = key;
    }
}

static void
share_memory (const SortCall *call, guint8 *memory, SortOrderer *orderer)
{
  orderer->keys = (const gint64 *) memory;
  orderer->packed = (gint64 *) memory + call->n;
  orderer->scratch = (gint64 *) memory + 2 * call->n;
  orderer->cancellable = candela_kernel_get_cancellable (call->kernel);
}

static gboolean
argsort_line (const SortCall *call, gint64 line, guint8 *memory, gpointer const *out, GError **error)
{
  gint64 *numbers = out[0];
  SortOrderer orderer;

  share_memory (call, memory, &orderer);
  get_keys (call, sort_get_line (call, line, orderer.scratch), (gint64 *) memory);
  for (gint64 i = 0; i < call->n; i++)
    numbers[i] = i;
  return sort_order_numbers (&orderer, numbers, orderer.packed, (gsize) call->n) || sort_fail_cancelled (error);
}

/* ---- topk ---- */

/* The numbers of the first k elements in order, ascending: all whose keys are below
 * the largest of theirs, and the first ones of those that have that. */
static gboolean
choose (const SortOrderer *orderer, gint64 n, gint64 k, gint64 *numbers)
{
  const gint64 *keys = orderer->keys;
  gint64 last, n_below = 0, n_chosen = 0, n_equal;

  memcpy (orderer->packed, keys, (gsize) n * sizeof *keys);
  if (!sort_set->sort64 (orderer->packed, (gsize) n, (gsize) k, orderer->scratch, orderer->cancellable))
    return FALSE;
  last = orderer->packed[k - 1];
  while (n_below < k && orderer->packed[n_below] < last)
    n_below++;
  n_equal = k - n_below;
  for (gint64 i = 0; i < n && n_chosen < k; i++)
    if (keys[i] < last || (keys[i] == last && n_equal-- > 0))
      numbers[n_chosen++] = i;
  return TRUE;
}

#define GATHER(type)                                                                                                   \
  for (gint64 i = 0; i < call->n_out; i++)                                                                             \
    ((type *) out[0])[i] = ((const type *) elements)[numbers[i]];

static gboolean
topk_line (const SortCall *call, gint64 line, guint8 *memory, gpointer const *out, GError **error)
{
  gint64 *numbers = out[1];
  gconstpointer elements;
  SortOrderer orderer;

  share_memory (call, memory, &orderer);
  elements = sort_get_line (call, line, memory + 3 * call->n * (gint64) sizeof (gint64));
  get_keys (call, elements, (gint64 *) memory);
  if (!choose (&orderer, call->n, call->n_out, numbers)
      || !sort_order_numbers (&orderer, numbers, orderer.packed, (gsize) call->n_out))
    return sort_fail_cancelled (error);
  switch (call->size)
    {
    case 1:
      GATHER (guint8)
      break;
    case 2:
      GATHER (guint16)
      break;
    case 4:
      GATHER (guint32)
      break;
    default:
      GATHER (guint64)
    }
  return TRUE;
}

/* ---- The ops ---- */

enum {
  ARGSORT_PARAM_AXIS,
  ARGSORT_PARAM_DESCENDING,
  ARGSORT_PARAM_STABLE,
  TOPK_PARAM_K = 0,
  TOPK_PARAM_AXIS = 1,
  TOPK_PARAM_LARGEST = 2
};

static gboolean
run (CandelaKernel *kernel, guint axis_param, gboolean descending, SortCall *call, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_input_layout (kernel, 0), &rank);

  call->kernel = kernel;
  call->axis = sort_get_axis (candela_kernel_get_params (kernel), axis_param, (guint) rank);
  call->descending = descending;
  call->dtype = candela_kernel_get_input_dtype (kernel, 0);
  call->size = candela_dtype_get_size (call->dtype);
  call->n = shape[call->axis];
  call->work_size = (gsize) call->n * 4 * sizeof (gint64);
  return sort_call_run (call, error);
}

static gboolean
compute_argsort (CandelaKernel *kernel, GError **error)
{
  SortCall call = { .n_outputs = 1, .run = argsort_line };

  return run (kernel, ARGSORT_PARAM_AXIS,
              candela_params_get_bool (candela_kernel_get_params (kernel), ARGSORT_PARAM_DESCENDING), &call, error);
}

static gboolean
compute_topk (CandelaKernel *kernel, GError **error)
{
  SortCall call = { .n_outputs = 2, .run = topk_line };

  return run (kernel, TOPK_PARAM_AXIS, candela_params_get_bool (candela_kernel_get_params (kernel), TOPK_PARAM_LARGEST),
              &call, error);
}

static guint32
argsort_opaque_axes (const CandelaParams *params, guint rank)
{
  return 1u << sort_get_axis (params, ARGSORT_PARAM_AXIS, rank);
}

static guint32
topk_opaque_axes (const CandelaParams *params, guint rank)
{
  return 1u << sort_get_axis (params, TOPK_PARAM_AXIS, rank);
}

static gboolean
infer_argsort (CandelaInference *inference, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);

  return sort_check_axis (inference, ARGSORT_PARAM_AXIS, error) >= 0
         && candela_inference_set_output (inference, 0, CANDELA_DTYPE_INT64, shape, rank, error);
}

static gboolean
infer_topk (CandelaInference *inference, GError **error)
{
  gint64 k = candela_params_get_int (candela_inference_get_params (inference), TOPK_PARAM_K);
  gint64 axis = sort_check_axis (inference, TOPK_PARAM_AXIS, error), out[CANDELA_MAX_RANK];
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);

  if (axis < 0)
    return FALSE;
  if (k < 0 || k > shape[axis])
    {
      g_autofree char *text = candela_shape_to_string (shape, rank);

      return candela_inference_fail (
        inference, error, CANDELA_ERROR_PARAMETER,
        "k is %" G_GINT64_FORMAT "; x has shape %s: it must be between 0 and %" G_GINT64_FORMAT, k, text, shape[axis]);
    }
  memcpy (out, shape, rank * sizeof *out);
  out[axis] = k;
  return candela_inference_set_output (inference, 0, candela_inference_get_input_dtype (inference, 0), out, rank, error)
         && candela_inference_set_output (inference, 1, CANDELA_DTYPE_INT64, out, rank, error);
}

static const CandelaParamInfo argsort_params[] = {
  SORT_PARAM_AXIS,
  { "descending", CANDELA_PARAM_BOOL, .default_value = "false",
    .summary = "the largest first; NaN is last all the same" },
  { "stable", CANDELA_PARAM_BOOL, .default_value = "true",
    .summary = "keep the order of equal elements; it always is" },
  { NULL },
};

static const CandelaParamInfo topk_params[] = {
  { "k", CANDELA_PARAM_INT, CANDELA_PARAM_REQUIRED, .summary = "how many" },
  SORT_PARAM_AXIS,
  { "largest", CANDELA_PARAM_BOOL, .default_value = "true", .summary = "the largest; else the smallest" },
  { NULL },
};

static const char *const topk_outputs[] = { "values", "indices", NULL };

static const CandelaKernelInfo argsort_kernels[] = { { .compute = compute_argsort }, { .compute = NULL } };
static const CandelaKernelInfo topk_kernels[] = { { .compute = compute_topk }, { .compute = NULL } };

/* The axis is one that is reduced, as with sort. */
const CandelaOpInfo sort_argsort_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "argsort",
  .summary = "The indices of the elements along an axis in order; those of NaN last",
  .formula = "x[out[i]] ≤ x[out[i + 1]], i along axis; ≥ with descending",
  .example = "argsort([30, 10, 20]), argsort([1, 0, 1, 0], descending=true)",
  .since = "1.0",
  .inputs = sort_inputs,
  .params = argsort_params,
  .axes = CANDELA_AXES_REDUCTION,
  .reduced_axes = argsort_opaque_axes,
  .infer = infer_argsort,
  .kernels = argsort_kernels,
};

const CandelaOpInfo sort_topk_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "topk",
  .summary = "The largest elements along an axis, in order, and their indices; NaN only after all others",
  .formula = "values[i] = x[indices[i]], the k largest x along axis, values[i] ≥ values[i + 1]",
  .example = "topk([5, 9, 2, 7], 2)",
  .since = "1.0",
  .inputs = sort_inputs,
  .outputs = topk_outputs,
  .params = topk_params,
  .axes = CANDELA_AXES_REDUCTION,
  .reduced_axes = topk_opaque_axes,
  .infer = infer_topk,
  .kernels = topk_kernels,
};
