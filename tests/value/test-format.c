/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tensors as text. What is expected is what NumPy 1.24 printed for the same
 * values. */
#include <candela/candela.h>

#include <locale.h>
#include <math.h>
#include <string.h>

typedef struct
{
  const char *name;
  CandelaDType dtype;
  guint rank;
  gint64 shape[3];
  double values[12]; /* of a complex dtype, two for each element */
  const char *text;
  double first, step; /* instead of values, if step is not 0 */
} Case;

static const Case cases[] = {
  { "bools", CANDELA_DTYPE_BOOL, 1, { 3 }, { 1, 0, 1 }, "[ True False  True]" },
  { "bools of two axes",
    CANDELA_DTYPE_BOOL,
    2,
    { 2, 2 },
    { 1, 0, 0, 1 },
    "[[ True False]\n"
    " [False  True]]" },
  { "integers to the right", CANDELA_DTYPE_INT32, 1, { 3 }, { 1, -20, 300 }, "[  1 -20 300]" },
  { "the smallest of int8", CANDELA_DTYPE_INT8, 1, { 2 }, { -128, 127 }, "[-128  127]" },
  { "whole floats", CANDELA_DTYPE_FLOAT64, 1, { 3 }, { 1, 2, 3 }, "[1. 2. 3.]" },
  { "halves", CANDELA_DTYPE_FLOAT64, 1, { 3 }, { 0.5, 1.25, -3 }, "[ 0.5   1.25 -3.  ]" },
  { "fewest digits of float32", CANDELA_DTYPE_FLOAT32, 1, { 3 }, { 0.1, 0.2, 0.3 }, "[0.1 0.2 0.3]" },
  { "a third, cut at eight places",
    CANDELA_DTYPE_FLOAT64,
    1,
    { 3 },
    { 0.3333333333333333, 0.6666666666666666, 1 },
    "[0.33333333 0.66666667 1.        ]" },
  { "a third of float32",
    CANDELA_DTYPE_FLOAT32,
    1,
    { 2 },
    { 0.3333333333333333, 0.6666666666666666 },
    "[0.33333334 0.6666667 ]" },
  { "float16", CANDELA_DTYPE_FLOAT16, 1, { 3 }, { 0.1, 0.2, 0.3 }, "[0.1 0.2 0.3]" },
  { "a third of float16", CANDELA_DTYPE_FLOAT16, 1, { 3 }, { 1 / 3.0, 2 / 3.0, 1 }, "[0.3333 0.6665 1.    ]" },
  { "the largest of float16", CANDELA_DTYPE_FLOAT16, 1, { 3 }, { 65504, 1, INFINITY }, "[6.55e+04 1.00e+00      inf]" },
  { "the smallest of float16", CANDELA_DTYPE_FLOAT16, 1, { 2 }, { 6e-8, 1 }, "[6.e-08 1.e+00]" },
  { "float16 far apart", CANDELA_DTYPE_FLOAT16, 1, { 2 }, { 1000.5, 1 }, "[1.0005e+03 1.0000e+00]" },
  { "float16 with nan", CANDELA_DTYPE_FLOAT16, 1, { 3 }, { 0.0999756, 3.3, NAN }, "[0.1 3.3 nan]" },
  { "scalar float16", CANDELA_DTYPE_FLOAT16, 0, { 0 }, { 65504 }, "65500.0" },
  { "scalar small float16", CANDELA_DTYPE_FLOAT16, 0, { 0 }, { 6e-8 }, "6e-08" },
  /* By hand: 3.140625 and its neighbours 3.125 and 3.15625. */
  { "bfloat16", CANDELA_DTYPE_BFLOAT16, 1, { 2 }, { 3.14159, 1e38 }, "[3.14e+00 9.97e+37]" },
  { "scalar bfloat16", CANDELA_DTYPE_BFLOAT16, 0, { 0 }, { 3.14159 }, "3.14" },
  { "scalar large bfloat16", CANDELA_DTYPE_BFLOAT16, 0, { 0 }, { 1e38 }, "1e+38" },
  { "negative zero", CANDELA_DTYPE_FLOAT64, 1, { 2 }, { -0.0, 0.0 }, "[-0.  0.]" },
  { "not numbers", CANDELA_DTYPE_FLOAT64, 1, { 4 }, { NAN, INFINITY, -INFINITY, 1 }, "[ nan  inf -inf   1.]" },
  { "nothing finite", CANDELA_DTYPE_FLOAT64, 1, { 2 }, { NAN, INFINITY }, "[nan inf]" },
  { "nan beside long numbers", CANDELA_DTYPE_FLOAT64, 1, { 2 }, { NAN, 0.123456789 }, "[       nan 0.12345679]" },
  { "large", CANDELA_DTYPE_FLOAT64, 1, { 2 }, { 100000000.0, 1 }, "[1.e+08 1.e+00]" },
  { "just below large", CANDELA_DTYPE_FLOAT64, 1, { 2 }, { 99999999.0, 1234567.0 }, "[99999999.  1234567.]" },
  { "digits of a float32 that is no short number",
    CANDELA_DTYPE_FLOAT32,
    1,
    { 2 },
    { 93698704, 1000001 },
    "[93698704.  1000001.]" },
  { "small", CANDELA_DTYPE_FLOAT64, 1, { 2 }, { 1e-05, 1 }, "[1.e-05 1.e+00]" },
  { "far apart", CANDELA_DTYPE_FLOAT64, 1, { 2 }, { 1001, 1 }, "[1.001e+03 1.000e+00]" },
  { "not so far apart", CANDELA_DTYPE_FLOAT64, 1, { 2 }, { 1000, 1 }, "[1000.    1.]" },
  { "exponents of three digits", CANDELA_DTYPE_FLOAT64, 1, { 2 }, { 1e-300, 1e+100 }, "[1.e-300 1.e+100]" },
  { "digits that the exponent form makes room for",
    CANDELA_DTYPE_FLOAT32,
    1,
    { 2 },
    { 1e-10, 0.0012345678 },
    "[1.0000000e-10 1.2345678e-03]" },
  { "not numbers beside exponents",
    CANDELA_DTYPE_FLOAT64,
    1,
    { 3 },
    { NAN, 1e+20, -INFINITY },
    "[   nan 1.e+20   -inf]" },
  { "smallest of all", CANDELA_DTYPE_FLOAT64, 1, { 2 }, { 5e-324, 1 }, "[5.e-324 1.e+000]" },
  { "below a power of two",
    CANDELA_DTYPE_FLOAT64,
    1,
    { 2 },
    { 5.684341886080802e-14, 9007199254740993 },
    "[5.68434189e-14 9.00719925e+15]" },
  { "several rows",
    CANDELA_DTYPE_INT64,
    2,
    { 2, 3 },
    { 0 },
    "[[0 1 2]\n"
    " [3 4 5]]",
    .step = 1 },
  { "three axes",
    CANDELA_DTYPE_INT16,
    3,
    { 2, 2, 2 },
    { 0 },
    "[[[0 1]\n"
    "  [2 3]]\n"
    "\n"
    " [[4 5]\n"
    "  [6 7]]]",
    .step = 1 },
  { "one column",
    CANDELA_DTYPE_FLOAT64,
    2,
    { 3, 1 },
    { 1.5, 2, 3 },
    "[[1.5]\n"
    " [2. ]\n"
    " [3. ]]" },
  { "complex",
    CANDELA_DTYPE_COMPLEX128,
    1,
    { 3 },
    { 1.0, 2.0, -0.5, 0.0, 0.0, -1.25 },
    "[ 1. +2.j   -0.5+0.j    0. -1.25j]" },
  { "complex not numbers",
    CANDELA_DTYPE_COMPLEX64,
    1,
    { 2 },
    { NAN, INFINITY, 1.0, -INFINITY },
    "[nan+infj  1.-infj]" },
  { "wrapped",
    CANDELA_DTYPE_INT32,
    1,
    { 30 },
    { 0 },
    "[    0  1000  2000  3000  4000  5000  6000  7000  8000  9000 10000 11000\n"
    " 12000 13000 14000 15000 16000 17000 18000 19000 20000 21000 22000 23000\n"
    " 24000 25000 26000 27000 28000 29000]",
    .step = 1000 },
  { "wrapped floats",
    CANDELA_DTYPE_FLOAT64,
    2,
    { 2, 12 },
    { 0 },
    "[[ 0.5  1.5  2.5  3.5  4.5  5.5  6.5  7.5  8.5  9.5 10.5 11.5]\n"
    " [12.5 13.5 14.5 15.5 16.5 17.5 18.5 19.5 20.5 21.5 22.5 23.5]]",
    .first = 0.5,
    .step = 1 },
  { "no elements", CANDELA_DTYPE_FLOAT32, 1, { 0 }, { 0 }, "[]" },
  { "no elements of two axes", CANDELA_DTYPE_FLOAT32, 2, { 0, 3 }, { 0 }, "[]" },
  { "scalar int", CANDELA_DTYPE_INT64, 0, { 0 }, { -7 }, "-7" },
  { "scalar bool", CANDELA_DTYPE_BOOL, 0, { 0 }, { 1 }, "True" },
  { "scalar float32", CANDELA_DTYPE_FLOAT32, 0, { 0 }, { 0.1 }, "0.1" },
  { "scalar float64", CANDELA_DTYPE_FLOAT64, 0, { 0 }, { 0.1 }, "0.1" },
  { "scalar whole", CANDELA_DTYPE_FLOAT64, 0, { 0 }, { 3 }, "3.0" },
  { "scalar large", CANDELA_DTYPE_FLOAT64, 0, { 0 }, { 1e+16 }, "1e+16" },
  { "scalar below that", CANDELA_DTYPE_FLOAT32, 0, { 0 }, { 123456789012345680 }, "1.2345679e+17" },
  { "scalar small", CANDELA_DTYPE_FLOAT32, 0, { 0 }, { 0.0001 }, "1e-04" },
  { "scalar small float64", CANDELA_DTYPE_FLOAT64, 0, { 0 }, { 0.0001 }, "0.0001" },
  { "scalar nan", CANDELA_DTYPE_FLOAT64, 0, { 0 }, { NAN }, "nan" },
  { "scalar -inf", CANDELA_DTYPE_FLOAT32, 0, { 0 }, { -INFINITY }, "-inf" },
  { "scalar -0", CANDELA_DTYPE_FLOAT64, 0, { 0 }, { -0.0 }, "-0.0" },
  { "scalar complex", CANDELA_DTYPE_COMPLEX64, 0, { 0 }, { 1.0, -2.0 }, "(1-2j)" },
  { "scalar imaginary", CANDELA_DTYPE_COMPLEX128, 0, { 0 }, { 0.0, 2.5 }, "2.5j" },
  { "scalar complex nan", CANDELA_DTYPE_COMPLEX128, 0, { 0 }, { NAN, -INFINITY }, "(nan-infj)" },
};

