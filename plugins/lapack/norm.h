/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Norms of elements in a row, in binary64 whatever their dtype. */
#pragma once

#include "lapack.h"

typedef enum {
  NORM_COUNT,   /* of those that are not zero */
  NORM_SUM,     /* of absolute values */
  NORM_SQUARES, /* … squared */
  NORM_POWER,   /* … to a power */
  NORM_MAX,
  NORM_MIN
} NormKind;

typedef struct
{
  NormKind kind;
  double power;
} Norm;

/* That of an order. */
Norm norm_of_order (double order);

/* What so many elements add to it, each divided by scale first. */
double norm_fold (const Norm *norm, CandelaDType dtype, gconstpointer x, gint64 n, double scale);

/* What no element adds, and what two rows of them add together. */
double norm_begin (const Norm *norm);
double norm_add (const Norm *norm, double one, double other);

/* Adds the absolute values of n elements of x, from one on, to so many sums. */
void norm_add_row (CandelaDType dtype, gconstpointer x, gint64 start, gint64 n, double *sums);

/* Whether what has been added up can be trusted: powers may have gone beyond what can be
 * represented, and the elements must then be divided, by their maximum or minimum. */
gboolean norm_is_safe (const Norm *norm, double total);
Norm norm_of_scale (const Norm *norm);

/* The norm, of what has been added up. */
double norm_end (const Norm *norm, double total, double scale);

/* All of that, for n elements; 0 of none. */
double norm_find (const Norm *norm, CandelaDType dtype, gconstpointer x, gint64 n);
