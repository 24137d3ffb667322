/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plan as JSON, for programs. Values are numbers: the "node" of the step that
 * computes one, the "id" of a leaf. So are slots and steps. What there is none of
 * is null, never left out. */
#include <candela/plan/print-private.h>

#include <json-glib/json-glib.h>

static void
add_int (JsonBuilder *builder, const char *name, guint64 value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, (gint64) MIN (value, G_MAXINT64));
}

static void
add_index (JsonBuilder *builder, const char *name, guint32 value)
{
  json_builder_set_member_name (builder, name);
  if (value == CANDELA_PLAN_NONE)
    json_builder_add_null_value (builder);
  else
    json_builder_add_int_value (builder, value);
}

static void
add_string (JsonBuilder *builder, const char *name, const char *text)
{
  json_builder_set_member_name (builder, name);
  if (text == NULL)
    {
      json_builder_add_null_value (builder);
      return;
    }
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  json_builder_add_string_value (builder, valid);
}

static void
add_indices (JsonBuilder *builder, const char *name, const guint32 *values, guint32 n)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint32 k = 0; k < n; k++)
    json_builder_add_int_value (builder, values[k]);
  json_builder_end_array (builder);
}

static void
add_type (JsonBuilder *builder, const CandelaPlanValue *value)
{
  add_string (builder, "dtype", candela_dtype_get_name (value->dtype));
  json_builder_set_member_name (builder, "shape");
  json_builder_begin_array (builder);
  for (guint axis = 0; value->layout != NULL && axis < value->layout->rank; axis++)
    json_builder_add_int_value (builder, value->layout->dims[axis]);
  json_builder_end_array (builder);
}

static void
add_output_members (JsonBuilder *builder, const CandelaPlan *plan, const CandelaPlanOutput *output)
{
  add_string (builder, "kind", candela_plan_kind_name (output->kind));
  add_index (builder, "input", output->input);
  add_index (builder, "slot", candela_plan_output_slot (plan, output));
  add_int (builder, "bytes", candela_plan_output_bytes (plan, output));
}

