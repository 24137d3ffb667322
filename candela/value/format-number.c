/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Floats as decimal text, as NumPy writes them. A float gets the fewest digits
 * that read back as the same value of its own type, at most eight after the
 * point in an array. The C library's exact conversions do the arithmetic; they
 * are given and asked only digits without a decimal point, so that the locale
 * has no say. */
#include <candela/value/format-private.h>
#include <candela/value/half-private.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_PRECISION 8

/* Seventeen tell any two doubles apart. */
#define MAX_DIGITS 17

/* d1.d2d3… times ten to the exponent. Zero is the digit 0. */
typedef struct
{
  gboolean negative;
  int exponent;
  int n;
  char digits[MAX_DIGITS + 1];
} Digits;

/* How many digits any number can have and be told from its neighbours, and how many
 * it must have; the smallest normal one. */
typedef struct
{
  int certain, needed;
  double normal;
} Precision;

static Precision
precision_of (CandelaDType dtype)
{
  switch (dtype)
    {
    case CANDELA_DTYPE_FLOAT16:
      return (Precision){ 3, 5, 0x1p-14 };
    case CANDELA_DTYPE_BFLOAT16:
      return (Precision){ 2, 4, FLT_MIN };
    case CANDELA_DTYPE_FLOAT32:
      return (Precision){ FLT_DIG, FLT_DECIMAL_DIG, FLT_MIN };
    default:
      return (Precision){ DBL_DIG, DBL_DECIMAL_DIG, DBL_MIN };
    }
}

/* What a number is as one of float16 or bfloat16. */
static double
round_to_half (double value, CandelaDType dtype)
{
  guint16 half;

  candela_dtype_get_convert_func (CANDELA_DTYPE_FLOAT64, dtype) (&half, &value, 1);
  candela_dtype_get_convert_func (dtype, CANDELA_DTYPE_FLOAT64) (&value, &half, 1);
  return value;
}

static gboolean
digits_read_back (const Digits *digits, double magnitude, CandelaDType dtype)
{
  char text[MAX_DIGITS + 16];

  g_snprintf (text, sizeof text, "%se%d", digits->digits, digits->exponent + 1 - digits->n);
  if (candela_dtype_is_half (dtype))
    return round_to_half (strtod (text, NULL), dtype) == magnitude;
  if (dtype == CANDELA_DTYPE_FLOAT32)
    return strtof (text, NULL) == (float) magnitude;
  return strtod (text, NULL) == magnitude;
}

/* One more in the last place. */
static void
digits_increment (Digits *digits)
{
  int i = digits->n - 1;

  while (i >= 0 && digits->digits[i] == '9')
    digits->digits[i--] = '0';
  if (i >= 0)
    {
      digits->digits[i]++;
      return;
    }
  digits->digits[0] = '1';
  digits->exponent++;
}

static void
digits_trim (Digits *digits)
{
  while (digits->n > 1 && digits->digits[digits->n - 1] == '0')
    digits->n--;
  digits->digits[digits->n] = '\0';
}

/* The nearest number of n digits, zeros at the end kept; TRUE if it reads back
 * as the same value. Below a power of two floats lie twice as dense as above:
 * there the nearest may not read back, while its neighbour above does. */
static gboolean
digits_round (Digits *digits, double value, CandelaDType dtype, int n)
{
  double magnitude = fabs (value);
  char text[MAX_DIGITS + 24];
  int unused;

  digits->negative = signbit (value) != 0;
  digits->n = 0;
  g_snprintf (text, sizeof text, "%.*e", n - 1, magnitude);
  for (const char *c = text; *c != '\0'; c++)
    {
      if (g_ascii_isdigit (*c))
        digits->digits[digits->n++] = *c;
      else if (*c == 'e')
        {
          digits->exponent = atoi (c + 1);
          break;
        }
    }
  digits->digits[digits->n] = '\0';

  if (digits_read_back (digits, magnitude, dtype))
    return TRUE;
  if (frexp (magnitude, &unused) != 0.5)
    return FALSE;
  Digits above = *digits;
  digits_increment (&above);
  if (!digits_read_back (&above, magnitude, dtype))
    return FALSE;
  *digits = above;
  return TRUE;
}

