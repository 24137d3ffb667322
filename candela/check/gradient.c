/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Gradients against finite differences, in float64. For a random cotangent c and a random
 * direction v along one input, the product of the gradient and v must be the derivative of
 * <c, op (x + h v)> by h at 0. That is taken from central differences with two steps: they
 * are off by terms in h^2, h^4 …, of which the first goes in the combination of both
 * (Richardson), and what parts them bounds what is left. With steps about the cube root of
 * the spacing of numbers near 1 both that and rounding are small.
 *
 * Where the op has no derivative, or too large a one, the steps disagree, or a value is
 * not finite: nothing is known there, and another point is tried. Where they agree the
 * gradient must. A kink would have to lie within a step of a point, and as near to it as
 * the steps agree, to be taken for a wrong gradient. */
#include <candela/check/check-private.h>
#include <float.h>
#include <math.h>

#define STEP 0x1p-17
/* Points that are tried for each case. */
#define ATTEMPTS 8
/* What is larger takes too long. */
#define MOST_ELEMENTS 4096
/* Rounding of what is differentiated, in spacings: vector functions are off by up to 4. */
#define ROUNDING 64
/* Steps that disagree by more, relative to what is measured, say nothing. */
#define WORST 1e-4
/* Of the gradient's own rounding, relative to it. */
#define GRADIENT_ROUNDING 1e-10

/* A point. */
typedef struct
{
  const CandelaCheck *check;
  CandelaParams *params;
  guint64 state;
  CandelaNode *inputs[CANDELA_CHECK_MAX_INPUTS];
  CandelaNode *node; /* the op at it */
  double *cotangents[CANDELA_MAX_OUTPUTS];
  CandelaNode *cotangent_nodes[CANDELA_MAX_OUTPUTS];
} Point;

/* ---- Cases ---- */

/* All dtypes among them are float64. */
static GVariant *
make_params_float (GVariant *params, const CandelaOpFacts *facts)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, params);
  for (guint k = 0; k < facts->n_params; k++)
    if (facts->info->params[k].type == CANDELA_PARAM_DTYPE
        && g_variant_dict_contains (&dict, facts->info->params[k].name))
      g_variant_dict_insert (&dict, facts->info->params[k].name, "s", "float64");
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}

void
candela_check_case_differentiate (CandelaCheckCase *test, const CandelaOpFacts *facts, guint attempt)
{
  static const CandelaCheckValues values[] = { CANDELA_CHECK_VALUES_AROUND_ZERO, CANDELA_CHECK_VALUES_WITHIN_ONE,
                                               CANDELA_CHECK_VALUES_ABOVE_ONE, CANDELA_CHECK_VALUES_DOMINANT };
  GVariant *params;

  for (guint i = 0; i < test->n_inputs; i++)
    {
      const CandelaInputInfo *info = candela_op_facts_input (facts, i);
      CandelaCheckInput *input = &test->inputs[i];

      if (info->fixed == CANDELA_DTYPE_INVALID && (info->kinds == 0 || (info->kinds & CANDELA_DTYPE_KIND_FLOAT) != 0))
        input->dtype = CANDELA_DTYPE_FLOAT64;
      memset (input->forms, CANDELA_CHECK_AXIS_PLAIN, sizeof input->forms);
      input->transposed = input->shifted = FALSE;
    }
  params = test->params;
  test->params = make_params_float (params, facts);
  g_variant_unref (params);
  test->values = values[(test->seed + attempt) % G_N_ELEMENTS (values)];
  test->seed += 16 * attempt;
}

gboolean
candela_check_case_is_differentiated (const CandelaCheckCase *test)
{
  return test->values >= CANDELA_CHECK_VALUES_AROUND_ZERO;
}

/* ---- Numbers ---- */

/* From -1 to -0.5 or from 0.5 to 1; a single one is 1, so that what fails is told as it is. */
static double *
make_weights (gint64 n, guint64 *state)
{
  double *weights = g_new (double, n + 1);

  for (gint64 k = 0; k < n; k++)
    {
      double size = 0.5 + (double) (candela_check_random (state) >> 11) * 0x1p-54;

      weights[k] = n == 1 ? 1.0 : candela_check_random_below (state, 2) == 0 ? size : -size;
    }
  return weights;
}

static CandelaNode *
make_node (const double *elements, const CandelaLayout *shape)
{
  g_autoptr (CandelaTensor) tensor =
    candela_tensor_new_from_data (CANDELA_DTYPE_FLOAT64, shape->dims, shape->rank, (const guint8 *) elements,
                                  (gsize) shape->n_elements * sizeof *elements, NULL);

  return candela_node_new_tensor (tensor);
}

