/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What random graphs are made of: single ops, views, and the chains that people
 * write: softmax, layer norm, log-sum-exp, standardisation, distances, a product with
 * bias and activation. Each has several spellings, and what it makes is read on. */
#pragma once

#include "random-graph.h"

/* ---- Views ---- */

static guint
add_view (Graph *graph, const char *name, guint x, char *params, View view)
{
  return add_op (graph,
                 (Op){ .name = name, .inputs = { x }, .n_inputs = 1, .params = params, .views = TRUE, .view = view });
}

static guint
add_same_order (Graph *graph, const char *name, guint x, char *params)
{
  return add_view (graph, name, x, params, (View){ .n_axes = -1 });
}

static char *
ints_text (const char *name, const gint64 *values, gsize n)
{
  GString *text = g_string_new (name);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i == 0 ? "=[" : ", ", values[i]);
  g_string_append (text, n == 0 ? "=[]" : "]");
  return g_string_free (text, FALSE);
}

static View
view_of (gsize rank)
{
  View view = { .n_axes = (int) rank };

  for (gsize k = 0; k < rank; k++)
    {
      view.axis[k] = (int) k;
      view.step[k] = 1;
    }
  return view;
}

static guint
add_expand (Graph *graph, guint x, gsize axis)
{
  gsize rank;
  View view;

  if (x == NOTHING)
    return NOTHING;
  shape_of (graph, x, &rank);
  view = view_of (rank);
  for (gsize k = axis; k < rank; k++)
    view.axis[k]++;
  return add_view (graph, "expand_dims", x, g_strdup_printf ("axis=%d", (int) axis), view);
}

static guint
add_permuted (Graph *graph, guint x)
{
  gsize rank;
  gint64 axes[CANDELA_MAX_RANK];
  View view;

  shape_of (graph, x, &rank);
  view = view_of (rank);
  for (gsize j = 0; j < rank; j++)
    axes[j] = (gint64) j;
  for (gsize j = rank; j-- > 1;)
    {
      gsize other = (gsize) below (graph, (gint32) j + 1);
      gint64 axis = axes[j];

      axes[j] = axes[other];
      axes[other] = axis;
    }
  for (gsize j = 0; j < rank; j++)
    view.axis[axes[j]] = (int) j;
  return add_view (graph, "permute_dims", x, ints_text ("axes", axes, rank), view);
}

static guint
add_transposed (Graph *graph, guint x)
{
  gsize rank;
  View view;

  shape_of (graph, x, &rank);
  view = view_of (rank);
  for (gsize k = 0; k < rank; k++)
    view.axis[k] = (int) (rank - 1 - k);
  return add_view (graph, "transpose", x, NULL, view);
}

/* A part of each axis, forwards or backwards, an element of it, or a new one. */
static guint
add_index (Graph *graph, guint x)
{
  gsize rank;
  const gint64 *shape = shape_of (graph, x, &rank);
  View view = view_of (rank);
  g_autoptr (GString) key = g_string_new ("key=\"");
  int out = 0;

  for (gsize k = 0; k < rank; k++)
    {
      gint64 n = shape[k];
      gint32 kind = below (graph, 100);

      if (k > 0)
        g_string_append (key, ", ");
      if (kind < 7 && rank < 5)
        {
          g_string_append (key, "None, ");
          out++;
        }
      view.axis[k] = out++;
      if (kind < 50)
        g_string_append (key, ":");
      else if (kind < 65)
        {
          g_string_append (key, "::-1");
          view.start[k] = n - 1;
          view.step[k] = -1;
        }
      else if (kind < 75 && n > 1)
        {
          view.start[k] = 1 + below (graph, (gint32) n - 1);
          g_string_append_printf (key, "%d:", (int) view.start[k]);
        }
      else if (kind < 85)
        {
          view.step[k] = 2;
          g_string_append (key, "::2");
        }
      else if (kind < 92)
        {
          view.step[k] = 0;
          view.start[k] = below (graph, (gint32) n);
          view.axis[k] = -1;
          out--;
          g_string_append_printf (key, "%d", (int) view.start[k]);
        }
      else
        g_string_append_printf (key, ":%d", 1 + (int) below (graph, (gint32) n));
    }
  if (rank == 0)
    g_string_append (key, "None");
  g_string_append (key, "\"");
  return add_view (graph, "index", x, g_strdup (key->str), view);
}

