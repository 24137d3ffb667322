/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define CANDELA_PROFILE_LEVELS 7

/* Of the steps, or of groups of what is a level below. */
typedef struct
{
  guint32 n;
  guint64 *max;   /* of each, what is added to all of it included */
  guint64 *added; /* to all of it; NULL for steps */
} CandelaProfileLevel;

/* How many bytes are held at each step. */
typedef struct
{
  guint n_levels;
  CandelaProfileLevel levels[CANDELA_PROFILE_LEVELS];
} CandelaProfile;

/* held[s]: the bytes at step s to begin with, of at least one; from now on it is the
 * profile's, and must outlive it. */
void candela_profile_init (CandelaProfile *profile, guint64 *held, guint32 n);
void candela_profile_clear (CandelaProfile *profile);

/* Over the steps first to last. What is added stays. */
guint64 candela_profile_get_max (const CandelaProfile *profile, guint32 first, guint32 last);
void candela_profile_add (CandelaProfile *profile, guint32 first, guint32 last, guint64 bytes);

G_END_DECLS
