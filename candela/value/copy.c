/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Packed copies. A source whose last axis is not the near one is cut into blocks of
 * that axis and the near one, so that whole cache lines are read; any other into ranges
 * of the result. Where the cuts are depends on the layout alone. */
#include <candela/value/copy-private.h>
#include <candela/value/stream-private.h>

/* Elements of a piece. */
#define PIECE (64 * 1024)
#define LARGE_PIECE (512 * 1024)
/* Bytes of the result's rows from which on blocks are better than ranges. */
#define LONG_ROW 1024
/* A block's rows. Reading many at a time is what memory likes best; but lines that are
 * not stored past the caches are to stay there until they are full. */
#define BLOCK_ROWS 128
#define STREAMED_ROWS 1024
/* Bytes of a range that are stored together. */
#define RANGE_BYTES (16 * 1024)

/* A transposed copy that is larger than the caches gains so much from passing them by
 * that it does so from the size of results on, whoever reads it. */
static guint64
init_blocks (CandelaCopy *copy, gsize stream_from)
{
  const CandelaPackWalk *walk = &copy->walk;
  gint64 rows = walk->shape[copy->axis];
  gint64 columns = walk->shape[walk->rank - 1];

  copy->blocks = TRUE;
  copy->streamed = candela_can_stream () && ABS (walk->strides[copy->axis]) == 1
                   && walk->n_elements * walk->size >= MIN (stream_from, CANDELA_STREAM_RESULTS_FROM);
  copy->rows = MIN (rows, copy->streamed ? STREAMED_ROWS : BLOCK_ROWS);
  copy->columns = MIN (columns, (copy->streamed ? LARGE_PIECE : PIECE) / (gint64) copy->rows);
  copy->row_pieces = (rows + copy->rows - 1) / copy->rows;
  copy->column_pieces = (columns + copy->columns - 1) / copy->columns;
  return walk->n_elements / (rows * columns) * copy->row_pieces * copy->column_pieces;
}

guint64
candela_copy_init (CandelaCopy *copy, gpointer dest, const CandelaLayout *dest_layout, gconstpointer src,
                   const CandelaLayout *src_layout, gsize size, gsize stream_from)
{
  CandelaPackWalk *walk = &copy->walk;
  gsize n = src_layout->n_elements;

  if (n == 0)
    return 0;
  candela_pack_walk_init (walk, src_layout, size);
  copy->in = (const guint8 *) src + src_layout->offset * (gint64) size;
  copy->out = (guint8 *) dest + dest_layout->offset * (gint64) size;
  copy->axis = n > PIECE ? candela_pack_near_axis (walk) : G_MAXUINT;
  if (copy->axis != G_MAXUINT
      && (copy->axis + 2 < walk->rank || walk->shape[walk->rank - 1] * (gint64) size >= LONG_ROW))
    return init_blocks (copy, stream_from);
  copy->blocks = FALSE;
  copy->streamed = candela_can_stream () && n >= stream_from / size;
  return (n + PIECE - 1) / PIECE;
}

static void
copy_range (const CandelaCopy *copy, gint64 start, gsize n)
{
  const gsize size = copy->walk.size;
  guint8 tile[RANGE_BYTES];

  if (!copy->streamed)
    {
      candela_pack_walk_run (&copy->walk, copy->in, start, n, copy->out + start * size);
      return;
    }
  for (gsize done = 0, part; done < n; done += part)
    {
      part = MIN (n - done, RANGE_BYTES / size);
      candela_stream (copy->out + (start + done) * size,
                      candela_pack_walk_read (&copy->walk, copy->in, start + done, part, tile), part * size, NULL, 0);
    }
  candela_stream_end ();
}

/* Rows that lie backwards in the source are gone over from the last one on. */
static void
copy_block (const CandelaCopy *copy, const CandelaPlane *block, const guint8 *in, guint8 *out)
{
  const CandelaPackWalk *walk = &copy->walk;
  gint64 out_stride = walk->below[copy->axis];
  g_autofree CandelaHalfLine *halves = NULL;

  if (!copy->streamed)
    {
      candela_pack_plane (walk, block, in, out, out_stride);
      return;
    }
  halves = g_new (CandelaHalfLine, block->rows);
  if (block->row_stride < 0)
    {
      in -= (block->rows - 1) * walk->size;
      out += (gint64) (block->rows - 1) * out_stride * (gint64) walk->size;
      out_stride = -out_stride;
    }
  walk->moves->transpose_past (out, out_stride, in, block->column_stride, block->rows, block->columns, halves);
  candela_stream_end ();
}

void
candela_copy_piece (guint64 piece, gpointer data)
{
  const CandelaCopy *copy = data;
  const CandelaPackWalk *walk = &copy->walk;
  const gint64 size = walk->size;
  guint last = walk->rank - 1;
  CandelaPlane block = { .row_stride = walk->strides[copy->blocks ? copy->axis : 0],
                         .column_stride = walk->strides[last] };
  gint64 row, column;
  gint64 in = 0, out = 0;

  if (!copy->blocks)
    {
      gint64 start = piece * PIECE;

      copy_range (copy, start, MIN (walk->n_elements - start, PIECE));
      return;
    }
  column = piece % copy->column_pieces * copy->columns;
  piece /= copy->column_pieces;
  row = piece % copy->row_pieces * copy->rows;
  piece /= copy->row_pieces;
  block.rows = MIN (copy->rows, (gsize) (walk->shape[copy->axis] - row));
  block.columns = MIN (copy->columns, (gsize) (walk->shape[last] - column));
  in = row * block.row_stride + column * block.column_stride;
  out = row * walk->below[copy->axis] + column;
  for (guint i = last; i-- > 0;)
    if (i != copy->axis)
      {
        gint64 index = piece % walk->shape[i];

        piece /= walk->shape[i];
        in += index * walk->strides[i];
        out += index * walk->below[i];
      }
  copy_block (copy, &block, copy->in + in * size, copy->out + out * size);
}

void
candela_layout_copy_elements (gpointer dest, const CandelaLayout *dest_layout, gconstpointer src,
                              const CandelaLayout *src_layout, gsize size)
{
  CandelaCopy copy;
  guint64 n_pieces = candela_copy_init (&copy, dest, dest_layout, src, src_layout, size, CANDELA_STREAM_FROM);

  for (guint64 piece = 0; piece < n_pieces; piece++)
    candela_copy_piece (piece, &copy);
}
