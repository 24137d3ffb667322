/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The smallest useful program: numbers, an expression over them, its value. */
#include <candela/candela.h>

int
main (void)
{
  const float numbers[] = { 1, 2, 3, 4, 5, 6 };
  const gint64 shape[] = { 2, 3 };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_tensor_new_from_data (
    CANDELA_DTYPE_FLOAT32, shape, G_N_ELEMENTS (shape), (const guint8 *) numbers, sizeof numbers, &error);
  g_autoptr (CandelaNode) x = tensor != NULL ? candela_node_new_tensor (tensor) : NULL;
  g_autoptr (CandelaNode) y = candela_expression_build ("x - mean(x, axis=0)", &error, "x", x, NULL);
  g_autoptr (CandelaTensor) value = candela_node_materialize (y, &error);
  g_autofree char *text = value != NULL ? candela_tensor_to_string (value) : g_strdup (error->message);

  g_print ("%s\n", text);
  return value == NULL;
}
