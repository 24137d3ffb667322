/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A X = B. Of A by rows LAPACK sees the transpose, M = P L U, and of B and X the same:
 * X^T M = B^T, so that X^T = B^T U^-1 L^-1 P^-1, where nothing has to be turned. A single
 * column is turned already, and goes through elimination as it is; for a small matrix the
 * cost of a call counts, and there is one if A is turned. */
#include "lapack.h"

#define SMALL_ROWS 16

typedef struct
{
  gint64 columns;        /* of B */
  CandelaLayout *layout; /* B's, for all systems of the stack */
} Solve;

/* The axes of the stack: those of both, broadcast together. FALSE if they do not go
 * together. */
static gboolean
broadcast_stacks (const gint64 *a, gsize a_axes, const gint64 *b, gsize b_axes, gint64 *out, gsize *n)
{
  *n = MAX (a_axes, b_axes);
  for (gsize k = 1; k <= *n; k++)
    {
      gint64 from_a = k <= a_axes ? a[a_axes - k] : 1, from_b = k <= b_axes ? b[b_axes - k] : 1;

      if (from_a != from_b && from_a != 1 && from_b != 1)
        return FALSE;
      out[*n - k] = from_a == 1 ? from_b : from_a;
    }
  return TRUE;
}

static gboolean
fail_shapes (CandelaInference *inference, const gint64 *a, gsize a_rank, const gint64 *b, gsize b_rank,
             const char *reason, GError **error)
{
  g_autofree char *a_text = candela_shape_to_string (a, a_rank), *b_text = candela_shape_to_string (b, b_rank);

  return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE, "x1 has shape %s and x2 %s: %s", a_text, b_text,
                                 reason);
}

static gboolean
infer (CandelaInference *inference, GError **error)
{
  gsize a_rank, b_rank, n;
  const gint64 *a = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &a_rank);
  const gint64 *b = candela_layout_get_shape (candela_inference_get_input_layout (inference, 1), &b_rank);
  gint64 out[CANDELA_MAX_RANK + 2];

  if (a_rank < 2 || a[a_rank - 1] != a[a_rank - 2])
    return fail_shapes (inference, a, a_rank, b, b_rank, "x1 must be square matrices, [..., M, M]", error);
  if (b_rank == 0 || b[b_rank == 1 ? 0 : b_rank - 2] != a[a_rank - 1])
    return fail_shapes (inference, a, a_rank, b, b_rank, "x2 must be [M] or [..., M, K], with the M of x1", error);
  if (a[a_rank - 1] > G_MAXINT || b[b_rank - 1] > G_MAXINT)
    return fail_shapes (inference, a, a_rank, b, b_rank, "LAPACK cannot count as far as that", error);
  if (!broadcast_stacks (a, a_rank - 2, b, b_rank == 1 ? 0 : b_rank - 2, out, &n))
    return fail_shapes (inference, a, a_rank, b, b_rank, "their stacks cannot be broadcast together", error);
  out[n++] = a[a_rank - 1];
  if (b_rank > 1)
    out[n++] = b[b_rank - 1];
  return candela_inference_set_output (inference, 0, candela_inference_get_promoted_dtype (inference), out, n, error);
}

static void
swap_columns (guint8 *b, gint64 one, gint64 other, gsize bytes, gpointer room)
{
  guint8 *x = b + (gsize) one * bytes, *y = b + (gsize) other * bytes;

  memcpy (room, x, bytes);
  memcpy (x, y, bytes);
  memcpy (y, room, bytes);
}

/* B has one column, and A few rows; room is for as many elements as A has. */
static int
solve_small (const LapackStack *stack, gconstpointer a, int *pivots, gpointer b, gpointer room)
{
  int n = (int) stack->rows, one_column = 1, info;

  lapack_turn (stack->dtype, a, n, room, n, n);
  stack->lapack->gesv (&n, &one_column, room, &n, pivots, b, &n, &info);
  return info;
}

/* b: B by rows, and then X; room is for one of its rows. */
static void
substitute (const LapackStack *stack, gconstpointer a, const int *pivots, gpointer b, int columns, gpointer room)
{
  gconstpointer one = lapack_one (stack->dtype);
  int n = (int) stack->rows, info;

  if (columns == 1)
    {
      int one_column = 1;

      stack->lapack->getrs ("T", &n, &one_column, a, &n, pivots, b, &n, &info, 1);
      return;
    }
  stack->lapack->trsm ("R", "U", "N", "N", &columns, &n, one, a, &n, b, &columns, 1, 1, 1, 1);
  stack->lapack->trsm ("R", "L", "N", "U", &columns, &n, one, a, &n, b, &columns, 1, 1, 1, 1);
  for (int k = n - 1; k >= 0; k--)
    if (pivots[k] != k + 1)
      swap_columns (b, k, pivots[k] - 1, (gsize) columns * stack->size, room);
}

