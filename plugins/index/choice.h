/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What gather and the ops that write share: several arrays of indices, each for an axis
 * of its own, and writing units of values to where offsets say. */
#pragma once

#include "index.h"

G_BEGIN_DECLS

/* The arrays of indices, broadcast together, stand for the axes that they index: where
 * the first of these was if they are side by side, else before all others, as in
 * NumPy's x[:, i, j] and x[i, :, j]. */
typedef struct
{
  guint n_arrays;
  guint axes[CANDELA_MAX_RANK];   /* of x, for each array */
  guint place;                    /* how many of x's other axes come first */
  guint rank;                     /* of the arrays together */
  gint64 shape[CANDELA_MAX_RANK]; /* the same */
} IndexKey;

/* The axes that a parameter names for arrays from an input on; those from first on, if
 * it is not given. FALSE with an error set if x does not have them. */
gboolean index_key_infer (IndexKey *key, const CandelaInference *inference, guint first, guint param, GError **error);

/* One array for one axis, counted from the front. */
void index_key_set_one (IndexKey *key, int axis);

/* Broadcasts the arrays, which are inputs from first on, and says of what shape x[key]
 * is; FALSE with an error set if they do not go together. */
gboolean index_key_infer_shape (IndexKey *key, const CandelaInference *inference, guint first, gint64 *shape,
                                guint *rank, GError **error);

/* The same, once they are: the shape's rank. */
guint index_key_get_shape (const IndexKey *key, const CandelaLayout *x, gint64 *shape);

/* For a kernel: the axes again, which are known to be right. */
void index_key_read (IndexKey *key, const CandelaKernel *kernel, guint first, guint param);

/* Axes that are gone through in row-major order; neighbours that step alike are one. */
typedef struct
{
  guint rank;
  gint64 shape[CANDELA_MAX_RANK], strides[CANDELA_MAX_RANK];
  gint64 n; /* elements of all */
} IndexAxes;

/* Where an element is, from the first one on. */
gint64 index_axes_find (const IndexAxes *axes, gint64 index);

/* A key over a layout of x, for a kernel. */
typedef struct
{
  CandelaKernel *kernel;
  IndexKey key;
  IndexCheck checks[CANDELA_MAX_RANK];
  CandelaLayout *layouts[CANDELA_MAX_RANK]; /* of the indices, broadcast together */
  gint64 strides[CANDELA_MAX_RANK];         /* of the axes that they index */
  gint64 n;                                 /* of each array, broadcast */
  IndexAxes outer, inner;                   /* x's other axes, before the indices' place and from there on */
} IndexChoice;

/* Of a key that has its axes, over a layout of x's shape. To be ended also if it fails. */
gboolean index_choice_init (IndexChoice *choice, CandelaKernel *kernel, const char *op, const IndexKey *key,
                            guint first, const CandelaLayout *layout, GError **error);

/* n offsets, in elements of x, from a logical index of the indices on; FALSE if one is
 * out of range: it is remembered. */
gboolean index_choice_read (IndexChoice *choice, gint64 start, gint64 n, gint64 *offsets);

/* Reads all, so that what is out of range is known before anything is written. */
gboolean index_choice_check (IndexChoice *choice);

/* AXIS if an index was out of range, or the cancellable's error. */
gboolean index_choice_end (IndexChoice *choice, GError **error);

/* n elements, each that many elements after the one before. */
void index_copy (guint8 *to, gint64 to_step, const guint8 *from, gint64 from_step, gint64 n, gsize size);

/* Where values go: each a unit, packed in the input, laid out in the output as axes say. */
typedef struct
{
  CandelaKernel *kernel;
  guint input;                 /* the values */
  const CandelaLayout *layout; /* over them: units one after the other */
  CandelaDType dtype;          /* of the output */
  gsize size;
  guint8 *out;
  const IndexAxes *unit;
  const guint8 *data; /* where the values lie packed as they are wanted, or NULL */
  gboolean alone;     /* one element stands for all; it is in element */
  guint8 element[16];
} IndexWriter;

void index_writer_init (IndexWriter *writer, CandelaKernel *kernel, guint input, const CandelaLayout *layout,
                        const IndexAxes *unit);

/* Elements from to end - 1 of n units, the value's units from first on, to base +
 * offsets[i]; in order, so that a later one wins. */
void index_write (const IndexWriter *writer, gint64 base, const gint64 *offsets, gint64 n, gint64 first, gint64 from,
                  gint64 end);

/* The output is of x's dtype and shape; FALSE with an error set if values of that input
 * cannot be put into it: they must be of its kind, or of one that this holds. */
gboolean index_infer_written (CandelaInference *inference, guint input, GError **error);

extern const CandelaOpInfo index_gather_op, index_scatter_op, index_put_op, index_place_op;

G_END_DECLS
