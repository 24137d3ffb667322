/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Work that is cut into pieces of one size, whoever does them. */
#include "arrange.h"

static void
run_piece (guint64 chunk, gpointer data)
{
  const ArrangePieces *pieces = data;
  gint64 start = (gint64) chunk * pieces->piece;

  if (!g_cancellable_is_cancelled (candela_kernel_get_cancellable (pieces->kernel)))
    pieces->run (pieces, start, MIN (pieces->piece, pieces->n - start));
}

gboolean
arrange_pieces_run (const ArrangePieces *pieces, GError **error)
{
  candela_kernel_parallel_for (pieces->kernel, (pieces->n + pieces->piece - 1) / pieces->piece, run_piece,
                               (gpointer) pieces);
  return !g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (pieces->kernel), error);
}
