/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Walks the elements of every result in the order that reduce.h defines, in one
 * of three ways, whichever the strides favour: result after result over memory
 * that is already in that order; the same over pieces that are packed first; or,
 * where neighbouring results are neighbours in memory, row after row for many
 * results at once. */
#include "walk.h"

/* Elements packed in one call, and elements between two looks at the cancellable. */
#define PACK_ELEMENTS (4 * REDUCE_BLOCK)
#define PACK_MOST (64 * REDUCE_BLOCK)
#define PACK_ROWS 16
#define CANCEL_ELEMENTS (64 * REDUCE_BLOCK)

void
reduce_axes_add (Axes *axes, gint64 extent, gint64 stride)
{
  gint64 span;

  /* Overflows only beside an axis of extent 0, and is not used then. */
  if (__builtin_mul_overflow (axes->n, extent, &axes->n))
    axes->n = 0;
  if (extent == 1)
    return;
  if (axes->rank > 0 && !__builtin_mul_overflow (stride, extent, &span) && axes->strides[axes->rank - 1] == span)
    {
      axes->extents[axes->rank - 1] *= extent;
      axes->strides[axes->rank - 1] = stride;
      return;
    }
  axes->extents[axes->rank] = extent;
  axes->strides[axes->rank] = stride;
  axes->rank++;
}

/* Where an element is, by its number among them. */
gint64
reduce_axes_offset (const Axes *axes, gint64 index)
{
  gint64 offset = 0;

  for (guint k = axes->rank; k-- > 0;)
    {
      offset += index % axes->extents[k] * axes->strides[k];
      index /= axes->extents[k];
    }
  return offset;
}

static gint64
axes_run (const Axes *axes)
{
  return axes->rank > 0 ? axes->extents[axes->rank - 1] : 1;
}

static gint64
axes_run_stride (const Axes *axes)
{
  return axes->rank > 0 ? axes->strides[axes->rank - 1] : 1;
}

/* ---- The tree over the blocks ---- */

static gboolean
tree_init (Tree *tree, const ReduceFold *fold, gsize width, gint64 count)
{
  guint levels = g_bit_storage ((gulong) (count / REDUCE_BLOCK + 1)) + 2;

  tree->fold = fold;
  tree->width = width;
  tree->level_size = width * fold->partial_size;
  tree->storage = g_try_malloc (levels * tree->level_size);
  return tree->storage != NULL;
}

void
reduce_tree_begin (Tree *tree, gsize width)
{
  tree->width = width;
  tree->depth = 0;
  tree->n_blocks = 0;
}

/* Where the next block's partials go. */
gpointer
reduce_tree_top (Tree *tree)
{
  return tree->storage + tree->depth * tree->level_size;
}

static void
tree_merge_top (Tree *tree)
{
  guint8 *top = tree->storage + (tree->depth - 1) * tree->level_size;

  tree->fold->merge (top - tree->level_size, top, tree->width, tree->counts[tree->depth - 2],
                     tree->counts[tree->depth - 1]);
  tree->counts[tree->depth - 2] += tree->counts[tree->depth - 1];
  tree->depth--;
}

void
reduce_tree_push (Tree *tree, gint64 count)
{
  tree->counts[tree->depth++] = count;
  tree->n_blocks++;
  for (gint64 n = tree->n_blocks; n % 2 == 0; n /= 2)
    tree_merge_top (tree);
}

gconstpointer
reduce_tree_end (Tree *tree)
{
  while (tree->depth > 1)
    tree_merge_top (tree);
  return tree->storage;
}

/* ---- Result after result ---- */

static gboolean
cancelled (Walk *walk, gint64 elements, GError **error)
{
  walk->seen += elements;
  if (walk->seen < CANCEL_ELEMENTS)
    return FALSE;
  walk->seen = 0;
  return g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (walk->call->kernel), error);
}

/* Elements that lie in order. */
gboolean
reduce_push_packed (Walk *walk, const guint8 *elements, gsize size, gint64 index, gint64 n, GError **error)
{
  for (gint64 done = 0; done < n; done += REDUCE_BLOCK)
    {
      gsize part = MIN (n - done, REDUCE_BLOCK);

      if (cancelled (walk, part, error))
        return FALSE;
      walk->call->fold->block (reduce_tree_top (&walk->tree), elements + done * (gint64) size, part, index + done);
      reduce_tree_push (&walk->tree, part);
    }
  return TRUE;
}

