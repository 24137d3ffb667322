/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of the reductions. */
#include "reduce.h"

static const CandelaOpInfo *const ops[] = {
  &reduce_sum_op, &reduce_prod_op, &reduce_mean_op, &reduce_var_op,    &reduce_std_op,    &reduce_max_op,
  &reduce_min_op, &reduce_any_op,  &reduce_all_op,  &reduce_argmax_op, &reduce_argmin_op, &reduce_moments_op,
  NULL,
};

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, ops, error);
}

CANDELA_PLUGIN_DEFINE ("reduce", "1.0.0", "LGPL-2.1-or-later", "Sums, extremes and moments along axes", register_ops)
