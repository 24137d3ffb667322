/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Opening the libraries, when they are first needed and for this plugin alone: what
 * else a process has loaded under the same names does not come between.
 *
 * An OpenBLAS older than the processor takes it for one of long ago, and then needs
 * several times as long. It can be told better only by its environment, while it is
 * being loaded. So it is loaded, asked, and if need be loaded again, told. */
#define _GNU_SOURCE
#include "blas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
#ifdef __linux__
#include <link.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#endif

#define CORE_VARIABLE "OPENBLAS_CORETYPE"

gpointer
linalg_open (const char *name, GError **error)
{
  gpointer handle = dlopen (name, RTLD_NOW | RTLD_LOCAL);

  if (handle == NULL)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "linalg: %s", dlerror ());
  return handle;
}

/* The kernels of OpenBLAS for this processor, or NULL. */
static const char *
get_best_core (void)
{
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw") && __builtin_cpu_supports ("avx512cd")
      && __builtin_cpu_supports ("avx512dq") && __builtin_cpu_supports ("avx512vl"))
    return "SkylakeX";
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    return "Haswell";
#endif
  return NULL;
}

gboolean
linalg_is_old_core (const char *core)
{
  static const char *const names[] = { "Unknown",     "Katmai",  "Coppermine", "Northwood",    "Prescott",
                                       "Banias",      "Atom",    "Core2",      "Penryn",       "Athlon",
                                       "Dunnington",  "Nehalem", "Opteron",    "Nano",         "Sandybridge",
                                       "Barcelona",   "Bobcat",  "Bulldozer",  "Opteron_SSE3", "Piledriver",
                                       "Steamroller", NULL };

  return g_strv_contains (names, core);
}

/* Opens it with the variable set. Others may be reading the environment meanwhile:
 * they find the old one or the new one, both of which stay whole. */
static gpointer
open_told (const char *name, const char *core)
{
  static char **told; /* for good: somebody may still be reading it */
  char **before = environ;
  gpointer handle;
  guint n = 0;

  while (before != NULL && before[n] != NULL)
    n++;
  told = g_new0 (char *, n + 2);
  for (guint i = 0; i < n; i++)
    told[i] = before[i];
  told[n] = g_strconcat (CORE_VARIABLE "=", core, NULL);
  __atomic_store_n (&environ, told, __ATOMIC_RELEASE);
  handle = dlopen (name, RTLD_NOW | RTLD_LOCAL);
  if (__atomic_load_n (&environ, __ATOMIC_ACQUIRE) == told)
    __atomic_store_n (&environ, before, __ATOMIC_RELEASE);
  return handle;
}

/* One that others have loaded cannot be loaded again, but a copy of its file can. */
static gpointer
open_copy_told (gpointer handle, const char *core)
{
#ifdef __linux__
  struct link_map *map = NULL;
  struct stat status;
  FILE *file;
  int fd;
  gpointer copy = NULL;

  if (dlinfo (handle, RTLD_DI_LINKMAP, &map) != 0 || (file = fopen (map->l_name, "re")) == NULL)
    return NULL;
  fd = memfd_create ("candela-cblas", MFD_CLOEXEC);
  if (fd >= 0 && fstat (fileno (file), &status) == 0)
    {
      g_autofree char *name = g_strdup_printf ("/proc/self/fd/%d", fd);
      off_t rest = status.st_size;

      while (rest > 0)
        {
          ssize_t sent = sendfile (fd, fileno (file), NULL, (gsize) rest);

          if (sent <= 0)
            break;
          rest -= sent;
        }
      if (rest == 0)
        copy = open_told (name, core);
    }
  if (fd >= 0)
    close (fd);
  fclose (file);
  return copy;
#else
  return NULL;
#endif
}

static const char *
get_core (gpointer handle)
{
  char *(*get_corename) (void) = dlsym (handle, "openblas_get_corename");

  return get_corename != NULL ? get_corename () : NULL;
}

gpointer
linalg_open_blas (const char *name, const char **told, GError **error)
{
  gpointer handle = linalg_open (name, error), better = NULL;
  const char *best = get_best_core (), *core = handle != NULL ? get_core (handle) : NULL;

  *told = NULL;
  if (core == NULL || best == NULL || !linalg_is_old_core (core) || g_getenv (CORE_VARIABLE) != NULL)
    return handle;
  core = g_intern_string (core);

  dlclose (handle);
  handle = dlopen (name, RTLD_NOW | RTLD_NOLOAD);
  better = handle != NULL ? open_copy_told (handle, best) : open_told (name, best);
  if (better != NULL && !linalg_is_old_core (get_core (better)))
    {
      *told = core;
      return better;
    }
  g_message ("OpenBLAS takes this processor for a %s and will be slow; " CORE_VARIABLE "=%s in the environment helps",
             core, best);
  if (handle == NULL)
    handle = better != NULL ? better : linalg_open (name, error);
  return handle;
}

/* The library's own calls are resolved in the process first, and then among what it
 * was linked with: look in the same order, to find the OpenMP that it uses. */
gboolean
linalg_find_openmp (gpointer handle, OpenMP *openmp)
{
  openmp->get_max_threads = dlsym (RTLD_DEFAULT, "omp_get_max_threads");
  openmp->set_num_threads = dlsym (RTLD_DEFAULT, "omp_set_num_threads");
  if (openmp->get_max_threads == NULL || openmp->set_num_threads == NULL)
    {
      openmp->get_max_threads = dlsym (handle, "omp_get_max_threads");
      openmp->set_num_threads = dlsym (handle, "omp_set_num_threads");
    }
  return openmp->get_max_threads != NULL && openmp->set_num_threads != NULL;
}

/* The number belongs to the calling thread. */
int
linalg_enter_openmp (const OpenMP *openmp)
{
  int n_threads = openmp->get_max_threads ();

  if (n_threads != 1)
    openmp->set_num_threads (1);
  return n_threads;
}

void
linalg_leave_openmp (const OpenMP *openmp, int n_threads)
{
  if (n_threads != 1)
    openmp->set_num_threads (n_threads);
}
