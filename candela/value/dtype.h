/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/value/error.h>

G_BEGIN_DECLS

/**
 * CandelaDType:
 * @CANDELA_DTYPE_INVALID: none; never the dtype of a value
 * @CANDELA_DTYPE_BOOL: one byte, 0 or 1
 * @CANDELA_DTYPE_INT8: signed integer of 8 bits, two's complement
 * @CANDELA_DTYPE_INT16: signed integer of 16 bits
 * @CANDELA_DTYPE_INT32: signed integer of 32 bits
 * @CANDELA_DTYPE_INT64: signed integer of 64 bits
 * @CANDELA_DTYPE_UINT8: unsigned integer of 8 bits
 * @CANDELA_DTYPE_UINT16: unsigned integer of 16 bits
 * @CANDELA_DTYPE_UINT32: unsigned integer of 32 bits
 * @CANDELA_DTYPE_UINT64: unsigned integer of 64 bits
 * @CANDELA_DTYPE_FLOAT32: IEEE 754 binary32
 * @CANDELA_DTYPE_FLOAT64: IEEE 754 binary64
 * @CANDELA_DTYPE_COMPLEX64: two binary32, real part first
 * @CANDELA_DTYPE_COMPLEX128: two binary64, real part first
 * @CANDELA_DTYPE_FLOAT16: IEEE 754 binary16; computed with as binary32
 * @CANDELA_DTYPE_BFLOAT16: the upper 16 bits of a binary32; computed with as
 *   binary32
 *
 * The type of every element of a value, by the names and with the promotion
 * rules of the Python array API standard 2024.12; float16 and bfloat16, which it
 * does not have, come last.
 *
 * Since: 1.0
 */
typedef enum {
  CANDELA_DTYPE_INVALID,
  CANDELA_DTYPE_BOOL,
  CANDELA_DTYPE_INT8,
  CANDELA_DTYPE_INT16,
  CANDELA_DTYPE_INT32,
  CANDELA_DTYPE_INT64,
  CANDELA_DTYPE_UINT8,
  CANDELA_DTYPE_UINT16,
  CANDELA_DTYPE_UINT32,
  CANDELA_DTYPE_UINT64,
  CANDELA_DTYPE_FLOAT32,
  CANDELA_DTYPE_FLOAT64,
  CANDELA_DTYPE_COMPLEX64,
  CANDELA_DTYPE_COMPLEX128,
  CANDELA_DTYPE_FLOAT16,
  CANDELA_DTYPE_BFLOAT16
} CandelaDType;

#define CANDELA_TYPE_DTYPE (candela_dtype_get_type ())

/**
 * CANDELA_N_DTYPES:
 *
 * One more than the largest #CandelaDType.
 *
 * Since: 1.0
 */
#define CANDELA_N_DTYPES (CANDELA_DTYPE_BFLOAT16 + 1)

/**
 * CandelaDTypeKind:
 * @CANDELA_DTYPE_KIND_BOOL: bool
 * @CANDELA_DTYPE_KIND_SIGNED: int8 to int64
 * @CANDELA_DTYPE_KIND_UNSIGNED: uint8 to uint64
 * @CANDELA_DTYPE_KIND_FLOAT: float16, bfloat16, float32, float64
 * @CANDELA_DTYPE_KIND_COMPLEX: complex64, complex128
 *
 * The kinds of dtypes, as bits, so that a set of kinds is one number.
 *
 * Since: 1.0
 */
typedef enum /*< flags >*/ {
  CANDELA_DTYPE_KIND_BOOL = 1 << 0,
  CANDELA_DTYPE_KIND_SIGNED = 1 << 1,
  CANDELA_DTYPE_KIND_UNSIGNED = 1 << 2,
  CANDELA_DTYPE_KIND_FLOAT = 1 << 3,
  CANDELA_DTYPE_KIND_COMPLEX = 1 << 4
} CandelaDTypeKind;

#define CANDELA_TYPE_DTYPE_KIND (candela_dtype_kind_get_type ())

CANDELA_AVAILABLE_IN_1_0
GType candela_dtype_get_type (void);

CANDELA_AVAILABLE_IN_1_0
GType candela_dtype_kind_get_type (void);

CANDELA_AVAILABLE_IN_1_0
const char *candela_dtype_get_name (CandelaDType dtype);

CANDELA_AVAILABLE_IN_1_0
CandelaDType candela_dtype_from_name (const char *name, GError **error);

CANDELA_AVAILABLE_IN_1_0
gsize candela_dtype_get_size (CandelaDType dtype);

CANDELA_AVAILABLE_IN_1_0
CandelaDTypeKind candela_dtype_get_kind (CandelaDType dtype);

CANDELA_AVAILABLE_IN_1_0
CandelaDType candela_dtype_promote (CandelaDType a, CandelaDType b);

CANDELA_AVAILABLE_IN_1_0
CandelaDType candela_dtype_promote_weak (CandelaDType array, CandelaDType scalar);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_dtype_can_cast (CandelaDType from, CandelaDType to);

CANDELA_AVAILABLE_IN_1_0
gboolean candela_dtype_convert (CandelaDType from, gconstpointer in, CandelaDType to, gpointer out, gsize n);

G_END_DECLS
