/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The expression language as its users see it: statements that bind names, and
 * the object that keeps what they gave. Operands and operators are read in
 * expression-parse.c. */
#include <candela/graph/expression-private.h>

#include <string.h>

struct _CandelaExpression
{
  GObject parent_instance;
  GPtrArray *values; /* CandelaNode, of the last statement */
  GHashTable *nodes; /* name to CandelaNode, bound by statements */
  GPtrArray *names;  /* in order of their first binding */
};

G_DEFINE_FINAL_TYPE (CandelaExpression, candela_expression, G_TYPE_OBJECT)

static void
candela_expression_finalize (GObject *object)
{
  CandelaExpression *self = CANDELA_EXPRESSION (object);

  g_ptr_array_unref (self->values);
  g_hash_table_unref (self->nodes);
  g_ptr_array_unref (self->names);
  G_OBJECT_CLASS (candela_expression_parent_class)->finalize (object);
}

static void
candela_expression_class_init (CandelaExpressionClass *class)
{
  G_OBJECT_CLASS (class)->finalize = candela_expression_finalize;
}

static void
candela_expression_init (CandelaExpression *self)
{
  self->values = g_ptr_array_new_with_free_func ((GDestroyNotify) candela_node_unref);
  self->nodes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) candela_node_unref);
  self->names = g_ptr_array_new_with_free_func (g_free);
}

static void
free_binding (gpointer binding)
{
  candela_operand_clear (binding);
  g_free (binding);
}

static void
bind (CandelaParser *parser, const char *name, const CandelaOperand *value)
{
  CandelaOperand *binding = g_new (CandelaOperand, 1);

  candela_operand_copy (binding, value);
  binding->name = NULL;
  g_hash_table_insert (parser->bindings, g_strdup (name), binding);
}

static gboolean
parser_init (CandelaParser *parser, const char *text, gssize length, GHashTable *names, GError **error)
{
  GHashTableIter iter;
  gpointer name, node;

  *parser = (CandelaParser){ 0 };
  if (!candela_lexer_init (&parser->lexer, text, length, error))
    return FALSE;

  parser->registry = candela_registry_get_default ();
  parser->bindings = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_binding);
  parser->lists =
    g_hash_table_new_full (NULL, NULL, (GDestroyNotify) g_array_unref, (GDestroyNotify) candela_node_unref);
  parser->bound = g_ptr_array_new ();
  parser->operands = candela_operand_array_new ();
  parser->pending = g_array_new (FALSE, FALSE, sizeof (CandelaPending));
  parser->ops = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  if (names != NULL)
    {
      g_hash_table_iter_init (&iter, names);
      while (g_hash_table_iter_next (&iter, &name, &node))
        if (name != NULL && node != NULL)
          bind (parser, name, &(CandelaOperand){ .kind = CANDELA_OPERAND_NODE, .node = node });
    }
  return TRUE;
}

static void
parser_clear (CandelaParser *parser)
{
  candela_lexer_clear (&parser->lexer);
  g_clear_pointer (&parser->bindings, g_hash_table_unref);
  g_clear_pointer (&parser->lists, g_hash_table_unref);
  g_clear_pointer (&parser->bound, g_ptr_array_unref);
  g_clear_pointer (&parser->operands, g_array_unref);
  g_clear_pointer (&parser->pending, g_array_unref);
  g_clear_pointer (&parser->ops, g_hash_table_unref);
}

/* "a, b": up to what ends it, which is looked at in the end. */
static gboolean
parse_values (CandelaParser *parser, GArray *values, GError **error)
{
  gboolean more = TRUE;

  while (more)
    {
      CandelaOperand value = { 0 };

      if (!candela_parser_expression (parser, &value, error))
        return FALSE;
      g_array_append_val (values, value);
      if (!candela_parser_accept (parser, ',', &more, error))
        return FALSE;
      more = more && parser->token.kind != CANDELA_TOKEN_END && parser->token.kind != CANDELA_TOKEN_SEPARATOR
             && !candela_parser_at (parser, '=');
    }
  return TRUE;
}

