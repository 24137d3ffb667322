/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loops that move elements to packed memory. What an element means is of no
 * matter to them, so there is one of each for every size. */
#include <candela/value/move-private.h>
#include <candela/value/stream-private.h>

#include <string.h>

/* Loops of vector code, whatever the rest is compiled with. */
#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector (a, b, __VA_ARGS__)
#else
#pragma GCC optimize("O3")
#define SHUFFLE(a, b, ...) __builtin_shuffle (a, b, (__typeof__ (a)){ __VA_ARGS__ })
#endif

typedef guint8 Bytes16 __attribute__ ((vector_size (16)));
typedef guint16 Halves16 __attribute__ ((vector_size (16)));
typedef guint32 Words16 __attribute__ ((vector_size (16)));
typedef guint64 Longs16 __attribute__ ((vector_size (16)));

/* Rows that stay in the first-level cache while their columns are gone through. */
#define WEAVE_ROWS 256
/* Columns that are gone through together: as many pages as a first-level TLB holds. */
#define TRANSPOSE_COLUMNS 64
/* Lines a multiple of this apart are in the same set of a first-level cache, and so many in
 * one leave room for others. */
#define CACHE_WAY 4096
#define LINES_A_SET 4

/* 64 bytes of a row that come after one another, from the first on. Where they lie
 * across two lines, the line is stored that they complete. */
static inline void
store_line (CandelaHalfLine *half, guint8 *to, const guint8 *from, gboolean first)
{
  gsize over = (guintptr) to & 63;

  if (over == 0)
    {
      candela_stream_line (to, from);
      return;
    }
  memcpy (half->bytes + over, from, 64);
  if (first)
    memcpy (to, from, 64 - over);
  else
    candela_stream_line (to - over, half->bytes);
  memcpy (half->bytes, half->bytes + 64, 64);
}

/* What is left over at the end of a row. */
static inline void
store_half (const CandelaHalfLine *half, guint8 *end)
{
  gsize over = (guintptr) end & 63;

  memcpy (end - over, half->bytes, over);
}

#define SIZE 1
#define ELEMENT guint8
#define VECTOR Bytes16
#define LOW 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#define STAGES 4
#define NAME(name) name##_1
#include <candela/value/move-template.h>

#define SIZE 2
#define ELEMENT guint16
#define VECTOR Halves16
#define LOW 0, 8, 1, 9, 2, 10, 3, 11
#define HIGH 4, 12, 5, 13, 6, 14, 7, 15
#define STAGES 3
#define NAME(name) name##_2
#include <candela/value/move-template.h>

#define SIZE 4
#define ELEMENT guint32
#define VECTOR Words16
#define LOW 0, 4, 1, 5
#define HIGH 2, 6, 3, 7
#define STAGES 2
#define NAME(name) name##_4
#include <candela/value/move-template.h>

#define SIZE 8
#define ELEMENT guint64
#define VECTOR Longs16
#define LOW 0, 2
#define HIGH 1, 3
#define STAGES 1
#define NAME(name) name##_8
#include <candela/value/move-template.h>

#define SIZE 16
#define ELEMENT Longs16
#define VECTOR Longs16
#define NAME(name) name##_16
#include <candela/value/move-template.h>

const CandelaMoves *
candela_moves_get (gsize size)
{
  switch (size)
    {
    case 1:
      return &moves_1;
    case 2:
      return &moves_2;
    case 4:
      return &moves_4;
    case 8:
      return &moves_8;
    default:
      return &moves_16;
    }
}

/* Two pieces of a constant size, which may overlap, for rows of that size up to twice
 * of it. */
#define MOVE_ROWS_OF(SIZE)                                                                                             \
  for (gsize i = 0; i < rows; i++, out += out_step, in += in_step)                                                     \
    {                                                                                                                  \
      guint8 first[SIZE], last[SIZE];                                                                                  \
                                                                                                                       \
      memcpy (first, in, SIZE);                                                                                        \
      memcpy (last, in + bytes - SIZE, SIZE);                                                                          \
      memcpy (out, first, SIZE);                                                                                       \
      memcpy (out + bytes - SIZE, last, SIZE);                                                                         \
    }

void
candela_move_rows (guint8 *out, gint64 out_step, const guint8 *in, gint64 in_step, gsize rows, gsize bytes)
{
  if (bytes > 64)
    for (gsize i = 0; i < rows; i++, out += out_step, in += in_step)
      memcpy (out, in, bytes);
  else if (bytes > 32)
    MOVE_ROWS_OF (32)
  else if (bytes >= 16)
    MOVE_ROWS_OF (16)
  else if (bytes >= 8)
    MOVE_ROWS_OF (8)
  else if (bytes >= 4)
    MOVE_ROWS_OF (4)
  else
    for (gsize i = 0; i < rows; i++, out += out_step, in += in_step)
      for (gsize k = 0; k < bytes; k++)
        out[k] = in[k];
}

/* What is there is copied behind itself and so grows, until copying it again costs
 * little beside what it moves. */
#define REPEAT_BYTES 1024

void
candela_move_repeat (guint8 *out, gsize bytes, gsize times)
{
  gsize total = bytes * times;
  gsize period = bytes;

  for (gsize done = bytes; done < total;)
    {
      gsize part = MIN (period, total - done);

      memcpy (out + done, out, part);
      done += part;
      if (period < REPEAT_BYTES)
        period = done;
    }
}
