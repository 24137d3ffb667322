/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which of the instruction sets that loops are compiled for a plugin takes: the best
 * that the processor has, or the one that CANDELA_CPU names if it has that. */
#pragma once

#include <glib.h>

typedef enum {
  INSTRUCTION_SET_BASELINE,
  INSTRUCTION_SET_AVX2,
  INSTRUCTION_SET_AVX512
} InstructionSet;

static const char *const instruction_set_names[] = { "baseline", "avx2", "avx512" };

/* compiled: whether there are loops for others than the baseline. */
static inline gboolean
instruction_set_is_usable (InstructionSet set, gboolean compiled)
{
  if (set == INSTRUCTION_SET_BASELINE)
    return TRUE;
#if defined __x86_64__ || defined __i386__
  if (!compiled || !__builtin_cpu_supports ("avx2") || !__builtin_cpu_supports ("fma"))
    return FALSE;
  return set == INSTRUCTION_SET_AVX2
         || (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
             && __builtin_cpu_supports ("avx512dq") && __builtin_cpu_supports ("avx512vl"));
#else
  return FALSE;
#endif
}

static inline InstructionSet
instruction_set_choose (gboolean compiled)
{
  const char *wanted = g_getenv ("CANDELA_CPU");
  InstructionSet best = INSTRUCTION_SET_BASELINE;

  for (InstructionSet set = INSTRUCTION_SET_BASELINE; set <= INSTRUCTION_SET_AVX512; set++)
    if (instruction_set_is_usable (set, compiled))
      {
        best = set;
        if (wanted != NULL && g_str_equal (instruction_set_names[set], wanted))
          return set;
      }
  return best;
}
