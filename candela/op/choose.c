/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Choosing the kernel: which row of an op's table serves the dtypes that are computed
 * with, and what its results are stored as. */
#include <candela/op/op-private.h>
#include <candela/value/dtype-private.h>
#include <candela/value/half-private.h>

/* What a kernel is wanted to read an input as. */
static inline CandelaDType
wanted_dtype (const CandelaInference *inference, guint i)
{
  CandelaDType fixed = candela_op_facts_input (inference->facts, i)->fixed;

  return fixed != CANDELA_DTYPE_INVALID ? fixed : inference->compute_dtype;
}

static gboolean
row_fits_loop (const CandelaInference *inference, const CandelaKernelInfo *row, gboolean exactly)
{
  if (row->n_inputs != 0 && row->n_inputs != inference->n_inputs)
    return FALSE;
  for (guint i = 0; i < inference->n_inputs; i++)
    {
      CandelaDType fixed = candela_op_facts_input (inference->facts, i)->fixed;
      CandelaDType wanted = fixed != CANDELA_DTYPE_INVALID ? fixed : inference->compute_dtype;

      if (exactly || fixed != CANDELA_DTYPE_INVALID ? row->in[i] != wanted
                                                    : !candela_dtype_can_cast (wanted, row->in[i]))
        return FALSE;
      if (inference->dtypes[i] != row->in[i]
          && candela_dtype_get_convert_func (inference->dtypes[i], row->in[i]) == NULL)
        return FALSE;
    }
  return TRUE;
}

