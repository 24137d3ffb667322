/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Has nothing to call. */
#include "module.h"

CANDELA_PLUGIN_DEFINE ("no-register", "1.0", "MIT", "For tests", NULL)
