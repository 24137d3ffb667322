/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps that run together: a block of rows goes through all of them before the
 * next one. A row is what lies under one index of the first axes; those of packed
 * values are one after the other, so that a block of any value is a range of its
 * elements. What only the group's steps read lies in scratch memory, sized for one
 * block, and is addressed as if all of it were there.
 *
 * Element-wise steps go over their range in tiles, as they do alone. Reductions are
 * given the block as a whole value of fewer rows; their results do not depend on
 * the other rows, so neither the size of the blocks nor the number of threads is to
 * be seen in them. */
#include <candela/exec/tile-private.h>
#include <candela/value/debug-private.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* What a block reads, writes and holds is a quarter of the second-level cache, as far
 * as that is known, within these bytes; less if there would be few blocks to share out. */
#define MIN_BLOCK_BYTES (128 * 1024)
#define MAX_BLOCK_BYTES (512 * 1024)
#define ENOUGH_BLOCKS 8
/* Bytes below which no thread is woken. */
#define PARALLEL_BYTES (512 * 1024)

typedef struct
{
  const CandelaPlanStep *step;
  CandelaPass pass;         /* of an element-wise step */
  CandelaPassInput *inputs; /* its inputs */
  guint64 row_elements;     /* of its outputs */
  gint64 row_stride;        /* of a reduction's input, in elements */
  CandelaLayout *in;        /* of a reduction: the layouts for a block */
  CandelaLayout *out[CANDELA_MAX_OUTPUTS];
} Member;

typedef struct
{
  CandelaRun *run;
  const CandelaPlanGroup *group;
  Member *members;
  gsize row_bytes;     /* that a row reads, writes and holds */
  gint64 block;        /* rows */
  gsize *local_at;     /* of each local, in the scratch memory */
  gsize scratch_bytes; /* locals, then tiles */
  gsize tiles_at;
  GThread *caller;
  pthread_mutex_t lock;
  GError *error; /* the first, under the lock */
  gint failed;   /* atomic */
  guint64 done;  /* elements written and not yet told of (atomic) */
  guint64 row_results;
} Rows;

static gboolean
is_local (const CandelaPlan *plan, guint32 v)
{
  return plan->values[v].storage == CANDELA_STORAGE_LOCAL;
}

/* Where a value's row 0 is, or would be if all rows of a local were there. */
static gsize
find_address (const Rows *rows, guint32 v, const guint8 *scratch, gint64 first_row)
{
  const CandelaPlan *plan = rows->run->plan;

  if (!is_local (plan, v))
    return (gsize) candela_run_get_data (rows->run, v);
  return (gsize) scratch + rows->local_at[plan->values[v].source]
         - (gsize) first_row * plan->local_bytes[rows->group->first_local + plan->values[v].source];
}

/* ---- One block ---- */

static void
run_elementwise (const Rows *rows, const Member *member, guint8 *scratch, gint64 first, gint64 end)
{
  const CandelaPlan *plan = rows->run->plan;
  const CandelaPlanStep *step = member->step;
  CandelaPass pass = member->pass;
  CandelaPassInput few[16];
  g_autofree CandelaPassInput *many =
    step->n_inputs > G_N_ELEMENTS (few) ? g_new (CandelaPassInput, step->n_inputs) : NULL;

  pass.inputs = many != NULL ? many : few;
  memcpy (pass.inputs, member->inputs, step->n_inputs * sizeof *pass.inputs);
  for (guint32 i = 0; i < step->n_inputs; i++)
    if (is_local (plan, plan->inputs[step->first_input + i]))
      pass.inputs[i].data = (const guint8 *) (find_address (rows, plan->inputs[step->first_input + i], scratch, first)
                                              + (gsize) member->inputs[i].data);
  for (guint32 o = 0; o < step->n_outputs; o++)
    if (is_local (plan, plan->outputs[step->first_output + o].value))
      pass.outputs[o] = (guint8 *) find_address (rows, plan->outputs[step->first_output + o].value, scratch, first);
  candela_pass_run (&pass, first * member->row_elements, end * member->row_elements, scratch + rows->tiles_at);
}

