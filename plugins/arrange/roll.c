/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * roll: along the last axis that is rolled every row of the result is the end of a
 * row of x and then its beginning. Those that are rolled before it say which row. */
#include "arrange.h"

enum {
  SHIFT,
  AXIS
};

static const CandelaParamInfo roll_params[] = {
  { "shift", CANDELA_PARAM_INT_LIST, CANDELA_PARAM_REQUIRED,
    .summary = "how far elements move: one number, or one for each axis" },
  { "axis", CANDELA_PARAM_INT_LIST, .summary = "along which axes; none: x is flattened, and given its shape again" },
  { NULL },
};

/* 0 to length - 1. */
static gint64
reduce_shift (gint64 shift, gint64 length)
{
  gint64 rest = length > 0 ? shift % length : 0;

  return rest < 0 ? rest + length : rest;
}

/* What each axis is rolled by in all; of a flat x that has one axis of all elements. */
static void
find_shifts (const CandelaParams *params, const gint64 *shape, guint rank, gint64 *shifts)
{
  gsize n_shifts, n_axes;
  const gint64 *shift = candela_params_get_int_list (params, SHIFT, &n_shifts);
  const gint64 *axes;

  memset (shifts, 0, CANDELA_MAX_RANK * sizeof *shifts);
  if (!candela_params_is_set (params, AXIS))
    {
      shifts[0] = reduce_shift (shift[0], shape[0]);
      return;
    }
  axes = candela_params_get_int_list (params, AXIS, &n_axes);
  for (gsize i = 0; i < n_axes; i++)
    {
      guint axis = axes[i] < 0 ? axes[i] + rank : axes[i];
      guint64 sum = (guint64) shifts[axis] + (guint64) reduce_shift (shift[n_shifts == 1 ? 0 : i], shape[axis]);

      shifts[axis] = shape[axis] > 0 ? (gint64) (sum % (guint64) shape[axis]) : 0;
    }
}

static gboolean
infer_roll (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  gsize rank, n_shifts, n_axes = 1;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  const gint64 *axes = NULL;

  candela_params_get_int_list (params, SHIFT, &n_shifts);
  if (candela_params_is_set (params, AXIS))
    axes = candela_params_get_int_list (params, AXIS, &n_axes);
  if (n_shifts != 1 && axes == NULL)
    return candela_inference_fail (inference, error, CANDELA_ERROR_PARAMETER,
                                   "shift has %" G_GSIZE_FORMAT " numbers; it must have 1, as x is flattened",
                                   n_shifts);
  if (n_shifts != 1 && n_shifts != n_axes)
    return candela_inference_fail (
      inference, error, CANDELA_ERROR_PARAMETER,
      "shift has %" G_GSIZE_FORMAT " numbers; it must have 1 or %" G_GSIZE_FORMAT ", as axis has", n_shifts, n_axes);
  for (gsize i = 0; axes != NULL && i < n_axes; i++)
    if (arrange_check_axis (inference, "x", layout, axes[i], error) < 0)
      return FALSE;
  return candela_inference_set_output (inference, 0, candela_inference_get_input_dtype (inference, 0), shape, rank,
                                       error);
}

/* By whole turns: it is x. */
static int
fold_roll (const CandelaInference *inference)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  gint64 n = candela_layout_get_n_elements (layout);
  gint64 shifts[CANDELA_MAX_RANK];
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);

  find_shifts (params, candela_params_is_set (params, AXIS) ? shape : &n, rank, shifts);
  for (gsize k = 0; k < CANDELA_MAX_RANK; k++)
    if (shifts[k] != 0)
      return -1;
  return 0;
}

/* The axes before the last one that is rolled. */
typedef struct
{
  guint n_axes;
  const gint64 *shape, *shifts;
  guint last; /* the last of them that is rolled itself */
} Outer;

static gint64
source_row (gconstpointer data, gint64 row, gint64 *run)
{
  const Outer *outer = data;
  gint64 below = 1, source = 0;

  *run = 1;
  for (guint k = outer->n_axes; k-- > 0;)
    {
      gint64 length = outer->shape[k], shift = outer->shifts[k];
      gint64 index = row % length;

      if (k == outer->last)
        *run = (index < shift ? shift - index : length - index) * below - source;
      source += (index < shift ? index - shift + length : index - shift) * below;
      below *= length;
      row /= length;
    }
  return source;
}

static gboolean
compute_roll (CandelaKernel *kernel, GError **error)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  CandelaLayout *layout = (CandelaLayout *) candela_kernel_get_input_layout (kernel, 0);
  gint64 n = candela_layout_get_n_elements (layout);
  gint64 shifts[CANDELA_MAX_RANK], inner;
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  guint axis = rank;
  Outer outer = { .shifts = shifts, .shape = shape };
  g_auto (ArrangeRows) rows = { NULL };

  if (n == 0)
    return TRUE;
  /* Without axes there is none to roll along. */
  if (rank == 0)
    {
      candela_kernel_copy_input (kernel, 0, 0);
      return TRUE;
    }
  if (!candela_params_is_set (params, AXIS))
    {
      find_shifts (params, &n, 1, shifts);
      arrange_rows_init (&rows, kernel, 1, 2);
      arrange_rows_add (&rows, 0, candela_layout_ref (layout), n - shifts[0], shifts[0]);
      arrange_rows_add (&rows, 0, candela_layout_ref (layout), 0, n - shifts[0]);
      return arrange_rows_run (&rows, error);
    }

  find_shifts (params, shape, rank, shifts);
  while (axis > 0 && shifts[--axis] == 0)
    ;
  inner = arrange_count (shape, axis + 1, rank);
  outer.n_axes = outer.last = axis;
  while (outer.last > 0 && shifts[outer.last - 1] == 0)
    outer.last--;
  arrange_rows_init (&rows, kernel, arrange_count (shape, 0, axis), 2);
  if (outer.last > 0)
    {
      outer.last--;
      rows.source = source_row;
      rows.source_data = &outer;
    }
  for (guint i = 0; i < 2; i++)
    {
      gint64 start = i == 0 ? shape[axis] - shifts[axis] : 0;
      gint64 end = i == 0 ? shape[axis] : shape[axis] - shifts[axis];
      CandelaLayout *part = candela_layout_slice (layout, axis, start, end, 1, error);

      if (part == NULL)
        return FALSE;
      arrange_rows_add (&rows, 0, part, 0, (end - start) * inner);
    }
  return arrange_rows_run (&rows, error);
}

static const CandelaKernelInfo roll_kernels[] = { { .compute = compute_roll }, { .compute = NULL } };

ARRANGE_OP (roll, "The elements of x moved along axes; those that leave at one end come in at the other",
            .formula = "out[(i + shift) mod n] = x[i], i along each of axis, n the length of x there",
            .example = "roll([1, 2, 3, 4, 5], [2]), roll([[1, 2], [3, 4]], [1], axis=[0])", .inputs = arrange_x,
            .params = roll_params, .infer = infer_roll, .kernels = roll_kernels, .fold = fold_roll,
            .takes_halves = TRUE, .gradients = { "flip(roll(flip(grad), shift=shift, axis=axis))" })
