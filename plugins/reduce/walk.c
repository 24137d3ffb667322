/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Walks the elements of every result in the order that reduce.h defines, in one
 * of three ways, whichever the strides favour: result after result over memory
 * that is already in that order; the same over pieces that are packed first; or,
 * where neighbouring results are neighbours in memory, row after row for many
 * results at once. */
#include "walk.h"

/* Elements packed in one call; half a second-level cache; little more than a first-level one; and
 * elements between two looks at the cancellable. */
#define PACK_ELEMENTS REDUCE_PIECE
#define PACK_MOST (8 * REDUCE_PIECE)
#define PACK_ROWS 16
#define CACHED_BYTES (1024 * 1024)
#define NEAR_BYTES (64 * 1024)
#define CANCEL_ELEMENTS (64 * REDUCE_BLOCK)
/* Of a few rows, each of so few neighbouring results, there is more to do about them than with them. */
#define FEW_ROWS 64
#define FEW_NEIGHBOURS 12
/* Results of one block each that are finished together. */
#define TOGETHER 512

void
reduce_axes_clear (Axes *axes)
{
  axes->rank = 0;
  axes->n = 1;
}

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
static gint64
axes_offset (const Axes *axes, gint64 index)
{
  gint64 offset = 0;

  if (axes->rank == 1)
    return index * axes->strides[0];
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

/* ---- The tree over the pieces ---- */

static gsize
round_up (gsize size)
{
  return (size + 63) / 64 * 64;
}

/* Side by side stand no more trees than there are bits in the number of pieces. */
static gsize
tree_init (Tree *tree, const ReduceFold *fold, gsize width, gint64 n_pieces)
{
  tree->fold = fold;
  tree->width = width;
  tree->level_size = round_up (width * fold->partial_size);
  tree->depth = 0;
  tree->n_pieces = 0;
  return g_bit_storage ((gulong) n_pieces) * tree->level_size;
}

void
reduce_tree_begin (Tree *tree, gsize width)
{
  tree->width = width;
  tree->depth = 0;
  tree->n_pieces = 0;
}

/* Where the next piece's partials go. */
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
  tree->n_pieces++;
  for (gint64 n = tree->n_pieces; n % 2 == 0; n /= 2)
    tree_merge_top (tree);
}

gconstpointer
reduce_tree_end (Tree *tree)
{
  while (tree->depth > 1)
    tree_merge_top (tree);
  return tree->storage;
}

/* ---- Elements of a result ---- */

static gboolean
cancelled (Walker *walker, gint64 elements, GError **error)
{
  walker->seen += elements;
  if (walker->seen < CANCEL_ELEMENTS)
    return FALSE;
  walker->seen = 0;
  return g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (walker->walk->call->kernel), error);
}

/* That lie in order. */
static gboolean
push_packed (Walker *walker, const guint8 *elements, gsize size, gint64 index, gint64 n, GError **error)
{
  for (gint64 done = 0; done < n; done += REDUCE_PIECE)
    {
      gsize part = MIN (n - done, REDUCE_PIECE);

      if (cancelled (walker, part, error))
        return FALSE;
      walker->tree.fold->piece (reduce_tree_top (&walker->tree), elements + done * (gint64) size, part, index + done);
      reduce_tree_push (&walker->tree, part);
    }
  return TRUE;
}

/* The input with its reduced axes last. */
static CandelaLayout *
permute_last (const ReduceCall *call, GError **error)
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

/* That are packed part by part. */
static gboolean
push_unpacked (Walker *walker, gint64 output, gint64 start, gint64 end, GError **error)
{
  const ReduceCall *call = walker->walk->call;
  gsize size = candela_dtype_get_size (call->dtype);
  g_autoptr (CandelaLayout) layout = permute_last (call, error);

  if (layout == NULL)
    return FALSE;
  for (gint64 part; start < end; start += part)
    {
      part = MIN (end - start, walker->pack);
      candela_kernel_pack_layout (call->kernel, 0, layout, call->dtype, output * call->count + start, (gsize) part,
                                  walker->scratch);
      if (!push_packed (walker, walker->scratch, size, start, part, error))
        return FALSE;
    }
  return TRUE;
}

