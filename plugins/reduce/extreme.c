/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * max, min, argmax and argmin. A NaN is beyond every number, as in NumPy, and the
 * first of equals counts: of zeros too, so that max and min give the element that
 * argmax and argmin find, whichever way the elements are walked. */
#include "fold.h"

#define AS_IS(x) (x)
#define IS_NAN(x) ((x) != (x))

/* Is b, which comes after a, further out? No short circuit, so that loops over these
 * become vector code. */
#define MAX_BEYOND(a, b) (!((b) <= (a)) & !IS_NAN (a))
#define MIN_BEYOND(a, b) (!((b) >= (a)) & !IS_NAN (a))
#define INTEGER_MAX_BEYOND(a, b) ((b) > (a))
#define INTEGER_MIN_BEYOND(a, b) ((b) < (a))

/* Once a is NaN it stays one. Asked of a, not of b: else loops that store over a become ones with branches. */
#define MAX_OF(a, b) (IS_NAN (a) ? (a) : (b) <= (a) ? (a) : (b))
#define MIN_OF(a, b) (IS_NAN (a) ? (a) : (b) >= (a) ? (a) : (b))
#define INTEGER_MAX_OF(a, b) ((b) > (a) ? (b) : (a))
#define INTEGER_MIN_OF(a, b) ((b) < (a) ? (b) : (a))

/* ---- The extreme of packed elements, and the first of those equal to it ---- */

#define PLAIN_OF(NAME, type, OP)                                                                                       \
  static type NAME##_of (const type *x, gsize n)                                                                       \
  {                                                                                                                    \
    type best = x[0];                                                                                                  \
                                                                                                                       \
    for (gsize i = 1; i < n; i++)                                                                                      \
      best = OP (best, x[i]);                                                                                          \
    return best;                                                                                                       \
  }

/* Elements between two looks at whether it was among them. */
#define FIND_PART 64

#define PLAIN_FIND(name, type, count_type)                                                                             \
  static gsize find_##name (const type *x, gsize n, type value)                                                        \
  {                                                                                                                    \
    gsize i = 0;                                                                                                       \
                                                                                                                       \
    for (; i + FIND_PART <= n; i += FIND_PART)                                                                         \
      {                                                                                                                \
        count_type found = 0;                                                                                          \
                                                                                                                       \
        for (guint k = 0; k < FIND_PART; k++)                                                                          \
          found |= x[i + k] == value;                                                                                  \
        if (found != 0)                                                                                                \
          break;                                                                                                       \
      }                                                                                                                \
    while (i < n && x[i] != value)                                                                                     \
      i++;                                                                                                             \
    return i;                                                                                                          \
  }

#ifdef REDUCE_EXTREMES
#define VECTOR_FIND(name, type, suffix)                                                                                \
  static gsize find_##name (const type *x, gsize n, type value)                                                        \
  {                                                                                                                    \
    const gsize lanes = REDUCE_VECTOR / sizeof (type);                                                                 \
    const ReduceVector_##suffix wanted = REDUCE_X86 (set1, suffix) (value);                                            \
    gsize i = 0;                                                                                                       \
                                                                                                                       \
    for (; i + 4 * lanes <= n; i += 4 * lanes)                                                                         \
      {                                                                                                                \
        guint found = 0;                                                                                               \
                                                                                                                       \
        _Pragma ("GCC unroll 4") for (guint k = 0; k < 4; k++) found |=                                                \
          REDUCE_EQUAL (REDUCE_X86 (loadu, suffix) (x + i + k * lanes), wanted, suffix);                               \
        if (found != 0)                                                                                                \
          break;                                                                                                       \
      }                                                                                                                \
    for (; i + lanes <= n; i += lanes)                                                                                 \
      {                                                                                                                \
        const guint found = REDUCE_EQUAL (REDUCE_X86 (loadu, suffix) (x + i), wanted, suffix);                         \
                                                                                                                       \
        if (found != 0)                                                                                                \
          return i + (gsize) __builtin_ctz (found);                                                                    \
      }                                                                                                                \
    while (i < n && x[i] != value)                                                                                     \
      i++;                                                                                                             \
    return i;                                                                                                          \
  }

