/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For bindings; candela.h has what programs in C need. */
#pragma once

#include <candela/value/tensor.h>

G_BEGIN_DECLS

CANDELA_AVAILABLE_IN_1_0
gpointer candela_tensor_to_dlpack (CandelaTensor *tensor, gboolean versioned, gboolean copy, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaTensor *candela_tensor_new_for_dlpack (gpointer managed, gboolean versioned, GError **error);

CANDELA_AVAILABLE_IN_1_0
gpointer candela_dlpack_get_capsule_destructor (gpointer is_valid, gpointer get_pointer);

G_END_DECLS
