/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Rows on their own: an op on rows, or a reduction that says which axes it reduces, is
 * called for some rows at a time (or, where it leaves the last axes, for some columns), as an
 * array that has only these. And a reduction over the last axes may be fed, or take rows. */
#include <candela/check/check-private.h>
#include <string.h>

/* As bits; FALSE: rows are nothing to this op. */
static gboolean
find_reduced (const CandelaCheck *check, guint32 *reduced)
{
  const CandelaOpInfo *info = check->facts->info;
  guint rank = check->packed[0]->rank;

  if (rank == 0 || !check->exact || info->threads != CANDELA_THREADS_ANY)
    return FALSE;
  if (info->axes == CANDELA_AXES_ROWWISE)
    {
      *reduced = 1u << (rank - 1);
      return TRUE;
    }
  if (info->reduced_axes == NULL)
    return FALSE;
  candela_check_begin (check, CANDELA_CHECK_ROWS, "which axes it reduces");
  *reduced = info->reduced_axes (check->params, rank);
  if (rank < 32 && *reduced >> rank != 0)
    candela_check_fail (check, CANDELA_CHECK_ROWS, "it says that it reduces axis %u of %u",
                        (guint) g_bit_storage (*reduced) - 1, rank);
  return TRUE;
}

static CandelaLayout *
cut (const CandelaLayout *layout, guint axis, gint64 first, gint64 end)
{
  return candela_layout_slice (layout, axis, first, end, 1, NULL);
}

/* Some indices of an axis of the input, and of one of the outputs. The input's stay where
 * they are; an output is packed, as it is for a block of rows. */
static void
run_some (CandelaCheck *check, guint axis, gboolean last, gint64 first, gint64 end)
{
  g_autoptr (CandelaLayout) in = cut (check->packed[0], axis, first, end);
  CandelaLayout *out[CANDELA_MAX_OUTPUTS], *part[CANDELA_MAX_OUTPUTS];
  guint n_outputs = check->facts->n_outputs;
  CandelaCheckCall call;

  candela_check_call_init (&call, check);
  call.in[0].layout = in;
  for (guint o = 0; o < n_outputs; o++)
    {
      const CandelaLayout *whole = check->inference.out_layouts[o];

      part[o] = cut (whole, last ? whole->rank - 1u : axis, first, end);
      out[o] = candela_layout_new (part[o]->dims, part[o]->rank, NULL);
      call.out[o].layout = out[o];
      call.out[o].bytes = (gsize) out[o]->n_elements * candela_dtype_get_size (call.out[o].dtype);
    }
  candela_check_begin (check, CANDELA_CHECK_ROWS, "%s %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " by themselves",
                       last ? "columns" : "rows", first, end - 1);
  candela_check_call_run (&call);
  if (!call.ok)
    candela_check_fail (check, CANDELA_CHECK_ROWS, "it fails: %s", call.error->message);
  candela_check_call_verify (&call);
  for (guint o = 0; o < n_outputs; o++)
    {
      gsize size = candela_dtype_get_size (call.out[o].dtype);
      g_autofree guint8 *expected = g_malloc (call.out[o].bytes + 1);

      candela_layout_pack (part[o], check->expected[o], size, 0, (gsize) part[o]->n_elements, expected);
      candela_check_compare (check, CANDELA_CHECK_ROWS, o, out[o], call.out[o].dtype, expected, call.results[o],
                             out[o]->n_elements);
      candela_layout_unref (out[o]);
      candela_layout_unref (part[o]);
    }
  candela_check_call_clear (&call);
}

/* Whether all outputs have such an axis: only then rows are told apart. */
static gboolean
has_axis (const CandelaCheck *check, gint64 length, gboolean last)
{
  for (guint o = 0; o < check->facts->n_outputs; o++)
    {
      const CandelaLayout *out = check->inference.out_layouts[o];

      if (out->rank == 0 || out->dims[last ? out->rank - 1u : 0u] != length)
        return FALSE;
    }
  return TRUE;
}

/* What has no elements, or is an input, is nobody's row. */
static gboolean
has_rows (const CandelaCheck *check)
{
  gboolean any = check->n_inputs == 1 && check->packed[0]->n_elements > 0;

  for (guint o = 0; o < check->facts->n_outputs; o++)
    any =
      any && check->inference.aliasing[o] == CANDELA_ALIASING_NONE && check->inference.out_layouts[o]->n_elements > 0;
  return any;
}

static void
check_axis (CandelaCheck *check, guint32 reduced, gboolean last)
{
  guint rank = check->packed[0]->rank, axis = last ? rank - 1 : 0;
  gint64 length = check->packed[0]->dims[axis];

  if ((reduced >> axis & 1) != 0 || (last && rank == 1) || length < 2)
    return;
  if (!has_axis (check, length, last))
    {
      if (check->facts->info->axes == CANDELA_AXES_REDUCTION)
        candela_check_fail (check, CANDELA_CHECK_ROWS,
                            "it says that it does not reduce axis %u, of length %" G_GINT64_FORMAT
                            ", but its result does not have that",
                            axis, length);
      return;
    }
  run_some (check, axis, last, 0, length / 2);
  run_some (check, axis, last, length / 2, length);
  run_some (check, axis, last, length - 1, length);
}

