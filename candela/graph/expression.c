/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The expression language as its users see it: statements that bind names, and
 * the object that keeps what they gave. Operands and operators are read in
 * expression-parse.c. */
#include <candela/graph/expression-private.h>

#include <string.h>

/* Names that the caller binds, for which no memory is asked. */
#define FEW_NAMES 16

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

  if (parser->bindings == NULL)
    {
      parser->bindings = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_binding);
      parser->bound = g_ptr_array_new ();
    }
  candela_operand_copy (binding, value);
  binding->name = NULL;
  g_hash_table_insert (parser->bindings, (char *) name, binding);
  g_ptr_array_add (parser->bound, (char *) name);
}

static gboolean
parser_init (CandelaParser *parser, const char *text, gssize length, GHashTable *names, GError **error)
{
  parser->registry = candela_registry_get_default ();
  parser->names = names;
  parser->named = NULL;
  parser->n_named = 0;
  parser->bindings = NULL;
  parser->bound = NULL;
  parser->lists = NULL;
  memset (parser->infix, 0, sizeof parser->infix);
  memset (parser->prefix, 0, sizeof parser->prefix);
  parser->held = NULL;
  parser->depth = 0;
  candela_operands_init (&parser->stack);
  return candela_lexer_init (&parser->lexer, text, length, error);
}

static void
parser_clear (CandelaParser *parser)
{
  candela_lexer_clear (&parser->lexer);
  candela_operands_clear (&parser->stack);
  g_clear_pointer (&parser->bindings, g_hash_table_unref);
  g_clear_pointer (&parser->lists, g_hash_table_unref);
  g_clear_pointer (&parser->bound, g_ptr_array_unref);
  g_clear_pointer (&parser->held, g_ptr_array_unref);
}

/* "a, b": up to what ends it, which is looked at in the end. */
static gboolean
parse_values (CandelaParser *parser, CandelaOperands *values, GError **error)
{
  gboolean more = TRUE;

  while (more)
    {
      CandelaOperand value = { 0 };

      if (!candela_parser_expression (parser, &value, error))
        return FALSE;
      candela_operands_push (values, &value);
      if (!candela_parser_accept (parser, ',', &more, error))
        return FALSE;
      more = more && parser->token.kind != CANDELA_TOKEN_END && parser->token.kind != CANDELA_TOKEN_SEPARATOR
             && !candela_parser_at (parser, '=');
    }
  return TRUE;
}

/* One op with several outputs becomes as many values. */
static gboolean
unpack (CandelaParser *parser, CandelaOperands *values, GError **error)
{
  const CandelaOperand *first = candela_operands_get (values, 0);
  g_autoptr (CandelaNode) node = NULL;
  gsize start = first->start;

  if (values->n != 1 || first->kind != CANDELA_OPERAND_NODE || candela_node_get_n_outputs (first->node) < 2)
    return TRUE;

  node = candela_node_ref (first->node);
  candela_operands_truncate (values, 0);
  for (guint i = 0; i < candela_node_get_n_outputs (node); i++)
    {
      GError *cause = NULL;
      CandelaOperand value = { .kind = CANDELA_OPERAND_NODE, .start = start };

      value.node = candela_node_get_output (node, i, &cause);
      if (value.node == NULL)
        return candela_lexer_locate (&parser->lexer, start, error, cause);
      candela_operands_push (values, &value);
    }
  return TRUE;
}

static gboolean
bind_targets (CandelaParser *parser, CandelaOperands *targets, CandelaOperands *values, GError **error)
{
  if (!unpack (parser, values, error))
    return FALSE;
  if (targets->n != values->n)
    return candela_lexer_fail (&parser->lexer, candela_operands_get (targets, 0)->start, error,
                               "%u name%s for %u value%s", targets->n, targets->n == 1 ? "" : "s", values->n,
                               values->n == 1 ? "" : "s");

  for (guint i = 0; i < targets->n; i++)
    {
      const CandelaOperand *value = candela_operands_get (values, i);

      if (value->kind == CANDELA_OPERAND_UNBOUND)
        return candela_parser_fail_unbound (parser, value, error);
      bind (parser, candela_operands_get (targets, i)->name, value);
    }
  return TRUE;
}

