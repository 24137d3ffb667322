/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of decompositions of matrices, what is computed by them, and norms. */
#include "lapack.h"

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, lapack_cholesky_ops, error)
         && candela_plugin_add_ops (plugin, lapack_lu_ops, error)
         && candela_plugin_add_ops (plugin, lapack_power_ops, error)
         && candela_plugin_add_ops (plugin, lapack_solve_ops, error)
         && candela_plugin_add_ops (plugin, lapack_qr_ops, error)
         && candela_plugin_add_ops (plugin, lapack_eigen_ops, error)
         && candela_plugin_add_ops (plugin, lapack_singular_ops, error)
         && candela_plugin_add_ops (plugin, lapack_rank_ops, error)
         && candela_plugin_add_ops (plugin, lapack_matrix_norm_ops, error)
         && candela_plugin_add_ops (plugin, lapack_vector_norm_ops, error);
}

CANDELA_PLUGIN_DEFINE_DESCRIBED ("lapack", CANDELA_VERSION_S, "LGPL-2.1-or-later",
                                 "Decompositions and norms of matrices, by LAPACK", register_ops, lapack_describe)
