/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sums, products, quotients and signs. Integers wrap modulo 2^n. On bool, add is
 * logical or and multiply logical and, as NumPy has it; subtract and negative have
 * no meaning there and say so. */
#include "complex.h"
#include "quotient.h"

#define ADD(T, W, a, b) ((W) a + (W) b)
#define SUBTRACT(T, W, a, b) ((W) a - (W) b)
#define MULTIPLY(T, W, a, b) ((W) a * (W) b)
#define OR(T, W, a, b) (a | b)
#define AND(T, W, a, b) (a & b)

ELEMENTWISE_BOOL (ELEMENTWISE_BINARY, add, OR)
ELEMENTWISE_NUMBERS (ELEMENTWISE_BINARY, add, ADD)
ELEMENTWISE_NUMBERS (STAGE_BINARY, add, ADD)
ELEMENTWISE_COMPLEX (ELEMENTWISE_BINARY, add, ADD)

ELEMENTWISE_TABLE (add,
                   ELEMENTWISE_BOOL (ELEMENTWISE_BINARY_ROW, add, ADD) ELEMENTWISE_NUMBERS (STAGE_BINARY_ROW, add, ADD)
                     ELEMENTWISE_COMPLEX (ELEMENTWISE_BINARY_ROW, add, ADD))

ELEMENTWISE_OP (add, elementwise_x1_x2_any, "x1 + x2; of bool: x1 or x2", .operators = "infix:+",
                .gradients = { "grad", "grad" })

ELEMENTWISE_BOOL (ELEMENTWISE_BINARY, multiply, AND)
ELEMENTWISE_NUMBERS (ELEMENTWISE_BINARY, multiply, MULTIPLY)
ELEMENTWISE_NUMBERS (STAGE_BINARY, multiply, MULTIPLY)
ELEMENTWISE_COMPLEX (ELEMENTWISE_BINARY, multiply, COMPLEX_MULTIPLY)

ELEMENTWISE_TABLE (multiply, ELEMENTWISE_BOOL (ELEMENTWISE_BINARY_ROW, multiply, MULTIPLY)
                               ELEMENTWISE_NUMBERS (STAGE_BINARY_ROW, multiply, MULTIPLY)
                                 ELEMENTWISE_COMPLEX (ELEMENTWISE_BINARY_ROW, multiply, ))

ELEMENTWISE_OP (multiply, elementwise_x1_x2_any, "x1 * x2; of bool: x1 and x2", .operators = "infix:*",
                .gradients = { "grad * x2", "grad * x1" })

static gboolean
infer_subtract (CandelaInference *inference, GError **error)
{
  if (candela_inference_get_promoted_dtype (inference) == CANDELA_DTYPE_BOOL)
    return candela_inference_fail (inference, error, CANDELA_ERROR_DTYPE,
                                   "x1 and x2 are both bool, which has no difference; use logical_xor");

  return candela_inference_broadcast (inference, error);
}

ELEMENTWISE_NUMBERS (ELEMENTWISE_BINARY, subtract, SUBTRACT)
ELEMENTWISE_NUMBERS (STAGE_BINARY, subtract, SUBTRACT)
ELEMENTWISE_COMPLEX (ELEMENTWISE_BINARY, subtract, SUBTRACT)

ELEMENTWISE_TABLE (subtract, ELEMENTWISE_NUMBERS (STAGE_BINARY_ROW, subtract, SUBTRACT)
                               ELEMENTWISE_COMPLEX (ELEMENTWISE_BINARY_ROW, subtract, ))

ELEMENTWISE_OP (subtract, elementwise_x1_x2_numeric, "x1 - x2", .operators = "infix:-", .infer = infer_subtract,
                .gradients = { "grad", "-grad" })

#define DIVIDE(T, W, a, b) (a / b)
#define RECIPROCAL(T, W, a) ((T) 1 / a)

#define COMPLEX_RECIPROCAL(T, W, a) COMPLEX_DIVIDE (T, W, (T) 1, a)

ELEMENTWISE_COMPLEX (ELEMENTWISE_BINARY, divide, COMPLEX_DIVIDE)
ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY, reciprocal, COMPLEX_RECIPROCAL)

ELEMENTWISE_FLOATS (ELEMENTWISE_BINARY, divide, DIVIDE)
ELEMENTWISE_FLOAT32 (STAGE_QUOTIENT, divide, DIVIDE)
ELEMENTWISE_FLOAT64 (STAGE_BINARY, divide, DIVIDE)

ELEMENTWISE_TABLE (divide, ELEMENTWISE_FLOATS (STAGE_BINARY_ROW, divide, )
                             ELEMENTWISE_COMPLEX (ELEMENTWISE_BINARY_ROW, divide, ))