static void
store (gpointer out, CandelaDType dtype, gsize i, double value)
{
  switch (dtype)
    {
    case CANDELA_DTYPE_BOOL:
    case CANDELA_DTYPE_UINT8:
      ((guint8 *) out)[i] = (guint8) value;
      break;
    case CANDELA_DTYPE_INT8:
      ((gint8 *) out)[i] = (gint8) value;
      break;
    case CANDELA_DTYPE_INT16:
      ((gint16 *) out)[i] = (gint16) value;
      break;
    case CANDELA_DTYPE_INT32:
      ((gint32 *) out)[i] = (gint32) value;
      break;
    case CANDELA_DTYPE_INT64:
      ((gint64 *) out)[i] = (gint64) value;
      break;
    case CANDELA_DTYPE_FLOAT32:
    case CANDELA_DTYPE_COMPLEX64:
      ((float *) out)[i] = (float) value;
      break;
    case CANDELA_DTYPE_FLOAT16:
    case CANDELA_DTYPE_BFLOAT16:
      g_assert_true (candela_dtype_convert (CANDELA_DTYPE_FLOAT64, &value, dtype, (guint16 *) out + i, 1));
      break;
    default:
      ((double *) out)[i] = value;
      break;
    }
}

static void
test_case (gconstpointer data)
{
  const Case *test = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (test->dtype, test->shape, test->rank, &error);
  g_assert_no_error (error);

  gboolean is_complex = candela_dtype_get_kind (test->dtype) == CANDELA_DTYPE_KIND_COMPLEX;
  gsize n = (gsize) candela_tensor_get_n_elements (tensor) * (is_complex ? 2 : 1);
  for (gsize i = 0; i < n; i++)
    store (candela_tensor_get_writable_data (tensor), test->dtype, i,
           test->step != 0.0 ? test->first + (double) i * test->step : test->values[i]);

  g_autofree char *text = candela_tensor_to_string (tensor);
  g_assert_cmpstr (text, ==, test->text);
}