static LapackStatus
solve (const LapackStack *stack, gint64 i, gpointer a, gpointer work)
{
  const Solve *data = stack->data;
  gint64 elements = stack->rows * data->columns;
  gsize bytes = (gsize) elements * stack->size;
  int n = (int) stack->rows, info;
  int *pivots = lapack_take (&work, (gsize) n * sizeof *pivots);
  gpointer out = lapack_stack_output (stack, 0, elements, i);
  gpointer b = (guintptr) out % 64 == 0 ? out : lapack_take (&work, bytes);

  if (elements == 0)
    return LAPACK_OK;
  if (!lapack_is_finite (stack->dtype, a, stack->rows * stack->rows))
    {
      lapack_fill_nan (stack->dtype, out, elements);
      return LAPACK_OK;
    }
  if (b != out)
    memcpy (b, out, bytes);
  if (data->columns == 1 && n <= SMALL_ROWS)
    info = solve_small (stack, a, pivots, b, work);
  else
    {
      stack->lapack->getrf (&n, &n, a, &n, pivots, &info);
      if (info == 0)
        substitute (stack, a, pivots, b, (int) data->columns, work);
    }
  if (info != 0)
    return LAPACK_SINGULAR;
  if (b != out)
    memcpy (out, b, bytes);
  return LAPACK_OK;
}

/* B goes where X will be. */
static void
pack_columns (const LapackStack *stack, gint64 first, gint64 count)
{
  const Solve *data = stack->data;
  gint64 elements = stack->rows * data->columns;

  candela_kernel_pack_layout (stack->kernel, 1, data->layout, stack->dtype, first * elements,
                              (gsize) (count * elements), lapack_stack_output (stack, 0, elements, first));
}

/* The layouts of both inputs with the axes of the stack that they make together. */
static gboolean
broadcast_inputs (CandelaKernel *kernel, gboolean vector, CandelaLayout **a, CandelaLayout **b, GError **error)
{
  gsize rank, n_axes;
  const gint64 *out = candela_layout_get_shape (candela_kernel_get_output_layout (kernel, 0), &rank);
  gint64 shape[CANDELA_MAX_RANK];

  *b = candela_layout_broadcast (candela_kernel_get_input_layout (kernel, 1), out, rank, error);
  if (*b == NULL)
    return FALSE;
  n_axes = rank - (vector ? 1 : 2);
  memcpy (shape, out, n_axes * sizeof *shape);
  shape[n_axes] = shape[n_axes + 1] = out[n_axes];
  *a = candela_layout_broadcast (candela_kernel_get_input_layout (kernel, 0), shape, n_axes + 2, error);
  return *a != NULL;
}

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  g_autoptr (CandelaLayout) a = NULL;
  g_autoptr (CandelaLayout) b = NULL;
  gboolean vector = candela_layout_get_rank (candela_kernel_get_input_layout (kernel, 1)) == 1;
  LapackStack stack;
  Solve data;
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_output_layout (kernel, 0), &rank);

  if (candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0)) == 0)
    return TRUE;
  if (!broadcast_inputs (kernel, vector, &a, &b, error)
      || !lapack_stack_init (&stack, "solve", kernel, candela_kernel_get_output_dtype (kernel, 0), a, error))
    return FALSE;
  data.columns = vector ? 1 : shape[rank - 1];
  data.layout = b;
  stack.input = "x1";
  stack.data = &data;
  stack.prepare = pack_columns;
  stack.work_bytes = lapack_align ((gsize) stack.rows * sizeof (int))
                     + lapack_align ((gsize) (stack.rows * data.columns) * stack.size)
                     + (gsize) MAX (data.columns, SMALL_ROWS * SMALL_ROWS) * stack.size;
  stack.cost = stack.cost / 3 + (double) stack.rows * (double) stack.rows * (double) data.columns;
  return lapack_stack_run (&stack, solve, error);
}

#define NUMBERS (CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX)

static const CandelaInputInfo inputs[] = {
  { .name = "x1", .kinds = NUMBERS, .summary = "a square matrix, or a stack of them: A" },
  { .name = "x2", .kinds = NUMBERS, .summary = "the right-hand sides: a vector, or the columns of each matrix: B" },
  { NULL },
};

LAPACK_KERNELS (kernels, compute)

static const CandelaOpInfo solve_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "solve",
  .summary = "The X with A X = B",
  .formula = "x1 · out = x2",
  .example = "solve([[2.0, 1.0], [1.0, 3.0]], [3.0, 5.0])",
  .since = "1.0",
  .inputs = inputs,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer,
  .kernels = kernels,
};

const CandelaOpInfo *const lapack_solve_ops[] = { &solve_info, NULL };
