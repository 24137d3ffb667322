/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Indices: reading them, and saying which one is wrong. Whichever thread meets one, the
 * one that is told of is the first. */
#include "index.h"

/* Bytes of a unit up to which units are moved word by word. */
#define MAX_SHORT 64

const CandelaInputInfo index_inputs[] = {
  { "x", .summary = "what is chosen from" },
  { "indices", .kinds = CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED, .fixed = CANDELA_DTYPE_INT64,
    .summary = "which elements along the axis; negative: from its end" },
  { NULL },
};

void
index_check_init (IndexCheck *check, CandelaKernel *kernel, const char *op, guint axis, gint64 length)
{
  *check = (IndexCheck){
    .kernel = kernel, .op = op, .input = INDEX_INPUT_INDICES, .axis = axis, .length = length, .wrong = -1
  };
  pthread_mutex_init (&check->lock, NULL);
}

static void
remember (IndexCheck *check, gint64 position)
{
  pthread_mutex_lock (&check->lock);
  if (check->wrong < 0 || position < check->wrong)
    check->wrong = position;
  pthread_mutex_unlock (&check->lock);
}

static inline gboolean
is_wrong (gint64 index, gint64 length, gboolean no_sign)
{
  return index >= length || (index < 0 && (no_sign || index < -length));
}

/* uint64 is read as it is too: what has no place in an int64 is negative then, and no
 * index. */
static gboolean
pack_indices (const IndexCheck *check, const CandelaLayout *layout, gint64 start, gint64 n, gint64 *indices)
{
  gboolean no_sign = candela_kernel_get_input_dtype (check->kernel, check->input) == CANDELA_DTYPE_UINT64;

  candela_kernel_pack_layout (check->kernel, check->input, layout, no_sign ? CANDELA_DTYPE_UINT64 : CANDELA_DTYPE_INT64,
                              start, n, indices);
  return no_sign;
}

/* Where they lie packed as they are wanted; NULL if they do not. */
static const gint64 *
find_indices (const IndexCheck *check, const CandelaLayout *layout)
{
  return candela_kernel_get_input_dtype (check->kernel, check->input) == CANDELA_DTYPE_INT64
             && candela_layout_is_contiguous (layout)
           ? candela_kernel_get_input (check->kernel, check->input)
           : NULL;
}

gboolean
index_read (IndexCheck *check, const CandelaLayout *layout, gint64 start, gint64 n, gint64 *indices)
{
  const gint64 *given = find_indices (check, layout);
  gboolean no_sign = given == NULL && pack_indices (check, layout, start, n, indices);
  const gint64 *from = given != NULL ? given + start : indices;
  const guint64 last = (guint64) check->length - 1;
  const gint64 from_end = no_sign ? 0 : check->length;
  guint64 bits = 0;

  /* What is no index has the sign itself, or what is left up to the last one has it. */
  for (gint64 i = 0; i < n; i++)
    {
      gint64 index = from[i] + ((from[i] >> 63) & from_end);

      bits |= (guint64) index | (last - (guint64) index);
      indices[i] = index;
    }
  if (bits >> 63 == 0)
    return TRUE;
  pack_indices (check, layout, start, n, indices);
  for (gint64 i = 0; i < n; i++)
    if (is_wrong (indices[i], check->length, no_sign))
      {
        remember (check, start + i);
        return FALSE;
      }
  return FALSE;
}

gboolean
index_stopped (IndexCheck *check)
{
  return g_cancellable_is_cancelled (candela_kernel_get_cancellable (check->kernel));
}

/* Where in an array of a shape an element is. */
static char *
position_to_string (const CandelaLayout *layout, gint64 position)
{
  gint64 index[CANDELA_MAX_RANK];
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);

  for (gsize k = rank; k-- > 0;)
    {
      index[k] = position % shape[k];
      position /= shape[k];
    }
  return candela_shape_to_string (index, rank);
}

gboolean
index_check_end (IndexCheck *check, const CandelaLayout *layout, GError **error)
{
  gboolean no_sign;
  gint64 index;
  g_autofree char *place = NULL;
  g_autofree char *number = NULL;

  pthread_mutex_destroy (&check->lock);
  if (g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (check->kernel), error))
    return FALSE;
  if (check->wrong < 0)
    return TRUE;
  no_sign = pack_indices (check, layout, check->wrong, 1, &index);
  place = position_to_string (layout, check->wrong);
  number =
    no_sign ? g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) index) : g_strdup_printf ("%" G_GINT64_FORMAT, index);
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_AXIS,
               "%s: index %s, at %s of indices, is out of range for axis %u of x, of length %" G_GINT64_FORMAT,
               check->op, number, place, check->axis, check->length);
  return FALSE;
}

int
index_check_axis (const CandelaInference *inference, gint64 axis, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);
  g_autofree char *text = NULL;

  if (axis >= -(gint64) rank && axis < (gint64) rank)
    return (int) (axis < 0 ? axis + (gint64) rank : axis);
  text = candela_shape_to_string (shape, rank);
  candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                          "axis %" G_GINT64_FORMAT " is out of range: x has shape %s", axis, text);
  return -1;
}

typedef guint64 Wide __attribute__ ((vector_size (16)));

/* The common case, one after the other, is a loop of its own. */
#define GATHER(SIZE, TYPE)                                                                                             \
  static void gather_##SIZE (guint8 *out, const guint8 *in, const gint64 *indices, gint64 stride, gint64 step,         \
                             gint64 n)                                                                                 \
  {                                                                                                                    \
    if (stride == 1 && step == 0)                                                                                      \
      for (gint64 i = 0; i < n; i++)                                                                                   \
        memcpy (out + i * SIZE, in + indices[i] * SIZE, sizeof (TYPE));                                                \
    else                                                                                                               \
      for (gint64 i = 0; i < n; i++)                                                                                   \
        memcpy (out + i * SIZE, in + (indices[i] * stride + i * step) * SIZE, sizeof (TYPE));                          \
  }

GATHER (1, guint8)
GATHER (2, guint16)
GATHER (4, guint32)
GATHER (8, guint64)
GATHER (16, Wide)

void
index_gather (guint8 *out, const guint8 *in, const gint64 *indices, gint64 stride, gint64 step, gint64 n, gsize size)
{
  switch (size)
    {
    case 1:
      gather_1 (out, in, indices, stride, step, n);
      break;
    case 2:
      gather_2 (out, in, indices, stride, step, n);
      break;
    case 4:
      gather_4 (out, in, indices, stride, step, n);
      break;
    case 8:
      gather_8 (out, in, indices, stride, step, n);
      break;
    default:
      gather_16 (out, in, indices, stride, step, n);
    }
}

void
index_gather_units (guint8 *out, const guint8 *in, const gint64 *indices, gint64 step, gint64 n, gint64 unit,
                    gsize size)
{
  const gint64 bytes = unit * (gint64) size, step_bytes = step * (gint64) size;

  if (unit == 1)
    index_gather (out, in, indices, step, 0, n, size);
  else if (bytes >= 8 && bytes <= MAX_SHORT)
    for (gint64 i = 0; i < n; i++)
      {
        const guint8 *from = in + indices[i] * step_bytes;
        gint64 at = 0;

        /* Whole words, the last of which may overlap the one before. */
        for (; at + 8 < bytes; at += 8)
          memcpy (out + i * bytes + at, from + at, 8);
        memcpy (out + (i + 1) * bytes - 8, from + bytes - 8, 8);
      }
  else
    for (gint64 i = 0; i < n; i++)
      memcpy (out + i * bytes, in + indices[i] * step_bytes, (gsize) bytes);
}
