/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops of foreign functions over arrays: such a function is called once for each row,
 * or once for all elements. What it reads it is given where it lies, if that is of its
 * type, and packed or of a stride that it takes; all else is packed before. The axes
 * before the rows broadcast. */
#include <candela/op/foreign-private.h>

#include <candela/value/buffer-private.h>
#include <string.h>

/* Elements for which it is worth to take up another piece of the work. */
#define CHUNK_ELEMENTS 16384

typedef CandelaForeignArgument Argument;

static gint64
row_length (const CandelaForeign *foreign, const CandelaLayout *layout)
{
  return foreign->whole ? layout->n_elements : layout->dims[layout->rank - 1];
}

/* ---- Inference ---- */

/* The broadcast shape of all axes but the last. */
static gboolean
broadcast_rows (CandelaInference *inference, gint64 *shape, guint *rank, GError **error)
{
  const CandelaForeign *foreign = candela_foreign_from_params (inference->params);

  *rank = 0;
  for (guint i = 0; !foreign->whole && i < inference->n_inputs; i++)
    *rank = MAX (*rank, inference->layouts[i]->rank - 1u);
  for (guint k = 0; k < *rank; k++)
    shape[k] = 1;
  for (guint i = 0; !foreign->whole && i < inference->n_inputs; i++)
    for (guint k = 0; k + 1 < inference->layouts[i]->rank; k++)
      {
        gint64 *extent = &shape[*rank - (inference->layouts[i]->rank - 1) + k], given = inference->layouts[i]->dims[k];

        if (*extent == 1)
          *extent = given;
        else if (given != 1 && given != *extent)
          {
            g_autofree char *first = candela_layout_to_string (inference->layouts[0]);
            g_autofree char *other = candela_layout_to_string (inference->layouts[i]);

            return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                           "the rows of %s, %s, and of %s, %s, cannot be broadcast together",
                                           foreign->input_infos[0].name, first, foreign->input_infos[i].name, other);
          }
      }
  return TRUE;
}

/* The values of lengths, by argument; those of inputs must agree. */
static gboolean
find_lengths (CandelaInference *inference, gint64 *lengths, GError **error)
{
  const CandelaForeign *foreign = candela_foreign_from_params (inference->params);
  const Argument *arguments = foreign->signature.arguments;
  guint first[CANDELA_FOREIGN_MAX_ARGUMENTS];

  for (guint k = 0; k < foreign->signature.n_arguments; k++)
    lengths[k] = arguments[k].role == CANDELA_FOREIGN_LENGTH && arguments[k].parameter != G_MAXUINT
                   ? candela_params_get_int (inference->params, arguments[k].parameter)
                   : -1;
  for (guint i = 0; i < inference->n_inputs; i++)
    {
      const Argument *argument = &arguments[foreign->inputs[i]];
      const char *name = argument->name;
      guint bits;
      gint64 n;

      if (argument->length == G_MAXUINT)
        continue;
      n = row_length (foreign, inference->layouts[i]);
      bits = 8 * candela_dtype_get_size (arguments[argument->length].type.dtype);
      if (bits < 64 && n >= G_GINT64_CONSTANT (1) << (bits - 1))
        return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                       "%s has %" G_GINT64_FORMAT " elements, more than its argument %s can tell", name,
                                       n, arguments[argument->length].name);
      if (lengths[argument->length] >= 0 && arguments[argument->length].parameter != G_MAXUINT
          && lengths[argument->length] > n)
        return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                       "%s is %" G_GINT64_FORMAT ", and %s has only %" G_GINT64_FORMAT " elements",
                                       arguments[argument->length].name, lengths[argument->length], name, n);
      if (lengths[argument->length] >= 0 && arguments[argument->length].parameter == G_MAXUINT
          && lengths[argument->length] != n)
        return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                       "%s has %" G_GINT64_FORMAT " elements%s and %s %" G_GINT64_FORMAT
                                       "; they must be as many",
                                       foreign->input_infos[first[argument->length]].name, lengths[argument->length],
                                       foreign->whole ? "" : " in a row", name, n);
      if (lengths[argument->length] < 0)
        {
          lengths[argument->length] = n;
          first[argument->length] = i;
        }
    }
  return TRUE;
}

/* The input from which an output has its shape, or NULL. */
static const CandelaLayout *
find_model (const CandelaInference *inference, const Argument *output)
{
  const CandelaForeign *foreign = candela_foreign_from_params (inference->params);

  if (output->input != G_MAXUINT)
    return inference->layouts[output->input];
  for (guint i = 0; i < inference->n_inputs; i++)
    if (foreign->signature.arguments[foreign->inputs[i]].length == output->length)
      return inference->layouts[i];
  return NULL;
}