/* The fewest digits that read back as the same value, the nearest of these. */
static void
digits_shortest (Digits *digits, double value, CandelaDType dtype)
{
  /* Any number of that many digits survives the way to a normal float and back,
   * so nothing shorter needs to be tried; subnormal ones have fewer bits. */
  Precision precision = precision_of (dtype);

  for (int n = fabs (value) < 4 * precision.normal ? 1 : precision.certain; n <= precision.needed; n++)
    if (digits_round (digits, value, dtype, n))
      break;
  digits_trim (digits);
}

/* The same with at most that many digits after the point. */
static void
digits_positional (Digits *digits, double value, CandelaDType dtype, int precision)
{
  digits_shortest (digits, value, dtype);
  if (precision < 0 || digits->n - 1 - digits->exponent <= precision)
    return;
  digits_round (digits, value, dtype, CLAMP (digits->exponent + 1 + precision, 1, MAX_DIGITS));
  digits_trim (digits);
}

static void
digits_scientific (Digits *digits, double value, CandelaDType dtype, int precision)
{
  digits_shortest (digits, value, dtype);
  if (precision < 0 || digits->n - 1 <= precision)
    return;
  digits_round (digits, value, dtype, precision + 1);
  digits_trim (digits);
}

static int
exponent_length (int exponent)
{
  return ABS (exponent) >= 100 ? 3 : 2;
}

static int
whole_length (const Digits *digits)
{
  return MAX (digits->exponent, 0) + 1;
}

static int
fraction_length (const Digits *digits)
{
  return MAX (digits->n - 1 - digits->exponent, 0);
}

static const char *
sign_text (const Digits *digits, gboolean always_sign)
{
  return digits->negative ? "-" : (always_sign ? "+" : "");
}

static void
append_repeated (GString *text, char c, int n)
{
  for (int i = 0; i < n; i++)
    g_string_append_c (text, c);
}

static void
append_positional (GString *text, const Digits *digits)
{
  int whole = whole_length (digits);
  int leading = 0;

  if (digits->exponent < 0)
    {
      g_string_append (text, "0.");
      append_repeated (text, '0', -digits->exponent - 1);
    }
  else
    {
      leading = MIN (digits->n, whole);
      g_string_append_len (text, digits->digits, leading);
      append_repeated (text, '0', whole - leading);
      g_string_append_c (text, '.');
    }
  g_string_append_len (text, digits->digits + leading, digits->n - leading);
}

static void
append_exponent (GString *text, int exponent, int min_digits)
{
  g_string_append_printf (text, "e%c%0*d", exponent < 0 ? '-' : '+', min_digits, ABS (exponent));
}

/* Whether the magnitudes are too large, too small or too far apart for plain
 * decimals. They are divided as what they are. */
static gboolean
wants_scientific (const double *values, gsize n, CandelaDType dtype)
{
  double max = 0.0, min = INFINITY;

  for (gsize i = 0; i < n; i++)
    {
      double magnitude = fabs (values[i]);
      if (!isfinite (magnitude) || magnitude == 0.0)
        continue;
      max = MAX (max, magnitude);
      min = MIN (min, magnitude);
    }
  if (max == 0.0)
    return FALSE;
  if (max >= 1e8 || min < 1e-4)
    return TRUE;
  if (candela_dtype_is_half (dtype))
    return round_to_half ((float) max / (float) min, dtype) > 1000.0;
  return dtype == CANDELA_DTYPE_FLOAT32 ? (float) max / (float) min > 1000.0f : max / min > 1000.0;
}

