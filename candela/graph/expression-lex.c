/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Text to tokens, and places in the text to messages. A line's end separates
 * statements outside brackets only.
 *
 * Expressions over a few numbers are read as often as they are run, so nothing
 * is allocated for a token: names, each ended by NUL, lie in a buffer that is as
 * long as the text, where they are in the text. (GScanner took longer for a
 * short text than all the rest of reading, planning and running it.) */
#include <candela/graph/expression-private.h>

#include <errno.h>
#include <math.h>
#include <string.h>

/* So that messages can repeat a name. */
#define MAX_NAME 255

/* How much of a long line a message shows on either side of the place. */
#define EXCERPT 60

#define INFIX(symbol, precedence)                                                                                      \
  {                                                                                                                    \
    symbol, "infix:" symbol, NULL, precedence                                                                          \
  }
#define PREFIX(symbol)                                                                                                 \
  {                                                                                                                    \
    symbol, NULL, "prefix:" symbol, 0                                                                                  \
  }
#define BOTH(symbol, precedence)                                                                                       \
  {                                                                                                                    \
    symbol, "infix:" symbol, "prefix:" symbol, precedence                                                              \
  }

/* Longer ones first: "<" is the beginning of "<<" and "<=". */
const CandelaOperator candela_operators[CANDELA_N_OPERATORS] = {
  INFIX ("**", CANDELA_PRECEDENCE_POWER),      INFIX ("//", CANDELA_PRECEDENCE_PRODUCT),
  INFIX ("<<", CANDELA_PRECEDENCE_SHIFT),      INFIX (">>", CANDELA_PRECEDENCE_SHIFT),
  INFIX ("<=", CANDELA_PRECEDENCE_COMPARISON), INFIX (">=", CANDELA_PRECEDENCE_COMPARISON),
  INFIX ("==", CANDELA_PRECEDENCE_COMPARISON), INFIX ("!=", CANDELA_PRECEDENCE_COMPARISON),
  INFIX ("<", CANDELA_PRECEDENCE_COMPARISON),  INFIX (">", CANDELA_PRECEDENCE_COMPARISON),
  INFIX ("|", CANDELA_PRECEDENCE_OR),          INFIX ("^", CANDELA_PRECEDENCE_XOR),
  INFIX ("&", CANDELA_PRECEDENCE_AND),         BOTH ("+", CANDELA_PRECEDENCE_SUM),
  BOTH ("-", CANDELA_PRECEDENCE_SUM),          INFIX ("*", CANDELA_PRECEDENCE_PRODUCT),
  INFIX ("/", CANDELA_PRECEDENCE_PRODUCT),     INFIX ("%", CANDELA_PRECEDENCE_PRODUCT),
  INFIX ("@", CANDELA_PRECEDENCE_PRODUCT),     PREFIX ("~"),
};

static const struct
{
  const char *word;
  CandelaTokenKind kind;
} constants[] = {
  { "true", CANDELA_TOKEN_TRUE },   { "True", CANDELA_TOKEN_TRUE }, { "false", CANDELA_TOKEN_FALSE },
  { "False", CANDELA_TOKEN_FALSE }, { "none", CANDELA_TOKEN_NONE }, { "None", CANDELA_TOKEN_NONE },
};

/* The line of a position: where it starts and ends, and its number. */
static gsize
find_line (const CandelaLexer *lexer, gsize position, gsize *end)
{
  gsize start = position;

  while (start > 0 && lexer->text[start - 1] != '\n')
    start--;
  *end = position + strcspn (lexer->text + position, "\n");
  return start;
}

gboolean
candela_lexer_locate (const CandelaLexer *lexer, gsize position, GError **error, GError *cause)
{
  if (lexer->part && cause->code != CANDELA_ERROR_SYNTAX && cause->code != CANDELA_ERROR_UNKNOWN_OP)
    {
      g_propagate_error (error, cause);
      return FALSE;
    }

  gsize end, start = find_line (lexer, position, &end);
  glong column = g_utf8_strlen (lexer->text + start, position - start);
  guint line = 1;
  g_autoptr (GString) message = g_string_new (NULL);
  const char *place = lexer->text + position, *from = place, *to = lexer->text + end;

  for (gsize i = 0; i < start; i++)
    line += lexer->text[i] == '\n';
  g_string_printf (message, "line %u, column %ld: %s\n", line, column + 1, cause->message);

  while (from > lexer->text + start && place - from < EXCERPT)
    from = g_utf8_prev_char (from);
  if (to - place > EXCERPT)
    for (to = place + EXCERPT; (*to & 0xc0) == 0x80;)
      to--;

  gboolean cut = from > lexer->text + start;

  g_string_append (message, cut ? "…" : "");
  g_string_append_len (message, from, to - from);
  g_string_append (message, to < lexer->text + end ? "…\n" : "\n");
  /* Tabs stay tabs, so that the caret stands below its place. */
  g_string_append (message, cut ? " " : "");
  for (const char *p = from; p < place; p = g_utf8_next_char (p))
    g_string_append_c (message, *p == '\t' ? '\t' : ' ');
  g_string_append_c (message, '^');

  g_set_error_literal (error, cause->domain, cause->code, message->str);
  g_error_free (cause);
  return FALSE;
}

