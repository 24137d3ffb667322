/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * float16 and bfloat16: every one of their values, and all that lies between two of
 * them, against numbers made with ldexp() from what IEEE 754 says the bits mean. */
#include <candela/value/half-private.h>

#include <math.h>
#include <string.h>

typedef struct
{
  CandelaDType dtype;
  guint number; /* in CandelaHalfLoops */
  int fraction, smallest;
  guint16 infinity;
} Format;

/* 10 bits behind the point, the smallest normal number 2^-14; 7 and 2^-126. */
static const Format formats[] = {
  { CANDELA_DTYPE_FLOAT16, 0, 10, -14, 0x7c00 },
  { CANDELA_DTYPE_BFLOAT16, 1, 7, -126, 0x7f80 },
};

/* Of a magnitude that is no NaN; infinity is the number that would come next. */
static double
value_of (const Format *format, guint16 bits)
{
  int exponent = bits >> format->fraction;
  int significand = bits & ((1 << format->fraction) - 1);

  if (exponent > 0)
    significand |= 1 << format->fraction;
  return ldexp (significand, format->smallest - format->fraction + MAX (exponent, 1) - 1);
}

static guint32
float_bits (float x)
{
  guint32 bits;

  memcpy (&bits, &x, sizeof bits);
  return bits;
}

static guint16
from_float (const Format *format, guint set, float x)
{
  guint16 half;

  candela_half_get_loops (set)->narrow[format->number](&half, &x, 1);
  return half;
}

static guint16
from (const Format *format, CandelaDType dtype, gconstpointer x)
{
  guint16 half;

  candela_dtype_get_convert_func (dtype, format->dtype) (&half, x, 1);
  return half;
}

static guint16
from_double (const Format *format, double x)
{
  return from (format, CANDELA_DTYPE_FLOAT64, &x);
}

static void
test_widen (gconstpointer data)
{
  const Format *format = data;

  for (guint set = 0; candela_half_get_loops (set) != NULL; set++)
    for (guint i = 0; i <= G_MAXUINT16; i++)
      {
        guint16 half = (guint16) i, magnitude = half & 0x7fff;
        guint32 sign = half != magnitude ? 0x80000000 : 0, found;
        float wide;
        double wider;

        candela_half_get_loops (set)->widen[format->number](&wide, &half, 1);
        candela_dtype_get_convert_func (format->dtype, CANDELA_DTYPE_FLOAT64) (&wider, &half, 1);
        found = float_bits (wide);
        if (magnitude > format->infinity)
          {
            g_assert_true (isnan (wide) && isnan (wider));
            g_assert_cmphex (found & 0x80000000, ==, sign);
            g_assert_cmphex (from_float (format, set, wide), ==, half | 1u << (format->fraction - 1));
            continue;
          }
        g_assert_cmphex (
          found, ==,
          sign | float_bits (magnitude == format->infinity ? INFINITY : (float) value_of (format, magnitude)));
        g_assert_true (wider == wide && !signbit (wider) == !signbit (wide));
        g_assert_cmphex (from_float (format, set, wide), ==, half);
        g_assert_cmphex (from_double (format, wider), ==, half);
      }
}

/* Half way between two neighbours, and the float32 and float64 next to that. */
static void
test_narrow (gconstpointer data)
{
  const Format *format = data;

  for (guint16 half = 0; half < format->infinity; half++)
    {
      guint16 next = half + 1, even = (half & 1) == 0 ? half : next;
      double low = value_of (format, half), high = value_of (format, next), middle = low + (high - low) / 2;
      gboolean held = (double) (float) middle == middle;

      for (guint set = 0; held && candela_half_get_loops (set) != NULL; set++)
        {
          g_assert_cmphex (from_float (format, set, (float) middle), ==, even);
          g_assert_cmphex (from_float (format, set, nextafterf ((float) middle, 0)), ==, half);
          g_assert_cmphex (from_float (format, set, nextafterf ((float) middle, INFINITY)), ==, next);
          g_assert_cmphex (from_float (format, set, -(float) middle), ==, even | 0x8000);
          g_assert_cmphex (from_float (format, set, nextafterf (-(float) middle, 0)), ==, half | 0x8000);
          g_assert_cmphex (from_float (format, set, nextafterf (-(float) middle, -INFINITY)), ==, next | 0x8000);
        }
      g_assert_cmphex (from_double (format, middle), ==, even);
      g_assert_cmphex (from_double (format, nextafter (middle, 0)), ==, half);
      g_assert_cmphex (from_double (format, nextafter (middle, INFINITY)), ==, next);
      g_assert_cmphex (from_double (format, nextafter (-middle, -INFINITY)), ==, next | 0x8000);
    }
}