/* Whether all of the input is so little that it is in the cache, if it has been read before; or a
 * block is, from its first row to its last, so that it is there once a few columns have been read. */
static gboolean
is_near (const Walk *walk, gsize n_rows)
{
  return walk->kept.n * walk->call->count <= CACHED_BYTES / (gint64) walk->size
         || (gint64) n_rows * ABS (axes_run_stride (&walk->reduced)) <= NEAR_BYTES / (gint64) walk->size;
}

/* What a fold needs beside partials, which it may never do. */
static gboolean
get_scratch (Walker *walker, GError **error)
{
  if (walker->scratch != NULL)
    return TRUE;
  walker->scratch = walker->later = g_try_malloc (walker->tile * walker->tree.fold->scratch_size);
  if (walker->scratch != NULL)
    return TRUE;
  g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "there is no memory to reduce in");
  return FALSE;
}

/* One block of neighbouring results, into the top of the tree. */
static gboolean
push_block (Walker *walker, const guint8 *tile, gint64 index, gsize n, GError **error)
{
  const Walk *walk = walker->walk;
  const ReduceFold *fold = walker->tree.fold;
  gint64 run = axes_run (&walk->reduced);
  gpointer partials = reduce_tree_top (&walker->tree);

  if (fold->block != NULL && (gint64) n <= run - index % run && is_near (walk, n)
      && fold->block (partials,
                      &(ReduceRows){ .elements = tile + axes_offset (&walk->reduced, index) * (gint64) walk->size,
                                     .stride = axes_run_stride (&walk->reduced),
                                     .n_rows = n,
                                     .width = walker->tree.width }))
    return TRUE;
  if (fold->scratch_size > 0 && !get_scratch (walker, error))
    return FALSE;
  for (guint pass = 0; pass < fold->passes; pass++)
    {
      for (gsize done = 0, part; done < n; done += part)
        {
          gint64 at = index + (gint64) done;

          part = MIN ((gint64) (n - done), run - at % run);
          fold->rows (&(ReduceRows){
            .lanes = fold->scratch_size > 0 ? walker->scratch : partials,
            .elements = tile + axes_offset (&walk->reduced, at) * (gint64) walk->size,
            .stride = axes_run_stride (&walk->reduced),
            .n_rows = part,
            .width = walker->tree.width,
            .first = done,
            .index = at,
            .pass = pass,
          });
        }
      if (fold->join != NULL)
        fold->join (partials, walker->scratch, walker->tree.width, n, pass);
    }
  return TRUE;
}

static gboolean
push_rows (Walker *walker, const guint8 *tile, gint64 start, gint64 end, GError **error)
{
  for (gint64 index = start; index < end; index += REDUCE_BLOCK)
    {
      gsize rows = MIN (end - index, REDUCE_BLOCK);

      if (cancelled (walker, (gint64) (rows * walker->tree.width), error))
        return FALSE;
      if (!push_block (walker, tile, index, rows, error))
        return FALSE;
      reduce_tree_push (&walker->tree, rows);
    }
  return TRUE;
}

gboolean
reduce_walk_elements (Walker *walker, gint64 output, gsize width, gint64 start, gint64 end, GError **error)
{
  const Walk *walk = walker->walk;
  const guint8 *first = walk->input + axes_offset (&walk->kept, output) * (gint64) walk->size;

  reduce_tree_begin (&walker->tree, width);
  switch (walk->way)
    {
    case WAY_DIRECT:
      return push_packed (walker, first + start * (gint64) walk->size, walk->size, start, end - start, error);
    case WAY_PACKED:
      return push_unpacked (walker, output, start, end, error);
    default:
      return push_rows (walker, first, start, end, error);
    }
}

