/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums of products of several operands, two of them at a time: first those whose product
 * is smaller than they are by most, as NumPy does it. The labels of a pair are those
 * that both have and that are kept (a stack of matrices), those that only one has (rows,
 * and columns), and those that both have and that are summed over (the inner axis). So
 * a pair is a product of matrices, of operands as they lie in memory if they can be read
 * so, packed otherwise; without an inner axis it is one of elements. */
#include "contract.h"

#include <math.h>

/* Multiplications up to which a stacked matrix is not worth a call of a library; and how
 * many of them one thread takes at a time. */
#define SMALL_WORK 64
#define SMALL_CHUNK 1024

/* ---- Labels ---- */

static Labels
join (const Labels *a, const Labels *b, const Labels *c)
{
  Labels joined = *a;

  for (guint k = 0; k < b->n; k++)
    joined.labels[joined.n++] = b->labels[k];
  for (guint k = 0; k < c->n; k++)
    joined.labels[joined.n++] = c->labels[k];
  return joined;
}

static gboolean
is_result (const Contraction *contraction, const Labels *labels)
{
  return labels->n == contraction->out_rank && memcmp (labels->labels, contraction->out, labels->n) == 0;
}

/* Those of sets i and j that the result or another set has too. */
static guint64
keep_of (const Contraction *contraction, const guint64 *sets, guint n, guint i, guint j)
{
  guint64 keep = 0;

  for (guint k = 0; k < contraction->out_rank; k++)
    keep |= G_GUINT64_CONSTANT (1) << contraction->out[k];
  for (guint k = 0; k < n; k++)
    if (k != i && k != j)
      keep |= sets[k];
  return keep & (sets[i] | sets[j]);
}

/* ---- Two terms as stacks of matrices ---- */

typedef struct
{
  const Run *run;
  Matrix matrices[2]; /* the first of each stack; data is set for each */
  const guint8 *data[2];
  LinalgAxes stack;
  gint64 n_stacked;
  gint64 per_chunk;
  const LinalgLibrary *library; /* NULL: integers */
  gboolean small;
  guint8 *out;
  GMutex lock;
  GError *error; /* the first */
} Stack;

static gboolean
multiply_matrix (const Stack *stack, const Matrix *a, const Matrix *b, gpointer out, GError **error)
{
  const Run *run = stack->run;

  if (stack->small)
    linalg_multiply_small (run->dtype, a, b, out);
  else if (stack->library == NULL)
    return linalg_integer_multiply (run->kernel, run->dtype, a, b, out, error);
  else
    return linalg_multiply (run->kernel, stack->library, run->dtype, a, b, stack->n_stacked, out, error);
  return TRUE;
}

static gboolean
multiply_range (const Stack *stack, gint64 first, gint64 end, GError **error)
{
  const LinalgAxes *axes = &stack->stack;
  const gint64 size = (gint64) candela_dtype_get_size (stack->run->dtype);
  Matrix matrices[2] = { stack->matrices[0], stack->matrices[1] };

  if (g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (stack->run->kernel), error))
    return FALSE;
  for (gint64 i = first; i < end; i++)
    {
      gint64 rest = i, offsets[2] = { 0, 0 };

      for (guint axis = axes->rank; axis-- > 0; rest /= axes->extents[axis])
        for (guint k = 0; k < 2; k++)
          offsets[k] += rest % axes->extents[axis] * axes->strides[k][axis];
      for (guint k = 0; k < 2; k++)
        matrices[k].data = stack->data[k] + offsets[k] * size;
      if (!multiply_matrix (stack, &matrices[0], &matrices[1],
                            stack->out + i * matrices[0].rows * matrices[1].cols * size, error))
        return FALSE;
    }
  return TRUE;
}

static void
multiply_chunk (guint64 chunk, gpointer data)
{
  Stack *stack = data;
  gint64 first = (gint64) chunk * stack->per_chunk;
  g_autoptr (GError) error = NULL;

  multiply_range (stack, first, MIN (first + stack->per_chunk, stack->n_stacked), &error);
  if (error == NULL)
    return;
  g_mutex_lock (&stack->lock);
  if (stack->error == NULL)
    stack->error = g_steal_pointer (&error);
  g_mutex_unlock (&stack->lock);
}

