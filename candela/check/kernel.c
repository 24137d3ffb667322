/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Kernels over whole values: inputs as the case lays them out, chunks in any order and on
 * several threads, and what they say is done. */
#include <candela/check/check-private.h>
#include <string.h>

static void
run_backwards (guint64 n, CandelaKernelChunkFunc func, gpointer data)
{
  while (n-- > 0)
    func (n, data);
}

static void
run_chunks (CandelaCheck *check)
{
  static const char *const whats[] = { "with its chunks in reverse", "with its chunks on 3 threads" };

  if (check->facts->info->threads != CANDELA_THREADS_ANY)
    return;
  for (guint k = 0; k < G_N_ELEMENTS (whats); k++)
    {
      CandelaCheckCall call;

      candela_check_call_init (&call, check);
      call.parallel_for = k == 0 ? run_backwards : candela_parallel_for;
      candela_set_num_threads (k == 0 ? 1 : 3);
      candela_check_call_compare (&call, CANDELA_CHECK_THREADS, whats[k]);
    }
  candela_set_num_threads (1);
}

static void
run_done (CandelaCheck *check)
{
  gsize size = candela_dtype_get_size (check->inference.out_dtypes[0]);
  CandelaCheckCall call;

  candela_check_call_init (&call, check);
  if (!call.computed[0])
    return;
  candela_check_begin (check, CANDELA_CHECK_DONE, "watching what it says is done");
  call.watch_done = TRUE;
  candela_check_call_run (&call);
  for (gint64 k = 0; call.ok && k < call.out[0].layout->n_elements; k++)
    if (call.is_done[k] && memcmp (call.done[0] + k * size, call.results[0] + k * size, size) != 0)
      candela_check_fail (check, CANDELA_CHECK_DONE,
                          "it says that element %" G_GINT64_FORMAT " is done, and changes it afterwards", k);
  candela_check_call_clear (&call);
}

/* ---- Other layouts ---- */

static void
init_views (CandelaCheckCall *call, CandelaCheck *check)
{
  candela_check_call_init (call, check);
  for (guint i = 0; i < check->n_inputs; i++)
    {
      CandelaBuffer *buffer = candela_tensor_get_buffer (check->bases[i]);

      call->in[i].data = buffer->data;
      call->in[i].bytes = buffer->size;
      call->in[i].layout = check->views[i];
    }
}

/* Twice; what of the first is kept if there is nothing to compare with. */
static void
run_views (CandelaCheck *check)
{
  const char *what = "with its inputs strided, reversed, broadcast or shifted";
  guint8 *expected[CANDELA_MAX_OUTPUTS], *own[CANDELA_MAX_OUTPUTS] = { NULL };
  CandelaCheckCall call;

  memcpy (expected, check->expected, sizeof expected);
  if (!check->exact)
    {
      init_views (&call, check);
      candela_check_begin (check, CANDELA_CHECK_LAYOUT, "%s", what);
      candela_check_call_run (&call);
      candela_check_call_verify (&call);
      for (guint o = 0; call.ok && o < check->facts->n_outputs; o++)
        check->expected[o] = own[o] = call.computed[o] ? candela_check_call_take (&call, o) : NULL;
      candela_check_call_clear (&call);
    }
  if (check->facts->info->effect == CANDELA_EFFECT_PURE && check->facts->info->determinism != CANDELA_DETERMINISM_NONE)
    {
      init_views (&call, check);
      call.placement = CANDELA_CHECK_AT_END;
      candela_check_call_compare (&call, CANDELA_CHECK_LAYOUT, what);
    }
  memcpy (check->expected, expected, sizeof expected);
  for (guint o = 0; o < check->facts->n_outputs; o++)
    g_free (own[o]);
}

/* With what infer says for these layouts. */
static void
check_views (CandelaCheck *check)
{
  CandelaInference packed = check->inference;
  gboolean computes = FALSE, plain = TRUE;

  for (guint i = 0; i < check->n_inputs; i++)
    plain = plain && check->views[i]->contiguous && check->views[i]->offset == 0;
  if (plain)
    return;
  if (candela_check_run_infer (check, &check->inference, check->views, NULL))
    {
      for (guint o = 0; o < check->facts->n_outputs; o++)
        computes = computes || check->inference.aliasing[o] == CANDELA_ALIASING_NONE
                   || check->inference.aliasing[o] == CANDELA_ALIASING_TAKEOVER;
      if (computes)
        run_views (check);
    }
  candela_inference_clear (&check->inference);
  check->inference = packed;
}

static gboolean
has_function (const CandelaCheck *check)
{
  const CandelaOpClass *base = g_type_class_peek_static (CANDELA_TYPE_OP);

  return check->inference.kernel != NULL || CANDELA_OP_GET_CLASS (check->op)->compute != base->compute;
}

/* An alias has no use for a kernel; one that it has all the same should make it. */
static void
check_alias (CandelaCheck *check)
{
  const CandelaOpInfo *info = check->facts->info;
  CandelaCheckCall call;

  if (info->infer != NULL || info->aliasing != CANDELA_ALIASING_ALIAS || !has_function (check))
    return;
  candela_check_call_init (&call, check);
  call.computed[0] = TRUE;
  candela_check_call_compare (&call, CANDELA_CHECK_ALIASING, "its kernel, against its input");
}

void
candela_check_kernel (CandelaCheck *check)
{
  CandelaCheckCall call;
  gboolean computes = FALSE;

  candela_check_call_init (&call, check);
  for (guint o = 0; o < check->facts->n_outputs; o++)
    computes = computes || call.computed[o];
  if (computes && check->facts->info->effect == CANDELA_EFFECT_PURE
      && check->facts->info->determinism != CANDELA_DETERMINISM_NONE)
    {
      run_chunks (check);
      run_done (check);
      candela_check_lanes (check);
    }
  check_alias (check);
  check_views (check);
}
