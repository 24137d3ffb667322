/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The limit: each workload as the loop that one would write by hand for it and
 * nothing else, fused, into a buffer that is there already. benchmarks/run
 * compiles it for this processor, with -O3 and no contraction; the C library's
 * vector functions are used where it has them. Sums run in several lanes, in
 * blocks that are summed in double, as a compiler may not decide by itself. */
#include "serve.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GLIBC__)
float expf (float x) __attribute__ ((simd ("notinbranch"), const));
float tanhf (float x) __attribute__ ((simd ("notinbranch"), const));
float erff (float x) __attribute__ ((simd ("notinbranch"), const));
#endif

/* Below so many elements, threads cost more than they bring. */
#define SMALL 32768
#define LANES 64
#define BLOCK 4096
#define STRIP 256 /* columns that fit in the cache together with their sums */

typedef struct
{
  const void *in[SERVE_MAX_INPUTS];
  void *out;
  long n;        /* elements of the first input */
  long dims[4];  /* its shape */
  long dims2[4]; /* the second's */
  float *turned; /* the second's transpose, where a loop wants it */
} Work;

#define SIMD _Pragma ("omp simd")

/* A loop does its units from begin to before end: elements, rows or columns. */
#define MAP(name, T, EXPRESSION)                                                                                       \
  static void name (const Work *work, long begin, long end)                                                            \
  {                                                                                                                    \
    const T *a G_GNUC_UNUSED = work->in[0], *b G_GNUC_UNUSED = work->in[1];                                            \
    const T *c G_GNUC_UNUSED = work->in[2], *d G_GNUC_UNUSED = work->in[3];                                            \
    T *out = work->out;                                                                                                \
    SIMD                                                                                                               \
    for (long i = begin; i < end; i++)                                                                                 \
      out[i] = EXPRESSION;                                                                                             \
  }

static inline float
chain_20 (float t)
{
  for (int i = 0; i < 10; i++)
    t = t * 1.01f + 0.01f;
  return t;
}

static inline float
graph_30 (float a, float b)
{
  float v[30];

  v[0] = a + b;
  v[1] = a - b;
  v[2] = v[0] * b;
  v[3] = v[1] + a;
#pragma GCC unroll 30
  for (int i = 4; i < 30; i++)
    v[i] = i % 4 == 0   ? v[i - 1] + v[i - 3]
           : i % 4 == 1 ? v[i - 1] * 0.5f
           : i % 4 == 2 ? v[i - 1] - v[i - 4]
                        : v[i - 1] * a;
  return v[29];
}

MAP (add, float, a[i] + b[i])
MAP (muladd, float, (a[i] * b[i] + c[i]) * 2 - d[i])
MAP (muladd_f64, double, (a[i] * b[i] + c[i]) * 2 - d[i])
MAP (muladd_i32, guint32, (a[i] * b[i] + c[i]) * 2 - d[i])
MAP (exponential, float, expf (a[i]))
MAP (tangent, float, tanhf (a[i]))
MAP (sigmoid, float, 1 / (1 + expf (-a[i])))
MAP (gelu, float, a[i] * 0.5f * (1 + erff (a[i] * 0.70710678118654752f)))
MAP (chain, float, chain_20 (a[i]))
MAP (graph, float, graph_30 (a[i], b[i]))
MAP (choose, float, a[i] > 0 ? a[i] : b[i] * 0.5f)

/* One value of all lanes: halves onto halves. */
#define FOLD(lanes, COMBINE)                                                                                           \
  for (int half = LANES / 2; half > 0; half /= 2)                                                                      \
    for (int k = 0; k < half; k++)                                                                                     \
  lanes[k] = COMBINE (lanes[k], lanes[k + half])
#define SUM(a, b) ((a) + (b))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

static inline float
block_sum (const float *x, long n)
{
  float lanes[LANES] = { 0 };
  long i = 0;

  for (; i + LANES <= n; i += LANES)
    for (int k = 0; k < LANES; k++)
      lanes[k] += x[i + k];
  FOLD (lanes, SUM);
  for (; i < n; i++)
    lanes[0] += x[i];
  return lanes[0];
}

static inline double
row_sum (const float *x, long n)
{
  double sum = 0;

  for (long i = 0; i < n; i += BLOCK)
    sum += block_sum (x + i, MIN (BLOCK, n - i));
  return sum;
}

static inline float
row_max (const float *x, long n)
{
  float lanes[LANES];
  long i = 0;

  for (int k = 0; k < LANES; k++)
    lanes[k] = x[0];
  for (; i + LANES <= n; i += LANES)
    for (int k = 0; k < LANES; k++)
      lanes[k] = LARGER (x[i + k], lanes[k]);
  FOLD (lanes, LARGER);
  for (; i < n; i++)
    lanes[0] = LARGER (x[i], lanes[0]);
  return lanes[0];
}

