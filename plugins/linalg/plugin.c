/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of the products. */
#include "linalg.h"

static const CandelaOpInfo *const ops[] = { &linalg_matmul_op,
                                            &linalg_vecdot_op,
                                            &linalg_outer_op,
                                            &linalg_tensordot_op,
                                            &linalg_einsum_op,
                                            &linalg_cross_op,
                                            NULL };

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, ops, error);
}

CANDELA_PLUGIN_DEFINE_DESCRIBED ("linalg", "1.0.0", "LGPL-2.1-or-later", "Matrix and vector products", register_ops,
                                 linalg_describe)
