/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * One case, from the parameters to plans. The plainest things come first, so that what
 * fails is told by the fact that is at fault and not by one that depends on it. */
#include <candela/check/check-private.h>
#include <string.h>

/* What is larger takes too long. */
#define MOST_ELEMENTS (128 * 1024)

const char *
candela_check_input_name (const CandelaOpFacts *facts, guint input, char *buffer)
{
  const CandelaInputInfo *info = candela_op_facts_input (facts, input);

  if (!facts->variadic || input + 1 < facts->n_inputs)
    return info->name;
  g_snprintf (buffer, 64, "%s%u", info->name, input + 2 - facts->n_inputs);
  return buffer;
}

const char *
candela_check_output_name (const CandelaOpFacts *facts, guint output)
{
  return facts->info->outputs != NULL ? facts->info->outputs[output] : "out";
}

void
candela_check_error (const CandelaCheck *check, CandelaCheckFact fact, const GError *error)
{
  const char *name = check->facts->info->name;

  if (error == NULL)
    candela_check_fail (check, CANDELA_CHECK_REFUSAL, "it fails and sets no error");
  /* What the engine says of an answer that is none. */
  if (error->domain == CANDELA_ERROR && error->code == CANDELA_ERROR_PLUGIN)
    candela_check_fail (check, fact, "%s", error->message);
  if (!g_str_has_prefix (error->message, name) || error->message[strlen (name)] != ':')
    candela_check_fail (check, CANDELA_CHECK_REFUSAL, "its error does not begin with its name: %s", error->message);
}

/* What memory holds before anything is written there. */
static gboolean
is_poison (const guint8 *element, gsize size)
{
  for (gsize k = 1; k < size; k++)
    if (element[k] != element[0])
      return FALSE;
  return size >= 4 && (element[0] == 0xa5 || element[0] == 0x5a);
}

void
candela_check_compare (const CandelaCheck *check, CandelaCheckFact fact, guint output, const CandelaLayout *layout,
                       CandelaDType dtype, const guint8 *expected, const guint8 *got, gint64 n)
{
  gsize size = candela_dtype_get_size (dtype);

  for (gint64 k = 0; k < n; k++)
    {
      g_autoptr (GString) index = NULL, wanted = NULL, found = NULL;

      if (candela_check_same_element (dtype, expected + k * size, got + k * size))
        continue;
      index = g_string_new (NULL);
      wanted = g_string_new (NULL);
      found = g_string_new (NULL);
      for (gint64 axis = layout->rank, rest = k; axis-- > 0; rest /= layout->dims[axis])
        {
          g_autofree char *text =
            g_strdup_printf ("%" G_GINT64_FORMAT "%s", rest % layout->dims[axis], axis + 1 < layout->rank ? ", " : "");

          g_string_prepend (index, text);
        }
      if (is_poison (got + k * size, size))
        candela_check_fail (check, CANDELA_CHECK_COMPLETE, "it leaves %s[%s] unwritten",
                            candela_check_output_name (check->facts, output), index->str);
      candela_check_append_element (wanted, dtype, expected + k * size);
      candela_check_append_element (found, dtype, got + k * size);
      candela_check_fail (check, fact, "%s[%s]: expected %s, got %s", candela_check_output_name (check->facts, output),
                          index->str, wanted->str, found->str);
    }
}

/* ---- Inputs ---- */

static gboolean
make_inputs (CandelaCheck *check)
{
  check->n_inputs = check->test->n_inputs;
  for (guint i = 0; i < check->n_inputs; i++)
    {
      const CandelaCheckInput *input = &check->test->inputs[i];
      gsize size = candela_dtype_get_size (input->dtype);
      char buffer[64];

      g_strlcpy (check->names[i], candela_check_input_name (check->facts, i, buffer), sizeof check->names[i]);
      check->bases[i] = candela_check_input_make_base (check->test, i);
      check->views[i] = check->bases[i] != NULL ? candela_check_input_make_layout (input, check->bases[i]) : NULL;
      check->packed[i] = candela_layout_new (input->dims, input->rank, NULL);
      if (check->views[i] == NULL || check->packed[i] == NULL || check->packed[i]->n_elements > MOST_ELEMENTS)
        return FALSE;
      check->dtypes[i] = input->dtype;
      check->values[i] = g_malloc ((gsize) check->packed[i]->n_elements * size + 1);
      candela_layout_pack (check->views[i], candela_tensor_get_data (check->bases[i]), size, 0,
                           (gsize) check->packed[i]->n_elements, check->values[i]);
    }
  return TRUE;
}

