/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The declaration of an op that a script makes, from a{sv}. A table says which keys there
 * are and of which types; the words are those that candela_op_describe() has. */
#include <candela/op/script-private.h>

#include <string.h>

typedef struct
{
  const char *name;
  CandelaScriptFacts *facts;
  GError **error;
} Reader;

static gboolean fail (const Reader *reader, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
fail (const Reader *reader, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (reader->error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "op \"%s\": %s", reader->name, text);
  return FALSE;
}

static const char *
keep (CandelaScriptFacts *facts, const char *text)
{
  char *copy = g_strdup (text);

  g_ptr_array_add (facts->texts, copy);
  return copy;
}

/* A word of a list that ends with NULL; its index. */
static gboolean
read_word (const Reader *reader, const char *key, GVariant *value, const char *const *words, guint *index)
{
  const char *word = g_variant_get_string (value, NULL);
  g_autofree char *all = g_strjoinv (", ", (char **) words);

  for (*index = 0; words[*index] != NULL; (*index)++)
    if (strcmp (words[*index], word) == 0)
      return TRUE;
  return fail (reader, "%s is \"%s\"; it must be one of %s", key, word, all);
}

/* ---- Keys ---- */

static gboolean
read_summary (const Reader *reader, GVariant *value)
{
  reader->facts->info.summary = keep (reader->facts, g_variant_get_string (value, NULL));
  return TRUE;
}

static gboolean
read_since (const Reader *reader, GVariant *value)
{
  reader->facts->info.since = keep (reader->facts, g_variant_get_string (value, NULL));
  return TRUE;
}

static gboolean
read_formula (const Reader *reader, GVariant *value)
{
  reader->facts->info.formula = keep (reader->facts, g_variant_get_string (value, NULL));
  return TRUE;
}

static gboolean
read_example (const Reader *reader, GVariant *value)
{
  reader->facts->info.example = keep (reader->facts, g_variant_get_string (value, NULL));
  return TRUE;
}

static gboolean
read_operators (const Reader *reader, GVariant *value)
{
  reader->facts->info.operators = keep (reader->facts, g_variant_get_string (value, NULL));
  return TRUE;
}

static gboolean
read_inputs (const Reader *reader, GVariant *value)
{
  for (gsize i = 0; i < g_variant_n_children (value); i++)
    {
      CandelaInputInfo input = { 0 };
      const char *name;

      g_variant_get_child (value, i, "&s", &name);
      input.name = keep (reader->facts, name);
      g_array_append_val (reader->facts->inputs, input);
    }
  return TRUE;
}

static gboolean
read_variadic (const Reader *reader, GVariant *value)
{
  GArray *inputs = reader->facts->inputs;

  if (!g_variant_get_boolean (value))
    return TRUE;
  if (inputs->len == 0)
    return fail (reader, "variadic goes with inputs, the last of which stands for none, one or several");
  g_array_index (inputs, CandelaInputInfo, inputs->len - 1).flags = CANDELA_INPUT_VARIADIC;
  return TRUE;
}

static gboolean
read_kinds (const Reader *reader, GVariant *value)
{
  static const char *const words[] = { "bool", "int", "uint", "float", "complex", NULL };
  CandelaDTypeKind kinds = 0;

  for (gsize i = 0; i < g_variant_n_children (value); i++)
    {
      g_autoptr (GVariant) word = g_variant_get_child_value (value, i);
      guint index;

      if (!read_word (reader, "a kind", word, words, &index))
        return FALSE;
      kinds |= 1 << index;
    }
  for (guint i = 0; i < reader->facts->inputs->len; i++)
    g_array_index (reader->facts->inputs, CandelaInputInfo, i).kinds = kinds;
  return TRUE;
}

/* Bindings make words of these: a tuple with names. */
static gboolean
is_word (const char *text)
{
  const char *c = text;

  while (g_ascii_isalpha (*c) || *c == '_' || (c > text && g_ascii_isdigit (*c)))
    c++;
  return c > text && *c == '\0';
}

static gboolean
read_outputs (const Reader *reader, GVariant *value)
{
  g_autofree const char **names = g_variant_get_strv (value, NULL);

  for (guint o = 0; names[o] != NULL; o++)
    {
      if (!is_word (names[o]))
        return fail (reader, "the name of output %u is not of letters, digits and underscores", o);
      for (guint other = 0; other < o; other++)
        if (strcmp (names[o], names[other]) == 0)
          return fail (reader, "two outputs have the name \"%s\"", names[o]);
    }
  reader->facts->outputs = g_variant_dup_strv (value, NULL);
  reader->facts->info.outputs = (const char *const *) reader->facts->outputs;
  return TRUE;
}

static gboolean
read_param (const Reader *reader, GVariant *value, CandelaParamInfo *param)
{
  static const char *const types[] = { "bool", "int", "float", "string", "dtype", "list of int", "scalar", NULL };
  g_autoptr (GVariant) type = g_variant_lookup_value (value, "type", G_VARIANT_TYPE_STRING);
  const char *text;
  gboolean required = FALSE;
  guint index;

  if (!g_variant_lookup (value, "name", "&s", &text) || type == NULL)
    return fail (reader, "a parameter needs a name and a type, which are texts");
  param->name = keep (reader->facts, text);
  if (!read_word (reader, "the type of a parameter", type, types, &index))
    return FALSE;
  param->type = (CandelaParamType) index;
  if (g_variant_lookup (value, "default", "&s", &text))
    param->default_value = keep (reader->facts, text);
  if (g_variant_lookup (value, "summary", "&s", &text))
    param->summary = keep (reader->facts, text);
  g_variant_lookup (value, "minimum", "d", &param->minimum);
  g_variant_lookup (value, "maximum", "d", &param->maximum);
  g_variant_lookup (value, "required", "b", &required);
  param->flags = required ? CANDELA_PARAM_REQUIRED : CANDELA_PARAM_FLAGS_NONE;
  return TRUE;
}

static gboolean
read_params (const Reader *reader, GVariant *value)
{
  for (gsize i = 0; i < g_variant_n_children (value); i++)
    {
      g_autoptr (GVariant) row = g_variant_get_child_value (value, i);
      CandelaParamInfo param = { 0 };

      if (!read_param (reader, row, &param))
        return FALSE;
      g_array_append_val (reader->facts->params, param);
    }
  return TRUE;
}

static gboolean
read_aliasing (const Reader *reader, GVariant *value)
{
  static const char *const words[] = { "none", "alias", "reference", "takeover", NULL };
  guint index;

  if (!read_word (reader, "aliasing", value, words, &index))
    return FALSE;
  reader->facts->info.aliasing = (CandelaAliasing) index;
  if (reader->facts->info.aliasing == CANDELA_ALIASING_TAKEOVER && reader->facts->outputs != NULL
      && g_strv_length (reader->facts->outputs) > 1)
    return fail (reader, "it has several outputs, and what stands for its input is one");
  return TRUE;
}

static gboolean
add_in_place (const Reader *reader, guint output, gint64 input, CandelaInPlaceMode mode)
{
  CandelaInPlace row = { .output = output, .input = (guint) input, .mode = mode };
  guint n_outputs = reader->facts->outputs != NULL ? g_strv_length (reader->facts->outputs) : 1;

  if (input < 0 || input >= reader->facts->inputs->len)
    return fail (reader, "in-place names the input %" G_GINT64_FORMAT "; they are counted from 0, and there are %u",
                 input, reader->facts->inputs->len);
  if (output >= n_outputs)
    return fail (reader, "in-place names the output %u; they are counted from 0, and there are %u", output, n_outputs);
  g_array_append_val (reader->facts->in_place, row);
  return TRUE;
}

/* Inputs that output 0 may be written over. */
static gboolean
read_in_place (const Reader *reader, GVariant *value)
{
  for (gsize i = 0; i < g_variant_n_children (value); i++)
    {
      int input;

      g_variant_get_child (value, i, "i", &input);
      if (!add_in_place (reader, 0, input, CANDELA_IN_PLACE_SAME_INDEX))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_in_place_modes (const Reader *reader, GVariant *value)
{
  static const char *const words[] = { "same-index", "within-row", "read-first", NULL };

  for (gsize i = 0; i < g_variant_n_children (value); i++)
    {
      g_autoptr (GVariant) mode = NULL;
      guint output, input, index;

      g_variant_get_child (value, i, "(uu@s)", &output, &input, &mode);
      if (!read_word (reader, "an in-place mode", mode, words, &index)
          || !add_in_place (reader, output, input, CANDELA_IN_PLACE_SAME_INDEX + (CandelaInPlaceMode) index))
        return FALSE;
    }
  return TRUE;
}

static gboolean
read_output_shape (const Reader *reader, GVariant *value)
{
  static const char *const words[] = { "static", "data", NULL };
  guint index;

  if (!read_word (reader, "output-shape", value, words, &index))
    return FALSE;
  reader->facts->info.output_shape = (CandelaOutputShape) index;
  return TRUE;
}

static gboolean
read_effect (const Reader *reader, GVariant *value)
{
  static const char *const words[] = { "pure", "ordered", NULL };
  guint index;

  if (!read_word (reader, "effect", value, words, &index))
    return FALSE;
  reader->facts->info.effect = (CandelaEffect) index;
  return TRUE;
}

static gboolean
read_determinism (const Reader *reader, GVariant *value)
{
  static const char *const words[] = { "bitwise", "per-layout", "none", NULL };
  guint index;

  if (!read_word (reader, "determinism", value, words, &index))
    return FALSE;
  reader->facts->info.determinism = (CandelaDeterminism) index;
  return TRUE;
}

static gboolean
read_owner_thread (const Reader *reader, GVariant *value)
{
  reader->facts->owner_thread = g_variant_get_boolean (value);
  return TRUE;
}

/* In the order in which they are read: what is about inputs after these. */
static const struct
{
  const char *key, *type;
  gboolean (*read) (const Reader *reader, GVariant *value);
} keys[] = {
  { "summary", "s", read_summary },
  { "since", "s", read_since },
  { "formula", "s", read_formula },
  { "example", "s", read_example },
  { "operators", "s", read_operators },
  { "inputs", "as", read_inputs },
  { "variadic", "b", read_variadic },
  { "kinds", "as", read_kinds },
  { "outputs", "as", read_outputs },
  { "params", "aa{sv}", read_params },
  { "aliasing", "s", read_aliasing },
  { "in-place", "ai", read_in_place },
  { "in-place-modes", "a(uus)", read_in_place_modes },
  { "effect", "s", read_effect },
  { "determinism", "s", read_determinism },
  { "output-shape", "s", read_output_shape },
  { "owner-thread", "b", read_owner_thread },
};

static gboolean
check_keys (const Reader *reader, GVariant *given)
{
  GVariantIter iter;
  const char *key;
  GVariant *value;

  g_variant_iter_init (&iter, given);
  while (g_variant_iter_next (&iter, "{&sv}", &key, &value))
    {
      g_autoptr (GVariant) owned = value;
      guint k = 0;

      while (k < G_N_ELEMENTS (keys) && strcmp (keys[k].key, key) != 0)
        k++;
      if (k == G_N_ELEMENTS (keys))
        return fail (reader, "there is no fact \"%s\"", key);
      if (!g_variant_is_of_type (owned, G_VARIANT_TYPE (keys[k].type)))
        return fail (reader, "the fact \"%s\" has the type %s; it must be %s", key, g_variant_get_type_string (owned),
                     keys[k].type);
    }
  return TRUE;
}

static gboolean
read_facts (const Reader *reader, GVariant *given)
{
  if (!check_keys (reader, given))
    return FALSE;
  for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
    {
      g_autoptr (GVariant) value = g_variant_lookup_value (given, keys[k].key, NULL);

      if (value != NULL && !keys[k].read (reader, value))
        return FALSE;
    }
  return TRUE;
}

CandelaScriptFacts *
candela_script_facts_new (const char *name, GVariant *given, GError **error)
{
  g_autoptr (CandelaScriptFacts) facts = g_new0 (CandelaScriptFacts, 1);
  g_autoptr (GVariant) sunk = given != NULL ? g_variant_ref_sink (given) : NULL;
  const Reader reader = { name, facts, error };
  CandelaInPlace last = { .mode = CANDELA_IN_PLACE_NEVER };

  facts->inputs = g_array_new (TRUE, TRUE, sizeof (CandelaInputInfo));
  facts->params = g_array_new (TRUE, TRUE, sizeof (CandelaParamInfo));
  facts->in_place = g_array_new (FALSE, FALSE, sizeof (CandelaInPlace));
  facts->texts = g_ptr_array_new_with_free_func (g_free);
  facts->info = (CandelaOpInfo){ .struct_size = sizeof (CandelaOpInfo),
                                 .name = keep (facts, name),
                                 .summary = "Made by a script",
                                 .axes = CANDELA_AXES_OPAQUE,
                                 .threads = CANDELA_THREADS_CALLER,
                                 .takes_halves = TRUE };
  if (sunk != NULL && !g_variant_is_of_type (sunk, G_VARIANT_TYPE_VARDICT))
    {
      fail (&reader, "its facts have the type %s; it must be a{sv}", g_variant_get_type_string (sunk));
      return NULL;
    }
  if (sunk != NULL && !read_facts (&reader, sunk))
    return NULL;
  g_array_append_val (facts->in_place, last);
  facts->info.inputs = (const CandelaInputInfo *) facts->inputs->data;
  facts->info.params = facts->params->len > 0 ? (const CandelaParamInfo *) facts->params->data : NULL;
  facts->info.in_place = facts->in_place->len > 1 ? (const CandelaInPlace *) facts->in_place->data : NULL;
  return g_steal_pointer (&facts);
}

void
candela_script_facts_free (CandelaScriptFacts *facts)
{
  g_array_unref (facts->inputs);
  g_array_unref (facts->params);
  g_array_unref (facts->in_place);
  g_ptr_array_unref (facts->texts);
  g_strfreev (facts->outputs);
  g_free (facts);
}
