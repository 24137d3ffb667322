/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the files of this plugin share: the functions of LAPACK for a dtype, and the way
 * matrices of a stack get to them.
 *
 * LAPACK counts by columns, and here matrices lie by rows: what it sees of A is its
 * transpose. Each op asks it for that which is then, transposed again, the answer. */
#pragma once

#include "../linalg/blas.h"

#include <string.h>

/* The lengths of strings come last in Fortran's calls, one for each. */
typedef gsize Length;

/* Elements are passed by their addresses, whatever their dtype. */
typedef struct
{
  void (*getrf) (const int *m, const int *n, gpointer a, const int *lda, int *pivots, int *info);
  void (*getrs) (const char *trans, const int *n, const int *columns, gconstpointer a, const int *lda,
                 const int *pivots, gpointer b, const int *ldb, int *info, Length);
  void (*gesv) (const int *n, const int *columns, gpointer a, const int *lda, int *pivots, gpointer b, const int *ldb,
                int *info);
  void (*getri) (const int *n, gpointer a, const int *lda, const int *pivots, gpointer work, const int *lwork,
                 int *info);
  void (*potrf) (const char *uplo, const int *n, gpointer a, const int *lda, int *info, Length);
  void (*geqrf) (const int *m, const int *n, gpointer a, const int *lda, gpointer tau, gpointer work, const int *lwork,
                 int *info);
  /* dorgqr, zungqr */
  void (*orgqr) (const int *m, const int *n, const int *k, gpointer a, const int *lda, gconstpointer tau, gpointer work,
                 const int *lwork, int *info);
  /* dsyevd, and zheevd with real work after the other */
  union
  {
    void (*real) (const char *jobz, const char *uplo, const int *n, gpointer a, const int *lda, gpointer w,
                  gpointer work, const int *lwork, int *iwork, const int *liwork, int *info, Length, Length);
    void (*complex) (const char *jobz, const char *uplo, const int *n, gpointer a, const int *lda, gpointer w,
                     gpointer work, const int *lwork, gpointer rwork, const int *lrwork, int *iwork, const int *liwork,
                     int *info, Length, Length);
  } heevd;
  union
  {
    void (*real) (const char *jobz, const int *m, const int *n, gpointer a, const int *lda, gpointer s, gpointer u,
                  const int *ldu, gpointer vt, const int *ldvt, gpointer work, const int *lwork, int *iwork, int *info,
                  Length);
    void (*complex) (const char *jobz, const int *m, const int *n, gpointer a, const int *lda, gpointer s, gpointer u,
                     const int *ldu, gpointer vt, const int *ldvt, gpointer work, const int *lwork, gpointer rwork,
                     int *iwork, int *info, Length);
  } gesdd;
  void (*trsm) (const char *side, const char *uplo, const char *trans, const char *diag, const int *m, const int *n,
                gconstpointer alpha, gconstpointer a, const int *lda, gpointer b, const int *ldb, Length, Length,
                Length, Length);
  void (*gemm) (const char *transa, const char *transb, const int *m, const int *n, const int *k, gconstpointer alpha,
                gconstpointer a, const int *lda, gconstpointer b, const int *ldb, gconstpointer beta, gpointer c,
                const int *ldc, Length, Length);
} Lapack;

/* functions.c: those for a dtype, and the library that has them; PLUGIN if there is none. */
const Lapack *lapack_get (CandelaDType dtype, Blas **blas, GError **error);

/* For candela_plugin_describe(). */
GVariant *lapack_describe (void);

static inline gboolean
lapack_is_single (CandelaDType dtype)
{
  return dtype == CANDELA_DTYPE_FLOAT32 || dtype == CANDELA_DTYPE_COMPLEX64;
}

static inline gboolean
lapack_is_complex (CandelaDType dtype)
{
  return candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_COMPLEX;
}

static inline CandelaDType
lapack_real_dtype (CandelaDType dtype)
{
  return lapack_is_single (dtype) ? CANDELA_DTYPE_FLOAT32 : CANDELA_DTYPE_FLOAT64;
}

/* ---- Shapes (infer.c) ---- */

extern const CandelaInputInfo lapack_inputs[];

/* One row for each dtype that LAPACK has. */
#define LAPACK_KERNELS(name, func)                                                                                     \
  static const CandelaKernelInfo name[] = {                                                                            \
    { .in = { CANDELA_DTYPE_FLOAT32 }, .compute = func },                                                              \
    { .in = { CANDELA_DTYPE_FLOAT64 }, .compute = func },                                                              \
    { .in = { CANDELA_DTYPE_COMPLEX64 }, .compute = func },                                                            \
    { .in = { CANDELA_DTYPE_COMPLEX128 }, .compute = func },                                                           \
    { .compute = NULL },                                                                                               \
  };

/* The shape of input 0, a stack of matrices, or of square ones; SHAPE, saying what would
 * be right, if it is none. Extents are such as LAPACK can count. */
gboolean lapack_infer_matrices (CandelaInference *inference, gboolean square, const gint64 **shape, gsize *rank,
                                GError **error);

/* An output with the axes of the stack, and so many of its own. */
gboolean lapack_set_output (CandelaInference *inference, guint output, CandelaDType dtype, gsize n_axes, gint64 rows,
                            gint64 cols, GError **error);

/* Of an op that makes square matrices of square ones, and where they are if it may. */
gboolean lapack_infer_same (CandelaInference *inference, GError **error);
extern const CandelaInPlace lapack_in_place[];

/* ---- Stacks (stack.c) ---- */

/* What becomes of one matrix. */
typedef enum {
  LAPACK_OK,
  LAPACK_SINGULAR,
  LAPACK_NOT_POSITIVE_DEFINITE,
  LAPACK_NOT_CONVERGED,
  LAPACK_NOT_FINITE
} LapackStatus;

