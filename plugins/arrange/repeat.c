/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tile and repeat. Where every element, or all of them, come as often as the others, the
 * result is x under a layout with more axes, some of which do not step: that is packed,
 * or, where it needs no more axes than it has, the result itself. */
#include "arrange.h"

enum {
  REPETITIONS
};
enum {
  REPEATS,
  AXIS
};

/* Axes as they come; a layout takes CANDELA_MAX_RANK of them. */
typedef struct
{
  gint64 shape[2 * CANDELA_MAX_RANK], strides[2 * CANDELA_MAX_RANK];
  gsize n;
} Axes;

/* Axes of length 1 are none. */
static void
add_axis (Axes *axes, gint64 length, gint64 stride)
{
  if (length == 1)
    return;
  axes->shape[axes->n] = length;
  axes->strides[axes->n++] = stride;
}

static gboolean
check_axes (const CandelaInference *inference, const Axes *axes, GError **error)
{
  return axes->n <= CANDELA_MAX_RANK
         || candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                    "x has too many axes that are longer than 1: with what is repeated %" G_GSIZE_FORMAT
                                    ", and at most %d can be gone along",
                                    axes->n, CANDELA_MAX_RANK);
}

static gboolean
fail_count (const CandelaInference *inference, GError **error)
{
  return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                 "the result has more elements than can be counted");
}

typedef struct
{
  ArrangePieces pieces;
  CandelaLayout *layout;
} Spread;

static void
run_spread (gconstpointer data, gint64 start, gint64 n)
{
  const Spread *spread = data;
  const ArrangePieces *pieces = &spread->pieces;

  candela_kernel_pack_layout (pieces->kernel, 0, spread->layout, pieces->dtype, start, n,
                              pieces->out + start * (gint64) pieces->size);
}

static void
init_pieces (ArrangePieces *pieces, CandelaKernel *kernel)
{
  *pieces = (ArrangePieces){ .kernel = kernel,
                             .dtype = candela_kernel_get_output_dtype (kernel, 0),
                             .out = candela_kernel_get_output (kernel, 0),
                             .n = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0)),
                             .piece = ARRANGE_PIECE };
  pieces->size = candela_dtype_get_size (pieces->dtype);
}

static gboolean
pack_axes (CandelaKernel *kernel, const Axes *axes, GError **error)
{
  gint64 offset = candela_layout_get_offset (candela_kernel_get_input_layout (kernel, 0));
  g_autoptr (CandelaLayout) layout =
    candela_layout_new_strided (axes->shape, axes->n, axes->strides, axes->n, offset, error);
  Spread spread = { .layout = layout };

  if (layout == NULL)
    return FALSE;
  init_pieces (&spread.pieces, kernel);
  spread.pieces.run = run_spread;
  return arrange_pieces_run (&spread.pieces, error);
}

/* tile */

static const CandelaParamInfo tile_params[] = {
  { "repetitions", CANDELA_PARAM_INT_LIST, CANDELA_PARAM_REQUIRED, .minimum = 0, .maximum = (double) G_MAXINT64,
    .summary = "how often x comes along each axis; for the last ones if there are fewer, new ones if there are more" },
  { NULL },
};

/* The axes of the result, and of how x is to be read for it. */
static guint
tile_axes (const CandelaParams *params, const CandelaLayout *layout, Axes *axes, gint64 *result, gboolean *viewed)
{
  gsize n, rank;
  const gint64 *times = candela_params_get_int_list (params, REPETITIONS, &n);
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  const gint64 *strides = candela_layout_get_strides (layout, NULL);
  guint result_rank = MAX (n, rank);

  axes->n = 0;
  *viewed = TRUE;
  for (guint k = 0; k < result_rank; k++)
    {
      gboolean own = k + rank >= result_rank;
      gint64 length = own ? shape[k + rank - result_rank] : 1;
      gint64 r = k + n >= result_rank ? times[k + n - result_rank] : 1;

      if (__builtin_mul_overflow (length, r, &result[k]))
        return G_MAXUINT;
      *viewed = *viewed && (r == 1 || length == 1);
      add_axis (axes, r, 0);
      add_axis (axes, length, own ? strides[k + rank - result_rank] : 0);
    }
  return result_rank;
}

