/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Views of a buffer, and packed copies of them, for tests that a result does not
 * depend on the layout of what it is computed from. */
#pragma once

#include "op-testing.h"

/* A packed copy, element by element. */
static inline CandelaNode *
pack (CandelaNode *view)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) from = candela_node_get_tensor (view);
  gsize rank;
  const gint64 *shape = candela_tensor_get_shape (from, &rank);
  const gint64 *strides = candela_layout_get_strides (candela_tensor_get_layout (from), &rank);
  g_autoptr (CandelaTensor) to = candela_tensor_new (candela_tensor_get_dtype (from), shape, rank, &error);
  gint64 size = (gint64) candela_dtype_get_size (candela_tensor_get_dtype (from));

  g_assert_no_error (error);
  for (gint64 i = 0; i < candela_tensor_get_n_elements (to); i++)
    {
      gint64 offset = 0, rest = i;

      for (gsize axis = rank; axis-- > 0; rest /= shape[axis])
        offset += rest % shape[axis] * strides[axis];
      memcpy ((guint8 *) candela_tensor_get_writable_data (to) + i * size,
              (const guint8 *) candela_tensor_get_data (from) + offset * size, (gsize) size);
    }
  return candela_node_new_tensor (to);
}

#define N_VIEWS 7

/* Views of a buffer of three axes that reach every way of walking; the last is the
 * buffer as it is. */
static inline CandelaLayout *
view_layout (CandelaLayout *base, guint number)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaLayout) a = NULL, b = NULL;
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (base, &rank);
  CandelaLayout *result = NULL;

  switch (number)
    {
    case 0:
      result = candela_layout_permute (base, (gint64[]){ 2, 1, 0 }, 3, &error);
      break;
    case 1:
      result = candela_layout_permute (base, (gint64[]){ 1, 0, 2 }, 3, &error);
      break;
    case 2:
      result = candela_layout_flip (base, (gint64[]){ 0, 1, 2 }, 3, &error);
      break;
    case 3:
      a = candela_layout_slice (base, 1, 5, shape[1], 2, &error);
      b = candela_layout_permute (a, (gint64[]){ 1, 2, 0 }, 3, &error);
      result = candela_layout_flip (b, (gint64[]){ 0 }, 1, &error);
      break;
    case 4:
      result = candela_layout_slice (base, 2, 1, shape[2], 1, &error);
      break;
    case 5:
      a = candela_layout_select (base, 0, 0, &error);
      result = candela_layout_broadcast (a, (gint64[]){ 3, shape[1], shape[2] }, 3, &error);
      break;
    default:
      result = candela_layout_ref (base);
    }
  g_assert_no_error (error);
  return result;
}

/* func() for each view of a base, and what it is. */
static inline void
check_views (CandelaTensor *base, void (*func) (CandelaNode *view, CandelaNode *packed, const char *what))
{
  g_autofree char *shape = shape_text (base);
  const char *dtype = candela_dtype_get_name (candela_tensor_get_dtype (base));

  for (guint number = 0; number < N_VIEWS; number++)
    {
      g_autoptr (CandelaNode) view = make_view (base, view_layout (candela_tensor_get_layout (base), number));
      g_autoptr (CandelaNode) packed = pack (view);
      g_autofree char *what = g_strdup_printf ("%s [%s], view %u", dtype, shape, number);

      func (view, packed, what);
    }
}

/* Numbers of both signs and of very different sizes, so that another order of summation
 * shows; floats, complex numbers and int16. */
static inline CandelaTensor *
random_tensor (const char *dtype, const char *shape_text)
{
  g_autoptr (GError) error = NULL;
  gint64 shape[CANDELA_MAX_RANK];
  gsize rank = read_shape (shape_text, shape);
  CandelaDType number = read_dtype (dtype);
  CandelaTensor *tensor = candela_tensor_new (number, shape, rank, &error);
  guint32 state = 7;
  gpointer data;

  g_assert_no_error (error);
  data = candela_tensor_get_writable_data (tensor);
  for (gint64 i = 0; i < candela_tensor_get_n_elements (tensor) * (1 + is_complex (number)); i++)
    {
      double value;

      state = state * 1664525u + 1013904223u;
      value = ((double) (state >> 8) - 8388608.0) * ldexp (1.0, (int) (state >> 3 & 31) - 16);
      if (number == CANDELA_DTYPE_FLOAT32 || number == CANDELA_DTYPE_COMPLEX64)
        ((float *) data)[i] = (float) value;
      else if (number != CANDELA_DTYPE_INT16)
        ((double *) data)[i] = value;
      else
        ((gint16 *) data)[i] = (gint16) (gint64) value;
    }
  return tensor;
}
