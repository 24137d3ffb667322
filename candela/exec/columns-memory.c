/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a block of columns holds, and where. What only the group reads lies in scratch memory,
 * piece after piece, each as long as the block is wide. What nobody reads any more makes room
 * for something else; what an element-wise step writes, for what it reads last.
 *
 * In memory the elements of one column lie a row apart, often by a power of two, so that
 * those of a few columns share a few sets of the caches, and are gone when they are read
 * again. So of much data what is read more than once is packed first, and a block is as many
 * columns as the second-level cache has room for; a piece begins where a vector does. */
#include <candela/exec/rows-private.h>
#include <unistd.h>

/* What a block reads, writes and holds, in bytes, … */
#define BLOCK_BYTES (1024 * 1024)
/* … unless that would be fewer columns: shorter pieces are fetched more slowly. */
#define GOOD_COLUMNS 1024
/* What a block that is packed holds at a time: half of the second-level cache, as far as that
 * is known, within these. */
#define MIN_HELD_BYTES (256 * 1024)
#define MAX_HELD_BYTES (1024 * 1024)
/* Its columns are at least so many, were there room for all or not, and a multiple of that. */
#define MIN_COLUMNS 32
#define VECTOR_COLUMNS 16
/* Of fewer columns there are no blocks just so that each thread has some, and so many it is
 * to have. */
#define SHARED_COLUMNS 128
#define ENOUGH_BLOCKS 2

/* ---- What is packed ---- */

CandelaPackedInput *
candela_columns_find_packed (const CandelaRows *rows, guint32 v)
{
  for (guint32 k = 0; k < rows->n_packed; k++)
    if (rows->packed[k].value == v)
      return &rows->packed[k];
  return NULL;
}

static gboolean
is_made_here (const CandelaRows *rows, guint32 v)
{
  const CandelaPlan *plan = rows->run->plan;

  for (guint32 k = 0; k < rows->group->n_subs; k++)
    for (guint32 o = 0; o < rows->members[k].step->n_outputs; o++)
      if (plan->outputs[rows->members[k].step->first_output + o].value == v)
        return TRUE;
  return FALSE;
}

/* Whether an input from outside has all the columns side by side, in every row, and more
 * than one element in each. */
static gboolean
can_be_packed (const CandelaRows *rows, guint32 v)
{
  const CandelaPlanGroup *group = rows->group;
  const CandelaLayout *layout = rows->run->plan->values[v].layout;
  gint64 n_rows = 1, n_columns = 1, stride;

  if (candela_rows_is_local (rows, v) || is_made_here (rows, v) || layout->rank < group->n_axes + group->n_last
      || layout->n_elements <= group->n_rows * group->n_columns)
    return FALSE;
  for (guint axis = 0; axis < group->n_axes; axis++)
    n_rows *= layout->dims[axis];
  for (guint axis = layout->rank - group->n_last; axis < layout->rank; axis++)
    n_columns *= layout->dims[axis];
  return n_rows == group->n_rows && n_columns == group->n_columns
         && candela_layout_find_stride (layout, layout->rank - group->n_last, layout->rank, &stride) && stride == 1;
}

/* How many members read it, from one on, and which is the last. */
static guint
count_readers (const CandelaRows *rows, guint32 from, guint32 v, guint32 *last)
{
  const CandelaPlan *plan = rows->run->plan;
  guint n = 0;

  for (guint32 k = from; k < rows->group->n_subs; k++)
    for (guint32 i = 0; i < rows->members[k].step->n_inputs; i++)
      if (plan->inputs[rows->members[k].step->first_input + i] == v)
        {
          *last = k;
          n++;
          break;
        }
  return n;
}

static gboolean
find_packed (CandelaRows *rows, GError **error)
{
  const CandelaPlan *plan = rows->run->plan;

  for (guint32 k = 0; k < rows->group->n_subs; k++)
    for (guint32 i = 0; i < rows->members[k].step->n_inputs; i++)
      {
        CandelaPackedInput packed = { .value = plan->inputs[rows->members[k].step->first_input + i], .first = k };
        const CandelaLayout *layout = plan->values[packed.value].layout;

        if (candela_columns_find_packed (rows, packed.value) != NULL || !can_be_packed (rows, packed.value)
            || count_readers (rows, k, packed.value, &packed.last) < 2)
          continue;
        packed.layout = candela_layout_new (layout->dims, layout->rank, error);
        if (packed.layout == NULL)
          return FALSE;
        rows->packed = g_renew (CandelaPackedInput, rows->packed, rows->n_packed + 1);
        rows->packed[rows->n_packed++] = packed;
      }
  return TRUE;
}

void
candela_columns_clear_packed (CandelaRows *rows)
{
  for (guint32 k = 0; k < rows->n_packed; k++)
    g_clear_pointer (&rows->packed[k].layout, candela_layout_unref);
  g_free (rows->packed);
}