/* The layout for fewer rows than the last block but one. */
static CandelaLayout *
shorten (const Rows *rows, const CandelaLayout *block, gint64 n_rows, GError **error)
{
  return candela_layout_slice (block, rows->group->n_axes - 1, 0, n_rows, 1, error);
}

static gboolean
run_reduction (const Rows *rows, const Member *member, guint8 *scratch, gint64 first, gint64 end, GError **error)
{
  const CandelaPlan *plan = rows->run->plan;
  const CandelaPlanStep *step = member->step;
  const CandelaNode *node = plan->parts[step->first_part].node;
  guint32 v = plan->inputs[step->first_input];
  CandelaDType dtype = plan->values[v].dtype, out_dtypes[CANDELA_MAX_OUTPUTS];
  gssize in_at = plan->values[v].layout->offset + first * member->row_stride;
  gconstpointer in = (gconstpointer) (find_address (rows, v, scratch, first)
                                      + (gsize) (in_at * (gssize) candela_dtype_get_size (dtype)));
  gpointer out[CANDELA_MAX_OUTPUTS];
  const CandelaLayout *in_layout = member->in;
  CandelaLayout *out_layouts[CANDELA_MAX_OUTPUTS];
  gboolean whole = end - first == rows->block, ok = TRUE;
  gint64 began;

  memcpy (out_layouts, member->out, sizeof out_layouts);
  if (!whole)
    {
      in_layout = shorten (rows, member->in, end - first, error);
      ok = in_layout != NULL;
    }
  for (guint o = 0; o < node->n_outputs; o++)
    {
      guint32 output = plan->outputs[step->first_output + o].value;

      out_dtypes[o] = plan->values[output].dtype;
      out[o] = (gpointer) (find_address (rows, output, scratch, first)
                           + (gsize) (first * (plan->values[output].layout->n_elements / rows->group->n_rows))
                               * candela_dtype_get_size (out_dtypes[o]));
      if (whole)
        continue;
      out_layouts[o] = ok ? shorten (rows, member->out[o], end - first, error) : NULL;
      ok = out_layouts[o] != NULL;
    }
  if (ok)
    {
      CandelaKernel kernel = { .op = node->u.op.op,
                               .info = node->u.op.kernel,
                               .params = node->u.op.params,
                               .n_inputs = 1,
                               .n_outputs = node->n_outputs,
                               .inputs = &in,
                               .in_layouts = &in_layout,
                               .in_dtypes = &dtype,
                               .outputs = out,
                               .out_layouts = out_layouts,
                               .out_dtypes = out_dtypes,
                               .cancellable = rows->run->cancellable };

      began = candela_run_begin_parts (rows->run);
      ok = candela_run_compute (&kernel, error);
      candela_run_end_parts (rows->run, step->first_part, 1, began);
    }
  if (!whole)
    {
      if (in_layout != NULL)
        candela_layout_unref ((CandelaLayout *) in_layout);
      for (guint o = 0; o < node->n_outputs; o++)
        if (out_layouts[o] != NULL)
          candela_layout_unref (out_layouts[o]);
    }
  return ok;
}

static gboolean
run_members (const Rows *rows, gint64 first, gint64 end, GError **error)
{
  g_autoptr (CandelaBuffer) scratch = candela_buffer_new (rows->scratch_bytes, error);

  if (scratch == NULL)
    return FALSE;
  if ((candela_debug_flags () & CANDELA_DEBUG_POISON) != 0)
    memset (scratch->data, 0xff, rows->scratch_bytes);
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    {
      const Member *member = &rows->members[k];

      if (member->step->kind == CANDELA_STEP_FUSED)
        run_elementwise (rows, member, scratch->data, first, end);
      else if (!run_reduction (rows, member, scratch->data, first, end, error))
        return FALSE;
      if (g_cancellable_set_error_if_cancelled (rows->run->cancellable, error))
        return FALSE;
    }
  return TRUE;
}