static gboolean
multiply_stack (Stack *stack, GError **error)
{
  const Matrix *a = &stack->matrices[0], *b = &stack->matrices[1];
  double work = (double) a->rows * (double) a->cols * (double) b->cols;

  stack->small = stack->n_stacked > 1 && work <= SMALL_WORK;
  if (!stack->small && linalg_has_library (stack->run->dtype))
    {
      if (MAX (MAX (a->rows, a->cols), b->cols) > G_MAXINT)
        {
          g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE,
                               "no extent of a matrix may be above 2147483647");
          return FALSE;
        }
      stack->library = linalg_choose_library (stack->run->dtype, a, b, error);
      if (stack->library == NULL)
        return FALSE;
      stack->library->begin ();
    }
  stack->per_chunk = linalg_per_chunk (stack->n_stacked, work);
  if (stack->small)
    stack->per_chunk = SMALL_CHUNK;
  if (stack->n_stacked <= stack->per_chunk)
    multiply_range (stack, 0, stack->n_stacked, &stack->error);
  else
    {
      g_mutex_init (&stack->lock);
      candela_kernel_parallel_for (stack->run->kernel,
                                   (guint64) ((stack->n_stacked + stack->per_chunk - 1) / stack->per_chunk),
                                   multiply_chunk, stack);
      g_mutex_clear (&stack->lock);
    }
  if (stack->library != NULL)
    stack->library->end ();
  if (stack->error == NULL)
    return TRUE;
  g_propagate_error (error, stack->error);
  return FALSE;
}

static gboolean
find_matrix (const Run *run, const Term *term, const Labels *rows, const Labels *cols, gboolean right, Matrix *matrix)
{
  Storage storage;

  *matrix = (Matrix){ .rows = contraction_count_labels (run->contraction, rows),
                      .cols = contraction_count_labels (run->contraction, cols),
                      .start = -1 };
  if (term->dtype != run->dtype || !term_find_stride (run->contraction, term, rows, &matrix->row_stride)
      || !term_find_stride (run->contraction, term, cols, &matrix->col_stride))
    return FALSE;
  if (linalg_has_library (run->dtype))
    return linalg_get_storage (matrix, &storage);
  return !right || matrix->cols == 1 || matrix->col_stride == 1;
}

static gboolean
multiply_matrices (const Run *run, Term *a, Term *b, const Parts *parts, gpointer out, GError **error)
{
  const Contraction *contraction = run->contraction;
  const Labels *labels = &parts->stack;
  Stack stack = { .run = run, .n_stacked = contraction_count_labels (contraction, labels), .out = out };

  if (!find_matrix (run, a, &parts->left, &parts->inner, FALSE, &stack.matrices[0])
      && !(term_pack (run, a, labels, &parts->left, &parts->inner, error)
           && find_matrix (run, a, &parts->left, &parts->inner, FALSE, &stack.matrices[0])))
    return FALSE;
  if (!find_matrix (run, b, &parts->inner, &parts->right, TRUE, &stack.matrices[1])
      && !(term_pack (run, b, labels, &parts->inner, &parts->right, error)
           && find_matrix (run, b, &parts->inner, &parts->right, TRUE, &stack.matrices[1])))
    return FALSE;
  stack.data[0] = a->data;
  stack.data[1] = b->data;
  for (guint k = 0; k < labels->n; k++)
    linalg_axes_add (&stack.stack, contraction->extents[labels->labels[k]], a->strides[labels->labels[k]],
                     b->strides[labels->labels[k]]);
  return multiply_stack (&stack, error);
}

/* ---- Two terms into one ---- */

static void
find_parts (const Contraction *contraction, const Term *a, const Term *b, guint64 keep, gboolean is_last, Parts *parts)
{
  guint64 both = a->labels & b->labels;
  const Term *larger = contraction_count (contraction, a->labels) >= contraction_count (contraction, b->labels) ? a : b;

  *parts = (Parts){ 0 };
  contraction_add_labels (&parts->stack, contraction, both & keep, is_last ? NULL : larger);
  contraction_add_labels (&parts->left, contraction, a->labels & ~both, is_last ? NULL : a);
  contraction_add_labels (&parts->inner, contraction, both & ~keep, larger);
  contraction_add_labels (&parts->right, contraction, b->labels & ~both, is_last ? NULL : b);
}

