/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which of the instruction sets that kernels are compiled for serves. */
#include <candela/op/elementwise.h>
#include <candela/value/dtype-private.h>

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
  guint n = candela_count_instruction_sets ();

  for (guint set = 0; set < n; set++)
    if (g_strcmp0 (names[set], wanted) == 0)
      return (CandelaInstructionSet) set;
  return (CandelaInstructionSet) (n - 1);
}
