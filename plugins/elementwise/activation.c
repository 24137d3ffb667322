/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The functions between the layers of a network. Each is written so that no
 * intermediate overflows: where exp appears, its argument is never positive. */
#include "stage.h"
#include "vector.h"

/* gelu: x times the normal distribution's cumulative function, which is
 * erfc (z) / 2 for z = -x / sqrt 2, that being exact where 1 - erf (z) cancels; or its
 * approximation by tanh (Hendrycks and Gimpel, arXiv:1606.08415), with which it is
 * x sigmoid (2 y), since (1 + tanh (y)) / 2 is sigmoid (2 y). Minus infinity times zero
 * is apart: the limit is zero.
 *
 * For large z the rounding of z alone would take erfc off by z * z units in the last
 * place. What z lacks, d, is put back: erfc (z + d) = erfc (z) * (1 - d * g (z)) to
 * first order, and z + sqrt (z * z + 4 / pi) is near enough to g (it is a bound of
 * Mills' ratio; Abramowitz and Stegun 7.1.13). Beyond -40 all of it is zero. */
#define MINUS_SQRT_HALF_float -0x1.6a09e6p-1f
#define MINUS_SQRT_HALF_double -0x1.6a09e667f3bcdp-1
/* The rest of the constant, which its rounding leaves. */
#define MINUS_SQRT_HALF_REST_float -0x1.9fcef4p-27f
#define MINUS_SQRT_HALF_REST_double 0x1.bdd3413b26456p-55
#define FOUR_BY_PI 1.27323954473516268615
#ifdef ELEMENTWISE_VECTORS
#define ACTIVATION_FUNCTIONS(T)                                                                                        \
  static inline VECTOR (T) softplus_##T (VECTOR (T) a)                                                                 \
  {                                                                                                                    \
    const VECTOR (T) more = V_log1p (T, V_exp (T, -VECTOR_ABS (T, a)));                                                \
                                                                                                                       \
    return more + (VECTOR (T)) ((a > 0) & (MASK (T)) a);                                                               \
  }                                                                                                                    \
                                                                                                                       \
  static inline VECTOR (T) gelu_tanh_##T (VECTOR (T) a)                                                                \
  {                                                                                                                    \
    const VECTOR (T) inner = (T) -1.59576912160573071176 * (a + (T) 0.044715 * a * a * a);                             \
    const VECTOR (T) result = a / ((T) 1 + V_exp (T, inner));                                                          \
                                                                                                                       \
    return VECTOR_SELECT (T, a == -(T) INFINITY, VECTOR_ONES_##T * -(T) 0, result);                                    \
  }

ACTIVATION_FUNCTIONS (float)
ACTIVATION_FUNCTIONS (double)

#define sigmoid_float float32_sigmoid
#define gelu_float float32_gelu

static inline VECTOR (double) sigmoid_double (VECTOR (double) a)
{
  const VECTOR (double) e = V_exp (double, -VECTOR_ABS (double, a));

  return VECTOR_SELECT (double, a < 0, e, VECTOR_ONES_double) / (1 + e);
}

static inline VECTOR (double) gelu_double (VECTOR (double) a)
{
  const VECTOR (double) ones = VECTOR_ONES_double, z = a * MINUS_SQRT_HALF_double;
  const VECTOR (double) d = VECTOR_FMA_double (a, ones * MINUS_SQRT_HALF_double, -z) + a * MINUS_SQRT_HALF_REST_double;
  const VECTOR (double) g = z + VECTOR_SQRT_double (z * z + FOUR_BY_PI);
  const MASK (double) mended = (a < 0) & (a > -40);
  const VECTOR (double) tail = V_erfc (double, z);
  const VECTOR (double) result = 0.5 * a * (tail - (VECTOR (double)) (mended & (MASK (double)) (tail * (d * g))));

  return VECTOR_SELECT (double, a == -INFINITY, ones * -0.0, result);
}

#define ACTIVATION_LOOP(op, DT, T, W, E) VECTOR_LOOP_1 (op, DT, T, E)
#define SIGMOID(T, a) sigmoid_##T (a)
#define SOFTPLUS(T, a) softplus_##T (a)
#define GELU(T, a) gelu_##T (a)
#define GELU_TANH(T, a) gelu_tanh_##T (a)
#else
#define ACTIVATION_FUNCTIONS(T, EXP, LOG1P, FABS, ERFC, FMA, SQRT)                                                     \
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
    const T z = a * MINUS_SQRT_HALF_##T;                                                                               \
    T tail = ERFC (z);                                                                                                 \
                                                                                                                       \
    if (a == -(T) INFINITY)                                                                                            \
      return -(T) 0;                                                                                                   \
    if (a < 0 && a > -40)                                                                                              \
      {                                                                                                                \
        const T d = FMA (a, MINUS_SQRT_HALF_##T, -z) + a * MINUS_SQRT_HALF_REST_##T;                                   \
                                                                                                                       \
        tail -= tail * (d * (z + SQRT (z * z + (T) FOUR_BY_PI)));                                                      \
      }                                                                                                                \
    return (T) 0.5 * a * tail;                                                                                         \
  }                                                                                                                    \
                                                                                                                       \
  static inline T gelu_tanh_##T (T a)                                                                                  \
  {                                                                                                                    \
    const T inner = (T) -1.59576912160573071176 * (a + (T) 0.044715 * a * a * a);                                      \
                                                                                                                       \
    return a == -(T) INFINITY ? -(T) 0 : a / ((T) 1 + EXP (inner));                                                    \
  }

ACTIVATION_FUNCTIONS (float, expf, log1pf, fabsf, erfcf, fmaf, sqrtf)
ACTIVATION_FUNCTIONS (double, exp, log1p, fabs, erfc, fma, sqrt)

#define ACTIVATION_LOOP ELEMENTWISE_UNARY
#define SIGMOID(T, W, a) sigmoid_##T (a)
#define SOFTPLUS(T, W, a) softplus_##T (a)
#define GELU(T, W, a) gelu_##T (a)
#define GELU_TANH(T, W, a) gelu_tanh_##T (a)
#endif

#define ACTIVATION(op, E, op_summary, ...)                                                                             \
  ELEMENTWISE_FLOATS (ACTIVATION_LOOP, op, E)                                                                          \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY_ROW, op, E))                                            \
  ELEMENTWISE_OP (op, elementwise_x, op_summary, .infer = elementwise_infer_floating, __VA_ARGS__)

