/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the products share: the inputs that they take, matrices as they lie in
 * memory, and the way to the BLAS. */
#pragma once

#include <candela/candela-plugin.h>
#include <string.h>

/* A matrix of an operand of a product, elements counted in strides. */
typedef struct
{
  const guint8 *data;
  gint64 rows, cols;
  gint64 row_stride, col_stride;
} Matrix;

/* Multiplications that pay for handing a chunk to a thread. */
#define LINALG_CHUNK_WORK (G_GINT64_CONSTANT (1) << 21)

extern const CandelaInputInfo linalg_inputs[];

/* The shape of a product before the axes that it sums over: those of both
 * broadcast together, as NumPy does. FALSE if they do not go together. */
gboolean linalg_broadcast (const gint64 *a, gsize a_rank, const gint64 *b, gsize b_rank, gint64 *out, gsize *rank);

/* SHAPE, saying both shapes and then why. */
gboolean linalg_fail_shapes (CandelaInference *inference, const char *reason, GError **error);

/* Room for n elements of a dtype; NO_MEMORY if there is none. */
gpointer linalg_alloc (gint64 n, CandelaDType dtype, GError **error);

/* blas.c: C, packed, = A B, in float32 or float64. A BLAS that has threads works
 * on one between begin and end. */
void linalg_blas_begin (void);
void linalg_blas_end (void);
gboolean linalg_blas_fits (const Matrix *matrix);
gboolean linalg_blas_multiply (CandelaKernel *kernel, CandelaDType dtype, const Matrix *a, const Matrix *b, gpointer c,
                               GError **error);

/* integer.c: the same modulo 2^n, for integers of one dtype; the columns of b lie
 * side by side. */
gboolean linalg_integer_multiply (CandelaKernel *kernel, CandelaDType dtype, const Matrix *a, const Matrix *b,
                                  gpointer c, GError **error);

extern const CandelaOpInfo linalg_matmul_op, linalg_vecdot_op, linalg_outer_op;
