/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of this plugin share. A family of ops is made in three moves: an
 * expression macro over (T, W, a, b) says what one element is; a LOOP macro over a
 * list of dtypes makes a CandelaLoopFunc per dtype; a ROW macro over the same list
 * makes the kernel table. Lists are ordered smallest dtype first, since the engine
 * takes the first row that the inputs can be cast to.
 *
 * T is the C type of an element. W is the type that integers are computed in:
 * unsigned, so that overflow wraps, and at least as wide as int, so that nothing is
 * promoted back to a signed type on the way. */
#pragma once

#include "reference.h"

#include <candela/candela-plugin.h>
#include <math.h>

G_BEGIN_DECLS

#define ELEMENTWISE_BOOL(X, op, E) X (op, BOOL, guint8, guint32, E)

#define ELEMENTWISE_INTEGERS(X, op, E)                                                                                 \
  X (op, INT8, gint8, guint32, E)                                                                                      \
  X (op, UINT8, guint8, guint32, E)                                                                                    \
  X (op, INT16, gint16, guint32, E)                                                                                    \
  X (op, UINT16, guint16, guint32, E)                                                                                  \
  X (op, INT32, gint32, guint32, E)                                                                                    \
  X (op, UINT32, guint32, guint32, E)                                                                                  \
  X (op, INT64, gint64, guint64, E)                                                                                    \
  X (op, UINT64, guint64, guint64, E)

#define ELEMENTWISE_SIGNED(X, op, E)                                                                                   \
  X (op, INT8, gint8, guint32, E)                                                                                      \
  X (op, INT16, gint16, guint32, E)                                                                                    \
  X (op, INT32, gint32, guint32, E)                                                                                    \
  X (op, INT64, gint64, guint64, E)

#define ELEMENTWISE_UNSIGNED(X, op, E)                                                                                 \
  X (op, UINT8, guint8, guint32, E)                                                                                    \
  X (op, UINT16, guint16, guint32, E)                                                                                  \
  X (op, UINT32, guint32, guint32, E)                                                                                  \
  X (op, UINT64, guint64, guint64, E)

/* float16 and bfloat16, of which elements are only moved, or a sign changed; what computes has no
 * rows of these, and is called for them in float32. */
#define ELEMENTWISE_HALVES(X, op, E)                                                                                   \
  X (op, FLOAT16, guint16, guint16, E)                                                                                 \
  X (op, BFLOAT16, guint16, guint16, E)

#define ELEMENTWISE_FLOAT32(X, op, E) X (op, FLOAT32, float, float, E)
#define ELEMENTWISE_FLOAT64(X, op, E) X (op, FLOAT64, double, double, E)

#define ELEMENTWISE_FLOATS(X, op, E)                                                                                   \
  ELEMENTWISE_FLOAT32 (X, op, E)                                                                                       \
  ELEMENTWISE_FLOAT64 (X, op, E)

#define ELEMENTWISE_NUMBERS(X, op, E)                                                                                  \
  ELEMENTWISE_INTEGERS (X, op, E)                                                                                      \
  ELEMENTWISE_FLOATS (X, op, E)

#define ELEMENTWISE_ALL(X, op, E)                                                                                      \
  ELEMENTWISE_BOOL (X, op, E)                                                                                          \
  ELEMENTWISE_NUMBERS (X, op, E)

/* A loop of one, two inputs into elements of TO. Only element k of an input is read
 * for element k of the output, and before it is written: ivdep is true in place too. */
#define ELEMENTWISE_LOOP_1(op, DT, T, W, TO, E)                                                                        \
  static void op##_##DT (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)           \
  {                                                                                                                    \
    const T *x = in[0];                                                                                                \
    TO *y = out[0];                                                                                                    \
                                                                                                                       \
    _Pragma ("GCC ivdep") for (gsize k = 0; k < n; k++)                                                                \
    {                                                                                                                  \
      const T a = x[k];                                                                                                \
      y[k] = (TO) E (T, W, a);                                                                                         \
    }                                                                                                                  \
  }

#define ELEMENTWISE_LOOP_2(op, DT, T, W, TO, E)                                                                        \
  static void op##_##DT (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)           \
  {                                                                                                                    \
    const T *x1 = in[0], *x2 = in[1];                                                                                  \
    TO *y = out[0];                                                                                                    \
                                                                                                                       \
    _Pragma ("GCC ivdep") for (gsize k = 0; k < n; k++)                                                                \
    {                                                                                                                  \
      const T a = x1[k], b = x2[k];                                                                                    \
      y[k] = (TO) E (T, W, a, b);                                                                                      \
    }                                                                                                                  \
  }

/* The same dtype out as in; or bool out. */
#define ELEMENTWISE_UNARY(op, DT, T, W, E) ELEMENTWISE_LOOP_1 (op, DT, T, W, T, E)
#define ELEMENTWISE_BINARY(op, DT, T, W, E) ELEMENTWISE_LOOP_2 (op, DT, T, W, T, E)
#define ELEMENTWISE_TEST(op, DT, T, W, E) ELEMENTWISE_LOOP_1 (op, DT, T, W, guint8, E)
#define ELEMENTWISE_COMPARISON(op, DT, T, W, E) ELEMENTWISE_LOOP_2 (op, DT, T, W, guint8, E)