#define SIGMOID_SUMMARY "1 / (1 + exp(-x))"
#ifdef ELEMENTWISE_VECTORS
/* Of float32 a stage too. */
#define STAGE_SIGMOID(T, W, a) float32_sigmoid ((VECTOR (float)) (a))
ELEMENTWISE_FLOATS (ACTIVATION_LOOP, sigmoid, SIGMOID)
ELEMENTWISE_FLOAT32 (STAGE_UNARY, sigmoid, STAGE_SIGMOID)
ELEMENTWISE_TABLE (sigmoid, ELEMENTWISE_FLOAT32 (STAGE_UNARY_ROW, sigmoid, )
                              ELEMENTWISE_FLOAT64 (ELEMENTWISE_UNARY_ROW, sigmoid, ))
ELEMENTWISE_OP (sigmoid, elementwise_x, SIGMOID_SUMMARY, .infer = elementwise_infer_floating,
                .gradients = { "grad * out * (1 - out)" })
#else
ACTIVATION (sigmoid, SIGMOID, SIGMOID_SUMMARY, .gradients = { "grad * out * (1 - out)" })
#endif
ACTIVATION (softplus, SOFTPLUS, "The logarithm of 1 + exp(x)", .gradients = { "grad * sigmoid(x)" })

enum {
  GELU_APPROXIMATE
};

static const char *const gelu_choices[] = { "none", "tanh", NULL };

static const CandelaParamInfo gelu_params[] = {
  { "approximate", CANDELA_PARAM_STRING, .default_value = "\"none\"", .choices = gelu_choices,
    .summary = "\"none\" for the exact function, \"tanh\" for the approximation by tanh" },
  { NULL },
};

ELEMENTWISE_FLOATS (ACTIVATION_LOOP, gelu_exact, GELU)
ELEMENTWISE_FLOATS (ACTIVATION_LOOP, gelu_by_tanh, GELU_TANH)

#define GELU_LOOP(op, DT, T, W, E)                                                                                     \
  static void op##_##DT (gpointer const *out, gconstpointer const *in, gsize n, const CandelaParams *params)           \
  {                                                                                                                    \
    if (g_str_equal (candela_params_get_string (params, GELU_APPROXIMATE), "tanh"))                                    \
      gelu_by_tanh_##DT (out, in, n, params);                                                                          \
    else                                                                                                               \
      gelu_exact_##DT (out, in, n, params);                                                                            \
  }

ELEMENTWISE_FLOATS (GELU_LOOP, gelu, )

ELEMENTWISE_TABLE (gelu, ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY_ROW, gelu, ))

ELEMENTWISE_OP (gelu, elementwise_x, "x times the probability that a standard normal number is below x",
                .params = gelu_params, .infer = elementwise_infer_floating)

const CandelaOpInfo *const ELEMENTWISE_OPS (activation)[] = {
  &sigmoid_info,
  &softplus_info,
  &gelu_info,
  NULL,
};