static void
free_inputs (CandelaCheck *check)
{
  for (guint i = 0; i < check->n_inputs; i++)
    {
      g_clear_object (&check->bases[i]);
      g_clear_pointer (&check->views[i], candela_layout_unref);
      g_clear_pointer (&check->packed[i], candela_layout_unref);
      g_free (check->values[i]);
      g_free (check->loop_inputs[i]);
    }
  for (guint o = 0; o < check->facts->n_outputs; o++)
    g_free (check->expected[o]);
}

/* ---- What infer says ---- */

static CandelaNode *
make_packed_node (const CandelaCheck *check, guint i)
{
  g_autoptr (CandelaTensor) tensor = NULL;

  if (check->facts->info->output_shape == CANDELA_OUTPUT_SHAPE_DATA)
    return candela_node_new_slot (check->names[i], check->dtypes[i], check->packed[i]->dims, check->packed[i]->rank,
                                  NULL);
  tensor =
    candela_tensor_new_from_data (check->dtypes[i], check->packed[i]->dims, check->packed[i]->rank, check->values[i],
                                  check->packed[i]->n_elements * candela_dtype_get_size (check->dtypes[i]), NULL);
  return tensor != NULL ? candela_node_new_tensor (tensor) : NULL;
}

/* Whether the op takes it, as whoever builds a graph is told. */
static gboolean
is_taken (CandelaCheck *check)
{
  CandelaNode *nodes[CANDELA_CHECK_MAX_INPUTS] = { NULL };
  g_autoptr (CandelaNode) node = NULL;
  g_autoptr (GError) error = NULL;
  gboolean now = check->facts->info->output_shape == CANDELA_OUTPUT_SHAPE_DATA;

  candela_check_begin (check, CANDELA_CHECK_REFUSAL, "building its node");
  for (guint i = 0; i < check->n_inputs; i++)
    nodes[i] = make_packed_node (check, i);
  node = candela_node_construct (check->op, nodes, check->n_inputs, check->params, &error);
  check->promoted = candela_node_promote (check->facts, nodes, check->n_inputs, NULL);
  for (guint i = 0; i < check->n_inputs; i++)
    candela_node_unref (nodes[i]);
  if (node == NULL)
    candela_check_error (check, CANDELA_CHECK_INFER, error);
  /* Of these the node cannot be made without running the op: only that is refused. */
  return node != NULL || (now && strstr (error->message, "depends on the elements of") != NULL);
}

gboolean
candela_check_run_infer (const CandelaCheck *check, CandelaInference *inference, CandelaLayout *const *layouts,
                         GError **error)
{
  candela_inference_init (inference, check->op, check->params, check->n_inputs, (const CandelaLayout *const *) layouts,
                          check->dtypes, check->promoted);
  return candela_inference_run (inference, error);
}

static void
compare_inferences (const CandelaCheck *check, const CandelaInference *other, const char *when)
{
  const CandelaInference *inference = &check->inference;

  for (guint o = 0; o < check->facts->n_outputs; o++)
    {
      const CandelaLayout *a = inference->out_layouts[o], *b = other->out_layouts[o];
      g_autofree char *shape = candela_shape_to_string (a->dims, a->rank);
      g_autofree char *other_shape = candela_shape_to_string (b->dims, b->rank);

      if (inference->out_dtypes[o] != other->out_dtypes[o] || !candela_layout_same_shape (a, b))
        candela_check_fail (
          check, CANDELA_CHECK_INFER, "infer gives %s dtype %s and shape %s; %s dtype %s and shape %s",
          candela_check_output_name (check->facts, o), candela_dtype_get_name (inference->out_dtypes[o]), shape, when,
          candela_dtype_get_name (other->out_dtypes[o]), other_shape);
    }
}

static void
check_infer (CandelaCheck *check)
{
  static const char *const whens[] = { "asked again", "for these layouts" };

  for (guint k = 0; k < G_N_ELEMENTS (whens); k++)
    {
      g_autoptr (GError) error = NULL;
      CandelaInference other;

      candela_check_begin (check, CANDELA_CHECK_INFER, "infer, %s", whens[k]);
      if (!candela_check_run_infer (check, &other, k == 0 ? check->packed : check->views, &error))
        candela_check_fail (check, CANDELA_CHECK_INFER, "infer takes packed inputs; %s it says: %s", whens[k],
                            error->message);
      compare_inferences (check, &other, whens[k]);
      candela_inference_clear (&other);
    }
}

