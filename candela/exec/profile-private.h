/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a profile is made of. */
#pragma once

#include <candela/exec/executor-private.h>
#include <candela/exec/profile.h>

G_BEGIN_DECLS

/* What a step had to do at least. */
typedef struct
{
  guint64 read, written; /* bytes */
  guint64 elements;
  guint64 flops;      /* 0: not declared */
  CandelaDType dtype; /* of what these compute */
} CandelaStepWork;

/* What this machine does in a second at best. */
typedef struct
{
  guint64 copy;                    /* bytes; 0: there is no memory to measure it */
  guint64 flops[CANDELA_N_DTYPES]; /* of the dtypes that a step of the profile needs; 0 else */
} CandelaRoofs;

struct _CandelaRunProfile
{
  gatomicrefcount ref_count;
  CandelaPlan *plan;
  CandelaRunStats stats;
  guint n_threads;
  CandelaStepTime *times; /* of each step, from the beginning of the run */
  guint64 *part_times;    /* of each part, of its step's duration */
  CandelaStepWork *work;
};

/* exec/work.c: of each step. */
CandelaStepWork *candela_measure_steps (const CandelaPlan *plan);

CandelaRoofs candela_measure_roofs (const CandelaRunProfile *profile);

/* The least time under these roofs over the time that the step took. */
double candela_step_share (const CandelaRunProfile *profile, guint step, const CandelaRoofs *roofs);

/* Gigabytes a second: bytes per nanosecond. */
static inline double
candela_step_rate (const CandelaRunProfile *profile, guint step)
{
  guint64 bytes = profile->work[step].read + profile->work[step].written;

  return bytes / (double) MAX (profile->times[step].duration, 1);
}

/* What a part of a step has to read and write, be it in a cache or not. */
guint64 candela_part_bytes (const CandelaPlanPart *part);

G_END_DECLS
