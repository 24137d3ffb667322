/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * place: x with values, one after the other, where a mask is true. What is true in each
 * piece of the mask is counted first; so each piece knows which value is its first. */
#include "choice.h"

enum {
  INPUT_X,
  INPUT_MASK,
  INPUT_VALUES
};

static const CandelaInputInfo inputs[] = {
  { "x", .summary = "what values are put into" },
  { "mask", .kinds = CANDELA_DTYPE_KIND_BOOL, .fixed = CANDELA_DTYPE_BOOL,
    .summary = "where, of the shape of x's first axes" },
  { "values", .summary = "what is put there, broadcast to as many as are true, each of the shape of x's other axes" },
  { NULL },
};

/* The mask's shape is that of x's first axes. */
static gboolean
check_mask (CandelaInference *inference, const gint64 *shape, gsize rank, gsize *mask_rank, GError **error)
{
  const gint64 *its = candela_layout_get_shape (candela_inference_get_input_layout (inference, INPUT_MASK), mask_rank);
  g_autofree char *x = NULL, *mask = NULL;

  if (*mask_rank <= rank && (*mask_rank == 0 || memcmp (its, shape, *mask_rank * sizeof *its) == 0))
    return TRUE;
  x = candela_shape_to_string (shape, rank);
  mask = candela_shape_to_string (its, *mask_rank);
  return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                 "mask has shape %s; it must be that of the first axes of x, of shape %s", mask, x);
}

static gboolean
infer_place (CandelaInference *inference, GError **error)
{
  const CandelaLayout *values = candela_inference_get_input_layout (inference, INPUT_VALUES);
  gsize rank, mask_rank, values_rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, INPUT_X), &rank);
  const gint64 *its = candela_layout_get_shape (values, &values_rank);
  gint64 one[CANDELA_MAX_RANK];
  g_autoptr (CandelaLayout) layout = NULL;

  if (!check_mask (inference, shape, rank, &mask_rank, error))
    return FALSE;
  if (1 + rank - mask_rank > CANDELA_MAX_RANK)
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE, "what the mask chooses has more than %d axes",
                                   CANDELA_MAX_RANK);
  /* How many are true is not known yet: as if they were as many as there are values. */
  one[0] = values_rank > rank - mask_rank ? its[0] : 1;
  if (rank > mask_rank)
    memcpy (one + 1, shape + mask_rank, (rank - mask_rank) * sizeof *one);
  layout = candela_layout_broadcast (values, one, 1 + rank - mask_rank, error);
  return layout != NULL && index_infer_written (inference, INPUT_VALUES, error);
}

typedef struct
{
  CandelaKernel *kernel;
  const CandelaLayout *mask;
  gint64 n;        /* elements of the mask */
  IndexAxes unit;  /* x's other axes */
  gint64 *counts;  /* of each piece: what is true in it, then before it */
  gint64 total;    /* in all of them */
  gint64 of_piece; /* elements of the mask */
  IndexWriter writer;
} Place;

/* Where the mask is true, of n elements from one on. */
static gint64
find_true (const Place *place, gint64 start, gint64 n, gint64 *offsets)
{
  guint8 mask[INDEX_BLOCK];
  gint64 count = 0;

  candela_kernel_pack_layout (place->kernel, INPUT_MASK, place->mask, CANDELA_DTYPE_BOOL, start, n, mask);
  for (gint64 i = 0; i < n; i++)
    {
      offsets[count] = (start + i) * place->unit.n;
      count += mask[i] != 0;
    }
  return count;
}

static gboolean
is_stopped (const Place *place)
{
  return g_cancellable_is_cancelled (candela_kernel_get_cancellable (place->kernel));
}

static void
count_piece (guint64 piece, gpointer data)
{
  Place *place = data;
  gint64 start = (gint64) piece * place->of_piece, end = MIN (start + place->of_piece, place->n), count = 0;
  guint8 mask[INDEX_BLOCK];

  for (gint64 n; start < end && !is_stopped (place); start += n)
    {
      guint32 sum = 0;

      n = MIN (end - start, INDEX_BLOCK);
      candela_kernel_pack_layout (place->kernel, INPUT_MASK, place->mask, CANDELA_DTYPE_BOOL, start, n, mask);
      for (gint64 i = 0; i < n; i++)
        sum += mask[i] != 0;
      count += sum;
    }
  place->counts[piece] = count;
}

