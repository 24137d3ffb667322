/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A large product is cut into panels, by its extents and the way its operands lie
 * alone, which the engine's threads share. Where there are rows enough a panel is
 * whole rows of the result; otherwise it is columns. A library packs the right factor
 * anew for each panel of rows: so there are few of them, each is high, and if that
 * factor is large, they are cut into columns too.
 *
 * A library that has kernels for small products, which copy nothing, gets a panel in
 * blocks that are small, as long as the right factor stays in the cache.
 *
 * A product that is a few rows high reads its right factor once, and at that the
 * libraries are slow: they read down columns. So it is given to them a few of that
 * factor's rows at a time, which the next product adds to. */
#include "linalg.h"

/* Rows that a panel has at least: the more, the farther away the right factor is (and
 * if that still leaves panels enough). */
#define LOW_ROWS 128
#define MIDDLE_ROWS 256
#define HIGH_ROWS 512
#define NEAR_BYTES (1 << 19)
#define FAR_BYTES (1 << 23)
#define MANY_ROWS 2048
/* An inner extent so small that what a library does for each panel shows. */
#define SHALLOW 32
#define MIN_COLS 1024
/* One not much deeper, for which a wide result is cut into columns: how wide, and panels
 * at most in a row. */
#define NOT_DEEP 192
#define NARROW_COLS 512
#define MAX_NARROW 64
/* The same of a product that reads its other factor a few rows at a time. */
#define MIN_RUN 2048
#define MAX_PANELS 16
/* Multiplications that are worth a panel of their own. */
#define MIN_WORK (LINALG_CHUNK_WORK / 2)
/* Rows, or columns, of a half of a product that cannot be cut otherwise, and what it has
 * to be worth where the library turns the right factor. */
#define HALF 64
#define TURNED_WORK (4 * MIN_WORK)
/* Edges of panels fall where those of a library's tiles do. */
#define ROUNDING 16
/* Blocks of a panel for small kernels, and what of the right factor they read again and
 * again; rows of it that lie apart by a multiple of a page are all in the same few lines
 * of the first-level cache. */
#define BLOCK_ROWS 32
#define BLOCK_COLS 64
#define BLOCKS_BYTES (5 << 18)
#define PAGE 4096
/* Vectors of that factor that cross cache lines are read in twice the time: from so many
 * rows of the left one on, and so many bytes of its own rows, it is copied to where none do. */
#define CACHE_LINE 64
#define ALIGN_ROWS 64
#define ALIGN_BYTES 1152
/* Elements of a panel that are worth telling of while it is in the cache. */
#define MIN_TOLD (1 << 10)
#define MAX_TOLD (1 << 18)

/* Rows, or columns, of a product that is thin, and how much of the inner axis it then
 * takes at a time; bytes of the other factor from which that pays. */
#define VERY_THIN 16
#define VERY_THIN_DEPTH 16
#define THIN 64
#define THIN_DEPTH 32
#define THIN_BYTES (1 << 21)

typedef struct
{
  CandelaKernel *kernel;
  const LinalgLibrary *library;
  CandelaDType dtype;
  const Matrix *a, *b;
  guint8 *c;
  gint64 rows, cols;  /* of a panel of the result */
  gint64 depth;       /* of the inner axis at a time */
  gboolean in_blocks; /* … and of rows and columns */
  gint64 n_col_panels;
  gboolean packs; /* the left factor, panel by panel */
  gboolean tells;
  int failed;
} Panels;

/* Whether C is a part of the kernel's output. */
static gboolean
is_output (const Panels *panels)
{
  const guint8 *out = candela_kernel_get_output (panels->kernel, 0);
  gint64 n = candela_layout_get_n_elements (candela_kernel_get_output_layout (panels->kernel, 0));

  return panels->c >= out && panels->c < out + n * (gint64) candela_dtype_get_size (panels->dtype);
}

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

/* The panel of C, from its factors; as deep at a time as the panels are. */
static gboolean
multiply_panel (const Panels *panels, const Matrix *a, const Matrix *b, guint8 *c)
{
  gint64 size = (gint64) candela_dtype_get_size (panels->dtype);
  Matrix left = *a, right = *b;

  for (gint64 k = 0; k < a->cols; k += panels->depth)
    {
      left.cols = right.rows = MIN (panels->depth, a->cols - k);
      if (!panels->library->multiply (panels->dtype, &left, &right, c, panels->b->cols, k > 0))
        return FALSE;
      left.data += left.cols * a->col_stride * size;
      right.data += left.cols * b->row_stride * size;
    }
  return TRUE;
}

/* The same in blocks: of so many rows all that are beside one another, so that these stay
 * in the cache. */
