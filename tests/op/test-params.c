/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parameters: what each type takes and in which form, what it refuses and with
 * which words, and what comes back as text and as GParamSpecs. */
#include <candela/op/params-private.h>
#include <math.h>

enum {
  AXIS,
  KEEPDIMS,
  DTYPE,
  NUM,
  SCALE,
  MODE,
  FILL,
  ANY
};

static const char *const modes[] = { "none", "tanh", NULL };

static const CandelaParamInfo table[] = {
  { .name = "axis", .type = CANDELA_PARAM_INT_LIST, .minimum = -32, .maximum = 31 },
  { .name = "keep_dims", .type = CANDELA_PARAM_BOOL, .default_value = "false" },
  { .name = "dtype", .type = CANDELA_PARAM_DTYPE, .default_value = "float32" },
  { .name = "num", .type = CANDELA_PARAM_INT, .default_value = "50", .minimum = 0, .maximum = (double) G_MAXINT64 },
  { .name = "scale", .type = CANDELA_PARAM_FLOAT, .default_value = "1.5" },
  { .name = "mode", .type = CANDELA_PARAM_STRING, .default_value = "none", .choices = modes },
  { .name = "fill", .type = CANDELA_PARAM_SCALAR },
  { .name = "any", .type = CANDELA_PARAM_SCALAR, .flags = CANDELA_PARAM_ANY_SCALAR },
  { .name = NULL },
};

static const CandelaParamInfo required[] = {
  { .name = "shape", .type = CANDELA_PARAM_INT_LIST, .flags = CANDELA_PARAM_REQUIRED },
  { .name = "p", .type = CANDELA_PARAM_FLOAT, .default_value = "0.5", .minimum = 0, .maximum = 1 },
  { .name = "low", .type = CANDELA_PARAM_FLOAT, .default_value = "inf", .minimum = 1, .maximum = INFINITY },
  { .name = NULL },
};

static GVariant *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  GVariant *variant = g_variant_parse (NULL, text, NULL, NULL, &error);

  g_assert_no_error (error);
  return variant;
}

static CandelaParams *
read_params (const CandelaParamInfo *info, const char *text)
{
  g_autoptr (GVariant) given = parse (text);
  g_autoptr (GError) error = NULL;
  CandelaParams *params = candela_params_new ("op", info, given, &error);

  g_assert_no_error (error);
  return params;
}