/* One op with several outputs becomes as many values. */
static gboolean
unpack (CandelaParser *parser, GArray *values, GError **error)
{
  CandelaOperand *first = &g_array_index (values, CandelaOperand, 0);
  g_autoptr (CandelaNode) node = NULL;
  gsize start = first->start;
  guint n;

  if (values->len != 1 || first->kind != CANDELA_OPERAND_NODE || candela_node_get_n_outputs (first->node) < 2)
    return TRUE;

  node = candela_node_ref (first->node);
  n = candela_node_get_n_outputs (node);
  g_array_set_size (values, 0);
  for (guint i = 0; i < n; i++)
    {
      GError *cause = NULL;
      CandelaOperand value = { .kind = CANDELA_OPERAND_NODE, .start = start };

      value.node = candela_node_get_output (node, i, &cause);
      if (value.node == NULL)
        return candela_lexer_locate (&parser->lexer, start, error, cause);
      g_array_append_val (values, value);
    }
  return TRUE;
}

static gboolean
bind_targets (CandelaParser *parser, GArray *targets, GArray *values, GError **error)
{
  const CandelaOperand *first = &g_array_index (targets, CandelaOperand, 0);

  if (!unpack (parser, values, error))
    return FALSE;
  if (targets->len != values->len)
    return candela_lexer_fail (&parser->lexer, first->start, error, "%u name%s for %u value%s", targets->len,
                               targets->len == 1 ? "" : "s", values->len, values->len == 1 ? "" : "s");

  for (guint i = 0; i < targets->len; i++)
    {
      const CandelaOperand *target = &g_array_index (targets, CandelaOperand, i);
      const CandelaOperand *value = &g_array_index (values, CandelaOperand, i);

      if (value->kind == CANDELA_OPERAND_UNBOUND)
        return candela_parser_fail_unbound (parser, value, error);
      bind (parser, target->name, value);
      g_ptr_array_add (parser->bound, (char *) target->name);
    }
  return TRUE;
}

/* A statement stops at a separator or the end; anything else is too much. */
static gboolean
check_end (CandelaParser *parser, GArray *values, GError **error)
{
  g_autofree char *found = NULL;
  const CandelaOperand *last = &g_array_index (values, CandelaOperand, values->len - 1);

  if (parser->token.kind == CANDELA_TOKEN_END || parser->token.kind == CANDELA_TOKEN_SEPARATOR)
    return TRUE;
  if (last->kind == CANDELA_OPERAND_UNBOUND)
    return candela_parser_fail_unbound (parser, last, error);
  if (parser->token.kind == CANDELA_TOKEN_NAME && g_hash_table_lookup (parser->bindings, parser->token.name) == NULL)
    {
      const char *hint = candela_parser_foreign_word (parser->token.name);

      if (hint != NULL)
        return candela_lexer_fail (&parser->lexer, parser->token.start, error, "no word '%s' in the language: %s",
                                   parser->token.name, hint);
    }
  found = candela_lexer_describe (&parser->lexer, &parser->token);
  return candela_lexer_fail (&parser->lexer, parser->token.start, error,
                             "expected an operator or the end of the statement, found %s", found);
}

/* "t = a + 1", "m, v = moments(x)", or values alone. */
static gboolean
parse_statement (CandelaParser *parser, GArray *values, GError **error)
{
  g_autoptr (GArray) targets = NULL;
  gsize start = parser->token.start;

  g_array_set_size (values, 0);
  if (!parse_values (parser, values, error))
    return FALSE;
  if (!candela_parser_at (parser, '='))
    return check_end (parser, values, error) && unpack (parser, values, error);

  targets = candela_operand_array_new ();
  g_array_append_vals (targets, values->data, values->len);
  for (guint i = 0; i < values->len; i++)
    g_array_index (values, CandelaOperand, i).kind = CANDELA_OPERAND_EMPTY;
  g_array_set_size (values, 0);

  for (guint i = 0; i < targets->len; i++)
    if (g_array_index (targets, CandelaOperand, i).name == NULL)
      return candela_lexer_fail (&parser->lexer, start, error, "only names can stand before '='");
  return candela_parser_advance (parser, error) && parse_values (parser, values, error)
         && check_end (parser, values, error) && bind_targets (parser, targets, values, error);
}

