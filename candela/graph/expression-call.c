/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What stands between brackets: the arguments of a call, sorted into the inputs
 * and the parameters that the op declares; and the key of an index, in its normal
 * form. */
#include <candela/graph/expression-private.h>

#include <string.h>

/* Inputs and parameters of a call for which no memory is asked. */
#define FEW 8

/* A call under way. */
typedef struct
{
  CandelaParser *parser;
  CandelaOp *op;
  const CandelaOpFacts *facts;
  gsize start;
  CandelaNode **inputs; /* each a node or NULL: by row, then what follows a variadic one */
  guint n_inputs, inputs_size;
  GVariant **params; /* the value of each parameter; NULL: it is not given, or as none */
  gboolean *given;   /* of each parameter, none included */
  guint next_input;  /* the row that the next argument without a keyword is for */
  guint next_param;
  CandelaNode *few_inputs[FEW];
  GVariant *few_params[FEW];
  gboolean few_given[FEW];
} CandelaCall;

static gboolean fail_argument (CandelaCall *call, gsize start, GError **error, CandelaError code, const char *format,
                               ...) G_GNUC_PRINTF (5, 6);

static gboolean
fail_argument (CandelaCall *call, gsize start, GError **error, CandelaError code, const char *format, ...)
{
  va_list args;
  g_autofree char *message = NULL;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  return candela_lexer_locate (&call->parser->lexer, start, error,
                               g_error_new (CANDELA_ERROR, code, "%s: %s", call->facts->info->name, message));
}

/* A list as a parameter: ab, ax, at, ad or a(dd). */
static GVariant *
list_to_variant (CandelaCall *call, const char *name, const CandelaOperand *list, GError **error)
{
  g_autoptr (GArray) scalars = g_array_new (FALSE, FALSE, sizeof (CandelaScalar));
  g_autofree guint8 *data = NULL;
  CandelaDType dtype = CANDELA_DTYPE_INVALID;

  for (guint i = 0; i < list->list->len; i++)
    {
      const CandelaOperand *item = &g_array_index (list->list, CandelaOperand, i);
      CandelaScalar scalar;

      if (item->kind == CANDELA_OPERAND_UNBOUND)
        {
          candela_parser_fail_unbound (call->parser, item, error);
          return NULL;
        }
      if (!candela_operand_get_scalar (item, &scalar))
        {
          fail_argument (call, item->start, error, CANDELA_ERROR_PARAMETER,
                         "parameter '%s' is a list of something else than numbers", name);
          return NULL;
        }
      g_array_append_val (scalars, scalar);
      dtype = candela_scalar_promote (dtype, &scalar);
    }

  if (dtype == CANDELA_DTYPE_INVALID)
    dtype = CANDELA_DTYPE_INT64;
  data = candela_scalars_pack (scalars, dtype);
  return g_variant_new_fixed_array (dtype == CANDELA_DTYPE_BOOL      ? G_VARIANT_TYPE_BOOLEAN
                                    : dtype == CANDELA_DTYPE_INT64   ? G_VARIANT_TYPE_INT64
                                    : dtype == CANDELA_DTYPE_UINT64  ? G_VARIANT_TYPE_UINT64
                                    : dtype == CANDELA_DTYPE_FLOAT64 ? G_VARIANT_TYPE_DOUBLE
                                                                     : G_VARIANT_TYPE ("(dd)"),
                                    data, scalars->len, candela_dtype_get_size (dtype));
}

/* Sets a parameter; none leaves it out. */
static gboolean
set_param (CandelaCall *call, guint index, const CandelaOperand *operand, GError **error)
{
  const CandelaParamInfo *info = &call->facts->info->params[index];
  CandelaScalar scalar;
  GVariant *value;

  if (call->given[index])
    return fail_argument (call, operand->start, error, CANDELA_ERROR_PARAMETER, "parameter '%s' is given twice",
                          info->name);
  call->given[index] = TRUE;

  switch (operand->kind)
    {
    case CANDELA_OPERAND_NONE:
      return TRUE;
    case CANDELA_OPERAND_TEXT:
      value = g_variant_new_string (operand->text);
      break;
    case CANDELA_OPERAND_LIST:
      value = list_to_variant (call, info->name, operand, error);
      if (value == NULL)
        return FALSE;
      break;
    case CANDELA_OPERAND_UNBOUND:
      if (info->type != CANDELA_PARAM_DTYPE && info->type != CANDELA_PARAM_STRING)
        return candela_parser_fail_unbound (call->parser, operand, error);
      value = g_variant_new_string (operand->name);
      break;
    default:
      if (!candela_operand_get_scalar (operand, &scalar))
        return fail_argument (call, operand->start, error, CANDELA_ERROR_PARAMETER,
                              "parameter '%s' must be known when the expression is read, not a tensor", info->name);
      value = candela_scalar_to_variant (&scalar);
      break;
    }
  call->params[index] = g_variant_ref_sink (value);
  return TRUE;
}

