/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Tokens to operands. Operators wait on a stack of their own until one that
 * binds less comes (Dijkstra's shunting-yard algorithm), so that a chain of a
 * million additions is a loop; only brackets recurse, and those have a limit. */
#include <candela/graph/expression-private.h>

#include <string.h>

/* What Python programmers write, and what it is called here. */
static const struct
{
  const char *word, *hint;
} foreign_words[] = {
  { "and", "write '&'" },
  { "or", "write '|'" },
  { "not", "write '~'" },
};

gboolean
candela_parser_advance (CandelaParser *parser, GError **error)
{
  return candela_lexer_next (&parser->lexer, &parser->token, error);
}

gboolean
candela_parser_at (const CandelaParser *parser, char character)
{
  return parser->token.kind == CANDELA_TOKEN_CHARACTER && parser->token.character == character;
}

gboolean
candela_parser_accept (CandelaParser *parser, char character, gboolean *accepted, GError **error)
{
  *accepted = candela_parser_at (parser, character);
  return !*accepted || candela_parser_advance (parser, error);
}

gboolean
candela_parser_enter (CandelaParser *parser, gsize start, GError **error)
{
  if (parser->depth >= CANDELA_MAX_NESTING)
    return candela_lexer_fail (&parser->lexer, start, error, "nested more than %d deep", CANDELA_MAX_NESTING);
  parser->depth++;
  return TRUE;
}

void
candela_suggestion_offer (CandelaSuggestion *suggestion, const char *candidate)
{
  gsize n = strlen (suggestion->wanted), m = strlen (candidate);
  guint row[64], before, best;

  if (n >= G_N_ELEMENTS (row) || m >= G_N_ELEMENTS (row) || m == 0)
    return;

  /* Levenshtein's distance, a row at a time. */
  for (guint j = 0; j <= m; j++)
    row[j] = j;
  for (guint i = 1; i <= n; i++)
    {
      before = row[0];
      row[0] = i;
      for (guint j = 1; j <= m; j++)
        {
          guint change = before + (suggestion->wanted[i - 1] != candidate[j - 1]);

          before = row[j];
          row[j] = MIN (change, MIN (row[j], row[j - 1]) + 1);
        }
    }

  best = suggestion->name != NULL ? suggestion->distance : n < 4 ? 2 : n < 8 ? 3 : 4;
  if (row[m] < best && row[m] < MAX (n, m))
    {
      g_free (suggestion->name);
      suggestion->name = g_strdup (candidate);
      suggestion->distance = row[m];
    }
}

const char *
candela_parser_foreign_word (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (foreign_words); i++)
    if (g_strcmp0 (name, foreign_words[i].word) == 0)
      return foreign_words[i].hint;
  return NULL;
}

gboolean
candela_parser_find (CandelaParser *parser, const char *name, CandelaOperand *operand)
{
  const CandelaOperand *bound = parser->bindings != NULL ? g_hash_table_lookup (parser->bindings, name) : NULL;

  if (bound != NULL)
    {
      *operand = *bound;
      return TRUE;
    }
  *operand = (CandelaOperand){ .kind = CANDELA_OPERAND_NODE };
  operand->node = parser->names != NULL ? g_hash_table_lookup (parser->names, name) : NULL;
  for (guint i = parser->n_named; operand->node == NULL && i-- > 0;)
    if (strcmp (parser->named[i].name, name) == 0)
      operand->node = parser->named[i].node;
  return operand->node != NULL;
}

static void
offer_names (GHashTable *names, CandelaSuggestion *suggestion)
{
  GHashTableIter iter;
  gpointer name, value;

  if (names == NULL)
    return;
  g_hash_table_iter_init (&iter, names);
  while (g_hash_table_iter_next (&iter, &name, &value))
    if (name != NULL && value != NULL)
      candela_suggestion_offer (suggestion, name);
}

static gboolean
is_op (const CandelaParser *parser, const char *name)
{
  CandelaOp *op = candela_registry_hold_op (parser->registry, name, FALSE, NULL);

  if (op != NULL)
    candela_op_release (op);
  return op != NULL;
}

