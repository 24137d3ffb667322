/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Building an op node: everything that can be wrong is found here, before
 * anything runs. Inputs are counted and promoted (weak scalars take the dtype
 * of the arrays that they meet), the op infers its outputs, and what is known
 * to be equal to an input, or is arithmetic of scalars alone, is folded where
 * that changes no bit. What has a shape only once it has been computed is computed
 * now, by the layer that runs plans. */
#include <candela/graph/node-private.h>
#include <candela/op/registry-private.h>
#include <candela/value/dtype-private.h>
#include <string.h>

/* Inputs for which no memory is asked: ops with more are rare. */
#define FEW_INPUTS 16

typedef struct
{
  CandelaOp *op;
  const CandelaOpFacts *facts;
  CandelaNode *const *given;
  CandelaNode **inputs; /* as given, literals replaced where their dtype changed, which are owned */
  const CandelaLayout **layouts;
  CandelaDType *dtypes;
  guint n_inputs;
  CandelaDType promoted;
  gboolean all_weak;
} Construction;

static gboolean
refuse_arity (const CandelaOpFacts *facts, gsize n, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < facts->n_inputs; i++)
    g_string_append_printf (names, "%s%s%s", i == 0 ? " (" : ", ", facts->info->inputs[i].name,
                            i == facts->n_inputs - 1 ? ")" : "");
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY, "%s: takes %s%u input%s%s; %" G_GSIZE_FORMAT " given",
               facts->info->name,
               facts->variadic                        ? "at least "
               : facts->n_required != facts->n_inputs ? "up to "
                                                      : "",
               facts->variadic ? facts->n_required : facts->n_inputs,
               (facts->variadic ? facts->n_required : facts->n_inputs) == 1 ? "" : "s", names->str, n);
  return FALSE;
}

static inline gboolean
check_arity (const CandelaOpFacts *facts, gsize n, GError **error)
{
  return (n >= facts->n_required && (facts->variadic || n <= facts->n_inputs) && n <= G_MAXUINT16)
         || refuse_arity (facts, n, error);
}

/* Weak scalars together: those that are integers stay so. */
static CandelaDType
promote_scalars (CandelaDType a, CandelaDType b)
{
  if ((a == CANDELA_DTYPE_UINT64 && b == CANDELA_DTYPE_INT64)
      || (a == CANDELA_DTYPE_INT64 && b == CANDELA_DTYPE_UINT64))
    return CANDELA_DTYPE_UINT64;
  return candela_dtype_promote (a, b);
}

/* Arrays first, then what weak scalars add. */
CandelaDType
candela_node_promote (const CandelaOpFacts *facts, CandelaNode *const *inputs, guint n_inputs, gboolean *all_weak)
{
  CandelaDType arrays = CANDELA_DTYPE_INVALID;
  CandelaDType scalars = CANDELA_DTYPE_INVALID;
  gboolean weak = n_inputs > 0;

  for (guint i = 0; i < n_inputs; i++)
    {
      CandelaDType dtype = inputs[i]->dtype;
      CandelaDType *sum = inputs[i]->weak ? &scalars : &arrays;

      weak = weak && inputs[i]->weak;
      if (candela_op_facts_input (facts, i)->fixed == CANDELA_DTYPE_INVALID)
        *sum = *sum == CANDELA_DTYPE_INVALID || *sum == dtype ? dtype
               : inputs[i]->weak                              ? promote_scalars (*sum, dtype)
                                                              : candela_dtype_promote (*sum, dtype);
    }
  if (all_weak != NULL)
    *all_weak = weak;
  return arrays == CANDELA_DTYPE_INVALID    ? scalars
         : scalars == CANDELA_DTYPE_INVALID ? arrays
                                            : candela_dtype_promote_weak (arrays, scalars);
}

