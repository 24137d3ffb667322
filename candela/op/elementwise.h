/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For writers of plugins: the kernels of an element-wise op of floats, from one expression.
 *
 *   #define SOFTSIGN(T, x) ((x) / (1 + CANDELA_ABS (x)))
 *
 *   CANDELA_ELEMENTWISE_UNARY (softsign, SOFTSIGN)
 *
 * makes a table, softsign_kernels, of loops and stages of float32 and float64, for each
 * instruction set: what the shipped ops have. The expression is over vectors x (and y) of
 * elements of type T, float or double; so it has operators, numbers, and CANDELA_ABS() and
 * CANDELA_SELECT(), but no functions of a single number, and no ?:. A constant that float
 * does not hold exactly is written (T) 0.1. Products are not contracted with sums, whatever
 * flags there are, so that an element has the same bits everywhere.
 *
 * What is named below without CANDELA_ELEMENTWISE_, CANDELA_ABS or CANDELA_SELECT before it is
 * for these macros alone.
 *
 * How stages pass the accumulator is part of the binary interface: eight vectors, after the
 * stage and the offset, as arguments of a function of the System V ABI of x86-64. The families
 * are the library's, so that stages of any plugin can follow each other. */
#pragma once

#include <candela/op/op-info.h>
#include <candela/version.h>

G_BEGIN_DECLS

/* For which instruction set loops and stages are taken. */
CANDELA_AVAILABLE_IN_1_0
CandelaInstructionSet candela_get_instruction_set (void);

/* For compilers without vectors, and those who ask for it: plain loops over numbers. */
#if !defined __GNUC__ || defined CANDELA_PLAIN_LOOPS
#define CANDELA_HAVE_VECTORS 0
#else
#define CANDELA_HAVE_VECTORS 1
#endif

#if CANDELA_HAVE_VECTORS

/* ---- What an expression is made of, beside operators ---- */

/* The magnitude of floats. */
#define CANDELA_ABS(x)                                                                                                 \
  ((__typeof__ (+(x))) ((__typeof__ ((x) == (x))) (x) & ~(__typeof__ ((x) == (x))) (-(__typeof__ (+(x))){ 0 })))

/* yes where a comparison holds, no elsewhere; one of them may be a number. */
#define CANDELA_SELECT(mask, yes, no)                                                                                  \
  ((__typeof__ ((yes) + (no))) (((__typeof__ (mask)) ((yes) - (__typeof__ ((yes) + (no))){ 0 }) & (mask))              \
                                | ((__typeof__ (mask)) ((no) - (__typeof__ ((yes) + (no))){ 0 }) & ~(mask))))

/* ---- Instruction sets ---- */

/* Clang has no such attribute, and the pragma within a function. */
#ifdef __clang__
#define CANDELA_UNCONTRACTED
#define CANDELA_UNCONTRACTED_BODY _Pragma ("clang fp contract(off)")
#else
#define CANDELA_UNCONTRACTED __attribute__ ((optimize ("fp-contract=off", "optimize-sibling-calls")))
#define CANDELA_UNCONTRACTED_BODY
#endif

#define CANDELA_TARGET_baseline CANDELA_UNCONTRACTED
#define CANDELA_BYTES_baseline 16

#define CANDELA_VECTORS(set, bytes)                                                                                    \
  typedef float CandelaVector_##set __attribute__ ((vector_size (bytes)));                                             \
  CANDELA_VECTORS_OF (set, bytes, float)                                                                               \
  CANDELA_VECTORS_OF (set, bytes, double)
#define CANDELA_VECTORS_OF(set, bytes, T)                                                                              \
  typedef T CandelaVector_##set##_##T __attribute__ ((vector_size (bytes)));                                           \
  typedef T CandelaVectorAt_##set##_##T __attribute__ ((vector_size (bytes), aligned (1), may_alias));

CANDELA_VECTORS (baseline, 16)
/* What is left of an array, as vectors of one element. */
CANDELA_VECTORS_OF (single, sizeof (float), float)
CANDELA_VECTORS_OF (single, sizeof (double), double)

#ifdef __x86_64__
#define CANDELA_TARGET_avx2 __attribute__ ((target ("avx2,fma"))) CANDELA_UNCONTRACTED
#define CANDELA_TARGET_avx512                                                                                          \
  __attribute__ ((target ("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl"))) CANDELA_UNCONTRACTED
