/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * vecdot. Dot products are summed pairwise: blocks of BLOCK products in LANES lanes, the
 * lanes joined by halves and the blocks by a binary tree, by logical index alone; floats
 * and complex numbers in binary64, where a product of two binary32 is exact. Of complex
 * vectors the first is conjugated. Long vectors are cut into whole trees, which threads
 * share as they do the products of many short ones. */
#include "linalg.h"

#include <complex.h>

/* complex.h calls the unit so. */
#undef I

#define LANES 16
#define BLOCK 1024
#define MAX_LEVELS 64
/* Elements that one thread takes at a time, about: a power of two of blocks. */
#define CHUNK (64 * BLOCK)

enum {
  PARAM_AXIS
};

/* A sum on the way. */
typedef union
{
  double real;
  double _Complex number;
  guint64 integer;
} Sum;

/* How elements of one dtype, which is the result's, are multiplied and added. */
typedef struct
{
  void (*block) (gconstpointer x, gconstpointer y, gsize n, Sum *sum);
  void (*add) (Sum *a, const Sum *b);
  void (*store) (gpointer out, gint64 i, const Sum *sum);
} Dot;

#define MULTIPLY(x, y) ((x) * (y))

/* conj (x) y, as the plain products of their parts. */
static inline double _Complex multiply_conjugate (double _Complex x, double _Complex y)
{
  return CMPLX (creal (x) * creal (y) + cimag (x) * cimag (y), creal (x) * cimag (y) - cimag (x) * creal (y));
}

#define ADD(part)                                                                                                      \
  static void add_##part (Sum *a, const Sum *b)                                                                        \
  {                                                                                                                    \
    a->part += b->part;                                                                                                \
  }

ADD (real)
ADD (number)
ADD (integer)

/* The sum that leaves every other one as it is has zeros of negative sign. */
#define DOT(name, type, part, Wide, zero, multiply)                                                                    \
  static void block_##name (gconstpointer left, gconstpointer right, gsize n, Sum *sum)                                \
  {                                                                                                                    \
    const type *x = left, *y = right;                                                                                  \
    Wide lanes[LANES];                                                                                                 \
    gsize i = 0;                                                                                                       \
                                                                                                                       \
    for (guint l = 0; l < LANES; l++)                                                                                  \
      lanes[l] = zero;                                                                                                 \
    for (; i + LANES <= n; i += LANES)                                                                                 \
      for (guint l = 0; l < LANES; l++)                                                                                \
        lanes[l] += multiply ((Wide) x[i + l], (Wide) y[i + l]);                                                       \
    for (guint l = 0; i < n; i++, l++)                                                                                 \
      lanes[l] += multiply ((Wide) x[i], (Wide) y[i]);                                                                 \
    for (guint half = LANES / 2; half > 0; half /= 2)                                                                  \
      for (guint l = 0; l < half; l++)                                                                                 \
        lanes[l] += lanes[l + half];                                                                                   \
    sum->part = lanes[0];                                                                                              \
  }                                                                                                                    \
                                                                                                                       \
  static void store_##name (gpointer out, gint64 i, const Sum *sum)                                                    \
  {                                                                                                                    \
    ((type *) out)[i] = (type) sum->part;                                                                              \
  }                                                                                                                    \
                                                                                                                       \
  static const Dot dot_##name = { block_##name, add_##part, store_##name };

DOT (float32, float, real, double, -0.0, MULTIPLY)
DOT (float64, double, real, double, -0.0, MULTIPLY)
DOT (complex64, float _Complex, number, double _Complex, CMPLX (-0.0, -0.0), multiply_conjugate)
DOT (complex128, double _Complex, number, double _Complex, CMPLX (-0.0, -0.0), multiply_conjugate)
/* Modulo 2^n the sign does not matter. */
DOT (integer8, guint8, integer, guint64, 0, MULTIPLY)
DOT (integer16, guint16, integer, guint64, 0, MULTIPLY)
DOT (integer32, guint32, integer, guint64, 0, MULTIPLY)
DOT (integer64, guint64, integer, guint64, 0, MULTIPLY)

