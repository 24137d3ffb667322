/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Absolute values of a block of elements, and what they add up to: in a fixed number of
 * lanes, so that a compiler may take vectors of any width for them and change no bit. */
#include "norm.h"

#include <math.h>

#define BLOCK 512
#define LANES 16
#define FEW 16

/* Sums of more elements than there are in a part are made of its sums. */
#define PART 8192

#if defined __x86_64__ && defined __gnu_linux__ && defined __GNUC__ && !defined __clang__                              \
  && !defined __SANITIZE_THREAD__ && !defined __SANITIZE_ADDRESS__
#define CLONES __attribute__ ((target_clones ("avx512f", "avx2", "default")))
#else
#define CLONES
#endif

Norm
norm_of_order (double order)
{
  NormKind kind = order == 0           ? NORM_COUNT
                  : order == 1         ? NORM_SUM
                  : order == 2         ? NORM_SQUARES
                  : order == INFINITY  ? NORM_MAX
                  : order == -INFINITY ? NORM_MIN
                                       : NORM_POWER;

  return (Norm){ kind, order };
}

/* ---- Absolute values ---- */

CLONES static void
read_floats (const float *x, gint64 n, double *out)
{
  for (gint64 i = 0; i < n; i++)
    out[i] = fabs ((double) x[i]);
}

CLONES static void
read_doubles (const double *x, gint64 n, double *out)
{
  for (gint64 i = 0; i < n; i++)
    out[i] = fabs (x[i]);
}

static void
read_block (CandelaDType dtype, gconstpointer x, gint64 start, gint64 n, double *out)
{
  const float *f = x;
  const double *d = x;

  if (dtype == CANDELA_DTYPE_FLOAT32)
    read_floats (f + start, n, out);
  else if (dtype == CANDELA_DTYPE_FLOAT64)
    read_doubles (d + start, n, out);
  else if (dtype == CANDELA_DTYPE_COMPLEX64)
    for (gint64 i = 0; i < n; i++)
      {
        double re = f[2 * (start + i)], im = f[2 * (start + i) + 1];

        /* Squares of binary32 fit. */
        out[i] = isinf (re) || isinf (im) ? INFINITY : sqrt (re * re + im * im);
      }
  else
    for (gint64 i = 0; i < n; i++)
      out[i] = hypot (d[2 * (start + i)], d[2 * (start + i) + 1]);
}

/* ---- Folding ---- */

/* Over whole rounds of the lanes, which are held in registers meanwhile. */
#define FOLD(name, type, expression)                                                                                   \
  CLONES static void name (const type *x, gint64 n, double *lanes)                                                     \
  {                                                                                                                    \
    double held[LANES];                                                                                                \
                                                                                                                       \
    memcpy (held, lanes, sizeof held);                                                                                 \
    for (gint64 i = 0; i < n; i += LANES)                                                                              \
      for (gint64 k = 0; k < LANES; k++)                                                                               \
        held[k] = expression;                                                                                          \
    memcpy (lanes, held, sizeof held);                                                                                 \
  }

FOLD (fold_count, double, held[k] + (x[i + k] != 0 ? 1 : 0))
FOLD (fold_sum, double, held[k] + x[i + k])
FOLD (fold_squares, double, held[k] + x[i + k] * x[i + k])
FOLD (fold_float_squares, float, held[k] + (double) x[i + k] * (double) x[i + k])
/* A NaN is found by its sum. */
FOLD (fold_max, double, x[i + k] > held[k] ? x[i + k] : held[k])
FOLD (fold_min, double, x[i + k] < held[k] ? x[i + k] : held[k])

static void
raise_block (double *x, gint64 n, double power)
{
  for (gint64 i = 0; i < n; i++)
    x[i] = pow (x[i], power);
}

static gboolean
has_nan (const double *x, gint64 n)
{
  double lanes[LANES] = { 0 }, sum = 0;

  /* Of absolute values no two cancel. */
  fold_sum (x, n, lanes);
  for (gint64 k = 0; k < LANES; k++)
    sum += lanes[k];
  return isnan (sum);
}

double
norm_begin (const Norm *norm)
{
  return norm->kind == NORM_MIN ? INFINITY : 0;
}

double
norm_add (const Norm *norm, double one, double other)
{
  if (norm->kind != NORM_MAX && norm->kind != NORM_MIN)
    return one + other;
  if (isnan (one) || isnan (other))
    return NAN;
  return norm->kind == NORM_MAX ? MAX (one, other) : MIN (one, other);
}

static void
fold_block (const Norm *norm, double *x, gint64 n, double scale, double *lanes, gboolean *nan)
{
  gint64 whole = (n + LANES - 1) / LANES * LANES;

  if (scale != 1)
    for (gint64 i = 0; i < n; i++)
      x[i] /= scale;
  if (norm->kind == NORM_POWER)
    raise_block (x, n, norm->power);
  for (gint64 i = n; i < whole; i++)
    x[i] = norm_begin (norm);
  switch (norm->kind)
    {
    case NORM_COUNT:
      fold_count (x, whole, lanes);
      break;
    case NORM_SQUARES:
      fold_squares (x, whole, lanes);
      break;
    case NORM_SUM:
    case NORM_POWER:
      fold_sum (x, whole, lanes);
      break;
    case NORM_MAX:
      fold_max (x, whole, lanes);
      *nan = *nan || has_nan (x, whole);
      break;
    case NORM_MIN:
      fold_min (x, whole, lanes);
      *nan = *nan || has_nan (x, whole);
      break;
    }
}

