/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What loops and kernels have in common: a first run, which says what is right, and then
 * the same again in all the ways that the declaration allows. */
#include <candela/check/check-private.h>
#include <string.h>

/* ---- The first run, and the next ---- */

/* A loop gets its row's dtypes, packed and of the result's shape. */
static gboolean
prepare_loop (CandelaCheck *check)
{
  const CandelaKernelInfo *row = check->inference.kernel;
  const CandelaLayout *shape = check->inference.out_layouts[0];

  for (guint i = 0; i < check->n_inputs; i++)
    {
      gsize n = (gsize) shape->n_elements, size = candela_dtype_get_size (check->dtypes[i]);
      g_autoptr (CandelaLayout) layout = candela_layout_broadcast (check->packed[i], shape->dims, shape->rank, NULL);
      g_autofree guint8 *elements = g_malloc (n * size + 1);

      if (layout == NULL)
        candela_check_fail (check, CANDELA_CHECK_INFER, "%s cannot be broadcast to the shape that infer gives",
                            check->names[i]);
      candela_layout_pack (layout, check->values[i], size, 0, n, elements);
      check->loop_inputs[i] = g_malloc (n * candela_dtype_get_size (row->in[i]) + 1);
      if (!candela_dtype_convert (check->dtypes[i], elements, row->in[i], check->loop_inputs[i], n))
        return FALSE;
    }
  return TRUE;
}

static gboolean
computes (const CandelaCheckCall *call)
{
  for (guint o = 0; o < call->check->facts->n_outputs; o++)
    if (call->computed[o])
      return TRUE;
  return FALSE;
}

static void
check_bools (const CandelaCheckCall *call)
{
  for (guint o = 0; o < call->check->facts->n_outputs; o++)
    for (gsize k = 0; call->computed[o] && call->out[o].dtype == CANDELA_DTYPE_BOOL && k < call->out[o].bytes; k++)
      if (call->results[o][k] > 1 && call->results[o][k] != 0xa5)
        candela_check_fail (call->check, CANDELA_CHECK_COMPLETE, "%s, element %zu, is a bool and has the byte %u",
                            candela_check_output_name (call->check->facts, o), k, call->results[o][k]);
}

/* A byte that is what was there before, whatever that was. */
static void
find_unwritten (const CandelaCheckCall *call)
{
  for (guint o = 0; o < call->check->facts->n_outputs; o++)
    {
      gsize size = candela_dtype_get_size (call->out[o].dtype);

      for (gsize at = 0; call->computed[o] && at < call->out[o].bytes; at++)
        if (call->check->expected[o][at] == 0xa5 && call->results[o][at] == 0x5a)
          candela_check_fail (call->check, CANDELA_CHECK_COMPLETE, "it leaves %s unwritten, from element %zu of %zu on",
                              candela_check_output_name (call->check->facts, o), at / size, call->out[o].bytes / size);
    }
}

/* FALSE: the kernel refuses these values, and does so again. */
static gboolean
run_first (CandelaCheck *check)
{
  CandelaCheckCall call;
  gboolean ok;

  candela_check_begin (check, CANDELA_CHECK_DETERMINISM, "a first run");
  candela_check_call_init (&call, check);
  candela_check_call_run (&call);
  candela_check_call_verify (&call);
  ok = call.ok;
  if (!ok)
    candela_check_error (check, CANDELA_CHECK_REFUSAL, call.error);
  for (guint o = 0; ok && o < check->facts->n_outputs; o++)
    if (call.computed[o])
      check->expected[o] = candela_check_call_take (&call, o);
  if (ok)
    check_bools (&call);
  candela_check_call_clear (&call);
  return ok;
}

static void
run_again (CandelaCheck *check, gboolean ok)
{
  gboolean same =
    check->facts->info->effect == CANDELA_EFFECT_PURE && check->facts->info->determinism != CANDELA_DETERMINISM_NONE;
  CandelaCheckCall call;

  candela_check_begin (check, CANDELA_CHECK_DETERMINISM, "the same again");
  candela_check_call_init (&call, check);
  call.other = TRUE;
  candela_check_call_run (&call);
  candela_check_call_verify (&call);
  if (same && ok != call.ok)
    candela_check_fail (check, CANDELA_CHECK_DETERMINISM, "it fails, but not each time");
  if (ok && call.ok)
    find_unwritten (&call);
  for (guint o = 0; ok && call.ok && same && o < check->facts->n_outputs; o++)
    if (call.computed[o])
      candela_check_compare (check, CANDELA_CHECK_DETERMINISM, o, check->inference.out_layouts[o], call.out[o].dtype,
                             check->expected[o], call.results[o], check->inference.out_layouts[o]->n_elements);
  candela_check_call_clear (&call);
}