static void
run_block (guint64 block, gpointer data)
{
  Rows *rows = data;
  gint64 first = (gint64) block * rows->block;
  gint64 end = MIN (first + rows->block, rows->group->n_rows);
  GError *error = NULL;

  if (g_atomic_int_get (&rows->failed))
    return;
  if (!run_members (rows, first, end, &error))
    {
      g_atomic_int_set (&rows->failed, TRUE);
      pthread_mutex_lock (&rows->lock);
      if (rows->error == NULL)
        rows->error = g_steal_pointer (&error);
      pthread_mutex_unlock (&rows->lock);
      g_clear_error (&error);
      return;
    }
  g_atomic_pointer_add (&rows->done, (gssize) ((guint64) (end - first) * rows->row_results));
  if (g_thread_self () == rows->caller)
    {
      gsize done = g_atomic_pointer_add (&rows->done, 0);

      g_atomic_pointer_add (&rows->done, -(gssize) done);
      candela_run_advance (rows->run, done);
    }
}

/* ---- Getting ready ---- */

/* A whole value's layout as that of a block: the row axes are one, the others stay,
 * and so does their number, which parameters refer to. */
static CandelaLayout *
make_block_layout (const Rows *rows, const CandelaLayout *whole, gint64 row_stride, GError **error)
{
  CandelaLayout *layout = candela_layout_alloc (whole->rank);

  for (guint axis = 0; axis < whole->rank; axis++)
    {
      layout->dims[axis] = axis < rows->group->n_axes ? 1 : whole->dims[axis];
      layout->strides[axis] = axis < rows->group->n_axes ? row_stride : whole->strides[axis];
    }
  layout->dims[rows->group->n_axes - 1] = rows->block;
  layout->offset = 0;
  return candela_layout_complete (layout, error);
}

/* A result that later members read is wanted in the cache. */
static gboolean
is_read_again (const Rows *rows, guint32 after, guint32 v)
{
  const CandelaPlan *plan = rows->run->plan;

  for (guint32 k = after + 1; k < rows->group->n_subs; k++)
    for (guint32 i = 0; i < rows->members[k].step->n_inputs; i++)
      if (plan->inputs[rows->members[k].step->first_input + i] == v)
        return TRUE;
  return FALSE;
}

static gboolean
prepare_elementwise (Rows *rows, guint32 k, GError **error)
{
  const CandelaPlan *plan = rows->run->plan;
  Member *member = &rows->members[k];
  CandelaPassRows pass_rows = { .n_axes = rows->group->n_axes, .n_rows = rows->group->n_rows };

  for (guint32 o = 0; o < member->step->n_outputs; o++)
    if (is_read_again (rows, k, plan->outputs[member->step->first_output + o].value))
      pass_rows.read_again |= 1u << o;
  member->inputs = g_new (CandelaPassInput, MAX (member->step->n_inputs, 1));
  if (!candela_pass_init (&member->pass, rows->run, member->step, member->inputs, &pass_rows, error))
    return FALSE;
  member->row_elements = member->pass.n / rows->group->n_rows;
  rows->scratch_bytes = MAX (rows->scratch_bytes, member->pass.scratch_bytes);
  return TRUE;
}

