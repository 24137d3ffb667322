/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A reduction of which a kernel takes rows of any dtype. */
#include "rows-module.h"

static const CandelaKernelInfo its_kernels[] = { { .compute = compute_one, .rows = take_rows }, { .compute = NULL } };

ROWS_OP ("bad-rows", "rowed")
