/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a kernel over whole values is given: addresses, layouts, parameters, and
 * ways to read an input of any layout and dtype as packed elements. */
#include <candela/op/op-private.h>
#include <candela/value/copy-private.h>
#include <candela/value/debug-private.h>
#include <candela/value/dtype-private.h>
#include <candela/value/stream-private.h>

/* Elements that are packed at a time on the way to another dtype. */
#define PACK_ELEMENTS 512

/**
 * candela_kernel_get_params: (skip)
 * @kernel: a kernel call
 *
 * The node's parameters.
 *
 * Returns: (transfer none): the parameters, in the order of the op's table
 *
 * Since: 1.0
 */
const CandelaParams *
candela_kernel_get_params (const CandelaKernel *kernel)
{
  return kernel->params;
}

/**
 * candela_kernel_get_n_inputs: (skip)
 * @kernel: a kernel call
 *
 * How many inputs there are.
 *
 * Returns: their number
 *
 * Since: 1.0
 */
guint
candela_kernel_get_n_inputs (const CandelaKernel *kernel)
{
  return kernel->n_inputs;
}

/**
 * candela_kernel_get_input: (skip)
 * @kernel: a kernel call
 * @input: which input
 *
 * The address of an input's element at index 0, 0, …; strides count from there.
 *
 * Returns: (nullable): the address; of no meaning if the input has no elements;
 *   %NULL if the op takes inputs that are not in memory, and this one is not
 *
 * Since: 1.0
 */
gconstpointer
candela_kernel_get_input (const CandelaKernel *kernel, guint input)
{
  g_return_val_if_fail (input < kernel->n_inputs, NULL);

  if (kernel->inputs[input] == NULL)
    return NULL;
  return (const guint8 *) kernel->inputs[input]
         + kernel->in_layouts[input]->offset * (gint64) candela_dtype_get_size (kernel->in_dtypes[input]);
}

/**
 * candela_kernel_get_input_layout: (skip)
 * @kernel: a kernel call
 * @input: which input
 *
 * The layout of an input.
 *
 * Returns: (transfer none): the layout
 *
 * Since: 1.0
 */
const CandelaLayout *
candela_kernel_get_input_layout (const CandelaKernel *kernel, guint input)
{
  g_return_val_if_fail (input < kernel->n_inputs, NULL);

  return kernel->in_layouts[input];
}

/**
 * candela_kernel_get_input_dtype: (skip)
 * @kernel: a kernel call
 * @input: which input
 *
 * The dtype of an input.
 *
 * Returns: the dtype
 *
 * Since: 1.0
 */
CandelaDType
candela_kernel_get_input_dtype (const CandelaKernel *kernel, guint input)
{
  g_return_val_if_fail (input < kernel->n_inputs, CANDELA_DTYPE_INVALID);

  return kernel->in_dtypes[input];
}

/**
 * candela_kernel_get_output: (skip)
 * @kernel: a kernel call
 * @output: which output
 *
 * The address of an output's first element. An output is packed and row-major,
 * and holds anything before it is written.
 *
 * Returns: (nullable): the address; %NULL if the output is not computed but an
 *   input, or a view of one, or its shape depends on data and has not been said yet
 *
 * Since: 1.0
 */
gpointer
candela_kernel_get_output (const CandelaKernel *kernel, guint output)
{
  g_return_val_if_fail (output < kernel->n_outputs, NULL);

  if (kernel->outputs[output] == NULL)
    return NULL;
  return (guint8 *) kernel->outputs[output]
         + kernel->out_layouts[output]->offset * (gint64) candela_dtype_get_size (kernel->out_dtypes[output]);
}

/**
 * candela_kernel_get_output_layout: (skip)
 * @kernel: a kernel call
 * @output: which output
 *
 * The layout of an output.
 *
 * Returns: (transfer none) (nullable): the layout; %NULL if its shape depends on
 *   data and has not been said yet
 *
 * Since: 1.0
 */
const CandelaLayout *
candela_kernel_get_output_layout (const CandelaKernel *kernel, guint output)
{
  g_return_val_if_fail (output < kernel->n_outputs, NULL);

  return kernel->out_layouts[output];
}

/**
 * candela_kernel_get_output_dtype: (skip)
 * @kernel: a kernel call
 * @output: which output
 *
 * The dtype of an output.
 *
 * Returns: the dtype
 *
 * Since: 1.0
 */
