/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tril and triu: of each row of a matrix, a beginning or an end stays, and the rest is
 * 0. Over x itself only that is written. */
#include "arrange.h"

enum {
  K
};

/* Bytes of what stays of a row from which on the rest of it is not read. */
#define LONG_ROW 1024

static gboolean
infer_triangle (CandelaInference *inference, GError **error)
{
  const CandelaLayout *layout = candela_inference_get_input_layout (inference, 0);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  g_autofree char *text = NULL;

  if (rank >= 2)
    return candela_inference_set_output (inference, 0, candela_inference_get_input_dtype (inference, 0), shape, rank,
                                         error);
  text = candela_shape_to_string (shape, rank);
  return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                 "x has shape %s; it must be a matrix, or several: two axes at least", text);
}

typedef struct
{
  ArrangePieces pieces; /* of rows */
  gint64 height, width;
  gint64 k;
  gboolean upper, in_place;
} Triangle;

/* The columns of a row that stay. */
static void
find_columns (const Triangle *triangle, gint64 row, gint64 *first, gint64 *end)
{
  gint64 diagonal = row % triangle->height + triangle->k;

  *first = triangle->upper ? CLAMP (diagonal, 0, triangle->width) : 0;
  *end = triangle->upper ? triangle->width : CLAMP (diagonal + 1, 0, triangle->width);
}

static void
run_rows (gconstpointer data, gint64 start, gint64 n)
{
  const Triangle *triangle = data;
  const ArrangePieces *pieces = &triangle->pieces;
  const gint64 size = pieces->size, width = triangle->width;
  gboolean whole = !triangle->in_place && width * size < LONG_ROW;

  if (whole)
    candela_kernel_pack_input (pieces->kernel, 0, pieces->dtype, start * width, n * width,
                               pieces->out + start * width * size);
  for (gint64 row = start; row < start + n; row++)
    {
      guint8 *out = pieces->out + row * width * size;
      gint64 first, end;

      find_columns (triangle, row, &first, &end);
      if (!whole && !triangle->in_place && end > first)
        candela_kernel_pack_input (pieces->kernel, 0, pieces->dtype, row * width + first, end - first,
                                   out + first * size);
      memset (out, 0, first * size);
      memset (out + end * size, 0, (width - end) * size);
    }
}

static gboolean
compute_triangle (CandelaKernel *kernel, gboolean upper, GError **error)
{
  gint64 k = candela_params_get_int (candela_kernel_get_params (kernel), K);
  const CandelaLayout *layout = candela_kernel_get_output_layout (kernel, 0);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  CandelaDType dtype = candela_kernel_get_output_dtype (kernel, 0);
  Triangle triangle = { .height = shape[rank - 2], .width = shape[rank - 1], .upper = upper };

  if (candela_layout_get_n_elements (layout) == 0)
    return TRUE;
  /* Any number, but those beyond the matrix are all the same. */
  triangle.k = CLAMP (k, -triangle.height, triangle.width);
  triangle.pieces = (ArrangePieces){ .kernel = kernel,
                                     .dtype = dtype,
                                     .size = candela_dtype_get_size (dtype),
                                     .out = candela_kernel_get_output (kernel, 0),
                                     .n = candela_layout_get_n_elements (layout) / triangle.width,
                                     .piece = MAX (ARRANGE_PIECE / triangle.width, 1),
                                     .run = run_rows };
  triangle.in_place = candela_kernel_get_input (kernel, 0) == triangle.pieces.out
                      && candela_layout_is_contiguous (candela_kernel_get_input_layout (kernel, 0));
  return arrange_pieces_run (&triangle.pieces, error);
}

static gboolean
compute_tril (CandelaKernel *kernel, GError **error)
{
  return compute_triangle (kernel, FALSE, error);
}

static gboolean
compute_triu (CandelaKernel *kernel, GError **error)
{
  return compute_triangle (kernel, TRUE, error);
}

static const CandelaParamInfo tril_params[] = {
  { "k", CANDELA_PARAM_INT, .default_value = "0",
    .summary = "the last diagonal that stays; 0: the main one, below it: negative" },
  { NULL },
};

static const CandelaParamInfo triu_params[] = {
  { "k", CANDELA_PARAM_INT, .default_value = "0",
    .summary = "the first diagonal that stays; 0: the main one, below it: negative" },
  { NULL },
};

static const CandelaInPlace in_place[] = {
  { .output = 0, .input = 0, .mode = CANDELA_IN_PLACE_SAME_INDEX },
  { .mode = CANDELA_IN_PLACE_NEVER },
};

static const CandelaKernelInfo tril_kernels[] = { { .compute = compute_tril }, { .compute = NULL } };
static const CandelaKernelInfo triu_kernels[] = { { .compute = compute_triu }, { .compute = NULL } };

ARRANGE_OP (tril, "Matrices with 0 above a diagonal", .formula = "out[…, i, j] = x[…, i, j] where j - i ≤ k, else 0",
            .example = "x = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]; tril(x), tril(x, k=-1)", .inputs = arrange_x,
            .params = tril_params, .in_place = in_place, .infer = infer_triangle, .kernels = tril_kernels,
            .takes_halves = TRUE, .gradients = { "tril(grad, k=k)" })

ARRANGE_OP (triu, "Matrices with 0 below a diagonal", .formula = "out[…, i, j] = x[…, i, j] where j - i ≥ k, else 0",
            .example = "x = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]; triu(x), triu(x, k=1)", .inputs = arrange_x,
            .params = triu_params, .in_place = in_place, .infer = infer_triangle, .kernels = triu_kernels,
            .takes_halves = TRUE, .gradients = { "triu(grad, k=k)" })