/* Takes the operand's node, or what is made of it. */
static gboolean
set_input (CandelaCall *call, guint row, CandelaOperand *operand, GError **error)
{
  if (row < call->n_inputs && call->inputs[row] != NULL)
    return fail_argument (call, operand->start, error, CANDELA_ERROR_ARITY, "input '%s' is given twice",
                          call->facts->info->inputs[row].name);
  if (!candela_parser_settle (call->parser, operand, error))
    return FALSE;
  if (row >= call->inputs_size)
    {
      CandelaNode **few = call->inputs == call->few_inputs ? call->few_inputs : NULL;

      call->inputs_size = 2 * (row + 1);
      call->inputs = g_renew (CandelaNode *, few != NULL ? NULL : call->inputs, call->inputs_size);
      if (few != NULL)
        memcpy (call->inputs, few, call->n_inputs * sizeof *few);
    }
  while (call->n_inputs <= row)
    call->inputs[call->n_inputs++] = NULL;
  call->inputs[row] = operand->node;
  operand->kind = CANDELA_OPERAND_EMPTY;
  return TRUE;
}

/* concat([a, b]) is concat(a, b). */
static gboolean
set_variadic (CandelaCall *call, guint row, CandelaOperand *operand, gboolean *spread, GError **error)
{
  CandelaScalar scalar;

  *spread = FALSE;
  if (operand->kind == CANDELA_OPERAND_LIST)
    for (guint i = 0; i < operand->list->len && !*spread; i++)
      *spread = !candela_operand_get_scalar (&g_array_index (operand->list, CandelaOperand, i), &scalar);
  if (!*spread)
    return set_input (call, MAX (row, call->n_inputs), operand, error);
  for (guint i = 0; i < operand->list->len; i++)
    {
      /* The list may be bound to a name, too. */
      g_auto (CandelaOperand) item = { 0 };

      candela_operand_copy (&item, &g_array_index (operand->list, CandelaOperand, i));
      if (!set_input (call, MAX (row, call->n_inputs), &item, error))
        return FALSE;
    }
  return TRUE;
}

/* Whether an argument without a keyword is the next input, or already a parameter. */
static gboolean
is_input (CandelaCall *call, const CandelaOperand *operand)
{
  const CandelaOpFacts *facts = call->facts;
  CandelaScalar scalar;

  if (call->next_input >= facts->n_inputs || call->next_param > 0)
    return FALSE;
  if (call->next_input < facts->n_required || facts->n_params == 0)
    return TRUE;
  if (operand->kind != CANDELA_OPERAND_NODE && operand->kind != CANDELA_OPERAND_LIST)
    return FALSE;
  if (!facts->variadic || call->next_input + 1 < facts->n_inputs || call->n_inputs == 0)
    return TRUE;
  /* After tensors, a number is a parameter. */
  return !candela_operand_get_scalar (operand, &scalar);
}

static gboolean
add_positional (CandelaCall *call, CandelaOperand *operand, GError **error)
{
  const CandelaOpFacts *facts = call->facts;
  gboolean spread = FALSE;

  if (is_input (call, operand))
    {
      if (operand->kind == CANDELA_OPERAND_NONE && call->next_input >= facts->n_required && !facts->variadic)
        {
          call->next_input++;
          return TRUE;
        }
      if (!facts->variadic || call->next_input + 1 < facts->n_inputs)
        return set_input (call, call->next_input++, operand, error);
      if (!set_variadic (call, call->next_input, operand, &spread, error))
        return FALSE;
      call->next_input += spread;
      return TRUE;
    }
  if (call->next_param < facts->n_params)
    return set_param (call, call->next_param++, operand, error);
  if (facts->n_params > 0)
    return fail_argument (call, operand->start, error, CANDELA_ERROR_ARITY,
                          "too many arguments: %u input%s and %u parameter%s at most", facts->n_inputs,
                          facts->n_inputs == 1 ? "" : "s", facts->n_params, facts->n_params == 1 ? "" : "s");
  return fail_argument (call, operand->start, error, CANDELA_ERROR_ARITY, "too many arguments: %u input%s at most",
                        facts->n_inputs, facts->n_inputs == 1 ? "" : "s");
}

