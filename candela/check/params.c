/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Parameters for a case, from their rows in the op's table: both ends of a range and what
 * lies between, every choice, every dtype; of lists of integers, those that ops mean by
 * them: axes, permutations, shapes. */
#include <candela/check/check-private.h>

/* What strings without choices are made of: subscripts, and what stands between brackets. */
static const char *const letters[] = { "ij,->k", "01:,-2:" };

static GVariant *
make_int (const CandelaParamInfo *info, guint64 *state)
{
  static const gint64 usual[] = { 0, 1, -1, 2, 3, -2 };
  gint64 low, high, value = usual[candela_check_random_below (state, G_N_ELEMENTS (usual))];
  double minimum, maximum;

  candela_param_info_get_range (info, &low, &high, &minimum, &maximum);
  if (low != G_MININT64 && candela_check_random_below (state, 4) == 0)
    value = low;
  else if (high != G_MAXINT64 && high < 1 << 20 && candela_check_random_below (state, 3) == 0)
    value = high;
  return g_variant_new_int64 (CLAMP (value, low, high));
}

static GVariant *
make_float (const CandelaParamInfo *info, guint64 *state)
{
  static const double usual[] = { 0.0, 1.0, -1.0, 0.5, 2.25, -3.0 };
  gboolean bounded = info->minimum != 0 || info->maximum != 0;
  double value = usual[candela_check_random_below (state, G_N_ELEMENTS (usual))];

  if (bounded && candela_check_random_below (state, 3) == 0)
    value = candela_check_random_below (state, 2) == 0 ? info->minimum : info->maximum;
  return g_variant_new_double (bounded ? CLAMP (value, info->minimum, info->maximum) : value);
}

static GVariant *
make_string (const CandelaParamInfo *info, guint64 *state)
{
  const char *alphabet;
  char text[9];
  guint n = 0;

  while (info->choices != NULL && info->choices[n] != NULL)
    n++;
  if (n > 0)
    return g_variant_new_string (info->choices[candela_check_random_below (state, n)]);
  alphabet = letters[candela_check_random_below (state, G_N_ELEMENTS (letters))];
  n = candela_check_random_below (state, sizeof text);
  for (guint i = 0; i < n; i++)
    text[i] = alphabet[candela_check_random_below (state, (guint) strlen (alphabet))];
  text[n] = '\0';
  return g_variant_new_string (text);
}

/* Axes in any order. */
static guint
shuffle_axes (gint64 *items, guint rank, guint64 *state)
{
  for (guint axis = 0; axis < rank; axis++)
    {
      guint other = candela_check_random_below (state, axis + 1);

      items[axis] = items[other];
      items[other] = axis;
    }
  return rank;
}

static guint
copy_shape (gint64 *items, const CandelaCheckInput *input)
{
  for (guint axis = 0; axis < input->rank; axis++)
    items[axis] = input->dims[axis];
  return input->rank;
}

static GVariant *
make_list (const CandelaParamInfo *info, const CandelaCheckCase *test, guint64 *state)
{
  const CandelaCheckInput none = { 0 }, *input = test->n_inputs > 0 ? &test->inputs[0] : &none;
  gint64 items[CANDELA_CHECK_MAX_RANK + 1] = { 0 }, low, high, n_elements = 1;
  double minimum, maximum;
  guint n = 0;

  for (guint axis = 0; axis < input->rank; axis++)
    n_elements *= input->dims[axis];
  switch (candela_check_random_below (state, 6))
    {
    case 0:
      n = copy_shape (items, input);
      break;
    case 1:
      items[n++] = n_elements;
      break;
    case 2:
      items[n++] = candela_check_random_below (state, 4);
      n += copy_shape (items + n, input);
      break;
    case 3:
      items[n++] = input->rank > 0 ? (gint64) candela_check_random_below (state, input->rank) : 0;
      break;
    case 4:
      for (n = 0; n < input->rank; n++)
        items[n] = (gint64) candela_check_random_below (state, 5) - 2;
      break;
    default:
      n = shuffle_axes (items, input->rank, state);
    }
  candela_param_info_get_range (info, &low, &high, &minimum, &maximum);
  for (guint k = 0; k < n; k++)
    items[k] = CLAMP (items[k], low, high);
  return g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, items, n, sizeof *items);
}

static GVariant *
make_value (const CandelaParamInfo *info, const CandelaCheckCase *test, guint64 *state)
{
  switch (info->type)
    {
    case CANDELA_PARAM_BOOL:
      return g_variant_new_boolean (candela_check_random_below (state, 2));
    case CANDELA_PARAM_INT:
      return make_int (info, state);
    case CANDELA_PARAM_FLOAT:
      return make_float (info, state);
    case CANDELA_PARAM_STRING:
      return make_string (info, state);
    case CANDELA_PARAM_DTYPE:
      return g_variant_new_string (
        candela_dtype_get_name (1 + candela_check_random_below (state, CANDELA_N_DTYPES - 1)));
    case CANDELA_PARAM_INT_LIST:
      return make_list (info, test, state);
    case CANDELA_PARAM_SCALAR:
      return candela_check_random_below (state, 2) == 0 ? make_int (info, state) : make_float (info, state);
    }
  return g_variant_new_boolean (FALSE);
}

/* Every other case gives only what it must. */
GVariant *
candela_check_make_params (const CandelaOpFacts *facts, const CandelaCheckCase *test, guint index, guint64 *state)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  for (guint k = 0; k < facts->n_params; k++)
    {
      const CandelaParamInfo *info = &facts->info->params[k];
      gboolean required = (info->flags & CANDELA_PARAM_REQUIRED) != 0;

      if (required || (index % 2 == 1 && candela_check_random_below (state, 2) == 0))
        g_variant_builder_add (&builder, "{sv}", info->name, make_value (info, test, state));
    }
  return g_variant_builder_end (&builder);
}
