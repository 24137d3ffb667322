/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An op's declaration as data, for tools and bindings: every fact that the
 * planner reads, by name. */
#include <candela/op/op-private.h>

static const char *const aliasing_names[] = { "none", "alias", "reference", "takeover" };
static const char *const mode_names[] = { "never", "same-index", "within-row", "read-first" };
static const char *const axes_names[] = { "opaque", "element-wise", "row-wise", "reduction" };
static const char *const effect_names[] = { "pure", "ordered" };
static const char *const determinism_names[] = { "bitwise", "per-layout", "none" };
static const char *const threads_names[] = { "any", "one-at-a-time", "caller" };
static const char *const shape_names[] = { "static", "data" };

#define NAME_OF(names, value) ((guint) (value) < G_N_ELEMENTS (names) ? names[value] : "unknown")

static GVariant *
describe_kinds (CandelaDTypeKind kinds)
{
  static const struct
  {
    CandelaDTypeKind kind;
    const char *name;
  } names[] = { { CANDELA_DTYPE_KIND_BOOL, "bool" },
                { CANDELA_DTYPE_KIND_SIGNED, "int" },
                { CANDELA_DTYPE_KIND_UNSIGNED, "uint" },
                { CANDELA_DTYPE_KIND_FLOAT, "float" },
                { CANDELA_DTYPE_KIND_COMPLEX, "complex" } };
  GVariantBuilder list;

  g_variant_builder_init (&list, G_VARIANT_TYPE_STRING_ARRAY);
  for (guint k = 0; k < G_N_ELEMENTS (names); k++)
    if ((kinds & names[k].kind) != 0)
      g_variant_builder_add (&list, "s", names[k].name);
  return g_variant_builder_end (&list);
}

static GVariant *
describe_inputs (const CandelaOpFacts *facts)
{
  GVariantBuilder list;

  g_variant_builder_init (&list, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < facts->n_inputs; i++)
    {
      const CandelaInputInfo *input = &facts->info->inputs[i];
      GVariantBuilder item;

      g_variant_builder_init (&item, G_VARIANT_TYPE ("a{sv}"));
      g_variant_builder_add (&item, "{sv}", "name", g_variant_new_string (input->name));
      g_variant_builder_add (&item, "{sv}", "need",
                             g_variant_new_string ((input->flags & CANDELA_INPUT_VARIADIC) != 0   ? "variadic"
                                                   : (input->flags & CANDELA_INPUT_OPTIONAL) != 0 ? "optional"
                                                                                                  : "required"));
      if (input->kinds != 0)
        g_variant_builder_add (&item, "{sv}", "kinds", describe_kinds (input->kinds));
      if (input->fixed != CANDELA_DTYPE_INVALID)
        g_variant_builder_add (&item, "{sv}", "dtype", g_variant_new_string (candela_dtype_get_name (input->fixed)));
      if (input->summary != NULL)
        g_variant_builder_add (&item, "{sv}", "summary", g_variant_new_string (input->summary));
      if (i < CANDELA_MAX_GRADIENTS && facts->info->gradients[i] != NULL)
        g_variant_builder_add (&item, "{sv}", "gradient", g_variant_new_string (facts->info->gradients[i]));
      g_variant_builder_add_value (&list, g_variant_builder_end (&item));
    }
  return g_variant_builder_end (&list);
}

static GVariant *
describe_params (const CandelaOpFacts *facts)
{
  GVariantBuilder list;

  g_variant_builder_init (&list, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < facts->n_params; i++)
    {
      const CandelaParamInfo *param = &facts->info->params[i];
      GVariantBuilder item;

      g_variant_builder_init (&item, G_VARIANT_TYPE ("a{sv}"));
      g_variant_builder_add (&item, "{sv}", "name", g_variant_new_string (param->name));
      g_variant_builder_add (&item, "{sv}", "type", g_variant_new_string (candela_param_type_get_name (param->type)));
      g_variant_builder_add (&item, "{sv}", "required",
                             g_variant_new_boolean ((param->flags & CANDELA_PARAM_REQUIRED) != 0));
      if (param->default_value != NULL)
        g_variant_builder_add (&item, "{sv}", "default", g_variant_new_string (param->default_value));
      if (param->minimum != 0 || param->maximum != 0)
        {
          g_variant_builder_add (&item, "{sv}", "minimum", g_variant_new_double (param->minimum));
          g_variant_builder_add (&item, "{sv}", "maximum", g_variant_new_double (param->maximum));
        }
      if (param->choices != NULL)
        g_variant_builder_add (&item, "{sv}", "choices", g_variant_new_strv (param->choices, -1));
      if (param->summary != NULL)
        g_variant_builder_add (&item, "{sv}", "summary", g_variant_new_string (param->summary));
      g_variant_builder_add_value (&list, g_variant_builder_end (&item));
    }
  return g_variant_builder_end (&list);
}

