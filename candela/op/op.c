/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An op: a declaration that has been checked, with its counts taken. What the
 * engine reads is the facts; the object is for users, who ask what an op takes
 * and gives. */
#include <candela/op/elementwise.h>
#include <candela/op/op-private.h>
#include <string.h>

typedef struct
{
  CandelaOpInfo info;         /* zero-extended copy of the plugin's */
  CandelaKernelInfo *kernels; /* those of its rows that are taken; NULL: all of them */
  CandelaOpFacts facts;
  GParamSpec **specs;         /* once asked for (atomic): n_params of them */
  CandelaParams *last_params; /* see candela_params_new_remembered() */
} CandelaOpPrivate;

G_DEFINE_TYPE_WITH_PRIVATE (CandelaOp, candela_op, G_TYPE_OBJECT)

static gboolean
candela_op_real_infer (CandelaOp *op, CandelaInference *inference, GError **error)
{
  return inference->facts->info->infer (inference, error);
}

static gboolean
candela_op_real_compute (CandelaOp *op, CandelaKernel *kernel, GError **error)
{
  return kernel->info->compute (kernel, error);
}

static void
free_specs (GParamSpec **specs, guint n)
{
  for (guint i = 0; specs != NULL && i < n; i++)
    g_param_spec_unref (specs[i]);
  g_free (specs);
}

/* While the tables are there, which a subclass may own. */
static void
candela_op_dispose (GObject *object)
{
  CandelaOpPrivate *priv = candela_op_get_instance_private (CANDELA_OP (object));

  g_clear_pointer (&priv->last_params, candela_params_unref);
  G_OBJECT_CLASS (candela_op_parent_class)->dispose (object);
}

static void
candela_op_finalize (GObject *object)
{
  CandelaOpPrivate *priv = candela_op_get_instance_private (CANDELA_OP (object));

  g_free (priv->facts.plugin_name);
  g_free (priv->kernels);
  free_specs (priv->specs, priv->facts.n_params);
  G_OBJECT_CLASS (candela_op_parent_class)->finalize (object);
}

static void
candela_op_class_init (CandelaOpClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = candela_op_dispose;
  G_OBJECT_CLASS (klass)->finalize = candela_op_finalize;
  klass->infer = candela_op_real_infer;
  klass->compute = candela_op_real_compute;
}

static void
candela_op_init (CandelaOp *op)
{
  CandelaOpPrivate *priv = candela_op_get_instance_private (op);

  priv->facts.info = &priv->info;
  /* Of an op that a script makes and no plugin. */
  priv->info.name = "";
  priv->info.summary = "";
}

/* ---- Checking a declaration ---- */

static gboolean
is_name (const char *name)
{
  if (name == NULL || !(g_ascii_islower (name[0]) || name[0] == '_'))
    return FALSE;
  for (const char *c = name; *c != '\0'; c++)
    if (!g_ascii_islower (*c) && !g_ascii_isdigit (*c) && *c != '_')
      return FALSE;
  return TRUE;
}

static const char *
check_inputs (CandelaOpFacts *facts)
{
  const CandelaInputInfo *inputs = facts->info->inputs;

  for (guint i = 0; inputs != NULL && inputs[i].name != NULL; i++)
    {
      if (!is_name (inputs[i].name))
        return "the name of an input is not of lower-case letters, digits and underscores";
      if (facts->variadic)
        return "a variadic input is not the last one";
      if ((inputs[i].flags & CANDELA_INPUT_VARIADIC) != 0)
        facts->variadic = TRUE;
      else if ((inputs[i].flags & CANDELA_INPUT_OPTIONAL) == 0)
        {
          if (facts->n_required != i)
            return "a required input comes after an optional one";
          facts->n_required++;
        }
      if (inputs[i].stand_in > i)
        return "an input stands in for one before it";
      if ((guint) inputs[i].fixed >= CANDELA_N_DTYPES)
        return "the fixed dtype of an input is none";
      facts->n_inputs++;
    }
  return NULL;
}

