/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Signatures of foreign functions: C's own way to declare a function, without its
 * name: "double (double x, int n)". Types are those that mean the same whatever
 * headers there are: the arithmetic ones, and those of stdint.h, stddef.h and GLib. */
#include <candela/op/foreign-private.h>

#include <stdint.h>
#include <string.h>
#include <sys/types.h>

typedef struct
{
  GScanner *scanner;
  const char *text;
  GError **error;
} Parser;

/* ---- Tokens ---- */

static guint
column (const Parser *parser)
{
  const GScanner *scanner = parser->scanner;
  guint length = scanner->token == G_TOKEN_IDENTIFIER ? strlen (scanner->value.v_identifier)
                 : scanner->token == G_TOKEN_EOF      ? 0
                                                      : 1;

  return scanner->token == G_TOKEN_EOF ? strlen (parser->text) + 1 : scanner->position + 1 - length;
}

static char *
token_to_string (const Parser *parser)
{
  const GScanner *scanner = parser->scanner;

  if (scanner->token == G_TOKEN_EOF)
    return g_strdup ("its end");
  if (scanner->token == G_TOKEN_IDENTIFIER)
    return g_strdup_printf ("\"%s\"", scanner->value.v_identifier);
  if (scanner->token < G_TOKEN_NONE && g_ascii_isgraph (scanner->token))
    return g_strdup_printf ("\"%c\"", scanner->token);
  return g_strdup ("something that is no word");
}

G_GNUC_PRINTF (2, 3)
static gboolean
fail (Parser *parser, const char *format, ...)
{
  g_autofree char *quoted = candela_quote_for_message (parser->text);
  va_list args;

  va_start (args, format);
  g_autofree char *reason = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (parser->error, CANDELA_ERROR, CANDELA_ERROR_SYNTAX, "signature %s, column %u: %s", quoted,
               column (parser), reason);
  return FALSE;
}

static gboolean
fail_expected (Parser *parser, const char *what)
{
  g_autofree char *token = token_to_string (parser);

  return fail (parser, "%s where %s should be", token, what);
}

static gboolean
accept (Parser *parser, char token)
{
  if (parser->scanner->token != (GTokenType) token)
    return FALSE;
  g_scanner_get_next_token (parser->scanner);
  return TRUE;
}

static gboolean
is_word (const Parser *parser, const char *word)
{
  return parser->scanner->token == G_TOKEN_IDENTIFIER && strcmp (parser->scanner->value.v_identifier, word) == 0;
}

static gboolean
accept_word (Parser *parser, const char *word)
{
  if (!is_word (parser, word))
    return FALSE;
  g_scanner_get_next_token (parser->scanner);
  return TRUE;
}

/* ---- Types ---- */

static CandelaDType
int_of_size (gsize size, gboolean is_signed)
{
  switch (size)
    {
    case 1:
      return is_signed ? CANDELA_DTYPE_INT8 : CANDELA_DTYPE_UINT8;
    case 2:
      return is_signed ? CANDELA_DTYPE_INT16 : CANDELA_DTYPE_UINT16;
    case 4:
      return is_signed ? CANDELA_DTYPE_INT32 : CANDELA_DTYPE_UINT32;
    default:
      return is_signed ? CANDELA_DTYPE_INT64 : CANDELA_DTYPE_UINT64;
    }
}

#define IS_SIGNED(T) ((T) -1 < (T) 1)
#define INT(T) #T, sizeof(T), IS_SIGNED(T)

static const struct
{
  const char *name;
  gsize size;
  gboolean is_signed;
} int_names[] = {
  { INT (int8_t) },    { INT (int16_t) },  { INT (int32_t) },   { INT (int64_t) }, { INT (uint8_t) },
  { INT (uint16_t) },  { INT (uint32_t) }, { INT (uint64_t) },  { INT (size_t) },  { INT (ssize_t) },
  { INT (ptrdiff_t) }, { INT (intptr_t) }, { INT (uintptr_t) }, { INT (gint8) },   { INT (gint16) },
  { INT (gint32) },    { INT (gint64) },   { INT (guint8) },    { INT (guint16) }, { INT (guint32) },
  { INT (guint64) },   { INT (gsize) },    { INT (gssize) },    { INT (gint) },    { INT (guint) },
  { INT (glong) },     { INT (gulong) },   { INT (gshort) },    { INT (gushort) }, { INT (gboolean) },
};

/* The words of a type, counted. */
typedef struct
{
  guint is_void, is_bool, is_char, is_float, is_double, is_complex, is_short, is_long, is_int, is_signed, is_unsigned;
  guint n;            /* all of the above */
  CandelaDType named; /* by one word of the tables */
} Words;