ELEMENTWISE_OP (divide, elementwise_x1_x2_any, "x1 / x2, in floats or complex numbers", .operators = "infix:/",
                .infer = elementwise_infer_floating, .gradients = { "grad / x2", "-grad * out / x2" })

STAGE_FLOAT_UNARY (reciprocal, RECIPROCAL, RECIPROCAL, ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY_ROW, reciprocal, ),
                   "1 / x, in floats or complex numbers", .gradients = { "-grad * out * out" })

/* The negative of a float is its bits with the sign turned, of zero too. */
#define NEGATIVE_INTEGER(T, W, a) (-(W) a)
#define NEGATIVE_FLOAT(T, W, a) (-a)

ELEMENTWISE_INTEGERS (ELEMENTWISE_UNARY, negative, NEGATIVE_INTEGER)
ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY, negative, NEGATIVE_FLOAT)
ELEMENTWISE_INTEGERS (STAGE_UNARY, negative, NEGATIVE_INTEGER)
ELEMENTWISE_FLOATS (STAGE_UNARY, negative, NEGATIVE_FLOAT)
ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY, negative, NEGATIVE_FLOAT)

#define NEGATIVE_HALF(T, W, a) (a ^ 0x8000)

ELEMENTWISE_HALVES (ELEMENTWISE_UNARY, negative, NEGATIVE_HALF)

ELEMENTWISE_TABLE (negative, ELEMENTWISE_NUMBERS (STAGE_UNARY_ROW, negative, NEGATIVE_FLOAT)
                               ELEMENTWISE_HALVES (ELEMENTWISE_UNARY_ROW, negative, )
                                 ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY_ROW, negative, ))

ELEMENTWISE_OP (negative, elementwise_x_numeric, "-x", .operators = "prefix:-", .gradients = { "-grad" })

#define SAME(T, W, a) (a)
#define ABS_SIGNED(T, W, a) (a < 0 ? (W) 0 - (W) a : (W) a)
#define ABS_FLOAT32(T, W, a) fabsf (a)
#define ABS_FLOAT64(T, W, a) fabs (a)

ELEMENTWISE_BOOL (ELEMENTWISE_UNARY, abs, SAME)
ELEMENTWISE_UNSIGNED (ELEMENTWISE_UNARY, abs, SAME)
ELEMENTWISE_SIGNED (ELEMENTWISE_UNARY, abs, ABS_SIGNED)
ELEMENTWISE_FLOAT32 (ELEMENTWISE_UNARY, abs, ABS_FLOAT32)
ELEMENTWISE_FLOAT64 (ELEMENTWISE_UNARY, abs, ABS_FLOAT64)

#define STAGE_ABS_SIGNED(T, W, a) STAGE_SELECT (a < 0, -(W) a, (W) a)
#define STAGE_ABS_FLOAT32(T, W, a) ((__typeof__ (a == a)) a & G_MAXINT32)
#define STAGE_ABS_FLOAT64(T, W, a) ((__typeof__ (a == a)) a & G_MAXINT64)

ELEMENTWISE_UNSIGNED (STAGE_UNARY, abs, SAME)
ELEMENTWISE_SIGNED (STAGE_UNARY, abs, STAGE_ABS_SIGNED)
ELEMENTWISE_FLOAT32 (STAGE_UNARY, abs, STAGE_ABS_FLOAT32)
ELEMENTWISE_FLOAT64 (STAGE_UNARY, abs, STAGE_ABS_FLOAT64)

#define MAGNITUDE(T, W, a) _Generic(a, float _Complex : cabsf, double _Complex : cabs) (a)

ELEMENTWISE_COMPLEX_TO_REAL (ELEMENTWISE_PART, abs, MAGNITUDE)

#define ABS_HALF(T, W, a) (a & 0x7fff)

ELEMENTWISE_HALVES (ELEMENTWISE_UNARY, abs, ABS_HALF)

ELEMENTWISE_TABLE (abs,
                   ELEMENTWISE_BOOL (ELEMENTWISE_UNARY_ROW, abs, SAME) ELEMENTWISE_NUMBERS (STAGE_UNARY_ROW, abs, SAME)
                     ELEMENTWISE_HALVES (ELEMENTWISE_UNARY_ROW, abs, )
                       ELEMENTWISE_COMPLEX_TO_REAL (ELEMENTWISE_PART_ROW, abs, ))

ELEMENTWISE_OP (abs, elementwise_x_any, "The magnitude of x; of the smallest signed integer: itself",
                .gradients = { "grad * sign(x)" })

