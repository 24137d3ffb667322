/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The scan plugin. Right values are NumPy 2.4's, for float32 with dtype=float64 and
 * rounded afterwards. What is then tested is that nothing but values decides the
 * bits. */
#include "../testing.h"
#include "views.h"

static const OpCase cases[] = {
  { "cumulative_sum", NULL, "int32", "4", "1 2 3 4", "int64", "4", "1 3 6 10" },
  { "cumulative_prod", NULL, "int32", "4", "1 2 3 4", "int64", "4", "1 2 6 24" },
  { "cumulative_sum", "{'axis': <int64 0>}", "int32", "2 3", "-2 -1 0 1 2 3", "int64", "2 3", "-2 -1 0 -1 1 3" },
  { "cumulative_sum", "{'axis': <int64 1>}", "int32", "2 3", "-2 -1 0 1 2 3", "int64", "2 3", "-2 -3 -3 1 3 6" },
  { "cumulative_sum", "{'axis': <int64 -1>}", "int32", "2 3", "-2 -1 0 1 2 3", "int64", "2 3", "-2 -3 -3 1 3 6" },
  { "cumulative_sum", "{'axis': <int64 -2>}", "int32", "2 3", "-2 -1 0 1 2 3", "int64", "2 3", "-2 -1 0 -1 1 3" },
  { "cumulative_prod", "{'axis': <int64 0>}", "int32", "2 3", "3 4 5 6 7 8", "int64", "2 3", "3 4 5 18 28 40" },
  { "cumulative_prod", "{'axis': <int64 1>}", "int32", "2 3", "-2 -1 0 1 2 3", "int64", "2 3", "-2 2 0 1 2 6" },
  { "cumulative_sum", "{'axis': <int64 0>}", "float64", "2 3 2", "-1 -0.5 0 0.5 1 1.5 2 2.5 3 3.5 4 4.5", "float64",
    "2 3 2", "-1 -0.5 0 0.5 1 1.5 1 2 3 4 5 6" },
  { "cumulative_prod", "{'axis': <int64 0>}", "float64", "2 3 2", "-1 -0.5 0 0.5 1 1.5 2 2.5 3 3.5 4 4.5", "float64",
    "2 3 2", "-1 -0.5 0 0.5 1 1.5 -2 -1.25 0 1.75 4 6.75" },
  { "cumulative_sum", "{'axis': <int64 1>}", "float64", "2 3 2", "-1 -0.5 0 0.5 1 1.5 2 2.5 3 3.5 4 4.5", "float64",
    "2 3 2", "-1 -0.5 -1 0 0 1.5 2 2.5 5 6 9 10.5" },
  { "cumulative_prod", "{'axis': <int64 1>, 'include_initial': <true>}", "float64", "2 3 2",
    "-1 -0.5 0 0.5 1 1.5 2 2.5 3 3.5 4 4.5", "float64", "2 4 2",
    "1 1 -1 -0.5 -0 -0.25 -0 -0.375 1 1 2 2.5 6 8.75 24 39.375" },
  { "cumulative_sum", "{'axis': <int64 2>}", "float64", "2 3 2", "-1 -0.5 0 0.5 1 1.5 2 2.5 3 3.5 4 4.5", "float64",
    "2 3 2", "-1 -1.5 0 0.5 1 2.5 2 4.5 3 6.5 4 8.5" },
  { "cumulative_prod", "{'axis': <int64 2>}", "float64", "2 3 2", "-1 -0.5 0 0.5 1 1.5 2 2.5 3 3.5 4 4.5", "float64",
    "2 3 2", "-1 0.5 0 0 1 1.5 2 5 3 10.5 4 18" },
  { "cumulative_sum", "{'axis': <int64 0>, 'include_initial': <true>}", "int32", "2 3", "-2 -1 0 1 2 3", "int64", "3 3",
    "0 0 0 -2 -1 0 -1 1 3" },
  { "cumulative_sum", "{'axis': <int64 1>, 'include_initial': <true>}", "int32", "2 3", "-2 -1 0 1 2 3", "int64", "2 4",
    "0 -2 -3 -3 0 1 3 6" },
  { "cumulative_prod", "{'axis': <int64 -1>, 'include_initial': <true>}", "int32", "2 3", "-2 -1 0 1 2 3", "int64",
    "2 4", "1 -2 2 0 1 1 2 6" },
  { "cumulative_sum", NULL, "bool", "3", "1 0 1", "int64", "3", "1 1 2" },
  { "cumulative_sum", NULL, "int8", "3", "3 0 1", "int64", "3", "3 3 4" },
  { "cumulative_prod", NULL, "int8", "3", "3 2 1", "int64", "3", "3 6 6" },
  { "cumulative_sum", NULL, "int16", "3", "3 0 1", "int64", "3", "3 3 4" },
  { "cumulative_prod", NULL, "int16", "3", "3 2 1", "int64", "3", "3 6 6" },
  { "cumulative_sum", NULL, "int64", "3", "3 0 1", "int64", "3", "3 3 4" },
  { "cumulative_prod", NULL, "int64", "3", "3 2 1", "int64", "3", "3 6 6" },
  { "cumulative_sum", NULL, "uint8", "3", "3 0 1", "uint64", "3", "3 3 4" },
  { "cumulative_prod", NULL, "uint8", "3", "3 2 1", "uint64", "3", "3 6 6" },
  { "cumulative_sum", NULL, "uint16", "3", "3 0 1", "uint64", "3", "3 3 4" },
  { "cumulative_prod", NULL, "uint16", "3", "3 2 1", "uint64", "3", "3 6 6" },
  { "cumulative_sum", NULL, "uint32", "3", "3 0 1", "uint64", "3", "3 3 4" },
  { "cumulative_prod", NULL, "uint32", "3", "3 2 1", "uint64", "3", "3 6 6" },
  { "cumulative_sum", NULL, "uint64", "3", "3 0 1", "uint64", "3", "3 3 4" },
  { "cumulative_prod", NULL, "uint64", "3", "3 2 1", "uint64", "3", "3 6 6" },
  { "cumulative_sum", NULL, "float32", "3", "3 0 1", "float32", "3", "3 3 4" },
  { "cumulative_prod", NULL, "float32", "3", "3 2 1", "float32", "3", "3 6 6" },
  { "cumulative_sum", "{'dtype': <'int8'>}", "int8", "3", "100 100 100", "int8", "3", "100 -56 44" },
  { "cumulative_prod", "{'dtype': <'int16'>}", "int8", "2", "100 100", "int16", "2", "100 10000" },
  { "cumulative_sum", "{'dtype': <'uint8'>}", "uint8", "2", "200 100", "uint8", "2", "200 44" },
  { "cumulative_sum", "{'dtype': <'uint32'>}", "int32", "2", "-1 -1", "uint32", "2", "4294967295 4294967294" },
  { "cumulative_sum", NULL, "int64", "2", "9223372036854775807 1", "int64", "2",
    "9223372036854775807 -9223372036854775808" },
  { "cumulative_prod", NULL, "int64", "2", "4611686018427387904 2", "int64", "2",
    "4611686018427387904 -9223372036854775808" },
  { "cumulative_sum", NULL, "uint64", "2", "18446744073709551615 2", "uint64", "2", "18446744073709551615 1" },
  { "cumulative_sum", "{'dtype': <'int32'>}", "float64", "3", "0.5 0.7 1.9", "int32", "3", "0 0 1" },
  { "cumulative_sum", "{'dtype': <'float32'>}", "int32", "2", "16777217 1", "float32", "2", "16777216 16777216" },
  { "cumulative_sum", "{'dtype': <'float64'>}", "uint8", "2", "1 2", "float64", "2", "1 3" },
  { "cumulative_sum", NULL, "float32", "4", "16777216 1 1 -16777216", "float32", "4", "16777216 16777216 16777218 2" },
  { "cumulative_prod", NULL, "float32", "3", "3.0000000054977558e+38 2 0.5", "float32", "3",
    "3.0000000054977558e+38 inf 3.0000000054977558e+38" },
  { "cumulative_sum", NULL, "float64", "3", "-0 -0 0", "float64", "3", "-0 -0 0" },
  { "cumulative_prod", NULL, "float64", "3", "-0 -1 1", "float64", "3", "-0 0 0" },
  { "cumulative_sum", "{'include_initial': <true>}", "float64", "1", "-0", "float64", "2", "0 -0" },
  { "cumulative_sum", NULL, "float64", "5", "1 inf 1 -inf 2", "float64", "5", "1 inf inf nan nan" },
  { "cumulative_sum", NULL, "float32", "3", "1 nan 2", "float32", "3", "1 nan nan" },
  { "cumulative_prod", NULL, "float64", "3", "0 inf 1", "float64", "3", "0 nan nan" },
  { "cumulative_sum", NULL, "float64", "0", "", "float64", "0", "" },
  { "cumulative_sum", "{'include_initial': <true>}", "int32", "0", "", "int64", "1", "0" },
  { "cumulative_prod", "{'axis': <int64 1>, 'include_initial': <true>}", "float32", "2 0", "", "float32", "2 1",
    "1 1" },
  { "cumulative_sum", "{'axis': <int64 0>}", "float64", "2 0", "", "float64", "2 0", "" },
  { "cumulative_sum", "{'axis': <int64 1>, 'include_initial': <true>}", "float64", "0 2", "", "float64", "0 3", "" },
  { "cumulative_prod", "{'axis': <int64 0>, 'include_initial': <true>}", "float64", "0 2", "", "float64", "1 2",
    "1 1" },
};

