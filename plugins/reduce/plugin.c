/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of the reductions. */
#include "reduce.h"

typedef struct
{
  const char *name;
  const CandelaOpInfo *const *ops;
  gboolean usable;
} InstructionSet;

/* The best that is usable, or the one that CANDELA_CPU asks for if it is. */
static InstructionSet
choose_set (void)
{
  const char *wanted = g_getenv ("CANDELA_CPU");
#ifdef REDUCE_HAVE_X86_SETS
  const gboolean avx2 = __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma");
  const gboolean avx512 = avx2 && __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
                          && __builtin_cpu_supports ("avx512dq") && __builtin_cpu_supports ("avx512vl");
#endif
  const InstructionSet sets[] = {
#ifdef REDUCE_HAVE_X86_SETS
    { "avx512", reduce_ops_avx512, avx512 },
    { "avx2", reduce_ops_avx2, avx2 },
#endif
    { "baseline", reduce_ops_baseline, TRUE },
  };

  for (guint i = 0; wanted != NULL && i < G_N_ELEMENTS (sets); i++)
    if (sets[i].usable && g_str_equal (sets[i].name, wanted))
      return sets[i];

  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    if (sets[i].usable)
      return sets[i];

  return sets[G_N_ELEMENTS (sets) - 1];
}

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  return candela_plugin_add_ops (plugin, choose_set ().ops, error);
}

static GVariant *
describe (void)
{
  return g_variant_new_parsed ("{'loops': %s}", choose_set ().name);
}

CANDELA_PLUGIN_DEFINE_DESCRIBED ("reduce", "1.0.0", "LGPL-2.1-or-later", "Sums, extremes and moments along axes",
                                 register_ops, describe)
