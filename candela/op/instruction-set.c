/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which of the instruction sets that kernels are compiled for serves. */
#include <candela/op/elementwise.h>

static gboolean
has (CandelaInstructionSet set)
{
  if (set == CANDELA_INSTRUCTION_SET_BASELINE)
    return TRUE;
#ifdef CANDELA_HAVE_X86_SETS
  if (!__builtin_cpu_supports ("avx2") || !__builtin_cpu_supports ("fma"))
    return FALSE;
  return set == CANDELA_INSTRUCTION_SET_AVX2
         || (__builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
             && __builtin_cpu_supports ("avx512dq") && __builtin_cpu_supports ("avx512vl"));
#else
  return FALSE;
#endif
}

/**
 * candela_get_instruction_set: (skip)
 *
 * For which instruction set kernels are taken where there are several: the best one that
 * the processor has, or the one that the environment variable `CANDELA_CPU` names
 * (`baseline`, `avx2`, `avx512`), if the processor has that. Rows of a table of kernels that
 * say their instruction set are chosen by it; a plugin that chooses in another way asks.
 *
 * Returns: the instruction set
 *
 * Since: 1.0
 */
CandelaInstructionSet
candela_get_instruction_set (void)
{
  static const char *const names[] = { "baseline", "avx2", "avx512" };
  const char *wanted = g_getenv ("CANDELA_CPU");
  CandelaInstructionSet best = CANDELA_INSTRUCTION_SET_BASELINE;

  for (guint set = 0; set < G_N_ELEMENTS (names); set++)
    if (has ((CandelaInstructionSet) set))
      {
        best = (CandelaInstructionSet) set;
        if (g_strcmp0 (names[set], wanted) == 0)
          return best;
      }
  return best;
}
