/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plan over slots: made once from dtypes and shapes, before there is any data,
 * then run for one batch after another. What a run will allocate is known
 * beforehand. */
#include <candela/candela.h>

static gboolean
run_batch (CandelaPlan *plan, const float *numbers, GError **error)
{
  const gint64 shape[] = { 2, 2 };
  g_autoptr (CandelaTensor) batch = candela_tensor_new_from_data (
    CANDELA_DTYPE_FLOAT32, shape, G_N_ELEMENTS (shape), (const guint8 *) numbers, 4 * sizeof (float), error);
  g_autofree CandelaTensor **results
    = batch != NULL ? candela_plan_run (plan, &batch, 1, NULL, NULL, NULL, NULL, NULL, error) : NULL;

  if (results == NULL)
    return FALSE;
  g_autoptr (CandelaTensor) value = results[0];
  g_autofree char *text = candela_tensor_to_string (value);
  g_print ("%s\n", text);
  return TRUE;
}

int
main (void)
{
  const float batches[2][4] = { { 1, -2, 3, -4 }, { -5, 6, -7, 8 } };
  const gint64 shape[] = { 2, 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x
    = candela_node_new_slot ("x", CANDELA_DTYPE_FLOAT32, shape, G_N_ELEMENTS (shape), &error);
  g_autoptr (CandelaNode) y = candela_expression_build ("relu(x @ [[1, 1], [0, 1]]) * 10", &error, "x", x, NULL);
  g_autoptr (CandelaPlan) plan = y != NULL ? candela_node_plan (y, CANDELA_PLAN_DEFAULT, &error) : NULL;

  if (plan != NULL)
    g_print ("a run needs %" G_GUINT64_FORMAT " bytes\n", candela_plan_get_peak_bytes (plan));
  if (plan != NULL && run_batch (plan, batches[0], &error) && run_batch (plan, batches[1], &error))
    return 0;
  g_printerr ("%s\n", error->message);
  return 1;
}
