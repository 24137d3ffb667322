/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements of matrices, whatever their dtype. LAPACK, given a NaN, may call itself
 * successful, fail, or not end: what is not finite is found before it is asked. */
#include "lapack.h"

#include <math.h>

/* A number is finite unless all bits of its exponent are set: then one more of the lowest
 * carries into the sign. */
#define IS_FINITE(name, type, exponent, lowest)                                                                        \
  static gboolean name (const type *x, gint64 n)                                                                       \
  {                                                                                                                    \
    type carry = 0;                                                                                                    \
                                                                                                                       \
    for (gint64 i = 0; i < n; i++)                                                                                     \
      carry |= (x[i] & exponent) + lowest;                                                                             \
    return (carry & (type) ~((type) -1 >> 1)) == 0;                                                                    \
  }

IS_FINITE (floats_are_finite, guint32, 0x7f800000u, 0x00800000u)
IS_FINITE (doubles_are_finite, guint64, G_GUINT64_CONSTANT (0x7ff0000000000000),
           G_GUINT64_CONSTANT (0x0010000000000000))

gboolean
lapack_is_finite (CandelaDType dtype, gconstpointer a, gint64 n)
{
  if (lapack_is_complex (dtype))
    n *= 2;
  return lapack_is_single (dtype) ? floats_are_finite (a, n) : doubles_are_finite (a, n);
}

gboolean
lapack_triangle_is_finite (CandelaDType dtype, gconstpointer a, gint64 n, gboolean upper)
{
  gint64 size = (gint64) candela_dtype_get_size (dtype);

  if (lapack_is_finite (dtype, a, n * n))
    return TRUE;
  for (gint64 i = 0; i < n; i++)
    if (!lapack_is_finite (dtype, (const guint8 *) a + (i * n + (upper ? i : 0)) * size, upper ? n - i : i + 1))
      return FALSE;
  return TRUE;
}

void
lapack_fill_nan (CandelaDType dtype, gpointer a, gint64 n)
{
  if (lapack_is_complex (dtype))
    n *= 2;
  for (gint64 i = 0; i < n; i++)
    if (lapack_is_single (dtype))
      ((float *) a)[i] = NAN;
    else
      ((double *) a)[i] = NAN;
}

void
lapack_fill_identity (CandelaDType dtype, gpointer a, gint64 n)
{
  gsize size = candela_dtype_get_size (dtype);

  memset (a, 0, (gsize) (n * n) * size);
  for (gint64 i = 0; i < n; i++)
    memcpy ((guint8 *) a + (gsize) (i * n + i) * size, lapack_one (dtype), size);
}

/* Squares of which the columns stay in the cache. */
#define EDGE 32

#define TURN(name, type)                                                                                               \
  static void name (const type *from, gint64 apart, type *to, gint64 rows, gint64 cols)                                \
  {                                                                                                                    \
    for (gint64 top = 0; top < rows; top += EDGE)                                                                      \
      for (gint64 left = 0; left < cols; left += EDGE)                                                                 \
        for (gint64 i = top; i < MIN (top + EDGE, rows); i++)                                                          \
          for (gint64 j = left; j < MIN (left + EDGE, cols); j++)                                                      \
            to[i * cols + j] = from[j * apart + i];                                                                    \
  }

typedef struct
{
  double parts[2];
} Wide;

TURN (turn_4, guint32)
TURN (turn_8, guint64)
TURN (turn_16, Wide)

void
lapack_turn (CandelaDType dtype, gconstpointer from, gint64 apart, gpointer to, gint64 rows, gint64 cols)
{
  switch (candela_dtype_get_size (dtype))
    {
    case 4:
      turn_4 (from, apart, to, rows, cols);
      break;
    case 8:
      turn_8 (from, apart, to, rows, cols);
      break;
    default:
      turn_16 (from, apart, to, rows, cols);
    }
}

void
lapack_conjugate (CandelaDType dtype, gpointer a, gint64 n)
{
  if (dtype == CANDELA_DTYPE_COMPLEX64)
    for (gint64 i = 0; i < n; i++)
      ((float *) a)[2 * i + 1] = -((float *) a)[2 * i + 1];
  else if (dtype == CANDELA_DTYPE_COMPLEX128)
    for (gint64 i = 0; i < n; i++)
      ((double *) a)[2 * i + 1] = -((double *) a)[2 * i + 1];
}

int
lapack_read_size (CandelaDType dtype, gconstpointer work)
{
  double size = lapack_is_single (dtype) ? *(const float *) work : *(const double *) work;

  /* binary32 has rounded a large one, perhaps down. */
  if (lapack_is_single (dtype))
    size = ceil (size * (1 + 0x1p-22));
  return size >= 0 && size <= G_MAXINT ? MAX ((int) size, 1) : 0;
}

static const float float_one[2] = { 1, 0 }, float_zero[2] = { 0, 0 };
static const double double_one[2] = { 1, 0 }, double_zero[2] = { 0, 0 };

gconstpointer
lapack_one (CandelaDType dtype)
{
  return lapack_is_single (dtype) ? (gconstpointer) float_one : (gconstpointer) double_one;
}

gconstpointer
lapack_zero (CandelaDType dtype)
{
  return lapack_is_single (dtype) ? (gconstpointer) float_zero : (gconstpointer) double_zero;
}