gboolean
candela_parser_fail_unbound (CandelaParser *parser, const CandelaOperand *operand, GError **error)
{
  CandelaSuggestion suggestion = { operand->name, NULL, 0 };
  const char *hint = candela_parser_foreign_word (operand->name);

  if (hint != NULL)
    return candela_lexer_fail (&parser->lexer, operand->start, error, "no word '%s' in the language: %s", operand->name,
                               hint);

  offer_names (parser->bindings, &suggestion);
  offer_names (parser->names, &suggestion);
  for (guint i = 0; i < parser->n_named; i++)
    candela_suggestion_offer (&suggestion, parser->named[i].name);

  g_autofree char *nearest = suggestion.name;

  if (nearest != NULL)
    return candela_lexer_fail (&parser->lexer, operand->start, error, "unknown name '%s'; did you mean '%s'?",
                               operand->name, nearest);
  if (is_op (parser, operand->name))
    return candela_lexer_fail (&parser->lexer, operand->start, error, "unknown name '%s'; the op is called as %s(…)",
                               operand->name, operand->name);
  return candela_lexer_fail (&parser->lexer, operand->start, error, "unknown name '%s'", operand->name);
}

/* Methods are not part of the language, but written all the same. */
static void
suggest_call (CandelaParser *parser, const char *symbol, GError *cause)
{
  const char *attribute = g_str_has_prefix (symbol, "attribute:.") ? symbol + strlen ("attribute:.") : NULL;

  if (attribute == NULL)
    return;
  g_free (cause->message);
  cause->message = is_op (parser, attribute)
                     ? g_strdup_printf ("no attribute '.%s'; the op is called as %s(x)", attribute, attribute)
                     : g_strdup_printf ("no attribute '.%s'", attribute);
}

CandelaOp *
candela_parser_lookup (CandelaParser *parser, const char *name, gboolean symbol, gsize start, GError **error)
{
  GError *cause = NULL;
  CandelaOp *op = candela_registry_hold_op (parser->registry, name, symbol, &cause);

  if (op != NULL)
    {
      if (candela_op_get_facts (op)->resident)
        return op;
      if (parser->held == NULL)
        parser->held = g_ptr_array_new_with_free_func (g_object_unref);
      g_ptr_array_add (parser->held, op);
      return op;
    }
  if (symbol && g_error_matches (cause, CANDELA_ERROR, CANDELA_ERROR_UNKNOWN_OP))
    suggest_call (parser, name, cause);
  candela_lexer_locate (&parser->lexer, start, error, cause);
  return NULL;
}

gboolean
candela_parser_build (CandelaParser *parser, CandelaOp *op, CandelaNode *const *inputs, gsize n_inputs,
                      GVariant *const *params, gsize start, CandelaOperand *result, GError **error)
{
  GError *cause = NULL;
  CandelaNode *node = candela_node_new_for_values (op, inputs, n_inputs, params, &cause);

  if (node == NULL)
    return candela_lexer_locate (&parser->lexer, start, error, cause);
  *result = (CandelaOperand){ .kind = CANDELA_OPERAND_NODE, .start = start, .node = node };
  return TRUE;
}

static CandelaOp *
lookup_operator (CandelaParser *parser, const CandelaOperand *waiting, GError **error)
{
  const CandelaOperator *operator= & candela_operators[waiting->op];
  CandelaOp **known = waiting->prefix ? &parser->prefix[waiting->op] : &parser->infix[waiting->op];

  if (*known == NULL)
    *known = candela_parser_lookup (parser, waiting->prefix ? operator->prefix : operator->infix, TRUE, waiting->start,
                                    error);
  return *known;
}

static gboolean
is_deep (const CandelaOperand *waiting)
{
  return waiting->prefix || waiting->precedence == CANDELA_PRECEDENCE_POWER;
}

/* Gives the last operator that waits its operands, and puts what it makes of them in
 * their place. */
