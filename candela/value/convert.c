/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Conversion of elements: which loop. */
#include <candela/value/convert-private.h>
#include <candela/value/half-private.h>

guint
candela_count_instruction_sets (void)
{
#ifdef CANDELA_HAVE_X86_SETS
  if (!__builtin_cpu_supports ("avx2") || !__builtin_cpu_supports ("fma"))
    return 1;
  return __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
             && __builtin_cpu_supports ("avx512dq") && __builtin_cpu_supports ("avx512vl")
           ? 3
           : 2;
#else
  return 1;
#endif
}

CandelaConvertFunc
candela_convert_get (guint set, CandelaDType from, CandelaDType to)
{
#ifdef CANDELA_HAVE_X86_SETS
  if (set == 2)
    return candela_convert_funcs_avx512[from][to];
  if (set == 1)
    return candela_convert_funcs_avx2[from][to];
#endif
  return candela_convert_funcs_baseline[from][to];
}

/**
 * candela_dtype_convert: (skip)
 * @from: a dtype
 * @in: packed elements of that dtype
 * @to: another
 * @out: where they go, packed, apart from @in
 * @n: how many elements
 *
 * Converts elements as an op's inputs are converted: a float to an integer is cut
 * towards zero, anything to a float is rounded to nearest, ties to even, and what
 * is not zero is true. A complex number becomes no real one but a bool.
 *
 * Returns: %FALSE where there is no such conversion; nothing is written then
 *
 * Since: 1.0
 */
gboolean
candela_dtype_convert (CandelaDType from, gconstpointer in, CandelaDType to, gpointer out, gsize n)
{
  CandelaConvertFunc convert = candela_dtype_get_convert_func (from, to);

  if (convert == NULL)
    return FALSE;
  convert (out, in, n);
  return TRUE;
}

CandelaConvertFunc
candela_dtype_get_convert_func (CandelaDType from, CandelaDType to)
{
  if ((guint) from >= CANDELA_N_DTYPES || (guint) to >= CANDELA_N_DTYPES)
    return NULL;
  if (candela_dtype_is_half (from) || candela_dtype_is_half (to))
    return candela_half_get_convert_func (from, to);
  return candela_convert_get (candela_count_instruction_sets () - 1, from, to);
}
