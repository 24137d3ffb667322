/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parameters as kernels read them, by their index in the op's table: a wrong index gives
 * nothing, not a crash. */
#include <candela/op/params-private.h>

static const CandelaParamValue *
peek (const CandelaParams *params, guint index)
{
  g_return_val_if_fail (params != NULL, NULL);
  g_return_val_if_fail (index < params->n, NULL);

  return params->values[index].set ? &params->values[index] : NULL;
}

static gboolean
is_of_type (const CandelaParams *params, guint index, CandelaParamType type)
{
  return index < params->n && params->info[index].type == type;
}

/**
 * candela_params_is_set:
 * @params: the parameters of a node
 * @index: which, by the order of the op's table
 *
 * Whether the parameter was given or has a default.
 *
 * Returns: %TRUE if it has a value
 *
 * Since: 1.0
 */
gboolean
candela_params_is_set (const CandelaParams *params, guint index)
{
  return peek (params, index) != NULL;
}

/**
 * candela_params_get_bool:
 * @params: the parameters of a node
 * @index: which, by the order of the op's table
 *
 * The value of a bool, or of a scalar that is one.
 *
 * Returns: the value; %FALSE if it is none
 *
 * Since: 1.0
 */
gboolean
candela_params_get_bool (const CandelaParams *params, guint index)
{
  const CandelaParamValue *value = peek (params, index);

  if (value == NULL)
    return FALSE;
  if (is_of_type (params, index, CANDELA_PARAM_SCALAR) && value->kind == CANDELA_DTYPE_COMPLEX128)
    return value->parts[0] != 0 || value->parts[1] != 0;
  if (is_of_type (params, index, CANDELA_PARAM_SCALAR) && value->kind == CANDELA_DTYPE_FLOAT64)
    return value->d != 0;
  if (is_of_type (params, index, CANDELA_PARAM_SCALAR) && value->kind != CANDELA_DTYPE_BOOL)
    return value->i != 0;
  g_return_val_if_fail (is_of_type (params, index, CANDELA_PARAM_BOOL) || value->kind == CANDELA_DTYPE_BOOL, FALSE);
  return value->b;
}

/**
 * candela_params_get_int:
 * @params: the parameters of a node
 * @index: which, by the order of the op's table
 *
 * The value of an int, or of a scalar; a float, also a complex number's real part, is cut
 * towards zero and to the range.
 *
 * Returns: the value; 0 if it is none
 *
 * Since: 1.0
 */
gint64
candela_params_get_int (const CandelaParams *params, guint index)
{
  const CandelaParamValue *value = peek (params, index);

  if (value == NULL)
    return 0;
  if (value->kind == CANDELA_DTYPE_UINT64)
    return G_MAXINT64;
  if (value->kind == CANDELA_DTYPE_FLOAT64 || value->kind == CANDELA_DTYPE_COMPLEX128)
    return value->d >= 0x1p63 ? G_MAXINT64 : value->d >= -0x1p63 ? (gint64) value->d : G_MININT64;
  if (value->kind == CANDELA_DTYPE_BOOL)
    return value->b;
  g_return_val_if_fail (is_of_type (params, index, CANDELA_PARAM_INT) || value->kind == CANDELA_DTYPE_INT64, 0);
  return value->i;
}

/**
 * candela_params_get_float:
 * @params: the parameters of a node
 * @index: which, by the order of the op's table
 *
 * The value of a float, or of a scalar, as binary64; of a complex number the real part.
 *
 * Returns: the value; 0 if it is none
 *
 * Since: 1.0
 */
double
candela_params_get_float (const CandelaParams *params, guint index)
{
  const CandelaParamValue *value = peek (params, index);

  if (value == NULL)
    return 0;
  if (is_of_type (params, index, CANDELA_PARAM_INT) || value->kind == CANDELA_DTYPE_INT64)
    return (double) value->i;
  if (value->kind == CANDELA_DTYPE_BOOL)
    return value->b;
  if (value->kind == CANDELA_DTYPE_UINT64)
    return (double) value->u;
  g_return_val_if_fail (is_of_type (params, index, CANDELA_PARAM_FLOAT) || value->kind == CANDELA_DTYPE_FLOAT64
                          || value->kind == CANDELA_DTYPE_COMPLEX128,
                        0);
  return value->d;
}

