/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One call of a script op: tensors over the memory of the run, which they keep alive for
 * whoever holds one too long. */
#include <candela/op/script-private.h>

#include <candela/op/params-private.h>
#include <candela/value/tensor-private.h>

struct _CandelaScriptCall
{
  GObject parent_instance;

  CandelaKernel *kernel;       /* NULL once the function has returned */
  GPtrArray *inputs, *outputs; /* CandelaTensor; an output whose shape has not been said is NULL */
  GVariant *params;
};

G_DEFINE_TYPE (CandelaScriptCall, candela_script_call, G_TYPE_OBJECT)

static void
candela_script_call_finalize (GObject *object)
{
  CandelaScriptCall *call = CANDELA_SCRIPT_CALL (object);

  g_ptr_array_unref (call->inputs);
  g_ptr_array_unref (call->outputs);
  g_clear_pointer (&call->params, g_variant_unref);
  G_OBJECT_CLASS (candela_script_call_parent_class)->finalize (object);
}

static void
candela_script_call_class_init (CandelaScriptCallClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = candela_script_call_finalize;
}

static void
output_unref (gpointer tensor)
{
  if (tensor != NULL)
    g_object_unref (tensor);
}

static void
candela_script_call_init (CandelaScriptCall *call)
{
  call->inputs = g_ptr_array_new_with_free_func (g_object_unref);
  call->outputs = g_ptr_array_new_with_free_func (output_unref);
}

static GVariant *
scalar_to_variant (const CandelaParams *params, guint k)
{
  double real, imaginary;

  switch (candela_params_get_scalar_kind (params, k))
    {
    case CANDELA_DTYPE_BOOL:
      return g_variant_new_boolean (candela_params_get_bool (params, k));
    case CANDELA_DTYPE_INT64:
      return g_variant_new_int64 (candela_params_get_int (params, k));
    case CANDELA_DTYPE_UINT64:
      return g_variant_new_uint64 (candela_params_get_uint (params, k));
    case CANDELA_DTYPE_COMPLEX128:
      candela_params_get_complex (params, k, &real, &imaginary);
      return g_variant_new ("(dd)", real, imaginary);
    default:
      return g_variant_new_double (candela_params_get_float (params, k));
    }
}

static GVariant *
value_to_variant (const CandelaParams *params, guint k)
{
  const gint64 *items;
  gsize n;

  switch (params->info[k].type)
    {
    case CANDELA_PARAM_BOOL:
      return g_variant_new_boolean (candela_params_get_bool (params, k));
    case CANDELA_PARAM_INT:
      return g_variant_new_int64 (candela_params_get_int (params, k));
    case CANDELA_PARAM_FLOAT:
      return g_variant_new_double (candela_params_get_float (params, k));
    case CANDELA_PARAM_STRING:
      return g_variant_new_string (candela_params_get_string (params, k));
    case CANDELA_PARAM_DTYPE:
      return g_variant_new_string (candela_dtype_get_name (candela_params_get_dtype (params, k)));
    case CANDELA_PARAM_INT_LIST:
      items = candela_params_get_int_list (params, k, &n);
      return g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, items, n, sizeof *items);
    case CANDELA_PARAM_SCALAR:
    default:
      return scalar_to_variant (params, k);
    }
}

GVariant *
candela_script_params_to_variant (const CandelaParams *params)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  for (guint k = 0; k < params->n; k++)
    if (candela_params_is_set (params, k))
      g_variant_builder_add (&builder, "{sv}", params->info[k].name, value_to_variant (params, k));
  return g_variant_builder_end (&builder);
}

/* An operand as a tensor. Where the caller does not say how, it sees to it that the memory
 * stays. */
