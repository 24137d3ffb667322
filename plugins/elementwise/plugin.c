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

/* The best that is usable, or the one that CANDELA_CPU names. */
static InstructionSet
choose_set (void)
{
  const char *wanted = g_getenv ("CANDELA_CPU");
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
      return sets[i];

  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    if (sets[i].usable)
      return sets[i];

  return sets[G_N_ELEMENTS (sets) - 1];
}

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  for (const CandelaOpInfo *const *const *list = choose_set ().ops; *list != NULL; list++)
    if (!candela_plugin_add_ops (plugin, *list, error))
      return FALSE;

  return TRUE;
}

static GVariant *
describe (void)
{
  InstructionSet set = choose_set ();
  const char *functions = "the C library";
  GVariantBuilder facts;

#if defined(ELEMENTWISE_HAVE_LIBMVEC)
  if (!g_str_equal (set.name, "baseline"))
    functions = "libmvec";
#elif defined(ELEMENTWISE_HAVE_SLEEF)
  if (!g_str_equal (set.name, "baseline"))
    functions = "SLEEF";
#endif
  g_variant_builder_init (&facts, G_VARIANT_TYPE ("a{ss}"));
  g_variant_builder_add (&facts, "{ss}", "loops", set.name);
  g_variant_builder_add (&facts, "{ss}", "functions", functions);
  return g_variant_builder_end (&facts);
}

CANDELA_PLUGIN_DEFINE_DESCRIBED (
  "elementwise", CANDELA_VERSION_S, "LGPL-2.1-or-later",
  "Element-wise functions: arithmetic, comparisons, logic, bits, rounding, mathematics, activations", register_ops,
  describe)