/* Threads add what they have to the sum, which starts as nothing. */
static double total;

static void
sum_all (const Work *work, long begin, long end)
{
  double sum = row_sum ((const float *) work->in[0] + begin, end - begin);

#pragma omp atomic
  total += sum;
}

/* Sums of rows of a matrix, rows apart from one another, into one row. */
static inline void
sum_rows (const float *x, long rows, long stride, long columns, float *out)
{
  memset (out, 0, columns * sizeof (float));
  for (long r = 0; r < rows; r++)
    {
      const float *row = x + r * stride;

      for (long c = 0; c < columns; c++)
        out[c] += row[c];
    }
}

static void
sum_0 (const Work *work, long begin, long end)
{
  long rows = work->dims[0], columns = work->dims[1], part = 1024;

  for (long c = begin; c < end; c += part)
    sum_rows ((const float *) work->in[0] + c, rows, columns, MIN (part, end - c), (float *) work->out + c);
}

static void
sum_1 (const Work *work, long begin, long end)
{
  const float *x = work->in[0];
  long columns = work->dims[1];
  float *out = work->out;

  for (long r = begin; r < end; r++)
    out[r] = row_sum (x + r * columns, columns);
}

static void
sum_middle (const Work *work, long begin, long end)
{
  long rows = work->dims[1], columns = work->dims[2];

  for (long i = begin; i < end; i++)
    sum_rows ((const float *) work->in[0] + i * rows * columns, rows, columns, columns,
              (float *) work->out + i * columns);
}

static inline float
row_var (const float *x, long n)
{
  float mean = row_sum (x, n) / n, lanes[LANES] = { 0 };
  long i = 0;

  for (; i + LANES <= n; i += LANES)
    for (int k = 0; k < LANES; k++)
      lanes[k] += (x[i + k] - mean) * (x[i + k] - mean);
  FOLD (lanes, SUM);
  for (; i < n; i++)
    lanes[0] += (x[i] - mean) * (x[i] - mean);
  return lanes[0] / n;
}

#define PER_ROW(name, T, EXPRESSION)                                                                                   \
  static void name (const Work *work, long begin, long end)                                                            \
  {                                                                                                                    \
    long n = work->dims[1];                                                                                            \
    T *out = work->out;                                                                                                \
    for (long r = begin; r < end; r++)                                                                                 \
      {                                                                                                                \
        const float *x = (const float *) work->in[0] + r * n;                                                          \
        out[r] = EXPRESSION;                                                                                           \
      }                                                                                                                \
  }

/* The first of the largest: which it is, and then where. */
static inline gint64
row_argmax (const float *x, long n)
{
  float max = row_max (x, n);
  long i = 0;

  for (; i + LANES <= n; i += LANES)
    {
      int found = 0;

      for (int k = 0; k < LANES; k++)
        found |= x[i + k] == max;
      if (found)
        break;
    }
  while (i < n - 1 && x[i] != max)
    i++;
  return i;
}

static inline float
exp_row (const float *x, long n, float max, float *out)
{
  SIMD
  for (long i = 0; i < n; i++)
    out[i] = expf (x[i] - max);
  return row_sum (out, n);
}

static inline float
row_logsumexp (const float *x, long n)
{
  float max = row_max (x, n), part[BLOCK];
  double sum = 0;

  for (long i = 0; i < n; i += BLOCK)
    sum += exp_row (x + i, MIN (BLOCK, n - i), max, part);
  return logf (sum) + max;
}

PER_ROW (var_1, float, row_var (x, n))
PER_ROW (max_1, float, row_max (x, n))
PER_ROW (argmax_1, gint64, row_argmax (x, n))
PER_ROW (logsumexp, float, row_logsumexp (x, n))

static void
softmax_1 (const Work *work, long begin, long end)
{
  long n = work->dims[1];

  for (long r = begin; r < end; r++)
    {
      const float *x = (const float *) work->in[0] + r * n;
      float *out = (float *) work->out + r * n;
      float scale = 1 / exp_row (x, n, row_max (x, n), out);

      for (long i = 0; i < n; i++)
        out[i] *= scale;
    }
}

