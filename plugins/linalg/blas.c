/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrix products by the system's BLAS.
 *
 * A BLAS with threads divides the work by their number, and so its results have
 * other bits on another machine. It is kept to one thread while a product of ours
 * runs: the number that it had is put back when the last of them ends, so that
 * others in the process who use the same library find it as they left it. Large
 * products are cut into panels, by their extents alone, which the engine's threads
 * share. */
#include "linalg.h"
#include <cblas.h>

/* A product is cut into panels of so many rows or columns where it has two of
 * them at least, and enough to do: by its shape alone. */
#define PANEL_ROWS 256
#define PANEL_COLS 512

/* In OpenBLAS and in BLIS; NULL where the library is another. */
extern void openblas_set_num_threads (int n) __attribute__ ((weak));
extern int openblas_get_num_threads (void) __attribute__ ((weak));
extern void bli_thread_set_num_threads (gint64 n) __attribute__ ((weak));
extern gint64 bli_thread_get_num_threads (void) __attribute__ ((weak));

static GMutex mutex;
static guint n_running;
static gint64 n_threads_before;

static gint64
get_threads (void)
{
  if (openblas_get_num_threads != NULL && openblas_set_num_threads != NULL)
    return openblas_get_num_threads ();
  if (bli_thread_get_num_threads != NULL && bli_thread_set_num_threads != NULL)
    return bli_thread_get_num_threads ();
  return 1;
}

static void
set_threads (gint64 n)
{
  if (openblas_get_num_threads != NULL && openblas_set_num_threads != NULL)
    openblas_set_num_threads ((int) n);
  else if (bli_thread_get_num_threads != NULL && bli_thread_set_num_threads != NULL)
    bli_thread_set_num_threads (n);
}

void
linalg_blas_begin (void)
{
  g_mutex_lock (&mutex);
  if (n_running++ == 0)
    {
      n_threads_before = get_threads ();
      if (n_threads_before != 1)
        set_threads (1);
    }
  g_mutex_unlock (&mutex);
}

void
linalg_blas_end (void)
{
  g_mutex_lock (&mutex);
  if (--n_running == 0 && n_threads_before != 1)
    set_threads (n_threads_before);
  g_mutex_unlock (&mutex);
}

/* How the BLAS is told of a matrix: packed by rows, or by columns. */
typedef struct
{
  CBLAS_TRANSPOSE transpose;
  gint64 leading;
} Storage;

static gboolean
get_storage (const Matrix *matrix, Storage *storage)
{
  /* A stride along an extent of 1 is never taken. */
  gboolean by_rows = matrix->col_stride == 1 || matrix->cols == 1;
  gboolean by_cols = matrix->row_stride == 1 || matrix->rows == 1;

  if (by_rows && (matrix->rows == 1 || matrix->row_stride >= matrix->cols))
    *storage = (Storage){ CblasNoTrans, matrix->rows == 1 ? matrix->cols : matrix->row_stride };
  else if (by_cols && (matrix->cols == 1 || matrix->col_stride >= matrix->rows))
    *storage = (Storage){ CblasTrans, matrix->cols == 1 ? matrix->rows : matrix->col_stride };
  else
    return FALSE;
  return storage->leading <= G_MAXINT;
}

/* Whether the BLAS can read it where it is. */
gboolean
linalg_blas_fits (const Matrix *matrix)
{
  Storage storage;

  return get_storage (matrix, &storage);
}

/* y = A x, or A' x. */
static void
multiply_vector (CandelaDType dtype, const Matrix *a, gboolean transposed, const Matrix *x, gpointer y)
{
  Storage storage = { CblasNoTrans, 1 };
  gint64 rows, cols, step = x->cols == 1 ? x->row_stride : x->col_stride;
  gint64 n = transposed ? a->cols : a->rows;
  CBLAS_TRANSPOSE transpose;

  get_storage (a, &storage);
  rows = storage.transpose == CblasNoTrans ? a->rows : a->cols;
  cols = storage.transpose == CblasNoTrans ? a->cols : a->rows;
  transpose = (storage.transpose == CblasTrans) == transposed ? CblasNoTrans : CblasTrans;
  if (x->rows == 1 && x->cols == 1)
    step = 1;

  /* 0 times what the buffer held may be NaN. */
  memset (y, 0, (gsize) n * candela_dtype_get_size (dtype));
  if (dtype == CANDELA_DTYPE_FLOAT32)
    cblas_sgemv (CblasRowMajor, transpose, (int) rows, (int) cols, 1.0f, (const float *) a->data, (int) storage.leading,
                 (const float *) x->data, (int) step, 0.0f, y, 1);
  else
    cblas_dgemv (CblasRowMajor, transpose, (int) rows, (int) cols, 1.0, (const double *) a->data, (int) storage.leading,
                 (const double *) x->data, (int) step, 0.0, y, 1);
}

