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
  check_call_go (data);
}

/* The same operands, but that each begins with what was its second element. */
static void
rotate (CheckCall *call, guint8 **memory)
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
compare_other (CheckCall *alone, CheckCall *other)
{
  const Check *check = other->check;

  if (!alone->ok || !other->ok)
    return;
  for (guint o = 0; o < check->facts->n_outputs; o++)
    if (other->computed[o])
      check_compare (check, CHECK_THREADS, o, check->inference.out_layouts[o], other->out[o].dtype, alone->results[o],
                     other->results[o], check->inference.out_layouts[o]->n_elements);
}

static void
run_both (Check *check, CheckCall *alone, CheckCall *other, gboolean at_output)
{
  CheckCall call;
  CheckMemory *memory;

  check_call_init (&call, check);
  call.placement = CHECK_ACROSS;
  check_call_prepare (&call);
  memory = at_output ? &call.outputs[0] : &call.inputs[0];
  other->other = TRUE;
  check_call_prepare (other);
  check_begin (check, CHECK_THREADS, "with another call that runs while this one is half through %s", memory->name);
  if (check_memory_stop_at (memory, go, other))
    {
      check_call_go (&call);
      check_memory_end_stop ();
      if (!call.ok)
        check_fail (check, CHECK_THREADS, "it fails: %s", call.error->message);
      for (guint o = 0; o < check->facts->n_outputs; o++)
        if (call.computed[o])
          check_compare (check, CHECK_THREADS, o, check->inference.out_layouts[o], call.out[o].dtype,
                         check->expected[o], call.results[o], check->inference.out_layouts[o]->n_elements);
      compare_other (alone, other);
    }
  check_call_clear (other);
  check_call_clear (&call);
}

void
check_together (Check *check)
{
  guint8 *memory[CHECK_MAX_INPUTS] = { NULL };
  CheckCall alone;

  if (check->facts->info->threads != CANDELA_THREADS_ANY)
    return;
  check_call_init (&alone, check);
  rotate (&alone, memory);
  check_begin (check, CHECK_THREADS, "on other values");
  check_call_run (&alone);
  for (guint k = 0; k < 2; k++)
    {
      CheckCall other;

      if (k == 0 ? !alone.computed[0] : alone.n_inputs == 0)
        continue;
      check_call_init (&other, check);
      memcpy (other.in, alone.in, sizeof other.in);
      run_both (check, &alone, &other, k == 0);
    }
  check_call_clear (&alone);
  for (guint i = 0; i < check->n_inputs; i++)
    g_free (memory[i]);
}