static void
softmax_0 (const Work *work, long begin, long end)
{
  long rows = work->dims[0], n = work->dims[1];

  for (long c = begin; c < end; c += STRIP)
    {
      const float *x = (const float *) work->in[0] + c;
      float *out = (float *) work->out + c;
      float max[STRIP], sum[STRIP] = { 0 };
      long m = MIN (STRIP, end - c);

      for (long i = 0; i < m; i++)
        max[i] = x[i];
      for (long r = 1; r < rows; r++)
        for (long i = 0; i < m; i++)
          max[i] = x[r * n + i] > max[i] ? x[r * n + i] : max[i];
      for (long r = 0; r < rows; r++)
        SIMD
        for (long i = 0; i < m; i++)
          sum[i] += out[r * n + i] = expf (x[r * n + i] - max[i]);
      for (long i = 0; i < m; i++)
        sum[i] = 1 / sum[i];
      for (long r = 0; r < rows; r++)
        for (long i = 0; i < m; i++)
          out[r * n + i] *= sum[i];
    }
}

static void
layer_norm (const Work *work, long begin, long end)
{
  long n = work->dims[1];
  const float *g = work->in[1], *b = work->in[2];

  for (long r = begin; r < end; r++)
    {
      const float *x = (const float *) work->in[0] + r * n;
      float *out = (float *) work->out + r * n;
      float mean = row_sum (x, n) / n, scale = 1 / sqrtf (row_var (x, n) + 1e-5f);

      SIMD
      for (long i = 0; i < n; i++)
        out[i] = (x[i] - mean) * scale * g[i] + b[i];
    }
}

static void
distances (const Work *work, long begin, long end)
{
  enum { D = 16 };
  long m = work->dims2[0];
  const float *turned = work->turned;

  for (long i = begin; i < end; i++)
    {
      const float *x = (const float *) work->in[0] + i * D;
      float *out = (float *) work->out + i * m;

      SIMD
      for (long j = 0; j < m; j++)
        {
          float sum = 0;

          for (int k = 0; k < D; k++)
            sum += (x[k] - turned[k * m + j]) * (x[k] - turned[k * m + j]);
          out[j] = sum;
        }
    }
}

static void
strided (const Work *work, long begin, long end)
{
  long n = work->dims[1] / 2;

  for (long r = begin; r < end; r++)
    {
      const float *x = (const float *) work->in[0] + r * 2 * n;
      float *out = (float *) work->out + r * n;

      for (long i = 0; i < n; i++)
        out[i] = x[2 * i] * 2 + 1;
    }
}

static void
transposed (const Work *work, long begin, long end)
{
  enum { SIDE = 32 };
  long rows = work->dims[0], columns = work->dims[1];
  const float *x = work->in[0];
  float *out = work->out;

  for (long c = begin; c < end; c += SIDE)
    for (long r = 0; r < rows; r += SIDE)
      for (long i = c; i < MIN (c + SIDE, end); i++)
        for (long k = r; k < MIN (r + SIDE, rows); k++)
          out[i * rows + k] = x[k * columns + i];
}

static const struct
{
  const char *workload;
  void (*function) (const Work *work, long begin, long end);
  char units;        /* e: elements, r: rows, c: columns */
  const char *shape; /* of the result, in the inputs' dims; "=" is the first input's */
  CandelaDType dtype;
} loops[] = {
  { "add", add, 'e', "=", CANDELA_DTYPE_FLOAT32 },
  { "muladd", muladd, 'e', "=", CANDELA_DTYPE_FLOAT32 },
  { "muladd float64", muladd_f64, 'e', "=", CANDELA_DTYPE_FLOAT64 },
  { "muladd int32", muladd_i32, 'e', "=", CANDELA_DTYPE_INT32 },
  { "exp", exponential, 'e', "=", CANDELA_DTYPE_FLOAT32 },
  { "tanh", tangent, 'e', "=", CANDELA_DTYPE_FLOAT32 },
  { "sigmoid", sigmoid, 'e', "=", CANDELA_DTYPE_FLOAT32 },
  { "sigmoid composed", sigmoid, 'e', "=", CANDELA_DTYPE_FLOAT32 },
  { "gelu", gelu, 'e', "=", CANDELA_DTYPE_FLOAT32 },
  { "chain of 20", chain, 'e', "=", CANDELA_DTYPE_FLOAT32 },
  { "graph of 30", graph, 'e', "=", CANDELA_DTYPE_FLOAT32 },
  { "where", choose, 'e', "=", CANDELA_DTYPE_FLOAT32 },
  { "sum all", sum_all, 'e', "", CANDELA_DTYPE_FLOAT32 },
  { "sum axis 0", sum_0, 'c', "1", CANDELA_DTYPE_FLOAT32 },
  { "sum axis 1", sum_1, 'r', "0", CANDELA_DTYPE_FLOAT32 },
  { "sum middle axis", sum_middle, 'r', "02", CANDELA_DTYPE_FLOAT32 },
  { "mean all", sum_all, 'e', "", CANDELA_DTYPE_FLOAT32 },
  { "var axis 1", var_1, 'r', "0", CANDELA_DTYPE_FLOAT32 },
  { "max axis 1", max_1, 'r', "0", CANDELA_DTYPE_FLOAT32 },
  { "argmax axis 1", argmax_1, 'r', "0", CANDELA_DTYPE_INT64 },
  { "softmax axis 1", softmax_1, 'r', "=", CANDELA_DTYPE_FLOAT32 },
  { "softmax axis 0", softmax_0, 'c', "=", CANDELA_DTYPE_FLOAT32 },
  { "layer norm", layer_norm, 'r', "=", CANDELA_DTYPE_FLOAT32 },
  { "log-sum-exp", logsumexp, 'r', "0", CANDELA_DTYPE_FLOAT32 },
  { "squared distances", distances, 'r', "0a", CANDELA_DTYPE_FLOAT32 },
  { "strided slice", strided, 'r', "0h", CANDELA_DTYPE_FLOAT32 },
  { "transposed copy", transposed, 'c', "10", CANDELA_DTYPE_FLOAT32 },
};