static void
assert_text (const char *given, const char *expected)
{
  g_autoptr (CandelaParams) params = read_params (table, given);
  g_autofree char *text = candela_params_to_string (params);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_empty (void)
{
  static const CandelaParamInfo none[] = { { .name = NULL } };
  g_autoptr (CandelaParams) a = candela_params_new ("add", NULL, NULL, NULL);
  g_autoptr (CandelaParams) b = candela_params_new ("add", NULL, g_variant_new ("a{sv}", NULL), NULL);
  g_autoptr (CandelaParams) c = candela_params_new ("add", none, NULL, NULL);
  g_autoptr (GError) error = NULL;

  /* One instance for all; but a table that is there is known by its instances. */
  g_assert_true (a == b);
  g_assert_true (c != a);
  g_assert_null (candela_params_to_string (c));
  g_assert_null (candela_params_to_string (a));
  g_assert_null (candela_params_new ("add", NULL, parse ("{'x': <1>}"), &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
  g_assert_cmpstr (error->message, ==, "add: parameter \"x\" is unknown; it has none");
}

static void
test_defaults (void)
{
  g_autoptr (CandelaParams) params = candela_params_new ("op", table, NULL, NULL);
  gsize n = 7;

  g_assert_false (candela_params_is_set (params, AXIS));
  g_assert_null (candela_params_get_int_list (params, AXIS, &n));
  g_assert_cmpuint (n, ==, 0);
  g_assert_true (candela_params_is_set (params, KEEPDIMS));
  g_assert_false (candela_params_get_bool (params, KEEPDIMS));
  g_assert_cmpint (candela_params_get_dtype (params, DTYPE), ==, CANDELA_DTYPE_FLOAT32);
  g_assert_cmpint (candela_params_get_int (params, NUM), ==, 50);
  g_assert_cmpfloat (candela_params_get_float (params, NUM), ==, 50);
  g_assert_cmpfloat (candela_params_get_float (params, SCALE), ==, 1.5);
  /* For a string "none" is a word as any. */
  g_assert_cmpstr (candela_params_get_string (params, MODE), ==, "none");
  g_assert_cmpint (candela_params_get_scalar_kind (params, FILL), ==, CANDELA_DTYPE_INVALID);
  g_assert_null (candela_params_to_string (params));
}

static void
test_forms (void)
{
  /* Lists, in whatever integers a binding sends, nested or alone. */
  assert_text ("{'axis': <[int64 0, -1]>}", "axis=[0, -1]");
  assert_text ("{'axis': <[1, 2]>}", "axis=[1, 2]");
  assert_text ("{'axis': <[byte 3]>}", "axis=[3]");
  assert_text ("{'axis': <[uint64 3]>}", "axis=[3]");
  assert_text ("{'axis': <[<int64 1>, <2>]>}", "axis=[1, 2]");
  assert_text ("{'axis': <(0, int64 1, uint16 2)>}", "axis=[0, 1, 2]");
  assert_text ("{'axis': <1>}", "axis=[1]");
  assert_text ("{'axis': <<<just just 1>>>}", "axis=[1]");
  /* An empty list is not none. */
  assert_text ("{'axis': <()>}", "axis=[]");
  assert_text ("{'axis': <@ax []>}", "axis=[]");
  assert_text ("{'axis': <@av []>}", "axis=[]");
  /* None is as not given. */
  assert_text ("{'axis': <@mi nothing>, 'num': <@mv nothing>, 'dtype': <'none'>, 'mode': <@ms nothing>}", NULL);
  assert_text ("{'axis': <'None'>}", NULL);

  assert_text ("{'keep-dims': <true>}", "keep_dims=true");
  assert_text ("{'num': <byte 1>}", "num=1");
  assert_text ("{'num': <int16 1>}", "num=1");
  assert_text ("{'num': <uint32 4294967295>}", "num=4294967295");
  assert_text ("{'num': <uint64 9223372036854775807>}", "num=9223372036854775807");
  assert_text ("{'num': <50>}", NULL);
  assert_text ("{'scale': <3>}", "scale=3.0");
  assert_text ("{'scale': <uint64 18446744073709551615>}", "scale=1.8446744073709552e+19");
  assert_text ("{'scale': <0.1>}", "scale=0.1");
  assert_text ("{'scale': <-0.0>}", "scale=-0.0");
  assert_text ("{'scale': <1e-300>}", "scale=1e-300");
  assert_text ("{'scale': <nan>}", "scale=nan");
  assert_text ("{'scale': <-inf>}", "scale=-inf");
  assert_text ("{'dtype': <'int8'>, 'mode': <'tanh'>}", "dtype=int8, mode=\"tanh\"");
  assert_text ("{'fill': <true>}", "fill=true");
  assert_text ("{'fill': <2>}", "fill=2");
  assert_text ("{'fill': <2.0>}", "fill=2.0");
  assert_text ("{'any': <2>}", "any=2");
  assert_text ("{'any': <uint64 18446744073709551615>}", "any=18446744073709551615");
  assert_text ("{'any': <(1.5, 2.0)>}", "any=1.5+2.0j");
  assert_text ("{'any': <(0.0, -0.0)>}", "any=0.0-0.0j");
}

static void
test_scalar (void)
{
  g_autoptr (CandelaParams) yes = read_params (table, "{'fill': <true>}");
  g_autoptr (CandelaParams) two = read_params (table, "{'fill': <2>}");
  g_autoptr (CandelaParams) half = read_params (table, "{'fill': <-2.5>}");
  g_autoptr (CandelaParams) huge = read_params (table, "{'fill': <1e300>}");

  g_assert_cmpint (candela_params_get_scalar_kind (yes, FILL), ==, CANDELA_DTYPE_BOOL);
  g_assert_true (candela_params_get_bool (yes, FILL));
  g_assert_cmpint (candela_params_get_int (yes, FILL), ==, 1);
  g_assert_cmpint (candela_params_get_scalar_kind (two, FILL), ==, CANDELA_DTYPE_INT64);
  g_assert_cmpint (candela_params_get_int (two, FILL), ==, 2);
  g_assert_cmpfloat (candela_params_get_float (two, FILL), ==, 2);
  g_assert_cmpint (candela_params_get_scalar_kind (half, FILL), ==, CANDELA_DTYPE_FLOAT64);
  g_assert_cmpfloat (candela_params_get_float (half, FILL), ==, -2.5);
  g_assert_cmpint (candela_params_get_int (half, FILL), ==, -2);
  g_assert_cmpint (candela_params_get_int (huge, FILL), ==, G_MAXINT64);
  g_assert_cmpuint (candela_params_get_uint (huge, FILL), ==, G_MAXUINT64);
  g_assert_cmpuint (candela_params_get_uint (two, FILL), ==, 2);
  g_assert_cmpuint (candela_params_get_uint (half, FILL), ==, 0);
}

/* Of a parameter that may be any scalar. */
static void
test_any_scalar (void)
{
  g_autoptr (CandelaParams) big = read_params (table, "{'any': <uint64 18446744073709551615>}");
  g_autoptr (CandelaParams) small = read_params (table, "{'any': <uint64 7>}");
  g_autoptr (CandelaParams) both = read_params (table, "{'any': <(-1.5, 2.0)>}");
  double real, imaginary;

  g_assert_cmpint (candela_params_get_scalar_kind (big, ANY), ==, CANDELA_DTYPE_UINT64);
  g_assert_cmpuint (candela_params_get_uint (big, ANY), ==, G_MAXUINT64);
  g_assert_cmpint (candela_params_get_int (big, ANY), ==, G_MAXINT64);
  g_assert_cmpfloat (candela_params_get_float (big, ANY), ==, 0x1p64);
  g_assert_true (candela_params_get_bool (big, ANY));
  g_assert_cmpint (candela_params_get_scalar_kind (small, ANY), ==, CANDELA_DTYPE_INT64);
  g_assert_cmpint (candela_params_get_scalar_kind (both, ANY), ==, CANDELA_DTYPE_COMPLEX128);
  candela_params_get_complex (both, ANY, &real, &imaginary);
  g_assert_cmpfloat (real, ==, -1.5);
  g_assert_cmpfloat (imaginary, ==, 2);
  g_assert_cmpfloat (candela_params_get_float (both, ANY), ==, -1.5);
  g_assert_cmpint (candela_params_get_int (both, ANY), ==, -1);
  candela_params_get_complex (small, ANY, &real, &imaginary);
  g_assert_cmpfloat (real, ==, 7);
  g_assert_cmpfloat (imaginary, ==, 0);
}

static void
test_errors (void)
{
  static const struct
  {
    const CandelaParamInfo *info;
    const char *given, *message;
    CandelaError code;
  } cases[] = {
    { table, "{'axes': <1>}",
      "op: parameter \"axes\" is unknown; it has axis, keep_dims, dtype, num, scale, mode, fill, any",
      CANDELA_ERROR_PARAMETER },
    { table, "@a{sv} {'num': <1>, 'num': <2>}", "op: parameter \"num\" is given twice", CANDELA_ERROR_PARAMETER },
    { table, "{'num': <-1>}", "op: num is -1; it must be between 0 and 9223372036854775807", CANDELA_ERROR_PARAMETER },
    { table, "{'num': <uint64 9223372036854775808>}",
      "op: num is 9223372036854775808; it must be at most 9223372036854775807", CANDELA_ERROR_PARAMETER },
    { table, "{'num': <1.0>}", "op: num is a float (1.0); it must be an int", CANDELA_ERROR_PARAMETER },
    { table, "{'num': <true>}", "op: num is a bool (true); it must be an int", CANDELA_ERROR_PARAMETER },
    { table, "{'axis': <'x'>}", "op: axis is a string (\"x\"); it must be a list of int", CANDELA_ERROR_PARAMETER },
    { table, "{'axis': <[1.5]>}", "op: axis is of type ad ([1.5]); it must be a list of int", CANDELA_ERROR_PARAMETER },
    { table, "{'axis': <[0, 99]>}", "op: axis[1] is 99; it must be between -32 and 31", CANDELA_ERROR_PARAMETER },
    { table, "{'axis': <-33>}", "op: axis[0] is -33; it must be between -32 and 31", CANDELA_ERROR_PARAMETER },
    { table, "{'keep_dims': <1>}", "op: keep_dims is an int (1); it must be a bool", CANDELA_ERROR_PARAMETER },
    { table, "{'scale': <'1'>}", "op: scale is a string (\"1\"); it must be a float", CANDELA_ERROR_PARAMETER },
    { table, "{'scale': <true>}", "op: scale is a bool (true); it must be a float", CANDELA_ERROR_PARAMETER },
    { table, "{'mode': <'foo'>}", "op: mode is \"foo\"; it must be one of none, tanh", CANDELA_ERROR_PARAMETER },
    { table, "{'mode': <3>}", "op: mode is an int (3); it must be a string", CANDELA_ERROR_PARAMETER },
    { table, "{'dtype': <[1, 2]>}", "op: dtype is a list of int ([1, 2]); it must be the name of a dtype",
      CANDELA_ERROR_PARAMETER },
    { table, "{'fill': <[1]>}", "op: fill is a list of int ([1]); it must be a bool, an int or a float",
      CANDELA_ERROR_PARAMETER },
    { table, "{'fill': <uint64 18446744073709551615>}",
      "op: fill is 18446744073709551615; it must be at most 9223372036854775807", CANDELA_ERROR_PARAMETER },
    { table, "{'fill': <(1.0, 2.0)>}", "op: fill is a complex number (1.0+2.0j); it must be a bool, an int or a float",
      CANDELA_ERROR_PARAMETER },
    { table, "{'fill': <{'a': 1}>}", "op: fill is of type a{si} ({'a': 1}); it must be a bool, an int or a float",
      CANDELA_ERROR_PARAMETER },
    { table, "[1, 2]", "op: parameters are of type ai; they must be of type a{sv}", CANDELA_ERROR_PARAMETER },
    { required, "@a{sv} {}", "op: parameter \"shape\" is required", CANDELA_ERROR_PARAMETER },
    { required, "{'shape': <@mi nothing>}", "op: parameter \"shape\" is required", CANDELA_ERROR_PARAMETER },
    { required, "{'p': <nan>}", "op: p is nan; it must be between 0.0 and 1.0", CANDELA_ERROR_PARAMETER },
    { required, "{'p': <2>}", "op: p is 2.0; it must be between 0.0 and 1.0", CANDELA_ERROR_PARAMETER },
    { required, "{'low': <0.5>}", "op: low is 0.5; it must be at least 1.0", CANDELA_ERROR_PARAMETER },
  };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (GVariant) given = parse (cases[k].given);
      g_autoptr (GError) error = NULL;

      g_assert_null (candela_params_new ("op", cases[k].info, given, &error));
      g_assert_error (error, CANDELA_ERROR, (int) cases[k].code);
      g_assert_cmpstr (error->message, ==, cases[k].message);
    }

  g_autoptr (GVariant) dtype = parse ("{'dtype': <'float33'>}");
  g_autoptr (GError) error = NULL;
  g_assert_null (candela_params_new ("op", table, dtype, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE);
  g_assert_true (g_str_has_prefix (error->message, "op: dtype: "));
  g_clear_error (&error);

  /* What is quoted is cut. */
  g_autofree char *text = g_strnfill (100000, 'x');
  g_autoptr (GVariant) length = g_variant_ref_sink (g_variant_new_parsed ("{'mode': <%s>}", text));
  g_assert_null (candela_params_new ("op", table, length, &error));
  g_assert_cmpuint (strlen (error->message), <, 200);
}

/* A caller's variant is sunk if it floats, and left alone if it does not. */
static void
test_floating (void)
{
  GVariant *floating = g_variant_new_parsed ("{'num': <1>}");
  g_autoptr (GVariant) held = g_variant_ref_sink (g_variant_new_parsed ("{'num': <1>}"));
  g_autoptr (CandelaParams) a = NULL;
  g_autoptr (CandelaParams) b = NULL;

  g_variant_ref (floating);
  a = candela_params_new ("op", table, floating, NULL);
  b = candela_params_new ("op", table, held, NULL);
  g_assert_false (g_variant_is_floating (floating));
  g_variant_unref (floating);
  g_assert_true (candela_params_equal (a, b));
}

static void
test_equal (void)
{
  static const char *const texts[] = {
    "@a{sv} {}",        "{'axis': <[1]>}",   "{'axis': <[1, 2]>}", "{'axis': <@ai []>}", "{'keep_dims': <true>}",
    "{'scale': <0.0>}", "{'scale': <-0.0>}", "{'scale': <nan>}",   "{'mode': <'tanh'>}", "{'dtype': <'int8'>}",
    "{'fill': <1>}",    "{'fill': <1.0>}",   "{'fill': <true>}",   "{'fill': <false>}",  "{'num': <1>}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint j = 0; j < G_N_ELEMENTS (texts); j++)
      {
        g_autoptr (CandelaParams) a = read_params (table, texts[i]);
        g_autoptr (CandelaParams) b = read_params (table, texts[j]);
        g_assert_cmpint (candela_params_equal (a, b), ==, i == j);
      }
}

static void
test_wrong_index (void)
{
  g_autoptr (CandelaParams) params = candela_params_new ("op", table, NULL, NULL);

  if (g_test_subprocess ())
    {
      /* As in a program that does not make warnings fatal. */
      g_log_set_always_fatal (G_LOG_LEVEL_ERROR);
      g_log_set_fatal_mask (G_LOG_DOMAIN, G_LOG_LEVEL_ERROR);
      g_assert_cmpint (candela_params_get_int (params, 99), ==, 0);
      g_assert_null (candela_params_get_string (params, NUM));
      g_assert_cmpint (candela_params_get_dtype (params, SCALE), ==, CANDELA_DTYPE_INVALID);
      g_assert_null (candela_params_get_int_list (params, MODE, NULL));
      g_assert_false (candela_params_get_bool (params, DTYPE));
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
}

static void
test_specs (void)
{
  GParamSpec *specs[7];

  for (guint k = 0; k < 7; k++)
    specs[k] = g_param_spec_ref_sink (candela_param_info_to_spec (&table[k]));

  g_assert_cmpstr (g_param_spec_get_name (specs[KEEPDIMS]), ==, "keep-dims");
  g_assert_true (G_IS_PARAM_SPEC_BOOLEAN (specs[KEEPDIMS]));
  g_assert_true (G_IS_PARAM_SPEC_INT64 (specs[NUM]));
  g_assert_cmpint (G_PARAM_SPEC_INT64 (specs[NUM])->minimum, ==, 0);
  g_assert_cmpint (G_PARAM_SPEC_INT64 (specs[NUM])->maximum, ==, G_MAXINT64);
  g_assert_cmpint (G_PARAM_SPEC_INT64 (specs[NUM])->default_value, ==, 50);
  g_assert_cmpfloat (G_PARAM_SPEC_DOUBLE (specs[SCALE])->default_value, ==, 1.5);
  g_assert_cmpfloat (G_PARAM_SPEC_DOUBLE (specs[SCALE])->minimum, ==, -G_MAXDOUBLE);
  g_assert_cmpstr (G_PARAM_SPEC_STRING (specs[MODE])->default_value, ==, "none");
  g_assert_true (G_PARAM_SPEC_VALUE_TYPE (specs[DTYPE]) == CANDELA_TYPE_DTYPE);
  g_assert_cmpint (G_PARAM_SPEC_ENUM (specs[DTYPE])->default_value, ==, CANDELA_DTYPE_FLOAT32);
  g_assert_true (g_variant_type_equal (G_PARAM_SPEC_VARIANT (specs[AXIS])->type, G_VARIANT_TYPE ("ax")));
  g_assert_null (G_PARAM_SPEC_VARIANT (specs[AXIS])->default_value);
  g_assert_true (G_IS_PARAM_SPEC_VARIANT (specs[FILL]));
  for (guint k = 0; k < 7; k++)
    g_param_spec_unref (specs[k]);
}

static void
test_table_check (void)
{
  static const struct
  {
    CandelaParamInfo info[3];
    const char *message;
  } cases[] = {
    { { { .name = "n", .type = CANDELA_PARAM_INT, .default_value = "1.5" }, { .name = NULL } },
      "op: n is a float (1.5); it must be an int" },
    { { { .name = "a", .type = CANDELA_PARAM_INT_LIST, .default_value = "[0, x]" }, { .name = NULL } },
      "op: a is a string (\"[0, x]\"); it must be a list of int" },
    { { { .name = "b", .type = CANDELA_PARAM_BOOL, .default_value = "yes" }, { .name = NULL } },
      "op: b is a string (\"yes\"); it must be a bool" },
    { { { .name = "n", .type = CANDELA_PARAM_INT, .default_value = "11", .minimum = 1, .maximum = 10 },
        { .name = NULL } },
      "op: n is 11; it must be between 1 and 10" },
    { { { .name = "n", .type = CANDELA_PARAM_INT }, { .name = "n", .type = CANDELA_PARAM_INT }, { .name = NULL } },
      "op: two parameters have the name \"n\"" },
  };

  g_assert_true (candela_param_info_check ("op", table, NULL));
  g_assert_true (candela_param_info_check ("op", required, NULL));
  g_assert_true (candela_param_info_check ("op", NULL, NULL));
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autoptr (GError) error = NULL;
      g_assert_false (candela_param_info_check ("op", cases[k].info, &error));
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
      g_assert_cmpstr (error->message, ==, cases[k].message);
    }
}

/* What one read is what the next one gets, where it is the very same variant, and only
 * there; what does not fit is refused each time. */
static void
test_remembered (void)
{
  CandelaParams *slot = NULL;
  g_autoptr (GVariant) first = g_variant_ref_sink (parse ("{'num': <int64 7>}"));
  g_autoptr (GVariant) equal = g_variant_ref_sink (parse ("{'num': <int64 7>}"));
  g_autoptr (GVariant) wrong = g_variant_ref_sink (parse ("{'num': <int64 -7>}"));
  g_autoptr (CandelaParams) one = candela_params_new_remembered (&slot, "op", table, first, NULL);
  g_autoptr (CandelaParams) two = candela_params_new_remembered (&slot, "op", table, first, NULL);
  g_autoptr (CandelaParams) three = candela_params_new_remembered (&slot, "op", table, equal, NULL);

  g_assert_true (one == two);
  g_assert_true (one != three);
  g_assert_true (candela_params_equal (one, three));
  g_assert_cmpint (candela_params_get_int (one, NUM), ==, 7);
  for (guint k = 0; k < 2; k++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (candela_params_new_remembered (&slot, "op", table, wrong, &error));
      g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
    }
  g_assert_null (slot);
}

typedef struct
{
  CandelaParams *slot;
  GVariant *given[2];
} Shared;

static gpointer
read_shared (gpointer data)
{
  Shared *shared = data;

  for (guint k = 0; k < 2000; k++)
    {
      g_autoptr (CandelaParams) params =
        candela_params_new_remembered (&shared->slot, "op", table, shared->given[k % 3 == 0], NULL);

      g_assert_cmpint (candela_params_get_int (params, NUM), ==, k % 3 == 0);
    }
  return NULL;
}

static void
test_remembered_threads (void)
{
  Shared shared = { .given = { g_variant_ref_sink (parse ("{'num': <int64 0>}")),
                               g_variant_ref_sink (parse ("{'num': <int64 1>}")) } };
  GThread *threads[4];

  for (guint k = 0; k < G_N_ELEMENTS (threads); k++)
    threads[k] = g_thread_new ("params", read_shared, &shared);
  for (guint k = 0; k < G_N_ELEMENTS (threads); k++)
    g_thread_join (threads[k]);
  candela_params_unref (shared.slot);
  g_variant_unref (shared.given[0]);
  g_variant_unref (shared.given[1]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/params/empty", test_empty);
  g_test_add_func ("/params/defaults", test_defaults);
  g_test_add_func ("/params/forms", test_forms);
  g_test_add_func ("/params/scalar", test_scalar);
  g_test_add_func ("/params/scalar/any", test_any_scalar);
  g_test_add_func ("/params/errors", test_errors);
  g_test_add_func ("/params/floating", test_floating);
  g_test_add_func ("/params/equal", test_equal);
  g_test_add_func ("/params/wrong-index", test_wrong_index);
  g_test_add_func ("/params/specs", test_specs);
  g_test_add_func ("/params/table-check", test_table_check);
  g_test_add_func ("/params/remembered", test_remembered);
  g_test_add_func ("/params/remembered/threads", test_remembered_threads);
  return g_test_run ();
}
