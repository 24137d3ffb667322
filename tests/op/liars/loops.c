/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Loops that lie: one rule broken by each. */
#include "liars.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Where it reads and writes ---- */

LOOP_FUNC (loop_reads_behind)
{
  const volatile double *x = in[0];
  double *y = out[0];

  for (gsize i = 0; i < n; i++)
    y[i] = x[i] + 0 * x[i + 1];
}
LOOP (loop_reads_behind);

LOOP_FUNC (loop_writes_behind)
{
  memcpy (out[0], in[0], n * sizeof (double));
  ((volatile double *) out[0])[n] = 1;
}
LOOP (loop_writes_behind);

LOOP_FUNC (loop_writes_before)
{
  memcpy (out[0], in[0], n * sizeof (double));
  ((volatile double *) out[0])[-1] = 1;
}
LOOP (loop_writes_before);

LOOP_FUNC (loop_writes_input)
{
  memcpy (out[0], in[0], n * sizeof (double));
  ((volatile double *) in[0])[0] = 1;
}
LOOP (loop_writes_input);

LOOP_FUNC (loop_leaves_some)
{
  memcpy (out[0], in[0], n / 2 * 2 * sizeof (double));
}
LOOP (loop_leaves_some);

/* What it writes is wider than its row says. */
LOOP_FUNC (loop_widens)
{
  for (gsize i = 0; i < n; i++)
    ((volatile double *) out[0])[i] = ((const float *) in[0])[i];
}

static const CandelaKernelInfo widens_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT32 }, .out = { CANDELA_DTYPE_FLOAT32 }, .loop = loop_widens },
  { .loop = NULL },
};
OP (loop_widens, widens_kernels, .axes = CANDELA_AXES_ELEMENTWISE);

LOOP_FUNC (loop_two_and_a_half)
{
  memset (out[0], 2, n);
}

static const CandelaKernelInfo bool_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT64 }, .out = { CANDELA_DTYPE_BOOL }, .loop = loop_two_and_a_half },
  { .loop = NULL },
};
OP (loop_two_and_a_half, bool_kernels, .axes = CANDELA_AXES_ELEMENTWISE);

/* ---- What its bits depend on ---- */

LOOP_FUNC (loop_counts_calls)
{
  static double calls;

  calls++;
  for (gsize i = 0; i < n; i++)
    ((double *) out[0])[i] = ((const double *) in[0])[i] * 0 + calls;
}
LOOP (loop_counts_calls);

LOOP_FUNC (loop_asks_the_time)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  for (gsize i = 0; i < n; i++)
    ((double *) out[0])[i] = (double) now.tv_nsec;
}
LOOP (loop_asks_the_time);

LOOP_FUNC (loop_by_address)
{
  gboolean aligned = (guintptr) out[0] % 64 == 0;

  for (gsize i = 0; i < n; i++)
    ((double *) out[0])[i] = aligned ? 1 : 1 + 0x1p-52;
}
LOOP (loop_by_address);

LOOP_FUNC (loop_by_index)
{
  for (gsize i = 0; i < n; i++)
    ((double *) out[0])[i] = i % 4 == 3 ? 1 + 0x1p-52 : 1;
}
LOOP (loop_by_index);

/* As a vector body and its tail might be. */
LOOP_FUNC (loop_by_length)
{
  for (gsize i = 0; i < n; i++)
    ((double *) out[0])[i] = i < n / 4 * 4 ? 1 + 0x1p-52 : 1;
}
LOOP (loop_by_length);

LOOP_FUNC (loop_looks_back)
{
  const double *x = in[0];
  double *y = out[0];

  for (gsize i = 0; i < n; i++)
    y[i] = i > 0 ? x[i - 1] : 0;
}
LOOP (loop_looks_back);

LOOP_FUNC (loop_by_threads)
{
  for (gsize i = 0; i < n; i++)
    ((double *) out[0])[i] = candela_get_num_threads ();
}
LOOP (loop_by_threads);

/* "on any thread, several at once" */
LOOP_FUNC (loop_shares_memory)
{
  static double shared[1 << 18];

  memcpy (shared, in[0], n * sizeof (double));
  for (gsize i = 0; i < n; i++)
    ((volatile double *) out[0])[i] = shared[i] * 2;
}
LOOP (loop_shares_memory);

/* ---- In place ---- */

LOOP_FUNC (loop_writes_first)
{
  const volatile double *x = in[0];
  volatile double *y = out[0];

  for (gsize i = 0; i < n; i++)
    {
      y[i] = 1;
      y[i] = y[i] + x[i];
    }
}
LOOP (loop_writes_first);

LOOP_FUNC (loop_reads_twice)
{
  const volatile double *x = in[0];
  volatile double *y = out[0];

  for (gsize i = 0; i < n; i++)
    y[i] = x[i] * 2;
  for (gsize i = 0; i < n; i++)
    y[i] = y[i] + x[i];
}
LOOP (loop_reads_twice);

/* ---- What it is equal to ---- */

static int
fold_always (const CandelaInference *inference)
{
  return 0;
}

LOOP_FUNC (loop_folds)
{
  for (gsize i = 0; i < n; i++)
    ((double *) out[0])[i] = ((const double *) in[0])[i] * 2;
}
LOOP (loop_folds, .fold = fold_always);

/* ---- Whether it comes back ---- */

LOOP_FUNC (loop_crashes)
{
  static gint *volatile nowhere;

  *nowhere = 1;
}
LOOP (loop_crashes);

LOOP_FUNC (loop_hangs)
{
  for (volatile gboolean on = TRUE; on;)
    ;
}
LOOP (loop_hangs);

LOOP_FUNC (loop_exits)
{
  exit (0);
}
LOOP (loop_exits);

LOOP_FUNC (loop_aborts)
{
  abort ();
}
LOOP (loop_aborts);

LOOP_FUNC (loop_complains)
{
  memcpy (out[0], in[0], n * sizeof (double));
  g_critical ("this should not happen");
}
LOOP (loop_complains);

/* A range whose first value it cannot bear. */
static const CandelaParamInfo by_params[] = {
  { "by", CANDELA_PARAM_INT, .default_value = "1", .minimum = 0, .maximum = 9, .summary = "what is divided by" },
  { NULL },
};

LOOP_FUNC (loop_divides)
{
  volatile gint64 by = candela_params_get_int (params, 0);

  for (gsize i = 0; i < n; i++)
    ((double *) out[0])[i] = (double) (100 / by);
}
LOOP (loop_divides, .params = by_params);

const CandelaOpInfo *const lying_loops[] = {
  &loop_reads_behind_info,
  &loop_writes_behind_info,
  &loop_writes_before_info,
  &loop_writes_input_info,
  &loop_leaves_some_info,
  &loop_widens_info,
  &loop_two_and_a_half_info,
  &loop_counts_calls_info,
  &loop_asks_the_time_info,
  &loop_by_address_info,
  &loop_by_index_info,
  &loop_by_length_info,
  &loop_looks_back_info,
  &loop_by_threads_info,
  &loop_shares_memory_info,
  &loop_writes_first_info,
  &loop_reads_twice_info,
  &loop_folds_info,
  &loop_crashes_info,
  &loop_hangs_info,
  &loop_exits_info,
  &loop_aborts_info,
  &loop_complains_info,
  &loop_divides_info,
  NULL,
};
