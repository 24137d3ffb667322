/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A reduction among threads: the results in chunks, or, where they are few and
 * long, the elements of each in chunks that are whole trees of the order that
 * reduce.h defines. Either way no bit depends on who does what. */
#include "walk.h"
#include <pthread.h>

/* Elements of a chunk, which one thread takes at a time. That of the elements of
 * results is a power of two of blocks: a whole tree. */
#define CHUNK_ELEMENTS (64 * REDUCE_BLOCK)
/* Results up to which each is cut into chunks rather than they among them. */
#define FEW_RESULTS 8

static gboolean
run_empty (const ReduceCall *call, gint64 n_results)
{
  static const double zeros[4] = { 0 };

  for (gint64 output = 0; output < n_results; output++)
    call->finish (call, call->fold->empty != NULL ? call->fold->empty : zeros, output, 1);
  return TRUE;
}

/* The results, or the elements of some, in chunks. The first error stops all. */
typedef struct
{
  const Walk *walk;
  gint64 per_chunk;
  gint64 output;    /* the first of those whose elements are cut */
  gsize width;      /* and their number */
  guint8 *partials; /* of each chunk of them; NULL: the results are cut */
  gsize partial_size;
  pthread_mutex_t lock;
  GError *error;
} Share;

/* A chunk of results' elements becomes the tree that it is in the whole. */
static gboolean
run_part (Walker *walker, const Share *share, gint64 chunk, GError **error)
{
  gint64 start = chunk * share->per_chunk;
  gint64 end = MIN (start + share->per_chunk, share->walk->call->count);

  if (!reduce_walk_elements (walker, share->output, share->width, start, end, error))
    return FALSE;
  memcpy (share->partials + chunk * (gint64) share->partial_size, reduce_tree_end (&walker->tree),
          share->width * share->walk->call->fold->partial_size);
  return TRUE;
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  Share *share = data;
  const Walk *walk = share->walk;
  g_autoptr (GError) error = NULL;
  gboolean stopped;
  Walker walker;

  pthread_mutex_lock (&share->lock);
  stopped = share->error != NULL;
  pthread_mutex_unlock (&share->lock);
  if (stopped)
    return;

  if (reduce_walker_init (&walker, walk, share->partials != NULL ? (gint64) share->width : share->per_chunk, &error))
    {
      gint64 first = (gint64) chunk * share->per_chunk;

      if (share->partials != NULL)
        run_part (&walker, share, (gint64) chunk, &error);
      else
        reduce_walk_results (&walker, first, MIN (first + share->per_chunk, walk->kept.n), &error);
    }
  reduce_walker_clear (&walker);
  if (error != NULL)
    {
      pthread_mutex_lock (&share->lock);
      if (share->error == NULL)
        share->error = g_steal_pointer (&error);
      pthread_mutex_unlock (&share->lock);
    }
}

static gboolean
run_share (Share *share, gint64 n, GError **error)
{
  pthread_mutex_init (&share->lock, NULL);
  candela_kernel_parallel_for (share->walk->call->kernel, (guint64) ((n + share->per_chunk - 1) / share->per_chunk),
                               run_chunk, share);
  pthread_mutex_destroy (&share->lock);
  if (share->error == NULL)
    return TRUE;
  g_propagate_error (error, share->error);
  return FALSE;
}

/* Of results side by side: their elements are cut into trees, which are joined as
 * they would have been. */
static gboolean
run_long_results (Share *share, Walker *walker, GError **error)
{
  const ReduceCall *call = share->walk->call;
  gint64 n_chunks = (call->count + share->per_chunk - 1) / share->per_chunk;

  if (!run_share (share, call->count, error))
    return FALSE;
  reduce_tree_begin (&walker->tree, share->width);
  for (gint64 chunk = 0; chunk < n_chunks; chunk++)
    {
      memcpy (reduce_tree_top (&walker->tree), share->partials + chunk * (gint64) share->partial_size,
              share->width * call->fold->partial_size);
      reduce_tree_push (&walker->tree, MIN (call->count - chunk * share->per_chunk, share->per_chunk));
    }
  call->finish (call, reduce_tree_end (&walker->tree), share->output, share->width);
  return TRUE;
}

/* A few long results, one after the other or, where they are walked row by row, all
 * together. */
