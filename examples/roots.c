/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Several results of one plan: what they share is computed once, and a result may
 * feed another. Mean and variance come from one op with two outputs. */
#include <candela/candela.h>

int
main (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaExpression) expression = candela_expression_parse (
    "x = [[1.0, 2.0], [3.0, 6.0], [5.0, 10.0]]\n"
    "m, v = moments(x, axis=0)\n"
    "m, v, (x - m) / sqrt(v)",
    -1, NULL, &error);
  CandelaNode *roots[3];
  g_autoptr (CandelaPlan) plan = NULL;
  g_autofree CandelaTensor **values = NULL;
  CandelaRunStats stats;
  gsize n = 0;

  for (guint i = 0; expression != NULL && i < G_N_ELEMENTS (roots); i++)
    roots[i] = candela_expression_get_nth_value (expression, i);
  if (expression != NULL)
    plan = candela_plan_new (roots, G_N_ELEMENTS (roots), CANDELA_PLAN_DEFAULT, &error);
  if (plan != NULL)
    values = candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, &stats, &n, &error);
  if (values == NULL)
    {
      g_printerr ("%s\n", error->message);
      return 1;
    }

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (CandelaTensor) value = values[i];
      g_autofree char *text = candela_tensor_to_string (value);

      g_print ("%s\n", text);
    }
  g_print ("%" G_GUINT64_FORMAT " steps\n", stats.steps);
  return 0;
}
