/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Each op once more, in the plainest way, element by element. What may be off by
 * rounding is held within a bound that follows from the arithmetic, all else is equal. */
#pragma once

#include "reference-elementwise.h"

/* Where in an input an element of a view lies: along each axis of the input, at start
 * + step * (the index along that axis of the view; none if it is -1). Of a view that
 * keeps the row-major order, as a reshape, n_axes is -1. */
typedef struct
{
  int n_axes;
  int axis[CANDELA_MAX_RANK];
  gint64 start[CANDELA_MAX_RANK], step[CANDELA_MAX_RANK];
} View;

/* An op over values; literal stands for one more input, if it is not NULL. */
typedef struct
{
  const char *name;
  guint inputs[REFERENCE_MAX_INPUTS];
  guint n_inputs;
  const char *literal;
  char *params;     /* as in the text of a call, without what follows from the fields below; or NULL */
  gboolean reduces; /* along the axes of which the bit is set */
  guint32 axes;
  gboolean keepdims;
  gboolean views;
  View view;
} Op;

/* ---- Reductions ---- */

typedef struct
{
  Wide sum, sum_of_magnitudes, product, log_of_product;
  Wide largest, smallest, magnitude; /* of numbers */
  gint64 where_largest, where_smallest;
  gboolean nan, infinite, any, all;
  gint64 where_nan, n;
  Whole whole_sum, whole_product;
  Wide squares; /* about the mean, by a second look */
} Summary;

static inline void
summary_add (Summary *s, Wide x, gboolean is_whole, gint64 i)
{
  if (isnan (x) && !s->nan)
    {
      s->nan = TRUE;
      s->where_nan = i;
    }
  if (s->n == 0 || x > s->largest || (isnan (s->largest) && !isnan (x)))
    {
      s->largest = x;
      s->where_largest = i;
    }
  if (s->n == 0 || x < s->smallest || (isnan (s->smallest) && !isnan (x)))
    {
      s->smallest = x;
      s->where_smallest = i;
    }
  s->n++;
  s->infinite = s->infinite || isinf (x);
  s->any = s->any || x != 0;
  s->all = s->all && x != 0;
  s->sum += x;
  s->sum_of_magnitudes += fabsl (x);
  s->magnitude = MAX (s->magnitude, fabsl (x));
  s->product *= x;
  s->log_of_product += x != 0 ? fabsl (log2l (fabsl (x))) : 0;
  if (is_whole)
    {
      s->whole_sum += (Whole) x;
      s->whole_product = (Whole) (guint64) ((unsigned __int128) s->whole_product * (unsigned __int128) (Whole) x);
    }
}

/* The value of a reduction; a negative tolerance: no bound is known for these numbers. */
static inline Wide
reduction_value (const char *name, guint output, CandelaDType dtype, const Summary *s, double *tolerance)
{
  const double rounding = 64 * DBL_EPSILON;
  /* An element of float32 is rounded twice in float32 before it is widened. */
  const double rounding_of_sums = dtype == CANDELA_DTYPE_FLOAT32 ? FLT_EPSILON + rounding : rounding;
  const double shift = dtype == CANDELA_DTYPE_FLOAT32 ? FLT_EPSILON * (double) s->magnitude : 0; /* of means */
  Wide mean = s->sum / s->n, variance = s->squares / s->n, deviation = sqrtl (variance);

  *tolerance = 0;
  if (g_str_equal (name, "max"))
    return s->nan ? NAN : s->largest;
  if (g_str_equal (name, "min"))
    return s->nan ? NAN : s->smallest;
  if (g_str_equal (name, "argmax"))
    return s->nan ? s->where_nan : s->where_largest;
  if (g_str_equal (name, "argmin"))
    return s->nan ? s->where_nan : s->where_smallest;
  if (g_str_equal (name, "any"))
    return s->any;
  if (g_str_equal (name, "all"))
    return s->all;
  if (!is_float (dtype))
    return wrap_whole (dtype, g_str_equal (name, "sum") ? s->whole_sum : s->whole_product);
  if (g_str_equal (name, "prod"))
    {
      *tolerance = s->log_of_product > 900
                     ? -1
                     : (double) fabsl (s->product) * rounding * s->n + unit_in_last_place (dtype, s->product);
      return s->product;
    }
  if (g_str_equal (name, "sum") || g_str_equal (name, "mean") || (g_str_equal (name, "moments") && output == 0))
    {
      Wide value = g_str_equal (name, "sum") ? s->sum : mean;

      *tolerance = s->sum_of_magnitudes > 1e306L && !s->infinite
                     ? -1
                     : (double) (s->sum_of_magnitudes / (g_str_equal (name, "sum") ? 1 : s->n)) * rounding_of_sums
                         + unit_in_last_place (dtype, value);
      return value;
    }
  /* The squares of the smallest numbers are nothing. */
  if (s->magnitude > 1e150L)
    *tolerance = -1;
  else if (g_str_equal (name, "std"))
    *tolerance =
      (double) (deviation + s->magnitude) * rounding + shift + unit_in_last_place (dtype, deviation) + 1e-150;
  else
    *tolerance = (double) (variance + deviation * s->magnitude + s->magnitude * s->magnitude * rounding) * rounding
                 + (shift + 2 * (double) deviation) * shift + unit_in_last_place (dtype, variance) + 1e-300;
  return g_str_equal (name, "std") ? deviation : variance;
}

