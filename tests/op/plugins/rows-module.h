/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What modules share whose op is a reduction with a function that takes rows. */
#pragma once

#include "module.h"

static void
take_rows (gpointer const *out, gconstpointer in, gint64 stride, gsize n_rows, gsize n, const CandelaParams *params)
{
}

static guint32
reduce_all (const CandelaParams *params, guint rank)
{
  return (1u << rank) - 1;
}

static const CandelaInputInfo inputs[] = { { .name = "x" }, { .name = NULL } };

/* Registers one of that name, with what else the test wants of it. */
#define ROWS_OP(module, op_name, ...)                                                                                  \
  static const CandelaOpInfo op = { .struct_size = sizeof (CandelaOpInfo),                                             \
                                    .name = op_name,                                                                   \
                                    .summary = "One",                                                                  \
                                    .inputs = inputs,                                                                  \
                                    .axes = CANDELA_AXES_REDUCTION,                                                    \
                                    .reduced_axes = reduce_all,                                                        \
                                    .infer = infer_scalar,                                                             \
                                    .kernels = its_kernels,                                                            \
                                    __VA_ARGS__ };                                                                     \
                                                                                                                       \
  static gboolean register_ops (CandelaPlugin *plugin, GError **error)                                                 \
  {                                                                                                                    \
    return candela_plugin_add_op (plugin, &op, error);                                                                 \
  }                                                                                                                    \
                                                                                                                       \
  CANDELA_PLUGIN_DEFINE (module, "1.0", "MIT", "For tests", register_ops)
