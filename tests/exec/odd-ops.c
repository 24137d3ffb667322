/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A module for test-odd-ops: ops that use a declaration in a way that none of the
 * shipped ones does, and ops whose answers are wrong, which the engine is to
 * refuse. All are over float64 unless they say otherwise. */
#include <candela/candela-plugin.h>
#include <string.h>

#define F64 CANDELA_DTYPE_FLOAT64

static const CandelaInputInfo no_inputs[] = { { .name = NULL } };
static const CandelaInputInfo one_input[] = { { .name = "x" }, { .name = NULL } };
static const CandelaInputInfo any_inputs[] = { { .name = "xs", .flags = CANDELA_INPUT_VARIADIC }, { .name = NULL } };

static const gint64 *
shape_of_x (CandelaInference *inference, gsize *rank)
{
  return candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), rank);
}

static gboolean
set_like_x (CandelaInference *inference, guint output, CandelaDType dtype, GError **error)
{
  gsize rank;
  const gint64 *shape = shape_of_x (inference, &rank);

  return candela_inference_set_output (inference, output, dtype, shape, rank, error);
}

static gboolean
infer_like_x (CandelaInference *inference, GError **error)
{
  return set_like_x (inference, 0, F64, error);
}

static gboolean
compute_copy (CandelaKernel *kernel, GError **error)
{
  candela_kernel_copy_input (kernel, 0, 0);
  return TRUE;
}

static const CandelaKernelInfo copy_kernels[] = { { .compute = compute_copy }, { .compute = NULL } };

#define OP(op_name, ...)                                                                                               \
  static const CandelaOpInfo op_name = {                                                                               \
    .struct_size = sizeof (CandelaOpInfo), .name = "odd_" #op_name, .summary = "For tests", __VA_ARGS__                \
  };

/* head: the first half of x, as a view; total: the sum of x. */
static gboolean
infer_split (CandelaInference *inference, GError **error)
{
  CandelaLayout *layout = (CandelaLayout *) candela_inference_get_input_layout (inference, 0);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  gint64 half = rank == 1 ? shape[0] / 2 : 0;
  CandelaLayout *head;

  if (rank != 1)
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE, "x must have one axis");
  head = candela_layout_new_strided (&half, 1, candela_layout_get_strides (layout, NULL), 1,
                                     candela_layout_get_offset (layout), error);
  if (head == NULL)
    return FALSE;
  candela_inference_set_reference (inference, 0, 0, head);
  return candela_inference_set_output (inference, 1, F64, NULL, 0, error);
}

static gboolean
compute_split (CandelaKernel *kernel, GError **error)
{
  gint64 n = candela_layout_get_n_elements (candela_kernel_get_input_layout (kernel, 0));
  g_autofree double *all = g_new (double, n);
  double *total = candela_kernel_get_output (kernel, 1);

  if (candela_kernel_get_output (kernel, 0) != NULL)
    {
      g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "odd_split: a view was given to be written");
      return FALSE;
    }
  candela_kernel_pack_input (kernel, 0, F64, 0, n, all);
  *total = 0;
  for (gint64 i = 0; i < n; i++)
    *total += all[i];
  return TRUE;
}

static const char *const split_outputs[] = { "head", "total", NULL };
static const CandelaKernelInfo split_kernels[] = { { .compute = compute_split }, { .compute = NULL } };

OP (split, .inputs = one_input, .outputs = split_outputs, .infer = infer_split, .kernels = split_kernels)

/* A takeover by declaration alone: it never says that its input is packed already. */
OP (pack, .inputs = one_input, .aliasing = CANDELA_ALIASING_TAKEOVER, .kernels = copy_kernels)

/* One that is an alias only of what is packed from the start of its buffer. */
static gboolean
infer_pack_from_start (CandelaInference *inference, GError **error)
{
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);

  if (!candela_layout_is_contiguous (layout) || candela_layout_get_offset (layout) != 0)
    return set_like_x (inference, 0, candela_inference_get_input_dtype (inference, 0), error);
  candela_inference_set_alias (inference, 0, 0);
  return TRUE;
}

OP (pack_from_start, .inputs = one_input, .infer = infer_pack_from_start, .kernels = copy_kernels)

