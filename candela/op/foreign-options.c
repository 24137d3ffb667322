/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The options of a foreign op, keys and texts, and what follows from them for its
 * declaration. */
#include <candela/op/foreign-private.h>

#include <math.h>
#include <string.h>

typedef CandelaForeignArgument Argument;

/* ---- Keys ---- */

static const char *const keys[] = { "Axes",      "Example", "Formula",    "InPlace", "Inputs",  "Length",
                                    "Operators", "Output",  "Parameters", "Pure",    "Returns", "Since",
                                    "Strides",   "Summary", "Threads",    NULL };
static const char *const argument_keys[] = { "Default.", "Range.", "Summary.", NULL };

gboolean
candela_foreign_find_argument (const CandelaForeign *foreign, const char *key, const char *word, guint *index,
                               GError **error)
{
  const CandelaForeignSignature *signature = &foreign->signature;
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree char *quoted = candela_quote_for_message (word);
  guint64 number;

  if (g_ascii_string_to_unsigned (word, 10, 0, G_MAXUINT - 1, &number, NULL) && number < signature->n_arguments)
    {
      *index = number;
      return TRUE;
    }
  for (guint k = 0; k < signature->n_arguments; k++)
    {
      if (g_ascii_strcasecmp (signature->arguments[k].name, word) == 0)
        {
          *index = k;
          return TRUE;
        }
      g_string_append_printf (names, "%s%s", k > 0 ? ", " : "", signature->arguments[k].name);
    }
  return candela_foreign_fail (error, "%s names the argument %s; it has %s", key, quoted, names->str);
}

static gboolean
check_keys (CandelaForeign *foreign, GHashTable *options, GError **error)
{
  GHashTableIter iter;
  gpointer key;
  guint index;

  g_hash_table_iter_init (&iter, options);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      gboolean known = g_strv_contains (keys, key);

      for (guint k = 0; !known && argument_keys[k] != NULL; k++)
        if (g_str_has_prefix (key, argument_keys[k]))
          {
            if (!candela_foreign_find_argument (foreign, key, (char *) key + strlen (argument_keys[k]), &index, error))
              return FALSE;
            known = TRUE;
          }
      if (!known)
        {
          g_autofree char *quoted = candela_quote_for_message (key);
          g_autofree char *all = g_strjoinv (", ", (char **) keys);

          return candela_foreign_fail (
            error, "key %s is unknown; there are %s, and Default.ARGUMENT, Range.ARGUMENT, Summary.ARGUMENT", quoted,
            all);
        }
    }
  return TRUE;
}

/* A list of words; NULL if the key is not given. */
GStrv
candela_foreign_get_list (GHashTable *options, const char *key)
{
  const char *text = g_hash_table_lookup (options, key);
  GPtrArray *words;

  if (text == NULL)
    return NULL;
  words = g_ptr_array_new ();
  g_auto (GStrv) parts = g_strsplit_set (text, ";,", -1);
  for (guint k = 0; parts[k] != NULL; k++)
    if (*g_strstrip (parts[k]) != '\0')
      g_ptr_array_add (words, g_strdup (parts[k]));
  g_ptr_array_add (words, NULL);
  return (GStrv) g_ptr_array_free (words, FALSE);
}

/* A bool is written in one way as a default, which is one of the language, and may be in
 * another as an answer. */
static const char *
to_answer (const char *text)
{
  return strcmp (text, "true") == 0 ? "yes" : strcmp (text, "false") == 0 ? "no" : text;
}

/* Which of the words a key has; the first if it is not given. */
gboolean
candela_foreign_get_choice (GHashTable *options, const char *key, const char *const *words, guint *choice,
                            GError **error)
{
  const char *text = g_hash_table_lookup (options, key);
  g_autofree char *all = g_strjoinv (" or ", (char **) words);
  g_autofree char *quoted = NULL;

  *choice = 0;
  if (text == NULL)
    return TRUE;
  for (guint k = 0; words[k] != NULL; k++)
    if (g_ascii_strcasecmp (to_answer (text), words[k]) == 0)
      {
        *choice = k;
        return TRUE;
      }
  quoted = candela_quote_for_message (text);
  return candela_foreign_fail (error, "%s is %s; it must be %s", key, quoted, all);
}

/* ---- Facts ---- */

static const char *
keep (CandelaForeign *foreign, char *text)
{
  g_ptr_array_add (foreign->texts, text);
  return text;
}

static const char *
get_for_argument (GHashTable *options, const char *prefix, const Argument *argument)
{
  g_autofree char *key = g_strconcat (prefix, argument->name, NULL);

  return g_hash_table_lookup (options, key);
}

