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

void
candela_operand_clear (CandelaOperand *operand)
{
  if (operand->kind == CANDELA_OPERAND_NODE)
    candela_node_unref (operand->node);
  else if (operand->kind == CANDELA_OPERAND_LIST)
    g_array_unref (operand->list);
  operand->kind = CANDELA_OPERAND_EMPTY;
}

void
candela_operand_copy (CandelaOperand *to, const CandelaOperand *from)
{
  *to = *from;
  if (to->kind == CANDELA_OPERAND_NODE)
    candela_node_ref (to->node);
  else if (to->kind == CANDELA_OPERAND_LIST)
    g_array_ref (to->list);
}

GArray *
candela_operand_array_new (void)
{
  GArray *array = g_array_new (FALSE, FALSE, sizeof (CandelaOperand));

  g_array_set_clear_func (array, (GDestroyNotify) candela_operand_clear);
  return array;
}

/* Takes the last operand off; the reference goes to the caller. */
static CandelaOperand
pop_operand (CandelaParser *parser)
{
  CandelaOperand *last = &g_array_index (parser->operands, CandelaOperand, parser->operands->len - 1);
  CandelaOperand operand = *last;

  last->kind = CANDELA_OPERAND_EMPTY;
  g_array_set_size (parser->operands, parser->operands->len - 1);
  return operand;
}

GVariant *
candela_operand_get_scalar (const CandelaOperand *operand)
{
  return operand->kind == CANDELA_OPERAND_NODE ? candela_node_get_scalar (operand->node) : NULL;
}

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
candela_parser_fail_unbound (CandelaParser *parser, const CandelaOperand *operand, GError **error)
{
  CandelaSuggestion suggestion = { operand->name, NULL, 0 };
  const char *hint = candela_parser_foreign_word (operand->name);
  GHashTableIter iter;
  gpointer name;

  if (hint != NULL)
    return candela_lexer_fail (&parser->lexer, operand->start, error, "no word '%s' in the language: %s", operand->name,
                               hint);

  g_hash_table_iter_init (&iter, parser->bindings);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    candela_suggestion_offer (&suggestion, name);

  g_autofree char *nearest = suggestion.name;

  if (nearest != NULL)
    return candela_lexer_fail (&parser->lexer, operand->start, error, "unknown name '%s'; did you mean '%s'?",
                               operand->name, nearest);
  if (candela_registry_lookup_op (parser->registry, operand->name, NULL) != NULL)
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
  cause->message = candela_registry_lookup_op (parser->registry, attribute, NULL) != NULL
                     ? g_strdup_printf ("no attribute '.%s'; the op is called as %s(x)", attribute, attribute)
                     : g_strdup_printf ("no attribute '.%s'", attribute);
}

CandelaOp *
candela_parser_lookup (CandelaParser *parser, const char *name, gboolean symbol, gsize start, GError **error)
{
  CandelaOp *op = g_hash_table_lookup (parser->ops, name);
  GError *cause = NULL;

  if (op != NULL)
    return op;

  op = symbol ? candela_registry_lookup_operator (parser->registry, name, &cause)
              : candela_registry_lookup_op (parser->registry, name, &cause);
  if (op == NULL)
    {
      if (symbol && g_error_matches (cause, CANDELA_ERROR, CANDELA_ERROR_UNKNOWN_OP))
        suggest_call (parser, name, cause);
      candela_lexer_locate (&parser->lexer, start, error, cause);
      return NULL;
    }
  g_hash_table_insert (parser->ops, g_strdup (name), op);
  return op;
}

gboolean
candela_parser_build (CandelaParser *parser, CandelaOp *op, CandelaNode *const *inputs, gsize n_inputs,
                      GVariant *params, gsize start, CandelaOperand *result, GError **error)
{
  GError *cause = NULL;
  CandelaNode *node = candela_node_new_for_op (op, inputs, n_inputs, params, &cause);

  if (node == NULL)
    return candela_lexer_locate (&parser->lexer, start, error, cause);
  *result = (CandelaOperand){ .kind = CANDELA_OPERAND_NODE, .start = start, .node = node };
  return TRUE;
}

static CandelaOp *
lookup_operator (CandelaParser *parser, const CandelaPending *pending, GError **error)
{
  CandelaOp **known = pending->prefix ? &parser->prefix[pending->op] : &parser->infix[pending->op];

  if (*known == NULL)
    {
      g_autofree char *symbol =
        g_strconcat (pending->prefix ? "prefix:" : "infix:", candela_operators[pending->op].symbol, NULL);

      *known = candela_parser_lookup (parser, symbol, TRUE, pending->start, error);
    }
  return *known;
}

