/* SPDX-License-Identifier: @license@
 *
 * @plugin@: ops for Candela, @ops@.
 *
 * An op is a const struct that declares what the engine needs to know, and a kernel that
 * computes. `candela inspect OP` tells what it has made of the declaration. */
#include <candela/candela-plugin.h>