#define ELEMENTWISE_UNARY_ROW(op, DT, T, W, E)                                                                         \
  { .in = { CANDELA_DTYPE_##DT }, .out = { CANDELA_DTYPE_##DT }, .loop = op##_##DT },
#define ELEMENTWISE_BINARY_ROW(op, DT, T, W, E)                                                                        \
  { .in = { CANDELA_DTYPE_##DT, CANDELA_DTYPE_##DT }, .out = { CANDELA_DTYPE_##DT }, .loop = op##_##DT },
#define ELEMENTWISE_TEST_ROW(op, DT, T, W, E)                                                                          \
  { .in = { CANDELA_DTYPE_##DT }, .out = { CANDELA_DTYPE_BOOL }, .loop = op##_##DT },
#define ELEMENTWISE_COMPARISON_ROW(op, DT, T, W, E)                                                                    \
  { .in = { CANDELA_DTYPE_##DT, CANDELA_DTYPE_##DT }, .out = { CANDELA_DTYPE_BOOL }, .loop = op##_##DT },

/* The kernel table of an op, from lists of rows. */
#define ELEMENTWISE_TABLE(op, ...) static const CandelaKernelInfo op##_kernels[] = { __VA_ARGS__{ .loop = NULL } };

/* The declaration of an op whose loops, table (op_kernels) and texts (REFERENCE_op) are
 * there; what is not common to all follows as designated initializers. */
#define ELEMENTWISE_OP(op, op_inputs, op_summary, ...)                                                                 \
  static const CandelaOpInfo op##_info = { .struct_size = sizeof (CandelaOpInfo),                                      \
                                           .name = #op,                                                                \
                                           .summary = op_summary,                                                      \
                                           REFERENCE_##op,                                                             \
                                           .since = "1.0",                                                             \
                                           .inputs = op_inputs,                                                        \
                                           .axes = CANDELA_AXES_ELEMENTWISE,                                           \
                                           .kernels = op##_kernels,                                                    \
                                           __VA_ARGS__ };

/* Loops, table and declaration of an op over floats: integers and bool are read as float64. */
#define ELEMENTWISE_FLOAT_UNARY(op, E, op_summary, ...)                                                                \
  ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY, op, E)                                                                        \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY_ROW, op, E))                                            \
  ELEMENTWISE_OP (op, elementwise_x, op_summary, .infer = elementwise_infer_floating, __VA_ARGS__)

#define ELEMENTWISE_FLOAT_BINARY(op, E, op_summary, ...)                                                               \
  ELEMENTWISE_FLOATS (ELEMENTWISE_BINARY, op, E)                                                                       \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_FLOATS (ELEMENTWISE_BINARY_ROW, op, E))                                           \
  ELEMENTWISE_OP (op, elementwise_x1_x2, op_summary, .infer = elementwise_infer_floating, __VA_ARGS__)

/* Kinds of dtypes by the standard's categories. */
#define ELEMENTWISE_KIND_INTEGER (CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED)
#define ELEMENTWISE_KIND_NUMERIC (ELEMENTWISE_KIND_INTEGER | CANDELA_DTYPE_KIND_FLOAT)
#define ELEMENTWISE_KIND_REAL (ELEMENTWISE_KIND_NUMERIC | CANDELA_DTYPE_KIND_BOOL)
#define ELEMENTWISE_KIND_ANY (ELEMENTWISE_KIND_REAL | CANDELA_DTYPE_KIND_COMPLEX)

/* inputs.c: the inputs x, and x1 and x2, of any dtype, of any real one (bool among
 * them), of numbers, of integers or bool. */
extern const CandelaInputInfo elementwise_x_any[];
extern const CandelaInputInfo elementwise_x[];
extern const CandelaInputInfo elementwise_x_numeric[];
extern const CandelaInputInfo elementwise_x_bits[];
extern const CandelaInputInfo elementwise_x1_x2_any[];
extern const CandelaInputInfo elementwise_x1_x2[];
extern const CandelaInputInfo elementwise_x1_x2_numeric[];
extern const CandelaInputInfo elementwise_x1_x2_bits[];

/* Broadcasts and promotes; what is not floating is read as float64, the default
 * floating dtype. */
gboolean elementwise_infer_floating (CandelaInference *inference, GError **error);

/* The ops of every file: a list of lists, each up to a NULL. The files are compiled
 * once for each instruction set, whose name the build gives as ELEMENTWISE_SET and
 * which ends the names of what they share. */
extern const CandelaOpInfo *const *const elementwise_ops_baseline[];
#ifdef ELEMENTWISE_HAVE_X86_SETS
extern const CandelaOpInfo *const *const elementwise_ops_avx2[];
extern const CandelaOpInfo *const *const elementwise_ops_avx512[];
#endif

#ifdef ELEMENTWISE_SET
#define ELEMENTWISE_OPS(file) ELEMENTWISE_OPS_OF (file, ELEMENTWISE_SET)
#define ELEMENTWISE_OPS_OF(file, set) ELEMENTWISE_OPS_PASTE (file, set)
#define ELEMENTWISE_OPS_PASTE(file, set) elementwise_##file##_ops_##set

/* The ops of each file, up to a NULL. */
extern const CandelaOpInfo *const ELEMENTWISE_OPS (arithmetic)[];
extern const CandelaOpInfo *const ELEMENTWISE_OPS (division)[];
extern const CandelaOpInfo *const ELEMENTWISE_OPS (power)[];
extern const CandelaOpInfo *const ELEMENTWISE_OPS (order)[];
extern const CandelaOpInfo *const ELEMENTWISE_OPS (compare)[];
extern const CandelaOpInfo *const ELEMENTWISE_OPS (logic)[];
extern const CandelaOpInfo *const ELEMENTWISE_OPS (bits)[];
extern const CandelaOpInfo *const ELEMENTWISE_OPS (rounding)[];
extern const CandelaOpInfo *const ELEMENTWISE_OPS (math)[];
extern const CandelaOpInfo *const ELEMENTWISE_OPS (float)[];
extern const CandelaOpInfo *const ELEMENTWISE_OPS (activation)[];
extern const CandelaOpInfo *const ELEMENTWISE_OPS (select)[];
#endif

G_END_DECLS
