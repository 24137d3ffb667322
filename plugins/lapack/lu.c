/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Inverses and determinants, by the decomposition M = P L U of what LAPACK sees of A, its
 * transpose: they are those of A, transposed again. */
#include "lapack.h"

#include <math.h>

enum {
  SIGN,
  LOGABSDET
};

/* ---- inv ---- */

LapackStatus
lapack_invert (const LapackStack *stack, const LapackInverse *inverse, gpointer a, gpointer work)
{
  int n = (int) stack->rows, info;
  int *pivots = lapack_take (&work, (gsize) n * sizeof *pivots);

  if (n == 0)
    return LAPACK_OK;
  if (!lapack_is_finite (stack->dtype, a, stack->rows * stack->rows))
    {
      lapack_fill_nan (stack->dtype, a, stack->rows * stack->rows);
      return LAPACK_OK;
    }
  stack->lapack->getrf (&n, &n, a, &n, pivots, &info);
  if (info == 0)
    stack->lapack->getri (&n, a, &n, pivots, work, &inverse->lwork, &info);
  return info == 0 ? LAPACK_OK : LAPACK_SINGULAR;
}

gboolean
lapack_invert_prepare (LapackStack *stack, LapackInverse *inverse, GError **error)
{
  double size[2];
  int n = (int) stack->rows, info, query = -1;

  inverse->lwork = 1;
  if (n > 0)
    {
      stack->lapack->getri (&n, size, &n, &n, size, &query, &info);
      inverse->lwork = lapack_read_size (stack->dtype, size);
    }
  stack->work_bytes = lapack_align ((gsize) n * sizeof (int)) + lapack_align ((gsize) inverse->lwork * stack->size);
  return inverse->lwork > 0 || lapack_fail_size (stack, error);
}

static LapackStatus
find_inv (const LapackStack *stack, gint64 i, gpointer a, gpointer work)
{
  return lapack_invert (stack, stack->data, a, work);
}

static gboolean
compute_inv (CandelaKernel *kernel, GError **error)
{
  LapackStack stack;
  LapackInverse inverse;

  if (!lapack_stack_init (&stack, "inv", kernel, candela_kernel_get_output_dtype (kernel, 0),
                          candela_kernel_get_input_layout (kernel, 0), error)
      || !lapack_invert_prepare (&stack, &inverse, error))
    return FALSE;
  stack.data = &inverse;
  stack.replaces = TRUE;
  return lapack_stack_run (&stack, find_inv, error);
}

/* ---- det, slogdet ---- */

static gboolean
infer_det (CandelaInference *inference, GError **error)
{
  CandelaDType dtype = candela_inference_get_input_dtype (inference, 0);
  const gint64 *shape;
  gsize rank;

  return lapack_infer_matrices (inference, TRUE, &shape, &rank, error)
         && lapack_set_output (inference, 0, dtype, 0, 0, 0, error);
}

static gboolean
infer_slogdet (CandelaInference *inference, GError **error)
{
  CandelaDType dtype = candela_inference_get_input_dtype (inference, 0);

  return infer_det (inference, error)
         && lapack_set_output (inference, LOGABSDET, lapack_real_dtype (dtype), 0, 0, 0, error);
}

/* re + im i times two to the exponent. */
typedef struct
{
  double re, im;
  gint64 exponent;
} Product;

/* To parts of 1 at most, where they could go too far otherwise. */
static void
reduce (Product *product)
{
  int exponent;

  frexp (MAX (fabs (product->re), fabs (product->im)), &exponent);
  product->re = ldexp (product->re, -exponent);
  product->im = ldexp (product->im, -exponent);
  product->exponent += exponent;
}

static gboolean
is_far (double re, double im)
{
  double size = MAX (fabs (re), fabs (im));

  return size < 0x1p-400 || size > 0x1p400;
}

static void
multiply (Product *product, double re, double im)
{
  Product factor = { re, im, 0 };

  if (is_far (re, im))
    reduce (&factor);
  if (is_far (product->re, product->im))
    reduce (product);
  re = product->re * factor.re - product->im * factor.im;
  im = product->re * factor.im + product->im * factor.re;
  *product = (Product){ re, im, product->exponent + factor.exponent };
}

static void
read_element (CandelaDType dtype, gconstpointer a, gint64 i, double *re, double *im)
{
  gint64 parts = lapack_is_complex (dtype) ? 2 : 1;

  *im = 0;
  if (lapack_is_single (dtype))
    {
      *re = ((const float *) a)[i * parts];
      if (parts == 2)
        *im = ((const float *) a)[i * parts + 1];
    }
  else
    {
      *re = ((const double *) a)[i * parts];
      if (parts == 2)
        *im = ((const double *) a)[i * parts + 1];
    }
}

static void
write_element (CandelaDType dtype, gpointer a, double re, double im)
{
  gboolean complex = lapack_is_complex (dtype);

  if (lapack_is_single (dtype))
    {
      ((float *) a)[0] = (float) re;
      if (complex)
        ((float *) a)[1] = (float) im;
    }
  else
    {
      ((double *) a)[0] = re;
      if (complex)
        ((double *) a)[1] = im;
    }
}

