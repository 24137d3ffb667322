/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Sorting with AVX-512. */
#include "keys.h"
#include <immintrin.h>

#define ALWAYS_INLINE inline __attribute__ ((always_inline))
#define UNROLL _Pragma ("GCC unroll 16")
#define PASTE(name, bits) PASTE_EXPANDED (name, bits)
#define PASTE_EXPANDED(name, bits) name##bits

/* Those of up to 16 lanes whose numbers have that bit. */
#define LANES_WITH(bit) ((bit) == 1 ? 0xaaaa : (bit) == 2 ? 0xcccc : (bit) == 4 ? 0xf0f0 : 0xff00)

/* Ranges shorter than this are sorted to the end when a sort is cancelled. */
#define CANCEL_KEYS (1 << 18)

static const gint32 quick_numbers_32
  __attribute__ ((vector_size (64))) = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
static const gint64 quick_numbers_64 __attribute__ ((vector_size (64))) = { 0, 1, 2, 3, 4, 5, 6, 7 };

#define QUICK_BITS 32
#define MASK(name) _mm512_##name##_epi32_mask
#define SORT_KEYS SORT_NAME (keys32)
#include "quick-sort.h"
#define QUICK_BITS 64
#define MASK(name) _mm512_##name##_epi64_mask
#define SORT_KEYS SORT_NAME (keys64)
#include "quick-sort.h"
