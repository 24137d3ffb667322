/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For writers of ops: what the functions of an op are given and answer. */
#pragma once

#include <candela/op/op-info.h>
#include <candela/op/op.h>

G_BEGIN_DECLS

/* An op that needs more than its declaration subclasses CandelaOp; the functions
 * of the declaration are the default of each. */
struct _CandelaOpClass
{
  GObjectClass parent_class;

  gboolean (*infer) (CandelaOp *op, CandelaInference *inference, GError **error);
  gboolean (*compute) (CandelaOp *op, CandelaKernel *kernel, GError **error);

  gpointer padding[8];
};

/* Inference: what there is. */

CANDELA_AVAILABLE_IN_1_0
const CandelaParams *candela_inference_get_params (const CandelaInference *inference);

CANDELA_AVAILABLE_IN_1_0
guint candela_inference_get_n_inputs (const CandelaInference *inference);

CANDELA_AVAILABLE_IN_1_0
const CandelaLayout *candela_inference_get_input_layout (const CandelaInference *inference, guint input);

CANDELA_AVAILABLE_IN_1_0
CandelaDType candela_inference_get_input_dtype (const CandelaInference *inference, guint input);

CANDELA_AVAILABLE_IN_1_0
CandelaDType candela_inference_get_promoted_dtype (const CandelaInference *inference);

/* Inference: what it answers. The layout of an output with a buffer of its own
 * is made from a shape; that of a reference is one over the input's buffer. */

CANDELA_AVAILABLE_IN_1_0
gboolean candela_inference_set_output (CandelaInference *inference, guint output, CandelaDType dtype,
                                       const gint64 *shape, gsize n_dims, GError **error);

CANDELA_AVAILABLE_IN_1_0
void candela_inference_set_reference (CandelaInference *inference, guint output, guint input, CandelaLayout *layout);

CANDELA_AVAILABLE_IN_1_0
void candela_inference_set_alias (CandelaInference *inference, guint output, guint input);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_inference_set_takeover (CandelaInference *inference, guint output, guint input, GError **error);

/* The dtype that inputs are read as (default: the promoted one). */
CANDELA_AVAILABLE_IN_1_0
void candela_inference_set_compute_dtype (CandelaInference *inference, CandelaDType dtype);

/* Broadcast and promote, as an element-wise op without an infer of its own does. */
CANDELA_AVAILABLE_IN_1_0
gboolean candela_inference_broadcast (CandelaInference *inference, GError **error);

/* Sets an error that begins with the op's name; returns FALSE. */
CANDELA_AVAILABLE_IN_1_0
gboolean candela_inference_fail (const CandelaInference *inference, GError **error, CandelaError code,
                                 const char *format, ...) G_GNUC_PRINTF (4, 5);

/* Kernels. */

CANDELA_AVAILABLE_IN_1_0
const CandelaParams *candela_kernel_get_params (const CandelaKernel *kernel);

CANDELA_AVAILABLE_IN_1_0
guint candela_kernel_get_n_inputs (const CandelaKernel *kernel);

/* The address of the input's element at index 0, 0, …; NULL if it has none. */
CANDELA_AVAILABLE_IN_1_0
gconstpointer candela_kernel_get_input (const CandelaKernel *kernel, guint input);

CANDELA_AVAILABLE_IN_1_0
const CandelaLayout *candela_kernel_get_input_layout (const CandelaKernel *kernel, guint input);

CANDELA_AVAILABLE_IN_1_0
CandelaDType candela_kernel_get_input_dtype (const CandelaKernel *kernel, guint input);

/* The address of the output's first element; NULL if it is an input, or a view of
 * one. Outputs are packed, row-major, and hold anything before the kernel writes. */
CANDELA_AVAILABLE_IN_1_0
gpointer candela_kernel_get_output (const CandelaKernel *kernel, guint output);

CANDELA_AVAILABLE_IN_1_0
const CandelaLayout *candela_kernel_get_output_layout (const CandelaKernel *kernel, guint output);

CANDELA_AVAILABLE_IN_1_0
CandelaDType candela_kernel_get_output_dtype (const CandelaKernel *kernel, guint output);

/* The shape of an output of an op that declares CANDELA_OUTPUT_SHAPE_DATA: gives it
 * its memory, which is not there before. To be called for each output. */
CANDELA_AVAILABLE_IN_1_0
gboolean candela_kernel_set_output_shape (CandelaKernel *kernel, guint output, const gint64 *shape, gsize n_dims,
                                          GError **error);

CANDELA_AVAILABLE_IN_1_0
GCancellable *candela_kernel_get_cancellable (const CandelaKernel *kernel);

/* One of the chunks into which a kernel cut its work. */
typedef void (*CandelaKernelChunkFunc) (guint64 chunk, gpointer data);

/* Calls func for chunks 0 to n - 1, on several threads and in any order if the
 * op may run on any thread, one after the other if not. How work is cut must
 * follow from shapes alone, and no bit of a result from the order. */
CANDELA_AVAILABLE_IN_1_0
void candela_kernel_parallel_for (const CandelaKernel *kernel, guint64 n, CandelaKernelChunkFunc func, gpointer data);

/* Tells that n elements of output 0, from a logical index on, are final: what
 * follows may then change them while they are in the cache. */
CANDELA_AVAILABLE_IN_1_0
void candela_kernel_output_done (const CandelaKernel *kernel, guint64 start, guint64 n);

/* Copies an input's elements, in logical order, into an output of the same dtype
 * and as many elements. */
CANDELA_AVAILABLE_IN_1_0
void candela_kernel_copy_input (const CandelaKernel *kernel, guint input, guint output);

/* Packs n elements of an input, from a logical index on, converted to a dtype. */
CANDELA_AVAILABLE_IN_1_0
void candela_kernel_pack_input (const CandelaKernel *kernel, guint input, CandelaDType dtype, gint64 start, gsize n,
                                gpointer out);

/* The same through another layout over the input's buffer (axes permuted, for
 * example); it must not reach beyond the input's own. */
CANDELA_AVAILABLE_IN_1_0
void candela_kernel_pack_layout (const CandelaKernel *kernel, guint input, const CandelaLayout *layout,
                                 CandelaDType dtype, gint64 start, gsize n, gpointer out);

G_END_DECLS
