/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The header of a .npy array: a Python dictionary of three keys, as in
 * {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }. Read by a parser of
 * just that, never more of Python than it takes, since files come from anywhere;
 * what is wrong is named with the place where it stands. The format is that of
 * NumPy's documentation, "numpy.lib.format". */
#include <candela/io/npy-private.h>

#include <string.h>

/* NumPy leaves room for the first (or, if in Fortran order, last) extent to grow. */
#define GROWTH_DIGITS 21
#define HEADER_ALIGNMENT 64

/* Magic string, version 1.0 and the header's length. */
#define PREFIX_LENGTH 10

typedef struct
{
  const char *text;
  gsize length;
  gsize position;

  gboolean has_descr;
  gboolean has_order;
  gboolean has_shape;
  CandelaDType dtype;
  gboolean swapped;
  gboolean fortran_order;
  guint rank;
  gint64 shape[CANDELA_MAX_RANK];
} Parser;

static gboolean parser_fail (const Parser *self, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
parser_fail (const Parser *self, GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_autofree char *message = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT, "header, at its byte %" G_GSIZE_FORMAT ": %s",
               self->position, message);
  return FALSE;
}

/* Text of the file that may be put into a message. */
static char *
excerpt (const char *text, gsize length)
{
  gsize shown = MIN (length, 60);
  g_autofree char *copy = g_strndup (text, shown);
  g_autofree char *escaped = g_strescape (copy, "\"");

  return g_strconcat (escaped, shown < length ? "..." : "", NULL);
}

static int
parser_peek (const Parser *self)
{
  return self->position < self->length ? (guchar) self->text[self->position] : -1;
}

static void
parser_skip_space (Parser *self)
{
  while (self->position < self->length && strchr (" \t\n\r\f", self->text[self->position]) != NULL
         && self->text[self->position] != '\0')
    self->position++;
}

static gboolean
parser_accept (Parser *self, char c)
{
  parser_skip_space (self);
  if (parser_peek (self) != c)
    return FALSE;
  self->position++;
  return TRUE;
}

static gboolean
parser_expect (Parser *self, char c, GError **error)
{
  if (parser_accept (self, c))
    return TRUE;
  return parser_fail (self, error, "'%c' expected", c);
}

/* A quoted string without escapes, which no key or descr has. */
static gboolean
parser_string (Parser *self, const char **start, gsize *length, GError **error)
{
  parser_skip_space (self);
  int quote = parser_peek (self);
  if (quote != '\'' && quote != '"')
    return parser_fail (self, error, "a string expected");

  gsize end = self->position + 1;
  while (end < self->length && self->text[end] != quote && self->text[end] != '\\' && self->text[end] != '\n')
    end++;
  if (end == self->length || self->text[end] != quote)
    return parser_fail (self, error, "a string that does not end, or has an escape in it");
  *start = self->text + self->position + 1;
  *length = end - self->position - 1;
  self->position = end + 1;
  return TRUE;
}

/* NumPy has no bfloat16; with the package ml_dtypes it has, and writes two raw bytes. */
static char
dtype_letter (CandelaDType dtype)
{
  if (dtype == CANDELA_DTYPE_BFLOAT16)
    return 'V';
  switch (candela_dtype_get_kind (dtype))
    {
    case CANDELA_DTYPE_KIND_BOOL:
      return 'b';
    case CANDELA_DTYPE_KIND_SIGNED:
      return 'i';
    case CANDELA_DTYPE_KIND_UNSIGNED:
      return 'u';
    case CANDELA_DTYPE_KIND_FLOAT:
      return 'f';
    case CANDELA_DTYPE_KIND_COMPLEX:
    default:
      return 'c';
    }
}

static CandelaDType
dtype_from_letter (char letter, gsize size)
{
  for (int i = CANDELA_DTYPE_BOOL; i < CANDELA_N_DTYPES; i++)
    if (dtype_letter ((CandelaDType) i) == letter && candela_dtype_get_size ((CandelaDType) i) == size)
      return (CandelaDType) i;
  return CANDELA_DTYPE_INVALID;
}

