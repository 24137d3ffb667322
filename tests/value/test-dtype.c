/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Dtypes: names, promotion (the tables of the array API standard; what they leave
 * open as NumPy 1.24's promote_types() answers) and the conversion of elements. */
#include <candela/value/convert-private.h>

#include <math.h>
#include <string.h>

/* In the order of CandelaDType, from bool on. */
static const char *const names[] = { "bool",    "int8",      "int16",      "int32",   "int64",
                                     "uint8",   "uint16",    "uint32",     "uint64",  "float32",
                                     "float64", "complex64", "complex128", "float16", "bfloat16" };
/* bfloat16, which NumPy has not, is g. */
static const char letters[] = "?bhiqBHIQfdFDeg";

/* numpy.promote_types(row, column), one letter a dtype; of bfloat16 as the package
 * ml_dtypes has it. */
static const char *const promoted[] = {
  "?bhiqBHIQfdFDeg", /* bool */
  "bbhiqhiqdfdFDeg", /* int8 */
  "hhhiqhiqdfdFDff", /* int16 */
  "iiiiqiiqdddDDdd", /* int32 */
  "qqqqqqqqdddDDdd", /* int64 */
  "BhhiqBHIQfdFDeg", /* uint8 */
  "HiiiqHHIQfdFDff", /* uint16 */
  "IqqqqIIIQddDDdd", /* uint32 */
  "QddddQQQQddDDdd", /* uint64 */
  "fffddffddfdFDff", /* float32 */
  "dddddddddddDDdd", /* float64 */
  "FFFDDFFDDFDFDFF", /* complex64 */
  "DDDDDDDDDDDDDDD", /* complex128 */
  "eefddefddfdFDef", /* float16 */
  "ggfddgfddfdFDfg", /* bfloat16 */
};

/* An array of the row's dtype with a Python bool, int, float and complex. */
static const char *const weak[] = {
  "?qdD", "bbdD", "hhdD", "iidD", "qqdD", "BBdD", "HHdD", "IIdD",
  "QQdD", "fffF", "dddD", "FFFF", "DDDD", "eeeF", "gggF",
};

static CandelaDType
from_letter (char letter)
{
  return strchr (letters, letter) - letters + CANDELA_DTYPE_BOOL;
}

static void
test_names (void)
{
  static const gsize sizes[] = { 1, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 8, 16, 2, 2 };
  g_autoptr (GEnumClass) klass = g_type_class_ref (CANDELA_TYPE_DTYPE);

  g_assert_cmpuint (G_N_ELEMENTS (names), ==, CANDELA_N_DTYPES - 1);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      CandelaDType dtype = i + CANDELA_DTYPE_BOOL;
      g_autoptr (GError) error = NULL;

      g_assert_cmpstr (candela_dtype_get_name (dtype), ==, names[i]);
      g_assert_cmpstr (g_enum_get_value (klass, dtype)->value_nick, ==, names[i]);
      g_assert_cmpuint (candela_dtype_get_size (dtype), ==, sizes[i]);
      g_assert_cmpint (candela_dtype_from_name (names[i], &error), ==, dtype);
      g_assert_no_error (error);
    }
  g_assert_cmpint (candela_dtype_get_kind (CANDELA_DTYPE_BOOL), ==, CANDELA_DTYPE_KIND_BOOL);
  g_assert_cmpint (candela_dtype_get_kind (CANDELA_DTYPE_INT8), ==, CANDELA_DTYPE_KIND_SIGNED);
  g_assert_cmpint (candela_dtype_get_kind (CANDELA_DTYPE_UINT64), ==, CANDELA_DTYPE_KIND_UNSIGNED);
  g_assert_cmpint (candela_dtype_get_kind (CANDELA_DTYPE_FLOAT32), ==, CANDELA_DTYPE_KIND_FLOAT);
  g_assert_cmpint (candela_dtype_get_kind (CANDELA_DTYPE_COMPLEX64), ==, CANDELA_DTYPE_KIND_COMPLEX);
}

