/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Checks and helpers that every product needs. */
#include "linalg.h"

#include <stdlib.h>

#define CACHE_LINE 64

const CandelaInputInfo linalg_inputs[] = {
  { .name = "x1", .kinds = LINALG_NUMBERS, .summary = "the left factor" },
  { .name = "x2", .kinds = LINALG_NUMBERS, .summary = "the right factor" },
  { NULL },
};

gboolean
linalg_has_library (CandelaDType dtype)
{
  return (candela_dtype_get_kind (dtype) & LINALG_WITH_LIBRARY) != 0;
}

guint64
linalg_flops (CandelaDType dtype)
{
  return candela_dtype_get_kind (dtype) == CANDELA_DTYPE_KIND_COMPLEX ? 8 : 2;
}

gboolean
linalg_broadcast (const gint64 *a, gsize a_rank, const gint64 *b, gsize b_rank, gint64 *out, gsize *rank)
{
  *rank = MAX (a_rank, b_rank);
  for (gsize k = 1; k <= *rank; k++)
    {
      gint64 from_a = k <= a_rank ? a[a_rank - k] : 1;
      gint64 from_b = k <= b_rank ? b[b_rank - k] : 1;

      if (from_a != from_b && from_a != 1 && from_b != 1)
        return FALSE;
      out[*rank - k] = from_a == 1 ? from_b : from_a;
    }
  return TRUE;
}

gboolean
linalg_fail_shapes (CandelaInference *inference, const char *reason, GError **error)
{
  char *text[2];

  for (guint i = 0; i < 2; i++)
    {
      gsize rank;
      const gint64 *shape = candela_layout_get_shape (candela_inference_get_input_layout (inference, i), &rank);

      text[i] = candela_shape_to_string (shape, rank);
    }
  candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE, "x1 has shape %s and x2 %s: %s", text[0], text[1],
                          reason);
  g_free (text[0]);
  g_free (text[1]);
  return FALSE;
}

gpointer
linalg_alloc (gint64 n, CandelaDType dtype, GError **error)
{
  gsize bytes;
  gpointer memory = NULL;

  if (!g_size_checked_mul (&bytes, (gsize) n, candela_dtype_get_size (dtype))
      || posix_memalign (&memory, CACHE_LINE, MAX (bytes, 1)) != 0)
    memory = NULL;
  if (memory == NULL)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY,
                 "there is no memory to pack %" G_GINT64_FORMAT " elements of dtype %s", n,
                 candela_dtype_get_name (dtype));
  return memory;
}

gboolean
linalg_get_storage (const Matrix *matrix, Storage *storage)
{
  /* A stride along an extent of 1 is never taken. */
  gboolean by_rows = matrix->col_stride == 1 || matrix->cols == 1;
  gboolean by_cols = matrix->row_stride == 1 || matrix->rows == 1;

  if (by_rows && (matrix->rows == 1 || matrix->row_stride >= matrix->cols))
    *storage = (Storage){ FALSE, matrix->rows == 1 ? matrix->cols : matrix->row_stride };
  else if (by_cols && (matrix->cols == 1 || matrix->col_stride >= matrix->rows))
    *storage = (Storage){ TRUE, matrix->cols == 1 ? matrix->rows : matrix->col_stride };
  else
    return FALSE;
  return storage->leading <= G_MAXINT;
}
