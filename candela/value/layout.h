/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/value/dtype.h>

G_BEGIN_DECLS

/**
 * CANDELA_MAX_RANK:
 *
 * The largest number of axes of a layout.
 *
 * Since: 1.0
 */
#define CANDELA_MAX_RANK 32

#define CANDELA_TYPE_LAYOUT (candela_layout_get_type ())

/**
 * CandelaLayout:
 *
 * Where the elements of a value are: shape, strides and offset, counted in
 * elements. The element at index (i0, i1, …) is the one at
 * `offset + i0 * stride[0] + i1 * stride[1] + …` of the buffer. Strides may be
 * negative (a reversed axis) or zero (a broadcast one). Immutable and
 * reference-counted.
 *
 * Since: 1.0
 */
typedef struct _CandelaLayout CandelaLayout;

/**
 * CANDELA_SLICE_NONE:
 *
 * A start or stop of a slice that is not given.
 *
 * Since: 1.0
 */
#define CANDELA_SLICE_NONE ((gint64) (-G_GINT64_CONSTANT (9223372036854775807) - 1))

CANDELA_AVAILABLE_IN_1_0
GType candela_layout_get_type (void);

CANDELA_AVAILABLE_IN_1_0
CandelaLayout *candela_layout_new (const gint64 *shape, gsize n_dims, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaLayout *candela_layout_new_strided (const gint64 *shape, gsize n_dims, const gint64 *strides, gsize n_strides,
                                           gint64 offset, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaLayout *candela_layout_ref (CandelaLayout *layout);

CANDELA_AVAILABLE_IN_1_0
void candela_layout_unref (CandelaLayout *layout);

CANDELA_AVAILABLE_IN_1_0
guint candela_layout_get_rank (const CandelaLayout *layout);

CANDELA_AVAILABLE_IN_1_0
const gint64 *candela_layout_get_shape (const CandelaLayout *layout, gsize *n_dims);

CANDELA_AVAILABLE_IN_1_0
const gint64 *candela_layout_get_strides (const CandelaLayout *layout, gsize *n_dims);

CANDELA_AVAILABLE_IN_1_0
gint64 *candela_layout_get_adj_strides (const CandelaLayout *layout, gsize *n_dims);

CANDELA_AVAILABLE_IN_1_0
gint64 candela_layout_get_offset (const CandelaLayout *layout);

CANDELA_AVAILABLE_IN_1_0
gint64 candela_layout_get_n_elements (const CandelaLayout *layout);

CANDELA_AVAILABLE_IN_1_0
void candela_layout_get_extent (const CandelaLayout *layout, gint64 *first, gint64 *end);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_layout_is_contiguous (const CandelaLayout *layout);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_layout_is_injective (const CandelaLayout *layout);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_layout_equal (const CandelaLayout *a, const CandelaLayout *b);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_layout_same_shape (const CandelaLayout *a, const CandelaLayout *b);

CANDELA_AVAILABLE_IN_1_0
char *candela_layout_to_string (const CandelaLayout *layout);

CANDELA_AVAILABLE_IN_1_0
CandelaLayout *candela_layout_view (const CandelaLayout *layout, const gint64 *shape, gsize n_dims, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaLayout *candela_layout_slice (const CandelaLayout *layout, gint64 axis, gint64 start, gint64 stop, gint64 step,
                                     GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaLayout *candela_layout_select (const CandelaLayout *layout, gint64 axis, gint64 index, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaLayout *candela_layout_permute (const CandelaLayout *layout, const gint64 *axes, gsize n_axes, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaLayout *candela_layout_broadcast (const CandelaLayout *layout, const gint64 *shape, gsize n_dims,
                                         GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaLayout *candela_layout_expand (const CandelaLayout *layout, gint64 axis, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaLayout *candela_layout_squeeze (const CandelaLayout *layout, const gint64 *axes, gsize n_axes, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaLayout *candela_layout_flip (const CandelaLayout *layout, const gint64 *axes, gsize n_axes, GError **error);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_axis_normalize (gint64 *axis, guint rank, GError **error);

CANDELA_AVAILABLE_IN_1_0
char *candela_shape_to_string (const gint64 *shape, gsize n_dims);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CandelaLayout, candela_layout_unref)

G_END_DECLS
