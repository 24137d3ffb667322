/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All ops of the plugin, as compiled for one instruction set. */
#include "elementwise.h"

#define OPS_OF(set) OPS_PASTE (set)
#define OPS_PASTE(set) elementwise_ops_##set

const CandelaOpInfo *const *const OPS_OF (ELEMENTWISE_SET)[] = {
  ELEMENTWISE_OPS (arithmetic),
  ELEMENTWISE_OPS (division),
  ELEMENTWISE_OPS (power),
  ELEMENTWISE_OPS (order),
  ELEMENTWISE_OPS (compare),
  ELEMENTWISE_OPS (logic),
  ELEMENTWISE_OPS (bits),
  ELEMENTWISE_OPS (rounding),
  ELEMENTWISE_OPS (math),
  ELEMENTWISE_OPS (float),
  ELEMENTWISE_OPS (activation),
  ELEMENTWISE_OPS (select),
  NULL,
};
