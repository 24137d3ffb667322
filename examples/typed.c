/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The length of each row of a matrix, by the typed calls of candela-ops.h. A
 * call whose input is NULL returns NULL and leaves the error as it is: so a chain
 * of calls is checked once, at its end. */
#include <candela/candela-ops.h>
#include <candela/candela.h>

int
main (void)
{
  const double numbers[] = { 3, 4, 5, 12, 8, 15 };
  const gint64 shape[] = { 3, 2 };
  const gint64 axis = 1;
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaTensor) tensor = candela_tensor_new_from_data (
    CANDELA_DTYPE_FLOAT64, shape, G_N_ELEMENTS (shape), (const guint8 *) numbers, sizeof numbers, &error);
  g_autoptr (CandelaNode) x = tensor != NULL ? candela_node_new_tensor (tensor) : NULL;
  g_autoptr (CandelaNode) squares = candela_multiply (x, x, &error);
  g_autoptr (CandelaNode) sums = candela_sum (squares, &axis, 1, CANDELA_DTYPE_INVALID, FALSE, &error);
  g_autoptr (CandelaNode) lengths = candela_sqrt (sums, &error);
  g_autoptr (CandelaTensor) value = candela_node_materialize (lengths, &error);
  g_autofree char *text = value != NULL ? candela_tensor_to_string (value) : g_strdup (error->message);

  g_print ("%s\n", text);
  return value == NULL;
}
