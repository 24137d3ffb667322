/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What stands between brackets: the arguments of a call, sorted into the inputs
 * and the parameters that the op declares; the key of an index, in its normal
 * form; and lists, which are a parameter's value or a tensor of numbers. */
#include <candela/graph/expression-private.h>

#include <string.h>

/* A call under way. */
typedef struct
{
  CandelaParser *parser;
  CandelaOp *op;
  const CandelaOpFacts *facts;
  gsize start;
  GPtrArray *inputs; /* CandelaNode or NULL: by row, then what follows a variadic one */
  GVariantDict params;
  gboolean *given;  /* parameters, none included */
  guint next_input; /* the row that the next argument without a keyword is for */
  guint next_param;
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

/* The shape of nested lists; all on one level must be of one length. Ranks above
 * the limit end the descent, so the stack is safe. */
static gboolean
find_list_shape (CandelaParser *parser, const CandelaOperand *list, guint level, gint64 *shape, guint *rank,
                 GError **error)
{
  if (level >= CANDELA_MAX_RANK)
    return candela_lexer_fail (&parser->lexer, list->start, error, "a list of more than %d levels is no tensor",
                               CANDELA_MAX_RANK);
  if (shape[level] >= 0 && shape[level] != (gint64) list->list->len)
    return candela_lexer_locate (&parser->lexer, list->start, error,
                                 g_error_new (CANDELA_ERROR, CANDELA_ERROR_SHAPE,
                                              "a list of %u items where one before it has %" G_GINT64_FORMAT,
                                              list->list->len, shape[level]));
  shape[level] = list->list->len;

  for (guint i = 0; i < list->list->len; i++)
    {
      const CandelaOperand *item = &g_array_index (list->list, CandelaOperand, i);
      gboolean leaf = item->kind != CANDELA_OPERAND_LIST;

      if (*rank != 0 && leaf != (*rank == level + 1))
        return candela_lexer_locate (
          &parser->lexer, item->start, error,
          g_error_new (CANDELA_ERROR, CANDELA_ERROR_SHAPE, "numbers and lists on the same level of a list"));
      if (leaf)
        *rank = level + 1;
      else if (!find_list_shape (parser, item, level + 1, shape, rank, error))
        return FALSE;
    }
  if (list->list->len == 0 && *rank == 0)
    *rank = level + 1;
  return TRUE;
}

/* Appends every number of the list; type becomes the widest class met: b, x, d. */
static gboolean
collect_scalars (CandelaParser *parser, const CandelaOperand *list, GPtrArray *scalars, char *type, GError **error)
{
  for (guint i = 0; i < list->list->len; i++)
    {
      const CandelaOperand *item = &g_array_index (list->list, CandelaOperand, i);
      GVariant *scalar;

      if (item->kind == CANDELA_OPERAND_LIST)
        {
          if (!collect_scalars (parser, item, scalars, type, error))
            return FALSE;
          continue;
        }
      scalar = candela_operand_get_scalar (item);
      if (scalar == NULL)
        return item->kind == CANDELA_OPERAND_UNBOUND
                 ? candela_parser_fail_unbound (parser, item, error)
                 : candela_lexer_fail (&parser->lexer, item->start, error, "a list as a tensor has numbers only");
      g_ptr_array_add (scalars, g_variant_take_ref (scalar));
      if (*type == '\0' || *type == 'b' || g_variant_is_of_type (scalar, G_VARIANT_TYPE_DOUBLE))
        *type = g_variant_get_type_string (scalar)[0];
    }
  return TRUE;
}

static double
scalar_to_double (GVariant *scalar)
{
  switch (g_variant_classify (scalar))
    {
    case G_VARIANT_CLASS_BOOLEAN:
      return g_variant_get_boolean (scalar);
    case G_VARIANT_CLASS_INT64:
      return (double) g_variant_get_int64 (scalar);
    default:
      return g_variant_get_double (scalar);
    }
}

static gint64
scalar_to_int (GVariant *scalar)
{
  return g_variant_is_of_type (scalar, G_VARIANT_TYPE_BOOLEAN) ? g_variant_get_boolean (scalar)
                                                               : g_variant_get_int64 (scalar);
}

/* As NumPy makes an array of a list: bool, int64 or float64. */
static CandelaNode *
list_to_node (CandelaParser *parser, const CandelaOperand *list, GError **error)
{
  gint64 shape[CANDELA_MAX_RANK];
  guint rank = 0;
  char type = '\0';
  g_autoptr (GPtrArray) scalars = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
  g_autoptr (GArray) data = NULL;
  g_autoptr (CandelaTensor) tensor = NULL;
  CandelaDType dtype;
  GError *cause = NULL;

  for (guint i = 0; i < CANDELA_MAX_RANK; i++)
    shape[i] = -1;
  if (!find_list_shape (parser, list, 0, shape, &rank, error) || !collect_scalars (parser, list, scalars, &type, error))
    return NULL;

  dtype = type == 'b' ? CANDELA_DTYPE_BOOL : type == 'x' ? CANDELA_DTYPE_INT64 : CANDELA_DTYPE_FLOAT64;
  data = g_array_sized_new (FALSE, FALSE, candela_dtype_get_size (dtype), scalars->len);
  for (guint i = 0; i < scalars->len; i++)
    {
      GVariant *scalar = g_ptr_array_index (scalars, i);
      guint8 truth = type == 'b' && g_variant_get_boolean (scalar);
      gint64 integer = type == 'x' ? scalar_to_int (scalar) : 0;
      double number = scalar_to_double (scalar);

      if (type == 'b')
        g_array_append_val (data, truth);
      else if (type == 'x')
        g_array_append_val (data, integer);
      else
        g_array_append_val (data, number);
    }
  tensor = candela_tensor_new_from_data (dtype, shape, rank, (const guint8 *) data->data,
                                         data->len * candela_dtype_get_size (dtype), &cause);
  if (tensor != NULL)
    return candela_node_new_tensor (tensor);
  candela_lexer_locate (&parser->lexer, list->start, error, cause);
  return NULL;
}

/* A list that a name is bound to is one tensor, however often the name is used. */
static CandelaNode *
shared_list_node (CandelaParser *parser, const CandelaOperand *list, GError **error)
{
  CandelaNode *node = g_hash_table_lookup (parser->lists, list->list);

  if (node != NULL)
    return candela_node_ref (node);
  node = list_to_node (parser, list, error);
  if (node != NULL)
    g_hash_table_insert (parser->lists, g_array_ref (list->list), candela_node_ref (node));
  return node;
}

CandelaNode *
candela_parser_to_node (CandelaParser *parser, const CandelaOperand *operand, GError **error)
{
  switch (operand->kind)
    {
    case CANDELA_OPERAND_NODE:
      if (candela_node_get_n_outputs (operand->node) > 1)
        {
          candela_lexer_fail (&parser->lexer, operand->start, error,
                              "%u values where one is needed: give each a name, as in a, b = f(x)",
                              candela_node_get_n_outputs (operand->node));
          return NULL;
        }
      return candela_node_ref (operand->node);
    case CANDELA_OPERAND_LIST:
      return shared_list_node (parser, operand, error);
    case CANDELA_OPERAND_UNBOUND:
      candela_parser_fail_unbound (parser, operand, error);
      return NULL;
    default:
      candela_lexer_fail (&parser->lexer, operand->start, error, "%s where a tensor or a number is needed",
                          operand->kind == CANDELA_OPERAND_TEXT ? "a string" : "none");
      return NULL;
    }
}

/* A list as a parameter: ax, ad or ab; av if it is nested. */
static GVariant *
list_to_variant (CandelaCall *call, const char *name, const CandelaOperand *list, GError **error)
{
  g_autoptr (GPtrArray) scalars = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
  GVariantBuilder builder;
  char type[3] = "a\0";

  for (guint i = 0; i < list->list->len; i++)
    {
      const CandelaOperand *item = &g_array_index (list->list, CandelaOperand, i);
      GVariant *scalar = candela_operand_get_scalar (item);

      if (item->kind == CANDELA_OPERAND_UNBOUND)
        {
          candela_parser_fail_unbound (call->parser, item, error);
          return NULL;
        }
      if (scalar == NULL)
        {
          fail_argument (call, item->start, error, CANDELA_ERROR_PARAMETER,
                         "parameter '%s' is a list of something else than numbers", name);
          return NULL;
        }
      g_ptr_array_add (scalars, g_variant_take_ref (scalar));
      if (type[1] == '\0' || type[1] == 'b' || g_variant_is_of_type (scalar, G_VARIANT_TYPE_DOUBLE))
        type[1] = g_variant_get_type_string (scalar)[0];
    }

  if (type[1] == '\0')
    type[1] = 'x';
  g_variant_builder_init (&builder, G_VARIANT_TYPE (type));
  for (guint i = 0; i < scalars->len; i++)
    {
      GVariant *scalar = g_ptr_array_index (scalars, i);

      if (type[1] == 'd')
        g_variant_builder_add (&builder, "d", scalar_to_double (scalar));
      else if (type[1] == 'x')
        g_variant_builder_add (&builder, "x", scalar_to_int (scalar));
      else
        g_variant_builder_add_value (&builder, scalar);
    }
  return g_variant_builder_end (&builder);
}

/* Puts a parameter into the dictionary; none leaves it out. */
static gboolean
set_param (CandelaCall *call, guint index, const CandelaOperand *operand, GError **error)
{
  const CandelaParamInfo *info = &call->facts->info->params[index];
  g_autoptr (GVariant) value = NULL;

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
      value = candela_operand_get_scalar (operand);
      if (value == NULL)
        return fail_argument (call, operand->start, error, CANDELA_ERROR_PARAMETER,
                              "parameter '%s' must be known when the expression is read, not a tensor", info->name);
      break;
    }
  value = g_variant_take_ref (g_steal_pointer (&value));
  g_variant_dict_insert_value (&call->params, info->name, value);
  return TRUE;
}

