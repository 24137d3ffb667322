/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Stages of ops: eight vectors, the accumulator, go from op to op in registers. Such
 * an op is a function that gets them as arguments, in registers by the calling
 * convention, and whose last act is to call the next one, which the compiler makes a
 * jump: the idea of the raster pipelines of 2D graphics.
 *
 * The expressions are those of the loops, over vectors instead of elements. Where the
 * compiler makes no such jumps (ThreadSanitizer puts a call of its own behind each), or
 * passes vectors otherwise, there are no stages, and the loops serve alone. */
#pragma once

#include "elementwise.h"

#if defined __x86_64__ && !defined _WIN32 && defined __GNUC__ && defined __OPTIMIZE__ && !defined __SANITIZE_THREAD__
#define STAGES 1

#include <immintrin.h>
#include <string.h>

#if defined __AVX512F__
#define STAGE_BYTES 64
#define STAGE_INTRINSIC(name) _mm512_##name
#elif defined __AVX2__
#define STAGE_BYTES 32
#define STAGE_INTRINSIC(name) _mm256_##name
#else
#define STAGE_BYTES 16
#define STAGE_INTRINSIC(name) _mm_##name
#endif
#define STAGE_BLOCK (8 * STAGE_BYTES)

/* Any vector is passed as this one. */
typedef float StageVector __attribute__ ((vector_size (STAGE_BYTES)));

/* For each dtype: its vector, that vector anywhere in memory, and the vector in which
 * its arithmetic is done, which does not overflow. */
#define STAGE_TYPES(op, DT, T, W, E)                                                                                   \
  typedef T StageOf_##DT __attribute__ ((vector_size (STAGE_BYTES)));                                                  \
  typedef T StageAt_##DT __attribute__ ((vector_size (STAGE_BYTES), aligned (1), may_alias));

ELEMENTWISE_NUMBERS (STAGE_TYPES, , )

typedef StageOf_UINT8 StageIn_INT8, StageIn_UINT8;
typedef StageOf_UINT16 StageIn_INT16, StageIn_UINT16;
typedef StageOf_UINT32 StageIn_INT32, StageIn_UINT32;
typedef StageOf_UINT64 StageIn_INT64, StageIn_UINT64;
typedef StageOf_FLOAT32 StageIn_FLOAT32;
typedef StageOf_FLOAT64 StageIn_FLOAT64;

#define STAGE_ARGUMENTS                                                                                                \
  const CandelaStage *stage, gsize offset, StageVector a0, StageVector a1, StageVector a2, StageVector a3,             \
    StageVector a4, StageVector a5, StageVector a6, StageVector a7

typedef void (*StageFunc) (STAGE_ARGUMENTS);

#define STAGE_NEXT return ((StageFunc) stage[1].func) (stage + 1, offset, a0, a1, a2, a3, a4, a5, a6, a7)

#define STAGE_EACH CANDELA_STAGE_EACH

/* The i-th vector of the accumulator, of memory. */
#define STAGE_ACC(i, DT) ((StageOf_##DT) a##i)
#define STAGE_AT(i, DT) (*(StageAt_##DT *) (data + (i) *STAGE_BYTES))

#define STAGE_UNARY_EACH(i, DT, T, E) a##i = (StageVector) E (T, StageIn_##DT, STAGE_ACC (i, DT));
#define STAGE_ACC_MEMORY_EACH(i, DT, T, E)                                                                             \
  a##i = (StageVector) E (T, StageIn_##DT, STAGE_ACC (i, DT), STAGE_AT (i, DT));
#define STAGE_MEMORY_ACC_EACH(i, DT, T, E)                                                                             \
  a##i = (StageVector) E (T, StageIn_##DT, STAGE_AT (i, DT), STAGE_ACC (i, DT));
#define STAGE_ACC_SCALAR_EACH(i, DT, T, E) a##i = (StageVector) E (T, StageIn_##DT, STAGE_ACC (i, DT), scalar);
#define STAGE_SCALAR_ACC_EACH(i, DT, T, E) a##i = (StageVector) E (T, StageIn_##DT, scalar, STAGE_ACC (i, DT));

#define STAGE_MEMORY_FUNCTION(op, DT, T, E, EACH)                                                                      \
  static void op (STAGE_ARGUMENTS)                                                                                     \
  {                                                                                                                    \
    guint8 *data = (guint8 *) stage->data + (offset & stage->mask);                                                    \
                                                                                                                       \
    STAGE_EACH (EACH, DT, T, E)                                                                                        \
    STAGE_NEXT;                                                                                                        \
  }

