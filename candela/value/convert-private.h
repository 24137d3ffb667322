/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loops that convert elements, for each instruction set. */
#pragma once

#include <candela/value/dtype-private.h>

G_BEGIN_DECLS

/* From the first dtype to the second. */
extern const CandelaConvertFunc candela_convert_funcs_baseline[CANDELA_N_DTYPES][CANDELA_N_DTYPES];
#ifdef CANDELA_HAVE_X86_SETS
extern const CandelaConvertFunc candela_convert_funcs_avx2[CANDELA_N_DTYPES][CANDELA_N_DTYPES];
extern const CandelaConvertFunc candela_convert_funcs_avx512[CANDELA_N_DTYPES][CANDELA_N_DTYPES];
#endif

/* Of an instruction set that the processor has: 0 is what all have. */
CandelaConvertFunc candela_convert_get (guint set, CandelaDType from, CandelaDType to);

G_END_DECLS
