/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The value of one parameter. Two things give it: what the caller says, as a
 * GVariant or an argument, and the default in the op's table, as text. Both are first read into
 * a raw value, which knows what kind of thing it is; one function then checks a
 * raw value against the row of the table and stores it. */
#include <candela/op/params-private.h>

#include <math.h>
#include <string.h>

typedef enum {
  RAW_NONE,
  RAW_BOOL,
  RAW_INT,
  RAW_BIG, /* an integer above G_MAXINT64 */
  RAW_FLOAT,
  RAW_COMPLEX,
  RAW_STRING,
  RAW_LIST,
  RAW_OTHER
} RawKind;

typedef struct
{
  RawKind kind;
  gboolean b;
  gint64 i;
  guint64 big;
  double d;
  double imaginary;   /* of a complex number; d is its real part */
  const char *string; /* owned by the variant or the table */
  gint64 *items;      /* owned */
  gsize n;
} Raw;

/* How much of a text from outside a message quotes, in characters. */
#define MAX_QUOTED 60

static char *
shorten (char *text)
{
  if (g_utf8_strlen (text, -1) <= MAX_QUOTED)
    return text;

  g_autofree char *start = g_utf8_substring (text, 0, MAX_QUOTED);
  g_free (text);
  return g_strconcat (start, "…", NULL);
}

char *
candela_quote_for_message (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autofree char *shown = shorten (g_steal_pointer (&valid));
  return g_strdup_printf ("\"%s\"", shown);
}

const char *
candela_param_type_get_name (CandelaParamType type)
{
  static const char *const names[] = { "bool", "int", "float", "string", "dtype", "list of int", "scalar" };
  return (guint) type < G_N_ELEMENTS (names) ? names[type] : "unknown";
}

/* The same, as the end of "it must be …". */
static const char *
type_phrase (CandelaParamType type)
{
  static const char *const phrases[] = {
    "a bool", "an int", "a float", "a string", "the name of a dtype", "a list of int", "a bool, an int or a float"
  };
  return (guint) type < G_N_ELEMENTS (phrases) ? phrases[type] : "of a type that this library knows";
}

gboolean
candela_param_fail (GError **error, const char *op, CandelaError code, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, CANDELA_ERROR, code, "%s: %s", op, text);
  return FALSE;
}

/* Raw values from text. */

static gboolean
parse_int (const char *text, gint64 *value)
{
  char *end;
  return g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, value, NULL)
         || (*text == '+' && (*value = g_ascii_strtoll (text + 1, &end, 10), end != text + 1 && *end == '\0'));
}

static gboolean
parse_int_list (const char *text, Raw *raw)
{
  gsize length = strlen (text);
  if (length < 2 || text[0] != '[' || text[length - 1] != ']')
    return FALSE;

  g_autofree char *inner = g_strndup (text + 1, length - 2);
  g_strstrip (inner);
  raw->kind = RAW_LIST;
  if (*inner == '\0')
    return TRUE;

  g_auto (GStrv) words = g_strsplit (inner, ",", -1);
  raw->n = g_strv_length (words);
  raw->items = g_new (gint64, raw->n);
  for (gsize k = 0; k < raw->n; k++)
    if (!parse_int (g_strstrip (words[k]), &raw->items[k]))
      {
        g_clear_pointer (&raw->items, g_free);
        raw->kind = RAW_OTHER;
        return FALSE;
      }
  return TRUE;
}

/* A word that is none of the others is a string: that of a dtype, or of a
 * choice. */
static void
raw_from_text (const char *text, Raw *raw)
{
  char *end;

  memset (raw, 0, sizeof *raw);
  if (g_ascii_strcasecmp (text, "none") == 0)
    raw->kind = RAW_NONE;
  else if (strcmp (text, "true") == 0 || strcmp (text, "false") == 0)
    {
      raw->kind = RAW_BOOL;
      raw->b = text[0] == 't';
    }
  else if (parse_int (text, &raw->i))
    raw->kind = RAW_INT;
  else if (!parse_int_list (text, raw))
    {
      raw->d = g_ascii_strtod (text, &end);
      raw->kind = end != text && *end == '\0' ? RAW_FLOAT : RAW_STRING;
    }
  raw->string = text;
}

