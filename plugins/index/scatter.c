/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * scatter, and put along one axis: x with values where indices say. All indices are
 * looked at before anything is written; where several name one place, the last one's
 * value is there. That order holds only among indices: what is before their place, and
 * parts of what is after it, are written side by side. Where x may be overwritten, only
 * what is chosen is written. */
#include "choice.h"

/* Elements of a part of a unit, at the least: one thread's writes stay out of the others'
 * cache lines. */
#define LEAST 64

#define INDICES .kinds = CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED, .fixed = CANDELA_DTYPE_INT64

static const CandelaInputInfo scatter_inputs[] = {
  { "x", .summary = "what values are put into" },
  { "values", .summary = "what is put there, broadcast to the shape of what is chosen" },
  { "indices", INDICES, .flags = CANDELA_INPUT_VARIADIC,
    .summary = "for each axis which of its elements, broadcast together; negative: from the end" },
  { NULL },
};

static const CandelaParamInfo scatter_params[] = {
  { "axes", CANDELA_PARAM_INT_LIST, .summary = "the axis of each array of indices; none: the first ones" },
  { NULL },
};

static const CandelaInputInfo put_inputs[] = {
  { "x", .summary = "what values are put into" },
  { "indices", INDICES, .summary = "which elements along the axis; negative: from its end" },
  { "values", .summary = "what is put there, broadcast to the shape of what is chosen" },
  { NULL },
};

static const CandelaParamInfo put_params[] = {
  { "axis", CANDELA_PARAM_INT, .summary = "the axis that is chosen along; none: the only one" },
  { NULL },
};

/* Kinds in the order in which they hold each other; all integers are one. */
static guint
rank_kind (CandelaDType dtype)
{
  CandelaDTypeKind kind = candela_dtype_get_kind (dtype);

  return kind == CANDELA_DTYPE_KIND_UNSIGNED ? CANDELA_DTYPE_KIND_SIGNED : kind;
}

gboolean
index_infer_written (CandelaInference *inference, guint input, GError **error)
{
  CandelaDType dtype = candela_inference_get_input_dtype (inference, INDEX_INPUT_X);
  CandelaDType values = candela_inference_get_input_dtype (inference, input);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, INDEX_INPUT_X), &rank);

  if (rank_kind (values) > rank_kind (dtype))
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE,
                                   "values has dtype %s; it cannot be put into x, of dtype %s",
                                   candela_dtype_get_name (values), candela_dtype_get_name (dtype));
  return candela_inference_set_output (inference, 0, dtype, shape, rank, error);
}

static gboolean
infer (CandelaInference *inference, IndexKey *key, guint first, guint values, GError **error)
{
  gint64 shape[2 * CANDELA_MAX_RANK];
  g_autoptr (CandelaLayout) layout = NULL;
  guint rank;

  if (!index_key_infer_shape (key, inference, first, shape, &rank, error))
    return FALSE;
  layout = candela_layout_broadcast (candela_inference_get_input_layout (inference, values), shape, rank, error);
  return layout != NULL && index_infer_written (inference, values, error);
}

static gboolean
infer_scatter (CandelaInference *inference, GError **error)
{
  IndexKey key;

  return index_key_infer (&key, inference, 2, 0, error) && infer (inference, &key, 2, 1, error);
}

static gboolean
infer_put (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  guint rank = candela_layout_get_rank (candela_inference_get_input_layout (inference, INDEX_INPUT_X));
  int axis = 0;
  IndexKey key;

  if (candela_params_is_set (params, 0))
    axis = index_check_axis (inference, candela_params_get_int (params, 0), error);
  else if (rank != 1)
    return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                                   "x has %u axes: axis must be given unless it has one", rank);
  if (axis < 0)
    return FALSE;
  index_key_set_one (&key, axis);
  return infer (inference, &key, 1, 2, error);
}

typedef struct
{
  IndexChoice choice;
  IndexWriter writer;
  gint64 outer_of_piece, part, parts;
} Scatter;

static void
run_scatter (guint64 piece, gpointer data)
{
  Scatter *scatter = data;
  IndexChoice *choice = &scatter->choice;
  gint64 from = (gint64) (piece % scatter->parts) * scatter->part;
  gint64 end = MIN (from + scatter->part, choice->inner.n);
  gint64 outer = (gint64) (piece / scatter->parts) * scatter->outer_of_piece;
  gint64 outer_end = MIN (outer + scatter->outer_of_piece, choice->outer.n);
  gint64 offsets[INDEX_BLOCK];

  for (gint64 first = 0, n; first < choice->n; first += n)
    {
      n = MIN (choice->n - first, INDEX_BLOCK);
      if (index_stopped (&choice->checks[0]) || !index_choice_read (choice, first, n, offsets))
        return;
      for (gint64 o = outer; o < outer_end; o++)
        index_write (&scatter->writer, index_axes_find (&choice->outer, o), offsets, n, o * choice->n + first, from,
                     end);
    }
}

