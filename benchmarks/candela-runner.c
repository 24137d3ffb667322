/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Candela among its peers: told by benchmarks/run what to compute, on how many
 * threads, it answers how long that took. `warm` is a run of a plan that is
 * there already, the result's buffer included; `built` is building its graph node by
 * node, planning it, running it and freeing all; `whole` is the same with reading the
 * expression's text. */
#include "rebuild.h"
#include "serve.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_LAPS 100000

static struct
{
  char *expression;
  GHashTable *names;
  CandelaPlanFlags flags;
  CandelaPlan *plan;
  Recipe *recipe; /* or NULL */
  CandelaTensor *result;
  GArray *read, *plans, *runs; /* of double: ns */
} state;

static double
now_ns (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static CandelaTensor *
run_plan (CandelaPlan *plan, GError **error)
{
  g_autofree CandelaTensor **tensors = candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, NULL, NULL, error);

  return tensors != NULL ? tensors[0] : NULL;
}

static gboolean
setup (const ServeCell *cell, GError **error)
{
  g_autoptr (CandelaNode) node = NULL;

  g_clear_pointer (&state.plan, candela_plan_unref);
  g_clear_pointer (&state.recipe, recipe_free);
  g_clear_object (&state.result);
  g_clear_pointer (&state.names, g_hash_table_unref);
  g_clear_pointer (&state.expression, g_free);
  state.expression = g_strdup (cell->expression);
  state.flags = g_str_equal (cell->flags, "no-fusion") ? CANDELA_PLAN_NO_FUSION : CANDELA_PLAN_DEFAULT;
  state.names = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) candela_node_unref);
  for (guint i = 0; i < cell->n_inputs; i++)
    g_hash_table_insert (state.names, cell->names[i], candela_node_new_tensor (cell->inputs[i]));
  node = candela_expression_build_with_names (state.expression, state.names, error);
  state.plan = node != NULL ? candela_node_plan (node, state.flags, error) : NULL;
  if (state.plan == NULL)
    return FALSE;
  state.recipe = recipe_new (node);
  state.result = run_plan (state.plan, error);
  return state.result != NULL;
}

static void
add_lap (GArray *laps, double ns)
{
  if (laps->len < MAX_LAPS)
    g_array_append_val (laps, ns);
}

static void
run_whole (void)
{
  double start = now_ns (), built, planned;
  g_autoptr (CandelaNode) node = candela_expression_build_with_names (state.expression, state.names, NULL);
  g_autoptr (CandelaPlan) plan = NULL;

  built = now_ns ();
  plan = candela_node_plan (node, state.flags, NULL);
  planned = now_ns ();
  g_object_unref (run_plan (plan, NULL));
  add_lap (state.read, built - start);
  add_lap (state.plans, planned - built);
  add_lap (state.runs, now_ns () - planned);
}

static void
run_built (void)
{
  g_autoptr (CandelaNode) node = recipe_build (state.recipe);
  g_autoptr (CandelaPlan) plan = candela_node_plan (node, state.flags, NULL);

  g_object_unref (run_plan (plan, NULL));
}

static void
run (const char *kind)
{
  if (g_str_equal (kind, "whole"))
    run_whole ();
  else if (g_str_equal (kind, "built") && state.recipe != NULL)
    run_built ();
  else
    g_object_unref (run_plan (state.plan, NULL));
}

static CandelaTensor *
get_result (void)
{
  return state.result;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
take_median (GArray *laps)
{
  double median;

  g_array_sort (laps, compare);
  median = laps->len > 0 ? g_array_index (laps, double, laps->len / 2) : 0;
  g_array_set_size (laps, 0);
  return median;
}

static char *
report (const char *kind)
{
  double text, plan;

  if (!g_str_equal (kind, "whole"))
    return NULL;
  text = take_median (state.read);
  plan = take_median (state.plans);
  return g_strdup_printf ("read=%.0f\tplan=%.0f\trun=%.0f", text, plan, take_median (state.runs));
}

int
main (int argc, char **argv)
{
  const ServeFunctions functions = { setup, run, get_result, report };

  if (argc != 2)
    {
      g_printerr ("usage: %s THREADS\n", argv[0]);
      return 2;
    }
  candela_set_num_threads ((guint) strtoul (argv[1], NULL, 10));
  state.read = g_array_new (FALSE, FALSE, sizeof (double));
  state.plans = g_array_new (FALSE, FALSE, sizeof (double));
  state.runs = g_array_new (FALSE, FALSE, sizeof (double));
  return serve (&functions);
}