static const Dot *const dots[CANDELA_N_DTYPES] = {
  [CANDELA_DTYPE_INT8] = &dot_integer8,       [CANDELA_DTYPE_UINT8] = &dot_integer8,
  [CANDELA_DTYPE_INT16] = &dot_integer16,     [CANDELA_DTYPE_UINT16] = &dot_integer16,
  [CANDELA_DTYPE_INT32] = &dot_integer32,     [CANDELA_DTYPE_UINT32] = &dot_integer32,
  [CANDELA_DTYPE_INT64] = &dot_integer64,     [CANDELA_DTYPE_UINT64] = &dot_integer64,
  [CANDELA_DTYPE_FLOAT32] = &dot_float32,     [CANDELA_DTYPE_FLOAT64] = &dot_float64,
  [CANDELA_DTYPE_COMPLEX64] = &dot_complex64, [CANDELA_DTYPE_COMPLEX128] = &dot_complex128,
};

/* ---- Blocks, joined ---- */

typedef struct
{
  const Dot *dot;
  guint depth;
  gint64 n;
  Sum levels[MAX_LEVELS];
} Tree;

/* The next one is in levels[depth]; two trees of the same height become one. */
static void
tree_push (Tree *tree)
{
  tree->depth++;
  for (gint64 n = ++tree->n; n % 2 == 0; n /= 2, tree->depth--)
    tree->dot->add (&tree->levels[tree->depth - 2], &tree->levels[tree->depth - 1]);
}

static const Sum *
tree_end (Tree *tree)
{
  for (; tree->depth > 1; tree->depth--)
    tree->dot->add (&tree->levels[tree->depth - 2], &tree->levels[tree->depth - 1]);
  return tree->levels;
}

/* ---- Axes ---- */

/* The shape without the axis, which counts from the end. */
static gsize
drop_axis (const gint64 *shape, gsize rank, gint64 axis, gint64 *out)
{
  gsize n = 0;

  for (gsize k = 0; k < rank; k++)
    if (k != (gsize) ((gint64) rank + axis))
      out[n++] = shape[k];
  return n;
}

static gboolean
infer_vecdot (CandelaInference *inference, GError **error)
{
  CandelaDType dtype = candela_inference_get_promoted_dtype (inference);
  gint64 axis = candela_params_get_int (candela_inference_get_params (inference), PARAM_AXIS);
  gint64 rest[2][CANDELA_MAX_RANK], out[CANDELA_MAX_RANK], extents[2];
  gsize ranks[2], rank;

  if (dtype == CANDELA_DTYPE_INVALID)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE, "x1 and x2 have no common dtype");
  for (guint i = 0; i < 2; i++)
    {
      const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, i), &rank);

      if (axis >= 0 || axis < -(gint64) rank)
        return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                                       "axis %" G_GINT64_FORMAT " is out of range: it counts from the end, from -1 to "
                                       "-%" G_GSIZE_FORMAT " for x%u",
                                       axis, rank, i + 1);
      extents[i] = shape[(gint64) rank + axis];
      ranks[i] = drop_axis (shape, rank, axis, rest[i]);
    }
  if (extents[0] != extents[1])
    {
      g_autofree char *reason =
        g_strdup_printf ("%" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " must be equal", extents[0], extents[1]);

      return linalg_fail_shapes (inference, reason, error);
    }
  if (!linalg_broadcast (rest[0], ranks[0], rest[1], ranks[1], out, &rank))
    return linalg_fail_shapes (inference, "the axes that are not summed over cannot be broadcast together", error);
  return candela_inference_set_output (inference, 0, dtype, out, rank, error);
}

static guint64
count_vecdot_flops (const CandelaInference *inference)
{
  gint64 axis = candela_params_get_int (candela_inference_get_params (inference), PARAM_AXIS);
  gint64 rest[2][CANDELA_MAX_RANK], out[CANDELA_MAX_RANK];
  gsize ranks[2], rank;
  guint64 n = linalg_flops (candela_inference_get_promoted_dtype (inference));

  for (guint i = 0; i < 2; i++)
    {
      const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, i), &rank);

      ranks[i] = drop_axis (shape, rank, axis, rest[i]);
      if (i == 0)
        n *= (guint64) shape[(gint64) rank + axis];
    }
  linalg_broadcast (rest[0], ranks[0], rest[1], ranks[1], out, &rank);
  for (gsize k = 0; k < rank; k++)
    n *= (guint64) out[k];
  return n;
}

