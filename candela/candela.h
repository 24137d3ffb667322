/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The header for using ops. */
#pragma once

#define CANDELA_INSIDE
#include <candela/version.h>
#include <candela/value/error.h>
#include <candela/value/dtype.h>
#include <candela/value/layout.h>
#include <candela/value/pool.h>
#include <candela/value/tensor.h>
#include <candela/op/op.h>
#include <candela/op/plugin.h>
#include <candela/op/foreign.h>
#include <candela/op/registry.h>
#include <candela/op/script.h>
#include <candela/graph/node.h>
#include <candela/graph/expression.h>
#include <candela/plan/plan.h>
#include <candela/exec/materialize.h>
#include <candela/exec/profile.h>
#include <candela/check/check.h>
#include <candela/io/npy.h>
#include <candela/io/safetensors.h>
#undef CANDELA_INSIDE