static gboolean
reduce (CandelaParser *parser, GError **error)
{
  CandelaOperands *stack = &parser->stack;
  CandelaOperand *last = candela_operands_get (stack, stack->n - 1), *waiting = last - 1;
  CandelaOperand *first = waiting->prefix ? last : waiting - 1, result;
  CandelaOp *op = lookup_operator (parser, waiting, error);
  CandelaNode *inputs[2];

  if (is_deep (waiting))
    parser->depth--;
  if (op == NULL || !candela_parser_settle (parser, first, error) || !candela_parser_settle (parser, last, error))
    return FALSE;
  inputs[0] = first->node;
  inputs[1] = last->node;
  if (!candela_parser_build (parser, op, inputs, waiting->prefix ? 1 : 2, NULL, waiting->start, &result, error))
    return FALSE;
  candela_operands_truncate (stack, stack->n - (waiting->prefix ? 2 : 3));
  candela_operands_push (stack, &result);
  return TRUE;
}

/* Reduces all that binds at least as much as the operator to come; what is in the stack
 * from base on ends with an operand. */
static gboolean
reduce_for (CandelaParser *parser, guint base, guint precedence, GError **error)
{
  while (parser->stack.n > base + 1)
    {
      const CandelaOperand *top = candela_operands_get (&parser->stack, parser->stack.n - 2);

      if (top->precedence < precedence
          || (precedence == CANDELA_PRECEDENCE_POWER && top->precedence == CANDELA_PRECEDENCE_POWER))
        break;
      if (precedence == CANDELA_PRECEDENCE_COMPARISON && top->precedence == CANDELA_PRECEDENCE_COMPARISON)
        return candela_lexer_fail (&parser->lexer, parser->token.start, error,
                                   "comparisons cannot be chained: write (a < b) & (b < c)");
      if (!reduce (parser, error))
        return FALSE;
    }
  return TRUE;
}

/* Lets the operator that is looked at wait for its (right) operand. */
static gboolean
push_operator (CandelaParser *parser, gboolean prefix, GError **error)
{
  CandelaOperand waiting = {
    .kind = CANDELA_OPERAND_OPERATOR, .op = parser->token.op, .prefix = prefix, .start = parser->token.start
  };

  waiting.precedence = prefix ? CANDELA_PRECEDENCE_PREFIX : candela_operators[waiting.op].precedence;
  if (is_deep (&waiting) && !candela_parser_enter (parser, waiting.start, error))
    return FALSE;
  candela_operands_push (&parser->stack, &waiting);
  return candela_parser_advance (parser, error);
}

/* After an item comes neither a comma nor the closing bracket. */
static gboolean
fail_item (CandelaParser *parser, const CandelaOperand *item, char close, GError **error)
{
  g_autofree char *found = candela_lexer_describe (&parser->lexer, &parser->token);
  gboolean name = parser->token.kind == CANDELA_TOKEN_NAME;
  const char *hint = name ? candela_parser_foreign_word (parser->token.name) : NULL;

  if (hint != NULL)
    return candela_lexer_fail (&parser->lexer, parser->token.start, error, "no word '%s' in the language: %s",
                               parser->token.name, hint);
  if (name && item->kind == CANDELA_OPERAND_UNBOUND)
    return candela_parser_fail_unbound (parser, item, error);
  return candela_lexer_fail (&parser->lexer, parser->token.start, error, "expected ',' or '%c', found %s", close,
                             found);
}

/* Items up to a closing bracket, which is looked at in the end. */
static gboolean
parse_items (CandelaParser *parser, char close, GArray *list, GError **error)
{
  while (!candela_parser_at (parser, close))
    {
      CandelaOperand item = { 0 };
      gboolean more;

      if (!candela_parser_expression (parser, &item, error))
        return FALSE;
      g_array_append_val (list, item);
      if (!candela_parser_accept (parser, ',', &more, error))
        return FALSE;
      if (!more && !candela_parser_at (parser, close))
        return fail_item (parser, &item, close, error);
    }
  return TRUE;
}

