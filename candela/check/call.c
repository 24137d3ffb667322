/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One call of an op's function, in a given way: where its operands lie, what lies over
 * what, in how many parts. Inputs are in pages that cannot be written to, unless the result
 * is to be written over them. */
#include <candela/check/check-private.h>
#include <string.h>

#define POISON 0xa5
#define OTHER_POISON 0x5a

static void
init_loop (CandelaCheckCall *call)
{
  const CandelaKernelInfo *row = call->check->inference.kernel;

  call->n = (gsize) call->check->inference.out_layouts[0]->n_elements;
  for (guint i = 0; i < call->n_inputs; i++)
    call->in[i] = (CandelaCheckOperand){ .data = call->check->loop_inputs[i],
                                         .bytes = call->n * candela_dtype_get_size (row->in[i]),
                                         .dtype = row->in[i] };
  for (guint o = 0; o < call->check->facts->n_outputs; o++)
    {
      call->out[o].dtype = row->out[o];
      call->out[o].bytes = call->n * candela_dtype_get_size (row->out[o]);
      call->computed[o] = TRUE;
    }
}

static void
init_kernel (CandelaCheckCall *call)
{
  const CandelaCheck *check = call->check;
  const CandelaInference *inference = &check->inference;

  for (guint i = 0; i < call->n_inputs; i++)
    call->in[i] =
      (CandelaCheckOperand){ .data = check->values[i],
                             .bytes = (gsize) check->packed[i]->n_elements * candela_dtype_get_size (check->dtypes[i]),
                             .dtype = check->dtypes[i],
                             .layout = check->packed[i] };
  for (guint o = 0; o < check->facts->n_outputs; o++)
    {
      call->out[o] = (CandelaCheckOperand){ .bytes = (gsize) inference->out_layouts[o]->n_elements
                                                     * candela_dtype_get_size (inference->out_dtypes[o]),
                                            .dtype = inference->out_dtypes[o],
                                            .layout = inference->out_layouts[o] };
      call->computed[o] =
        inference->aliasing[o] == CANDELA_ALIASING_NONE || inference->aliasing[o] == CANDELA_ALIASING_TAKEOVER;
    }
}

void
candela_check_call_init (CandelaCheckCall *call, CandelaCheck *check)
{
  memset (call, 0, sizeof *call);
  call->check = check;
  call->n_inputs = check->n_inputs;
  if (check->elementwise)
    init_loop (call);
  else
    init_kernel (call);
}

/* ---- Memory ---- */

void
candela_check_call_prepare (CandelaCheckCall *call)
{
  for (guint i = 0; i < call->n_inputs; i++)
    {
      const CandelaCheckOperand *in = &call->in[i];
      gsize shift = call->shifted ? candela_dtype_get_size (in->dtype) : 0;

      candela_check_memory_init (&call->inputs[i], in->dtype, in->bytes, call->placement, shift, FALSE,
                                 call->check->names[i]);
      if (in->bytes > 0)
        memcpy (call->inputs[i].data, in->data, in->bytes);
      if (call->over[1] != i + 1)
        candela_check_memory_protect (&call->inputs[i]);
    }
  for (guint o = 0; o < call->check->facts->n_outputs; o++)
    {
      const CandelaCheckOperand *out = &call->out[o];
      gsize shift = call->shifted ? candela_dtype_get_size (out->dtype) : 0;

      candela_check_memory_init (&call->outputs[o], out->dtype, call->computed[o] ? out->bytes : 0, call->placement,
                                 shift, TRUE, candela_check_output_name (call->check->facts, o));
      call->results[o] = !call->computed[o]       ? NULL
                         : call->over[0] == o + 1 ? call->inputs[call->over[1] - 1].data
                                                  : call->outputs[o].data;
      if (call->computed[o] && call->over[0] != o + 1)
        memset (call->outputs[o].data, call->other ? OTHER_POISON : POISON, out->bytes);
    }
}

static const guint8 *
input_data (const CandelaCheckCall *call, guint i)
{
  if (call->same_as == i + 1)
    i = call->same;
  return call->inputs[i].data;
}

/* ---- Loops ---- */

static void
run_part (CandelaCheckCall *call, gsize first, gsize end)
{
  gconstpointer in[CANDELA_CHECK_MAX_INPUTS];
  gpointer out[CANDELA_MAX_OUTPUTS];

  if (first >= end)
    return;
  for (guint i = 0; i < call->n_inputs; i++)
    in[i] = input_data (call, i) + first * candela_dtype_get_size (call->in[i].dtype);
  for (guint o = 0; o < call->check->facts->n_outputs; o++)
    out[o] = call->results[o] + first * candela_dtype_get_size (call->out[o].dtype);
  call->check->inference.kernel->loop (out, in, end - first, call->check->params);
}

static void
run_loop (CandelaCheckCall *call)
{
  gsize bounds[G_N_ELEMENTS (call->splits) + 2] = { 0 };
  guint n = 1;

  for (guint k = 0; k < G_N_ELEMENTS (call->splits) && call->splits[k] != 0; k++)
    bounds[n++] = call->splits[k];
  bounds[n] = call->n;
  for (guint k = 0; k < n; k++)
    {
      guint part = call->last_first ? n - 1 - k : k;

      run_part (call, bounds[part], bounds[part + 1]);
    }
  call->ok = TRUE;
}

/* ---- Kernels ---- */

static void
feed (gpointer data, gint64 start, gsize n, gpointer out)
{
  const CandelaCheckCall *call = data;
  gsize size = candela_dtype_get_size (call->in[0].dtype);

  memcpy (out, call->in[0].data + (gsize) start * size, n * size);
}