static CandelaTensor *
share (CandelaKernel *kernel, guint index, gboolean output, GError **error)
{
  CandelaDType dtype = output ? kernel->out_dtypes[index] : kernel->in_dtypes[index];
  const CandelaLayout *layout = output ? kernel->out_layouts[index] : kernel->in_layouts[index];
  gpointer data = output ? kernel->outputs[index] : (gpointer) kernel->inputs[index];
  g_autoptr (CandelaBuffer) buffer = NULL;
  gboolean read_only = !output;
  gsize bytes;

  if (kernel->share != NULL)
    return kernel->share (kernel->share_data, index, output, error);
  if (!candela_tensor_count_bytes (dtype, layout, &bytes))
    bytes = G_MAXSIZE;
  for (guint o = 0; o < kernel->n_outputs; o++)
    read_only = read_only && kernel->outputs[o] != data;
  buffer = candela_buffer_new_foreign (data, bytes, read_only, NULL, NULL);
  return candela_tensor_new_for_buffer (dtype, (CandelaLayout *) layout, buffer);
}

CandelaScriptCall *
candela_script_call_new (CandelaKernel *kernel, GError **error)
{
  g_autoptr (CandelaScriptCall) call = g_object_new (CANDELA_TYPE_SCRIPT_CALL, NULL);

  for (guint k = 0; k < kernel->n_inputs + kernel->n_outputs; k++)
    {
      gboolean output = k >= kernel->n_inputs;
      CandelaTensor *tensor = NULL;

      if (!output || kernel->made == NULL)
        {
          tensor = share (kernel, output ? k - kernel->n_inputs : k, output, error);
          if (tensor == NULL)
            return NULL;
        }
      g_ptr_array_add (output ? call->outputs : call->inputs, tensor);
    }
  call->kernel = kernel;
  call->params = g_variant_ref_sink (candela_script_params_to_variant (kernel->params));
  return g_steal_pointer (&call);
}

void
candela_script_call_end (CandelaScriptCall *call)
{
  call->kernel = NULL;
  g_ptr_array_set_size (call->inputs, 0);
  g_ptr_array_set_size (call->outputs, 0);
}

/**
 * candela_script_call_get_n_inputs:
 * @call: a call that has not returned
 *
 * Returns: how many inputs there are; 0 once the function has returned
 *
 * Since: 1.0
 */
guint
candela_script_call_get_n_inputs (CandelaScriptCall *call)
{
  g_return_val_if_fail (CANDELA_IS_SCRIPT_CALL (call), 0);

  return call->inputs->len;
}

/**
 * candela_script_call_get_input:
 * @call: a call that has not returned
 * @input: which one, from 0 on
 *
 * An input, over the memory of the run: it may be in any layout.
 *
 * Returns: (transfer none) (nullable): the input; %NULL if there is none
 *
 * Since: 1.0
 */
CandelaTensor *
candela_script_call_get_input (CandelaScriptCall *call, guint input)
{
  g_return_val_if_fail (CANDELA_IS_SCRIPT_CALL (call), NULL);

  return input < call->inputs->len ? call->inputs->pdata[input] : NULL;
}

/**
 * candela_script_call_get_input_bytes:
 * @call: a call that has not returned
 * @input: which one, from 0 on
 * @error: return location for an error
 *
 * The elements of an input in row-major order, for languages whose arrays have no
 * strides: its memory if it is so there, and not protected from being written, else a
 * copy. It is not to be written.
 *
 * Errors: %CANDELA_ERROR_NO_MEMORY.
 *
 * Returns: (transfer full) (nullable): the bytes; %NULL, with no error set, if there is no
 *   such input
 *
 * Since: 1.0
 */
