/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversion of elements, and the lists from which code over all dtypes is
 * made. */
#pragma once

#include <candela/value/dtype.h>

G_BEGIN_DECLS

/* X (DTYPE, name, C type): bool and the integers; and the floats that C has as well. */
#define CANDELA_INTEGER_DTYPES(X)                                                                                      \
  X (BOOL, bool, guint8)                                                                                               \
  X (INT8, int8, gint8)                                                                                                \
  X (INT16, int16, gint16)                                                                                             \
  X (INT32, int32, gint32)                                                                                             \
  X (INT64, int64, gint64)                                                                                             \
  X (UINT8, uint8, guint8)                                                                                             \
  X (UINT16, uint16, guint16)                                                                                          \
  X (UINT32, uint32, guint32)                                                                                          \
  X (UINT64, uint64, guint64)

#define CANDELA_REAL_DTYPES(X)                                                                                         \
  CANDELA_INTEGER_DTYPES (X)                                                                                           \
  X (FLOAT32, float32, float)                                                                                          \
  X (FLOAT64, float64, double)

/* Converts n packed elements; source and destination do not overlap. To bool: 0
 * is FALSE, all else (NaN too) is TRUE. A float outside an integer's range
 * becomes what the cast of C gives on the way through gint64, never a trap:
 * NaN and out of gint64's range give the smallest gint64 (guint64 reads a
 * positive one first), then the low bits. */
typedef void (*CandelaConvertFunc) (gpointer out, gconstpointer in, gsize n);

typedef struct
{
  const char *name;
  guint8 size;
  guint8 kind; /* CandelaDTypeKind; 0 for INVALID */
} CandelaDTypeFacts;

extern const CandelaDTypeFacts candela_dtype_facts[CANDELA_N_DTYPES];

/* Of what is known to be a dtype. */
static inline gsize
candela_dtype_size (CandelaDType dtype)
{
  return candela_dtype_facts[dtype].size;
}

static inline CandelaDTypeKind
candela_dtype_kind (CandelaDType dtype)
{
  return candela_dtype_facts[dtype].kind;
}

/* How many of the instruction sets that loops are compiled for the processor has: what all
 * have; AVX2 and FMA; and AVX-512 F, BW, DQ and VL. */
guint candela_count_instruction_sets (void);

/* NULL from a complex dtype to a real one but bool. The function for equal dtypes copies
 * (bools come out as 0 or 1). */
CandelaConvertFunc candela_dtype_get_convert_func (CandelaDType from, CandelaDType to);

G_END_DECLS