/* big: the value is one of a uint64, and above all int64s if it looks negative. */
static gboolean
int_fits (gint64 value, gboolean big, CandelaDType dtype)
{
  guint bits = 8 * candela_dtype_get_size (dtype);

  if (big && value < 0)
    return (candela_dtype_get_kind (dtype) & (CANDELA_DTYPE_KIND_SIGNED | CANDELA_DTYPE_KIND_UNSIGNED)) == 0
           || dtype == CANDELA_DTYPE_UINT64;

  switch (candela_dtype_get_kind (dtype))
    {
    case CANDELA_DTYPE_KIND_SIGNED:
      return bits == 64
             || (value >= -(G_GINT64_CONSTANT (1) << (bits - 1)) && value < G_GINT64_CONSTANT (1) << (bits - 1));
    case CANDELA_DTYPE_KIND_UNSIGNED:
      return value >= 0 && (bits == 64 || value < G_GINT64_CONSTANT (1) << bits);
    default:
      return TRUE;
    }
}

CandelaNode *
candela_node_convert_literal (const CandelaOpFacts *facts, guint i, const CandelaNode *literal, CandelaDType dtype,
                              gboolean weak, GError **error)
{
  CandelaConvertFunc convert = candela_dtype_get_convert_func (literal->dtype, dtype);
  guint8 value[16];

  if (literal->dtype == CANDELA_DTYPE_INT64 || literal->dtype == CANDELA_DTYPE_UINT64)
    {
      gint64 number = *(const gint64 *) literal->u.scalar;
      gboolean big = literal->dtype == CANDELA_DTYPE_UINT64;

      if (!int_fits (number, big, dtype))
        {
          g_autofree char *text = big ? g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) number)
                                      : g_strdup_printf ("%" G_GINT64_FORMAT, number);

          g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE, "%s: %s is %s, which is outside the range of %s",
                       facts->info->name, candela_op_facts_input (facts, i)->name, text,
                       candela_dtype_get_name (dtype));
          return NULL;
        }
    }
  if (convert == NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE, "%s: %s cannot become %s yet", facts->info->name,
                   candela_op_facts_input (facts, i)->name, candela_dtype_get_name (dtype));
      return NULL;
    }
  convert (value, literal->u.scalar, 1);
  return candela_node_new_literal (dtype, value, weak);
}

static gboolean
refuse_kind (const Construction *c, guint i, GError **error)
{
  static const char *const names[] = { "bool", "signed integer", "unsigned integer", "floating-point", "complex" };
  const CandelaInputInfo *info = candela_op_facts_input (c->facts, i);
  g_autoptr (GString) kinds = g_string_new (NULL);

  for (guint k = 0; k < G_N_ELEMENTS (names); k++)
    if ((info->kinds & (1 << k)) != 0)
      g_string_append_printf (kinds, "%s%s", kinds->len > 0 ? ", " : "", names[k]);
  g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_DTYPE, "%s: %s has dtype %s; it must be %s", c->facts->info->name,
               info->name, candela_dtype_get_name (c->dtypes[i]), kinds->str);
  return FALSE;
}

static inline gboolean
check_kind (const Construction *c, guint i, GError **error)
{
  guint kinds = candela_op_facts_input (c->facts, i)->kinds;

  return kinds == 0 || (kinds & candela_dtype_kind (c->dtypes[i])) != 0 || refuse_kind (c, i, error);
}

/* Dtypes and layouts as infer sees them; what c->inputs then has of its own is
 * literals. */
static gboolean
settle_inputs (Construction *c, CandelaNode *const *given, GError **error)
{
  gboolean ok = TRUE;

  c->promoted = candela_node_promote (c->facts, given, c->n_inputs, &c->all_weak);
  for (guint i = 0; i < c->n_inputs; i++)
    {
      CandelaDType fixed = candela_op_facts_input (c->facts, i)->fixed;
      CandelaDType own = c->inputs[i]->dtype;
      /* What is read as a fixed dtype is made one now, if it is a number that such an array
       * would take: so its range is checked. */
      CandelaDType dtype = fixed == CANDELA_DTYPE_INVALID                     ? c->promoted
                           : candela_dtype_promote_weak (fixed, own) == fixed ? fixed
                                                                              : own;
      CandelaNode *literal = NULL;

      if (ok && given[i]->weak && given[i]->literal && given[i]->dtype != dtype)
        {
          literal = candela_node_convert_literal (c->facts, i, c->inputs[i], dtype, c->all_weak, error);
          ok = literal != NULL;
        }
      if (literal != NULL)
        c->inputs[i] = literal;
      c->layouts[i] = c->inputs[i]->layout;
      c->dtypes[i] = c->inputs[i]->dtype;
      ok = ok && check_kind (c, i, error);
    }
  return ok;
}

