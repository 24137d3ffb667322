/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops that do not do what they declare, one for each lie: what tests/tool/test-check.py
 * sees caught. */
#pragma once

#include <candela/candela-plugin.h>

extern const CandelaOpInfo *const lying_loops[];
extern const CandelaOpInfo *const lying_stages[];
extern const CandelaOpInfo *const lying_kernels[];
extern const CandelaOpInfo *const lying_shapes[];
extern const CandelaOpInfo *const lying_gradients[];

static const CandelaInputInfo one_input[] = {
  { .name = "x", .kinds = CANDELA_DTYPE_KIND_FLOAT, .summary = "the operand" },
  { NULL },
};

#define LOOP_FUNC(op)                                                                                                  \
  static void op (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)

/* An op with these kernels; the rest is about the lie. */
#define OP(op, its_kernels, ...)                                                                                       \
  static const CandelaOpInfo op##_info = { .struct_size = sizeof (CandelaOpInfo),                                      \
                                           .name = #op,                                                                \
                                           .summary = "A lie",                                                         \
                                           .since = "1.0",                                                             \
                                           .inputs = one_input,                                                        \
                                           .kernels = its_kernels,                                                     \
                                           __VA_ARGS__ }

/* An element-wise op of float64. */
#define LOOP(op, ...)                                                                                                  \
  static const CandelaKernelInfo op##_kernels[] = {                                                                    \
    { .in = { CANDELA_DTYPE_FLOAT64 }, .out = { CANDELA_DTYPE_FLOAT64 }, .loop = op },                                 \
    { .loop = NULL },                                                                                                  \
  };                                                                                                                   \
  OP (op, op##_kernels, .axes = CANDELA_AXES_ELEMENTWISE, __VA_ARGS__)

/* An op over whole values. */
#define KERNEL(op, ...)                                                                                                \
  static const CandelaKernelInfo op##_kernels[] = { { .compute = op }, { .compute = NULL } };                          \
  OP (op, op##_kernels, __VA_ARGS__)

/* float64 of the shape of x. */
static inline gboolean
infer_same (CandelaInference *inference, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);

  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_FLOAT64, shape, rank, error);
}

/* … of a list of so many more elements than x has. */
static inline gboolean
infer_list (CandelaInference *inference, gint64 more, GError **error)
{
  gint64 n = candela_layout_get_n_elements (candela_inference_get_input_layout (inference, 0)) + more;

  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_FLOAT64, &n, 1, error);
}

static inline gint64
count_input (const CandelaKernel *kernel)
{
  return candela_layout_get_n_elements (candela_kernel_get_input_layout (kernel, 0));
}

static inline double *
pack_all (const CandelaKernel *kernel)
{
  gint64 n = count_input (kernel);
  double *x = g_new (double, n + 1);

  candela_kernel_pack_input (kernel, 0, CANDELA_DTYPE_FLOAT64, 0, (gsize) n, x);
  return x;
}