static guint
add_broadcast (Graph *graph, guint x)
{
  gsize rank, more;
  const gint64 *shape = shape_of (graph, x, &rank);
  gint64 wanted[CANDELA_MAX_RANK];
  View view = view_of (rank);

  more = rank < graph->rank ? graph->rank - rank : (gsize) below (graph, 2);
  for (gsize j = 0; j < rank + more; j++)
    {
      gint64 full = rank + more <= graph->rank ? graph->full[graph->rank - rank - more + j] : 2;

      wanted[j] = j >= more && shape[j - more] != 1 ? shape[j - more] : full;
    }
  for (gsize k = 0; k < rank; k++)
    {
      view.axis[k] += (int) more;
      view.step[k] = shape[k] == 1 ? 0 : 1;
    }
  return add_view (graph, "broadcast_to", x, ints_text ("shape", wanted, rank + more), view);
}

static guint
add_reshaped (Graph *graph, guint x)
{
  gsize rank;
  const gint64 *shape = shape_of (graph, x, &rank);
  gint64 wanted[2] = { -1 };

  if (rank >= 2 && chance (graph, 60))
    {
      wanted[1] = shape[rank - 1];
      return add_same_order (graph, "reshape", x, ints_text ("shape", wanted, 2));
    }
  return add_same_order (graph, "reshape", x, ints_text ("shape", wanted, 1));
}

static guint
add_any_view (Graph *graph, guint x)
{
  gsize rank;

  shape_of (graph, x, &rank);
  switch (below (graph, 10))
    {
    case 0:
    case 1:
      return add_transposed (graph, x);
    case 2:
      return add_permuted (graph, x);
    case 3:
    case 4:
    case 5:
      return add_index (graph, x);
    case 6:
      return add_broadcast (graph, x);
    case 7:
      return add_reshaped (graph, x);
    case 8:
      return rank < 5 ? add_expand (graph, x, (gsize) below (graph, (gint32) rank + 1)) : NOTHING;
    default:
      return add_same_order (graph, "contiguous", x, NULL);
    }
}

/* ---- Element-wise ops ---- */

static guint
add_curve (Graph *graph, guint x)
{
  static const char *const curves[] = { "exp", "tanh", "sigmoid", "gelu", "softplus", "sin", "atan", "expm1" };
  static const char *const plain[] = { "relu", "square", "abs", "floor", "negative", "sign" };

  return add_unary (graph, graph->plain ? PICK (graph, plain) : PICK (graph, curves), x);
}

static guint
add_exponential (Graph *graph, guint x)
{
  return add_unary (graph, graph->plain ? "square" : "exp", x);
}

static guint
add_logarithm (Graph *graph, guint x)
{
  return add_unary (graph, graph->plain ? "sqrt" : "log", x);
}