static const char *
check_words (const CandelaOpInfo *info)
{
  if ((guint) info->axes > CANDELA_AXES_REDUCTION || (guint) info->aliasing > CANDELA_ALIASING_TAKEOVER
      || (guint) info->effect > CANDELA_EFFECT_ORDERED || (guint) info->determinism > CANDELA_DETERMINISM_NONE
      || (guint) info->threads > CANDELA_THREADS_CALLER || (guint) info->output_shape > CANDELA_OUTPUT_SHAPE_DATA)
    return "one of its facts has a value that this version does not know";
  if (info->output_shape == CANDELA_OUTPUT_SHAPE_DATA
      && (info->axes != CANDELA_AXES_OPAQUE || info->aliasing != CANDELA_ALIASING_NONE || info->in_place != NULL
          || info->effect != CANDELA_EFFECT_PURE))
    return "the shape of its output depends on data, and it is not opaque and pure, with buffers of its own";
  return NULL;
}

static const char *
check_tables (CandelaOpFacts *facts)
{
  const CandelaOpInfo *info = facts->info;

  facts->n_outputs = info->outputs != NULL ? g_strv_length ((char **) info->outputs) : 1;
  if (facts->n_outputs == 0 || facts->n_outputs > CANDELA_MAX_OUTPUTS)
    return "it has no output, or too many";
  for (const CandelaParamInfo *param = info->params; param != NULL && param->name != NULL; param++)
    {
      if (!is_name (param->name))
        return "the name of a parameter is not of lower-case letters, digits and underscores";
      if ((guint) param->type > CANDELA_PARAM_SCALAR)
        return "the type of a parameter is none";
      facts->n_params++;
    }
  for (const CandelaInPlace *row = info->in_place; row != NULL && row->mode != CANDELA_IN_PLACE_NEVER; row++)
    if (row->output >= facts->n_outputs || row->input >= facts->n_inputs
        || (guint) row->mode > CANDELA_IN_PLACE_READ_FIRST)
      return "the in-place table names an input or output that the op does not have";
  if (info->aliasing != CANDELA_ALIASING_NONE && facts->n_inputs == 0)
    return "it aliases an input and has none";
  if (info->reduced_axes != NULL && (info->axes != CANDELA_AXES_REDUCTION || facts->n_inputs != 1 || facts->variadic))
    return "it tells which axes it reduces, and is no reduction of one input";
  if (info->takes_fed && info->reduced_axes == NULL)
    return "it takes an input that is not in memory, and does not tell which axes it reduces";
  if (info->operators != NULL)
    {
      g_auto (GStrv) operators = g_strsplit (info->operators, " ", -1);

      for (guint i = 0; operators[i] != NULL; i++)
        {
          const char *colon = strchr (operators[i], ':');

          if (colon == NULL || colon == operators[i] || colon[1] == '\0')
            return "an operator is not of the form infix:+, prefix:-, index:[] or attribute:.T";
        }
    }
  return NULL;
}

static const char *
check_expression (const CandelaOpFacts *facts)
{
  const CandelaOpInfo *info = facts->info;

  if (info->kernels != NULL || info->infer != NULL || facts->n_outputs != 1)
    return "it is an expression and has kernels, an infer function or several outputs";
  if (facts->n_inputs == 0 || facts->n_inputs > CANDELA_MAX_EXPRESSION_INPUTS || facts->n_required != facts->n_inputs
      || facts->variadic)
    return "it is an expression and has no inputs, too many, optional ones or any number";
  for (guint i = 0; i < facts->n_params; i++)
    if (info->params[i].type == CANDELA_PARAM_DTYPE)
      return "it is an expression and has a dtype as parameter";
  return NULL;
}

