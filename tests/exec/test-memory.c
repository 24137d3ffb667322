/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What memory results and inputs are in, sizes of nothing and sizes beyond all
 * memory. */
#include "../testing.h"

#include <glib/gstdio.h>

/* ---- Memory ---- */

static void
test_views_share (void)
{
  g_autoptr (CandelaTensor) x = make_tensor ("float64", "2 3", "1 2 3 4 5 6");
  static const struct
  {
    const char *text;
    gint64 offset; /* of the first element, in elements of x */
  } cases[] = { { "x", 0 },
                { "x.T", 0 },
                { "x[1]", 3 },
                { "x[::-1, 1:]", 4 },
                { "reshape(x, [6])[2:]", 2 },
                { "broadcast_to(x[0, 2:3], [4])", 2 },
                { "contiguous(x)", 0 },
                { "identity(x).T[1:]", 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GHashTable) names = names_new ();
      g_autoptr (CandelaNode) node = NULL;
      g_autoptr (CandelaTensor) got = NULL;

      put_name (names, "x", candela_node_new_tensor (x));
      node = build (cases[i].text, names);
      got = compute (node);
      g_assert_true (candela_tensor_get_data (got) == (const double *) candela_tensor_get_data (x) + cases[i].offset);
    }
}

/* A view keeps the memory that it is over; a result keeps no input. */
static void
test_results_keep_what_they_need (void)
{
  g_autoptr (CandelaTensor) x = make_tensor ("float64", "2 3", "1 2 3 4 5 6");
  CandelaTensor *view, *copy;
  gpointer gone = x;

  {
    g_autoptr (GHashTable) names = names_new ();
    g_autoptr (CandelaNode) a = NULL;
    g_autoptr (CandelaNode) b = NULL;

    put_name (names, "x", candela_node_new_tensor (x));
    a = build ("x[1]", names);
    b = build ("x[1] + 0", names);
    view = compute (a);
    copy = compute (b);
  }
  g_object_add_weak_pointer (G_OBJECT (x), &gone);
  g_clear_object (&x);
  g_assert_null (gone);
  assert_elements (view, "float64", "3", "4 5 6", "the view");
  assert_elements (copy, "float64", "3", "4 5 6", "the copy");
  g_object_unref (view);
  g_object_unref (copy);
}

static void
test_mapped_input (void)
{
  const double values[] = { 1, 2, 3 };
  const gint64 shape = 3;
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  g_autofree char *contents = NULL;
  gsize length;
  int fd = g_file_open_tmp ("candela-XXXXXX", &path, &error);

  g_assert_no_error (error);
  close (fd);
  g_assert_true (g_file_set_contents (path, (const char *) values, sizeof values, &error));
  {
    g_autoptr (GFile) file = g_file_new_for_path (path);
    g_autoptr (CandelaLayout) layout = candela_layout_new (&shape, 1, NULL);
    g_autoptr (CandelaTensor) x = candela_tensor_new_mapped (CANDELA_DTYPE_FLOAT64, layout, file, 0, &error);
    g_autoptr (GHashTable) names = names_new ();
    g_autoptr (CandelaNode) node = NULL;
    g_autoptr (CandelaTensor) wanted = make_tensor ("float64", "3", "3 4 5");

    g_assert_no_error (error);
    put_name (names, "x", candela_node_new_tensor (x));
    node = build ("t = x + 1; identity(t) + 1", names);
    check_roots (&node, &wanted, 1, "mapped");
  }
  g_assert_true (g_file_get_contents (path, &contents, &length, &error));
  g_assert_cmpmem (contents, length, values, sizeof values);
  g_unlink (path);
}

/* ---- Sizes ---- */

typedef struct
{
  const char *text, *dtype, *shape, *elements;
} Size;

