/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A case as arrays, and as text from which it can be made again. */
#include <candela/check/check-private.h>

/* Arrays that are told element by element. */
#define MOST_ELEMENTS 64

static gboolean
is_alternate (const CandelaCheckInput *input, guint axis)
{
  return input->forms[axis] == CANDELA_CHECK_AXIS_ALTERNATE
         || input->forms[axis] == CANDELA_CHECK_AXIS_REVERSED_ALTERNATE;
}

static gboolean
is_reversed (const CandelaCheckInput *input, guint axis)
{
  return input->forms[axis] == CANDELA_CHECK_AXIS_REVERSED
         || input->forms[axis] == CANDELA_CHECK_AXIS_REVERSED_ALTERNATE;
}

/* The shape of the array under the view, axes in the view's order. */
static guint
find_base_dims (const CandelaCheckInput *input, gint64 *dims)
{
  if (input->rank == 0 && input->shifted)
    {
      dims[0] = 2;
      return 1;
    }
  for (guint axis = 0; axis < input->rank; axis++)
    {
      dims[axis] = input->forms[axis] == CANDELA_CHECK_AXIS_BROADCAST ? 1
                   : is_alternate (input, axis)                       ? MAX (2 * input->dims[axis] - 1, 0)
                                                                      : input->dims[axis];
      if (input->shifted && axis + 1 == input->rank)
        dims[axis]++;
    }
  return input->rank;
}

CandelaTensor *
candela_check_input_make_base (const CandelaCheckCase *test, guint input)
{
  const CandelaCheckInput *spec = &test->inputs[input];
  gint64 dims[CANDELA_CHECK_MAX_RANK];
  guint rank = find_base_dims (spec, dims);
  CandelaTensor *base;

  if (spec->transposed)
    {
      gint64 first = dims[0];

      dims[0] = dims[1];
      dims[1] = first;
    }
  base = candela_tensor_new (spec->dtype, dims, rank, NULL);
  if (base != NULL)
    candela_check_fill (candela_tensor_get_writable_data (base), spec->dtype, dims, rank, test->values,
                        test->seed + input);
  return base;
}

CandelaLayout *
candela_check_input_make_layout (const CandelaCheckInput *input, const CandelaTensor *base)
{
  const CandelaLayout *under = candela_tensor_get_layout ((CandelaTensor *) base);
  gint64 dims[CANDELA_CHECK_MAX_RANK], strides[CANDELA_CHECK_MAX_RANK], offset = 0;

  if (input->rank == 0)
    return candela_layout_new_strided (NULL, 0, NULL, 0, input->shifted ? 1 : 0, NULL);
  for (guint axis = 0; axis < input->rank; axis++)
    {
      gint64 stride = under->strides[input->transposed ? 1 - axis : axis];
      gint64 step = is_alternate (input, axis) ? 2 * stride : stride;

      dims[axis] = input->dims[axis];
      if (input->shifted && axis + 1 == input->rank)
        offset += stride;
      if (is_reversed (input, axis))
        offset += MAX (dims[axis] - 1, 0) * step;
      strides[axis] = input->forms[axis] == CANDELA_CHECK_AXIS_BROADCAST ? 0 : is_reversed (input, axis) ? -step : step;
    }
  for (guint axis = 0; axis < input->rank; axis++)
    if (dims[axis] == 0)
      offset = 0;
  return candela_layout_new_strided (dims, input->rank, strides, input->rank, offset, NULL);
}

/* ---- Text ---- */