static const char *
check_kernels (const CandelaOpFacts *facts, CandelaOpClass *klass)
{
  const CandelaOpInfo *info = facts->info;
  gboolean elementwise = info->axes == CANDELA_AXES_ELEMENTWISE;
  guint n = 0;

  for (const CandelaKernelInfo *row = info->kernels; row != NULL && (row->loop != NULL || row->compute != NULL); row++)
    {
      if (elementwise ? row->loop == NULL : row->compute == NULL)
        return elementwise ? "it is element-wise and a kernel has no loop" : "a kernel has no compute function";
      for (guint i = 0; i < CANDELA_MAX_LOOP_INPUTS; i++)
        if ((guint) row->in[i] >= CANDELA_N_DTYPES)
          return "the dtype of a kernel's input is none";
      for (guint o = 0; elementwise && o < facts->n_outputs; o++)
        if (row->out[o] == CANDELA_DTYPE_INVALID || (guint) row->out[o] >= CANDELA_N_DTYPES)
          return "the dtype of a kernel's output is none";
      if (elementwise && row->stages != NULL && !candela_op_facts_fit_stages (facts, row))
        return "a kernel has stages that do not fit its operands";
      if (!elementwise && row->rows != NULL && !candela_op_facts_fit_rows (facts, row))
        return "a kernel takes rows and does not say of which dtypes, or its op is no reduction of one input";
      n++;
    }
  if (!candela_op_facts_fit_rows_ends (facts))
    return "what ends rows that stages make has no kernel that takes rows of the same dtypes, or lacks a function";
  if (elementwise && n == 0)
    return "it is element-wise and has no kernels";
  if (elementwise && (facts->n_inputs == 0 || facts->n_inputs > CANDELA_MAX_LOOP_INPUTS || facts->variadic))
    return "it is element-wise and has no inputs, too many or any number";
  if (elementwise && info->aliasing != CANDELA_ALIASING_NONE)
    return "it is element-wise and aliases its input";
  if (!elementwise && info->infer == NULL && klass->infer == candela_op_real_infer
      && info->aliasing != CANDELA_ALIASING_ALIAS && info->aliasing != CANDELA_ALIASING_TAKEOVER)
    return "it has no infer function";
  return NULL;
}

/* An empty one says nothing; other than UTF-8 cannot be told. */
static const char *
check_texts (const CandelaOpInfo *info)
{
  const char *const texts[] = { info->summary, info->formula, info->example };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (texts[i] != NULL && (texts[i][0] == '\0' || !g_utf8_validate (texts[i], -1, NULL)))
      return "its summary, formula or example is empty or not UTF-8";
  return NULL;
}

static gboolean
serves (const CandelaKernelInfo *row, const CandelaKernelInfo *other)
{
  return memcmp (row->in, other->in, sizeof row->in) == 0 && memcmp (row->out, other->out, sizeof row->out) == 0
         && row->n_inputs == other->n_inputs;
}

/* The rows that this processor can run, of those for the same dtypes the first; NULL if all are
 * for any. */
static CandelaKernelInfo *
choose_kernels (const CandelaKernelInfo *rows)
{
  CandelaInstructionSet set, highest = CANDELA_INSTRUCTION_SET_BASELINE;
  CandelaKernelInfo *chosen;
  gsize n = 0, n_chosen = 0;

  for (; rows != NULL && (rows[n].loop != NULL || rows[n].compute != NULL); n++)
    highest = MAX (highest, rows[n].instruction_set);
  if (highest == CANDELA_INSTRUCTION_SET_BASELINE)
    return NULL;
  set = candela_get_instruction_set ();
  chosen = g_new0 (CandelaKernelInfo, n + 1);
  for (gsize i = 0; i < n; i++)
    {
      gboolean needed = rows[i].instruction_set <= set;

      for (gsize k = 0; k < n_chosen; k++)
        needed = needed && !serves (&chosen[k], &rows[i]);
      if (needed)
        chosen[n_chosen++] = rows[i];
    }
  return chosen;
}

