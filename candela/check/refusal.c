/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What an op does not take: too few inputs and too many, other dtypes and shapes,
 * parameters beyond their range. Each must be an error, or a node; never the end of the
 * process. Nothing is computed, so inputs are slots. Once for each child: it is the same for
 * all cases. */
#include <candela/check/check-private.h>

/* What the op is asked for; a NULL node is an error that begins with its name. */
static gboolean
ask (const CandelaCheck *check, const CandelaCheckInput *inputs, guint n, GVariant *params)
{
  CandelaNode *nodes[CANDELA_CHECK_MAX_INPUTS + 1] = { NULL };
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    nodes[i] = candela_node_new_slot ("x", inputs[i].dtype, inputs[i].dims, inputs[i].rank, NULL);
  node = candela_node_new_for_op (check->op, nodes, n, params, &error);
  for (guint i = 0; i < n; i++)
    candela_node_unref (nodes[i]);
  if (node == NULL)
    candela_check_error (check, CANDELA_CHECK_INFER, error);
  return node != NULL;
}

static void
ask_for_numbers (const CandelaCheck *check)
{
  CandelaCheckInput inputs[CANDELA_CHECK_MAX_INPUTS + 1];

  for (guint i = 0; i <= CANDELA_CHECK_MAX_INPUTS; i++)
    inputs[i] = i < check->n_inputs   ? check->test->inputs[i]
                : check->n_inputs > 0 ? check->test->inputs[0]
                                      : (CandelaCheckInput){ .dtype = CANDELA_DTYPE_FLOAT32 };
  for (guint n = 0; n <= CANDELA_CHECK_MAX_INPUTS; n++)
    {
      gboolean fits = n >= check->facts->n_required && (check->facts->variadic || n <= check->facts->n_inputs);

      candela_check_begin (check, CANDELA_CHECK_REFUSAL, "%u inputs", n);
      if (ask (check, inputs, n, check->test->params) && !fits)
        candela_check_fail (check, CANDELA_CHECK_REFUSAL, "it takes %u inputs, though it does not say so", n);
    }
}

static void
ask_for_dtypes (const CandelaCheck *check)
{
  for (guint i = 0; i < check->n_inputs; i++)
    for (guint dtype = CANDELA_DTYPE_BOOL; dtype < CANDELA_N_DTYPES; dtype++)
      {
        const CandelaInputInfo *info = candela_op_facts_input (check->facts, i);
        CandelaCheckInput inputs[CANDELA_CHECK_MAX_INPUTS];

        memcpy (inputs, check->test->inputs, sizeof inputs);
        inputs[i].dtype = dtype;
        candela_check_begin (check, CANDELA_CHECK_REFUSAL, "%s of %s", check->names[i], candela_dtype_get_name (dtype));
        if (ask (check, inputs, check->n_inputs, check->test->params) && info->kinds != 0
            && (info->kinds & candela_dtype_get_kind (dtype)) == 0)
          candela_check_fail (check, CANDELA_CHECK_REFUSAL, "it takes %s of %s, though it does not say so",
                              check->names[i], candela_dtype_get_name (dtype));
      }
}

static void
ask_for_shapes (const CandelaCheck *check)
{
  static const struct
  {
    guint rank;
    gint64 dims[CANDELA_CHECK_MAX_RANK];
  } shapes[] = { { 0, { 0 } },     { 1, { 0 } },    { 1, { 1 } },        { 1, { 11 } },
                 { 2, { 3, 11 } }, { 2, { 0, 0 } }, { 3, { 2, 11, 3 } }, { 4, { 2, 3, 5, 7 } } };

  for (guint i = 0; i < check->n_inputs; i++)
    for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
      {
        CandelaCheckInput inputs[CANDELA_CHECK_MAX_INPUTS];
        g_autofree char *text = candela_shape_to_string (shapes[s].dims, shapes[s].rank);

        memcpy (inputs, check->test->inputs, sizeof inputs);
        inputs[i].rank = shapes[s].rank;
        memcpy (inputs[i].dims, shapes[s].dims, sizeof shapes[s].dims);
        candela_check_begin (check, CANDELA_CHECK_REFUSAL, "%s of shape %s", check->names[i], text);
        ask (check, inputs, check->n_inputs, check->test->params);
      }
}

/* ---- Parameters ---- */

static GVariant *
with_param (const CandelaCheck *check, const char *name, GVariant *value)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, check->test->params);
  g_variant_dict_insert_value (&dict, name, value);
  return g_variant_dict_end (&dict);
}

static void
ask_for_param (const CandelaCheck *check, const char *name, GVariant *value, gboolean allowed)
{
  g_autoptr (GVariant) sunk = g_variant_ref_sink (value);
  g_autofree char *text = g_variant_print (sunk, FALSE);

  candela_check_begin (check, CANDELA_CHECK_PARAMETERS, "%s=%s", name, text);
  if (ask (check, check->test->inputs, check->n_inputs, with_param (check, name, sunk)) && !allowed)
    candela_check_fail (check, CANDELA_CHECK_PARAMETERS, "it takes %s=%s, which its table does not allow", name, text);
}

static void
ask_for_numbers_of (const CandelaCheck *check, const CandelaParamInfo *info)
{
  static const gint64 wild[] = { G_MININT64, -1000000, 1000000, G_MAXINT64 };
  gint64 low, high;
  double minimum, maximum;

  candela_param_info_get_range (info, &low, &high, &minimum, &maximum);
  if (info->type == CANDELA_PARAM_FLOAT && (info->minimum != 0 || info->maximum != 0))
    {
      ask_for_param (check, info->name, g_variant_new_double (minimum - 1 - minimum * minimum), FALSE);
      ask_for_param (check, info->name, g_variant_new_double (maximum + 1 + maximum * maximum), FALSE);
    }
  for (guint k = 0; k < G_N_ELEMENTS (wild) && info->type != CANDELA_PARAM_FLOAT; k++)
    {
      gboolean allowed = wild[k] >= low && wild[k] <= high;

      if (info->type == CANDELA_PARAM_INT)
        ask_for_param (check, info->name, g_variant_new_int64 (wild[k]), allowed);
      else
        ask_for_param (check, info->name, g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, &wild[k], 1, sizeof *wild),
                       allowed);
    }
}

static void
ask_for_params (const CandelaCheck *check)
{
  for (guint k = 0; k < check->facts->n_params; k++)
    {
      const CandelaParamInfo *info = &check->facts->info->params[k];

      if (info->type == CANDELA_PARAM_INT || info->type == CANDELA_PARAM_FLOAT || info->type == CANDELA_PARAM_INT_LIST)
        ask_for_numbers_of (check, info);
      if (info->type == CANDELA_PARAM_STRING)
        ask_for_param (check, info->name, g_variant_new_string ("no such thing\xc2\xa0"), info->choices == NULL);
      ask_for_param (check, info->name, g_variant_new ("a{ss}", NULL), FALSE);
    }
  ask_for_param (check, "no_such_parameter", g_variant_new_int64 (1), FALSE);
}

void
candela_check_refusals (CandelaCheck *check)
{
  static gboolean done;

  if (done)
    return;
  done = TRUE;
  ask_for_numbers (check);
  ask_for_dtypes (check);
  ask_for_shapes (check);
  ask_for_params (check);
}
