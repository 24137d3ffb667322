/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Norms of vectors, which may lie along several axes: these go last, and then each vector
 * is a row. A long one is cut into parts, by its length alone, that threads share. */
#include "norm.h"

#include <math.h>

enum {
  PARAM_AXIS,
  PARAM_KEEPDIMS,
  PARAM_ORD
};

/* Elements of a chunk, and of a part of a vector. */
#define CHUNK (1 << 16)

/* ---- Shapes ---- */

/* The axes, as bits; of parameters that infer has passed. */
static guint32
get_axes (const CandelaParams *params, guint rank)
{
  guint32 axes = 0;
  const gint64 *list;
  gsize n;

  if (!candela_params_is_set (params, PARAM_AXIS))
    return rank == 32 ? G_MAXUINT32 : (1u << rank) - 1;
  list = candela_params_get_int_list (params, PARAM_AXIS, &n);
  for (gsize i = 0; i < n; i++)
    axes |= 1u << (list[i] < 0 ? list[i] + rank : list[i]);
  return axes;
}

static gboolean
check_axes (CandelaInference *inference, guint rank, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  guint32 seen = 0;
  const gint64 *list;
  gsize n;

  if (!candela_params_is_set (params, PARAM_AXIS))
    return TRUE;
  list = candela_params_get_int_list (params, PARAM_AXIS, &n);
  for (gsize i = 0; i < n; i++)
    {
      gint64 axis = list[i];

      if (!candela_axis_normalize (&axis, rank, error))
        return FALSE;
      if ((seen >> axis & 1) != 0)
        return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS, "axis %" G_GINT64_FORMAT " is named twice",
                                       axis);
      seen |= 1u << axis;
    }
  return TRUE;
}

static gboolean
infer (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  gboolean keepdims = candela_params_get_bool (params, PARAM_KEEPDIMS);
  Norm norm = norm_of_order (candela_params_get_float (params, PARAM_ORD));
  gsize rank, n = 0;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);
  gint64 out[CANDELA_MAX_RANK], length = 1, count = 1;
  guint32 axes;

  if (!check_axes (inference, (guint) rank, error))
    return FALSE;
  axes = get_axes (params, (guint) rank);
  for (gsize axis = 0; axis < rank; axis++)
    {
      gboolean along = (axes >> axis & 1) != 0;

      if (along)
        length *= shape[axis];
      else
        count *= shape[axis];
      if (!along || keepdims)
        out[n++] = along ? 1 : shape[axis];
    }
  if (norm.kind == NORM_MIN && length == 0 && count != 0)
    {
      g_autofree char *text = candela_shape_to_string (shape, rank);

      return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                     "x has shape %s: there is no smallest element of a vector without elements", text);
    }
  return candela_inference_set_output (
    inference, 0, lapack_real_dtype (candela_inference_get_input_dtype (inference, 0)), out, n, error);
}

/* ---- Vectors ---- */

typedef struct
{
  CandelaKernel *kernel;
  Norm norm;
  CandelaDType dtype;
  gsize size;
  CandelaLayout *rows;  /* the input, axes that are summed over last */
  gconstpointer packed; /* its elements, if they lie like that already */
  gint64 n, length;     /* vectors, and their elements */
  gint64 n_parts;       /* of each */
  gint64 per_chunk;     /* vectors, if they have one part */
  double scale;
  double *totals; /* of parts */
  int failed;     /* atomic */
} Vectors;

static void
write_result (const Vectors *vectors, gint64 i, double value)
{
  gpointer out = candela_kernel_get_output (vectors->kernel, 0);

  if (lapack_is_single (vectors->dtype))
    ((float *) out)[i] = (float) value;
  else
    ((double *) out)[i] = value;
}

/* n elements from one on; *room is to be freed. NULL if there is no memory. */
static const guint8 *
read_elements (Vectors *vectors, gint64 start, gint64 n, gpointer *room)
{
  *room = NULL;
  if (vectors->packed != NULL)
    return (const guint8 *) vectors->packed + (gsize) start * vectors->size;
  *room = g_try_malloc (MAX ((gsize) n * vectors->size, 1));
  if (*room == NULL)
    g_atomic_int_set (&vectors->failed, TRUE);
  else
    candela_kernel_pack_layout (vectors->kernel, 0, vectors->rows, vectors->dtype, start, (gsize) n, *room);
  return *room;
}

static gboolean
is_cancelled (const Vectors *vectors)
{
  return g_cancellable_is_cancelled (candela_kernel_get_cancellable (vectors->kernel));
}

static void
run_vectors (guint64 chunk, gpointer data)
{
  Vectors *vectors = data;
  gint64 first = (gint64) chunk * vectors->per_chunk, n = MIN (vectors->per_chunk, vectors->n - first);
  g_autofree gpointer room = NULL;
  const guint8 *x;

  if (is_cancelled (vectors)
      || (x = read_elements (vectors, first * vectors->length, n * vectors->length, &room)) == NULL)
    return;
  for (gint64 i = 0; i < n; i++)
    write_result (
      vectors, first + i,
      norm_find (&vectors->norm, vectors->dtype, x + (gsize) (i * vectors->length) * vectors->size, vectors->length));
}

