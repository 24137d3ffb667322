/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * unique_all, unique_counts, unique_inverse, unique_values. In order what is equal
 * lies together: one pass finds where each value begins. Where only values and counts
 * are wanted, it is keys that are put in order; else, and where a value cannot be told
 * from its key (complex numbers, both zeros), the numbers of elements. A NaN is equal to nothing
 * and stands for itself. Of equal elements the first one is the value. */
#include "sort.h"

typedef struct
{
  CandelaKernel *kernel;
  CandelaDType dtype;
  gsize size;
  gint64 n;
  gboolean nans; /* there may be some, which have this key */
  gint64 nan;
  /* Which output it is; -1: it is not wanted. */
  int indices, inverse, counts;
} Unique;

static gboolean
fail_memory (GError **error)
{
  g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "there is no memory to find unique elements in");
  return FALSE;
}

/* The shapes of values, indices and counts. */
static gboolean
set_shapes (const Unique *unique, gint64 found, GError **error)
{
  return candela_kernel_set_output_shape (unique->kernel, 0, &found, 1, error)
         && (unique->indices < 0
             || candela_kernel_set_output_shape (unique->kernel, (guint) unique->indices, &found, 1, error))
         && (unique->counts < 0
             || candela_kernel_set_output_shape (unique->kernel, (guint) unique->counts, &found, 1, error));
}

/* From where each value begins, with the number of elements at the end. */
static void
write_counts (const Unique *unique, const gint64 *starts, gint64 found)
{
  gint64 *counts = unique->counts >= 0 ? candela_kernel_get_output (unique->kernel, (guint) unique->counts) : NULL;

  for (gint64 i = 0; counts != NULL && i < found; i++)
    counts[i] = starts[i + 1] - starts[i];
}

/* ---- By keys ---- */

/* Keys in order, each kept once; and where it began. */
#define KEEP_FIRST(bits)                                                                                               \
  static inline __attribute__ ((always_inline))                                                                        \
  gint64 keep_first_some##bits (const Unique *unique, gint##bits *keys, gint64 *starts, const gboolean wanted)         \
  {                                                                                                                    \
    const gint##bits nan = (gint##bits) unique->nan;                                                                   \
    const gboolean nans = unique->nans;                                                                                \
    gint64 found = 0;                                                                                                  \
    gint##bits last = 0;                                                                                               \
                                                                                                                       \
    for (gint64 i = 0; i < unique->n; i++)                                                                             \
      {                                                                                                                \
        const gint##bits key = keys[i];                                                                                \
                                                                                                                       \
        keys[found] = key;                                                                                             \
        if (wanted)                                                                                                    \
          starts[found] = i;                                                                                           \
        found += (i == 0) | (key != last) | (nans & (key == nan));                                                     \
        last = key;                                                                                                    \
      }                                                                                                                \
    return found;                                                                                                      \
  }                                                                                                                    \
                                                                                                                       \
  static gint64 keep_first##bits (const Unique *unique, gint##bits *keys, gint64 *starts)                              \
  {                                                                                                                    \
    return starts != NULL ? keep_first_some##bits (unique, keys, starts, TRUE)                                         \
                          : keep_first_some##bits (unique, keys, NULL, FALSE);                                         \
  }

KEEP_FIRST (32)
KEEP_FIRST (64)

/* Done is FALSE where there are negative zeros, of which the keys do not tell. */
static gboolean
find_by_keys (const Unique *unique, gboolean *done, GError **error)
{
  GCancellable *cancellable = candela_kernel_get_cancellable (unique->kernel);
  const gsize n = (gsize) unique->n, key_size = unique->size > 4 ? 8 : 4;
  const gsize starts_size = unique->counts >= 0 ? (n + 1) * sizeof (gint64) : 0;
  g_autofree guint8 *memory = g_try_malloc (2 * n * key_size + starts_size + 1);
  gint64 *starts = starts_size > 0 ? (gint64 *) memory : NULL;
  gpointer keys, scratch;
  gint64 found;

  *done = TRUE;
  if (memory == NULL)
    return fail_memory (error);
  keys = memory + starts_size;
  scratch = (guint8 *) keys + n * key_size;
  candela_kernel_pack_input (unique->kernel, 0, unique->dtype, 0, n, scratch);
  if (sort_set->to_keys[unique->dtype](keys, scratch, n, FALSE))
    {
      *done = FALSE;
      return TRUE;
    }
  if (!(key_size == 4 ? sort_set->sort32 (keys, n, n, scratch, cancellable)
                      : sort_set->sort64 (keys, n, n, scratch, cancellable)))
    return sort_fail_cancelled (error);
  found = key_size == 4 ? keep_first32 (unique, keys, starts) : keep_first64 (unique, keys, starts);
  if (!set_shapes (unique, found, error))
    return FALSE;
  sort_set->from_keys[unique->dtype](candela_kernel_get_output (unique->kernel, 0), keys, (gsize) found, FALSE);
  if (starts != NULL)
    {
      starts[found] = unique->n;
      write_counts (unique, starts, found);
    }
  return TRUE;
}

