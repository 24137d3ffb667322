/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * searchsorted: for every x2 at once, a few of them side by side, so that the
 * processor waits for the memory of several searches together. Where there is a
 * sorter, x1 is read through it. */
#include "sort.h"

enum {
  INPUT_X1,
  INPUT_X2,
  INPUT_SORTER,
  PARAM_SIDE = 0
};

/* Values that are searched for together; that are packed at a time; and that one
 * thread takes at a time. */
#define TOGETHER 32
#define PACKED 512
#define CHUNK 4096

typedef struct
{
  CandelaKernel *kernel;
  CandelaDType dtype;
  gconstpointer elements; /* x1, packed and in order */
  gint64 n;
  gint64 n_values;
  gboolean right;
  void (*search) (gconstpointer elements, gint64 n, gboolean right, gconstpointer values, gsize n_values, gint64 *out);
} Search;

/* In the order of sort: nothing is above a NaN. */
#define IS_BELOW(a, b) (((a) < (b)) | (((b) != (b)) & ((a) == (a))))

/* The answer to each is between out and out + n. */
#define SEARCH(name, type)                                                                                             \
  static inline __attribute__ ((always_inline)) void search_few_##name (                                               \
    const type *x, gint64 n, const gboolean right, const type *values, gsize n_values, gint64 *out)                    \
  {                                                                                                                    \
    memset (out, 0, n_values * sizeof *out);                                                                           \
    for (gint64 half; n > 0; n -= half)                                                                                \
      {                                                                                                                \
        half = (n + 1) / 2;                                                                                            \
        for (gsize k = 0; k < n_values; k++)                                                                           \
          {                                                                                                            \
            const type probe = x[out[k] + half - 1];                                                                   \
            const gint64 step = right ? !IS_BELOW (values[k], probe) : IS_BELOW (probe, values[k]);                    \
                                                                                                                       \
            out[k] += half & -step;                                                                                    \
          }                                                                                                            \
      }                                                                                                                \
  }                                                                                                                    \
                                                                                                                       \
  static void search_##name (gconstpointer elements, gint64 n, gboolean right, gconstpointer values, gsize n_values,   \
                             gint64 *out)                                                                              \
  {                                                                                                                    \
    for (gsize first = 0; first < n_values; first += TOGETHER)                                                         \
      {                                                                                                                \
        const type *few = (const type *) values + first;                                                               \
        const gsize n_few = MIN (n_values - first, TOGETHER);                                                          \
                                                                                                                       \
        if (right)                                                                                                     \
          search_few_##name (elements, n, TRUE, few, n_few, out + first);                                              \
        else                                                                                                           \
          search_few_##name (elements, n, FALSE, few, n_few, out + first);                                             \
      }                                                                                                                \
  }

static void
run_chunk (guint64 chunk, gpointer data)
{
  const Search *search = data;
  gint64 first = (gint64) chunk * CHUNK, end = MIN (first + CHUNK, search->n_values);
  gint64 *out = candela_kernel_get_output (search->kernel, 0);
  guint64 values[PACKED];

  if (g_cancellable_is_cancelled (candela_kernel_get_cancellable (search->kernel)))
    return;
  for (gint64 part; first < end; first += part)
    {
      part = MIN (end - first, PACKED);
      candela_kernel_pack_input (search->kernel, INPUT_X2, search->dtype, first, (gsize) part, values);
      search->search (search->elements, search->n, search->right, values, (gsize) part, out + first);
    }
}

/* x1 in the order of the sorter, in place. */
static gboolean
apply_sorter (const Search *search, gpointer elements, gconstpointer given, GError **error)
{
  const gsize size = candela_dtype_get_size (search->dtype);
  gint64 places[PACKED];

  for (gint64 first = 0, part; first < search->n; first += part)
    {
      part = MIN (search->n - first, PACKED);
      candela_kernel_pack_input (search->kernel, INPUT_SORTER, CANDELA_DTYPE_INT64, first, (gsize) part, places);
      for (gint64 i = 0; i < part; i++)
        {
          if (places[i] < 0 || places[i] >= search->n)
            {
              g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER,
                           "searchsorted: element %" G_GINT64_FORMAT " of sorter is %" G_GINT64_FORMAT
                           "; x1 has %" G_GINT64_FORMAT " elements",
                           first + i, places[i], search->n);
              return FALSE;
            }
          memcpy ((guint8 *) elements + (gsize) (first + i) * size, (const guint8 *) given + (gsize) places[i] * size,
                  size);
        }
    }
  return TRUE;
}