static gboolean
infer_tile (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  gint64 shape[CANDELA_MAX_RANK];
  gboolean viewed;
  gsize n;
  guint rank;
  Axes axes;

  candela_params_get_int_list (params, REPETITIONS, &n);
  if (n > CANDELA_MAX_RANK)
    return candela_inference_fail (inference, error, CANDELA_ERROR_PARAMETER,
                                   "repetitions has %" G_GSIZE_FORMAT " numbers, and a result at most %d axes", n,
                                   CANDELA_MAX_RANK);
  rank = tile_axes (params, layout, &axes, shape, &viewed);
  if (rank == G_MAXUINT)
    return fail_count (inference, error);
  if (viewed)
    {
      CandelaLayout *view = candela_layout_broadcast (layout, shape, rank, error);

      if (view != NULL)
        candela_inference_set_reference (inference, 0, 0, view);
      return view != NULL;
    }
  return check_axes (inference, &axes, error)
         && candela_inference_set_output (inference, 0, candela_inference_get_input_dtype (inference, 0), shape, rank,
                                          error);
}

static gboolean
compute_tile (CandelaKernel *kernel, GError **error)
{
  gint64 shape[CANDELA_MAX_RANK];
  gboolean viewed;
  Axes axes;

  if (candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0)) == 0)
    return TRUE;
  tile_axes (candela_kernel_get_params (kernel), candela_kernel_get_input_layout (kernel, 0), &axes, shape, &viewed);
  return pack_axes (kernel, &axes, error);
}

static const CandelaKernelInfo tile_kernels[] = { { .compute = compute_tile }, { .compute = NULL } };

ARRANGE_OP (tile, "x several times over, along each axis",
            .formula = "out[i] = x[i mod n], i along each axis, n the length of x there",
            .example = "tile([1, 2], [2]), tile([1, 2], [2, 2])", .inputs = arrange_x, .params = tile_params,
            .aliasing = CANDELA_ALIASING_REFERENCE, .infer = infer_tile, .kernels = tile_kernels, .takes_halves = TRUE)

/* repeat */

static const CandelaParamInfo repeat_params[] = {
  { "repeats", CANDELA_PARAM_INT_LIST, CANDELA_PARAM_REQUIRED, .minimum = 0, .maximum = (double) G_MAXINT64,
    .summary = "how often each element comes: one number for all, or one for each along the axis" },
  { "axis", CANDELA_PARAM_INT, .summary = "along which axis; none: x is flattened" },
  { NULL },
};

/* The axis of x, and how long it is. Without one that is all of x. */
static int
repeat_axis (const CandelaParams *params, const CandelaLayout *layout, gint64 *length)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  gint64 axis;

  if (!candela_params_is_set (params, AXIS))
    {
      *length = candela_layout_get_n_elements (layout);
      return -1;
    }
  axis = candela_params_get_int (params, AXIS);
  axis = axis < 0 ? axis + (gint64) rank : axis;
  *length = shape[axis];
  return (int) axis;
}

static void
repeat_axes (const CandelaLayout *layout, int axis, gint64 times, Axes *axes)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  const gint64 *strides = candela_layout_get_strides (layout, NULL);

  axes->n = 0;
  for (int k = 0; k < (int) rank; k++)
    {
      add_axis (axes, shape[k], strides[k]);
      if (k == axis)
        add_axis (axes, times, 0);
    }
  if (axis < 0)
    add_axis (axes, times, 0);
}

static gboolean
count_repeats (const gint64 *repeats, gsize n, gint64 length, gint64 *total)
{
  *total = 0;
  if (n == 1)
    return !__builtin_mul_overflow (length, repeats[0], total);
  for (gsize i = 0; i < n; i++)
    if (__builtin_add_overflow (*total, repeats[i], total))
      return FALSE;
  return TRUE;
}

static gboolean
infer_repeat (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  gint64 shape[CANDELA_MAX_RANK], length, total;
  gsize n, rank;
  const gint64 *repeats = candela_params_get_int_list (params, REPEATS, &n);
  const gint64 *own = candela_layout_get_shape (layout, &rank);
  int axis;
  Axes axes;

  if (candela_params_is_set (params, AXIS)
      && arrange_check_axis (inference, "x", layout, candela_params_get_int (params, AXIS), error) < 0)
    return FALSE;
  axis = repeat_axis (params, layout, &length);
  if (n != 1 && (gint64) n != length)
    return candela_inference_fail (inference, error, CANDELA_ERROR_PARAMETER,
                                   "repeats has %" G_GSIZE_FORMAT " numbers; it must have 1 or %" G_GINT64_FORMAT, n,
                                   length);
  if (!count_repeats (repeats, n, length, &total))
    return fail_count (inference, error);
  repeat_axes (layout, axis, n == 1 ? repeats[0] : 1, &axes);
  if (!check_axes (inference, &axes, error))
    return FALSE;
  memcpy (shape, own, rank * sizeof *shape);
  if (axis < 0)
    rank = 1;
  shape[MAX (axis, 0)] = total;
  return candela_inference_set_output (inference, 0, candela_inference_get_input_dtype (inference, 0), shape, rank,
                                       error);
}