/* x times 2 to the power of y, which is always int32. */
static const CandelaInputInfo scale_inputs[] = { { .name = "x" },
                                                 { .name = "y", .fixed = CANDELA_DTYPE_INT32 },
                                                 { .name = NULL } };

static void
loop_scale (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)
{
  const float *x = in[0];
  const gint32 *y = in[1];
  double *result = out[0];

  for (gsize i = 0; i < n; i++)
    result[i] = (double) x[i] * (double) (1 << y[i]);
}

static const CandelaKernelInfo scale_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_INT32 }, .out = { F64 }, .loop = loop_scale }, { .loop = NULL }
};

OP (scale, .inputs = scale_inputs, .axes = CANDELA_AXES_ELEMENTWISE, .kernels = scale_kernels)

/* x plus how many elements were asked for before. */
static double tickets;

static void
loop_ticket (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)
{
  const double *x = in[0];
  double *result = out[0];

  for (gsize i = 0; i < n; i++)
    result[i] = x[i] + tickets++;
}

static const CandelaKernelInfo ticket_kernels[] = { { .in = { F64 }, .out = { F64 }, .loop = loop_ticket },
                                                    { .loop = NULL } };

OP (ticket, .inputs = one_input, .axes = CANDELA_AXES_ELEMENTWISE, .effect = CANDELA_EFFECT_ORDERED,
    .kernels = ticket_kernels)

/* x, or -1 where the loop runs on two threads at once; another_thread: or on a
 * thread that is not the one which first ran it. */
static void
loop_alone (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)
{
  static int running;
  gboolean alone = g_atomic_int_add (&running, 1) == 0;
  const double *x = in[0];
  double *result = out[0];

  for (gsize i = 0; i < n; i++)
    result[i] = alone ? x[i] : -1;
  g_usleep (20);
  g_atomic_int_add (&running, -1);
}

static void
loop_caller (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)
{
  static GThread *caller;
  const double *x = in[0];
  double *result = out[0];

  if (caller == NULL)
    caller = g_thread_self ();
  for (gsize i = 0; i < n; i++)
    result[i] = caller == g_thread_self () ? x[i] : -1;
}

static const CandelaKernelInfo alone_kernels[] = { { .in = { F64 }, .out = { F64 }, .loop = loop_alone },
                                                   { .loop = NULL } };
static const CandelaKernelInfo caller_kernels[] = { { .in = { F64 }, .out = { F64 }, .loop = loop_caller },
                                                    { .loop = NULL } };

OP (alone, .inputs = one_input, .axes = CANDELA_AXES_ELEMENTWISE, .threads = CANDELA_THREADS_ONE_AT_A_TIME,
    .kernels = alone_kernels)
OP (caller, .inputs = one_input, .axes = CANDELA_AXES_ELEMENTWISE, .threads = CANDELA_THREADS_CALLER,
    .kernels = caller_kernels)

/* How many inputs there are; and an op that has none. */
static gboolean
infer_scalar (CandelaInference *inference, GError **error)
{
  return candela_inference_set_output (inference, 0, F64, NULL, 0, error);
}

static gboolean
compute_count (CandelaKernel *kernel, GError **error)
{
  *(double *) candela_kernel_get_output (kernel, 0) = candela_kernel_get_n_inputs (kernel);
  return TRUE;
}

static const CandelaKernelInfo count_kernels[] = { { .compute = compute_count }, { .compute = NULL } };

OP (count, .inputs = any_inputs, .infer = infer_scalar, .kernels = count_kernels)
OP (nothing, .inputs = no_inputs, .infer = infer_scalar, .kernels = count_kernels)

/* An element-wise op that is its input where there is nothing to do. */
static gboolean
infer_same (CandelaInference *inference, GError **error)
{
  if (candela_inference_get_input_dtype (inference, 0) != F64)
    return candela_inference_broadcast (inference, error);
  candela_inference_set_alias (inference, 0, 0);
  return TRUE;
}

OP (same, .inputs = one_input, .axes = CANDELA_AXES_ELEMENTWISE, .infer = infer_same, .kernels = caller_kernels)

/* A class of its own, without functions in its declaration: x reversed, in two
 * outputs, of which the second is empty. */
typedef CandelaOp OddOp;
typedef CandelaOpClass OddOpClass;

GType odd_op_get_type (void);
G_DEFINE_TYPE (OddOp, odd_op, CANDELA_TYPE_OP)