static const char *
unsupported_name (const char *code, gsize length)
{
  static const struct
  {
    const char *code, *name;
  } known[] = {
    { "f16", "extended precision" },
    { "c32", "extended precision" },
    { "O", "Python objects" },
    { "S", "byte strings" },
    { "U", "text" },
    { "V", "raw bytes" },
    { "M", "dates" },
    { "m", "time spans" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    {
      gsize n = strlen (known[i].code);
      gboolean prefix_is_enough = g_ascii_isupper (known[i].code[0]) || known[i].code[0] == 'm';
      if (length >= n && strncmp (code, known[i].code, n) == 0 && (prefix_is_enough || length == n))
        return known[i].name;
    }
  return NULL;
}

static gboolean
parser_set_dtype (Parser *self, const char *descr, gsize length, GError **error)
{
  const char *code = descr;
  gsize n = length;
  char order = '=';

  if (n > 0 && strchr ("<>=|", *code) != NULL && *code != '\0')
    {
      order = *code++;
      n--;
    }
  gboolean big = order == '>' || (order != '<' && G_BYTE_ORDER == G_BIG_ENDIAN);

  if (n == 2 || (n == 3 && code[1] != '0'))
    {
      gsize size = 0;
      gsize i = 1;
      for (; i < n && g_ascii_isdigit (code[i]); i++)
        size = 10 * size + (gsize) (code[i] - '0');
      self->dtype = i == n ? dtype_from_letter (code[0], size) : CANDELA_DTYPE_INVALID;
      /* Bytes that have no order are really raw. */
      if (self->dtype == CANDELA_DTYPE_BFLOAT16 && order != '<' && order != '>')
        self->dtype = CANDELA_DTYPE_INVALID;
    }
  if (self->dtype == CANDELA_DTYPE_INVALID)
    {
      g_autofree char *shown = excerpt (descr, length);
      const char *name = unsupported_name (code, n);
      if (name != NULL)
        return parser_fail (self, error, "dtype '%s' (%s) is not supported", shown, name);
      return parser_fail (self, error, "dtype '%s' is not known", shown);
    }
  self->swapped = big != (G_BYTE_ORDER == G_BIG_ENDIAN) && candela_dtype_get_size (self->dtype) > 1;
  return TRUE;
}

static gboolean
parser_descr (Parser *self, GError **error)
{
  const char *descr;
  gsize length;

  parser_skip_space (self);
  int c = parser_peek (self);
  if (c == '[' || c == '(')
    {
      const char *start = self->text + self->position;
      const char *end = memchr (start, c == '[' ? ']' : ')', self->length - self->position);
      g_autofree char *shown = excerpt (start, end != NULL ? (gsize) (end - start) + 1 : self->length - self->position);
      return parser_fail (self, error, "the structured dtype %s is not supported", shown);
    }
  return parser_string (self, &descr, &length, error) && parser_set_dtype (self, descr, length, error);
}

static gboolean
parser_word (Parser *self, const char *word)
{
  gsize n = strlen (word);

  if (self->length - self->position < n || strncmp (self->text + self->position, word, n) != 0)
    return FALSE;
  self->position += n;
  return TRUE;
}

static gboolean
parser_order (Parser *self, GError **error)
{
  parser_skip_space (self);
  if (parser_word (self, "True"))
    self->fortran_order = TRUE;
  else if (parser_word (self, "False"))
    self->fortran_order = FALSE;
  else
    return parser_fail (self, error, "True or False expected for 'fortran_order'");
  return TRUE;
}

static gboolean
parser_extent (Parser *self, gint64 *extent, GError **error)
{
  parser_skip_space (self);
  if (parser_peek (self) == '-')
    return parser_fail (self, error, "a negative extent in the shape");
  if (!g_ascii_isdigit (parser_peek (self)))
    return parser_fail (self, error, "a whole number expected in the shape");

  gsize start = self->position;
  gint64 value = 0;
  while (g_ascii_isdigit (parser_peek (self)))
    {
      if (__builtin_mul_overflow (value, 10, &value)
          || __builtin_add_overflow (value, self->text[self->position] - '0', &value))
        return parser_fail (self, error, "an extent in the shape is too large");
      self->position++;
    }
  if (self->text[start] == '0' && self->position > start + 1)
    return parser_fail (self, error, "a number in the shape begins with 0");
  /* As Python 2 wrote long integers. */
  if (parser_peek (self) == 'L')
    self->position++;
  *extent = value;
  return TRUE;
}

static gboolean
parser_shape (Parser *self, GError **error)
{
  if (!parser_expect (self, '(', error))
    return FALSE;
  if (parser_accept (self, ')'))
    return TRUE;
  for (;;)
    {
      if (self->rank == CANDELA_MAX_RANK)
        return parser_fail (self, error, "a shape of more than %d axes", CANDELA_MAX_RANK);
      if (!parser_extent (self, &self->shape[self->rank], error))
        return FALSE;
      self->rank++;
      /* (3) is a number, (3,) a tuple. */
      if (!parser_accept (self, ','))
        return self->rank == 1 ? parser_expect (self, ',', error) : parser_expect (self, ')', error);
      if (parser_accept (self, ')'))
        return TRUE;
    }
}

static gboolean
parser_item (Parser *self, GError **error)
{
  static const struct
  {
    const char *key;
    gsize seen;
    gboolean (*parse) (Parser *, GError **);
  } keys[] = {
    { "descr", G_STRUCT_OFFSET (Parser, has_descr), parser_descr },
    { "fortran_order", G_STRUCT_OFFSET (Parser, has_order), parser_order },
    { "shape", G_STRUCT_OFFSET (Parser, has_shape), parser_shape },
  };
  const char *key;
  gsize length;

  if (!parser_string (self, &key, &length, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      if (length != strlen (keys[i].key) || strncmp (key, keys[i].key, length) != 0)
        continue;
      gboolean *seen = G_STRUCT_MEMBER_P (self, keys[i].seen);
      if (*seen)
        return parser_fail (self, error, "the key '%s' a second time", keys[i].key);
      *seen = TRUE;
      return parser_expect (self, ':', error) && keys[i].parse (self, error);
    }
  g_autofree char *shown = excerpt (key, length);
  return parser_fail (self, error, "the key '%s' is not one of 'descr', 'fortran_order' and 'shape'", shown);
}

static gboolean
parser_dictionary (Parser *self, GError **error)
{
  if (!parser_expect (self, '{', error))
    return FALSE;
  while (!parser_accept (self, '}'))
    {
      if (!parser_item (self, error))
        return FALSE;
      if (!parser_accept (self, ','))
        {
          if (!parser_expect (self, '}', error))
            return FALSE;
          break;
        }
    }
  const char *missing = !self->has_descr   ? "descr"
                        : !self->has_order ? "fortran_order"
                        : !self->has_shape ? "shape"
                                           : NULL;
  if (missing != NULL)
    return parser_fail (self, error, "the key '%s' is missing", missing);
  parser_skip_space (self);
  if (self->position < self->length)
    return parser_fail (self, error, "something follows the dictionary");
  return TRUE;
}

/* Of Fortran order is what, with all axes reversed, would be of C order. */
static CandelaLayout *
parser_get_layout (const Parser *self, GError **error)
{
  gint64 shape[CANDELA_MAX_RANK], axes[CANDELA_MAX_RANK];

  if (!self->fortran_order)
    return candela_layout_new (self->shape, self->rank, error);

  for (guint i = 0; i < self->rank; i++)
    {
      axes[i] = self->rank - 1 - i;
      shape[i] = self->shape[axes[i]];
    }
  g_autoptr (CandelaLayout) reversed = candela_layout_new (shape, self->rank, error);
  return reversed != NULL ? candela_layout_permute (reversed, axes, self->rank, error) : NULL;
}

gboolean
candela_npy_header_parse (CandelaNpyHeader *header, const char *text, gsize length, GError **error)
{
  Parser parser = { .text = text, .length = length };
  g_autoptr (GError) layout_error = NULL;

  if (!parser_dictionary (&parser, error))
    return FALSE;

  g_autoptr (CandelaLayout) layout = parser_get_layout (&parser, &layout_error);
  if (layout == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT, "header: %s", layout_error->message);
      return FALSE;
    }
  guint64 n_elements = (guint64) candela_layout_get_n_elements (layout);
  gsize n_bytes;
  if (!g_size_checked_mul (&n_bytes, n_elements, candela_dtype_get_size (parser.dtype)) || n_bytes > G_MAXSSIZE)
    {
      g_autofree char *shown = candela_shape_to_string (parser.shape, parser.rank);
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_FORMAT, "header: shape %s of %s needs more bytes than there are",
                   shown, candela_dtype_get_name (parser.dtype));
      return FALSE;
    }
  *header = (CandelaNpyHeader){
    .dtype = parser.dtype, .swapped = parser.swapped, .layout = g_steal_pointer (&layout), .n_bytes = n_bytes
  };
  return TRUE;
}

void
candela_npy_header_clear (CandelaNpyHeader *header)
{
  g_clear_pointer (&header->layout, candela_layout_unref);
}

GString *
candela_npy_header_write (CandelaDType dtype, const CandelaLayout *layout, gboolean fortran_order)
{
  gsize rank;
  const gint64 *shape = candela_layout_get_shape (layout, &rank);
  gsize size = candela_dtype_get_size (dtype);
  char order = size == 1 ? '|' : (G_BYTE_ORDER == G_BIG_ENDIAN ? '>' : '<');
  GString *text = g_string_new_len ("\x93NUMPY\x01\x00\x00\x00", PREFIX_LENGTH);

  g_string_append_printf (text, "{'descr': '%c%c%" G_GSIZE_FORMAT "', 'fortran_order': %s, 'shape': (", order,
                          dtype_letter (dtype), size, fortran_order ? "True" : "False");
  for (gsize i = 0; i < rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", shape[i]);
  g_string_append (text, rank == 1 ? ",), }" : "), }");

  if (rank > 0)
    {
      g_autofree char *extent = g_strdup_printf ("%" G_GINT64_FORMAT, shape[fortran_order ? rank - 1 : 0]);
      g_string_append_printf (text, "%*s", GROWTH_DIGITS - (int) strlen (extent), "");
    }
  /* At least one space, as NumPy has it. */
  gsize padding = HEADER_ALIGNMENT - (text->len + 1) % HEADER_ALIGNMENT;
  g_string_append_printf (text, "%*s\n", (int) padding, "");

  /* Thirty-two extents of twenty digits are far from what 16 bits count. */
  gsize length = text->len - PREFIX_LENGTH;
  text->str[PREFIX_LENGTH - 2] = (char) (length & 0xff);
  text->str[PREFIX_LENGTH - 1] = (char) (length >> 8);
  return text;
}
