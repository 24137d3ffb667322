/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Between walk.c, which takes the elements of results in order, and run.c, which
 * shares results and elements among threads. */
#pragma once

#include "reduce.h"

/* Results worked on side by side. */
#define REDUCE_TILE 512

/* Axes of one kind, extents of 1 dropped and neighbours made one where they step
 * alike. */
typedef struct
{
  gint64 extents[CANDELA_MAX_RANK];
  gint64 strides[CANDELA_MAX_RANK];
  guint rank;
  gint64 n;
} Axes;

/* Partials that wait for one of their own height. */
typedef struct
{
  const ReduceFold *fold;
  guint8 *storage;
  gsize width;
  gsize level_size;
  gint64 counts[CANDELA_MAX_RANK * 2];
  guint depth;
  gint64 n_blocks;
} Tree;

typedef struct
{
  ReduceCall *call;
  const guint8 *input;
  gsize size; /* of an element in memory */
  Axes kept, reduced;
  gint64 first, end; /* results */
  gint64 seen;       /* elements since the cancellable was looked at */
  Tree tree;
  gint64 pack;      /* elements that are packed at a time */
  gpointer scratch; /* packed elements, or lanes */
} Walk;

typedef enum {
  WAY_DIRECT,
  WAY_PACKED,
  WAY_ROWS
} Way;

void reduce_axes_add (Axes *axes, gint64 extent, gint64 stride);
gint64 reduce_axes_offset (const Axes *axes, gint64 index);

void reduce_tree_begin (Tree *tree, gsize width);
gpointer reduce_tree_top (Tree *tree);
void reduce_tree_push (Tree *tree, gint64 count);
gconstpointer reduce_tree_end (Tree *tree);

CandelaLayout *reduce_permute_last (const ReduceCall *call, GError **error);
gboolean reduce_push_packed (Walk *walk, const guint8 *elements, gsize size, gint64 index, gint64 n, GError **error);
gboolean reduce_push_unpacked (Walk *walk, const CandelaLayout *layout, gint64 output, gint64 start, gint64 end,
                               GError **error);

/* Scratch memory, for the results from first to end; walk_clear frees it. */
Way reduce_choose_way (const Walk *walk);
gboolean reduce_walk_prepare (Walk *walk, Way way, GError **error);
void reduce_walk_clear (Walk *walk);
gboolean reduce_run_results (Walk *walk, Way way, GError **error);
