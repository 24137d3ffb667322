/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The loops over elements of SIZE bytes, which move.c includes once for each size.
 * ELEMENT is the type of one, VECTOR that of 16 bytes of them; where more than one
 * fits, LOW and HIGH say which of two vectors' elements make the halves of both
 * interleaved, and that as many times as STAGES transposes a square. */
typedef ELEMENT NAME (Element) __attribute__ ((aligned (1), may_alias));
typedef VECTOR NAME (Vector);
#define Element NAME (Element)
#define Vector NAME (Vector)
#define LANES (16 / SIZE)
#define LINE (64 / SIZE)

static void
NAME (gather) (gpointer to, gconstpointer from, gint64 stride, gsize n)
{
  Element *restrict out = to;
  const Element *restrict in = from;

  /* Constant strides become vector code. */
  if (stride == -1)
    for (gsize i = 0; i < n; i++)
      out[i] = in[-(gint64) i];
  else if (stride == 2)
    for (gsize i = 0; i < n; i++)
      out[i] = in[2 * i];
  else
    for (gsize i = 0; i < n; i++)
      out[i] = in[(gint64) i * stride];
}

static void
NAME (weave) (gpointer to, gint64 out_stride, gconstpointer from, gint64 row_stride, gint64 column_stride, gsize rows,
              gsize columns)
{
  for (gsize done = 0, part; done < rows; done += part)
    {
      part = MIN (rows - done, WEAVE_ROWS);
      for (gsize j = 0; j < columns; j++)
        {
          Element *restrict out = (Element *) to + (gint64) done * out_stride + j;
          const Element *restrict in = (const Element *) from + (gint64) done * row_stride + (gint64) j * column_stride;

          for (gsize i = 0; i < part; i++)
            out[(gint64) i * out_stride] = in[(gint64) i * row_stride];
        }
    }
}

static inline void
NAME (fill) (Element *out, Element element, gsize n)
{
#if LANES > 1
  Vector all = element - (Vector){ 0 };
  gsize i = 0;

  if (n < LANES)
    {
      for (; i < n; i++)
        out[i] = element;
      return;
    }
  for (; i + LANES <= n; i += LANES)
    memcpy (out + i, &all, 16);
  /* The last vector covers what the one before it left over. */
  memcpy (out + n - LANES, &all, 16);
#else
  for (gsize i = 0; i < n; i++)
    out[i] = element;
#endif
}

static void
NAME (spread) (gpointer to, gconstpointer from, gint64 stride, gsize rows, gsize n)
{
  Element *restrict out = to;
  const Element *restrict in = from;
  gsize i = 0;

#if LANES > 1
  /* Where a row is short, a vector goes past its end, and the next row over that. */
  if (n < LANES)
    for (; i < rows && i * n + LANES <= rows * n; i++)
      {
        Vector all = in[(gint64) i * stride] - (Vector){ 0 };

        memcpy (out + i * n, &all, 16);
      }
#endif
  for (; i < rows; i++)
    NAME (fill) (out + i * n, in[(gint64) i * stride], n);
}

/* A square as large as vectors are long. */
static inline void
NAME (square) (Element *out, gint64 out_stride, const Element *in, gint64 stride)
{
#if LANES > 1
  Vector a[LANES], b[LANES];

  for (guint i = 0; i < LANES; i++)
    memcpy (&a[i], in + i * stride, 16);
  for (guint stage = 0; stage < STAGES; stage++)
    {
      for (guint i = 0; i < LANES / 2; i++)
        {
          b[2 * i] = SHUFFLE (a[i], a[i + LANES / 2], LOW);
          b[2 * i + 1] = SHUFFLE (a[i], a[i + LANES / 2], HIGH);
        }
      for (guint i = 0; i < LANES; i++)
        a[i] = b[i];
    }
  for (guint i = 0; i < LANES; i++)
    memcpy (out + i * out_stride, &a[i], 16);
#else
  out[0] = in[0];
#endif
}

/* At most LINE x LINE. */
static void
NAME (part) (Element *out, gint64 out_stride, const Element *in, gint64 stride, gsize rows, gsize columns)
{
  gsize whole_rows = rows / LANES * LANES;
  gsize whole_columns = columns / LANES * LANES;

  for (gsize j = 0; j < whole_columns; j += LANES)
    for (gsize i = 0; i < whole_rows; i += LANES)
      NAME (square) (out + (gint64) i * out_stride + j, out_stride, in + i + (gint64) j * stride, stride);
  for (gsize j = 0; j < columns; j++)
    for (gsize i = j < whole_columns ? whole_rows : 0; i < rows; i++)
      out[(gint64) i * out_stride + j] = in[i + (gint64) j * stride];
}

/* LINE x LINE: whole cache lines of both sides. They are put together in a place of
 * their own: at strides that are powers of two they would throw one another out of
 * the cache if they were gone over more than once. */
static inline void
NAME (lines) (guint8 *lines, const Element *in, gint64 stride)
{
  for (gsize j = 0; j < LINE; j += LANES)
    for (gsize i = 0; i < LINE; i += LANES)
      NAME (square) ((Element *) lines + i * LINE + j, LINE, in + i + (gint64) j * stride, stride);
}

static void
NAME (whole) (Element *out, gint64 out_stride, const Element *in, gint64 stride)
{
  guint8 lines[LINE * 64] __attribute__ ((aligned (64)));

  NAME (lines) (lines, in, stride);
  for (gsize i = 0; i < LINE; i++)
    memcpy (out + (gint64) i * out_stride, lines + i * 64, 64);
}