#define CANDELA_BYTES_avx2 32
#define CANDELA_BYTES_avx512 64

CANDELA_VECTORS (avx2, 32)
CANDELA_VECTORS (avx512, 64)

/* The best first. */
#define CANDELA_EACH_SET(X, ...)                                                                                       \
  X (avx512, AVX512, __VA_ARGS__)                                                                                      \
  X (avx2, AVX2, __VA_ARGS__)                                                                                          \
  X (baseline, BASELINE, __VA_ARGS__)
#else
#define CANDELA_EACH_SET(X, ...) X (baseline, BASELINE, __VA_ARGS__)
#endif

/* ---- Loops ---- */

#define CANDELA_LOOP_HEAD(name, T, set)                                                                                \
  CANDELA_TARGET_##set static void candela_##name##_loop_##T##_##set (gpointer const *out, gconstpointer const *in,    \
                                                                      gsize n, const CandelaParams *params)

#define CANDELA_LOOP_UNARY(name, E, T, set)                                                                            \
  CANDELA_LOOP_HEAD (name, T, set)                                                                                     \
  {                                                                                                                    \
    CANDELA_UNCONTRACTED_BODY                                                                                          \
    const T *candela_x = (const T *) in[0];                                                                            \
    T *candela_out = (T *) out[0];                                                                                     \
    const gsize candela_lanes = CANDELA_BYTES_##set / sizeof (T);                                                      \
                                                                                                                       \
    (void) params;                                                                                                     \
    for (; n >= candela_lanes; n -= candela_lanes, candela_x += candela_lanes, candela_out += candela_lanes)           \
      CANDELA_LOOP_UNARY_STEP (E, T, set)                                                                              \
    for (; n > 0; n--, candela_x++, candela_out++)                                                                     \
      CANDELA_LOOP_UNARY_STEP (E, T, single)                                                                           \
  }
