/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * diff: differences of neighbours along an axis, of these again, and so on, n times.
 * Rows here are all that is along and after the axis. A piece of the result comes of
 * the same piece of x with n steps of the axis more: where x lies packed and n is 1 it
 * is read in place; else it is put together, with what goes before and after x, in
 * memory of its own, and there shrinks by a step each time. */
#include "arrange.h"

enum {
  AXIS,
  N
};

/* Elements of what follows the axis that go together. */
#define COLUMNS 4096

static const CandelaInputInfo diff_inputs[] = {
  { "x",
    .kinds =
      CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED | CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX,
    .summary = "the values" },
  { "prepend", .flags = CANDELA_INPUT_OPTIONAL, .summary = "what goes before x; may have no elements" },
  { "append", .flags = CANDELA_INPUT_OPTIONAL, .summary = "what goes after x" },
  { NULL },
};

static const CandelaParamInfo diff_params[] = {
  { "axis", CANDELA_PARAM_INT, .default_value = "-1", .summary = "the axis of the neighbours" },
  { "n", CANDELA_PARAM_INT, .default_value = "1", .minimum = 0, .maximum = (double) G_MAXINT64,
    .summary = "how many times" },
  { NULL },
};

static gboolean
infer_diff (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  const CandelaLayout *x = candela_inference_get_input_layout (inference, 0);
  guint n_inputs = candela_inference_get_n_inputs (inference);
  gint64 n = candela_params_get_int (params, N), total = 0;
  int axis = arrange_check_axis (inference, "x", x, candela_params_get_int (params, AXIS), error);
  gint64 shape[CANDELA_MAX_RANK];
  gsize rank;
  const gint64 *own = candela_layout_get_shape (x, &rank);

  if (axis < 0 || !arrange_check_shapes (inference, axis, error))
    return FALSE;
  for (guint i = 0; i < n_inputs; i++)
    if (__builtin_add_overflow (
          total, candela_layout_get_shape (candela_inference_get_input_layout (inference, i), NULL)[axis], &total))
      return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                     "x and what goes before and after it have more elements than can be counted");
  memcpy (shape, own, rank * sizeof *shape);
  shape[axis] = n < total ? total - n : 0;
  return candela_inference_set_output (inference, 0, candela_inference_get_promoted_dtype (inference), shape, rank,
                                       error);
}

/* No times, of x alone: it is x. */
static int
fold_diff (const CandelaInference *inference)
{
  return candela_params_get_int (candela_inference_get_params (inference), N) == 0
             && candela_inference_get_n_inputs (inference) == 1
           ? 0
           : -1;
}

/* out may be low, where high comes after it. Integers wrap. */
typedef void (*SubtractFunc) (gpointer out, gconstpointer high, gconstpointer low, gint64 n);

#define DEFINE_SUBTRACT(name, type)                                                                                    \
  static void subtract_##name (gpointer out, gconstpointer high, gconstpointer low, gint64 n)                          \
  {                                                                                                                    \
    type *o = out;                                                                                                     \
    const type *a = high, *b = low;                                                                                    \
                                                                                                                       \
    for (gint64 i = 0; i < n; i++)                                                                                     \
      o[i] = (type) (a[i] - b[i]);                                                                                     \
  }

DEFINE_SUBTRACT (8, guint8)
DEFINE_SUBTRACT (16, guint16)
DEFINE_SUBTRACT (32, guint32)
DEFINE_SUBTRACT (64, guint64)
DEFINE_SUBTRACT (float, float)
DEFINE_SUBTRACT (double, double)

/* Real and imaginary parts are numbers of their own here. */
static SubtractFunc
find_subtract (CandelaDType dtype)
{
  switch ((int) dtype)
    {
    case CANDELA_DTYPE_FLOAT32:
    case CANDELA_DTYPE_COMPLEX64:
      return subtract_float;
    case CANDELA_DTYPE_FLOAT64:
    case CANDELA_DTYPE_COMPLEX128:
      return subtract_double;
    case CANDELA_DTYPE_INT8:
    case CANDELA_DTYPE_UINT8:
      return subtract_8;
    case CANDELA_DTYPE_INT16:
    case CANDELA_DTYPE_UINT16:
      return subtract_16;
    case CANDELA_DTYPE_INT32:
    case CANDELA_DTYPE_UINT32:
      return subtract_32;
    default:
      return subtract_64;
    }
}

