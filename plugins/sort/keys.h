/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements become keys: signed integers in the order in which the elements are to
 * be, so that there is one way of sorting for all dtypes and both directions. Those
 * of descending elements are the complements. A float's bits are in order already,
 * but for those of negative numbers; both zeros have one key, and every NaN the
 * largest, in either direction. Elements of up to 32 bits have keys of 32. */
#pragma once

#include <candela/candela-plugin.h>
#include <string.h>

/* Every dtype that is sorted. X (DTYPE, name, C type, bits of its keys, what turns its sign) */
#define SORT_INTEGERS(X)                                                                                               \
  X (BOOL, bool, guint8, 32, 0)                                                                                        \
  X (INT8, int8, gint8, 32, 0)                                                                                         \
  X (INT16, int16, gint16, 32, 0)                                                                                      \
  X (INT32, int32, gint32, 32, 0)                                                                                      \
  X (INT64, int64, gint64, 64, 0)                                                                                      \
  X (UINT8, uint8, guint8, 32, 0)                                                                                      \
  X (UINT16, uint16, guint16, 32, 0)                                                                                   \
  X (UINT32, uint32, guint32, 32, G_MININT32)                                                                          \
  X (UINT64, uint64, guint64, 64, G_MININT64)

/* X (DTYPE, name, bits, those of infinity, the largest key) */
#define SORT_FLOATS(X)                                                                                                 \
  X (FLOAT32, float32, 32, 0x7f800000, G_MAXINT32)                                                                     \
  X (FLOAT64, float64, 64, G_GINT64_CONSTANT (0x7ff0000000000000), G_MAXINT64)

#define SORT_REAL                                                                                                      \
  (CANDELA_DTYPE_KIND_BOOL | CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED | CANDELA_DTYPE_KIND_FLOAT)

/* The loops of one instruction set. */
typedef struct
{
  const char *name;

  /* Sorts keys so far at least that the first `wanted` of them are those that they
   * are to be. The scratch memory holds as many. FALSE: cancelled, and they are of no
   * use any more. */
  gboolean (*sort32) (gint32 *keys, gsize n, gsize wanted, gpointer scratch, GCancellable *cancellable);
  gboolean (*sort64) (gint64 *keys, gsize n, gsize wanted, gpointer scratch, GCancellable *cancellable);

  /* By dtype, elements to keys and back; where they are of one size they may lie in
   * the same memory. The first tells whether there is a negative zero, whose sign is
   * lost. */
  gboolean (*to_keys[CANDELA_N_DTYPES]) (gpointer keys, gconstpointer elements, gsize n, gboolean descending);
  void (*from_keys[CANDELA_N_DTYPES]) (gpointer elements, gconstpointer keys, gsize n, gboolean descending);
} SortSet;

extern const SortSet sort_set_baseline;
#ifdef SORT_HAVE_X86_SETS
extern const SortSet sort_set_avx512;
#endif

/* plugin.c: the one in use. */
extern const SortSet *sort_set;

/* Where the loops are compiled the build gives their set as SORT_SET. */
#ifdef SORT_SET
#define SORT_NAME(name) SORT_NAME_OF (name, SORT_SET)
#define SORT_NAME_OF(name, set) SORT_NAME_PASTE (name, set)
#define SORT_NAME_PASTE(name, set) sort_##name##_##set

/* radix.c or quick.c */
gboolean SORT_NAME (keys32) (gint32 *keys, gsize n, gsize wanted, gpointer scratch, GCancellable *cancellable);
gboolean SORT_NAME (keys64) (gint64 *keys, gsize n, gsize wanted, gpointer scratch, GCancellable *cancellable);
#endif