CandelaOp *
candela_op_new (GType type, const CandelaOpInfo *info, const char *plugin_name, GError **error)
{
  const char *wrong = NULL;

  if (!g_type_is_a (type, CANDELA_TYPE_OP) || G_TYPE_IS_ABSTRACT (type))
    wrong = "its type is not a CandelaOp";
  else if (info == NULL || info->struct_size < G_STRUCT_OFFSET (CandelaOpInfo, fold)
           || info->struct_size > sizeof (CandelaOpInfo))
    wrong = "the size of its declaration is not that of this or an older version";
  if (wrong != NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "an op cannot be registered: %s", wrong);
      return NULL;
    }

  g_autoptr (CandelaOp) op = g_object_new (type, NULL);
  CandelaOpPrivate *priv = candela_op_get_instance_private (op);
  memcpy (&priv->info, info, info->struct_size);
  priv->facts.plugin_name = g_strdup (plugin_name);
  priv->kernels = choose_kernels (info->kernels);
  if (priv->kernels != NULL)
    priv->info.kernels = priv->kernels;

  if (!is_name (info->name))
    wrong = "its name is not of lower-case letters, digits and underscores";
  else if (info->summary == NULL || info->summary[0] == '\0')
    wrong = "it has no summary";
  if (wrong == NULL)
    wrong = check_texts (&priv->info);
  if (wrong == NULL)
    wrong = check_inputs (&priv->facts);
  if (wrong == NULL)
    wrong = check_words (&priv->info);
  if (wrong == NULL)
    wrong = check_tables (&priv->facts);
  if (wrong == NULL)
    wrong = priv->info.expression != NULL ? check_expression (&priv->facts)
                                          : check_kernels (&priv->facts, CANDELA_OP_GET_CLASS (op));
  if (wrong == NULL)
    wrong = candela_op_facts_check_gradients (&priv->facts);
  if (wrong != NULL)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_PLUGIN, "op \"%s\" cannot be registered: %s",
                   info->name != NULL ? info->name : "", wrong);
      return NULL;
    }
  candela_op_facts_complete (&priv->facts, CANDELA_OP_GET_CLASS (op));
  return g_steal_pointer (&op);
}

/* ---- Facts ---- */

const CandelaOpFacts *
candela_op_get_facts (CandelaOp *op)
{
  return &((CandelaOpPrivate *) candela_op_get_instance_private (op))->facts;
}

CandelaParams *
candela_op_read_params (CandelaOp *op, GVariant *given, gboolean again, GError **error)
{
  CandelaOpPrivate *priv = candela_op_get_instance_private (op);
  const CandelaOpInfo *info = &priv->info;

  return again ? candela_params_new_remembered (&priv->last_params, info->name, info->params, given, error)
               : candela_params_new (info->name, info->params, given, error);
}

void
candela_op_set_resident (CandelaOp *op)
{
  ((CandelaOpPrivate *) candela_op_get_instance_private (op))->facts.resident = TRUE;
}

CandelaInPlaceMode
candela_op_facts_in_place (const CandelaOpFacts *facts, guint output, guint input)
{
  if (facts->info->in_place == NULL)
    return facts->info->axes == CANDELA_AXES_ELEMENTWISE ? CANDELA_IN_PLACE_SAME_INDEX : CANDELA_IN_PLACE_NEVER;
  for (const CandelaInPlace *row = facts->info->in_place; row->mode != CANDELA_IN_PLACE_NEVER; row++)
    if (row->output == output && row->input == input)
      return row->mode;
  return CANDELA_IN_PLACE_NEVER;
}

/**
 * candela_op_get_name:
 * @op: an op
 *
 * The name by which an op is found.
 *
 * Returns: (transfer none): the name
 *
 * Since: 1.0
 */
const char *
candela_op_get_name (CandelaOp *op)
{
  g_return_val_if_fail (CANDELA_IS_OP (op), NULL);

  return candela_op_get_facts (op)->info->name;
}

/**
 * candela_op_get_summary:
 * @op: an op
 *
 * What the op computes, in one line.
 *
 * Returns: (transfer none): the summary
 *
 * Since: 1.0
 */
const char *
candela_op_get_summary (CandelaOp *op)
{
  g_return_val_if_fail (CANDELA_IS_OP (op), NULL);

  return candela_op_get_facts (op)->info->summary;
}

/**
 * candela_op_get_since:
 * @op: an op
 *
 * The version of its plugin that first had the op.
 *
 * Returns: (transfer none) (nullable): the version, if the op says so
 *
 * Since: 1.0
 */
const char *
candela_op_get_since (CandelaOp *op)
{
  g_return_val_if_fail (CANDELA_IS_OP (op), NULL);

  return candela_op_get_facts (op)->info->since;
}

/**
 * candela_op_get_plugin_name:
 * @op: an op
 *
 * The plugin that the op comes from.
 *
 * Returns: (transfer none) (nullable): the plugin's name
 *
 * Since: 1.0
 */
