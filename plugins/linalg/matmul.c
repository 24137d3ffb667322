/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * matmul, as the array API standard has it: stacks of matrices broadcast, and a
 * vector stands for a matrix of one row on the left and of one column on the right.
 * A matrix that a library can read where it is (packed by rows or by columns, any
 * distance apart) is not copied; every other one, or one of another dtype, is
 * packed. */
#include "linalg.h"

/* An operand as a stack of matrices. */
typedef struct
{
  guint input;
  Matrix matrix; /* the first; data is set for each */
  const guint8 *data;
  gint64 strides[CANDELA_MAX_RANK]; /* per axis of the result's stack: in elements */
  gint64 numbers[CANDELA_MAX_RANK]; /* … in matrices of this operand, in logical order */
  gboolean packs;
  gint64 packed; /* the number of the matrix in room, or -1 */
  gpointer room;
  CandelaDType dtype;
} Operand;

typedef struct
{
  CandelaKernel *kernel;
  CandelaDType dtype;
  Operand operands[2];
  gint64 stack[CANDELA_MAX_RANK];
  gsize stack_rank;
  gint64 n_stacked;
  const LinalgLibrary *library; /* NULL: integers */
} Product;

static const gint64 *
get_shape (const CandelaInference *inference, guint input, gsize *rank)
{
  return candela_layout_get_shape (candela_inference_get_input_layout (inference, input), rank);
}

static gboolean
infer (CandelaInference *inference, GError **error)
{
  CandelaDType dtype = candela_inference_get_promoted_dtype (inference);
  gsize a_rank, b_rank, rank;
  const gint64 *a = get_shape (inference, 0, &a_rank), *b = get_shape (inference, 1, &b_rank);
  gint64 out[CANDELA_MAX_RANK + 2], inner_a, inner_b;

  if (dtype == CANDELA_DTYPE_INVALID)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE, "%s and %s have no common dtype",
                                   candela_dtype_get_name (candela_inference_get_input_dtype (inference, 0)),
                                   candela_dtype_get_name (candela_inference_get_input_dtype (inference, 1)));
  if (a_rank == 0 || b_rank == 0)
    return linalg_fail_shapes (inference, "both need an axis at least", error);
  inner_a = a[a_rank - 1];
  inner_b = b[b_rank >= 2 ? b_rank - 2 : 0];
  if (inner_a != inner_b)
    {
      g_autofree char *reason =
        g_strdup_printf ("%" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " must be equal", inner_a, inner_b);

      return linalg_fail_shapes (inference, reason, error);
    }
  if (!linalg_broadcast (a, a_rank < 2 ? 0 : a_rank - 2, b, b_rank < 2 ? 0 : b_rank - 2, out, &rank))
    return linalg_fail_shapes (inference, "the axes before the last two cannot be broadcast together", error);
  if (a_rank >= 2)
    out[rank++] = a[a_rank - 2];
  if (b_rank >= 2)
    out[rank++] = b[b_rank - 1];
  if (linalg_has_library (dtype)
      && (inner_a > G_MAXINT || (a_rank >= 2 && a[a_rank - 2] > G_MAXINT) || (b_rank >= 2 && b[b_rank - 1] > G_MAXINT)))
    return linalg_fail_shapes (inference, "no extent of a matrix may be above 2147483647", error);
  return candela_inference_set_output (inference, 0, dtype, out, rank, error);
}

/* As many multiplications with an addition as there are elements of the result, times
 * the inner extent. */
static guint64
count_flops (const CandelaInference *inference)
{
  gsize a_rank, b_rank, rank;
  const gint64 *a = get_shape (inference, 0, &a_rank), *b = get_shape (inference, 1, &b_rank);
  gint64 stack[CANDELA_MAX_RANK];
  guint64 n = linalg_flops (candela_inference_get_promoted_dtype (inference)) * (guint64) a[a_rank - 1];

  linalg_broadcast (a, a_rank < 2 ? 0 : a_rank - 2, b, b_rank < 2 ? 0 : b_rank - 2, stack, &rank);
  for (gsize axis = 0; axis < rank; axis++)
    n *= (guint64) stack[axis];
  return n * (guint64) (a_rank >= 2 ? a[a_rank - 2] : 1) * (guint64) (b_rank >= 2 ? b[b_rank - 1] : 1);
}

