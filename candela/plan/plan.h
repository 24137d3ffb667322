/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/graph/node.h>

G_BEGIN_DECLS

#define CANDELA_TYPE_PLAN (candela_plan_get_type ())

/**
 * CandelaPlan:
 *
 * What runs, in what order, into which buffer, and what is freed when. Made from
 * the structure, layouts and dtypes of a graph, never from data. Immutable and
 * reference-counted.
 *
 * Since: 1.0
 */
typedef struct _CandelaPlan CandelaPlan;

/**
 * CandelaPlanFlags:
 * @CANDELA_PLAN_DEFAULT: all that saves memory or time
 * @CANDELA_PLAN_NO_FUSION: every op is a step of its own
 * @CANDELA_PLAN_NO_REUSE: freed buffers are not given to later results
 * @CANDELA_PLAN_NO_IN_PLACE: no result is written over an input
 *
 * What the planner may not do. No flag changes a bit of any result.
 *
 * Since: 1.0
 */
typedef enum {
  CANDELA_PLAN_DEFAULT = 0,
  CANDELA_PLAN_NO_FUSION = 1 << 0,
  CANDELA_PLAN_NO_REUSE = 1 << 1,
  CANDELA_PLAN_NO_IN_PLACE = 1 << 2
} CandelaPlanFlags;

#define CANDELA_TYPE_PLAN_FLAGS (candela_plan_flags_get_type ())

/**
 * CandelaOutputKind:
 * @CANDELA_OUTPUT_ALLOCATE: a fresh buffer
 * @CANDELA_OUTPUT_REUSE: a buffer that an earlier step was done with
 * @CANDELA_OUTPUT_IN_PLACE: written over an input
 * @CANDELA_OUTPUT_REFERENCE_SLOT: another layout over a buffer of the plan
 * @CANDELA_OUTPUT_REFERENCE_ETERNAL: another layout over a buffer from outside
 *
 * The five ways to produce an output.
 *
 * Since: 1.0
 */
typedef enum {
  CANDELA_OUTPUT_ALLOCATE,
  CANDELA_OUTPUT_REUSE,
  CANDELA_OUTPUT_IN_PLACE,
  CANDELA_OUTPUT_REFERENCE_SLOT,
  CANDELA_OUTPUT_REFERENCE_ETERNAL
} CandelaOutputKind;

#define CANDELA_TYPE_OUTPUT_KIND (candela_output_kind_get_type ())

CANDELA_AVAILABLE_IN_1_0
GType candela_plan_get_type (void);

CANDELA_AVAILABLE_IN_1_0
GType candela_plan_flags_get_type (void);

CANDELA_AVAILABLE_IN_1_0
GType candela_output_kind_get_type (void);

CANDELA_AVAILABLE_IN_1_0
CandelaPlan *candela_plan_new (CandelaNode *const *roots, gsize n_roots, CandelaPlanFlags flags, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaPlan *candela_node_plan (CandelaNode *node, CandelaPlanFlags flags, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaPlan *candela_plan_ref (CandelaPlan *plan);

CANDELA_AVAILABLE_IN_1_0
void candela_plan_unref (CandelaPlan *plan);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_plan_equal (CandelaPlan *a, CandelaPlan *b);

CANDELA_AVAILABLE_IN_1_0
guint candela_plan_get_n_steps (CandelaPlan *plan);

CANDELA_AVAILABLE_IN_1_0
guint candela_plan_get_n_roots (CandelaPlan *plan);

CANDELA_AVAILABLE_IN_1_0
guint candela_plan_get_n_allocations (CandelaPlan *plan);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_plan_get_peak_bytes (CandelaPlan *plan);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_plan_get_lower_bound_bytes (CandelaPlan *plan);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_plan_get_intermediate_bytes (CandelaPlan *plan);

CANDELA_AVAILABLE_IN_1_0
char *candela_plan_get_step_op (CandelaPlan *plan, guint step);

CANDELA_AVAILABLE_IN_1_0
CandelaOutputKind candela_plan_get_step_output_kind (CandelaPlan *plan, guint step, guint output);

CANDELA_AVAILABLE_IN_1_0
char *candela_plan_to_string (CandelaPlan *plan);

CANDELA_AVAILABLE_IN_1_0
char *candela_plan_to_json (CandelaPlan *plan);

CANDELA_AVAILABLE_IN_1_0
char *candela_plan_to_dot (CandelaPlan *plan);

CANDELA_AVAILABLE_IN_1_0
char *candela_plan_to_svg (CandelaPlan *plan, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaNode *candela_node_new_baked (CandelaPlan *plan, CandelaNode *const *inputs, gsize n_inputs, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CandelaPlan, candela_plan_unref)

G_END_DECLS