/* "[1::2, ::-1]", "" if it is the whole array as it is; .T comes before it. */
static void
append_view (GString *text, const CandelaCheckInput *input)
{
  guint last = 0;

  if (input->transposed)
    g_string_append (text, ".T");
  if (input->rank == 0 && input->shifted)
    g_string_append (text, "[1]");
  for (guint axis = 0; axis < input->rank; axis++)
    if (is_alternate (input, axis) || is_reversed (input, axis) || (input->shifted && axis + 1 == input->rank))
      last = axis + 1;
  for (guint axis = 0; axis < last; axis++)
    {
      gboolean shifted = input->shifted && axis + 1 == input->rank;

      g_string_append (text, axis == 0 ? "[" : ", ");
      if (is_reversed (input, axis))
        /* Backwards, from the last one to the first. */
        g_string_append_printf (text, shifted ? ":0:%s" : "::%s", is_alternate (input, axis) ? "-2" : "-1");
      else
        g_string_append_printf (text, "%s:%s", shifted ? "1" : "", is_alternate (input, axis) ? ":2" : "");
    }
  if (last > 0)
    g_string_append_c (text, ']');
}

static void
append_elements (GString *text, CandelaTensor *base)
{
  gsize size = candela_dtype_get_size (candela_tensor_get_dtype (base));
  const guint8 *data = candela_tensor_get_data (base);
  gint64 n = candela_tensor_get_n_elements (base);

  if (n > MOST_ELEMENTS)
    return;
  for (gint64 k = 0; k < n; k++)
    {
      g_string_append (text, k == 0 ? "" : ", ");
      candela_check_append_element (text, candela_tensor_get_dtype (base), data + k * (gint64) size);
    }
}

static void
add_dims (GVariantBuilder *builder, const char *key, const gint64 *dims, guint rank)
{
  g_variant_builder_add (builder, "{sv}", key,
                         g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, dims, rank, sizeof *dims));
}

static GVariant *
describe_input (const CandelaCheckCase *test, guint i, const CandelaOpFacts *facts)
{
  const CandelaCheckInput *input = &test->inputs[i];
  g_autoptr (CandelaTensor) base = candela_check_input_make_base (test, i);
  g_autoptr (GString) view = g_string_new (NULL), elements = g_string_new (NULL);
  gboolean broadcast = FALSE;
  GVariantBuilder builder;
  char name[64];

  append_view (view, input);
  append_elements (elements, base);
  for (guint axis = 0; axis < input->rank; axis++)
    broadcast = broadcast || (input->forms[axis] == CANDELA_CHECK_AXIS_BROADCAST && input->dims[axis] != 1);
  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "name", g_variant_new_string (candela_check_input_name (facts, i, name)));
  g_variant_builder_add (&builder, "{sv}", "dtype", g_variant_new_string (candela_dtype_get_name (input->dtype)));
  add_dims (&builder, "shape", candela_tensor_get_layout (base)->dims, candela_tensor_get_layout (base)->rank);
  g_variant_builder_add (&builder, "{sv}", "view", g_variant_new_string (view->str));
  if (broadcast)
    add_dims (&builder, "broadcast", input->dims, input->rank);
  g_variant_builder_add (&builder, "{sv}", "values",
                         g_variant_new_string (test->values == CANDELA_CHECK_VALUES_PLAIN ? "plain" : "random"));
  g_variant_builder_add (&builder, "{sv}", "elements", g_variant_new_string (elements->str));
  return g_variant_builder_end (&builder);
}

GVariant *
candela_check_case_describe (const CandelaCheckCase *test, CandelaOp *op)
{
  const CandelaOpFacts *facts = candela_op_get_facts (op);
  g_autoptr (CandelaParams) params = candela_params_new (facts->info->name, facts->info->params, test->params, NULL);
  g_autofree char *text = params != NULL ? candela_params_to_string (params) : NULL;
  GVariantBuilder builder, inputs;

  g_variant_builder_init (&inputs, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < test->n_inputs; i++)
    g_variant_builder_add_value (&inputs, describe_input (test, i, facts));
  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "inputs", g_variant_builder_end (&inputs));
  g_variant_builder_add (&builder, "{sv}", "params", g_variant_new_string (text != NULL ? text : ""));
  return g_variant_builder_end (&builder);
}