/* The determinant of a matrix that is overwritten. One that is not finite has none: NaN. */
static Product
decompose (const LapackStack *stack, gpointer a, int *pivots)
{
  Product product = { 1, 0, 0 };
  int n = (int) stack->rows, info = 0;

  if (!lapack_is_finite (stack->dtype, a, stack->rows * stack->rows))
    return (Product){ NAN, lapack_is_complex (stack->dtype) ? NAN : 0, 0 };
  if (n > 0)
    stack->lapack->getrf (&n, &n, a, &n, pivots, &info);
  if (info != 0)
    return (Product){ 0, 0, 0 };
  for (int k = 0; k < n; k++)
    {
      double re, im;

      read_element (stack->dtype, a, (gint64) k * n + k, &re, &im);
      if (pivots[k] != k + 1)
        multiply (&product, -re, -im);
      else
        multiply (&product, re, im);
    }
  return product;
}

static LapackStatus
find_det (const LapackStack *stack, gint64 i, gpointer a, gpointer work)
{
  Product det = decompose (stack, a, work);
  int exponent = (int) CLAMP (det.exponent, -5000, 5000);

  if (exponent != 0)
    {
      det.re = ldexp (det.re, exponent);
      det.im = ldexp (det.im, exponent);
    }
  write_element (stack->dtype, lapack_stack_output (stack, 0, 1, i), det.re, det.im);
  return LAPACK_OK;
}

static LapackStatus
find_slogdet (const LapackStack *stack, gint64 i, gpointer a, gpointer work)
{
  Product det = decompose (stack, a, work);
  double size = det.im == 0 ? fabs (det.re) : hypot (det.re, det.im);
  CandelaDType real = lapack_real_dtype (stack->dtype);

  write_element (stack->dtype, lapack_stack_output (stack, SIGN, 1, i), size == 0 ? 0 : det.re / size,
                 size == 0 ? 0 : det.im / size);
  write_element (real, lapack_stack_output (stack, LOGABSDET, 1, i), log (size) + (double) det.exponent * G_LN2, 0);
  return LAPACK_OK;
}

static gboolean
compute_determinants (CandelaKernel *kernel, const char *op, LapackFunc func, GError **error)
{
  LapackStack stack;

  if (!lapack_stack_init (&stack, op, kernel, candela_kernel_get_output_dtype (kernel, 0),
                          candela_kernel_get_input_layout (kernel, 0), error))
    return FALSE;
  stack.work_bytes = (gsize) stack.rows * sizeof (int);
  stack.cost /= 3;
  return lapack_stack_run (&stack, func, error);
}

static gboolean
compute_det (CandelaKernel *kernel, GError **error)
{
  return compute_determinants (kernel, "det", find_det, error);
}

static gboolean
compute_slogdet (CandelaKernel *kernel, GError **error)
{
  return compute_determinants (kernel, "slogdet", find_slogdet, error);
}

/* ---- Declarations ---- */

/* n times what elimination takes. */
static guint64
count (const CandelaInference *inference, guint64 n)
{
  gsize rank;
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  const gint64 *shape = candela_layout_get_shape (layout, &rank);

  return n * (guint64) (candela_layout_get_n_elements (layout) * shape[rank - 1]) * 2 / 3;
}

static guint64
count_inv_flops (const CandelaInference *inference)
{
  return count (inference, 3);
}

static guint64
count_det_flops (const CandelaInference *inference)
{
  return count (inference, 1);
}

static const char *const slogdet_outputs[] = { "sign", "logabsdet", NULL };

LAPACK_KERNELS (inv_kernels, compute_inv)
LAPACK_KERNELS (det_kernels, compute_det)
LAPACK_KERNELS (slogdet_kernels, compute_slogdet)

static const CandelaOpInfo inv_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "inv",
  .summary = "The inverse of a square matrix",
  .formula = "out · x = x · out = 1",
  .example = "inv([[2.0, 1.0], [1.0, 1.0]])",
  .since = "1.0",
  .inputs = lapack_inputs,
  .axes = CANDELA_AXES_OPAQUE,
  .in_place = lapack_in_place,
  .infer = lapack_infer_same,
  .kernels = inv_kernels,
  .flops = count_inv_flops,
  .gradients = { "-(out.mT @ grad @ out.mT)" },
};

static const CandelaOpInfo det_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "det",
  .summary = "The determinant of a square matrix",
  .formula = "out = Σₚ sign(p) · Πᵢ x[i, p(i)], over the permutations p",
  .example = "det([[1.0, 2.0], [3.0, 4.0]])",
  .since = "1.0",
  .inputs = lapack_inputs,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_det,
  .kernels = det_kernels,
  .flops = count_det_flops,
  .gradients = { "(grad * out)[..., None, None] * inv(x).mT" },
};

static const CandelaOpInfo slogdet_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "slogdet",
  .summary = "The sign of the determinant of a square matrix, and the logarithm of its absolute value",
  .formula = "det(x) = sign · exp(logabsdet)",
  .example = "slogdet([[1.0, 2.0], [3.0, 4.0]])",
  .since = "1.0",
  .inputs = lapack_inputs,
  .outputs = slogdet_outputs,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_slogdet,
  .kernels = slogdet_kernels,
  .flops = count_det_flops,
  .gradients = { "grad_logabsdet[..., None, None] * inv(x).mT" },
};

const CandelaOpInfo *const lapack_lu_ops[] = { &inv_info, &det_info, &slogdet_info, NULL };
