/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An op with a gradient for an input that it does not have. */
#include "module.h"

static const CandelaOpInfo op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "steep",
  .summary = "One",
  .gradients = { "grad" },
  .infer = infer_scalar,
  .kernels = kernels,
};

CANDELA_PLUGIN_DEFINE_OPS ("bad-gradient", "1.0", "MIT", "For tests", &op)
