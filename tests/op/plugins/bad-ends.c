/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A reduction of rows that stages make, of another dtype than those that its kernel takes. */
#include "module.h"

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  return TRUE;
}

static void
take_rows (gpointer const *out, gconstpointer in, gint64 stride, gsize n_rows, gsize n, const CandelaParams *params)
{
}

static guint32
reduce_all (const CandelaParams *params, guint rank)
{
  return (1u << rank) - 1;
}

static gboolean
infer (CandelaInference *inference, GError **error)
{
  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_FLOAT64, NULL, 0, error);
}

static const CandelaInputInfo inputs[] = { { .name = "x" }, { .name = NULL } };

static const CandelaKernelInfo its_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT64 }, .out = { CANDELA_DTYPE_FLOAT64 }, .compute = compute, .rows = take_rows },
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

static const CandelaOpInfo op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "ended",
  .summary = "One",
  .inputs = inputs,
  .axes = CANDELA_AXES_REDUCTION,
  .reduced_axes = reduce_all,
  .infer = infer,
  .kernels = its_kernels,
  .rows_ends = ends,
};

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_op (plugin, &op, error);
}

CANDELA_PLUGIN_DEFINE ("bad-ends", "1.0", "MIT", "For tests", register_ops)
