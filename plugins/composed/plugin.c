/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of what is often written as an expression over other ops: by a name it is
 * the same graph, planned and run as that is. */
#include <candela/candela-plugin.h>

#define REAL (CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED | CANDELA_DTYPE_KIND_FLOAT)

static const CandelaInputInfo inputs[] = { { "x", REAL, .summary = "numbers" }, { NULL } };

static const CandelaParamInfo along_axis[] = {
  { "axis", CANDELA_PARAM_INT_LIST, .default_value = "-1",
    .summary = "the axis, or several, counted from the end if negative" },
  { NULL },
};

static const CandelaParamInfo over_axis[] = {
  { "axis", CANDELA_PARAM_INT_LIST, .summary = "the axis, or several; none: all of them" },
  { "keepdims", CANDELA_PARAM_BOOL, .default_value = "false", .summary = "keep these axes, with length 1" },
  { NULL },
};

static const CandelaParamInfo normalizing[] = {
  { "axis", CANDELA_PARAM_INT_LIST, .default_value = "-1",
    .summary = "the axis, or several, counted from the end if negative" },
  { "eps", CANDELA_PARAM_FLOAT, .default_value = "1e-5", .minimum = 0, .maximum = G_MAXDOUBLE,
    .summary = "is added to what the root is taken of" },
  { NULL },
};

static const CandelaOpInfo softmax = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "softmax",
  .summary = "Exponentials along an axis, divided by their sum; the largest element is subtracted first",
  .formula = "out[i] = exp(x[i]) / Σₖ exp(x[k]), i and k along axis",
  .example = "softmax([[1.0, 2.0, 3.0], [0.0, 0.0, 1000.0]])",
  .since = "1.0",
  .inputs = inputs,
  .params = along_axis,
  .expression = "e = exp(x - max(x, axis=axis, keepdims=true)); e / sum(e, axis=axis, keepdims=true)",
};

static const CandelaOpInfo log_softmax = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "log_softmax",
  .summary = "The logarithm of softmax",
  .formula = "out[i] = x[i] - ln Σₖ exp(x[k]), i and k along axis",
  .example = "log_softmax([1.0, 2.0, 3.0])",
  .since = "1.0",
  .inputs = inputs,
  .params = along_axis,
  .expression = "d = x - max(x, axis=axis, keepdims=true); d - log(sum(exp(d), axis=axis, keepdims=true))",
};

/* An infinite maximum would make NaN of itself. */
static const CandelaOpInfo logsumexp = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "logsumexp",
  .summary = "The logarithm of the sum of exponentials over axes; the largest element is subtracted first",
  .formula = "out[j] = ln Σᵢ exp(x[i, j])\n"
             "where i runs over the axes in axis, j over the others",
  .example = "logsumexp([[0.0, 0.0], [1000.0, 1000.0]], axis=1)",
  .since = "1.0",
  .inputs = inputs,
  .params = over_axis,
  .expression = "m = max(x, axis=axis, keepdims=true); m = where(isfinite(m), m, 0); "
                "log(sum(exp(x - m), axis=axis, keepdims=keepdims)) + sum(m, axis=axis, keepdims=keepdims)",
};

static const CandelaOpInfo layer_norm = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "layer_norm",
  .summary = "x minus its mean, divided by the root of its variance, along an axis",
  .formula = "out = (x - m) / √(v + eps), where m is the mean and v the variance of x along axis",
  .example = "layer_norm([[1.0, 2.0, 3.0], [-1.0, 0.0, 7.0]])",
  .since = "1.0",
  .inputs = inputs,
  .params = normalizing,
  .expression = "d = x - mean(x, axis=axis, keepdims=true); "
                "d / sqrt(mean(d * d, axis=axis, keepdims=true) + eps)",
};

static const CandelaOpInfo rms_norm = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "rms_norm",
  .summary = "x divided by the root of the mean of its squares, along an axis",
  .formula = "out[i] = x[i] / √(Σₖ x[k]² / n + eps), i and k along axis",
  .example = "rms_norm([[1.0, 2.0, 2.0]], eps=0)",
  .since = "1.0",
  .inputs = inputs,
  .params = normalizing,
  .expression = "x / sqrt(mean(x * x, axis=axis, keepdims=true) + eps)",
};

static const CandelaOpInfo silu = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "silu",
  .summary = "x times its sigmoid",
  .formula = "out = x / (1 + e⁻ˣ)",
  .example = "silu([-1.0, 0.0, 2.0])",
  .since = "1.0",
  .inputs = inputs,
  .expression = "x * sigmoid(x)",
};

static const CandelaInputInfo matrices[] = {
  { "x", .summary = "a matrix, or a stack of them: its last two axes" },
  { NULL },
};

static const CandelaParamInfo along_diagonal[] = {
  { "offset", CANDELA_PARAM_INT, .default_value = "0",
    .summary = "how far the diagonal is above the main one, or below it if that is negative" },
  { NULL },
};

static const CandelaOpInfo trace = {
  .struct_size = sizeof (CandelaOpInfo),
  .name = "trace",
  .summary = "The sum of a diagonal of a matrix",
  .formula = "out = Σᵢ x[…, i, i + offset]",
  .example = "x = [[1, 2], [3, 4]]; trace(x), trace(x, offset=1)",
  .since = "1.0",
  .inputs = matrices,
  .params = along_diagonal,
  .expression = "sum(diagonal(x, offset=offset), axis=-1)",
};

static const CandelaOpInfo *const ops[] = { &softmax,  &log_softmax, &logsumexp, &layer_norm,
                                            &rms_norm, &silu,        &trace,     NULL };

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, ops, error);
}

CANDELA_PLUGIN_DEFINE ("composed", CANDELA_VERSION_S, "LGPL-2.1-or-later", "Expressions over other ops, by a name",
                       register_ops)
