/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The parameters of one node: a{sv} matched with the op's table, once, when the
 * node is built; after that, getters by index. Ops without parameters, by far
 * the most, share one empty instance that is never counted. An op whose table is there
 * and empty has instances of its own, by whose info its kernels know it. */
#include <candela/op/params-private.h>

#include <math.h>
#include <string.h>

static CandelaParams empty_params;

static guint
count (const CandelaParamInfo *info)
{
  guint n = 0;
  if (info != NULL)
    while (info[n].name != NULL)
      n++;
  return n;
}

/* Bindings may write a name as GParamSpec does, with dashes. */
static gboolean
same_name (const char *name, const char *given)
{
  while (*name != '\0' && (*name == *given || (*name == '_' && *given == '-')))
    name++, given++;
  return *name == '\0' && *given == '\0';
}

static gboolean
refuse_name (const char *op, const CandelaParamInfo *info, const char *name, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree char *given = candela_quote_for_message (name);

  for (guint k = 0; k < count (info); k++)
    g_string_append_printf (names, "%s%s", k > 0 ? ", " : "", info[k].name);
  return candela_param_fail (error, op, CANDELA_ERROR_PARAMETER, "parameter %s is unknown; it has %s", given,
                             names->len > 0 ? names->str : "none");
}

/* The number of a parameter that is given now. */
static gboolean
find_given (CandelaParams *params, const char *op, const char *name, guint *found, GError **error)
{
  guint k = 0;

  while (k < params->n && !same_name (params->info[k].name, name))
    k++;
  if (k == params->n)
    return refuse_name (op, params->info, name, error);
  if (params->values[k].given)
    return candela_param_fail (error, op, CANDELA_ERROR_PARAMETER, "parameter \"%s\" is given twice",
                               params->info[k].name);
  params->values[k].given = TRUE;
  *found = k;
  return TRUE;
}

static gboolean
read_given (CandelaParams *params, const char *op, GVariant *given, GError **error)
{
  GVariantIter iter;
  GVariant *entry;

  g_variant_iter_init (&iter, given);
  while ((entry = g_variant_iter_next_value (&iter)) != NULL)
    {
      g_autoptr (GVariant) owned = entry;
      g_autoptr (GVariant) key = g_variant_get_child_value (entry, 0);
      g_autoptr (GVariant) value = g_variant_get_child_value (entry, 1);
      guint k;

      if (!find_given (params, op, g_variant_get_string (key, NULL), &k, error)
          || !candela_param_value_set_given (op, &params->info[k], value, &params->values[k], error))
        return FALSE;
    }
  return TRUE;
}

static CandelaParams *
params_alloc (const CandelaParamInfo *info, guint n)
{
  CandelaParams *params = g_malloc0 (sizeof (CandelaParams) + n * sizeof (CandelaParamValue));
  g_atomic_ref_count_init (&params->ref_count);
  params->n = n;
  params->info = info;
  return params;
}

/* Of what is not given. */
static gboolean
set_defaults (CandelaParams *params, const char *op, GError **error)
{
  for (guint k = 0; k < params->n; k++)
    {
      const CandelaParamInfo *info = &params->info[k];

      if (!params->values[k].set && !candela_param_value_set_default (op, info, &params->values[k], error))
        return FALSE;
      if (!params->values[k].set && (info->flags & CANDELA_PARAM_REQUIRED))
        return candela_param_fail (error, op, CANDELA_ERROR_PARAMETER, "parameter \"%s\" is required", info->name);
    }
  return TRUE;
}

