/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The special cases of the array API standard 2024.12, as rules: from which operands
 * to which results. Those of add, say, begin with "nan,any:nan": of NaN and anything the
 * sum is NaN. Operands, of which several conditions are joined by &:
 *
 *   nan any fin int odd   what they say, int and odd of finite numbers only
 *   ~0 ~inf               of either sign; 0, -0, inf, +nan and every number: of that sign
 *   >1 <0                 greater, less
 *   !fin |>1              not that; that of the magnitude
 *   -x                    the other operand's negative
 *
 * Results are numbers and the like, and x, y, -x, |x|, -|x|: the operand, its negative, its
 * magnitude; + and -: anything of that sign; inf*cos and 0*sin: of the sign that the cosine
 * of y has. What the standard lets a library do as Python does is not done so. */
#pragma once

#include <glib.h>

typedef struct
{
  const char *op;
  const char *rules;
} Rules;

#define ADDITION "nan,any:nan any,nan:nan inf,inf:inf -inf,-inf:-inf inf,-inf:nan -inf,inf:nan "
#define QUOTIENT                                                                                                       \
  "nan,any:nan any,nan:nan ~inf,~inf:nan ~0,~0:nan 0,>0:0 -0,>0:-0 0,<0:-0 -0,<0:0 >0,0:inf >0,-0:-inf <0,0:-inf "     \
  "<0,-0:inf inf,fin&>0:inf inf,fin&<0:-inf -inf,fin&>0:-inf -inf,fin&<0:inf fin&>0,inf:0 fin&>0,-inf:-0 "             \
  "fin&<0,inf:-0 fin&<0,-inf:0 fin&>0,fin&>0:+ fin&<0,fin&<0:+ fin&>0,fin&<0:- fin&<0,fin&>0:-"

static const Rules real_rules[] = {
  { "abs", "nan:nan -0:0 0:0 ~inf:inf fin:|x|" },
  { "acos", "nan:nan >1:nan <-1:nan 1:0 -1:pi" },
  { "acosh", "nan:nan <1:nan 1:0 inf:inf" },
  { "asin", "nan:nan >1:nan <-1:nan 0:0 -0:-0" },
  { "asinh", "nan:nan 0:0 -0:-0 inf:inf -inf:-inf" },
  { "atan", "nan:nan 0:0 -0:-0 inf:pi/2 -inf:-pi/2" },
  { "atanh", "nan:nan <-1:nan >1:nan -1:-inf 1:inf 0:0 -0:-0" },
  { "ceil", "int:x ~inf:x nan:nan -0.5:-0 0.5:1" },
  { "cos", "nan:nan ~0:1 ~inf:nan" },
  { "cosh", "nan:nan ~0:1 ~inf:inf" },
  { "exp", "nan:nan ~0:1 inf:inf -inf:0" },
  { "expm1", "nan:nan 0:0 -0:-0 inf:inf -inf:-1" },
  { "floor", "int:x ~inf:x nan:nan -0.5:-1 0.5:0" },
  { "isfinite", "~inf:0 nan:0 fin:1" },
  { "isinf", "~inf:1 nan:0 fin:0" },
  { "isnan", "nan:1 ~inf:0 fin:0" },
  { "log", "nan:nan <0:nan ~0:-inf 1:0 inf:inf" },
  { "log1p", "nan:nan <-1:nan -1:-inf 0:0 -0:-0 inf:inf" },
  { "log2", "nan:nan <0:nan ~0:-inf 1:0 inf:inf 2:1" },
  { "log10", "nan:nan <0:nan ~0:-inf 1:0 inf:inf" },
  { "negative", "nan:nan 0:-0 -0:0 inf:-inf -inf:inf fin:-x" },
  { "reciprocal", "nan:nan 0:inf -0:-inf inf:0 -inf:-0 fin&>0:+ fin&<0:-" },
  { "round", "int:x ~inf:x nan:nan 0.5:0 -0.5:-0 1.5:2 -1.5:-2 2.5:2 -2.5:-2" },
  { "sign", "nan:nan <0:-1 ~0:~0 >0:1" },
  { "signbit", "0:0 -0:1 >0:0 <0:1 +nan:0 -nan:1" },
  { "sin", "nan:nan 0:0 -0:-0 ~inf:nan" },
  { "sinh", "nan:nan 0:0 -0:-0 inf:inf -inf:-inf" },
  { "sqrt", "nan:nan <0:nan 0:0 -0:-0 inf:inf" },
  { "square", "nan:nan ~0:0 ~inf:inf fin:+" },
  { "tan", "nan:nan 0:0 -0:-0 ~inf:nan" },
  { "tanh", "nan:nan 0:0 -0:-0 inf:1 -inf:-1" },
  { "trunc", "int:x ~inf:x nan:nan -0.5:-0 0.5:0" },
};

