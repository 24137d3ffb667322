/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Filling an output by pieces, and checks that several ops need. */
#include "create.h"

gboolean
create_run (CandelaKernel *kernel, CreateFill fill, gconstpointer data, GError **error)
{
  gint64 n = candela_layout_get_n_elements (candela_kernel_get_output_layout (kernel, 0));
  gpointer out = candela_kernel_get_output (kernel, 0);

  for (gint64 first = 0, part; first < n; first += part)
    {
      part = MIN (n - first, CREATE_CHUNK);
      if (g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (kernel), error))
        return FALSE;
      fill (kernel, data, out, first, part);
    }
  return TRUE;
}

#define FITS_ROW(DTYPE, type, smallest, largest)                                                                       \
  case CANDELA_DTYPE_##DTYPE:                                                                                          \
    return value >= (gint64) smallest && value <= (gint64) largest;

gboolean
create_fits (CandelaDType dtype, gint64 value)
{
  switch ((int) dtype)
    {
      CREATE_INTEGERS (FITS_ROW)
    default:
      return TRUE;
    }
}

gboolean
create_check_dtype (CandelaInference *inference, CandelaDType dtype, CandelaDTypeKind kinds, GError **error)
{
  if ((candela_dtype_get_kind (dtype) & kinds) != 0)
    return TRUE;
  return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE, "it cannot make values of dtype %s",
                                 candela_dtype_get_name (dtype));
}
