/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/op/op.h>

G_BEGIN_DECLS

CANDELA_AVAILABLE_IN_1_0
GVariant *candela_op_check (CandelaOp *op, guint64 seed, guint n_cases, guint limit, GCancellable *cancellable,
                            GError **error);

CANDELA_AVAILABLE_IN_1_0
GVariant *candela_list_checked_facts (void);

G_END_DECLS