static gboolean
are_last (guint rank, guint32 reduced)
{
  guint kept = 0;

  while (kept < rank && (reduced >> kept & 1) == 0)
    kept++;
  for (guint axis = kept; axis < rank; axis++)
    if ((reduced >> axis & 1) == 0)
      return FALSE;
  return TRUE;
}

static void
check_fed (CandelaCheck *check)
{
  CandelaCheckCall call;

  if (!check->facts->info->takes_fed)
    return;
  candela_check_call_init (&call, check);
  call.fed = TRUE;
  candela_check_call_compare (&call, CANDELA_CHECK_FED, "with an input that is not in memory");
}

/* As many rows as at_once at a time, out of pages that cannot be written to. */
static void
take_rows (CandelaCheck *check, const CandelaCheckMemory *in, gsize n, gsize at_once)
{
  const CandelaInference *inference = &check->inference;
  gsize n_rows = (gsize) inference->out_layouts[0]->n_elements, size = candela_dtype_get_size (check->dtypes[0]);
  guint n_outputs = check->facts->n_outputs;
  CandelaCheckMemory out[CANDELA_MAX_OUTPUTS];
  gpointer results[CANDELA_MAX_OUTPUTS];
  gssize at;

  for (guint o = 0; o < n_outputs; o++)
    {
      gsize bytes = n_rows * candela_dtype_get_size (inference->out_dtypes[o]);

      candela_check_memory_init (&out[o], inference->out_dtypes[o], bytes, CANDELA_CHECK_AT_END, 0, TRUE,
                                 candela_check_output_name (check->facts, o));
      memset (out[o].data, 0xa5, bytes);
    }
  candela_check_begin (check, CANDELA_CHECK_ROWS, "its rows function, %" G_GSIZE_FORMAT " at a time", at_once);
  for (gsize first = 0; first < n_rows; first += at_once)
    {
      for (guint o = 0; o < n_outputs; o++)
        results[o] = out[o].data + first * candela_dtype_get_size (inference->out_dtypes[o]);
      inference->kernel->rows (results, in->data + first * n * size, (gint64) n, MIN (at_once, n_rows - first), n,
                               check->params);
    }
  for (guint o = 0; o < n_outputs; o++)
    {
      if (candela_check_memory_find_stray (&out[o], &at))
        candela_check_fail (check, CANDELA_CHECK_BOUNDS, "its rows function wrote outside output %s", out[o].name);
      candela_check_compare (check, CANDELA_CHECK_ROWS, o, inference->out_layouts[o], inference->out_dtypes[o],
                             check->expected[o], out[o].data, (gint64) n_rows);
      candela_check_memory_clear (&out[o]);
    }
}

/* What the engine calls instead of the kernel, if dtypes are those of its row. */
static void
check_rows_function (CandelaCheck *check)
{
  const CandelaKernelInfo *row = check->inference.kernel;
  gint64 n_rows = check->inference.out_layouts[0]->n_elements;
  gsize bytes = (gsize) check->packed[0]->n_elements * candela_dtype_get_size (check->dtypes[0]);
  CandelaCheckMemory in;

  if (row == NULL || row->loop != NULL || row->rows == NULL || check->dtypes[0] != row->in[0])
    return;
  for (guint o = 0; o < check->facts->n_outputs; o++)
    if (check->inference.out_dtypes[o] != row->out[o] || check->inference.out_layouts[o]->n_elements != n_rows)
      return;
  candela_check_memory_init (&in, row->in[0], bytes, CANDELA_CHECK_AT_END, 0, FALSE, check->names[0]);
  memcpy (in.data, check->values[0], bytes);
  candela_check_memory_protect (&in);
  take_rows (check, &in, (gsize) (check->packed[0]->n_elements / n_rows), (gsize) n_rows);
  take_rows (check, &in, (gsize) (check->packed[0]->n_elements / n_rows), 1);
  candela_check_memory_clear (&in);
  candela_check_rows_ends (check);
}

void
candela_check_lanes (CandelaCheck *check)
{
  guint32 reduced;

  if (!has_rows (check) || !find_reduced (check, &reduced))
    return;
  check_axis (check, reduced, FALSE);
  if (check->facts->info->axes == CANDELA_AXES_REDUCTION)
    check_axis (check, reduced, TRUE);
  if (reduced == 0 || !are_last (check->packed[0]->rank, reduced))
    return;
  check_fed (check);
  check_rows_function (check);
}