gboolean
candela_lexer_fail (const CandelaLexer *lexer, gsize position, GError **error, const char *format, ...)
{
  va_list args;
  GError *cause;

  va_start (args, format);
  cause = g_error_new_valist (CANDELA_ERROR, CANDELA_ERROR_SYNTAX, format, args);
  va_end (args);
  return candela_lexer_locate (lexer, position, error, cause);
}

char *
candela_lexer_describe (const CandelaLexer *lexer, const CandelaToken *token)
{
  gsize length = token->end - token->start;

  if (token->kind == CANDELA_TOKEN_END)
    return g_strdup ("the end of the expression");
  if (lexer->text[token->start] == '\n')
    return g_strdup ("the end of the line");
  if (token->kind == CANDELA_TOKEN_STRING || length > 40)
    return g_strdup (token->kind == CANDELA_TOKEN_STRING ? "a string" : "a long word");
  return g_strdup_printf ("'%.*s'", (int) length, lexer->text + token->start);
}

gboolean
candela_lexer_init (CandelaLexer *lexer, const char *text, gssize length, GError **error)
{
  const char *end = NULL;
  gsize size = length < 0 ? strlen (text) : (gsize) length;

  /* A NUL within the length is not valid here either. */
  if (!g_utf8_validate_len (text, size, &end))
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SYNTAX,
                   "the expression is not text in UTF-8: byte %" G_GSIZE_FORMAT " is 0x%02x", (gsize) (end - text),
                   (guint8) *end);
      return FALSE;
    }

  lexer->copy = length < 0 ? NULL : g_strndup (text, size);
  lexer->text = length < 0 ? text : lexer->copy;
  lexer->position = 0;
  lexer->brackets = 0;
  lexer->part = FALSE;
  lexer->words = size < sizeof lexer->few ? lexer->few : g_malloc (size + 1);
  return TRUE;
}

void
candela_lexer_clear (CandelaLexer *lexer)
{
  if (lexer->words != lexer->few)
    g_free (lexer->words);
  g_free (lexer->copy);
}

static gboolean
starts_name (char c)
{
  return g_ascii_isalpha (c) || c == '_';
}