static void
multiply_panel (CandelaDType dtype, const Matrix *a, const Matrix *b, gpointer c, gint64 c_stride)
{
  Storage left = { CblasNoTrans, 1 }, right = { CblasNoTrans, 1 };

  get_storage (a, &left);
  get_storage (b, &right);
  if (dtype == CANDELA_DTYPE_FLOAT32)
    cblas_sgemm (CblasRowMajor, left.transpose, right.transpose, (int) a->rows, (int) b->cols, (int) a->cols, 1.0f,
                 (const float *) a->data, (int) left.leading, (const float *) b->data, (int) right.leading, 0.0f, c,
                 (int) c_stride);
  else
    cblas_dgemm (CblasRowMajor, left.transpose, right.transpose, (int) a->rows, (int) b->cols, (int) a->cols, 1.0,
                 (const double *) a->data, (int) left.leading, (const double *) b->data, (int) right.leading, 0.0, c,
                 (int) c_stride);
}

/* The vector's elements lie apart by a positive step that the BLAS can count. */
static gboolean
is_vector (const Matrix *x)
{
  gint64 step = x->cols == 1 ? x->row_stride : x->col_stride;

  return (x->rows == 1 || x->cols == 1) && ((x->rows == 1 && x->cols == 1) || (step >= 1 && step <= G_MAXINT));
}

typedef struct
{
  CandelaKernel *kernel;
  CandelaDType dtype;
  const Matrix *a, *b;
  guint8 *c;
  gint64 rows, cols; /* of a panel of the result */
  gint64 n_col_panels;
} Panels;

static void
multiply_chunk (guint64 chunk, gpointer data)
{
  const Panels *panels = data;
  const Matrix *a = panels->a, *b = panels->b;
  gint64 size = (gint64) candela_dtype_get_size (panels->dtype);
  gint64 row = (gint64) chunk / panels->n_col_panels * panels->rows;
  gint64 col = (gint64) chunk % panels->n_col_panels * panels->cols;
  Matrix left = *a, right = *b;
  guint8 *out = panels->c + (row * b->cols + col) * size;

  if (g_cancellable_is_cancelled (candela_kernel_get_cancellable (panels->kernel)))
    return;
  left.rows = MIN (panels->rows, a->rows - row);
  left.data += row * a->row_stride * size;
  right.cols = MIN (panels->cols, b->cols - col);
  right.data += col * b->col_stride * size;
  if (b->cols == 1 && is_vector (b))
    multiply_vector (panels->dtype, &left, FALSE, b, out);
  else if (a->rows == 1 && is_vector (a))
    multiply_vector (panels->dtype, &right, TRUE, a, out);
  else
    multiply_panel (panels->dtype, &left, &right, out, b->cols);
}

gboolean
linalg_blas_multiply (CandelaKernel *kernel, CandelaDType dtype, const Matrix *a, const Matrix *b, gpointer c,
                      GError **error)
{
  Panels panels = { kernel, dtype, a, b, c, a->rows, b->cols, 1 };
  double work = (double) a->rows * (double) a->cols * (double) b->cols;
  gint64 n_row_panels = 1;

  if (work >= LINALG_CHUNK_WORK && a->rows >= 2 * PANEL_ROWS)
    panels.rows = PANEL_ROWS;
  else if (work >= LINALG_CHUNK_WORK && b->cols >= 2 * PANEL_COLS)
    panels.cols = PANEL_COLS;
  n_row_panels = (a->rows + panels.rows - 1) / panels.rows;
  panels.n_col_panels = (b->cols + panels.cols - 1) / panels.cols;
  candela_kernel_parallel_for (kernel, (guint64) (n_row_panels * panels.n_col_panels), multiply_chunk, &panels);
  return !g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error);
}