static void
test_special (gconstpointer data)
{
  const Format *format = data;
  static const double large[] = { 1e39, 1e300, DBL_MAX, INFINITY, FLT_MAX };

  for (guint i = 0; i < G_N_ELEMENTS (large); i++)
    {
      g_assert_cmphex (from_double (format, large[i]), ==, format->infinity);
      g_assert_cmphex (from_double (format, -large[i]), ==, format->infinity | 0x8000);
      for (guint set = 0; candela_half_get_loops (set) != NULL; set++)
        g_assert_cmphex (from_float (format, set, (float) large[i]), ==, format->infinity);
    }
  g_assert_cmphex (from_double (format, 0x1p-1074), ==, 0);
  g_assert_cmphex (from_double (format, -0x1p-1074), ==, 0x8000);
  g_assert_cmphex (from_double (format, -0.0), ==, 0x8000);
  g_assert_cmphex (from_double (format, (double) NAN) & 0x7fff, >, format->infinity);

  /* A NaN that only its last bit makes one stays one, and becomes quiet. */
  for (guint set = 0; candela_half_get_loops (set) != NULL; set++)
    {
      static const guint32 nans[] = { 0x7f800001, 0xff800001, 0x7fc00000, 0xffffffff };

      for (guint i = 0; i < G_N_ELEMENTS (nans); i++)
        {
          guint16 half;

          candela_half_get_loops (set)->narrow[format->number](&half, &nans[i], 1);
          g_assert_cmphex (half & 0x7fff, >, format->infinity);
          g_assert_cmphex (half >> (format->fraction - 1) & 1, ==, 1);
          g_assert_cmphex (half >> 15, ==, nans[i] >> 31);
        }
    }
}

/* What float32 would round to half way, and then to even. */
static void
test_rounded_once (void)
{
  const Format *f = &formats[0], *b = &formats[1];
  gint32 i32 = (1 << 30) + (1 << 22) + 1;
  guint32 u32 = (1u << 31) + (1u << 23) + 1;
  gint64 i64 = (G_GINT64_CONSTANT (1) << 62) + (G_GINT64_CONSTANT (1) << 54) + 1, negative = -i64;
  guint64 u64 = (G_GUINT64_CONSTANT (1) << 63) + (G_GUINT64_CONSTANT (1) << 55) + 1;
  gint64 tie = i64 - 1, below = i64 - 2;

  g_assert_cmphex (from_double (f, 1 + 0x1p-11 + 0x1p-40), ==, 0x3c01);
  g_assert_cmphex (from_double (f, 1 + 0x1p-11), ==, 0x3c00);
  g_assert_cmphex (from_double (f, 1 + 3 * 0x1p-11 - 0x1p-40), ==, 0x3c01);
  g_assert_cmphex (from_double (f, 65520 - 0x1p-30), ==, 0x7bff);
  g_assert_cmphex (from_double (b, 1 + 0x1p-8 + 0x1p-40), ==, 0x3f81);
  g_assert_cmphex (from (b, CANDELA_DTYPE_INT32, &i32), ==, 0x4e81);
  g_assert_cmphex (from (b, CANDELA_DTYPE_UINT32, &u32), ==, 0x4f01);
  g_assert_cmphex (from (b, CANDELA_DTYPE_INT64, &i64), ==, 0x5e81);
  g_assert_cmphex (from (b, CANDELA_DTYPE_INT64, &negative), ==, 0xde81);
  g_assert_cmphex (from (b, CANDELA_DTYPE_INT64, &tie), ==, 0x5e80);
  g_assert_cmphex (from (b, CANDELA_DTYPE_INT64, &below), ==, 0x5e80);
  g_assert_cmphex (from (b, CANDELA_DTYPE_UINT64, &u64), ==, 0x5f01);
  g_assert_cmphex (from (f, CANDELA_DTYPE_INT64, &i64), ==, 0x7c00);
}

