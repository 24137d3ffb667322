/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels over whole values that are stored as float16 or bfloat16. A kernel that does
 * not take these is run as on float32: what it reads is widened, which changes no
 * value, and what it writes is rounded, once. Where it can do without its input in
 * memory, that is widened as it is read; else it is as a packed copy, which the run
 * holds for as long as the kernel runs. Element-wise ops have no part in this: tile.c
 * converts their operands tile by tile. */
#include <candela/exec/executor-private.h>
#include <candela/value/half-private.h>

/* Elements that one thread converts at a time. */
#define CHUNK (64 * 1024)
/* … and at most together, where they have to be packed before. */
#define PIECE 4096
#define FEW_INPUTS 8

typedef struct
{
  const CandelaKernel *stored; /* the call as it was asked for */
  CandelaKernel kernel;        /* … and as it is made */
  CandelaBuffer **in;          /* copies, or NULL */
  CandelaLayout **in_layouts;
  CandelaBuffer *out[CANDELA_MAX_OUTPUTS];
  gpointer outputs[CANDELA_MAX_OUTPUTS];
  CandelaLayout *out_layouts[CANDELA_MAX_OUTPUTS];
  CandelaDType out_dtypes[CANDELA_MAX_OUTPUTS];
  guint operand; /* that is being converted */
} Widening;

gboolean
candela_kernel_has_halves (const CandelaKernel *kernel)
{
  if (!candela_op_facts_widens (candela_op_get_facts (kernel->op)))
    return FALSE;
  for (guint i = 0; i < kernel->n_inputs; i++)
    if (candela_dtype_is_half (kernel->in_dtypes[i]))
      return TRUE;
  for (guint o = 0; o < kernel->n_outputs; o++)
    if (candela_dtype_is_half (kernel->out_dtypes[o]) && (kernel->outputs[o] != NULL || kernel->made != NULL))
      return TRUE;
  return FALSE;
}

/* ---- Inputs ---- */

/* Packed in its own dtype first, unless it lies so. */
static void
widen_elements (const CandelaKernel *stored, guint input, gint64 start, gsize n, float *out)
{
  CandelaDType dtype = stored->in_dtypes[input];
  const guint16 *in = candela_kernel_get_input (stored, input);
  guint16 packed[PIECE];

  if (in != NULL && candela_layout_is_contiguous (stored->in_layouts[input]))
    {
      candela_dtype_convert (dtype, in + start, CANDELA_DTYPE_FLOAT32, out, n);
      return;
    }
  for (gsize done = 0, part; done < n; done += part)
    {
      part = MIN (n - done, PIECE);
      candela_kernel_pack_input (stored, input, dtype, start + (gint64) done, part, packed);
      candela_dtype_convert (dtype, packed, CANDELA_DTYPE_FLOAT32, out + done, part);
    }
}

static void
feed_widened (gpointer data, gint64 start, gsize n, gpointer out)
{
  widen_elements (data, 0, start, n, out);
}

/* Of a half dtype, and no axis that stays lies behind one that is reduced. */
static gboolean
can_be_fed (const CandelaKernel *kernel)
{
  const CandelaOpInfo *info = candela_op_get_facts (kernel->op)->info;
  gboolean reduced = FALSE;
  guint32 axes;
  guint rank;

  if (!info->takes_fed || !candela_dtype_is_half (kernel->in_dtypes[0]))
    return FALSE;
  rank = candela_layout_get_rank (kernel->in_layouts[0]);
  axes = info->reduced_axes (kernel->params, rank);
  for (guint axis = 0; axis < rank; axis++)
    {
      if (reduced && (axes >> axis & 1) == 0)
        return FALSE;
      reduced = reduced || (axes >> axis & 1) != 0;
    }
  return reduced;
}

static CandelaLayout *
packed_layout (const CandelaLayout *layout, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);

  return candela_layout_new (shape, rank, error);
}