CandelaParams *
candela_params_new (const char *op, const CandelaParamInfo *info, GVariant *given, GError **error)
{
  g_autoptr (GVariant) sunk = given != NULL ? g_variant_ref_sink (given) : NULL;
  g_autoptr (CandelaParams) params = NULL;
  guint n = count (info);

  if (sunk != NULL && !g_variant_is_of_type (sunk, G_VARIANT_TYPE_VARDICT))
    {
      candela_param_fail (error, op, CANDELA_ERROR_PARAMETER, "parameters are of type %s; they must be of type a{sv}",
                          g_variant_get_type_string (sunk));
      return NULL;
    }
  if (info == NULL && (sunk == NULL || g_variant_n_children (sunk) == 0))
    return &empty_params;

  params = params_alloc (info, n);
  if ((sunk != NULL && !read_given (params, op, sunk, error)) || !set_defaults (params, op, error))
    return NULL;
  return g_steal_pointer (&params);
}

CandelaParams *
candela_params_new_va (const char *op, const CandelaParamInfo *info, va_list *args, GError **error)
{
  const char *name = va_arg (*args, const char *);
  g_autoptr (CandelaParams) params = NULL;

  if (info == NULL && name == NULL)
    return &empty_params;

  params = params_alloc (info, count (info));
  for (; name != NULL; name = va_arg (*args, const char *))
    {
      const char *format = va_arg (*args, const char *);
      guint k;

      if (!find_given (params, op, name, &k, error))
        {
          /* What floats is gone after this call. */
          g_variant_unref (g_variant_ref_sink (g_variant_new_va (format, NULL, args)));
          return NULL;
        }
      if (!candela_param_value_set_va (op, &params->info[k], format, args, &params->values[k], error))
        return NULL;
    }
  return set_defaults (params, op, error) ? g_steal_pointer (&params) : NULL;
}

/* Whoever empties the slot has it to itself; of two that come at once, one reads anew. */
CandelaParams *
candela_params_new_remembered (CandelaParams **slot, const char *op, const CandelaParamInfo *info, GVariant *given,
                               GError **error)
{
  CandelaParams *params = g_atomic_pointer_exchange (slot, NULL), *other;

  if (params == NULL || params->given != given)
    {
      g_clear_pointer (&params, candela_params_unref);
      params = candela_params_new (op, info, given, error);
      if (params == NULL || params == &empty_params)
        return params;
      params->given = g_variant_ref (given);
    }
  other = g_atomic_pointer_exchange (slot, candela_params_ref (params));
  g_clear_pointer (&other, candela_params_unref);
  return params;
}

CandelaParams *
candela_params_new_for_values (const char *op, const CandelaParamInfo *info, GVariant *const *values, GError **error)
{
  g_autoptr (CandelaParams) params = NULL;
  guint n = count (info);

  if (info == NULL)
    return &empty_params;

  params = params_alloc (info, n);
  for (guint k = 0; values != NULL && k < n; k++)
    {
      params->values[k].given = values[k] != NULL;
      if (values[k] != NULL && !candela_param_value_set_given (op, &info[k], values[k], &params->values[k], error))
        return NULL;
    }
  return set_defaults (params, op, error) ? g_steal_pointer (&params) : NULL;
}

/* The empty instance is shared by all threads: counting it would make them wait
 * for each other. */
CandelaParams *
candela_params_ref (CandelaParams *params)
{
  if (params != &empty_params)
    g_atomic_ref_count_inc (&params->ref_count);
  return params;
}

static void
value_clear (const CandelaParamInfo *info, CandelaParamValue *value)
{
  if (info->type == CANDELA_PARAM_STRING)
    g_free (value->string);
  else if (info->type == CANDELA_PARAM_INT_LIST)
    g_free (value->list.items);
}

void
candela_params_unref (CandelaParams *params)
{
  if (params == &empty_params || !g_atomic_ref_count_dec (&params->ref_count))
    return;
  for (guint k = 0; k < params->n; k++)
    value_clear (&params->info[k], &params->values[k]);
  g_clear_pointer (&params->given, g_variant_unref);
  g_free (params);
}

/* Two NaNs are equal, and zeros of two signs are not: equal parameters give equal
 * bits. */