static void
operand_init (Product *product, guint input)
{
  Operand *operand = &product->operands[input];
  const CandelaLayout *layout = candela_kernel_get_input_layout (product->kernel, input);
  gsize rank, matrix_rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  const gint64 *strides = candela_layout_get_strides (layout, &rank);
  gint64 number = 1;

  operand->input = input;
  operand->dtype = product->dtype;
  operand->packed = -1;
  operand->data = candela_kernel_get_input (product->kernel, input);
  matrix_rank = MIN (rank, 2);
  if (rank >= 2)
    operand->matrix = (Matrix){ NULL, shape[rank - 2], shape[rank - 1], strides[rank - 2], strides[rank - 1], 0 };
  else if (input == 0)
    operand->matrix = (Matrix){ NULL, 1, shape[0], 0, strides[0], 0 };
  else
    operand->matrix = (Matrix){ NULL, shape[0], 1, strides[0], 0, 0 };
  for (gsize k = 1; k <= product->stack_rank; k++)
    {
      gsize axis = product->stack_rank - k;
      gboolean has = k + matrix_rank <= rank && shape[rank - matrix_rank - k] != 1;

      operand->strides[axis] = has ? strides[rank - matrix_rank - k] : 0;
      operand->numbers[axis] = has ? number : 0;
      if (has)
        number *= shape[rank - matrix_rank - k];
    }
}

/* Says where the operand's matrix for one of the result is, packing it first if
 * it has to be. */
static gboolean
operand_get (const Product *product, Operand *operand, const gint64 *index, GError **error)
{
  Matrix *matrix = &operand->matrix;
  gint64 offset = 0, number = 0, n = matrix->rows * matrix->cols;

  for (gsize axis = 0; axis < product->stack_rank; axis++)
    {
      offset += index[axis] * operand->strides[axis];
      number += index[axis] * operand->numbers[axis];
    }
  matrix->start = number * n;
  if (!operand->packs)
    {
      matrix->data = operand->data + offset * (gint64) candela_dtype_get_size (product->dtype);
      return TRUE;
    }
  if (operand->room == NULL)
    operand->room = linalg_alloc (n, product->dtype, error);
  if (operand->room == NULL)
    return FALSE;
  if (operand->packed != number)
    candela_kernel_pack_input (product->kernel, operand->input, product->dtype, matrix->start, (gsize) n,
                               operand->room);
  operand->packed = number;
  matrix->data = operand->room;
  matrix->row_stride = matrix->cols;
  matrix->col_stride = 1;
  return TRUE;
}

static gboolean
must_pack (const Product *product, const Operand *operand)
{
  const Matrix *matrix = &operand->matrix;
  Storage storage;

  if (candela_kernel_get_input_dtype (product->kernel, operand->input) != product->dtype)
    return TRUE;
  if (product->library != NULL)
    return !linalg_get_storage (matrix, &storage);
  return operand->input == 1 && matrix->cols != 1 && matrix->col_stride != 1;
}

static gboolean
multiply (const Product *product, const Matrix *a, const Matrix *b, gpointer out, GError **error)
{
  if (product->library == NULL)
    return linalg_integer_multiply (product->kernel, product->dtype, a, b, out, error);
  return linalg_multiply (product->kernel, product->library, product->dtype, a, b, product->n_stacked, out, error);
}

/* Matrices of the result's stack, from one number to another. */
static gboolean
run_range (Product *product, gint64 first, gint64 end, GError **error)
{
  Operand *a = &product->operands[0], *b = &product->operands[1];
  gint64 bytes = a->matrix.rows * b->matrix.cols * (gint64) candela_dtype_get_size (product->dtype);
  guint8 *out = (guint8 *) candela_kernel_get_output (product->kernel, 0) + first * bytes;
  gint64 index[CANDELA_MAX_RANK] = { 0 };
  gint64 left = first;

  for (gsize axis = product->stack_rank; axis-- > 0; left /= product->stack[axis])
    index[axis] = left % product->stack[axis];
  for (gint64 i = first; i < end; i++, out += bytes)
    {
      if (!operand_get (product, a, index, error) || !operand_get (product, b, index, error)
          || !multiply (product, &a->matrix, &b->matrix, out, error))
        return FALSE;
      for (gsize axis = product->stack_rank; axis-- > 0;)
        {
          if (++index[axis] < product->stack[axis])
            break;
          index[axis] = 0;
        }
    }
  return TRUE;
}

/* The stack in chunks; the first error stops the others. */
typedef struct
{
  const Product *product;
  gint64 per_chunk;
  GMutex lock;
  GError *error;
} Stack;