static GVariant *
describe_in_place (const CandelaOpFacts *facts)
{
  GVariantBuilder list;

  g_variant_builder_init (&list, G_VARIANT_TYPE ("as"));
  for (guint o = 0; o < facts->n_outputs; o++)
    for (guint i = 0; i < facts->n_inputs; i++)
      {
        CandelaInPlaceMode mode = candela_op_facts_in_place (facts, o, i);

        if (mode != CANDELA_IN_PLACE_NEVER)
          g_variant_builder_add_value (
            &list, g_variant_new_take_string (
                     g_strdup_printf ("%s over %s: %s", facts->info->outputs != NULL ? facts->info->outputs[o] : "out",
                                      facts->info->inputs[i].name, NAME_OF (mode_names, mode))));
      }
  return g_variant_builder_end (&list);
}

/* One line a row: "float32, float32 -> bool". */
static GVariant *
describe_kernels (const CandelaOpFacts *facts)
{
  GVariantBuilder list;

  g_variant_builder_init (&list, G_VARIANT_TYPE ("as"));
  for (const CandelaKernelInfo *row = facts->info->kernels; row != NULL && (row->loop != NULL || row->compute != NULL);
       row++)
    {
      g_autoptr (GString) text = g_string_new (NULL);

      for (guint i = 0; i < MIN (facts->n_inputs, CANDELA_MAX_LOOP_INPUTS); i++)
        g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                                row->in[i] == CANDELA_DTYPE_INVALID ? "any" : candela_dtype_get_name (row->in[i]));
      for (guint o = 0; o < facts->n_outputs && row->out[o] != CANDELA_DTYPE_INVALID; o++)
        g_string_append_printf (text, "%s%s", o > 0 ? ", " : " -> ", candela_dtype_get_name (row->out[o]));
      g_variant_builder_add (&list, "s", text->str);
    }
  return g_variant_builder_end (&list);
}

/**
 * candela_op_describe:
 * @op: an op
 *
 * All that an op declares, by name: `name`, `summary`, `plugin`, `since`,
 * `inputs`, `outputs`, `params`, `operators`, `axes`, `aliasing`, `in-place`,
 * `effect`, `determinism`, `threads`, `output-shape`, `expression`, `formula`, `example` and `kernels`.
 *
 * Returns: (transfer full): a dictionary of type `a{sv}`
 *
 * Since: 1.0
 */
GVariant *
candela_op_describe (CandelaOp *op)
{
  g_return_val_if_fail (CANDELA_IS_OP (op), NULL);

  const CandelaOpFacts *facts = candela_op_get_facts (op);
  const CandelaOpInfo *info = facts->info;
  g_auto (GStrv) outputs = candela_op_list_outputs (op);
  g_auto (GStrv) operators = candela_op_list_operators (op);
  const struct
  {
    const char *key;
    const char *value;
  } words[] = {
    { "name", info->name },
    { "summary", info->summary },
    { "plugin", facts->plugin_name },
    { "since", info->since },
    { "axes", NAME_OF (axes_names, info->axes) },
    { "aliasing", NAME_OF (aliasing_names, info->aliasing) },
    { "effect", NAME_OF (effect_names, info->effect) },
    { "determinism", NAME_OF (determinism_names, info->determinism) },
    { "threads", NAME_OF (threads_names, info->threads) },
    { "output-shape", NAME_OF (shape_names, info->output_shape) },
    { "expression", info->expression },
    { "formula", info->formula },
    { "example", info->example },
  };
  GVariantBuilder all;

  g_variant_builder_init (&all, G_VARIANT_TYPE ("a{sv}"));
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (words[i].value != NULL)
      g_variant_builder_add (&all, "{sv}", words[i].key, g_variant_new_string (words[i].value));
  g_variant_builder_add (&all, "{sv}", "inputs", describe_inputs (facts));
  g_variant_builder_add (&all, "{sv}", "outputs", g_variant_new_strv ((const char *const *) outputs, -1));
  g_variant_builder_add (&all, "{sv}", "params", describe_params (facts));
  g_variant_builder_add (&all, "{sv}", "operators", g_variant_new_strv ((const char *const *) operators, -1));
  g_variant_builder_add (&all, "{sv}", "in-place", describe_in_place (facts));
  g_variant_builder_add (&all, "{sv}", "kernels", describe_kernels (facts));
  return g_variant_ref_sink (g_variant_builder_end (&all));
}