static void
run_part (guint64 chunk, gpointer data)
{
  Vectors *vectors = data;
  gint64 vector = (gint64) chunk / vectors->n_parts, start = (gint64) chunk % vectors->n_parts * CHUNK;
  gint64 n = MIN (CHUNK, vectors->length - start);
  g_autofree gpointer room = NULL;
  const guint8 *x;

  if (is_cancelled (vectors) || (x = read_elements (vectors, vector * vectors->length + start, n, &room)) == NULL)
    return;
  vectors->totals[chunk] = norm_fold (&vectors->norm, vectors->dtype, x, n, vectors->scale);
}

static double
add_parts (const Vectors *vectors, gint64 vector)
{
  double total = norm_begin (&vectors->norm);

  for (gint64 part = 0; part < vectors->n_parts; part++)
    total = norm_add (&vectors->norm, total, vectors->totals[vector * vectors->n_parts + part]);
  return total;
}

/* One vector of several parts, of which the powers went too far. */
static double
find_scaled (const Vectors *all, gint64 vector)
{
  Vectors one = *all;

  one.norm = norm_of_scale (&all->norm);
  for (gint64 part = 0; part < one.n_parts; part++)
    run_part ((guint64) (vector * one.n_parts + part), &one);
  one.scale = add_parts (&one, vector);
  if (one.scale == 0 || !isfinite (one.scale))
    return one.scale;
  one.norm = all->norm;
  for (gint64 part = 0; part < one.n_parts; part++)
    run_part ((guint64) (vector * one.n_parts + part), &one);
  return norm_end (&one.norm, add_parts (&one, vector), one.scale);
}

static gboolean
run_parts (Vectors *vectors)
{
  vectors->totals = g_try_new0 (double, vectors->n * vectors->n_parts);
  if (vectors->totals == NULL)
    return FALSE;
  candela_kernel_parallel_for (vectors->kernel, (guint64) (vectors->n * vectors->n_parts), run_part, vectors);
  for (gint64 i = 0; i < vectors->n; i++)
    {
      double total = add_parts (vectors, i);

      write_result (vectors, i,
                    norm_is_safe (&vectors->norm, total) ? norm_end (&vectors->norm, total, 1)
                                                         : find_scaled (vectors, i));
    }
  g_free (vectors->totals);
  return TRUE;
}

static CandelaLayout *
make_rows (const CandelaLayout *layout, guint32 axes, GError **error)
{
  guint rank = candela_layout_get_rank (layout), n = 0;
  gint64 order[CANDELA_MAX_RANK];

  for (guint last = 0; last < 2; last++)
    for (guint axis = 0; axis < rank; axis++)
      if ((axes >> axis & 1) == last)
        order[n++] = axis;
  return candela_layout_permute (layout, order, rank, error);
}

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  const CandelaLayout *layout = candela_kernel_get_input_layout (kernel, 0);
  Vectors vectors = { .kernel = kernel, .scale = 1, .dtype = candela_kernel_get_input_dtype (kernel, 0) };
  gboolean done = TRUE;

  vectors.norm = norm_of_order (candela_params_get_float (params, PARAM_ORD));
  vectors.size = candela_dtype_get_size (vectors.dtype);
  vectors.n = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0));
  if (vectors.n == 0)
    return TRUE;
  vectors.length = candela_layout_get_n_elements (layout) / vectors.n;
  vectors.rows = make_rows (layout, get_axes (params, candela_layout_get_rank (layout)), error);
  if (vectors.rows == NULL)
    return FALSE;
  if (candela_layout_is_contiguous (vectors.rows))
    vectors.packed = candela_kernel_get_input (kernel, 0);
  vectors.n_parts = MAX ((vectors.length + CHUNK - 1) / CHUNK, 1);
  vectors.per_chunk = MAX (CHUNK / MAX (vectors.length, 1), 1);
  if (vectors.n_parts == 1)
    candela_kernel_parallel_for (kernel, (guint64) ((vectors.n + vectors.per_chunk - 1) / vectors.per_chunk),
                                 run_vectors, &vectors);
  else
    done = run_parts (&vectors);
  candela_layout_unref (vectors.rows);
  if (g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error))
    return FALSE;
  if (done && !vectors.failed)
    return TRUE;
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "vector_norm: there is no memory to pack its input");
  return FALSE;
}

static const CandelaParamInfo params_table[] = {
  { "axis", CANDELA_PARAM_INT_LIST, .summary = "the axes along which a vector lies; none: all of them" },
  { "keepdims", CANDELA_PARAM_BOOL, .default_value = "false", .summary = "these axes stay, with a length of 1" },
  { "ord", CANDELA_PARAM_FLOAT, .default_value = "2.0",
    .summary = "p of (Σ |x|^p)^(1/p); inf and -inf: the largest and the smallest; 0: how many are not zero" },
  { NULL },
};

static const CandelaInputInfo inputs[] = {
  { .name = "x", .kinds = CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX, .summary = "the vectors" },
  { NULL },
};

LAPACK_KERNELS (kernels, compute)

static const CandelaOpInfo vector_norm_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "vector_norm",
  .summary = "A norm of vectors along one axis or several",
  .formula = "out = (Σᵢ |x[i]|^ord)^(1 / ord), i over the axes in axis",
  .example = "x = [3.0, -4.0]; vector_norm(x), vector_norm(x, ord=1)",
  .since = "1.0",
  .inputs = inputs,
  .params = params_table,
  .axes = CANDELA_AXES_REDUCTION,
  .infer = infer,
  .kernels = kernels,
  .reduced_axes = get_axes,
};

const CandelaOpInfo *const lapack_vector_norm_ops[] = { &vector_norm_info, NULL };
