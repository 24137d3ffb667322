/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Transforms by FFTW, of either precision. A plan is for arrays that begin cache lines, so
 * that vectors may be used and the same numbers have the same bits wherever they are. It
 * is estimated, not measured, since what is measured differs from run to run; and who
 * wants the same plan while there is one shares it. */
#include "../fft/fft.h"

#include <fftw3.h>
#include <pthread.h>
#include <stdlib.h>

struct _FftTransform
{
  gsize n;
  FftWay way;
  gboolean inverse, single;
  guint users;   /* under the lock */
  gpointer plan; /* an fftw_plan, or an fftwf_plan */
};

/* Also held while a plan is made or destroyed. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GSList *transforms; /* FftTransform, under the lock */

const gboolean fft_transform_has_single = TRUE, fft_transform_has_real = TRUE;

/* FFTW has exp (-…) for real numbers and exp (+…) to them: for the others one side is
 * conjugate. */
#define PRECISION(name, prefix, type)                                                                                  \
  static gpointer plan_##name (const FftTransform *wanted, gpointer in, gpointer out)                                  \
  {                                                                                                                    \
    const prefix##_iodim64 line = { (ptrdiff_t) wanted->n, 1, 1 };                                                     \
    const unsigned flags = FFTW_ESTIMATE | FFTW_DESTROY_INPUT;                                                         \
                                                                                                                       \
    if (wanted->way == FFT_REAL_TO_HALF)                                                                               \
      return prefix##_plan_guru64_dft_r2c (1, &line, 0, NULL, in, out, flags);                                         \
    if (wanted->way == FFT_HALF_TO_REAL)                                                                               \
      return prefix##_plan_guru64_dft_c2r (1, &line, 0, NULL, in, out, flags);                                         \
    return prefix##_plan_guru64_dft (1, &line, 0, NULL, in, out, wanted->inverse ? FFTW_BACKWARD : FFTW_FORWARD,       \
                                     flags);                                                                           \
  }                                                                                                                    \
                                                                                                                       \
  static void scale_##name (type *parts, gsize n, type even, type odd)                                                 \
  {                                                                                                                    \
    if (even == 1 && odd == 1)                                                                                         \
      return;                                                                                                          \
    for (gsize k = 0; k < n; k += 2)                                                                                   \
      {                                                                                                                \
        parts[k] *= even;                                                                                              \
        parts[k + 1] *= odd;                                                                                           \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void run_##name (const FftTransform *transform, gpointer in, gpointer out, type scale)                        \
  {                                                                                                                    \
    gsize n = transform->n, half = 2 * (n / 2 + 1);                                                                    \
                                                                                                                       \
    switch (transform->way)                                                                                            \
      {                                                                                                                \
      case FFT_COMPLEX:                                                                                                \
        prefix##_execute_dft (transform->plan, in, out);                                                               \
        scale_##name (out, 2 * n, scale, scale);                                                                       \
        break;                                                                                                         \
      case FFT_REAL_TO_HALF:                                                                                           \
        prefix##_execute_dft_r2c (transform->plan, in, out);                                                           \
        scale_##name (out, half, scale, transform->inverse ? -scale : scale);                                          \
        break;                                                                                                         \
      case FFT_HALF_TO_REAL:                                                                                           \
        scale_##name (in, half, scale, transform->inverse ? scale : -scale);                                           \
        prefix##_execute_dft_c2r (transform->plan, in, out);                                                           \
      }                                                                                                                \
  }

PRECISION (single, fftwf, float)
PRECISION (double, fftw, double)

/* FFTW ends the process when it finds no memory. So there must be as much as the longest
 * way takes, a convolution for a prime length; the arrays that a plan is made for, which
 * are not touched, are in it. */
static gpointer
make_plan (const FftTransform *wanted)
{
  gsize bytes = (wanted->n * 2 * (wanted->single ? sizeof (float) : sizeof (double)) + 63) & ~(gsize) 63;
  gpointer room, plan;

  if (wanted->n > G_MAXSIZE / 1024 || posix_memalign (&room, 64, 16 * bytes) != 0)
    return NULL;
  plan = (wanted->single ? plan_single : plan_double) (wanted, room, (guint8 *) room + bytes);
  free (room);
  return plan;
}

static FftTransform *
find_transform (const FftTransform *wanted)
{
  for (GSList *link = transforms; link != NULL; link = link->next)
    {
      FftTransform *transform = link->data;

      if (transform->n == wanted->n && transform->way == wanted->way && transform->inverse == wanted->inverse
          && transform->single == wanted->single)
        return transform;
    }
  return NULL;
}

FftTransform *
fft_transform_new (gsize n, FftWay way, gboolean inverse, gboolean single)
{
  FftTransform wanted = { .n = n, .way = way, .inverse = inverse, .single = single }, *transform;

  pthread_mutex_lock (&lock);
  transform = find_transform (&wanted);
  if (transform == NULL && (wanted.plan = make_plan (&wanted)) != NULL)
    {
      transform = g_new (FftTransform, 1);
      *transform = wanted;
      transforms = g_slist_prepend (transforms, transform);
    }
  if (transform != NULL)
    transform->users++;
  pthread_mutex_unlock (&lock);
  return transform;
}

void
fft_transform_run (FftTransform *transform, gpointer in, gpointer out, double scale)
{
  if (transform->single)
    run_single (transform, in, out, (float) scale);
  else
    run_double (transform, in, out, scale);
}

void
fft_transform_free (FftTransform *transform)
{
  pthread_mutex_lock (&lock);
  if (--transform->users == 0)
    {
      transforms = g_slist_remove (transforms, transform);
      if (transform->single)
        fftwf_destroy_plan (transform->plan);
      else
        fftw_destroy_plan (transform->plan);
      g_free (transform);
    }
  pthread_mutex_unlock (&lock);
}
