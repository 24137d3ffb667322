/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of this plugin share. The ops here move no elements: each answers
 * with another layout over its input's buffer, made by the layout algebra, whose
 * errors the engine prefixes with the op's name. */
#pragma once

#include <candela/candela-plugin.h>

G_BEGIN_DECLS

/* The one input x, of any dtype. */
extern const CandelaInputInfo layout_x[];

/* The declaration of an op over x whose result is a reference; what is not common
 * to all follows as designated initializers. */
#define LAYOUT_OP(op, op_summary, ...)                                                                                 \
  static const CandelaOpInfo op##_info = { .struct_size = sizeof (CandelaOpInfo),                                      \
                                           .name = #op,                                                                \
                                           .summary = op_summary,                                                      \
                                           .since = "1.0",                                                             \
                                           .inputs = layout_x,                                                         \
                                           .axes = CANDELA_AXES_OPAQUE,                                                \
                                           .takes_halves = TRUE,                                                       \
                                           __VA_ARGS__ };

/* In a gradient: the cotangent where i, places in x, tells, in zeros of the shape of x. */
#define LAYOUT_PUT_BACK "reshape(put(zeros([x.size], dtype=x.dtype), reshape(i, [-1]), reshape(grad, [-1])), x.shape)"

/* Answers with that layout over x, which is taken over; NULL, where an error was
 * set, is passed on. */
gboolean layout_answer (CandelaInference *inference, CandelaLayout *layout);

/* The kernel of ops that sometimes copy: all elements of x, in logical order. */
extern const CandelaKernelInfo layout_copy_kernels[];

/* index.c: the layout that text between brackets selects of x. inference: NULL where
 * the key was read before, for a layout of this shape. */
CandelaLayout *layout_index (const CandelaInference *inference, const CandelaLayout *layout, const char *key,
                             GError **error);

/* The ops of each file, up to a NULL. */
extern const CandelaOpInfo *const layout_copy_ops[];
extern const CandelaOpInfo *const layout_shape_ops[];
extern const CandelaOpInfo *const layout_axes_ops[];
extern const CandelaOpInfo *const layout_index_ops[];
extern const CandelaOpInfo *const layout_update_ops[];

G_END_DECLS