/* Processors read ahead to the end of a page by themselves, no farther. */
#define READ_AHEAD 8192

/* MAX and MIN of the processor pass over a NaN: whether there was one is asked
 * apart, of two vectors at a time. Of zeros they know no first. */
#define VECTOR_OF(NAME, name, type, suffix, function)                                                                  \
  static type NAME##_of (const type *x, gsize n)                                                                       \
  {                                                                                                                    \
    const gsize lanes = REDUCE_VECTOR / sizeof (type);                                                                 \
    ReduceVector_##suffix best[4];                                                                                     \
    type result;                                                                                                       \
    guint unordered = 0;                                                                                               \
    gsize i = 0;                                                                                                       \
                                                                                                                       \
    if (n < lanes)                                                                                                     \
      return few_##NAME##_of (x, n);                                                                                   \
    _Pragma ("GCC unroll 4") for (guint k = 0; k < 4; k++) best[k] = REDUCE_X86 (loadu, suffix) (x);                   \
    for (; i + 4 * lanes <= n; i += 4 * lanes)                                                                         \
      {                                                                                                                \
        reduce_fetch ((const guint8 *) (x + i) + READ_AHEAD, 4 * REDUCE_VECTOR);                                       \
        _Pragma ("GCC unroll 2") for (guint k = 0; k < 4; k += 2)                                                      \
        {                                                                                                              \
          const ReduceVector_##suffix a = REDUCE_X86 (loadu, suffix) (x + i + k * lanes);                              \
          const ReduceVector_##suffix b = REDUCE_X86 (loadu, suffix) (x + i + (k + 1) * lanes);                        \
                                                                                                                       \
          best[k] = REDUCE_X86 (function, suffix) (a, best[k]);                                                        \
          best[k + 1] = REDUCE_X86 (function, suffix) (b, best[k + 1]);                                                \
          unordered |= REDUCE_UNORDERED (a, b, suffix);                                                                \
        }                                                                                                              \
      }                                                                                                                \
    while (i < n)                                                                                                      \
      {                                                                                                                \
        const ReduceVector_##suffix a = REDUCE_X86 (loadu, suffix) (x + MIN (i, n - lanes));                           \
                                                                                                                       \
        best[0] = REDUCE_X86 (function, suffix) (a, best[0]);                                                          \
        unordered |= REDUCE_UNORDERED (a, a, suffix);                                                                  \
        i += lanes;                                                                                                    \
      }                                                                                                                \
    if (G_UNLIKELY (unordered != 0))                                                                                   \
      return (type) NAN;                                                                                               \
    best[0] = REDUCE_X86 (function, suffix) (REDUCE_X86 (function, suffix) (best[0], best[1]),                         \
                                             REDUCE_X86 (function, suffix) (best[2], best[3]));                        \
    result = reduce_end_##function##_##suffix (best[0]);                                                               \
    return G_UNLIKELY (result == 0) ? x[find_##name (x, n, 0)] : result;                                               \
  }

#define FLOAT_FUNCTIONS(name, type, suffix)                                                                            \
  VECTOR_FIND (name, type, suffix)                                                                                     \
  PLAIN_OF (few_max_##name, type, MAX_OF)                                                                              \
  PLAIN_OF (few_min_##name, type, MIN_OF)                                                                              \
  VECTOR_OF (max_##name, name, type, suffix, max)                                                                      \
  VECTOR_OF (min_##name, name, type, suffix, min)

FLOAT_FUNCTIONS (float32, float, ps)
FLOAT_FUNCTIONS (float64, double, pd)
#else
#define FLOAT_FUNCTIONS(name, type, count_type)                                                                        \
  PLAIN_FIND (name, type, count_type)                                                                                  \
  PLAIN_OF (max_##name, type, MAX_OF)                                                                                  \
  PLAIN_OF (min_##name, type, MIN_OF)

FLOAT_FUNCTIONS (float32, float, guint32)
FLOAT_FUNCTIONS (float64, double, guint64)
#endif

#define INTEGER_FUNCTIONS(DTYPE, name, type)                                                                           \
  PLAIN_FIND (name, type, type)                                                                                        \
  PLAIN_OF (max_##name, type, INTEGER_MAX_OF)                                                                          \
  PLAIN_OF (min_##name, type, INTEGER_MIN_OF)

REDUCE_INTEGERS (INTEGER_FUNCTIONS)

/* ---- Rows of few elements ---- */

/* So few that no row is worth vectors, or to look for its extreme: some rows go side by side, without a branch.
 * What is NaN is in the sum, too: then each row is taken by itself. */
#define FEW 16
#define FEW_TO_FIND 32
#define ROWS_AT_ONCE 4
#define EACH_ROW(r) _Pragma ("GCC unroll 4") for (guint r = 0; r < ROWS_AT_ONCE; r++)

/* BEYOND is as of numbers. Of integers there is no sum. */
#define FEW_ROWS(NAME, type, BEYOND)                                                                                   \
  static inline __attribute__ ((always_inline))                                                                        \
  gboolean NAME##_few_rows (type *values, const type *x, gint64 step, gsize n)                                         \
  {                                                                                                                    \
    const gboolean sums = (type) 0.5 != 0;                                                                             \
    type best[ROWS_AT_ONCE], sum[ROWS_AT_ONCE];                                                                        \
    gboolean numbers = TRUE;                                                                                           \
                                                                                                                       \
    EACH_ROW (r) best[r] = sum[r] = x[(gint64) r * step];                                                              \
    for (gsize k = 1; k < n; k++)                                                                                      \
      EACH_ROW (r)                                                                                                     \
      {                                                                                                                \
        const type value = x[(gint64) r * step + (gint64) k];                                                          \
                                                                                                                       \
        best[r] = BEYOND (best[r], value) ? value : best[r];                                                           \
        if (sums)                                                                                                      \
          sum[r] += value;                                                                                             \
      }                                                                                                                \
    EACH_ROW (r)                                                                                                       \
    {                                                                                                                  \
      values[r] = best[r];                                                                                             \
      numbers &= !IS_NAN (sum[r]);                                                                                     \
    }                                                                                                                  \
    return numbers;                                                                                                    \
  }                                                                                                                    \
                                                                                                                       \
  /* … and how many elements come before it. */                                                                      \
  static inline __attribute__ ((always_inline))                                                                        \
  gboolean NAME##_find_few_rows (gint64 *before, type *values, const type *x, gint64 step, gsize n)                    \
  {                                                                                                                    \
    gint found[ROWS_AT_ONCE], still[ROWS_AT_ONCE];                                                                     \
                                                                                                                       \
    if (!NAME##_few_rows (values, x, step, n))                                                                         \
      return FALSE;                                                                                                    \
    EACH_ROW (r) found[r] = still[r] = BEYOND (x[(gint64) r * step], values[r]);                                       \
    for (gsize k = 1; k < n; k++)                                                                                      \
      EACH_ROW (r)                                                                                                     \
      {                                                                                                                \
        still[r] &= BEYOND (x[(gint64) r * step + (gint64) k], values[r]);                                             \
        found[r] += still[r];                                                                                          \
      }                                                                                                                \
    EACH_ROW (r) before[r] = found[r];                                                                                 \
    return TRUE;                                                                                                       \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_results (gpointer partials, gconstpointer elements, gint64 step, gsize n_results, gsize n)        \
  {                                                                                                                    \
    type *values = partials;                                                                                           \
    const type *x = elements;                                                                                          \
                                                                                                                       \
    BY_FEW_ROWS (FEW, NAME##_few_rows (values + t, x, step, n), values[t] = NAME##_of (x, n))                          \
  }

/* All n_results rows, if they are of fewer elements than that: those from number t on, at x, by SOME, if there are so
 * many and it can; else each by ONE. */
#define BY_FEW_ROWS(LIMIT, SOME, ONE)                                                                                  \
  for (gsize t = 0, end; t < n_results;)                                                                               \
    {                                                                                                                  \
      end = MIN (t + ROWS_AT_ONCE, n_results);                                                                         \
      if (n < LIMIT && end - t == ROWS_AT_ONCE && SOME)                                                                \
        {                                                                                                              \
          t = end;                                                                                                     \
          x += ROWS_AT_ONCE * step;                                                                                    \
        }                                                                                                              \
      for (; t < end; t++, x += step)                                                                                  \
        ONE;                                                                                                           \
    }

#define FEW_ROWS_OF(DTYPE, name, type)                                                                                 \
  FEW_ROWS (max_##name, type, INTEGER_MAX_BEYOND)                                                                      \
  FEW_ROWS (min_##name, type, INTEGER_MIN_BEYOND)

REDUCE_INTEGERS (FEW_ROWS_OF)
REDUCE_FLOATS (FEW_ROWS_OF)

/* ---- Where the extreme is ---- */

/* Elements that are in the cache still when one is looked for. */
#define SEARCH_PART 1024

/* Partials: the numbers of the elements, then the elements. Rows are numbered as
 * narrowly as elements are wide, for the vectors; there are REDUCE_BLOCK at most. */
#define ARG_FOLD(NAME, EXTREME, name, type, number_type, BEYOND)                                                       \
  static gsize NAME##_of (const type *x, gsize n, type *value)                                                         \
  {                                                                                                                    \
    gsize at = 0;                                                                                                      \
    type best = EXTREME##_of (x, MIN (n, SEARCH_PART));                                                                \
                                                                                                                       \
    for (gsize start = SEARCH_PART; start < n && !IS_NAN (best); start += SEARCH_PART)                                 \
      {                                                                                                                \
        const type next = EXTREME##_of (x + start, MIN (n - start, SEARCH_PART));                                      \
                                                                                                                       \
        if (BEYOND (best, next))                                                                                       \
          {                                                                                                            \
            best = next;                                                                                               \
            at = start;                                                                                                \
          }                                                                                                            \
      }                                                                                                                \
    *value = best;                                                                                                     \
    if (!IS_NAN (best))                                                                                                \
      return at + find_##name (x + at, n - at, best);                                                                  \
    while (!IS_NAN (x[at]))                                                                                            \
      at++;                                                                                                            \
    return at;                                                                                                         \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_results (gpointer partials, gconstpointer elements, gint64 step, gsize n_results, gsize n)        \
  {                                                                                                                    \
    gint64 *numbers = partials;                                                                                        \
    type *values = (type *) (numbers + n_results);                                                                     \
    const type *x = elements;                                                                                          \
                                                                                                                       \
    BY_FEW_ROWS (FEW_TO_FIND, EXTREME##_find_few_rows (numbers + t, values + t, x, step, n),                           \
                 numbers[t] = (gint64) NAME##_of (x, n, values + t))                                                   \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_piece (gpointer partial, gconstpointer elements, gsize n, gint64 index)                           \
  {                                                                                                                    \
    gint64 *number = partial;                                                                                          \
                                                                                                                       \
    *number = index + (gint64) NAME##_of (elements, n, (type *) (number + 1));                                         \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_merge (gpointer a, gconstpointer b, gsize width, gint64 a_count, gint64 b_count)                  \
  {                                                                                                                    \
    gint64 *numbers = a;                                                                                               \
    type *values = (type *) (numbers + width);                                                                         \
    const gint64 *b_numbers = b;                                                                                       \
    const type *b_values = (const type *) (b_numbers + width);                                                         \
                                                                                                                       \
    for (gsize t = 0; t < width; t++)                                                                                  \
      if (BEYOND (values[t], b_values[t]))                                                                             \
        {                                                                                                              \
          numbers[t] = b_numbers[t];                                                                                   \
          values[t] = b_values[t];                                                                                     \
        }                                                                                                              \
  }                                                                                                                    \
                                                                                                                       \
  static void NAME##_rows (const ReduceRows *rows)                                                                     \
  {                                                                                                                    \
    const type *x = rows->elements;                                                                                    \
    const gsize width = rows->width;                                                                                   \
    gint64 *numbers = rows->lanes;                                                                                     \
    type *values = (type *) (numbers + width);                                                                         \
    number_type rows_of[REDUCE_TILE]; /* their numbers in this call, from 1 on; 0: an earlier one's */                 \
                                                                                                                       \
    memset (rows_of, 0, width * sizeof *rows_of);                                                                      \
    if (rows->first == 0)                                                                                              \
      {                                                                                                                \
        memcpy (values, x, width * sizeof (type));                                                                     \
        for (gsize t = 0; t < width; t++)                                                                              \
          numbers[t] = rows->index;                                                                                    \
      }                                                                                                                \
    for (gsize r = rows->first == 0 ? 1 : 0; r < rows->n_rows; r++)                                                    \
      {                                                                                                                \
        const type *row = x + (gint64) r * rows->stride;                                                               \
        const number_type number = (number_type) (r + 1);                                                              \
                                                                                                                       \
        _Pragma ("GCC ivdep") for (gsize t = 0; t < width; t++)                                                        \
        {                                                                                                              \
          const type value = values[t], next = row[t];                                                                 \
          const gboolean beyond = BEYOND (value, next);                                                                \
                                                                                                                       \
          values[t] = beyond ? next : value;                                                                           \
          rows_of[t] = beyond ? number : rows_of[t];                                                                   \
        }                                                                                                              \
      }                                                                                                                \
    for (gsize t = 0; t < width; t++)                                                                                  \
      if (rows_of[t] > 0)                                                                                              \
        numbers[t] = rows->index + (gint64) rows_of[t] - 1;                                                            \
  }                                                                                                                    \
                                                                                                                       \
  static const ReduceFold NAME = {                                                                                     \
    .partial_size = sizeof (gint64) + sizeof (type),                                                                   \
    .tile = REDUCE_TILE,                                                                                               \
    .passes = 1,                                                                                                       \
    .results = NAME##_results,                                                                                         \
    .piece = NAME##_piece,                                                                                             \
    .rows = NAME##_rows,                                                                                               \
    .merge = NAME##_merge,                                                                                             \
  };

#define FOLDS(name, type, number_type, LEAST, MOST, MAX_OP, MIN_OP, MAX_TEST, MIN_TEST)                                \
  REDUCE_FOLD_OF (max_##name, type, type, LEAST, NULL, AS_IS, MAX_OP)                                                  \
  REDUCE_FOLD_OF (min_##name, type, type, MOST, NULL, AS_IS, MIN_OP)                                                   \
  ARG_FOLD (argmax_##name, max_##name, name, type, number_type, MAX_TEST)                                              \
  ARG_FOLD (argmin_##name, min_##name, name, type, number_type, MIN_TEST)

#define INTEGER_FOLDS(name, type, number_type, LEAST, MOST)                                                            \
  FOLDS (name, type, number_type, LEAST, MOST, INTEGER_MAX_OF, INTEGER_MIN_OF, INTEGER_MAX_BEYOND, INTEGER_MIN_BEYOND)

INTEGER_FOLDS (bool, guint8, guint16, 0, 1)
INTEGER_FOLDS (int8, gint8, guint16, G_MININT8, G_MAXINT8)
INTEGER_FOLDS (int16, gint16, guint16, G_MININT16, G_MAXINT16)
INTEGER_FOLDS (int32, gint32, guint32, G_MININT32, G_MAXINT32)
INTEGER_FOLDS (int64, gint64, guint64, G_MININT64, G_MAXINT64)
INTEGER_FOLDS (uint8, guint8, guint16, 0, G_MAXUINT8)
INTEGER_FOLDS (uint16, guint16, guint16, 0, G_MAXUINT16)
INTEGER_FOLDS (uint32, guint32, guint32, 0, G_MAXUINT32)
INTEGER_FOLDS (uint64, guint64, guint64, 0, G_MAXUINT64)
FOLDS (float32, float, guint32, -INFINITY, INFINITY, MAX_OF, MIN_OF, MAX_BEYOND, MIN_BEYOND)
FOLDS (float64, double, guint64, -INFINITY, INFINITY, MAX_OF, MIN_OF, MAX_BEYOND, MIN_BEYOND)

/* What an op has for a dtype. */
typedef struct
{
  const ReduceFold *fold;
  ReduceFinish finish;
} Row;

static void
finish_value (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  gsize size = call->fold->partial_size;

  memcpy ((guint8 *) candela_kernel_get_output (call->kernel, 0) + output * (gint64) size, partials, width * size);
}

static void
finish_number (const ReduceCall *call, gconstpointer partials, gint64 output, gsize width)
{
  memcpy ((gint64 *) candela_kernel_get_output (call->kernel, 0) + output, partials, width * sizeof (gint64));
}

#define MAX_ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = { &max_##name, finish_value },
#define MIN_ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = { &min_##name, finish_value },
#define ARGMAX_ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = { &argmax_##name, finish_number },
#define ARGMIN_ROW(DTYPE, name, type) [CANDELA_DTYPE_##DTYPE] = { &argmin_##name, finish_number },

static const Row max_rows[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (MAX_ROW) REDUCE_FLOATS (MAX_ROW) };
static const Row min_rows[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (MIN_ROW) REDUCE_FLOATS (MIN_ROW) };
static const Row argmax_rows[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (ARGMAX_ROW) REDUCE_FLOATS (ARGMAX_ROW) };
static const Row argmin_rows[CANDELA_N_DTYPES] = { REDUCE_INTEGERS (ARGMIN_ROW) REDUCE_FLOATS (ARGMIN_ROW) };

enum {
  PARAM_AXIS,
  PARAM_KEEPDIMS
};

static gboolean
infer_value (CandelaInference *inference, GError **error)
{
  return reduce_infer_one (inference, TRUE, candela_inference_get_input_dtype (inference, 0), error);
}

static gboolean
infer_index (CandelaInference *inference, GError **error)
{
  gboolean keepdims = candela_params_get_bool (candela_inference_get_params (inference), PARAM_KEEPDIMS);

  return reduce_infer_single_axis (inference, keepdims, CANDELA_DTYPE_INT64, error);
}

static gboolean
compute (CandelaKernel *kernel, const Row *rows, guint32 (*get_axes) (const CandelaParams *params, guint rank),
         GError **error)
{
  CandelaDType dtype = candela_kernel_get_input_dtype (kernel, 0);
  guint rank = candela_layout_get_rank (candela_kernel_get_input_layout (kernel, 0));
  ReduceCall call = {
    .kernel = kernel,
    .fold = rows[dtype].fold,
    .dtype = dtype,
    .axes = get_axes (candela_kernel_get_params (kernel), rank),
    .finish = rows[dtype].finish,
  };

  return reduce_run (&call, error);
}

static gboolean
compute_max (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, max_rows, reduce_get_axes, error);
}

static gboolean
compute_min (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, min_rows, reduce_get_axes, error);
}

static gboolean
compute_argmax (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, argmax_rows, reduce_get_axis, error);
}

static gboolean
compute_argmin (CandelaKernel *kernel, GError **error)
{
  return compute (kernel, argmin_rows, reduce_get_axis, error);
}

static const CandelaParamInfo index_params[] = {
  { .name = "axis",
    .type = CANDELA_PARAM_INT,
    .summary = "the axis to search, counted from the end if negative; none: all elements in row-major order" },
  REDUCE_PARAM_KEEPDIMS,
  { NULL },
};

#define AS_FOUND(partial, n) (partial)
#define ROWS(op)                                                                                                       \
  REDUCE_ROWS (op##_rows_float32, float, float, float, op##_float32, AS_FOUND)                                         \
  REDUCE_ROWS (op##_rows_float64, double, double, double, op##_float64, AS_FOUND)                                      \
                                                                                                                       \
  REDUCE_KERNELS_WITH_ROWS (op)

ROWS (max)
ROWS (min)

static const CandelaKernelInfo argmax_kernels[] = { { .compute = compute_argmax }, { .compute = NULL } };
static const CandelaKernelInfo argmin_kernels[] = { { .compute = compute_argmin }, { .compute = NULL } };

#define OP(NAME, INFER, AXES, PARAMS, SUMMARY, FORMULA, EXAMPLE, ...)                                                  \
  const CandelaOpInfo REDUCE_NAME (NAME) = { .struct_size = sizeof (CandelaOpInfo),                                    \
                                             .name = #NAME,                                                            \
                                             .summary = SUMMARY,                                                       \
                                             .formula = FORMULA,                                                       \
                                             .example = EXAMPLE,                                                       \
                                             .since = "1.0",                                                           \
                                             .inputs = reduce_inputs,                                                  \
                                             .params = PARAMS,                                                         \
                                             .axes = CANDELA_AXES_REDUCTION,                                           \
                                             .reduced_axes = AXES,                                                     \
                                             .takes_fed = TRUE,                                                        \
                                             .infer = INFER,                                                           \
                                             .kernels = NAME##_kernels,                                                \
                                             __VA_ARGS__ };

/* To the elements that are the extreme in equal parts. */
#define SHARED_GRADIENT(op)                                                                                            \
  "m = reshape(out, " #op "(x, axis=axis, keepdims=true).shape); "                                                     \
  "is = x == m; "                                                                                                      \
  "n = sum(is, axis=axis, dtype=x.dtype, keepdims=true); "                                                             \
  "where(is, reshape(grad, m.shape) / n, 0)"

OP (max, infer_value, reduce_get_axes, reduce_params, "The largest element along axes; NaN if there is one",
    "out[j] = maxᵢ x[i, j]\n"
    "where i runs over the axes in axis, j over the others",
    "x = [[1, 5, 3], [4, 2, 6]]; max(x), max(x, axis=0)", .gradients = { SHARED_GRADIENT (max) })
OP (min, infer_value, reduce_get_axes, reduce_params, "The smallest element along axes; NaN if there is one",
    "out[j] = minᵢ x[i, j]\n"
    "where i runs over the axes in axis, j over the others",
    "x = [[1, 5, 3], [4, 2, 6]]; min(x), min(x, axis=0)", .gradients = { SHARED_GRADIENT (min) })
OP (argmax, infer_index, reduce_get_axis, index_params, "Where the first of the largest elements along an axis is",
    "out[j] = the first i with x[i, j] = maxₖ x[k, j]\n"
    "where i runs along axis, j over the others",
    "x = [[1, 5, 3], [4, 2, 6]]; argmax(x), argmax(x, axis=0)")
OP (argmin, infer_index, reduce_get_axis, index_params, "Where the first of the smallest elements along an axis is",
    "out[j] = the first i with x[i, j] = minₖ x[k, j]\n"
    "where i runs along axis, j over the others",
    "x = [[1, 5, 3], [4, 2, 6]]; argmin(x), argmin(x, axis=0)")
