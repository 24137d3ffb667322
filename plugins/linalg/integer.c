/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrix products of integers, which no BLAS has. They wrap around, so signed and
 * unsigned ones of a size are the same, and neither is undefined when computed
 * unsigned; each product is taken in a type that is not promoted to int. */
#include "linalg.h"

#define CANCEL_WORK (1 << 22)

#if defined __x86_64__ && defined __gnu_linux__ && defined __GNUC__ && !defined __clang__                              \
  && !defined __SANITIZE_THREAD__ && !defined __SANITIZE_ADDRESS__
#define CLONES __attribute__ ((target_clones ("arch=skylake-avx512", "avx2", "default")))
#else
#define CLONES
#endif

#define MULTIPLY(name, type, wide)                                                                                     \
  CLONES static void add_row_##name (type *out, const type *right, type factor, gint64 n)                              \
  {                                                                                                                    \
    if (factor == 1)                                                                                                   \
      for (gint64 j = 0; j < n; j++)                                                                                   \
        out[j] = (type) (out[j] + right[j]);                                                                           \
    else                                                                                                               \
      for (gint64 j = 0; j < n; j++)                                                                                   \
        out[j] = (type) (out[j] + (wide) factor * right[j]);                                                           \
  }                                                                                                                    \
                                                                                                                       \
  CLONES static type dot_##name (const type *x, gint64 x_step, const type *y, gint64 y_step, gint64 n)                 \
  {                                                                                                                    \
    type sum = 0;                                                                                                      \
                                                                                                                       \
    if (x_step == 1 && y_step == 0)                                                                                    \
      {                                                                                                                \
        for (gint64 k = 0; k < n; k++)                                                                                 \
          sum = (type) (sum + x[k]);                                                                                   \
        sum = (type) ((wide) sum * *y);                                                                                \
      }                                                                                                                \
    else if (x_step == 1 && y_step == 1)                                                                               \
      for (gint64 k = 0; k < n; k++)                                                                                   \
        sum = (type) (sum + (wide) x[k] * y[k]);                                                                       \
    else                                                                                                               \
      for (gint64 k = 0; k < n; k++)                                                                                   \
        sum = (type) (sum + (wide) x[k * x_step] * y[k * y_step]);                                                     \
    return sum;                                                                                                        \
  }                                                                                                                    \
                                                                                                                       \
  static void multiply_row_##name (const Matrix *a, const Matrix *b, gint64 i, gpointer c)                             \
  {                                                                                                                    \
    const type *left = (const type *) a->data + i * a->row_stride, *right = (const type *) b->data;                    \
    type *out = (type *) c + i * b->cols;                                                                              \
                                                                                                                       \
    if (b->cols == 1)                                                                                                  \
      {                                                                                                                \
        *out = dot_##name (left, a->col_stride, right, b->row_stride, a->cols);                                        \
        return;                                                                                                        \
      }                                                                                                                \
    memset (out, 0, (gsize) b->cols * sizeof *out);                                                                    \
    for (gint64 k = 0; k < a->cols; k++)                                                                               \
      add_row_##name (out, right + k * b->row_stride, left[k * a->col_stride], b->cols);                               \
  }

MULTIPLY (8, guint8, guint32)
MULTIPLY (16, guint16, guint32)
MULTIPLY (32, guint32, guint32)
MULTIPLY (64, guint64, guint64)

gboolean
linalg_integer_multiply (CandelaKernel *kernel, CandelaDType dtype, const Matrix *a, const Matrix *b, gpointer c,
                         GError **error)
{
  GCancellable *cancellable = candela_kernel_get_cancellable (kernel);
  gsize size = candela_dtype_get_size (dtype);
  void (*row) (const Matrix *a, const Matrix *b, gint64 i, gpointer c) = size == 1   ? multiply_row_8
                                                                         : size == 2 ? multiply_row_16
                                                                         : size == 4 ? multiply_row_32
                                                                                     : multiply_row_64;
  double work = (double) a->cols * (double) b->cols, done = CANCEL_WORK;

  for (gint64 i = 0; i < a->rows; i++, done += work)
    {
      if (done >= CANCEL_WORK)
        {
          done = 0;
          if (g_cancellable_set_error_if_cancelled (cancellable, error))
            return FALSE;
        }
      row (a, b, i, c);
    }
  return TRUE;
}
