/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parts of a value by index, with the meaning that Python and NumPy give to
 * x[1:4, ::-1, None, 0, ...]: an integer leaves its axis out, a slice keeps it, None
 * makes a new one of length 1, and the ellipsis stands for as many whole axes as are
 * missing (as it does at the end, if it is nowhere). The text is read strictly: items
 * parted by commas, with blanks around any of them.
 *
 * New axes are made last, so that no rank on the way is above that of the input and
 * that of the result. */
#include "layout.h"
#include <errno.h>
#include <string.h>

typedef enum {
  ITEM_INTEGER,
  ITEM_SLICE,
  ITEM_NONE,
  ITEM_ELLIPSIS
} ItemKind;

typedef struct
{
  ItemKind kind;
  gint64 start; /* of an integer: itself */
  gint64 stop;
  gint64 step;
} Item;

typedef struct
{
  const CandelaInference *inference; /* for errors; NULL: there can be none */
  const CandelaLayout *layout;
  const char *key;
  const char *at; /* what has not been read yet */
} Reader;

static gboolean
fail_key (const Reader *reader, GError **error, const char *why)
{
  /* A key may be of any length and hold anything; a message may not. */
  g_autofree char *escaped = g_strescape (reader->key, NULL);
  gboolean whole = strlen (escaped) <= 60;

  return candela_inference_fail (reader->inference, error, CANDELA_ERROR_PARAMETER, "key [%.60s%s], character %zu: %s",
                                 escaped, whole ? "" : "…", (size_t) (reader->at - reader->key) + 1, why);
}

static gboolean
accept (Reader *reader, const char *word)
{
  gsize length = strlen (word);

  reader->at += strspn (reader->at, " \t");
  if (strncmp (reader->at, word, length) != 0)
    return FALSE;

  reader->at += length;
  reader->at += strspn (reader->at, " \t");
  return TRUE;
}

/* An integer, where one is: *given says whether. */
static gboolean
read_integer (Reader *reader, gint64 *value, gboolean *given, GError **error)
{
  const char *digits;
  char *end;

  reader->at += strspn (reader->at, " \t");
  digits = reader->at + (*reader->at == '-');
  *given = g_ascii_isdigit (*digits);
  if (!*given)
    return digits == reader->at || fail_key (reader, error, "there is no number after the minus sign");

  errno = 0;
  *value = g_ascii_strtoll (reader->at, &end, 10);
  if (errno == ERANGE)
    return fail_key (reader, error, "the number is beyond 64 bits");

  reader->at = end;
  reader->at += strspn (reader->at, " \t");
  return TRUE;
}

/* As a bound the smallest integer is as good as its neighbour, and means none to
 * the layout algebra. */
static gint64
as_bound (gint64 value)
{
  return value == CANDELA_SLICE_NONE ? value + 1 : value;
}

static gboolean
read_item (Reader *reader, Item *item, GError **error)
{
  gboolean given;

  *item = (Item){ ITEM_SLICE, CANDELA_SLICE_NONE, CANDELA_SLICE_NONE, 1 };
  if (accept (reader, "..."))
    item->kind = ITEM_ELLIPSIS;
  else if (accept (reader, "None"))
    item->kind = ITEM_NONE;
  else
    {
      if (!read_integer (reader, &item->start, &given, error))
        return FALSE;
      if (!accept (reader, ":"))
        {
          item->kind = ITEM_INTEGER;
          return given || fail_key (reader, error, "expected an integer, a slice, None or ...");
        }
      if (given)
        item->start = as_bound (item->start);

      if (!read_integer (reader, &item->stop, &given, error))
        return FALSE;
      if (given)
        item->stop = as_bound (item->stop);

      if (accept (reader, ":") && !read_integer (reader, &item->step, &given, error))
        return FALSE;
    }

  return TRUE;
}

/* Reads the items into an array, and counts those that take an axis of the input. */
static gboolean
read_items (Reader *reader, GArray *items, guint *n_taken, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (reader->layout, &rank);
  guint n_ellipses = 0, n_new = 0;
  Item item;

  *n_taken = 0;
  do
    {
      if (!read_item (reader, &item, error))
        return FALSE;
      if (*reader->at != ',' && *reader->at != '\0')
        return fail_key (reader, error, "expected a comma or the end");

      n_ellipses += item.kind == ITEM_ELLIPSIS;
      n_new += item.kind == ITEM_NONE;
      *n_taken += item.kind == ITEM_INTEGER || item.kind == ITEM_SLICE;
      if (n_ellipses > 1)
        return fail_key (reader, error, "there is a second ellipsis");
      if (*n_taken > rank)
        {
          g_autofree char *text = candela_shape_to_string (shape, rank);

          return candela_inference_fail (reader->inference, error, CANDELA_ERROR_SHAPE,
                                         "x has shape %s: the key has more than %" G_GSIZE_FORMAT " indices", text,
                                         rank);
        }
      if (n_new > CANDELA_MAX_RANK)
        return candela_inference_fail (reader->inference, error, CANDELA_ERROR_SHAPE,
                                       "the result has more than %d axes", CANDELA_MAX_RANK);
      g_array_append_val (items, item);
    }
  while (accept (reader, ","));

  return TRUE;
}

