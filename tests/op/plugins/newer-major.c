/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Made for a later, incompatible library: all but the head means nothing. */
#include "module.h"

TEST_DESCRIPTOR (CANDELA_PLUGIN_ABI_MAJOR + 1, 0, 1, (const char *) 1, (const char *) 1, (const char *) 1,
                 (const char *) 1, NULL);