typedef struct
{
  ArrangeRows rows;
  SubtractFunc subtract;
  gint64 numbers; /* of an element: two if it is complex */
  gint64 n;
  gint64 steps, inner;           /* of the result's axis, and elements after it */
  gint64 block;                  /* rows that go together */
  gint64 part_steps, part_inner; /* or of one row, so much */
  gint64 steps_parts, inner_parts;
  int failed;
} Diff;

/* From steps * width elements on, to so many fewer; in memory, to out at last. */
static void
shrink (const Diff *diff, guint8 *memory, gint64 steps, gint64 width, guint8 *out)
{
  const gint64 step = width * (gint64) diff->rows.size;

  for (gint64 time = 1; time <= diff->n; time++)
    {
      if (g_cancellable_is_cancelled (candela_kernel_get_cancellable (diff->rows.kernel)))
        return;
      diff->subtract (time == diff->n ? out : memory, memory + step, memory, (steps - time) * width * diff->numbers);
    }
}

/* Whole rows. */
static void
run_rows (const Diff *diff, guint64 task)
{
  const ArrangeRows *rows = &diff->rows;
  const ArrangePart *x = &rows->parts[0];
  const gint64 size = rows->size, out_length = diff->steps * diff->inner;
  gint64 row = (gint64) task * diff->block;
  gint64 n_rows = MIN (diff->block, rows->rows - row);
  gboolean there = rows->n_parts == 1 && x->data != NULL && diff->n == 1;
  g_autofree guint8 *memory = there ? NULL : g_try_malloc (n_rows * rows->length * size);

  if (!there && memory == NULL)
    {
      g_atomic_int_set (&((Diff *) diff)->failed, TRUE);
      return;
    }
  if (!there)
    arrange_rows_make (rows, row, n_rows, memory);
  for (gint64 i = 0; i < n_rows; i++)
    {
      guint8 *out = rows->out + (row + i) * out_length * size;

      if (there)
        diff->subtract (out, x->data + (row + i) * x->step + diff->inner * size, x->data + (row + i) * x->step,
                        out_length * diff->numbers);
      else
        shrink (diff, memory + i * rows->length * size, diff->steps + diff->n, diff->inner, out);
    }
}

/* A part of one row: some steps of the axis, and of each some elements. */
static void
run_part (const Diff *diff, guint64 task)
{
  const ArrangeRows *rows = &diff->rows;
  const ArrangePart *x = &rows->parts[0];
  const gint64 size = rows->size, inner = diff->inner;
  gint64 column = (gint64) (task % diff->inner_parts) * diff->part_inner;
  gint64 first = (gint64) (task / diff->inner_parts % diff->steps_parts) * diff->part_steps;
  gint64 row = task / diff->inner_parts / diff->steps_parts;
  gint64 width = MIN (diff->part_inner, inner - column);
  gint64 steps = MIN (diff->part_steps, diff->steps - first);
  guint8 *out = rows->out + ((row * diff->steps + first) * inner + column) * size;
  g_autofree guint8 *memory = NULL;

  if (rows->n_parts == 1 && x->data != NULL && diff->n == 1)
    {
      const guint8 *data = x->data + row * x->step + (first * inner + column) * size;

      if (width == inner)
        diff->subtract (out, data + inner * size, data, steps * inner * diff->numbers);
      else
        for (gint64 i = 0; i < steps; i++)
          diff->subtract (out + i * inner * size, data + (i + 1) * inner * size, data + i * inner * size,
                          width * diff->numbers);
      return;
    }
  memory = g_try_malloc ((steps + diff->n) * width * size);
  if (memory == NULL)
    {
      g_atomic_int_set (&((Diff *) diff)->failed, TRUE);
      return;
    }
  if (width == inner)
    arrange_rows_fetch (rows, row, first * inner, (steps + diff->n) * inner, memory);
  else
    for (gint64 i = 0; i < steps + diff->n; i++)
      arrange_rows_fetch (rows, row, (first + i) * inner + column, width, memory + i * width * size);
  if (width == inner)
    shrink (diff, memory, steps + diff->n, width, out);
  else
    {
      shrink (diff, memory, steps + diff->n, width, memory);
      arrange_move_rows (out, inner * size, memory, width * size, steps, width * size);
    }
}

