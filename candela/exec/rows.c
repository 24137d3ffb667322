/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Steps that run together: a block of rows, or of columns, goes through all of them
 * before the next one. A row is what lies under one index of the first axes; those of packed
 * values are one after the other, so that a block of any value is a range of its
 * elements. What only the group's steps read lies in scratch memory, sized for one
 * block, and is addressed as if all of it were there.
 *
 * Element-wise steps go over their range in tiles, as they do alone. Reductions are
 * given the block as a whole value of fewer rows; their results do not depend on
 * the other rows, so neither the size of the blocks nor the number of threads is to
 * be seen in them. */
#include <candela/exec/rows-private.h>
#include <candela/value/debug-private.h>
#include <string.h>
#include <unistd.h>

/* What a block of rows reads, writes and holds is a quarter of the second-level cache, as far
 * as that is known, within these bytes; less if there would be few blocks to share out. */
#define MIN_BLOCK_BYTES (128 * 1024)
#define MAX_BLOCK_BYTES (512 * 1024)
#define ENOUGH_BLOCKS 8
/* Bytes below which no thread is woken. */
#define PARALLEL_BYTES (512 * 1024)

/* Where a value's row 0 is, or would be if all rows of a local were there. */
static gsize
find_address (const CandelaRows *rows, guint32 v, const CandelaRowsBlock *block)
{
  const CandelaPlan *plan = rows->run->plan;

  if (!candela_rows_is_local (rows, v))
    return (gsize) candela_run_get_data (rows->run, v);
  return (gsize) block->scratch + rows->local_at[plan->values[v].source]
         - (gsize) block->first * plan->local_bytes[rows->group->first_local + plan->values[v].source];
}

/* ---- One block ---- */

static void
run_elementwise (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block)
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
    if (candela_rows_is_local (rows, plan->inputs[step->first_input + i]))
      pass.inputs[i].data = (const guint8 *) (find_address (rows, plan->inputs[step->first_input + i], block)
                                              + (gsize) member->inputs[i].data);
  for (guint32 o = 0; o < step->n_outputs; o++)
    if (candela_rows_is_local (rows, plan->outputs[step->first_output + o].value))
      pass.outputs[o] = (guint8 *) find_address (rows, plan->outputs[step->first_output + o].value, block);
  candela_pass_run (&pass, block->first * member->row_elements, block->end * member->row_elements,
                    block->scratch + rows->tiles_at);
}

static gconstpointer
find_input (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block)
{
  guint32 v = rows->run->plan->inputs[member->step->first_input];
  const CandelaPlanValue *value = &rows->run->plan->values[v];
  gint64 at = value->layout->offset + block->first * member->row_stride;

  if (rows->group->n_last > 0)
    return candela_columns_find (rows, v, value->layout, block);
  return (gconstpointer) (find_address (rows, v, block)
                          + (gsize) (at * (gint64) candela_dtype_get_size (value->dtype)));
}

static gpointer
find_output (const CandelaRows *rows, guint32 v, const CandelaRowsBlock *block)
{
  const CandelaPlanValue *value = &rows->run->plan->values[v];
  gint64 at = block->first * (value->layout->n_elements / rows->group->n_rows);

  if (rows->group->n_last > 0)
    return candela_columns_find (rows, v, value->layout, block);
  return (gpointer) (find_address (rows, v, block) + (gsize) at * candela_dtype_get_size (value->dtype));
}

/* A whole value's layout as that of a block: the row axes are one, the others stay,
 * and so does their number, which parameters refer to. */
static CandelaLayout *
make_layout (const CandelaRows *rows, guint32 v, const CandelaRowsBlock *block, GError **error)
{
  const CandelaLayout *whole = rows->run->plan->values[v].layout;
  CandelaLayout *layout;
  gint64 stride;

  if (rows->group->n_last > 0)
    return candela_columns_make_layout (rows, v, block, error);
  candela_layout_find_stride (whole, 0, rows->group->n_axes, &stride);
  layout = candela_layout_alloc (whole->rank);
  for (guint axis = 0; axis < whole->rank; axis++)
    {
      layout->dims[axis] = axis < rows->group->n_axes ? 1 : whole->dims[axis];
      layout->strides[axis] = axis < rows->group->n_axes ? stride : whole->strides[axis];
    }
  layout->dims[rows->group->n_axes - 1] = block->end - block->first;
  layout->offset = 0;
  return candela_layout_complete (layout, error);
}

