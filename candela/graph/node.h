/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/op/op.h>

G_BEGIN_DECLS

#define CANDELA_TYPE_NODE (candela_node_get_type ())

/**
 * CandelaNode:
 *
 * A value that need not have been computed yet: a tensor, a scalar, a
 * placeholder, or an op over other nodes. Building a node computes nothing.
 * Immutable and reference-counted; any thread may use it.
 *
 * Since: 1.0
 */
typedef struct _CandelaNode CandelaNode;

/**
 * CandelaNodeKind:
 * @CANDELA_NODE_EDGE: a value from outside: a tensor or a scalar
 * @CANDELA_NODE_OP: an op over its inputs
 * @CANDELA_NODE_OUTPUT: one of the outputs of an op with several
 * @CANDELA_NODE_CACHE: its input, kept once computed
 * @CANDELA_NODE_SLOT: a placeholder, bound to a tensor when the plan runs
 * @CANDELA_NODE_BAKED: a plan over slots as one node, its inputs bound to them
 *
 * The kinds of nodes.
 *
 * Since: 1.0
 */
typedef enum {
  CANDELA_NODE_EDGE,
  CANDELA_NODE_OP,
  CANDELA_NODE_OUTPUT,
  CANDELA_NODE_CACHE,
  CANDELA_NODE_SLOT,
  CANDELA_NODE_BAKED
} CandelaNodeKind;

#define CANDELA_TYPE_NODE_KIND (candela_node_kind_get_type ())

CANDELA_AVAILABLE_IN_1_0
GType candela_node_get_type (void);

CANDELA_AVAILABLE_IN_1_0
GType candela_node_kind_get_type (void);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_new_tensor (CandelaTensor *tensor);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_new_bool (gboolean value);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_new_int (gint64 value);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_new_float (double value);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_new_uint (guint64 value);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_new_complex (double real, double imaginary);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_new_slot (const char *name, CandelaDType dtype, const gint64 *shape, gsize n_dims,
                                    GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_new_cache (CandelaNode *node);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_new_op (const char *op, GError **error, ...);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_new_opv (const char *op, CandelaNode *const *inputs, gsize n_inputs, GVariant *params,
                                   GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_new_for_op (CandelaOp *op, CandelaNode *const *inputs, gsize n_inputs, GVariant *params,
                                      GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_new_gradient (CandelaNode *node, guint input, CandelaNode *const *cotangents,
                                        gsize n_cotangents, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_get_output (CandelaNode *node, guint output, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_ref (CandelaNode *node);

CANDELA_AVAILABLE_IN_1_0
void candela_node_unref (CandelaNode *node);

CANDELA_AVAILABLE_IN_1_0
CandelaNodeKind candela_node_get_kind (CandelaNode *node);

CANDELA_AVAILABLE_IN_1_0
CandelaDType candela_node_get_dtype (CandelaNode *node);

CANDELA_AVAILABLE_IN_1_0
CandelaLayout *candela_node_get_layout (CandelaNode *node);

CANDELA_AVAILABLE_IN_1_0
const gint64 *candela_node_get_shape (CandelaNode *node, gsize *n_dims);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_node_is_weak (CandelaNode *node);

CANDELA_AVAILABLE_IN_1_0
CandelaOp *candela_node_get_op (CandelaNode *node);

CANDELA_AVAILABLE_IN_1_0
GVariant *candela_node_get_params (CandelaNode *node);

CANDELA_AVAILABLE_IN_1_0
guint candela_node_get_n_outputs (CandelaNode *node);

CANDELA_AVAILABLE_IN_1_0
guint candela_node_get_n_inputs (CandelaNode *node);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_get_input (CandelaNode *node, guint input);

CANDELA_AVAILABLE_IN_1_0
CandelaTensor *candela_node_get_tensor (CandelaNode *node);

CANDELA_AVAILABLE_IN_1_0
GVariant *candela_node_get_scalar (CandelaNode *node);

CANDELA_AVAILABLE_IN_1_0
char *candela_node_to_string (CandelaNode *node);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CandelaNode, candela_node_unref)

G_END_DECLS
