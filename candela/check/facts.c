/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is proven, in words. */
#include <candela/check/check-private.h>

static const struct
{
  const char *name;
  const char *says;
} facts[CANDELA_CHECK_N_FACTS] = {
  [CANDELA_CHECK_SURVIVAL] = { "survival", "it comes back: no crash, no endless loop, no exit, no critical message" },
  [CANDELA_CHECK_REFUSAL] = { "refusal",
                              "inputs that it does not take (too few, too many, of other dtypes or shapes) are "
                              "errors that begin with its name" },
  [CANDELA_CHECK_PARAMETERS] = { "parameters",
                                 "parameters outside their range or choices, of other types or of other names "
                                 "are errors" },
  [CANDELA_CHECK_INFER] = { "infer",
                            "infer answers the same each time, for any layout, and references lie within their input" },
  [CANDELA_CHECK_INPUTS] = { "inputs", "no input is written to: their pages cannot be" },
  [CANDELA_CHECK_BOUNDS] = { "bounds", "nothing outside its arrays is touched: guard pages and marks around them" },
  [CANDELA_CHECK_COMPLETE] = { "complete", "every element of every output is written; a bool is 0 or 1" },
  [CANDELA_CHECK_DETERMINISM] = { "determinism", "the same values give the same bits again" },
  [CANDELA_CHECK_MEMORY] = { "memory",
                             "no bit depends on where arrays begin: aligned, unaligned, before the end of a page" },
  [CANDELA_CHECK_POSITION] = { "position",
                               "an element has the same bits wherever in a loop it stands: any split into tiles" },
  [CANDELA_CHECK_STAGES] = { "stages",
                             "stages give the bits of the loop, in each way in which their family runs them" },
  [CANDELA_CHECK_IN_PLACE] = { "in-place",
                               "written over each input for which it is declared, the result has the same bits" },
  [CANDELA_CHECK_ALIASING] = { "aliasing", "an alias is its input; a takeover has the elements of its input" },
  [CANDELA_CHECK_FOLD] = { "fold", "the input to which it folds is what it computes" },
  [CANDELA_CHECK_LAYOUT] = { "layout", "strided, reversed, broadcast, transposed inputs give the bits of packed ones" },
  [CANDELA_CHECK_ROWS] = { "rows",
                           "rows, or what reduced axes leave, are on their own: some of them give the same bits, "
                           "and so does what takes rows as they lie or as stages make them" },
  [CANDELA_CHECK_FED] = { "fed", "an input that is computed as it is read gives the same bits" },
  [CANDELA_CHECK_DONE] = { "output-done", "what the kernel says is final does not change any more" },
  [CANDELA_CHECK_THREADS] = { "threads",
                              "no bit depends on the number of threads, the order of chunks, or another call "
                              "that runs at the same time" },
  [CANDELA_CHECK_SHAPE] = { "shape", "a shape that depends on data is said for every output, and filled" },
  [CANDELA_CHECK_PLAN] = { "plan", "through plans, fused and not, on one thread and several, the bits are those of the "
                                   "kernel" },
  [CANDELA_CHECK_GRADIENT] = { "gradient", "a gradient is what finite differences in float64 give" },
};

const char *
candela_check_fact_get_name (CandelaCheckFact fact)
{
  return facts[fact].name;
}

/**
 * candela_list_checked_facts:
 *
 * What candela_op_check() proves: of each fact `name` and `says`, in the order in
 * which they are looked at.
 *
 * Returns: (transfer full): a variant of type `aa{sv}`
 *
 * Since: 1.0
 */
GVariant *
candela_list_checked_facts (void)
{
  GVariantBuilder list;

  g_variant_builder_init (&list, G_VARIANT_TYPE ("aa{sv}"));
  for (guint f = 0; f < CANDELA_CHECK_N_FACTS; f++)
    {
      g_variant_builder_open (&list, G_VARIANT_TYPE_VARDICT);
      g_variant_builder_add (&list, "{sv}", "name", g_variant_new_string (facts[f].name));
      g_variant_builder_add (&list, "{sv}", "says", g_variant_new_string (facts[f].says));
      g_variant_builder_close (&list);
    }
  return g_variant_ref_sink (g_variant_builder_end (&list));
}