static gboolean
run_reduction (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block, GError **error)
{
  const CandelaPlan *plan = rows->run->plan;
  const CandelaPlanStep *step = member->step;
  const CandelaNode *node = plan->parts[step->first_part].node;
  CandelaDType dtype = plan->values[plan->inputs[step->first_input]].dtype, out_dtypes[CANDELA_MAX_OUTPUTS];
  gconstpointer in = find_input (rows, member, block);
  gpointer out[CANDELA_MAX_OUTPUTS];
  const CandelaLayout *in_layout = member->in;
  CandelaLayout *out_layouts[CANDELA_MAX_OUTPUTS];
  gboolean whole = block->end - block->first == rows->block && block->end_column - block->column == rows->width;
  gboolean ok = TRUE;
  gint64 began;

  memcpy (out_layouts, member->out, sizeof out_layouts);
  if (!whole)
    {
      in_layout = make_layout (rows, plan->inputs[step->first_input], block, error);
      ok = in_layout != NULL;
    }
  for (guint o = 0; o < node->n_outputs; o++)
    {
      guint32 output = plan->outputs[step->first_output + o].value;

      out_dtypes[o] = plan->values[output].dtype;
      out[o] = find_output (rows, output, block);
      if (whole)
        continue;
      out_layouts[o] = ok ? make_layout (rows, output, block, error) : NULL;
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
run_members (const CandelaRows *rows, CandelaRowsBlock *block, GError **error)
{
  g_autoptr (CandelaBuffer) scratch = candela_buffer_new (rows->scratch_bytes, error);

  if (scratch == NULL)
    return FALSE;
  if ((candela_debug_flags () & CANDELA_DEBUG_POISON) != 0)
    memset (scratch->data, 0xff, rows->scratch_bytes);
  block->scratch = scratch->data;
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    {
      const CandelaMember *member = &rows->members[k];

      candela_columns_pack (rows, k, block);
      if (member->step->kind == CANDELA_STEP_KERNEL)
        {
          if (!run_reduction (rows, member, block, error))
            return FALSE;
        }
      else if (rows->group->n_last > 0)
        candela_columns_run (rows, member, block);
      else
        run_elementwise (rows, member, block);
      if (g_cancellable_set_error_if_cancelled (rows->run->cancellable, error))
        return FALSE;
    }
  return TRUE;
}

static gint64
count_blocks (gint64 n, gint64 block)
{
  return (n + block - 1) / block;
}

static void
run_block (guint64 index, gpointer data)
{
  CandelaRows *rows = data;
  guint64 across = (guint64) count_blocks (rows->group->n_columns, rows->width);
  CandelaRowsBlock block = { .first = (gint64) (index / across) * rows->block,
                             .column = (gint64) (index % across) * rows->width };
  GError *error = NULL;

  if (g_atomic_int_get (&rows->failed))
    return;
  block.end = MIN (block.first + rows->block, rows->group->n_rows);
  block.end_column = MIN (block.column + rows->width, rows->group->n_columns);
  if (!run_members (rows, &block, &error))
    {
      g_atomic_int_set (&rows->failed, TRUE);
      pthread_mutex_lock (&rows->lock);
      if (rows->error == NULL)
        rows->error = g_steal_pointer (&error);
      pthread_mutex_unlock (&rows->lock);
      g_clear_error (&error);
      return;
    }
  g_atomic_pointer_add (&rows->done, (gssize) ((guint64) ((block.end - block.first) * (block.end_column - block.column))
                                               * rows->lane_results));
  if (g_thread_self () == rows->caller)
    {
      gsize done = g_atomic_pointer_add (&rows->done, 0);

      g_atomic_pointer_add (&rows->done, -(gssize) done);
      candela_run_advance (rows->run, done);
    }
}

/* ---- Getting ready ---- */

/* A result that later members read is wanted in the cache. */
static gboolean
is_read_again (const CandelaRows *rows, guint32 after, guint32 v)
{
  const CandelaPlan *plan = rows->run->plan;

  for (guint32 k = after + 1; k < rows->group->n_subs; k++)
    for (guint32 i = 0; i < rows->members[k].step->n_inputs; i++)
      if (plan->inputs[rows->members[k].step->first_input + i] == v)
        return TRUE;
  return FALSE;
}

static gboolean
prepare_elementwise (CandelaRows *rows, guint32 k, GError **error)
{
  const CandelaPlan *plan = rows->run->plan;
  CandelaMember *member = &rows->members[k];
  CandelaPassRows pass_rows = { .n_axes = rows->group->n_axes, .n_rows = rows->group->n_rows };

  if (rows->group->n_last > 0)
    {
      pass_rows.n_columns = rows->group->n_columns;
      pass_rows.packs = rows->group->packs;
    }

  for (guint32 o = 0; o < member->step->n_outputs; o++)
    if (is_read_again (rows, k, plan->outputs[member->step->first_output + o].value))
      pass_rows.read_again |= 1u << o;
  member->inputs = g_new (CandelaPassInput, MAX (member->step->n_inputs, 1));
  if (!candela_pass_init (&member->pass, rows->run, member->step, member->inputs, &pass_rows, error))
    return FALSE;
  member->row_elements = member->pass.n / rows->group->n_rows;
  rows->scratch_bytes = MAX (rows->scratch_bytes, member->pass.scratch_bytes);
  return rows->group->n_last == 0 || candela_columns_prepare (rows, member, error);
}

static gboolean
prepare_reduction (CandelaRows *rows, CandelaMember *member, GError **error)
{
  const CandelaPlan *plan = rows->run->plan;
  guint32 v = plan->inputs[member->step->first_input];
  const CandelaLayout *in = plan->values[v].layout;
  const CandelaRowsBlock block = { .end = rows->block, .end_column = rows->width };

  candela_layout_find_stride (in, 0, rows->group->n_axes, &member->row_stride);
  member->in = make_layout (rows, v, &block, error);
  if (member->in == NULL)
    return FALSE;
  for (guint32 o = 0; o < member->step->n_outputs; o++)
    {
      member->out[o] = make_layout (rows, plan->outputs[member->step->first_output + o].value, &block, error);
      if (member->out[o] == NULL)
        return FALSE;
    }
  return TRUE;
}

static gsize
lane_bytes (const CandelaRows *rows, guint32 v)
{
  const CandelaPlanValue *value = &rows->run->plan->values[v];

  return (gsize) (value->layout->n_elements / (rows->group->n_rows * rows->group->n_columns))
         * candela_dtype_get_size (value->dtype);
}

static void
weigh_lanes (CandelaRows *rows, const CandelaPlanStep *step)
{
  const CandelaPlan *plan = rows->run->plan;

  for (guint32 i = 0; i < step->n_inputs; i++)
    rows->lane_bytes += lane_bytes (rows, plan->inputs[step->first_input + i]);
  for (guint32 o = 0; o < step->n_outputs; o++)
    rows->lane_bytes += lane_bytes (rows, plan->outputs[step->first_output + o].value);
  for (guint32 l = 0; l < rows->group->n_locals; l++)
    rows->lane_bytes += plan->local_bytes[rows->group->first_local + l];
}

static gint64
choose_block (const CandelaRows *rows)
{
  gsize row = MAX (rows->lane_bytes, 1);
  gsize bytes = CLAMP (sysconf (_SC_LEVEL2_CACHE_SIZE) / 4, MIN_BLOCK_BYTES, MAX_BLOCK_BYTES);

  if (rows->parallel)
    bytes = CLAMP (row * (guint64) rows->group->n_rows / ENOUGH_BLOCKS, MIN_BLOCK_BYTES, bytes);
  return CLAMP ((gint64) (bytes / row), 1, rows->group->n_rows);
}

static void
place_rows (CandelaRows *rows)
{
  rows->block = choose_block (rows);
  for (guint32 l = 0; l < rows->group->n_locals; l++)
    {
      rows->local_at[l] = rows->chunks_at;
      rows->chunks_at +=
        (rows->run->plan->local_bytes[rows->group->first_local + l] * (gsize) rows->block + CANDELA_ALIGNMENT - 1)
        & ~(gsize) (CANDELA_ALIGNMENT - 1);
    }
}

static gboolean
prepare (CandelaRows *rows, const CandelaPlanStep *step, GError **error)
{
  const CandelaPlan *plan = rows->run->plan;
  gint64 n_lanes = rows->group->n_rows * rows->group->n_columns;

  weigh_lanes (rows, step);
  rows->parallel = rows->lane_bytes * (guint64) n_lanes >= PARALLEL_BYTES;
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    {
      const CandelaPlanStep *sub = &plan->subs[rows->group->first_sub + k];

      for (guint32 o = 0; o < sub->n_outputs; o++)
        rows->lane_results += plan->values[plan->outputs[sub->first_output + o].value].layout->n_elements / n_lanes;
    }
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    rows->members[k].step = &plan->subs[rows->group->first_sub + k];
  rows->block = rows->width = 1;
  if (rows->group->n_last == 0)
    place_rows (rows);
  else if (!candela_columns_place (rows, error))
    return FALSE;
  rows->tiles_at = rows->chunks_at;
  candela_columns_prepare_packed (rows);
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    if (rows->members[k].step->kind == CANDELA_STEP_FUSED ? !prepare_elementwise (rows, k, error)
                                                          : !prepare_reduction (rows, &rows->members[k], error))
      return FALSE;
  rows->scratch_bytes += rows->tiles_at;
  return TRUE;
}

static void
clear (CandelaRows *rows)
{
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    {
      CandelaMember *member = &rows->members[k];

      if (member->inputs != NULL)
        candela_pass_clear (&member->pass);
      candela_columns_clear (member);
      g_free (member->inputs);
      g_clear_pointer (&member->in, candela_layout_unref);
      for (guint o = 0; o < CANDELA_MAX_OUTPUTS; o++)
        g_clear_pointer (&member->out[o], candela_layout_unref);
    }
  candela_columns_clear_packed (rows);
  pthread_mutex_destroy (&rows->lock);
}

gboolean
candela_run_rows (CandelaRun *run, const CandelaPlanStep *step, GError **error)
{
  const CandelaPlanGroup *group = &run->plan->groups[step->group];
  g_autofree CandelaMember *members = g_new0 (CandelaMember, group->n_subs);
  g_autofree gsize *local_at = g_new (gsize, MAX (group->n_locals, 1));
  CandelaRows rows = {
    .run = run, .group = group, .members = members, .local_at = local_at, .caller = g_thread_self ()
  };
  guint64 n_blocks;
  gboolean ok;

  pthread_mutex_init (&rows.lock, NULL);
  ok = prepare (&rows, step, error);
  if (ok)
    {
      n_blocks = (guint64) (count_blocks (group->n_rows, rows.block) * count_blocks (group->n_columns, rows.width));
      if (!rows.parallel)
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