/* A statement stops at a separator or the end; anything else is too much. */
static gboolean
check_end (CandelaParser *parser, CandelaOperands *values, GError **error)
{
  g_autofree char *found = NULL;
  const CandelaOperand *last = candela_operands_get (values, values->n - 1);
  CandelaOperand bound;

  if (parser->token.kind == CANDELA_TOKEN_END || parser->token.kind == CANDELA_TOKEN_SEPARATOR)
    return TRUE;
  if (last->kind == CANDELA_OPERAND_UNBOUND)
    return candela_parser_fail_unbound (parser, last, error);
  if (parser->token.kind == CANDELA_TOKEN_NAME && !candela_parser_find (parser, parser->token.name, &bound))
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

/* The values after "=", for the names before it. */
static gboolean
parse_assignment (CandelaParser *parser, CandelaOperands *targets, CandelaOperands *values, gsize start, GError **error)
{
  for (guint i = 0; i < targets->n; i++)
    if (candela_operands_get (targets, i)->name == NULL)
      return candela_lexer_fail (&parser->lexer, start, error, "only names can stand before '='");
  return candela_parser_advance (parser, error) && parse_values (parser, values, error)
         && check_end (parser, values, error) && bind_targets (parser, targets, values, error);
}

/* "t = a + 1", "m, v = moments(x)", or values alone. */
static gboolean
parse_statement (CandelaParser *parser, CandelaOperands *values, GError **error)
{
  gsize start = parser->token.start;
  CandelaOperands targets;
  gboolean fine;

  candela_operands_truncate (values, 0);
  if (!parse_values (parser, values, error))
    return FALSE;
  if (!candela_parser_at (parser, '='))
    return check_end (parser, values, error) && unpack (parser, values, error);

  targets = *values;
  candela_operands_init (values);
  fine = parse_assignment (parser, &targets, values, start, error);
  candela_operands_clear (&targets);
  return fine;
}

static gboolean
parse_statements (CandelaParser *parser, CandelaOperands *values, GError **error)
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

/* The values of the last statement, as nodes. */
static gboolean
read_values (CandelaParser *parser, CandelaOperands *values, GError **error)
{
  if (!parse_statements (parser, values, error))
    return FALSE;
  for (guint i = 0; i < values->n; i++)
    if (!candela_parser_settle (parser, candela_operands_get (values, i), error))
      return FALSE;
  return TRUE;
}

/* What is left when the text has been read. Names of what is no tensor (text,
 * none) are of use only within it. */
static void
keep (CandelaExpression *self, CandelaParser *parser, CandelaOperands *values)
{
  for (guint i = 0; i < values->n; i++)
    g_ptr_array_add (self->values, candela_node_ref (candela_operands_get (values, i)->node));
  for (guint i = 0; parser->bound != NULL && i < parser->bound->len; i++)
    {
      const char *name = g_ptr_array_index (parser->bound, i);
      CandelaOperand *binding = g_hash_table_lookup (parser->bindings, name);

      if (g_hash_table_contains (self->nodes, name) || !candela_parser_settle (parser, binding, NULL))
        continue;
      g_hash_table_insert (self->nodes, g_strdup (name), candela_node_ref (binding->node));
      g_ptr_array_add (self->names, g_strdup (name));
    }
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
  CandelaExpression *self = NULL;
  CandelaOperands values;
  CandelaParser parser;

  g_return_val_if_fail (text != NULL, NULL);

  if (!parser_init (&parser, text, length, names, error))
    return NULL;
  candela_operands_init (&values);
  if (read_values (&parser, &values, error))
    {
      self = g_object_new (CANDELA_TYPE_EXPRESSION, NULL);
      keep (self, &parser, &values);
    }
  candela_operands_clear (&values);
  parser_clear (&parser);
  return self;
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

/* The one value of an expression, without the object that keeps more of it. */
static CandelaNode *
build (const char *text, gboolean part, GHashTable *names, const CandelaNamedNode *named, guint n_named, GError **error)
{
  CandelaNode *node = NULL;
  CandelaOperands values;
  CandelaParser parser;
  gboolean fine;

  if (!parser_init (&parser, text, -1, names, error))
    return NULL;
  parser.lexer.part = part;
  parser.named = named;
  parser.n_named = n_named;
  candela_operands_init (&values);
  fine = read_values (&parser, &values, error);
  if (fine && values.n == 1)
    node = candela_node_ref (candela_operands_get (&values, 0)->node);
  else if (fine)
    g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY, "the expression has %u values where one is needed",
                 values.n);
  candela_operands_clear (&values);
  parser_clear (&parser);
  return node;
}

CandelaNode *
candela_expression_build_part (const char *text, const CandelaNamedNode *named, guint n_named, GError **error)
{
  return build (text, TRUE, NULL, named, n_named, error);
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
  gboolean missing = error != NULL && *error != NULL;
  g_autofree CandelaNamedNode *many = NULL;
  CandelaNamedNode few[FEW_NAMES], *named = few;
  guint n = 0, size = FEW_NAMES;
  const char *name, *without = NULL;
  va_list args;

  g_return_val_if_fail (text != NULL, NULL);

  va_start (args, error);
  while ((name = va_arg (args, const char *)) != NULL)
    {
      if (n == size)
        {
          many = g_renew (CandelaNamedNode, many, size *= 2);
          if (named == few)
            memcpy (many, few, sizeof few);
          named = many;
        }
      named[n] = (CandelaNamedNode){ name, va_arg (args, CandelaNode *) };
      if (named[n++].node == NULL)
        without = name;
    }
  va_end (args);

  if (missing)
    return NULL;
  if (without != NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY, "the node for '%s' is missing (NULL)", without);
      return NULL;
    }
  return build (text, FALSE, NULL, named, n, error);
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
  g_return_val_if_fail (text != NULL, NULL);

  return build (text, FALSE, names, NULL, 0, error);
}
