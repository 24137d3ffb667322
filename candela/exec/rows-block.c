/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The blocks of rows that are one thread's share, one after the other through all steps of the group; or a block of
 * columns. What does not change from block to block is set up with the first. */
#include <candela/exec/rows-private.h>
#include <candela/value/debug-private.h>
#include <string.h>

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

/* A member's pass, for the block: where what is local is, too. */
void
candela_rows_place_operands (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block,
                             CandelaPass *pass, CandelaPassInput *inputs)
{
  const CandelaPlan *plan = rows->run->plan;
  const CandelaPlanStep *step = member->step;

  *pass = member->pass;
  pass->inputs = inputs;
  memcpy (inputs, member->inputs, step->n_inputs * sizeof *inputs);
  for (guint32 i = 0; i < step->n_inputs; i++)
    if (candela_rows_is_local (rows, plan->inputs[step->first_input + i]))
      pass->inputs[i].data = (const guint8 *) (find_address (rows, plan->inputs[step->first_input + i], block)
                                               + (gsize) member->inputs[i].data);
  for (guint32 o = 0; o < step->n_outputs; o++)
    if (candela_rows_is_local (rows, plan->outputs[step->first_output + o].value))
      pass->outputs[o] = (guint8 *) find_address (rows, plan->outputs[step->first_output + o].value, block);
}

static gsize
inputs_end (const CandelaMember *member)
{
  return candela_round_up (sizeof (CandelaKeptMember) + member->step->n_inputs * sizeof (CandelaPassInput));
}

gsize
candela_rows_kept_bytes (const CandelaMember *member)
{
  gsize bytes = inputs_end (member);

  return member->way == CANDELA_MEMBER_FEW ? bytes + candela_round_up (candela_few_rows_bytes (&member->pass)) : bytes;
}

CandelaKeptMember *
candela_rows_find_kept (const CandelaMember *member, const CandelaRowsBlock *block)
{
  return (gpointer) (block->scratch + member->kept_at);
}

static void
run_elementwise (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block)
{
  CandelaPassInput few_inputs[CANDELA_ROWS_FEW_INPUTS];
  g_autofree CandelaPassInput *many = NULL;
  CandelaPass pass;

  if (member->way == CANDELA_MEMBER_STAGED)
    candela_stage_rows_run (&candela_rows_find_kept (member, block)->rows, (guint64) (block->end - block->first));
  else if (member->way == CANDELA_MEMBER_FEW)
    candela_few_rows_run (candela_rows_find_kept (member, block)->few, (guint64) (block->end - block->first));
  else
    {
      if (member->step->n_inputs > CANDELA_ROWS_FEW_INPUTS)
        many = g_new (CandelaPassInput, member->step->n_inputs);
      candela_rows_place_operands (rows, member, block, &pass, many != NULL ? many : few_inputs);
      candela_pass_run (&pass, (guint64) block->first * member->row_elements,
                        (guint64) block->end * member->row_elements, block->scratch + rows->tiles_at);
    }
}

gconstpointer
candela_rows_find_input (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block)
{
  guint32 v = rows->run->plan->inputs[member->step->first_input];
  const CandelaPlanValue *value = &rows->run->plan->values[v];
  gint64 at = value->layout->offset + block->first * member->row_stride;

  if (rows->group->n_last > 0)
    return candela_columns_find (rows, v, value->layout, block);
  return (gconstpointer) (find_address (rows, v, block)
                          + (gsize) (at * (gint64) candela_dtype_get_size (value->dtype)));
}

gpointer
candela_rows_find_output (const CandelaRows *rows, guint32 v, const CandelaRowsBlock *block)
{
  const CandelaPlanValue *value = &rows->run->plan->values[v];
  gint64 at = block->first * (value->layout->n_elements / rows->group->n_rows);

  if (rows->group->n_last > 0)
    return candela_columns_find (rows, v, value->layout, block);
  return (gpointer) (find_address (rows, v, block) + (gsize) at * candela_dtype_get_size (value->dtype));
}

/* A whole value's layout as that of a block: the row axes are one, the others stay,
 * and so does their number, which parameters refer to. */
CandelaLayout *
candela_rows_make_layout (const CandelaRows *rows, guint32 v, const CandelaRowsBlock *block, GError **error)
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

/* Without a kernel's preparations, which for a few rows would take as long as its work. */
static void
take_rows (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block)
{
  CandelaKeptMember *kept = candela_rows_find_kept (member, block);
  gsize n = (gsize) (block->end - block->first);
  gint64 began = candela_run_begin_parts (rows->run);

  kept->reduction.take (kept->reduction.out, kept->reduction.in, member->row_stride, n, member->row_length,
                        kept->reduction.params);
  kept->reduction.in += n * kept->reduction.in_step;
  for (guint32 o = 0; o < member->step->n_outputs; o++)
    kept->reduction.out[o] = (guint8 *) kept->reduction.out[o] + n * kept->reduction.out_steps[o];
  candela_run_end_parts (rows->run, member->step->first_part, 1, began);
}

