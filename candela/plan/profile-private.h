/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How many bytes are held at each step. */
typedef struct
{
  guint32 n;      /* steps */
  guint32 leaves; /* the least power of two that is no less */
  guint64 *max;   /* of each subtree, what is added to all of it included */
  gint64 *added;  /* to all of a subtree */
} CandelaProfile;

/* held[s]: the bytes at step s to begin with. */
void candela_profile_init (CandelaProfile *profile, const guint64 *held, guint32 n);
void candela_profile_clear (CandelaProfile *profile);

/* Over the steps first to last. */
guint64 candela_profile_get_max (const CandelaProfile *profile, guint32 first, guint32 last);
void candela_profile_add (CandelaProfile *profile, guint32 first, guint32 last, gint64 bytes);

G_END_DECLS
