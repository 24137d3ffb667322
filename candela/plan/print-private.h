/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the four ways of printing a plan share. */
#pragma once

#include <candela/plan/plan-private.h>

G_BEGIN_DECLS

/* "allocate", "reuse", "in-place", "reference-slot", "reference-eternal". */
const char *candela_plan_kind_name (guint kind);

/* "kernel", "element-wise", "fused", "reference", "pack", "baked". */
const char *candela_plan_step_kind_name (const CandelaPlanStep *step);

/* The colour that stands for the kind in pictures. */
const char *candela_plan_kind_color (guint kind);

/* For each value the step that produces it, or CANDELA_PLAN_NONE. */
guint32 *candela_plan_find_producers (const CandelaPlan *plan);

/* The values that no step produces and that a step or a root reads, in order, each
 * once; n is their number. */
guint32 *candela_plan_find_leaves (const CandelaPlan *plan, const guint32 *producers, guint32 *n);

/* "scalar", "slot", "cache", "edge". */
const char *candela_plan_leaf_kind (const CandelaPlan *plan, guint32 value);

/* The name of a slot node, or NULL. */
const char *candela_plan_leaf_name (const CandelaPlan *plan, guint32 value);

/* How a value is referred to: a slot's name, a scalar's value, or "%3". */
char *candela_plan_value_label (const CandelaPlan *plan, guint32 value);

/* "float32 [2, 3]". */
char *candela_plan_value_type (const CandelaPlan *plan, guint32 value);

/* The name of a part's op. */
const char *candela_plan_part_name (const CandelaPlanPart *part);

/* As candela_plan_step_name(), but no longer than a line bears. */
char *candela_plan_step_short_name (const CandelaPlan *plan, const CandelaPlanStep *step);

/* Bytes that the output takes in its slot: none for a reference. */
guint64 candela_plan_output_bytes (const CandelaPlan *plan, const CandelaPlanOutput *output);

/* Bytes held at each step, by the slots that live then (and by a plan within the
 * plan while it runs). */
guint64 *candela_plan_find_held_bytes (const CandelaPlan *plan);

/* print-chart.c: which slot lives when, and the bytes held at each step, as SVG
 * elements from (0, 0) on; how large it is. */
void candela_plan_append_chart (const CandelaPlan *plan, GString *svg, double *width, double *height);

/* "24 B", "1.50 KiB". */
char *candela_plan_bytes_to_string (guint64 bytes);

static inline const CandelaPlanOutput *
candela_plan_step_output (const CandelaPlan *plan, const CandelaPlanStep *step, guint output)
{
  return &plan->outputs[step->first_output + output];
}

/* The slot that the output lies in, or CANDELA_PLAN_NONE. */
static inline guint32
candela_plan_output_slot (const CandelaPlan *plan, const CandelaPlanOutput *output)
{
  const CandelaPlanValue *value = &plan->values[output->value];
  return value->storage == CANDELA_STORAGE_SLOT ? value->source : CANDELA_PLAN_NONE;
}

G_END_DECLS