void
candela_float_style_init (CandelaFloatStyle *style, const double *values, gsize n, CandelaDType dtype,
                          gboolean always_sign)
{
  gboolean any_special = FALSE, any_negative_infinity = FALSE;
  int fraction = 0;

  *style = (CandelaFloatStyle){ .dtype = dtype, .always_sign = always_sign };
  style->scientific = wants_scientific (values, n, dtype);
  style->precision = ARRAY_PRECISION;

  for (gsize i = 0; i < n; i++)
    {
      Digits digits;

      if (!isfinite (values[i]))
        {
          any_special = TRUE;
          any_negative_infinity |= values[i] < 0.0;
          continue;
        }
      if (style->scientific)
        {
          digits_scientific (&digits, values[i], dtype, ARRAY_PRECISION);
          fraction = MAX (fraction, digits.n - 1);
          style->exponent_digits = MAX (style->exponent_digits, exponent_length (digits.exponent));
        }
      else
        {
          digits_positional (&digits, values[i], dtype, ARRAY_PRECISION);
          fraction = MAX (fraction, fraction_length (&digits));
        }
      int sign = digits.negative || always_sign ? 1 : 0;
      style->pad_left = MAX (style->pad_left, sign + (style->scientific ? 1 : whole_length (&digits)));
    }

  style->pad_right = fraction;
  if (style->scientific)
    {
      style->precision = fraction;
      style->pad_right = style->exponent_digits + 2 + fraction;
    }
  if (any_special)
    {
      int longest = (int) strlen ("inf") + (always_sign || any_negative_infinity ? 1 : 0);
      style->pad_left = MAX (style->pad_left, longest - (style->pad_right + 1));
    }
}

static const char *
special_text (double value, gboolean always_sign)
{
  if (isnan (value))
    return always_sign ? "+nan" : "nan";
  return value < 0.0 ? "-inf" : (always_sign ? "+inf" : "inf");
}

void
candela_float_style_append (const CandelaFloatStyle *style, GString *text, double value)
{
  Digits digits;

  if (!isfinite (value))
    {
      g_string_append_printf (text, "%*s", style->pad_left + style->pad_right + 1,
                              special_text (value, style->always_sign));
      return;
    }

  if (style->scientific)
    {
      /* Not the shortest with zeros after it: where there is room for more
       * digits, they are the value's. So below for whole numbers. */
      digits_round (&digits, value, style->dtype, style->precision + 1);
      const char *sign = sign_text (&digits, style->always_sign);
      append_repeated (text, ' ', style->pad_left - 1 - (int) strlen (sign));
      g_string_append (text, sign);
      g_string_append_c (text, digits.digits[0]);
      g_string_append_c (text, '.');
      g_string_append_len (text, digits.digits + 1, digits.n - 1);
      append_exponent (text, digits.exponent, style->exponent_digits);
      return;
    }

  digits_positional (&digits, value, style->dtype, style->precision);
  if (digits.n <= digits.exponent)
    digits_round (&digits, value, style->dtype, MIN (digits.exponent + 1, MAX_DIGITS));
  const char *sign = sign_text (&digits, style->always_sign);
  append_repeated (text, ' ', style->pad_left - whole_length (&digits) - (int) strlen (sign));
  g_string_append (text, sign);
  append_positional (text, &digits);
  append_repeated (text, ' ', style->pad_right - fraction_length (&digits));
}

void
candela_float_append_scalar (GString *text, double value, CandelaDType dtype, gboolean always_sign, gboolean point_zero)
{
  Digits digits;
  long double magnitude = fabsl ((long double) value);

  if (!isfinite (value))
    {
      g_string_append (text, special_text (value, always_sign));
      return;
    }

  digits_shortest (&digits, value, dtype);
  g_string_append (text, sign_text (&digits, always_sign));
  if (magnitude == 0.0L || (magnitude >= 1e-4L && magnitude < 1e16L))
    {
      append_positional (text, &digits);
      if (fraction_length (&digits) == 0)
        {
          if (point_zero)
            g_string_append_c (text, '0');
          else
            g_string_truncate (text, text->len - 1);
        }
      return;
    }
  g_string_append_c (text, digits.digits[0]);
  if (digits.n > 1)
    {
      g_string_append_c (text, '.');
      g_string_append_len (text, digits.digits + 1, digits.n - 1);
    }
  append_exponent (text, digits.exponent, 2);
}