/* ---- Where it is ---- */

/* Something that is held from one member to another. */
typedef struct
{
  guint32 first, last, place;
  gboolean written; /* by the first; else it is there before that */
  gsize lane;       /* bytes of a column */
  gsize size;       /* of an element */
  guint32 v;        /* the value, whole and in order */
} Held;

typedef struct
{
  gsize lane;
  const Held *held; /* what it was given to last */
} Place;

/* Reads of it by views keep it too. */
static void
find_local (const CandelaRows *rows, guint32 local, Held *held)
{
  const CandelaPlan *plan = rows->run->plan;

  held->lane = plan->local_bytes[rows->group->first_local + local];
  for (guint32 k = 0; k < rows->group->n_subs; k++)
    {
      const CandelaPlanStep *step = rows->members[k].step;

      for (guint32 i = 0; i < step->n_inputs; i++)
        {
          guint32 v = plan->inputs[step->first_input + i];

          if (candela_rows_is_local (rows, v) && plan->values[v].source == local)
            held->last = k;
        }
      for (guint32 o = 0; o < step->n_outputs; o++)
        {
          guint32 v = plan->outputs[step->first_output + o].value;

          if (!candela_rows_is_local (rows, v) || plan->values[v].source != local)
            continue;
          *held = (Held){ .first = k, .last = k, .written = TRUE, .lane = held->lane, .v = v };
          held->size = candela_dtype_get_size (plan->values[v].dtype);
        }
    }
}

/* Whether the step that makes one may write it over the other, which no later one reads. */
static gboolean
can_be_written_over (const CandelaRows *rows, const Held *old, const Held *held)
{
  const CandelaPlan *plan = rows->run->plan;
  const CandelaPlanStep *step = rows->members[held->first].step;
  const CandelaPlanOutput *output = plan->outputs + step->first_output;

  if (!held->written || old->first == held->first || old->last != held->first || step->kind != CANDELA_STEP_FUSED
      || old->size != held->size || old->lane != held->lane)
    return FALSE;
  while (output->value != held->v)
    output++;
  for (guint32 i = 0; i < step->n_inputs; i++)
    {
      guint32 v = plan->inputs[step->first_input + i];
      gboolean same = candela_rows_is_local (rows, v) && candela_rows_is_local (rows, old->v)
                      && plan->values[v].source == plan->values[old->v].source;

      if (v == old->v ? !candela_plan_may_overwrite (plan, step, output, i) : same)
        return FALSE;
    }
  return TRUE;
}

/* In the order in which they come to be. */
static guint32
find_place (const CandelaRows *rows, Place *places, guint32 n_places, const Held *held)
{
  guint32 p;

  for (p = 0; p < n_places; p++)
    if (places[p].lane >= held->lane
        && (places[p].held->last < held->first || can_be_written_over (rows, places[p].held, held)))
      break;
  if (p == n_places)
    places[p].lane = held->lane;
  places[p].held = held;
  return p;
}

static gint64
choose_width (const CandelaRows *rows, gsize lane)
{
  gint64 all = rows->group->n_columns, n_rows = rows->group->n_rows, width, n_blocks;
  gint64 least = rows->parallel ? candela_get_num_threads () : 1, unit = SHARED_COLUMNS;
  gsize bytes = CLAMP (sysconf (_SC_LEVEL2_CACHE_SIZE) / 2, MIN_HELD_BYTES, MAX_HELD_BYTES);

  if (rows->group->packs)
    {
      unit = MIN_COLUMNS;
      least *= ENOUGH_BLOCKS;
      width = CLAMP ((gint64) (bytes / MAX (lane, 1)), MIN_COLUMNS, GOOD_COLUMNS) / MIN_COLUMNS * MIN_COLUMNS;
    }
  else
    width = MAX (BLOCK_BYTES / (gint64) MAX (rows->lane_bytes, 1), GOOD_COLUMNS);
  n_blocks = (all + width - 1) / width;
  if (n_rows * n_blocks < least)
    n_blocks = MAX (n_blocks, MIN ((least + n_rows - 1) / n_rows, all / unit));
  width = (all + n_blocks - 1) / n_blocks;
  width = (width + unit - 1) / unit * unit;
  return rows->group->packs ? width : MIN (width, all);
}

static int
compare_held (gconstpointer a, gconstpointer b)
{
  const Held *x = *(const Held *const *) a, *y = *(const Held *const *) b;

  return (x->first > y->first) - (x->first < y->first);
}