static gboolean
set_input (CandelaCall *call, guint row, const CandelaOperand *operand, GError **error)
{
  CandelaNode *node;

  if (row < call->inputs->len && g_ptr_array_index (call->inputs, row) != NULL)
    return fail_argument (call, operand->start, error, CANDELA_ERROR_ARITY, "input '%s' is given twice",
                          call->facts->info->inputs[row].name);
  node = candela_parser_to_node (call->parser, operand, error);
  if (node == NULL)
    return FALSE;
  if (row >= call->inputs->len)
    g_ptr_array_set_size (call->inputs, row + 1);
  g_ptr_array_index (call->inputs, row) = node;
  return TRUE;
}

/* concat([a, b]) is concat(a, b). */
static gboolean
set_variadic (CandelaCall *call, guint row, const CandelaOperand *operand, gboolean *spread, GError **error)
{
  *spread = FALSE;
  if (operand->kind == CANDELA_OPERAND_LIST)
    for (guint i = 0; i < operand->list->len; i++)
      {
        const CandelaOperand *item = &g_array_index (operand->list, CandelaOperand, i);
        g_autoptr (GVariant) scalar = candela_operand_get_scalar (item);

        *spread = *spread || scalar == NULL;
      }
  if (!*spread)
    return set_input (call, MAX (row, call->inputs->len), operand, error);
  for (guint i = 0; i < operand->list->len; i++)
    if (!set_input (call, MAX (row, call->inputs->len), &g_array_index (operand->list, CandelaOperand, i), error))
      return FALSE;
  return TRUE;
}

