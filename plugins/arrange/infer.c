/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks that several ops of this plugin need. */
#include "arrange.h"

const CandelaInputInfo arrange_x[] = {
  { "x", .summary = "the operand" },
  { NULL },
};

int
arrange_check_axis (const CandelaInference *inference, const char *name, const CandelaLayout *layout, gint64 axis,
                    GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  g_autofree char *text = NULL;

  if (axis >= -(gint64) rank && axis < (gint64) rank)
    return (int) (axis < 0 ? axis + (gint64) rank : axis);
  text = candela_shape_to_string (shape, rank);
  candela_inference_fail (inference, error, CANDELA_ERROR_AXIS,
                          "axis %" G_GINT64_FORMAT " is out of range: %s has shape %s", axis, name, text);
  return -1;
}

gint64
arrange_count (const gint64 *shape, guint first, guint end)
{
  gint64 count = 1;

  for (guint k = first; k < end; k++)
    count *= shape[k];
  return count;
}