/* ---- By numbers ---- */

typedef struct
{
  gint64 *keys, *minor; /* by the number of an element; minor may be NULL */
  gint64 *numbers;      /* in order */
  gint64 *starts;       /* scratch, and later where values begin; one more than there are elements */
  gint64 *scratch;
} Numbers;

/* Where values begin, and which one an element has. */
static gint64
find_starts (const Unique *unique, const Numbers *all, gint64 *inverse)
{
  gint64 found = 0, last = -1;

  for (gint64 i = 0; i < unique->n; i++)
    {
      const gint64 number = all->numbers[i], key = all->keys[number];

      if (last < 0 || key != all->keys[last] || (unique->nans && key == unique->nan)
          || (all->minor != NULL && all->minor[number] != all->minor[last]))
        all->starts[found++] = i;
      if (inverse != NULL)
        inverse[number] = found - 1;
      last = number;
    }
  all->starts[found] = unique->n;
  return found;
}

/* Elements by their numbers. */
static void
write_values (const Unique *unique, const Numbers *all, gint64 found)
{
  const CandelaLayout *layout = candela_kernel_get_input_layout (unique->kernel, 0);
  const guint8 *data =
    candela_layout_is_contiguous (layout) ? candela_kernel_get_input (unique->kernel, 0) : (const guint8 *) NULL;
  guint8 *values = candela_kernel_get_output (unique->kernel, 0);
  gint64 *indices = unique->indices >= 0 ? candela_kernel_get_output (unique->kernel, (guint) unique->indices) : NULL;

  for (gint64 i = 0; i < found; i++)
    {
      const gint64 number = all->numbers[all->starts[i]];

      if (data != NULL)
        memcpy (values + i * (gint64) unique->size, data + number * (gint64) unique->size, unique->size);
      else
        candela_kernel_pack_input (unique->kernel, 0, unique->dtype, number, 1, values + i * (gint64) unique->size);
      if (indices != NULL)
        indices[i] = number;
    }
}

static gboolean
find_by_numbers (const Unique *unique, GError **error)
{
  const gsize n = (gsize) unique->n;
  const gboolean minor = sort_wide_has_minor (unique->dtype);
  g_autofree gint64 *memory = g_try_new (gint64, (minor ? 5 : 4) * n + 1);
  Numbers all = { .keys = memory };
  gint64 found, *inverse = NULL;

  if (memory == NULL)
    return fail_memory (error);
  all.numbers = memory + n;
  all.starts = all.numbers + n;
  all.scratch = all.starts + n + 1;
  all.minor = minor ? all.scratch + n : NULL;
  sort_pack_wide_keys (unique->kernel, 0, unique->dtype, 0, n, all.keys, all.minor);
  if (!sort_order_wide (all.keys, all.minor, all.numbers, all.starts, all.scratch, n,
                        candela_kernel_get_cancellable (unique->kernel)))
    return sort_fail_cancelled (error);
  if (unique->inverse >= 0)
    inverse = candela_kernel_get_output (unique->kernel, (guint) unique->inverse);
  found = find_starts (unique, &all, inverse);
  if (!set_shapes (unique, found, error))
    return FALSE;
  write_values (unique, &all, found);
  write_counts (unique, all.starts, found);
  return TRUE;
}

/* ---- The ops ---- */