/* What an element-wise op makes of weak scalars is weak too, unless a dtype was
 * asked for. */
static gboolean
stays_weak (const Construction *c, const CandelaParams *params)
{
  if (!c->all_weak || c->facts->info->axes != CANDELA_AXES_ELEMENTWISE)
    return FALSE;
  for (guint i = 0; i < c->facts->n_params; i++)
    if (c->facts->info->params[i].type == CANDELA_PARAM_DTYPE && candela_params_is_set (params, i))
      return FALSE;
  return TRUE;
}

/* Whether a weak scalar can be of it. */
static gboolean
is_of_scalar (CandelaDType dtype)
{
  return dtype == CANDELA_DTYPE_BOOL || dtype == CANDELA_DTYPE_INT64 || dtype == CANDELA_DTYPE_UINT64
         || dtype == CANDELA_DTYPE_FLOAT64 || dtype == CANDELA_DTYPE_COMPLEX128;
}

/* The same loop as in a run, so the same bits. */
CandelaNode *
candela_node_fold_literals (const CandelaOpFacts *facts, const CandelaKernelInfo *kernel, CandelaNode *const *inputs,
                            guint n_inputs, const CandelaParams *params, guint output, gboolean weak)
{
  guint8 values[CANDELA_MAX_LOOP_INPUTS][16];
  guint8 results[CANDELA_MAX_OUTPUTS][16];
  gconstpointer in[CANDELA_MAX_LOOP_INPUTS];
  gpointer out[CANDELA_MAX_OUTPUTS];
  CandelaDType dtype;

  if (facts->info->axes != CANDELA_AXES_ELEMENTWISE || facts->info->effect != CANDELA_EFFECT_PURE
      || facts->info->threads != CANDELA_THREADS_ANY || kernel == NULL)
    return NULL;
  for (guint i = 0; i < n_inputs; i++)
    {
      CandelaConvertFunc convert = candela_dtype_get_convert_func (inputs[i]->dtype, kernel->in[i]);

      if (!inputs[i]->literal || convert == NULL)
        return NULL;
      convert (values[i], inputs[i]->u.scalar, 1);
      in[i] = values[i];
    }
  for (guint o = 0; o < facts->n_outputs; o++)
    out[o] = results[o];
  kernel->loop (out, in, 1, params);

  dtype = kernel->out[output];
  return candela_node_new_literal (dtype, results[output], weak && is_of_scalar (dtype));
}

/* Arithmetic of weak literals is done at once: only so is a scalar's range known
 * when it meets an array. */
static CandelaNode *
fold_scalars (const Construction *c, const CandelaInference *inference, const CandelaParams *params)
{
  if (!c->all_weak || c->facts->n_outputs != 1 || inference->aliasing[0] != CANDELA_ALIASING_NONE)
    return NULL;
  return candela_node_fold_literals (c->facts, inference->kernel, c->inputs, c->n_inputs, params, 0,
                                     stays_weak (c, params));
}

static gboolean
takes_operands_as_they_are (const Construction *c, const CandelaInference *inference)
{
  const CandelaKernelInfo *kernel = inference->kernel;

  if (c->facts->info->axes != CANDELA_AXES_ELEMENTWISE || kernel == NULL
      || c->facts->info->threads == CANDELA_THREADS_ONE_AT_A_TIME)
    return FALSE;
  for (guint i = 0; i < c->n_inputs; i++)
    if (c->dtypes[i] != kernel->in[i])
      return FALSE;
  for (guint o = 0; o < c->facts->n_outputs; o++)
    if (inference->out_dtypes[o] != kernel->out[o])
      return FALSE;
  return TRUE;
}