/* ---- Checking a result ---- */

/* Steps to the next index of a shape. */
static inline void
next_index (gint64 *index, const gint64 *shape, gsize rank)
{
  for (gsize k = rank; k-- > 0;)
    {
      if (++index[k] < shape[k])
        return;
      index[k] = 0;
    }
}

/* A linear index of p, which is broadcast along what it has not. */
static inline gint64
broadcast_place (const Packed *p, const gint64 *index, gsize rank)
{
  gint64 place = 0;

  for (gsize k = 0; k < p->rank; k++)
    place = place * p->shape[k] + (p->shape[k] == 1 ? 0 : index[rank - p->rank + k]);
  return place;
}

static inline gboolean
is_near (CandelaDType dtype, Wide got, Wide wanted, double tolerance)
{
  if (isnan (wanted) || isnan (got))
    return isnan (wanted) && isnan (got);
  if (got == wanted)
    return TRUE;
  if (!is_float (dtype))
    return FALSE;
  /* What rounds to infinity within the tolerance may be infinite. */
  if (isinf (got) || isinf (wanted))
    return signbit (got) == signbit (wanted)
           && fabsl (isinf (got) ? wanted : got) + tolerance
                >= (dtype == CANDELA_DTYPE_FLOAT32 ? (Wide) FLT_MAX : (Wide) DBL_MAX);
  return fabsl (got - wanted) <= tolerance;
}

static inline char *
report (const Packed *out, gint64 i, Wide wanted, double tolerance)
{
  return g_strdup_printf ("element %" G_GINT64_FORMAT ": %.21Lg, and not %.21Lg (within %g)", i, wide_at (out, i),
                          wanted, tolerance);
}

static inline char *
check_view (const Op *op, const Packed *in, const Packed *out)
{
  gint64 index[CANDELA_MAX_RANK] = { 0 };
  const gsize size = candela_dtype_get_size (out->dtype);

  for (gint64 i = 0; i < out->n; i++)
    {
      gint64 place = op->view.n_axes < 0 ? i : 0;

      for (int k = 0; k < op->view.n_axes; k++)
        place = place * in->shape[k] + op->view.start[k]
                + (op->view.axis[k] < 0 ? 0 : op->view.step[k] * index[op->view.axis[k]]);
      if (!same_bits (out->dtype, in->data + place * (gint64) size, out->data + i * (gint64) size))
        return report (out, i, wide_at (in, place), 0);
      next_index (index, out->shape, out->rank);
    }
  return NULL;
}

/* Whole numbers beyond binary32's are rounded where they meet what is no whole number
 * of their kind; which comparison that is, promotion says. */
static inline gboolean
is_promoted (const Packed *in, guint n, const Wide *x)
{
  for (guint k = 0; k < n; k++)
    if (in[k].dtype != in[0].dtype && (fabsl (x[0]) > 0x1p24L || fabsl (x[k]) > 0x1p24L))
      return TRUE;
  return FALSE;
}

static inline char *
check_elementwise (const Op *op, const Packed *in, guint n, const Packed *out, gint64 stride)
{
  const Elementwise *entry = find_elementwise (op->name);
  gint64 index[CANDELA_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < out->n; i++, next_index (index, out->shape, out->rank))
    {
      Wide x[REFERENCE_MAX_INPUTS] = { 0 }, wanted;
      double tolerance;

      if (i % stride != 0 && i + 70 < out->n)
        continue;
      for (guint k = 0; k < n; k++)
        x[k] = wide_at (&in[k], broadcast_place (&in[k], index, out->rank));
      if (entry->code >= LESS && entry->code <= NOT_EQUAL && is_promoted (in, n, x))
        continue;
      wanted = elementwise_value (entry, out->dtype, x, &tolerance);
      if (tolerance >= 0 && !is_near (out->dtype, wide_at (out, i), wanted, tolerance))
        return report (out, i, wanted, tolerance);
    }
  return NULL;
}