GBytes *
candela_script_call_get_input_bytes (CandelaScriptCall *call, guint input, GError **error)
{
  CandelaTensor *tensor = candela_script_call_get_input (call, input);
  g_autoptr (GBytes) bytes = tensor != NULL ? candela_tensor_get_bytes (tensor, error) : NULL;

  if (bytes == NULL)
    return NULL;
  /* A script's arrays can be written, and protected memory ends the process then. */
  if (candela_tensor_get_buffer (tensor)->read_only)
    return g_bytes_new (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  return g_steal_pointer (&bytes);
}

/**
 * candela_script_call_get_n_outputs:
 * @call: a call that has not returned
 *
 * Returns: how many outputs there are; 0 once the function has returned
 *
 * Since: 1.0
 */
guint
candela_script_call_get_n_outputs (CandelaScriptCall *call)
{
  g_return_val_if_fail (CANDELA_IS_SCRIPT_CALL (call), 0);

  return call->outputs->len;
}

/**
 * candela_script_call_get_output:
 * @call: a call that has not returned
 * @output: which one, from 0 on
 *
 * An output, for its dtype and layout; what its elements are is not known yet.
 *
 * Returns: (transfer none) (nullable): the output; %NULL if there is none, or if its shape is
 *   still to be said
 *
 * Since: 1.0
 */
CandelaTensor *
candela_script_call_get_output (CandelaScriptCall *call, guint output)
{
  g_return_val_if_fail (CANDELA_IS_SCRIPT_CALL (call), NULL);

  return output < call->outputs->len ? call->outputs->pdata[output] : NULL;
}

/**
 * candela_script_call_get_output_address:
 * @call: a call that has not returned
 * @output: which one, from 0 on
 *
 * Where an output's first element is to be written, in the order of its layout.
 *
 * Returns: the address; 0 if there is no such output
 *
 * Since: 1.0
 */
guint64
candela_script_call_get_output_address (CandelaScriptCall *call, guint output)
{
  CandelaTensor *tensor = candela_script_call_get_output (call, output);

  return tensor != NULL ? (guint64) (gsize) candela_tensor_get_data (tensor) : 0;
}

/**
 * candela_script_call_get_output_bytes:
 * @call: a call that has not returned
 * @output: which one, from 0 on
 *
 * The memory of an output that is packed, to be written; whoever holds it keeps the
 * memory.
 *
 * Returns: (transfer full) (nullable): the memory; %NULL if there is no such output
 *
 * Since: 1.0
 */
GBytes *
candela_script_call_get_output_bytes (CandelaScriptCall *call, guint output)
{
  CandelaTensor *tensor = candela_script_call_get_output (call, output);
  gsize size;

  if (tensor == NULL)
    return NULL;
  size = (gsize) candela_layout_get_n_elements (candela_tensor_get_layout (tensor))
         * candela_dtype_get_size (candela_tensor_get_dtype (tensor));
  return g_bytes_new_with_free_func (candela_tensor_get_data (tensor), size, g_object_unref, g_object_ref (tensor));
}

/**
 * candela_script_call_set_output_shape:
 * @call: a call that has not returned
 * @output: which one, from 0 on
 * @shape: (array length=n_dims): its shape
 * @n_dims: the number of its axes: that which infer gave it
 * @error: return location for an error
 *
 * Says the shape of an output, for an op whose `output-shape` is `data`, and gives it its
 * memory. Once for each output.
 *
 * Errors: %CANDELA_ERROR_SHAPE; %CANDELA_ERROR_NO_MEMORY; %CANDELA_ERROR_PLUGIN if the op does
 * not declare it, or has said it, or said another number of axes.
 *
 * Returns: %TRUE if the output is there now
 *
 * Since: 1.0
 */
gboolean
candela_script_call_set_output_shape (CandelaScriptCall *call, guint output, const gint64 *shape, gsize n_dims,
                                      GError **error)
{
  g_return_val_if_fail (CANDELA_IS_SCRIPT_CALL (call), FALSE);
  g_return_val_if_fail (n_dims == 0 || shape != NULL, FALSE);

  if (call->kernel == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "a call that has returned has no outputs");
      return FALSE;
    }
  if (!candela_kernel_set_output_shape (call->kernel, output, shape, n_dims, error))
    return FALSE;
  call->outputs->pdata[output] = g_object_ref (call->kernel->made[output]);
  return TRUE;
}

/**
 * candela_script_call_get_params:
 * @call: a call
 *
 * The parameters by their names, without those that are none.
 *
 * Returns: (transfer none): a variant of type `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
candela_script_call_get_params (CandelaScriptCall *call)
{
  g_return_val_if_fail (CANDELA_IS_SCRIPT_CALL (call), NULL);

  return call->params;
}