/* An input with the axis last, and where its rows are. */
typedef struct
{
  CandelaLayout *layout;
  const guint8 *data;               /* NULL: its elements are packed first */
  gint64 numbers[CANDELA_MAX_RANK]; /* rows between neighbours along each axis of the result */
  gint64 strides[CANDELA_MAX_RANK]; /* and elements in memory */
} Operand;

typedef struct
{
  CandelaKernel *kernel;
  CandelaDType dtype;
  gint64 size;
  Operand operands[2];
  const gint64 *shape; /* of the result */
  gsize rank;
  gint64 n, n_outputs;
  gint64 per_chunk; /* outputs, or elements */
  gint64 output;    /* the one whose elements are cut, */
  Sum *sums;        /* and those of the chunks; NULL: outputs are */
} Dots;

static gboolean
operand_init (Dots *call, guint input, gint64 axis, GError **error)
{
  Operand *operand = &call->operands[input];
  const CandelaLayout *layout = candela_kernel_get_input_layout (call->kernel, input);
  gsize rank, n = 0;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  const gint64 *strides = candela_layout_get_strides (layout, &rank);
  gint64 order[CANDELA_MAX_RANK], number = 1;

  axis += (gint64) rank;
  for (gsize k = 0; k < rank; k++)
    if ((gint64) k != axis)
      order[n++] = (gint64) k;
  order[n] = axis;
  for (gsize k = 1; k <= call->rank; k++)
    {
      gint64 extent = k <= n ? shape[order[n - k]] : 1;

      operand->numbers[call->rank - k] = extent == 1 ? 0 : number;
      operand->strides[call->rank - k] = extent == 1 ? 0 : strides[order[n - k]];
      number *= extent;
    }
  if (candela_kernel_get_input_dtype (call->kernel, input) == call->dtype && (strides[axis] == 1 || shape[axis] == 1))
    operand->data = candela_kernel_get_input (call->kernel, input);
  operand->layout = candela_layout_permute (layout, order, rank, error);
  return operand->layout != NULL;
}

/* The elements of a row from one on: where they are, or packed. */
static gconstpointer
fetch (const Dots *call, guint input, const gint64 *index, gint64 start, gsize n, gpointer room)
{
  const Operand *operand = &call->operands[input];
  gint64 row = 0, offset = start;

  for (gsize k = 0; k < call->rank; k++)
    {
      row += index[k] * operand->numbers[k];
      offset += index[k] * operand->strides[k];
    }
  if (operand->data != NULL)
    return operand->data + offset * call->size;
  candela_kernel_pack_layout (call->kernel, input, operand->layout, call->dtype, row * call->n + start, n, room);
  return room;
}

/* The sum of products of one result, of elements from start, a multiple of BLOCK, to end. */
static void
sum_range (const Dots *call, gint64 output, gint64 start, gint64 end, Sum *sum)
{
  double _Complex x[BLOCK], y[BLOCK];
  gint64 index[CANDELA_MAX_RANK];
  Tree tree;

  tree.dot = dots[call->dtype];
  tree.depth = 0;
  tree.n = 0;
  tree.levels[0] = (Sum){ 0 };
  for (gsize k = call->rank; k-- > 0; output /= call->shape[k])
    index[k] = output % call->shape[k];
  for (; start < end; start += BLOCK)
    {
      gsize n = (gsize) MIN (end - start, BLOCK);

      tree.dot->block (fetch (call, 0, index, start, n, x), fetch (call, 1, index, start, n, y), n,
                       &tree.levels[tree.depth]);
      tree_push (&tree);
    }
  *sum = *tree_end (&tree);
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  const Dots *call = data;
  gint64 first = (gint64) chunk * call->per_chunk;
  Sum sum;

  if (g_cancellable_is_cancelled (candela_kernel_get_cancellable (call->kernel)))
    return;
  if (call->sums != NULL)
    sum_range (call, call->output, first, MIN (first + call->per_chunk, call->n), &call->sums[chunk]);
  else
    for (gint64 i = first; i < MIN (first + call->per_chunk, call->n_outputs); i++)
      {
        sum_range (call, i, 0, call->n, &sum);
        dots[call->dtype]->store (candela_kernel_get_output (call->kernel, 0), i, &sum);
      }
}

