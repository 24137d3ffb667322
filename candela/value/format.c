/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A value as text, as NumPy's str() writes an array: all elements of one width,
 * nested brackets, lines of 75 columns, and of more than 1,000 elements only
 * the first and last three along each axis. What will be shown is gathered
 * first, which settles the width; then it is written in the same order. Only
 * what is shown is read, so that an array may be larger than any memory. */
#include <candela/value/format-private.h>
#include <candela/value/layout-private.h>
#include <candela/value/tensor-private.h>

#include <math.h>
#include <string.h>

#define LINE_WIDTH 75
#define SUMMARY_THRESHOLD 1000
#define EDGE_ITEMS 3

/* Arrays with many short axes are not shortened by the edges alone. */
#define MAX_SHOWN (1 << 20)

typedef struct
{
  CandelaDType dtype;
  const CandelaLayout *layout;
  gint64 n_leading[CANDELA_MAX_RANK];
  gint64 n_trailing[CANDELA_MAX_RANK];
  gboolean shortened[CANDELA_MAX_RANK];

  gsize n_shown;
  guint8 *shown; /* n_shown packed elements */
  gsize next;

  int width; /* of an integer */
  CandelaFloatStyle real;
  CandelaFloatStyle imaginary;

  const char *separator; /* of elements, and, without its blank, of rows */
  guint indent;          /* of all lines but the first, which has something before it */
  guint closing;         /* columns that are left free for what comes behind */

  GString *text;
  gsize line_start;
} Formatter;

/* Chooses what to show of each axis. */
static void
formatter_choose (Formatter *self)
{
  guint rank = self->layout->rank;
  gboolean summary = self->layout->n_elements > SUMMARY_THRESHOLD;

  for (guint axis = 0; axis < rank; axis++)
    {
      gint64 extent = self->layout->dims[axis];
      self->shortened[axis] = summary && extent > 2 * EDGE_ITEMS;
      self->n_leading[axis] = self->shortened[axis] ? EDGE_ITEMS : extent;
      self->n_trailing[axis] = self->shortened[axis] ? EDGE_ITEMS : 0;
    }

  /* From the last axis on, until there is enough to show; of the axes before
   * that, the first item only. */
  gint64 n = 1;
  for (guint axis = rank; axis-- > 0;)
    {
      gint64 shown = self->n_leading[axis] + self->n_trailing[axis];
      if (n * shown > MAX_SHOWN)
        {
          self->shortened[axis] = TRUE;
          self->n_leading[axis] = 1;
          self->n_trailing[axis] = 0;
          shown = 1;
        }
      n *= shown;
    }
  self->n_shown = n;
}

static void
formatter_gather (Formatter *self, const guint8 *element, guint axis)
{
  gsize size = candela_dtype_get_size (self->dtype);

  if (axis == self->layout->rank)
    {
      memcpy (self->shown + self->next++ * size, element, size);
      return;
    }

  /* Unsigned: the stride of an axis of extent 1 may be anything. */
  gint64 step = (gint64) ((guint64) self->layout->strides[axis] * size);
  gint64 extent = self->layout->dims[axis];
  for (gint64 i = 0; i < self->n_leading[axis]; i++)
    formatter_gather (self, element + i * step, axis + 1);
  for (gint64 i = extent - self->n_trailing[axis]; i < extent; i++)
    formatter_gather (self, element + i * step, axis + 1);
}

static double
shown_double (const Formatter *self, gsize i, gboolean imaginary)
{
  gsize j = 2 * i + (imaginary ? 1 : 0);
  double value;

  switch (self->dtype)
    {
    case CANDELA_DTYPE_FLOAT16:
    case CANDELA_DTYPE_BFLOAT16:
      candela_dtype_convert (self->dtype, self->shown + i * sizeof (guint16), CANDELA_DTYPE_FLOAT64, &value, 1);
      return value;
    case CANDELA_DTYPE_FLOAT32:
      return ((const float *) (gconstpointer) self->shown)[i];
    case CANDELA_DTYPE_FLOAT64:
      return ((const double *) (gconstpointer) self->shown)[i];
    case CANDELA_DTYPE_COMPLEX64:
      return ((const float *) (gconstpointer) self->shown)[j];
    case CANDELA_DTYPE_COMPLEX128:
      return ((const double *) (gconstpointer) self->shown)[j];
    default:
      return 0.0;
    }
}

