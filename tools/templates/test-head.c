/* SPDX-License-Identifier: @license@
 *
 * What the ops of @plugin@ give, and what they refuse. The right values come from a
 * formula over other ops, or from arithmetic by hand. */
#include <candela/candela.h>

static char *
compute (const char *text, GError **error)
{
  g_autoptr (CandelaNode) node = candela_expression_build (text, error, NULL);
  g_autoptr (CandelaTensor) value = candela_node_materialize (node, error);

  return value != NULL ? candela_tensor_to_string (value) : NULL;
}

static void
gives (const char *text, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *value = compute (text, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (value, ==, expected);
}

static void
fails (const char *text, int code)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *value = compute (text, &error);

  g_assert_error (error, CANDELA_ERROR, code);
  g_assert_null (value);
}
