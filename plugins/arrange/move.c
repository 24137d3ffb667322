/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops that move short rows, by the number of their bytes: what an element means is
 * of no matter to them. Memory need not be aligned. */
#include "arrange.h"

#define MOVE_ROWS_OF(SIZE)                                                                                             \
  for (gint64 i = 0; i < rows; i++, out += out_step, in += in_step)                                                    \
    memcpy (out, in, SIZE);

/* Two pieces of a constant size, which may overlap, for rows of that size up to twice
 * of it. */
#define MOVE_ROWS_TO(SIZE)                                                                                             \
  for (gint64 i = 0; i < rows; i++, out += out_step, in += in_step)                                                    \
    {                                                                                                                  \
      memcpy (out, in, SIZE);                                                                                          \
      memcpy (out + bytes - SIZE, in + bytes - SIZE, SIZE);                                                            \
    }

void
arrange_move_rows (guint8 *out, gint64 out_step, const guint8 *in, gint64 in_step, gint64 rows, gsize bytes)
{
  if (out_step == in_step && out_step == (gint64) bytes)
    memcpy (out, in, rows * bytes);
  else if (bytes > 128)
    MOVE_ROWS_OF (bytes)
  else if (bytes > 64)
    MOVE_ROWS_TO (64)
  else if (bytes > 32)
    MOVE_ROWS_TO (32)
  else if (bytes > 16)
    MOVE_ROWS_TO (16)
  else if (bytes == 16)
    MOVE_ROWS_OF (16)
  else if (bytes > 8)
    MOVE_ROWS_TO (8)
  else if (bytes == 8)
    MOVE_ROWS_OF (8)
  else if (bytes > 4)
    MOVE_ROWS_TO (4)
  else if (bytes == 4)
    MOVE_ROWS_OF (4)
  else if (bytes >= 2)
    MOVE_ROWS_TO (2)
  else
    MOVE_ROWS_OF (1)
}

typedef guint64 Wide __attribute__ ((vector_size (16)));

/* Where a row of the result is just what is woven, the stores have no gaps, and the
 * compiler has vector code for them: so step is a constant in the calls that matter. */
#define DEFINE_WEAVE(SIZE, TYPE)                                                                                       \
  typedef TYPE Element##SIZE __attribute__ ((aligned (1), may_alias));                                                 \
                                                                                                                       \
  static inline __attribute__ ((always_inline)) void weave_loop_##SIZE (                                               \
    Element##SIZE *restrict out, gint64 step, const guint8 *const *rows, guint n_rows, gint64 n)                       \
  {                                                                                                                    \
    const Element##SIZE *restrict a = (const Element##SIZE *) rows[0];                                                 \
    const Element##SIZE *restrict b = (const Element##SIZE *) rows[1];                                                 \
    const Element##SIZE *restrict c = (const Element##SIZE *) rows[n_rows > 2 ? 2 : 0];                                \
    const Element##SIZE *restrict d = (const Element##SIZE *) rows[n_rows > 3 ? 3 : 0];                                \
                                                                                                                       \
    for (gint64 i = 0; i < n; i++)                                                                                     \
      {                                                                                                                \
        out[step * i] = a[i];                                                                                          \
        out[step * i + 1] = b[i];                                                                                      \
        if (n_rows > 2)                                                                                                \
          out[step * i + 2] = c[i];                                                                                    \
        if (n_rows > 3)                                                                                                \
          out[step * i + 3] = d[i];                                                                                    \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void weave_##SIZE (guint8 *to, gint64 step, const guint8 *const *rows, guint n_rows, gint64 n)                \
  {                                                                                                                    \
    Element##SIZE *out = (Element##SIZE *) to;                                                                         \
                                                                                                                       \
    if (n_rows == 2 && step == 2)                                                                                      \
      weave_loop_##SIZE (out, 2, rows, 2, n);                                                                          \
    else if (n_rows == 3 && step == 3)                                                                                 \
      weave_loop_##SIZE (out, 3, rows, 3, n);                                                                          \
    else if (n_rows == 4 && step == 4)                                                                                 \
      weave_loop_##SIZE (out, 4, rows, 4, n);                                                                          \
    else if (n_rows == 2)                                                                                              \
      weave_loop_##SIZE (out, step, rows, 2, n);                                                                       \
    else if (n_rows == 3)                                                                                              \
      weave_loop_##SIZE (out, step, rows, 3, n);                                                                       \
    else                                                                                                               \
      weave_loop_##SIZE (out, step, rows, 4, n);                                                                       \
  }

DEFINE_WEAVE (1, guint8)
DEFINE_WEAVE (2, guint16)
DEFINE_WEAVE (4, guint32)
DEFINE_WEAVE (8, guint64)
DEFINE_WEAVE (16, Wide)

void
arrange_weave (guint8 *out, gint64 step, const guint8 *const *rows, guint n_rows, gint64 n, gsize size)
{
  if (size == 1)
    weave_1 (out, step, rows, n_rows, n);
  else if (size == 2)
    weave_2 (out, step, rows, n_rows, n);
  else if (size == 4)
    weave_4 (out, step, rows, n_rows, n);
  else if (size == 8)
    weave_8 (out, step, rows, n_rows, n);
  else
    weave_16 (out, step, rows, n_rows, n);
}
