/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Numbers as text: the style in which all floats of an array are written, and one
 * float by itself. */
#pragma once

#include <candela/value/dtype.h>

G_BEGIN_DECLS

/* How the floats of one array (or its real or imaginary parts) are written. */
typedef struct
{
  CandelaDType dtype;   /* of the values, a floating one */
  gboolean always_sign; /* + before positive ones */
  gboolean scientific;
  int precision; /* digits after the point: exactly so if scientific, else at most */
  int pad_left;
  int pad_right;
  int exponent_digits;
} CandelaFloatStyle;

void candela_float_style_init (CandelaFloatStyle *style, const double *values, gsize n, CandelaDType dtype,
                               gboolean always_sign);

void candela_float_style_append (const CandelaFloatStyle *style, GString *text, double value);

/* One float by itself; point_zero writes 1.0 rather than 1. */
void candela_float_append_scalar (GString *text, double value, CandelaDType dtype, gboolean always_sign,
                                  gboolean point_zero);

G_END_DECLS
