/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/value/layout.h>
#include <gio/gio.h>

G_BEGIN_DECLS

#define CANDELA_TYPE_TENSOR (candela_tensor_get_type ())

/**
 * CandelaTensor:
 *
 * A value that has been computed or given: a buffer, a layout over it and a
 * dtype. Never changes once made.
 *
 * Since: 1.0
 */
CANDELA_AVAILABLE_IN_1_0
G_DECLARE_FINAL_TYPE (CandelaTensor, candela_tensor, CANDELA, TENSOR, GObject)

/**
 * CandelaMemoryFlags:
 * @CANDELA_MEMORY_READ_ONLY: nobody writes into the memory
 * @CANDELA_MEMORY_WRITABLE: candela_tensor_get_writable_data() may be used on it
 *
 * What may be done with foreign memory.
 *
 * Since: 1.0
 */
typedef enum {
  CANDELA_MEMORY_READ_ONLY = 0,
  CANDELA_MEMORY_WRITABLE = 1
} CandelaMemoryFlags;

#define CANDELA_TYPE_MEMORY_FLAGS (candela_memory_flags_get_type ())

CANDELA_AVAILABLE_IN_1_0
GType candela_memory_flags_get_type (void);

CANDELA_AVAILABLE_IN_1_0
CandelaTensor *candela_tensor_new (CandelaDType dtype, const gint64 *shape, gsize n_dims, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaTensor *candela_tensor_new_from_data (CandelaDType dtype, const gint64 *shape, gsize n_dims, const guint8 *data,
                                             gsize n_bytes, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaTensor *candela_tensor_new_for_bytes (CandelaDType dtype, CandelaLayout *layout, GBytes *bytes, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaTensor *candela_tensor_new_mapped (CandelaDType dtype, CandelaLayout *layout, GFile *file, guint64 offset,
                                          GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaTensor *candela_tensor_new_foreign (CandelaDType dtype, CandelaLayout *layout, gpointer data, gsize n_bytes,
                                           CandelaMemoryFlags flags, GDestroyNotify destroy, gpointer owner,
                                           GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaDType candela_tensor_get_dtype (CandelaTensor *tensor);

CANDELA_AVAILABLE_IN_1_0
CandelaLayout *candela_tensor_get_layout (CandelaTensor *tensor);

CANDELA_AVAILABLE_IN_1_0
const gint64 *candela_tensor_get_shape (CandelaTensor *tensor, gsize *n_dims);

CANDELA_AVAILABLE_IN_1_0
gint64 candela_tensor_get_n_elements (CandelaTensor *tensor);

CANDELA_AVAILABLE_IN_1_0
gconstpointer candela_tensor_get_data (CandelaTensor *tensor);

CANDELA_AVAILABLE_IN_1_0
gpointer candela_tensor_get_writable_data (CandelaTensor *tensor);

CANDELA_AVAILABLE_IN_1_0
GBytes *candela_tensor_get_bytes (CandelaTensor *tensor, GError **error);

CANDELA_AVAILABLE_IN_1_0
double candela_tensor_get_double (CandelaTensor *tensor, const gint64 *index, gsize n_dims, GError **error);

CANDELA_AVAILABLE_IN_1_0
gint64 candela_tensor_get_int64 (CandelaTensor *tensor, const gint64 *index, gsize n_dims, GError **error);

CANDELA_AVAILABLE_IN_1_0
char *candela_tensor_to_string (CandelaTensor *tensor);

CANDELA_AVAILABLE_IN_1_0
char *candela_tensor_to_literal (CandelaTensor *tensor, guint indent);

G_END_DECLS