/* Whether an argument without a keyword is the next input, or already a parameter. */
static gboolean
is_input (CandelaCall *call, const CandelaOperand *operand)
{
  const CandelaOpFacts *facts = call->facts;
  g_autoptr (GVariant) scalar = NULL;

  if (call->next_input >= facts->n_inputs || call->next_param > 0)
    return FALSE;
  if (call->next_input < facts->n_required || facts->n_params == 0)
    return TRUE;
  if (operand->kind != CANDELA_OPERAND_NODE && operand->kind != CANDELA_OPERAND_LIST)
    return FALSE;
  if (!facts->variadic || call->next_input + 1 < facts->n_inputs || call->inputs->len == 0)
    return TRUE;
  /* After tensors, a number is a parameter. */
  scalar = candela_operand_get_scalar (operand);
  return scalar == NULL;
}

static gboolean
add_positional (CandelaCall *call, const CandelaOperand *operand, GError **error)
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
add_keyword (CandelaCall *call, const char *keyword, gsize start, const CandelaOperand *operand, GError **error)
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
unref_input (gpointer node)
{
  g_clear_pointer (&node, candela_node_unref);
}

gboolean
candela_parser_call (CandelaParser *parser, CandelaOp *op, gsize start, CandelaOperand *result, GError **error)
{
  CandelaCall call = { .parser = parser, .op = op, .facts = candela_op_get_facts (op), .start = start };
  g_autofree gboolean *given = g_new0 (gboolean, call.facts->n_params + 1);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (unref_input);
  gboolean fine;

  if (!candela_parser_enter (parser, start, error))
    return FALSE;
  call.given = given;
  call.inputs = inputs;
  g_variant_dict_init (&call.params, NULL);

  fine = parse_arguments (&call, error)
         && candela_parser_build (parser, op, (CandelaNode *const *) inputs->pdata, inputs->len,
                                  g_variant_dict_end (&call.params), start, result, error);
  g_variant_dict_clear (&call.params);
  parser->depth--;
  return fine && candela_parser_advance (parser, error);
}

