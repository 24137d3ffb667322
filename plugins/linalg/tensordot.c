/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * tensordot: sums of products over axes of one operand and as many of another. */
#include "linalg.h"

enum {
  PARAM_AXES,
  PARAM_X1_AXES,
  PARAM_X2_AXES
};

/* The axes of both operands that are summed over together. */
typedef struct
{
  guint n;
  guint axes[2][CANDELA_MAX_RANK];
} Pairs;

static gboolean
has_lists (const CandelaParams *params)
{
  return candela_params_is_set (params, PARAM_X1_AXES) || candela_params_is_set (params, PARAM_X2_AXES);
}

/* ---- What is wrong ---- */

static gboolean
check_number (const CandelaInference *inference, const gsize *ranks, GError **error)
{
  gint64 n = candela_params_get_int (candela_inference_get_params (inference), PARAM_AXES);

  if (n >= 0 && n <= (gint64) MIN (ranks[0], ranks[1]))
    return TRUE;
  return candela_inference_fail (
    inference, error, CANDELA_ERROR_AXIS,
    "axes is %" G_GINT64_FORMAT ": x1 has %" G_GSIZE_FORMAT " of them and x2 %" G_GSIZE_FORMAT, n, ranks[0], ranks[1]);
}

static gboolean
check_list (const CandelaInference *inference, guint input, gsize rank, GError **error)
{
  gsize n;
  const gint64 *axes =
    candela_params_get_int_list (candela_inference_get_params (inference), PARAM_X1_AXES + input, &n);
  guint32 seen = 0;

  for (gsize k = 0; k < n; k++)
    {
      gint64 axis = axes[k] < 0 ? axes[k] + (gint64) rank : axes[k];

      if (axis < 0 || axis >= (gint64) rank)
        return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                                       "axis %" G_GINT64_FORMAT " is out of range: x%u has %" G_GSIZE_FORMAT " axes",
                                       axes[k], input + 1, rank);
      if ((seen >> axis & 1) != 0)
        return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                                       "axis %" G_GINT64_FORMAT " of x%u is named twice", axis, input + 1);
      seen |= 1u << axis;
    }
  return TRUE;
}

static gboolean
check_lists (const CandelaInference *inference, const gsize *ranks, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  gsize n[2];

  for (guint input = 0; input < 2; input++)
    candela_params_get_int_list (params, PARAM_X1_AXES + input, &n[input]);
  if (n[0] != n[1])
    return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                                   "x1_axes has %" G_GSIZE_FORMAT " axes and x2_axes %" G_GSIZE_FORMAT, n[0], n[1]);
  return check_list (inference, 0, ranks[0], error) && check_list (inference, 1, ranks[1], error);
}

/* ---- What it is ---- */

/* Of parameters that are right: the axes of the lists, or the last ones of x1 and the
 * first ones of x2. */
static void
find_pairs (const CandelaParams *params, const gsize *ranks, Pairs *pairs)
{
  const gboolean listed = has_lists (params);

  pairs->n = (guint) candela_params_get_int (params, PARAM_AXES);
  for (guint input = 0; input < 2; input++)
    {
      gsize n;
      const gint64 *list = candela_params_get_int_list (params, PARAM_X1_AXES + input, &n);

      if (listed)
        pairs->n = (guint) n;
      for (guint k = 0; k < pairs->n; k++)
        if (listed)
          pairs->axes[input][k] = (guint) (list[k] < 0 ? list[k] + (gint64) ranks[input] : list[k]);
        else
          pairs->axes[input][k] = input == 0 ? (guint) ranks[0] - pairs->n + k : k;
    }
}

/* The first labels are those of x1's axes; x2's axes have those of their partners, or
 * others. */
static void
contraction_init (Contraction *contraction, const gint64 *const *shapes, const gsize *ranks, const Pairs *pairs)
{
  guint32 paired[2] = { 0, 0 };

  contraction->n_operands = 2;
  contraction->labels = g_malloc (2 * sizeof *contraction->labels);
  for (guint k = 0; k < pairs->n; k++)
    {
      paired[0] |= 1u << pairs->axes[0][k];
      paired[1] |= 1u << pairs->axes[1][k];
      contraction->labels[1][pairs->axes[1][k]] = (guint8) pairs->axes[0][k];
    }
  for (guint input = 0; input < 2; input++)
    for (guint axis = 0; axis < ranks[input]; axis++)
      {
        gboolean is_paired = (paired[input] >> axis & 1) != 0;

        if (input == 0 || !is_paired)
          {
            contraction->extents[contraction->n_labels] = shapes[input][axis];
            contraction->labels[input][axis] = (guint8) contraction->n_labels++;
          }
        if (!is_paired && contraction->out_rank < CANDELA_MAX_RANK)
          contraction->out[contraction->out_rank++] = contraction->labels[input][axis];
      }
}