static gboolean
row_fits_compute (const CandelaInference *inference, const CandelaKernelInfo *row)
{
  if (row->n_inputs != 0 && row->n_inputs != inference->n_inputs)
    return FALSE;
  for (guint i = 0; i < MIN (inference->n_inputs, CANDELA_MAX_LOOP_INPUTS); i++)
    {
      CandelaDType dtype = candela_op_facts_input (inference->facts, i)->fixed;

      if (dtype == CANDELA_DTYPE_INVALID)
        dtype = inference->compute_dtype != CANDELA_DTYPE_INVALID ? inference->compute_dtype : inference->dtypes[i];
      if (row->in[i] != CANDELA_DTYPE_INVALID && row->in[i] != dtype)
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_row (const CandelaKernelInfo *row)
{
  return row != NULL && (row->loop != NULL || row->compute != NULL);
}

/* Where there is none, it is the end of the table. */
static guint16
find_first_row (const CandelaKernelInfo *rows, CandelaDType dtype)
{
  guint16 n = 0;

  while (is_row (&rows[n]) && rows[n].in[0] != dtype)
    n++;
  return n;
}

/* Whether dtypes alone say all of an op's nodes but their shape; unless an infer function says
 * something else. */
static gboolean
is_plain (const CandelaOpFacts *facts, gboolean infers_by_class)
{
  const CandelaOpInfo *info = facts->info;

  return info->axes == CANDELA_AXES_ELEMENTWISE && !infers_by_class && info->fold == NULL && info->expression == NULL
         && info->output_shape != CANDELA_OUTPUT_SHAPE_DATA && info->threads != CANDELA_THREADS_ONE_AT_A_TIME
         && info->kernels != NULL && facts->n_outputs == 1 && facts->n_inputs > 0 && !facts->variadic
         && facts->n_required == facts->n_inputs && facts->n_inputs <= CANDELA_MAX_LOOP_INPUTS;
}

static const CandelaKernelInfo *
find_plain_row (const CandelaOpFacts *facts, CandelaDType dtype)
{
  const CandelaKernelInfo *row = facts->info->kernels + facts->first_row[dtype];

  for (guint i = 0; i < facts->n_inputs; i++)
    if (facts->info->inputs[i].fixed != CANDELA_DTYPE_INVALID
        || (facts->info->inputs[i].kinds != 0 && (facts->info->inputs[i].kinds & candela_dtype_kind (dtype)) == 0))
      return NULL;
  for (; is_row (row); row++)
    {
      guint i = 0;

      while (i < facts->n_inputs && row->in[i] == dtype)
        i++;
      if (i == facts->n_inputs && (row->n_inputs == 0 || row->n_inputs == i))
        return row;
    }
  return NULL;
}

void
candela_op_facts_complete (CandelaOpFacts *facts, const CandelaOpClass *klass)
{
  const CandelaOpClass *base = g_type_class_peek_static (CANDELA_TYPE_OP);

  facts->infers = facts->info->infer != NULL || klass->infer != base->infer;
  facts->computes = klass->compute != base->compute;
  for (guint dtype = 0; facts->info->kernels != NULL && dtype < CANDELA_N_DTYPES; dtype++)
    facts->first_row[dtype] = find_first_row (facts->info->kernels, dtype);
  facts->plain = is_plain (facts, klass->infer != base->infer);
  for (guint dtype = CANDELA_DTYPE_BOOL; facts->plain && dtype < CANDELA_N_DTYPES; dtype++)
    facts->plain_row[dtype] = find_plain_row (facts, dtype);
}

/* Whether all inputs are of what is computed with. */
static inline gboolean
is_of_one_dtype (const CandelaInference *inference)
{
  guint i = 0;

  while (i < inference->n_inputs && inference->dtypes[i] == inference->compute_dtype)
    i++;
  return i == inference->n_inputs;
}

/* Of a table of loops, the row of just these dtypes; else the first to which they
 * can be cast. */
static const CandelaKernelInfo *
find_loop (const CandelaInference *inference)
{
  const CandelaKernelInfo *rows = inference->facts->info->kernels;
  guint first = inference->n_inputs > 0 ? inference->facts->first_row[wanted_dtype (inference, 0)] : 0;

  if (rows == NULL)
    return NULL;
  if (inference->facts->plain && is_of_one_dtype (inference)
      && inference->facts->plain_row[inference->compute_dtype] != NULL)
    return inference->facts->plain_row[inference->compute_dtype];
  for (const CandelaKernelInfo *row = rows + first; is_row (row); row++)
    if (row_fits_loop (inference, row, TRUE))
      return row;
  for (const CandelaKernelInfo *row = rows; is_row (row); row++)
    if (row_fits_loop (inference, row, FALSE))
      return row;
  return NULL;
}

const CandelaKernelInfo *
candela_inference_find_kernel (const CandelaInference *inference)
{
  if (inference->facts->info->axes == CANDELA_AXES_ELEMENTWISE)
    return find_loop (inference);
  for (const CandelaKernelInfo *row = inference->facts->info->kernels; is_row (row); row++)
    if (row_fits_compute (inference, row))
      return row;
  return NULL;
}

gboolean
candela_inference_choose_kernel (CandelaInference *inference, GError **error)
{
  inference->kernel = candela_inference_find_kernel (inference);
  return inference->kernel != NULL
         || candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE, "there is no kernel for dtype %s",
                                    candela_dtype_get_name (inference->compute_dtype != CANDELA_DTYPE_INVALID
                                                              ? inference->compute_dtype
                                                            : inference->n_inputs > 0 ? inference->dtypes[0]
                                                                                      : CANDELA_DTYPE_INVALID));
}

/* What a loop computes in float32 for inputs of a narrower float is stored as these are. */
CandelaDType
candela_inference_stored_dtype (const CandelaInference *inference, guint output)
{
  CandelaDType dtype = inference->kernel->out[output];

  if (dtype != CANDELA_DTYPE_FLOAT32 || !candela_dtype_is_half (inference->compute_dtype))
    return dtype;
  return row_fits_loop (inference, inference->kernel, TRUE) ? dtype : inference->compute_dtype;
}

static gboolean
kept_fit (const CandelaStages *stages, guint n_inputs)
{
  const CandelaStageFamily *family = stages->family;

  for (guint k = 0; k < CANDELA_MAX_KEPT && family->keep[k] != NULL; k++)
    if (family->recall[k] == NULL
        || (stages->preserves && n_inputs == 2 && (stages->acc_kept[k] == NULL || stages->kept_acc[k] == NULL)))
      return FALSE;
  return TRUE;
}

gboolean
candela_op_facts_fit_stages (const CandelaOpFacts *facts, const CandelaKernelInfo *row)
{
  const CandelaStages *stages = row->stages;
  const CandelaStageFamily *family = stages->family;
  guint n_inputs = row->n_inputs != 0 ? row->n_inputs : facts->n_inputs;
  gsize size = candela_dtype_get_size (row->out[0]);

  if (family == NULL || family->block < sizeof (guint64) || (family->block & (family->block - 1)) != 0
      || family->run == NULL || family->load == NULL || family->store == NULL || family->end == NULL)
    return FALSE;
  if (facts->n_outputs != 1 || size > sizeof (guint64) || !kept_fit (stages, n_inputs))
    return FALSE;
  for (guint i = 0; i < n_inputs && i < CANDELA_MAX_LOOP_INPUTS; i++)
    if (candela_dtype_get_size (row->in[i]) != size)
      return FALSE;
  return n_inputs == 1 ? stages->unary != NULL
                       : n_inputs == 2 && stages->acc_memory != NULL && stages->memory_acc != NULL
                           && stages->acc_scalar != NULL && stages->scalar_acc != NULL;
}

gboolean
candela_op_facts_fit_rows (const CandelaOpFacts *facts, const CandelaKernelInfo *row)
{
  gboolean fit = facts->info->reduced_axes != NULL && facts->n_inputs == 1 && row->in[0] != CANDELA_DTYPE_INVALID;

  for (guint o = 0; o < facts->n_outputs; o++)
    fit = fit && row->out[o] != CANDELA_DTYPE_INVALID && (guint) row->out[o] < CANDELA_N_DTYPES;
  return fit;
}

gboolean
candela_op_facts_fit_rows_ends (const CandelaOpFacts *facts)
{
  for (const CandelaRowsEnd *end = facts->info->rows_ends; end != NULL && end->family != NULL; end++)
    {
      const CandelaKernelInfo *row = facts->info->kernels;

      while (row != NULL && row->compute != NULL
             && (row->rows == NULL || row->in[0] != end->in || row->out[0] != end->out))
        row++;
      if (row == NULL || row->compute == NULL || facts->n_outputs != 1 || end->begin == NULL || end->end == NULL
          || end->family->run_rows == NULL)
        return FALSE;
    }
  return TRUE;
}