static void
test_values (void)
{
  assert_op_cases (cases, G_N_ELEMENTS (cases));
}

/* Pairs of doubles, as a complex value of the dtype. */
static CandelaTensor *
make_complex (const char *dtype, const double *parts, gint64 n)
{
  g_autoptr (GError) error = NULL;
  CandelaTensor *tensor = candela_tensor_new (read_dtype (dtype), &n, 1, &error);
  gpointer data;

  g_assert_no_error (error);
  data = candela_tensor_get_writable_data (tensor);
  for (gint64 i = 0; i < 2 * n; i++)
    if (candela_tensor_get_dtype (tensor) == CANDELA_DTYPE_COMPLEX64)
      ((float *) data)[i] = (float) parts[i];
    else
      ((double *) data)[i] = parts[i];
  return tensor;
}

static void
check_complex (const char *op, const char *params, CandelaNode *x, const char *dtype, const double *wanted_parts,
               gint64 n)
{
  g_autoptr (CandelaTensor) got = compute_op (op, params, x, NULL), wanted = make_complex (dtype, wanted_parts, n);

  g_assert_true (tensors_same (got, wanted));
}

/* 1+2i, 3-i, 2i: the sums and products by hand. */
static void
test_complex (void)
{
  static const double parts[] = { 1, 2, 3, -1, 0, 2 }, sums[] = { 1, 2, 4, 1, 4, 3 },
                      products[] = { 1, 2, 5, 5, -10, 10 };
  static const double real_sums[] = { 0, 0, 1, 0, 3, 0 };
  static const char *const dtypes[] = { "complex64", "complex128" };

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (CandelaTensor) tensor = make_complex (dtypes[i], parts, 3);
      g_autoptr (CandelaNode) x = candela_node_new_tensor (tensor), real = make_value ("int16", "2", "1 2");

      check_complex ("cumulative_sum", NULL, x, dtypes[i], sums, 3);
      check_complex ("cumulative_prod", NULL, x, dtypes[i], products, 3);
      for (guint k = 0; k < 2; k++)
        {
          g_autofree char *params = g_strdup_printf ("{'dtype': <'%s'>}", dtypes[k]);
          g_autofree char *initial = g_strdup_printf ("{'dtype': <'%s'>, 'include_initial': <true>}", dtypes[k]);

          check_complex ("cumulative_sum", params, x, dtypes[k], sums, 3);
          check_complex ("cumulative_sum", initial, real, dtypes[k], real_sums, 3);
        }
    }
}

