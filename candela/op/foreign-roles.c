/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the arguments of a foreign function are to the op. Those of a function over
 * elements are inputs, unless they are named as parameters. Of a function over arrays
 * a pointer to const is an input, any other an output; integers are lengths, strides
 * or parameters, and where that is not plain, the options must say it. */
#include <candela/op/foreign-private.h>

typedef CandelaForeignArgument Argument;

static void
add_parameter (CandelaForeign *foreign, guint k)
{
  Argument *argument = &foreign->signature.arguments[k];

  argument->role = CANDELA_FOREIGN_PARAMETER;
  argument->parameter = foreign->n_params++;
}

gboolean
candela_foreign_set_parameters (CandelaForeign *foreign, GHashTable *options, GError **error)
{
  g_auto (GStrv) words = candela_foreign_get_list (options, "Parameters");
  guint index;

  for (guint k = 0; words != NULL && words[k] != NULL; k++)
    {
      if (!candela_foreign_find_argument (foreign, "Parameters", words[k], &index, error))
        return FALSE;
      if (candela_foreign_is_array (&foreign->signature.arguments[index]))
        return candela_foreign_fail (
          error, "Parameters names \"%s\", which is a pointer: a parameter is a number or text", words[k]);
      if (foreign->signature.arguments[index].parameter != G_MAXUINT)
        return candela_foreign_fail (error, "Parameters names \"%s\" twice", words[k]);
      add_parameter (foreign, index);
    }
  for (guint k = 0; k < foreign->signature.n_arguments; k++)
    if (foreign->signature.arguments[k].type.text && foreign->signature.arguments[k].parameter == G_MAXUINT)
      return candela_foreign_fail (
        error, "its argument \"%s\" is text, which can only be a parameter: Parameters must name it",
        foreign->signature.arguments[k].name);
  return TRUE;
}

static gboolean
add_input (CandelaForeign *foreign, guint k, GError **error)
{
  if (foreign->n_inputs == CANDELA_MAX_LOOP_INPUTS)
    return candela_foreign_fail (error, "it has more than %u inputs", CANDELA_MAX_LOOP_INPUTS);
  foreign->signature.arguments[k].input = foreign->n_inputs;
  foreign->inputs[foreign->n_inputs++] = k;
  return TRUE;
}

static gboolean
add_output (CandelaForeign *foreign, guint k, GError **error)
{
  if (foreign->n_outputs == CANDELA_MAX_OUTPUTS)
    return candela_foreign_fail (error, "it has more than %u outputs", CANDELA_MAX_OUTPUTS);
  if (k != G_MAXUINT)
    {
      foreign->signature.arguments[k].role = CANDELA_FOREIGN_OUTPUT;
      foreign->signature.arguments[k].output = foreign->n_outputs;
    }
  foreign->outputs[foreign->n_outputs++] = k;
  return TRUE;
}

gboolean
candela_foreign_set_elementwise_roles (CandelaForeign *foreign, GHashTable *options, GError **error)
{
  static const char *const of_arrays[] = { "Axes", "Inputs", "Length", "Output", "Returns", "Strides" };
  CandelaForeignSignature *signature = &foreign->signature;

  for (guint k = 0; k < G_N_ELEMENTS (of_arrays); k++)
    if (g_hash_table_contains (options, of_arrays[k]))
      return candela_foreign_fail (
        error, "key \"%s\" is for functions over arrays; no argument of this one is a pointer", of_arrays[k]);
  if (signature->result.dtype == CANDELA_DTYPE_INVALID)
    return candela_foreign_fail (error, "its signature returns void, and no argument is a pointer: there is no result");
  if (signature->n_arguments > CANDELA_FOREIGN_MAX_SCALARS)
    return candela_foreign_fail (error, "its signature has %u arguments; a function over elements has one to %u",
                                 signature->n_arguments, CANDELA_FOREIGN_MAX_SCALARS);
  for (guint k = 0; k < signature->n_arguments; k++)
    if (signature->arguments[k].parameter == G_MAXUINT && !add_input (foreign, k, error))
      return FALSE;
  if (foreign->n_inputs == 0)
    return candela_foreign_fail (error, "all its arguments are parameters: one at least must be an input");
  return add_output (foreign, G_MAXUINT, error);
}

/* "n", "n:x": an integer, and the array that it is of. */
static gboolean
find_pair (CandelaForeign *foreign, const char *key, const char *text, guint *of, guint *array, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ":", 2);

  *array = G_MAXUINT;
  if (!candela_foreign_find_argument (foreign, key, g_strstrip (words[0]), of, error)
      || (words[1] != NULL && !candela_foreign_find_argument (foreign, key, g_strstrip (words[1]), array, error)))
    return FALSE;
  if (!candela_foreign_is_integer (&foreign->signature.arguments[*of]))
    return candela_foreign_fail (error, "%s names \"%s\", which is not an integer", key, words[0]);
  if (*array != G_MAXUINT && !candela_foreign_is_array (&foreign->signature.arguments[*array]))
    return candela_foreign_fail (error, "%s names \"%s\" as an array, and it is no pointer to numbers", key, words[1]);
  return TRUE;
}

