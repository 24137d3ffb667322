/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * An op from its first case to the report. */
#include <candela/check/check-private.h>
#include <sys/mman.h>

static GVariant *
describe_runs (const CandelaCheckShared *shared)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{sv}"));
  for (guint f = 0; f < CANDELA_CHECK_N_FACTS; f++)
    if (shared->runs[f] > 0)
      g_variant_builder_add (&builder, "{sv}", candela_check_fact_get_name (f), g_variant_new_uint64 (shared->runs[f]));
  return g_variant_builder_end (&builder);
}

/* Inputs whose gradient could be looked at nowhere. */
static GVariant *
describe_unproven (CandelaOp *op, const CandelaCheckShared *shared)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("as"));
  for (guint i = 0; i < CANDELA_MAX_GRADIENTS; i++)
    if (candela_op_get_gradient (op, i) != NULL && (shared->gradients >> i & 1) == 0)
      g_variant_builder_add (&builder, "s", candela_op_get_facts (op)->info->inputs[i].name);
  return g_variant_builder_end (&builder);
}

static GVariant *
describe (CandelaOp *op, const CandelaCheckShared *shared, const CandelaCheckCase *failed)
{
  g_autoptr (GVariant) unproven = g_variant_ref_sink (describe_unproven (op, shared));
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add (&builder, "{sv}", "op", g_variant_new_string (candela_op_get_name (op)));
  g_variant_builder_add (
    &builder, "{sv}", "proven",
    g_variant_new_boolean (failed == NULL && shared->n_cases > 0 && g_variant_n_children (unproven) == 0));
  if (g_variant_n_children (unproven) > 0)
    g_variant_builder_add (&builder, "{sv}", "unproven-gradients", unproven);
  g_variant_builder_add (&builder, "{sv}", "cases", g_variant_new_uint32 (shared->n_cases));
  g_variant_builder_add (&builder, "{sv}", "runs", describe_runs (shared));
  if (failed != NULL)
    {
      g_autofree char *doing = g_utf8_make_valid (shared->doing, -1);
      g_autofree char *message = g_utf8_make_valid (shared->message, -1);

      g_variant_builder_add (&builder, "{sv}", "fact",
                             g_variant_new_string (candela_check_fact_get_name (shared->fact)));
      g_variant_builder_add (&builder, "{sv}", "when", g_variant_new_string (doing));
      g_variant_builder_add (&builder, "{sv}", "message", g_variant_new_string (message));
      g_variant_builder_add (&builder, "{sv}", "case", candela_check_case_describe (failed, op));
    }
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

/**
 * candela_op_check:
 * @op: an op
 * @seed: where cases come from: the same seed, the same cases
 * @n_cases: how many, of those that the op takes
 * @limit: after how many seconds without a sign of life a run is given up; at least 1
 * @cancellable: (nullable): what cancels it
 * @error: return location for an error
 *
 * Proves what an op declares: runs its functions over generated dtypes, shapes,
 * layouts, values and parameters, in every way that the declaration allows the engine
 * to run them, and compares with the plainest. candela_list_checked_facts() tells which
 * facts there are. The op runs in a child process, so that whatever it does, this one goes
 * on; the child begins as a copy of this process, which should not compute on other threads
 * meanwhile.
 *
 * The report has `op`; `proven`, whether all facts hold and any case was taken; of gradients
 * that could not be looked at for want of a point where the op has a derivative,
 * `unproven-gradients`, the names of the inputs, and `proven` is not set then; `cases`,
 * how many the op took; `runs`, an `a{sv}` of the number of runs for each fact. If a fact
 * does not hold: `fact`; `when`, what was being done; `message`, what was seen; and
 * `case`, the smallest one that shows it: its `inputs`, of each the `name`, `dtype` and
 * `shape` of an array, the `view` of it, the shape to which that is `broadcast`, and the
 * `elements` if they are few; and its `params` as an expression has them.
 *
 * Returns: (transfer full): a variant of type `a{sv}`; %NULL on %G_IO_ERROR_CANCELLED or
 *   %CANDELA_ERROR_NO_MEMORY
 *
 * Since: 1.0
 */
GVariant *
candela_op_check (CandelaOp *op, guint64 seed, guint n_cases, guint limit, GCancellable *cancellable, GError **error)
{
  CandelaCheckShared *shared;
  GVariant *report = NULL;
  CandelaCheckCase failed;

  g_return_val_if_fail (CANDELA_IS_OP (op), NULL);

  shared = mmap (NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    {
      g_set_error (error, CANDELA_ERROR, CANDELA_ERROR_NO_MEMORY, "no memory for %" G_GSIZE_FORMAT " bytes",
                   sizeof *shared);
      return NULL;
    }
  limit = MAX (limit, 1);
  if (candela_check_watch (op, NULL, seed, 0, n_cases, limit, shared, cancellable))
    report = g_cancellable_is_cancelled (cancellable) ? NULL : describe (op, shared, NULL);
  else
    {
      candela_check_case_init (&failed, op, seed, shared->index, shared->attempt);
      if (shared->fact == CANDELA_CHECK_GRADIENT)
        candela_check_case_differentiate (&failed, candela_op_get_facts (op), shared->gradient_attempt);
      candela_check_shrink (op, &failed, shared, limit, cancellable);
      if (!g_cancellable_is_cancelled (cancellable))
        report = describe (op, shared, &failed);
      candela_check_case_clear (&failed);
    }
  munmap (shared, sizeof *shared);
  if (report == NULL)
    g_cancellable_set_error_if_cancelled (cancellable, error);
  return report;
}