static const Size sizes[] = {
  /* Nothing. */
  { "e + 1", "float64", "0", "" },
  { "e * e[::-1]", "float64", "0", "" },
  { "w + 1", "float64", "2 0 3", "" },
  { "w.T * 2", "float64", "3 0 2", "" },
  { "contiguous(w.T)", "float64", "3 0 2", "" },
  { "sum(w)", "float64", "", "0" },
  { "prod(w)", "float64", "", "1" },
  { "sum(w, axis=1)", "float64", "2 3", "0 0 0 0 0 0" },
  { "sum(w, axis=0)", "float64", "0 3", "" },
  { "all(w)", "bool", "", "1" },
  { "any(w)", "bool", "", "0" },
  { "reshape(w, [0, 7])", "float64", "0 7", "" },
  { "broadcast_to(e[0:0], [4, 0])", "float64", "4 0", "" },
  { "x[2:1] + 1", "float64", "0", "" },
  { "e + x[0:1]", "float64", "0", "" },
  { "m, v = moments(w, axis=0); m + v", "float64", "0 3", "" },
  { "q, r = divmod(e, e); q", "float64", "0", "" },
  { "arange(0)", "int64", "0", "" },
  { "sum(e + 1) + x", "float64", "2", "1 2" },
  { "where(e > 0, e, e)", "float64", "0", "" },
  { "astype(e, \"int8\")", "int8", "0", "" },
  { "matmul(reshape(e, [2, 0]), reshape(e, [0, 2])) + 1", "float64", "2 2", "1 1 1 1" },

  /* No axes. */
  { "s + 1", "float64", "", "4" },
  { "s * s - 2", "float64", "", "7" },
  { "s.T", "float64", "", "3" },
  { "sum(s)", "float64", "", "3" },
  { "s + x", "float64", "2", "4 5" },
  { "reshape(s, [1, 1])", "float64", "1 1", "3" },
  { "x[1] + s", "float64", "", "5" },
  { "contiguous(identity(s))", "float64", "", "3" },
  { "m, v = moments(s); m * 10 + v", "float64", "", "30" },
  { "t = s + 0; t - t[...]", "float64", "", "0" },

  /* As many axes as there can be. */
  { "r + 1", "float64", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2 2", "2 3 4 5" },
  { "contiguous(r.T) + 0", "float64", "2 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "1 3 2 4" },
  { "r.T + x", "float64", "2 2 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2", "2 3 4 5 3 4 5 6" },
  { "sum(r, axis=-1)", "float64", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2", "3 7" },
};

static void
test_size (gconstpointer data)
{
  const Size *size = data;
  const Given given[] = { { "e", "float64", "0", "" },
                          { "w", "float64", "2 0 3", "" },
                          { "s", "float64", "", "3" },
                          { "x", "float64", "2", "1 2" },
                          { "r", "float64", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 2 2",
                            "1 2 3 4" } };

  check_value (size->text, given, G_N_ELEMENTS (given), size->dtype, size->shape, size->elements);
}

/* An expression over x, a tensor of 0, 1, 2 … */
static CandelaNode *
build_over_count (const char *text, gint64 n)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaTensor) tensor = candela_tensor_new (CANDELA_DTYPE_FLOAT64, &n, 1, NULL);
  double *data = candela_tensor_get_writable_data (tensor);

  for (gint64 i = 0; i < n; i++)
    data[i] = i;
  put_name (names, "x", candela_node_new_tensor (tensor));
  return build (text, names);
}

static double
square (gint64 i, gint64 n)
{
  return (2.0 * i + 1) * i - 3;
}

static double
two_layouts (gint64 i, gint64 n)
{
  return n - 1;
}

static double
two_dtypes (gint64 i, gint64 n)
{
  return i + (i > 3);
}

/* Lengths around those where a step is run in another way. */
static void
test_around_small (void)
{
  static const gint64 lengths[] = { 1, 2, 63, 64, 65, 255, 256, 257, 258 };
  static const struct
  {
    const char *text;
    double (*expected) (gint64 i, gint64 n);
  } cases[] = { { "(x * 2 + 1) * x - 3", square }, { "x + x[::-1]", two_layouts }, { "(x > 3) + x", two_dtypes } };

  for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
    for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
      for (guint flags = 0; flags < N_FLAGS; flags++)
        {
          g_autoptr (CandelaNode) node = build_over_count (cases[c].text, lengths[l]);
          g_autoptr (CandelaPlan) plan = plan_node (node, flags);
          CandelaTensor **tensors = run_plan (plan, NULL);

          for (gint64 i = 0; i < lengths[l]; i++)
            g_assert_cmpfloat (candela_tensor_get_double (tensors[0], &i, 1, NULL), ==,
                               cases[c].expected (i, lengths[l]));
          free_tensors (tensors, 1);
        }
}

/* What no memory can hold is an error, and so is what cannot be counted. */
static void
test_no_memory (void)
{
  static const char *const texts[] = { "h + 1", "contiguous(h)", "t = h + 1; sum(t) + max(t)", "t = h * 2; t - t[::-1]",
                                       "u = h + 1; v = h + 2; w = h + 3; u * v + w[::-1]" };
  const Given given = { "x", "float64", "2", "1 2" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint flags = 0; flags < N_FLAGS; flags++)
      {
        g_autofree char *text = g_strconcat ("h = broadcast_to(x[0], [576460752303423488]); ", texts[i], NULL);
        g_autoptr (GError) error = NULL;
        g_autoptr (CandelaNode) node = build_given (text, &given, 1);
        g_autoptr (CandelaPlan) plan = candela_node_plan (node, flags, &error);

        /* Of more bytes together than can be counted there is no plan. */
        if (plan != NULL)
          g_assert_null (candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, NULL, NULL, &error));
        g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY);
      }
}

static void
test_beyond_counting (void)
{
  static const char *const texts[] = {
    "full([2305843009213693952, 4], 1.0)",
    "full([4611686018427387904], 1.0)",
    "broadcast_to(x[0], [4611686018427387904, 4])",
    "zeros([-1])",
    "broadcast_to(x[0], [4611686018427387904]) + 1",
    "matmul(broadcast_to(x[0], [4294967296, 1]), broadcast_to(x[0], [1, 4294967296]))"
  };
  const Given given = { "x", "float64", "2", "1 2" };
  g_autoptr (GHashTable) names = bind_names (&given, 1);

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaExpression) expression = candela_expression_parse (texts[i], -1, names, &error);

      if (expression != NULL)
        {
          CandelaNode *node = candela_expression_get_value (expression);

          g_assert_null (candela_node_materialize (node, &error));
        }
      g_assert_nonnull (error);
      g_assert_cmpint (error->domain, ==, CANDELA_ERROR);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/exec/memory/views-share", test_views_share);
  g_test_add_func ("/exec/memory/results-keep", test_results_keep_what_they_need);
  g_test_add_func ("/exec/memory/mapped", test_mapped_input);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/exec/size/%u", i);

      g_test_add_data_func (path, &sizes[i], test_size);
    }
  g_test_add_func ("/exec/size/around-small", test_around_small);
  g_test_add_func ("/exec/size/no-memory", test_no_memory);
  g_test_add_func ("/exec/size/beyond-counting", test_beyond_counting);
  return g_test_run ();
}
