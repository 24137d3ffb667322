/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Operands: what an expression within the text is, rows of them, and how one
 * becomes a node. A list of numbers becomes a tensor, of the dtype and shape that
 * NumPy gives it. */
#include <candela/graph/expression-private.h>

#include <string.h>

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
candela_list_new (void)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (CandelaOperand));

  g_array_set_clear_func (list, (GDestroyNotify) candela_operand_clear);
  return list;
}

void
candela_operands_push (CandelaOperands *operands, const CandelaOperand *operand)
{
  if (operands->n == operands->size)
    {
      const CandelaOperand *few = operands->many == NULL ? operands->few : NULL;

      operands->size *= 2;
      operands->many = g_renew (CandelaOperand, operands->many, operands->size);
      if (few != NULL)
        memcpy (operands->many, few, sizeof operands->few);
    }
  *candela_operands_get (operands, operands->n++) = *operand;
}

void
candela_operands_truncate (CandelaOperands *operands, guint n)
{
  while (operands->n > n)
    candela_operand_clear (candela_operands_get (operands, --operands->n));
}

void
candela_operands_clear (CandelaOperands *operands)
{
  candela_operands_truncate (operands, 0);
  g_free (operands->many);
}

gboolean
candela_operand_get_scalar (const CandelaOperand *operand, CandelaScalar *scalar)
{
  const CandelaNode *node = operand->kind == CANDELA_OPERAND_NODE ? operand->node : NULL;

  if (node == NULL || node->kind != CANDELA_NODE_EDGE || !node->literal || !node->weak)
    return FALSE;
  *scalar = (CandelaScalar){ .dtype = node->dtype };
  if (node->dtype == CANDELA_DTYPE_BOOL)
    scalar->integer = node->u.scalar[0];
  else if (node->dtype == CANDELA_DTYPE_INT64 || node->dtype == CANDELA_DTYPE_UINT64)
    memcpy (&scalar->integer, node->u.scalar, sizeof scalar->integer);
  else
    {
      memcpy (scalar->parts, node->u.scalar, candela_dtype_get_size (node->dtype));
      return TRUE;
    }
  scalar->parts[0] =
    node->dtype == CANDELA_DTYPE_UINT64 ? (double) (guint64) scalar->integer : (double) scalar->integer;
  return TRUE;
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

/* As NumPy makes an array of a list, which is of uint64 if one of its integers is. The
 * kinds are in the order of their dtypes, so the wider one wins. INVALID: nothing yet. */
CandelaDType
candela_scalar_promote (CandelaDType dtype, const CandelaScalar *scalar)
{
  return dtype == CANDELA_DTYPE_INVALID ? scalar->dtype : MAX (dtype, scalar->dtype);
}

/* Appends every number of the list; dtype becomes the widest met. */
static gboolean
collect_scalars (CandelaParser *parser, const CandelaOperand *list, GArray *scalars, CandelaDType *dtype,
                 GError **error)
{
  for (guint i = 0; i < list->list->len; i++)
    {
      const CandelaOperand *item = &g_array_index (list->list, CandelaOperand, i);
      CandelaScalar scalar;

      if (item->kind == CANDELA_OPERAND_LIST)
        {
          if (!collect_scalars (parser, item, scalars, dtype, error))
            return FALSE;
          continue;
        }
      if (!candela_operand_get_scalar (item, &scalar))
        return item->kind == CANDELA_OPERAND_UNBOUND
                 ? candela_parser_fail_unbound (parser, item, error)
                 : candela_lexer_fail (&parser->lexer, item->start, error, "a list as a tensor has numbers only");
      g_array_append_val (scalars, scalar);
      *dtype = candela_scalar_promote (*dtype, &scalar);
    }
  return TRUE;
}

/* The numbers as packed elements of that dtype. */
guint8 *
candela_scalars_pack (const GArray *scalars, CandelaDType dtype)
{
  gsize size = candela_dtype_get_size (dtype);
  guint8 *data = g_malloc (scalars->len * size);

  for (guint i = 0; i < scalars->len; i++)
    {
      const CandelaScalar *scalar = &g_array_index (scalars, CandelaScalar, i);

      if (dtype == CANDELA_DTYPE_BOOL)
        data[i] = scalar->integer;
      else
        memcpy (data + i * size,
                dtype == CANDELA_DTYPE_INT64 || dtype == CANDELA_DTYPE_UINT64 ? (gconstpointer) &scalar->integer
                                                                              : (gconstpointer) scalar->parts,
                size);
    }
  return data;
}

GVariant *
candela_scalar_to_variant (const CandelaScalar *scalar)
{
  switch ((int) scalar->dtype)
    {
    case CANDELA_DTYPE_BOOL:
      return g_variant_new_boolean (scalar->integer != 0);
    case CANDELA_DTYPE_INT64:
      return g_variant_new_int64 (scalar->integer);
    case CANDELA_DTYPE_UINT64:
      return g_variant_new_uint64 ((guint64) scalar->integer);
    case CANDELA_DTYPE_FLOAT64:
      return g_variant_new_double (scalar->parts[0]);
    default:
      return g_variant_new ("(dd)", scalar->parts[0], scalar->parts[1]);
    }
}

/* A negative number has no place among those of uint64. */
static gboolean
check_signs (CandelaParser *parser, const CandelaOperand *list, const GArray *scalars, CandelaDType dtype,
             GError **error)
{
  for (guint i = 0; dtype == CANDELA_DTYPE_UINT64 && i < scalars->len; i++)
    {
      const CandelaScalar *scalar = &g_array_index (scalars, CandelaScalar, i);

      if (scalar->dtype == CANDELA_DTYPE_INT64 && scalar->integer < 0)
        return candela_lexer_fail (&parser->lexer, list->start, error,
                                   "no integer dtype holds both %" G_GINT64_FORMAT " and a number above 2^63",
                                   scalar->integer);
    }
  return TRUE;
}

static CandelaNode *
list_to_node (CandelaParser *parser, const CandelaOperand *list, GError **error)
{
  gint64 shape[CANDELA_MAX_RANK];
  guint rank = 0;
  g_autoptr (GArray) scalars = g_array_new (FALSE, FALSE, sizeof (CandelaScalar));
  g_autofree guint8 *data = NULL;
  g_autoptr (CandelaTensor) tensor = NULL;
  CandelaDType dtype = CANDELA_DTYPE_INVALID;
  GError *cause = NULL;

  for (guint i = 0; i < CANDELA_MAX_RANK; i++)
    shape[i] = -1;
  if (!find_list_shape (parser, list, 0, shape, &rank, error) || !collect_scalars (parser, list, scalars, &dtype, error)
      || !check_signs (parser, list, scalars, dtype, error))
    return NULL;

  if (dtype == CANDELA_DTYPE_INVALID)
    dtype = CANDELA_DTYPE_FLOAT64;
  data = candela_scalars_pack (scalars, dtype);
  tensor =
    candela_tensor_new_from_data (dtype, shape, rank, data, scalars->len * candela_dtype_get_size (dtype), &cause);
  if (tensor != NULL)
    return candela_node_new_tensor (tensor);
  candela_lexer_locate (&parser->lexer, list->start, error, cause);
  return NULL;
}

/* A list that a name is bound to is one tensor, however often the name is used. */
static CandelaNode *
shared_list_node (CandelaParser *parser, const CandelaOperand *list, GError **error)
{
  CandelaNode *node = parser->lists != NULL ? g_hash_table_lookup (parser->lists, list->list) : NULL;

  if (node != NULL)
    return candela_node_ref (node);
  node = list_to_node (parser, list, error);
  if (node == NULL)
    return NULL;
  if (parser->lists == NULL)
    parser->lists =
      g_hash_table_new_full (NULL, NULL, (GDestroyNotify) g_array_unref, (GDestroyNotify) candela_node_unref);
  g_hash_table_insert (parser->lists, g_array_ref (list->list), candela_node_ref (node));
  return node;
}

gboolean
candela_parser_settle (CandelaParser *parser, CandelaOperand *operand, GError **error)
{
  CandelaNode *node;

  switch (operand->kind)
    {
    case CANDELA_OPERAND_NODE:
      return candela_node_get_n_outputs (operand->node) == 1
             || candela_lexer_fail (&parser->lexer, operand->start, error,
                                    "%u values where one is needed: give each a name, as in a, b = f(x)",
                                    candela_node_get_n_outputs (operand->node));
    case CANDELA_OPERAND_LIST:
      node = shared_list_node (parser, operand, error);
      if (node == NULL)
        return FALSE;
      g_array_unref (operand->list);
      operand->kind = CANDELA_OPERAND_NODE;
      operand->node = node;
      return TRUE;
    case CANDELA_OPERAND_UNBOUND:
      return candela_parser_fail_unbound (parser, operand, error);
    default:
      return candela_lexer_fail (&parser->lexer, operand->start, error, "%s where a tensor or a number is needed",
                                 operand->kind == CANDELA_OPERAND_TEXT ? "a string" : "none");
    }
}

gboolean
candela_operand_ask (CandelaNode *node, const char *word, CandelaOperand *answer)
{
  const CandelaLayout *layout = node->layout;

  if (strcmp (word, "shape") == 0)
    {
      *answer = (CandelaOperand){ .kind = CANDELA_OPERAND_LIST, .list = candela_list_new () };
      for (guint axis = 0; axis < layout->rank; axis++)
        {
          CandelaOperand length = { .kind = CANDELA_OPERAND_NODE, .node = candela_node_new_int (layout->dims[axis]) };

          g_array_append_val (answer->list, length);
        }
      return TRUE;
    }
  *answer = (CandelaOperand){ .kind = CANDELA_OPERAND_NODE };
  if (strcmp (word, "ndim") == 0)
    answer->node = candela_node_new_int (layout->rank);
  else if (strcmp (word, "size") == 0)
    answer->node = candela_node_new_int (layout->n_elements);
  else if (strcmp (word, "dtype") == 0)
    {
      answer->kind = CANDELA_OPERAND_TEXT;
      answer->text = candela_dtype_get_name (node->dtype);
    }
  else
    answer->kind = CANDELA_OPERAND_EMPTY;
  return answer->kind != CANDELA_OPERAND_EMPTY;
}
