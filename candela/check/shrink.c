/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From a case that fails to the smallest one that fails in the same way: one thing after
 * the other is made plainer, and stays so if the fact still does not hold. */
#include <candela/check/check-private.h>

#define MOST_TRIES 400
#define MOST_MICROSECONDS (4 * G_USEC_PER_SEC)

typedef struct
{
  CandelaOp *op;
  CandelaCheckCase *test;
  CandelaCheckShared *shared;
  guint32 fact;
  guint limit;
  guint tries;
  gint64 until;
  GCancellable *cancellable;
} Shrinking;

/* Takes the candidate over if it fails too. */
static gboolean
accept (Shrinking *shrinking, CandelaCheckCase *candidate)
{
  CandelaCheckShared before = *shrinking->shared;

  if (shrinking->tries++ < MOST_TRIES && g_get_monotonic_time () < shrinking->until
      && !candela_check_watch (shrinking->op, candidate, 0, 0, 0, shrinking->limit, shrinking->shared,
                               shrinking->cancellable)
      && shrinking->shared->fact == shrinking->fact)
    {
      candela_check_case_clear (shrinking->test);
      *shrinking->test = *candidate;
      return TRUE;
    }
  *shrinking->shared = before;
  candela_check_case_clear (candidate);
  return FALSE;
}

static gboolean
drop_inputs (Shrinking *shrinking)
{
  CandelaCheckCase candidate;

  if (shrinking->test->n_inputs == 0 || shrinking->test->n_inputs <= candela_op_get_facts (shrinking->op)->n_required)
    return FALSE;
  candela_check_case_copy (&candidate, shrinking->test);
  candidate.n_inputs--;
  return accept (shrinking, &candidate);
}

static GVariant *
without (GVariant *params, gsize left_out)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  for (gsize k = 0; k < g_variant_n_children (params); k++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (params, k);

      if (k != left_out)
        g_variant_builder_add_value (&builder, entry);
    }
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

static gboolean
drop_params (Shrinking *shrinking)
{
  gboolean any = FALSE;

  for (gsize k = g_variant_n_children (shrinking->test->params); k-- > 0;)
    {
      CandelaCheckCase candidate = *shrinking->test;

      candidate.params = without (shrinking->test->params, k);
      any = accept (shrinking, &candidate) || any;
    }
  return any;
}

/* All layouts at once, then one thing after the other. */
static gboolean
straighten (Shrinking *shrinking)
{
  gboolean any = FALSE;
  CandelaCheckCase candidate;

  for (guint i = 0; i < shrinking->test->n_inputs; i++)
    for (guint what = 0; what < 2 + shrinking->test->inputs[i].rank; what++)
      {
        CandelaCheckInput *input = &candidate.inputs[i];

        candela_check_case_copy (&candidate, shrinking->test);
        if (what == 0   ? !input->shifted
            : what == 1 ? !input->transposed
                        : input->forms[what - 2] == CANDELA_CHECK_AXIS_PLAIN)
          {
            candela_check_case_clear (&candidate);
            continue;
          }
        if (what == 0)
          input->shifted = FALSE;
        else if (what == 1)
          input->transposed = FALSE;
        else
          input->forms[what - 2] = CANDELA_CHECK_AXIS_PLAIN;
        any = accept (shrinking, &candidate) || any;
      }
  return any;
}

/* A length is the same everywhere that it occurs. */
static gboolean
shorten (Shrinking *shrinking, gint64 length, gint64 shorter)
{
  gboolean found = FALSE;
  CandelaCheckCase candidate;

  if (shorter >= length || shorter < 1)
    return FALSE;
  candela_check_case_copy (&candidate, shrinking->test);
  for (guint i = 0; i < candidate.n_inputs; i++)
    for (guint axis = 0; axis < candidate.inputs[i].rank; axis++)
      if (candidate.inputs[i].dims[axis] == length)
        {
          candidate.inputs[i].dims[axis] = shorter;
          found = TRUE;
        }
  if (found)
    return accept (shrinking, &candidate);
  candela_check_case_clear (&candidate);
  return FALSE;
}

static gboolean
shorten_all (Shrinking *shrinking)
{
  for (guint i = 0; i < shrinking->test->n_inputs; i++)
    for (guint axis = 0; axis < shrinking->test->inputs[i].rank; axis++)
      {
        gint64 length = shrinking->test->inputs[i].dims[axis];

        if (shorten (shrinking, length, 1) || shorten (shrinking, length, 2) || shorten (shrinking, length, 3)
            || shorten (shrinking, length, length / 2) || shorten (shrinking, length, length - length / 8)
            || shorten (shrinking, length, length - 1))
          return TRUE;
      }
  return FALSE;
}

