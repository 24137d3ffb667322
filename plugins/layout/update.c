/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * x with a part of it replaced: what an assignment to x[1:4, ::-1] makes, as a new
 * value. The part is found as index finds it. Where x may be overwritten only the part
 * is written; else the rest is copied. */
#include "layout.h"
#include <string.h>

/* Elements of the value that are packed at a time, on the stack. */
#define CHUNK 512
/* Elements of a chunk for one thread. */
#define SHARE (64 * 1024)

static const CandelaInputInfo inputs[] = {
  { "x", .summary = "what a part of is replaced" },
  { "value", .summary = "what stands there instead, broadcast to the shape of the part" },
  { NULL },
};

static const CandelaParamInfo params[] = {
  { "key", CANDELA_PARAM_STRING, CANDELA_PARAM_REQUIRED,
    .summary = "what stands between the brackets: integers, slices, None, and one ellipsis, parted by commas" },
  { NULL },
};

/* Kinds in the order in which they hold each other; all integers are one. */
static guint
rank_kind (CandelaDType dtype)
{
  switch (candela_dtype_get_kind (dtype))
    {
    case CANDELA_DTYPE_KIND_BOOL:
      return 0;
    case CANDELA_DTYPE_KIND_SIGNED:
    case CANDELA_DTYPE_KIND_UNSIGNED:
      return 1;
    case CANDELA_DTYPE_KIND_FLOAT:
      return 2;
    case CANDELA_DTYPE_KIND_COMPLEX:
    default:
      return 3;
    }
}

/* x's dtype stays: the value is converted to it, if it is of the same kind or one that
 * this kind holds. */
static gboolean
infer_update (CandelaInference *inference, GError **error)
{
  const CandelaLayout *x = candela_inference_get_input_layout (inference, 0);
  CandelaDType dtype = candela_inference_get_input_dtype (inference, 0);
  CandelaDType value_dtype = candela_inference_get_input_dtype (inference, 1);
  const char *key = candela_params_get_string (candela_inference_get_params (inference), 0);
  g_autoptr (CandelaLayout) part = layout_index (inference, x, key, error);
  g_autoptr (CandelaLayout) value = NULL;
  const gint64 *shape;
  gsize rank;

  if (part == NULL)
    return FALSE;
  if (rank_kind (value_dtype) > rank_kind (dtype))
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE,
                                   "value has dtype %s; it cannot be put into x, of dtype %s",
                                   candela_dtype_get_name (value_dtype), candela_dtype_get_name (dtype));
  shape = candela_layout_get_shape (part, &rank);
  value = candela_layout_broadcast (candela_inference_get_input_layout (inference, 1), shape, rank, error);
  if (value == NULL)
    return FALSE;
  shape = candela_layout_get_shape (x, &rank);
  return candela_inference_set_output (inference, 0, dtype, shape, rank, error);
}

/* ---- Writing the part ---- */

typedef struct
{
  CandelaKernel *kernel;
  const CandelaLayout *value; /* broadcast to the part's shape */
  const gint64 *shape, *strides;
  gsize rank;
  gint64 n;
  guint8 *first; /* of the output: the part's first element */
  CandelaDType dtype;
  gsize size;
} Part;

#define SPREAD(type)                                                                                                   \
  for (gsize i = 0; i < n; i++)                                                                                        \
  ((type *) to)[(gint64) i * stride] = ((const type *) from)[i]

/* Packed elements to where they are a stride apart, in elements. */
static void
spread (guint8 *to, gint64 stride, const guint8 *from, gsize n, gsize size)
{
  if (stride == 1)
    {
      memcpy (to, from, n * size);
      return;
    }
  switch (size)
    {
    case 1:
      SPREAD (guint8);
      break;
    case 2:
      SPREAD (guint16);
      break;
    case 4:
      SPREAD (guint32);
      break;
    case 8:
      SPREAD (guint64);
      break;
    default:
      for (gsize i = 0; i < n; i++)
        memcpy (to + (gint64) i * stride * (gint64) size, from + i * size, size);
    }
}