/* Sums of a value's elements and of their magnitudes, each multiplied by a weight. */
static void
add_product (CandelaTensor *tensor, const double *weights, double *sum, double *magnitude)
{
  const CandelaLayout *layout = candela_tensor_get_layout (tensor);
  g_autofree double *elements = g_new (double, layout->n_elements + 1);
  long double all = *sum, all_magnitudes = *magnitude;

  candela_layout_pack (layout, candela_tensor_get_buffer (tensor)->data, sizeof *elements, 0,
                       (gsize) layout->n_elements, (guint8 *) elements);
  for (gint64 k = 0; k < layout->n_elements; k++)
    {
      all += (long double) elements[k] * weights[k];
      all_magnitudes += fabsl ((long double) elements[k] * weights[k]);
    }
  *sum = (double) all;
  *magnitude = (double) all_magnitudes;
}

/* <c, the node's outputs>; FALSE if they cannot be computed. */
static gboolean
weigh (CandelaNode *node, guint n, double *const *weights, double *sum, double *magnitude, GError **error)
{
  CandelaNode *roots[CANDELA_MAX_OUTPUTS] = { NULL };
  g_autoptr (CandelaPlan) plan = NULL;
  g_autofree CandelaTensor **tensors = NULL;

  for (guint o = 0; o < n; o++)
    roots[o] = n == 1 ? candela_node_ref (node) : candela_node_get_output (node, o, NULL);
  plan = candela_plan_new (roots, n, CANDELA_PLAN_DEFAULT, error);
  for (guint o = 0; o < n; o++)
    candela_node_unref (roots[o]);
  tensors = plan != NULL ? candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, NULL, NULL, error) : NULL;
  *sum = *magnitude = 0;
  for (guint o = 0; tensors != NULL && o < n; o++)
    {
      add_product (tensors[o], weights[o], sum, magnitude);
      g_object_unref (tensors[o]);
    }
  return tensors != NULL;
}

/* ---- The two sides ---- */

/* <c, op (x + step v)>; FALSE: there is no finite one. */
static gboolean
evaluate (const Point *point, guint input, const double *direction, double step, double *value, double *magnitude)
{
  const CandelaCheck *check = point->check;
  CandelaTensor *at = candela_node_get_tensor (point->inputs[input]);
  const CandelaLayout *layout = candela_tensor_get_layout (at);
  const double *x = candela_tensor_get_data (at);
  g_autofree double *moved = g_new (double, layout->n_elements + 1);
  CandelaNode *inputs[CANDELA_CHECK_MAX_INPUTS];
  g_autoptr (CandelaNode) replaced = NULL;
  g_autoptr (CandelaNode) node = NULL;

  for (gint64 k = 0; k < layout->n_elements; k++)
    moved[k] = x[k] + step * direction[k];
  replaced = make_node (moved, layout);
  for (guint i = 0; i < check->n_inputs; i++)
    inputs[i] = i == input ? replaced : point->inputs[i];
  node = candela_node_construct (check->op, inputs, check->n_inputs, point->params, NULL);
  return node != NULL && weigh (node, check->facts->n_outputs, point->cotangents, value, magnitude, NULL)
         && isfinite (*value);
}

/* The derivative along the direction and by how much it may be off; FALSE: not to be had
 * here. */
static gboolean
differentiate (const Point *point, guint input, const double *direction, double *derivative, double *off,
               double *magnitude)
{
  double slopes[2];

  for (guint k = 0; k < 2; k++)
    {
      double step = k == 0 ? STEP : STEP / 2, ahead, behind;

      if (!evaluate (point, input, direction, step, &ahead, magnitude)
          || !evaluate (point, input, direction, -step, &behind, magnitude))
        return FALSE;
      slopes[k] = (ahead - behind) / (2 * step);
    }
  *derivative = (4 * slopes[1] - slopes[0]) / 3;
  *off = 8 * fabs (slopes[1] - slopes[0]) + ROUNDING * DBL_EPSILON * *magnitude / STEP;
  return isfinite (*derivative) && isfinite (*off);
}

/* <the gradient, v> */
static void
multiply_gradient (const Point *point, guint input, double *direction, double *product, double *magnitude)
{
  const CandelaCheck *check = point->check;
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) gradient = candela_node_build_gradient (
    check->op, point->inputs, check->n_inputs, point->params, point->node, input, point->cotangent_nodes, &error);

  if (gradient != NULL && gradient->dtype != CANDELA_DTYPE_FLOAT64)
    candela_check_fail (check, CANDELA_CHECK_GRADIENT, "it has dtype %s; all operands have float64",
                        candela_dtype_get_name (gradient->dtype));
  if (gradient == NULL || !weigh (gradient, 1, &direction, product, magnitude, &error))
    candela_check_fail (check, CANDELA_CHECK_GRADIENT, "%s", error->message);
}

