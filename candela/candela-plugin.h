/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The header for writing ops. */
#pragma once

#include <candela/candela.h>

#define CANDELA_INSIDE
#include <candela/op/elementwise.h>
#include <candela/op/op-class.h>
#include <candela/op/op-info.h>
#include <candela/op/params.h>
#include <candela/op/plugin-module.h>
#undef CANDELA_INSIDE
