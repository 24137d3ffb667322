/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * All ops of the plugin, as compiled for one instruction set. */
#include "reduce.h"

const CandelaOpInfo *const REDUCE_NAME (ops)[] = {
  &REDUCE_NAME (sum),
  &REDUCE_NAME (sum_to),
  &REDUCE_NAME (prod),
  &REDUCE_NAME (mean),
  &REDUCE_NAME (var),
  &REDUCE_NAME (std),
  &REDUCE_NAME (max),
  &REDUCE_NAME (min),
  &REDUCE_NAME (any),
  &REDUCE_NAME (all),
  &REDUCE_NAME (count_nonzero),
  &REDUCE_NAME (argmax),
  &REDUCE_NAME (argmin),
  &REDUCE_NAME (moments),
  NULL,
};