/* ---- In other memory ---- */

static void
run_elsewhere (CandelaCheck *check)
{
  static const char *const whats[] = { "with arrays that end where a page does", "with unaligned arrays" };

  for (guint k = 0; k < G_N_ELEMENTS (whats); k++)
    {
      CandelaCheckCall call;

      candela_check_call_init (&call, check);
      call.placement = k == 0 ? CANDELA_CHECK_AT_END : CANDELA_CHECK_AT_START;
      call.shifted = k == 1;
      candela_check_call_compare (&call, CANDELA_CHECK_MEMORY, whats[k]);
    }
}

/* Parts of a loop, forwards and backwards. */
static void
run_split (CandelaCheck *check)
{
  gsize n = (gsize) check->inference.out_layouts[0]->n_elements;
  const gsize splits[][3] = { { 1 }, { n / 2 }, { n - 1 }, { n / 3, n / 2, n - 1 }, { 1, 2, 3 } };

  for (guint k = 0; k < 2 * G_N_ELEMENTS (splits); k++)
    {
      const gsize *split = splits[k / 2];
      char what[160];
      CandelaCheckCall call;

      if (split[0] == 0 || split[0] >= n || split[1] >= n || split[2] >= n || (split[1] != 0 && split[1] <= split[0])
          || (split[2] != 0 && split[2] <= split[1]))
        continue;
      candela_check_call_init (&call, check);
      memcpy (call.splits, split, sizeof call.splits);
      call.last_first = k % 2;
      g_snprintf (what, sizeof what, "in parts, of which the second begins at element %zu%s", split[0],
                  call.last_first ? ", the last one first" : "");
      candela_check_call_compare (&call, CANDELA_CHECK_POSITION, what);
    }
}

/* ---- In place ---- */

/* Whether the planner would ever do that: the same indices have the same addresses. */
static gboolean
can_be_over (const CandelaCheckCall *call, guint o, guint i)
{
  const CandelaLayout *in = call->in[i].layout, *out = call->out[o].layout;
  guint k = 0;

  if (!call->computed[o] || call->in[i].bytes != call->out[o].bytes
      || candela_op_facts_in_place (call->check->facts, o, i) == CANDELA_IN_PLACE_NEVER)
    return FALSE;
  if (call->check->elementwise)
    return TRUE;
  for (guint axis = 0; axis < in->rank; axis++)
    {
      if (in->dims[axis] == 1)
        continue;
      while (k < out->rank && out->dims[k] == 1)
        k++;
      if (k == out->rank || out->dims[k++] != in->dims[axis])
        return FALSE;
    }
  while (k < out->rank && out->dims[k] == 1)
    k++;
  return k == out->rank && candela_dtype_get_size (call->in[i].dtype) == candela_dtype_get_size (call->out[o].dtype);
}

/* An operand twice: that too may be written over. */
static void
run_over_both (CandelaCheck *check)
{
  guint8 *expected[CANDELA_MAX_OUTPUTS];
  CandelaCheckCall call, over;

  candela_check_call_init (&call, check);
  if (!check->elementwise || call.n_inputs != 2 || call.in[0].dtype != call.in[1].dtype || !can_be_over (&call, 0, 0)
      || !can_be_over (&call, 0, 1))
    return;
  memcpy (expected, check->expected, sizeof expected);
  candela_check_begin (check, CANDELA_CHECK_IN_PLACE, "with one array as both inputs");
  call.same_as = 2;
  candela_check_call_run (&call);
  for (guint o = 0; o < check->facts->n_outputs; o++)
    check->expected[o] = call.results[o];
  candela_check_call_init (&over, check);
  over.same_as = 2;
  over.over[0] = over.over[1] = 1;
  candela_check_call_compare (&over, CANDELA_CHECK_IN_PLACE, "with one array as both inputs, written over it");
  candela_check_call_clear (&call);
  memcpy (check->expected, expected, sizeof expected);
}