/* Takes over what has been made for it: layouts and literals. */
static CandelaNode *
make_node (Construction *c, CandelaInference *inference, CandelaParams *params)
{
  guint n_outputs = c->facts->n_outputs;
  CandelaNode *node;

  for (guint i = 0; i < c->n_inputs; i++)
    if (c->inputs[i] == c->given[i])
      candela_node_ref (c->inputs[i]);
  node = candela_node_alloc (CANDELA_NODE_OP, inference->out_dtypes[0], g_steal_pointer (&inference->out_layouts[0]),
                             c->inputs, c->n_inputs);
  c->given = c->inputs;

  node->n_outputs = n_outputs;
  node->weak = stays_weak (c, params);
  node->aliasing = inference->aliasing[0];
  node->aliased_input = inference->aliased_input[0];
  node->u.op.op = candela_op_hold (c->op);
  node->u.op.facts = c->facts;
  node->u.op.kernel = inference->kernel;
  node->u.op.params = candela_params_ref (params);
  node->direct = takes_operands_as_they_are (c, inference);
  if (n_outputs > 1)
    {
      node->u.op.outputs = g_new (CandelaNodeOutput, n_outputs);
      for (guint o = 0; o < n_outputs; o++)
        node->u.op.outputs[o] = (CandelaNodeOutput){ .layout = o == 0 ? candela_layout_ref (node->layout)
                                                                      : g_steal_pointer (&inference->out_layouts[o]),
                                                     .dtype = inference->out_dtypes[o],
                                                     .aliasing = inference->aliasing[o],
                                                     .aliased_input = inference->aliased_input[o] };
    }
  return node;
}

static CandelaNode *
fold_or_make (Construction *c, CandelaInference *inference, CandelaParams *params)
{
  int same = c->facts->info->fold != NULL ? c->facts->info->fold (inference) : -1;
  CandelaNode *node;

  if (same >= 0 && same < (int) c->n_inputs && (!c->inputs[same]->weak || stays_weak (c, params))
      && c->dtypes[same] == inference->out_dtypes[0] && c->facts->n_outputs == 1
      && candela_layout_same_shape (c->layouts[same], inference->out_layouts[0]))
    return candela_node_ref (c->inputs[same]);
  node = fold_scalars (c, inference, params);
  return node != NULL ? node : make_node (c, inference, params);
}

/* A node whose shape depends on data has one only when it has been computed. */
static CandelaNode *
compute_now (const Construction *c, const CandelaInference *inference, GError **error)
{
  for (guint i = 0; i < c->n_inputs; i++)
    if (c->inputs[i]->unbound)
      {
        candela_inference_fail (inference, error, CANDELA_ERROR_SHAPE,
                                "the shape of the result depends on the elements of %s, and these on a slot: they are "
                                "not there until the plan runs",
                                candela_op_facts_input (c->facts, i)->name);
        return NULL;
      }
  return candela_node_compute_now (inference, c->inputs, error);
}

static CandelaNode *
infer_and_make (Construction *c, CandelaParams *params, GError **error)
{
  CandelaInference inference;
  CandelaNode *node = NULL;

  candela_inference_init (&inference, c->op, params, c->n_inputs, c->layouts, c->dtypes, c->promoted);
  if (candela_inference_run (&inference, error))
    node = c->facts->info->output_shape == CANDELA_OUTPUT_SHAPE_DATA ? compute_now (c, &inference, error)
                                                                     : fold_or_make (c, &inference, params);
  candela_inference_clear (&inference);
  return node;
}

CandelaNode *
candela_node_construct (CandelaOp *op, CandelaNode *const *inputs, gsize n_inputs, CandelaParams *params,
                        GError **error)
{
  CandelaNode *few_nodes[FEW_INPUTS];
  const CandelaLayout *few_layouts[FEW_INPUTS];
  CandelaDType few_dtypes[FEW_INPUTS];
  g_autofree gpointer many = NULL;
  Construction c = { .op = op, .facts = candela_op_get_facts (op), .given = inputs };
  CandelaNode *node = NULL;

  if (!check_arity (c.facts, n_inputs, error))
    return NULL;
  node = candela_node_new_plain (op, inputs, n_inputs, params);
  if (node != NULL)
    return node;
  c.n_inputs = n_inputs;
  c.inputs = few_nodes;
  c.layouts = few_layouts;
  c.dtypes = few_dtypes;
  if (n_inputs > FEW_INPUTS)
    {
      many = g_malloc (n_inputs * (2 * sizeof (gpointer) + sizeof (CandelaDType)));
      c.inputs = many;
      c.layouts = (const CandelaLayout **) (c.inputs + n_inputs);
      c.dtypes = (CandelaDType *) (c.layouts + n_inputs);
    }
  for (gsize i = 0; i < n_inputs; i++)
    c.inputs[i] = inputs[i];

  if (settle_inputs (&c, inputs, error))
    node = c.facts->info->expression != NULL ? candela_node_expand (c.facts, inputs, c.n_inputs, params, error)
                                             : infer_and_make (&c, params, error);
  for (gsize i = 0; i < n_inputs; i++)
    if (c.inputs[i] != c.given[i])
      candela_node_unref (c.inputs[i]);
  return node;
}

