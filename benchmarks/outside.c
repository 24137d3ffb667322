/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Ops that an author outside the tree makes from one expression each (candela/op/elementwise.h),
 * beside the shipped ops of the same formula: alone and in a chain with others, over arrays of
 * several sizes, on one thread. Both run in turn, many times. How small arrays lie to each other
 * in the caches makes a difference of a sixth, for either, so this is done in several rounds, with
 * plans and inputs that are made anew; the numbers are the medians, of the times and of the rounds'
 * ratios. An outside op is held to 0.95 of the speed.
 *
 * The arguments are the module, tests/plugins/outside, and, where not all are wanted, a size. */
#include <candela/candela.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 7
#define SAMPLES 41
#define ELEMENTS_PER_SAMPLE 65536
#define BAR 0.95

typedef struct
{
  const char *outside, *shipped;
} Pair;

static const Pair pairs[] = {
  { "outside_square(x)", "square(x)" },         { "outside_magnitude(x)", "abs(x)" },
  { "outside_reciprocal(x)", "reciprocal(x)" }, { "outside_relu(x)", "relu(x)" },
  { "outside_maximum(x, y)", "maximum(x, y)" }, { "outside_subtract(x, y)", "x - y" },
};

static const char *const contexts[][3] = {
  { "alone", "x = a; y = b", "t" },
  { "chain", "x = a + b; y = c", "t * 2 - c" },
  { "twice", "u = a + b; x = u * c; y = u", "(t + u) * t - c" },
};

static const char *const dtypes[] = { "float32", "float64" };
static const gint64 sizes[] = { 4096, 65536, 1048576 };

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static double
median (double *values, guint n)
{
  qsort (values, n, sizeof (double), compare);
  return values[n / 2];
}

static double
now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (double) time.tv_sec + (double) time.tv_nsec * 1e-9;
}

static CandelaPlan *
new_plan (GHashTable *names, const char *const *context, const char *formula)
{
  g_autofree char *text = g_strdup_printf ("%s; t = %s; %s", context[1], formula, context[2]);
  g_autoptr (GError) error = NULL;
  g_autoptr (CandelaNode) node = candela_expression_build_with_names (text, names, &error);
  CandelaPlan *plan = node != NULL ? candela_plan_new (&node, 1, 0, &error) : NULL;

  if (plan == NULL)
    g_error ("%s: %s", text, error->message);
  return plan;
}

static double
run (CandelaPlan *plan, guint times)
{
  double start = now ();

  for (guint i = 0; i < times; i++)
    {
      g_autoptr (GError) error = NULL;
      gsize n;
      CandelaTensor **results = candela_plan_run (plan, NULL, 0, NULL, NULL, NULL, NULL, &n, &error);

      if (results == NULL)
        g_error ("%s", error->message);
      g_object_unref (results[0]);
      g_free (results);
    }
  return (now () - start) / times;
}

static GHashTable *
new_names (const char *dtype, gint64 size)
{
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) candela_node_unref);
  static const char *const letters[] = { "a", "b", "c" };

  for (guint i = 0; i < G_N_ELEMENTS (letters); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (CandelaTensor) tensor = candela_tensor_new (candela_dtype_from_name (dtype, NULL), &size, 1, &error);
      gpointer data = candela_tensor_get_writable_data (tensor);

      for (gint64 k = 0; k < size; k++)
        if (candela_tensor_get_dtype (tensor) == CANDELA_DTYPE_FLOAT32)
          ((float *) data)[k] = (float) ((k * (i + 7) + i) % 1000) / 300 - 1;
        else
          ((double *) data)[k] = (double) ((k * (i + 7) + i) % 1000) / 300 - 1;
      g_hash_table_insert (names, (gpointer) letters[i], candela_node_new_tensor (tensor));
    }
  return names;
}

static gboolean
measure (const Pair *pair, const char *const *context, const char *dtype, gint64 size)
{
  guint times = (guint) MAX (ELEMENTS_PER_SAMPLE / size, 1);
  double by_outside[ROUNDS], by_shipped[ROUNDS], ratios[ROUNDS], ratio;

  for (guint r = 0; r < ROUNDS; r++)
    {
      g_autoptr (GHashTable) names = new_names (dtype, size);
      guint first = r % 2;
      g_autoptr (CandelaPlan) one = new_plan (names, context, first == 0 ? pair->outside : pair->shipped);
      g_autoptr (CandelaPlan) other = new_plan (names, context, first == 0 ? pair->shipped : pair->outside);
      double samples[2][SAMPLES];

      for (guint i = 0; i < SAMPLES; i++)
        {
          samples[first][i] = run (one, times);
          samples[1 - first][i] = run (other, times);
        }
      by_outside[r] = median (samples[0], SAMPLES);
      by_shipped[r] = median (samples[1], SAMPLES);
      ratios[r] = by_shipped[r] / by_outside[r];
    }
  ratio = median (ratios, ROUNDS);
  g_print ("%-22s %-6s %-8s %8" G_GINT64_FORMAT " %9.2f %9.2f %6.2f%s\n", pair->outside, context[0], dtype, size,
           median (by_outside, ROUNDS) * 1e6, median (by_shipped, ROUNDS) * 1e6, ratio, ratio < BAR ? " below" : "");
  return ratio >= BAR;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  guint n_below = 0;

  if (argc < 2 || candela_registry_load_file (candela_registry_get_default (), argv[1], &error) == NULL)
    g_error ("%s", error != NULL ? error->message : "outside MODULE [SIZE]");
  candela_set_num_threads (1);
  g_print ("%-31s %-6s %10s %9s %9s %6s\n", "op", "dtype", "elements", "us", "shipped", "ratio");
  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint d = 0; d < G_N_ELEMENTS (dtypes) && (argc < 3 || atoi (argv[2]) == sizes[s]); d++)
      for (guint p = 0; p < G_N_ELEMENTS (pairs); p++)
        for (guint c = 0; c < G_N_ELEMENTS (contexts); c++)
          n_below += !measure (&pairs[p], contexts[c], dtypes[d], sizes[s]);
  g_print ("%u below %.2f\n", n_below, BAR);
  return 0;
}