static gboolean
is_deep (const CandelaPending *pending)
{
  return pending->prefix || pending->precedence == CANDELA_PRECEDENCE_POWER;
}

/* Gives the operator that waits longest on top its operands. */
static gboolean
reduce (CandelaParser *parser, GError **error)
{
  CandelaPending pending = g_array_index (parser->pending, CandelaPending, parser->pending->len - 1);
  guint n = pending.prefix ? 1 : 2;
  CandelaOperand operands[2] = { { 0 }, { 0 } }, result = { 0 };
  CandelaNode *inputs[2] = { NULL, NULL };
  CandelaOp *op = lookup_operator (parser, &pending, error);
  gboolean fine = op != NULL;

  g_array_set_size (parser->pending, parser->pending->len - 1);
  if (is_deep (&pending))
    parser->depth--;
  for (guint i = n; i > 0; i--)
    operands[i - 1] = pop_operand (parser);
  for (guint i = 0; i < n && fine; i++)
    fine = (inputs[i] = candela_parser_to_node (parser, &operands[i], error)) != NULL;
  fine = fine && candela_parser_build (parser, op, inputs, n, NULL, pending.start, &result, error);

  for (guint i = 0; i < n; i++)
    {
      g_clear_pointer (&inputs[i], candela_node_unref);
      candela_operand_clear (&operands[i]);
    }
  if (fine)
    g_array_append_val (parser->operands, result);
  return fine;
}