/* The same where lines of the result leave one another in the cache: straight to their place. */
static void
NAME (apart) (Element *out, gint64 out_stride, const Element *in, gint64 stride)
{
  for (gsize j = 0; j < LINE; j += LANES)
    for (gsize i = 0; i < LINE; i += LANES)
      NAME (square) (out + (gint64) i * out_stride + j, out_stride, in + i + (gint64) j * stride, stride);
}

static void
NAME (transpose) (gpointer to, gint64 out_stride, gconstpointer from, gint64 stride, gsize rows, gsize columns)
{
  gint64 step = out_stride * SIZE;
  gboolean apart = SIZE >= 4 && (step & -step) * LINE <= CACHE_WAY * LINES_A_SET;

  for (gsize begin = 0, end; begin < columns; begin = end)
    {
      end = MIN (begin + TRANSPOSE_COLUMNS, columns);
      for (gsize i = 0; i < rows; i += LINE)
        for (gsize j = begin; j < end; j += LINE)
          {
            Element *out = (Element *) to + (gint64) i * out_stride + j;
            const Element *in = (const Element *) from + i + (gint64) j * stride;

            if (rows - i >= LINE && end - j >= LINE)
              (apart ? NAME (apart) : NAME (whole)) (out, out_stride, in, stride);
            else
              NAME (part) (out, out_stride, in, stride, MIN (rows - i, LINE), MIN (end - j, LINE));
          }
    }
}

/* A vector of columns of four elements; or of three, with one more each: the next one's first. */
static inline Vector
NAME (load_fours) (const Element *in, gboolean threes)
{
  Vector all;

#if SIZE == 1
  guint32 fours[4];

  for (guint i = 0; threes && i < 4; i++)
    memcpy (&fours[i], in + 3 * i, sizeof fours[i]);
  if (threes)
    return (Vector) (Words16){ fours[0], fours[1], fours[2], fours[3] };
#elif SIZE == 2
  guint64 fours[2];

  for (guint i = 0; threes && i < 2; i++)
    memcpy (&fours[i], in + 3 * i, sizeof fours[i]);
  if (threes)
    return (Vector) (Longs16){ fours[0], fours[1] };
#endif
  memcpy (&all, in, 16);
  return all;
}

/* Vectors of a few rows' columns are interleaved until each has one row's. */
static inline __attribute__ ((always_inline)) void
NAME (deal_to) (Element *out, gint64 out_stride, const Element *in, gsize rows, gsize columns)
{
  gsize j = 0;

#if LANES > 1
  const guint n = rows == 2 ? 2 : 4;
  Vector a[4], b[4];

  for (; j + LANES + (rows == 3) <= columns; j += LANES)
    {
      for (guint i = 0; i < n; i++)
        a[i] = NAME (load_fours) (in + j * rows + i * LANES * rows / n, rows == 3);
      for (guint stage = 0; stage < STAGES; stage++)
        {
          for (guint i = 0; i < n / 2; i++)
            {
              b[2 * i] = SHUFFLE (a[i], a[i + n / 2], LOW);
              b[2 * i + 1] = SHUFFLE (a[i], a[i + n / 2], HIGH);
            }
          for (guint i = 0; i < n; i++)
            a[i] = b[i];
        }
      for (guint i = 0; i < rows; i++)
        memcpy (out + (gint64) i * out_stride + (gint64) j, &a[i], 16);
    }
#endif
  for (gsize i = 0; i < rows; i++)
    for (gsize k = j; k < columns; k++)
      out[(gint64) i * out_stride + (gint64) k] = in[i + k * rows];
}

static void
NAME (deal) (gpointer to, gint64 out_stride, gconstpointer from, gsize rows, gsize columns)
{
  if (rows == 2)
    NAME (deal_to) (to, out_stride, from, 2, columns);
  else if (rows == 3)
    NAME (deal_to) (to, out_stride, from, 3, columns);
  else
    NAME (deal_to) (to, out_stride, from, 4, columns);
}

/* The source is read row by row, and of each row of the result a line at a time is
 * stored. */
static void
NAME (transpose_past) (gpointer to, gint64 out_stride, gconstpointer from, gint64 stride, gsize rows, gsize columns,
                       CandelaHalfLine *halves)
{
  const Element *in = from;
  Element *out = to;
  gsize whole_rows = rows / LINE * LINE;
  gsize whole_columns = columns / LINE * LINE;
  guint8 lines[LINE * 64] __attribute__ ((aligned (64)));

  for (gsize j = 0; j < whole_columns; j += LINE)
    for (gsize i = 0; i < whole_rows; i += LINE)
      {
        NAME (lines) (lines, in + i + (gint64) j * stride, stride);
        for (gsize k = 0; k < LINE; k++)
          store_line (&halves[i + k], (guint8 *) (out + (gint64) (i + k) * out_stride + j), lines + k * 64, j == 0);
      }
  for (gsize i = 0; i < whole_rows && whole_columns > 0; i++)
    store_half (&halves[i], (guint8 *) (out + (gint64) i * out_stride + whole_columns));
  for (gsize j = 0; j < columns; j += LINE)
    for (gsize i = j < whole_columns ? whole_rows : 0; i < rows; i += LINE)
      NAME (part)
  (out + (gint64) i * out_stride + j, out_stride, in + i + (gint64) j * stride, stride, MIN (rows - i, LINE),
   MIN (columns - j, LINE));
}

static const CandelaMoves NAME (moves) = { NAME (gather),    NAME (weave), NAME (spread),
                                           NAME (transpose), NAME (deal),  NAME (transpose_past) };

#undef Element
#undef Vector
#undef LANES
#undef LINE
#undef SIZE
#undef ELEMENT
#undef VECTOR
#undef LOW
#undef HIGH
#undef STAGES
#undef NAME
