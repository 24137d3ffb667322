/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Several arrays of indices, each for an axis: what shape they choose, and where in
 * memory. All that an index leaves open of an element's place steps evenly; so it is
 * the sum of an offset that the indices give and one that the other axes give. */
#include "choice.h"

/* ---- What it chooses ---- */

static guint
count_arrays (guint n_inputs, guint first)
{
  return n_inputs > first ? n_inputs - first : 0;
}

void
index_key_set_one (IndexKey *key, int axis)
{
  *key = (IndexKey){ .n_arrays = 1, .axes = { axis } };
}

gboolean
index_key_infer (IndexKey *key, const CandelaInference *inference, guint first, guint param, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  guint n = count_arrays (candela_inference_get_n_inputs (inference), first);
  gsize rank = candela_layout_get_rank (candela_inference_get_input_layout (inference, 0)), n_given = n;
  const gint64 *given = NULL;
  guint32 seen = 0;

  if (candela_params_is_set (params, param))
    given = candela_params_get_int_list (params, param, &n_given);
  if (n_given != n)
    return candela_inference_fail (inference, error, CANDELA_ERROR_PARAMETER,
                                   "axes has %" G_GSIZE_FORMAT " items, for %u arrays of indices", n_given, n);
  if (n == 0)
    return candela_inference_fail (inference, error, CANDELA_ERROR_ARITY, "there are no indices");
  if (n > rank)
    return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                                   "there are %u arrays of indices for %" G_GSIZE_FORMAT " axes of x", n, rank);

  *key = (IndexKey){ .n_arrays = n };
  for (guint i = 0; i < n; i++)
    {
      int axis = given != NULL ? index_check_axis (inference, given[i], error) : (int) i;

      if (axis < 0)
        return FALSE;
      if ((seen >> axis & 1) != 0)
        return candela_inference_fail (inference, error, CANDELA_ERROR_AXIS, "axis %d is named twice", axis);
      seen |= (guint32) 1 << axis;
      key->axes[i] = axis;
    }
  return TRUE;
}

void
index_key_read (IndexKey *key, const CandelaKernel *kernel, guint first, guint param)
{
  const CandelaParams *params = candela_kernel_get_params (kernel);
  gsize rank = candela_layout_get_rank (candela_kernel_get_input_layout (kernel, 0)), n;
  const gint64 *given = candela_params_is_set (params, param) ? candela_params_get_int_list (params, param, &n) : NULL;

  *key = (IndexKey){ .n_arrays = count_arrays (candela_kernel_get_n_inputs (kernel), first) };
  for (guint i = 0; i < key->n_arrays; i++)
    key->axes[i] = given == NULL ? i : given[i] < 0 ? given[i] + (gint64) rank : given[i];
}

static gboolean
is_chosen (const IndexKey *key, guint axis)
{
  for (guint i = 0; i < key->n_arrays; i++)
    if (key->axes[i] == axis)
      return TRUE;
  return FALSE;
}

/* Which axes of x are before the indices, and of what shape these are together; FALSE
 * if they cannot be broadcast. */
static gboolean
settle (IndexKey *key, const CandelaLayout *const *layouts)
{
  guint low = CANDELA_MAX_RANK, high = 0;

  key->rank = 0;
  for (guint i = 0; i < key->n_arrays; i++)
    {
      low = MIN (low, key->axes[i]);
      high = MAX (high, key->axes[i]);
      key->rank = MAX (key->rank, candela_layout_get_rank (layouts[i]));
    }
  key->place = high - low + 1 == key->n_arrays ? low : 0;
  for (guint k = 0; k < key->rank; k++)
    key->shape[k] = 1;
  for (guint i = 0; i < key->n_arrays; i++)
    {
      gsize rank;
      const gint64 *shape = candela_layout_get_shape (layouts[i], &rank);

      for (gsize k = 0; k < rank; k++)
        {
          gint64 *length = &key->shape[key->rank - rank + k];

          if (*length == 1)
            *length = shape[k];
          else if (shape[k] != 1 && shape[k] != *length)
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
fail_shapes (const IndexKey *key, const CandelaInference *inference, const CandelaLayout *const *layouts,
             GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < key->n_arrays; i++)
    {
      gsize rank;
      const gint64 *shape = candela_layout_get_shape (layouts[i], &rank);
      g_autofree char *one = candela_shape_to_string (shape, rank);

      g_string_append_printf (text, "%s%s", i == 0 ? "" : " and ", one);
    }
  return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                 "indices of shapes %s cannot be broadcast together", text->str);
}

guint
index_key_get_shape (const IndexKey *key, const CandelaLayout *x, gint64 *shape)
{
  gsize rank;
  const gint64 *its = candela_layout_get_shape (x, &rank);
  guint n = 0, axis = 0;

  for (; n < key->place; axis++)
    if (!is_chosen (key, axis))
      shape[n++] = its[axis];
  for (guint k = 0; k < key->rank; k++)
    shape[n++] = key->shape[k];
  for (; axis < rank; axis++)
    if (!is_chosen (key, axis))
      shape[n++] = its[axis];
  return n;
}

gboolean
index_key_infer_shape (IndexKey *key, const CandelaInference *inference, guint first, gint64 *shape, guint *rank,
                       GError **error)
{
  const CandelaLayout *layouts[CANDELA_MAX_RANK];

  for (guint i = 0; i < key->n_arrays; i++)
    layouts[i] = candela_inference_get_input_layout (inference, first + i);
  if (!settle (key, layouts))
    return fail_shapes (key, inference, layouts, error);
  *rank = index_key_get_shape (key, candela_inference_get_input_layout (inference, INDEX_INPUT_X), shape);
  return *rank <= CANDELA_MAX_RANK
         || candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                    "what the indices choose has more than %d axes", CANDELA_MAX_RANK);
}