/* Raw values from variants. */

static gboolean
variant_get_int (GVariant *value, gint64 *result, guint64 *big)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BYTE:
      *result = g_variant_get_byte (value);
      return TRUE;
    case G_VARIANT_CLASS_INT16:
      *result = g_variant_get_int16 (value);
      return TRUE;
    case G_VARIANT_CLASS_UINT16:
      *result = g_variant_get_uint16 (value);
      return TRUE;
    case G_VARIANT_CLASS_INT32:
      *result = g_variant_get_int32 (value);
      return TRUE;
    case G_VARIANT_CLASS_UINT32:
      *result = g_variant_get_uint32 (value);
      return TRUE;
    case G_VARIANT_CLASS_INT64:
      *result = g_variant_get_int64 (value);
      return TRUE;
    case G_VARIANT_CLASS_UINT64:
      *big = g_variant_get_uint64 (value);
      *result = (gint64) *big;
      return *big <= G_MAXINT64;
    default:
      return FALSE;
    }
}

static gboolean
is_box (GVariant *value)
{
  GVariantClass class = g_variant_classify (value);

  return class == G_VARIANT_CLASS_VARIANT || class == G_VARIANT_CLASS_MAYBE;
}

/* What is inside of variants in variants and of maybes: full reference, or NULL
 * for nothing. */
static GVariant *
unbox (GVariant *value)
{
  GVariant *inner = g_variant_ref (value);

  while (inner != NULL && is_box (inner))
    {
      GVariant *next = g_variant_n_children (inner) == 0 ? NULL : g_variant_get_child_value (inner, 0);

      g_variant_unref (inner);
      inner = next;
    }
  return inner;
}

static void
raw_list_from_variant (GVariant *value, Raw *raw)
{
  gsize n = g_variant_n_children (value);
  g_autofree gint64 *items = g_try_new (gint64, n);
  guint64 big;

  if (n > 0 && items == NULL)
    return;
  for (gsize k = 0; k < n; k++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (value, k);
      g_autoptr (GVariant) item = unbox (child);
      if (item == NULL || !variant_get_int (item, &items[k], &big))
        return;
    }
  raw->kind = RAW_LIST;
  raw->items = g_steal_pointer (&items);
  raw->n = n;
}

/* The value, unboxed, must outlive the raw one; NULL is none. */
static void
raw_from_variant (GVariant *value, Raw *raw)
{
  memset (raw, 0, sizeof *raw);
  raw->kind = value != NULL ? RAW_OTHER : RAW_NONE;
  if (value == NULL)
    return;

  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BOOLEAN:
      raw->kind = RAW_BOOL;
      raw->b = g_variant_get_boolean (value);
      return;
    case G_VARIANT_CLASS_DOUBLE:
      raw->kind = RAW_FLOAT;
      raw->d = g_variant_get_double (value);
      return;
    case G_VARIANT_CLASS_STRING:
      raw->kind = RAW_STRING;
      raw->string = g_variant_get_string (value, NULL);
      return;
    case G_VARIANT_CLASS_TUPLE:
      if (g_variant_is_of_type (value, G_VARIANT_TYPE ("(dd)")))
        {
          raw->kind = RAW_COMPLEX;
          g_variant_get (value, "(dd)", &raw->d, &raw->imaginary);
        }
      else
        raw_list_from_variant (value, raw);
      return;
    case G_VARIANT_CLASS_ARRAY:
      if (!g_variant_is_of_type (value, G_VARIANT_TYPE_DICTIONARY))
        raw_list_from_variant (value, raw);
      return;
    default:
      if (variant_get_int (value, &raw->i, &raw->big))
        raw->kind = RAW_INT;
      else if (raw->big != 0)
        raw->kind = RAW_BIG;
    }
}

/* Checks against a row of the table. */

static gboolean
has_range (const CandelaParamInfo *info)
{
  return info->minimum != 0 || info->maximum != 0;
}

/* The bounds as integers; G_MAXINT64 is no binary64, so a bound that rounded up
 * to 2^63 means it. */