/* NaN is neither above nor below zero: it stays. */
#define SIGN_INTEGER(T, W, a) ((a > 0) - (a < 0))
#define SIGN_UNSIGNED(T, W, a) (a != 0)
#define SIGN_FLOAT(T, W, a) (a > 0 ? (T) 1 : a < 0 ? (T) -1 : a == 0 ? (T) 0 : a)

ELEMENTWISE_SIGNED (ELEMENTWISE_UNARY, sign, SIGN_INTEGER)
ELEMENTWISE_UNSIGNED (ELEMENTWISE_UNARY, sign, SIGN_UNSIGNED)
ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY, sign, SIGN_FLOAT)

/* On the unit circle, in the direction of x. */
#define DIRECTION(T, W, a) (a == 0 ? (T) 0 : COMPLEX (T, RE (a) / MAGNITUDE (T, W, a), IM (a) / MAGNITUDE (T, W, a)))

ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY, sign, DIRECTION)

ELEMENTWISE_TABLE (sign, ELEMENTWISE_NUMBERS (ELEMENTWISE_UNARY_ROW, sign, SIGN_FLOAT)
                           ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY_ROW, sign, ))

ELEMENTWISE_OP (sign, elementwise_x_numeric,
                "-1, 0 or 1 by the sign of x; of complex x: x / abs(x), 0 of 0; NaN of NaN",
                .gradients = { "zeros(x.shape, dtype=x.dtype)" })

/* What gives its input back: declared for the standard's sake, and folded away. */
static int
fold_to_input (const CandelaInference *inference)
{
  return 0;
}

static int
fold_real_to_input (const CandelaInference *inference)
{
  CandelaDTypeKind kind = candela_dtype_get_kind (candela_inference_get_input_dtype (inference, 0));

  return kind == CANDELA_DTYPE_KIND_COMPLEX ? -1 : 0;
}

ELEMENTWISE_BOOL (ELEMENTWISE_UNARY, positive, SAME)
ELEMENTWISE_NUMBERS (ELEMENTWISE_UNARY, positive, SAME)
ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY, positive, SAME)

#define REAL_PART(T, W, a) RE (a)
#define IMAGINARY_PART(T, W, a) IM (a)
#define CONJUGATE(T, W, a) COMPLEX (T, RE (a), -IM (a))

ELEMENTWISE_COMPLEX_TO_REAL (ELEMENTWISE_PART, real, REAL_PART)
ELEMENTWISE_COMPLEX_TO_REAL (ELEMENTWISE_PART, imag, IMAGINARY_PART)
ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY, conj, CONJUGATE)

ELEMENTWISE_TABLE (positive, ELEMENTWISE_NUMBERS (ELEMENTWISE_UNARY_ROW, positive, SAME)
                               ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY_ROW, positive, ))
ELEMENTWISE_TABLE (real, ELEMENTWISE_ALL (ELEMENTWISE_UNARY_ROW, positive, SAME)
                           ELEMENTWISE_COMPLEX_TO_REAL (ELEMENTWISE_PART_ROW, real, ))
ELEMENTWISE_TABLE (conj, ELEMENTWISE_ALL (ELEMENTWISE_UNARY_ROW, positive, SAME)
                           ELEMENTWISE_COMPLEX (ELEMENTWISE_UNARY_ROW, conj, ))

ELEMENTWISE_OP (positive, elementwise_x_numeric, "+x: x itself", .operators = "prefix:+", .fold = fold_to_input,
                .gradients = { "grad" })
ELEMENTWISE_OP (real, elementwise_x_any, "The real part of x: of a real x, itself", .fold = fold_real_to_input)
ELEMENTWISE_OP (conj, elementwise_x_any, "The complex conjugate of x: of a real x, itself", .fold = fold_real_to_input)

/* The element is named so that the loop reads as the others do. */
#define NOTHING(T, W, a) ((void) a, 0)

ELEMENTWISE_ALL (ELEMENTWISE_UNARY, imag, NOTHING)

ELEMENTWISE_TABLE (imag, ELEMENTWISE_ALL (ELEMENTWISE_UNARY_ROW, imag, NOTHING)
                           ELEMENTWISE_COMPLEX_TO_REAL (ELEMENTWISE_PART_ROW, imag, ))

ELEMENTWISE_OP (imag, elementwise_x_any, "The imaginary part of x: of a real x, zeros")

const CandelaOpInfo *const ELEMENTWISE_OPS (arithmetic)[] = {
  &add_info,  &subtract_info, &multiply_info, &divide_info, &reciprocal_info, &negative_info, &abs_info,
  &sign_info, &positive_info, &real_info,     &conj_info,   &imag_info,       NULL,
};