typedef struct _LapackStack LapackStack;

/* Matrix i of the stack is packed at a, by rows, and may be overwritten; work is the
 * memory that was asked for. Both are aligned. */
typedef LapackStatus (*LapackFunc) (const LapackStack *stack, gint64 i, gpointer a, gpointer work);

struct _LapackStack
{
  const char *op; /* for what errors say */
  const char *input;
  CandelaKernel *kernel;
  const Lapack *lapack;
  Blas *blas;
  CandelaDType dtype;
  gsize size;                  /* of an element */
  gint64 n;                    /* of matrices */
  gint64 rows, cols;           /* of each of them */
  gint64 extent;               /* the smaller of both */
  gconstpointer data;          /* of the op */
  gsize work_bytes;            /* of a thread */
  double cost;                 /* of a matrix, in multiplications */
  gboolean replaces;           /* output 0 is like the input, and what is left at a goes there */
  const CandelaLayout *layout; /* of input 0, as the stack has it */
  gboolean anywhere;           /* matrices need not be aligned: no function of LAPACK sees them */
  /* Before that many matrices from one on; or NULL. */
  void (*prepare) (const LapackStack *stack, gint64 first, gint64 count);
};

/* The matrices of input 0 under a layout, read as a dtype. FALSE, with an error, if there
 * is no library. */
gboolean lapack_stack_init (LapackStack *stack, const char *op, CandelaKernel *kernel, CandelaDType dtype,
                            const CandelaLayout *layout, GError **error);

/* All matrices, shared among threads. An error tells which is the first that failed. */
gboolean lapack_stack_run (LapackStack *stack, LapackFunc func, GError **error);

/* SHAPE: matrices of which LAPACK cannot count the memory that it needs. FALSE. */
gboolean lapack_fail_size (const LapackStack *stack, GError **error);

/* Where matrix i is in an output of that many elements each. */
gpointer lapack_stack_output (const LapackStack *stack, guint output, gint64 elements, gint64 i);

/* As much as is on cache lines of its own. */
static inline gsize
lapack_align (gsize bytes)
{
  return (bytes + 63) & ~(gsize) 63;
}

/* n bytes at where *work is, which then goes behind them. */
static inline gpointer
lapack_take (gpointer *work, gsize bytes)
{
  gpointer memory = *work;

  *work = (guint8 *) memory + lapack_align (bytes);
  return memory;
}

/* ---- Inverses (lu.c) ---- */

typedef struct
{
  int lwork;
} LapackInverse;

/* Sets the work of the stack. */
gboolean lapack_invert_prepare (LapackStack *stack, LapackInverse *inverse, GError **error);

/* Of a square matrix, over it. */
LapackStatus lapack_invert (const LapackStack *stack, const LapackInverse *inverse, gpointer a, gpointer work);

/* ---- Singular values (singular.c) ---- */

/* How a decomposition of all matrices of a stack is asked for: 'A' all vectors, 'S' those
 * of singular values, 'N' none; and what it needs. */
typedef struct
{
  char job;
  int lwork;
  gsize values_bytes, rwork_bytes, iwork_bytes;
  gsize bytes; /* of the work, together */
} LapackSingular;

/* Sets work and cost of the stack. */
gboolean lapack_singular_prepare (LapackStack *stack, LapackSingular *singular, char job, GError **error);

/* Takes its memory from work. values: the singular values, there; left and right: V^H and
 * U, by rows. NOT_FINITE without having done anything if a is not. */
LapackStatus lapack_singular_run (const LapackStack *stack, const LapackSingular *singular, gpointer a,
                                  gpointer *values, gpointer left, gpointer right, gpointer *work);

/* ---- Elements (elements.c) ---- */

/* Whether n elements, or the triangle below (or above) the diagonal of a square matrix
 * with it, are finite. */
gboolean lapack_is_finite (CandelaDType dtype, gconstpointer a, gint64 n);
gboolean lapack_triangle_is_finite (CandelaDType dtype, gconstpointer a, gint64 n, gboolean upper);

/* n elements of NaN, and a matrix that is the identity. */
void lapack_fill_nan (CandelaDType dtype, gpointer a, gint64 n);
void lapack_fill_identity (CandelaDType dtype, gpointer a, gint64 n);

/* A matrix by columns, which are so many elements apart, to one by rows, packed. */
void lapack_turn (CandelaDType dtype, gconstpointer from, gint64 apart, gpointer to, gint64 rows, gint64 cols);

/* n elements to their conjugates. */
void lapack_conjugate (CandelaDType dtype, gpointer a, gint64 n);

/* The size of a workspace that LAPACK wrote as a number into its first element; 0 if it
 * cannot be counted. */
int lapack_read_size (CandelaDType dtype, gconstpointer work);

gconstpointer lapack_one (CandelaDType dtype);
gconstpointer lapack_zero (CandelaDType dtype);

/* The ops of each file, up to a NULL. */
extern const CandelaOpInfo *const lapack_cholesky_ops[];
extern const CandelaOpInfo *const lapack_lu_ops[];
extern const CandelaOpInfo *const lapack_power_ops[];
extern const CandelaOpInfo *const lapack_solve_ops[];
extern const CandelaOpInfo *const lapack_qr_ops[];
extern const CandelaOpInfo *const lapack_eigen_ops[];
extern const CandelaOpInfo *const lapack_singular_ops[];
extern const CandelaOpInfo *const lapack_rank_ops[];
extern const CandelaOpInfo *const lapack_matrix_norm_ops[];
extern const CandelaOpInfo *const lapack_vector_norm_ops[];