static void
write_piece (guint64 piece, gpointer data)
{
  const Place *place = data;
  gint64 start = (gint64) piece * place->of_piece, end = MIN (start + place->of_piece, place->n);
  gint64 first = place->counts[piece];
  gint64 offsets[INDEX_BLOCK + 1];

  for (gint64 n, count; start < end && !is_stopped (place); start += n)
    {
      n = MIN (end - start, INDEX_BLOCK);
      /* What changes the mask meanwhile makes no more values. */
      count = MIN (find_true (place, start, n, offsets), place->total - first);
      if (count > 0)
        index_write (&place->writer, 0, offsets, count, first, 0, place->unit.n);
      first += count;
    }
}

/* The values, broadcast to as many as are true. */
static CandelaLayout *
broadcast_values (const Place *place, GError **error)
{
  const CandelaLayout *values = candela_kernel_get_input_layout (place->kernel, INPUT_VALUES);
  gsize rank, mask_rank = candela_layout_get_rank (place->mask), values_rank;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_output_layout (place->kernel, 0), &rank);
  const gint64 *its = candela_layout_get_shape (values, &values_rank);
  gint64 wanted[CANDELA_MAX_RANK];

  wanted[0] = place->total;
  if (rank > mask_rank)
    memcpy (wanted + 1, shape + mask_rank, (rank - mask_rank) * sizeof *wanted);
  if (values_rank > rank - mask_rank && its[0] != 1 && its[0] != place->total)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE,
                   "place: there are %" G_GINT64_FORMAT " values, and %" G_GINT64_FORMAT " places where mask is true",
                   its[0], place->total);
      return NULL;
    }
  return candela_layout_broadcast (values, wanted, 1 + rank - mask_rank, error);
}

static gboolean
place_values (Place *place, guint64 n_pieces, GError **error)
{
  g_autoptr (CandelaLayout) values = NULL;

  candela_kernel_parallel_for (place->kernel, n_pieces, count_piece, place);
  if (g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (place->kernel), error))
    return FALSE;
  for (guint64 piece = 0; piece < n_pieces; piece++)
    {
      gint64 own = place->counts[piece];

      place->counts[piece] = place->total;
      place->total += own;
    }
  values = broadcast_values (place, error);
  if (values == NULL)
    return FALSE;
  candela_kernel_copy_input (place->kernel, INPUT_X, 0);
  if (place->total > 0 && place->unit.n > 0)
    {
      index_writer_init (&place->writer, place->kernel, INPUT_VALUES, values, &place->unit);
      candela_kernel_parallel_for (place->kernel, n_pieces, write_piece, place);
    }
  return !g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (place->kernel), error);
}

static gboolean
compute_place (CandelaKernel *kernel, GError **error)
{
  const CandelaLayout *mask = candela_kernel_get_input_layout (kernel, INPUT_MASK);
  const CandelaLayout *x = candela_kernel_get_output_layout (kernel, 0);
  Place place = { .kernel = kernel, .mask = mask, .n = candela_layout_get_n_elements (mask), .unit = { .n = 1 } };
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (x, &rank);
  g_autofree gint64 *counts = NULL;
  guint64 n_pieces;

  for (gsize axis = candela_layout_get_rank (mask); axis < rank; axis++)
    place.unit.n *= shape[axis];
  if (place.unit.n != 1)
    {
      place.unit.rank = 1;
      place.unit.shape[0] = place.unit.n;
      place.unit.strides[0] = 1;
    }
  place.of_piece = CLAMP (INDEX_PIECE / MAX (place.unit.n, 1), 1, MAX (place.n, 1));
  n_pieces = (guint64) ((place.n + place.of_piece - 1) / place.of_piece);
  counts = place.counts = g_try_new (gint64, MAX (n_pieces, 1));
  if (counts == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "place: no memory for the counts");
      return FALSE;
    }
  return place_values (&place, n_pieces, error);
}

static const CandelaInPlace in_place[] = {
  { .output = 0, .input = INPUT_X, .mode = CANDELA_IN_PLACE_READ_FIRST },
  { .mode = CANDELA_IN_PLACE_NEVER },
};

static const CandelaKernelInfo kernels[] = { { .compute = compute_place }, { .compute = NULL } };

const CandelaOpInfo index_place_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "place",
  .summary = "x with values, one after the other, where a mask is true",
  .formula = "out = x, but the elements where mask is true are values, in row-major order",
  .example = "x = arange(5); place(x, x % 2 == 0, [10, 20, 30])",
  .since = "1.0",
  .inputs = inputs,
  .axes = CANDELA_AXES_OPAQUE,
  .in_place = in_place,
  .infer = infer_place,
  .kernels = kernels,
  .takes_halves = TRUE,
};
