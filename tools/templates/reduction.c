
/* @op@: a reduction of the last axis. infer says what comes out, or what is wrong; the
 * kernel gets whole values, in whatever layout they are. */

static gboolean
@op@_infer (CandelaInference *inference, GError **error)
{
  const CandelaLayout *x = candela_inference_get_input_layout (inference, 0);
  gsize n_dims;
  const gint64 *shape = candela_layout_get_shape (x, &n_dims);

  if (n_dims == 0)
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE, "x has no axis to reduce");
  candela_inference_set_compute_dtype (inference, CANDELA_DTYPE_FLOAT64);
  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_FLOAT64, shape, n_dims - 1, error);
}

static gboolean
@op@_compute (CandelaKernel *kernel, GError **error)
{
  gsize n_dims;
  const gint64 *shape = candela_layout_get_shape (candela_kernel_get_input_layout (kernel, 0), &n_dims);
  gint64 n = shape[n_dims - 1];
  gint64 n_rows = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0));
  g_autofree double *row = g_try_new (double, n);
  double *out = candela_kernel_get_output (kernel, 0);

  if (row == NULL && n > 0)
    {
      g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "@op@: there is no memory for a row");
      return FALSE;
    }
  for (gint64 r = 0; r < n_rows; r++)
    {
      double sum = 0;

      candela_kernel_pack_input (kernel, 0, CANDELA_DTYPE_FLOAT64, r * n, n, row);
      for (gint64 i = 0; i < n; i++)
        sum += row[i] < 0 ? -row[i] : row[i];
      out[r] = sum;
      if (g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error))
        return FALSE;
    }
  return TRUE;
}

/* Which axes are reduced, as bits: the last one. Each row is on its own, so some may be
 * computed before others, while they are in the cache. */
static guint32
@op@_reduced_axes (const CandelaParams *params, guint rank)
{
  return (guint32) 1 << (rank - 1);
}

static const CandelaInputInfo @op@_inputs[] = {
  { .name = "x", .kinds = CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_SIGNED, .summary = "what is reduced" },
  { NULL },
};

static const CandelaKernelInfo @op@_kernels[] = {
  { .compute = @op@_compute },
  { .compute = NULL },
};

static const CandelaOpInfo @op@_op = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "@op@",
  .summary = "The sum of |x| along the last axis",
  .formula = "out[i] = Σₖ |x[i, k]|",
  .example = "@op@([[3.0, -4.0], [1.0, 1.0]])",
  .since = "0.1",
  .inputs = @op@_inputs,
  .axes = CANDELA_AXES_REDUCTION,
  .infer = @op@_infer,
  .kernels = @op@_kernels,
  .reduced_axes = @op@_reduced_axes,
};
