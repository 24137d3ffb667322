/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A reduction of rows that stages make, of another dtype than those that its kernel takes. */
#include "rows-module.h"

static const CandelaKernelInfo its_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT64 }, .out = { CANDELA_DTYPE_FLOAT64 }, .compute = compute_one, .rows = take_rows },
  { .compute = NULL },
};

static void
run_rows (const CandelaStage *stages, gsize size, gsize n_rows, CandelaStageMove *moves, gsize n_moves)
{
}

static void
begin (CandelaMadeRows *rows)
{
}

static void
end (void)
{
}

static const CandelaStageFamily family = { .block = 64, .run_rows = run_rows };
static const CandelaRowsEnd ends[] = {
  { .family = &family, .in = CANDELA_DTYPE_FLOAT32, .out = CANDELA_DTYPE_FLOAT64, .begin = begin, .end = end },
  { .family = NULL },
};

ROWS_OP ("bad-ends", "ended", .rows_ends = ends)