static guint
add_any_elementwise (Graph *graph)
{
  static const char *const literals[] = { "0.5", "2", "0.1", "-1.5", "3" };
  static const char *const whole_literals[] = { "2", "3", "1", "7" };
  const Elementwise *op = &PICK (graph, elementwise);
  guint x, y;

  if (op->code == CURVE && graph->plain)
    return NOTHING;
  if (op->code == CAST)
    return add_cast (graph, pick_value (graph, OF_ANY), pick_dtype (graph, 1u << below (graph, 3)));
  x = pick_value (graph, op->code == WHERE ? OF_BOOL : op->kinds);
  if (x == NOTHING || op->n_inputs == 1)
    return add_unary (graph, op->name, x);
  if (op->code == WHERE)
    {
      y = pick_value (graph, OF_ANY);
      return add_op (graph, (Op){ .name = "where",
                                  .n_inputs = 3,
                                  .inputs = { x, y, y != NOTHING ? pick_value (graph, kind_of (graph, y)) : y } });
    }
  if (op->code == CLIP)
    return add_op (
      graph, (Op){ .name = "clip",
                   .n_inputs = 3,
                   .inputs = { x, pick_value (graph, kind_of (graph, x)), pick_value (graph, kind_of (graph, x)) } });
  if (kind_of (graph, x) != OF_BOOL && chance (graph, 25))
    return add_scalar (graph, op->name, x,
                       kind_of (graph, x) == OF_INT ? PICK (graph, whole_literals) : PICK (graph, literals));
  y = pick_value (graph, kind_of (graph, x));
  return chance (graph, 50) ? add_binary (graph, op->name, x, y) : add_binary (graph, op->name, y, x);
}

/* ---- Reductions that are read again ---- */

/* Mostly the last axis. */
static guint32
pick_axes (Graph *graph, guint x)
{
  gsize rank;
  gint32 kind = below (graph, 100);

  shape_of (graph, x, &rank);
  if (rank == 0 || kind < 12)
    return (1u << rank) - 1;
  if (kind < 60)
    return 1u << (rank - 1);
  if (kind < 70)
    return rank > 1 ? 3u << (rank - 2) : 1;
  if (kind < 82)
    return 1;
  if (kind < 92)
    return 1u << below (graph, (gint32) rank);
  return 1 + below (graph, (1 << rank) - 1);
}

/* With an axis of length 1 for each that is not there, by keepdims or afterwards. */
static guint
add_row_value (Graph *graph, const char *name, guint x, guint32 axes)
{
  gboolean keepdims = chance (graph, 65);
  guint y;
  gsize rank;

  if (x == NOTHING)
    return NOTHING;
  shape_of (graph, x, &rank);
  y = add_reduction (graph, name, x, axes, keepdims);
  for (gsize k = 0; !keepdims && k < rank; k++)
    if ((axes >> k & 1) != 0)
      y = add_expand (graph, y, k);
  return y;
}

static guint
add_any_reduction (Graph *graph)
{
  static const char *const ops[] = { "sum", "sum",  "mean", "var", "std",    "max",    "max",
                                     "min", "prod", "any",  "all", "argmax", "argmin", "moments" };
  static const char *const infix[] = { "add", "subtract", "multiply", "maximum", "less", "equal", "where" };
  const char *name = PICK (graph, ops), *again = PICK (graph, infix);
  guint x = pick_value (graph, OF_ANY), y;
  guint32 axes;
  gsize rank;

  axes = pick_axes (graph, x);
  shape_of (graph, x, &rank);
  if (g_str_has_prefix (name, "arg") && (axes & (axes - 1)) != 0)
    axes = (1u << rank) - 1;
  if (chance (graph, 40))
    return add_reduction (graph, name, x, axes, chance (graph, 50));
  y = add_row_value (graph, name, x, axes);
  if (y == NOTHING)
    return y;
  if (chance (graph, 20))
    y = add_broadcast (graph, y);
  if (y != NOTHING && kind_of (graph, y) == OF_BOOL)
    return add_op (graph, (Op){ .name = "where", .n_inputs = 3, .inputs = { y, x, x } });
  return add_binary (graph, again, x, y);
}

/* ---- What people write ---- */

static guint
add_softmax (Graph *graph, guint x, guint32 axes)
{
  guint d = add_binary (graph, "subtract", x, add_row_value (graph, "max", x, axes));
  guint e = add_exponential (graph, d);
  guint s = add_row_value (graph, "sum", e, axes);

  return chance (graph, 70) ? add_binary (graph, "divide", e, s)
                            : add_binary (graph, "subtract", d, add_logarithm (graph, s));
}