/* As many as fill the lanes, from where they are; how many. */
static gint64
fold_squares_there (CandelaDType dtype, gconstpointer x, gint64 start, gint64 n, double *lanes)
{
  gint64 whole = n / LANES * LANES;

  if (dtype == CANDELA_DTYPE_FLOAT32)
    fold_float_squares ((const float *) x + start, whole, lanes);
  else
    fold_squares ((const double *) x + start, whole, lanes);
  return whole;
}

static double
fold_part (const Norm *norm, CandelaDType dtype, gconstpointer x, gint64 start, gint64 n, double scale)
{
  double block[BLOCK], lanes[LANES];
  gboolean nan = FALSE;
  gint64 first = 0;

  for (guint k = 0; k < LANES; k++)
    lanes[k] = norm_begin (norm);
  /* Complex numbers have come as their parts. */
  if (norm->kind == NORM_SQUARES && scale == 1)
    first = fold_squares_there (dtype, x, start, n, lanes);
  for (gint64 done = first; done < n; done += BLOCK)
    {
      gint64 length = MIN (BLOCK, n - done);

      read_block (dtype, x, start + done, length, block);
      fold_block (norm, block, length, scale, lanes, &nan);
    }
  for (guint width = LANES / 2; width > 0; width /= 2)
    for (guint k = 0; k < width; k++)
      lanes[k] = norm_add (norm, lanes[k], lanes[k + width]);
  return nan ? NAN : lanes[0];
}

double
norm_fold (const Norm *norm, CandelaDType dtype, gconstpointer x, gint64 n, double scale)
{
  double total = norm_begin (norm);

  /* Squares of complex numbers are those of both parts. */
  if (norm->kind == NORM_SQUARES && lapack_is_complex (dtype))
    return norm_fold (norm, lapack_real_dtype (dtype), x, 2 * n, scale);
  for (gint64 start = 0; start < n; start += PART)
    total = norm_add (norm, total, fold_part (norm, dtype, x, start, MIN (PART, n - start), scale));
  return total;
}

void
norm_add_row (CandelaDType dtype, gconstpointer x, gint64 start, gint64 n, double *sums)
{
  double block[BLOCK];

  for (gint64 done = 0; done < n; done += BLOCK)
    {
      gint64 length = MIN (BLOCK, n - done);

      read_block (dtype, x, start + done, length, block);
      for (gint64 i = 0; i < length; i++)
        sums[done + i] += block[i];
    }
}

/* ---- Results ---- */

gboolean
norm_is_safe (const Norm *norm, double total)
{
  if (norm->kind != NORM_SQUARES && norm->kind != NORM_POWER)
    return TRUE;
  return isnan (total) || (total > 0x1p-900 && total < 0x1p900);
}

Norm
norm_of_scale (const Norm *norm)
{
  return norm_of_order (norm->kind == NORM_POWER && norm->power < 0 ? -INFINITY : INFINITY);
}

double
norm_end (const Norm *norm, double total, double scale)
{
  if (norm->kind == NORM_SQUARES)
    return scale * sqrt (total);
  return norm->kind == NORM_POWER ? scale * pow (total, 1 / norm->power) : total;
}

static double
add_few_squares (CandelaDType dtype, gconstpointer x, gint64 n)
{
  double total = 0;

  if (lapack_is_complex (dtype))
    n *= 2;
  if (lapack_is_single (dtype))
    for (gint64 i = 0; i < n; i++)
      total += (double) ((const float *) x)[i] * (double) ((const float *) x)[i];
  else
    for (gint64 i = 0; i < n; i++)
      total += ((const double *) x)[i] * ((const double *) x)[i];
  return total;
}

/* A few elements cost less one after the other than in lanes. */
static double
add_few (const Norm *norm, CandelaDType dtype, gconstpointer x, gint64 n)
{
  double sizes[FEW], total = norm_begin (norm);

  if (norm->kind == NORM_SQUARES)
    return add_few_squares (dtype, x, n);
  read_block (dtype, x, 0, n, sizes);
  for (gint64 i = 0; i < n; i++)
    total = norm_add (norm, total,
                      norm->kind == NORM_POWER   ? pow (sizes[i], norm->power)
                      : norm->kind == NORM_COUNT ? (sizes[i] != 0 ? 1 : 0)
                                                 : sizes[i]);
  return total;
}

double
norm_find (const Norm *norm, CandelaDType dtype, gconstpointer x, gint64 n)
{
  double total = n <= FEW ? add_few (norm, dtype, x, n) : norm_fold (norm, dtype, x, n, 1), scale;
  Norm of_scale = norm_of_scale (norm);

  if (norm_is_safe (norm, total))
    return norm_end (norm, total, 1);
  scale = norm_fold (&of_scale, dtype, x, n, 1);
  return scale == 0 || !isfinite (scale) ? scale : norm_end (norm, norm_fold (norm, dtype, x, n, scale), scale);
}
