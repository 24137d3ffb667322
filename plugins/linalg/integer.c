/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrix products of integers, which no BLAS has. They wrap around, so signed and
 * unsigned ones of a size are the same, and neither is undefined when computed
 * unsigned; each product is taken in a type that is not promoted to int. */
#include "linalg.h"

#define CANCEL_WORK (1 << 22)

#define MULTIPLY(name, type, wide)                                                                                     \
  static void multiply_row_##name (const Matrix *a, const Matrix *b, gint64 i, gpointer c)                             \
  {                                                                                                                    \
    const type *left = (const type *) a->data + i * a->row_stride;                                                     \
    type *out = (type *) c + i * b->cols;                                                                              \
                                                                                                                       \
    memset (out, 0, (gsize) b->cols * sizeof *out);                                                                    \
    for (gint64 k = 0; k < a->cols; k++)                                                                               \
      {                                                                                                                \
        const type *right = (const type *) b->data + k * b->row_stride;                                                \
        wide factor = left[k * a->col_stride];                                                                         \
                                                                                                                       \
        _Pragma ("GCC ivdep") for (gint64 j = 0; j < b->cols; j++) out[j] = (type) (out[j] + factor * right[j]);       \
      }                                                                                                                \
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
