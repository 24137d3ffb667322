/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/op/op.h>

G_BEGIN_DECLS

CANDELA_AVAILABLE_IN_1_0
CandelaOp *candela_op_new_foreign (const char *name, const char *library, const char *symbol, const char *signature,
                                   GVariant *options, GError **error);

G_END_DECLS
