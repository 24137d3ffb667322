/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What arrays hold, and when two elements are the same. */
#include <candela/check/check-private.h>
#include <math.h>

/* ---- Filling ---- */

static double
choose_float (CandelaCheckValues values, guint64 *state)
{
  static const double special[] = { 0.0, -0.0, 1.0, -1.0, 0.5, INFINITY, -INFINITY, NAN, 1e-40, 3e38, -2.0, 100.0 };
  guint64 r = candela_check_random (state);

  if (values != CANDELA_CHECK_VALUES_ANY)
    return (double) (r >> 59) / 8 + 0.125;
  if (r % 4 == 0)
    return special[(r >> 32) % G_N_ELEMENTS (special)];
  return ((double) (r >> 40) * 0x1p-24 - 0.5) * 8;
}

static gint64
choose_int (CandelaCheckValues values, guint64 *state)
{
  guint64 r = candela_check_random (state);

  if (values != CANDELA_CHECK_VALUES_ANY)
    return (gint64) ((r >> 32) % 3);
  if (r % 8 == 0)
    return (gint64) candela_check_random (state);
  return (gint64) ((r >> 32) % 9) - 3;
}

static gint64
plain_int (guint64 k)
{
  return (gint64) (k % 3);
}

static double
plain_float (guint64 k)
{
  return (double) (k * 5 % 7) + 1.0;
}

/* Element k of n. Up to 64 of them each have a part of the range of their own: the powers of
 * 2 modulo 67 are all numbers from 1 to 66, and no pattern that makes matrices singular. The
 * last of their four digits tells arrays from each other. */
static double
smooth_float (CandelaCheckValues values, guint64 k, guint64 n, gboolean diagonal, guint64 array, guint64 *state)
{
  static const double ranges[][2] = { { -2, 2 }, { 0.05, 0.95 }, { 1.05, 3 }, { 0.1, 0.6 } };
  const double *range = ranges[values - CANDELA_CHECK_VALUES_AROUND_ZERO];
  double place = (double) (candela_check_random (state) >> 11) * 0x1p-53;
  guint part = 1;

  for (guint64 i = 0; n <= 64 && i < (k + array) % 66; i++)
    part = 2 * part % 67;
  if (n <= 64)
    place = (part - 1 + 0.2 + 0.6 * place) / 66;
  place = range[0] + (range[1] - range[0]) * place;
  if (values == CANDELA_CHECK_VALUES_DOMINANT && diagonal)
    place += 5;
  return n <= 64 ? (floor (place * 1000) * 10 + 1 + (double) (array % 9)) / 10000 : place;
}

/* Of the last two axes: -1 if there are no two. */
static gboolean
is_on_diagonal (guint64 k, const gint64 *dims, guint rank)
{
  return rank >= 2 && (gint64) k % dims[rank - 1] == (gint64) k / dims[rank - 1] % dims[rank - 2];
}

static double
find_number (CandelaDTypeKind kind, CandelaCheckValues values, guint64 k, gboolean diagonal, guint64 *state)
{
  gboolean whole = (kind & (CANDELA_DTYPE_KIND_FLOAT | CANDELA_DTYPE_KIND_COMPLEX)) == 0;

  if (values == CANDELA_CHECK_VALUES_PLAIN)
    return whole ? (double) plain_int (k) : plain_float (k);
  if (values == CANDELA_CHECK_VALUES_MATRIX)
    return diagonal ? 9.0 : whole ? (double) choose_int (values, state) : 0.25;
  return whole ? (double) choose_int (values, state) : choose_float (values, state);
}

