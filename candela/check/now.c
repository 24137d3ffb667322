/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An op that says the shapes of its outputs while it runs: what it asks for lies between
 * guard pages too, poisoned in one way and then in another. */
#include <candela/check/check-private.h>
#include <string.h>

/* The buffers of one run, as the kernel asks for them. */
static CandelaCheckMemory given[CANDELA_MAX_OUTPUTS];
static guint n_given;
static guint8 poison;
static CandelaCheckPlacement placement;

static CandelaBuffer *
give_buffer (gsize size, GError **error)
{
  CandelaCheckMemory *memory;

  if (n_given == G_N_ELEMENTS (given) || size > G_MAXINT32)
    return candela_buffer_new (size, error);
  memory = &given[n_given++];
  candela_check_memory_init (memory, CANDELA_DTYPE_UINT8, size, placement, 0, TRUE, "out");
  memset (memory->data, poison, size);
  return candela_buffer_new_foreign (memory->data, size, FALSE, NULL, NULL);
}

/* The results, in made; FALSE: the kernel fails. */
static gboolean
run (CandelaCheckCall *call, CandelaTensor **made)
{
  const CandelaCheck *check = call->check;
  gconstpointer in[CANDELA_CHECK_MAX_INPUTS];
  const CandelaLayout *in_layouts[CANDELA_CHECK_MAX_INPUTS];
  gpointer out[CANDELA_MAX_OUTPUTS] = { NULL };
  CandelaLayout *out_layouts[CANDELA_MAX_OUTPUTS] = { NULL };
  CandelaKernel kernel = { .op = check->op,
                           .info = check->inference.kernel,
                           .params = check->params,
                           .n_inputs = call->n_inputs,
                           .n_outputs = check->facts->n_outputs,
                           .inputs = in,
                           .in_layouts = in_layouts,
                           .in_dtypes = check->dtypes,
                           .outputs = out,
                           .out_layouts = out_layouts,
                           .out_dtypes = check->inference.out_dtypes,
                           .parallel_for = call->parallel_for,
                           .made = made,
                           .inferred = (const CandelaLayout *const *) check->inference.out_layouts,
                           .new_buffer = give_buffer };

  n_given = 0;
  poison = call->other ? 0x5a : 0xa5;
  placement = call->placement;
  for (guint o = 0; o < check->facts->n_outputs; o++)
    call->computed[o] = FALSE;
  candela_check_call_prepare (call);
  for (guint i = 0; i < call->n_inputs; i++)
    {
      in[i] = call->inputs[i].data;
      in_layouts[i] = call->in[i].layout;
    }
  call->ok = candela_run_compute (&kernel, &call->error);
  candela_check_call_verify (call);
  for (guint m = 0; m < n_given; m++)
    {
      gssize at;

      if (candela_check_memory_find_stray (&given[m], &at))
        candela_check_fail (check, CANDELA_CHECK_BOUNDS,
                            "it wrote outside output %s, which has %zu bytes, at byte %" G_GSSIZE_FORMAT,
                            candela_check_output_name (check->facts, m), given[m].size, at);
    }
  return call->ok;
}

static void
finish (CandelaCheckCall *call, CandelaTensor **made)
{
  for (guint o = 0; o < call->check->facts->n_outputs; o++)
    g_clear_object (&made[o]);
  for (guint m = 0; m < n_given; m++)
    candela_check_memory_clear (&given[m]);
  candela_check_call_clear (call);
}

static void
check_made (const CandelaCheck *check, CandelaTensor *const *made)
{
  for (guint o = 0; o < check->facts->n_outputs; o++)
    if (made[o] == NULL)
      candela_check_fail (check, CANDELA_CHECK_SHAPE, "it does not say the shape of %s",
                          candela_check_output_name (check->facts, o));
}

