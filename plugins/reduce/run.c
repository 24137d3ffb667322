/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A reduction among threads: the results in chunks, or, where they are few and
 * long, the elements of each in chunks that are whole trees of the order that
 * reduce.h defines. Either way no bit depends on who does what. */
#include "walk.h"

/* Elements of a chunk, which one thread takes at a time. That of a single result
 * is of a power of two of blocks: a whole tree. */
#define CHUNK_ELEMENTS (64 * REDUCE_BLOCK)
/* Results up to which each is cut into chunks rather than they among them. */
#define FEW_RESULTS 8

static gboolean
run_empty (Walk *walk)
{
  const ReduceCall *call = walk->call;
  static const double zeros[4] = { 0 };

  for (gint64 output = 0; output < walk->kept.n; output++)
    call->finish (call, call->fold->empty != NULL ? call->fold->empty : zeros, output, 1);
  return TRUE;
}

/* The results, or the elements of one, in chunks. The first error stops all. */
typedef struct
{
  const Walk *whole;
  Way way;
  gint64 per_chunk;
  gint64 output;    /* whose elements are cut */
  guint8 *partials; /* of each chunk of them; NULL: the results are cut */
  GMutex lock;
  GError *error;
} Share;

/* A chunk of a result's elements becomes the tree that it is in the whole. */
static gboolean
run_part (Walk *walk, const Share *share, gint64 start, gint64 end, guint8 *partial, GError **error)
{
  reduce_tree_begin (&walk->tree, 1);
  if (share->way == WAY_DIRECT)
    {
      gint64 first = reduce_axes_offset (&walk->kept, share->output) + start;

      if (!reduce_push_packed (walk, walk->input + first * (gint64) walk->size, walk->size, start, end - start, error))
        return FALSE;
    }
  else
    {
      g_autoptr (CandelaLayout) layout = reduce_permute_last (walk->call, error);

      if (layout == NULL || !reduce_push_unpacked (walk, layout, share->output, start, end, error))
        return FALSE;
    }
  memcpy (partial, reduce_tree_end (&walk->tree), walk->call->fold->partial_size);
  return TRUE;
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  Share *share = data;
  Walk walk = *share->whole;
  gint64 start = (gint64) chunk * share->per_chunk;
  g_autoptr (GError) error = NULL;
  gboolean stopped;

  g_mutex_lock (&share->lock);
  stopped = share->error != NULL;
  g_mutex_unlock (&share->lock);
  if (stopped)
    return;

  walk.first = start;
  walk.end = MIN (start + share->per_chunk, walk.kept.n);
  if (reduce_walk_prepare (&walk, share->way, &error))
    {
      if (share->partials != NULL)
        run_part (&walk, share, start, MIN (start + share->per_chunk, walk.call->count),
                  share->partials + chunk * walk.call->fold->partial_size, &error);
      else
        reduce_run_results (&walk, share->way, &error);
    }
  reduce_walk_clear (&walk);
  if (error != NULL)
    {
      g_mutex_lock (&share->lock);
      if (share->error == NULL)
        share->error = g_steal_pointer (&error);
      g_mutex_unlock (&share->lock);
    }
}

static gboolean
run_share (Share *share, gint64 n, GError **error)
{
  g_mutex_init (&share->lock);
  candela_kernel_parallel_for (share->whole->call->kernel, (guint64) ((n + share->per_chunk - 1) / share->per_chunk),
                               run_chunk, share);
  g_mutex_clear (&share->lock);
  if (share->error == NULL)
    return TRUE;
  g_propagate_error (error, share->error);
  return FALSE;
}

/* A few long results: one after the other, each cut into trees, which are joined
 * as they would have been. */
static gboolean
run_long (Walk *walk, Way way, GError **error)
{
  const ReduceCall *call = walk->call;
  gint64 n_chunks = (call->count + CHUNK_ELEMENTS - 1) / CHUNK_ELEMENTS;
  g_autofree guint8 *partials = g_try_malloc ((gsize) n_chunks * call->fold->partial_size);

  if (partials == NULL || !reduce_walk_prepare (walk, way, error))
    {
      if (partials == NULL)
        g_set_error_literal (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "there is no memory to reduce in");
      return FALSE;
    }
  for (gint64 output = 0; output < walk->kept.n; output++)
    {
      Share share = { .whole = walk, .way = way, .per_chunk = CHUNK_ELEMENTS, .output = output, .partials = partials };

      if (!run_share (&share, call->count, error))
        return FALSE;
      reduce_tree_begin (&walk->tree, 1);
      for (gint64 chunk = 0; chunk < n_chunks; chunk++)
        {
          memcpy (reduce_tree_top (&walk->tree), partials + chunk * (gint64) call->fold->partial_size,
                  call->fold->partial_size);
          reduce_tree_push (&walk->tree, MIN (call->count - chunk * CHUNK_ELEMENTS, CHUNK_ELEMENTS));
        }
      call->finish (call, reduce_tree_end (&walk->tree), output, 1);
    }
  return TRUE;
}

static gboolean
run_walk (Walk *walk, GError **error)
{
  gint64 count = walk->call->count;
  Way way = reduce_choose_way (walk);
  Share share = { .whole = walk, .way = way };

  if (walk->kept.n <= CHUNK_ELEMENTS / count)
    {
      walk->end = walk->kept.n;
      return reduce_walk_prepare (walk, way, error) && reduce_run_results (walk, way, error);
    }
  if (walk->kept.n <= FEW_RESULTS && way != WAY_ROWS && count > 2 * CHUNK_ELEMENTS)
    return run_long (walk, way, error);
  share.per_chunk = MAX (CHUNK_ELEMENTS / count, 1);
  if (way == WAY_ROWS)
    share.per_chunk = (share.per_chunk + REDUCE_TILE - 1) / REDUCE_TILE * REDUCE_TILE;
  return run_share (&share, walk->kept.n, error);
}

gboolean
reduce_run (ReduceCall *call, GError **error)
{
  const CandelaLayout *layout = candela_kernel_get_input_layout (call->kernel, 0);
  CandelaDType dtype = candela_kernel_get_input_dtype (call->kernel, 0);
  const gint64 *shape, *strides;
  gsize rank;
  Walk walk = { .call = call, .kept.n = 1, .reduced.n = 1 };
  gboolean done;

  if (call->fold == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE, "there is no reduction of dtype %s",
                   candela_dtype_get_name (dtype));
      return FALSE;
    }
  shape = candela_layout_get_shape (layout, &rank);
  strides = candela_layout_get_strides (layout, &rank);
  for (gsize axis = 0; axis < rank; axis++)
    reduce_axes_add ((call->axes >> axis & 1) != 0 ? &walk.reduced : &walk.kept, shape[axis], strides[axis]);
  walk.size = candela_dtype_get_size (dtype);
  call->count = walk.reduced.n;
  if (walk.kept.n == 0)
    return TRUE;
  if (call->count == 0)
    return run_empty (&walk);
  walk.input = candela_kernel_get_input (call->kernel, 0);
  done = run_walk (&walk, error);
  reduce_walk_clear (&walk);
  return done;
}

/* Results that were computed in binary64, into output n, a floating one. */
void
reduce_store_double (const ReduceCall *call, guint n, gint64 output, const double *values, gsize width)
{
  gpointer out = candela_kernel_get_output (call->kernel, n);

  if (candela_kernel_get_output_dtype (call->kernel, n) == CANDELA_DTYPE_FLOAT64)
    memcpy ((double *) out + output, values, width * sizeof *values);
  else
    for (gsize t = 0; t < width; t++)
      ((float *) out)[output + (gint64) t] = (float) values[t];
}
