/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two calls of an op at the same time, on two threads: one stands still in the middle of an
 * array, once of an output and once of an input, until the other is done. What they share
 * but should not (a static buffer, say) is another's then, every time. */
#include <candela/check/check-private.h>
#include <string.h>

static void
go (gpointer data)
{
  candela_check_call_go (data);
}

/* The same operands, but that each begins with what was its second element. */
static void
rotate (CandelaCheckCall *call, guint8 **memory)
{
  for (guint i = 0; i < call->n_inputs; i++)
    {
      gsize size = candela_dtype_get_size (call->in[i].dtype), bytes = call->in[i].bytes;

      memory[i] = g_malloc (bytes + 1);
      if (bytes == 0)
        continue;
      memcpy (memory[i], call->in[i].data + size, bytes - size);
      memcpy (memory[i] + bytes - size, call->in[i].data, size);
      call->in[i].data = memory[i];
    }
}

static void
compare_other (CandelaCheckCall *alone, CandelaCheckCall *other)
{
  const CandelaCheck *check = other->check;

  if (!alone->ok || !other->ok)
    return;
  for (guint o = 0; o < check->facts->n_outputs; o++)
    if (other->computed[o])
      candela_check_compare (check, CANDELA_CHECK_THREADS, o, check->inference.out_layouts[o], other->out[o].dtype,
                             alone->results[o], other->results[o], check->inference.out_layouts[o]->n_elements);
}

static void
run_both (CandelaCheck *check, CandelaCheckCall *alone, CandelaCheckCall *other, gboolean at_output)
{
  CandelaCheckCall call;
  CandelaCheckMemory *memory;

  candela_check_call_init (&call, check);
  call.placement = CANDELA_CHECK_ACROSS;
  candela_check_call_prepare (&call);
  memory = at_output ? &call.outputs[0] : &call.inputs[0];
  other->other = TRUE;
  candela_check_call_prepare (other);
  candela_check_begin (check, CANDELA_CHECK_THREADS, "with another call that runs while this one is half through %s",
                       memory->name);
  if (candela_check_memory_stop_at (memory, go, other))
    {
      candela_check_call_go (&call);
      candela_check_memory_end_stop ();
      if (!call.ok)
        candela_check_fail (check, CANDELA_CHECK_THREADS, "it fails: %s", call.error->message);
      for (guint o = 0; o < check->facts->n_outputs; o++)
        if (call.computed[o])
          candela_check_compare (check, CANDELA_CHECK_THREADS, o, check->inference.out_layouts[o], call.out[o].dtype,
                                 check->expected[o], call.results[o], check->inference.out_layouts[o]->n_elements);
      compare_other (alone, other);
    }
  candela_check_call_clear (other);
  candela_check_call_clear (&call);
}

void
candela_check_together (CandelaCheck *check)
{
  guint8 *memory[CANDELA_CHECK_MAX_INPUTS] = { NULL };
  CandelaCheckCall alone;

  if (check->facts->info->threads != CANDELA_THREADS_ANY)
    return;
  candela_check_call_init (&alone, check);
  rotate (&alone, memory);
  candela_check_begin (check, CANDELA_CHECK_THREADS, "on other values");
  candela_check_call_run (&alone);
  for (guint k = 0; k < 2; k++)
    {
      CandelaCheckCall other;

      if (k == 0 ? !alone.computed[0] : alone.n_inputs == 0)
        continue;
      candela_check_call_init (&other, check);
      memcpy (other.in, alone.in, sizeof other.in);
      run_both (check, &alone, &other, k == 0);
    }
  candela_check_call_clear (&alone);
  for (guint i = 0; i < check->n_inputs; i++)
    g_free (memory[i]);
}