static gboolean
add_keyword (CandelaCall *call, const char *keyword, gsize start, CandelaOperand *operand, GError **error)
{
  const CandelaOpInfo *info = call->facts->info;
  CandelaSuggestion suggestion = { keyword, NULL, 0 };
  gboolean spread;

  for (guint i = 0; i < call->facts->n_inputs; i++)
    if (strcmp (info->inputs[i].name, keyword) == 0)
      return call->facts->variadic && i + 1 == call->facts->n_inputs
               ? set_variadic (call, i, operand, &spread, error)
               : operand->kind == CANDELA_OPERAND_NONE || set_input (call, i, operand, error);
  for (guint i = 0; i < call->facts->n_params; i++)
    if (strcmp (info->params[i].name, keyword) == 0)
      return set_param (call, i, operand, error);

  for (guint i = 0; i < call->facts->n_inputs; i++)
    candela_suggestion_offer (&suggestion, info->inputs[i].name);
  for (guint i = 0; i < call->facts->n_params; i++)
    candela_suggestion_offer (&suggestion, info->params[i].name);

  g_autofree char *nearest = suggestion.name;

  return nearest != NULL ? fail_argument (call, start, error, CANDELA_ERROR_PARAMETER,
                                          "no parameter '%s'; did you mean '%s'?", keyword, nearest)
                         : fail_argument (call, start, error, CANDELA_ERROR_PARAMETER, "no parameter '%s'", keyword);
}

/* One argument, with its keyword if it has one. */
static gboolean
parse_argument (CandelaCall *call, gboolean *keywords, GError **error)
{
  CandelaParser *parser = call->parser;
  g_auto (CandelaOperand) operand = { 0 };
  const char *keyword;
  gsize start = parser->token.start;
  gboolean equals;

  if (!candela_parser_expression (parser, &operand, error))
    return FALSE;
  keyword = operand.name;
  if (!candela_parser_accept (parser, '=', &equals, error))
    return FALSE;
  if (!equals)
    {
      if (*keywords)
        return candela_lexer_fail (&parser->lexer, start, error, "an argument without a name after one with one");
      return add_positional (call, &operand, error);
    }
  if (keyword == NULL)
    return candela_lexer_fail (&parser->lexer, start, error, "only a name can stand before '='");

  *keywords = TRUE;
  candela_operand_clear (&operand);
  return candela_parser_expression (parser, &operand, error) && add_keyword (call, keyword, start, &operand, error);
}

static gboolean
parse_arguments (CandelaCall *call, GError **error)
{
  CandelaParser *parser = call->parser;
  gboolean keywords = FALSE, more = TRUE;

  if (!candela_parser_advance (parser, error))
    return FALSE;
  while (more && !candela_parser_at (parser, ')'))
    if (!parse_argument (call, &keywords, error) || !candela_parser_accept (parser, ',', &more, error))
      return FALSE;
  if (candela_parser_at (parser, ')'))
    return TRUE;

  g_autofree char *found = candela_lexer_describe (&parser->lexer, &parser->token);

  return candela_lexer_fail (&parser->lexer, parser->token.start, error, "expected ',' or ')', found %s", found);
}

static void
call_init (CandelaCall *call)
{
  guint n = call->facts->n_params;
  gboolean many = n > FEW;

  call->inputs = call->few_inputs;
  call->inputs_size = FEW;
  call->params = many ? g_new0 (GVariant *, n) : memset (call->few_params, 0, n * sizeof *call->params);
  call->given = many ? g_new0 (gboolean, n) : memset (call->few_given, 0, n * sizeof *call->given);
}

static void
call_clear (CandelaCall *call)
{
  for (guint i = 0; i < call->n_inputs; i++)
    g_clear_pointer (&call->inputs[i], candela_node_unref);
  for (guint k = 0; k < call->facts->n_params; k++)
    g_clear_pointer (&call->params[k], g_variant_unref);
  if (call->inputs != call->few_inputs)
    g_free (call->inputs);
  if (call->params != call->few_params)
    {
      g_free (call->params);
      g_free (call->given);
    }
}

gboolean
candela_parser_call (CandelaParser *parser, CandelaOp *op, gsize start, CandelaOperand *result, GError **error)
{
  CandelaCall call;
  gboolean fine;

  if (!candela_parser_enter (parser, start, error))
    return FALSE;
  call.parser = parser;
  call.op = op;
  call.facts = candela_op_get_facts (op);
  call.start = start;
  call.n_inputs = call.next_input = call.next_param = 0;
  call_init (&call);
  fine = parse_arguments (&call, error)
         && candela_parser_build (parser, op, call.inputs, call.n_inputs, call.params, start, result, error);
  call_clear (&call);
  parser->depth--;
  return fine && candela_parser_advance (parser, error);
}

