/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * isin: whether each element of x1 is among those of x2. The keys of x2 go into a table
 * with a place for each number where they lie close together; a few are compared one by
 * one; else they are put in order and searched. */
#include "sort.h"

enum {
  INPUT_X1,
  INPUT_X2,
  PARAM_INVERT = 0
};

/* Keys that are looked for together, and elements that one thread takes at a time. */
#define TOGETHER 512
#define CHUNK 16384
/* Keys that are compared one by one. */
#define FEW 8
/* A table has at most so many places for each element of x1 and x2. */
#define PLACES 4

typedef struct
{
  CandelaKernel *kernel;
  CandelaDType dtype; /* both are read as */
  gboolean invert;
  gboolean nans; /* there may be some, which have this key */
  gint64 nan;
  gint64 *keys, *minor; /* of x2, those of NaN left out; minor may be NULL */
  gint64 n;
  guint8 *table; /* for keys from the least on; NULL: there is none */
  gint64 least;
  guint64 places;
} IsIn;

static void
find_few (const IsIn *in, const gint64 *keys, gsize n, guint8 *found)
{
  memset (found, 0, n);
  for (gint64 k = 0; k < in->n; k++)
    for (gsize i = 0; i < n; i++)
      found[i] |= keys[i] == in->keys[k];
}

static void
find_in_table (const IsIn *in, const gint64 *keys, gsize n, guint8 *found)
{
  for (gsize i = 0; i < n; i++)
    {
      const guint64 place = (guint64) keys[i] - (guint64) in->least;

      found[i] = place < in->places && in->table[place];
    }
}

/* All at once, so that the processor waits for the memory of several together. */
static void
find_in_order (const IsIn *in, const gint64 *keys, gsize n, guint8 *found)
{
  gint64 places[TOGETHER];

  memset (places, 0, n * sizeof *places);
  for (gint64 rest = in->n, half; rest > 1; rest -= half)
    {
      half = rest / 2;
      for (gsize i = 0; i < n; i++)
        places[i] += half & -(gint64) (in->keys[places[i] + half] <= keys[i]);
    }
  for (gsize i = 0; i < n; i++)
    found[i] = in->keys[places[i]] == keys[i];
}

static void
find_pairs (const IsIn *in, const gint64 *keys, const gint64 *minor, gsize n, guint8 *found)
{
  for (gsize i = 0; i < n; i++)
    {
      gint64 place = 0;

      for (gint64 rest = in->n, half; rest > 1; rest -= half)
        {
          half = rest / 2;
          if (in->keys[place + half] < keys[i]
              || (in->keys[place + half] == keys[i] && in->minor[place + half] <= minor[i]))
            place += half;
        }
      found[i] = in->keys[place] == keys[i] && in->minor[place] == minor[i];
    }
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  const IsIn *in = data;
  gint64 n1 = candela_layout_get_n_elements (candela_kernel_get_input_layout (in->kernel, INPUT_X1));
  gint64 start = (gint64) chunk * CHUNK, end = MIN (start + CHUNK, n1);
  guint8 *out = candela_kernel_get_output (in->kernel, 0);
  gint64 keys[TOGETHER], minor[TOGETHER];

  if (g_cancellable_is_cancelled (candela_kernel_get_cancellable (in->kernel)))
    return;
  for (gint64 n; start < end; start += n)
    {
      n = MIN (end - start, TOGETHER);
      sort_pack_wide_keys (in->kernel, INPUT_X1, in->dtype, start, (gsize) n, keys, minor);
      if (in->n == 0)
        memset (out + start, 0, (gsize) n);
      else if (in->minor != NULL)
        find_pairs (in, keys, minor, (gsize) n, out + start);
      else if (in->table != NULL)
        find_in_table (in, keys, (gsize) n, out + start);
      else if (in->n <= FEW)
        find_few (in, keys, (gsize) n, out + start);
      else
        find_in_order (in, keys, (gsize) n, out + start);
      for (gint64 i = start; i < start + n; i++)
        out[i] ^= (guint8) in->invert;
    }
}

static gboolean
fail_memory (GError **error)
{
  g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "there is no memory to search in");
  return FALSE;
}

/* Keys of x2 without those of NaN. */
static gboolean
read_keys (IsIn *in, GError **error)
{
  const gsize n = (gsize) candela_layout_get_n_elements (candela_kernel_get_input_layout (in->kernel, INPUT_X2));
  const gboolean minor = sort_wide_has_minor (in->dtype);

  in->keys = g_try_new (gint64, (minor ? 2 : 1) * n + 1);
  if (in->keys == NULL)
    return fail_memory (error);
  in->minor = minor ? in->keys + n : NULL;
  sort_pack_wide_keys (in->kernel, INPUT_X2, in->dtype, 0, n, in->keys, in->minor);
  for (gsize i = 0; i < n; i++)
    if (!in->nans || in->keys[i] != in->nan)
      {
        in->keys[in->n] = in->keys[i];
        if (minor)
          in->minor[in->n] = in->minor[i];
        in->n++;
      }
  return TRUE;
}