/* FALSE: nothing can be said at this point. */
static gboolean
prove (Point *point, guint input)
{
  const CandelaCheck *check = point->check;
  gint64 n = point->inputs[input]->layout->n_elements;
  double wanted, off, magnitude, found, found_magnitude;
  g_autofree double *direction = make_weights (n, &point->state);

  candela_check_begin (check, CANDELA_CHECK_GRADIENT, "the gradient for %s, %s", check->names[input],
                       check->facts->info->gradients[input]);
  if (!differentiate (point, input, direction, &wanted, &off, &magnitude))
    return FALSE;
  multiply_gradient (point, input, direction, &found, &found_magnitude);
  if (off > WORST * MAX (fabs (wanted), MAX (magnitude, isfinite (found_magnitude) ? found_magnitude : 0)))
    return FALSE;
  if (!(fabs (found - wanted) <= off + GRADIENT_ROUNDING * found_magnitude))
    candela_check_fail (check, CANDELA_CHECK_GRADIENT, "%sfinite differences give %.9g, it gives %.9g",
                        n == 1 ? "" : "along a random direction, ", wanted, found);
  return n > 0 && magnitude > 0;
}

/* ---- Points ---- */

static void
clear_point (Point *point)
{
  for (guint i = 0; i < CANDELA_CHECK_MAX_INPUTS; i++)
    g_clear_pointer (&point->inputs[i], candela_node_unref);
  for (guint o = 0; o < CANDELA_MAX_OUTPUTS; o++)
    {
      g_free (point->cotangents[o]);
      g_clear_pointer (&point->cotangent_nodes[o], candela_node_unref);
    }
  g_clear_pointer (&point->node, candela_node_unref);
  g_clear_pointer (&point->params, candela_params_unref);
}

/* FALSE: the op does not take it, or what comes out is not of float64. */
static gboolean
make_point (Point *point, const CandelaCheck *check, const CandelaCheckCase *test)
{
  const CandelaOpInfo *info = check->facts->info;

  *point = (Point){ .check = check, .state = test->seed };
  point->params = candela_params_new (info->name, info->params, test->params, NULL);
  if (point->params == NULL)
    return FALSE;
  for (guint i = 0; i < check->n_inputs; i++)
    {
      g_autoptr (CandelaTensor) tensor = candela_check_input_make_base (test, i);

      if (tensor == NULL || candela_tensor_get_n_elements (tensor) > MOST_ELEMENTS)
        return FALSE;
      point->inputs[i] = candela_node_new_tensor (tensor);
    }
  point->node = candela_node_construct (check->op, point->inputs, check->n_inputs, point->params, NULL);
  for (guint o = 0; point->node != NULL && o < check->facts->n_outputs; o++)
    {
      const CandelaLayout *layout =
        check->facts->n_outputs == 1 ? point->node->layout : candela_node_output_layout (point->node, o);
      CandelaDType dtype =
        check->facts->n_outputs == 1 ? point->node->dtype : candela_node_output_dtype (point->node, o);

      if (dtype != CANDELA_DTYPE_FLOAT64 || layout->n_elements > MOST_ELEMENTS)
        return FALSE;
      point->cotangents[o] = make_weights (layout->n_elements, &point->state);
      point->cotangent_nodes[o] = make_node (point->cotangents[o], layout);
    }
  return point->node != NULL;
}

/* All gradients at one point; those that hold are left out of the wanted ones. */
static void
look (const CandelaCheck *check, const CandelaCheckCase *test, guint32 *wanted)
{
  Point point;

  if (make_point (&point, check, test))
    for (guint i = 0; i < check->n_inputs; i++)
      if ((*wanted >> i & 1) != 0 && test->inputs[i].dtype == CANDELA_DTYPE_FLOAT64 && prove (&point, i))
        {
          *wanted &= ~(1u << i);
          check->shared->gradients |= 1u << i;
        }
  clear_point (&point);
}

void
candela_check_gradients (CandelaCheck *check)
{
  guint32 wanted = 0;

  for (guint i = 0; i < check->n_inputs && i < CANDELA_MAX_GRADIENTS; i++)
    if (check->facts->info->gradients[i] != NULL)
      wanted |= 1u << i;
  if (candela_check_case_is_differentiated (check->test))
    {
      look (check, check->test, &wanted);
      return;
    }
  for (guint attempt = 0; wanted != 0 && attempt < ATTEMPTS; attempt++)
    {
      CandelaCheckCase test;

      check->shared->gradient_attempt = attempt;
      candela_check_case_copy (&test, check->test);
      candela_check_case_differentiate (&test, check->facts, attempt);
      look (check, &test, &wanted);
      candela_check_case_clear (&test);
    }
}