/* Small integers have no fraction: all that there are in three bytes and more. */
static void
test_integers (void)
{
  for (gint32 i = -70000; i <= 70000; i++)
    {
      gint64 wide = i;

      for (guint k = 0; k < G_N_ELEMENTS (formats); k++)
        {
          guint16 expected = from_double (&formats[k], i), high = expected;

          g_assert_cmphex (from (&formats[k], CANDELA_DTYPE_INT32, &i), ==, expected);
          g_assert_cmphex (from (&formats[k], CANDELA_DTYPE_INT64, &wide), ==, expected);
          if (i >= G_MININT16 && i <= G_MAXINT16)
            {
              gint16 narrow = (gint16) i;

              g_assert_cmphex (from (&formats[k], CANDELA_DTYPE_INT16, &narrow), ==, expected);
            }
          if (formats[k].dtype == CANDELA_DTYPE_FLOAT16 && (high & 0x7fff) < 0x7c00)
            {
              gint32 back;

              candela_dtype_get_convert_func (CANDELA_DTYPE_FLOAT16, CANDELA_DTYPE_INT32) (&back, &high, 1);
              g_assert_cmpint (ABS (back - i), <=, 16);
            }
        }
    }
}

/* Every instruction set, at every place in a loop of every length. */
static void
test_loops (void)
{
  enum {
    N = 80
  };
  guint32 in[N], wide[N], expected_wide[N];
  guint16 out[N], expected[N];

  for (guint round = 0; round < 200; round++)
    for (guint set = 0; candela_half_get_loops (set) != NULL; set++)
      {
        gsize n = round % N;

        for (guint i = 0; i < N; i++)
          in[i] = (guint32) g_test_rand_int () ^ (guint32) g_test_rand_int () << 16;
        for (guint k = 0; k < 2; k++)
          {
            memset (out, 0xaa, sizeof out);
            candela_half_get_loops (set)->narrow[k](out, in, n);
            memset (expected, 0xaa, sizeof expected);
            for (gsize i = 0; i < n; i++)
              candela_half_get_loops (0)->narrow[k](&expected[i], &in[i], 1);
            g_assert_cmpmem (out, sizeof out, expected, sizeof expected);
            memset (wide, 0xaa, sizeof wide);
            candela_half_get_loops (set)->widen[k](wide, in, n);
            memset (expected_wide, 0xaa, sizeof expected_wide);
            for (gsize i = 0; i < n; i++)
              candela_half_get_loops (0)->widen[k](&expected_wide[i], (guint16 *) in + i, 1);
            g_assert_cmpmem (wide, sizeof wide, expected_wide, sizeof expected_wide);
          }
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (guint k = 0; k < G_N_ELEMENTS (formats); k++)
    {
      const char *name = candela_dtype_get_name (formats[k].dtype);
      g_autofree char *widen = g_strdup_printf ("/half/%s/widen", name);
      g_autofree char *narrow = g_strdup_printf ("/half/%s/narrow", name);
      g_autofree char *special = g_strdup_printf ("/half/%s/special", name);

      g_test_add_data_func (widen, &formats[k], test_widen);
      g_test_add_data_func (narrow, &formats[k], test_narrow);
      g_test_add_data_func (special, &formats[k], test_special);
    }
  g_test_add_func ("/half/rounded-once", test_rounded_once);
  g_test_add_func ("/half/integers", test_integers);
  g_test_add_func ("/half/loops", test_loops);

  return g_test_run ();
}
