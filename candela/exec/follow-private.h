/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The element-wise step that follows a kernel, run part by part as the kernel is
 * done. */
#pragma once

#include <candela/exec/tile-private.h>

G_BEGIN_DECLS

typedef struct
{
  const CandelaPlanStep *step; /* NULL: none follows */
  CandelaPass pass;
  CandelaPassInput *inputs;
  gsize n_told; /* elements (atomic) */
} CandelaFollower;

/* If the step after this one may follow it, has the kernel tell it. */
gboolean candela_follower_init (CandelaFollower *follower, CandelaRun *run, const CandelaPlanStep *step,
                                CandelaKernel *kernel, GError **error);

/* Notes that the step that follows is done; FALSE if the kernel told of some
 * elements only. */
gboolean candela_follower_finish (CandelaFollower *follower, CandelaRun *run, const CandelaKernel *kernel,
                                  GError **error);

void candela_follower_clear (CandelaFollower *follower);

G_END_DECLS
