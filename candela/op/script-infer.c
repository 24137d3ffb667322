/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a script op gives: its function's answer as an inference's. An op that is a view
 * of its input is told the layouts of its inputs and answers with layouts; any other
 * sees shapes alone. */
#include <candela/op/script-private.h>

#include <candela/value/layout-private.h>

static gboolean
is_view (const CandelaInference *inference)
{
  return inference->facts->info->aliasing == CANDELA_ALIASING_REFERENCE;
}

static GVariant *
int64s (const gint64 *items, gsize n)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, items, n, sizeof *items);
}

GVariant *
candela_script_describe_inputs (const CandelaInference *inference)
{
  gboolean view = is_view (inference);
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE (view ? CANDELA_SCRIPT_VIEWS : CANDELA_SCRIPT_SHAPES));
  for (guint i = 0; i < inference->n_inputs; i++)
    {
      const CandelaLayout *layout = inference->layouts[i];
      const char *dtype = candela_dtype_get_name (inference->dtypes[i]);
      gsize n_dims;
      const gint64 *shape = candela_layout_get_shape (layout, &n_dims);

      if (view)
        g_variant_builder_add (&builder, "(s@ax@axx)", dtype, int64s (shape, n_dims),
                               int64s (candela_layout_get_strides (layout, &n_dims), n_dims),
                               candela_layout_get_offset (layout));
      else
        g_variant_builder_add (&builder, "(s@ax)", dtype, int64s (shape, n_dims));
    }
  return g_variant_builder_end (&builder);
}

/* Of the first input's elements; that they are its elements the caller looks at. */
static gboolean
set_view (CandelaInference *inference, guint o, const gint64 *shape, gsize n_dims, GVariant *spec, GError **error)
{
  g_autoptr (GVariant) items = g_variant_get_child_value (spec, 2);
  gint64 offset;
  gsize n_strides;
  const gint64 *strides = g_variant_get_fixed_array (items, &n_strides, sizeof *strides);
  CandelaLayout *layout;

  g_variant_get_child (spec, 3, "x", &offset);
  layout = candela_layout_new_strided (shape, n_dims, strides, n_strides, offset, error);
  if (layout == NULL)
    return FALSE;
  candela_inference_set_reference (inference, o, 0, layout);
  return TRUE;
}

/* What is its input, or will stand for it, has its dtype and shape. */
static gboolean
check_same (CandelaInference *inference, CandelaDType dtype, const gint64 *shape, gsize n_dims, GError **error)
{
  const CandelaLayout *layout = inference->layouts[0];
  gboolean same = n_dims == layout->rank && dtype == inference->dtypes[0];

  for (gsize axis = 0; same && axis < n_dims; axis++)
    same = shape[axis] == layout->dims[axis];
  if (same)
    return TRUE;

  g_autofree char *expected = candela_shape_to_string (layout->dims, layout->rank);
  g_autofree char *given = candela_shape_to_string (shape, n_dims);

  return candela_inference_fail (inference, error, CANDELA_ERROR_SCRIPT,
                                 "its infer function gave dtype %s and shape %s; its result is its input, of dtype %s "
                                 "and shape %s",
                                 candela_dtype_get_name (dtype), given, candela_dtype_get_name (inference->dtypes[0]),
                                 expected);
}

static gboolean
set_output (CandelaInference *inference, guint o, GVariant *spec, GError **error)
{
  g_autoptr (GVariant) name = g_variant_get_child_value (spec, 0);
  g_autoptr (GVariant) lengths = g_variant_get_child_value (spec, 1);
  CandelaDType dtype = candela_dtype_from_name (g_variant_get_string (name, NULL), error);
  gsize n_dims;
  const gint64 *shape = g_variant_get_fixed_array (lengths, &n_dims, sizeof *shape);

  if (dtype == CANDELA_DTYPE_INVALID)
    return FALSE;
  switch (inference->facts->info->aliasing)
    {
    case CANDELA_ALIASING_REFERENCE:
      if (dtype != inference->dtypes[0])
        return candela_inference_fail (inference, error, CANDELA_ERROR_SCRIPT,
                                       "its infer function gave dtype %s to a view of elements of dtype %s",
                                       candela_dtype_get_name (dtype), candela_dtype_get_name (inference->dtypes[0]));
      return set_view (inference, o, shape, n_dims, spec, error);
    case CANDELA_ALIASING_ALIAS:
      candela_inference_set_alias (inference, o, 0);
      return check_same (inference, dtype, shape, n_dims, error);
    case CANDELA_ALIASING_TAKEOVER:
      return check_same (inference, dtype, shape, n_dims, error)
             && candela_inference_set_takeover (inference, o, 0, error);
    case CANDELA_ALIASING_NONE:
    default:
      return candela_inference_set_output (inference, o, dtype, shape, n_dims, error);
    }
}

gboolean
candela_script_set_outputs (CandelaInference *inference, GVariant *answer, GError **error)
{
  const char *type = is_view (inference) ? CANDELA_SCRIPT_VIEWS : CANDELA_SCRIPT_SHAPES;
  guint n = inference->facts->n_outputs;

  if (!g_variant_is_of_type (answer, G_VARIANT_TYPE (type)) || g_variant_n_children (answer) != n)
    return candela_inference_fail (
      inference, error, CANDELA_ERROR_SCRIPT,
      "its infer function gave %" G_GSIZE_FORMAT " of type %s; it must give %u %s, %s",
      g_variant_is_container (answer) ? g_variant_n_children (answer) : 1, g_variant_get_type_string (answer), n,
      is_view (inference) ? "dtypes, shapes, strides and offsets" : "dtypes and shapes", type);
  if (inference->facts->info->aliasing != CANDELA_ALIASING_NONE && inference->n_inputs == 0)
    return candela_inference_fail (inference, error, CANDELA_ERROR_ARITY, "without an input there is nothing to alias");
  for (guint o = 0; o < n; o++)
    {
      g_autoptr (GVariant) spec = g_variant_get_child_value (answer, o);

      if (!set_output (inference, o, spec, error))
        return FALSE;
    }
  return TRUE;
}

/* What an element-wise op would give; or what follows from how it aliases its input. */
gboolean
candela_script_infer_by_facts (CandelaInference *inference, GError **error)
{
  CandelaAliasing aliasing = inference->facts->info->aliasing;
  gint64 shape[CANDELA_MAX_RANK];
  guint rank;

  if (inference->n_inputs == 0)
    return candela_inference_fail (inference, error, CANDELA_ERROR_ARITY, "without inputs it needs an infer function");
  if (aliasing == CANDELA_ALIASING_TAKEOVER)
    return candela_inference_set_takeover (inference, 0, 0, error);
  if (aliasing == CANDELA_ALIASING_ALIAS)
    {
      candela_inference_set_alias (inference, 0, 0);
      return TRUE;
    }
  if (!candela_shape_broadcast (inference->layouts, inference->n_inputs, shape, &rank))
    return candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                   "its inputs do not broadcast; it has no infer function, and so is taken for "
                                   "element-wise");
  for (guint o = 0; o < inference->facts->n_outputs; o++)
    if (!candela_inference_set_output (inference, o, inference->promoted, shape, rank, error))
      return FALSE;
  return TRUE;
}
