/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Elements to keys and back. */
#include "keys.h"

#define INTEGER_KEYS(DTYPE, name, type, bits, sign)                                                                    \
  static gboolean to_##name (gpointer keys, gconstpointer elements, gsize n, gboolean descending)                      \
  {                                                                                                                    \
    const gint##bits turn = (gint##bits) sign ^ -(gint##bits) descending;                                              \
    const type *x = elements;                                                                                          \
    gint##bits *k = keys;                                                                                              \
                                                                                                                       \
    _Pragma ("GCC ivdep") for (gsize i = 0; i < n; i++) k[i] = (gint##bits) x[i] ^ turn;                               \
    return FALSE;                                                                                                      \
  }                                                                                                                    \
                                                                                                                       \
  static void from_##name (gpointer elements, gconstpointer keys, gsize n, gboolean descending)                        \
  {                                                                                                                    \
    const gint##bits turn = (gint##bits) sign ^ -(gint##bits) descending;                                              \
    const gint##bits *k = keys;                                                                                        \
    type *x = elements;                                                                                                \
                                                                                                                       \
    _Pragma ("GCC ivdep") for (gsize i = 0; i < n; i++) x[i] = (type) (k[i] ^ turn);                                   \
  }

/* The bits of a float are read and written as an integer. */
#define FLOAT_KEYS(DTYPE, name, bits, infinity, largest)                                                               \
  typedef gint##bits __attribute__ ((may_alias)) Bits_##name;                                                          \
                                                                                                                       \
  static gboolean to_##name (gpointer keys, gconstpointer elements, gsize n, gboolean descending)                      \
  {                                                                                                                    \
    const gint##bits turn = -(gint##bits) descending;                                                                  \
    const Bits_##name *x = elements;                                                                                   \
    Bits_##name *k = keys;                                                                                             \
    gint##bits negative = 0;                                                                                           \
                                                                                                                       \
    _Pragma ("GCC ivdep") for (gsize i = 0; i < n; i++)                                                                \
    {                                                                                                                  \
      const gint##bits magnitude = x[i] & largest, sign = x[i] >> (bits - 1);                                          \
      const gint##bits key = (x[i] ^ (sign & largest)) ^ turn;                                                         \
                                                                                                                       \
      negative |= magnitude == 0 ? sign : 0;                                                                           \
      k[i] = magnitude == 0 ? turn : magnitude > infinity ? largest : key;                                             \
    }                                                                                                                  \
    return negative != 0;                                                                                              \
  }                                                                                                                    \
                                                                                                                       \
  static void from_##name (gpointer elements, gconstpointer keys, gsize n, gboolean descending)                        \
  {                                                                                                                    \
    const gint##bits turn = -(gint##bits) descending;                                                                  \
    const Bits_##name *k = keys;                                                                                       \
    Bits_##name *x = elements;                                                                                         \
                                                                                                                       \
    _Pragma ("GCC ivdep") for (gsize i = 0; i < n; i++)                                                                \
    {                                                                                                                  \
      const gint##bits key = k[i] ^ turn, number = key ^ ((key >> (bits - 1)) & largest);                              \
                                                                                                                       \
      x[i] = k[i] == largest ? (infinity | infinity >> 1) : number;                                                    \
    }                                                                                                                  \
  }

SORT_INTEGERS (INTEGER_KEYS)
SORT_FLOATS (FLOAT_KEYS)

#define TO_ROW(DTYPE, name, ...) [CANDELA_DTYPE_##DTYPE] = to_##name,
#define FROM_ROW(DTYPE, name, ...) [CANDELA_DTYPE_##DTYPE] = from_##name,

const SortSet SORT_NAME (set) = {
  .name = G_STRINGIFY (SORT_SET),
  .sort32 = SORT_NAME (keys32),
  .sort64 = SORT_NAME (keys64),
  .to_keys = { SORT_INTEGERS (TO_ROW) SORT_FLOATS (TO_ROW) },
  .from_keys = { SORT_INTEGERS (FROM_ROW) SORT_FLOATS (FROM_ROW) },
};