static void
note_done (gpointer data, guint64 start, guint64 n)
{
  CandelaCheckCall *call = data;
  gsize size = candela_dtype_get_size (call->out[0].dtype);

  if (start + n > (guint64) call->out[0].layout->n_elements)
    candela_check_fail (call->check, CANDELA_CHECK_DONE,
                        "it says that %" G_GUINT64_FORMAT " elements from %" G_GUINT64_FORMAT
                        " on are done; the output has %" G_GINT64_FORMAT,
                        n, start, call->out[0].layout->n_elements);
  memcpy (call->done[0] + start * size, call->results[0] + start * size, n * size);
  memset (call->is_done + start, 1, n);
}

static void
run_kernel (CandelaCheckCall *call)
{
  const CandelaCheck *check = call->check;
  gconstpointer in[CANDELA_CHECK_MAX_INPUTS];
  const CandelaLayout *in_layouts[CANDELA_CHECK_MAX_INPUTS];
  CandelaDType in_dtypes[CANDELA_CHECK_MAX_INPUTS], out_dtypes[CANDELA_MAX_OUTPUTS];
  gpointer out[CANDELA_MAX_OUTPUTS];
  CandelaLayout *out_layouts[CANDELA_MAX_OUTPUTS];
  CandelaKernel kernel = { .op = check->op,
                           .info = check->inference.kernel,
                           .params = check->params,
                           .n_inputs = call->n_inputs,
                           .n_outputs = check->facts->n_outputs,
                           .inputs = in,
                           .in_layouts = in_layouts,
                           .in_dtypes = in_dtypes,
                           .outputs = out,
                           .out_layouts = out_layouts,
                           .out_dtypes = out_dtypes,
                           .parallel_for = call->parallel_for };

  for (guint i = 0; i < call->n_inputs; i++)
    {
      in[i] = input_data (call, i);
      in_layouts[i] = call->in[i].layout;
      in_dtypes[i] = call->in[i].dtype;
    }
  for (guint o = 0; o < check->facts->n_outputs; o++)
    {
      out[o] = call->results[o];
      out_layouts[o] = (CandelaLayout *) call->out[o].layout;
      out_dtypes[o] = call->out[o].dtype;
    }
  if (call->fed)
    {
      in[0] = NULL;
      kernel.feed = feed;
      kernel.feed_data = call;
    }
  if (call->watch_done)
    {
      call->done[0] = g_malloc (call->out[0].bytes + 1);
      call->is_done = g_malloc0 ((gsize) call->out[0].layout->n_elements + 1);
      kernel.output_done = note_done;
      kernel.output_done_data = call;
    }
  call->ok = candela_run_compute (&kernel, &call->error);
}

void
candela_check_call_go (CandelaCheckCall *call)
{
  if (call->check->elementwise)
    run_loop (call);
  else
    run_kernel (call);
}

void
candela_check_call_run (CandelaCheckCall *call)
{
  candela_check_call_prepare (call);
  candela_check_call_go (call);
}

/* ---- Afterwards ---- */

static void
verify (const CandelaCheckCall *call, const CandelaCheckMemory *memory)
{
  gssize at;

  if (!candela_check_memory_find_stray (memory, &at))
    return;
  if (at < 0)
    candela_check_fail (call->check, CANDELA_CHECK_BOUNDS, "it wrote before the beginning of %s %s, %zu bytes off",
                        memory->output ? "output" : "input", memory->name, (gsize) -at);
  candela_check_fail (call->check, CANDELA_CHECK_BOUNDS,
                      "it wrote behind the end of %s %s, which has %zu bytes, at byte %zu",
                      memory->output ? "output" : "input", memory->name, memory->size, (gsize) at);
}

void
candela_check_call_verify (CandelaCheckCall *call)
{
  for (guint i = 0; i < call->n_inputs; i++)
    verify (call, &call->inputs[i]);
  for (guint o = 0; o < call->check->facts->n_outputs; o++)
    verify (call, &call->outputs[o]);
}

guint8 *
candela_check_call_take (const CandelaCheckCall *call, guint output)
{
  guint8 *copy = g_malloc (call->out[output].bytes + 1);

  memcpy (copy, call->results[output], call->out[output].bytes);
  return copy;
}

void
candela_check_call_clear (CandelaCheckCall *call)
{
  for (guint i = 0; i < call->n_inputs; i++)
    candela_check_memory_clear (&call->inputs[i]);
  for (guint o = 0; o < call->check->facts->n_outputs; o++)
    candela_check_memory_clear (&call->outputs[o]);
  g_clear_pointer (&call->done[0], g_free);
  g_clear_pointer (&call->is_done, g_free);
  g_clear_error (&call->error);
}

void
candela_check_call_compare (CandelaCheckCall *call, CandelaCheckFact fact, const char *what)
{
  const CandelaCheck *check = call->check;

  candela_check_begin (check, fact, "%s", what);
  candela_check_call_run (call);
  if (!call->ok)
    candela_check_fail (check, fact, "it fails: %s", call->error->message);
  candela_check_call_verify (call);
  for (guint o = 0; o < check->facts->n_outputs; o++)
    if (call->computed[o])
      candela_check_compare (check, fact, o, check->inference.out_layouts[o], call->out[o].dtype, check->expected[o],
                             call->results[o], check->inference.out_layouts[o]->n_elements);
  candela_check_call_clear (call);
}
