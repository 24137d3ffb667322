/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A module, but no plugin. */
#include "module.h"

TEST_OP (unused, "unused", NULL);

__attribute__ ((visibility ("default"))) extern const CandelaOpInfo *unrelated;
const CandelaOpInfo *unrelated = &unused;
