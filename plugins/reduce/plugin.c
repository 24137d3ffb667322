/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of the reductions. */
#include "../instruction-sets.h"
#include "reduce.h"

static const CandelaOpInfo *const *const sets[] = {
  [CANDELA_INSTRUCTION_SET_BASELINE] = reduce_ops_baseline,
#ifdef REDUCE_HAVE_X86_SETS
  [CANDELA_INSTRUCTION_SET_AVX2] = reduce_ops_avx2,
  [CANDELA_INSTRUCTION_SET_AVX512] = reduce_ops_avx512,
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
  return candela_plugin_add_ops (plugin, sets[choose_set ()], error);
}

static GVariant *
describe (void)
{
  return g_variant_new_parsed ("{'loops': %s}", instruction_set_names[choose_set ()]);
}

CANDELA_PLUGIN_DEFINE_DESCRIBED ("reduce", "1.0.0", "LGPL-2.1-or-later", "Sums, extremes and moments along axes",
                                 register_ops, describe)