/* What an integer of C can hold; parameters have 64 bits. */
static void
set_type_range (const Argument *argument, CandelaParamInfo *info)
{
  guint bits = 8 * candela_dtype_get_size (argument->type.dtype);
  gboolean is_signed = candela_dtype_get_kind (argument->type.dtype) == CANDELA_DTYPE_KIND_SIGNED;

  if (info->type != CANDELA_PARAM_INT || (is_signed && bits == 64))
    return;
  info->minimum = is_signed ? -ldexp (1, bits - 1) : 0;
  info->maximum = bits == 64 ? 0x1p63 : ldexp (1, is_signed ? bits - 1 : bits) - 1;
}

static gboolean
set_range (const Argument *argument, const char *text, CandelaParamInfo *info, GError **error)
{
  g_auto (GStrv) ends = g_strsplit_set (text, ";,", -1);
  double values[2] = { -HUGE_VAL, HUGE_VAL };
  gboolean ok = g_strv_length (ends) == 2 && info->type != CANDELA_PARAM_STRING && info->type != CANDELA_PARAM_BOOL;

  for (guint k = 0; ok && k < 2; k++)
    {
      char *end = g_strstrip (ends[k]);

      if (*ends[k] != '\0')
        values[k] = g_ascii_strtod (ends[k], &end);
      ok = *end == '\0';
    }
  if (!ok || !(values[0] <= values[1]))
    return candela_foreign_fail (error, "Range.%s must be two numbers, MINIMUM;MAXIMUM, of which one may be missing",
                                 argument->name);
  if (info->type == CANDELA_PARAM_INT)
    {
      CandelaParamInfo whole = *info;

      whole.minimum = whole.maximum == 0 ? -0x1p63 : whole.minimum;
      whole.maximum = whole.maximum == 0 ? 0x1p63 : whole.maximum;
      values[0] = MAX (values[0], whole.minimum);
      values[1] = MIN (values[1], whole.maximum);
    }
  info->minimum = values[0];
  info->maximum = values[1];
  return TRUE;
}

static gboolean
set_param_infos (CandelaForeign *foreign, GHashTable *options, GError **error)
{
  for (guint k = 0; k < foreign->signature.n_arguments; k++)
    {
      const Argument *argument = &foreign->signature.arguments[k];
      const char *given_default = get_for_argument (options, "Default.", argument);
      const char *range = get_for_argument (options, "Range.", argument);
      const char *summary = get_for_argument (options, "Summary.", argument);
      CandelaParamInfo *info;

      if (argument->parameter == G_MAXUINT)
        {
          if (given_default != NULL || range != NULL)
            return candela_foreign_fail (error, "%s.%s is given, and \"%s\" is not one of Parameters",
                                         range != NULL ? "Range" : "Default", argument->name, argument->name);
          continue;
        }
      info = &foreign->params[argument->parameter];
      info->name = argument->name;
      info->type = argument->type.text                          ? CANDELA_PARAM_STRING
                   : argument->type.dtype == CANDELA_DTYPE_BOOL ? CANDELA_PARAM_BOOL
                   : candela_foreign_is_integer (argument)      ? CANDELA_PARAM_INT
                                                                : CANDELA_PARAM_FLOAT;
      info->flags = given_default == NULL ? CANDELA_PARAM_REQUIRED : CANDELA_PARAM_FLAGS_NONE;
      info->default_value = given_default != NULL ? keep (foreign, g_strdup (given_default)) : NULL;
      info->summary =
        keep (foreign, summary != NULL ? g_strdup (summary) : candela_foreign_type_to_string (&argument->type));
      set_type_range (argument, info);
      if (argument->length == G_MAXUINT && argument->role == CANDELA_FOREIGN_LENGTH && info->minimum < 0)
        info->minimum = 0;
      if (range != NULL && !set_range (argument, range, info, error))
        return FALSE;
    }
  return TRUE;
}

static void
set_input_infos (CandelaForeign *foreign, GHashTable *options)
{
  for (guint i = 0; i < foreign->n_inputs; i++)
    {
      const Argument *argument = &foreign->signature.arguments[foreign->inputs[i]];
      const char *summary = get_for_argument (options, "Summary.", argument);
      CandelaDTypeKind kind = candela_dtype_get_kind (argument->type.dtype);
      CandelaInputInfo *info = &foreign->input_infos[i];

      info->name = argument->name;
      info->summary =
        keep (foreign, summary != NULL ? g_strdup (summary) : candela_foreign_type_to_string (&argument->type));
      /* What can be cast to it. */
      for (guint k = CANDELA_DTYPE_INVALID + 1; k < CANDELA_N_DTYPES; k++)
        if (candela_dtype_can_cast (k, argument->type.dtype))
          info->kinds |= candela_dtype_get_kind (k);
      info->kinds |= kind;
      if (!argument->type.pointer)
        info->fixed = foreign->kernels[0].in[i] = argument->type.dtype;
    }
  for (guint o = 0; o < foreign->n_outputs; o++)
    {
      guint k = foreign->outputs[o];

      foreign->output_names[o] = k != G_MAXUINT ? foreign->signature.arguments[k].name : "out";
      if (k == G_MAXUINT)
        foreign->kernels[0].out[o] = foreign->signature.result.dtype;
    }
}

