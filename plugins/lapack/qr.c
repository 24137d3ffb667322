/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A = Q R. The decomposition of the transpose, L Q', would be as good, and is slower: here
 * matrices are turned, to lie by columns. */
#include "lapack.h"

enum {
  PARAM_MODE
};
enum {
  OUTPUT_Q,
  OUTPUT_R
};

static gboolean
is_complete (const CandelaParams *params)
{
  return g_str_equal (candela_params_get_string (params, PARAM_MODE), "complete");
}

static gboolean
infer (CandelaInference *inference, GError **error)
{
  CandelaDType dtype = candela_inference_get_input_dtype (inference, 0);
  const gint64 *shape;
  gsize rank;
  gint64 rows, cols, inner;

  if (!lapack_infer_matrices (inference, FALSE, &shape, &rank, error))
    return FALSE;
  rows = shape[rank - 2];
  cols = shape[rank - 1];
  inner = is_complete (candela_inference_get_params (inference)) ? rows : MIN (rows, cols);
  return lapack_set_output (inference, OUTPUT_Q, dtype, 2, rows, inner, error)
         && lapack_set_output (inference, OUTPUT_R, dtype, 2, inner, cols, error);
}

typedef struct
{
  gint64 rows, cols; /* of A, which the stack has turned */
  gint64 inner;      /* columns of Q */
  int lwork;
} Qr;

/* Zeros below the diagonal. */
static void
clear_below (const LapackStack *stack, const Qr *qr, guint8 *r)
{
  for (gint64 row = 1; row < qr->inner; row++)
    memset (r + (gsize) (row * qr->cols) * stack->size, 0, (gsize) MIN (row, qr->cols) * stack->size);
}

static LapackStatus
decompose (const LapackStack *stack, gint64 i, gpointer a, gpointer work)
{
  const Qr *qr = stack->data;
  int m = (int) qr->rows, n = (int) qr->cols, k = (int) stack->extent, inner = (int) qr->inner, info;
  gint64 q_elements = qr->rows * qr->inner, r_elements = qr->inner * qr->cols;
  gpointer q_out = lapack_stack_output (stack, OUTPUT_Q, q_elements, i);
  gpointer r_out = lapack_stack_output (stack, OUTPUT_R, r_elements, i);
  gpointer tau = lapack_take (&work, (gsize) k * stack->size), q = a;

  if (k == 0)
    {
      lapack_fill_identity (stack->dtype, q_out, qr->inner == qr->rows ? qr->inner : 0);
      return LAPACK_OK;
    }
  if (!lapack_is_finite (stack->dtype, a, qr->rows * qr->cols))
    {
      lapack_fill_nan (stack->dtype, q_out, q_elements);
      lapack_fill_nan (stack->dtype, r_out, r_elements);
      clear_below (stack, qr, r_out);
      return LAPACK_OK;
    }
  if (qr->inner > qr->cols)
    q = lapack_take (&work, (gsize) q_elements * stack->size);
  stack->lapack->geqrf (&m, &n, a, &m, tau, work, &qr->lwork, &info);
  lapack_turn (stack->dtype, a, qr->rows, r_out, qr->inner, qr->cols);
  clear_below (stack, qr, r_out);
  if (q != a)
    memcpy (q, a, (gsize) (qr->rows * qr->cols) * stack->size);
  stack->lapack->orgqr (&m, &inner, &k, q, &m, tau, work, &qr->lwork, &info);
  lapack_turn (stack->dtype, q, qr->rows, q_out, qr->rows, qr->inner);
  return LAPACK_OK;
}

/* 0 if LAPACK cannot count it. */
static int
ask_size (const LapackStack *stack, const Qr *qr)
{
  int m = (int) qr->rows, n = (int) qr->cols, k = (int) stack->extent, inner = (int) qr->inner, info, query = -1;
  double work[2];
  int first, second;

  if (k == 0)
    return 1;
  stack->lapack->geqrf (&m, &n, work, &m, work, work, &query, &info);
  first = lapack_read_size (stack->dtype, work);
  stack->lapack->orgqr (&m, &inner, &k, work, &m, work, work, &query, &info);
  second = lapack_read_size (stack->dtype, work);
  return first > 0 && second > 0 ? MAX (first, second) : 0;
}

static CandelaLayout *
turn_layout (const CandelaLayout *layout, GError **error)
{
  guint rank = candela_layout_get_rank (layout);
  gint64 axes[CANDELA_MAX_RANK];

  for (guint axis = 0; axis < rank; axis++)
    axes[axis] = axis;
  axes[rank - 2] = rank - 1;
  axes[rank - 1] = rank - 2;
  return candela_layout_permute (layout, axes, rank, error);
}

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  g_autoptr (CandelaLayout) layout = turn_layout (candela_kernel_get_input_layout (kernel, 0), error);
  LapackStack stack;
  Qr qr;

  if (layout == NULL
      || !lapack_stack_init (&stack, "qr", kernel, candela_kernel_get_output_dtype (kernel, 0), layout, error))
    return FALSE;
  qr.rows = stack.cols;
  qr.cols = stack.rows;
  qr.inner = is_complete (candela_kernel_get_params (kernel)) ? qr.rows : stack.extent;
  qr.lwork = ask_size (&stack, &qr);
  if (qr.lwork == 0)
    return lapack_fail_size (&stack, error);
  stack.data = &qr;
  stack.work_bytes = lapack_align ((gsize) stack.extent * stack.size)
                     + lapack_align ((gsize) (qr.rows * qr.inner) * stack.size) + (gsize) qr.lwork * stack.size;
  stack.cost = 2 * (double) qr.rows * (double) stack.extent * (double) qr.inner;
  return lapack_stack_run (&stack, decompose, error);
}

static const char *const modes[] = { "reduced", "complete", NULL };
static const char *const outputs[] = { "q", "r", NULL };

static const CandelaParamInfo params[] = {
  { "mode", CANDELA_PARAM_STRING, .default_value = "reduced", .choices = modes,
    .summary = "as many columns of Q as there are in x, if it has more rows; or a square Q: complete" },
  { NULL },
};

LAPACK_KERNELS (kernels, compute)

static const CandelaOpInfo qr_info = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "qr",
  .summary = "x = Q R, with orthonormal columns in Q and R upper triangular",
  .formula = "x = q · r, qᴴ · q = 1, r[i, j] = 0 where i > j",
  .example = "qr([[3.0, 1.0], [4.0, 2.0]])",
  .since = "1.0",
  .inputs = lapack_inputs,
  .outputs = outputs,
  .params = params,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer,
  .kernels = kernels,
};

const CandelaOpInfo *const lapack_qr_ops[] = { &qr_info, NULL };