static gboolean
value_equal (const CandelaParamInfo *info, const CandelaParamValue *a, const CandelaParamValue *b)
{
  if (a->set != b->set || a->kind != b->kind)
    return FALSE;
  if (!a->set)
    return TRUE;
  switch (info->type)
    {
    case CANDELA_PARAM_BOOL:
      return !a->b == !b->b;
    case CANDELA_PARAM_STRING:
      return strcmp (a->string, b->string) == 0;
    case CANDELA_PARAM_DTYPE:
      return a->dtype == b->dtype;
    case CANDELA_PARAM_INT_LIST:
      return a->list.n == b->list.n
             && (a->list.n == 0 || memcmp (a->list.items, b->list.items, a->list.n * sizeof (gint64)) == 0);
    case CANDELA_PARAM_FLOAT:
      return memcmp (&a->d, &b->d, sizeof (double)) == 0;
    case CANDELA_PARAM_SCALAR:
      if (a->kind == CANDELA_DTYPE_BOOL)
        return !a->b == !b->b;
      return memcmp (a->parts, b->parts, candela_dtype_get_size (a->kind)) == 0;
    default:
      return a->i == b->i;
    }
}

gboolean
candela_params_equal (const CandelaParams *a, const CandelaParams *b)
{
  if (a == b)
    return TRUE;
  if (a->n != b->n || a->info != b->info)
    return FALSE;
  for (guint k = 0; k < a->n; k++)
    if (!value_equal (&a->info[k], &a->values[k], &b->values[k]))
      return FALSE;
  return TRUE;
}

char *
candela_param_float_to_string (double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (value))
    return g_strdup ("nan");
  if (isinf (value))
    return g_strdup (value < 0 ? "-inf" : "inf");

  /* The shortest that reads back the same. */
  for (int digits = 1; digits <= 17; digits++)
    {
      char format[8];
      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buffer, sizeof buffer, format, value);
      if (g_ascii_strtod (buffer, NULL) == value)
        break;
    }
  return g_strconcat (buffer, strpbrk (buffer, ".e") == NULL ? ".0" : NULL, NULL);
}

char *
candela_param_complex_to_string (const double *parts)
{
  g_autofree char *real = candela_param_float_to_string (parts[0]);
  g_autofree char *imaginary = candela_param_float_to_string (parts[1]);

  return g_strconcat (real, imaginary[0] == '-' ? "" : "+", imaginary, "j", NULL);
}

static void
append_value (GString *text, const CandelaParamInfo *info, const CandelaParamValue *value)
{
  CandelaParamType type = info->type;
  g_autofree char *word = NULL;

  if (type == CANDELA_PARAM_SCALAR && value->set && value->kind == CANDELA_DTYPE_UINT64)
    {
      g_string_append_printf (text, "%" G_GUINT64_FORMAT, value->u);
      return;
    }
  if (type == CANDELA_PARAM_SCALAR && value->set && value->kind == CANDELA_DTYPE_COMPLEX128)
    {
      g_string_append (text, word = candela_param_complex_to_string (value->parts));
      return;
    }
  if (type == CANDELA_PARAM_SCALAR)
    type = value->kind == CANDELA_DTYPE_BOOL    ? CANDELA_PARAM_BOOL
           : value->kind == CANDELA_DTYPE_INT64 ? CANDELA_PARAM_INT
                                                : CANDELA_PARAM_FLOAT;
  if (!value->set)
    g_string_append (text, "none");
  else if (type == CANDELA_PARAM_BOOL)
    g_string_append (text, value->b ? "true" : "false");
  else if (type == CANDELA_PARAM_INT)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, value->i);
  else if (type == CANDELA_PARAM_FLOAT)
    g_string_append (text, word = candela_param_float_to_string (value->d));
  else if (type == CANDELA_PARAM_STRING)
    {
      word = g_strescape (value->string, NULL);
      g_string_append_printf (text, "\"%s\"", word);
    }
  else if (type == CANDELA_PARAM_DTYPE)
    g_string_append (text, candela_dtype_get_name (value->dtype));
  else
    {
      g_string_append_c (text, '[');
      for (gsize k = 0; k < value->list.n; k++)
        g_string_append_printf (text, "%s%" G_GINT64_FORMAT, k > 0 ? ", " : "", value->list.items[k]);
      g_string_append_c (text, ']');
    }
}