static gboolean
odd_op_infer (CandelaOp *op, CandelaInference *inference, GError **error)
{
  const gint64 none = 0;

  return set_like_x (inference, 0, F64, error) && candela_inference_set_output (inference, 1, F64, &none, 1, error);
}

static gboolean
odd_op_compute (CandelaOp *op, CandelaKernel *kernel, GError **error)
{
  gint64 n = candela_layout_get_n_elements (candela_kernel_get_input_layout (kernel, 0));
  double *out = candela_kernel_get_output (kernel, 0);

  for (gint64 i = 0; i < n; i++)
    candela_kernel_pack_input (kernel, 0, F64, n - 1 - i, 1, out + i);
  return TRUE;
}

static void
odd_op_class_init (OddOpClass *klass)
{
  klass->infer = odd_op_infer;
  klass->compute = odd_op_compute;
}

static void
odd_op_init (OddOp *op)
{
}

static const char *const reversed_outputs[] = { "reversed", "rest", NULL };

OP (reversed, .inputs = one_input, .outputs = reversed_outputs)

/* ---- Wrong answers ---- */

static gboolean
infer_narrow (CandelaInference *inference, GError **error)
{
  return set_like_x (inference, 0, CANDELA_DTYPE_INT8, error);
}

OP (narrow, .inputs = one_input, .axes = CANDELA_AXES_ELEMENTWISE, .infer = infer_narrow, .kernels = caller_kernels)

static gboolean
infer_half_alias (CandelaInference *inference, GError **error)
{
  candela_inference_set_alias (inference, 0, 0);
  return set_like_x (inference, 1, F64, error);
}

static void
loop_both (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)
{
  memcpy (out[0], in[0], n * sizeof (double));
  memcpy (out[1], in[0], n * sizeof (double));
}

static const CandelaKernelInfo both_kernels[] = { { .in = { F64 }, .out = { F64, F64 }, .loop = loop_both },
                                                  { .loop = NULL } };

OP (half_alias, .inputs = one_input, .outputs = split_outputs, .axes = CANDELA_AXES_ELEMENTWISE,
    .infer = infer_half_alias, .kernels = both_kernels)

OP (no_kernel, .inputs = one_input, .infer = infer_like_x)

static gboolean
infer_true_with_error (CandelaInference *inference, GError **error)
{
  candela_inference_fail (inference, error, CANDELA_ERROR_AXIS, "there is a reason");
  return infer_like_x (inference, NULL);
}

static gboolean
infer_false_without (CandelaInference *inference, GError **error)
{
  infer_like_x (inference, NULL);
  return FALSE;
}

static gboolean
infer_nothing (CandelaInference *inference, GError **error)
{
  candela_inference_set_alias (inference, 1, 0);
  candela_inference_set_alias (inference, 0, 1);
  candela_inference_set_reference (inference, 0, 0, NULL);
  return TRUE;
}

static gboolean
infer_outside (CandelaInference *inference, GError **error)
{
  gsize rank;
  gint64 length = shape_of_x (inference, &rank)[0] + 1;

  candela_inference_set_reference (inference, 0, 0, candela_layout_new (&length, 1, error));
  return TRUE;
}

static gboolean
infer_negative (CandelaInference *inference, GError **error)
{
  const gint64 length = -1;

  return candela_inference_set_output (inference, 0, F64, &length, 1, error);
}

static gboolean
infer_no_dtype (CandelaInference *inference, GError **error)
{
  return set_like_x (inference, 0, 99, error);
}

/* Of another shape where the input is not packed. */
static gboolean
infer_fickle (CandelaInference *inference, GError **error)
{
  const gint64 length = 1;

  if (candela_layout_is_contiguous (candela_inference_get_input_layout (inference, 0)))
    return candela_inference_set_output (inference, 0, F64, &length, 1, error);
  return infer_like_x (inference, error);
}

OP (true_with_error, .inputs = one_input, .infer = infer_true_with_error, .kernels = copy_kernels)
OP (false_without, .inputs = one_input, .infer = infer_false_without, .kernels = copy_kernels)
OP (no_answer, .inputs = one_input, .infer = infer_nothing, .kernels = copy_kernels)
OP (outside, .inputs = one_input, .infer = infer_outside, .kernels = copy_kernels)
OP (negative, .inputs = one_input, .infer = infer_negative, .kernels = copy_kernels)
OP (no_dtype, .inputs = one_input, .infer = infer_no_dtype, .kernels = copy_kernels)
OP (fickle, .inputs = one_input, .infer = infer_fickle, .kernels = copy_kernels)

