/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Between walk.c, which takes the elements of results in order, and run.c, which
 * shares results and elements among threads. */
#pragma once

#include "reduce.h"

/* Axes of one kind, extents of 1 dropped and neighbours made one where they step
 * alike. */
typedef struct
{
  guint rank;
  gint64 n;
  gint64 extents[CANDELA_MAX_RANK];
  gint64 strides[CANDELA_MAX_RANK];
} Axes;

/* Partials that wait for one of their own height. */
typedef struct
{
  const ReduceFold *fold;
  guint8 *storage;
  gsize width;
  gsize level_size;
  guint depth;
  gint64 n_pieces;
  gint64 counts[CANDELA_MAX_RANK * 2];
} Tree;

typedef enum {
  WAY_DIRECT,
  WAY_PACKED,
  WAY_ROWS
} Way;

/* Most of it is written only as far as it is used: small reductions are many. */
typedef struct
{
  ReduceCall *call;
  const guint8 *input;
  gsize size; /* of an element in memory */
  Way way;
  Axes kept, reduced;
} Walk;

/* What a thread has while it walks; with memory of its own, in which small walks
 * find room. */
typedef struct
{
  const Walk *walk;
  gint64 seen; /* elements since the cancellable was looked at */
  gsize tile;
  gint64 pack;     /* elements that are packed at a time */
  guint8 *scratch; /* packed elements, or lanes; NULL: none yet */
  gpointer heap, later;
  Tree tree;
  guint8 local[16 * 1024] __attribute__ ((aligned (64)));
} Walker;

void reduce_axes_clear (Axes *axes);
void reduce_axes_add (Axes *axes, gint64 extent, gint64 stride);

void reduce_tree_begin (Tree *tree, gsize width);
gpointer reduce_tree_top (Tree *tree);
void reduce_tree_push (Tree *tree, gint64 count);
gconstpointer reduce_tree_end (Tree *tree);

/* The way that the strides favour. */
Way reduce_choose_way (const Walk *walk);

/* Memory for up to so many results; to be cleared, also after an error. */
gboolean reduce_walker_init (Walker *walker, const Walk *walk, gint64 n_results, GError **error);
void reduce_walker_clear (Walker *walker);

/* Results from first to end, finished; and elements from start, a number of whole
 * pieces, to end, of one result or of neighbours that are walked row by row: into
 * the tree. */
gboolean reduce_walk_results (Walker *walker, gint64 first, gint64 end, GError **error);
gboolean reduce_walk_elements (Walker *walker, gint64 output, gsize width, gint64 start, gint64 end, GError **error);