static void
assert_text (CandelaDType dtype, CandelaLayout *layout, gconstpointer data, gsize n_bytes, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new (data, n_bytes);
  g_autoptr (CandelaTensor) tensor = candela_tensor_new_for_bytes (dtype, layout, bytes, &error);
  g_assert_no_error (error);
  g_autofree char *text = candela_tensor_to_string (tensor);
  g_assert_cmpstr (text, ==, expected);
}

static CandelaLayout *
new_layout (const gint64 *shape, gsize n_dims)
{
  g_autoptr (GError) error = NULL;
  CandelaLayout *layout = candela_layout_new (shape, n_dims, &error);

  g_assert_no_error (error);
  return layout;
}

static void
test_wide_integers (void)
{
  const gint64 shape[] = { 2 };
  const gint64 ints[] = { G_MININT64, 5 };
  const guint64 uints[] = { 0, G_MAXUINT64 };
  g_autoptr (CandelaLayout) layout = new_layout (shape, 1);

  assert_text (CANDELA_DTYPE_INT64, layout, ints, sizeof ints, "[-9223372036854775808                    5]");
  assert_text (CANDELA_DTYPE_UINT64, layout, uints, sizeof uints, "[                   0 18446744073709551615]");
}

static void
test_summary (void)
{
  g_autofree gint32 *values = g_new (gint32, 1001);
  const gint64 shape_1000[] = { 1000 }, shape_1001[] = { 1001 }, shape_2[] = { 143, 7 };

  for (gint32 i = 0; i < 1001; i++)
    values[i] = i;
  g_autoptr (CandelaLayout) all = new_layout (shape_1000, 1);
  g_autoptr (GBytes) bytes = g_bytes_new (values, 4000);
  g_autoptr (CandelaTensor) tensor = candela_tensor_new_for_bytes (CANDELA_DTYPE_INT32, all, bytes, NULL);
  g_autofree char *text = candela_tensor_to_string (tensor);
  g_assert_null (strstr (text, "..."));
  g_assert_true (g_str_has_suffix (text, " 998 999]"));

  g_autoptr (CandelaLayout) more = new_layout (shape_1001, 1);
  assert_text (CANDELA_DTYPE_INT32, more, values, 4004, "[   0    1    2 ...  998  999 1000]");
  g_autoptr (CandelaLayout) table = new_layout (shape_2, 2);
  assert_text (CANDELA_DTYPE_INT32, table, values, 4004,
               "[[   0    1    2 ...    4    5    6]\n"
               " [   7    8    9 ...   11   12   13]\n"
               " [  14   15   16 ...   18   19   20]\n"
               " ...\n"
               " [ 980  981  982 ...  984  985  986]\n"
               " [ 987  988  989 ...  991  992  993]\n"
               " [ 994  995  996 ...  998  999 1000]]");
}

