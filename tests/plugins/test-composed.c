/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops that are expressions. Right values are those of the same formulas in NumPy, and
 * bit for bit those of the expressions. */
#include "../testing.h"
#include "op-testing.h"

#include <float.h>

static const struct
{
  const char *op, *params;
  const char *shape, *elements;
  const char *out_shape, *out_elements;
} cases[] = {
  { "softmax", NULL, "2 3", "1 2 3 0.5 -1 1000", "2 3",
    "0.09003057317038043 0.24472847105479767 0.6652409557748218 0 0 1" },
  { "softmax", "{'axis': <int64 0>}", "2 3", "1 2 3 0.5 -1 1000", "2 3",
    "0.6224593312018546 0.9525741268224334 0 0.37754066879814546 0.04742587317756678 1" },
  { "softmax", "{'axis': <[int64 0, 1]>}", "2 1", "0 0", "2 1", "0.5 0.5" },
  { "softmax", NULL, "2", "-inf 0", "2", "0 1" },
  { "softmax", NULL, "0 2", "", "0 2", "" },
  { "log_softmax", NULL, "2 3", "1 2 3 0.5 -1 1000", "2 3",
    "-2.4076059644443806 -1.4076059644443804 -0.40760596444438035 -999.5 -1001 0" },
  { "logsumexp", "{'axis': <int64 1>}", "2 3", "1 2 3 0.5 -1 1000", "2", "3.4076059644443806 1000" },
  { "logsumexp", "{'axis': <int64 1>, 'keepdims': <true>}", "1 3", "1 2 3", "1 1", "3.4076059644443806" },
  { "logsumexp", NULL, "2 2", "0 0 0 0", "", "1.3862943611198906" },
  { "logsumexp", NULL, "2", "inf 2", "", "inf" },
  { "logsumexp", NULL, "2", "-inf -inf", "", "-inf" },
  { "layer_norm", NULL, "4", "1 2 4 5", "4",
    "-1.264908534252813 -0.6324542671264065 0.6324542671264065 1.264908534252813" },
  { "layer_norm", "{'eps': <0.0>}", "2", "3 5", "2", "-1 1" },
  { "rms_norm", NULL, "4", "1 2 4 5", "4",
    "0.29488378409948124 0.5897675681989625 1.179535136397925 1.474418920497406" },
  { "trace", NULL, "2 2", "1 2 3 4", "", "5" },
  { "trace", "{'offset': <int64 1>}", "2 2 3", "1 2 3 4 5 6 7 8 9 10 11 12", "2", "8 20" },
  { "trace", "{'offset': <int64 -5>}", "2 2", "1 2 3 4", "", "0" },
  { "silu", NULL, "4", "1 2 4 5", "4", "0.7310585786300049 1.761594155955765 3.928055160151634 4.966535745378576" },
};

static gboolean
is_near (double got, double wanted)
{
  return got == wanted || fabs (got - wanted) <= 4 * DBL_EPSILON * fabs (wanted);
}

static void
test_values (void)
{
  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      g_autoptr (CandelaNode) x = make_value ("float64", cases[c].shape, cases[c].elements);
      g_autoptr (CandelaTensor) got = compute_op (cases[c].op, cases[c].params, x, NULL);
      g_autoptr (CandelaTensor) wanted = make_tensor ("float64", cases[c].out_shape, cases[c].out_elements);
      g_autofree char *got_shape = shape_text (got);

      g_assert_cmpstr (got_shape, ==, cases[c].out_shape);
      for (gint64 i = 0; i < candela_tensor_get_n_elements (got); i++)
        if (!is_near (((const double *) candela_tensor_get_data (got))[i],
                      ((const double *) candela_tensor_get_data (wanted))[i]))
          {
            g_autofree char *text = candela_tensor_to_string (got);

            g_test_message ("%s %s of %s: %s", cases[c].op, cases[c].params, cases[c].elements, text);
            g_test_fail ();
          }
    }
}

/* The name is another way to write the same graph. */
static void
test_graph (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) x = make_value ("float32", "2 3", "1 2 3 0.5 -1 10");
  g_autoptr (CandelaNode) a = candela_expression_build ("softmax(x * 2) + 1", &error, "x", x, NULL);
  g_autoptr (CandelaNode) b = candela_expression_build (
    "y = x * 2; e = exp(y - max(y, axis=-1, keepdims=true)); e / sum(e, axis=-1, keepdims=true) + 1", &error, "x", x,
    NULL);
  g_autoptr (CandelaTensor) got = compute (a);
  g_autoptr (CandelaTensor) wanted = compute (b);
  g_autoptr (CandelaPlan) plan = candela_plan_new (&a, 1, CANDELA_PLAN_DEFAULT, &error);

  assert_same (got, wanted, "softmax");
  g_assert_no_error (error);
  g_assert_cmpuint (candela_plan_get_n_steps (plan), ==, 1);
}

static void
test_refusals (void)
{
  g_autoptr (CandelaNode) x = make_value ("float64", "2", "1 2");
  g_autoptr (CandelaNode) flags = make_value ("bool", "2", "1 0");

  assert_refused ("softmax", "{'axis': <int64 1>}", x, NULL, CANDELA_ERROR_AXIS,
                  "softmax: max: axis 1 is out of range: x has shape [2]");
  assert_refused ("softmax", "{'axes': <int64 0>}", x, NULL, CANDELA_ERROR_PARAMETER, NULL);
  assert_refused ("softmax", NULL, flags, NULL, CANDELA_ERROR_DTYPE,
                  "softmax: x has dtype bool; it must be signed integer, unsigned integer, floating-point");
  assert_refused ("softmax", NULL, x, x, CANDELA_ERROR_ARITY, NULL);
  assert_refused ("layer_norm", "{'eps': <-1.0>}", x, NULL, CANDELA_ERROR_PARAMETER, NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/composed/values", test_values);
  g_test_add_func ("/composed/graph", test_graph);
  g_test_add_func ("/composed/refusals", test_refusals);
  return g_test_run ();
}
