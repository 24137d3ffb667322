/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * nonzero and boolean_mask: elements chosen by what is true. How many there are says
 * the shape of the result, so the input is gone through twice, by the same pieces:
 * they are counted, which tells where the results of each piece begin, and then told
 * of. */
#include "index.h"

enum {
  MASK_INPUT_X,
  MASK_INPUT_MASK
};

/* Elements of x that are packed together, where they do not lie packed. */
#define PACKED 1024
/* The longest unit of which several are packed together. */
#define MAX_PACKED_UNIT 16

typedef struct
{
  CandelaKernel *kernel;
  guint input;
  const guint8 *bools; /* where it is packed bools already */
  gint64 n, piece;     /* elements, and those of a piece */
  guint64 n_pieces;
  gint64 *starts; /* of the results of each piece; at last, how many there are */

  /* Of what is done with them. */
  gpointer out;
  guint rank;
  const gint64 *shape; /* nonzero: of x */
  gint64 unit;         /* boolean_mask: elements that move together */
  CandelaDType dtype;
  gsize size;
  const guint8 *data; /* where units lie packed; NULL if they do not */
  gint64 step;        /* elements from one to the next */
} True;

static gboolean
stopped (const True *all)
{
  return g_cancellable_is_cancelled (candela_kernel_get_cancellable (all->kernel));
}

static const guint8 *
read_bools (const True *all, gint64 start, gint64 n, guint8 *memory)
{
  if (all->bools != NULL)
    return all->bools + start;
  candela_kernel_pack_input (all->kernel, all->input, CANDELA_DTYPE_BOOL, start, n, memory);
  return memory;
}

/* Of at most a block, eight at a time: a byte of the sum holds those of 255 words. */
static gint64
count_bools (const guint8 *bools, gint64 n)
{
  const guint64 low = G_GUINT64_CONSTANT (0x00ff00ff00ff00ff), ones = G_GUINT64_CONSTANT (0x0001000100010001);
  guint64 sum = 0, word;
  gint64 count, i = 0;

  G_STATIC_ASSERT (INDEX_BLOCK / 8 <= 255);
  for (; i + 8 <= n; i += 8)
    {
      memcpy (&word, bools + i, 8);
      sum += word;
    }
  count = (gint64) ((((sum & low) + (sum >> 8 & low)) * ones) >> 48);
  for (; i < n; i++)
    count += bools[i];
  return count;
}

static void
count_piece (guint64 piece, gpointer data)
{
  True *all = data;
  gint64 start = (gint64) piece * all->piece, end = MIN (start + all->piece, all->n), count = 0;
  guint8 memory[INDEX_BLOCK];

  for (gint64 n; start < end && !stopped (all); start += n)
    {
      n = MIN (end - start, INDEX_BLOCK);
      count += count_bools (read_bools (all, start, n, memory), n);
    }
  all->starts[piece] = count;
}

/* Which of n elements from start on are true, counted from there. */
static gint64
find_true (const True *all, gint64 start, gint64 n, gint64 *places)
{
  guint8 memory[INDEX_BLOCK];
  const guint8 *bools = read_bools (all, start, n, memory);
  gint64 found = 0, i = 0;
  guint64 word;

  for (; i + 8 <= n; i += 8)
    {
      memcpy (&word, bools + i, 8);
      if (word == 0)
        continue;
      for (guint k = 0; k < 8; k++)
        {
          places[found] = i + k;
          found += bools[i + k];
        }
    }
  for (; i < n; i++)
    if (bools[i])
      places[found++] = i;
  return found;
}

/* Counts, and gives output 0 its shape: a number that is found out, before the axes that
 * are known or after them. */
static gboolean
count_true (True *all, GError **error)
{
  const CandelaLayout *layout = candela_kernel_get_input_layout (all->kernel, all->input);
  gint64 total = 0;

  all->n = candela_layout_get_n_elements (layout);
  if (candela_kernel_get_input_dtype (all->kernel, all->input) == CANDELA_DTYPE_BOOL
      && candela_layout_is_contiguous (layout))
    all->bools = candela_kernel_get_input (all->kernel, all->input);
  all->n_pieces = (guint64) ((all->n + all->piece - 1) / all->piece);
  all->starts = g_try_new (gint64, all->n_pieces + 1);
  if (all->starts == NULL)
    {
      g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "there is no memory to count in");
      return FALSE;
    }
  candela_kernel_parallel_for (all->kernel, all->n_pieces, count_piece, all);
  for (guint64 piece = 0; piece < all->n_pieces; piece++)
    {
      gint64 count = all->starts[piece];

      all->starts[piece] = total;
      total += count;
    }
  all->starts[all->n_pieces] = total;
  return !g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (all->kernel), error);
}

/* ---- nonzero ---- */

/* Flat positions, ascending, become one index for each axis: those in one row of the
 * last axis together. */