static void
int_range (const CandelaParamInfo *info, gint64 *minimum, gint64 *maximum)
{
  *minimum = G_MININT64;
  *maximum = G_MAXINT64;
  if (!has_range (info))
    return;
  if (info->minimum > -0x1p63)
    *minimum = info->minimum < 0x1p63 ? (gint64) ceil (info->minimum) : G_MAXINT64;
  if (info->maximum < 0x1p63)
    *maximum = info->maximum >= -0x1p63 ? (gint64) floor (info->maximum) : G_MININT64;
}

void
candela_param_info_get_range (const CandelaParamInfo *info, gint64 *low, gint64 *high, double *minimum, double *maximum)
{
  int_range (info, low, high);
  *minimum = has_range (info) ? MAX (info->minimum, -G_MAXDOUBLE) : -G_MAXDOUBLE;
  *maximum = has_range (info) ? MIN (info->maximum, G_MAXDOUBLE) : G_MAXDOUBLE;
}

static gboolean
check_int (const char *op, const CandelaParamInfo *info, const char *what, gint64 value, GError **error)
{
  gint64 minimum, maximum;

  int_range (info, &minimum, &maximum);
  if (value >= minimum && value <= maximum)
    return TRUE;
  return candela_param_fail (error, op, CANDELA_ERROR_PARAMETER,
                             "%s is %" G_GINT64_FORMAT "; it must be between %" G_GINT64_FORMAT
                             " and %" G_GINT64_FORMAT,
                             what, value, minimum, maximum);
}

static gboolean
check_float (const char *op, const CandelaParamInfo *info, double value, GError **error)
{
  if (!has_range (info) || (value >= info->minimum && value <= info->maximum))
    return TRUE;

  g_autofree char *given = candela_param_float_to_string (value);
  g_autofree char *minimum = candela_param_float_to_string (info->minimum);
  g_autofree char *maximum = candela_param_float_to_string (info->maximum);
  if (isinf (info->maximum))
    return candela_param_fail (error, op, CANDELA_ERROR_PARAMETER, "%s is %s; it must be at least %s", info->name,
                               given, minimum);
  if (isinf (info->minimum))
    return candela_param_fail (error, op, CANDELA_ERROR_PARAMETER, "%s is %s; it must be at most %s", info->name, given,
                               maximum);
  return candela_param_fail (error, op, CANDELA_ERROR_PARAMETER, "%s is %s; it must be between %s and %s", info->name,
                             given, minimum, maximum);
}

static gboolean
check_choice (const char *op, const CandelaParamInfo *info, const char *value, GError **error)
{
  if (info->choices == NULL || g_strv_contains (info->choices, value))
    return TRUE;

  g_autofree char *choices = g_strjoinv (", ", (char **) info->choices);
  g_autofree char *given = candela_quote_for_message (value);
  return candela_param_fail (error, op, CANDELA_ERROR_PARAMETER, "%s is %s; it must be one of %s", info->name, given,
                             choices);
}

/* "a string ("x")"; value is the variant that it came from, if any. */
static char *
describe_raw (const Raw *raw, GVariant *value)
{
  g_autofree char *text = NULL;

  switch (raw->kind)
    {
    case RAW_BOOL:
      return g_strdup_printf ("a bool (%s)", raw->b ? "true" : "false");
    case RAW_INT:
      return g_strdup_printf ("an int (%" G_GINT64_FORMAT ")", raw->i);
    case RAW_BIG:
      return g_strdup_printf ("an int (%" G_GUINT64_FORMAT ")", raw->big);
    case RAW_FLOAT:
      text = candela_param_float_to_string (raw->d);
      return g_strdup_printf ("a float (%s)", text);
    case RAW_COMPLEX:
      text = candela_param_complex_to_string ((const double[]){ raw->d, raw->imaginary });
      return g_strdup_printf ("a complex number (%s)", text);
    case RAW_STRING:
      text = candela_quote_for_message (raw->string);
      return g_strdup_printf ("a string (%s)", text);
    default:
      break;
    }
  if (value == NULL)
    return g_strdup_printf ("%s", raw->string != NULL ? raw->string : "none");

  text = shorten (g_variant_print (value, FALSE));
  if (raw->kind == RAW_LIST)
    return g_strdup_printf ("a list of int (%s)", text);
  return g_strdup_printf ("of type %s (%s)", g_variant_get_type_string (value), text);
}

