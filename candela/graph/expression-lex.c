/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Text to tokens, and places in the text to messages. GScanner does the
 * scanning; this file keeps it from what it would do unasked (comments, octal
 * numbers, numbers that saturate), joins the operators of two characters, and
 * lets a line's end separate statements outside brackets only. */
#include <candela/graph/expression-private.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#define NAME_FIRST G_CSET_a_2_z G_CSET_A_2_Z "_"
#define NAME_NTH G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_"

/* So that messages can repeat a name. */
#define MAX_NAME 255

/* How much of a long line a message shows on either side of the place. */
#define EXCERPT 60

/* Longer ones first: "<" is the beginning of "<<" and "<=". */
const CandelaOperator candela_operators[CANDELA_N_OPERATORS] = {
  { "**", CANDELA_PRECEDENCE_POWER, FALSE },      { "//", CANDELA_PRECEDENCE_PRODUCT, FALSE },
  { "<<", CANDELA_PRECEDENCE_SHIFT, FALSE },      { ">>", CANDELA_PRECEDENCE_SHIFT, FALSE },
  { "<=", CANDELA_PRECEDENCE_COMPARISON, FALSE }, { ">=", CANDELA_PRECEDENCE_COMPARISON, FALSE },
  { "==", CANDELA_PRECEDENCE_COMPARISON, FALSE }, { "!=", CANDELA_PRECEDENCE_COMPARISON, FALSE },
  { "<", CANDELA_PRECEDENCE_COMPARISON, FALSE },  { ">", CANDELA_PRECEDENCE_COMPARISON, FALSE },
  { "|", CANDELA_PRECEDENCE_OR, FALSE },          { "^", CANDELA_PRECEDENCE_XOR, FALSE },
  { "&", CANDELA_PRECEDENCE_AND, FALSE },         { "+", CANDELA_PRECEDENCE_SUM, TRUE },
  { "-", CANDELA_PRECEDENCE_SUM, TRUE },          { "*", CANDELA_PRECEDENCE_PRODUCT, FALSE },
  { "/", CANDELA_PRECEDENCE_PRODUCT, FALSE },     { "%", CANDELA_PRECEDENCE_PRODUCT, FALSE },
  { "@", CANDELA_PRECEDENCE_PRODUCT, FALSE },     { "~", 0, TRUE },
};

static const struct
{
  const char *word;
  CandelaTokenKind kind;
} words[] = {
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

static GScanner *
scanner_new (void)
{
  GScanner *scanner = g_scanner_new (NULL);
  GScannerConfig *config = scanner->config;

  config->cset_skip_characters = (char *) " \t\r";
  /* The dot, so that ".T" after a name is a word and not half a number. */
  config->cset_identifier_first = (char *) NAME_FIRST ".";
  config->cset_identifier_nth = (char *) NAME_NTH;
  config->cpair_comment_single = (char *) "";
  config->case_sensitive = TRUE;
  config->skip_comment_multi = FALSE;
  config->skip_comment_single = FALSE;
  config->scan_comment_multi = FALSE;
  config->scan_identifier_1char = TRUE;
  config->scan_symbols = FALSE;
  config->scan_binary = FALSE;
  config->scan_octal = FALSE;
  config->scan_hex = FALSE;
  config->scan_hex_dollar = FALSE;
  config->store_int64 = TRUE;
  return scanner;
}

gboolean
candela_lexer_init (CandelaLexer *lexer, const char *text, gssize length, GError **error)
{
  const char *end = NULL;
  gsize size = length < 0 ? strlen (text) : (gsize) length;

  if (size >= G_MAXUINT)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SYNTAX, "the expression has %" G_GSIZE_FORMAT " bytes: too long",
                   size);
      return FALSE;
    }

  /* A NUL within the length is not valid here either. */
  if (!g_utf8_validate_len (text, size, &end))
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_SYNTAX,
                   "the expression is not text in UTF-8: byte %" G_GSIZE_FORMAT " is 0x%02x", (gsize) (end - text),
                   (guint8) *end);
      return FALSE;
    }

  lexer->text = g_strndup (text, size);
  lexer->length = size;
  lexer->scanner = scanner_new ();
  lexer->names = g_string_chunk_new (256);
  g_scanner_input_text (lexer->scanner, lexer->text, (guint) size);
  return TRUE;
}