/* Elements start to end - 1 of the part, in its logical order, row by row. */
static void
write_range (const Part *part, gint64 start, gint64 end)
{
  guint8 packed[CHUNK * 16];
  gint64 row = part->rank > 0 ? part->shape[part->rank - 1] : 1;
  gint64 stride = part->rank > 0 ? part->strides[part->rank - 1] : 1;

  while (start < end)
    {
      gsize n = (gsize) MIN (MIN (end - start, row - start % row), CHUNK);
      gint64 at = start % row * stride, index = start / row;

      for (gsize axis = part->rank; axis-- > 1;)
        {
          at += index % part->shape[axis - 1] * part->strides[axis - 1];
          index /= part->shape[axis - 1];
        }
      candela_kernel_pack_layout (part->kernel, 1, part->value, part->dtype, start, n, packed);
      spread (part->first + at * (gint64) part->size, stride, packed, n, part->size);
      start += (gint64) n;
    }
}

static void
write_chunk (guint64 chunk, gpointer data)
{
  const Part *part = data;

  if (!g_cancellable_is_cancelled (candela_kernel_get_cancellable (part->kernel)))
    write_range (part, (gint64) chunk * SHARE, MIN (((gint64) chunk + 1) * SHARE, part->n));
}

/* The output as it would be seen through the key. */
static CandelaLayout *
find_part (const CandelaKernel *kernel, GError **error)
{
  const char *key = candela_params_get_string (candela_kernel_get_params (kernel), 0);

  return layout_index (NULL, candela_kernel_get_output_layout (kernel, 0), key, error);
}

static gboolean
compute_update (CandelaKernel *kernel, GError **error)
{
  g_autoptr (CandelaLayout) layout = find_part (kernel, error);
  g_autoptr (CandelaLayout) value = NULL;
  Part part = { .kernel = kernel };

  if (layout == NULL)
    return FALSE;
  part.shape = candela_layout_get_shape (layout, &part.rank);
  part.strides = candela_layout_get_strides (layout, &part.rank);
  value = candela_layout_broadcast (candela_kernel_get_input_layout (kernel, 1), part.shape, part.rank, error);
  if (value == NULL)
    return FALSE;
  part.value = value;
  part.n = candela_layout_get_n_elements (layout);
  part.dtype = candela_kernel_get_output_dtype (kernel, 0);
  part.size = candela_dtype_get_size (part.dtype);
  part.first =
    (guint8 *) candela_kernel_get_output (kernel, 0) + candela_layout_get_offset (layout) * (gint64) part.size;
  candela_kernel_copy_input (kernel, 0, 0);
  candela_kernel_parallel_for (kernel, (guint64) ((part.n + SHARE - 1) / SHARE), write_chunk, &part);
  return !g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error);
}

static const CandelaInPlace in_place[] = {
  { .output = 0, .input = 0, .mode = CANDELA_IN_PLACE_READ_FIRST },
  { .mode = CANDELA_IN_PLACE_NEVER },
};

static const CandelaKernelInfo kernels[] = {
  { .compute = compute_update },
  { .compute = NULL },
};

static const CandelaOpInfo update_info = { .struct_size = sizeof (CandelaOpInfo),
                                           .name = "update",
                                           .summary = "x with the part x[key] replaced by a value",
                                           .formula = "out = x, but out[key] = value",
                                           .example = "update(zeros([2, 3]), [7, 8], key=\":, 1\")",
                                           .since = "1.0",
                                           .inputs = inputs,
                                           .params = params,
                                           .axes = CANDELA_AXES_OPAQUE,
                                           .in_place = in_place,
                                           .infer = infer_update,
                                           .kernels = kernels,
                                           .takes_halves = TRUE,
                                           .gradients = { "update(grad, 0, key=key)", "index(grad, key=key)" } };

const CandelaOpInfo *const layout_update_ops[] = { &update_info, NULL };