static void
check_flops (CandelaCheck *check)
{
  if (check->facts->info->flops == NULL
      || candela_dtype_get_kind (check->inference.out_dtypes[0]) != CANDELA_DTYPE_KIND_FLOAT)
    return;
  candela_check_begin (check, CANDELA_CHECK_INFER, "flops");
  if (check->facts->info->flops (&check->inference) != check->facts->info->flops (&check->inference))
    candela_check_fail (check, CANDELA_CHECK_INFER, "flops answers something else when it is asked again");
}

/* ---- The whole of it ---- */

/* What is not computed has the elements of its input, through another layout. */
static void
expect_references (CandelaCheck *check)
{
  const CandelaInference *inference = &check->inference;

  for (guint o = 0; o < check->facts->n_outputs; o++)
    {
      guint input = inference->aliased_input[o];
      gsize size = candela_dtype_get_size (inference->out_dtypes[o]);
      const CandelaLayout *layout =
        inference->aliasing[o] == CANDELA_ALIASING_ALIAS ? check->packed[input] : inference->out_layouts[o];

      if (inference->aliasing[o] != CANDELA_ALIASING_ALIAS && inference->aliasing[o] != CANDELA_ALIASING_REFERENCE)
        continue;
      check->expected[o] = g_malloc ((gsize) layout->n_elements * size + 1);
      candela_layout_pack (layout, check->values[input], size, 0, (gsize) layout->n_elements, check->expected[o]);
    }
}

static gboolean
is_small (const CandelaCheck *check)
{
  for (guint o = 0; o < check->facts->n_outputs; o++)
    if (check->inference.out_layouts[o]->n_elements > MOST_ELEMENTS)
      return FALSE;
  return TRUE;
}

/* At the functions themselves. FALSE: they refuse these values. */
static gboolean
check_functions (CandelaCheck *check)
{
  const CandelaOpInfo *info = check->facts->info;

  if (info->output_shape == CANDELA_OUTPUT_SHAPE_DATA)
    return candela_check_data_shape (check);
  check->elementwise = info->axes == CANDELA_AXES_ELEMENTWISE;
  expect_references (check);
  return candela_check_common (check);
}

static gboolean
run_inferred (CandelaCheck *check)
{
  const CandelaOpInfo *info = check->facts->info;
  g_autoptr (GError) error = NULL;
  gboolean ok = candela_check_run_infer (check, &check->inference, check->packed, &error);

  if (!ok)
    candela_check_fail (check, CANDELA_CHECK_INFER, "infer says for the same inputs, asked again: %s", error->message);
  check_infer (check);
  check_flops (check);
  ok = is_small (check) && check_functions (check);
  if (ok && info->output_shape == CANDELA_OUTPUT_SHAPE_STATIC)
    candela_check_graph (check);
  if (ok)
    candela_check_gradients (check);
  if (ok)
    candela_check_refusals (check);
  candela_inference_clear (&check->inference);
  return ok;
}

gboolean
candela_check_run_case (CandelaOp *op, const CandelaCheckCase *test, CandelaCheckShared *shared)
{
  CandelaCheck check = { .op = op, .facts = candela_op_get_facts (op), .test = test, .shared = shared };
  const CandelaOpInfo *info = check.facts->info;
  g_autoptr (GError) error = NULL;
  gboolean ok;

  check.exact = info->effect == CANDELA_EFFECT_PURE && info->determinism == CANDELA_DETERMINISM_BITWISE;
  candela_check_memory_watch (&check);
  candela_check_begin (&check, CANDELA_CHECK_PARAMETERS, "its parameters");
  check.params = candela_params_new (info->name, info->params, test->params, &error);
  if (check.params == NULL)
    {
      candela_check_error (&check, CANDELA_CHECK_PARAMETERS, error);
      candela_check_memory_watch (NULL);
      return FALSE;
    }
  ok = make_inputs (&check) && is_taken (&check);
  if (ok && candela_check_case_is_differentiated (test))
    candela_check_gradients (&check);
  else if (ok && info->expression != NULL)
    candela_check_graph (&check);
  else if (ok)
    ok = run_inferred (&check);
  free_inputs (&check);
  candela_params_unref (check.params);
  candela_check_memory_watch (NULL);
  return ok;
}
