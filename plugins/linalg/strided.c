/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packed results over axes that operands have strides along: copies, and products of
 * element by element, an operand that lacks an axis being broadcast along it. */
#include "linalg.h"

#include <complex.h>

/* complex.h calls the unit so. */
#undef I

/* Elements of the result that one thread makes at a time. */
#define CHUNK_ELEMENTS (1 << 16)

/* n elements in one direction, of steps that are counted in elements. */
typedef void (*RunFunc) (gpointer out, const gconstpointer *in, const gint64 *steps, gint64 n);

typedef struct
{
  const LinalgAxes *axes;
  RunFunc run;
  gsize size;
  gint64 n;
  gconstpointer in[2];
  guint8 *out;
  GCancellable *cancellable;
} Walk;

void
linalg_axes_add (LinalgAxes *axes, gint64 extent, gint64 a_stride, gint64 b_stride)
{
  guint last = axes->rank - 1;

  if (extent == 1)
    return;
  /* Neighbours that step alike are one. */
  if (axes->rank > 0 && axes->strides[0][last] == a_stride * extent && axes->strides[1][last] == b_stride * extent)
    axes->extents[last] *= extent;
  else
    axes->extents[last = axes->rank++] = extent;
  axes->strides[0][last] = a_stride;
  axes->strides[1][last] = b_stride;
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  const Walk *walk = data;
  const LinalgAxes *axes = walk->axes;
  const guint last = MAX (axes->rank, 1) - 1;
  const gint64 length = axes->rank > 0 ? axes->extents[last] : 1, size = (gint64) walk->size;
  const gint64 steps[2] = { axes->rank > 0 ? axes->strides[0][last] : 0, axes->rank > 0 ? axes->strides[1][last] : 0 };
  gint64 end = MIN ((gint64) (chunk + 1) * CHUNK_ELEMENTS, walk->n), n;

  if (g_cancellable_is_cancelled (walk->cancellable))
    return;
  for (gint64 i = (gint64) chunk * CHUNK_ELEMENTS; i < end; i += n)
    {
      gint64 offsets[2] = { i % length * steps[0], i % length * steps[1] }, row = i / length;

      for (guint axis = last; axis-- > 0; row /= axes->extents[axis])
        for (guint k = 0; k < 2; k++)
          offsets[k] += row % axes->extents[axis] * axes->strides[k][axis];
      n = MIN (length - i % length, end - i);
      walk->run (walk->out + i * size,
                 (const gconstpointer[]){ (const guint8 *) walk->in[0] + offsets[0] * size,
                                          (const guint8 *) walk->in[1] + offsets[1] * size },
                 steps, n);
    }
}

static gboolean
run (CandelaKernel *kernel, const LinalgAxes *axes, RunFunc func, gsize size, gconstpointer a, gconstpointer b,
     gpointer out, GError **error)
{
  GCancellable *cancellable = candela_kernel_get_cancellable (kernel);
  Walk walk = { axes, func, size, 1, { a, b }, out, cancellable };

  for (guint axis = 0; axis < axes->rank; axis++)
    walk.n *= axes->extents[axis];
  candela_kernel_parallel_for (kernel, (guint64) ((walk.n + CHUNK_ELEMENTS - 1) / CHUNK_ELEMENTS), run_chunk, &walk);
  return !g_cancellable_set_error_if_cancelled (cancellable, error);
}

/* ---- Copies ---- */

typedef struct
{
  guint64 parts[2];
} Bits128;

#define COPY(name, type)                                                                                               \
  static void copy_##name (gpointer out, const gconstpointer *in, const gint64 *steps, gint64 n)                       \
  {                                                                                                                    \
    const gint64 step = steps[0];                                                                                      \
                                                                                                                       \
    if (step == 1)                                                                                                     \
      memcpy (out, in[0], (gsize) n * sizeof (type));                                                                  \
    else                                                                                                               \
      for (gint64 i = 0; i < n; i++)                                                                                   \
        ((type *) out)[i] = ((const type *) in[0])[i * step];                                                          \
  }

COPY (8, guint8)
COPY (16, guint16)
COPY (32, guint32)
COPY (64, guint64)
COPY (128, Bits128)

gboolean
linalg_copy (CandelaKernel *kernel, CandelaDType dtype, const LinalgAxes *axes, gconstpointer in, gpointer out,
             GError **error)
{
  gsize size = candela_dtype_get_size (dtype);
  RunFunc func = size == 1 ? copy_8 : size == 2 ? copy_16 : size == 4 ? copy_32 : size == 8 ? copy_64 : copy_128;

  return run (kernel, axes, func, size, in, in, out, error);
}

/* ---- Products ---- */

#define TIMES(a, b) ((a) * (b))

#define COMPLEX_TIMES(name, type, MAKE, RE, IM)                                                                        \
  static inline type name (type a, type b)                                                                             \
  {                                                                                                                    \
    return MAKE (RE (a) * RE (b) - IM (a) * IM (b), RE (a) * IM (b) + IM (a) * RE (b));                                \
  }

COMPLEX_TIMES (times_complex64, float _Complex, CMPLXF, crealf, cimagf)
COMPLEX_TIMES (times_complex128, double _Complex, CMPLX, creal, cimag)

/* Steps of 1 and 0 are known to the loops that vectors are made of. */
#define MULTIPLY_LOOP(type, wide, OP, a_step, b_step)                                                                  \
  _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++) o[i] = (type) OP ((wide) a[i * (a_step)], (wide) b[i * (b_step)])

