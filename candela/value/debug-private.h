/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CANDELA_DEBUG: a list of words, read once. */
#pragma once

#include <candela/value/error.h>

G_BEGIN_DECLS

typedef enum {
  CANDELA_DEBUG_PLAN = 1 << 0, /* print every plan before it runs */
  CANDELA_DEBUG_NO_REUSE = 1 << 1,
  CANDELA_DEBUG_NO_IN_PLACE = 1 << 2,
  CANDELA_DEBUG_NO_FUSION = 1 << 3,
  CANDELA_DEBUG_POISON = 1 << 4, /* fill fresh and freed buffers, make inputs unwritable */
  CANDELA_DEBUG_PLUGINS = 1 << 5 /* say which plugins are opened, and why one is refused */
} CandelaDebugFlags;

CandelaDebugFlags candela_debug_flags (void);

G_END_DECLS