static void
begin_reduction (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block)
{
  const CandelaPlan *plan = rows->run->plan;
  const CandelaNode *node = plan->parts[member->step->first_part].node;
  CandelaKeptMember *kept = candela_rows_find_kept (member, block);
  guint32 in = plan->inputs[member->step->first_input];

  kept->reduction.take = node->u.op.kernel->rows;
  kept->reduction.params = node->u.op.params;
  kept->reduction.in = candela_rows_find_input (rows, member, block);
  kept->reduction.in_step =
    candela_rows_is_local (rows, in) ? 0 : (gsize) member->row_stride * candela_dtype_get_size (plan->values[in].dtype);
  for (guint32 o = 0; o < member->step->n_outputs; o++)
    {
      guint32 out = plan->outputs[member->step->first_output + o].value;

      kept->reduction.out[o] = candela_rows_find_output (rows, out, block);
      kept->reduction.out_steps[o] =
        candela_rows_is_local (rows, out) ? 0 : candela_dtype_get_size (plan->values[out].dtype);
    }
}

/* For the blocks of a share, of which this is the first. */
static void
begin_kept (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block)
{
  CandelaKeptMember *kept = candela_rows_find_kept (member, block);
  guint8 *scratch = (guint8 *) kept + candela_rows_kept_bytes (member);
  const guint8 *inputs[CANDELA_ROWS_FEW_INPUTS];

  if (member->way == CANDELA_MEMBER_ROWS)
    {
      begin_reduction (rows, member, block);
      return;
    }
  if (member->way == CANDELA_MEMBER_MADE)
    {
      candela_rows_begin_made (rows, member, block);
      return;
    }
  candela_rows_place_operands (rows, member, block, &kept->pass, kept->inputs);
  if (member->made != NULL)
    kept->pass.program = member->made;
  if (member->way == CANDELA_MEMBER_STAGED)
    candela_pass_begin_rows (&kept->pass, &kept->rows, member->row_elements, block->first * member->row_elements,
                             inputs, scratch);
  else
    {
      kept->few = (gpointer) ((guint8 *) kept + inputs_end (member));
      candela_few_rows_begin (kept->few, &kept->pass, member->row_elements, (guint64) block->first,
                              (guint64) rows->block, scratch);
    }
}

static gboolean
run_reduction (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block, GError **error)
{
  const CandelaPlan *plan = rows->run->plan;
  const CandelaPlanStep *step = member->step;
  gconstpointer in = candela_rows_find_input (rows, member, block);
  gpointer out[CANDELA_MAX_OUTPUTS];
  const CandelaLayout *in_layout = member->in;
  CandelaLayout *out_layouts[CANDELA_MAX_OUTPUTS];
  gboolean whole = block->end - block->first == rows->block && block->end_column - block->column == rows->width;
  gboolean ok = TRUE;

  memcpy (out_layouts, member->out, sizeof out_layouts);
  if (!whole)
    {
      in_layout = candela_rows_make_layout (rows, plan->inputs[step->first_input], block, error);
      ok = in_layout != NULL;
    }
  for (guint o = 0; o < step->n_outputs; o++)
    {
      guint32 output = plan->outputs[step->first_output + o].value;

      out[o] = candela_rows_find_output (rows, output, block);
      if (whole)
        continue;
      out_layouts[o] = ok ? candela_rows_make_layout (rows, output, block, error) : NULL;
      ok = out_layouts[o] != NULL;
    }
  ok = ok && candela_run_compute_some (rows->run, step, in, in_layout, out, out_layouts, error);
  if (!whole)
    {
      if (in_layout != NULL)
        candela_layout_unref ((CandelaLayout *) in_layout);
      for (guint o = 0; o < step->n_outputs; o++)
        if (out_layouts[o] != NULL)
          candela_layout_unref (out_layouts[o]);
    }
  return ok;
}

static gboolean
run_member (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block, GError **error)
{
  if (member->way == CANDELA_MEMBER_ROWS)
    take_rows (rows, member, block);
  else if (member->way == CANDELA_MEMBER_MADE)
    candela_rows_end_made (rows, member, block);
  else if (member->step->kind == CANDELA_STEP_KERNEL)
    return run_reduction (rows, member, block, error);
  else if (rows->group->n_last > 0)
    candela_columns_run (rows, member, block);
  else
    run_elementwise (rows, member, block);
  return TRUE;
}

static gboolean
run_members (const CandelaRows *rows, const CandelaRowsBlock *block, GError **error)
{
  GCancellable *cancellable = rows->run->cancellable;

  for (guint32 k = 0; k < rows->group->n_subs; k++)
    {
      if (rows->n_packed > 0)
        candela_columns_pack (rows, k, block);
      if (!run_member (rows, &rows->members[k], block, error))
        return FALSE;
      if (cancellable != NULL && g_cancellable_set_error_if_cancelled (cancellable, error))
        return FALSE;
    }
  return TRUE;
}

/* A share, block by block. */
gboolean
candela_rows_run_blocks (const CandelaRows *rows, const CandelaRowsBlock *share, GError **error)
{
  g_autoptr (CandelaBuffer) own = share->scratch == NULL ? candela_buffer_new (rows->scratch_bytes, error) : NULL;
  CandelaRowsBlock block = *share;

  if (share->scratch == NULL && own == NULL)
    return FALSE;
  if (own != NULL)
    block.scratch = own->data;
  if ((candela_debug_flags () & CANDELA_DEBUG_POISON) != 0)
    memset (block.scratch, 0xff, rows->scratch_bytes);
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    if (rows->members[k].way != CANDELA_MEMBER_ANEW)
      begin_kept (rows, &rows->members[k], &block);
  for (; block.first < share->end; block.first = block.end)
    {
      block.end = MIN (block.first + rows->block, share->end);
      if (!run_members (rows, &block, error))
        return FALSE;
    }
  return TRUE;
}