/* Once each: it is x, if that is not flattened. */
static int
fold_repeat (const CandelaInference *inference)
{
  gsize n;
  const gint64 *repeats = candela_params_get_int_list (candela_inference_get_params (inference), REPEATS, &n);

  return n == 1 && repeats[0] == 1 ? 0 : -1;
}

/* Each unit as often as it is said: so many elements, that lie together in logical order. */
typedef struct
{
  ArrangePieces pieces; /* of units */
  gint64 unit, length, total;
  const gint64 *repeats;
  const gint64 *before; /* of each unit along the axis, how many the result has before it */
} Repeat;

#define MANY_BYTES (16 * 1024)

#define FILL(type)                                                                                                     \
  for (gint64 i = 0; i < times; i++)                                                                                   \
    memcpy (out + i * (gint64) sizeof (type), in, sizeof (type));                                                      \
  break

static void
fill (guint8 *out, const guint8 *in, gsize bytes, gint64 times)
{
  switch (bytes)
    {
    case 1:
      memset (out, *in, times);
      break;
    case 2:
      FILL (guint16);
    case 4:
      FILL (guint32);
    case 8:
      FILL (guint64);
    default:
      for (gint64 i = 0; i < times; i++)
        memcpy (out + i * (gint64) bytes, in, bytes);
    }
}

static void
run_repeat (gconstpointer data, gint64 start, gint64 n)
{
  const Repeat *repeat = data;
  const ArrangePieces *pieces = &repeat->pieces;
  const gint64 bytes = repeat->unit * (gint64) pieces->size;
  const gint64 together = MAX (MANY_BYTES / bytes, 1);
  guint8 packed[MANY_BYTES];

  for (gint64 done = 0, several; done < n; done += several)
    {
      several = MIN (n - done, together);
      if (bytes <= MANY_BYTES)
        candela_kernel_pack_input (pieces->kernel, 0, pieces->dtype, (start + done) * repeat->unit,
                                   several * repeat->unit, packed);
      for (gint64 i = 0; i < several; i++)
        {
          gint64 unit = start + done + i, index = unit % repeat->length, times = repeat->repeats[index];
          guint8 *out = pieces->out + (unit / repeat->length * repeat->total + repeat->before[index]) * bytes;

          if (bytes <= MANY_BYTES)
            fill (out, packed + i * bytes, bytes, times);
          else if (times > 0)
            {
              candela_kernel_pack_input (pieces->kernel, 0, pieces->dtype, unit * repeat->unit, repeat->unit, out);
              fill (out + bytes, out, bytes, times - 1);
            }
        }
    }
}

static gboolean
compute_each (CandelaKernel *kernel, int axis, gint64 length, const gint64 *repeats, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_input_layout (kernel, 0), &rank);
  g_autofree gint64 *before = g_try_new (gint64, length);
  Repeat repeat = {
    .unit = axis < 0 ? 1 : arrange_count (shape, axis + 1, rank), .length = length, .repeats = repeats, .before = before
  };

  if (before == NULL)
    {
      g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "there is no memory to count repeats in");
      return FALSE;
    }
  for (gint64 i = 0; i < length; i++)
    {
      before[i] = repeat.total;
      repeat.total += repeats[i];
    }
  init_pieces (&repeat.pieces, kernel);
  repeat.pieces.n = candela_layout_get_n_elements (candela_kernel_get_input_layout (kernel, 0)) / repeat.unit;
  repeat.pieces.piece = MAX (ARRANGE_PIECE / repeat.unit, 1);
  repeat.pieces.run = run_repeat;
  return arrange_pieces_run (&repeat.pieces, error);
}

static gboolean
compute_repeat (CandelaKernel *kernel, GError **error)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  const CandelaLayout *layout = candela_kernel_get_input_layout (kernel, 0);
  gint64 length;
  gsize n;
  const gint64 *repeats = candela_params_get_int_list (params, REPEATS, &n);
  int axis = repeat_axis (params, layout, &length);
  Axes axes;

  if (candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0)) == 0)
    return TRUE;
  if (n > 1)
    return compute_each (kernel, axis, length, repeats, error);
  repeat_axes (layout, axis, repeats[0], &axes);
  return pack_axes (kernel, &axes, error);
}

static const CandelaKernelInfo repeat_kernels[] = { { .compute = compute_repeat }, { .compute = NULL } };

ARRANGE_OP (repeat, "Each element of x several times over",
            .formula = "out[i] = x[⌊i / repeats⌋], i along axis, where repeats is one number",
            .example = "repeat([1, 2, 3], [2]), repeat([1, 2, 3], [0, 1, 2])", .inputs = arrange_x,
            .params = repeat_params, .infer = infer_repeat, .kernels = repeat_kernels, .fold = fold_repeat,
            .takes_halves = TRUE)
