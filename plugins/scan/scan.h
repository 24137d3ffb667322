/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the running sums and products share.
 *
 * A line is what lies along the axis. Its elements are taken one after the other, in
 * this order only: floats and complex numbers into an accumulator in binary64, which
 * is rounded for each result; integers modulo 2^64, of which a narrower result is the
 * low bits. So neither strides nor threads are to be seen in a result: lines are
 * shared among threads, never the elements of one. */
#pragma once

#include <candela/candela-plugin.h>
#include <string.h>

/* Lines that are taken side by side, at most. */
#define SCAN_WIDTH 256

/* Some elements of neighbouring lines. Steps are counted in elements. */
typedef struct
{
  gpointer acc; /* of each line, the last result: of 16 bytes at most */
  gconstpointer in;
  gpointer out;
  gint64 in_step, out_step; /* from an element of a line to the next one */
  gint64 in_next, out_next; /* from a line to the next one */
  gsize n;                  /* elements of each line */
  gsize width;              /* lines; up to SCAN_WIDTH */
} ScanPart;

/* How elements of one dtype, which is the result's too, are joined. */
typedef struct
{
  void (*begin) (const ScanPart *part); /* the first element of each line */
  void (*part) (const ScanPart *part);  /* those after it */
  gconstpointer initial;                /* the result of no elements */
} ScanFold;

/* folds.c: by dtype of the result; NULL where there is none. */
extern const ScanFold *const scan_sums[CANDELA_N_DTYPES];
extern const ScanFold *const scan_products[CANDELA_N_DTYPES];

enum {
  SCAN_PARAM_AXIS,
  SCAN_PARAM_DTYPE,
  SCAN_PARAM_INCLUDE_INITIAL
};

/* run.c */
gboolean scan_run (CandelaKernel *kernel, const ScanFold *const *folds, GError **error);

/* The axis of parameters that infer has passed. */
guint scan_get_axis (const CandelaParams *params, guint rank);

/* ops.c */
extern const CandelaOpInfo *const scan_ops[];
