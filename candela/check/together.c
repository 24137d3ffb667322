/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Two calls of an op at the same time, on two threads: one stands still in the middle of an
 * array, once of an output and once of an input, until the other is done. What they share
 * but should not (a static buffer, say) is another's then, every time. But a loop may be
 * done with what it shares before it comes to the next element, as it is where it calls a
 * function for each; so two of them run as fast as they can for a while, too, which
 * shows it almost every time. */
#include <candela/check/check-private.h>
#include <string.h>
#include <time.h>

#define RACE_ELEMENTS 256
/* Of a thread's own time, however many others there are for its processor, … */
#define RACE_US 10000
/* … and of anybody's at the most. */
#define RACE_LIMIT_US (50 * RACE_US)
/* Of how many cases at the most. */
#define RACES 4

/* ---- At a time of our choosing ---- */

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

/* ---- At any time ---- */

typedef struct
{
  const CandelaCheck *check;
  gint *n_ready, *n_done;
  guint8 *in[CANDELA_CHECK_MAX_INPUTS], *expected[CANDELA_MAX_OUTPUTS], *got[CANDELA_MAX_OUTPUTS];
} Racer;

static void
call_loop (const Racer *racer, guint8 *const *results)
{
  const CandelaCheck *check = racer->check;
  gconstpointer in[CANDELA_CHECK_MAX_INPUTS];
  gpointer out[CANDELA_MAX_OUTPUTS];

  for (guint i = 0; i < check->n_inputs; i++)
    in[i] = racer->in[i];
  for (guint o = 0; o < check->facts->n_outputs; o++)
    out[o] = results[o];
  check->inference.kernel->loop (out, in, RACE_ELEMENTS, check->params);
}

/* The elements of the case again and again, from that one on. */
static void
racer_init (Racer *racer, const CandelaCheck *check, gsize first, gint *n_ready, gint *n_done)
{
  const CandelaKernelInfo *row = check->inference.kernel;
  gsize n = (gsize) check->inference.out_layouts[0]->n_elements;

  *racer = (Racer){ .check = check, .n_ready = n_ready, .n_done = n_done };
  for (guint i = 0; i < check->n_inputs; i++)
    {
      gsize size = candela_dtype_get_size (row->in[i]);

      racer->in[i] = g_malloc (RACE_ELEMENTS * size);
      for (gsize k = 0; k < RACE_ELEMENTS; k++)
        memcpy (racer->in[i] + k * size, check->loop_inputs[i] + (first + k) % n * size, size);
    }
  for (guint o = 0; o < check->facts->n_outputs; o++)
    {
      gsize bytes = RACE_ELEMENTS * candela_dtype_get_size (row->out[o]);

      racer->expected[o] = g_malloc (bytes);
      racer->got[o] = g_malloc (bytes);
    }
  call_loop (racer, racer->expected);
}

static void
racer_clear (Racer *racer)
{
  for (guint i = 0; i < racer->check->n_inputs; i++)
    g_free (racer->in[i]);
  for (guint o = 0; o < racer->check->facts->n_outputs; o++)
    {
      g_free (racer->expected[o]);
      g_free (racer->got[o]);
    }
}

static void
compare_race (const Racer *racer)
{
  const CandelaCheck *check = racer->check;

  for (guint o = 0; o < check->facts->n_outputs; o++)
    {
      CandelaDType dtype = check->inference.kernel->out[o];
      gsize size = candela_dtype_get_size (dtype);

      for (gsize k = 0; k < RACE_ELEMENTS; k++)
        {
          g_autoptr (GString) wanted = NULL, found = NULL;

          if (candela_check_same_element (dtype, racer->expected[o] + k * size, racer->got[o] + k * size))
            continue;
          wanted = g_string_new (NULL);
          found = g_string_new (NULL);
          candela_check_append_element (wanted, dtype, racer->expected[o] + k * size);
          candela_check_append_element (found, dtype, racer->got[o] + k * size);
          candela_check_fail (check, CANDELA_CHECK_THREADS, "%s: expected %s, got %s",
                              candela_check_output_name (check->facts, o), wanted->str, found->str);
        }
    }
}

static gint64
get_own_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
}

/* Until both have had their time. */
static gpointer
race (gpointer data)
{
  Racer *racer = data;
  gint64 end, limit;
  gboolean done = FALSE;

  g_atomic_int_inc (racer->n_ready);
  while (g_atomic_int_get (racer->n_ready) < 2)
    g_thread_yield ();
  end = get_own_time () + RACE_US;
  limit = g_get_monotonic_time () + RACE_LIMIT_US;
  do
    {
      call_loop (racer, racer->got);
      compare_race (racer);
      if (!done && get_own_time () >= end)
        {
          done = TRUE;
          g_atomic_int_inc (racer->n_done);
        }
    }
  while (g_atomic_int_get (racer->n_done) < 2 && g_get_monotonic_time () < limit);
  return NULL;
}

static void
run_race (CandelaCheck *check)
{
  gint n_ready = 0, n_done = 0;
  Racer racers[2];
  GThread *threads[2];

  if (!check->elementwise || check->inference.out_layouts[0]->n_elements < 2 || check->shared->index >= RACES)
    return;
  candela_check_begin (check, CANDELA_CHECK_THREADS, "on two threads at the same time");
  for (guint k = 0; k < 2; k++)
    racer_init (&racers[k], check, k, &n_ready, &n_done);
  for (guint k = 0; k < 2; k++)
    threads[k] = g_thread_new ("race", race, &racers[k]);
  for (guint k = 0; k < 2; k++)
    g_thread_join (threads[k]);
  for (guint k = 0; k < 2; k++)
    racer_clear (&racers[k]);
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
  run_race (check);
}
