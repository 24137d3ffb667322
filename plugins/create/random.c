/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * random_uniform and random_normal: pure functions of the seed and an element's
 * number in row-major order, by Philox4x32-10 (see philox.h).
 *
 * The key is the seed, low word first. A call for counter (b low, b high, s, 0),
 * where s is 0 for uniform and 1 for normal numbers, gives the words w0 to w3:
 *
 * uniform float64: element 2b is (w1 * 2^32 + w0) >> 11, and 2b + 1 the same of w3
 *   and w2, times 2^-53: in [0, 1). float32: element 4b + j is wj >> 8, times
 *   2^-24. Then low + u (high - low) in the result's dtype, and never high itself.
 * normal: by G. E. P. Box and M. E. Muller (A Note on the Generation of Random
 *   Normal Deviates, 1958), in binary64: of the first u as above, moved to (0, 1],
 *   and the second, elements 2b and 2b + 1 are sqrt (-2 log u0) times cos and sin of
 *   2 pi u1; then mean + z stddev, rounded to the result's dtype. */
#include "create.h"
#include "philox.h"

enum {
  PARAM_SHAPE,
  PARAM_SEED,
  PARAM_FIRST,  /* low, or mean */
  PARAM_SECOND, /* high, or stddev */
  PARAM_DTYPE
};

enum {
  STREAM_UNIFORM,
  STREAM_NORMAL
};

static void
draw (gint64 seed, guint32 stream, gint64 block, guint32 words[4])
{
  const guint32 counter[4] = { (guint32) block, (guint32) ((guint64) block >> 32), stream, 0 };
  const guint32 key[2] = { (guint32) seed, (guint32) ((guint64) seed >> 32) };

  philox_4x32 (counter, key, words);
}

/* The upper 53 bits of half a block, as an integer. */
static double
half_block (const guint32 words[4], guint half)
{
  return (double) (((guint64) words[2 * half + 1] << 32 | words[2 * half]) >> 11);
}

static gboolean
infer (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  CandelaDType dtype = candela_params_get_dtype (params, PARAM_DTYPE);
  gsize rank;
  const gint64 *shape = candela_params_get_int_list (params, PARAM_SHAPE, &rank);

  if (!isfinite (candela_params_get_float (params, PARAM_FIRST))
      || !isfinite (candela_params_get_float (params, PARAM_SECOND)))
    return candela_inference_fail (inference, error, CANDELA_ERROR_PARAMETER, "the parameters must be finite");
  return create_check_dtype (inference, dtype, CANDELA_DTYPE_KIND_FLOAT, error)
         && candela_inference_set_output (inference, 0, dtype, shape, rank, error);
}

static gboolean
infer_uniform (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  double low = candela_params_get_float (params, PARAM_FIRST), high = candela_params_get_float (params, PARAM_SECOND);
  CandelaDType dtype = candela_params_get_dtype (params, PARAM_DTYPE);

  if (candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_FLOAT && candela_dtype_get_size (dtype) < sizeof (float))
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE,
                                   "numbers of dtype %s would be rounded up to high; take float32",
                                   candela_dtype_get_name (dtype));
  if (!(low < high) || !isfinite (high - low))
    return candela_inference_fail (inference, error, CANDELA_ERROR_PARAMETER,
                                   "low must be below high, by a finite distance, and not %g and %g", low, high);
  return infer (inference, error);
}

static void
fill_uniform (CandelaKernel *kernel, gconstpointer data, gpointer out, gint64 first, gint64 n)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  gint64 seed = candela_params_get_int (params, PARAM_SEED);
  double low = candela_params_get_float (params, PARAM_FIRST), high = candela_params_get_float (params, PARAM_SECOND);
  float low32 = (float) low, high32 = (float) high;
  gboolean wide = candela_kernel_get_output_dtype (kernel, 0) == CANDELA_DTYPE_FLOAT64;
  gint64 per_block = wide ? 2 : 4;
  guint32 words[4];

  /* Chunks begin with a block. */
  for (gint64 i = first; i < first + n; i++)
    {
      if (i % per_block == 0)
        draw (seed, STREAM_UNIFORM, i / per_block, words);
      if (wide)
        {
          double value = low + half_block (words, i % 2) * 0x1p-53 * (high - low);

          ((double *) out)[i] = value < high ? value : nextafter (high, low);
        }
      else
        {
          float value = low32 + (float) (words[i % 4] >> 8) * 0x1p-24f * (high32 - low32);

          ((float *) out)[i] = value < high32 ? value : nextafterf (high32, low32);
        }
    }
}