static const Rules binary_rules[] = {
  { "add", ADDITION "inf,fin:inf -inf,fin:-inf fin,inf:inf fin,-inf:-inf -0,-0:-0 -0,0:0 0,-0:0 0,0:0 "
                    "~0,fin&!~0:y fin&!~0,~0:x fin&!~0,-x:0" },
  { "atan2", "nan,any:nan any,nan:nan >0,~0:pi/2 0,>0:0 0,0:0 0,-0:pi 0,<0:pi -0,>0:-0 -0,0:-0 -0,-0:-pi -0,<0:-pi "
             "<0,~0:-pi/2 fin&>0,inf:0 fin&>0,-inf:pi fin&<0,inf:-0 fin&<0,-inf:-pi inf,fin:pi/2 -inf,fin:-pi/2 "
             "inf,inf:pi/4 inf,-inf:3pi/4 -inf,inf:-pi/4 -inf,-inf:-3pi/4" },
  { "copysign", "!nan,<0:-|x| !nan,-0:-|x| !nan,0:|x| !nan,>0:|x| !nan,-nan:-|x| !nan,+nan:|x| "
                "nan,<0:-nan nan,-0:-nan nan,0:+nan nan,>0:+nan nan,-nan:-nan nan,+nan:+nan" },
  { "divide", QUOTIENT },
  { "equal", "nan,any:0 any,nan:0 inf,inf:1 -inf,-inf:1 inf,-inf:0 ~0,~0:1 fin,~inf:0 ~inf,fin:0 fin&!~0,-x:0" },
  { "floor_divide", QUOTIENT },
  { "hypot", "~inf,any:inf any,~inf:inf ~0,!nan:|y| !nan,~0:|x| !~inf,nan:nan nan,!~inf:nan" },
  { "logaddexp", "nan,any:nan any,nan:nan inf,!nan:inf !nan,inf:inf -inf,-inf:-inf -inf,fin&!~0:y fin&!~0,-inf:x" },
  { "maximum", "nan,any:nan any,nan:nan inf,!nan:inf !nan,inf:inf -inf,!nan:y !nan,-inf:x" },
  { "minimum", "nan,any:nan any,nan:nan inf,!nan:y !nan,inf:x -inf,!nan:-inf !nan,-inf:-inf" },
  { "multiply", "nan,any:nan any,nan:nan ~inf,~0:nan ~0,~inf:nan inf,>0:inf inf,<0:-inf -inf,>0:-inf -inf,<0:inf "
                ">0,inf:inf <0,inf:-inf >0,-inf:-inf <0,-inf:inf fin&>0,fin&>0:+ fin&<0,fin&<0:+ fin&>0,fin&<0:- "
                "fin&<0,fin&>0:- 0,0:0 0,-0:-0 -0,0:-0 -0,-0:0 0,fin&>0:0 0,fin&<0:-0 fin&>0,-0:-0 fin&<0,-0:0" },
  { "nextafter", "nan,any:nan any,nan:nan -0,0:0 0,-0:-0 ~0,>0:tiny ~0,<0:-tiny tiny,<0:0 -tiny,>0:-0 max,inf:inf "
                 "inf,fin:max -inf,fin:-max 1,>1:next inf,inf:inf -inf,-inf:-inf" },
  { "not_equal", "nan,any:1 any,nan:1 inf,-inf:1 -inf,inf:1 inf,inf:0 ~0,~0:0 fin,~inf:1 fin&!~0,-x:1" },
  { "pow",
    "!1,nan:nan any,~0:1 nan,!~0:nan |>1,inf:inf |>1,-inf:0 |1,~inf:1 1,!nan:1 |<1,inf:0 |<1,-inf:inf inf,>0:inf "
    "inf,<0:0 -inf,odd&>0:-inf -inf,!odd&>0:inf -inf,odd&<0:-0 -inf,!odd&<0:0 0,>0:0 0,<0:inf -0,odd&>0:-0 "
    "-0,!odd&>0:0 -0,odd&<0:-inf -0,!odd&<0:inf fin&<0,fin&!int:nan" },
  { "remainder", "nan,any:nan any,nan:nan ~inf,~inf:nan any,~0:nan ~0,>0:0 ~0,<0:-0 ~inf,fin:nan fin&>0,inf:x "
                 "fin&>0,-inf:y fin&<0,inf:y fin&<0,-inf:x" },
  { "subtract", "nan,any:nan any,nan:nan inf,inf:nan -inf,-inf:nan inf,fin:inf fin,inf:-inf 0,0:0 -0,-0:0 0,-0:0 "
                "-0,0:-0 fin&!~0,~0:x" },
};

