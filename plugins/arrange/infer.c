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

gboolean
arrange_check_shapes (const CandelaInference *inference, int but, GError **error)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, 0), &rank);

  for (guint i = 1; i < candela_inference_get_n_inputs (inference); i++)
    {
      gsize its_rank;
      const gint64 *its = candela_layout_get_shape (candela_inference_get_input_layout (inference, i), &its_rank);
      gboolean same = its_rank == rank;
      g_autofree char *a = NULL;
      g_autofree char *b = NULL;
      g_autofree char *except = but >= 0 ? g_strdup_printf (", but for axis %d", but) : g_strdup ("");

      for (int k = 0; same && k < (int) rank; k++)
        same = k == but || its[k] == shape[k];
      if (same)
        continue;
      a = candela_shape_to_string (shape, rank);
      b = candela_shape_to_string (its, its_rank);
      return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                     "input 0 has shape %s and input %u has shape %s: they must be the same%s", a, i, b,
                                     except);
    }
  return TRUE;
}
