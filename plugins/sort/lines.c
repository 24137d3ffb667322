/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Line after line along an axis. */
#include "sort.h"
#include <pthread.h>

/* Elements that one thread takes at a time, about. */
#define CHUNK_ELEMENTS (1 << 14)
/* Where lines are neighbours in memory one thread takes at least those of a cache line. */
#define NEIGHBOURS 64

const CandelaInputInfo sort_inputs[] = {
  { "x", .kinds = SORT_REAL, .summary = "the elements" },
  { NULL },
};

gint64
sort_get_axis (const CandelaParams *params, guint param, guint rank)
{
  gint64 axis = candela_params_get_int (params, param);

  return axis < 0 ? axis + rank : axis;
}

gint64
sort_check_axis (const CandelaInference *inference, guint param, GError **error)
{
  gint64 axis = candela_params_get_int (candela_inference_get_params (inference), param);
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);
  g_autofree char *text = NULL;

  if (rank == 0)
    {
      candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE, "x has shape []; an axis is needed");
      return -1;
    }
  if (axis >= -(gint64) rank && axis < (gint64) rank)
    return axis < 0 ? axis + (gint64) rank : axis;
  text = candela_shape_to_string (shape, rank);
  candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                          "axis %" G_GINT64_FORMAT " is out of range: x has shape %s", axis, text);
  return -1;
}

gconstpointer
sort_get_line (const SortCall *call, gint64 line, gpointer memory)
{
  if (call->inner == 1 && candela_layout_is_contiguous (call->last))
    return (const guint8 *) candela_kernel_get_input (call->kernel, 0) + line * call->n * (gint64) call->size;
  candela_kernel_pack_layout (call->kernel, 0, call->last, call->dtype, line * call->n, (gsize) call->n, memory);
  return memory;
}

gboolean
sort_fail_cancelled (GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the run was cancelled");
  return FALSE;
}

/* ---- Chunks of lines ---- */

typedef struct
{
  const SortCall *call;
  gint64 n_lines, per_chunk;
  gsize result_size; /* of a line's results that are not written where they belong; 0 */
  pthread_mutex_t lock;
  GError *error; /* the first, under the lock */
} Share;

/* The results of a line to where they are, `inner` elements apart. */
static void
scatter (const SortCall *call, guint output, gint64 line, gconstpointer results)
{
  gsize size = candela_dtype_get_size (candela_kernel_get_output_dtype (call->kernel, output));
  gint64 first = line / call->inner * call->n_out * call->inner + line % call->inner;
  gpointer out = candela_kernel_get_output (call->kernel, output);

#define SCATTER(type)                                                                                                  \
  for (gint64 i = 0; i < call->n_out; i++)                                                                             \
    ((type *) out)[first + i * call->inner] = ((const type *) results)[i];

  switch (size)
    {
    case 1:
      SCATTER (guint8)
      break;
    case 2:
      SCATTER (guint16)
      break;
    case 4:
      SCATTER (guint32)
      break;
    default:
      SCATTER (guint64)
    }
}

static gboolean
run_line (const Share *share, gint64 line, guint8 *memory, GError **error)
{
  const SortCall *call = share->call;
  guint8 *results = memory + call->work_size;
  gpointer out[CANDELA_MAX_OUTPUTS];

  for (guint o = 0; o < call->n_outputs; o++)
    if (share->result_size > 0)
      out[o] = results + o * share->result_size;
    else
      out[o] =
        (guint8 *) candela_kernel_get_output (call->kernel, o)
        + line * call->n_out * (gint64) candela_dtype_get_size (candela_kernel_get_output_dtype (call->kernel, o));
  if (!call->run (call, line, memory, out, error))
    return FALSE;
  for (guint o = 0; o < call->n_outputs && share->result_size > 0; o++)
    scatter (call, o, line, out[o]);
  return TRUE;
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  Share *share = data;
  const SortCall *call = share->call;
  gint64 first = (gint64) chunk * share->per_chunk, end = MIN (first + share->per_chunk, share->n_lines);
  g_autofree guint8 *memory = g_try_malloc (call->work_size + call->n_outputs * share->result_size);
  g_autoptr (GError) error = NULL;

  if (memory == NULL)
    g_set_error_literal (&error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "there is no memory to sort in");
  for (gint64 line = first; line < end && error == NULL; line++)
    {
      if (line == first || call->n >= CHUNK_ELEMENTS)
        g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (call->kernel), &error);
      if (error == NULL)
        run_line (share, line, memory, &error);
    }
  if (error == NULL)
    return;
  pthread_mutex_lock (&share->lock);
  if (share->error == NULL)
    share->error = g_steal_pointer (&error);
  pthread_mutex_unlock (&share->lock);
}

static gboolean
share_lines (const SortCall *call, gint64 n_lines, GError **error)
{
  Share share = { .call = call, .n_lines = n_lines };

  share.per_chunk = MAX (CHUNK_ELEMENTS / call->n, 1);
  if (call->inner > 1)
    {
      share.per_chunk = MAX (share.per_chunk, NEIGHBOURS);
      share.result_size = ((gsize) call->n_out * sizeof (gint64) + 63) / 64 * 64;
    }
  pthread_mutex_init (&share.lock, NULL);
  candela_kernel_parallel_for (call->kernel, (guint64) ((n_lines + share.per_chunk - 1) / share.per_chunk), run_chunk,
                               &share);
  pthread_mutex_destroy (&share.lock);
  if (share.error == NULL)
    return TRUE;
  g_propagate_error (error, share.error);
  return FALSE;
}

gboolean
sort_call_run (SortCall *call, GError **error)
{
  const CandelaLayout *layout = candela_kernel_get_input_layout (call->kernel, 0);
  gint64 n_results = candela_layout_get_n_elements (candela_kernel_get_output_layout (call->kernel, 0));
  gint64 order[CANDELA_MAX_RANK];
  g_autoptr (CandelaLayout) last = NULL;
  gsize rank, n = 0;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);

  if (n_results == 0)
    return TRUE;
  call->n_out = candela_layout_get_shape (candela_kernel_get_output_layout (call->kernel, 0), NULL)[call->axis];
  call->inner = 1;
  for (gsize axis = 0; axis < rank; axis++)
    {
      if ((gint64) axis != call->axis)
        order[n++] = (gint64) axis;
      if ((gint64) axis > call->axis)
        call->inner *= shape[axis];
    }
  order[n] = call->axis;
  last = candela_layout_permute (layout, order, rank, error);
  if (last == NULL)
    return FALSE;
  call->last = last;
  return share_lines (call, n_results / call->n_out, error);
}
