/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/exec/materialize.h>

G_BEGIN_DECLS

#define CANDELA_TYPE_RUN_PROFILE (candela_run_profile_get_type ())

/**
 * CandelaRunProfile:
 *
 * How long each step of a run took, how many bytes it had to read and write, and how
 * much it had to compute.
 * Immutable and reference-counted; it keeps the plan.
 *
 * Since: 1.0
 */
typedef struct _CandelaRunProfile CandelaRunProfile;

CANDELA_AVAILABLE_IN_1_0
GType candela_run_profile_get_type (void);

CANDELA_AVAILABLE_IN_1_0
CandelaTensor **candela_plan_run_profiled (CandelaPlan *plan, CandelaTensor *const *slots, gsize n_slots,
                                           GCancellable *cancellable, CandelaProgressFunc progress, gpointer user_data,
                                           CandelaRunProfile **profile, gsize *n_tensors, GError **error);

CANDELA_AVAILABLE_IN_1_0
GPtrArray *candela_plan_run_profiled_array (CandelaPlan *plan, CandelaTensor *const *slots, gsize n_slots,
                                            GCancellable *cancellable, CandelaProgressFunc progress, gpointer user_data,
                                            CandelaRunProfile **profile, GError **error);

CANDELA_AVAILABLE_IN_1_0
CandelaRunProfile *candela_run_profile_ref (CandelaRunProfile *profile);

CANDELA_AVAILABLE_IN_1_0
void candela_run_profile_unref (CandelaRunProfile *profile);

CANDELA_AVAILABLE_IN_1_0
CandelaPlan *candela_run_profile_get_plan (CandelaRunProfile *profile);

CANDELA_AVAILABLE_IN_1_0
void candela_run_profile_get_stats (CandelaRunProfile *profile, CandelaRunStats *stats);

CANDELA_AVAILABLE_IN_1_0
guint candela_run_profile_get_n_threads (CandelaRunProfile *profile);

CANDELA_AVAILABLE_IN_1_0
guint candela_run_profile_get_n_steps (CandelaRunProfile *profile);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_run_profile_get_step_start (CandelaRunProfile *profile, guint step);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_run_profile_get_step_duration (CandelaRunProfile *profile, guint step);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_run_profile_get_step_bytes_read (CandelaRunProfile *profile, guint step);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_run_profile_get_step_bytes_written (CandelaRunProfile *profile, guint step);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_run_profile_get_step_elements (CandelaRunProfile *profile, guint step);

CANDELA_AVAILABLE_IN_1_0
guint candela_run_profile_get_step_n_threads (CandelaRunProfile *profile, guint step);

CANDELA_AVAILABLE_IN_1_0
char **candela_run_profile_get_step_parts (CandelaRunProfile *profile, guint step);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_run_profile_get_part_duration (CandelaRunProfile *profile, guint step, guint part);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_run_profile_get_part_bytes (CandelaRunProfile *profile, guint step, guint part);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_run_profile_get_step_flops (CandelaRunProfile *profile, guint step);

CANDELA_AVAILABLE_IN_1_0
double candela_run_profile_get_step_share (CandelaRunProfile *profile, guint step);

CANDELA_AVAILABLE_IN_1_0
char *candela_run_profile_to_string (CandelaRunProfile *profile);

CANDELA_AVAILABLE_IN_1_0
char *candela_run_profile_to_chrome_trace (CandelaRunProfile *profile);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_measure_copy_bandwidth (void);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_measure_arithmetic (CandelaDType dtype);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CandelaRunProfile, candela_run_profile_unref)

G_END_DECLS