/* A function over elements may write over any input of the same size; one over arrays only
 * over those that are named: it is called with two pointers that are the same. */
static gboolean
set_in_place (CandelaForeign *foreign, GHashTable *options, GError **error)
{
  g_auto (GStrv) words = candela_foreign_get_list (options, "InPlace");
  gboolean elementwise = foreign->info.axes == CANDELA_AXES_ELEMENTWISE;
  CandelaInPlaceMode mode = elementwise || foreign->whole ? CANDELA_IN_PLACE_SAME_INDEX : CANDELA_IN_PLACE_WITHIN_ROW;
  guint n = 0, index;

  if (words == NULL && elementwise)
    return TRUE;
  for (guint k = 0; words != NULL && words[k] != NULL; k++)
    {
      const Argument *argument;
      guint64 number;

      if (g_ascii_string_to_unsigned (words[k], 10, 0, G_MAXUINT - 1, &number, NULL) && number < foreign->n_inputs)
        index = foreign->inputs[number];
      else if (!candela_foreign_find_argument (foreign, "InPlace", words[k], &index, error))
        return FALSE;
      argument = &foreign->signature.arguments[index];
      if (argument->input == G_MAXUINT)
        return candela_foreign_fail (error, "InPlace names \"%s\", which is not an input", words[k]);
      for (guint o = 0; o < foreign->n_outputs; o++)
        if (elementwise || foreign->outputs[o] != G_MAXUINT)
          foreign->in_place[n++] = (CandelaInPlace){ .output = o, .input = argument->input, .mode = mode };
    }
  /* What is read and written by one pointer. */
  for (guint o = 0; !elementwise && o < foreign->n_outputs; o++)
    if (foreign->outputs[o] != G_MAXUINT && foreign->signature.arguments[foreign->outputs[o]].input != G_MAXUINT
        && words == NULL)
      foreign->in_place[n++] =
        (CandelaInPlace){ .output = o, .input = foreign->signature.arguments[foreign->outputs[o]].input, .mode = mode };
  foreign->info.in_place = foreign->in_place;
  return TRUE;
}

static gboolean
set_facts (CandelaForeign *foreign, GHashTable *options, GError **error)
{
  static const char *const threads[] = { "yes", "no", "caller", NULL };
  static const char *const yes_no[] = { "yes", "no", NULL };
  const char *operators = g_hash_table_lookup (options, "Operators");
  const char *summary = g_hash_table_lookup (options, "Summary");
  const char *since = g_hash_table_lookup (options, "Since");
  const char *formula = g_hash_table_lookup (options, "Formula");
  const char *example = g_hash_table_lookup (options, "Example");
  guint choice, pure;

  if (!candela_foreign_get_choice (options, "Threads", threads, &choice, error)
      || !candela_foreign_get_choice (options, "Pure", yes_no, &pure, error))
    return FALSE;
  foreign->info.threads = choice == 0   ? CANDELA_THREADS_ANY
                          : choice == 1 ? CANDELA_THREADS_ONE_AT_A_TIME
                                        : CANDELA_THREADS_CALLER;
  foreign->info.effect = pure == 0 ? CANDELA_EFFECT_PURE : CANDELA_EFFECT_ORDERED;
  foreign->info.summary = summary != NULL && *summary != '\0'
                            ? keep (foreign, g_strdup (summary))
                            : keep (foreign, g_strdup_printf ("The function %s", foreign->symbol));
  foreign->info.since = since != NULL ? keep (foreign, g_strdup (since)) : NULL;
  foreign->info.formula = formula != NULL ? keep (foreign, g_strdup (formula)) : NULL;
  foreign->info.example = example != NULL ? keep (foreign, g_strdup (example)) : NULL;
  foreign->info.operators = operators != NULL ? keep (foreign, g_strdup (operators)) : NULL;
  return set_in_place (foreign, options, error);
}

gboolean
candela_foreign_apply_options (CandelaForeign *foreign, GHashTable *options, GError **error)
{
  gboolean arrays = FALSE;

  for (guint k = 0; k < foreign->signature.n_arguments; k++)
    arrays = arrays || candela_foreign_is_array (&foreign->signature.arguments[k]);
  if (!check_keys (foreign, options, error) || !candela_foreign_set_parameters (foreign, options, error))
    return FALSE;
  foreign->info.axes = CANDELA_AXES_ELEMENTWISE;
  if (!(arrays ? candela_foreign_set_array_roles (foreign, options, error)
               : candela_foreign_set_elementwise_roles (foreign, options, error)))
    return FALSE;
  set_input_infos (foreign, options);
  return set_param_infos (foreign, options, error) && set_facts (foreign, options, error);
}
