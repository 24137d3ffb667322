/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * CANDELA_DEBUG is read when it is first asked for, and never again: what a
 * process prints and checks does not change under it. */
#include <candela/value/debug-private.h>

static const GDebugKey debug_keys[] = {
  { "plan", CANDELA_DEBUG_PLAN },
  { "no-reuse", CANDELA_DEBUG_NO_REUSE },
  { "no-inplace", CANDELA_DEBUG_NO_IN_PLACE },
  { "no-fusion", CANDELA_DEBUG_NO_FUSION },
  { "poison", CANDELA_DEBUG_POISON },
  { "plugins", CANDELA_DEBUG_PLUGINS },
};

/* Set beside the flags, so that having read none differs from not having read. */
#define DEBUG_READ ((gsize) 1 << 16)

CandelaDebugFlags
candela_debug_flags (void)
{
  static gsize flags = 0;

  if (g_once_init_enter (&flags))
    {
      guint words = g_parse_debug_string (g_getenv ("CANDELA_DEBUG"), debug_keys, G_N_ELEMENTS (debug_keys));

      g_once_init_leave (&flags, words | DEBUG_READ);
    }
  return flags & ~DEBUG_READ;
}
