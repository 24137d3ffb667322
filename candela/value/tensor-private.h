/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/value/buffer-private.h>
#include <candela/value/tensor.h>

G_BEGIN_DECLS

/* The layout must lie within the buffer: checked by whoever made both. Takes
 * neither reference over. */
CandelaTensor *candela_tensor_new_for_buffer (CandelaDType dtype, CandelaLayout *layout, CandelaBuffer *buffer);

CandelaBuffer *candela_tensor_get_buffer (CandelaTensor *tensor);

/* The bytes of a buffer up to a layout's last element; FALSE if they overflow. */
gboolean candela_tensor_count_bytes (CandelaDType dtype, const CandelaLayout *layout, gsize *bytes);

/* value/format.c: a value as NumPy's str() prints it. */
char *candela_format_elements (CandelaDType dtype, const CandelaLayout *layout, gconstpointer buffer);
char *candela_format_literal (CandelaDType dtype, const CandelaLayout *layout, gconstpointer buffer, guint indent);

G_END_DECLS