CandelaDType
candela_kernel_get_output_dtype (const CandelaKernel *kernel, guint output)
{
  g_return_val_if_fail (output < kernel->n_outputs, CANDELA_DTYPE_INVALID);

  return kernel->out_dtypes[output];
}

/**
 * candela_kernel_set_output_shape: (skip)
 * @kernel: a kernel call
 * @output: which output
 * @shape: (array length=n_dims): its shape
 * @n_dims: the number of its axes: that which infer gave it
 * @error: return location for an error
 *
 * Says the shape of an output, for an op that declares
 * %CANDELA_OUTPUT_SHAPE_DATA. There the memory of an output, which
 * candela_kernel_get_output() gives, and its layout are there only after this call.
 *
 * Returns: %FALSE on %CANDELA_ERROR_SHAPE, %CANDELA_ERROR_NO_MEMORY, or
 *   %CANDELA_ERROR_PLUGIN if the op does not declare it or has said so already, or
 *   infer gave the output another number of axes
 *
 * Since: 1.0
 */
gboolean
candela_kernel_set_output_shape (CandelaKernel *kernel, guint output, const gint64 *shape, gsize n_dims, GError **error)
{
  const char *wrong = kernel->made == NULL                       ? "its op does not declare that data say it"
                      : output >= kernel->n_outputs              ? "there is none"
                      : kernel->made[output] != NULL             ? "it has been said"
                      : kernel->inferred[output]->rank != n_dims ? "infer gave it another number of axes"
                                                                 : NULL;
  g_autoptr (CandelaLayout) layout = NULL;
  g_autoptr (CandelaBuffer) buffer = NULL;
  gsize bytes;

  if (wrong != NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "%s: the kernel says the shape of output %u, but %s",
                   candela_op_get_name (kernel->op), output, wrong);
      return FALSE;
    }
  layout = candela_layout_new (shape, n_dims, error);
  if (layout == NULL)
    return FALSE;
  if (!candela_tensor_count_bytes (kernel->out_dtypes[output], layout, &bytes))
    bytes = G_MAXSIZE;
  buffer = (kernel->new_buffer != NULL ? kernel->new_buffer : candela_buffer_new) (bytes, error);
  if (buffer == NULL)
    return FALSE;
  if ((candela_debug_flags () & CANDELA_DEBUG_POISON) != 0)
    candela_buffer_poison (buffer, kernel->out_dtypes[output] == CANDELA_DTYPE_BOOL);
  kernel->made[output] = candela_tensor_new_for_buffer (kernel->out_dtypes[output], layout, buffer);
  kernel->outputs[output] = buffer->data;
  kernel->out_layouts[output] = candela_tensor_get_layout (kernel->made[output]);
  return TRUE;
}

/**
 * candela_kernel_get_cancellable: (skip)
 * @kernel: a kernel call
 *
 * What cancels the run; long kernels look at it now and then.
 *
 * Returns: (transfer none) (nullable): the cancellable, if there is one
 *
 * Since: 1.0
 */
GCancellable *
candela_kernel_get_cancellable (const CandelaKernel *kernel)
{
  return kernel->cancellable;
}

/**
 * candela_kernel_parallel_for: (skip)
 * @kernel: a kernel call
 * @n: the number of chunks
 * @func: does one chunk
 * @data: what @func gets
 *
 * Shares a kernel's work among threads, if the op declares that it may run on any
 * (%CANDELA_THREADS_ANY). Returns when all is done. How the work is cut into
 * chunks must depend on shapes alone. They are done in any order, on one thread too.
 *
 * Since: 1.0
 */
void
candela_kernel_parallel_for (const CandelaKernel *kernel, guint64 n, CandelaKernelChunkFunc func, gpointer data)
{
  if (kernel->parallel_for != NULL)
    kernel->parallel_for (n, func, data);
  else
    for (guint64 chunk = 0; chunk < n; chunk++)
      func (chunk, data);
}

/**
 * candela_kernel_output_done: (skip)
 * @kernel: a kernel call
 * @start: the first logical index
 * @n: how many elements
 *
 * Tells that elements of output 0 are final: the kernel will neither read nor write
 * them again. If an element-wise step that is written over this output follows, it
 * is run on them now, on this thread, while they are in the cache: a bias and an
 * activation on a block of a product's rows. A kernel need not tell; one that does
 * tells of each element once, from whichever thread wrote it, also from within the
 * chunks of candela_kernel_parallel_for().
 *
 * Since: 1.0
 */