static gboolean
set_outputs (CandelaInference *inference, const gint64 *lengths, gint64 *shape, guint rank, GError **error)
{
  const CandelaForeign *foreign = candela_foreign_from_params (inference->params);

  for (guint o = 0; o < foreign->n_outputs; o++)
    {
      const Argument *output =
        foreign->outputs[o] != G_MAXUINT ? &foreign->signature.arguments[foreign->outputs[o]] : NULL;
      CandelaDType dtype = output != NULL ? output->type.dtype : foreign->signature.result.dtype;
      const CandelaLayout *model = output != NULL ? find_model (inference, output) : NULL;
      gboolean ok;

      if (output == NULL)
        ok = candela_inference_set_output (inference, o, dtype, shape, rank, error);
      else if (foreign->whole && model != NULL)
        ok = candela_inference_set_output (inference, o, dtype, model->dims, model->rank, error);
      else
        {
          shape[rank] = model != NULL ? row_length (foreign, model) : lengths[output->length];
          ok = candela_inference_set_output (inference, o, dtype, shape, rank + 1, error);
        }
      if (!ok)
        return FALSE;
    }
  return TRUE;
}

gboolean
candela_foreign_array_infer (CandelaInference *inference, GError **error)
{
  const CandelaForeign *foreign = candela_foreign_from_params (inference->params);
  gint64 lengths[CANDELA_FOREIGN_MAX_ARGUMENTS], shape[CANDELA_MAX_RANK + 1];
  guint rank;

  if (!candela_foreign_check_inputs (inference, error))
    return FALSE;
  for (guint i = 0; !foreign->whole && i < inference->n_inputs; i++)
    if (inference->layouts[i]->rank == 0)
      return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE, "%s has no axis for rows",
                                     foreign->input_infos[i].name);
  return find_lengths (inference, lengths, error) && broadcast_rows (inference, shape, &rank, error)
         && set_outputs (inference, lengths, shape, rank, error);
}

/* ---- Computing ---- */

typedef struct
{
  CandelaLayout *layout; /* broadcast to all rows */
  gint64 length, stride; /* of a row */
  gboolean direct;       /* read where it lies */
  gsize scratch;         /* where it is packed, if it is not */
} Input;

typedef struct
{
  CandelaKernel *kernel;
  const CandelaForeign *foreign;
  Input inputs[CANDELA_MAX_LOOP_INPUTS];
  gint64 out_lengths[CANDELA_MAX_OUTPUTS];
  gsize out_sizes[CANDELA_MAX_OUTPUTS];
  guint64 constants[CANDELA_FOREIGN_MAX_ARGUMENTS]; /* parameters, lengths, strides */
  guint64 n_rows, rows_per_chunk;
  gsize scratch;
  GMutex lock;
  guint64 failed_row; /* the first whose status is not 0 */
  gint64 status;
  gboolean no_memory;
} Rows;

static void
store_integer (const CandelaForeignType *type, gint64 value, gpointer out)
{
  gsize size = candela_dtype_get_size (type->dtype);

  if (size == 1)
    *(gint8 *) out = (gint8) value;
  else if (size == 2)
    *(gint16 *) out = (gint16) value;
  else if (size == 4)
    *(gint32 *) out = (gint32) value;
  else
    *(gint64 *) out = value;
}

static gint64
load_integer (CandelaDType dtype, gconstpointer in)
{
  gsize size = candela_dtype_get_size (dtype);

  return size == 1   ? *(const gint8 *) in
         : size == 2 ? *(const gint16 *) in
         : size == 4 ? *(const gint32 *) in
                     : *(const gint64 *) in;
}

/* A row's first element, from the buffer on. */
static gint64
row_offset (const CandelaLayout *layout, guint64 row)
{
  gint64 offset = layout->offset;

  for (guint axis = layout->rank - 1; axis-- > 0;)
    {
      offset += (gint64) (row % layout->dims[axis]) * layout->strides[axis];
      row /= layout->dims[axis];
    }
  return offset;
}