static void
write_indices (const True *all, const gint64 *places, gint64 n, gint64 start, gint64 *out)
{
  const gint64 total = all->starts[all->n_pieces];
  const guint last = all->rank - 1;
  const gint64 length = all->shape[last];

  for (gint64 i = 0, end; i < n; i = end)
    {
      gint64 row = (start + places[i]) / length, first = row * length;

      for (end = i; end < n && start + places[end] < first + length; end++)
        out[last * total + end] = start + places[end] - first;
      for (guint k = last; k-- > 0; row /= all->shape[k])
        {
          const gint64 index = row % all->shape[k];

          for (gint64 e = i; e < end; e++)
            out[k * total + e] = index;
        }
    }
}

static void
tell_piece (guint64 piece, gpointer data)
{
  const True *all = data;
  gint64 start = (gint64) piece * all->piece, end = MIN (start + all->piece, all->n);
  gint64 *out = (gint64 *) all->out + all->starts[piece];
  gint64 places[INDEX_BLOCK], found;

  for (gint64 n; start < end && !stopped (all); start += n, out += found)
    {
      n = MIN (end - start, INDEX_BLOCK);
      found = find_true (all, start, n, places);
      if (all->rank == 1)
        for (gint64 i = 0; i < found; i++)
          out[i] = start + places[i];
      else
        write_indices (all, places, found, start, out);
    }
}

static gboolean
compute_nonzero (CandelaKernel *kernel, GError **error)
{
  True all = { .kernel = kernel, .piece = INDEX_PIECE };
  gsize rank;
  gint64 shape[2];
  gboolean ok;

  all.shape = candela_layout_get_shape (candela_kernel_get_input_layout (kernel, 0), &rank);
  all.rank = (guint) rank;
  ok = count_true (&all, error);
  if (ok)
    {
      shape[0] = (gint64) rank;
      shape[1] = all.starts[all.n_pieces];
      ok = candela_kernel_set_output_shape (kernel, 0, shape, 2, error);
    }
  if (ok)
    {
      all.out = candela_kernel_get_output (kernel, 0);
      candela_kernel_parallel_for (kernel, shape[1] > 0 ? all.n_pieces : 0, tell_piece, &all);
    }
  g_free (all.starts);
  return ok;
}

static gboolean
infer_nonzero (CandelaInference *inference, GError **error)
{
  const CandelaLayout *x = candela_inference_get_input_layout (inference, 0);
  const gint64 shape[] = { candela_layout_get_rank (x), 0 };

  if (shape[0] == 0)
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE, "x has shape []; it must have an axis");
  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_INT64, shape, 2, error);
}

/* ---- boolean_mask ---- */

/* Units of x that start at an element of its first axes. */
static void
copy_units (const True *all, gint64 start, gint64 n, const gint64 *places, gint64 found, guint8 *out)
{
  const gint64 size = (gint64) all->size, bytes = all->unit * size;
  guint8 packed[PACKED * 16];

  if (all->data != NULL)
    index_gather_units (out, all->data + start * all->step * size, places, all->step, found, all->unit, all->size);
  else if (all->unit <= MAX_PACKED_UNIT)
    {
      candela_kernel_pack_input (all->kernel, MASK_INPUT_X, all->dtype, start * all->unit, n * all->unit, packed);
      index_gather_units (out, packed, places, all->unit, found, all->unit, all->size);
    }
  else
    for (gint64 i = 0; i < found; i++)
      candela_kernel_pack_input (all->kernel, MASK_INPUT_X, all->dtype, (start + places[i]) * all->unit, all->unit,
                                 out + i * bytes);
}

static void
copy_piece (guint64 piece, gpointer data)
{
  const True *all = data;
  gint64 start = (gint64) piece * all->piece, end = MIN (start + all->piece, all->n);
  gint64 block = all->data == NULL && all->unit <= MAX_PACKED_UNIT ? PACKED / all->unit : INDEX_BLOCK;
  gint64 bytes = all->unit * (gint64) all->size;
  guint8 *out = (guint8 *) all->out + all->starts[piece] * bytes;
  gint64 places[INDEX_BLOCK], found;

  for (gint64 n; start < end && !stopped (all); start += n, out += found * bytes)
    {
      n = MIN (end - start, block);
      found = find_true (all, start, n, places);
      if (found > 0)
        copy_units (all, start, n, places, found, out);
    }
}

/* Where units lie, if each lies packed and they step alike. */
static void
find_units (True *all)
{
  const gint64 shape[2] = { all->n, all->unit };
  g_autoptr (CandelaLayout) view =
    candela_layout_view (candela_kernel_get_input_layout (all->kernel, MASK_INPUT_X), shape, 2, NULL);
  const gint64 *strides;

  if (view == NULL)
    return;
  strides = candela_layout_get_strides (view, NULL);
  if (strides[1] != 1 && all->unit != 1)
    return;
  all->data = candela_kernel_get_input (all->kernel, MASK_INPUT_X);
  all->step = strides[0];
}

