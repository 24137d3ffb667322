/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A module for test-expression: ops whose output's shape says how their arguments
 * were sorted: [inputs, parameter]. */
#include <candela/candela-plugin.h>

static gboolean
infer_counts (CandelaInference *inference, GError **error)
{
  const CandelaParams *params = candela_inference_get_params (inference);
  const gint64 shape[] = { candela_inference_get_n_inputs (inference), candela_params_get_int (params, 0) };

  return candela_inference_set_output (inference, 0, CANDELA_DTYPE_FLOAT64, shape, 2, error);
}

static gboolean
compute_nothing (CandelaKernel *kernel, GError **error)
{
  return TRUE;
}

static const CandelaKernelInfo kernels[] = { { .compute = compute_nothing }, { .compute = NULL } };

static const CandelaParamInfo params[] = {
  { .name = "count", .type = CANDELA_PARAM_INT, .default_value = "0" },
  { .name = "word", .type = CANDELA_PARAM_STRING },
  { .name = NULL },
};

static const CandelaInputInfo pile_inputs[] = {
  { .name = "first" },
  { .name = "rest", .flags = CANDELA_INPUT_VARIADIC },
  { .name = NULL },
};

static const CandelaInputInfo span_inputs[] = {
  { .name = "x" },
  { .name = "low", .flags = CANDELA_INPUT_OPTIONAL },
  { .name = "high", .flags = CANDELA_INPUT_OPTIONAL },
  { .name = NULL },
};

#define TEST_OP(c_name, its_inputs)                                                                                    \
  static const CandelaOpInfo c_name##_op = {                                                                           \
    .struct_size = sizeof (CandelaOpInfo),                                                                             \
    .name = #c_name,                                                                                                   \
    .summary = "For tests",                                                                                            \
    .inputs = its_inputs,                                                                                              \
    .params = params,                                                                                                  \
    .infer = infer_counts,                                                                                             \
    .kernels = kernels,                                                                                                \
  }

TEST_OP (pile, pile_inputs);
TEST_OP (pile_all, pile_inputs + 1);
TEST_OP (span, span_inputs);

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_op (plugin, &pile_op, error) && candela_plugin_add_op (plugin, &pile_all_op, error)
         && candela_plugin_add_op (plugin, &span_op, error);
}

CANDELA_PLUGIN_DEFINE ("arguments", "1.0", "LGPL-2.1-or-later", "For tests", register_ops)