/* A binding can pass any number; none reads beyond a table. */
static void
test_no_dtype (void)
{
  static const int wrong[] = { CANDELA_DTYPE_INVALID, CANDELA_N_DTYPES, -1, 1000, G_MAXINT, G_MININT };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_assert_cmpstr (candela_dtype_get_name (wrong[i]), ==, "invalid");
      g_assert_cmpuint (candela_dtype_get_size (wrong[i]), ==, 0);
      g_assert_cmpint (candela_dtype_get_kind (wrong[i]), ==, 0);
      g_assert_cmpint (candela_dtype_promote (wrong[i], CANDELA_DTYPE_BOOL), ==, CANDELA_DTYPE_INVALID);
      g_assert_cmpint (candela_dtype_promote (CANDELA_DTYPE_BOOL, wrong[i]), ==, CANDELA_DTYPE_INVALID);
      g_assert_cmpint (candela_dtype_promote (wrong[i], wrong[i]), ==, CANDELA_DTYPE_INVALID);
      g_assert_cmpint (candela_dtype_promote_weak (wrong[i], CANDELA_DTYPE_BOOL), ==, CANDELA_DTYPE_INVALID);
      g_assert_cmpint (candela_dtype_promote_weak (CANDELA_DTYPE_BOOL, wrong[i]), ==, CANDELA_DTYPE_INVALID);
      g_assert_false (candela_dtype_can_cast (wrong[i], wrong[i]));
      g_assert_null (candela_dtype_get_convert_func (wrong[i], CANDELA_DTYPE_BOOL));
      g_assert_null (candela_dtype_get_convert_func (CANDELA_DTYPE_BOOL, wrong[i]));
    }
}

static void
test_from_wrong_name (void)
{
  static const char *const wrong[] = { "", "float", "Float32", "float32 ", "invalid", "half", NULL };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (candela_dtype_from_name (wrong[i], &error), ==, CANDELA_DTYPE_INVALID);
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE);
      g_assert_nonnull (strstr (error->message, wrong[i] != NULL ? wrong[i] : ""));
      g_assert_nonnull (strstr (error->message, "bool, int8,"));
      g_assert_nonnull (strstr (error->message, "complex128, float16, bfloat16"));
    }
}

static void
test_promote (void)
{
  for (guint a = 0; a < G_N_ELEMENTS (names); a++)
    for (guint b = 0; b < G_N_ELEMENTS (names); b++)
      {
        CandelaDType expected = from_letter (promoted[a][b]);

        g_assert_cmpint (candela_dtype_promote (a + 1, b + 1), ==, expected);
        g_assert_cmpint (candela_dtype_can_cast (a + 1, b + 1), ==, expected == b + 1);
      }
}

static void
test_promote_weak (void)
{
  static const CandelaDType scalars[] = { CANDELA_DTYPE_BOOL, CANDELA_DTYPE_INT64, CANDELA_DTYPE_FLOAT64,
                                          CANDELA_DTYPE_COMPLEX128 };

  for (guint a = 0; a < G_N_ELEMENTS (names); a++)
    for (guint s = 0; s < G_N_ELEMENTS (scalars); s++)
      {
        g_test_message ("%s with a %s scalar", names[a], candela_dtype_get_name (scalars[s]));
        g_assert_cmpint (candela_dtype_promote_weak (a + 1, scalars[s]), ==, from_letter (weak[a][s]));
      }
}