/* ---- Results ---- */

/* Of one block each, a step of elements apart. */
static gboolean
finish_short (Walker *walker, const guint8 *elements, gsize size, gint64 step, gint64 output, gint64 n, GError **error)
{
  const ReduceCall *call = walker->walk->call;
  gint64 together = (gint64) walker->tile;

  for (gint64 first = 0; first < n; first += together)
    {
      gsize width = MIN (n - first, together);

      if (cancelled (walker, (gint64) width * call->count, error))
        return FALSE;
      call->fold->results (walker->tree.storage, elements + first * step * (gint64) size, step, width,
                           (gsize) call->count);
      call->finish (call, walker->tree.storage, output + first, width);
    }
  return TRUE;
}

static gboolean
walk_short (Walker *walker, gint64 first, gint64 end, GError **error)
{
  const Walk *walk = walker->walk;
  gint64 run = axes_run (&walk->kept), step = axes_run_stride (&walk->kept);

  for (gint64 output = first, n; output < end; output += n)
    {
      n = MIN (run - output % run, end - output);
      if (!finish_short (walker, walk->input + axes_offset (&walk->kept, output) * (gint64) walk->size, walk->size,
                         step, output, n, error))
        return FALSE;
    }
  return TRUE;
}

/* Several of them are packed together. */
static gboolean
walk_short_packed (Walker *walker, gint64 first, gint64 end, GError **error)
{
  const ReduceCall *call = walker->walk->call;
  gsize size = candela_dtype_get_size (call->dtype);
  g_autoptr (CandelaLayout) layout = permute_last (call, error);

  if (layout == NULL)
    return FALSE;
  for (gint64 output = first, n; output < end; output += n)
    {
      n = MIN (walker->pack / call->count, end - output);
      candela_kernel_pack_layout (call->kernel, 0, layout, call->dtype, output * call->count, (gsize) (n * call->count),
                                  walker->scratch);
      if (!finish_short (walker, walker->scratch, size, call->count, output, n, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
reduce_walk_results (Walker *walker, gint64 first, gint64 end, GError **error)
{
  const Walk *walk = walker->walk;
  const ReduceCall *call = walk->call;
  gint64 run = axes_run (&walk->kept);

  if (walk->way != WAY_ROWS && call->count <= REDUCE_BLOCK)
    return walk->way == WAY_DIRECT ? walk_short (walker, first, end, error)
                                   : walk_short_packed (walker, first, end, error);
  for (gint64 output = first, n; output < end; output += n)
    {
      n = walk->way == WAY_ROWS ? MIN (MIN (run - output % run, end - output), (gint64) walker->tile) : 1;
      if (!reduce_walk_elements (walker, output, (gsize) n, 0, call->count, error))
        return FALSE;
      call->finish (call, reduce_tree_end (&walker->tree), output, (gsize) n);
    }
  return TRUE;
}

/* ---- Rows ---- */

/* Rows of more than a block. */
static __attribute__ ((noinline)) void
reduce_long_rows (const ReduceFold *fold, gpointer partials, const guint8 *elements, gsize size, gint64 step,
                  gsize n_rows, gsize n)
{
  guint8 storage[G_N_ELEMENTS (((Tree *) NULL)->counts) * 64] __attribute__ ((aligned (64)));
  Tree tree = { .storage = storage };

  tree_init (&tree, fold, 1, 0);
  for (gsize t = 0; t < n_rows; t++)
    {
      const guint8 *row = elements + (gint64) t * step * (gint64) size;

      reduce_tree_begin (&tree, 1);
      for (gsize done = 0, part; done < n; done += part)
        {
          part = MIN (n - done, REDUCE_PIECE);
          fold->piece (reduce_tree_top (&tree), row + done * size, part, (gint64) done);
          reduce_tree_push (&tree, (gint64) part);
        }
      memcpy ((guint8 *) partials + t * fold->partial_size, reduce_tree_end (&tree), fold->partial_size);
    }
}

void
reduce_rows (const ReduceFold *fold, gpointer partials, gconstpointer elements, gsize size, gint64 step, gsize n_rows,
             gsize n)
{
  if (n <= REDUCE_BLOCK)
    fold->results (partials, elements, step, n_rows, n);
  else
    reduce_long_rows (fold, partials, elements, size, step, n_rows, n);
}

/* ---- All ---- */

/* Whether rows come in whole groups. */
static gboolean
can_take_rows (const Walk *walk)
{
  const gsize group = walk->call->fold->group;

  return group == 0 || walk->reduced.rank <= 1 || axes_run (&walk->reduced) % (gint64) group == 0;
}

static gboolean
is_narrow (const Walk *walk)
{
  return walk->kept.rank > 1 && axes_run (&walk->kept) <= FEW_NEIGHBOURS && walk->call->count <= FEW_ROWS;
}

Way
reduce_choose_way (const Walk *walk)
{
  gboolean cast = walk->call->dtype != candela_kernel_get_input_dtype (walk->call->kernel, 0);

  if (!cast && walk->reduced.rank <= 1 && axes_run_stride (&walk->reduced) == 1)
    return WAY_DIRECT;
  if (!cast && axes_run (&walk->kept) > 1 && axes_run_stride (&walk->kept) == 1 && can_take_rows (walk)
      && !is_narrow (walk))
    return WAY_ROWS;
  return WAY_PACKED;
}

/* Whole pieces, unless all is less. Where the elements of a run lie apart, those of
 * the next runs share its cache lines: enough is packed at a time that they are
 * still there. */
static gint64
choose_pack (const Walk *walk, gint64 n_results)
{
  gint64 run = axes_run (&walk->reduced), pack = PACK_ELEMENTS;

  if (walk->reduced.rank >= 2 && ABS (axes_run_stride (&walk->reduced)) != 1)
    pack = CLAMP (MIN (run, PACK_MOST) * PACK_ROWS, PACK_ELEMENTS, PACK_MOST) / REDUCE_PIECE * REDUCE_PIECE;
  return walk->call->count <= REDUCE_BLOCK ? MIN (pack, n_results * walk->call->count) : MIN (pack, walk->call->count);
}

gboolean
reduce_walker_init (Walker *walker, const Walk *walk, gint64 n_results, GError **error)
{
  const ReduceCall *call = walk->call;
  gint64 piece = walk->way == WAY_ROWS ? REDUCE_BLOCK : REDUCE_PIECE;
  gsize tree_size, scratch_size = 0;
  guint8 *memory = walker->local;

  walker->walk = walk;
  walker->seen = 0;
  walker->heap = walker->later = NULL;
  walker->tile = 1;
  if (walk->way == WAY_ROWS)
    walker->tile = (gsize) MIN (MIN (axes_run (&walk->kept), n_results), (gint64) call->fold->tile);
  else if (call->count <= REDUCE_BLOCK)
    walker->tile = (gsize) MIN (n_results, TOGETHER);
  tree_size = tree_init (&walker->tree, call->fold, walker->tile, (call->count + piece - 1) / piece);
  if (walk->way == WAY_ROWS && call->fold->block == NULL)
    scratch_size = walker->tile * call->fold->scratch_size;
  else if (walk->way == WAY_PACKED)
    {
      walker->pack = choose_pack (walk, n_results);
      scratch_size = (gsize) walker->pack * candela_dtype_get_size (call->dtype);
    }
  if (tree_size + scratch_size > sizeof walker->local)
    memory = walker->heap = g_try_malloc (tree_size + scratch_size);
  walker->tree.storage = memory;
  walker->scratch = scratch_size > 0 && memory != NULL ? memory + tree_size : NULL;
  if (memory != NULL)
    return TRUE;
  g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "there is no memory to reduce in");
  return FALSE;
}

void
reduce_walker_clear (Walker *walker)
{
  g_free (walker->heap);
  g_free (walker->later);
}