void
candela_lexer_clear (CandelaLexer *lexer)
{
  g_clear_pointer (&lexer->scanner, g_scanner_destroy);
  g_clear_pointer (&lexer->names, g_string_chunk_free);
  g_clear_pointer (&lexer->text, g_free);
}

/* Takes the scanner's next token. How far it has read is asked of its text
 * pointer: line and position alone do not tell where a string ends. */
static GTokenType
scan (CandelaLexer *lexer)
{
  GTokenType type = g_scanner_get_next_token (lexer->scanner);

  lexer->position = lexer->scanner->text - lexer->text;
  return type;
}

static gboolean
fail_scan (const CandelaLexer *lexer, gsize start, GError **error)
{
  gunichar c = g_utf8_get_char (lexer->text + start);
  GErrorType type = lexer->scanner->value.v_error;

  if (lexer->scanner->token == G_TOKEN_ERROR && (type == G_ERR_UNEXP_EOF_IN_STRING || c == '"' || c == '\''))
    return candela_lexer_fail (lexer, start, error, "a string that does not end");
  if (lexer->scanner->token == G_TOKEN_ERROR && (g_ascii_isdigit ((int) MIN (c, 127)) || c == '.'))
    {
      gsize length = strspn (lexer->text + start, NAME_NTH ".");

      return candela_lexer_fail (lexer, start, error, "'%.*s' is not a number", (int) MIN (length, 40),
                                 lexer->text + start);
    }
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

/* The scanner saturates integers and lets a float become infinite: the text
 * between the two ends is read again, with a check. */
static gboolean
read_number (const CandelaLexer *lexer, CandelaToken *token, GError **error)
{
  const char *start = lexer->text + token->start;
  int length = (int) MIN (token->end - token->start, 40);

  if (token->end < lexer->length && strchr (NAME_NTH, lexer->text[token->end]) != NULL)
    return candela_lexer_fail (lexer, token->start, error, "'%.*s' is not a number",
                               (int) MIN (strspn (start, NAME_NTH "."), 40), start);
  errno = 0;
  if (token->kind == CANDELA_TOKEN_INT)
    {
      token->integer = g_ascii_strtoull (start, NULL, 10);
      if (errno == ERANGE || token->integer > (guint64) G_MAXINT64 + 1)
        return candela_lexer_fail (lexer, token->start, error, "the integer %.*s does not fit in 64 bits", length,
                                   start);
      return TRUE;
    }

  token->number = g_ascii_strtod (start, NULL);
  if (isinf (token->number))
    return candela_lexer_fail (lexer, token->start, error, "the number %.*s is too large for float64", length, start);
  return TRUE;
}

static gboolean
read_string (CandelaLexer *lexer, CandelaToken *token, GError **error)
{
  const char *value = lexer->scanner->value.v_string;
  const char *start = lexer->text + token->start;

  /* Octal escapes make NULs and bytes that are no text. */
  for (const char *p = start; *start == '"' && p < lexer->text + token->end; p++)
    if (*p == '\\')
      {
        p++;
        if (g_ascii_isdigit (*p))
          return candela_lexer_fail (lexer, p - 1 - lexer->text, error, "'\\%c' is not an escape in a string", *p);
      }
  token->name = g_string_chunk_insert (lexer->names, value);
  return TRUE;
}

static gboolean
read_name (CandelaLexer *lexer, CandelaToken *token, GError **error)
{
  if (lexer->position - token->start > MAX_NAME)
    return candela_lexer_fail (lexer, token->start, error, "a name of more than %d characters", MAX_NAME);
  token->kind = CANDELA_TOKEN_NAME;
  token->name = g_string_chunk_insert_const (lexer->names, lexer->scanner->value.v_identifier);
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strcmp (words[i].word, token->name) == 0)
      token->kind = words[i].kind;
  return TRUE;
}