static gboolean
prepare_input (Rows *rows, guint i, GError **error)
{
  const CandelaForeign *foreign = rows->foreign;
  const Argument *argument = &foreign->signature.arguments[foreign->inputs[i]];
  const CandelaLayout *given = rows->kernel->in_layouts[i];
  const CandelaLayout *out = rows->kernel->out_layouts[0];
  guint n_leading = foreign->outputs[0] == G_MAXUINT ? out->rank : out->rank - 1u;
  gint64 shape[CANDELA_MAX_RANK + 1];
  Input *input = &rows->inputs[i];
  gboolean one_stride;

  input->length = row_length (foreign, given);
  if (foreign->whole)
    input->layout = candela_layout_ref ((CandelaLayout *) given);
  else
    {
      memcpy (shape, out->dims, n_leading * sizeof (gint64));
      shape[n_leading] = input->length;
      input->layout = candela_layout_broadcast (given, shape, n_leading + 1, error);
      if (input->layout == NULL)
        return FALSE;
    }
  one_stride =
    candela_layout_find_stride (input->layout, foreign->whole ? 0 : n_leading, input->layout->rank, &input->stride);
  if (input->length <= 1)
    input->stride = 1;
  input->direct = one_stride && argument->output == G_MAXUINT && rows->kernel->in_dtypes[i] == argument->type.dtype
                  && (input->stride == 1 || (argument->stride != G_MAXUINT && input->stride > 0));
  if (input->direct || argument->output != G_MAXUINT)
    return TRUE;
  input->stride = 1;
  input->scratch = rows->scratch;
  rows->scratch += input->length * candela_dtype_get_size (argument->type.dtype);
  rows->scratch += -rows->scratch % CANDELA_ALIGNMENT;
  return TRUE;
}

static void
prepare_constants (Rows *rows)
{
  const CandelaForeign *foreign = rows->foreign;
  const Argument *arguments = foreign->signature.arguments;

  for (guint k = 0; k < foreign->signature.n_arguments; k++)
    {
      gint64 value = 1;

      if (arguments[k].parameter != G_MAXUINT)
        {
          candela_foreign_read_param (&arguments[k], rows->kernel->params, &rows->constants[k]);
          continue;
        }
      if (arguments[k].type.pointer)
        continue;
      if (arguments[k].role == CANDELA_FOREIGN_STRIDE && arguments[arguments[k].array].input != G_MAXUINT
          && arguments[arguments[k].array].output == G_MAXUINT)
        value = rows->inputs[arguments[arguments[k].array].input].stride;
      for (guint i = foreign->n_inputs; arguments[k].role == CANDELA_FOREIGN_LENGTH && i-- > 0;)
        if (arguments[foreign->inputs[i]].length == k)
          value = rows->inputs[i].length;
      store_integer (&arguments[k].type, value, &rows->constants[k]);
    }
}

static gboolean
rows_init (Rows *rows, CandelaKernel *kernel, GError **error)
{
  const CandelaForeign *foreign = rows->foreign = candela_foreign_from_params (kernel->params);
  gint64 longest = 1;

  rows->kernel = kernel;
  rows->failed_row = G_MAXUINT64;
  rows->n_rows = 1;
  for (guint i = 0; i < foreign->n_inputs; i++)
    {
      if (!prepare_input (rows, i, error))
        return FALSE;
      longest = MAX (longest, rows->inputs[i].length);
    }
  for (guint o = 0; o < foreign->n_outputs; o++)
    {
      const CandelaLayout *layout = kernel->out_layouts[o];

      rows->out_lengths[o] = foreign->outputs[o] == G_MAXUINT ? 1 : row_length (foreign, layout);
      rows->out_sizes[o] = candela_dtype_get_size (kernel->out_dtypes[o]);
      longest = MAX (longest, rows->out_lengths[o]);
    }
  for (guint axis = 0; !foreign->whole && axis + 1 < rows->inputs[0].layout->rank; axis++)
    rows->n_rows *= rows->inputs[0].layout->dims[axis];
  rows->rows_per_chunk = MAX (1, CHUNK_ELEMENTS / longest);
  prepare_constants (rows);
  g_mutex_init (&rows->lock);
  return TRUE;
}

static void
rows_clear (Rows *rows)
{
  for (guint i = 0; i < rows->foreign->n_inputs; i++)
    g_clear_pointer (&rows->inputs[i].layout, candela_layout_unref);
}

