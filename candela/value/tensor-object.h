/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For bindings; candela.h has what programs in C need. */
#pragma once

#include <candela/value/tensor.h>

G_BEGIN_DECLS

CANDELA_AVAILABLE_IN_1_0
CandelaTensor *candela_tensor_new_for_object (CandelaDType dtype, CandelaLayout *layout, gpointer data, gsize n_bytes,
                                              CandelaMemoryFlags flags, GObject *owner, GError **error);

G_END_DECLS