void
candela_params_append_value (const CandelaParams *params, guint k, GString *text)
{
  append_value (text, &params->info[k], &params->values[k]);
}

char *
candela_params_to_string (const CandelaParams *params)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint k = 0; k < params->n; k++)
    {
      const CandelaParamInfo *info = &params->info[k];
      CandelaParamValue by_default = { 0 };
      gboolean same;

      candela_param_value_set_default ("", info, &by_default, NULL);
      same = value_equal (info, &params->values[k], &by_default);
      value_clear (info, &by_default);
      if (same)
        continue;
      g_string_append_printf (text, "%s%s=", text->len > 0 ? ", " : "", info->name);
      append_value (text, info, &params->values[k]);
    }
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

gboolean
candela_param_info_check (const char *op, const CandelaParamInfo *info, GError **error)
{
  for (guint k = 0; k < count (info); k++)
    {
      CandelaParamValue value = { 0 };
      gboolean ok = candela_param_value_set_default (op, &info[k], &value, error);

      value_clear (&info[k], &value);
      if (!ok)
        return FALSE;
      for (guint j = 0; j < k; j++)
        if (strcmp (info[j].name, info[k].name) == 0)
          return candela_param_fail (error, op, CANDELA_ERROR_PARAMETER, "two parameters have the name \"%s\"",
                                     info[k].name);
    }
  return TRUE;
}

static GVariant *
scalar_to_variant (const CandelaParamValue *value)
{
  if (!value->set)
    return NULL;
  return value->kind == CANDELA_DTYPE_BOOL    ? g_variant_new_boolean (value->b)
         : value->kind == CANDELA_DTYPE_INT64 ? g_variant_new_int64 (value->i)
                                              : g_variant_new_double (value->d);
}

/* A GParamSpec always has a default: where the table has none, it is the value
 * nearest to zero, an empty text or list, or no variant. */
GParamSpec *
candela_param_info_to_spec (const CandelaParamInfo *info)
{
  g_autofree char *name = g_strdelimit (g_strdup (info->name), "_", '-');
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_BLURB;
  CandelaParamValue value = { 0 };
  GVariant *list = NULL;
  GParamSpec *spec;
  gint64 low, high;
  double minimum, maximum;

  candela_param_value_set_default (info->name, info, &value, NULL);
  candela_param_info_get_range (info, &low, &high, &minimum, &maximum);
  switch (info->type)
    {
    case CANDELA_PARAM_BOOL:
      spec = g_param_spec_boolean (name, info->name, info->summary, value.b, flags);
      break;
    case CANDELA_PARAM_INT:
      spec = g_param_spec_int64 (name, info->name, info->summary, low, high, CLAMP (value.i, low, high), flags);
      break;
    case CANDELA_PARAM_FLOAT:
      spec = g_param_spec_double (name, info->name, info->summary, minimum, maximum, CLAMP (value.d, minimum, maximum),
                                  flags);
      break;
    case CANDELA_PARAM_STRING:
      spec = g_param_spec_string (name, info->name, info->summary, value.set ? value.string : NULL, flags);
      break;
    case CANDELA_PARAM_DTYPE:
      spec = g_param_spec_enum (name, info->name, info->summary, CANDELA_TYPE_DTYPE, value.dtype, flags);
      break;
    case CANDELA_PARAM_INT_LIST:
      if (value.set)
        list = g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, value.list.items, value.list.n, sizeof (gint64));
      spec = g_param_spec_variant (name, info->name, info->summary, G_VARIANT_TYPE ("ax"), list, flags);
      break;
    default:
      spec =
        g_param_spec_variant (name, info->name, info->summary, G_VARIANT_TYPE_ANY, scalar_to_variant (&value), flags);
      break;
    }
  value_clear (info, &value);
  return spec;
}
