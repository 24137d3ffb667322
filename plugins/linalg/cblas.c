/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrix products by the system's BLAS, as one of C. */
#include "linalg.h"

#include <cblas.h>
#include <dlfcn.h>

/* Multiplications for which OpenBLAS takes its kernels for small products. */
#define SMALL_WORK (100 * 100 * 100)

static struct
{
  __typeof__ (cblas_sgemm) *sgemm;
  __typeof__ (cblas_dgemm) *dgemm;
  __typeof__ (cblas_cgemm) *cgemm;
  __typeof__ (cblas_zgemm) *zgemm;
  __typeof__ (cblas_sgemv) *sgemv;
  __typeof__ (cblas_dgemv) *dgemv;
  __typeof__ (cblas_cgemv) *cgemv;
  __typeof__ (cblas_zgemv) *zgemv;

  /* In OpenBLAS and in BLIS; NULL where the library is another. */
  char *(*openblas_get_config) (void);
  char *(*openblas_get_corename) (void);
  const char *(*bli_info_get_version_str) (void);
  gboolean has_small_kernels;

  Blas *library;
  GError *error;
} blas;

static gboolean
find_functions (gpointer handle, GError **error)
{
  blas.sgemm = dlsym (handle, "cblas_sgemm");
  blas.dgemm = dlsym (handle, "cblas_dgemm");
  blas.cgemm = dlsym (handle, "cblas_cgemm");
  blas.zgemm = dlsym (handle, "cblas_zgemm");
  blas.sgemv = dlsym (handle, "cblas_sgemv");
  blas.dgemv = dlsym (handle, "cblas_dgemv");
  blas.cgemv = dlsym (handle, "cblas_cgemv");
  blas.zgemv = dlsym (handle, "cblas_zgemv");
  if (blas.sgemm == NULL || blas.dgemm == NULL || blas.cgemm == NULL || blas.zgemm == NULL || blas.sgemv == NULL
      || blas.dgemv == NULL || blas.cgemv == NULL || blas.zgemv == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "linalg: %s lacks a function", LINALG_CBLAS);
      return FALSE;
    }
  blas.openblas_get_config = dlsym (handle, "openblas_get_config");
  blas.openblas_get_corename = dlsym (handle, "openblas_get_corename");
  blas.bli_info_get_version_str = dlsym (handle, "bli_info_get_version_str");
  blas.has_small_kernels = dlsym (handle, "dgemm_small_kernel_nn_SKYLAKEX") != NULL;
  return TRUE;
}

static gboolean
open_library (GError **error)
{
  static gsize once;

  if (g_once_init_enter (&once))
    {
      blas.library = linalg_blas_get (LINALG_CBLAS, &blas.error);
      if (blas.library != NULL)
        find_functions (linalg_blas_get_handle (blas.library), &blas.error);
      g_once_init_leave (&once, 1);
    }
  if (blas.error != NULL)
    g_propagate_error (error, g_error_copy (blas.error));
  return blas.error == NULL;
}

static void
begin (void)
{
  linalg_blas_begin (blas.library);
}

static void
end (void)
{
  linalg_blas_end (blas.library);
}

/* 0 and 1 as the functions for complex numbers take them. */
static const float complex64_numbers[2][2] = { { 0, 0 }, { 1, 0 } };
static const double complex128_numbers[2][2] = { { 0, 0 }, { 1, 0 } };

/* y = A x, or A' x, or y and that if it adds. */
static void
multiply_vector (CandelaDType dtype, const Matrix *a, gboolean transposed, const Matrix *x, gpointer y, gboolean adds)
{
  Storage storage = { FALSE, 1 };
  gint64 step = x->cols == 1 ? x->row_stride : x->col_stride;
  gint64 n = transposed ? a->cols : a->rows;
  CBLAS_TRANSPOSE transpose;
  int rows, cols, leading;

  linalg_get_storage (a, &storage);
  rows = (int) (storage.transposed ? a->cols : a->rows);
  cols = (int) (storage.transposed ? a->rows : a->cols);
  leading = (int) storage.leading;
  transpose = storage.transposed == transposed ? CblasNoTrans : CblasTrans;
  if (x->rows == 1 && x->cols == 1)
    step = 1;
  adds = adds != 0;

  /* 0 times what the buffer held may be NaN. */
  if (!adds)
    memset (y, 0, (gsize) n * candela_dtype_get_size (dtype));
  switch ((int) dtype)
    {
    case CANDELA_DTYPE_FLOAT32:
      blas.sgemv (CblasRowMajor, transpose, rows, cols, 1, (const float *) a->data, leading, (const float *) x->data,
                  (int) step, (float) adds, y, 1);
      break;
    case CANDELA_DTYPE_FLOAT64:
      blas.dgemv (CblasRowMajor, transpose, rows, cols, 1, (const double *) a->data, leading, (const double *) x->data,
                  (int) step, adds, y, 1);
      break;
    case CANDELA_DTYPE_COMPLEX64:
      blas.cgemv (CblasRowMajor, transpose, rows, cols, complex64_numbers[1], a->data, leading, x->data, (int) step,
                  complex64_numbers[adds], y, 1);
      break;
    default:
      blas.zgemv (CblasRowMajor, transpose, rows, cols, complex128_numbers[1], a->data, leading, x->data, (int) step,
                  complex128_numbers[adds], y, 1);
    }
}