/* Results that are so long that each is cut into whole trees. */
static gboolean
run_long (Dots *call, GError **error)
{
  gint64 n_chunks = (call->n + CHUNK - 1) / CHUNK;

  call->sums = g_try_new (Sum, (gsize) n_chunks);
  if (call->sums == NULL)
    {
      g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "there is no memory to multiply in");
      return FALSE;
    }
  call->per_chunk = CHUNK;
  for (call->output = 0; call->output < call->n_outputs; call->output++)
    {
      Tree tree;

      candela_kernel_parallel_for (call->kernel, (guint64) n_chunks, run_chunk, call);
      tree.dot = dots[call->dtype];
      tree.depth = 0;
      tree.n = 0;
      for (gint64 chunk = 0; chunk < n_chunks; chunk++)
        {
          tree.levels[tree.depth] = call->sums[chunk];
          tree_push (&tree);
        }
      tree.dot->store (candela_kernel_get_output (call->kernel, 0), call->output, tree_end (&tree));
    }
  g_free (call->sums);
  return TRUE;
}

static gboolean
compute_vecdot (CandelaKernel *kernel, GError **error)
{
  gint64 axis = candela_params_get_int (candela_kernel_get_params (kernel), PARAM_AXIS);
  const CandelaLayout *out = candela_kernel_get_output_layout (kernel, 0);
  const CandelaLayout *in = candela_kernel_get_input_layout (kernel, 0);
  Dots call = { .kernel = kernel,
                .dtype = candela_kernel_get_output_dtype (kernel, 0),
                .n = candela_layout_get_shape (in, NULL)[(gint64) candela_layout_get_rank (in) + axis],
                .n_outputs = candela_layout_get_n_elements (out) };
  gboolean done = TRUE;

  call.size = (gint64) candela_dtype_get_size (call.dtype);
  call.shape = candela_layout_get_shape (out, &call.rank);
  if (operand_init (&call, 0, axis, error) && operand_init (&call, 1, axis, error))
    {
      call.per_chunk = MAX (CHUNK / MAX (call.n, 1), 1);
      if (call.n > 2 * CHUNK)
        done = run_long (&call, error);
      else
        candela_kernel_parallel_for (kernel, (guint64) ((call.n_outputs + call.per_chunk - 1) / call.per_chunk),
                                     run_chunk, &call);
    }
  else
    done = FALSE;
  for (guint input = 0; input < 2; input++)
    if (call.operands[input].layout != NULL)
      candela_layout_unref (call.operands[input].layout);
  return done && !g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error);
}

static const CandelaParamInfo vecdot_params[] = {
  { .name = "axis",
    .type = CANDELA_PARAM_INT,
    .default_value = "-1",
    .summary = "the axis to sum over, counted from the end: -1 is the last" },
  { NULL },
};

static const CandelaKernelInfo vecdot_kernels[] = { { .compute = compute_vecdot }, { .compute = NULL } };

const CandelaOpInfo linalg_vecdot_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "vecdot",
  .summary = "Dot products of vectors along an axis, the first conjugated, the others broadcast",
  .formula = "out = Σₖ conj(x1[k]) · x2[k], k along axis",
  .example = "vecdot([[1.0, 2.0], [3.0, 4.0]], [10.0, 1.0])",
  .since = "1.0",
  .inputs = linalg_inputs,
  .params = vecdot_params,
  .axes = CANDELA_AXES_REDUCTION,
  .infer = infer_vecdot,
  .kernels = vecdot_kernels,
  .flops = count_vecdot_flops,
  .gradients = { "reshape(grad, sum(x1 * x2, axis=axis, keepdims=true).shape) * x2",
                 "reshape(grad, sum(x1 * x2, axis=axis, keepdims=true).shape) * x1" },
};
