/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * update: what NumPy's assignment to a part leaves in a copy of the array, under every
 * flag and number of threads; the array itself stays as it was. Values by hand, and for
 * a large array from the indices. */
#include "../testing.h"

static const Given given[] = {
  { "x", "int64", "6", "0 1 2 3 4 5" }, { "m", "float64", "2 3", "0 1 2 3 4 5" },
  { "h", "int16", "4", "1 2 3 4" },     { "b", "bool", "3", "0 0 1" },
  { "e", "float32", "0", "" },          { "s", "float64", "", "7" },
  { "r", "float32", "2", "0.5 1.5" },
};

static const struct
{
  const char *text, *dtype, *shape, *elements;
} values[] = {
  { "update(x, 9, key=\"2\")", "int64", "6", "0 1 9 3 4 5" },
  { "update(x, 9, key=\"-1\")", "int64", "6", "0 1 2 3 4 9" },
  { "update(x, [7, 8], key=\"1:5:2\")", "int64", "6", "0 7 2 8 4 5" },
  { "update(x, [7, 8, 9], key=\"::-2\")", "int64", "6", "0 9 2 8 4 7" },
  { "update(x, 1, key=\"3:3\")", "int64", "6", "0 1 2 3 4 5" },
  { "update(x, x[:0], key=\"6:\")", "int64", "6", "0 1 2 3 4 5" },
  { "update(x, [[5]], key=\"None, :2\")", "int64", "6", "5 5 2 3 4 5" },

  /* The value is a view of what is updated, before it changes. */
  { "update(x, x[::-1], key=\":\")", "int64", "6", "5 4 3 2 1 0" },
  { "t = x + 0; update(t, t[::-1], key=\":\")", "int64", "6", "5 4 3 2 1 0" },
  { "t = x + 0; update(t, t[:5], key=\"1:\")", "int64", "6", "0 0 1 2 3 4" },
  { "t = x + 0; update(t, t[1:], key=\":-1\")", "int64", "6", "1 2 3 4 5 5" },

  /* … and what is updated is read afterwards, and before. */
  { "t = x + 0; u = update(t, 0, key=\":3\"); u * 10 + t", "int64", "6", "0 1 2 33 44 55" },
  { "t = x + 0; v = t[::2]; u = update(t, 9, key=\"0\"); sum(v) + u", "int64", "6", "15 7 8 9 10 11" },
  { "t = x + 0; u = update(t, 9, key=\"0\"); update(u, 8, key=\"1\")", "int64", "6", "9 8 2 3 4 5" },

  { "update(m, -1, key=\":, 1\")", "float64", "2 3", "0 -1 2 3 -1 5" },
  { "update(m, [10, 20, 30], key=\"1\")", "float64", "2 3", "0 1 2 10 20 30" },
  { "update(m, [[10], [20]], key=\"..., ::-2\")", "float64", "2 3", "10 1 10 20 4 20" },
  { "update(m.T, 9, key=\"0\")", "float64", "3 2", "9 9 1 4 2 5" },
  { "update(m[::-1], m, key=\"...\")", "float64", "2 3", "0 1 2 3 4 5" },

  { "update(h, x[:2], key=\"2:\")", "int16", "4", "1 2 0 1" },
  { "update(h, b[2], key=\"0\")", "int16", "4", "1 2 3 4" },
  { "update(m, x[:3], key=\"0\")", "float64", "2 3", "0 1 2 3 4 5" },
  { "update(r, s, key=\"0\")", "float32", "2", "7 1.5" },
  { "update(r, 2.5, key=\"0\")", "float32", "2", "2.5 1.5" },
  { "update(b, true, key=\"0\")", "bool", "3", "1 0 1" },
  { "update(e, 1, key=\":\")", "float32", "0", "" },
  { "update(s, 1, key=\"...\")", "float64", "", "1" },
};

static void
test_value (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);

  check_value (values[i].text, given, G_N_ELEMENTS (given), values[i].dtype, values[i].shape, values[i].elements);
}

/* Enough elements for several threads: of i, every third is minus one. */
static void
test_large (void)
{
  enum {
    N = 300001
  };
  g_autoptr (CandelaNode) node = build_given ("update(arange(0, 300001) + 0, [-1], key=\"::3\")", given, 0);
  gint64 n = N;
  g_autoptr (CandelaTensor) wanted = candela_tensor_new (CANDELA_DTYPE_INT64, &n, 1, NULL);

  for (gint64 i = 0; i < N; i++)
    ((gint64 *) candela_tensor_get_writable_data (wanted))[i] = i % 3 == 0 ? -1 : i;
  check_roots (&node, &wanted, 1, "large");
}

static const struct
{
  const char *text, *message;
} wrongs[] = {
  { "update(x, 1.5, key=\"0\")", "update: value has dtype float64; it cannot be put into x, of dtype int64" },
  { "update(b, 1, key=\"0\")", "update: value has dtype int64; it cannot be put into x, of dtype bool" },
  { "update(x, [1, 2], key=\":\")", "update: shape [2] cannot be broadcast to shape [6]" },
  { "update(x, 1, key=\"6\")", "update: index 6 is out of range for axis 0 of length 6" },
  { "update(x, 1, key=\"y\")", "update: key [y], character 1: expected an integer, a slice, None or ..." },
  { "update(x, 1, key=\"0, 0\")", "update: x has shape [6]: the key has more than 1 indices" },
  { "update(x, 1)", "update: parameter \"key\" is required" },
};

static void
test_wrong (gconstpointer data)
{
  gsize i = GPOINTER_TO_SIZE (data);
  g_autoptr (GHashTable) names = bind_names (given, G_N_ELEMENTS (given));
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = candela_expression_build_with_names (wrongs[i].text, names, &error);

  g_assert_null (node);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, wrongs[i].message));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (values); i++)
    {
      g_autofree char *path = g_strdup_printf ("/update/value/%zu", (size_t) i);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_value);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (wrongs); i++)
    {
      g_autofree char *path = g_strdup_printf ("/update/wrong/%zu", (size_t) i);

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_wrong);
    }
  g_test_add_func ("/update/large", test_large);
  return g_test_run ();
}
