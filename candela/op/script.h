/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/op/op.h>

G_BEGIN_DECLS

#define CANDELA_TYPE_SCRIPT_CALL (candela_script_call_get_type ())

/**
 * CandelaScriptCall:
 *
 * What the function of a script op is given: the inputs, the parameters and the outputs to
 * be written. Nothing is copied: the memory is that of the run, which may give it to
 * other values once the function has returned.
 *
 * Since: 1.0
 */
CANDELA_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (CandelaScriptCall, candela_script_call, CANDELA, SCRIPT_CALL, GObject)

CANDELA_AVAILABLE_IN_1_0
guint candela_script_call_get_n_inputs (CandelaScriptCall *call);

CANDELA_AVAILABLE_IN_1_0
CandelaTensor *candela_script_call_get_input (CandelaScriptCall *call, guint input);

CANDELA_AVAILABLE_IN_1_0
GBytes *candela_script_call_get_input_bytes (CandelaScriptCall *call, guint input, GError **error);

CANDELA_AVAILABLE_IN_1_0
guint candela_script_call_get_n_outputs (CandelaScriptCall *call);

CANDELA_AVAILABLE_IN_1_0
CandelaTensor *candela_script_call_get_output (CandelaScriptCall *call, guint output);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_script_call_get_output_address (CandelaScriptCall *call, guint output);

CANDELA_AVAILABLE_IN_1_0
GBytes *candela_script_call_get_output_bytes (CandelaScriptCall *call, guint output);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_script_call_set_output_shape (CandelaScriptCall *call, guint output, const gint64 *shape, gsize n_dims,
                                               GError **error);

CANDELA_AVAILABLE_IN_1_0
GVariant *candela_script_call_get_params (CandelaScriptCall *call);

/**
 * CandelaScriptInferFunc:
 * @inputs: the inputs' dtypes and shapes, `a(sax)`; if the op is a view, their strides and
 *   offsets too, in elements, `a(saxaxx)`
 * @params: the parameters by their names, without those that are none, `a{sv}`
 * @user_data: what candela_op_new_script() was given
 * @error: return location for an error
 *
 * Says what comes out, or why not: a pure function of what it is given.
 *
 * Returns: (transfer full) (nullable): the outputs' dtypes and shapes, `a(sax)`; if the op is
 *   a view, with strides and offsets, which count from where those of input 0 do
 *
 * Since: 1.0
 */
typedef GVariant *(*CandelaScriptInferFunc) (GVariant *inputs, GVariant *params, gpointer user_data, GError **error);

/**
 * CandelaScriptComputeFunc:
 * @call: inputs, parameters and outputs
 * @user_data: what candela_op_new_script() was given
 * @error: return location for an error
 *
 * Writes the outputs.
 *
 * Returns: %FALSE with an error set if it cannot
 *
 * Since: 1.0
 */
typedef gboolean (*CandelaScriptComputeFunc) (CandelaScriptCall *call, gpointer user_data, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaOp *candela_op_new_script (const char *name, GVariant *facts, CandelaScriptInferFunc infer, gpointer infer_data,
                                  GDestroyNotify infer_destroy, CandelaScriptComputeFunc compute, gpointer compute_data,
                                  GDestroyNotify compute_destroy, GError **error);

G_END_DECLS
