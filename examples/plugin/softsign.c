/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin with one op: softsign, x / (1 + |x|), an activation function. */
#include <candela/candela-plugin.h>

#define SOFTSIGN(T)                                                                                                    \
  static void softsign_##T (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)        \
  {                                                                                                                    \
    const T *x = in[0];                                                                                                \
    T *y = out[0];                                                                                                     \
                                                                                                                       \
    for (gsize i = 0; i < n; i++)                                                                                      \
      y[i] = x[i] / (1 + (x[i] < 0 ? -x[i] : x[i]));                                                                   \
  }

SOFTSIGN (float)
SOFTSIGN (double)

static const CandelaInputInfo inputs[] = {
  { .name = "x", .kinds = CANDELA_DTYPE_KIND_FLOAT, .summary = "the operand" },
  { NULL },
};

static const CandelaKernelInfo kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT32 }, .out = { CANDELA_DTYPE_FLOAT32 }, .loop = softsign_float },
  { .in = { CANDELA_DTYPE_FLOAT64 }, .out = { CANDELA_DTYPE_FLOAT64 }, .loop = softsign_double },
  { .loop = NULL },
};

static const CandelaOpInfo softsign = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "softsign",
  .summary = "x / (1 + |x|)",
  .since = "1.0",
  .inputs = inputs,
  .axes = CANDELA_AXES_ELEMENTWISE,
  .kernels = kernels,
};

CANDELA_PLUGIN_DEFINE_OPS ("softsign", "1.0", "LGPL-2.1-or-later", "The softsign activation function", &softsign)
