/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is different where a group goes by columns. A block is some columns of one row. Of
 * a value as large as the input of the reductions it has as many pieces as there are
 * indices of the axes that these are over: each as long as the block is wide, and all the
 * columns apart. What only the group reads lies in scratch memory, where the pieces follow
 * each other.
 *
 * An element-wise step goes over the block piece by piece, each where it lies, or over
 * several at once where they follow each other in all that it reads and writes. */
#include <candela/exec/rows-private.h>
#include <candela/value/stream-private.h>
#include <string.h>

/* What a block reads, writes and holds, in bytes, … */
#define BLOCK_BYTES (1024 * 1024)
/* … unless that would be fewer columns: shorter pieces are fetched more slowly. But threads
 * are to have something to share out. */
#define GOOD_COLUMNS 1024
#define MIN_COLUMNS 128 /* and a multiple of them */
#define FEW_OPERANDS 20

gint64
candela_columns_choose_width (const CandelaRows *rows)
{
  gint64 all = rows->group->n_columns, least = rows->parallel ? candela_get_num_threads () : 1;
  gint64 width = MAX (BLOCK_BYTES / (gint64) MAX (rows->lane_bytes, 1), GOOD_COLUMNS);
  gint64 n_blocks = (all + width - 1) / width;

  if (rows->group->n_rows < least)
    n_blocks = MAX (n_blocks, MIN (least, all / MIN_COLUMNS));
  width = (all + n_blocks - 1) / n_blocks;
  return MIN ((width + MIN_COLUMNS - 1) / MIN_COLUMNS * MIN_COLUMNS, all);
}

/* ---- Where things are ---- */

static gpointer
find_block (const CandelaRows *rows, guint32 v, const CandelaLayout *layout, const CandelaRowsBlock *block)
{
  const CandelaPlanGroup *group = rows->group;
  const CandelaPlanValue *value = &rows->run->plan->values[v];
  gint64 offset = layout->offset, row = block->first, stride;
  guint8 *data;

  if (candela_rows_is_local (rows, v))
    {
      data = block->scratch + rows->local_at[value->source];
      offset = offset / group->n_columns * (block->end_column - block->column);
    }
  else
    {
      data = candela_run_get_data (rows->run, v);
      candela_layout_find_stride (layout, layout->rank - group->n_last, layout->rank, &stride);
      offset += block->column * stride;
      for (guint axis = group->n_axes; axis-- > 0; row /= layout->dims[axis])
        offset += row % layout->dims[axis] * layout->strides[axis];
    }
  return data + offset * (gint64) candela_dtype_get_size (value->dtype);
}

gpointer
candela_columns_find (const CandelaRows *rows, guint32 v, const CandelaRowsBlock *block)
{
  return find_block (rows, v, rows->run->plan->values[v].layout, block);
}

CandelaLayout *
candela_columns_make_layout (const CandelaRows *rows, guint32 v, gint64 width, GError **error)
{
  const CandelaPlanGroup *group = rows->group;
  const CandelaLayout *whole = rows->run->plan->values[v].layout;
  guint columns = whole->rank - group->n_last;
  CandelaLayout *layout = candela_layout_alloc (whole->rank);
  gint64 stride;

  candela_layout_find_stride (whole, columns, whole->rank, &stride);
  for (guint axis = 0; axis < whole->rank; axis++)
    {
      gboolean between = axis >= group->n_axes && axis < columns;

      layout->dims[axis] = between ? whole->dims[axis] : 1;
      layout->strides[axis] = between ? whole->strides[axis] : stride;
      if (between && candela_rows_is_local (rows, v))
        layout->strides[axis] = whole->strides[axis] / group->n_columns * width;
    }
  layout->dims[whole->rank - 1] = width;
  layout->offset = 0;
  return candela_layout_complete (layout, error);
}

/* ---- Element-wise steps ---- */

static guint32
find_operand (const CandelaRows *rows, const CandelaPlanStep *step, guint32 k)
{
  const CandelaPlan *plan = rows->run->plan;

  return k < step->n_inputs ? plan->inputs[step->first_input + k]
                            : plan->outputs[step->first_output + k - step->n_inputs].value;
}

gboolean
candela_columns_prepare (const CandelaRows *rows, CandelaMember *member, GError **error)
{
  const CandelaPlanGroup *group = rows->group;
  const CandelaPlanStep *step = member->step;
  const CandelaLayout *shape = rows->run->plan->values[find_operand (rows, step, step->n_inputs)].layout;
  CandelaPieces *pieces = &member->pieces;
  guint rank = shape->rank - group->n_axes - group->n_last;
  guint32 n = step->n_inputs + step->n_outputs;
  g_autofree gint64 (*strides)[CANDELA_MAX_RANK] = g_malloc (n * sizeof *strides);
  g_autofree const gint64 **strides_of = g_new (const gint64 *, n);

  pieces->layouts = g_new0 (CandelaLayout *, n);
  pieces->strides = g_malloc (n * sizeof *pieces->strides);
  for (guint32 k = 0; k < n; k++)
    {
      guint32 v = find_operand (rows, step, k);
      gint64 unit = candela_rows_is_local (rows, v) ? group->n_columns : 1;

      pieces->layouts[k] =
        candela_layout_broadcast (rows->run->plan->values[v].layout, shape->dims, shape->rank, error);
      if (pieces->layouts[k] == NULL)
        return FALSE;
      for (guint axis = 0; axis < rank; axis++)
        strides[k][axis] = pieces->layouts[k]->strides[group->n_axes + axis] / unit;
      strides_of[k] = strides[k];
    }
  candela_layout_coalesce (shape->dims + group->n_axes, rank, n, strides_of, pieces->shape, &pieces->rank,
                           pieces->strides);
  return TRUE;
}