static void
fill_normal (CandelaKernel *kernel, gconstpointer data, gpointer out, gint64 first, gint64 n)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  gint64 seed = candela_params_get_int (params, PARAM_SEED);
  double mean = candela_params_get_float (params, PARAM_FIRST);
  double stddev = candela_params_get_float (params, PARAM_SECOND);
  gboolean wide = candela_kernel_get_output_dtype (kernel, 0) == CANDELA_DTYPE_FLOAT64;

  for (gint64 i = first; i < first + n; i += 2)
    {
      guint32 words[4];
      double radius, angle, values[2];

      draw (seed, STREAM_NORMAL, i / 2, words);
      radius = sqrt (-2.0 * log ((half_block (words, 0) + 1.0) * 0x1p-53));
      angle = 2.0 * G_PI * (half_block (words, 1) * 0x1p-53);
      values[0] = mean + radius * cos (angle) * stddev;
      values[1] = mean + radius * sin (angle) * stddev;
      for (gint64 j = 0; j < MIN (first + n - i, 2); j++)
        if (wide)
          ((double *) out)[i + j] = values[j];
        else
          ((float *) out)[i + j] = (float) values[j];
    }
}

static gboolean
compute_uniform (CandelaKernel *kernel, GError **error)
{
  return create_run (kernel, fill_uniform, NULL, error);
}

static gboolean
compute_normal (CandelaKernel *kernel, GError **error)
{
  return create_run (kernel, fill_normal, NULL, error);
}

#define PARAM_SEED_INFO                                                                                                \
  {                                                                                                                    \
    .name = "seed", .type = CANDELA_PARAM_INT, .default_value = "0",                                                   \
    .summary = "the same seed gives the same numbers, everywhere"                                                      \
  }

static const CandelaParamInfo uniform_params[] = {
  CREATE_PARAM_SHAPE,
  PARAM_SEED_INFO,
  { .name = "low",
    .type = CANDELA_PARAM_FLOAT,
    .default_value = "0.0",
    .summary = "the lower bound, which is included" },
  { .name = "high", .type = CANDELA_PARAM_FLOAT, .default_value = "1.0", .summary = "the upper bound, which is not" },
  CREATE_PARAM_DTYPE,
  { NULL },
};

static const CandelaParamInfo normal_params[] = {
  CREATE_PARAM_SHAPE,
  PARAM_SEED_INFO,
  { .name = "mean", .type = CANDELA_PARAM_FLOAT, .default_value = "0.0", .summary = "the mean" },
  { .name = "stddev",
    .type = CANDELA_PARAM_FLOAT,
    .default_value = "1.0",
    .maximum = G_MAXDOUBLE,
    .summary = "the standard deviation" },
  CREATE_PARAM_DTYPE,
  { NULL },
};

static const CandelaKernelInfo uniform_kernels[] = { { .compute = compute_uniform }, { .compute = NULL } };
static const CandelaKernelInfo normal_kernels[] = { { .compute = compute_normal }, { .compute = NULL } };

const CandelaOpInfo create_random_uniform_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "random_uniform",
  .summary = "Uniform random numbers from low up to but without high, by Philox4x32-10",
  .formula = "out[…] = low + (high - low) · u, 0 ≤ u < 1",
  .example = "random_uniform([3], seed=7, low=-1, high=1)",
  .since = "1.0",
  .params = uniform_params,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_uniform,
  .kernels = uniform_kernels,
};

const CandelaOpInfo create_random_normal_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "random_normal",
  .summary = "Normal random numbers, by Philox4x32-10 and the method of Box and Muller",
  .formula = "out[…] = mean + stddev · z, where z has mean 0 and variance 1",
  .example = "random_normal([3], seed=7, mean=100, stddev=15)",
  .since = "1.0",
  .params = normal_params,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer,
  .kernels = normal_kernels,
};