static void
run_chunk (guint64 chunk, gpointer data)
{
  Stack *stack = data;
  Product product = *stack->product; /* with room of its own for packing */
  gint64 first = (gint64) chunk * stack->per_chunk;
  g_autoptr (GError) error = NULL;
  gboolean stopped;

  g_mutex_lock (&stack->lock);
  stopped = stack->error != NULL;
  g_mutex_unlock (&stack->lock);
  if (stopped)
    return;
  run_range (&product, first, MIN (first + stack->per_chunk, product.n_stacked), &error);
  g_free (product.operands[0].room);
  g_free (product.operands[1].room);
  g_mutex_lock (&stack->lock);
  if (stack->error == NULL)
    stack->error = g_steal_pointer (&error);
  g_mutex_unlock (&stack->lock);
}

static gboolean
run (Product *product, GError **error)
{
  Operand *a = &product->operands[0], *b = &product->operands[1];
  double work = (double) a->matrix.rows * (double) a->matrix.cols * (double) b->matrix.cols;
  Stack stack = { .product = product };

  a->packs = must_pack (product, a);
  b->packs = b->packs || must_pack (product, b);
  stack.per_chunk = linalg_per_chunk (product->n_stacked, work);
  if (product->n_stacked <= stack.per_chunk)
    return run_range (product, 0, product->n_stacked, error);
  g_mutex_init (&stack.lock);
  candela_kernel_parallel_for (
    product->kernel, (guint64) ((product->n_stacked + stack.per_chunk - 1) / stack.per_chunk), run_chunk, &stack);
  g_mutex_clear (&stack.lock);
  if (stack.error == NULL)
    return TRUE;
  g_propagate_error (error, stack.error);
  return FALSE;
}

static const LinalgLibrary *
choose_library (Product *product, GError **error)
{
  const Matrix *left = &product->operands[0].matrix;
  Operand *b = &product->operands[1];
  Matrix right = b->matrix;

  b->packs = linalg_wants_right_packed (product->dtype, left, &right);
  if (b->packs)
    {
      right.row_stride = right.cols;
      right.col_stride = 1;
    }
  return linalg_choose_library (product->dtype, left, &right, error);
}

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  Product product = { .kernel = kernel, .dtype = candela_kernel_get_output_dtype (kernel, 0), .n_stacked = 1 };
  const CandelaLayout *layout = candela_kernel_get_output_layout (kernel, 0);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  gint64 n = candela_layout_get_n_elements (layout);
  gboolean done;

  if (n == 0)
    return TRUE;
  for (guint input = 0; input < 2; input++)
    if (candela_layout_get_rank (candela_kernel_get_input_layout (kernel, input)) >= 2)
      rank--;
  product.stack_rank = rank;
  for (gsize axis = 0; axis < rank; axis++)
    {
      product.stack[axis] = shape[axis];
      product.n_stacked *= shape[axis];
    }
  operand_init (&product, 0);
  operand_init (&product, 1);
  if (product.operands[0].matrix.cols == 0)
    {
      memset (candela_kernel_get_output (kernel, 0), 0, (gsize) n * candela_dtype_get_size (product.dtype));
      return TRUE;
    }
  if (linalg_has_library (product.dtype))
    {
      product.library = choose_library (&product, error);
      if (product.library == NULL)
        return FALSE;
      product.library->begin ();
    }
  done = run (&product, error);
  if (product.library != NULL)
    product.library->end ();
  g_free (product.operands[0].room);
  g_free (product.operands[1].room);
  return done;
}

static const CandelaKernelInfo kernels[] = { { .compute = compute }, { .compute = NULL } };

/* A vector on the left is a matrix of one row, and one on the right of one column: what a
 * shape is broadcast to with [1, 1] has axes in front, and with the axes reversed behind. */
#define AS_MATRICES                                                                                                    \
  "a = broadcast_to(x1, (x1 + zeros([1, 1])).shape); b = broadcast_to(x2.T, (x2.T + zeros([1, 1])).shape).T; "         \
  "g = reshape(grad, (a @ b).shape); "

const CandelaOpInfo linalg_matmul_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "matmul",
  .summary = "The product of matrices, of stacks of them, or of vectors",
  .formula = "out[…, i, j] = Σₖ x1[…, i, k] · x2[…, k, j]",
  .example = "a = [[1, 2], [3, 4]]; a @ [[5, 6], [7, 8]], a @ [1, 10]",
  .since = "1.0",
  .inputs = linalg_inputs,
  .operators = "infix:@",
  .axes = CANDELA_AXES_OPAQUE,
  .determinism = CANDELA_DETERMINISM_PER_LAYOUT,
  .infer = infer,
  .kernels = kernels,
  .flops = count_flops,
  .gradients = { AS_MATRICES "g @ b.mT", AS_MATRICES "reshape(sum_to(a.mT @ g, b.shape), x2.shape)" },
};