void
candela_check_fill (gpointer data, CandelaDType dtype, const gint64 *dims, guint rank, CandelaCheckValues values,
                    guint64 seed)
{
  gsize size = candela_dtype_get_size (dtype);
  CandelaDTypeKind kind = candela_dtype_get_kind (dtype);
  guint64 n = 1, array = seed;

  for (guint axis = 0; axis < rank; axis++)
    n *= (guint64) dims[axis];
  for (guint64 k = 0; k < n; k++)
    {
      gpointer element = (guint8 *) data + k * size;
      gboolean diagonal = is_on_diagonal (k, dims, rank);
      double parts[2] = { 0.0, 0.0 };

      if ((kind & (CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED)) != 0 && values == CANDELA_CHECK_VALUES_ANY)
        {
          gint64 number = choose_int (values, &seed);

          candela_dtype_convert (CANDELA_DTYPE_INT64, &number, dtype, element, 1);
          continue;
        }
      if (kind == CANDELA_DTYPE_KIND_FLOAT && values >= CANDELA_CHECK_VALUES_AROUND_ZERO)
        parts[0] = smooth_float (values, k, n, diagonal, array, &seed);
      else
        parts[0] = find_number (kind, values, k, diagonal, &seed);
      if (kind == CANDELA_DTYPE_KIND_COMPLEX && values != CANDELA_CHECK_VALUES_MATRIX)
        parts[1] = find_number (kind, values, k + 1, diagonal, &seed);
      if (kind == CANDELA_DTYPE_KIND_BOOL)
        *(guint8 *) element = parts[0] == 1.0;
      else
        candela_dtype_convert (kind == CANDELA_DTYPE_KIND_COMPLEX ? CANDELA_DTYPE_COMPLEX128 : CANDELA_DTYPE_FLOAT64,
                               parts, dtype, element, 1);
    }
}

/* ---- Comparing ---- */

static gboolean
is_nan (CandelaDType dtype, gconstpointer element)
{
  double value = 0.0;

  candela_dtype_convert (dtype, element, CANDELA_DTYPE_FLOAT64, &value, 1);
  return isnan (value);
}

gboolean
candela_check_same_element (CandelaDType dtype, gconstpointer a, gconstpointer b)
{
  gsize size = candela_dtype_get_size (dtype);

  if (memcmp (a, b, size) == 0)
    return TRUE;
  switch (candela_dtype_get_kind (dtype))
    {
    case CANDELA_DTYPE_KIND_FLOAT:
      return is_nan (dtype, a) && is_nan (dtype, b);
    case CANDELA_DTYPE_KIND_COMPLEX:
      dtype = dtype == CANDELA_DTYPE_COMPLEX64 ? CANDELA_DTYPE_FLOAT32 : CANDELA_DTYPE_FLOAT64;
      return candela_check_same_element (dtype, a, b)
             && candela_check_same_element (dtype, (const guint8 *) a + size / 2, (const guint8 *) b + size / 2);
    default:
      return FALSE;
    }
}

/* ---- As text ---- */

static void
append_float (GString *text, double value)
{
  if (isnan (value))
    g_string_append (text, "0.0/0.0");
  else if (isinf (value))
    g_string_append (text, value > 0 ? "1.0/0.0" : "-1.0/0.0");
  else
    {
      g_autofree char *number = candela_param_float_to_string (value);

      g_string_append (text, number);
    }
}

void
candela_check_append_element (GString *text, CandelaDType dtype, gconstpointer element)
{
  double parts[2] = { 0.0, 0.0 };
  gint64 number = 0;

  switch (candela_dtype_get_kind (dtype))
    {
    case CANDELA_DTYPE_KIND_BOOL:
      if (*(const guint8 *) element > 1)
        g_string_append_printf (text, "the byte %u", *(const guint8 *) element);
      else
        g_string_append (text, *(const guint8 *) element != 0 ? "true" : "false");
      break;
    case CANDELA_DTYPE_KIND_FLOAT:
      candela_dtype_convert (dtype, element, CANDELA_DTYPE_FLOAT64, parts, 1);
      append_float (text, parts[0]);
      break;
    case CANDELA_DTYPE_KIND_COMPLEX:
      candela_dtype_convert (dtype, element, CANDELA_DTYPE_COMPLEX128, parts, 1);
      g_string_append_c (text, '(');
      append_float (text, parts[0]);
      g_string_append (text, " + ");
      append_float (text, parts[1]);
      g_string_append (text, isfinite (parts[1]) ? "j)" : " * 1j)");
      break;
    default:
      candela_dtype_convert (dtype, element, CANDELA_DTYPE_INT64, &number, 1);
      if (dtype == CANDELA_DTYPE_UINT64)
        g_string_append_printf (text, "%" G_GUINT64_FORMAT, *(const guint64 *) element);
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, number);
    }
}
