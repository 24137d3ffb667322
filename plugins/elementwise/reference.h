/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the reference says of each op: its formula, and an example. ELEMENTWISE_OP adds
 * them to the declaration. */
#pragma once

#define REFERENCE_add .formula = "out = x1 + x2", .example = "[[1, 2], [3, 4]] + [10, 20]"
#define REFERENCE_subtract .formula = "out = x1 - x2", .example = "[10, 20, 30] - [1, 2, 3]"
#define REFERENCE_multiply .formula = "out = x1 · x2", .example = "[1.5, 2.0, -3.0] * 2"
#define REFERENCE_divide .formula = "out = x1 / x2", .example = "[1, 2, -3] / 2"
#define REFERENCE_reciprocal .formula = "out = 1 / x", .example = "reciprocal([1.0, 2.0, 4.0])"
#define REFERENCE_negative .formula = "out = -x", .example = "negative([1, -2, 3])"
#define REFERENCE_abs                                                                                                  \
  .formula = "out = |x|; of complex x: √(re(x)² + im(x)²)", .example = "abs([-1.5, 2.0]), abs([3+4j, -2j])"
#define REFERENCE_sign                                                                                                 \
  .formula = "out = -1 where x < 0, 0 where x = 0, 1 where x > 0\n"                                                    \
             "of complex x: x / |x|",                                                                                  \
  .example = "sign([-2.5, 0.0, 7.0])"
#define REFERENCE_positive .formula = "out = x", .example = "positive([1, -2, 3])"
#define REFERENCE_real .formula = "out = a, where x = a + b·j", .example = "real([1+2j, 3-4j])"
#define REFERENCE_imag .formula = "out = b, where x = a + b·j", .example = "imag([1+2j, 3-4j])"
#define REFERENCE_conj .formula = "out = a - b·j, where x = a + b·j", .example = "conj([1+2j, 3-4j])"
#define REFERENCE_floor_divide .formula = "out = ⌊x1 / x2⌋", .example = "[7, -7, 8] // 2"
#define REFERENCE_remainder .formula = "out = x1 - x2 · ⌊x1 / x2⌋", .example = "[7, -7, 8] % 3"
#define REFERENCE_divmod                                                                                               \
  .formula = "quotient = ⌊x1 / x2⌋\n"                                                                              \
             "remainder = x1 - x2 · quotient",                                                                         \
  .example = "divmod([7, -7, 8], 3)"
#define REFERENCE_pow .formula = "out = x1^x2", .example = "2.0 ** [-1, 0, 3]"
#define REFERENCE_square .formula = "out = x²", .example = "square([1, -2, 3])"
#define REFERENCE_sqrt .formula = "out = √x", .example = "sqrt([0.0, 2.25, 9.0])"
#define REFERENCE_hypot .formula = "out = √(x1² + x2²)", .example = "hypot([3.0, 5.0], [4.0, 12.0])"
#define REFERENCE_maximum .formula = "out = x1 where x1 ≥ x2, else x2", .example = "maximum([1, 5, 3], [4, 2, 3])"
#define REFERENCE_minimum .formula = "out = x1 where x1 ≤ x2, else x2", .example = "minimum([1, 5, 3], [4, 2, 3])"
#define REFERENCE_clip                                                                                                 \
  .formula = "out = minimum(maximum(x, min), max)", .example = "x = [-2.0, 0.5, 7.0]; clip(x, -1, 1), clip(x, min=0)"
#define REFERENCE_less .formula = "out = x1 < x2", .example = "[1, 2, 3] < 2"
#define REFERENCE_less_equal .formula = "out = x1 ≤ x2", .example = "[1, 2, 3] <= 2"
#define REFERENCE_greater .formula = "out = x1 > x2", .example = "[1, 2, 3] > 2"
#define REFERENCE_greater_equal .formula = "out = x1 ≥ x2", .example = "[1, 2, 3] >= 2"
#define REFERENCE_equal .formula = "out = (x1 = x2)", .example = "[1, 2, 3] == 2"
#define REFERENCE_not_equal .formula = "out = x1 ≠ x2", .example = "[1, 2, 3] != 2"
#define REFERENCE_logical_and                                                                                          \
  .formula = "out = x1 ∧ x2", .example = "logical_and([true, true, false], [true, false, false])"