#define CANDELA_LOOP_UNARY_STEP(E, T, set)                                                                             \
  {                                                                                                                    \
    const CandelaVector_##set##_##T candela_a = *(const CandelaVectorAt_##set##_##T *) candela_x;                      \
    *(CandelaVectorAt_##set##_##T *) candela_out = E (T, candela_a);                                                   \
  }

#define CANDELA_LOOP_BINARY(name, E, T, set)                                                                           \
  CANDELA_LOOP_HEAD (name, T, set)                                                                                     \
  {                                                                                                                    \
    CANDELA_UNCONTRACTED_BODY                                                                                          \
    const T *candela_x = (const T *) in[0], *candela_y = (const T *) in[1];                                            \
    T *candela_out = (T *) out[0];                                                                                     \
    const gsize candela_lanes = CANDELA_BYTES_##set / sizeof (T);                                                      \
                                                                                                                       \
    (void) params;                                                                                                     \
    for (; n >= candela_lanes;                                                                                         \
         n -= candela_lanes, candela_x += candela_lanes, candela_y += candela_lanes, candela_out += candela_lanes)     \
      CANDELA_LOOP_BINARY_STEP (E, T, set)                                                                             \
    for (; n > 0; n--, candela_x++, candela_y++, candela_out++)                                                        \
      CANDELA_LOOP_BINARY_STEP (E, T, single)                                                                          \
  }
#define CANDELA_LOOP_BINARY_STEP(E, T, set)                                                                            \
  {                                                                                                                    \
    const CandelaVector_##set##_##T candela_a = *(const CandelaVectorAt_##set##_##T *) candela_x;                      \
    const CandelaVector_##set##_##T candela_b = *(const CandelaVectorAt_##set##_##T *) candela_y;                      \
    *(CandelaVectorAt_##set##_##T *) candela_out = E (T, candela_a, candela_b);                                        \
  }

/* ---- Stages ---- */

#if defined __clang__ && defined __has_feature
#if __has_feature(thread_sanitizer)
#define CANDELA_THREAD_SANITIZER 1
#endif
#elif defined __SANITIZE_THREAD__
#define CANDELA_THREAD_SANITIZER 1
#endif

/* Where the last act of a function, a call, is made a jump: not for ThreadSanitizer, which puts
 * a call of its own behind each. */
#if defined __x86_64__ && !defined _WIN32 && defined __OPTIMIZE__ && !defined CANDELA_THREAD_SANITIZER
#define CANDELA_STAGED_baseline 1
#else
#define CANDELA_STAGED_baseline 0
#endif
/* Clang passes vectors in registers only if the whole file is compiled for them; there the loops
 * serve alone. */
#if CANDELA_STAGED_baseline && (!defined __clang__ || defined __AVX2__)
#define CANDELA_STAGED_avx2 1
#else
#define CANDELA_STAGED_avx2 0
#endif
#if CANDELA_STAGED_baseline && (!defined __clang__ || defined __AVX512F__)
#define CANDELA_STAGED_avx512 1
#else
#define CANDELA_STAGED_avx512 0
#endif

#ifdef __x86_64__
CANDELA_AVAILABLE_IN_1_0
const CandelaStageFamily candela_stage_family_baseline;
CANDELA_AVAILABLE_IN_1_0
const CandelaStageFamily candela_stage_family_avx2;
CANDELA_AVAILABLE_IN_1_0
const CandelaStageFamily candela_stage_family_avx512;
#endif

#define CANDELA_STAGE_ARGUMENTS(set)                                                                                   \
  const CandelaStage *candela_stage, gsize candela_offset, CandelaVector_##set candela_a0,                             \
    CandelaVector_##set candela_a1, CandelaVector_##set candela_a2, CandelaVector_##set candela_a3,                    \
    CandelaVector_##set candela_a4, CandelaVector_##set candela_a5, CandelaVector_##set candela_a6,                    \
    CandelaVector_##set candela_a7

#ifdef __x86_64__
typedef void (*CandelaStageFunc_baseline) (CANDELA_STAGE_ARGUMENTS (baseline));
typedef void (*CandelaStageFunc_avx2) (CANDELA_STAGE_ARGUMENTS (avx2));
typedef void (*CandelaStageFunc_avx512) (CANDELA_STAGE_ARGUMENTS (avx512));
#endif

/* Clang makes no jump of it by itself with -O1. */
#ifdef __clang__
#define CANDELA_TAIL_CALL __attribute__ ((musttail)) return
#else
#define CANDELA_TAIL_CALL
#endif

#define CANDELA_STAGE_NEXT(set)                                                                                        \
  CANDELA_TAIL_CALL ((CandelaStageFunc_##set) candela_stage[1].func)                                                   \
  (candela_stage + 1, candela_offset, candela_a0, candela_a1, candela_a2, candela_a3, candela_a4, candela_a5,          \
   candela_a6, candela_a7)

#define CANDELA_STAGE_EACH(M, ...)                                                                                     \
  M (0, __VA_ARGS__)                                                                                                   \
  M (1, __VA_ARGS__)                                                                                                   \
  M (2, __VA_ARGS__)                                                                                                   \
  M (3, __VA_ARGS__)                                                                                                   \
  M (4, __VA_ARGS__)                                                                                                   \
  M (5, __VA_ARGS__)                                                                                                   \
  M (6, __VA_ARGS__)                                                                                                   \
  M (7, __VA_ARGS__)

/* With AVX-512 two more values are in registers 16 to 23 and 24 to 31. A stage of that set
 * begins with them as what an empty assembly makes, and ends with them as what another one
 * reads, so that they are there again, whatever comes between: for the compiler, these are
 * registers in use. The accumulator goes through both, so that nothing is computed
 * before the one or after the other. */
#define CANDELA_KEEPS_baseline FALSE
#define CANDELA_KEEPS_avx2 FALSE
#define CANDELA_KEEPS_avx512 TRUE
#define CANDELA_STAGE_BEGIN_baseline
#define CANDELA_STAGE_BEGIN_avx2
#define CANDELA_STAGE_BEGIN_avx512                                                                                     \
  register CandelaVector_avx512 candela_k0_0 __asm__("zmm16"), candela_k0_1 __asm__("zmm17"),                          \
    candela_k0_2 __asm__("zmm18"), candela_k0_3 __asm__("zmm19"), candela_k0_4 __asm__("zmm20"),                       \
    candela_k0_5 __asm__("zmm21"), candela_k0_6 __asm__("zmm22"), candela_k0_7 __asm__("zmm23"),                       \
    candela_k1_0 __asm__("zmm24"), candela_k1_1 __asm__("zmm25"), candela_k1_2 __asm__("zmm26"),                       \
    candela_k1_3 __asm__("zmm27"), candela_k1_4 __asm__("zmm28"), candela_k1_5 __asm__("zmm29"),                       \
    candela_k1_6 __asm__("zmm30"), candela_k1_7 __asm__("zmm31");                                                      \
  __asm__ volatile(""                                                                                                  \
                   : "=v"(candela_k0_0), "=v"(candela_k0_1), "=v"(candela_k0_2), "=v"(candela_k0_3),                   \
                     "=v"(candela_k0_4), "=v"(candela_k0_5), "=v"(candela_k0_6), "=v"(candela_k0_7),                   \
                     "=v"(candela_k1_0), "=v"(candela_k1_1), "=v"(candela_k1_2), "=v"(candela_k1_3),                   \
                     "=v"(candela_k1_4), "=v"(candela_k1_5), "=v"(candela_k1_6), "=v"(candela_k1_7));                  \
  CANDELA_STAGE_FENCE
#define CANDELA_STAGE_END_baseline
#define CANDELA_STAGE_END_avx2
#define CANDELA_STAGE_END_avx512                                                                                       \
  CANDELA_STAGE_FENCE                                                                                                  \
  __asm__ volatile(""                                                                                                  \
                   :                                                                                                   \
                   : "v"(candela_k0_0), "v"(candela_k0_1), "v"(candela_k0_2), "v"(candela_k0_3), "v"(candela_k0_4),    \
                     "v"(candela_k0_5), "v"(candela_k0_6), "v"(candela_k0_7), "v"(candela_k1_0), "v"(candela_k1_1),    \
                     "v"(candela_k1_2), "v"(candela_k1_3), "v"(candela_k1_4), "v"(candela_k1_5), "v"(candela_k1_6),    \
                     "v"(candela_k1_7));
#define CANDELA_STAGE_FENCE                                                                                            \
  __asm__ volatile(""                                                                                                  \
                   : "+r"(candela_stage), "+v"(candela_a0), "+v"(candela_a1), "+v"(candela_a2), "+v"(candela_a3),      \
                     "+v"(candela_a4), "+v"(candela_a5), "+v"(candela_a6), "+v"(candela_a7));

/* A stage that does EACH for each vector of the accumulator. */
#define CANDELA_STAGE(name, set, BEFORE, EACH, ...)                                                                    \
  CANDELA_TARGET_##set static void name (CANDELA_STAGE_ARGUMENTS (set))                                                \
  {                                                                                                                    \
    CANDELA_UNCONTRACTED_BODY                                                                                          \
    CANDELA_STAGE_BEGIN_##set BEFORE (set, __VA_ARGS__) CANDELA_STAGE_EACH (EACH, set, __VA_ARGS__)                    \
      CANDELA_STAGE_END_##set CANDELA_STAGE_NEXT (set);                                                                \
  }

#define CANDELA_STAGE_NOTHING(set, ...)
#define CANDELA_STAGE_DATA(set, ...)                                                                                   \
  guint8 *candela_data = (guint8 *) candela_stage->data + (candela_offset & candela_stage->mask);
/* A vector of equal elements: minus zero, each is what it was, -0.0 too. */
#define CANDELA_STAGE_SCALAR(set, T, ...)                                                                              \
  const CandelaVector_##set##_##T candela_scalar =                                                                     \
    (*(const CandelaVectorAt_single_##T *) &candela_stage->scalar)[0] - (CandelaVector_##set##_##T){ 0 };

#define CANDELA_STAGE_ACC(i, set, T) ((CandelaVector_##set##_##T) candela_a##i)
#define CANDELA_STAGE_AT(i, set, T) (*(CandelaVectorAt_##set##_##T *) (candela_data + (i) *CANDELA_BYTES_##set))

#define CANDELA_STAGE_UNARY_EACH(i, set, T, E)                                                                         \
  {                                                                                                                    \
    const CandelaVector_##set##_##T candela_x = CANDELA_STAGE_ACC (i, set, T);                                         \
    candela_a##i = (CandelaVector_##set) E (T, candela_x);                                                             \
  }
#define CANDELA_STAGE_BINARY_OF(i, set, T, E, first, second)                                                           \
  {                                                                                                                    \
    const CandelaVector_##set##_##T candela_x = first, candela_y = second;                                             \
    candela_a##i = (CandelaVector_##set) E (T, candela_x, candela_y);                                                  \
  }
#define CANDELA_STAGE_ACC_MEMORY_EACH(i, set, T, E)                                                                    \
  CANDELA_STAGE_BINARY_OF (i, set, T, E, CANDELA_STAGE_ACC (i, set, T), CANDELA_STAGE_AT (i, set, T))
#define CANDELA_STAGE_MEMORY_ACC_EACH(i, set, T, E)                                                                    \
  CANDELA_STAGE_BINARY_OF (i, set, T, E, CANDELA_STAGE_AT (i, set, T), CANDELA_STAGE_ACC (i, set, T))
#define CANDELA_STAGE_ACC_SCALAR_EACH(i, set, T, E)                                                                    \
  CANDELA_STAGE_BINARY_OF (i, set, T, E, CANDELA_STAGE_ACC (i, set, T), candela_scalar)
#define CANDELA_STAGE_SCALAR_ACC_EACH(i, set, T, E)                                                                    \
  CANDELA_STAGE_BINARY_OF (i, set, T, E, candela_scalar, CANDELA_STAGE_ACC (i, set, T))
#define CANDELA_STAGE_ACC_KEPT_EACH(i, set, T, E, k)                                                                   \
  CANDELA_STAGE_BINARY_OF (i, set, T, E, CANDELA_STAGE_ACC (i, set, T), (CandelaVector_##set##_##T) candela_k##k##_##i)
#define CANDELA_STAGE_KEPT_ACC_EACH(i, set, T, E, k)                                                                   \
  CANDELA_STAGE_BINARY_OF (i, set, T, E, (CandelaVector_##set##_##T) candela_k##k##_##i, CANDELA_STAGE_ACC (i, set, T))

/* Those with what is kept, where anything is. */
#define CANDELA_STAGES_KEPT_baseline(name, E, T)
#define CANDELA_STAGES_KEPT_avx2(name, E, T)
#define CANDELA_STAGES_KEPT_avx512(name, E, T)                                                                         \
  CANDELA_STAGE (candela_##name##_acc_kept_0_##T, avx512, CANDELA_STAGE_NOTHING, CANDELA_STAGE_ACC_KEPT_EACH, T, E, 0) \
  CANDELA_STAGE (candela_##name##_acc_kept_1_##T, avx512, CANDELA_STAGE_NOTHING, CANDELA_STAGE_ACC_KEPT_EACH, T, E, 1) \
  CANDELA_STAGE (candela_##name##_kept_acc_0_##T, avx512, CANDELA_STAGE_NOTHING, CANDELA_STAGE_KEPT_ACC_EACH, T, E, 0) \
  CANDELA_STAGE (candela_##name##_kept_acc_1_##T, avx512, CANDELA_STAGE_NOTHING, CANDELA_STAGE_KEPT_ACC_EACH, T, E, 1)
#define CANDELA_STAGES_KEPT_FIELDS_baseline(name, T)
#define CANDELA_STAGES_KEPT_FIELDS_avx2(name, T)
#define CANDELA_STAGES_KEPT_FIELDS_avx512(name, T)                                                                     \
  .acc_kept = { (CandelaStageFunc) candela_##name##_acc_kept_0_##T,                                                    \
                (CandelaStageFunc) candela_##name##_acc_kept_1_##T },                                                  \
  .kept_acc = { (CandelaStageFunc) candela_##name##_kept_acc_0_##T,                                                    \
                (CandelaStageFunc) candela_##name##_kept_acc_1_##T }

#define CANDELA_STAGES_UNARY_1(name, E, T, set)                                                                        \
  CANDELA_STAGE (candela_##name##_unary_##T##_##set, set, CANDELA_STAGE_NOTHING, CANDELA_STAGE_UNARY_EACH, T, E)       \
  static const CandelaStages candela_##name##_stages_##T##_##set = {                                                   \
    .family = &candela_stage_family_##set,                                                                             \
    .unary = (CandelaStageFunc) candela_##name##_unary_##T##_##set,                                                    \
    .preserves = CANDELA_KEEPS_##set                                                                                   \
  };

#define CANDELA_STAGES_BINARY_1(name, E, T, set)                                                                       \
  CANDELA_STAGE (candela_##name##_acc_memory_##T##_##set, set, CANDELA_STAGE_DATA, CANDELA_STAGE_ACC_MEMORY_EACH, T,   \
                 E)                                                                                                    \
  CANDELA_STAGE (candela_##name##_memory_acc_##T##_##set, set, CANDELA_STAGE_DATA, CANDELA_STAGE_MEMORY_ACC_EACH, T,   \
                 E)                                                                                                    \
  CANDELA_STAGE (candela_##name##_acc_scalar_##T##_##set, set, CANDELA_STAGE_SCALAR, CANDELA_STAGE_ACC_SCALAR_EACH, T, \
                 E)                                                                                                    \
  CANDELA_STAGE (candela_##name##_scalar_acc_##T##_##set, set, CANDELA_STAGE_SCALAR, CANDELA_STAGE_SCALAR_ACC_EACH, T, \
                 E)                                                                                                    \
  CANDELA_STAGES_KEPT_##set (name, E, T) static const CandelaStages candela_##name##_stages_##T##_##set = {            \
    .family = &candela_stage_family_##set,                                                                             \
    .acc_memory = (CandelaStageFunc) candela_##name##_acc_memory_##T##_##set,                                          \
    .memory_acc = (CandelaStageFunc) candela_##name##_memory_acc_##T##_##set,                                          \
    .acc_scalar = (CandelaStageFunc) candela_##name##_acc_scalar_##T##_##set,                                          \
    .scalar_acc = (CandelaStageFunc) candela_##name##_scalar_acc_##T##_##set,                                          \
    .preserves = CANDELA_KEEPS_##set,                                                                                  \
    CANDELA_STAGES_KEPT_FIELDS_##set (name, T)                                                                         \
  };
#define CANDELA_STAGES_OF_1(name, T, set) &candela_##name##_stages_##T##_##set

#define CANDELA_STAGES_UNARY_0(name, E, T, set)
#define CANDELA_STAGES_BINARY_0(name, E, T, set)
#define CANDELA_STAGES_OF_0(name, T, set) NULL

#define CANDELA_PASTE(a, b) CANDELA_PASTE_EXPANDED (a, b)
#define CANDELA_PASTE_EXPANDED(a, b) a##b
#define CANDELA_STAGES_UNARY(name, E, T, set)                                                                          \
  CANDELA_PASTE (CANDELA_STAGES_UNARY_, CANDELA_STAGED_##set) (name, E, T, set)
#define CANDELA_STAGES_BINARY(name, E, T, set)                                                                         \
  CANDELA_PASTE (CANDELA_STAGES_BINARY_, CANDELA_STAGED_##set) (name, E, T, set)
#define CANDELA_STAGES_OF(name, T, set) CANDELA_PASTE (CANDELA_STAGES_OF_, CANDELA_STAGED_##set) (name, T, set)

#define CANDELA_KERNELS_UNARY(set, SET, name, E, T)                                                                    \
  CANDELA_LOOP_UNARY (name, E, T, set)                                                                                 \
  CANDELA_STAGES_UNARY (name, E, T, set)
#define CANDELA_KERNELS_BINARY(set, SET, name, E, T)                                                                   \
  CANDELA_LOOP_BINARY (name, E, T, set)                                                                                \
  CANDELA_STAGES_BINARY (name, E, T, set)

#else

#define CANDELA_ABS(x) ((x) > 0 ? (x) : 0 - (x))
#define CANDELA_SELECT(mask, yes, no) ((mask) ? (yes) : (no))

#ifdef __clang__
#define CANDELA_LOOP_BEGIN _Pragma ("clang fp contract(off)")
#define CANDELA_UNCONTRACTED
#elif defined __GNUC__
#define CANDELA_LOOP_BEGIN
#define CANDELA_UNCONTRACTED __attribute__ ((optimize ("fp-contract=off")))
#else
#define CANDELA_LOOP_BEGIN _Pragma ("STDC FP_CONTRACT OFF")
#define CANDELA_UNCONTRACTED
#endif

#define CANDELA_EACH_SET(X, ...) X (plain, BASELINE, __VA_ARGS__)
#define CANDELA_STAGES_OF(name, T, set) NULL

#define CANDELA_KERNELS_UNARY(set, SET, name, E, T)                                                                    \
  CANDELA_UNCONTRACTED static void candela_##name##_loop_##T##_##set (gpointer const *out, gconstpointer const *in,    \
                                                                      gsize n, const CandelaParams *params)            \
  {                                                                                                                    \
    CANDELA_LOOP_BEGIN                                                                                                 \
    const T *candela_in = (const T *) in[0];                                                                           \
    T *candela_out = (T *) out[0];                                                                                     \
                                                                                                                       \
    (void) params;                                                                                                     \
    for (gsize candela_i = 0; candela_i < n; candela_i++)                                                              \
      {                                                                                                                \
        const T candela_x = candela_in[candela_i];                                                                     \
        candela_out[candela_i] = E (T, candela_x);                                                                     \
      }                                                                                                                \
  }
#define CANDELA_KERNELS_BINARY(set, SET, name, E, T)                                                                   \
  CANDELA_UNCONTRACTED static void candela_##name##_loop_##T##_##set (gpointer const *out, gconstpointer const *in,    \
                                                                      gsize n, const CandelaParams *params)            \
  {                                                                                                                    \
    CANDELA_LOOP_BEGIN                                                                                                 \
    const T *candela_in = (const T *) in[0], *candela_in_2 = (const T *) in[1];                                        \
    T *candela_out = (T *) out[0];                                                                                     \
                                                                                                                       \
    (void) params;                                                                                                     \
    for (gsize candela_i = 0; candela_i < n; candela_i++)                                                              \
      {                                                                                                                \
        const T candela_x = candela_in[candela_i], candela_y = candela_in_2[candela_i];                                \
        candela_out[candela_i] = E (T, candela_x, candela_y);                                                          \
      }                                                                                                                \
  }

#endif

/* ---- The table ---- */

#define CANDELA_ROW_UNARY(set, SET, name, DT, T)                                                                       \
  { .in = { CANDELA_DTYPE_##DT },                                                                                      \
    .out = { CANDELA_DTYPE_##DT },                                                                                     \
    .loop = candela_##name##_loop_##T##_##set,                                                                         \
    .stages = CANDELA_STAGES_OF (name, T, set),                                                                        \
    .instruction_set = CANDELA_INSTRUCTION_SET_##SET },
#define CANDELA_ROW_BINARY(set, SET, name, DT, T)                                                                      \
  { .in = { CANDELA_DTYPE_##DT, CANDELA_DTYPE_##DT },                                                                  \
    .out = { CANDELA_DTYPE_##DT },                                                                                     \
    .loop = candela_##name##_loop_##T##_##set,                                                                         \
    .stages = CANDELA_STAGES_OF (name, T, set),                                                                        \
    .instruction_set = CANDELA_INSTRUCTION_SET_##SET },

#ifdef __FAST_MATH__
#define CANDELA_ELEMENTWISE_TABLE(name, E, KERNELS, ROW)                                                               \
  _Pragma ("GCC error \"-ffast-math makes the bits of an element depend on where it stands\"")
#else
#define CANDELA_ELEMENTWISE_TABLE(name, E, KERNELS, ROW)                                                               \
  CANDELA_EACH_SET (KERNELS, name, E, float)                                                                           \
  CANDELA_EACH_SET (KERNELS, name, E, double)                                                                          \
  static const CandelaKernelInfo name##_kernels[] = { CANDELA_EACH_SET (ROW, name, FLOAT32, float) CANDELA_EACH_SET (  \
    ROW, name, FLOAT64, double){ .loop = NULL } };
#endif

/* name_kernels, of the expression E (T, x), of E (T, x, y). */
#define CANDELA_ELEMENTWISE_UNARY(name, E) CANDELA_ELEMENTWISE_TABLE (name, E, CANDELA_KERNELS_UNARY, CANDELA_ROW_UNARY)
#define CANDELA_ELEMENTWISE_BINARY(name, E)                                                                            \
  CANDELA_ELEMENTWISE_TABLE (name, E, CANDELA_KERNELS_BINARY, CANDELA_ROW_BINARY)

G_END_DECLS