/* Looks at each element along the axes, first, and about the mean, again. */
static inline void
summarize (const Op *op, const Packed *in, gint64 *index, Summary *s)
{
  const gboolean is_whole = !is_float (in->dtype);

  *s = (Summary){ .product = 1, .whole_product = 1, .all = TRUE };
  for (guint pass = 0; pass < 2; pass++)
    {
      gint64 count = 1, i = 0;

      for (gsize k = 0; k < in->rank; k++)
        if ((op->axes >> k & 1) != 0)
          {
            count *= in->shape[k];
            index[k] = 0;
          }
      for (; i < count; i++)
        {
          Wide x = wide_at (in, broadcast_place (in, index, in->rank));

          if (pass == 0)
            summary_add (s, x, is_whole, i);
          else
            s->squares += (x - s->sum / s->n) * (x - s->sum / s->n);
          for (gsize k = in->rank; k-- > 0;)
            if ((op->axes >> k & 1) != 0)
              {
                if (++index[k] < in->shape[k])
                  break;
                index[k] = 0;
              }
        }
    }
}

static inline char *
check_reduction (const Op *op, const Packed *in, const Packed *out, guint output, gint64 budget)
{
  gint64 each = out->n > 0 ? in->n / out->n : 0;
  gint64 stride = MAX (1, in->n / budget);

  /* With few elements out, a look at some of them is a look at much of the input. */
  if (each > budget)
    return NULL;
  for (gint64 i = 0; i < out->n; i += i + stride >= out->n && i + 1 < out->n ? out->n - 1 - i : stride)
    {
      gint64 index[CANDELA_MAX_RANK] = { 0 }, rest = i;
      Summary s;
      Wide wanted;
      double tolerance;

      for (gsize k = in->rank; k-- > 0;)
        if ((op->axes >> k & 1) == 0)
          {
            index[k] = rest % in->shape[k];
            rest /= in->shape[k];
          }
      summarize (op, in, index, &s);
      wanted = reduction_value (op->name, output, out->dtype, &s, &tolerance);
      if (tolerance >= 0 && !is_near (out->dtype, wide_at (out, i), wanted, tolerance))
        return report (out, i, wanted, tolerance);
    }
  return NULL;
}

/* Of stacks of matrices, which have at least two axes. */
static inline char *
check_product (const Packed *a, const Packed *b, const Packed *out, gint64 budget)
{
  const gint64 k = a->shape[a->rank - 1], m = out->shape[out->rank - 2], n = out->shape[out->rank - 1];
  const gint64 stride = MAX (1, out->n * k / budget);

  for (gint64 i = 0; i < out->n; i += stride)
    {
      gint64 index[CANDELA_MAX_RANK] = { 0 }, rest = i / (m * n), pa = 0, pb = 0;
      Wide sum = 0, magnitudes = 0;
      double tolerance;

      for (gsize axis = out->rank - 2; axis-- > 0; rest /= out->shape[axis])
        index[axis] = rest % out->shape[axis];
      for (gsize axis = 0; axis + 2 < a->rank; axis++)
        pa = pa * a->shape[axis] + (a->shape[axis] == 1 ? 0 : index[out->rank - a->rank + axis]);
      for (gsize axis = 0; axis + 2 < b->rank; axis++)
        pb = pb * b->shape[axis] + (b->shape[axis] == 1 ? 0 : index[out->rank - b->rank + axis]);
      for (gint64 j = 0; j < k; j++)
        {
          Wide term = wide_at (a, (pa * m + i / n % m) * k + j) * wide_at (b, (pb * k + j) * n + i % n);

          sum += term;
          magnitudes += fabsl (term);
        }
      if (!is_float (out->dtype) || !isfinite (magnitudes)
          || magnitudes > (out->dtype == CANDELA_DTYPE_FLOAT32 ? 1e37L : 1e306L))
        continue;
      tolerance = (k + 2) * epsilon (out->dtype) * (double) magnitudes
                  + (k + 1) * (out->dtype == CANDELA_DTYPE_FLOAT32 ? FLT_MIN : DBL_MIN);
      if (!is_near (out->dtype, wide_at (out, i), sum, tolerance))
        return report (out, i, sum, tolerance);
    }
  return NULL;
}

/* What is wrong with the output, as text; NULL if nothing is, or nothing is known of
 * this op. Of a large value not every element is looked at. */
static inline char *
reference_check (const Op *op, CandelaTensor *const *inputs, guint n, CandelaTensor *output, guint number,
                 gint64 budget)
{
  Packed in[REFERENCE_MAX_INPUTS], out = packed (output);

  for (guint i = 0; i < n; i++)
    in[i] = packed (inputs[i]);
  if (op->views)
    return check_view (op, &in[0], &out);
  if (op->reduces)
    return check_reduction (op, &in[0], &out, number, budget);
  if (g_str_equal (op->name, "matmul"))
    return check_product (&in[0], &in[1], &out, budget);
  if (find_elementwise (op->name) != NULL)
    return check_elementwise (op, in, n, &out, MAX (1, out.n / budget));
  return NULL;
}