/* The addresses of what a row is read from and written to. */
static void
point_to_row (Rows *rows, guint64 row, guint8 *scratch, gpointer *pointers)
{
  const CandelaForeign *foreign = rows->foreign;
  static guint64 nothing[2];

  for (guint o = 0; o < foreign->n_outputs; o++)
    if (foreign->outputs[o] != G_MAXUINT)
      pointers[foreign->outputs[o]] =
        (guint8 *) candela_kernel_get_output (rows->kernel, o) + row * rows->out_lengths[o] * rows->out_sizes[o];
  for (guint i = 0; i < foreign->n_inputs; i++)
    {
      guint k = foreign->inputs[i];
      const Argument *argument = &foreign->signature.arguments[k];
      const Input *input = &rows->inputs[i];

      if (input->direct)
        pointers[k] = (guint8 *) rows->kernel->inputs[i]
                      + (foreign->whole ? input->layout->offset : row_offset (input->layout, row))
                          * (gint64) candela_dtype_get_size (argument->type.dtype);
      else
        {
          if (argument->output == G_MAXUINT)
            pointers[k] = scratch + input->scratch;
          candela_kernel_pack_layout (rows->kernel, i, input->layout, argument->type.dtype, row * input->length,
                                      input->length, pointers[k]);
        }
    }
  for (guint k = 0; k < foreign->signature.n_arguments; k++)
    if (foreign->signature.arguments[k].type.pointer && pointers[k] == NULL)
      pointers[k] = nothing;
}

/* FALSE if the function says that it failed. */
static gboolean
run_row (Rows *rows, guint64 row, guint8 *scratch)
{
  const CandelaForeign *foreign = rows->foreign;
  gpointer pointers[CANDELA_FOREIGN_MAX_ARGUMENTS] = { NULL }, values[CANDELA_FOREIGN_MAX_ARGUMENTS];
  guint64 result = 0;

  point_to_row (rows, row, scratch, pointers);
  for (guint k = 0; k < foreign->signature.n_arguments; k++)
    values[k] =
      candela_foreign_is_array (&foreign->signature.arguments[k]) ? (gpointer) &pointers[k] : &rows->constants[k];
  foreign->invoke (foreign, &result, values);
  for (guint o = 0; o < foreign->n_outputs; o++)
    if (foreign->outputs[o] == G_MAXUINT)
      memcpy ((guint8 *) candela_kernel_get_output (rows->kernel, o) + row * rows->out_sizes[o], &result,
              rows->out_sizes[o]);
  if (foreign->returns == CANDELA_FOREIGN_RETURNS_STATUS)
    {
      gint64 status = load_integer (foreign->signature.result.dtype, &result);

      if (status == 0)
        return TRUE;
      g_mutex_lock (&rows->lock);
      if (row < rows->failed_row)
        {
          rows->failed_row = row;
          rows->status = status;
        }
      g_mutex_unlock (&rows->lock);
      return FALSE;
    }
  return TRUE;
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  Rows *rows = data;
  guint64 end = MIN ((chunk + 1) * rows->rows_per_chunk, rows->n_rows);
  g_autoptr (CandelaBuffer) scratch = NULL;

  if (g_cancellable_is_cancelled (candela_kernel_get_cancellable (rows->kernel)))
    return;
  if (rows->scratch > 0)
    {
      scratch = candela_buffer_new (rows->scratch, NULL);
      if (scratch == NULL)
        {
          g_mutex_lock (&rows->lock);
          rows->no_memory = TRUE;
          g_mutex_unlock (&rows->lock);
          return;
        }
    }
  for (guint64 row = chunk * rows->rows_per_chunk; row < end; row++)
    if (!run_row (rows, row, scratch != NULL ? scratch->data : NULL))
      return;
}

gboolean
candela_foreign_array_compute (CandelaKernel *kernel, GError **error)
{
  Rows rows = { 0 };
  gboolean any = FALSE, ok = rows_init (&rows, kernel, error);

  for (guint o = 0; ok && o < kernel->n_outputs; o++)
    any = any || kernel->out_layouts[o]->n_elements > 0;
  if (ok && any)
    candela_kernel_parallel_for (kernel, (rows.n_rows + rows.rows_per_chunk - 1) / rows.rows_per_chunk, run_chunk,
                                 &rows);
  rows_clear (&rows);
  if (!ok || g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error))
    return FALSE;
  if (rows.no_memory)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "%s: no memory for %" G_GSIZE_FORMAT " bytes",
                 candela_op_get_name (kernel->op), rows.scratch);
  else if (rows.failed_row != G_MAXUINT64)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_VALUE,
                 rows.foreign->whole ? "%s: %s returned %" G_GINT64_FORMAT
                                     : "%s: %s returned %" G_GINT64_FORMAT " for row %" G_GUINT64_FORMAT,
                 candela_op_get_name (kernel->op), rows.foreign->symbol, rows.status, rows.failed_row);
  return !rows.no_memory && rows.failed_row == G_MAXUINT64;
}
