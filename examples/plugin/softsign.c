/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin with one op: softsign, x / (1 + |x|), an activation function. */
#include <candela/candela-plugin.h>

#define SOFTSIGN(T, x) ((x) / (1 + CANDELA_ABS (x)))

CANDELA_ELEMENTWISE_UNARY (softsign, SOFTSIGN)

static const CandelaInputInfo inputs[] = {
  { .name = "x", .kinds = CANDELA_DTYPE_KIND_FLOAT, .summary = "the operand" },
  { NULL },
};

static const CandelaOpInfo softsign = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "softsign",
  .summary = "x / (1 + |x|)",
  .since = "1.0",
  .inputs = inputs,
  .axes = CANDELA_AXES_ELEMENTWISE,
  .kernels = softsign_kernels,
};

CANDELA_PLUGIN_DEFINE_OPS ("softsign", "1.0", "LGPL-2.1-or-later", "The softsign activation function", &softsign)
