/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A family of stages: how the accumulator comes from memory and goes there. There is one for
 * each instruction set, for which this file is compiled as STAGE_FAMILY; they are the library's,
 * so that stages of all plugins can follow each other. */
#include <candela/op/elementwise.h>

#if CANDELA_HAVE_VECTORS && defined __x86_64__
#include <immintrin.h>
#include <string.h>

#ifndef STAGE_FAMILY
#define STAGE_FAMILY baseline

/* Nothing chooses these then. */
#ifndef CANDELA_HAVE_X86_SETS
const CandelaStageFamily candela_stage_family_avx2 = { 0 };
const CandelaStageFamily candela_stage_family_avx512 = { 0 };
#endif
#endif

#define LOAD_EACH(i, set, T) candela_a##i = CANDELA_STAGE_AT (i, set, T);
#define STORE_EACH(i, set, T) CANDELA_STAGE_AT (i, set, T) = candela_a##i;
#define STREAM_EACH(i, set, T) STREAM_##set ((float *) (candela_data + i * CANDELA_BYTES_##set), candela_a##i);
#define STREAM_baseline _mm_stream_ps
#define STREAM_avx2 _mm256_stream_ps
#define STREAM_avx512 _mm512_stream_ps

/* A processor by itself reads ahead no further than to the end of a page. */
#define AHEAD_BYTES 2048
#define AHEAD_LINE 64
#define AHEAD_EACH(i, set, T)                                                                                          \
  if ((i) *CANDELA_BYTES_##set % AHEAD_LINE == 0)                                                                      \
    _mm_prefetch ((const char *) candela_data + AHEAD_BYTES + (i) *CANDELA_BYTES_##set, _MM_HINT_T0);

/* The vectors that hold the elements of a half each; the second one begins an element
 * early, so as not to go past the last one. */
#ifdef __clang__
#define SHUFFLE(V, a, b, ...) __builtin_shufflevector (a, b, __VA_ARGS__)
#else
#define SHUFFLE(V, a, b, ...) __builtin_shuffle (a, b, (V){ __VA_ARGS__ })
#endif
#define PICK_avx512_gint32 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31
#define PICK_avx512_gint64 0, 2, 4, 6, 9, 11, 13, 15
#define PICK_avx2_gint32 0, 2, 4, 6, 9, 11, 13, 15
#define PICK_avx2_gint64 0, 2, 5, 7
#define PICK_baseline_gint32 0, 2, 5, 7
#define PICK_baseline_gint64 0, 3
#define ALTERNATE_EACH(i, set, T)                                                                                      \
  {                                                                                                                    \
    const guint8 *from = candela_data + 2 * (i) *CANDELA_BYTES_##set;                                                  \
    const CandelaVector_##set##_##T first = *(const CandelaVectorAt_##set##_##T *) from;                               \
    const CandelaVector_##set##_##T second =                                                                           \
      *(const CandelaVectorAt_##set##_##T *) (from + CANDELA_BYTES_##set - sizeof (T));                                \
    candela_a##i = (CandelaVector_##set) SHUFFLE (CandelaVector_##set##_##T, first, second, PICK_##set##_##T);         \
  }
#define ALTERNATE_DATA(set, T)                                                                                         \
  const guint8 *candela_data = (const guint8 *) candela_stage->data + 2 * (candela_offset & candela_stage->mask);

#define KEEP_0(i, set, T) candela_k0_##i = candela_a##i;
#define KEEP_1(i, set, T) candela_k1_##i = candela_a##i;
#define RECALL_0(i, set, T) candela_a##i = candela_k0_##i;
#define RECALL_1(i, set, T) candela_a##i = candela_k1_##i;

/* Nothing is kept for ThreadSanitizer: its call at a function's beginning takes all registers. */
#if CANDELA_STAGED_avx512
#define KEEPING_avx512                                                                                                 \
  CANDELA_STAGE (keep_0, avx512, CANDELA_STAGE_NOTHING, KEEP_0, float)                                                 \
  CANDELA_STAGE (keep_1, avx512, CANDELA_STAGE_NOTHING, KEEP_1, float)                                                 \
  CANDELA_STAGE (recall_0, avx512, CANDELA_STAGE_NOTHING, RECALL_0, float)                                             \
  CANDELA_STAGE (recall_1, avx512, CANDELA_STAGE_NOTHING, RECALL_1, float)
#define KEPT_avx512                                                                                                    \
  .keep = { (CandelaStageFunc) keep_0, (CandelaStageFunc) keep_1 },                                                    \
  .recall = { (CandelaStageFunc) recall_0, (CandelaStageFunc) recall_1 },
#else
#define KEEPING_avx512
#define KEPT_avx512
#endif
#define KEEPING_avx2
#define KEPT_avx2
#define KEEPING_baseline
#define KEPT_baseline

/* Stages leave the upper halves as they are; code without VEX prefixes waits for those. */
#define CLEAN_avx512 _mm256_zeroupper ();
#define CLEAN_avx2 _mm256_zeroupper ();
#define CLEAN_baseline

static inline void
make_move (CandelaStageMove *move)
{
  if (move->size == 0)
    move->stage->data = move->data;
  else if (move->size == sizeof (guint32))
    memcpy (&move->stage->scalar, move->data, sizeof (guint32));
  else if (move->size == sizeof (guint64))
    memcpy (&move->stage->scalar, move->data, sizeof (guint64));
  else
    memcpy (&move->stage->scalar, move->data, move->size);
  move->data = (const guint8 *) move->data + move->step;
}

#define FAMILY(set) FAMILY_OF (set)
#define FAMILY_OF(set)                                                                                                 \
  CANDELA_VECTORS_OF (set, CANDELA_BYTES_##set, gint32)                                                                \
  CANDELA_VECTORS_OF (set, CANDELA_BYTES_##set, gint64)                                                                \
  KEEPING_##set CANDELA_STAGE (load, set, CANDELA_STAGE_DATA, LOAD_EACH, float)                                        \
    CANDELA_STAGE (store, set, CANDELA_STAGE_DATA, STORE_EACH, float)                                                  \
      CANDELA_STAGE (stream, set, CANDELA_STAGE_DATA, STREAM_EACH, float)                                              \
        CANDELA_STAGE (ahead, set, CANDELA_STAGE_DATA, AHEAD_EACH, float)                                              \
          CANDELA_STAGE (load_alternate_4, set, ALTERNATE_DATA, ALTERNATE_EACH, gint32)                                \
            CANDELA_STAGE (load_alternate_8, set, ALTERNATE_DATA, ALTERNATE_EACH, gint64)                              \
                                                                                                                       \
              CANDELA_TARGET_##set static void                                                                         \
              end (CANDELA_STAGE_ARGUMENTS (set))                                                                      \
  {                                                                                                                    \
  }                                                                                                                    \
                                                                                                                       \
  CANDELA_TARGET_##set static void run (const CandelaStage *stages, gsize size)                                        \
  {                                                                                                                    \
    const CandelaVector_##set none = { 0 };                                                                            \
                                                                                                                       \
    for (gsize offset = 0; offset < size; offset += 8 * CANDELA_BYTES_##set)                                           \
      ((CandelaStageFunc_##set) stages->func) (stages, offset, none, none, none, none, none, none, none, none);        \
    CLEAN_##set                                                                                                        \
  }                                                                                                                    \
                                                                                                                       \
  CANDELA_TARGET_##set static void run_rows (const CandelaStage *stages, gsize size, gsize n_rows,                     \
                                             CandelaStageMove *moves, gsize n_moves)                                   \
  {                                                                                                                    \
    const CandelaVector_##set none = { 0 };                                                                            \
    gsize offset = 0;                                                                                                  \
                                                                                                                       \
    for (gsize end = size; n_rows > 0; n_rows--, end += size)                                                          \
      {                                                                                                                \
        for (gsize k = 0; k < n_moves; k++)                                                                            \
          make_move (&moves[k]);                                                                                       \
        for (; offset < end; offset += 8 * CANDELA_BYTES_##set)                                                        \
          ((CandelaStageFunc_##set) stages->func) (stages, offset, none, none, none, none, none, none, none, none);    \
      }                                                                                                                \
    CLEAN_##set                                                                                                        \
  }                                                                                                                    \
                                                                                                                       \
  const CandelaStageFamily candela_stage_family_##set = {                                                              \
    .block = 8 * CANDELA_BYTES_##set,                                                                                  \
    .run = run,                                                                                                        \
    .load = (CandelaStageFunc) load,                                                                                   \
    .store = (CandelaStageFunc) store,                                                                                 \
    .stream = (CandelaStageFunc) stream,                                                                               \
    .end = (CandelaStageFunc) end,                                                                                     \
    .ahead = (CandelaStageFunc) ahead,                                                                                 \
    .load_alternate = { NULL, NULL, (CandelaStageFunc) load_alternate_4, (CandelaStageFunc) load_alternate_8 },        \
    KEPT_##set.run_rows = run_rows,                                                                                    \
  };

FAMILY (STAGE_FAMILY)
#endif