/* "[…]" is a list, "(…)" one if it has a comma or nothing in it. */
static gboolean
parse_brackets (CandelaParser *parser, CandelaOperand *result, GError **error)
{
  gsize start = parser->token.start;
  char close = candela_parser_at (parser, '(') ? ')' : ']';
  g_auto (CandelaOperand) first = { 0 };
  gboolean comma = TRUE;

  if (!candela_parser_enter (parser, start, error) || !candela_parser_advance (parser, error))
    return FALSE;
  if (close == ')' && !candela_parser_at (parser, close)
      && (!candela_parser_expression (parser, &first, error) || !candela_parser_accept (parser, ',', &comma, error)))
    return FALSE;
  if (comma)
    {
      *result = (CandelaOperand){ .kind = CANDELA_OPERAND_LIST, .list = candela_list_new () };
      if (first.kind != CANDELA_OPERAND_EMPTY)
        g_array_append_val (result->list, first);
      first.kind = CANDELA_OPERAND_EMPTY;
      if (!parse_items (parser, close, result->list, error))
        return FALSE;
    }
  else
    {
      if (!candela_parser_at (parser, close))
        return fail_item (parser, &first, close, error);
      if (first.kind == CANDELA_OPERAND_UNBOUND)
        return candela_parser_fail_unbound (parser, &first, error);
      *result = first;
      result->name = NULL;
      first.kind = CANDELA_OPERAND_EMPTY;
    }
  result->start = start;
  parser->depth--;
  return candela_parser_advance (parser, error);
}

static gboolean
parse_name (CandelaParser *parser, CandelaOperand *result, GError **error)
{
  const char *name = parser->token.name;
  gsize start = parser->token.start;
  CandelaOperand bound;

  if (!candela_parser_advance (parser, error))
    return FALSE;
  if (candela_parser_at (parser, '('))
    {
      CandelaOp *op = candela_parser_lookup (parser, name, FALSE, start, error);

      return op != NULL && candela_parser_call (parser, op, start, result, error);
    }
  if (candela_parser_find (parser, name, &bound))
    candela_operand_copy (result, &bound);
  else
    result->kind = CANDELA_OPERAND_UNBOUND;
  result->start = start;
  result->name = name;
  return TRUE;
}

static gboolean
parse_literal (CandelaParser *parser, CandelaOperand *result, GError **error)
{
  const CandelaToken *token = &parser->token;

  *result = (CandelaOperand){ .kind = CANDELA_OPERAND_NODE, .start = token->start };
  switch (token->kind)
    {
    case CANDELA_TOKEN_INT:
      result->node = candela_node_new_uint (token->integer);
      break;
    case CANDELA_TOKEN_FLOAT:
      result->node = candela_node_new_float (token->number);
      break;
    case CANDELA_TOKEN_IMAGINARY:
      result->node = candela_node_new_complex (0, token->number);
      break;
    case CANDELA_TOKEN_TRUE:
    case CANDELA_TOKEN_FALSE:
      result->node = candela_node_new_bool (token->kind == CANDELA_TOKEN_TRUE);
      break;
    case CANDELA_TOKEN_STRING:
      result->kind = CANDELA_OPERAND_TEXT;
      result->text = token->name;
      break;
    default:
      result->kind = CANDELA_OPERAND_NONE;
      break;
    }
  return candela_parser_advance (parser, error);
}

static gboolean
parse_primary (CandelaParser *parser, CandelaOperand *result, GError **error)
{
  g_autofree char *found = NULL;

  switch (parser->token.kind)
    {
    case CANDELA_TOKEN_INT:
    case CANDELA_TOKEN_FLOAT:
    case CANDELA_TOKEN_IMAGINARY:
    case CANDELA_TOKEN_TRUE:
    case CANDELA_TOKEN_FALSE:
    case CANDELA_TOKEN_STRING:
    case CANDELA_TOKEN_NONE:
      return parse_literal (parser, result, error);
    case CANDELA_TOKEN_NAME:
      return parse_name (parser, result, error);
    case CANDELA_TOKEN_CHARACTER:
      if (candela_parser_at (parser, '(') || candela_parser_at (parser, '['))
        return parse_brackets (parser, result, error);
      break;
    default:
      break;
    }
  found = candela_lexer_describe (&parser->lexer, &parser->token);
  return candela_lexer_fail (&parser->lexer, parser->token.start, error, "expected a value, found %s", found);
}

static gboolean
parse_attribute (CandelaParser *parser, CandelaOperand *base, CandelaOperand *result, GError **error)
{
  gsize start = parser->token.start;
  g_autofree char *symbol = NULL;
  CandelaOp *op;

  if (!candela_parser_settle (parser, base, error))
    return FALSE;
  if (candela_operand_ask (base->node, parser->token.name, result))
    {
      result->start = start;
      return candela_parser_advance (parser, error);
    }
  symbol = g_strconcat ("attribute:.", parser->token.name, NULL);
  op = candela_parser_lookup (parser, symbol, TRUE, start, error);
  return op != NULL && candela_parser_build (parser, op, &base->node, 1, NULL, start, result, error)
         && candela_parser_advance (parser, error);
}