/* What a double is as each integer: by way of gint64, then its low bits. */
static const struct
{
  double value;
  gint64 as_int64;
  guint64 as_uint64;
  gint32 as_int32;
  guint32 as_uint32;
  gint16 as_int16;
  guint8 as_uint8;
} floats[] = {
  { 0.0, 0, 0, 0, 0, 0, 0 },
  { -0.0, 0, 0, 0, 0, 0, 0 },
  { 1.75, 1, 1, 1, 1, 1, 1 },
  { -1.75, -1, G_MAXUINT64, -1, G_MAXUINT32, -1, 255 },
  { -0.5, 0, 0, 0, 0, 0, 0 },
  { 300.0, 300, 300, 300, 300, 300, 44 },
  { -32769.0, -32769, G_MAXUINT64 - 32768, -32769, G_MAXUINT32 - 32768, 32767, 255 },
  { 2147483648.0, G_GINT64_CONSTANT (2147483648), G_GUINT64_CONSTANT (2147483648), G_MININT32, 2147483648u, 0, 0 },
  { 4294967297.0, G_GINT64_CONSTANT (4294967297), G_GUINT64_CONSTANT (4294967297), 1, 1, 1, 1 },
  { 9223372036854774784.0, G_MAXINT64 - 1023, (guint64) G_MAXINT64 - 1023, -1024, G_MAXUINT32 - 1023, -1024, 0 },
  { 9223372036854775808.0, G_MININT64, (guint64) 1 << 63, 0, 0, 0, 0 },
  { -9223372036854775808.0, G_MININT64, (guint64) 1 << 63, 0, 0, 0, 0 },
  { 18446744073709549568.0, G_MININT64, G_MAXUINT64 - 2047, 0, 0, 0, 0 },
  { 18446744073709551616.0, G_MININT64, (guint64) 1 << 63, 0, 0, 0, 0 },
  { 1e300, G_MININT64, (guint64) 1 << 63, 0, 0, 0, 0 },
  { INFINITY, G_MININT64, (guint64) 1 << 63, 0, 0, 0, 0 },
  { -INFINITY, G_MININT64, (guint64) 1 << 63, 0, 0, 0, 0 },
  { NAN, G_MININT64, (guint64) 1 << 63, 0, 0, 0, 0 },
};

#define CONVERTED(from, FROM, to, TO, value)                                                                           \
  ({                                                                                                                   \
    from in_ = (value);                                                                                                \
    to out_ = 0;                                                                                                       \
    candela_dtype_get_convert_func (CANDELA_DTYPE_##FROM, CANDELA_DTYPE_##TO) (&out_, &in_, 1);                        \
    out_;                                                                                                              \
  })

static void
test_convert_floats (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (floats); i++)
    {
      double value = floats[i].value;

      g_test_message ("%.17g", value);
      g_assert_cmpint (CONVERTED (double, FLOAT64, gint64, INT64, value), ==, floats[i].as_int64);
      g_assert_cmpuint (CONVERTED (double, FLOAT64, guint64, UINT64, value), ==, floats[i].as_uint64);
      g_assert_cmpint (CONVERTED (double, FLOAT64, gint32, INT32, value), ==, floats[i].as_int32);
      g_assert_cmpuint (CONVERTED (double, FLOAT64, guint32, UINT32, value), ==, floats[i].as_uint32);
      g_assert_cmpint (CONVERTED (double, FLOAT64, gint16, INT16, value), ==, floats[i].as_int16);
      g_assert_cmpint (CONVERTED (double, FLOAT64, guint16, UINT16, value), ==, (guint16) floats[i].as_int16);
      g_assert_cmpint (CONVERTED (double, FLOAT64, guint8, UINT8, value), ==, floats[i].as_uint8);
      g_assert_cmpint (CONVERTED (double, FLOAT64, gint8, INT8, value), ==, (gint8) floats[i].as_uint8);
      g_assert_cmpint (CONVERTED (double, FLOAT64, guint8, BOOL, value), ==, value != 0);

      /* Those that float32 has exactly (or that are no number) go the same way. */
      if ((double) (float) value != value && !isnan (value))
        continue;
      g_assert_cmpint (CONVERTED (float, FLOAT32, gint64, INT64, value), ==, floats[i].as_int64);
      g_assert_cmpuint (CONVERTED (float, FLOAT32, guint64, UINT64, value), ==, floats[i].as_uint64);
      g_assert_cmpint (CONVERTED (float, FLOAT32, gint32, INT32, value), ==, floats[i].as_int32);
      g_assert_cmpuint (CONVERTED (float, FLOAT32, guint32, UINT32, value), ==, floats[i].as_uint32);
      g_assert_cmpint (CONVERTED (float, FLOAT32, gint16, INT16, value), ==, floats[i].as_int16);
      g_assert_cmpint (CONVERTED (float, FLOAT32, guint8, UINT8, value), ==, floats[i].as_uint8);
      g_assert_cmpint (CONVERTED (float, FLOAT32, guint8, BOOL, value), ==, value != 0);
    }
}