static gboolean
store_scalar (const char *op, const CandelaParamInfo *info, const Raw *raw, CandelaParamValue *out, GError **error)
{
  switch (raw->kind)
    {
    case RAW_BOOL:
      out->kind = CANDELA_DTYPE_BOOL;
      out->b = raw->b;
      return TRUE;
    case RAW_INT:
      out->kind = CANDELA_DTYPE_INT64;
      out->i = raw->i;
      return check_int (op, info, info->name, raw->i, error);
    case RAW_BIG:
      out->kind = CANDELA_DTYPE_UINT64;
      out->u = raw->big;
      return TRUE;
    case RAW_COMPLEX:
      out->kind = CANDELA_DTYPE_COMPLEX128;
      out->parts[0] = raw->d;
      out->parts[1] = raw->imaginary;
      return TRUE;
    default:
      out->kind = CANDELA_DTYPE_FLOAT64;
      out->d = raw->d;
      return check_float (op, info, raw->d, error);
    }
}

static gboolean
store_list (const char *op, const CandelaParamInfo *info, const Raw *raw, CandelaParamValue *out, GError **error)
{
  const gint64 *items = raw->kind == RAW_INT ? &raw->i : raw->items;
  gsize n = raw->kind == RAW_INT ? 1 : raw->n;
  gint64 minimum, maximum;

  int_range (info, &minimum, &maximum);
  for (gsize k = 0; k < n; k++)
    if (items[k] < minimum || items[k] > maximum)
      {
        g_autofree char *what = g_strdup_printf ("%s[%" G_GSIZE_FORMAT "]", info->name, k);
        return check_int (op, info, what, items[k], error);
      }
  out->list.items = g_try_new (gint64, MAX (n, 1));
  if (out->list.items == NULL)
    return candela_param_fail (error, op, CANDELA_ERROR_NO_MEMORY, "no memory for a list of %" G_GSIZE_FORMAT " items",
                               n);
  if (n > 0)
    memcpy (out->list.items, items, n * sizeof *items);
  out->list.n = n;
  return TRUE;
}

static gboolean
takes (const CandelaParamInfo *info, RawKind kind)
{
  switch (info->type)
    {
    case CANDELA_PARAM_BOOL:
      return kind == RAW_BOOL;
    case CANDELA_PARAM_INT:
      return kind == RAW_INT;
    case CANDELA_PARAM_FLOAT:
      return kind == RAW_INT || kind == RAW_BIG || kind == RAW_FLOAT;
    case CANDELA_PARAM_STRING:
    case CANDELA_PARAM_DTYPE:
      return kind == RAW_STRING;
    case CANDELA_PARAM_INT_LIST:
      return kind == RAW_INT || kind == RAW_LIST;
    case CANDELA_PARAM_SCALAR:
      return kind == RAW_BOOL || kind == RAW_INT || kind == RAW_FLOAT
             || ((info->flags & CANDELA_PARAM_ANY_SCALAR) != 0 && (kind == RAW_BIG || kind == RAW_COMPLEX));
    default:
      return FALSE;
    }
}

static gboolean
refuse_type (const char *op, const CandelaParamInfo *info, const Raw *raw, GVariant *value, GError **error)
{
  if (raw->kind == RAW_BIG && takes (info, RAW_INT))
    return candela_param_fail (error, op, CANDELA_ERROR_PARAMETER,
                               "%s is %" G_GUINT64_FORMAT "; it must be at most %" G_GINT64_FORMAT, info->name,
                               raw->big, G_MAXINT64);

  g_autofree char *what = describe_raw (raw, value);
  return candela_param_fail (error, op, CANDELA_ERROR_PARAMETER, "%s is %s; it must be %s", info->name, what,
                             type_phrase (info->type));
}

