/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The symbol is there, and is a word of four bytes. */
#include <glib.h>

__attribute__ ((visibility ("default"))) extern const guint32 candela_plugin_descriptor;
const guint32 candela_plugin_descriptor = 1;
