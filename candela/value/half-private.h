/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * float16 and bfloat16: two bytes that are stored, and computed with as float32. */
#pragma once

#include <candela/value/dtype-private.h>

G_BEGIN_DECLS

static inline gboolean
candela_dtype_is_half (CandelaDType dtype)
{
  return dtype == CANDELA_DTYPE_FLOAT16 || dtype == CANDELA_DTYPE_BFLOAT16;
}

/* What a dtype is computed with as. */
static inline CandelaDType
candela_dtype_arithmetic (CandelaDType dtype)
{
  return candela_dtype_is_half (dtype) ? CANDELA_DTYPE_FLOAT32 : dtype;
}

/* The loops between each of the two and float32, for one instruction set. */
typedef struct
{
  CandelaConvertFunc widen[2];  /* of float16, of bfloat16 */
  CandelaConvertFunc narrow[2]; /* to float16, to bfloat16 */
} CandelaHalfLoops;

/* Those of instruction set 0, which every processor has, and up; NULL where this one has
 * not so many. All give the same bits. */
const CandelaHalfLoops *candela_half_get_loops (guint set);

/* Where one of the two dtypes, or both, are such. */
CandelaConvertFunc candela_half_get_convert_func (CandelaDType from, CandelaDType to);

G_END_DECLS