static gboolean
write_values (Scatter *scatter, CandelaKernel *kernel, guint values, GError **error)
{
  IndexChoice *choice = &scatter->choice;
  const gint64 unit = choice->inner.n;
  gint64 shape[2 * CANDELA_MAX_RANK];
  guint rank = index_key_get_shape (&choice->key, candela_kernel_get_output_layout (kernel, 0), shape);
  g_autoptr (CandelaLayout) layout =
    candela_layout_broadcast (candela_kernel_get_input_layout (kernel, values), shape, rank, error);

  if (layout == NULL)
    return FALSE;
  index_writer_init (&scatter->writer, kernel, values, layout, &choice->inner);
  scatter->part = CLAMP (INDEX_PIECE / choice->n, MIN (LEAST, unit), unit);
  scatter->parts = (unit + scatter->part - 1) / scatter->part;
  scatter->outer_of_piece = CLAMP (INDEX_PIECE / choice->n / unit, 1, choice->outer.n);
  candela_kernel_parallel_for (
    kernel, (guint64) ((choice->outer.n + scatter->outer_of_piece - 1) / scatter->outer_of_piece * scatter->parts),
    run_scatter, scatter);
  return TRUE;
}

static gboolean
compute (CandelaKernel *kernel, const char *op, const IndexKey *key, guint first, guint values, GError **error)
{
  Scatter scatter;
  IndexChoice *choice = &scatter.choice;
  gboolean fine =
    index_choice_init (choice, kernel, op, key, first, candela_kernel_get_output_layout (kernel, 0), error)
    && index_choice_check (choice);

  if (fine)
    {
      candela_kernel_copy_input (kernel, INDEX_INPUT_X, 0);
      if (choice->n > 0 && choice->inner.n > 0 && choice->outer.n > 0)
        fine = write_values (&scatter, kernel, values, error);
    }
  return index_choice_end (choice, error) && fine;
}

static gboolean
compute_scatter (CandelaKernel *kernel, GError **error)
{
  IndexKey key;

  index_key_read (&key, kernel, 2, 0);
  return compute (kernel, "scatter", &key, 2, 1, error);
}

static gboolean
compute_put (CandelaKernel *kernel, GError **error)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  gint64 axis = candela_params_is_set (params, 0) ? candela_params_get_int (params, 0) : 0;
  IndexKey key;

  index_key_set_one (&key,
                     axis < 0 ? axis + candela_layout_get_rank (candela_kernel_get_output_layout (kernel, 0)) : axis);
  return compute (kernel, "put", &key, 1, 2, error);
}

static const CandelaInPlace in_place[] = {
  { .output = 0, .input = INDEX_INPUT_X, .mode = CANDELA_IN_PLACE_READ_FIRST },
  { .mode = CANDELA_IN_PLACE_NEVER },
};

static const CandelaKernelInfo scatter_kernels[] = { { .compute = compute_scatter }, { .compute = NULL } };
static const CandelaKernelInfo put_kernels[] = { { .compute = compute_put }, { .compute = NULL } };

const CandelaOpInfo index_scatter_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "scatter",
  .summary = "x with values where an array of indices for each of some axes says",
  .formula = "out = x, but out[indices[0][i], indices[1][i], …] = values[i], for axes 0, 1, …",
  .example = "scatter(zeros([2, 3]), [1.5, 2.5], [0, 1], [2, 0])",
  .since = "1.0",
  .inputs = scatter_inputs,
  .params = scatter_params,
  .axes = CANDELA_AXES_OPAQUE,
  .in_place = in_place,
  .infer = infer_scatter,
  .kernels = scatter_kernels,
  .takes_halves = TRUE,
};

const CandelaOpInfo index_put_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "put",
  .summary = "x with values along an axis at the places that the indices name",
  .formula = "out = x, but out[…, indices[i], …] = values[…, i, …], at axis",
  .example = "put([10, 20, 30, 40], [0, -1], [1, 2])",
  .since = "1.0",
  .inputs = put_inputs,
  .params = put_params,
  .axes = CANDELA_AXES_OPAQUE,
  .in_place = in_place,
  .infer = infer_put,
  .kernels = put_kernels,
  .takes_halves = TRUE,
};