/* Which of the arrays are inputs and outputs. One that is both is read first, then
 * written over. */
static gboolean
set_arrays (CandelaForeign *foreign, GHashTable *options, GError **error)
{
  CandelaForeignSignature *signature = &foreign->signature;
  g_auto (GStrv) outputs = candela_foreign_get_list (options, "Output");
  g_auto (GStrv) inputs = candela_foreign_get_list (options, "Inputs");
  gboolean is_output[CANDELA_FOREIGN_MAX_ARGUMENTS] = { FALSE }, is_input[CANDELA_FOREIGN_MAX_ARGUMENTS] = { FALSE };
  guint index;

  for (guint k = 0; k < signature->n_arguments; k++)
    {
      is_output[k] = candela_foreign_is_array (&signature->arguments[k]) && !signature->arguments[k].type.constant;
      is_input[k] = candela_foreign_is_array (&signature->arguments[k]) && !is_output[k];
      is_output[k] = is_output[k] && outputs == NULL;
    }
  for (guint k = 0; outputs != NULL && outputs[k] != NULL; k++)
    {
      if (!candela_foreign_find_argument (foreign, "Output", outputs[k], &index, error))
        return FALSE;
      if (!candela_foreign_is_array (&signature->arguments[index]) || signature->arguments[index].type.constant)
        return candela_foreign_fail (error, "Output names \"%s\", which is not a pointer that can be written to",
                                     outputs[k]);
      is_output[index] = TRUE;
    }
  for (guint k = 0; inputs != NULL && inputs[k] != NULL; k++)
    {
      if (!candela_foreign_find_argument (foreign, "Inputs", inputs[k], &index, error))
        return FALSE;
      if (!candela_foreign_is_array (&signature->arguments[index]))
        return candela_foreign_fail (error, "Inputs names \"%s\", which is not a pointer to numbers", inputs[k]);
      is_input[index] = TRUE;
    }
  for (guint k = 0; k < signature->n_arguments; k++)
    {
      if (candela_foreign_is_array (&signature->arguments[k]) && !is_output[k] && !is_input[k])
        return candela_foreign_fail (error, "its argument \"%s\" is neither const nor named by Output or Inputs",
                                     signature->arguments[k].name);
      if ((is_input[k] && !add_input (foreign, k, error)) || (is_output[k] && !add_output (foreign, k, error)))
        return FALSE;
    }
  if (foreign->n_inputs == 0)
    return candela_foreign_fail (
      error, "it has no input: all its pointers are outputs (Inputs names those that are read, too)");
  return TRUE;
}

static gboolean
set_strides (CandelaForeign *foreign, GHashTable *options, GError **error)
{
  g_auto (GStrv) words = candela_foreign_get_list (options, "Strides");
  Argument *arguments = foreign->signature.arguments;
  guint of, array;

  for (guint k = 0; words != NULL && words[k] != NULL; k++)
    {
      if (!find_pair (foreign, "Strides", words[k], &of, &array, error))
        return FALSE;
      if (array == G_MAXUINT && foreign->n_inputs + foreign->n_outputs == 1)
        array = foreign->n_inputs == 1 ? foreign->inputs[0] : foreign->outputs[0];
      if (array == G_MAXUINT)
        return candela_foreign_fail (error, "Strides names \"%s\" and not its array: write %s:ARRAY", words[k],
                                     words[k]);
      arguments[of].role = CANDELA_FOREIGN_STRIDE;
      arguments[of].array = array;
      arguments[array].stride = of;
    }
  return TRUE;
}

/* The integer that is the length, if the options name none. */
static gboolean
find_length (CandelaForeign *foreign, guint *length, GError **error)
{
  Argument *arguments = foreign->signature.arguments;
  guint n = 0;

  for (guint k = 0; k < foreign->signature.n_arguments; k++)
    if (candela_foreign_is_integer (&arguments[k]) && arguments[k].role == CANDELA_FOREIGN_INPUT)
      {
        *length = k;
        n++;
      }
  return n == 1
         || candela_foreign_fail (error, n == 0
                                           ? "it has no integer that could be the length of its arrays"
                                           : "it has several integers: Length must name the one that is the length of "
                                             "its arrays, Strides and Parameters the others");
}

static gboolean
set_lengths (CandelaForeign *foreign, GHashTable *options, GError **error)
{
  g_auto (GStrv) words = candela_foreign_get_list (options, "Length");
  Argument *arguments = foreign->signature.arguments;
  guint of, array, common = G_MAXUINT;

  if (words == NULL)
    {
      if (!find_length (foreign, &common, error))
        return FALSE;
      arguments[common].role = CANDELA_FOREIGN_LENGTH;
    }
  for (guint k = 0; words != NULL && words[k] != NULL; k++)
    {
      if (!find_pair (foreign, "Length", words[k], &of, &array, error))
        return FALSE;
      arguments[of].role = CANDELA_FOREIGN_LENGTH;
      if (array != G_MAXUINT)
        arguments[array].length = of;
      if (array == G_MAXUINT || common == G_MAXUINT)
        common = of;
    }
  for (guint k = 0; k < foreign->signature.n_arguments; k++)
    if (candela_foreign_is_array (&arguments[k]) && arguments[k].length == G_MAXUINT)
      arguments[k].length = common;
  return TRUE;
}