static gboolean
run (Unique *unique, CandelaKernel *kernel, GError **error)
{
  const CandelaLayout *layout = candela_kernel_get_input_layout (kernel, 0);
  gboolean done = FALSE;
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);

  unique->kernel = kernel;
  unique->dtype = candela_kernel_get_input_dtype (kernel, 0);
  unique->size = candela_dtype_get_size (unique->dtype);
  unique->n = candela_layout_get_n_elements (layout);
  unique->nans = sort_get_nan_key (unique->dtype, &unique->nan);
  if (unique->inverse >= 0 && !candela_kernel_set_output_shape (kernel, (guint) unique->inverse, shape, rank, error))
    return FALSE;
  if (unique->inverse < 0 && unique->indices < 0 && candela_dtype_get_kind (unique->dtype) != CANDELA_DTYPE_KIND_COMPLEX
      && !find_by_keys (unique, &done, error))
    return FALSE;
  return done || find_by_numbers (unique, error);
}

static gboolean
infer (CandelaInference *inference, int inverse, guint n_outputs, GError **error)
{
  CandelaDType dtype = candela_inference_get_input_dtype (inference, 0);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);
  const gint64 unknown = 0;

  if (!sort_has_wide_keys (dtype))
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE, "there is no kernel for dtype %s",
                                   candela_dtype_get_name (dtype));
  for (guint o = 0; o < n_outputs; o++)
    if (!((int) o == inverse
            ? candela_inference_set_output (inference, o, CANDELA_DTYPE_INT64, shape, rank, error)
            : candela_inference_set_output (inference, o, o == 0 ? dtype : CANDELA_DTYPE_INT64, &unknown, 1, error)))
      return FALSE;
  return TRUE;
}

static const CandelaInputInfo inputs[] = {
  { "x", .summary = "the elements, all axes together" },
  { NULL },
};

/* UNIQUE_OP (name, its summary, formula and example, number of outputs, which output has
 * the indices, the inverse indices and the counts, the names of outputs) */
#define UNIQUE_OP(op, op_summary, op_formula, op_example, n_outputs, indices_at, inverse_at, counts_at, ...)           \
  static gboolean infer_##op (CandelaInference *inference, GError **error)                                             \
  {                                                                                                                    \
    return infer (inference, inverse_at, n_outputs, error);                                                            \
  }                                                                                                                    \
                                                                                                                       \
  static gboolean compute_##op (CandelaKernel *kernel, GError **error)                                                 \
  {                                                                                                                    \
    Unique unique = { .indices = indices_at, .inverse = inverse_at, .counts = counts_at };                             \
                                                                                                                       \
    return run (&unique, kernel, error);                                                                               \
  }                                                                                                                    \
                                                                                                                       \
  static const char *const op##_outputs[] = { __VA_ARGS__, NULL };                                                     \
  static const CandelaKernelInfo op##_kernels[] = { { .compute = compute_##op }, { .compute = NULL } };                \
                                                                                                                       \
  const CandelaOpInfo sort_unique_##op##_op = {                                                                        \
    .struct_size = sizeof (CandelaOpInfo),                                                                             \
    .name = "unique_" #op,                                                                                             \
    .summary = op_summary,                                                                                             \
    .formula = op_formula,                                                                                             \
    .example = op_example,                                                                                             \
    .since = "1.0",                                                                                                    \
    .inputs = inputs,                                                                                                  \
    .outputs = op##_outputs,                                                                                           \
    .axes = CANDELA_AXES_OPAQUE,                                                                                       \
    .output_shape = CANDELA_OUTPUT_SHAPE_DATA,                                                                         \
    .infer = infer_##op,                                                                                               \
    .kernels = op##_kernels,                                                                                           \
  };

UNIQUE_OP (all, "The unique elements in order, where each is first, which one each element is, and how many there are",
           "values[i] = x[indices[i]], values[i] < values[i + 1]\n"
           "x[…] = values[inverse_indices[…]]\n"
           "counts[i] = the number of x that are values[i]",
           "unique_all([3, 1, 3, 2])", 4, 1, 2, 3, "values", "indices", "inverse_indices", "counts")
UNIQUE_OP (counts, "The unique elements in order, and how many there are of each",
           "values[i] < values[i + 1]\n"
           "counts[i] = the number of x that are values[i]",
           "unique_counts([3, 1, 3, 2])", 2, -1, -1, 1, "values", "counts")
UNIQUE_OP (inverse, "The unique elements in order, and which one each element is",
           "x[…] = values[inverse_indices[…]], values[i] < values[i + 1]", "unique_inverse([3, 1, 3, 2])", 2, -1, 1, -1,
           "values", "inverse_indices")
UNIQUE_OP (values, "The unique elements in order", "{values} = {x}, values[i] < values[i + 1]",
           "unique_values([3, 1, 3, 2])", 1, -1, -1, -1, "values")