static gboolean
read_dot (CandelaLexer *lexer, CandelaToken *token, GError **error)
{
  const char *start = lexer->text + token->start;

  if (strncmp (start, "...", 3) == 0)
    {
      scan (lexer);
      scan (lexer);
      token->kind = CANDELA_TOKEN_ELLIPSIS;
      return TRUE;
    }
  if (start[1] == '\0' || strchr (NAME_FIRST, start[1]) == NULL || lexer->position - token->start > MAX_NAME)
    return candela_lexer_fail (lexer, token->start, error, "unexpected '.'");
  token->kind = CANDELA_TOKEN_ATTRIBUTE;
  token->name = g_string_chunk_insert_const (lexer->names, lexer->scanner->value.v_identifier);
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
        if (candela_operators[i].symbol[1] != '\0')
          scan (lexer);
        token->kind = CANDELA_TOKEN_OPERATOR;
        token->op = i;
        return TRUE;
      }
  if (strchr ("()[],:=", *start) == NULL)
    return fail_scan (lexer, token->start, error);
  token->kind = CANDELA_TOKEN_CHARACTER;
  token->character = *start;
  if (*start == '(' || *start == '[')
    lexer->brackets++;
  else if ((*start == ')' || *start == ']') && lexer->brackets > 0)
    lexer->brackets--;
  return TRUE;
}

/* Where the next token starts. */
static gsize
skip_white (CandelaLexer *lexer)
{
  gsize start = lexer->position + strspn (lexer->text + lexer->position, " \t\r");

  while (lexer->text[start] == '\n' && lexer->brackets > 0)
    {
      scan (lexer);
      start = lexer->position + strspn (lexer->text + lexer->position, " \t\r");
    }
  return start;
}

/* Reads the next token. A line's end is one (a separator) outside brackets. */
gboolean
candela_lexer_next (CandelaLexer *lexer, CandelaToken *token, GError **error)
{
  gsize start = skip_white (lexer);
  const char *text = lexer->text + start;
  gboolean dotted = text[0] == '.' && g_ascii_isdigit (text[1]);
  gboolean fine = TRUE;

  *token = (CandelaToken){ .kind = CANDELA_TOKEN_END, .start = start, .end = start };
  if (*text == '\0')
    return TRUE;
  if ((guint8) *text >= 0x80)
    {
      lexer->scanner->token = G_TOKEN_CHAR;
      return fail_scan (lexer, start, error);
    }

  /* ".5" is a number, although ".T" is a word. */
  if (dotted)
    lexer->scanner->config->cset_identifier_first = (char *) NAME_FIRST;
  GTokenType type = scan (lexer);
  lexer->scanner->config->cset_identifier_first = (char *) NAME_FIRST ".";

  token->end = lexer->position;
  switch ((int) type)
    {
    case G_TOKEN_INT:
    case G_TOKEN_FLOAT:
      token->kind = type == G_TOKEN_INT ? CANDELA_TOKEN_INT : CANDELA_TOKEN_FLOAT;
      fine = read_number (lexer, token, error);
      break;
    case G_TOKEN_STRING:
      token->kind = CANDELA_TOKEN_STRING;
      fine = read_string (lexer, token, error);
      break;
    case G_TOKEN_IDENTIFIER:
      fine = *text == '.' ? read_dot (lexer, token, error) : read_name (lexer, token, error);
      break;
    case ';':
    case '\n':
      token->kind = CANDELA_TOKEN_SEPARATOR;
      break;
    case G_TOKEN_ERROR:
      fine = fail_scan (lexer, start, error);
      break;
    default:
      fine = read_sign (lexer, token, error);
      break;
    }
  token->end = lexer->position;
  return fine;
}