static void
widen_chunk (guint64 chunk, gpointer data)
{
  Widening *self = data;
  gint64 n = candela_layout_get_n_elements (self->stored->in_layouts[self->operand]);
  gint64 start = (gint64) chunk * CHUNK;

  widen_elements (self->stored, self->operand, start, (gsize) MIN (n - start, CHUNK),
                  (float *) (gpointer) self->in[self->operand]->data + start);
}

static gboolean
widen_input (Widening *self, guint i, gconstpointer *data, GError **error)
{
  gint64 n = candela_layout_get_n_elements (self->stored->in_layouts[i]);

  self->in_layouts[i] = packed_layout (self->stored->in_layouts[i], error);
  if (self->in_layouts[i] == NULL)
    return FALSE;
  self->in[i] = candela_buffer_new ((gsize) n * sizeof (float), error);
  if (self->in[i] == NULL)
    return FALSE;
  self->operand = i;
  candela_kernel_parallel_for (self->stored, ((guint64) n + CHUNK - 1) / CHUNK, widen_chunk, self);
  *data = self->in[i]->data;
  return TRUE;
}

/* ---- Outputs ---- */

static gboolean
make_output (Widening *self, guint o, GError **error)
{
  const CandelaKernel *stored = self->stored;

  self->outputs[o] = stored->outputs[o];
  self->out_dtypes[o] = stored->out_dtypes[o];
  if (stored->made != NULL)
    {
      self->out_dtypes[o] = candela_dtype_arithmetic (stored->out_dtypes[o]);
      return TRUE;
    }
  self->out_layouts[o] = candela_layout_ref (stored->out_layouts[o]);
  if (!candela_dtype_is_half (stored->out_dtypes[o]) || stored->outputs[o] == NULL)
    return TRUE;
  candela_layout_unref (self->out_layouts[o]);
  self->out_layouts[o] = packed_layout (stored->out_layouts[o], error);
  if (self->out_layouts[o] == NULL)
    return FALSE;
  self->out[o] =
    candela_buffer_new ((gsize) candela_layout_get_n_elements (stored->out_layouts[o]) * sizeof (float), error);
  if (self->out[o] == NULL)
    return FALSE;
  self->outputs[o] = self->out[o]->data;
  self->out_dtypes[o] = CANDELA_DTYPE_FLOAT32;
  return TRUE;
}

static void
narrow_chunk (guint64 chunk, gpointer data)
{
  Widening *self = data;
  gint64 n = candela_layout_get_n_elements (self->stored->out_layouts[self->operand]);
  gint64 start = (gint64) chunk * CHUNK;
  guint16 *out = candela_kernel_get_output (self->stored, self->operand);

  candela_dtype_convert (CANDELA_DTYPE_FLOAT32, (const float *) (gpointer) self->out[self->operand]->data + start,
                         self->stored->out_dtypes[self->operand], out + start, (gsize) MIN (n - start, CHUNK));
}

/* What the kernel has made itself, and which has the shape that it said. */
static gboolean
narrow_made (const CandelaKernel *stored, guint o, GError **error)
{
  g_autoptr (CandelaTensor) wide = g_steal_pointer (&stored->made[o]);
  CandelaLayout *layout = candela_tensor_get_layout (wide);
  gsize n = (gsize) candela_layout_get_n_elements (layout);
  g_autoptr (CandelaBuffer) buffer = candela_buffer_new (n * sizeof (guint16), error);

  if (buffer == NULL)
    return FALSE;
  candela_dtype_convert (CANDELA_DTYPE_FLOAT32, candela_tensor_get_buffer (wide)->data, stored->out_dtypes[o],
                         buffer->data, n);
  stored->made[o] = candela_tensor_new_for_buffer (stored->out_dtypes[o], layout, buffer);
  return TRUE;
}

