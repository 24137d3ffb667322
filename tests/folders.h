/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * For tests that write files. */
#pragma once

#include <glib/gstdio.h>

/* A folder with all that is in it. */
static inline void
remove_all (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);
      remove_all (inner);
    }
  g_remove (path);
}