/* Results of one block each, a step of bytes apart. */
static gboolean
run_short (Walk *walk, const guint8 *elements, gint64 step, gint64 output, gint64 n, GError **error)
{
  const ReduceCall *call = walk->call;

  for (gint64 first = 0; first < n; first += REDUCE_TILE)
    {
      gsize width = MIN (n - first, REDUCE_TILE);

      if (cancelled (walk, (gint64) width * call->count, error))
        return FALSE;
      for (gsize t = 0; t < width; t++, elements += step)
        call->fold->block (walk->tree.storage + t * call->fold->partial_size, elements, (gsize) call->count, 0);
      call->finish (call, walk->tree.storage, output + first, width);
    }
  return TRUE;
}

static gboolean
run_direct (Walk *walk, GError **error)
{
  const ReduceCall *call = walk->call;
  gint64 run = axes_run (&walk->kept), step = axes_run_stride (&walk->kept);

  for (gint64 output = walk->first, n; output < walk->end; output += n)
    {
      const guint8 *first = walk->input + reduce_axes_offset (&walk->kept, output) * (gint64) walk->size;

      n = MIN (run - output % run, walk->end - output);
      if (call->count <= REDUCE_BLOCK)
        {
          if (!run_short (walk, first, step * (gint64) walk->size, output, n, error))
            return FALSE;
          continue;
        }
      for (gint64 j = 0; j < n; j++)
        {
          reduce_tree_begin (&walk->tree, 1);
          if (!reduce_push_packed (walk, first + j * step * (gint64) walk->size, walk->size, 0, call->count, error))
            return FALSE;
          call->finish (call, reduce_tree_end (&walk->tree), output + j, 1);
        }
    }
  return TRUE;
}

/* The input with its reduced axes last. */
CandelaLayout *
reduce_permute_last (const ReduceCall *call, GError **error)
{
  const CandelaLayout *layout = candela_kernel_get_input_layout (call->kernel, 0);
  guint rank = candela_layout_get_rank (layout), n = 0;
  gint64 order[CANDELA_MAX_RANK];

  for (guint reduced = 0; reduced < 2; reduced++)
    for (guint axis = 0; axis < rank; axis++)
      if ((call->axes >> axis & 1) == reduced)
        order[n++] = axis;
  return candela_layout_permute (layout, order, rank, error);
}

/* A piece of one result, packed part by part. */
gboolean
reduce_push_unpacked (Walk *walk, const CandelaLayout *layout, gint64 output, gint64 start, gint64 end, GError **error)
{
  const ReduceCall *call = walk->call;
  gsize size = candela_dtype_get_size (call->dtype);

  for (gint64 part; start < end; start += part)
    {
      part = MIN (end - start, walk->pack);
      candela_kernel_pack_layout (call->kernel, 0, layout, call->dtype, output * call->count + start, (gsize) part,
                                  walk->scratch);
      if (!reduce_push_packed (walk, walk->scratch, size, start, part, error))
        return FALSE;
    }
  return TRUE;
}

/* Several short results are packed together, a long one by pieces. */
static gboolean
run_packed (Walk *walk, GError **error)
{
  const ReduceCall *call = walk->call;
  gsize size = candela_dtype_get_size (call->dtype);
  gint64 together = call->count <= REDUCE_BLOCK ? walk->pack / call->count : 1;
  g_autoptr (CandelaLayout) layout = reduce_permute_last (call, error);

  if (layout == NULL)
    return FALSE;
  for (gint64 output = walk->first, n; output < walk->end; output += n)
    {
      n = MIN (together, walk->end - output);
      if (call->count <= REDUCE_BLOCK)
        {
          candela_kernel_pack_layout (call->kernel, 0, layout, call->dtype, output * call->count,
                                      (gsize) (n * call->count), walk->scratch);
          if (!run_short (walk, walk->scratch, call->count * (gint64) size, output, n, error))
            return FALSE;
          continue;
        }
      reduce_tree_begin (&walk->tree, 1);
      if (!reduce_push_unpacked (walk, layout, output, 0, call->count, error))
        return FALSE;
      call->finish (call, reduce_tree_end (&walk->tree), output, 1);
    }
  return TRUE;
}

/* ---- Row after row ---- */

