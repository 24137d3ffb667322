/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of element-wise ops: every element-wise function of the Python array
 * API standard 2024.12, and the activations. */
#include "elementwise.h"

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, elementwise_arithmetic_ops, error)
         && candela_plugin_add_ops (plugin, elementwise_division_ops, error)
         && candela_plugin_add_ops (plugin, elementwise_power_ops, error)
         && candela_plugin_add_ops (plugin, elementwise_order_ops, error)
         && candela_plugin_add_ops (plugin, elementwise_compare_ops, error)
         && candela_plugin_add_ops (plugin, elementwise_logic_ops, error)
         && candela_plugin_add_ops (plugin, elementwise_bits_ops, error)
         && candela_plugin_add_ops (plugin, elementwise_rounding_ops, error)
         && candela_plugin_add_ops (plugin, elementwise_math_ops, error)
         && candela_plugin_add_ops (plugin, elementwise_float_ops, error)
         && candela_plugin_add_ops (plugin, elementwise_activation_ops, error)
         && candela_plugin_add_ops (plugin, elementwise_select_ops, error);
}

CANDELA_PLUGIN_DEFINE (
  "elementwise", CANDELA_VERSION_S, "LGPL-2.1-or-later",
  "Element-wise functions: arithmetic, comparisons, logic, bits, rounding, mathematics, activations", register_ops)
