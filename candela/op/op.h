/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/value/tensor.h>

G_BEGIN_DECLS

#define CANDELA_TYPE_OP (candela_op_get_type ())

/**
 * CandelaOp:
 *
 * An operation, as its plugin declares it: name, inputs, outputs, parameters,
 * and the facts from which the planner decides. One instance per op.
 *
 * Since: 1.0
 */
CANDELA_AVAILABLE_IN_1_0
G_DECLARE_DERIVABLE_TYPE (CandelaOp, candela_op, CANDELA, OP, GObject)

CANDELA_AVAILABLE_IN_1_0
const char *candela_op_get_name (CandelaOp *op);

CANDELA_AVAILABLE_IN_1_0
const char *candela_op_get_summary (CandelaOp *op);

CANDELA_AVAILABLE_IN_1_0
const char *candela_op_get_since (CandelaOp *op);

CANDELA_AVAILABLE_IN_1_0
const char *candela_op_get_plugin_name (CandelaOp *op);

CANDELA_AVAILABLE_IN_1_0
char **candela_op_list_inputs (CandelaOp *op);

CANDELA_AVAILABLE_IN_1_0
guint candela_op_get_n_required_inputs (CandelaOp *op);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_op_is_variadic (CandelaOp *op);

CANDELA_AVAILABLE_IN_1_0
char **candela_op_list_outputs (CandelaOp *op);

CANDELA_AVAILABLE_IN_1_0
char **candela_op_list_operators (CandelaOp *op);

CANDELA_AVAILABLE_IN_1_0
GParamSpec **candela_op_list_params (CandelaOp *op, guint *n_params);

CANDELA_AVAILABLE_IN_1_0
const char *candela_op_get_gradient (CandelaOp *op, guint input);

CANDELA_AVAILABLE_IN_1_0
GVariant *candela_op_describe (CandelaOp *op);

G_END_DECLS
