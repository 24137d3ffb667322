/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the ops without inputs share: the dtypes that they make and the way in
 * which a value becomes one of them. */
#pragma once

#include <candela/candela-plugin.h>
#include <math.h>
#include <string.h>

/* X (DTYPE, C type, smallest, largest) */
#define CREATE_INTEGERS(X)                                                                                             \
  X (INT8, gint8, G_MININT8, G_MAXINT8)                                                                                \
  X (INT16, gint16, G_MININT16, G_MAXINT16)                                                                            \
  X (INT32, gint32, G_MININT32, G_MAXINT32)                                                                            \
  X (INT64, gint64, G_MININT64, G_MAXINT64)                                                                            \
  X (UINT8, guint8, 0, G_MAXUINT8)                                                                                     \
  X (UINT16, guint16, 0, G_MAXUINT16)                                                                                  \
  X (UINT32, guint32, 0, G_MAXUINT32)                                                                                  \
  X (UINT64, guint64, 0, G_MAXINT64)

/* Elements written between two looks at the cancellable. */
#define CREATE_CHUNK (1 << 16)

/* Writes elements first to first + n - 1 of the output, whose element 0 is at out. */
typedef void (*CreateFill) (CandelaKernel *kernel, gconstpointer data, gpointer out, gint64 first, gint64 n);

/* Calls fill for the whole output, a chunk at a time. */
gboolean create_run (CandelaKernel *kernel, CreateFill fill, gconstpointer data, GError **error);

/* Whether an integer dtype holds the value; uint64 up to what an int64 can say. */
gboolean create_fits (CandelaDType dtype, gint64 value);

/* DTYPE unless the dtype is of one of the kinds. */
gboolean create_check_dtype (CandelaInference *inference, CandelaDType dtype, CandelaDTypeKind kinds, GError **error);

#define CREATE_PARAM_SHAPE                                                                                             \
  {                                                                                                                    \
    .name = "shape", .type = CANDELA_PARAM_INT_LIST, .flags = CANDELA_PARAM_REQUIRED, .minimum = 0,                    \
    .maximum = (double) G_MAXINT64, .summary = "the extents of the result"                                             \
  }
#define CREATE_PARAM_DTYPE                                                                                             \
  {                                                                                                                    \
    .name = "dtype", .type = CANDELA_PARAM_DTYPE, .default_value = "float64", .summary = "of the result"               \
  }

extern const CandelaOpInfo create_full_op, create_zeros_op, create_ones_op, create_eye_op;
extern const CandelaOpInfo create_arange_op, create_linspace_op;
extern const CandelaOpInfo create_random_uniform_op, create_random_normal_op;