static gboolean
infer (CandelaInference *inference, GError **error)
{
  CandelaDType dtype = candela_inference_get_promoted_dtype (inference);
  const CandelaParams *params = candela_inference_get_params (inference);
  g_auto (Contraction) contraction = { 0 };
  gint64 shape[CANDELA_MAX_RANK];
  const gint64 *shapes[2];
  gsize ranks[2];
  Pairs pairs;

  if (dtype == CANDELA_DTYPE_INVALID)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE, "x1 and x2 have no common dtype");
  for (guint i = 0; i < 2; i++)
    shapes[i] = candela_layout_get_shape (candela_inference_get_input_layout (inference, i), &ranks[i]);
  if (!(has_lists (params) ? check_lists : check_number) (inference, ranks, error))
    return FALSE;
  find_pairs (params, ranks, &pairs);
  for (guint k = 0; k < pairs.n; k++)
    if (shapes[0][pairs.axes[0][k]] != shapes[1][pairs.axes[1][k]])
      {
        g_autofree char *reason =
          g_strdup_printf ("axis %u of x1 and axis %u of x2 must be as long", pairs.axes[0][k], pairs.axes[1][k]);

        return linalg_fail_shapes (inference, reason, error);
      }
  if (ranks[0] + ranks[1] - 2 * pairs.n > CANDELA_MAX_RANK)
    return linalg_fail_shapes (inference, "the result would have more than 32 axes", error);
  contraction_init (&contraction, shapes, ranks, &pairs);
  for (guint k = 0; k < contraction.out_rank; k++)
    shape[k] = contraction.extents[contraction.out[k]];
  return candela_inference_set_output (inference, 0, dtype, shape, contraction.out_rank, error);
}

static guint64
count_flops (const CandelaInference *inference)
{
  CandelaDType dtype = candela_inference_get_promoted_dtype (inference);
  double n = (double) linalg_flops (dtype);
  const gint64 *shapes[2];
  gsize ranks[2];
  Pairs pairs;

  for (guint i = 0; i < 2; i++)
    {
      shapes[i] = candela_layout_get_shape (candela_inference_get_input_layout (inference, i), &ranks[i]);
      for (gsize axis = 0; axis < ranks[i]; axis++)
        n *= (double) shapes[i][axis];
    }
  find_pairs (candela_inference_get_params (inference), ranks, &pairs);
  for (guint k = 0; k < pairs.n; k++)
    n /= (double) MAX (shapes[0][pairs.axes[0][k]], 1);
  return (guint64) MIN (n, 0x1p63);
}

static gboolean
compute (CandelaKernel *kernel, GError **error)
{
  g_auto (Contraction) contraction = { 0 };
  const gint64 *shapes[2];
  gsize ranks[2];
  Pairs pairs;

  for (guint i = 0; i < 2; i++)
    shapes[i] = candela_layout_get_shape (candela_kernel_get_input_layout (kernel, i), &ranks[i]);
  find_pairs (candela_kernel_get_params (kernel), ranks, &pairs);
  contraction_init (&contraction, shapes, ranks, &pairs);
  return contraction_run (&contraction, kernel, error);
}

static const CandelaParamInfo params[] = {
  { .name = "axes",
    .type = CANDELA_PARAM_INT,
    .default_value = "2",
    .summary = "how many of the last axes of x1 and of the first ones of x2 to sum over" },
  { .name = "x1_axes",
    .type = CANDELA_PARAM_INT_LIST,
    .summary = "instead of them, which axes of x1, counted from the end if negative" },
  { .name = "x2_axes", .type = CANDELA_PARAM_INT_LIST, .summary = "and which axis of x2 goes with each" },
  { NULL },
};

static const CandelaKernelInfo kernels[] = { { .compute = compute }, { .compute = NULL } };

const CandelaOpInfo linalg_tensordot_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "tensordot",
  .summary = "Sums of products over axes of x1 and as many of x2; the others stay, first those of x1",
  .formula = "out[i, j] = Σₖ x1[i, k] · x2[k, j]\n"
             "where k runs over the axes that are summed, i and j over the others",
  .example = "a = reshape(arange(6), [2, 3]); tensordot(a, a.T, 1), tensordot(a, a, 2), tensordot(a, a, x1_axes=[1], "
             "x2_axes=[1])",
  .since = "1.0",
  .inputs = linalg_inputs,
  .params = params,
  .axes = CANDELA_AXES_OPAQUE,
  .determinism = CANDELA_DETERMINISM_PER_LAYOUT,
  .infer = infer,
  .kernels = kernels,
  .flops = count_flops,
};