static gboolean
run (Search *search, GError **error)
{
  CandelaKernel *kernel = search->kernel;
  const CandelaLayout *layout = candela_kernel_get_input_layout (kernel, INPUT_X1);
  const gboolean sorted = candela_kernel_get_n_inputs (kernel) <= INPUT_SORTER;
  const gsize size = candela_dtype_get_size (search->dtype);
  g_autofree guint8 *memory = NULL;
  gsize bytes;

  search->n = candela_layout_get_n_elements (layout);
  search->n_values = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0));
  search->right = g_str_equal (candela_params_get_string (candela_kernel_get_params (kernel), PARAM_SIDE), "right");
  search->elements = candela_kernel_get_input (kernel, INPUT_X1);
  bytes = (gsize) search->n * size;
  if (!sorted || search->dtype != candela_kernel_get_input_dtype (kernel, INPUT_X1)
      || !candela_layout_is_contiguous (layout))
    {
      memory = g_try_malloc (MAX (bytes, 1) * (sorted ? 1 : 2));
      if (memory == NULL)
        {
          g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "there is no memory to search in");
          return FALSE;
        }
      candela_kernel_pack_input (kernel, INPUT_X1, search->dtype, 0, (gsize) search->n, memory);
      search->elements = memory;
    }
  if (!sorted)
    {
      if (!apply_sorter (search, memory + bytes, memory, error))
        return FALSE;
      search->elements = memory + bytes;
    }
  candela_kernel_parallel_for (kernel, (guint64) ((search->n_values + CHUNK - 1) / CHUNK), run_chunk, search);
  return !g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error);
}

#define COMPUTE(DTYPE, name, type)                                                                                     \
  SEARCH (name, type)                                                                                                  \
  static gboolean compute_##name (CandelaKernel *kernel, GError **error)                                               \
  {                                                                                                                    \
    Search search = { .kernel = kernel, .dtype = CANDELA_DTYPE_##DTYPE, .search = search_##name };                     \
                                                                                                                       \
    return run (&search, error);                                                                                       \
  }

#define COMPUTE_INTEGER(DTYPE, name, type, ...) COMPUTE (DTYPE, name, type)

SORT_INTEGERS (COMPUTE_INTEGER)
COMPUTE (FLOAT32, float32, float)
COMPUTE (FLOAT64, float64, double)

static gboolean
infer (CandelaInference *inference, GError **error)
{
  const CandelaLayout *sorter = candela_inference_get_input_layout (inference, INPUT_SORTER);
  gsize rank, x1_rank;
  const gint64 *x1 = candela_layout_get_shape (candela_inference_get_input_layout (inference, INPUT_X1), &x1_rank);
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, INPUT_X2), &rank);
  g_autofree char *x1_text = candela_shape_to_string (x1, x1_rank);

  if (x1_rank != 1)
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE, "x1 has shape %s; it must have one axis",
                                   x1_text);
  if (sorter != NULL && !candela_layout_same_shape (sorter, candela_inference_get_input_layout (inference, INPUT_X1)))
    {
      gsize sorter_rank;
      const gint64 *sorter_shape = candela_layout_get_shape (sorter, &sorter_rank);
      g_autofree char *text = candela_shape_to_string (sorter_shape, sorter_rank);

      return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                     "sorter has shape %s; it must have that of x1, which is %s", text, x1_text);
    }
  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_INT64, shape, rank, error);
}

static const CandelaInputInfo inputs[] = {
  { "x1", .kinds = SORT_REAL, .summary = "elements in ascending order, NaN last" },
  { "x2", .kinds = SORT_REAL, .summary = "what is looked for" },
  { "sorter", .kinds = CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED, .flags = CANDELA_INPUT_OPTIONAL,
    .fixed = CANDELA_DTYPE_INT64, .summary = "indices that bring x1 into that order, where it is not" },
  { NULL },
};

static const char *const sides[] = { "left", "right", NULL };

static const CandelaParamInfo params[] = {
  { "side", CANDELA_PARAM_STRING, .default_value = "\"left\"", .choices = sides,
    .summary = "before the elements that are equal, or after them" },
  { NULL },
};

#define KERNEL(DTYPE, name, ...) { .in = { CANDELA_DTYPE_##DTYPE, CANDELA_DTYPE_##DTYPE }, .compute = compute_##name },

static const CandelaKernelInfo kernels[] = {
  SORT_INTEGERS (KERNEL) SORT_FLOATS (KERNEL){ .compute = NULL },
};

const CandelaOpInfo sort_searchsorted_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "searchsorted",
  .summary = "Where in x1, which is in order, each element of x2 would go",
  .formula = "left: out = the first i with x1[i] ≥ x2\n"
             "right: out = the first i with x1[i] > x2\n"
             "the length of x1 if there is none",
  .example = "x = [1, 3, 3, 5]; searchsorted(x, [0, 3, 9]), searchsorted(x, [0, 3, 9], side=\"right\")",
  .since = "1.0",
  .inputs = inputs,
  .params = params,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer,
  .kernels = kernels,
};
