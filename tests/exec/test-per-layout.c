/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A product by an outside library may tell operands of one value and several
 * layouts apart. Its result must not depend on what else is in the graph, nor on
 * which caches are filled. */
#include "../testing.h"

static CandelaNode *
random_value (const char *name, const char *shape)
{
  g_autofree char *text = g_strdup_printf ("random_normal(%s, seed=%u, dtype=float32)", shape, g_str_hash (name));
  g_autoptr (CandelaNode) node = build (text, NULL);
  g_autoptr (CandelaTensor) tensor = candela_node_materialize (node, NULL);

  g_assert_nonnull (tensor);
  return candela_node_new_tensor (tensor);
}

static GHashTable *
operands (void)
{
  GHashTable *names = names_new ();

  put_name (names, "x", random_value ("x", "[1000, 50]"));
  put_name (names, "y", random_value ("y", "[1000, 1]"));
  return names;
}

static GBytes *
run_node (CandelaNode *node)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_node_materialize (node, &error);
  GBytes *bytes = tensor != NULL ? candela_tensor_get_bytes (tensor, &error) : NULL;

  g_assert_no_error (error);
  return bytes;
}

/* The first root of each is a packed copy that takes x.T over; the second is the
 * product, which is to be that of x.T itself. */
static void
test_beside_takeover (void)
{
  static const char *const products[] = { "t @ y", "identity(t) @ y", "t[::1] @ y", "identity(t)[0:50] @ y" };
  g_autoptr (GHashTable) names = operands ();
  g_autoptr (CandelaNode) alone = build ("x.T @ y", names);
  g_autoptr (GBytes) expected = run_node (alone);

  for (guint i = 0; i < G_N_ELEMENTS (products); i++)
    {
      g_autofree char *text = g_strdup_printf ("t = x.T; c = sum(contiguous(t)); c, %s", products[i]);
      g_autoptr (CandelaExpression) expression = parse (text, names);
      CandelaNode *roots[] = { candela_expression_get_nth_value (expression, 0),
                               candela_expression_get_nth_value (expression, 1) };
      g_autoptr (GError) error = NULL;
      gsize n = 0;
      g_autofree CandelaTensor **results = candela_materialize (roots, 2, &n, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (n, ==, 2);
      g_autoptr (GBytes) bytes = candela_tensor_get_bytes (results[1], NULL);
      g_assert_true (g_bytes_equal (bytes, expected));
      g_object_unref (results[0]);
      g_object_unref (results[1]);
    }
}

/* The first run packs x.T for the cache, the second finds it packed. */
static void
test_beside_cache (void)
{
  g_autoptr (GHashTable) names = operands ();
  g_autoptr (CandelaNode) alone = build ("x.T @ y", names);
  g_autoptr (GBytes) expected = run_node (alone);
  g_autoptr (CandelaNode) t = build ("x.T", names);

  put_name (names, "t", candela_node_ref (t));
  put_name (names, "k", candela_node_new_cache (t));
  g_autoptr (CandelaNode) node = build ("p = sum(k) * 0.0; p + t @ y", names);
  g_autoptr (CandelaNode) of_cache = build ("k @ y", names);
  g_autoptr (GBytes) first = run_node (node);
  g_autoptr (GBytes) second = run_node (node);
  g_autoptr (GBytes) packed = run_node (of_cache);
  g_autoptr (CandelaNode) copied = build ("contiguous(x.T) @ y", names);
  g_autoptr (GBytes) of_copy = run_node (copied);

  g_assert_true (g_bytes_equal (first, expected));
  g_assert_true (g_bytes_equal (second, expected));
  g_assert_true (g_bytes_equal (packed, of_copy));
}

/* Of two scalars a quotient and a remainder are scalars still, and have a range. */
static void
test_folded_outputs (void)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (GError) error = NULL;

  put_name (names, "x", make_value ("int8", "3", "1 2 3"));
  g_autoptr (CandelaNode) sum = build ("q, r = divmod(17, 5); x + q * 10 + r", names);
  g_autoptr (CandelaTensor) tensor = candela_node_materialize (sum, &error);

  g_assert_no_error (error);
  for (gint64 i = 0; i < 3; i++)
    g_assert_cmpint (candela_tensor_get_int64 (tensor, &i, 1, NULL), ==, 33 + i);
  g_assert_null (candela_expression_build_with_names ("q, r = divmod(1700, 5); x + q", names, &error));
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/per-layout/takeover", test_beside_takeover);
  g_test_add_func ("/per-layout/cache", test_beside_cache);
  g_test_add_func ("/per-layout/folded-outputs", test_folded_outputs);
  return g_test_run ();
}
