/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How fast this machine multiplies and adds: the roof under which a step stands
 * that does much with what it reads. Measured, not looked up, with the threads that
 * a run would have: multiply-adds in vector registers, as many at a time as keep the
 * processor's units busy until the first is done. */
#include <candela/exec/profile-private.h>
#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#define CHAINS 12
#define CHUNK_ROUNDS 4096
#define CHUNKS_PER_THREAD 16
#define BUDGET (5 * G_USEC_PER_SEC / 1000)
#define MIN_RUNS 3
#define MAX_VECTOR 64

/* n rounds of CHAINS vectors, each times 0.5 and plus 0.25: none of them is lost
 * or becomes so small that it takes longer. */
typedef void (*RoundsFunc) (gsize n, gpointer out);

#define EACH(F) F (0) F (1) F (2) F (3) F (4) F (5) F (6) F (7) F (8) F (9) F (10) F (11)
#define START(k) a##k = zero + k;
#define STEP(k) a##k = MULTIPLY_ADD (a##k);
#define ADD(k) sum += a##k;

#define ROUNDS(name, vector, ...)                                                                                      \
  __VA_ARGS__ static void name (gsize n, gpointer out)                                                                 \
  {                                                                                                                    \
    const vector zero = { 0 }, half = zero + 0.5f, quarter = zero + 0.25f;                                             \
    vector a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, sum = zero;                                               \
                                                                                                                       \
    EACH (START)                                                                                                       \
    for (; n > 0; n--)                                                                                                 \
      {                                                                                                                \
        EACH (STEP)                                                                                                    \
      }                                                                                                                \
    EACH (ADD)                                                                                                         \
    memcpy (out, &sum, sizeof sum);                                                                                    \
  }

typedef float Floats __attribute__ ((vector_size (16)));
typedef double Doubles __attribute__ ((vector_size (16)));

#define MULTIPLY_ADD(a) ((a) *half + quarter)
ROUNDS (rounds_float32, Floats)
ROUNDS (rounds_float64, Doubles)
#undef MULTIPLY_ADD

#ifdef __x86_64__
#define MULTIPLY_ADD(a) _mm256_fmadd_ps (a, half, quarter)
ROUNDS (rounds_float32_avx2, __m256, __attribute__ ((target ("avx2,fma"))))
#undef MULTIPLY_ADD
#define MULTIPLY_ADD(a) _mm256_fmadd_pd (a, half, quarter)
ROUNDS (rounds_float64_avx2, __m256d, __attribute__ ((target ("avx2,fma"))))
#undef MULTIPLY_ADD
#define MULTIPLY_ADD(a) _mm512_fmadd_ps (a, half, quarter)
ROUNDS (rounds_float32_avx512, __m512, __attribute__ ((target ("avx512f"))))
#undef MULTIPLY_ADD
#define MULTIPLY_ADD(a) _mm512_fmadd_pd (a, half, quarter)
ROUNDS (rounds_float64_avx512, __m512d, __attribute__ ((target ("avx512f"))))
#undef MULTIPLY_ADD
#endif

typedef struct
{
  RoundsFunc rounds[2]; /* of float32, of float64 */
  gsize vector;         /* bytes */
} Units;

static Units
get_units (void)
{
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx512f"))
    return (Units){ { rounds_float32_avx512, rounds_float64_avx512 }, 64 };
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma"))
    return (Units){ { rounds_float32_avx2, rounds_float64_avx2 }, 32 };
#endif
  return (Units){ { rounds_float32, rounds_float64 }, 16 };
}

static void
run_chunk (guint64 chunk, gpointer data)
{
  const RoundsFunc *rounds = data;
  guint8 out[MAX_VECTOR];

  (*rounds) (CHUNK_ROUNDS, out);
}

/* The best of several: a slower one was disturbed. */
static guint64
measure (gboolean is_double, guint n_threads)
{
  const Units units = get_units ();
  RoundsFunc rounds = units.rounds[is_double];
  guint64 n_chunks = (guint64) n_threads * CHUNKS_PER_THREAD;
  double flops = 2.0 * CHAINS * CHUNK_ROUNDS * (double) (units.vector / (is_double ? 8 : 4)) * (double) n_chunks;
  gint64 deadline = g_get_monotonic_time () + BUDGET, best = G_MAXINT64;

  for (guint n = 0; n < MIN_RUNS || g_get_monotonic_time () < deadline; n++)
    {
      gint64 start = candela_clock_nanoseconds ();

      candela_parallel_for (n_chunks, run_chunk, &rounds);
      best = MIN (best, MAX (candela_clock_nanoseconds () - start, 1));
    }
  return (guint64) (flops * 1e9 / (double) best);
}

/**
 * candela_measure_arithmetic:
 * @dtype: %CANDELA_DTYPE_FLOAT32 or %CANDELA_DTYPE_FLOAT64
 *
 * How many floating-point operations a second this machine does at best: those of
 * multiplications with an addition, which count as two, over vectors as wide as the
 * processor has them, with as many threads as a run may use. Measured when first asked
 * (that takes some 5 ms), and again when the number of threads has changed; else as it
 * was.
 *
 * Returns: operations a second; 0 for other dtypes
 *
 * Since: 1.0
 */
guint64
candela_measure_arithmetic (CandelaDType dtype)
{
  static GMutex lock;
  static guint64 measured[2];
  static guint threads[2];
  gboolean is_double = dtype == CANDELA_DTYPE_FLOAT64;
  guint n = candela_get_num_threads ();
  guint64 result;

  if (!is_double && dtype != CANDELA_DTYPE_FLOAT32)
    return 0;

  g_mutex_lock (&lock);
  if (threads[is_double] != n)
    {
      measured[is_double] = measure (is_double, n);
      threads[is_double] = n;
    }
  result = measured[is_double];
  g_mutex_unlock (&lock);
  return result;
}