static void
drop_axis (CandelaCheckInput *input, guint axis)
{
  input->rank--;
  memmove (input->dims + axis, input->dims + axis + 1, (input->rank - axis) * sizeof *input->dims);
  memmove (input->forms + axis, input->forms + axis + 1, (input->rank - axis) * sizeof *input->forms);
}

/* The first axis, or the last one, of one input, or of all. */
static gboolean
drop_axes (Shrinking *shrinking)
{
  for (guint k = 0; k < 2 * (shrinking->test->n_inputs + 1); k++)
    {
      gboolean found = FALSE;
      guint only = k / 2;
      CandelaCheckCase candidate;

      candela_check_case_copy (&candidate, shrinking->test);
      for (guint i = 0; i < candidate.n_inputs; i++)
        {
          CandelaCheckInput *input = &candidate.inputs[i];

          if (input->rank == 0 || input->transposed || (only > 0 && i != only - 1))
            continue;
          found = TRUE;
          drop_axis (input, k % 2 == 0 ? 0 : input->rank - 1);
        }
      if (!found)
        candela_check_case_clear (&candidate);
      else if (accept (shrinking, &candidate))
        return TRUE;
    }
  return FALSE;
}

static gboolean
flatten_values (Shrinking *shrinking)
{
  static const CandelaCheckValues plainer[] = { CANDELA_CHECK_VALUES_PLAIN, CANDELA_CHECK_VALUES_SMALL };

  for (guint k = 0; k < G_N_ELEMENTS (plainer); k++)
    {
      CandelaCheckCase candidate;

      if (candela_check_case_is_differentiated (shrinking->test) || shrinking->test->values == plainer[k]
          || shrinking->test->values == CANDELA_CHECK_VALUES_PLAIN)
        return FALSE;
      candela_check_case_copy (&candidate, shrinking->test);
      candidate.values = plainer[k];
      if (accept (shrinking, &candidate))
        return TRUE;
    }
  return FALSE;
}

/* Of all inputs that have it: one that people know. */
static gboolean
simplify_dtypes (Shrinking *shrinking)
{
  static const CandelaDType known[] = { CANDELA_DTYPE_FLOAT32, CANDELA_DTYPE_FLOAT64, CANDELA_DTYPE_INT32 };

  for (guint k = 0; k < G_N_ELEMENTS (known) && !candela_check_case_is_differentiated (shrinking->test); k++)
    {
      CandelaCheckCase candidate;
      gboolean found = FALSE;

      candela_check_case_copy (&candidate, shrinking->test);
      for (guint i = 0; i < candidate.n_inputs; i++)
        {
          if (candidate.inputs[i].dtype == known[k])
            {
              candela_check_case_clear (&candidate);
              return FALSE;
            }
          found = found || candela_op_facts_input (candela_op_get_facts (shrinking->op), i)->fixed == 0;
          if (candela_op_facts_input (candela_op_get_facts (shrinking->op), i)->fixed == 0)
            candidate.inputs[i].dtype = known[k];
        }
      if (!found)
        candela_check_case_clear (&candidate);
      else if (accept (shrinking, &candidate))
        return TRUE;
    }
  return FALSE;
}

void
candela_check_shrink (CandelaOp *op, CandelaCheckCase *test, CandelaCheckShared *shared, guint limit,
                      GCancellable *cancellable)
{
  gboolean hangs = shared->fact == CANDELA_CHECK_SURVIVAL && g_str_has_prefix (shared->message, "it does not");
  Shrinking shrinking = { .op = op,
                          .test = test,
                          .shared = shared,
                          .fact = shared->fact,
                          .limit = hangs ? 1 : limit,
                          .until = g_get_monotonic_time () + MOST_MICROSECONDS,
                          .cancellable = cancellable };

  while (drop_inputs (&shrinking) || drop_params (&shrinking) || drop_axes (&shrinking) || shorten_all (&shrinking)
         || straighten (&shrinking) || flatten_values (&shrinking) || simplify_dtypes (&shrinking))
    if (shrinking.tries >= MOST_TRIES || g_get_monotonic_time () >= shrinking.until)
      break;
}
