/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Inference: from dtypes and layouts of the inputs to those of the outputs. Run
 * when a node is built, and again by the planner where an input turned out to
 * have another layout than the graph says. */
#include <candela/op/op-private.h>
#include <candela/value/half-private.h>
#include <string.h>

void
candela_inference_init (CandelaInference *inference, CandelaOp *op, const CandelaParams *params, guint n_inputs,
                        const CandelaLayout *const *layouts, const CandelaDType *dtypes, CandelaDType promoted)
{
  *inference = (CandelaInference){ .op = op,
                                   .facts = candela_op_get_facts (op),
                                   .params = params,
                                   .n_inputs = n_inputs,
                                   .layouts = layouts,
                                   .dtypes = dtypes,
                                   .promoted = promoted,
                                   .compute_dtype = promoted };
}

void
candela_inference_clear (CandelaInference *inference)
{
  for (guint o = 0; o < inference->facts->n_outputs; o++)
    g_clear_pointer (&inference->out_layouts[o], candela_layout_unref);
}

/* ---- The defaults ---- */

/* The layout of a result of that shape: an input's own where it serves, so that
 * a chain of one shape shares one layout. */
static CandelaLayout *
broadcast_layout (CandelaInference *inference, GError **error)
{
  gint64 shape[CANDELA_MAX_RANK];
  guint rank;

  for (guint i = 0; i < inference->n_inputs; i++)
    {
      const CandelaLayout *layout = inference->layouts[i];
      gboolean widest = layout->contiguous && layout->offset == 0;

      for (guint k = 0; widest && k < inference->n_inputs; k++)
        widest = k == i || inference->layouts[k] == layout || inference->layouts[k]->rank == 0
                 || candela_layout_same_shape (inference->layouts[k], layout);
      if (widest)
        return candela_layout_ref ((CandelaLayout *) layout);
    }
  if (!candela_shape_broadcast (inference->layouts, inference->n_inputs, shape, &rank))
    {
      g_autoptr (GString) shapes = g_string_new (NULL);

      for (guint i = 0; i < inference->n_inputs; i++)
        {
          g_autofree char *text = candela_shape_to_string (inference->layouts[i]->dims, inference->layouts[i]->rank);

          g_string_append_printf (shapes, "%s%s has shape %s",
                                  i == 0                         ? ""
                                  : i == inference->n_inputs - 1 ? " and "
                                                                 : ", ",
                                  candela_op_facts_input (inference->facts, i)->name, text);
        }
      candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE, "%s: they cannot be broadcast together",
                              shapes->str);
      return NULL;
    }
  return candela_layout_new (shape, rank, error);
}

/**
 * candela_inference_broadcast: (skip)
 * @inference: an inference
 * @error: return location for an error
 *
 * Broadcasts the inputs' shapes as the array API standard says, and takes the
 * dtypes of the first kernel that the compute dtype can be cast to; of float16 or
 * bfloat16 what a kernel computes in float32 is stored as that. This is what an
 * element-wise op without an infer function of its own does.
 *
 * Returns: %FALSE on %CANDELA_ERROR_SHAPE or %CANDELA_ERROR_DTYPE
 *
 * Since: 1.0
 */
gboolean
candela_inference_broadcast (CandelaInference *inference, GError **error)
{
  CandelaLayout *layout;

  if (inference->facts->info->axes != CANDELA_AXES_ELEMENTWISE)
    return candela_inference_fail (inference, error, CANDELA_ERROR_PLUGIN, "it is not element-wise");
  if (!candela_inference_choose_kernel (inference, error))
    return FALSE;
  layout = broadcast_layout (inference, error);
  if (layout == NULL)
    return FALSE;
  for (guint o = 0; o < inference->facts->n_outputs; o++)
    {
      g_clear_pointer (&inference->out_layouts[o], candela_layout_unref);
      inference->out_layouts[o] = o == 0 ? layout : candela_layout_ref (layout);
      inference->out_dtypes[o] = candela_inference_stored_dtype (inference, o);
      inference->aliasing[o] = CANDELA_ALIASING_NONE;
    }
  return TRUE;
}

static gboolean
infer_by_declaration (CandelaInference *inference, GError **error)
{
  const CandelaOpInfo *info = inference->facts->info;

  if (info->axes == CANDELA_AXES_ELEMENTWISE)
    return candela_inference_broadcast (inference, error);
  if (inference->n_inputs == 0)
    return candela_inference_fail (inference, error, CANDELA_ERROR_PLUGIN, "its result has no shape");
  if (info->aliasing == CANDELA_ALIASING_TAKEOVER)
    return candela_inference_set_takeover (inference, 0, 0, error);
  candela_inference_set_alias (inference, 0, 0);
  return TRUE;
}