const char *
candela_op_get_plugin_name (CandelaOp *op)
{
  g_return_val_if_fail (CANDELA_IS_OP (op), NULL);

  return candela_op_get_facts (op)->plugin_name;
}

/**
 * candela_op_list_inputs:
 * @op: an op
 *
 * The names of the op's inputs: first those that are required.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names
 *
 * Since: 1.0
 */
char **
candela_op_list_inputs (CandelaOp *op)
{
  g_return_val_if_fail (CANDELA_IS_OP (op), NULL);

  const CandelaOpFacts *facts = candela_op_get_facts (op);
  char **names = g_new0 (char *, facts->n_inputs + 1);

  for (guint i = 0; i < facts->n_inputs; i++)
    names[i] = g_strdup (facts->info->inputs[i].name);
  return names;
}

/**
 * candela_op_get_n_required_inputs:
 * @op: an op
 *
 * How many inputs must be given.
 *
 * Returns: the number of inputs that are neither optional nor variadic
 *
 * Since: 1.0
 */
guint
candela_op_get_n_required_inputs (CandelaOp *op)
{
  g_return_val_if_fail (CANDELA_IS_OP (op), 0);

  return candela_op_get_facts (op)->n_required;
}

/**
 * candela_op_is_variadic:
 * @op: an op
 *
 * Whether the last input may be given any number of times.
 *
 * Returns: %TRUE if it may
 *
 * Since: 1.0
 */
gboolean
candela_op_is_variadic (CandelaOp *op)
{
  g_return_val_if_fail (CANDELA_IS_OP (op), FALSE);

  return candela_op_get_facts (op)->variadic;
}

/**
 * candela_op_list_outputs:
 * @op: an op
 *
 * The names of the op's outputs.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names
 *
 * Since: 1.0
 */
char **
candela_op_list_outputs (CandelaOp *op)
{
  g_return_val_if_fail (CANDELA_IS_OP (op), NULL);

  static const char *const single[] = { "out", NULL };
  const char *const *outputs = candela_op_get_facts (op)->info->outputs;

  return g_strdupv ((char **) (outputs != NULL ? outputs : single));
}

/**
 * candela_op_list_operators:
 * @op: an op
 *
 * What stands for the op in the expression language: `infix:+`, `prefix:-`,
 * `index:[]`, `attribute:.T`.
 *
 * Returns: (transfer full) (array zero-terminated=1): the operators; often none
 *
 * Since: 1.0
 */
char **
candela_op_list_operators (CandelaOp *op)
{
  g_return_val_if_fail (CANDELA_IS_OP (op), NULL);

  const char *operators = candela_op_get_facts (op)->info->operators;

  return operators != NULL ? g_strsplit (operators, " ", -1) : g_new0 (char *, 1);
}

/**
 * candela_op_list_params:
 * @op: an op
 * @n_params: (out): their number
 *
 * The op's parameters, with type, range, default and a line of text each. The
 * names in a `GParamSpec` have dashes where the parameters' have underscores.
 *
 * Returns: (transfer container) (array length=n_params): the parameters, which
 *   live as long as the op
 *
 * Since: 1.0
 */
GParamSpec **
candela_op_list_params (CandelaOp *op, guint *n_params)
{
  g_return_val_if_fail (CANDELA_IS_OP (op), NULL);
  g_return_val_if_fail (n_params != NULL, NULL);

  CandelaOpPrivate *priv = candela_op_get_instance_private (op);
  gsize size = (priv->facts.n_params + 1) * sizeof (GParamSpec *);

  if (g_atomic_pointer_get (&priv->specs) == NULL)
    {
      GParamSpec **specs = g_malloc0 (size);

      for (guint i = 0; i < priv->facts.n_params; i++)
        specs[i] = g_param_spec_ref_sink (candela_param_info_to_spec (&priv->facts.info->params[i]));
      if (!g_atomic_pointer_compare_and_exchange (&priv->specs, NULL, specs))
        free_specs (specs, priv->facts.n_params);
    }
  *n_params = priv->facts.n_params;
  return g_memdup2 (priv->specs, size);
}
