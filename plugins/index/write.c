/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writing units of values at offsets, one after the other: where two go to one place,
 * the later one stays. */
#include "choice.h"

/* Elements of values that are packed at a time, on the stack. */
#define CHUNK 1024

typedef guint64 Wide __attribute__ ((vector_size (16)));

#define EACH_SIZE(X) X (1, guint8) X (2, guint16) X (4, guint32) X (8, guint64) X (16, Wide)

#define COPY(SIZE, TYPE)                                                                                               \
  static void copy_##SIZE (guint8 *to, gint64 to_step, const guint8 *from, gint64 from_step, gint64 n)                 \
  {                                                                                                                    \
    for (gint64 i = 0; i < n; i++)                                                                                     \
      memcpy (to + i * to_step * SIZE, from + i * from_step * SIZE, sizeof (TYPE));                                    \
  }                                                                                                                    \
  static void scatter_##SIZE (guint8 *to, const gint64 *offsets, const guint8 *from, gint64 step, gint64 n)            \
  {                                                                                                                    \
    for (gint64 i = 0; i < n; i++)                                                                                     \
      memcpy (to + offsets[i] * SIZE, from + i * step * SIZE, sizeof (TYPE));                                          \
  }
EACH_SIZE (COPY)

#define CALL_COPY(SIZE, TYPE)                                                                                          \
  case SIZE:                                                                                                           \
    copy_##SIZE (to, to_step, from, from_step, n);                                                                     \
    break;
#define CALL_SCATTER(SIZE, TYPE)                                                                                       \
  case SIZE:                                                                                                           \
    scatter_##SIZE (to, offsets, from, step, n);                                                                       \
    break;

void
index_copy (guint8 *to, gint64 to_step, const guint8 *from, gint64 from_step, gint64 n, gsize size)
{
  if (to_step == 1 && from_step == 1)
    memcpy (to, from, n * size);
  else
    switch (size)
      {
        EACH_SIZE (CALL_COPY)
      }
}

static void
scatter (guint8 *to, const gint64 *offsets, const guint8 *from, gint64 step, gint64 n, gsize size)
{
  switch (size)
    {
      EACH_SIZE (CALL_SCATTER)
    }
}

void
index_writer_init (IndexWriter *writer, CandelaKernel *kernel, guint input, const CandelaLayout *layout,
                   const IndexAxes *unit)
{
  *writer = (IndexWriter){ .kernel = kernel,
                           .input = input,
                           .layout = layout,
                           .dtype = candela_kernel_get_output_dtype (kernel, 0),
                           .out = candela_kernel_get_output (kernel, 0),
                           .unit = unit };
  writer->size = candela_dtype_get_size (writer->dtype);
  if (candela_layout_get_n_elements (candela_kernel_get_input_layout (kernel, input)) == 1)
    {
      writer->alone = TRUE;
      candela_kernel_pack_input (kernel, input, writer->dtype, 0, 1, writer->element);
    }
  else if (candela_kernel_get_input_dtype (kernel, input) == writer->dtype && candela_layout_is_contiguous (layout))
    writer->data = candela_kernel_get_input (kernel, input);
}

/* Elements from on, n of them, of one unit: row by row of its last axis. */
static void
write_unit (const IndexWriter *writer, guint8 *to, gint64 from, gint64 n, const guint8 *values, gint64 step)
{
  const IndexAxes *unit = writer->unit;
  const guint last = unit->rank - 1;
  const gint64 size = writer->size;

  for (gint64 part; n > 0; n -= part)
    {
      part = MIN (n, unit->shape[last] - from % unit->shape[last]);
      index_copy (to + index_axes_find (unit, from) * size, unit->strides[last], values, step, part, size);
      values += part * step * size;
      from += part;
    }
}

void
index_write (const IndexWriter *writer, gint64 base, const gint64 *offsets, gint64 n, gint64 first, gint64 from,
             gint64 end)
{
  const gint64 size = writer->size, unit = writer->unit->n;
  const gboolean lies = writer->alone || writer->data != NULL;
  const gint64 step = writer->alone ? 0 : 1;
  guint8 *out = writer->out + base * size;
  guint8 packed[CHUNK * 16];
  /* Units, and elements of each, that are packed together. */
  const gint64 run = lies || unit == 1 ? n : end - from == unit ? CLAMP (CHUNK / unit, 1, n) : 1;
  const gint64 most = lies ? end - from : MIN (end - from, CHUNK);

  for (gint64 i = 0, units; i < n; i += units)
    {
      units = MIN (lies ? run : MIN (run, CHUNK), n - i);
      for (gint64 at = from, part; at < end; at += part)
        {
          const gint64 start = (first + i) * unit + at;
          const guint8 *values = writer->alone ? writer->element : packed;

          part = MIN (most, end - at);
          if (writer->data != NULL)
            values = writer->data + start * size;
          else if (!lies)
            candela_kernel_pack_layout (writer->kernel, writer->input, writer->layout, writer->dtype, start,
                                        units * part, packed);
          if (writer->unit->rank == 0)
            scatter (out, offsets + i, values, step, units, size);
          else
            for (gint64 k = 0; k < units; k++)
              write_unit (writer, out + offsets[i + k] * size, at, part, values + k * unit * step * size, step);
        }
    }
}