/* What infer answered must be an answer: planner and executor trust it. */

static gboolean
check_reference (const CandelaInference *inference, guint output, GError **error)
{
  gint64 first, end, input_first, input_end;

  candela_layout_get_extent (inference->out_layouts[output], &first, &end);
  candela_layout_get_extent (inference->layouts[inference->aliased_input[output]], &input_first, &input_end);
  if (end > first && (first < input_first || end > input_end))
    return candela_inference_fail (inference, error, CANDELA_ERROR_PLUGIN,
                                   "output %u refers to elements outside its input", output);
  return TRUE;
}

static gboolean
check_bytes (const CandelaInference *inference, guint output, GError **error)
{
  const CandelaLayout *layout = inference->out_layouts[output];
  gint64 bytes;

  if (!__builtin_mul_overflow (layout->n_elements, (gint64) candela_dtype_get_size (inference->out_dtypes[output]),
                               &bytes))
    return TRUE;

  g_autofree char *shape = candela_shape_to_string (layout->dims, layout->rank);
  return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                 "its result of shape %s and dtype %s has more bytes than can be counted", shape,
                                 candela_dtype_get_name (inference->out_dtypes[output]));
}

/* A loop writes all outputs, element by element over one shape, of its row's dtypes. */
static gboolean
check_loop (const CandelaInference *inference, GError **error)
{
  for (guint o = 0; o < inference->facts->n_outputs; o++)
    if (inference->out_dtypes[o] != candela_inference_stored_dtype (inference, o)
        || inference->aliasing[o] == CANDELA_ALIASING_ALIAS || inference->aliasing[o] == CANDELA_ALIASING_REFERENCE
        || !candela_layout_same_shape (inference->out_layouts[o], inference->out_layouts[0]))
      return candela_inference_fail (inference, error, CANDELA_ERROR_PLUGIN,
                                     "its infer function gives output %u a dtype, a shape or a buffer that its "
                                     "kernel does not",
                                     o);
  return TRUE;
}

static gboolean
check_answer (CandelaInference *inference, GError **error)
{
  const CandelaOpInfo *info = inference->facts->info;
  gboolean computes = FALSE;

  for (guint o = 0; o < inference->facts->n_outputs; o++)
    {
      if (inference->out_layouts[o] == NULL || inference->out_dtypes[o] == CANDELA_DTYPE_INVALID
          || (guint) inference->out_dtypes[o] >= CANDELA_N_DTYPES)
        return candela_inference_fail (inference, error, CANDELA_ERROR_PLUGIN, "its infer function left output %u out",
                                       o);
      if (inference->aliasing[o] == CANDELA_ALIASING_ALIAS)
        continue;
      if (inference->aliasing[o] == CANDELA_ALIASING_REFERENCE)
        {
          if (!check_reference (inference, o, error))
            return FALSE;
          continue;
        }
      computes = TRUE;
      if (!check_bytes (inference, o, error))
        return FALSE;
    }
  /* What is not computed for these layouts may be for others, by the same kernel. */
  if (inference->kernel == NULL)
    inference->kernel = candela_inference_find_kernel (inference);
  if (!computes)
    return TRUE;
  if (inference->kernel == NULL && info->kernels != NULL)
    return candela_inference_choose_kernel (inference, error);
  if (inference->kernel == NULL && !inference->facts->computes)
    return candela_inference_fail (inference, error, CANDELA_ERROR_PLUGIN, "it has no kernel");
  return info->axes != CANDELA_AXES_ELEMENTWISE || !inference->facts->infers || check_loop (inference, error);
}

static gboolean
run_as_given (CandelaInference *inference, GError **error)
{
  const CandelaOpInfo *info = inference->facts->info;
  GError *local = NULL;
  gboolean done;

  if (!inference->facts->infers)
    done = infer_by_declaration (inference, &local);
  else
    done = CANDELA_OP_GET_CLASS (inference->op)->infer (inference->op, inference, &local);
  if (done && local == NULL && check_answer (inference, &local))
    return TRUE;

  /* The layout algebra does not know for whom it works. */
  if (local == NULL)
    candela_inference_fail (inference, &local, CANDELA_ERROR_PARAMETER, "the op refused its inputs and gave no reason");
  else if (!(g_str_has_prefix (local->message, info->name) && local->message[strlen (info->name)] == ':'))
    g_prefix_error (&local, "%s: ", info->name);
  g_propagate_error (error, local);
  return FALSE;
}

