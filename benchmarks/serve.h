/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A peer as a process that does what it is told line by line; peers/worker.py
 * has the words. What a program serves is three functions. */
#pragma once

#include <candela/candela.h>

#define SERVE_MAX_INPUTS 4

typedef struct
{
  const char *workload;
  const char *flags;
  const char *expression;
  guint n_inputs;
  char *names[SERVE_MAX_INPUTS];
  CandelaTensor *inputs[SERVE_MAX_INPUTS]; /* in memory of their own, not mapped */
} ServeCell;

typedef struct
{
  /* Readies a workload and computes it once. FALSE if the peer cannot do it. */
  gboolean (*setup) (const ServeCell *cell, GError **error);
  /* Computes it once more; kind is what of it is to be timed. */
  void (*run) (const char *kind);
  /* The result, (transfer none). */
  CandelaTensor *(*get_result) (void);
  /* What a run has to say beside how long it took, or NULL. */
  char *(*report) (const char *kind);
} ServeFunctions;

/* Until standard input ends. */
int serve (const ServeFunctions *functions);
