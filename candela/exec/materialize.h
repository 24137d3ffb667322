/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/plan/plan.h>

G_BEGIN_DECLS

/**
 * CandelaProgressFunc:
 * @done: how much is done
 * @total: of how much, in the same unit (elements written)
 * @user_data: the caller's data
 *
 * Told how far a run is, on the thread that runs the plan: at each step, and
 * within long ones.
 *
 * Since: 1.0
 */
typedef void (*CandelaProgressFunc) (guint64 done, guint64 total, gpointer user_data);

/**
 * CandelaRunStats:
 * @steps: steps that ran
 * @allocations: buffers that were allocated
 * @allocated_bytes: their bytes, all together
 * @peak_bytes: the most that was held at once
 * @nanoseconds: how long the run took
 * @pooled_bytes: what candela_get_pooled_bytes() was when it was over: memory of the
 *   whole process that nothing uses
 *
 * What a run did; inputs are not counted.
 *
 * Since: 1.0
 */
typedef struct
{
  guint64 steps;
  guint64 allocations;
  guint64 allocated_bytes;
  guint64 peak_bytes;
  guint64 nanoseconds;
  guint64 pooled_bytes;
} CandelaRunStats;

CANDELA_AVAILABLE_IN_1_0
CandelaTensor *candela_node_materialize (CandelaNode *node, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaTensor **candela_materialize (CandelaNode *const *nodes, gsize n_nodes, gsize *n_tensors, GError **error);

CANDELA_AVAILABLE_IN_1_0
GPtrArray *candela_materialize_array (CandelaNode *const *nodes, gsize n_nodes, GError **error);

CANDELA_AVAILABLE_IN_1_0
void candela_node_materialize_async (CandelaNode *node, GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer user_data);

CANDELA_AVAILABLE_IN_1_0
CandelaTensor *candela_node_materialize_finish (CandelaNode *node, GAsyncResult *result, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaTensor **candela_plan_run (CandelaPlan *plan, CandelaTensor *const *slots, gsize n_slots,
                                  GCancellable *cancellable, CandelaProgressFunc progress, gpointer user_data,
                                  CandelaRunStats *stats, gsize *n_tensors, GError **error);

CANDELA_AVAILABLE_IN_1_0
GPtrArray *candela_plan_run_array (CandelaPlan *plan, CandelaTensor *const *slots, gsize n_slots,
                                   GCancellable *cancellable, CandelaProgressFunc progress, gpointer user_data,
                                   CandelaRunStats *stats, GError **error);

CANDELA_AVAILABLE_IN_1_0
void candela_set_num_threads (guint n);

CANDELA_AVAILABLE_IN_1_0
guint candela_get_num_threads (void);

G_END_DECLS