/* Rows on their own, where every output is one as long as an input's; a reduction, if
 * of one input comes one value for each row; else nothing that the planner could use. */
static CandelaAxes
find_axes (const CandelaForeign *foreign)
{
  const Argument *arguments = foreign->signature.arguments;

  if (foreign->whole)
    return CANDELA_AXES_OPAQUE;
  if (foreign->n_inputs == 1 && foreign->n_outputs == 1 && foreign->outputs[0] == G_MAXUINT)
    return CANDELA_AXES_REDUCTION;
  for (guint o = 0; o < foreign->n_outputs; o++)
    if (foreign->outputs[o] == G_MAXUINT
        || arguments[foreign->outputs[o]].length != arguments[foreign->inputs[0]].length)
      return CANDELA_AXES_OPAQUE;
  return CANDELA_AXES_ROWWISE;
}

/* Of an output that has another length than any input: that must be a parameter. */
static gboolean
check_lengths (CandelaForeign *foreign, GError **error)
{
  Argument *arguments = foreign->signature.arguments;

  for (guint o = 0; o < foreign->n_outputs; o++)
    {
      guint k = foreign->outputs[o];
      gboolean known = k == G_MAXUINT || arguments[k].input != G_MAXUINT;

      for (guint i = 0; !known && i < foreign->n_inputs; i++)
        known = arguments[foreign->inputs[i]].length == arguments[k].length;
      if (!known && arguments[k].length == G_MAXUINT)
        return candela_foreign_fail (error, "nothing tells the length of \"%s\": Length must name it",
                                     arguments[k].name);
      if (!known && arguments[arguments[k].length].parameter == G_MAXUINT)
        return candela_foreign_fail (error, "\"%s\" is the length of no input: Parameters must name it, too",
                                     arguments[arguments[k].length].name);
    }
  return TRUE;
}

static gboolean
set_returns (CandelaForeign *foreign, GHashTable *options, GError **error)
{
  static const char *const words[] = { "ignored", "value", "status", NULL };
  gboolean given = g_hash_table_contains (options, "Returns");
  gboolean has_value = foreign->signature.result.dtype != CANDELA_DTYPE_INVALID;
  guint choice;

  if (!candela_foreign_get_choice (options, "Returns", words, &choice, error))
    return FALSE;
  if (given && !has_value)
    return candela_foreign_fail (error, "Returns is given, and the function returns void");
  if (!given && has_value && foreign->n_outputs > 0)
    return candela_foreign_fail (error,
                                 "it returns a value beside what it writes: Returns must say value, status or ignored");
  foreign->returns = given ? choice : has_value ? CANDELA_FOREIGN_RETURNS_VALUE : CANDELA_FOREIGN_RETURNS_IGNORED;
  if (foreign->returns == CANDELA_FOREIGN_RETURNS_STATUS
      && (candela_dtype_get_kind (foreign->signature.result.dtype) & CANDELA_DTYPE_KIND_FLOAT) != 0)
    return candela_foreign_fail (error, "a status is an integer");
  if (foreign->returns == CANDELA_FOREIGN_RETURNS_VALUE)
    return add_output (foreign, G_MAXUINT, error);
  return foreign->n_outputs > 0
         || candela_foreign_fail (error, "it has no output: it returns nothing, and all its pointers are const");
}

gboolean
candela_foreign_set_array_roles (CandelaForeign *foreign, GHashTable *options, GError **error)
{
  static const char *const axes[] = { "rows", "whole", NULL };
  Argument *arguments = foreign->signature.arguments;
  guint choice;

  for (guint k = 0; k < foreign->signature.n_arguments; k++)
    if (candela_foreign_is_array (&arguments[k]))
      arguments[k].role = arguments[k].type.constant ? CANDELA_FOREIGN_INPUT : CANDELA_FOREIGN_OUTPUT;
  if (!candela_foreign_get_choice (options, "Axes", axes, &choice, error) || !set_arrays (foreign, options, error)
      || !set_strides (foreign, options, error) || !set_lengths (foreign, options, error)
      || !set_returns (foreign, options, error) || !check_lengths (foreign, error))
    return FALSE;
  foreign->whole = choice == 1;
  for (guint k = 0; k < foreign->signature.n_arguments; k++)
    if (!arguments[k].type.pointer && arguments[k].role == CANDELA_FOREIGN_INPUT)
      return candela_foreign_fail (
        error, "nothing says what its argument \"%s\" is: Parameters, Length or Strides must name it",
        arguments[k].name);
  foreign->info.axes = find_axes (foreign);
  return TRUE;
}
