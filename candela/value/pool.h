/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <candela/version.h>
#include <glib.h>

G_BEGIN_DECLS

CANDELA_AVAILABLE_IN_1_0
void candela_trim (void);

CANDELA_AVAILABLE_IN_1_0
void candela_set_pool_limit (guint64 bytes);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_get_pool_limit (void);

CANDELA_AVAILABLE_IN_1_0
guint64 candela_get_pooled_bytes (void);

G_END_DECLS