static gboolean
narrow_outputs (Widening *self, GError **error)
{
  const CandelaKernel *stored = self->stored;

  for (guint o = 0; o < stored->n_outputs; o++)
    {
      gint64 n;

      if (stored->made != NULL && stored->made[o] != NULL && candela_dtype_is_half (stored->out_dtypes[o])
          && !narrow_made (stored, o, error))
        return FALSE;
      if (self->out[o] == NULL)
        continue;
      n = candela_layout_get_n_elements (stored->out_layouts[o]);
      self->operand = o;
      candela_kernel_parallel_for (stored, ((guint64) n + CHUNK - 1) / CHUNK, narrow_chunk, self);
    }
  return TRUE;
}

/* ---- The call ---- */

static gboolean
run_widened (Widening *self, gconstpointer *inputs, const CandelaLayout **layouts, CandelaDType *dtypes, GError **error)
{
  const CandelaKernel *stored = self->stored;
  gboolean fed = can_be_fed (stored);

  for (guint i = 0; i < stored->n_inputs; i++)
    {
      inputs[i] = fed ? NULL : stored->inputs[i];
      layouts[i] = stored->in_layouts[i];
      dtypes[i] = candela_dtype_arithmetic (stored->in_dtypes[i]);
      if (fed || dtypes[i] == stored->in_dtypes[i])
        continue;
      if (!widen_input (self, i, &inputs[i], error))
        return FALSE;
      layouts[i] = self->in_layouts[i];
    }
  for (guint o = 0; o < stored->n_outputs; o++)
    if (!make_output (self, o, error))
      return FALSE;

  self->kernel = *stored;
  self->kernel.inputs = inputs;
  self->kernel.in_layouts = layouts;
  self->kernel.in_dtypes = dtypes;
  self->kernel.outputs = self->outputs;
  self->kernel.out_layouts = self->out_layouts;
  self->kernel.out_dtypes = self->out_dtypes;
  /* What is final is so only when it has been rounded. */
  self->kernel.output_done = NULL;
  if (fed)
    {
      self->kernel.feed = feed_widened;
      self->kernel.feed_data = (gpointer) stored;
    }
  return CANDELA_OP_GET_CLASS (stored->op)->compute (stored->op, &self->kernel, error) && narrow_outputs (self, error);
}

gboolean
candela_kernel_compute_widened (const CandelaKernel *kernel, GError **error)
{
  guint n = kernel->n_inputs;
  gboolean many = n > FEW_INPUTS;
  CandelaBuffer *few_in[FEW_INPUTS] = { NULL };
  CandelaLayout *few_own[FEW_INPUTS] = { NULL };
  gconstpointer few_inputs[FEW_INPUTS];
  const CandelaLayout *few_layouts[FEW_INPUTS];
  CandelaDType few_dtypes[FEW_INPUTS];
  g_autofree CandelaBuffer **many_in = many ? g_new0 (CandelaBuffer *, n) : NULL;
  g_autofree CandelaLayout **many_own = many ? g_new0 (CandelaLayout *, n) : NULL;
  g_autofree gconstpointer *many_inputs = many ? g_new (gconstpointer, n) : NULL;
  g_autofree const CandelaLayout **many_layouts = many ? g_new (const CandelaLayout *, n) : NULL;
  g_autofree CandelaDType *many_dtypes = many ? g_new (CandelaDType, n) : NULL;
  Widening self = { .stored = kernel, .in = many ? many_in : few_in, .in_layouts = many ? many_own : few_own };
  gboolean ok = run_widened (&self, many ? many_inputs : few_inputs, many ? many_layouts : few_layouts,
                             many ? many_dtypes : few_dtypes, error);

  for (guint i = 0; i < n; i++)
    {
      g_clear_pointer (&self.in[i], candela_buffer_unref);
      g_clear_pointer (&self.in_layouts[i], candela_layout_unref);
    }
  for (guint o = 0; o < kernel->n_outputs; o++)
    {
      g_clear_pointer (&self.out[o], candela_buffer_unref);
      if (kernel->made == NULL)
        g_clear_pointer (&self.out_layouts[o], candela_layout_unref);
    }
  return ok;
}