/* One block of a tile, into the top of the tree. */
static void
push_rows (Walk *walk, const guint8 *tile, gint64 index, gsize n)
{
  const ReduceFold *fold = walk->call->fold;
  gint64 run = axes_run (&walk->reduced);
  gsize n_lanes = 1;

  while (n_lanes < MIN (n, REDUCE_LANES))
    n_lanes *= 2;
  for (guint pass = 0; pass < fold->passes; pass++)
    {
      fold->fill (walk->scratch, n_lanes * walk->tree.width);
      for (gsize done = 0, part; done < n; done += part)
        {
          gint64 at = index + (gint64) done;

          part = MIN ((gint64) (n - done), run - at % run);
          fold->rows (&(ReduceRows){
            .lanes = walk->scratch,
            .elements = tile + reduce_axes_offset (&walk->reduced, at) * (gint64) walk->size,
            .stride = axes_run_stride (&walk->reduced),
            .n_rows = part,
            .width = walk->tree.width,
            .first = done,
            .index = at,
            .pass = pass,
          });
        }
      fold->join (reduce_tree_top (&walk->tree), walk->scratch, walk->tree.width, n_lanes, n, pass);
    }
}

static gboolean
run_rows (Walk *walk, GError **error)
{
  const ReduceCall *call = walk->call;
  gint64 run = axes_run (&walk->kept);

  for (gint64 output = walk->first, n; output < walk->end; output += n)
    {
      const guint8 *tile = walk->input + reduce_axes_offset (&walk->kept, output) * (gint64) walk->size;

      n = MIN (MIN (run - output % run, walk->end - output), REDUCE_TILE);
      reduce_tree_begin (&walk->tree, n);
      for (gint64 index = 0; index < call->count; index += REDUCE_BLOCK)
        {
          gsize rows = MIN (call->count - index, REDUCE_BLOCK);

          if (cancelled (walk, (gint64) (rows * walk->tree.width), error))
            return FALSE;
          push_rows (walk, tile, index, rows);
          reduce_tree_push (&walk->tree, rows);
        }
      call->finish (call, reduce_tree_end (&walk->tree), output, walk->tree.width);
    }
  return TRUE;
}

/* ---- All ---- */

/* Where the elements of a run lie apart, those of the next runs share its cache
 * lines: enough is packed at a time that they are still there. */
static gint64
choose_pack (const Walk *walk)
{
  gint64 run = axes_run (&walk->reduced);

  if (walk->reduced.rank < 2 || ABS (axes_run_stride (&walk->reduced)) == 1)
    return PACK_ELEMENTS;
  return CLAMP (MIN (run, PACK_MOST) * PACK_ROWS, PACK_ELEMENTS, PACK_MOST);
}

Way
reduce_choose_way (const Walk *walk)
{
  gboolean cast = walk->call->dtype != candela_kernel_get_input_dtype (walk->call->kernel, 0);

  if (!cast && walk->reduced.rank <= 1 && axes_run_stride (&walk->reduced) == 1)
    return WAY_DIRECT;
  return !cast && axes_run (&walk->kept) > 1 && axes_run_stride (&walk->kept) == 1 ? WAY_ROWS : WAY_PACKED;
}

gboolean
reduce_walk_prepare (Walk *walk, Way way, GError **error)
{
  const ReduceFold *fold = walk->call->fold;
  gsize width = way == WAY_ROWS || walk->call->count <= REDUCE_BLOCK ? REDUCE_TILE : 1;

  walk->pack = choose_pack (walk);
  if (way == WAY_ROWS)
    walk->scratch = g_try_malloc ((REDUCE_LANES + 1) * REDUCE_TILE * fold->lane_size);
  else
    walk->scratch = g_try_malloc ((gsize) walk->pack * candela_dtype_get_size (walk->call->dtype));
  if (walk->scratch != NULL && tree_init (&walk->tree, fold, width, walk->call->count))
    return TRUE;
  g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "there is no memory to reduce in");
  return FALSE;
}

void
reduce_walk_clear (Walk *walk)
{
  g_clear_pointer (&walk->scratch, g_free);
  g_clear_pointer (&walk->tree.storage, g_free);
}

gboolean
reduce_run_results (Walk *walk, Way way, GError **error)
{
  return way == WAY_DIRECT ? run_direct (walk, error)
         : way == WAY_ROWS ? run_rows (walk, error)
                           : run_packed (walk, error);
}