/* Sets out, which is unset, unless the raw value is none. */
static gboolean
store (const char *op, const CandelaParamInfo *info, const Raw *raw, GVariant *value, CandelaParamValue *out,
       GError **error)
{
  g_autoptr (GError) local = NULL;

  if (raw->kind == RAW_NONE)
    return TRUE;
  if (!takes (info, raw->kind))
    return refuse_type (op, info, raw, value, error);

  out->set = TRUE;
  switch (info->type)
    {
    case CANDELA_PARAM_BOOL:
      out->b = raw->b;
      return TRUE;
    case CANDELA_PARAM_INT:
      out->i = raw->i;
      return check_int (op, info, info->name, raw->i, error);
    case CANDELA_PARAM_FLOAT:
      out->d = raw->kind == RAW_FLOAT ? raw->d : raw->kind == RAW_INT ? (double) raw->i : (double) raw->big;
      return check_float (op, info, out->d, error);
    case CANDELA_PARAM_STRING:
      out->string = g_strdup (raw->string);
      return check_choice (op, info, raw->string, error);
    case CANDELA_PARAM_DTYPE:
      out->dtype = candela_dtype_from_name (raw->string, &local);
      if (out->dtype != CANDELA_DTYPE_INVALID)
        return TRUE;
      return candela_param_fail (error, op, CANDELA_ERROR_DTYPE, "%s: %s", info->name,
                                 local != NULL ? local->message : "no dtype");
    case CANDELA_PARAM_INT_LIST:
      return store_list (op, info, raw, out, error);
    default:
      return store_scalar (op, info, raw, out, error);
    }
}

gboolean
candela_param_value_set_default (const char *op, const CandelaParamInfo *info, CandelaParamValue *out, GError **error)
{
  g_autofree char *unquoted = NULL;
  const char *text = info->default_value;
  gsize length;
  gboolean ok;
  Raw raw;

  if (text == NULL)
    return TRUE;

  /* A string may look like anything, "none" too. */
  length = strlen (text);
  if (info->type == CANDELA_PARAM_STRING)
    {
      if (length >= 2 && (text[0] == '"' || text[0] == '\'') && text[length - 1] == text[0])
        text = unquoted = g_strndup (text + 1, length - 2);
      raw = (Raw){ .kind = RAW_STRING, .string = text };
    }
  else
    raw_from_text (text, &raw);
  ok = store (op, info, &raw, NULL, out, error);
  g_free (raw.items);
  return ok;
}

gboolean
candela_param_value_set_given (const char *op, const CandelaParamInfo *info, GVariant *value, CandelaParamValue *out,
                               GError **error)
{
  g_autoptr (GVariant) inner = unbox (value);
  gboolean ok;
  Raw raw;

  raw_from_variant (inner, &raw);
  if (raw.kind == RAW_STRING && info->type != CANDELA_PARAM_STRING && g_ascii_strcasecmp (raw.string, "none") == 0)
    raw.kind = RAW_NONE;
  ok = store (op, info, &raw, inner, out, error);
  g_free (raw.items);
  return ok;
}

/* Numbers, by far the most, need no variant. */
static gboolean
raw_from_va (const char *format, va_list *args, Raw *raw)
{
  *raw = (Raw){ .kind = RAW_OTHER };
  if (strcmp (format, "b") == 0)
    *raw = (Raw){ .kind = RAW_BOOL, .b = va_arg (*args, gboolean) };
  else if (strcmp (format, "i") == 0)
    *raw = (Raw){ .kind = RAW_INT, .i = va_arg (*args, gint32) };
  else if (strcmp (format, "x") == 0)
    *raw = (Raw){ .kind = RAW_INT, .i = va_arg (*args, gint64) };
  else if (strcmp (format, "d") == 0)
    *raw = (Raw){ .kind = RAW_FLOAT, .d = va_arg (*args, double) };
  return raw->kind != RAW_OTHER;
}

gboolean
candela_param_value_set_va (const char *op, const CandelaParamInfo *info, const char *format, va_list *args,
                            CandelaParamValue *out, GError **error)
{
  g_autoptr (GVariant) value = NULL;
  Raw raw;

  if (raw_from_va (format, args, &raw))
    return store (op, info, &raw, NULL, out, error);
  value = g_variant_ref_sink (g_variant_new_va (format, NULL, args));
  return candela_param_value_set_given (op, info, value, out, error);
}