#define MULTIPLY(name, type, wide, OP)                                                                                 \
  static void multiply_##name (gpointer out, const gconstpointer *in, const gint64 *steps, gint64 n)                   \
  {                                                                                                                    \
    const type *a = in[0], *b = in[1];                                                                                 \
    const gint64 a_step = steps[0], b_step = steps[1];                                                                 \
    type *o = out;                                                                                                     \
                                                                                                                       \
    if (a_step == 1 && b_step == 1)                                                                                    \
      MULTIPLY_LOOP (type, wide, OP, 1, 1);                                                                            \
    else if (a_step == 0 && b_step == 1)                                                                               \
      MULTIPLY_LOOP (type, wide, OP, 0, 1);                                                                            \
    else if (a_step == 1 && b_step == 0)                                                                               \
      MULTIPLY_LOOP (type, wide, OP, 1, 0);                                                                            \
    else                                                                                                               \
      MULTIPLY_LOOP (type, wide, OP, a_step, b_step);                                                                  \
  }

/* Modulo 2^n the sign does not matter; no product is taken in a type that is promoted
 * to int. */
MULTIPLY (8, guint8, guint32, TIMES)
MULTIPLY (16, guint16, guint32, TIMES)
MULTIPLY (32, guint32, guint32, TIMES)
MULTIPLY (64, guint64, guint64, TIMES)
MULTIPLY (float32, float, float, TIMES)
MULTIPLY (float64, double, double, TIMES)
MULTIPLY (complex64, float _Complex, float _Complex, times_complex64)
MULTIPLY (complex128, double _Complex, double _Complex, times_complex128)

gboolean
linalg_multiply_elements (CandelaKernel *kernel, CandelaDType dtype, const LinalgAxes *axes, gconstpointer a,
                          gconstpointer b, gpointer out, GError **error)
{
  static const RunFunc funcs[CANDELA_N_DTYPES] = {
    [CANDELA_DTYPE_INT8] = multiply_8,
    [CANDELA_DTYPE_UINT8] = multiply_8,
    [CANDELA_DTYPE_INT16] = multiply_16,
    [CANDELA_DTYPE_UINT16] = multiply_16,
    [CANDELA_DTYPE_INT32] = multiply_32,
    [CANDELA_DTYPE_UINT32] = multiply_32,
    [CANDELA_DTYPE_INT64] = multiply_64,
    [CANDELA_DTYPE_UINT64] = multiply_64,
    [CANDELA_DTYPE_FLOAT32] = multiply_float32,
    [CANDELA_DTYPE_FLOAT64] = multiply_float64,
    [CANDELA_DTYPE_COMPLEX64] = multiply_complex64,
    [CANDELA_DTYPE_COMPLEX128] = multiply_complex128,
  };

  return run (kernel, axes, funcs[dtype], candela_dtype_get_size (dtype), a, b, out, error);
}

/* ---- Products of small matrices ---- */

#define ACCUMULATE(name, type, wide, OP)                                                                               \
  static void product_##name (const Matrix *a, const Matrix *b, gpointer out)                                          \
  {                                                                                                                    \
    type *o = out;                                                                                                     \
                                                                                                                       \
    for (gint64 i = 0; i < a->rows; i++)                                                                               \
      for (gint64 j = 0; j < b->cols; j++, o++)                                                                        \
        {                                                                                                              \
          const type *x = (const type *) a->data + i * a->row_stride;                                                  \
          const type *y = (const type *) b->data + j * b->col_stride;                                                  \
          wide sum = OP ((wide) *x, (wide) *y);                                                                        \
                                                                                                                       \
          for (gint64 k = 1; k < a->cols; k++)                                                                         \
            sum += OP ((wide) x[k * a->col_stride], (wide) y[k * b->row_stride]);                                      \
          *o = (type) sum;                                                                                             \
        }                                                                                                              \
  }

ACCUMULATE (8, guint8, guint32, TIMES)
ACCUMULATE (16, guint16, guint32, TIMES)
ACCUMULATE (32, guint32, guint32, TIMES)
ACCUMULATE (64, guint64, guint64, TIMES)
ACCUMULATE (float32, float, float, TIMES)
ACCUMULATE (float64, double, double, TIMES)
ACCUMULATE (complex64, float _Complex, float _Complex, times_complex64)
ACCUMULATE (complex128, double _Complex, double _Complex, times_complex128)

void
linalg_multiply_small (CandelaDType dtype, const Matrix *a, const Matrix *b, gpointer out)
{
  static void (*const funcs[CANDELA_N_DTYPES]) (const Matrix *a, const Matrix *b, gpointer out) = {
    [CANDELA_DTYPE_INT8] = product_8,
    [CANDELA_DTYPE_UINT8] = product_8,
    [CANDELA_DTYPE_INT16] = product_16,
    [CANDELA_DTYPE_UINT16] = product_16,
    [CANDELA_DTYPE_INT32] = product_32,
    [CANDELA_DTYPE_UINT32] = product_32,
    [CANDELA_DTYPE_INT64] = product_64,
    [CANDELA_DTYPE_UINT64] = product_64,
    [CANDELA_DTYPE_FLOAT32] = product_float32,
    [CANDELA_DTYPE_FLOAT64] = product_float64,
    [CANDELA_DTYPE_COMPLEX64] = product_complex64,
    [CANDELA_DTYPE_COMPLEX128] = product_complex128,
  };

  funcs[dtype](a, b, out);
}