static gboolean
prepare_reduction (Rows *rows, Member *member, GError **error)
{
  const CandelaPlan *plan = rows->run->plan;
  const CandelaLayout *in = plan->values[plan->inputs[member->step->first_input]].layout;

  candela_layout_find_row_stride (in, rows->group->n_axes, &member->row_stride);
  member->in = make_block_layout (rows, in, member->row_stride, error);
  if (member->in == NULL)
    return FALSE;
  for (guint32 o = 0; o < member->step->n_outputs; o++)
    {
      const CandelaLayout *out = plan->values[plan->outputs[member->step->first_output + o].value].layout;

      member->out[o] = make_block_layout (rows, out, out->n_elements / rows->group->n_rows, error);
      if (member->out[o] == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
weigh_rows (Rows *rows, const CandelaPlanStep *step)
{
  const CandelaPlan *plan = rows->run->plan;

  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      const CandelaPlanValue *value = &plan->values[plan->inputs[step->first_input + i]];

      rows->row_bytes +=
        (gsize) (value->layout->n_elements / rows->group->n_rows) * candela_dtype_get_size (value->dtype);
    }
  for (guint32 o = 0; o < step->n_outputs; o++)
    {
      const CandelaPlanValue *value = &plan->values[plan->outputs[step->first_output + o].value];

      rows->row_bytes +=
        (gsize) (value->layout->n_elements / rows->group->n_rows) * candela_dtype_get_size (value->dtype);
    }
  for (guint32 l = 0; l < rows->group->n_locals; l++)
    rows->row_bytes += plan->local_bytes[rows->group->first_local + l];
}

static gint64
choose_block (const Rows *rows)
{
  gsize row = MAX (rows->row_bytes, 1);
  gsize bytes = CLAMP (sysconf (_SC_LEVEL2_CACHE_SIZE) / 4, MIN_BLOCK_BYTES, MAX_BLOCK_BYTES);

  if (row * (guint64) rows->group->n_rows >= PARALLEL_BYTES)
    bytes = CLAMP (row * (guint64) rows->group->n_rows / ENOUGH_BLOCKS, MIN_BLOCK_BYTES, bytes);
  return CLAMP ((gint64) (bytes / row), 1, rows->group->n_rows);
}

static gboolean
prepare (Rows *rows, const CandelaPlanStep *step, GError **error)
{
  const CandelaPlan *plan = rows->run->plan;
  gsize at = 0;

  weigh_rows (rows, step);
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    {
      const CandelaPlanStep *sub = &plan->subs[rows->group->first_sub + k];

      for (guint32 o = 0; o < sub->n_outputs; o++)
        rows->row_results +=
          plan->values[plan->outputs[sub->first_output + o].value].layout->n_elements / rows->group->n_rows;
    }
  rows->block = choose_block (rows);
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    rows->members[k].step = &plan->subs[rows->group->first_sub + k];
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    if (rows->members[k].step->kind == CANDELA_STEP_FUSED ? !prepare_elementwise (rows, k, error)
                                                          : !prepare_reduction (rows, &rows->members[k], error))
      return FALSE;
  for (guint32 l = 0; l < rows->group->n_locals; l++)
    {
      rows->local_at[l] = at;
      at += (plan->local_bytes[rows->group->first_local + l] * (gsize) rows->block + CANDELA_ALIGNMENT - 1)
            & ~(gsize) (CANDELA_ALIGNMENT - 1);
    }
  rows->tiles_at = at;
  rows->scratch_bytes += at;
  return TRUE;
}

static void
clear (Rows *rows)
{
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    {
      Member *member = &rows->members[k];

      if (member->inputs != NULL)
        candela_pass_clear (&member->pass);
      g_free (member->inputs);
      g_clear_pointer (&member->in, candela_layout_unref);
      for (guint o = 0; o < CANDELA_MAX_OUTPUTS; o++)
        g_clear_pointer (&member->out[o], candela_layout_unref);
    }
  pthread_mutex_destroy (&rows->lock);
}

gboolean
candela_run_rows (CandelaRun *run, const CandelaPlanStep *step, GError **error)
{
  const CandelaPlanGroup *group = &run->plan->groups[step->group];
  g_autofree Member *members = g_new0 (Member, group->n_subs);
  g_autofree gsize *local_at = g_new (gsize, MAX (group->n_locals, 1));
  Rows rows = { .run = run, .group = group, .members = members, .local_at = local_at, .caller = g_thread_self () };
  guint64 n_blocks;
  gboolean ok;

  pthread_mutex_init (&rows.lock, NULL);
  ok = prepare (&rows, step, error);
  if (ok)
    {
      n_blocks = ((guint64) group->n_rows + rows.block - 1) / rows.block;
      if (rows.row_bytes * (guint64) group->n_rows < PARALLEL_BYTES)
        for (guint64 block = 0; block < n_blocks; block++)
          run_block (block, &rows);
      else
        candela_parallel_for (n_blocks, run_block, &rows);
      ok = rows.error == NULL;
      if (!ok)
        g_propagate_error (error, g_steal_pointer (&rows.error));
    }
  clear (&rows);
  return ok;
}