/* The width is that of what is shown, not of what is left out. */
static void
test_summary_width (void)
{
  g_autofree gint32 *values = g_new0 (gint32, 1001);
  const gint64 shape[] = { 1001 };

  values[500] = G_MAXINT32;
  g_autoptr (CandelaLayout) layout = new_layout (shape, 1);
  assert_text (CANDELA_DTYPE_INT32, layout, values, 4004, "[0 0 0 ... 0 0 0]");
}

static void
test_strided (void)
{
  const gint64 shape[] = { 2, 3 }, axes[] = { 1, 0 };
  const float values[] = { 0, 1, 2, 3, 4, 5 };
  g_autoptr (CandelaLayout) rows = new_layout (shape, 2);
  g_autoptr (CandelaLayout) columns = candela_layout_permute (rows, axes, 2, NULL);
  g_autoptr (CandelaLayout) reversed =
    candela_layout_slice (columns, 0, CANDELA_SLICE_NONE, CANDELA_SLICE_NONE, -1, NULL);

  assert_text (CANDELA_DTYPE_FLOAT32, reversed, values, sizeof values, "[[2. 5.]\n [1. 4.]\n [0. 3.]]");
}

/* One element, seen as more than any memory holds: only what is shown is read. */
static void
test_huge (void)
{
  const gint64 one[] = { 1 }, shape[] = { G_GINT64_CONSTANT (1) << 30, G_GINT64_CONSTANT (1) << 30 };
  const double value = 0.5;
  g_autoptr (CandelaLayout) layout = new_layout (one, 1);
  g_autoptr (CandelaLayout) huge = candela_layout_broadcast (layout, shape, 2, NULL);

  assert_text (CANDELA_DTYPE_FLOAT64, huge, &value, sizeof value,
               "[[0.5 0.5 0.5 ... 0.5 0.5 0.5]\n"
               " [0.5 0.5 0.5 ... 0.5 0.5 0.5]\n"
               " [0.5 0.5 0.5 ... 0.5 0.5 0.5]\n"
               " ...\n"
               " [0.5 0.5 0.5 ... 0.5 0.5 0.5]\n"
               " [0.5 0.5 0.5 ... 0.5 0.5 0.5]\n"
               " [0.5 0.5 0.5 ... 0.5 0.5 0.5]]");
}

