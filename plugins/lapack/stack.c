/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The matrices of a stack, one after the other, a chunk of them by each thread. A chunk
 * is packed at once; then each matrix is worked on where it is, if that is the start of a
 * cache line, and otherwise in a copy: so the same matrix has the same bits wherever it
 * stands, and whoever does it. */
#include "lapack.h"

#include <pthread.h>
#include <stdlib.h>

/* Multiplications of a chunk, and what a matrix costs beside its own. */
#define CHUNK_WORK (1 << 19)
#define MATRIX_WORK 2000
/* Bytes of a chunk of more than one matrix. */
#define CHUNK_BYTES (1 << 18)

typedef struct
{
  const LapackStack *stack;
  LapackFunc func;
  gint64 per_chunk;
  gsize bytes; /* of a matrix */

  pthread_mutex_t lock;
  gint64 failed; /* under the lock: the first matrix that did; n if none has */
  LapackStatus status;
  gboolean no_memory;
} Run;

gboolean
lapack_stack_init (LapackStack *stack, const char *op, CandelaKernel *kernel, CandelaDType dtype,
                   const CandelaLayout *layout, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);

  memset (stack, 0, sizeof *stack);
  stack->op = op;
  stack->input = "x";
  stack->kernel = kernel;
  stack->dtype = dtype;
  stack->size = candela_dtype_get_size (dtype);
  stack->layout = layout;
  stack->rows = shape[rank - 2];
  stack->cols = shape[rank - 1];
  stack->extent = MIN (stack->rows, stack->cols);
  stack->cost = (double) stack->rows * (double) stack->cols * (double) stack->extent;
  stack->n = 1;
  for (gsize axis = 0; axis < rank - 2; axis++)
    stack->n *= shape[axis];
  stack->lapack = lapack_get (dtype, &stack->blas, error);
  return stack->lapack != NULL;
}

gboolean
lapack_fail_size (const LapackStack *stack, GError **error)
{
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE,
               "%s: matrices of %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT " elements are more than LAPACK can count",
               stack->op, stack->rows, stack->cols);
  return FALSE;
}

gpointer
lapack_stack_output (const LapackStack *stack, guint output, gint64 elements, gint64 i)
{
  gsize size = candela_dtype_get_size (candela_kernel_get_output_dtype (stack->kernel, output));

  return (guint8 *) candela_kernel_get_output (stack->kernel, output) + (gsize) (elements * i) * size;
}

static void
note_failure (Run *run, gint64 i, LapackStatus status)
{
  pthread_mutex_lock (&run->lock);
  if (i < run->failed)
    {
      run->failed = i;
      run->status = status;
    }
  pthread_mutex_unlock (&run->lock);
}

/* FALSE if it is cancelled, or a matrix before has failed. */
static gboolean
goes_on (Run *run, gint64 i)
{
  gboolean first;

  if (g_cancellable_is_cancelled (candela_kernel_get_cancellable (run->stack->kernel)))
    return FALSE;
  pthread_mutex_lock (&run->lock);
  first = i < run->failed;
  pthread_mutex_unlock (&run->lock);
  return first;
}

static LapackStatus
run_matrix (const Run *run, gint64 i, guint8 *a, gpointer copy, gpointer work)
{
  LapackStatus status;

  if ((guintptr) a % 64 == 0 || run->stack->anywhere)
    return run->func (run->stack, i, a, work);
  memcpy (copy, a, run->bytes);
  status = run->func (run->stack, i, copy, work);
  if (run->stack->replaces)
    memcpy (a, copy, run->bytes);
  return status;
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  Run *run = data;
  const LapackStack *stack = run->stack;
  gint64 first = (gint64) chunk * run->per_chunk, count = MIN (run->per_chunk, stack->n - first);
  gint64 elements = stack->rows * stack->cols;
  gsize packed = stack->replaces ? 0 : lapack_align ((gsize) count * run->bytes);
  gpointer memory = NULL, copy, work;
  guint8 *a;
  int n_threads;

  if (!goes_on (run, first))
    return;
  if (posix_memalign (&memory, 64, packed + lapack_align (run->bytes) + MAX (stack->work_bytes, 64)) != 0)
    {
      pthread_mutex_lock (&run->lock);
      run->no_memory = TRUE;
      pthread_mutex_unlock (&run->lock);
      return;
    }
  a = stack->replaces ? lapack_stack_output (stack, 0, elements, first) : memory;
  copy = (guint8 *) memory + packed;
  work = (guint8 *) copy + lapack_align (run->bytes);
  candela_kernel_pack_layout (stack->kernel, 0, stack->layout, stack->dtype, first * elements,
                              (gsize) (count * elements), a);
  if (stack->prepare != NULL)
    stack->prepare (stack, first, count);
  n_threads = linalg_blas_enter (stack->blas);
  for (gint64 k = 0; k < count; k++)
    {
      LapackStatus status = run_matrix (run, first + k, a + (gsize) k * run->bytes, copy, work);

      if (status != LAPACK_OK)
        {
          note_failure (run, first + k, status);
          break;
        }
    }
  linalg_blas_leave (stack->blas, n_threads);
  free (memory);
}

static void
fail (const Run *run, GError **error)
{
  static const char *const reasons[] = { "", "is singular", "is not positive definite",
                                         "has a decomposition that does not converge",
                                         "has an element that is not finite" };
  const LapackStack *stack = run->stack;
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (stack->layout, &rank);
  gint64 index[CANDELA_MAX_RANK], rest = run->failed;
  g_autofree char *where = NULL;

  for (gsize axis = rank - 2; axis-- > 0; rest /= shape[axis])
    index[axis] = rest % shape[axis];
  where = candela_shape_to_string (index, rank - 2);
  if (rank == 2)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_VALUE, "%s: %s %s", stack->op, stack->input, reasons[run->status]);
  else
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_VALUE, "%s: matrix %s of %s %s", stack->op, where, stack->input,
                 reasons[run->status]);
}

gboolean
lapack_stack_run (LapackStack *stack, LapackFunc func, GError **error)
{
  Run run = { .stack = stack, .func = func, .failed = stack->n };

  if (stack->n == 0)
    return TRUE;
  run.bytes = (gsize) (stack->rows * stack->cols) * stack->size;
  run.per_chunk =
    (gint64) CLAMP (CHUNK_WORK / (stack->cost + MATRIX_WORK), 1, MAX (CHUNK_BYTES / MAX ((double) run.bytes, 1), 1));
  pthread_mutex_init (&run.lock, NULL);
  linalg_blas_begin (stack->blas);
  candela_kernel_parallel_for (stack->kernel, (guint64) ((stack->n + run.per_chunk - 1) / run.per_chunk), run_chunk,
                               &run);
  linalg_blas_end (stack->blas);
  pthread_mutex_destroy (&run.lock);

  if (g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (stack->kernel), error))
    return FALSE;
  if (run.no_memory)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY,
                 "%s: there is no memory to work on a matrix of %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT " elements",
                 stack->op, stack->rows, stack->cols);
  else if (run.failed < stack->n)
    fail (&run, error);
  return !run.no_memory && run.failed == stack->n;
}
