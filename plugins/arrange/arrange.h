/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of this plugin share: results whose rows are parts of the inputs
 * set side by side, and layouts packed by pieces. */
#pragma once

#include <candela/candela-plugin.h>
#include <string.h>

G_BEGIN_DECLS

/* Elements of a piece, which one thread moves at a time. */
#define ARRANGE_PIECE (64 * 1024)

/* An op of this plugin; what is not common to all follows as designated initializers. */
#define ARRANGE_OP(op, op_summary, ...)                                                                                \
  const CandelaOpInfo arrange_##op##_op = { .struct_size = sizeof (CandelaOpInfo),                                     \
                                            .name = #op,                                                               \
                                            .summary = op_summary,                                                     \
                                            .since = "1.0",                                                            \
                                            .axes = CANDELA_AXES_OPAQUE,                                               \
                                            __VA_ARGS__ };

extern const CandelaOpInfo arrange_concat_op, arrange_stack_op;
extern const CandelaOpInfo arrange_tile_op, arrange_repeat_op, arrange_roll_op;
extern const CandelaOpInfo arrange_tril_op, arrange_triu_op, arrange_diff_op;

/* x, of any dtype. */
extern const CandelaInputInfo arrange_x[];

/* infer.c */

/* The axis, counted from the front if it was from the end; -1 and AXIS if x, whose name
 * this is, does not have it. */
int arrange_check_axis (const CandelaInference *inference, const char *name, const CandelaLayout *layout, gint64 axis,
                        GError **error);

/* Product of the lengths of axes first to end - 1. */
gint64 arrange_count (const gint64 *shape, guint first, guint end);

/* SHAPE unless all inputs have the same shape, but for one axis, which may be -1: none. */
gboolean arrange_check_shapes (const CandelaInference *inference, int but, GError **error);

/* A chunk of the work on an output whose elements are gone through by pieces. */
typedef struct
{
  CandelaKernel *kernel;
  CandelaDType dtype;
  gsize size;
  guint8 *out;
  gint64 n; /* of what is cut, and how much of it is a piece */
  gint64 piece;
  void (*run) (gconstpointer pieces, gint64 start, gint64 n);
} ArrangePieces;

/* Calls pieces->run with these pieces for all n, shared among threads. */
gboolean arrange_pieces_run (const ArrangePieces *pieces, GError **error);

/* move.c */

/* So many bytes each, from and to steps of so many. */
void arrange_move_rows (guint8 *out, gint64 out_step, const guint8 *in, gint64 in_step, gint64 rows, gsize bytes);

/* Two, three or four rows of elements of so many bytes (1, 2, 4, 8 or 16) woven into one:
 * element i of row k becomes element i * step + k of out. */
void arrange_weave (guint8 *out, gint64 step, const guint8 *const *rows, guint n_rows, gint64 n, gsize size);

/* rows.c */

/* A part of every row of a result: rows by length elements, in logical order, of a
 * layout over an input's buffer. */
typedef struct
{
  guint input;
  CandelaLayout *layout;
  gint64 first; /* the logical index of the first one; 0 if there are several rows */
  gint64 length;
  const guint8 *data; /* where the rows lie, each packed; NULL if they do not */
  gint64 step;        /* bytes from one to the next */
  gint64 offset;      /* where the part begins in the result's rows */
  guint64 first_task;
} ArrangePart;

/* The row of the parts that goes to a row of the result, and how many more rows that
 * follow go there too, that one included. */
typedef gint64 (*ArrangeSourceFunc) (gconstpointer data, gint64 row, gint64 *run);

typedef struct
{
  CandelaKernel *kernel;
  CandelaDType dtype;
  gsize size;
  gint64 rows, length;
  ArrangePart *parts;
  guint n_parts;
  ArrangeSourceFunc source; /* NULL: the same row */
  gconstpointer source_data;

  guint8 *out;
  gint64 block;         /* rows that go together */
  guint64 tasks_of_row; /* where rows are so long that they are cut */
} ArrangeRows;

/* Makes ready for so many rows, in the output's dtype. */
void arrange_rows_init (ArrangeRows *rows, CandelaKernel *kernel, gint64 n_rows, guint max_parts);

/* Adds a part; the layout is taken over. */
void arrange_rows_add (ArrangeRows *rows, guint input, CandelaLayout *layout, gint64 first, gint64 length);

/* Makes some rows anywhere. */
void arrange_rows_make (const ArrangeRows *rows, gint64 row, gint64 n_rows, guint8 *out);

/* Packs n elements of a row from one on. */
void arrange_rows_fetch (const ArrangeRows *rows, gint64 row, gint64 column, gint64 n, guint8 *out);

/* Makes all rows of the output, shared among threads. */
gboolean arrange_rows_run (ArrangeRows *rows, GError **error);

void arrange_rows_clear (ArrangeRows *rows);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ArrangeRows, arrange_rows_clear)

G_END_DECLS