static gboolean
run_long (const Walk *walk, gsize width, gint64 per_chunk, GError **error)
{
  const ReduceCall *call = walk->call;
  gsize partial_size = (width * call->fold->partial_size + 63) / 64 * 64;
  gint64 n_chunks = (call->count + per_chunk - 1) / per_chunk;
  g_autofree guint8 *partials = g_try_malloc ((gsize) n_chunks * partial_size);
  gboolean ok = TRUE;
  Walker walker;

  if (partials == NULL)
    {
      g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "there is no memory to reduce in");
      return FALSE;
    }
  ok = reduce_walker_init (&walker, walk, (gint64) width, error);
  for (gint64 output = 0; ok && output < walk->kept.n; output += (gint64) width)
    {
      Share share = { .walk = walk,
                      .per_chunk = per_chunk,
                      .output = output,
                      .width = width,
                      .partials = partials,
                      .partial_size = partial_size };

      ok = run_long_results (&share, &walker, error);
    }
  reduce_walker_clear (&walker);
  return ok;
}

static gboolean
run_small (const Walk *walk, GError **error)
{
  Walker walker;
  gboolean ok =
    reduce_walker_init (&walker, walk, walk->kept.n, error) && reduce_walk_results (&walker, 0, walk->kept.n, error);

  reduce_walker_clear (&walker);
  return ok;
}

/* Half as many where each takes longer. */
static gint64
chunk_elements (const ReduceFold *fold)
{
  return fold->slow ? CHUNK_ELEMENTS / 2 : CHUNK_ELEMENTS;
}

static gboolean
run_large (const Walk *walk, GError **error)
{
  gint64 count = walk->call->count, n = walk->kept.n, elements = chunk_elements (walk->call->fold);
  gint64 per_chunk = elements;
  gint64 tile = (gint64) walk->call->fold->tile;
  Share share = { .walk = walk };

  if (walk->way != WAY_ROWS && n <= FEW_RESULTS && count > 2 * elements)
    return run_long (walk, 1, per_chunk, error);
  if (walk->way == WAY_ROWS && n <= tile && walk->kept.rank == 1 && count > REDUCE_BLOCK)
    {
      while (per_chunk > REDUCE_BLOCK && per_chunk / 2 * n >= elements)
        per_chunk /= 2;
      return run_long (walk, (gsize) n, per_chunk, error);
    }
  share.per_chunk = MAX (elements / count, 1);
  if (walk->way == WAY_ROWS)
    {
      /* Wide, as memory is read row by row; but not all in one chunk, if there are others to
       * take one. */
      share.per_chunk = (share.per_chunk + tile - 1) / tile * tile;
      if (share.per_chunk >= n && n / 2 * count >= elements && candela_get_num_threads () > 1)
        share.per_chunk = (n / 2 + 63) / 64 * 64;
    }
  return run_share (&share, n, error);
}

static gboolean
run_walk (const Walk *walk, GError **error)
{
  return walk->kept.n * walk->call->count <= chunk_elements (walk->call->fold) ? run_small (walk, error)
                                                                               : run_large (walk, error);
}

gboolean
reduce_run (ReduceCall *call, GError **error)
{
  const CandelaLayout *layout = candela_kernel_get_input_layout (call->kernel, 0);
  CandelaDType dtype = candela_kernel_get_input_dtype (call->kernel, 0);
  const gint64 *shape, *strides;
  gsize rank;
  Walk walk;

  if (call->fold == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE, "there is no reduction of dtype %s",
                   candela_dtype_get_name (dtype));
      return FALSE;
    }
  shape = candela_layout_get_shape (layout, &rank);
  strides = candela_layout_get_strides (layout, &rank);
  reduce_axes_clear (&walk.kept);
  reduce_axes_clear (&walk.reduced);
  for (gsize axis = 0; axis < rank; axis++)
    reduce_axes_add ((call->axes >> axis & 1) != 0 ? &walk.reduced : &walk.kept, shape[axis], strides[axis]);
  walk.call = call;
  walk.size = candela_dtype_get_size (dtype);
  call->count = walk.reduced.n;
  if (walk.kept.n == 0)
    return TRUE;
  if (call->count == 0)
    return run_empty (call, walk.kept.n);
  walk.input = candela_kernel_get_input (call->kernel, 0);
  walk.way = walk.input != NULL ? reduce_choose_way (&walk) : WAY_PACKED;
  return run_walk (&walk, error);
}