/* An infinite element stays what it is where it comes first. */
static void
test_first_element (void)
{
  static const double parts[] = { INFINITY, -0.0 };
  g_autoptr (CandelaTensor) tensor = make_complex ("complex128", parts, 1);
  g_autoptr (CandelaNode) x = candela_node_new_tensor (tensor);

  check_complex ("cumulative_sum", NULL, x, "complex128", parts, 1);
  check_complex ("cumulative_prod", NULL, x, "complex128", parts, 1);
}

static const OpRefusal refusals[] = {
  { "cumulative_sum", NULL, "float64", "", CANDELA_ERROR_SHAPE, "cumulative_sum: x has shape []; an axis is needed" },
  { "cumulative_sum", NULL, "float64", "2 3", CANDELA_ERROR_AXIS,
    "cumulative_sum: x has shape [2, 3]; say along which axis" },
  { "cumulative_prod", "{'axis': <2>}", "float64", "2 3", CANDELA_ERROR_AXIS,
    "cumulative_prod: axis 2 is out of range: x has shape [2, 3]" },
  { "cumulative_prod", "{'axis': <int64 -9223372036854775808>}", "float64", "2 3", CANDELA_ERROR_AXIS, NULL },
  { "cumulative_sum", "{'dtype': <'bool'>}", "float64", "2", CANDELA_ERROR_DTYPE,
    "cumulative_sum: the result cannot have dtype bool: a numeric one is needed" },
  { "cumulative_sum", "{'dtype': <'float64'>}", "complex64", "2", CANDELA_ERROR_DTYPE,
    "cumulative_sum: x has dtype complex64; the result cannot have dtype float64: a complex one is needed" },
  { "cumulative_sum", "{'axis': <[int64 0, 1]>}", "float64", "2 3", CANDELA_ERROR_PARAMETER, NULL },
};