#define REFERENCE_logical_or                                                                                           \
  .formula = "out = x1 ∨ x2", .example = "logical_or([true, true, false], [true, false, false])"
#define REFERENCE_logical_xor                                                                                          \
  .formula = "out = x1 ⊕ x2", .example = "logical_xor([true, true, false], [true, false, false])"
#define REFERENCE_logical_not .formula = "out = ¬x", .example = "logical_not([true, false])"
#define REFERENCE_bitwise_and .formula = "out = x1 ∧ x2, bit by bit", .example = "[12, 10] & 6"
#define REFERENCE_bitwise_or .formula = "out = x1 ∨ x2, bit by bit", .example = "[12, 8] | 3"
#define REFERENCE_bitwise_xor .formula = "out = x1 ⊕ x2, bit by bit", .example = "[12, 10] ^ 6"
#define REFERENCE_bitwise_invert                                                                                       \
  .formula = "out = ¬x, bit by bit; of signed integers: -x - 1", .example = "bitwise_invert([0, 1, -8])"
#define REFERENCE_bitwise_left_shift                                                                                   \
  .formula = "out = x1 · 2^x2, without the bits that leave at the top", .example = "[1, 2, 3] << 4"
#define REFERENCE_bitwise_right_shift .formula = "out = ⌊x1 / 2^x2⌋", .example = "[16, 17, -17] >> 2"
#define REFERENCE_ceil .formula = "out = ⌈x⌉", .example = "ceil([-1.5, 0.2, 2.0])"
#define REFERENCE_floor .formula = "out = ⌊x⌋", .example = "floor([-1.5, 0.2, 2.0])"
#define REFERENCE_trunc .formula = "out = sign(x) · ⌊|x|⌋", .example = "trunc([-1.5, 0.2, 2.0])"
#define REFERENCE_round                                                                                                \
  .formula = "out = the whole n with |x - n| ≤ ½; of two, the even one", .example = "round([0.5, 1.5, 2.4, -2.6])"
#define REFERENCE_exp .formula = "out = eˣ", .example = "exp([0.0, 1.0, -1.0])"
#define REFERENCE_expm1 .formula = "out = eˣ - 1", .example = "expm1([0.0, 1e-10, 1.0])"
#define REFERENCE_log .formula = "out = ln x", .example = "log([1.0, 2.0, 10.0])"
#define REFERENCE_log1p .formula = "out = ln(1 + x)", .example = "log1p([0.0, 1e-10, 1.0])"
#define REFERENCE_log2 .formula = "out = log₂ x", .example = "log2([1.0, 8.0, 10.0])"
#define REFERENCE_log10 .formula = "out = log₁₀ x", .example = "log10([1.0, 1000.0, 2.0])"
#define REFERENCE_sin .formula = "out = sin x", .example = "sin([0.0, 0.5, 1.0])"
#define REFERENCE_cos .formula = "out = cos x", .example = "cos([0.0, 0.5, 1.0])"
#define REFERENCE_tan .formula = "out = sin x / cos x", .example = "tan([0.0, 0.5, 1.0])"
#define REFERENCE_asin .formula = "out = y with sin y = x, -π/2 ≤ y ≤ π/2", .example = "asin([0.0, 0.5, 1.0])"
#define REFERENCE_acos .formula = "out = y with cos y = x, 0 ≤ y ≤ π", .example = "acos([1.0, 0.5, -1.0])"
#define REFERENCE_atan .formula = "out = y with tan y = x, -π/2 ≤ y ≤ π/2", .example = "atan([0.0, 1.0, -2.0])"
#define REFERENCE_sinh .formula = "out = (eˣ - e⁻ˣ) / 2", .example = "sinh([0.0, 1.0, -1.0])"
#define REFERENCE_cosh .formula = "out = (eˣ + e⁻ˣ) / 2", .example = "cosh([0.0, 1.0, -1.0])"
#define REFERENCE_tanh .formula = "out = (eˣ - e⁻ˣ) / (eˣ + e⁻ˣ)", .example = "tanh([0.0, 1.0, -20.0])"
#define REFERENCE_asinh .formula = "out = ln(x + √(x² + 1))", .example = "asinh([0.0, 1.0, -1.0])"
#define REFERENCE_acosh .formula = "out = ln(x + √(x² - 1))", .example = "acosh([1.0, 2.0, 10.0])"
#define REFERENCE_atanh .formula = "out = ½ · ln((1 + x) / (1 - x))", .example = "atanh([0.0, 0.5, -0.5])"
#define REFERENCE_atan2                                                                                                \
  .formula = "out = y with x1 = r · sin y, x2 = r · cos y, r = √(x1² + x2²), -π ≤ y ≤ π",                              \
  .example = "atan2([1.0, 1.0, -1.0], [1.0, -1.0, 0.0])"
