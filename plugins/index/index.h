/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of this plugin share: indices of any integer dtype, read as numbers
 * from 0 on, and the first of them that is no index. */
#pragma once

#include <candela/candela-plugin.h>
#include <pthread.h>
#include <string.h>

G_BEGIN_DECLS

/* Elements of a piece, which one thread does at a time. */
#define INDEX_PIECE (64 * 1024)
/* Indices that are read together. */
#define INDEX_BLOCK 1024

/* The inputs of both ops. */
#define INDEX_INPUT_X 0
#define INDEX_INPUT_INDICES 1

/* The op's name for its errors, and the position of the first wrong index that has been
 * met; -1: none. */
typedef struct
{
  CandelaKernel *kernel;
  const char *op;
  guint input; /* which the indices are */
  guint axis;
  gint64 length; /* of that axis */
  gint64 wrong;
  pthread_mutex_t lock;
} IndexCheck;

void index_check_init (IndexCheck *check, CandelaKernel *kernel, const char *op, guint axis, gint64 length);

/* Reads n indices from a logical index of a layout over the input on; those from the end
 * are counted from the front. FALSE if one is out of range: it is remembered. */
gboolean index_read (IndexCheck *check, const CandelaLayout *layout, gint64 start, gint64 n, gint64 *indices);

/* Whether there is no reason to go on. */
gboolean index_stopped (IndexCheck *check);

/* To be called at the end: PARAMETER if an index was out of range, or the cancellable's
 * error. The layout is the one that the indices were read by. */
gboolean index_check_end (IndexCheck *check, const CandelaLayout *layout, GError **error);

/* The axis, counted from the front; -1 and AXIS if x does not have it. */
int index_check_axis (const CandelaInference *inference, gint64 axis, GError **error);

/* Elements i of out are those at in + indices[i] * stride + i * step. */
void index_gather (guint8 *out, const guint8 *in, const gint64 *indices, gint64 stride, gint64 step, gint64 n,
                   gsize size);

/* Units of so many elements, which lie packed: unit i of out is that at in, after
 * indices[i] steps. */
void index_gather_units (guint8 *out, const guint8 *in, const gint64 *indices, gint64 step, gint64 n, gint64 unit,
                         gsize size);

extern const CandelaInputInfo index_inputs[];
extern const CandelaOpInfo index_take_op, index_take_along_axis_op;
extern const CandelaOpInfo index_nonzero_op, index_boolean_mask_op;

G_END_DECLS