static void
test_refusals (void)
{
  assert_op_refusals (refusals, G_N_ELEMENTS (refusals));
}

#define RUN_ALONG(name, Out, Acc)                                                                                      \
  static void name (Out *out, gint64 n, gint64 step)                                                                   \
  {                                                                                                                    \
    Acc acc = out[0];                                                                                                  \
                                                                                                                       \
    for (gint64 i = 1; i < n; i++)                                                                                     \
      out[i * step] = (Out) (acc += (Acc) out[i * step]);                                                              \
  }

RUN_ALONG (run_float, float, double)
RUN_ALONG (run_double, double, double)
RUN_ALONG (run_int64, gint64, gint64)

/* One element after the other: the definition. */
static CandelaTensor *
sum_by_definition (CandelaNode *packed, gint64 axis)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) x = candela_node_get_tensor (packed);
  CandelaDType in = candela_tensor_get_dtype (x), out = in == CANDELA_DTYPE_INT16 ? CANDELA_DTYPE_INT64 : in;
  gsize rank;
  const gint64 *shape = candela_tensor_get_shape (x, &rank);
  CandelaTensor *result = candela_tensor_new (out, shape, rank, &error);
  gpointer data;
  gint64 step = 1, n = candela_tensor_get_n_elements (x);

  g_assert_no_error (error);
  data = candela_tensor_get_writable_data (result);
  for (gint64 i = 0; i < n && in == CANDELA_DTYPE_INT16; i++)
    ((gint64 *) data)[i] = ((const gint16 *) candela_tensor_get_data (x))[i];
  if (in != CANDELA_DTYPE_INT16)
    memcpy (data, candela_tensor_get_data (x), (gsize) n * candela_dtype_get_size (in));
  for (gsize k = axis + 1; k < rank; k++)
    step *= shape[k];
  for (gint64 i = 0; i < n; i++)
    {
      if (i / step % shape[axis] != 0)
        continue;
      if (out == CANDELA_DTYPE_FLOAT32)
        run_float ((float *) data + i, shape[axis], step);
      else if (out == CANDELA_DTYPE_FLOAT64)
        run_double ((double *) data + i, shape[axis], step);
      else
        run_int64 ((gint64 *) data + i, shape[axis], step);
    }
  return result;
}

