/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the products share: the inputs that they take, matrices as they lie in
 * memory, and the way to the libraries that multiply them. */
#pragma once

#include "blas.h"

#include <string.h>

/* A matrix of an operand of a product, elements counted in strides. */
typedef struct
{
  const guint8 *data;
  gint64 rows, cols;
  gint64 row_stride, col_stride;
  gint64 start; /* the logical index of its first element in input 0; -1 if it is not of that */
} Matrix;

/* Multiplications that pay for handing a chunk to a thread. */
#define LINALG_CHUNK_WORK (G_GINT64_CONSTANT (1) << 21)

/* Those of dtypes whose products are a library's, and all that have products. */
#define LINALG_WITH_LIBRARY (CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX)
#define LINALG_NUMBERS (CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED | LINALG_WITH_LIBRARY)

/* How many products of a stack one thread takes at a time, each of so much work; all, one
 * after the other, if they are few and so large that their panels are shared better. */
gint64 linalg_per_chunk (gint64 n_stacked, double work);

extern const CandelaInputInfo linalg_inputs[];

/* Whether products of that dtype are a library's. */
gboolean linalg_has_library (CandelaDType dtype);

/* Floating-point operations of a multiplication with an addition. */
guint64 linalg_flops (CandelaDType dtype);

/* The shape of a product before the axes that it sums over: those of both
 * broadcast together, as NumPy does. FALSE if they do not go together. */
gboolean linalg_broadcast (const gint64 *a, gsize a_rank, const gint64 *b, gsize b_rank, gint64 *out, gsize *rank);

/* SHAPE, saying both shapes and then why. */
gboolean linalg_fail_shapes (CandelaInference *inference, const char *reason, GError **error);

/* Room for n elements of a dtype, from a cache line's beginning on, as vectors that cross
 * two are read in twice the time; NO_MEMORY if there is none. g_free() frees it. */
gpointer linalg_alloc (gint64 n, CandelaDType dtype, GError **error);

/* How a library is told of a matrix that lies packed by rows, or by columns. */
typedef struct
{
  gboolean transposed;
  gint64 leading;
} Storage;

/* FALSE if no library can read it where it is. */
gboolean linalg_get_storage (const Matrix *matrix, Storage *storage);

/* A library that multiplies matrices of floats or complex numbers. */
typedef struct
{
  /* Opens it when it is first asked for: PLUGIN, each time, if it cannot be. */
  gboolean (*open) (GError **error);
  /* Around all that one kernel does. */
  void (*begin) (void);
  void (*end) (void);
  /* C, rows c_stride elements apart, = A B, or C + A B if it adds, on the calling thread
   * alone. FALSE if there is no memory for it. */
  gboolean (*multiply) (CandelaDType dtype, const Matrix *a, const Matrix *b, gpointer c, gint64 c_stride,
                        gboolean adds);
  /* It reads two transposed operands the more slowly, the larger they are. */
  gboolean wants_one_packed;
  /* It is slower at results that are wide and not deep. */
  gboolean wants_narrow;
  /* Multiplications up to which it copies neither factor first, where the right one lies
   * by rows; or 0. NULL: always 0. */
  gint64 (*get_small_work) (CandelaDType dtype);
  /* Its name, version and kernels, once it is open. */
  char *(*describe) (void);
} LinalgLibrary;

extern const LinalgLibrary linalg_cblas;
#ifdef LINALG_ONEDNN
extern const LinalgLibrary linalg_onednn;
#endif

/* cblas.c: whether its kernels are those of this processor. */
gboolean linalg_cblas_suits (void);

/* libraries.c: the one that serves products of such matrices of that dtype, open. */
const LinalgLibrary *linalg_choose_library (CandelaDType dtype, const Matrix *a, const Matrix *b, GError **error);

/* Whether it pays to turn the right factor, which lies by columns, so that small kernels
 * can serve the product. */
gboolean linalg_wants_right_packed (CandelaDType dtype, const Matrix *a, const Matrix *b);

/* For candela_plugin_describe(): what serves which products; opens them. */
GVariant *linalg_describe (void);

/* panels.c: whether the library computes the product in blocks for its small kernels, which
 * it is too large for as a whole. */
gboolean linalg_takes_blocks (const LinalgLibrary *library, CandelaDType dtype, const Matrix *a, const Matrix *b);

/* C, packed, = A B, one of so many products in a stack, in panels that the
 * engine's threads share. */
gboolean linalg_multiply (CandelaKernel *kernel, const LinalgLibrary *library, CandelaDType dtype, const Matrix *a,
                          const Matrix *b, gint64 n_stacked, gpointer c, GError **error);

/* integer.c: the same modulo 2^n, for integers of one dtype; the columns of b lie
 * side by side. */
gboolean linalg_integer_multiply (CandelaKernel *kernel, CandelaDType dtype, const Matrix *a, const Matrix *b,
                                  gpointer c, GError **error);

/* strided.c */

/* How many axes two operands have at most between them. */
#define LINALG_MAX_LABELS 64

/* Axes of a packed result, and by how many elements a step along each moves in one or two
 * operands. */
typedef struct
{
  guint rank;
  gint64 extents[LINALG_MAX_LABELS];
  gint64 strides[2][LINALG_MAX_LABELS];
} LinalgAxes;

void linalg_axes_add (LinalgAxes *axes, gint64 extent, gint64 a_stride, gint64 b_stride);

/* out, packed, becomes the elements of the first operand, or the products of those of both. */
gboolean linalg_copy (CandelaKernel *kernel, CandelaDType dtype, const LinalgAxes *axes, gconstpointer in, gpointer out,
                      GError **error);
gboolean linalg_multiply_elements (CandelaKernel *kernel, CandelaDType dtype, const LinalgAxes *axes, gconstpointer a,
                                   gconstpointer b, gpointer out, GError **error);

/* C, packed, = A B, in plain loops, which is best of the smallest. */
void linalg_multiply_small (CandelaDType dtype, const Matrix *a, const Matrix *b, gpointer out);

/* contract.c: sums of products of operands whose axes have labels. The result's element
 * is the sum, over all labels that it lacks, of the product of the operands' elements; a
 * label that an operand has twice stands for its diagonal. */
#define CONTRACTION_MAX_OPERANDS 64

/* One is left for the parts of complex numbers. */
#define CONTRACTION_MAX_LABELS (LINALG_MAX_LABELS - 1)

typedef struct
{
  guint n_operands;
  guint n_labels;
  gint64 extents[LINALG_MAX_LABELS];
  guint8 (*labels)[CANDELA_MAX_RANK]; /* of the axes of each operand */
  guint out_rank;
  guint8 out[CANDELA_MAX_RANK];
} Contraction;

void contraction_clear (Contraction *contraction);
gboolean contraction_run (const Contraction *contraction, CandelaKernel *kernel, GError **error);

/* Floating-point operations that it takes, in the order that it is run in. */
guint64 contraction_count_flops (const Contraction *contraction, const guint *ranks, CandelaDType dtype);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Contraction, contraction_clear)

extern const CandelaOpInfo linalg_tensordot_op, linalg_einsum_op;
extern const CandelaOpInfo linalg_matmul_op, linalg_vecdot_op, linalg_outer_op, linalg_cross_op;
