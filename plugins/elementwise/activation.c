/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The functions between the layers of a network. Each is written so that no
 * intermediate overflows: where exp appears, its argument is never positive. */
#include "elementwise.h"

/* NaN is not below zero: it stays. */
#define RELU(T, W, a) (a < 0 ? (T) 0 : a)
#define SAME(T, W, a) (a)

ELEMENTWISE_BOOL (ELEMENTWISE_UNARY, relu, SAME)
ELEMENTWISE_UNSIGNED (ELEMENTWISE_UNARY, relu, SAME)
ELEMENTWISE_SIGNED (ELEMENTWISE_UNARY, relu, RELU)
ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY, relu, RELU)

ELEMENTWISE_TABLE (relu, ELEMENTWISE_ALL (ELEMENTWISE_UNARY_ROW, relu, RELU))

ELEMENTWISE_OP (relu, elementwise_x, "x, or 0 where x is negative")

/* gelu: x times the normal distribution's cumulative function, which is
 * erfc (-x / sqrt 2) / 2, that being exact where 1 + erf (x / sqrt 2) cancels; or its
 * approximation by tanh (Hendrycks and Gimpel, arXiv:1606.08415). Minus infinity
 * times zero is apart: the limit is zero. */
#define ACTIVATION_FUNCTIONS(T, EXP, LOG1P, FABS, ERFC, TANH)                                                          \
  static inline T sigmoid_##T (T a)                                                                                    \
  {                                                                                                                    \
    const T e = EXP (-FABS (a));                                                                                       \
                                                                                                                       \
    return (a < 0 ? e : (T) 1) / ((T) 1 + e);                                                                          \
  }                                                                                                                    \
                                                                                                                       \
  static inline T softplus_##T (T a)                                                                                   \
  {                                                                                                                    \
    return LOG1P (EXP (-FABS (a))) + (a > 0 ? a : (T) 0);                                                              \
  }                                                                                                                    \
                                                                                                                       \
  static inline T gelu_##T (T a)                                                                                       \
  {                                                                                                                    \
    return a == -(T) INFINITY ? -(T) 0 : (T) 0.5 * a * ERFC (a * (T) -0.70710678118654752440);                         \
  }                                                                                                                    \
                                                                                                                       \
  static inline T gelu_tanh_##T (T a)                                                                                  \
  {                                                                                                                    \
    const T inner = (T) 0.79788456080286535588 * (a + (T) 0.044715 * a * a * a);                                       \
                                                                                                                       \
    return a == -(T) INFINITY ? -(T) 0 : (T) 0.5 * a * ((T) 1 + TANH (inner));                                         \
  }

ACTIVATION_FUNCTIONS (float, expf, log1pf, fabsf, erfcf, tanhf)
ACTIVATION_FUNCTIONS (double, exp, log1p, fabs, erfc, tanh)

#define SIGMOID(T, W, a) sigmoid_##T (a)
#define SOFTPLUS(T, W, a) softplus_##T (a)

ELEMENTWISE_FLOAT_UNARY (sigmoid, SIGMOID, "1 / (1 + exp(-x))")
ELEMENTWISE_FLOAT_UNARY (softplus, SOFTPLUS, "The logarithm of 1 + exp(x)")

enum {
  GELU_APPROXIMATE
};

static const char *const gelu_choices[] = { "none", "tanh", NULL };

static const CandelaParamInfo gelu_params[] = {
  { "approximate", CANDELA_PARAM_STRING, .default_value = "\"none\"", .choices = gelu_choices,
    .summary = "\"none\" for the exact function, \"tanh\" for the approximation by tanh" },
  { NULL },
};

#define GELU_LOOP(op, DT, T, W, E)                                                                                     \
  static void op##_##DT (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)           \
  {                                                                                                                    \
    const T *x = in[0];                                                                                                \
    T *y = out[0];                                                                                                     \
                                                                                                                       \
    if (g_str_equal (candela_params_get_string (params, GELU_APPROXIMATE), "tanh"))                                    \
      for (gsize k = 0; k < n; k++)                                                                                    \
        y[k] = gelu_tanh_##T (x[k]);                                                                                   \
    else                                                                                                               \
      for (gsize k = 0; k < n; k++)                                                                                    \
        y[k] = gelu_##T (x[k]);                                                                                        \
  }

ELEMENTWISE_FLOATS (GELU_LOOP, gelu, )

ELEMENTWISE_TABLE (gelu, ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY_ROW, gelu, ))

ELEMENTWISE_OP (gelu, elementwise_x, "x times the probability that a standard normal number is below x",
                .params = gelu_params, .infer = elementwise_infer_floating)

const CandelaOpInfo *const ELEMENTWISE_OPS (activation)[] = {
  &relu_info, &sigmoid_info, &softplus_info, &gelu_info, NULL,
};