/* One bound of a slice, or an index: an integer that is known. */
static gboolean
append_bound (CandelaParser *parser, const CandelaOperand *operand, GString *key, GError **error)
{
  g_autoptr (GVariant) scalar = candela_operand_get_scalar (operand);

  if (operand->kind == CANDELA_OPERAND_UNBOUND)
    return candela_parser_fail_unbound (parser, operand, error);
  if (scalar == NULL || !g_variant_is_of_type (scalar, G_VARIANT_TYPE_INT64))
    return candela_lexer_fail (&parser->lexer, operand->start, error,
                               "an index is made of integers, slices, None and '...'");
  g_string_append_printf (key, "%" G_GINT64_FORMAT, g_variant_get_int64 (scalar));
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

gboolean
candela_parser_index (CandelaParser *parser, const CandelaOperand *base, CandelaOperand *result, GError **error)
{
  gsize start = parser->token.start;
  CandelaOp *op = candela_parser_lookup (parser, "index:[]", TRUE, start, error);
  g_autoptr (CandelaNode) node = op != NULL ? candela_parser_to_node (parser, base, error) : NULL;
  g_autoptr (GString) key = g_string_new (NULL);
  const CandelaOpFacts *facts = op != NULL ? candela_op_get_facts (op) : NULL;
  gboolean more = TRUE;
  GVariantDict params;

  if (node == NULL || !candela_parser_enter (parser, start, error) || !candela_parser_advance (parser, error))
    return FALSE;
  if (facts->n_params == 0)
    return candela_lexer_fail (&parser->lexer, start, error, "%s: the op of '[]' has no parameter for the key",
                               facts->info->name);
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
  if (!candela_parser_at (parser, ']'))
    {
      g_autofree char *found = candela_lexer_describe (&parser->lexer, &parser->token);

      return candela_lexer_fail (&parser->lexer, parser->token.start, error, "expected ',', ':' or ']', found %s",
                                 found);
    }
  parser->depth--;
  g_variant_dict_init (&params, NULL);
  g_variant_dict_insert (&params, facts->info->params[0].name, "s", key->str);
  return candela_parser_build (parser, op, &node, 1, g_variant_dict_end (&params), start, result, error)
         && candela_parser_advance (parser, error);
}