static gboolean
parse_statements (CandelaParser *parser, GArray *values, GError **error)
{
  gboolean any = FALSE;

  if (!candela_parser_advance (parser, error))
    return FALSE;
  while (parser->token.kind != CANDELA_TOKEN_END)
    {
      if (parser->token.kind == CANDELA_TOKEN_SEPARATOR)
        {
          if (!candela_parser_advance (parser, error))
            return FALSE;
          continue;
        }
      any = TRUE;
      if (!parse_statement (parser, values, error))
        return FALSE;
    }
  return any || candela_lexer_fail (&parser->lexer, parser->token.start, error, "an expression with nothing in it");
}

/* What is left when the text has been read. Names of what is no tensor (text,
 * none) are of use only within it. */
static gboolean
keep (CandelaExpression *self, CandelaParser *parser, GArray *values, GError **error)
{
  for (guint i = 0; i < values->len; i++)
    {
      CandelaNode *node = candela_parser_to_node (parser, &g_array_index (values, CandelaOperand, i), error);

      if (node == NULL)
        return FALSE;
      g_ptr_array_add (self->values, node);
    }
  for (guint i = 0; i < parser->bound->len; i++)
    {
      const char *name = g_ptr_array_index (parser->bound, i);
      const CandelaOperand *binding = g_hash_table_lookup (parser->bindings, name);
      CandelaNode *node = NULL;

      if (!g_hash_table_contains (self->nodes, name))
        node = candela_parser_to_node (parser, binding, NULL);
      if (node == NULL)
        continue;
      g_hash_table_insert (self->nodes, g_strdup (name), node);
      g_ptr_array_add (self->names, g_strdup (name));
    }
  return TRUE;
}

/**
 * candela_expression_parse:
 * @text: an expression
 * @length: its length in bytes, or -1 if it ends with NUL
 * @names: (nullable) (element-type utf8 Candela.Node): what its names stand for
 * @error: return location for an error
 *
 * Reads text into nodes. Nothing is computed. The language is that of
 * `docs/expressions.md`: statements separated by semicolons or line ends, each
 * values or `name = value`, operators with the precedence that Python gives
 * them, calls of any registered op.
 *
 * An error's message begins with the place, `line 1, column 5: …`; the line and
 * a caret below it follow on two lines of their own. Its code is
 * %CANDELA_ERROR_SYNTAX for what cannot be read, %CANDELA_ERROR_UNKNOWN_OP for
 * an op that no plugin has, and otherwise that of building the node.
 *
 * Returns: (transfer full): the expression, or %NULL on error
 *
 * Since: 1.0
 */
CandelaExpression *
candela_expression_parse (const char *text, gssize length, GHashTable *names, GError **error)
{
  g_autoptr (CandelaExpression) self = NULL;
  g_autoptr (GArray) values = candela_operand_array_new ();
  CandelaParser parser;
  gboolean fine;

  g_return_val_if_fail (text != NULL, NULL);

  if (!parser_init (&parser, text, length, names, error))
    return NULL;
  self = g_object_new (CANDELA_TYPE_EXPRESSION, NULL);
  fine = parse_statements (&parser, values, error) && keep (self, &parser, values, error);
  parser_clear (&parser);
  return fine ? g_steal_pointer (&self) : NULL;
}

/**
 * candela_expression_get_value:
 * @expression: an expression
 *
 * The (first) value of the last statement.
 *
 * Returns: (transfer none) (nullable): the node; %NULL only of an expression that
 *   was not made by candela_expression_parse()
 *
 * Since: 1.0
 */
CandelaNode *
candela_expression_get_value (CandelaExpression *expression)
{
  g_return_val_if_fail (CANDELA_IS_EXPRESSION (expression), NULL);

  return candela_expression_get_nth_value (expression, 0);
}

/**
 * candela_expression_get_n_values:
 * @expression: an expression
 *
 * How many values the last statement has: `a, b` has two, and so has
 * `m, v = moments(x)`.
 *
 * Returns: the number, at least 1 of what candela_expression_parse() made
 *
 * Since: 1.0
 */