/* Without a label to sum over. */
static gboolean
multiply_elements (const Run *run, Term *a, Term *b, const Labels *order, gpointer out, GError **error)
{
  const Labels none = { 0 };
  LinalgAxes axes = { 0 };

  for (guint k = 0; k < 2; k++)
    {
      Term *term = k == 0 ? a : b;
      Labels own = { 0 };

      if (term->dtype == run->dtype)
        continue;
      contraction_add_labels (&own, run->contraction, term->labels, term);
      if (!term_pack (run, term, &own, &none, &none, error))
        return FALSE;
    }
  for (guint k = 0; k < order->n; k++)
    linalg_axes_add (&axes, run->contraction->extents[order->labels[k]], a->strides[order->labels[k]],
                     b->strides[order->labels[k]]);
  return linalg_multiply_elements (run->kernel, run->dtype, &axes, a->data, b->data, out, error);
}

static gboolean
lies_by_rows (const Contraction *contraction, const Term *term, const Labels *cols)
{
  gint64 stride;

  return term_find_stride (contraction, term, cols, &stride) && stride == 1;
}

static gboolean
multiply_parts (const Run *run, Term *a, Term *b, const Parts *parts, const Labels *order, gpointer out, GError **error)
{
  const Contraction *contraction = run->contraction;
  const Parts swapped = { parts->stack, parts->right, parts->inner, parts->left };
  gint64 rows = contraction_count_labels (contraction, &parts->left);
  gint64 cols = contraction_count_labels (contraction, &parts->right);
  gboolean swap = rows == 1 ? cols > 1 && !lies_by_rows (contraction, b, &parts->right)
                            : cols == 1 && lies_by_rows (contraction, a, &parts->left);

  if (contraction_count_labels (contraction, &parts->inner) == 1)
    return multiply_elements (run, a, b, order, out, error);
  /* Matrices of integers are read by rows where they are: a vector goes to that side of
   * one on which it lies so. */
  if (swap && !linalg_has_library (run->dtype))
    return multiply_matrices (run, b, a, &swapped, out, error);
  return multiply_matrices (run, a, b, parts, out, error);
}

static gboolean sum_out (const Run *run, Term *term, guint64 keep, GError **error);

/* Two terms, which may be packed on the way, into one of the labels to keep. The last one
 * goes into the kernel's output, if it comes out in the order of that: the result has no
 * elements of its own then. */
static gboolean
multiply (const Run *run, Term *a, Term *b, guint64 keep, gboolean is_last, Term *result, GError **error)
{
  const Contraction *contraction = run->contraction;
  Parts parts, swapped;
  Labels order;

  if (!sum_out (run, a, keep | b->labels, error) || !sum_out (run, b, keep | a->labels, error))
    return FALSE;
  find_parts (contraction, a, b, keep, is_last, &parts);
  swapped = (Parts){ parts.stack, parts.right, parts.inner, parts.left };
  order = join (&swapped.stack, &swapped.left, &swapped.right);
  if (is_last && is_result (contraction, &order))
    return multiply_parts (run, b, a, &swapped, &order, candela_kernel_get_output (run->kernel, 0), error);
  order = join (&parts.stack, &parts.left, &parts.right);
  /* Products of elements come out in any order. */
  if (is_last && contraction_count_labels (contraction, &parts.inner) == 1)
    {
      order.n = 0;
      contraction_add_labels (&order, contraction, keep, NULL);
    }
  if (is_last && is_result (contraction, &order))
    return multiply_parts (run, a, b, &parts, &order, candela_kernel_get_output (run->kernel, 0), error);
  if (!term_allocate (run, result, &order, error))
    return FALSE;
  if (multiply_parts (run, a, b, &parts, &order, result->memory, error))
    return TRUE;
  term_clear (result);
  return FALSE;
}

/* The one of them along which the elements of a term lie closest. */
static guint64
closest (const Term *term, guint64 labels)
{
  guint best = LINALG_MAX_LABELS;

  for (guint label = 0; label < LINALG_MAX_LABELS; label++)
    if (contraction_has (labels, label)
        && (best == LINALG_MAX_LABELS || ABS (term->strides[label]) < ABS (term->strides[best])))
      best = label;
  return G_GUINT64_CONSTANT (1) << best;
}