/* Whether the dtype of a result was asked for. */
static gboolean
is_dtype_given (const CandelaInference *inference)
{
  const CandelaParamInfo *params = inference->facts->info->params;

  for (guint i = 0; i < inference->facts->n_params; i++)
    if (params[i].type == CANDELA_PARAM_DTYPE && candela_params_is_set (inference->params, i))
      return TRUE;
  return FALSE;
}

static CandelaDType
first_half (const CandelaInference *inference)
{
  guint i = 0;

  while (!candela_dtype_is_half (inference->dtypes[i]))
    i++;
  return inference->dtypes[i];
}

/* As of float32; what is an input all the same stays of that input's dtype. */
static gboolean
run_widened (CandelaInference *inference, GError **error)
{
  const CandelaDType *given = inference->dtypes;
  CandelaDType promoted = inference->promoted;
  CandelaDType few[CANDELA_MAX_LOOP_INPUTS];
  g_autofree CandelaDType *many =
    inference->n_inputs > G_N_ELEMENTS (few) ? g_new (CandelaDType, inference->n_inputs) : NULL;
  CandelaDType *wide = many != NULL ? many : few;
  gboolean ok;

  for (guint i = 0; i < inference->n_inputs; i++)
    wide[i] = candela_dtype_arithmetic (given[i]);
  inference->dtypes = wide;
  inference->promoted = inference->compute_dtype = candela_dtype_arithmetic (promoted);
  ok = run_as_given (inference, error);
  inference->dtypes = given;
  inference->promoted = promoted;
  for (guint o = 0; ok && o < inference->facts->n_outputs; o++)
    if (inference->aliasing[o] != CANDELA_ALIASING_NONE)
      inference->out_dtypes[o] = given[inference->aliased_input[o]];
    else if (inference->out_dtypes[o] == CANDELA_DTYPE_FLOAT32 && promoted != CANDELA_DTYPE_FLOAT32
             && !is_dtype_given (inference))
      inference->out_dtypes[o] = first_half (inference);
  return ok;
}

gboolean
candela_inference_run (CandelaInference *inference, GError **error)
{
  gboolean halves = FALSE;

  for (guint i = 0; i < inference->n_inputs; i++)
    halves = halves || candela_dtype_is_half (inference->dtypes[i]);
  return halves && candela_op_facts_widens (inference->facts) ? run_widened (inference, error)
                                                              : run_as_given (inference, error);
}

/* ---- For infer functions ---- */

/**
 * candela_inference_get_params: (skip)
 * @inference: an inference
 *
 * The node's parameters.
 *
 * Returns: (transfer none): the parameters, in the order of the op's table
 *
 * Since: 1.0
 */
const CandelaParams *
candela_inference_get_params (const CandelaInference *inference)
{
  return inference->params;
}

/**
 * candela_inference_get_n_inputs: (skip)
 * @inference: an inference
 *
 * How many inputs there are.
 *
 * Returns: their number
 *
 * Since: 1.0
 */
guint
candela_inference_get_n_inputs (const CandelaInference *inference)
{
  return inference->n_inputs;
}

/**
 * candela_inference_get_input_layout: (skip)
 * @inference: an inference
 * @input: which input
 *
 * The layout of an input.
 *
 * Returns: (transfer none) (nullable): the layout; %NULL if there is no such input
 *
 * Since: 1.0
 */
const CandelaLayout *
candela_inference_get_input_layout (const CandelaInference *inference, guint input)
{
  return input < inference->n_inputs ? inference->layouts[input] : NULL;
}

/**
 * candela_inference_get_input_dtype: (skip)
 * @inference: an inference
 * @input: which input
 *
 * The dtype of an input.
 *
 * Returns: the dtype; %CANDELA_DTYPE_INVALID if there is no such input
 *
 * Since: 1.0
 */
CandelaDType
candela_inference_get_input_dtype (const CandelaInference *inference, guint input)
{
  return input < inference->n_inputs ? inference->dtypes[input] : CANDELA_DTYPE_INVALID;
}

/**
 * candela_inference_get_promoted_dtype: (skip)
 * @inference: an inference
 *
 * The dtype to which the inputs are promoted, those with a fixed dtype left out.
 *
 * Returns: the dtype; %CANDELA_DTYPE_INVALID if no input takes part
 *
 * Since: 1.0
 */
CandelaDType
candela_inference_get_promoted_dtype (const CandelaInference *inference)
{
  return inference->promoted;
}

