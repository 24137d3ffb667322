/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A module for test-in-place: ops over float64 that declare each way of writing over
 * an input, and whose result is wrong if they are allowed any other. */
#include <candela/candela-plugin.h>
#include <string.h>

static const CandelaInputInfo one_input[] = { { .name = "x" }, { .name = NULL } };
static const CandelaInputInfo two_inputs[] = { { .name = "x" }, { .name = "y" }, { .name = NULL } };

static gboolean
set_like_input (CandelaInference *inference, guint output, guint input, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, input), &rank);

  return candela_inference_set_output (inference, output, CANDELA_DTYPE_FLOAT64, shape, rank, error);
}

static gboolean
infer_like_x (CandelaInference *inference, GError **error)
{
  return set_like_input (inference, 0, 0, error);
}

/* All of x, reversed: everything is read before anything is written. */
static gboolean
compute_reversed (CandelaKernel *kernel, GError **error)
{
  gint64 n = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0));
  double *out = candela_kernel_get_output (kernel, 0);
  g_autofree double *all = g_new (double, n);

  candela_kernel_pack_input (kernel, 0, CANDELA_DTYPE_FLOAT64, 0, n, all);
  for (gint64 i = 0; i < n; i++)
    out[i] = all[n - 1 - i];
  return TRUE;
}

/* Each row of x less its own sum. */
static gboolean
compute_rows (CandelaKernel *kernel, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_output_layout (kernel, 0), &rank);
  gint64 length = rank > 0 ? shape[rank - 1] : 1;
  gint64 n = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0));
  double *out = candela_kernel_get_output (kernel, 0);
  g_autofree double *row = g_new (double, length);

  for (gint64 start = 0; start < n; start += length)
    {
      double sum = 0;

      candela_kernel_pack_input (kernel, 0, CANDELA_DTYPE_FLOAT64, start, length, row);
      for (gint64 i = 0; i < length; i++)
        sum += row[i];
      for (gint64 i = 0; i < length; i++)
        out[start + i] = row[i] - sum;
    }
  return TRUE;
}

static const CandelaKernelInfo reversed_kernels[] = { { .compute = compute_reversed }, { .compute = NULL } };
static const CandelaKernelInfo rows_kernels[] = { { .compute = compute_rows }, { .compute = NULL } };
static const CandelaInPlace over_x_at_once[] = { { 0, 0, CANDELA_IN_PLACE_READ_FIRST },
                                                 { 0, 0, CANDELA_IN_PLACE_NEVER } };
static const CandelaInPlace over_x_by_rows[] = { { 0, 0, CANDELA_IN_PLACE_WITHIN_ROW },
                                                 { 0, 0, CANDELA_IN_PLACE_NEVER } };

static const CandelaOpInfo reversed_op = { .struct_size = sizeof (CandelaOpInfo),
                                           .name = "test_reversed",
                                           .summary = "Backwards",
                                           .inputs = one_input,
                                           .in_place = over_x_at_once,
                                           .infer = infer_like_x,
                                           .kernels = reversed_kernels };

static const CandelaOpInfo rows_op = { .struct_size = sizeof (CandelaOpInfo),
                                       .name = "test_rows",
                                       .summary = "Rows less their sums",
                                       .inputs = one_input,
                                       .axes = CANDELA_AXES_ROWWISE,
                                       .in_place = over_x_by_rows,
                                       .infer = infer_like_x,
                                       .kernels = rows_kernels };

/* first: the sum of x; second: y less x's first element, y's second element and so
 * on up to its own; y may be overwritten, x not. */
static gboolean
infer_pair (CandelaInference *inference, GError **error)
{
  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_FLOAT64, NULL, 0, error)
         && set_like_input (inference, 1, 1, error);
}

static gboolean
compute_pair (CandelaKernel *kernel, GError **error)
{
  gint64 n = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 1));
  double *first = candela_kernel_get_output (kernel, 0);
  double *second = candela_kernel_get_output (kernel, 1);
  double element;

  *first = 0;
  for (gint64 i = 0; i < n; i++)
    {
      candela_kernel_pack_input (kernel, 1, CANDELA_DTYPE_FLOAT64, i, 1, &element);
      second[i] = element;
      candela_kernel_pack_input (kernel, 0, CANDELA_DTYPE_FLOAT64, n - 1 - i, 1, &element);
      second[i] -= element;
      *first += element;
    }
  return TRUE;
}

static const char *const pair_outputs[] = { "first", "second", NULL };
static const CandelaKernelInfo pair_kernels[] = { { .compute = compute_pair }, { .compute = NULL } };
static const CandelaInPlace second_over_y[] = { { 1, 1, CANDELA_IN_PLACE_SAME_INDEX },
                                                { 0, 0, CANDELA_IN_PLACE_NEVER } };

static const CandelaOpInfo pair_op = { .struct_size = sizeof (CandelaOpInfo),
                                       .name = "test_pair",
                                       .summary = "A sum and a difference",
                                       .inputs = two_inputs,
                                       .outputs = pair_outputs,
                                       .in_place = second_over_y,
                                       .infer = infer_pair,
                                       .kernels = pair_kernels };

/* x - 2 y, which declares that nothing may be overwritten, and says why by writing
 * its output before it reads. */
static void
loop_careless (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)
{
  double *result = out[0];
  const double *x = in[0], *y = in[1];

  memset (result, 0, n * sizeof (double));
  for (gsize i = 0; i < n; i++)
    result[i] = x[i] - 2 * y[i];
}

static const CandelaInPlace nothing[] = { { 0, 0, CANDELA_IN_PLACE_NEVER } };
static const CandelaKernelInfo careless_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT64, CANDELA_DTYPE_FLOAT64 }, .out = { CANDELA_DTYPE_FLOAT64 }, .loop = loop_careless },
  { .loop = NULL }
};

static const CandelaOpInfo careless_op = { .struct_size = sizeof (CandelaOpInfo),
                                           .name = "test_careless",
                                           .summary = "x - 2 y",
                                           .inputs = two_inputs,
                                           .axes = CANDELA_AXES_ELEMENTWISE,
                                           .in_place = nothing,
                                           .kernels = careless_kernels };

/* The same over y only. */
static void
loop_over_y (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)
{
  double *result = out[0];
  const double *x = in[0], *y = in[1];

  for (gsize i = 0; i < n; i++)
    {
      result[i] = y[i];
      result[i] = x[i] - 2 * result[i];
    }
}

static const CandelaInPlace over_y[] = { { 0, 1, CANDELA_IN_PLACE_SAME_INDEX }, { 0, 0, CANDELA_IN_PLACE_NEVER } };
static const CandelaKernelInfo over_y_kernels[] = {
  { .in = { CANDELA_DTYPE_FLOAT64, CANDELA_DTYPE_FLOAT64 }, .out = { CANDELA_DTYPE_FLOAT64 }, .loop = loop_over_y },
  { .loop = NULL }
};

static const CandelaOpInfo over_y_op = { .struct_size = sizeof (CandelaOpInfo),
                                         .name = "test_over_y",
                                         .summary = "x - 2 y",
                                         .inputs = two_inputs,
                                         .axes = CANDELA_AXES_ELEMENTWISE,
                                         .in_place = over_y,
                                         .kernels = over_y_kernels };

static const CandelaOpInfo *const ops[] = { &reversed_op, &rows_op, &pair_op, &careless_op, &over_y_op, NULL };

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, ops, error);
}

CANDELA_PLUGIN_DEFINE ("overwriting", "1.0", "LGPL-2.1-or-later", "For tests", register_ops)