static gboolean
copy_true (True *all, GError **error)
{
  gsize rank;
  const gint64 *x = candela_layout_get_shape (candela_kernel_get_input_layout (all->kernel, MASK_INPUT_X), &rank);
  const guint n_masked = candela_layout_get_rank (candela_kernel_get_input_layout (all->kernel, MASK_INPUT_MASK));
  gint64 shape[CANDELA_MAX_RANK];

  shape[0] = all->starts[all->n_pieces];
  if (n_masked < rank)
    memcpy (shape + 1, x + n_masked, (rank - n_masked) * sizeof *shape);
  if (!candela_kernel_set_output_shape (all->kernel, 0, shape, rank - n_masked + 1, error))
    return FALSE;
  if (shape[0] == 0 || all->unit == 0)
    return TRUE;
  all->out = candela_kernel_get_output (all->kernel, 0);
  find_units (all);
  candela_kernel_parallel_for (all->kernel, all->n_pieces, copy_piece, all);
  return TRUE;
}

static gboolean
compute_mask (CandelaKernel *kernel, GError **error)
{
  const guint n_masked = candela_layout_get_rank (candela_kernel_get_input_layout (kernel, MASK_INPUT_MASK));
  True all = { .kernel = kernel, .input = MASK_INPUT_MASK, .unit = 1 };
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_input_layout (kernel, MASK_INPUT_X), &rank);
  gboolean ok;

  all.dtype = candela_kernel_get_input_dtype (kernel, MASK_INPUT_X);
  all.size = candela_dtype_get_size (all.dtype);
  for (gsize k = n_masked; k < rank; k++)
    all.unit *= shape[k];
  all.piece = CLAMP (INDEX_PIECE / MAX (all.unit, 1), 1, INDEX_PIECE);
  ok = count_true (&all, error) && copy_true (&all, error);
  g_free (all.starts);
  return ok;
}

static gboolean
infer_mask (CandelaInference *inference, GError **error)
{
  gsize rank, n_masked;
  const gint64 *x = candela_layout_get_shape (candela_inference_get_input_layout (inference, MASK_INPUT_X), &rank);
  const gint64 *mask =
    candela_layout_get_shape (candela_inference_get_input_layout (inference, MASK_INPUT_MASK), &n_masked);
  gint64 shape[CANDELA_MAX_RANK + 1] = { 0 };
  gboolean fits = n_masked <= rank;

  for (gsize k = 0; fits && k < n_masked; k++)
    fits = mask[k] == x[k];
  if (!fits)
    {
      g_autofree char *x_text = candela_shape_to_string (x, rank);
      g_autofree char *mask_text = candela_shape_to_string (mask, n_masked);

      return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                     "x has shape %s and mask has shape %s; it must be that of x's first axes", x_text,
                                     mask_text);
    }
  if (n_masked < rank)
    memcpy (shape + 1, x + n_masked, (rank - n_masked) * sizeof *shape);
  return candela_inference_set_output (inference, 0, candela_inference_get_input_dtype (inference, MASK_INPUT_X), shape,
                                       rank - n_masked + 1, error);
}

/* ---- The ops ---- */

static const CandelaInputInfo nonzero_inputs[] = {
  { "x", .summary = "where what is not 0 is looked for" },
  { NULL },
};

static const CandelaInputInfo mask_inputs[] = {
  { "x", .summary = "what is chosen from" },
  { "mask", .kinds = CANDELA_DTYPE_KIND_BOOL, .fixed = CANDELA_DTYPE_BOOL,
    .summary = "which elements of x's first axes; its shape is that of these" },
  { NULL },
};

static const CandelaKernelInfo nonzero_kernels[] = { { .compute = compute_nonzero }, { .compute = NULL } };
static const CandelaKernelInfo mask_kernels[] = { { .compute = compute_mask }, { .compute = NULL } };

const CandelaOpInfo index_nonzero_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "nonzero",
  .summary = "The indices of the elements that are not 0, in row-major order: a row for each axis",
  .formula = "out[:, k] = the k-th index, in row-major order, with x ≠ 0",
  .example = "nonzero([[0, 7], [8, 0], [0, 9]])",
  .since = "1.0",
  .inputs = nonzero_inputs,
  .axes = CANDELA_AXES_OPAQUE,
  .output_shape = CANDELA_OUTPUT_SHAPE_DATA,
  .infer = infer_nonzero,
  .kernels = nonzero_kernels,
  .takes_halves = TRUE,
};

const CandelaOpInfo index_boolean_mask_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "boolean_mask",
  .summary = "The elements of x, or what is under its first axes, where a mask is true",
  .formula = "out[k] = x[i], the k-th i, in row-major order, with mask[i] true",
  .example = "x = [3, -1, 4, -1, 5]; boolean_mask(x, x > 0)",
  .since = "1.0",
  .inputs = mask_inputs,
  .axes = CANDELA_AXES_OPAQUE,
  .output_shape = CANDELA_OUTPUT_SHAPE_DATA,
  .infer = infer_mask,
  .kernels = mask_kernels,
  .takes_halves = TRUE,
};