/* A primary and the indices and attributes after it. */
static gboolean
parse_operand (CandelaParser *parser, CandelaOperand *result, GError **error)
{
  if (!parse_primary (parser, result, error))
    return FALSE;

  while (candela_parser_at (parser, '[') || parser->token.kind == CANDELA_TOKEN_ATTRIBUTE)
    {
      g_auto (CandelaOperand) base = *result;

      *result = (CandelaOperand){ 0 };
      if (!(candela_parser_at (parser, '[') ? candela_parser_index (parser, &base, result, error)
                                            : parse_attribute (parser, &base, result, error)))
        return FALSE;
    }
  if (candela_parser_at (parser, '('))
    return candela_lexer_fail (&parser->lexer, parser->token.start, error, "only an op can be called");
  return TRUE;
}

/* The smallest int64 has no positive counterpart: its sign is part of it. What is even
 * smaller would be a uint64 less than 0. */
static gboolean
take_sign_of_smallest (CandelaParser *parser, gsize start, GError **error)
{
  CandelaOperand *top = candela_operands_get (&parser->stack, parser->stack.n - 1);
  guint64 integer = parser->token.integer;

  if (strcmp (candela_operators[top->op].symbol, "-") != 0)
    return TRUE;
  if (integer > (guint64) G_MAXINT64 + 1)
    return candela_lexer_fail (&parser->lexer, start, error,
                               "the integer -%" G_GUINT64_FORMAT " does not fit in 64 bits", integer);
  if (!candela_parser_advance (parser, error))
    return FALSE;
  if (parser->token.kind == CANDELA_TOKEN_OPERATOR
      && candela_operators[parser->token.op].precedence == CANDELA_PRECEDENCE_POWER)
    return candela_lexer_fail (&parser->lexer, start, error, "the integer 9223372036854775808 does not fit in 64 bits");
  parser->depth--;
  *top = (CandelaOperand){ .kind = CANDELA_OPERAND_NODE, .start = start, .node = candela_node_new_int (G_MININT64) };
  return TRUE;
}

static gboolean
at_prefix (const CandelaParser *parser)
{
  return parser->token.kind == CANDELA_TOKEN_OPERATOR && candela_operators[parser->token.op].prefix != NULL;
}

/* An operand with the prefix operators before it. */
static gboolean
parse_prefixed (CandelaParser *parser, GError **error)
{
  CandelaOperand operand = { 0 };
  guint before = parser->stack.n;

  while (at_prefix (parser))
    if (!push_operator (parser, TRUE, error))
      return FALSE;
  if (parser->stack.n > before && parser->token.kind == CANDELA_TOKEN_INT && parser->token.integer > G_MAXINT64)
    {
      if (!take_sign_of_smallest (parser, parser->token.start, error))
        return FALSE;
      if (candela_operands_get (&parser->stack, parser->stack.n - 1)->kind != CANDELA_OPERAND_OPERATOR)
        return TRUE;
    }
  if (!parse_operand (parser, &operand, error))
    {
      candela_operand_clear (&operand);
      return FALSE;
    }
  candela_operands_push (&parser->stack, &operand);
  return TRUE;
}

gboolean
candela_parser_expression (CandelaParser *parser, CandelaOperand *result, GError **error)
{
  guint base = parser->stack.n;

  for (;;)
    {
      if (!parse_prefixed (parser, error))
        return FALSE;
      if (parser->token.kind != CANDELA_TOKEN_OPERATOR || candela_operators[parser->token.op].precedence == 0)
        break;
      if (!reduce_for (parser, base, candela_operators[parser->token.op].precedence, error)
          || !push_operator (parser, FALSE, error))
        return FALSE;
    }
  if (!reduce_for (parser, base, 0, error))
    return FALSE;
  *result = *candela_operands_get (&parser->stack, --parser->stack.n);
  return TRUE;
}