static guint
add_log_sum_exp (Graph *graph, guint x, guint32 axes)
{
  guint m = add_row_value (graph, "max", x, axes);
  guint s = add_row_value (graph, "sum", add_exponential (graph, add_binary (graph, "subtract", x, m)), axes);

  return add_binary (graph, "add", m, add_logarithm (graph, s));
}

/* Of the dtype of x, and along its last axes. */
static guint
add_row (Graph *graph, guint x)
{
  gsize rank;
  const gint64 *shape;

  if (x == NOTHING || graph->n == MAX_VALUES)
    return NOTHING;
  shape = shape_of (graph, x, &rank);
  return add_leaf (graph, dtype_of (graph, x), rank > 0 ? shape + rank - 1 : shape, MIN (rank, 1));
}

static guint
add_layer_norm (Graph *graph, guint x, guint32 axes)
{
  guint mean, variance, centred, y;

  switch (below (graph, 3))
    {
    case 0:
      mean = add_row_value (graph, "mean", x, axes);
      centred = add_binary (graph, "subtract", x, mean);
      variance = add_row_value (graph, "mean", add_unary (graph, "square", centred), axes);
      break;
    case 1:
      mean = add_row_value (graph, "mean", x, axes);
      variance = add_row_value (graph, "var", x, axes);
      centred = add_binary (graph, "subtract", x, mean);
      break;
    default:
      mean = add_reduction (graph, "moments", x, axes, TRUE);
      variance = mean != NOTHING ? mean + 1 : NOTHING;
      centred = add_binary (graph, "subtract", x, mean);
      break;
    }
  y = add_unary (graph, "sqrt", add_scalar (graph, "add", variance, "1e-5"));
  y = chance (graph, 50) ? add_binary (graph, "divide", centred, y)
                         : add_binary (graph, "multiply", centred, add_unary (graph, "reciprocal", y));
  if (chance (graph, 60))
    y = add_binary (graph, "add", add_binary (graph, "multiply", y, add_row (graph, y)), add_row (graph, y));
  return y;
}

static guint
add_standardized (Graph *graph, guint x, guint32 axes)
{
  guint mean = add_row_value (graph, "mean", x, axes), deviation = add_row_value (graph, "std", x, axes);

  return add_binary (graph, "divide", add_binary (graph, "subtract", x, mean), deviation);
}

static guint
add_root_mean_square (Graph *graph, guint x, guint32 axes)
{
  guint mean = add_row_value (graph, "mean", add_binary (graph, "multiply", x, x), axes);

  return add_binary (graph, "divide", x, add_unary (graph, "sqrt", add_scalar (graph, "add", mean, "1e-6")));
}

/* Which of a row is its largest, and the share of the others. */
static guint
add_share (Graph *graph, guint x, guint32 axes)
{
  guint largest = add_binary (graph, "equal", x, add_row_value (graph, "max", x, axes));
  guint rest = add_op (
    graph, (Op){ .name = "where", .n_inputs = 3, .inputs = { largest, add_scalar (graph, "multiply", x, "0.5"), x } });
  guint none = add_row_value (graph, "any", largest, axes);

  add_row_value (graph, "sum", add_cast (graph, largest, pick_dtype (graph, OF_INT)), axes);
  return add_op (
    graph, (Op){ .name = "where",
                 .n_inputs = 3,
                 .inputs = { none, add_binary (graph, "divide", rest, add_row_value (graph, "sum", rest, axes)), x } });
}

/* [N, 1, D] - [1, M, D], squared and added up along D. */
static guint
add_distances (Graph *graph, guint x)
{
  gsize rank;
  const gint64 *shape = shape_of (graph, x, &rank);
  gint64 other[2];
  guint y, d;

  if (rank != 2 || graph->n == MAX_VALUES)
    return NOTHING;
  other[0] = 1 + below (graph, 20);
  other[1] = shape[1];
  y = add_leaf (graph, dtype_of (graph, x), other, 2);
  d = add_binary (graph, "subtract", add_expand (graph, x, 1), add_expand (graph, y, 0));
  d = add_unary (graph, chance (graph, 70) ? "square" : "abs", d);
  d = d != NOTHING ? add_reduction (graph, chance (graph, 70) ? "sum" : "max", d, 4, chance (graph, 20)) : d;
  return chance (graph, 40) ? add_unary (graph, "sqrt", d) : d;
}

