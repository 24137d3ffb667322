/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A result whose every row is made of parts of the inputs, side by side. That is what
 * joining along an axis comes to: what is before the axis counts the rows. Long parts
 * are copied one by one. Of short ones several rows go together, part after part, so
 * that a call moves many of them and the result's lines are in the cache until they
 * are full. A part that does not lie packed is packed first. */
#include "arrange.h"

/* Bytes of the result that are made together. */
#define BLOCK_BYTES (16 * 1024)
/* Bytes of a part from which on its rows are packed to where they go. */
#define LONG_PART 2048
/* Parts that are woven together. */
#define MAX_WOVEN 4

void
arrange_rows_init (ArrangeRows *rows, CandelaKernel *kernel, gint64 n_rows, guint max_parts)
{
  *rows = (ArrangeRows){ .kernel = kernel,
                         .dtype = candela_kernel_get_output_dtype (kernel, 0),
                         .rows = n_rows,
                         .parts = g_new (ArrangePart, max_parts) };
  rows->size = candela_dtype_get_size (rows->dtype);
}

void
arrange_rows_clear (ArrangeRows *rows)
{
  for (guint i = 0; i < rows->n_parts; i++)
    candela_layout_unref (rows->parts[i].layout);
  g_clear_pointer (&rows->parts, g_free);
  rows->n_parts = 0;
}

/* Where the rows lie, if each lies packed, in the right dtype. */
static void
find_rows (const ArrangeRows *rows, ArrangePart *part)
{
  gint64 shape[2] = { rows->rows, part->length };
  g_autoptr (CandelaLayout) view = NULL;
  const guint8 *data = candela_kernel_get_input (rows->kernel, part->input);
  gint64 origin = candela_layout_get_offset (candela_kernel_get_input_layout (rows->kernel, part->input));
  const gint64 *strides;

  if (candela_kernel_get_input_dtype (rows->kernel, part->input) != rows->dtype)
    return;
  if (rows->rows == 1)
    shape[1] = candela_layout_get_n_elements (part->layout);
  view = candela_layout_view (part->layout, shape, 2, NULL);
  if (view == NULL)
    return;
  strides = candela_layout_get_strides (view, NULL);
  if (strides[1] != 1 && shape[1] != 1)
    return;
  part->data = data + (candela_layout_get_offset (view) - origin + part->first) * (gint64) rows->size;
  part->step = strides[0] * (gint64) rows->size;
}

void
arrange_rows_add (ArrangeRows *rows, guint input, CandelaLayout *layout, gint64 first, gint64 length)
{
  ArrangePart *part = &rows->parts[rows->n_parts++];

  *part = (ArrangePart){ .input = input, .layout = layout, .first = first, .length = length, .offset = rows->length };
  rows->length += length;
  if (rows->rows > 0 && length > 0)
    find_rows (rows, part);
}

/* Elements of a part, from some row's element on, packed. */
static void
pack_part (const ArrangeRows *rows, const ArrangePart *part, gint64 row, gint64 column, gint64 n, guint8 *out)
{
  const gint64 size = rows->size;

  if (part->data != NULL && n <= part->length)
    memcpy (out, part->data + row * part->step + column * size, n * size);
  else
    candela_kernel_pack_layout (rows->kernel, part->input, part->layout, rows->dtype,
                                part->first + row * part->length + column, n, out);
}

static void
make_part (const ArrangeRows *rows, const ArrangePart *part, gint64 row, gint64 n, guint8 *out)
{
  const gint64 size = rows->size;
  const gint64 bytes = part->length * size;
  guint8 packed[BLOCK_BYTES];

  if (part->data != NULL)
    arrange_move_rows (out, rows->length * size, part->data + row * part->step, part->step, n, bytes);
  else if (part->length == rows->length)
    pack_part (rows, part, row, 0, n * part->length, out);
  else if (bytes >= LONG_PART)
    for (gint64 i = 0; i < n; i++)
      pack_part (rows, part, row + i, 0, part->length, out + i * rows->length * size);
  else
    for (gint64 i = 0, several; i < n; i += several)
      {
        several = MIN (n - i, BLOCK_BYTES / bytes);
        pack_part (rows, part, row + i, 0, several * part->length, packed);
        arrange_move_rows (out + i * rows->length * size, rows->length * size, packed, bytes, several, bytes);
      }
}