/* An input that is NULL is missing. If it may be, another stands in; if it may
 * not, the caller learns which it was. */
static gboolean
complete_inputs (const CandelaOpFacts *facts, CandelaNode **inputs, gsize *n_inputs, GError **error)
{
  while (*n_inputs > facts->n_required && *n_inputs <= facts->n_inputs && !facts->variadic
         && inputs[*n_inputs - 1] == NULL)
    (*n_inputs)--;
  for (gsize i = 0; i < *n_inputs; i++)
    {
      guint stand_in = i < facts->n_inputs ? facts->info->inputs[i].stand_in : 0;

      if (inputs[i] == NULL && stand_in != 0)
        inputs[i] = inputs[stand_in - 1];
      if (inputs[i] == NULL)
        {
          g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_ARITY, "%s: input '%s' is missing", facts->info->name,
                       facts->n_inputs > 0 ? candela_op_facts_input (facts, i)->name : "");
          return FALSE;
        }
    }
  return TRUE;
}

/* Replaces the inputs if some are missing and others stand in for them; completed is
 * what is to be freed. */
static gboolean
settle_missing (const CandelaOpFacts *facts, CandelaNode *const **inputs, gsize *n_inputs, CandelaNode ***completed,
                GError **error)
{
  gboolean missing = FALSE;

  for (gsize i = 0; i < *n_inputs; i++)
    missing = missing || (*inputs)[i] == NULL;
  if (!missing)
    return TRUE;
  *completed = g_memdup2 (*inputs, *n_inputs * sizeof **inputs);
  *inputs = *completed;
  return complete_inputs (facts, *completed, n_inputs, error);
}

CandelaNode *
candela_node_new_for_values (CandelaOp *op, CandelaNode *const *inputs, gsize n_inputs, GVariant *const *values,
                             GError **error)
{
  const CandelaOpFacts *facts = candela_op_get_facts (op);
  g_autofree CandelaNode **completed = NULL;
  g_autoptr (CandelaParams) checked = NULL;

  if (!settle_missing (facts, &inputs, &n_inputs, &completed, error))
    return NULL;
  checked = candela_params_new_for_values (facts->info->name, facts->info->params, values, error);
  return checked != NULL ? candela_node_construct (op, inputs, n_inputs, checked, error) : NULL;
}

static CandelaNode *
new_node (CandelaOp *op, CandelaNode *const *inputs, gsize n_inputs, GVariant *params, gboolean again, GError **error)
{
  const CandelaOpFacts *facts = candela_op_get_facts (op);
  g_autofree CandelaNode **completed = NULL;
  g_autoptr (CandelaParams) checked = NULL;

  if ((error != NULL && *error != NULL) || !settle_missing (facts, &inputs, &n_inputs, &completed, error))
    return NULL;
  checked = candela_op_read_params (op, params, again, error);
  return checked != NULL ? candela_node_construct (op, inputs, n_inputs, checked, error) : NULL;
}

/**
 * candela_node_new_for_op:
 * @op: an op
 * @inputs: (array length=n_inputs) (nullable): its inputs
 * @n_inputs: their number
 * @params: (nullable): its parameters, of type `a{sv}`; sunk if floating
 * @error: return location for an error
 *
 * A node for an op, as candela_node_new_opv() makes it.
 *
 * Returns: (transfer full): a node, or %NULL on error
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_new_for_op (CandelaOp *op, CandelaNode *const *inputs, gsize n_inputs, GVariant *params, GError **error)
{
  /* What floats is gone after this call. */
  gboolean again = params != NULL && !g_variant_is_floating (params);
  g_autoptr (GVariant) sunk = params != NULL ? g_variant_ref_sink (params) : NULL;

  g_return_val_if_fail (CANDELA_IS_OP (op), NULL);

  return new_node (op, inputs, n_inputs, sunk, again, error);
}