static void
run_diff (guint64 task, gpointer data)
{
  const Diff *diff = data;

  if (g_cancellable_is_cancelled (candela_kernel_get_cancellable (diff->rows.kernel)))
    return;
  if (diff->block > 0)
    run_rows (diff, task);
  else
    run_part (diff, task);
}

/* Rows together while they are small; else parts, of four times the steps at least that
 * each has more than it makes. */
static guint64
cut (Diff *diff)
{
  if (diff->rows.length <= ARRANGE_PIECE)
    {
      diff->block = ARRANGE_PIECE / diff->rows.length;
      return (diff->rows.rows + diff->block - 1) / diff->block;
    }
  diff->part_inner = MIN (diff->inner, COLUMNS);
  diff->part_steps =
    CLAMP (MAX (ARRANGE_PIECE / diff->part_inner, diff->n < G_MAXINT64 / 4 ? 4 * diff->n : diff->n), 1, diff->steps);
  diff->inner_parts = (diff->inner + diff->part_inner - 1) / diff->part_inner;
  diff->steps_parts = (diff->steps + diff->part_steps - 1) / diff->part_steps;
  return diff->rows.rows * diff->inner_parts * diff->steps_parts;
}

static gboolean
compute_diff (CandelaKernel *kernel, GError **error)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  const CandelaLayout *result = candela_kernel_get_output_layout (kernel, 0);
  gint64 axis = candela_params_get_int (params, AXIS);
  guint n_inputs = candela_kernel_get_n_inputs (kernel);
  const guint order[] = { n_inputs > 1 ? 1 : 0, 0, 2 };
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (result, &rank);
  Diff diff = { .n = candela_params_get_int (params, N) };
  g_auto (ArrangeRows) rows = { NULL };
  guint64 n_tasks;

  if (candela_layout_get_n_elements (result) == 0)
    return TRUE;
  axis = axis < 0 ? axis + (gint64) rank : axis;
  diff.steps = shape[axis];
  diff.inner = arrange_count (shape, axis + 1, rank);
  arrange_rows_init (&rows, kernel, arrange_count (shape, 0, axis), n_inputs);
  for (guint i = 0; i < n_inputs; i++)
    {
      guint input = order[i];
      const CandelaLayout *layout = candela_kernel_get_input_layout (kernel, input);

      if (candela_layout_get_n_elements (layout) > 0)
        arrange_rows_add (&rows, input, candela_layout_ref ((CandelaLayout *) layout), 0,
                          candela_layout_get_n_elements (layout) / rows.rows);
    }
  if (diff.n == 0)
    return arrange_rows_run (&rows, error);

  rows.out = candela_kernel_get_output (kernel, 0);
  diff.rows = rows;
  diff.subtract = find_subtract (rows.dtype);
  diff.numbers = candela_dtype_get_kind (rows.dtype) == CANDELA_DTYPE_KIND_COMPLEX ? 2 : 1;
  n_tasks = cut (&diff);
  candela_kernel_parallel_for (kernel, n_tasks, run_diff, &diff);
  if (g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error))
    return FALSE;
  if (!g_atomic_int_get (&diff.failed))
    return TRUE;
  g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY,
                       "there is no memory to put differences together in");
  return FALSE;
}

static const CandelaKernelInfo diff_kernels[] = { { .compute = compute_diff }, { .compute = NULL } };

ARRANGE_OP (diff, "Differences of neighbours along an axis, n times",
            .formula = "out[i] = x[i + 1] - x[i], i along axis; n times",
            .example = "x = [1, 4, 9, 16]; diff(x), diff(x, n=2), diff(x, prepend=[0])", .inputs = diff_inputs,
            .params = diff_params, .infer = infer_diff, .kernels = diff_kernels, .fold = fold_diff)
