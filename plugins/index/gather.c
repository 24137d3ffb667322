/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * gather: the elements of x that several arrays of indices choose together, one array
 * for each of some axes. A block of indices is read once for all that is before their
 * place; what comes after it moves together. */
#include "choice.h"

enum {
  AXES
};

#define FIRST 1

static const CandelaInputInfo inputs[] = {
  { "x", .summary = "what is chosen from" },
  { "indices", .kinds = CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED, .flags = CANDELA_INPUT_VARIADIC,
    .fixed = CANDELA_DTYPE_INT64,
    .summary = "for each axis which of its elements, broadcast together; negative: from the end" },
  { NULL },
};

static const CandelaParamInfo params[] = {
  { "axes", CANDELA_PARAM_INT_LIST, .summary = "the axis of each array of indices; none: the first ones" },
  { NULL },
};

static gboolean
infer_gather (CandelaInference *inference, GError **error)
{
  gint64 shape[2 * CANDELA_MAX_RANK];
  IndexKey key;
  guint rank;

  return index_key_infer (&key, inference, FIRST, AXES, error)
         && index_key_infer_shape (&key, inference, FIRST, shape, &rank, error)
         && candela_inference_set_output (inference, 0, candela_inference_get_input_dtype (inference, INDEX_INPUT_X),
                                          shape, rank, error);
}

typedef struct
{
  IndexChoice choice;
  gsize size;
  guint8 *out;
  const guint8 *data;
  gint64 index_pieces, indices_of_piece, outer_of_piece;
} Gather;

/* Row by row of the last axis. */
static void
gather_unit (const IndexAxes *unit, guint8 *out, const guint8 *in, gsize size)
{
  const guint last = unit->rank - 1;

  for (gint64 at = 0; at < unit->n; at += unit->shape[last])
    index_copy (out + at * size, 1, in + index_axes_find (unit, at) * (gint64) size, unit->strides[last],
                unit->shape[last], size);
}

static void
run_gather (guint64 piece, gpointer data)
{
  Gather *gather = data;
  IndexChoice *choice = &gather->choice;
  const gint64 size = gather->size, unit = choice->inner.n;
  gint64 first = (gint64) (piece % gather->index_pieces) * gather->indices_of_piece;
  gint64 end = MIN (first + gather->indices_of_piece, choice->n);
  gint64 outer = (gint64) (piece / gather->index_pieces) * gather->outer_of_piece;
  gint64 outer_end = MIN (outer + gather->outer_of_piece, choice->outer.n);
  gint64 offsets[INDEX_BLOCK];

  for (gint64 n; first < end; first += n)
    {
      n = MIN (end - first, INDEX_BLOCK);
      if (index_stopped (&choice->checks[0]) || !index_choice_read (choice, first, n, offsets))
        return;
      for (gint64 o = outer; o < outer_end; o++)
        {
          const guint8 *in = gather->data + index_axes_find (&choice->outer, o) * size;
          guint8 *out = gather->out + (o * choice->n + first) * unit * size;

          if (choice->inner.rank == 0)
            index_gather (out, in, offsets, 1, 0, n, size);
          else
            for (gint64 i = 0; i < n; i++)
              gather_unit (&choice->inner, out + i * unit * size, in + offsets[i] * size, size);
        }
    }
}

static void
gather_all (Gather *gather)
{
  const IndexChoice *choice = &gather->choice;
  const gint64 unit = choice->inner.n;
  guint64 outer_pieces;

  gather->indices_of_piece = CLAMP (INDEX_PIECE / unit, 1, choice->n);
  gather->outer_of_piece = CLAMP (INDEX_PIECE / unit / choice->n, 1, choice->outer.n);
  gather->index_pieces = (choice->n + gather->indices_of_piece - 1) / gather->indices_of_piece;
  outer_pieces = (choice->outer.n + gather->outer_of_piece - 1) / gather->outer_of_piece;
  candela_kernel_parallel_for (choice->kernel, outer_pieces * gather->index_pieces, run_gather, gather);
}

static gboolean
compute_gather (CandelaKernel *kernel, GError **error)
{
  Gather gather = { .size = candela_dtype_get_size (candela_kernel_get_output_dtype (kernel, 0)),
                    .out = candela_kernel_get_output (kernel, 0),
                    .data = candela_kernel_get_input (kernel, INDEX_INPUT_X) };
  gboolean empty = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0)) == 0;
  IndexKey key;

  index_key_read (&key, kernel, FIRST, AXES);
  if (index_choice_init (&gather.choice, kernel, "gather", &key, FIRST,
                         candela_kernel_get_input_layout (kernel, INDEX_INPUT_X), error))
    {
      if (empty)
        index_choice_check (&gather.choice);
      else
        gather_all (&gather);
    }
  return index_choice_end (&gather.choice, error);
}

static const CandelaKernelInfo kernels[] = { { .compute = compute_gather }, { .compute = NULL } };

const CandelaOpInfo index_gather_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "gather",
  .summary = "The elements of x that an array of indices for each of some axes chooses",
  .formula = "out[i] = x[indices[0][i], indices[1][i], …], for axes 0, 1, …",
  .example = "x = reshape(arange(6), [2, 3]); gather(x, [0, 1, 1], [2, 0, -1]), gather(x, [0, 2], axes=[1])",
  .since = "1.0",
  .inputs = inputs,
  .params = params,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer_gather,
  .kernels = kernels,
  .takes_halves = TRUE,
};