/* How many parts, from one on, are elements of which each next row is the next one. */
static guint
count_woven (const ArrangeRows *rows, guint first)
{
  gint64 bytes = rows->parts[first].length * (gint64) rows->size;
  guint n = 0;

  if (bytes > 16 || (bytes & (bytes - 1)) != 0 || rows->length % rows->parts[first].length != 0)
    return 1;
  while (n < MAX_WOVEN && first + n < rows->n_parts && rows->parts[first + n].data != NULL
         && rows->parts[first + n].length * (gint64) rows->size == bytes && rows->parts[first + n].step == bytes)
    n++;
  return MAX (n, 1);
}

static void
make_block (const ArrangeRows *rows, gint64 row, gint64 n, guint8 *out)
{
  const guint8 *woven[MAX_WOVEN];

  for (guint i = 0, several; i < rows->n_parts; i += several)
    {
      const ArrangePart *part = &rows->parts[i];
      guint8 *to = out + part->offset * (gint64) rows->size;

      several = 1;
      if (part->length == 0)
        continue;
      several = count_woven (rows, i);
      if (several == 1)
        {
          make_part (rows, part, row, n, to);
          continue;
        }
      for (guint k = 0; k < several; k++)
        woven[k] = part[k].data + row * part[k].step;
      arrange_weave (to, rows->length / part->length, woven, several, n, part->length * rows->size);
    }
}

void
arrange_rows_make (const ArrangeRows *rows, gint64 row, gint64 n_rows, guint8 *out)
{
  const gint64 bytes = rows->length * (gint64) rows->size;
  const gint64 block = CLAMP (BLOCK_BYTES / MAX (bytes, 1), 64, 4096);

  for (gint64 done = 0, n; done < n_rows; done += n)
    {
      gint64 from = row + done;

      n = MIN (n_rows - done, block);
      if (rows->source != NULL)
        {
          gint64 run;

          from = rows->source (rows->source_data, row + done, &run);
          n = MIN (n, run);
        }
      make_block (rows, from, n, out + done * bytes);
    }
}

void
arrange_rows_fetch (const ArrangeRows *rows, gint64 row, gint64 column, gint64 n, guint8 *out)
{
  for (guint i = 0; i < rows->n_parts; i++)
    {
      const ArrangePart *part = &rows->parts[i];
      gint64 first = MAX (column, part->offset), end = MIN (column + n, part->offset + part->length);

      if (first < end)
        pack_part (rows, part, row, first - part->offset, end - first, out + (first - column) * (gint64) rows->size);
    }
}

/* A piece of one part of a row that is long. */
static void
make_piece (const ArrangeRows *rows, guint64 task)
{
  gint64 row = task / rows->tasks_of_row;
  gint64 from = row, run, column, n;
  guint low = 0, high = rows->n_parts;
  const ArrangePart *part;

  task %= rows->tasks_of_row;
  while (high - low > 1)
    {
      guint middle = low + (high - low) / 2;

      if (rows->parts[middle].first_task <= task)
        low = middle;
      else
        high = middle;
    }
  part = &rows->parts[low];
  column = (task - part->first_task) * ARRANGE_PIECE;
  n = MIN (part->length - column, ARRANGE_PIECE);
  if (rows->source != NULL)
    from = rows->source (rows->source_data, row, &run);
  pack_part (rows, part, from, column, n,
             rows->out + (row * rows->length + part->offset + column) * (gint64) rows->size);
}

static void
run_task (guint64 task, gpointer data)
{
  const ArrangeRows *rows = data;
  gint64 row = task * rows->block;

  if (g_cancellable_is_cancelled (candela_kernel_get_cancellable (rows->kernel)))
    return;
  if (rows->tasks_of_row > 0)
    make_piece (rows, task);
  else
    arrange_rows_make (rows, row, MIN (rows->block, rows->rows - row),
                       rows->out + row * rows->length * (gint64) rows->size);
}

gboolean
arrange_rows_run (ArrangeRows *rows, GError **error)
{
  guint64 n_tasks;

  if (rows->rows == 0 || rows->length == 0)
    return TRUE;
  rows->out = candela_kernel_get_output (rows->kernel, 0);
  rows->block = MAX (ARRANGE_PIECE / rows->length, 1);
  n_tasks = (rows->rows + rows->block - 1) / rows->block;
  if (rows->length > ARRANGE_PIECE)
    {
      for (guint i = 0; i < rows->n_parts; i++)
        {
          rows->parts[i].first_task = rows->tasks_of_row;
          rows->tasks_of_row += (rows->parts[i].length + ARRANGE_PIECE - 1) / ARRANGE_PIECE;
        }
      n_tasks = rows->rows * rows->tasks_of_row;
    }
  candela_kernel_parallel_for (rows->kernel, n_tasks, run_task, rows);
  return !g_cancellable_set_error_if_cancelled (candela_kernel_get_cancellable (rows->kernel), error);
}
