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
  gboolean inverse, single;
  guint users;   /* under the lock */
  gpointer plan; /* an fftw_plan, or an fftwf_plan */
};

/* Also held while a plan is made or destroyed. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static GSList *transforms; /* FftTransform, under the lock */

const gboolean fft_transform_has_single = TRUE;

#define PRECISION(name, prefix, type)                                                                                  \
  static gpointer plan_##name (gsize n, gboolean inverse, gpointer in, gpointer out)                                   \
  {                                                                                                                    \
    const prefix##_iodim64 line = { (ptrdiff_t) n, 1, 1 };                                                             \
                                                                                                                       \
    return prefix##_plan_guru64_dft (1, &line, 0, NULL, in, out, inverse ? FFTW_BACKWARD : FFTW_FORWARD,               \
                                     FFTW_ESTIMATE | FFTW_DESTROY_INPUT);                                              \
  }                                                                                                                    \
                                                                                                                       \
  static void run_##name (gpointer plan, gsize n, gpointer in, gpointer out, type scale)                               \
  {                                                                                                                    \
    type *parts = out;                                                                                                 \
                                                                                                                       \
    prefix##_execute_dft (plan, in, out);                                                                              \
    if (scale != 1)                                                                                                    \
      for (gsize k = 0; k < 2 * n; k++)                                                                                \
        parts[k] *= scale;                                                                                             \
  }

PRECISION (single, fftwf, float)
PRECISION (double, fftw, double)

/* FFTW ends the process when it finds no memory. So there must be as much as the longest
 * way takes, a convolution for a prime length; the arrays that a plan is made for, which
 * are not touched, are in it. */
static gpointer
make_plan (gsize n, gboolean inverse, gboolean single)
{
  gsize bytes = (n * 2 * (single ? sizeof (float) : sizeof (double)) + 63) & ~(gsize) 63;
  gpointer room, plan;

  if (n > G_MAXSIZE / 1024 || posix_memalign (&room, 64, 16 * bytes) != 0)
    return NULL;
  plan = (single ? plan_single : plan_double) (n, inverse, room, (guint8 *) room + bytes);
  free (room);
  return plan;
}

static FftTransform *
find_transform (gsize n, gboolean inverse, gboolean single)
{
  for (GSList *link = transforms; link != NULL; link = link->next)
    {
      FftTransform *transform = link->data;

      if (transform->n == n && transform->inverse == inverse && transform->single == single)
        return transform;
    }
  return NULL;
}

FftTransform *
fft_transform_new (gsize n, gboolean inverse, gboolean single)
{
  FftTransform *transform;
  gpointer plan;

  pthread_mutex_lock (&lock);
  transform = find_transform (n, inverse, single);
  if (transform == NULL && (plan = make_plan (n, inverse, single)) != NULL)
    {
      transform = g_new (FftTransform, 1);
      *transform = (FftTransform){ .n = n, .inverse = inverse, .single = single, .plan = plan };
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
    run_single (transform->plan, transform->n, in, out, (float) scale);
  else
    run_double (transform->plan, transform->n, in, out, scale);
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