static gboolean
multiply_blocks (const Panels *panels, const Matrix *a, const Matrix *b, guint8 *c)
{
  gint64 size = (gint64) candela_dtype_get_size (panels->dtype);

  for (gint64 i = 0; i < a->rows; i += BLOCK_ROWS)
    for (gint64 j = 0; j < b->cols; j += BLOCK_COLS)
      {
        Matrix left = *a, right = *b;

        left.rows = MIN (BLOCK_ROWS, a->rows - i);
        left.data += i * a->row_stride * size;
        right.cols = MIN (BLOCK_COLS, b->cols - j);
        right.data += j * b->col_stride * size;
        if (!panels->library->multiply (panels->dtype, &left, &right, c + (i * panels->b->cols + j) * size,
                                        panels->b->cols, FALSE))
          return FALSE;
      }
  return TRUE;
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
  g_autofree gpointer room = NULL;

  if (g_cancellable_is_cancelled (candela_kernel_get_cancellable (panels->kernel)))
    return;
  left.rows = MIN (panels->rows, a->rows - row);
  left.data += row * a->row_stride * size;
  right.cols = MIN (panels->cols, b->cols - col);
  right.data += col * b->col_stride * size;
  if (panels->packs && (room = linalg_alloc (left.rows * left.cols, panels->dtype, NULL)) != NULL)
    {
      candela_kernel_pack_input (panels->kernel, 0, panels->dtype, a->start + row * a->cols,
                                 (gsize) (left.rows * left.cols), room);
      left = (Matrix){ room, left.rows, left.cols, left.cols, 1, 0 };
    }
  if ((panels->packs && room == NULL)
      || !(panels->in_blocks ? multiply_blocks : multiply_panel) (panels, &left, &right, c))
    g_atomic_int_set (&panels->failed, TRUE);
  else if (panels->tells)
    tell (panels, c, left.rows, right.cols);
}

/* How long a panel is along an axis that is cut into at most n. */
static gint64
cut (gint64 extent, gint64 least, gint64 n)
{
  gint64 length;

  n = CLAMP (extent / least, 1, MAX (n, 1));
  length = (extent + n - 1) / n;
  return n == 1 ? extent : (length + ROUNDING - 1) / ROUNDING * ROUNDING;
}

/* How much of the inner axis at a time, if the product is thin and the rows of its
 * other factor, which is that large and that long, lie in the same way as those of the
 * result. */
static gint64
get_depth (CandelaDType dtype, gint64 thin, gint64 inner, gint64 length, double bytes)
{
  if (bytes < THIN_BYTES || length < MIN_COLS || thin > (dtype == CANDELA_DTYPE_FLOAT32 ? THIN : VERY_THIN))
    return inner;
  return thin <= VERY_THIN ? VERY_THIN_DEPTH : THIN_DEPTH;
}

/* Panels that a library computes whole. */
static void
choose_large (Panels *panels, gboolean a_transposed, gboolean b_transposed, double left_bytes, double right_bytes,
              gint64 n)
{
  const Matrix *a = panels->a, *b = panels->b;
  gboolean far = right_bytes >= FAR_BYTES && a->rows >= MANY_ROWS;
  gint64 least_rows = right_bytes <= NEAR_BYTES ? LOW_ROWS : far ? HIGH_ROWS : MIDDLE_ROWS;
  gint64 least_cols = MIN_COLS;

  if (a->cols <= SHALLOW && b->cols >= MANY_ROWS)
    least_rows = MANY_ROWS / 2;
  if (!b_transposed && (panels->depth = get_depth (panels->dtype, a->rows, a->cols, b->cols, right_bytes)) < a->cols)
    least_cols = MIN_RUN;
  else if (a_transposed && (panels->depth = get_depth (panels->dtype, b->cols, a->cols, a->rows, left_bytes)) < a->cols)
    least_rows = MIN_RUN;
  panels->rows = cut (a->rows, least_rows, n);
  if (panels->rows == a->rows || far)
    panels->cols = cut (b->cols, least_cols, n / ((a->rows + panels->rows - 1) / panels->rows));
  panels->packs = panels->library->wants_one_packed && a_transposed && b_transposed && a->start >= 0;
}

/* Better along the side on which a factor lies one row after the other. */
static void
halve (Panels *panels, gboolean b_transposed)
{
  const Matrix *a = panels->a, *b = panels->b;

  if (b_transposed ? b->cols < 2 * HALF : a->rows >= 2 * HALF)
    panels->rows = cut (a->rows, HALF, 2);
  else
    panels->cols = cut (b->cols, HALF, 2);
}

