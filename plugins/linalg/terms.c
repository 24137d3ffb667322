/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operands of contractions as what they are by their labels: strides over memory. */
#include "contract.h"

#define PACK_ELEMENTS (1 << 16)

void
contraction_clear (Contraction *contraction)
{
  g_clear_pointer (&contraction->labels, g_free);
}

/* ---- Labels ---- */

gboolean
contraction_has (guint64 set, guint label)
{
  return (set >> label & 1) != 0;
}

double
contraction_count (const Contraction *contraction, guint64 set)
{
  double n = 1;

  for (guint label = 0; label < contraction->n_labels; label++)
    if (contraction_has (set, label))
      n *= (double) contraction->extents[label];
  return n;
}

gint64
contraction_count_labels (const Contraction *contraction, const Labels *labels)
{
  gint64 n = 1;

  for (guint k = 0; k < labels->n; k++)
    n *= contraction->extents[labels->labels[k]];
  return n;
}

void
contraction_add_labels (Labels *labels, const Contraction *contraction, guint64 set, const Term *term)
{
  guint first = labels->n;

  if (term == NULL)
    {
      for (guint k = 0; k < contraction->out_rank; k++)
        if (contraction_has (set, contraction->out[k]))
          labels->labels[labels->n++] = contraction->out[k];
      return;
    }
  for (guint label = 0; label < contraction->n_labels; label++)
    if (contraction_has (set, label))
      {
        guint k = labels->n++;

        for (; k > first && ABS (term->strides[labels->labels[k - 1]]) < ABS (term->strides[label]); k--)
          labels->labels[k] = labels->labels[k - 1];
        labels->labels[k] = (guint8) label;
      }
}

/* ---- Terms ---- */

void
term_clear (Term *term)
{
  g_clear_pointer (&term->memory, g_free);
}

/* An axis of extent 1 is one that repeats its element; two of a label are walked at once. */
void
term_init (const Run *run, Term *term, guint input)
{
  const Contraction *contraction = run->contraction;
  const CandelaLayout *layout = candela_kernel_get_input_layout (run->kernel, input);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  const gint64 *strides = candela_layout_get_strides (layout, &rank);

  *term = (Term){ .input = (int) input,
                  .data = candela_kernel_get_input (run->kernel, input),
                  .dtype = candela_kernel_get_input_dtype (run->kernel, input) };
  for (gsize axis = 0; axis < rank; axis++)
    {
      guint label = contraction->labels[input][axis];

      term->labels |= G_GUINT64_CONSTANT (1) << label;
      term->strides[label] += shape[axis] == 1 ? 0 : strides[axis];
    }
}

gboolean
term_allocate (const Run *run, Term *term, const Labels *labels, GError **error)
{
  const Contraction *contraction = run->contraction;
  gint64 n = 1;

  *term = (Term){ .input = -1, .dtype = run->dtype };
  for (guint k = labels->n; k-- > 0;)
    {
      guint label = labels->labels[k];

      term->labels |= G_GUINT64_CONSTANT (1) << label;
      term->strides[label] = contraction->extents[label] == 1 ? 0 : n;
      if (__builtin_mul_overflow (n, contraction->extents[label], &n))
        n = G_MAXINT64 / 2;
    }
  term->data = term->memory = linalg_alloc (n, run->dtype, error);
  return term->memory != NULL;
}

/* The elements of an input, converted, in chunks. */
typedef struct
{
  const Run *run;
  guint input;
  const CandelaLayout *layout;
  gint64 n;
  guint8 *out;
} Pack;

static void
pack_chunk (guint64 chunk, gpointer data)
{
  const Pack *pack = data;
  const Run *run = pack->run;
  gint64 start = (gint64) chunk * PACK_ELEMENTS;

  if (!g_cancellable_is_cancelled (candela_kernel_get_cancellable (run->kernel)))
    candela_kernel_pack_layout (run->kernel, pack->input, pack->layout, run->dtype, start,
                                (gsize) MIN (pack->n - start, PACK_ELEMENTS),
                                pack->out + start * (gint64) candela_dtype_get_size (run->dtype));
}