static void
check_view (CandelaNode *view, CandelaNode *packed, const char *what)
{
  for (gint64 axis = 0; axis < 3; axis++)
    {
      g_autofree char *params = g_strdup_printf ("{'axis': <int64 %" G_GINT64_FORMAT ">}", axis);
      g_autofree char *text = g_strdup_printf ("%s, axis %" G_GINT64_FORMAT, what, axis);
      g_autoptr (CandelaTensor) wanted = sum_by_definition (packed, axis);

      for (guint threads = 1; threads <= 3; threads += 2)
        {
          g_autoptr (CandelaTensor) got = NULL;

          candela_set_num_threads (threads);
          got = compute_op ("cumulative_sum", params, view, NULL);
          assert_same (got, wanted, text);
        }
    }
}

static void
check_layouts (const char *dtype, const char *shape)
{
  g_autoptr (CandelaTensor) base = random_tensor (dtype, shape);

  check_views (base, check_view);
}

/* Lines of more and of fewer elements than are packed at once; more and fewer of
 * them than go side by side. */
static void
test_layouts (void)
{
  check_layouts ("float32", "3 1100 5");
  check_layouts ("float64", "2 40 300");
  check_layouts ("int16", "40 7 33");
  check_layouts ("int16", "3 9 300");
  check_layouts ("float32", "300 2 65");
  check_layouts ("int16", "1500 3 2");
  check_layouts ("float64", "70 300 4");
}

/* In place, in groups of rows and alone. */
static void
test_graphs (void)
{
  static const char *const texts[] = {
    "t = x * 2.0; cumulative_sum(t, axis=1) + t",
    "cumulative_sum(x * 2.0, axis=0)",
    "cumulative_sum(cumulative_sum(x + 1.0, axis=0), axis=1)",
    "cumulative_sum((x * 2.0).T, axis=1, include_initial=true)",
    "e = exp(x); cumulative_sum(e / sum(e, axis=1, keepdims=true), axis=-1)",
    "cumulative_sum(astype(x * 9.0, int64), axis=1, dtype=float64)",
    "cumulative_prod(x[:, ::-1] + 1.0, axis=1)",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GHashTable) names = names_new ();
      g_autoptr (CandelaTensor) x = random_tensor ("float64", "70 130"), wanted = NULL;
      g_autoptr (CandelaNode) root = NULL;
      g_autoptr (CandelaPlan) plan = NULL;
      CandelaTensor **plain;

      put_name (names, "x", candela_node_new_tensor (x));
      root = build (texts[i], names);
      plan = plan_node (root, NO_OPTIMIZATION);
      candela_set_num_threads (1);
      plain = run_plan (plan, NULL);
      wanted = g_object_ref (plain[0]);
      free_tensors (plain, 1);
      check_roots (&root, &wanted, 1, texts[i]);
    }
}

/* 10^6 times the binary32 nearest 0.1, which is 0.100000001490116…: 100000.00149…;
 * in binary32 it would come to 100958.34. */
static void
test_accuracy (void)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) sums = build ("cumulative_sum(full([1000000], 0.1, dtype=float32))[-1]", names);
  g_autoptr (CandelaTensor) last = compute (sums);

  g_assert_cmpfloat (*(const float *) element_at (last, 0), ==, 100000.0f);
}

static void
test_cancelled (void)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) sums = build ("cumulative_sum(full([1000000], 0.1))", names);
  g_autoptr (CandelaPlan) plan = plan_node (sums, CANDELA_PLAN_NO_FUSION);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  gsize n;

  g_cancellable_cancel (cancellable);
  g_assert_null (candela_plan_run (plan, NULL, 0, cancellable, NULL, NULL, NULL, &n, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/scan/values", test_values);
  g_test_add_func ("/scan/complex", test_complex);
  g_test_add_func ("/scan/first-element", test_first_element);
  g_test_add_func ("/scan/refusals", test_refusals);
  g_test_add_func ("/scan/layouts", test_layouts);
  g_test_add_func ("/scan/graphs", test_graphs);
  g_test_add_func ("/scan/accuracy", test_accuracy);
  g_test_add_func ("/scan/cancelled", test_cancelled);
  return g_test_run ();
}