static gboolean
read_word (Words *words, const char *word)
{
  const struct
  {
    const char *name;
    guint *count;
  } counts[] = {
    { "void", &words->is_void },         { "bool", &words->is_bool },        { "_Bool", &words->is_bool },
    { "char", &words->is_char },         { "float", &words->is_float },      { "double", &words->is_double },
    { "complex", &words->is_complex },   { "_Complex", &words->is_complex }, { "short", &words->is_short },
    { "long", &words->is_long },         { "int", &words->is_int },          { "signed", &words->is_signed },
    { "unsigned", &words->is_unsigned }, { "gfloat", &words->is_float },     { "gdouble", &words->is_double },
  };

  for (guint k = 0; k < G_N_ELEMENTS (counts); k++)
    if (strcmp (word, counts[k].name) == 0)
      {
        ++*counts[k].count;
        words->n++;
        return TRUE;
      }
  for (guint k = 0; words->n == 0 && k < G_N_ELEMENTS (int_names); k++)
    if (strcmp (word, int_names[k].name) == 0)
      {
        words->named = int_of_size (int_names[k].size, int_names[k].is_signed);
        words->n++;
        return TRUE;
      }
  return FALSE;
}

/* FALSE if the words are not a type that can be served. */
static gboolean
words_to_dtype (const Words *words, CandelaDType *dtype)
{
  guint n_int = words->is_int + words->is_short + words->is_long + words->is_signed + words->is_unsigned;

  *dtype = CANDELA_DTYPE_INVALID;
  if (words->named != CANDELA_DTYPE_INVALID)
    *dtype = words->named;
  else if (words->is_float == 1 && words->n == 1 + words->is_complex && words->is_complex <= 1)
    *dtype = words->is_complex ? CANDELA_DTYPE_COMPLEX64 : CANDELA_DTYPE_FLOAT32;
  else if (words->is_double == 1 && words->n == 1 + words->is_complex && words->is_complex <= 1)
    *dtype = words->is_complex ? CANDELA_DTYPE_COMPLEX128 : CANDELA_DTYPE_FLOAT64;
  else if (words->is_bool == 1 && words->n == 1)
    *dtype = CANDELA_DTYPE_BOOL;
  else if (words->is_char == 1 && words->is_signed + words->is_unsigned <= 1
           && words->n == 1 + words->is_signed + words->is_unsigned)
    *dtype = int_of_size (1, words->is_signed || (!words->is_unsigned && IS_SIGNED (char)));
  else if (n_int == words->n && words->is_int <= 1 && words->is_signed + words->is_unsigned <= 1
           && words->is_short + (words->is_long > 0) <= 1 && words->is_long <= 2)
    *dtype = int_of_size (words->is_short       ? sizeof (short)
                          : words->is_long == 1 ? sizeof (long)
                          : words->is_long == 2 ? sizeof (long long)
                                                : sizeof (int),
                          !words->is_unsigned);
  else
    return words->is_void == 1 && words->n == 1;
  return TRUE;
}

#define TYPES "bool, char, short, int, long, float, double, size_t, int64_t and their like"

/* A type up to its stars, and what they point at. */
static gboolean
parse_type (Parser *parser, CandelaForeignType *type)
{
  Words words = { 0 };
  GScanner *scanner = parser->scanner;
  gboolean ok;

  while (scanner->token == G_TOKEN_IDENTIFIER)
    if (is_word (parser, "const") || read_word (&words, scanner->value.v_identifier))
      {
        type->constant = type->constant || is_word (parser, "const");
        g_scanner_get_next_token (scanner);
      }
    else
      break;
  if (words.n == 0)
    {
      g_autofree char *token = token_to_string (parser);

      if (scanner->token != G_TOKEN_IDENTIFIER)
        return fail_expected (parser, "a type");
      return fail (parser, "%s is not a type that can be served; those are " TYPES, token);
    }
  ok = words_to_dtype (&words, &type->dtype);
  if (!ok && words.is_double == 1 && words.is_long == 1)
    return fail (parser, "there is no dtype for long double");
  if (!ok)
    return fail (parser, "these words are no type that can be served; those are " TYPES);
  type->text = words.is_char == 1 && words.n == 1 && type->constant;
  if (accept (parser, '*'))
    {
      type->pointer = TRUE;
      while (accept_word (parser, "restrict") || accept_word (parser, "const") || accept_word (parser, "__restrict"))
        ;
      if (scanner->token == (GTokenType) '*')
        return fail (parser, "an argument cannot be a pointer to pointers");
    }
  return TRUE;
}

/* ---- Functions ---- */

/* "x[]", "x[3]": as in C, a pointer. */
static gboolean
parse_brackets (Parser *parser, CandelaForeignType *type)
{
  if (!accept (parser, '['))
    return TRUE;
  if (type->pointer)
    return fail (parser, "an argument cannot be a pointer to pointers");
  type->pointer = TRUE;
  if (parser->scanner->token == G_TOKEN_INT || parser->scanner->token == G_TOKEN_IDENTIFIER)
    g_scanner_get_next_token (parser->scanner);
  return accept (parser, ']') || fail_expected (parser, "\"]\"");
}

