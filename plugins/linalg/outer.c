/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * outer: every product of an element of one vector and one of another. */
#include "linalg.h"

#include <complex.h>

/* complex.h calls the unit so. */
#undef I

#define CANCEL_OUTPUTS 64

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
  guint64 n = linalg_flops (candela_inference_get_promoted_dtype (inference)) == 8 ? 6 : 1;

  for (guint i = 0; i < 2; i++)
    n *= (guint64) candela_layout_get_n_elements (candela_inference_get_input_layout (inference, i));
  return n;
}

static inline double _Complex multiply_plain (double _Complex x, double _Complex y)
{
  return CMPLX (creal (x) * creal (y) - cimag (x) * cimag (y), creal (x) * cimag (y) + cimag (x) * creal (y));
}

static inline float _Complex multiply_plain_float (float _Complex x, float _Complex y)
{
  return CMPLXF (crealf (x) * crealf (y) - cimagf (x) * cimagf (y), crealf (x) * cimagf (y) + cimagf (x) * crealf (y));
}

#define MULTIPLY(x, y) ((x) * (y))

#define OUTER(name, type, wide, multiply)                                                                              \
  static void outer_##name (gconstpointer x, gconstpointer y, gint64 i, gint64 n, gpointer out)                        \
  {                                                                                                                    \
    wide factor = ((const type *) x)[i];                                                                               \
    const type *right = y;                                                                                             \
    type *row = (type *) out + i * n;                                                                                  \
                                                                                                                       \
    _Pragma ("GCC ivdep") for (gint64 j = 0; j < n; j++) row[j] = (type) multiply (factor, right[j]);                  \
  }

OUTER (8, guint8, guint32, MULTIPLY)
OUTER (16, guint16, guint32, MULTIPLY)
OUTER (32, guint32, guint32, MULTIPLY)
OUTER (64, guint64, guint64, MULTIPLY)
OUTER (float, float, float, MULTIPLY)
OUTER (double, double, double, MULTIPLY)
OUTER (complex_float, float _Complex, float _Complex, multiply_plain_float)
OUTER (complex_double, double _Complex, double _Complex, multiply_plain)

static gboolean
compute_outer (CandelaKernel *kernel, GError **error)
{
  CandelaDType dtype = candela_kernel_get_output_dtype (kernel, 0);
  gsize size = candela_dtype_get_size (dtype);
  gint64 m = candela_layout_get_n_elements (candela_kernel_get_input_layout (kernel, 0));
  gint64 n = candela_layout_get_n_elements (candela_kernel_get_input_layout (kernel, 1));
  g_autofree gpointer x = NULL, y = NULL;
  void (*row) (gconstpointer x, gconstpointer y, gint64 i, gint64 n, gpointer out) =
    dtype == CANDELA_DTYPE_FLOAT32      ? outer_float
    : dtype == CANDELA_DTYPE_FLOAT64    ? outer_double
    : dtype == CANDELA_DTYPE_COMPLEX64  ? outer_complex_float
    : dtype == CANDELA_DTYPE_COMPLEX128 ? outer_complex_double
    : size == 1                         ? outer_8
    : size == 2                         ? outer_16
    : size == 4                         ? outer_32
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

static const CandelaKernelInfo outer_kernels[] = { { .compute = compute_outer }, { .compute = NULL } };

const CandelaOpInfo linalg_outer_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "outer",
  .summary = "Every product of an element of one vector and one of another",
  .formula = "out[i, j] = x1[i] · x2[j]",
  .example = "outer([1, 2, 3], [10, 20])",
  .since = "1.0",
  .inputs = linalg_inputs,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_outer,
  .kernels = outer_kernels,
  .flops = count_outer_flops,
  .gradients = { "grad @ x2", "x1 @ grad" },
};