static Work work;
static int threads;
static gsize loop;
static CandelaTensor *result;

static void
keep_dims (CandelaTensor *tensor, long dims[4])
{
  gsize n_dims;
  const gint64 *shape = candela_tensor_get_shape (tensor, &n_dims);

  for (gsize i = 0; i < 4; i++)
    dims[i] = i < n_dims ? shape[i] : 1;
}

static gboolean
make_result (const char *text, CandelaDType dtype, CandelaTensor *first, GError **error)
{
  gint64 shape[4];
  gsize n_dims = 0;

  if (g_str_equal (text, "="))
    {
      const gint64 *dims = candela_tensor_get_shape (first, &n_dims);

      memcpy (shape, dims, n_dims * sizeof *shape);
    }
  else
    for (; text[n_dims] != '\0'; n_dims++)
      shape[n_dims] = text[n_dims] == 'a'   ? work.dims2[0]
                      : text[n_dims] == 'h' ? work.dims[1] / 2
                                            : work.dims[text[n_dims] - '0'];
  g_clear_object (&result);
  result = candela_tensor_new (dtype, shape, n_dims, error);
  return result != NULL;
}

/* Units in as many parts as there are threads, of whole cache lines. */
static void
run (const char *kind)
{
  void (*function) (const Work *, long, long) = loops[loop].function;
  char units = loops[loop].units;
  long n = units == 'e' ? work.n : work.dims[units == 'c'];
  long part = ((n + threads - 1) / threads + 15) / 16 * 16;

  total = 0;
  if (threads == 1 || work.n < SMALL)
    function (&work, 0, n);
  else
    {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
      for (int i = 0; i < threads; i++)
        if (i * part < n)
          function (&work, i * part, MIN (n, (i + 1) * part));
    }
  if (function == sum_all)
    *(float *) work.out = loops[loop].workload[0] == 's' ? total : total / work.n;
}

/* Whoever multiplies pairs of rows has the second matrix as columns. */
static void
turn_second (void)
{
  const float *x = work.in[1];
  long rows = work.dims2[0], columns = work.dims2[1];

  g_free (work.turned);
  work.turned = g_new (float, rows * columns);
  for (long i = 0; i < rows; i++)
    for (long k = 0; k < columns; k++)
      work.turned[k * rows + i] = x[i * columns + k];
}

static gboolean
setup (const ServeCell *cell, GError **error)
{
  for (loop = 0; loop < G_N_ELEMENTS (loops); loop++)
    if (g_str_equal (loops[loop].workload, cell->workload))
      {
        memset (work.in, 0, sizeof work.in);
        for (guint i = 0; i < cell->n_inputs; i++)
          work.in[i] = candela_tensor_get_data (cell->inputs[i]);
        work.n = candela_tensor_get_n_elements (cell->inputs[0]);
        keep_dims (cell->inputs[0], work.dims);
        keep_dims (cell->inputs[cell->n_inputs > 1 ? 1 : 0], work.dims2);
        if (!make_result (loops[loop].shape, loops[loop].dtype, cell->inputs[0], error))
          return FALSE;
        work.out = candela_tensor_get_writable_data (result);
        if (loops[loop].function == distances)
          turn_second ();
        run ("warm");
        return TRUE;
      }
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "not a plain loop");
  return FALSE;
}

static CandelaTensor *
get_result (void)
{
  return result;
}

int
main (int argc, char **argv)
{
  const ServeFunctions functions = { setup, run, get_result, NULL };

  threads = argc > 1 ? MAX (1, atoi (argv[1])) : 1;
  return serve (&functions);
}