/* Integers wrap to narrower ones, and round to nearest as floats. */
static void
test_convert_integers (void)
{
  g_assert_cmpint (CONVERTED (gint64, INT64, gint8, INT8, 384), ==, -128);
  g_assert_cmpint (CONVERTED (gint64, INT64, guint8, UINT8, -1), ==, 255);
  g_assert_cmpint (CONVERTED (gint32, INT32, gint16, INT16, 98304), ==, -32768);
  g_assert_cmpuint (CONVERTED (gint8, INT8, guint64, UINT64, -2), ==, G_MAXUINT64 - 1);
  g_assert_cmpint (CONVERTED (guint64, UINT64, gint64, INT64, G_MAXUINT64), ==, -1);
  g_assert_cmpint (CONVERTED (guint32, UINT32, gint32, INT32, 3000000000u), ==, -1294967296);
  g_assert_cmpint (CONVERTED (gint64, INT64, guint8, BOOL, G_MININT64), ==, 1);
  g_assert_cmpint (CONVERTED (gint64, INT64, guint8, BOOL, (gint64) 1 << 40), ==, 1);
  g_assert_cmpint (CONVERTED (gint16, INT16, guint8, BOOL, 0), ==, 0);

  /* 2^24 + 1 and 2^53 + 1 lie halfway; ties go to the even one. */
  g_assert_cmpfloat (CONVERTED (gint32, INT32, float, FLOAT32, 16777217), ==, 16777216.0f);
  g_assert_cmpfloat (CONVERTED (gint32, INT32, float, FLOAT32, 16777219), ==, 16777220.0f);
  g_assert_cmpfloat (CONVERTED (gint64, INT64, double, FLOAT64, 9007199254740993), ==, 9007199254740992.0);
  g_assert_cmpfloat (CONVERTED (guint64, UINT64, double, FLOAT64, G_MAXUINT64), ==, 18446744073709551616.0);
  g_assert_cmpfloat (CONVERTED (guint64, UINT64, float, FLOAT32, G_MAXUINT64), ==, 18446744073709551616.0f);

  /* A float that float32 cannot hold. */
  g_assert_true (isinf (CONVERTED (double, FLOAT64, float, FLOAT32, 1e39)));
  g_assert_cmpfloat (CONVERTED (double, FLOAT64, float, FLOAT32, 0.1), ==, 0.1f);
}

/* A bool from outside may be any byte. */
static void
test_convert_bools (void)
{
  g_assert_cmpint (CONVERTED (guint8, BOOL, gint32, INT32, 1), ==, 1);
  g_assert_cmpint (CONVERTED (guint8, BOOL, gint32, INT32, 200), ==, 1);
  g_assert_cmpint (CONVERTED (guint8, BOOL, guint8, BOOL, 2), ==, 1);
  g_assert_cmpfloat (CONVERTED (guint8, BOOL, double, FLOAT64, 255), ==, 1.0);
  g_assert_cmpfloat (CONVERTED (guint8, BOOL, float, FLOAT32, 0), ==, 0.0);
}

/* Whatever the neighbours are, an element is converted as it is alone. */
static void
test_convert_blocks (void)
{
  enum {
    N = 1000
  };
  g_autofree double *in = g_new (double, N);
  g_autofree float *in_float = g_new (float, N);
  CandelaConvertFunc to_int16 = candela_dtype_get_convert_func (CANDELA_DTYPE_FLOAT64, CANDELA_DTYPE_INT16);
  CandelaConvertFunc float_to_int32 = candela_dtype_get_convert_func (CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_INT32);
  g_autofree gint16 *out = g_new (gint16, N);
  g_autofree gint32 *out_int32 = g_new (gint32, N);

  for (guint round = 0; round < 100; round++)
    {
      for (guint i = 0; i < N; i++)
        {
          in[i] = g_test_rand_double_range (-70000, 70000);
          if (g_test_rand_int_range (0, round < 10 ? 3 : 500) == 0)
            in[i] = floats[g_test_rand_int_range (0, G_N_ELEMENTS (floats))].value;
          in_float[i] = in[i];
        }
      to_int16 (out, in, N);
      float_to_int32 (out_int32, in_float, N);
      for (guint i = 0; i < N; i++)
        {
          g_assert_cmpint (out[i], ==, CONVERTED (double, FLOAT64, gint16, INT16, in[i]));
          g_assert_cmpint (out_int32[i], ==, CONVERTED (float, FLOAT32, gint32, INT32, in_float[i]));
        }
    }
}