static void
append_integer (const Formatter *self, GString *text, gsize i, int width)
{
  gint64 value = 0;

  switch (self->dtype)
    {
#define SIGNED_CASE(DTYPE, type)                                                                                       \
  case CANDELA_DTYPE_##DTYPE:                                                                                          \
    value = (gint64) ((const type *) (gconstpointer) self->shown)[i];                                                  \
    break;
      SIGNED_CASE (INT8, gint8)
      SIGNED_CASE (INT16, gint16)
      SIGNED_CASE (INT32, gint32)
      SIGNED_CASE (INT64, gint64)
      SIGNED_CASE (UINT8, guint8)
      SIGNED_CASE (UINT16, guint16)
      SIGNED_CASE (UINT32, guint32)
#undef SIGNED_CASE
    case CANDELA_DTYPE_UINT64:
      g_string_append_printf (text, "%*" G_GUINT64_FORMAT, width, ((const guint64 *) (gconstpointer) self->shown)[i]);
      return;
    default:
      return;
    }
  g_string_append_printf (text, "%*" G_GINT64_FORMAT, width, value);
}

/* Of the numbers, or of the parts of complex ones. */
static CandelaDType
float_dtype (const Formatter *self)
{
  switch (self->dtype)
    {
    case CANDELA_DTYPE_COMPLEX64:
      return CANDELA_DTYPE_FLOAT32;
    case CANDELA_DTYPE_COMPLEX128:
      return CANDELA_DTYPE_FLOAT64;
    default:
      return self->dtype;
    }
}

static void
formatter_init_float_style (Formatter *self, CandelaFloatStyle *style, gboolean imaginary)
{
  g_autofree double *values = g_new (double, self->n_shown);

  for (gsize i = 0; i < self->n_shown; i++)
    values[i] = shown_double (self, i, imaginary);
  candela_float_style_init (style, values, self->n_shown, float_dtype (self), imaginary);
}

static void
formatter_init_style (Formatter *self)
{
  switch (candela_dtype_get_kind (self->dtype))
    {
    case CANDELA_DTYPE_KIND_FLOAT:
      formatter_init_float_style (self, &self->real, FALSE);
      break;
    case CANDELA_DTYPE_KIND_COMPLEX:
      formatter_init_float_style (self, &self->real, FALSE);
      formatter_init_float_style (self, &self->imaginary, TRUE);
      break;
    case CANDELA_DTYPE_KIND_SIGNED:
    case CANDELA_DTYPE_KIND_UNSIGNED:
      {
        g_autoptr (GString) one = g_string_new (NULL);
        for (gsize i = 0; i < self->n_shown; i++)
          {
            g_string_truncate (one, 0);
            append_integer (self, one, i, 0);
            self->width = MAX (self->width, (int) one->len);
          }
        break;
      }
    case CANDELA_DTYPE_KIND_BOOL:
    default:
      break;
    }
}

/* The imaginary part ends in j, before the spaces that align it. */
static void
append_imaginary (const Formatter *self, GString *text, double value)
{
  candela_float_style_append (&self->imaginary, text, value);

  gsize end = text->len;
  while (text->str[end - 1] == ' ')
    end--;
  g_string_insert_c (text, (gssize) end, 'j');
}

static void
append_element (const Formatter *self, GString *text, gsize i)
{
  gsize rank;

  switch (candela_dtype_get_kind (self->dtype))
    {
    case CANDELA_DTYPE_KIND_BOOL:
      /* As wide as False, if there are others. */
      candela_layout_get_shape (self->layout, &rank);
      g_string_append (text, !self->shown[i] ? "False" : rank > 0 ? " True" : "True");
      break;
    case CANDELA_DTYPE_KIND_FLOAT:
      candela_float_style_append (&self->real, text, shown_double (self, i, FALSE));
      break;
    case CANDELA_DTYPE_KIND_COMPLEX:
      candela_float_style_append (&self->real, text, shown_double (self, i, FALSE));
      append_imaginary (self, text, shown_double (self, i, TRUE));
      break;
    case CANDELA_DTYPE_KIND_SIGNED:
    case CANDELA_DTYPE_KIND_UNSIGNED:
    default:
      append_integer (self, text, i, self->width);
      break;
    }
}

static void
append_scalar (const Formatter *self, GString *text)
{
  double real = shown_double (self, 0, FALSE);
  double imaginary = shown_double (self, 0, TRUE);
  CandelaDType dtype = float_dtype (self);

  switch (candela_dtype_get_kind (self->dtype))
    {
    case CANDELA_DTYPE_KIND_BOOL:
      g_string_append (text, self->shown[0] ? "True" : "False");
      break;
    case CANDELA_DTYPE_KIND_FLOAT:
      candela_float_append_scalar (text, real, dtype, FALSE, TRUE);
      break;
    case CANDELA_DTYPE_KIND_COMPLEX:
      if (real == 0.0 && !signbit (real))
        {
          candela_float_append_scalar (text, imaginary, dtype, FALSE, FALSE);
          g_string_append_c (text, 'j');
          break;
        }
      g_string_append_c (text, '(');
      candela_float_append_scalar (text, real, dtype, FALSE, FALSE);
      candela_float_append_scalar (text, imaginary, dtype, TRUE, FALSE);
      g_string_append (text, "j)");
      break;
    case CANDELA_DTYPE_KIND_SIGNED:
    case CANDELA_DTYPE_KIND_UNSIGNED:
    default:
      append_integer (self, text, 0, 0);
      break;
    }
}