#define REFERENCE_logaddexp                                                                                            \
  .formula = "out = ln(exp(x1) + exp(x2))", .example = "logaddexp([0.0, 1000.0], [0.0, 1000.0])"
#define REFERENCE_isfinite .formula = "out = |x| < ∞", .example = "isfinite([1.0, -1.0, 0.0] / [2.0, 0.0, 0.0])"
#define REFERENCE_isinf .formula = "out = (|x| = ∞)", .example = "isinf([1.0, -1.0, 0.0] / [2.0, 0.0, 0.0])"
#define REFERENCE_isnan .formula = "out = x ≠ x", .example = "isnan([1.0, -1.0, 0.0] / [2.0, 0.0, 0.0])"
#define REFERENCE_signbit .formula = "out = x < 0, or x is -0.0", .example = "signbit([-2.0, -0.0, 0.0, 3.0])"
#define REFERENCE_copysign                                                                                             \
  .formula = "out = -|x1| where signbit(x2), else |x1|", .example = "copysign([1.0, 2.0, -3.0], [-0.5, 3.0, 1.0])"
#define REFERENCE_nextafter                                                                                            \
  .formula = "out = the float after x1 on the way to x2", .example = "nextafter([1.0, 1.0], [2.0, 0.0]) - 1.0"
#define REFERENCE_relu .formula = "out = 0 where x < 0, else x", .example = "relu([-1.0, 0.5, 2.0])"
#define REFERENCE_sigmoid .formula = "out = 1 / (1 + e⁻ˣ)", .example = "sigmoid([-2.0, 0.0, 2.0])"
#define REFERENCE_softplus .formula = "out = ln(1 + eˣ)", .example = "softplus([-1.0, 0.0, 100.0])"
#define REFERENCE_gelu                                                                                                 \
  .formula = "out = x · Φ(x), Φ(x) = ½ · (1 + erf(x / √2))\n"                                                   \
             "approximate=\"tanh\": Φ(x) = ½ · (1 + tanh(√(2 / π) · (x + 0.044715 · x³)))",                            \
  .example = "x = [-1.0, 0.0, 1.0]; gelu(x), gelu(x, approximate=\"tanh\")"
#define REFERENCE_where                                                                                                \
  .formula = "out = x1 where condition is true, else x2", .example = "x = [-2.0, 3.0, -4.0]; where(x < 0, 0, x)"
#define REFERENCE_astype                                                                                               \
  .formula = "out = x in dtype; of floats to integers, without the digits after the point",                            \
  .example = "astype([1.7, -1.7, 300.0], int16), astype([0, 1, 2], bool)"
