/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The family of the stages, as compiled for one instruction set: how the accumulator
 * comes from memory and goes there. */
#include "stage.h"

#ifdef STAGES
#define LOAD_EACH(i, DT) a##i = STAGE_AT (i, DT);
#define STORE_EACH(i, DT) STAGE_AT (i, DT) = a##i;
#define STREAM_EACH(i, DT) STAGE_INTRINSIC (stream_ps) ((float *) (data + i * STAGE_BYTES), a##i);

#define MOVE(name, EACH)                                                                                               \
  static void name (STAGE_ARGUMENTS)                                                                                   \
  {                                                                                                                    \
    guint8 *data = (guint8 *) stage->data + (offset & stage->mask);                                                    \
                                                                                                                       \
    STAGE_EACH (EACH, FLOAT32)                                                                                         \
    STAGE_NEXT;                                                                                                        \
  }

MOVE (load, LOAD_EACH)
MOVE (store, STORE_EACH)
MOVE (stream, STREAM_EACH)

/* The vectors that hold the elements of a half each; the second one begins an element
 * early, so as not to go past the last one. */
#ifdef __clang__
#define SHUFFLE(V, a, b, ...) __builtin_shufflevector (a, b, __VA_ARGS__)
#else
#define SHUFFLE(V, a, b, ...) __builtin_shuffle (a, b, (StageOf_##V){ __VA_ARGS__ })
#endif
#if STAGE_BYTES == 64
#define PICK_INT32 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31
#define PICK_INT64 0, 2, 4, 6, 9, 11, 13, 15
#elif STAGE_BYTES == 32
#define PICK_INT32 0, 2, 4, 6, 9, 11, 13, 15
#define PICK_INT64 0, 2, 5, 7
#else
#define PICK_INT32 0, 2, 5, 7
#define PICK_INT64 0, 3
#endif
#define ALTERNATE_EACH(i, DT, T)                                                                                       \
  {                                                                                                                    \
    const guint8 *from = data + 2 * (i) *STAGE_BYTES;                                                                  \
    const StageOf_##DT first = *(const StageAt_##DT *) from;                                                           \
    const StageOf_##DT second = *(const StageAt_##DT *) (from + STAGE_BYTES - sizeof (T));                             \
    a##i = (StageVector) SHUFFLE (DT, first, second, PICK_##DT);                                                       \
  }
#define ALTERNATE(DT, T)                                                                                               \
  static void load_alternate_##DT (STAGE_ARGUMENTS)                                                                    \
  {                                                                                                                    \
    const guint8 *data = (const guint8 *) stage->data + 2 * (offset & stage->mask);                                    \
                                                                                                                       \
    STAGE_EACH (ALTERNATE_EACH, DT, T)                                                                                 \
    STAGE_NEXT;                                                                                                        \
  }

ALTERNATE (INT32, gint32)
ALTERNATE (INT64, gint64)

#if STAGE_KEEPS
#define KEEP_EACH(i, k)                                                                                                \
  {                                                                                                                    \
    register StageVector kept __asm__(STAGE_KEPT_##k##_##i) = a##i;                                                    \
    __asm__ volatile("" : : "v"(kept));                                                                                \
  }
#define RECALL_EACH(i, k)                                                                                              \
  {                                                                                                                    \
    STAGE_KEPT (i, k, kept)                                                                                            \
    a##i = kept;                                                                                                       \
  }

STAGE_KEPT_FUNCTION (keep_0, KEEP_EACH, 0)
STAGE_KEPT_FUNCTION (keep_1, KEEP_EACH, 1)
STAGE_KEPT_FUNCTION (recall_0, RECALL_EACH, 0)
STAGE_KEPT_FUNCTION (recall_1, RECALL_EACH, 1)
#endif

static void
end (STAGE_ARGUMENTS)
{
}

static void
run (const CandelaStage *stages, gsize size)
{
  const StageVector none = { 0 };

  for (gsize offset = 0; offset < size; offset += STAGE_BLOCK)
    ((StageFunc) stages->func) (stages, offset, none, none, none, none, none, none, none, none);
    /* Stages leave the upper halves as they are; code without VEX prefixes waits for those. */
#ifdef __AVX__
  _mm256_zeroupper ();
#endif
}

const CandelaStageFamily ELEMENTWISE_FAMILY = {
  .block = STAGE_BLOCK,
  .run = run,
  .load = (CandelaStageFunc) load,
  .store = (CandelaStageFunc) store,
  .stream = (CandelaStageFunc) stream,
  .end = (CandelaStageFunc) end,
  .load_alternate = { NULL, NULL, (CandelaStageFunc) load_alternate_INT32, (CandelaStageFunc) load_alternate_INT64 },
#if STAGE_KEEPS
  .keep = { (CandelaStageFunc) keep_0, (CandelaStageFunc) keep_1 },
  .recall = { (CandelaStageFunc) recall_0, (CandelaStageFunc) recall_1 },
#endif
};
#endif
