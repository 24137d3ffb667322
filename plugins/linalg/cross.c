/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Cross products: of vectors of three elements along an axis, the others broadcast.
 * Integers wrap around. */
#include "linalg.h"

enum {
  PARAM_AXIS
};

#define NUMBERS                                                                                                        \
  (CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED | CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX)

/* Vectors that are packed at a time, and those of a chunk. */
#define BLOCK 256
#define CHUNK 8192

static gboolean
infer (CandelaInference *inference, GError **error)
{
  gint64 axis = candela_params_get_int (candela_inference_get_params (inference), PARAM_AXIS);
  gint64 out[CANDELA_MAX_RANK];
  const gint64 *shape[2];
  gsize rank[2], out_rank;

  for (guint i = 0; i < 2; i++)
    shape[i] = candela_layout_get_shape (candela_inference_get_input_layout (inference, i), &rank[i]);
  if (axis >= 0 || axis < -(gint64) MIN (rank[0], rank[1]))
    return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                                   "axis %" G_GINT64_FORMAT " is out of range: it counts from the end, -1 is the last, "
                                   "and there must be one in both",
                                   axis);
  if (shape[0][(gint64) rank[0] + axis] != 3 || shape[1][(gint64) rank[1] + axis] != 3)
    return linalg_fail_shapes (inference, "the axis of the vectors must be of length 3 in both", error);
  if (!linalg_broadcast (shape[0], rank[0], shape[1], rank[1], out, &out_rank))
    return linalg_fail_shapes (inference, "they cannot be broadcast together", error);
  return candela_inference_set_output (inference, 0, candela_inference_get_promoted_dtype (inference), out, out_rank,
                                       error);
}

/* Of n pairs of vectors, all of them packed. */
#define CROSS(name, type, wide)                                                                                        \
  static void cross_##name (gconstpointer x, gconstpointer y, gint64 n, gpointer out)                                  \
  {                                                                                                                    \
    const type *a = x, *b = y;                                                                                         \
    type *c = out;                                                                                                     \
                                                                                                                       \
    for (gint64 i = 0; i < n; i++, a += 3, b += 3, c += 3)                                                             \
      {                                                                                                                \
        c[0] = (type) ((wide) a[1] * (wide) b[2] - (wide) a[2] * (wide) b[1]);                                         \
        c[1] = (type) ((wide) a[2] * (wide) b[0] - (wide) a[0] * (wide) b[2]);                                         \
        c[2] = (type) ((wide) a[0] * (wide) b[1] - (wide) a[1] * (wide) b[0]);                                         \
      }                                                                                                                \
  }

CROSS (8, guint8, guint32)
CROSS (16, guint16, guint32)
CROSS (32, guint32, guint32)
CROSS (64, guint64, guint64)
CROSS (float, float, float)
CROSS (double, double, double)

#define COMPLEX_CROSS(name, type)                                                                                      \
  static void cross_##name (gconstpointer x, gconstpointer y, gint64 n, gpointer out)                                  \
  {                                                                                                                    \
    const type *a = x, *b = y;                                                                                         \
    type *c = out;                                                                                                     \
                                                                                                                       \
    for (gint64 i = 0; i < 3 * n; i++)                                                                                 \
      {                                                                                                                \
        gint64 first = i / 3 * 3, k = 2 * (first + (i + 1) % 3), l = 2 * (first + (i + 2) % 3);                        \
                                                                                                                       \
        c[2 * i] = (a[k] * b[l] - a[k + 1] * b[l + 1]) - (a[l] * b[k] - a[l + 1] * b[k + 1]);                          \
        c[2 * i + 1] = (a[k] * b[l + 1] + a[k + 1] * b[l]) - (a[l] * b[k + 1] + a[l + 1] * b[k]);                      \
      }                                                                                                                \
  }

COMPLEX_CROSS (complex64, float)
COMPLEX_CROSS (complex128, double)

typedef struct
{
  CandelaKernel *kernel;
  void (*func) (gconstpointer x, gconstpointer y, gint64 n, gpointer out);
  CandelaDType dtype;
  gsize size;
  CandelaLayout *vectors[2]; /* the inputs, broadcast, the axis last */
  gint64 n;
  gint64 inner; /* from an element of a vector of the result to the next */
} Cross;

