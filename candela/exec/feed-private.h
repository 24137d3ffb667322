/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element-wise step that computes a kernel's input as that is read. */
#pragma once

#include <candela/exec/tile-private.h>

G_BEGIN_DECLS

typedef struct
{
  CandelaPass pass;
  CandelaPassInput *inputs;
  gsize done; /* elements computed and not yet told of (atomic) */
} CandelaFeed;

/* To be cleared though it fails. */
gboolean candela_feed_init (CandelaFeed *feed, CandelaRun *run, const CandelaPlanStep *step, GError **error);
void candela_feed_attach (CandelaFeed *feed, CandelaKernel *kernel);
void candela_feed_clear (CandelaFeed *feed);

G_END_DECLS