void
candela_kernel_output_done (const CandelaKernel *kernel, guint64 start, guint64 n)
{
  if (kernel->output_done != NULL && n > 0)
    kernel->output_done (kernel->output_done_data, start, n);
}

/**
 * candela_kernel_copy_input: (skip)
 * @kernel: a kernel call
 * @input: which input
 * @output: which output, of the same dtype and as many elements
 *
 * Copies an input's elements, in logical order, into an output; a large copy is
 * shared among threads, as candela_kernel_parallel_for() does it.
 *
 * Since: 1.0
 */
void
candela_kernel_copy_input (const CandelaKernel *kernel, guint input, guint output)
{
  g_return_if_fail (input < kernel->n_inputs && output < kernel->n_outputs);
  g_return_if_fail (kernel->in_dtypes[input] == kernel->out_dtypes[output]);
  g_return_if_fail (kernel->in_layouts[input]->n_elements == kernel->out_layouts[output]->n_elements);

  CandelaCopy copy;
  guint64 n_pieces = candela_copy_init (&copy, kernel->outputs[output], kernel->out_layouts[output],
                                        kernel->inputs[input], kernel->in_layouts[input],
                                        candela_dtype_get_size (kernel->in_dtypes[input]), CANDELA_STREAM_FROM);

  candela_kernel_parallel_for (kernel, n_pieces, candela_copy_piece, &copy);
}

typedef void (*PackFunc) (const CandelaKernel *kernel, guint input, const CandelaLayout *layout, gint64 start, gsize n,
                          gpointer out);

static void
pack_memory (const CandelaKernel *kernel, guint input, const CandelaLayout *layout, gint64 start, gsize n, gpointer out)
{
  candela_layout_pack (layout, kernel->inputs[input], candela_dtype_get_size (kernel->in_dtypes[input]), start, n, out);
}

static void
pack_fed (const CandelaKernel *kernel, guint input, const CandelaLayout *layout, gint64 start, gsize n, gpointer out)
{
  kernel->feed (kernel->feed_data, start, n, out);
}

/**
 * candela_kernel_pack_layout: (skip)
 * @kernel: a kernel call
 * @input: which input
 * @layout: a layout over that input's buffer, within its own
 * @dtype: the dtype to convert to
 * @start: the first logical index
 * @n: how many elements
 * @out: where they go, packed
 *
 * Packs a range of an input as another layout orders it, converted to a dtype.
 *
 * Since: 1.0
 */
void
candela_kernel_pack_layout (const CandelaKernel *kernel, guint input, const CandelaLayout *layout, CandelaDType dtype,
                            gint64 start, gsize n, gpointer out)
{
  g_return_if_fail (input < kernel->n_inputs);

  CandelaDType from = kernel->in_dtypes[input];
  gsize to_size = candela_dtype_get_size (dtype);
  CandelaConvertFunc convert = candela_dtype_get_convert_func (from, dtype);
  PackFunc pack = pack_memory;
  guint8 packed[PACK_ELEMENTS * 16];

  if (kernel->inputs[input] == NULL && kernel->feed != NULL)
    {
      g_return_if_fail (candela_layout_equal (layout, kernel->in_layouts[input]));
      pack = pack_fed;
    }
  if (from == dtype)
    {
      pack (kernel, input, layout, start, n, out);
      return;
    }
  g_return_if_fail (convert != NULL);
  for (gsize done = 0; done < n;)
    {
      gsize part = MIN (n - done, PACK_ELEMENTS);

      pack (kernel, input, layout, start + done, part, packed);
      convert ((guint8 *) out + done * to_size, packed, part);
      done += part;
    }
}

/**
 * candela_kernel_pack_input: (skip)
 * @kernel: a kernel call
 * @input: which input
 * @dtype: the dtype to convert to
 * @start: the first logical index
 * @n: how many elements
 * @out: where they go, packed
 *
 * Packs a range of an input, in logical order, converted to a dtype.
 *
 * Since: 1.0
 */
void
candela_kernel_pack_input (const CandelaKernel *kernel, guint input, CandelaDType dtype, gint64 start, gsize n,
                           gpointer out)
{
  g_return_if_fail (input < kernel->n_inputs);

  candela_kernel_pack_layout (kernel, input, kernel->in_layouts[input], dtype, start, n, out);
}
