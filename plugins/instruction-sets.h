/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the instruction sets that loops are compiled for are called. */
#pragma once

#include <candela/candela-plugin.h>

static const char *const instruction_set_names[] = {
  [CANDELA_INSTRUCTION_SET_BASELINE] = "baseline",
  [CANDELA_INSTRUCTION_SET_AVX2] = "avx2",
  [CANDELA_INSTRUCTION_SET_AVX512] = "avx512",
};
