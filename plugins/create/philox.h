/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Parallel
 * Random Numbers: As Easy as 1, 2, 3 (SC11, 2011). A function of a counter of 128
 * bits and a key of 64 to 128 random bits: there is no state, so any element of a
 * random array can be computed by itself. */
#pragma once

#include <glib.h>

#define PHILOX_ROUNDS 10

static inline void
philox_4x32 (const guint32 counter[4], const guint32 key[2], guint32 out[4])
{
  guint32 c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  guint32 k0 = key[0], k1 = key[1];

  for (guint round = 0; round < PHILOX_ROUNDS; round++)
    {
      guint64 p0 = (guint64) 0xD2511F53u * c0;
      guint64 p1 = (guint64) 0xCD9E8D57u * c2;

      c0 = (guint32) (p1 >> 32) ^ c1 ^ k0;
      c1 = (guint32) p1;
      c2 = (guint32) (p0 >> 32) ^ c3 ^ k1;
      c3 = (guint32) p0;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}
