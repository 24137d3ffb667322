/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An op whose formula is Latin-1. */
#include "module.h"

static const CandelaOpInfo op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "told",
  .summary = "One",
  .formula = "out = x\xb2",
  .infer = infer_scalar,
  .kernels = kernels,
};

CANDELA_PLUGIN_DEFINE_OPS ("bad-formula", "1.0", "MIT", "For tests", &op)
