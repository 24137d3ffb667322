/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Plugins that were built with the first release: they load, and their ops are run. The
 * structs of declarations have the sizes that they had. */
#include "registry-testing.h"

#include "../testing.h"
#include <candela/candela-plugin.h>

static void
test_sizes (void)
{
  static const struct
  {
    const char *name;
    gsize size, wanted;
  } structs[] = {
    { "CandelaInputInfo", sizeof (CandelaInputInfo), 56 },
    { "CandelaParamInfo", sizeof (CandelaParamInfo), 72 },
    { "CandelaKernelInfo", sizeof (CandelaKernelInfo), 104 },
    { "CandelaInPlace", sizeof (CandelaInPlace), 12 },
    { "CandelaPluginDescriptor", sizeof (CandelaPluginDescriptor), 96 },
  };

  if (sizeof (gpointer) != 8)
    {
      g_test_skip ("the sizes are those of 64-bit machines");
      return;
    }
  for (guint k = 0; k < G_N_ELEMENTS (structs); k++)
    {
      g_test_message ("%s", structs[k].name);
      g_assert_cmpuint (structs[k].size, ==, structs[k].wanted);
    }
  /* This one grows, at its end. */
  g_assert_cmpuint (sizeof (CandelaOpInfo), >=, 160);
  g_assert_cmpuint (G_STRUCT_OFFSET (CandelaOpInfo, kernels), ==, 104);
}

static void
assert_value (const char *text, const char *expected)
{
  g_autoptr (GHashTable) names = names_new ();
  g_autoptr (CandelaNode) node = build (text, names);
  g_autoptr (CandelaTensor) got = compute (node);
  g_autofree char *value = candela_tensor_to_string (got);

  g_assert_cmpstr (value, ==, expected);
}

static void
test_plugin (void)
{
  g_autofree char *file = module_filename ("baseline", "baseline");
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = NULL;
  CandelaPlugin *plugin = candela_registry_load_file (candela_registry_get_default (), file, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (candela_plugin_get_description (plugin), ==, "Built with the first release");
  assert_value ("base_scale([1.0, -2.0], by=3.0)", "[ 3. -6.]");
  assert_value ("base_scale(astype([1, -2], float32))", "[ 2. -4.]");
  assert_value ("base_shorter(base_scale([1.0, -2.0]) + 1.0)", "[ 6. -6.]");
  assert_value ("base_total([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])", "[ 6. 15.]");
  assert_value ("base_total([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].T)", "[5. 7. 9.]");
  node = candela_expression_build ("base_scale([1.0], by=11.0)", &error, NULL);
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_PARAMETER);
  g_clear_error (&error);
  g_clear_pointer (&node, candela_node_unref);
  node = candela_expression_build ("base_total(1.0)", &error, NULL);
  g_assert_error (error, CANDELA_ERROR, CANDELA_ERROR_SHAPE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/baseline/sizes", test_sizes);
  g_test_add_func ("/baseline/plugin", test_plugin);
  return g_test_run ();
}