/* A table, if there are not too many numbers between the least and the largest. */
static gboolean
make_table (IsIn *in, gint64 n1, GError **error)
{
  gint64 least = in->keys[0], largest = in->keys[0];

  for (gint64 i = 1; i < in->n; i++)
    {
      least = MIN (least, in->keys[i]);
      largest = MAX (largest, in->keys[i]);
    }
  in->places = (guint64) largest - (guint64) least;
  if (in->places / PLACES >= (guint64) n1 + (guint64) in->n)
    return TRUE;
  in->least = least;
  in->table = g_try_malloc0 (++in->places);
  if (in->table == NULL)
    return fail_memory (error);
  for (gint64 i = 0; i < in->n; i++)
    in->table[in->keys[i] - least] = 1;
  return TRUE;
}

static gboolean
order_pairs (IsIn *in, GError **error)
{
  const gsize n = (gsize) in->n;
  g_autofree gint64 *memory = g_try_new (gint64, 4 * n);
  gint64 *numbers = memory, *packed = memory + n, *scratch = packed + n;

  if (memory == NULL)
    return fail_memory (error);
  if (!sort_order_wide (in->keys, in->minor, numbers, packed, scratch, n, candela_kernel_get_cancellable (in->kernel)))
    return sort_fail_cancelled (error);
  for (gsize i = 0; i < n; i++)
    {
      packed[i] = in->keys[numbers[i]];
      scratch[i] = in->minor[numbers[i]];
    }
  memcpy (in->keys, packed, n * sizeof *packed);
  memcpy (in->minor, scratch, n * sizeof *scratch);
  return TRUE;
}

static gboolean
order_keys (IsIn *in, GError **error)
{
  g_autofree gint64 *scratch = g_try_new (gint64, in->n);

  if (scratch == NULL)
    return fail_memory (error);
  return sort_set->sort64 (in->keys, (gsize) in->n, (gsize) in->n, scratch, candela_kernel_get_cancellable (in->kernel))
         || sort_fail_cancelled (error);
}

static gboolean
prepare (IsIn *in, gint64 n1, GError **error)
{
  if (!read_keys (in, error))
    return FALSE;
  if (in->n == 0)
    return TRUE;
  if (in->minor != NULL)
    return order_pairs (in, error);
  return make_table (in, n1, error) && (in->table != NULL || in->n <= FEW || order_keys (in, error));
}

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  gint64 n1 = candela_layout_get_n_elements (candela_kernel_get_input_layout (kernel, INPUT_X1));
  IsIn in = { .kernel = kernel,
              .dtype = candela_dtype_promote (candela_kernel_get_input_dtype (kernel, INPUT_X1),
                                              candela_kernel_get_input_dtype (kernel, INPUT_X2)),
              .invert = candela_params_get_bool (candela_kernel_get_params (kernel), PARAM_INVERT) };
  gboolean ok;

  in.nans = sort_get_nan_key (in.dtype, &in.nan);
  ok = prepare (&in, n1, error);
  if (ok)
    candela_kernel_parallel_for (kernel, (guint64) ((n1 + CHUNK - 1) / CHUNK), run_chunk, &in);
  g_free (in.keys);
  g_free (in.table);
  return ok && !g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error);
}

static gboolean
infer (CandelaInference *inference, GError **error)
{
  CandelaDType dtype = candela_inference_get_promoted_dtype (inference);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, INPUT_X1), &rank);

  if (!sort_has_wide_keys (dtype))
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE, "there is no kernel for dtype %s",
                                   candela_dtype_get_name (dtype));
  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_BOOL, shape, rank, error);
}

static const CandelaInputInfo inputs[] = {
  { "x1", .summary = "what is looked for" },
  { "x2", .summary = "among what, all axes together" },
  { NULL },
};

static const CandelaParamInfo params[] = {
  { "invert", CANDELA_PARAM_BOOL, .default_value = "false", .summary = "whether it is not among them" },
  { NULL },
};

static const CandelaKernelInfo kernels[] = { { .compute = compute }, { .compute = NULL } };

const CandelaOpInfo sort_isin_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "isin",
  .summary = "Whether each element of x1 is equal to one of x2",
  .formula = "out[…] = ∃ k: x1[…] = x2[k]",
  .example = "x = [1, 2, 3, 2]; isin(x, [2, 5]), isin(x, [2, 5], invert=true)",
  .since = "1.0",
  .inputs = inputs,
  .params = params,
  .axes = CANDELA_AXES_OPAQUE,
  .infer = infer,
  .kernels = kernels,
};
