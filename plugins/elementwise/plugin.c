/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of element-wise ops: every element-wise function of the Python array
 * API standard 2024.12, and the activations. The loops are there once for each
 * instruction set; those that fit the processor are registered, or those that
 * CANDELA_CPU asks for if the processor can run them. */
#include "elementwise.h"

typedef struct
{
  const char *name;
  const CandelaOpInfo *const *const *ops;
  gboolean usable;
} InstructionSet;

/* The best that is usable, or the one of that name. */
static const CandelaOpInfo *const *const *
choose_ops (const char *wanted)
{
#ifdef ELEMENTWISE_HAVE_X86_SETS
  const gboolean avx2 = __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma");
  const gboolean avx512 = avx2 && __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
                          && __builtin_cpu_supports ("avx512dq") && __builtin_cpu_supports ("avx512vl");
#endif
  const InstructionSet sets[] = {
#ifdef ELEMENTWISE_HAVE_X86_SETS
    { "avx512", elementwise_ops_avx512, avx512 },
    { "avx2", elementwise_ops_avx2, avx2 },
#endif
    { "baseline", elementwise_ops_baseline, TRUE },
  };

  for (guint i = 0; wanted != NULL && i < G_N_ELEMENTS (sets); i++)
    if (sets[i].usable && g_str_equal (sets[i].name, wanted))
      return sets[i].ops;

  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    if (sets[i].usable)
      return sets[i].ops;

  return elementwise_ops_baseline;
}

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  for (const CandelaOpInfo *const *const *list = choose_ops (g_getenv ("CANDELA_CPU")); *list != NULL; list++)
    if (!candela_plugin_add_ops (plugin, *list, error))
      return FALSE;

  return TRUE;
}

CANDELA_PLUGIN_DEFINE (
  "elementwise", CANDELA_VERSION_S, "LGPL-2.1-or-later",
  "Element-wise functions: arithmetic, comparisons, logic, bits, rounding, mathematics, activations", register_ops)