/**
 * candela_params_get_uint:
 * @params: the parameters of a node
 * @index: which, by the order of the op's table
 *
 * The value of an int, or of a scalar, as one that has no sign: what is negative is 0,
 * and what is too large the largest uint64.
 *
 * Returns: the value; 0 if it is none
 *
 * Since: 1.0
 */
guint64
candela_params_get_uint (const CandelaParams *params, guint index)
{
  const CandelaParamValue *value = peek (params, index);
  double number;

  if (value == NULL)
    return 0;
  if (value->kind == CANDELA_DTYPE_UINT64)
    return value->u;
  if (value->kind != CANDELA_DTYPE_FLOAT64 && value->kind != CANDELA_DTYPE_COMPLEX128)
    return (guint64) MAX (candela_params_get_int (params, index), 0);
  number = value->d;
  return number >= 0x1p64 ? G_MAXUINT64 : number > 0 ? (guint64) number : 0;
}

/**
 * candela_params_get_complex:
 * @params: the parameters of a node
 * @index: which, by the order of the op's table
 * @real: (out): the real part
 * @imaginary: (out): the imaginary part; 0 of what is no complex number
 *
 * The value of a float, or of a scalar, as a complex number; 0 if it is none.
 *
 * Since: 1.0
 */
void
candela_params_get_complex (const CandelaParams *params, guint index, double *real, double *imaginary)
{
  const CandelaParamValue *value = peek (params, index);

  *real = candela_params_get_float (params, index);
  *imaginary = value != NULL && value->kind == CANDELA_DTYPE_COMPLEX128 ? value->parts[1] : 0;
}

/**
 * candela_params_get_string:
 * @params: the parameters of a node
 * @index: which, by the order of the op's table
 *
 * The value of a string.
 *
 * Returns: (transfer none) (nullable): the value; %NULL if it is none
 *
 * Since: 1.0
 */
const char *
candela_params_get_string (const CandelaParams *params, guint index)
{
  const CandelaParamValue *value = peek (params, index);

  if (value == NULL)
    return NULL;
  g_return_val_if_fail (is_of_type (params, index, CANDELA_PARAM_STRING), NULL);
  return value->string;
}

/**
 * candela_params_get_dtype:
 * @params: the parameters of a node
 * @index: which, by the order of the op's table
 *
 * The value of a dtype.
 *
 * Returns: the value; %CANDELA_DTYPE_INVALID if it is none
 *
 * Since: 1.0
 */
CandelaDType
candela_params_get_dtype (const CandelaParams *params, guint index)
{
  const CandelaParamValue *value = peek (params, index);

  if (value == NULL)
    return CANDELA_DTYPE_INVALID;
  g_return_val_if_fail (is_of_type (params, index, CANDELA_PARAM_DTYPE), CANDELA_DTYPE_INVALID);
  return value->dtype;
}

/**
 * candela_params_get_int_list:
 * @params: the parameters of a node
 * @index: which, by the order of the op's table
 * @n: (out) (optional): their number
 *
 * The items of a list. An empty list is not none: ask candela_params_is_set().
 *
 * Returns: (transfer none) (array length=n) (nullable): the items; %NULL if it is none
 *
 * Since: 1.0
 */
const gint64 *
candela_params_get_int_list (const CandelaParams *params, guint index, gsize *n)
{
  const CandelaParamValue *value = peek (params, index);

  if (n != NULL)
    *n = 0;
  if (value == NULL)
    return NULL;
  g_return_val_if_fail (is_of_type (params, index, CANDELA_PARAM_INT_LIST), NULL);
  if (n != NULL)
    *n = value->list.n;
  return value->list.items;
}

/**
 * candela_params_get_scalar_kind:
 * @params: the parameters of a node
 * @index: which, by the order of the op's table
 *
 * What a scalar is.
 *
 * Returns: %CANDELA_DTYPE_BOOL, %CANDELA_DTYPE_INT64 or %CANDELA_DTYPE_FLOAT64; of a parameter that may be any
 *   scalar also %CANDELA_DTYPE_UINT64, if it is above all int64s, or %CANDELA_DTYPE_COMPLEX128;
 *   %CANDELA_DTYPE_INVALID if it is none
 *
 * Since: 1.0
 */
CandelaDType
candela_params_get_scalar_kind (const CandelaParams *params, guint index)
{
  const CandelaParamValue *value = peek (params, index);

  if (value == NULL)
    return CANDELA_DTYPE_INVALID;
  g_return_val_if_fail (is_of_type (params, index, CANDELA_PARAM_SCALAR), CANDELA_DTYPE_INVALID);
  return value->kind;
}