/**
 * candela_node_new_opv: (rename-to candela_node_new_op)
 * @op: the name of an op
 * @inputs: (array length=n_inputs) (nullable): its inputs
 * @n_inputs: their number
 * @params: (nullable): its parameters, of type `a{sv}`; sunk if floating
 * @error: return location for an error
 *
 * A node for an op of any plugin. Shapes, dtypes and parameters are checked now;
 * nothing is computed, but where the op declares that its result's shape depends on
 * data: it and its inputs are computed now, and the node is an edge. The current
 * cancellable of the thread (g_cancellable_push_current()) cancels that. An optional
 * input that is not given may be %NULL. Where an error is already set, it stays as it
 * is and the result is %NULL: an input that is the result of a failed call is %NULL,
 * and a chain of calls is checked once, at its end.
 *
 * Returns: (transfer full): a node, or %NULL on any error of
 *   #CandelaError but those of files; where it is computed, also on one of
 *   candela_node_materialize()
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_new_opv (const char *op, CandelaNode *const *inputs, gsize n_inputs, GVariant *params, GError **error)
{
  gboolean again = params != NULL && !g_variant_is_floating (params);
  g_autoptr (GVariant) sunk = params != NULL ? g_variant_ref_sink (params) : NULL;
  CandelaOp *found;
  CandelaNode *node;

  g_return_val_if_fail (op != NULL, NULL);

  if (error != NULL && *error != NULL)
    return NULL;
  found = candela_registry_hold_op (candela_registry_get_default (), op, FALSE, error);
  if (found == NULL)
    return NULL;
  node = new_node (found, inputs, n_inputs, sunk, again, error);
  candela_op_release (found);
  return node;
}

/**
 * candela_node_new_op: (skip)
 * @op: the name of an op
 * @error: return location for an error
 * @...: inputs, ended by %NULL, then parameters: a name, a format of
 *   g_variant_new() and its arguments each, ended by %NULL
 *
 * A node for an op, for C: `candela_node_new_op ("sum", &error, x, NULL, "axis",
 * "x", (gint64) 0, NULL)`. Both lists must be ended, also an empty one. Where
 * fewer inputs come before the %NULL than the op needs, it is taken for an input
 * that failed, and nothing after it is read.
 *
 * Returns: (transfer full): a node, or %NULL on error
 *
 * Since: 1.0
 */
CandelaNode *
candela_node_new_op (const char *op, GError **error, ...)
{
  CandelaNode *few[CANDELA_MAX_LOOP_INPUTS], **inputs = few, *input;
  g_autofree CandelaNode **many = NULL;
  CandelaParams *params = NULL;
  gsize n_inputs = 0;
  CandelaOp *found;
  CandelaNode *node = NULL;
  va_list args;

  g_return_val_if_fail (op != NULL, NULL);

  if (error != NULL && *error != NULL)
    return NULL;
  found = candela_registry_hold_op (candela_registry_get_default (), op, FALSE, error);
  if (found == NULL)
    return NULL;

  const CandelaOpFacts *facts = candela_op_get_facts (found);

  va_start (args, error);
  while ((input = va_arg (args, CandelaNode *)) != NULL)
    {
      if (n_inputs >= G_N_ELEMENTS (few) && (n_inputs & (n_inputs - 1)) == 0)
        {
          many = g_renew (CandelaNode *, many, 2 * n_inputs);
          if (inputs == few)
            memcpy (many, few, sizeof few);
          inputs = many;
        }
      inputs[n_inputs++] = input;
    }
  /* Too few inputs: the NULL was one of them, and what follows is no name. */
  if (check_arity (facts, n_inputs, error))
    params = candela_params_new_va (facts->info->name, facts->info->params, &args, error);
  va_end (args);
  if (params != NULL)
    node = candela_node_construct (found, inputs, n_inputs, params, error);
  g_clear_pointer (&params, candela_params_unref);
  candela_op_release (found);
  return node;
}
