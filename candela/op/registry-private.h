/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Finding ops, for the rest of the engine. */
#pragma once

#include <candela/op/op-private.h>
#include <candela/op/registry.h>

G_BEGIN_DECLS

/* The op of a name, or of an operator, which stays until candela_op_release(): a
 * plugin's does anyway, and is not counted; any other may be replaced meanwhile. */
CandelaOp *candela_registry_hold_op (CandelaRegistry *registry, const char *key, gboolean is_operator, GError **error);

G_END_DECLS