/* A term of complex numbers as one of their parts, which have a label of their own. */
static void
take_apart (Term *term, guint parts, CandelaDType dtype)
{
  for (guint label = 0; label < parts; label++)
    term->strides[label] *= 2;
  term->strides[parts] = 1;
  term->labels |= G_GUINT64_CONSTANT (1) << parts;
  term->dtype = dtype;
  term->input = -1;
}

static void
put_together (Term *term, guint parts, CandelaDType dtype)
{
  for (guint label = 0; label < parts; label++)
    term->strides[label] /= 2;
  term->strides[parts] = 0;
  term->labels &= ~(G_GUINT64_CONSTANT (1) << parts);
  term->dtype = dtype;
}

/* Products with ones, label by label, so that there are few of these. The term keeps none
 * of what it had. */
static gboolean
sum_by_ones (const Run *run, Term *term, guint64 keep, GError **error)
{
  for (guint64 labels; (labels = term->labels & ~keep) != 0;)
    {
      Term ones, sum = { 0 };
      gboolean done;

      labels = closest (term, labels);
      term_init_ones (run, &ones, labels);
      done = multiply (run, term, &ones, term->labels & ~labels, FALSE, &sum, error);
      term_clear (&ones);
      term_clear (term);
      *term = sum;
      if (!done)
        return FALSE;
    }
  return TRUE;
}

/* Sums of the parts of complex numbers. */
static gboolean
sum_parts (const Run *run, Term *term, guint64 keep, GError **error)
{
  Contraction contraction = *run->contraction;
  Run real = { .contraction = &contraction, .kernel = run->kernel, .dtype = CANDELA_DTYPE_FLOAT64 };
  const guint parts = contraction.n_labels++;
  const Labels none = { 0 }, last = { 1, { (guint8) parts } };
  Labels own = { 0 };

  contraction.extents[parts] = 2;
  if (run->dtype == CANDELA_DTYPE_COMPLEX64)
    real.dtype = CANDELA_DTYPE_FLOAT32;
  contraction_add_labels (&own, run->contraction, term->labels, term);
  if (term->dtype != run->dtype && !term_pack (run, term, &none, &own, &none, error))
    return FALSE;
  take_apart (term, parts, real.dtype);
  if (!sum_by_ones (&real, term, keep | G_GUINT64_CONSTANT (1) << parts, error))
    return FALSE;
  if (term->strides[parts] != 1)
    {
      own.n = 0;
      contraction_add_labels (&own, run->contraction, term->labels, term);
      if (!term_pack (&real, term, &none, &own, &last, error))
        return FALSE;
    }
  put_together (term, parts, run->dtype);
  return TRUE;
}

/* Of what a sum was written into. */
static gboolean
is_finite (const Run *run, const Term *sum)
{
  gint64 n = 2 * (gint64) contraction_count (run->contraction, sum->labels);

  for (gint64 i = 0; i < n; i++)
    if (!isfinite (run->dtype == CANDELA_DTYPE_COMPLEX64 ? ((const float *) sum->data)[i]
                                                         : ((const double *) sum->data)[i]))
      return FALSE;
  return TRUE;
}

/* Sums over the labels that are not to be kept. The product of an infinite number with
 * 1 + 0i is not a number: complex sums that are not finite are made once more, of parts,
 * which libraries are far slower at. */
static gboolean
sum_out (const Run *run, Term *term, guint64 keep, GError **error)
{
  Term sum = *term;

  if ((term->labels & ~keep) == 0)
    return TRUE;
  if (candela_dtype_get_kind (run->dtype) != CANDELA_DTYPE_KIND_COMPLEX)
    return sum_by_ones (run, term, keep, error);
  sum.memory = NULL;
  if (!sum_by_ones (run, &sum, keep, error))
    return FALSE;
  if (!is_finite (run, &sum))
    {
      term_clear (&sum);
      return sum_parts (run, term, keep, error);
    }
  term_clear (term);
  *term = sum;
  return TRUE;
}

/* ---- All ---- */

/* Which two of sets of labels: that of which the product takes away most elements, of
 * several the one that costs least. */