/* A vector of equal elements: minus zero, each is what it was, -0.0 too. */
#define STAGE_SCALAR_FUNCTION(op, DT, T, E, EACH)                                                                      \
  static void op (STAGE_ARGUMENTS)                                                                                     \
  {                                                                                                                    \
    StageOf_##DT scalar;                                                                                               \
    T element;                                                                                                         \
                                                                                                                       \
    memcpy (&element, &stage->scalar, sizeof element);                                                                 \
    scalar = element - (StageOf_##DT){ 0 };                                                                            \
    STAGE_EACH (EACH, DT, T, E)                                                                                        \
    STAGE_NEXT;                                                                                                        \
  }

#define STAGE_UNARY_FUNCTION(op, DT, T, E)                                                                             \
  static void op##_unary_##DT (STAGE_ARGUMENTS)                                                                        \
  {                                                                                                                    \
    STAGE_EACH (STAGE_UNARY_EACH, DT, T, E)                                                                            \
    STAGE_NEXT;                                                                                                        \
  }

/* Two more values in the registers that only AVX-512 has. They are still there after what
 * is compiled with ELEMENTWISE_FIXED_REGISTERS, which the compiler was told to leave alone;
 * elsewhere functions of many constants want all registers. */
#if defined ELEMENTWISE_FIXED_REGISTERS && defined __AVX512F__
#define STAGE_KEEPS 1

#define STAGE_KEPT_0_0 "xmm16"
#define STAGE_KEPT_0_1 "xmm17"
#define STAGE_KEPT_0_2 "xmm18"
#define STAGE_KEPT_0_3 "xmm19"
#define STAGE_KEPT_0_4 "xmm20"
#define STAGE_KEPT_0_5 "xmm21"
#define STAGE_KEPT_0_6 "xmm22"
#define STAGE_KEPT_0_7 "xmm23"
#define STAGE_KEPT_1_0 "xmm24"
#define STAGE_KEPT_1_1 "xmm25"
#define STAGE_KEPT_1_2 "xmm26"
#define STAGE_KEPT_1_3 "xmm27"
#define STAGE_KEPT_1_4 "xmm28"
#define STAGE_KEPT_1_5 "xmm29"
#define STAGE_KEPT_1_6 "xmm30"
#define STAGE_KEPT_1_7 "xmm31"

/* The i-th vector of what is kept in a register, as name. */
#define STAGE_KEPT(i, k, name)                                                                                         \
  register StageVector name __asm__(STAGE_KEPT_##k##_##i);                                                             \
  __asm__ volatile("" : "=v"(name));

#define STAGE_ACC_KEPT_EACH(i, DT, T, E, k)                                                                            \
  {                                                                                                                    \
    STAGE_KEPT (i, k, kept)                                                                                            \
    a##i = (StageVector) E (T, StageIn_##DT, STAGE_ACC (i, DT), ((StageOf_##DT) kept));                                \
  }
#define STAGE_KEPT_ACC_EACH(i, DT, T, E, k)                                                                            \
  {                                                                                                                    \
    STAGE_KEPT (i, k, kept)                                                                                            \
    a##i = (StageVector) E (T, StageIn_##DT, ((StageOf_##DT) kept), STAGE_ACC (i, DT));                                \
  }

#define STAGE_KEPT_FUNCTION(op, ...)                                                                                   \
  static void op (STAGE_ARGUMENTS)                                                                                     \
  {                                                                                                                    \
    STAGE_EACH (__VA_ARGS__)                                                                                           \
    STAGE_NEXT;                                                                                                        \
  }

#define STAGE_KEPT_FUNCTIONS(op, DT, T, E)                                                                             \
  STAGE_KEPT_FUNCTION (op##_acc_kept_0_##DT, STAGE_ACC_KEPT_EACH, DT, T, E, 0)                                         \
  STAGE_KEPT_FUNCTION (op##_acc_kept_1_##DT, STAGE_ACC_KEPT_EACH, DT, T, E, 1)                                         \
  STAGE_KEPT_FUNCTION (op##_kept_acc_0_##DT, STAGE_KEPT_ACC_EACH, DT, T, E, 0)                                         \
  STAGE_KEPT_FUNCTION (op##_kept_acc_1_##DT, STAGE_KEPT_ACC_EACH, DT, T, E, 1)
#define STAGE_KEPT_REFERENCES(op, DT)                                                                                  \
  .acc_kept = { (CandelaStageFunc) op##_acc_kept_0_##DT, (CandelaStageFunc) op##_acc_kept_1_##DT },                    \
  .kept_acc = { (CandelaStageFunc) op##_kept_acc_0_##DT, (CandelaStageFunc) op##_kept_acc_1_##DT }
#else
#define STAGE_KEEPS 0
#define STAGE_KEPT_FUNCTIONS(op, DT, T, E)
#define STAGE_KEPT_REFERENCES(op, DT)
#endif

/* The library's family of these vectors, as which other plugins' stages are too. */
#if STAGE_BYTES == 64
#define ELEMENTWISE_FAMILY candela_stage_family_avx512
#elif STAGE_BYTES == 32
#define ELEMENTWISE_FAMILY candela_stage_family_avx2
#else
#define ELEMENTWISE_FAMILY candela_stage_family_baseline
#endif

/* The stages of an op of one input, of two. */
#define STAGE_UNARY(op, DT, T, W, E)                                                                                   \
  STAGE_UNARY_FUNCTION (op, DT, T, E)                                                                                  \
  static const CandelaStages op##_stages_##DT = { .family = &ELEMENTWISE_FAMILY,                                       \
                                                  .unary = (CandelaStageFunc) op##_unary_##DT,                         \
                                                  .preserves = STAGE_KEEPS };

#define STAGE_BINARY_OF(op, DT, T, E, BY_SCALAR, keeps, ...)                                                           \
  STAGE_MEMORY_FUNCTION (op##_acc_memory_##DT, DT, T, E, STAGE_ACC_MEMORY_EACH)                                        \
  STAGE_MEMORY_FUNCTION (op##_memory_acc_##DT, DT, T, E, STAGE_MEMORY_ACC_EACH)                                        \
  BY_SCALAR (op##_acc_scalar_##DT, DT, T, E, STAGE_ACC_SCALAR_EACH)                                                    \
  STAGE_SCALAR_FUNCTION (op##_scalar_acc_##DT, DT, T, E, STAGE_SCALAR_ACC_EACH)                                        \
  static const CandelaStages op##_stages_##DT = { .family = &ELEMENTWISE_FAMILY,                                       \
                                                  .acc_memory = (CandelaStageFunc) op##_acc_memory_##DT,               \
                                                  .memory_acc = (CandelaStageFunc) op##_memory_acc_##DT,               \
                                                  .acc_scalar = (CandelaStageFunc) op##_acc_scalar_##DT,               \
                                                  .scalar_acc = (CandelaStageFunc) op##_scalar_acc_##DT,               \
                                                  .preserves = keeps,                                                  \
                                                  __VA_ARGS__ };

#define STAGE_BINARY(op, DT, T, W, E) STAGE_BINARY_BY (op, DT, T, E, STAGE_SCALAR_FUNCTION)

/* BY_SCALAR makes the stage in which the second operand is a number. */
#define STAGE_BINARY_BY(op, DT, T, E, BY_SCALAR)                                                                       \
  STAGE_KEPT_FUNCTIONS (op, DT, T, E)                                                                                  \
  STAGE_BINARY_OF (op, DT, T, E, BY_SCALAR, STAGE_KEEPS, STAGE_KEPT_REFERENCES (op, DT))

#define STAGE_REFERENCE(op, DT) .stages = &op##_stages_##DT

/* x where the mask is set, y elsewhere. */
#define STAGE_SELECT(mask, x, y)                                                                                       \
  ((__typeof__ (x)) (((__typeof__ (mask)) (x) & (mask)) | ((__typeof__ (mask)) (y) & ~(mask))))

#else
#define STAGE_UNARY(op, DT, T, W, E)
#define STAGE_BINARY(op, DT, T, W, E)
#define STAGE_REFERENCE(op, DT) .stages = NULL
#endif

#define STAGE_UNARY_ROW(op, DT, T, W, E)                                                                               \
  { .in = { CANDELA_DTYPE_##DT }, .out = { CANDELA_DTYPE_##DT }, .loop = op##_##DT, STAGE_REFERENCE (op, DT) },
#define STAGE_BINARY_ROW(op, DT, T, W, E)                                                                              \
  { .in = { CANDELA_DTYPE_##DT, CANDELA_DTYPE_##DT },                                                                  \
    .out = { CANDELA_DTYPE_##DT },                                                                                     \
    .loop = op##_##DT,                                                                                                 \
    STAGE_REFERENCE (op, DT) },

/* As ELEMENTWISE_FLOAT_UNARY, with stages; V is E over vectors. more: rows of other
 * dtypes. */
#define STAGE_FLOAT_UNARY(op, E, V, more, op_summary, ...)                                                             \
  ELEMENTWISE_FLOATS (ELEMENTWISE_UNARY, op, E)                                                                        \
  ELEMENTWISE_FLOATS (STAGE_UNARY, op, V)                                                                              \
  ELEMENTWISE_TABLE (op, ELEMENTWISE_FLOATS (STAGE_UNARY_ROW, op, E) more)                                             \
  ELEMENTWISE_OP (op, elementwise_x_any, op_summary, .infer = elementwise_infer_floating, __VA_ARGS__)