static gboolean
parse_argument (Parser *parser, CandelaForeignSignature *signature)
{
  CandelaForeignArgument *argument = &signature->arguments[signature->n_arguments];

  if (signature->n_arguments == CANDELA_FOREIGN_MAX_ARGUMENTS)
    return fail (parser, "there are more than %u arguments", CANDELA_FOREIGN_MAX_ARGUMENTS);
  argument->input = argument->output = argument->parameter = G_MAXUINT;
  argument->array = argument->length = argument->stride = G_MAXUINT;
  if (!parse_type (parser, &argument->type))
    return FALSE;
  if (parser->scanner->token == (GTokenType) '(')
    return fail (parser, "an argument cannot be a pointer to a function");
  if (parser->scanner->token == G_TOKEN_IDENTIFIER)
    {
      char *name = g_ascii_strdown (parser->scanner->value.v_identifier, -1);

      argument->name = name;
      signature->n_arguments++;
      for (guint k = 0; k + 1 < signature->n_arguments; k++)
        if (g_strcmp0 (signature->arguments[k].name, name) == 0)
          return fail (parser, "two arguments have the name \"%s\"", name);
      g_scanner_get_next_token (parser->scanner);
    }
  else
    signature->n_arguments++;
  if (!parse_brackets (parser, &argument->type))
    return FALSE;
  if (argument->type.dtype == CANDELA_DTYPE_INVALID)
    return fail (parser, argument->type.pointer ? "what a void * points at is not known: write its type"
                                                : "an argument cannot be void");
  if (!argument->type.pointer && (candela_dtype_get_kind (argument->type.dtype) & CANDELA_DTYPE_KIND_COMPLEX) != 0)
    return fail (parser, "a complex number can be passed by a pointer only");
  return TRUE;
}

/* Those without a name are x, y, z, u, v, w, as far as these are free. */
static void
name_arguments (CandelaForeignSignature *signature)
{
  static const char *const names[] = { "x", "y", "z", "u", "v", "w" };

  for (guint k = 0, next = 0; k < signature->n_arguments; k++)
    while (signature->arguments[k].name == NULL)
      {
        g_autofree char *name =
          next < G_N_ELEMENTS (names) ? g_strdup (names[next]) : g_strdup_printf ("x%u", next + 1);
        gboolean taken = FALSE;

        for (guint i = 0; i < signature->n_arguments; i++)
          taken = taken || g_strcmp0 (signature->arguments[i].name, name) == 0;
        if (!taken)
          signature->arguments[k].name = g_steal_pointer (&name);
        next++;
      }
}

static gboolean
parse_signature (Parser *parser, CandelaForeignSignature *signature)
{
  if (!parse_type (parser, &signature->result))
    return FALSE;
  if (signature->result.pointer)
    return fail (parser, "a function that returns a pointer cannot be served");
  if ((candela_dtype_get_kind (signature->result.dtype) & CANDELA_DTYPE_KIND_COMPLEX) != 0)
    return fail (parser, "a function that returns a complex number cannot be served");
  if (parser->scanner->token == G_TOKEN_IDENTIFIER)
    return fail (parser, "a signature has no name of the function: \"(\" should be here");
  if (!accept (parser, '('))
    return fail_expected (parser, "\"(\"");
  if (parser->scanner->token == (GTokenType) ')')
    return fail (parser, "a function without arguments computes nothing from its inputs");
  do
    {
      if (parser->scanner->token == (GTokenType) '.')
        return fail (parser, "a function of any number of arguments cannot be served");
      if (!parse_argument (parser, signature))
        return FALSE;
    }
  while (accept (parser, ','));
  if (!accept (parser, ')'))
    return fail_expected (parser, "\",\" or \")\"");
  accept (parser, ';');
  if (parser->scanner->token != G_TOKEN_EOF)
    return fail_expected (parser, "its end");
  name_arguments (signature);
  return TRUE;
}

gboolean
candela_foreign_signature_parse (CandelaForeignSignature *signature, const char *text, GError **error)
{
  GScanner *scanner = g_scanner_new (NULL);
  Parser parser = { scanner, text, error };
  gboolean ok;

  memset (signature, 0, sizeof *signature);
  scanner->config->cset_identifier_first = G_CSET_a_2_z "_" G_CSET_A_2_Z;
  scanner->config->cset_identifier_nth = G_CSET_a_2_z "_0123456789" G_CSET_A_2_Z;
  scanner->config->scan_identifier_1char = TRUE;
  scanner->config->scan_float = FALSE;
  scanner->config->cpair_comment_single = (char *) "\1\n";
  g_scanner_input_text (scanner, text, strlen (text));
  g_scanner_get_next_token (scanner);
  ok = parse_signature (&parser, signature);
  g_scanner_destroy (scanner);
  if (!ok)
    candela_foreign_signature_clear (signature);
  return ok;
}

void
candela_foreign_signature_clear (CandelaForeignSignature *signature)
{
  for (guint k = 0; k < signature->n_arguments; k++)
    g_clear_pointer (&signature->arguments[k].name, g_free);
}