/* Against the results of the first run, which are in memory of their own. */
static void
compare (const CandelaCheck *check, CandelaCheckFact fact, CandelaTensor *const *expected, CandelaTensor *const *made)
{
  check_made (check, made);
  for (guint o = 0; o < check->facts->n_outputs; o++)
    {
      const CandelaLayout *a = candela_tensor_get_layout (expected[o]), *b = candela_tensor_get_layout (made[o]);
      CandelaDType dtype = candela_tensor_get_dtype (made[o]);
      gsize size = candela_dtype_get_size (dtype);
      const guint8 *first = candela_tensor_get_buffer (expected[o])->data;
      const guint8 *second = candela_tensor_get_buffer (made[o])->data;

      if (!candela_layout_same_shape (a, b))
        {
          g_autofree char *shape = candela_shape_to_string (a->dims, a->rank);
          g_autofree char *other = candela_shape_to_string (b->dims, b->rank);

          candela_check_fail (check, fact, "%s: expected shape %s, got %s", candela_check_output_name (check->facts, o),
                              shape, other);
        }
      for (gsize at = 0; at < (gsize) a->n_elements * size; at++)
        if (first[at] == 0xa5 && second[at] == 0x5a)
          candela_check_fail (check, CANDELA_CHECK_SHAPE,
                              "it says that %s has %" G_GINT64_FORMAT " elements, and leaves element %zu unwritten",
                              candela_check_output_name (check->facts, o), a->n_elements, at / size);
      candela_check_compare (check, fact, o, a, dtype, first, second, a->n_elements);
    }
}

static void
use_views (CandelaCheckCall *call)
{
  for (guint i = 0; i < call->n_inputs; i++)
    {
      CandelaBuffer *buffer = candela_tensor_get_buffer (call->check->bases[i]);

      call->in[i].data = buffer->data;
      call->in[i].bytes = buffer->size;
      call->in[i].layout = call->check->views[i];
    }
}

gboolean
candela_check_data_shape (CandelaCheck *check)
{
  static const struct
  {
    CandelaCheckFact fact;
    const char *what;
  } runs[] = {
    { CANDELA_CHECK_DETERMINISM, "the same again" },
    { CANDELA_CHECK_MEMORY, "with arrays that end where a page does" },
    { CANDELA_CHECK_LAYOUT, "with its inputs strided, reversed, broadcast or shifted" },
    { CANDELA_CHECK_THREADS, "with its chunks on 3 threads" },
  };
  CandelaTensor *expected[CANDELA_MAX_OUTPUTS] = { NULL };
  CandelaCheckMemory kept[CANDELA_MAX_OUTPUTS];
  guint n_kept;
  CandelaCheckCall first;
  gboolean ok;

  candela_check_begin (check, CANDELA_CHECK_SHAPE, "a first run");
  candela_check_call_init (&first, check);
  ok = run (&first, expected);
  if (!ok)
    candela_check_error (check, CANDELA_CHECK_SHAPE, first.error);
  else
    check_made (check, expected);
  /* The table of memories has their addresses: they stay where they are. */
  n_kept = n_given;
  memcpy (kept, given, sizeof kept);
  for (guint k = 0; ok && check->exact && k < G_N_ELEMENTS (runs); k++)
    {
      CandelaTensor *made[CANDELA_MAX_OUTPUTS] = { NULL };
      CandelaCheckCall call;

      if (runs[k].fact == CANDELA_CHECK_THREADS && check->facts->info->threads != CANDELA_THREADS_ANY)
        continue;
      candela_check_call_init (&call, check);
      call.other = TRUE;
      call.placement = k > 0 ? CANDELA_CHECK_AT_END : CANDELA_CHECK_AT_START;
      if (runs[k].fact == CANDELA_CHECK_LAYOUT)
        use_views (&call);
      if (runs[k].fact == CANDELA_CHECK_THREADS)
        {
          call.parallel_for = candela_parallel_for;
          candela_set_num_threads (3);
        }
      candela_check_begin (check, runs[k].fact, "%s", runs[k].what);
      if (!run (&call, made))
        candela_check_fail (check, runs[k].fact, "it fails: %s", call.error->message);
      compare (check, runs[k].fact, expected, made);
      finish (&call, made);
      candela_set_num_threads (1);
    }
  memcpy (given, kept, sizeof kept);
  n_given = n_kept;
  finish (&first, expected);
  return ok;
}