static void
multiply_matrix (CandelaDType dtype, const Matrix *a, const Matrix *b, gpointer c, gint64 c_stride, gboolean adds)
{
  Storage left = { FALSE, 1 }, right = { FALSE, 1 };
  const int rows = (int) a->rows, cols = (int) b->cols, inner = (int) a->cols, leading = (int) c_stride;
  CBLAS_TRANSPOSE left_transpose, right_transpose;

  linalg_get_storage (a, &left);
  linalg_get_storage (b, &right);
  left_transpose = left.transposed ? CblasTrans : CblasNoTrans;
  right_transpose = right.transposed ? CblasTrans : CblasNoTrans;
  adds = adds != 0;
  switch ((int) dtype)
    {
    case CANDELA_DTYPE_FLOAT32:
      blas.sgemm (CblasRowMajor, left_transpose, right_transpose, rows, cols, inner, 1, (const float *) a->data,
                  (int) left.leading, (const float *) b->data, (int) right.leading, (float) adds, c, leading);
      break;
    case CANDELA_DTYPE_FLOAT64:
      blas.dgemm (CblasRowMajor, left_transpose, right_transpose, rows, cols, inner, 1, (const double *) a->data,
                  (int) left.leading, (const double *) b->data, (int) right.leading, adds, c, leading);
      break;
    case CANDELA_DTYPE_COMPLEX64:
      blas.cgemm (CblasRowMajor, left_transpose, right_transpose, rows, cols, inner, complex64_numbers[1], a->data,
                  (int) left.leading, b->data, (int) right.leading, complex64_numbers[adds], c, leading);
      break;
    default:
      blas.zgemm (CblasRowMajor, left_transpose, right_transpose, rows, cols, inner, complex128_numbers[1], a->data,
                  (int) left.leading, b->data, (int) right.leading, complex128_numbers[adds], c, leading);
    }
}

/* The vector's elements lie apart by a positive step that the BLAS can count. */
static gboolean
is_vector (const Matrix *x)
{
  gint64 step = x->cols == 1 ? x->row_stride : x->col_stride;

  return (x->rows == 1 || x->cols == 1) && ((x->rows == 1 && x->cols == 1) || (step >= 1 && step <= G_MAXINT));
}

static gboolean
multiply (CandelaDType dtype, const Matrix *a, const Matrix *b, gpointer c, gint64 c_stride, gboolean adds)
{
  int n_threads = linalg_blas_enter (blas.library);

  if (b->cols == 1 && is_vector (b) && c_stride == 1)
    multiply_vector (dtype, a, FALSE, b, c, adds);
  else if (a->rows == 1 && is_vector (a))
    multiply_vector (dtype, b, TRUE, a, c, adds);
  else
    multiply_matrix (dtype, a, b, c, c_stride, adds);
  linalg_blas_leave (blas.library, n_threads);
  return TRUE;
}

/* "OpenBLAS 0.3.21 (SkylakeX; it took the processor for Prescott)" */
static char *
describe (void)
{
  if (blas.openblas_get_config != NULL && blas.openblas_get_corename != NULL)
    {
      g_auto (GStrv) words = g_strsplit (blas.openblas_get_config (), " ", 3);
      const char *told = linalg_blas_get_told (blas.library);
      const char *version = words[0] != NULL && words[1] != NULL ? words[1] : "";

      return g_strdup_printf ("OpenBLAS %s (%s%s%s)", version, blas.openblas_get_corename (),
                              told != NULL ? "; by itself it would have taken " : "", told != NULL ? told : "");
    }
  if (blas.bli_info_get_version_str != NULL)
    return g_strdup_printf ("BLIS %s", blas.bli_info_get_version_str ());
  return g_strdup (LINALG_CBLAS);
}

/* Only OpenBLAS says so. */
gboolean
linalg_cblas_suits (void)
{
  return blas.openblas_get_corename != NULL && !linalg_is_old_core (blas.openblas_get_corename ());
}

/* OpenBLAS has such kernels for AVX-512, from 0.3.17 on. */
static gint64
get_small_work (CandelaDType dtype)
{
  static const char *const cores[] = { "SkylakeX", "Cooperlake", "SapphireRapids", NULL };

  if (!blas.has_small_kernels || blas.openblas_get_corename == NULL
      || (dtype != CANDELA_DTYPE_FLOAT32 && dtype != CANDELA_DTYPE_FLOAT64))
    return 0;
  return g_strv_contains (cores, blas.openblas_get_corename ()) ? SMALL_WORK : 0;
}

const LinalgLibrary linalg_cblas = {
  .open = open_library,
  .begin = begin,
  .end = end,
  .multiply = multiply,
  .get_small_work = get_small_work,
  .describe = describe,
};