void
candela_columns_clear (CandelaMember *member)
{
  CandelaPieces *pieces = &member->pieces;

  for (guint32 k = 0; pieces->layouts != NULL && k < member->step->n_inputs + member->step->n_outputs; k++)
    g_clear_pointer (&pieces->layouts[k], candela_layout_unref);
  g_free (pieces->layouts);
  g_free (pieces->strides);
}

/* Where an operand's first piece is, and the next one that is to be run, and the bytes of
 * what its strides count. */
typedef struct
{
  guint8 *first, *data;
  gint64 unit;
  gint64 piece; /* bytes; 0: it is one element, always the same */
} Cursor;

static gboolean
are_together (const CandelaPieces *pieces, const Cursor *cursors, guint32 n)
{
  for (guint32 k = 0; k < n; k++)
    if (cursors[k].piece != 0 && pieces->strides[k][pieces->rank - 1] * cursors[k].unit != cursors[k].piece)
      return FALSE;
  return TRUE;
}

/* All pieces along the last axis, for one index of those before it. */
static void
run_pieces (const CandelaMember *member, CandelaPass *pass, Cursor *cursors, gint64 n_pieces, gint64 n,
            const guint8 **inputs, guint8 *scratch, CandelaStage *stages)
{
  const CandelaPieces *pieces = &member->pieces;
  guint32 n_inputs = member->step->n_inputs, n_outputs = member->step->n_outputs;

  for (gint64 piece = 0; piece < n_pieces; piece++)
    {
      for (guint32 k = 0; k < n_inputs; k++)
        pass->inputs[k].data = cursors[k].data;
      for (guint32 o = 0; o < n_outputs; o++)
        pass->outputs[o] = cursors[n_inputs + o].data;
      candela_pass_run_span (pass, 0, (guint64) n, inputs, scratch, stages);
      for (guint32 k = 0; k < n_inputs + n_outputs; k++)
        cursors[k].data += pieces->strides[k][pieces->rank - 1] * cursors[k].unit;
    }
}

static void
run_block (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block, CandelaPass *pass,
           Cursor *cursors, const guint8 **inputs)
{
  const CandelaPieces *pieces = &member->pieces;
  const CandelaPlan *plan = rows->run->plan;
  const guint32 n = member->step->n_inputs + member->step->n_outputs;
  guint8 *scratch = block->scratch + rows->tiles_at;
  gint64 width = block->end_column - block->column, n_pieces = pieces->shape[pieces->rank - 1], n_outer = 1;
  CandelaStage *stages;

  for (guint32 k = 0; k < n; k++)
    {
      guint32 v = find_operand (rows, member->step, k);
      gint64 size = (gint64) candela_dtype_get_size (plan->values[v].dtype);

      cursors[k].first = find_block (rows, v, pieces->layouts[k], block);
      cursors[k].unit = candela_rows_is_local (rows, v) ? width * size : size;
      cursors[k].piece = plan->values[v].layout->n_elements == 1 ? 0 : width * size;
    }
  if (are_together (pieces, cursors, n))
    {
      width *= n_pieces;
      n_pieces = 1;
    }
  for (guint axis = 0; axis + 1 < pieces->rank; axis++)
    n_outer *= pieces->shape[axis];
  stages = candela_pass_begin (pass, scratch, (guint64) width);
  for (gint64 outer = 0; outer < n_outer; outer++)
    {
      for (guint32 k = 0; k < n; k++)
        {
          gint64 index = outer, offset = 0;

          for (guint axis = pieces->rank - 1; axis-- > 0; index /= pieces->shape[axis])
            offset += index % pieces->shape[axis] * pieces->strides[k][axis];
          cursors[k].data = cursors[k].first + offset * cursors[k].unit;
        }
      run_pieces (member, pass, cursors, n_pieces, width, inputs, scratch, stages);
    }
}

void
candela_columns_run (const CandelaRows *rows, const CandelaMember *member, const CandelaRowsBlock *block)
{
  const guint32 n = member->step->n_inputs + member->step->n_outputs;
  gboolean few = n <= FEW_OPERANDS;
  CandelaPass pass = member->pass;
  CandelaPassInput few_inputs[FEW_OPERANDS];
  const guint8 *few_data[FEW_OPERANDS];
  Cursor few_cursors[FEW_OPERANDS];
  g_autofree CandelaPassInput *many_inputs = few ? NULL : g_new (CandelaPassInput, n);
  g_autofree const guint8 **many_data = few ? NULL : g_new (const guint8 *, n);
  g_autofree Cursor *many_cursors = few ? NULL : g_new (Cursor, n);

  pass.inputs = few ? few_inputs : many_inputs;
  memcpy (pass.inputs, member->inputs, member->step->n_inputs * sizeof *pass.inputs);
  run_block (rows, member, block, &pass, few ? few_cursors : many_cursors, few ? few_data : many_data);
  if (pass.n_streamed > 0)
    candela_stream_end ();
}