/* A factor for x of its dtype, some of the time as the view of another. */
static guint
add_factor (Graph *graph, guint x)
{
  static const gint64 widths[] = { 1, 2, 3, 5, 7, 16, 17, 64, 127, 128, 129 };
  gsize rank;
  const gint64 *shape = shape_of (graph, x, &rank);
  gint64 factor[2] = { shape[rank - 1], PICK (graph, widths) };

  if (chance (graph, 60))
    return add_leaf (graph, dtype_of (graph, x), factor, 2);
  factor[0] = factor[1];
  factor[1] = shape[rank - 1];
  return add_transposed (graph, add_leaf (graph, dtype_of (graph, x), factor, 2));
}

/* A product, and what is done to it next: a scale, a bias, a curve, a sum. */
static guint
add_product (Graph *graph, guint x)
{
  gsize rank;
  guint y;

  shape_of (graph, x, &rank);
  if (rank < 2 || graph->n + 12 > MAX_VALUES)
    return NOTHING;
  y = add_binary (graph, "matmul", x, add_factor (graph, x));
  if (y != NOTHING && chance (graph, 30))
    y = add_scalar (graph, "multiply", y, "0.125");
  if (y != NOTHING && chance (graph, 75))
    y = add_binary (graph, "add", y, add_row (graph, y));
  if (y != NOTHING && chance (graph, 70))
    y = add_curve (graph, y);
  if (y != NOTHING && chance (graph, 25))
    {
      const gint64 *shape = shape_of (graph, y, &rank);

      y = add_binary (graph, "add", y, add_leaf (graph, dtype_of (graph, y), shape, rank));
    }
  if (y != NOTHING && chance (graph, 30))
    y = add_softmax (graph, y, 1u << (rank - 1));
  return y;
}

/* Of one head, with itself: softmax (x x^T / 8) x. */
static guint
add_attention (Graph *graph, guint x)
{
  gsize rank;
  const gint64 *shape = shape_of (graph, x, &rank);
  guint scores;

  if (rank != 2 || shape[0] > 300)
    return NOTHING;
  scores = add_binary (graph, "matmul", x, add_transposed (graph, x));
  if (scores == NOTHING)
    return scores;
  return add_binary (graph, "matmul", add_softmax (graph, add_scalar (graph, "multiply", scores, "0.125"), 2), x);
}

static guint
add_recipe (Graph *graph)
{
  guint x = pick_value (graph, OF_FLOAT);
  guint32 axes;

  if (x == NOTHING)
    return x;
  axes = pick_axes (graph, x);
  switch (below (graph, 14))
    {
    case 0:
    case 1:
    case 2:
      return add_softmax (graph, x, axes);
    case 3:
      return add_log_sum_exp (graph, x, axes);
    case 4:
    case 5:
      return add_layer_norm (graph, x, axes);
    case 6:
      return add_standardized (graph, x, axes);
    case 7:
      return add_root_mean_square (graph, x, axes);
    case 8:
      return add_share (graph, x, axes);
    case 9:
    case 10:
      return add_distances (graph, x);
    case 11:
    case 12:
      return add_product (graph, x);
    default:
      return add_attention (graph, x);
    }
}

static void
grow (Graph *graph)
{
  gint32 kind = below (graph, 100);

  if (kind < 48)
    add_any_elementwise (graph);
  else if (kind < 62)
    add_any_reduction (graph);
  else if (kind < 80)
    add_recipe (graph);
  else if (kind < 93)
    add_any_view (graph, pick_value (graph, OF_ANY));
  else if (kind < 97)
    add_any_leaf (graph);
  else if (graph->caches)
    add_cache (graph, pick_value (graph, OF_ANY));
}