/* Reduces all that binds at least as much as the operator to come. */
static gboolean
reduce_for (CandelaParser *parser, guint base, guint precedence, GError **error)
{
  while (parser->pending->len > base)
    {
      const CandelaPending *top = &g_array_index (parser->pending, CandelaPending, parser->pending->len - 1);

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
  CandelaPending pending = { .op = parser->token.op, .prefix = prefix, .start = parser->token.start };

  pending.precedence = prefix ? CANDELA_PRECEDENCE_PREFIX : candela_operators[pending.op].precedence;
  if (is_deep (&pending) && !candela_parser_enter (parser, pending.start, error))
    return FALSE;
  g_array_append_val (parser->pending, pending);
  return candela_parser_advance (parser, error);
}

/* Items up to a closing bracket, which is looked at in the end. */
static gboolean
parse_items (CandelaParser *parser, char close, GArray *list, GError **error)
{
  gboolean more = TRUE;

  while (more && !candela_parser_at (parser, close))
    {
      CandelaOperand item = { 0 };

      if (!candela_parser_expression (parser, &item, error))
        return FALSE;
      g_array_append_val (list, item);
      if (!candela_parser_accept (parser, ',', &more, error))
        return FALSE;
    }
  if (candela_parser_at (parser, close))
    return TRUE;

  g_autofree char *found = candela_lexer_describe (&parser->lexer, &parser->token);
  CandelaOperand *last = list->len > 0 ? &g_array_index (list, CandelaOperand, list->len - 1) : NULL;

  if (last != NULL && last->kind == CANDELA_OPERAND_UNBOUND && parser->token.kind == CANDELA_TOKEN_NAME)
    return candela_parser_fail_unbound (parser, last, error);
  return candela_lexer_fail (&parser->lexer, parser->token.start, error, "expected ',' or '%c', found %s", close,
                             found);
}

/* "[…]" is a list, "(…)" one if it has a comma or nothing in it. */
static gboolean
parse_brackets (CandelaParser *parser, CandelaOperand *result, GError **error)
{
  gsize start = parser->token.start;
  char close = candela_parser_at (parser, '(') ? ')' : ']';
  g_autoptr (GArray) list = candela_operand_array_new ();

  if (!candela_parser_enter (parser, start, error) || !candela_parser_advance (parser, error))
    return FALSE;

  gboolean comma = TRUE;

  if (close == ')' && !candela_parser_at (parser, close))
    {
      CandelaOperand item = { 0 };

      if (!candela_parser_expression (parser, &item, error))
        return FALSE;
      g_array_append_val (list, item);
      if (!candela_parser_accept (parser, ',', &comma, error))
        return FALSE;
    }
  if ((comma || !candela_parser_at (parser, close)) && !parse_items (parser, close, list, error))
    return FALSE;
  parser->depth--;

  if (close == ')' && !comma)
    {
      candela_operand_copy (result, &g_array_index (list, CandelaOperand, 0));
      result->name = NULL;
      result->start = start;
      if (result->kind == CANDELA_OPERAND_UNBOUND)
        {
          result->name = g_array_index (list, CandelaOperand, 0).name;
          return candela_parser_fail_unbound (parser, result, error);
        }
    }
  else
    *result = (CandelaOperand){ .kind = CANDELA_OPERAND_LIST, .start = start, .list = g_steal_pointer (&list) };
  return candela_parser_advance (parser, error);
}

static gboolean
parse_name (CandelaParser *parser, CandelaOperand *result, GError **error)
{
  const CandelaToken token = parser->token;

  if (!candela_parser_advance (parser, error))
    return FALSE;
  if (candela_parser_at (parser, '('))
    {
      CandelaOp *op = candela_parser_lookup (parser, token.name, FALSE, token.start, error);

      return op != NULL && candela_parser_call (parser, op, token.start, result, error);
    }

  const CandelaOperand *bound = g_hash_table_lookup (parser->bindings, token.name);

  if (bound != NULL)
    candela_operand_copy (result, bound);
  else
    result->kind = CANDELA_OPERAND_UNBOUND;
  result->start = token.start;
  result->name = token.name;
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
      if (token->integer > G_MAXINT64)
        {
          result->kind = CANDELA_OPERAND_EMPTY;
          return candela_lexer_fail (&parser->lexer, token->start, error,
                                     "the integer %" G_GUINT64_FORMAT " does not fit in 64 bits", token->integer);
        }
      result->node = candela_node_new_int ((gint64) token->integer);
      break;
    case CANDELA_TOKEN_FLOAT:
      result->node = candela_node_new_float (token->number);
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
parse_attribute (CandelaParser *parser, const CandelaOperand *base, CandelaOperand *result, GError **error)
{
  gsize start = parser->token.start;
  g_autofree char *symbol = g_strconcat ("attribute:", parser->token.name, NULL);
  CandelaOp *op = candela_parser_lookup (parser, symbol, TRUE, start, error);
  g_autoptr (CandelaNode) node = op != NULL ? candela_parser_to_node (parser, base, error) : NULL;

  return node != NULL && candela_parser_build (parser, op, &node, 1, NULL, start, result, error)
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
      CandelaOperand base = *result;
      gboolean fine;

      *result = (CandelaOperand){ 0 };
      fine = candela_parser_at (parser, '[') ? candela_parser_index (parser, &base, result, error)
                                             : parse_attribute (parser, &base, result, error);
      candela_operand_clear (&base);
      if (!fine)
        return FALSE;
    }
  if (candela_parser_at (parser, '('))
    return candela_lexer_fail (&parser->lexer, parser->token.start, error, "only an op can be called");
  return TRUE;
}

/* The smallest int64 has no positive counterpart: its sign is part of it. */
static gboolean
take_sign_of_smallest (CandelaParser *parser, gsize start, GError **error)
{
  CandelaPending *top = &g_array_index (parser->pending, CandelaPending, parser->pending->len - 1);
  CandelaOperand smallest = { .kind = CANDELA_OPERAND_NODE, .start = start };

  if (strcmp (candela_operators[top->op].symbol, "-") != 0)
    return TRUE;
  if (!candela_parser_advance (parser, error))
    return FALSE;
  if (parser->token.kind == CANDELA_TOKEN_OPERATOR
      && candela_operators[parser->token.op].precedence == CANDELA_PRECEDENCE_POWER)
    return candela_lexer_fail (&parser->lexer, start, error, "the integer 9223372036854775808 does not fit in 64 bits");
  parser->depth--;
  g_array_set_size (parser->pending, parser->pending->len - 1);
  smallest.node = candela_node_new_int (G_MININT64);
  g_array_append_val (parser->operands, smallest);
  return TRUE;
}

/* An operand with the prefix operators before it. */
static gboolean
parse_prefixed (CandelaParser *parser, GError **error)
{
  CandelaOperand operand = { 0 };
  guint before = parser->operands->len;
  gboolean prefixed = FALSE;

  while (parser->token.kind == CANDELA_TOKEN_OPERATOR && candela_operators[parser->token.op].prefix)
    {
      prefixed = TRUE;
      if (!push_operator (parser, TRUE, error))
        return FALSE;
    }
  if (prefixed && parser->token.kind == CANDELA_TOKEN_INT && parser->token.integer > G_MAXINT64
      && !take_sign_of_smallest (parser, parser->token.start, error))
    return FALSE;
  if (parser->operands->len > before)
    return TRUE;
  if (!parse_operand (parser, &operand, error))
    {
      candela_operand_clear (&operand);
      return FALSE;
    }
  g_array_append_val (parser->operands, operand);
  return TRUE;
}

gboolean
candela_parser_expression (CandelaParser *parser, CandelaOperand *result, GError **error)
{
  guint base = parser->pending->len;

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
  *result = pop_operand (parser);
  return TRUE;
}
