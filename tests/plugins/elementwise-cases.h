/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the element-wise ops give. The values come from outside: what the array API
 * standard says of special values, NumPy's results, and for the activations sums of
 * series in several hundred decimal digits. Arithmetic must be equal bit for bit
 * (NaN is NaN); what the C library computes may be off by a few units in the last
 * place, which the last column says. */
#pragma once

#include <glib.h>

typedef struct
{
  const char *op;
  const char *dtype1, *x1;
  const char *dtype2, *x2; /* NULL: one input */
  const char *result_dtype, *result;
  guint ulp;
} Case;

static const Case cases[] = {
  /* Arithmetic: wraps modulo 2^n, and is IEEE 754 of floats. */
  { "add", "int8", "127 -128 100", "int8", "1 -1 100", "int8", "-128 127 -56", 0 },
  { "add", "uint16", "65535 1", "uint16", "1 2", "uint16", "0 3", 0 },
  { "add", "int64", "9223372036854775807", "int64", "1", "int64", "-9223372036854775808", 0 },
  { "add", "bool", "0 0 1 1", "bool", "0 1 0 1", "bool", "0 1 1 1", 0 },
  { "add", "float64", "0.1 -0 inf inf 1e308", "float64", "0.2 -0 -inf 1 1e308", "float64",
    "0.30000000000000004 -0 nan inf inf", 0 },
  { "add", "float32", "0.1 16777216 nan", "float32", "0.2 1 1", "float32", "0.3 16777216 nan", 0 },
  { "subtract", "uint8", "0 5", "uint8", "1 7", "uint8", "255 254", 0 },
  { "subtract", "int32", "-2147483648 3", "int32", "1 5", "int32", "2147483647 -2", 0 },
  { "subtract", "float64", "0 inf 1", "float64", "0 inf 0.9", "float64", "0 nan 0.09999999999999998", 0 },
  { "multiply", "int16", "300 -32768", "int16", "300 -1", "int16", "24464 -32768", 0 },
  { "multiply", "uint16", "65535 256", "uint16", "65535 256", "uint16", "1 0", 0 },
  { "multiply", "bool", "0 0 1 1", "bool", "0 1 0 1", "bool", "0 0 0 1", 0 },
  { "multiply", "float32", "0.1 inf -0", "float32", "3 0 5", "float32", "0.3 nan -0", 0 },
  { "divide", "float64", "1 -1 0 inf 1", "float64", "0 0 0 inf 3", "float64", "inf -inf nan nan 0.3333333333333333",
    0 },
  { "divide", "int32", "7 -7 0 1", "int32", "2 2 0 0", "float64", "3.5 -3.5 nan inf", 0 },
  { "divide", "bool", "1 1", "bool", "1 0", "float64", "1 inf", 0 },
  { "reciprocal", "float32", "4 -0 inf 3", NULL, NULL, "float32", "0.25 -inf 0 0.33333334", 0 },
  { "reciprocal", "int8", "4 -2", NULL, NULL, "float64", "0.25 -0.5", 0 },
  { "negative", "int8", "-128 5 0", NULL, NULL, "int8", "-128 -5 0", 0 },
  { "negative", "uint8", "1 0", NULL, NULL, "uint8", "255 0", 0 },
  { "negative", "float64", "0 -0 inf nan", NULL, NULL, "float64", "-0 0 -inf nan", 0 },
  { "positive", "float32", "-0 5", NULL, NULL, "float32", "-0 5", 0 },
  { "abs", "int8", "-128 -5 7", NULL, NULL, "int8", "-128 5 7", 0 },
  { "abs", "float64", "-0 -inf nan -2.5", NULL, NULL, "float64", "0 inf nan 2.5", 0 },
  { "abs", "bool", "0 1", NULL, NULL, "bool", "0 1", 0 },
  { "sign", "float64", "-3 -0 0 2 nan -inf", NULL, NULL, "float64", "-1 0 0 1 nan -1", 0 },
  { "sign", "int16", "-9 0 4", NULL, NULL, "int16", "-1 0 1", 0 },
  { "sign", "uint8", "0 200", NULL, NULL, "uint8", "0 1", 0 },
  { "real", "float32", "1 -2", NULL, NULL, "float32", "1 -2", 0 },
  { "conj", "int8", "1 -2", NULL, NULL, "int8", "1 -2", 0 },
  { "imag", "float64", "1 -2 nan", NULL, NULL, "float64", "0 0 0", 0 },

  /* Division that rounds down, and what it leaves. */
  { "floor_divide", "int32", "-2147483648 7 -7 7 -7 5 0", "int32", "-1 0 2 -2 -2 -2147483648 5", "int32",
    "-2147483648 0 -4 -4 3 -1 0", 0 },
  { "remainder", "int32", "-2147483648 7 -7 7 -7 5 0", "int32", "-1 0 2 -2 -2 -2147483648 5", "int32",
    "0 0 1 -1 -1 -2147483643 0", 0 },
  { "floor_divide", "uint8", "200 7 5", "uint8", "7 0 255", "uint8", "28 0 0", 0 },
  { "remainder", "uint8", "200 7 5", "uint8", "7 0 255", "uint8", "4 0 5", 0 },
  { "floor_divide", "float64", "7 -7 7 -7 1 -1 1 -1 0 -0 -4 5 -5 inf nan 0.3", "float64",
    "2 2 -2 -2 inf inf -inf -inf 5 5 2 0 0 2 2 0.1", "float64", "3 -4 -4 3 0 -0 -0 0 0 -0 -2 inf -inf inf nan 2", 0 },
  { "remainder", "float64", "7 -7 7 -7 1 -1 1 -1 0 -0 -4 5 -5 inf nan 0.3", "float64",
    "2 2 -2 -2 inf inf -inf -inf 5 5 2 0 0 2 2 0.1", "float64",
    "1 1 -1 -1 1 inf -inf -1 0 0 0 nan nan nan nan 0.09999999999999998", 0 },
  { "floor_divide", "float32", "7 -7 7 -7 1 -1 1 -1 0 -0 -4 5 -5 inf nan 0.3", "float32",
    "2 2 -2 -2 inf inf -inf -inf 5 5 2 0 0 2 2 0.1", "float32", "3 -4 -4 3 0 -0 -0 0 0 -0 -2 inf -inf inf nan 3", 0 },
  { "remainder", "float32", "7 -7 7 -7 1 -1 1 -1 0 -0 -4 5 -5 inf nan 0.3", "float32",
    "2 2 -2 -2 inf inf -inf -inf 5 5 2 0 0 2 2 0.1", "float32",
    "1 1 -1 -1 1 inf -inf -1 0 0 0 nan nan nan nan 7.450581e-09", 0 },
  { "floor_divide", "bool", "1 1", "bool", "1 0", "int8", "1 0", 0 },

  /* Powers. */
  { "pow", "int32", "3 -2 0 7 2", "int32", "4 31 0 0 32", "int32", "81 -2147483648 1 1 0", 0 },
  { "pow", "uint8", "3 2 255", "uint8", "5 8 2", "uint8", "243 0 1", 0 },
  { "pow", "int64", "2 1 -1 -1 0", "int64", "-1 -5 -3 -4 -1", "int64", "0 1 -1 1 0", 0 },
  { "pow", "float64", "2 nan 1 0 -0 -0 0 -8 inf -inf -1 0.5", "float64", "0.5 0 nan -1 -1 -2 3 0.333 -1 3 inf -inf",
    "float64", "1.4142135623730951 1 1 inf -inf inf 0 nan 0 -inf 1 inf", 1 },
  /* Squares and square roots, alone and among others: rounded correctly. */
  { "pow", "float64", "1.1 -3 -0 inf -inf nan 1e200", "float64", "2", "float64",
    "1.2100000000000002 9 0 inf inf nan inf", 0 },
  { "pow", "float64", "2 9 -0 0 inf -inf -4 nan", "float64", "0.5", "float64",
    "1.4142135623730951 3 0 0 inf inf nan nan", 0 },
  { "pow", "float64", "1.1 2 -3 5", "float64", "2 0.5 2 1", "float64", "1.2100000000000002 1.4142135623730951 9 5", 0 },
  { "pow", "float32", "2 10 -2", "float32", "0.5 -2 3", "float32", "1.4142135 0.01 -8", 1 },
  { "square", "int8", "12 -5", NULL, NULL, "int8", "-112 25", 0 },
  { "square", "float64", "-1.5 inf", NULL, NULL, "float64", "2.25 inf", 0 },
  { "sqrt", "float64", "4 2 -0 -1 inf", NULL, NULL, "float64", "2 1.4142135623730951 -0 nan inf", 0 },
  { "sqrt", "int32", "9 2", NULL, NULL, "float64", "3 1.4142135623730951", 0 },
  { "hypot", "float64", "3 inf nan 1e300", "float64", "4 nan inf 1e300", "float64", "5 inf inf 1.4142135623730952e+300",
    1 },

  /* Order: NaN wins. */
  { "maximum", "float64", "1 nan 1 -inf", "float64", "2 1 nan inf", "float64", "2 nan nan inf", 0 },
  { "minimum", "float32", "1 nan 1 -inf", "float32", "2 1 nan inf", "float32", "1 nan nan -inf", 0 },
  { "maximum", "int8", "-1 5", "int8", "1 -5", "int8", "1 5", 0 },
  { "maximum", "bool", "0 0 1", "bool", "0 1 0", "bool", "0 1 1", 0 },

  /* Comparisons. */
  { "less", "float64", "1 1 2 nan nan inf -0", "float64", "1 2 1 nan 1 inf 0", "bool", "0 1 0 0 0 0 0", 0 },
  { "less_equal", "float64", "1 1 2 nan nan inf -0", "float64", "1 2 1 nan 1 inf 0", "bool", "1 1 0 0 0 1 1", 0 },
  { "greater", "float64", "1 1 2 nan nan inf -0", "float64", "1 2 1 nan 1 inf 0", "bool", "0 0 1 0 0 0 0", 0 },
  { "greater_equal", "float64", "1 1 2 nan nan inf -0", "float64", "1 2 1 nan 1 inf 0", "bool", "1 0 1 0 0 1 1", 0 },
  { "equal", "float64", "1 1 2 nan nan inf -0", "float64", "1 2 1 nan 1 inf 0", "bool", "1 0 0 0 0 1 1", 0 },
  { "not_equal", "float64", "1 1 2 nan nan inf -0", "float64", "1 2 1 nan 1 inf 0", "bool", "0 1 1 1 1 0 0", 0 },
  { "less", "bool", "0 0 1 1", "bool", "0 1 0 1", "bool", "0 1 0 0", 0 },
  { "greater", "int8", "-1 127", "int8", "1 -128", "bool", "0 1", 0 },
  { "less", "uint8", "255 0", "uint8", "0 255", "bool", "0 1", 0 },
  { "equal", "int8", "-1", "uint8", "255", "bool", "0", 0 },

  /* Truth of any dtype. */
  { "logical_and", "float64", "0 -0 nan 0.5", "float64", "1 0 nan 0", "bool", "0 0 1 0", 0 },
  { "logical_or", "float64", "0 -0 nan 0.5", "float64", "1 0 nan 0", "bool", "1 0 1 1", 0 },
  { "logical_xor", "float64", "0 -0 nan 0.5", "float64", "1 0 nan 0", "bool", "1 0 0 1", 0 },
  { "logical_and", "int16", "0 256", "int16", "3 256", "bool", "0 1", 0 },
  { "logical_not", "float32", "0 -0 nan 0.5", NULL, NULL, "bool", "1 1 0 0", 0 },
  { "logical_not", "bool", "0 1", NULL, NULL, "bool", "1 0", 0 },

  /* Bits; a count out of range leaves none. */
  { "bitwise_and", "uint8", "12 255", "uint8", "10 15", "uint8", "8 15", 0 },
  { "bitwise_or", "uint8", "12 255", "uint8", "10 15", "uint8", "14 255", 0 },
  { "bitwise_xor", "uint8", "12 255", "uint8", "10 15", "uint8", "6 240", 0 },
  { "bitwise_and", "bool", "0 0 1 1", "bool", "0 1 0 1", "bool", "0 0 0 1", 0 },
  { "bitwise_or", "bool", "0 0 1 1", "bool", "0 1 0 1", "bool", "0 1 1 1", 0 },
  { "bitwise_xor", "bool", "0 0 1 1", "bool", "0 1 0 1", "bool", "0 1 1 0", 0 },
  { "bitwise_and", "int64", "-1 12", "int64", "5 -4", "int64", "5 12", 0 },
  { "bitwise_invert", "int8", "0 -1 5", NULL, NULL, "int8", "-1 0 -6", 0 },
  { "bitwise_invert", "uint8", "0 255", NULL, NULL, "uint8", "255 0", 0 },
  { "bitwise_invert", "bool", "0 1", NULL, NULL, "bool", "1 0", 0 },
  { "bitwise_left_shift", "int8", "1 1 1 -1 64", "int8", "7 8 -1 1 2", "int8", "-128 0 0 -2 0", 0 },
  { "bitwise_left_shift", "uint32", "1 1 3", "uint32", "31 32 31", "uint32", "2147483648 0 2147483648", 0 },
  { "bitwise_right_shift", "int8", "-128 -128 -1 5 5", "int8", "7 8 -1 1 9", "int8", "-1 -1 -1 2 0", 0 },
  { "bitwise_right_shift", "uint16", "65535 65535", "uint16", "15 16", "uint16", "1 0", 0 },

  /* Whole numbers: ties go to the even one. */
  { "round", "float64", "0.5 1.5 2.5 -0.5 -1.5 -0.2 1e300 inf nan", NULL, NULL, "float64",
    "0 2 2 -0 -2 -0 1e+300 inf nan", 0 },
  { "floor", "float64", "0.5 1.5 2.5 -0.5 -1.5 -0.2 1e300 inf nan", NULL, NULL, "float64",
    "0 1 2 -1 -2 -1 1e+300 inf nan", 0 },
  { "ceil", "float64", "0.5 1.5 2.5 -0.5 -1.5 -0.2 1e300 inf nan", NULL, NULL, "float64",
    "1 2 3 -0 -1 -0 1e+300 inf nan", 0 },
  { "trunc", "float64", "0.5 1.5 2.5 -0.5 -1.5 -0.2 1e300 inf nan", NULL, NULL, "float64",
    "0 1 2 -0 -1 -0 1e+300 inf nan", 0 },
  { "round", "float32", "0.5 1.5 16777217", NULL, NULL, "float32", "0 2 16777216", 0 },
  { "floor", "int8", "-3 4", NULL, NULL, "int8", "-3 4", 0 },
  { "ceil", "bool", "0 1", NULL, NULL, "bool", "0 1", 0 },

  /* What floats are made of. */
  { "isfinite", "float64", "0 -0 1 -1 inf -inf nan", NULL, NULL, "bool", "1 1 1 1 0 0 0", 0 },
  { "isinf", "float64", "0 -0 1 -1 inf -inf nan", NULL, NULL, "bool", "0 0 0 0 1 1 0", 0 },
  { "isnan", "float64", "0 -0 1 -1 inf -inf nan", NULL, NULL, "bool", "0 0 0 0 0 0 1", 0 },
  { "signbit", "float64", "0 -0 1 -1 inf -inf nan", NULL, NULL, "bool", "0 1 0 1 0 1 0", 0 },
  { "isfinite", "int32", "0 5", NULL, NULL, "bool", "1 1", 0 },
  { "isnan", "bool", "0 1", NULL, NULL, "bool", "0 0", 0 },
  { "signbit", "float32", "-0 0 -3", NULL, NULL, "bool", "1 0 1", 0 },
  { "copysign", "float64", "1 -1 nan 3", "float64", "-0 0 -1 -inf", "float64", "-1 1 nan -3", 0 },
  { "nextafter", "float32", "1 0 1", "float32", "2 1 1", "float32", "1.0000001 1e-45 1", 0 },
  { "nextafter", "float64", "1 -0 nan", "float64", "0 0 1", "float64", "0.9999999999999999 0 nan", 0 },

  /* Mathematics: what the standard says of special values, and a few others. */
  { "exp", "float64", "0 -0 1 -1 inf -inf nan 710 -746 0.5", NULL, NULL, "float64",
    "1 1 2.718281828459045 0.3678794411714424 inf 0 nan inf 0 1.6487212707001282", 2 },
  { "exp", "float32", "0 1 89 -104 0.5", NULL, NULL, "float32", "1 2.718282 inf 0 1.6487212", 2 },
  { "expm1", "float64", "0 -0 1 -1 inf -inf nan 1e-10", NULL, NULL, "float64",
    "0 -0 1.7182818284590453 -0.6321205588285577 inf -1 nan 1.00000000005e-10", 2 },
  { "log", "float64", "0 -0 1 -1 inf -inf nan 10", NULL, NULL, "float64",
    "-inf -inf 0 nan inf nan nan 2.3025850929940455", 2 },
  { "log", "float32", "0 1 10", NULL, NULL, "float32", "-inf 0 2.3025851", 2 },
  { "log1p", "float64", "0 -0 1 -1 inf -inf nan 1e-10 -2", NULL, NULL, "float64",
    "0 -0 0.6931471805599453 -inf inf nan nan 9.999999999500001e-11 nan", 2 },
  { "log2", "float64", "0 -0 1 -1 inf -inf nan 8", NULL, NULL, "float64", "-inf -inf 0 nan inf nan nan 3", 2 },
  { "log10", "float64", "0 -0 1 -1 inf -inf nan 1000", NULL, NULL, "float64", "-inf -inf 0 nan inf nan nan 3", 2 },
  { "sin", "float64", "0 -0 1 -1 inf -inf nan 30.0004959 1e22", NULL, NULL, "float64",
    "0 -0 0.8414709848078965 -0.8414709848078965 nan nan nan -0.9879550093152075 -0.8522008497671888", 2 },
  { "sin", "float32", "0 1 30.000496 1000", NULL, NULL, "float32", "0 0.841471 -0.98795503 0.82687956", 2 },
  { "cos", "float64", "0 -0 1 -1 inf -inf nan 1e22", NULL, NULL, "float64",
    "1 1 0.5403023058681397 0.5403023058681397 nan nan nan 0.523214785395139", 2 },
  { "cos", "float32", "0 1 30.000496 1000", NULL, NULL, "float32", "1 0.5403023 0.1547414 0.56237906", 2 },
  { "tan", "float64", "0 -0 1 -1 inf -inf nan", NULL, NULL, "float64",
    "0 -0 1.557407724654902 -1.557407724654902 nan nan nan", 2 },
  { "asin", "float64", "0 -0 1 -1 inf -inf nan 0.5 1.1", NULL, NULL, "float64",
    "0 -0 1.5707963267948966 -1.5707963267948966 nan nan nan 0.5235987755982989 nan", 2 },
  { "acos", "float64", "0 -0 1 -1 inf -inf nan 0.5 -1.1", NULL, NULL, "float64",
    "1.5707963267948966 1.5707963267948966 0 3.141592653589793 nan nan nan 1.0471975511965976 nan", 2 },
  { "atan", "float64", "0 -0 1 -1 inf -inf nan", NULL, NULL, "float64",
    "0 -0 0.7853981633974483 -0.7853981633974483 1.5707963267948966 -1.5707963267948966 nan", 2 },
  { "sinh", "float64", "0 -0 1 -1 inf -inf nan", NULL, NULL, "float64",
    "0 -0 1.1752011936438014 -1.1752011936438014 inf -inf nan", 2 },
  { "cosh", "float64", "0 -0 1 -1 inf -inf nan", NULL, NULL, "float64",
    "1 1 1.5430806348152437 1.5430806348152437 inf inf nan", 2 },
  { "tanh", "float64", "0 -0 1 -1 inf -inf nan 20", NULL, NULL, "float64",
    "0 -0 0.7615941559557649 -0.7615941559557649 1 -1 nan 1", 2 },
  { "tanh", "float32", "0.5 -0 inf", NULL, NULL, "float32", "0.4621172 -0 1", 2 },
  { "asinh", "float64", "0 -0 1 -1 inf -inf nan", NULL, NULL, "float64",
    "0 -0 0.881373587019543 -0.881373587019543 inf -inf nan", 2 },
  { "acosh", "float64", "0 -0 1 -1 inf -inf nan 2 0.9", NULL, NULL, "float64",
    "nan nan 0 nan inf nan nan 1.3169578969248168 nan", 2 },
  { "atanh", "float64", "0 -0 1 -1 inf -inf nan 0.5 1.1", NULL, NULL, "float64",
    "0 -0 inf -inf nan nan nan 0.5493061443340549 nan", 2 },
  { "atan2", "float64", "0 0 -0 -0 1 -1 0 inf inf -inf 1 1 nan", "float64", "0 -0 0 -0 0 0 -1 inf -inf -inf inf -inf 1",
    "float64",
    "0 3.141592653589793 -0 -3.141592653589793 1.5707963267948966 -1.5707963267948966 3.141592653589793 "
    "0.7853981633974483 2.356194490192345 -2.356194490192345 0 3.141592653589793 nan",
    1 },
  { "logaddexp", "float64", "0 inf -inf inf -inf nan 1000 1", "float64", "0 inf -inf -inf 1 1 1000 2", "float64",
    "0.6931471805599453 inf -inf inf 1 nan 1000.6931471805599 2.313261687518223", 2 },
  { "logaddexp", "float32", "0 -inf 1", "float32", "0 -inf 2", "float32", "0.6931472 -inf 2.3132617", 2 },
  { "exp", "int8", "0 1", NULL, NULL, "float64", "1 2.718281828459045", 2 },
  { "sin", "bool", "0 1", NULL, NULL, "float64", "0 0.8414709848078965", 2 },
  { "log", "uint16", "1 10", NULL, NULL, "float64", "0 2.3025850929940455", 2 },

  /* Activations: the exact values to the last digits, from arithmetic in 50 digits. */
  { "relu", "float64", "-1 -inf inf nan 2", NULL, NULL, "float64", "0 0 inf nan 2", 0 },
  { "relu", "int8", "-128 5", NULL, NULL, "int8", "0 5", 0 },
  { "relu", "uint8", "200", NULL, NULL, "uint8", "200", 0 },
  { "sigmoid", "float64", "0 1 -1 40 -40 -700 3.5", NULL, NULL, "float64",
    "0.5 0.7310585786300049 0.2689414213699951 1 4.248354255291589e-18 9.85967654375977e-305 0.9706877692486436", 2 },
  { "sigmoid", "float64", "inf -inf nan 800 -800", NULL, NULL, "float64", "1 0 nan 1 0", 0 },
  { "sigmoid", "float32", "0 1 -1 -80", NULL, NULL, "float32", "0.5 0.7310586 0.26894143 1.8048513e-35", 2 },
  { "softplus", "float64", "0 1 -1 40 -40 -700 3.5", NULL, NULL, "float64",
    "0.6931471805599453 1.3132616875182228 0.3132616875182228 40 4.248354255291589e-18 9.85967654375977e-305 "
    "3.5297504182726205",
    2 },
  { "softplus", "float64", "inf -inf nan 800 -800", NULL, NULL, "float64", "inf 0 nan 800 0", 0 },
  { "gelu", "float64", "0 1 -1 3.5 -3.5 0.001", NULL, NULL, "float64",
    "0 0.8413447460685429 -0.15865525393145705 3.4991857982233756 -0.0008142017766243376 0.000500398942213911", 16 },
  { "gelu", "float64", "-10 -30", NULL, NULL, "float64", "-7.619853024160526e-23 -1.472014178144456e-196", 2000 },
  { "gelu", "float64", "inf -inf nan", NULL, NULL, "float64", "inf -0 nan", 0 },
  { "gelu", "int8", "1 0", NULL, NULL, "float64", "0.8413447460685429 0", 2 },
  { "gelu", "float32", "1 -1 3.5", NULL, NULL, "float32", "0.8413448 -0.15865526 3.4991858", 8 },
};
