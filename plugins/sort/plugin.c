/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The plugin of sorting, searching and sets. */
#include "../instruction-sets.h"
#include "sort.h"

const SortSet *sort_set;

static const SortSet *
choose_set (void)
{
#ifdef SORT_HAVE_X86_SETS
  if (candela_get_instruction_set () == CANDELA_INSTRUCTION_SET_AVX512)
    return &sort_set_avx512;
#endif
  return &sort_set_baseline;
}

static gboolean
register_ops (CandelaPlugin *plugin, GError **error)
{
  const CandelaOpInfo *const ops[] = {
    &sort_sort_op,          &sort_argsort_op,        &sort_topk_op,          &sort_searchsorted_op, &sort_unique_all_op,
    &sort_unique_counts_op, &sort_unique_inverse_op, &sort_unique_values_op, &sort_isin_op,         NULL
  };

  sort_set = choose_set ();
  return candela_plugin_add_ops (plugin, ops, error);
}

static GVariant *
describe (void)
{
  return g_variant_new_parsed ("{'loops': %s}", choose_set ()->name);
}

CANDELA_PLUGIN_DEFINE_DESCRIBED ("sort", CANDELA_VERSION_S, "LGPL-2.1-or-later", "Sorting, searching and sets",
                                 register_ops, describe)