static void
run_in_place (CandelaCheck *check)
{
  for (guint o = 0; o < check->facts->n_outputs; o++)
    for (guint i = 0; i < check->n_inputs; i++)
      {
        char what[160];
        CandelaCheckCall call;

        candela_check_call_init (&call, check);
        if (!can_be_over (&call, o, i))
          continue;
        call.over[0] = o + 1;
        call.over[1] = i + 1;
        g_snprintf (what, sizeof what, "%s written over %s", candela_check_output_name (check->facts, o),
                    check->names[i]);
        candela_check_call_compare (&call, CANDELA_CHECK_IN_PLACE, what);
      }
  run_over_both (check);
}

/* ---- What it is equal to ---- */

static void
check_takeovers (CandelaCheck *check)
{
  for (guint o = 0; o < check->facts->n_outputs; o++)
    {
      guint input = check->inference.aliased_input[o];

      if (check->inference.aliasing[o] != CANDELA_ALIASING_TAKEOVER)
        continue;
      candela_check_begin (check, CANDELA_CHECK_ALIASING, "%s takes over from %s",
                           candela_check_output_name (check->facts, o), check->names[input]);
      candela_check_compare (check, CANDELA_CHECK_ALIASING, o, check->inference.out_layouts[o], check->dtypes[input],
                             check->values[input], check->expected[o], check->packed[input]->n_elements);
    }
}

static void
check_fold (CandelaCheck *check)
{
  const CandelaInference *inference = &check->inference;
  int same;

  if (check->facts->info->fold == NULL)
    return;
  candela_check_begin (check, CANDELA_CHECK_FOLD, "fold");
  same = check->facts->info->fold (inference);
  if (same >= (int) check->n_inputs)
    candela_check_fail (check, CANDELA_CHECK_FOLD, "it folds to input %d, which there is not", same);
  if (same < 0 || check->dtypes[same] != inference->out_dtypes[0] || check->facts->n_outputs != 1
      || !candela_layout_same_shape (check->packed[same], inference->out_layouts[0])
      || (check->elementwise && inference->kernel->out[0] != inference->out_dtypes[0]))
    return;
  candela_check_begin (check, CANDELA_CHECK_FOLD, "it folds to %s", check->names[same]);
  candela_check_compare (check, CANDELA_CHECK_FOLD, 0, inference->out_layouts[0], check->dtypes[same],
                         check->expected[0], check->values[same], check->packed[same]->n_elements);
}

/* ---- All of it ---- */

static void
run_with_threads (CandelaCheck *check)
{
  CandelaCheckCall call;

  candela_check_call_init (&call, check);
  candela_set_num_threads (3);
  candela_check_call_compare (&call, CANDELA_CHECK_THREADS, "with 3 threads to be had");
  candela_set_num_threads (1);
}

/* Of what is the same each time. */
static void
run_in_all_ways (CandelaCheck *check)
{
  check_takeovers (check);
  run_elsewhere (check);
  if (check->elementwise)
    run_split (check);
  if (check->elementwise)
    candela_check_stages (check);
  run_in_place (check);
  check_fold (check);
  run_with_threads (check);
  candela_check_together (check);
}

gboolean
candela_check_common (CandelaCheck *check)
{
  const CandelaOpInfo *info = check->facts->info;
  CandelaCheckCall call;
  gboolean ok;

  /* Nobody calls a loop for no elements. */
  if (check->elementwise && check->inference.out_layouts[0]->n_elements == 0)
    return TRUE;
  if (check->elementwise && !prepare_loop (check))
    return FALSE;
  candela_check_call_init (&call, check);
  if (computes (&call))
    {
      ok = run_first (check);
      run_again (check, ok);
      if (!ok)
        return FALSE;
      if (info->effect == CANDELA_EFFECT_PURE && info->determinism != CANDELA_DETERMINISM_NONE)
        run_in_all_ways (check);
    }
  if (!check->elementwise)
    candela_check_kernel (check);
  return TRUE;
}
