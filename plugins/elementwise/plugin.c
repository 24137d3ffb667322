/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of element-wise ops: every element-wise function of the Python array
 * API standard 2024.12, and the activations. The loops are there once for each
 * instruction set; those that fit the processor are registered, or those that
 * CANDELA_CPU asks for if the processor can run them. */
#include "../instruction-sets.h"
#include "elementwise.h"

static const CandelaOpInfo *const *const *const sets[] = {
  [CANDELA_INSTRUCTION_SET_BASELINE] = elementwise_ops_baseline,
#ifdef ELEMENTWISE_HAVE_X86_SETS
  [CANDELA_INSTRUCTION_SET_AVX2] = elementwise_ops_avx2,
  [CANDELA_INSTRUCTION_SET_AVX512] = elementwise_ops_avx512,
#endif
};

static CandelaInstructionSet
choose_set (void)
{
  return candela_get_instruction_set ();
}

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  for (const CandelaOpInfo *const *const *list = sets[choose_set ()]; *list != NULL; list++)
    if (!candela_plugin_add_ops (plugin, *list, error))
      return FALSE;

  return TRUE;
}

static GVariant *
describe (void)
{
  CandelaInstructionSet set = choose_set ();
  const char *functions = "the C library";
  GVariantBuilder facts;

#if defined(ELEMENTWISE_HAVE_LIBMVEC)
  if (set != CANDELA_INSTRUCTION_SET_BASELINE)
    functions = "libmvec";
#elif defined(ELEMENTWISE_HAVE_SLEEF)
  if (set != CANDELA_INSTRUCTION_SET_BASELINE)
    functions = "SLEEF";
#endif
  g_variant_builder_init (&facts, G_VARIANT_TYPE ("a{ss}"));
  g_variant_builder_add (&facts, "{ss}", "loops", instruction_set_names[set]);
  g_variant_builder_add (&facts, "{ss}", "functions", functions);
  return g_variant_builder_end (&facts);
}

CANDELA_PLUGIN_DEFINE_DESCRIBED (
  "elementwise", CANDELA_VERSION_S, "LGPL-2.1-or-later",
  "Element-wise functions: arithmetic, comparisons, logic, bits, rounding, mathematics, activations", register_ops,
  describe)