gboolean
linalg_takes_blocks (const LinalgLibrary *library, CandelaDType dtype, const Matrix *a, const Matrix *b)
{
  gint64 size = (gint64) candela_dtype_get_size (dtype);
  gint64 small = library->get_small_work != NULL ? library->get_small_work (dtype) : 0;
  Storage right = { FALSE, 1 };

  linalg_get_storage (b, &right);
  return !right.transposed && a->rows > 1 && b->cols > 1
         && (double) a->rows * (double) a->cols * (double) b->cols > (double) small
         && BLOCK_ROWS * BLOCK_COLS * a->cols <= small && b->rows * b->cols * size <= BLOCKS_BYTES
         && right.leading * size % PAGE != 0;
}

static void
choose_panels (Panels *panels, gboolean a_transposed, gboolean b_transposed, gint64 n_stacked)
{
  const Matrix *a = panels->a, *b = panels->b;
  const LinalgLibrary *library = panels->library;
  double size = (double) candela_dtype_get_size (panels->dtype);
  double left_bytes = (double) a->rows * (double) a->cols * size;
  double right_bytes = (double) b->rows * (double) b->cols * size;
  double work = (double) a->rows * (double) a->cols * (double) b->cols;
  gint64 n = (gint64) MIN (work / MIN_WORK, MAX_PANELS);

  if (linalg_takes_blocks (library, panels->dtype, a, b))
    {
      panels->in_blocks = TRUE;
      panels->rows = cut (a->rows, BLOCK_ROWS, n);
    }
  else if (library->wants_narrow && a->cols > SHALLOW && a->cols <= NOT_DEEP && a->rows >= 2 * NARROW_COLS
           && b->cols > MANY_ROWS)
    {
      panels->cols = cut (b->cols, NARROW_COLS, MAX_NARROW);
      panels->rows = cut (a->rows, MANY_ROWS / 2, n / ((b->cols + panels->cols - 1) / panels->cols));
      panels->packs = a_transposed && a->start >= 0;
    }
  else if (n >= 2)
    {
      choose_large (panels, a_transposed, b_transposed, left_bytes, right_bytes, n);
      if (n_stacked == 1 && panels->rows == a->rows && panels->cols == b->cols
          && (!b_transposed || work >= TURNED_WORK))
        halve (panels, b_transposed);
    }
}

/* The right factor where its rows begin with cache lines, or as it is: that changes no bit. Gives
 * what is to be freed then. */
static gpointer
align_right (const Panels *panels, Matrix *right)
{
  gint64 size = (gint64) candela_dtype_get_size (panels->dtype);
  gint64 bytes = right->cols * size, pitch = (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
  guint8 *room;

  if (panels->a->rows < ALIGN_ROWS || bytes <= ALIGN_BYTES
      || ((guintptr) right->data | (guintptr) (right->row_stride * size)) % CACHE_LINE == 0)
    return NULL;
  pitch += pitch % PAGE == 0 ? CACHE_LINE : 0;
  room = linalg_alloc (right->rows * pitch / size, panels->dtype, NULL);
  if (room == NULL)
    return NULL;
  for (gint64 i = 0; i < right->rows; i++)
    memcpy (room + i * pitch, right->data + i * right->row_stride * size, (gsize) bytes);
  right->data = room;
  right->row_stride = pitch / size;
  return room;
}

gint64
linalg_per_chunk (gint64 n_stacked, double work)
{
  if (n_stacked < MAX_PANELS && work >= MAX_PANELS * (double) MIN_WORK)
    return n_stacked;
  return work >= LINALG_CHUNK_WORK ? 1 : (gint64) (LINALG_CHUNK_WORK / MAX (work, 1));
}

gboolean
linalg_multiply (CandelaKernel *kernel, const LinalgLibrary *library, CandelaDType dtype, const Matrix *a,
                 const Matrix *b, gint64 n_stacked, gpointer c, GError **error)
{
  Panels panels = { kernel, library, dtype, a, b, c, a->rows, b->cols, a->cols, FALSE, 1, FALSE, FALSE, FALSE };
  Storage left = { FALSE, 1 }, right = { FALSE, 1 };
  Matrix aligned = *b;
  g_autofree gpointer room = NULL;
  gint64 n_row_panels;

  linalg_get_storage (a, &left);
  linalg_get_storage (b, &right);
  choose_panels (&panels, left.transposed, right.transposed, n_stacked);
  if (panels.in_blocks && (room = align_right (&panels, &aligned)) != NULL)
    panels.b = &aligned;
  panels.tells = panels.rows * panels.cols >= MIN_TOLD && panels.rows * panels.cols <= MAX_TOLD && is_output (&panels);
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
