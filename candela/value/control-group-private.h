/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the process's control group grants: the least of its own limits and of those of the
 * groups above it, as far as they are seen, of either version of control groups. root is ""
 * but in tests. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Processors, rounded up; G_MAXUINT if there is no limit. */
guint candela_control_group_get_processors (const char *root);

/* Bytes of memory; G_MAXUINT64 if there is no limit. */
guint64 candela_control_group_get_memory (const char *root);

G_END_DECLS