/* One bound of a slice, or an index: an integer that is known. */
static gboolean
append_bound (CandelaParser *parser, const CandelaOperand *operand, GString *key, GError **error)
{
  CandelaScalar scalar;

  if (operand->kind == CANDELA_OPERAND_UNBOUND)
    return candela_parser_fail_unbound (parser, operand, error);
  if (!candela_operand_get_scalar (operand, &scalar) || scalar.dtype != CANDELA_DTYPE_INT64)
    return candela_lexer_fail (&parser->lexer, operand->start, error,
                               "an index is made of integers, slices, None and '...'");
  g_string_append_printf (key, "%" G_GINT64_FORMAT, scalar.integer);
  return TRUE;
}

/* One item of an index: "3", "1:4", "::-1", "None" or "...". */
static gboolean
parse_item (CandelaParser *parser, GString *key, GError **error)
{
  guint colons = 0;

  if (parser->token.kind == CANDELA_TOKEN_ELLIPSIS)
    {
      g_string_append (key, "...");
      return candela_parser_advance (parser, error);
    }
  for (;;)
    {
      gboolean colon;

      if (!candela_parser_at (parser, ':') && !candela_parser_at (parser, ',') && !candela_parser_at (parser, ']'))
        {
          g_auto (CandelaOperand) operand = { 0 };

          if (!candela_parser_expression (parser, &operand, error))
            return FALSE;
          if (operand.kind == CANDELA_OPERAND_NONE)
            g_string_append (key, colons == 0 && !candela_parser_at (parser, ':') ? "None" : "");
          else if (!append_bound (parser, &operand, key, error))
            return FALSE;
        }
      if (!candela_parser_accept (parser, ':', &colon, error))
        return FALSE;
      if (!colon)
        return TRUE;
      if (++colons > 2)
        return candela_lexer_fail (&parser->lexer, parser->token.start, error, "a slice is start:stop:step");
      g_string_append_c (key, ':');
    }
}

/* "1:4:" and "1:4" are one key. */
static void
end_item (GString *key, gsize start)
{
  const char *item = key->str + start, *first = strchr (item, ':');

  if (first != NULL && strchr (first + 1, ':') != NULL && key->str[key->len - 1] == ':')
    g_string_truncate (key, key->len - 1);
}

/* What is between the brackets of an index, in the form in which the op takes it. */
static gboolean
parse_key (CandelaParser *parser, GString *key, GError **error)
{
  gboolean more = TRUE;

  if (candela_parser_at (parser, ']'))
    return candela_lexer_fail (&parser->lexer, parser->token.start, error, "an index with nothing in it");
  while (more && !candela_parser_at (parser, ']'))
    {
      gsize item;

      g_string_append (key, key->len > 0 ? ", " : "");
      item = key->len;
      if (!parse_item (parser, key, error))
        return FALSE;
      if (key->len == item)
        return candela_lexer_fail (&parser->lexer, parser->token.start, error, "an index with nothing in it");
      end_item (key, item);
      if (!candela_parser_accept (parser, ',', &more, error))
        return FALSE;
    }
  if (candela_parser_at (parser, ']'))
    return TRUE;

  g_autofree char *found = candela_lexer_describe (&parser->lexer, &parser->token);

  return candela_lexer_fail (&parser->lexer, parser->token.start, error, "expected ',', ':' or ']', found %s", found);
}

gboolean
candela_parser_index (CandelaParser *parser, CandelaOperand *base, CandelaOperand *result, GError **error)
{
  gsize start = parser->token.start;
  CandelaOp *op = candela_parser_lookup (parser, "index:[]", TRUE, start, error);
  const CandelaOpFacts *facts = op != NULL ? candela_op_get_facts (op) : NULL;
  g_autoptr (GString) key = g_string_new (NULL);
  g_autoptr (GVariant) variant = NULL;
  g_autofree GVariant **params = NULL;

  if (op == NULL || !candela_parser_settle (parser, base, error) || !candela_parser_enter (parser, start, error)
      || !candela_parser_advance (parser, error))
    return FALSE;
  if (facts->n_params == 0)
    return candela_lexer_fail (&parser->lexer, start, error, "%s: the op of '[]' has no parameter for the key",
                               facts->info->name);
  if (!parse_key (parser, key, error))
    return FALSE;
  parser->depth--;
  variant = g_variant_ref_sink (g_variant_new_string (key->str));
  params = g_new0 (GVariant *, facts->n_params);
  params[0] = variant;
  return candela_parser_build (parser, op, &base->node, 1, params, start, result, error)
         && candela_parser_advance (parser, error);
}