gboolean
candela_columns_place (CandelaRows *rows, GError **error)
{
  const CandelaPlan *plan = rows->run->plan;
  guint32 n_locals = rows->group->n_locals, n, n_places = 0;
  CandelaArena *arena = &rows->run->arena;
  const Held **order;
  Held *held;
  Place *places;
  gsize *at;
  gsize lane = 0;

  if (rows->group->packs && !find_packed (rows, error))
    return FALSE;
  n = n_locals + rows->n_packed;
  held = candela_arena_new0 (arena, Held, n);
  order = candela_arena_new (arena, const Held *, n);
  places = candela_arena_new (arena, Place, n);
  at = candela_arena_new (arena, gsize, n);
  for (guint32 k = 0; k < n; k++)
    {
      order[k] = &held[k];
      if (k < n_locals)
        {
          find_local (rows, k, &held[k]);
          continue;
        }
      const CandelaPackedInput *packed = &rows->packed[k - n_locals];
      gsize size = candela_dtype_get_size (plan->values[packed->value].dtype);
      gint64 n_elements = packed->layout->n_elements / (rows->group->n_rows * rows->group->n_columns);

      held[k] = (Held){ .first = packed->first, .last = packed->last, .size = size, .v = packed->value };
      held[k].lane = (gsize) n_elements * size;
    }
  if (n > 0)
    qsort (order, n, sizeof *order, compare_held);
  for (guint32 k = 0; k < n; k++)
    {
      guint32 place = find_place (rows, places, n_places, order[k]);

      held[order[k] - held].place = place;
      n_places = MAX (n_places, place + 1);
    }
  for (guint32 p = 0; p < n_places; p++)
    lane += places[p].lane;
  rows->width = choose_width (rows, lane);
  for (guint32 p = 0; p < n_places; p++)
    {
      at[p] = rows->chunks_at;
      rows->chunks_at +=
        (places[p].lane * (gsize) rows->width + CANDELA_ALIGNMENT - 1) & ~(gsize) (CANDELA_ALIGNMENT - 1);
    }
  for (guint32 k = 0; k < n; k++)
    *(k < n_locals ? &rows->local_at[k] : &rows->packed[k - n_locals].at) = at[held[k].place];
  return TRUE;
}

gint64
candela_columns_pitch (const CandelaRows *rows, const CandelaRowsBlock *block)
{
  gint64 width = block->end_column - block->column;

  if (!rows->group->packs)
    return width;
  return (width + VECTOR_COLUMNS - 1) / VECTOR_COLUMNS * VECTOR_COLUMNS;
}

gpointer
candela_columns_find_outside (const CandelaRows *rows, guint32 v, const CandelaLayout *layout,
                              const CandelaRowsBlock *block)
{
  const CandelaPlanGroup *group = rows->group;
  gint64 offset = layout->offset, row = block->first, stride;

  candela_layout_find_stride (layout, layout->rank - group->n_last, layout->rank, &stride);
  offset += block->column * stride;
  for (guint axis = group->n_axes; axis-- > 0; row /= layout->dims[axis])
    offset += row % layout->dims[axis] * layout->strides[axis];
  return (guint8 *) candela_run_get_data (rows->run, v)
         + offset * (gint64) candela_dtype_get_size (rows->run->plan->values[v].dtype);
}

gpointer
candela_columns_find (const CandelaRows *rows, guint32 v, const CandelaLayout *layout, const CandelaRowsBlock *block)
{
  const CandelaPlanValue *value = &rows->run->plan->values[v];
  const CandelaPackedInput *packed = candela_columns_find_packed (rows, v);
  gint64 pieces;

  if (packed != NULL)
    return block->scratch + packed->at;
  if (!candela_rows_is_local (rows, v))
    return candela_columns_find_outside (rows, v, layout, block);
  pieces = layout->offset / rows->group->n_columns * candela_columns_pitch (rows, block);
  return block->scratch + rows->local_at[value->source] + pieces * (gint64) candela_dtype_get_size (value->dtype);
}

CandelaLayout *
candela_columns_make_layout (const CandelaRows *rows, guint32 v, const CandelaRowsBlock *block, GError **error)
{
  const CandelaPlanGroup *group = rows->group;
  const CandelaPackedInput *packed = candela_columns_find_packed (rows, v);
  const CandelaLayout *whole = packed != NULL ? packed->layout : rows->run->plan->values[v].layout;
  guint columns = whole->rank - group->n_last;
  CandelaLayout *layout = candela_layout_alloc (whole->rank);
  gint64 stride;

  candela_layout_find_stride (whole, columns, whole->rank, &stride);
  for (guint axis = 0; axis < whole->rank; axis++)
    {
      gboolean between = axis >= group->n_axes && axis < columns;

      layout->dims[axis] = between ? whole->dims[axis] : 1;
      layout->strides[axis] = between ? whole->strides[axis] : stride;
      if (between && (packed != NULL || candela_rows_is_local (rows, v)))
        layout->strides[axis] = whole->strides[axis] / group->n_columns * candela_columns_pitch (rows, block);
    }
  layout->dims[whole->rank - 1] = block->end_column - block->column;
  layout->offset = 0;
  return candela_layout_complete (layout, error);
}
