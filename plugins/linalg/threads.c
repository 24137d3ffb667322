/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A BLAS with threads divides the work by their number, and so its results have
 * other bits on another machine. It is kept to one thread while a kernel of ours
 * uses it: the number that it had is put back when the last of them ends, so that
 * others in the process who use the same library find it as they left it.
 *
 * Several plugins use the same library, and none of them sees another: what they
 * share hangs on the registry. */
#include "blas.h"

#include <dlfcn.h>
#include <pthread.h>

/* Another one when struct _Blas becomes another. */
#define SHARED "candela-blas-1"

struct _Blas
{
  pthread_mutex_t mutex;
  gboolean opened; /* or failed to, for good */
  gpointer handle;
  const char *told;
  GError *error;
  guint n_running;
  gint64 n_threads_before;

  /* In OpenBLAS and in BLIS; NULL where the library is another. */
  void (*openblas_set_num_threads) (int n);
  int (*openblas_get_num_threads) (void);
  void (*bli_thread_set_num_threads) (gint64 n);
  gint64 (*bli_thread_get_num_threads) (void);

  OpenMP openmp; /* of an OpenBLAS that uses it: its threads are counted there */
  gboolean has_openmp;
};

/* The one that this plugin was the first to ask for. */
static Blas *first_here;

/* The threads that were at it are not in the child of a fork. */
static void
after_fork (void)
{
  pthread_mutex_init (&first_here->mutex, NULL);
  first_here->n_running = 0;
}

static Blas *
get_shared (const char *name)
{
  GObject *registry = G_OBJECT (candela_registry_get_default ());
  g_autofree char *key = g_strconcat (SHARED ":", name, NULL);
  Blas *blas = g_object_get_data (registry, key);

  if (blas != NULL)
    return blas;
  blas = g_new0 (Blas, 1);
  pthread_mutex_init (&blas->mutex, NULL);
  if (g_object_replace_data (registry, key, NULL, blas, NULL, NULL))
    {
      first_here = blas;
      pthread_atfork (NULL, NULL, after_fork);
      return blas;
    }
  pthread_mutex_destroy (&blas->mutex);
  g_free (blas);
  return g_object_get_data (registry, key);
}

static void
open_library (Blas *blas, const char *name)
{
  int (*openblas_get_parallel) (void);

  blas->handle = linalg_open_blas (name, &blas->told, &blas->error);
  if (blas->handle == NULL)
    return;
  blas->openblas_set_num_threads = dlsym (blas->handle, "openblas_set_num_threads");
  blas->openblas_get_num_threads = dlsym (blas->handle, "openblas_get_num_threads");
  blas->bli_thread_set_num_threads = dlsym (blas->handle, "bli_thread_set_num_threads");
  blas->bli_thread_get_num_threads = dlsym (blas->handle, "bli_thread_get_num_threads");
  openblas_get_parallel = dlsym (blas->handle, "openblas_get_parallel");
  blas->has_openmp =
    openblas_get_parallel != NULL && openblas_get_parallel () == 2 && linalg_find_openmp (blas->handle, &blas->openmp);
}

Blas *
linalg_blas_get (const char *name, GError **error)
{
  Blas *blas = get_shared (name);

  pthread_mutex_lock (&blas->mutex);
  if (!blas->opened)
    open_library (blas, name);
  blas->opened = TRUE;
  pthread_mutex_unlock (&blas->mutex);
  if (blas->error != NULL)
    g_propagate_error (error, g_error_copy (blas->error));
  return blas->error == NULL ? blas : NULL;
}

gpointer
linalg_blas_get_handle (const Blas *blas)
{
  return blas->handle;
}

const char *
linalg_blas_get_told (const Blas *blas)
{
  return blas->told;
}

static gint64
get_threads (const Blas *blas)
{
  if (blas->openblas_get_num_threads != NULL && blas->openblas_set_num_threads != NULL)
    return blas->openblas_get_num_threads ();
  if (blas->bli_thread_get_num_threads != NULL && blas->bli_thread_set_num_threads != NULL)
    return blas->bli_thread_get_num_threads ();
  return 1;
}

static void
set_threads (const Blas *blas, gint64 n)
{
  if (blas->openblas_get_num_threads != NULL && blas->openblas_set_num_threads != NULL)
    blas->openblas_set_num_threads ((int) n);
  else if (blas->bli_thread_get_num_threads != NULL && blas->bli_thread_set_num_threads != NULL)
    blas->bli_thread_set_num_threads (n);
}

void
linalg_blas_begin (Blas *blas)
{
  if (blas->has_openmp)
    return;
  pthread_mutex_lock (&blas->mutex);
  if (blas->n_running++ == 0)
    {
      blas->n_threads_before = get_threads (blas);
      if (blas->n_threads_before != 1)
        set_threads (blas, 1);
    }
  pthread_mutex_unlock (&blas->mutex);
}

void
linalg_blas_end (Blas *blas)
{
  if (blas->has_openmp)
    return;
  pthread_mutex_lock (&blas->mutex);
  if (blas->n_running > 0 && --blas->n_running == 0 && blas->n_threads_before != 1)
    set_threads (blas, blas->n_threads_before);
  pthread_mutex_unlock (&blas->mutex);
}

int
linalg_blas_enter (const Blas *blas)
{
  return blas->has_openmp ? linalg_enter_openmp (&blas->openmp) : 1;
}

void
linalg_blas_leave (const Blas *blas, int n_threads)
{
  if (blas->has_openmp)
    linalg_leave_openmp (&blas->openmp, n_threads);
}