static void
test_many_axes (void)
{
  gint64 shape[CANDELA_MAX_RANK], one[CANDELA_MAX_RANK];
  const guint8 value = 7;
  GString *expected = g_string_new (NULL);

  for (guint i = 0; i < CANDELA_MAX_RANK; i++)
    {
      one[i] = 1;
      shape[i] = 2;
      g_string_append_c (expected, '[');
    }
  g_string_append_c (expected, '7');
  for (guint i = 0; i < CANDELA_MAX_RANK; i++)
    g_string_append_c (expected, ']');
  g_autoptr (CandelaLayout) layout = new_layout (one, CANDELA_MAX_RANK);
  assert_text (CANDELA_DTYPE_UINT8, layout, &value, 1, expected->str);
  g_string_free (expected, TRUE);

  /* Four thousand million: shortened beyond what the edges do. */
  g_autoptr (GBytes) bytes = g_bytes_new (&value, 1);
  g_autoptr (CandelaLayout) many = candela_layout_broadcast (layout, shape, CANDELA_MAX_RANK, NULL);
  g_autoptr (CandelaTensor) tensor = candela_tensor_new_for_bytes (CANDELA_DTYPE_UINT8, many, bytes, NULL);
  g_autofree char *text = candela_tensor_to_string (tensor);
  g_assert_nonnull (strstr (text, "..."));
  g_assert_cmpuint (strlen (text), <, 64 * 1024 * 1024);
}

/* A comma for a point, where there is such a locale. */
static void
test_locale (void)
{
  const gint64 shape[] = { 2 };
  const double values[] = { 0.1, 1e-9 };
  g_autoptr (CandelaLayout) layout = new_layout (shape, 1);

  if (setlocale (LC_NUMERIC, "de_DE.UTF-8") == NULL && setlocale (LC_NUMERIC, "fr_FR.UTF-8") == NULL)
    {
      g_test_skip ("no locale with a decimal comma");
      return;
    }
  assert_text (CANDELA_DTYPE_FLOAT64, layout, values, sizeof values, "[1.e-01 1.e-09]");
  setlocale (LC_NUMERIC, "C");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/format/", cases[i].name, NULL);
      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/format/wide-integers", test_wide_integers);
  g_test_add_func ("/format/summary", test_summary);
  g_test_add_func ("/format/summary-width", test_summary_width);
  g_test_add_func ("/format/strided", test_strided);
  g_test_add_func ("/format/huge", test_huge);
  g_test_add_func ("/format/many-axes", test_many_axes);
  g_test_add_func ("/format/locale", test_locale);
  return g_test_run ();
}