static gboolean
compute_fails (CandelaKernel *kernel, GError **error)
{
  return FALSE;
}

static const CandelaKernelInfo fails_kernels[] = { { .compute = compute_fails }, { .compute = NULL } };

OP (fails, .inputs = one_input, .infer = infer_like_x, .kernels = fails_kernels)

/* Copies x in pieces, the last one first, and tells of each when it is done; or of the
 * last one only. */
#define PIECE 1000

typedef struct
{
  CandelaKernel *kernel;
  gint64 n;
  gboolean all;
} Telling;

static void
copy_piece (guint64 piece, gpointer data)
{
  const Telling *telling = data;
  gint64 start = (gint64) piece * PIECE, n = MIN (PIECE, telling->n - start);

  candela_kernel_pack_input (telling->kernel, 0, F64, start, n,
                             (double *) candela_kernel_get_output (telling->kernel, 0) + start);
  if (telling->all || start + n == telling->n)
    candela_kernel_output_done (telling->kernel, start, n);
}

static gboolean
copy_telling (CandelaKernel *kernel, gboolean all)
{
  Telling telling = { kernel, candela_layout_get_n_elements (candela_kernel_get_input_layout (kernel, 0)), all };

  candela_kernel_parallel_for (kernel, (telling.n + PIECE - 1) / PIECE, copy_piece, &telling);
  return TRUE;
}

static gboolean
compute_telling (CandelaKernel *kernel, GError **error)
{
  return copy_telling (kernel, TRUE);
}

static gboolean
compute_half_telling (CandelaKernel *kernel, GError **error)
{
  return copy_telling (kernel, FALSE);
}

static const CandelaKernelInfo telling_kernels[] = { { .compute = compute_telling }, { .compute = NULL } };
static const CandelaKernelInfo half_telling_kernels[] = { { .compute = compute_half_telling }, { .compute = NULL } };

OP (telling, .inputs = one_input, .infer = infer_like_x, .kernels = telling_kernels, .axes = CANDELA_AXES_OPAQUE)
OP (half_telling, .inputs = one_input, .infer = infer_like_x, .kernels = half_telling_kernels)

/* ---- Expressions ---- */

static const char *const directions[] = { "up", "down", NULL };

static const CandelaParamInfo every_type[] = {
  { "axis", CANDELA_PARAM_INT_LIST, .default_value = "[0, -1]" },
  { "keepdims", CANDELA_PARAM_BOOL, .default_value = "true" },
  { "correction", CANDELA_PARAM_FLOAT, .default_value = "-0.5" },
  { "shift", CANDELA_PARAM_INT, .default_value = "-3" },
  { "factor", CANDELA_PARAM_SCALAR, .default_value = "2.5" },
  { "direction", CANDELA_PARAM_STRING, .default_value = "up", .choices = directions },
  { "unused", CANDELA_PARAM_INT },
  { NULL },
};

OP (expressed, .inputs = one_input, .params = every_type,
    .expression = "var(x + shift, axis=axis, correction=correction, keepdims=keepdims) * factor")
OP (endless, .inputs = one_input, .expression = "odd_endless(x)")
OP (misspelt, .inputs = one_input, .expression = "x +* 2")
OP (unheard_of, .inputs = one_input, .expression = "1 + odd_nowhere(x)")

static const CandelaOpInfo *const ops[] = {
  &expressed, &endless,    &misspelt,  &unheard_of,      &split,         &pack,         &pack_from_start,
  &scale,     &ticket,     &alone,     &caller,          &count,         &nothing,      &same,
  &narrow,    &half_alias, &no_kernel, &true_with_error, &false_without, &no_answer,    &outside,
  &negative,  &no_dtype,   &fickle,    &fails,           &telling,       &half_telling, NULL
};

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, ops, error)
         && candela_plugin_add_op_type (plugin, odd_op_get_type (), &reversed, error);
}

CANDELA_PLUGIN_DEFINE ("odd-ops", "1.0", "LGPL-2.1-or-later", "For tests", register_ops)
