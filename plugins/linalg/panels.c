/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A large product is cut into panels, by its extents alone, which the engine's
 * threads share. Where there are rows enough a panel is whole rows of the result;
 * otherwise it is columns. A library packs the right factor anew for each panel of
 * rows: so there are few of them, and each is high. */
#include "linalg.h"

/* Rows that a panel has at least: the more, the farther away the right factor is. */
#define LOW_ROWS 128
#define HIGH_ROWS 256
#define NEAR_BYTES (1 << 19)
#define MIN_COLS 1024
#define MAX_PANELS 16
/* Edges of panels fall where those of a library's tiles do. */
#define ROUNDING 16
/* Elements of a panel that are worth telling of while it is in the cache. */
#define MIN_TOLD (1 << 10)
#define MAX_TOLD (1 << 18)

typedef struct
{
  CandelaKernel *kernel;
  const LinalgLibrary *library;
  CandelaDType dtype;
  const Matrix *a, *b;
  guint8 *c;
  gint64 rows, cols; /* of a panel of the result */
  gint64 n_col_panels;
  gboolean tells;
  int failed;
} Panels;

/* What follows in the plan may run on the panel now, row by row where it is columns. */
static void
tell (const Panels *panels, const guint8 *c, gint64 rows, gint64 cols)
{
  gsize size = candela_dtype_get_size (panels->dtype);
  guint64 start = (guint64) (c - (const guint8 *) candela_kernel_get_output (panels->kernel, 0)) / size;

  if (cols == panels->b->cols)
    candela_kernel_output_done (panels->kernel, start, (guint64) (rows * cols));
  else
    for (gint64 i = 0; i < rows; i++)
      candela_kernel_output_done (panels->kernel, start + (guint64) (i * panels->b->cols), (guint64) cols);
}

static void
multiply_chunk (guint64 chunk, gpointer data)
{
  Panels *panels = data;
  const Matrix *a = panels->a, *b = panels->b;
  gint64 size = (gint64) candela_dtype_get_size (panels->dtype);
  gint64 row = (gint64) chunk / panels->n_col_panels * panels->rows;
  gint64 col = (gint64) chunk % panels->n_col_panels * panels->cols;
  Matrix left = *a, right = *b;
  guint8 *c = panels->c + (row * b->cols + col) * size;

  if (g_cancellable_is_cancelled (candela_kernel_get_cancellable (panels->kernel)))
    return;
  left.rows = MIN (panels->rows, a->rows - row);
  left.data += row * a->row_stride * size;
  right.cols = MIN (panels->cols, b->cols - col);
  right.data += col * b->col_stride * size;
  if (!panels->library->multiply (panels->dtype, &left, &right, c, b->cols))
    g_atomic_int_set (&panels->failed, TRUE);
  else if (panels->tells)
    tell (panels, c, left.rows, right.cols);
}

/* How long a panel is along an axis that is cut into at most n. */
static gint64
cut (gint64 extent, gint64 least, gint64 n)
{
  gint64 length;

  n = CLAMP (extent / least, 1, MIN (n, MAX_PANELS));
  length = (extent + n - 1) / n;
  return n == 1 ? extent : (length + ROUNDING - 1) / ROUNDING * ROUNDING;
}

gboolean
linalg_multiply (CandelaKernel *kernel, const LinalgLibrary *library, CandelaDType dtype, const Matrix *a,
                 const Matrix *b, gpointer c, GError **error)
{
  Panels panels = { kernel, library, dtype, a, b, c, a->rows, b->cols, 1, FALSE, FALSE };
  double work = (double) a->rows * (double) a->cols * (double) b->cols;
  double right_bytes = (double) a->cols * (double) b->cols * (double) candela_dtype_get_size (dtype);
  gint64 n = (gint64) MIN (work / LINALG_CHUNK_WORK, MAX_PANELS);
  gint64 n_row_panels;

  if (n >= 2)
    panels.rows = cut (a->rows, right_bytes <= NEAR_BYTES ? LOW_ROWS : HIGH_ROWS, n);
  if (n >= 2 && panels.rows == a->rows)
    panels.cols = cut (b->cols, MIN_COLS, n);
  panels.tells = panels.rows * panels.cols >= MIN_TOLD && panels.rows * panels.cols <= MAX_TOLD;
  n_row_panels = (a->rows + panels.rows - 1) / panels.rows;
  panels.n_col_panels = (b->cols + panels.cols - 1) / panels.cols;
  candela_kernel_parallel_for (kernel, (guint64) (n_row_panels * panels.n_col_panels), multiply_chunk, &panels);
  if (g_atomic_int_get (&panels.failed))
    {
      g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY,
                           "there is no memory for the library to multiply in");
      return FALSE;
    }
  return !g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error);
}