static void
write_vectors (const Cross *cross, gint64 start, gint64 n, const guint8 *packed)
{
  guint8 *out = candela_kernel_get_output (cross->kernel, 0);

  if (cross->inner == 1)
    {
      memcpy (out + (gsize) (3 * start) * cross->size, packed, (gsize) (3 * n) * cross->size);
      return;
    }
  for (gint64 i = 0; i < n; i++)
    for (gint64 k = 0; k < 3; k++, packed += cross->size)
      {
        gint64 at = (start + i) / cross->inner * cross->inner * 3 + k * cross->inner + (start + i) % cross->inner;

        memcpy (out + (gsize) at * cross->size, packed, cross->size);
      }
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  const Cross *cross = data;
  gint64 first = (gint64) chunk * CHUNK, end = MIN (first + CHUNK, cross->n);
  guint8 packed[3][BLOCK * 3 * 16];

  if (g_cancellable_is_cancelled (candela_kernel_get_cancellable (cross->kernel)))
    return;
  for (gint64 start = first; start < end; start += BLOCK)
    {
      gint64 n = MIN (BLOCK, end - start);

      for (guint i = 0; i < 2; i++)
        candela_kernel_pack_layout (cross->kernel, i, cross->vectors[i], cross->dtype, 3 * start, (gsize) (3 * n),
                                    packed[i]);
      cross->func (packed[0], packed[1], n, packed[2]);
      write_vectors (cross, start, n, packed[2]);
    }
}

static CandelaLayout *
make_vectors (const CandelaLayout *layout, const CandelaLayout *out, gint64 axis, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (out, &rank);
  g_autoptr (CandelaLayout) whole = candela_layout_broadcast (layout, shape, rank, error);
  gint64 axes[CANDELA_MAX_RANK];

  for (gint64 a = 0, k = 0; a < (gint64) rank; a++)
    if (a != axis)
      axes[k++] = a;
  axes[rank - 1] = axis;
  return whole != NULL ? candela_layout_permute (whole, axes, rank, error) : NULL;
}

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  const CandelaLayout *out = candela_kernel_get_output_layout (kernel, 0);
  Cross cross = { .kernel = kernel, .dtype = candela_kernel_get_output_dtype (kernel, 0), .inner = 1 };
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (out, &rank);
  gint64 axis = (gint64) rank + candela_params_get_int (candela_kernel_get_params (kernel), PARAM_AXIS);
  gboolean done;

  cross.size = candela_dtype_get_size (cross.dtype);
  cross.n = candela_layout_get_n_elements (out) / 3;
  cross.func = cross.dtype == CANDELA_DTYPE_FLOAT32      ? cross_float
               : cross.dtype == CANDELA_DTYPE_FLOAT64    ? cross_double
               : cross.dtype == CANDELA_DTYPE_COMPLEX64  ? cross_complex64
               : cross.dtype == CANDELA_DTYPE_COMPLEX128 ? cross_complex128
               : cross.size == 1                         ? cross_8
               : cross.size == 2                         ? cross_16
               : cross.size == 4                         ? cross_32
                                                         : cross_64;
  for (gsize a = (gsize) axis + 1; a < rank; a++)
    cross.inner *= shape[a];
  cross.vectors[0] = make_vectors (candela_kernel_get_input_layout (kernel, 0), out, axis, error);
  if (cross.vectors[0] != NULL)
    cross.vectors[1] = make_vectors (candela_kernel_get_input_layout (kernel, 1), out, axis, error);
  if (cross.vectors[1] != NULL)
    candela_kernel_parallel_for (kernel, (guint64) ((cross.n + CHUNK - 1) / CHUNK), run_chunk, &cross);
  done = cross.vectors[1] != NULL;
  g_clear_pointer (&cross.vectors[0], candela_layout_unref);
  g_clear_pointer (&cross.vectors[1], candela_layout_unref);
  return done && !g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error);
}

static const CandelaInputInfo inputs[] = {
  { .name = "x1", .kinds = NUMBERS, .summary = "the vectors on the left" },
  { .name = "x2", .kinds = NUMBERS, .summary = "the vectors on the right" },
  { NULL },
};

static const CandelaParamInfo params[] = {
  { .name = "axis",
    .type = CANDELA_PARAM_INT,
    .default_value = "-1",
    .summary = "the axis of the vectors, counted from the end: -1 is the last" },
  { NULL },
};

#define KERNEL(dtype)                                                                                                  \
  {                                                                                                                    \
    .in = { CANDELA_DTYPE_##dtype }, .compute = compute                                                                \
  }

static const CandelaKernelInfo kernels[] = {
  KERNEL (INT8),      KERNEL (INT16),      KERNEL (INT32),      KERNEL (INT64),   KERNEL (UINT8),
  KERNEL (UINT16),    KERNEL (UINT32),     KERNEL (UINT64),     KERNEL (FLOAT32), KERNEL (FLOAT64),
  KERNEL (COMPLEX64), KERNEL (COMPLEX128), { .compute = NULL },
};

const CandelaOpInfo linalg_cross_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "cross",
  .summary = "Cross products of vectors of three elements along an axis, the others broadcast",
  .formula = "out = (b·f - c·e, c·d - a·f, a·e - b·d), where x1 = (a, b, c) and x2 = (d, e, f) along axis",
  .example = "cross([1, 0, 0], [[0, 1, 0], [0, 0, 1]])",
  .since = "1.0",
  .inputs = inputs,
  .params = params,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer,
  .kernels = kernels,
  .gradients = { "cross(x2, grad, axis=axis)", "cross(grad, x1, axis=axis)" },
};