/* One axis left out, at an index that may count from the end. */
static CandelaLayout *
select_index (const CandelaInference *inference, const CandelaLayout *layout, guint axis, guint axis_of_x, gint64 index,
              GError **error)
{
  gint64 length = candela_layout_get_shape (layout, NULL)[axis];

  if (index < -length || index >= length)
    {
      candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                              "index %" G_GINT64_FORMAT " is out of range for axis %u of length %" G_GINT64_FORMAT,
                              index, axis_of_x, length);
      return NULL;
    }

  return candela_layout_select (layout, axis, index < 0 ? index + length : index, error);
}

CandelaLayout *
layout_index (const CandelaInference *inference, const CandelaLayout *layout, const char *key, GError **error)
{
  g_autoptr (CandelaLayout) result = candela_layout_ref ((CandelaLayout *) layout);
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (Item));
  Reader reader = { inference, layout, key, key };
  guint rank = candela_layout_get_rank (layout);
  guint new_axes[CANDELA_MAX_RANK]; /* where in the result they are, in order */
  guint n_taken, n_new = 0, axis = 0, axis_of_x = 0;

  if (!read_items (&reader, items, &n_taken, error))
    return NULL;

  for (guint i = 0; i < items->len; i++)
    {
      const Item *item = &g_array_index (items, Item, i);
      CandelaLayout *next = NULL;

      switch (item->kind)
        {
        case ITEM_NONE:
          new_axes[n_new] = axis + n_new;
          n_new++;
          continue;
        case ITEM_ELLIPSIS:
          axis += rank - n_taken;
          axis_of_x += rank - n_taken;
          continue;
        case ITEM_INTEGER:
          next = select_index (inference, result, axis, axis_of_x++, item->start, error);
          break;
        case ITEM_SLICE:
          next = candela_layout_slice (result, axis++, item->start, item->stop, item->step, error);
          axis_of_x++;
          break;
        }
      if (next == NULL)
        return NULL;
      candela_layout_unref (result);
      result = next;
    }

  for (guint i = 0; i < n_new; i++)
    {
      CandelaLayout *next = candela_layout_expand (result, new_axes[i], error);

      if (next == NULL)
        return NULL;
      candela_layout_unref (result);
      result = next;
    }

  return g_steal_pointer (&result);
}

/* index */

enum {
  KEY
};

static const CandelaParamInfo index_params[] = {
  { "key", CANDELA_PARAM_STRING, CANDELA_PARAM_REQUIRED,
    .summary = "what stands between the brackets: integers, slices, None, and one ellipsis, parted by commas" },
  { NULL },
};

static gboolean
infer_index (CandelaInference *inference, GError **error)
{
  const char *key = candela_params_get_string (candela_inference_get_params (inference), KEY);

  return layout_answer (inference,
                        layout_index (inference, candela_inference_get_input_layout (inference, 0), key, error));
}

LAYOUT_OP (index, "A part of x, as x[1:4, ::-1, None, 0, ...]", .formula = "out = x[key]",
           .example = "x = reshape(arange(12), [3, 4]); x[1:, ::-2], x[-1]", .params = index_params,
           .operators = "index:[]", .aliasing = CANDELA_ALIASING_REFERENCE, .infer = infer_index,
           .gradients = { "update(zeros(x.shape, dtype=x.dtype), grad, key=key)" })

/* slice */

enum {
  AXIS,
  START,
  STOP,
  STEP
};

static const CandelaParamInfo slice_params[] = {
  { "axis", CANDELA_PARAM_INT, CANDELA_PARAM_REQUIRED, .summary = "the axis to take a part of" },
  { "start", CANDELA_PARAM_INT, .summary = "the first index; none: the first one there is, in the step's direction" },
  { "stop", CANDELA_PARAM_INT, .summary = "the index to stop before; none: after the last one" },
  { "step", CANDELA_PARAM_INT, .default_value = "1", .summary = "from one index to the next; not 0" },
  { NULL },
};

static gboolean
infer_slice (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  gint64 start = CANDELA_SLICE_NONE, stop = CANDELA_SLICE_NONE;

  if (candela_params_is_set (params, START))
    start = as_bound (candela_params_get_int (params, START));
  if (candela_params_is_set (params, STOP))
    stop = as_bound (candela_params_get_int (params, STOP));

  return layout_answer (inference, candela_layout_slice (candela_inference_get_input_layout (inference, 0),
                                                         candela_params_get_int (params, AXIS), start, stop,
                                                         candela_params_get_int (params, STEP), error));
}

LAYOUT_OP (slice, "x with one axis from start to before stop, by step",
           .formula = "out[i] = x[start + step · i], i along axis",
           .example = "slice(arange(10), axis=0, start=1, stop=8, step=3)", .params = slice_params,
           .aliasing = CANDELA_ALIASING_REFERENCE, .infer = infer_slice,
           .gradients = { "i = slice(reshape(arange(x.size), x.shape), axis, start, stop, step); " LAYOUT_PUT_BACK })

const CandelaOpInfo *const layout_index_ops[] = { &index_info, &slice_info, NULL };