static void
append_spaces (GString *text, guint n)
{
  for (guint i = 0; i < n; i++)
    g_string_append_c (text, ' ');
}

static void
formatter_trim_line (Formatter *self)
{
  while (self->text->len > self->line_start && self->text->str[self->text->len - 1] == ' ')
    g_string_truncate (self->text, self->text->len - 1);
}

/* Puts a word into the row, on a new line if it does not fit; a line of its own
 * that is too short all the same is not left empty. */
static void
formatter_add_word (Formatter *self, const char *word, gsize length)
{
  guint rank = self->layout->rank;
  gsize column = self->text->len - self->line_start;
  gsize width = LINE_WIDTH - rank - self->closing;

  if (column + length > width && column > rank + self->indent)
    {
      formatter_trim_line (self);
      g_string_append_c (self->text, '\n');
      self->line_start = self->text->len;
      append_spaces (self->text, rank + self->indent);
    }
  g_string_append_len (self->text, word, (gssize) length);
}

static void
formatter_add_row (Formatter *self)
{
  guint axis = self->layout->rank - 1u;
  gint64 n = self->n_leading[axis] + self->n_trailing[axis];
  g_autoptr (GString) word = g_string_new (NULL);

  for (gint64 i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (self->text, self->separator);
      if (self->shortened[axis] && i == self->n_leading[axis])
        {
          formatter_add_word (self, "...", 3);
          g_string_append (self->text, self->separator);
        }
      g_string_truncate (word, 0);
      append_element (self, word, self->next++);
      formatter_add_word (self, word->str, word->len);
    }
  if (self->shortened[axis] && self->n_trailing[axis] == 0)
    {
      g_string_append (self->text, self->separator);
      formatter_add_word (self, "...", 3);
    }
}

/* Starts a new line for the next item of an axis. */
static void
formatter_separate (Formatter *self, guint axis)
{
  g_string_append (self->text, self->separator);
  formatter_trim_line (self);
  for (guint i = axis + 1; i < self->layout->rank; i++)
    g_string_append_c (self->text, '\n');
  self->line_start = self->text->len;
  append_spaces (self->text, axis + 1 + self->indent);
}

static void
formatter_add_axis (Formatter *self, guint axis)
{
  gint64 n = self->n_leading[axis] + self->n_trailing[axis];

  g_string_append_c (self->text, '[');
  if (axis + 1u == self->layout->rank)
    {
      formatter_add_row (self);
      g_string_append_c (self->text, ']');
      return;
    }

  for (gint64 i = 0; i < n; i++)
    {
      if (i > 0)
        formatter_separate (self, axis);
      if (self->shortened[axis] && i == self->n_leading[axis])
        {
          g_string_append (self->text, "...");
          formatter_separate (self, axis);
        }
      formatter_add_axis (self, axis + 1);
    }
  if (self->shortened[axis] && self->n_trailing[axis] == 0)
    {
      formatter_separate (self, axis);
      g_string_append (self->text, "...");
    }
  g_string_append_c (self->text, ']');
}

static char *
format_elements (Formatter *self, gconstpointer buffer)
{
  gsize size = candela_dtype_get_size (self->dtype);

  if (self->layout->n_elements == 0)
    return g_strdup ("[]");

  formatter_choose (self);
  self->shown = g_malloc (self->n_shown * size);
  formatter_gather (self, (const guint8 *) buffer + self->layout->offset * (gint64) size, 0);

  self->next = 0;
  self->text = g_string_new (NULL);
  append_spaces (self->text, self->indent);
  if (self->layout->rank == 0 && self->closing == 0)
    append_scalar (self, self->text);
  else
    {
      formatter_init_style (self);
      if (self->layout->rank == 0)
        append_element (self, self->text, 0);
      else
        formatter_add_axis (self, 0);
    }
  g_free (self->shown);
  g_string_erase (self->text, 0, self->indent);
  return g_string_free (self->text, FALSE);
}

char *
candela_format_elements (CandelaDType dtype, const CandelaLayout *layout, gconstpointer buffer)
{
  Formatter self = { .dtype = dtype, .layout = layout, .separator = " " };

  return format_elements (&self, buffer);
}

char *
candela_format_literal (CandelaDType dtype, const CandelaLayout *layout, gconstpointer buffer, guint indent)
{
  Formatter self = { .dtype = dtype, .layout = layout, .separator = ", ", .indent = indent, .closing = 1 };

  return format_elements (&self, buffer);
}
