/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The transform of any length. Lengths of small prime factors go to KISS FFT as they
 * are. Others are turned into a convolution (L. Bluestein, "A linear filtering approach
 * to the computation of the discrete Fourier transform", 1968): with
 * jk = (j² + k² - (k - j)²) / 2,
 *
 *   X[k] = c[k] Σ x[j] c[j] conj (c[k - j]),   c[j] = exp (-πi j² / n),
 *
 * which is computed by transforms of a power of two. */
#include "fft.h"
#include <math.h>
#include <string.h>

/* A prime up to which a factor costs less than a convolution. */
#define LARGEST_FACTOR 61

struct _FftTransform
{
  gsize n;
  FftKiss *direct; /* of length n; or NULL */

  gsize m; /* of the convolution */
  FftKiss *forward, *backward;
  double *chirp;  /* c, n numbers */
  double *filter; /* the transform of conj (c), around zero, m numbers */
  double *work;   /* twice m numbers */
};

static gsize
largest_factor (gsize n)
{
  gsize largest = 1;

  for (gsize p = 2; p * p <= n; p++)
    while (n % p == 0)
      {
        largest = p;
        n /= p;
      }
  return MAX (largest, n);
}

/* j² modulo 2n, so that the angle stays exact however large j is. */
static void
fill_chirp (double *chirp, gsize n, gboolean inverse)
{
  gsize square = 0;

  for (gsize j = 0; j < n; j++)
    {
      double angle = (inverse ? G_PI : -G_PI) * (double) square / (double) n;

      chirp[2 * j] = cos (angle);
      chirp[2 * j + 1] = sin (angle);
      square = (square + 2 * j + 1) % (2 * n);
    }
}

static gboolean
prepare_convolution (FftTransform *transform, gboolean inverse)
{
  gsize n = transform->n, m = 1;

  while (m < 2 * n - 1)
    m *= 2;
  transform->m = m;
  transform->forward = fft_kiss_new (m, FALSE);
  transform->backward = fft_kiss_new (m, TRUE);
  transform->chirp = g_try_new (double, 2 * n);
  transform->filter = g_try_new (double, 2 * m);
  transform->work = g_try_new0 (double, 4 * m);
  if (transform->forward == NULL || transform->backward == NULL || transform->chirp == NULL || transform->filter == NULL
      || transform->work == NULL)
    return FALSE;

  fill_chirp (transform->chirp, n, inverse);
  for (gsize j = 0; j < n; j++)
    for (gsize side = 0; side < 2; side++)
      {
        gsize at = side == 0 || j == 0 ? j : m - j;

        transform->work[2 * at] = transform->chirp[2 * j];
        transform->work[2 * at + 1] = -transform->chirp[2 * j + 1];
      }
  fft_kiss_run (transform->forward, transform->work, transform->filter);
  return TRUE;
}

const gboolean fft_transform_has_single = FALSE, fft_transform_has_real = FALSE;

FftTransform *
fft_transform_new (gsize n, FftWay way, gboolean inverse, gboolean single)
{
  FftTransform *transform = g_new0 (FftTransform, 1);
  gboolean ok;

  transform->n = n;
  if (largest_factor (n) <= LARGEST_FACTOR)
    {
      transform->direct = fft_kiss_new (n, inverse);
      ok = transform->direct != NULL;
    }
  else
    ok = n <= G_MAXSIZE / 128 && prepare_convolution (transform, inverse);
  if (ok)
    return transform;
  fft_transform_free (transform);
  return NULL;
}

static void
multiply (double *out, const double *a, const double *b, double scale)
{
  double re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];

  out[0] = re * scale;
  out[1] = im * scale;
}

static void
convolve (FftTransform *transform, const double *in, double *out, double scale)
{
  gsize n = transform->n, m = transform->m;
  double *a = transform->work, *b = transform->work + 2 * m;

  for (gsize j = 0; j < n; j++)
    multiply (a + 2 * j, in + 2 * j, transform->chirp + 2 * j, 1);
  memset (a + 2 * n, 0, 2 * (m - n) * sizeof *a);
  fft_kiss_run (transform->forward, a, b);
  for (gsize k = 0; k < m; k++)
    multiply (b + 2 * k, b + 2 * k, transform->filter + 2 * k, 1);
  fft_kiss_run (transform->backward, b, a);
  for (gsize k = 0; k < n; k++)
    multiply (out + 2 * k, a + 2 * k, transform->chirp + 2 * k, scale / (double) m);
}

void
fft_transform_run (FftTransform *transform, gpointer in, gpointer out, double scale)
{
  double *parts = out;

  if (transform->direct == NULL)
    {
      convolve (transform, in, out, scale);
      return;
    }
  fft_kiss_run (transform->direct, in, out);
  if (scale != 1)
    for (gsize k = 0; k < 2 * transform->n; k++)
      parts[k] *= scale;
}

void
fft_transform_free (FftTransform *transform)
{
  g_clear_pointer (&transform->direct, fft_kiss_free);
  g_clear_pointer (&transform->forward, fft_kiss_free);
  g_clear_pointer (&transform->backward, fft_kiss_free);
  g_free (transform->chirp);
  g_free (transform->filter);
  g_free (transform->work);
  g_free (transform);
}