/* Every loop of an instruction set gives the bits that the one for all processors does. */
static void
test_convert_sets (void)
{
  enum {
    N = 333
  };
  g_autofree guint64 *in = g_new (guint64, N);
  g_autofree guint64 *expected = g_new (guint64, 2 * N);
  g_autofree guint64 *found = g_new (guint64, 2 * N);

  for (guint round = 0; round < 40; round++)
    for (guint a = CANDELA_DTYPE_BOOL; a <= CANDELA_DTYPE_FLOAT64; a++)
      {
        gsize n = round < 20 ? round : N - round, special = (gsize) g_test_rand_int_range (1, 200);

        for (gsize i = 0; i < N; i++)
          in[i] = (guint64) (guint32) g_test_rand_int () << 32 | (guint32) g_test_rand_int ();
        for (gsize i = 0; i < N; i++)
          if (a == CANDELA_DTYPE_FLOAT64 && i % special != 0)
            ((double *) (gpointer) in)[i] = g_test_rand_double_range (-3e9, 3e9);
          else if (a == CANDELA_DTYPE_FLOAT32)
            {
              ((float *) (gpointer) in)[i] = (float) g_test_rand_double_range (-1000, 1000);
              if (i % special == 0)
                ((float *) (gpointer) in)[i] = (float) floats[(guint) g_test_rand_int () % G_N_ELEMENTS (floats)].value;
            }
        for (guint b = CANDELA_DTYPE_BOOL; b <= CANDELA_DTYPE_COMPLEX128; b++)
          {
            memset (expected, 0xaa, 2 * N * sizeof *expected);
            candela_convert_get (0, a, b) (expected, in, n);
            for (guint set = 1; set < candela_count_instruction_sets (); set++)
              {
                memset (found, 0xaa, 2 * N * sizeof *found);
                candela_convert_get (set, a, b) (found, in, n);
                if (memcmp (found, expected, 2 * N * sizeof *found) != 0)
                  g_error ("instruction set %u: %s to %s, %" G_GSIZE_FORMAT " elements", set,
                           candela_dtype_get_name (a), candela_dtype_get_name (b), n);
              }
          }
      }
}

static void
test_convert_table (void)
{
  guint8 in[16] = { 0 };

  for (guint a = CANDELA_DTYPE_BOOL; a < CANDELA_N_DTYPES; a++)
    for (guint b = CANDELA_DTYPE_BOOL; b < CANDELA_N_DTYPES; b++)
      {
        CandelaConvertFunc convert = candela_dtype_get_convert_func (a, b);
        guint8 out[17];

        /* What is complex is no real number; whether it is zero can be told. */
        g_assert_cmpint (convert == NULL, ==,
                         candela_dtype_get_kind (a) == CANDELA_DTYPE_KIND_COMPLEX
                           && candela_dtype_get_kind (b) != CANDELA_DTYPE_KIND_COMPLEX && b != CANDELA_DTYPE_BOOL);
        if (convert == NULL)
          continue;
        /* It writes an element's bytes, and no more. */
        memset (out, 0xaa, sizeof out);
        convert (out, in, 1);
        for (guint i = 0; i < sizeof out; i++)
          g_assert_cmpint (out[i], ==, i < candela_dtype_get_size (b) ? 0 : 0xaa);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/dtype/names", test_names);
  g_test_add_func ("/dtype/no-dtype", test_no_dtype);
  g_test_add_func ("/dtype/from-wrong-name", test_from_wrong_name);
  g_test_add_func ("/dtype/promote", test_promote);
  g_test_add_func ("/dtype/promote-weak", test_promote_weak);
  g_test_add_func ("/dtype/convert/floats", test_convert_floats);
  g_test_add_func ("/dtype/convert/integers", test_convert_integers);
  g_test_add_func ("/dtype/convert/bools", test_convert_bools);
  g_test_add_func ("/dtype/convert/blocks", test_convert_blocks);
  g_test_add_func ("/dtype/convert/sets", test_convert_sets);
  g_test_add_func ("/dtype/convert/table", test_convert_table);

  return g_test_run ();
}