/**
 * candela_inference_set_compute_dtype: (skip)
 * @inference: an inference
 * @dtype: a dtype
 *
 * Says as what dtype the kernel reads its inputs, where that is not the promoted
 * one. To be called before candela_inference_broadcast().
 *
 * Since: 1.0
 */
void
candela_inference_set_compute_dtype (CandelaInference *inference, CandelaDType dtype)
{
  inference->compute_dtype = dtype;
}

/**
 * candela_inference_set_output: (skip)
 * @inference: an inference
 * @output: which output
 * @dtype: its dtype
 * @shape: (array length=n_dims): its shape
 * @n_dims: the number of its axes
 * @error: return location for an error
 *
 * An output with a buffer of its own, packed and row-major.
 *
 * Returns: %FALSE on %CANDELA_ERROR_SHAPE
 *
 * Since: 1.0
 */
gboolean
candela_inference_set_output (CandelaInference *inference, guint output, CandelaDType dtype, const gint64 *shape,
                              gsize n_dims, GError **error)
{
  if (output >= inference->facts->n_outputs)
    return candela_inference_fail (inference, error, CANDELA_ERROR_PLUGIN, "it has no output %u", output);

  g_clear_pointer (&inference->out_layouts[output], candela_layout_unref);
  inference->out_layouts[output] = candela_layout_new (shape, n_dims, error);
  inference->out_dtypes[output] = dtype;
  inference->aliasing[output] = CANDELA_ALIASING_NONE;
  return inference->out_layouts[output] != NULL;
}

static void
set_aliasing (CandelaInference *inference, guint output, guint input, CandelaAliasing aliasing, CandelaLayout *layout)
{
  if (output >= inference->facts->n_outputs || input >= inference->n_inputs)
    {
      candela_layout_unref (layout);
      return;
    }
  g_clear_pointer (&inference->out_layouts[output], candela_layout_unref);
  inference->out_layouts[output] = layout;
  inference->out_dtypes[output] = inference->dtypes[input];
  inference->aliasing[output] = aliasing;
  inference->aliased_input[output] = input;
}

/**
 * candela_inference_set_reference: (skip)
 * @inference: an inference
 * @output: which output
 * @input: which input
 * @layout: (transfer full): a layout over the input's buffer
 *
 * An output that is the input's buffer under another layout.
 *
 * Since: 1.0
 */
void
candela_inference_set_reference (CandelaInference *inference, guint output, guint input, CandelaLayout *layout)
{
  if (layout != NULL)
    set_aliasing (inference, output, input, CANDELA_ALIASING_REFERENCE, layout);
}

/**
 * candela_inference_set_alias: (skip)
 * @inference: an inference
 * @output: which output
 * @input: which input
 *
 * An output that is the input.
 *
 * Since: 1.0
 */
void
candela_inference_set_alias (CandelaInference *inference, guint output, guint input)
{
  if (input < inference->n_inputs)
    set_aliasing (inference, output, input, CANDELA_ALIASING_ALIAS,
                  candela_layout_ref ((CandelaLayout *) inference->layouts[input]));
}

/**
 * candela_inference_set_takeover: (skip)
 * @inference: an inference
 * @output: which output
 * @input: which input
 * @error: return location for an error
 *
 * An output with the input's values in a packed buffer of its own, which from
 * then on stands for the input.
 *
 * Returns: %FALSE on %CANDELA_ERROR_SHAPE
 *
 * Since: 1.0
 */
gboolean
candela_inference_set_takeover (CandelaInference *inference, guint output, guint input, GError **error)
{
  CandelaLayout *layout;

  if (input >= inference->n_inputs)
    return candela_inference_fail (inference, error, CANDELA_ERROR_PLUGIN, "it has no input %u", input);
  layout = candela_layout_new (inference->layouts[input]->dims, inference->layouts[input]->rank, error);
  if (layout == NULL)
    return FALSE;
  set_aliasing (inference, output, input, CANDELA_ALIASING_TAKEOVER, layout);
  return TRUE;
}

/**
 * candela_inference_fail: (skip)
 * @inference: an inference
 * @error: return location for the error
 * @code: what kind of error
 * @format: a format, as for printf()
 * @...: its arguments
 *
 * Sets an error whose message begins with the op's name.
 *
 * Returns: %FALSE, to be returned
 *
 * Since: 1.0
 */
gboolean
candela_inference_fail (const CandelaInference *inference, GError **error, CandelaError code, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, CANDELA_ERROR, code, "%s: %s", inference->facts->info->name, message);
  return FALSE;
}