typedef enum {
  CONJUGATE, /* f (conj (z)) is conj (f (z)) */
  ODD,       /* and f (-z) is -f (z) */
  EVEN,      /* and f (-z) is f (z) */
} Symmetry;

/* Of a real part and an imaginary one, x and y. A function of i z, with this one's results
 * divided by i if it is odd, has the name turned. Times scale, the results are the rules'. */
typedef struct
{
  const char *op;
  Symmetry symmetry;
  const char *rules;
  const char *turned;
  double scale;
} ComplexRules;

#define LOGARITHM                                                                                                      \
  "-0,0:-inf,pi 0,0:-inf,0 fin,inf:inf,pi/2 fin,nan:nan,nan -inf,fin&>0:inf,pi inf,fin&>0:inf,0 "                      \
  "-inf,inf:inf,3pi/4 inf,inf:inf,pi/4 ~inf,nan:inf,nan nan,fin:nan,nan nan,inf:inf,nan nan,nan:nan,nan"

static const ComplexRules complex_rules[] = {
  { "acos", CONJUGATE,
    "~0,0:pi/2,-0 ~0,nan:pi/2,nan fin,inf:pi/2,-inf fin&!~0,nan:nan,nan -inf,fin&>0:pi,-inf inf,fin&>0:0,-inf "
    "-inf,inf:3pi/4,-inf inf,inf:pi/4,-inf ~inf,nan:nan,~inf nan,fin:nan,nan nan,inf:nan,-inf nan,nan:nan,nan",
    NULL, 1 },
  { "acosh", CONJUGATE,
    "~0,0:0,pi/2 fin,inf:inf,pi/2 fin&!~0,nan:nan,nan 0,nan:nan,~pi/2 -inf,fin&>0:inf,pi inf,fin&>0:inf,0 "
    "-inf,inf:inf,3pi/4 inf,inf:inf,pi/4 ~inf,nan:inf,nan nan,fin:nan,nan nan,inf:inf,nan nan,nan:nan,nan",
    NULL, 1 },
  { "asinh", ODD,
    "0,0:0,0 fin&>0,inf:inf,pi/2 fin,nan:nan,nan inf,fin&>0:inf,0 inf,inf:inf,pi/4 nan,0:nan,0 nan,fin&!~0:nan,nan "
    "nan,inf:~inf,nan nan,nan:nan,nan",
    "asin", 1 },
  { "atanh", ODD,
    "0,0:0,0 0,nan:0,nan 1,0:inf,0 fin&>0,inf:0,pi/2 fin&!~0,nan:nan,nan inf,fin&>0:0,pi/2 inf,inf:0,pi/2 "
    "inf,nan:0,nan nan,fin:nan,nan nan,inf:~0,pi/2 nan,nan:nan,nan",
    "atan", 1 },
  { "cosh", EVEN,
    "0,0:1,0 0,inf:nan,~0 0,nan:nan,~0 fin&!~0,inf:nan,nan fin&!~0,nan:nan,nan inf,0:inf,0 "
    "inf,fin&!~0:inf*cos,inf*sin inf,inf:~inf,nan inf,nan:inf,nan nan,~0:nan,~0 nan,fin&!~0:nan,nan nan,nan:nan,nan",
    "cos", 1 },
  { "exp", CONJUGATE,
    "~0,0:1,0 fin,inf:nan,nan fin,nan:nan,nan inf,0:inf,0 -inf,fin:0*cos,0*sin inf,fin&!~0:inf*cos,inf*sin "
    "-inf,inf:~0,~0 inf,inf:~inf,nan -inf,nan:~0,~0 inf,nan:~inf,nan nan,0:nan,0 nan,!~0:nan,nan",
    NULL, 1 },
  { "expm1", CONJUGATE,
    "~0,0:0,0 fin,inf:nan,nan fin,nan:nan,nan inf,0:inf,0 -inf,fin:-1,0*sin inf,fin&!~0:inf*cos,inf*sin "
    "-inf,inf:-1,~0 inf,inf:~inf,nan -inf,nan:-1,~0 inf,nan:~inf,nan nan,0:nan,0 nan,!~0:nan,nan",
    NULL, 1 },
  { "log", CONJUGATE, LOGARITHM, NULL, 1 },
  { "log2", CONJUGATE, LOGARITHM, NULL, G_LN2 },
  { "log10", CONJUGATE, LOGARITHM, NULL, G_LN10 },
  { "log1p", CONJUGATE,
    "-1,0:-inf,0 fin,inf:inf,pi/2 fin,nan:nan,nan -inf,fin&>0:inf,pi inf,fin&>0:inf,0 -inf,inf:inf,3pi/4 "
    "inf,inf:inf,pi/4 ~inf,nan:inf,nan nan,fin:nan,nan nan,inf:inf,nan nan,nan:nan,nan",
    NULL, 1 },
  { "round", ODD, "int,~inf:x,y ~inf,int:x,y nan,int:nan,y int,nan:x,nan 0.5,1.5:0,2 2.5,-0.5:2,-0", NULL, 1 },
  { "sign", ODD, "~0,~0:~0,~0 nan,any:nan,nan any,nan:nan,nan", NULL, 1 },
  { "sinh", ODD,
    "0,0:0,0 0,inf:~0,nan 0,nan:~0,nan fin&>0,inf:nan,nan fin&>0,nan:nan,nan inf,0:inf,0 "
    "inf,fin&>0:inf*cos,inf*sin inf,inf:~inf,nan inf,nan:~inf,nan nan,0:nan,0 nan,fin&!~0:nan,nan nan,nan:nan,nan",
    "sin", 1 },
  { "sqrt", CONJUGATE,
    "~0,0:0,0 any,inf:inf,inf fin,nan:nan,nan -inf,fin&>0:0,inf inf,fin&>0:inf,0 -inf,nan:nan,~inf inf,nan:inf,nan "
    "nan,!~inf:nan,nan",
    NULL, 1 },
  { "tanh", ODD,
    "0,0:0,0 fin&!~0,inf:nan,nan 0,inf:0,nan fin&!~0,nan:nan,nan 0,nan:0,nan inf,fin&>0:1,0 inf,inf:1,~0 "
    "inf,nan:1,~0 nan,0:nan,0 nan,!~0:nan,nan",
    "tan", 1 },
};