static gboolean
continues_name (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

static gboolean
fail_character (const CandelaLexer *lexer, gsize start, GError **error)
{
  gunichar c = g_utf8_get_char (lexer->text + start);

  if (c == '#')
    return candela_lexer_fail (lexer, start, error, "unexpected '#': the language has no comments");
  if (c == '!')
    return candela_lexer_fail (lexer, start, error, "unexpected '!': write '~' for not, '!=' for not equal");
  if (g_unichar_isprint (c))
    {
      char text[7] = "";

      g_unichar_to_utf8 (c, text);
      return candela_lexer_fail (lexer, start, error, "unexpected character '%s'", text);
    }
  return candela_lexer_fail (lexer, start, error, "unexpected character U+%04X", c);
}

static const char *
skip_digits (const char *p)
{
  while (g_ascii_isdigit (*p))
    p++;
  return p;
}

/* What the C library reads as a number is no more than these characters. */
static gboolean
read_number (CandelaLexer *lexer, CandelaToken *token, GError **error)
{
  const char *start = lexer->text + token->start, *end = skip_digits (start);

  token->kind = CANDELA_TOKEN_INT;
  if (*end == '.')
    {
      token->kind = CANDELA_TOKEN_FLOAT;
      end = skip_digits (end + 1);
    }
  if (*end == 'e' || *end == 'E')
    {
      const char *exponent = end[1] == '+' || end[1] == '-' ? end + 2 : end + 1;

      if (g_ascii_isdigit (*exponent))
        {
          token->kind = CANDELA_TOKEN_FLOAT;
          end = skip_digits (exponent);
        }
    }
  if (*end == 'j' && !continues_name (end[1]))
    {
      token->kind = CANDELA_TOKEN_IMAGINARY;
      end++;
    }
  if (continues_name (*end) || *end == '.')
    {
      while (continues_name (*end) || *end == '.')
        end++;
      return candela_lexer_fail (lexer, token->start, error, "'%.*s' is not a number", (int) MIN (end - start, 40),
                                 start);
    }
  lexer->position += end - start;

  errno = 0;
  if (token->kind == CANDELA_TOKEN_INT)
    {
      token->integer = g_ascii_strtoull (start, NULL, 10);
      if (errno == ERANGE)
        return candela_lexer_fail (lexer, token->start, error, "the integer %.*s does not fit in 64 bits",
                                   (int) MIN (end - start, 40), start);
      return TRUE;
    }
  token->number = g_ascii_strtod (start, NULL);
  if (isinf (token->number))
    return candela_lexer_fail (lexer, token->start, error, "the number %.*s is too large for float64",
                               (int) MIN (end - start, 40), start);
  return TRUE;
}

static char
unescape (char c)
{
  switch (c)
    {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    default:
      return c;
    }
}

/* Escapes between double quotes only. Numbers are none: they would make NULs, and
 * bytes that are no text. Where the first quote is, the word before it may end. */
static gboolean
read_string (CandelaLexer *lexer, CandelaToken *token, GError **error)
{
  const char *start = lexer->text + token->start, *p;
  char *to = lexer->words + token->start + 1;

  for (p = start + 1; *p != *start && *p != '\0'; p++)
    {
      if (*start == '"' && *p == '\\' && p[1] != '\0')
        {
          p++;
          if (g_ascii_isdigit (*p))
            return candela_lexer_fail (lexer, p - 1 - lexer->text, error, "'\\%c' is not an escape in a string", *p);
          *to++ = unescape (*p);
        }
      else
        *to++ = *p;
    }
  if (*p == '\0')
    return candela_lexer_fail (lexer, token->start, error, "a string that does not end");
  *to = '\0';
  token->kind = CANDELA_TOKEN_STRING;
  token->name = lexer->words + token->start + 1;
  lexer->position = p + 1 - lexer->text;
  return TRUE;
}

/* The name of a value or of an attribute, which begins at the position. */
static gboolean
read_name (CandelaLexer *lexer, CandelaToken *token, CandelaTokenKind kind, GError **error)
{
  const char *start = lexer->text + lexer->position;
  char *name = lexer->words + lexer->position;
  gsize n = 1;

  while (continues_name (start[n]))
    n++;
  if (n > MAX_NAME)
    return candela_lexer_fail (lexer, token->start, error, "a name of more than %d characters", MAX_NAME);
  memcpy (name, start, n);
  name[n] = '\0';
  lexer->position += n;
  token->kind = kind;
  token->name = name;
  return TRUE;
}

static gboolean
read_word (CandelaLexer *lexer, CandelaToken *token, GError **error)
{
  if (!read_name (lexer, token, CANDELA_TOKEN_NAME, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (constants); i++)
    if (constants[i].word[0] == token->name[0] && strcmp (constants[i].word, token->name) == 0)
      token->kind = constants[i].kind;
  return TRUE;
}

static gboolean
read_dot (CandelaLexer *lexer, CandelaToken *token, GError **error)
{
  const char *start = lexer->text + token->start;

  if (g_ascii_isdigit (start[1]))
    return read_number (lexer, token, error);
  if (starts_name (start[1]))
    {
      lexer->position++;
      return read_name (lexer, token, CANDELA_TOKEN_ATTRIBUTE, error);
    }
  if (start[1] != '.' || start[2] != '.')
    return candela_lexer_fail (lexer, token->start, error, "unexpected '.'");
  lexer->position += 3;
  token->kind = CANDELA_TOKEN_ELLIPSIS;
  return TRUE;
}

/* Of one character or two. */
static gboolean
starts_with (const char *text, const char *symbol)
{
  return text[0] == symbol[0] && (symbol[1] == '\0' || text[1] == symbol[1]);
}

static gboolean
read_sign (CandelaLexer *lexer, CandelaToken *token, GError **error)
{
  const char *start = lexer->text + token->start;

  for (guint i = 0; i < CANDELA_N_OPERATORS; i++)
    if (starts_with (start, candela_operators[i].symbol))
      {
        lexer->position += strlen (candela_operators[i].symbol);
        token->kind = CANDELA_TOKEN_OPERATOR;
        token->op = i;
        return TRUE;
      }
  if (strchr ("()[],:=", *start) == NULL)
    return fail_character (lexer, token->start, error);
  lexer->position++;
  token->kind = CANDELA_TOKEN_CHARACTER;
  token->character = *start;
  if (*start == '(' || *start == '[')
    lexer->brackets++;
  else if ((*start == ')' || *start == ']') && lexer->brackets > 0)
    lexer->brackets--;
  return TRUE;
}

static gboolean
is_white (const CandelaLexer *lexer, char c)
{
  return c == ' ' || c == '\t' || c == '\r' || (c == '\n' && lexer->brackets > 0);
}

static gboolean
read_token (CandelaLexer *lexer, CandelaToken *token, GError **error)
{
  char c = lexer->text[token->start];

  if (starts_name (c))
    return read_word (lexer, token, error);
  if (g_ascii_isdigit (c))
    return read_number (lexer, token, error);
  switch (c)
    {
    case '\0':
      return TRUE;
    case '.':
      return read_dot (lexer, token, error);
    case '"':
    case '\'':
      return read_string (lexer, token, error);
    case ';':
    case '\n':
      lexer->position++;
      token->kind = CANDELA_TOKEN_SEPARATOR;
      return TRUE;
    default:
      return read_sign (lexer, token, error);
    }
}

/* Reads the next token. A line's end is one (a separator) outside brackets. */
gboolean
candela_lexer_next (CandelaLexer *lexer, CandelaToken *token, GError **error)
{
  gboolean fine;

  while (is_white (lexer, lexer->text[lexer->position]))
    lexer->position++;
  token->kind = CANDELA_TOKEN_END;
  token->start = lexer->position;
  fine = read_token (lexer, token, error);
  token->end = lexer->position;
  return fine;
}