/* ---- Where it is ---- */

static void
append_axis (IndexAxes *axes, gint64 length, gint64 stride)
{
  guint last = axes->rank - 1;

  axes->n *= length;
  if (length == 1)
    return;
  if (axes->rank > 0 && axes->strides[last] == stride * length)
    {
      axes->shape[last] *= length;
      axes->strides[last] = stride;
      return;
    }
  axes->shape[axes->rank] = length;
  axes->strides[axes->rank++] = stride;
}

gint64
index_axes_find (const IndexAxes *axes, gint64 index)
{
  gint64 place = 0;

  for (guint k = axes->rank; k-- > 0;)
    {
      place += index % axes->shape[k] * axes->strides[k];
      index /= axes->shape[k];
    }
  return place;
}

gboolean
index_choice_init (IndexChoice *choice, CandelaKernel *kernel, const char *op, const IndexKey *key, guint first,
                   const CandelaLayout *layout, GError **error)
{
  const CandelaLayout *layouts[CANDELA_MAX_RANK];
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  const gint64 *strides = candela_layout_get_strides (layout, NULL);
  guint kept = 0;

  *choice = (IndexChoice){ .kernel = kernel, .key = *key, .n = 1, .outer = { .n = 1 }, .inner = { .n = 1 } };
  for (guint i = 0; i < key->n_arrays; i++)
    layouts[i] = candela_kernel_get_input_layout (kernel, first + i);
  settle (&choice->key, layouts);
  for (guint k = 0; k < choice->key.rank; k++)
    choice->n *= choice->key.shape[k];
  for (guint axis = 0; axis < rank; axis++)
    if (!is_chosen (key, axis))
      append_axis (kept++ < choice->key.place ? &choice->outer : &choice->inner, shape[axis], strides[axis]);
  for (guint i = 0; i < key->n_arrays; i++)
    {
      index_check_init (&choice->checks[i], kernel, op, key->axes[i], shape[key->axes[i]]);
      choice->checks[i].input = first + i;
      choice->strides[i] = strides[key->axes[i]];
    }
  for (guint i = 0; i < key->n_arrays; i++)
    {
      choice->layouts[i] = candela_layout_broadcast (layouts[i], choice->key.shape, choice->key.rank, error);
      if (choice->layouts[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

gboolean
index_choice_read (IndexChoice *choice, gint64 start, gint64 n, gint64 *offsets)
{
  gboolean fine = index_read (&choice->checks[0], choice->layouts[0], start, n, offsets);
  gint64 more[INDEX_BLOCK];

  if (choice->strides[0] != 1)
    for (gint64 i = 0; i < n; i++)
      offsets[i] *= choice->strides[0];
  for (guint k = 1; k < choice->key.n_arrays; k++)
    {
      const gint64 stride = choice->strides[k];

      fine &= index_read (&choice->checks[k], choice->layouts[k], start, n, more);
      for (gint64 i = 0; fine && i < n; i++)
        offsets[i] += more[i] * stride;
    }
  return fine;
}

static void
check_piece (guint64 piece, gpointer data)
{
  IndexChoice *choice = data;
  gint64 start = (gint64) piece * INDEX_PIECE, end = MIN (start + INDEX_PIECE, choice->n);
  gint64 offsets[INDEX_BLOCK];

  for (gint64 n; start < end; start += n)
    {
      n = MIN (end - start, INDEX_BLOCK);
      if (index_stopped (&choice->checks[0]) || !index_choice_read (choice, start, n, offsets))
        return;
    }
}

gboolean
index_choice_check (IndexChoice *choice)
{
  candela_kernel_parallel_for (choice->kernel, (choice->n + INDEX_PIECE - 1) / INDEX_PIECE, check_piece, choice);
  for (guint i = 0; i < choice->key.n_arrays; i++)
    if (choice->checks[i].wrong >= 0)
      return FALSE;
  return !index_stopped (&choice->checks[0]);
}

/* Of several arrays the one is told of that is wrong first. */
gboolean
index_choice_end (IndexChoice *choice, GError **error)
{
  guint worst = 0;
  gboolean fine = TRUE;

  for (guint i = 1; i < choice->key.n_arrays; i++)
    if (choice->checks[i].wrong >= 0
        && (choice->checks[worst].wrong < 0 || choice->checks[i].wrong < choice->checks[worst].wrong))
      worst = i;
  for (guint i = 0; i < choice->key.n_arrays; i++)
    {
      /* Where the error is one of layouts, it is set already. */
      gboolean tell = i == worst && choice->layouts[i] != NULL && (error == NULL || *error == NULL);

      if (choice->layouts[i] == NULL)
        fine = FALSE;
      if (!index_check_end (&choice->checks[i], choice->layouts[i], tell ? error : NULL))
        fine = FALSE;
      g_clear_pointer (&choice->layouts[i], candela_layout_unref);
    }
  return fine;
}