static void
choose_pair (const Contraction *contraction, const guint64 *sets, guint n, guint *first, guint *second)
{
  double best_saved = 0, best_cost = 0;

  *first = 0;
  *second = 1;
  for (guint i = 0; i < n; i++)
    for (guint j = i + 1; j < n; j++)
      {
        guint64 keep = keep_of (contraction, sets, n, i, j);
        double cost = contraction_count (contraction, sets[i] | sets[j]);
        double saved = contraction_count (contraction, sets[i]) + contraction_count (contraction, sets[j])
                       - contraction_count (contraction, (sets[i] | sets[j]) & keep);

        if ((i == 0 && j == 1) || saved > best_saved || (saved == best_saved && cost < best_cost))
          {
            best_saved = saved;
            best_cost = cost;
            *first = i;
            *second = j;
          }
      }
}

guint64
contraction_count_flops (const Contraction *contraction, const guint *ranks, CandelaDType dtype)
{
  guint64 sets[CONTRACTION_MAX_OPERANDS] = { 0 };
  double n = 0;

  for (guint k = 0; k < contraction->n_operands; k++)
    for (guint axis = 0; axis < ranks[k]; axis++)
      sets[k] |= G_GUINT64_CONSTANT (1) << contraction->labels[k][axis];
  if (contraction->n_operands == 1)
    return (guint64) contraction_count (contraction, sets[0]);
  for (guint left = contraction->n_operands, i, j; left > 1; left--)
    {
      choose_pair (contraction, sets, left, &i, &j);
      n += contraction_count (contraction, sets[i] | sets[j]) * (double) linalg_flops (dtype);
      sets[i] = (sets[i] | sets[j]) & keep_of (contraction, sets, left, i, j);
      sets[j] = sets[left - 1];
    }
  return (guint64) MIN (n, 0x1p63);
}

static gboolean
run_all (Run *run, GError **error)
{
  const Contraction *contraction = run->contraction;
  gpointer out = candela_kernel_get_output (run->kernel, 0);
  guint64 sets[CONTRACTION_MAX_OPERANDS];
  Labels order = { 0 };

  /* Of one operand there is nothing but its sum, if that. */
  sets[0] = run->terms[0].labels;
  sets[0] &= ~keep_of (contraction, sets, 1, 0, 0);
  if (run->n_terms == 1 && contraction_count (contraction, sets[0]) > 1)
    {
      gboolean complex = candela_dtype_get_kind (run->dtype) == CANDELA_DTYPE_KIND_COMPLEX;

      sets[1] = complex ? 0 : closest (&run->terms[0], sets[0]);
      if (!sum_out (run, &run->terms[0], ~sets[0] | sets[1], error))
        return FALSE;
      if (!complex)
        term_init_ones (run, &run->terms[run->n_terms++], sets[1]);
    }
  while (run->n_terms > 1)
    {
      Term result = { 0 }, *a, *b;
      gboolean is_last = run->n_terms == 2;
      guint i, j;

      for (guint k = 0; k < run->n_terms; k++)
        sets[k] = run->terms[k].labels;
      choose_pair (contraction, sets, run->n_terms, &i, &j);
      a = &run->terms[i];
      b = &run->terms[j];
      if (!multiply (run, a, b, keep_of (contraction, sets, run->n_terms, i, j), is_last, &result, error))
        return FALSE;
      term_clear (a);
      term_clear (b);
      *a = result;
      *b = run->terms[--run->n_terms];
    }
  if (run->terms[0].data == NULL)
    return TRUE;
  contraction_add_labels (&order, contraction, run->terms[0].labels, NULL);
  return term_write (run, &run->terms[0], &order, out, error);
}

gboolean
contraction_run (const Contraction *contraction, CandelaKernel *kernel, GError **error)
{
  const gint64 n = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0));
  Run run = { .contraction = contraction, .kernel = kernel, .dtype = candela_kernel_get_output_dtype (kernel, 0) };
  gboolean done;

  if (n == 0)
    return TRUE;
  for (guint label = 0; label < contraction->n_labels; label++)
    if (contraction->extents[label] == 0)
      {
        memset (candela_kernel_get_output (kernel, 0), 0, (gsize) n * candela_dtype_get_size (run.dtype));
        return TRUE;
      }
  run.terms = g_new0 (Term, MAX (contraction->n_operands, 2));
  for (; run.n_terms < contraction->n_operands; run.n_terms++)
    term_init (&run, &run.terms[run.n_terms], run.n_terms);
  done = run_all (&run, error);
  for (guint k = 0; k < run.n_terms; k++)
    term_clear (&run.terms[k]);
  g_free (run.terms);
  return done;
}