static void
add_outputs (JsonBuilder *builder, const CandelaPlan *plan, const CandelaPlanStep *step)
{
  json_builder_set_member_name (builder, "outputs");
  json_builder_begin_array (builder);
  for (guint32 o = 0; o < step->n_outputs; o++)
    {
      const CandelaPlanOutput *output = candela_plan_step_output (plan, step, o);
      g_autofree char *reason = candela_plan_output_reason (plan, step, o);

      json_builder_begin_object (builder);
      add_int (builder, "node", output->value);
      add_type (builder, &plan->values[output->value]);
      add_output_members (builder, plan, output);
      add_string (builder, "reason", reason);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

/* A step of several goes by the name of the last of its parts, whose result it is. */
static const char *
step_op (const CandelaPlan *plan, const CandelaPlanStep *step)
{
  if (step->kind == CANDELA_STEP_BAKED)
    return "baked";
  if (step->kind == CANDELA_STEP_PACK || step->n_parts == 0)
    return "pack";
  return candela_plan_part_name (&plan->parts[step->first_part + step->n_parts - 1]);
}

static void
add_step (JsonBuilder *builder, const CandelaPlan *plan, guint32 index)
{
  const CandelaPlanStep *step = &plan->steps[index];
  const CandelaPlanOutput *output = step->n_outputs > 0 ? candela_plan_step_output (plan, step, 0) : NULL;
  g_autofree char *reason = output != NULL ? candela_plan_output_reason (plan, step, 0) : NULL;

  json_builder_begin_object (builder);
  add_int (builder, "index", index);
  add_index (builder, "node", output != NULL ? output->value : CANDELA_PLAN_NONE);
  add_string (builder, "kind", candela_plan_step_kind_name (step));
  add_string (builder, "op", step_op (plan, step));
  if (step->follows)
    {
      json_builder_set_member_name (builder, "follows");
      json_builder_add_boolean_value (builder, TRUE);
    }
  if (step->n_parts > 1)
    {
      json_builder_set_member_name (builder, "parts");
      json_builder_begin_array (builder);
      for (guint32 p = 0; p < step->n_parts; p++)
        json_builder_add_string_value (builder, candela_plan_part_name (&plan->parts[step->first_part + p]));
      json_builder_end_array (builder);
    }
  if (output != NULL)
    add_type (builder, &plan->values[output->value]);
  add_indices (builder, "inputs", plan->inputs + step->first_input, step->n_inputs);
  if (output != NULL)
    {
      json_builder_set_member_name (builder, "output");
      json_builder_begin_object (builder);
      add_output_members (builder, plan, output);
      json_builder_end_object (builder);
    }
  if (step->n_outputs > 1)
    add_outputs (builder, plan, step);
  add_indices (builder, "free_after", plan->frees + step->first_free, step->n_free);
  add_string (builder, "reason", reason);
  json_builder_end_object (builder);
}

static void
add_leaves (JsonBuilder *builder, const CandelaPlan *plan)
{
  g_autofree guint32 *producers = candela_plan_find_producers (plan);
  guint32 n;
  g_autofree guint32 *leaves = candela_plan_find_leaves (plan, producers, &n);

  json_builder_set_member_name (builder, "leaves");
  json_builder_begin_array (builder);
  for (guint32 k = 0; k < n; k++)
    {
      const CandelaPlanValue *value = &plan->values[leaves[k]];

      json_builder_begin_object (builder);
      add_int (builder, "id", leaves[k]);
      add_string (builder, "kind", candela_plan_leaf_kind (plan, leaves[k]));
      add_string (builder, "name", candela_plan_leaf_name (plan, leaves[k]));
      add_type (builder, value);
      if (value->storage == CANDELA_STORAGE_LITERAL)
        {
          g_autofree char *text = candela_plan_value_label (plan, leaves[k]);
          add_string (builder, "value", text);
        }
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_slots (JsonBuilder *builder, const CandelaPlan *plan)
{
  json_builder_set_member_name (builder, "slots");
  json_builder_begin_array (builder);
  for (guint32 k = 0; k < plan->n_slots; k++)
    {
      json_builder_begin_object (builder);
      add_int (builder, "id", k);
      add_int (builder, "bytes", plan->slots[k].bytes);
      add_int (builder, "start", plan->slots[k].start);
      add_index (builder, "end", plan->slots[k].end);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

/**
 * candela_plan_to_json:
 * @plan: a plan
 *
 * The plan as a JSON object, with the members `leaves` (`id`, `kind`, `name`,
 * `dtype`, `shape`), `steps` (`index`, `node`, `kind`, `op`, `parts` if it runs
 * several ops, `follows` if it may run on each part of its input as that is computed, `dtype`, `shape`, `inputs`, `output` with `kind`, `input`,
 * `slot` and `bytes`, `outputs` if there are several, `free_after`, `reason`),
 * `slots` (`id`, `bytes`, `start`, `end`, which is null if a result keeps it),
 * `root`, `roots`, `allocations`, `peak_bytes`, `lower_bound_bytes` and
 * `intermediate_bytes`.
 *
 * Returns: (transfer full): the JSON text, ended by a newline
 *
 * Since: 1.0
 */
char *
candela_plan_to_json (CandelaPlan *plan)
{
  g_return_val_if_fail (plan != NULL, NULL);

  g_autoptr (JsonBuilder) builder = json_builder_new ();
  json_builder_begin_object (builder);
  add_leaves (builder, plan);
  json_builder_set_member_name (builder, "steps");
  json_builder_begin_array (builder);
  for (guint32 s = 0; s < plan->n_steps; s++)
    add_step (builder, plan, s);
  json_builder_end_array (builder);
  add_slots (builder, plan);
  add_index (builder, "root", plan->n_roots > 0 ? plan->root_values[0] : CANDELA_PLAN_NONE);
  add_indices (builder, "roots", plan->root_values, plan->n_roots);
  add_int (builder, "allocations", plan->n_slots);
  add_int (builder, "peak_bytes", plan->peak_bytes);
  add_int (builder, "lower_bound_bytes", plan->lower_bound_bytes);
  add_int (builder, "intermediate_bytes", plan->intermediate_bytes);
  json_builder_end_object (builder);

  g_autoptr (JsonNode) root = json_builder_get_root (builder);
  g_autofree char *text = json_to_string (root, TRUE);
  return g_strconcat (text, "\n", NULL);
}