guint
candela_expression_get_n_values (CandelaExpression *expression)
{
  g_return_val_if_fail (CANDELA_IS_EXPRESSION (expression), 0);

  return expression->values->len;
}

/**
 * candela_expression_get_nth_value:
 * @expression: an expression
 * @n: which value
 *
 * One of the values of the last statement.
 *
 * Returns: (transfer none) (nullable): the node; %NULL if there is none of that
 *   number
 *
 * Since: 1.0
 */
CandelaNode *
candela_expression_get_nth_value (CandelaExpression *expression, guint n)
{
  g_return_val_if_fail (CANDELA_IS_EXPRESSION (expression), NULL);

  return n < expression->values->len ? g_ptr_array_index (expression->values, n) : NULL;
}

/**
 * candela_expression_lookup:
 * @expression: an expression
 * @name: a name
 *
 * What a name stands for after the last statement, if a statement bound it.
 *
 * Returns: (transfer none) (nullable): the node; %NULL if no statement bound the
 *   name to a value
 *
 * Since: 1.0
 */
CandelaNode *
candela_expression_lookup (CandelaExpression *expression, const char *name)
{
  g_return_val_if_fail (CANDELA_IS_EXPRESSION (expression), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  return g_hash_table_lookup (expression->nodes, name);
}

/**
 * candela_expression_list_names:
 * @expression: an expression
 *
 * The names that its statements bound to values, in the order in which they came
 * first.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names
 *
 * Since: 1.0
 */
char **
candela_expression_list_names (CandelaExpression *expression)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();

  g_return_val_if_fail (CANDELA_IS_EXPRESSION (expression), NULL);

  for (guint i = 0; i < expression->names->len; i++)
    g_strv_builder_add (names, g_ptr_array_index (expression->names, i));
  return g_strv_builder_end (names);
}

/**
 * candela_expression_build: (skip)
 * @text: an expression
 * @error: return location for an error
 * @...: names and nodes, in pairs, ended by %NULL
 *
 * Reads an expression whose last statement has one value:
 * `candela_expression_build ("relu (x @ w + b)", &error, "x", x, "w", w, "b", b,
 * NULL)`. If a node is %NULL, so is the result, and an
 * error that is already set stays as it is.
 *
 * Returns: (transfer full): the value's node, or %NULL on error, as
 *   candela_expression_parse() sets it
 *
 * Since: 1.0
 */
CandelaNode *
candela_expression_build (const char *text, GError **error, ...)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  gboolean missing = error != NULL && *error != NULL;
  const char *name, *without = NULL;
  va_list args;

  va_start (args, error);
  while ((name = va_arg (args, const char *)) != NULL)
    {
      CandelaNode *node = va_arg (args, CandelaNode *);

      if (node == NULL)
        without = name;
      else
        g_hash_table_insert (names, (char *) name, node);
    }
  va_end (args);

  if (missing)
    return NULL;
  if (without != NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY, "the node for '%s' is missing (NULL)", without);
      return NULL;
    }
  return candela_expression_build_with_names (text, names, error);
}

/**
 * candela_expression_build_with_names: (rename-to candela_expression_build)
 * @text: an expression
 * @names: (nullable) (element-type utf8 Candela.Node): what its names stand for
 * @error: return location for an error
 *
 * Reads an expression whose last statement has one value.
 *
 * Returns: (transfer full): the value's node, or %NULL on error, as
 *   candela_expression_parse() sets it
 *
 * Since: 1.0
 */
CandelaNode *
candela_expression_build_with_names (const char *text, GHashTable *names, GError **error)
{
  g_autoptr (CandelaExpression) expression = NULL;

  g_return_val_if_fail (text != NULL, NULL);

  expression = candela_expression_parse (text, -1, names, error);
  if (expression == NULL)
    return NULL;
  if (expression->values->len != 1)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY, "the expression has %u values where one is needed",
                   expression->values->len);
      return NULL;
    }
  return candela_node_ref (candela_expression_get_value (expression));
}
