/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Matrix products of float32 by oneDNN. It is kept to the calling thread: its OpenMP
 * would divide the work by the number of threads, and so give other bits on another
 * machine, and in the child of a fork it would wait for threads that are not there. */
#include "linalg.h"

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>

static struct
{
  __typeof__ (dnnl_sgemm) *sgemm;
  __typeof__ (dnnl_version) *version;
  __typeof__ (dnnl_get_effective_cpu_isa) *get_isa;
  OpenMP openmp;
  gboolean has_openmp;
  GError *error;
} onednn;

/* FALSE, with the reason, if it cannot be kept to one thread. */
static gboolean
find_functions (gpointer handle, GError **error)
{
  onednn.sgemm = dlsym (handle, "dnnl_sgemm");
  onednn.version = dlsym (handle, "dnnl_version");
  onednn.get_isa = dlsym (handle, "dnnl_get_effective_cpu_isa");
  if (onednn.sgemm == NULL || onednn.version == NULL || onednn.get_isa == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "linalg: %s lacks a function", LINALG_ONEDNN);
      return FALSE;
    }
  switch (onednn.version ()->cpu_runtime)
    {
    case DNNL_RUNTIME_SEQ:
    case DNNL_RUNTIME_THREADPOOL: /* none is set */
      return TRUE;
    case DNNL_RUNTIME_OMP:
      onednn.has_openmp = linalg_find_openmp (handle, &onednn.openmp);
      break;
    }
  if (!onednn.has_openmp)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "linalg: %s cannot be kept to one thread", LINALG_ONEDNN);
  return onednn.has_openmp;
}

static gboolean
open_library (GError **error)
{
  static gsize once;

  if (g_once_init_enter (&once))
    {
      gpointer handle = linalg_open (LINALG_ONEDNN, &onednn.error);

      if (handle != NULL)
        find_functions (handle, &onednn.error);
      g_once_init_leave (&once, 1);
    }
  if (onednn.error != NULL)
    g_propagate_error (error, g_error_copy (onednn.error));
  return onednn.error == NULL;
}

static void
do_nothing (void)
{
}

static gboolean
multiply (CandelaDType dtype, const Matrix *a, const Matrix *b, gpointer c, gint64 c_stride, gboolean adds)
{
  Storage left = { FALSE, 1 }, right = { FALSE, 1 };
  int n_threads = onednn.has_openmp ? linalg_enter_openmp (&onednn.openmp) : 1;
  dnnl_status_t status;

  linalg_get_storage (a, &left);
  linalg_get_storage (b, &right);
  status = onednn.sgemm (left.transposed ? 'T' : 'N', right.transposed ? 'T' : 'N', a->rows, b->cols, a->cols, 1.0f,
                         (const float *) a->data, left.leading, (const float *) b->data, right.leading,
                         adds ? 1.0f : 0.0f, c, c_stride);
  if (onednn.has_openmp)
    linalg_leave_openmp (&onednn.openmp, n_threads);
  return status == dnnl_success;
}

static char *
describe (void)
{
  const dnnl_version_t *version = onednn.version ();
  int isa = onednn.get_isa ();
  const char *kernels = (isa & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core ? "AVX-512"
                        : (isa & dnnl_cpu_isa_avx2) == dnnl_cpu_isa_avx2             ? "AVX2"
                        : (isa & dnnl_cpu_isa_avx) == dnnl_cpu_isa_avx               ? "AVX"
                                                                                     : "plain";

  return g_strdup_printf ("oneDNN %d.%d.%d (%s)", version->major, version->minor, version->patch, kernels);
}

const LinalgLibrary linalg_onednn = {
  .open = open_library,
  .begin = do_nothing,
  .end = do_nothing,
  .multiply = multiply,
  .wants_one_packed = TRUE,
  .wants_narrow = TRUE,
  .describe = describe,
};
