/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * count_nonzero, of every dtype: NaN is not 0. Of a complex number it is asked as a
 * bool. */
#include "fold.h"

#define AS_COUNT(x) ((gint64) ((x) != 0))
#define ADD(a, b) ((a) + (b))

/* Elements of which the count has a place in 32 bits, and of bools in a byte for each of
 * eight. */
G_STATIC_ASSERT (REDUCE_PIECE < G_MAXUINT32);
#define WORDS 255

/* In numbers about as wide as the elements, so that vectors need no repacking. */
#define OF(name, type, count_type)                                                                                     \
  static gint64 count_##name##_of (const type *x, gsize n)                                                             \
  {                                                                                                                    \
    count_type count = 0;                                                                                              \
                                                                                                                       \
    for (gsize i = 0; i < n; i++)                                                                                      \
      count += x[i] != 0;                                                                                              \
    return (gint64) count;                                                                                             \
  }

OF (int8, gint8, guint32)
OF (int16, gint16, guint32)
OF (int32, gint32, guint32)
OF (int64, gint64, guint64)
OF (uint8, guint8, guint32)
OF (uint16, guint16, guint32)
OF (uint32, guint32, guint32)
OF (uint64, guint64, guint64)
OF (float32, float, guint32)
OF (float64, double, guint64)

/* Each is 0 or 1: eight are added at once. */
static gint64
count_bool_of (const guint8 *x, gsize n)
{
  const guint64 low = G_GUINT64_CONSTANT (0x00ff00ff00ff00ff), ones = G_GUINT64_CONSTANT (0x0001000100010001);
  guint64 count = 0;

  for (gsize words; n >= 8; x += words * 8, n -= words * 8)
    {
      guint64 sum = 0;

      words = MIN (n / 8, WORDS);
      for (gsize i = 0; i < words; i++)
        {
          guint64 word;

          memcpy (&word, x + i * 8, 8);
          sum += word;
        }
      count += (((sum & low) + (sum >> 8 & low)) * ones) >> 48;
    }
  for (gsize i = 0; i < n; i++)
    count += x[i];
  return (gint64) count;
}

#define FOLD(DTYPE, name, type) REDUCE_FOLD (count_##name, type, gint64, 0, NULL, AS_COUNT, ADD)

REDUCE_INTEGERS (FOLD)
REDUCE_FLOATS (FOLD)

#define ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = &count_##name,

static const ReduceFold *const folds[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (ROW) REDUCE_FLOATS (ROW) };

static gboolean
infer (CandelaInference *inference, GError **error)
{
  return reduce_infer_one (inference, FALSE, CANDELA_DTYPE_INT64, error);
}

static void
finish (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  memcpy ((gint64 *) candela_kernel_get_output (call->kernel, 0) + output, partials, width * sizeof (gint64));
}

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  CandelaDType given = candela_kernel_get_input_dtype (kernel, 0);
  CandelaDType dtype = folds[given] != NULL ? given : CANDELA_DTYPE_BOOL;
  guint rank = candela_layout_get_rank (candela_kernel_get_input_layout (kernel, 0));
  ReduceCall call = {
    .kernel = kernel,
    .fold = folds[dtype],
    .dtype = dtype,
    .axes = reduce_get_axes (candela_kernel_get_params (kernel), rank),
    .finish = finish,
  };

  return reduce_run (&call, error);
}

static const CandelaInputInfo inputs[] = {
  { .name = "x", .summary = "where what is not 0 is counted" },
  { NULL },
};

static const CandelaKernelInfo kernels[] = { { .compute = compute }, { .compute = NULL } };

const CandelaOpInfo REDUCE_NAME (count_nonzero) = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "count_nonzero",
  .summary = "How many elements along axes are not 0",
  .formula = "out[j] = the number of i with x[i, j] ≠ 0\n"
             "where i runs over the axes in axis, j over the others",
  .example = "x = [[0, 1, 2], [0, 0, 3]]; count_nonzero(x), count_nonzero(x, axis=0)",
  .since = "1.0",
  .inputs = inputs,
  .params = reduce_params,
  .axes = CANDELA_AXES_REDUCTION,
  .reduced_axes = reduce_get_axes,
  .takes_fed = TRUE,
  .infer = infer,
  .kernels = kernels,
};