static gboolean
pack_input (const Run *run, const Term *term, const Labels *labels, gpointer out, GError **error)
{
  const CandelaLayout *layout = candela_kernel_get_input_layout (run->kernel, (guint) term->input);
  gint64 shape[CANDELA_MAX_RANK], strides[CANDELA_MAX_RANK];
  g_autoptr (CandelaLayout) ordered = NULL;
  Pack pack = { run, (guint) term->input, NULL, 1, out };

  for (guint k = 0; k < labels->n; k++)
    {
      shape[k] = run->contraction->extents[labels->labels[k]];
      strides[k] = term->strides[labels->labels[k]];
      pack.n *= shape[k];
    }
  pack.layout = ordered =
    candela_layout_new_strided (shape, labels->n, strides, labels->n, candela_layout_get_offset (layout), error);
  if (ordered == NULL)
    return FALSE;
  candela_kernel_parallel_for (run->kernel, (guint64) ((pack.n + PACK_ELEMENTS - 1) / PACK_ELEMENTS), pack_chunk,
                               &pack);
  return !g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (run->kernel), error);
}

gboolean
term_write (const Run *run, const Term *term, const Labels *labels, gpointer out, GError **error)
{
  LinalgAxes axes = { 0 };

  if (term->input >= 0 && labels->n <= CANDELA_MAX_RANK)
    return pack_input (run, term, labels, out, error);
  for (guint k = 0; k < labels->n; k++)
    linalg_axes_add (&axes, run->contraction->extents[labels->labels[k]], term->strides[labels->labels[k]], 0);
  return linalg_copy (run->kernel, run->dtype, &axes, term->data, out, error);
}

gboolean
term_pack (const Run *run, Term *term, const Labels *stack, const Labels *rows, const Labels *cols, GError **error)
{
  Labels order = { 0 };
  Term packed;

  for (guint k = 0; k < stack->n; k++)
    if (term->strides[stack->labels[k]] != 0)
      order.labels[order.n++] = stack->labels[k];
  for (guint k = 0; k < rows->n; k++)
    order.labels[order.n++] = rows->labels[k];
  for (guint k = 0; k < cols->n; k++)
    order.labels[order.n++] = cols->labels[k];
  if (!term_allocate (run, &packed, &order, error))
    return FALSE;
  if (!term_write (run, term, &order, packed.memory, error))
    {
      term_clear (&packed);
      return FALSE;
    }
  packed.labels = term->labels;
  term_clear (term);
  *term = packed;
  return TRUE;
}

void
term_init_ones (const Run *run, Term *term, guint64 labels)
{
  static const guint8 one8 = 1;
  static const guint16 one16 = 1;
  static const guint32 one32 = 1;
  static const guint64 one64 = 1;
  static const float complex64[2] = { 1, 0 };
  static const double complex128[2] = { 1, 0 };
  static const gconstpointer ones[CANDELA_N_DTYPES] = {
    [CANDELA_DTYPE_INT8] = &one8,         [CANDELA_DTYPE_UINT8] = &one8,
    [CANDELA_DTYPE_INT16] = &one16,       [CANDELA_DTYPE_UINT16] = &one16,
    [CANDELA_DTYPE_INT32] = &one32,       [CANDELA_DTYPE_UINT32] = &one32,
    [CANDELA_DTYPE_INT64] = &one64,       [CANDELA_DTYPE_UINT64] = &one64,
    [CANDELA_DTYPE_FLOAT32] = complex64,  [CANDELA_DTYPE_COMPLEX64] = complex64,
    [CANDELA_DTYPE_FLOAT64] = complex128, [CANDELA_DTYPE_COMPLEX128] = complex128,
  };

  *term = (Term){ .input = -1, .data = ones[run->dtype], .dtype = run->dtype, .labels = labels };
}

gboolean
term_find_stride (const Contraction *contraction, const Term *term, const Labels *labels, gint64 *stride)
{
  gint64 n = 1;

  *stride = 0;
  for (guint k = labels->n; k-- > 0;)
    {
      gint64 extent = contraction->extents[labels->labels[k]], own = term->strides[labels->labels[k]];

      if (extent == 1)
        continue;
      if (n == 1)
        *stride = own;
      else if (own != *stride * n)
        return FALSE;
      n *= extent;
    }
  return TRUE;
}
